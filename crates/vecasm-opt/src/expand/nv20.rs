//! The operations of [`math::nv20`] in 32-bit integers, one function each, in the same order and words. What is
//! computed there with 64 bits is a pair of words here. Arguments and results are u32 (or i32 where they are
//! signed numbers), or bool.

use super::code::Code;
use crate::rewrite::Rewrite;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Pure};
use vecasm_ir::math::nv20::{self, EXP2, EXP2_LAST, HIDDEN, INFINITY, LOG2, LOG2_LAST, MAX, NAN, ONE, SIGN};
use vecasm_ir::operand::Swizzle;

const FRACTION: u32 = HIDDEN - 1;

/// An operation that is defined under [`Rule::Nv20`](vecasm_ir::ir::Rule::Nv20), on f32 held as u32.
pub(super) fn operation(rw: &mut Rewrite<'_>, pure: Pure, args: &[Arg]) -> Arg {
    let Some(&a) = args.first() else { return Arg::all_lanes(vecasm_ir::ir::Value::new(0), 1) };
    if pure.reduces() {
        return reduction(rw, pure, args, a.lanes);
    }
    let b = args.get(1).copied().unwrap_or(a);
    let c = args.get(2).copied().unwrap_or(a);
    let mut code = Code::new(rw, a.lanes);
    let k = &mut code;
    match pure {
        Pure::Saturate => saturate(k, a),
        Pure::Rcp => rcp(k, a),
        Pure::Rcc => rcc(k, a),
        Pure::Rsq => rsq(k, a),
        Pure::Exp2 => exp2(k, a),
        Pure::Exp2Floor => exp2_floor(k, a),
        Pure::Fract => fract(k, a),
        Pure::Log2 => log2(k, a),
        Pure::Exponent => exponent(k, a),
        Pure::Mantissa => mantissa(k, a),
        Pure::Add => sum(k, &[a, b]),
        Pure::Sub => {
            let sign = k.u(SIGN);
            let b = k.xor(b, sign);
            sum(k, &[a, b])
        }
        Pure::Mul => mul(k, a, b),
        Pure::Min => {
            let lt = lt(k, a, b);
            k.select(lt, a, b)
        }
        Pure::Max => {
            let lt = lt(k, a, b);
            k.select(lt, b, a)
        }
        Pure::Lit => lit(k, a, b, c),
        Pure::Lt => lt(k, a, b),
        Pure::Ge => {
            let (a, b) = (key(k, a), key(k, b));
            k.ge(a, b)
        }
        // Moves and comparisons of bits are the same for u32.
        pure => k.rw.b.pure(pure, args),
    }
}

/// The largest integer not above a number, as i32: out of range it is the nearest one, of a NaN 0.
pub(super) fn floor_to_i32(rw: &mut Rewrite<'_>, x: Arg) -> Arg {
    let mut code = Code::new(rw, x.lanes);
    let k = &mut code;
    let magnitude = k.mask(x, !SIGN);
    let negative = is_negative(k, x);
    let exponent = k.right(magnitude, 23);
    let exponent = k.as_i(exponent);
    // mantissa · 2^(exponent - 150); the leading one of a denormal that is not there is shifted out.
    let (zero, few, unit) = (k.i(0), k.i(31), k.i(150));
    let [right, left] = [[unit, exponent], [exponent, unit]].map(|[a, b]| {
        let by = k.sub(a, b);
        let by = k.max(by, zero);
        let by = k.min(by, few);
        k.as_u(by)
    });
    let mantissa = significand(k, magnitude);
    let kept = k.shr(mantissa, right);
    let back = k.shl(kept, right);
    let exact = k.eq(back, mantissa);
    let one = k.i(1);
    let lost = k.select(exact, zero, one);
    let whole = k.shl(kept, left);
    let whole = k.as_i(whole);
    let below = k.add(whole, lost);
    let below = k.sub(zero, below);
    let whole = k.select(negative, below, whole);
    let (least, most) = (k.i(i32::MIN), k.i(i32::MAX));
    let limit = k.select(negative, least, most);
    let is_zero = k.is(magnitude, 0);
    let whole = k.select(is_zero, zero, whole);
    // From 2^31 on.
    let last = k.u(((31 + 127) << 23) - 1);
    let outside = k.lt(last, magnitude);
    let whole = k.select(outside, limit, whole);
    let nan = is_nan(k, x);
    k.select(nan, zero, whole)
}

