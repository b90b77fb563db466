//! Destinations, sources and what stands behind them.

use super::errors::{Quoted, id};
use super::vsh::{Outcome, Reader};
use crate::nv2a::pair::{Dest, Mode, Operand, Operator, Target};
use crate::nv2a::program::Mux;
use crate::nv2a::table::{self, Mac};
use crate::text::Cursor as _;
use crate::text::numbers::saturated;
use alloc::format;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::{Swizzle, WriteMask};

impl<'a> Reader<'a> {
    pub(super) fn dest(&mut self, operator: Operator) -> Outcome<Dest> {
        let start = self.at;
        let arl = operator == Operator::Mac(Mac::Arl);
        let mut page = 0;
        let target = match self.peek() {
            Some(b'#') => {
                let number;
                (number, page) = self.uniform_use()?;
                Target::Constant(number)
            }
            Some(b'-') => {
                return self.fail(id::REGISTER, self.here(), "a destination has no sign");
            }
            _ => {
                let name = self.word();
                let span = Span::new(start, self.at);
                let mut letters = name.bytes();
                let kind = letters.next().map(|b| b.to_ascii_lowercase());
                let digits = name.get(1..).unwrap_or("");
                match kind {
                    None => return self.expected("a destination"),
                    Some(b'r') if is_number(digits) => {
                        Target::Temporary(self.ranged(digits, span, 'r', table::TEMPORARIES - 1)?)
                    }
                    Some(b'c') if digits.is_empty() || is_number(digits) => {
                        let (number, relative) = self.constant(digits, span)?;
                        if relative {
                            let message = match self.options.mode {
                                Mode::Strict => "a destination cannot be relative to A0",
                                Mode::Compat => {
                                    "EncodingError: Unsupported write to relative constant register."
                                }
                            };
                            return self.fail(self.blame(id::REGISTER), Span::new(start, self.at), message);
                        }
                        Target::Constant(number)
                    }
                    Some(b'a') if digits == "0" => Target::Address,
                    Some(b'o') => match output_by_name(name) {
                        Some(number) => Target::Output(number),
                        None => return self.unknown_register(name, span),
                    },
                    Some(b'v' | b'i') if attribute_by_name(name).is_some() => {
                        return self.fail(
                            id::REGISTER,
                            span,
                            format!("the attribute {} cannot be written", Quoted(name)),
                        );
                    }
                    _ => return self.unknown_register(name, span),
                }
            }
        };
        if arl != (target == Target::Address) {
            let what = if arl { "arl can only write a0" } else { "only arl can write a0" };
            return self.fail(id::REGISTER, Span::new(start, self.at), what);
        }
        self.mark_dest(start, target);
        let from = self.at;
        let mask = self.mask()?;
        if arl && !mask.has(0) && self.options.mode == Mode::Strict {
            self.findings.warning(id::ARL_MASK, Span::new(from, self.at), "a0 has x only");
        }
        Ok(Dest { target, mask, page })
    }

