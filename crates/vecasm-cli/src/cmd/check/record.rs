//! What `check` says of each program to machines: one JSON object, after those of its findings.

use crate::io::{self, Input, Name};
use crate::load::Loaded;
use serde_json::{Value, json};
use std::path::Path;
use vecasm::diag::{self, Diagnostic, Severity};
use vecasm::hash::sha256;
use vecasm::reflect::{Identity, Origin};

/// The record of a program that was read. `sha256` is that of its bytecode, so that equal programs have equal ones
/// whatever they came as.
pub(super) fn of(loaded: &Loaded, findings: &[Diagnostic]) -> Value {
    let program = &loaded.program;
    let bytes = program.encode();
    let mut out = head(&loaded.input, if diag::has_errors(findings) { "refused" } else { "accepted" });
    merge(&mut out, json!(Identity::of(program)));
    merge(
        &mut out,
        json!({
            "instructions": program.instruction_count(),
            "bytes": bytes.len(),
            "sha256": sha256(&bytes),
        }),
    );
    merge(&mut out, counts(findings));
    out
}

/// The record of what cannot be read as a program; `sha256` is that of what was read.
pub(super) fn unreadable(input: &Input, findings: &[Diagnostic]) -> Value {
    let mut out = head(input, "refused");
    let isa = input.isa().map(vecasm::isa::Isa::name);
    merge(&mut out, json!({ "isa": isa, "bytes": input.bytes().len(), "sha256": sha256(input.bytes()) }));
    merge(&mut out, counts(findings));
    out
}

/// The record of an input that cannot be read, or whose instruction set nobody knows.
pub(super) fn lost(path: &Path, name: &Name, why: &str) -> Value {
    let mut out = json!(named(Input::named(path).path.as_deref(), name, None));
    merge(&mut out, json!({ "verdict": "unread", "problem": why }));
    out
}

/// The record of a file of a folder that holds no shader, with what it is, if that is known. `what` is given of one that
/// was not read.
pub(super) fn passed_over(input: &Input, what: Option<&str>) -> Value {
    let mut out = head(input, "skipped");
    if let Some(what) = what {
        merge(&mut out, json!({ "what": what, "bytes": null, "sha256": null }));
        return out;
    }
    let what = input.foreign_kind();
    merge(&mut out, json!({ "what": what, "bytes": input.bytes().len(), "sha256": sha256(input.bytes()) }));
    out
}

fn head(input: &Input, verdict: &str) -> Value {
    let mut out = place(input);
    merge(&mut out, json!({ "verdict": verdict }));
    out
}

fn place(input: &Input) -> Value {
    json!(origin(input))
}

/// Where a program comes from.
pub(crate) fn origin(input: &Input) -> Origin {
    let number = input.one_of_several().map(|piece| piece.number());
    named(input.path.as_deref(), &input.name, number)
}

/// A name that is not in Unicode has its bytes, too: what text makes of it is the name of no file.
fn named(path: Option<&Path>, name: &Name, number: Option<u32>) -> Origin {
    let file = path.map_or_else(|| name.clone(), io::shown);
    let odd = path.filter(|path| path.to_str().is_none());
    let bytes = odd.map(|path| vecasm::isa::to_hex(path.as_os_str().as_encoded_bytes()));
    Origin::new(file.raw()).with_program(number).with_name(name.raw()).with_file_hex(bytes)
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
