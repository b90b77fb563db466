//! Floating-point numbers the way C's `printf` writes them.

use crate::text::numbers::push_decimal;
use alloc::string::String;
use core::fmt::Write as _;

/// Digits that are enough for every number of 32 bits to come back.
const DIGITS: usize = 9;

/// So many digits of a number that is not zero, without sign and point, and the power of ten of the first one.
fn digits<const COUNT: usize>(value: f32) -> ([u8; COUNT], i32) {
    /// A text of a fixed size.
    struct Small([u8; 40], usize);
    impl core::fmt::Write for Small {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            for b in text.bytes() {
                *self.0.get_mut(self.1).ok_or(core::fmt::Error)? = b;
                self.1 += 1;
            }
            Ok(())
        }
    }
    let mut text = Small([0; 40], 0);
    let _ = write!(text, "{:.*e}", COUNT - 1, value.abs());
    let mut out = [b'0'; COUNT];
    let mut exponent = 0;
    let written = text.0.get(..text.1).unwrap_or(&[]);
    let end = written.iter().position(|b| *b == b'e').unwrap_or(written.len());
    let (mantissa, power) = written.split_at(end);
    for (to, from) in out.iter_mut().zip(mantissa.iter().filter(|b| **b != b'.')) {
        *to = *from;
    }
    if let Some(power) = power.get(1..).and_then(|power| core::str::from_utf8(power).ok()) {
        exponent = power.parse().unwrap_or(0);
    }
    (out, exponent)
}

/// Nine digits as Microsoft's library rounds: a number in the middle of two goes up.
fn digits_up(value: f32) -> ([u8; DIGITS], i32) {
    let (ten, exponent) = digits::<{ DIGITS + 1 }>(value);
    if ten.last() != Some(&b'5') {
        return digits::<DIGITS>(value);
    }
    // More digits tell what was rounded to the 5.
    let (many, _) = digits::<25>(value);
    let mut out = [b'0'; DIGITS];
    out.iter_mut().zip(many).for_each(|(to, from)| *to = from);
    if many.get(DIGITS).is_some_and(|digit| *digit >= b'5') {
        for digit in out.iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                return (out, exponent);
            }
            *digit = b'0';
        }
        out[0] = b'1';
        return (out, exponent + 1);
    }
    (out, exponent)
}

fn push_digits(out: &mut String, digits: &[u8]) {
    out.push_str(core::str::from_utf8(digits).unwrap_or(""));
}

/// As `%.9g` of Microsoft's runtime library, whose exponents have three digits; what is no number as bits.
pub(super) fn general(out: &mut String, bits: u32) {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        let _ = write!(out, "0x{bits:08x}");
        return;
    }
    if value.is_sign_negative() {
        out.push('-');
    }
    let size = value.abs();
    if size.is_infinite() {
        out.push_str("1.#INF");
        return;
    }
    // Most numbers are small and whole.
    if size < 1e6 && size == (size as u32) as f32 {
        return push_decimal(out, size as u32);
    }
    let (digits, exponent) = digits_up(size);
    let used = digits.iter().rposition(|digit| *digit != b'0').map_or(1, |n| n + 1);
    let used = digits.get(..used).unwrap_or(&digits);
    if (-4..DIGITS as i32).contains(&exponent) {
        let whole = usize::try_from(exponent + 1).unwrap_or(0);
        if whole == 0 {
            out.push_str("0.");
            for _ in exponent + 1..0 {
                out.push('0');
            }
            push_digits(out, used);
            return;
        }
        push_digits(out, digits.get(..whole).unwrap_or(&digits));
        if let Some(behind) = used.get(whole..).filter(|behind| !behind.is_empty()) {
            out.push('.');
            push_digits(out, behind);
        }
        return;
    }
    let (first, behind) = used.split_at(1);
    push_digits(out, first);
    if !behind.is_empty() {
        out.push('.');
        push_digits(out, behind);
    }
    let _ = write!(out, "e{}{:03}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs());
}

/// As `%.8e`, whose exponents have two digits.
pub(super) fn scientific(out: &mut String, bits: u32) {
    let value = f32::from_bits(bits);
    if value.is_sign_negative() {
        out.push('-');
    }
    if !value.is_finite() {
        out.push_str(if value.is_nan() { "nan" } else { "inf" });
        return;
    }
    let (digits, exponent) = if value == 0.0 { ([b'0'; DIGITS], 0) } else { digits::<DIGITS>(value) };
    let (first, behind) = digits.split_at(1);
    push_digits(out, first);
    out.push('.');
    push_digits(out, behind);
    let _ = write!(out, "e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_in_c() {
        // What printf("%.9g") and printf("%.8e") write; exponents of the former have three digits. 2^-13 lies between two
        // numbers of nine digits: Microsoft's library takes the larger one, others the even one.
        for (value, general_text, scientific_text) in [
            (0.0, "0", "0.00000000e+00"),
            (-0.0, "-0", "-0.00000000e+00"),
            (1.0, "1", "1.00000000e+00"),
            (-3.0, "-3", "-3.00000000e+00"),
            (0.5, "0.5", "5.00000000e-01"),
            (1.0 / 3.0, "0.333333343", "3.33333343e-01"),
            (0.1, "0.100000001", "1.00000001e-01"),
            (1e-4, "9.99999975e-005", "9.99999975e-05"),
            (2.0_f32.powi(-13), "0.000122070313", "1.22070312e-04"),
            (123_456.79, "123456.789", "1.23456789e+05"),
            (1e6, "1000000", "1.00000000e+06"),
            (123_456_792.0, "123456792", "1.23456792e+08"),
            (1e9, "1e+009", "1.00000000e+09"),
            (3e-7, "3.00000011e-007", "3.00000011e-07"),
            (f32::MAX, "3.40282347e+038", "3.40282347e+38"),
            (f32::MIN_POSITIVE, "1.17549435e-038", "1.17549435e-38"),
            (1e-45, "1.40129846e-045", "1.40129846e-45"),
            (f32::NEG_INFINITY, "-1.#INF", "-inf"),
        ] {
            let text = |write: fn(&mut String, u32)| {
                let mut out = String::new();
                write(&mut out, value.to_bits());
                out
            };
            assert_eq!(text(general), general_text);
            assert_eq!(text(scientific), scientific_text);
        }
    }
}