fn reduction(rw: &mut Rewrite<'_>, pure: Pure, args: &[Arg], lanes: u8) -> Arg {
    let mut terms: Vec<Arg> = Vec::with_capacity(4);
    let lane = |arg: Arg, lane: u8| Arg {
        value: arg.value,
        swizzle: Swizzle::splat(arg.swizzle.get(usize::from(lane))),
        lanes: 1,
    };
    let (a, b) = (args[0], args.get(1).copied().unwrap_or(args[0]));
    let all = if pure == Pure::Dot { mul(&mut Code::new(rw, lanes), a, b) } else { a };
    terms.extend((0..lanes).map(|i| lane(all, i)));
    sum(&mut Code::new(rw, 1), &terms)
}

fn exp_field(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let shifted = k.right(x, 23);
    let field = k.mask(shifted, 0xff);
    k.as_i(field)
}

fn fraction(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    k.mask(x, FRACTION)
}

/// The 24-bit mantissa of a number that is not zero.
fn significand(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let fraction = fraction(k, x);
    let hidden = k.u(HIDDEN);
    k.or(fraction, hidden)
}

fn is_nan(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let magnitude = k.mask(x, !SIGN);
    let infinity = k.u(INFINITY);
    k.lt(infinity, magnitude)
}

fn is_infinite(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let magnitude = k.mask(x, !SIGN);
    k.is(magnitude, INFINITY)
}

fn is_zero(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let exponent = k.mask(x, INFINITY);
    k.is(exponent, 0)
}

fn is_negative(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    k.has(x, SIGN)
}

/// `sign | bits`.
fn signed(k: &mut Code<'_, '_>, sign: Arg, bits: u32) -> Arg {
    let bits = k.u(bits);
    k.or(sign, bits)
}

/// As there: `exponent` is i32.
fn pack(k: &mut Code<'_, '_>, sign: Arg, exponent: Arg, mantissa: Arg) -> Arg {
    let field = k.as_u(exponent);
    let field = k.left(field, 23);
    let fraction = fraction(k, mantissa);
    let normal = k.or(field, fraction);
    let normal = k.or(sign, normal);
    let most = signed(k, sign, MAX);
    let limit = k.i(255);
    let over = k.ge(exponent, limit);
    let normal = k.select(over, most, normal);
    let one = k.i(1);
    let under = k.lt(exponent, one);
    k.select(under, sign, normal)
}

/// The position of the highest bit as i32, and 24 bits from there on; zeros are shifted in.
fn normalized(k: &mut Code<'_, '_>, magnitude: Arg) -> (Arg, Arg) {
    let high = k.first_high(magnitude);
    let top = k.i(31);
    let by = k.sub(top, high);
    let by = k.as_u(by);
    let up = k.shl(magnitude, by);
    (high, k.right(up, 8))
}

fn mul(k: &mut Code<'_, '_>, a: Arg, b: Arg) -> Arg {
    let (ma, mb) = (significand(k, a), significand(k, b));
    // The product of 48 bits, shifted by 9: its high word is the product without the low 23.
    let (ma, mb) = (k.left(ma, 4), k.left(mb, 5));
    let product = k.mul_high(ma, mb);
    let above_two = k.right(product, 24);
    let mantissa = k.shr(product, above_two);
    let (ea, eb) = (exp_field(k, a), exp_field(k, b));
    let exponent = k.add(ea, eb);
    let above_two = k.as_i(above_two);
    let exponent = k.add(exponent, above_two);
    let exponent = k.plus(exponent, -127);
    let sign = k.xor(a, b);
    let sign = k.mask(sign, SIGN);
    let number = pack(k, sign, exponent, mantissa);
    let (ia, ib) = (is_infinite(k, a), is_infinite(k, b));
    let infinite = k.or(ia, ib);
    let infinity = signed(k, sign, INFINITY);
    let number = k.select(infinite, infinity, number);
    let (na, nb) = (is_nan(k, a), is_nan(k, b));
    let nan = k.or(na, nb);
    let the_nan = k.u(NAN);
    let number = k.select(nan, the_nan, number);
    let (za, zb) = (is_zero(k, a), is_zero(k, b));
    let zero = k.or(za, zb);
    let none = k.u(0);
    k.select(zero, none, number)
}

