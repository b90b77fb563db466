//! Cells: inputs, outputs, parameters and local arrays, also by a computed index.

use super::super::module::Id;
use super::super::words::{glsl, op, storage};
use super::Body;
use super::interface::{Array, Cell};
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Inst, Op, OutOfRange, OutputId, Scalar, Stage, Type};
use vecasm_ir::operand::WriteMask;

/// A choice out of a part of an array.
#[derive(Clone, Copy)]
struct Choice {
    /// The first element of the part.
    base: u32,
    /// Elements of the part.
    size: u32,
    /// Added to the argument.
    offset: i32,
    rule: OutOfRange,
}

/// Which element of an array is meant.
enum Element {
    /// This one, wherever the argument lies outside the limits none.
    At(Id),
    /// The same, and whether the argument lies inside.
    Checked(Id, Id),
    /// None.
    Outside,
}

impl<'a> Body<'a> {
    pub(super) fn load_cell(&mut self, inst: &Inst, args: &[Arg]) -> Id {
        let ty = inst.result.map_or(Type::F32X4, |result| self.type_of(result));
        match inst.op {
            Op::Input(id) => self.input(id),
            Op::Interpolate { input, site } => self.interpolate(inst, input, site, args),
            Op::State(id) => self.state(id.index()),
            Op::Param { array, index } => {
                let n = array.index();
                let Some(array) = self.params(n) else { return 0 };
                let id = self.param(n, array, index);
                self.as_read(id, array, ty)
            }
            Op::ParamAt { array, offset, rule } => {
                let Some(array) = self.params(array.index()) else { return 0 };
                let id = self.load_at(array, args, Choice { base: 0, size: array.size, offset, rule });
                self.as_read(id, array, ty)
            }
            Op::LoadLocal { array, index } => {
                let Some(array) = self.local(array.index()) else { return 0 };
                let index = self.m.int(index.min(array.size - 1) as i32);
                self.at(array, index)
            }
            Op::LoadLocalAt { array, offset, rule } => {
                let Some(array) = self.local(array.index()) else { return 0 };
                self.load_at(array, args, Choice { base: 0, size: array.size, offset, rule })
            }
            Op::LoadOutput(output) => self.present(output),
            Op::LoadOutputOf { first, at } => self.output_of(first, at, args),
            Op::InputOf { first, at } => self.input_of(first, at, args),
            Op::LoadOutputAt { first, at } if self.shader.stage == Stage::TessControl => {
                let Some(index) = args.first().copied() else { return 0 };
                self.load_output_at(first, at, index)
            }
            Op::LoadOutputAt { first, at } => {
                let Some((array, base)) = self.output_run(first) else { return 0 };
                let choice = Choice { base, size: at.count, offset: at.offset, rule: at.rule };
                self.load_at(array, args, choice)
            }
            Op::InputAt { first, at } => {
                let place = self.uses.input_runs.iter().position(|run| *run == (first.0, at.count));
                let Some(array) = place.and_then(|n| self.input_runs.get(n)).copied() else { return 0 };
                let choice = Choice { base: 0, size: array.size, offset: at.offset, rule: at.rule };
                self.load_at(array, args, choice)
            }
            _ => 0,
        }
    }

    /// What an output cell holds now.
    pub(super) fn present(&mut self, output: OutputId) -> Id {
        let scalar = self.shader.outputs.get(output.index()).map_or(Scalar::F32, |o| o.scalar);
        match self.cells.get(output.index()).copied() {
            Some(Cell::Variable(id, _)) => {
                let ty = self.ty(scalar, 4);
                self.load(ty, id)
            }
            Some(Cell::Run(at, element)) => {
                let array = self.runs[at].2;
                let index = self.m.int(element as i32);
                self.at(array, index)
            }
            Some(Cell::Levels(id, count)) => self.load_levels(id, count),
            _ => 0,
        }
    }

    /// Bools are numbers outside, and floats that are no numbers are bits.
    fn as_read(&mut self, id: Id, array: Array, ty: Type) -> Id {
        if ty.scalar == Scalar::Bool {
            return self.is_set(id, ty.lanes);
        }
        if array.scalar == ty.scalar {
            return id;
        }
        let of = self.m.ty(ty);
        self.op(op::BITCAST, of, &[id])
    }

