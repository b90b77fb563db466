//! A reader as a place in its text: blanks and comments, words, numbers, and where they stand.

use super::comments::{Comment, Comments};
use super::numbers::Large;
use vecasm_ir::diag::Span;

/// Whether a byte belongs to a word.
pub(crate) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a byte may begin a word that is no number.
pub(crate) const fn begins_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether a character belongs to a word.
pub(crate) const fn is_word_char(c: char) -> bool {
    c.is_ascii() && is_word(c as u8)
}

/// Whether a byte is a blank inside a line.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

/// The word that a text begins with; empty if there is none.
pub(crate) fn first_word(text: &str) -> &str {
    let end = text.bytes().position(|byte| !is_word(byte)).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

/// The words of a text, with the offsets at which they begin.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    core::iter::from_fn(move || {
        let rest = text.as_bytes().get(at..)?;
        let start = at + rest.iter().position(|byte| is_word(*byte))?;
        let word = first_word(text.get(start..)?);
        at = start + word.len();
        Some((start, word))
    })
}

/// What separates words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blanks {
    /// Blanks inside a line.
    InLine,
    /// Those and line ends.
    Lines,
    /// Those, line ends and byte order marks.
    LinesAndMarks,
}

/// A reader, which stands at a place in a text.
pub(crate) trait Cursor<'a> {
    /// The text.
    fn text(&self) -> &'a str;

    /// Where it stands: in front of the next byte, which begins a character.
    fn at(&self) -> usize;

    /// Goes to a place.
    fn go_to(&mut self, at: usize);

    /// What is left of the text.
    #[inline]
    fn rest(&self) -> &'a str {
        self.text().get(self.at()..).unwrap_or("")
    }

    /// The text from `start` to here.
    #[inline]
    fn taken(&self, start: usize) -> &'a str {
        self.text().get(start..self.at()).unwrap_or("")
    }

    /// The next byte.
    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.text().as_bytes().get(self.at()).copied()
    }

    /// The next byte; 0 at the end, which languages without it need not tell apart.
    #[inline(always)]
    fn byte(&self) -> u8 {
        self.byte_at(0)
    }

    /// The byte `n` behind the next one; 0 behind the end.
    #[inline(always)]
    fn byte_at(&self, n: usize) -> u8 {
        self.text().as_bytes().get(self.at() + n).copied().unwrap_or(0)
    }

    /// Goes on by some bytes.
    #[inline(always)]
    fn advance(&mut self, bytes: usize) {
        self.go_to(self.at() + bytes);
    }

    /// Takes a byte if it is the next one.
    #[inline(always)]
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.advance(usize::from(found));
        found
    }

    /// Takes the bytes that all satisfy `holds`; they are ASCII.
    #[inline(always)]
    fn take_while(&mut self, holds: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at();
        while self.peek().is_some_and(&holds) {
            self.advance(1);
        }
        self.taken(start)
    }

    /// Takes letters, digits and underscores; empty if there is none.
    #[inline(always)]
    fn word(&mut self) -> &'a str {
        let start = self.at();
        while is_word(self.byte()) {
            self.advance(1);
        }
        self.taken(start)
    }

    /// What [`word`](Self::word) would take.
    fn next_word(&self) -> &'a str {
        first_word(self.rest())
    }

    /// Takes decimal digits; `None` if there is none, or as `large` says.
    #[inline(always)]
    fn decimal(&mut self, large: Large) -> Option<u32> {
        let start = self.at();
        let mut value = 0u64;
        while let digit @ b'0'..=b'9' = self.byte() {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            if let Large::Is(most) = large {
                value = value.min(most.into());
            }
            self.advance(1);
        }
        let digits = self.at() - start;
        let fits = !matches!(large, Large::Refused { digits: most } if digits > most);
        (digits > 0 && fits).then_some(value as u32)
    }

    /// Skips blanks.
    #[inline(always)]
    fn skip_blanks_of(&mut self, blanks: Blanks) {
        loop {
            match self.peek() {
                Some(byte) if is_blank(byte) => self.advance(1),
                Some(b'\n' | b'\r') if blanks != Blanks::InLine => self.advance(1),
                Some(0xef) if blanks == Blanks::LinesAndMarks && self.rest().starts_with('\u{feff}') => {
                    self.advance('\u{feff}'.len_utf8());
                }
                _ => return,
            }
        }
    }

    /// Skips a comment if one begins here, without the end of its line.
    fn skip_comment(&mut self, comments: &Comments) -> Option<Comment> {
        let comment = comments.at(self.text().as_bytes().get(self.at()..)?)?;
        self.advance(comment.len);
        Some(comment)
    }

    /// Skips blanks and comments. Gives the mark of a comment that has no end.
    #[inline(always)]
    fn skip_gap(&mut self, blanks: Blanks, comments: &Comments) -> Option<Span> {
        loop {
            self.skip_blanks_of(blanks);
            let start = self.at();
            if !self.peek().is_some_and(|byte| comments.may_begin_with(byte)) {
                return None;
            }
            if !self.skip_comment(comments)?.is_closed {
                return Some(Span::new(start, start + "/*".len()));
            }
        }
    }

    /// Skips to the end of the line.
    fn skip_line(&mut self) {
        while self.peek().is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
            self.advance(1);
        }
    }

    /// The place from `start` to here.
    #[inline(always)]
    fn since(&self, start: usize) -> Span {
        Span::new(start, self.at())
    }

    /// The place of the next character.
    fn here(&self) -> Span {
        let len = self.rest().chars().next().map_or(0, char::len_utf8);
        Span::new(self.at(), self.at() + len)
    }

    /// The place of the next word or character.
    fn next_place(&self) -> Span {
        match self.next_word().len() {
            0 => self.here(),
            len => Span::new(self.at(), self.at() + len),
        }
    }
}

