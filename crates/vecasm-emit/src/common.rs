//! What the text targets share: precedence, names, literals, indentation.

pub(super) use super::naming::{extensible, is_identifier, no_name};
pub(super) use vecasm_ir::ir::shader::push_u32;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// How tightly an expression binds; an operand that binds less than its place needs is put in parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Prec {
    /// Anything fits: an argument, a whole right-hand side.
    Lowest,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `<`, `==`
    Relation,
    /// `+`, `-`
    Sum,
    /// `*`, `/`
    Product,
    /// `-x`, `!x`
    Unary,
    /// `a.x`, `a[i]`, `f(x)`, names and numbers.
    Postfix,
}

impl Prec {
    /// The next tighter one: what the right operand of a left-associative operator needs.
    pub(super) const fn tighter(self) -> Self {
        match self {
            Self::Lowest => Self::Or,
            Self::Or => Self::And,
            Self::And => Self::Relation,
            Self::Relation => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => Self::Unary,
            Self::Unary | Self::Postfix => Self::Postfix,
        }
    }
}

/// Appends a signed decimal number.
pub(super) fn push_i32(out: &mut String, n: i32) {
    if n < 0 {
        out.push('-');
    }
    push_u32(out, n.unsigned_abs());
}

/// Appends the shortest decimal that reads back as the finite, normal or zero f32 `value`, also by way of f64; a
/// hexadecimal float where there is none. The text always shows that it is a float.
pub(super) fn push_f32(out: &mut String, value: f32) {
    // The constants of most programs.
    let magnitude = value.to_bits() & 0x7fff_ffff;
    if magnitude == 0 || magnitude == 0x3f80_0000 {
        if value.to_bits() != magnitude {
            out.push('-');
        }
        out.push_str(if magnitude == 0 { "0.0" } else { "1.0" });
        return;
    }
    if push_sixteenths(out, value) {
        return;
    }
    let start = out.len();
    // Writing to a String does not fail.
    let _ = write!(out, "{value:?}");
    let wide: f64 = out[start..].parse().unwrap_or(f64::NAN);
    let exact = (wide as f32).to_bits() == value.to_bits() && wide.abs() <= f64::from(f32::MAX);
    if exact {
        return;
    }
    out.truncate(start);
    let bits = value.to_bits();
    let exponent = (bits >> 23 & 0xff) as i32 - 127;
    let sign = if bits >> 31 == 1 { "-" } else { "" };
    let _ = write!(out, "{sign}0x1.{:06x}p{exponent:+}", (bits & 0x7f_ffff) << 1);
}

/// Appends a whole number below 62,500 in magnitude, or a number of sixteenths below 100: six digits at most, fewer than tell
/// floats apart, so that the exact number is the shortest too. Tells whether it is one.
fn push_sixteenths(out: &mut String, value: f32) -> bool {
    let count = value * 16.0;
    if !(-1e6..1e6).contains(&count) || (count as i32) as f32 != count {
        return false;
    }
    let (whole, part) = (count.abs() as u32 / 16, count.abs() as u32 % 16);
    let (mut decimals, mut digits) = (part * 625, 4);
    if whole >= 100 && part != 0 {
        return false;
    }
    while digits > 1 && decimals % 10 == 0 {
        decimals /= 10;
        digits -= 1;
    }
    out.push_str(if value < 0.0 { "-" } else { "" });
    push_u32(out, whole);
    out.push('.');
    for at in (0..digits).rev() {
        out.push(char::from(b'0' + (decimals / 10u32.pow(at) % 10) as u8));
    }
    true
}

/// The names of one scope and of the scopes around it.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// One after another.
    taken: String,
    /// Where each ends.
    ends: Vec<u32>,
}

