//! What the host must bind, as JSON.

use serde_json::Value;
use vecasm::Translation;
use vecasm::emit::options::Constant;
use vecasm::emit::wgsl::{self, BindingKind};
use vecasm::emit::{glsl, hlsl, msl, spirv};
use vecasm::reflect::SamplerWords;

/// What the host has to bind for a translation.
pub(super) fn of(translation: &Translation) -> Value {
    match translation {
        Translation::Wgsl(output) => modules(&output.bindings, &output.constants),
        Translation::Spirv(output) => spirv(output),
        Translation::Glsl(output) => glsl(output),
        Translation::Hlsl(output) => hlsl(output),
        Translation::Msl(output) => msl(output),
        _ => Value::Null,
    }
}

/// What the host has to bind.
fn spirv(output: &spirv::Output) -> Value {
    let mut all = modules(&output.bindings, &output.constants);
    if let (Some(all), false) = (all.as_object_mut(), output.specs.is_empty()) {
        let specs = output.specs.iter().map(|spec| {
            serde_json::json!({
                "id": spec.number, "name": spec.name, "lane": spec.lane, "scalar": spec.scalar.name(),
                "default": spec.default,
            })
        });
        all.insert("specialization".into(), specs.collect());
    }
    if let (Some(all), false) = (all.as_object_mut(), output.push.is_empty()) {
        let push = output.push.iter().map(|array| {
            serde_json::json!({
                "name": array.name, "offset": array.offset, "elements": array.elements,
                "scalar": array.scalar.name(),
            })
        });
        all.insert("push".into(), push.collect());
    }
    all
}

/// What the host has to bind.
fn glsl(output: &glsl::Output) -> Value {
    let all = output.bindings.iter().map(|b| {
        let at = serde_json::json!({ "stage": b.stage.name(), "name": b.name, "binding": b.binding });
        bound(at, b.kind)
    });
    with_constants(serde_json::json!({ "bindings": all.collect::<Vec<_>>() }), &output.constants)
}

/// What the host has to bind.
fn hlsl(output: &hlsl::Output) -> Value {
    let all = output.bindings.iter().map(|b| {
        let register = format!("{}{}", b.class, b.number);
        let at = serde_json::json!({
            "stage": b.stage.name(), "name": b.name, "register": register, "space": b.space,
        });
        bound(at, b.kind)
    });
    with_constants(serde_json::json!({ "bindings": all.collect::<Vec<_>>() }), &output.constants)
}

/// What the host has to bind.
fn msl(output: &msl::Output) -> Value {
    let all = output.bindings.iter().map(|b| {
        let at = serde_json::json!({
            "stage": b.stage.name(), "name": b.name, "table": b.table(), "index": b.index,
        });
        bound(at, b.kind)
    });
    let bindings: Vec<_> = all.collect();
    let all = serde_json::json!({ "entry": output.entry, "threads": output.threads, "bindings": bindings });
    with_constants(all, &output.constants)
}

/// What the host has to bind, of WGSL and SPIR-V.
fn modules(bindings: &[wgsl::Binding], constants: &[Constant]) -> Value {
    let all = bindings.iter().map(|b| {
        let at = serde_json::json!({
            "stage": b.stage.name(), "group": b.group, "binding": b.binding, "name": b.name,
        });
        bound(at, b.kind)
    });
    with_constants(serde_json::json!({ "bindings": all.collect::<Vec<_>>() }), constants)
}

/// A layout with the constants that the program names, if it does.
fn with_constants(mut layout: Value, constants: &[Constant]) -> Value {
    if let (Some(layout), false) = (layout.as_object_mut(), constants.is_empty()) {
        let all = constants.iter().map(|c| {
            let symbol = (!c.symbol.is_empty()).then_some(&c.symbol);
            serde_json::json!({
                "stage": c.stage.name(), "symbol": symbol, "name": c.name, "binding": c.binding,
                "register": c.register, "first": c.first, "count": c.count,
            })
        });
        layout.insert("constants".into(), all.collect());
    }
    layout
}

/// One thing that the host has to bind: where, which each target says in its own way, and what.
fn bound(at: Value, kind: BindingKind) -> Value {
    let what = match kind {
        BindingKind::Constants { elements, space, scalar } => serde_json::json!({
            "kind": "constants",
            "elements": elements,
            "scalar": scalar.name(),
            "space": match space {
                wgsl::Space::Uniform => "uniform",
                wgsl::Space::Storage => "storage",
            },
        }),
        BindingKind::States { count } => serde_json::json!({ "kind": "states", "count": count }),
        BindingKind::State { number, ty } => serde_json::json!({
            "kind": "state", "number": number, "scalar": ty.scalar.name(), "lanes": ty.lanes,
        }),
        BindingKind::Attribute { location } => serde_json::json!({
            "kind": "attribute", "location": location,
        }),
        BindingKind::Color { target } => serde_json::json!({ "kind": "color", "target": target }),
        BindingKind::Draw => serde_json::json!({ "kind": "draw" }),
        BindingKind::Buffer { slot, of, write, atomic } => serde_json::json!({
            "kind": "buffer", "slot": slot, "of": of.name(), "write": write, "atomic": atomic,
        }),
        BindingKind::Words { count } => serde_json::json!({ "kind": "words", "count": count }),
        BindingKind::Image { slot, dim, format, read, write } => serde_json::json!({
            "kind": "image", "slot": slot, "dim": dim.name(), "format": format.name(),
            "read": read, "write": write,
        }),
        BindingKind::Texture { slot, dim, of, scalar, compare } => serde_json::json!({
            "kind": "texture", "slot": slot, "dim": dim.name(), "of": of.name(), "scalar": scalar.name(),
            "compare": compare,
        }),
        BindingKind::Sampler { slot, state, compare, normalized } => serde_json::json!({
            "kind": "sampler", "slot": slot, "state": state.map(SamplerWords::from), "compare": compare,
            "normalized": normalized,
        }),
        BindingKind::Combined { slot, sampler_slot, dim, of, scalar, compare, state } => serde_json::json!({
            "kind": "combined", "slot": slot, "sampler_slot": sampler_slot, "dim": dim.name(),
            "of": of.name(), "scalar": scalar.name(), "compare": compare, "state": state.map(SamplerWords::from),
        }),
    };
    let mut object = at;
    if let (Some(object), Value::Object(what)) = (object.as_object_mut(), what) {
        object.extend(what);
    }
    object
}
