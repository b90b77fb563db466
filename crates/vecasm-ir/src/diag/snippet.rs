//! Lines of a source, with marks and words below them.

use super::{Lines, Renderer, Severity, Span, boundary, excerpt, printable_char, printable_line};
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

/// The colours of what is shown: sequences for a terminal, or nothing.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Paint {
    /// Of errors.
    pub error: &'static str,
    /// Of warnings.
    pub warning: &'static str,
    /// Of notes.
    pub note: &'static str,
    /// Of numbers of lines, and of what belongs to the margin.
    pub gutter: &'static str,
    /// Of messages.
    pub bold: &'static str,
    /// Of what matters less.
    pub dim: &'static str,
    /// Of the text again.
    pub off: &'static str,
}

impl Paint {
    /// None.
    pub const PLAIN: &'static Self =
        &Self { error: "", warning: "", note: "", gutter: "", bold: "", dim: "", off: "" };
    /// Those of findings.
    pub const COLORED: &'static Self = &Self {
        error: "\x1b[1;31m",
        warning: "\x1b[1;33m",
        note: "\x1b[1;36m",
        gutter: "\x1b[1;34m",
        bold: "\x1b[1m",
        dim: "\x1b[2m",
        off: "\x1b[0m",
    };

    /// Colours, if they are wanted.
    pub const fn of(color: bool) -> &'static Self {
        if color { Self::COLORED } else { Self::PLAIN }
    }

    /// The colour of a severity.
    pub const fn tone(&self, severity: Severity) -> &'static str {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            Severity::Note => self.note,
        }
    }
}

/// The margin of lines of a source: their numbers, and signs for what is no line of it.
///
/// ```
/// use vecasm_ir::diag::{Margin, Severity};
///
/// let (mut out, margin) = (String::new(), Margin::of([9, 10], false));
/// margin.line(Some(9), "rcp r0.x, t0.x", &mut out);
/// margin.marks(0, '^', 14, Some(Severity::Error), " a division by zero", &mut out);
/// margin.line(Some(10), "mov oC0, r0.x", &mut out);
/// margin.sign('=', "the result is infinite", &mut out);
/// assert_eq!(out.lines().collect::<Vec<_>>(), [
///     " 9 | rcp r0.x, t0.x",
///     "   | ^^^^^^^^^^^^^^ a division by zero",
///     "10 | mov oC0, r0.x",
///     "   = the result is infinite",
/// ]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Margin {
    width: usize,
    paint: &'static Paint,
}

impl Margin {
    /// Wide enough for the numbers of these lines; with ANSI colours if `color`.
    pub fn of(lines: impl IntoIterator<Item = u32>, color: bool) -> Self {
        let width = lines.into_iter().map(|line| line.max(1).ilog10() as usize + 1).max().unwrap_or(1);
        Self { width, paint: Paint::of(color) }
    }

    /// The colours.
    pub const fn paint(&self) -> &'static Paint {
        self.paint
    }

    /// Writes the place that the lines are about.
    pub fn place(&self, place: &str, out: &mut String) {
        let (Paint { gutter, off, .. }, width) = (self.paint, self.width);
        let _ = writeln!(out, "{:width$}{gutter}-->{off} {place}", "");
    }

    /// Writes a line without anything.
    pub fn blank(&self, out: &mut String) {
        let (Paint { gutter, off, .. }, width) = (self.paint, self.width);
        let _ = writeln!(out, "{:width$} {gutter}|{off}", "");
    }

    /// Writes a line of the source with its number, `?` if that is not known. The content is written as it is.
    pub fn line(&self, number: Option<u32>, content: &str, out: &mut String) {
        let (Paint { gutter, off, .. }, width) = (self.paint, self.width);
        let number = number.map_or(Cow::Borrowed("?"), |number| number.to_string().into());
        let _ = writeln!(out, "{gutter}{number:>width$} |{off} {content}");
    }

    /// Writes `count` marks below a line, the first in a column counted from 0, and what stands behind them; in the colour of a
    /// severity, else in that of the margin.
    pub fn marks(
        &self,
        column: usize,
        mark: char,
        count: usize,
        severity: Option<Severity>,
        behind: &str,
        out: &mut String,
    ) {
        let (Paint { gutter, off, .. }, width) = (self.paint, self.width);
        let tone = severity.map_or(*gutter, |severity| self.paint.tone(severity));
        let _ = write!(out, "{:width$} {gutter}|{off} ", "");
        // A width in a format string has an end, and a line has none.
        out.extend(core::iter::repeat_n(' ', column));
        out.push_str(tone);
        out.extend(core::iter::repeat_n(mark, count));
        let _ = writeln!(out, "{behind}{off}");
    }

    /// Writes words that are no line of the source, behind a sign: `=` for a remark, `:` for what is left out.
    pub fn sign(&self, sign: char, words: &str, out: &mut String) {
        let (Paint { gutter, off, .. }, width) = (self.paint, self.width);
        let _ = writeln!(out, "{:width$} {gutter}{sign}{off} {words}", "");
    }

    /// Writes that lines are left out.
    pub fn gap(&self, out: &mut String) {
        let Paint { gutter, off, .. } = self.paint;
        let _ = writeln!(out, "{gutter}...{off}");
    }
}

/// A place of a text with words about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Label<'a> {
    /// Where.
    pub span: Span,
    /// What there is to say, in a few words; may be empty.
    pub text: Cow<'a, str>,
    /// What it is to the finding.
    pub kind: LabelKind,
}

