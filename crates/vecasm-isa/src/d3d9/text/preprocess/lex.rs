//! Tokens of the preprocessor, as places in a file.

use crate::text::cursor::{begins_word, is_blank, is_word};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name.
    Word,
    /// What begins with a digit, or with a point and a digit.
    Number,
    /// Something in quotes.
    Text,
    /// A sign of one or two characters.
    Sign,
    /// The end of a line.
    Line,
    /// The end of the file, or of the tokens given.
    End,
    /// No token: here the expansion of the macro ends whose number is in `start`.
    Close,
}

/// A token: where its characters stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Whether blanks or comments stand in front of it.
    pub(super) gap: bool,
    /// Whether it names a macro that is being expanded, so that it stays a name for ever.
    pub(super) painted: bool,
    /// Whether it comes from what a macro stands for, and not from the text itself.
    pub(super) body: bool,
    /// The file.
    pub(super) file: u32,
    /// First byte.
    pub(super) start: u32,
    /// One past the last byte.
    pub(super) end: u32,
}

/// Signs of two characters that mean something to the preprocessor.
const PAIRS: [&str; 9] = ["##", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"];

/// Number of bytes of the line end that stands at `at`, or 0.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\r'), Some(b'\n')) => 2,
        (Some(b'\r' | b'\n'), _) => 1,
        _ => 0,
    }
}

/// Number of bytes of a backslash and the line end behind it, or 0.
fn splice(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at) != Some(&b'\\') {
        return 0;
    }
    match line_end(bytes, at + 1) {
        0 => 0,
        n => n + 1,
    }
}

/// A place in a text that is read token by token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) file: u32,
    pub(super) at: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// A comment without an end, where it begins.
    pub(super) open: Option<usize>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, file: u32, at: usize, end: usize) -> Self {
        Self { text, file, at, end: end.min(text.len()), open: None }
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes().get(..self.end).unwrap_or(&[])
    }

    /// Skips blanks, comments and spliced lines; gives whether there was one.
    fn skip_gap(&mut self, directive: bool) -> bool {
        let bytes = self.bytes();
        let before = self.at;
        while let Some(&b) = bytes.get(self.at) {
            if is_blank(b) {
                self.at += 1;
            } else if b == b';' {
                while self.at < self.end && line_end(bytes, self.at) == 0 && splice(bytes, self.at) == 0 {
                    self.at += 1;
                }
            } else if b == b'/' && bytes.get(self.at + 1) == Some(&b'/') {
                while self.at < self.end && line_end(bytes, self.at) == 0 {
                    // The comment of a directive goes on where its line does.
                    self.at += if directive { splice(bytes, self.at).max(1) } else { 1 };
                }
            } else if b == b'/' && bytes.get(self.at + 1) == Some(&b'*') {
                let inside = bytes.get(self.at + 2..).unwrap_or(&[]);
                match inside.windows(2).position(|pair| pair == b"*/") {
                    Some(n) => self.at += n + 4,
                    None => {
                        self.open = Some(self.at);
                        self.at = self.end;
                    }
                }
            } else {
                match splice(bytes, self.at) {
                    0 => break,
                    n => self.at += n,
                }
            }
        }
        self.at > before
    }

    /// The next token. `directive` tells how comments end.
    pub(super) fn next(&mut self, directive: bool) -> Token {
        let gap = self.skip_gap(directive);
        let bytes = self.bytes();
        let start = self.at;
        let kind = match bytes.get(start) {
            None => Kind::End,
            Some(b'\r' | b'\n') => {
                self.at += line_end(bytes, start);
                Kind::Line
            }
            Some(&b) if begins_word(b) => {
                self.at += bytes.iter().skip(start).take_while(|b| is_word(**b)).count();
                Kind::Word
            }
            Some(&b)
                if b.is_ascii_digit()
                    || b == b'.' && bytes.get(start + 1).is_some_and(u8::is_ascii_digit) =>
            {
                self.at += 1;
                while let Some(&b) = bytes.get(self.at) {
                    let sign = matches!(b, b'+' | b'-')
                        && matches!(bytes.get(self.at - 1), Some(b'e' | b'E'))
                        && bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit)
                        && !bytes.get(start + 1).is_some_and(|b| matches!(b, b'x' | b'X'));
                    if !(is_word(b) || b == b'.' || sign) {
                        break;
                    }
                    self.at += 1;
                }
                Kind::Number
            }
            Some(&quote @ (b'"' | b'\'')) => {
                // Without its partner on the line it is a sign.
                let inside = bytes.get(start + 1..).unwrap_or(&[]);
                let (mut n, mut found) = (0, None);
                while let Some(&b) = inside.get(n) {
                    if matches!(b, b'\r' | b'\n') {
                        break;
                    }
                    if b == quote {
                        found = Some(n);
                        break;
                    }
                    n += if b == b'\\' { 2 } else { 1 };
                }
                self.at += found.map_or(1, |n| n + 2);
                if found.is_some() { Kind::Text } else { Kind::Sign }
            }
            Some(_) => {
                let rest = self.text.get(start..self.end).unwrap_or("");
                let pair = PAIRS.iter().any(|pair| rest.starts_with(pair));
                self.at += if pair { 2 } else { rest.chars().next().map_or(1, char::len_utf8) };
                Kind::Sign
            }
        };
        self.at = self.at.min(self.end);
        Token {
            kind,
            gap,
            painted: false,
            body: false,
            file: self.file,
            start: start as u32,
            end: self.at as u32,
        }
    }
}
