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

#[cfg(test)]
mod test {
    use super::super::test::{random, sweep, table};
    use super::*;

    const TINY: f32 = f32::from_bits(1); // 2^-149
    const NEAR_ONE: f32 = 0.999_999_94; // 1 - 2^-24
    const NEAR_TWO: f32 = 1.999_999_9; // 2 - 2^-23

    #[test]
    fn scaling() {
        for (x, n, want) in [
            (1.5, 3, 12.0),
            (-0.0, 5, -0.0),
            (f32::NEG_INFINITY, -5000, f32::NEG_INFINITY),
            (f32::NAN, 1, f32::NAN),
            (TINY, 149, 1.0),
            (TINY, 276, f32::from_bits(254 << 23)),
            (TINY, 277, f32::INFINITY),
            (1.0, 128, f32::INFINITY),
            (-1.0, i32::MAX, f32::NEG_INFINITY),
            (-1.0, i32::MIN, -0.0),
            (1.0, -149, TINY),
            // Half of the last place: ties to even, 0 and 2; a little more rounds up.
            (1.0, -150, 0.0),
            (1.0 + f32::EPSILON, -150, TINY),
            (3.0, -150, 2.0 * TINY),
            (-3.0, -150, -2.0 * TINY),
            (NEAR_TWO, -151, 0.0),
            (f32::MAX, -277, TINY),
            (f32::MAX, -278, 0.0),
            (NEAR_TWO, -127, f32::MIN_POSITIVE),
        ] {
            table(|x| ldexp(x, n), &[(x, want)]);
        }
        let mut state = 1;
        for _ in 0..500_000 {
            let word = random(&mut state);
            let (x, n) = (f32::from_bits(word as u32), ((word >> 32) % 253) as i32 - 126);
            // A product with a power of two is rounded once.
            table(|x| ldexp(x, n), &[(x, x * f32::from_bits(((127 + n) as u32) << 23))]);
        }
    }

    #[test]
    fn whole_powers() {
        table(
            exp2_floor,
            &[
                (0.0, 1.0),
                (-0.0, 1.0),
                (TINY, 1.0),
                (-TINY, 0.5),
                (NEAR_ONE, 1.0),
                (-NEAR_ONE, 0.5),
                (127.999_99, f32::from_bits(254 << 23)),
                (128.0, f32::INFINITY),
                (f32::MAX, f32::INFINITY),
                (f32::INFINITY, f32::INFINITY),
                (-126.0, f32::MIN_POSITIVE),
                (-148.5, TINY),
                (-149.0, TINY),
                (-149.1, 0.0),
                (-150.0, 0.0),
                (f32::MIN, 0.0),
                (f32::NEG_INFINITY, 0.0),
                (f32::NAN, f32::NAN),
            ],
        );
        // 2^-150 is rounded: half of the last place.
        sweep(exp2_floor, |x| f64::from(x.floor().exp2() as f32), 1021, 0.0);
    }

    #[test]
    fn taking_apart() {
        // Input, mantissa and exponent of frexp, then mantissa and exponent.
        for (x, frexp, m, e) in [
            (1.0, (0.5, 1), 1.0, 0.0),
            (-8.0, (-0.5, 4), 1.0, 3.0),
            (0.75, (0.75, 0), 1.5, -1.0),
            (-NEAR_ONE, (-NEAR_ONE, 0), NEAR_TWO, -1.0),
            (TINY, (0.5, -148), 1.0, -149.0),
            (-3.0 * TINY, (-0.75, -147), 1.5, -148.0),
            (f32::from_bits(0x007f_ffff), (1.0 - f32::EPSILON, -126), 2.0 - 2.0 * f32::EPSILON, -127.0),
            (f32::MIN_POSITIVE, (0.5, -125), 1.0, -126.0),
            (f32::MAX, (NEAR_ONE, 128), NEAR_TWO, 127.0),
            (0.0, (0.0, 0), 1.0, f32::NEG_INFINITY),
            (-0.0, (-0.0, 0), 1.0, f32::NEG_INFINITY),
            (f32::INFINITY, (f32::INFINITY, 0), 1.0, f32::INFINITY),
            (f32::NEG_INFINITY, (f32::NEG_INFINITY, 0), 1.0, f32::INFINITY),
            (f32::NAN, (f32::NAN, 0), f32::NAN, f32::NAN),
        ] {
            table(frexp_mantissa, &[(x, frexp.0)]);
            assert_eq!(frexp_exponent(x), frexp.1, "{x:e}");
            table(mantissa, &[(x, m)]);
            table(exponent, &[(x, e)]);
        }
        for bits in (0..=u32::MAX).step_by(1021) {
            let x = f32::from_bits(bits);
            if !is_number(x) {
                continue;
            }
            let (m, e) = (frexp_mantissa(x), frexp_exponent(x));
            assert!((0.5..1.0).contains(&m.abs()), "{x:e}: {m:e}");
            // In f64 nothing is denormal, and powers of two are exact.
            assert_eq!(f64::from(m) * f64::from(e).exp2(), f64::from(x));
            assert_eq!((mantissa(x), exponent(x)), (m.abs() * 2.0, (e - 1) as f32));
        }
    }
}