impl Names {
    /// Takes `wanted`, or a name made from it that is free. `reserved` tells the words of the language.
    pub(super) fn take<'a>(
        &mut self,
        wanted: impl Into<Cow<'a, str>>,
        reserved: fn(&str) -> bool,
    ) -> Cow<'a, str> {
        let mut name = wanted.into();
        let mut len = name.len();
        let mut n = 0;
        while reserved(&name) || self.all().any(|taken| taken == name) {
            if n == 0 {
                name = extensible(name, reserved);
                len = name.len();
            }
            n += 1;
            let name = name.to_mut();
            name.truncate(len);
            name.push('_');
            push_u32(name, n);
        }
        if self.ends.is_empty() {
            self.ends.reserve(16);
            self.taken.reserve(128);
        }
        self.taken.push_str(&name);
        self.ends.push(self.taken.len() as u32);
        name
    }

    /// The names that are taken.
    fn all(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().filter_map(move |end| {
            let from = core::mem::replace(&mut start, *end);
            self.taken.get(from as usize..*end as usize)
        })
    }

    /// Whether `base`, or `base` with an underscore and a number behind it, is taken.
    pub(super) fn touches(&self, base: &str) -> bool {
        self.all().any(|name| {
            name.strip_prefix(base).is_some_and(|rest| {
                let number = rest.strip_prefix('_').unwrap_or("x");
                rest.is_empty() || number.bytes().all(|b| b.is_ascii_digit())
            })
        })
    }

    /// How many names are taken; see [`release`](Self::release).
    #[cfg(feature = "wgsl")]
    pub(super) fn mark(&self) -> usize {
        self.ends.len()
    }

    /// Frees the names taken since [`mark`](Self::mark).
    #[cfg(feature = "wgsl")]
    pub(super) fn release(&mut self, mark: usize) {
        self.ends.truncate(mark);
        self.taken.truncate(self.ends.last().map_or(0, |end| *end as usize));
    }
}

/// How the words of a list start: for each first letter a bit for each second one, by its low five bits. Nearly every
/// name is told apart by that.
pub(super) struct Starts([u32; 128]);

impl Starts {
    /// Of no words.
    pub(super) const fn new() -> Self {
        Self([0; 128])
    }

    /// Of some words more, of two letters or more.
    pub(super) const fn and(mut self, words: &[&str]) -> Self {
        let mut i = 0;
        while i < words.len() {
            let word = words[i].as_bytes();
            self.0[word[0] as usize] |= 1 << (word[1] & 31);
            i += 1;
        }
        self
    }

    /// Whether a word of the list may be the start of `name`.
    pub(super) fn may_have(&self, name: &str) -> bool {
        let [first, second, ..] = *name.as_bytes() else { return false };
        self.0.get(usize::from(first)).is_some_and(|seconds| seconds >> (second & 31) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: f32) -> String {
        let mut out = String::new();
        push_f32(&mut out, value);
        out
    }

    #[test]
    fn floats_are_short_and_exact() {
        assert_eq!(text(0.5), "0.5");
        assert_eq!(text(-0.0), "-0.0");
        assert_eq!(text(2.0), "2.0");
        assert_eq!(text(0.1), "0.1");
        assert_eq!(text(1e20), "1e20");
        assert_eq!(text(-1.0), "-1.0");
        // 3.4028235e38, the shortest decimal of the largest float, lies above it: 0x1.fffffep+127 is the number.
        assert_eq!(text(f32::MAX), "0x1.fffffep+127");
    }

    #[test]
    fn every_float_reads_back() {
        let mut bits = 0x0080_0000u32;
        while bits < 0x7f80_0000 {
            let text = text(f32::from_bits(bits));
            if !text.contains('x') {
                let narrow: f32 = text.parse().unwrap();
                let wide: f64 = text.parse().unwrap();
                assert_eq!((narrow.to_bits(), (wide as f32).to_bits()), (bits, bits), "{text}");
            }
            bits += 9973;
        }
    }

    #[test]
    fn numbers_of_sixteenths_are_what_the_shortest_decimals_are() {
        // All of them, and beyond where they end.
        for count in (-1_700_i32..1_700).chain((-1_100_000..1_100_000).step_by(7)) {
            let value = count as f32 / 16.0;
            assert_eq!(text(value), alloc::format!("{value:?}"));
        }
    }

    #[test]
    fn names_avoid_words_and_each_other() {
        let mut names = Names::default();
        let word = |name: &str| name == "loop";
        assert_eq!(names.take("loop", word), "loop_1");
        assert_eq!(names.take("a", word), "a");
        assert_eq!(names.take("a", word), "a_1");
        assert!(names.touches("a") && names.touches("loop") && !names.touches("b"));
        assert!(is_identifier("fs0_sampler") && !is_identifier("0a") && !is_identifier("a__b"));
        assert!(!is_identifier("_") && !is_identifier(""));
    }
}
