//! Pictures: scenes drawn by the device through what is written, beside what the software rasterizer draws; and what the
//! vertex shaders of those scenes give, word by word.

mod calls;
mod device;

use crate::captured::{Close, close};
use crate::code::{Code, Language, pair};
use crate::{CheckSetup, Report, root};
use calls::{Call, Calls};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use vecasm::exec::interp::Interp;
use vecasm::ir::text::print;
use vecasm::ir::{Shader, Stage};
use vecasm::isa::any::LiftOptions;
use vecasm::isa::d3d9::lift::Pipeline;
use vecasm::isa::nv2a::lift::{ConstantWrites, Numerics};
use vecasm::isa::{AnyProgram, Isa};
use vecasm::opt::dispatch;
use vecasm::render::Picture;
use vecasm::render::draw::Budget;
use vecasm::render::scene::{Host, Scene};

/// A pixel differs if its red, green or blue is further apart than this, of 255. The view covers the stage opaquely, so the
/// pictures of ours have no alpha.
const APART: u8 = 2;

fn is_apart(ours: &[u8], theirs: &[u8]) -> bool {
    ours.iter().zip(theirs).take(3).any(|(a, b)| a.abs_diff(*b) > APART)
}

/// Scenes of the examples in which more pixels may differ: how many of 1000 away from edges, how many in all, and why.
const DIFFER: &[(&str, [usize; 2], &str)] = &[
    ("agal/chrome", [0, 12], "the level of detail of a cube seen at a grazing angle is estimated otherwise"),
    ("agal/crates", [1, 1], "the level of detail is rounded to a whole one"),
    (
        "agal/galaxy",
        [0, 40],
        "thousands of squares are added up, of which hardly a pixel lies away from an edge",
    ),
    ("agal/gbuffer", [1, 1], "light ends at a threshold"),
    ("agal/islands", [1, 1], "colours change at a height"),
    ("agal/julia", [1, 1], "the last bit grows with each round"),
    ("agal/ray", [1, 1], "shadows and mirrored edges"),
    (
        "agal/terrain",
        [20, 120],
        "water is where the height equals a constant, which interpolation does not keep",
    ),
    ("agal/torus", [1, 1], "the coat is a chequered pattern from FRC"),
    ("d3d9/lacquer", [1, 10], "bumps move where the table of light is read"),
    (
        "d3d9/pond",
        [6, 10],
        "ripples move where the mirror image is read, and the level of detail is rounded otherwise",
    ),
    ("tgsi/verdigris", [1, 60], "the level of detail of a cube is estimated otherwise"),
];

/// How many of 1000 pixels of a picture may differ, edges and all.
const EDGES: usize = 10;

/// How many pairs there have to be.
const PAIRS: usize = 60;

/// The examples, and the pairs that are there for this.
pub(crate) fn scenes(given: &CheckSetup<'_>) -> Vec<Report> {
    let mut all = All::default();
    for isa in Isa::ALL {
        for of in ["examples", "xtask-gpu/pairs"] {
            let folder = root().join(of).join(isa.name());
            for file in scene_files(&folder) {
                let stem = file.file_name().map(|n| n.to_string_lossy().replace(".scene.json", ""));
                let name = format!("{}/{}", isa.name(), stem.unwrap_or_default());
                if !name.contains(given.scene) {
                    continue;
                }
                if given.chatty {
                    println!("       {name}");
                }
                if let Err(why) = all.scene(given, *isa, &name, &file) {
                    all.wrong.push(format!("{name}: {why}"));
                }
            }
        }
    }
    all.finish(given)
}

fn scene_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|file| file.to_string_lossy().ends_with(".scene.json"));
    files.sort();
    files
}

/// What a scene says to this check alone, under the key `check`.
#[derive(Default)]
struct Wanted {
    /// Parts of the pipeline of Direct3D, instead of those of pictures.
    pipeline: Option<Pipeline>,
    /// How many of 1000 pixels may differ: away from edges, and in all.
    differ: [usize; 2],
    /// The rule by which a language refuses the pair, if it does.
    refused: BTreeMap<String, String>,
}

