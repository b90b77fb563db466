//! What xemu writes: GLSL made of macros, with the words of each slot in a comment.
//!
//! ```text
//!   /* Slot 3: 0x00000000 0x00EC601B 0x0836186C 0x20701800 */
//!   DP4(oPos,w, v0, c[99]);
//! ```
//!
//! The words count where they are there; else the calls of macros do, those of a slot together behind its comment, or one
//! a slot if there are no comments. Everything else is GLSL that has nothing to do with the program, and is passed over.
//! A file may have several programs: each begins where the numbers of slots begin again.

use super::errors::{Quoted, id};
use super::parse::Output;
use super::sniff::{MAX_LINES, is_destination};
use super::vsh::{EMPTY, Outcome, Reader, Reported, mnemonic};
use crate::diag::Span;
use crate::isa::nv2a::pair::{Mode, Operand, Operation, Operator, combine};
use crate::isa::nv2a::program::Slot;
use crate::isa::operand::WriteMask;
use alloc::format;

/// Most operations of a slot.
const MAX: usize = 3;

/// Whether a text has comments of slots, or calls of xemu's macros.
pub(super) fn looks_like(text: &str) -> bool {
    text.split(['\n', '\r']).take(MAX_LINES).any(|line| {
        let line = line.trim_start();
        let comment = line.strip_prefix("/*").or_else(|| line.strip_prefix("//"));
        if let Some(comment) = comment {
            return slot_number(comment).is_some();
        }
        line.split_once('(').is_some_and(|(name, inside)| {
            let (dest, rest) = inside.split_once(',').unwrap_or(("", ""));
            is_macro(name.trim_end()).is_some()
                && is_destination(dest.trim())
                && rest.contains(')')
                && !rest.contains('=')
        })
    })
}

/// The number of a slot that a comment begins with (`Slot 3:`), and what stands behind it.
fn slot_number(comment: &str) -> Option<(u32, &str)> {
    let rest = comment.trim_start();
    let word = rest.get(..4)?;
    let rest = rest.get(4..).filter(|_| word.eq_ignore_ascii_case("slot"))?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, behind) = rest.split_at_checked(end)?;
    Some((digits.parse().ok()?, behind.trim_start().strip_prefix(':').unwrap_or(behind)))
}

/// The operation of a macro. GLSL has functions of the same names in small letters.
fn is_macro(name: &str) -> Option<Operator> {
    let large = name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    mnemonic(name).filter(|(_, negated)| large && !negated).map(|(operator, _)| operator)
}

/// The slot that is being read.
struct Group {
    operations: [Operation; MAX],
    count: usize,
    span: Span,
    /// Whether its words were there: the calls say the same again.
    words: bool,
    /// Whether something in it could not be read.
    broken: bool,
}

const NO_GROUP: Group = Group {
    operations: [EMPTY; MAX],
    count: 0,
    span: Span { start: 0, end: 0 },
    words: false,
    broken: false,
};

impl<'a> Reader<'a> {
    /// Reads a whole text of this language.
    pub(super) fn read_xemu(&mut self, out: &mut Output) {
        let mut group = NO_GROUP;
        // The number of the last slot, once there was a comment.
        let mut last: Option<u32> = None;
        let mut line_start = true;
        while let Some(b) = self.peek() {
            let fresh = line_start;
            line_start = matches!(b, b'\n' | b'\r') || (line_start && matches!(b, b' ' | b'\t'));
            match b {
                b'#' if fresh => {
                    self.skip_directive();
                    line_start = true;
                }
                b'/' if matches!(self.bytes.get(self.at + 1), Some(b'/' | b'*')) => {
                    let start = self.at;
                    let comment = self.comment();
                    let Some((number, words)) = slot_number(comment) else { continue };
                    self.flush(&mut group, out);
                    if last.is_some_and(|last| number <= last) {
                        out.next_program(start);
                    }
                    last = Some(number);
                    group = Group { span: Span::new(start, self.at), ..NO_GROUP };
                    self.slot_words(words, &mut group, out);
                }
                _ if b.is_ascii_alphabetic() || b == b'_' => {
                    let start = self.at;
                    let name = self.word();
                    let operator = is_macro(name).filter(|_| self.peek() == Some(b'('));
                    let Some(operator) = operator else { continue };
                    if group.words {
                        continue;
                    }
                    if group.count == 0 && last.is_none() {
                        group.span = Span::new(start, self.at);
                    }
                    match self.call(name, operator) {
                        Ok(operation) => match group.operations.get_mut(group.count) {
                            Some(place) => {
                                *place = operation;
                                group.count += 1;
                                group.span.end = Span::new(start, self.at).end;
                            }
                            None => {
                                group.broken = true;
                                let span = Span::new(start, self.at);
                                let what = "a slot has room for three operations at most";
                                self.findings.error(id::SYNTAX, span, what);
                            }
                        },
                        Err(Reported) => {
                            group.broken = true;
                            self.skip_to_line_end();
                        }
                    }
                    if last.is_none() {
                        self.flush(&mut group, out);
                        group = NO_GROUP;
                    }
                }
                _ if b.is_ascii_digit() => {
                    self.word();
                }
                _ => self.at += 1,
            }
        }
        self.flush(&mut group, out);
    }

