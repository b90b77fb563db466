//! Buffers, images, handles and the sizes of compute programs in run files.

use super::RunFile;
use super::memory::{each_word, invocations, usual_handles};
use super::parse::{Node, Result, SIDES, extent, lanes, only, section, word};
use crate::MAX_INVOCATIONS;
use crate::image::Image;
use crate::json::lanes::{bits, integer};
use crate::json::{self, Json, Object};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;
use vecasm_ir::diag::push_json_string;
use vecasm_ir::ir::{Dim, Format, Scalar, Shader, Stage};

/// The most bytes of a buffer or an image in a run file.
const MOST: u64 = 1 << 30;

/// The keys of this file.
pub(super) const KEYS: &[&str] = &["buffers", "images", "handles", "grid", "workgroup", "subgroup"];

/// Takes what is said of them; `count` is that of the list of inputs, if there is one.
pub(super) fn read(file: &Node<'_, '_>, shader: &Shader, partial: bool, to: &mut RunFile) -> Result<()> {
    let empty = &Json::from(Object::new());
    to.buffers = buffers(&section(file, "buffers", empty)?, shader, partial)?;
    to.images = images(&section(file, "images", empty)?, shader, partial)?;
    to.handles = handles(&section(file, "handles", empty)?, shader)?;
    if let Some(node) = file.get("subgroup") {
        let size = integer(&node, 64.0)?;
        if size == 0 {
            return Err(node.error("a subgroup has 1 to 64 invocations"));
        }
        to.subgroup = size as u32;
    }
    for (key, sizes) in [("grid", &mut to.grid), ("workgroup", &mut to.workgroup)] {
        let Some(node) = file.get(key) else { continue };
        if shader.stage != Stage::Compute {
            return Err(node.error(format!("only compute programs have a {key}")));
        }
        *sizes = three(&node)?;
    }
    if shader.stage != Stage::Compute {
        return Ok(());
    }
    for (axis, (fixed, given)) in shader.setup.workgroup.iter().zip(&to.workgroup).enumerate() {
        if *fixed > 0 && *given > 0 && fixed != given {
            let message = format!("the program fixes this at {fixed}");
            return Err(file.get_or("workgroup", empty).error_at(axis, message));
        }
    }
    if to.grid == [0; 3] && file.get("inputs").is_none() {
        to.grid = [1; 3];
    }
    if to.grid != [0; 3] {
        let count = invocations(shader, to);
        if count > MAX_INVOCATIONS as u64 {
            let message = format!("{count} invocations, more than {MAX_INVOCATIONS}");
            return Err(file.error_under("grid", message));
        }
        if file.get("inputs").is_some() && to.count as u64 != count {
            let message =
                format!("expected {count} invocations, as many as the grid has, found {}", to.count);
            return Err(file.error_under("inputs", message));
        }
        to.count = count as usize;
    }
    Ok(())
}

fn three(node: &Node<'_, '_>) -> Result<[u32; 3]> {
    let mut out = [1; 3];
    let items = node.items()?;
    if !(1..=3).contains(&items.len()) {
        return Err(node.error(format!("expected 1 to 3 numbers, found {}", items.len())));
    }
    for (to, item) in out.iter_mut().zip(items) {
        *to = integer(&item, f64::from(u32::MAX))? as u32;
        if *to == 0 {
            return Err(item.error("expected a number of at least 1"));
        }
    }
    Ok(out)
}

/// What is said of a name that the shader has not.
fn unknown<'a>(what: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    if known.is_empty() {
        format!("this program has no {what}s")
    } else {
        format!("no such {what}; the program has {}", known.join(", "))
    }
}

fn buffers(object: &Node<'_, '_>, shader: &Shader, partial: bool) -> Result<Vec<Vec<u8>>> {
    let names = || shader.buffers.iter().map(|buffer| buffer.name.as_str());
    if let Some(name) = object.object()?.keys().filter(|name| names().all(|known| known != *name)).min() {
        return Err(object.error_under(name, unknown("buffer", names())));
    }
    let each = names().map(|name| match object.get(name) {
        Some(node) => bytes(&node),
        None if partial => Ok(Vec::new()),
        None => Err(object.error(format!("{name} is missing: the program declares it"))),
    });
    each.collect()
}

