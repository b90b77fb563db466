//! `vecasm info`: what a program is and what it uses, as JSON.

use crate::args::{InputArgs, OutputArgs};
use crate::io::{self, Likely, Payload, Sink};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::{Failure, Outcome, reflect};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use vecasm::isa::AnyProgram;
use vecasm::isa::agal::rules::describe;
use vecasm::isa::operand::WriteMask;
use vecasm::isa::{agal, nv2a};

/// Describe a program as JSON: interface, registers, constants, samplers, counts
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm info shader.bin\n  \
    vecasm info *.bin | jq '.[].registers'      several inputs give an array")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    lifting: LiftArgs,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let mut all = Vec::new();
    let mut bad = false;
    let inputs = io::read_all(&args.input.files)?;
    let single = inputs.len() == 1;
    for input in inputs {
        match load::load(input, &args.input.reading, Likely::Bytes, ctx) {
            Ok(loaded) => all.push(info(&loaded, &args.lifting)),
            Err(Failure::Shader) => bad = true,
            Err(other) => return Err(other),
        }
    }
    let value = match (single, all.pop()) {
        (true, None) => return Err(Failure::Shader),
        (true, Some(one)) => one,
        (false, last) => {
            all.extend(last);
            Value::Array(all)
        }
    };
    Sink::new(&args.output).write("info.json", &Payload::Text(format!("{value:#}\n")))?;
    if bad { Err(Failure::Shader) } else { Ok(()) }
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
    let mut value = json!({
        "file": loaded.input.name,
        "isa": program.isa().name(),
        "stage": program.stage(),
        "version": program.version(),
        "bytes": program.encode().len(),
        "instructions": program.instruction_count(),
        "opcodes": counts,
        "interface": lifted.as_ref().map_or(Value::Null, reflect::interface),
        "problem": lifted.as_ref().err().map_or(Value::Null, |finding| json!(finding.to_string())),
    });
    if let (Some(object), Value::Object(more)) = (value.as_object_mut(), registers(program)) {
        object.extend(more);
    }
    value
}

/// The registers of a program, file by file, each with the lanes that are used.
fn registers(program: &AnyProgram) -> Value {
    match program {
        AnyProgram::Agal(program) => agal_registers(program),
        AnyProgram::Nv2a(program) => nv2a_registers(program),
        _ => Value::Null,
    }
}

/// What the slots of a program for the NV2A read and write.
fn nv2a_registers(program: &nv2a::Program) -> Value {
    let usage = nv2a::rules::describe(program);
    let used = |masks: &BTreeMap<u32, WriteMask>| {
        let map = masks.iter().map(|(n, mask)| (n.to_string(), json!(mask.letters())));
        Value::Object(map.collect())
    };
    let outputs = usage.outputs.iter().map(|(n, mask)| {
        let name = nv2a::table::output(*n).map_or_else(|| format!("o{n}"), |named| named.short.to_string());
        (name, json!(mask.letters()))
    });
    json!({
        "registers": {
            "attributes": used(&usage.attributes),
            "constants": used(&usage.constants),
            "constants_written": used(&usage.constants_written),
            "temporaries": used(&usage.temporaries),
            "outputs": Value::Object(outputs.collect()),
        },
        "slots": {
            "all": program.slots.len(),
            "paired": usage.paired,
            "free": nv2a::table::SLOTS.saturating_sub(program.slots.len()),
        },
        "temporaries_live": usage.live,
        "relative": usage.relative,
    })
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
