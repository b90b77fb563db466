//! Cells that are chosen by a computed index: local arrays, runs of inputs and outputs, parameter arrays.

use super::{Body, Language, Shape, Spelling, Variable, identifier, is_single, renamed};
use crate::common::{Prec, push_i32, push_u32};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, At, Inst, Op, OutOfRange, OutputId, Scalar, Stage, Type};
use vecasm_ir::operand::{LANES, WriteMask};

/// Which element of an array is meant.
enum Element {
    /// This one.
    Known(u32),
    /// None.
    Outside,
    /// The argument plus the offset, if the argument is within these limits.
    Computed(i32, i32),
}

/// An array that something computed chooses from.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    /// Number of elements before those that can be chosen.
    pub(super) base: u32,
    /// Number of elements that can be chosen.
    pub(super) size: u32,
    /// Added to the argument.
    pub(super) offset: i32,
    /// What happens outside.
    pub(super) rule: OutOfRange,
}

impl Choice {
    /// What the number of an element is more than the argument.
    const fn shift(self) -> i32 {
        self.offset.wrapping_add(self.base as i32)
    }
}

/// A local variable that stands for a run of inputs or outputs.
pub(super) struct Run<'a> {
    first: u32,
    count: u32,
    name: String,
    /// Where outputs go out in the end.
    targets: Vec<Spelling<'a>>,
}

