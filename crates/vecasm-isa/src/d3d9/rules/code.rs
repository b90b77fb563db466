//! The instructions of a program taken apart: registers, lanes, places. Every pass reads this and nothing else.
//!
//! Nothing is stored: [`Code::instructions`] decodes while it goes.

use crate::d3d9::program::{
    Destination, InstructionToken, Item, ItemKind, Parameters, Program, Source, Stage, Usage, Version,
};
use crate::d3d9::reads;
use crate::d3d9::registers::{RegType, spelling};
use crate::d3d9::table::{Form, Opcode};
use crate::table::Shape;
use core::fmt;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::d3d9) struct Register {
    /// The file; the four files of floating-point constants are [`RegType::Const`].
    pub(in crate::d3d9) ty: RegType,
    /// The number as in text.
    pub(in crate::d3d9) number: u16,
    /// The file as encoded.
    pub(in crate::d3d9) encoded: RegType,
}

impl Register {
    pub(in crate::d3d9) fn new(ty: Option<RegType>, number: u16) -> Option<Self> {
        let encoded = ty?;
        let (ty, first) = match encoded {
            RegType::Const2 => (RegType::Const, 2048),
            RegType::Const3 => (RegType::Const, 4096),
            RegType::Const4 => (RegType::Const, 6144),
            ty => (ty, 0),
        };
        Some(Self { ty, number: number + first, encoded })
    }

    /// Whether it is the register of that file with that number.
    pub(in crate::d3d9) fn is(self, ty: RegType, number: u16) -> bool {
        self.ty == ty && self.number == number
    }

    /// Whether two name the same register.
    pub(in crate::d3d9) fn same(self, other: Self) -> bool {
        self.ty == other.ty && self.number == other.number
    }

    /// Its name in a model, for messages.
    pub(in crate::d3d9) const fn name(self, version: Version) -> RegisterName {
        RegisterName(self, version)
    }
}

/// The name of a register.
#[derive(Clone, Copy, Debug)]
pub(in crate::d3d9) struct RegisterName(Register, Version);

impl fmt::Display for RegisterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(register, version) = *self;
        match spelling(register.ty, register.number, version) {
            Some((name, Some(number))) => write!(f, "{name}{number}"),
            Some((name, None)) => f.write_str(name),
            None => write!(f, "register {} of file {}", register.number, register.encoded.code()),
        }
    }
}

/// The register that a number is relative to.
#[derive(Clone, Copy, Debug)]
pub(in crate::d3d9) struct Index {
    /// The token; in models 1.x, where there is none, that of a0.x.
    pub(in crate::d3d9) source: Source,
    /// Whether there is a token.
    pub(in crate::d3d9) explicit: bool,
}

impl Index {
    /// Its file.
    pub(in crate::d3d9) fn ty(self) -> Option<RegType> {
        self.source.reg_type()
    }
}

/// An operand that is read.
#[derive(Clone, Copy, Debug)]
pub(in crate::d3d9) struct Read {
    /// What the position holds.
    pub(in crate::d3d9) shape: Shape,
    /// The token.
    pub(in crate::d3d9) source: Source,
    /// The register, if the file exists.
    pub(in crate::d3d9) register: Option<Register>,
    /// What the number is relative to.
    pub(in crate::d3d9) index: Option<Index>,
    /// The swizzle; that of a destination token that is read is the identity.
    pub(in crate::d3d9) swizzle: Swizzle,
    /// The modifier; zero for a destination token.
    pub(in crate::d3d9) modifier: u8,
    /// The components of the register that are read.
    pub(in crate::d3d9) lanes: WriteMask,
}

impl Read {
    /// Whether it reads a register of that file.
    pub(in crate::d3d9) fn is_of(&self, ty: RegType) -> bool {
        self.register.is_some_and(|register| register.ty == ty)
    }

    /// Number of registers that it stands for: the rows of a matrix.
    pub(in crate::d3d9) const fn rows(&self) -> u16 {
        self.shape.rows() as u16
    }

