//! The reader as a place in the text: blanks and comments, words, numbers.

use super::errors::id;
use super::parse::Reader;
use vecasm_ir::diag::Span;

impl<'a> Reader<'a> {
    /// What is left of the text.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The next byte.
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The place of the next character.
    pub(super) fn here(&self) -> Span {
        let len = self.rest().chars().next().map_or(0, char::len_utf8);
        Span::new(self.at, self.at + len)
    }

    /// The place from `start` to here.
    pub(super) fn since(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// Skips blanks that do not end the line.
    pub(super) fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | 0x0b | 0x0c)) {
            self.at += 1;
        }
    }

    /// Skips blanks, line ends and comments.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) => self.at += 1,
                Some(b';') => self.skip_line(),
                Some(0xef) if self.rest().starts_with('\u{feff}') => self.at += 3,
                Some(b'/') if self.rest().starts_with("//") => self.skip_line(),
                Some(b'/') if self.rest().starts_with("/*") => {
                    match self.rest().get(2..).and_then(|inside| inside.find("*/")) {
                        Some(end) => self.at += end + 4,
                        None => {
                            let start = self.at;
                            self.at = self.text.len();
                            self.findings.error(
                                id::COMMENT,
                                Span::new(start, start + 2),
                                "the comment is not closed",
                            );
                        }
                    }
                }
                _ => break,
            }
        }
    }

    /// Skips to the end of the line.
    pub(super) fn skip_line(&mut self) {
        self.at += self.rest().find(['\n', '\r']).unwrap_or(self.rest().len());
    }

    /// Takes a byte if it is the next one.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Takes a byte behind blanks.
    pub(super) fn eat_next(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        self.eat(byte)
    }

    /// Takes letters, digits and underscores; empty if there is none.
    pub(super) fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_'));
        let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or("");
        self.at += word.len();
        word
    }

    /// Takes digits; `None` if there is none or the number has more than 9 digits.
    pub(super) fn digits(&mut self) -> Option<u32> {
        let rest = self.rest();
        let end = rest.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest.get(..end).unwrap_or("");
        self.at += end;
        (digits.len() <= 9).then(|| digits.parse().ok()).flatten()
    }

    /// Takes the sign of a number, which blanks may follow, and what may be its digits: letters, digits, points, the sign of
    /// an exponent. Gives whether the sign is a minus, and the digits without it; empty if there are none.
    pub(super) fn numeral(&mut self) -> (bool, &'a str) {
        let negative = self.peek() == Some(b'-');
        if negative || self.peek() == Some(b'+') {
            self.at += 1;
            self.skip_blanks();
        }
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let mut end = 0;
        while let Some(&b) = bytes.get(end) {
            let behind_e = end > 0 && matches!(bytes.get(end - 1), Some(b'e' | b'E'));
            if !(b.is_ascii_alphanumeric() || b == b'.' || b == b'_' || behind_e && matches!(b, b'-' | b'+'))
            {
                break;
            }
            end += 1;
        }
        self.at += end;
        (negative, rest.get(..end).unwrap_or(""))
    }
}
