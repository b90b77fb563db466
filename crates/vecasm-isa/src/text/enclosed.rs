//! Programs inside other texts: the fronts that logs give their lines, and blanks for everything outside a program.

use super::Comments;
use super::numbers::count_digits;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// Longest front of a line, in bytes.
pub(crate) const MAX_FRONT: usize = 120;

/// This many lines in a row that are no statements end a program in a log that has no `END`.
pub(crate) const MAX_STRANGE: usize = 8;

/// A program inside a text, in the language `L`.
pub(crate) struct Found<'a, L> {
    pub(crate) language: L,
    /// Its lines with the offsets at which they begin; skipped lines are not among them.
    pub(crate) lines: Vec<(usize, &'a str)>,
    pub(crate) end: usize,
    /// What precedes the program in its first line, and whether the others begin so, too.
    pub(crate) front: &'a str,
    pub(crate) fronted: bool,
}

impl<L> Found<'_, L> {
    /// The length of what precedes the program in one of its lines.
    fn front_of(&self, number: usize, line: &str) -> usize {
        match number {
            0 => self.front.len(),
            _ if self.fronted => fronted(line, self.front).unwrap_or(0),
            _ => 0,
        }
    }

    /// The program with blanks for everything else of the text, so that places stay.
    pub(crate) fn alone(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (n, &(start, line)) in self.lines.iter().enumerate() {
            let front = self.front_of(n, line);
            let inside = line.get(front..).unwrap_or("");
            let len = self.end.saturating_sub(start + front).min(inside.len());
            let inside = inside.get(..len).unwrap_or(inside);
            blank(&mut out, text, at..start + front);
            out.push_str(inside);
            at = start + front + inside.len();
        }
        blank(&mut out, text, at..text.len());
        out
    }
}

/// Puts blanks for a part of a text; lines stay.
pub(crate) fn blank(out: &mut String, text: &str, part: Range<usize>) {
    let bytes = text.as_bytes().get(part).unwrap_or(&[]);
    out.extend(bytes.iter().map(|b| if *b == b'\n' { '\n' } else { ' ' }));
}

/// Bytes of a line that are looked at, so that the time stays linear: no instruction is that long.
const MAX_CODE: usize = 4096;

/// A line up to a comment.
pub(crate) fn code_of<'a>(line: &'a str, comments: &Comments) -> &'a str {
    let mut most = line.len().min(MAX_CODE);
    while !line.is_char_boundary(most) {
        most -= 1;
    }
    let line = line.get(..most).unwrap_or(line);
    comments.first(line).and_then(|end| line.get(..end)).unwrap_or(line)
}

/// A line without the blanks at its end.
pub(crate) fn trimmed(line: &str) -> &str {
    line.trim_end_matches(|c: char| c.is_whitespace() || c == '\0')
}

/// The length of the front of a line that is one like `front`: digits may be others, and as many as there are.
fn like(line: &str, front: &str) -> Option<usize> {
    let (a, b) = (line.as_bytes(), front.as_bytes());
    let (mut at, mut n) = (0, 0);
    let digits = |bytes: &[u8], at: usize| at + bytes.get(at..).map_or(0, count_digits);
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
        } else if b.get(n..).is_some_and(|rest| rest.iter().all(|b| *b == b' ')) && at == trimmed(line).len()
        {
            return Some(at);
        } else {
            return None;
        }
    }
    Some(at)
}

/// The lines of a text with where they begin, their ends included. A zero ends a line, as it ends a string of C.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    let mut at = 0;
    text.split_inclusive(['\n', '\0']).map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

/// The length of what a log puts in front of a line, or `None` if it has no such front.
pub(crate) fn fronted(line: &str, front: &str) -> Option<usize> {
    if front.trim().is_empty() { Some(0) } else { like(line, front) }
}

/// The next line that is not empty, without the front.
pub(crate) fn next_inside<'a>(
    rest: &[(usize, &'a str)],
    front: &str,
    is_empty: impl Fn(&str) -> bool,
) -> Option<&'a str> {
    let mut insides = rest.iter().map(|(_, line)| fronted(line, front).and_then(|len| line.get(len..)));
    insides.find(|inside| inside.is_none_or(|inside| !is_empty(inside))).flatten()
}

/// Whether a line separates two parts of a text.
pub(crate) fn is_separator(line: &str) -> bool {
    let line = trimmed(line).trim_start();
    ["--", "==", "**", "```", "~~~", "___"].iter().any(|mark| line.starts_with(mark))
}
