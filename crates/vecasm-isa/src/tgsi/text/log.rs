//! Programs inside other texts: logs, dumps of drivers, sources of other languages.
//!
//! A program begins at a header that a statement follows, and goes on to its `END`. What follows `END` belongs to it only if it
//! is a statement, as the subroutines of old programs are; anything else is of whoever printed the program.

use super::cursor::COMMENTS;
use super::like::{begins, behind_header};
use super::words;
use crate::text::cursor::is_word;
use crate::text::enclosed::{MAX_FRONT, MAX_STRANGE, blank, fronted, lines, trimmed};
use crate::text::literals;
use crate::tgsi::program::Processor;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;

/// A program inside a text.
struct Found<'a> {
    /// From the line of the header, what is in front of it included, to the end of the last line.
    span: Span,
    /// What the log puts in front of the header.
    front: &'a str,
    /// Whether the lines behind the header have it, too.
    fronted: bool,
}

/// What a log puts in front of a line whose last word, comments aside, is the header of a program; `None` if it is no such line.
fn front(line: &str) -> Option<&str> {
    let headed = |line: &'_ str| {
        let len = trimmed(line).len();
        let word = line.bytes().take(len).rev().take_while(|b| is_word(*b)).count();
        let (at, word) = (len - word, line.get(len - word..len)?);
        let header = Processor::named(word).is_some() && word.bytes().all(|b| !b.is_ascii_lowercase());
        (header && at <= MAX_FRONT).then_some(at)
    };
    line.get(..headed(line).or_else(|| headed(without_comment(line)))?)
}

/// A line up to a comment.
fn without_comment(line: &str) -> &str {
    COMMENTS.first(line).and_then(|at| line.get(..at)).unwrap_or(line)
}

/// Whether a statement in capitals follows, as drivers print them: in small letters `and` is a word of English.
fn statement_follows<'a>(lines: impl Iterator<Item = (usize, &'a str)>, front: &str) -> bool {
    for (_, line) in lines {
        let inside = fronted(line, front).and_then(|len| line.get(len..)).unwrap_or(line);
        if !is_empty(inside) {
            return is_in_capitals(inside) && is_statement(inside) || is_shaped(inside);
        }
    }
    false
}

/// The programs of a text from the first one on, until `each` says that it has seen enough.
fn find<'a>(text: &'a str, mut each: impl FnMut(Found<'a>) -> bool) {
    let mut rest = lines(text);
    let mut open: Option<Finder<'a>> = None;
    // Where a line that says the dialect of the next program begins.
    let mut lead = None;
    if let Some(reader) = behind_header(text).filter(|_| begins(text)) {
        // The text begins with a program, whatever its header looks like.
        let mut finder = Finder::new(0, "", true);
        for (start, line) in rest.by_ref() {
            let end = start + line.len();
            finder.found.span.end = end as u32;
            if end >= reader.at {
                let behind = line.get(reader.at.saturating_sub(start)..).unwrap_or("");
                finder.take(end - behind.len(), behind);
                break;
            }
        }
        open = Some(finder);
    }
    while let Some((start, line)) = rest.next() {
        // `PROPERTY NEXT_SHADER FRAG` is no header.
        let inside = open.as_ref().is_some_and(|finder| finder.is_statement(line));
        let front = front(line).filter(|front| !inside && statement_follows(rest.clone(), front));
        if let Some(front) = front {
            let begin = lead.take().unwrap_or(start);
            if let Some(mut before) = open.take() {
                before.found.span.end = before.found.span.end.min(begin as u32);
                if !before.close(&mut each) {
                    return;
                }
            }
            let mut finder = Finder::new(begin, front, false);
            finder.found.span.end = (start + line.len()) as u32;
            open = Some(finder);
            continue;
        }
        if open.as_mut().is_some_and(|finder| !finder.take(start, line))
            && open.take().is_some_and(|finder| !finder.close(&mut each))
        {
            return;
        }
        if line.trim_start().starts_with(".dialect") {
            lead = lead.or(Some(start));
        } else if !is_empty(line) {
            lead = None;
        }
    }
    if let Some(finder) = open {
        finder.close(&mut each);
    }
}

