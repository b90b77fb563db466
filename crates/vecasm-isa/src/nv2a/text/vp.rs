//! NV_vertex_program: `!!VP1.0`, `!!VP1.1` of NV_vertex_program1_1, and the vertex state programs `!!VSP1.0`.
//!
//! ```text
//! !!VP1.1
//! # transform
//! DP4 o[HPOS].x, c[0], v[OPOS];
//! MUL R0.xyz, v[COL0], c[A0.x + 4];
//! END
//! ```
//!
//! The grammar and the rules are those of the extensions; an instruction becomes a slot, as nxdk's vp20compiler has it,
//! never two of them one. Letters may be of either case. What the extension leaves open:
//!
//! * `c[0]` to `c[95]` are the hardware's c96 to c191, as vp20compiler numbers them. It does so only where a constant is
//!   read: what `!!VSP1.0` writes to `c[3]` it writes to the hardware's c3, where the same program cannot read it; here
//!   both are c99.
//! * Attributes go by their meaning, whether they are named or numbered: the extension has texture coordinate 0 at 8, the
//!   hardware at 9 (v8 is the specular colour of back faces), so that `v[TEX0]` and `v[8]` are v9. There are four texture
//!   coordinates, and 6, 7 and 12 to 15 are nothing that the hardware has.
//! * R12 can be read, as vp20compiler allows: it holds what was written to `o[HPOS]`.
//! * `ABS d, a` is `max d, a, -a`, `SUB d, a, b` is `add d, a, -b`.
//! * Comments that begin with `#const` give constants, as cgc writes them: one to four numbers, the rest is 0.

use super::dialect::{Head, Kind};
use super::errors::{Overflow, Quoted, id};
use super::parse::{Constant, Output};
use super::vsh::{Outcome, Reader, Reported, few_sources, mnemonic, mnemonics, takes};
use crate::nv2a::pair::{Dest, Mode, Operand, Operation, Operator, Target, combine};
use crate::nv2a::program::Mux;
use crate::nv2a::table::{self, Ilu, Mac};
use crate::text::Cursor as _;
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// The names of vertex attributes, with their numbers in the hardware.
pub(super) const ATTRIBUTES: &[(&str, u8)] = &[
    ("OPOS", 0),
    ("WGHT", 1),
    ("NRML", 2),
    ("COL0", 3),
    ("COL1", 4),
    ("FOGC", 5),
    ("TEX0", 9),
    ("TEX1", 10),
    ("TEX2", 11),
    ("TEX3", 12),
];

/// Their numbers in the extension, in the same order (table X.3 of NV_vertex_program).
const ATTRIBUTE_NUMBERS: [u8; ATTRIBUTES.len()] = [0, 1, 2, 3, 4, 5, 8, 9, 10, 11];
/// The last number of the extension: texture coordinate 7.
const LAST_ATTRIBUTE: u32 = 15;

/// The names of results, with the addresses of the output registers.
pub(super) const RESULTS: &[(&str, u8)] = &[
    ("HPOS", 0),
    ("COL0", 3),
    ("COL1", 4),
    ("FOGC", 5),
    ("PSIZ", 6),
    ("BFC0", 7),
    ("BFC1", 8),
    ("TEX0", 9),
    ("TEX1", 10),
    ("TEX2", 11),
    ("TEX3", 12),
];

/// Most instructions of a program.
pub(super) const INSTRUCTIONS: usize = 128;
/// Number of constants.
pub(super) const CONSTANTS: u32 = 96;
/// What is added to the numbers of constants to get the hardware's.
pub(super) const BIAS: u32 = 96;
/// The numbers that may be added to A0.
pub(super) const OFFSETS: core::ops::RangeInclusive<i32> = -64..=63;
/// The operations of version 1.1.
pub(super) const LATER: [&str; 4] = ["DPH", "RCC", "SUB", "ABS"];

/// What other dialects have: EXP and LOG are called so there, and no slot is empty here.
const NOT_HERE: [&str; 3] = ["expp", "logp", "nop"];

