//! From words to a preshader. A comment is taken apart only if putting it together gives the same words; else it is kept
//! as it is, with a finding.

use super::{
    Block, END_MARKS, Instruction, MALFORMED, Operand, OutputMap, Preshader, Slot, UNKNOWN, ctab, finding,
};
use crate::d3d9::program::{ItemKind, Program};
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;

/// Most findings of one preshader.
const MAX_FINDINGS: usize = 50;

/// Reads a stream: the version token is the first word. There is a preshader unless there is no word.
pub fn read(words: &[u32]) -> (Option<Preshader>, Vec<Diagnostic>) {
    if words.is_empty() {
        return (None, alloc::vec![finding(MALFORMED, "the stream is empty")]);
    }
    let program = Program::new(words.to_vec(), &[]);
    let mut findings = Vec::new();
    let mut blocks: Vec<Block> = Vec::new();
    let mut end = Vec::new();
    for item in program.items() {
        let words = program.words_of(*item);
        match item.kind {
            ItemKind::Version => {}
            ItemKind::Comment => blocks.push(block(words.get(1..).unwrap_or(&[]), &mut findings)),
            ItemKind::End | ItemKind::Tail => end.extend_from_slice(words),
            ItemKind::Instruction | ItemKind::Stray | ItemKind::Cut => {
                if item.kind == ItemKind::Cut {
                    findings.push(finding(MALFORMED, "the stream is cut off"));
                } else {
                    findings.push(finding(
                        MALFORMED,
                        format!("{:08x} is not a comment", words.first().unwrap_or(&0)),
                    ));
                }
                // One block for all that stand together.
                match blocks.last_mut() {
                    Some(Block::Words(before)) => before.extend_from_slice(words),
                    _ => blocks.push(Block::Words(words.to_vec())),
                }
            }
        }
    }
    let version = program.version();
    if !version.is_preshader() {
        findings.insert(
            0,
            finding(MALFORMED, format!("{:08x} is not a version token of a preshader", version.0)),
        );
    }
    let preshader = Preshader { version, blocks, end };
    judge(&preshader, &mut findings);
    findings.truncate(MAX_FINDINGS);
    (Some(preshader), findings)
}

/// A comment by its name.
pub(super) fn block(words: &[u32], findings: &mut Vec<Diagnostic>) -> Block {
    let name = words.first().map(|word| word.to_le_bytes());
    let inside = words.get(1..).unwrap_or(&[]);
    let read = match name.as_ref() {
        Some(ctab::NAME) => return Block::Table(words.to_vec()),
        Some(b"PRSI") => outputs(inside).map(Block::Outputs),
        Some(b"CLIT") => literals(inside).map(Block::Literals),
        Some(b"FXLC") => code(inside).map(Block::Code),
        _ => return Block::Comment(words.to_vec()),
    };
    let name = name.unwrap_or_default();
    read.unwrap_or_else(|| {
        let name = name.map(char::from);
        let name = format!("{}{}{}{}", name[0], name[1], name[2], name[3]);
        findings.push(finding(MALFORMED, format!("the comment {name} does not have the layout of one")));
        Block::Comment(words.to_vec())
    })
}

fn outputs(words: &[u32]) -> Option<OutputMap> {
    let mut words = words.iter().copied();
    let mut next = || words.next();
    let mut map = OutputMap {
        first: [next()?, next()?, next()?],
        count: [next()?, next()?, next()?],
        ranges: Default::default(),
    };
    for ranges in &mut map.ranges {
        for _ in 0..next()? {
            ranges.push((next()?, next()?));
        }
    }
    words.next().is_none().then_some(map)
}

fn literals(words: &[u32]) -> Option<Vec<u64>> {
    let (count, words) = words.split_first()?;
    if (*count as usize).checked_mul(2) != Some(words.len()) {
        return None;
    }
    Some(words.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect())
}

/// The words of an instruction, one by one.
struct Words<'a>(&'a [u32]);

impl Words<'_> {
    fn next(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn slot(&mut self) -> Option<Slot> {
        Some(Slot { table: self.next()?, offset: self.next()? })
    }

    fn operand(&mut self) -> Option<Operand> {
        match self.next()? {
            0 => Some(Operand { slot: self.slot()?, index: None }),
            1 => {
                let index = self.slot()?;
                Some(Operand { slot: self.slot()?, index: Some(index) })
            }
            _ => None,
        }
    }
}

fn code(words: &[u32]) -> Option<Vec<Instruction>> {
    let mut words = Words(words);
    let count = words.next()?;
    let mut out = Vec::new();
    for _ in 0..count {
        out.push(instruction(&mut words)?);
    }
    (words.0 == END_MARKS).then_some(out)
}

fn instruction(words: &mut Words<'_>) -> Option<Instruction> {
    let word = words.next()?;
    let count = words.next()? as usize;
    // An operand has three words.
    if count > words.0.len() / 3 {
        return None;
    }
    let mut operands = Vec::with_capacity(count);
    for _ in 0..count {
        operands.push(words.operand()?);
    }
    Some(Instruction { word, operands, result: words.operand()? })
}

/// An instruction by itself, from its words: for `.raw`.
pub(super) fn single(words: &[u32]) -> Option<Instruction> {
    let mut words = Words(words);
    instruction(&mut words).filter(|_| words.0.is_empty())
}

/// What cannot be evaluated, though it can be read.
fn judge(preshader: &Preshader, findings: &mut Vec<Diagnostic>) {
    findings.extend(preshader.table().1);
    for (n, instruction) in preshader.code().iter().enumerate() {
        if findings.len() >= MAX_FINDINGS {
            return;
        }
        let mut say = |rule, what| findings.push(finding(rule, format!("instruction {n}: {what}")));
        if instruction.op().is_none() {
            let (code, count) = (instruction.code(), instruction.operands.len());
            say(UNKNOWN, format!("there is no operation {code:03x} of {count} operands"));
        }
        if instruction.reserved() != 0 {
            say(UNKNOWN, format!("the word {:08x} has bits without known meaning", instruction.word));
        }
        let slots = instruction.operands.iter().chain([&instruction.result]);
        let slots = slots.flat_map(|operand| [Some(operand.slot), operand.index]).flatten();
        if let Some(slot) = slots.into_iter().find(|slot| slot.file().is_none()) {
            say(UNKNOWN, format!("there is no table {}", slot.table));
        }
        let literals = preshader.literals().len();
        let outside = |n: usize, operand: &Operand| {
            let end = operand.slot.offset as usize + instruction.operand_lanes(n) as usize;
            operand.slot.file() == Some(super::File::Literal) && operand.index.is_none() && end > literals
        };
        if instruction.operands.iter().enumerate().any(|(n, operand)| outside(n, operand)) {
            say(MALFORMED, format!("reads numbers past the last of {literals}"));
        }
    }
}
