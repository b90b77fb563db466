//! `vecasm render`: draw scenes and programs to a PNG, and measure and compare what was drawn.
//!
//! | file | holds |
//! |---|---|
//! | `against` | difference to a reference |
//! | `effects` | passes of effects |
//! | `frames` | animation |
//! | `heatmap` | what each pixel took |
//! | `sheet` | contact sheets of folders |

mod against;
mod effects;
mod frames;
mod heatmap;
mod sheet;

use crate::args::{OutputArgs, ReadingArgs};
use crate::drawing::{self, Files};
use crate::engines;
use crate::io::{self, Input, Name, Payload, Sink};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::picking::{self, PixelArgs};
use crate::report::Ctx;
use crate::repro::{self, Action};
use crate::{Failure, Outcome};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use vecasm::guess::{Guess, Options};
use vecasm::ir::Shader;
use vecasm::open::AssumedNotation;
use vecasm::render::draw::Budget;
use vecasm::render::heat::Measure;
use vecasm::render::scene::Scene;
use vecasm::render::{Picture, RenderError};
use vecasm_engines::{Choice, Threads};

/// How a scene or programs are drawn.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct PictureArgs {
    /// Size of the picture, for example 640x480; overrides that of the scene
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(u32, u32)>,
    /// Engine that runs the programs; the picture does not depend on it
    #[arg(long, value_name = "ENGINE", default_value = Choice::AUTO.name(), value_parser = engines::parser())]
    pub(crate) engine: Choice,
    /// Number of threads [default: RAYON_NUM_THREADS, else as many as the machine has]; the picture does not depend on
    /// it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(Threads::MOST)))]
    threads: Option<u16>,
    /// Time of animated scenes, in seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time: Option<f32>,
    /// Show this layer of the picture, not all of them side by side; with --target, the layer of the texture
    #[arg(long, value_name = "N")]
    layer: Option<u32>,
    /// Mesh: quad, triangle, cube, sphere, torus, …, or JSON as in a scene
    #[arg(long, value_name = "MESH", help_heading = "Programs without a scene")]
    mesh: Option<String>,
    /// Attributes 0, 1, …: position, normal, uv, tangent, binormal, color
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Programs without a scene")]
    attributes: Vec<String>,
    /// Constants from a register on, or by their name in the program, as JSON or as the name of a value
    #[arg(long, value_name = "CONSTANT=VALUE", value_parser = setting, help_heading = "Programs without a scene")]
    constant: Vec<(String, String)>,
    /// Texture by register or name: the name of a pattern, JSON, or a file (PNG, JPEG, DDS, KTX, KTX2)
    #[arg(long, value_name = "SAMPLER=TEXTURE", value_parser = setting, help_heading = "Programs without a scene")]
    texture: Vec<(String, String)>,
    /// Do not report what was guessed
    #[arg(long, help_heading = "Programs without a scene")]
    quiet: bool,
}

/// Draw a scene, or programs, to a PNG; also heat maps, contact sheets and comparisons
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm render torus.scene.json -o torus.png\n  \
    vecasm render --size 800x600 --time 1.5 torus.scene.json -o torus.png\n  \
    vecasm render a.vert.agal a.frag.agal --mesh torus --texture fs0=bricks -o a.png\n  \
    vecasm render water.ps.bin --texture s0=waves.dds --constant Time=time -o water.png\n  \
    vecasm render water.ps.bin --frames 48 --fps 24 -o water.apng\n  \
    vecasm render torus.scene.json --heatmap instructions -o cost.png\n  \
    vecasm render --sheet shaders/ -o sheet.png\n  \
    vecasm render effect.fxb::Blur/P1 -o blur.png               a pass, with the defaults and states of the effect\n  \
    vecasm render torus.scene.json --pixel 200,130 --trace\n  \
    vecasm render torus.scene.json --against torus.png --threshold max=2 -o difference.png\n\n\
    docs/scene-format.md describes scene files. For a program or a pair without a scene, vecasm guesses what is \
    not given, and reports it: attributes by their names or numbers, matrices by their names or by trial, patterns \
    as textures, and for a single program a built-in other stage. --show-scene writes the guess as a scene \
    file.")]
