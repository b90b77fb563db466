//! TGSI: what is read and refused, and what is printed.

use super::{File, Report, check_lines, listed_files};
use serde_json::Value;
use std::path::Path;
use vecasm::diag::{Diagnostic, Place, Severity, line_column};
use vecasm::isa::tgsi::text::{Labels, ParseOptions, Style, format, looks_like, parse, print};
use vecasm::isa::tgsi::{Dialect, Program};
use vecasm::isa::{Content, Isa, sniff};

/// Everything about texts.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    vec![
        check_lines(shared, "oracle/tgsi/parse.jsonl", |report, id, row| {
            read(report, id, row, &shared.join("corpus/tgsi"));
        }),
        check_lines(shared, "oracle/tgsi/mustfail.jsonl", |report, id, row| report.case(id, refused(row))),
        check_lines(shared, "oracle/tgsi/accepted_surprises.jsonl", |report, id, row| {
            report.case(id, surprise(row));
        }),
        programs(shared),
    ]
}

/// The dialects of the two peers and the columns that have their results.
const PEERS: [(&str, Dialect); 2] = [("mesa", Dialect::Mesa22), ("virgl", Dialect::Virgl)];

/// The options that read as a peer does.
fn strict(dialect: Dialect) -> ParseOptions {
    ParseOptions { dialect: Some(dialect), tolerant: false, labels: Labels::AsWritten }
}

