//! `vecasm repro`: everything that shows a fault in one file.

use crate::args::{OutputArgs, ProgramChoice, ReadingArgs};
use crate::case::GivenArgs;
use crate::drawing::{self, Files};
use crate::including::{Includes, Packed};
use crate::io::{self, Name, Payload, ProgramSelector, Sink};
use crate::lifting::Purpose;
use crate::load::{self, Loaded};
use crate::pictures::png;
use crate::report::Ctx;
use crate::repro::{self, Action, Draw, Flags, Repro, Run, is_name};
use crate::{Failure, Outcome};
use clap::Subcommand;
use serde_json::Value;
use std::fmt::Display;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use vecasm::exec::Engine as _;
use vecasm::exec::interp::Interp;
use vecasm::exec::runfile::results_json;
use vecasm::isa::AnyProgram;
use vecasm::open::AssumedNotation;
use vecasm::render::Picture;

/// Pack a program or scene with its inputs and expected results into one file, and check such files
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm repro pack shader.frag.agal -i run.json -o bug.vecasm-repro\n  \
    vecasm repro pack shader.bin --random 4 --numerics ieee --expected right.json -o bug.vecasm-repro\n  \
    vecasm repro pack torus.scene.json -o torus.vecasm-repro\n  \
    vecasm repro check bug.vecasm-repro\n  \
    vecasm repro unpack bug.vecasm-repro -o bug/\n\n\
    run, why, debug and other verbs that run a program also read such files, and render reads those of scenes. To \
    pack a program without a scene for drawing, start from `render --show-scene`. docs/repro-format.md describes \
    the format. The exit status of check is 1 if a result differs.")]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Write a repro file
    #[command(after_help = "Example:\n  vecasm repro pack shader.frag.agal -i run.json -o bug.vecasm-repro")]
    Pack(Box<Pack>),
    /// Run or draw a repro file, and compare with the expected result
    #[command(after_help = "Example:\n  vecasm repro check bug.vecasm-repro")]
    Check {
        /// Repro files
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Write the contents of a repro file as separate files
    #[command(after_help = "Example:\n  vecasm repro unpack bug.vecasm-repro -o bug/")]
    Unpack {
        /// The repro file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Folder to write to
        #[arg(short, long, value_name = "FOLDER")]
        output: PathBuf,
        /// Overwrite existing files
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, clap::Args)]
struct Pack {
    /// Program or scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Title for readers
    #[arg(long, value_name = "TEXT", default_value = "")]
    title: String,
    /// Expected result, if it is not the current one: results as `run` writes them, or a PNG
    #[arg(long, value_name = "FILE")]
    expected: Option<PathBuf>,
    /// Scenes: the time
    #[arg(long, value_name = "SECONDS")]
    time: Option<f32>,
    /// Scenes: tolerated difference of a channel, of 255
    #[arg(long, value_name = "N", default_value_t = 0)]
    max: u8,
    #[command(flatten)]
    given: GivenArgs,
    #[command(flatten)]
    flags: Flags,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    match &args.verb {
        Verb::Pack(args) => pack(args, ctx),
        Verb::Check { files } => {
            let mut different = false;
            for file in files {
                different |= !check(file, ctx)?;
            }
            if different { Err(Failure::Shader) } else { Ok(()) }
        }
        Verb::Unpack { file, output, force } => unpack(file, output, *force),
    }
}

