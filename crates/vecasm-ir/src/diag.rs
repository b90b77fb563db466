//! Diagnostics: what is wrong with a program, where, and under which stable id.
//!
//! Every reader, validator and pass of the library reports through [`Diagnostic`]. A finding never changes the
//! program, and a validator never stops at the first one. Four renderings are offered here, all plain text:
//! [human](render_human) (with a [snippet](Renderer::snippet) of the source), [short](render_short) (one line, for editors and
//! `grep`), [JSON](render_json) (one object a line) and [SARIF](sarif::render_sarif) (one log for everything). A [`Renderer`]
//! shows many findings about one text in time that does not depend on where they are.

mod documented;
pub mod near;
mod rule;
pub mod sarif;
#[cfg(feature = "serde")]
mod serial;
mod snippet;

#[doc(hidden)]
pub use crate::rules;
pub use rule::{Message, Provenance, Rule};
pub use snippet::{Label, LabelKind, Margin, Paint};

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::fmt::{self, Write as _};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Information that belongs to another finding or to the program as a whole.
    Note,
    /// Legal, but suspicious, or refused by some runtimes only.
    Warning,
    /// The original runtime would refuse the program, or it cannot be read.
    Error,
}

impl Severity {
    /// The word used in every rendering: `error`, `warning` or `note`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A half-open range of bytes of a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end`. Offsets beyond 4 GiB saturate.
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end) }
    }
}

/// Where a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Place {
    /// The program as a whole.
    #[default]
    Whole,
    /// A range of the source text.
    Text(Span),
    /// A place in a binary: the byte offset and, inside the instructions, the number of the token as the original
    /// runtime counts it (Flash counts from 1).
    Binary {
        /// Byte offset from the start of the program.
        offset: u32,
        /// Number of the instruction token, if the place is inside one.
        token: Option<u32>,
    },
}

impl Place {
    /// The instruction of that number, from 0, where its place in the binary is not known:
    /// `AnyProgram::locate` finds it.
    pub const fn instruction(number: u32) -> Self {
        Self::Binary { offset: 0, token: Some(number.saturating_add(1)) }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable id, for example `AGAL3646`. `vecasm explain ID` tells the rule behind it.
    pub id: &'static str,
    /// What is wrong, in the words of the original runtime where those are known.
    pub message: String,
    /// Where.
    pub place: Place,
    /// The instruction concerned, disassembled, if there is one.
    pub instruction: Option<String>,
    /// What to do about it, or why the rule exists.
    pub help: Option<Cow<'static, str>>,
    /// Whether this is the finding that the original runtime would have raised (it stops at one).
    pub first: bool,
}

impl Diagnostic {
    /// A finding without place, instruction or help.
    #[cold]
    pub fn new(severity: Severity, id: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity,
            id,
            message: message.into(),
            place: Place::Whole,
            instruction: None,
            help: None,
            first: false,
        }
    }

    /// An error; see [`Diagnostic::new`].
    #[cold]
    pub fn error(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, id, message)
    }

    /// A warning; see [`Diagnostic::new`].
    #[cold]
    pub fn warning(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, id, message)
    }

    /// The same finding at `place`.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// The same finding at the bytes `span` of the source text.
    #[must_use]
    pub fn at_span(self, span: Span) -> Self {
        self.at(Place::Text(span))
    }

    /// The same finding with a line of help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity, self.id, self.message)
    }
}

impl core::error::Error for Diagnostic {}

/// Whether any of `findings` is an error.
pub fn has_errors(findings: &[Diagnostic]) -> bool {
    findings.iter().any(|d| d.severity == Severity::Error)
}

/// What a finding refers to: the name of the input and, for text inputs, the text.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name shown in front of every place, usually a path.
    pub name: &'a str,
    /// The text, if the input is text.
    pub text: Option<&'a str>,
}

/// Line and column of byte `offset` of `text`, both counted from 1; columns count characters.
///
/// This reads the text from its start. For several places in one text, make [`Lines`] once.
pub fn line_column(text: &str, offset: u32) -> (u32, u32) {
    let before = &text[..boundary(text, offset as usize)];
    let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |n| n + 1);
    let column = before[start..].chars().count() + 1;
    (line as u32, column as u32)
}

