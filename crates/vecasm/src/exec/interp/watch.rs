//! Watching a run: what is reported at each step of the step table, and what that takes to know.

use super::{Mask, has};
#[cfg(doc)]
use crate::ir::Shader;
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
    pub(super) arms: Vec<(Mask, u32)>,
    pub(super) gone: [Option<Absence>; N],
    pub(super) demoted: [Option<u32>; N],
}

impl<const N: usize> Watched<'_, N> {
    pub(super) fn set_gone(&mut self, mask: Mask, why: Option<Absence>) {
        for (i, gone) in self.gone.iter_mut().enumerate() {
            if has(mask, i) {
                *gone = why;
            }
        }
    }
}
