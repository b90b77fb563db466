//! Floating-point numbers as C reads them.

use super::cursor::is_word;
use super::numbers::count_digits;

/// A number as C's `strtof` and `strtod` read it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number<'a> {
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

impl Number<'_> {
    /// Its bits as a number of 32 bits, rounded once.
    pub(crate) fn single(self) -> Option<u32> {
        let sign = |negative: bool| u32::from(negative) << 31;
        Some(match self {
            Self::Decimal(text) => text.parse::<f32>().ok()?.to_bits(),
            Self::Infinite(negative) => sign(negative) | 0x7f80_0000,
            Self::Nan(negative) => sign(negative) | 0x7fc0_0000,
            Self::Binary { negative, mantissa, exponent, more } => {
                sign(negative) | round(mantissa, exponent, more, 24, -149, 255) as u32
            }
        })
    }

    /// Its bits as a number of 64 bits.
    pub(crate) fn double(self) -> Option<u64> {
        let sign = |negative: bool| u64::from(negative) << 63;
        Some(match self {
            Self::Decimal(text) => text.parse::<f64>().ok()?.to_bits(),
            Self::Infinite(negative) => sign(negative) | 0x7ff0_0000_0000_0000,
            Self::Nan(negative) => sign(negative) | 0x7ff8_0000_0000_0000,
            Self::Binary { negative, mantissa, exponent, more } => {
                sign(negative) | round(mantissa, exponent, more, 53, -1074, 2047)
            }
        })
    }
}

/// What follows the `e` of a number in base 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exponent {
    /// Digits: without them it is no number.
    Needed,
    /// Digits, or the number ends in front of the `e`.
    Optional,
}

/// The length of an exponent of 10 that stands here; 0 if there is none.
pub(crate) fn exponent_len(bytes: &[u8]) -> usize {
    let front = match bytes {
        [b'e' | b'E', b'-' | b'+', ..] => 2,
        [b'e' | b'E', ..] => 1,
        _ => return 0,
    };
    match bytes.get(front..).map_or(0, count_digits) {
        0 => 0,
        digits => front + digits,
    }
}

/// Where a number in base 10 ends that begins at `start`: digits, or a point with digits behind it, and an exponent.
pub(crate) fn decimal_end(bytes: &[u8], start: usize, exponent: Exponent) -> Option<usize> {
    let digits = |at: usize| bytes.get(at..).map_or(0, count_digits);
    let whole = digits(start);
    let mut at = start + whole;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        fraction = digits(at + 1);
        at += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        match exponent_len(bytes.get(at..).unwrap_or(&[])) {
            0 if exponent == Exponent::Needed => return None,
            len => at += len,
        }
    }
    Some(at)
}

/// The number at a place, and where it ends.
pub(crate) fn c_float(text: &str, start: usize) -> Option<(Number<'_>, usize)> {
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
            let inside = bytes.get(at + 1..)?.iter().position(|b| !is_word(*b))?;
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
    let end = decimal_end(bytes, at, Exponent::Optional)?;
    Some((Number::Decimal(text.get(start..end)?), end))
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

    #[test]
    fn hexadecimal_floats_are_rounded_to_nearest() {
        let double = |text| c_float(text, 0).and_then(|(number, _)| number.double());
        let is = |text, value: f64| assert_eq!(double(text), Some(value.to_bits()), "{text}");
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

    #[test]
    fn numbers_end_where_c_ends_them() {
        let end = |text: &str, exponent| decimal_end(text.as_bytes(), 0, exponent);
        for exponent in [Exponent::Needed, Exponent::Optional] {
            assert_eq!(end("1.5e-3x", exponent), Some(6));
            assert_eq!(end("1.", exponent), Some(2));
            assert_eq!(end(".5.", exponent), Some(2));
            assert_eq!(end(".", exponent), None);
            assert_eq!(end(".e1", exponent), None);
        }
        assert_eq!(end("1e+", Exponent::Needed), None);
        assert_eq!(end("1e+", Exponent::Optional), Some(1));
    }
}
