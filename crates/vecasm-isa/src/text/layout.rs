//! Laying out lines of assembler languages.

use super::Comments;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;

/// What the lines of a text are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// An assembler.
    Assembler,
    /// That of Direct3D: a byte order mark separates words, and the plus of the second of a pair belongs to its word.
    Direct3d,
    /// NV_vertex_program, where `;` ends statements.
    VertexProgram,
}

impl Language {
    const fn comments(self) -> &'static Comments {
        match self {
            Self::Assembler | Self::Direct3d => &Comments::ASSEMBLER,
            Self::VertexProgram => &Comments::HASH,
        }
    }
}

/// The least number of blanks between words and the comment that follows them.
const GAP: usize = 2;

/// A level of indentation.
const LEVEL: &str = "  ";

/// How far apart tabs are.
const TAB: usize = 8;

/// The last column in which comments are lined up.
const LAST_COLUMN: usize = 120;

/// The column, from 0, at which a text ends.
fn width(text: &str) -> usize {
    let line = text.rfind(['\n', '\r']).and_then(|end| text.get(end + 1..)).unwrap_or(text);
    line.chars().fold(0, |at, c| match c {
        '\t' => (at / TAB + 1) * TAB,
        // A byte order mark takes no room.
        '\u{feff}' => at,
        _ => at + 1,
    })
}

/// A comment that ends a line.
#[derive(Clone, Copy, Debug)]
struct Trailing {
    /// Where it is in the text laid out, which does not have the blanks in front of it yet.
    at: usize,
    /// Its line there.
    line: usize,
    /// The column at which the words of the line end; 0 if there are none.
    words: usize,
    /// The column at which it begins in the original.
    column: usize,
    /// Whether a person put it there: with more blanks than the usual, or below another one.
    is_placed: bool,
}

impl Trailing {
    /// The first column that there is room for it at.
    const fn first(self) -> usize {
        self.words + GAP
    }
}

/// A text that is laid out line by line, with its trailing comments in columns.
///
/// Comments of adjacent lines are a *run*. A run in which a person lined comments up, with more than the usual two blanks,
/// has all of them in one column: that of most of them, or, where a line reaches into it, the first that all fit in. A
/// run of one comment is lined up if the text has others in that column. All other comments follow their words by two
/// blanks. An own-line comment just below a trailing one, and at its column, continues it and moves with it, unless that is its
/// indentation.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    out: String,
    /// Whether an empty line comes in front of the next one.
    gap: bool,
    line: usize,
    trailing: Vec<Trailing>,
}

impl Sheet {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { out: String::with_capacity(bytes), ..Self::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Whether what comes next begins a line.
    pub(crate) fn begins_line(&self) -> bool {
        self.out.is_empty() || self.out.ends_with('\n')
    }

    /// Appends a part of a line, or lines.
    pub(crate) fn push(&mut self, text: &str) {
        self.line += text.bytes().filter(|b| *b == b'\n').count();
        self.out.push_str(text);
    }

    /// Ends a line.
    pub(crate) fn end_line(&mut self) {
        self.push("\n");
    }

    /// Takes an empty line of the original. Of several in a row one stays, of those at the start and end none.
    pub(crate) fn skip_line(&mut self) {
        self.gap = !self.is_empty();
    }

    /// Begins a line, behind an empty one if one was taken.
    pub(crate) fn begin_line(&mut self) {
        if core::mem::take(&mut self.gap) {
            self.end_line();
        }
    }

    /// Appends blanks for levels of indentation.
    pub(crate) fn indent(&mut self, levels: usize) {
        self.out.extend(core::iter::repeat_n(LEVEL, levels));
    }

    /// Appends the comment that ends the current line; `before` is the original up to it, if it ends its line there, too.
    pub(crate) fn push_trailing(&mut self, before: Option<&str>, comment: &str) {
        let words = width(&self.out);
        // The other lines of a comment that has several would not move with the first.
        if comment.contains(['\n', '\r']) || words + GAP > LAST_COLUMN {
            self.push("  ");
            return self.push(comment);
        }
        let found = before.map(|before| (width(before), width(before.trim_end_matches([' ', '\t']))));
        let (column, end) = found.filter(|found| found.0 <= LAST_COLUMN).unwrap_or((words + GAP, words));
        let is_placed = end + GAP < column || words == 0;
        self.trailing.push(Trailing { at: self.out.len(), line: self.line, words, column, is_placed });
        self.push(comment);
    }

    /// Appends an own-line comment, at that many levels of indentation; `before` is the original up to it.
    pub(crate) fn push_own(&mut self, before: &str, comment: &str, levels: usize) {
        let above = self.trailing.last().filter(|above| above.line + 1 == self.line);
        let column = width(before);
        // At its own indentation it stands where every other one does that continues nothing.
        let continues = above.is_some_and(|above| above.column == column) && column != levels * LEVEL.len();
        if continues && !comment.contains(['\n', '\r']) {
            return self.push_trailing(Some(before), comment);
        }
        self.indent(levels);
        self.push(comment);
    }