/// Of one to four terms.
fn sum(k: &mut Code<'_, '_>, terms: &[Arg]) -> Arg {
    let any = |k: &mut Code<'_, '_>, test: &mut dyn FnMut(&mut Code<'_, '_>, Arg) -> Arg| {
        let mut all: Option<Arg> = None;
        for &term in terms {
            let this = test(k, term);
            all = Some(match all {
                Some(all) => k.or(all, this),
                None => this,
            });
        }
        all.unwrap_or(terms[0])
    };
    let nan = any(k, &mut is_nan);
    let positive = any(k, &mut |k, t| k.is(t, INFINITY));
    let negative = any(k, &mut |k, t| k.is(t, SIGN | INFINITY));
    let fields: Vec<Arg> = terms.iter().map(|&t| exp_field(k, t)).collect();
    let mut largest = fields[0];
    for &field in &fields[1..] {
        largest = k.max(largest, field);
    }
    let zero = k.u(0);
    // Four terms of 29 bits fit a word with its sign.
    let mut total = zero;
    for (&term, &field) in terms.iter().zip(&fields) {
        let none = k.i(0);
        let tiny = k.eq(field, none);
        let hidden = k.u(HIDDEN);
        let hidden = k.select(tiny, zero, hidden);
        let fraction = fraction(k, term);
        let mantissa = k.or(fraction, hidden);
        let mantissa = k.left(mantissa, 5);
        let by = k.sub(largest, field);
        let most = k.i(31);
        let by = k.min(by, most);
        let by = k.as_u(by);
        let aligned = k.shr(mantissa, by);
        let minus = k.sub(zero, aligned);
        let negative = is_negative(k, term);
        let aligned = k.select(negative, minus, aligned);
        total = k.add(total, aligned);
    }
    let sign = k.mask(total, SIGN);
    let minus = k.sub(zero, total);
    let below = is_negative(k, total);
    let magnitude = k.select(below, minus, total);
    let (high, mantissa) = normalized(k, magnitude);
    let exponent = k.add(largest, high);
    let exponent = k.plus(exponent, -28);
    let number = pack(k, sign, exponent, mantissa);
    let nothing = k.is(total, 0);
    let number = k.select(nothing, zero, number);
    let infinity = k.u(SIGN | INFINITY);
    let number = k.select(negative, infinity, number);
    let infinity = k.u(INFINITY);
    let number = k.select(positive, infinity, number);
    let both = k.and(positive, negative);
    let nan = k.or(nan, both);
    let the_nan = k.u(NAN);
    k.select(nan, the_nan, number)
}

fn key(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    // All bits of a negative one change, else the sign alone.
    let spread = k.as_i(x);
    let spread = k.right(spread, 31);
    let spread = k.as_u(spread);
    let flip = signed(k, spread, SIGN);
    k.xor(x, flip)
}

fn lt(k: &mut Code<'_, '_>, a: Arg, b: Arg) -> Arg {
    let (a, b) = (key(k, a), key(k, b));
    k.lt(a, b)
}

fn saturate(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    // What is not negative is ordered as its bits.
    let one = k.u(ONE);
    let below = k.min(x, one);
    let zero = k.u(0);
    let negative = is_negative(k, x);
    k.select(negative, zero, below)
}

fn rcp(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let mut seeds = [0; 16];
    for (i, &seed) in nv20::RCP_SEED.iter().enumerate() {
        seeds[i / 4] |= u32::from(seed) << (i % 4 * 8);
    }
    let m = significand(k, x);
    let index = k.right(m, 17);
    let index = k.mask(index, 63);
    let seed = byte(k, &seeds, index);
    // s1 = (2^31 - s·m)·s >> 24, as the high word of a product with s·2^8.
    let product = k.mul(seed, m);
    let two = k.u(1 << 31);
    let rest = k.sub(two, product);
    let scaled = k.left(seed, 8);
    let s1 = k.mul_high(rest, scaled);
    // s2 = (2^37 - s1·m)·s1 >> 25.
    let product = k.wide_mul(s1, m);
    let rest = k.wide_from(1 << 5, product);
    let (low, high) = k.wide_times(rest, s1);
    let (low, high) = (k.right(low, 25), k.left(high, 7));
    let s2 = k.or(low, high);
    let sign = k.mask(x, SIGN);
    let field = exp_field(k, x);
    let from = k.i(253);
    let exponent = k.sub(from, field);
    let number = pack(k, sign, exponent, s2);
    let exponent = k.plus(exponent, 1);
    let hidden = k.u(HIDDEN);
    let power = pack(k, sign, exponent, hidden);
    let fraction = fraction(k, x);
    let exact = k.is(fraction, 0);
    let number = k.select(exact, power, number);
    let infinity = signed(k, sign, INFINITY);
    let zero = is_zero(k, x);
    let number = k.select(zero, infinity, number);
    let nan = is_nan(k, x);
    let the_nan = k.u(NAN);
    k.select(nan, the_nan, number)
}

