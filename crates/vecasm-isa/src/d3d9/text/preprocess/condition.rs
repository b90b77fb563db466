//! The value of what stands behind `#if`: integers of 64 bits, as in C.

use crate::text::numbers::c_integer;

/// Deepest brackets.
const MAX_DEPTH: u32 = 64;

/// A part of an expression, macros expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// A number or character.
    Value(i64),
    /// A sign.
    Sign(&'a str),
}

/// The levels of operators that have two sides, weakest first.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct Reader<'a> {
    parts: &'a [(Part<'a>, usize)],
    at: usize,
    depth: u32,
}

/// Why there is no value: what is wrong, and which part it is.
pub(super) type Wrong = (&'static str, usize);

/// The value of parts; each with the number of its token.
pub(super) fn value(parts: &[(Part<'_>, usize)]) -> Result<i64, Wrong> {
    let mut reader = Reader { parts, at: 0, depth: 0 };
    let value = reader.choice(true)?;
    match reader.parts.get(reader.at) {
        None => Ok(value),
        Some(_) => Err(reader.wrong("expected an operator")),
    }
}

/// The value of a number as C writes it.
pub(super) fn number(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let read = c_integer(digits, 0).filter(|read| read.end == digits.len())?;
    read.value.filter(|_| digits.starts_with(|c: char| c.is_ascii_digit())).map(|n| n as i64)
}

impl<'a> Reader<'a> {
    fn wrong(&self, what: &'static str) -> Wrong {
        let part = self.parts.get(self.at).or_else(|| self.parts.last());
        (what, part.map_or(0, |part| part.1))
    }

    fn sign(&self) -> &'a str {
        match self.parts.get(self.at) {
            Some((Part::Sign(sign), _)) => sign,
            _ => "",
        }
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.sign() == sign;
        self.at += usize::from(found);
        found
    }

    /// `condition ? one : other`. What is not evaluated may divide by zero.
    fn choice(&mut self, live: bool) -> Result<i64, Wrong> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.wrong("the expression is nested too deeply"));
        }
        let mut value = self.level(0, live)?;
        if self.eat("?") {
            let one = self.choice(live && value != 0)?;
            if !self.eat(":") {
                return Err(self.wrong("expected `:`"));
            }
            let other = self.choice(live && value == 0)?;
            value = if value != 0 { one } else { other };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn level(&mut self, level: usize, live: bool) -> Result<i64, Wrong> {
        let Some(signs) = LEVELS.get(level) else { return self.single(live) };
        let mut left = self.level(level + 1, live)?;
        while let Some(sign) = signs.iter().find(|sign| **sign == self.sign()) {
            self.at += 1;
            let live = live
                && match *sign {
                    "&&" => left != 0,
                    "||" => left == 0,
                    _ => true,
                };
            let right = self.level(level + 1, live)?;
            left = match *sign {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<<" => left.wrapping_shl(right as u32),
                ">>" => left.wrapping_shr(right as u32),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                _ if right == 0 && live => return Err(self.wrong("the expression divides by zero")),
                _ if right == 0 => 0,
                "/" => left.wrapping_div(right),
                _ => left.wrapping_rem(right),
            };
        }
        Ok(left)
    }

    fn single(&mut self, live: bool) -> Result<i64, Wrong> {
        match self.parts.get(self.at) {
            Some((Part::Value(value), _)) => {
                self.at += 1;
                Ok(*value)
            }
            Some((Part::Sign("("), _)) => {
                self.at += 1;
                let value = self.choice(live)?;
                if self.eat(")") { Ok(value) } else { Err(self.wrong("expected `)`")) }
            }
            Some((Part::Sign(sign @ ("!" | "-" | "+" | "~")), _)) => {
                self.at += 1;
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(self.wrong("the expression is nested too deeply"));
                }
                let value = self.single(live)?;
                self.depth -= 1;
                Ok(match *sign {
                    "!" => i64::from(value == 0),
                    "-" => value.wrapping_neg(),
                    "~" => !value,
                    _ => value,
                })
            }
            Some(_) => Err(self.wrong("expected a number")),
            None => Err(self.wrong("the expression is not complete")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn of(text: &str) -> Result<i64, &'static str> {
        let words = text.split_whitespace().enumerate();
        let part = |(n, word)| (number(word).map_or(Part::Sign(word), Part::Value), n);
        let parts: Vec<_> = words.map(part).collect();
        value(&parts).map_err(|wrong| wrong.0)
    }

    #[test]
    fn operators_bind_as_in_c() {
        assert_eq!(of("1 + 2 * 3"), Ok(7));
        assert_eq!(of("( 1 + 2 ) * 3"), Ok(9));
        assert_eq!(of("1 << 2 + 1"), Ok(8));
        assert_eq!(of("1 | 2 ^ 3 & 2"), Ok(1));
        assert_eq!(of("5 > 3 == 1"), Ok(1));
        assert_eq!(of("0 || 1 && 0"), Ok(0));
        assert_eq!(of("1 ? 2 : 0 ? 3 : 4"), Ok(2));
        assert_eq!(of("! 0 + - 3 + ~ 0"), Ok(-3));
        assert_eq!(of("10 - 3 - 2"), Ok(5));
        assert_eq!(of("0x10 + 010 + 1u"), Ok(25));
    }

    #[test]
    fn what_is_not_evaluated_may_divide_by_zero() {
        assert_eq!(of("1 || 1 / 0"), Ok(1));
        assert_eq!(of("0 && 1 % 0"), Ok(0));
        assert_eq!(of("1 ? 2 : 1 / 0"), Ok(2));
        assert_eq!(of("1 / 0"), Err("the expression divides by zero"));
        assert_eq!(of("-1"), Err("expected a number"));
        assert_eq!(of("1 2"), Err("expected an operator"));
        assert_eq!(of(&"( ".repeat(1000)), Err("the expression is nested too deeply"));
        assert_eq!(of(&"! ".repeat(100_000)), Err("the expression is nested too deeply"));
    }
}
