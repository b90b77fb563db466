//! A cursor over the text, and what every line is made of: words, numbers, names.

use super::super::name::{in_word, unquote};
use super::{Result_, TextError};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

pub(super) struct Cursor<'a> {
    rest: &'a str,
    line: u32,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1 }
    }

    #[cold]
    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result_<T> {
        Err(TextError { line: self.line, message: message.into() })
    }

    /// As [`fail`](Self::fail), for what should stand here and does not.
    #[cold]
    pub(super) fn want<T>(&mut self, what: &str) -> Result_<T> {
        let found = self.found();
        self.fail(format!("expected {what}, found {found}"))
    }

    /// What stands here, for messages.
    #[cold]
    fn found(&mut self) -> String {
        self.blank();
        let end = match self.rest.find(|c: char| !c.is_ascii() || !in_word(c as u8) && c != '.') {
            Some(0) => self.rest.chars().next().map_or(0, char::len_utf8),
            Some(end) => end,
            None => self.rest.len(),
        };
        match self.rest.get(..end) {
            None | Some("" | "\n") => "the end of the line".into(),
            Some(found) => quoted(found),
        }
    }

    /// Skips blanks and a comment, but not the end of the line.
    pub(super) fn blank(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r']);
        if self.rest.starts_with(';') {
            self.rest = self.rest.find('\n').and_then(|end| self.rest.get(end..)).unwrap_or("");
        }
    }

    /// Skips blanks, comments and ends of lines; true if that was all of the text.
    pub(super) fn lines(&mut self) -> bool {
        loop {
            self.blank();
            match self.rest.strip_prefix('\n') {
                Some(rest) => {
                    self.rest = rest;
                    self.line = self.line.saturating_add(1);
                }
                None => return self.rest.is_empty(),
            }
        }
    }

    pub(super) fn at_end(&mut self) -> bool {
        self.blank();
        self.rest.is_empty() || self.rest.starts_with('\n')
    }

    /// The line must end here.
    pub(super) fn end(&mut self) -> Result_<()> {
        if self.at_end() { Ok(()) } else { self.want("the end of the line") }
    }

    pub(super) fn at(&mut self, c: char) -> bool {
        self.blank();
        self.rest.starts_with(c)
    }

    /// Takes a character, if it is the next one.
    pub(super) fn eat(&mut self, c: char) -> bool {
        self.blank();
        self.tight(c)
    }

    /// Takes a character, if it is the next one, with no blank before it.
    pub(super) fn tight(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    pub(super) fn expect(&mut self, c: char) -> Result_<()> {
        if self.eat(c) { Ok(()) } else { self.want(&format!("`{c}`")) }
    }

    fn run(&self, takes: impl Fn(u8) -> bool) -> &'a str {
        let end = self.rest.bytes().position(|c| !takes(c)).unwrap_or(self.rest.len());
        self.rest.get(..end).unwrap_or("")
    }

    fn skip(&mut self, taken: &'a str) -> &'a str {
        self.rest = self.rest.get(taken.len()..).unwrap_or("");
        taken
    }

    /// The word that stands here, empty if there is none: letters, digits, `_` and `-`.
    pub(super) fn peek(&mut self) -> &'a str {
        self.blank();
        self.run(in_word)
    }

    pub(super) fn word(&mut self) -> &'a str {
        let word = self.peek();
        self.skip(word)
    }

    /// The word that stands here, with no blank before it.
    pub(super) fn tight_word(&mut self) -> &'a str {
        self.skip(self.run(in_word))
    }

    /// Takes a word, if it is the next one.
    pub(super) fn keyword(&mut self, word: &str) -> bool {
        let found = self.peek();
        let is = found == word;
        if is {
            self.skip(found);
        }
        is
    }

    /// As a word, but also with `.` and `+`, so that it holds every literal.
    pub(super) fn literal(&mut self) -> &'a str {
        self.blank();
        self.skip(self.run(|c| in_word(c) || matches!(c, b'.' | b'+')))
    }

    /// A number without a sign.
    pub(super) fn number<T: core::str::FromStr>(&mut self) -> Result_<T> {
        let word = self.peek();
        if word.is_empty() {
            return self.want("a number");
        }
        match word.parse() {
            Ok(n) => {
                self.skip(word);
                Ok(n)
            }
            Err(_) => self.fail(format!("{} is not a number that fits", quoted(word))),
        }
    }

    /// A number with a sign, if a sign stands here.
    pub(super) fn signed(&mut self) -> Result_<Option<i32>> {
        let minus = self.at('-');
        if !minus && !self.at('+') {
            return Ok(None);
        }
        // A word may start with `-`, but not with `+`.
        self.tight(if minus { '-' } else { '+' });
        let n: i64 = self.number::<u32>()?.into();
        match i32::try_from(if minus { -n } else { n }) {
            Ok(n) => Ok(Some(n)),
            Err(_) => self.fail(format!("{n} is not a number that fits")),
        }
    }

    /// What stands behind a dot: a word, or a word and a number in parentheses.
    pub(super) fn attribute(&mut self) -> Result_<&'a str> {
        let word = self.run(in_word);
        let argument = self.rest.get(word.len()..).filter(|rest| rest.starts_with('('));
        let more = match argument {
            Some(rest) => match rest.bytes().position(|c| c == b')' || c == b'\n') {
                Some(end) if rest.as_bytes().get(end) == Some(&b')') => end + 1,
                _ => return self.fail("a `)` is missing"),
            },
            None => 0,
        };
        let all = self.rest.get(..word.len() + more).unwrap_or(word);
        if word.is_empty() { self.want("an attribute") } else { Ok(self.skip(all)) }
    }

    /// What a word stands for; `what` names the kind of words for messages.
    pub(super) fn named<T>(&mut self, what: &str, named: impl Fn(&str) -> Option<T>) -> Result_<T> {
        let word = self.peek();
        if word.is_empty() {
            return self.want(what);
        }
        match named(word) {
            Some(found) => {
                self.skip(word);
                Ok(found)
            }
            None => self.fail(format!("{} is not {what}", quoted(word))),
        }
    }

    /// A name: a word or a string. `None` if neither stands here.
    pub(super) fn name(&mut self) -> Result_<Option<Cow<'a, str>>> {
        if !self.eat('"') {
            let word = self.word();
            return Ok(if word.is_empty() { None } else { Some(Cow::Borrowed(word)) });
        }
        let mut escaped = false;
        let end = self.rest.bytes().position(|c| {
            let ends = c == b'\n' || c == b'"' && !escaped;
            escaped = c == b'\\' && !escaped;
            ends
        });
        let inside = end.and_then(|end| self.rest.get(..end)).unwrap_or(self.rest);
        let Some(rest) = self.rest.get(inside.len()..).and_then(|rest| rest.strip_prefix('"')) else {
            return self.fail("a quoted name is not closed");
        };
        match unquote(inside) {
            Some(name) => {
                self.rest = rest;
                Ok(Some(name))
            }
            None => self.fail(r#"expected one of the escapes \\ \" \n \t \u{…}"#),
        }
    }

    /// A name that has to stand here.
    pub(super) fn a_name(&mut self) -> Result_<Cow<'a, str>> {
        match self.name()? {
            Some(name) => Ok(name),
            None => self.want("a name"),
        }
    }
}

/// Something of the text between quotes, cut where it is long.
pub(super) fn quoted(word: &str) -> String {
    match word.char_indices().nth(40) {
        Some((end, _)) => format!("`{}…`", word.get(..end).unwrap_or("")),
        None => format!("`{word}`"),
    }
}
