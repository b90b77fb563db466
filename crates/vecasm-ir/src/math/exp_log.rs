//! Exponentials, logarithms and powers.

use super::{F64_EXPONENT, ROUND, is_positive_finite};
use core::f64::consts::{LN_2, LOG2_E};

/// 2 to the power `x`. Powers of two are exact. -Inf gives +0, +Inf gives +Inf; results below 2^-126 are
/// denormals, below 2^-150 +0.
#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    exp2_f64(f64::from(x)) as f32
}

/// e to the power `x`. `0.0` gives 1, -Inf gives +0, +Inf gives +Inf.
#[inline]
pub fn exp(x: f32) -> f32 {
    exp2_f64(f64::from(x) * LOG2_E) as f32
}

/// The base-2 logarithm. Exact for powers of two; 1 gives +0, ±0 gives -Inf, negative values give NaN, +Inf gives
/// +Inf.
#[inline]
pub fn log2(x: f32) -> f32 {
    if is_positive_finite(x) { log2_usual(x) } else { log_special(x) }
}

/// [`log2`] of a positive finite number.
#[inline(always)]
pub fn log2_usual(x: f32) -> f32 {
    log2_f64(f64::from(x)) as f32
}

/// The natural logarithm, with the special values of [`log2`].
#[inline]
pub fn log(x: f32) -> f32 {
    if is_positive_finite(x) { (log2_f64(f64::from(x)) * LN_2) as f32 } else { log_special(x) }
}

/// `x` to the power `y`, with the special values of IEEE 754 `pow`:
///
/// * anything to the ±0 is 1 and 1 to anything is 1, even if the other is NaN; else NaN gives NaN;
/// * a negative finite base with a finite exponent that is not an integer gives NaN, with an odd integer a negative
///   result;
/// * ±0 to a negative odd integer is an infinity of its sign, to another negative exponent +Inf; to a positive odd
///   integer it is itself, to another positive exponent +0; -Inf likewise, with 0 and infinity exchanged;
/// * to the ±Inf: -1 gives 1, a magnitude below 1 gives 0 for +Inf and +Inf for -Inf, above 1 the reverse.
#[inline]
pub fn pow(x: f32, y: f32) -> f32 {
    let y_is_finite = y.to_bits() & 0x7fff_ffff < 0x7f80_0000;
    if is_positive_finite(x) & y_is_finite { pow_positive(x, y) } else { pow_special(x, y) }
}

/// The polynomial of [`exp2`]: (2^r - 1)/r on -1/2..1/2, weight r/2^r, lowest power first; the relative error of the power is
/// below 2^-40.1.
pub const EXP2: [f64; 8] = [
    0.693_147_180_548_212_3,
    0.240_226_506_981_105_84,
    0.055_504_109_352_663_11,
    0.009_618_128_616_125_304,
    0.001_333_345_486_048_259,
    0.000_154_038_254_619_669_16,
    1.530_915_619_433_497_8e-5,
    1.317_893_356_282_335_6e-6,
];

/// The polynomial of [`log2`]: log2((1 + s)/(1 - s))/s as one in s² on 0..0.1716², lowest power first; relative error below
/// 2^-45.
pub const LOG2: [f64; 6] = [
    2.885_390_081_777_85,
    0.961_796_694_113_306_7,
    0.577_077_942_376_474_6,
    0.412_209_251_089_726_3,
    0.319_905_753_506_317_4,
    0.282_899_305_711_064_75,
];

/// 2^x for any x; the result is 0 or infinity once rounded to `f32`, if it is not in the range of `f32`.
#[inline(always)]
fn exp2_f64(x: f64) -> f64 {
    const C: [f64; 8] = EXP2;
    // Beyond these limits the result is 0 or infinity anyway. NaN passes.
    let x = if -160.0 > x { -160.0 } else { x };
    let x = if 130.0 < x { 130.0 } else { x };
    let sum = x + ROUND;
    let r = x - (sum - ROUND);
    let scale = f64::from_bits((sum.to_bits() << F64_EXPONENT).wrapping_add(1.0f64.to_bits()));
    let r2 = r * r;
    let low = (C[0] + C[1] * r) + r2 * (C[2] + C[3] * r);
    let high = (C[4] + C[5] * r) + r2 * (C[6] + C[7] * r);
    (1.0 + r * (low + (r2 * r2) * high)) * scale
}