/// The bytes of a buffer: a list of words, or an object with words of one type and a size.
fn bytes(object: &Node<'_, '_>) -> Result<Vec<u8>> {
    if object.is_list() {
        return words(object, Scalar::U32);
    }
    object.object()?;
    only(object, &["u32", "i32", "f32", "bytes"])?;
    let mut out = None;
    for (key, scalar) in [("u32", Scalar::U32), ("i32", Scalar::I32), ("f32", Scalar::F32)] {
        let Some(node) = object.get(key) else { continue };
        if out.is_some() {
            return Err(node.error("expected one of u32, i32 and f32"));
        }
        out = Some(words(&node, scalar)?);
    }
    let Some(node) = object.get("bytes") else {
        return out.ok_or_else(|| object.error("expected one of u32, i32, f32 and bytes"));
    };
    let size = integer(&node, MOST as f64)? as usize;
    let mut out = out.unwrap_or_default();
    if out.len() > size {
        let message = format!("the values have {} bytes", out.len());
        return Err(node.error(message));
    }
    out.resize(size, 0);
    Ok(out)
}

fn words(node: &Node<'_, '_>, scalar: Scalar) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for item in node.items()? {
        out.extend(bits(&item, scalar)?.to_le_bytes());
    }
    Ok(out)
}

fn images(object: &Node<'_, '_>, shader: &Shader, partial: bool) -> Result<Vec<Option<Image>>> {
    // What only a handle stands for is another image of the list.
    let names = || shader.images.iter().map(|image| image.name.as_str());
    if let Some(name) = object.object()?.keys().filter(|name| names().all(|known| known != *name)).min() {
        return Err(object.error_under(name, unknown("image", names())));
    }
    let each = shader.images.iter().map(|wanted| match object.get(&wanted.name) {
        Some(node) => image(&node, wanted.dim, wanted.format).map(Some),
        None if partial || !has_register(&wanted.name) => Ok(None),
        None => Err(object.error(format!("{} is missing: the program declares it", wanted.name))),
    });
    each.collect()
}

/// Whether a texture or an image of that name stands in a register, and not only behind a handle.
pub(super) fn has_register(name: &str) -> bool {
    !name.starts_with("bindless ")
}

fn image(object: &Node<'_, '_>, dim: Dim, format: Format) -> Result<Image> {
    object.object()?;
    let mut known = vec!["kind", "format", "texels"];
    known.extend(SIDES);
    only(object, &known)?;
    if let Some(node) = object.get("kind") {
        if word(&node, Dim::ALL, Dim::name)? != dim {
            let message = format!("the program has a {} image", dim.name());
            return Err(node.error(message));
        }
    }
    if let Some(node) = object.get("format") {
        if word(&node, Format::ALL, Format::name)? != format {
            let message = format!("the program has texels of {}", format.name());
            return Err(node.error(message));
        }
    }
    let extent = extent(object, dim)?;
    let (count, size) = (extent.texels(dim), usize::from(format.bytes()));
    let mut bytes = Vec::new();
    if let Some(node) = object.get("texels") {
        let channels = usize::from(format.lanes());
        for item in node.items()? {
            // One channel needs no list.
            let lanes = if channels == 1 && !item.is_list() {
                bits(&item, format.scalar()).map(|bits| [bits, 0, 0, 0])
            } else {
                lanes(&item, format.scalar(), channels, channels, [0; 4])
            };
            let texel = format.encode(lanes?);
            bytes.extend_from_slice(texel.get(..size).unwrap_or(&[]));
        }
    } else {
        if count.saturating_mul(size as u64) > MOST {
            return Err(object.error("an image has 1 GiB at most"));
        }
        bytes.resize(count as usize * size, 0);
    }
    Image::new(dim, format, extent, bytes).map_err(|e| object.error(e.to_string()))
}