/// An index of a text: finds the line and column of any byte in constant time. It takes about a hundredth of the text.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    text: &'a str,
    /// For each [`STEP`] bytes of the text, where their first byte is.
    marks: Cow<'a, [Mark]>,
}

/// The same index without its text, to be kept for several [`Renderer`]s of one text.
#[derive(Clone, Debug)]
pub struct LineIndex {
    marks: Vec<Mark>,
    len: usize,
}

impl LineIndex {
    /// Reads `text` once.
    pub fn of(text: &str) -> Self {
        Self { marks: marks(text), len: text.len() }
    }

    /// The lines of `text`, which is the text of the index: of one of another length an index is made.
    pub fn lines<'a>(&'a self, text: &'a str) -> Lines<'a> {
        if text.len() == self.len {
            Lines { text, marks: Cow::Borrowed(&self.marks) }
        } else {
            Lines::new(text)
        }
    }
}

/// Where a byte is.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Number of line ends before it.
    line: u32,
    /// Where its line starts, in bytes.
    start: u32,
    /// Number of characters between the start of its line and it.
    column: u32,
}

/// Bytes from one mark of an index to the next one.
const STEP: usize = 1024;

/// Number of characters that start in `bytes`.
fn characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|&&b| b & 0xc0 != 0x80).count() as u32
}

impl Mark {
    /// The place after `bytes` that start here; `end` is where that is.
    fn after(self, bytes: &[u8], end: usize) -> Self {
        match bytes.iter().rposition(|&b| b == b'\n') {
            None => Self { column: self.column + characters(bytes), ..self },
            Some(last) => Self {
                line: self.line + bytes.iter().filter(|&&b| b == b'\n').count() as u32,
                start: (end - bytes.len() + last + 1) as u32,
                column: characters(&bytes[last + 1..]),
            },
        }
    }
}

/// Where each [`STEP`]th byte of a text is.
fn marks(text: &str) -> Vec<Mark> {
    // Places are below 4 GiB.
    let bytes = &text.as_bytes()[..text.len().min(u32::MAX as usize)];
    let mut mark = Mark { line: 0, start: 0, column: 0 };
    let mut marks = Vec::with_capacity(bytes.len() / STEP + 1);
    marks.push(mark);
    for (n, bytes) in bytes.chunks_exact(STEP).enumerate() {
        mark = mark.after(bytes, (n + 1) * STEP);
        marks.push(mark);
    }
    marks
}

impl<'a> Lines<'a> {
    /// Reads `text` once.
    pub fn new(text: &'a str) -> Self {
        Self { text, marks: marks(text).into() }
    }

    /// The text.
    pub const fn text(&self) -> &'a str {
        self.text
    }

    /// Line and column of byte `offset`, both counted from 1; columns count characters. Offsets past the end are the
    /// end, those inside a character its start.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let mark = self.mark(boundary(self.text, offset as usize));
        (mark.line + 1, mark.column + 1)
    }

    /// The line of byte `offset`, counted from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.line_column(offset).0
    }

    /// The line of byte `offset`, without its end.
    pub fn content(&self, offset: u32) -> &'a str {
        let at = boundary(self.text, offset as usize);
        let line = &self.text[self.mark(at).start as usize..];
        line.lines().next().unwrap_or("")
    }

    /// Where a byte of the text, or its end, is.
    fn mark(&self, at: usize) -> Mark {
        let number = (at / STEP).min(self.marks.len() - 1);
        self.marks[number].after(&self.text.as_bytes()[number * STEP..at], at)
    }
}

/// Shows findings about one source. The lines of a text are counted once, however many findings there are.
#[derive(Clone, Debug)]
pub struct Renderer<'a> {
    source: Source<'a>,
    lines: OnceCell<Lines<'a>>,
}

/// One line: `file:line:col: error[ID]: text`. For several findings, see [`Renderer`].
pub fn render_short(d: &Diagnostic, source: Source<'_>) -> String {
    Renderer::new(source).short(d)
}

/// A block with the finding, the line of source it points at, and help; with ANSI colours if `color`. The block ends
/// with a newline. For several findings, see [`Renderer`].
pub fn render_human(d: &Diagnostic, source: Source<'_>, color: bool) -> String {
    Renderer::new(source).human(d, color)
}

