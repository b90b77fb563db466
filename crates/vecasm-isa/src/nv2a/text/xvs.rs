//! The language of the XDK's assembler, which is Direct3D 8's with the operations and the pairs of the hardware.
//!
//! ```text
//! xvs.1.1
//! def c10, 0, 1, 0.5, 2
//! m4x4 oPos, v0, c0
//! dp4 r0.x, v0, c2
//! + rcc r1.x, r2.w
//! mov a0.x, v1.x
//! mov oD0, c[a0.x + 4]
//! ```
//!
//! Statements are those of nv2a-vsh; an operation behind a plus, mostly on the next line, is in the slot of the one in
//! front. What is different:
//!
//! * It may begin with `xvs.1.1`, `xvsw.1.1` (writes constants) or `xvss.1.1` (a state shader), or with `vs.1.1`, as
//!   programs do that were written for Direct3D 8.
//! * Constants are c-96 to c95, the hardware's 0 to 191.
//! * `mov a0.x, …` is the hardware's `arl`.
//! * `def` gives a constant; `m4x4`, `m4x3`, `m3x4`, `m3x3` and `m3x2` are one dot product a row.
//! * `exp`, `log` and `frc` are macros of Direct3D's assembler for what the hardware cannot do in a slot, so they are
//!   refused.
//! * Nothing is appended: `#pragma screenspace`, which says that the program does all itself, is taken and has no effect.

use super::dialect::{Head, Kind};
use super::errors::{Overflow, Quoted, id};
use super::options::Numbering;
use super::parse::{Constant, Output};
use super::vsh::{self, Outcome, Reader};
use crate::nv2a::pair::{Dest, Operand, Operation, Operator, Target};
use crate::nv2a::program::Mux;
use crate::nv2a::table::{CONSTANTS, Mac};
use crate::text::Cursor as _;
use alloc::format;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// A macro of a matrix: its name, the dot product, the number of rows.
const MATRICES: &[(&str, Mac, u8)] = &[
    ("m4x4", Mac::Dp4, 4),
    ("m4x3", Mac::Dp4, 3),
    ("m3x4", Mac::Dp3, 4),
    ("m3x3", Mac::Dp3, 3),
    ("m3x2", Mac::Dp3, 2),
];

/// Macros of Direct3D's assembler that are several operations, and what the hardware has in their place.
const REFUSED: &[(&str, &str)] = &[
    ("exp", "expp is the hardware's, with 12 bits in z"),
    ("log", "logp is the hardware's, with 12 bits in z"),
    ("frc", "expp gives the fraction of its source in y"),
];

/// Every mnemonic of this language, in small letters.
pub(super) fn mnemonics() -> impl Iterator<Item = &'static str> + Clone {
    let own = |name: &&str| REFUSED.iter().all(|row| row.0 != *name);
    vsh::mnemonics().filter(own).chain(MATRICES.iter().map(|row| row.0)).chain(["def"])
}