fn pack(args: &Pack, ctx: &Ctx) -> Outcome {
    if let Some(help) = args.flags.lifting.help() {
        return io::print(&help);
    }
    let input = io::read(&args.file)?;
    let stem = input.stem();
    let name = input.file_name("shader").to_string_lossy().into_owned();
    let asked = input.asked.clone();
    let mut flags = args.flags.clone();
    if repro::is(input.bytes()) {
        return Err(Failure::usage(format!(
            "{}: is a repro file; to pack it again, take it apart with `repro unpack` first",
            input.name
        )));
    }
    let repro = if super::render::is_scene(input.bytes()) {
        let folder = input.path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let mut scene: Value = serde_json::from_slice(input.bytes())
            .map_err(|error| Failure::usage(format!("{}: {error}", input.name)))?;
        let mut files = Files::new(folder, args.flags.reading.clone(), args.flags.lifting.clone());
        let picture = draw(&input.name, input.bytes(), &mut files, args.time, ctx)?;
        let expected = match &args.expected {
            Some(path) => io::read(path)?.bytes().to_vec(),
            None => png::write(&picture).map_err(|error| Failure::usage(error.to_string()))?,
        };
        let included = included(&files.compiled, &args.flags.reading, Some(folder))?;
        let files = renamed(files.loaded, included, &mut scene);
        let draw = Draw::new(scene.to_string()).with_time(args.time.map(f64::from));
        Repro::new(draw.with_expected(expected, args.max)).with_files(files)
    } else {
        if args.time.is_some() {
            return Err(Failure::usage(format!(
                "{}: a program has no time, only a scene has; leave out --time, or pack a scene (`render --show-scene` makes one)",
                input.name
            )));
        }
        args.given.check(&args.file)?;
        let whole = input.bytes().to_vec();
        let loaded = load::load(input, &args.flags.reading, AssumedNotation::Text, ctx)?;
        let loaded = args.given.with_constants(loaded, ctx)?;
        // Of a container only the program is packed.
        let inner = loaded.input.piece().is_some_and(|piece| piece.address().is_some());
        let program = if inner { loaded.input.bytes().to_vec() } else { whole };
        let shader = loaded.lift(&args.flags.lifting, Purpose::Run, ctx)?;
        let on = args.given.make(&loaded, &shader, ctx)?;
        let expected = match &args.expected {
            Some(path) => io::read(path)?.text()?.to_string(),
            None => {
                let outputs = Interp.run(&shader, &on.batch());
                results_json(&shader, &outputs.map_err(|error| Failure::usage(error.to_string()))?)
            }
        };
        let run = Run::new(name, program, on.to_json(&shader)).with_expected(expected);
        let files = included(std::slice::from_ref(&loaded), &args.flags.reading, None)?;
        // The number behind the name is none of the file that is packed.
        let number = match asked {
            Some(ProgramSelector::Number(number)) if !inner => Some(ProgramChoice::Number(number)),
            _ => flags.reading.program.filter(|_| !inner),
        };
        flags.reading.program = number;
        Repro::new(run).with_files(files)
    };
    let repro = repro.with_title(args.title.clone()).with_flags(flags.kept());
    let text = repro.to_json().map_err(|why| Failure::usage(format!("{}: {why}", io::shown(&args.file))))?;
    Sink::new(&args.output).write(io::with_ending(stem, "vecasm-repro"), &Payload::Text(text))
}

/// The files that programs include, by the names that they find them by in a repro file. Those of a scene are in a
/// folder.
fn included(programs: &[Loaded], reading: &ReadingArgs, folder: Option<&Path>) -> Outcome<Packed> {
    let mut reading = reading.clone();
    reading.including.folder = folder.map(Path::to_path_buf);
    let mut out = Packed::new();
    for loaded in programs {
        let (AnyProgram::D3d9(_), Some(text)) = (loaded.program.any(), loaded.program.text()) else {
            continue;
        };
        let name = match folder {
            Some(_) => loaded.input.name.raw().to_string(),
            None => loaded.input.file_name("shader").to_string_lossy().into_owned(),
        };
        let found = Includes::of(&loaded.input, &reading).gather(&name, text);
        out.extend(found.map_err(Failure::usage)?);
    }
    Ok(out)
}

/// Files of a scene under names that a repro file can hold; the scene is changed where that is another name.
fn renamed(files: Packed, included: Packed, scene: &mut Value) -> Packed {
    let mut out = included;
    let (plain, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(name, _)| is_name(name));
    out.extend(plain);
    for (name, bytes) in others {
        let last = name.rsplit(['/', '\\']).next().filter(|last| is_name(last)).unwrap_or("file");
        let mut new = last.to_string();
        let mut number = 1;
        while out.contains_key(&new) {
            number += 1;
            new = format!("{number}-{last}");
        }
        rename(scene, &name, &new);
        out.insert(new, bytes);
    }
    out
}

/// Puts one text in the place of another one.
fn rename(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) if text == from => *text = to.into(),
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, from, to)),
        Value::Object(members) => members.values_mut().for_each(|member| rename(member, from, to)),
        _ => {}
    }
}

/// Draws a scene.
fn draw(name: &Name, scene: &[u8], files: &mut Files, time: Option<f32>, ctx: &Ctx) -> Outcome<Picture> {
    drawing::draw(scene, files, time).map_err(|error| {
        if files.report(ctx) {
            return Failure::Shader;
        }
        Failure::usage(format!("{name}: {error}"))
    })
}

