//! The square root and its reciprocal, both correctly rounded.
//!
//! With `std` the machine's instruction is used, which IEEE 754 defines to the bit; without it the same bits come
//! from [`portable`]. The tests compare both.

/// The square root, correctly rounded. `-0.0` gives `-0.0`, negative values give NaN.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    #[cfg(any(feature = "std", test))]
    return x.sqrt();
    #[cfg(not(any(feature = "std", test)))]
    return portable::sqrt(x);
}

/// The reciprocal square root, correctly rounded (not `1/sqrt(x)` in two rounded steps). A zero gives an infinity
/// of its sign, negative values give NaN, +Inf gives +0.
///
/// Working in `f64` is enough: no 1/sqrt(x) of an `f32` is nearer than 2.7e-9 ulp to a point half-way between two
/// `f32`, which is 1.4 ulp of the intermediate `f64`.
#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    #[cfg(any(feature = "std", test))]
    return (1.0 / f64::from(x).sqrt()) as f32;
    #[cfg(not(any(feature = "std", test)))]
    return portable::rsqrt(x);
}

/// Whether a number is positive, normal and finite.
#[inline(always)]
pub fn is_normal(x: f32) -> bool {
    x.to_bits().wrapping_sub(0x0080_0000) < 0x7f00_0000
}

/// [`rsqrt`] of a positive normal number, where a loop over many should not wait for roots and quotients.
///
/// A guess from the bits is within 2^-4.8. With e = 1 - x·r², the root is r·(1 + e/2 + 3e²/8 + 5e³/16 + …): one such step in
/// f32 leaves 2^-16 of it, one in f64, where r² is exact, 2^-64. What then is rounded is the last sum, by half an ulp of f64, and
/// x·r², which makes up to another half: less than the 1.4 ulp that [`rsqrt`] has room for.
#[inline(always)]
pub fn rsqrt_usual(x: f32) -> f32 {
    let r = f32::from_bits(0x5f37_5a86_u32.wrapping_sub(x.to_bits() >> 1));
    let e = 1.0 - (x * r) * r;
    let r = r + (r * e) * (0.5 + e * (0.375 + e * 0.3125));
    let (x, r) = (f64::from(x), f64::from(r));
    let e = 1.0 - x * (r * r);
    (r + (r * e) * (0.5 + e * (0.375 + e * 0.3125))) as f32
}

/// Roots by iteration, for builds without `std`.
#[cfg(any(test, not(feature = "std")))]
mod portable {
    use super::super::{F64_EXPONENT, is_positive_finite};

    /// See [`super::sqrt`].
    pub(super) fn sqrt(x: f32) -> f32 {
        if !is_positive_finite(x) {
            return if x < 0.0 { f32::NAN } else { x };
        }
        let (m, half) = split(f64::from(x));
        // A root of an f32 is never nearer than 2^-51 of its value to a point half-way between two f32, unless it is
        // exact; the error of s is below that.
        let s = m * rsqrt_1_4(m);
        f64::from_bits(s.to_bits().wrapping_add(half)) as f32
    }

    /// See [`super::rsqrt`].
    pub(super) fn rsqrt(x: f32) -> f32 {
        if !is_positive_finite(x) {
            return if x == 0.0 {
                1.0 / x
            } else if x > 0.0 {
                0.0
            } else {
                f32::NAN
            };
        }
        let (m, half) = split(f64::from(x));
        f64::from_bits(rsqrt_1_4(m).to_bits().wrapping_sub(half)) as f32
    }

    /// Splits a positive normal number into m · 4^k with m in 1..4; k comes shifted to the exponent field, so
    /// that adding it to bits multiplies by 2^k.
    fn split(x: f64) -> (f64, u64) {
        let bits = x.to_bits();
        let k = (((bits >> F64_EXPONENT) + 1) >> 1).wrapping_sub(512);
        let m = f64::from_bits(bits.wrapping_sub(k << (F64_EXPONENT + 1)));
        (m, k << F64_EXPONENT)
    }