/// One JSON object without a newline; see [`Renderer::json`]. For several findings, see [`Renderer`].
pub fn render_json(d: &Diagnostic, source: Source<'_>) -> String {
    Renderer::new(source).json(d)
}

/// Bytes of a line that are shown; of a longer one, as many around the place.
const LONG_LINE: usize = 400;

/// A place between two characters, at `at` or in front of it.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// What is shown of the line that starts at byte `start` and has byte `at`: where that begins and ends, and whether
/// the line goes on there. Bytes far from `at` are not looked at.
fn excerpt(text: &str, start: usize, at: usize) -> (usize, usize, bool) {
    let window = boundary(text, at + LONG_LINE + 1);
    let ending = text[at..window].find('\n').map(|n| at + n);
    let cut = ending.is_none() && window < text.len();
    let end = match ending.unwrap_or(window) {
        end if cut => end,
        end => start + text[start..end].trim_end_matches('\r').len(),
    };
    if end - start <= LONG_LINE {
        return (start, end, cut);
    }
    let begin = boundary(text, at.min(end).saturating_sub(LONG_LINE / 4)).max(start);
    let last = boundary(text, begin + LONG_LINE).min(end);
    (begin, last, cut || last < end)
}

/// A character as a terminal may be sent it: pictures of control characters (U+2400 to U+2421), and U+FFFD for those of
/// ISO 6429's second set and those that change the direction of text. What a file holds cannot command a terminal then.
pub const fn printable_char(c: char) -> char {
    match c {
        '\0'..='\x1f' => match char::from_u32(0x2400 + c as u32) {
            Some(picture) => picture,
            None => char::REPLACEMENT_CHARACTER,
        },
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            char::REPLACEMENT_CHARACTER
        }
        c => c,
    }
}

/// A text as a terminal may be sent it: [`printable_char`] of everything but ends of lines and tabs. The text itself where
/// nothing changes.
pub fn printable(text: &str) -> Cow<'_, str> {
    let kept = |c: char| matches!(c, '\n' | '\t') || printable_char(c) == c;
    if text.chars().all(kept) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| if kept(c) { c } else { printable_char(c) }).collect::<String>().into()
}

/// A name or another word of a file as it may stand inside a line: [`printable_char`] of everything, ends of lines and tabs
/// too, so that it cannot begin a line of its own. The text itself where nothing changes.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| printable_char(c) == c) {
        return Cow::Borrowed(text);
    }
    text.chars().map(printable_char).collect::<String>().into()
}

impl<'a> From<Source<'a>> for Renderer<'a> {
    fn from(source: Source<'a>) -> Self {
        Self::new(source)
    }
}

impl<'a> Renderer<'a> {
    /// For findings about `source`.
    pub const fn new(source: Source<'a>) -> Self {
        Self { source, lines: OnceCell::new() }
    }

    /// For findings about a source whose lines are known.
    pub fn with_lines(source: Source<'a>, lines: Lines<'a>) -> Self {
        Self { source, lines: OnceCell::from(lines) }
    }

