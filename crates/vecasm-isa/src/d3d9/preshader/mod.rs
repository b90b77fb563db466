//! Preshaders: small programs in double precision that compute constants of a shader once a draw, from constants of an
//! effect. A compiler puts one into a comment `PRES` of the shader; an effect also holds some alone, in streams of their
//! own whose version token begins with `FX` (or `TX`, for those that fill textures).
//!
//! A stream is a version token, comments, and an end token:
//!
//! | comment | holds |
//! |---|---|
//! | `CTAB` | the [table of constants](super::ctab) that are read |
//! | `PRSI` | [which registers of the shader are written](OutputMap) |
//! | `CLIT` | the numbers in the code: how many, then each one as 64 bits |
//! | `FXLC` | the [code](Instruction): how many instructions, then each one, then two [marks](END_MARKS) |
//!
//! An instruction is a word (bits 0–15 how many lanes, 20–30 the [operation](Op), 31 whether the first operand is one
//! lane for all), the number of operands, the operands, and the destination, of the same shape as an operand: 0, the
//! [table](File), the lane in it, four lanes a register; a relative one is 1, table and lane of the index, table and
//! lane of what it counts from.
//!
//! The layout was derived from the four preshaders in the development corpus (fxc 9.26 and 9.29), except: the order of
//! the parts of a relative operand, which agrees in Wine's and MojoShader's readers and which no stream there has; and
//! the tables of integers and booleans, which are Wine's.
//!
//! | file | holds |
//! |---|---|
//! | `table` | the operations |
//! | `read`, `write` | between words and [`Preshader`], both without loss |
//! | [`print`](mod@print), [`parse`](mod@parse) | the text, as Microsoft's compilers list it, and without loss |
//! | [`run`](mod@run) | what it computes |
//! | [`infix`](fn@infix) | what it says by the names of its table |

mod infix;
pub mod parse;
pub mod print;
mod read;
pub mod run;
mod table;
mod write;

use super::ctab::{self, ConstantTable};
use super::program::{Program, Version};
use super::registers::NUMBERS;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Rule, rules};

pub use infix::infix;
pub use parse::{parse, parse_at};
pub use print::{Style, instruction_text, print};
pub use read::read;
pub use run::{Inputs, Outputs, computed, run};
pub use table::{Op, OperandLanes, Row};

/// The name of the comment.
pub const NAME: &[u8; 4] = b"PRES";
/// The two words behind the last instruction.
pub const END_MARKS: [u32; 2] = [0xf0f0_f0f0, 0x0f0f_0f0f];
/// The version token that compilers write.
pub const VERSION: Version = Version(0x4658_0201);

rules! {
    /// The rules of this room.
    pub const RULES;
    const;

    MALFORMED "D3D9-preshader" Warning Peer
        "%1",
        "The runtime evaluates the preshader before it draws, and cannot evaluate what it cannot read. The words are kept unchanged.";
    UNKNOWN "D3D9-preshader-op" Warning Peer
        "%1",
        "The operations of preshaders are not documented; those known are the ones that Wine's runtime evaluates.";
    TEXT "D3D9-preshader-text" Error
        "%1",
        "The text of a preshader is the word `preshader` and instructions as compilers list them; numbers are in parentheses.";
}

/// What an operand lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum File {
    /// 1: the numbers in the code.
    Literal,
    /// 2: the constants of the preshader's table.
    Constant,
    /// 4: floating-point constants of the shader.
    Float,
    /// 5: boolean constants of the shader, one lane a register.
    Bool,
    /// 6: integer constants of the shader.
    Int,
    /// 7: temporaries.
    Temp,
}

impl File {
    /// Every file with its code and the letters of its registers.
    pub const ALL: [(Self, u32, &'static str); 6] = [
        (Self::Literal, 1, "l"),
        (Self::Constant, 2, "c"),
        (Self::Float, 4, "oc"),
        (Self::Bool, 5, "ob"),
        (Self::Int, 6, "oi"),
        (Self::Temp, 7, "r"),
    ];

    /// The file with that code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.iter().find(|row| row.1 == code).map(|row| row.0)
    }

