//! What has to be known of a program before it is run: declarations, definitions, where labels stand, and which
//! registers loops and subroutines write.

use super::registers::{REGISTERS, slot};
use super::{FLOW, INSTRUCTION, Refusal, Result};
use crate::d3d9::program::{Destination, InstructionToken, ItemKind, Program, Usage, Version};
use crate::d3d9::registers::RegType;
use crate::d3d9::table::Opcode;
use crate::table::{Flow, Shape};
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::operand::WriteMask;

/// An instruction and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code {
    pub(super) op: Opcode,
    /// Its first word.
    pub(super) word: u32,
    /// Number of its words, 1–16.
    pub(super) len: u8,
    /// Whether it is the second of a pair.
    pub(super) coissued: bool,
    /// Its number among the instructions, from 0.
    pub(super) number: u32,
}

/// The lanes of each register that is [renamed](slot) that are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) masks: [u8; REGISTERS],
}

impl Written {
    const NOTHING: Self = Self { masks: [0; REGISTERS] };

    fn unite(&mut self, other: &Self) {
        for (to, from) in self.masks.iter_mut().zip(other.masks) {
            *to |= from;
        }
    }
}

/// A part of the program: the main program, or a subroutine.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// The number of the label; `None` is the main program.
    pub(super) label: Option<u16>,
    /// The place of its first instruction, behind the label.
    pub(super) start: usize,
    /// Whether a return stands inside a block.
    pub(super) early: bool,
    /// What it writes.
    pub(super) written: Written,
    calls: bool,
}

/// A loop.
#[derive(Clone, Debug)]
pub(super) struct LoopScan {
    /// The place of the instruction that opens it.
    pub(super) at: usize,
    /// What is written in it.
    pub(super) written: Written,
    calls: bool,
}

/// A declaration of an input or output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub(super) ty: RegType,
    pub(super) number: u16,
    pub(super) mask: WriteMask,
    pub(super) usage: Usage,
    pub(super) modifiers: u8,
}

/// See the file.
pub(super) struct Scan<'a> {
    pub(super) words: &'a [u32],
    pub(super) code: Vec<Code>,
    /// The main program first.
    pub(super) sections: Vec<Section>,
    /// In the order of the program.
    pub(super) loops: Vec<LoopScan>,
    /// Samplers and their kinds.
    pub(super) samplers: Vec<(u16, u8)>,
    pub(super) declared: Vec<Declared>,
    /// What the program defines; the last one of a number counts, and stands alone. In ascending order.
    pub(super) floats: Vec<(u16, [u32; 4])>,
    pub(super) integers: Vec<(u16, [u32; 4])>,
    pub(super) flags: Vec<(u16, bool)>,
}

/// A refusal with the word and the number of the instruction.
type At = (Refusal, (u32, u32));

impl<'a> Scan<'a> {
    pub(super) fn new(program: &'a Program) -> core::result::Result<Self, At> {
        let version = program.version();
        let mut scan = Self {
            words: program.words(),
            code: Vec::with_capacity(program.items().len()),
            sections: Vec::with_capacity(1),
            loops: Vec::new(),
            samplers: Vec::new(),
            declared: Vec::new(),
            floats: Vec::new(),
            integers: Vec::new(),
            flags: Vec::new(),
        };
        scan.sections.push(Section {
            label: None,
            start: 0,
            early: false,
            written: Written::NOTHING,
            calls: false,
        });
        // Loops that are open, and how many blocks.
        let (mut open, mut blocks) = (Vec::new(), 0_u32);
        let mut number = 0;
        for item in program.items() {
            let words = program.words_of(*item);
            let token = InstructionToken(words.first().copied().unwrap_or(0));
            let refuse = |what| (Refusal::new(INSTRUCTION, what), (item.start, number));
            match item.kind {
                ItemKind::Instruction => {}
                ItemKind::Stray => {
                    return Err(refuse(format!("{:08x} is not an instruction", token.0)));
                }
                ItemKind::Cut => return Err(refuse("the instruction is cut off".into())),
                _ => continue,
            }
            let Some(op) = token.opcode() else {
                return Err(refuse(format!("there is no instruction with the code {:04x}", token.code())));
            };
            let code = Code {
                op,
                word: item.start,
                len: item.len.min(16) as u8,
                coissued: token.is_coissued(),
                number,
            };
            number += 1;
            if scan.setup(op, words) {
                continue;
            }
            scan.code.push(code);
            let at = scan.code.len() - 1;
            let found = scan.flow(at, op, words, &mut open, &mut blocks);
            found.map_err(|refusal| (refusal, (code.word, code.number)))?;
            if op.row().forms.first().is_some_and(|form| form.shape.first() == Some(&Shape::Dst)) {
                scan.written(version, words, &open);
            }
        }
        scan.finish();
        Ok(scan)
    }

