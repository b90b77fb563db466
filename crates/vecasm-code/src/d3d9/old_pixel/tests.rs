//! Small programs with the slots that they need, random ones, and the same on devices whose registers hold little.

use super::{PixelOptions, ShorterPixel, shorten_pixel};
use std::collections::BTreeMap;
use std::string::String;
use std::vec::Vec;
use vecasm_debug::compare::eqv::{self, Texels, Verdict};
use vecasm_ir::ir::random::Rng;
use vecasm_ir::operand::{Swizzle, WriteMask};
use vecasm_isa::d3d9::lift::{self, TemporaryRange, lift};
use vecasm_isa::d3d9::program::{Destination, InstructionToken, Program, Source, Stage, Version};
use vecasm_isa::d3d9::registers::RegType;
use vecasm_isa::d3d9::rules::{self, slot_counts, validate};
use vecasm_isa::d3d9::table::{Opcode, code};
use vecasm_isa::d3d9::text::{PrintOptions, parse, print};

/// Above each: slots with the same operations, slots after cleaning, why; behind some what they become.
const CASES: &str = include_str!("cases.psh");

fn program(text: &str) -> Program {
    let (program, findings) = parse(text);
    program.unwrap_or_else(|| panic!("{text}: {findings:?}"))
}

fn short(program: &Program, schedule_only: bool) -> ShorterPixel {
    shorten_pixel(program, &PixelOptions { schedule_only, ..PixelOptions::default() })
}

fn slots(program: &Program) -> usize {
    slot_counts(program).total() as usize
}

fn printed(program: &Program) -> String {
    print(program, &PrintOptions::default())
}

/// Whether both do the same: proved, or else no difference found, on devices whose registers hold that much.
fn judge(before: &Program, after: &Program, range: TemporaryRange, count: usize) -> bool {
    let mut options = lift::Options::default();
    options.switches.temporary_range = range;
    let [a, b] = [before, after].map(|program| lift(program, &options).unwrap());
    // Where registers hold little, textures do, too.
    let texels = if range == TemporaryRange::Unlimited { Texels::Any } else { Texels::Unorm };
    let options = eqv::Options { count, texels, ..eqv::Options::default() };
    match eqv::eqv(&a, &b, &options).unwrap().verdict {
        Verdict::Proved(_) => true,
        Verdict::NoDifference => false,
        Verdict::Different(case) => {
            panic!("{range:?} {:?}\n{}\n{}", case.difference, printed(before), printed(after))
        }
    }
}

fn findings(program: &Program) -> BTreeMap<&'static str, usize> {
    let mut out = BTreeMap::new();
    for finding in validate(program, &rules::Options::default()) {
        *out.entry(finding.id).or_insert(0) += 1;
    }
    out
}

/// No more findings than before, no more slots, provenance for each instruction, and textures as they were.
fn well_made(before: &Program, made: &ShorterPixel) {
    let (old, new) = (findings(before), findings(&made.program));
    let worse = new.iter().any(|(id, count)| old.get(id).is_none_or(|known| known < count));
    assert!(!worse, "{old:?} {new:?}\n{}\n{}", printed(before), printed(&made.program));
    assert!(slots(&made.program) <= slots(before));
    assert_eq!(made.steps.len(), made.program.instructions().count());
    let count = before.instructions().count();
    assert!(made.steps.iter().all(|steps| !steps.is_empty()));
    assert!(made.steps.iter().flatten().all(|step| (*step as usize) < count));
    assert!(made.bound.is_none_or(|bound| bound <= slots(&made.program)));
    let fixed = |program: &Program| -> Vec<Vec<u32>> {
        let stays = |words: &&[u32]| !super::is_arithmetic(words);
        program.instructions().filter(stays).map(<[u32]>::to_vec).collect()
    };
    assert_eq!(fixed(before), fixed(&made.program));
}

