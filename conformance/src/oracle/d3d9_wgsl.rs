//! Direct3D to WGSL: every complete shader of the corpus, alone and linked to one of the other stage, with nothing and
//! with everything of the pipeline built in, is accepted by naga and, where it is installed, by tint.

use super::File;
use super::agal_wgsl::{accepted, naga as naga_accepts, tint_on_path};
use super::d3d9_rules::REFUSED;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vecasm::emit::wgsl::{Options, write, write_pair};
use vecasm::ir::{Shader, Stage};
use vecasm::isa::Isa;
use vecasm::isa::d3d9::Program;
use vecasm::isa::d3d9::bytes::{decode, decode_lossless};
use vecasm::isa::d3d9::lift::{self, Pipeline, lift};
use vecasm::isa::d3d9::symbols;
use vecasm::opt::settle;

/// A complete shader of the corpus.
struct Complete {
    id: String,
    bytes: Vec<u8>,
}

/// The corpus in each of the ways.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let name = "corpus/d3d9 (to wgsl)";
    let programs = match complete(shared) {
        None => return vec![File::absent(name)],
        Some(Err(why)) => return vec![File::unreadable(name, "manifest", why)],
        Some(Ok(programs)) => programs,
    };
    let by = Arc::new(tint_on_path());
    // Everything but what WGSL has no word for.
    let most = Pipeline { points: false, ..Pipeline::ALL };
    let mut out = Vec::new();
    for (about, pipeline) in [("to wgsl", Pipeline::default()), ("to wgsl, with the pipeline", most)] {
        let mut file = File::new(format!("corpus/d3d9 ({about})"));
        let by = Arc::clone(&by);
        let rows = programs.iter().map(|program| (program.id.clone(), program.bytes.clone()));
        file.add_all(rows, move |report, id, bytes| {
            let shader = lifted(bytes, pipeline);
            if shader.is_err() && REFUSED.iter().any(|name| id.ends_with(name)) {
                return report.skip("the runtime refuses it, too");
            }
            let written =
                shader.and_then(|shader| write(&shader, &Options::default()).map_err(|e| e.to_string()));
            accepted(report, id, (*by).as_deref(), written);
        });
        out.push(file);
    }
    if let (None, Some(file)) = (&*by, out.first_mut()) {
        file.add_skip("tint", "judged by naga alone: tint is not on the path");
    }
    out.push(pairs(&programs, by));
    out
}

/// Each pixel shader behind a vertex shader of every version, and each vertex shader alone in front of the fixed
/// functions.
fn pairs<'a>(programs: &[Complete], by: Arc<Option<PathBuf>>) -> File<'a> {
    let mut file = File::new("corpus/d3d9 (pairs to wgsl)");
    let all: Vec<(&str, Arc<Shader>)> = programs
        .iter()
        .filter_map(|p| Some((p.id.as_str(), Arc::new(lifted(&p.bytes, Pipeline::default()).ok()?))))
        .collect();
    let versions = ["vs_1", "vs_2", "vs_3"];
    let first = |version: &str| all.iter().find(|(id, _)| id.starts_with(version)).map(|(_, shader)| shader);
    let firsts: Vec<&Arc<Shader>> = versions.iter().filter_map(|version| first(version)).collect();
    for (id, shader) in &all {
        if shader.stage == Stage::Vertex {
            let (shader, by) = (Arc::clone(shader), Arc::clone(&by));
            file.add(format!("{id} alone"), move |report, id| {
                let written = Isa::D3d9
                    .default_fragment(&shader, true)
                    .ok_or_else(|| "no fragment stage".to_string())
                    .and_then(|fragment| linked(&shader, &fragment));
                accepted(report, id, (*by).as_deref(), written);
            });
            continue;
        }
        for (vertex, version) in firsts.iter().zip(versions) {
            let (vertex, shader, by) = (Arc::clone(vertex), Arc::clone(shader), Arc::clone(&by));
            file.add(format!("{version} + {id}"), move |report, id| {
                // tint takes a process each; one pair of each shader is enough for it.
                let by = (*by).as_deref().filter(|_| version == "vs_2");
                accepted(report, id, by, linked(&vertex, &shader));
            });
        }
    }
    file
}

fn linked(vertex: &Shader, fragment: &Shader) -> Result<vecasm::emit::wgsl::Output, String> {
    let (mut vertex, mut fragment) = (vertex.clone(), fragment.clone());
    Isa::D3d9.link(&mut vertex, &mut fragment);
    let output = write_pair(&vertex, &fragment, &Options::default()).map_err(|e| e.to_string())?;
    naga_accepts(&output.source)?;
    Ok(output)
}

fn lifted(bytes: &[u8], pipeline: Pipeline) -> Result<Shader, String> {
    let program = decode(bytes).map_err(|e| e.to_string())?;
    let options = lift::Options { pipeline, ..lift::Options::default() };
    let mut shader = lift(&program, &options).map_err(|e| e.to_string())?;
    shader.symbols = symbols::of(&program);
    Ok(settle(shader, &[]))
}

/// Every complete shader of the corpus, and the same lifted with nothing of the pipeline built in.
pub(super) fn shaders(shared: &Path) -> Vec<(String, Program, Option<Shader>)> {
    let programs = complete(shared).and_then(Result::ok).unwrap_or_default();
    let of = |p: Complete| (p.id, decode_lossless(&p.bytes), lifted(&p.bytes, Pipeline::default()).ok());
    programs.into_iter().map(of).collect()
}

fn complete(shared: &Path) -> Option<Result<Vec<Complete>, String>> {
    let folder = shared.join("corpus/d3d9");
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.json")).ok()?;
    let read = || -> Result<Vec<Complete>, String> {
        let manifest: Value = serde_json::from_str(&manifest).map_err(|e| e.to_string())?;
        let files = manifest.get("files").and_then(Value::as_array).ok_or("no files")?;
        let mut out = Vec::new();
        for entry in files {
            if entry.get("complete_shader").and_then(Value::as_bool) != Some(true) {
                continue;
            }
            let field = |name: &str| entry.get(name).and_then(Value::as_str).ok_or(format!("no {name}"));
            let (id, file) = (field("id")?.to_string(), field("file")?);
            let bytes = std::fs::read(folder.join(file)).map_err(|e| format!("{file}: {e}"))?;
            out.push(Complete { id, bytes });
        }
        Ok(out)
    };
    Some(read())
}
