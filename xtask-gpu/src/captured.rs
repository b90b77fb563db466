//! What vertex shaders give, word by word, where they compute with f32: no further from the interpreter than the
//! specification allows.
//!
//! What is allowed is measured: each source instruction in turn is computed as [`gpu`] says that WGSL and Vulkan let it be
//! (with the largest error of a function, fused, with denormals flushed, without care for NaN), and what that changes in the outputs is added
//! up. On top come four units in the last place of the largest lane, for sums in another order.

use crate::code::Language;
use crate::run::vertices;
use crate::{CheckSetup, Report, root};
use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine, Outputs};
use vecasm::ir::random::Rng;
use vecasm::ir::{Scalar, Shader, Stage};
use vecasm::isa::Isa;
use vecasm::isa::any::{AnyProgram, LiftOptions};
use vecasm::opt::{Liberty, gpu, liberties};

/// How much was compared, and how much of what is allowed was used at most.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Close {
    pub(crate) words: usize,
    /// Of 1.
    pub(crate) most: f32,
}

impl Close {
    pub(crate) fn add(&mut self, other: Self) {
        self.words += other.words;
        self.most = self.most.max(other.most);
    }
}

/// Compares a vertex shader with the interpreter, in each language.
///
/// # Errors
///
/// The first lane that is too far off, or why there is none.
pub(crate) fn close(
    given: &CheckSetup<'_>,
    languages: &[Language],
    shader: &Shader,
    batch: &Batch<'_>,
) -> Result<Close, String> {
    let expected = Interp.run(shader, batch).map_err(|e| e.to_string())?;
    let allowed = allowed(shader, batch, &expected)?;
    let mut out = Close::default();
    for &language in languages {
        let got = vertices(given.gpu, language, shader, batch, false)?;
        for (cell, (got, expected)) in got.iter().zip(&expected.cells).enumerate() {
            let output = &shader.outputs[cell];
            for (vertex, (got, expected)) in got.iter().zip(expected).enumerate() {
                for lane in 0..4 {
                    out.words += 1;
                    let most = allowed[cell][vertex][lane];
                    let (a, b) = (f32::from_bits(got[lane]), f32::from_bits(expected[lane]));
                    let same = got[lane] == expected[lane] || !most.is_finite();
                    let off = if output.scalar == Scalar::F32 { (a - b).abs() / most } else { f32::NAN };
                    if same || off <= 1.0 {
                        out.most = out.most.max(if same { 0.0 } else { off });
                        continue;
                    }
                    let (name, language) = (&output.name, language.name());
                    return Err(format!(
                        "{language}: {name} of vertex {vertex} has {a:?} ({:08x}) in lane {lane}, not {b:?}; {most:e} \
                         would be allowed",
                        got[lane]
                    ));
                }
            }
        }
    }
    Ok(out)
}

/// How far each lane of each output may be off; infinite where anything may come out.
fn allowed(shader: &Shader, batch: &Batch<'_>, expected: &Outputs) -> Result<Vec<Vec<[f32; 4]>>, String> {
    let mut allowed: Vec<Vec<[f32; 4]>> = Vec::new();
    for cell in &expected.cells {
        let of_vertex = |words: &[u32; 4]| {
            let lanes = words.map(f32::from_bits);
            let scale = lanes.iter().fold(1.0f32, |most, lane| most.max(lane.abs()));
            lanes.map(|lane| if lane.is_finite() { 4.0 * f32::EPSILON * scale } else { f32::INFINITY })
        };
        allowed.push(cell.iter().map(of_vertex).collect());
    }
    let together: [&[Liberty]; 5] = [
        &[Liberty::Contraction],
        &[Liberty::Flush],
        &[Liberty::Nan],
        &[Liberty::Zero],
        &[Liberty::Above, Liberty::Below],
    ];
    for all in together {
        let mut steps: Vec<u32> = all.iter().flat_map(|liberty| liberties(shader, *liberty)).collect();
        steps.sort_unstable();
        steps.dedup();
        for step in steps {
            let mut most: Vec<Vec<[f32; 4]>> =
                expected.cells.iter().map(|cell| vec![[0.0; 4]; cell.len()]).collect();
            for &liberty in all {
                let Some(other) = gpu(shader, liberty, Some(step)) else { continue };
                let ran = Interp.run(&other, batch).map_err(|e| e.to_string())?;
                for (most, (a, b)) in most.iter_mut().zip(ran.cells.iter().zip(&expected.cells)) {
                    for (most, (a, b)) in most.iter_mut().zip(a.iter().zip(b)) {
                        for lane in 0..4 {
                            let off = (f32::from_bits(a[lane]) - f32::from_bits(b[lane])).abs();
                            let off = if a[lane] == b[lane] {
                                0.0
                            } else if off.is_nan() {
                                f32::INFINITY
                            } else {
                                off
                            };
                            most[lane] = most[lane].max(off);
                        }
                    }
                }
            }
            for (allowed, most) in allowed.iter_mut().flatten().zip(most.iter().flatten()) {
                for lane in 0..4 {
                    allowed[lane] += most[lane];
                }
            }
        }
    }
    Ok(allowed)
}

/// The vertex programs of the examples of AGAL, on ordinary values that no scene has.
pub(crate) fn agal(given: &CheckSetup<'_>) -> Report {
    let mut report = Report::default();
    let mut total = Close::default();
    let mut programs = 0;
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
        let run = || -> Result<Option<Close>, String> {
            let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
            let shader = lifted(Isa::Agal, &text)?;
            // Pictures show those.
            if !shader.textures.is_empty() {
                return Ok(None);
            }
            let batch = ordinary(&shader, given.vertices.min(256), -2.0);
            close(given, &Language::ALL, &shader, &batch).map(Some)
        };
        match run() {
            Ok(None) => {}
            Ok(Some(close)) => {
                programs += 1;
                total.add(close);
            }
            Err(why) => report.wrong.push(format!("{name}: {why}")),
        }
    }
    report.compared =
        format!("{programs} programs, {} words, at most {:.2} of what is allowed", total.words, total.most);
    if programs == 0 && report.wrong.is_empty() {
        report.wrong.push("there are no programs".into());
    }
    report
}

/// Values from −2 to 2, constants from `least` to 2; integers are 1 to 3, so that loops end soon.
pub(crate) fn ordinary(shader: &Shader, count: usize, least: f32) -> Batch<'static> {
    let rng = &mut Rng::new(1);
    let mut four = |scalar: Scalar, least: f32| {
        std::array::from_fn(|_| match scalar {
            Scalar::F32 => ((rng.bits() >> 8) as f32 / 16_777_216.0 * (2.0 - least) + least).to_bits(),
            Scalar::Bool => rng.bits() & 1,
            _ => rng.below(3) as u32 + 1,
        })
    };
    Batch {
        count,
        inputs: shader.inputs.iter().map(|i| (0..count).map(|_| four(i.ty.scalar, -2.0)).collect()).collect(),
        params: shader.params.iter().map(|p| (0..p.size).map(|_| four(p.scalar, least)).collect()).collect(),
        ..Batch::default()
    }
}

/// The meaning of a program in text.
fn lifted(isa: Isa, text: &str) -> Result<Shader, String> {
    let (program, findings) = AnyProgram::parse(isa, text, Some(Stage::Vertex), None);
    let program = program.ok_or_else(|| format!("{findings:?}"))?;
    program.lift(&LiftOptions::default()).map_err(|e| e.to_string())
}