#[test]
fn small_programs_have_the_slots_that_they_need() {
    let mut cases = 0;
    for case in CASES.split("\n\n").filter(|case| case.contains("slots:")) {
        let line = case.lines().find_map(|line| line.strip_prefix("; slots: ")).unwrap();
        let numbers: Vec<usize> = line.split(' ').map(|n| n.parse().unwrap()).collect();
        let (text, becomes) = case.split_once("; becomes\n").map_or((case, None), |(a, b)| (a, Some(b)));
        let before = program(&(String::from(text) + "\n"));
        // ps_1_0 is only known to Direct3D 8, and a choice in a pair has a warning.
        let known = |id: &&str| matches!(*id, "D3D9-0xF0" | "D3D9-cnd-pair");
        assert!(findings(&before).keys().all(known), "{case}: {:?}", findings(&before));
        for (schedule_only, expected) in [(true, numbers[0]), (false, numbers[1])] {
            let made = short(&before, schedule_only);
            let shown = printed(&made.program);
            assert_eq!(slots(&made.program), expected, "{schedule_only}: {case}\n{shown}");
            assert_eq!(made.bound, Some(expected), "{schedule_only}: {case}");
            well_made(&before, &made);
            for range in [TemporaryRange::Unlimited, TemporaryRange::One, TemporaryRange::Eight] {
                judge(&before, &made.program, range, 400);
            }
            if let (Some(becomes), false) = (becomes, schedule_only) {
                let version = before.words()[0];
                let expected = format!("ps_1_{}\n{becomes}\n", version & 0xff);
                assert_eq!(shown, printed(&program(&expected)), "{case}");
            }
        }
        cases += 1;
    }
    assert!(cases >= 25, "{cases} cases");
}

/// A source of random programs.
struct Programs(Rng);

impl Programs {
    fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn source(&mut self, version: Version) -> u32 {
        let four = version.minor() == 4;
        let (ty, count) = match self.below(if four { 5 } else { 7 }) {
            0..=2 => (RegType::Temp, if four { 3 } else { 2 }),
            3 => (RegType::Input, 2),
            4 => (RegType::Const, 3),
            _ => (RegType::AddrOrTexture, 2),
        };
        let swizzle = match self.below(6) {
            0 => Swizzle::splat(3),
            1 => Swizzle::splat(self.below(4) as u8),
            _ => Swizzle::IDENTITY,
        };
        let modifier = if ty != RegType::Const && self.below(3) == 0 { 1 + self.below(8) as u32 } else { 0 };
        Source::new(ty, self.below(count) as u16, swizzle).0 | modifier << 24
    }

    /// An instruction that may or may not be one of the version.
    fn instruction(&mut self, version: Version) -> Vec<u32> {
        let four = version.minor() == 4;
        let codes = [
            (Opcode::Mov, 1),
            (Opcode::Mov, 1),
            (Opcode::Mov, 1),
            (Opcode::Add, 2),
            (Opcode::Sub, 2),
            (Opcode::Mul, 2),
            (Opcode::Mul, 2),
            (Opcode::Mad, 3),
            (Opcode::Lrp, 3),
            (Opcode::Dp3, 2),
            (Opcode::Dp4, 2),
            (Opcode::Cnd, 3),
            (Opcode::Cmp, 3),
        ];
        let (op, count) = self.of(&codes);
        let mask = if four { self.of(&[1, 3, 4, 7, 8, 15]) } else { self.of(&[7, 8, 15]) };
        let to = if !four && self.below(6) == 0 { RegType::AddrOrTexture } else { RegType::Temp };
        let number = self.below(if four { 3 } else { 2 }) as u16;
        let result = if self.below(4) == 0 { self.of(&[1, 16, 17, 0xf0]) } else { 0 };
        let to = Destination::new(to, number, WriteMask::from_bits(mask)).0 | result << 20;
        let pair = if self.below(4) == 0 { InstructionToken::COISSUE } else { 0 };
        let mut words = std::vec![u32::from(op.row().code) | pair, to];
        for n in 0..count {
            let condition = op == Opcode::Cnd && n == 0 && !four;
            let source = Source::new(RegType::Temp, 0, Swizzle::splat(3)).0;
            words.push(if condition { source } else { self.source(version) });
        }
        words
    }

    /// A program that Direct3D has nothing to say against but that alpha may be missing.
    fn program(&mut self, most: usize) -> (Vec<u32>, Vec<Vec<u32>>) {
        let version = Version::new(Stage::Pixel, 1, self.of(&[0, 1, 1, 2, 3, 4, 4]));
        let four = version.minor() == 4;
        let mut head = std::vec![version.0];
        for number in 0..2 {
            head.push(u32::from(Opcode::Tex.row().code));
            let file = if four { RegType::Temp } else { RegType::AddrOrTexture };
            head.push(Destination::new(file, number, WriteMask::ALL).0);
            if four {
                head.push(Source::new(RegType::AddrOrTexture, number, Swizzle::from_bits(0xa4)).0);
            }
        }
        let count = 1 + self.below(most);
        // Where the second phase begins: `phase`, and a texture read at what the first one left.
        let second = if four && self.below(2) == 0 { 1 + self.below(most) } else { usize::MAX };
        let mut body: Vec<Vec<u32>> = Vec::new();
        let mut tries = 0;
        while body.len() < count && tries < 400 {
            tries += 1;
            if body.len() == second {
                body.push(std::vec![u32::from(Opcode::Phase.row().code)]);
                let to = Destination::new(RegType::Temp, self.below(3) as u16, WriteMask::ALL).0;
                let at = Source::new(RegType::Temp, self.below(3) as u16, Swizzle::from_bits(0xa4)).0;
                body.push(std::vec![u32::from(Opcode::Tex.row().code), to, at]);
            } else {
                body.push(self.instruction(version));
            }
            let mut found = findings(&whole(&head, &body));
            for known in ["D3D9-0xF0", "D3D9-no-r0", "D3D9-no-r0-alpha", "D3D9-cnd-pair"] {
                found.remove(known);
            }
            if !found.is_empty() {
                body.pop();
                // Without the read, or without the second phase.
                let last = body.last().and_then(|words| words.first());
                if last.is_some_and(|token| *token == u32::from(Opcode::Phase.row().code)) {
                    body.pop();
                    body.push(self.instruction(version));
                    if !findings(&whole(&head, &body)).keys().all(|id| id.starts_with("D3D9-no-r0")) {
                        body.pop();
                    }
                }
            }
        }
        (head, body)
    }
}

