//! Running shaders on the CPU.
//!
//! An [`Engine`] runs a [`Batch`] of invocations of one [`Shader`] and gives [`Outputs`]. Everything crosses this
//! boundary as bits: four lanes of `u32` an element, whatever their type.

pub mod interp;
pub mod runfile;
pub mod texture;
pub mod trace;

use crate::ir::{SamplerState, Shader};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A texture bound to a slot of a shader.
#[derive(Clone, Copy, Debug)]
pub struct BoundTexture<'a> {
    /// The texels.
    pub texture: &'a texture::Texture,
    /// How they are read. Overrides what the shader asks for; the caller takes [`crate::ir::Texture::sampler`] where
    /// the program decides.
    pub sampler: SamplerState,
}

/// The most invocations of one batch.
pub const MAX_INVOCATIONS: usize = 1 << 28;

/// What a shader is run on: some invocations that share parameters and textures.
#[derive(Clone, Debug, Default)]
pub struct Batch<'a> {
    /// Number of invocations, at most [`MAX_INVOCATIONS`]. In the fragment stage they are whole quads, each in the
    /// order left-top, right-top, left-bottom, right-bottom; the engine completes the last quad with helpers that
    /// read the inputs of the last invocation.
    pub count: usize,
    /// For each input of the shader, its bits in each invocation. A missing list reads (0, 0, 0, 1) for f32, and 0
    /// for integers.
    pub inputs: Vec<Vec<[u32; 4]>>,
    /// For each parameter array of the shader, its elements. Elements that are not given are zero.
    pub params: Vec<Vec<[u32; 4]>>,
    /// For each texture of the shader, what is bound. An unbound texture reads (0, 0, 0, 1).
    pub textures: Vec<Option<BoundTexture<'a>>>,
    /// Invocations that start as helpers; empty for none.
    pub helpers: Vec<bool>,
    /// Rounds of loops each invocation may make; `None` for 65,536.
    pub fuel: Option<u64>,
}

/// What a run gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// For each output cell of the shader, its bits in each invocation.
    pub cells: Vec<Vec<[u32; 4]>>,
    /// Invocations that ended as helpers because of a demotion.
    pub killed: Vec<bool>,
    /// Invocations that ran out of fuel.
    pub exhausted: Vec<bool>,
}

/// Why a run did not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunError {
    /// The shader breaks a rule of the IR; the text says which.
    Malformed(String),
    /// This engine cannot run this shader.
    Unsupported(String),
    /// What the batch binds does not fit the shader; the text says what.
    Binding(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(what) => write!(f, "malformed shader: {what}"),
            Self::Binding(what) => f.write_str(what),
            Self::Unsupported(what) => write!(f, "not supported by this engine: {what}"),
        }
    }
}

impl core::error::Error for RunError {}

/// Something that runs shaders. All engines give identical bits.
pub trait Engine {
    /// The name used on the command line.
    fn name(&self) -> &'static str;

    /// Runs all invocations of a batch.
    ///
    /// # Errors
    ///
    /// See [`RunError`]. Errors do not depend on the data.
    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError>;
}
