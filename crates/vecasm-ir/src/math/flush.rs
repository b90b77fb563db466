//! Arithmetic of `f32` without denormals, by the rule of x86 with the modes FTZ and DAZ set.
//!
//! An operand that is denormal counts as a zero of its sign. A result becomes a zero of its sign if it is tiny:
//! below 2^-126 after rounding to 24 bits as if the exponent had no limit, which is an exact result below
//! 2^-126 - 2^-151 (that value is half-way between 2^-126 - 2^-150 and 2^-126, and a tie goes to the even 2^-126).
//! All else is IEEE 754: results are correctly rounded. NaN results may be any NaN.

use super::fma::fma_odd;

const SIGN: u32 = 0x8000_0000;
/// The smallest magnitude of an exact result that is not flushed: 2^-126 - 2^-151 = (2^25 - 1)·2^-151.
const TINY: f64 = f64::from_bits(((1023 - 127) << 52) | (((1 << 24) - 1) << 28));

/// A denormal becomes a zero of its sign; everything else is itself.
#[inline(always)]
pub fn flush(x: f32) -> f32 {
    let bits = x.to_bits();
    if bits & 0x7f80_0000 == 0 { f32::from_bits(bits & SIGN) } else { x }
}

/// Rounds a result that is known to the last bit, or on the right side of [`TINY`] and of every point where
/// rounding to `f32` changes.
#[inline(always)]
fn round(exact: f64) -> f32 {
    let magnitude = f64::from_bits(exact.to_bits() & !(1 << 63));
    let rounded = exact as f32;
    if magnitude < TINY { f32::from_bits(rounded.to_bits() & SIGN) } else { rounded }
}

/// `x + y`.
#[inline(always)]
pub fn add(x: f32, y: f32) -> f32 {
    // Sums of normal numbers are multiples of 2^-149, so a denormal one is exact.
    flush(flush(x) + flush(y))
}

/// `x - y`.
#[inline(always)]
pub fn sub(x: f32, y: f32) -> f32 {
    flush(flush(x) - flush(y))
}

/// `x * y`.
#[inline(always)]
pub fn mul(x: f32, y: f32) -> f32 {
    // Exact in f64.
    round(f64::from(flush(x)) * f64::from(flush(y)))
}

/// `x / y`.
#[inline(always)]
pub fn div(x: f32, y: f32) -> f32 {
    // A quotient of two 24-bit mantissas differs from every number of 25 bits, among them TINY, by at least 2^-50 of
    // its value, unless it is that number; rounding to the 53 bits of f64 does not bridge that.
    round(f64::from(flush(x)) / f64::from(flush(y)))
}

/// 1 / `x`. Magnitudes above 2^126 give zeros: their reciprocal is denormal.
#[inline(always)]
pub fn rcp(x: f32) -> f32 {
    div(1.0, x)
}

/// The square root. No root of a normal number is tiny; a negative denormal counts as `-0.0` and gives it.
#[inline]
pub fn sqrt(x: f32) -> f32 {
    super::sqrt(flush(x))
}

/// `x * y + z` with one rounding; only that result can be tiny, not the product.
#[inline]
pub fn fma(x: f32, y: f32, z: f32) -> f32 {
    round(fma_odd(flush(x), flush(y), flush(z)))
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn the_limit() {
        // 2^-126 - 2^-151, each an f64.
        assert_eq!(TINY, (-126f64).exp2() - (-151f64).exp2());
    }
}
