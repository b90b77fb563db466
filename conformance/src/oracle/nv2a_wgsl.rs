//! NV2A to WGSL: what is written of the corpus is accepted and means what it should.

use super::File;
use super::agal_wgsl::{accepted, same, tint_on_path};
use super::nv2a_exec::slots;
use std::path::Path;
use std::sync::Arc;
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
pub(crate) fn corpus(shared: &Path) -> Vec<File<'_>> {
    let folder = shared.join("corpus/nv2a");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return vec![File::absent("corpus/nv2a (to wgsl)")];
    };
    let mut files: Vec<_> = entries.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "words"));
    files.sort();
    let by = Arc::new(tint_on_path());
    let rows = || {
        files.iter().map(|file| {
            let id = file.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            (id, std::fs::read_to_string(file).map_err(|e| e.to_string()).and_then(|text| slots(&text)))
        })
    };
    let mut plain = File::new("corpus/nv2a (to wgsl)");
    let tint = Arc::clone(&by);
    plain.add_all(rows(), move |report, id, slots| {
        let written = slots.clone().and_then(|slots| {
            let vertex = lifted(&slots, Numerics::Ieee, Space::Clip)?;
            let fragment = Isa::Nv2a.default_fragment(&vertex, true).ok_or("no fragment stage")?;
            write_pair(&vertex, &fragment, &Options::default()).map_err(|e| e.to_string())
        });
        accepted(report, id, (*tint).as_deref(), written);
    });
    // What cannot be read is told once, above.
    let readable = || rows().filter_map(|(id, slots)| Some((id, slots.ok()?)));
    let mut integers = File::new("corpus/nv2a (to wgsl, exact)");
    let tint = Arc::clone(&by);
    integers.add_all(readable(), move |report, id, slots| {
        let vertex = match lifted(slots, Numerics::Nv20, Space::Screen) {
            Ok(vertex) if vertex.outputs.is_empty() => return report.skip("programs without outputs"),
            vertex => vertex,
        };
        let written = vertex.and_then(|vertex| {
            let mut options = Options::default();
            options.compute.exact = true;
            write(&dispatch(&vertex)?, &options).map_err(|e| e.to_string())
        });
        accepted(report, id, (*tint).as_deref(), written);
    });
    let mut run = File::new("corpus/nv2a (to wgsl, exact, run)");
    run.add_all(readable(), move |report, id, slots| {
        let outcome = lifted(slots, Numerics::Nv20, Space::Clip).and_then(|vertex| {
            let shader = exact(&vertex)?;
            same(&shader, &batch(&shader), (*by).as_deref()).map(drop)
        });
        report.case(id, outcome);
    });
    vec![plain, integers, run]
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
