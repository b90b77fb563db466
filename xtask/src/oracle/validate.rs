//! The programs of the corpus as shaders, as they are lifted for GPUs.

use super::d3d9_rules::REFUSED;
use super::nv2a_exec::slots;
use super::{corpus, d3d9_wgsl};
use std::path::Path;
use vecasm::ir::Shader;
use vecasm::isa::any::LiftOptions;
use vecasm::isa::{agal, nv2a, tgsi};
use vecasm::opt::settle;

/// A program of the corpus.
pub(crate) struct Program {
    /// Its instruction set.
    pub(crate) isa: &'static str,
    pub(crate) id: String,
    pub(crate) shader: Shader,
}

/// All of them. What the runtime of an instruction set refuses, and what has no meaning, is left out.
pub(crate) fn programs(shared: &Path) -> Vec<Program> {
    let mut out = Vec::new();
    let mut add = |isa, id: &str, shader: Option<Shader>| {
        if let Some(shader) = shader {
            out.push(Program { isa, id: id.into(), shader: settle(shader, &[]) });
        }
    };
    if let Some(Ok(programs)) = corpus(shared, "agal") {
        for program in programs {
            let shader = agal::bytes::decode(&program.bytes)
                .ok()
                .and_then(|p| agal::lift::lift(&p, &agal::lift::Options::default()).ok());
            add("agal", &program.id, shader);
        }
    }
    for (id, shader) in d3d9_wgsl::shaders(shared) {
        if !REFUSED.iter().any(|name| id.ends_with(name)) {
            add("d3d9", &id, shader);
        }
    }
    for (id, text) in texts(&shared.join("corpus/nv2a"), "words") {
        let mut options = LiftOptions::for_gpus().nv2a;
        options.switches.c_write = nv2a::lift::ConstantWrites::Vertex;
        let program = slots(&text).ok().map(nv2a::Program::new);
        add("nv2a", &id, program.and_then(|p| nv2a::lift::lift(&p, &options).ok()));
    }
    for (id, text) in texts(&shared.join("corpus/tgsi/programs"), "tgsi") {
        let (program, _) = tgsi::text::parse(&text, &tgsi::text::ParseOptions::default());
        let shader = program.and_then(|p| tgsi::lift::lift(&p, &tgsi::lift::Options::default()).ok());
        add("tgsi", &id, shader);
    }
    out
}

/// The files of a folder with that extension, by name.
fn texts(folder: &Path, extension: &str) -> Vec<(String, String)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == extension));
    files.sort();
    let read = |file: std::path::PathBuf| {
        let id = file.file_stem()?.to_string_lossy().into_owned();
        Some((id, std::fs::read_to_string(file).ok()?))
    };
    files.into_iter().filter_map(read).collect()
}