    /// The registers that are read from one on: a matrix reads one for each of its rows.
    pub(in crate::d3d9) fn row_registers(&self, first: Register) -> impl Iterator<Item = Register> {
        (0..self.rows())
            .map_while(move |row| Some(Register { number: first.number.checked_add(row)?, ..first }))
    }
}

/// The operand that is written; that of a declaration or definition too.
#[derive(Clone, Copy, Debug)]
pub(in crate::d3d9) struct Write {
    /// The token.
    pub(in crate::d3d9) destination: Destination,
    /// The register, if the file exists.
    pub(in crate::d3d9) register: Option<Register>,
    /// What the number is relative to.
    pub(in crate::d3d9) index: Option<Index>,
}

impl Write {
    /// The mask.
    pub(in crate::d3d9) const fn mask(&self) -> WriteMask {
        self.destination.mask()
    }

    /// Whether it writes a register of that file.
    pub(in crate::d3d9) fn is_of(&self, ty: RegType) -> bool {
        self.register.is_some_and(|register| register.ty == ty)
    }
}

const NO_READ: Read = Read {
    shape: Shape::Src,
    source: Source(0),
    register: None,
    index: None,
    swizzle: Swizzle::IDENTITY,
    modifier: 0,
    lanes: WriteMask::NONE,
};

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(in crate::d3d9) struct Instruction<'a> {
    /// Where it is.
    pub(in crate::d3d9) item: Item,
    /// Its number among the instructions, from 1.
    pub(in crate::d3d9) number: u32,
    /// Its words.
    pub(in crate::d3d9) words: &'a [u32],
    /// Its token.
    pub(in crate::d3d9) token: InstructionToken,
    /// What it is, if the code is known.
    pub(in crate::d3d9) op: Option<Opcode>,
    /// The form that its words have: one of the model, else one of another version. `None` if the words fit no form;
    /// then there are no operands either.
    pub(in crate::d3d9) form: Option<&'static Form>,
    /// What it writes, defines or declares.
    pub(in crate::d3d9) write: Option<Write>,
    /// The usage token of a declaration.
    pub(in crate::d3d9) usage: Option<Usage>,
    /// The numbers of a definition.
    pub(in crate::d3d9) numbers: &'a [u32],
    /// The predicate in front of it.
    pub(in crate::d3d9) predicate: Option<Read>,
    reads: [Read; 4],
    count: usize,
}

impl Instruction<'_> {
    /// What it reads, in the order of the text, without the predicate.
    pub(in crate::d3d9) fn reads(&self) -> &[Read] {
        self.reads.get(..self.count).unwrap_or(&[])
    }

    /// Whether it is that instruction.
    pub(in crate::d3d9) fn is(&self, op: Opcode) -> bool {
        self.op == Some(op)
    }

    /// The lanes that it writes, which may be fewer than its mask has; none if it writes nothing.
    pub(in crate::d3d9) fn written(&self) -> WriteMask {
        match (self.op, self.form, self.write) {
            (Some(op), Some(form), Some(write)) => reads::written(op, form.shape, write.mask()),
            (_, _, write) => write.map_or(WriteMask::NONE, |write| write.mask()),
        }
    }

    /// The spelling of the instruction.
    pub(in crate::d3d9) fn name(&self) -> &'static str {
        match self.form {
            Some(form) => form.name,
            None => self.op.and_then(|op| op.row().forms.first()).map_or("", |form| form.name),
        }
    }

    /// The number of the label that it names.
    pub(in crate::d3d9) fn label(&self) -> Option<u16> {
        let read = self.reads().iter().find(|read| read.is_of(RegType::Label))?;
        read.register.map(|register| register.number)
    }

    /// Whether it declares or defines something.
    pub(in crate::d3d9) fn is_setup(&self) -> bool {
        matches!(self.op, Some(Opcode::Dcl | Opcode::Def | Opcode::Defi | Opcode::Defb))
    }
}

