//! Small programs with the slots that they need, all schedules of random ones, and what any words do.

use super::depend::{Order, Webs};
use super::operations::List;
use super::pair::pair;
use super::{Options, Shorter, shorten};
use crate::Ends;
use std::collections::{BTreeSet, HashMap};
use std::string::String;
use std::vec::Vec;
use vecasm_debug::compare::eqv::{self, Verdict};
use vecasm_ir::ir::random::Rng;
use vecasm_ir::operand::{Swizzle, WriteMask};
use vecasm_isa::nv2a::lift::{self, lift};
use vecasm_isa::nv2a::pair::{Target, parts};
use vecasm_isa::nv2a::rules::{self, validate};
use vecasm_isa::nv2a::table::{Field, mask_to_field, swizzle_to_field};
use vecasm_isa::nv2a::text::{ParseOptions, parse};
use vecasm_isa::nv2a::{Program, Slot};

/// Programs in the language of nv2a-vsh. Above each: slots with the same operations, slots after cleaning, why.
const CASES: &str = include_str!("cases.vsh");

fn program(text: &str) -> Program {
    let (program, findings) = parse(text, &ParseOptions::default());
    program.unwrap_or_else(|| panic!("{text}: {findings:?}"))
}

fn short(program: &Program, schedule_only: bool, ends: Option<Ends>) -> Shorter {
    let options = Options { schedule_only, ends, ..Options::default() };
    shorten(program, &options).unwrap_or_else(|reasons| panic!("{reasons:?} {program:?}"))
}

/// Whether both do the same: proved, or else no difference found.
fn judge(before: &Program, after: &Program) -> bool {
    let [a, b] = [before, after].map(|program| lift(program, &lift::Options::default()).unwrap());
    let options = eqv::Options { count: 400, ..eqv::Options::default() };
    match eqv::eqv(&a, &b, &options).unwrap().verdict {
        Verdict::Proved(_) => true,
        Verdict::NoDifference => false,
        Verdict::Different(case) => panic!("{:?}\n{before:?}\n{after:?}", case.difference),
    }
}

/// No more findings than before, and provenance for each slot.
fn well_made(before: &Program, made: &Shorter) {
    let findings = |program: &Program| -> BTreeSet<&str> {
        validate(program, &rules::Options::default()).iter().map(|finding| finding.id).collect()
    };
    let (old, new) = (findings(before), findings(&made.program));
    assert!(new.is_subset(&old), "{old:?} {new:?} {:?}", made.program);
    assert_eq!(made.steps.len(), made.program.slots.len());
    assert!(made.steps.iter().flatten().all(|step| (*step as usize) < before.slots.len()));
    assert!(made.bound <= made.program.slots.len());
}

#[test]
fn small_programs_have_the_slots_that_they_need() {
    let mut cases = 0;
    for case in CASES.split("\n\n").filter(|case| case.contains("slots:")) {
        let line = case.lines().find_map(|line| line.strip_prefix("; slots: ")).unwrap();
        let numbers: Vec<usize> = line.split(' ').take(2).map(|n| n.parse().unwrap()).collect();
        let before = program(&(String::from(case) + "\n"));
        for (schedule_only, slots) in [(true, numbers[0]), (false, numbers[1])] {
            let made = short(&before, schedule_only, None);
            assert_eq!(made.program.slots.len(), slots, "{schedule_only}: {case}\n{:?}", made.program.slots);
            assert_eq!(made.bound, slots, "{case}");
            assert!(judge(&before, &made.program), "{case}");
            well_made(&before, &made);
        }
        cases += 1;
    }
    assert!(cases >= 12, "{cases} cases");
}

/// A source of random programs.
struct Programs(Rng);

impl Programs {
    fn below(&mut self, n: u32) -> u32 {
        self.0.below(n as usize) as u32
    }

