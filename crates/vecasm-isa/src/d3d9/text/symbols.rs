//! The symbols of a text: registers by what each instruction reads and writes, and the names that the preprocessor knows.
//!
//! The reader notes where operands stand (`Record`), the preprocessor where its names do (`NameRecord`). What an instruction does
//! with its operands is what the rules know of its words.

use super::preprocess::{self, Include, Options, Origin, Preprocessed};
use super::{enclosed, operands, parse};
use crate::d3d9::program::{Stage, Version};
use crate::d3d9::reads::{self, Control};
use crate::d3d9::registers::{RegType, spelling};
use crate::d3d9::rules::code::{Code, Index, Instruction, Read, Register, Write};
use crate::d3d9::table::Opcode;
use crate::symbols::{Collector, Mention, Place, Role, Scope, SymbolKind, Symbols};
use crate::table::Shape;
use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::WriteMask;

/// Where the statements and operands of a text stand.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// Operands, in the order of the text.
    pub(super) marks: Vec<Mark>,
    /// Statements, in the order of the text.
    pub(super) statements: Vec<Statement>,
    /// The register in the index of the operand that is being read.
    pub(super) index: Option<Span>,
}

/// An operand.
#[derive(Debug)]
pub(super) struct Mark {
    /// Its name, with the brackets of an index.
    span: Span,
    ty: RegType,
    number: u16,
    relative: bool,
    /// The register of its index.
    index: Option<Span>,
}

/// A statement behind the model.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) span: Span,
    /// Its first word in the program.
    pub(super) word: u32,
    /// Its operands.
    pub(super) marks: Range<usize>,
    /// Whether it could be read.
    pub(super) good: bool,
}

impl Record {
    /// Notes an operand.
    pub(super) fn register(&mut self, span: Span, ty: RegType, number: u16, relative: bool) {
        let index = self.index.take();
        self.marks.push(Mark { span, ty, number, relative, index });
    }
}

/// What a preprocessor notes of its names.
#[derive(Debug)]
pub(super) struct NameRecord {
    /// Names in the text itself.
    pub(super) out: Collector,
    /// Where macros are named already, and how.
    seen: BTreeSet<(u32, Role)>,
    /// Where words in macros stood for themselves.
    kept: BTreeSet<u32>,
    /// Macros that other files define or use, and those that another name would change.
    fixed: BTreeSet<String>,
}

impl NameRecord {
    fn new(text: &str) -> Self {
        let out = Collector::with_macros(text);
        Self { out, seen: BTreeSet::new(), kept: BTreeSet::new(), fixed: BTreeSet::new() }
    }

    /// Notes the name of a macro in the text, unless it is noted already: a body is expanded many times.
    pub(super) fn named(&mut self, name: &str, span: Span, statement: Span, role: Role) -> Option<Scope> {
        if !self.seen.insert((span.start, role)) {
            return None;
        }
        if self.kept.contains(&span.start) {
            self.fix(name);
        }
        Some(self.out.name(SymbolKind::Macro, name, Place::named(span, statement), role))
    }

    /// Notes that a word stands for itself. `known` is whether it is a macro all the same, `body` whether it stands in one of the text,
    /// where it may stand for something at another time.
    pub(super) fn stands(&mut self, name: &str, start: u32, known: bool, body: bool) {
        let seen = |role| self.seen.contains(&(start, role));
        if known || body && (seen(Role::Name) || seen(Role::Expand)) {
            self.fix(name);
        }
        if body {
            self.kept.insert(start);
        }
    }

    /// Notes that another name would change the program, or that other files have it.
    pub(super) fn fix(&mut self, name: &str) {
        if !self.fixed.contains(name) {
            self.fixed.insert(name.into());
        }
    }
}

/// The symbols of the program of that number in a text, from 1; 0 is the only one. `include` gives the files that it includes.
pub fn symbols(text: &str, options: &Options<'_>, number: usize, include: &mut Include<'_>) -> Symbols {
    let inside = enclosed::alone(text, number);
    let number = if matches!(inside, Cow::Owned(_)) { 0 } else { number };
    let mut noted = NameRecord::new(&inside);
    let done = preprocess::noting(&inside, options, include, &mut noted);
    let NameRecord { out, fixed, .. } = noted;
    let mut all = Gatherer { source: &inside, done: &done, version: Version(0), out };
    for name in &fixed {
        all.out.fix(SymbolKind::Macro, name);
    }
    if let Some((program, record)) = parse::record(&done.text, number) {
        let code = Code::new(&program);
        all.version = code.version;
        all.statements(&code, &record);
    }
    all.out.finish()
}

