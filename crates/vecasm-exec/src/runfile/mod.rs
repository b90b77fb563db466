//! Run files: what a shader is run on, as JSON, and what came out.
//!
//! ```json
//! {
//!   "constants": {"fc0": [1, 0.5, 0, "0x3f800000"], "c1": [0, 0, 0, 1]},
//!   "inputs": [{"v0": [0, 0, 0, 1]}, {"v0": [1, 0, 0, 1]}],
//!   "textures": {"fs0": {"kind": "2d", "width": 2, "height": 1, "rgba8": [[255, 0, 0, 255, 0, 255, 0, 255]]}},
//!   "state": {"fs1": {"filter": "linear", "mip": "none", "wrap": "repeat"}},
//!   "states": {"surface": [640, 480]},
//!   "fuel": 1000,
//!   "helpers": [false, true]
//! }
//! ```
//!
//! A number is a value, a text `"0x…"` is bits; names are the registers of the ISA, constants may also be called `c0`,
//! `c1`… Nothing is made up: a register, key or word that does not exist, a key that stands twice and an input that
//! the program reads but the file lacks are errors. `docs/run-files.md` of the repository is the manual.
//!
//! The feature `files` reads and writes them. Without it a [`RunFile`] is what a shader is run on, made up or
//! [kept](RunFile::of), and results are still written as text.
//!
//! The parts of this folder: `parse` makes a [`RunFile`] of JSON, `write` the text again, `random` makes one up, `print`
//! writes results, also [block by block](blocks); `vertices` has what concerns primitives and patches, `memory` buffers, images and
//! grids, `resources` those in files.

pub mod blocks;
mod memory;
#[cfg(feature = "files")]
mod parse;
mod print;
mod random;
#[cfg(feature = "files")]
mod resources;
mod vertices;
#[cfg(feature = "files")]
mod write;

pub use print::{ResultForm, ResultText, results_hex, results_json};
pub use random::RandomInputs;
pub use random::SplitMix;

use super::image::Image;
#[cfg(feature = "files")]
use super::json::PlacedError;
use super::texture::Texture;
use super::{Batch, BoundTexture};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use vecasm_ir::ir::{SamplerState, Shader};

/// What a shader is run on, with its textures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFile {
    /// Number of invocations.
    pub count: usize,
    /// As [`Batch::inputs`].
    pub inputs: Vec<Vec<[u32; 4]>>,
    /// As [`Batch::primitives`].
    pub primitives: Vec<u32>,
    /// As [`Batch::vertices_in`].
    pub vertices_in: u32,
    /// As [`Batch::params`].
    pub params: Vec<Vec<[u32; 4]>>,
    /// For each texture of the shader, its texels and how they are read.
    pub textures: Vec<Option<(Texture, SamplerState)>>,
    /// As [`Batch::states`].
    pub states: Vec<Option<[u32; 4]>>,
    /// As [`Batch::fuel`].
    pub fuel: Option<u64>,
    /// As [`Batch::helpers`].
    pub helpers: Vec<bool>,
    /// As [`Batch::buffers`].
    pub buffers: Vec<Vec<u8>>,
    /// As [`Batch::images`].
    pub images: Vec<Option<Image>>,
    /// As [`Batch::handles`].
    pub handles: Vec<(u64, u32)>,
    /// As [`Batch::grid`].
    pub grid: [u32; 3],
    /// As [`Batch::workgroup`].
    pub workgroup: [u32; 3],
    /// As [`Batch::subgroup`].
    pub subgroup: u32,
    /// Elements of arrays that the shader does not have, for what runs before it: those of constants that were given by
    /// [name](vecasm_ir::ir::symbols::Symbol).
    pub aside: Vec<(String, u32, [u32; 4])>,
}

impl RunFile {
    /// Keeps what a batch binds, so that it is run again later; of what a run file cannot say, nothing.
    pub fn of(batch: &Batch<'_>) -> Self {
        let own = |bound: &BoundTexture<'_>| (bound.texture.clone(), bound.sampler);
        Self {
            count: batch.count,
            inputs: batch.inputs.clone(),
            primitives: batch.primitives.clone(),
            vertices_in: batch.vertices_in,
            params: batch.params.clone(),
            textures: batch.textures.iter().map(|bound| bound.as_ref().map(own)).collect(),
            states: batch.states.clone(),
            fuel: batch.fuel,
            helpers: batch.helpers.clone(),
            buffers: batch.buffers.clone(),
            images: batch.images.clone(),
            handles: batch.handles.clone(),
            grid: batch.grid,
            workgroup: batch.workgroup,
            subgroup: batch.subgroup,
            aside: Vec::new(),
        }
    }

