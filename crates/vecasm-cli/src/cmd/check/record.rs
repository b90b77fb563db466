//! What `check` says of each program to machines: one JSON object, after those of its findings.

use crate::foreign;
use crate::io::Input;
use crate::load::Loaded;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use vecasm::diag::{self, Diagnostic, Severity};
use vecasm::isa::AnyProgram;

/// The record of a program that was read. `sha256` is that of its bytecode, so that equal programs have equal ones
/// whatever they came as.
pub(super) fn of(loaded: &Loaded, findings: &[Diagnostic]) -> Value {
    let program = &loaded.program;
    let bytes = program.encode();
    let mut out = head(&loaded.input, if diag::has_errors(findings) { "refused" } else { "accepted" });
    merge(&mut out, language(program));
    merge(
        &mut out,
        json!({
            "instructions": program.instruction_count(),
            "bytes": bytes.len(),
            "sha256": digest(&bytes),
        }),
    );
    merge(&mut out, counts(findings));
    out
}

/// What tells a program from others, as all records have it.
pub(crate) fn identity(loaded: &Loaded) -> Value {
    let mut out = place(&loaded.input);
    merge(&mut out, language(&loaded.program));
    merge(&mut out, json!({ "sha256": digest(&loaded.program.encode()) }));
    out
}

fn language(program: &AnyProgram) -> Value {
    json!({ "isa": program.isa().name(), "stage": program.stage(), "model": program.model() })
}

/// The record of what cannot be read as a program; `sha256` is that of what was read.
pub(super) fn unreadable(input: &Input, findings: &[Diagnostic]) -> Value {
    let mut out = head(input, "refused");
    let isa = crate::load::likely(input).map(vecasm::isa::Isa::name);
    merge(&mut out, json!({ "isa": isa, "bytes": input.bytes.len(), "sha256": digest(&input.bytes) }));
    merge(&mut out, counts(findings));
    out
}

/// The record of an input that cannot be read, or whose instruction set nobody knows.
pub(super) fn lost(name: &str, why: &str) -> Value {
    json!({ "file": name, "program": null, "name": name, "verdict": "unread", "problem": why })
}

/// The record of a file of a folder that holds no shader, with what it is, if that is known.
pub(super) fn passed_over(input: &Input) -> Value {
    let mut out = head(input, "skipped");
    let what = foreign::kind(input);
    merge(&mut out, json!({ "what": what, "bytes": input.bytes.len(), "sha256": digest(&input.bytes) }));
    out
}

fn head(input: &Input, verdict: &str) -> Value {
    let mut out = place(input);
    merge(&mut out, json!({ "verdict": verdict }));
    out
}

fn place(input: &Input) -> Value {
    let file = input.path.as_deref().map_or_else(|| input.name.clone(), |path| path.display().to_string());
    let number = input.one_of_several().map(|piece| piece.number);
    json!({ "file": file, "program": number, "name": input.name })
}

fn counts(findings: &[Diagnostic]) -> Value {
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    json!({
        "errors": count(Severity::Error),
        "warnings": count(Severity::Warning),
        "notes": count(Severity::Note),
    })
}

pub(crate) fn merge(to: &mut Value, from: Value) {
    if let (Value::Object(to), Value::Object(from)) = (to, from) {
        to.extend(from);
    }
}

fn digest(bytes: &[u8]) -> String {
    vecasm::isa::to_hex(&Sha256::digest(bytes))
}
