//! Elementary functions.

mod double;
mod exp_log;
mod flush;
mod fma;
mod half;
mod nv20;
mod round;
mod scale;
mod tools;
mod trig;
mod wide;

use vecasm_ir::math::{is_positive_finite, ulp_error};

/// Compares with a reference at every `stride`th bit pattern, so that all exponents and both signs occur.
pub(crate) fn sweep(f: impl Fn(f32) -> f32, reference: impl Fn(f64) -> f64, stride: usize, bound: f64) {
    for bits in (0..=u32::MAX).step_by(stride) {
        let x = f32::from_bits(bits);
        let (got, want) = (f(x), reference(f64::from(x)));
        assert!(ulp_error(got, want) <= bound, "x = {x:e} ({bits:08x}): got {got:e}, want {want:e}");
    }
}

/// The values where functions of `f32` change their ways, of both signs.
pub(crate) fn special() -> impl Iterator<Item = f32> {
    const BITS: [u32; 22] = [
        0,
        1,
        2,
        0x0040_0000,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x00ff_ffff,
        0x0100_0000,
        0x3380_0000,
        0x3f00_0000,
        0x3f7f_ffff,
        0x3f80_0000,
        0x3f80_0001,
        0x3fc0_0000,
        0x4b00_0000,
        0x7e80_0000,
        0x7e80_0001,
        0x7f00_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7fc0_0000,
    ];
    BITS.into_iter().flat_map(|bits| [bits, bits | 1 << 31]).map(f32::from_bits)
}

#[test]
fn the_yardstick_measures() {
    assert_eq!(ulp_error(1.0, 1.0), 0.0);
    assert_eq!(ulp_error(1.0, 1.0 + f64::from(f32::EPSILON) / 4.0), 0.25);
    assert_eq!(ulp_error(0.0, f64::from(f32::from_bits(1))), 1.0);
    assert_eq!(ulp_error(0.0, -0.0), f64::INFINITY);
    assert_eq!(ulp_error(f32::INFINITY, f64::from(f32::MAX)), 1.0);
    assert_eq!(ulp_error(f32::MAX, f64::INFINITY), f64::INFINITY);
    assert_eq!(ulp_error(f32::NAN, 1.0), f64::INFINITY);
    assert_eq!(ulp_error(f32::INFINITY, 1e300), 0.0);
}

#[test]
fn positive_finite_is_one_comparison() {
    for (x, want) in [
        (0.0, false),
        (-0.0, false),
        (f32::from_bits(1), true),
        (f32::MAX, true),
        (f32::INFINITY, false),
        (f32::NAN, false),
        (-1.0, false),
        (f32::NEG_INFINITY, false),
    ] {
        assert_eq!(is_positive_finite(x), want, "{x:e}");
    }
}
