//! Powers of two: taking numbers apart and putting them together. All of it is exact, but for the one rounding of
//! [`ldexp`] and [`exp2_floor`] where a result is denormal or overflows.

use super::{F64_EXPONENT, floor};

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
/// The bias of the exponent of `f64`.
const BIAS: i32 = 1023;
/// Beyond this power of two, either way, every finite `f32` but zero overflows or underflows, and products in `f64`
/// stay exact.
const FAR: i32 = 300;

/// 2^n as an `f64`; n is clamped to ±[`FAR`].
#[inline(always)]
fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((n.clamp(-FAR, FAR) + BIAS) as u64) << F64_EXPONENT)
}

/// Whether `x` is a finite number other than zero.
#[inline(always)]
fn is_number(x: f32) -> bool {
    (x.to_bits() & !SIGN).wrapping_sub(1) < INFINITY - 1
}

/// The power of two that a finite number other than zero has as `f64`, where nothing is denormal:
/// floor(log2(|x|)).
#[inline(always)]
fn floor_log2(x: f32) -> i32 {
    ((f64::from(x).to_bits() >> F64_EXPONENT) & 0x7ff) as i32 - BIAS
}

/// `x` with its exponent replaced: the magnitude is in 2^n..2^(n+1).
#[inline(always)]
fn with_exponent(x: f32, n: i32) -> f32 {
    const EXPONENT: u64 = 0x7ff << F64_EXPONENT;
    // The fraction of an f32 fits, so the conversion back is exact.
    let fraction = f64::from(x).to_bits() & !EXPONENT;
    f64::from_bits(fraction | (((n + BIAS) as u64) << F64_EXPONENT)) as f32
}

/// `x` times 2 to the power `n`, rounded once (to nearest even, with gradual underflow). Zeros, infinities and NaN
/// are themselves.
#[inline(always)]
pub fn ldexp(x: f32, n: i32) -> f32 {
    (f64::from(x) * power_of_two(n)) as f32
}

/// 2 to the power floor(`x`), with the overflow and underflow of [`ldexp`]: from 128 on +Inf, below -149 +0.
#[inline(always)]
pub fn exp2_floor(x: f32) -> f32 {
    // The conversion saturates, and gives 0 for NaN.
    if x.is_nan() { x } else { power_of_two(floor(x) as i32) as f32 }
}

/// The mantissa of C's `frexp`: `x` = m · 2^e with m in 0.5..1 (of the sign of `x`) and e from [`frexp_exponent`].
/// Exact, also for denormals. Zeros, infinities and NaN are themselves.
#[inline(always)]
pub fn frexp_mantissa(x: f32) -> f32 {
    if is_number(x) { with_exponent(x, -1) } else { x }
}

/// The exponent of C's `frexp`, see [`frexp_mantissa`]; -148..=128. Zeros, infinities and NaN give 0.
#[inline(always)]
pub fn frexp_exponent(x: f32) -> i32 {
    if is_number(x) { floor_log2(x) + 1 } else { 0 }
}

/// floor(log2(|x|)), exact also for denormals. A zero gives -Inf, an infinity +Inf, NaN gives NaN.
#[inline(always)]
pub fn exponent(x: f32) -> f32 {
    if is_number(x) {
        floor_log2(x) as f32
    } else if x == 0.0 {
        f32::NEG_INFINITY
    } else {
        f32::from_bits(x.to_bits() & !SIGN)
    }
}

/// |x| divided by 2 to the power [`exponent`]: in 1..2, exact. Zeros and infinities give 1, NaN gives NaN.
#[inline(always)]
pub fn mantissa(x: f32) -> f32 {
    if is_number(x) {
        with_exponent(f32::from_bits(x.to_bits() & !SIGN), 0)
    } else if x.is_nan() {
        x
    } else {
        1.0
    }
}
