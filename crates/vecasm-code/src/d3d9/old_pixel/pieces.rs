//! A program as runs of arithmetic, and what stays between them.

use super::operations::{
    ALPHA, Contents, List, MOST, Op, Operand, Operands, PLACES, Plain, Value, at_start, cost, is_arithmetic,
    is_four, is_temporary, lanes_read, place,
};
use alloc::boxed::Box;
use alloc::vec::Vec;
use vecasm_ir::operand::Swizzle;
use vecasm_isa::d3d9::program::{Destination, InstructionToken, Item, ItemKind, Program};
use vecasm_isa::d3d9::reads;
use vecasm_isa::d3d9::registers::RegType;
use vecasm_isa::d3d9::table::Opcode;
use vecasm_isa::table::Shape;

/// An item of a program; of an instruction with its number, from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) item: Item,
    pub(super) number: Option<u32>,
}

/// What stays, or a run of arithmetic.
#[derive(Debug)]
pub(super) enum Piece {
    Fixed(Part),
    Block(Box<Block>),
}

/// A run of arithmetic.
#[derive(Debug)]
pub(super) struct Block {
    /// All of its items: comments and what costs nothing between the instructions, too.
    pub(super) parts: Vec<Part>,
    /// The operations; `None` if they stay as they are.
    pub(super) list: Option<List>,
    /// Lanes of registers that its instructions read of what is there before, a mask each.
    pub(super) reads: [u8; PLACES],
    /// Lanes that they write.
    pub(super) writes: [u8; PLACES],
    /// What registers hold behind it.
    pub(super) contents: Contents,
    /// What it costs.
    pub(super) slots: u32,
}

impl Block {
    fn new(part: Part) -> Self {
        let (reads, writes) = ([0; PLACES], [0; PLACES]);
        Self { parts: alloc::vec![part], list: None, reads, writes, contents: at_start(), slots: 0 }
    }
}

pub(super) fn slots_of(piece: &Piece) -> u32 {
    match piece {
        Piece::Fixed(_) => 0,
        Piece::Block(block) => block.slots,
    }
}

/// The pieces of a program.
pub(super) fn pieces(program: &Program) -> Option<Vec<Piece>> {
    let mut out: Vec<Piece> = Vec::new();
    // What may stand between the instructions of a run, or behind it.
    let mut pending: Vec<Part> = Vec::new();
    let mut numbers = 0..;
    // Whether the instruction in front can be the first half of a pair.
    let mut can_pair = false;
    for item in program.items().iter().copied() {
        let words = program.words_of(item);
        let is_instruction = match item.kind {
            ItemKind::Instruction => true,
            ItemKind::Stray | ItemKind::Cut => return None,
            _ => false,
        };
        let part = Part { item, number: if is_instruction { numbers.next() } else { None } };
        let token = InstructionToken(words.first().copied().unwrap_or(0));
        if is_instruction {
            let arithmetic = is_arithmetic(words);
            let paired = token.is_coissued();
            if paired && !(can_pair && arithmetic) {
                return None;
            }
            can_pair = arithmetic && !paired;
            if arithmetic {
                if let Some(Piece::Block(block)) = out.last_mut() {
                    block.parts.append(&mut pending);
                    block.parts.push(part);
                } else {
                    out.extend(pending.drain(..).map(Piece::Fixed));
                    out.push(Piece::Block(Box::new(Block::new(part))));
                }
                continue;
            }
            if matches!(token.opcode(), Some(Opcode::Nop | Opcode::Def)) {
                pending.push(part);
                continue;
            }
        } else if item.kind == ItemKind::Comment {
            pending.push(part);
            continue;
        }
        out.extend(pending.drain(..).map(Piece::Fixed));
        out.push(Piece::Fixed(part));
    }
    out.extend(pending.drain(..).map(Piece::Fixed));
    let apart = |piece| match piece {
        Piece::Block(block) => around_choices(program, *block),
        piece => alloc::vec![piece],
    };
    Some(out.into_iter().flat_map(apart).collect())
}

