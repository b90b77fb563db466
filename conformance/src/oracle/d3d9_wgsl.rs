//! Direct3D to WGSL: every complete shader of the corpus, alone and linked to one of the other stage, with nothing and
//! with everything of the pipeline built in, is accepted by naga and, where it is installed, by tint.

use super::agal_wgsl::{accepted, naga as naga_accepts, tint_on_path};
use super::d3d9_rules::REFUSED;
use super::{Report, guarded};
use serde_json::Value;
use std::path::Path;
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
pub(crate) fn all(shared: &Path) -> Vec<Report> {
    let programs = match complete(shared) {
        None => return vec![Report::absent("corpus/d3d9 (to wgsl)")],
        Some(Err(why)) => {
            let mut report = Report::new("corpus/d3d9 (to wgsl)");
            report.case("manifest", Err(why));
            return vec![report];
        }
        Some(Ok(programs)) => programs,
    };
    let by = tint_on_path();
    // Everything but what WGSL has no word for.
    let most = Pipeline { points: false, ..Pipeline::ALL };
    let mut out = Vec::new();
    for (about, pipeline) in [("to wgsl", Pipeline::default()), ("to wgsl, with the pipeline", most)] {
        let mut report = Report::new(format!("corpus/d3d9 ({about})"));
        for program in &programs {
            guarded(&mut report, &program.id, |report| {
                let shader = lifted(&program.bytes, pipeline);
                if shader.is_err() && REFUSED.iter().any(|name| program.id.ends_with(name)) {
                    return report.skip("the runtime refuses it, too");
                }
                let written =
                    shader.and_then(|shader| write(&shader, &Options::default()).map_err(|e| e.to_string()));
                accepted(report, &program.id, by.as_deref(), written);
            });
        }
        out.push(report);
    }
    out.push(pairs(&programs, by.as_deref()));
    if by.is_none() {
        if let Some(report) = out.first_mut() {
            report.skip("judged by naga alone: tint is not on the path");
        }
    }
    out
}

/// Each pixel shader behind a vertex shader of every version, and each vertex shader alone in front of the fixed
/// functions.
fn pairs(programs: &[Complete], by: Option<&Path>) -> Report {
    let mut report = Report::new("corpus/d3d9 (pairs to wgsl)");
    let all: Vec<(&str, Shader)> = programs
        .iter()
        .filter_map(|p| lifted(&p.bytes, Pipeline::default()).ok().map(|shader| (p.id.as_str(), shader)))
        .collect();
    let versions = ["vs_1", "vs_2", "vs_3"];
    let firsts: Vec<&Shader> = versions
        .iter()
        .filter_map(|v| all.iter().find(|(id, _)| id.starts_with(v)).map(|(_, s)| s))
        .collect();
    for (id, shader) in &all {
        if shader.stage == Stage::Vertex {
            let id = format!("{id} alone");
            guarded(&mut report, &id, |report| {
                let written = Isa::D3d9
                    .default_fragment(shader, true)
                    .ok_or_else(|| "no fragment stage".to_string())
                    .and_then(|fragment| linked(shader, &fragment));
                accepted(report, &id, by, written);
            });
            continue;
        }
        for (vertex, version) in firsts.iter().zip(versions) {
            let id = format!("{version} + {id}");
            guarded(&mut report, &id, |report| {
                // tint takes a process each; one pair of each shader is enough for it.
                accepted(report, &id, by.filter(|_| version == "vs_2"), linked(vertex, shader));
            });
        }
    }
    report
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