    /// A line of the preprocessor, with those that a backslash makes part of it.
    fn skip_directive(&mut self) {
        loop {
            let start = self.at;
            self.skip_to_line_end();
            let line = self.text.get(start..self.at).unwrap_or("");
            if !line.ends_with('\\') {
                break;
            }
            self.at += usize::from(self.bytes.get(self.at..self.at + 2) == Some(b"\r\n"));
            self.at = (self.at + 1).min(self.bytes.len());
        }
    }

    /// Reads a comment; what stands in it.
    fn comment(&mut self) -> &'a str {
        let start = self.at;
        if self.bytes.get(start + 1) == Some(&b'/') {
            self.skip_to_line_end();
            return self.text.get(start + 2..self.at).unwrap_or("");
        }
        let inside = self.text.get(start + 2..).unwrap_or("");
        match inside.find("*/") {
            Some(n) => {
                self.at += n + 4;
                inside.get(..n).unwrap_or("")
            }
            None => {
                self.at = self.bytes.len();
                self.findings.error(id::COMMENT, Span::new(start, start + 2), "the comment has no end");
                ""
            }
        }
    }

    /// The words of a slot behind its number, if there are some.
    fn slot_words(&mut self, words: &str, group: &mut Group, out: &mut Output) {
        let mut slot = Slot::default();
        let mut count = 0;
        for word in words.split([' ', '\t', ',', '\n', '\r']).filter(|word| !word.is_empty()) {
            let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
            let value = digits.filter(|d| d.len() <= 8).and_then(|d| u32::from_str_radix(d, 16).ok());
            match (value, slot.0.get_mut(count)) {
                (Some(value), Some(to)) => *to = value,
                // A remark.
                (None, _) if count == 0 => return,
                _ => {
                    count = 0;
                    break;
                }
            }
            count += 1;
        }
        match count {
            4 => {
                out.push(slot, group.span, true);
                group.words = true;
            }
            0 if words.trim().is_empty() => {}
            _ => {
                group.broken = true;
                self.findings.error(id::SYNTAX, group.span, "a slot has four words: 0x00000000 0x0020001B …");
            }
        }
    }

    /// Puts the calls of a slot into it.
    fn flush(&mut self, group: &mut Group, out: &mut Output) {
        if group.words || group.broken || (group.count == 0 && group.span == NO_GROUP.span) {
            return;
        }
        let operations = group.operations.get(..group.count).unwrap_or(&[]);
        if operations.is_empty() {
            out.push(Slot::EMPTY, group.span, false);
            return;
        }
        match combine(operations, &[], Mode::Strict) {
            Ok(paired) => {
                if let Some(register) = paired.renamed {
                    let message = format!("the hardware writes r1 here, not r{register}");
                    self.findings.warning(id::ILU_RENAMED, group.span, message);
                }
                out.push(paired.slot, group.span, false);
                out.say(paired.said);
            }
            Err(conflict) => self.conflict(conflict, operations, group.span),
        }
    }

    /// The call of a macro behind its name: `(oPos,w, v0, c[99]);`.
    fn call(&mut self, name: &str, operator: Operator) -> Outcome<Operation> {
        self.at += 1;
        self.skip_space();
        let mut dest = self.dest(operator)?;
        self.skip_space();
        let behind = self.at;
        if self.eat(b',') {
            self.skip_space();
            let letters = self.word();
            let mut bits = 0_u8;
            let is_mask = letters.bytes().all(|b| {
                let lane = b"xyzw".iter().position(|letter| *letter == b);
                let good = lane.is_some_and(|lane| bits >> lane == 0);
                bits |= lane.map_or(0, |lane| 1 << lane);
                good
            });
            self.skip_space();
            if is_mask && bits != 0 && matches!(self.peek(), Some(b',' | b')')) {
                dest.mask = WriteMask::from_bits(bits);
            } else {
                self.at = behind;
            }
        }
        let mut sources = [Operand::NONE; 3];
        for (n, source) in sources.iter_mut().enumerate().take(operator.sources()) {
            self.skip_space();
            if !self.eat(b',') {
                let takes = operator.sources();
                return self.expected(&format!("a comma: {} takes {takes}, here are {n}; one", Quoted(name)));
            }
            let (mut negate, mut open) = (false, 0_u32);
            loop {
                self.skip_space();
                match self.peek() {
                    Some(b'(') => open += 1,
                    Some(b'-') => negate = !negate,
                    _ => break,
                }
                self.at += 1;
            }
            *source = self.operand()?;
            source.negate = negate;
            while open > 0 {
                self.skip_space();
                if !self.eat(b')') {
                    return self.expected("`)`");
                }
                open -= 1;
            }
        }
        self.skip_space();
        if !self.eat(b')') {
            return self.expected("`)`");
        }
        Ok(Operation { operator, dest, sources })
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }
}
