//! Operations on f32 (and bit fields) in simpler ones.

use super::Expanding;
use super::code::Code;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Arith, Pure, Rule, Scalar};
use vecasm_ir::math::CANONICAL_NAN;
use vecasm_ir::operand::Swizzle;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
const FRACTION: u32 = 0x007f_ffff;
const ONE: u32 = 0x3f80_0000;

impl Expanding<'_> {
    /// Appends an operation in the terms that are left; arguments and result are what it takes and gives.
    pub(super) fn arithmetic(&mut self, pure: Pure, arith: Arith, args: &[Arg]) -> Arg {
        let scalar = pure.scalar_of(&self.rw.b.shader, args);
        let single = scalar == Scalar::F32;
        let mut arith = arith;
        if single && arith.rule == Rule::Nv20 {
            return self.plain(pure, arith, args);
        }
        if !single {
            // The rule and the flushing concern f32 only.
            if arith.rule == Rule::ZeroWins && self.what.zero_wins {
                arith.rule = Rule::Ieee;
            }
            arith.flush &= !self.what.flush;
        }
        let flush = single && arith.flush && self.what.flush;
        let zero_wins = single && arith.rule == Rule::ZeroWins && self.what.zero_wins;
        match pure {
            Pure::Sum | Pure::Dot if self.what.sums || flush || zero_wins => {
                return self.reduction(pure, arith, args);
            }
            Pure::BitExtract | Pure::BitInsert if self.what.bit_fields => {
                self.rw.b.arith = arith;
                return self.bit_field(pure, scalar, args);
            }
            _ => {}
        }
        if zero_wins {
            let plain = Arith { rule: Rule::Ieee, ..arith };
            if !matches!(pure, Pure::Mul | Pure::Fma) {
                return self.arithmetic(pure, plain, args);
            }
            let zero = self.constant(0, args[0].lanes);
            let a = self.arithmetic(Pure::Eq, plain, &[args[0], zero]);
            let b = self.arithmetic(Pure::Eq, plain, &[args[1], zero]);
            let product = self.arithmetic(pure, plain, args);
            let wins = self.arithmetic(Pure::Or, plain, &[a, b]);
            let without =
                if pure == Pure::Fma { self.arithmetic(Pure::Add, plain, &[zero, args[2]]) } else { zero };
            return self.plain(Pure::Select, plain, &[wins, without, product]);
        }
        if flush {
            return self.flushed(pure, Arith { flush: false, ..arith }, args);
        }
        let composite = if pure == Pure::Fract { self.what.fract } else { self.what.composites };
        if single && composite && !arith.flush {
            if let Some(value) = self.composite(pure, arith, args) {
                return value;
            }
        }
        self.plain(pure, arith, args)
    }

    /// Appends an operation as it is.
    fn plain(&mut self, pure: Pure, arith: Arith, args: &[Arg]) -> Arg {
        self.rw.b.arith = arith;
        self.rw.b.pure(pure, args)
    }

    /// The f32 of some bits in every lane.
    fn constant(&mut self, bits: u32, lanes: u8) -> Arg {
        Code::new(&mut self.rw, lanes).f(f32::from_bits(bits))
    }

    fn reduction(&mut self, pure: Pure, arith: Arith, args: &[Arg]) -> Arg {
        let Some(&first) = args.first() else { return Arg::all_lanes(vecasm_ir::ir::Value::new(0), 1) };
        let all = if pure == Pure::Dot { self.arithmetic(Pure::Mul, arith, args) } else { first };
        let lane = |i: u8| Arg {
            value: all.value,
            swizzle: Swizzle::splat(all.swizzle.get(usize::from(i))),
            lanes: 1,
        };
        let mut sum = lane(0);
        if first.lanes == 1 && pure == Pure::Sum {
            // One term is itself, but for the bits of a NaN and a denormal that is flushed; adding -0 is that.
            let ieee = Arith { rule: Rule::Ieee, ..arith };
            let wide = self.rw.b.shader.arg_type(first).scalar == Scalar::F64;
            let zero = if wide {
                self.rw.constant([0, SIGN, 0, 0], vecasm_ir::ir::Type::new(Scalar::F64, 1))
            } else {
                self.constant(SIGN, 1)
            };
            return self.arithmetic(Pure::Add, ieee, &[sum, zero]);
        }
        for i in 1..first.lanes {
            sum = self.arithmetic(Pure::Add, arith, &[sum, lane(i)]);
        }
        sum
    }

    /// An f32 with a denormal as a zero of its sign.
    fn flush(&mut self, x: Arg) -> Arg {
        let mut k = Code::new(&mut self.rw, x.lanes);
        let bits = k.as_u(x);
        let exponent = k.mask(bits, INFINITY);
        let tiny = k.is(exponent, 0);
        let sign = k.mask(bits, SIGN);
        let bits = k.select(tiny, sign, bits);
        k.as_f(bits)
    }

    /// An operation on f32 that flushes denormals; `arith` is the one without.
    fn flushed(&mut self, pure: Pure, arith: Arith, args: &[Arg]) -> Arg {
        use vecasm_ir::ir::op::Slot;
        if matches!(
            pure,
            Pure::Neg | Pure::Abs | Pure::Select | Pure::AsF32 | Pure::AsI32 | Pure::AsU32 | Pure::ToHalf
        ) {
            return self.arithmetic(pure, arith, args);
        }
        self.rw.b.arith = arith;
        let given: Vec<Arg> = args
            .iter()
            .zip(pure.slots())
            .map(|(&arg, slot)| if *slot == Slot::T { self.flush(arg) } else { arg })
            .collect();
        let result = self.arithmetic(pure, arith, &given);
        self.rw.b.arith = Arith { rule: Rule::Ieee, ..arith };
        if pure.result() != Slot::T {
            return result;
        }
        let flushed = self.flush(result);
        match pure {
            // Sums of normal numbers are exact where they are denormal, and the reciprocal of what is above 2^126 has not
            // the last place that rounds up to 2^-126; these may have.
            Pure::Mul | Pure::Fma | Pure::Div => self.rounded_up(pure, &given, flushed),
            _ => flushed,
        }
    }

    /// `result`, or a zero of its sign if it is 2^-126 only because a denormal has fewer bits: computed 2^60 times as
    /// large it is below 2^-66. What overflows there is far above, or gives NaN, which is not below.
    fn rounded_up(&mut self, pure: Pure, args: &[Arg], result: Arg) -> Arg {
        self.rw.b.arith = Arith { precise: true, ..Arith::IEEE };
        let mut k = Code::new(&mut self.rw, result.lanes);
        let (a, b) = (args[0], args[1]);
        let scale = k.f(f32::from_bits((127 + 60) << 23));
        let scaled = if pure == Pure::Div {
            // Where the quotient is that small, the dividend is at most 4.
            let a = k.mul(a, scale);
            k.rw.b.pure(Pure::Div, &[a, b])
        } else {
            let (ma, mb) = (magnitude(&mut k, a), magnitude(&mut k, b));
            let less = k.lt(ma, mb);
            let (small, large) = (k.select(less, a, b), k.select(less, b, a));
            let small = k.mul(small, scale);
            match args.get(2) {
                None => k.mul(small, large),
                Some(&addend) => {
                    let addend = k.mul(addend, scale);
                    k.rw.b.pure(Pure::Fma, &[small, large, addend])
                }
            }
        };
        let scaled = k.rw.b.pure(Pure::Abs, &[scaled]);
        let limit = k.f(f32::from_bits((127 - 66) << 23));
        let tiny = k.lt(scaled, limit);
        let bits = k.as_u(result);
        let sign = k.mask(bits, SIGN);
        let bits = k.select(tiny, sign, bits);
        k.as_f(bits)
    }

    /// Composite operations of IEEE f32.
    fn composite(&mut self, pure: Pure, arith: Arith, args: &[Arg]) -> Option<Arg> {
        let x = *args.first()?;
        self.rw.b.arith = arith;
        let k = &mut Code::new(&mut self.rw, x.lanes);
        Some(match pure {
            Pure::Fract => {
                let floor = k.rw.b.pure(Pure::Floor, &[x]);
                k.sub(x, floor)
            }
            Pure::Rcc => {
                let r = k.rw.b.pure(Pure::Rcp, &[x]);
                let bits = k.as_u(r);
                let magnitude = k.mask(bits, !SIGN);
                let (low, high) = (k.u((127 - 64) << 23), k.u((127 + 64) << 23));
                let clamped = k.max(magnitude, low);
                let clamped = k.min(clamped, high);
                let given = k.as_u(x);
                let sign = k.mask(given, SIGN);
                let clamped = k.or(sign, clamped);
                nan_stays(k, x, clamped)
            }
            Pure::Lit => {
                let (y, w) = (*args.get(1)?, *args.get(2)?);
                let zero = k.f(0.0);
                let lit = k.lt(zero, x);
                let positive = k.lt(zero, y);
                let base = k.select(positive, y, zero);
                let (least, most) = (k.f(-128.0), k.f(128.0));
                // NaN is not at least -128.
                let enough = k.ge(w, least);
                let power = k.select(enough, w, least);
                let power = k.min(power, most);
                let shine = k.rw.b.pure(Pure::Pow, &[base, power]);
                k.select(lit, shine, zero)
            }
            Pure::Exp2Floor => {
                let floor = k.rw.b.pure(Pure::Floor, &[x]);
                let n = k.rw.b.pure(Pure::ToI32, &[floor]);
                let (least, most) = (k.i(-150), k.i(128));
                let n = k.max(n, least);
                let n = k.min(n, most);
                let field = k.plus(n, 127);
                let field = k.as_u(field);
                let normal = k.left(field, 23);
                let place = k.plus(n, 149);
                let none = k.i(0);
                let below = k.lt(place, none);
                let place = k.max(place, none);
                let place = k.as_u(place);
                let (one, zero) = (k.u(1), k.u(0));
                let denormal = k.shl(one, place);
                let denormal = k.select(below, zero, denormal);
                let first = k.i(-126);
                let tiny = k.lt(n, first);
                let power = k.select(tiny, denormal, normal);
                nan_stays(k, x, power)
            }
            Pure::Exponent => {
                let (floor, special, zero) = floor_log2(k, x);
                let number = k.rw.b.pure(Pure::ToF32, &[floor]);
                let magnitude = magnitude(k, x);
                let magnitude = k.as_f(magnitude);
                let number = k.select(special, magnitude, number);
                let infinity = k.f(f32::NEG_INFINITY);
                let number = k.select(zero, infinity, number);
                let number = k.as_u(number);
                nan_stays(k, x, number)
            }
            Pure::Mantissa => {
                let (_, special, zero) = floor_log2(k, x);
                let fraction = normal_fraction(k, x);
                let one = k.u(ONE);
                let number = k.or(fraction, one);
                let odd = k.or(special, zero);
                let number = k.select(odd, one, number);
                nan_stays(k, x, number)
            }
            Pure::FrexpFraction => {
                let (_, special, zero) = floor_log2(k, x);
                let fraction = normal_fraction(k, x);
                let half = k.u(0x3f00_0000);
                let number = k.or(fraction, half);
                let bits = k.as_u(x);
                let sign = k.mask(bits, SIGN);
                let number = k.or(sign, number);
                let odd = k.or(special, zero);
                let number = k.select(odd, bits, number);
                nan_stays(k, x, number)
            }
            Pure::FrexpExponent => {
                let (floor, special, zero) = floor_log2(k, x);
                let number = k.plus(floor, 1);
                let odd = k.or(special, zero);
                let none = k.i(0);
                k.select(odd, none, number)
            }
            _ => return None,
        })
    }

    fn bit_field(&mut self, pure: Pure, scalar: Scalar, args: &[Arg]) -> Arg {
        let [x, b, c, rest @ ..] = args else { return self.plain(pure, Arith::IEEE, args) };
        let (x, b, c) = (*x, *b, *c);
        let k = &mut Code::new(&mut self.rw, x.lanes);
        if pure == Pure::BitExtract {
            let (offset, bits) = (k.mask(b, 31), k.mask(c, 31));
            let none = k.is(bits, 0);
            let (width, zero) = (k.u(32), k.u(0));
            let end = k.add(bits, offset);
            let inside = k.lt(end, width);
            let up = k.sub(width, end);
            let left = k.shl(x, up);
            let down = k.sub(width, bits);
            let field = k.shr(left, down);
            let tail = k.shr(x, offset);
            let field = k.select(inside, field, tail);
            let nothing = if scalar == Scalar::I32 { k.i(0) } else { zero };
            let field = k.select(none, nothing, field);
            let all = k.is(c, 32);
            let first = k.is(offset, 0);
            let whole = k.and(all, first);
            return k.select(whole, x, field);
        }
        let Some(&n) = rest.first() else { return x };
        let offset = k.mask(c, 31);
        let one = k.u(1);
        let mask = k.shl(one, n);
        let mask = k.sub(mask, one);
        let mask = k.shl(mask, offset);
        let signed = scalar == Scalar::I32;
        let (old, new) = if signed { (k.as_u(x), k.as_u(b)) } else { (x, b) };
        let outside = k.not(mask);
        let kept = k.and(old, outside);
        let placed = k.shl(new, offset);
        let placed = k.and(placed, mask);
        let mixed = k.or(kept, placed);
        let width = k.u(32);
        let all = k.ge(n, width);
        let mixed = k.select(all, new, mixed);
        if signed { k.as_i(mixed) } else { mixed }
    }
}

