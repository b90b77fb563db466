//! The fused multiply-add.

/// `x * y + z`, rounded once (to nearest even, with gradual underflow). The special values are those of IEEE 754.
#[inline(always)]
pub fn fma(x: f32, y: f32, z: f32) -> f32 {
    fma_odd(x, y, z) as f32
}

/// `x * y + z` rounded to odd: a sum that is no `f64` becomes the neighbour whose last bit is set. Rounding that to
/// fewer bits (at most 51) or comparing it with an even `f64` gives what the exact sum would give.
#[inline(always)]
pub(super) fn fma_odd(x: f32, y: f32, z: f32) -> f64 {
    // The product of two 24-bit mantissas is exact in 53 bits, and none is near the limits of the exponent.
    let (product, z) = (f64::from(x) * f64::from(y), f64::from(z));
    let sum = product + z;
    // Knuth's TwoSum: the exact error of the addition.
    let back = sum - product;
    let error = (product - (sum - back)) + (z - back);
    if error == 0.0 || !sum.is_finite() || sum.to_bits() & 1 == 1 {
        return sum;
    }
    // The exact sum is beside an even one (which is no zero, for that would be exact): away from zero if the error
    // has its sign.
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}
