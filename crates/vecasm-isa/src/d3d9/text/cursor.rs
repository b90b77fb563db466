//! The reader as a place in the text: blanks and comments, words, numbers.

use super::errors::id;
use super::parse::Reader;
use crate::text::cursor::Blanks;
use crate::text::numbers::Large;
use crate::text::{Comments, Cursor};

crate::text::cursor::stands_at!(Reader);

impl<'a> Reader<'a> {
    /// Skips blanks that do not end the line.
    #[inline(always)]
    pub(super) fn skip_spaces(&mut self) {
        self.skip_blanks_of(Blanks::InLine);
    }

    /// Skips blanks, line ends and comments.
    pub(super) fn skip_blanks(&mut self) {
        if let Some(open) = self.skip_gap(Blanks::LinesAndMarks, &Comments::ASSEMBLER) {
            self.findings.error(id::COMMENT, open, "the comment is not closed");
        }
    }

    /// Takes a byte behind blanks.
    pub(super) fn eat_next(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        self.eat(byte)
    }

    /// Takes digits; `None` if there is none or the number has more than 9 digits.
    pub(super) fn digits(&mut self) -> Option<u32> {
        self.decimal(Large::Refused { digits: 9 })
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