/// What the head of the text says, and what was seen so far.
struct Program<'r, 'a> {
    r: &'r mut Reader<'a>,
    state: bool,
    later: bool,
    /// Whether something was written that makes the program worth running.
    wrote: bool,
    /// How many instructions were read, good or bad.
    count: usize,
}

impl Reader<'_> {
    /// Reads a whole text of this language.
    pub(super) fn read_vp(&mut self, out: &mut Output) {
        self.extension = true;
        let head = Head::of(self.text);
        let (state, later, span) = match head {
            Some(Head { kind: Kind::Vp { state, later }, span, .. }) => (state, later, span),
            Some(head) if !matches!(head.kind, Kind::Xvs(_)) => {
                head.blame(&mut self.findings);
                return;
            }
            _ => {
                let message = "the program does not begin with !!VP1.0, !!VP1.1 or !!VSP1.0";
                self.findings.error(id::VERSION, Span::new(0, 0), message);
                return;
            }
        };
        self.at = span.end as usize;
        Program { r: self, state, later, wrote: false, count: 0 }.read(out, span);
    }
}

impl<'a> Program<'_, 'a> {
    fn read(&mut self, out: &mut Output, head: Span) {
        loop {
            self.skip(out);
            let start = self.r.at;
            let done = match self.r.peek() {
                None => {
                    let end = Span::new(start, start);
                    self.r.findings.error(id::VERSION, end, "the program does not end with END");
                    return;
                }
                // An instruction of nothing.
                Some(b';') => Err(self.r.expected::<()>("an instruction").err().unwrap_or(Reported)),
                _ => self.statement(out),
            };
            self.r.close_statement(start);
            match done {
                Ok(true) => break,
                Ok(false) => {}
                Err(Reported) => self.recover(start),
            }
        }
        self.skip(out);
        if self.r.peek().is_some() {
            let found = self.r.piece(self.r.at);
            let span = self.r.span_of(found, self.r.at);
            self.r.findings.error(id::VERSION, span, format!("{} follows END", Quoted(found)));
        }
        if self.r.findings.has_errors() {
            return;
        }
        if !self.wrote {
            let what = if self.state {
                "a vertex state program must write a constant"
            } else {
                "a vertex program must write o[HPOS]"
            };
            self.r.findings.error(id::EXTENSION, head, what);
        }
    }

    /// Goes on behind the instruction that was given up: behind its `;`, else with the next line.
    fn recover(&mut self, start: usize) {
        // Something has to be read, else the same would be found for ever.
        self.r.at = self.r.at.max(start + 1);
        while let Some(b) = self.r.peek() {
            match b {
                b'\n' | b'\r' | b'#' => break,
                b';' => {
                    self.r.at += 1;
                    break;
                }
                _ => self.r.at += 1,
            }
        }
        // `start + 1` may be inside a character.
        while !self.r.text.is_char_boundary(self.r.at) {
            self.r.at += 1;
        }
    }

    /// Skips white space and comments.
    fn skip(&mut self, out: &mut Output) {
        loop {
            match self.r.peek() {
                Some(b' ' | b'\t' | 0x0b | 0x0c | b'\n' | b'\r') => self.r.at += 1,
                Some(b'#') => {
                    let start = self.r.at;
                    self.r.skip_line();
                    let line = self.r.text.get(start + 1..self.r.at).unwrap_or("");
                    out.remarks.push((out.slots.len(), Span::new(start + 1, self.r.at)));
                    self.constant_comment(line, Span::new(start, self.r.at), out);
                }
                _ => break,
            }
        }
    }

    /// Reads `const c[12] = 0 1 0 0.5`, the text of a comment.
    fn constant_comment(&mut self, line: &str, span: Span, out: &mut Output) {
        let Some(rest) = line.trim_start().strip_prefix("const") else { return };
        if !rest.starts_with([' ', '\t']) {
            return;
        }
        let read = || {
            let (number, values) = rest.trim_start().strip_prefix("c[")?.split_once(']')?;
            let number: u32 = number.trim().parse().ok()?;
            let mut value = [0_u32; 4];
            let mut count = 0;
            for word in values.trim_start().strip_prefix('=')?.split_whitespace() {
                *value.get_mut(count)? = word.parse::<f32>().ok()?.to_bits();
                count += 1;
            }
            (number < CONSTANTS && count > 0).then_some(Constant { number: (number + BIAS) as u8, value })
        };
        match read() {
            Some(constant) => {
                let too_large = |word: &&str| {
                    let digit = word.trim_start_matches(['+', '-']).starts_with(|c: char| !c.is_alphabetic());
                    digit && word.parse::<f32>().is_ok_and(f32::is_infinite)
                };
                for word in rest.split_whitespace().filter(too_large) {
                    // A word is a piece of the line, whose first byte is behind `#`.
                    let from = span.start as usize + 1 + (word.as_ptr() as usize - line.as_ptr() as usize);
                    let at = Span::new(from, from + word.len());
                    self.r.findings.warning(id::OVERFLOW, at, Overflow(word));
                }
                out.constants.push(constant);
            }
            None => {
                let message = "not a constant: `#const c[12] = 0 1 0 0.5` gives one of c[0] to c[95], with one to four numbers";
                self.r.findings.warning(id::CONSTANT, span, message);
            }
        }
    }

    /// Reads an instruction, an option or END; whether it was END.
    fn statement(&mut self, out: &mut Output) -> Outcome<bool> {
        let start = self.r.at;
        let name = self.r.word();
        let name_span = Span::new(start, self.r.at);
        if name.eq_ignore_ascii_case("END") {
            return Ok(true);
        }
        if name.eq_ignore_ascii_case("OPTION") {
            self.option(name_span, out)?;
            return Ok(false);
        }
        if name.is_empty() {
            return self.r.expected("an instruction or END");
        }
        self.count += 1;
        if self.count == INSTRUCTIONS + 1 {
            let message = format!("more than {INSTRUCTIONS} instructions");
            self.r.findings.error(id::EXTENSION, name_span, message);
        }
        let is = |other: &str| other.eq_ignore_ascii_case(name);
        let absolute = is("ABS");
        let known = match mnemonic(name) {
            _ if absolute => Some((Operator::Mac(Mac::Max), false)),
            _ if NOT_HERE.iter().any(|other| is(other)) => None,
            found => found,
        };
        let Some((operator, negate_last)) = known else {
            let own = |name: &&str| !NOT_HERE.contains(name);
            let known = mnemonics().filter(own).chain(["abs", "end", "option"]);
            return self.r.unknown_mnemonic(name, name_span, known);
        };
        if !self.later && LATER.iter().any(|other| is(other)) {
            let message = format!("{} is an instruction of !!VP1.1", Quoted(name));
            self.r.findings.error(id::MNEMONIC, name_span, message);
        }
        self.skip(out);
        let mut last = self.r.at;
        let marks = self.r.marks();
        let dest = self.dest(operator, out)?;
        let mut sources = [Operand::NONE; 3];
        let count = if absolute { 1 } else { operator.sources() };
        for (n, source) in sources.iter_mut().enumerate().take(count) {
            let end = self.r.at;
            self.skip(out);
            if !self.r.eat(b',') {
                return self.r.missing_comma([start, last, end], few_sources(name, count, n));
            }
            self.skip(out);
            last = self.r.at;
            *source = self.source(operator, out)?;
        }
        if absolute {
            sources[1] = Operand { negate: !sources[0].negate, ..sources[0] };
        }
        if negate_last {
            sources[1].negate ^= true;
        }
        let end = self.r.at;
        self.skip(out);
        if !self.r.eat(b';') {
            if self.r.peek() == Some(b',') {
                let message = format!("{}, found more", takes(name, count));
                return self.r.fail(id::SYNTAX, self.r.here(), message);
            }
            self.r.at = end;
            return self.r.expected("`;`");
        }
        self.wrote |=
            matches!((dest.target, self.state), (Target::Output(0), false) | (Target::Constant(_), true));
        let operation = Operation { operator, dest, sources };
        self.r.used(marks, &operation);
        let span = Span::new(start, end);
        match combine(core::slice::from_ref(&operation), &[], Mode::Strict) {
            Ok(paired) => out.push(paired.slot, span, false),
            Err(conflict) => self.r.conflict(conflict, core::slice::from_ref(&operation), span),
        }
        Ok(false)
    }

    /// Refuses an option, and says why.
    #[cold]
    fn option(&mut self, start: Span, out: &mut Output) -> Outcome<()> {
        self.skip(out);
        let name = self.r.word();
        let span = Span::new(start.start as usize, self.r.at);
        let (id, message) = if name == "NV_position_invariant" && self.later && self.count == 0 {
            (id::OPTION, "the option NV_position_invariant cannot be kept")
        } else if name == "NV_position_invariant" {
            (id::VERSION, "options come before the instructions of a !!VP1.1 program")
        } else {
            (id::VERSION, "the only option is NV_position_invariant")
        };
        // Everything about o[HPOS] follows from it.
        self.wrote = true;
        self.r.fail_with(
            id,
            span,
            message.into(),
            "the driver would compute o[HPOS] as the fixed-function pipeline does; write it yourself: four DP4 of v[OPOS] with \
             the rows of the matrix, kept in four constants"
                .into(),
        )
    }

    fn dest(&mut self, operator: Operator, out: &mut Output) -> Outcome<Dest> {
        let start = self.r.at;
        let arl = operator == Operator::Mac(Mac::Arl);
        let name = self.r.word();
        let span = Span::new(start, self.r.at);
        let is = |other: &str| other.eq_ignore_ascii_case(name);
        let target = if let Some(n) = self.temporary(name, span, table::TEMPORARIES - 1)? {
            Target::Temporary(n)
        } else if is("A0") {
            Target::Address
        } else if is("o") {
            self.bracket(out)?;
            let from = self.r.at;
            let word = self.r.word();
            let word_span = Span::new(from, self.r.at);
            let Some(number) = number_of(RESULTS, word) else {
                return self.no_name("result", RESULTS, word, word_span);
            };
            self.end_bracket(out)?;
            if self.state {
                let span = Span::new(start, self.r.at);
                return self.r.fail(id::EXTENSION, span, "a vertex state program has no results");
            }
            Target::Output(number)
        } else if is("c") {
            let (number, relative) = self.parameter(start, out)?;
            let span = Span::new(start, self.r.at);
            if !self.state {
                return self.r.fail(
                    id::EXTENSION,
                    span,
                    "only vertex state programs (!!VSP1.0) write constants",
                );
            }
            if relative {
                return self.r.fail(id::REGISTER, span, "a destination cannot be relative to A0");
            }
            Target::Constant(number)
        } else if name.is_empty() {
            return self.r.expected("a destination");
        } else if is("v") {
            return self.r.fail(id::REGISTER, span, "attributes cannot be written");
        } else {
            return self.r.unknown_register(name, span);
        };
        if arl != (target == Target::Address) {
            let what = if arl { "ARL can only write A0.x" } else { "only ARL can write A0.x" };
            return self.r.fail(id::REGISTER, Span::new(start, self.r.at), what);
        }
        self.r.mark_dest(start, target);
        let from = self.r.at;
        let mask = self.r.mask_xyzw()?;
        if arl && (mask != WriteMask::X || self.r.at == from) {
            return self.r.fail(id::MASK, Span::new(start, self.r.at), "the address register is A0.x");
        }
        Ok(Dest::new(target, mask))
    }

    /// The number of a temporary up to `last`; `None` if the word is something else.
    fn temporary(&mut self, name: &'a str, span: Span, last: u32) -> Outcome<Option<u8>> {
        let digits = name.get(1..).unwrap_or("");
        let is =
            name.starts_with(['R', 'r']) && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        if !is {
            return Ok(None);
        }
        self.r.ranged(digits, span, 'R', last).map(Some)
    }

    fn source(&mut self, operator: Operator, out: &mut Output) -> Outcome<Operand> {
        let mut operand = Operand { negate: self.r.eat(b'-'), ..Operand::NONE };
        self.skip(out);
        let start = self.r.at;
        let name = self.r.word();
        let span = Span::new(start, self.r.at);
        let is = |other: &str| other.eq_ignore_ascii_case(name);
        if let Some(n) = self.temporary(name, span, table::POSITION_SHADOW)? {
            operand.mux = Mux::Temporary;
            operand.number = n;
        } else if is("v") {
            operand.number = self.attribute(start, out)?;
        } else if is("c") {
            operand.mux = Mux::Constant;
            (operand.number, operand.relative) = self.parameter(start, out)?;
        } else if name.is_empty() {
            return self.r.expected("a source");
        } else if is("o") {
            return self.r.fail(id::REGISTER, span, "results cannot be read");
        } else if is("A0") {
            return self.r.fail(
                id::REGISTER,
                span,
                "A0.x cannot be a source; it is added to the number of a constant",
            );
        } else {
            return self.r.unknown_register(name, span);
        }
        self.r.mark_source(start, &operand);
        let from = self.r.at;
        let scalar = match operator {
            Operator::Ilu(op) => op.is_scalar() && op != Ilu::Nop,
            Operator::Mac(op) => op == Mac::Arl,
            Operator::Mov => false,
        };
        operand.swizzle = if self.r.peek() == Some(b'.') {
            self.r.at += 1;
            let letters = self.r.word();
            let mut lanes = [0_u8; 4];
            let good = matches!(letters.len(), 1 | 4)
                && (letters.len() == 1 || !scalar)
                && lanes.iter_mut().enumerate().all(|(n, to)| {
                    let letter = letters.as_bytes().get(n.min(letters.len() - 1));
                    letter.and_then(|letter| lane_xyzw(*letter)).map(|lane| *to = lane).is_some()
                });
            if !good {
                let span = Span::new(from, self.r.at);
                let what = if scalar {
                    format!("{} is not a component", Quoted(letters))
                } else {
                    format!("{} is not a swizzle: one letter of xyzw or four", Quoted(letters))
                };
                return self.r.fail(id::SWIZZLE, span, what);
            }
            Swizzle::new(lanes[0], lanes[1], lanes[2], lanes[3])
        } else if scalar {
            return self.r.fail(
                id::SWIZZLE,
                Span::new(start, from),
                format!("a component is missing: {} reads one", operator.name().to_ascii_uppercase()),
            );
        } else {
            Swizzle::IDENTITY
        };
        Ok(operand)
    }

    fn bracket(&mut self, out: &mut Output) -> Outcome<()> {
        self.skip(out);
        if !self.r.eat(b'[') {
            return self.r.expected("`[`");
        }
        self.skip(out);
        Ok(())
    }

    fn end_bracket(&mut self, out: &mut Output) -> Outcome<()> {
        self.skip(out);
        if self.r.eat(b']') { Ok(()) } else { self.r.expected("`]`") }
    }

    /// The hardware's number of an attribute that the extension numbers so.
    fn numbered_attribute(&mut self, digits: &str, span: Span) -> Outcome<u8> {
        let n = self.r.ranged(digits, span, 'v', LAST_ATTRIBUTE)?;
        let rows = ATTRIBUTES.iter().zip(ATTRIBUTE_NUMBERS);
        if let Some((row, _)) = rows.clone().find(|(_, number)| *number == n) {
            return Ok(row.1);
        }
        let message = match n.checked_sub(ATTRIBUTE_NUMBERS[6]) {
            Some(coordinate) => {
                format!("v[{n}] is texture coordinate {coordinate}; the NV2A has four, v[8] to v[11]")
            }
            None => format!("the NV2A has no v[{n}]"),
        };
        let help = "numbers are those of NV_vertex_program: 0 to 5 OPOS, WGHT, NRML, COL0, COL1, FOGC; 8 to 11 TEX0 to TEX3";
        self.r.fail_with(id::REGISTER, span, message, help.into())
    }

    /// What stands in the brackets of `v[…]`.
    fn attribute(&mut self, start: usize, out: &mut Output) -> Outcome<u8> {
        self.bracket(out)?;
        let from = self.r.at;
        let word = self.r.word();
        let span = Span::new(from, self.r.at);
        let number = if word.bytes().all(|b| b.is_ascii_digit()) && !word.is_empty() {
            self.numbered_attribute(word, span)?
        } else {
            match number_of(ATTRIBUTES, word) {
                Some(number) => number,
                None => return self.no_name("attribute", ATTRIBUTES, word, span),
            }
        };
        self.end_bracket(out)?;
        if self.state && number != 0 {
            let span = Span::new(start, self.r.at);
            return self.r.fail(id::EXTENSION, span, "a vertex state program has the attribute v[0] only");
        }
        Ok(number)
    }

    /// The hardware's number of what stands in the brackets of `c[…]`, and whether it is relative to A0.
    fn parameter(&mut self, start: usize, out: &mut Output) -> Outcome<(u8, bool)> {
        self.bracket(out)?;
        if let Some(n) = self.r.number() {
            self.end_bracket(out)?;
            if n >= CONSTANTS {
                let message = format!("there is no constant {n}; they are 0 to {}", CONSTANTS - 1);
                return self.r.fail(id::REGISTER, Span::new(start, self.r.at), message);
            }
            return Ok(((n + BIAS) as u8, false));
        }
        let from = self.r.at;
        let name = self.r.word();
        let component = self.r.eat(b'.').then(|| self.r.word());
        let good = name.eq_ignore_ascii_case("A0") && component.is_some_and(|c| c.eq_ignore_ascii_case("x"));
        if !good {
            self.r.at = from;
            return self.r.expected("a number or `A0.x`");
        }
        if let Some(record) = &mut self.r.record {
            record.address = Some(Span::new(from, from + name.len()));
        }
        self.skip(out);
        let mut offset = 0;
        let negative = self.r.peek() == Some(b'-');
        if negative || self.r.peek() == Some(b'+') {
            self.r.at += 1;
            self.skip(out);
            let Some(n) = self.r.number() else { return self.r.expected("a number") };
            offset = if negative { -(n as i32) } else { n as i32 };
        }
        self.end_bracket(out)?;
        if !OFFSETS.contains(&offset) {
            let message = format!(
                "{offset} cannot be added to A0.x; the range is {} to {}",
                OFFSETS.start(),
                OFFSETS.end()
            );
            return self.r.fail(id::EXTENSION, Span::new(start, self.r.at), message);
        }
        Ok(((offset + BIAS as i32) as u8, true))
    }

    #[cold]
    fn no_name<T>(&mut self, what: &str, list: &[(&str, u8)], word: &str, span: Span) -> Outcome<T> {
        let names: Vec<&str> = list.iter().map(|row| row.0).collect();
        let help = format!("the names are {}; the NV2A has four texture coordinates", names.join(", "));
        if word.is_empty() {
            return self.r.expected(&format!("the name of the {what}"));
        }
        self.r.fail_with(id::REGISTER, span, format!("there is no {what} {}", Quoted(word)), help)
    }
}

