//! The reader as a place in the text: blanks and comments, words, numbers.

use super::parse::{Reader, Stop};
use crate::findings::meant;
use crate::text::numbers::Large;
use crate::text::{Comments, Cursor};
use core::fmt;
use vecasm_ir::diag::Span;

/// Comments, where they are read. Mesa has none: these are what people write.
pub(super) const COMMENTS: Comments = Comments { marks: &["#", ";", "//"], ..Comments::C };

/// The words behind the point of statements that are none of the language.
const DIRECTIVES: [&str; 5] = ["dialect", "head", "tail", "words", "bits"];

crate::text::cursor::stands_at!(Reader);

impl Reader<'_> {
    /// Whether nothing is left.
    pub(super) fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Skips blanks, and comments where they are read.
    #[inline(always)]
    pub(super) fn skip(&mut self) {
        loop {
            match self.byte() {
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
        self.eat(b'\r') || self.skip_comment(&COMMENTS).is_some()
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

    /// Takes decimal digits as a number that wraps at 2³², as Mesa's does.
    #[inline(always)]
    pub(super) fn uint(&mut self) -> Option<u32> {
        let start = self.at;
        let value = self.decimal(Large::Wraps)?;
        if self.at - start > 9 {
            self.wrapped(start);
        }
        Some(value)
    }

    /// Takes a number with a sign that wraps.
    pub(super) fn int(&mut self) -> Option<i32> {
        let start = self.at;
        let negative = self.byte() == b'-';
        if negative || self.byte() == b'+' {
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
        let digits = self.taken(start);
        if digits.parse::<u32>().is_err() {
            let span = self.since(start);
            self.warn(
                super::id::TRUNCATED,
                span,
                "the number has more than 32 bits; the higher ones are dropped",
            );
        }
    }

    /// An error at the next word.
    #[cold]
    pub(super) fn stop(&mut self, id: &'static str, message: impl fmt::Display) -> Stop {
        let span = self.next_place();
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
        let between = self.taken(start);
        if between.contains('\n') { Span::new(start, start + 1) } else { self.next_place() }
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
