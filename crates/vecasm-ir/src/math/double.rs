//! Elementary functions of `f64` from basic operations, the same on every platform.
//!
//! The error is below 4 units in the last place where the result is not near 0 by cancellation; the tests measure it
//! against `std`. A runtime computes with the functions of its C library, so nothing finer is known.

use super::wide::{floor, fma, frexp_exponent, frexp_mantissa, ldexp, round_even, sqrt};

/// π/2 in three parts.
const HALF_PI: [f64; 3] =
    [core::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_167e-33];
/// Angles from here on are rounded to `f32`, whose functions reduce all of them exactly.
const HUGE_ANGLE: f64 = 1_099_511_627_776.0;

/// The sum of `x^n / n!` with alternating signs over every second n from `first` on.
fn alternating(x: f64, first: u32, last: u32) -> f64 {
    let square = x * x;
    let mut sum = 1.0;
    let mut n = last;
    while n > first {
        sum = 1.0 - square / (f64::from(n) * f64::from(n - 1)) * sum;
        n -= 2;
    }
    if first == 1 { x * sum } else { sum }
}

/// The angle within a quarter, and the number of the quarter.
fn quarter(x: f64) -> (f64, u8) {
    let n = round_even(x * core::f64::consts::FRAC_2_PI);
    let rest = HALF_PI.iter().fold(x, |rest, part| fma(-n, *part, rest));
    (rest, (n - 4.0 * floor(n / 4.0)) as u8 & 3)
}

fn circular(x: f64, ahead: u8) -> f64 {
    let (rest, quarter) = quarter(x);
    match (quarter + ahead) & 3 {
        0 => alternating(rest, 1, 19),
        1 => alternating(rest, 0, 18),
        2 => -alternating(rest, 1, 19),
        _ => -alternating(rest, 0, 18),
    }
}

/// The sine.
pub fn sin(x: f64) -> f64 {
    if x == 0.0 {
        return x;
    }
    if x.abs() < HUGE_ANGLE { circular(x, 0) } else { f64::from(crate::math::sin(x as f32)) }
}

/// The cosine.
pub fn cos(x: f64) -> f64 {
    if x.abs() < HUGE_ANGLE { circular(x, 1) } else { f64::from(crate::math::cos(x as f32)) }
}

/// 2 to the power of `x`.
pub fn exp2(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x >= 1024.0 {
        return f64::INFINITY;
    }
    if x < -1100.0 {
        return 0.0;
    }
    let n = round_even(x);
    let t = (x - n) * core::f64::consts::LN_2;
    let mut sum = 1.0;
    let mut k = 16;
    while k > 0 {
        sum = 1.0 + t / f64::from(k) * sum;
        k -= 1;
    }
    ldexp(sum, n as i32)
}

/// The logarithm of `x` to base 2, of a positive number.
pub fn log2(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    let (mut mantissa, mut exponent) = (frexp_mantissa(x), frexp_exponent(x));
    if mantissa < core::f64::consts::FRAC_1_SQRT_2 {
        mantissa *= 2.0;
        exponent -= 1;
    }
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let mut sum = 0.0;
    let mut k = 25;
    while k > 0 {
        sum = sum * square + 1.0 / f64::from(k);
        k -= 2;
    }
    f64::from(exponent) + 2.0 * s * sum * core::f64::consts::LOG2_E
}

/// The arc tangent.
pub fn atan(x: f64) -> f64 {
    let size = x.abs();
    if size > 1.0 {
        let rest = core::f64::consts::FRAC_PI_2 - near_atan(1.0 / size);
        return if x < 0.0 { -rest } else { rest };
    }
    near_atan(x)
}

/// The arc tangent of at most 1: the angle is halved twice, then a series of 13 terms.
fn near_atan(x: f64) -> f64 {
    let half = |x: f64| x / (1.0 + sqrt(1.0 + x * x));
    let x = half(half(x));
    let square = x * x;
    let mut sum = 0.0;
    let mut k = 25;
    while k > 0 {
        sum = 1.0 / f64::from(k) - sum * square;
        k -= 2;
    }
    4.0 * x * sum
}

/// The angle of the point (`x`, `y`).
pub fn atan2(y: f64, x: f64) -> f64 {
    use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let left = x.is_sign_negative();
    let angle = match (y.is_infinite(), x.is_infinite()) {
        (true, true) => {
            if left {
                3.0 * FRAC_PI_4
            } else {
                FRAC_PI_4
            }
        }
        (true, false) => FRAC_PI_2,
        _ if y == 0.0 => {
            if left {
                PI
            } else {
                0.0
            }
        }
        _ if x == 0.0 => FRAC_PI_2,
        _ => {
            let angle = atan((y / x).abs());
            if left { PI - angle } else { angle }
        }
    };
    if y.is_sign_negative() { -angle } else { angle }
}

/// The arc sine.
pub fn asin(x: f64) -> f64 {
    if x.abs() > 1.0 || x.is_nan() { NEGATIVE_NAN } else { atan2(x, sqrt((1.0 - x) * (1.0 + x))) }
}

/// The arc cosine.
pub fn acos(x: f64) -> f64 {
    if x.abs() > 1.0 || x.is_nan() { NEGATIVE_NAN } else { atan2(sqrt((1.0 - x) * (1.0 + x)), x) }
}

/// What the runtime gives for what has no angle.
const NEGATIVE_NAN: f64 = f64::from_bits(0xfff8_0000_0000_0000);
