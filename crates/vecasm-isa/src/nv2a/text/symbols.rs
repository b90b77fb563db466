//! The symbols of a text: registers, by what each operation reads and writes, and names for registers.
//!
//! The reader notes where operands stand (`Record`) while it reads operations, whatever the dialect.

use super::dialect::Dialect;
use super::options::ParseOptions;
use super::parse::{Output, inside};
use super::vp::{ATTRIBUTES, RESULTS};
use super::vsh::Reader;
use crate::nv2a::pair::{Dest, Operand, Operation, Operator, Target};
use crate::nv2a::program::Mux;
use crate::nv2a::rules::lanes_read;
use crate::nv2a::table::{self, PAIRED_TEMPORARY};
use crate::symbols::{Collector, Mention, Place, Role, SymbolKind, Symbols};
use crate::text::Cursor as _;
use alloc::format;
use alloc::string::ToString as _;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::WriteMask;

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Register {
    Temporary(u8),
    Attribute(u8),
    /// The number as the text has it, or that some of them are meant.
    Constant(Option<i32>),
    Output(u8),
    Address,
}

/// An operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    span: Span,
    register: Register,
    /// Where a name stands for it.
    alias: Option<Span>,
}

/// A use of a register, before it is known where its statement ends.
#[derive(Clone, Copy, Debug)]
struct Found {
    mark: Mark,
    by: Mention,
    role: Role,
    lanes: WriteMask,
    /// Whether the scalar unit may do it.
    scalar: bool,
}

/// What a reader notes of a text.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// The operands of the operation that is being read.
    pub(super) marks: Vec<Mark>,
    /// What was found in the statement that is being read.
    found: Vec<Found>,
    /// The address register in the index of the operand that is being read.
    pub(super) address: Option<Span>,
    /// The name in the operand that is being read.
    pub(super) name: Option<Span>,
    out: Collector,
    extension: bool,
}

/// The symbols of the program of a text; of several the first.
pub fn symbols(text: &str, options: &ParseOptions) -> Symbols {
    let alone = inside(text, options).map(|inside| inside.0);
    let (text, dialect) = match &alone {
        Some(alone) => (&*alone.text, alone.dialect),
        None => (text, options.dialect_of(text)),
    };
    let mut reader = Reader::new(text, *options);
    reader.record = Some(Record { extension: dialect == Dialect::Vp, ..Record::default() });
    let mut out = Output::default();
    match dialect {
        Dialect::Vsh => reader.read(&mut out),
        Dialect::Vp => reader.read_vp(&mut out),
        Dialect::Xvs => reader.read_xvs(&mut out),
        Dialect::Xemu => reader.read_xemu(&mut out),
        // Only words are there.
        Dialect::Log => {}
    }
    reader.record.take().unwrap_or_default().out.finish()
}

