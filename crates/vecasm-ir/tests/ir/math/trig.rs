//! Sines and cosines.

use super::sweep;
use super::tools::table;
use vecasm_ir::math::{MAX_ULP, cos, sin, ulp_error};

#[test]
fn special_values() {
    let tiny = f32::from_bits(1);
    table(
        sin,
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (tiny, tiny),
            (-tiny, -tiny),
            (f32::MIN_POSITIVE, f32::MIN_POSITIVE),
            (f32::INFINITY, f32::NAN),
            (f32::NEG_INFINITY, f32::NAN),
            (f32::NAN, f32::NAN),
            (-f32::NAN, f32::NAN),
        ],
    );
    table(
        cos,
        &[
            (0.0, 1.0),
            (-0.0, 1.0),
            (tiny, 1.0),
            (-tiny, 1.0),
            (f32::INFINITY, f32::NAN),
            (f32::NEG_INFINITY, f32::NAN),
            (f32::NAN, f32::NAN),
        ],
    );
    // The f32 nearest to π/2 is off by 4.4e-8: the sine is 1 all the same, the cosine is that difference.
    table(sin, &[(core::f32::consts::FRAC_PI_2, 1.0), (-core::f32::consts::FRAC_PI_2, -1.0)]);
    table(cos, &[(core::f32::consts::FRAC_PI_2, -4.371_139e-8), (core::f32::consts::PI, -1.0)]);
}

#[test]
fn within_the_documented_error() {
    sweep(sin, f64::sin, 4099, MAX_ULP);
    sweep(cos, f64::cos, 4099, MAX_ULP);
}

#[test]
fn near_multiples_of_half_pi() {
    // The f32 around k·π/2 are where most bits cancel; k reaches past the change to the other reduction.
    for k in (1..4_000_000u32).step_by(37) {
        let x = (f64::from(k) * core::f64::consts::FRAC_PI_2) as f32;
        for bits in x.to_bits() - 1..=x.to_bits() + 1 {
            let x = f32::from_bits(bits);
            assert!(ulp_error(sin(x), f64::from(x).sin()) <= MAX_ULP, "{x:e}");
            assert!(ulp_error(cos(x), f64::from(x).cos()) <= MAX_ULP, "{x:e}");
        }
    }
}

#[test]
fn symmetry() {
    for bits in (0..0x7f80_0000u32).step_by(50_021) {
        let x = f32::from_bits(bits);
        assert_eq!(sin(-x).to_bits(), (-sin(x)).to_bits(), "{x:e}");
        assert_eq!(cos(-x).to_bits(), cos(x).to_bits(), "{x:e}");
    }
}