/// Whether an instruction is a choice between colours by r0.a: up to 1.3, what it does in a pair is not what it does alone.
fn is_choice(program: &Program, part: Part) -> bool {
    let words = program.words_of(part.item);
    let code = InstructionToken(words.first().copied().unwrap_or(0)).opcode();
    let mask = words.get(1).map_or(0, |to| Destination(*to).mask().bits());
    code == Some(Opcode::Cnd) && mask != ALPHA && !is_four(program.version())
}

/// A run as several, where pairs with such a choice stand alone.
fn around_choices(program: &Program, block: Block) -> Vec<Piece> {
    let is_second = |part: &Part| {
        let token = program.words_of(part.item).first();
        part.number.is_some() && token.is_some_and(|token| InstructionToken(*token).is_coissued())
    };
    let mut out: Vec<Block> = Vec::new();
    // Whether what comes next begins a run of its own.
    let mut closed = true;
    let mut parts = block.parts.into_iter().peekable();
    while let Some(part) = parts.next() {
        let second = parts.next_if(is_second);
        let alone = second.is_some_and(|second| is_choice(program, part) || is_choice(program, second));
        match out.last_mut().filter(|_| !closed && !alone) {
            Some(run) => run.parts.push(part),
            None => out.push(Block::new(part)),
        }
        if let (Some(run), Some(second)) = (out.last_mut(), second) {
            run.parts.push(second);
        }
        closed = alone;
    }
    out.into_iter().map(|block| Piece::Block(Box::new(block))).collect()
}

/// What a texture instruction reads and writes of the registers; `None` if it is not as it should be.
fn touched(program: &Program, part: Part) -> Option<([u8; PLACES], [u8; PLACES])> {
    let (mut read, mut written) = ([0; PLACES], [0; PLACES]);
    let words = program.words_of(part.item);
    let code = InstructionToken(words.first().copied().unwrap_or(0)).opcode();
    let harmless = matches!(code, Some(Opcode::Phase | Opcode::Def | Opcode::Nop));
    if part.number.is_none() || harmless {
        return Some((read, written));
    }
    let version = program.version();
    let code = code?;
    let Operands { to, sources } = Operands::of(words, version)?;
    let lanes = to.map_or(15, |to| to.mask().bits());
    for (n, (shape, source)) in sources.iter().enumerate() {
        // Up to 1.3 texkill reads coordinates, and from 1.4 on t# holds nothing else.
        let own = source.reg_type() == Some(RegType::AddrOrTexture);
        let input = own && (is_four(version) || code == Opcode::Texkill);
        if input || matches!(source.reg_type(), Some(RegType::Const | RegType::Input)) {
            continue;
        }
        let swizzle = if *shape == Shape::Read { Swizzle::IDENTITY } else { source.swizzle() };
        let mut mask = lanes_read(code, version, n, swizzle, lanes).bits();
        // A quotient by some lane.
        if *shape != Shape::Read && source.modifier() >= 9 {
            mask = 15;
        }
        *read.get_mut(place(source.reg_type(), source.number())?)? |= mask;
    }
    if let Some(to) = to {
        let place = place(to.reg_type(), to.number())?;
        match reads::destination(code) {
            None => *written.get_mut(place)? |= lanes,
            Some(mask) if code == Opcode::Texdepth => *read.get_mut(place)? |= mask.bits(),
            // Rows of a matrix: what is read are coordinates.
            Some(_) => {}
        }
    }
    Some((read, written))
}

/// What is wanted in front of a piece that stays.
pub(super) fn go_before(program: &Program, part: Part, wanted: &mut [u8; PLACES]) -> Option<()> {
    let (read, written) = touched(program, part)?;
    for ((wanted, read), written) in wanted.iter_mut().zip(read).zip(written) {
        *wanted = *wanted & !written | read;
    }
    Some(())
}

