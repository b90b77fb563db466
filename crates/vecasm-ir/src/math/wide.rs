//! Elementary functions of `f64`, with the rules of those of `f32`: the same bits on every platform, and NaN
//! results may be any NaN.
//!
//! [`sqrt`], [`rsqrt`], [`fma`] and [`ldexp`] are correctly rounded (to nearest even, with gradual underflow);
//! everything else is exact, but for the one subtraction in [`fract`].

const SIGN: u64 = 1 << 63;
const INFINITY: u64 = 0x7ff << FRACTION;
/// Bits of the fraction; the exponent field starts there.
const FRACTION: u32 = 52;
/// From this magnitude on, every `f64` is an integer.
const ALL_INTEGERS: f64 = 4_503_599_627_370_496.0; // 2^52

/// Whether `x` is a finite number other than zero.
#[inline]
fn is_number(x: f64) -> bool {
    (x.to_bits() & !SIGN).wrapping_sub(1) < INFINITY - 1
}

/// Takes a finite number other than zero apart: |x| = m · 2^e with 2^52 <= m < 2^53.
#[inline]
fn split(x: f64) -> (u64, i32) {
    let fraction = x.to_bits() & ((1 << FRACTION) - 1);
    match ((x.to_bits() >> FRACTION) & 0x7ff) as i32 {
        0 => {
            let shift = fraction.leading_zeros().saturating_sub(63 - FRACTION);
            (fraction << shift, -1074 - shift as i32)
        }
        exponent => (fraction | (1 << FRACTION), exponent - 1075),
    }
}

/// m · 2^e, rounded once; `m` has at most 127 bits. The last bit of `m` may stand for bits below it that were cut
/// off, if `m` has more than 55 bits.
fn round(negative: bool, m: u128, e: i32) -> f64 {
    let sign = if negative { SIGN } else { 0 };
    if m == 0 {
        return f64::from_bits(sign);
    }
    let highest = m.ilog2() as i32;
    // The place of the last bit that is kept: 53 bits, but nothing below 2^-1074.
    let last = (highest + e - FRACTION as i32).max(-1074);
    let drop = last - e;
    let kept = match drop {
        ..=0 => m << -drop,
        1..=127 => {
            let (kept, rest, half) = (m >> drop, m & ((1 << drop) - 1), 1 << (drop - 1));
            kept + u128::from(rest > half || (rest == half && kept & 1 == 1))
        }
        // Less than half a unit of the last place.
        _ => 0,
    };
    let kept = kept as u64;
    // The hidden bit of a normal number, or of a denormal one that was rounded up to it, adds 1 to the field.
    let field = (last + 1074) as u64;
    if field >= 0x7ff {
        return f64::from_bits(sign | INFINITY);
    }
    let bits = (field << FRACTION) + kept;
    f64::from_bits(sign | bits.min(INFINITY))
}

/// The square root, correctly rounded. `-0.0` gives `-0.0`, negative values give NaN.
#[inline]
pub fn sqrt(x: f64) -> f64 {
    #[cfg(any(feature = "std", test))]
    return x.sqrt();
    #[cfg(not(any(feature = "std", test)))]
    return portable_sqrt(x);
}

/// [`sqrt`] in integers, for builds without `std`.
#[cfg(any(test, not(feature = "std")))]
fn portable_sqrt(x: f64) -> f64 {
    if !is_number(x) || x < 0.0 {
        return if x < 0.0 { f64::NAN } else { x };
    }
    let (m, e) = split(x);
    // With an even exponent; the root of a number of 110 or 111 bits has 55 or 56.
    let odd = e & 1;
    let square = u128::from(m) << (58 - odd);
    let root = square.isqrt();
    let inexact = root * root != square;
    round(false, root | u128::from(inexact), (e - 58 + odd) / 2)
}

/// The reciprocal square root, correctly rounded. A zero gives an infinity of its sign, negative values give NaN,
/// +Inf gives +0.
#[inline]
pub fn rsqrt(x: f64) -> f64 {
    if !is_number(x) || x < 0.0 {
        // 1/±0, 1/+Inf, NaN.
        return if x < 0.0 { f64::NAN } else { 1.0 / x };
    }
    // x = m · 4^k with m in 1..4, as an integer m · 2^52.
    let (m, e) = split(x);
    let odd = (e + FRACTION as i32) & 1;
    let k = (e + FRACTION as i32 - odd) / 2;
    let m = m << odd;
    // The quotient is wrong by a few units at most, and below or at 1.
    let guess = 1.0 / sqrt(m as f64 / ALL_INTEGERS);
    let mut r = (guess * (2.0 * ALL_INTEGERS)) as u64; // in units of 2^-53
    // r - 1/2 < 2^53/sqrt(m) < r + 1/2 squared is (2r - 1)²·M < 2^160 < (2r + 1)²·M for the integer M. Both
    // differences are far smaller than 2^127, so they can be had modulo 2^128, where 2^160 is 0. They are not 0:
    // an odd factor above 1 does not divide a power of two.
    let above = |twice: u64| {
        let square = u128::from(twice) * u128::from(twice);
        (square.wrapping_mul(u128::from(m)) as i128) > 0
    };
    while above(2 * r - 1) {
        r -= 1;
    }
    // For m = 1, 1 is exact.
    while !above(2 * r + 1) {
        r += 1;
    }
    ldexp(r as f64, -53 - k)
}

