//! What registers hold, and what they held in front of the blocks that are open.

use super::{EMPTY, Lanes};
use alloc::vec::Vec;
use vecasm_ir::operand::WriteMask;

/// What registers hold at the end of a branch, where it is not what they held in front; in order of their slots.
pub(super) type Changes = Vec<(usize, Lanes)>;

/// The registers that are renamed. An instruction set gives each a slot.
///
/// While blocks are open, a journal keeps what a register held before it was written, so that a branch costs what it writes,
/// however many registers there are.
#[derive(Default)]
pub(crate) struct Registers {
    held: Vec<Lanes>,
    journal: Vec<(usize, Lanes)>,
    /// Whether a block is open.
    pub(super) journals: bool,
}

impl Registers {
    /// So many slots, which hold nothing.
    pub(super) fn new(slots: usize) -> Self {
        Self { held: alloc::vec![EMPTY; slots], ..Self::default() }
    }

    /// What a register holds.
    pub(crate) fn get(&self, slot: usize) -> Lanes {
        self.held.get(slot).copied().unwrap_or(EMPTY)
    }

    /// Has a register hold something else.
    pub(crate) fn set(&mut self, slot: usize, lanes: Lanes) {
        let Some(held) = self.held.get_mut(slot) else { return };
        let before = core::mem::replace(held, lanes);
        if self.journals {
            self.journal.push((slot, before));
        }
    }

    /// Has some lanes of a register hold something else.
    pub(crate) fn write(&mut self, slot: usize, mask: WriteMask, lanes: &Lanes) {
        let mut held = self.get(slot);
        for lane in mask.lanes() {
            if let (Some(to), Some(from)) = (held.get_mut(lane), lanes.get(lane)) {
                *to = *from;
            }
        }
        self.set(slot, held);
    }

    /// A place in the journal, to [roll back](Self::roll_back) to.
    pub(super) fn mark(&self) -> usize {
        self.journal.len()
    }

    /// Has registers hold what they held at a mark, and gives what they held until now where it differs.
    pub(super) fn roll_back(&mut self, mark: usize) -> Changes {
        let entries = self.journal.get(mark..).unwrap_or(&[]);
        let mut slots: Vec<usize> = entries.iter().map(|entry| entry.0).collect();
        slots.sort_unstable();
        slots.dedup();
        let changes = slots.into_iter().map(|slot| (slot, self.get(slot))).collect();
        for &(slot, before) in entries.iter().rev() {
            if let Some(held) = self.held.get_mut(slot) {
                *held = before;
            }
        }
        self.journal.truncate(mark);
        changes
    }

    /// Forgets what registers held in front of blocks, of which none is open.
    pub(super) fn forget(&mut self) {
        self.journal.clear();
    }
}
