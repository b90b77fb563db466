//! An instruction as text taken apart: mnemonic, registers with their numbers, swizzles and masks, modifiers, numbers.
//!
//! All instruction sets write `op dst.mask, src.swizzle, …`; what is taken apart here is that shape, not a language: no
//! name means anything. Comments (`;` and `//` to the end of the line) are left out.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The name of the operation, with its suffixes: `mul`, `mad_sat`, `dcl_texcoord0`.
    Mnemonic,
    /// The letters of a register: `ft`, `oPos`, `c`.
    File,
    /// The number of a register.
    Index,
    /// The letters behind a dot: a mask or a swizzle.
    Lanes,
    /// What is behind an underscore of a register: `_bias`, `_x2`.
    Modifier,
    /// A number that belongs to no register.
    Number,
    /// Anything else: a comma, a bracket, a sign.
    Sign,
}

/// A word of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Word {
    /// What it is.
    pub kind: Kind,
    /// Its bytes in the text.
    pub range: Range<usize>,
}

impl Word {
    /// Its letters in the text that it is of.
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.range.clone()).unwrap_or("")
    }
}

/// Takes an instruction apart. Blanks are between words and in none of them.
pub fn words(text: &str) -> Vec<Word> {
    let bytes = text.as_bytes();
    let mut out: Vec<Word> = Vec::new();
    let mut at = 0;
    // Whether the next name is an operation: at the start, behind `+`, and behind a predicate in brackets.
    let mut operation = true;
    let mut inside = 0usize;
    while let Some(&c) = bytes.get(at) {
        let run = |from: usize, fits: fn(u8) -> bool| {
            from + bytes.get(from..).unwrap_or(&[]).iter().take_while(|c| fits(**c)).count()
        };
        let mut put = |kind, range: Range<usize>| out.push(Word { kind, range });
        match c {
            b';' => break,
            b'/' if bytes.get(at + 1) == Some(&b'/') => break,
            _ if c.is_ascii_whitespace() => at += 1,
            b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) && at > 0 && joins(bytes, at) => {
                let end = run(at + 1, |c| c.is_ascii_alphanumeric());
                put(Kind::Lanes, at + 1..end);
                at = end;
            }
            _ if c.is_ascii_digit() || (c == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)) => {
                let mut end = run(at, |c| c.is_ascii_alphanumeric() || c == b'.');
                // The sign of an exponent.
                let exponent = text.get(at..end).is_some_and(|t| t.ends_with(['e', 'E', 'p', 'P']));
                if exponent && matches!(bytes.get(end), Some(b'-' | b'+')) {
                    end = run(end + 1, |c| c.is_ascii_digit());
                }
                put(Kind::Number, at..end);
                at = end;
            }
            _ if c.is_ascii_alphabetic() || c == b'_' || c == b'.' || c == b'%' || c == b'#' => {
                let end = run(at + 1, |c| c.is_ascii_alphanumeric() || c == b'_');
                if operation && inside == 0 {
                    put(Kind::Mnemonic, at..end);
                    operation = false;
                } else {
                    let name = text.get(at..end).unwrap_or("");
                    let (base, rest) = name.split_once('_').map_or((name, 0), |(b, r)| (b, r.len() + 1));
                    let digits = base.len() - base.trim_end_matches(|c: char| c.is_ascii_digit()).len();
                    let letters = at + base.len() - digits;
                    put(Kind::File, at..letters);
                    if digits > 0 {
                        put(Kind::Index, letters..letters + digits);
                    }
                    if rest > 0 {
                        put(Kind::Modifier, end - rest..end);
                    }
                }
                at = end;
            }
            _ => {
                let len = text.get(at..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8);
                match c {
                    b'(' | b'[' | b'<' => inside += 1,
                    b')' | b']' | b'>' => inside = inside.saturating_sub(1),
                    // Only between instructions: an index is in brackets.
                    b'+' if inside == 0 => operation = true,
                    _ => {}
                }
                put(Kind::Sign, at..at + len);
                at += len;
            }
        }
    }
    out
}

/// Whether a dot stands right behind a name or a bracket, so that letters behind it are lanes.
fn joins(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|n| bytes.get(n));
    before.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, b']' | b')' | b'_'))
}

/// Registers of a text: file and number of each, in order, once for each place.
pub fn registers(text: &str) -> Vec<(String, String)> {
    let words = words(text);
    let mut out = Vec::new();
    for (n, word) in words.iter().enumerate() {
        if word.kind == Kind::File {
            let number =
                words.get(n + 1).filter(|w| w.kind == Kind::Index && w.range.start == word.range.end);
            let number = number.map_or("", |w| w.text(text));
            out.push((word.text(text).to_string(), number.to_string()));
        }
    }
    out
}