    /// Reads an element.
    pub(super) fn at(&mut self, array: Array, index: Id) -> Id {
        let place = self.element(array, index);
        let ty = self.ty(array.scalar, array.lanes);
        self.load(ty, place)
    }

    fn load_at(&mut self, array: Array, args: &[Arg], choice: Choice) -> Id {
        let Some(index) = args.first().copied() else { return 0 };
        let ty = Type::new(array.scalar, array.lanes);
        match self.chosen(index, choice, choice.rule == OutOfRange::Zero) {
            Element::At(index) => self.at(array, index),
            Element::Checked(index, inside) => {
                let there = self.at(array, index);
                let zero = self.m.splat(ty, 0);
                self.select(ty, inside, there, zero)
            }
            Element::Outside => self.m.splat(ty, 0),
        }
    }

    /// Which element is meant. The argument is clamped before the offset is added, so that the sum cannot wrap.
    fn chosen(&mut self, index: Arg, choice: Choice, checked: bool) -> Element {
        let (offset, size) = (i64::from(choice.offset), i64::from(choice.size));
        let base = i64::from(choice.base);
        if let Some(bits) = self.number(index) {
            let at = i64::from(bits as u32 as i32) + offset;
            if !(0..size).contains(&at) && checked {
                return Element::Outside;
            }
            let at = at.clamp(0, (size - 1).max(0)) + base;
            return Element::At(self.m.int(at as i32));
        }
        let (low, high) = (-offset, size - 1 - offset);
        let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
        if high < least || low > most || size == 0 {
            // No argument comes inside.
            if checked {
                return Element::Outside;
            }
            let at = if high < least { size - 1 } else { 0 };
            return Element::At(self.m.int((at.max(0) + base) as i32));
        }
        let int = self.m.ty(Type::I32);
        let bool = self.m.ty(Type::BOOL);
        let (low, high) = (low.max(least) as i32, high.min(most) as i32);
        let (bottom, top) = (self.m.int(low), self.m.int(high));
        let argument = self.arg(index);
        let clamped = self.glsl(glsl::S_CLAMP, int, &[argument, bottom, top]);
        let shift = (offset + base) as i32;
        let at = if shift == 0 {
            clamped
        } else {
            let by = self.m.int(shift);
            self.op(op::I_ADD, int, &[clamped, by])
        };
        if checked {
            let inside = self.op(op::I_EQUAL, bool, &[clamped, argument]);
            Element::Checked(at, inside)
        } else {
            Element::At(at)
        }
    }

    fn output_run(&self, first: OutputId) -> Option<(Array, u32)> {
        self.runs.iter().find_map(|(start, count, array)| {
            let base = first.0.checked_sub(*start).filter(|base| base < count)?;
            Some((*array, base))
        })
    }

    pub(super) fn store_cell(&mut self, what: Op, args: &[Arg]) {
        let Some(value) = args.last().copied() else { return };
        match what {
            Op::StoreOutput { output, mask } => self.store_output(output, mask, value),
            Op::StoreLocal { array, index, mask } => {
                let Some(array) = self.local(array.index()) else { return };
                let index = self.m.int(index.min(array.size - 1) as i32);
                self.store_element(array, index, mask, value);
            }
            Op::StoreLocalAt { array, offset, mask, rule } => {
                let Some(array) = self.local(array.index()) else { return };
                self.store_at(array, args, Choice { base: 0, size: array.size, offset, rule }, mask, value);
            }
            Op::StoreOutputAt { first, at, mask } if self.shader.stage == Stage::TessControl => {
                let Some(index) = args.first().copied() else { return };
                self.store_output_at(first, at, mask, index, value);
            }
            Op::StoreOutputAt { first, at, mask } => {
                let Some((array, base)) = self.output_run(first) else { return };
                let choice = Choice { base, size: at.count, offset: at.offset, rule: at.rule };
                self.store_at(array, args, choice, mask, value);
            }
            _ => {}
        }
    }