    /// 1/sqrt(m) for m in 1..4 with an error of about one ulp of `f64`.
    fn rsqrt_1_4(m: f64) -> f64 {
        // Minimax of the relative error on 1..4: 2^-7.1.
        const C: [f64; 4] = [
            1.556_187_092_330_896_7,
            -0.738_863_028_878_776_8,
            0.194_685_693_873_980_57,
            -0.019_050_412_600_329_584,
        ];
        let seed = (C[0] + C[1] * m) + (m * m) * (C[2] + C[3] * m);
        // With e = 1 - m·r², 1/sqrt(m) = r·(1 - e)^(-1/2) = r·(1 + e/2 + 3e²/8 + …); the rest is 5e³/16, so that
        // the relative error goes 2^-7.1, 2^-20, 2^-59.
        let step = |r: f64| {
            let e = 1.0 - (m * r) * r;
            r + (r * e) * (0.5 + 0.375 * e)
        };
        step(step(seed))
    }
}

#[cfg(test)]
mod test {
    use super::super::tools::table;
    use super::*;

    const SQRT: &[(f32, f32)] = &[
        (0.0, 0.0),
        (-0.0, -0.0),
        (1.0, 1.0),
        (4.0, 2.0),
        (-1.0, f32::NAN),
        (-1e-45, f32::NAN),
        (f32::INFINITY, f32::INFINITY),
        (f32::NEG_INFINITY, f32::NAN),
        (f32::NAN, f32::NAN),
        // 2^-148 is a denormal, its root is not; 2^-126 is the smallest normal number.
        (f32::from_bits(2), f32::from_bits((127 - 74) << 23)),
        (f32::MIN_POSITIVE, f32::from_bits((127 - 63) << 23)),
    ];
    const RSQRT: &[(f32, f32)] = &[
        (0.0, f32::INFINITY),
        (-0.0, f32::NEG_INFINITY),
        (1.0, 1.0),
        (4.0, 0.5),
        (0.25, 2.0),
        (-1.0, f32::NAN),
        (-1e-45, f32::NAN),
        (f32::INFINITY, 0.0),
        (f32::NEG_INFINITY, f32::NAN),
        (f32::NAN, f32::NAN),
        (f32::from_bits(2), f32::from_bits((127 + 74) << 23)),
        (f32::MIN_POSITIVE, f32::from_bits((127 + 63) << 23)),
    ];

    #[test]
    fn special_values() {
        table(sqrt, SQRT);
        table(portable::sqrt, SQRT);
        table(rsqrt, RSQRT);
        table(portable::rsqrt, RSQRT);
    }

    /// Every mantissa with an even and an odd exponent. All other inputs are these times a power of four, and
    /// neither argument nor result is rounded by that.
    fn mantissas() -> impl Iterator<Item = u32> {
        1.0f32.to_bits()..4.0f32.to_bits()
    }

    #[test]
    fn sqrt_is_correctly_rounded() {
        for bits in mantissas() {
            let x = f32::from_bits(bits);
            assert_eq!(portable::sqrt(x).to_bits(), x.sqrt().to_bits(), "{x:e}");
        }
        for bits in (0..=u32::MAX).step_by(4099) {
            let x = f32::from_bits(bits);
            table(portable::sqrt, &[(x, x.sqrt())]);
            table(sqrt, &[(x, x.sqrt())]);
        }
    }

    #[test]
    fn rsqrt_is_correctly_rounded() {
        for bits in mantissas() {
            let x = f32::from_bits(bits);
            let r = rsqrt(x);
            assert_eq!(portable::rsqrt(x).to_bits(), r.to_bits(), "{x:e}");
            assert_eq!(rsqrt_usual(x).to_bits(), r.to_bits(), "{x:e}");
            if r == 1.0 || r == 0.5 {
                continue;
            }
            // In integers: x = X / 2^23, r = R / 2^24, and R - 1/2 < 2^24 / sqrt(x) < R + 1/2 squared.
            let (x, r) = ((f64::from(x) * 8_388_608.0) as u128, (f64::from(r) * 16_777_216.0) as u128);
            let below = (2 * r - 1) * (2 * r - 1) * x;
            let above = (2 * r + 1) * (2 * r + 1) * x;
            assert!(below < 1 << 73 && 1 << 73 < above, "{x}");
        }
        for bits in (0..=u32::MAX).step_by(4099) {
            let x = f32::from_bits(bits);
            table(portable::rsqrt, &[(x, rsqrt(x))]);
            assert!(!is_normal(x) || rsqrt_usual(x) == rsqrt(x), "{x:e}");
        }
    }
}