/// Makes a [`Cursor`] of a reader of a text that has its place in the field `at`.
#[allow(unused_macros, reason = "AGAL is read by slices")]
macro_rules! stands_at {
    ($Reader:ident) => {
        impl<'a> $crate::text::Cursor<'a> for $Reader<'a> {
            #[inline(always)]
            fn text(&self) -> &'a str {
                self.text
            }

            #[inline(always)]
            fn at(&self) -> usize {
                self.at
            }

            #[inline(always)]
            fn go_to(&mut self, at: usize) {
                self.at = at;
            }
        }
    };
}
#[allow(unused_imports, reason = "AGAL is read by slices")]
pub(crate) use stands_at;

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader of nothing.
    struct Place<'a> {
        text: &'a str,
        at: usize,
    }

    stands_at!(Place);

    #[test]
    fn numbers_that_are_large_become_what_is_asked() {
        let read = |text, large| Place { text, at: 0 }.decimal(large);
        assert_eq!(read("4294967297", Large::Wraps), Some(1));
        assert_eq!(read("4294967297x", Large::Is(1000)), Some(1000));
        assert_eq!(read("0000001001", Large::Is(1000)), Some(1000));
        assert_eq!(read("123456789", Large::Refused { digits: 9 }), Some(123_456_789));
        assert_eq!(read("0123456789", Large::Refused { digits: 9 }), None);
        assert_eq!(read("x", Large::Wraps), None);
        // As many digits as 64 bits cannot count.
        assert_eq!(read("18446744073709551617", Large::Is(7)), Some(7));
    }

    #[test]
    fn a_gap_is_blanks_and_comments() {
        let behind = |text, blanks| {
            let mut place = Place { text, at: 0 };
            let open = place.skip_gap(blanks, &Comments::ASSEMBLER);
            (place.at, open)
        };
        assert_eq!(behind(" \t; a\n b", Blanks::InLine), (5, None));
        assert_eq!(behind(" \t; a\n b", Blanks::Lines), (7, None));
        assert_eq!(behind("/* a */ /", Blanks::Lines), (8, None));
        assert_eq!(behind("\u{feff}a", Blanks::Lines), (0, None));
        assert_eq!(behind("\u{feff}a", Blanks::LinesAndMarks), (3, None));
        assert_eq!(behind(" /* a", Blanks::Lines), (5, Some(Span::new(1, 3))));
    }

    #[test]
    fn places_are_words_or_characters() {
        assert_eq!(Place { text: "ab_1 c", at: 0 }.next_place(), Span::new(0, 4));
        assert_eq!(Place { text: "aé", at: 1 }.next_place(), Span::new(1, 3));
        assert_eq!(Place { text: "ab", at: 2 }.next_place(), Span::new(2, 2));
        assert_eq!(Place { text: "ab", at: 0 }.here(), Span::new(0, 1));
    }

    #[test]
    fn words_end_where_something_else_stands() {
        let mut place = Place { text: "a_1.b", at: 0 };
        assert_eq!((place.next_word(), place.word(), place.word()), ("a_1", "a_1", ""));
        assert!(place.eat(b'.') && !place.eat(b'.'));
        assert_eq!((place.taken(1), place.since(1)), ("_1.", Span::new(1, 4)));
        assert_eq!(place.take_while(|byte| byte == b'b'), "b");
        assert_eq!((place.peek(), place.byte(), place.rest()), (None, 0, ""));
        assert!(words("é a_1..b ").eq([(3, "a_1"), (8, "b")]));
    }
}