    /// The code.
    pub const fn code(self) -> u32 {
        Self::ALL[self as usize].1
    }

    /// The letters in front of the number of a register; those of destinations lose their `o`.
    pub const fn letters(self) -> &'static str {
        Self::ALL[self as usize].2
    }

    /// Lanes of a register.
    pub const fn lanes(self) -> u32 {
        match self {
            Self::Bool => 1,
            _ => 4,
        }
    }
}

/// A place: a table and a lane in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// Code of the table, see [`File`].
    pub table: u32,
    /// The first lane.
    pub offset: u32,
}

impl Slot {
    /// The file, if the code has one.
    pub fn file(self) -> Option<File> {
        File::from_code(self.table)
    }
}

/// An operand or a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// Where it lies, or what a relative one counts from.
    pub slot: Slot,
    /// The lane that holds the number of registers to add.
    pub index: Option<Slot>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// Its first word.
    pub word: u32,
    /// The operands.
    pub operands: Vec<Operand>,
    /// The destination.
    pub result: Operand,
}

impl Instruction {
    /// The code of the operation.
    pub const fn code(&self) -> u16 {
        (self.word >> 20) as u16 & 0x7ff
    }

    /// The operation, if the code is known and the number of operands is one it takes.
    pub fn op(&self) -> Option<Op> {
        Op::from_code(self.code()).filter(|op| op.row().operands.contains(&self.operands.len()))
    }

    /// How many lanes the operands have.
    pub const fn lanes(&self) -> u32 {
        self.word & 0xffff
    }

    /// Whether the first operand is one lane for all.
    pub const fn is_scalar(&self) -> bool {
        self.word >> 31 != 0
    }

    /// The bits of the first word without known meaning.
    pub const fn reserved(&self) -> u32 {
        self.word & 0x000f_0000
    }

    /// How many lanes the result has.
    pub fn result_lanes(&self) -> u32 {
        match self.op().map(|op| op.row().take) {
            Some(OperandLanes::All) => 1,
            _ => self.lanes(),
        }
    }

    /// How many lanes operand `n` has.
    pub const fn operand_lanes(&self, n: usize) -> u32 {
        if n == 0 && self.is_scalar() { 1 } else { self.lanes() }
    }
}

/// Which registers of the shader are written: for the floating-point, and two other sets of which no stream was seen
/// that has any.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct OutputMap {
    /// The first register of each set.
    pub first: [u32; 3],
    /// The number of registers of each set.
    pub count: [u32; 3],
    /// Ranges of each set: first register and number.
    pub ranges: [Vec<(u32, u32)>; 3],
}

/// A part of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// `CTAB`: the words of the comment, its name the first one.
    Table(Vec<u32>),
    /// `PRSI`
    Outputs(OutputMap),
    /// `CLIT`: the bits of each number.
    Literals(Vec<u64>),
    /// `FXLC`
    Code(Vec<Instruction>),
    /// Any other comment, and those that do not hold what their name says: its words without its token.
    Comment(Vec<u32>),
    /// Words that are no comment.
    Words(Vec<u32>),
}

/// A preshader, without loss of a bit: [`words`](Preshader::words) gives what [`read`] got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preshader {
    /// The version token.
    pub version: Version,
    /// What stands between the version token and the end token.
    pub blocks: Vec<Block>,
    /// The end token and what follows it; empty if there is none.
    pub end: Vec<u32>,
}

impl Preshader {
    /// The table of constants, and what is wrong with it.
    pub fn table(&self) -> (Option<ConstantTable>, Vec<Diagnostic>) {
        let mut tables = self.blocks.iter().filter_map(|block| match block {
            Block::Table(words) => Some(words),
            _ => None,
        });
        tables.next().map_or((None, Vec::new()), |words| ctab::read(words))
    }

