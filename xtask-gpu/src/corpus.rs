//! The programs of the corpus, where it is there: what its vertex programs give for ordinary values, and what its fragment
//! programs paint on a square behind a vertex program of our own.

use crate::captured::{Close, close, ordinary};
use crate::code::Language;
use crate::pictures::{Paint, paint};
use crate::{CheckSetup, Report};
use std::path::{Path, PathBuf};
use vecasm::ir::{Dim, OutOfRange, OutputKind, Scalar, Shader, Stage};
use vecasm::isa::any::LiftOptions;
use vecasm::isa::nv2a::lift::ConstantWrites;
use vecasm::isa::{AnyProgram, Isa};
use vecasm::opt::{dispatch, settle};

/// Vertices of each program.
const VERTICES: usize = 64;
/// The least constant: zero to a negative power is an infinity, of which targets leave open what becomes.
const LEAST: f32 = 0.0625;
/// How many of 1000 pixels of all pictures may differ: constants are what they are, so thresholds lie anywhere.
const DIFFER: usize = 1;

/// The programs of an instruction set, by their files.
fn files(shared: &Path, isa: Isa) -> Vec<PathBuf> {
    let (folder, extension) = match isa {
        Isa::Agal => ("corpus/agal", "bin"),
        Isa::D3d9 => ("corpus/d3d9/bin", "bin"),
        Isa::Nv2a => ("corpus/nv2a", "words"),
        _ => ("corpus/tgsi/programs", "tgsi"),
    };
    let entries = std::fs::read_dir(shared.join(folder)).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

/// The meaning of a program for a device, if it has one.
fn lifted(isa: Isa, file: &Path) -> Option<Shader> {
    let bytes = std::fs::read(file).ok()?;
    let program = match isa {
        Isa::Nv2a => AnyProgram::Nv2a(crate::nv2a::words(file).ok()?),
        Isa::Tgsi => AnyProgram::parse(isa, std::str::from_utf8(&bytes).ok()?, None, None).0?,
        _ => AnyProgram::decode(isa, &bytes).ok()?,
    };
    let mut options = LiftOptions::for_gpus();
    options.nv2a.switches.c_write = ConstantWrites::Vertex;
    program.lift(&options).ok().map(|shader| settle(shader, &[]))
}

/// Every program.
pub(crate) fn programs(given: &CheckSetup<'_>) -> Vec<Report> {
    let Some(shared) = given.shared else { return Vec::new() };
    let (mut vertices, mut captured, mut close_by, mut left) = (Report::default(), 0, Close::default(), 0);
    let (mut fragments, mut painted, mut unsaid) = (Report::default(), 0, 0);
    let mut differ = [0; 2];
    let mut worst = Vec::new();
    for &isa in Isa::ALL {
        for file in files(shared, isa) {
            let stem = file.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            let name = format!("{}/{stem}", isa.name());
            let Some(shader) = lifted(isa, &file).filter(|_| name.contains(given.scene)) else { continue };
            match shader.stage {
                Stage::Vertex => {
                    // Textures of vertex programs are shown by the pictures.
                    if dispatch(&shader).is_err() || !shader.textures.is_empty() || is_open(&shader) {
                        left += 1;
                        continue;
                    }
                    match close(given, &Language::ALL, &shader, &ordinary(&shader, VERTICES, LEAST)) {
                        Ok(close) => {
                            captured += 1;
                            close_by.add(close);
                        }
                        Err(why) if why.contains("error[") => left += 1,
                        Err(why) => vertices.wrong.push(format!("{name}: {why}")),
                    }
                }
                Stage::Fragment if !is_painted(&shader) || is_open(&shader) => unsaid += 1,
                Stage::Fragment => match paint(given, &name, &scene(&shader), shader) {
                    Ok(Paint::Refused) => unsaid += 1,
                    Ok(Paint::Compared { pixels, apart }) => {
                        painted += 1;
                        differ[0] += apart;
                        differ[1] += pixels;
                        worst.push((apart, name));
                    }
                    Err(why) => fragments.wrong.push(format!("{name}: {why}")),
                },
                _ => {}
            }
        }
    }
    vertices.name = "vertex programs of the corpus, as far off as the specifications allow";
    vertices.compared = format!(
        "{captured} programs, {} words, at most {:.2} of what is allowed; {left} cannot be compute shaders, or read textures",
        close_by.words, close_by.most
    );
    worst.sort();
    let most: Vec<String> = worst
        .iter()
        .rev()
        .take(if given.chatty { 20 } else { 3 })
        .map(|(n, of)| format!("{of} {n}"))
        .collect();
    fragments.name = "fragment programs of the corpus";
    fragments.compared = format!(
        "{painted} programs in {} languages each; {} of {} pixels away from edges differ, most in {}; {unsaid} cannot be said \
         in some language, or are not painted on a square",
        Language::ALL.len(),
        differ[0],
        differ[1],
        most.join(", "),
    );
    if differ[0] * 1000 > differ[1] * DIFFER {
        fragments.wrong.push("too many pixels differ".into());
    }
    vec![vertices, fragments]
}

/// Whether a program reads beside an array where that may give anything.
fn is_open(shader: &Shader) -> bool {
    let mut open = false;
    shader.body.for_each_inst(&mut |inst| {
        open |= inst.op.outside() == Some(OutOfRange::Undefined);
    });
    open
}

/// Whether a program gives a colour, and nothing but what a scene has goes into it.
fn is_painted(shader: &Shader) -> bool {
    let colors = || shader.outputs.iter().filter(|output| matches!(output.kind, OutputKind::Color { .. }));
    colors().any(|output| output.kind == OutputKind::Color { target: 0 })
        && colors().all(|output| output.scalar == Scalar::F32)
        && !shader.textures.iter().any(|texture| texture.compare)
        && shader.buffers.is_empty()
        && shader.images.is_empty()
}

/// A square with textures where the program reads some, and constants between 0 and 1.
fn scene(shader: &Shader) -> serde_json::Value {
    let mut textures = serde_json::Map::new();
    let mut samplers = serde_json::Map::new();
    for texture in &shader.textures {
        let name = format!("fs{}", texture.slot);
        let like = match texture.dim {
            Dim::Cube => serde_json::json!({"pattern": "sky", "size": 32}),
            Dim::D3 => serde_json::json!({"pattern": "volume", "size": 16}),
            Dim::D1 => {
                serde_json::json!({"pattern": "noise", "size": 32, "dim": "1d", "colors": ["#204080", "#f0d060"]})
            }
            _ => {
                serde_json::json!({"pattern": "noise", "size": 32, "scale": 2, "colors": ["#204080", "#f0d060", "#c02010"]})
            }
        };
        textures.insert(name, like);
        samplers.insert(
            format!("fs{}", texture.sampler_slot),
            serde_json::json!({"wrap": "repeat", "filter": "linear"}),
        );
    }
    let floats = shader.params.iter().find(|array| array.scalar == Scalar::F32);
    let count = floats.map_or(0, |array| array.size.min(64));
    let value = |n: u32| (f64::from(n * 37 % 64) + 0.5) / 64.0;
    let rows: Vec<_> = (0..count).map(|n| [value(n), value(n + 17), value(n + 31), value(n + 53)]).collect();
    let mut scene = serde_json::json!({
        "size": [48, 36], "antialias": 1, "fragment": "it", "mesh": "quad", "background": "#404040",
        "model": [{"rotateX": -40}, {"rotateY": 25}, {"rotateZ": 10}], "textures": textures, "samplers": samplers,
    });
    if count > 0 {
        scene["constants"] = serde_json::json!({ "fc0": rows });
    }
    scene
}