/// The nearest integer, ties to even; exact. A result of zero has the sign of `x`.
#[inline]
pub fn round_even(x: f64) -> f64 {
    let sign = x.to_bits() & SIGN;
    let magnitude = f64::from_bits(x.to_bits() & !SIGN);
    // The sum has no bits left below 1, so the addition itself rounds.
    let rounded = (magnitude + ALL_INTEGERS) - ALL_INTEGERS;
    if magnitude < ALL_INTEGERS { f64::from_bits(rounded.to_bits() | sign) } else { x }
}

/// The largest integer not above `x`; exact. `-0.0` gives `-0.0`.
#[inline]
pub fn floor(x: f64) -> f64 {
    let nearest = round_even(x);
    // Subtracting +0 keeps a zero of either sign.
    nearest - if nearest > x { 1.0 } else { 0.0 }
}

/// The smallest integer not below `x`; exact. Values above -1 and up to `-0.0` give `-0.0`.
#[inline]
pub fn ceil(x: f64) -> f64 {
    -floor(-x)
}

/// The integer part of `x`, with the sign of `x`; exact.
#[inline]
pub fn trunc(x: f64) -> f64 {
    let sign = x.to_bits() & SIGN;
    let magnitude = floor(f64::from_bits(x.to_bits() & !SIGN));
    f64::from_bits(magnitude.to_bits() | sign)
}

/// `x` - [`floor`]`(x)`, rounded once: exact but for -1 < `x` < 0, where a tiny magnitude gives 1. Integers give +0,
/// infinities and NaN give NaN.
#[inline]
pub fn fract(x: f64) -> f64 {
    x - floor(x)
}

/// `x * y + z`, rounded once. The special values are those of IEEE 754.
pub fn fma(x: f64, y: f64, z: f64) -> f64 {
    if !(x.is_finite() && y.is_finite()) || x == 0.0 || y == 0.0 {
        // The product is an infinity, NaN or an exact zero.
        return x * y + z;
    }
    if !is_number(z) && z != 0.0 {
        // Nothing finite changes an infinity or NaN, but a product that overflows would.
        return z;
    }
    let negative = (x < 0.0) != (y < 0.0);
    let ((mx, ex), (my, ey)) = (split(x), split(y));
    // Both are shifted to have their highest bit at 125; 105 or 106 bits and 53 bits leave at least 20 clear.
    let normal = |m: u128, e: i32| {
        let shift = m.leading_zeros() as i32 - 2;
        (m << shift, e - shift)
    };
    let product = normal(u128::from(mx) * u128::from(my), ex + ey);
    if z == 0.0 {
        return round(negative, product.0, product.1);
    }
    let (mz, ez) = split(z);
    let z_larger = normal(u128::from(mz), ez);
    let (larger, smaller, sign_larger, sign_smaller) = if (z_larger.1, z_larger.0) > (product.1, product.0) {
        (z_larger, product, z < 0.0, negative)
    } else {
        (product, z_larger, negative, z < 0.0)
    };
    // The smaller one is aligned; what is shifted out leaves its trace in the last bit. More than a shift by 20
    // loses bits, and then at most one of the highest bits of the difference can cancel.
    let shift = larger.1 - smaller.1;
    let aligned = if shift < 126 {
        let lost = smaller.0 & ((1 << shift) - 1) != 0;
        (smaller.0 >> shift) | u128::from(lost)
    } else {
        1
    };
    let same = sign_larger == sign_smaller;
    let total = if same { larger.0 + aligned } else { larger.0 - aligned };
    // An exact zero from both signs is +0.
    round(sign_larger && total != 0, total, larger.1)
}

/// `x` times 2 to the power `n`, rounded once. Zeros, infinities and NaN are themselves.
pub fn ldexp(x: f64, n: i32) -> f64 {
    if !is_number(x) {
        return x;
    }
    let (m, e) = split(x);
    // From ±2200 on everything overflows or underflows.
    round(x < 0.0, u128::from(m), e + n.clamp(-2200, 2200))
}

/// The mantissa of C's `frexp`: `x` = m · 2^e with m in 0.5..1 (of the sign of `x`) and e from [`frexp_exponent`].
/// Exact, also for denormals. Zeros, infinities and NaN are themselves.
#[inline]
pub fn frexp_mantissa(x: f64) -> f64 {
    if !is_number(x) {
        return x;
    }
    let (m, _) = split(x);
    // The hidden bit adds 1 to the exponent field.
    f64::from_bits((x.to_bits() & SIGN) | ((1021 << FRACTION) + m))
}

/// The exponent of C's `frexp`, see [`frexp_mantissa`]; -1073..=1024. Zeros, infinities and NaN give 0.
#[inline]
pub fn frexp_exponent(x: f64) -> i32 {
    if is_number(x) { split(x).1 + FRACTION as i32 + 1 } else { 0 }
}

#[cfg(test)]
mod test {
    use super::super::tools::{any, random, same, special_wide};
    use super::*;

    #[test]
    fn square_roots() {
        let check = |x: f64| {
            same(portable_sqrt(x), x.sqrt(), &x.to_bits());
            same(sqrt(x), x.sqrt(), &x.to_bits());
        };
        special_wide().for_each(check);
        let mut state = 2;
        for _ in 0..500_000 {
            check(any(&mut state, 4));
        }
        // Roots next to a point half-way between two numbers: squares of numbers with 54 bits, cut to 53.
        for _ in 0..200_000 {
            let root = random(&mut state) >> 10 | 1 << 53 | 1;
            let square = (u128::from(root) * u128::from(root)) as f64;
            for bits in [square.to_bits() - 1, square.to_bits(), square.to_bits() + 1] {
                check(f64::from_bits(bits));
                check(f64::from_bits(bits) / 2.0);
            }
        }
    }
}
