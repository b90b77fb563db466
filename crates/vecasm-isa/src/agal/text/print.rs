//! Printing programs.
//!
//! Whether a token can be said in the normal syntax is decided by construction: its fields are put together again
//! without everything the syntax cannot say, and the words are compared (`sayable`). The parser is not asked.

use super::options::{self, Field};
use crate::agal::program::{Dest, Header, Program, RegType, Sampler, Source, Stage, Token};
use crate::agal::table::Opcode;
use crate::table::{Lift, Shape, Stages};
use crate::text::numbers::push_decimal;
use crate::to_hex;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Write as _;
use vecasm_ir::operand::{LANES, Swizzle, WriteMask};

/// How [`print()`] writes a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Style {
    /// A text that [`parse`](super::parse::parse) turns back into the same program, whatever the program is. What
    /// the normal syntax cannot say is written with the directives `.header`, `.token` and `.tail`.
    #[default]
    Lossless,
    /// Lines for Adobe's AGALMiniAssembler, without directives. Stage and version have to be given to the assembler.
    /// A token that no line can say becomes a comment.
    Mini,
    /// The way Adobe's C++ disassembler writes: a comment with stage and version, `rgba` letters in fragment
    /// programs, swizzles of four letters, `m43` for `m34`. Meant for reading; neither assembler takes it back.
    Adobe,
}

impl Style {
    /// Every style.
    pub const ALL: [Self; 3] = [Self::Lossless, Self::Mini, Self::Adobe];

    /// `lossless`, `mini` or `adobe`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lossless => "lossless",
            Self::Mini => "mini",
            Self::Adobe => "adobe",
        }
    }
}

vecasm_ir::spelled!(Style, "style");

/// What [`print()`] is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct PrintOptions {
    /// The way of writing.
    pub style: Style,
}

/// The program as text, one line a token. Never fails; see [`Style`] for what the text is good for.
pub fn print(program: &Program, options: &PrintOptions) -> String {
    let (stage, version) = (program.stage(), program.version());
    let mut out = String::with_capacity(program.tokens.len().saturating_mul(32));
    match options.style {
        Style::Lossless => {
            out.push_str(&header(&program.header));
            for token in &program.tokens {
                if sayable(stage, version, token) {
                    push_instruction(&mut out, stage, version, token);
                } else {
                    push_raw(&mut out, stage, version, token);
                }
                out.push('\n');
            }
            if !program.tail.is_empty() {
                let _ = writeln!(out, ".tail {}", to_hex(&program.tail));
            }
        }
        Style::Mini => {
            for token in &program.tokens {
                // No published version of the assembler has `ted`.
                let known = token.operation(version) != Some(Opcode::Ted);
                if !known || !fits(stage, version, token, true) {
                    out.push_str("// ");
                    push_raw(&mut out, stage, version, token);
                } else {
                    push_instruction(&mut out, stage, version, token);
                }
                out.push('\n');
            }
        }
        Style::Adobe => {
            let _ = writeln!(out, "//{} program (agal {version})", stage.name());
            for token in &program.tokens {
                Writer { out: &mut out, stage, adobe: true }.instruction(version, token);
                out.push('\n');
            }
        }
    }
    out
}

/// One token in normal syntax, on one line. Never fails: a field that the syntax cannot say is written as far as it
/// is understood (unknown register types as `?9:5`, an empty write mask as `.none`), and bits that mean nothing are
/// named behind the instruction.
///
/// Used by diagnostics and by comments in generated code.
pub fn instruction(stage: Stage, version: u32, token: &Token) -> String {
    let mut out = String::new();
    push_instruction(&mut out, stage, version, token);
    let residue = |name: &str, bits: u64, out: &mut String| {
        if bits != 0 {
            let _ = write!(out, " [{name} bits {bits:x}]");
        }
    };
    let shown = shown(version, token);
    residue("dest", u64::from(shown.dest.0 ^ token.dest.0), &mut out);
    residue("source 1", shown.src1.0 ^ token.src1.0, &mut out);
    residue("source 2", shown.src2.0 ^ token.src2.0, &mut out);
    out
}