impl<'a> Parameters<'a> {
    fn indexed(&mut self, relative: bool) -> Option<Option<Index>> {
        if !relative {
            return Some(None);
        }
        let explicit = self.version.has_lengths();
        let source = if explicit {
            Source(self.word()?)
        } else {
            Source::new(RegType::AddrOrTexture, 0, Swizzle::splat(0))
        };
        Some(Some(Index { source, explicit }))
    }

    fn source(&mut self, shape: Shape) -> Option<Read> {
        let source = Source(self.word()?);
        let index = self.indexed(source.is_relative())?;
        let read = shape == Shape::Read;
        Some(Read {
            shape,
            source,
            register: Register::new(source.reg_type(), source.number()),
            index,
            swizzle: if read { Swizzle::IDENTITY } else { source.swizzle() },
            modifier: if read { 0 } else { source.modifier() },
            lanes: WriteMask::NONE,
        })
    }

    fn destination(&mut self) -> Option<Write> {
        let destination = Destination(self.word()?);
        let index = self.indexed(destination.is_relative())?;
        Some(Write {
            destination,
            register: Register::new(destination.reg_type(), destination.number()),
            index,
        })
    }

    fn take(&mut self, count: usize) -> Option<&'a [u32]> {
        let (taken, rest) = self.words.split_at_checked(count)?;
        self.words = rest;
        Some(taken)
    }
}

/// A program with what its declarations say of samplers.
#[derive(Debug)]
pub(in crate::d3d9) struct Code<'a> {
    /// The program.
    pub(in crate::d3d9) program: &'a Program,
    /// Its version.
    pub(in crate::d3d9) version: Version,
    kinds: [u8; 16],
}

impl<'a> Code<'a> {
    /// Looks at the declarations of samplers of a program.
    pub(in crate::d3d9) fn new(program: &'a Program) -> Self {
        let mut code = Self { program, version: program.version(), kinds: [0; 16] };
        let mut kinds = [0; 16];
        let items = program.items().iter().filter(|item| item.kind == ItemKind::Instruction);
        let is_dcl = |item: &Item| {
            let first = program.words_of(*item).first();
            first.is_some_and(|word| InstructionToken(*word).code() == Opcode::Dcl.row().code)
        };
        // Only these are taken apart.
        for (item, number) in items.zip(1..).filter(|(item, _)| is_dcl(item)) {
            let instruction = code.decode(*item, number);
            let (Some(write), Some(usage)) = (instruction.write, instruction.usage) else { continue };
            let register = write.register.filter(|register| register.ty == RegType::Sampler);
            if let Some(kind) = register.and_then(|r| kinds.get_mut(usize::from(r.number))) {
                *kind = usage.kind();
            }
        }
        code.kinds = kinds;
        code
    }

    /// Whether it is a pixel shader.
    pub(in crate::d3d9) fn is_pixel(&self) -> bool {
        self.version.stage() == Stage::Pixel
    }

    /// The [kind](crate::d3d9::registers::SAMPLER_KINDS) of a sampler; 0 if it is not said.
    pub(in crate::d3d9) fn kind(&self, sampler: u16) -> u8 {
        kind_of(&self.kinds, sampler)
    }

    /// The instructions, in order.
    pub(in crate::d3d9) fn instructions(&self) -> impl Iterator<Item = Instruction<'a>> + '_ {
        let items = self.program.items().iter().filter(|item| item.kind == ItemKind::Instruction);
        items.zip(1..).map(|(item, number)| self.decode(*item, number))
    }

    fn decode(&self, item: Item, number: u32) -> Instruction<'a> {
        let plain = Instruction::plain(self.program.words_of(item), item, number);
        plain.taken_apart(self.version, &self.kinds)
    }
}