pub(crate) struct Args {
    /// Scene, program, a vertex and a fragment program, or an effect, a technique or a pass of one
    #[arg(value_name = "FILE", required_unless_present = "sheet", num_args = 0..=2)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    picture: PictureArgs,
    /// Write the scene instead of drawing it
    #[arg(long, help_heading = "Programs without a scene")]
    show_scene: bool,
    /// Draw N frames, 1/fps apart, as an animated PNG
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "Animation")]
    frames: Option<u32>,
    /// Frames per second
    #[arg(long, value_name = "F", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=240), help_heading = "Animation")]
    fps: u16,
    /// Draw the cost of each pixel, with a legend
    #[arg(long, value_name = "MEASURE", value_parser = measure, help_heading = "Measuring", conflicts_with_all = ["frames", "against"])]
    heatmap: Option<Measure>,
    /// Compare with a picture, or with the picture of another scene or program; exit status 1 if they differ
    #[arg(long, value_name = "REFERENCE", help_heading = "Measuring", conflicts_with = "frames")]
    against: Option<PathBuf>,
    /// Tolerance of --against: max=N and mean=N (of 255), pixels=SHARE, psnr=DECIBEL, ssim=N [default: max=0]
    #[arg(
        long,
        value_name = "SCORE=LIMIT",
        value_delimiter = ',',
        requires = "against",
        help_heading = "Measuring"
    )]
    threshold: Vec<against::Threshold>,
    /// Draw every shader in FOLDER and its subfolders into one picture
    #[arg(long, value_name = "FOLDER", help_heading = "Contact sheet", conflicts_with_all = ["files", "frames", "heatmap", "against"])]
    sheet: Option<PathBuf>,
    /// Width and height of the pictures on the sheet
    #[arg(long, value_name = "PIXELS", default_value_t = 96, value_parser = clap::value_parser!(u32).range(16..=512), help_heading = "Contact sheet")]
    cell: u32,
    /// Pictures per row [default: chosen for a sheet of about 16 to 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256), help_heading = "Contact sheet")]
    columns: Option<u32>,
    #[command(flatten)]
    pixel: PixelArgs,
    /// Write what every instruction did for the pixel, or for the corner of --vertex, one JSON line per step
    #[arg(long, requires = "pixel", help_heading = "A pixel")]
    trace: bool,
    /// With --trace: only the steps where CONDITION holds, for example `r0.x != r0.x`, `line 12`, `nan`; if repeated,
    /// all must hold
    #[arg(long, value_name = "CONDITION", requires = "trace", help_heading = "A pixel")]
    trace_if: Vec<String>,
    /// Output format of --pixel, --heatmap and --against
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Measuring")]
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

fn size(text: &str) -> Result<(u32, u32), String> {
    let (w, h) = text.split_once(['x', 'X']).ok_or("expected WIDTHxHEIGHT")?;
    let side = |s: &str| s.parse::<u32>().map_err(|e| e.to_string());
    Ok((side(w)?, side(h)?))
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_string(), value.to_string()))
}