/// What is known while symbols are gathered.
struct Gatherer<'a> {
    source: &'a str,
    done: &'a Preprocessed,
    version: Version,
    out: Collector,
}

impl Gatherer<'_> {
    /// A place in the preprocessed text as one of the text itself, in a statement that comes from `around`; `None` if it is of an
    /// included file.
    fn place(&self, span: Span, around: Origin) -> Option<Place> {
        let origin = self.done.origin(span);
        if origin.file != 0 {
            return None;
        }
        let statement = if around.file == 0 && around.span.start <= origin.span.start {
            around.span
        } else {
            origin.span
        };
        let place = Place::named(origin.span, Span { end: statement.end.max(origin.span.end), ..statement });
        let same = slice(self.source, origin.span) == slice(&self.done.text, span);
        Some(if same { place } else { place.mentioned(Mention::Alias) })
    }

    fn statements(&mut self, code: &Code<'_>, record: &Record) {
        let mut instructions = code.instructions().peekable();
        for statement in &record.statements {
            let marks = record.marks.get(statement.marks.clone()).unwrap_or(&[]);
            let around = self.done.origin(statement.span);
            while instructions.peek().is_some_and(|i| i.item.start < statement.word) {
                instructions.next();
            }
            match instructions.peek().filter(|i| statement.good && i.item.start == statement.word) {
                Some(instruction) => self.instruction(instruction, marks, around),
                None => marks.iter().for_each(|mark| self.named_only(mark, around)),
            }
        }
    }

    /// An operand of a statement that could not be read.
    fn named_only(&mut self, mark: &Mark, around: Origin) {
        let Some(place) = self.place(mark.span, around) else { return };
        if let Some(register) = Register::new(Some(mark.ty), mark.number) {
            self.register(register, mark.relative, place, Role::Name, WriteMask::NONE);
        }
    }

    fn instruction(&mut self, i: &Instruction<'_>, marks: &[Mark], around: Origin) {
        let mut marks = marks.iter();
        if let Some((predicate, mark)) = i.predicate.and_then(|predicate| Some((predicate, marks.next()?))) {
            if let (Some(place), Some(register)) = (self.place(mark.span, around), predicate.register) {
                self.register(register, false, place, Role::Read, predicate.lanes);
            }
        }
        if let Some((write, mark)) = i.write.and_then(|write| Some((write, marks.next()?))) {
            self.write(i, &write, mark, around);
        }
        for read in i.reads() {
            self.read(i, read, marks.next(), around);
        }
    }

    fn write(&mut self, i: &Instruction<'_>, write: &Write, mark: &Mark, around: Origin) {
        self.index(write.index, mark, around);
        let (Some(place), Some(register)) = (self.place(mark.span, around), write.register) else {
            return;
        };
        let (role, lanes) = match i.op {
            Some(Opcode::Dcl) => (Role::Declare, write.mask()),
            Some(Opcode::Defb) => (Role::Define, WriteMask::X),
            Some(Opcode::Def | Opcode::Defi) => (Role::Define, WriteMask::ALL),
            Some(op) if reads::destination(op).is_some() => {
                (Role::Read, reads::destination(op).unwrap_or_default())
            }
            _ if is_scalar(register) => (Role::Write, WriteMask::X),
            _ => (Role::Write, i.written()),
        };
        self.register(register, write.index.is_some(), place, role, lanes);
        if i.op.is_some_and(reads::writes_depth) {
            if let Some(depth) = Register::new(Some(RegType::DepthOut), 0) {
                self.register(depth, false, place.mentioned(Mention::Instruction), Role::Write, WriteMask::X);
            }
        } else if role.writes() && self.reads_coordinates(i) {
            self.register(register, false, place.mentioned(Mention::Instruction), Role::Read, WriteMask::ALL);
        }
    }

    fn read(&mut self, i: &Instruction<'_>, read: &Read, mark: Option<&Mark>, around: Origin) {
        let (Some(mark), Some(register)) = (mark, read.register) else { return };
        self.index(read.index, mark, around);
        let Some(place) = self.place(mark.span, around) else { return };
        let control = i.op.and_then(|op| reads::of_control(op, read.shape));
        let (role, lanes) = match (read.shape, control) {
            (Shape::Label, _) if i.is(Opcode::Label) => (Role::Define, WriteMask::NONE),
            (Shape::Label, _) => (Role::Call, WriteMask::NONE),
            (_, Some(Control::Sets(lanes))) => (Role::Write, lanes),
            // A component of a predicate. Booleans and integers have no swizzle.
            (Shape::Condition, Some(Control::Reads(lanes))) if register.ty != RegType::ConstBool => {
                (Role::Read, read.swizzle.read_mask(lanes))
            }
            (_, Some(Control::Reads(lanes))) => (Role::Read, lanes),
            (Shape::Read, _) if self.reads_coordinates(i) => (Role::Read, WriteMask::ALL),
            _ => {
                let more = i.op.map_or(WriteMask::NONE, |op| reads::unasked(op, i.written()));
                (Role::Read, read.lanes.union(read.swizzle.read_mask(more)))
            }
        };
        let rows = i.written();
        for (n, row) in
            read.row_registers(register).enumerate().filter(|(n, _)| read.rows() == 1 || rows.has(*n))
        {
            let place = if n == 0 { place } else { place.mentioned(Mention::Run) };
            self.register(row, read.index.is_some(), place, role, lanes);
        }
    }

    /// Whether the texture coordinates are read that have the name of the register.
    fn reads_coordinates(&self, i: &Instruction<'_>) -> bool {
        i.op.is_some_and(|op| reads::has_coordinates(op, self.version))
    }

    /// The register that a number is relative to.
    fn index(&mut self, index: Option<Index>, mark: &Mark, around: Origin) {
        let (Some(index), Some(span)) = (index, mark.index) else { return };
        let Some(register) = Register::new(index.source.reg_type(), index.source.number()) else { return };
        let Some(place) = self.place(span, around) else { return };
        let lanes = match register.ty {
            RegType::Loop => WriteMask::X,
            _ => index.source.swizzle().read_mask(WriteMask::X),
        };
        self.register(register, false, place, Role::Read, lanes);
    }

    fn register(&mut self, register: Register, computed: bool, place: Place, role: Role, lanes: WriteMask) {
        let (file, number) = match spelling(register.ty, register.number, self.version) {
            Some((file, number)) => (file, number),
            None => ("", Some(register.number)),
        };
        let kind = kind(register.ty, self.version.stage());
        if computed {
            return self.out.register(
                kind,
                (&format!("{file}[]"), file, None),
                place.mentioned(Mention::Index),
                role,
                lanes,
            );
        }
        let name = register.name(self.version).to_string();
        self.out.register(kind, (&name, file, number.map(i32::from)), place, role, lanes);
    }
}