fn shown(findings: &[Diagnostic]) -> String {
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// A text as a peer reads it, and why not.
pub(super) fn read_as(text: &str, dialect: Dialect) -> Result<Program, String> {
    let (program, findings) = parse(text, &strict(dialect));
    program.ok_or_else(|| shown(&findings))
}

/// The text of a row, or of its file.
pub(super) fn text_of(row: &Value, corpus: &Path) -> Result<String, String> {
    match (row["text"].as_str(), row["file"].as_str()) {
        (Some(text), _) => Ok(text.to_string()),
        (_, Some(file)) => std::fs::read_to_string(corpus.join(file)).map_err(|why| format!("{file}: {why}")),
        _ => Err("no text".into()),
    }
}

/// A row of `parse.jsonl`: each dialect reads what its peer reads.
fn read(report: &mut Report, id: &str, row: &Value, corpus: &Path) {
    let text = match text_of(row, corpus) {
        Ok(text) => text,
        Err(why) => return report.case(id, Err(why)),
    };
    for (peer, dialect) in PEERS {
        let ok = row[peer]["ok"] == true;
        // One program that is as it should be crashes the peer.
        if row[peer]["why"] == "crash" && !id.starts_with("program/") {
            report.skip("the peer crashes at a text without fault");
            continue;
        }
        let outcome = match read_as(&text, dialect) {
            Err(_) if !ok => Ok(()),
            Ok(_) if !ok => Err(format!("{peer} refuses it\n{text}")),
            Err(why) => Err(format!("{peer} reads it, we do not: {why}\n{text}")),
            Ok(program) => printed(row, peer, &program).and_then(|()| survives(&program)),
        };
        report.case(&format!("{id} {peer}"), outcome);
    }
}

/// What is printed in the styles of the peers, byte for byte. A column that is not there is that of the other style, or
/// of the other peer.
pub(super) fn printed(row: &Value, peer: &str, program: &Program) -> Result<(), String> {
    let mesa = &row["mesa"];
    let plain = mesa["print"].as_str();
    let hex = mesa["print_hex"].as_str().or(plain);
    let wanted = match peer {
        "mesa" => vec![(Style::Mesa, plain), (Style::Hex, hex)],
        _ => vec![(Style::Virgl, row["virgl"]["print_hex"].as_str().or(hex))],
    };
    for (style, wanted) in wanted {
        let Some(wanted) = wanted else { return Err("no column to compare with".into()) };
        let got = print(program, style);
        if got != wanted {
            return Err(format!("{} prints\n{got}\nnot\n{wanted}", style.name()));
        }
    }
    Ok(())
}

/// What is printed without loss reads back to the program, and prints alike again.
pub(super) fn survives(program: &Program) -> Result<(), String> {
    let text = print(program, Style::Lossless);
    let (again, findings) = parse(&text, &ParseOptions::tolerant());
    let again = again.ok_or_else(|| format!("does not read back: {}\n{text}", shown(&findings)))?;
    let second = print(&again, Style::Lossless);
    if second != text {
        return Err(format!("prints\n{second}\nnot\n{text}"));
    }
    if again != *program {
        return Err(format!("other program: {:?}\nnot {:?}\n{text}", again.tokens, program.tokens));
    }
    let formatted = format(&text).map_err(|findings| shown(&findings))?;
    let again = parse(&formatted, &ParseOptions::tolerant()).0;
    if again.as_ref() != Some(program) {
        return Err(format!("other program after formatting:\n{formatted}"));
    }
    if !looks_like(&text) || sniff(text.as_bytes()) != Some(Content::Text(Isa::Tgsi)) {
        return Err(format!("is not recognized:\n{text}"));
    }
    Ok(())
}

/// A row of `mustfail.jsonl`: refused, in the line that the peer names.
fn refused(row: &Value) -> Result<(), String> {
    let text = row["text"].as_str().ok_or("no text")?;
    let (program, findings) = parse(text, &strict(Dialect::Mesa22));
    if program.is_some() {
        return Err(format!("is read\n{text}"));
    }
    if let Some(line) = row["mesa"]["errors"][0]["line"].as_u64() {
        let first = findings.iter().find(|f| f.severity == Severity::Error).ok_or("no error")?;
        let Place::Text(span) = first.place else { return Err("no place".into()) };
        let (at, column) = line_column(text, span.start);
        if u64::from(at) != line {
            return Err(format!("{first} at {at}:{column}, not in line {line}\n{text}"));
        }
        let message = row["mesa"]["errors"][0]["message"].as_str().ok_or("no message")?.trim();
        if !first.message.starts_with(message) {
            return Err(format!("says {first}, not {message}\n{text}"));
        }
    }
    match (row["virgl"].as_str(), read_as(text, Dialect::Virgl)) {
        (Some("ok"), Ok(_)) | (Some("reject"), Err(_)) => Ok(()),
        (_, Ok(_)) => Err(format!("virgl refuses it\n{text}")),
        (_, Err(why)) => Err(format!("virgl reads it, we do not: {why}\n{text}")),
    }
}

/// A row of `accepted_surprises.jsonl`: read by both.
fn surprise(row: &Value) -> Result<(), String> {
    let text = row["text"].as_str().ok_or("no text")?;
    PEERS.iter().try_for_each(|(_, dialect)| read_as(text, *dialect).map(|_| ()))
}

/// The programs of the corpus: what peers say of them, and that all are read if no dialect is asked for, but for texts
/// with lines for a preprocessor and names that it defines.
fn programs(shared: &Path) -> File<'_> {
    const FILE: &str = "corpus/tgsi/MANIFEST.json";
    let Some(entries) = listed_files(shared, "tgsi") else { return File::absent(FILE) };
    let corpus = shared.join("corpus/tgsi");
    let mut file = File::new(FILE);
    let rows = entries.into_iter().map(|row| (row["id"].as_str().unwrap_or("?").to_string(), row));
    file.add_all(rows, move |report, id, row| {
        report.case(id, text_of(row, &corpus).and_then(|text| outcomes(row, &text)));
    });
    file
}

fn outcomes(row: &Value, text: &str) -> Result<(), String> {
    for (column, dialect) in [("mesa22", Dialect::Mesa22), ("virgl", Dialect::Virgl)] {
        match (row[column].as_str(), read_as(text, dialect)) {
            (Some("ok"), Ok(_)) | (Some("reject" | "crash"), Err(_)) => {}
            (said, Ok(_)) => return Err(format!("{column} says {said:?}, we read it")),
            (_, Err(why)) => return Err(format!("{column} reads it, we do not: {why}")),
        }
    }
    let (program, findings) = parse(text, &ParseOptions::tolerant());
    let needs_preprocessor =
        ["#define", "RGLOBAL", "RLOCAL", "RPRIVATE", "RINPUT"].iter().any(|w| text.contains(w));
    let no_header = row["stage"] == "none" || row["id"].as_str().is_some_and(|id| id.ends_with(".none"));
    match program {
        None if needs_preprocessor || no_header => Ok(()),
        None => Err(format!("is not read: {}", shown(&findings))),
        Some(program) => survives(&program),
    }
}
