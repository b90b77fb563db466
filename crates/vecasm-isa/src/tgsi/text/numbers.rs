//! Reading literals.

use super::parse::{Reader, dialects};
use crate::tgsi::dialect::Dialect;

impl Reader<'_> {
    /// The digits, point and exponent of a number in base 10 as the parser of Mesa 22 takes them: digits, or a point with
    /// digits behind it; the end of them.
    fn decimal(&self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let digits = |at: &mut usize| {
            let start = *at;
            while bytes.get(*at).is_some_and(u8::is_ascii_digit) {
                *at += 1;
            }
            *at > start
        };
        let mut at = self.at;
        if matches!(bytes.get(at), Some(b'-' | b'+')) {
            at += 1;
        }
        let whole = digits(&mut at);
        let mut fraction = false;
        if bytes.get(at) == Some(&b'.') {
            at += 1;
            fraction = digits(&mut at);
        }
        if !whole && !fraction {
            return None;
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            at += 1;
            if matches!(bytes.get(at), Some(b'-' | b'+')) {
                at += 1;
            }
            if !digits(&mut at) {
                return None;
            }
        }
        Some(at)
    }

    /// The bits of a float.
    pub(super) fn float(&mut self) -> Option<u32> {
        let start = self.at;
        if self.peek() == b'0' && self.peek_at(1) == b'x' {
            // Base 16 is the bits, in eight digits; with Mesa 25 it is a number.
            if self.home.has_float_bits() || !self.strict && self.home == Dialect::Legacy {
                let digits = self.text.get(start + 2..start + 10)?;
                let bits = u32::from_str_radix(digits, 16).ok()?;
                self.at += 10;
                return Some(bits);
            }
        }
        if self.home.has_nan() {
            return self.any_float();
        }
        if let Some(end) = self.decimal() {
            let value: f64 = self.text.get(start..end)?.parse().ok()?;
            self.at = end;
            // Mesa rounds twice.
            return Some((value as f32).to_bits());
        }
        if self.strict {
            return None;
        }
        // A word for what is no number, of Mesa 25.
        let bits = self.any_float()?;
        let word = self.text.get(start..self.at)?;
        self.has_foreign(dialects(Dialect::has_nan), word.trim_start_matches(['+', '-'])).then_some(bits)
    }

    /// A float as C's `strtof` reads it, rounded once.
    fn any_float(&mut self) -> Option<u32> {
        let (number, end) = c_float(self.text, self.at)?;
        let bits = match number {
            Number::Decimal(text) => text.parse::<f32>().ok()?.to_bits(),
            Number::Infinite(negative) => (u32::from(negative) << 31) | 0x7f80_0000,
            Number::Nan(negative) => (u32::from(negative) << 31) | 0x7fc0_0000,
            Number::Binary { negative, mantissa, exponent, more } => {
                let bits = round(mantissa, exponent, more, 24, -149, 255);
                (u32::from(negative) << 31) | bits as u32
            }
        };
        self.at = end;
        Some(bits)
    }

    /// The bits of a double, as C's `strtod` reads it.
    pub(super) fn double(&mut self) -> Option<u64> {
        if self.home == Dialect::Virgl && self.peek() == b'0' && self.peek_at(1) == b'x' {
            // Two words, the low one first; a byte behind each is skipped, whatever it is.
            let low = self.text.get(self.at + 2..self.at + 10)?;
            let high = self.text.get(self.at + 13..self.at + 21)?;
            let low = u32::from_str_radix(low, 16).ok()?;
            let high = u32::from_str_radix(high, 16).ok()?;
            let end = self.at + 22;
            self.at = if self.strict { end } else { end - 1 };
            self.text.get(self.at..)?;
            return Some(u64::from(high) << 32 | u64::from(low));
        }
        let (number, end) = c_float(self.text, self.at)?;
        let bits = match number {
            Number::Decimal(text) => text.parse::<f64>().ok()?.to_bits(),
            Number::Infinite(negative) => (u64::from(negative) << 63) | 0x7ff0_0000_0000_0000,
            Number::Nan(negative) => (u64::from(negative) << 63) | 0x7ff8_0000_0000_0000,
            Number::Binary { negative, mantissa, exponent, more } => {
                (u64::from(negative) << 63) | round(mantissa, exponent, more, 53, -1074, 2047)
            }
        };
        self.at = end;
        Some(bits)
    }

    /// A 64-bit integer as C's `strtoll` or `strtoull` reads it: in base 8, 10 or 16, saturated.
    pub(super) fn long(&mut self, signed: bool) -> Option<u64> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        let negative = bytes.get(at) == Some(&b'-');
        if matches!(bytes.get(at), Some(b'-' | b'+')) {
            at += 1;
        }
        let digit = |at: usize, base: u32| char::from(*bytes.get(at)?).to_digit(base);
        let base = match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'0'), Some(b'x' | b'X')) if digit(at + 2, 16).is_some() => {
                at += 2;
                16
            }
            (Some(b'0'), _) => 8,
            _ => 10,
        };
        let start = at;
        let mut value = Some(0u64);
        while let Some(digit) = digit(at, base) {
            value = value
                .and_then(|v| v.checked_mul(u64::from(base)))
                .and_then(|v| v.checked_add(u64::from(digit)));
            at += 1;
        }
        if at == start {
            return None;
        }
        let limit = if signed { i64::MAX as u64 + u64::from(negative) } else { u64::MAX };
        let saturated = value.is_none_or(|v| v > limit);
        let value = value.filter(|v| *v <= limit).unwrap_or(limit);
        let begin = self.at;
        self.at = at;
        if saturated {
            let span = self.since(begin);
            self.warn(
                super::id::TRUNCATED,
                span,
                "the number has more than 64 bits; the nearest 64-bit number is used",
            );
        }
        // Of unsigned ones that do not fit, the sign does not count.
        Some(if negative && (signed || !saturated) { value.wrapping_neg() } else { value })
    }
}

