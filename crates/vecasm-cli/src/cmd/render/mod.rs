//! `vecasm render`: draw a scene, or a pair of programs, to a PNG.

use crate::args::{OutputArgs, ReadingArgs};
use crate::drawing::{self, Files};
use crate::io::{self, Likely, Payload, Sink};
use crate::lifting::{LiftArgs, Purpose};
use crate::load;
use crate::picking::{self, PixelArgs};
use crate::report::Ctx;
use crate::{Failure, Outcome};
use clap::ValueEnum;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use vecasm::ir::{Dim, InputKind, Shader};
use vecasm::render::RenderError;

/// How a scene or a pair is drawn.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct PictureArgs {
    /// Size of the picture, for example 640x480; overrides the scene's
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(u32, u32)>,
    /// The time of moving scenes, in seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time: Option<f32>,
    /// For a pair: the mesh, one of the built-in ones; `quad` covers the view
    #[arg(long, value_name = "MESH", help_heading = "A pair without a scene")]
    mesh: Option<String>,
    /// For a pair: what va0, va1… are: position, normal, uv, tangent, color
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "A pair without a scene")]
    attributes: Vec<String>,
    /// For a pair: constants from REGISTER on, as JSON or by the name of a value
    #[arg(long, value_name = "REGISTER=VALUE", value_parser = setting, help_heading = "A pair without a scene")]
    constant: Vec<(String, Value)>,
    /// For a pair: a texture, as the name of a pattern, as JSON, or a PNG file
    #[arg(long, value_name = "SAMPLER=TEXTURE", value_parser = setting, help_heading = "A pair without a scene")]
    texture: Vec<(String, Value)>,
}

/// Draw a scene, or a vertex and a fragment program, to a PNG
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm render torus.scene.json -o torus.png\n  \
    vecasm render --size 800x600 --time 1.5 torus.scene.json -o torus.png\n  \
    vecasm render a.vert.agal a.frag.agal --mesh torus --texture fs0=bricks -o a.png\n  \
    vecasm render a.vert.agal a.frag.agal --constant vc0=modelViewProjection --constant 'fc0=[1, 0.5, 0, 1]' -o a.png\n  \
    vecasm render torus.scene.json --pixel 200,130\n  \
    vecasm render torus.scene.json --pixel 200,130 --trace\n\n\
    docs/scene-format.md describes scene files. A pair without a scene is drawn with the mesh and the constants of the \
    flags; what is not given is chosen by what the programs read: vc0-3 is the matrix into clip space if the vertex \
    program reads four constants, textures are chequered.")]
pub(crate) struct Args {
    /// A scene file, or a vertex and a fragment program
    #[arg(value_name = "FILE", required = true, num_args = 1..=2)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    picture: PictureArgs,
    #[command(flatten)]
    pixel: PixelArgs,
    /// Write what every instruction did for the pixel, or for the corner of --vertex, one JSON line a step
    #[arg(long, requires = "pixel", help_heading = "A pixel")]
    trace: bool,
    /// How what happened to the pixel is written
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "A pixel")]
    format: Format,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    lifting: LiftArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// What is drawn, and what it takes to draw it.
pub(crate) struct Subject {
    /// The scene file.
    pub(crate) scene: Vec<u8>,
    /// Its files and programs.
    pub(crate) files: Files,
    /// The name of the first file.
    pub(crate) name: String,
    /// The same without folder and ending.
    stem: String,
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let (w, h) = text.split_once(['x', 'X']).ok_or("expected WIDTHxHEIGHT")?;
    let side = |s: &str| s.parse::<u32>().map_err(|e| e.to_string());
    Ok((side(w)?, side(h)?))
}

fn setting(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("expected REGISTER=VALUE")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
    Ok((name.to_string(), value))
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let steps = args.pixel.pixel.is_some();
    let mut subject = subject(&args.files, &args.picture, &args.reading, &args.lifting, steps, ctx)?;
    let sink = Sink::new(&args.output);
    if args.pixel.pixel.is_some() {
        let picked = picking::pick(&mut subject, &args.pixel, &args.picture, ctx)?;
        if args.trace {
            let name = format!("{}.trace.jsonl", subject.stem);
            return sink.write(&name, &Payload::Text(picked.trace()?));
        }
        let text = match args.format {
            Format::Text => picked.to_text(),
            Format::Json => format!("{:#}\n", picked.to_json()),
        };
        return sink.write(&format!("{}.pixel.txt", subject.stem), &Payload::Text(text));
    }
    let picture = drawing::draw(&subject.scene, &mut subject.files, args.picture.time)
        .map_err(|error| subject.failure(&error, ctx))?;
    let png = drawing::png(&picture).map_err(|error| Failure::usage(error.to_string()))?;
    sink.write(&format!("{}.png", subject.stem), &Payload::Binary(png))
}

impl Subject {
    /// Why it cannot be drawn.
    pub(crate) fn failure(&mut self, error: &RenderError, ctx: &Ctx) -> Failure {
        if self.files.report(ctx) {
            return Failure::Shader;
        }
        Failure::usage(format!("{}: {error}", self.name))
    }
}

