//! Pure operations.

use super::super::module::Id;
use super::super::rules;
use super::super::words::{glsl, op};
use super::{Body, Known, lane_of};
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Inst, Op, Pure, Rule, Scalar, Type};

impl<'a> Body<'a> {
    /// The result of a pure operation; `None` if it is another name of its argument.
    pub(super) fn pure(&mut self, inst: &Inst, what: Pure, args: &[Arg]) -> Option<Id> {
        let result = inst.result?;
        let a = *args.first()?;
        let b = args.get(1).copied().unwrap_or(a);
        let out = self.type_of(result);
        let scalar = match what {
            Pure::Select => self.scalar_of(b),
            _ => self.scalar_of(a),
        };
        let float = matches!(scalar, Scalar::F32 | Scalar::F64);
        if scalar == Scalar::F32 && !what.moves() {
            if inst.arith.rule == Rule::Nv20 {
                self.refuse(
                    rules::NV20,
                    format!("the operation has the arithmetic of the NV20 family: `{}`", what.name()),
                );
            } else if inst.arith.flush {
                self.refuse(rules::OP, format!("`{}` flushes denormals", what.name()));
            }
        }
        if let Some(slot) = self.never_negative.get_mut(result.index()) {
            *slot = matches!(what, Pure::Abs | Pure::Saturate | Pure::Exp2);
        }
        let zero_wins = inst.arith.rule == Rule::ZeroWins;
        let signed = matches!(scalar, Scalar::I32 | Scalar::I64);
        let ty = self.m.ty(out);
        // The type of the arguments with the lanes of the result.
        let of = Type::new(scalar, a.lanes);
        let by = |f: u16, s: u16, u: u16| {
            if float {
                f
            } else if signed {
                s
            } else {
                u
            }
        };
        Some(match what {
            Pure::Neg => self.unary(if float { op::F_NEGATE } else { op::S_NEGATE }, ty, a),
            Pure::Not if scalar == Scalar::Bool => self.unary(op::LOGICAL_NOT, ty, a),
            Pure::Not => self.unary(op::NOT, ty, a),
            Pure::Abs if float => self.call(glsl::F_ABS, ty, args),
            Pure::Abs => self.call(glsl::S_ABS, ty, args),
            Pure::Sign if float => self.call(glsl::F_SIGN, ty, args),
            Pure::Sign => self.call(glsl::S_SIGN, ty, args),
            Pure::Saturate => {
                let (zero, one) = (self.m.splat(out, 0), self.one(out));
                let x = self.arg(a);
                self.glsl(glsl::N_CLAMP, ty, &[x, zero, one])
            }
            Pure::Rcp => {
                let (one, x) = (self.one(out), self.arg(a));
                self.op(op::F_DIV, ty, &[one, x])
            }
            Pure::Rsq => self.call(glsl::INVERSE_SQRT, ty, args),
            Pure::Sqrt => self.call(glsl::SQRT, ty, args),
            Pure::Exp2 => self.call(glsl::EXP2, ty, args),
            Pure::Log2 => self.call(glsl::LOG2, ty, args),
            Pure::Sin => self.call(glsl::SIN, ty, args),
            Pure::Cos => self.call(glsl::COS, ty, args),
            Pure::Fract => self.call(glsl::FRACT, ty, args),
            Pure::Floor => self.call(glsl::FLOOR, ty, args),
            Pure::Ceil => self.call(glsl::CEIL, ty, args),
            Pure::Trunc => self.call(glsl::TRUNC, ty, args),
            Pure::RoundEven => self.call(glsl::ROUND_EVEN, ty, args),
            Pure::Min | Pure::Max if float => {
                self.call(if what == Pure::Min { glsl::N_MIN } else { glsl::N_MAX }, ty, args)
            }
            Pure::Min | Pure::Max if scalar == Scalar::I64 || scalar == Scalar::U64 || !float => {
                let number = match (what, signed) {
                    (Pure::Min, true) => glsl::S_MIN,
                    (Pure::Min, false) => glsl::U_MIN,
                    (_, true) => glsl::S_MAX,
                    (_, false) => glsl::U_MAX,
                };
                self.call(number, ty, args)
            }
            Pure::Add => self.binary(by(op::F_ADD, op::I_ADD, op::I_ADD), ty, a, b),
            Pure::Sub => self.binary(by(op::F_SUB, op::I_SUB, op::I_SUB), ty, a, b),
            Pure::Mul if float => self.product(out, zero_wins, a, b),
            Pure::Mul => self.binary(op::I_MUL, ty, a, b),
            Pure::Div if float => self.binary(op::F_DIV, ty, a, b),
            Pure::Div | Pure::Rem => self.quotient(what, out, signed, a, b),
            Pure::Fma => {
                let c = *args.get(2)?;
                let id = self.call(glsl::FMA, ty, args);
                if !zero_wins {
                    return Some(id);
                }
                let (none, c) = (self.m.splat(out, 0), self.arg(c));
                let sum = self.op(op::F_ADD, ty, &[none, c]);
                self.unless_zero(out, &[a, b], sum, id)
            }
            Pure::Pow => self.power(out, a, b),
            Pure::Ldexp if scalar == Scalar::F32 => self.ldexp(out, a, b),
            Pure::MulHigh => {
                let one = self.m.ty(of);
                let pair = self.m.other(op::TYPE_STRUCT, &[one, one]);
                let (x, y) = (self.arg(a), self.arg(b));
                let both =
                    self.op(if signed { op::S_MUL_EXTENDED } else { op::U_MUL_EXTENDED }, pair, &[x, y]);
                self.op(op::COMPOSITE_EXTRACT, ty, &[both, 1])
            }
            Pure::And | Pure::Or if scalar == Scalar::Bool => {
                let (x, y) = (self.arg(a), self.arg(b));
                if what == Pure::And { self.and(out.lanes, x, y) } else { self.or(out.lanes, x, y) }
            }
            Pure::Xor if scalar == Scalar::Bool => self.binary(op::LOGICAL_NOT_EQUAL, ty, a, b),
            Pure::And => self.binary(op::BITWISE_AND, ty, a, b),
            Pure::Or => self.binary(op::BITWISE_OR, ty, a, b),
            Pure::Xor => self.binary(op::BITWISE_XOR, ty, a, b),
            Pure::Shl | Pure::Shr => {
                let code = match (what, signed) {
                    (Pure::Shl, _) => op::SHIFT_LEFT_LOGICAL,
                    (_, true) => op::SHIFT_RIGHT_ARITHMETIC,
                    (_, false) => op::SHIFT_RIGHT_LOGICAL,
                };
                let count = self.masked(b, if scalar.is_wide() { 63 } else { 31 });
                let x = self.arg(a);
                self.op(code, ty, &[x, count])
            }
            Pure::BitExtract => self.bit_extract(out, signed, args)?,
            Pure::BitInsert => self.bit_insert(out, args)?,
            Pure::BitReverse => self.unary(op::BIT_REVERSE, ty, a),
            Pure::BitCount | Pure::FirstLow | Pure::FirstHigh => {
                // Readers of SPIR-V take the result for one of the argument's type.
                let own = self.m.ty(of);
                let id = match what {
                    Pure::BitCount => self.unary(op::BIT_COUNT, own, a),
                    Pure::FirstLow => self.call(glsl::FIND_I_LSB, own, args),
                    _ => self.call(if signed { glsl::FIND_S_MSB } else { glsl::FIND_U_MSB }, own, args),
                };
                if signed { id } else { self.op(op::BITCAST, ty, &[id]) }
            }
            Pure::Lt => self.binary(by(op::F_ORD_LESS_THAN, op::S_LESS_THAN, op::U_LESS_THAN), ty, a, b),
            Pure::Ge => {
                let code =
                    by(op::F_ORD_GREATER_THAN_EQUAL, op::S_GREATER_THAN_EQUAL, op::U_GREATER_THAN_EQUAL);
                self.binary(code, ty, a, b)
            }
            Pure::Eq if scalar == Scalar::Bool => self.binary(op::LOGICAL_EQUAL, ty, a, b),
            Pure::Ne if scalar == Scalar::Bool => self.binary(op::LOGICAL_NOT_EQUAL, ty, a, b),
            Pure::Eq => self.binary(by(op::F_ORD_EQUAL, op::I_EQUAL, op::I_EQUAL), ty, a, b),
            Pure::Ne => self.binary(by(op::F_UNORD_NOT_EQUAL, op::I_NOT_EQUAL, op::I_NOT_EQUAL), ty, a, b),
            Pure::Select => {
                let (yes, no) = (*args.get(1)?, *args.get(2)?);
                let cond = self.arg(a);
                let (yes, no) = (self.arg(yes), self.arg(no));
                if a.lanes == 1 {
                    return Some(self.select(out, cond, yes, no));
                }
                self.op(op::SELECT, ty, &[cond, yes, no])
            }
            Pure::Dot if zero_wins => {
                let each = self.product(of, true, a, b);
                self.sum_of(scalar, each, a.lanes)
            }
            Pure::Dot if a.lanes == 1 => self.binary(op::F_MUL, ty, a, b),
            // The order of the additions is that of the lanes only where it must be.
            Pure::Dot if inst.arith.precise => {
                let each = self.product(of, false, a, b);
                self.sum_of(scalar, each, a.lanes)
            }
            Pure::Dot => self.binary(op::DOT, ty, a, b),
            Pure::Sum if a.lanes > 1 => {
                let x = self.arg(a);
                self.sum_of(scalar, x, a.lanes)
            }
            Pure::All if a.lanes > 1 => self.unary(op::ALL, ty, a),
            Pure::Any if a.lanes > 1 => self.unary(op::ANY, ty, a),
            Pure::Sum | Pure::All | Pure::Any => {
                self.alias(result, a);
                return None;
            }
            Pure::ToF32
            | Pure::ToF64
            | Pure::ToI32
            | Pure::ToU32
            | Pure::ToI64
            | Pure::ToU64
            | Pure::AsF32
            | Pure::AsI32
            | Pure::AsU32
            | Pure::AsF64
            | Pure::AsI64
            | Pure::AsU64 => {
                if scalar == out.scalar {
                    self.alias(result, a);
                    return None;
                }
                self.convert(result, what, a)
            }
            Pure::Pack64 | Pure::Low64 | Pure::High64 | Pure::ToHalf | Pure::FromHalf => {
                self.packed(what, out, a, b)
            }
            other => {
                self.cannot(Op::Pure(other));
                return None;
            }
        })
    }

