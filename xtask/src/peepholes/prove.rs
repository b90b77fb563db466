//! Proofs that two expressions are the same, to the bit.
//!
//! * *order*: neither computes anything but choices between its operands (signs and limits are such) by comparisons, and arithmetic with
//!   what can only be one of a few numbers. Then what it gives depends on nothing but the order of both operands, their magnitudes and
//!   those numbers. All the orders there are, with NaN of several kinds, are tried.
//! * *expression*: `eqv` shows that both are one expression by rules that keep every bit.

use super::tree::Tree;
use std::collections::BTreeSet;
use vecasm::code::peepholes::Kind;
use vecasm::compare::eqv::{Options, Tolerance, Verdict, eqv};
use vecasm::ir::{Pure, Rule};

/// How it is known that two expressions are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    Order,
    Expression,
}

/// Whether what an expression gives is one of a few numbers; nothing if it depends on more than orders.
fn is_number(tree: &Tree) -> Option<bool> {
    let Some((kind, op, args)) = tree.top() else { return Some(matches!(tree, Tree::Number(_))) };
    let numbers: Vec<bool> = args.iter().map(is_number).collect::<Option<_>>()?;
    let all = numbers.iter().all(|is| *is);
    match (kind, op) {
        (Kind::Set, _) | (Kind::Op, Pure::Sign) => Some(true),
        (Kind::Choose, _) => Some(numbers[2] && numbers[3]),
        (Kind::Op, Pure::Min | Pure::Max | Pure::Neg | Pure::Abs | Pure::Saturate) => Some(all),
        (Kind::Op, _) => all.then_some(true),
    }
}

/// Magnitudes of NaN, among which no arithmetic has an order but nv20.
const NANS: [u32; 4] = [0x7f80_0001, 0x7fc0_0000, 0x7fc1_2345, 0x7fff_fffe];
const INFINITY: u32 = 0x7f80_0000;

/// Numbers in each order to those of a set: these, three between two neighbours, infinity and NaN, of both signs.
fn representatives(magnitudes: &BTreeSet<u32>) -> Vec<u32> {
    let mut all: BTreeSet<u32> = magnitudes.iter().copied().chain([0, INFINITY]).chain(NANS).collect();
    let ordered: Vec<u32> = all.iter().copied().collect();
    for pair in ordered.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let third = ((to - from) / 4).max(1);
        all.extend((1..=3).map(|n| from + n * third).filter(|bits| *bits < to));
    }
    all.iter().flat_map(|bits| [*bits, *bits | 1 << 31]).collect()
}

/// Whether they are the same in every order of their operands; nothing if that is not all they depend on.
fn same_in_order(trees: [&Tree; 2], rule: Rule) -> Option<bool> {
    trees.iter().map(|tree| is_number(tree)).collect::<Option<Vec<bool>>>()?;
    // The limits of a saturation, and whatever numbers operations can give.
    let mut magnitudes = BTreeSet::from([1f32.to_bits()]);
    for _ in 0..6 {
        let before = magnitudes.len();
        let all = representatives(&magnitudes);
        for tree in trees {
            tree.for_each(&mut |part| {
                if is_number(part) == Some(true) {
                    for &x in &all {
                        magnitudes.extend(all.iter().map(|&y| part.eval(rule, x, y) & !(1 << 31)));
                    }
                }
            });
        }
        if magnitudes.len() == before {
            let same = |x: u32, y: u32| trees[0].eval(rule, x, y) == trees[1].eval(rule, x, y);
            return Some(all.iter().all(|&x| all.iter().all(|&y| same(x, y))));
        }
    }
    None
}

/// How it is known that two expressions are the same by an arithmetic; nothing if it is not known.
pub(crate) fn proof(a: &Tree, b: &Tree, rule: Rule) -> Option<Proof> {
    if !a.is_in(rule) || !b.is_in(rule) {
        return None;
    }
    match same_in_order([a, b], rule) {
        Some(true) => return Some(Proof::Order),
        Some(false) => return None,
        None => {}
    }
    let exact = Tolerance { nan_bits: true, ..Tolerance::default() };
    let options = Options { count: 64, tolerance: exact, ..Options::default() };
    let report = eqv(&a.shader(rule, false), &b.shader(rule, false), &options).ok()?;
    matches!(report.verdict, Verdict::Proved(_)).then_some(Proof::Expression)
}
