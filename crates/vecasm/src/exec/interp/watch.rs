//! Watching a run: what is reported at each step of the step table, and what that takes to know.

use super::mask::Mask;
use super::pack::Pack;
#[cfg(doc)]
use crate::ir::Shader;
use crate::ir::op::Word;
use crate::ir::{Arg, Scalar};
use alloc::vec;
use alloc::vec::Vec;

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
}

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
pub(super) struct Watched<'a, const N: usize> {
    pub(super) watch: Watch<'a>,
    /// Source instruction of the last mark.
    pub(super) step: u32,
    /// Invocations that went the other way, for each open arm.
    pub(super) arms: Vec<(Mask<N>, u32)>,
    pub(super) gone: Vec<Option<Absence>>,
    pub(super) demoted: Vec<Option<u32>>,
}

impl<'a, const N: usize> Watched<'a, N> {
    /// For a group of `n` invocations.
    pub(super) fn new(watch: Watch<'a>, n: usize) -> Self {
        Self { watch, step: 0, arms: Vec::new(), gone: vec![None; n], demoted: vec![None; n] }
    }

    /// Before a group starts.
    pub(super) fn reset(&mut self) {
        self.step = 0;
        self.arms.clear();
        self.gone.fill(None);
        self.demoted.fill(None);
    }

    pub(super) fn set_gone(&mut self, mask: Mask<N>, why: Option<Absence>) {
        for i in mask.iter() {
            self.gone[i] = why;
        }
    }
}

impl<W: Word, const N: usize> Pack<'_, W, N> {
    /// Reports the step of a mark.
    pub(super) fn mark(&mut self, step: u32, args: &[Arg], mask: Mask<N>) {
        if self.watched.is_none() {
            return;
        }
        let values: Vec<Vec<[u32; 4]>> =
            args.iter().map(|&arg| (0..self.n).map(|i| self.words(arg, i)).collect()).collect();
        let scalar =
            |arg: &Arg| self.shader.values.get(arg.value.index()).map_or(Scalar::F32, |v| v.ty.scalar);
        let scalars: Vec<Scalar> = args.iter().map(scalar).collect();
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
        (watched.watch)(&StepEvent { step, first, absent, values, scalars });
    }
}