    fn unary(&mut self, code: u16, ty: Id, a: Arg) -> Id {
        let x = self.arg(a);
        self.op(code, ty, &[x])
    }

    fn binary(&mut self, code: u16, ty: Id, a: Arg, b: Arg) -> Id {
        let (x, y) = (self.arg(a), self.arg(b));
        self.op(code, ty, &[x, y])
    }

    fn call(&mut self, number: u32, ty: Id, args: &[Arg]) -> Id {
        let mut ids = [0; 4];
        for (id, arg) in ids.iter_mut().zip(args) {
            *id = self.arg(*arg);
        }
        self.glsl(number, ty, &ids[..args.len().min(4)])
    }

    /// A constant 1.
    pub(super) fn one(&mut self, ty: Type) -> Id {
        let bits = match ty.scalar {
            Scalar::F32 => u64::from(1f32.to_bits()),
            Scalar::F64 => 1f64.to_bits(),
            _ => 1,
        };
        self.m.splat(ty, bits)
    }

    /// A constant of f32.
    pub(super) fn float(&mut self, lanes: u8, value: f32) -> Id {
        self.m.splat(Type::new(Scalar::F32, lanes), u64::from(value.to_bits()))
    }

    /// A product of floats.
    fn product(&mut self, ty: Type, zero_wins: bool, a: Arg, b: Arg) -> Id {
        let of = self.m.ty(ty);
        let id = match (self.spread_lane(a), self.spread_lane(b)) {
            // A vector times one lane.
            (None, Some(lane)) => {
                let (x, y) = (self.arg(a), self.arg(lane));
                self.op(op::VECTOR_TIMES_SCALAR, of, &[x, y])
            }
            (Some(lane), None) => {
                let (x, y) = (self.arg(b), self.arg(lane));
                self.op(op::VECTOR_TIMES_SCALAR, of, &[x, y])
            }
            _ => self.binary(op::F_MUL, of, a, b),
        };
        // A square is +0 where its root is zero, and nothing else is there to be outweighed.
        let same = self.resolve(a) == self.resolve(b);
        if !zero_wins || same {
            return id;
        }
        let none = self.m.splat(ty, 0);
        self.unless_zero(ty, &[a, b], none, id)
    }

