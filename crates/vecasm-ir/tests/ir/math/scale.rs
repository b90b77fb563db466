//! Scaling by powers of two, and taking numbers apart.

use super::sweep;
use super::tools::{random, table};
use vecasm_ir::math::{exp2_floor, exponent, frexp_exponent, frexp_mantissa, ldexp, mantissa};

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
        if x == 0.0 || !x.is_finite() {
            continue;
        }
        let (m, e) = (frexp_mantissa(x), frexp_exponent(x));
        assert!((0.5..1.0).contains(&m.abs()), "{x:e}: {m:e}");
        // In f64 nothing is denormal, and powers of two are exact.
        assert_eq!(f64::from(m) * f64::from(e).exp2(), f64::from(x));
        assert_eq!((mantissa(x), exponent(x)), (m.abs() * 2.0, (e - 1) as f32));
    }
}
