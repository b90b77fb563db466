//! Programs inside other texts: logs, dumps of calls, Markdown, effects, string literals of other languages.
//!
//! A program begins at its model, alone at the end of a line, or at the preshader in front of it, if an instruction follows. It ends at
//! its last instruction. What is between is the program's, whatever it is: the reader reports what is wrong with it. Only where lines
//! have a front, as in logs, those without it were logged in between, and are skipped.

use super::blocks;
use super::parse::model;
use crate::d3d9::table::{Form, Opcode};
use crate::text::Comments;
use crate::text::cursor::first_word;
use crate::text::enclosed::{self, MAX_FRONT, MAX_STRANGE, fronted, is_separator, lines, trimmed};
use crate::text::literals;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;

/// Most lines between a model and its first instruction, so that the time stays linear.
const MAX_GAP: usize = 256;

/// A program inside a text.
type Found<'a> = enclosed::Found<'a, ()>;

/// From its first line to its end.
fn span_of(found: &Found<'_>) -> Span {
    Span::new(found.lines.first().map_or(found.end, |line| line.0), found.end)
}

/// Where the programs inside a text are; none if the text is a program itself, or the listing of an effect.
pub fn programs_in(text: &str) -> Vec<Span> {
    if is_whole(text) {
        return Vec::new();
    }
    let unquoted = literals::unquoted(text, begins_literal);
    find(unquoted.as_deref().unwrap_or(text)).iter().map(span_of).collect()
}

/// Where the text of a program is that has such a span: behind what stands in front of its first line. `None` if the other lines have a
/// front as well.
pub fn text_of_program(text: &str, span: Span) -> Option<Span> {
    let part = text.get(span.start as usize..span.end as usize)?;
    let first = part.lines().next()?;
    let (front, _) = header(first)?;
    let blank = first.get(..front)?.trim().is_empty();
    let begins = blank || first.get(..front)?.trim_end().ends_with(['"', '\'', '`']);
    begins.then(|| Span::new(span.start as usize + if blank { 0 } else { front }, span.end as usize))
}

/// Where those of them are that share no line with other text and are in no literal.
pub(super) fn plain_spans(text: &str) -> Vec<Span> {
    if is_whole(text) {
        return Vec::new();
    }
    let unquoted = literals::unquoted(text, begins_literal);
    let source = unquoted.as_deref().unwrap_or(text);
    let plain = |found: &Found<'_>| {
        let span = span_of(found);
        let range = span.start as usize..span.end as usize;
        let own = found.front.trim().is_empty() && text.get(range.clone()) == source.get(range);
        own.then_some(span)
    };
    find(source).iter().filter_map(plain).collect()
}

/// The program of that number inside a text, from 1, with blanks for everything else, so that places stay; 0 is the first one. A text
/// that is a program itself, and one that has none, is what it is.
pub(super) fn alone(text: &str, number: usize) -> Cow<'_, str> {
    if is_whole(text) {
        return Cow::Borrowed(text);
    }
    let unquoted = literals::unquoted(text, begins_literal);
    let all = find(unquoted.as_deref().unwrap_or(text));
    let Some(found) = all.get(number.max(1) - 1) else { return Cow::Borrowed(text) };
    Cow::Owned(found.alone(text))
}

/// Whether a text is a program as it is, or the listing of an effect.
fn is_whole(text: &str) -> bool {
    super::looks_like(text) || blocks::is_effect(text)
}

/// Whether a literal that says this begins as a program.
fn begins_literal(rest: &[u8]) -> bool {
    let end =
        rest.iter().take(80).position(|b| matches!(b, b'\\' | b'"' | b'\n')).unwrap_or(rest.len().min(80));
    let line = rest.get(..end).and_then(|line| core::str::from_utf8(line).ok()).unwrap_or("");
    header(line).is_some_and(|(at, _)| at == 0)
}

