//! Tests of explanations: a program, what it is given, and the culprit that must be named.

use crate::case::{Case, Kind};
use vecasm::debug::why::{Finding, OutputLane, Query, Report, output_named, why};
use vecasm::diag::line_column;
use vecasm::exec::runfile::RunFile;
use vecasm::isa::any::LiftOptions;
use vecasm::isa::{AnyProgram, Depth, Isa, agal, d3d9, nv2a};

/// What a file of kind `why` may say.
const DIRECTIVES: &[&str] = &[
    "given",
    "made-up",
    "numerics",
    "invocation",
    "culprit",
    "says",
    "absent",
    "slice",
    "control",
    "expect",
    "clean",
];

/// The kind, of programs of an instruction set.
macro_rules! kind {
    ($isa:ident) => {
        Kind { word: "why", directives: DIRECTIVES, run: |case| run(case, Isa::$isa) }
    };
}

pub(crate) const AGAL: Kind = kind!(Agal);
pub(crate) const NV2A: Kind = kind!(Nv2a);
pub(crate) const D3D9: Kind = kind!(D3d9);
pub(crate) const TGSI: Kind = kind!(Tgsi);

fn run(case: &Case, isa: Isa) -> Result<(), String> {
    let (program, findings) = AnyProgram::parse(isa, &case.text, None, None);
    let program = program.ok_or_else(|| format!("refused: {findings:?}"))?;
    let mut options = LiftOptions::default();
    (options.agal.depth, options.nv2a.depth) = (Depth::Full, Depth::Full);
    (options.d3d9.depth, options.tgsi.depth) = (Depth::Full, Depth::Full);
    match case.one("numerics")?.map(|d| d.value.as_str()) {
        Some("ieee") => {
            options.agal.numerics = agal::lift::Numerics::Ieee;
            options.nv2a.numerics = nv2a::lift::Numerics::Ieee;
            options.d3d9.numerics = d3d9::lift::Numerics::Ieee;
        }
        None => {}
        Some(other) => return Err(format!("numerics {other}")),
    }
    let shader = program.lift(&options).map_err(|finding| finding.to_string())?;
    let json: String = case.all("given").map(|d| d.value.as_str()).collect();
    let json = if json.is_empty() { "{}" } else { &json };
    let (on, given) = RunFile::parse_partial(json, &shader).map_err(|error| error.to_string())?;
    let mut wanted = Vec::new();
    for d in case.all("slice").chain(case.all("control")).chain(case.all("expect")) {
        let name = d.value.split(['=', ' ']).next().unwrap_or("");
        let (output, lanes) =
            output_named(&shader, name).ok_or_else(|| format!("line {}: no {name}", d.line))?;
        let expected = d.value.split_once('=').map(|(_, value)| value.parse()).transpose();
        let expected = expected.map_err(|_| format!("line {}: no number", d.line))?;
        wanted.extend(lanes.iter().map(|&lane| OutputLane { output, lane, expected, tolerance: 1e-6 }));
    }
    let invocation = case.one("invocation")?.map(|d| d.value.parse()).transpose();
    let invocation = invocation.map_err(|_| "no number of an invocation")?;
    let made_up = case.one("made-up")?.is_some();
    let ask = Query { given: Some(&given), made_up, invocation, wanted: &wanted };
    let report = why(&shader, &on.batch(), &ask).map_err(|error| error.to_string())?;
    let spans = program.instruction_spans(&case.text);
    let line = |source: u32| {
        let span = spans.get(source as usize);
        span.map_or(0, |span| line_column(&case.text, span.start).0)
    };
    check(case, &report, &line).map_err(|error| format!("{error}\n{}", listed(&report, &line)))
}

fn check(case: &Case, report: &Report, line: &dyn Fn(u32) -> u32) -> Result<(), String> {
    let mut checked = 0;
    let place = |finding: &Finding| {
        let at = finding.at.map_or_else(|| "whole".into(), |at| line(at.source).to_string());
        format!("{at} {} {}", finding.severity, finding.cause.word())
    };
    for d in case.all("culprit") {
        report
            .findings
            .iter()
            .find(|finding| place(finding) == d.value)
            .ok_or_else(|| format!("line {}: {} is not found", d.line, d.value))?;
        checked += 1;
    }
    // The first culprit is named first.
    if let (Some(d), Some(first)) = (case.all("culprit").next(), report.findings.first()) {
        if place(first) != d.value {
            return Err(format!("line {}: the first finding is {}", d.line, place(first)));
        }
    }
    for d in case.all("says") {
        let said = report.findings.iter().any(|finding| {
            let stations = finding.trail.iter().map(|s| format!("{}: {}", line(s.at.source), s.text));
            let mut all = stations.chain([finding.message.clone()]).chain(finding.notes.clone());
            all.any(|text| text.contains(&d.value))
        });
        if !said {
            return Err(format!("line {}: nobody says {:?}", d.line, d.value));
        }
        checked += 1;
    }
    for d in case.all("absent") {
        if let Some(found) = report.findings.iter().find(|f| f.cause.word() == d.value) {
            return Err(format!("line {}: found: {}", d.line, found.message));
        }
        checked += 1;
    }
    for (key, control) in [("slice", false), ("control", true)] {
        for d in case.all(key) {
            let (name, lines) = d.value.split_once(' ').unwrap_or((&d.value, ""));
            let slice = report.slices.iter().find(|slice| slice.name == name);
            let slice = slice.ok_or_else(|| format!("line {}: no slice of {name}", d.line))?;
            let steps = slice.steps.iter().filter(|step| step.control == control);
            let got: Vec<String> = steps.map(|step| line(step.source).to_string()).collect();
            if got.join(" ") != lines {
                return Err(format!("line {}: the slice is {}", d.line, got.join(" ")));
            }
            checked += 1;
        }
    }
    if let Some(d) = case.one("clean")? {
        if let Some(found) = report.findings.first() {
            return Err(format!("line {}: found: {}", d.line, found.message));
        }
        checked += 1;
    }
    if checked == 0 { Err("nothing is expected".into()) } else { Ok(()) }
}

/// Everything that was found.
fn listed(report: &Report, line: &dyn Fn(u32) -> u32) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        let at = finding.at.map_or_else(|| "whole".into(), |at| line(at.source).to_string());
        out += &format!("{at} {} {}: {}\n", finding.severity, finding.cause.word(), finding.message);
        for station in &finding.trail {
            out += &format!("    {} {}: {}\n", line(station.at.source), station.role.word(), station.text);
        }
        for note in &finding.notes {
            out += &format!("    note: {note}\n");
        }
    }
    for slice in &report.slices {
        let steps: Vec<String> = slice
            .steps
            .iter()
            .map(|s| format!("{}{}", line(s.source), if s.control { "?" } else { "" }))
            .collect();
        out += &format!("{} = {}: {}\n", slice.name, slice.bits, steps.join(" "));
    }
    out
}
