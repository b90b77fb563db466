//! A program as pieces that can be changed: the words of each instruction, comment and so on, and where they were.

use super::{CHANGED, REFUSED};
use crate::d3d9::program::{Destination, ItemKind, PARAMETER, Program, Source, Stage, Version};
use crate::d3d9::registers::{RegType, spelling};
use crate::d3d9::rules::code::{Code, Instruction};
use crate::d3d9::table::Opcode;
use crate::table::Shape;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::diag::{Diagnostic, Place, Rule};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// A piece.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) kind: ItemKind,
    pub(super) words: Vec<u32>,
    /// The first word of the piece of the original program that it is or was made for.
    pub(super) origin: u32,
    /// The number of that piece among the instructions, from 1, if it is one.
    pub(super) number: Option<u32>,
}

/// A register.
pub(super) type Reg = (RegType, u16);

/// What an instruction reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// The position of its token among the words of the instruction.
    pub(super) at: usize,
    pub(super) token: Source,
    pub(super) shape: Shape,
    pub(super) reg: Reg,
    /// The registers from `reg` on that are read.
    pub(super) rows: u16,
    /// The lanes of the register that are read.
    pub(super) lanes: WriteMask,
    pub(super) relative: bool,
}

impl Use {
    /// The numbers of the registers that are read.
    pub(super) fn numbers(&self) -> Range<u16> {
        self.reg.1..self.reg.1.saturating_add(self.rows)
    }
}

/// An instruction taken apart.
#[derive(Clone, Debug)]
pub(super) struct Op {
    /// The piece that it is, among those of [`Lines::ops`].
    pub(super) line: usize,
    pub(super) op: Option<Opcode>,
    pub(super) name: &'static str,
    pub(super) write: Option<(Reg, WriteMask)>,
    pub(super) reads: Vec<Use>,
    pub(super) coissued: bool,
    pub(super) setup: bool,
}

/// A program in pieces, and what was said about changing it.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) all: Vec<Line>,
    pub(super) notes: Vec<Diagnostic>,
    pub(super) errors: Vec<Diagnostic>,
    /// How many instructions walks may still put in.
    pub(super) room: usize,
}

/// The most instructions that are put into a program where each takes a slot of a model that has few: 128 in vs_1_1, 28 in
/// ps_1_4, 96 in ps_2_0. A program that needs more is refused before it is written, since no model takes it.
pub(super) const ROOM: usize = 1024;

/// Position of the token of the destination.
const DESTINATION: usize = 1;

impl Lines {
    pub(super) fn new(program: &Program, room: usize) -> Self {
        let mut count = 0;
        let line = |item: &crate::d3d9::Item| {
            let is_instruction = item.kind == ItemKind::Instruction;
            count += u32::from(is_instruction);
            Line {
                kind: item.kind,
                words: program.words_of(*item).to_vec(),
                origin: item.start,
                number: is_instruction.then_some(count),
            }
        };
        let all = program.items().iter().map(line).collect();
        Self { all, notes: Vec::new(), errors: Vec::new(), room }
    }

    /// The program as it is now.
    pub(super) fn program(&self) -> Program {
        Program::new(self.all.iter().flat_map(|line| line.words.iter().copied()).collect(), &[])
    }

    pub(super) fn version(&self) -> Version {
        Version(self.all.first().and_then(|line| line.words.first()).copied().unwrap_or(0))
    }

    /// The instructions as they are now.
    pub(super) fn ops(&self) -> Vec<Op> {
        let program = self.program();
        let code = Code::new(&program);
        let lines = self.all.iter().enumerate().filter(|(_, line)| line.kind == ItemKind::Instruction);
        code.instructions()
            .zip(lines)
            .map(|(instruction, (line, _))| op(&instruction, line, code.version))
            .collect()
    }

    /// Says that something was changed.
    pub(super) fn note(&mut self, line: usize, message: String) {
        let finding = Self::finding(CHANGED, self.all.get(line), message);
        self.notes.push(finding);
    }

    /// Says what cannot be changed.
    pub(super) fn refuse(&mut self, line: usize, message: String) {
        let finding = Self::finding(REFUSED, self.all.get(line), message);
        self.errors.push(finding);
    }

    /// A finding of one of the rules of this room.
    pub(super) fn finding(rule: &Rule, line: Option<&Line>, message: String) -> Diagnostic {
        let (origin, token) = line.map_or((0, None), |line| (line.origin, line.number));
        let place = Place::Binary { offset: origin.saturating_mul(4), token };
        rule.finding(message).at(place)
    }

    /// Puts instructions in front of a piece.
    pub(super) fn insert(&mut self, line: usize, all: impl IntoIterator<Item = Vec<u32>>) {
        let (origin, number) = self.all.get(line).map_or((0, None), |line| (line.origin, line.number));
        let at = line.min(self.all.len());
        let made = all.into_iter().map(|words| Line { kind: ItemKind::Instruction, words, origin, number });
        self.all.splice(at..at, made);
    }

    /// The piece in front of which definitions and zeros stand: the first instruction, or the end. Direct3D lets definitions
    /// follow nop, and then that is no first instruction; MojoShader does not.
    pub(super) fn first_executed(&self, ops: &[Op]) -> usize {
        let end = self.all.iter().position(|line| line.kind == ItemKind::End).unwrap_or(self.all.len());
        let head = ops.iter().position(Op::is_executed).and_then(|first| ops.get(..first)).unwrap_or(ops);
        let setup = head.iter().rposition(|op| op.setup).map_or(0, |last| last + 1);
        ops.get(setup).map_or(end, |op| op.line)
    }

