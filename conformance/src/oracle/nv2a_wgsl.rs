//! NV2A to WGSL: what is written of the corpus is accepted and means what it should.

use super::agal_wgsl::{accepted, same, tint_on_path};
use super::nv2a_exec::slots;
use super::{Report, guarded};
use std::path::Path;
use vecasm::emit::wgsl::{Options, write, write_pair};
use vecasm::exec::Batch;
use vecasm::ir::Shader;
use vecasm::ir::random::Rng;
use vecasm::isa::Isa;
use vecasm::isa::nv2a::lift::{self, Clamp, ConstantWrites, Numerics, Space, lift};
use vecasm::isa::nv2a::{Program, Slot};
use vecasm::opt::{dispatch, exact};

/// Every program of the corpus: as a pair with the fragment stage behind it, and in integers, as a vertex and as a
/// compute shader.
pub(crate) fn corpus(shared: &Path) -> Vec<Report> {
    let folder = shared.join("corpus/nv2a");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return vec![Report::absent("corpus/nv2a (to wgsl)")];
    };
    let mut files: Vec<_> = entries.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "words"));
    files.sort();
    let by = tint_on_path();
    let mut reports = ["to wgsl", "to wgsl, exact", "to wgsl, exact, run"]
        .map(|about| Report::new(format!("corpus/nv2a ({about})")));
    for file in &files {
        let id = file.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let [plain, integers, run] = &mut reports;
        let text = match std::fs::read_to_string(file).map_err(|e| e.to_string()).and_then(|t| slots(&t)) {
            Ok(slots) => slots,
            Err(why) => {
                plain.case(&id, Err(why));
                continue;
            }
        };
        guarded(plain, &id, |report| {
            let written = lifted(&text, Numerics::Ieee, Space::Clip).and_then(|vertex| {
                let fragment = Isa::Nv2a.default_fragment(&vertex, true).ok_or("no fragment stage")?;
                write_pair(&vertex, &fragment, &Options::default()).map_err(|e| e.to_string())
            });
            accepted(report, &id, by.as_deref(), written);
        });
        guarded(integers, &id, |report| {
            let vertex = match lifted(&text, Numerics::Nv20, Space::Screen) {
                Ok(vertex) if vertex.outputs.is_empty() => return report.skip("programs without outputs"),
                vertex => vertex,
            };
            let written = vertex.and_then(|vertex| {
                let mut options = Options::default();
                options.compute.exact = true;
                write(&dispatch(&vertex)?, &options).map_err(|e| e.to_string())
            });
            accepted(report, &id, by.as_deref(), written);
        });
        guarded(run, &id, |report| {
            let outcome = lifted(&text, Numerics::Nv20, Space::Clip).and_then(|vertex| {
                let shader = exact(&vertex)?;
                same(&shader, &batch(&shader), by.as_deref()).map(drop)
            });
            report.case(&id, outcome);
        });
    }
    reports.into()
}

fn lifted(slots: &[Slot], numerics: Numerics, space: Space) -> Result<Shader, String> {
    let mut options = lift::Options { numerics, space, clamp: Clamp::All, ..lift::Options::default() };
    options.switches.c_write = ConstantWrites::Vertex;
    lift(&Program::new(slots.to_vec()), &options).map_err(|e| e.to_string())
}

/// Eight vertices with ordinary and special values.
fn batch(shader: &Shader) -> Batch<'static> {
    let rng = &mut Rng::new(1);
    let mut four = || std::array::from_fn(|_| rng.float());
    Batch {
        count: 8,
        inputs: shader.inputs.iter().map(|_| (0..8).map(|_| four()).collect()).collect(),
        params: shader.params.iter().map(|p| (0..p.size).map(|_| four()).collect()).collect(),
        ..Batch::default()
    }
}
