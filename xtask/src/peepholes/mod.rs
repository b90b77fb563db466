//! `cargo xtask peepholes`: the table of expressions for which a target has shorter ones, found by enumeration.
//!
//! For each target all expressions of two operations are computed for the same samples, with the operands x, y, 0, 1, ½, 2 and -1 and
//! all signs and limits that the target has. Where two are the same on all of them and one is cheaper, the pair stays if the lowering
//! does not reach the cheaper one by itself, and if it is [proved](prove).

mod prove;
mod search;
mod tree;

use crate::{Args, Outcome, root};
use prove::Proof;
use std::fmt::Write as _;
use tree::Tree;
use vecasm::code::peepholes::{Entry, Kind, TARGETS, Target, bit};
use vecasm::ir::{Pure, Rule};

/// Where the table is.
const FILE: &str = "crates/vecasm-code/src/peepholes/table.rs";

const RULES: [(Rule, &str); 3] = [(Rule::Ieee, "I"), (Rule::ZeroWins, "Z"), (Rule::Nv20, "V")];

/// An entry of the table.
struct Winner {
    of: Tree,
    gives: Tree,
    proofs: [Option<Proof>; 3],
    /// Those that it makes programs of shorter.
    targets: Vec<&'static str>,
}

/// What an expression binds x and y to where it is one that an entry is about.
fn fits<'t>(form: &Tree, tree: &'t Tree, bound: &mut [Option<&'t Tree>; 2]) -> bool {
    let mut bind = |n: usize| *bound[n].get_or_insert(tree) == tree;
    match (form, tree) {
        (Tree::X, _) => bind(0),
        (Tree::Y, _) => bind(1),
        (Tree::Number(a), Tree::Number(b)) => a == b,
        (Tree::Node(kind, op, of), Tree::Node(is_kind, is, args)) => {
            if (kind, op) != (is_kind, is) {
                return false;
            }
            let before = *bound;
            if of.iter().zip(args).all(|(of, arg)| fits(of, arg, bound)) {
                return true;
            }
            *bound = before;
            let op = Pure::ALL[usize::from(*op)];
            let commutes =
                matches!((kind, op), (Kind::Op, Pure::Add | Pure::Mul) | (Kind::Set, Pure::Eq | Pure::Ne));
            commutes && of.iter().zip(args.iter().rev()).all(|(of, arg)| fits(of, arg, bound))
        }
        _ => false,
    }
}

/// Whether a program of a target gets shorter by one expression in the place of another one.
fn gains(target: &Target, of: &Tree, gives: &Tree) -> bool {
    [true, false].into_iter().any(|sums| {
        let [of, gives] = [of, gives].map(|tree| target.slots(&tree.shader(target.rule(), sums), &[]));
        matches!((of, gives), (Some(of), Some(gives)) if gives < of)
    })
}

/// Whether programs may hold it. What names two numbers, or is one, is of interest where it makes a limit; truths are computed with, but
/// not compared or limited again; and what takes its place has fewer parts.
fn is_likely(of: &Tree, gives: &Tree) -> bool {
    let limits = matches!(gives.top(), Some((Kind::Op, Pure::Saturate, _)));
    let mut plain = true;
    of.for_each(&mut |part| {
        let has_truth = |of: &Tree| matches!(of, Tree::Node(Kind::Set, ..));
        plain &= match part.top() {
            Some((Kind::Op, Pure::Add | Pure::Sub | Pure::Mul, _)) | None => true,
            Some((_, _, args)) => !args.iter().any(has_truth),
        };
    });
    let known =
        limits || of.numbers() <= 1 && gives.numbers() <= of.numbers() && !matches!(gives, Tree::Number(_));
    plain && known && of.size() <= MOST && gives.size() < of.size()
}

/// Operations and operands of an entry, at most.
const MOST: usize = 5;

