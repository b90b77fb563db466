//! A program as pieces that can be changed: the words of each instruction, comment and so on, and where they were.

use super::{CHANGED, REFUSED, RULES};
use crate::diag::{Diagnostic, Place};
use crate::isa::d3d9::program::{Destination, ItemKind, PARAMETER, Program, Source, Stage, Version};
use crate::isa::d3d9::registers::RegType;
use crate::isa::d3d9::rules::code::{Code, Instruction};
use crate::isa::d3d9::table::Opcode;
use crate::isa::operand::{Swizzle, WriteMask};
use crate::isa::table::Shape;
use alloc::string::String;
use alloc::vec::Vec;

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

/// An instruction taken apart.
#[derive(Clone, Debug)]
pub(super) struct Op {
    /// The piece that it is.
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
}

/// Position of the token of the destination.
const DESTINATION: usize = 1;

impl Lines {
    pub(super) fn new(program: &Program) -> Self {
        let mut count = 0;
        let line = |item: &crate::isa::d3d9::Item| {
            let is_instruction = item.kind == ItemKind::Instruction;
            count += u32::from(is_instruction);
            Line {
                kind: item.kind,
                words: program.words_of(*item).to_vec(),
                origin: item.start,
                number: is_instruction.then_some(count),
            }
        };
        Self { all: program.items().iter().map(line).collect(), notes: Vec::new(), errors: Vec::new() }
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
        let finding = self.finding(CHANGED, line, message);
        self.notes.push(finding);
    }

    /// Says what cannot be changed.
    pub(super) fn refuse(&mut self, line: usize, message: String) {
        let finding = self.finding(REFUSED, line, message);
        self.errors.push(finding);
    }

    fn finding(&self, rule: usize, line: usize, message: String) -> Diagnostic {
        let rule = &RULES[rule];
        let (origin, token) = self.all.get(line).map_or((0, None), |line| (line.origin, line.number));
        let place = Place::Binary { offset: origin * 4, token };
        Diagnostic::new(rule.severity, rule.id, message).at(place)
    }

    /// Puts an instruction in front of a piece.
    pub(super) fn insert(&mut self, line: usize, words: Vec<u32>) {
        let (origin, number) = self.all.get(line).map_or((0, None), |line| (line.origin, line.number));
        let at = line.min(self.all.len());
        self.all.insert(at, Line { kind: ItemKind::Instruction, words, origin, number });
    }

    pub(super) fn word_mut(&mut self, line: usize, at: usize) -> Option<&mut u32> {
        self.all.get_mut(line)?.words.get_mut(at)
    }

    /// Changes the token of a destination.
    pub(super) fn set_destination(&mut self, line: usize, reg: Reg, mask: WriteMask) {
        if let Some(word) = self.word_mut(line, DESTINATION) {
            // The modifiers of the result stay.
            *word = *word & 0x0ff0_0000 | Destination::new(reg.0, reg.1, mask).0;
        }
    }

    /// Changes the swizzle of a source.
    pub(super) fn set_swizzle(&mut self, line: usize, at: usize, swizzle: Swizzle) {
        if let Some(word) = self.word_mut(line, at) {
            *word = *word & !0x00ff_0000 | u32::from(swizzle.bits()) << 16;
        }
    }

    /// Changes the register of a source, which is no longer relative; swizzle and modifier stay.
    pub(super) fn set_register(&mut self, line: usize, at: usize, reg: Reg) {
        if let Some(word) = self.word_mut(line, at) {
            *word = *word & 0x0fff_0000 | Source::new(reg.0, reg.1, Swizzle::from_bits(0)).0 & 0xf000_ffff;
        }
    }

    /// The piece in front of which the first instruction stands that is executed, or the end.
    pub(super) fn first_executed(&self, ops: &[Op]) -> usize {
        let end = self.all.iter().position(|line| line.kind == ItemKind::End).unwrap_or(self.all.len());
        ops.iter().find(|op| !op.setup).map_or(end, |op| op.line)
    }

    /// The piece behind the last instruction.
    pub(super) fn behind(&self, ops: &[Op]) -> usize {
        ops.last().map_or(1.min(self.all.len()), |op| op.line + 1)
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
            Some(((register.ty, register.number), write.mask()))
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
        self.reads.iter().any(|read| {
            read.reg.0 == reg.0 && (read.reg.1..read.reg.1.saturating_add(read.rows)).contains(&reg.1)
        })
    }

    /// Whether it reads, writes, defines or declares the register.
    pub(super) fn names(&self, reg: Reg) -> bool {
        self.reads(reg) || self.write.is_some_and(|(written, _)| written == reg)
    }
}

/// Whether nothing reads what a register holds in front of instruction `at` of a program without flow: the next that
/// happens to each of its components is a write, or nothing. `kept` is what the program leaves behind.
pub(super) fn is_free(ops: &[Op], at: usize, reg: Reg, kept: Option<Reg>) -> bool {
    let mut written = WriteMask::NONE;
    let later = ops.get(at..).unwrap_or(&[]);
    let mut n = 0;
    while let Some(op) = later.get(n) {
        // Both halves of a pair read before either writes.
        let pair = later.get(n + 1).filter(|next| next.coissued);
        if op.reads(reg) || pair.is_some_and(|next| next.reads(reg)) {
            return false;
        }
        for op in [Some(op), pair].into_iter().flatten() {
            if let Some((to, mask)) = op.write.filter(|_| !op.setup) {
                if to == reg {
                    written = WriteMask::from_bits(written.bits() | mask.bits());
                }
            }
        }
        if written == WriteMask::ALL {
            return true;
        }
        n += 1 + usize::from(pair.is_some());
    }
    kept != Some(reg)
}