impl Reader<'_> {
    /// Notes a destination that begins at `start` and ends here.
    pub(super) fn mark_dest(&mut self, start: usize, target: Target) {
        if self.record.is_none() {
            return;
        }
        let bias = self.shown_bias();
        let register = match target {
            Target::Temporary(n) => Register::Temporary(n),
            Target::Output(n) => Register::Output(n),
            Target::Constant(n) => Register::Constant(Some(i32::from(n) - bias)),
            Target::Address => Register::Address,
        };
        self.mark(start, register);
    }

    /// Notes a source that begins at `start` and ends here.
    pub(super) fn mark_source(&mut self, start: usize, operand: &Operand) {
        if self.record.is_none() {
            return;
        }
        let bias = self.shown_bias();
        let register = match operand.mux {
            Mux::Temporary => Register::Temporary(operand.number),
            Mux::Constant if operand.relative => Register::Constant(None),
            Mux::Constant => Register::Constant(Some(i32::from(operand.number) - bias)),
            Mux::Attribute | Mux::Undefined => Register::Attribute(operand.number),
        };
        self.mark(start, register);
    }

    fn shown_bias(&self) -> i32 {
        if self.extension { table::DIRECT3D_BIAS } else { self.options.numbering.bias() }
    }

    fn mark(&mut self, start: usize, register: Register) {
        let span = Span::new(start, self.at);
        let Some(record) = &mut self.record else { return };
        let alias = record.name.take();
        record.marks.push(Mark { span, register, alias });
        if let Some(span) = record.address.take() {
            let mark = Mark { span, register: Register::Address, alias: None };
            let (by, role, lanes) = (Mention::Name, Role::Read, WriteMask::X);
            record.found.push(Found { mark, by, role, lanes, scalar: false });
        }
    }

    /// Number of operands that were noted.
    pub(super) fn marks(&self) -> usize {
        self.record.as_ref().map_or(0, |record| record.marks.len())
    }

    /// Says what the operands from `first` on are: the destination and the sources of an operation.
    pub(super) fn used(&mut self, first: usize, operation: &Operation) {
        let Some(record) = &mut self.record else { return };
        let Operation { operator, dest, sources } = *operation;
        let scalar = !matches!(operator, Operator::Mac(_));
        let mut marks: Vec<Mark> = record.marks.drain(first.min(record.marks.len())..).collect();
        if marks.is_empty() {
            return;
        }
        let target = marks.remove(0);
        let lanes = dest.lanes();
        record.found.push(Found { mark: target, by: Mention::Name, role: Role::Write, lanes, scalar });
        for (n, (mark, source)) in marks.into_iter().zip(sources).enumerate() {
            let lanes = source.swizzle.read_mask(lanes_read(operator, n, lanes));
            record.found.push(Found { mark, by: Mention::Name, role: Role::Read, lanes, scalar });
        }
    }

    /// Says what the operands from `first` on are: those of a product with the rows of a matrix.
    pub(super) fn used_matrix(
        &mut self,
        first: usize,
        dest: Dest,
        source: &Operand,
        operator: Operator,
        rows: u8,
    ) {
        let Some(record) = &mut self.record else { return };
        let marks: Vec<Mark> = record.marks.drain(first.min(record.marks.len())..).collect();
        let [target, vector, matrix] = marks[..] else { return };
        let written = Dest { mask: WriteMask::first(rows), ..dest }.lanes();
        let needed = lanes_read(operator, 0, WriteMask::X);
        let found = |mark, by, role, lanes| Found { mark, by, role, lanes, scalar: false };
        record.found.push(found(target, Mention::Name, Role::Write, written));
        record.found.push(found(vector, Mention::Name, Role::Read, source.swizzle.read_mask(needed)));
        for row in 0..rows {
            let Register::Constant(number) = matrix.register else { continue };
            let register = Register::Constant(number.map(|number| number + i32::from(row)));
            let by = if row == 0 || number.is_none() { Mention::Name } else { Mention::Run };
            record.found.push(found(Mark { register, ..matrix }, by, Role::Read, needed));
        }
    }

    /// Says what the operands from `first` on are: a result, a vector, and a scratch register.
    pub(super) fn used_scratch(&mut self, first: usize, dest: Dest, source: &Operand, scratch: WriteMask) {
        let Some(record) = &mut self.record else { return };
        let marks: Vec<Mark> = record.marks.drain(first.min(record.marks.len())..).collect();
        let [target, vector, own] = marks[..] else { return };
        let written = Dest { mask: WriteMask::XYZ, ..dest }.lanes();
        let found = |mark, role, lanes| Found { mark, by: Mention::Name, role, lanes, scalar: false };
        record.found.push(found(target, Role::Write, written));
        record.found.push(found(vector, Role::Read, source.swizzle.read_mask(WriteMask::XYZ)));
        record.found.push(found(own, Role::ReadWrite, scratch));
    }

    /// Says that the last operand is a constant that gets a value.
    pub(super) fn used_definition(&mut self) {
        let Some(record) = &mut self.record else { return };
        if let Some(mark) = record.marks.pop() {
            let (by, role, lanes) = (Mention::Name, Role::Define, WriteMask::ALL);
            record.found.push(Found { mark, by, role, lanes, scalar: false });
        }
    }

    /// The scalar unit writes R1 where the statement names another temporary.
    pub(super) fn used_renamed(&mut self, named: u8) {
        let Some(record) = &mut self.record else { return };
        let is =
            |it: &&mut Found| it.scalar && it.role.writes() && it.mark.register == Register::Temporary(named);
        if let Some(it) = record.found.iter_mut().rev().find(is) {
            (it.mark.register, it.by) = (Register::Temporary(PAIRED_TEMPORARY as u8), Mention::Alias);
        }
    }

    /// Notes a name for `rows` constants from `base` on, which stand at `constants`.
    pub(super) fn declared(&mut self, name: Span, constants: Span, base: i32, rows: u32) {
        let bias = self.shown_bias();
        let Some(record) = &mut self.record else { return };
        let name = Span { start: name.start + 1, ..name };
        let statement = Span { start: name.start - 1, end: constants.end };
        let spelled = self.text.get(name.start as usize..name.end as usize).unwrap_or("");
        record.out.name(SymbolKind::Alias, spelled, Place::named(name, statement), Role::Define);
        for row in 0..rows {
            let register = Register::Constant(Some(base + row as i32 - bias));
            let place = Place { span: constants, statement, by: Mention::Alias };
            record.register(register, place, Role::Declare, WriteMask::ALL);
        }
    }

    /// Notes a name that stands for the last operand in a language of which only parts are read.
    pub(super) fn declared_foreign(&mut self, name: Span) {
        let Some(record) = &mut self.record else { return };
        let spelled = self.text.get(name.start as usize..name.end as usize).unwrap_or("");
        record.out.name(SymbolKind::Alias, spelled, Place::named(name, name), Role::Define);
        record.out.fix(SymbolKind::Alias, spelled);
    }

    /// Ends a statement that begins at `start`.
    pub(super) fn close_statement(&mut self, start: usize) {
        let Some(mut record) = self.record.take() else { return };
        let statement = self.taken(start).trim_end().len();
        let statement = Span::new(start, start + statement);
        let (found, marks) = (core::mem::take(&mut record.found), core::mem::take(&mut record.marks));
        let (by, role, lanes) = (Mention::Name, Role::Name, WriteMask::NONE);
        let left = marks.into_iter().map(|mark| Found { mark, by, role, lanes, scalar: false });
        for Found { mark, by, role, lanes, .. } in found.into_iter().chain(left) {
            let place = Place { span: mark.span, statement, by };
            match mark.alias {
                Some(name) => {
                    let spelled = self.text.get(name.start as usize..name.end as usize).unwrap_or("");
                    let named = Place::named(name, statement);
                    record.out.lanes(SymbolKind::Alias, spelled, named, role, lanes);
                    record.register(mark.register, place.mentioned(Mention::Alias), role, lanes);
                }
                None => record.register(mark.register, place, role, lanes),
            }
        }
        (record.address, record.name) = (None, None);
        self.record = Some(record);
    }
}

