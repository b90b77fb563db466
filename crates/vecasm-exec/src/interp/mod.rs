//! The interpreter: the oracle that every other engine has to equal bit for bit.
//!
//! A shader is checked and laid out once ([`Prepared`]) and then run on batches: it walks the regions as they stand and asks
//! [`Pure::eval_all`](vecasm_ir::ir::Pure::eval_all) for the meaning of every pure operation.
//!
//! * `prepared`: what is checked before a run, the memory of runs, and the run, pack by pack;
//! * `plan`: which invocations form a group, and how many go through together;
//! * `bank`: where rows are held;
//! * `pack`: the state of the invocations that go through together, and single operations;
//! * `regions`: flow;
//! * `inputs`: inputs, system values, interpolation;
//! * `cells`: output cells, parameters, local arrays;
//! * `fuel`: how often invocations may still go round;
//! * `memory`: buffers, shared memory, atomics, barriers, geometry streams;
//! * `resources`: textures and images;
//! * `neighbours`: derivatives and what a subgroup knows;
//! * `mask`: sets of invocations;
//! * `watch`: what a watched run reports.

mod bank;
mod cells;
mod fuel;
mod inputs;
mod mask;
mod memory;
mod neighbours;
mod pack;
mod plan;
mod prepared;
mod regions;
mod resources;
mod watch;

pub(crate) use bank::{Bank, Flat, zip};
pub(crate) use inputs::of_primitive;
pub(crate) use mask::Mask;
pub(crate) use memory::World;
pub(crate) use pack::PackMemory;
pub(crate) use plan::{Plan, Shape, Width};
pub use prepared::{Prepared, Workspace};
pub(crate) use prepared::{check, run_packs};
pub use watch::{Absence, Load, Sampled, StepEvent, Store};

use super::{Batch, CompiledRunner, Engine, Outputs, RunError, Runner};
use alloc::boxed::Box;
use vecasm_ir::ir::{Shader, Stage};

/// The interpreter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interp;

/// Fuel of an invocation where the batch does not say.
const DEFAULT_FUEL: u64 = 65_536;
/// Invocations of a quad.
const QUAD: usize = 4;

impl Engine for Interp {
    fn name(&self) -> &'static str {
        "interp"
    }

    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        Prepared::new(shader)?.run(batch)
    }

    fn runner<'r>(&'r self, shader: &'r Shader) -> Result<Box<dyn Runner + 'r>, RunError> {
        Ok(self.sent_runner(shader)?)
    }

    fn sent_runner<'r>(&'r self, shader: &'r Shader) -> Result<Box<dyn Runner + Send + 'r>, RunError> {
        let code = Prepared::new(shader)?;
        Ok(Box::new(CompiledRunner { code, memory: Workspace::default(), run: Prepared::run_in }))
    }
}

impl Interp {
    /// Number of invocations of a group: those that go through the shader together because they see one another.
    ///
    /// # Errors
    ///
    /// As [`Engine::run`], for what can be told before a run.
    pub fn group(&self, shader: &Shader, batch: &Batch<'_>) -> Result<usize, RunError> {
        Prepared::new(shader)?.group(batch)
    }

    /// Runs all invocations of a batch, and calls `watch` at each step of the [step table](vecasm_ir::ir::steps) that a
    /// group comes through: group after group, steps in the order they run. A shader without steps gives no call.
    ///
    /// # Errors
    ///
    /// As [`Engine::run`].
    pub fn run_watched(
        &self,
        shader: &Shader,
        batch: &Batch<'_>,
        watch: &mut dyn FnMut(&StepEvent<'_>),
    ) -> Result<Outputs, RunError> {
        Prepared::new(shader)?.run_watched(batch, watch)
    }
}

/// Whether invocations have to go through the shader as quads.
pub fn in_quads(shader: &Shader) -> bool {
    let mut quads = false;
    shader.body.for_each_inst(&mut |inst| quads |= inst.op.needs_quad());
    quads && shader.stage == Stage::Fragment
}

#[cfg(test)]
mod tests;