/// The directive for a header: `.agal STAGE VERSION` if it is regular and the version is known, else `.header HEX`.
fn header(header: &Header) -> String {
    match header.stage() {
        Some(stage) if *header == Header::new(stage, header.version()) && is_known(header.version()) => {
            format!(".agal {} {}\n", stage.name(), header.version())
        }
        stage => {
            let note = match stage {
                Some(stage) if header.is_regular() => {
                    format!("  // {}, version word {}", stage.name(), header.version_word())
                }
                _ => "  // not a regular header".to_string(),
            };
            let hex = if header.bytes().is_empty() { "-".to_string() } else { to_hex(header.bytes()) };
            format!(".header {hex}{note}\n")
        }
    }
}

/// Whether AGAL has that version.
pub(super) fn is_known(version: u32) -> bool {
    (1..=4).contains(&version)
}

/// `.token OPCODE DEST SRC1 SRC2  // what it would be`
fn push_raw(out: &mut String, stage: Stage, version: u32, token: &Token) {
    let (op, dest, src1, src2) = (token.opcode, token.dest.0, token.src1.0, token.src2.0);
    let _ = write!(out, ".token {op:08x} {dest:08x} {src1:016x} {src2:016x}  // ");
    out.push_str(&instruction(stage, version, token));
}

fn push_instruction(out: &mut String, stage: Stage, version: u32, token: &Token) {
    Writer { out, stage, adobe: false }.instruction(version, token);
}

/// Number of registers of a type that can be named in programs of `stage` and `version`.
pub(super) fn nameable(ty: RegType, stage: Stage, version: u32) -> u32 {
    if ty == RegType::Attribute && stage == Stage::Fragment { 0 } else { ty.count(stage, version) }
}

/// Whether the strict syntax has the operation in programs of `stage` and `version`.
pub(super) fn has_operation(op: Opcode, stage: Stage, version: u32) -> bool {
    let row = op.row();
    is_current(op) && (row.since..=row.until).contains(&version.clamp(1, 4)) && in_stage(row.stages, stage)
}

/// Whether `stages` holds `stage`.
pub(super) fn in_stage(stages: Stages, stage: Stage) -> bool {
    match stage {
        Stage::Vertex => stages.has(Stages::V),
        Stage::Fragment => stages.has(Stages::F),
    }
}

/// Whether the operation has a meaning; the strict syntax leaves out what no player ever implemented.
pub(super) fn is_current(op: Opcode) -> bool {
    !matches!(op.row().lift, Lift::Reserved)
}

/// Whether the normal syntax can say all bits of `token`.
pub fn sayable(stage: Stage, version: u32, token: &Token) -> bool {
    fits(stage, version, token, false)
}

fn fits(stage: Stage, version: u32, token: &Token, reserved_ops: bool) -> bool {
    let Some(op) = token.operation(version) else { return false };
    let row = op.row();
    let reserved = reserved_ops && !is_current(op);
    if !reserved && !has_operation(op, stage, version) {
        return false;
    }
    let mut again = Token { opcode: row.code, ..Token::default() };
    if row.has_dst() {
        let Some(dest) = plain_dest(token.dest, stage, version) else { return false };
        again.dest = dest;
    }
    for (i, shape) in row.sources().iter().enumerate() {
        let operand = if i == 0 { token.src1 } else { token.src2 };
        let plain = match shape {
            Shape::Sampler => plain_sampler(operand.sampler(), stage, version),
            _ => plain_source(operand, stage, version),
        };
        let Some(plain) = plain else { return false };
        if i == 0 {
            again.src1 = plain;
        } else {
            again.src2 = plain;
        }
    }
    again == *token
}

fn known(ty: Option<RegType>, number: u16, stage: Stage, version: u32) -> Option<RegType> {
    ty.filter(|&ty| u32::from(number) < nameable(ty, stage, version))
}

