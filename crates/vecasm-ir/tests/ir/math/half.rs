//! Half floats, all of them.

use vecasm_ir::math::{f32_to_half, half_to_f32};

/// The half float that is infinite.
const INFINITY: u16 = 0x7c00;

/// The value by the definition of the format, as `f64`.
fn definition(half: u16) -> f64 {
    let (exponent, fraction) = (i32::from(half >> 10 & 0x1f), f64::from(half & 0x3ff));
    let magnitude = match (exponent, half & 0x3ff) {
        (0, _) => fraction / 16_777_216.0,
        (31, 0) => f64::INFINITY,
        (31, _) => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * f64::from(exponent - 15).exp2(),
    };
    if half >> 15 == 0 { magnitude } else { -magnitude }
}

#[test]
fn every_half_float() {
    for half in 0..=u16::MAX {
        let (got, want) = (half_to_f32(half), definition(half));
        if want.is_nan() {
            assert!(got.is_nan());
            assert_eq!(f32_to_half(got), 0x7e00);
        } else {
            assert_eq!(f64::from(got).to_bits(), want.to_bits(), "{half:04x}");
            assert_eq!(f32_to_half(got), half);
        }
    }
}

/// Between two neighbours, the middle goes to the even one and the next `f32` on either side to the nearer one.
#[test]
fn everything_between_half_floats() {
    for low in 0..0x7c00 {
        let high = low + 1;
        // Above the largest finite one the next would be 2^16.
        let above = if high == INFINITY { 65536.0 } else { definition(high) };
        let middle = (definition(low) + above) / 2.0;
        let middle = middle as f32; // exact: one bit more than a half float
        let next = |x: f32, by: i32| f32::from_bits(x.to_bits().wrapping_add_signed(by));
        let even = if low % 2 == 0 { low } else { high };
        for (x, want) in [(next(middle, -1), low), (middle, even), (next(middle, 1), high)] {
            assert_eq!(f32_to_half(x), want, "{x:e}");
            assert_eq!(f32_to_half(-x), want | 0x8000, "-{x:e}");
        }
    }
}

#[test]
fn limits() {
    for (x, want) in [
        (65519.99, 0x7bff),
        (65520.0, 0x7c00),
        (f32::MAX, 0x7c00),
        (f32::NEG_INFINITY, 0xfc00),
        (f32::NAN, 0x7e00),
        (-f32::NAN, 0x7e00),
        (f32::from_bits(0x7f80_0001), 0x7e00),
        (-0.0, 0x8000),
        (f32::from_bits(1), 0),
        (-f32::MIN_POSITIVE, 0x8000),
        (1.0, 0x3c00),
        (-2.0, 0xc000),
    ] {
        assert_eq!(f32_to_half(x), want, "{x:e}");
    }
}
