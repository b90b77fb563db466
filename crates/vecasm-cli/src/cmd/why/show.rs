//! What is found, with the lines of the program, or as JSON.

use crate::io::Name;
use serde_json::{Value, json};
use std::fmt::Write as _;
use vecasm::debug::listing::Listing;
use vecasm::debug::risk::RiskMap;
use vecasm::debug::why::{At, Finding, HeldLane, Report, Role, Slice, number};
use vecasm::diag::{Margin, Paint, Severity};
use vecasm::ir::steps::Step;
use vecasm::ir::{Scalar, Shader};
use vecasm::opt::Liberty;

/// How reports about a program are shown.
pub(super) struct ReportView<'a> {
    /// The name of the program.
    pub(super) name: &'a Name,
    pub(super) listing: &'a Listing,
    /// How many invocations there were.
    pub(super) count: usize,
    /// What one is called, and what several are.
    pub(super) words: [&'static str; 2],
    /// Whether invocations have numbers that mean something.
    pub(super) numbered: bool,
    pub(super) color: bool,
}

/// Lines of a story that are shown; of a longer one the beginning and the end.
const SHOWN: usize = 10;

/// A marked line of a story.
struct Line {
    mark: char,
    text: String,
    severity: Option<Severity>,
}

impl ReportView<'_> {
    fn line(&self, at: At) -> Option<u32> {
        self.listing.line(&Step { source: at.source, part: at.part, reads: Vec::new(), writes: Vec::new() })
    }

    /// Everything, as text.
    pub(super) fn text(&self, report: &Report, slices: bool) -> String {
        let paint = Paint::of(self.color);
        let mut out = String::new();
        for finding in &report.findings {
            self.finding(finding, paint, &mut out);
            out.push('\n');
        }
        if slices {
            for slice in &report.slices {
                self.slice(slice, paint, &mut out);
                out.push('\n');
            }
        }
        if report.truncated {
            out += "The run is too long: only its beginning was examined.\n";
        }
        let count = |severity| report.findings.iter().filter(|f| f.severity == severity).count();
        let words = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
        let tally: Vec<String> = words
            .into_iter()
            .filter_map(|(severity, word)| match count(severity) {
                0 => None,
                1 => Some(format!("1 {word}")),
                n => Some(format!("{n} {word}s")),
            })
            .collect();
        let name = self.name;
        let invocations = self.several(self.count);
        let found = if tally.is_empty() { "nothing odd was found".into() } else { tally.join(", ") };
        let _ = writeln!(out, "{}: {found} ({invocations})", name);
        out
    }

    /// So many invocations.
    fn several(&self, count: usize) -> String {
        format!("{count} {}", self.words[usize::from(count != 1)])
    }

    fn finding(&self, finding: &Finding, paint: &Paint, out: &mut String) {
        let tone = paint.tone(finding.severity);
        let (bold, off, gutter) = (paint.bold, paint.off, paint.gutter);
        let _ = writeln!(
            out,
            "{tone}{}[{}]{off}{bold}: {}{off}",
            finding.severity,
            finding.cause.word(),
            finding.message
        );
        let name = self.name;
        let at = finding.at.and_then(|at| self.line(at));
        let place = at.map_or_else(|| name.to_string(), |line| format!("{name}:{line}"));
        let who = match (finding.invocation, finding.count, self.count) {
            (Some(_), _, 1) | (None, ..) => String::new(),
            (_, n, _) if !self.numbered => format!(", {}", self.several(n)),
            (Some(first), 1, _) => format!(", invocation {first}"),
            (Some(first), n, _) => format!(", {}, first {first}", self.several(n)),
        };
        let _ = writeln!(out, "  {gutter}-->{off} {place}{who}");
        // Lines in the order of the run; a line that comes again in a loop is shown once, as it was first.
        let mut lines: Vec<(u32, Line)> = Vec::new();
        for station in &finding.trail {
            let Some(line) = self.line(station.at) else { continue };
            let (mark, severity) = match station.role {
                Role::Culprit => ('^', Some(finding.severity)),
                Role::Origin | Role::Through => ('-', None),
                Role::Swallowed => ('~', None),
            };
            if lines.iter().any(|(l, known)| *l == line && known.mark == mark) {
                continue;
            }
            lines.push((line, Line { mark, text: station.text.clone(), severity }));
        }
        let margin = Margin::of(lines.iter().map(|(line, _)| *line), self.color);
        if !lines.is_empty() {
            margin.blank(out);
        }
        let count = lines.len();
        let mut above = 0;
        for (n, (number, line)) in lines.iter().enumerate() {
            if count > SHOWN && n == SHOWN - 3 {
                let more = count - SHOWN;
                let steps = if more == 1 { "step" } else { "steps" };
                margin.sign(':', &format!("{more} more {steps}"), out);
            }
            if count > SHOWN && (SHOWN - 3..count - 3).contains(&n) {
                continue;
            }
            if *number < above {
                // A loop, or a subroutine that stands behind its calls.
                margin.sign(':', "later in the run", out);
            }
            above = *number;
            self.source(*number, line, &margin, out);
        }
        for note in &finding.notes {
            margin.sign('=', note, out);
        }
    }

    /// A risk map, as text.
    pub(super) fn risks(&self, map: &RiskMap, shader: &Shader) -> String {
        let paint = Paint::of(self.color);
        let (bold, off, gutter) = (paint.bold, paint.off, paint.gutter);
        let mut out = String::new();
        let lines: Vec<Option<u32>> =
            map.risks.iter().map(|risk| self.line(At { source: risk.source, part: 0 })).collect();
        let margin = Margin::of(lines.iter().flatten().copied(), self.color);
        for (risk, line) in map.risks.iter().zip(&lines) {
            let what = match risk.output {
                Some((output, lane)) => {
                    let name = shader.outputs.get(output).map_or("?", |output| output.name.as_str());
                    let [own, other] = risk.bits.map(|bits| number(bits, Scalar::F32));
                    format!("{name}.{} may be {other}, not {own}", ['x', 'y', 'z', 'w'][lane & 3])
                }
                None => "discarded by one, but not by the other".into(),
            };
            let alone = if risk.alone { "" } else { ", with others" };
            let shows = risk.shows.and_then(|source| self.line(At { source, part: 0 }));
            let shows = shows.map_or_else(String::new, |line| format!("; it becomes visible in line {line}"));
            let place = line.map_or_else(|| self.name.to_string(), |line| format!("{}:{line}", self.name));
            let _ = writeln!(
                out,
                "{}risk[{}]{off}{bold}: {}{alone}{off}",
                paint.warning,
                risk.liberty.name(),
                risk.liberty.doc()
            );
            let _ = writeln!(
                out,
                "  {gutter}-->{off} {place}, {} of {} looked into",
                risk.count, map.looked_into
            );
            if let Some(line) = line {
                margin.blank(&mut out);
                let mark =
                    Line { mark: '^', text: format!("{what}{shows}"), severity: Some(Severity::Warning) };
                self.source(*line, &mark, &margin, &mut out);
            } else {
                let _ = writeln!(out, "  {gutter}={off} {what}{shows}");
            }
            out.push('\n');
        }
        let found = if map.differing == 0 {
            format!("no visible difference on a GPU was found ({})", self.several(map.invocations))
        } else {
            format!("{} of {} may visibly differ on a GPU", map.differing, self.several(map.invocations))
        };
        let _ = writeln!(out, "{}: {found}", self.name);
        for (liberty, count) in Liberty::ALL.into_iter().zip(map.counts).filter(|(_, count)| *count > 0) {
            let side = match liberty {
                Liberty::Above => " (above)",
                Liberty::Below => " (below)",
                _ => "",
            };
            let _ = writeln!(out, "  {count:8}  {}{side}: {}", liberty.name(), liberty.doc());
        }
        out
    }

    /// A risk map, as JSON.
    pub(super) fn risks_json(&self, map: &RiskMap, shader: &Shader) -> Value {
        let risks: Vec<Value> = map
            .risks
            .iter()
            .map(|risk| {
                let line = |source| self.line(At { source, part: 0 });
                let output = risk.output.map(|(output, lane)| {
                    let name = shader.outputs.get(output).map_or("?", |output| output.name.as_str());
                    format!("{name}.{}", ['x', 'y', 'z', 'w'][lane & 3])
                });
                json!({
                    "rule": risk.liberty.name(), "instruction": risk.source, "line": line(risk.source),
                    "alone": risk.alone, "shows": risk.shows, "shows_line": risk.shows.and_then(line),
                    "count": risk.count, "invocation": risk.invocation, "output": output,
                    "own": hex(risk.bits[0]), "other": hex(risk.bits[1]),
                })
            })
            .collect();
        let mut counts = serde_json::Map::new();
        for (liberty, count) in Liberty::ALL.into_iter().zip(map.counts) {
            let known = counts.get(liberty.name()).and_then(Value::as_u64).unwrap_or(0);
            counts.insert(liberty.name().into(), json!(known.max(count as u64)));
        }
        json!({
            "file": self.name.raw(), "invocations": map.invocations, "differing": map.differing,
            "looked_into": map.looked_into, "rules": counts, "risks": risks,
        })
    }

    /// A line of the program with its mark below.
    fn source(&self, number: u32, line: &Line, margin: &Margin, out: &mut String) {
        let text = self.listing.text(number).unwrap_or("").replace('\t', " ");
        let (code, comment) = code_of(&text);
        let indent = code.chars().take_while(|c| c.is_whitespace()).count();
        let long = code.trim().chars().count().max(1);
        let (dim, off) = (margin.paint().dim, margin.paint().off);
        margin.line(Some(number), &format!("{code}{dim}{comment}{off}"), out);
        margin.marks(indent, line.mark, long, line.severity, &format!(" {}", line.text), out);
    }

    fn slice(&self, slice: &Slice, paint: &Paint, out: &mut String) {
        let (bold, off, dim) = (paint.bold, paint.off, paint.dim);
        let value = number(slice.bits, slice.scalar);
        let who = if self.count > 1 { format!(" in invocation {}", slice.invocation) } else { String::new() };
        let _ = writeln!(out, "{bold}{} = {value}{who}, made by{off}", slice.name);
        let lines: Vec<Option<u32>> =
            slice.steps.iter().map(|s| self.line(At { source: s.source, part: s.part })).collect();
        let margin = Margin::of(lines.iter().flatten().copied(), self.color);
        let codes: Vec<String> = lines
            .iter()
            .map(|line| {
                let text = line.and_then(|line| self.listing.text(line)).unwrap_or("");
                code_of(&text.replace('\t', " ")).0.trim().to_string()
            })
            .collect();
        let column = codes.iter().map(|code| code.chars().count()).max().unwrap_or(0).min(48);
        for ((step, line), code) in slice.steps.iter().zip(&lines).zip(&codes) {
            let shade = if step.control { dim } else { "" };
            let writes = list(&step.writes);
            let reads = list(&step.reads);
            let arrow = match (writes.is_empty(), reads.is_empty()) {
                (false, false) => format!("{writes}  from {reads}"),
                (false, true) => writes,
                (true, _) => format!("tests {reads}"),
            };
            let kind = if step.control { " (decides)" } else { "" };
            margin.line(*line, &format!("{shade}{code:column$}{off}  {dim}{arrow}{kind}{off}"), out);
        }
        if slice.steps.is_empty() {
            let _ = writeln!(out, "  no step: it is the initial value of the output");
        }
    }

    /// Everything, as one JSON object.
    pub(super) fn json(&self, report: &Report) -> Value {
        let held = |held: &HeldLane| json!({ "name": held.name, "value": number(held.bits, held.scalar), "bits": hex(held.bits) });
        let at = |at: At| {
            let mut place = json!({ "instruction": at.source, "part": at.part });
            if let (Some(line), Some(place)) = (self.line(at), place.as_object_mut()) {
                place.insert("line".into(), json!(line));
            }
            place
        };
        let findings: Vec<Value> = report
            .findings
            .iter()
            .map(|f| {
                let trail: Vec<Value> = f
                    .trail
                    .iter()
                    .map(|s| json!({ "at": at(s.at), "role": s.role.word(), "text": s.text }))
                    .collect();
                json!({
                    "cause": f.cause.word(), "severity": f.severity.word(), "made_up": f.made_up,
                    "message": f.message,
                    "at": f.at.map(at), "invocation": f.invocation, "count": f.count,
                    "trail": trail, "notes": f.notes,
                })
            })
            .collect();
        let slices: Vec<Value> = report
            .slices
            .iter()
            .map(|s| {
                let steps: Vec<Value> = s
                    .steps
                    .iter()
                    .map(|step| {
                        json!({
                            "at": at(At { source: step.source, part: step.part }),
                            "control": step.control,
                            "reads": step.reads.iter().map(held).collect::<Vec<_>>(),
                            "writes": step.writes.iter().map(held).collect::<Vec<_>>(),
                        })
                    })
                    .collect();
                json!({
                    "of": s.name, "invocation": s.invocation,
                    "value": number(s.bits, s.scalar), "bits": hex(s.bits), "steps": steps,
                })
            })
            .collect();
        json!({
            "file": self.name.raw(), "invocations": self.count,
            "findings": findings, "slices": slices, "truncated": report.truncated,
        })
    }
}

