//! The profiles of other implementations against what those answered.
//!
//! MojoShader: its parser took the corpus files of `interface_mojoshader.jsonl` and refused the others; the column
//! `mojoshader` of `mustfail.jsonl` is its assembler and its parser together, so that a row tells about the parser only
//! where the message is one of the parser's. Wine: its assembler took the texts of `asm.jsonl`, and refused or took those
//! of `mustfail.jsonl`.

use super::{File, check_lines, listed_files};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use vecasm::diag::{Diagnostic, Severity};
use vecasm::isa::d3d9::Program;
use vecasm::isa::d3d9::bytes::{decode_lossless, parse_digits};
use vecasm::isa::d3d9::rules::{Options, Profile, validate};
use vecasm::isa::d3d9::text;

/// Every check.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    vec![mojoshader_corpus(shared), mojoshader_refusals(shared), wine_texts(shared), wine_refusals(shared)]
}

/// The first error of a profile about a program.
fn refusal(program: &Program, profile: Profile) -> Option<Diagnostic> {
    let options = Options { profile, ..Options::default() };
    validate(program, &options).into_iter().find(|d| d.severity == Severity::Error && counts(d))
}

/// Whether a finding is one of the program that answered: creating shaders was not asked.
fn counts(finding: &Diagnostic) -> bool {
    !matches!(finding.id, "D3D9-wine-constant" | "D3D9-wine-ps-2-0")
}

/// Compares an answer; `accepts` is the peer's.
fn compare(accepts: bool, found: Option<Diagnostic>) -> Result<(), String> {
    match (accepts, found) {
        (true, None) | (false, Some(_)) => Ok(()),
        (true, Some(finding)) => Err(format!("is taken by the peer; {finding}")),
        (false, None) => Err("is refused by the peer, not by the profile".into()),
    }
}

fn words(case: &Value) -> Option<Program> {
    let digits = parse_digits(case.get("tokens")?.as_str()?)?;
    Some(decode_lossless(&digits))
}

/// The program of a row's text, if our assembler takes that. Wine's words would not do for MojoShader: of texture registers
/// of ps_1_x in later models it makes others.
fn program(case: &Value) -> Option<Program> {
    text::parse(case.get("text")?.as_str()?).0
}

fn mojoshader_corpus(shared: &Path) -> File<'_> {
    let name = "oracle/d3d9/interface_mojoshader.jsonl";
    let Ok(text) = std::fs::read_to_string(shared.join(name)) else { return File::absent(name) };
    let taken: BTreeSet<String> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok()?.get("id")?.as_str().map(str::to_string))
        .collect();
    let folder = shared.join("corpus/d3d9");
    let Some(entries) = listed_files(shared, "d3d9") else { return File::absent(name) };
    let column =
        |entry: &Value, name: &str| entry.get(name).and_then(Value::as_str).unwrap_or("").to_string();
    let rows = entries.iter().map(|entry| (column(entry, "id"), column(entry, "file")));
    let mut file = File::new(name);
    file.add_all(rows, move |report, id, path| match std::fs::read(folder.join(path)) {
        Ok(bytes) => {
            let found = refusal(&decode_lossless(&bytes), Profile::Mojoshader);
            report.case(id, compare(taken.contains(id), found));
        }
        Err(why) => report.case(id, Err(why.to_string())),
    });
    file
}

/// Beginnings of messages that MojoShader's parser does not have: its assembler refused the text.
const ASSEMBLER: &[&str] = &[
    "Expected ",
    "Comma expected",
    "Invalid writemask",
    "Invalid swizzle",
    "Invalid register index",
    "Invalid destination modifier",
    "Invalid relative addressing offset",
    "Invalid expression",
    "Bad characters",
    "Unknown instruction",
    "Multiple result shift",
    "Macro names",
    "Unterminated #if",
    "Unmatched #endif",
    "#e",
];

/// Messages about words that Wine's assembler does not write.
const OTHER_WORDS: &[&str] = &["instruction token high bit must be zero.", "unknown token"];

/// Rows that tell nothing about words: by peer, with the reason.
const UNTOLD: &[(Profile, &[&str], &str)] = &[
    (
        Profile::Mojoshader,
        &["mf1450", "mf1451", "mf1570"],
        "its assembler writes a component for rcp and rsq",
    ),
    (Profile::Mojoshader, &["mf0475"], "models 1.x have no length of defb"),
    (Profile::Wine, &["mf0498", "mf0513", "mf0519"], "the words of o# and oT# are the same"),
    (Profile::Wine, &["mf1326"], "the words of ps_2_1 are those of ps_2_x"),
    (Profile::Wine, &["mf1378"], "the words of c[a0] are those of c[a0.x] in vs_1_1"),
];

/// Why a row tells nothing.
fn untold(profile: Profile, id: &str) -> Option<&'static str> {
    UNTOLD.iter().find(|(of, ids, _)| *of == profile && ids.contains(&id)).map(|row| row.2)
}

fn mojoshader_refusals(shared: &Path) -> File<'_> {
    let file = check_lines(shared, "oracle/d3d9/mustfail.jsonl", |report, id, case| {
        let column = |name: &str| case.get(name).and_then(Value::as_str).unwrap_or("");
        let why = column("mojoshader_error");
        let accepts = match column("mojoshader") {
            "accept" => true,
            "reject" => false,
            _ => return report.skip("it crashed"),
        };
        if !accepts && ASSEMBLER.iter().any(|begin| why.starts_with(begin)) {
            return report.skip("its assembler refuses the text");
        }
        if !accepts && OTHER_WORDS.iter().any(|begin| why.starts_with(begin)) {
            return report.skip("its assembler writes other words");
        }
        if let Some(why) = untold(Profile::Mojoshader, id) {
            return report.skip(why);
        }
        let Some(program) = program(case) else { return report.skip("our assembler refuses the text") };
        let found = refusal(&program, Profile::Mojoshader);
        report.case(
            id,
            compare(accepts, found)
                .map_err(|e| format!("{e} [{why}] {}", column("text").replace('\n', "; "))),
        );
    });
    file.append_name(" (mojoshader)")
}

fn wine_texts(shared: &Path) -> File<'_> {
    let file = check_lines(shared, "oracle/d3d9/asm.jsonl", |report, id, case| {
        if case.get("source").and_then(Value::as_str) != Some("wine") {
            return report.skip("the words are of another assembler");
        }
        let Some(program) = words(case) else { return report.case(id, Err("no tokens".into())) };
        report.case(
            id,
            compare(true, refusal(&program, Profile::Wine)).map_err(|e| format!("{e} {}", case["text"])),
        );
    });
    file.append_name(" (wine)")
}

fn wine_refusals(shared: &Path) -> File<'_> {
    let file = check_lines(shared, "oracle/d3d9/mustfail.jsonl", |report, id, case| {
        let accepts = match case.get("wine").and_then(Value::as_str) {
            Some("accept") => true,
            Some("reject") => false,
            _ => return report.skip("it did not answer"),
        };
        if let Some(why) = untold(Profile::Wine, id) {
            return report.skip(why);
        }
        let Some(program) = words(case).or_else(|| program(case)) else {
            return report.skip("our assembler refuses the text");
        };
        report.case(
            id,
            compare(accepts, refusal(&program, Profile::Wine))
                .map_err(|e| format!("{e} {} {}", case["wine_error"], case["text"])),
        );
    });
    file.append_name(" (wine)")
}
