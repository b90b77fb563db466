//! Arithmetic without denormals.

use super::special;
use super::tools::random;
use vecasm_ir::math::flush::{add, div, flush, fma, mul, rcp, sqrt, sub};

/// The rule in integers: m · 2^e, with a last bit that may stand for others below, rounded to 24 bits with any
/// exponent, and then looked at. `m` has more than 25 bits, or is exact.
fn rule(negative: bool, m: u128, e: i32) -> f32 {
    let sign = if negative { -1.0 } else { 1.0 };
    if m == 0 {
        return sign * 0.0;
    }
    let drop = 128 - m.leading_zeros() as i32 - 24;
    let mut kept = if drop > 0 { m >> drop } else { m << -drop };
    if drop > 0 {
        let (rest, half) = (m & ((1 << drop) - 1), 1 << (drop - 1));
        kept += u128::from(rest > half || (rest == half && kept & 1 == 1));
    }
    // The value is kept · 2^(e + drop), and 2^23 <= kept <= 2^24.
    let magnitude = kept as f64 * f64::from((e + drop).clamp(-400, 400)).exp2();
    if magnitude < f64::from(f32::MIN_POSITIVE) { sign * 0.0 } else { sign * magnitude as f32 }
}

/// Sign, mantissa and exponent; a denormal is a zero.
fn parts(x: f32) -> (bool, u128, i32) {
    let field = (x.to_bits() >> 23 & 0xff) as i32;
    let mantissa = if field == 0 { 0 } else { x.to_bits() & 0x007f_ffff | 0x0080_0000 };
    (x.is_sign_negative(), u128::from(mantissa), field - 150)
}

#[track_caller]
fn same(got: f32, want: f32, what: &[f32]) {
    let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
    assert!(same, "{what:?}: got {got:e}, want {want:e}");
}

fn power(e: i32) -> f32 {
    f32::from_bits(((127 + e) as u32) << 23)
}

const U: f32 = f32::EPSILON; // 2^-23
const LEAST: f32 = f32::MIN_POSITIVE; // 2^-126
const DENORMAL: f32 = f32::from_bits(0x007f_ffff);

#[test]
fn denormals_are_zeros() {
    for (x, want) in [
        (DENORMAL, 0.0),
        (-DENORMAL, -0.0),
        (f32::from_bits(1), 0.0),
        (-f32::from_bits(1), -0.0),
        (0.0, 0.0),
        (-0.0, -0.0),
        (LEAST, LEAST),
        (-LEAST, -LEAST),
        (f32::INFINITY, f32::INFINITY),
        (f32::NAN, f32::NAN),
    ] {
        same(flush(x), want, &[x]);
    }
    same(add(DENORMAL, LEAST), LEAST, &[]);
    same(sub(LEAST, DENORMAL), LEAST, &[]);
    same(add(-DENORMAL, -DENORMAL), -0.0, &[]);
    same(mul(DENORMAL, f32::INFINITY), f32::NAN, &[]);
    same(mul(-DENORMAL, power(100)), -0.0, &[]);
    same(div(1.0, -DENORMAL), f32::NEG_INFINITY, &[]);
    same(div(DENORMAL, DENORMAL), f32::NAN, &[]);
    same(rcp(DENORMAL), f32::INFINITY, &[]);
    same(sqrt(DENORMAL), 0.0, &[]);
    same(sqrt(-DENORMAL), -0.0, &[]);
    same(sqrt(-LEAST), f32::NAN, &[]);
    same(sqrt(LEAST), power(-63), &[]);
    same(fma(DENORMAL, power(100), LEAST), LEAST, &[]);
    same(fma(1.0, LEAST, DENORMAL), LEAST, &[]);
}

