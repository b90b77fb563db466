//! Integers: reading and writing their digits.

use alloc::string::String;

/// What becomes of a number that is too large.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Large {
    /// It wraps at 2³².
    Wraps,
    /// It is that number.
    Is(u32),
    /// One of more digits is refused.
    Refused { digits: usize },
}

/// How many decimal digits a text begins with.
#[inline(always)]
pub(crate) fn count_digits(text: &[u8]) -> usize {
    text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len())
}

/// The value of decimal digits, at most `most`.
pub(crate) fn saturated(digits: &str, most: u32) -> u32 {
    let add = |value: u64, digit: u8| (value * 10 + u64::from(digit.wrapping_sub(b'0'))).min(u64::from(most));
    digits.bytes().fold(0, add) as u32
}

/// What stands behind `0x` or `0X`.
pub(crate) fn strip_hex(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
}

/// A word of exactly eight hexadecimal digits.
pub(crate) fn hex_word(digits: &str) -> Option<u32> {
    let is_word = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_word.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// An integer of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integer {
    pub(crate) negative: bool,
    /// Without sign; `None` beyond 64 bits.
    pub(crate) value: Option<u64>,
    /// Where it ends.
    pub(crate) end: usize,
}

/// The integer at a place, with a sign or without, in base 8, 10 or 16.
pub(crate) fn c_integer(text: &str, start: usize) -> Option<Integer> {
    let bytes = text.as_bytes();
    let mut at = start;
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
    let first = at;
    let mut value = Some(0u64);
    while let Some(digit) = digit(at, base) {
        value =
            value.and_then(|v| v.checked_mul(u64::from(base))).and_then(|v| v.checked_add(u64::from(digit)));
        at += 1;
    }
    (at > first).then_some(Integer { negative, value, end: at })
}

/// Appends a number in decimal digits.
#[inline]
pub(crate) fn push_decimal(out: &mut String, value: u32) {
    // Most numbers are those of registers.
    if value < 1000 {
        let digit = |value: u32| char::from(b'0' + (value % 10) as u8);
        if value >= 100 {
            out.push(digit(value / 100));
        }
        if value >= 10 {
            out.push(digit(value / 10));
        }
        return out.push(digit(value));
    }
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    let mut left = value;
    loop {
        at -= 1;
        if let Some(digit) = digits.get_mut(at) {
            *digit = b'0' + (left % 10) as u8;
        }
        left /= 10;
        if left == 0 {
            break;
        }
    }
    let text = digits.get(at..).and_then(|digits| core::str::from_utf8(digits).ok());
    out.push_str(text.unwrap_or("0"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_those_of_c() {
        let read = |text| c_integer(text, 0).map(|read| (read.negative, read.value, read.end));
        assert_eq!(read("42;"), Some((false, Some(42), 2)));
        assert_eq!(read("-052"), Some((true, Some(42), 4)));
        assert_eq!(read("+0X2a"), Some((false, Some(42), 5)));
        // No digit follows the x, so that the number ends in front of it.
        assert_eq!(read("0x"), Some((false, Some(0), 1)));
        assert_eq!(read("08"), Some((false, Some(0), 1)));
        assert_eq!(read("18446744073709551615"), Some((false, Some(u64::MAX), 20)));
        assert_eq!(read("18446744073709551616"), Some((false, None, 20)));
        assert_eq!(read("-"), None);
        assert_eq!(c_integer("a1", 1).map(|read| read.end), Some(2));
    }

    #[test]
    fn words_have_eight_digits() {
        assert_eq!(hex_word("0123abCD"), Some(0x0123_abcd));
        assert_eq!(hex_word("0123abc"), None);
        assert_eq!(hex_word("+123abcd"), None);
        assert_eq!(strip_hex("0Xff").or(strip_hex("ff")), Some("ff"));
        assert_eq!(strip_hex("ff"), None);
    }

    #[test]
    fn digits_saturate() {
        assert_eq!(saturated("000999", 1000), 999);
        assert_eq!(saturated("99999999999999999999999", 1000), 1000);
        assert_eq!(count_digits(b"12a3"), 2);
    }

    #[test]
    fn integers_have_all_their_digits() {
        for value in [0, 7, 10, 99, 100, 999, 1000, 2047, u32::MAX] {
            let mut out = String::new();
            push_decimal(&mut out, value);
            assert_eq!(out, alloc::format!("{value}"));
        }
    }
}