impl Wanted {
    fn take(json: &mut serde_json::Value, name: &str) -> Result<Self, String> {
        let mut out = Self { differ: [0, EDGES], ..Self::default() };
        if let Some((_, differ, _)) = DIFFER.iter().find(|(of, ..)| *of == name) {
            out.differ = *differ;
        }
        let Some(check) = json.as_object_mut().and_then(|all| all.remove("check")) else { return Ok(out) };
        for (key, value) in check.as_object().ok_or("\"check\" is an object")? {
            let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
            match key.as_str() {
                "pipeline" => {
                    let mut pipeline = Pipeline::default();
                    for part in value.as_array().into_iter().flatten() {
                        if !pipeline.add(&text(part)) {
                            return Err(format!("the pipeline has no part {part}"));
                        }
                    }
                    out.pipeline = Some(pipeline);
                }
                // Both numbers, and why.
                "differ" => out.differ = [0, 1].map(|n| value[n].as_u64().unwrap_or_default() as usize),
                "refused" => {
                    for (language, rule) in value.as_object().into_iter().flatten() {
                        if !Language::ALL.iter().any(|of| of.name() == language) {
                            return Err(format!("no language is called {language}"));
                        }
                        out.refused.insert(language.clone(), text(rule));
                    }
                }
                _ => return Err(format!("\"check\" has no key {key}")),
            }
        }
        Ok(out)
    }
}

/// All scenes.
#[derive(Default)]
struct All {
    /// Pairs by instruction set: what they mean, as text.
    pairs: BTreeMap<&'static str, BTreeSet<(String, String)>>,
    /// Vertex shaders whose results were compared, or why they cannot be.
    captured: BTreeMap<String, Option<String>>,
    close: Close,
    /// Scenes with what wgpu has not.
    skipped: Vec<String>,
    /// Languages that cannot say a pair, as expected.
    refused: usize,
    pictures: usize,
    /// Pixels, and those that differ: all, and those away from edges.
    pixels: [usize; 2],
    differ: [usize; 2],
    wrong: Vec<String>,
    not_close: Vec<String>,
}

impl All {
    fn scene(&mut self, given: &CheckSetup<'_>, isa: Isa, name: &str, file: &Path) -> Result<(), String> {
        let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
        let mut json: serde_json::Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        let wanted = Wanted::take(&mut json, name)?;
        json["antialias"] = 1.into();
        isotropic(&mut json);
        let bytes = json.to_string().into_bytes();
        let folder = file.parent().unwrap_or(Path::new("."));
        // The arithmetic of the NV2A, to the bit, and that of GPUs.
        for exact in if isa == Isa::Nv2a { &[true, false][..] } else { &[false] } {
            let mut host = Folder { path: folder.into(), isa, exact: *exact, pipeline: wanted.pipeline };
            let scene = Scene::read(&bytes, &mut host, None).map_err(|e| e.to_string())?;
            let mut calls = Calls::new(scene.size());
            let ours = scene
                .render_watched(&Interp, Budget::default(), &mut |step| calls.note(step, *exact))
                .map_err(|e| e.to_string())?;
            if let Some(why) = calls.refused {
                self.skipped.push(format!("{name}: {why}"));
                return Ok(());
            }
            let mut edges = vec![false; ours.rgba8.len() / 4];
            for call in &calls.list {
                call.mark_edges(&mut edges, ours.width)?;
                let pair = (print(&call.vertex.shader), print(&call.fragment.shader));
                // What a program of the NV2A gives exactly is compared as the program has it, before it is put in clip space.
                if !*exact {
                    self.captured(given, name, &pair.0, call);
                    self.pairs.entry(isa.name()).or_default().insert(pair);
                }
            }
            let name = if *exact { format!("{name}, exact") } else { name.to_string() };
            for language in Language::ALL {
                let compared = self.compare(given, language, &name, &calls, (&ours, &edges), *exact, &wanted);
                if let Err(why) = compared {
                    self.wrong.push(format!("{name}, {}: {why}", language.name()));
                }
            }
        }
        Ok(())
    }

    /// The results of a vertex shader, unless there were some of the same.
    fn captured(&mut self, given: &CheckSetup<'_>, name: &str, text: &str, call: &Call) {
        if self.captured.contains_key(text) {
            return;
        }
        let shader = &call.vertex.shader;
        let refused = dispatch(shader).err().map(|why| format!("{name}: {why}"));
        if refused.is_none() {
            // Some of the vertices, from the whole mesh.
            let step = call.count.div_ceil(256).max(1);
            let some: Vec<usize> = (0..call.count).step_by(step).collect();
            match close(given, &Language::ALL, shader, &call.vertex_batch(&some)) {
                Ok(close) => self.close.add(close),
                Err(why) => self.not_close.push(format!("{name}: {why}")),
            }
        }
        self.captured.insert(text.into(), refused);
    }