impl Record {
    fn register(&mut self, register: Register, place: Place, role: Role, lanes: WriteMask) {
        if matches!(register, Register::Temporary(n) if u32::from(n) == table::POSITION_SHADOW) {
            // It reads what was written there.
            self.only(Register::Output(0), place.mentioned(Mention::Alias), role, lanes);
        }
        self.only(register, place, role, lanes);
    }

    /// A register, without what it stands for.
    fn only(&mut self, register: Register, mut place: Place, role: Role, lanes: WriteMask) {
        let named =
            |list: &[(&'static str, u8)], number| list.iter().find(|row| row.1 == number).map(|row| row.0);
        let temporary = if self.extension { "R" } else { "r" };
        let (kind, name, file, number) = match register {
            Register::Temporary(n) => {
                (SymbolKind::Temporary, format!("{temporary}{n}"), temporary, Some(n.into()))
            }
            Register::Attribute(n) => {
                let name = match named(ATTRIBUTES, n) {
                    Some(name) if self.extension => format!("v[{name}]"),
                    None if self.extension => format!("v[{n}]"),
                    _ => format!("v{n}"),
                };
                (SymbolKind::Input, name, "v", Some(n.into()))
            }
            Register::Constant(None) => {
                place = place.mentioned(Mention::Index);
                (SymbolKind::Constant, "c[]".into(), "c", None)
            }
            Register::Constant(Some(n)) if self.extension => {
                (SymbolKind::Constant, format!("c[{n}]"), "c", Some(n))
            }
            Register::Constant(Some(n)) => (SymbolKind::Constant, format!("c{n}"), "c", Some(n)),
            Register::Output(n) => {
                let name = match (named(RESULTS, n), table::output(n.into())) {
                    (Some(name), _) if self.extension => format!("o[{name}]"),
                    (_, Some(output)) => output.short.to_string(),
                    _ => format!("o{n}"),
                };
                (SymbolKind::Output, name, "o", Some(n.into()))
            }
            Register::Address => {
                let name = if self.extension { "A0" } else { "a0" };
                (SymbolKind::Address, name.into(), name, None)
            }
        };
        self.out.register(kind, (&name, file, number), place, role, lanes);
    }
}