#[test]
fn tiny_results_are_zeros_of_their_sign() {
    same(sub(power(-126) * 1.5, LEAST), 0.0, &[]);
    same(sub(LEAST, power(-126) * 1.5), -0.0, &[]);
    same(sub(power(-125), LEAST), LEAST, &[]);
    same(sub(LEAST, LEAST), 0.0, &[]);
    // (1 - 2^-24)·2^-126 has 24 bits: it is not rounded up to 2^-126.
    same(mul(1.0 - U / 2.0, LEAST), 0.0, &[]);
    same(mul(U / 2.0 - 1.0, LEAST), -0.0, &[]);
    // 2^-126·(1 + u)(1 - u) = 2^-126·(1 - 2^-46), above 1 - 2^-25: rounds to 2^-126 and stays.
    same(mul(LEAST * (1.0 + U), 1.0 - U), LEAST, &[]);
    // 2^-126·(1 + u)(1 - 3u/2) = 2^-126·(1 - 2^-24 - …): below.
    same(mul(LEAST * (1.0 + U), 1.0 - 1.5 * U), 0.0, &[]);
    // The limit itself, 2^-126·(1 - 2^-25), is (2^25 - 1)·2^-151, and 2^25 - 1 = 31 · 1082401.
    same(mul(31.0 * power(-60), 1_082_401.0 * power(-91)), LEAST, &[]);
    same(mul(-31.0 * power(-60), 1_082_401.0 * power(-91)), -LEAST, &[]);
    // It is 2^26 - 2 in units of 2^-152; one less is 37 · 1813753, one more 8191 · 8193.
    same(mul(37.0 * power(-60), 1_813_753.0 * power(-92)), 0.0, &[]);
    same(mul(8191.0 * power(-60), 8193.0 * power(-92)), LEAST, &[]);
    // Quotients: of two 24-bit mantissas, none is between 1 - 2^-24 and 1; the nearest is (2 - 2u)/(2 - u).
    same(div(LEAST * (2.0 - 2.0 * U), 2.0 - U), 0.0, &[]);
    same(div(LEAST, 1.0 + U), 0.0, &[]);
    same(div(LEAST * (1.0 + U), 1.0 + 2.0 * U), 0.0, &[]);
    same(div(LEAST * (2.0 - U), 2.0), 0.0, &[]);
    same(div(-LEAST * (2.0 - U), 2.0 - U), -LEAST, &[]);
    same(rcp(power(126)), LEAST, &[]);
    same(rcp(-power(126) * (1.0 + U)), -0.0, &[]);
    same(rcp(f32::MAX), 0.0, &[]);
    // In a fused operation only the last result counts, and a trace far below decides ties: 2^-126 - 2^-151 from
    // the product stays, a trace less is tiny.
    same(fma(-power(-75), power(-76), LEAST), LEAST, &[]);
    same(fma(-power(-75) * (1.0 + U), power(-76), LEAST), 0.0, &[]);
    same(fma(-power(-75) * (1.0 - U), power(-76), LEAST), LEAST, &[]);
    same(fma(power(-75), power(-76) * (1.0 + U), -LEAST), -0.0, &[]);
    same(fma(power(-75), power(-75), LEAST), LEAST, &[]);
    same(fma(LEAST, LEAST, -0.0), 0.0, &[]);
    same(fma(LEAST, -LEAST, 0.0), -0.0, &[]);
    same(fma(power(-63), power(-63), -0.5 * LEAST), LEAST, &[]);
}

/// A pair whose product (quotient, if `quotient`) is near 2^-126, mostly within a few units.
fn pair(state: &mut u64, quotient: bool) -> (f32, f32) {
    let (word, other) = (random(state), random(state));
    let x = f32::from_bits(word as u32 & 0x80ff_ffff | ((word >> 32) as u32 % 100 + 20) << 23);
    let steps = ((other % 64) as f32 - 32.0) * power((other >> 6) as i32 & 7);
    let near = LEAST * (1.0 + steps * U);
    let y = if quotient { f64::from(x) / f64::from(near) } else { f64::from(near) / f64::from(x) };
    (x, y as f32)
}

