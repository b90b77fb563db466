//! Texts in logs: what stands in front of their lines, and where they are.

use super::like::{begins, stage_of};
use super::words;
use crate::diag::Span;
use crate::isa::tgsi::program::Processor;
use alloc::string::String;
use alloc::vec::Vec;

/// Longest front of a line, in bytes.
const MAX_FRONT: usize = 120;

/// What a log puts in front of a line whose last word is the header of a program; `None` if it is no such line.
fn front(line: &str) -> Option<&str> {
    let line = line.trim_end();
    let at = line.bytes().rposition(|b| !super::cursor::is_word(b)).map_or(0, |n| n + 1);
    let (front, word) = line.split_at_checked(at)?;
    let header = Processor::named(word).is_some() && word.bytes().all(|b| !b.is_ascii_lowercase());
    (header && front.len() <= MAX_FRONT).then_some(front)
}

/// The length of the front of a line that is one like `front`: digits may be others, and as many as there are.
fn like(line: &str, front: &str) -> Option<usize> {
    let (a, b) = (line.as_bytes(), front.as_bytes());
    let (mut at, mut n) = (0, 0);
    let digits = |bytes: &[u8], mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let blanks = |bytes: &[u8], mut at: usize| {
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        at
    };
    // Blanks at the end may be those of the program.
    while let Some(wanted) = b.get(n) {
        if wanted.is_ascii_digit() {
            let end = digits(a, at);
            if end == at {
                return None;
            }
            (at, n) = (end, digits(b, n));
        } else if *wanted == b' ' && b.get(blanks(b, n)).is_some_and(u8::is_ascii_digit) {
            // Numbers are made of one width.
            (at, n) = (blanks(a, at), blanks(b, n));
        } else if a.get(at) == Some(wanted) {
            (at, n) = (at + 1, n + 1);
        } else if b.get(n..).is_some_and(|rest| rest.iter().all(|b| *b == b' '))
            && at == line.trim_end().len()
        {
            return Some(at);
        } else {
            return None;
        }
    }
    Some(at)
}

/// The lines of a text with where they begin, their ends included.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

/// A text with blanks where a log has put something in front of lines, so that places stay; `None` if it begins as texts
/// do, or no line says what a log puts there.
pub(super) fn plain(text: &str) -> Option<String> {
    if stage_of(text).is_some() {
        return None;
    }
    let front = lines(text).find_map(|(_, line)| front(line).filter(|front| !front.trim().is_empty()))?;
    let mut out = String::with_capacity(text.len());
    for (_, line) in lines(text) {
        match like(line, front).and_then(|len| line.split_at_checked(len)) {
            Some((front, rest)) => {
                out.extend(core::iter::repeat_n(' ', front.len()));
                out.push_str(rest);
            }
            None => out.push_str(line),
        }
    }
    Some(out)
}

/// Where the programs are in a log: from the line that is a header, behind what the log puts in front, to the line of
/// the last `END` in front of something that is none of the program. [`parse`](super::parse()) reads each of them
/// if it is asked to be tolerant.
pub fn programs_in(log: &str) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    // The start of the program that is read, its front, and where it ends as far as is known.
    let mut open: Option<(usize, &str, usize)> = None;
    for (start, line) in lines(log) {
        if let Some(front) = front(line) {
            close(log, open.take(), &mut out);
            open = Some((start, front, start));
            continue;
        }
        let Some((_, front, end)) = &mut open else { continue };
        let fronted = like(line, front).and_then(|len| line.get(len..));
        let inside = fronted.unwrap_or(line);
        // A line of several may have the front alone; prose is in small letters.
        let may = fronted.is_some() || is_in_capitals(inside);
        if may && is_statement(inside) {
            *end = start + line.len();
        } else if !inside.trim().is_empty() && !is_comment(inside) {
            close(log, open.take(), &mut out);
        }
    }
    close(log, open, &mut out);
    out
}

/// Whether a text is a log with a program in it: a line whose last word is a header, and a statement in the next line that
/// is not empty, both in capitals, as drivers print them: in small letters `and` is a word of English.
pub(super) fn has_program(text: &str) -> bool {
    let mut header: Option<&str> = None;
    for (_, line) in lines(text) {
        if let Some(front) = front(line) {
            header = Some(front);
            continue;
        }
        let Some(front) = header else { continue };
        let inside = like(line, front).and_then(|len| line.get(len..)).unwrap_or(line);
        let word =
            inside.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | ':'));
        if is_statement(inside) && !word.starts_with(|c: char| c.is_ascii_lowercase()) {
            return true;
        }
        if !inside.trim().is_empty() {
            header = None;
        }
    }
    false
}

fn close(log: &str, open: Option<(usize, &str, usize)>, out: &mut Vec<Span>) {
    let Some((start, front, end)) = open else { return };
    let inside = log.get(start + front.len()..end).unwrap_or("");
    // What is behind the header of a line with a front is that of the next line.
    let first = inside.lines().next().unwrap_or("");
    if end > start && (begins(first) || begins(inside)) {
        out.push(Span::new(start, end));
    }
}

/// Whether the word with which a statement begins has no small letter in front.
fn is_in_capitals(line: &str) -> bool {
    let word = line.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_ascii_whitespace() || c == ':');
    !word.starts_with(|c: char| c.is_ascii_lowercase())
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(['#', ';']) || line.starts_with("//") || line.starts_with("/*")
}

/// Whether a line begins as statements do.
fn is_statement(line: &str) -> bool {
    let line = line.trim_start();
    let line = match line.split_once(':') {
        Some((number, rest))
            if !number.is_empty() && number.trim_end().bytes().all(|b| b.is_ascii_digit()) =>
        {
            rest.trim_start()
        }
        _ => line,
    };
    if line.starts_with("(PRED") || line.starts_with("(!PRED") {
        return true;
    }
    let end = line.bytes().position(|b| !super::cursor::is_word(b)).unwrap_or(line.len());
    let word = line.get(..end).unwrap_or("");
    ["DCL", "IMM", "PROPERTY"].iter().any(|known| known.eq_ignore_ascii_case(word))
        || words::mnemonic(word).is_some()
}
