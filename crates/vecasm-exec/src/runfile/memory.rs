//! Buffers, images, handles and the sizes of compute programs: made up, and as results.

use super::random::SplitMix;
use super::{RunFile, RunFileError};
use crate::image::Image;
use crate::texture::Extent;
use crate::{DivergentBarrier, MAX_INVOCATIONS, Outputs};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use vecasm_ir::diag::push_json_string;
use vecasm_ir::ir::{BufferKind, Channel, Dim, Shader, Stage};

/// Words of a buffer, and texels of a side of an image, that are made up.
const WORDS: usize = 64;
const SIDE: u32 = 8;

/// How many invocations a grid has.
pub(super) fn invocations(shader: &Shader, file: &RunFile) -> u64 {
    let size = shader.setup.workgroup.iter().zip(&file.workgroup).map(|(&fixed, &given)| match fixed {
        0 => given.max(1),
        fixed => fixed,
    });
    size.chain(file.grid).fold(1, |n, axis| n.saturating_mul(axis.into()))
}

pub(super) fn regrid(file: &mut RunFile, shader: &Shader, grid: [u32; 3]) -> Result<(), RunFileError> {
    if shader.stage != Stage::Compute {
        return Err(RunFileError::new("only compute programs have a grid"));
    }
    if file.inputs.iter().any(|list| !list.is_empty()) {
        return Err(RunFileError::new(
            "the run file lists the inputs of each invocation, so its grid is fixed",
        ));
    }
    file.grid = grid;
    let count = invocations(shader, file);
    if count > MAX_INVOCATIONS as u64 {
        let message = format!("{count} invocations, more than {MAX_INVOCATIONS}");
        return Err(RunFileError::new(message));
    }
    file.count = count as usize;
    Ok(())
}

/// The handles of a program that asks for its own: the number of the texture or image, from 1.
pub(super) fn usual_handles(shader: &Shader) -> Vec<(u64, u32)> {
    let count = shader.textures.len().max(shader.images.len()) as u32;
    let asks = shader.states.iter().any(|state| state.name.starts_with("handle of "));
    (0..if asks { count } else { 0 }).map(|at| (u64::from(at) + 1, at)).collect()
}

/// Makes up buffers and images; and as many workgroups as have the invocations that are asked for, or some more.
pub(super) fn random(shader: &Shader, random: &mut SplitMix, to: &mut RunFile) {
    if shader.stage == Stage::Compute {
        // The first axis that the program leaves open has up to 64 invocations, with those of the others.
        let fixed = shader.setup.workgroup.map(|size| size.max(1));
        if let Some(open) = shader.setup.workgroup.iter().position(|&size| size == 0) {
            let others = fixed.iter().fold(1u32, |n, &size| n.saturating_mul(size));
            to.workgroup = fixed;
            if let Some(size) = to.workgroup.get_mut(open) {
                *size = to.count.clamp(1, (64 / others as usize).max(1)) as u32;
            }
        }
        to.grid = [1; 3];
        let size = invocations(shader, to).clamp(1, 1024) as usize;
        to.grid = [to.count.div_ceil(size) as u32, 1, 1];
        to.count = to.count.div_ceil(size) * size;
    }
    to.handles = usual_handles(shader);
    to.buffers = shader
        .buffers
        .iter()
        .map(|buffer| {
            let word = |random: &mut SplitMix| match (buffer.kind, random.below(4)) {
                (BufferKind::Counter, _) | (_, 0) => random.below(1000) as u32,
                (_, 1) => random.next() as u32,
                // Addresses, too.
                (_, 2) => random.below(WORDS as u64 * 4) as u32 & !3,
                _ => random.ordinary(),
            };
            (0..WORDS).flat_map(|_| word(random).to_le_bytes()).collect()
        })
        .collect();
    let images = shader.images.iter().map(|image| {
        let dim = image.dim;
        let extent = Extent {
            height: if dim.axes() > 1 { SIDE } else { 1 },
            depth: if dim == Dim::D3 { SIDE } else { 1 },
            layers: if dim.arrayed() { 2 } else { 1 },
            samples: if dim.multisampled() { 4 } else { 1 },
            ..Extent::new(SIDE, 1)
        };
        let mut bytes = Vec::new();
        for _ in 0..extent.texels(dim) {
            let lane = |random: &mut SplitMix| match image.format.channel() {
                Channel::Uint | Channel::Sint => random.below(256) as u32,
                Channel::Unorm | Channel::Snorm => (random.below(256) as f32 / 255.0).to_bits(),
                Channel::Float => random.ordinary(),
            };
            let texel = image.format.encode([(); 4].map(|()| lane(random)));
            bytes.extend_from_slice(texel.get(..usize::from(image.format.bytes())).unwrap_or(&[]));
        }
        Image::new(dim, image.format, extent, bytes).ok()
    });
    to.images = images.collect();
}

