//! Cells: outputs, parameters, local arrays, states.

use super::bank::Bank;
use super::inputs::{element, out_of_run};
use super::mask::Mask;
use super::pack::Pack;
use crate::code::Operand;
use vecasm_ir::ir::op::Word;
use vecasm_ir::ir::{Op, OutOfRange};
use vecasm_ir::operand::WriteMask;

impl<W: Word, B: Bank<W>, const N: usize> Pack<'_, W, B, N> {
    pub(super) fn load_cell(&self, op: Op, args: &[Operand], out: &mut [[W; 4]]) {
        let output = |id: usize, i: usize| self.cells.get(id).map_or([0; 4], |cell| cell.get(0, i));
        match op {
            Op::LoadOutput(id) => match self.cells.get(id.index()) {
                Some(cell) if cell.is_private() => {
                    for (lane, row) in out.chunks_exact_mut(self.quads).enumerate() {
                        row.iter_mut().zip(cell.row(lane)).for_each(|(to, from)| *to = from.map(W::from_low));
                    }
                }
                _ => self.write_lanes(out, |i| output(id.index(), i)),
            },
            Op::LoadOutputAt { first, at } => self.write_lanes(out, |i| {
                let chosen = out_of_run(at, self.word(args, 0, i));
                chosen.map_or([0; 4], |n| output(first.index() + n, i))
            }),
            Op::LoadOutputOf { first, at } => self.write_lanes(out, |i| {
                let chosen = at.map_or(Some(0), |at| out_of_run(at, self.word(args, 1, i)));
                let vertex = self.word(args, 0, i) as usize;
                match chosen {
                    Some(n) if vertex < self.plan.group => output(first.index() + n, vertex),
                    _ => [0; 4],
                }
            }),
            Op::Param { .. } | Op::State(_) => {
                let bits = self.uniform(op);
                self.write_lanes(out, |_| bits);
            }
            Op::ParamAt { array, offset, rule } => {
                let size = self.shader.params.get(array.index()).map_or(0, |p| p.size);
                self.write_lanes(out, |i| {
                    let chosen = element(self.word(args, 0, i), offset, rule, size);
                    chosen.map_or([0; 4], |n| self.world.param(self.shader, self.batch, array.index(), n))
                });
            }
            Op::LoadLocal { array, index } => {
                let Some(local) = self.locals.get(array.index()) else { return };
                self.write_lanes(out, |i| local.get(index as usize, i));
            }
            Op::LoadLocalAt { array, offset, rule } => {
                let Some(local) = self.locals.get(array.index()) else { return };
                let size = self.shader.locals.get(array.index()).map_or(0, |l| l.size);
                self.write_lanes(out, |i| {
                    let chosen = element(self.word(args, 0, i), offset, rule, size);
                    chosen.map_or([0; 4], |n| local.get(n, i))
                });
            }
            _ => {}
        }
    }

    /// What all invocations read alike: an element of a parameter array, or a state.
    pub(super) fn uniform(&self, op: Op) -> [u32; 4] {
        match op {
            Op::Param { array, index } => {
                self.world.param(self.shader, self.batch, array.index(), index as usize)
            }
            Op::State(id) => {
                let given = self.batch.states.get(id.index()).copied().flatten();
                given.or_else(|| self.shader.states.get(id.index()).map(|s| s.default)).unwrap_or([0; 4])
            }
            _ => [0; 4],
        }
    }

    /// A store to a cell by the invocations of `mask`, in ascending order.
    pub(super) fn store_cell(&mut self, op: Op, args: &[Operand], mask: Mask<N>) {
        // The value is the last argument; an index stands before it.
        let Some(&value) = args.last() else { return };
        if let Op::StoreOutput { output, mask: lanes } = op {
            if self.keeping {
                let all = Mask::below(self.here());
                match self.kept.get_mut(output.index()) {
                    Some(kept) if mask | all == mask => {
                        for (from, to) in (0..4).filter(|&to| lanes.has(to)).enumerate() {
                            kept[to] = Some(value.rows[from & 3]);
                        }
                        return;
                    }
                    _ => self.settle(),
                }
            }
            let Some(cell) = self.cells.get_mut(output.index()) else { return };
            for (from, to) in (0..4).filter(|&to| lanes.has(to)).enumerate() {
                let row = self.bank.row(value.rows[from & 3]);
                if cell.is_private() {
                    mask.convert(cell.row_mut(to), row, W::low);
                } else if let Some(i) = mask.iter().last() {
                    cell.set(0, to, i, row.as_flattened().get(i).map_or(0, |word| word.low()));
                }
            }
            return;
        }
        for i in mask.iter() {
            let words = self.words(value, i);
            let index = self.word(args, 0, i);
            let each = |lanes: WriteMask| lanes.lanes().zip(words);
            match op {
                Op::StoreOutputAt { first, at, mask } => {
                    let chosen = out_of_run(at, index).and_then(|n| self.cells.get_mut(first.index() + n));
                    if let Some(cell) = chosen {
                        each(mask).for_each(|(lane, bits)| cell.set(0, lane, i, bits));
                    }
                }
                Op::StoreParam { array, index, mask } => {
                    self.store_param(array.index(), Some(index as usize), mask, words);
                }
                Op::StoreParamAt { array, offset, mask } => {
                    let size = self.shader.params.get(array.index()).map_or(0, |p| p.size);
                    let chosen = element(index, offset, OutOfRange::Zero, size);
                    self.store_param(array.index(), chosen, mask, words);
                }
                Op::StoreLocal { array, index, mask } => {
                    if let Some(local) = self.locals.get_mut(array.index()) {
                        each(mask).for_each(|(lane, bits)| local.set(index as usize, lane, i, bits));
                    }
                }
                Op::StoreLocalAt { array, offset, mask, rule } => {
                    let size = self.shader.locals.get(array.index()).map_or(0, |l| l.size);
                    let chosen = element(index, offset, rule, size);
                    if let (Some(n), Some(local)) = (chosen, self.locals.get_mut(array.index())) {
                        each(mask).for_each(|(lane, bits)| local.set(n, lane, i, bits));
                    }
                }
                _ => {}
            }
        }
    }

    /// Writes to the cells what outputs are, because from now on not all invocations store.
    fn settle(&mut self) {
        self.keeping = false;
        let outputs = self.cells.iter_mut().zip(&self.shader.outputs);
        for ((cell, output), kept) in outputs.zip(self.kept.iter()) {
            cell.fill(output.init);
            for (lane, kept) in kept.iter().enumerate() {
                if let Some(row) = *kept {
                    cell.row_mut(lane).copy_from_slice(W::narrow(self.bank.row(row)));
                }
            }
        }
    }

    fn store_param(&mut self, array: usize, element: Option<usize>, mask: WriteMask, words: [u32; 4]) {
        let array = self.world.params.get_mut(array);
        let cell = array.zip(element).and_then(|(array, n)| array.get_mut(n));
        if let Some(cell) = cell {
            mask.lanes().zip(words).for_each(|(lane, bits)| cell[lane] = bits);
        }
    }
}
