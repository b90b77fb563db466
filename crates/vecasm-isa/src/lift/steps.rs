//! What the present instruction reads and writes, for the [step table](vecasm_ir::ir::steps).

use super::{EMPTY, Lanes, spread};
use crate::Depth;
use alloc::vec::Vec;
use vecasm_ir::ir::Arg;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::operand::WriteMask;

/// Parts that an instruction has at most: the units of the NV2A.
pub(super) const PARTS: usize = 2;

/// An access and where its lanes are.
pub(crate) struct Note {
    pub(super) cell: Cell,
    pub(super) mask: WriteMask,
    pub(super) lanes: Lanes,
}

/// The accesses of the present instruction; none are noted in [`Depth::Lean`].
#[derive(Default)]
pub(crate) struct Steps {
    depth: Depth,
    /// The part of the instruction at work.
    pub(crate) part: usize,
    /// What each part reads and writes.
    notes: [(Vec<Note>, Vec<Note>); PARTS],
}

impl Steps {
    pub(super) fn new(depth: Depth) -> Self {
        Self { depth, ..Self::default() }
    }

    /// Whether no accesses are noted.
    pub(crate) const fn is_lean(&self) -> bool {
        matches!(self.depth, Depth::Lean)
    }

    /// Notes lanes of a cell that are read. `lanes` is what the cell holds, or a part of it that has those lanes: where the
    /// instruction has read the cell before, what was noted then stays, and what was not is added.
    pub(crate) fn note_read(&mut self, cell: Cell, read: WriteMask, lanes: &Lanes) {
        if self.is_lean() || read == WriteMask::NONE {
            return;
        }
        let note = self.read_of(cell);
        note.mask = note.mask.union(read);
        for (to, from) in note.lanes.iter_mut().zip(lanes) {
            *to = to.or(*from);
        }
    }

    /// Notes lanes of a cell that are read now, also where the instruction has read them before.
    pub(crate) fn note_read_again(&mut self, cell: Cell, read: WriteMask, lanes: &Lanes) {
        if self.is_lean() || read == WriteMask::NONE {
            return;
        }
        let note = self.read_of(cell);
        note.mask = note.mask.union(read);
        for lane in read.lanes() {
            note.lanes[lane] = lanes[lane];
        }
    }

    /// Notes lanes of a cell that are written.
    pub(crate) fn note_write(&mut self, cell: Cell, mask: WriteMask, lanes: &Lanes) {
        if !self.is_lean() && mask != WriteMask::NONE {
            self.notes[self.part].1.push(Note { cell, mask, lanes: *lanes });
        }
    }

    /// Notes that lanes of a cell are written with those of a value, one for each.
    pub(crate) fn note_write_of(&mut self, cell: Cell, mask: WriteMask, value: Arg) {
        if !self.is_lean() {
            self.note_write(cell, mask, &spread(value, mask));
        }
    }

    /// What is noted of reading a cell.
    fn read_of(&mut self, cell: Cell) -> &mut Note {
        let reads = &mut self.notes[self.part].0;
        let at = reads.iter().position(|note| note.cell == cell).unwrap_or(reads.len());
        if at == reads.len() {
            reads.push(Note { cell, mask: WriteMask::NONE, lanes: EMPTY });
        }
        &mut reads[at]
    }

    /// What a part of the instruction reads and writes, which is then noted no more; `None` if that is nothing.
    pub(super) fn take(&mut self, part: usize) -> Option<(Vec<Note>, Vec<Note>)> {
        let notes = &mut self.notes[part];
        let is_empty = notes.0.is_empty() && notes.1.is_empty();
        (!is_empty).then(|| core::mem::take(notes))
    }
}