impl<'a, L: Language> Body<'a, '_, L> {
    fn element(&self, index: Arg, choice: Choice) -> Element {
        let (size, offset) = (i64::from(choice.size), i64::from(choice.offset));
        let (low, high) = (-offset, size - 1 - offset);
        let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
        // Where the limits leave the numbers there are, all of these lie on one side.
        let known = match self.plan.constant(index) {
            Some(bits) => Some(i64::from(bits[0] as i32) + offset),
            None if low > most => Some(-1),
            None if high < least => Some(size),
            None => None,
        };
        match known {
            Some(at) if (0..size).contains(&at) => Element::Known(choice.base + at as u32),
            Some(_) if choice.rule == OutOfRange::Zero => Element::Outside,
            Some(at) => Element::Known(choice.base + at.clamp(0, size - 1) as u32),
            None => Element::Computed(low.clamp(least, most) as i32, high.clamp(least, most) as i32),
        }
    }

    /// Reads an element.
    pub(super) fn load_at(&mut self, name: &str, ty: Type, index: Arg, choice: Choice) {
        match self.element(index, choice) {
            Element::Known(at) => {
                self.out.push_str(name);
                self.out.push('[');
                push_u32(&mut self.out, at);
                self.out.push(']');
            }
            Element::Outside => {
                self.zero(ty);
            }
            Element::Computed(low, high) => {
                let zero = choice.rule == OutOfRange::Zero;
                // One element on either side stands for everything outside.
                if zero && L::C {
                    self.out.push('(');
                    self.clamped(index, low, high);
                    self.out.push_str(" == ");
                    self.arg(index, Shape::Loose, Prec::Sum);
                    self.out.push_str(" ? ");
                } else if zero {
                    self.out.push_str("select(");
                    self.zero(ty);
                    self.out.push_str(", ");
                }
                self.out.push_str(name);
                self.out.push('[');
                self.within(index, (low, high), choice.shift());
                self.out.push(']');
                if zero && L::C {
                    self.out.push_str(" : ");
                    self.zero(ty);
                    self.out.push(')');
                } else if zero {
                    self.out.push_str(", ");
                    self.clamped(index, low, high);
                    self.out.push_str(" == ");
                    self.arg(index, Shape::Loose, Prec::Sum);
                    self.out.push(')');
                }
            }
        }
    }

    /// The number of the nearest element: clamped before the offset is added, so that the sum cannot wrap.
    fn within(&mut self, index: Arg, (low, high): (i32, i32), offset: i32) {
        self.clamped(index, low, high);
        self.offset(offset);
    }

    fn offset(&mut self, offset: i32) {
        if offset != 0 {
            self.out.push_str(if offset < 0 { " - " } else { " + " });
            push_u32(&mut self.out, offset.unsigned_abs());
        }
    }

    fn clamped(&mut self, index: Arg, low: i32, high: i32) {
        if self.lang.is_old() {
            // There it is a function of floats only. These limits are whole floats.
            self.out.push_str("int(clamp(float(");
            self.arg(index, Shape::Loose, Prec::Lowest);
            self.out.push_str(&format!("), {low}.0, {high}.0))"));
            return;
        }
        self.out.push_str("clamp(");
        self.arg(index, Shape::Loose, Prec::Lowest);
        for limit in [low, high] {
            self.out.push_str(", ");
            if limit == i32::MIN {
                self.number(Scalar::I32, limit as u32, Prec::Lowest);
            } else {
                push_i32(&mut self.out, limit);
            }
        }
        self.out.push(')');
    }

    /// Writes lanes of an element.
    fn store_at(
        &mut self,
        name: &str,
        scalar: Scalar,
        index: Arg,
        choice: Choice,
        (mask, value): (WriteMask, Arg),
    ) {
        let (low, high) = match self.element(index, choice) {
            // Nothing is stored outside, also where the source leaves it open.
            Element::Known(_) | Element::Outside
                if choice.rule != OutOfRange::Clamp && !self.is_inside(index, choice) =>
            {
                return;
            }
            Element::Outside => return,
            Element::Known(at) => {
                self.line();
                return self.store_cell(&Spelling::plain(format!("{name}[{at}]")), scalar, mask, value);
            }
            Element::Computed(low, high) => (low, high),
        };
        if choice.rule == OutOfRange::Clamp {
            let at = self.fresh("at");
            self.line();
            self.declare(Type::new(Scalar::I32, 1), true);
            self.out.push_str(&at);
            self.out.push_str(" = ");
            self.within(index, (low, high), choice.shift());
            self.out.push_str(";\n");
            self.line();
            return self.store_cell(&Spelling::plain(format!("{name}[{at}]")), scalar, mask, value);
        }
        self.line();
        self.out.push_str("if (");
        self.arg(index, Shape::Loose, Prec::Sum);
        self.out.push_str(" >= ");
        self.number(Scalar::I32, low as u32, Prec::Lowest);
        self.out.push_str(" && ");
        self.arg(index, Shape::Loose, Prec::Sum);
        self.out.push_str(" <= ");
        self.number(Scalar::I32, high as u32, Prec::Lowest);
        self.out.push_str(") {\n");
        self.indent += 1;
        let cell = self.aside(|this| {
            this.out.push_str(name);
            this.out.push('[');
            this.arg(index, Shape::Loose, Prec::Sum);
            this.offset(choice.shift());
            this.out.push(']');
        });
        self.line();
        self.store_cell(&Spelling::plain(cell), scalar, mask, value);
        self.indent -= 1;
        self.line();
        self.out.push_str("}\n");
    }

    /// Whether a known number is one of an element.
    fn is_inside(&self, index: Arg, choice: Choice) -> bool {
        let bits = self.plan.constant(index);
        bits.is_some_and(|bits| {
            let at = i64::from(bits[0] as i32) + i64::from(choice.offset);
            (0..i64::from(choice.size)).contains(&at)
        })
    }

    /// What `write` writes, as a text of its own.
    pub(super) fn aside(&mut self, write: impl Fn(&mut Self)) -> String {
        let start = self.out.len();
        write(self);
        self.out.split_off(start)
    }

    /// A name that nothing else has.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        let there = self.bases.iter().position(|b| b.name == wanted);
        let base = there.map_or_else(|| self.base(wanted.into()), |b| b as u32);
        let Some(entry) = self.bases.get_mut(base as usize) else { return String::new() };
        let mut name = entry.name.clone();
        if entry.next > 0 {
            name.push('_');
            push_u32(&mut name, entry.next);
        }
        entry.next += 1;
        name
    }

    /// Stores lanes into the variable `cell` of four lanes.
    pub(super) fn store_cell(&mut self, cell: &Spelling<'_>, scalar: Scalar, mask: WriteMask, arg: Arg) {
        cell.push(&mut self.out);
        if mask == WriteMask::ALL {
            self.out.push_str(" = ");
            let behind = self.behind(arg);
            self.write_wrapped(|this| this.arg(arg, Shape::Exact, Prec::Lowest), behind);
            return self.out.push_str(";\n");
        }
        if mask.count() == 1 {
            for lane in mask.lanes() {
                self.out.push('.');
                self.out.push(LANES[lane]);
            }
            self.out.push_str(" = ");
            self.arg(super::statements::lanes_of(arg, 0, 1), Shape::Loose, Prec::Lowest);
            return self.out.push_str(";\n");
        }
        // Runs of new lanes, and between them the present ones.
        self.out.push_str(" = ");
        self.out.push_str(L::type_name(Type::new(scalar, 4)));
        self.out.push('(');
        let mut n = 0;
        let mut lane = 0;
        while lane < 4 {
            if lane > 0 {
                self.out.push_str(", ");
            }
            let new = mask.has(lane);
            let mut len = 1;
            while lane + len < 4 && mask.has(lane + len) == new {
                len += 1;
            }
            if new {
                self.part(super::statements::lanes_of(arg, n, len));
                n += len;
            } else {
                cell.push(&mut self.out);
                self.out.push('.');
                self.out.extend(&LANES[lane..lane + len]);
            }
            lane += len;
        }
        self.out.push_str(");\n");
    }

    /// Writes a store to a local array or to an output chosen by a number. Tells whether it was one.
    pub(super) fn store_indexed(&mut self, inst: &'a Inst) -> bool {
        let shader = self.shader;
        let args = shader.args(inst.args);
        let Some(value) = args.last().copied() else { return false };
        let first = args.first().copied().unwrap_or(value);
        match inst.op {
            Op::StoreLocal { array, index, mask } => {
                let Some(of) = shader.locals.get(array.index()) else { return true };
                if index < of.size {
                    let cell = format!("{}[{index}]", self.arrays[array.index()]);
                    self.line();
                    self.store_cell(&Spelling::plain(cell), of.scalar, mask, value);
                }
            }
            Op::StoreLocalAt { array, offset, mask, rule } => {
                let Some(of) = shader.locals.get(array.index()) else { return true };
                let name = self.arrays[array.index()].clone();
                let choice = Choice { base: 0, size: of.size, offset, rule };
                self.store_at(&name, of.scalar, first, choice, (mask, value));
            }
            Op::StoreOutputAt { first: cell, at, mask } if shader.stage == Stage::TessControl => {
                self.store_patch_at(cell, at, mask, (first, value));
            }
            Op::StoreOutputAt { first: cell, at, mask } => {
                let Some((name, choice)) = self.output_run(cell, at) else { return true };
                let scalar = shader.outputs.get(cell.index()).map_or(Scalar::F32, |o| o.scalar);
                self.store_at(&name, scalar, first, choice, (mask, value));
            }
            _ => return false,
        }
        true
    }

    /// The variable of a run of outputs, and how a part of it is chosen.
    pub(super) fn output_run(&self, first: OutputId, at: At) -> Option<(String, Choice)> {
        let run = self.runs.iter().find(|run| first.0 >= run.first && first.0 - run.first < run.count)?;
        let base = first.0 - run.first;
        Some((run.name.clone(), Choice { base, size: at.count, offset: at.offset, rule: at.rule }))
    }

    /// Reads a local array, or an input or output chosen by a number. Tells whether it was one.
    pub(super) fn load_indexed(&mut self, inst: &'a Inst, args: &[Arg]) -> bool {
        let shader = self.shader;
        let ty = inst.result.and_then(|v| shader.values.get(v.index())).map_or(Type::F32X4, |v| v.ty);
        match (inst.op, args) {
            (Op::LoadLocal { array, index }, _) => {
                let size = shader.locals.get(array.index()).map_or(0, |a| a.size);
                if index < size {
                    self.out.push_str(&self.arrays[array.index()]);
                    self.out.push('[');
                    push_u32(&mut self.out, index);
                    self.out.push(']');
                } else {
                    self.zero(ty);
                }
            }
            (Op::LoadLocalAt { array, offset, rule }, [index]) => {
                let size = shader.locals.get(array.index()).map_or(1, |a| a.size);
                let name = self.arrays.get(array.index()).cloned().unwrap_or_default();
                self.load_at(&name, ty, *index, Choice { base: 0, size, offset, rule });
            }
            (Op::LoadOutputAt { first, at }, [index]) if shader.stage == Stage::TessControl => {
                self.load_patch_at(first, at, *index);
            }
            (Op::LoadOutputAt { first, at }, [index]) => {
                if let Some((name, choice)) = self.output_run(first, at) {
                    self.load_at(&name, ty, *index, choice);
                }
            }
            (Op::InputAt { first, at }, [index]) => {
                let run = self.input_runs.iter().find(|run| (run.first, run.count) == (first.0, at.count));
                let Some(name) = run.map(|run| run.name.clone()) else { return true };
                let choice = Choice { base: 0, size: at.count, offset: at.offset, rule: at.rule };
                self.load_at(&name, ty, *index, choice);
            }
            _ => return false,
        }
        true
    }

    /// Declares the variables of arrays.
    pub(super) fn declare_arrays(&mut self) {
        let shader = self.shader;
        self.arrays = vec![Cow::Borrowed(""); shader.locals.len()];
        for (i, array) in shader.locals.iter().enumerate() {
            if self.plan.locals().get(i) != Some(&true) {
                continue;
            }
            let wanted = identifier(renamed(self.renames, &array.name));
            self.arrays[i] = self.names.take(wanted, L::is_word);
            let name = self.arrays[i].clone();
            self.array(&name, Type::new(array.scalar, 4), array.size);
        }
        for (first, count) in core::mem::take(&mut self.plan.input_runs) {
            let Some(input) = shader.inputs.get(first as usize) else { continue };
            let wanted = format!("{}_array", identifier(renamed(self.renames, &input.name)));
            let name = self.names.take(wanted, L::is_word).into_owned();
            self.line();
            self.declare(input.ty, false);
            self.out.push_str(&name);
            if L::C {
                self.out.push('[');
                push_u32(&mut self.out, count);
                self.out.push(']');
            }
            self.out.push_str(" = ");
            if L::BRACES {
                self.out.push('{');
            } else {
                self.array_type(input.ty, count);
                self.out.push('(');
            }
            for n in 0..count {
                if n > 0 {
                    self.out.push_str(", ");
                }
                if let Some(text) = self.outside.inputs.get((first + n) as usize) {
                    text.push(&mut self.out);
                }
            }
            self.out.push_str(if L::BRACES { "};\n" } else { ");\n" });
            self.input_runs.push(Run { first, count, name, targets: Vec::new() });
        }
        for (first, count) in core::mem::take(&mut self.plan.output_runs) {
            let Some(output) = shader.outputs.get(first as usize) else { continue };
            let wanted = format!("{}_array", identifier(renamed(self.renames, &output.name)));
            let name = self.names.take(wanted, L::is_word).into_owned();
            self.array(&name, Type::new(output.scalar, 4), count);
            let mut targets = Vec::with_capacity(count as usize);
            for (n, cell) in self.cells.iter_mut().skip(first as usize).take(count as usize).enumerate() {
                let name = Spelling::plain(format!("{name}[{n}]"));
                targets.push(core::mem::replace(cell, Variable { name, single: false }).name);
            }
            self.runs.push(Run { first, count, name, targets });
        }
    }

    /// The type of an array, as a constructor.
    fn array_type(&mut self, ty: Type, size: u32) {
        if L::C {
            self.out.push_str(L::type_name(ty));
            self.out.push('[');
        } else {
            self.out.push_str("array<");
            self.out.push_str(L::type_name(ty));
            self.out.push_str(", ");
        }
        push_u32(&mut self.out, size.max(1));
        self.out.push(if L::C { ']' } else { '>' });
    }

    /// Declares an array of zeros.
    fn array(&mut self, name: &str, ty: Type, size: u32) {
        self.line();
        self.declare(ty, false);
        self.out.push_str(name);
        if !L::C {
            self.out.push_str(": ");
            self.array_type(ty, size);
            return self.out.push_str(";\n");
        }
        self.out.push('[');
        push_u32(&mut self.out, size.max(1));
        self.out.push_str("];\n");
        let at = self.fresh("i");
        self.line();
        self.out.push_str(&format!("for (int {at} = 0; {at} < {}; {at}++) {{\n", size.max(1)));
        self.indent += 1;
        self.line();
        self.out.push_str(&format!("{name}[{at}] = "));
        self.zero(ty);
        self.out.push_str(";\n");
        self.indent -= 1;
        self.line();
        self.out.push_str("}\n");
    }

    /// Copies the outputs that were chosen by a number to where they go out.
    pub(super) fn copy_runs(&mut self) {
        let runs = core::mem::take(&mut self.runs);
        for run in &runs {
            for (n, target) in run.targets.iter().enumerate().filter(|(_, target)| !target.is_empty()) {
                let at = run.first as usize + n;
                self.line();
                target.push(&mut self.out);
                self.out.push_str(" = ");
                self.cells[at].name.push(&mut self.out);
                if self.shader.outputs.get(at).is_some_and(|o| is_single(o.kind)) {
                    self.out.push_str(".x");
                }
                self.out.push_str(";\n");
            }
        }
        // Each vertex of a geometry shader takes them.
        self.runs = runs;
    }
}
