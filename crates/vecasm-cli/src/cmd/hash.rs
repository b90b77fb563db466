//! `vecasm hash`: the hashes of programs, and programs by their hashes.

use crate::args::{InputArgs, MessageFormat};
use crate::batch::{Batch, Job, Words};
use crate::cmd::check::record;
use crate::io::{Input, Name};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::{Failure, Outcome, io, programs, targets};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use vecasm::diag::printable_line;
use vecasm::hash::{Algorithm, BARE, FileName, HashKind, HashPrefix, Hashes, Verdict};
use vecasm::open::AssumedNotation;
use vecasm::reflect::Identity;

/// Hash programs, or find them by a hash
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm hash effect.fxb                        crc32, md5, sha1, sha256 of every program in it\n  \
    vecasm hash dumps/                            and which of them are the same\n  \
    vecasm hash --find 0x63081D55 dumps/ game.zip      where the program is that ReShade calls so\n  \
    vecasm hash --json dumps/ | jq -r '[.program_hash, .name] | @tsv' | sort\n\n\
    `without comments`: the bytes without the comments of Direct3D 9, so without tables of constants. `program`: what the \
    program says, as text or as bytecode; docs/containers.md defines it.\n\
    With --find the exit status is 1 if nothing matches.")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// Print only the programs of which a hash begins with these digits, 8 or more; may be given several times
    #[arg(long, value_name = "HASH", value_parser = wanted, help_heading = "Finding")]
    find: Vec<(String, HashPrefix)>,
}

/// Reads the digits of a hash; they are kept as they were given.
fn wanted(text: &str) -> Result<(String, HashPrefix), String> {
    Ok((text.into(), HashPrefix::parse(text)?))
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let batch = Batch::new(&args.input.files, &args.input.batch)?;
    let mut job = Job::new(&args.input.reading, Words::Work).all();
    if !args.find.is_empty() {
        job = job.judging();
    }
    let mut same = Same::default();
    let mut found = vec![false; args.find.len()];
    let done = batch.run(
        &job,
        ctx,
        |input, ctx| Hashed::of(input, args, ctx),
        |_, one| {
            if args.find.is_empty() {
                same.add(&one);
                io::print(&if ctx.json() { format!("{}\n", one.json()) } else { one.for_reading() })?;
                // What is in it has no hashes here.
                return if one.is_broken_container { Err(Failure::Shader) } else { Ok(()) };
            }
            let matches = one.matches(&args.find);
            for &(n, _) in &matches {
                found[n] = true;
            }
            if matches.is_empty() { Ok(()) } else { io::print(&one.found(&matches, &args.find, ctx)) }
        },
    );
    if args.find.is_empty() {
        if !ctx.json() && !matches!(done, Err(Failure::Internal | Failure::Output(_))) {
            io::print(&same.for_reading())?;
        }
        return done;
    }
    for ((text, _), _) in args.find.iter().zip(&found).filter(|(_, found)| !**found) {
        ctx.tell(&format!("vecasm: note: no program has the hash {text}"));
    }
    if done.is_ok() && !found.contains(&true) { Err(Failure::Shader) } else { done }
}

/// A program with its hashes.
struct Hashed {
    input: Input,
    /// What it is; why it is no program, of what cannot be read.
    what: Result<(Identity, String), String>,
    hashes: Hashes,
    /// The hash in the name of its file.
    named: Option<Named>,
    /// Whether it is a container that cannot be read.
    is_broken_container: bool,
}

/// A hash in the name of a file.
struct Named {
    digits: String,
    tool: Option<&'static str>,
    verdict: Verdict,
}