fn handles(object: &Node<'_, '_>, shader: &Shader) -> Result<Vec<(u64, u32)>> {
    let mut out = Vec::new();
    for (name, node) in object.sorted_entries()? {
        let number = match name.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => name.parse().ok(),
        };
        let Some(number) = number else {
            let message = "expected a handle: a 64-bit number, decimal or hexadecimal with 0x";
            return Err(node.error(message));
        };
        let of = node.json().as_str().ok_or_else(|| node.expected("the name of a register"))?;
        let textures = shader.textures.iter().position(|texture| texture.name == of);
        let images = || shader.images.iter().position(|image| image.name == of);
        let buffers = || shader.buffers.iter().position(|buffer| buffer.name == of);
        let Some(at) = textures.or_else(images).or_else(buffers) else {
            let message = format!("the program has no texture, image or buffer \"{of}\"");
            return Err(node.error(message));
        };
        out.push((number, at as u32));
    }
    Ok(out)
}

/// The sections of a run file.
pub(super) fn sections(file: &RunFile, shader: &Shader) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    let members = |members: Vec<(String, String)>| {
        let mut text = String::from("{");
        for (n, (key, value)) in members.iter().enumerate() {
            text.push_str(if n > 0 { ",\n    " } else { "\n    " });
            push_json_string(&mut text, key);
            let _ = write!(text, ": {value}");
        }
        text.push_str(if members.is_empty() { "}" } else { "\n  }" });
        text
    };
    let list = |words: &[u32; 3]| format!("[{}, {}, {}]", words[0], words[1], words[2]);
    for (key, sizes) in [("grid", file.grid), ("workgroup", file.workgroup)] {
        if sizes != [0; 3] {
            out.push((key, list(&sizes)));
        }
    }
    if file.subgroup > 0 {
        out.push(("subgroup", file.subgroup.to_string()));
    }
    let buffers = shader.buffers.iter().zip(&file.buffers).map(|(buffer, bytes)| {
        let words: Vec<String> = each_word(bytes).map(|word| word.to_string()).collect();
        let words = words.join(", ");
        let whole = bytes.len() % 4 == 0;
        let text = if whole {
            format!("[{words}]")
        } else {
            format!("{{\"u32\": [{words}], \"bytes\": {}}}", bytes.len())
        };
        (buffer.name.clone(), text)
    });
    out.push(("buffers", members(buffers.collect())));
    let images = shader.images.iter().zip(&file.images);
    let images =
        images.filter_map(|(wanted, image)| Some((wanted.name.clone(), image_text(image.as_ref()?))));
    out.push(("images", members(images.collect())));
    let handles = file.handles.iter().filter_map(|(handle, at)| {
        let at = *at as usize;
        let texture = shader.textures.get(at).map(|texture| &texture.name);
        let name = texture.or_else(|| shader.images.get(at).map(|image| &image.name))?;
        let mut text = String::new();
        push_json_string(&mut text, name);
        Some((format!("0x{handle:x}"), text))
    });
    if file.handles != usual_handles(shader) {
        out.push(("handles", members(handles.collect())));
    }
    out
}

/// An image with its texels.
fn image_text(image: &Image) -> String {
    let (dim, format, extent) = (image.dim(), image.format(), image.extent());
    let mut out = format!(
        "{{\"kind\": \"{}\", \"format\": \"{}\", \"width\": {}",
        dim.name(),
        format.name(),
        extent.width
    );
    let sides = [
        ("height", extent.height, dim.axes() > 1),
        ("depth", extent.depth, dim == Dim::D3),
        ("layers", extent.layers, dim.arrayed()),
        ("samples", extent.samples, dim.multisampled()),
    ];
    for (key, side, _) in sides.into_iter().filter(|(_, _, needed)| *needed) {
        let _ = write!(out, ", \"{key}\": {side}");
    }
    out.push_str(", \"texels\": [");
    let channels = usize::from(format.lanes());
    for (n, texel) in image.bytes().chunks(usize::from(format.bytes()).max(1)).enumerate() {
        if n > 0 {
            out.push_str(", ");
        }
        let lanes = format.decode(texel);
        let lanes = lanes.get(..channels).unwrap_or(&[]);
        // Bits, where a number would come back as another texel.
        let text = json::lanes::lanes(lanes, format.scalar());
        out.push_str(if channels == 1 { text.trim_matches(['[', ']']) } else { &text });
    }
    out.push_str("]}");
    out
}