fn whole(head: &[u32], body: &[Vec<u32>]) -> Program {
    let mut words = head.to_vec();
    body.iter().for_each(|part| words.extend_from_slice(part));
    words.push(code::END);
    Program::new(words, &[])
}

#[test]
fn random_programs_do_what_they_did() {
    let mut numbers = Programs(Rng::new(1));
    let (mut shorter, mut proved) = (0, 0);
    for _ in 0..150 {
        let (head, body) = numbers.program(9);
        let before = whole(&head, &body);
        for schedule_only in [true, false] {
            let made = short(&before, schedule_only);
            well_made(&before, &made);
            if made.program == before {
                continue;
            }
            shorter += 1;
            for range in [TemporaryRange::Unlimited, TemporaryRange::One, TemporaryRange::Eight] {
                proved += u32::from(judge(&before, &made.program, range, 200));
            }
            // What is short is not made shorter by going round again, but for what another order lets be seen.
            let again = short(&made.program, true);
            assert_eq!(slots(&again.program), slots(&made.program), "{}", printed(&made.program));
        }
    }
    assert!(shorter > 100 && proved > 2 * shorter, "{shorter} are shorter, {proved} proofs");
}

/// All orders of numbers below `count`.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else { return std::vec![Vec::new()] };
    let shorter = orders(last);
    let with_last = |order: &Vec<usize>, at: usize| {
        let mut order = order.clone();
        order.insert(at, last);
        order
    };
    shorter.iter().flat_map(|order| (0..count).map(move |at| with_last(order, at))).collect()
}

#[test]
fn no_other_order_is_shorter() {
    let (mut numbers, mut programs) = (Programs(Rng::new(7)), 0);
    let mut tried = 0;
    for _ in 0..250 {
        let (head, body) = numbers.program(8);
        // Of what nobody reads, another order may make something else: what was made shorter has nothing of that.
        let unchanged = whole(&head, &body);
        let before = short(&unchanged, false).program;
        let body: Vec<Vec<u32>> =
            before.instructions().filter(|words| super::is_arithmetic(words)).map(<[u32]>::to_vec).collect();
        let stays = before.instructions().filter(|words| !super::is_arithmetic(words)).count();
        if body.len() > 5 || stays > 2 || before == unchanged {
            continue;
        }
        let made = short(&before, true);
        assert_eq!(made.bound, Some(slots(&made.program)), "{}", printed(&before));
        programs += 1;
        let known = findings(&before);
        for order in orders(body.len()) {
            for pairs in 0..1_u32 << body.len() {
                let mut other: Vec<Vec<u32>> = order.iter().map(|n| body[*n].clone()).collect();
                for (n, words) in other.iter_mut().enumerate() {
                    words[0] &= !InstructionToken::COISSUE;
                    words[0] |= (pairs >> n & 1) * InstructionToken::COISSUE;
                }
                let other = whole(&head, &other);
                if slots(&other) >= slots(&made.program)
                    || !findings(&other).keys().all(|id| known.contains_key(id))
                {
                    continue;
                }
                tried += 1;
                let [a, b] = [&before, &other].map(|of| lift(of, &lift::Options::default()).unwrap());
                let options = eqv::Options { count: 60, ..eqv::Options::default() };
                let verdict = eqv::eqv(&a, &b, &options).unwrap().verdict;
                let differs = matches!(verdict, Verdict::Different(_));
                assert!(differs, "{}\n{}\n{}", printed(&before), printed(&made.program), printed(&other));
            }
        }
    }
    assert!(programs > 150 && tried > 5, "{tried} orders of {programs} programs are tried");
}
