//! The symbols of a text: registers, by what each instruction reads and writes.

use super::encode::Encoder;
use super::errors::{Findings, id};
use super::parse::{ParseOptions, header};
use super::registers;
use super::syntax::{Index, Instruction, Line, MAX_OPERANDS, Operand, lines};
use crate::agal::program::{RegType, Stage, Token};
use crate::agal::reads;
use crate::agal::table::Opcode;
use crate::symbols::{Collector, Mention, Place, Role, SymbolKind, Symbols};
use crate::table::Shape;
use alloc::format;
use alloc::string::String;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::WriteMask;

/// A register: its file, and its number, unless a computed one chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Register {
    ty: RegType,
    number: Option<u16>,
}

/// A use of a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) register: Register,
    /// The register that stands there; another one in the rows of a matrix.
    pub(super) first: Register,
    pub(super) place: Place,
    pub(super) role: Role,
    pub(super) lanes: WriteMask,
}

/// The symbols of a text. The stage and version are those that the text does not say.
pub fn symbols(text: &str, options: &ParseOptions) -> Symbols {
    if super::macros::looks_like(text) {
        return super::macros::symbols(text, options);
    }
    let mut out = Collector::default();
    walk(text, options, &mut |stage, found| add(&mut out, stage, &found));
    out.finish()
}

/// Notes a use of a register.
pub(super) fn add(out: &mut Collector, stage: Stage, found: &Found) {
    let (name, file) = found.register.name(stage);
    let number = found.register.number.filter(|_| name != file).map(i32::from);
    out.register(found.register.kind(stage), (&name, file, number), found.place, found.role, found.lanes);
}

/// Calls `found` for every use of a register in a text without macros.
pub(super) fn walk(text: &str, options: &ParseOptions, found: &mut dyn FnMut(Stage, Found)) {
    let mut findings = Findings::counting();
    let header = header(text, options, &mut findings);
    let stage = header.and_then(|header| header.stage()).unwrap_or(Stage::Fragment);
    let version = header.map_or(1, |header| header.version());
    let mut encoder = Encoder::new(stage, version);
    for Line { code, .. } in lines(text) {
        if code.is_empty() || code.text.starts_with('.') {
            continue;
        }
        // What stands in the way of one line does not matter to the others.
        let mut findings = Findings::new(id::MORE);
        let cut = Instruction::cut(code, &mut findings);
        let token = encoder.encode(&cut, &mut findings).filter(|_| !findings.has_errors());
        let operands = cut.operands.iter().take(cut.count.min(MAX_OPERANDS));
        let operands = operands.map(|operand| Operand::cut(*operand, &mut Findings::counting()));
        let mut operands = operands.enumerate();
        let mut sink = |it: Found| found(stage, it);
        match token.and_then(|token| Some((token, Opcode::from_code(token.opcode, version)?))) {
            Some((token, op)) => {
                let shapes = op.row().shape.iter();
                let operands =
                    operands.zip(shapes).filter_map(|((n, operand), shape)| Some((n, operand?, *shape)));
                instruction(code.span(), &token, op, operands, &mut sink);
            }
            None => operands.by_ref().filter_map(|(_, operand)| operand).for_each(|operand| {
                let Some(register) = Register::of(&operand) else { return };
                let place = Place::named(span_of(&operand), code.span());
                sink(Found { register, first: register, place, role: Role::Name, lanes: WriteMask::NONE });
            }),
        }
    }
}

/// The name of an operand, with its index.
fn span_of(operand: &Operand<'_>) -> Span {
    let end = operand.index.map_or(operand.number.end().max(operand.name.end()), |index| index.whole.end());
    Span::new(operand.name.at, end)
}

fn instruction<'a>(
    statement: Span,
    token: &Token,
    op: Opcode,
    operands: impl Iterator<Item = (usize, Operand<'a>, Shape)>,
    found: &mut dyn FnMut(Found),
) {
    let written = reads::written(op, token.dest.mask());
    let before = usize::from(op.row().has_dst());
    for (n, operand, shape) in operands {
        let place = Place::named(span_of(&operand), statement);
        let Some(first) = Register::of(&operand) else { continue };
        if shape == Shape::Dst {
            found(Found { register: first, first, place, role: Role::Write, lanes: written });
            continue;
        }
        if let Some(index) = operand.index {
            self::index(&index, statement, found);
        }
        let sampler = op.row().shape.contains(&Shape::Sampler).then(|| token.src2.sampler());
        let needed = reads::lanes(op, n - before, written, sampler);
        let source = if n == before { token.src1 } else { token.src2 };
        let lanes = match (shape, first.ty) {
            (Shape::Sampler, _) => WriteMask::NONE,
            (_, ty) => reads::of_register(ty, source.swizzle().read_mask(needed)),
        };
        let rows = u16::from(shape.rows());
        let read = Found { register: first, first, place, role: Role::Read, lanes };
        match first.number {
            Some(number) if rows > 1 => {
                for row in (0..rows).filter(|row| written.has(usize::from(*row))) {
                    let register = Register { number: Some(number.saturating_add(row)), ..first };
                    let place = if row == 0 { place } else { place.mentioned(Mention::Run) };
                    found(Found { register, place, ..read });
                }
            }
            Some(_) => found(read),
            None => found(Found { place: place.mentioned(Mention::Index), ..read }),
        }
    }
}

/// The register in the brackets of `vc[…]`.
fn index(index: &Index<'_>, statement: Span, found: &mut dyn FnMut(Found)) {
    let Some(name) = registers::by_name(index.name.text) else { return };
    let register = Register { ty: name.ty, number: Some(super::parse::number_of(index.number) as u16) };
    let span = Span::new(index.name.at, index.number.end().max(index.name.end()));
    let lanes = WriteMask::lane(index.component.unwrap_or(0).into());
    let place = Place::named(span, statement);
    found(Found { register, first: register, place, role: Role::Read, lanes });
}

impl Register {
    /// What an operand names.
    fn of(operand: &Operand<'_>) -> Option<Self> {
        let ty = registers::by_name(operand.name.text)?.ty;
        let number = super::parse::number_of(operand.number);
        Some(Self { ty, number: operand.index.is_none().then_some(number.min(0xffff) as u16) })
    }

    /// What a word names: `vt0`, `op`, `vc[va0.x+4]`.
    pub(super) fn of_word(word: crate::text::Word<'_>) -> Option<Self> {
        Self::of(&Operand::cut(word, &mut Findings::counting())?)
    }

    /// Its name, and its file.
    fn name(self, stage: Stage) -> (String, &'static str) {
        let file = self.ty.name(stage);
        let name = match (self.ty, self.number) {
            (_, None) => format!("{file}[]"),
            (RegType::Depth | RegType::InstanceId, _) | (RegType::Output, Some(0)) => file.into(),
            (RegType::Output, Some(number)) => return (format!("fo{number}"), "fo"),
            (_, Some(number)) => format!("{file}{number}"),
        };
        (name, file)
    }

    fn kind(self, stage: Stage) -> SymbolKind {
        match self.ty {
            RegType::Attribute => SymbolKind::Input,
            RegType::Constant => SymbolKind::Constant,
            RegType::Temporary => SymbolKind::Temporary,
            RegType::Varying if stage == Stage::Fragment => SymbolKind::Input,
            RegType::Output | RegType::Varying | RegType::Depth => SymbolKind::Output,
            RegType::Sampler => SymbolKind::Sampler,
            RegType::InstanceId => SymbolKind::System,
        }
    }
}