/// The programs of a text.
fn find(text: &str) -> Vec<Found<'_>> {
    let all: Vec<(usize, &str)> = lines(text).collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&(start, line)) = all.get(at) {
        let rest = all.get(at + 1..).unwrap_or(&[]);
        let begun =
            header(line).and_then(|(front, _)| line.get(..front)).filter(|front| follows(rest, front));
        let Some(front) = begun else {
            at += 1;
            continue;
        };
        let logged = !front.trim().is_empty() && next_inside(rest, front).is_some();
        let found = Found { language: (), lines: Vec::new(), end: start, front, fronted: logged };
        let found = take(found, all.get(at..).unwrap_or(&[]));
        at += 1 + rest.iter().take_while(|line| line.0 < found.end).count();
        out.push(found);
    }
    out
}

/// Takes the lines of a program, of which the first one is given.
fn take<'a>(mut found: Found<'a>, all: &[(usize, &'a str)]) -> Found<'a> {
    // Behind a preshader the model is of the same program.
    let mut has_model = all.first().and_then(|(_, line)| header(line)).is_some_and(|(_, model)| model);
    // How many lines in a row are of something else, whether a comment goes on, and whether it began behind code.
    let (mut strange, mut commented, mut behind_code) = (0, false, false);
    // Whether an instruction goes on in the next line: its operands, or the last of them, are there.
    let mut open = false;
    // Lines that are of the program if an instruction follows.
    let mut kept = Vec::new();
    let mut ends = false;
    for (n, &(start, line)) in all.iter().enumerate() {
        if ends {
            break;
        }
        // A string ends here.
        ends = line.ends_with('\0');
        let line = line.strip_suffix('\0').unwrap_or(line);
        if n == 0 {
            found.lines.push((start, line));
            found.end = start + line.len();
            (commented, behind_code) = (Comments::ASSEMBLER.is_open_behind(line, false), true);
            continue;
        }
        let front = if found.fronted { fronted(line, found.front) } else { Some(0) };
        let Some(inside) = front.and_then(|len| line.get(len..)) else {
            // Something else that was logged in between.
            strange += 1;
            if strange >= MAX_STRANGE {
                break;
            }
            continue;
        };
        let begins = match header(line) {
            Some((_, true)) if !has_model && header(inside).is_some_and(|(at, _)| is_blank(inside, at)) => {
                has_model = true;
                true
            }
            Some(_) => break,
            None => false,
        };
        let in_comment = commented;
        commented = Comments::ASSEMBLER.is_open_behind(inside, in_comment);
        kept.push((start, line));
        if in_comment && behind_code {
            found.lines.append(&mut kept);
            found.end = start + line.len();
        }
        if in_comment || is_empty(inside) {
            behind_code &= in_comment;
            continue;
        }
        let code = code_of(inside);
        let goes_on = open || code.trim_start().starts_with(',');
        behind_code = begins || goes_on || may_be_code(inside);
        if behind_code {
            open = code.ends_with(',') || wants_operands(code);
            found.lines.append(&mut kept);
            found.end = start + line.len();
            strange = 0;
            continue;
        }
        strange += 1;
        if strange >= MAX_STRANGE || !found.fronted && is_separator(line) {
            break;
        }
    }
    found
}

fn is_blank(line: &str, end: usize) -> bool {
    line.get(..end).is_some_and(|front| front.trim().is_empty())
}

/// The model that ends a line, or `preshader`: where it begins, and whether it is a model.
fn header(line: &str) -> Option<(usize, bool)> {
    let line = trimmed(line);
    let mut at = 0;
    loop {
        let rest = line.get(at..)?;
        // In a literal or a call it may follow a quote or a parenthesis.
        let breaks = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | '{');
        let start = at + rest.find(|c: char| !breaks(c))?;
        if start > MAX_FRONT {
            return None;
        }
        let rest = line.get(start..)?;
        if let Some((_, len)) = model(rest, false) {
            if is_empty(rest.get(len..).unwrap_or("")) {
                return Some((start, true));
            }
        }
        let word = rest.split(breaks).next().unwrap_or(rest);
        if word.eq_ignore_ascii_case("preshader") && is_empty(rest.get(word.len()..).unwrap_or("")) {
            return Some((start, false));
        }
        at = start + word.len();
    }
}

/// The next line that is neither empty nor a comment, without the front.
fn next_inside<'a>(rest: &[(usize, &'a str)], front: &str) -> Option<&'a str> {
    enclosed::next_inside(rest.get(..MAX_GAP).unwrap_or(rest), front, is_empty)
}

