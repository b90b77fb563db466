//! The grammar of the strict syntax: from lines to operands, without a look at stage, version or tables.
//!
//! ```text
//! line        = [instruction | directive] ["//" anything]
//! directive   = "." word {white-space word}
//! instruction = mnemonic [operand {"," operand} ["<" [option {("," | white-space) option}] ">"]]
//! operand     = name [number] ["[" name [number] ["." component] [("+" | "-") number] "]"] ["." letters]
//! ```

use super::errors::{Findings, NoComma, Quoted, id};
use crate::text::Word;
use alloc::string::ToString;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::LANES;

/// The code and the comment of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line<'a> {
    /// What stands before the comment, without white space around it.
    pub(super) code: Word<'a>,
    /// The comment with its slashes.
    pub(super) comment: Option<Word<'a>>,
}

/// The lines of a text. Line feeds, carriage returns (alone or before a line feed), vertical tabs and form feeds end
/// a line; a byte order mark at the start is no part of the first.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut rest = Some(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 });
    core::iter::from_fn(move || {
        let start = rest?;
        let tail = &text[start..];
        let end = tail.bytes().position(ends_line);
        rest = end.map(|end| start + end + if tail.as_bytes()[end..].starts_with(b"\r\n") { 2 } else { 1 });
        let line = Word { text: &tail[..end.unwrap_or(tail.len())], at: start };
        let (code, comment) = match comment_start(line.text) {
            Some(at) => (line.split(at).0, Some(line.split(at).1.trim_end())),
            None => (line, None),
        };
        Some(Line { code: code.trim(), comment })
    })
}

/// Whether a byte ends a line.
pub(super) fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | b'\x0b' | b'\x0c')
}

/// Where `//` begins, if the line has it.
pub(super) fn comment_start(line: &str) -> Option<usize> {
    line.as_bytes().windows(2).position(|pair| pair == b"//")
}

/// Operands of the longest instruction.
pub(super) const MAX_OPERANDS: usize = 3;

/// An instruction cut into its pieces.
#[derive(Debug, Default)]
pub(super) struct Instruction<'a> {
    pub(super) mnemonic: Word<'a>,
    /// The first operands; more are counted only.
    pub(super) operands: [Word<'a>; MAX_OPERANDS],
    pub(super) count: usize,
    /// The words between `<` and `>`, and the whole of it.
    pub(super) options: Option<(Vec<Word<'a>>, Word<'a>)>,
}

impl<'a> Instruction<'a> {
    /// Cuts a line of code that is not empty.
    pub(super) fn cut(code: Word<'a>, findings: &mut Findings) -> Self {
        let (mnemonic, rest) = code.split_while(|c| !c.is_whitespace());
        let mut out = Self { mnemonic, ..Self::default() };
        let mut operands = rest.trim_start();
        if let Some(open) = operands.text.find('<') {
            let (before, options) = operands.split(open);
            operands = before.trim_end();
            out.options = Some((cut_options(options, findings), options));
        }
        out.cut_operands(operands, findings);
        out
    }

    fn cut_operands(&mut self, mut rest: Word<'a>, findings: &mut Findings) {
        let mut comma: Option<Word<'_>> = None;
        while !rest.is_empty() {
            if rest.text.starts_with(',') {
                let (this, behind) = rest.split(1);
                findings.error_asking(
                    id::SEPARATOR,
                    this.span(),
                    format_args!("a comma without an operand before it"),
                    || Some("operands are separated by one comma".to_string()),
                );
                rest = behind.trim_start();
                continue;
            }
            let mut inside = false;
            let (operand, behind) = rest.split_while(|c| {
                inside = (inside || c == '[') && c != ']';
                inside || !(c.is_whitespace() || c == ',')
            });
            if let Some(slot) = self.operands.get_mut(self.count) {
                *slot = operand;
            }
            self.count += 1;
            let gap = behind.at;
            rest = behind.trim_start();
            comma = rest.strip(',').map(|behind| {
                let this = rest.split(1).0;
                rest = behind.trim_start();
                this
            });
            if comma.is_none() && !rest.is_empty() {
                let found = rest.split_while(|c| !(c.is_whitespace() || c == ',')).0;
                let message = NoComma { after: operand.text, found: found.text };
                findings.error(id::SEPARATOR, Span::new(gap, rest.at), message);
            }
        }
        if let Some(comma) = comma {
            findings.error(id::SEPARATOR, comma.span(), format_args!("a comma without an operand after it"));
        }
    }
}

/// Cuts `<…>`; `text` starts with the `<` and goes to the end of the code.
fn cut_options<'a>(text: Word<'a>, findings: &mut Findings) -> Vec<Word<'a>> {
    let (_, inner) = text.split(1);
    let (mut rest, behind) = match inner.text.find('>') {
        Some(close) => (inner.split(close).0.trim(), inner.split(close + 1).1.trim()),
        None => {
            findings.error(id::OPTIONS_SYNTAX, text.span(), format_args!("`<` without `>`"));
            (inner, Word::default())
        }
    };
    if !behind.is_empty() {
        findings.error(
            id::JUNK,
            behind.span(),
            format_args!("unexpected {} after the sampler options", Quoted(behind.text)),
        );
    }
    let mut out = Vec::new();
    let mut after_comma = true;
    while !rest.is_empty() {
        if rest.text.starts_with(',') {
            let (comma, behind) = rest.split(1);
            if after_comma || behind.trim_start().is_empty() {
                findings.error(
                    id::OPTIONS_SYNTAX,
                    comma.span(),
                    format_args!("a comma without an option next to it"),
                );
            }
            after_comma = true;
            rest = behind.trim_start();
            continue;
        }
        let (word, behind) = rest.split_while(|c| !(c.is_whitespace() || c == ','));
        out.push(word);
        after_comma = false;
        rest = behind.trim_start();
    }
    out
}