    /// Notes what declarations and definitions say; `false` if the instruction is neither.
    fn setup(&mut self, op: Opcode, words: &[u32]) -> bool {
        let word = |n: usize| words.get(n).copied().unwrap_or(0);
        match op {
            Opcode::Dcl => {
                let (usage, to) = (Usage(word(1)), Destination(word(2)));
                match to.reg_type() {
                    Some(RegType::Sampler) => self.samplers.push((to.number(), usage.kind())),
                    Some(ty) => self.declared.push(Declared {
                        ty,
                        number: to.number(),
                        mask: to.mask(),
                        usage,
                        modifiers: to.modifiers(),
                    }),
                    None => {}
                }
            }
            Opcode::Def => {
                let (to, numbers) = (Destination(word(1)), [2, 3, 4, 5].map(word));
                let first = match to.reg_type() {
                    Some(RegType::Const2) => 2048,
                    Some(RegType::Const3) => 4096,
                    Some(RegType::Const4) => 6144,
                    _ => 0,
                };
                self.floats.push((to.number() + first, numbers));
            }
            Opcode::Defi => self.integers.push((Destination(word(1)).number(), [2, 3, 4, 5].map(word))),
            Opcode::Defb => self.flags.push((Destination(word(1)).number(), word(2) != 0)),
            _ => return false,
        }
        true
    }

    /// Notes labels, loops and returns.
    fn flow(
        &mut self,
        at: usize,
        op: Opcode,
        words: &[u32],
        open: &mut Vec<usize>,
        blocks: &mut u32,
    ) -> Result<()> {
        match op.row().flow {
            Flow::If => *blocks += 1,
            Flow::Loop => {
                *blocks += 1;
                open.push(self.loops.len());
                self.loops.push(LoopScan { at, written: Written::NOTHING, calls: false });
            }
            Flow::EndIf => *blocks = blocks.saturating_sub(1),
            Flow::EndLoop => {
                *blocks = blocks.saturating_sub(1);
                open.pop();
            }
            Flow::Return => {
                if let (true, Some(section)) = (*blocks > 0, self.sections.last_mut()) {
                    section.early = true;
                }
            }
            Flow::Call => {
                for &n in open.iter() {
                    self.loops[n].calls = true;
                }
                if let Some(section) = self.sections.last_mut() {
                    section.calls = true;
                }
            }
            Flow::Label => {
                let number = Destination(words.get(1).copied().unwrap_or(0)).number();
                if self.sections.iter().any(|section| section.label == Some(number)) {
                    return Err(Refusal::new(FLOW, format!("label l{number} is defined twice")));
                }
                open.clear();
                *blocks = 0;
                self.sections.push(Section {
                    label: Some(number),
                    start: at + 1,
                    early: false,
                    written: Written::NOTHING,
                    calls: false,
                });
            }
            // The others neither open nor close anything.
            _ => {}
        }
        Ok(())
    }

    fn written(&mut self, version: Version, words: &[u32], open: &[usize]) {
        let to = Destination(words.get(1).copied().unwrap_or(0));
        let Some(slot) = to.reg_type().and_then(|ty| slot(version, ty, to.number())) else { return };
        let mask = to.mask().bits();
        for &n in open {
            self.loops[n].written.masks[slot] |= mask;
        }
        if let Some(section) = self.sections.last_mut() {
            section.written.masks[slot] |= mask;
        }
    }

    fn finish(&mut self) {
        // A subroutine may call every other one.
        let mut all = Written::NOTHING;
        for section in self.sections.iter().skip(1) {
            all.unite(&section.written);
        }
        for section in self.sections.iter_mut().filter(|section| section.calls) {
            section.written.unite(&all);
        }
        for cycle in self.loops.iter_mut().filter(|cycle| cycle.calls) {
            cycle.written.unite(&all);
        }
        last_of_each(&mut self.floats);
        last_of_each(&mut self.integers);
        last_of_each(&mut self.flags);
    }

    /// The subroutine behind a label.
    pub(super) fn subroutine(&self, label: u16) -> Option<usize> {
        self.sections.iter().position(|section| section.label == Some(label))
    }

    /// The loop that the instruction at a place opens.
    pub(super) fn loop_at(&self, at: usize) -> Option<&LoopScan> {
        let n = self.loops.binary_search_by_key(&at, |cycle| cycle.at).ok()?;
        self.loops.get(n)
    }

    /// The words of an instruction.
    pub(super) fn words_of(&self, code: Code) -> &'a [u32] {
        let start = code.word as usize;
        self.words.get(start..start + usize::from(code.len)).unwrap_or(&[])
    }
}

/// Sorts definitions; of those of one number the last one stays.
fn last_of_each<T>(list: &mut Vec<(u16, T)>) {
    list.reverse();
    list.sort_by_key(|definition| definition.0);
    list.dedup_by_key(|definition| definition.0);
}