/// The table, and what is said of the search.
fn table() -> (Vec<Winner>, Vec<String>) {
    let mut winners: Vec<Winner> = Vec::new();
    let mut lines = Vec::new();
    for name in TARGETS {
        let Some(target) = Target::named(name) else { continue };
        let mut found = search::Search::run(&target);
        found.pairs.sort_by_key(|(of, gives)| (of.size(), of.numbers(), gives.size(), of.clone()));
        let all = found.pairs.len();
        found.pairs.retain(|(of, gives)| is_likely(of, gives));
        let unlikely = all - found.pairs.len();
        let (mut reached, mut unproved, mut own) = (0, 0, 0);
        for (of, gives) in &found.pairs {
            let is_of = |form: &Tree, by: &Winner| {
                let rule = RULES.iter().position(|(rule, _)| *rule == target.rule());
                rule.is_some_and(|rule| by.proofs[rule].is_some()) && fits(form, of, &mut [None; 2])
            };
            if let Some(known) = winners.iter_mut().find(|known| is_of(&known.of, known)) {
                if known.of == *of && gains(&target, of, gives) {
                    known.targets.extend((!known.targets.contains(name)).then_some(*name));
                    own += 1;
                } else {
                    reached += 1;
                }
                continue;
            }
            if !gains(&target, of, gives) {
                reached += 1;
                continue;
            }
            let proofs = RULES.map(|(rule, _)| prove::proof(of, gives, rule));
            let here = RULES.iter().position(|(rule, _)| *rule == target.rule());
            if here.is_none_or(|here| proofs[here].is_none()) {
                unproved += 1;
                continue;
            }
            own += 1;
            winners.push(Winner { of: of.clone(), gives: gives.clone(), proofs, targets: vec![name] });
        }
        lines.push(format!(
            "{name}: {} expressions, {} that differ; {all} have something cheaper: {unlikely} are unlikely, {own} are entries, {reached} are reached without or by \
             another entry, {unproved} are not proved and left out",
            found.trees,
            found.classes,
        ));
    }
    (winners, lines)
}

fn rules_of(proofs: [Option<Proof>; 3]) -> String {
    let names = RULES.iter().zip(proofs).filter(|(_, proof)| proof.is_some()).map(|((_, name), _)| *name);
    names.collect::<Vec<_>>().join(" | ")
}

/// The file of the table.
fn text(winners: &[Winner], lines: &[String]) -> String {
    let mut ops: Vec<String> = Vec::new();
    for winner in winners {
        for tree in [&winner.of, &winner.gives] {
            tree.for_each(&mut |part| {
                if let Some((_, op, _)) = part.top() {
                    ops.push(format!("{op:?}"));
                }
            });
        }
    }
    ops.sort();
    ops.dedup();
    let mut out = String::from(
        "//! The peepholes that enumeration finds.\n//!\n//! Written by `cargo xtask peepholes`, and checked by `cargo xtask peepholes --check`. \
         Do not edit it.\n//!\n",
    );
    for line in lines {
        let _ = writeln!(out, "//! * {line}");
    }
    out.push_str(
        "//!\n//! Behind each entry stand how it is proved, the targets that it makes programs of shorter, and what it says.\n\n\
         #![cfg_attr(rustfmt, rustfmt_skip)]\n\n",
    );
    let kinds = |text: &str, name: &str| text.contains(&format!("{name}("));
    let body: String = winners.iter().fold(String::new(), |mut body, winner| {
        let how = if winner.proofs.contains(&Some(Proof::Expression)) { "expression" } else { "order" };
        let _ = writeln!(
            body,
            "    entry({}, {}, {}), // {how}; {}: {} = {}",
            winner.of.source(),
            winner.gives.source(),
            rules_of(winner.proofs),
            winner.targets.join(" "),
            winner.of,
            winner.gives,
        );
        body
    });
    let forms: Vec<&str> = ["Choose", "Op", "Set"].into_iter().filter(|name| kinds(&body, name)).collect();
    let _ = writeln!(out, "use super::Form::{{{}, X, Y}};", forms.join(", "));
    out.push_str("use super::{Entry, bit, entry, number as N};\nuse vecasm_ir::ir::Rule;\n");
    let _ = writeln!(out, "use vecasm_ir::ir::Pure::{{{}}};\n", ops.join(", "));
    out.push_str(
        "const I: u8 = bit(Rule::Ieee);\nconst Z: u8 = bit(Rule::ZeroWins);\nconst V: u8 = bit(Rule::Nv20);\n\n\
         /// Every entry.\npub const TABLE: &[Entry] = &[\n",
    );
    out.push_str(&body);
    out.push_str("];\n");
    out
}