/// log2(x) of a positive normal number; relative error below 2^-45.
#[inline(always)]
fn log2_f64(x: f64) -> f64 {
    const C: [f64; 6] = LOG2;
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const BIAS: u64 = 1024;
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    // x = m · 2^k with m in sqrt(1/2)..sqrt(2), so that m near 1 comes with k = 0 and nothing cancels. The bias
    // makes k positive: then the shift need not extend the sign, and k becomes an f64 by setting the bits of
    // 2^52 + k.
    let biased = x.to_bits().wrapping_sub(SQRT_HALF).wrapping_add(BIAS << F64_EXPONENT) >> F64_EXPONENT;
    let k = f64::from_bits(TWO_52.to_bits() | biased) - (TWO_52 + BIAS as f64);
    let m = f64::from_bits(x.to_bits().wrapping_sub(biased.wrapping_sub(BIAS) << F64_EXPONENT));
    let s = (m - 1.0) / (m + 1.0);
    let u = s * s;
    let p = (C[0] + C[1] * u) + (u * u) * ((C[2] + C[3] * u) + (u * u) * (C[4] + C[5] * u));
    k + s * p
}

/// Logarithms of what is not positive and finite.
#[cold]
fn log_special(x: f32) -> f32 {
    if x == 0.0 {
        f32::NEG_INFINITY
    } else if x > 0.0 {
        x
    } else {
        f32::NAN
    }
}

/// Powers of a positive finite base with a finite exponent.
///
/// The relative error of the logarithm, below 2^-45, becomes that of the power times |ln(result)|, which is at most
/// 104 in the range of `f32`: 2^-38.3. With 2^-40.1 of the exponential that is 0.00007 ulp, so the bound of `pow`
/// does not hang on sampling.
#[inline(always)]
pub fn pow_positive(x: f32, y: f32) -> f32 {
    exp2_f64(f64::from(y) * log2_f64(f64::from(x))) as f32
}

/// All other powers.
#[cold]
fn pow_special(x: f32, y: f32) -> f32 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    let magnitude = f32::from_bits(x.to_bits() & 0x7fff_ffff);
    if y.is_infinite() {
        return if magnitude == 1.0 {
            1.0
        } else if (magnitude > 1.0) == (y > 0.0) {
            f32::INFINITY
        } else {
            0.0
        };
    }
    let power = if magnitude == 0.0 || magnitude.is_infinite() {
        if (magnitude == 0.0) == (y < 0.0) { f32::INFINITY } else { 0.0 }
    } else {
        // Only a negative finite base is left.
        if super::floor(y) != y {
            return f32::NAN;
        }
        pow_positive(magnitude, y)
    };
    if x.is_sign_negative() && is_odd_integer(y) { -power } else { power }
}

/// Whether a finite `y` is an odd integer.
fn is_odd_integer(y: f32) -> bool {
    // Half of an odd integer is not an integer; halving is exact here, since odd integers are normal.
    super::floor(y) == y && super::floor(0.5 * y) != 0.5 * y
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn odd_integers() {
        for y in [1.0, -1.0, 3.0, -5.0, 8_388_609.0, 16_777_215.0, -16_777_215.0] {
            assert!(is_odd_integer(y), "{y}");
        }
        for y in [0.0, -0.0, 2.0, -4.0, 0.5, 1.5, 2.5, 16_777_216.0, 16_777_218.0, 1e30, f32::MAX, 1e-45] {
            assert!(!is_odd_integer(y), "{y}");
        }
    }
}
