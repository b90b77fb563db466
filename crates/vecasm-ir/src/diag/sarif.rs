//! SARIF 2.1.0, the interchange format of static analysis tools (OASIS standard): one log with one run.

use super::{Diagnostic, Place, Renderer, Rule, Source, Span, push_json_string};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

/// Findings about one input.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What the findings are about.
    pub source: Source<'a>,
    /// The other input, if the findings are about two together.
    pub also: Option<Source<'a>>,
    /// The findings.
    pub findings: &'a [Diagnostic],
}

/// One SARIF 2.1.0 log: one run of `vecasm` with the metadata of `rules`, a result for each finding, an artifact for
/// each input. `failures` says what went wrong outside the inputs (usage, input and output); they make an
/// unsuccessful invocation.
///
/// Places in a text are regions of lines and columns (counted from 1, columns in characters) and of bytes; places
/// in a binary are byte offsets, with the token as a logical location and its disassembly as the rendered snippet.
/// Help of a finding is the second paragraph of its message. Names of inputs become URI references: a relative path
/// stays relative, an absolute one becomes a `file:` URI. The log ends with a newline.
pub fn render_sarif(reports: &[Report<'_>], rules: &[&Rule], failures: &[&str]) -> String {
    let mut index = Index::default();
    let mut artifacts: Vec<&str> = Vec::new();
    for report in reports {
        for source in [Some(report.source), report.also].into_iter().flatten() {
            index.artifacts.entry(source.name).or_insert_with(|| {
                artifacts.push(source.name);
                artifacts.len() - 1
            });
        }
    }
    for (n, rule) in rules.iter().enumerate() {
        index.rules.entry(rule.id).or_insert(n);
    }
    let mut json = Json::default();
    json.object(|json| {
        json.text("$schema", SCHEMA);
        json.text("version", "2.1.0");
        json.list("runs", [()], |json, ()| {
            json.object(|json| {
                json.key("tool").object(|json| {
                    json.key("driver").object(|json| driver(json, rules));
                });
                json.text("columnKind", "unicodeCodePoints");
                json.list("invocations", [()], |json, ()| json.object(|json| invocation(json, failures)));
                json.list("artifacts", &artifacts, |json, name| {
                    json.object(|json| {
                        json.key("location").object(|json| json.text("uri", &uri(name)));
                    });
                });
                let renderers: Vec<_> = reports.iter().map(|report| Renderer::new(report.source)).collect();
                let findings = reports.iter().zip(&renderers);
                let findings = findings
                    .flat_map(|(report, from)| report.findings.iter().map(move |d| (report, from, d)));
                json.list("results", findings, |json, (report, from, finding)| {
                    json.object(|json| result(json, report, from, finding, &index));
                });
            });
        });
    });
    json.out.push('\n');
    json.out
}

/// Numbers of inputs and rules by their names.
#[derive(Default)]
struct Index<'a> {
    artifacts: BTreeMap<&'a str, usize>,
    rules: BTreeMap<&'a str, usize>,
}

/// Where the schema of the format is.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

fn driver(json: &mut Json, rules: &[&Rule]) {
    json.text("name", "vecasm");
    json.text("version", env!("CARGO_PKG_VERSION"));
    json.text("semanticVersion", env!("CARGO_PKG_VERSION"));
    json.text("informationUri", env!("CARGO_PKG_REPOSITORY"));
    json.list("rules", rules, |json, rule| {
        json.object(|json| {
            json.text("id", rule.id);
            json.message("shortDescription", rule.message);
            json.message("fullDescription", rule.reason);
            json.message("help", rule.reason);
            json.key("defaultConfiguration").object(|json| json.text("level", rule.severity.word()));
            json.key("properties").object(|json| {
                json.text("provenance", rule.provenance.word());
                if rule.number != 0 {
                    json.number("number", rule.number);
                }
            });
        });
    });
}

fn invocation(json: &mut Json, failures: &[&str]) {
    json.flag("executionSuccessful", failures.is_empty());
    if !failures.is_empty() {
        json.list("toolExecutionNotifications", failures, |json, failure| {
            json.object(|json| {
                json.text("level", "error");
                json.message("message", failure);
            });
        });
    }
}