/// A program whose end is looked for.
struct Finder<'a> {
    found: Found<'a>,
    /// Whether the text begins with it: then everything up to `END` is of it.
    bare: bool,
    /// Whether a statement was found.
    any: bool,
    /// Whether `END` was there, and if so, whether it was in small letters.
    end: Option<bool>,
    /// Number of lines in a row that are no statements.
    strange: usize,
}

impl<'a> Finder<'a> {
    const fn new(start: usize, front: &'a str, bare: bool) -> Self {
        let span = Span { start: start as u32, end: start as u32 };
        let found = Found { span, front, fronted: false };
        Self { found, bare, any: false, end: None, strange: 0 }
    }

    /// Gives the program to `each` if it has a statement; `false` if that was enough.
    fn close(self, each: &mut impl FnMut(Found<'a>) -> bool) -> bool {
        !self.any || each(self.found)
    }

    /// Whether a line whose last word is a stage is a statement of the program.
    fn is_statement(&self, line: &str) -> bool {
        let inside = fronted(line, self.found.front).and_then(|len| line.get(len..)).unwrap_or(line);
        self.end.is_none() && is_statement(inside) && front(inside).is_some_and(|front| !is_empty(front))
    }

    /// Takes a line; `false` if the program has ended in front of it.
    fn take(&mut self, start: usize, line: &str) -> bool {
        let front = fronted(line, self.found.front);
        let inside = front.and_then(|len| line.get(len..)).unwrap_or(line);
        if is_empty(inside) {
            return true;
        }
        // A line of several may have the front alone; prose is in small letters.
        let statement = is_statement(inside) && (front.is_some() || is_in_capitals(inside));
        let line_end = (start + line.len()) as u32;
        if let Some(small) = self.end {
            let more = statement && (small || is_in_capitals(inside));
            if more {
                self.found.span.end = line_end;
            }
            return more;
        }
        if !self.any {
            self.found.fronted = front.is_some_and(|len| len > 0);
        } else if self.found.fronted && front.is_none() && !statement {
            // Something else that was logged in between.
            return true;
        }
        if statement || self.bare || is_shaped(inside) {
            self.found.span.end = line_end;
            self.any = true;
            self.strange = 0;
        } else {
            self.strange += 1;
        }
        if let (true, Some((small, len))) = (statement, end(inside)) {
            self.end = Some(small);
            let behind = inside.get(len..).unwrap_or("");
            if behind.trim_start().starts_with(['"', '\'', '`', ')', ',']) {
                // The literal ends, and the program with it.
                self.found.span.end = line_end - behind.len() as u32;
            }
        }
        self.strange < MAX_STRANGE
    }
}

impl Found<'_> {
    /// What is of the program in one of its lines: the length of what is in front of that; `None` if the whole line is of
    /// something else.
    fn front_of(&self, line: &str) -> Option<usize> {
        let statement = || is_statement(line) && is_in_capitals(line);
        fronted(line, self.front).or_else(|| (!self.fronted || statement()).then_some(0))
    }
}

/// A text with blanks for everything that is not of its first program, so that places stay; `None` if there is no program, or
/// nothing around it.
pub(super) fn plain(text: &str) -> Option<String> {
    let unquoted = literals::unquoted(text, begins_literal);
    let source = unquoted.as_deref().unwrap_or(text);
    let mut first = None;
    find(source, |found| {
        first = Some(found);
        false
    });
    let found = first?;
    let (start, end) = (found.span.start as usize, found.span.end as usize);
    let mut out = String::with_capacity(text.len());
    let blank = |out: &mut String, from: usize, to: usize| blank(out, text, from..to);
    blank(&mut out, 0, start);
    let mut broken = false;
    for (at, line) in lines(source.get(start..end)?) {
        let (from, to) = (start + at, start + at + line.len());
        let front = found.front_of(line).or(broken.then_some(0)).unwrap_or(line.len());
        broken = line.get(front..).is_some_and(|inside| goes_on(inside) && (broken || is_statement(inside)));
        blank(&mut out, from, from + front);
        let mut inside = line.get(front..).unwrap_or("");
        let here = text.as_bytes().get(to - 1);
        // A zero of the text itself is padding at the end of a line, and wrong within one.
        let within = here == Some(&0)
            && text
                .get(to..)
                .and_then(|rest| rest.lines().next())
                .is_some_and(|rest| !rest.chars().all(|c| c == '\0' || c.is_whitespace()));
        if here != Some(&b'\n') && !within {
            // The line ends, but not that of the text around it.
            inside = inside.strip_suffix(['\n', '\0']).map_or(inside, without_comment);
        }
        out.push_str(inside);
        blank(&mut out, from + front + inside.len(), to);
    }
    blank(&mut out, end, text.len());
    (out != text).then_some(out)
}

