//! Diagnostics: what is wrong with a program, where, and under which stable id.
//!
//! Every reader, validator and pass of the library reports through [`Diagnostic`]. A finding never changes the
//! program, and a validator never stops at the first one. Four renderings are offered here, all plain text:
//! [human](render_human) (with a snippet of the source), [short](render_short) (one line, for editors and
//! `grep`), [JSON](render_json) (one object a line) and [SARIF](sarif::render_sarif) (one log for everything).

pub mod sarif;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
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
pub fn line_column(text: &str, offset: u32) -> (u32, u32) {
    let mut end = (offset as usize).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |n| n + 1);
    let column = before[start..].chars().count() + 1;
    (line as u32, column as u32)
}

/// `name:line:col`, `name:token 3`, `name:+0x1f` or `name`, as far as the place is known.
fn place_label(d: &Diagnostic, source: Source<'_>) -> String {
    match (d.place, source.text) {
        (Place::Text(span), Some(text)) => {
            let (line, column) = line_column(text, span.start);
            format!("{}:{line}:{column}", source.name)
        }
        (Place::Binary { token: Some(token), .. }, _) => format!("{}:token {token}", source.name),
        (Place::Binary { offset, token: None }, _) => format!("{}:+0x{offset:x}", source.name),
        _ => source.name.to_string(),
    }
}

/// One line: `file:line:col: error[ID]: text`.
pub fn render_short(d: &Diagnostic, source: Source<'_>) -> String {
    format!("{}: {}[{}]: {}", place_label(d, source), d.severity, d.id, d.message)
}

/// Bytes of a line that are shown; of a longer one, as many around the place.
const LONG_LINE: usize = 400;

/// The number of bytes in front of a column, which is counted from 1.
fn before_column(line: &str, column: u32) -> usize {
    line.char_indices().nth(column as usize - 1).map_or(line.len(), |(at, _)| at)
}

