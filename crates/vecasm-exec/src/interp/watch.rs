//! Watching a run: what is reported at each step of the step table, and what that takes to know.

use super::bank::Bank;
use super::inputs::{element, out_of_run};
use super::mask::Mask;
use super::pack::Pack;
use crate::code::{Inst, Operand};
use alloc::vec;
use alloc::vec::Vec;
#[cfg(doc)]
use vecasm_ir::ir::Shader;
use vecasm_ir::ir::op::Word;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::{At, Op, OutOfRange, OutputId, Scalar, TextureId};
use vecasm_ir::operand::WriteMask;

/// A step that a group has come through.
#[derive(Clone, Debug)]
pub struct StepEvent<'a> {
    /// The step: an index into [`Shader::steps`].
    pub step: usize,
    /// Number of the group's first invocation in the batch.
    pub first: usize,
    /// For each invocation of the group, why it took no part; `None` if it did.
    pub absent: &'a [Option<Absence>],
    /// For each access of the step, reads first, the lanes of each invocation: as many as the access's mask has, in
    /// front.
    pub values: &'a [Vec<[u32; 4]>],
    /// For each access of the step, what its lanes are.
    pub scalars: &'a [Scalar],
    /// What live invocations read at computed indices since the step before.
    pub loads: &'a [Load],
    /// What live invocations stored to output cells, parameters and local arrays since the step before.
    pub stores: &'a [Store],
    /// The texture reads since the step before.
    pub samples: &'a [Sampled],
}

/// One read at a computed index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// The invocation, counted in the group.
    pub invocation: usize,
    /// The cell as the step table names it, with its index open.
    pub cell: Cell,
    /// The number of the element, or of the input or output; `None` if nothing stands there.
    pub found: Option<u32>,
}

/// One store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    /// The invocation, counted in the group.
    pub invocation: usize,
    /// The cell, which is not a computed one.
    pub cell: Cell,
    /// The lanes.
    pub mask: WriteMask,
    /// Their bits, in front.
    pub values: [u32; 4],
}

/// One read of a texture by a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampled {
    /// The texture that the operation names; handles and computed numbers may choose another one.
    pub texture: TextureId,
    /// For each invocation of the group, the coordinate as bits: f32, or integers of a fetch.
    pub places: Vec<[u32; 4]>,
    /// For each invocation of the group, what was read.
    pub texels: Vec<[u32; 4]>,
}

/// The most accesses that are kept between two steps.
const MAX_KEPT: usize = 4096;

/// Why an invocation takes no part in a step. Steps are numbers of source instructions, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// The condition of that step chose the other arm.
    Condition(u32),
    /// It left the block or loop, or waits for the next round, since behind that step.
    Left(u32),
    /// That step demoted it to a helper.
    Demoted(u32),
    /// It ran out of fuel behind that step.
    Exhausted(u32),
    /// It only completes the group.
    Helper,
}

/// Whom to tell.
pub(super) type Watch<'a> = &'a mut dyn FnMut(&StepEvent<'_>);

/// What only a watched run keeps.
pub(super) struct WatchState<'a, const N: usize> {
    pub(super) watch: Watch<'a>,
    /// Source instruction of the last mark.
    pub(super) step: u32,
    /// Invocations that went the other way, for each open arm.
    pub(super) arms: Vec<(Mask<N>, u32)>,
    pub(super) gone: Vec<Option<Absence>>,
    pub(super) demoted: Vec<Option<u32>>,
    loads: Vec<Load>,
    stores: Vec<Store>,
    samples: Vec<Sampled>,
}

impl<'a, const N: usize> WatchState<'a, N> {
    /// For a group of `n` invocations.
    pub(super) fn new(watch: Watch<'a>, n: usize) -> Self {
        Self {
            watch,
            step: 0,
            arms: Vec::new(),
            gone: vec![None; n],
            demoted: vec![None; n],
            loads: Vec::new(),
            stores: Vec::new(),
            samples: Vec::new(),
        }
    }

    /// Before a group starts.
    pub(super) fn reset(&mut self) {
        self.step = 0;
        self.arms.clear();
        self.gone.fill(None);
        self.demoted.fill(None);
        self.forget();
    }

    fn forget(&mut self) {
        self.loads.clear();
        self.stores.clear();
        self.samples.clear();
    }

    pub(super) fn set_gone(&mut self, mask: Mask<N>, why: Option<Absence>) {
        for i in mask.iter() {
            self.gone[i] = why;
        }
    }
}

