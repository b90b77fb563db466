//! Run files: what a shader is run on, as JSON, and what came out.
//!
//! ```json
//! {
//!   "constants": {"fc0": [1, 0.5, 0, "0x3f800000"], "c1": [0, 0, 0, 1]},
//!   "inputs": [{"v0": [0, 0, 0, 1]}, {"v0": [1, 0, 0, 1]}],
//!   "textures": {"fs0": {"kind": "2d", "width": 2, "height": 1, "rgba8": [[255, 0, 0, 255, 0, 255, 0, 255]]}},
//!   "state": {"fs1": {"filter": "linear", "mip": "none", "wrap": "repeat"}},
//!   "fuel": 1000
//! }
//! ```
//!
//! * **Values.** A number is a value: the nearest f64, then the nearest f32. A text `"0x…"` of up to 8 digits is
//!   bits.
//! * **Names** are the registers of the ISA, as the program's reflection spells them. Constants may also be called
//!   `c0`, `c1`… A register that exists but that the program does not read may be given; a name that is no register,
//!   a key that is not known and a key that stands twice are errors.
//! * **`constants`**: four values an element. Every element that the program reads directly must be there; elements
//!   that only a computed index reaches are zero if not.
//! * **`inputs`**: one object an invocation, with every input the program reads: four values; for a vertex attribute
//!   one to four, the rest filled from (0, 0, 0, 1), or `{"bytes4": [r, g, b, a]}` for four bytes of which 255 is 1;
//!   for an instance index (`iid`) one whole number. Without the list there is one invocation, if the program reads
//!   no input.
//! * **Fragments** of a program that looks at its neighbours (derivatives, texture reads with implicit level) come in
//!   quads: four objects each, left-top, right-top, left-bottom, right-bottom. A single object fills its quad.
//! * **`textures`**: `width`, `height` and for `"kind": "3d"` `depth`; `kind` (`2d`, `cube`, `3d`) may be left out
//!   where the program reads the texture. Texels are bytes red, green, blue, alpha from the first row on, faces of
//!   a cube (+X, −X, +Y, −Y, +Z, −Z) or slices one after another; they stand in `rgba8` (one level) or `levels` (a
//!   list of such), as one list or nested by slices, rows or texels. `"generate_levels": true` beside `rgba8` makes
//!   the smaller levels by averaging. Every texture that the program reads must be there.
//! * **`state`**: for textures whose sampler the program leaves to the runtime: `wrap` or `wrap_u`, `wrap_v`, `wrap_w`
//!   (`clamp`, `repeat`), `filter` (`nearest`, `linear`), `mip` (`none`, `nearest`, `linear`), `anisotropy` (1–16).
//!   What is not given is `clamp`, `nearest`, `none`, 1.
//! * **`fuel`**: rounds of loops an invocation may make; 65,536 if not given.
//!
//! The parts of this folder: `json` reads JSON, `parse` makes a [`RunFile`] of it, `random` makes one up, `print`
//! writes results.

mod json;
mod parse;
mod print;
mod random;

pub use print::{results_hex, results_json};

use super::texture::Texture;
use super::{Batch, BoundTexture};
use crate::ir::{SamplerState, Shader};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// What a shader is run on, with its textures.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFile {
    /// Number of invocations.
    pub count: usize,
    /// As [`Batch::inputs`].
    pub inputs: Vec<Vec<[u32; 4]>>,
    /// As [`Batch::params`].
    pub params: Vec<Vec<[u32; 4]>>,
    /// For each texture of the shader, its texels and how they are read.
    pub textures: Vec<Option<(Texture, SamplerState)>>,
    /// As [`Batch::fuel`].
    pub fuel: Option<u64>,
}

impl RunFile {
    /// Reads a run file for a shader; the [module](self) says what it may hold.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place in the file.
    pub fn parse(text: &str, shader: &Shader) -> Result<Self, RunFileError> {
        parse::parse(text, shader)
    }

    /// Makes up inputs, constants and textures for `count` invocations, at most
    /// [`MAX_INVOCATIONS`](super::MAX_INVOCATIONS). The same shader, count and seed always give
    /// the same.
    ///
    /// The generator is SplitMix64. Of every two quads of invocations (of eight invocations outside the fragment
    /// stage, too) the first has ordinary values only: whole numbers from -8 to 8, and numbers of both signs between
    /// 2^-6 and 2^6. In the second, one value in four is special: a zero, an infinity, NaN, a denormal, the smallest
    /// and largest normal number, a power of two around the limits of integers. Constants are ordinary, one in
    /// sixteen is special. Textures have 4 texels a side in three levels of random bytes; where the program leaves
    /// the sampler to the runtime, it is linear with nearest levels.
    pub fn random(shader: &Shader, count: usize, seed: u64) -> Self {
        random::random(shader, count, seed)
    }

    /// Writes it as a run file for the same shader, which [`parse`](Self::parse) reads back the same. Texels become
    /// bytes, so those between two bytes (of levels made by averaging) become the nearer one.
    pub fn to_json(&self, shader: &Shader) -> String {
        print::run_file(self, shader)
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
            params: self.params.clone(),
            textures: bound.collect(),
            helpers: Vec::new(),
            fuel: self.fuel,
        }
    }
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

    /// The same, inside the value of `key`.
    fn under(self, key: &str) -> Self {
        let joint = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Self { path: format!("{key}{joint}{}", self.path), ..self }
    }

    /// The same, inside element `index`.
    fn at(self, index: usize) -> Self {
        self.under(&format!("[{index}]"))
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

#[cfg(test)]
mod tests;