/// A place between two characters, at `at` or in front of it.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A block with the finding, the line of source it points at, and help; with ANSI colours if `color`.
///
/// The block ends with a newline.
pub fn render_human(d: &Diagnostic, source: Source<'_>, color: bool) -> String {
    let (on, blue, off) = match (color, d.severity) {
        (false, _) => ("", "", ""),
        (true, Severity::Error) => ("\x1b[1;31m", "\x1b[1;34m", "\x1b[0m"),
        (true, Severity::Warning) => ("\x1b[1;33m", "\x1b[1;34m", "\x1b[0m"),
        (true, Severity::Note) => ("\x1b[1;36m", "\x1b[1;34m", "\x1b[0m"),
    };
    let bold = if color { "\x1b[1m" } else { "" };
    let mut out = String::new();
    let _ = writeln!(out, "{on}{}[{}]{off}{bold}: {}{off}", d.severity, d.id, d.message);
    let label = place_label(d, source);
    match (d.place, source.text) {
        (Place::Text(span), Some(text)) => {
            let (line, column) = line_column(text, span.start);
            let content = text.split('\n').nth(line as usize - 1).unwrap_or("").trim_end_matches('\r');
            let gutter = line.to_string().len();
            let _ = writeln!(out, "{:gutter$}{blue}-->{off} {label}", "");
            let _ = writeln!(out, "{:gutter$} {blue}|{off}", "");
            // Of a very long line, what is around the place.
            let start = content.len().min(before_column(content, column));
            let begin = boundary(
                content,
                if content.len() > LONG_LINE { start.saturating_sub(LONG_LINE / 4) } else { 0 },
            );
            let end =
                boundary(content, if content.len() > LONG_LINE { begin + LONG_LINE } else { content.len() });
            let (cut, more) = (if begin > 0 { "…" } else { "" }, if end < content.len() { "…" } else { "" });
            let content = content.get(begin..end).unwrap_or("");
            let column = cut.chars().count() + content.get(..start - begin).unwrap_or("").chars().count();
            let shown: String = content.chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
            let _ = writeln!(out, "{blue}{line} |{off} {cut}{shown}{more}");
            let rest = content.get(start - begin..).unwrap_or("").chars().count();
            let wanted = text
                .get(span.start as usize..span.end as usize)
                .map_or(1, |s| s.split('\n').next().unwrap_or("").chars().take(LONG_LINE).count());
            let carets = wanted.min(rest).max(1);
            let _ = writeln!(
                out,
                "{:gutter$} {blue}|{off} {:pad$}{on}{}{off}",
                "",
                "",
                "^".repeat(carets),
                pad = column
            );
        }
        (place, _) => {
            let offset = match place {
                Place::Binary { offset, token: Some(_) } => format!(" (byte 0x{offset:x})"),
                _ => String::new(),
            };
            let _ = writeln!(out, " {blue}-->{off} {label}{offset}");
            if let Some(instruction) = &d.instruction {
                let _ = writeln!(out, "  {blue}|{off} {instruction}");
            }
        }
    }
    if d.first {
        let _ = writeln!(out, "  {blue}={off} this is the one the original runtime raises");
    }
    if let Some(help) = &d.help {
        let _ = writeln!(out, "  {blue}={off} help: {help}");
    }
    out
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
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// One JSON object without a newline: `file`, `severity`, `id`, `message`, and, where known, `line`, `column`,
/// `end_line`, `end_column`, `offset`, `token`, `instruction`, `help`, `first`.
pub fn render_json(d: &Diagnostic, source: Source<'_>) -> String {
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
    field("file", source.name, true);
    field("severity", d.severity.word(), true);
    field("id", d.id, true);
    field("message", &d.message, true);
    match d.place {
        Place::Whole => {}
        Place::Text(span) => {
            if let Some(text) = source.text {
                let (line, column) = line_column(text, span.start);
                let (end_line, end_column) = line_column(text, span.end);
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

/// A rule that a validator or a reader applies: one row of an ISA's rule table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable id, for example `AGAL3646`.
    pub id: &'static str,
    /// The number the original runtime gives, or 0.
    pub number: u32,
    /// How bad a breach is by default.
    pub severity: Severity,
    /// The original runtime's own message; `%1`, `%2`… stand for its arguments.
    pub message: &'static str,
    /// Why the rule exists, or what to do.
    pub reason: &'static str,
    /// How it is known.
    pub provenance: Provenance,
}

/// How a fact about a runtime is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provenance {
    /// The runtime itself was seen to do it.
    Recorded,
    /// The vendor's documentation or published source says so.
    Documented,
    /// Another implementation does it.
    Peer,
    /// Only the text of a message, or an inference.
    Believed,
    /// Our own rule: it is about our syntax.
    Own,
}

impl Provenance {
    /// The word used in documents: `recorded`, `documented`, `peer`, `believed` or `own`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Documented => "documented",
            Self::Peer => "peer",
            Self::Believed => "believed",
            Self::Own => "own",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_form_names_line_and_column() {
        let text = "mov oc, v0\nbad";
        let d = Diagnostic::error("X1", "no").at_span(Span::new(11, 14));
        assert_eq!(render_short(&d, Source { name: "a", text: Some(text) }), "a:2:1: error[X1]: no");
    }

    #[test]
    fn json_escapes() {
        let d = Diagnostic::error("X1", "a \"b\"\n\u{1}");
        let json = render_json(&d, Source { name: "f", text: None });
        assert_eq!(
            json,
            r#"{"file":"f","severity":"error","id":"X1","message":"a \"b\"\n\u0001","first":false}"#
        );
    }

    #[test]
    fn a_span_past_the_end_does_not_panic() {
        let d = Diagnostic::error("X1", "no").at_span(Span::new(90, 95));
        let _ = render_human(&d, Source { name: "a", text: Some("é") }, true);
        let _ = render_json(&d, Source { name: "a", text: Some("é") });
    }

    #[test]
    fn of_a_very_long_line_a_part_is_shown() {
        let text = format!("{}B{}", "é".repeat(5000), "A".repeat(5000));
        let d = Diagnostic::error("X", "m").at(Place::Text(Span { start: 10_000, end: 15_001 }));
        let shown = render_human(&d, Source { name: "a", text: Some(&text) }, false);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() < 2 * LONG_LINE), "{shown}");
        let caret = lines[4].chars().position(|c| c == '^').unwrap_or(0);
        assert_eq!(lines[3].chars().nth(caret), Some('B'), "{shown}");
        assert_eq!(lines[1], " --> a:1:5001");
    }
}
