//! Conversions between types, and bits taken apart.

use super::super::module::Id;
use super::super::words::{glsl, op};
use super::{Body, lane_of};
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Pure, Scalar, Type, Value};

impl<'a> Body<'a> {
    /// A value of one type as one of another.
    pub(super) fn convert(&mut self, result: Value, what: Pure, a: Arg) -> Id {
        let (from, out) = (self.scalar_of(a), self.type_of(result));
        let ty = self.m.ty(out);
        let x = self.arg(a);
        if matches!(what, Pure::AsF32 | Pure::AsI32 | Pure::AsU32 | Pure::AsF64 | Pure::AsI64 | Pure::AsU64) {
            return self.op(op::BITCAST, ty, &[x]);
        }
        let unsigned = |scalar| matches!(scalar, Scalar::U32 | Scalar::U64);
        match (from, out.scalar) {
            (Scalar::Bool, _) => {
                let (one, zero) = (self.one(out), self.m.splat(out, 0));
                self.op(op::SELECT, ty, &[x, one, zero])
            }
            (Scalar::F32 | Scalar::F64, Scalar::F32 | Scalar::F64) => self.op(op::F_CONVERT, ty, &[x]),
            (from, Scalar::F32 | Scalar::F64) => {
                self.op(if unsigned(from) { op::CONVERT_U_TO_F } else { op::CONVERT_S_TO_F }, ty, &[x])
            }
            (Scalar::F32, to) if to == Scalar::I32 && self.uses.index_only(result) => {
                // The index is clamped anyway; what is to be kept from it is what has no integer, and NaN, which is 0.
                let of = Type::new(Scalar::F32, out.lanes);
                let (low, high) =
                    (self.float(out.lanes, -2_147_483_648.0), self.float(out.lanes, 2_147_483_520.0));
                let floats = self.m.ty(of);
                let near = self.glsl(glsl::N_CLAMP, floats, &[x, low, high]);
                let near = self.op(op::CONVERT_F_TO_S, ty, &[near]);
                let (nan, zero) = (self.is_nan(of, x), self.m.splat(out, 0));
                self.op(op::SELECT, ty, &[nan, zero, near])
            }
            (from @ (Scalar::F32 | Scalar::F64), _) => self.truncated(from, out, x),
            // Integers of one width are the same bits.
            (from, to) if from.is_wide() == to.is_wide() => self.op(op::BITCAST, ty, &[x]),
            (from, to) => {
                // Wider by the sign of what is widened, narrower by leaving bits out; the signs are then made to fit.
                let wide = to.is_wide();
                let signed = if wide { !unsigned(from) } else { !unsigned(to) };
                let middle = match (wide, signed) {
                    (true, true) => Scalar::I64,
                    (true, false) => Scalar::U64,
                    (false, true) => Scalar::I32,
                    (false, false) => Scalar::U32,
                };
                let of = self.ty(middle, out.lanes);
                let id = self.op(if signed { op::S_CONVERT } else { op::U_CONVERT }, of, &[x]);
                if middle == to { id } else { self.op(op::BITCAST, ty, &[id]) }
            }
        }
    }

    /// A float as an integer: what is out of range saturates, NaN gives 0.
    fn truncated(&mut self, from: Scalar, out: Type, x: Id) -> Id {
        let lanes = out.lanes;
        let ty = self.m.ty(out);
        let bool = self.ty(Scalar::Bool, lanes);
        let (least, most, code) = match out.scalar {
            Scalar::U32 => (0, u64::from(u32::MAX), op::CONVERT_F_TO_U),
            Scalar::U64 => (0, u64::MAX, op::CONVERT_F_TO_U),
            Scalar::I64 => (1 << 63, i64::MAX as u64, op::CONVERT_F_TO_S),
            _ => (u64::from(0x8000_0000u32), i32::MAX as u64, op::CONVERT_F_TO_S),
        };
        let (low, high) = match out.scalar {
            Scalar::U32 => (0.0, 4_294_967_296.0),
            Scalar::U64 => (0.0, 18_446_744_073_709_551_616.0),
            Scalar::I64 => (-9_223_372_036_854_775_808.0, 9_223_372_036_854_775_808.0),
            _ => (-2_147_483_648.0, 2_147_483_648.0),
        };
        let of = Type::new(from, lanes);
        let limit = |this: &mut Self, value: f64| {
            let bits =
                if from == Scalar::F64 { value.to_bits() } else { u64::from((value as f32).to_bits()) };
            this.m.splat(of, bits)
        };
        let (low, high) = (limit(self, low), limit(self, high));
        let near = self.op(code, ty, &[x]);
        let above = self.op(op::F_ORD_GREATER_THAN_EQUAL, bool, &[x, high]);
        let most = self.m.splat(out, most);
        let near = self.op(op::SELECT, ty, &[above, most, near]);
        let below = self.op(op::F_ORD_LESS_THAN, bool, &[x, low]);
        let least = self.m.splat(out, least);
        let near = self.op(op::SELECT, ty, &[below, least, near]);
        let nan = self.is_nan(of, x);
        let zero = self.m.splat(out, 0);
        self.op(op::SELECT, ty, &[nan, zero, near])
    }