/// Whether the next line that is neither empty nor a comment may be code, with the front of this one or with nothing in front.
fn follows(rest: &[(usize, &str)], front: &str) -> bool {
    let inside = next_inside(rest, front).or_else(|| next_inside(rest, ""));
    inside.is_some_and(may_be_code)
}

/// A line without comments and the blanks at its end.
fn code_of(line: &str) -> &str {
    enclosed::code_of(line, &Comments::ASSEMBLER).trim_end()
}

/// Whether a line is an instruction, or may be one with something wrong in it: a mnemonic alone, one with a comma behind the first word,
/// or any word in front of a register.
fn may_be_code(line: &str) -> bool {
    let mut line = trimmed(line).trim_start().trim_start_matches('+').trim_start();
    if let Some((_, behind)) = line.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        line = behind.trim_start();
    }
    let code = code_of(line);
    let word = first_word(code);
    let rest = code.get(word.len()..).unwrap_or("");
    let operands = rest.trim_start();
    if word.is_empty() || word.len() > 32 {
        return false;
    }
    if operands.is_empty() {
        return is_mnemonic(word);
    }
    if !rest.starts_with([' ', '\t']) {
        return false;
    }
    let (first, more) = operands.split_once(',').map_or((operands, false), |(first, _)| (first, true));
    let first = first.trim_end();
    let one_word = !first.contains([' ', '\t']) || first.contains('[');
    one_word && (more && is_mnemonic(word) || is_register(first))
}

/// Whether a word is the name of an instruction, with any suffixes.
fn is_mnemonic(word: &str) -> bool {
    forms(word).next().is_some()
}

/// The forms of the instructions of a name, whatever its suffixes.
fn forms(word: &str) -> impl Iterator<Item = &'static Form> {
    let base = word.split('_').next().unwrap_or(word);
    let named =
        move |form: &&Form| form.name.split('_').next().is_some_and(|name| name.eq_ignore_ascii_case(base));
    Opcode::ALL.iter().flat_map(|op| op.row().forms).filter(named)
}

/// Whether a line is the name of an instruction alone, which has operands in every form.
fn wants_operands(code: &str) -> bool {
    let word = code.trim_start().trim_start_matches('+').trim_start();
    !word.contains([' ', '\t']) && is_mnemonic(word) && forms(word).all(|form| !form.shape.is_empty())
}

/// Whether a word begins as a register does.
fn is_register(word: &str) -> bool {
    let word = word.trim_start_matches(['-', '!']);
    let letters = word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len());
    let (name, rest) = word.split_at(letters);
    let whole = ["oPos", "oFog", "oPts", "oDepth", "vPos", "vFace", "aL"];
    let numbered = ["r", "v", "c", "t", "s", "a", "i", "b", "p", "l", "o", "oD", "oT", "oC"];
    let is = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(name));
    let number = rest.starts_with(|c: char| c.is_ascii_digit() || c == '[');
    is(&whole) && (rest.is_empty() || rest.starts_with('.')) || is(&numbered) && number
}

/// Whether a line says nothing: it is empty or a comment.
fn is_empty(line: &str) -> bool {
    let line = trimmed(line).trim_start();
    line.is_empty() || line.starts_with(';') || line.starts_with("//") || line.starts_with("/*")
}
