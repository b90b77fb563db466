//! Run files and results as text.

use super::RunFile;
use crate::diag::push_json_string;
use crate::exec::Outputs;
use crate::exec::texture::Texture;
use crate::ir::{Dim, SamplerState, Scalar, Shader};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

/// The results of a run as JSON: `outputs` has an object an invocation with the bits of every output register that
/// the program writes, `killed` and `exhausted` a truth value an invocation.
pub fn results_json(shader: &Shader, outputs: &Outputs) -> String {
    let mut out = String::from("{\n  \"outputs\": [");
    for i in 0..outputs.killed.len() {
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
    out.push_str(if outputs.killed.is_empty() { "]" } else { "\n  ]" });
    flags(&mut out, "killed", &outputs.killed);
    flags(&mut out, "exhausted", &outputs.exhausted);
    out.push_str("\n}\n");
    out
}

/// The results of a run, one line an invocation: each output register's name and the bits of its four lanes, eight
/// hexadecimal digits each, then `killed` and `exhausted` where they hold, all separated by blanks.
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
        if out.len() > start {
            out.remove(start);
        }
        out.push('\n');
    }
    out
}

/// Writes a run file that reads back the same.
pub(super) fn run_file(file: &RunFile, shader: &Shader) -> String {
    let mut sections = Vec::new();
    let elements = shader.params.iter().zip(&file.params).flat_map(|(array, elements)| {
        let name = |index| format!("{}{index}", array.name);
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
    sections.push(("inputs", format!("[{}\n  ]", invocations.collect::<Vec<_>>().join(","))));
    let bound = || {
        let bound = shader.textures.iter().zip(&file.textures);
        bound.filter_map(|(wanted, bound)| bound.as_ref().map(|(texture, state)| (wanted, texture, state)))
    };
    let textures = bound().map(|(wanted, texture, _)| (wanted.name.clone(), texels(texture)));
    sections.push(("textures", object(textures, "\n    ")));
    let free = bound().filter(|(wanted, ..)| wanted.sampler.is_none());
    sections.push(("state", object(free.map(|(wanted, _, s)| (wanted.name.clone(), state(s))), "\n    ")));
    if let Some(fuel) = file.fuel {
        sections.push(("fuel", fuel.to_string()));
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

/// A list of lanes: numbers where reading them gives the same bits, else bits.
fn lanes(bits: &[u32], scalar: Scalar) -> String {
    let lane = |&bits: &u32| {
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
    };
    format!("[{}]", bits.iter().map(lane).collect::<Vec<_>>().join(", "))
}

/// A texture in bytes; texels between two bytes become the nearer one.
fn texels(texture: &Texture) -> String {
    let [width, height, depth] = texture.size(0).unwrap_or([1; 3]);
    let kind = texture.dim().name();
    let mut out = format!("{{\"kind\": \"{kind}\", \"width\": {width}, \"height\": {height}, ");
    if texture.dim() == Dim::D3 {
        let _ = write!(out, "\"depth\": {depth}, ");
    }
    out.push_str("\"levels\": [");
    for level in 0..texture.level_count() {
        out.push_str(if level > 0 { ", [" } else { "[" });
        for (i, texel) in texture.texels(level).iter().enumerate() {
            for (k, value) in texel.iter().enumerate() {
                // Out of range saturates.
                let byte = (f32::from_bits(*value) * 255.0 + 0.5) as u8;
                let _ = write!(out, "{}{byte}", if i + k > 0 { "," } else { "" });
            }
        }
        out.push(']');
    }
    out.push_str("]}");
    out
}

fn state(state: &SamplerState) -> String {
    format!(
        "{{\"wrap_u\": \"{}\", \"wrap_v\": \"{}\", \"wrap_w\": \"{}\", \"filter\": \"{}\", \"mip\": \"{}\", \
         \"anisotropy\": {}}}",
        state.wrap_u.name(),
        state.wrap_v.name(),
        state.wrap_w.name(),
        state.min.name(),
        state.mip.name(),
        state.anisotropy
    )
}