    /// Makes up inputs, constants and textures for `count` invocations, at most
    /// [`MAX_INVOCATIONS`](super::MAX_INVOCATIONS). The same shader, count and seed always give
    /// the same.
    ///
    /// The generator is SplitMix64. Of every two quads of invocations (of eight invocations outside the fragment
    /// stage, too) the first has ordinary values only: whole numbers from -8 to 8, and numbers of both signs between
    /// 2^-6 and 2^6. In the second, one value in four is special: a zero, an infinity, NaN, a denormal, the smallest
    /// and largest normal number, a power of two around the limits of integers. Bools are 0 or 1, integers below 1000; what
    /// the pipeline gives has the range that it has there: the place of a fragment is the centre of a pixel out of 512 × 512,
    /// beside those of its quad. Where fragments look at their neighbours, quads are whole.
    ///
    /// Constants do not depend on the number of invocations. They are ordinary, one in sixteen is special; integers are below
    /// 8, also those lanes of words that the shader uses as integers, and a bool is the same in all lanes.
    /// Textures have 4 texels a side (and 2 layers, or 4 samples) in as many levels as that makes, of
    /// random bytes or, where they are integers, bits; where the program leaves
    /// the sampler to the runtime, it is linear with nearest levels. Buffers have 64 words, of which a quarter are bits, a
    /// quarter numbers below 1000, a quarter addresses in the buffer and the rest ordinary numbers; images have 8 texels a
    /// side. A compute shader gets as many workgroups as have `count` invocations, or more; one that leaves their size open
    /// has it from `count`, at most 64.
    ///
    /// Primitives and patches are whole, so that there may be more invocations than asked for. A patch whose size the
    /// program leaves open has three vertices; four invocations of the tessellation evaluation stage are in one patch,
    /// at multiples of 1/8; levels are 1 to 9.
    pub fn random(shader: &Shader, count: usize, seed: u64) -> Self {
        random::random(shader, count, seed)
    }

    /// As [`random`](Self::random), of a shader of the vertex or fragment stage, for any number of invocations whose inputs
    /// come block by block: the result has no invocations, and its constants and textures are those of as many.
    pub fn random_in_blocks(shader: &Shader, count: usize, seed: u64) -> (Self, RandomInputs) {
        random::random_in_blocks(shader, count, seed)
    }

    /// Sets the number of workgroups, and with it that of invocations.
    ///
    /// # Errors
    ///
    /// If the shader is not of the compute stage, if inputs are given one by one, or if there are more than
    /// [`MAX_INVOCATIONS`](super::MAX_INVOCATIONS).
    pub fn regrid(&mut self, shader: &Shader, grid: [u32; 3]) -> Result<(), RunFileError> {
        memory::regrid(self, shader, grid)
    }

    /// Sets constants to what is computed before a run, as elements of arrays: their name, the number and the lanes as bits. They
    /// count as given. What the shader does not have is left out.
    pub fn compute(
        &mut self,
        given: &mut GivenValues,
        shader: &Shader,
        elements: &[(String, u32, [u32; 4])],
    ) {
        for (name, number, value) in elements {
            let array = shader.params.iter().position(|array| array.name == *name && *number < array.size);
            let (Some(at), number) = (array, *number as usize) else { continue };
            if let Some(values) = self.params.get_mut(at) {
                values.resize(values.len().max(number + 1), [0; 4]);
                values[number] = *value;
            }
            if let Some(set) = given.constants.get_mut(at) {
                set.resize(set.len().max(number + 1), false);
                set[number] = true;
            }
        }
    }

    /// The same as a batch.
    pub fn batch(&self) -> Batch<'_> {
        let bound = self.textures.iter().map(|bound| {
            let (texture, sampler) = bound.as_ref()?;
            Some(BoundTexture { texture, sampler: *sampler })
        });
        Batch {
            count: self.count,
            inputs: self.inputs.clone(),
            primitives: self.primitives.clone(),
            vertices_in: self.vertices_in,
            params: self.params.clone(),
            textures: bound.collect(),
            states: self.states.clone(),
            fuel: self.fuel,
            helpers: self.helpers.clone(),
            buffers: self.buffers.clone(),
            images: self.images.clone(),
            handles: self.handles.clone(),
            grid: self.grid,
            workgroup: self.workgroup,
            subgroup: self.subgroup,
            ..Batch::default()
        }
    }
}

