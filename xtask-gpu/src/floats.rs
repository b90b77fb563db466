//! What computes with f32: close to the interpreter on ordinary values. WGSL allows errors of `exp2`, `sin` and their
//! kin, and of divisions; sums and products are as they are in IEEE 754, fused or not.

use crate::run::vertices;
use crate::{Given, Report, root};
use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine};
use vecasm::ir::Shader;
use vecasm::ir::random::Rng;
use vecasm::isa::Isa;
use vecasm::isa::any::{AnyProgram, LiftOptions};

/// What a lane may differ by, of the largest lane of its cell and 1.
const TOLERANCE: f32 = 1e-4;

/// The vertex programs of the examples, on ordinary values.
pub(crate) fn agal(given: &Given<'_>) -> Report {
    let mut report = Report::default();
    let (mut programs, mut compared, mut most) = (0, 0, 0.0f32);
    let folder = root().join("examples/agal");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.to_string_lossy().ends_with(".vert.agal"))
        .collect();
    files.sort();
    for file in files {
        let name = file.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let run = || -> Result<Option<(usize, f32)>, String> {
            let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
            let shader = lifted(Isa::Agal, &text)?;
            // Pictures show those.
            if !shader.textures.is_empty() {
                return Ok(None);
            }
            close(given, &shader).map(Some)
        };
        match run() {
            Ok(None) => {}
            Ok(Some((words, worst))) => {
                programs += 1;
                compared += words;
                most = most.max(worst);
            }
            Err(why) => report.wrong.push(format!("{name}: {why}")),
        }
    }
    report.compared = format!("{programs} programs, {compared} words, at most {most:.1e} apart");
    if programs == 0 && report.wrong.is_empty() {
        report.wrong.push("there are no programs".into());
    }
    report
}

/// The meaning of a program in text.
pub(crate) fn lifted(isa: Isa, text: &str) -> Result<Shader, String> {
    let (program, findings) = AnyProgram::parse(isa, text, Some("vertex"), None);
    let program = program.ok_or_else(|| format!("{findings:?}"))?;
    program.lift(&LiftOptions::default()).map_err(|e| e.to_string())
}

fn close(given: &Given<'_>, shader: &Shader) -> Result<(usize, f32), String> {
    let rng = &mut Rng::new(1);
    let count = given.vertices.min(1000);
    let mut four = || std::array::from_fn(|_| ((rng.bits() >> 8) as f32 / 4_194_304.0 - 2.0).to_bits());
    let batch = Batch {
        count,
        inputs: shader.inputs.iter().map(|_| (0..count).map(|_| four()).collect()).collect(),
        params: shader.params.iter().map(|p| (0..p.size).map(|_| four()).collect()).collect(),
        ..Batch::default()
    };
    let expected = Interp.run(shader, &batch).map_err(|e| e.to_string())?;
    let got = vertices(given.gpu, shader, &batch, false)?;
    let (mut compared, mut worst) = (0, 0.0f32);
    for (cell, (got, expected)) in got.iter().zip(&expected.cells).enumerate() {
        for (vertex, (got, expected)) in got.iter().zip(expected).enumerate() {
            let (got, expected) = (got.map(f32::from_bits), expected.map(f32::from_bits));
            let scale = expected.iter().fold(1.0f32, |most, lane| most.max(lane.abs()));
            for (a, b) in got.iter().zip(&expected) {
                if b.is_finite() && scale.is_finite() {
                    let off = (a - b).abs() / scale;
                    if off > TOLERANCE || a.is_nan() {
                        let name = &shader.outputs[cell].name;
                        return Err(format!("{name} of vertex {vertex} is {got:?}, not {expected:?}"));
                    }
                    worst = worst.max(off);
                }
                compared += 1;
            }
        }
    }
    Ok((compared, worst))
}
