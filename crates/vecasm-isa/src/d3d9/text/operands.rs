//! Operands: registers with index, modifiers and lanes; numbers.

use super::errors::{Overflow, Quoted, id};
use super::parse::{Reader, Reported, Step};
use crate::d3d9::program::{Destination, Source, Stage};
use crate::d3d9::registers::{NUMBERS, RegType, SOURCE_MODIFIERS, SPELLINGS, SUFFIX_ALIASES, Spelling};
use crate::text::Cursor as _;
use crate::text::numbers::strip_hex;
use alloc::format;
use alloc::string::{String, ToString as _};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// Bit of a parameter whose number is relative.
const RELATIVE: u32 = 1 << 13;
/// Most words of an operand: itself and the register it is relative to.
pub(super) type Words = (u32, Option<u32>);

/// A register as it is written, and the register it is relative to.
struct Written<'a> {
    ty: RegType,
    number: u16,
    relative: bool,
    index: Option<u32>,
    suffix: &'a str,
}

/// Whether `.x` of an output is written as the whole of it: fog and point size.
pub(super) fn is_scalar(ty: RegType, number: u16) -> bool {
    ty == RegType::RastOut && matches!(number, 1 | 2)
}

/// The value of a lane letter.
fn lane(c: u8) -> Option<u8> {
    let find = |letters: &[u8]| letters.iter().position(|l| *l == c.to_ascii_lowercase());
    find(b"xyzw").or_else(|| find(b"rgba")).map(|n| n as u8)
}

impl<'a> Reader<'a> {
    /// A destination.
    pub(super) fn destination(&mut self) -> Step<Words> {
        self.skip_blanks();
        let start = self.at;
        if matches!(self.peek(), Some(b'-' | b'!' | b'0'..=b'9')) {
            return self.fail(id::SYNTAX, self.here(), "a destination has no modifier");
        }
        let reg = self.register()?;
        if !reg.suffix.is_empty() {
            let what = format!("a destination has no modifier, {} belongs to sources", Quoted(reg.suffix));
            return self.fail(id::MODIFIER, self.since(start), what);
        }
        let mask = match self.lanes()? {
            None => WriteMask::ALL,
            Some((letters, span)) => {
                let mut bits = 0;
                for lane in letters.bytes().filter_map(lane) {
                    if bits >> lane != 0 {
                        return self.fail(
                            id::LANES,
                            span,
                            format!("{} is not a write mask", Quoted(letters)),
                        );
                    }
                    bits |= 1 << lane;
                }
                WriteMask::from_bits(bits)
            }
        };
        if reg.relative && reg.index.is_none() {
            let what = "models 1.x have no relative destinations";
            return self.fail(id::INDEX, self.since(start), what);
        }
        let relative = if reg.relative { RELATIVE } else { 0 };
        // All assemblers agree: fog and point size have one component, which is encoded as all of them.
        let mask = if is_scalar(reg.ty, reg.number) && mask == WriteMask::X { WriteMask::ALL } else { mask };
        Ok((Destination::new(reg.ty, reg.number, mask).0 | relative, reg.index))
    }