impl Reader<'_> {
    /// Reads a whole text of this language.
    pub(super) fn read_xvs(&mut self, out: &mut Output) {
        let head = Head::of(self.text);
        if let Some(head) = head {
            if !matches!(head.kind, Kind::Xvs(_)) {
                head.blame(&mut self.findings);
                return;
            }
        }
        self.options.numbering = Numbering::Direct3d;
        self.direct3d = true;
        loop {
            self.skip_lines();
            let Some(first) = self.peek() else { break };
            let start = self.at;
            if head.is_some_and(|head| head.span.start as usize == start) {
                self.at = head.map_or(start, |head| head.span.end as usize);
                continue;
            }
            let done = match first {
                b'#' => self.pragma(),
                b'%' | b'.' => self.expected("a statement"),
                _ => self.direct3d_statement(out),
            };
            self.close_statement(start);
            if done.is_err() {
                // Something has to be read, else the same would be found for ever.
                self.at = self.at.max(start + 1);
                self.skip_line();
            }
        }
    }

    fn direct3d_statement(&mut self, out: &mut Output) -> Outcome<()> {
        let start = self.at;
        let name = self.word();
        let span = Span::new(start, self.at);
        if name.eq_ignore_ascii_case("def") {
            return self.def(start, out);
        }
        if let Some(&(_, op, rows)) = MATRICES.iter().find(|row| row.0.eq_ignore_ascii_case(name)) {
            return self.matrix(out, start, op, rows);
        }
        if let Some((name, instead)) = REFUSED.iter().find(|row| row.0.eq_ignore_ascii_case(name)) {
            let message = format!("`{name}` is a macro of several operations");
            return self.fail_with(id::MNEMONIC, span, message, (*instead).into());
        }
        if Head::of(self.text.get(start..).unwrap_or("")).is_some() {
            return self.fail(id::VERSION, span, "the version must come first, and only once");
        }
        self.at = start;
        self.statement(out)
    }

    /// A line that begins with `#`.
    fn pragma(&mut self) -> Outcome<()> {
        let start = self.at;
        self.skip_line();
        let line = self.taken(start).trim_end();
        let mut words = line.get(1..).unwrap_or("").split_whitespace();
        if (words.next(), words.next()) == (Some("pragma"), Some("screenspace")) {
            return Ok(());
        }
        let span = Span::new(start, start + line.len());
        self.fail(id::DIRECTIVE, span, "the only supported line with `#` is `#pragma screenspace`")
    }

    /// Takes the comma behind an operand that begins at `last`, in a statement that begins at `start` and needs `what`.
    fn comma(&mut self, start: usize, last: usize, what: &str) -> Outcome<()> {
        let end = self.at;
        self.skip_blanks();
        if !self.eat(b',') {
            let name = self.text.get(start..).unwrap_or("");
            let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
            return self.missing_comma([start, last, end], format_args!("{} takes {what}", Quoted(name)));
        }
        self.skip_blanks();
        Ok(())
    }

    /// `def c10, 0, 1, 0.5, 2`, behind `def`.
    fn def(&mut self, statement: usize, out: &mut Output) -> Outcome<()> {
        self.skip_blanks();
        let start = self.at;
        let operand = self.operand()?;
        if operand.mux != Mux::Constant
            || operand.relative
            || operand.negate
            || operand.swizzle != Swizzle::IDENTITY
        {
            return self.fail(
                id::REGISTER,
                Span::new(start, self.at),
                "expected a constant without sign, swizzle or index after def",
            );
        }
        self.used_definition();
        let mut value = [0_u32; 4];
        let mut last = start;
        for to in &mut value {
            self.comma(statement, last, "a constant and four numbers")?;
            let start = self.at;
            last = start;
            let negative = self.eat(b'-');
            if negative || self.eat(b'+') {
                self.skip_blanks();
            }
            let from = self.at;
            while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'-')) {
                self.at += 1;
            }
            let word = self.taken(from);
            if word.is_empty() {
                return self.expected("a number");
            }
            let digits = word.strip_suffix(['f', 'F']).unwrap_or(word);
            // The words that Rust knows besides, like `inf`, begin with a letter; a second sign is none.
            let number = if digits.starts_with(|c: char| !c.is_ascii_digit() && c != '.') {
                None
            } else {
                digits.parse::<f32>().ok()
            };
            let Some(number) = number else {
                let word = self.text.get(start..self.at).unwrap_or(word);
                return self.fail(
                    id::SYNTAX,
                    Span::new(start, self.at),
                    format!("{} is not a number", Quoted(word)),
                );
            };
            if number.is_infinite() {
                let word = self.text.get(start..self.at).unwrap_or(word);
                self.findings.warning(id::OVERFLOW, Span::new(start, self.at), Overflow(word));
            }
            *to = number.to_bits() | u32::from(negative) << 31;
        }
        out.constants.push(Constant { number: operand.number, value });
        Ok(())
    }

    /// A product of a vector and rows of constants, behind the name of the macro.
    fn matrix(&mut self, out: &mut Output, start: usize, op: Mac, rows: u8) -> Outcome<()> {
        self.skip_blanks();
        let from = self.at;
        let marks = self.marks();
        let dest = self.dest(Operator::Mac(op))?;
        let wanted = WriteMask::first(rows);
        if dest.mask != WriteMask::ALL && dest.mask != wanted {
            let message = "the mask must have the lanes of the rows, or be left out";
            return self.fail(id::MACRO, Span::new(from, self.at), message);
        }
        let what = "a result, a vector and the first row of a matrix";
        self.comma(start, from, what)?;
        let from = self.at;
        let source = self.operand()?;
        self.comma(start, from, what)?;
        let from = self.at;
        let matrix = self.operand()?;
        let span = Span::new(from, self.at);
        if matrix.mux != Mux::Constant || matrix.negate || matrix.swizzle != Swizzle::IDENTITY {
            return self.fail(
                id::MACRO,
                span,
                "expected the first constant of the matrix, without sign or swizzle",
            );
        }
        let last = u32::from(matrix.number) + u32::from(rows) - 1;
        if last >= CONSTANTS {
            return self.fail(
                id::MACRO,
                span,
                format!("the last row would be c{}", last as i32 - self.options.numbering.bias()),
            );
        }
        let span = Span::new(start, self.at);
        if source.mux == Mux::Temporary && dest.target == Target::Temporary(source.number) {
            return self.fail(
                id::MACRO,
                span,
                "the first row would overwrite the vector that the others read",
            );
        }
        self.used_matrix(marks, dest, &source, Operator::Mac(op), rows);
        for lane in 0..rows {
            let row = Operand { number: matrix.number + lane, ..matrix };
            let operation = Operation {
                operator: Operator::Mac(op),
                dest: Dest::new(dest.target, WriteMask::lane(lane.into())),
                sources: [source, row, Operand::NONE],
            };
            self.expand(out, &operation, span)?;
        }
        Ok(())
    }

    /// Whether a0 stands here, as the destination of a `mov` that is the hardware's `arl`.
    pub(super) fn address_follows(&self) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        matches!(rest, [b'a' | b'A', b'0', ..]) && !rest.get(2).is_some_and(u8::is_ascii_alphanumeric)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_a_matrix_are_lanes() {
        for (name, op, rows) in MATRICES {
            let (width, height) = (name.as_bytes()[1] - b'0', name.as_bytes()[3] - b'0');
            assert_eq!((*rows, *op == Mac::Dp4), (height, width == 4), "{name}");
        }
    }
}