fn measure(text: &str) -> Result<Measure, String> {
    let all = Measure::ALL;
    all.iter().copied().find(|measure| measure.name() == text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|measure| measure.name()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// What is drawn, and what it takes to draw it.
pub(crate) struct Subject {
    /// The scene file.
    pub(crate) scene: Vec<u8>,
    /// Its files and programs.
    pub(crate) files: Files,
    /// The name of the first file.
    pub(crate) name: Name,
    /// The same without folder and ending.
    pub(crate) stem: OsString,
    /// Who runs the programs.
    engine: Choice,
    /// On which threads.
    threads: Threads,
    /// The layer that is shown; none for all.
    layer: Option<u32>,
    /// The time that a repro file gives the scene.
    time: Option<f32>,
    /// What was guessed.
    notes: Vec<String>,
}

impl Subject {
    /// The scene at a time, that of the flags.
    pub(crate) fn scene(&mut self, time: Option<f32>, ctx: &Ctx) -> Outcome<Scene> {
        let read = Scene::read(&self.scene, &mut self.files, time.or(self.time));
        let mut scene = read.map_err(|error| self.failure(&error, ctx))?;
        self.files.heeded().map_err(|why| Failure::usage(format!("{}: {why}", self.name)))?;
        scene.show_layer(self.layer);
        Ok(scene)
    }

    /// The picture at a time.
    fn draw(&mut self, time: Option<f32>, ctx: &Ctx) -> Outcome<Picture> {
        let engine = self.engine;
        let drawn = self.scene(time, ctx)?.render_spread(&engine, &self.threads, Budget::default());
        drawn.map_err(|error| self.failure(&error, ctx))
    }

    /// Why it cannot be drawn.
    pub(crate) fn failure(&mut self, error: &RenderError, ctx: &Ctx) -> Failure {
        if self.files.report(ctx) {
            return Failure::Shader;
        }
        Failure::usage(format!("{}: {error}", self.name))
    }
}

impl PictureArgs {
    /// What is asked of a scene that is guessed.
    fn wish(&self) -> Options {
        let mut wish = Options::default().with_attributes(&self.attributes);
        if let Some((width, height)) = self.size {
            wish = wish.with_size(width, height);
        }
        if let Some(mesh) = &self.mesh {
            wish = wish.with_mesh(mesh);
        }
        let wish = self.constant.iter().fold(wish, |wish, (name, value)| wish.with_constant(name, value));
        self.texture.iter().fold(wish, |wish, (name, value)| wish.with_texture(name, value))
    }

    /// Makes inputs something that can be drawn.
    fn subject(
        &self,
        inputs: Vec<Input>,
        reading: &ReadingArgs,
        lifting: &LiftArgs,
        ctx: &Ctx,
    ) -> Outcome<Subject> {
        let (mut folder, mut name, mut stem) = (PathBuf::new(), Name::default(), OsString::from("picture"));
        if let Some(first) = inputs.first() {
            folder = first.path.as_deref().and_then(Path::parent).map_or(folder, Path::to_path_buf);
            name.clone_from(&first.name);
            stem = first.stem();
        }
        let mut files = Files::new(&folder, reading.clone(), lifting.clone());
        let threads = drawing::threads(self.threads)?;
        if let [input] = inputs.as_slice() {
            if repro::is(input.bytes()) {
                let repro = repro::read(input)?;
                if let Action::Draw(draw) = &repro.action {
                    let scene = with_size(draw.scene.clone().into_bytes(), &input.name, self.size)?;
                    let mut files = Files::packed(&repro);
                    if !lifting.is_plain() {
                        files.lifting = lifting.clone();
                    }
                    files.lifting.steps = lifting.steps;
                    return Ok(Subject {
                        name,
                        stem,
                        scene,
                        files,
                        engine: self.engine,
                        threads,
                        layer: self.layer,
                        time: draw.time.map(|time| time as f32),
                        notes: Vec::new(),
                    });
                }
            } else if is_scene(input.bytes()) {
                let scene = with_size(input.bytes().to_vec(), &input.name, self.size)?;
                return Ok(Subject {
                    name,
                    stem,
                    scene,
                    files,
                    engine: self.engine,
                    threads,
                    layer: self.layer,
                    time: None,
                    notes: Vec::new(),
                });
            }
        }
        let draw = match inputs.as_slice() {
            [input] => effects::draw(input, reading, self, ctx)?,
            _ => None,
        };
        let guess = match (draw, inputs.first()) {
            (Some(draw), Some(input)) => effects::guess(&draw, input, self, reading, &mut files, ctx)?,
            _ => {
                let mut programs = Vec::new();
                let readings = reading.of_each(&inputs);
                for (input, reading) in inputs.into_iter().zip(&readings) {
                    programs.push(lifted(input, reading, lifting, ctx)?);
                }
                files.guess(&programs, &self.wish()).map_err(|why| Failure::usage(why.to_string()))?
            }
        };
        let Guess { scene, notes, .. } = guess;
        let scene = scene.into_bytes();
        let (engine, layer, time) = (self.engine, self.layer, None);
        Ok(Subject { name, stem, scene, files, engine, threads, layer, time, notes })
    }
}

/// A program and what it lifts to for a picture.
fn lifted(input: Input, reading: &ReadingArgs, lifting: &LiftArgs, ctx: &Ctx) -> Outcome<(Loaded, Shader)> {
    let loaded = load::load(input, reading, AssumedNotation::Text, ctx)?;
    loaded.warn_if_refused(ctx);
    let shader = loaded.lift(lifting, Purpose::Picture, ctx)?;
    Ok((loaded, shader))
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(help) = args.lifting.help() {
        return io::print(&help);
    }
    png_only(args)?;
    if let Some(folder) = &args.sheet {
        return drawing::threads(args.picture.threads)?.install(|| sheet::run(args, folder));
    }
    if let Some(folder) = args.files.iter().find(|file| file.is_dir()) {
        let folder = io::shown(folder);
        return Err(Failure::usage(format!(
            "{folder} is a folder; `vecasm render --sheet {folder}` draws all in it"
        )));
    }
    let steps = args.heatmap.is_some() || args.pixel.pixel.is_some();
    let mut subject = subject(&args.files, &args.picture, &args.reading, &args.lifting, steps, ctx)?;
    let sink = Sink::new(&args.output);
    if args.show_scene {
        let scene: Value = serde_json::from_slice(&subject.scene)
            .map_err(|error| Failure::usage(format!("{}: {error}", subject.name)))?;
        let text = serde_json::to_string_pretty(&scene).map_err(|error| Failure::usage(error.to_string()))?;
        return sink.write(io::with_ending(&subject.stem, "scene.json"), &Payload::Text(text + "\n"));
    }
    if args.pixel.pixel.is_some() {
        let picked = picking::pick(&mut subject, &args.pixel, &args.picture, ctx)?;
        if args.trace {
            let name = io::with_ending(&subject.stem, "trace.jsonl");
            return sink.write(&name, &Payload::Text(picked.trace(&args.trace_if)?));
        }
        let text = match args.format {
            Format::Text if ctx.json() => format!("{}\n", picked.to_json()),
            Format::Text => picked.to_text(),
            Format::Json => format!("{:#}\n", picked.to_json()),
        };
        return sink.write(io::with_ending(&subject.stem, "pixel.txt"), &Payload::Text(text));
    }
    if let Some(reference) = &args.against {
        return against::run(args, &mut subject, reference, ctx);
    }
    if let Some(measure) = args.heatmap {
        return heatmap::run(args, &mut subject, measure, ctx);
    }
    if let Some(count) = args.frames {
        return frames::run(args, &mut subject, count, ctx);
    }
    let picture = subject.draw(args.picture.time, ctx)?;
    write(&sink, io::with_ending(&subject.stem, "png"), &picture)
}

/// The scene that is named, or one for the programs that are, of which what is a guess is said; `steps` asks for
/// programs with their step tables.
pub(crate) fn subject(
    files: &[PathBuf],
    args: &PictureArgs,
    reading: &ReadingArgs,
    lifting: &LiftArgs,
    steps: bool,
    ctx: &Ctx,
) -> Outcome<Subject> {
    let mut with_steps = lifting.clone();
    with_steps.steps = steps;
    let subject = args.subject(io::read_all(files)?, reading, &with_steps, ctx)?;
    if !args.quiet {
        for note in &subject.notes {
            io::note(&format!("vecasm: guessed: {note}"));
        }
    }
    Ok(subject)
}

/// Writes a picture as PNG.
/// Refuses a file for a picture whose name promises another format than PNG.
fn png_only(args: &Args) -> Outcome {
    let Sink::File(path) = Sink::new(&args.output) else { return Ok(()) };
    let other = path
        .extension()
        .and_then(|e| e.to_str())
        .filter(|e| OTHER_PICTURES.contains(&&*e.to_ascii_lowercase()));
    match other {
        Some(other) => {
            let png = path.with_extension("png");
            Err(Failure::usage(format!(
                "pictures are written only as PNG, not as .{other}: name it {}",
                io::shown(png)
            )))
        }
        None => Ok(()),
    }
}

/// Extensions of files that hold pictures in other formats.
const OTHER_PICTURES: &[&str] = &[
    "avif", "bmp", "dds", "exr", "gif", "hdr", "jpeg", "jpg", "ktx", "ktx2", "ppm", "qoi", "tga", "tif",
    "tiff", "webp",
];

fn write(sink: &Sink, name: impl AsRef<Path>, picture: &Picture) -> Outcome {
    let png = drawing::png(picture).map_err(|error| Failure::usage(error.to_string()))?;
    sink.write(name, &Payload::Binary(png))
}

/// Whether bytes are a JSON object.
pub(crate) fn is_scene(bytes: &[u8]) -> bool {
    let start = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    // The braces of a C array are followed by a number.
    let next =
        bytes.iter().skip_while(|byte| **byte != b'{').skip(1).find(|byte| !byte.is_ascii_whitespace());
    start == Some(&b'{') && matches!(next, Some(b'"' | b'}'))
}

/// The scene with another size.
fn with_size(bytes: Vec<u8>, name: &Name, size: Option<(u32, u32)>) -> Outcome<Vec<u8>> {
    let Some((width, height)) = size else { return Ok(bytes) };
    let mut scene: Value =
        serde_json::from_slice(&bytes).map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    let Some(object) = scene.as_object_mut() else {
        return Err(Failure::usage(format!("{name}: expected a JSON object")));
    };
    if object.contains_key("commands") {
        return Err(Failure::usage(format!("{name}: a scene of commands sets its own size")));
    }
    object.insert("size".into(), json!([width, height]));
    Ok(scene.to_string().into_bytes())
}
