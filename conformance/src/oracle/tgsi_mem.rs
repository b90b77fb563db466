//! Memory of TGSI: the recorded runs on buffers, images and what a workgroup shares, as softpipe did them; and what such
//! runs bind and leave behind, for all the other checks.

use super::{File, bits, tgsi_exec};
use serde_json::Value;
use std::path::Path;
use vecasm::exec::image::Image;
use vecasm::exec::texture::Extent;
use vecasm::exec::{Batch, Outputs};
use vecasm::ir::{Channel, Format, Shader, Stage};
use vecasm::isa::tgsi::names::Target;

/// Every row of the recorded runs.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    vec![tgsi_exec::cases(shared, "oracle/tgsi/exec_mem.jsonl")]
}

/// How much a workgroup shares.
pub(super) fn shared_bytes(row: &Value) -> Option<u32> {
    row.get("shared_bytes")?.as_u64()?.try_into().ok()
}

/// The number of a register `FILE[3]`.
fn number<'a>(name: &'a str, file: &str) -> Option<&'a str> {
    name.strip_prefix(file)?.strip_prefix('[')?.split(']').next()
}

fn words(text: &Value) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    for word in text.as_str().ok_or("words are no text")?.split_whitespace() {
        let word = bits(word).ok_or_else(|| format!("{word} is no word"))?;
        out.extend(word.to_le_bytes());
    }
    Ok(out)
}

/// The format of that name of Mesa.
fn format_named(name: &str) -> Result<Format, String> {
    let of = |format: &&Format| {
        let channels = format.order().iter().zip(format.bits());
        let channels: String = channels
            .map(|(&lane, bits)| format!("{}{bits}", ["R", "G", "B", "A"][usize::from(lane)]))
            .collect();
        let kind = match format.channel() {
            Channel::Unorm => "UNORM",
            Channel::Snorm => "SNORM",
            Channel::Uint => "UINT",
            Channel::Sint => "SINT",
            Channel::Float => "FLOAT",
        };
        format!("{channels}_{kind}") == name
    };
    Format::ALL.iter().find(of).copied().ok_or_else(|| format!("{name} is no format"))
}

/// The texels of an image of a row: see the README of the oracle for the formula.
fn image(resource: &Value) -> Result<(Extent, Target, Format, Vec<u8>), String> {
    let text = |key: &str| resource.get(key).and_then(Value::as_str).ok_or_else(|| format!("no {key}"));
    let count = |key: &str| resource.get(key).and_then(Value::as_u64).unwrap_or(1) as u32;
    let format = format_named(text("format")?)?;
    let target = Target::named(text("target")?).ok_or("no such shape")?;
    let dim = target.dim().ok_or("no shape")?;
    let depth = if dim == vecasm::ir::Dim::D3 { count("d") } else { 1 };
    let layers = if dim.arrayed() { count("layers") } else { 1 };
    let extent = Extent { depth, layers, ..Extent::new(count("w"), count("h")) };
    let seed = count("seed");
    let mut bytes = Vec::new();
    for z in 0..depth * layers * u32::from(dim.faces()) {
        for y in 0..extent.height {
            for x in 0..extent.width {
                let mut lanes = [0; 4];
                for c in 0..u32::from(format.lanes()) {
                    let n = (3 * x + 5 * y + 7 * z + 13 * c + seed) % 17;
                    lanes[c as usize] = match format.channel() {
                        Channel::Uint => n,
                        Channel::Sint => n.wrapping_sub(8),
                        Channel::Float => (n as f32 / 16.0).to_bits(),
                        Channel::Unorm | Channel::Snorm => (n as f32 * 15.0 / 255.0).to_bits(),
                    };
                }
                bytes.extend_from_slice(&format.encode(lanes)[..usize::from(format.bytes())]);
            }
        }
    }
    Ok((extent, target, format, bytes))
}

/// Puts what a row binds into a batch, and how many invocations there are.
pub(super) fn bind(row: &Value, shader: &Shader, batch: &mut Batch<'_>) -> Result<(), String> {
    for buffer in &shader.buffers {
        let given = number(&buffer.name, "BUFFER").and_then(|number| row.get("buf")?.get(number));
        batch.buffers.push(given.map(words).transpose()?.unwrap_or_default());
    }
    for wanted in &shader.images {
        let given = number(&wanted.name, "IMAGE").and_then(|number| row.get("img")?.get(number));
        let Some(given) = given else {
            batch.images.push(None);
            continue;
        };
        let (extent, target, format, bytes) = image(given)?;
        // The program says how texels of that size are taken; of another size, or shape, none is bound.
        let fits = format.bytes() == wanted.format.bytes() && target.dim() == Some(wanted.dim);
        let bound = fits.then(|| Image::new(wanted.dim, wanted.format, extent, bytes));
        batch.images.push(bound.transpose().map_err(|e| e.to_string())?);
    }
    if shader.stage == Stage::Compute {
        let grid = row.get("grid").and_then(Value::as_array);
        let mut sizes = [1; 3];
        for (to, from) in sizes.iter_mut().zip(grid.into_iter().flatten()) {
            *to = from.as_u64().ok_or("the grid is no numbers")? as u32;
        }
        batch.grid = sizes;
        let all = sizes.iter().chain(&shader.setup.workgroup);
        batch.count = all.map(|&n| n.max(1) as usize).product();
    }
    Ok(())
}

/// Whether buffers and images hold what a row expects.
pub(super) fn compare(
    row: &Value,
    shader: &Shader,
    outputs: &Outputs,
    allows: impl Fn(u32, u32) -> bool,
) -> Result<(), String> {
    let expect = row.get("expect").ok_or("nothing is expected")?;
    let same = |name: &str, got: &[u8], wanted: &[u8]| -> Result<(), String> {
        if got.len() != wanted.len() {
            return Err(format!("{name} has {} bytes, not {}", got.len(), wanted.len()));
        }
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        for (at, (got, wanted)) in got.chunks(4).map(word).zip(wanted.chunks(4).map(word)).enumerate() {
            if !allows(got, wanted) {
                return Err(format!("word {at} of {name}: {got:08x}, not {wanted:08x}"));
            }
        }
        Ok(())
    };
    for (buffer, got) in shader.buffers.iter().zip(&outputs.buffers) {
        let wanted = number(&buffer.name, "BUFFER").and_then(|number| expect.get("buf")?.get(number));
        if let Some(wanted) = wanted {
            same(&buffer.name, got, &words(wanted)?)?;
        }
    }
    for (image, got) in shader.images.iter().zip(&outputs.images) {
        let wanted = number(&image.name, "IMAGE").and_then(|number| expect.get("img")?.get(number));
        if let (Some(wanted), Some(got)) = (wanted, got) {
            same(&image.name, got.bytes(), &words(wanted)?)?;
        }
    }
    Ok(())
}