    /// A slot that the validator has no errors for, mostly with few registers, so that much depends on much.
    fn slot(&mut self) -> Slot {
        let mut slot = Slot::EMPTY;
        let (vector, scalar) = match self.below(6) {
            0 | 1 => (0, 1 + self.below(7)),
            2 => (1 + self.below(13), 1 + self.below(7)),
            _ => (1 + self.below(13), 0),
        };
        slot.set(Field::Mac, vector);
        slot.set(Field::Ilu, scalar);
        slot.set(Field::Const, 96 + self.below(3));
        slot.set(Field::Input, self.below(3));
        slot.set(Field::A0x, u32::from(self.below(8) == 0));
        for (mux, temporary, swizzle, negate) in [
            (Field::AMux, Field::ATempReg, Field::ASwz, Field::ANeg),
            (Field::BMux, Field::BTempReg, Field::BSwz, Field::BNeg),
            (Field::CMux, Field::CTempReg, Field::CSwz, Field::CNeg),
        ] {
            slot.set(mux, [1, 1, 1, 2, 3][self.below(5) as usize]);
            slot.set(temporary, if self.below(8) == 0 { 12 } else { self.below(4) });
            let lanes = if self.below(2) == 0 {
                Swizzle::IDENTITY
            } else {
                Swizzle::from_bits(self.below(256) as u8)
            };
            slot.set(swizzle, swizzle_to_field(lanes));
            slot.set(negate, u32::from(self.below(6) == 0));
        }
        let masks = [0, 1, 2, 8, 3, 7, 15, 15];
        let mut mask = || mask_to_field(WriteMask::from_bits(masks[1 + self.below(7) as usize]));
        let (of_vector, of_scalar, of_output) = (mask(), mask(), mask());
        let arl = vector == 13;
        let to_scalar = vector == 0 || arl || scalar != 0 && self.below(2) == 0;
        let output = !(arl && scalar == 0) && self.below(3) == 0;
        if output {
            slot.set(Field::OutOMask, of_output);
            slot.set(Field::OutMux, u32::from(to_scalar));
            let constant = self.below(12) == 0;
            slot.set(Field::OutOrb, u32::from(!constant));
            slot.set(Field::OutAddress, if constant { 97 } else { [0, 0, 3, 5, 9][self.below(5) as usize] });
        }
        if vector != 0 && !arl && !(output && !to_scalar && self.below(2) == 0) {
            slot.set(Field::OutMacMask, of_vector);
            slot.set(Field::OutTempReg, [0, 2, 3, 4][self.below(4) as usize]);
        }
        if scalar != 0 && !(output && to_scalar && self.below(2) == 0) {
            slot.set(Field::OutIluMask, of_scalar);
            if vector == 0 {
                slot.set(Field::OutTempReg, self.below(4));
            }
        }
        slot
    }

    fn program(&mut self, slots: u32) -> Program {
        let mut slots: Vec<Slot> = (0..slots).map(|_| self.slot()).collect();
        if let Some(last) = slots.last_mut() {
            last.set(Field::Final, 1);
        }
        Program::new(slots)
    }
}

/// The fewest slots, by trying every order and every pair: `done` are the operations in front.
fn fewest(list: &List, webs: &Webs, order: &Order, done: u32, known: &mut HashMap<u32, usize>) -> usize {
    let count = list.ops.len();
    if done.count_ones() as usize == count {
        return 0;
    }
    if let Some(slots) = known.get(&done) {
        return *slots;
    }
    let comes_after = |n: usize, of: u32| (0..count).all(|m| of >> m & 1 == 1 || !order.after[m].has(n));
    let open: Vec<usize> = (0..count).filter(|n| done >> n & 1 == 0).collect();
    let mut best = usize::MAX;
    for (at, a) in open.iter().enumerate() {
        if comes_after(*a, done) {
            best = best.min(1 + fewest(list, webs, order, done | 1 << a, known));
        }
        for b in &open[at + 1..] {
            let both = done | 1 << a | 1 << b;
            let together = comes_after(*a, both) && comes_after(*b, both) && !order.strict[*a].has(*b);
            if together && !pair(list, webs, *a, *b).is_empty() {
                best = best.min(1 + fewest(list, webs, order, both, known));
            }
        }
    }
    known.insert(done, best);
    best
}

/// The bound is what every order of the operations has at least, and where there are registers for it the result has as many.
#[test]
fn no_schedule_has_fewer_slots() {
    let mut numbers = Programs(Rng::new(7));
    let (mut tried, mut reached) = (0, 0);
    while tried < 1500 {
        let slots = 3 + numbers.below(5);
        let before = numbers.program(slots);
        let Ok(mut list) = List::of(&before, Some(Ends::Nothing), vecasm_isa::nv2a::table::SLOTS) else {
            continue;
        };
        list.narrow();
        let webs = Webs::of(&list);
        let order = Order::of(&list, &webs);
        let all = fewest(&list, &webs, &order, 0, &mut HashMap::new());
        let made = short(&before, true, None);
        assert!(made.program.slots.len() >= all, "{before:?}\n{:?}", made.program);
        assert!(made.bound <= all, "no schedule has {} slots, the best has {all}: {before:?}", made.bound);
        tried += 1;
        reached += usize::from(made.program.slots.len() == all && made.bound == all);
    }
    assert!(reached * 100 >= tried * 97, "{reached} of {tried} have as few slots as can be");
}

