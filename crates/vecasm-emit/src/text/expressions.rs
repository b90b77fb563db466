//! Operations and arguments.

use super::cells::Choice;
use super::helpers::Helper;
use super::language::comparison;
use super::vertices::levels;
use super::{Body, Language, Params, Shape, is_whole};
use crate::common::{Prec, push_f32, push_i32, push_u32};
use crate::plan::Use;
use alloc::format;
use alloc::string::String;
use vecasm_ir::ir::op::Place;
use vecasm_ir::ir::{Arg, Inst, Op, Pure, Scalar, Type, Value};
use vecasm_ir::operand::LANES;

impl<'a, L: Language> Body<'a, '_, L> {
    /// Writes an argument.
    pub(crate) fn arg(&mut self, arg: Arg, shape: Shape, min: Prec) {
        let arg = self.plan.resolve(arg);
        let Some(value) = self.plan.values.get(arg.value.index()).map(Use::extent) else { return };
        if let Some(bits) = self.plan.constant(arg) {
            return self.constant(self.ty(arg.value).scalar, &bits[..usize::from(arg.lanes)], shape, min);
        }
        if !self.soft.is_empty() && self.soft.has(self.scalar_of(arg)) {
            return self.soft_arg(arg, min);
        }
        let splat = arg.lanes > 1 && self.plan.is_splat(arg);
        if value.lanes == 1 {
            if arg.lanes > 1 && shape == Shape::Exact && !L::SPLATS {
                self.value(arg.value, Prec::Postfix);
                return self.out.push_str(&".xxxx"[..1 + usize::from(arg.lanes.min(4))]);
            }
            if arg.lanes > 1 && shape == Shape::Exact {
                let scalar = self.ty(arg.value).scalar;
                self.out.push_str(L::type_name(Type::new(scalar, arg.lanes)));
                self.out.push('(');
                self.value(arg.value, Prec::Lowest);
                return self.out.push(')');
            }
            return self.value(arg.value, min);
        }
        let lanes = if splat && shape == Shape::Loose { 1 } else { arg.lanes };
        if lanes == value.lanes && is_whole(value, arg) {
            return self.value(arg.value, min);
        }
        self.value(arg.value, Prec::Postfix);
        self.take_lanes_away(arg.value);
        self.out.push('.');
        for i in 0..usize::from(lanes) {
            self.out.push(LANES[usize::from(value.rank(arg.swizzle.get(i)))]);
        }
    }

    /// Takes away the first lanes that the spelling of an input or a state value ends with, before some of them are chosen.
    fn take_lanes_away(&mut self, value: Value) {
        let def = self.plan.values.get(value.index()).and_then(|v| v.def);
        if !matches!(def.map(|def| def.op), Some(Op::Input(_) | Op::State(_))) {
            return;
        }
        if let Some(lanes) = [".xyz", ".xy"].into_iter().find(|lanes| self.out.ends_with(lanes)) {
            self.out.truncate(self.out.len() - lanes.len());
        }
    }

    pub(crate) fn constant(&mut self, scalar: Scalar, bits: &[u32], shape: Shape, min: Prec) {
        let Some(first) = bits.first() else { return };
        let splat = bits.iter().all(|b| b == first);
        if bits.len() == 1 || (splat && shape == Shape::Loose) {
            return self.number(scalar, *first, min);
        }
        self.out.push_str(L::type_name(Type::new(scalar, bits.len() as u8)));
        self.out.push('(');
        self.numbers(scalar, if splat && L::SPLATS { &bits[..1] } else { bits });
        self.out.push(')');
    }

    pub(crate) fn numbers(&mut self, scalar: Scalar, bits: &[u32]) {
        for (i, lane) in bits.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.number(scalar, *lane, Prec::Lowest);
        }
    }

    /// Writes lanes given as bits.
    pub(crate) fn bits(&mut self, scalar: Scalar, bits: &[u32]) {
        self.constant(scalar, bits, Shape::Exact, Prec::Lowest);
    }

    pub(crate) fn number(&mut self, scalar: Scalar, bits: u32, min: Prec) {
        let open = min > Prec::Unary;
        match scalar {
            Scalar::Bool => self.out.push_str(if bits == 0 { "false" } else { "true" }),
            Scalar::U32 => {
                push_u32(&mut self.out, bits);
                self.out.push('u');
            }
            Scalar::I64 | Scalar::U64 => {
                // Zeros of cells and variables.
                self.out.push_str(L::type_name(Type::new(scalar, 1)));
                self.out.push('(');
                push_u32(&mut self.out, bits);
                self.out.push(')');
            }
            // The least one has no literal.
            Scalar::I32 if bits == 0x8000_0000 => self.out.push_str(L::LEAST),
            Scalar::I32 => {
                let negative = bits >> 31 == 1;
                if negative && open {
                    self.out.push('(');
                }
                push_i32(&mut self.out, bits as i32);
                if negative && open {
                    self.out.push(')');
                }
            }
            _ => {
                let value = f32::from_bits(bits);
                if value.is_normal() || value == 0.0 {
                    let start = self.out.len();
                    let open = open && bits >> 31 == 1;
                    self.out.push_str(if open { "(" } else { "" });
                    push_f32(&mut self.out, value);
                    if L::HEXADECIMAL || !self.out[start..].contains('x') {
                        return self.out.push_str(if open { ")" } else { "" });
                    }
                    self.out.truncate(start);
                }
                if !self.lang.has_bits() {
                    return self.computed(value, open);
                }
                if !L::C {
                    self.helpers.call(Helper::Bits, 1);
                }
                self.out.push_str(L::FROM_BITS);
                self.out.push_str("(0x");
                for shift in (0..8).rev() {
                    let digit = (bits >> (shift * 4) & 15) as u8;
                    self.out.push(char::from(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }));
                }
                self.out.push_str("u)");
            }
        }
    }

    /// Writes a float without a short literal where floats have no bits.
    fn computed(&mut self, value: f32, open: bool) {
        let [nan, high, low] = L::NOT_FINITE;
        let text = match value {
            v if v.is_nan() => nan.into(),
            v if v.is_infinite() => (if v > 0.0 { high } else { low }).into(),
            v => format!("{:?}", f64::from(v)),
        };
        let open = open && text.starts_with('-') || text.contains('/');
        self.out.push_str(if open { "(" } else { "" });
        self.out.push_str(&text);
        self.out.push_str(if open { ")" } else { "" });
    }

    /// Writes a value: its name, or what it is.
    pub(crate) fn value(&mut self, value: Value, min: Prec) {
        if self.push_name(value) {
            return;
        }
        if let Some(def) = self.plan.values.get(value.index()).and_then(|v| v.def) {
            self.operation(def, min);
        }
    }

    /// Writes a part of a vector; a part that is itself put together gives its parts.
    pub(crate) fn part(&mut self, arg: Arg) {
        let arg = self.plan.resolve(arg);
        let Some(def) = self.plan.values.get(arg.value.index()).map(|value| value.def) else { return };
        if let Some(bits) = self.plan.constant(arg) {
            return self.numbers(self.ty(arg.value).scalar, &bits[..usize::from(arg.lanes)]);
        }
        match def.map(|def| def.op) {
            Some(Op::Compose) if self.behind(arg).is_some() => {
                let Some(def) = def else { return };
                let parts = self.plan.written(def);
                self.parts(&parts);
            }
            // A comparison beside another could be read as a template list.
            _ => self.arg(arg, Shape::Exact, if arg.lanes == 1 { Prec::Sum } else { Prec::Lowest }),
        }
    }

    pub(crate) fn parts(&mut self, args: &[Arg]) {
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.part(*arg);
        }
    }

    pub(crate) fn operation(&mut self, inst: &'a Inst, min: Prec) {
        let shader = self.shader;
        let outside = self.outside;
        let args = &*self.plan.written(inst);
        let lanes = inst.result.and_then(|v| self.plan.values.get(v.index())).map_or(1, |v| v.lanes);
        if L::own(self, inst, args, lanes, min) {
            return;
        }
        match inst.op {
            Op::Pure(op) => self.pure(inst, op, args, lanes, min),
            Op::Compose => {
                let ty = inst.result.map_or(Type::F32X4, |v| self.ty(v));
                self.out.push_str(self.type_name(ty));
                self.out.push('(');
                self.parts(args);
                self.out.push(')');
            }
            Op::Const(bits) => {
                let ty = inst.result.map_or(Type::F32, |v| shader.value(v).ty);
                self.wide_constant(ty, &bits, min);
            }
            Op::Input(input) => {
                if let Some(text) = outside.inputs.get(input.index()) {
                    text.push(&mut self.out);
                }
            }
            Op::Param { array, index } => match outside.params.get(array.index()) {
                Some(of) if index < of.size => {
                    let scalar = shader.params.get(array.index()).map_or(Scalar::F32, |p| p.scalar);
                    self.host_value(scalar, 4, min, |this| of.push(index, &mut this.out));
                }
                _ => {
                    self.zero(inst.result.map_or(Type::F32X4, |v| self.ty(v)));
                }
            },
            Op::ParamAt { array, offset, rule } => {
                let Some(Params { name, size, .. }) = outside.params.get(array.index()) else { return };
                let Some(index) = args.first() else { return };
                let Some(of) = shader.params.get(array.index()) else { return };
                let counted = of.scalar == Scalar::Bool && !self.lang.takes_bools();
                let ty = Type::new(if counted { Scalar::U32 } else { of.scalar }, 4);
                self.host_value(of.scalar, 4, min, |this| {
                    this.load_at(name, ty, *index, Choice { base: 0, size: *size, offset, rule });
                });
            }
            Op::State(state) => {
                let Some(of) = shader.states.get(state.index()) else { return };
                let text = outside.states.get(state.index()).map_or("", String::as_str);
                self.host_value(of.ty.scalar, of.ty.lanes, min, |this| this.out.push_str(text));
            }
            Op::LoadOutput(output) => {
                let at = output.index();
                let Some(info) = shader.outputs.get(at) else { return };
                let Some(cell) = self.cells.get(at) else { return };
                if let Some(count) = levels(info.kind) {
                    let name = cell.name.name.clone();
                    self.load_levels(&name, count);
                } else if cell.single {
                    self.out.push_str(L::type_name(Type::new(info.scalar, 4)));
                    self.out.push('(');
                    cell.name.push(&mut self.out);
                    for lane in 1..4 {
                        self.out.push_str(", ");
                        self.number(info.scalar, info.init[lane], Prec::Lowest);
                    }
                    self.out.push(')');
                } else {
                    cell.name.push(&mut self.out);
                }
            }
            Op::InputOf { first, at } => self.input_of(first, at, args),
            Op::LoadOutputOf { first, at } => self.output_of(first, at, args),
            Op::Sample { .. }
            | Op::Gather { .. }
            | Op::Fetch { .. }
            | Op::TextureSize { .. }
            | Op::TextureSamples { .. } => L::texture(self, inst, args),
            Op::Ddx(slope) => self.call(self.lang.slope('x', slope), args, lanes),
            Op::Ddy(slope) if L::Y_UP => {
                let open = min != Prec::Lowest;
                self.out.push_str(if open { "(-" } else { "-" });
                self.call(self.lang.slope('y', slope), args, lanes);
                if open {
                    self.out.push(')');
                }
            }
            Op::Ddy(slope) => self.call(self.lang.slope('y', slope), args, lanes),
            op if matches!(op.place(), Some(Place::Memory(_) | Place::Image(_))) => {
                L::read_memory(self, inst, args, min);
            }
            op => {
                if !self.load_indexed(inst, args) {
                    self.cannot(op);
                }
            }
        }
    }

    /// Writes what a host gives; bools come as u32.
    #[inline(always)]
    fn host_value(&mut self, scalar: Scalar, lanes: u8, min: Prec, write: impl Fn(&mut Self)) {
        if scalar != Scalar::Bool || self.lang.takes_bools() {
            return write(self);
        }
        let call = L::COMPARES_BY_CALL && lanes > 1;
        let open = !call && min > Prec::Relation;
        if open {
            self.out.push('(');
        }
        if call {
            self.out.push_str(comparison(Pure::Ne).0);
            self.out.push('(');
        }
        write(self);
        self.out.push_str(if call { ", " } else { " != " });
        self.constant(Scalar::U32, &[0; 4][..usize::from(lanes.clamp(1, 4))], Shape::Exact, Prec::Lowest);
        if open || call {
            self.out.push(')');
        }
    }
}
