//! The same interface on machines that no code is generated for.

use core::convert::Infallible;
use core::marker::PhantomData;
use std::time::Duration;
use vecasm_exec::lanes::{Kernels, Work};
use vecasm_exec::{Batch, Engine, Outputs, RunError};
use vecasm_ir::ir::Shader;

/// The vectors of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// 16 registers of 8 lanes.
    Avx2,
    /// 32 registers of 16 lanes.
    Avx512,
}

impl Isa {
    /// Both, the wider one last.
    pub const ALL: [Self; 2] = [Self::Avx2, Self::Avx512];

    /// Whether this processor has it.
    pub fn is_there(self) -> bool {
        false
    }

    /// What a processor has to have for it.
    pub const fn needs(self) -> &'static str {
        "a processor with the instructions of x86-64"
    }

    /// The widest one that this processor has.
    pub fn best() -> Option<Self> {
        None
    }
}

/// The engine, of which there is none here.
#[derive(Clone, Copy, Debug)]
pub struct Jit(Infallible);

impl Jit {
    /// `None`.
    pub fn new(_: Isa) -> Option<Self> {
        None
    }

    /// `None`.
    pub fn best() -> Option<Self> {
        None
    }
}

impl Engine for Jit {
    fn name(&self) -> &'static str {
        match self.0 {}
    }

    fn run(&self, _: &Shader, _: &Batch<'_>) -> Result<Outputs, RunError> {
        match self.0 {}
    }
}

/// A compiled shader, of which there is none here.
#[derive(Debug)]
pub struct Compiled<'s>(Infallible, PhantomData<&'s Shader>);

/// The memory of runs.
#[derive(Debug, Default)]
pub struct Workspace(());

impl<'s> Compiled<'s> {
    /// Refuses.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn new(_: &'s Shader, _: Isa) -> Result<Self, RunError> {
        Err(RunError::Unsupported("this processor".into()))
    }

    /// Runs all invocations of a batch.
    ///
    /// # Errors
    ///
    /// None: there is no such shader.
    pub fn run(&self, _: &Batch<'_>) -> Result<Outputs, RunError> {
        match self.0 {}
    }

    /// As [`run`](Self::run), in the memory of earlier runs.
    ///
    /// # Errors
    ///
    /// None: there is no such shader.
    pub fn run_in<'w>(&self, _: &'w mut Workspace, _: &Batch<'_>) -> Result<&'w Outputs, RunError> {
        match self.0 {}
    }

    /// Bytes of machine code.
    pub fn size(&self) -> usize {
        match self.0 {}
    }

    /// The time it took to make the code.
    pub fn generation(&self) -> Duration {
        match self.0 {}
    }
}

/// The loops compiled for AVX2, which there is not here.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(Infallible);

impl Avx2 {
    /// `None`.
    pub fn new() -> Option<Self> {
        None
    }
}

impl Kernels for Avx2 {
    fn name(self) -> &'static str {
        match self.0 {}
    }

    fn run(self, _: Work<'_>) {
        match self.0 {}
    }

    fn part<const PART: u8>(self, _: Work<'_>) {
        match self.0 {}
    }
}

/// The loops compiled for AVX-512, which there is not here.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(Infallible);

impl Avx512 {
    /// `None`.
    pub fn new() -> Option<Self> {
        None
    }
}

impl Kernels for Avx512 {
    fn name(self) -> &'static str {
        match self.0 {}
    }

    fn run(self, _: Work<'_>) {
        match self.0 {}
    }

    fn part<const PART: u8>(self, _: Work<'_>) {
        match self.0 {}
    }
}