    /// Whose finding it is: in compat mode nv2a-vsh stops with an exception.
    pub(super) const fn blame(&self, strict: &'static str) -> &'static str {
        match self.options.mode {
            Mode::Strict => strict,
            Mode::Compat => id::EXCEPTION,
        }
    }

    #[cold]
    pub(super) fn unknown_register<T>(&mut self, name: &str, span: Span) -> Outcome<T> {
        let outputs = table::OUTPUTS.iter().flat_map(|named| [named.short, named.long]);
        let known = outputs.chain(table::INPUTS.iter().map(|named| named.long));
        // Of a letter and a number no other one is meant.
        let extension = self.extension;
        let known = known.filter(|_| name.len() > 3 && !extension);
        self.fail_near(id::REGISTER, span, format!("there is no register {}", Quoted(name)), name, known)
    }

    /// A register number up to `last`.
    pub(super) fn ranged(&mut self, digits: &str, span: Span, file: char, last: u32) -> Outcome<u8> {
        let n = saturated(digits, 1000);
        if n > last {
            let message = if matches!(file, 'r' | 'R') && n == table::POSITION_SHADOW {
                format!(
                    "{file}12 cannot be written; it reads {}",
                    if file == 'r' { "oPos" } else { "o[HPOS]" }
                )
            } else {
                format!("there is no {file}{digits}; the last one is {file}{last}")
            };
            return self.fail(id::REGISTER, span, message);
        }
        Ok(n as u8)
    }

    pub(super) fn operand(&mut self) -> Outcome<Operand> {
        let mut out = Operand { negate: self.eat(b'-'), ..Operand::NONE };
        self.skip_blanks();
        let start = self.at;
        if self.peek() == Some(b'#') {
            (out.number, out.page) = self.uniform_use()?;
            out.mux = Mux::Constant;
        } else {
            let name = self.word();
            let span = Span::new(start, self.at);
            let kind = name.bytes().next().map(|b| b.to_ascii_lowercase());
            let digits = name.get(1..).unwrap_or("");
            match kind {
                None => return self.expected("a source"),
                Some(b'0'..=b'9') => return self.literal(start),
                Some(b'r') if is_number(digits) => {
                    out.mux = Mux::Temporary;
                    out.number = self.ranged(digits, span, 'r', table::POSITION_SHADOW)?;
                }
                Some(b'v') if is_number(digits) => {
                    out.number = self.ranged(digits, span, 'v', table::ATTRIBUTES - 1)?;
                }
                Some(b'c') if digits.is_empty() || is_number(digits) => {
                    out.mux = Mux::Constant;
                    (out.number, out.relative) = self.constant(digits, span)?;
                }
                Some(b'i') => match attribute_by_name(name) {
                    Some(number) => out.number = number,
                    None => return self.unknown_register(name, span),
                },
                Some(b'o') if output_by_name(name).is_some() => {
                    let more = if name.eq_ignore_ascii_case("opos") { "; r12 reads oPos" } else { "" };
                    return self.fail(
                        id::REGISTER,
                        span,
                        format!("the output {} cannot be read{more}", Quoted(name)),
                    );
                }
                Some(b'a') if digits == "0" => {
                    return self.fail(
                        id::REGISTER,
                        span,
                        "a0 cannot be a source; it is added to the number of a constant",
                    );
                }
                _ => return self.unknown_register(name, span),
            }
        }
        self.mark_source(start, &out);
        out.swizzle = self.swizzle()?;
        Ok(out)
    }

    /// A number where a source should be.
    #[cold]
    fn literal<T>(&mut self, start: usize) -> Outcome<T> {
        let number = self.piece(start);
        let span = self.span_of(number, start);
        let message = format!("{} is a number, not a register", Quoted(number));
        let help = "there are no numbers in operands: read a constant, such as c96, and set it in the host";
        self.fail_with(id::REGISTER, span, message, help.into())
    }

    /// The number of a constant behind `c`, and whether it is relative to A0.
    pub(super) fn constant(&mut self, digits: &str, span: Span) -> Outcome<(u8, bool)> {
        if !digits.is_empty() {
            let n = saturated(digits, 100_000) as i32;
            return Ok((self.constant_number(n, span)?, false));
        }
        let start = self.at - 1;
        let before = self.at;
        self.skip_blanks();
        if self.eat(b'-') {
            let Some(n) = self.number() else { return self.expected("a number") };
            return Ok((self.constant_number(-(n as i32), Span::new(start, self.at))?, false));
        }
        if !self.eat(b'[') {
            self.at = before;
            return self.expected("the number of a constant");
        }
        let (mut sum, mut relative, mut first) = (0_i32, false, true);
        loop {
            self.skip_blanks();
            let negative = if first { self.eat(b'-') } else { false };
            if !first {
                match self.peek() {
                    Some(b']') => break,
                    Some(b'+') => self.at += 1,
                    Some(b'-') => {}
                    _ => return self.expected("`]`"),
                }
            }
            self.skip_blanks();
            let negative = negative || (!first && self.eat(b'-'));
            self.skip_blanks();
            first = false;
            if let Some(n) = self.number() {
                let n = n as i32;
                sum = sum.saturating_add(if negative { -n } else { n }).clamp(-1_000_000, 1_000_000);
                continue;
            }
            let from = self.at;
            let name = self.word();
            let is_address = name.eq_ignore_ascii_case("a0");
            if !is_address || relative || negative {
                self.at = from;
                return self.expected("a number or `A0`");
            }
            relative = true;
            if let Some(record) = &mut self.record {
                record.address = Some(Span::new(from, from + name.len()));
            }
            // The other dialects write a0.x.
            if self.peek() == Some(b'.') {
                let dot = self.at;
                self.at += 1;
                if !self.word().eq_ignore_ascii_case("x") {
                    return self.fail(id::MASK, Span::new(dot, self.at), "a0 has x only");
                }
            }
        }
        self.at += 1;
        Ok((self.constant_number(sum, Span::new(start, self.at))?, relative))
    }

    pub(super) fn constant_number(&mut self, n: i32, span: Span) -> Outcome<u8> {
        let bias = self.options.numbering.bias();
        let last = table::CONSTANTS as i32 - 1;
        match u8::try_from(n.saturating_add(bias)) {
            Ok(number) if i32::from(number) <= last => Ok(number),
            _ => {
                let message = format!("there is no constant {n}; they are {} to {}", -bias, last - bias);
                if n < 0 && bias == 0 {
                    let help = "Direct3D numbers constants from -96; `.constants d3d` declares that".into();
                    return self.fail_with(id::REGISTER, span, message, help);
                }
                self.fail(id::REGISTER, span, message)
            }
        }
    }

    /// What stands behind a dot, if there is one.
    pub(super) fn suffix(&mut self) -> Option<(&'a str, Span)> {
        let before = self.at;
        self.skip_blanks();
        let dot = self.at;
        if !self.eat(b'.') {
            self.at = before;
            return None;
        }
        let letters = self.word();
        Some((letters, Span::new(dot, self.at)))
    }

    pub(super) fn mask(&mut self) -> Outcome<WriteMask> {
        let Some((letters, span)) = self.suffix() else { return Ok(WriteMask::ALL) };
        let mut bits = 0_u8;
        for b in letters.bytes() {
            match lane(b) {
                Some(lane) if bits >> lane == 0 => bits |= 1 << lane,
                _ => return self.fail(id::MASK, span, format!("{} is not a write mask", Quoted(letters))),
            }
        }
        if bits == 0 {
            return self.fail(id::MASK, span, "a write mask has at least one letter");
        }
        Ok(WriteMask::from_bits(bits))
    }

    pub(super) fn swizzle(&mut self) -> Outcome<Swizzle> {
        let Some((letters, span)) = self.suffix() else { return Ok(Swizzle::IDENTITY) };
        match swizzle_from_letters(letters) {
            Some(_) if self.peek() == Some(b'.') => {
                let second = self.at;
                self.at += 1;
                self.word();
                let what = Quoted(self.taken(second));
                let message = format!("a register has one swizzle; {what} is another");
                self.fail(id::SWIZZLE, Span::new(second, self.at), message)
            }
            Some(swizzle) => Ok(swizzle),
            None => self.fail(id::SWIZZLE, span, format!("{} is not a swizzle", Quoted(letters))),
        }
    }
}

fn is_number(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// The lane of a letter in either case.
const fn lane(letter: u8) -> Option<u8> {
    match letter.to_ascii_lowercase() {
        b'x' | b'r' => Some(0),
        b'y' | b'g' => Some(1),
        b'z' | b'b' => Some(2),
        b'w' | b'a' => Some(3),
        _ => None,
    }
}

/// A swizzle of one to four letters, the last one repeated.
pub(super) fn swizzle_from_letters(letters: &str) -> Option<Swizzle> {
    if letters.is_empty() || letters.len() > 4 {
        return None;
    }
    let mut lanes = [0_u8; 4];
    let mut last = 0;
    for (n, to) in lanes.iter_mut().enumerate() {
        if let Some(letter) = letters.as_bytes().get(n) {
            last = lane(*letter)?;
        }
        *to = last;
    }
    Some(Swizzle::new(lanes[0], lanes[1], lanes[2], lanes[3]))
}

/// The output register of that name in any case.
pub(super) fn output_by_name(name: &str) -> Option<u8> {
    let is = |n: &str| n.eq_ignore_ascii_case(name);
    table::OUTPUTS.iter().find(|named| is(named.short) || is(named.long)).map(|named| named.number)
}

/// The attribute of that name in any case, `v3` or `iDiffuse`.
fn attribute_by_name(name: &str) -> Option<u8> {
    if let Some(digits) = name.strip_prefix(['v', 'V']) {
        let n: u8 = digits.parse().ok()?;
        return (u32::from(n) < table::ATTRIBUTES).then_some(n);
    }
    table::INPUTS.iter().find(|named| named.long.eq_ignore_ascii_case(name)).map(|named| named.number)
}
