//! Every program of the AGAL corpus: kept to the bit and given a meaning.

use super::{CorpusProgram, Report, each_program};
use std::path::Path;
use vecasm::isa::agal::bytes::{decode, encode};
use vecasm::isa::agal::lift::{Numerics, Options, lift};

/// Decoding, encoding and lifting of every program.
pub(crate) fn programs(shared: &Path) -> Vec<Report> {
    vec![
        each_program(shared, "agal", "decode∘encode", |report, program| {
            report.case(&program.id, same_bytes(program));
        }),
        each_program(shared, "agal", "lift", |report, program| {
            for numerics in [Numerics::Flash, Numerics::Ieee] {
                report.case(&program.id, lifts(program, numerics));
            }
        }),
    ]
}

fn same_bytes(program: &CorpusProgram) -> Result<(), String> {
    let decoded = decode(&program.bytes).map_err(|e| e.to_string())?;
    if encode(&decoded) != program.bytes {
        return Err("other bytes".into());
    }
    let says = |name: &str| program.manifest.get(name).and_then(serde_json::Value::as_u64);
    if says("tokens") != Some(decoded.tokens.len() as u64) {
        return Err(format!("{} tokens, not what the manifest says", decoded.tokens.len()));
    }
    if says("version") != Some(u64::from(decoded.version())) {
        return Err(format!("version {}, not what the manifest says", decoded.version()));
    }
    Ok(())
}

fn lifts(program: &CorpusProgram, numerics: Numerics) -> Result<(), String> {
    let decoded = decode(&program.bytes).map_err(|e| e.to_string())?;
    let options = Options { numerics, ..Options::default() };
    lift(&decoded, &options).map(|_| ()).map_err(|e| e.to_string())
}
