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
