//! Every program of the AGAL corpus: kept to the bit and given a meaning.

use super::{CorpusProgram, File, check_programs};
use crate::mutate::properties::{Rng, batch};
use std::path::Path;
use vecasm::exec::Engine;
use vecasm::exec::interp::Interp;
use vecasm::ir::verify::verify;
use vecasm::isa::agal::bytes::{decode, encode};
use vecasm::isa::agal::lift::{Depth, Numerics, Options, lift};
use vecasm::opt::{clean, fold};

/// What holds of every program.
pub(crate) fn programs(shared: &Path) -> Vec<File<'_>> {
    vec![
        check_programs(shared, "agal", "decode∘encode", |report, program| {
            report.case(&program.id, same_bytes(program));
        }),
        check_programs(shared, "agal", "lift, verify, run", |report, program| {
            for numerics in [Numerics::Flash, Numerics::Ieee] {
                report.case(&program.id, means(program, numerics));
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

/// Lifted with and without the step table, each keeps the rules of the IR, runs, and gives the same, also after the
/// passes.
fn means(program: &CorpusProgram, numerics: Numerics) -> Result<(), String> {
    let decoded = decode(&program.bytes).map_err(|e| e.to_string())?;
    let mut first = None;
    for depth in [Depth::Lean, Depth::Full] {
        let options = Options { numerics, depth, ..Options::default() };
        let lifted = lift(&decoded, &options).map_err(|e| e.to_string())?;
        for shader in [clean(&fold(&lifted)), lifted] {
            if let Some(breach) = verify(&shader).first() {
                return Err(format!("breaks a rule of the IR: {breach}"));
            }
            let batch = batch(&shader, &mut Rng::of(&program.bytes), 16);
            let outputs = Interp.run(&shader, &batch).map_err(|e| e.to_string())?;
            match &first {
                None => first = Some(outputs),
                Some(first) if *first != outputs => return Err(format!("{depth:?}: other results")),
                Some(_) => {}
            }
        }
    }
    Ok(())
}
