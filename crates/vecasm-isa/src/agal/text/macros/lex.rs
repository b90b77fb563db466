//! From characters to tokens: comments, lines, words.

use super::Mode;
use crate::agal::text::errors::{Findings, id};
use crate::agal::text::syntax::ends_line;
use crate::text::cursor::{begins_word, is_word_char};
use crate::text::floats::exponent_len;
use crate::text::{Comments, Word};
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;

/// Comments where they are read strictly.
const COMMENTS: Comments = Comments { line_ends: b"\n\r\x0b\x0c", ..Comments::SHADING };

/// A text of the same length whose comments are blank, so that places stay what they are.
///
/// Adobe's assembler takes away all `/* */` first, even where `//` precedes them, then every `//` that a line feed
/// ends: a comment in a last line without one stays. A `/*` without an end stays too.
pub(super) fn without_comments(text: &str, mode: Mode, findings: &mut Findings) -> String {
    let mut out = text.as_bytes().to_vec();
    let blank = |out: &mut Vec<u8>, from: usize, to: usize| {
        if let Some(part) = out.get_mut(from..to) {
            part.fill(b' ');
        }
    };
    if text.starts_with('\u{feff}') {
        blank(&mut out, 0, '\u{feff}'.len_utf8());
    }
    let mut at = 0;
    match mode {
        Mode::Strict => {
            while let Some(slash) = find(text, at, "/") {
                let Some(comment) = COMMENTS.at(&text.as_bytes()[slash..]) else {
                    at = slash + 1;
                    continue;
                };
                if !comment.is_closed {
                    let span = Span::new(slash, slash + 2);
                    findings.error(id::MACRO_COMMENT, span, format_args!("the comment is not closed"));
                }
                at = slash + comment.len;
                blank(&mut out, slash, at);
            }
        }
        Mode::Compat => {
            while let Some(open) = find(text, at, "/*") {
                let Some(close) = find(text, open + 2, "*/") else { break };
                at = close + 2;
                blank(&mut out, open, at);
            }
            at = 0;
            while let Some(n) = out.get(at..).and_then(|rest| rest.windows(2).position(|p| p == b"//")) {
                let slash = at + n;
                let Some(end) = out[slash..].iter().position(|&b| b == b'\n') else { break };
                at = slash + end;
                blank(&mut out, slash, at);
            }
        }
    }
    // Whole comments were replaced, so that what is left is still UTF-8.
    String::from_utf8(out).unwrap_or_default()
}

fn find(text: &str, from: usize, what: &str) -> Option<usize> {
    text.get(from..)?.find(what).map(|n| from + n)
}

/// The lines: a line break or a semicolon ends one.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    text.split(|c: char| c == ';' || c.is_ascii() && ends_line(c as u8)).map(move |line| {
        let word = Word { text: line, at };
        // Every separator is one byte.
        at += line.len() + 1;
        word.trim()
    })
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name with what belongs to it: `ft0.xyz`, `vc[va0.x+3].w`, `Name`.
    Name,
    /// A number without a sign.
    Number,
    /// Sampler options with their brackets.
    Options,
    /// An operator, a bracket, or any other character.
    Mark,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) word: Word<'a>,
}

impl Token<'_> {
    pub(super) fn is(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.word.text == mark
    }
}

/// Most tokens of a line. No line with a meaning has a tenth of them.
pub(super) const MAX_TOKENS: usize = 1024;

/// The tokens of a line, `None` if there are too many. In an expression of the preprocessor `<` is an operator, else
/// it begins sampler options if there is a `>` in the line.
pub(super) fn tokens(line: Word<'_>, expression: bool) -> Option<Vec<Token<'_>>> {
    let mut out = Vec::new();
    let mut rest = line.trim();
    while let Some(first) = rest.text.chars().next() {
        if out.len() == MAX_TOKENS {
            return None;
        }
        let (kind, len) = token(rest.text, first, expression);
        let (word, behind) = rest.split(len);
        out.push(Token { kind, word });
        rest = behind.trim_start();
    }
    Some(out)
}

fn token(text: &str, first: char, expression: bool) -> (Kind, usize) {
    let second = text[first.len_utf8()..].chars().next().unwrap_or(' ');
    if first.is_ascii_digit() || (first == '.' && second.is_ascii_digit()) {
        return (Kind::Number, number(text));
    }
    if is_name_start(first) {
        return (Kind::Name, name(text));
    }
    if first == '<' && !expression {
        if let Some(close) = text.rfind('>') {
            return (Kind::Options, close + 1);
        }
    }
    let pair: &[&str] =
        if expression { &["<=", ">=", "==", "!=", "&&", "||"] } else { &["+=", "-=", "*=", "/="] };
    let len = if pair.iter().any(|p| text.starts_with(p)) { 2 } else { first.len_utf8() };
    (Kind::Mark, len)
}

pub(super) fn is_name_start(c: char) -> bool {
    c.is_ascii() && begins_word(c as u8)
}

/// Length of the number at the start of `text`.
fn number(text: &str) -> usize {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    digits + exponent_len(&text.as_bytes()[digits..])
}

/// Length of the name at the start of `text`, with index and suffix.
fn name(text: &str) -> usize {
    let part = |c: char| !(is_word_char(c) || c == '.');
    let len = text.find(part).unwrap_or(text.len());
    match text[len..].strip_prefix('[').and_then(|rest| rest.find(']')) {
        Some(close) => {
            let at = len + close + 2;
            at + text[at..].find(part).unwrap_or(text.len() - at)
        }
        None => len,
    }
}