fn plain_dest(dest: Dest, stage: Stage, version: u32) -> Option<Dest> {
    let ty = known(dest.reg_type(), dest.number(), stage, version)?;
    (dest.mask() != WriteMask::NONE).then(|| Dest::new(ty, dest.number(), dest.mask()))
}

fn plain_source(source: Source, stage: Stage, version: u32) -> Option<Source> {
    if !source.is_indirect() {
        let ty = known(source.reg_type(), source.number(), stage, version)?;
        return Some(Source::direct(ty, source.number(), source.swizzle()));
    }
    let index = known(source.index_type(), source.number(), stage, version).filter(|&ty| can_index(ty))?;
    let outer = source.reg_type().filter(|&ty| ty == RegType::Constant && stage == Stage::Vertex)?;
    let (number, component) = (source.number(), source.index_component());
    Some(Source::indirect(outer, source.offset(), source.swizzle(), index, number, component))
}

/// Whether a register of that type can stand in `vc[…]`.
pub(super) fn can_index(ty: RegType) -> bool {
    matches!(ty, RegType::Attribute | RegType::Constant | RegType::Temporary)
}

fn plain_sampler(sampler: Sampler, stage: Stage, version: u32) -> Option<Source> {
    let ty = known(RegType::from_code(sampler.type_byte()), sampler.number(), stage, version)?;
    if ty != RegType::Sampler {
        return None;
    }
    for field in Field::ALL {
        if field != Field::Special {
            options::name_of(field, field.get(sampler))?;
        }
    }
    let known_flags = Sampler::CENTROID | Sampler::SINGLE | Sampler::IGNORE_SAMPLER;
    (sampler.special() & !known_flags == 0 && sampler.reserved() == 0).then_some(Source(sampler.0))
}

/// `token` without the bits that [`Writer::instruction`] does not show.
fn shown(version: u32, token: &Token) -> Token {
    let Some(op) = token.operation(version) else { return *token };
    let mut out = Token { opcode: token.opcode, ..Token::default() };
    if op.row().has_dst() {
        out.dest = Dest(token.dest.0 & 0xff0f_ffff);
    }
    for (i, shape) in op.row().sources().iter().enumerate() {
        let operand = if i == 0 { token.src1 } else { token.src2 };
        let mask = match shape {
            Shape::Sampler => 0xffff_ffff_00ff_ffff,
            _ if operand.is_indirect() => 0x8003_ffff_ffff_ffff,
            _ => 0x0000_00ff_ff00_ffff,
        };
        let kept = Source(operand.0 & mask);
        if i == 0 {
            out.src1 = kept;
        } else {
            out.src2 = kept;
        }
    }
    out
}

/// Writes instructions in our own style or in that of Adobe's C++ disassembler.
struct Writer<'a> {
    out: &'a mut String,
    stage: Stage,
    adobe: bool,
}

