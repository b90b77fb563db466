//! Properties of this room that hold for every input. Tests call them with chosen and random inputs, fuzz targets
//! with their own.

use super::compat::{Assembler, CompatOptions, assemble};
use super::format::format;
use super::parse::{ParseOptions, parse};
use super::print::{PrintOptions, Style, print};
use crate::agal::bytes::decode_lossless;
use crate::agal::program::{Program, Stage};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// `parse(print(p)) == p` in the lossless style, for the program of any bytes.
///
/// # Errors
///
/// What went wrong, with the text.
pub fn bytes_round_trip(bytes: &[u8]) -> Result<(), String> {
    program_round_trips(&decode_lossless(bytes))
}

/// `parse(print(p)) == p` in the lossless style. Also, if the program has a stage and a version that the `agal4`
/// assembler knows and its text has no `.token` and no `ted`, that assembler makes the same tokens of it.
///
/// # Errors
///
/// What went wrong, with the text.
pub fn program_round_trips(program: &Program) -> Result<(), String> {
    let text = print(program, &PrintOptions::default());
    let (again, findings) = parse(&text, &ParseOptions::default());
    if let Some(finding) = findings.first() {
        return Err(format!("{finding}\n{text}"));
    }
    if again.as_ref() != Some(program) {
        return Err(format!("read back as {again:?}\n{text}"));
    }
    let mini = print(program, &PrintOptions { style: Style::Mini });
    let few = program.tokens.len() <= Assembler::Agal4.max_opcodes();
    if text.starts_with(".agal") && !text.contains(".token") && !mini.contains("//") && few {
        let options = CompatOptions {
            assembler: Assembler::Agal4,
            mode: program.stage().name(),
            version: program.version(),
            ignore_limits: false,
        };
        let out = assemble(&mini, &options);
        let expected = Program { tail: Vec::new(), ..program.clone() };
        if decode_lossless(&out.bytes) != expected || out.error.is_some() || !out.warnings.is_empty() {
            return Err(format!("the agal4 assembler gives {:?} {:?}\n{mini}", out.error, out.warnings));
        }
    }
    Ok(())
}

/// Any text can be read in every way without harm. If the strict syntax takes it, printing and reading gives the
/// same program, formatting keeps the program, and formatting twice is the same as once; and where the `agal4`
/// assembler takes every line of a text without directives, both mean the same.
///
/// # Errors
///
/// What went wrong, with the text.
pub fn text_is_safe(text: &str) -> Result<(), String> {
    for assembler in Assembler::ALL {
        for stage in [Stage::Vertex, Stage::Fragment] {
            let options = CompatOptions { assembler, mode: stage.name(), version: 2, ignore_limits: false };
            let out = assemble(text, &options);
            if out.error.is_some() != out.bytes.is_empty() {
                return Err(format!("bytes and error disagree: {:?}", out.error));
            }
            let _ = out.diagnostics();
        }
    }
    let (program, findings) = parse(text, &ParseOptions::default());
    let Some(program) = program else {
        return if findings.is_empty() { Err("no program and no finding".into()) } else { Ok(()) };
    };
    program_round_trips(&program)?;
    let once = format(text).map_err(|f| format!("cannot be formatted: {f:?}"))?;
    let (again, _) = parse(&once, &ParseOptions::default());
    if again.as_ref() != Some(&program) {
        return Err(format!("formatting changes the program:\n{text}\n{once}"));
    }
    if format(&once).as_ref() != Ok(&once) {
        return Err(format!("formatting twice differs:\n{once}"));
    }
    let plain = !super::syntax::lines(text).any(|line| line.code.text.starts_with('.'));
    let options = CompatOptions {
        assembler: Assembler::Agal4,
        mode: program.stage().name(),
        version: program.version(),
        ignore_limits: false,
    };
    let out = assemble(text, &options);
    let taken = out.error.is_none() && out.warnings.is_empty();
    if plain && taken && decode_lossless(&out.bytes) != program {
        return Err(format!("the agal4 assembler reads it differently:\n{text}"));
    }
    Ok(())
}
