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