/// The scene that is named, or one for the pair that is; `steps` asks for programs with their step tables.
pub(crate) fn subject(
    files: &[PathBuf],
    args: &PictureArgs,
    reading: &ReadingArgs,
    lifting: &LiftArgs,
    steps: bool,
    ctx: &Ctx,
) -> Outcome<Subject> {
    let inputs = io::read_all(files)?;
    let mut folder = Path::new("");
    let (mut name, mut stem) = (String::new(), "picture".to_string());
    if let [first, ..] = inputs.as_slice() {
        folder = first.path.as_deref().and_then(Path::parent).unwrap_or(folder);
        (name, stem) = (first.name.clone(), first.stem());
    }
    let mut with_steps = lifting.clone();
    with_steps.steps = steps;
    let mut files = Files::new(folder, reading.clone(), with_steps);
    let scene = match inputs.as_slice() {
        [scene] => with_size(scene.bytes.clone(), &scene.name, args.size)?,
        _ => {
            let mut shaders = Vec::new();
            for input in inputs.clone() {
                let loaded = load::load(input, reading, Likely::Text, ctx)?;
                let shader = loaded.lift(lifting, Purpose::Picture, ctx)?;
                shaders.push((loaded, shader));
            }
            shaders.sort_by_key(|(loaded, _)| loaded.program.stage() != "vertex");
            let [(vertex, v), (fragment, f)] = shaders.as_slice() else {
                return Err(Failure::usage("expected a scene, or a vertex and a fragment program"));
            };
            if vertex.program.stage() != "vertex" || fragment.program.stage() != "fragment" {
                return Err(Failure::usage("a pair is a vertex program and a fragment program"));
            }
            for program in [vertex, fragment] {
                files.give(program.program.stage(), program.clone());
            }
            let names = [vertex, fragment].map(|loaded| loaded.program.stage().to_string());
            let [of_vertex, of_fragment] = names;
            pair_scene(args, v, f, of_vertex, of_fragment).to_string().into()
        }
    };
    Ok(Subject { scene, files, name, stem })
}

/// The scene with another size.
fn with_size(bytes: Vec<u8>, name: &str, size: Option<(u32, u32)>) -> Outcome<Vec<u8>> {
    let Some((width, height)) = size else { return Ok(bytes) };
    let mut scene: Value =
        serde_json::from_slice(&bytes).map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    let Some(object) = scene.as_object_mut() else {
        return Err(Failure::usage(format!("{name}: a scene is a JSON object")));
    };
    if object.contains_key("commands") {
        return Err(Failure::usage(format!("{name}: a scene of commands has the size it gives itself")));
    }
    object.insert("size".into(), json!([width, height]));
    Ok(scene.to_string().into_bytes())
}

/// A scene for a pair of programs.
fn pair_scene(args: &PictureArgs, vertex: &Shader, fragment: &Shader, v: String, f: String) -> Value {
    let reads =
        |location: u32| vertex.inputs.iter().any(|input| input.kind == InputKind::Attribute { location });
    let constants_read = vertex.params.iter().map(|array| array.used).max().unwrap_or(0);
    let in_space = constants_read >= 4;
    let mesh = args.mesh.clone().unwrap_or_else(|| if in_space { "torus" } else { "quad" }.into());
    let attributes = if args.attributes.is_empty() {
        // Position and colour is what small programs read; whoever lights something reads a normal.
        if reads(2) || in_space {
            vec!["position".to_string(), "normal".into(), "uv".into(), "tangent".into(), "color".into()]
        } else {
            vec!["position".into(), "uv".into()]
        }
    } else {
        args.attributes.clone()
    };
    let mut constants: Map<String, Value> = args.constant.iter().cloned().collect();
    if in_space && !constants.contains_key("vc0") {
        constants.insert("vc0".into(), json!("modelViewProjection"));
    }
    let mut textures: Map<String, Value> =
        args.texture.iter().map(|(n, t)| (n.clone(), texture(t))).collect();
    for (letter, shader) in [("vs", vertex), ("fs", fragment)] {
        for wanted in &shader.textures {
            let pattern = if wanted.dim == Dim::Cube { "sky" } else { "checker" };
            textures.entry(format!("{letter}{}", wanted.slot)).or_insert_with(|| json!(pattern));
        }
    }
    let (width, height) = args.size.unwrap_or((480, 360));
    json!({
        "size": [width, height],
        "vertex": v,
        "fragment": f,
        "mesh": mesh,
        "attributes": attributes,
        "constants": constants,
        "textures": textures,
        "background": "#14161c",
        "camera": { "eye": [1.6, 1.4, 2.4] },
    })
}

/// A texture of a flag: a name with a dot is a file.
fn texture(value: &Value) -> Value {
    match value.as_str() {
        Some(name) if name.contains('.') => json!({ "image": name }),
        _ => value.clone(),
    }
}
