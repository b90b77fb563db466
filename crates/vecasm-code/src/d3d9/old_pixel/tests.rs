//! Small programs with the slots that they need, random ones, and the same on devices whose registers hold little.

use super::{PixelOptions, ShorterPixel, shorten_pixel};
use std::collections::BTreeMap;
use std::string::String;
use std::vec::Vec;
use vecasm_debug::compare::eqv::{self, Texels, Verdict};
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
        // ps_1_0 is only known to Direct3D 8.
        assert!(findings(&before).keys().all(|id| *id == "D3D9-0xF0"), "{case}: {:?}", findings(&before));
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
