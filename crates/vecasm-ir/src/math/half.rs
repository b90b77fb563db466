//! Half floats: IEEE 754 binary16, with a sign, 5 bits of exponent and 10 of fraction.

/// The NaN that [`f32_to_half`] gives.
const NAN: u16 = 0x7e00;
const INFINITY: u16 = 0x7c00;

/// The nearest half float, ties to even, with gradual underflow; from 65520 on an infinity. NaN gives 7e00.
#[inline(always)]
pub fn f32_to_half(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return NAN;
    }
    // Half-way between the largest finite half float and 2^16.
    const OVERFLOW: u32 = 0x477f_f000; // 65520
    const MIN_NORMAL: u32 = 0x3880_0000; // 2^-14
    if magnitude >= OVERFLOW {
        sign | INFINITY
    } else if magnitude >= MIN_NORMAL {
        // 13 bits of fraction less and another bias; a carry out of the fraction raises the exponent, as it should.
        let even = (magnitude >> 13) & 1;
        sign | ((magnitude - ((127 - 15) << 23) + 0xfff + even) >> 13) as u16
    } else {
        // The unit of denormal half floats is 2^-24. In a sum with 0.5 it is the last bit, so the addition rounds.
        let sum = f32::from_bits(magnitude) + 0.5;
        sign | (sum.to_bits() - 0.5f32.to_bits()) as u16
    }
}

/// The value of a half float; exact. NaN keeps sign and payload.
#[inline(always)]
pub fn half_to_f32(half: u16) -> f32 {
    let sign = (u32::from(half) & 0x8000) << 16;
    let magnitude = u32::from(half) & 0x7fff;
    let bits = match magnitude >> 10 {
        // A multiple of 2^-24.
        0 => (magnitude as f32 / 16_777_216.0).to_bits(),
        0x1f => 0x7f80_0000 | (magnitude << 13),
        _ => (magnitude << 13) + ((127 - 15) << 23),
    };
    f32::from_bits(sign | bits)
}

#[cfg(test)]
mod test {
    use super::*;

    /// The value by the definition of the format, as `f64`.
    fn definition(half: u16) -> f64 {
        let (exponent, fraction) = (i32::from(half >> 10 & 0x1f), f64::from(half & 0x3ff));
        let magnitude = match (exponent, half & 0x3ff) {
            (0, _) => fraction / 16_777_216.0,
            (31, 0) => f64::INFINITY,
            (31, _) => f64::NAN,
            _ => (1.0 + fraction / 1024.0) * f64::from(exponent - 15).exp2(),
        };
        if half >> 15 == 0 { magnitude } else { -magnitude }
    }

    #[test]
    fn every_half_float() {
        for half in 0..=u16::MAX {
            let (got, want) = (half_to_f32(half), definition(half));
            if want.is_nan() {
                assert!(got.is_nan());
                assert_eq!(f32_to_half(got), 0x7e00);
            } else {
                assert_eq!(f64::from(got).to_bits(), want.to_bits(), "{half:04x}");
                assert_eq!(f32_to_half(got), half);
            }
        }
    }

    /// Between two neighbours, the middle goes to the even one and the next `f32` on either side to the nearer one.
    #[test]
    fn everything_between_half_floats() {
        for low in 0..0x7c00 {
            let high = low + 1;
            // Above the largest finite one the next would be 2^16.
            let above = if high == INFINITY { 65536.0 } else { definition(high) };
            let middle = (definition(low) + above) / 2.0;
            let middle = middle as f32; // exact: one bit more than a half float
            let next = |x: f32, by: i32| f32::from_bits(x.to_bits().wrapping_add_signed(by));
            let even = if low % 2 == 0 { low } else { high };
            for (x, want) in [(next(middle, -1), low), (middle, even), (next(middle, 1), high)] {
                assert_eq!(f32_to_half(x), want, "{x:e}");
                assert_eq!(f32_to_half(-x), want | 0x8000, "-{x:e}");
            }
        }
    }

    #[test]
    fn limits() {
        for (x, want) in [
            (65519.99, 0x7bff),
            (65520.0, 0x7c00),
            (f32::MAX, 0x7c00),
            (f32::NEG_INFINITY, 0xfc00),
            (f32::NAN, 0x7e00),
            (-f32::NAN, 0x7e00),
            (f32::from_bits(0x7f80_0001), 0x7e00),
            (-0.0, 0x8000),
            (f32::from_bits(1), 0),
            (-f32::MIN_POSITIVE, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
        ] {
            assert_eq!(f32_to_half(x), want, "{x:e}");
        }
    }
}
