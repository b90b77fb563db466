//! The symbols of a text: registers, by what each instruction reads and writes, and labels.
//!
//! The reader notes where operands stand (`Record`) while it reads statements.

use super::declarations::is_per_vertex;
use super::log;
use super::parse::Reader;
use crate::symbols::{Collector, Mention, Place, Role, SymbolKind, Symbols};
use crate::table::{Flow, Shape};
use crate::text::Cursor as _;
use crate::tgsi::names::{File, Target};
use crate::tgsi::program::{Dimension, Instruction, Op, Operand, Program, Token};
use crate::tgsi::reads::{self, HANDLE};
use crate::tgsi::signature::Texels;
use crate::tgsi::table::Opcode;
use crate::without_padding;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::WriteMask;

/// Most registers of declarations of several that are noted one by one.
const MAX_DECLARED: usize = 1 << 18;

/// Where the statements and operands of a text stand.
#[derive(Debug, Default)]
pub(super) struct Record {
    marks: Vec<Mark>,
    statements: Vec<Statement>,
    /// The register in the bracket that is being read.
    pub(super) index: Option<Span>,
    /// What is known of the statement that is being read.
    pub(super) now: StatementContext,
}

/// What is known of a statement besides its operands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StatementContext {
    /// The number in front of an instruction.
    pub(super) number: Option<Span>,
    /// The label behind it.
    pub(super) label: Option<(u32, Span)>,
    /// The registers of a declaration or immediate, and whether an immediate has a number.
    pub(super) declared: Option<(Span, bool)>,
    /// The predicate in front of an instruction.
    pub(super) predicate: Option<Span>,
}

/// An operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) span: Span,
    /// Of [`Operand`], what says the register.
    pub(super) operand: Operand,
    /// The registers of its indices: of the second one, and of the first of two.
    pub(super) indices: [Option<Span>; 2],
}

/// A statement.
#[derive(Debug)]
struct Statement {
    span: Span,
    marks: Range<usize>,
    /// What was made of it.
    token: Option<Token>,
    /// The number that the next instruction has.
    instruction: u32,
    now: StatementContext,
}

impl Record {
    /// Notes an operand.
    pub(super) fn mark(&mut self, mark: Mark) {
        self.marks.push(mark);
    }
}

impl Reader<'_> {
    /// Number of operands that were noted.
    pub(super) fn marks(&self) -> usize {
        self.record.as_ref().map_or(0, |record| record.marks.len())
    }

    /// Notes a statement that begins at `start`, whose operands are those from `first` on, and which made `token`.
    pub(super) fn record_statement(
        &mut self,
        start: usize,
        first: usize,
        token: Option<Token>,
        instruction: u32,
    ) {
        let text = self.taken(start).trim_end();
        let span = Span::new(start, start + text.len());
        let Some(record) = &mut self.record else { return };
        let now = core::mem::take(&mut record.now);
        record.index = None;
        let marks = first..record.marks.len();
        record.statements.push(Statement { span, marks, token, instruction, now });
    }
}

/// The symbols of a text; of several programs those of the first.
pub fn symbols(text: &str) -> Symbols {
    let read = |text: &str| {
        let mut reader = Reader::any(text);
        reader.record = Some(Record::default());
        reader.read();
        let bad = reader.findings.has_errors();
        let record = reader.record.take().unwrap_or_default();
        (bad, Gatherer::new(&reader.program).symbols(text, &record))
    };
    let text = without_padding(text);
    let (bad, symbols) = read(text);
    if !bad {
        return symbols;
    }
    let plain = log::plain(text);
    let (bad, symbols) = plain.as_ref().map_or((true, symbols), |plain| read(plain));
    let alone = log::without_logged(plain.as_deref().unwrap_or(text)).filter(|_| bad);
    alone.map(|(alone, _)| read(&alone)).filter(|(bad, _)| !bad).map_or(symbols, |(_, symbols)| symbols)
}

/// Registers of one kind that a declaration names.
struct Declared {
    file: File,
    /// The first index of two.
    dimension: Option<i16>,
    range: (i32, i32),
    place: Place,
    lanes: WriteMask,
}

