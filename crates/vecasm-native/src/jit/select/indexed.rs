//! Cells that an index chooses: each invocation its own.

use super::cells::Cell;
use super::{List, Mask, Select};
use crate::jit::call::Computation;
use crate::jit::mir::{Call, MachineOp, NONE, Program, Src};
use vecasm_exec::code::Inst;
use vecasm_ir::ir::{LocalId, Op, OutOfRange, ParamId, Shader};
use vecasm_ir::operand::WriteMask;

/// The most inputs, outputs or elements of a local array that an index may choose from: each of them is looked at. Elements of
/// parameters are fetched from memory, as many as there are.
pub(super) const MOST: u32 = 64;

pub(super) fn size_of_local(shader: &Shader, array: LocalId) -> u32 {
    shader.locals.get(array.index()).map_or(0, |local| local.size)
}

impl Select<'_> {
    /// An operation with a computed index.
    pub(super) fn indexed(&mut self, inst: &Inst, active: Mask) {
        match inst.op {
            Op::Param { array, index } => {
                let there = index < self.size_of_param(array);
                let element = self.word(index);
                self.load_param(inst, array, there.then_some((element, Mask::All)));
            }
            Op::ParamAt { array, offset, rule } => {
                let element = self.element(inst, offset, rule, self.size_of_param(array));
                self.load_param(inst, array, element);
            }
            Op::StoreParam { array, index, mask } => {
                let there = index < self.size_of_param(array);
                let element = self.word(index);
                self.store_param(inst, array, there.then_some((element, Mask::All)), (mask, active));
            }
            Op::StoreParamAt { array, offset, mask } => {
                let element = self.element(inst, offset, OutOfRange::Zero, self.size_of_param(array));
                self.store_param(inst, array, element, (mask, active));
            }
            Op::InputAt { first, at } => {
                let ids = (first.index()..).take(at.count as usize);
                let all: Vec<[Src; 4]> = ids.map(|id| self.input(id)).collect();
                self.choose_cell(inst, at.offset, at.rule, &all);
            }
            Op::LoadOutputAt { first, at } => {
                let cells = (first.index()..).take(at.count as usize).map(Cell::Output);
                let all: Vec<[Src; 4]> = cells.map(|cell| self.lanes(cell)).collect();
                self.choose_cell(inst, at.offset, at.rule, &all);
            }
            Op::LoadLocalAt { array, offset, rule } => {
                let cells = (0..size_of_local(self.shader, array)).map(|at| Cell::Local(array.index(), at));
                let all: Vec<[Src; 4]> = cells.map(|cell| self.lanes(cell)).collect();
                self.choose_cell(inst, offset, rule, &all);
            }
            Op::StoreOutputAt { first, at, mask } => {
                let writers = self.writers(active);
                let cells: Vec<Cell> = (first.index()..).take(at.count as usize).map(Cell::Output).collect();
                self.store_one(inst, (at.offset, at.rule), &cells, mask, writers);
            }
            Op::StoreLocalAt { array, offset, mask, rule } => {
                let cells = (0..size_of_local(self.shader, array)).map(|at| Cell::Local(array.index(), at));
                let cells: Vec<Cell> = cells.collect();
                self.store_one(inst, (offset, rule), &cells, mask, active);
            }
            _ => {}
        }
    }

    fn size_of_param(&self, array: ParamId) -> u32 {
        self.shader.params.get(array.index()).map_or(0, |param| param.size)
    }

    /// An element of a parameter array, where there is one.
    fn load_param(&mut self, inst: &Inst, array: ParamId, element: Option<(Src, Mask)>) {
        let Some((element, exists)) = element else {
            return self.define(inst, [Src::C(Program::ZERO); 4]);
        };
        let list = self.list(List::Param(array.index()));
        let four = self.word(4);
        let place = self.two(MachineOp::Shl, element, four);
        let zero = self.word(0);
        let words = [0, 1, 2, 3].map(|word| {
            let found = self.op(MachineOp::Gather, [place, Src::None, Src::None], list * 4 + word);
            self.blend(zero, found, exists)
        });
        self.define(inst, words);
    }

    /// Writes an element of a parameter array, where there is one; Rust does, since nobody else may read it meanwhile.
    fn store_param(
        &mut self,
        inst: &Inst,
        array: ParamId,
        element: Option<(Src, Mask)>,
        (lanes, active): (WriteMask, Mask),
    ) {
        let (Some((element, exists)), Some(value)) = (element, inst.args.last()) else { return };
        let writers = self.writers(active);
        let writers = self.and(writers, exists);
        let mask = match writers {
            Mask::None => return,
            Mask::All => Src::None,
            Mask::Some(v) => Src::V(v),
        };
        let mut args = vec![element];
        args.extend(value.rows.iter().take(lanes.lanes().count()).map(|&row| self.exact(row)));
        let number = self.out.program.calls.len() as u32;
        self.out.program.calls.push(Call { what: Computation::StoreParam(array.index(), lanes), args });
        self.push(MachineOp::Ask, NONE, [Src::None, Src::None, mask], number);
    }

    /// Which element out of `count` the first argument plus an offset means, and where it exists; `None` if it exists
    /// nowhere. The sum does not wrap.
    fn element(&mut self, inst: &Inst, offset: i32, rule: OutOfRange, count: u32) -> Option<(Src, Mask)> {
        let index = inst.args.first()?.rows[0];
        let clamps = rule == OutOfRange::Clamp;
        let (least, most) = (-i64::from(offset), i64::from(count) - 1 - i64::from(offset));
        if count == 0 {
            return None;
        }
        // No index at all is high, or low, enough.
        if least > i64::from(i32::MAX) {
            return clamps.then(|| (self.word(0), Mask::All));
        }
        if most < i64::from(i32::MIN) {
            return clamps.then(|| (self.word(count - 1), Mask::All));
        }
        let index = self.exact(index);
        let least = self.word(least.max(i64::from(i32::MIN)) as u32);
        let most = self.word(most.min(i64::from(i32::MAX)) as u32);
        let clamped = self.two(MachineOp::MaxS, index, least);
        let clamped = self.two(MachineOp::MinS, clamped, most);
        let exists = if clamps { Mask::All } else { self.equal(clamped, index) };
        let offset = self.word(offset as u32);
        Some((self.two(MachineOp::IAdd, clamped, offset), exists))
    }

    /// One of several cells, lane by lane.
    fn choose_cell(&mut self, inst: &Inst, offset: i32, rule: OutOfRange, all: &[[Src; 4]]) {
        let zero = self.word(0);
        let mut words = [zero; 4];
        if let Some((element, exists)) = self.element(inst, offset, rule, all.len() as u32) {
            for (lanes, number) in all.iter().zip(0..) {
                let number = self.word(number);
                let here = self.equal(element, number);
                let here = self.and(here, exists);
                for (word, &lane) in words.iter_mut().zip(lanes).take(inst.out.rows().len()) {
                    *word = self.blend(*word, lane, here);
                }
            }
        }
        // Cells in variables may change later.
        let words = words.map(|word| if word == zero { word } else { self.one(MachineOp::Copy, word) });
        self.define(inst, words);
    }

    /// Writes one of several cells.
    fn store_one(
        &mut self,
        inst: &Inst,
        (offset, rule): (i32, OutOfRange),
        cells: &[Cell],
        mask: WriteMask,
        writers: Mask,
    ) {
        let Some((element, exists)) = self.element(inst, offset, rule, cells.len() as u32) else { return };
        let writers = self.and(writers, exists);
        for (&cell, number) in cells.iter().zip(0..) {
            let number = self.word(number);
            let here = self.equal(element, number);
            let here = self.and(here, writers);
            self.store(cell, mask, inst.args.last(), here);
        }
    }
}