/// Whether a literal that says this has the header of a program in front, in capitals.
fn begins_literal(rest: &[u8]) -> bool {
    let word = rest.get(..rest.iter().take_while(|b| b.is_ascii_uppercase() || **b == b'_').count());
    let word = word.and_then(|word| core::str::from_utf8(word).ok()).unwrap_or("");
    let ends = rest.get(word.len()).is_none_or(|b| !is_word(*b));
    ends && Processor::named(word).is_some()
}

/// Where the programs are in a log, in a dump of a driver or in the literals of a source of another language: from the line with
/// the header, what is in front of it included, to the line of the last statement. [`parse`](super::parse()) reads each of them
/// if it is asked to be tolerant.
pub fn programs_in(log: &str) -> Vec<Span> {
    let mut out = Vec::new();
    let unquoted = literals::unquoted(log, begins_literal);
    find(unquoted.as_deref().unwrap_or(log), |found| {
        out.push(found.span);
        true
    });
    out
}

/// A program as it is in the text around it.
pub(super) struct Place<'a> {
    /// From the line of the header to the end of the last line.
    pub span: Span,
    /// The blanks in front of its header, if nothing else is in front of its lines and it is in no literal.
    pub indent: Option<&'a str>,
}

/// Where the programs of a text are, and how.
pub(super) fn places(text: &str) -> Vec<Place<'_>> {
    let mut out = Vec::new();
    let unquoted = literals::unquoted(text, begins_literal);
    find(unquoted.as_deref().unwrap_or(text), |found| {
        let (start, end) = (found.span.start as usize, found.span.end as usize);
        let same = unquoted.as_ref().is_none_or(|source| source.get(start..end) == text.get(start..end));
        let blank = found.front.bytes().all(|b| matches!(b, b' ' | b'\t'));
        let indent = text.get(start..start + found.front.len()).filter(|_| same && blank);
        out.push(Place { span: found.span, indent });
        true
    });
    out
}

/// Whether there is a program in a text.
pub(super) fn has_program(text: &str) -> bool {
    let mut any = false;
    let unquoted = literals::unquoted(text, begins_literal);
    find(unquoted.as_deref().unwrap_or(text), |_| {
        any = true;
        false
    });
    any
}

/// The first word of a statement, behind its number, and where it begins.
fn first_word(line: &str) -> (usize, &str) {
    let rest = line.trim_start();
    let rest = match rest.split_once(':') {
        Some((number, behind))
            if !number.is_empty() && number.trim_end().bytes().all(|b| b.is_ascii_digit()) =>
        {
            behind.trim_start()
        }
        _ => rest,
    };
    let len = rest.bytes().take_while(|b| is_word(*b)).count();
    (line.len() - rest.len(), rest.get(..len).unwrap_or(""))
}

/// Whether the word with which a statement begins has no small letter in front.
fn is_in_capitals(line: &str) -> bool {
    !first_word(line).1.starts_with(|c: char| c.is_ascii_lowercase())
}

/// Whether a line says nothing: it is empty or a comment.
fn is_empty(line: &str) -> bool {
    let line = trimmed(line).trim_start();
    line.is_empty() || line.starts_with(['#', ';']) || line.starts_with("//") || line.starts_with("/*")
}