/// What is known while symbols are gathered.
struct Gatherer<'a> {
    program: &'a Program,
    /// What textures and images are, by file, from the first one of a range on: the last one, and the target.
    targets: BTreeMap<(File, u16), (u16, Target)>,
    declared: Vec<Declared>,
    /// Registers that are used, by file and first index.
    used: BTreeMap<(File, Option<i16>), BTreeSet<i32>>,
    out: Collector,
}

impl<'a> Gatherer<'a> {
    fn new(program: &'a Program) -> Self {
        let mut targets = BTreeMap::new();
        for it in program.declarations() {
            let target = it.view.map(|view| view.target).or(it.image.map(|image| image.target));
            if let Some(target) = target {
                targets.insert((it.file, it.first), (it.last, target));
            }
        }
        let (declared, used) = (Vec::new(), BTreeMap::new());
        Self { program, targets, declared, used, out: Collector::default() }
    }

    fn symbols(mut self, text: &str, record: &Record) -> Symbols {
        let mut immediates = 0;
        let targets: BTreeSet<u32> = record
            .statements
            .iter()
            .filter_map(|statement| statement.now.label)
            .map(|label| label.0)
            .collect();
        for it in &record.statements {
            let marks = record.marks.get(it.marks.clone()).unwrap_or(&[]);
            match it.token {
                Some(Token::Instruction(instruction)) => {
                    self.instruction(&instruction, marks, it);
                    if targets.contains(&it.instruction) {
                        self.labelled(text, it);
                    }
                }
                Some(Token::Declaration(declaration)) => {
                    if let Some((span, _)) = it.now.declared {
                        let file = declaration.file;
                        let range =
                            (declaration.first.into(), declaration.last.max(declaration.first).into());
                        let place = Place::named(span, it.span);
                        let (dimension, lanes) = (declaration.dimension, declaration.mask);
                        self.declared.push(Declared { file, dimension, range, place, lanes });
                    }
                }
                Some(Token::Immediate(_)) => {
                    if let Some((span, numbered)) = it.now.declared {
                        let place = Place::named(span, it.span);
                        let place = if numbered { place } else { place.mentioned(Mention::Instruction) };
                        let operand = Operand::new(File::Imm, immediates);
                        self.register(&operand, place, Role::Define, WriteMask::ALL);
                    }
                    immediates = immediates.wrapping_add(1);
                }
                _ => {
                    for mark in marks {
                        let place = Place::named(mark.span, it.span);
                        self.register(&mark.operand, place, Role::Name, WriteMask::NONE);
                    }
                }
            }
        }
        self.declarations();
        self.out.finish()
    }

    /// The instruction that a label means.
    fn labelled(&mut self, text: &str, it: &Statement) {
        let place = match it.now.number {
            Some(span) => Place::named(span, it.span),
            None => {
                let rest = text.get(it.span.start as usize..it.span.end as usize).unwrap_or("");
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let span = Span { end: it.span.start + end as u32, ..it.span };
                Place::named(span, it.span).mentioned(Mention::Instruction)
            }
        };
        self.out.name(SymbolKind::Label, &format!("{}", it.instruction), place, Role::Define);
    }

    /// Registers of declarations: of several those that are used, and the first.
    fn declarations(&mut self) {
        let mut left = MAX_DECLARED;
        for Declared { file, dimension, range: (first, last), place, lanes } in
            core::mem::take(&mut self.declared)
        {
            let used = self.used.get(&(file, dimension));
            let more =
                used.into_iter().flat_map(|used| used.range(first.saturating_add(1)..=last.max(first + 1)));
            let more: Vec<i32> = more.copied().filter(|n| *n <= last).take(left).collect();
            left -= more.len();
            for number in core::iter::once(first).chain(more) {
                let mut operand = Operand::new(file, number as i16);
                operand.dimension = dimension.map(|index| Dimension { index, indirect: None });
                let place = if number == first { place } else { place.mentioned(Mention::Run) };
                self.register(&operand, place, Role::Declare, lanes);
            }
        }
    }