impl Reader<'_> {
    /// A write mask of the letters xyzw behind a dot, if there is one.
    fn mask_xyzw(&mut self) -> Outcome<WriteMask> {
        let dot = self.at;
        if !self.eat(b'.') {
            return Ok(WriteMask::ALL);
        }
        let letters = self.word();
        let mut bits = 0_u8;
        for b in letters.bytes() {
            match lane_xyzw(b) {
                // In order, each once.
                Some(lane) if bits >> lane == 0 => bits |= 1 << lane,
                _ => bits = 16,
            }
            if bits == 16 {
                break;
            }
        }
        if bits == 0 || bits == 16 {
            let message = format!("{} is not a write mask", Quoted(letters));
            return self.fail(id::MASK, Span::new(dot, self.at), message);
        }
        Ok(WriteMask::from_bits(bits))
    }
}

/// The lane of a letter in either case.
const fn lane_xyzw(letter: u8) -> Option<u8> {
    match letter.to_ascii_lowercase() {
        b'x' => Some(0),
        b'y' => Some(1),
        b'z' => Some(2),
        b'w' => Some(3),
        _ => None,
    }
}

fn number_of(list: &[(&str, u8)], name: &str) -> Option<u8> {
    list.iter().find(|row| row.0.eq_ignore_ascii_case(name)).map(|row| row.1)
}
