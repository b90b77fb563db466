//! The reader as a place in the text: characters, words, numbers, comments.

use super::errors::{NoComma, Quoted, id, meant, nearest};
use super::vsh::{Outcome, Reader, Reported};
use crate::text::cursor::Blanks;
use crate::text::numbers::Large;
use crate::text::{Comments, Cursor};
use alloc::format;
use alloc::string::String;
use vecasm_ir::diag::Span;

crate::text::cursor::stands_at!(Reader);

impl<'a> Reader<'a> {
    /// Skips blanks and comments, not line ends.
    pub(super) fn skip_blanks(&mut self) {
        self.skip(Blanks::InLine);
    }

    /// Skips blanks, comments and line ends.
    pub(super) fn skip_lines(&mut self) {
        self.skip(Blanks::Lines);
    }

    #[inline(always)]
    fn skip(&mut self, blanks: Blanks) {
        if let Some(open) = self.skip_gap(blanks, &Comments::ASSEMBLER) {
            // The reader may come here again.
            if !core::mem::replace(&mut self.unended, true) {
                self.findings.error(id::COMMENT, open, "the comment is not closed");
            }
        }
    }

    /// What stands here up to the next blank or separator, for messages.
    pub(super) fn piece(&self, from: usize) -> &'a str {
        let rest = self.text.get(from..).unwrap_or("");
        let end = rest.find(|c: char| c.is_whitespace() || ",;".contains(c)).unwrap_or(rest.len());
        let end = end.max(rest.chars().next().map_or(0, char::len_utf8));
        rest.get(..end).unwrap_or("")
    }

    pub(super) fn span_of(&self, piece: &str, from: usize) -> Span {
        Span::new(from, from + piece.len())
    }

    #[cold]
    pub(super) fn fail<T>(
        &mut self,
        rule: &'static str,
        span: Span,
        message: impl core::fmt::Display,
    ) -> Outcome<T> {
        self.stopped |= rule == id::EXCEPTION;
        self.findings.error(rule, span, message);
        Err(Reported)
    }

    #[cold]
    pub(super) fn fail_with<T>(
        &mut self,
        id: &'static str,
        span: Span,
        message: String,
        help: String,
    ) -> Outcome<T> {
        self.findings.error_with(id, span, message, Some(help));
        Err(Reported)
    }

    /// An error about a name that is not known, with the known one that was probably meant.
    #[cold]
    pub(super) fn fail_near<'n, T>(
        &mut self,
        id: &'static str,
        span: Span,
        message: String,
        name: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> Outcome<T> {
        let help = nearest(name, known).map(|near| format!("did you mean `{near}`?"));
        self.findings.error_with(id, span, message, help);
        Err(Reported)
    }

    /// Says what was expected where the reader stands.
    #[cold]
    pub(super) fn expected<T>(&mut self, what: &str) -> Outcome<T> {
        let found = self.piece(self.at);
        let span = self.span_of(found, self.at);
        if found.trim().is_empty() {
            let end = if self.at >= self.text.len() { "end of the text" } else { "end of the line" };
            return self.fail(id::SYNTAX, span, format!("expected {what}, found the {end}"));
        }
        self.fail(id::SYNTAX, span, format!("expected {what}, found {}", Quoted(found)))
    }

    /// An unknown mnemonic, and the one of `known` that was probably meant.
    #[cold]
    pub(super) fn unknown_mnemonic<T>(
        &mut self,
        name: &str,
        span: Span,
        known: impl Iterator<Item = &'static str> + Clone,
    ) -> Outcome<T> {
        self.findings.error_asking(
            id::MNEMONIC,
            span,
            format_args!("unknown mnemonic {}", Quoted(name)),
            || meant(name, known),
        );
        Err(Reported)
    }

    /// Says that the reader stands where a comma should be. `last` is where the operand in front begins, `start` where the
    /// statement does; `short` says what it lacks if nothing follows that a comma could separate.
    #[cold]
    pub(super) fn missing_comma<T>(
        &mut self,
        [start, last, end]: [usize; 3],
        short: impl core::fmt::Display,
    ) -> Outcome<T> {
        let found = self.piece(self.at);
        let after = self.text.get(last..end).unwrap_or("").trim();
        if found.starts_with(')') {
            // What closes a list of operands is where the next one is missing.
            return self.fail(id::SYNTAX, self.here(), short);
        }
        if found.trim().is_empty() || after.is_empty() || found.starts_with([';', '+', '{', '}']) {
            return self.fail(id::SYNTAX, Span::new(start, end), short);
        }
        let span = self.span_of(found, self.at);
        self.fail(id::SYNTAX, span, NoComma { after, found })
    }

    /// A decimal number; `None` if there is no digit. Numbers above a million are a million.
    pub(super) fn number(&mut self) -> Option<u32> {
        self.decimal(Large::Is(1_000_000))
    }
}
