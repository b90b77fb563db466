//! `vecasm info`: what a program is and uses, and what is in a container, as JSON or for reading.

mod draws;
mod tree;

use crate::args::{InputArgs, MessageFormat, OutputArgs, ReadingArgs};
use crate::batch::{Batch, Job, Shared, Words};
use crate::cmd::check::record;
use crate::io::{Input, Sink};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::{Failure, Outcome, io, programs, slots, targets};
use clap::ValueEnum;
use serde_json::{Value, json};
use vecasm::contents::Contents;
use vecasm::diag::printable_line;
use vecasm::hash::sha256;
use vecasm::isa::{AnyProgram, Isa};
use vecasm::open::AssumedNotation;
use vecasm::reflect::Info;

/// What `-o` means here: everything goes to one file.
const OUTPUT: &str =
    "Write everything to FILE, or to DIR/info.json (info.txt); `-` or none is standard output";

/// Describe a program (interface, registers, constants, samplers, counts), or what is in a container
#[derive(Debug, clap::Args)]
#[command(mut_arg("output", |output| output.help(OUTPUT).long_help(OUTPUT)))]
#[command(after_help = "Examples:\n  \
    vecasm info shader.bin\n  \
    vecasm info effect.fxb                      techniques, passes, parameters, addresses\n  \
    vecasm info effect.fxb::technique0/pass0/ps one program of it\n  \
    vecasm info dumps/ | jq .registers          one line of JSON per program\n  \
    vecasm info dumps/ -o facts/                all of it in one file, facts/info.json\n  \
    vecasm info --format text light.vsh         NV2A: slots, units and live registers")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    lifting: LiftArgs,
    /// Output format [default: text on a terminal, JSON elsewhere and with --json]
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    format: Option<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A JSON object for each program, one a line
    Json,
    /// For reading
    Text,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(help) = args.lifting.help() {
        return io::print(&help);
    }
    let batch = Batch::new(&args.input.files, &args.input.batch)?;
    let on_terminal = Sink::new(&args.output).is_terminal();
    let format = match args.format {
        Some(format) => format,
        None if on_terminal && ctx.format != MessageFormat::Json => Format::Text,
        None => Format::Json,
    };
    // One text for all, whose size nobody knows before it is written.
    let mut out =
        Shared::create(&args.output, if format == Format::Text { "info.txt" } else { "info.json" })?;
    let job = Job::new(&args.input.reading, Words::Work).all().with_containers();
    let recordings = draws::Recordings::default();
    let mut isas: Vec<Isa> = Vec::new();
    let done = batch.run(
        &job,
        ctx,
        |input, ctx| {
            if input.piece().is_none() && programs::is_container(&input, &args.input.reading) {
                let contents = contents(&input, &args.input.reading, ctx)?;
                let text = match format {
                    Format::Text => tree::for_reading(&contents),
                    Format::Json => format!("{}\n", json!(contents)),
                };
                return Ok((text, None));
            }
            let loaded = load::load(input, &args.input.reading, AssumedNotation::Bytes, ctx)?;
            let isa = loaded.program.isa();
            if !batch.is_several() {
                args.lifting.check(isa)?;
            }
            let lifting = args.lifting.of(isa);
            let draws = if isa == Isa::Nv2a { recordings.draws(&loaded.input) } else { Vec::new() };
            let text = match format {
                Format::Text => for_reading(&loaded, &lifting) + &draws::for_reading(&draws),
                Format::Json => format!("{}\n", json!(info(&loaded, &lifting).with_draws(draws))),
            };
            Ok((text, Some(isa)))
        },
        |_, (text, isa)| {
            isas.extend(isa.filter(|isa| !isas.contains(isa)));
            out.write(&text)
        },
    );
    out.finish()?;
    match args.lifting.unheeded(&isas).filter(|_| !isas.is_empty()) {
        Some(why) if !matches!(done, Err(Failure::Internal | Failure::Output(_))) => Err(Failure::Usage(why)),
        _ => done,
    }
}

/// What is in a container.
pub(crate) fn contents(input: &Input, reading: &ReadingArgs, ctx: &Ctx) -> Outcome<Contents> {
    let hash = |bytes: &[u8]| Some(sha256(bytes));
    Contents::with_hashes(input.name.raw(), input.bytes(), reading.open.limits, &hash).map_err(|finding| {
        ctx.report(&[finding], input.renderer());
        Failure::Shader
    })
}

/// What there is to say about a program, for reading.
fn for_reading(loaded: &Loaded, lifting: &LiftArgs) -> String {
    let title = format!("{}: {}\n", loaded.input.name, targets::title_lower(&loaded.program));
    if let AnyProgram::Nv2a(program) = loaded.program.any() {
        return title + &slots::table(program);
    }
    let Value::Object(facts) = json!(info(loaded, lifting)) else { return title };
    // The title has said these; the interface is for tools.
    let said = [
        "schema",
        "file",
        "program",
        "name",
        "isa",
        "stage",
        "model",
        "sha256",
        "version",
        "instructions",
        "interface",
    ];
    let rows = facts.iter().filter(|(name, _)| !said.contains(&name.as_str()));
    rows.fold(title, |out, (name, value)| out + &flat(name, value, 1))
}

/// A value as lines, one a name, and one for each object of a list.
fn flat(name: &str, value: &Value, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    match value {
        value if says_nothing(value) => String::new(),
        Value::Object(map) if map.values().any(|v| v.is_object() || v.is_array()) => {
            let head = format!("{indent}{name}\n");
            map.iter().fold(head, |out, (name, value)| out + &flat(name, value, depth + 1))
        }
        Value::Array(list) if list.iter().any(Value::is_object) => {
            let head = format!("{indent}{name}\n");
            list.iter().fold(head, |out, value| format!("{out}{indent}  {}\n", in_words(value)))
        }
        value => format!("{indent}{name:<14} {}\n", in_words(value)),
    }
}

/// Whether a value is left out of a text: nothing, no, or an empty list.
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.values().all(says_nothing),
        _ => false,
    }
}

/// A value in one line.
fn in_words(value: &Value) -> String {
    let join = |list: Vec<String>, between: &str| list.join(between);
    match value {
        Value::String(text) => printable_line(text).into_owned(),
        Value::Array(list) => {
            let between =
                if list.iter().any(|value| value.is_object() || value.is_array()) { "; " } else { ", " };
            join(list.iter().map(in_words).collect(), between)
        }
        Value::Object(map) => {
            let said = map.iter().filter(|(_, value)| !says_nothing(value));
            let words = said.map(|(name, value)| match value {
                Value::Bool(true) => name.clone(),
                Value::Object(_) | Value::Array(_) => format!("{name} ({})", in_words(value)),
                value => format!("{name} {}", in_words(value)),
            });
            join(words.collect(), ", ")
        }
        value => value.to_string(),
    }
}

/// What there is to say about a program. `interface` is null if the program has no meaning; `vecasm check` says why.
pub(crate) fn info(loaded: &Loaded, lifting: &LiftArgs) -> Info {
    let info = loaded.program.info(&lifting.options(Purpose::Run));
    info.with_origin(record::origin(&loaded.input)).with_sha256(sha256(&loaded.program.encode()))
}