    /// Whether lanes are NaN: by the bits, so that no driver takes it for impossible.
    fn is_nan(&mut self, ty: Type, x: Id) -> Id {
        let bool = self.ty(Scalar::Bool, ty.lanes);
        if ty.scalar == Scalar::F64 {
            return self.op(op::F_UNORD_NOT_EQUAL, bool, &[x, x]);
        }
        let uint = Type::new(Scalar::U32, ty.lanes);
        let (of, mask, infinity) =
            (self.m.ty(uint), self.m.splat(uint, 0x7fff_ffff), self.m.splat(uint, 0x7f80_0000));
        let bits = self.op(op::BITCAST, of, &[x]);
        let magnitude = self.op(op::BITWISE_AND, of, &[bits, mask]);
        self.op(op::U_GREATER_THAN, bool, &[magnitude, infinity])
    }

    /// Operations on halves of bits, each lane by itself.
    pub(super) fn packed(&mut self, what: Pure, ty: Type, a: Arg, b: Arg) -> Id {
        let of = self.m.ty(ty);
        let mut ids = Vec::with_capacity(4);
        for lane in 0..ty.lanes {
            let x = self.arg(lane_of(a, lane));
            let (one, pair) = (self.ty(ty.scalar, 1), self.ty(Scalar::U32, 2));
            ids.push(match what {
                Pure::Pack64 => {
                    let y = self.arg(lane_of(b, lane));
                    let both = self.op(op::COMPOSITE_CONSTRUCT, pair, &[x, y]);
                    self.op(op::BITCAST, one, &[both])
                }
                Pure::Low64 | Pure::High64 => {
                    let both = self.op(op::BITCAST, pair, &[x]);
                    self.extract(Scalar::U32, both, u32::from(what == Pure::High64))
                }
                Pure::FromHalf => {
                    let floats = self.ty(Scalar::F32, 2);
                    let both = self.glsl(glsl::UNPACK_HALF_2X16, floats, &[x]);
                    self.extract(Scalar::F32, both, 0)
                }
                _ => self.half(x),
            });
        }
        if let [only] = ids.as_slice() { *only } else { self.op(op::COMPOSITE_CONSTRUCT, of, &ids) }
    }

    /// The bits of the nearest half; from 65520 on an infinity, which SPIR-V leaves open.
    fn half(&mut self, x: Id) -> Id {
        let (uint, bool) = (self.m.ty(Type::U32), self.m.ty(Type::BOOL));
        let floats = self.ty(Scalar::F32, 2);
        let zero = self.float(1, 0.0);
        let both = self.op(op::COMPOSITE_CONSTRUCT, floats, &[x, zero]);
        let near = self.glsl(glsl::PACK_HALF_2X16, uint, &[both]);
        let bits = self.op(op::BITCAST, uint, &[x]);
        let number = |this: &mut Self, n: u32| this.m.uint(n);
        let (mask, sign, places, infinity) =
            (number(self, 0x7fff_ffff), number(self, 0x8000), number(self, 16), number(self, 0x7c00));
        let magnitude = self.op(op::BITWISE_AND, uint, &[bits, mask]);
        let high = self.op(op::SHIFT_RIGHT_LOGICAL, uint, &[bits, places]);
        let sign = self.op(op::BITWISE_AND, uint, &[high, sign]);
        let infinite = self.op(op::BITWISE_OR, uint, &[sign, infinity]);
        let (limit, last, quiet) =
            (number(self, 0x477f_efff), number(self, 0x7f80_0000), number(self, 0x7e00));
        let large = self.op(op::U_GREATER_THAN, bool, &[magnitude, limit]);
        let near = self.op(op::SELECT, uint, &[large, infinite, near]);
        let nan = self.op(op::U_GREATER_THAN, bool, &[magnitude, last]);
        self.op(op::SELECT, uint, &[nan, quiet, near])
    }
}