/// Byte `index` of a table of words, lowest byte first.
fn byte(k: &mut Code<'_, '_>, words: &[u32], index: Arg) -> Arg {
    let at = k.right(index, 2);
    let word = k.table(words, at);
    let by = k.mask(index, 3);
    let by = k.left(by, 3);
    let shifted = k.shr(word, by);
    k.mask(shifted, 0xff)
}

fn rcc(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let r = rcp(k, x);
    let magnitude = k.mask(r, !SIGN);
    let (low, high) = (k.u((127 - 64) << 23), k.u((127 + 64) << 23));
    let magnitude = k.max(magnitude, low);
    let magnitude = k.min(magnitude, high);
    let sign = k.mask(r, SIGN);
    let clamped = k.or(sign, magnitude);
    let nan = is_nan(k, r);
    k.select(nan, r, clamped)
}

fn rsq(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let mut seeds = [0; 32];
    for (i, &seed) in nv20::RSQ_SEED.iter().enumerate() {
        seeds[i / 4] |= u32::from(seed) << (i % 4 * 8);
    }
    let field = exp_field(k, x);
    let next = k.plus(field, 1);
    let next = k.as_u(next);
    let above_two = k.mask(next, 1);
    let m = significand(k, x);
    let m = k.shl(m, above_two);
    let fraction = fraction(k, x);
    let index = k.right(fraction, 17);
    let half = k.left(above_two, 6);
    let index = k.or(index, half);
    let seed = byte(k, &seeds, index);
    // s1 = (3·2^37 - s²·m)·s >> 32.
    let square = k.mul(seed, seed);
    let product = k.wide_mul(square, m);
    let rest = k.wide_from(3 << 5, product);
    let (_, s1) = k.wide_times(rest, seed);
    // s2 = (3·2^49 - s1²·m)·s1 >> 39.
    let square = k.mul(s1, s1);
    let product = k.wide_mul(square, m);
    let rest = k.wide_from(3 << 17, product);
    let (_, high) = k.wide_times(rest, s1);
    let s2 = k.right(high, 7);
    let above_two = k.as_i(above_two);
    let power = k.sub(field, above_two);
    let power = k.plus(power, -127);
    // The power is even.
    let half = k.right(power, 1);
    let from = k.i(126);
    let exponent = k.sub(from, half);
    let zero = k.u(0);
    let number = pack(k, zero, exponent, s2);
    let infinite = is_infinite(k, x);
    let number = k.select(infinite, zero, number);
    let is_zero = is_zero(k, x);
    let infinity = k.u(INFINITY);
    let number = k.select(is_zero, infinity, number);
    let nan = is_nan(k, x);
    let the_nan = k.u(NAN);
    k.select(nan, the_nan, number)
}

/// As there; gives i32.
fn to_fixed(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let field = exp_field(k, x);
    let negative = is_negative(k, x);
    let mantissa = significand(k, x);
    let zero = k.u(0);
    let minus = k.sub(zero, mantissa);
    let value = k.select(negative, minus, mantissa);
    let value = k.as_i(value);
    let shift = k.plus(field, 13 - 150);
    let none = k.i(0);
    let up = k.max(shift, none);
    let up = k.as_u(up);
    let raised = k.shl(value, up);
    let down = k.sub(none, shift);
    let most = k.i(31);
    let down = k.min(down, most);
    let down = k.as_u(down);
    let lowered = k.shr(value, down);
    let rises = k.ge(shift, none);
    let fixed = k.select(rises, raised, lowered);
    let first = k.i(104);
    let tiny = k.lt(field, first);
    let fixed = k.select(tiny, none, fixed);
    let (least, most) = (k.i(i32::MIN), k.i(i32::MAX));
    let limit = k.select(negative, least, most);
    let behind = k.i(145);
    let large = k.ge(field, behind);
    let fixed = k.select(large, limit, fixed);
    let nan = is_nan(k, x);
    k.select(nan, most, fixed)
}