#[test]
fn everything_near_the_limit() {
    let mut state = 1;
    for _ in 0..400_000 {
        let (x, y) = pair(&mut state, false);
        let ((sx, mx, ex), (sy, my, ey)) = (parts(x), parts(y));
        same(mul(x, y), rule(sx != sy, mx * my, ex + ey), &[x, y]);
        let (x, y) = pair(&mut state, true);
        let ((sx, mx, ex), (sy, my, ey)) = (parts(x), parts(y));
        if my != 0 && y.is_finite() {
            let quotient = (((mx << 60) / my) << 1) | u128::from((mx << 60) % my != 0);
            same(div(x, y), rule(sx != sy, quotient, ex - ey - 61), &[x, y]);
        }
    }
}

#[test]
fn sums_near_the_limit() {
    let mut state = 2;
    for _ in 0..400_000 {
        let (word, other) = (random(&mut state), random(&mut state));
        // Exponents from that of denormals on.
        let number = |word: u64| f32::from_bits(word as u32 & 0x807f_ffff | ((word >> 32) as u32 % 28) << 23);
        let (x, y) = (number(word), number(other));
        let exact = |x: f32| {
            let (negative, m, e) = parts(x);
            let units = (m as i128) << (e + 150);
            if negative { -units } else { units }
        };
        let sum = |total: i128, zero: f32| {
            if total == 0 { zero } else { rule(total < 0, total.unsigned_abs(), -150) }
        };
        same(add(x, y), sum(exact(x) + exact(y), flush(x) + flush(y)), &[x, y]);
        same(sub(x, y), sum(exact(x) - exact(y), flush(x) - flush(y)), &[x, y]);
        // x·y with x and y as 2^-74 times that, and a third number.
        let (px, py) = (x * power(60), y * power(10));
        let z = number(random(&mut state)) * power(-8);
        let ((sx, mx, ex), (sy, my, ey)) = (parts(px), parts(py));
        let shift = ex + ey + 230;
        if mx != 0 && my != 0 && (0..40).contains(&shift) {
            let product = ((mx * my) as i128) << shift;
            let product = if sx != sy { -product } else { product };
            same(fma(px, py, z), fused(product + (exact(z) << 80)), &[px, py, z]);
        }
    }
    /// `rule` for a total in units of 2^-230.
    fn fused(total: i128) -> f32 {
        if total == 0 { 0.0 } else { rule(total < 0, total.unsigned_abs(), -230) }
    }
}

#[test]
fn ordinary_results_are_those_of_ieee() {
    let mut state = 3;
    let close =
        |word: u64| f32::from_bits(word as u32 & 0x807f_ffff | ((word >> 32) as u32 % 60 + 100) << 23);
    for _ in 0..200_000 {
        let [x, y, z] = core::array::from_fn(|_| close(random(&mut state)));
        same(add(x, y), x + y, &[x, y]);
        same(sub(x, y), x - y, &[x, y]);
        same(mul(x, y), x * y, &[x, y]);
        same(div(x, y), x / y, &[x, y]);
        same(rcp(x), 1.0 / x, &[x]);
        same(sqrt(x), x.sqrt(), &[x]);
        same(fma(x, y, z), x.mul_add(y, z), &[x, y, z]);
    }
    // Special values as in IEEE 754, with zeros for denormals; no result of these is near the limit.
    for x in special() {
        for y in special() {
            let (fx, fy) = (flush(x), flush(y));
            same(add(x, y), flush(fx + fy), &[x, y]);
            same(sub(x, y), flush(fx - fy), &[x, y]);
            if !(fx * fy).is_subnormal() && (fx * fy).abs() != LEAST {
                same(mul(x, y), fx * fy, &[x, y]);
            }
            if !(fx / fy).is_subnormal() && (fx / fy).abs() != LEAST {
                same(div(x, y), fx / fy, &[x, y]);
            }
        }
    }
}
