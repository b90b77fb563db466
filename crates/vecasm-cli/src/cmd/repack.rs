//! `vecasm repack`: other programs in the place of those in a container.

use super::extract::{Form, MANIFEST, Manifest};
use crate::args::{LimitArgs, ReadingArgs};
use crate::io::{self, Input, Payload, Sink};
use crate::load;
use crate::repacking::Place;
use crate::report::Ctx;
use crate::writing::Draft;
use crate::{Failure, Outcome, programs};
use serde_json::json;
use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use vecasm::container::{Address, Budget, Container, Edited, Kind, Limits, edit, find};
use vecasm::diag::Diagnostic;
use vecasm::hash::sha256;
use vecasm::open::Likely;

/// Put programs back into a container
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm repack effect.fxb --from parts/ -o new.fxb   what `extract` wrote, with the edits made there\n  \
    vecasm repack effect.fxb technique0/pass0/ps=new.asm -o new.fxb\n  \
    vecasm repack pack.zip --from parts/ --dry-run\n\n\
Bytes that need not change stay as they are: without edits the result is the same file. Programs without a table of\n\
constants get that of the program that they replace.")]
pub(crate) struct Args {
    /// The container
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A program, as text or bytes, in the place of what is at ADDRESS; bytes of anything else as they are
    #[arg(value_name = "ADDRESS=FILE")]
    edits: Vec<String>,
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
    #[command(flatten)]
    limits: LimitArgs,
}

/// A change that is asked for.
struct Change {
    address: Address,
    /// The file that it comes from.
    file: PathBuf,
    bytes: Vec<u8>,
    /// How many bytes it replaces.
    before: usize,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let reading = args.limits.reading();
    let limits = reading.open.limits;
    let input = io::read(&args.file)?;
    if input.asked.is_some() {
        return Err(Failure::usage(format!(
            "{}: repack takes a whole container; the address goes in front of the program, ADDRESS=FILE",
            input.name
        )));
    }
    if !programs::is_container(&input, &reading) {
        return Err(Failure::usage(format!("{}: this is no container", input.name)));
    }
    let mut budget = Budget::new(limits);
    let container =
        Container::read(input.bytes(), &mut budget).map_err(|finding| refused(finding, &input, ctx))?;
    let mut changes = Vec::new();
    let mut typed: HashMap<String, String> = HashMap::new();
    for (text, file) in asked(args, &input, &reading, ctx)? {
        let (address, change) = change(&container, &text, file, args, &input, limits, ctx)?;
        if let Some(other) = typed.insert(address.to_string(), text.clone()) {
            let message = format!("{other} and {text} are one entry, {address}, edited twice");
            return Err(refused(vecasm::container::rules::AMBIGUOUS.finding(message), &input, ctx));
        }
        changes.extend(change);
    }
    let edits: Vec<(Address, Vec<u8>)> =
        changes.iter().map(|change| (change.address.clone(), change.bytes.clone())).collect();
    let mut budget = Budget::new(limits);
    let Edited { bytes, findings, .. } =
        edit(&container, &edits, &mut budget).map_err(|finding| refused(finding, &input, ctx))?;
    ctx.report(&findings, input.renderer());
    for change in &changes {
        let (before, after, from) = (change.before, change.bytes.len(), io::shown(&change.file));
        ctx.tell(&format!("{}: {before} → {after} bytes, from {from}", change.address));
        if ctx.json() {
            let record = json!({
                "file": input.name.raw(), "address": change.address.to_string(), "from": from.raw(),
                "before": before, "after": after, "sha256": sha256(&change.bytes),
            });
            let line = format!("{record}\n");
            // Standard output may have the container.
            if args.output.as_ref().is_some_and(|path| path.as_os_str() == io::DASH) {
                ctx.error_bytes(line.as_bytes());
            } else {
                io::print(&line)?;
            }
        }
    }
    let (before, after) = (input.bytes().len(), bytes.len());
    let same = if input.bytes() == bytes { ", the same bytes" } else { "" };
    ctx.tell(&format!("{}: {before} → {after} bytes{same}", input.name));
    if args.dry_run {
        return Ok(());
    }
    match (&args.output, args.in_place) {
        (Some(path), _) if path.as_os_str() == io::DASH => Sink::Stdout.write("", &Payload::Binary(bytes)),
        (Some(path), _) => Sink::File(path.clone()).write("", &Payload::Binary(bytes)),
        (None, _) if same.is_empty() => replace(&args.file, input.bytes(), &bytes),
        (None, _) => Ok(()),
    }
}

fn refused(finding: Diagnostic, input: &Input, ctx: &Ctx) -> Failure {
    ctx.report(&[finding], input.renderer());
    Failure::Shader
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

/// The whole address of an entry, and its change; none if it would stay as it is.
fn change(
    container: &Container<'_>,
    address: &str,
    file: PathBuf,
    args: &Args,
    input: &Input,
    limits: Limits,
    ctx: &Ctx,
) -> Outcome<(Address, Option<Change>)> {
    let mut budget = Budget::new(limits);
    let old = find(container, &Address::parse(address), &mut budget, &mut |found| {
        (found.address.clone(), found.entry.kind.clone(), found.entry.stage, found.bytes.to_vec())
    });
    let (address, kind, stage, old) = old.map_err(|finding| refused(finding, input, ctx))?;
    let new = io::read(&file)?;
    let Kind::Stream(isa) = kind else {
        let bytes = std::fs::read(&file)
            .map_err(|error| Failure::usage(format!("{}: {}", io::shown(&file), io::plain(&error))))?;
        let before = old.len();
        let change = (bytes != old).then_some(Change { address: address.clone(), file, bytes, before });
        return Ok((address, change));
    };
    let reading = ReadingArgs::of(vecasm::OpenOptions::default().with_isa(isa));
    let loaded = load::load(new, &reading, Likely::Bytes, ctx)?;
    let bytes = Place { stage, bytes: &old }.bytes_of(&loaded, args.drop_comments, ctx)?;
    let before = old.len();
    let change = (bytes != old).then_some(Change { address: address.clone(), file, bytes, before });
    Ok((address, change))
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
