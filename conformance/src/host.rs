//! What scenes read: files of a folder, programs that pass the rules.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use vecasm::diag::{Severity, Source, render_human};
use vecasm::ir::{Shader, Stage};
use vecasm::isa::any::{CheckOptions, LiftOptions};
use vecasm::isa::{AnyProgram, Isa, agal, nv2a};
use vecasm::render::Picture;
use vecasm::render::scene::Host;

/// Gives a scene the files of its folder.
#[derive(Debug)]
pub struct FolderHost {
    folder: PathBuf,
    vertex: Option<agal::Program>,
}

impl FolderHost {
    /// The host of scenes in `folder`.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf(), vertex: None }
    }
}

impl Host for FolderHost {
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.folder.join(name)).map_err(|e| format!("{name}: {e}"))
    }

    fn image(&mut self, name: &str) -> Result<Picture, String> {
        read_png(&self.folder.join(name))
    }

    fn fragment(&mut self, vertex: &Shader, textured: bool) -> Result<Shader, String> {
        let isa = vertex.isa.parse::<Isa>().ok();
        isa.and_then(|isa| isa.default_fragment(vertex, textured)).ok_or_else(|| "no fragment program".into())
    }

    /// Programs have to pass the rules of the player, and a fragment program has to fit the vertex program before it.
    fn compile(&mut self, stage: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        if self.folder.ends_with(Isa::Nv2a.name()) {
            return vertex_program(name, code);
        }
        let agal_stage = if stage == Stage::Vertex { agal::Stage::Vertex } else { agal::Stage::Fragment };
        let mut text = None;
        let (program, mut findings) = if agal::bytes::looks_like(code) {
            (Some(agal::bytes::decode(code).map_err(|e| format!("{name}: {e}"))?), Vec::new())
        } else {
            let code = std::str::from_utf8(code).map_err(|e| format!("{name}: {e}"))?;
            text = Some(code);
            let options = agal::text::ParseOptions { stage: Some(agal_stage), ..Default::default() };
            agal::text::parse(code, &options)
        };
        let options = agal::rules::Options::default();
        if let Some(program) = &program {
            findings.extend(agal::rules::validate(program, &options));
            if let (Stage::Fragment, Some(vertex)) = (stage, &self.vertex) {
                findings.extend(agal::rules::link(vertex, program, &options));
            }
        }
        findings.retain(|f| f.severity == Severity::Error);
        if !findings.is_empty() {
            let source = Source { name, text };
            return Err(findings.iter().map(|f| render_human(f, source, false)).collect());
        }
        let program = program.ok_or("no program")?;
        let shader = agal::lift::lift(&program, &agal::lift::Options::default())
            .map_err(|e| format!("{name}: {e}"))?;
        if stage == Stage::Vertex {
            self.vertex = Some(program);
        }
        Ok(shader)
    }
}

/// A program of the NV2A, for clip space.
fn vertex_program(name: &str, code: &[u8]) -> Result<Shader, String> {
    let code = std::str::from_utf8(code).map_err(|e| format!("{name}: {e}"))?;
    let (program, mut findings) = AnyProgram::parse(Isa::Nv2a, code, None, None);
    if let Some(program) = &program {
        findings.extend(program.validate(&CheckOptions::default()));
    }
    findings.retain(|f| f.severity == Severity::Error);
    let source = Source { name, text: Some(code) };
    let said = || findings.iter().map(|f| render_human(f, source, false)).collect::<String>();
    let program = program.filter(|_| findings.is_empty()).ok_or_else(said)?;
    let mut options = LiftOptions::default();
    options.nv2a.space = nv2a::lift::Space::Clip;
    options.nv2a.clamp = nv2a::lift::Clamp::All;
    program.lift(&options).map_err(|e| format!("{name}: {e}"))
}

/// A PNG file as 8-bit RGBA.
///
/// # Errors
///
/// What is wrong with the file.
pub fn read_png(path: &Path) -> Result<Picture, String> {
    let said = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let file = File::open(path).map_err(|e| said(&e))?;
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|e| said(&e))?;
    let size = reader.output_buffer_size().ok_or_else(|| said(&"too large"))?;
    let mut data = vec![0; size];
    let info = reader.next_frame(&mut data).map_err(|e| said(&e))?;
    data.truncate(info.buffer_size());
    let rgba8 = match info.color_type {
        png::ColorType::Rgba => data,
        png::ColorType::GrayscaleAlpha => {
            data.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect()
        }
        other => return Err(said(&format!("unexpected colours {other:?}"))),
    };
    Ok(Picture { width: info.width, height: info.height, rgba8 })
}