impl Hashed {
    fn of(input: Input, args: &Args, ctx: &Ctx) -> Outcome<Self> {
        let kept = input.clone();
        match load::read(input, &args.input.reading, AssumedNotation::Bytes) {
            Ok(Ok(loaded)) => {
                args.input.reading.heeded(&loaded)?;
                loaded.warn_of_header(ctx);
                Ok(Self::of_program(loaded))
            }
            Ok(Err((input, findings))) => {
                let why = findings.first().map_or_else(String::new, |finding| finding.message.clone());
                let is_broken_container = programs::is_container(&input, &args.input.reading);
                Ok(Self { is_broken_container, ..Self::of_bytes(input, why) })
            }
            // What no reader knows has its bytes all the same.
            Err(Failure::Usage(why)) => {
                let front = format!("{}: ", kept.name);
                let why = why.strip_prefix(&front).unwrap_or(&why).to_string();
                Ok(Self::of_bytes(kept, why))
            }
            Err(failure) => Err(failure),
        }
    }

    fn of_program(loaded: Loaded) -> Self {
        let Loaded { input, program, .. } = loaded;
        let hashes = Hashes::of(&program);
        // Of a text the name says nothing: its bytes are not those of the bytecode.
        let is_bytes = hashes.bytes.len == input.bytes().len() && program.encode() == input.bytes();
        let named = if is_bytes { named(&input, &hashes) } else { None };
        let what = Ok((Identity::of(&program), targets::title_lower(&program)));
        Self { input, what, hashes, named, is_broken_container: false }
    }

    fn of_bytes(input: Input, why: String) -> Self {
        let hashes = Hashes::of_bytes(input.bytes());
        let named = named(&input, &hashes);
        Self { input, what: Err(why), hashes, named, is_broken_container: false }
    }

    fn for_reading(&self) -> String {
        let (name, bytes) = (&self.input.name, self.hashes.bytes.len);
        let mut out = match &self.what {
            Ok((_, title)) => format!("{name}: {title}, {bytes} bytes\n"),
            Err(why) => format!("{name}: no program, {bytes} bytes: {}\n", printable_line(why)),
        };
        let mut row = |indent: &str, name: &str, value: &str| {
            let _ = writeln!(out, "{indent}{name:<width$}{value}", width = 12 - indent.len());
        };
        let value = |which| self.hashes.shown(which).unwrap_or_default();
        for &algorithm in Algorithm::ALL {
            row("  ", algorithm.name(), &value(HashKind::Bytes(algorithm)));
        }
        if let Some(bare) = self.hashes.without_comments.filter(|bare| *bare != self.hashes.bytes) {
            row("  ", "without comments, ", &format!("{} bytes", bare.len));
            for algorithm in BARE {
                row("    ", algorithm.name(), &value(HashKind::WithoutComments(algorithm)));
            }
        }
        if let Some(program) = &self.hashes.program {
            row("  ", "program", program);
        }
        if let Some(named) = &self.named {
            row("  ", "name", &named.for_reading());
        }
        out
    }

    fn json(&self) -> Value {
        let mut out = json!(record::origin(&self.input));
        record::merge(
            &mut out,
            match &self.what {
                Ok((identity, _)) => json!(identity),
                Err(why) => json!({ "isa": null, "stage": null, "model": null, "problem": why }),
            },
        );
        let value = |which| self.hashes.shown(which);
        record::merge(&mut out, json!({ "bytes": self.hashes.bytes.len }));
        for &algorithm in Algorithm::ALL {
            record::merge(&mut out, json!({ algorithm.name(): value(HashKind::Bytes(algorithm)) }));
        }
        let bare = self.hashes.without_comments.map(|bare| {
            let mut out = json!({ "bytes": bare.len });
            for algorithm in BARE {
                record::merge(
                    &mut out,
                    json!({ algorithm.name(): value(HashKind::WithoutComments(algorithm)) }),
                );
            }
            out
        });
        let named = self.named.as_ref().map(Named::json);
        record::merge(
            &mut out,
            json!({ "without_comments": bare, "program_hash": self.hashes.program, "file_name": named }),
        );
        out
    }

    /// Which of the wanted hashes it has, by their numbers.
    fn matches(&self, wanted: &[(String, HashPrefix)]) -> Vec<(usize, HashKind)> {
        let found = |(n, (_, wanted)): (usize, &(String, HashPrefix))| Some((n, self.hashes.found(wanted)?));
        wanted.iter().enumerate().filter_map(found).collect()
    }

