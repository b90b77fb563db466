//! Sine and cosine of angles in radians.
//!
//! The angle is reduced to r in -π/2..π/2 by subtracting a multiple of π, which needs one polynomial only (and no
//! selection between two, as steps of π/2 would):
//!
//! * sin(x) = (-1)^n · sin(x - nπ)
//! * cos(x) = sin(|x| + π/2) = (-1)^n · sin(|x| - (n - 1/2)π)

use super::ROUND;
use core::f64::consts::{FRAC_1_PI, PI};

/// The sine of `x` radians. ±0 is itself, ±Inf gives NaN.
#[inline]
pub fn sin(x: f32) -> f32 {
    if is_angle(x) {
        return sin_usual(x);
    }
    let (r, n) = reduce_huge(x, 0);
    sin_reduced(r, n) as f32
}

/// The cosine of `x` radians. ±Inf gives NaN.
#[inline]
pub fn cos(x: f32) -> f32 {
    if is_angle(x) {
        return cos_usual(x);
    }
    let (r, n) = reduce_huge(magnitude(x), HALF);
    sin_reduced(r, n) as f32
}

/// Whether an angle is reduced without `reduce_huge`.
#[inline(always)]
pub fn is_angle(x: f32) -> bool {
    magnitude(x) < FAST_LIMIT
}

/// The sine of what [`is_angle`].
#[inline(always)]
pub fn sin_usual(x: f32) -> f32 {
    let (r, n) = reduce(f64::from(x), 0.0);
    sin_reduced(r, n) as f32
}

/// The cosine of what [`is_angle`].
#[inline(always)]
pub fn cos_usual(x: f32) -> f32 {
    let (r, n) = reduce(f64::from(magnitude(x)), 0.5);
    sin_reduced(r, n) as f32
}

#[inline(always)]
fn magnitude(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & 0x7fff_ffff)
}

/// The polynomial of [`sin`] and [`cos`]: (sin(r)/r - 1)/r² as one in r² on 0..π²/4, weight r³/sin(r), lowest power first;
/// relative error of the sine below 2^-43.7.
pub const SIN: [f64; 6] = [
    -0.166_666_666_665_046_06,
    0.008_333_333_321_087_266,
    -0.000_198_412_667_297_151_61,
    2.755_695_311_107_504e-6,
    -2.503_019_685_707_603e-8,
    1.540_952_739_347_881_2e-10,
];

/// The magnitude of an angle, in radians, below which it is reduced by [`PI_HIGH`] and [`PI_LOW`]: n·`PI_HIGH` is exact then, also
/// for a half-integer n, since n has at most 22 bits.
pub const FAST_LIMIT: f32 = 4_194_304.0; // 2^22

/// The first 30 bits of π.
pub const PI_HIGH: f64 = 3.141_592_653_468_251_2;
/// The rest of π: the sum with [`PI_HIGH`] is π with an error of 2^-86.
pub const PI_LOW: f64 = 1.215_420_101_301_238_4e-10;

/// x - (n - `shift`)·π for the n that makes it smallest, and n (its lowest bit counts).
#[inline(always)]
fn reduce(x: f64, shift: f64) -> (f64, u64) {
    let sum = (x * FRAC_1_PI + shift) + ROUND;
    let n = (sum - ROUND) - shift;
    // The first product is exact, and so is the difference wherever bits cancel.
    let r = (x - n * PI_HIGH) - n * PI_LOW;
    (r, sum.to_bits())
}

/// (-1)^n · sin(r) for r in -π/2..π/2.
#[inline(always)]
fn sin_reduced(r: f64, n: u64) -> f64 {
    const C: [f64; 6] = SIN;
    let signed = f64::from_bits(r.to_bits() ^ (n << 63));
    let u = r * r;
    let u2 = u * u;
    let q = (C[0] + C[1] * u) + u2 * ((C[2] + C[3] * u) + u2 * (C[4] + C[5] * u));
    signed * (1.0 + u * q)
}