    fn instruction(&mut self, instruction: &Instruction, marks: &[Mark], it: &Statement) {
        let (to, from) = (self.program.destinations(instruction), self.program.sources(instruction));
        let offsets = self.program.offsets(instruction);
        let op = match instruction.op {
            Op::Known(op) => Some(op),
            Op::Unknown(_) => None,
        };
        let texels = self.target(instruction, op).map(Texels::from).unwrap_or_default();
        let mask = to.first().map_or(WriteMask::ALL, |operand| operand.mask);
        let written = op.map_or(mask, |op| reads::written(op, 0, mask));
        let mut marks = marks.iter();
        let shapes = op.map_or(&[][..], |op| op.row().shape).iter().copied();
        let shapes = shapes.map(Some).chain(core::iter::repeat(None));
        // A counter has no address.
        let counter = from.first().is_some_and(|operand| operand.file == File::HwAtomic);
        for (n, (operand, shape)) in to.iter().chain(from).zip(shapes).enumerate() {
            let Some(mark) = marks.next() else { return };
            let (role, lanes) = match (n.checked_sub(to.len()), op) {
                // Where a register holds the handle of what is meant.
                _ if shape.is_some_and(|shape| reads::is_handle(shape, operand.file)) => {
                    let whole = n < to.len();
                    let lanes = if whole { HANDLE } else { operand.swizzle.read_mask(HANDLE) };
                    (Role::Read, lanes)
                }
                (Some(_), _) if shape == Some(Shape::Resource) && is_constant(operand.file) => {
                    self.constants(mark, it);
                    continue;
                }
                (None, Some(op)) => (Role::Write, reads::written(op, n, operand.mask)),
                (None, None) => (Role::Write, operand.mask),
                (Some(1), _) if counter => (Role::Read, WriteMask::NONE),
                (Some(n), Some(op)) => {
                    let lanes = operand.swizzle.read_mask(reads::lanes(op, n, written, texels));
                    // An atomic operation changes what it reads.
                    let changes = shape == Some(Shape::Resource) && op.row().is_atomic();
                    (if changes { Role::ReadWrite } else { Role::Read }, lanes)
                }
                (Some(_), None) => (Role::Read, operand.swizzle.read_mask(WriteMask::ALL)),
            };
            self.operand(mark, it, role, lanes);
        }
        for operand in offsets {
            let Some(mark) = marks.next() else { return };
            let axes = texels.dim.map_or(3, |dim| if dim.faces() > 1 { 0 } else { dim.axes() });
            let lanes = operand.swizzle.read_mask(WriteMask::first(axes));
            self.operand(mark, it, Role::Read, lanes);
        }
        if let (Some(predicate), Some(span)) = (instruction.predicate, it.now.predicate) {
            let place = Place::named(span, it.span);
            let lanes = predicate.swizzle.read_mask(mask);
            self.register(&Operand::new(File::Pred, predicate.index), place, Role::Read, lanes);
        }
        if let Some((label, span)) = it.now.label {
            let call = instruction.row().is_some_and(|row| row.flow == Flow::Call);
            let role = if call { Role::Call } else { Role::Jump };
            self.out.name(SymbolKind::Label, &format!("{label}"), Place::named(span, it.span), role);
        }
    }

    /// What an instruction says of the texture that it reads, or what its view or image is declared as.
    fn target(&self, instruction: &Instruction, op: Option<Opcode>) -> Option<Target> {
        let op = op?;
        let said = instruction.texture.map(|texture| texture.target);
        if let Some(target) = said.filter(|target| op.row().has_target() && target.dim().is_some()) {
            return Some(target);
        }
        let all = self.program.sources(instruction).iter().chain(self.program.destinations(instruction));
        let of = |file: File| {
            let operand = all.clone().find(|operand| operand.file == file)?;
            let number = u16::try_from(operand.index).ok()?;
            let view = if file == File::Samp { File::Sview } else { file };
            let (_, (last, target)) = self.targets.range((view, 0)..=(view, number)).next_back()?;
            (number <= *last).then_some(*target)
        };
        let declared = of(File::Sview).or_else(|| of(File::Image));
        let declared = declared.or_else(|| of(File::Samp).filter(|_| op.row().has_target()));
        // Of an image whose handle a register holds only the instruction says it.
        let handle = || all.clone().any(|operand| reads::is_handle(Shape::Resource, operand.file));
        let memory = instruction.memory.map(|memory| memory.target);
        let named =
            all.clone().any(|operand| matches!(operand.file, File::Buffer | File::Memory | File::HwAtomic));
        declared.or_else(|| memory.filter(|target| *target != Target::Buffer && handle() && !named))
    }

