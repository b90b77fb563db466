//! `vecasm repack`: other programs in the place of those in a container.

use super::extract::{Form, MANIFEST, Manifest};
use crate::args::{LimitArgs, ReadingArgs};
use crate::io::{self, Input, Payload, Sink};
use crate::load;
use crate::repacking::{self, Change, NewProgram, Occupant, Target, refused};
use crate::report::Ctx;
use crate::writing::Draft;
use crate::{Failure, Outcome, programs};
use serde_json::json;
use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use vecasm::hash::sha256;
use vecasm::isa::Isa;
use vecasm::open::{self, AssumedNotation};

/// Put programs back into a container, or a text
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm repack effect.fxb --from parts/ -o new.fxb   what `extract` wrote, with the edits made there\n  \
    vecasm repack effect.fxb technique0/pass0/ps=new.asm -o new.fxb\n  \
    vecasm repack pack.zip --from parts/ --dry-run\n  \
    vecasm repack effect.fxb --set Tint=1,0.5,0,1 -o new.fxb    the default of a parameter\n\n\
Bytes that need not change stay as they are: without edits the result is the same file. Programs without a table of\n\
constants get that of the program that they replace. Arrays of sources, digits in hexadecimal or base64 and texts with\n\
programs in them are taken as well: `vecasm repack shaders.h g_main=new.asm -o new.h`.")]
pub(crate) struct Args {
    /// The container, or a text with programs in it
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A program, as text or bytes, or `FILE::ADDRESS` of one, in the place of what is at ADDRESS; bytes of anything else as they are
    #[arg(value_name = "ADDRESS=FILE")]
    edits: Vec<String>,
    /// Set the default of a parameter of an effect, numbers row by row; may be given several times
    #[arg(long, value_name = "[ADDRESS::]NAME=NUMBERS")]
    set: Vec<String>,
    /// Take the programs from DIR, which `extract` wrote; those that were not edited stay
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// Write the result to OUT; `-` is standard output
    #[arg(short, long, value_name = "OUT", required_unless_present_any = ["in_place", "dry_run"])]
    output: Option<PathBuf>,
    /// Replace FILE, and keep what it was as FILE.bak, which must not be there yet
    #[arg(long, conflicts_with = "output")]
    in_place: bool,
    /// Only say which sizes change
    #[arg(long)]
    dry_run: bool,
    /// Leave out comments at the head of new programs, and do not take those of the old ones
    #[arg(long)]
    drop_comments: bool,
    /// Give an alias among the static combinations of the Source engine (VCS) its own programs where it is edited
    #[arg(long)]
    break_alias: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

/// A change, and what is said of it.
struct FileChange {
    address: String,
    /// The file that it comes from.
    file: PathBuf,
    /// How many bytes it replaces.
    before: usize,
    change: Change,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let reading = args.limits.reading();
    let (input, raw) = io::read_with_bytes(&args.file)?;
    if input.asked.is_some() {
        return Err(Failure::usage(format!(
            "{}: repack takes a whole file; the address goes in front of the program, ADDRESS=FILE",
            input.name
        )));
    }
    if args.in_place && input.path.is_none() {
        return Err(Failure::usage("--in-place: standard input is no file; write the result with -o"));
    }
    let asked = asked(args, &input, &reading, ctx)?;
    let addresses: Vec<&str> = asked.iter().map(|(address, _)| address.as_str()).collect();
    let target = Target::of(&input, &raw, &reading, ctx)?.with_own(&addresses, args.break_alias, ctx)?;
    let target = target.with_defaults(&args.set, ctx)?;
    let mut changes: Vec<FileChange> = Vec::new();
    let mut typed: HashMap<String, String> = HashMap::new();
    for (text, file) in asked {
        let (new, content) = replacement(&file, &reading)?;
        let old = target.find_for(&text, &new, &content, ctx)?;
        if let Some(other) = typed.insert(old.address.clone(), text.clone()) {
            return Err(refused(repacking::ambiguous(&other, &text, &old.address), &input, ctx));
        }
        changes.extend(change(&target, &old, (file, new, content), args, ctx)?);
    }
    let all: Vec<Change> = changes.iter().map(|told| told.change.clone()).collect();
    let (bytes, findings) = target.with(&all, ctx)?;
    ctx.report(&findings, input.renderer());
    for FileChange { address, file, before, change } in &changes {
        let (after, from) = (change.bytes.len(), io::shown(file));
        ctx.tell(&format!("{address}: {before} → {after} bytes, from {from}"));
        if ctx.json() {
            record(
                args,
                ctx,
                &json!({
                    "file": input.name.raw(), "address": address, "from": from.raw(),
                    "before": before, "after": after, "sha256": sha256(&change.bytes),
                }),
            )?;
        }
    }
    for (address, parameter, numbers) in target.defaults.iter().filter(|_| ctx.json()) {
        let file = input.name.raw();
        record(
            args,
            ctx,
            &json!({ "file": file, "address": address, "parameter": parameter, "default": numbers }),
        )?;
    }
    let (before, after) = (raw.len(), bytes.len());
    if ctx.json() {
        let file = input.name.raw();
        record(
            args,
            ctx,
            &json!({ "file": file, "before": before, "after": after, "sha256": sha256(&bytes) }),
        )?;
    }
    let same = if raw == bytes { ", the same bytes" } else { "" };
    ctx.tell(&format!("{}: {before} → {after} bytes{same}", input.name));
    if args.dry_run {
        return Ok(());
    }
    match (&args.output, args.in_place) {
        (Some(path), _) if path.as_os_str() == io::DASH => Sink::Stdout.write("", &Payload::Binary(bytes)),
        (Some(path), _) => Sink::File(path.clone()).write("", &Payload::Binary(bytes)),
        (None, _) if same.is_empty() => replace(&args.file, &raw, &bytes),
        (None, _) => Ok(()),
    }
}

/// What comes in the place of something: the content of a file, or of the program at an address in one; as it is read, and as it is.
fn replacement(file: &Path, reading: &ReadingArgs) -> Outcome<(Input, Vec<u8>)> {
    let (new, content) = io::read_with_bytes(file)?;
    if new.asked.is_none() {
        return Ok((new, content));
    }
    let new = programs::one(new, reading)?;
    let content = new.bytes().to_vec();
    Ok((new, content))
}

/// Writes what changes as a line of JSON.
fn record(args: &Args, ctx: &Ctx, record: &serde_json::Value) -> Outcome {
    let line = format!("{record}\n");
    // Standard output may have the container.
    if args.output.as_ref().is_some_and(|path| path.as_os_str() == io::DASH) {
        ctx.error_bytes(line.as_bytes());
        return Ok(());
    }
    io::print(&line)
}

/// Addresses and the files that come there.
fn asked(args: &Args, input: &Input, reading: &ReadingArgs, ctx: &Ctx) -> Outcome<Vec<(String, PathBuf)>> {
    let mut out = Vec::new();
    if let Some(folder) = &args.from {
        let path = folder.join(MANIFEST);
        let fail = |why: &dyn std::fmt::Display| Failure::usage(format!("{}: {why}", io::shown(&path)));
        let list = io::read(&path)?;
        let manifest: Manifest = serde_json::from_slice(list.bytes()).map_err(|error| fail(&error))?;
        if manifest.sha256 != sha256(input.bytes()) {
            let why =
                format!("lists the programs of {}, which is another file than {}", manifest.file, input.name);
            return Err(fail(&why));
        }
        for entry in manifest.entries {
            if entry.file.contains(['/', '\\']) {
                continue;
            }
            let file = folder.join(&entry.file);
            let edited = |bytes: &[u8]| sha256(bytes) != entry.sha256;
            if entry.form == Form::Json {
                if std::fs::read(&file).is_ok_and(|bytes| edited(&bytes)) {
                    ctx.tell(&format!(
                        "vecasm: note: {}: facts are not put back; `extract --as asm` writes programs to edit",
                        io::shown(&file)
                    ));
                }
                continue;
            }
            // What nobody edited stays, to the bit.
            if edited(io::read(&file)?.bytes()) {
                out.push((entry.address, file));
            }
        }
    }
    let mut numbers = None;
    for edit in &args.edits {
        // Names of entries may have an equals sign as well: the last one counts.
        let Some((address, file)) = edit.rsplit_once('=') else {
            return Err(Failure::usage(format!("{edit}: expected ADDRESS=FILE")));
        };
        // The numbers of programs count texts, too, which only their readers know.
        let number = address.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let numbered = number
            .and_then(|n| numbers.get_or_insert_with(|| programs::addresses(input, reading)).get(n).cloned());
        out.push((numbered.unwrap_or_else(|| address.into()), file.into()));
    }
    Ok(out)
}

/// What a file becomes in the place of something; none if that stays as it is.
fn change(
    target: &Target<'_>,
    old: &Occupant,
    (file, new, content): (PathBuf, Input, Vec<u8>),
    args: &Args,
    ctx: &Ctx,
) -> Outcome<Option<FileChange>> {
    let taken = || Change { seat: old.seat.clone(), bytes: content.clone(), text: None };
    let change = match old.isa {
        None => taken(),
        // A text may have words of a preprocessor, which are kept.
        Some(isa) if old.is_text && is_text_of(&new, isa) => taken(),
        Some(isa) => {
            let reading = ReadingArgs::of(vecasm::OpenOptions::default().with_isa(isa));
            let loaded = load::load(new, &reading, AssumedNotation::Bytes, ctx)?;
            let text = repacking::assembly_of(&loaded.input, &reading);
            let new = NewProgram { name: &loaded.input.name, program: loaded.program.any(), text };
            target.change(old, new, args.drop_comments, ctx)?
        }
    };
    let (address, before) = (old.address.clone(), old.bytes.len());
    Ok((change.bytes != old.bytes).then_some(FileChange { address, file, before, change }))
}

/// Whether a file is assembly, and of no other instruction set.
fn is_text_of(new: &Input, isa: Isa) -> bool {
    let options = ReadingArgs::of(vecasm::OpenOptions::default().with_isa(isa));
    let is_text = new.form(&options.options(AssumedNotation::Bytes));
    matches!(is_text, Ok(open::Form::Text)) && new.isa().is_none_or(|own| own == isa)
}

/// Writes a file anew and keeps what it was beside it.
fn replace(path: &Path, old: &[u8], new: &[u8]) -> Outcome {
    let copy = PathBuf::from(io::with_ending(path, "bak"));
    let fail = |path: &Path, error: &std::io::Error| {
        Failure::usage(format!("{}: {}", io::shown(path), io::plain(error)))
    };
    if copy.symlink_metadata().is_ok() {
        return Err(Failure::usage(format!(
            "{}: is there already, from an earlier --in-place: move it away, or write with -o",
            io::shown(&copy)
        )));
    }
    let written = |path: &Path, bytes: &[u8]| {
        let mut draft = Draft::replace(path)?;
        draft.write_all(bytes)?;
        draft.commit()
    };
    written(&copy, old).map_err(|error| fail(&copy, &error))?;
    written(path, new).map_err(|error| fail(path, &error))
}