fn result(json: &mut Json, report: &Report<'_>, from: &Renderer<'_>, d: &Diagnostic, index: &Index<'_>) {
    json.text("ruleId", d.id);
    if let Some(rule) = index.rules.get(d.id) {
        json.number("ruleIndex", rule);
    }
    json.text("level", d.severity.word());
    match &d.help {
        Some(help) => json.message("message", &format!("{}\n\n{help}", d.message)),
        None => json.message("message", &d.message),
    }
    json.list("locations", [()], |json, ()| {
        json.object(|json| {
            json.key("physicalLocation").object(|json| {
                artifact(json, report.source.name, index);
                region(json, d, from);
            });
            if let Place::Binary { token: Some(token), .. } = d.place {
                json.list("logicalLocations", [()], |json, ()| {
                    json.object(|json| {
                        json.text("name", &format!("token {token}"));
                        json.text("kind", "instruction");
                    });
                });
            }
        });
    });
    if let Some(also) = report.also {
        json.list("relatedLocations", [()], |json, ()| {
            json.object(|json| {
                json.key("physicalLocation").object(|json| artifact(json, also.name, index));
            });
        });
    }
    json.key("properties").object(|json| json.flag("first", d.first));
}

fn artifact(json: &mut Json, name: &str, index: &Index<'_>) {
    json.key("artifactLocation").object(|json| {
        json.text("uri", &uri(name));
        if let Some(number) = index.artifacts.get(name) {
            json.number("index", number);
        }
    });
}

/// A finding about the program as a whole has no region: it is about the artifact.
fn region(json: &mut Json, d: &Diagnostic, from: &Renderer<'_>) {
    match (d.place, from.lines()) {
        (Place::Text(span), Some(lines)) => {
            let (line, column) = lines.line_column(span.start);
            let (end_line, end_column) = lines.line_column(span.end.max(span.start));
            json.key("region").object(|json| {
                json.number("startLine", line);
                json.number("startColumn", column);
                json.number("endLine", end_line);
                json.number("endColumn", end_column);
                json.number("byteOffset", span.start);
                json.number("byteLength", span.end.saturating_sub(span.start));
            });
        }
        (Place::Text(Span { start: offset, .. }) | Place::Binary { offset, .. }, _) => {
            json.key("region").object(|json| {
                json.number("byteOffset", offset);
                if let Some(instruction) = &d.instruction {
                    json.key("snippet").object(|json| json.message("rendered", instruction));
                }
            });
        }
        (Place::Whole, _) => {}
    }
}

/// A URI reference (RFC 3986) for a path: what cannot stand in one is percent-encoded.
fn uri(path: &str) -> String {
    let bytes = path.as_bytes();
    let drive = bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.get(1) == Some(&b':')
        && matches!(bytes.get(2), Some(b'/' | b'\\'));
    let mut out = String::new();
    match (drive, path.starts_with('/')) {
        (true, _) => out.push_str("file:///"),
        (false, true) => out.push_str("file://"),
        _ => {}
    }
    for (n, &b) in bytes.iter().enumerate() {
        match b {
            b'\\' if drive => out.push('/'),
            b':' if drive && n == 1 => out.push(':'),
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b'/'
            | b'+'
            | b','
            | b'=' => {
                out.push(b as char);
            }
            _ => {
                let _ = write!(out, "%{b:02X}");
            }
        }
    }
    out
}

/// Writes JSON.
#[derive(Default)]
struct Json {
    out: String,
    /// Whether the next member or element needs a comma before it.
    comma: bool,
}

impl Json {
    fn separate(&mut self) {
        if self.comma {
            self.out.push(',');
        }
        self.comma = false;
    }

    fn key(&mut self, key: &str) -> &mut Self {
        self.separate();
        push_json_string(&mut self.out, key);
        self.out.push(':');
        self
    }

    fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.separate();
        self.out.push('{');
        members(self);
        self.out.push('}');
        self.comma = true;
    }

    fn list<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.key(key).out.push('[');
        for item in items {
            write(self, item);
        }
        self.out.push(']');
        self.comma = true;
    }

    fn text(&mut self, key: &str, value: &str) {
        push_json_string(&mut self.key(key).out, value);
        self.comma = true;
    }

    fn number(&mut self, key: &str, value: impl ToString) {
        self.key(key).out.push_str(&value.to_string());
        self.comma = true;
    }

    fn flag(&mut self, key: &str, value: bool) {
        self.key(key).out.push_str(if value { "true" } else { "false" });
        self.comma = true;
    }

    /// An object whose one member is the text.
    fn message(&mut self, key: &str, text: &str) {
        self.key(key).object(|json| json.text("text", text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uri_references() {
        for (path, expected) in [
            ("a/b.agal", "a/b.agal"),
            ("a%b#c?d:e", "a%25b%23c%3Fd%3Ae"),
            ("<stdin>", "%3Cstdin%3E"),
            ("é", "%C3%A9"),
            ("/tmp/a", "file:///tmp/a"),
            (r"C:\x\y z", "file:///C:/x/y%20z"),
            ("C:/x", "file:///C:/x"),
            (r"a\b", "a%5Cb"),
        ] {
            assert_eq!(uri(path), expected, "{path}");
        }
    }
}
