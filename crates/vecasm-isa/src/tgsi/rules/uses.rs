//! What instructions use of register files: of a program, or of some of its instructions.

use crate::tgsi::names::File;
use crate::tgsi::program::{Indirect, Instruction, Operand, Program};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// The registers that are named anywhere in operands: as such, as indices, as texel offsets.
pub(super) struct Uses {
    /// Files and numbers, in order.
    direct: Vec<(File, u32)>,
    /// Files that are indexed by a register.
    indexed: BTreeSet<File>,
}

impl Uses {
    /// What these instructions use.
    pub(super) fn of<'a>(list: impl Iterator<Item = &'a Instruction>, program: &Program) -> Self {
        let mut uses = Self { direct: Vec::new(), indexed: BTreeSet::new() };
        for instruction in list {
            let operands = [
                program.destinations(instruction),
                program.sources(instruction),
                program.offsets(instruction),
            ];
            operands.into_iter().flatten().for_each(|operand| uses.operand(operand));
        }
        uses.direct.sort_unstable();
        uses.direct.dedup();
        uses
    }

    fn operand(&mut self, operand: &Operand) {
        // A texture instruction names a sampler, and reads the view of the same number through it.
        let view = (operand.file == File::Samp).then_some(File::Sview);
        for file in [Some(operand.file), view].into_iter().flatten() {
            if operand.indirect.is_some() {
                self.indexed.insert(file);
            } else if let Ok(index) = u32::try_from(operand.index) {
                self.direct.push((file, index));
            }
        }
        for indirect in indices(operand) {
            self.direct.push((indirect.file, u32::try_from(indirect.index).unwrap_or(0)));
        }
    }

    /// Whether any of some registers is used.
    pub(super) fn any(&self, file: File, first: u32, last: u32) -> bool {
        // Nobody looks at the number of a memory.
        let (first, last) = if file == File::Memory { (0, u32::MAX) } else { (first, last) };
        let at = self.direct.partition_point(|row| *row < (file, first));
        self.indexed.contains(&file)
            || self.direct.get(at).is_some_and(|&(f, index)| f == file && index <= last)
    }
}

/// The registers that the indices of an operand are taken from.
pub(super) fn indices(operand: &Operand) -> impl Iterator<Item = &Indirect> {
    operand.indirect.iter().chain(operand.dimension.iter().filter_map(|d| d.indirect.as_ref()))
}

/// Registers that are declared, whatever their first index is if they have two.
#[derive(Default)]
pub(super) struct Declared {
    /// First and last registers of ranges that are apart.
    ranges: BTreeMap<(File, u32), u32>,
}

impl Declared {
    /// What a program declares, immediates included.
    pub(super) fn of(program: &Program) -> Self {
        let mut out = Self::default();
        for d in program.declarations() {
            out.add(d.file, u32::from(d.first), u32::from(d.last));
        }
        if let Some(last) = program.immediates().count().checked_sub(1) {
            out.add(File::Imm, 0, last as u32);
        }
        out
    }

    fn add(&mut self, file: File, first: u32, last: u32) {
        if first > last {
            return;
        }
        let (mut from, mut to) = (first, last);
        while let Some((&(f, start), &end)) = self.ranges.range(..=(file, last)).next_back() {
            if f != file || end < first {
                break;
            }
            from = from.min(start);
            to = to.max(end);
            self.ranges.remove(&(f, start));
        }
        self.ranges.insert((file, from), to);
    }

    /// Whether a register is.
    pub(super) fn has(&self, file: File, index: i16) -> bool {
        let Ok(index) = u32::try_from(index) else { return false };
        let found = self.ranges.range(..=(file, index)).next_back();
        found.is_some_and(|(&(f, _), &last)| f == file && index <= last)
    }
}