fn hex(bits: u32) -> String {
    format!("0x{bits:08x}")
}

/// The instruction of a line, and its comment.
fn code_of(line: &str) -> (&str, &str) {
    let starts = |at: &usize| {
        let rest = line.get(*at..).unwrap_or("");
        rest.starts_with("//") || rest.starts_with(';') || rest.starts_with('#') && !is_name(line, *at)
    };
    let comment = (1..line.len()).find(starts);
    let code = line.get(..comment.unwrap_or(line.len())).unwrap_or(line);
    let code = code.trim_end();
    (code, line.get(code.len()..).unwrap_or(""))
}

/// Whether the `#` there belongs to an operand, as in the text of nv2a-vsh: `#name`, behind a comma or a sign.
fn is_name(line: &str, at: usize) -> bool {
    let named = line
        .get(at + 1..)
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
    named && line.get(..at).is_some_and(|front| front.trim_end().ends_with([',', '-', '+', '(', '|']))
}

/// Lanes with their values: those of one register together.
fn list(held: &[HeldLane]) -> String {
    let mut registers: Vec<(String, String, Vec<String>)> = Vec::new();
    for one in held {
        let (name, lane) = one.name.rsplit_once('.').unwrap_or((&one.name, ""));
        let value = number(one.bits, one.scalar);
        match registers.iter_mut().find(|(known, ..)| known == name) {
            Some((_, lanes, values)) => {
                lanes.push_str(lane);
                values.push(value);
            }
            None => registers.push((name.into(), lane.into(), vec![value])),
        }
    }
    let parts: Vec<String> = registers
        .into_iter()
        .map(|(name, lanes, values)| match values.as_slice() {
            [value] => format!("{name}.{lanes} = {value}"),
            values if values.iter().all(|v| Some(v) == values.first()) => {
                format!("{name}.{lanes} = {}", values[0])
            }
            values => format!("{name}.{lanes} = ({})", values.join(", ")),
        })
        .collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::code_of;

    #[test]
    fn names_with_a_hash_are_no_comments() {
        for (line, code) in [
            ("add r2.x, #fogc.x, -v0.w", "add r2.x, #fogc.x, -v0.w"),
            ("mad r2, r1, -#fogc, #b # why", "mad r2, r1, -#fogc, #b"),
            ("mul oFog.x,r2.x,#fogc.y // #x", "mul oFog.x,r2.x,#fogc.y"),
            ("MOV OUT[0], IN[0] #why", "MOV OUT[0], IN[0]"),
            ("mov r0, v0 ; a, #b", "mov r0, v0"),
            ("mov r0, é # a", "mov r0, é"),
        ] {
            assert_eq!(code_of(line).0, code);
        }
    }
}