    /// What the findings are about.
    pub const fn source(&self) -> Source<'a> {
        self.source
    }

    /// The lines of the text, if the source is text.
    pub fn lines(&self) -> Option<&Lines<'a>> {
        self.source.text.map(|text| self.lines.get_or_init(|| Lines::new(text)))
    }

    /// `name:line:col`, `name:token 3`, `name:+0x1f` or `name`, as far as the place is known.
    fn label(&self, d: &Diagnostic) -> String {
        let name = printable_line(self.source.name);
        match (d.place, self.lines()) {
            (Place::Text(span), Some(lines)) => {
                let (line, column) = lines.line_column(span.start);
                format!("{name}:{line}:{column}")
            }
            (Place::Binary { token: Some(token), .. }, _) => format!("{name}:token {token}"),
            (Place::Binary { offset, token: None }, _) => format!("{name}:+0x{offset:x}"),
            _ => name.to_string(),
        }
    }

    /// One line: `file:line:col: error[ID]: text`.
    pub fn short(&self, d: &Diagnostic) -> String {
        format!("{}: {}[{}]: {}", self.label(d), d.severity, d.id, printable_line(&d.message))
    }

    /// A block with the finding, the line of source it points at, and help; with ANSI colours if `color`.
    ///
    /// The block ends with a newline.
    pub fn human(&self, d: &Diagnostic, color: bool) -> String {
        let paint = Paint::of(color);
        let (on, bold, blue, off) = (paint.tone(d.severity), paint.bold, paint.gutter, paint.off);
        let mut out = String::new();
        let _ = writeln!(out, "{on}{}[{}]{off}{bold}: {}{off}", d.severity, d.id, printable(&d.message));
        let label = self.label(d);
        match (d.place, self.lines()) {
            (Place::Text(span), Some(lines)) => {
                snippet::labelled(lines, &label, d.severity, &[Label::primary(span, "")], color, &mut out);
            }
            (place, _) => {
                let offset = match place {
                    Place::Binary { offset, token: Some(_) } => format!(" (byte 0x{offset:x})"),
                    _ => String::new(),
                };
                let _ = writeln!(out, " {blue}-->{off} {label}{offset}");
                if let Some(instruction) = &d.instruction {
                    let _ = writeln!(out, "  {blue}|{off} {}", printable_line(instruction));
                }
            }
        }
        if d.first {
            let _ = writeln!(out, "  {blue}={off} the original runtime raises this one");
        }
        if let Some(help) = &d.help {
            let _ = writeln!(out, "  {blue}={off} help: {}", printable(help));
        }
        out
    }

    /// One JSON object without a newline: `file`, `severity`, `id`, `message`, and, where known, `line`, `column`,
    /// `end_line`, `end_column`, `offset`, `token`, `instruction`, `help`, `first`.
    pub fn json(&self, d: &Diagnostic) -> String {
        let mut out = String::from("{");
        let mut field = |key: &str, value: &str, quote: bool| {
            if out.len() > 1 {
                out.push(',');
            }
            push_json_string(&mut out, key);
            out.push(':');
            if quote {
                push_json_string(&mut out, value);
            } else {
                out.push_str(value);
            }
        };
        field("file", self.source.name, true);
        field("severity", d.severity.word(), true);
        field("id", d.id, true);
        field("message", &d.message, true);
        match d.place {
            Place::Whole => {}
            Place::Text(span) => {
                if let Some(lines) = self.lines() {
                    let (line, column) = lines.line_column(span.start);
                    let (end_line, end_column) = lines.line_column(span.end);
                    field("line", &line.to_string(), false);
                    field("column", &column.to_string(), false);
                    field("end_line", &end_line.to_string(), false);
                    field("end_column", &end_column.to_string(), false);
                }
                field("offset", &span.start.to_string(), false);
            }
            Place::Binary { offset, token } => {
                field("offset", &offset.to_string(), false);
                if let Some(token) = token {
                    field("token", &token.to_string(), false);
                }
            }
        }
        if let Some(instruction) = &d.instruction {
            field("instruction", instruction, true);
        }
        if let Some(help) = &d.help {
            field("help", help, true);
        }
        field("first", if d.first { "true" } else { "false" }, false);
        out.push('}');
        out
    }
}

/// Appends `text` to `out` as a JSON string, quotes included.
pub fn push_json_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // All of them are below U+10000. A terminal may be shown the text, too.
            c if printable_char(c) != c => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_gives_what_counting_gives() {
        let text = "é\n\nab\r\n".repeat(700) + &"longé".repeat(600) + "\n" + &"x\n".repeat(1500) + "end";
        let lines = Lines::new(&text);
        for offset in 0..=text.len() as u32 + 3 {
            let (line, column) = line_column(&text, offset);
            assert_eq!(lines.line_column(offset), (line, column), "{offset}");
            let content = text.lines().nth(line as usize - 1).unwrap_or("");
            assert_eq!(lines.content(offset), content, "{offset}");
        }
        let whole = &text[..3 * STEP];
        assert_eq!(Lines::new(whole).line_column(u32::MAX), line_column(whole, u32::MAX));
        assert_eq!(Lines::new("").line_column(1), (1, 1));
    }
}
