//! Run files and results as text.

use super::{RunFile, memory};
use crate::diag::push_json_string;
use crate::exec::Outputs;
use crate::exec::texture::Texture;
use crate::ir::{Dim, Op, ParamId, SamplerState, Scalar, Shader, Stage};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// The results of a run as JSON: `outputs` has an object an invocation with the bits of every output register that
/// the program writes, `killed` and `exhausted` a truth value an invocation. Where invocations run one after another and
/// write constants, `constants` has what those hold after the run. `buffers` and `images` have the words that those hold
/// after the run (of a compute shader there is nothing else), and `divergent_barriers` the barriers to which not all invocations of a group came: the group's first
/// invocation, and the number of the instruction.
pub fn results_json(shader: &Shader, outputs: &Outputs) -> String {
    let mut out = String::from("{\n  \"outputs\": [");
    // Programs that have none are for what they leave in memory.
    let count = if shader.stage == Stage::Compute { 0 } else { outputs.killed.len() };
    for i in 0..count {
        out.push_str(if i == 0 { "\n    {" } else { ",\n    {" });
        for (k, (cell, output)) in outputs.cells.iter().zip(&shader.outputs).enumerate() {
            if k > 0 {
                out.push_str(", ");
            }
            push_json_string(&mut out, &output.name);
            let [x, y, z, w] = cell.get(i).copied().unwrap_or_default();
            let _ = write!(out, ": [\"0x{x:08x}\", \"0x{y:08x}\", \"0x{z:08x}\", \"0x{w:08x}\"]");
        }
        out.push('}');
    }
    let flags = |out: &mut String, name: &str, flags: &[bool]| {
        let _ = write!(out, ",\n  \"{name}\": [");
        for (i, flag) in flags.iter().enumerate() {
            let _ = write!(out, "{}{flag}", if i > 0 { ", " } else { "" });
        }
        out.push(']');
    };
    out.push_str(if count == 0 { "]" } else { "\n  ]" });
    flags(&mut out, "killed", &outputs.killed);
    flags(&mut out, "exhausted", &outputs.exhausted);
    let constants = written_constants(shader, outputs);
    if !constants.is_empty() {
        out.push_str(",\n  \"constants\": {");
        for (k, (name, [x, y, z, w])) in constants.iter().enumerate() {
            out.push_str(if k == 0 { "\n    " } else { ",\n    " });
            push_json_string(&mut out, name);
            let _ = write!(out, ": [\"0x{x:08x}\", \"0x{y:08x}\", \"0x{z:08x}\", \"0x{w:08x}\"]");
        }
        out.push_str("\n  }");
    }
    memory::results_json(shader, outputs, &mut out);
    out.push_str("\n}\n");
    out
}

/// The names and the final bits of the constants that a serial shader writes, in order.
fn written_constants(shader: &Shader, outputs: &Outputs) -> Vec<(String, [u32; 4])> {
    let mut written: Vec<(u32, u32)> = Vec::new();
    shader.body.for_each_inst(&mut |inst| match inst.op {
        Op::StoreParam { array, index, .. } => written.push((array.0, index)),
        Op::StoreParamAt { array, .. } => {
            let size = shader.params.get(array.index()).map_or(0, |p| p.size);
            written.extend((0..size).map(|index| (array.0, index)));
        }
        _ => {}
    });
    written.sort_unstable();
    written.dedup();
    let value = |(array, index): (u32, u32)| {
        let bits = outputs.params.get(array as usize)?.get(index as usize)?;
        Some((shader.param_name(ParamId(array), index), *bits))
    };
    written.into_iter().filter_map(value).collect()
}

/// The results of a run, one line an invocation: each output register's name and the bits of its four lanes, eight
/// hexadecimal digits each, then `killed` and `exhausted` where they hold, all separated by blanks; of a compute shader a
/// line `invocation N exhausted` where that holds. Where invocations
/// run one after another and write constants, a last line has what those hold after the run. Then comes a line for each
/// buffer and image with the words that it holds after the run, and one for each barrier to which not all came.
pub fn results_hex(shader: &Shader, outputs: &Outputs) -> String {
    let mut out = String::new();
    for i in 0..outputs.killed.len() {
        let start = out.len();
        for (cell, output) in outputs.cells.iter().zip(&shader.outputs) {
            let [x, y, z, w] = cell.get(i).copied().unwrap_or_default();
            let _ = write!(out, " {} {x:08x} {y:08x} {z:08x} {w:08x}", output.name);
        }
        for (name, flags) in [("killed", &outputs.killed), ("exhausted", &outputs.exhausted)] {
            if flags.get(i).copied().unwrap_or_default() {
                let _ = write!(out, " {name}");
            }
        }
        if shader.stage == Stage::Compute {
            if out.len() > start {
                out.insert_str(start, &format!("invocation {i}"));
                out.push('\n');
            }
            continue;
        }
        if out.len() > start {
            out.remove(start);
        }
        out.push('\n');
    }
    let constants = written_constants(shader, outputs);
    if !constants.is_empty() {
        let list =
            constants.iter().map(|(name, [x, y, z, w])| format!("{name} {x:08x} {y:08x} {z:08x} {w:08x}"));
        out.push_str(&list.collect::<Vec<String>>().join(" "));
        out.push('\n');
    }
    memory::results_hex(shader, outputs, &mut out);
    out
}

/// Writes a run file that reads back the same.
pub(super) fn run_file(file: &RunFile, shader: &Shader) -> String {
    let mut sections = Vec::new();
    let elements = file.params.iter().take(shader.params.len()).enumerate().flat_map(|(array, elements)| {
        let name = move |index: usize| shader.param_name(ParamId(array as u32), index as u32);
        elements.iter().enumerate().map(move |(index, bits)| (name(index), lanes(bits, Scalar::F32)))
    });
    sections.push(("constants", object(elements, "\n    ")));
    let invocations = (0..file.count).map(|i| {
        let members = shader.inputs.iter().zip(&file.inputs).filter_map(|(input, list)| {
            let bits = list.get(i)?.get(..usize::from(input.ty.lanes))?;
            Some((input.name.clone(), lanes(bits, input.ty.scalar)))
        });
        format!("\n    {}", object(members, ""))
    });
    // A grid says how many there are.
    if file.grid == [0; 3] || file.inputs.iter().any(|list| !list.is_empty()) {
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
    sections.extend(memory::sections(file, shader));
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

/// A list of lanes.
pub(super) fn lanes(bits: &[u32], scalar: Scalar) -> String {
    format!("[{}]", bits.iter().map(|&bits| lane(bits, scalar)).collect::<Vec<_>>().join(", "))
}

/// A lane: a number where reading it gives the same bits, else bits.
fn lane(bits: u32, scalar: Scalar) -> String {
    let text = match scalar {
        Scalar::F32 => format!("{:?}", f32::from_bits(bits)),
        Scalar::I32 => (bits as i32).to_string(),
        Scalar::U32 => bits.to_string(),
        _ => String::new(),
    };
    // As it is read: first to f64.
    let same = match scalar {
        Scalar::F32 => text.parse::<f64>().is_ok_and(|v| v.is_finite() && (v as f32).to_bits() == bits),
        _ => !text.is_empty(),
    };
    if same { text } else { format!("\"0x{bits:08x}\"") }
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
        members.push(("model", text(state.model.name())));
    }
    object(members.into_iter().map(|(key, value)| (key.to_string(), value)), "")
}
