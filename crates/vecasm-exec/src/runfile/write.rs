//! From a [`RunFile`] to JSON.

use super::RunFile;
use super::resources;
use super::vertices::{Owner, list_of, owner};
use crate::json::lanes::{lane, lanes};
use crate::texture::Texture;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;
use vecasm_ir::diag::push_json_string;
use vecasm_ir::ir::{Dim, ParamId, SamplerState, Scalar, Shader, Stage};

/// Writes a run file that reads back the same.
pub(super) fn run_file(file: &RunFile, shader: &Shader, kept: impl Fn(usize, u32) -> bool) -> String {
    let mut sections = Vec::new();
    let kept = &kept;
    let elements = file.params.iter().take(shader.params.len()).enumerate().flat_map(|(array, elements)| {
        let name = move |index: usize| shader.param_name(ParamId(array as u32), index as u32);
        // Arrays of words hold the bits of numbers.
        let scalar = match shader.params.get(array).map(|array| array.scalar) {
            Some(scalar @ (Scalar::I32 | Scalar::Bool)) => scalar,
            _ => Scalar::F32,
        };
        let kept = elements.iter().enumerate().filter(move |(index, _)| kept(array, *index as u32));
        kept.map(move |(index, bits)| (name(index), lanes(bits, scalar)))
    });
    sections.push(("constants", object(elements, "\n    ")));
    let members = |of: Option<Owner>, i: usize| {
        let inputs = shader.inputs.iter().zip(&file.inputs);
        let inputs = inputs.filter(move |(input, _)| of.is_none_or(|of| owner(input) == of));
        inputs.filter_map(move |(input, list)| {
            let bits = list.get(i)?.get(..usize::from(input.ty.lanes))?;
            Some((input.name.clone(), lanes(bits, input.ty.scalar)))
        })
    };
    if let Some(key) = list_of(shader.stage) {
        let (count, size) = primitives_of(file, shader);
        let primitives = (0..count).map(|n| {
            let vertices = (n * size..n * size + size).map(|v| object(members(Some(Owner::Vertex), v), ""));
            let vertices = format!("[{}]", vertices.collect::<Vec<_>>().join(", "));
            let all = core::iter::once(("vertices".to_string(), vertices));
            format!("\n    {}", object(all.chain(members(Some(Owner::Primitive), n)), ""))
        });
        sections.push((key, format!("[{}\n  ]", primitives.collect::<Vec<_>>().join(","))));
    }
    let invocations = (0..file.count).map(|i| match shader.stage {
        Stage::TessEval => {
            let patch = file.primitives.get(i).copied().unwrap_or(0);
            let all = core::iter::once(("patch".to_string(), patch.to_string()));
            format!("\n    {}", object(all.chain(members(Some(Owner::Invocation), i)), ""))
        }
        _ => format!("\n    {}", object(members(None, i), "")),
    });
    // A grid says how many there are.
    let given = file.grid == [0; 3] || file.inputs.iter().any(|list| !list.is_empty());
    if given && !matches!(shader.stage, Stage::Geometry | Stage::TessControl) {
        sections.push(("inputs", format!("[{}\n  ]", invocations.collect::<Vec<_>>().join(","))));
    }
    let bound = || {
        let bound = shader.textures.iter().zip(&file.textures);
        bound.filter_map(|(wanted, bound)| bound.as_ref().map(|(texture, state)| (wanted, texture, state)))
    };
    let textures = bound().map(|(wanted, texture, _)| (wanted.name.clone(), texels(texture)));
    sections.push(("textures", object(textures, "\n    ")));
    let free = bound().filter(|(wanted, ..)| wanted.sampler.is_none());
    sections.push((
        "state",
        object(free.map(|(wanted, _, s)| (wanted.name.clone(), state(s, wanted.scalar))), "\n    "),
    ));
    let states = shader.states.iter().zip(&file.states).filter_map(|(state, bits)| {
        let bits = bits.as_ref()?.get(..usize::from(state.ty.lanes))?;
        Some((state.name.clone(), lanes(bits, state.ty.scalar)))
    });
    sections.push(("states", object(states, "\n    ")));
    sections.extend(resources::sections(file, shader));
    if let Some(fuel) = file.fuel {
        sections.push(("fuel", fuel.to_string()));
    }
    if !file.helpers.is_empty() {
        let flags: Vec<String> =
            (0..file.count).map(|i| file.helpers.get(i).copied().unwrap_or_default().to_string()).collect();
        sections.push(("helpers", format!("[{}]", flags.join(", "))));
    }
    let sections = sections.into_iter().filter(|(_, text)| text != "{}");
    object(sections.map(|(key, text)| (key.to_string(), text)), "\n  ") + "\n"
}

