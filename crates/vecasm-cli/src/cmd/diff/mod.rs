//! `vecasm diff`: where two programs, or two containers of some, differ; and two edits put together.

mod containers;
mod lines;
mod matching;
mod merge;
mod merge_containers;
mod says;
mod show;

use crate::args::ReadingArgs;
use crate::io::{Input, ProgramSelector};
use crate::load::Loaded;
use crate::report::Ctx;
use crate::{Failure, Outcome, io, load, programs};
use clap::ValueEnum;
use serde_json::Value;
use show::ProgramComparison;
use std::path::PathBuf;
use vecasm::container::{Address, Budget, Container, Kind, find};

/// Show where two programs or containers differ, instruction by instruction, ignoring renamed registers
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm diff old.frag.agal new.frag.agal\n  \
    vecasm diff old.ps.bin new.ps.d3d9 --side-by-side\n  \
    vecasm diff a.vsh b.vsh --rename all -U 0 --format json\n  \
    vecasm diff old.fxb new.fxb                 entry by entry; --stat lists the entries that differ\n  \
    vecasm diff --base old.fxb mine.fxb yours.fxb -o both.fxb\n\n\
    Texts and binaries of one instruction set are compared, as instructions. A row that begins with `~` differs only \
    in register names; below a changed pair, `^` marks what differs.\n\
    Two containers are compared entry by entry: entries with the same name, whatever their number, else with the same \
    number.\n\
    With --base, what one side changed is taken; where both changed the same place in different ways, there is a \
    conflict, which is written between markers into a program, and keeps a container from being written.\n\
    Exit status: 0 the same but for register names, or merged; 1 different, or conflicts; 2 usage or input/output \
    error.")]
pub(crate) struct Args {
    /// First program or container; `-` is standard input
    #[arg(value_name = "A")]
    first: PathBuf,
    /// Second program or container; `-` is standard input
    #[arg(value_name = "B")]
    second: PathBuf,
    #[command(flatten)]
    reading: ReadingArgs,
    /// File that both were made of: puts together what A and B changed in it
    #[arg(long, value_name = "BASE", help_heading = "Merging")]
    base: Option<PathBuf>,
    /// Write the merged program or container to OUT; a program in the notation that its ending tells, else in that of A
    #[arg(short, long, value_name = "OUT", requires = "base", help_heading = "Merging")]
    output: Option<PathBuf>,
    /// Registers that may be renamed
    #[arg(long, value_name = "WHICH", default_value = "temporaries", help_heading = "Comparing")]
    rename: RenameScope,
    /// Number of unchanged instructions shown around a difference
    #[arg(short = 'U', long, value_name = "N", default_value_t = 3, help_heading = "Output")]
    unified: usize,
    /// Show both programs side by side
    #[arg(short = 'y', long, help_heading = "Output")]
    side_by_side: bool,
    /// Of containers, only list the entries that differ, with counts
    #[arg(long, help_heading = "Output", conflicts_with = "side_by_side")]
    stat: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RenameScope {
    /// None: another name is a difference
    None,
    /// Those that only the program itself sees
    Temporaries,
    /// All, each within its file: inputs, constants, samplers too
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
}

impl Args {
    fn is_text(&self, ctx: &Ctx) -> bool {
        self.format == Format::Text && !ctx.json()
    }
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(base) = &args.base {
        return merge::run(args, base, ctx);
    }
    let inputs = io::read_each([&args.first, &args.second])?;
    let wholes = map_inputs(&inputs, |input| container_of(input, args))?;
    if let [Some(a), Some(b)] = &wholes {
        return containers::run(args, ctx, [a, b]);
    }
    let [a, b] = load::load_each(inputs, &args.reading, ctx)?;
    let compared = ProgramComparison::of(&a, &b, args.rename).ok_or_else(|| {
        let [a, b] = [&a, &b].map(|side| side.program.isa().name());
        Failure::usage(format!(
            "programs of {a} and {b} have no instructions in common; `vecasm eqv` tests whether they do the same"
        ))
    })?;
    let text = if args.is_text(ctx) {
        show::text(args, ctx, [a.input.name.raw(), b.input.name.raw()], &compared)
    } else {
        format!("{}\n", Value::Object(show::to_json(&compared)))
    };
    io::print(&text)?;
    if compared.is_same() { Ok(()) } else { Err(Failure::Shader) }
}

/// Where two programs of one instruction set differ, for people; nothing where they do not.
pub(crate) fn shown(a: &Loaded, b: &Loaded, ctx: &Ctx) -> String {
    let args = Args {
        first: PathBuf::new(),
        second: PathBuf::new(),
        reading: ReadingArgs::default(),
        base: None,
        output: None,
        rename: RenameScope::Temporaries,
        unified: 3,
        side_by_side: false,
        stat: false,
        format: Format::Text,
    };
    let names = [a.input.name.raw(), b.input.name.raw()];
    let compared = ProgramComparison::of(a, b, args.rename);
    compared.map_or_else(String::new, |compared| show::text(&args, ctx, names, &compared))
}

/// A container, with its name.
struct NamedContainer {
    name: String,
    bytes: Vec<u8>,
}

/// What a function gives for each input.
fn map_inputs<T, const N: usize>(inputs: &[Input; N], of: impl Fn(&Input) -> Outcome<T>) -> Outcome<[T; N]> {
    let made: Vec<T> = inputs.iter().map(of).collect::<Outcome<_>>()?;
    made.try_into().map_err(|_| Failure::Internal)
}

/// The container that an input is, or that its address leads to; `None` if one program is meant.
fn container_of(input: &Input, args: &Args) -> Outcome<Option<NamedContainer>> {
    let reading = &args.reading;
    let one = reading.program.is_some() || reading.open.stage.is_some();
    if one || !programs::is_container(input, reading) {
        return Ok(None);
    }
    let name = input.name.raw().to_string();
    match &input.asked {
        None => Ok(Some(NamedContainer { name, bytes: input.bytes().to_vec() })),
        Some(ProgramSelector::Number(_)) => Ok(None),
        Some(ProgramSelector::Address(address)) => {
            let mut budget = Budget::new(args.reading.open.limits);
            let found = Container::read(input.bytes(), &mut budget).and_then(|container| {
                find(&container, &Address::parse(address), &mut budget, &mut |found| {
                    matches!(found.entry.kind, Kind::Container(_)).then(|| found.bytes.to_vec())
                })
            });
            // What is wrong with the address is said where a program is looked for.
            Ok(found.ok().flatten().map(|bytes| NamedContainer { name, bytes }))
        }
    }
}
