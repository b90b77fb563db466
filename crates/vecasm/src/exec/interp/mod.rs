//! The interpreter: the oracle that every other engine has to equal bit for bit.
//!
//! It walks the regions of a shader as they stand and asks [`Pure::eval_all`](crate::ir::Pure::eval_all) for the
//! meaning of every pure operation.
//!
//! * this file: what is checked before a run, and the run, pack by pack;
//! * `plan`: which invocations form a group, and how many go through together;
//! * `pack`: the state of the invocations that go through together, and single operations;
//! * `regions`: flow;
//! * `inputs`: inputs, system values, interpolation;
//! * `cells`: output cells, parameters, local arrays;
//! * `memory`: buffers, shared memory, atomics, barriers, geometry streams;
//! * `resources`: textures and images;
//! * `neighbours`: derivatives and what a subgroup knows;
//! * `mask`: sets of invocations;
//! * `watch`: what a watched run reports.

mod cells;
mod inputs;
mod mask;
mod memory;
mod neighbours;
mod pack;
mod plan;
mod regions;
mod resources;
mod watch;

pub use watch::{Absence, Load, Sampled, StepEvent, Store};

use super::{Batch, Engine, Outputs, RunError};
use crate::ir::op::Word;
use crate::ir::verify::verify;
use crate::ir::{Shader, Stage};
use alloc::format;
use alloc::string::ToString;
use alloc::vec;

use memory::World;
use pack::Pack;
use plan::Plan;
use watch::Watch;

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
        check(shader, batch)?;
        run(shader, batch, &Plan::new(shader, batch)?, None)
    }
}

impl Interp {
    /// Number of invocations of a group: those that go through the shader together because they see one another.
    ///
    /// # Errors
    ///
    /// As [`Engine::run`], for what can be told before a run.
    pub fn group(&self, shader: &Shader, batch: &Batch<'_>) -> Result<usize, RunError> {
        check(shader, batch)?;
        Ok(Plan::new(shader, batch)?.group)
    }

    /// Runs all invocations of a batch, and calls `watch` at each step of the [step table](crate::ir::steps) that a
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
        check(shader, batch)?;
        let plan = Plan::new(shader, batch)?;
        run(shader, batch, &Plan { pack: plan.group, ..plan }, Some(watch))
    }
}

/// Whether invocations have to go through the shader as quads.
pub(crate) fn in_quads(shader: &Shader) -> bool {
    let mut quads = false;
    shader.body.for_each_inst(&mut |inst| quads |= inst.op.needs_quad());
    quads && shader.stage == Stage::Fragment
}

/// Checks what running relies on.
fn check(shader: &Shader, batch: &Batch<'_>) -> Result<(), RunError> {
    if let Some(breach) = verify(shader).first() {
        return Err(RunError::Malformed(breach.to_string()));
    }
    for (texture, bound) in shader.textures.iter().zip(&batch.textures) {
        let Some(bound) = bound else { continue };
        if bound.texture.dim() != resources::dim_of(shader, batch, texture) {
            let what = format!("the texture bound to {} has another dimension", texture.name);
            return Err(RunError::Binding(what));
        }
        if bound.texture.scalar() != texture.scalar {
            let what = format!("the texture bound to {} has texels of another type", texture.name);
            return Err(RunError::Binding(what));
        }
    }
    for (image, bound) in shader.images.iter().zip(&batch.images) {
        if bound.as_ref().is_some_and(|bound| bound.dim() != image.dim || bound.format() != image.format) {
            let what = format!("the image bound to {} has another dimension or format", image.name);
            return Err(RunError::Binding(what));
        }
    }
    Ok(())
}

/// Chooses what lanes and masks are held in.
fn run<'a>(
    shader: &'a Shader,
    batch: &'a Batch<'a>,
    plan: &Plan,
    watch: Option<Watch<'a>>,
) -> Result<Outputs, RunError> {
    let wide = shader.values.iter().any(|v| v.ty.scalar.is_wide());
    match (wide, plan.pack > 64) {
        (false, false) => run_in::<u32, 1>(shader, batch, plan, watch),
        (false, true) => run_in::<u32, 16>(shader, batch, plan, watch),
        (true, false) => run_in::<u64, 1>(shader, batch, plan, watch),
        (true, true) => run_in::<u64, 16>(shader, batch, plan, watch),
    }
}

fn run_in<'a, W: Word, const N: usize>(
    shader: &'a Shader,
    batch: &'a Batch<'a>,
    plan: &Plan,
    watch: Option<Watch<'a>>,
) -> Result<Outputs, RunError> {
    let mut outputs = Outputs {
        cells: shader
            .outputs
            .iter()
            .map(|o| vec![o.init; if o.kind.is_of_patch() { batch.count / plan.group } else { batch.count }])
            .collect(),
        killed: vec![false; batch.count],
        exhausted: vec![false; batch.count],
        ..Outputs::default()
    };
    let mut pack = Pack::<W, N>::new(shader, batch, *plan, World::new(shader, batch), watch);
    let mut first = 0;
    while first < batch.count {
        pack.run(first);
        if pack.world.overflow {
            return Err(RunError::Limit("a geometry shader emits too much".into()));
        }
        pack.give(&mut outputs);
        first += plan.pack;
    }
    let world = pack.world;
    if shader.serial {
        outputs.params = world.params.into_iter().map(|p| p.into_owned()).collect();
        outputs.carried = world.carried;
    }
    outputs.buffers = world.buffers;
    outputs.images = world.images;
    outputs.streams = world.streams;
    outputs.barriers = world.barriers;
    Ok(outputs)
}

#[cfg(test)]
mod tests;