pub(crate) fn main(args: &[String]) -> Outcome {
    let args = match Args::parse(args, &[], &["check"]) {
        Ok(args) => args,
        Err(why) => return Outcome::Usage(why),
    };
    let (winners, lines) = table();
    lines.iter().for_each(|line| println!("  {line}"));
    let text = text(&winners, &lines);
    let path = root().join(FILE);
    let same = std::fs::read_to_string(&path).is_ok_and(|old| old == text);
    if args.flag("check") {
        println!("  {}  {FILE}, {} entries", if same { "    ok" } else { "FAILED" }, winners.len());
        if !same {
            println!("run `cargo xtask peepholes` and commit the result");
        }
        return Outcome::of(same);
    }
    if let Err(why) = std::fs::write(&path, text) {
        return Outcome::Usage(format!("{FILE}: {why}"));
    }
    println!("  written  {FILE}, {} entries", winners.len());
    Outcome::Fine
}

/// The first entry that is not proved by every arithmetic that it names, or has an operand that it does not look for.
#[cfg_attr(not(test), allow(dead_code, reason = "tests ask"))]
fn first_unproved(table: &[Entry]) -> Option<String> {
    table.iter().find_map(|entry| {
        let (of, gives) = (Tree::of(entry.of), Tree::of(entry.gives));
        let named = [Tree::X, Tree::Y].iter().all(|leaf| !gives.has(leaf) || of.has(leaf));
        let proved = RULES
            .iter()
            .filter(|(rule, _)| entry.rules & bit(*rule) != 0)
            .all(|(rule, _)| prove::proof(&of, &gives, *rule).is_some());
        (!named || !proved || entry.rules == 0).then(|| format!("{of} = {gives}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use vecasm::code::peepholes::TABLE;

    #[test]
    fn every_entry_is_proved() {
        assert_eq!(first_unproved(TABLE), None);
    }

    #[test]
    fn wrong_entries_are_found() {
        let (x, y) = (Tree::X, Tree::Y);
        let op = |op: Pure, args: &[&Tree]| {
            Tree::node(Kind::Op, op, args.iter().map(|of| (*of).clone()).collect())
        };
        let set = |op: Pure, args: &[&Tree]| {
            Tree::node(Kind::Set, op, args.iter().map(|of| (*of).clone()).collect())
        };
        let [zero, one] = [0.0f32, 1.0].map(|of| Tree::Number(of.to_bits()));
        let all = [Rule::Ieee, Rule::ZeroWins, Rule::Nv20].map(bit);
        let wrong = [
            // Of -0 the limits are -0, in this order.
            (op(Pure::Min, &[&op(Pure::Max, &[&x, &zero]), &one]), op(Pure::Saturate, &[&x]), all[0]),
            // A NaN is neither below nor above; where there is an order of all bits, it is.
            (op(Pure::Sub, &[&one, &set(Pure::Lt, &[&x, &y])]), set(Pure::Ge, &[&x, &y]), all[1]),
            // Of a NaN the other one is taken.
            (op(Pure::Min, &[&x, &op(Pure::Max, &[&x, &y])]), x.clone(), all[0]),
            // The sign of zero.
            (
                op(Pure::Mul, &[&op(Pure::Neg, &[&x]), &y]),
                op(Pure::Neg, &[&op(Pure::Mul, &[&x, &y])]),
                all[1],
            ),
            // An operand from nowhere.
            (op(Pure::Min, &[&x, &x]), y.clone(), all[2]),
        ];
        for (of, gives, rules) in wrong {
            let entry = Entry { of: of.form(), gives: gives.form(), rules };
            assert!(first_unproved(&[entry]).is_some(), "{of} = {gives}");
        }
        let right = Entry {
            of: op(Pure::Sub, &[&one, &set(Pure::Lt, &[&x, &y])]).form(),
            gives: set(Pure::Ge, &[&x, &y]).form(),
            rules: all[2],
        };
        assert_eq!(first_unproved(&[right]), None);
    }
}
