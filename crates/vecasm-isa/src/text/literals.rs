//! Programs in the string literals of other languages.

use super::Comments;
use alloc::string::String;
use alloc::vec::Vec;

/// A text in which literals that begin as a program `begins` are what they say: blanks for their quotes, for what joins them and for
/// escapes, a line feed as the second byte of `\n`, a zero for the quote that ends the last one. Its length is that of the text; `None`
/// if there is no such literal.
pub(crate) fn unquoted(text: &str, begins: impl Fn(&[u8]) -> bool) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(n) = bytes.get(at..)?.iter().position(|b| is_quote(*b)) {
        let open = at + n;
        let quote = quote_at(bytes, open);
        at = open + quote.len();
        if begins(contents_at(bytes, at)) {
            let out = out.get_or_insert_with(|| bytes.to_vec());
            at = Literals { bytes, out, at: open, quote }.read();
        }
    }
    // Only ASCII was replaced, and by ASCII.
    out.and_then(|out| String::from_utf8(out).ok())
}

/// Comments between literals: those of C and of Python.
const COMMENTS: Comments = Comments { marks: &["//", "#"], ..Comments::C };

const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// The quote there: one character, or three of Python.
fn quote_at(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or(&[]);
    match rest {
        [a, b, c, ..] if a == b && b == c && *a != b'`' => rest.get(..3).unwrap_or(&[]),
        _ => rest.get(..1).unwrap_or(&[]),
    }
}

/// What a literal says from its first word on. Text that begins in the next line needs no unquoting.
fn contents_at(bytes: &[u8], mut at: usize) -> &[u8] {
    loop {
        at += match bytes.get(at..) {
            Some([b' ' | b'\t' | b'(', ..]) => 1,
            Some([b'\\', b'n' | b'r' | b't' | b'\n' | b'\r', ..]) => 2,
            _ => break,
        };
    }
    bytes.get(at..).unwrap_or(&[])
}

/// Literals that are joined.
struct Literals<'a> {
    bytes: &'a [u8],
    out: &'a mut Vec<u8>,
    at: usize,
    quote: &'a [u8],
}

impl Literals<'_> {
    fn peek(&self, n: usize) -> u8 {
        self.bytes.get(self.at + n).copied().unwrap_or(0)
    }

    /// Puts blanks for the next bytes but line feeds.
    fn blank(&mut self, len: usize) {
        for byte in self.out.iter_mut().skip(self.at).take(len).filter(|b| **b != b'\n') {
            *byte = b' ';
        }
        self.at += len;
    }

    fn at_quote(&self) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(self.quote))
    }

    /// Reads literals from a quote on; where they end.
    fn read(mut self) -> usize {
        loop {
            self.blank(self.quote.len());
            self.contents();
            let end = self.at;
            self.joints();
            if !self.at_quote() {
                // Where the text ends that the literals say.
                let quote = end
                    .checked_sub(self.quote.len())
                    .filter(|at| self.bytes.get(*at..end) == Some(self.quote));
                if let Some(byte) = quote.and_then(|at| self.out.get_mut(at)) {
                    *byte = 0;
                }
                // What was skipped is not looked at again.
                return self.at;
            }
            self.out
                .get_mut(end..self.at)
                .unwrap_or(&mut [])
                .iter_mut()
                .filter(|b| **b != b'\n')
                .for_each(|b| *b = b' ');
        }
    }

    /// What a literal says, its closing quote included.
    fn contents(&mut self) {
        while self.at < self.bytes.len() {
            if self.at_quote() {
                return self.blank(self.quote.len());
            }
            match (self.peek(0), self.peek(1)) {
                (b'\\', b'n') => {
                    self.blank(2);
                    if let Some(byte) = self.out.get_mut(self.at - 1) {
                        *byte = b'\n';
                    }
                }
                (b'\\', b'r' | b't' | b'\n' | b'\r' | b'\'' | b'"') => self.blank(2),
                _ => self.at += 1,
            }
        }
    }

    /// What may be between two literals that are one text: operators, the commas of a list, comments, the letters in front of a quote.
    fn joints(&mut self) {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or(&[]);
            self.at += match rest {
                [b' ' | b'\t' | b'\r' | b'\n' | b'+' | b',' | b'.' | b'\\', ..] => 1,
                [b'/' | b'#', ..] => match COMMENTS.at(rest) {
                    Some(comment) => comment.len,
                    None => return,
                },
                [b'u', b'8', q, ..] if is_quote(*q) => 2,
                [b'a'..=b'z' | b'A'..=b'Z', q, ..] if is_quote(*q) => 1,
                _ => return,
            };
        }
    }
}
