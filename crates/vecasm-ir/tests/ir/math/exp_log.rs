//! Powers and logarithms.

use super::sweep;
use super::tools::table;
use vecasm_ir::math::{MAX_ULP, exp, exp2, log, log2, pow, ulp_error};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

#[test]
fn special_values() {
    let tiny = f32::from_bits(1);
    for f in [exp2, exp] {
        table(
            f,
            &[
                (0.0, 1.0),
                (-0.0, 1.0),
                (tiny, 1.0),
                (-tiny, 1.0),
                (INF, INF),
                (-INF, 0.0),
                (NAN, NAN),
                (-NAN, NAN),
                (f32::MAX, INF),
                (f32::MIN, 0.0),
            ],
        );
    }
    for f in [log2, log] {
        table(
            f,
            &[
                (1.0, 0.0),
                (0.0, -INF),
                (-0.0, -INF),
                (INF, INF),
                (-INF, NAN),
                (-1.0, NAN),
                (-tiny, NAN),
                (NAN, NAN),
                (-NAN, NAN),
            ],
        );
    }
}

#[test]
fn powers_of_two_are_exact() {
    for k in -149..=127 {
        let bits = if k < -126 { 1 << (k + 149) } else { ((k + 127) as u32) << 23 };
        let power = f32::from_bits(bits);
        table(exp2, &[(k as f32, power)]);
        table(log2, &[(power, k as f32)]);
    }
    // The limits: 2^-150 is half of the smallest denormal and ties to 0; anything above rounds up.
    table(exp2, &[(-150.0, 0.0), (-149.999_98, f32::from_bits(1)), (-151.0, 0.0), (128.0, INF)]);
}

#[test]
fn within_the_documented_error() {
    sweep(exp2, f64::exp2, 4099, MAX_ULP);
    sweep(exp, f64::exp, 4099, MAX_ULP);
    sweep(log2, f64::log2, 4099, MAX_ULP);
    sweep(log, f64::ln, 4099, MAX_ULP);
    // The logarithm loses relative accuracy near 1 if anything cancels.
    for bits in 0x3f7f_c000..0x3f80_4000 {
        let x = f32::from_bits(bits);
        assert!(ulp_error(log2(x), f64::from(x).log2()) <= MAX_ULP, "{x:e}");
    }
}

/// The whole table of IEEE 754-2019, 9.2.1, row by row.
#[test]
fn pow_special_values() {
    #[track_caller]
    fn check(x: f32, y: f32, want: f32) {
        let got = pow(x, y);
        let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
        assert!(same, "pow({x:e}, {y:e}): got {got:e}, want {want:e}");
    }
    let values = [0.0, 1e-45, 1e-40, 0.5, 1.0, 1.5, 2.0, 3.0, 16_777_215.0, 1e30, f32::MAX, INF, NAN];
    for v in values.into_iter().flat_map(|v| [v, -v]) {
        check(v, 0.0, 1.0);
        check(v, -0.0, 1.0);
        check(1.0, v, 1.0);
    }
    let odd = [1.0, 3.0, 5.0, 8_388_609.0, 16_777_215.0];
    let not_odd = [0.5, 1e-45, 1.5, 2.0, 4.0, 3.5, 16_777_216.0, 1e30, f32::MAX];
    for y in odd {
        for sign in [1.0, -1.0] {
            check(sign * 0.0, -y, sign * INF);
            check(sign * 0.0, y, sign * 0.0);
            check(sign * INF, -y, sign * 0.0);
            check(sign * INF, y, sign * INF);
        }
        check(-1.0, y, -1.0);
        check(-1.0, -y, -1.0);
    }
    for y in not_odd {
        for sign in [1.0, -1.0] {
            check(sign * 0.0, -y, INF);
            check(sign * 0.0, y, 0.0);
            check(sign * INF, -y, 0.0);
            check(sign * INF, y, INF);
        }
        let integer = y == y.floor();
        check(-1.0, y, if integer { 1.0 } else { NAN });
        check(-2.5, -y, if integer { pow(2.5, -y) } else { NAN });
    }
    for x in [0.0, 1e-45, 0.5, 0.999_999_94] {
        for x in [x, -x] {
            check(x, INF, 0.0);
            check(x, -INF, INF);
        }
    }
    for x in [1.000_000_1, 2.0, f32::MAX, INF] {
        for x in [x, -x] {
            check(x, INF, INF);
            check(x, -INF, 0.0);
        }
    }
    check(-1.0, INF, 1.0);
    check(-1.0, -INF, 1.0);
    for v in values.into_iter().flat_map(|v| [v, -v]) {
        if v != 0.0 {
            check(NAN, v, NAN);
        }
        if v != 1.0 {
            check(v, NAN, NAN);
        }
    }
    // Exact results, and the sign of a negative base.
    check(3.0, 2.0, 9.0);
    check(-3.0, 3.0, -27.0);
    check(-2.0, 2.0, 4.0);
    check(-2.0, -1.0, -0.5);
    check(4.0, 0.5, 2.0);
    check(-2.0, -149.0, -f32::from_bits(1));
    check(-2.0, 129.0, -INF);
    check(-2.0, -151.0, -0.0);
    check(2.0, 127.5, 240_615_970_000_000_000_000_000_000_000_000_000_000.0);
}

#[test]
fn pow_within_the_documented_error() {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    for _ in 0..300_000 {
        let x = f32::from_bits(next());
        // An exponent for which the result is in range.
        let wanted = f64::from(next()) / f64::from(u32::MAX) * 290.0 - 155.0;
        let y = (wanted / f64::from(x).abs().log2()) as f32;
        for y in [y, f32::from_bits(next()), y.round(), 2.0, 0.5, -1.0] {
            let want = f64::from(x).powf(f64::from(y));
            let got = pow(x, y);
            assert!(ulp_error(got, want) <= MAX_ULP, "pow({x:e}, {y:e}): got {got:e}, want {want:e}");
        }
    }
}
