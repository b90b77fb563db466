//! `vecasm extract`: the programs of containers as files.

mod draws;

use crate::args::{BatchArgs, LimitArgs, ReadingArgs};
use crate::batch::{Batch, Done, Place};
use crate::including::Includes;
use crate::io::{self, Input, ProgramSelector};
use crate::lifting::LiftArgs;
use crate::load;
use crate::report::Ctx;
use crate::writing::Draft;
use crate::{Failure, Outcome, programs};
use clap::ValueEnum;
use draws::Recording;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use vecasm::container::{Address, Budget, Container, Kind, visit};
use vecasm::diag::{Diagnostic, Severity};
use vecasm::hash::sha256;
use vecasm::open::{AssumedNotation, Contained};

/// Take the programs out of a container: an effect, an asset, a package, an archive; or out of a text
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm extract effect.fxb -o parts/         each program, and parts/vecasm.json\n  \
    vecasm extract --as asm effect.fxb -o parts/\n  \
    vecasm repack effect.fxb --from parts/ -o new.fxb\n  \
    vecasm extract pack.zip::effects/Sprite.fxb -o parts/\n  \
    vecasm extract frame.pb -o parts/           and the constants at each draw: parts/draw1.json\n  \
    find game -name '*.xnb' -print0 | vecasm extract --files-from - -o parts/")]
pub(crate) struct Args {
    /// Containers, or folders of some; `FILE::ADDRESS` for a part of one
    #[arg(value_name = "FILE", required_unless_present = "files_from")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    batch: BatchArgs,
    /// Write the programs, and vecasm.json, to DIR; of several containers each to a folder in it
    #[arg(short, long, value_name = "DIR", required = true)]
    output: PathBuf,
    /// Form in which programs are written
    #[arg(long = "as", value_name = "FORM", default_value = "bin")]
    form: Form,
    /// Write everything else that is inside, too, as it is
    #[arg(long)]
    all: bool,
    /// Replace files that are there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

/// What is written of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Form {
    /// Its bytes
    Bin,
    /// Text that assembles to the same bytes
    Asm,
    /// The facts that `info` tells
    Json,
}

/// The name of the list of what was written.
pub(crate) const MANIFEST: &str = "vecasm.json";

/// What was written: `vecasm.json`, which `repack` reads.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The version of this form.
    pub(crate) schema: u32,
    /// The name of the container.
    pub(crate) file: String,
    /// Its hash.
    pub(crate) sha256: String,
    /// Its format.
    pub(crate) format: String,
    pub(crate) entries: Vec<Written>,
    /// The draws of recordings, with their constants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) draws: Vec<Drawn>,
}

/// One file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Written {
    /// Where in the container it is.
    pub(crate) address: String,
    /// The name of the file.
    pub(crate) file: String,
    /// What of it was written.
    #[serde(rename = "as")]
    pub(crate) form: Form,
    /// The hash of the file.
    pub(crate) sha256: String,
}

/// The constants of one draw, as a run file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Drawn {
    /// Where in the file the draw is: `draw2`.
    pub(crate) address: String,
    /// The address of the program that runs at it.
    pub(crate) program: String,
    /// The name of the run file.
    pub(crate) file: String,
    /// The hash of the run file.
    pub(crate) sha256: String,
}

/// What was made of one input.
enum Extracted {
    /// Lines of JSON about what was written, and how many programs were.
    Written(String, usize),
    /// It has no programs, and was found in a folder.
    Passed(String),
    /// It cannot be read, or is no container.
    Unread(Failure),
}

/// A file that is to be looked through.
struct Work<'b> {
    path: &'b Path,
    walked: bool,
    folder: PathBuf,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let reading = args.limits.reading();
    let batch = Batch::new(&args.files, &args.batch)?;
    let mut work = Vec::new();
    for Place { path, walked, folder } in batch.folders()? {
        let folder = if batch.is_several() { args.output.join(folder) } else { args.output.clone() };
        // Nothing is written before it is known that all can be.
        refuse_link_or_file(&folder, MANIFEST, args.force)?;
        work.push(Work { path, walked, folder });
    }
    let (mut any, one_of_several) = (false, batch.is_several());
    let done = batch.each(
        (&work, true),
        ctx,
        |one, ctx| {
            let input = match io::read(one.path) {
                Ok(input) => input,
                Err(failure) => return Ok(Extracted::Unread(failure)),
            };
            if !programs::is_container(&input, &reading) && programs::carried(&input, &reading).is_empty() {
                return Ok(no_container(&input, one.walked));
            }
            extract(&input, &one.folder, one_of_several, &reading, args, ctx)
        },
        |_, made| match made {
            Extracted::Written(records, programs) => {
                any = true;
                io::print(&records)?;
                Ok(Done::Programs(programs))
            }
            Extracted::Passed(name) => Ok(Done::Passed(name)),
            Extracted::Unread(failure) => Ok(Done::Unread(failure)),
        },
        |one| Input::named(one.path).name,
    );
    if !any && done.is_ok() && one_of_several {
        ctx.tell("nothing is extracted: no container, and no text with programs in it, among the files");
    }
    done
}