impl Writer<'_> {
    fn instruction(&mut self, version: u32, token: &Token) {
        let Some(op) = token.operation(version) else {
            let _ = write!(self.out, "?{:02x} ", token.opcode);
            self.dest(token.dest);
            self.out.push_str(", ");
            self.source(token.src1, false);
            self.out.push_str(", ");
            self.source(token.src2, false);
            return;
        };
        let row = op.row();
        self.out.push_str(if self.adobe && op == Opcode::M34 { "m43" } else { row.name });
        let mut sources = [token.src1, token.src2].into_iter();
        for (i, shape) in row.shape.iter().enumerate() {
            self.out.push_str(if i == 0 { " " } else { ", " });
            if *shape == Shape::Dst {
                self.dest(token.dest);
                continue;
            }
            let Some(source) = sources.next() else { break };
            match shape {
                Shape::Sampler => self.sampler(source.sampler()),
                Shape::Rows3 | Shape::Rows4 => self.source(source, self.adobe),
                _ => self.source(source, false),
            }
        }
    }

    fn register(&mut self, type_byte: u8, number: u16) {
        let Some(ty) = RegType::from_code(type_byte) else {
            let _ = write!(self.out, "?{type_byte:x}:{number}");
            return;
        };
        let single = matches!(ty, RegType::Output | RegType::Depth | RegType::InstanceId);
        let name = match ty {
            RegType::Output if number != 0 && self.stage == Stage::Fragment => "fo",
            _ => ty.name(self.stage),
        };
        self.out.push_str(name);
        if !single || number != 0 {
            self.number(number);
        }
    }

    fn number(&mut self, number: u16) {
        push_decimal(self.out, number.into());
    }

    fn letters(&mut self, lanes: impl Iterator<Item = usize>) {
        let names = if self.adobe && self.stage == Stage::Fragment { ['r', 'g', 'b', 'a'] } else { LANES };
        self.out.push('.');
        for lane in lanes {
            self.out.push(names[lane & 3]);
        }
    }

    fn dest(&mut self, dest: Dest) {
        self.register(dest.type_byte(), dest.number());
        match dest.mask() {
            WriteMask::ALL => {}
            WriteMask::NONE => self.out.push_str(".none"),
            mask => self.letters(mask.lanes()),
        }
    }

    /// `full`: write the swizzle even if it is the identity.
    fn source(&mut self, source: Source, full: bool) {
        if source.is_indirect() {
            let outer = source.type_byte();
            match RegType::from_code(outer) {
                Some(ty) => self.out.push_str(ty.name(self.stage)),
                None => {
                    let _ = write!(self.out, "?{outer:x}:");
                }
            }
            self.out.push('[');
            self.register(source.index_type_byte(), source.number());
            self.letters(core::iter::once(source.index_component().into()));
            let _ = match (self.adobe, source.offset()) {
                (true, offset) => write!(self.out, "{:+}", offset as i8),
                (false, 0) => Ok(()),
                (false, offset) => write!(self.out, "+{offset}"),
            };
            self.out.push(']');
        } else {
            self.register(source.type_byte(), source.number());
        }
        if source.swizzle() == Swizzle::IDENTITY && !full {
            return;
        }
        let lanes = source.swizzle().lanes();
        let mut n = lanes.len();
        while !self.adobe && n > 1 && lanes[n - 1] == lanes[n - 2] {
            n -= 1;
        }
        self.letters(lanes[..n].iter().map(|&lane| lane.into()));
    }

    fn sampler(&mut self, sampler: Sampler) {
        self.register(sampler.type_byte(), sampler.number());
        self.out.push_str(" <");
        let comma = if self.adobe { ", " } else { "," };
        for field in Field::ALL {
            let value = field.get(sampler);
            if field == Field::Special {
                self.bias(sampler, comma);
                for flag in [Sampler::CENTROID, Sampler::SINGLE, Sampler::IGNORE_SAMPLER, 8] {
                    if value & flag != 0 {
                        let name = options::name_of(field, flag).unwrap_or("special8");
                        let _ = write!(self.out, "{comma}{name}");
                    }
                }
                continue;
            }
            // Adobe's disassembler leaves the format out.
            if field == Field::Format && (value == 0 || self.adobe) {
                continue;
            }
            if field != Field::Dim {
                self.out.push_str(comma);
            }
            match options::name_of(field, value) {
                Some("mipnone") if self.adobe => self.out.push_str("nomip"),
                Some(name) => self.out.push_str(name),
                None => {
                    let _ = write!(self.out, "{} {value}", field.name());
                }
            }
        }
        self.out.push('>');
    }

    fn bias(&mut self, sampler: Sampler, comma: &str) {
        let eighths = sampler.bias_eighths();
        if eighths == 0 {
            return;
        }
        self.out.push_str(comma);
        let bias = f32::from(eighths) / 8.0;
        let _ = if self.adobe { write!(self.out, "{bias:.6}") } else { write!(self.out, "{bias}") };
    }
}