fn slice(text: &str, span: Span) -> Option<&str> {
    text.get(span.start as usize..span.end as usize)
}

/// Whether a register has one lane, which words have as all of them: fog, point size and depth.
fn is_scalar(register: Register) -> bool {
    register.ty == RegType::DepthOut || operands::is_scalar(register.ty, register.number)
}

/// What the registers of a file are.
fn kind(ty: RegType, stage: Stage) -> SymbolKind {
    match ty {
        RegType::Temp | RegType::TempFloat16 => SymbolKind::Temporary,
        RegType::Input | RegType::Misc => SymbolKind::Input,
        RegType::Const | RegType::Const2 | RegType::Const3 | RegType::Const4 => SymbolKind::Constant,
        RegType::AddrOrTexture if stage == Stage::Vertex => SymbolKind::Address,
        RegType::AddrOrTexture => SymbolKind::Input,
        RegType::RastOut | RegType::AttrOut | RegType::Output | RegType::ColorOut | RegType::DepthOut => {
            SymbolKind::Output
        }
        RegType::ConstInt => SymbolKind::Integer,
        RegType::ConstBool => SymbolKind::Boolean,
        RegType::Sampler => SymbolKind::Sampler,
        RegType::Loop => SymbolKind::Loop,
        RegType::Label => SymbolKind::Label,
        RegType::Predicate => SymbolKind::Predicate,
    }
}