#[cfg(feature = "files")]
impl RunFile {
    /// Reads a run file for a shader; the [module](self) says what it may hold.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place in the file.
    pub fn parse(text: &str, shader: &Shader) -> Result<Self, RunFileError> {
        Self::parse_whole(text, shader).map(|(file, _)| file)
    }

    /// As [`parse`](Self::parse), with what was given.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn parse_whole(text: &str, shader: &Shader) -> Result<(Self, GivenValues), RunFileError> {
        parse::parse(text, shader)
    }

    /// As [`parse`](Self::parse), but what the program reads and the file lacks is no error: constants are zero then,
    /// inputs are as [`Batch::inputs`] says, and textures are not bound. The second result tells what was given.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), but for what is missing.
    pub fn parse_partial(text: &str, shader: &Shader) -> Result<(Self, GivenValues), RunFileError> {
        parse::parse_partial(text, shader)
    }

    /// As [`parse`](Self::parse), for a shader of the vertex or fragment stage whose inputs come from elsewhere: the file has
    /// none, and the result has no invocations.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse); if the file gives inputs, too.
    pub fn parse_without_inputs(text: &str, shader: &Shader) -> Result<(Self, GivenValues), RunFileError> {
        parse::parse_without_inputs(text, shader)
    }

    /// Writes it as a run file for the same shader, which [`parse`](Self::parse) reads back the same.
    pub fn to_json(&self, shader: &Shader) -> String {
        write::run_file(self, shader, |_, _| true)
    }

    /// The same without the constants that the shader cannot read, which change nothing.
    pub fn to_json_read(&self, shader: &Shader) -> String {
        let read = shader.constants_read();
        write::run_file(self, shader, |array, element| read.contains(array, element))
    }
}

/// What a run file gives; the rest is made up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenValues {
    /// For each parameter array, whether each element is given; missing ones are not.
    pub constants: Vec<Vec<bool>>,
    /// For each input, whether each invocation has it; empty for what the engine knows itself.
    pub inputs: Vec<Vec<bool>>,
    /// Constants that the file does not give, and that count as given because the [program brings
    /// them](vecasm_ir::ir::symbols::Symbols::defaults): the number of the array, and the element.
    pub brought: Vec<(usize, u32)>,
}

impl GivenValues {
    /// What is given where everything is made up: what the program brings.
    pub fn made_up(shader: &Shader) -> Self {
        let each = shader.params.iter().enumerate().flat_map(|(at, array)| {
            let own = shader.symbols.defaults_of(&array.name).filter(|(element, _)| *element < array.size);
            own.map(move |(element, _)| (at, element))
        });
        Self { brought: each.collect(), ..Self::default() }
    }
}

/// Reads the state of a sampler as run files have it, with a border of floats.
///
/// # Errors
///
/// The first thing that is wrong.
#[cfg(feature = "files")]
pub fn read_sampler(json: &crate::json::Json) -> Result<SamplerState, RunFileError> {
    parse::read_sampler(json)
}

/// The state of a sampler as run files have it, with a border of floats.
#[cfg(feature = "files")]
pub fn write_sampler(state: &SamplerState) -> String {
    write::write_sampler(state)
}

/// The number of the input that a run file means by a name: its register, or what the source calls its meaning. `None` is
/// a register that exists and that the program does not read.
///
/// # Errors
///
/// If there is no such register.
#[cfg(feature = "files")]
pub fn find_input(shader: &Shader, name: &str) -> Result<Option<usize>, RunFileError> {
    parse::find_input(shader, name).map_err(|message| RunFileError { path: name.into(), message })
}

/// What is wrong with a run file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFileError {
    /// Where: `inputs[2].v0[1]`; empty for the file as a whole.
    pub path: String,
    /// What.
    pub message: String,
}

impl RunFileError {
    fn new(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into() }
    }
}

#[cfg(feature = "files")]
impl PlacedError for RunFileError {
    const ROOT: &'static str = "";

    fn placed(path: String, message: String) -> Self {
        Self { path, message }
    }
}

impl fmt::Display for RunFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl core::error::Error for RunFileError {}