/// What becomes of a file that has nothing to take out: one of a folder is passed over, of another it is an error.
fn no_container(input: &Input, walked: bool) -> Extracted {
    if walked {
        return Extracted::Passed(match input.foreign_kind() {
            Some(kind) => format!("{} ({kind})", input.name),
            None => input.name.to_string(),
        });
    }
    let advice = match input.isa() {
        Some(_) => ": it is a program, which `vecasm dis` and `vecasm asm` write in other forms",
        None => "",
    };
    let why = "this is no container, and no text with programs in it";
    Extracted::Unread(Failure::usage(format!("{}: {why}{advice}", input.name)))
}

fn extract(
    input: &Input,
    folder: &Path,
    is_one_of_several: bool,
    reading: &ReadingArgs,
    args: &Args,
    ctx: &Ctx,
) -> Outcome<Extracted> {
    let is_text = !programs::is_container(input, reading);
    let carried_here = if is_text { programs::carried(input, reading) } else { Vec::new() };
    let asked = match &input.asked {
        Some(ProgramSelector::Address(_)) => Some(programs::all(input.clone(), reading)?),
        Some(ProgramSelector::Number(_)) => Some(vec![programs::one(input.clone(), reading)?]),
        None => None,
    };
    let mut recordings = Vec::new();
    let (format, (mut found, unread)) = if !is_text {
        let mut budget = Budget::new(reading.open.limits);
        let container = Container::read(input.bytes(), &mut budget);
        let found = container.and_then(|container| {
            Ok((
                container.format().name(),
                found(&container, args.all, asked.is_some(), reading, &mut budget, &mut recordings)?,
            ))
        });
        found.map_err(|finding| {
            ctx.report(&[finding], input.renderer());
            Failure::Shader
        })?
    } else {
        recordings.extend(Recording::of(input, &carried_here, None));
        (TEXT, carried(asked.as_deref().unwrap_or(&carried_here), reading, None))
    };
    let named = asked;
    let asked: Option<HashSet<String>> =
        named.as_ref().map(|asked| asked.iter().filter_map(address_of).collect());
    if let Some(asked) = &asked {
        // A text with one program has its address, and the program that and its name.
        let is_asked = |address: &str| {
            asked.contains(address) || address.rsplit_once("::").is_some_and(|(text, _)| asked.contains(text))
        };
        found.retain(|one| is_text || is_asked(&one.address));
        // What a recording in a container runs at a draw is none of the programs that are walked.
        let at_draw =
            |one: &&Input| recordings.iter().any(|of| address_of(one).is_some_and(|at| of.is_draw(&at)));
        for one in named.iter().flatten().filter(at_draw).filter(|_| !is_text) {
            let loaded = load::load(one.clone(), reading, AssumedNotation::Bytes, ctx)?;
            let (address, bytes) = (address_of(one).unwrap_or_default(), loaded.program.encode());
            found.push(Entry { address, bytes, is_program: true });
        }
    } else {
        let errors = unread.errors();
        if found.is_empty() && !errors.is_empty() {
            ctx.report(&errors, input.renderer());
            return Err(Failure::Shader);
        }
        ctx.report(&unread.warnings(found.is_empty()), input.renderer());
    }
    let hint = if args.all || is_text { "" } else { "; --all writes what else is in it" };
    // Beside others it needs no list of nothing.
    if found.is_empty() && is_one_of_several {
        ctx.tell(&format!("{}: no programs{hint}", input.name));
        return Ok(Extracted::Written(String::new(), 0));
    }
    let hint = if found.is_empty() { hint } else { "" };
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::usage(format!("{}: {}", io::shown(folder), io::plain(&error))))?;
    let mut names = HashSet::from([MANIFEST.to_string()]);
    let mut entries = Vec::new();
    // Only the programs of the container know where in it they are.
    let all = match args.form {
        Form::Json if is_text => carried_here,
        Form::Json => programs::all(input.clone().chosen_by(None), reading)?,
        _ => Vec::new(),
    };
    let all: HashMap<String, &Input> = all.iter().filter_map(|one| Some((address_of(one)?, one))).collect();
    for one in &found {
        let (ending, bytes) = form_of(input, all.get(&one.address).copied(), one, args.form, ctx)?;
        let name = file_name(&one.address, ending, &mut names);
        write(folder, &name, &bytes, args.force)?;
        let form = if one.is_program { args.form } else { Form::Bin };
        entries.push(Written { address: one.address.clone(), file: name, form, sha256: sha256(&bytes) });
    }
    let mut drawn = Vec::new();
    for recording in &recordings {
        for draw in recording.draws(asked.as_ref()) {
            let name = file_name(&draw.address, "json", &mut names);
            write(folder, &name, draw.run_file.as_bytes(), args.force)?;
            let (address, program, sha256) = (draw.address, draw.program, sha256(draw.run_file.as_bytes()));
            drawn.push(Drawn { address, program, file: name, sha256 });
        }
    }
    let mut records = String::new();
    if ctx.json() {
        let mut add = |mut record: serde_json::Value, name: &str| {
            let (file, written) = (input.name.raw(), io::shown(folder.join(name)));
            super::check::record::merge(&mut record, json!({ "file": file, "written": written.raw() }));
            records.push_str(&format!("{record}\n"));
        };
        entries.iter().for_each(|one| add(json!(one), &one.file));
        drawn.iter().for_each(|one| add(json!(one), &one.file));
    }
    let programs = found.iter().filter(|one| one.is_program).count();
    let count = match entries.len() + drawn.len() {
        1 => "1 file".into(),
        n => format!("{n} files"),
    };
    let manifest = Manifest {
        schema: 1,
        file: input.file_name("bin").to_string_lossy().into_owned(),
        sha256: sha256(input.bytes()),
        format: format.into(),
        entries,
        draws: drawn,
    };
    let text = serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n";
    write(folder, MANIFEST, text.as_bytes(), args.force)?;
    ctx.tell(&format!("{}: {count} in {}{hint}", input.name, io::shown(folder)));
    Ok(Extracted::Written(records, programs))
}

