//! The programs of the corpus as shaders, as they are lifted for GPUs.

use super::d3d9_rules::REFUSED;
use super::nv2a_exec::slots;
use super::{corpus, d3d9_wgsl};
use crate::statements::instructions;
use std::path::Path;
use vecasm::ir::Shader;
use vecasm::isa::any::LiftOptions;
use vecasm::isa::{AnyProgram, agal, nv2a, tgsi};
use vecasm::opt::settle;

/// A program of the corpus.
#[derive(Debug)]
pub struct Program {
    /// Its instruction set.
    pub isa: &'static str,
    /// Its id.
    pub id: String,
    /// What it is lifted to.
    pub shader: Shader,
    /// Its instructions, without declarations and definitions.
    pub instructions: usize,
}

/// All of them. What the runtime of an instruction set refuses, and what has no meaning, is left out.
pub fn programs(shared: &Path) -> Vec<Program> {
    let mut out = Vec::new();
    let mut add = |id: &str, program: AnyProgram, shader: Option<Shader>| {
        if let Some(shader) = shader {
            let (isa, instructions) = (program.isa().name(), instructions(&program));
            out.push(Program { isa, id: id.into(), shader: settle(shader, &[]), instructions });
        }
    };
    if let Some(Ok(programs)) = corpus(shared, "agal") {
        for program in programs {
            let Ok(agal) = agal::bytes::decode(&program.bytes) else { continue };
            let shader = agal::lift::lift(&agal, &agal::lift::Options::default()).ok();
            add(&program.id, AnyProgram::Agal(agal), shader);
        }
    }
    for (id, program, shader) in d3d9_wgsl::shaders(shared) {
        if !REFUSED.iter().any(|name| id.ends_with(name)) {
            add(&id, AnyProgram::D3d9(program), shader);
        }
    }
    for (id, text) in texts(&shared.join("corpus/nv2a"), "words") {
        let mut options = LiftOptions::for_gpus().nv2a;
        options.switches.c_write = nv2a::lift::ConstantWrites::Vertex;
        let Some(program) = slots(&text).ok().map(nv2a::Program::new) else { continue };
        let shader = nv2a::lift::lift(&program, &options).ok();
        add(&id, AnyProgram::Nv2a(program), shader);
    }
    for (id, text) in texts(&shared.join("corpus/tgsi/programs"), "tgsi") {
        let (program, _) = tgsi::text::parse(&text, &tgsi::text::ParseOptions::default());
        let Some(program) = program else { continue };
        let shader = tgsi::lift::lift(&program, &tgsi::lift::Options::default()).ok();
        add(&id, AnyProgram::Tgsi(program), shader);
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