/// How many primitives or patches there are, and vertices of each.
fn primitives_of(file: &RunFile, shader: &Shader) -> (usize, usize) {
    let size = match shader.setup.vertices_in {
        0 => file.vertices_in.max(1),
        n => n,
    };
    let size = size as usize;
    if shader.stage != Stage::TessEval {
        return (file.count / shader.setup.invocations.max(1) as usize, size);
    }
    let lists = shader.inputs.iter().zip(&file.inputs).map(|(input, list)| match owner(input) {
        Owner::Vertex => list.len() / size,
        Owner::Primitive => list.len(),
        _ => 0,
    });
    let named = file.primitives.iter().map(|&patch| patch as usize + 1).max().unwrap_or(1);
    (lists.max().unwrap_or(0).max(named.min(file.count)), size)
}

/// An object, with `line` in front of each member; if that is a line break, the object ends on its own line.
fn object(members: impl Iterator<Item = (String, String)>, line: &str) -> String {
    let mut out = String::from("{");
    for (key, value) in members {
        if out.len() > 1 {
            out.push_str(if line.is_empty() { ", " } else { "," });
        }
        out.push_str(line);
        push_json_string(&mut out, &key);
        out.push_str(": ");
        out.push_str(&value);
    }
    if out.len() > 1 {
        out.push_str(line.get(..line.len().saturating_sub(2)).unwrap_or(""));
    }
    out.push('}');
    out
}

/// The byte of which 255 is 1 that a number is, if it is one.
fn byte(bits: u32) -> Option<u8> {
    let byte = (f32::from_bits(bits) * 255.0 + 0.5) as u8;
    ((f32::from(byte) / 255.0).to_bits() == bits).then_some(byte)
}

/// A texture, in bytes if its texels are.
fn texels(texture: &Texture) -> String {
    let [width, height, depth] = texture.size(0).unwrap_or([1; 3]);
    let mut out = format!("{{\"kind\": \"{}\", \"width\": {width}", texture.dim().name());
    let sides =
        [("height", height), ("depth", depth), ("layers", texture.layers()), ("samples", texture.samples())];
    let dim = texture.dim();
    let needed = [dim.axes() > 1, dim == Dim::D3, dim.arrayed(), dim.multisampled()];
    for ((key, side), _) in sides.into_iter().zip(needed).filter(|(_, needed)| *needed) {
        let _ = write!(out, ", \"{key}\": {side}");
    }
    let levels = || (0..texture.level_count()).map(|level| texture.texels(level));
    let bytes =
        texture.scalar() == Scalar::F32 && levels().flatten().flatten().all(|&bits| byte(bits).is_some());
    let each: Vec<String> = levels()
        .map(|texels| {
            let mut out = String::new();
            for texel in texels {
                if !out.is_empty() {
                    out.push(',');
                }
                if bytes {
                    let [r, g, b, a] = texel.map(|bits| byte(bits).unwrap_or(0));
                    let _ = write!(out, "{r},{g},{b},{a}");
                } else {
                    out.push_str(&lanes(texel, texture.scalar()));
                }
            }
            format!("[{out}]")
        })
        .collect();
    let key = if bytes { "levels" } else { "texels" };
    let _ = write!(out, ", \"{key}\": [{}]}}", each.join(", "));
    out
}

/// Writes the state of a sampler of floats.
pub(super) fn write_sampler(sampler: &SamplerState) -> String {
    state(sampler, Scalar::F32)
}

/// The state of a sampler, for texels of type `scalar`; what is as in [`SamplerState::PLAIN`] may be left out.
fn state(state: &SamplerState, scalar: Scalar) -> String {
    let text = |word: &str| format!("\"{word}\"");
    let mut members = vec![
        ("wrap_u", text(state.wrap_u.name())),
        ("wrap_v", text(state.wrap_v.name())),
        ("wrap_w", text(state.wrap_w.name())),
    ];
    if state.mag == state.min {
        members.push(("filter", text(state.min.name())));
    } else {
        members.extend([("mag", text(state.mag.name())), ("min", text(state.min.name()))]);
    }
    members.push(("mip", text(state.mip.name())));
    members.push(("anisotropy", state.anisotropy.to_string()));
    let plain = SamplerState::PLAIN;
    if state.border != plain.border {
        members.push(("border", lanes(&state.border, scalar)));
    }
    for (key, value, usual) in [
        ("bias", state.lod_bias, plain.lod_bias),
        ("min_lod", state.min_lod, plain.min_lod),
        ("max_lod", state.max_lod, plain.max_lod),
    ] {
        if value != usual {
            members.push((key, lane(value.0, Scalar::F32)));
        }
    }
    if let Some(compare) = state.compare {
        members.push(("compare", text(compare.name())));
    }
    if state.seamless {
        members.push(("seamless", "true".to_string()));
    }
    if state.model != plain.model {
        let words: Vec<String> = state.model.words().map(text).collect();
        let model = words.join(", ");
        members.push(("model", if words.len() == 1 { model } else { format!("[{model}]") }));
    }
    object(members.into_iter().map(|(key, value)| (key.to_string(), value)), "")
}
