//! What the lossless style adds to the language: fields in braces, directives.

use super::errors::{Quoted, id};
use super::operands::swizzle_from_letters;
use super::options::Numbering;
use super::parse::Output;
use super::vsh::{Outcome, Reader};
use crate::nv2a::program::{Container, Slot};
use crate::nv2a::table::{Field, swizzle_to_field};
use crate::text::Cursor as _;
use crate::text::numbers::hex_word;
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;

impl Reader<'_> {
    /// Fields in braces behind a statement; whether FINAL is one of them.
    pub(super) fn fields(&mut self, slot: &mut Slot) -> Outcome<bool> {
        self.at += 1;
        let mut has_final = false;
        loop {
            self.skip_blanks();
            if self.eat(b'}') {
                return Ok(has_final);
            }
            if self.eat(b',') {
                continue;
            }
            let start = self.at;
            let name = self.word();
            if name.is_empty() {
                return self.expected("the name of a field or `}`");
            }
            let Some(field) = Field::named(name) else {
                return self.fail(
                    id::FIELD,
                    Span::new(start, self.at),
                    format!("there is no field {}", Quoted(name)),
                );
            };
            self.skip_blanks();
            if !self.eat(b'=') {
                return self.expected("`=`");
            }
            self.skip_blanks();
            let from = self.at;
            let value = self.word();
            let span = Span::new(from, self.at);
            let number = field_value(field, value);
            let Some(number) = number else {
                let (name, width) = (field.name(), field.width());
                return self.fail(
                    id::FIELD,
                    span,
                    format!("{} is not a value of {name}, which has {width} bits", Quoted(value)),
                );
            };
            slot.set(field, number);
            has_final |= field == Field::Final;
        }
    }

    pub(super) fn directive(&mut self, out: &mut Output) -> Outcome<()> {
        let start = self.at;
        self.at += 1;
        let name = self.word();
        let span = Span::new(start, self.at);
        match name {
            "nv2a" => self.head(out, span),
            "constants" => {
                self.skip_blanks();
                let from = self.at;
                let word = self.word();
                let Ok(numbering) = word.parse::<Numbering>() else {
                    return self.fail(
                        id::DIRECTIVE,
                        Span::new(from, self.at),
                        "constants are numbered `hardware` or `d3d`",
                    );
                };
                self.options.numbering = numbering;
                Ok(())
            }
            "raw" => {
                let mut slot = Slot::default();
                for n in 0..4 {
                    let Some(word) = self.hex_word() else {
                        return self.expected("a word of eight hexadecimal digits");
                    };
                    slot.0[n] = word;
                }
                out.push(slot, Span::new(start, self.at), true);
                Ok(())
            }
            "push" | "more" => {
                let Some(commands) = out.commands_for(name == "more") else {
                    return self.fail(
                        id::DIRECTIVE,
                        span,
                        format!(".{name} is for pushbuffers, and .more follows .push"),
                    );
                };
                while let Some(word) = self.hex_word() {
                    commands.push(word);
                }
                Ok(())
            }
            "tail" => {
                if !out.tail.is_empty() {
                    return self.fail(id::DIRECTIVE, span, ".tail is given twice");
                }
                self.skip_blanks();
                let from = self.at;
                let digits = self.word();
                match crate::parse_hex(digits) {
                    Some(tail) => out.tail = tail,
                    None => {
                        return self.fail(
                            id::DIRECTIVE,
                            Span::new(from, self.at),
                            ".tail needs bytes in hexadecimal digits",
                        );
                    }
                }
                Ok(())
            }
            _ => {
                self.fail(id::DIRECTIVE, span, format!("there is no directive {}", Quoted(self.taken(start))))
            }
        }
    }

    /// `.nv2a`, `.nv2a microcode 0x2078 4`, `.nv2a pushbuffer`.
    pub(super) fn head(&mut self, out: &mut Output, span: Span) -> Outcome<()> {
        if out.started() {
            return self.fail(id::DIRECTIVE, span, ".nv2a must come first, and only once");
        }
        self.skip_blanks();
        let from = self.at;
        match self.word() {
            "" => out.head(Container::Bare),
            "pushbuffer" => out.head(Container::Pushbuffer(Vec::new())),
            "microcode" => {
                let mut numbers = [0_u16; 2];
                for place in &mut numbers {
                    self.skip_blanks();
                    let from = self.at;
                    let word = self.word();
                    let n = match word.strip_prefix("0x") {
                        Some(digits) => u16::from_str_radix(digits, 16).ok(),
                        None => word.parse().ok(),
                    };
                    let Some(n) = n else {
                        return self.fail(
                            id::DIRECTIVE,
                            Span::new(from, self.at),
                            "expected a version and a number of slots, 16 bits each",
                        );
                    };
                    *place = n;
                }
                out.head(Container::Microcode { version: numbers[0], count: numbers[1] });
            }
            _ => {
                return self.fail(
                    id::DIRECTIVE,
                    Span::new(from, self.at),
                    "expected `microcode`, `pushbuffer` or nothing after .nv2a",
                );
            }
        }
        Ok(())
    }

    /// A word of eight hexadecimal digits on this line, with or without `0x`.
    pub(super) fn hex_word(&mut self) -> Option<u32> {
        self.skip_blanks();
        if self.eat(b',') {
            self.skip_blanks();
        }
        let start = self.at;
        let word = self.word();
        let digits = word.strip_prefix("0x").unwrap_or(word);
        let value = hex_word(digits);
        if value.is_none() {
            self.at = start;
        }
        value
    }
}

/// The value of a field: decimal, hexadecimal behind `0x`, or the letters of a swizzle.
fn field_value(field: Field, text: &str) -> Option<u32> {
    if field.is_swizzle() && text.len() == 4 && !text.starts_with("0x") {
        return swizzle_from_letters(text).map(swizzle_to_field);
    }
    let value = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    (u64::from(value) < 1 << field.width()).then_some(value)
}
