//! Running shaders on the CPU.
//!
//! An [`Engine`] runs a [`Batch`] of invocations of one [`Shader`] and gives [`Outputs`]. Everything crosses this
//! boundary as bits: four lanes of `u32` an element, whatever their type.

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

mod batch;
pub mod code;
pub mod image;
pub mod interp;
#[cfg(feature = "files")]
#[doc(hidden)]
pub mod json;
pub mod lanes;
pub mod runfile;
pub mod texture;
pub mod workers;

pub use batch::{Batch, DivergentBarrier, Emitted, Fragments, Outputs, Spot, Triangle};

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use vecasm_ir::ir::{SamplerState, Shader};

/// A texture bound to a slot of a shader.
#[derive(Clone, Copy, Debug)]
pub struct BoundTexture<'a> {
    /// The texels.
    pub texture: &'a texture::Texture,
    /// How they are read. Overrides what the shader asks for; the caller takes [`Texture::sampler`](vecasm_ir::ir::Texture::sampler) where
    /// the program decides.
    pub sampler: SamplerState,
}

/// The most invocations of one batch.
pub const MAX_INVOCATIONS: usize = 1 << 28;

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
    /// The run would take more memory than an engine grants; the text says what for.
    Limit(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(what) => write!(f, "malformed shader: {what}"),
            Self::Binding(what) | Self::Limit(what) => f.write_str(what),
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
    /// See [`RunError`]. Errors do not depend on the data, but for the limit of what a geometry shader emits in one run:
    /// 2^26 words.
    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError>;

    /// Makes a shader ready to be run many times. An engine that has nothing to make ready need not say how.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), for what can be told without a batch.
    fn runner<'r>(&'r self, shader: &'r Shader) -> Result<Box<dyn Runner + 'r>, RunError> {
        Ok(Box::new(FreshRunner { engine: self, shader, outputs: Outputs::default() }))
    }

    /// As [`runner`](Self::runner), to be taken to another thread. An engine that says how a shader is made ready has to say it
    /// here as well.
    ///
    /// # Errors
    ///
    /// As [`runner`](Self::runner).
    fn sent_runner<'r>(&'r self, shader: &'r Shader) -> Result<Box<dyn Runner + Send + 'r>, RunError>
    where
        Self: Sync,
    {
        Ok(Box::new(FreshRunner { engine: self, shader, outputs: Outputs::default() }))
    }
}

/// A shader that an [`Engine`] has made ready, and the memory of its runs.
pub trait Runner {
    /// Runs all invocations of a batch. What it gives stays until the next run.
    ///
    /// # Errors
    ///
    /// As [`Engine::run`].
    fn run(&mut self, batch: &Batch<'_>) -> Result<&Outputs, RunError>;
}

/// Runs a shader as if it were the first time.
struct FreshRunner<'r, E: ?Sized> {
    engine: &'r E,
    shader: &'r Shader,
    outputs: Outputs,
}

impl<E: Engine + ?Sized> Runner for FreshRunner<'_, E> {
    fn run(&mut self, batch: &Batch<'_>) -> Result<&Outputs, RunError> {
        self.outputs = self.engine.run(self.shader, batch)?;
        Ok(&self.outputs)
    }
}

/// The [`Runner`] of an engine that compiles shaders and keeps the memory of runs.
#[derive(Debug)]
pub struct CompiledRunner<C, W> {
    /// What it has compiled.
    pub code: C,
    /// The memory.
    pub memory: W,
    /// How one runs in the other.
    pub run: RunIn<C, W>,
}

/// How compiled code runs a batch in some memory.
pub type RunIn<C, W> =
    for<'c, 'w, 'b, 'd> fn(&'c C, &'w mut W, &'b Batch<'d>) -> Result<&'w Outputs, RunError>;

impl<C, W> Runner for CompiledRunner<C, W> {
    fn run(&mut self, batch: &Batch<'_>) -> Result<&Outputs, RunError> {
        (self.run)(&self.code, &mut self.memory, batch)
    }
}