impl<W: Word, B: Bank<W>, const N: usize> Pack<'_, W, B, N> {
    /// Reports the step of a mark.
    pub(super) fn mark(&mut self, step: u32, args: &[Operand], mask: Mask<N>) {
        if self.watched.is_none() {
            return;
        }
        let values: Vec<Vec<[u32; 4]>> =
            args.iter().map(|&arg| (0..self.n).map(|i| self.words(arg, i)).collect()).collect();
        let scalars: Vec<Scalar> = args.iter().map(|arg| arg.scalar).collect();
        let (helpers, killed, first, here) = (self.helpers, self.killed, self.first, self.here());
        let source = self.shader.steps.get(step as usize).map_or(0, |s| s.source);
        let Some(watched) = &mut self.watched else { return };
        watched.step = source;
        let absent: Vec<Option<Absence>> = (0..here)
            .map(|i| match watched.demoted[i] {
                // The step that demotes it is its last.
                Some(at) if killed.has(i) && at != source => Some(Absence::Demoted(at)),
                _ if helpers.has(i) && !killed.has(i) => Some(Absence::Helper),
                _ if mask.has(i) => None,
                _ => {
                    let arm = watched.arms.iter().rev().find(|(others, _)| others.has(i));
                    arm.map(|(_, step)| Absence::Condition(*step)).or(watched.gone[i])
                }
            })
            .collect();
        let (step, absent, values, scalars) = (step as usize, &absent[..], &values[..], &scalars[..]);
        let (loads, stores, samples) = (&watched.loads[..], &watched.stores[..], &watched.samples[..]);
        (watched.watch)(&StepEvent { step, first, absent, values, scalars, loads, stores, samples });
        watched.forget();
    }

    /// Keeps, in a watched run, which elements an operation with a computed index is about to read.
    pub(super) fn note_load(&mut self, op: Op, args: &[Operand], mask: Mask<N>) {
        if self.watched.is_none() {
            return;
        }
        let run = |first: u32, at: At| (at, first);
        let array = |size: Option<u32>, offset, rule| (At { count: size.unwrap_or(0), offset, rule }, 0);
        let (cell, (at, first)) = match op {
            Op::ParamAt { array: id, offset, rule } => {
                let size = self.shader.params.get(id.index()).map(|p| p.size);
                (Cell::ParamAt(id, offset), array(size, offset, rule))
            }
            Op::LoadLocalAt { array: id, offset, rule } => {
                let size = self.shader.locals.get(id.index()).map(|l| l.size);
                (Cell::LocalAt(id, offset), array(size, offset, rule))
            }
            Op::LoadOutputAt { first, at } => (Cell::OutputAt(first, at.offset), run(first.0, at)),
            Op::InputAt { first, at } => (Cell::InputAt(first, at.offset), run(first.0, at)),
            _ => return,
        };
        let here = self.here();
        let found = |i| out_of_run(at, self.word(args, 0, i)).map(|n| first + n as u32);
        let loads: Vec<Load> = mask
            .iter()
            .filter(|i| *i < here)
            .map(|invocation| Load { invocation, cell, found: found(invocation) })
            .collect();
        let Some(watched) = &mut self.watched else { return };
        if watched.loads.len() < MAX_KEPT {
            watched.loads.extend(loads);
        }
    }

    /// Keeps, in a watched run, what is stored.
    pub(super) fn note_store(&mut self, op: Op, args: &[Operand], mask: Mask<N>) {
        let Some(&value) = args.last() else { return };
        if self.watched.is_none() {
            return;
        }
        let size = |size: Option<u32>| size.unwrap_or(0);
        let mut stores: Vec<Store> = Vec::new();
        for invocation in mask.iter().filter(|i| *i < self.here()) {
            let index = self.word(args, 0, invocation);
            let (cell, mask) = match op {
                Op::StoreOutput { output, mask } => (Some(Cell::Output(output)), mask),
                Op::StoreOutputAt { first, at, mask } => {
                    let found = out_of_run(at, index).map(|n| OutputId(first.0 + n as u32));
                    (found.map(Cell::Output), mask)
                }
                Op::StoreParam { array, index, mask } => (Some(Cell::Param(array, index)), mask),
                Op::StoreParamAt { array, offset, mask } => {
                    let size = size(self.shader.params.get(array.index()).map(|p| p.size));
                    let found = element(index, offset, OutOfRange::Zero, size);
                    (found.map(|n| Cell::Param(array, n as u32)), mask)
                }
                Op::StoreLocal { array, index, mask } => (Some(Cell::Local(array, index)), mask),
                Op::StoreLocalAt { array, offset, mask, rule } => {
                    let size = size(self.shader.locals.get(array.index()).map(|l| l.size));
                    let found = element(index, offset, rule, size);
                    (found.map(|n| Cell::Local(array, n as u32)), mask)
                }
                _ => return,
            };
            if let Some(cell) = cell {
                stores.push(Store { invocation, cell, mask, values: self.words(value, invocation) });
            }
        }
        let Some(watched) = &mut self.watched else { return };
        if watched.stores.len() < MAX_KEPT {
            watched.stores.extend(stores);
        }
    }

    /// Keeps, in a watched run, what a texture read has read.
    pub(super) fn note_sample(&mut self, inst: &Inst) {
        let (Op::Sample { texture, .. } | Op::Gather { texture, .. } | Op::Fetch { texture, .. }) = inst.op
        else {
            return;
        };
        let Some(&place) = inst.args.first() else { return };
        if self.watched.as_ref().is_none_or(|watched| watched.samples.len() >= MAX_KEPT) {
            return;
        }
        let each = |arg: Operand| (0..self.here()).map(|i| self.words(arg, i)).collect();
        let result = Operand {
            rows: core::array::from_fn(|lane| inst.out.rows().get(lane).copied().unwrap_or(0)),
            lanes: 4,
            scalar: Scalar::F32,
        };
        let sampled = Sampled { texture, places: each(place), texels: each(result) };
        if let Some(watched) = &mut self.watched {
            watched.samples.push(sampled);
        }
    }
}