/// An entry that is written.
struct Entry {
    address: String,
    bytes: Vec<u8>,
    is_program: bool,
}

/// Entries, and what cannot be read.
type Found = (Vec<Entry>, Contained);

/// What the list of what was written calls texts with programs in them.
const TEXT: &str = "text";

/// Where in its file a program is.
fn address_of(one: &Input) -> Option<String> {
    one.piece().map(vecasm::open::Piece::address_in_file)
}

/// The programs of a text, which may be in a container itself, and those that cannot be read.
fn carried(programs: &[Input], reading: &ReadingArgs, entry: Option<&Address>) -> Found {
    let (mut out, mut inside) = (Vec::new(), Contained::default());
    for one in programs {
        let Some(step) = one.piece().map(vecasm::open::Piece::step) else { continue };
        let address = entry.map_or_else(|| Address::parse(&step), |entry| entry.join(&step));
        match one.read(&reading.options(AssumedNotation::Text), &mut Includes::of(one, reading)) {
            Ok(program) => {
                out.push(Entry { address: address.to_string(), bytes: program.encode(), is_program: true });
            }
            Err(unread) => {
                let error = unread.findings().iter().find(|finding| finding.severity == Severity::Error);
                inside.unread.extend(error.map(|finding| (address, finding.clone())));
            }
        }
    }
    (out, inside)
}

/// The programs of a container, or everything in it; and what in it cannot be read, and why.
fn found(
    container: &Container<'_>,
    all: bool,
    with_expressions: bool,
    reading: &ReadingArgs,
    budget: &mut Budget,
    recordings: &mut Vec<Recording>,
) -> Result<Found, Diagnostic> {
    let own = |finding: &Diagnostic| (Address::default(), finding.clone());
    let mut unread: Vec<_> = container.findings().iter().map(own).collect();
    let (mut out, mut sealed) = (Vec::new(), Vec::new());
    let mut unreadable: Vec<(Address, Diagnostic)> = Vec::new();
    // What is foreign is unpacked only where it is asked for, and stays in memory, too.
    let mut foreign = Budget::new(reading.open.limits);
    let _ = visit::<()>(
        container,
        budget,
        &mut |one| {
            let is_program = match one.entry.kind {
                Kind::Stream(_) => true,
                Kind::Expression => with_expressions || all,
                Kind::File => {
                    let name = PathBuf::from(one.entry.file_name().unwrap_or_default());
                    let text = Input::new(
                        one.address.to_string(),
                        Some(name),
                        vecasm::open::plain(one.bytes.to_vec()),
                    );
                    if text.isa().is_some() {
                        let pieces = programs::carried(&text, reading);
                        if !pieces.is_empty() {
                            recordings.extend(Recording::of(&text, &pieces, Some(one.address)));
                            let (programs, inside) = carried(&pieces, reading, Some(one.address));
                            out.extend(programs);
                            unreadable.extend(inside.unread);
                            return std::ops::ControlFlow::Continue(());
                        }
                    }
                    text.isa().is_some()
                }
                _ => false,
            };
            let bytes = match one.entry.kind {
                Kind::Container(_) => None,
                Kind::Foreign(_) if all => match one.container.bytes(one.entry, &mut foreign) {
                    Ok(bytes) => Some(bytes.into_owned()),
                    Err(why) => {
                        sealed.push((one.address.clone(), why));
                        None
                    }
                },
                _ => (is_program || all).then(|| one.bytes.to_vec()),
            };
            out.extend(bytes.map(|bytes| Entry { address: one.address.to_string(), bytes, is_program }));
            std::ops::ControlFlow::Continue(())
        },
        &mut |address, finding| unread.push((address.clone(), finding)),
    )?;
    // What is over a limit was told already.
    let told: HashSet<Address> = unread.iter().map(|(address, _): &(Address, _)| address.clone()).collect();
    unread.extend(sealed.into_iter().filter(|(address, _)| !told.contains(address)));
    unread.append(&mut unreadable);
    let mut inside = Contained::default();
    inside.unread = unread;
    Ok((out, inside))
}