    /// A source.
    pub(super) fn source(&mut self) -> Step<Words> {
        self.skip_blanks();
        let start = self.at;
        let prefix = match self.peek() {
            Some(b'-') => "-",
            Some(b'!') => "!",
            Some(b'1') => "1-",
            _ => "",
        };
        self.at += usize::from(!prefix.is_empty());
        if prefix == "1-" && !self.eat_next(b'-') {
            return self.fail(
                id::SYNTAX,
                self.since(start),
                "a source is a register, which `1-` may precede",
            );
        }
        self.skip_blanks();
        if self.wine && matches!(prefix, "" | "-") && self.eat(b'|') {
            return self.absolute(prefix);
        }
        let reg = self.register()?;
        let lower = reg.suffix;
        let alias = SUFFIX_ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(lower));
        let suffix = alias.map_or(lower, |(_, suffix)| suffix);
        let modifier = SOURCE_MODIFIERS
            .iter()
            .find(|row| row.prefix == prefix && row.suffix.eq_ignore_ascii_case(suffix));
        let Some(modifier) = modifier else {
            let known = SOURCE_MODIFIERS.iter().any(|row| row.suffix.eq_ignore_ascii_case(suffix));
            let what = if known {
                format!("`{prefix}` and `_{suffix}` cannot be combined")
            } else {
                format!("there is no source modifier {}", Quoted(suffix))
            };
            return self.fail(id::MODIFIER, self.since(start), what);
        };
        let swizzle = self.swizzle()?;
        let relative = if reg.relative { RELATIVE } else { 0 };
        let word = Source::new(reg.ty, reg.number, swizzle).0 | relative | u32::from(modifier.code) << 24;
        Ok((word, reg.index))
    }

    /// `|r0.xyzw|`, as listings of Wine have it, behind the first bar.
    fn absolute(&mut self, prefix: &str) -> Step<Words> {
        let start = self.at;
        let reg = self.register()?;
        let swizzle = self.swizzle()?;
        let row = SOURCE_MODIFIERS.iter().find(|row| row.prefix == prefix && row.suffix == "abs");
        let (true, Some(row)) = (self.eat(b'|') && reg.suffix.is_empty(), row) else {
            return self.fail(id::MODIFIER, self.since(start), "expected `|` after the register");
        };
        let relative = if reg.relative { RELATIVE } else { 0 };
        let word = Source::new(reg.ty, reg.number, swizzle).0 | relative | u32::from(row.code) << 24;
        Ok((word, reg.index))
    }

    fn swizzle(&mut self) -> Step<Swizzle> {
        Ok(match self.lanes()? {
            None => Swizzle::IDENTITY,
            Some((letters, _)) => {
                let mut lanes = [0; 4];
                let mut last = 0;
                let mut given = letters.bytes().filter_map(lane);
                for to in &mut lanes {
                    last = given.next().unwrap_or(last);
                    *to = last;
                }
                Swizzle::new(lanes[0], lanes[1], lanes[2], lanes[3])
            }
        })
    }

    /// One to four lane letters behind a point on the same line, if there is one.
    fn lanes(&mut self) -> Step<Option<(&'a str, vecasm_ir::diag::Span)>> {
        let start = self.at;
        self.skip_spaces();
        if !self.eat(b'.') {
            self.at = start;
            return Ok(None);
        }
        let start = self.at;
        let letters = self.word();
        let span = self.since(start);
        if (1..=4).contains(&letters.len()) && letters.bytes().all(|c| lane(c).is_some()) {
            return Ok(Some((letters, span)));
        }
        let what = format!("{} is not one to four letters of xyzw or rgba", Quoted(letters));
        self.fail(id::LANES, span, what)
    }

    /// A register with its index and, for sources, the modifier behind it.
    fn register(&mut self) -> Step<Written<'a>> {
        let start = self.at;
        let word = self.word();
        let (name, mut suffix) = word.split_once('_').unwrap_or((word, ""));
        let span = self.since(start);
        if name.is_empty() {
            let what = match self.rest().chars().next() {
                None => String::from("the end of the text"),
                Some('\r' | '\n') => String::from("the end of the line"),
                Some(found) => Quoted(found.encode_utf8(&mut [0; 4])).to_string(),
            };
            return self.fail(id::SYNTAX, self.here(), format!("expected a register, found {what}"));
        }
        let bracket = {
            let at = self.at;
            self.skip_spaces();
            let found = self.eat(b'[');
            if !found {
                self.at = at;
            }
            found && suffix.is_empty()
        };
        let Some((row, number)) = self.named(name, bracket) else {
            return self.unknown_register(name, span);
        };
        let mut number = u32::from(row.first) + number;
        let (mut relative, mut index) = (false, None);
        let mut end = start + name.len();
        if bracket {
            let (sum, register) = self.index()?;
            number = number.saturating_add(sum);
            relative = register.is_some();
            end = self.at;
            // Models 1.x have one register for it, which is not encoded.
            index = register.filter(|_| self.version.has_lengths());
            if self.peek() == Some(b'_') {
                self.at += 1;
                suffix = self.word();
            }
        }
        let Some((ty, number)) = self.in_range(row, number) else {
            let what = format!("{} has no register {number}", row.name);
            return self.fail(id::REGISTER, self.since(start), what);
        };
        if let Some(record) = &mut self.record {
            record.register(vecasm_ir::diag::Span::new(start, end), ty, number, relative);
        }
        Ok(Written { ty, number, relative, index, suffix })
    }

    /// The file that a number stands for, where the files of constants are one in text.
    fn in_range(&self, row: &Spelling, number: u32) -> Option<(RegType, u16)> {
        let same = SPELLINGS.iter().filter(|s| s.name == row.name && s.number.is_none());
        if let Some(single) = row.number {
            return (number == u32::from(row.first) + u32::from(single)).then_some((row.ty, single));
        }
        let mut same = same.filter(|s| s.is_for(self.version.stage()));
        let fits = |s: &&Spelling| (u32::from(s.first)..u32::from(s.first + NUMBERS)).contains(&number);
        let row = same.find(fits)?;
        Some((row.ty, (number - u32::from(row.first)) as u16))
    }

    /// The row of a name and the number behind it; a name without number is the first register if an index follows.
    fn named(&self, name: &str, indexed: bool) -> Option<(&'static Spelling, u32)> {
        // Wine writes a number behind what has none.
        let name =
            if self.wine && matches!(name, "aL0" | "oDepth0") { name.trim_end_matches('0') } else { name };
        let digits = name.bytes().position(|b| b.is_ascii_digit()).unwrap_or(name.len());
        let (letters, number) = name.split_at_checked(digits)?;
        let initial = name.as_bytes().first()?.to_ascii_lowercase();
        let find = |exact: bool| {
            let begins = |s: &&Spelling| s.name.as_bytes().first() == Some(&initial);
            let rows = SPELLINGS.iter().filter(begins).filter(|s| s.is_for(self.version.stage()));
            rows.filter(|s| !exact || s.is_in(self.version)).find_map(|s| {
                if s.number.is_some() {
                    return name.eq_ignore_ascii_case(s.name).then_some((s, s.number?.into()));
                }
                if !letters.eq_ignore_ascii_case(s.name) || number.len() > 6 {
                    return None;
                }
                match number.parse() {
                    Ok(number) => Some((s, number)),
                    Err(_) => (number.is_empty() && indexed).then_some((s, 0)),
                }
            })
        };
        find(true).or_else(|| find(false).filter(|(row, _)| !self.is_called_otherwise(row)))
    }

    /// Whether the model has these registers under another name.
    fn is_called_otherwise(&self, row: &Spelling) -> bool {
        let same = |s: &Spelling| s.ty == row.ty && s.number.is_none() && s.is_in(self.version);
        row.number.is_none() && SPELLINGS.iter().any(same)
    }

    #[cold]
    fn unknown_register<T>(&mut self, name: &str, span: vecasm_ir::diag::Span) -> Step<T> {
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            let rest = self.text.get(span.start as usize..).unwrap_or("");
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len());
            let number = rest.get(..end).unwrap_or(name);
            let span = vecasm_ir::diag::Span::new(span.start as usize, span.start as usize + end);
            let message = format!("{} is a number, not a register", Quoted(number));
            let help = format!("define a constant and read it: `def c0, {number}, 0, 0, 0`, then `c0.x`");
            self.findings.error_asking(id::REGISTER, span, message, || Some(help));
            return Err(Reported);
        }
        let stage = self.version.stage();
        let other = SPELLINGS.iter().find(|s| {
            let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
            letters.eq_ignore_ascii_case(s.name) || name.eq_ignore_ascii_case(s.name)
        });
        let what = match other {
            Some(row) if !row.is_for(stage) => {
                let kind = if stage == Stage::Vertex { "vertex" } else { "pixel" };
                format!("{kind} shaders have no register {}", Quoted(name))
            }
            Some(row) => format!("{} is not a register, which is {} and a number", Quoted(name), row.name),
            None => format!("{} is not a register", Quoted(name)),
        };
        self.fail(id::REGISTER, span, what)
    }

    /// The sum behind `[`: its number, and the register in it as a parameter.
    fn index(&mut self) -> Step<(u32, Option<u32>)> {
        let (mut sum, mut register) = (0u32, None);
        loop {
            self.skip_blanks();
            let start = self.at;
            if self.peek().is_some_and(|b| b.is_ascii_digit()) {
                match self.digits() {
                    Some(number) => sum = sum.saturating_add(number),
                    None => return self.fail(id::INDEX, self.since(start), "the number is too large"),
                }
            } else {
                let word = self.word();
                let span = self.since(start);
                let Some((row, number)) = self.named(word, false) else {
                    let what = format!("{} cannot be the register of an index", Quoted(word));
                    return self.fail(id::INDEX, span, what);
                };
                let Some((ty, number)) = self.in_range(row, number + u32::from(row.first)) else {
                    return self.fail(id::INDEX, span, "there is no register of that number");
                };
                let swizzle = self.swizzle()?;
                let span = self.since(start);
                if register.is_some() {
                    return self.fail(id::INDEX, span, "an index has at most one register");
                }
                if ty == RegType::Loop && swizzle != Swizzle::IDENTITY {
                    return self.fail(id::INDEX, span, "aL has no components");
                }
                let vertex = self.version.stage() == Stage::Vertex;
                // Wine writes all components of the one that is meant.
                let one = swizzle == Swizzle::splat(0) || self.wine && swizzle == Swizzle::IDENTITY;
                let simple = ty == RegType::AddrOrTexture && number == 0 && one && vertex;
                if !(simple || self.version.has_lengths()) {
                    let what = "the index register of models 1.x is a0.x";
                    return self.fail(id::INDEX, span, what);
                }
                register = Some(Source::new(ty, number, swizzle).0);
                if let Some(record) = &mut self.record {
                    record.index = Some(vecasm_ir::diag::Span::new(start, start + word.len()));
                }
            }
            if self.eat_next(b']') {
                return Ok((sum, register));
            }
            if !self.eat(b'+') {
                return self.fail(id::INDEX, self.here(), "an index is a sum that ends with `]`");
            }
        }
    }

    /// The bits of a floating-point number.
    pub(super) fn float(&mut self) -> Step<u32> {
        self.skip_blanks();
        let start = self.at;
        let (negative, numeral) = self.numeral();
        // What Microsoft's library and that of Wine write for what is no number.
        let sign = u32::from(negative) << 31;
        if numeral == "1." && self.eat(b'#') {
            match self.word() {
                "INF" => return Ok(f32::INFINITY.to_bits() | sign),
                "IND" | "QNAN" | "SNAN" => return Ok(f32::NAN.to_bits() | sign),
                word => {
                    let what = format!("{} is not a number", Quoted(word));
                    return self.fail(id::NUMBER, self.since(start), what);
                }
            }
        }
        match numeral {
            "inf" if self.wine => return Ok(f32::INFINITY.to_bits() | sign),
            "nan" if self.wine => return Ok(f32::NAN.to_bits() | sign),
            _ => {}
        }
        let hex = strip_hex(numeral);
        // These are bits, which have no sign.
        if let Some(digits) = hex.filter(|_| self.digit_first(start)) {
            if let (1..=8, Ok(bits)) = (digits.len(), u32::from_str_radix(digits, 16)) {
                return Ok(bits);
            }
        }
        let decimal = numeral.strip_suffix(['f', 'F']).unwrap_or(numeral);
        let plain =
            decimal.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E'));
        match decimal.parse::<f32>() {
            Ok(number) if plain => {
                if number.is_infinite() {
                    let span = self.since(start);
                    let text = self.taken(start).trim_end();
                    self.findings.warning(id::OVERFLOW, span, Overflow(text));
                }
                Ok(number.to_bits() | sign)
            }
            _ => self.no_number(start, "a number"),
        }
    }

    /// A 32-bit integer, signed or unsigned.
    pub(super) fn integer(&mut self) -> Step<u32> {
        self.skip_blanks();
        let start = self.at;
        let (negative, numeral) = self.numeral();
        let hex = strip_hex(numeral);
        let number = match hex {
            Some(digits) if digits.len() <= 8 && self.digit_first(start) => {
                i64::from_str_radix(digits, 16).ok()
            }
            Some(_) => None,
            None => numeral.parse().ok().map(|n: i64| if negative { -n } else { n }),
        };
        match number {
            Some(n) if (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&n) => Ok(n as u32),
            _ => self.no_number(start, "an integer of 32 bits"),
        }
    }

    /// Whether a digit is there, and no sign.
    fn digit_first(&self, at: usize) -> bool {
        self.text.as_bytes().get(at).is_some_and(u8::is_ascii_digit)
    }

    #[cold]
    fn no_number<T>(&mut self, start: usize, wanted: &str) -> Step<T> {
        let text = self.taken(start).trim_end();
        self.fail(id::NUMBER, self.since(start), format!("{} is not {wanted}", Quoted(text)))
    }

    /// Reports an error.
    #[cold]
    pub(super) fn fail<T>(
        &mut self,
        id: &'static str,
        span: vecasm_ir::diag::Span,
        message: impl core::fmt::Display,
    ) -> Step<T> {
        self.findings.error(id, span, message);
        Err(Reported)
    }
}
