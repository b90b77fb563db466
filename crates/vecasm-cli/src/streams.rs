//! What there is to say about a token stream of Direct3D.

use serde_json::{Value, json};
use vecasm::isa::d3d9::ctab::{self, Constant, RegisterSet, Type};
use vecasm::isa::d3d9::interface::{ConstantUse, Port, SamplerUse, interface};
use vecasm::isa::d3d9::preshader::{self, Preshader, Style};
use vecasm::isa::d3d9::registers::SAMPLER_KINDS;
use vecasm::isa::d3d9::rules::slot_counts;
use vecasm::isa::d3d9::{Program, text};

/// The model of a program, its comments, and its table of constants.
pub(crate) fn facts(program: &Program) -> Value {
    let comment = |words: &[u32]| -> Value {
        let name = words.first().map(|word| word.to_le_bytes());
        let name = name.filter(|name| name.iter().all(u8::is_ascii_alphanumeric));
        let name = name.map(|name| name.iter().map(|b| char::from(*b)).collect::<String>());
        json!({ "name": name, "words": words.len() })
    };
    let table = ctab::of(program).0.map(|table| {
        json!({
            "creator": table.creator,
            "target": table.target,
            "constants": table.constants.iter().map(constant).collect::<Vec<_>>(),
        })
    });
    let ports = |ports: &[Port]| -> Vec<Value> { ports.iter().map(|it| port(program, it)).collect() };
    let found = interface(program);
    let slots = slot_counts(program);
    json!({
        "inputs": ports(&found.inputs),
        "outputs": ports(&found.outputs),
        "samplers": found.samplers.iter().map(sampler).collect::<Vec<_>>(),
        "registers": {
            "temporaries": found.temporaries,
            "floats": constants_used(&found.floats),
            "ints": constants_used(&found.ints),
            "bools": constants_used(&found.bools),
        },
        "slots": { "arithmetic": slots.arithmetic, "texture": slots.texture, "total": slots.total() },
        "model": text::version_name(program.version()),
        "end": program.has_end(),
        "comments": program.comments().map(comment).collect::<Vec<_>>(),
        "constant_table": table,
        "preshader": preshader::of(program).0.as_ref().map(preshader_facts),
    })
}

/// An input or output.
fn port(program: &Program, port: &Port) -> Value {
    json!({
        "register": port.register(program.version()),
        "usage": port.usage_name(),
        "index": port.index,
        "mask": port.lanes.letters(),
        "declared": port.declared,
        "used": port.used,
    })
}

fn sampler(sampler: &SamplerUse) -> Value {
    let kind = SAMPLER_KINDS.iter().find(|row| row.0 == sampler.kind).map(|row| row.1);
    json!({ "slot": sampler.number, "kind": kind, "used": sampler.used, "bump": sampler.bump })
}

fn constants_used(constants: &ConstantUse) -> Value {
    json!({ "read": constants.read, "defined": constants.defined, "indexed": constants.indexed })
}

/// What a preshader reads, writes and does.
fn preshader_facts(found: &Preshader) -> Value {
    let listing = preshader::print(found, Style::Listing, "");
    let lines = listing.lines().skip(1).filter(|line| !line.is_empty() && !line.starts_with("//"));
    let written = found.written();
    let written = written.iter().map(|(file, n)| format!("{}{n}", file.letters().trim_start_matches('o')));
    let constants =
        found.table().0.map_or(Vec::new(), |table| table.constants.iter().map(constant).collect());
    json!({
        "constants": constants,
        "outputs": written.collect::<Vec<_>>(),
        "temporaries": found.temporaries().div_ceil(4),
        "instructions": lines.collect::<Vec<_>>(),
    })
}

fn constant(constant: &Constant) -> Value {
    let set = constant.register_set();
    let mut value = typed(&constant.name, &constant.ty);
    if let Some(object) = value.as_object_mut() {
        let register = set.map(|set| format!("{}{}", set.letter(), constant.index));
        object.insert("register".into(), json!(register));
        object.insert("registers".into(), json!(constant.count));
        let float = set == Some(RegisterSet::Float4);
        let number = |word: &u32| if float { json!(f32::from_bits(*word)) } else { json!(*word as i32) };
        let default = constant.default.as_ref().map(|words| words.iter().map(number).collect::<Vec<_>>());
        object.insert("default".into(), json!(default));
    }
    value
}

fn typed(name: &str, ty: &Type) -> Value {
    json!({
        "name": name,
        "class": ty.class_name(),
        "type": ty.kind_name(),
        "rows": ty.rows,
        "columns": ty.columns,
        "elements": ty.elements,
        "members": ty.members.iter().map(|member| typed(&member.name, &member.ty)).collect::<Vec<_>>(),
    })
}
