//! Whether two shaders with the same tables do the same when they run: what [`eqv`](super::eqv) cannot ask of stages with memory
//! and vertices.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_exec::interp::Interp;
use vecasm_exec::runfile::RunFile;
use vecasm_exec::{Emitted, Engine as _, Outputs, RunError};
use vecasm_ir::ir::{Scalar, Shader};

/// Invocations that share random inputs, constants and contents of buffers.
const AT_ONCE: usize = 256;

/// The first difference between what two shaders leave, for random inputs: outputs, vertices, buffers and images, bit for bit but for
/// NaN. `b` has inputs, constants and resources of `a`, by their names, and the same outputs.
///
/// # Errors
///
/// As [`Engine::run`](vecasm_exec::Engine::run); [`RunError::Malformed`] if `b` has others.
pub fn find_difference(a: &Shader, b: &Shader, count: usize, seed: u64) -> Result<Option<String>, RunError> {
    let places = Places::of(a, b).map_err(|what| RunError::Malformed(format!("their {what} differ")))?;
    let engine = Interp;
    let [one, other] = [a, b].map(|shader| engine.runner(shader));
    let (mut one, mut other) = (one?, other?);
    let mut done = 0;
    for round in 0.. {
        if done >= count {
            break;
        }
        let file = RunFile::random(a, (count - done).min(AT_ONCE), seed.wrapping_add(round));
        let same = places.moved(&file);
        let left = one.run(&file.batch())?;
        let right = places.moved_back(&file, other.run(&same.batch())?.clone());
        if let Some(what) = first_difference(a, left, &right) {
            return Ok(Some(format!("{what}, with the random inputs of seed {}", seed.wrapping_add(round))));
        }
        done += left.killed.len().max(1);
    }
    Ok(None)
}

/// For each input, constant array and resource of a shader, the place of that name in another one.
struct Places {
    inputs: Vec<usize>,
    params: Vec<usize>,
    textures: Vec<usize>,
    states: Vec<usize>,
    buffers: Vec<usize>,
    images: Vec<usize>,
}

/// The places of names, if all are there.
fn places<'a>(names: impl Iterator<Item = &'a String>, of: Vec<&String>) -> Option<Vec<usize>> {
    names.map(|name| of.iter().position(|other| *other == name)).collect()
}

/// What stands at places.
fn pick<T: Clone + Default>(from: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&at| from.get(at).cloned().unwrap_or_default()).collect()
}

impl Places {
    fn of(a: &Shader, b: &Shader) -> Result<Self, &'static str> {
        if a.stage != b.stage {
            return Err("stages");
        }
        if !a.outputs.iter().map(|of| &of.name).eq(b.outputs.iter().map(|of| &of.name)) {
            return Err("outputs");
        }
        macro_rules! of {
            ($table:ident) => {
                places(b.$table.iter().map(|of| &of.name), a.$table.iter().map(|of| &of.name).collect())
            };
        }
        Ok(Self {
            inputs: of!(inputs).ok_or("inputs")?,
            params: of!(params).ok_or("constants")?,
            textures: of!(textures).ok_or("textures")?,
            states: of!(states).ok_or("states")?,
            buffers: of!(buffers).ok_or("buffers")?,
            images: of!(images).ok_or("images")?,
        })
    }

    /// The same run of the other shader.
    fn moved(&self, file: &RunFile) -> RunFile {
        RunFile {
            inputs: pick(&file.inputs, &self.inputs),
            params: pick(&file.params, &self.params),
            textures: pick(&file.textures, &self.textures),
            states: pick(&file.states, &self.states),
            buffers: pick(&file.buffers, &self.buffers),
            images: pick(&file.images, &self.images),
            ..file.clone()
        }
    }

    /// What the other shader leaves, in the places of the first; what it does not have stays as it was.
    fn moved_back(&self, file: &RunFile, mut left: Outputs) -> Outputs {
        let mut buffers = file.buffers.clone();
        for (&at, bytes) in self.buffers.iter().zip(core::mem::take(&mut left.buffers)) {
            buffers.resize(buffers.len().max(at + 1), Vec::new());
            buffers[at] = bytes;
        }
        let mut images = file.images.clone();
        for (&at, image) in self.images.iter().zip(core::mem::take(&mut left.images)) {
            images.resize(images.len().max(at + 1), None);
            images[at] = image;
        }
        Outputs { buffers, images, ..left }
    }
}

/// Whether two words of an output are the same; all NaN are.
fn is_same(scalar: Scalar, a: u32, b: u32) -> bool {
    let is_nan = |bits: u32| f32::from_bits(bits).is_nan();
    a == b || scalar == Scalar::F32 && is_nan(a) && is_nan(b)
}

fn first_difference(shader: &Shader, a: &Outputs, b: &Outputs) -> Option<String> {
    let lanes = |cell: usize, a: &[u32; 4], b: &[u32; 4]| {
        let output = shader.outputs.get(cell)?;
        let lane = (0..4).find(|&lane| !is_same(output.scalar, a[lane], b[lane]))?;
        Some(format!("{} has {:#010x} and {:#010x} in lane {lane}", output.name, a[lane], b[lane]))
    };
    for (cell, (left, right)) in a.cells.iter().zip(&b.cells).enumerate() {
        if let Some(found) = left.iter().zip(right).find_map(|(left, right)| lanes(cell, left, right)) {
            return Some(found);
        }
    }
    if (&a.killed, &a.exhausted) != (&b.killed, &b.exhausted) {
        return Some("other invocations end early".into());
    }
    for (n, (left, right)) in a.buffers.iter().zip(&b.buffers).enumerate() {
        if let Some(at) = left.iter().zip(right).position(|(left, right)| left != right) {
            let name = shader.buffers.get(n).map_or("a buffer", |buffer| &buffer.name);
            return Some(format!("{name} has {} and {} in byte {at}", left[at], right[at]));
        }
    }
    for (n, (left, right)) in a.images.iter().zip(&b.images).enumerate() {
        if left != right {
            let name = shader.images.get(n).map_or("an image", |image| &image.name);
            return Some(format!("{name} has other texels"));
        }
    }
    for (left, right) in a.streams.iter().zip(&b.streams) {
        let shape = |of: &[Emitted]| -> Vec<(u32, usize)> {
            of.iter().map(|of| (of.invocation, of.vertices.len())).collect()
        };
        if shape(left) != shape(right) {
            return Some("other primitives come out".into());
        }
        let vertices =
            |of: &[Emitted]| -> Vec<Vec<[u32; 4]>> { of.iter().flat_map(|of| of.vertices.clone()).collect() };
        for (left, right) in vertices(left).iter().zip(&vertices(right)) {
            let mut cells = left.iter().zip(right).enumerate();
            if let Some(found) = cells.find_map(|(cell, (left, right))| lanes(cell, left, right)) {
                return Some(format!("of a vertex, {found}"));
            }
        }
    }
    None
}