    /// The lane that all lanes of a vector are.
    fn spread_lane(&self, arg: Arg) -> Option<Arg> {
        let arg = self.resolve(arg);
        let is_id = matches!(self.values.get(arg.value.index()), Some(Known::Id(_)));
        if arg.lanes < 2 || !is_id {
            return None;
        }
        let first = arg.swizzle.get(0);
        let same = (1..usize::from(arg.lanes)).all(|n| arg.swizzle.get(n) == first);
        (same || self.type_of(arg.value).lanes == 1).then(|| lane_of(arg, 0))
    }

    /// `otherwise` where no factor is zero, `zero` where one is, lane by lane.
    fn unless_zero(&mut self, ty: Type, factors: &[Arg], zero: Id, otherwise: Id) -> Id {
        let (of, bool) = (self.m.ty(ty), self.ty(Scalar::Bool, ty.lanes));
        let none = self.m.splat(ty, 0);
        let mut result = otherwise;
        for factor in factors {
            let known = self.constant(*factor);
            let never = known.is_some_and(|bits| {
                bits[..usize::from(factor.lanes.min(4))].iter().all(|lane| (*lane as u32) << 1 != 0)
            });
            if never {
                continue;
            }
            let x = self.arg(*factor);
            let equal = self.op(op::F_ORD_EQUAL, bool, &[x, none]);
            result = self.op(op::SELECT, of, &[equal, zero, result]);
        }
        result
    }

