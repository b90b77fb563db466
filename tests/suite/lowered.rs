//! Test files of the kind `exec` once more, after the way through another instruction set.

use crate::case::Case;
use crate::exec::{Bound, Run};
use crate::kinds;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use vecasm::Target;
use vecasm::compare::Link;
use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine as _, Outputs};
use vecasm::ir::{Promise, Shader};
use vecasm::lower::{LoweredProgram, Options, lower};
use vecasm::{LiftOptions, code};

thread_local! {
    /// How many lines of this thread's files were run as programs of each of the [`TARGETS`].
    static RUNS: [Cell<usize>; 4] = const { [const { Cell::new(0) }; 4] };
}

/// The instruction sets that shaders become programs of.
const TARGETS: [Target; 4] = [Target::Agal, Target::D3d9, Target::Nv2a, Target::Tgsi];

/// How many lines of each instruction set become programs of the targets at least. What these cannot say to the bit is not run:
/// the NV2A's arithmetic elsewhere and that of others there, and what TGSI has besides floats.
const LEAST: [(&str, [usize; 4]); 4] =
    [("agal", [80, 60, 2, 80]), ("d3d9", [35, 60, 6, 90]), ("nv2a", [5, 8, 16, 15]), ("tgsi", [5, 4, 2, 25])];

/// Runs the test files of the kind `exec`, and looks whether they were lowered at all.
pub(crate) fn are_lowered(root: &Path, cases: &[PathBuf]) -> Result<(), String> {
    let mut few = String::new();
    for (isa, least) in LEAST {
        RUNS.with(|runs| runs.iter().for_each(|runs| runs.set(0)));
        for case in cases.iter().filter(|case| case.starts_with(Path::new(isa).join("exec"))) {
            kinds::run_file(root, case)?;
        }
        let runs = RUNS.with(|runs| [0, 1, 2, 3].map(|n| runs[n].get()));
        if runs.iter().zip(least).any(|(runs, least)| *runs < least) {
            few += &format!("{isa}: {runs:?} lines became programs of {TARGETS:?}, not {least:?}\n");
        }
    }
    if few.is_empty() { Ok(()) } else { Err(few) }
}

/// Runs a shader as programs of the targets that can say all of it to the bit.
pub(crate) fn run_lowered(case: &Case, textures: &[Bound], shader: &Shader) -> Result<(), String> {
    for d in case.all("run") {
        let run = Run::parse(&d.value).map_err(|e| format!("line {}: {e}", d.line))?;
        let batch = run.batch(shader, textures).map_err(|e| format!("line {}: {e}", d.line))?;
        let states: Vec<(&str, [u32; 4])> = shader
            .states
            .iter()
            .zip(&batch.states)
            .filter_map(|(state, value)| Some((state.name.as_str(), (*value)?)))
            .collect();
        let settled = code::settle(shader.clone(), &states, &mut Vec::new());
        for (n, target) in TARGETS.into_iter().enumerate() {
            let at = |e: String| format!("line {} as a program of {target}: {e}", d.line);
            let mut options = Options::default();
            options.promise = Some(Promise::Exact);
            // Positions stay where they are.
            options.nv2a.viewport = Some(false);
            let Ok(made) = lower(&settled, target, &options) else { continue };
            let again = made.program.lift(&LiftOptions::default()).map_err(|e| at(e.to_string()))?;
            let outputs = run_as(&settled, &again, &made, &batch).map_err(at)?;
            run.compare(&settled, &outputs).map_err(|e| at(format!("{e}\n{}", made.text)))?;
            RUNS.with(|runs| runs[n].set(runs[n].get() + 1));
        }
    }
    Ok(())
}

/// Runs the program that a shader became on what the shader is given; gives the outputs as the shader has them.
fn run_as(
    shader: &Shader,
    again: &Shader,
    made: &LoweredProgram,
    batch: &Batch<'_>,
) -> Result<Outputs, String> {
    let bound = bind(shader, again, &made.link, batch)?;
    let mut got = Interp.run(again, &bound).map_err(|e| e.to_string())?;
    let outputs = made.link.outputs.as_deref().unwrap_or_default();
    let cells = shader.outputs.iter().map(|own| {
        let name = outputs.iter().find(|(_, source)| *source == own.name).map(|(name, _)| name);
        let place = name.and_then(|name| again.outputs.iter().position(|output| output.name == *name));
        // Of an output that nobody writes a program has none, and nobody reads the lanes behind a fog coordinate.
        let init = vec![own.init; batch.count];
        let Some(place) = place else { return init };
        let lanes = own.kind.lanes().min(4);
        let merge = |(mut own, got): ([u32; 4], &[u32; 4])| {
            own[..lanes].copy_from_slice(&got[..lanes]);
            own
        };
        init.into_iter().zip(&got.cells[place]).map(merge).collect()
    });
    got.cells = cells.collect();
    Ok(got)
}

/// What a program is given where its source is given `batch`.
fn bind<'a>(shader: &Shader, again: &Shader, link: &Link, batch: &Batch<'a>) -> Result<Batch<'a>, String> {
    let source = |list: &Option<Vec<(String, String)>>, name: &str| {
        let pair = list.iter().flatten().find(|(target, _)| target == name);
        pair.map(|(_, source)| source.clone()).ok_or_else(|| format!("the binding has no {name}"))
    };
    let mut out = Batch { count: batch.count, ..Batch::default() };
    for input in &again.inputs {
        let name = source(&link.inputs, &input.name)?;
        let place = shader.inputs.iter().position(|own| own.name == name);
        let place = place.ok_or_else(|| format!("the source has no {name}"))?;
        out.inputs.push(batch.inputs.get(place).cloned().unwrap_or_default());
    }
    out.params = again.params.iter().map(|_| Vec::new()).collect();
    let mut set = |name: &str, value: [u32; 4]| {
        let (array, element) =
            again.param_named(name).ok_or_else(|| format!("there is no constant {name}"))?;
        let elements = &mut out.params[array.index()];
        let size = elements.len().max(element as usize + 1);
        elements.resize(size, [0; 4]);
        elements[element as usize] = value;
        Ok::<(), String>(())
    };
    for (name, own) in link.constants.iter().flatten() {
        let (array, element) =
            shader.param_named(own).ok_or_else(|| format!("there is no constant {own}"))?;
        let value = batch.params.get(array.index()).and_then(|elements| elements.get(element as usize));
        set(name, value.copied().unwrap_or_default())?;
    }
    for (name, value) in &link.literals {
        set(name, *value)?;
    }
    for texture in &again.textures {
        let name = source(&link.samplers, &texture.name)?;
        let place = shader.textures.iter().position(|own| own.name == name);
        let place = place.ok_or_else(|| format!("the source has no {name}"))?;
        let mut bound = batch.textures.get(place).copied().flatten();
        let state = link.sampler_states.iter().find(|(of, _)| *of == texture.name);
        if let (Some(bound), Some((_, state))) = (&mut bound, state) {
            bound.sampler = *state;
        }
        out.textures.push(bound);
    }
    out.fragments.clone_from(&batch.fragments);
    out.helpers.clone_from(&batch.helpers);
    Ok(out)
}
