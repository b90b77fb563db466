//! `vecasm scan`: programs and containers among bytes of any kind.

use crate::args::{BatchArgs, LimitArgs};
use crate::batch::{Batch, Done, Place};
use crate::cmd::extract;
use crate::io::{self, Input};
use crate::report::Ctx;
use crate::{Failure, Outcome, programs};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use vecasm::container::scan::{Confidence, Hit, HitKind, Options, scan};
use vecasm::container::{Budget, Format};
use vecasm::diag::Source;
use vecasm::hash::sha256;

/// Find programs and containers in files of any kind
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm scan game.dat                     what looks like a program, the surest first\n  \
    vecasm scan --unaligned memory.bin       at every byte, not only at multiples of four\n  \
    vecasm scan game.dat -o found/           each hit in a file: found/0x000010F0.ps_2_0.bin\n  \
    vecasm scan --no-recurse game/           each file of a folder\n  \
    vecasm scan --min weak --json default.xbe\n\n\
    A container that can be read is one hit; nothing in it is another. docs/containers.md says what makes a hit certain.\n\
    The exit status is 0 whether something is found or not.")]
pub(crate) struct Args {
    /// Files or folders; `-` or none is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    batch: BatchArgs,
    /// Look at every byte, not only at multiples of four
    #[arg(long, help_heading = "Searching")]
    unaligned: bool,
    /// Look for programs alone, in containers as anywhere
    #[arg(long, help_heading = "Searching")]
    no_containers: bool,
    /// Leave out hits that are less sure
    #[arg(long, value_name = "CONFIDENCE", default_value = "likely", help_heading = "Searching")]
    min: ConfidenceArg,
    /// Write each hit to a file in DIR, named by its offset; of several files each to a folder in it
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Replace files that are there
    #[arg(long, requires = "output", help_heading = "Output")]
    force: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

/// How sure a hit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ConfidenceArg {
    /// Other data look like it now and then
    Weak,
    /// It has the form of a program, and little else speaks for it
    Likely,
    /// A clean verdict of the validator, a table of constants, or a reader that finds nothing wrong
    Certain,
}

impl ConfidenceArg {
    const fn confidence(self) -> Confidence {
        match self {
            Self::Weak => Confidence::Weak,
            Self::Likely => Confidence::Likely,
            Self::Certain => Confidence::Certain,
        }
    }
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let batch = Batch::new(&args.files, &args.batch)?;
    let places = batch.folders()?;
    let wanted = places.iter().find_map(|place| Some((place, Input::named(place.path).asked?)));
    if let Some((place, asked)) = wanted {
        let name = Input::named(place.path).name;
        return Err(Failure::usage(format!("{name}: scan takes whole files, without {asked}")));
    }
    let several = batch.is_several();
    batch.each(
        (&places, false),
        ctx,
        |place, ctx| searched(place, several, args, ctx),
        |_, (text, whole)| {
            io::print(&text)?;
            if whole { Ok(Done::Programs(1)) } else { Err(Failure::Shader) }
        },
        |place| Input::named(place.path).name,
    )
}

/// What is found in a file, as text, and whether all of it was looked through.
fn searched(place: &Place<'_>, several: bool, args: &Args, ctx: &Ctx) -> Outcome<(String, bool)> {
    let (input, bytes) = io::read_as_it_is(place.path)?;
    let options = Options::default().with_unaligned(args.unaligned).with_containers(!args.no_containers);
    let folder =
        args.output.as_ref().map(|output| if several { output.join(&place.folder) } else { output.clone() });
    let found = scan(&bytes, &options, &mut Budget::new(args.limits.reading().open.limits));
    let (mut hits, weaker): (Vec<Hit>, Vec<Hit>) =
        found.hits.into_iter().partition(|hit| hit.confidence >= args.min.confidence());
    for hit in &mut hits {
        // Members of archives may be texts with several programs, which other verbs tell apart.
        if let HitKind::Container { format: Format::Zip, programs } = &mut hit.what {
            let archive = Input::new(input.name.raw(), None, bytes[hit.range.clone()].to_vec());
            *programs = programs::addresses(&archive, &args.limits.reading()).len();
        }
    }
    let names = match &folder {
        Some(folder) => write(&bytes, &hits, folder, args.force)?,
        None => Vec::new(),
    };
    let text = match (ctx.json(), hits.is_empty()) {
        (true, _) => records(&input, &bytes, &hits, &names),
        // Of a folder only files are told that hold something.
        (false, true) if place.walked => String::new(),
        (false, true) if !args.unaligned => {
            format!("{}: nothing found; --unaligned looks at every byte\n", input.name)
        }
        (false, true) => format!("{}: nothing found\n", input.name),
        (false, false) => table(&input, &hits),
    };
    if let Some(folder) = folder.filter(|_| !hits.is_empty()) {
        ctx.tell(&format!("{}: {} in {}", input.name, count(hits.len(), "file"), io::shown(folder)));
    }
    if !weaker.is_empty() {
        let more = count(weaker.len(), "hit");
        ctx.tell(&format!("vecasm: note: {}: {more} less sure; --min weak shows all", input.name));
    }
    // No line of a text is meant, and such files are large.
    ctx.report(&found.findings, Source { name: input.name.raw(), text: None });
    Ok((text, found.findings.is_empty()))
}

