//! AGAL text: the AGALMiniAssembler's own results, and Adobe's C++ disassembler.

use super::{File, check_lines, check_programs, hex};
use serde_json::Value;
use std::path::Path;
use vecasm::isa::agal::bytes::{decode_lossless, encode};
use vecasm::isa::agal::text::properties::{bytes_round_trip, text_is_safe};
use vecasm::isa::agal::text::{
    Assembler, CompatError, CompatOptions, CompatOutput, ParseOptions, PrintOptions, Style, assemble, parse,
    print,
};
use vecasm::isa::to_hex;

/// `asm.jsonl`, `asm_recorded.jsonl`, the `assemble` layer of `must_fail.jsonl`, `disasm_adobe_cpp.jsonl`, and the
/// texts and programs of the corpus.
pub(crate) fn text(shared: &Path) -> Vec<File<'_>> {
    let mut out: Vec<_> = ["oracle/agal/asm.jsonl", "oracle/agal/asm_recorded.jsonl"]
        .into_iter()
        .map(|file| check_lines(shared, file, |report, id, case| report.case(id, assembles(case))))
        .collect();
    let must_fail = check_lines(shared, "oracle/agal/must_fail.jsonl", |report, id, case| {
        if field(case, "layer") == Ok("assemble") {
            report.case(id, refused(case));
        }
    });
    out.push(must_fail.append_name(" (assemble)"));
    out.push(check_lines(shared, "oracle/agal/disasm_adobe_cpp.jsonl", |report, id, case| {
        report.case(id, disassembles(case));
    }));
    out.push(check_programs(shared, "agal", "text, v3 assembler", |report, program| {
        let Some(text) = &program.text else { return };
        let header = decode_lossless(&program.bytes).header;
        let options = CompatOptions {
            assembler: Assembler::V3,
            mode: header.stage().map_or("", |stage| stage.name()),
            version: header.version(),
            ignore_limits: false,
        };
        report.case(&program.id, same(&to_hex(&assemble(text, &options).bytes), &to_hex(&program.bytes)));
    }));
    out.push(strict(shared));
    out.push(check_programs(shared, "agal", "parse∘print", |report, program| {
        report.case(&program.id, bytes_round_trip(&program.bytes));
    }));
    out
}

/// The corpus texts in the strict syntax: the same bytes, or findings. Which rules refuse how many is told in the
/// title; a text refused is no failure, since published programs do contain slips that Adobe's assembler ignores.
fn strict(shared: &Path) -> File<'_> {
    let mut file = check_programs(shared, "agal", "text, strict", |report, program| {
        let Some(text) = &program.text else { return };
        let header = decode_lossless(&program.bytes).header;
        let options = ParseOptions { stage: header.stage(), version: Some(header.version()) };
        let (parsed, findings) = parse(text, &options);
        let result = match (parsed, findings.first()) {
            (Some(parsed), None) => same(&to_hex(&encode(&parsed)), &to_hex(&program.bytes)),
            (None, Some(first)) => {
                report.count(first.id, 1);
                Ok(())
            }
            other => Err(format!("neither taken nor refused: {other:?}")),
        };
        report.case(&program.id, result.and_then(|()| text_is_safe(text)));
    });
    file.summarize(|report| report.file.push_str(&format!("; refused as doubtful: {:?}", report.counts)));
    file
}

fn field<'a>(case: &'a Value, name: &str) -> Result<&'a str, String> {
    case.get(name).and_then(Value::as_str).ok_or_else(|| format!("no field {name}"))
}

fn same(got: &str, expected: &str) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("got {got:?}, expected {expected:?}")) }
}

fn run(case: &Value) -> Result<CompatOutput, String> {
    let dialect = field(case, "dialect")?;
    let assembler = dialect.parse::<Assembler>().map_err(|_| format!("no dialect {dialect}"))?;
    let version = case.get("version").and_then(Value::as_u64).ok_or("no version")? as u32;
    let repeat = case.get("repeat").and_then(Value::as_u64).unwrap_or(1) as usize;
    let text = vec![field(case, "text")?; repeat].join("\n");
    let ignore_limits = case.get("ignorelimits").and_then(Value::as_bool).unwrap_or(false);
    Ok(assemble(&text, &CompatOptions { assembler, mode: field(case, "stage")?, version, ignore_limits }))
}

fn assembles(case: &Value) -> Result<(), String> {
    let got = run(case)?;
    let warnings: Vec<&str> = match case.get("warnings").and_then(Value::as_array) {
        Some(list) => list.iter().filter_map(Value::as_str).collect(),
        None => Vec::new(),
    };
    if got.warnings != warnings {
        return Err(format!("warnings {:?}, expected {warnings:?}", got.warnings));
    }
    let error = got.error.as_ref().map(ToString::to_string);
    if let Ok(expected) = field(case, "error").or_else(|_| field(case, "exception")) {
        same(error.as_deref().unwrap_or("no error"), expected)?;
        if matches!(got.error, Some(CompatError::TypeError1009)) != case.get("exception").is_some() {
            return Err("error and exception are confused".into());
        }
        return same(&to_hex(&got.bytes), "");
    }
    if let Some(error) = error {
        return Err(format!("unexpected {error}"));
    }
    let expected = match field(case, "hex") {
        Ok(hex) => hex.to_string(),
        Err(_) => {
            let repeat = case.get("repeat").and_then(Value::as_u64).ok_or("neither hex nor repeat")? as usize;
            field(case, "hex_header")?.to_string() + &field(case, "hex_token")?.repeat(repeat)
        }
    };
    same(&to_hex(&got.bytes), &expected)
}

fn refused(case: &Value) -> Result<(), String> {
    let got = run(case)?;
    if !got.bytes.is_empty() {
        return Err("gave bytes".into());
    }
    let error = got.error.ok_or("no error")?.to_string();
    same(error.split('\n').next().unwrap_or(""), field(case, "category")?)
}

fn disassembles(case: &Value) -> Result<(), String> {
    let program = decode_lossless(&hex(field(case, "hex")?));
    same(&print(&program, &PrintOptions { style: Style::Adobe }), field(case, "text")?)
}