    /// The piece behind the last instruction.
    pub(super) fn behind(&self, ops: &[Op]) -> usize {
        ops.last().map_or(1.min(self.all.len()), |op| op.line + 1)
    }
}

impl Line {
    pub(super) fn is_instruction(&self) -> bool {
        self.kind == ItemKind::Instruction
    }

    pub(super) fn word(&self, at: usize) -> u32 {
        self.words.get(at).copied().unwrap_or(0)
    }

    /// Changes the token of a destination.
    pub(super) fn set_destination(&mut self, reg: Reg, mask: WriteMask) {
        if let Some(word) = self.words.get_mut(DESTINATION) {
            // The modifiers of the result stay.
            *word = *word & 0x0ff0_0000 | Destination::new(reg.0, reg.1, mask).0;
        }
    }

    /// Changes the swizzle of a source.
    pub(super) fn set_swizzle(&mut self, at: usize, swizzle: Swizzle) {
        if let Some(word) = self.words.get_mut(at) {
            *word = *word & !0x00ff_0000 | u32::from(swizzle.bits()) << 16;
        }
    }

    /// Changes the register of a source, which is no longer relative; swizzle and modifier stay.
    pub(super) fn set_register(&mut self, at: usize, reg: Reg) {
        if let Some(word) = self.words.get_mut(at) {
            *word = *word & 0x0fff_0000 | Source::new(reg.0, reg.1, Swizzle::from_bits(0)).0 & 0xf000_ffff;
        }
    }
}

/// The name of a register, for messages.
pub(super) fn name(reg: Reg, version: Version) -> String {
    match spelling(reg.0, reg.1, version) {
        Some((name, Some(number))) => format!("{name}{number}"),
        Some((name, None)) => name.into(),
        None => format!("register {}", reg.1),
    }
}

/// An instruction from its name and parameters, in models 1.x, where it has no length.
pub(super) fn instruction(op: Opcode, parameters: &[u32]) -> Vec<u32> {
    instruction_of(Version::new(Stage::Vertex, 1, 1), op, parameters)
}

/// An instruction of a model.
pub(super) fn instruction_of(version: Version, op: Opcode, parameters: &[u32]) -> Vec<u32> {
    let mut out = Vec::with_capacity(parameters.len() + 1);
    let length = if version.has_lengths() { (parameters.len() as u32 & 15) << 24 } else { 0 };
    out.push(u32::from(op.row().code) | length);
    out.extend_from_slice(parameters);
    out
}

/// An instruction by itself, taken apart. What depends on declarations of samplers is not known: the lanes of coordinates.
pub(super) fn op_of(words: &[u32], version: Version) -> Op {
    op(&Instruction::alone(words, version), 0, version)
}

fn op(instruction: &Instruction<'_>, line: usize, version: Version) -> Op {
    let positions = positions(instruction, version);
    let reads = instruction.reads().iter().zip(positions).filter_map(|(read, at)| {
        let register = read.register?;
        Some(Use {
            at,
            token: read.source,
            shape: read.shape,
            reg: (register.ty, register.number),
            rows: read.rows(),
            lanes: read.lanes,
            relative: read.index.is_some(),
        })
    });
    Op {
        line,
        op: instruction.op,
        name: instruction.name(),
        write: instruction.write.and_then(|write| {
            let register = write.register?;
            Some(((register.ty, register.number), instruction.written()))
        }),
        reads: reads.collect(),
        coissued: instruction.token.is_coissued(),
        setup: instruction.is_setup(),
    }
}

/// The positions of the tokens of what is read.
fn positions(instruction: &Instruction<'_>, version: Version) -> Vec<usize> {
    let Some(form) = instruction.form else { return Vec::new() };
    let mut out = Vec::new();
    let mut at = 1;
    for (n, shape) in form.shape.iter().enumerate() {
        let word = instruction.words.get(at).copied().unwrap_or(PARAMETER);
        let here = at;
        at += match shape {
            Shape::Floats4 | Shape::Integers4 => 4,
            Shape::Usage | Shape::Flag => 1,
            // Both kinds of parameters have the bit in the same place.
            _ => 1 + usize::from(Source(word).is_relative() && version.has_lengths()),
        };
        if n == 0 && instruction.token.is_predicated() {
            at += 1;
        }
        if !matches!(shape, Shape::Dst | Shape::Usage | Shape::Floats4 | Shape::Integers4 | Shape::Flag) {
            out.push(here);
        }
    }
    out
}

impl Op {
    /// Whether it reads the register.
    pub(super) fn reads(&self, reg: Reg) -> bool {
        self.reads.iter().any(|read| read.reg.0 == reg.0 && read.numbers().contains(&reg.1))
    }

    /// Whether it does something.
    pub(super) fn is_executed(&self) -> bool {
        !self.setup && self.op != Some(Opcode::Nop)
    }

    /// The constants that it reads, writes or defines.
    pub(super) fn constants(&self) -> impl Iterator<Item = u16> {
        let reads = self.reads.iter().map(|read| (read.reg.0, read.numbers()));
        let write = self.write.map(|(reg, _)| (reg.0, reg.1..reg.1.saturating_add(1)));
        reads.chain(write).filter(|row| row.0 == RegType::Const).flat_map(|row| row.1)
    }

    /// Whether it reads, writes, defines or declares the register.
    pub(super) fn names(&self, reg: Reg) -> bool {
        self.reads(reg) || self.write.is_some_and(|(written, _)| written == reg)
    }
}