/// The ending of the file of an entry, and its content.
fn form_of(
    input: &Input,
    piece: Option<&Input>,
    one: &Entry,
    form: Form,
    ctx: &Ctx,
) -> Outcome<(&'static str, Vec<u8>)> {
    if !one.is_program || form == Form::Bin {
        return Ok(("bin", one.bytes.clone()));
    }
    let name = format!("{}::{}", input.name.raw(), one.address);
    let file = Path::new(&one.address).file_name().map(PathBuf::from);
    let alone = || Input::new(name, file, one.bytes.clone());
    let read = piece.cloned().unwrap_or_else(alone);
    let loaded = load::load(read, &ReadingArgs::default(), AssumedNotation::Bytes, ctx)?;
    let program = loaded.program.any();
    Ok(match form {
        Form::Json => {
            let info = super::info::info(&loaded, &LiftArgs::default());
            ("json", (serde_json::to_string_pretty(&json!(info)).unwrap_or_default() + "\n").into_bytes())
        }
        _ => {
            let dialect = program.isa().dialects().first().copied().unwrap_or_default();
            let text = match program.say(dialect) {
                Some(Ok(text)) => text,
                _ => return Err(Failure::usage(format!("{}: it has no text", loaded.input.name))),
            };
            (program.isa().name(), text.into_bytes())
        }
    })
}

/// Names that Windows has for devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];
/// The most bytes of a name: file systems have 255.
const MOST: usize = 180;

/// A name in one folder, which no other file there has and every file system takes.
pub(crate) fn file_name(address: &str, ending: &str, taken: &mut HashSet<String>) -> String {
    let mut name = String::new();
    for c in address.replace("::", ".").chars() {
        match c {
            '/' => name.push('.'),
            c if c.is_alphanumeric() || "._-[]%#+() ".contains(c) => name.push(c),
            c => name.extend(c.to_string().bytes().map(|byte| format!("%{byte:02X}"))),
        }
    }
    let word: String = name.chars().take_while(|c| c.is_alphabetic()).collect();
    let stem = name.split('.').next().unwrap_or_default();
    let digits = stem.get(word.len()..).unwrap_or_default();
    // Digits may be raised: `COM¹` is a device, too.
    let device = DEVICES.contains(&word.to_ascii_lowercase().as_str()) && digits.chars().count() < 2;
    if device || name.starts_with(['.', ' ']) {
        name.insert(0, '_');
    }
    let mut end = name.len().min(MOST);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.truncate(end);
    let name = name.trim_end_matches(['.', ' ']).to_string();
    let first = format!("{name}.{ending}");
    let mut out = first.clone();
    let mut n = 2;
    // File systems may not tell capitals from small letters.
    while !taken.insert(out.to_lowercase()) {
        out = format!("{name}~{n}.{ending}");
        n += 1;
    }
    out
}

/// Fails if a file of a folder is there and is not to be replaced, or is a link.
fn refuse_link_or_file(folder: &Path, name: &str, force: bool) -> Outcome {
    let path = folder.join(name);
    let fail = |why: &str| Failure::usage(format!("{}: {why}", io::shown(&path)));
    if let Ok(there) = path.symlink_metadata() {
        if there.is_symlink() {
            return Err(fail("is a link"));
        }
        if !force {
            return Err(fail("is there already; --force replaces it"));
        }
    }
    Ok(())
}

/// Writes a file of a folder. What is there stays unless it is to be replaced; a link is never followed.
pub(crate) fn write(folder: &Path, name: &str, bytes: &[u8], force: bool) -> Outcome {
    refuse_link_or_file(folder, name, force)?;
    let path = folder.join(name);
    let written = Draft::create(&path).and_then(|mut draft| {
        draft.write_all(bytes)?;
        draft.commit()
    });
    written.map_err(|error| Failure::usage(format!("{}: {}", io::shown(&path), io::plain(&error))))
}