/// What stands in the brackets of `vc[…]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Index<'a> {
    pub(super) name: Word<'a>,
    pub(super) number: Word<'a>,
    pub(super) component: Option<u8>,
    /// Sign and digits, may be empty.
    pub(super) offset: Word<'a>,
    /// Brackets included.
    pub(super) whole: Word<'a>,
}

/// An operand cut into its pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand<'a> {
    pub(super) name: Word<'a>,
    /// Digits, may be empty.
    pub(super) number: Word<'a>,
    pub(super) index: Option<Index<'a>>,
    /// The letters behind the point.
    pub(super) suffix: Option<Word<'a>>,
    pub(super) whole: Word<'a>,
}

fn register(text: Word<'_>) -> (Word<'_>, Word<'_>, Word<'_>) {
    let (name, rest) = text.split_while(|c| c.is_ascii_alphabetic());
    let (number, rest) = rest.split_while(|c| c.is_ascii_digit());
    (name, number, rest)
}

impl<'a> Operand<'a> {
    /// Cuts an operand; `None` after an error.
    pub(super) fn cut(whole: Word<'a>, findings: &mut Findings) -> Option<Self> {
        let (name, number, mut rest) = register(whole);
        if name.is_empty() {
            findings.error_asking(
                id::JUNK,
                whole.span(),
                format_args!("{} is not a register", Quoted(whole.text)),
                || {
                    let number = whole
                        .text
                        .trim_start_matches(['-', '+', '.'])
                        .starts_with(|c: char| c.is_ascii_digit());
                    number.then(|| {
                        "AGAL has no numbers in operands: put the value into a constant register".to_string()
                    })
                },
            );
            return None;
        }
        let mut index = None;
        if rest.text.starts_with('[') {
            let Some(close) = rest.text.find(']') else {
                findings.error(id::JUNK, rest.span(), format_args!("`[` without `]`"));
                return None;
            };
            let (brackets, behind) = rest.split(close + 1);
            index = Some(cut_index(brackets, findings)?);
            rest = behind;
        }
        let mut suffix = None;
        if let Some(behind) = rest.strip('.') {
            let (letters, behind) = behind.split_while(|c| c.is_ascii_alphanumeric() || c == '_');
            if letters.is_empty() {
                findings.error(id::SUFFIX, rest.span(), format_args!("a point without letters after it"));
                return None;
            }
            suffix = Some(letters);
            rest = behind;
        }
        if !rest.is_empty() {
            findings.error_asking(
                id::JUNK,
                rest.span(),
                format_args!("unexpected {} after the operand", Quoted(rest.text)),
                || {
                    rest.text
                        .starts_with(';')
                        .then(|| "a line holds one instruction and ends without a semicolon".to_string())
                },
            );
            return None;
        }
        Some(Self { name, number, index, suffix, whole })
    }
}

fn cut_index<'a>(whole: Word<'a>, findings: &mut Findings) -> Option<Index<'a>> {
    let inner = Word { text: &whole.text[1..whole.text.len() - 1], at: whole.at + 1 };
    if inner.text.contains(char::is_whitespace) {
        findings.error(id::JUNK, inner.span(), format_args!("white space inside the brackets"));
        return None;
    }
    let (name, number, mut rest) = register(inner);
    let mut component = None;
    if let Some(behind) = rest.strip('.') {
        let (letters, behind) = behind.split_while(|c| c.is_ascii_alphabetic());
        let lane = LANES.iter().position(|&l| letters.text.chars().eq([l]));
        let Some(lane) = lane else {
            findings.error_asking(
                id::SUFFIX,
                letters.span(),
                format_args!("{} is not one component", Quoted(letters.text)),
                || Some("an index is one component, x, y, z or w".to_string()),
            );
            return None;
        };
        component = Some(lane as u8);
        rest = behind;
    }
    let signed = rest.text.starts_with(['+', '-']);
    let (sign, digits) = rest.split(usize::from(signed));
    let (digits, behind) = digits.split_while(|c| c.is_ascii_digit());
    if !behind.is_empty() || name.is_empty() || signed == digits.is_empty() {
        findings.error_asking(
            id::JUNK,
            whole.span(),
            format_args!("{} is not an index", Quoted(whole.text)),
            || {
                Some(
                    "an index is a register component and an offset: vc[va0.x+4]; a fixed register is vc4"
                        .to_string(),
                )
            },
        );
        return None;
    }
    let offset = Word { text: &rest.text[..sign.text.len() + digits.text.len()], at: rest.at };
    Some(Index { name, number, component, offset, whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_offsets() {
        let text = "\u{feff}a // b\r\n\r c\n";
        let got: Vec<_> = lines(text).map(|l| (l.code.text, l.code.at, l.comment.map(|c| c.text))).collect();
        assert_eq!(got, [("a", 3, Some("// b")), ("", 11, None), ("c", 13, None), ("", 15, None)]);
    }

    #[test]
    fn an_operand_is_cut() {
        let mut findings = Findings::new(id::MORE);
        let o = Operand::cut(Word { text: "vc[va12.y-3].zw", at: 5 }, &mut findings);
        let Some(Operand { name, index: Some(index), suffix: Some(suffix), .. }) = o else { panic!("{o:?}") };
        assert_eq!((name.text, suffix.text, suffix.at), ("vc", "zw", 18));
        assert_eq!((index.number.text, index.component, index.offset.text), ("12", Some(1), "-3"));
        assert!(!findings.has_errors());
    }
}
