//! Functions of preshaders.

use vecasm_ir::math::double::{acos, asin, atan, atan2, cos, exp2, log2, sin};

/// The largest error in units in the last place, over arguments between the bounds.
fn worst(f: fn(f64) -> f64, std: fn(f64) -> f64, low: f64, high: f64) -> f64 {
    (0..20_000).fold(0.0, |worst: f64, n| {
        let x = low + (high - low) * (f64::from(n) + 0.37) / 20_000.0;
        let (got, wanted) = (f(x), std(x));
        // Near zero an error of the argument counts, not one of the result.
        let unit = f64::EPSILON * wanted.abs().max(0.1);
        worst.max((got - wanted).abs() / unit)
    })
}

#[test]
fn they_are_those_of_std() {
    type Function = fn(f64) -> f64;
    let rows: [(&str, Function, Function, f64, f64); 9] = [
        ("sin", sin, f64::sin, -40.0, 40.0),
        ("sin of large angles", sin, f64::sin, -1e9, 1e9),
        ("cos", cos, f64::cos, -40.0, 40.0),
        ("exp2", exp2, f64::exp2, -1000.0, 1000.0),
        ("log2", log2, f64::log2, 1e-9, 100.0),
        ("atan", atan, f64::atan, -20.0, 20.0),
        ("asin", asin, f64::asin, -1.0, 1.0),
        ("acos", acos, f64::acos, -1.0, 1.0),
        ("log2 near 1", log2, f64::log2, 0.9, 1.1),
    ];
    for (name, f, std, low, high) in rows {
        let worst = worst(f, std, low, high);
        assert!(worst < 8.0, "{name}: {worst}");
    }
}

#[test]
fn angles_of_points() {
    let values = [0.0, -0.0, 1.0, -1.0, 2.5, -7.0, f64::INFINITY, f64::NEG_INFINITY];
    for y in values {
        for x in values {
            let (got, wanted) = (atan2(y, x), y.atan2(x));
            assert!((got - wanted).abs() < 1e-15 && got.is_sign_negative() == wanted.is_sign_negative());
        }
    }
    assert!(atan2(f64::NAN, 1.0).is_nan());
}

#[test]
fn edges() {
    assert_eq!((exp2(1024.0), exp2(-2000.0), exp2(3.0)), (f64::INFINITY, 0.0, 8.0));
    assert_eq!((log2(8.0), log2(f64::INFINITY)), (3.0, f64::INFINITY));
    assert!(asin(1.5).is_sign_negative() && acos(-2.0).is_sign_negative());
    assert!(sin(f64::INFINITY).is_nan());
    assert_eq!(sin(-0.0).to_bits(), (-0.0_f64).to_bits());
}
