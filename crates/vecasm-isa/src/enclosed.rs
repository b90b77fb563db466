//! Programs inside other texts: the fronts that logs give their lines, and blanks for everything outside a program.

use alloc::string::String;
#[cfg(any(feature = "d3d9", feature = "nv2a"))]
use alloc::vec::Vec;
use core::ops::Range;

/// Longest front of a line, in bytes.
pub(super) const MAX_FRONT: usize = 120;

/// This many lines in a row that are no statements end a program in a log that has no `END`.
pub(super) const MAX_STRANGE: usize = 8;

/// A program inside a text, in the language `L`.
#[cfg(any(feature = "d3d9", feature = "nv2a"))]
pub(super) struct Found<'a, L> {
    #[cfg_attr(not(feature = "nv2a"), allow(dead_code, reason = "Direct3D has one language"))]
    pub(super) language: L,
    /// Its lines with the offsets at which they begin; skipped lines are not among them.
    pub(super) lines: Vec<(usize, &'a str)>,
    pub(super) end: usize,
    /// What precedes the program in its first line, and whether the others begin so, too.
    pub(super) front: &'a str,
    pub(super) fronted: bool,
}

#[cfg(any(feature = "d3d9", feature = "nv2a"))]
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
    pub(super) fn alone(&self, text: &str) -> String {
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
pub(super) fn blank(out: &mut String, text: &str, part: Range<usize>) {
    let bytes = text.as_bytes().get(part).unwrap_or(&[]);
    out.extend(bytes.iter().map(|b| if *b == b'\n' { '\n' } else { ' ' }));
}

/// Whether a `/*` comment is open at the end of a line, if one is at its beginning or not. Behind one of `marks`, which begin
/// the comments that end with their line, none begins.
#[cfg(any(feature = "d3d9", feature = "nv2a"))]
pub(super) fn comment_is_open(line: &str, mut open: bool, marks: &[&str]) -> bool {
    let mut rest = line;
    loop {
        let at = if open {
            rest.find("*/")
        } else {
            let end = marks.iter().filter_map(|mark| rest.find(mark)).min().unwrap_or(rest.len());
            rest.find("/*").filter(|at| *at < end)
        };
        let Some(at) = at else { return open };
        open = !open;
        rest = rest.get(at + 2..).unwrap_or("");
    }
}

/// Bytes of a line that are looked at, so that the time stays linear: no instruction is that long.
#[cfg(any(feature = "d3d9", feature = "nv2a"))]
const MAX_CODE: usize = 4096;

/// A line up to the first of these words.
#[cfg(any(feature = "d3d9", feature = "nv2a"))]
pub(super) fn until<'a>(line: &'a str, words: &[&str]) -> &'a str {
    let mut most = line.len().min(MAX_CODE);
    while !line.is_char_boundary(most) {
        most -= 1;
    }
    let line = line.get(..most).unwrap_or(line);
    let end = words.iter().filter_map(|word| line.find(word)).min();
    end.and_then(|end| line.get(..end)).unwrap_or(line)
}

/// A line without the blanks at its end.
pub(super) fn trimmed(line: &str) -> &str {
    line.trim_end_matches(|c: char| c.is_whitespace() || c == '\0')
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
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    let mut at = 0;
    text.split_inclusive(['\n', '\0']).map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

/// The length of what a log puts in front of a line, or `None` if it has no such front.
pub(super) fn fronted(line: &str, front: &str) -> Option<usize> {
    if front.trim().is_empty() { Some(0) } else { like(line, front) }
}