    /// The numbers in the code.
    pub fn literals(&self) -> &[u64] {
        let mut all = self.blocks.iter().filter_map(|block| match block {
            Block::Literals(bits) => Some(bits.as_slice()),
            _ => None,
        });
        all.next().unwrap_or(&[])
    }

    /// The instructions.
    pub fn code(&self) -> &[Instruction] {
        let mut all = self.blocks.iter().filter_map(|block| match block {
            Block::Code(code) => Some(code.as_slice()),
            _ => None,
        });
        all.next().unwrap_or(&[])
    }

    /// Which registers are written, as the stream says.
    pub fn output_map(&self) -> Option<&OutputMap> {
        self.blocks.iter().find_map(|block| match block {
            Block::Outputs(map) => Some(map),
            _ => None,
        })
    }

    /// Number of temporary lanes that the code names.
    pub fn temporaries(&self) -> u32 {
        let mut most = 0;
        for instruction in self.code() {
            let result = (instruction.result, instruction.result_lanes());
            let operands = instruction.operands.iter().enumerate();
            let operands = operands.map(|(n, operand)| (*operand, instruction.operand_lanes(n)));
            for (operand, lanes) in operands.chain([result]) {
                let index = operand.index.map(|slot| (slot, 1));
                for (slot, lanes) in [Some((operand.slot, lanes)), index].into_iter().flatten() {
                    if slot.file() == Some(File::Temp) {
                        most = most.max(slot.offset.saturating_add(lanes));
                    }
                }
            }
        }
        most
    }

    /// The registers of the shader that the code writes, each once and in order: the file and the number. What shaders do not have is
    /// left out: numbers that no parameter holds, and operations that are not known or too wide to run.
    pub fn written(&self) -> Vec<(File, u32)> {
        let mut ranges = Vec::new();
        for instruction in self.code() {
            let Some(file) = instruction.result.slot.file() else { continue };
            let registers = match file {
                File::Float => 4 * u32::from(NUMBERS),
                File::Bool | File::Int => u32::from(NUMBERS),
                _ => continue,
            };
            let can_run = instruction.op().is_some() && instruction.lanes() <= run::MAX_WIDTH;
            if !can_run || instruction.result.index.is_some() {
                continue;
            }
            let (first, lanes) = (instruction.result.slot.offset, instruction.result_lanes());
            let last = first.saturating_add(lanes.saturating_sub(1)) / file.lanes();
            ranges.push((file as u8, first / file.lanes(), last.saturating_add(1).min(registers), file));
        }
        ranges.sort_unstable_by_key(|(order, first, ..)| (*order, *first));
        let mut out: Vec<(File, u32)> = Vec::new();
        for (_, first, end, file) in ranges {
            let next = out.last().filter(|(of, _)| *of == file).map_or(0, |(_, last)| last + 1);
            out.extend((first.max(next)..end).map(|n| (file, n)));
        }
        out
    }
}

/// The preshader of a program, and what is wrong with it: the one in a comment, or the program itself where its version
/// token is that of a preshader.
pub fn of(program: &Program) -> (Option<Preshader>, Vec<Diagnostic>) {
    if program.version().is_preshader() {
        return read(program.words());
    }
    let name = u32::from_le_bytes(*NAME);
    match program.comments().find(|words| words.first() == Some(&name)) {
        Some(words) => read(words.get(1..).unwrap_or(&[])),
        None => (None, Vec::new()),
    }
}

fn finding(rule: &Rule, message: impl core::fmt::Display) -> Diagnostic {
    rule.finding(alloc::format!("preshader: {message}"))
}

/// A number of a register with letters, and the lanes from `first` on: `.x` where it is not all of them.
fn lanes_text(first: u32, lanes: u32) -> Option<String> {
    let end = first.checked_add(lanes).filter(|end| lanes > 0 && *end <= 4)?;
    if lanes == 4 {
        return Some(String::new());
    }
    let letters = vecasm_ir::operand::LANES.get(first as usize..end as usize)?;
    Some(core::iter::once('.').chain(letters.iter().copied()).collect())
}