/// Whether a line begins as statements do.
fn is_statement(line: &str) -> bool {
    let (at, word) = first_word(line);
    if word.is_empty() {
        let rest = line.get(at..).unwrap_or("");
        let directive = rest.strip_prefix('.').map(|rest| first_word(rest).1);
        return directive.is_some_and(|word| ["head", "tail", "words", "bits"].contains(&word))
            || ["(PRED", "(!PRED"].iter().any(|s| rest.starts_with(s))
            || rest.strip_prefix('$').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    }
    ["DCL", "IMM", "PROPERTY"].iter().any(|known| known.eq_ignore_ascii_case(word))
        || words::mnemonic(word).is_some()
}

/// A program with blanks for lines that something else logged between its own, and where these are; `None` if there are none.
pub(super) fn without_logged(text: &str) -> Option<(String, Vec<Span>)> {
    let mut out = String::with_capacity(text.len());
    let mut skipped = Vec::new();
    // The header is in front of all of them.
    let mut any = false;
    for (at, line) in lines(text) {
        let len = trimmed(line).len();
        if any && is_logged(line) {
            out.extend(core::iter::repeat_n(' ', len));
            out.push_str(line.get(len..).unwrap_or(""));
            skipped.push(Span::new(at, at + len));
        } else {
            any |= !is_empty(line);
            out.push_str(line);
        }
    }
    (!skipped.is_empty()).then_some((out, skipped))
}

/// Whether a line looks like one of a log, and not like a statement: it begins with a name and a colon that text follows, or
/// with a time or a number in brackets.
fn is_logged(line: &str) -> bool {
    let line = line.trim_start();
    if let Some(inside) = line.strip_prefix('[') {
        return inside.contains(']') && inside.trim_start().starts_with(|c: char| c.is_ascii_digit());
    }
    let len =
        line.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')).count();
    let (name, rest) = line.split_at_checked(len).unwrap_or((line, ""));
    if name.is_empty() || is_statement(line) {
        return false;
    }
    // 2026-11-01T12:00:01, 12:00:01.
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return rest.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    }
    // A process may have its number in brackets.
    let rest = rest.strip_prefix('[').map_or(rest, |inside| {
        let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
        inside.get(digits..).and_then(|rest| rest.strip_prefix(']')).unwrap_or("")
    });
    rest.strip_prefix(':').is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Whether a line of a program goes on in the next one, which may lack what is in front of the others: mail programs break
/// lines.
fn goes_on(line: &str) -> bool {
    let line = trimmed(line);
    line.ends_with(',') || line.matches('{').count() > line.matches('}').count()
}

/// Whether a line has the shape of a statement whose first word nobody knows: it has a number and is no dump of words, or the
/// operand behind it is a register.
fn is_shaped(line: &str) -> bool {
    let (at, word) = first_word(line);
    if !word.starts_with(|c: char| c.is_ascii_uppercase()) || word.bytes().any(|b| b.is_ascii_lowercase()) {
        return false;
    }
    let numbered = line.get(..at).is_some_and(|front| front.contains(':'));
    if numbered && !(word.len() == 8 && word.bytes().all(|b| b.is_ascii_hexdigit())) {
        return true;
    }
    let operand = line.get(at + word.len()..).unwrap_or("").trim_start();
    let file = operand.bytes().take_while(|b| b.is_ascii_uppercase()).count();
    file > 0 && operand.get(file..).is_some_and(|rest| rest.trim_start().starts_with('['))
}

/// Whether the `END` of a program ends a line of statements: whether it is in small letters, and where it ends.
fn end(line: &str) -> Option<(bool, usize)> {
    let (at, word) = first_word(line);
    let (at, word) = if word.eq_ignore_ascii_case("END") {
        (at, word)
    } else {
        // Statements may share a line.
        let code = trimmed(without_comment(line));
        let at = code.len() - code.bytes().rev().take_while(|b| is_word(*b)).count();
        (at, code.get(at..)?)
    };
    word.eq_ignore_ascii_case("END").then(|| (word.starts_with('e'), at + word.len()))
}
