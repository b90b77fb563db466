//! `vecasm info`: what a program is and uses, as JSON or for reading.

use crate::args::{InputArgs, MessageFormat, OutputArgs};
use crate::batch::{Batch, Job, Shared, Words};
use crate::cmd::check::record;
use crate::io::Sink;
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::{Failure, Outcome, io, reflect, slots, streams, targets, tgsi};
use clap::ValueEnum;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use vecasm::diag::printable_line;
use vecasm::ir::pressure::pressure;
use vecasm::isa::agal;
use vecasm::isa::agal::rules::describe;
use vecasm::isa::operand::WriteMask;
use vecasm::isa::{AnyProgram, Isa};
use vecasm::open::Likely;
use vecasm::opt::clean;

/// What `-o` means here: everything goes to one file.
const OUTPUT: &str =
    "Write everything to FILE, or to DIR/info.json (info.txt); `-` or none is standard output";

/// Describe a program: interface, registers, constants, samplers, counts
#[derive(Debug, clap::Args)]
#[command(mut_arg("output", |output| output.help(OUTPUT).long_help(OUTPUT)))]
#[command(after_help = "Examples:\n  \
    vecasm info shader.bin\n  \
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
    let job = Job::new(&args.input.reading, Words::Work).all();
    let mut isas: Vec<Isa> = Vec::new();
    let done = batch.run(
        &job,
        ctx,
        |input, ctx| {
            let loaded = load::load(input, &args.input.reading, Likely::Bytes, ctx)?;
            let isa = loaded.program.isa();
            if !batch.is_several() {
                args.lifting.check(isa)?;
            }
            let lifting = args.lifting.of(isa);
            let text = match format {
                Format::Text => for_reading(&loaded, &lifting),
                Format::Json => format!("{}\n", info(&loaded, &lifting)),
            };
            Ok((text, isa))
        },
        |_, (text, isa)| {
            isas.extend((!isas.contains(&isa)).then_some(isa));
            out.write(&text)
        },
    );
    out.finish()?;
    match args.lifting.unheeded(&isas).filter(|_| !isas.is_empty()) {
        Some(why) if !matches!(done, Err(Failure::Internal | Failure::Output(_))) => Err(Failure::Usage(why)),
        _ => done,
    }
}

/// What there is to say about a program, for reading.
fn for_reading(loaded: &Loaded, lifting: &LiftArgs) -> String {
    let title = format!("{}: {}\n", loaded.input.name, targets::title_lower(&loaded.program));
    if let AnyProgram::Nv2a(program) = loaded.program.any() {
        return title + &slots::table(program);
    }
    let Value::Object(facts) = info(loaded, lifting) else { return title };
    // The title has said these; the interface is for tools.
    let said = [
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
pub(crate) fn info(loaded: &Loaded, lifting: &LiftArgs) -> Value {
    let program = &loaded.program;
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for line in program.instruction_texts() {
        // A slot of the NV2A is several operations.
        for operation in line.split(" + ") {
            let name = operation.split_whitespace().next().unwrap_or("?");
            *counts.entry(name.to_string()).or_default() += 1;
        }
    }
    let lifted = program.lift(&lifting.options(Purpose::Run));
    let mut value = record::identity(loaded);
    let facts = json!({
        "version": program.version(),
        "bytes": program.encode().len(),
        "instructions": program.instruction_count(),
        "opcodes": counts,
        "live_at_most": lifted.as_ref().map_or(Value::Null, |shader| {
            let most = pressure(&clean(shader));
            json!({ "components": most.components, "vec4": most.vec4(), "instruction": most.step })
        }),
        "interface": lifted.as_ref().map_or(Value::Null, reflect::interface),
        "problem": lifted.as_ref().err().map_or(Value::Null, |finding| json!(finding.to_string())),
    });
    record::merge(&mut value, facts);
    record::merge(&mut value, registers(program));
    value
}

/// The registers of a program, file by file, each with the lanes that are used.
fn registers(program: &AnyProgram) -> Value {
    match program {
        AnyProgram::Agal(program) => agal_registers(program),
        AnyProgram::Nv2a(program) => slots::registers(program),
        AnyProgram::D3d9(program) => streams::facts(program),
        AnyProgram::Tgsi(program) => tgsi::facts(program),
        _ => Value::Null,
    }
}

fn agal_registers(program: &agal::Program) -> Value {
    let usage = describe(program);
    let used = |masks: &[WriteMask]| {
        let mut out = Map::new();
        for (n, mask) in masks.iter().enumerate().filter(|(_, mask)| **mask != WriteMask::NONE) {
            out.insert(n.to_string(), json!(mask.letters()));
        }
        Value::Object(out)
    };
    let batches: Vec<_> = usage
        .constant_batches()
        .into_iter()
        .map(|(first, count)| json!({ "first": first, "count": count }))
        .collect();
    json!({
        "registers": {
            "attributes": used(&usage.attributes),
            "constants": used(&usage.constants),
            "temporaries": used(&usage.temporaries),
            "varyings": used(&usage.varyings),
            "outputs": used(&usage.outputs),
            "depth": usage.depth,
            "instance_id": usage.instance_id,
        },
        "constant_ranges": batches,
        "samplers": usage.samplers.iter().map(|s| reflect::agal_sampler(*s)).collect::<Vec<_>>(),
        "texture_reads": usage.texture_reads,
        "kills": usage.kills,
        "indirect": usage.indirect,
        "predicated": usage.predicated,
        "sin_cos": usage.sin_cos,
    })
}
