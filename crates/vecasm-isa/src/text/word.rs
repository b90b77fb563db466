//! Pieces of a text that know where they stand.

use vecasm_ir::diag::Span;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    /// Byte offset in the whole text.
    pub(crate) at: usize,
}

impl<'a> Word<'a> {
    pub(crate) fn span(self) -> Span {
        Span::new(self.at, self.at + self.text.len())
    }

    pub(crate) fn end(self) -> usize {
        self.at + self.text.len()
    }

    pub(crate) fn is_empty(self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn split(self, at: usize) -> (Self, Self) {
        let (a, b) = self.text.split_at(at);
        (Self { text: a, at: self.at }, Self { text: b, at: self.at + at })
    }

    /// Splits behind the longest prefix whose characters all satisfy `holds`.
    pub(crate) fn split_while(self, mut holds: impl FnMut(char) -> bool) -> (Self, Self) {
        self.split(self.text.find(|c| !holds(c)).unwrap_or(self.text.len()))
    }

    pub(crate) fn trim(self) -> Self {
        self.trim_start().trim_end()
    }

    pub(crate) fn trim_start(self) -> Self {
        let text = self.text.trim_start();
        Self { text, at: self.end() - text.len() }
    }

    pub(crate) fn trim_end(self) -> Self {
        Self { text: self.text.trim_end(), at: self.at }
    }

    /// What is behind a character that it begins with.
    pub(crate) fn strip(self, c: char) -> Option<Self> {
        self.text.starts_with(c).then(|| self.split(c.len_utf8()).1)
    }
}