    /// Whether both conditions hold. Readers of SPIR-V know the logical operations of single lanes only.
    fn and(&mut self, lanes: u8, a: Id, b: Id) -> Id {
        let ty = self.ty(Scalar::Bool, lanes);
        if lanes == 1 {
            return self.op(op::LOGICAL_AND, ty, &[a, b]);
        }
        let no = self.m.splat(Type::new(Scalar::Bool, lanes), 0);
        self.op(op::SELECT, ty, &[a, b, no])
    }

    /// Whether at least one condition holds.
    fn or(&mut self, lanes: u8, a: Id, b: Id) -> Id {
        let ty = self.ty(Scalar::Bool, lanes);
        if lanes == 1 {
            return self.op(op::LOGICAL_OR, ty, &[a, b]);
        }
        let yes = self.m.splat(Type::new(Scalar::Bool, lanes), 1);
        self.op(op::SELECT, ty, &[a, yes, b])
    }

    /// The lanes of a vector added in ascending order.
    fn sum_of(&mut self, scalar: Scalar, vector: Id, lanes: u8) -> Id {
        if lanes == 1 {
            return vector;
        }
        let ty = self.ty(scalar, 1);
        let mut sum = self.extract(scalar, vector, 0);
        for lane in 1..u32::from(lanes) {
            let next = self.extract(scalar, vector, lane);
            sum = self.op(op::F_ADD, ty, &[sum, next]);
        }
        sum
    }

    /// A quotient or a remainder of integers, with what SPIR-V leaves open defined.
    fn quotient(&mut self, what: Pure, ty: Type, signed: bool, a: Arg, b: Arg) -> Id {
        let of = self.m.ty(ty);
        let bool = self.ty(Scalar::Bool, ty.lanes);
        let bits = if ty.scalar.is_wide() { 64 } else { 32 };
        let ones = if bits == 64 { u64::MAX } else { u64::from(u32::MAX) };
        let code = match (what, signed) {
            (Pure::Div, true) => op::S_DIV,
            (Pure::Div, false) => op::U_DIV,
            (_, true) => op::S_REM,
            (_, false) => op::U_MOD,
        };
        let known = self.constant(b).map(|lanes| lanes[..usize::from(b.lanes.min(4))].to_vec());
        if known.is_some_and(|lanes| lanes.iter().all(|lane| *lane != 0 && (!signed || *lane != ones))) {
            return self.binary(code, of, a, b);
        }
        let (x, y) = (self.arg(a), self.arg(b));
        let zero = self.m.splat(ty, 0);
        let none = self.op(op::I_EQUAL, bool, &[y, zero]);
        let mut bad = none;
        if signed {
            let (minus, least) = (self.m.splat(ty, ones), self.m.splat(ty, 1 << (bits - 1)));
            let by_minus = self.op(op::I_EQUAL, bool, &[y, minus]);
            let of_least = self.op(op::I_EQUAL, bool, &[x, least]);
            let both = self.and(ty.lanes, by_minus, of_least);
            bad = self.or(ty.lanes, none, both);
        }
        let one = self.m.splat(ty, 1);
        let divisor = self.op(op::SELECT, of, &[bad, one, y]);
        let result = self.op(code, of, &[x, divisor]);
        let by_zero = if what == Pure::Div && signed { zero } else { self.m.splat(ty, ones) };
        self.op(op::SELECT, of, &[none, by_zero, result])
    }

