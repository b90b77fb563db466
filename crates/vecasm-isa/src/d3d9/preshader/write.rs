//! From a preshader to words.

use super::{Block, END_MARKS, Instruction, Operand, OutputMap, Preshader, Slot};
use crate::d3d9::table::code;
use alloc::vec::Vec;

fn slot(out: &mut Vec<u32>, slot: Slot) {
    out.extend([slot.table, slot.offset]);
}

fn operand(out: &mut Vec<u32>, operand: Operand) {
    out.push(u32::from(operand.index.is_some()));
    if let Some(index) = operand.index {
        slot(out, index);
    }
    slot(out, operand.slot);
}

impl Instruction {
    /// Its words.
    pub fn words(&self) -> Vec<u32> {
        let mut out = Vec::with_capacity(8);
        self.push(&mut out);
        out
    }

    fn push(&self, out: &mut Vec<u32>) {
        out.extend([self.word, self.operands.len() as u32]);
        self.operands.iter().chain([&self.result]).for_each(|it| operand(out, *it));
    }
}

impl OutputMap {
    /// The words of the comment behind its name.
    pub fn words(&self) -> Vec<u32> {
        let mut out: Vec<u32> = self.first.iter().chain(&self.count).copied().collect();
        for ranges in &self.ranges {
            out.push(ranges.len() as u32);
            out.extend(ranges.iter().flat_map(|(first, count)| [*first, *count]));
        }
        out
    }
}

impl Block {
    /// The words, with the token of a comment.
    pub fn words(&self) -> Vec<u32> {
        let named = |name: &[u8; 4]| alloc::vec![u32::from_le_bytes(*name)];
        let inside = match self {
            Self::Words(words) => return words.clone(),
            Self::Table(words) | Self::Comment(words) => words.clone(),
            Self::Outputs(map) => {
                let mut out = named(b"PRSI");
                out.extend(map.words());
                out
            }
            Self::Literals(bits) => {
                let mut out = named(b"CLIT");
                out.push(bits.len() as u32);
                out.extend(bits.iter().flat_map(|bits| [*bits as u32, (*bits >> 32) as u32]));
                out
            }
            Self::Code(instructions) => {
                let mut out = named(b"FXLC");
                out.push(instructions.len() as u32);
                instructions.iter().for_each(|instruction| instruction.push(&mut out));
                out.extend(END_MARKS);
                out
            }
        };
        let mut out = Vec::with_capacity(inside.len() + 1);
        out.push(u32::from(code::COMMENT) | (inside.len() as u32 & 0x7fff) << 16);
        out.extend(inside);
        out
    }
}

impl Preshader {
    /// The words of the stream, the version token first.
    pub fn words(&self) -> Vec<u32> {
        let mut out = alloc::vec![self.version.0];
        self.blocks.iter().for_each(|block| out.extend(block.words()));
        out.extend_from_slice(&self.end);
        out
    }

    /// The words of the comment `PRES`, its name the first one.
    pub fn comment(&self) -> Vec<u32> {
        let mut out = alloc::vec![u32::from_le_bytes(*super::NAME)];
        out.extend(self.words());
        out
    }
}
