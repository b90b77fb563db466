//! The words of reflection: what a shader reads and writes, as JSON.

use serde_json::{Value, json};
use vecasm::ir::{self, OutputKind, SamplerState, Shader};
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

/// An input or output: its name, its kind, and the number of the kind under the name that it has there.
fn kind(name: &str, kind: &str, number: Option<(&str, u32)>) -> Value {
    let mut value = json!({ "name": name, "kind": kind });
    if let (Some((field, number)), Some(map)) = (number, value.as_object_mut()) {
        map.insert(field.into(), number.into());
    }
    value
}

/// What a shader reads and writes.
pub(crate) fn interface(shader: &Shader) -> Value {
    let inputs: Vec<Value> = shader
        .inputs
        .iter()
        .map(|input| {
            let field = "location";
            kind(&input.name, input.kind.name(), input.kind.number().map(|n| (field, n)))
        })
        .collect();
    let outputs: Vec<Value> = shader
        .outputs
        .iter()
        .map(|output| {
            let field = match output.kind {
                OutputKind::Color { .. } | OutputKind::SecondColor { .. } => "target",
                OutputKind::ClipDistance { .. } | OutputKind::CullDistance { .. } => "index",
                _ => "location",
            };
            kind(&output.name, output.kind.name(), output.kind.number().map(|n| (field, n)))
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
    let mut out = json!({
        "inputs": inputs, "outputs": outputs, "constants": constants, "samplers": samplers,
    });
    // Most shaders have none of these.
    if !shader.buffers.is_empty() {
        let buffer = |buffer: &ir::Buffer| json!({ "name": buffer.name, "slot": buffer.slot, "kind": buffer.kind.name(), "write": buffer.write });
        out["buffers"] = shader.buffers.iter().map(buffer).collect();
    }
    if !shader.images.is_empty() {
        let image = |image: &ir::Image| {
            json!({
                "name": image.name,
                "slot": image.slot,
                "dim": image.dim.name(),
                "format": image.format.name(),
                "read": image.read,
                "write": image.write,
            })
        };
        out["images"] = shader.images.iter().map(image).collect();
    }
    if shader.stage == ir::Stage::Compute {
        out["workgroup"] = json!(shader.setup.workgroup);
        out["shared_bytes"] = json!(shader.setup.shared);
    }
    out
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