/// Writes hits to files of a folder; gives their names.
fn write(bytes: &[u8], hits: &[Hit], folder: &std::path::Path, force: bool) -> Outcome<Vec<String>> {
    if hits.is_empty() {
        return Ok(Vec::new());
    }
    io::create_folder(folder)?;
    let (mut taken, mut names) = (HashSet::new(), Vec::new());
    for hit in hits {
        let (what, ending) = match &hit.what {
            HitKind::Program { isa, is_text: true, model, .. } => (model.as_str(), isa.name()),
            HitKind::Program { model, .. } => (model.as_str(), "bin"),
            HitKind::Container { format, .. } => {
                (format.name(), format.endings().first().copied().unwrap_or("bin"))
            }
            _ => ("", "bin"),
        };
        let name = format!("0x{:08X}.{}", hit.range.start, what.replace(' ', "_"));
        let name = extract::file_name(&name, ending, &mut taken);
        extract::write(folder, &name, &bytes[hit.range.clone()], force)?;
        names.push(name);
    }
    Ok(names)
}

/// `1 hit`, `2 hits`.
fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// What a hit is, in words.
fn in_words(what: &HitKind) -> String {
    match what {
        HitKind::Program { stage, model, instructions, .. } => {
            format!("{stage} program, {model}, {}", count(*instructions, "instruction"))
        }
        HitKind::Container { format, programs } => match programs {
            0 => format!("{}, without programs", format.title()),
            n => format!("{}, {}", format.title(), count(*n, "program")),
        },
        _ => String::new(),
    }
}

/// The hits of a file for reading.
fn table(input: &Input, hits: &[Hit]) -> String {
    let mut out = format!("{}: {}\n", input.name, count(hits.len(), "hit"));
    let digits = |value: usize| value.to_string().len();
    let width = hits.iter().map(|hit| digits(hit.range.len())).max().unwrap_or(0);
    for hit in hits {
        let (offset, bytes, sure) = (hit.range.start, hit.range.len(), hit.confidence.name());
        let _ = writeln!(out, "  0x{offset:08X}  {bytes:>width$} bytes  {sure:<7}  {}", in_words(&hit.what));
    }
    out
}

/// The hits of a file for machines.
fn records(input: &Input, all: &[u8], hits: &[Hit], names: &[String]) -> String {
    let mut out = String::new();
    for (n, hit) in hits.iter().enumerate() {
        let bytes = &all[hit.range.clone()];
        let mut record = json!({
            "file": input.name.raw(), "offset": hit.range.start, "bytes": bytes.len(),
            "confidence": hit.confidence.name(), "sha256": sha256(bytes),
        });
        let what = match &hit.what {
            HitKind::Program { isa, stage, model, instructions, is_text } => json!({
                "kind": "program", "isa": isa.name(), "stage": stage.name(), "model": model,
                "instructions": instructions, "text": is_text,
            }),
            HitKind::Container { format, programs } => {
                json!({ "kind": "container", "format": format.name(), "programs": programs })
            }
            _ => Value::Null,
        };
        crate::cmd::check::record::merge(&mut record, what);
        if let Some(name) = names.get(n) {
            crate::cmd::check::record::merge(&mut record, json!({ "written": name }));
        }
        let _ = writeln!(out, "{record}");
    }
    out
}
