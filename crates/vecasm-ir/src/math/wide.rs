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
    use super::super::test::random;
    use super::*;

    /// The values where functions change their ways, of both signs.
    fn special() -> impl Iterator<Item = f64> + Clone {
        const BITS: [u64; 30] = [
            0,
            1,
            2,
            3,
            0x0008_0000_0000_0000,
            0x000f_ffff_ffff_ffff,
            0x0010_0000_0000_0000, // 2^-1022
            0x0010_0000_0000_0001,
            0x001f_ffff_ffff_ffff,
            0x0020_0000_0000_0000,
            0x1e60_0000_0000_0000,
            0x3ca0_0000_0000_0000, // 2^-53
            0x3ca0_0000_0000_0001,
            0x3fdf_ffff_ffff_ffff,
            0x3fe0_0000_0000_0000, // 0.5
            0x3fe0_0000_0000_0001,
            0x3fef_ffff_ffff_ffff,
            0x3ff0_0000_0000_0000, // 1
            0x3ff0_0000_0000_0001,
            0x3ff8_0000_0000_0000, // 1.5
            0x4004_0000_0000_0000, // 2.5
            0x400f_ffff_ffff_ffff,
            0x4010_0000_0000_0000, // 4
            0x4320_0000_0000_0001, // 2^51 + 1/2
            0x4330_0000_0000_0000, // 2^52
            0x4340_0000_0000_0001,
            0x5fe0_0000_0000_0000,
            0x7fef_ffff_ffff_ffff,
            INFINITY,
            0x7ff8_0000_0000_0000,
        ];
        BITS.into_iter().flat_map(|bits| [bits, bits | SIGN]).map(f64::from_bits)
    }

    /// A number of any bits, or one with an exponent within `spread` of 0.
    fn any(state: &mut u64, spread: u64) -> f64 {
        let (bits, exponent) = (random(state), random(state));
        let near = 1023 - spread + exponent % (2 * spread + 1);
        f64::from_bits(if exponent >> 63 == 0 { bits } else { bits & !INFINITY | near << FRACTION })
    }

    #[track_caller]
    fn same(got: f64, want: f64, what: &dyn core::fmt::Debug) {
        let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
        assert!(same, "{what:x?}: got {got:e}, want {want:e}");
    }

    #[test]
    fn rounding_to_integers() {
        type Function = fn(f64) -> f64;
        let functions: [(Function, Function); 4] =
            [(floor, f64::floor), (ceil, f64::ceil), (trunc, f64::trunc), (round_even, f64::round_ties_even)];
        let mut state = 1;
        for (own, std) in functions {
            special().for_each(|x| same(own(x), std(x), &x.to_bits()));
            for i in 0..500_000 {
                let x = any(&mut state, 56);
                // Every other one on a half or an integer.
                let x = if i % 2 == 0 { x } else { (x * 2.0).trunc() / 2.0 };
                same(own(x), std(x), &x.to_bits());
            }
        }
    }

    #[test]
    fn fractions() {
        for (x, want) in [
            (2.75, 0.75),
            (-2.75, 0.25),
            (-3.0, 0.0),
            (0.0, 0.0),
            (-0.0, 0.0),
            (1e300, 0.0),
            (5e-324, 5e-324),
            (-5e-324, 1.0),
            (f64::INFINITY, f64::NAN),
            (f64::NEG_INFINITY, f64::NAN),
            (f64::NAN, f64::NAN),
        ] {
            same(fract(x), want, &x.to_bits());
        }
    }

    #[test]
    fn square_roots() {
        let check = |x: f64| {
            same(portable_sqrt(x), x.sqrt(), &x.to_bits());
            same(sqrt(x), x.sqrt(), &x.to_bits());
        };
        special().for_each(check);
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

    /// Whether (`twice`/2)²·m > 2^158 for `m` < 2^55, in 192 bits.
    fn above(twice: u64, m: u64) -> bool {
        let square = u128::from(twice) * u128::from(twice);
        let low = (square & u128::from(u64::MAX)) * u128::from(m);
        let high = (square >> 64) * u128::from(m) + (low >> 64);
        high >= 1 << 96
    }

    #[test]
    fn reciprocal_square_roots() {
        for (x, want) in [
            (0.0, f64::INFINITY),
            (-0.0, f64::NEG_INFINITY),
            (f64::INFINITY, 0.0),
            (f64::NEG_INFINITY, f64::NAN),
            (-1.0, f64::NAN),
            (-5e-324, f64::NAN),
            (f64::NAN, f64::NAN),
            (1.0, 1.0),
            (4.0, 0.5),
            (0.25, 2.0),
            // 2^-1074 and 2^-1022 are even powers, 2^1023 is not.
            (5e-324, f64::from_bits((1023 + 537) << FRACTION)),
            (f64::MIN_POSITIVE, f64::from_bits((1023 + 511) << FRACTION)),
            // 1/sqrt(1 + u) = 1 - u/2 + 3u²/8 for u = 2^-52, just above the neighbour of 1.
            (1.0 + f64::EPSILON, 1.0 - f64::EPSILON / 2.0),
            // 1/sqrt(1 - u/2) = 1 + u/4 + …, nearer to 1 than to 1 + u.
            (1.0 - f64::EPSILON / 2.0, 1.0),
            // 1/sqrt(1 - u) = 1 + u/2 + 3u²/8: above half-way.
            (1.0 - f64::EPSILON, 1.0 + f64::EPSILON),
        ] {
            same(rsqrt(x), want, &x.to_bits());
        }
        let mut state = 3;
        let random = core::iter::repeat_with(|| any(&mut state, 1)).take(500_000);
        for x in random.chain(special()).filter(|x| *x > 0.0 && x.is_finite()) {
            let r = rsqrt(x);
            // x = m · 2^2k with 2^52 <= m < 2^54, and r = n · 2^-k with n near 1/sqrt(m), as 53 bits below 2^-26.
            let (m, e) = split(x);
            let (m, k) = if e & 1 == 0 { (m, e / 2) } else { (m << 1, (e - 1) / 2) };
            let n = r * f64::from_bits(((1023 + 79 + k) as u64) << FRACTION);
            let n = n as u64;
            if m != 1 << 52 {
                assert!(!above(2 * n - 1, m) && above(2 * n + 1, m), "{:x}: {r:e}", x.to_bits());
            } else {
                assert_eq!(n, 1 << 53);
            }
        }
    }

    #[test]
    fn fused_multiply_add() {
        let check = |x: f64, y: f64, z: f64| {
            same(fma(x, y, z), x.mul_add(y, z), &[x.to_bits(), y.to_bits(), z.to_bits()]);
        };
        for x in special() {
            for y in special() {
                for z in special() {
                    check(x, y, z);
                }
            }
        }
        let mut state = 4;
        for i in 0..1_000_000u64 {
            let (x, y) = (any(&mut state, 40), any(&mut state, 40));
            let scale = |n: u64, by: u64| f64::from_bits((1023 - by + n % (2 * by)) << FRACTION);
            let word = random(&mut state);
            let z = match i % 4 {
                0 => any(&mut state, 80),
                // Cancels all but the low half of the product, or nearly so.
                1 => f64::from_bits((-(x * y)).to_bits().wrapping_add(word % 5).wrapping_sub(2)),
                // Near in size: one rounding at some place.
                2 => x * y * scale(word, 60),
                // Far below: decides ties and nothing else.
                _ => x * y * scale(word, 120),
            };
            check(x, y, z);
            // Products with few bits, for exact ties.
            let cut = |v: f64| f64::from_bits(v.to_bits() & !((1 << 26) - 1));
            check(cut(x), cut(y), cut(z));
            check(cut(x), cut(y), z);
            // Results that are denormal, or overflow.
            let down = f64::from_bits((1023 - (500 + word % 60)) << FRACTION);
            check(x * down, y * down, z * down * down);
            let up = f64::from_bits((1023 + (490 + word % 24)) << FRACTION);
            check(x * up, y * up, z * up * up);
        }
    }

    #[test]
    fn scaling() {
        for (x, n, want) in [
            (1.5, 3, 12.0),
            (-0.0, 5, -0.0),
            (f64::INFINITY, -5000, f64::INFINITY),
            (f64::NAN, 1, f64::NAN),
            (5e-324, 1074, 1.0),
            (5e-324, 2097, f64::from_bits(2046 << FRACTION)),
            (5e-324, 2098, f64::INFINITY),
            (1.0, 1023, f64::from_bits(2046 << FRACTION)),
            (1.0, 1024, f64::INFINITY),
            (-1.0, i32::MAX, f64::NEG_INFINITY),
            (-1.0, i32::MIN, -0.0),
            (1.0, -1074, 5e-324),
            // Half of the last place: ties to even, 0 and 2; a little more rounds up, a little less down.
            (1.0, -1075, 0.0),
            (1.0 + f64::EPSILON, -1075, 5e-324),
            (3.0, -1075, 1e-323),
            (2.0 - f64::EPSILON, -1076, 0.0),
            (f64::MAX, -2098, 5e-324),
            (f64::MAX, -2099, 0.0),
            // The largest of 53 bits rounds up to the smallest normal number.
            (2.0 - f64::EPSILON, -1023, f64::MIN_POSITIVE),
        ] {
            same(ldexp(x, n), want, &(x.to_bits(), n));
        }
        let mut state = 5;
        for _ in 0..500_000 {
            let (x, n) = (any(&mut state, 100), (random(&mut state) % 2045) as i32 - 1022);
            // A product with a power of two is rounded once.
            let want = x * f64::from_bits(((1023 + n) as u64) << FRACTION);
            same(ldexp(x, n), want, &(x.to_bits(), n));
        }
    }

    #[test]
    fn taking_apart() {
        for (x, m, e) in [
            (1.0, 0.5, 1),
            (-8.0, -0.5, 4),
            (0.75, 0.75, 0),
            (5e-324, 0.5, -1073),
            (1.5e-323, 0.75, -1072),
            (f64::MIN_POSITIVE, 0.5, -1021),
            (f64::MAX, 1.0 - f64::EPSILON / 2.0, 1024),
            (0.0, 0.0, 0),
            (-0.0, -0.0, 0),
            (f64::INFINITY, f64::INFINITY, 0),
            (f64::NEG_INFINITY, f64::NEG_INFINITY, 0),
            (f64::NAN, f64::NAN, 0),
        ] {
            same(frexp_mantissa(x), m, &x.to_bits());
            assert_eq!(frexp_exponent(x), e, "{x:e}");
        }
        let mut state = 6;
        for x in core::iter::repeat_with(|| any(&mut state, 3)).take(500_000).filter(|&x| is_number(x)) {
            let (m, e) = (frexp_mantissa(x), frexp_exponent(x));
            assert!((0.5..1.0).contains(&m.abs()), "{x:e}: {m:e}");
            // In two steps that are both exact: 2^1024 is no f64, and 2^-1073 is denormal.
            let power = |n: i32| f64::from_bits(((1023 + n) as u64) << FRACTION);
            same(m * power(e / 2) * power(e - e / 2), x, &x.to_bits());
        }
    }
}