/// The bits of an f32 without the sign.
fn magnitude(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let bits = k.as_u(x);
    k.mask(bits, !SIGN)
}

/// The f32 of some bits, but the one NaN where `x` is one.
fn nan_stays(k: &mut Code<'_, '_>, x: Arg, bits: Arg) -> Arg {
    let magnitude = magnitude(k, x);
    let infinity = k.u(INFINITY);
    let nan = k.lt(infinity, magnitude);
    let the_nan = k.u(CANONICAL_NAN);
    let bits = k.select(nan, the_nan, bits);
    k.as_f(bits)
}

/// floor(log2 |x|) as i32 of a number that is not zero; whether it is an infinity or NaN; whether it is zero.
fn floor_log2(k: &mut Code<'_, '_>, x: Arg) -> (Arg, Arg, Arg) {
    let bits = magnitude(k, x);
    let field = k.right(bits, 23);
    let field = k.as_i(field);
    let normal = k.plus(field, -127);
    let high = k.first_high(bits);
    let high = k.as_i(high);
    let denormal = k.plus(high, -149);
    let none = k.i(0);
    let tiny = k.eq(field, none);
    let floor = k.select(tiny, denormal, normal);
    let last = k.i(255);
    let special = k.eq(field, last);
    (floor, special, k.is(bits, 0))
}

/// The 23 fraction bits of a number that is not zero; those of a denormal are shifted up until the first one is gone.
fn normal_fraction(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let bits = magnitude(k, x);
    let high = k.first_high(bits);
    let top = k.i(23);
    let by = k.sub(top, high);
    let none = k.i(0);
    let by = k.max(by, none);
    let by = k.as_u(by);
    let bits = k.shl(bits, by);
    k.mask(bits, FRACTION)
}
