//! Texels as bytes: what the numbers of a shader become in a [`Format`], and back.
//!
//! | channel | reading | writing |
//! |---|---|---|
//! | unorm | `n / (2^b - 1)` | clamped to 0..=1, NaN is 0; times `2^b - 1`, rounded to nearest even |
//! | snorm | `max(n / (2^(b-1) - 1), -1)` | clamped to -1..=1, NaN is 0; times `2^(b-1) - 1`, rounded to nearest even |
//! | uint, sint | the number | clamped to what the channel holds |
//! | float, 32 bits | the bits | the bits |
//! | float, 16 bits | exact | rounded to nearest even, too large becomes infinite |
//! | float, 11 and 10 bits | exact | rounded to nearest even; negative becomes 0, too large the largest finite one |
//!
//! The rules are those of OpenGL 4.6, sections 2.3.5 (fixed point), 2.3.4 (small floats) and 8.26 (image stores), where
//! these leave the rounding open the nearest even number. Results of reading are correctly rounded.

use super::{Channel, Format};
use crate::math;

impl Format {
    /// The four lanes of a texel as bits of [`scalar`](Self::scalar). A channel that the format lacks is 0, alpha is 1;
    /// bytes that are not given are 0.
    pub fn decode(self, bytes: &[u8]) -> [u32; 4] {
        let mut word = [0; 16];
        for (to, from) in word.iter_mut().zip(bytes).take(usize::from(self.bytes())) {
            *to = *from;
        }
        let mut word = u128::from_le_bytes(word);
        let one = match self.channel() {
            Channel::Uint | Channel::Sint => 1,
            Channel::Unorm | Channel::Snorm | Channel::Float => 1.0f32.to_bits(),
        };
        let mut lanes = [0, 0, 0, one];
        for (&bits, &lane) in self.bits().iter().zip(self.order()) {
            let field = word as u32 & mask(bits);
            word >>= bits;
            if let Some(lane) = lanes.get_mut(usize::from(lane)) {
                *lane = read(self.channel(), bits, field);
            }
        }
        lanes
    }

    /// A texel: the first [`bytes`](Self::bytes) of what comes back; the rest is 0.
    pub fn encode(self, lanes: [u32; 4]) -> [u8; 16] {
        let (mut word, mut at) = (0u128, 0);
        for (&bits, &lane) in self.bits().iter().zip(self.order()) {
            let lane = lanes.get(usize::from(lane)).copied().unwrap_or(0);
            word |= u128::from(written(self.channel(), bits, lane) & mask(bits)) << at;
            at += bits;
        }
        word.to_le_bytes()
    }
}

/// That many ones, 1–32.
const fn mask(bits: u8) -> u32 {
    u32::MAX >> (32 - bits)
}

/// The sign of a channel extended.
const fn signed(bits: u8, field: u32) -> i32 {
    let above = 32 - bits;
    ((field << above) as i32) >> above
}

/// What a channel holds, as the bits of a lane.
fn read(channel: Channel, bits: u8, field: u32) -> u32 {
    match channel {
        // Below 2^24 a conversion is exact, so that only the division rounds.
        Channel::Unorm => (field as f32 / mask(bits) as f32).to_bits(),
        Channel::Snorm => (signed(bits, field) as f32 / mask(bits - 1) as f32).max(-1.0).to_bits(),
        Channel::Uint => field,
        Channel::Sint => signed(bits, field) as u32,
        Channel::Float => match bits {
            32 => field,
            16 => math::half_to_f32(field as u16).to_bits(),
            _ => read_small(bits - 5, field),
        },
    }
}

/// What the bits of a lane become in a channel; bits above it may be set.
fn written(channel: Channel, bits: u8, lane: u32) -> u32 {
    let number = f32::from_bits(lane);
    match channel {
        Channel::Unorm => scaled(number, 0.0, mask(bits)) as u32,
        Channel::Snorm => scaled(number, -1.0, mask(bits - 1)) as u32,
        Channel::Uint => lane.min(mask(bits)),
        Channel::Sint => {
            let most = mask(bits - 1) as i32;
            (lane as i32).clamp(-most - 1, most) as u32
        }
        Channel::Float => match bits {
            32 => lane,
            16 => u32::from(math::f32_to_half(number)),
            _ => write_small(bits - 5, number),
        },
    }
}

/// A number clamped to `least..=1`, times `most`, rounded to nearest even.
fn scaled(number: f32, least: f32, most: u32) -> i32 {
    if number.is_nan() {
        return 0;
    }
    // The product has at most 24 + 16 bits, so it is exact.
    let exact = f64::from(number.clamp(least, 1.0)) * f64::from(most);
    let whole = exact as i32;
    let rest = exact - f64::from(whole);
    let up = rest > 0.5 || (rest == 0.5 && whole & 1 == 1);
    let down = rest < -0.5 || (rest == -0.5 && whole & 1 == 1);
    whole + i32::from(up) - i32::from(down)
}

/// A float without sign, with five bits of exponent (bias 15) and `mantissa` bits behind them.
fn read_small(mantissa: u8, field: u32) -> u32 {
    let (exponent, fraction) = (field >> mantissa, field & mask(mantissa));
    match (exponent, fraction) {
        (31, 0) => f32::INFINITY.to_bits(),
        (31, _) => math::CANONICAL_NAN,
        // Units of 2^-14 · 2^-mantissa.
        (0, _) => (fraction as f32 / (1u32 << (14 + mantissa)) as f32).to_bits(),
        _ => (exponent + 112) << 23 | fraction << (23 - mantissa),
    }
}

fn write_small(mantissa: u8, number: f32) -> u32 {
    /// The least normal number.
    const NORMAL: f32 = 1.0 / 16_384.0;
    let infinite = 31 << mantissa;
    if number.is_nan() {
        return infinite | 1 << (mantissa - 1);
    }
    if number.is_sign_negative() {
        return 0;
    }
    if number == f32::INFINITY {
        return infinite;
    }
    if number < NORMAL {
        // A power of two changes no digit.
        return math::round_even(number * (1u32 << (14 + mantissa)) as f32) as u32;
    }
    // The exponent stands above the fraction, so a carry of the rounding goes the right way.
    let shift = 23 - u32::from(mantissa);
    let bits = number.to_bits() - (112 << 23);
    let rounded = (bits + ((1 << (shift - 1)) - 1) + (bits >> shift & 1)) >> shift;
    rounded.min(infinite - 1)
}