/// A number as C reads it.
enum Number<'a> {
    /// What Rust reads alike.
    Decimal(&'a str),
    Infinite(bool),
    Nan(bool),
    /// `mantissa` · 2^`exponent`, and a little more if `more`.
    Binary {
        negative: bool,
        mantissa: u64,
        exponent: i64,
        more: bool,
    },
}

/// The number at a place, and where it ends.
fn c_float(text: &str, start: usize) -> Option<(Number<'_>, usize)> {
    let bytes = text.as_bytes();
    let mut at = start;
    let negative = bytes.get(at) == Some(&b'-');
    if matches!(bytes.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    let starts =
        |word: &str| text.get(at..at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word));
    for word in ["infinity", "inf"] {
        if starts(word) {
            return Some((Number::Infinite(negative), at + word.len()));
        }
    }
    if starts("nan") {
        at += 3;
        if bytes.get(at) == Some(&b'(') {
            let inside = bytes.get(at + 1..)?.iter().position(|b| !super::cursor::is_word(*b))?;
            if bytes.get(at + 1 + inside) == Some(&b')') {
                at += inside + 2;
            }
        }
        return Some((Number::Nan(negative), at));
    }
    if starts("0x") {
        if let Some((mantissa, exponent, more, end)) = hexadecimal(bytes, at + 2) {
            return Some((Number::Binary { negative, mantissa, exponent, more }, end));
        }
    }
    let digits = |at: &mut usize| {
        let start = *at;
        while bytes.get(*at).is_some_and(u8::is_ascii_digit) {
            *at += 1;
        }
        *at > start
    };
    let whole = digits(&mut at);
    let mut fraction = false;
    if bytes.get(at) == Some(&b'.') {
        let mut behind = at + 1;
        fraction = digits(&mut behind);
        if whole || fraction {
            at = behind;
        }
    }
    if !whole && !fraction {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let mut behind = at + 1;
        if matches!(bytes.get(behind), Some(b'-' | b'+')) {
            behind += 1;
        }
        if digits(&mut behind) {
            at = behind;
        }
    }
    Some((Number::Decimal(text.get(start..at)?), at))
}