    /// Constants that are read by a computed byte.
    fn constants(&mut self, mark: &Mark, it: &Statement) {
        let Some(word) = mark.operand.file.name() else { return };
        let buffer = mark.operand.dimension.map_or(mark.operand.index, |dimension| dimension.index);
        let file = format!("{word}[{buffer}]");
        let place = Place::named(mark.span, it.span).mentioned(Mention::Index);
        let kind = SymbolKind::Constant;
        self.out.register(kind, (&format!("{file}[]"), &file, None), place, Role::Read, WriteMask::ALL);
    }

    fn operand(&mut self, mark: &Mark, it: &Statement, role: Role, lanes: WriteMask) {
        self.register(&mark.operand, Place::named(mark.span, it.span), role, lanes);
        let dimension = mark.operand.dimension.and_then(|dimension| dimension.indirect);
        for (indirect, span) in [mark.operand.indirect, dimension].into_iter().zip(mark.indices) {
            let (Some(indirect), Some(span)) = (indirect, span) else { continue };
            let operand = Operand::new(indirect.file, indirect.index);
            let lanes = WriteMask::lane(indirect.component.into());
            self.register(&operand, Place::named(span, it.span), Role::Read, lanes);
        }
    }

    fn register(&mut self, operand: &Operand, place: Place, role: Role, lanes: WriteMask) {
        let Some(kind) = kind(operand.file) else { return };
        let word = match operand.file.name() {
            Some(word) => String::from(word),
            None => match operand.file {
                File::Unknown(code) => format!("${code}"),
                _ => return,
            },
        };
        // Which vertex it is of does not matter.
        let dimension = operand.dimension.filter(|_| !is_per_vertex(self.program.processor, operand.file));
        let file = match dimension {
            Some(dimension) if dimension.indirect.is_some() => format!("{word}[]"),
            Some(dimension) => format!("{word}[{}]", dimension.index),
            None => word,
        };
        if operand.indirect.is_some() || dimension.is_some_and(|dimension| dimension.indirect.is_some()) {
            return self.out.register(
                kind,
                (&format!("{file}[]"), &file, None),
                place.mentioned(Mention::Index),
                role,
                lanes,
            );
        }
        let number = i32::from(operand.index);
        if !matches!(role, Role::Declare) {
            let key = (operand.file, dimension.map(|dimension| dimension.index));
            self.used.entry(key).or_default().insert(number);
        }
        self.out.register(kind, (&format!("{file}[{number}]"), &file, Some(number)), place, role, lanes);
    }
}

const fn is_constant(file: File) -> bool {
    matches!(file, File::Const | File::ConstBuf)
}

/// What the registers of a file are; nothing of what is dropped.
fn kind(file: File) -> Option<SymbolKind> {
    Some(match file {
        File::Null => return None,
        File::Const | File::ConstBuf => SymbolKind::Constant,
        File::In => SymbolKind::Input,
        File::Out => SymbolKind::Output,
        File::Temp | File::TempX => SymbolKind::Temporary,
        File::Samp => SymbolKind::Sampler,
        File::Addr => SymbolKind::Address,
        File::Imm | File::ImmX => SymbolKind::Immediate,
        File::Sv => SymbolKind::System,
        File::Image => SymbolKind::Image,
        File::Sview | File::Res => SymbolKind::View,
        File::Buffer => SymbolKind::Buffer,
        File::Memory => SymbolKind::Memory,
        File::HwAtomic => SymbolKind::Counter,
        File::Pred => SymbolKind::Predicate,
        File::Unknown(_) => SymbolKind::Other,
    })
}
