//! Drawing scenes: their files, their programs, and PNG.

use crate::args::{ReadingArgs, Stage as StageArg};
use crate::io::{Input, Likely};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vecasm::diag::{Diagnostic, Source};
use vecasm::exec::interp::Interp;
use vecasm::ir::{Shader, Stage};
use vecasm::render::draw::Budget;
use vecasm::render::scene::{Host, Scene};
use vecasm::render::{Picture, RenderError};

/// Gives a scene the files beside it and the meaning of its programs.
#[derive(Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    reading: ReadingArgs,
    lifting: LiftArgs,
    /// Programs that are not files, by the names that the scene has for them.
    given: BTreeMap<String, Loaded>,
    /// The programs that were compiled, in order.
    pub(crate) compiled: Vec<Loaded>,
    /// A program that is bad, and why.
    bad: Option<(Input, Vec<Diagnostic>)>,
}

impl Files {
    /// Names in the scene are relative to `folder`.
    pub(crate) fn new(folder: &Path, reading: ReadingArgs, lifting: LiftArgs) -> Self {
        Self {
            folder: folder.to_path_buf(),
            reading,
            lifting,
            given: BTreeMap::new(),
            compiled: Vec::new(),
            bad: None,
        }
    }

    /// Lets the scene use a program under a name.
    pub(crate) fn give(&mut self, name: &str, program: Loaded) {
        self.given.insert(name.into(), program);
    }

    /// Lifts a program for a picture.
    fn lift(&mut self, loaded: Loaded) -> Result<Shader, String> {
        match loaded.program.lift(&self.lifting.options(Purpose::Picture)) {
            Ok(shader) => {
                self.compiled.push(loaded);
                Ok(shader)
            }
            Err(finding) => {
                let mut findings = [finding];
                loaded.place(&mut findings);
                let [finding] = findings;
                let why = finding.to_string();
                self.bad = Some((loaded.input, vec![finding]));
                Err(why)
            }
        }
    }

    /// Reports the findings of a bad program, if there is one.
    pub(crate) fn report(&mut self, ctx: &Ctx) -> bool {
        let Some((input, findings)) = self.bad.take() else { return false };
        let text = std::str::from_utf8(&input.bytes).ok();
        ctx.report(&findings, Source { name: &input.name, text });
        true
    }
}

impl Host for Files {
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
        if let Some(given) = self.given.get(name) {
            return Ok(given.input.bytes.clone());
        }
        let path = self.folder.join(name);
        std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn image(&mut self, name: &str) -> Result<Picture, String> {
        let bytes = self.load(name)?;
        read_png(&bytes).map_err(|error| format!("{name}: {error}"))
    }

    fn fragment(&mut self, vertex: &Shader, textured: bool) -> Result<Shader, String> {
        let isa = vecasm::isa::Isa::from_name(&vertex.isa);
        isa.and_then(|isa| isa.default_fragment(vertex, textured))
            .ok_or_else(|| "\"fragment\" is missing".to_string())
    }

    fn compile(&mut self, stage: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        if let Some(given) = self.given.get(name) {
            let given = given.clone();
            return self.lift(given);
        }
        let input = Input { name: name.into(), path: None, bytes: code.to_vec() };
        let stage = if stage == Stage::Vertex { StageArg::Vertex } else { StageArg::Fragment };
        let text = std::str::from_utf8(code).unwrap_or("");
        let declared = vecasm::isa::Isa::ALL.iter().any(|isa| isa.stage_of_text(text).is_some());
        let reading = ReadingArgs { stage: (!declared).then_some(stage), ..self.reading.clone() };
        let read =
            load::read(input, &reading, Likely::Text).map_err(|_| format!("{name}: cannot be read"))?;
        match read {
            Ok(loaded) => self.lift(loaded),
            Err((input, findings)) => {
                let why = findings.first().map_or_else(String::new, ToString::to_string);
                self.bad = Some((input, findings));
                Err(why)
            }
        }
    }
}

/// Draws a scene.
pub(crate) fn draw(scene: &[u8], files: &mut Files, time: Option<f32>) -> Result<Picture, RenderError> {
    Scene::read(scene, files, time)?.render(&Interp, Budget::default())
}

/// A picture as PNG.
pub(crate) fn png(picture: &Picture) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.rgba8)?;
    writer.finish()?;
    Ok(out)
}

/// The pixels of a PNG.
fn read_png(bytes: &[u8]) -> Result<Picture, String> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let size = reader.output_buffer_size().ok_or("too large")?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(|error| error.to_string())?;
    pixels.truncate(info.buffer_size());
    let rgba8 = match info.color_type {
        png::ColorType::Rgba => pixels,
        png::ColorType::GrayscaleAlpha => {
            pixels.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect()
        }
        other => return Err(format!("the colour type {other:?} is not read")),
    };
    Ok(Picture { width: info.width, height: info.height, rgba8 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_survives_png() {
        let picture = Picture { width: 2, height: 1, rgba8: vec![1, 2, 3, 255, 4, 5, 6, 255] };
        assert_eq!(read_png(&png(&picture).unwrap()), Ok(picture));
    }
}
