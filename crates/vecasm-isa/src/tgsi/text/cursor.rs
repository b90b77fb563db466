//! The reader as a place in the text: blanks and comments, words, numbers.

use super::parse::{Reader, Stop};
use crate::findings::meant;
use core::fmt;
use vecasm_ir::diag::Span;

/// Whether a byte belongs to a word.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The words behind the point of statements that are none of the language.
const DIRECTIVES: [&str; 5] = ["dialect", "head", "tail", "words", "bits"];

impl<'a> Reader<'a> {
    /// The next byte; 0 at the end, which no text that can be read holds.
    #[inline(always)]
    pub(super) fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// The byte `n` behind the next one; 0 behind the end.
    #[inline(always)]
    pub(super) fn peek_at(&self, n: usize) -> u8 {
        self.text.as_bytes().get(self.at + n).copied().unwrap_or(0)
    }

    /// Whether nothing is left.
    pub(super) fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Skips blanks, and comments where they are read.
    #[inline(always)]
    pub(super) fn skip(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\n' | b'\t' => self.at += 1,
                b'\r' | b'#' | b'/' | b';' if self.tolerant => {
                    if !self.skip_more() {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    /// Skips a carriage return or a comment; `false` if there is none.
    #[cold]
    fn skip_more(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or("");
        if rest.starts_with('\r') {
            self.at += 1;
        } else if rest.starts_with(['#', ';']) || rest.starts_with("//") {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            // A comment without an end is one to the end.
            self.at += rest.get(2..).and_then(|inside| inside.find("*/")).map_or(rest.len(), |end| end + 4);
        } else {
            return false;
        }
        true
    }

    /// Takes a byte if it is the next one.
    #[inline(always)]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.at += usize::from(found);
        found
    }

    /// Takes a byte behind blanks; they are taken only with it.
    #[inline(always)]
    pub(super) fn eat_behind(&mut self, byte: u8) -> bool {
        if self.eat(byte) {
            return true;
        }
        let start = self.at;
        self.skip();
        let found = self.eat(byte);
        if !found {
            self.at = start;
        }
        found
    }

    /// Takes a point behind blanks that is not that of a directive.
    #[inline(always)]
    pub(super) fn eat_point(&mut self) -> bool {
        if self.eat(b'.') {
            return true;
        }
        let start = self.at;
        let found = self.eat_behind(b'.');
        if found && !self.strict && DIRECTIVES.contains(&self.next_word()) {
            self.at = start;
            return false;
        }
        found
    }

    /// Takes letters, digits and underscores; empty if there is none.
    #[inline(always)]
    pub(super) fn word(&mut self) -> &'a str {
        let start = self.at;
        while is_word(self.peek()) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or("")
    }

    /// What [`word`](Self::word) would take.
    pub(super) fn next_word(&mut self) -> &'a str {
        let start = self.at;
        let word = self.word();
        self.at = start;
        word
    }

    /// Takes decimal digits as a number that wraps at 2³², as Mesa's does.
    #[inline(always)]
    pub(super) fn uint(&mut self) -> Option<u32> {
        let start = self.at;
        let mut value = 0u64;
        while let digit @ b'0'..=b'9' = self.peek() {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        if self.at == start {
            return None;
        }
        if self.at - start > 9 {
            self.wrapped(start);
        }
        Some(value as u32)
    }

    /// Takes a number with a sign that wraps.
    pub(super) fn int(&mut self) -> Option<i32> {
        let start = self.at;
        let negative = self.peek() == b'-';
        if negative || self.peek() == b'+' {
            self.at += 1;
        }
        match self.uint() {
            Some(value) if negative => Some(value.wrapping_neg() as i32),
            Some(value) => Some(value as i32),
            None => {
                self.at = start;
                None
            }
        }
    }

    /// Warns of digits that are more than 32 bits.
    #[cold]
    fn wrapped(&mut self, start: usize) {
        let digits = self.text.get(start..self.at).unwrap_or("");
        if digits.parse::<u32>().is_err() {
            let span = self.since(start);
            self.warn(
                super::id::TRUNCATED,
                span,
                "the number has more than 32 bits; the higher ones are dropped",
            );
        }
    }

    /// The place from `start` to here.
    pub(super) fn since(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// The place of the next word or character.
    pub(super) fn here(&self) -> Span {
        let rest = self.text.get(self.at..).unwrap_or("");
        let word = rest.bytes().position(|b| !is_word(b)).unwrap_or(rest.len());
        let len = if word > 0 { word } else { rest.chars().next().map_or(0, char::len_utf8) };
        Span::new(self.at, self.at + len)
    }

    /// An error at the next word.
    #[cold]
    pub(super) fn stop(&mut self, id: &'static str, message: impl fmt::Display) -> Stop {
        let span = self.here();
        self.stop_at(id, span, message)
    }

    /// An error.
    #[cold]
    pub(super) fn stop_at(&mut self, id: &'static str, span: Span, message: impl fmt::Display) -> Stop {
        self.findings.error(id, span, message);
        Stop
    }

    /// An error at `span` with the one of `names` that the word there was probably meant to be.
    #[cold]
    pub(super) fn stop_meant(
        &mut self,
        id: &'static str,
        span: Span,
        message: impl fmt::Display,
        names: impl Iterator<Item = &'static str> + Clone,
    ) -> Stop {
        let word = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        let help = || meant(word, names);
        self.findings.error_asking(id, span, message, help);
        Stop
    }

    /// An error at the next word, or at `start` if that is on another line than `start`: where Mesa sees it.
    #[cold]
    pub(super) fn stop_near(&mut self, start: usize, id: &'static str, message: impl fmt::Display) -> Stop {
        let span = self.near(start);
        self.stop_at(id, span, message)
    }

    /// The place of the next word, or `start` if that is on another line.
    pub(super) fn near(&self, start: usize) -> Span {
        let between = self.text.get(start..self.at).unwrap_or("");
        if between.contains('\n') { Span::new(start, start + 1) } else { self.here() }
    }

    /// A warning.
    #[cold]
    pub(super) fn warn(&mut self, id: &'static str, span: Span, message: impl fmt::Display) {
        self.findings.warning(id, span, message);
    }

    /// Takes `byte` behind blanks, else the error that it was expected.
    #[inline(always)]
    pub(super) fn expect(&mut self, byte: u8) -> Result<(), Stop> {
        self.skip();
        if self.eat(byte) { Ok(()) } else { Err(self.expected(byte)) }
    }

    #[cold]
    fn expected(&mut self, byte: u8) -> Stop {
        self.stop(super::id::EXPECTED, format_args!("Expected `{}'", char::from(byte)))
    }
}
