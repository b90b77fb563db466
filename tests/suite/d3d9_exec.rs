//! Running programs of Direct3D: test files of the kind `exec`.

use crate::case::Case;
use crate::exec::{Bound, Run};
use vecasm::exec::Engine as _;
use vecasm::exec::interp::Interp;
use vecasm::ir::Shader;
use vecasm::ir::verify::verify;
use vecasm::isa::Depth;
use vecasm::isa::d3d9::Program;
use vecasm::isa::d3d9::bytes::{decode, encode};
use vecasm::isa::d3d9::lift::{Options, lift};
use vecasm::isa::d3d9::text;
use vecasm::opt::{Expand, clean, expand, fold};

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
    let mut runs = 0;
    for (which, shader) in [
        (" after the round trip", shader(&again, &options)?),
        (" folded and cleaned", clean(&fold(&lean))),
        (" expanded", expand(&lean, Expand::ALL)),
        (" with the step table, cleaned", clean(&full)),
        (" with the step table", full),
        ("", lean),
    ] {
        for d in case.all("run") {
            let at = |e: String| format!("line {}{which}: {e}", d.line);
            let run = Run::parse(&d.value).map_err(at)?;
            let batch = run.batch(&shader, &textures).map_err(at)?;
            let outputs = Interp.run(&shader, &batch).map_err(|e| at(e.to_string()))?;
            run.compare(&shader, &outputs).map_err(at)?;
            runs += 1;
        }
    }
    if runs == 0 { Err("no `run` line".into()) } else { Ok(()) }
}