impl<'a> Instruction<'a> {
    /// An instruction by itself, of a model. Nothing says what its samplers are; its item and number say nothing either.
    pub(in crate::d3d9) fn alone(words: &'a [u32], version: Version) -> Self {
        let item = Item { kind: ItemKind::Instruction, start: 0, len: words.len() as u32 };
        Self::plain(words, item, 1).taken_apart(version, &[0; 16])
    }

    /// Nothing but the token.
    fn plain(words: &'a [u32], item: Item, number: u32) -> Self {
        let token = InstructionToken(words.first().copied().unwrap_or(0));
        Instruction {
            item,
            number,
            words,
            token,
            op: token.opcode(),
            form: None,
            write: None,
            usage: None,
            numbers: &[],
            predicate: None,
            reads: [NO_READ; 4],
            count: 0,
        }
    }

    /// With its operands, if its words fit a form.
    fn taken_apart(self, version: Version, kinds: &[u8; 16]) -> Self {
        let Some(op) = self.op else { return self };
        // That the stage has no such instruction is one finding; what it writes is written all the same.
        let foreign = op.forms(version).next().is_none();
        let others = op.row().forms.iter().filter(|_| foreign);
        op.forms(version)
            .chain(others)
            .find_map(|form| self.as_form(op, form, version, kinds))
            .unwrap_or(self)
    }

    /// The instruction as one of that form, if its words are just that.
    fn as_form(self, op: Opcode, form: &'static Form, version: Version, kinds: &[u8; 16]) -> Option<Self> {
        let mut out = Instruction { form: Some(form), ..self };
        let mut parameters = Parameters { words: self.words.get(1..)?, version };
        let predicated = self.token.is_predicated();
        let behind_first = matches!(form.shape.first(), Some(Shape::Dst | Shape::Read));
        if predicated && !behind_first {
            out.predicate = Some(parameters.source(Shape::Condition)?);
        }
        for (position, shape) in form.shape.iter().enumerate() {
            match shape {
                Shape::Usage => out.usage = Some(Usage(parameters.word()?)),
                Shape::Dst => out.write = Some(parameters.destination()?),
                Shape::Floats4 | Shape::Integers4 => out.numbers = parameters.take(4)?,
                Shape::Flag => out.numbers = parameters.take(1)?,
                _ => {
                    *out.reads.get_mut(out.count)? = parameters.source(*shape)?;
                    out.count += 1;
                }
            }
            if predicated && behind_first && position == 0 {
                out.predicate = Some(parameters.source(Shape::Condition)?);
            }
        }
        if !parameters.words.is_empty() {
            return None;
        }
        let control = self.token.control();
        let written = match (form.shape.first(), out.write) {
            (_, Some(write)) => write.mask(),
            // The mask of an operand that is read names its lanes.
            (Some(Shape::Read), _) => out.reads[0].source_mask(),
            _ => WriteMask::ALL,
        };
        let sampler = out.reads().iter().find(|read| read.shape == Shape::Sampler);
        let kind =
            sampler.and_then(|read| read.register).map_or(0, |register| kind_of(kinds, register.number));
        for (n, read) in out.reads.iter_mut().take(out.count).enumerate() {
            let needed = match read.shape {
                Shape::Sampler | Shape::Label => WriteMask::NONE,
                // No rule asks for the lanes of these; see `reads::of_control`.
                Shape::Integer | Shape::Counter => WriteMask::NONE,
                shape => reads::lanes(op, version, control, n, shape).mask(written, kind),
            };
            read.lanes = read.swizzle.read_mask(needed);
        }
        if let Some(predicate) = &mut out.predicate {
            predicate.lanes = predicate.swizzle.read_mask(written);
        }
        Some(out)
    }
}

fn kind_of(kinds: &[u8; 16], sampler: u16) -> u8 {
    kinds.get(usize::from(sampler)).copied().unwrap_or(0)
}

impl Read {
    /// The mask of a destination token that is read.
    pub(in crate::d3d9) const fn source_mask(&self) -> WriteMask {
        Destination(self.source.0).mask()
    }
}