/// Whether what comes out is what should; what differs is said.
fn check(file: &Path, ctx: &Ctx) -> Outcome<bool> {
    let input = io::read(file)?;
    let repro = repro::read(&input)?;
    let name = &input.name;
    let wrong = |why: &dyn Display| Failure::usage(format!("{name}: {why}"));
    let differences = match &repro.action {
        Action::Run(run) => {
            run.expected().map_err(|error| wrong(&error))?;
            let flags = Flags::of(&repro);
            let loaded = load::load(input.clone(), &flags.reading, AssumedNotation::Text, ctx)?;
            let shader = loaded.lift(&flags.lifting, Purpose::Run, ctx)?;
            let on = GivenArgs::default().make(&loaded, &shader, ctx)?;
            let outputs = Interp.run(&shader, &on.batch()).map_err(|error| wrong(&error))?;
            run.compare(&results_json(&shader, &outputs)).map_err(|error| wrong(&error))?
        }
        Action::Draw(of) => {
            let expected = of.expected().map_err(|error| wrong(&error))?;
            let mut files = Files::packed(&repro);
            let time = of.time.map(|time| time as f32);
            let given = draw(name, of.scene.as_bytes(), &mut files, time, ctx)?;
            let pixels = png::read(&expected.png).map_err(|why| wrong(&format!("$.expected.png: {why}")))?;
            expected.compare(&pixels, &given).into_iter().collect()
        }
    };
    let title = if repro.title.is_empty() { String::new() } else { format!(" ({})", repro.title) };
    let title = vecasm::diag::printable_line(&title);
    if differences.is_empty() {
        io::print(&format!("{name}{title}: as expected\n"))?;
        return Ok(true);
    }
    let mut text = format!("{name}{title}: different\n");
    for line in differences.iter().take(SHOWN) {
        text += &format!("  {}\n", vecasm::diag::printable_line(&line.to_string()));
    }
    if differences.len() > SHOWN {
        text += &format!("  and {} more\n", differences.len() - SHOWN);
    }
    io::print(&text)?;
    Ok(false)
}

/// Differences that are shown.
const SHOWN: usize = 10;

/// Writes what a repro file holds into a folder: nothing outside of it, through no link, and, unless that is forced,
/// over no file. Nothing is written if anything cannot be.
fn unpack(file: &Path, folder: &Path, force: bool) -> Outcome {
    let repro = repro::read(&io::read(file)?)?;
    let pretty = |text: &str| {
        serde_json::from_str::<Value>(text)
            .and_then(|value| serde_json::to_string_pretty(&value))
            .map(|text| (text + "\n").into_bytes())
            .map_err(|e| Failure::usage(e.to_string()))
    };
    let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
    if let Action::Run(run) = &repro.action {
        files.push((&run.name, run.program.clone()));
    }
    files.extend(repro.files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())));
    match &repro.action {
        Action::Run(run) => {
            files.push(("repro.input.json", pretty(&run.input)?));
            if let Some(expected) = &run.expected {
                files.push(("repro.expected.json", pretty(expected)?));
            }
        }
        Action::Draw(draw) => {
            files.push(("repro.scene.json", pretty(&draw.scene)?));
            if let Some(expected) = &draw.expected {
                files.push(("repro.expected.png", expected.png.clone()));
            }
        }
    }
    // By the parts of their names, since `a/b` is `a//b`; behind a name stands the first that it is the folder of.
    let mut names: Vec<&Path> = files.iter().map(|(name, _)| Path::new(*name)).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[1].starts_with(pair[0])) {
        let (name, file) = (io::shown(pair[0]), io::shown(file));
        return Err(Failure::usage(match pair[0] == pair[1] {
            true => format!("{file}: two files are called {name}"),
            false => format!("{file}: {name} is a file and a folder"),
        }));
    }
    for (name, _) in &files {
        is_free(folder, name, force)?;
    }
    for (name, bytes) in &files {
        let path = folder.join(name);
        io::create_folder(path.parent().unwrap_or(folder))?;
        is_free(folder, name, force)?;
        let mut how = std::fs::OpenOptions::new();
        // What has come there since is not written over.
        how.write(true).create(true).truncate(true).create_new(!force);
        let written = how.open(&path).and_then(|mut file| file.write_all(bytes));
        written.map_err(|error| Failure::usage(format!("{}: {}", io::shown(path), io::plain(&error))))?;
    }
    Ok(())
}

/// Refuses a file that is there, or is reached through a link. The folder itself may be one.
fn is_free(folder: &Path, name: &str, force: bool) -> Outcome {
    let mut path = folder.to_path_buf();
    let mut parts = Path::new(name).components().peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        let Ok(there) = std::fs::symlink_metadata(&path) else { return Ok(()) };
        let (last, kind) = (parts.peek().is_none(), there.file_type());
        let why = match (last, kind.is_symlink()) {
            (_, true) => "is a link; it is not followed",
            (false, _) if !kind.is_dir() => "is not a folder",
            (true, _) if kind.is_dir() => "is a folder",
            (true, _) if !force => "already exists; --force overwrites it",
            _ => continue,
        };
        return Err(Failure::usage(format!("{} {why}", io::shown(path))));
    }
    Ok(())
}
