//! Operations on 64-bit values, in languages like C that have types for them.

use super::helpers::Helper;
use super::{Body, Language, Shape};
use crate::common::Prec;
use vecasm_ir::ir::{Arg, Inst, Op, Pure, Scalar, Type};

impl<'a, L: Language> Body<'a, '_, L> {
    /// Whether an operation takes or gives 64-bit values.
    pub(super) fn is_wide(&self, inst: &Inst, args: &[Arg]) -> bool {
        // Of what was just packed, the words are the arguments.
        let halves = matches!(inst.op, Op::Pure(Pure::Low64 | Pure::High64));
        let result = inst.result.and_then(|v| self.shader.values.get(v.index()));
        halves
            || result.is_some_and(|v| v.ty.scalar.is_wide())
            || args.iter().any(|arg| self.scalar_of(*arg).is_wide())
    }

    /// Writes an operation on 64-bit values that is not said as that on 32 bits is. Tells whether it did.
    pub(super) fn wide(&mut self, inst: &Inst, op: Pure, args: &[Arg], (lanes, min): (u8, Prec)) -> bool {
        if !self.soft.is_empty() && self.soft(inst, op, args, (lanes, min)) {
            return true;
        }
        let Some(a) = args.first().copied() else { return false };
        let b = args.get(1).copied();
        let exact = Self::exact(lanes);
        let from = self.scalar_of(a);
        let to = inst.result.and_then(|v| self.shader.values.get(v.index())).map_or(from, |v| v.ty.scalar);
        match op {
            Pure::Pack64 => self.helper(Helper::PackU64, args, lanes),
            // Of what was just packed, or taken as another type.
            Pure::Low64 | Pure::High64 if !from.is_wide() => self.arg(a, exact, min),
            Pure::Low64 if from == Scalar::F64 => self.helper(Helper::LowF64, args, lanes),
            Pure::High64 if from == Scalar::F64 => self.helper(Helper::HighF64, args, lanes),
            Pure::Low64 => self.call(L::type_name(Type::new(Scalar::U32, lanes)), args, lanes),
            Pure::High64 => {
                self.out.push_str(L::type_name(Type::new(Scalar::U32, lanes)));
                self.out.push('(');
                self.arg(a, exact, Prec::Unary);
                self.out.push_str(" >> 32)");
            }
            Pure::AsF64 | Pure::AsI64 | Pure::AsU64 => match (from, to) {
                // The two halves of it.
                (Scalar::U32, Scalar::F64) => self.helper(Helper::PackF64, args, lanes),
                (Scalar::U32, Scalar::I64) => self.around(Scalar::I64, lanes, |this| {
                    this.helper(Helper::PackU64, args, lanes);
                }),
                (Scalar::U32, _) => self.helper(Helper::PackU64, args, lanes),
                (from, to) if from == to => self.arg(a, exact, min),
                (Scalar::F64, Scalar::I64) => self.around(Scalar::I64, lanes, |this| {
                    this.helper(Helper::BitsOfF64, args, lanes);
                }),
                (Scalar::F64, _) => self.helper(Helper::BitsOfF64, args, lanes),
                (Scalar::I64, Scalar::F64) => {
                    self.helpers.call(Helper::BitsToF64, lanes);
                    super::helpers::push_helper(&mut self.out, Helper::BitsToF64, lanes);
                    self.out.push('(');
                    self.call(L::type_name(Type::new(Scalar::U64, lanes)), args, lanes);
                    self.out.push(')');
                }
                (_, Scalar::F64) => self.helper(Helper::BitsToF64, args, lanes),
                (_, to) => self.call(L::type_name(Type::new(to, lanes)), args, lanes),
            },
            Pure::ToF64 | Pure::ToI64 | Pure::ToU64 if from == to => self.arg(a, exact, min),
            Pure::ToF64 => self.convert(Scalar::F64, args, lanes),
            Pure::ToI64 if from == Scalar::F64 => self.helper(Helper::F64ToI64, args, lanes),
            Pure::ToU64 if from == Scalar::F64 => self.helper(Helper::F64ToU64, args, lanes),
            Pure::ToI64 if from == Scalar::F32 => self.helper(Helper::F32ToI64, args, lanes),
            Pure::ToU64 if from == Scalar::F32 => self.helper(Helper::F32ToU64, args, lanes),
            Pure::ToI64 => self.convert(Scalar::I64, args, lanes),
            // The sign goes through all bits.
            Pure::ToU64 if from == Scalar::I32 => self.around(Scalar::U64, lanes, |this| {
                this.convert(Scalar::I64, args, lanes);
            }),
            Pure::ToU64 => self.convert(Scalar::U64, args, lanes),
            Pure::ToI32 if from == Scalar::F64 => self.helper(Helper::F64ToI32, args, lanes),
            Pure::ToU32 if from == Scalar::F64 => self.helper(Helper::F64ToU32, args, lanes),
            Pure::Div if from == Scalar::F64 => {
                let shape = if self.are_scalars(lanes, args) { Shape::Exact } else { Shape::Loose };
                self.binary(" / ", a, b.unwrap_or(a), (shape, Prec::Product, min));
            }
            Pure::Div if from == Scalar::I64 => self.helper(Helper::DivI64, args, lanes),
            Pure::Div => self.helper(Helper::DivU64, args, lanes),
            Pure::Rem if from == Scalar::I64 => self.helper(Helper::RemI64, args, lanes),
            Pure::Rem => self.helper(Helper::RemU64, args, lanes),
            Pure::Shl | Pure::Shr => {
                let open = min > Prec::Lowest;
                self.out.push_str(if open { "(" } else { "" });
                self.arg(a, exact, Prec::Unary);
                self.out.push_str(if op == Pure::Shl { " << " } else { " >> " });
                self.masked(b.unwrap_or(a), lanes, 63);
                self.out.push_str(if open { ")" } else { "" });
            }
            // Compilers know 64-bit types before they know functions of them.
            Pure::Abs if from == Scalar::I64 => self.helper(Helper::AbsI64, args, lanes),
            Pure::Sign if from == Scalar::I64 => self.helper(Helper::SignI64, args, lanes),
            Pure::Min if from == Scalar::I64 => self.helper(Helper::MinI64, args, lanes),
            Pure::Max if from == Scalar::I64 => self.helper(Helper::MaxI64, args, lanes),
            Pure::Min if from == Scalar::U64 => self.helper(Helper::MinU64, args, lanes),
            Pure::Max if from == Scalar::U64 => self.helper(Helper::MaxU64, args, lanes),
            Pure::Ldexp => self.helper(Helper::LdexpF64, args, lanes),
            Pure::FrexpFraction => self.helper(Helper::FrexpFractionF64, args, lanes),
            Pure::FrexpExponent => self.helper(Helper::FrexpExponentF64, args, lanes),
            // Products with 1 are exact.
            Pure::Sum if a.lanes > 1 => {
                self.out.push_str("dot(");
                self.arg(a, Shape::Exact, Prec::Lowest);
                self.out.push_str(", ");
                self.out.push_str(L::type_name(Type::new(from, a.lanes)));
                self.out.push_str("(1.0))");
            }
            _ => return false,
        }
        true
    }

    /// Whether all arguments beside a vector are written as one lane.
    fn are_scalars(&mut self, lanes: u8, args: &[Arg]) -> bool {
        lanes > 1 && args.iter().all(|arg| self.is_scalar(*arg))
    }

    /// Writes what `write` writes, as a value of another type.
    fn around(&mut self, to: Scalar, lanes: u8, write: impl FnOnce(&mut Self)) {
        self.out.push_str(L::type_name(Type::new(to, lanes)));
        self.out.push('(');
        write(self);
        self.out.push(')');
    }

    /// Writes a constant, of which each lane has a low and a high word.
    pub(super) fn wide_constant(&mut self, ty: Type, words: &[u32], min: Prec) {
        if self.soft.has(ty.scalar) {
            return self.soft_constant(ty, words);
        }
        let lanes = usize::from(ty.lanes.clamp(1, 2));
        if lanes > 1 {
            self.out.push_str(L::type_name(ty));
            self.out.push('(');
        }
        for (n, pair) in words.chunks_exact(2).take(lanes).enumerate() {
            self.out.push_str(if n > 0 { ", " } else { "" });
            let bits = u64::from(pair[0]) | u64::from(pair[1]) << 32;
            let open = lanes == 1 && min > Prec::Unary;
            self.out.push_str(if open { "(" } else { "" });
            L::push_wide(&mut self.out, ty.scalar, bits);
            self.out.push_str(if open { ")" } else { "" });
        }
        if lanes > 1 {
            self.out.push(')');
        }
    }
}
