//! Functions of `f64`, against `std` and by hand.

use super::tools::{any, random, same, special_wide};

/// Bits of the fraction.
const FRACTION: u32 = 52;
use vecasm_ir::math::wide::{
    ceil, floor, fma, fract, frexp_exponent, frexp_mantissa, ldexp, round_even, rsqrt, trunc,
};

#[test]
fn rounding_to_integers() {
    type Function = fn(f64) -> f64;
    let functions: [(Function, Function); 4] =
        [(floor, f64::floor), (ceil, f64::ceil), (trunc, f64::trunc), (round_even, f64::round_ties_even)];
    let mut state = 1;
    for (own, std) in functions {
        special_wide().for_each(|x| same(own(x), std(x), &x.to_bits()));
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
    for x in random.chain(special_wide()).filter(|x| *x > 0.0 && x.is_finite()) {
        let r = rsqrt(x);
        // x = m · 2^2k with 2^52 <= m < 2^54, and r = n · 2^-k with n near 1/sqrt(m), as 53 bits below 2^-26.
        let (m, e) = ((frexp_mantissa(x) * (1u64 << 53) as f64) as u64, frexp_exponent(x) - 53);
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
    for x in special_wide() {
        for y in special_wide() {
            for z in special_wide() {
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
    for x in
        core::iter::repeat_with(|| any(&mut state, 3)).take(500_000).filter(|&x| x != 0.0 && x.is_finite())
    {
        let (m, e) = (frexp_mantissa(x), frexp_exponent(x));
        assert!((0.5..1.0).contains(&m.abs()), "{x:e}: {m:e}");
        // In two steps that are both exact: 2^1024 is no f64, and 2^-1073 is denormal.
        let power = |n: i32| f64::from_bits(((1023 + n) as u64) << FRACTION);
        same(m * power(e / 2) * power(e - e / 2), x, &x.to_bits());
    }
}
