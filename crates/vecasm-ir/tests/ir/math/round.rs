//! Rounding to integers.

use super::sweep;
use super::tools::table;
use vecasm_ir::math::{ceil, floor, round_even, trunc};

#[test]
fn special_values() {
    for f in [round_even, floor, ceil, trunc] {
        table(
            f,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, 1.0),
                (-1.0, -1.0),
                (8_388_607.0, 8_388_607.0),
                (8_388_609.0, 8_388_609.0),
                (-16_777_214.0, -16_777_214.0),
                (f32::MAX, f32::MAX),
                (f32::MIN, f32::MIN),
                (f32::INFINITY, f32::INFINITY),
                (f32::NEG_INFINITY, f32::NEG_INFINITY),
                (f32::NAN, f32::NAN),
                (-f32::NAN, f32::NAN),
            ],
        );
    }
}

#[test]
fn between_integers() {
    let tiny = f32::from_bits(1);
    // Input, then floor, ceil, trunc, round_even.
    let rows: [(f32, [f32; 4]); 12] = [
        (tiny, [0.0, 1.0, 0.0, 0.0]),
        (-tiny, [-1.0, -0.0, -0.0, -0.0]),
        (0.5, [0.0, 1.0, 0.0, 0.0]),
        (-0.5, [-1.0, -0.0, -0.0, -0.0]),
        (1.5, [1.0, 2.0, 1.0, 2.0]),
        (-1.5, [-2.0, -1.0, -1.0, -2.0]),
        (2.5, [2.0, 3.0, 2.0, 2.0]),
        (-2.5, [-3.0, -2.0, -2.0, -2.0]),
        (0.999_999_94, [0.0, 1.0, 0.0, 1.0]),
        (-0.75, [-1.0, -0.0, -0.0, -1.0]),
        (8_388_607.5, [8_388_607.0, 8_388_608.0, 8_388_607.0, 8_388_608.0]),
        (-4_194_304.5, [-4_194_305.0, -4_194_304.0, -4_194_304.0, -4_194_304.0]),
    ];
    for (x, [f, c, t, r]) in rows {
        table(floor, &[(x, f)]);
        table(ceil, &[(x, c)]);
        table(trunc, &[(x, t)]);
        table(round_even, &[(x, r)]);
    }
}

#[test]
fn everywhere() {
    sweep(floor, f64::floor, 1021, 0.0);
    sweep(ceil, f64::ceil, 1021, 0.0);
    sweep(trunc, f64::trunc, 1021, 0.0);
    sweep(round_even, f64::round_ties_even, 1021, 0.0);
}