    #[allow(clippy::too_many_arguments, reason = "they are what a picture is")]
    fn compare(
        &mut self,
        given: &CheckSetup<'_>,
        language: Language,
        name: &str,
        calls: &Calls,
        (ours, edges): (&Picture, &[bool]),
        exact: bool,
        wanted: &Wanted,
    ) -> Result<(), String> {
        let codes: Result<Vec<Code>, String> = calls
            .list
            .iter()
            .map(|call| pair(language, &call.vertex.shader, &call.fragment.shader, exact))
            .collect();
        let codes = match (codes, wanted.refused.get(language.name())) {
            (Ok(codes), None) => codes,
            (Ok(_), Some(rule)) => return Err(format!("it is written, where {rule} should refuse it")),
            (Err(why), Some(rule)) if why.contains(rule.as_str()) => {
                self.refused += 1;
                return Ok(());
            }
            (Err(why), _) => return Err(why),
        };
        let theirs = device::draw(given.gpu, calls, &codes, (ours.width, ours.height))?;
        let mut differ = [0; 2];
        let mut pixels = [0; 2];
        for ((a, b), edge) in ours.rgba8.chunks(4).zip(theirs.rgba8.chunks(4)).zip(edges) {
            let apart = is_apart(a, b);
            for of in 0..if *edge { 1 } else { 2 } {
                pixels[of] += 1;
                differ[of] += usize::from(apart);
            }
        }
        self.pictures += 1;
        for of in 0..2 {
            self.pixels[of] += pixels[of];
            self.differ[of] += differ[of];
        }
        if given.chatty {
            keep(name, language, [ours, &theirs])?;
        }
        let [away, all] = wanted.differ;
        if differ[1] * 1000 > pixels[1] * away || differ[0] * 1000 > pixels[0] * all {
            let why = keep(name, language, [ours, &theirs]).err().unwrap_or_default();
            return Err(format!(
                "{} of {} pixels away from edges differ, {} of {} in all; see target/gpu {why}",
                differ[1], pixels[1], differ[0], pixels[0]
            ));
        }
        Ok(())
    }

    fn finish(self, given: &CheckSetup<'_>) -> Vec<Report> {
        let of_isa: Vec<String> =
            self.pairs.iter().map(|(isa, pairs)| format!("{isa} {}", pairs.len())).collect();
        let pairs: usize = self.pairs.values().map(BTreeSet::len).sum();
        let mut pictures = Report {
            name: "pictures",
            compared: format!(
                "{pairs} pairs ({}) in {} pictures; {} of {} pixels differ, {} of {} away from edges; {} times a \
                 language has no words for a pair; {} scenes need what wgpu has not",
                of_isa.join(", "),
                self.pictures,
                self.differ[0],
                self.pixels[0],
                self.differ[1],
                self.pixels[1],
                self.refused,
                self.skipped.len(),
            ),
            wrong: self.wrong,
        };
        if pairs < PAIRS && given.scene.is_empty() {
            pictures.wrong.push(format!("fewer than {PAIRS} pairs"));
        }
        if given.chatty {
            pictures.compared += &format!("\n       {}", self.skipped.join("\n       "));
        }
        let reasons: Vec<&str> = self.captured.values().flatten().map(String::as_str).collect();
        let mut vertices = Report {
            name: "vertex outputs of the pictures, as far off as the specifications allow",
            compared: format!(
                "{} vertex shaders, {} words, at most {:.2} of what is allowed; {} cannot be compute shaders",
                self.captured.len() - reasons.len(),
                self.close.words,
                self.close.most,
                reasons.len(),
            ),
            wrong: self.not_close,
        };
        if given.chatty {
            vertices.compared += &format!("\n       {}", reasons.join("\n       "));
        }
        vec![pictures, vertices]
    }
}

/// What became of a fragment program on a square.
pub(crate) enum Paint {
    /// Some language has no words for it, or the scene cannot be drawn.
    Refused,
    /// Pixels away from edges, and those of them that differ, of all languages.
    Compared { pixels: usize, apart: usize },
}