/// As there; `p` is i32.
fn exp2_fixed(k: &mut Code<'_, '_>, p: Arg) -> Arg {
    let mut words = [0; 32];
    for (i, word) in words.iter_mut().enumerate() {
        let start = u32::from(EXP2[i]);
        let step = EXP2.get(i + 1).map_or(EXP2_LAST, |&next| u32::from(next) - start);
        *word = start << 16 | step;
    }
    let exponent = k.right(p, 13);
    let bits = k.as_u(p);
    let index = k.right(bits, 8);
    let index = k.mask(index, 31);
    let low = k.mask(bits, 0xff);
    let word = k.table(&words, index);
    let start = k.right(word, 16);
    let start = k.left(start, 8);
    let step = k.mask(word, 0xffff);
    let part = k.mul(step, low);
    let mantissa = k.add(start, part);
    let mantissa = k.left(mantissa, 1);
    or_infinity(k, exponent, mantissa)
}

/// A positive number from its exponent, without bias, and its fraction; infinity from 2^128 on.
fn or_infinity(k: &mut Code<'_, '_>, exponent: Arg, fraction: Arg) -> Arg {
    let field = k.plus(exponent, 127);
    let zero = k.u(0);
    let number = pack(k, zero, field, fraction);
    let behind = k.i(128);
    let over = k.ge(exponent, behind);
    let infinity = k.u(INFINITY);
    k.select(over, infinity, number)
}

fn exp2(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let fixed = to_fixed(k, x);
    let power = exp2_fixed(k, fixed);
    let nan = is_nan(k, x);
    let the_nan = k.u(NAN);
    k.select(nan, the_nan, power)
}

fn exp2_floor(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let fixed = to_fixed(k, x);
    // The table is not asked: the fraction is 0.
    let exponent = k.right(fixed, 13);
    let zero = k.u(0);
    or_infinity(k, exponent, zero)
}

fn fract(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let field = exp_field(k, x);
    let negative = is_negative(k, x);
    let mantissa = significand(k, x);
    let power = k.plus(field, -127);
    let none = k.i(0);
    let up = k.max(power, none);
    let up = k.as_u(up);
    let raised = k.shl(mantissa, up);
    let down = k.sub(none, power);
    let most = k.i(24);
    let down = k.min(down, most);
    let down = k.as_u(down);
    let one = k.u(1);
    let lost = k.shl(one, down);
    let lost = k.sub(lost, one);
    let lowered = k.add(mantissa, lost);
    let lowered = k.shr(lowered, down);
    let whole = k.ge(power, none);
    let fixed = k.select(whole, raised, lowered);
    let zero = k.u(0);
    let minus = k.sub(zero, fixed);
    let fixed = k.select(negative, minus, fixed);
    let fixed = fraction(k, fixed);
    let (high, mantissa) = normalized(k, fixed);
    let exponent = k.plus(high, 127 - 23);
    let number = pack(k, zero, exponent, mantissa);
    let nothing = k.is(fixed, 0);
    let number = k.select(nothing, zero, number);
    let limit = k.i(104);
    let tiny = k.lt(field, limit);
    let unit = k.u(ONE);
    let number = k.select(tiny, unit, number);
    let below = k.lt(power, none);
    let positive = k.not(negative);
    let itself = k.and(below, positive);
    let number = k.select(itself, x, number);
    let tiny = k.eq(field, none);
    let behind = k.i(150);
    let large = k.ge(field, behind);
    let nothing = k.or(tiny, large);
    let number = k.select(nothing, zero, number);
    let nan = is_nan(k, x);
    k.select(nan, x, number)
}

/// The base-2 logarithm of the magnitude of a number that is not zero: the integer, i32, and 26 fraction bits, u32.
fn log2_parts(k: &mut Code<'_, '_>, x: Arg) -> (Arg, Arg) {
    let mut words = [0; 32];
    for (i, word) in words.iter_mut().enumerate() {
        let start = LOG2[i];
        let step = LOG2.get(i + 1).map_or(LOG2_LAST, |next| next - start);
        // 18 and 14 bits.
        *word = start << 14 | step;
    }
    let fraction = fraction(k, x);
    let index = k.right(fraction, 18);
    let low = k.right(fraction, 10);
    let low = k.mask(low, 0xff);
    let word = k.table(&words, index);
    let start = k.right(word, 14);
    let start = k.left(start, 8);
    let step = k.mask(word, 0x3fff);
    let part = k.mul(step, low);
    let bits = k.add(start, part);
    let field = exp_field(k, x);
    (k.plus(field, -127), bits)
}

/// Puts what [`nv20::log2`] and its kin give for zeros, infinities and NaN in place of `number`.
fn log_special(k: &mut Code<'_, '_>, x: Arg, number: Arg) -> Arg {
    let exponent = k.mask(x, INFINITY);
    let special = k.is(exponent, INFINITY);
    let magnitude = k.mask(x, !SIGN);
    let number = k.select(special, magnitude, number);
    let zero = k.is(exponent, 0);
    let infinity = k.u(SIGN | INFINITY);
    k.select(zero, infinity, number)
}

