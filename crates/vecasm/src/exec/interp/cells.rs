//! Cells: outputs, parameters, local arrays, states.

use super::inputs::{element, out_of_run};
use super::mask::Mask;
use super::pack::Pack;
use crate::ir::op::Word;
use crate::ir::{Arg, Op, OutOfRange};
use crate::isa::operand::WriteMask;
use alloc::borrow::Cow;

impl<W: Word, const N: usize> Pack<'_, W, N> {
    pub(super) fn load_cell(&self, op: Op, args: &[Arg], out: &mut [W]) {
        let output = |id: usize, i: usize| self.cells.get(id).map_or([0; 4], |cell| cell.get(0, i));
        match op {
            Op::LoadOutput(id) => match self.cells.get(id.index()) {
                Some(cell) if cell.is_private() => {
                    for (lane, row) in out.chunks_exact_mut(self.n).enumerate() {
                        let from = cell.row(0, lane).iter();
                        row.iter_mut().zip(from).for_each(|(to, &from)| *to = W::from_low(from));
                    }
                }
                _ => self.each(out, |i| output(id.index(), i)),
            },
            Op::LoadOutputAt { first, at } => self.each(out, |i| {
                let chosen = out_of_run(at, self.word(args, 0, i));
                chosen.map_or([0; 4], |n| output(first.index() + n, i))
            }),
            Op::LoadOutputOf { first, at } => self.each(out, |i| {
                let chosen = at.map_or(Some(0), |at| out_of_run(at, self.word(args, 1, i)));
                let vertex = self.word(args, 0, i) as usize;
                match chosen {
                    Some(n) if vertex < self.plan.group => output(first.index() + n, vertex),
                    _ => [0; 4],
                }
            }),
            Op::Param { array, index } => {
                let bits = self.world.param(self.shader, array.index(), index as usize);
                self.each(out, |_| bits);
            }
            Op::ParamAt { array, offset, rule } => {
                let size = self.shader.params.get(array.index()).map_or(0, |p| p.size);
                self.each(out, |i| {
                    let chosen = element(self.word(args, 0, i), offset, rule, size);
                    chosen.map_or([0; 4], |n| self.world.param(self.shader, array.index(), n))
                });
            }
            Op::LoadLocal { array, index } => {
                let Some(local) = self.locals.get(array.index()) else { return };
                self.each(out, |i| local.get(index as usize, i));
            }
            Op::LoadLocalAt { array, offset, rule } => {
                let Some(local) = self.locals.get(array.index()) else { return };
                let size = self.shader.locals.get(array.index()).map_or(0, |l| l.size);
                self.each(out, |i| {
                    let chosen = element(self.word(args, 0, i), offset, rule, size);
                    chosen.map_or([0; 4], |n| local.get(n, i))
                });
            }
            Op::State(id) => {
                let given = self.batch.states.get(id.index()).copied().flatten();
                let default = self.shader.states.get(id.index()).map_or([0; 4], |s| s.default);
                self.each(out, |_| given.unwrap_or(default));
            }
            _ => {}
        }
    }

    /// A store to a cell by the invocations of `mask`, in ascending order.
    pub(super) fn store_cell(&mut self, op: Op, args: &[Arg], mask: Mask<N>) {
        // The value is the last argument; an index stands before it.
        let Some(&value) = args.last() else { return };
        if let Op::StoreOutput { output, mask: lanes } = op {
            let Some(mut cell) = self.cells.get_mut(output.index()).map(core::mem::take) else { return };
            for (from, to) in lanes.lanes().enumerate() {
                let row = self.row(value, from);
                if cell.is_private() {
                    mask.convert(cell.row_mut(0, to), row, W::low);
                } else if let Some(i) = mask.iter().last() {
                    cell.set(0, to, i, row.get(i).map_or(0, |word| word.low()));
                }
            }
            self.cells[output.index()] = cell;
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

    fn store_param(&mut self, array: usize, element: Option<usize>, mask: WriteMask, words: [u32; 4]) {
        let array = self.world.params.get_mut(array).map(Cow::to_mut);
        let cell = array.zip(element).and_then(|(array, n)| array.get_mut(n));
        if let Some(cell) = cell {
            mask.lanes().zip(words).for_each(|(lane, bits)| cell[lane] = bits);
        }
    }
}