    /// The low bits of a number.
    fn masked(&mut self, arg: Arg, mask: u64) -> Id {
        let ty = Type::new(Scalar::U32, arg.lanes);
        if let Some(bits) = self.constant(arg) {
            let bits = bits.map(|lane| lane & mask);
            return self.m.constant(Scalar::U32, &bits[..usize::from(arg.lanes.clamp(1, 4))]);
        }
        let (of, mask, x) = (self.m.ty(ty), self.m.splat(ty, mask), self.arg(arg));
        self.op(op::BITWISE_AND, of, &[x, mask])
    }

    /// Bit fields take one range for all lanes in SPIR-V, so each lane is an operation.
    fn each_lane(
        &mut self,
        ty: Type,
        args: &[Arg],
        mut work: impl FnMut(&mut Self, &[Arg]) -> Option<Id>,
    ) -> Option<Id> {
        if ty.lanes == 1 {
            return work(self, args);
        }
        let mut ids = Vec::with_capacity(4);
        for lane in 0..ty.lanes {
            let args: Vec<Arg> = args.iter().map(|arg| lane_of(*arg, lane)).collect();
            ids.push(work(self, &args)?);
        }
        let of = self.m.ty(ty);
        Some(self.op(op::COMPOSITE_CONSTRUCT, of, &ids))
    }

    fn bit_extract(&mut self, ty: Type, signed: bool, args: &[Arg]) -> Option<Id> {
        let code = if signed { op::BIT_FIELD_S_EXTRACT } else { op::BIT_FIELD_U_EXTRACT };
        let one = Type::new(ty.scalar, 1);
        self.each_lane(ty, args, |this, args| {
            let [x, offset, count] = args else { return None };
            let (of, uint, bool) = (this.m.ty(one), this.m.ty(Type::U32), this.m.ty(Type::BOOL));
            let x = this.arg(*x);
            if let (Some(offset), Some(count)) = (this.number(*offset), this.number(*count)) {
                let start = offset as u32 & 31;
                let count = count as u32;
                let count = if count == 32 && start == 0 { 32 } else { (count & 31).min(32 - start) };
                let (start, count) = (this.m.uint(start), this.m.uint(count));
                return Some(this.op(code, of, &[x, start, count]));
            }
            let start = this.masked(*offset, 31);
            let bits = this.masked(*count, 31);
            let (all, zero) = (this.m.uint(32), this.m.uint(0));
            let left = this.op(op::I_SUB, uint, &[all, start]);
            let bits = this.glsl(glsl::U_MIN, uint, &[bits, left]);
            let count = this.arg(*count);
            let whole = this.op(op::I_EQUAL, bool, &[count, all]);
            let first = this.op(op::I_EQUAL, bool, &[start, zero]);
            let whole = this.op(op::LOGICAL_AND, bool, &[whole, first]);
            let bits = this.op(op::SELECT, uint, &[whole, all, bits]);
            Some(this.op(code, of, &[x, start, bits]))
        })
    }

    fn bit_insert(&mut self, ty: Type, args: &[Arg]) -> Option<Id> {
        let one = Type::new(ty.scalar, 1);
        self.each_lane(ty, args, |this, args| {
            let [x, y, offset, count] = args else { return None };
            let (of, uint, bool) = (this.m.ty(one), this.m.ty(Type::U32), this.m.ty(Type::BOOL));
            let (x, y) = (this.arg(*x), this.arg(*y));
            if let (Some(offset), Some(count)) = (this.number(*offset), this.number(*count)) {
                if count as u32 >= 32 {
                    return Some(y);
                }
                let start = offset as u32 & 31;
                let count = (count as u32).min(32 - start);
                let (start, count) = (this.m.uint(start), this.m.uint(count));
                return Some(this.op(op::BIT_FIELD_INSERT, of, &[x, y, start, count]));
            }
            let start = this.masked(*offset, 31);
            let (all, count) = (this.m.uint(32), this.arg(*count));
            let left = this.op(op::I_SUB, uint, &[all, start]);
            let bits = this.glsl(glsl::U_MIN, uint, &[count, left]);
            let put = this.op(op::BIT_FIELD_INSERT, of, &[x, y, start, bits]);
            let whole = this.op(op::U_GREATER_THAN_EQUAL, bool, &[count, all]);
            Some(this.op(op::SELECT, of, &[whole, y, put]))
        })
    }

