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
    use super::super::test::{sweep, table};
    use super::super::{MAX_ULP, ulp_error};
    use super::*;

    const INF: f32 = f32::INFINITY;
    const NAN: f32 = f32::NAN;

    #[test]
    fn special_values() {
        let tiny = f32::from_bits(1);
        for f in [exp2, exp] {
            table(
                f,
                &[
                    (0.0, 1.0),
                    (-0.0, 1.0),
                    (tiny, 1.0),
                    (-tiny, 1.0),
                    (INF, INF),
                    (-INF, 0.0),
                    (NAN, NAN),
                    (-NAN, NAN),
                    (f32::MAX, INF),
                    (f32::MIN, 0.0),
                ],
            );
        }
        for f in [log2, log] {
            table(
                f,
                &[
                    (1.0, 0.0),
                    (0.0, -INF),
                    (-0.0, -INF),
                    (INF, INF),
                    (-INF, NAN),
                    (-1.0, NAN),
                    (-tiny, NAN),
                    (NAN, NAN),
                    (-NAN, NAN),
                ],
            );
        }
    }

    #[test]
    fn powers_of_two_are_exact() {
        for k in -149..=127 {
            let bits = if k < -126 { 1 << (k + 149) } else { ((k + 127) as u32) << 23 };
            let power = f32::from_bits(bits);
            table(exp2, &[(k as f32, power)]);
            table(log2, &[(power, k as f32)]);
        }
        // The limits: 2^-150 is half of the smallest denormal and ties to 0; anything above rounds up.
        table(exp2, &[(-150.0, 0.0), (-149.999_98, f32::from_bits(1)), (-151.0, 0.0), (128.0, INF)]);
    }

    #[test]
    fn within_the_documented_error() {
        sweep(exp2, f64::exp2, 4099, MAX_ULP);
        sweep(exp, f64::exp, 4099, MAX_ULP);
        sweep(log2, f64::log2, 4099, MAX_ULP);
        sweep(log, f64::ln, 4099, MAX_ULP);
        // The logarithm loses relative accuracy near 1 if anything cancels.
        for bits in 0x3f7f_c000..0x3f80_4000 {
            let x = f32::from_bits(bits);
            assert!(ulp_error(log2(x), f64::from(x).log2()) <= MAX_ULP, "{x:e}");
        }
    }

    #[test]
    fn odd_integers() {
        for y in [1.0, -1.0, 3.0, -5.0, 8_388_609.0, 16_777_215.0, -16_777_215.0] {
            assert!(is_odd_integer(y), "{y}");
        }
        for y in [0.0, -0.0, 2.0, -4.0, 0.5, 1.5, 2.5, 16_777_216.0, 16_777_218.0, 1e30, f32::MAX, 1e-45] {
            assert!(!is_odd_integer(y), "{y}");
        }
    }

    /// The whole table of IEEE 754-2019, 9.2.1, row by row.
    #[test]
    fn pow_special_values() {
        #[track_caller]
        fn check(x: f32, y: f32, want: f32) {
            let got = pow(x, y);
            let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
            assert!(same, "pow({x:e}, {y:e}): got {got:e}, want {want:e}");
        }
        let values = [0.0, 1e-45, 1e-40, 0.5, 1.0, 1.5, 2.0, 3.0, 16_777_215.0, 1e30, f32::MAX, INF, NAN];
        for v in values.into_iter().flat_map(|v| [v, -v]) {
            check(v, 0.0, 1.0);
            check(v, -0.0, 1.0);
            check(1.0, v, 1.0);
        }
        let odd = [1.0, 3.0, 5.0, 8_388_609.0, 16_777_215.0];
        let not_odd = [0.5, 1e-45, 1.5, 2.0, 4.0, 3.5, 16_777_216.0, 1e30, f32::MAX];
        for y in odd {
            for sign in [1.0, -1.0] {
                check(sign * 0.0, -y, sign * INF);
                check(sign * 0.0, y, sign * 0.0);
                check(sign * INF, -y, sign * 0.0);
                check(sign * INF, y, sign * INF);
            }
            check(-1.0, y, -1.0);
            check(-1.0, -y, -1.0);
        }
        for y in not_odd {
            for sign in [1.0, -1.0] {
                check(sign * 0.0, -y, INF);
                check(sign * 0.0, y, 0.0);
                check(sign * INF, -y, 0.0);
                check(sign * INF, y, INF);
            }
            let integer = y == y.floor();
            check(-1.0, y, if integer { 1.0 } else { NAN });
            check(-2.5, -y, if integer { pow(2.5, -y) } else { NAN });
        }
        for x in [0.0, 1e-45, 0.5, 0.999_999_94] {
            for x in [x, -x] {
                check(x, INF, 0.0);
                check(x, -INF, INF);
            }
        }
        for x in [1.000_000_1, 2.0, f32::MAX, INF] {
            for x in [x, -x] {
                check(x, INF, INF);
                check(x, -INF, 0.0);
            }
        }
        check(-1.0, INF, 1.0);
        check(-1.0, -INF, 1.0);
        for v in values.into_iter().flat_map(|v| [v, -v]) {
            if v != 0.0 {
                check(NAN, v, NAN);
            }
            if v != 1.0 {
                check(v, NAN, NAN);
            }
        }
        // Exact results, and the sign of a negative base.
        check(3.0, 2.0, 9.0);
        check(-3.0, 3.0, -27.0);
        check(-2.0, 2.0, 4.0);
        check(-2.0, -1.0, -0.5);
        check(4.0, 0.5, 2.0);
        check(-2.0, -149.0, -f32::from_bits(1));
        check(-2.0, 129.0, -INF);
        check(-2.0, -151.0, -0.0);
        check(2.0, 127.5, 240_615_970_000_000_000_000_000_000_000_000_000_000.0);
    }

    #[test]
    fn pow_within_the_documented_error() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        for _ in 0..300_000 {
            let x = f32::from_bits(next());
            // An exponent for which the result is in range.
            let wanted = f64::from(next()) / f64::from(u32::MAX) * 290.0 - 155.0;
            let y = (wanted / f64::from(x).abs().log2()) as f32;
            for y in [y, f32::from_bits(next()), y.round(), 2.0, 0.5, -1.0] {
                let want = f64::from(x).powf(f64::from(y));
                let got = pow(x, y);
                assert!(ulp_error(got, want) <= MAX_ULP, "pow({x:e}, {y:e}): got {got:e}, want {want:e}");
            }
        }
    }
}
