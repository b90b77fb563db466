//! Rounding to integers. All of it is exact: zero keeps its sign, an infinity is itself, NaN gives NaN.

/// From this magnitude on, every `f32` is an integer.
const ALL_INTEGERS: f32 = 8_388_608.0; // 2^23
const SIGN: u32 = 0x8000_0000;

/// The nearest integer, ties to even. A result of zero has the sign of `x`.
#[inline(always)]
pub fn round_even(x: f32) -> f32 {
    let sign = x.to_bits() & SIGN;
    let magnitude = f32::from_bits(x.to_bits() & !SIGN);
    // The sum has no bits left below 1, so the addition itself rounds.
    let rounded = (magnitude + ALL_INTEGERS) - ALL_INTEGERS;
    if magnitude < ALL_INTEGERS { f32::from_bits(rounded.to_bits() | sign) } else { x }
}

/// The largest integer not above `x`. `-0.0` gives `-0.0`.
#[inline(always)]
pub fn floor(x: f32) -> f32 {
    let nearest = round_even(x);
    // Subtracting +0 keeps a zero of either sign.
    nearest - if nearest > x { 1.0 } else { 0.0 }
}

/// The smallest integer not below `x`. Values above -1 and up to `-0.0` give `-0.0`.
#[inline(always)]
pub fn ceil(x: f32) -> f32 {
    -floor(-x)
}

/// The integer part of `x`, with the sign of `x`.
#[inline(always)]
pub fn trunc(x: f32) -> f32 {
    let sign = x.to_bits() & SIGN;
    let magnitude = floor(f32::from_bits(x.to_bits() & !SIGN));
    f32::from_bits(magnitude.to_bits() | sign)
}

#[cfg(test)]
mod test {
    use super::super::test::{sweep, table};
    use super::*;

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
}