/// Draws a scene with one fragment program, `it`, in all languages.
///
/// # Errors
///
/// What the device said.
pub(crate) fn paint(
    given: &CheckSetup<'_>,
    name: &str,
    scene: &serde_json::Value,
    shader: Shader,
) -> Result<Paint, String> {
    struct Only(Shader);
    impl Host for Only {
        fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
            Ok(name.into())
        }

        fn compile(&mut self, _: Stage, _: &str, _: &[u8]) -> Result<Shader, String> {
            Ok(self.0.clone())
        }
    }
    let Ok(scene) = Scene::read(scene.to_string().as_bytes(), &mut Only(shader), None) else {
        return Ok(Paint::Refused);
    };
    let mut calls = Calls::new(scene.size());
    let ours = scene.render_watched(&Interp, Budget::default(), &mut |step| calls.note(step, false));
    let Some(ours) = ours.ok().filter(|_| calls.refused.is_none()) else { return Ok(Paint::Refused) };
    let mut edges = vec![false; ours.rgba8.len() / 4];
    for call in &calls.list {
        call.mark_edges(&mut edges, ours.width)?;
    }
    let (mut pixels, mut apart) = (0, 0);
    for language in Language::ALL {
        let codes: Result<Vec<Code>, String> = calls
            .list
            .iter()
            .map(|call| pair(language, &call.vertex.shader, &call.fragment.shader, false))
            .collect();
        let Ok(codes) = codes else { return Ok(Paint::Refused) };
        let theirs = device::draw(given.gpu, &calls, &codes, (ours.width, ours.height))?;
        if given.chatty {
            keep(name, language, [&ours, &theirs])?;
        }
        for ((a, b), edge) in ours.rgba8.chunks(4).zip(theirs.rgba8.chunks(4)).zip(&edges) {
            pixels += usize::from(!edge);
            apart += usize::from(!edge && is_apart(a, b));
        }
    }
    Ok(Paint::Compared { pixels, apart })
}

/// Takes anisotropic filters, which each device has its own of, for linear ones.
fn isotropic(json: &mut serde_json::Value) {
    match json {
        serde_json::Value::String(word) if word.starts_with("anisotropic") => *word = "linear".into(),
        serde_json::Value::Array(list) => list.iter_mut().for_each(isotropic),
        serde_json::Value::Object(all) => all.values_mut().for_each(isotropic),
        _ => {}
    }
}

/// Writes both pictures to files.
fn keep(name: &str, language: Language, pictures: [&Picture; 2]) -> Result<(), String> {
    let folder = root().join("target/gpu");
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    for (picture, whose) in pictures.into_iter().zip(["rasterizer", language.name()]) {
        let name = format!("{name} {whose}.png").replace(['/', ' ', ','], "-");
        let file = std::fs::File::create(folder.join(name)).map_err(|e| e.to_string())?;
        let mut encoder = png::Encoder::new(file, picture.width, picture.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
        writer.write_image_data(&picture.rgba8).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// The files of a folder, and the meaning of programs.
struct Folder {
    path: PathBuf,
    isa: Isa,
    exact: bool,
    pipeline: Option<Pipeline>,
}

impl Host for Folder {
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.path.join(name)).map_err(|e| format!("{name}: {e}"))
    }

    fn compile(&mut self, stage: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        let code = std::str::from_utf8(code).map_err(|e| format!("{name}: {e}"))?;
        let stage = self.isa.stage_of_text(code).is_none().then_some(stage);
        let (program, findings) = AnyProgram::parse(self.isa, code, stage, None);
        let program = program.ok_or_else(|| format!("{name}: {findings:?}"))?;
        let mut options = LiftOptions::for_gpus();
        if self.exact {
            options.nv2a.numerics = Numerics::Nv20;
        }
        options.nv2a.switches.c_write = ConstantWrites::Vertex;
        // As for other pictures: half a pixel is what programs take back themselves.
        let usual = Pipeline { half_pixel: false, points: false, ..Pipeline::ALL };
        options.d3d9.pipeline = self.pipeline.unwrap_or(usual);
        program.lift(&options).map_err(|e| format!("{name}: {e}"))
    }

    fn fragment(&mut self, vertex: &Shader, textured: bool) -> Result<Shader, String> {
        self.isa.default_fragment(vertex, textured).ok_or_else(|| "no fragment program".into())
    }
}