/// A mantissa in base 16 and an exponent of 2: the first 64 bits, the exponent, whether there were more, the end.
fn hexadecimal(bytes: &[u8], start: usize) -> Option<(u64, i64, bool, usize)> {
    let mut at = start;
    let (mut mantissa, mut exponent, mut more) = (0u64, 0i64, false);
    let (mut any, mut point) = (false, false);
    while let Some(byte) = bytes.get(at) {
        if *byte == b'.' && !point {
            point = true;
        } else if let Some(digit) = char::from(*byte).to_digit(16) {
            any = true;
            if mantissa >> 60 == 0 {
                mantissa = mantissa << 4 | u64::from(digit);
                exponent -= if point { 4 } else { 0 };
            } else {
                more |= digit != 0;
                exponent += if point { 0 } else { 4 };
            }
        } else {
            break;
        }
        at += 1;
    }
    if !any {
        return None;
    }
    if matches!(bytes.get(at), Some(b'p' | b'P')) {
        let mut behind = at + 1;
        let negative = bytes.get(behind) == Some(&b'-');
        if matches!(bytes.get(behind), Some(b'-' | b'+')) {
            behind += 1;
        }
        let first = behind;
        let mut power = 0i64;
        while let Some(digit @ b'0'..=b'9') = bytes.get(behind) {
            power = (power * 10 + i64::from(digit - b'0')).min(1 << 40);
            behind += 1;
        }
        if behind > first {
            exponent += if negative { -power } else { power };
            at = behind;
        }
    }
    Some((mantissa, exponent, more, at))
}

/// `mantissa` · 2^`exponent` as the bits of a float with that many bits of precision, the exponent of its smallest number
/// and the biggest biased exponent, without sign, rounded to nearest, halves to even.
fn round(mantissa: u64, exponent: i64, more: bool, precision: u32, smallest: i64, top: u64) -> u64 {
    if mantissa == 0 {
        return 0;
    }
    let length = 64 - mantissa.leading_zeros();
    // The exponent of the last bit of the result.
    let last = (exponent + i64::from(length) - i64::from(precision)).max(smallest);
    let shift = last - exponent;
    let kept = match shift {
        ..=0 => {
            // At most `precision` bits come out, as `last` says.
            u32::try_from(-shift).ok().and_then(|left| mantissa.checked_shl(left)).unwrap_or(0)
        }
        1..=64 => {
            let wide = u128::from(mantissa);
            let kept = (wide >> shift) as u64;
            let rest = wide & ((1u128 << shift) - 1);
            let half = 1u128 << (shift - 1);
            let up = rest > half || rest == half && (more || kept & 1 == 1);
            kept + u64::from(up)
        }
        _ => 0,
    };
    // A carry goes on into the exponent as it should.
    let biased = (last - smallest) as u64;
    let implicit = 1u64 << (precision - 1);
    let bits = if kept < implicit { kept } else { kept - implicit + ((biased + 1) << (precision - 1)) };
    let infinite = top << (precision - 1);
    if last > 1 << 20 || bits > infinite { infinite } else { bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(text: &str) -> Option<u64> {
        match c_float(text, 0)? {
            (Number::Binary { mantissa, exponent, more, .. }, _) => {
                Some(round(mantissa, exponent, more, 53, -1074, 2047))
            }
            _ => None,
        }
    }

    #[test]
    fn hexadecimal_floats_are_rounded_to_nearest() {
        let is = |text: &str, value: f64| assert_eq!(double(text), Some(value.to_bits()), "{text}");
        is("0x1.8p1", 3.0);
        is("0x10", 16.0);
        is("0x.8", 0.5);
        is("0x0.0p5", 0.0);
        is("0x1p-1074", f64::from_bits(1));
        is("0x1p-1075", 0.0);
        is("0x1.8p-1075", f64::from_bits(1));
        is("0x3p-1075", f64::from_bits(2));
        is("0x1.fffffffffffff8p0", 2.0);
        is("0x1.fffffffffffff7fffp0", 2.0 - f64::EPSILON);
        is("0x1.00000000000008p0", 1.0);
        is("0x1.000000000000080000000000000001p0", 1.0 + f64::EPSILON);
        is("0x1p1023", 2f64.powi(1023));
        is("0x1p1024", f64::INFINITY);
        is("0x1.fffffffffffff8p1023", f64::INFINITY);
        is("0x1p999999999999", f64::INFINITY);
        is("0x1p-999999999999", 0.0);
        is("0x0.8p-1021", 2f64.powi(-1022));
    }
}