    /// What is printed of a program that has a wanted hash.
    fn found(&self, matches: &[(usize, HashKind)], wanted: &[(String, HashPrefix)], ctx: &Ctx) -> String {
        let value = |which| self.hashes.shown(which).unwrap_or_default();
        if ctx.format == MessageFormat::Json {
            let list: Vec<Value> = matches
                .iter()
                .map(|&(n, which)| json!({ "find": wanted[n].0, "hash": which.to_string() }))
                .collect();
            let mut out = self.json();
            record::merge(&mut out, json!({ "found": list }));
            return format!("{out}\n");
        }
        let line =
            |&(_, which): &(usize, HashKind)| format!("{}: {which} {}\n", self.input.name, value(which));
        matches.iter().map(line).collect()
    }
}

/// The hash in the name of the file of a program, or of its entry in a container.
fn named(input: &Input, hashes: &Hashes) -> Option<Named> {
    let name = match input.piece() {
        Some(piece) => piece.address()?.rsplit(['/', ':']).next()?.to_string(),
        None => input.path.as_deref().and_then(Path::file_name)?.to_str()?.to_string(),
    };
    let FileName { digits, tool, verdict, .. } = FileName::of(&name, &hashes.bytes)?;
    Some(Named { digits: digits.into(), tool, verdict })
}

impl Named {
    fn for_reading(&self) -> String {
        let tool = self.tool.unwrap_or("a tool");
        match (self.verdict, self.tool) {
            (Verdict::Is(algorithm), Some(tool)) => format!("{algorithm}, as {tool} names files"),
            (Verdict::IsNot(algorithm), _) => {
                format!(
                    "{} is not its {algorithm}: edited since {tool} wrote it, or another program",
                    self.digits
                )
            }
            (Verdict::Is(algorithm), None) => algorithm.to_string(),
            (_, _) => format!("{} of {tool}, which cannot be recomputed from the bytes", self.digits),
        }
    }

    fn json(&self) -> Value {
        let (verdict, hash) = match self.verdict {
            Verdict::Is(algorithm) => ("is", Some(algorithm)),
            Verdict::IsNot(algorithm) => ("is_not", Some(algorithm)),
            _ => ("untold", None),
        };
        json!({ "digits": self.digits, "tool": self.tool, "verdict": verdict, "hash": hash.map(Algorithm::name) })
    }
}

/// Which programs are the same without comments.
#[derive(Default)]
struct Same {
    /// The number of the group of a hash.
    groups: HashMap<[u8; 32], usize>,
    /// The names in each group, and whether all have the same bytes.
    members: Vec<(Vec<Name>, bool)>,
    /// The hash of the bytes of the first one of each.
    first: Vec<[u8; 32]>,
}

impl Same {
    fn add(&mut self, one: &Hashed) {
        let bytes = one.hashes.bytes.sha256;
        let key = one.hashes.without_comments.map_or(bytes, |bare| bare.sha256);
        let n = *self.groups.entry(key).or_insert_with(|| {
            self.members.push((Vec::new(), true));
            self.first.push(bytes);
            self.first.len() - 1
        });
        let (names, all) = &mut self.members[n];
        names.push(one.input.name.clone());
        *all &= self.first[n] == bytes;
    }

    fn for_reading(&self) -> String {
        let of: usize = self.members.iter().map(|(names, _)| names.len()).sum();
        let distinct = self.members.len();
        if distinct == of {
            return String::new();
        }
        let mut out = format!("{of} programs, {distinct} distinct without comments\n");
        for (names, all) in self.members.iter().filter(|(names, _)| names.len() > 1) {
            out.push_str(if *all { "the same:\n" } else { "the same without comments:\n" });
            for name in names {
                let _ = writeln!(out, "  {name}");
            }
        }
        out
    }
}