/// Takes the runs of arithmetic of a program apart; `None` if an instruction is not as it should be, or
/// none writes the result.
pub(super) fn look(program: &Program, pieces: &mut [Piece]) -> Option<()> {
    // Lanes that are written so far, and the r registers that are used at all, a bit each.
    let mut written = [0_u8; PLACES];
    let mut used = 0_u8;
    let mut depth = None;
    for piece in pieces.iter_mut() {
        match piece {
            Piece::Fixed(part) => {
                let (reads, writes) = touched(program, *part)?;
                go_on(&mut written, reads, writes)?;
                let words = program.words_of(part.item);
                let code = InstructionToken(words.first().copied().unwrap_or(0)).opcode();
                if part.number.is_some() && code == Some(Opcode::Texdepth) {
                    depth = words.get(1).map(|word| *word & 0x7ff);
                }
            }
            Piece::Block(block) => {
                block.take_apart(program)?;
                go_on(&mut written, block.reads, block.writes)?;
                // What holds the depth is not read any more.
                let kept = depth.and_then(|place| 1_u8.checked_shl(place)).unwrap_or(0);
                if let Some(list) = &mut block.list {
                    list.free = !kept;
                }
            }
        }
    }
    // What leaves r0 as it was is no shader, but part of one.
    if written.first() == Some(&0) {
        return None;
    }
    for (place, lanes) in written.iter().enumerate().take(8) {
        used |= u8::from(*lanes != 0 && is_temporary(place)) << place;
    }
    // As many registers as there were, at most.
    let used = u8::MAX.checked_shr(used.leading_zeros()).unwrap_or(0);
    for piece in pieces {
        if let Piece::Block(block) = piece {
            block.list.iter_mut().for_each(|list| list.free &= used);
        }
    }
    Some(())
}

/// Notes what is written; `None` if a t register is read that holds nothing: it is coordinates until some lane of it is written.
fn go_on(written: &mut [u8; PLACES], reads: [u8; PLACES], writes: [u8; PLACES]) -> Option<()> {
    for (place, ((known, read), more)) in written.iter_mut().zip(reads).zip(writes).enumerate() {
        if !is_temporary(place) && read & !*known != 0 {
            return None;
        }
        *known |= more;
    }
    Some(())
}

impl Block {
    /// Finds its operations, and what they read, write and cost.
    fn take_apart(&mut self, program: &Program) -> Option<()> {
        let version = program.version();
        let mut ops: Vec<Op> = Vec::new();
        let mut stays = false;
        // What both halves of a pair read.
        let mut before = self.contents;
        let mut first = None;
        for part in &self.parts {
            let words = program.words_of(part.item);
            let Some(number) = part.number.filter(|_| is_arithmetic(words)) else { continue };
            let plain = Plain::of(words, version)?;
            let home = place(plain.to.reg_type(), plain.to.number())?;
            let mask = plain.to.mask().bits();
            if !plain.is_paired {
                before = self.contents;
                self.slots += cost(plain.code, version);
            }
            let choice = is_choice(program, *part);
            stays |= plain.is_paired && (choice || first == Some(true));
            first = Some(choice);
            let mut sources = Vec::with_capacity(3);
            for (n, source) in plain.sources.iter().enumerate() {
                let values = place(source.reg_type(), source.number());
                let values = values.filter(|_| source.reg_type() != Some(RegType::Const));
                for lane in lanes_read(plain.code, version, n, source.swizzle(), mask).lanes() {
                    let start = values.map(|place| before[place][lane & 3]).and_then(Value::start);
                    if let Some(reads) = start.and_then(|place| self.reads.get_mut(place)) {
                        *reads |= 1 << lane;
                    }
                }
                sources.push(Operand {
                    ty: source.reg_type()?,
                    number: source.number(),
                    swizzle: source.swizzle(),
                    modifier: source.modifier(),
                    values: values.map(|place| before[place]),
                });
            }
            for lane in plain.to.mask().lanes() {
                self.contents[home][lane & 3] = Value::result(ops.len(), lane);
            }
            self.writes[home] |= mask;
            let (code, to, steps) = (plain.code, plain.to, alloc::vec![number]);
            ops.push(Op { code, to, home, mask, live: mask, sources, steps });
        }
        if !stays && ops.len() <= MOST {
            self.list = Some(List { version, ops, finals: [[None; 4]; PLACES], free: 0 });
        }
        Some(())
    }
}
