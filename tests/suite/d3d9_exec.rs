//! Running programs of Direct3D: test files of the kind `exec`.

use crate::case::Case;
use crate::exec::{Bound, run_all};
use vecasm::ir::Shader;
use vecasm::ir::verify::verify;
use vecasm::isa::Depth;
use vecasm::isa::d3d9::Program;
use vecasm::isa::d3d9::bytes::{decode, encode};
use vecasm::isa::d3d9::lift::{Options, lift};
use vecasm::isa::d3d9::text;

/// What lifting leaves open, from a `lift` line.
fn lifting(words: &str) -> Result<Options, String> {
    let mut out = Options::default();
    for word in words.split_whitespace() {
        match word.split_once('=') {
            Some(("pipeline", parts)) => {
                if let Some(part) = parts.split(',').find(|part| !out.pipeline.add(part)) {
                    return Err(format!("the pipeline has no part {part}"));
                }
            }
            Some((name, value)) => out.switches.set(name, value).map_err(|e| format!("{word}: {e:?}"))?,
            None => return Err(format!("`{word}` is no option")),
        }
    }
    Ok(out)
}

fn shader(program: &Program, options: &Options) -> Result<Shader, String> {
    let shader = lift(program, options).map_err(|e| e.to_string())?;
    match verify(&shader).first() {
        Some(breach) => Err(format!("malformed: {breach}")),
        None => Ok(shader),
    }
}

pub(crate) fn run_exec(case: &Case) -> Result<(), String> {
    let (program, findings) = text::parse(&case.text);
    let program = program.ok_or_else(|| format!("does not assemble: {findings:?}"))?;
    let options = match case.one("lift")? {
        Some(d) => lifting(&d.value).map_err(|e| format!("line {}: {e}", d.line))?,
        None => Options::default(),
    };
    let textures: Vec<Bound> = case
        .all("texture")
        .map(|d| Bound::parse(&d.value).map_err(|e| format!("line {}: {e}", d.line)))
        .collect::<Result<_, _>>()?;
    let again = decode(&encode(&program)).map_err(|e| e.to_string())?;
    let lean = shader(&program, &options)?;
    let full = shader(&program, &Options { depth: Depth::Full, ..options })?;
    run_all(case, &textures, shader(&again, &options)?, lean, full)
}