/// The words of a buffer; of one whose bytes are no whole words, the last one is filled up with zeros.
pub(super) fn each_word(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks(4).map(|bytes| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
}

/// What buffers and images hold after a run, and barriers that were not met by all, as members of the results: words of
/// buffers, and bytes of images from the first texel on as words.
pub(super) fn results_json(
    shader: &Shader,
    outputs: &Outputs,
    barriers: &[DivergentBarrier],
    out: &mut String,
) {
    let mut section = |key: &str, members: Vec<(&str, &[u8])>| {
        if members.is_empty() {
            return;
        }
        let _ = write!(out, ",\n  \"{key}\": {{");
        for (n, (name, bytes)) in members.iter().enumerate() {
            out.push_str(if n > 0 { ",\n    " } else { "\n    " });
            push_json_string(out, name);
            out.push_str(": [");
            for (at, word) in each_word(bytes).enumerate() {
                let _ = write!(out, "{}\"0x{word:08x}\"", if at > 0 { ", " } else { "" });
            }
            out.push(']');
        }
        out.push_str("\n  }");
    };
    section("buffers", named_buffers(shader, outputs));
    section("images", named_images(shader, outputs));
    if !barriers.is_empty() {
        out.push_str(",\n  \"divergent_barriers\": [");
        for (n, barrier) in barriers.iter().enumerate() {
            let _ = write!(
                out,
                "{}{{\"first\": {}, \"instruction\": {}}}",
                if n > 0 { ", " } else { "" },
                barrier.first,
                barrier.step
            );
        }
        out.push(']');
    }
}

/// The same, a line each: name and words; and `barrier INSTRUCTION first INVOCATION`.
pub(super) fn results_hex(
    shader: &Shader,
    outputs: &Outputs,
    barriers: &[DivergentBarrier],
    out: &mut String,
) {
    for (name, bytes) in named_buffers(shader, outputs).into_iter().chain(named_images(shader, outputs)) {
        out.push_str(name);
        for word in each_word(bytes) {
            let _ = write!(out, " {word:08x}");
        }
        out.push('\n');
    }
    for barrier in barriers {
        let _ = writeln!(out, "divergent-barrier {} first {}", barrier.step, barrier.first);
    }
}

fn named_buffers<'a>(shader: &'a Shader, outputs: &'a Outputs) -> Vec<(&'a str, &'a [u8])> {
    let each = shader.buffers.iter().zip(&outputs.buffers);
    each.map(|(buffer, bytes)| (buffer.name.as_str(), bytes.as_slice())).collect()
}

fn named_images<'a>(shader: &'a Shader, outputs: &'a Outputs) -> Vec<(&'a str, &'a [u8])> {
    let each = shader.images.iter().zip(&outputs.images);
    each.filter_map(|(image, bytes)| Some((image.name.as_str(), bytes.as_ref()?.bytes()))).collect()
}
