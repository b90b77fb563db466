//! TGSI: what Mesa's `tgsi_sanity` says, what virglrenderer refuses, and what must not be refused.

use super::{File, Report, check_lines, listed_files};
use serde_json::Value;
use std::path::Path;
use vecasm::diag::{Diagnostic, Severity};
use vecasm::isa::tgsi::dialect::Dialect;
use vecasm::isa::tgsi::rules::{Options, Profile, validate};
use vecasm::isa::tgsi::text::{Labels, ParseOptions, parse};

/// Every check of this file.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    vec![
        check_lines(shared, "oracle/tgsi/sanity.jsonl", sanity),
        check_lines(shared, "oracle/tgsi/glsl.jsonl", |report, id, row| converted(shared, report, id, row)),
        accepted(shared),
    ]
}

fn column<'a>(row: &'a Value, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or("")
}

fn as_mesa(dialect: Dialect) -> ParseOptions {
    ParseOptions { dialect: Some(dialect), labels: Labels::AsWritten, ..ParseOptions::default() }
}

fn judge(text: &str, dialect: Dialect, profile: Profile) -> Result<Vec<Diagnostic>, String> {
    let (program, findings) = parse(text, &as_mesa(dialect));
    let program = program.ok_or_else(|| format!("is not read: {findings:?}"))?;
    Ok(validate(&program, &Options { profile }))
}

/// A row of `sanity.jsonl`: errors and warnings in order, and the summary.
fn sanity(report: &mut Report, id: &str, row: &Value) {
    let outcome = judge(column(row, "text"), Dialect::Mesa22, Profile::Sanity).and_then(|findings| {
        let of = |severity| -> Vec<&str> {
            findings.iter().filter(|d| d.severity == severity).map(|d| d.message.as_str()).collect()
        };
        let list = |name: &str| -> Vec<&str> {
            let list = row.get(name).and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str).collect()
        };
        let summary: Vec<&str> = row.get("summary").and_then(Value::as_str).into_iter().collect();
        for (severity, wanted) in [
            (Severity::Error, list("errors")),
            (Severity::Warning, list("warnings")),
            (Severity::Note, summary),
        ] {
            let got = of(severity);
            if got != wanted {
                return Err(format!("{severity}s\n    {got:?}\nnot {wanted:?}"));
            }
        }
        let passes = row.get("passes").and_then(Value::as_bool).unwrap_or(false);
        if passes == of(Severity::Error).is_empty() { Ok(()) } else { Err("passes differently".into()) }
    });
    report.case(id, outcome);
}

/// Rules about what the parser of virglrenderer refuses; the others are about its converter.
const OF_PARSER: &[&str] = &[
    "TGSI-virgl-opcode",
    "TGSI-virgl-file",
    "TGSI-virgl-word",
    "TGSI-virgl-input-semantic",
    "TGSI-virgl-stream",
];

/// A row of `glsl.jsonl`: whether virglrenderer's parser takes the program, and whether its converter does.
fn converted(shared: &Path, report: &mut Report, id: &str, row: &Value) {
    let file = column(row, "file");
    let Ok(text) = std::fs::read_to_string(shared.join("corpus/tgsi").join(file)) else {
        return report.case(id, Err(format!("no file {file}")));
    };
    let wanted = row.get("desktop").map_or("", |d| column(d, "result"));
    let why = row.get("desktop").map_or("", |d| column(d, "why"));
    let (strictly, _) = parse(&text, &as_mesa(Dialect::Virgl));
    // Words that only others have are refused by the validator, too.
    let (program, _) = parse(&text, &ParseOptions::default());
    let findings = program.map(|program| validate(&program, &Options { profile: Profile::Virgl }));
    let errors: Vec<&Diagnostic> = findings
        .iter()
        .flatten()
        .filter(|d| d.severity == Severity::Error && d.id.starts_with("TGSI-virgl-"))
        .collect();
    let refused = errors.iter().any(|d| OF_PARSER.contains(&d.id));
    let got = match (&strictly, refused, errors.is_empty()) {
        (None, ..) | (_, true, _) => "parse_reject",
        (Some(_), _, false) => "convert_reject",
        _ => "glsl",
    };
    let mut outcome = Ok(());
    if got != wanted {
        outcome = Err(format!("{got} {errors:?}, not {wanted} {why}"));
    } else if !why.is_empty() && got == "convert_reject" {
        // The reason is recorded in part: the end of the message.
        let same = errors.iter().any(|d| d.message.ends_with(why) || d.id == "TGSI-virgl-immediate");
        if !same {
            outcome = Err(format!("{errors:?}, not {why}"));
        }
    }
    report.case(id, outcome);
}

/// Programs of the corpus that have errors although Mesa 22.3.6 reads them, with the reason.
const WRONG: &[(&str, &str)] = &[];

/// What Mesa 22.3.6 reads has no errors.
fn accepted(shared: &Path) -> File<'_> {
    let folder = shared.join("corpus/tgsi");
    let name = "corpus/tgsi (accepted)";
    let Some(entries) = listed_files(shared, "tgsi") else { return File::absent(name) };
    let mut file = File::new(name);
    let entries = entries.iter().filter(|entry| column(entry, "mesa22") == "ok");
    let rows = entries.map(|entry| (column(entry, "id").to_string(), folder.join(column(entry, "file"))));
    file.add_all(rows, |report, id, path| {
        let outcome = std::fs::read_to_string(path)
            .map_err(|why| why.to_string())
            .and_then(|text| judge(&text, Dialect::Mesa22, Profile::Strict));
        let findings = match outcome {
            Ok(findings) => findings,
            Err(why) => return report.case(id, Err(why)),
        };
        for finding in &findings {
            let line = finding.instruction.as_deref().unwrap_or("");
            report.note(|| format!("{id}: {finding}: {}", line.trim()));
        }
        let errors: Vec<String> = findings
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .map(|d| format!("\n    {d} {:?}", d.instruction))
            .collect();
        let listed = WRONG.iter().any(|(name, _)| *name == id);
        report.case(
            id,
            match (listed, errors.is_empty()) {
                (false, false) => Err(errors.concat()),
                (true, true) => Err("has no errors".into()),
                _ => Ok(()),
            },
        );
    });
    file
}