    /// `pow` of IEEE 754: 1 for the exponent 0, the sign of an odd power, NaN for a negative finite base with a broken
    /// exponent.
    fn power(&mut self, ty: Type, a: Arg, b: Arg) -> Id {
        let of = self.m.ty(ty);
        let (base, exponent) = (self.arg(a), self.arg(b));
        if !self.may_be_negative(a) {
            return self.glsl(glsl::POW, of, &[base, exponent]);
        }
        let lanes = ty.lanes;
        let (bool, ints) = (self.ty(Scalar::Bool, lanes), self.ty(Scalar::I32, lanes));
        let magnitude = self.glsl(glsl::F_ABS, of, &[base]);
        let power = self.glsl(glsl::POW, of, &[magnitude, exponent]);
        let (zero, half, one) = (self.float(lanes, 0.0), self.float(lanes, 0.5), self.float(lanes, 1.0));
        let bits = self.op(op::BITCAST, ints, &[base]);
        let no_bits = self.m.splat(Type::new(Scalar::I32, lanes), 0);
        let negative = self.op(op::S_LESS_THAN, bool, &[bits, no_bits]);
        let halved = self.op(op::F_MUL, of, &[exponent, half]);
        let rest = self.glsl(glsl::FRACT, of, &[halved]);
        let odd = self.op(op::F_ORD_EQUAL, bool, &[rest, half]);
        let turned = self.and(lanes, negative, odd);
        let opposite = self.op(op::F_NEGATE, of, &[power]);
        let signed = self.op(op::SELECT, of, &[turned, opposite, power]);
        // A negative finite base, and an exponent that is no integer.
        let lowest = self.float(lanes, f32::MIN);
        let below = self.op(op::F_ORD_LESS_THAN, bool, &[base, zero]);
        let finite = self.op(op::F_ORD_GREATER_THAN_EQUAL, bool, &[base, lowest]);
        let whole = self.glsl(glsl::FLOOR, of, &[exponent]);
        let broken = self.op(op::F_UNORD_NOT_EQUAL, bool, &[exponent, whole]);
        let broken = self.and(lanes, broken, below);
        let broken = self.and(lanes, broken, finite);
        let nan = self.literal(ty.scalar, &[u64::from(0x7fc0_0000u32); 4][..usize::from(lanes.clamp(1, 4))]);
        let signed = self.op(op::SELECT, of, &[broken, nan, signed]);
        let none = self.op(op::F_ORD_EQUAL, bool, &[exponent, zero]);
        self.op(op::SELECT, of, &[none, one, signed])
    }

    /// x · 2^n for every n, in three steps of which only the last one rounds.
    fn ldexp(&mut self, ty: Type, a: Arg, b: Arg) -> Id {
        let lanes = ty.lanes;
        let number = Type::new(Scalar::I32, lanes);
        let (of, ints, bool) = (self.m.ty(ty), self.m.ty(number), self.ty(Scalar::Bool, lanes));
        let (mut x, n) = (self.arg(a), self.arg(b));
        let int = |this: &mut Self, n: i32| this.m.splat(number, u64::from(n as u32));
        let (low, high) = (int(self, -300), int(self, 300));
        let mut left = self.glsl(glsl::S_CLAMP, ints, &[n, low, high]);
        let (top, bottom, up, down, none) =
            (int(self, 127), int(self, -126), int(self, -127), int(self, 102), int(self, 0));
        for _ in 0..2 {
            let large = self.op(op::S_LESS_THAN, bool, &[top, left]);
            let small = self.op(op::S_LESS_THAN, bool, &[left, bottom]);
            let (more, less, one) = (
                self.float(lanes, f32::from_bits(0x7f00_0000)),
                // By less than a denormal can lose.
                self.float(lanes, f32::from_bits((127 - 102) << 23)),
                self.float(lanes, 1.0),
            );
            let factor = self.op(op::SELECT, of, &[small, less, one]);
            let factor = self.op(op::SELECT, of, &[large, more, factor]);
            x = self.op(op::F_MUL, of, &[x, factor]);
            let step = self.op(op::SELECT, ints, &[small, down, none]);
            let step = self.op(op::SELECT, ints, &[large, up, step]);
            left = self.op(op::I_ADD, ints, &[left, step]);
        }
        let (bias, place) = (int(self, 127), int(self, 23));
        let exponent = self.op(op::I_ADD, ints, &[left, bias]);
        let bits = self.op(op::SHIFT_LEFT_LOGICAL, ints, &[exponent, place]);
        let factor = self.op(op::BITCAST, of, &[bits]);
        self.op(op::F_MUL, of, &[x, factor])
    }
}