    /// The text up to its last words.
    pub(crate) fn finish(mut self) -> String {
        self.out.truncate(self.out.trim_end().len());
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        let columns = columns(&self.trailing);
        let blanks = columns.iter().zip(&self.trailing).map(|(column, one)| column.saturating_sub(one.words));
        let mut done = String::with_capacity(self.out.len() + blanks.clone().sum::<usize>());
        let mut at = 0;
        for (one, blanks) in self.trailing.iter().zip(blanks) {
            done.push_str(self.out.get(at..one.at).unwrap_or(""));
            done.extend(core::iter::repeat_n(' ', blanks));
            at = one.at;
        }
        done.push_str(self.out.get(at..).unwrap_or(""));
        done
    }
}

/// A text in which those parts are laid out; everything else of it stays.
pub(crate) fn lay_out_parts<T>(
    text: &str,
    parts: impl Iterator<Item = (Span, T)>,
    lay_out: impl Fn(&str, T) -> String,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (span, part) in parts {
        let (start, end) = (span.start as usize, span.end as usize);
        let inside = text.get(start..end).unwrap_or("");
        out.push_str(text.get(at..start).unwrap_or(""));
        let laid_out = lay_out(inside, part);
        out.push_str(if inside.ends_with('\n') { &laid_out } else { laid_out.trim_end() });
        at = end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

/// What a run of comments does.
#[derive(Clone, Copy, Debug)]
enum Run {
    /// Each follows its words.
    Close,
    /// All are in that column, which no other run has a say in.
    Moved(usize),
    /// All stay in that column if it has at least two comments in the whole text.
    Column(usize),
}

impl Run {
    fn of(run: &[Trailing]) -> Self {
        let mut lines: Vec<(usize, bool)> = run.iter().map(|one| (one.column, one.is_placed)).collect();
        lines.sort_unstable();
        let lined_up = lines.chunk_by(|a, b| a.0 == b.0).filter(|same| same.iter().any(|line| line.1));
        // The leftmost of those that have most comments.
        let Some(most) = lined_up.reduce(|most, same| if same.len() > most.len() { same } else { most })
        else {
            return Self::Close;
        };
        let (column, count) = (most.first().map_or(0, |line| line.0), most.len());
        let first = run.iter().map(|one| one.first()).max().unwrap_or(0);
        match count {
            _ if first <= column => Self::Column(column),
            0 | 1 => Self::Close,
            _ => Self::Moved(first),
        }
    }
}

/// The columns that comments get. Laid out again they get the same: what is in a column then is what gave it.
fn columns(all: &[Trailing]) -> Vec<usize> {
    let runs = || all.chunk_by(|a, b| a.line + 1 == b.line).map(|run| (run, Run::of(run)));
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for (run, kind) in runs() {
        for one in run {
            let stays = match kind {
                Run::Close => one.column == one.first(),
                Run::Moved(_) => false,
                Run::Column(column) => one.column == column,
            };
            *counts.entry(one.column).or_default() += usize::from(stays);
        }
    }
    let mut out = Vec::with_capacity(all.len());
    for (run, kind) in runs() {
        let column = match kind {
            Run::Close => None,
            Run::Moved(column) => Some(column),
            Run::Column(column) => Some(column).filter(|column| counts.get(column).is_some_and(|n| *n > 1)),
        };
        out.extend(run.iter().map(|one| column.unwrap_or(one.first())));
    }
    out
}

/// A line that was taken from a text.
pub(crate) struct TextLine<'a> {
    /// What follows the line.
    pub(crate) rest: &'a str,
    /// Where the comment that ends the line begins in what was laid out, and the original up to it.
    pub(crate) comment: Option<(usize, &'a str)>,
}

impl TextLine<'_> {
    /// Appends the line to a sheet, at that many levels of indentation.
    pub(crate) fn push(&self, line: &str, levels: usize, sheet: &mut Sheet) {
        match self.comment {
            Some((0, before)) => sheet.push_own(before, line, levels),
            Some((at, before)) => {
                let (words, comment) = line.split_at_checked(at).unwrap_or((line, ""));
                sheet.indent(levels);
                sheet.push(words.trim_end());
                sheet.push_trailing(Some(before), comment);
            }
            None => {
                sheet.indent(levels);
                sheet.push(line);
            }
        }
    }
}

/// Appends one line, laid out, and gives what is behind it. A comment that has several lines belongs to the one it
/// begins on. Blanks between words become one, there is none in front of a comma and one behind it, and two in front of a
/// comment behind words.
pub(crate) fn take_line<'a>(text: &'a str, language: Language, out: &mut String) -> TextLine<'a> {
    let comments = language.comments();
    let mut rest = text;
    let mut last = None;
    // Whether a blank stands between what is out and what comes.
    let mut gap = false;
    while let Some(c) = rest.chars().next() {
        if matches!(c, '\n' | '\r') {
            // One line end may be two characters.
            return TextLine { rest: rest.strip_prefix("\r\n").unwrap_or(&rest[1..]), comment: last };
        }
        if let Some(comment) = comments.at(rest.as_bytes()) {
            let (comment, behind) = rest.split_at_checked(comment.len).unwrap_or((rest, ""));
            if !out.is_empty() {
                out.push_str("  ");
            }
            last = Some((out.len(), text.get(..text.len() - rest.len()).unwrap_or("")));
            out.push_str(comment.trim_end());
            rest = behind;
            gap = true;
            continue;
        }
        rest = rest.get(c.len_utf8()..).unwrap_or("");
        match c {
            '\u{feff}' if language != Language::Direct3d => {}
            ' ' | '\t' | '\x0b' | '\x0c' => gap = true,
            ',' | ';' => {
                out.push(c);
                last = None;
                gap = true;
            }
            c => {
                let sign = language == Language::Direct3d && out == "+";
                if gap && !out.is_empty() && !sign {
                    out.push(' ');
                }
                (gap, last) = (false, None);
                out.push(c);
            }
        }
    }
    TextLine { rest, comment: last }
}
