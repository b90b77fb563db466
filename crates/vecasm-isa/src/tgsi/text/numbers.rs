//! Reading literals.

use super::parse::{Reader, dialects};
use crate::text::Cursor as _;
use crate::text::floats::{Exponent, c_float, decimal_end};
use crate::text::numbers::{Integer, c_integer};
use crate::tgsi::dialect::Dialect;

impl Reader<'_> {
    /// The end of a number in base 10 as the parser of Mesa 22 takes it, with a sign or without.
    fn decimal_of_mesa(&self) -> Option<usize> {
        let sign = usize::from(matches!(self.byte(), b'-' | b'+'));
        decimal_end(self.text.as_bytes(), self.at + sign, Exponent::Needed)
    }

    /// The bits of a float.
    pub(super) fn float(&mut self) -> Option<u32> {
        let start = self.at;
        if self.byte() == b'0' && self.byte_at(1) == b'x' {
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
        if let Some(end) = self.decimal_of_mesa() {
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
        let bits = number.single()?;
        self.at = end;
        Some(bits)
    }

    /// The bits of a double, as C's `strtod` reads it.
    pub(super) fn double(&mut self) -> Option<u64> {
        if self.home == Dialect::Virgl && self.byte() == b'0' && self.byte_at(1) == b'x' {
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
        let bits = number.double()?;
        self.at = end;
        Some(bits)
    }

    /// A 64-bit integer as C's `strtoll` or `strtoull` reads it: in base 8, 10 or 16, saturated.
    pub(super) fn long(&mut self, signed: bool) -> Option<u64> {
        let Integer { negative, value, end } = c_integer(self.text, self.at)?;
        let limit = if signed { i64::MAX as u64 + u64::from(negative) } else { u64::MAX };
        let saturated = value.is_none_or(|v| v > limit);
        let value = value.filter(|v| *v <= limit).unwrap_or(limit);
        let begin = self.at;
        self.at = end;
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
