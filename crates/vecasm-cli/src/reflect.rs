//! The words of reflection: what a shader reads and writes, as JSON.

use serde_json::{Value, json};
use vecasm::ir::{InputKind, OutputKind, SamplerState, Shader};
use vecasm::isa::agal;

/// The state of a sampler; `null` where the program leaves it to the runtime.
pub(crate) fn sampler(state: Option<SamplerState>) -> Value {
    state.map_or(Value::Null, |s| {
        json!({
            "wrap_u": s.wrap_u.name(),
            "wrap_v": s.wrap_v.name(),
            "filter": s.min.name(),
            "mip": s.mip.name(),
            "anisotropy": s.anisotropy,
        })
    })
}

/// What a shader reads and writes.
pub(crate) fn interface(shader: &Shader) -> Value {
    let inputs: Vec<Value> = shader
        .inputs
        .iter()
        .map(|input| match input.kind {
            InputKind::Attribute { location } => {
                json!({ "name": input.name, "kind": "attribute", "location": location })
            }
            InputKind::Varying { location } => {
                json!({ "name": input.name, "kind": "varying", "location": location })
            }
            InputKind::InstanceIndex => json!({ "name": input.name, "kind": "instance-index" }),
        })
        .collect();
    let outputs: Vec<Value> = shader
        .outputs
        .iter()
        .map(|output| match output.kind {
            OutputKind::Position => json!({ "name": output.name, "kind": "position" }),
            OutputKind::Varying { location } => {
                json!({ "name": output.name, "kind": "varying", "location": location })
            }
            OutputKind::Color { target } => json!({ "name": output.name, "kind": "color", "target": target }),
            OutputKind::Depth => json!({ "name": output.name, "kind": "depth" }),
        })
        .collect();
    let constants: Vec<Value> = shader
        .params
        .iter()
        .map(|array| {
            json!({
                "name": array.name,
                "size": array.size,
                "used": if array.indexed { array.size } else { array.used },
                "indexed": array.indexed,
            })
        })
        .collect();
    let samplers: Vec<Value> = shader
        .textures
        .iter()
        .map(|texture| {
            json!({
                "name": texture.name,
                "slot": texture.slot,
                "dim": texture.dim.name(),
                "state": sampler(texture.sampler),
            })
        })
        .collect();
    json!({ "inputs": inputs, "outputs": outputs, "constants": constants, "samplers": samplers })
}

/// The sampler operand of an AGAL instruction; `null` stands for values that have no name.
pub(crate) fn agal_sampler(sampler: agal::program::Sampler) -> Value {
    let ([dim, filter, mip, wrap, format], flags) = agal::text::sampler_words(sampler);
    json!({
        "slot": sampler.number(),
        "dim": dim,
        "filter": filter,
        "mip": mip,
        "wrap": wrap,
        "format": format,
        "bias": f64::from(sampler.bias_eighths()) / 8.0,
        "flags": flags,
    })
}