fn log2(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    const UNIT: u32 = 1 << 26;
    let (whole, bits) = log2_parts(k, x);
    let none = k.i(0);
    let negative = k.lt(whole, none);
    let zero = k.u(0);
    let even = k.is(bits, 0);
    // The magnitude of a negative one: -(i + f) = -i - 1 + (1 - f), but -i if f is 0.
    let minus = k.sub(none, whole);
    let less = k.plus(minus, -1);
    let minus = k.select(even, minus, less);
    let whole = k.select(negative, minus, whole);
    let whole = k.as_u(whole);
    let unit = k.u(UNIT);
    let rest = k.sub(unit, bits);
    let rest = k.mask(rest, UNIT - 1);
    let bits = k.select(negative, rest, bits);
    let low = k.left(whole, 26);
    let low = k.or(low, bits);
    let beyond = k.has(whole, 1 << 6);
    let (high, mantissa) = normalized(k, low);
    // A 33rd bit is the highest, and 23 bits behind it count.
    let top = k.i(32);
    let high = k.select(beyond, top, high);
    let cut = k.right(low, 9);
    let mantissa = k.select(beyond, cut, mantissa);
    let exponent = k.plus(high, 127 - 26);
    let sign = k.u(SIGN);
    let sign = k.select(negative, sign, zero);
    let number = pack(k, sign, exponent, mantissa);
    let (no_whole, no_bits) = (k.is(whole, 0), k.is(bits, 0));
    let nothing = k.and(no_whole, no_bits);
    let number = k.select(nothing, zero, number);
    log_special(k, x, number)
}

fn exponent(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let field = exp_field(k, x);
    let value = k.plus(field, -127);
    let none = k.i(0);
    let negative = k.lt(value, none);
    let minus = k.sub(none, value);
    let magnitude = k.select(negative, minus, value);
    let magnitude = k.as_u(magnitude);
    let (high, mantissa) = normalized(k, magnitude);
    let (minus, zero) = (k.u(SIGN), k.u(0));
    let sign = k.select(negative, minus, zero);
    let exponent = k.plus(high, 127);
    let number = pack(k, sign, exponent, mantissa);
    let nothing = k.is(magnitude, 0);
    let number = k.select(nothing, zero, number);
    log_special(k, x, number)
}

fn mantissa(k: &mut Code<'_, '_>, x: Arg) -> Arg {
    let fraction = fraction(k, x);
    let one = k.u(ONE);
    let number = k.or(fraction, one);
    let zero = is_zero(k, x);
    let number = k.select(zero, one, number);
    let magnitude = k.mask(x, !SIGN);
    let nan = is_nan(k, x);
    k.select(nan, magnitude, number)
}

fn lit(k: &mut Code<'_, '_>, x: Arg, y: Arg, w: Arg) -> Arg {
    let power = to_fixed(k, w);
    let (least, most) = (k.i(-0x0010_0000), k.i(0x000f_ffff));
    let power = k.max(power, least);
    let power = k.min(power, most);
    let (whole, bits) = log2_parts(k, y);
    // (i·2^26 + f)·p >> 26 = i·p + (f·p >> 26); the second as the high word of f·2^5 times p·2.
    let bits = k.left(bits, 5);
    let bits = k.as_i(bits);
    let twice = k.left(power, 1);
    let part = k.mul_high(bits, twice);
    let product = k.mul(whole, power);
    let product = k.add(product, part);
    let number = exp2_fixed(k, product);
    let (zero, infinity) = (k.u(0), k.u(INFINITY));
    let w_negative = is_negative(k, w);
    let other = k.select(w_negative, zero, infinity);
    let infinite = k.is(y, INFINITY);
    let number = k.select(infinite, other, number);
    let other = k.select(w_negative, infinity, zero);
    let (below, none) = (is_negative(k, y), is_zero(k, y));
    let none = k.or(below, none);
    let number = k.select(none, other, number);
    let (ny, nw) = (is_nan(k, y), is_nan(k, w));
    let nan = k.or(ny, nw);
    let the_nan = k.u(NAN);
    let number = k.select(nan, the_nan, number);
    let none = is_zero(k, w);
    let one = k.u(ONE);
    let number = k.select(none, one, number);
    let (below, none) = (is_negative(k, x), is_zero(k, x));
    let dark = k.or(below, none);
    k.select(dark, zero, number)
}
