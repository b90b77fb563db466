//! Uniforms, and the macros that use them.

use super::errors::{Quoted, id, nearest};
use super::parse::Output;
use super::vsh::{Outcome, Reader, Reported, Uniform};
use crate::nv2a::pair::{Dest, Mode, Operand, Operation, Operator, Target, combine};
use crate::nv2a::program::Mux;
use crate::nv2a::table::{self, Ilu, Mac};
use crate::text::Cursor as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// The number of a constant modulo 256, and how many times 256 it is above that; numbers have 20 bits.
const fn paged(number: u32) -> (u8, u16) {
    (number as u8, (number >> 8) as u16)
}

impl Reader<'_> {
    /// A declaration: `#name vector 96`.
    pub(super) fn uniform(&mut self) -> Outcome<()> {
        let start = self.at;
        self.at += 1;
        let name = self.word();
        let name_span = Span::new(start, self.at);
        if name.is_empty() {
            return self.fail(
                id::UNIFORM,
                name_span,
                "the name of a uniform consists of letters, digits and underscores",
            );
        }
        self.skip_blanks();
        let from = self.at;
        let rows = match self.word() {
            "vector" | "VECTOR" => 1,
            "matrix4" | "MATRIX4" => 4,
            other => {
                let other = if other.is_empty() { self.piece(from) } else { other };
                let span = self.span_of(other, from);
                return self.fail(
                    id::UNIFORM,
                    span,
                    format!("a uniform is a vector or a matrix4, not {}", Quoted(other)),
                );
            }
        };
        self.skip_blanks();
        let from = self.at;
        let negative = self.options.numbering.bias() != 0 && self.eat(b'-');
        let Some(n) = self.number() else {
            let found = self.piece(self.at);
            let what = if found.trim().is_empty() { "nothing".into() } else { format!("{}", Quoted(found)) };
            let span = self.span_of(found, self.at);
            return self.fail(id::UNIFORM, span, format!("expected the number of a constant, found {what}"));
        };
        let n = (if negative { -(n as i32) } else { n as i32 }) + self.options.numbering.bias();
        let span = Span::new(from, self.at);
        self.declared(name_span, span, n, rows);
        let last = n + rows as i32 - 1;
        if self.options.mode == Mode::Strict && !(n >= 0 && last <= 255) {
            // Its uses are no mistakes of their own.
            self.uniforms.insert(name, Uniform { base: 0, rows });
            return self.fail(
                id::UNIFORM,
                span,
                format!("{} is out of range: the last constant is 255", Quoted(name)),
            );
        }
        if self.options.mode == Mode::Strict && last >= table::CONSTANTS as i32 {
            let message = format!("{} reaches c{last}; the hardware has constants up to c191", Quoted(name));
            self.findings.warning(id::UNIFORM_RANGE, span, message);
        }
        if self.uniforms.insert(name, Uniform { base: n.max(0) as u32, rows }).is_some() {
            let message = match self.options.mode {
                Mode::Strict => format!("{} is declared twice", Quoted(name)),
                Mode::Compat => {
                    format!(
                        "EncodingError: Duplicate definition of uniform #{name} at line {}",
                        self.line(start)
                    )
                }
            };
            return self.fail(self.blame(id::UNIFORM), name_span, message);
        }
        Ok(())
    }

    #[cold]
    pub(super) fn line(&self, at: usize) -> u32 {
        vecasm_ir::diag::line_column(self.text, u32::try_from(at).unwrap_or(u32::MAX)).0
    }

    /// A use: `#name` or `#name[2]`; the number of the constant modulo 256, and how many times 256 it is above that.
    pub(super) fn uniform_use(&mut self) -> Outcome<(u8, u16)> {
        let (uniform, row) = self.uniform_row(id::UNIFORM)?;
        Ok(paged(uniform.base.saturating_add(row)))
    }

    /// A uniform and the row of it that a text names; `unknown` is the rule that one breaks that is not declared.
    fn uniform_row(&mut self, unknown: &'static str) -> Outcome<(Uniform, u32)> {
        let start = self.at;
        self.at += 1;
        let name = self.word();
        let span = Span::new(start, self.at);
        let Some(uniform) = self.uniforms.get(name).copied() else {
            let message = match self.options.mode {
                Mode::Strict => {
                    let message = format!("the uniform {} is not declared", Quoted(name));
                    let known: Vec<&str> = self.uniforms.keys().copied().collect();
                    let help =
                        nearest(name, known.iter().copied()).map(|near| format!("did you mean `#{near}`?"));
                    self.findings.error_with(unknown, span, message, help);
                    return Err(Reported);
                }
                Mode::Compat => {
                    format!("EncodingError: Undefined uniform #{name} used at line {}", self.line(start))
                }
            };
            return self.fail(self.blame(unknown), span, message);
        };
        if let Some(record) = &mut self.record {
            record.name = Some(Span { start: span.start + 1, ..span });
        }
        let before = self.at;
        self.skip_blanks();
        if !self.eat(b'[') {
            self.at = before;
            return Ok((uniform, 0));
        }
        self.skip_blanks();
        let Some(row) = self.number() else { return self.expected("the number of a row") };
        self.skip_blanks();
        if !self.eat(b']') {
            return self.expected("`]`");
        }
        if row >= uniform.rows {
            let last = uniform.rows - 1;
            let message = match self.options.mode {
                Mode::Strict => format!("{} has no row {row}; the last one is {last}", Quoted(name)),
                Mode::Compat => {
                    format!(
                        "EncodingError: Uniform offset out of range (max is {last}) at line {}",
                        self.line(start)
                    )
                }
            };
            return self.fail(self.blame(id::UNIFORM), Span::new(start, self.at), message);
        }
        Ok((uniform, row))
    }

    pub(super) fn macro_call(&mut self, out: &mut Output) -> Outcome<()> {
        let start = self.at;
        self.at += 1;
        let name = self.word();
        let span = Span::new(start, self.at);
        if name.eq_ignore_ascii_case("matmul4x4") {
            self.matmul4x4(out, start)
        } else if name.eq_ignore_ascii_case("norm3") {
            self.norm3(out, start)
        } else {
            let message = format!("there is no macro {}", Quoted(name));
            self.fail_near(id::MACRO, span, message, name, ["matmul4x4", "norm3"].into_iter())
        }
    }

    /// What is wrong with the operands of a macro, in nv2a-vsh's words in compat mode.
    #[cold]
    pub(super) fn bad_macro<T>(
        &mut self,
        start: usize,
        name: &str,
        usage: &str,
        why: &str,
        more: &str,
    ) -> Outcome<T> {
        self.skip_line();
        let text = self.taken(start).trim_end();
        let span = self.span_of(text, start);
        match self.options.mode {
            Mode::Strict => {
                let more =
                    if more.is_empty() { String::new() } else { format!(": {}", more.trim_end_matches('.')) };
                let message = format!("%{name}: invalid {}{more}", why.replace("{name}", "operands"));
                self.fail_with(id::MACRO, span, message, format!("usage: %{name} {usage}"))
            }
            Mode::Compat => {
                let line = self.line(start);
                let what = if why == "{name}" { format!("parameters to %{name}") } else { why.into() };
                let more = if more.is_empty() { String::new() } else { format!(". {more}") };
                // One message has its reason in front of the text, the others behind it.
                let message = if why.starts_with("temp") {
                    format!(
                        "ValueError: Invalid {what} on line {line}{more}: '{text}'.\n  Usage: %{name} {usage}"
                    )
                } else {
                    let more = more.strip_prefix('.').unwrap_or("");
                    format!(
                        "ValueError: Invalid {what} on line {line}: '{text}'.{more}\n  Usage: %{name} {usage}"
                    )
                };
                self.fail(id::EXCEPTION, span, message)
            }
        }
    }

    /// The next operand of a macro begins here, on the same line.
    pub(super) fn macro_operand(&mut self) -> bool {
        self.skip_blanks();
        self.peek().is_some_and(|b| !matches!(b, b'\n' | b'\r'))
    }

    /// A destination or source of a macro; no comma may follow.
    pub(super) fn no_comma(&mut self) -> Outcome<()> {
        self.skip_blanks();
        if self.peek() == Some(b',') {
            return self.fail(
                id::MACRO,
                self.here(),
                "the operands of a macro are separated by blanks, not by commas",
            );
        }
        Ok(())
    }

    pub(super) fn matmul4x4(&mut self, out: &mut Output, start: usize) -> Outcome<()> {
        const USAGE: &str = "<destination> <source> <matrix_uniform>";
        const NAME: &str = "matmul4x4";
        let bad = |r: &mut Self, why: &str, more: &str| r.bad_macro(start, NAME, USAGE, why, more);
        if !self.macro_operand() {
            return bad(self, "{name}", "");
        }
        let marks = self.marks();
        let dest = self.dest(Operator::Mac(Mac::Dp4))?;
        self.no_comma()?;
        if !self.macro_operand() {
            return bad(self, "{name}", "");
        }
        let source = self.operand()?;
        self.no_comma()?;
        if !self.macro_operand() {
            return bad(self, "{name}", "");
        }
        if self.peek() != Some(b'#') {
            return bad(self, "matrix uniform parameter", "");
        }
        let name = {
            let at = self.at;
            self.at += 1;
            let name = self.word();
            self.at = at;
            name
        };
        if self.options.mode == Mode::Compat && !self.uniforms.contains_key(name) {
            return bad(self, "matrix uniform parameter", "");
        }
        let from = self.at;
        let (matrix, row) = self.uniform_row(id::MACRO)?;
        let (number, page) = paged(matrix.base);
        self.mark_source(from, &Operand { mux: Mux::Constant, number, page, ..Operand::NONE });
        if matrix.rows != 4 {
            return bad(self, "matrix uniform type", "Uniform must be matrix type.");
        }
        if row != 0 {
            return bad(self, "matrix uniform offset", "Uniform must be referenced at offset 0.");
        }
        let span = Span::new(start, self.at);
        self.used_matrix(marks, dest, &source, Operator::Mac(Mac::Dp4), 4);
        for lane in 0..4_u8 {
            let (number, page) = paged(matrix.base.saturating_add(lane.into()));
            let row = Operand { mux: Mux::Constant, number, page, ..Operand::NONE };
            let operation = Operation {
                operator: Operator::Mac(Mac::Dp4),
                dest: Dest { mask: WriteMask::lane(lane.into()), ..dest },
                sources: [source, row, Operand::NONE],
            };
            self.expand(out, &operation, span)?;
        }
        Ok(())
    }

    pub(super) fn norm3(&mut self, out: &mut Output, start: usize) -> Outcome<()> {
        const USAGE: &str = "<destination> <source> <temp_register_rw>";
        let bad = |r: &mut Self, why: &str, more: &str| r.bad_macro(start, "norm3", USAGE, why, more);
        if !self.macro_operand() {
            return bad(self, "{name}", "");
        }
        let marks = self.marks();
        let dest = self.dest(Operator::Mac(Mac::Dp3))?;
        self.no_comma()?;
        if !self.macro_operand() {
            return bad(self, "{name}", "");
        }
        let source = self.operand()?;
        self.no_comma()?;
        if !self.macro_operand() {
            return bad(self, "{name}", "");
        }
        let temp = self.operand()?;
        let writable = temp.mux == Mux::Temporary && u32::from(temp.number) < table::TEMPORARIES;
        if !writable {
            return bad(self, "temp register parameter", "Temp register must be read/write");
        }
        let span = Span::new(start, self.at);
        if temp.swizzle != Swizzle::IDENTITY {
            let message = match self.options.mode {
                Mode::Strict => "the scratch register of %norm3 has no swizzle".into(),
                Mode::Compat => format!(
                    "ValueError: Cannot create DestinationRegister for swizzled source register SourceRegister(RegisterFile.PROGRAM_TEMPORARY R{} {})",
                    temp.number,
                    temp.swizzle.letters()
                ),
            };
            return self.fail(self.blame(id::MACRO), span, message);
        }
        self.used_scratch(marks, dest, &source, WriteMask::from_bits(0b1001));
        let to = Dest::new;
        let lane = |n| Operand { swizzle: Swizzle::splat(n), ..temp };
        let scratch = Target::Temporary(temp.number);
        let steps = [
            (Operator::Mac(Mac::Dp3), to(scratch, WriteMask::X), [source, source, Operand::NONE]),
            (
                Operator::Ilu(Ilu::Rsq),
                to(scratch, WriteMask::from_bits(8)),
                [lane(0), Operand::NONE, Operand::NONE],
            ),
            (
                Operator::Mac(Mac::Mul),
                Dest { mask: WriteMask::XYZ, ..dest },
                [source, lane(3), Operand::NONE],
            ),
        ];
        for (operator, dest, sources) in steps {
            self.expand(out, &Operation { operator, dest, sources }, span)?;
        }
        Ok(())
    }

    /// Puts an operation of a macro into a slot of its own.
    pub(super) fn expand(&mut self, out: &mut Output, operation: &Operation, span: Span) -> Outcome<()> {
        match combine(core::slice::from_ref(operation), &[], self.options.mode) {
            Ok(paired) => {
                out.push(paired.slot, span, false);
                out.say(paired.said);
                if let Some(conflict) = paired.late {
                    self.note_stop(conflict, span);
                }
                Ok(())
            }
            Err(conflict) => {
                self.conflict(conflict, core::slice::from_ref(operation), span);
                Err(Reported)
            }
        }
    }
}