/// One half as [`reduce_huge`] counts it.
const HALF: u128 = 1 << 126;

/// [`reduce`] for any magnitude from [`FAST_LIMIT`] on, in integers (Payne and Hanek's method): x is an integer
/// times a power of two, so the bits of 1/π that stand for even multiples in the product can be left out, and a
/// window of 128 bits gives (x/π + shift) modulo 2 with 103 correct fraction bits. No such x comes nearer to a
/// multiple of π/2 than 2^-29.2, so that of the 96 bits used at least 60 count.
#[cold]
fn reduce_huge(x: f32, shift: u128) -> (f64, u64) {
    /// 1/π in binary: 64 bits before the point, 256 after it.
    const INV_PI: [u64; 5] =
        [0, 0x517c_c1b7_2722_0a94, 0xfe13_abe8_fa9a_6ee0, 0x6db1_4acc_9e21_c820, 0xff28_b1d5_ef5d_e2b0];
    let bits = x.to_bits();
    let field = (bits >> 23) & 0xff;
    if field == 0xff {
        return (f64::NAN, 0);
    }
    let integer = u128::from(bits & 0x007f_ffff | 0x0080_0000);
    // |x| = integer · 2^e; the window starts at the bit of 1/π that is worth 2^-e, so that the product counts
    // 2^-127. For 2^22 that is the bit 62, for the largest x it is 167.
    let start = field - (150 - 63);
    let (word, offset) = ((start / 64) as usize, start % 64);
    let word = |i: usize| u128::from(INV_PI.get(word + i).copied().unwrap_or(0));
    let window = word(0) << 64 | word(1);
    let window = if offset == 0 { window } else { window << offset | word(2) >> (64 - offset) };
    let turns = integer.wrapping_mul(window).wrapping_add(shift);
    // Half up to the nearest integer: the top bit is then its parity, and what is left is signed.
    let parity = (turns.wrapping_add(HALF) >> 127) as u64;
    let fraction = turns << 1;
    let high = (fraction >> 64) as i64 as f64;
    let low = (fraction as u64 >> 32) as f64;
    const SCALE: f64 = PI / 18_446_744_073_709_551_616.0; // π/2^64
    let r = (high + low / 4_294_967_296.0) * SCALE;
    // A negative x comes here only for the sine, which is odd.
    (if x < 0.0 { -r } else { r }, parity)
}

#[cfg(test)]
mod test {
    use super::*;

    /// The angles beyond [`FAST_LIMIT`] whose cosine or sine is nearest to 0, found by going through all of them;
    /// the values are computed in 400-bit arithmetic.
    #[test]
    fn hardest_angles() {
        let rows = [
            (0x6f79_be45, HALF, -1.614_769_798_247_621_2e-9),
            (0x50a3_e87f, HALF, -2.012_646_031_918_552_6e-9),
            (0x6ff9_be45, 0, -3.229_539_596_495_242_4e-9),
            (0x5123_e87f, 0, -4.025_292_063_837_105_1e-9),
        ];
        for (bits, shift, want) in rows {
            let (r, n) = reduce_huge(f32::from_bits(bits), shift);
            let got = sin_reduced(r, n);
            assert!((got / want - 1.0).abs() < 1e-15, "{bits:08x}: got {got:e}, want {want:e}");
        }
    }

    #[test]
    fn both_reductions_agree() {
        for bits in (FAST_LIMIT.to_bits() - 100_000)..FAST_LIMIT.to_bits() {
            let x = f32::from_bits(bits);
            for (shift, half) in [(0.0, 0), (0.5, HALF)] {
                let ((a, n), (b, m)) = (reduce(f64::from(x), shift), reduce_huge(x, half));
                assert_eq!(n & 1, m, "{x:e}");
                assert!((a - b).abs() < 1e-15, "{x:e}: {a:e} {b:e}");
            }
        }
    }
}