    pub(super) fn store_output(&mut self, output: OutputId, mask: WriteMask, value: Arg) {
        match self.cells.get(output.index()).copied() {
            Some(Cell::Lanes(mut lanes)) => {
                let value = self.resolve(value);
                for (n, lane) in mask.lanes().enumerate() {
                    lanes[lane] = Some((value.value, value.swizzle.get(n)));
                }
                self.cells[output.index()] = Cell::Lanes(lanes);
            }
            Some(Cell::Variable(id, goes_out)) => {
                let class = if goes_out { storage::OUTPUT } else { storage::FUNCTION };
                let scalar = self.shader.outputs.get(output.index()).map_or(Scalar::F32, |o| o.scalar);
                // Others may write the other lanes of what a patch has.
                let alone = self.shader.outputs.get(output.index()).is_some_and(|o| o.kind.is_of_patch());
                self.store_lanes(id, class, scalar, mask, value, alone);
            }
            Some(Cell::Run(at, element)) => {
                let array = self.runs[at].2;
                let index = self.m.int(element as i32);
                self.store_element(array, index, mask, value);
            }
            Some(Cell::Levels(id, count)) => {
                for (n, lane) in mask.lanes().enumerate().filter(|(_, lane)| *lane < count as usize) {
                    let value = self.lane(value, n as u8);
                    self.store_level(id, lane as u32, value);
                }
            }
            None => {}
        }
    }

    fn store_at(&mut self, array: Array, args: &[Arg], choice: Choice, mask: WriteMask, value: Arg) {
        let Some(index) = args.first().copied() else { return };
        // What a source leaves open is not stored, as engines do it.
        match self.chosen(index, choice, choice.rule != OutOfRange::Clamp) {
            Element::At(index) => self.store_element(array, index, mask, value),
            Element::Outside => {}
            Element::Checked(index, inside) => {
                let (then, merge) = (self.m.id(), self.m.id());
                self.effect(op::SELECTION_MERGE, &[merge, 0]);
                self.effect(op::BRANCH_CONDITIONAL, &[inside, then, merge]);
                let mark = self.taken.len();
                self.label(then);
                self.store_element(array, index, mask, value);
                self.goto(merge);
                self.forget(mark);
                self.label(merge);
            }
        }
    }

    fn store_element(&mut self, array: Array, index: Id, mask: WriteMask, value: Arg) {
        let place = self.element(array, index);
        self.store_lanes(place, array.class, array.scalar, mask, value, false);
    }

    /// Stores lanes of a cell of four, `alone` if the others must not be touched.
    fn store_lanes(
        &mut self,
        cell: Id,
        class: u32,
        scalar: Scalar,
        mask: WriteMask,
        value: Arg,
        alone: bool,
    ) {
        let id = self.arg(value);
        if mask == WriteMask::ALL {
            return self.store(cell, id);
        }
        let lanes: Vec<usize> = mask.lanes().collect();
        if alone {
            let one = self.ty(scalar, 1);
            let pointer = self.m.pointer(class, one);
            for (n, lane) in lanes.into_iter().enumerate() {
                let (value, lane) = (self.lane(value, n as u8), self.m.uint(lane as u32));
                let place = self.op(op::ACCESS_CHAIN, pointer, &[cell, lane]);
                self.store(place, value);
            }
            return;
        }
        if let [lane] = lanes.as_slice() {
            let one = self.ty(scalar, 1);
            let (pointer, lane) = (self.m.pointer(class, one), self.m.uint(*lane as u32));
            let place = self.op(op::ACCESS_CHAIN, pointer, &[cell, lane]);
            return self.store(place, id);
        }
        let ty = self.ty(scalar, 4);
        let before = self.load(ty, cell);
        let mut words = [before, id, 0, 1, 2, 3];
        for (n, lane) in lanes.into_iter().enumerate() {
            words[2 + lane] = 4 + n as u32;
        }
        let after = self.op(op::VECTOR_SHUFFLE, ty, &words);
        self.store(cell, after);
    }
}
