//! Whose text it is, where nobody says: the dialect that has all its words.

use super::parse::{Dialects, Foreign, Names, Reader};
use super::{ParseOptions, id};
use crate::findings::Quoted;
use crate::tgsi::dialect::Dialect;
use crate::tgsi::program::Program;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use vecasm_ir::diag::{Diagnostic, Place, Severity, Span, line_column};

/// The dialects in the order in which they are tried: the newest of Mesa first.
fn order() -> impl Iterator<Item = Dialect> {
    let mesa = Dialect::ALL.iter().rev().copied().filter(|d| *d != Dialect::Virgl);
    mesa.chain([Dialect::Virgl])
}

/// Whether a dialect is in a set.
const fn has(set: Dialects, dialect: Dialect) -> bool {
    set & 1 << (dialect as u8) != 0
}

/// Reads a text in the dialect that is asked for, else in the usual one; if that lacks words, in the one that has them. If
/// no dialect has them all, the one that lacks the fewest counts, and a warning says so.
pub(super) fn read(text: &str, options: &ParseOptions) -> (Option<Program>, Vec<Diagnostic>) {
    let home = options.dialect.unwrap_or_default();
    let mut first = Reader::new(text, options, home);
    first.read();
    let possible = first.possible;
    if first.said || first.strict || has(possible, first.home) {
        return first.into_parts();
    }
    let words = core::mem::take(&mut first.foreign);
    let mut words: Words<'_> = words.into_iter().map(|word| (word.at, word)).collect();
    let (program, mut findings) = first.into_parts();
    let Some(program) = program else { return (None, findings) };
    let attempt = |dialect: Dialect| {
        let mut reader = Reader::new(text, options, dialect);
        reader.said = true;
        reader.read();
        let lacking = core::mem::take(&mut reader.foreign);
        // What cannot be read as that is what it was read as first.
        Some((reader.into_parts().0?, lacking))
    };
    let lacking = words.values().filter(|word| !has(word.set, home)).count();
    let mut best = (lacking, program);
    for dialect in order().filter(|d| has(possible, *d)) {
        match attempt(dialect) {
            Some((program, lacking)) if lacking.is_empty() => return (Some(program), findings),
            Some((program, lacking)) => keep(&mut best, &mut words, program, lacking),
            None => {}
        }
    }
    for dialect in order().filter(|d| *d != home && !has(possible, *d)) {
        if let Some((program, lacking)) = attempt(dialect) {
            keep(&mut best, &mut words, program, lacking);
        }
    }
    let (_, program) = best;
    findings.extend(mixed(text, words, program.dialect));
    (Some(program), findings)
}

/// Words that not every dialect has, by where they are.
type Words<'a> = BTreeMap<usize, Foreign<'a>>;

/// Keeps what was read if fewer words are not of its dialect, and those words.
fn keep<'a>(best: &mut (usize, Program), words: &mut Words<'a>, program: Program, lacking: Vec<Foreign<'a>>) {
    if lacking.len() < best.0 {
        *best = (lacking.len(), program);
    }
    for word in lacking {
        words.entry(word.at).or_insert(word);
    }
}

/// What to say of words that no dialect has together: as few as show it, in the order of the text.
fn mixed(text: &str, words: Words<'_>, dialect: Dialect) -> Option<Diagnostic> {
    let mut left = Dialects::MAX;
    let mut shown: Vec<Foreign<'_>> = Vec::new();
    let all = Dialect::ALL.iter().fold(0, |set, d| set | 1 << (*d as u8));
    for word in words.into_values() {
        if left & word.set & all != left & all {
            left &= word.set;
            shown.push(word);
        }
        if left & all == 0 {
            break;
        }
    }
    if left & all != 0 {
        return None;
    }
    // Without which the others still have nothing in common.
    let mut n = 0;
    while n < shown.len() {
        let others = shown.iter().enumerate().filter(|(m, _)| *m != n);
        if others.fold(all, |set, (_, word)| set & word.set) == 0 {
            shown.remove(n);
        } else {
            n += 1;
        }
    }
    let last = shown.last()?;
    let mut message = String::from("no dialect has ");
    message.push_str(if shown.len() == 2 { "both " } else { "all of " });
    for (n, word) in shown.iter().enumerate() {
        message.push_str(match n {
            0 => "",
            _ if n + 1 == shown.len() => " and ",
            _ => ", ",
        });
        let (line, _) = line_column(text, word.at as u32);
        let _ = write!(message, "{} (line {line}: {})", Quoted(word.word), Names(word.set));
    }
    let _ = write!(message, "; the text is read as {}", dialect.name());
    let span = Span::new(last.at, last.at + last.word.len());
    Some(Diagnostic::new(Severity::Warning, id::MIXED, message).at(Place::Text(span)))
}