/// What a labelled place is to a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LabelKind {
    /// What is found is here: marked with `^`, in the colour of the finding.
    Primary,
    /// This place has to do with it, as the first of two definitions: marked with `-`.
    Secondary,
}

impl<'a> Label<'a> {
    /// Where something is found.
    #[must_use]
    pub fn primary(span: Span, text: impl Into<Cow<'a, str>>) -> Self {
        Self { span, text: text.into(), kind: LabelKind::Primary }
    }

    /// What has to do with it.
    #[must_use]
    pub fn secondary(span: Span, text: impl Into<Cow<'a, str>>) -> Self {
        Self { span, text: text.into(), kind: LabelKind::Secondary }
    }
}

impl Renderer<'_> {
    /// Labelled places of the text: the place of the first primary one, then each line that has labels, in order, with a line of
    /// marks for each label below it, and `...` where lines between them are left out. Of a very long line only a part is
    /// shown; a label over several lines is marked in its first. With ANSI colours if `color`. Of a source that is no text there are
    /// only the words.
    ///
    /// The block ends with a newline.
    ///
    /// ```
    /// use vecasm_ir::diag::{Label, Renderer, Severity, Source, Span};
    ///
    /// let text = "ps_2_0\ndef c0, 0, 0, 0, 0\nmov r0, c0\nadd r0, r0, c0\ndef c0, 1, 1, 1, 1\nmov oC0, r0\n";
    /// let place = |line: &str| text.find(line).map(|at| Span::new(at + 4, at + 6)).unwrap_or_default();
    /// let labels = [
    ///     Label::primary(place("def c0, 1"), "defined again"),
    ///     Label::secondary(place("def c0, 0"), "first defined here"),
    /// ];
    /// let renderer = Renderer::new(Source { name: "twice.psa", text: Some(text) });
    /// let shown = renderer.snippet(Severity::Warning, &labels, false);
    /// assert_eq!(shown.lines().collect::<Vec<_>>(), [
    ///     " --> twice.psa:5:5",
    ///     "  |",
    ///     "2 | def c0, 0, 0, 0, 0",
    ///     "  |     -- first defined here",
    ///     "...",
    ///     "5 | def c0, 1, 1, 1, 1",
    ///     "  |     ^^ defined again",
    /// ]);
    /// ```
    pub fn snippet(&self, severity: Severity, labels: &[Label<'_>], color: bool) -> String {
        let mut out = String::new();
        let first = labels.iter().find(|label| label.kind == LabelKind::Primary).or(labels.first());
        let name = printable_line(self.source().name);
        match (first, self.lines()) {
            (Some(first), Some(lines)) => {
                let (line, column) = lines.line_column(first.span.start);
                let place = alloc::format!("{name}:{line}:{column}");
                labelled(lines, &place, severity, labels, color, &mut out);
            }
            _ => {
                let margin = Margin::of([], color);
                margin.place(&name, &mut out);
                for label in labels.iter().filter(|label| !label.text.is_empty()) {
                    margin.sign('=', &printable_line(&label.text), &mut out);
                }
            }
        }
        out
    }
}

/// A label, and where it begins: the byte, the line from 0, and its start.
struct Placed<'l> {
    label: &'l Label<'l>,
    at: usize,
    line: u32,
    start: usize,
}

/// Writes labelled places; see [`Renderer::snippet`].
pub(super) fn labelled(
    lines: &Lines<'_>,
    place: &str,
    severity: Severity,
    labels: &[Label<'_>],
    color: bool,
    out: &mut String,
) {
    let text = lines.text();
    let mut all: Vec<Placed<'_>> = Vec::with_capacity(labels.len());
    for label in labels {
        let at = boundary(text, label.span.start as usize);
        let mark = lines.mark(at);
        all.push(Placed { label, at, line: mark.line, start: mark.start as usize });
    }
    all.sort_by_key(|placed| (placed.at, placed.label.span.end));
    let margin = Margin::of(all.iter().map(|placed| placed.line + 1), color);
    margin.place(place, out);
    margin.blank(out);
    let mut above = None;
    for group in all.chunk_by(|a, b| a.line == b.line) {
        let Some(first) = group.first() else { continue };
        if above.is_some_and(|above| first.line > above + 1) {
            margin.gap(out);
        }
        above = Some(first.line);
        // Of a very long line, what is around the place.
        let primary = group.iter().find(|placed| placed.label.kind == LabelKind::Primary).unwrap_or(first);
        let (begin, end, goes_on) = excerpt(text, primary.start, primary.at);
        let (cut, more) = (if begin > primary.start { "…" } else { "" }, if goes_on { "…" } else { "" });
        let mut shown = String::from(cut);
        shown.extend(text[begin..end].chars().map(|c| if c == '\t' { ' ' } else { printable_char(c) }));
        shown.push_str(more);
        margin.line(Some(primary.line + 1), &shown, out);
        for Placed { label, at, .. } in group {
            let at = (*at).clamp(begin, end);
            let column = cut.chars().count() + text[begin..at].chars().count();
            let to = boundary(text, label.span.end as usize).min(end);
            let count = text.get(at..to).map_or(1, |s| s.chars().count()).max(1);
            let (mark, severity) = match label.kind {
                LabelKind::Primary => ('^', Some(severity)),
                LabelKind::Secondary => ('-', None),
            };
            let space = if label.text.is_empty() { "" } else { " " };
            let behind = alloc::format!("{space}{}", printable_line(&label.text));
            margin.marks(column, mark, count, severity, &behind, out);
        }
    }
}