/// Random programs keep what they compute, to the bit.
#[test]
fn results_stay() {
    let mut numbers = Programs(Rng::new(11));
    let (mut proved, mut made_shorter, mut tried) = (0, 0, 0);
    for round in 0..250_u32 {
        let slots = 2 + numbers.below(if round % 16 == 0 { 30 } else { 7 });
        let before = numbers.program(slots);
        if List::of(&before, None, vecasm_isa::nv2a::table::SLOTS).is_err() {
            continue;
        }
        for (schedule_only, ends) in [
            (true, None),
            (false, None),
            (false, Some(Ends::Alive)),
            (true, Some(Ends::Same)),
            (false, Some(Ends::Same)),
        ] {
            let Ok(made) =
                shorten(&before, &Options { schedule_only, ends, budget: 300, ..Options::default() })
            else {
                continue;
            };
            tried += 1;
            proved += usize::from(judge(&before, &made.program));
            made_shorter += usize::from(made.program.slots.len() < before.slots.len());
            well_made(&before, &made);
            if ends == Some(Ends::Same) {
                let [a, b] = [&before, &made.program].map(|program| shown(program, &written(&before)));
                judge(&a, &b);
            }
        }
    }
    assert!(tried >= 800, "{tried} are tried");
    assert!(proved * 100 >= tried * 70, "{proved} of {tried} are proved");
    assert!(made_shorter * 100 >= tried * 50, "{made_shorter} of {tried} are shorter");
}

/// A product of a product is not the product beside it, whose factors look like its own.
#[test]
fn what_is_computed_of_another_one_stays_behind_it() {
    let text = "dp4 r2.x, v0, c[1]\nmul r2.y, r2.x, r2.x\nmul r2.x, r2.y, r2.x\nmul oD1.xyz, r2.x, c[15].xyz\nmov oPos, v0\n";
    let (before, findings) = parse(text, &Default::default());
    let before = before.unwrap_or_else(|| panic!("{findings:?}"));
    let made = shorten(&before, &Options::default()).expect("it is made shorter");
    judge(&before, &made.program);
}

/// A program that shows what lanes of its temporaries hold at the end: in constants.
fn shown(program: &Program, lanes: &[WriteMask; 12]) -> Program {
    let mut slots = program.slots.clone();
    slots.iter_mut().for_each(|slot| slot.set(Field::Final, 0));
    let mut list: Vec<Slot> = Vec::new();
    for (n, mask) in lanes.iter().enumerate().filter(|(_, mask)| **mask != WriteMask::NONE) {
        let mut slot = program_of_move(n as u32);
        slot.set(Field::OutOMask, mask_to_field(*mask));
        list.push(slot);
    }
    slots.extend(list);
    if let Some(last) = slots.last_mut() {
        last.set(Field::Final, 1);
    }
    Program::new(slots)
}

/// The lanes that a program writes to each temporary.
fn written(program: &Program) -> [WriteMask; 12] {
    let mut out = [WriteMask::NONE; 12];
    for (operation, _) in
        program.slots.iter().flat_map(|slot| parts(slot).iter().copied().collect::<Vec<_>>())
    {
        if let Target::Temporary(n) = operation.dest.target {
            let lanes = &mut out[usize::from(n)];
            *lanes = lanes.union(operation.dest.mask);
        }
    }
    out
}

fn program_of_move(n: u32) -> Slot {
    program(&std::format!("mov c[{}], r{n}\n", 150 + n)).slots[0]
}

/// No words make it panic, or go on for ever.
#[test]
fn any_words_are_taken_or_refused() {
    let mut numbers = Programs(Rng::new(5));
    let mut taken = 0;
    for round in 0..1500_u32 {
        let mut slots: Vec<Slot> = (0..1 + numbers.below(10)).map(|_| numbers.slot()).collect();
        for slot in &mut slots {
            for word in &mut slot.0 {
                if numbers.below(3) == 0 {
                    *word ^= 1 << numbers.below(32);
                }
            }
            if round % 4 == 0 {
                slot.0 = [0, 0, 0, 0].map(|_: u32| numbers.below(1 << 16) << 16 | numbers.below(1 << 16));
            }
        }
        let before = Program::new(slots);
        let Ok(made) = shorten(&before, &Options { budget: 100, ..Options::default() }) else { continue };
        judge(&before, &made.program);
        taken += 1;
    }
    assert!(taken >= 100, "{taken} are taken");
}

/// As many operations as there can be, all of which could be paired: it ends, and soon.
#[test]
fn the_largest_programs_are_done_soon() {
    let mut numbers = Programs(Rng::new(3));
    let before = numbers.program(136);
    // There need not be registers for what is found; then it is refused.
    if let Ok(made) = shorten(&before, &Options { schedule_only: true, ..Options::default() }) {
        assert!(made.program.slots.len() <= 136 && made.nodes < 20_000, "{} nodes", made.nodes);
    }
}
