//! Pixel shaders ps_1_0 to ps_1_4 in fewer slots, at the level of their tokens.
//!
//! Nothing can be said of a shader in these models but what was one of them: a texture instruction is state, place and formula in one. So
//! texture instructions, `phase`, definitions and comments stay what they are and where they are, and each run of arithmetic between them
//! is taken apart into operations and put together again. What the registers hold at its borders is what it was.
//!
//! ```text
//! Program ─pieces→ blocks ─operations→ List ─clean→ List ─schedule→ slots ─write→ Program
//! ```
//!
//! | file | does |
//! |---|---|
//! | `operations` | arithmetic as operations on values |
//! | `clean` | fewer operations |
//! | `schedule` | orders, pairs and registers, by search |

mod clean;
mod operations;
mod schedule;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use clean::Step;
use operations::{
    ALPHA, Contents, List, MOST, Op, Operand, PLACES, Plain, Value, cost, is_arithmetic, is_four, lanes_read,
    operands, place,
};
use schedule::{Placed, Slot, solve};
use vecasm_ir::operand::Swizzle;
use vecasm_isa::d3d9::program::{InstructionToken, Item, ItemKind, Program, Stage, Version};
use vecasm_isa::d3d9::reads;
use vecasm_isa::d3d9::registers::RegType;
use vecasm_isa::d3d9::rules::slot_counts;
use vecasm_isa::d3d9::table::Opcode;
use vecasm_isa::table::Shape;

/// How a pixel shader is made shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PixelOptions {
    /// Whether the operations stay what they are, and only slots and registers change.
    pub schedule_only: bool,
    /// Nodes of the search, at most, for each run of arithmetic.
    pub budget: u32,
}

impl Default for PixelOptions {
    fn default() -> Self {
        Self { schedule_only: false, budget: 40_000 }
    }
}

/// A pixel shader in fewer slots, or the same one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShorterPixel {
    /// The program.
    pub program: Program,
    /// For each of its instructions, definitions too, those of the source that it does the work of, from 0.
    pub steps: Vec<Vec<u32>>,
    /// No program of these operations has fewer slots, whatever their order; `None` if the program was not taken apart.
    pub bound: Option<usize>,
    /// Nodes of the search.
    pub nodes: u32,
}

/// Whether programs of that version are made shorter here.
pub const fn is_old_pixel(version: Version) -> bool {
    matches!(version.known_stage(), Some(Stage::Pixel)) && version.major() == 1 && version.minor() <= 4
}

/// Makes a program of ps_1_0 to ps_1_4 shorter. The result may be the same: where nothing is gained, a run of arithmetic stays as it
/// is, and so does a program whose words are not as they should be.
pub fn shorten_pixel(program: &Program, options: &PixelOptions) -> ShorterPixel {
    made(program, options).unwrap_or_else(|| ShorterPixel {
        program: program.clone(),
        steps: (0..program.instructions().count() as u32).map(|n| alloc::vec![n]).collect(),
        bound: None,
        nodes: 0,
    })
}

/// An item of a program; of an instruction with its number, from 0.
#[derive(Clone, Copy, Debug)]
struct Part {
    item: Item,
    number: Option<u32>,
}

/// What stays, or a run of arithmetic.
#[derive(Debug)]
enum Piece {
    Fixed(Part),
    Block(Block),
}

/// A run of arithmetic.
#[derive(Debug)]
struct Block {
    /// All of its items: comments and what costs nothing between the instructions, too.
    parts: Vec<Part>,
    /// The operations; `None` if they stay as they are.
    list: Option<List>,
    /// Lanes of registers that its instructions read of what is there before, a mask each.
    reads: [u8; PLACES],
    /// Lanes that they write.
    writes: [u8; PLACES],
    /// What registers hold behind it.
    contents: Contents,
    /// What it costs.
    slots: u32,
}

impl Block {
    fn new(part: Part) -> Self {
        let (reads, writes) = ([0; PLACES], [0; PLACES]);
        Self { parts: alloc::vec![part], list: None, reads, writes, contents: at_start(), slots: 0 }
    }
}

/// Registers with what they hold at the start.
fn at_start() -> Contents {
    let mut contents = [[Value::NONE; 4]; PLACES];
    for (place, lanes) in contents.iter_mut().enumerate() {
        for (lane, value) in lanes.iter_mut().enumerate() {
            *value = Value::initial(place, lane);
        }
    }
    contents
}

/// The words of a new program.
struct Writer<'a> {
    source: &'a Program,
    words: Vec<u32>,
    steps: Vec<Vec<u32>>,
}

impl Writer<'_> {
    fn copy(&mut self, part: Part) {
        self.words.extend_from_slice(self.source.words_of(part.item));
        if let Some(number) = part.number {
            self.steps.push(alloc::vec![number]);
        }
    }

    fn instruction(&mut self, list: &List, placed: &Placed, paired: bool) {
        let op = &list.ops[placed.op];
        let pair = if paired { InstructionToken::COISSUE } else { 0 };
        self.words.push(u32::from(op.code.row().code) | pair);
        self.words.push(op.destination(placed.to, placed.lanes));
        for (source, from) in op.sources.iter().zip(placed.from) {
            self.words.push(source.token(from));
        }
        self.steps.push(op.steps.clone());
    }

    fn slot(&mut self, list: &List, (first, second): &Slot) {
        match second {
            Some(second) if schedule::is_whole(list, first, second) => {
                let whole = Placed { lanes: first.lanes | second.lanes, ..*first };
                self.instruction(list, &whole, false);
            }
            second => {
                self.instruction(list, first, false);
                if let Some(second) = second {
                    self.instruction(list, second, true);
                }
            }
        }
    }
}

/// The shorter program; `None` if it has something that stands in the way.
fn made(program: &Program, options: &PixelOptions) -> Option<ShorterPixel> {
    if !is_old_pixel(program.version()) {
        return None;
    }
    let mut pieces = pieces(program)?;
    look(program, &mut pieces)?;
    let total = slot_counts(program).total();
    let before: u32 = pieces.iter().map(slots_of).sum();
    let mut nodes = 0;
    let mut bound = total.checked_sub(before);
    // Lanes that somebody reads behind a piece.
    let mut wanted = [0_u8; PLACES];
    if let Some(result) = wanted.first_mut() {
        *result = 15;
    }
    let mut found: Vec<Option<(List, Vec<Slot>)>> = Vec::with_capacity(pieces.len());
    for piece in pieces.iter().rev() {
        let block = match piece {
            Piece::Fixed(part) => {
                go_before(program, *part, &mut wanted)?;
                found.push(None);
                continue;
            }
            Piece::Block(block) => block,
        };
        let (best, least, used) = shorter(block, &wanted, options);
        nodes += used;
        bound = bound.zip(least).map(|(bound, least)| bound + least);
        match &best {
            Some((list, _)) => wanted = wanted_before(list),
            None => {
                for ((wanted, reads), writes) in wanted.iter_mut().zip(block.reads).zip(block.writes) {
                    *wanted = *wanted & !writes | reads;
                }
            }
        }
        found.push(best);
    }
    let mut writer = Writer { source: program, words: Vec::new(), steps: Vec::new() };
    for (piece, best) in pieces.iter().zip(found.iter().rev()) {
        match (piece, best) {
            (Piece::Fixed(part), _) => writer.copy(*part),
            (Piece::Block(block), None) => block.parts.iter().for_each(|part| writer.copy(*part)),
            (Piece::Block(block), Some((list, slots))) => {
                for part in block.parts.iter().filter(|part| !is_arithmetic(program.words_of(part.item))) {
                    writer.copy(*part);
                }
                slots.iter().for_each(|slot| writer.slot(list, slot));
            }
        }
    }
    let Writer { words, steps, .. } = writer;
    let program = Program::new(words, program.rest());
    Some(ShorterPixel { program, steps, bound: bound.map(|bound| bound as usize), nodes })
}

fn slots_of(piece: &Piece) -> u32 {
    match piece {
        Piece::Fixed(_) => 0,
        Piece::Block(block) => block.slots,
    }
}

/// The pieces of a program.
fn pieces(program: &Program) -> Option<Vec<Piece>> {
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
                    out.push(Piece::Block(Block::new(part)));
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
    Some(out)
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
    let (to, sources) = operands(words, version)?;
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
fn go_before(program: &Program, part: Part, wanted: &mut [u8; PLACES]) -> Option<()> {
    let (read, written) = touched(program, part)?;
    for ((wanted, read), written) in wanted.iter_mut().zip(read).zip(written) {
        *wanted = *wanted & !written | read;
    }
    Some(())
}

/// Takes the runs of arithmetic of a program apart; `None` if an instruction is not as it should be.
fn look(program: &Program, pieces: &mut [Piece]) -> Option<()> {
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
    for (place, lanes) in written.iter().enumerate().take(8) {
        used |= u8::from(*lanes != 0 && operations::is_temporary(place)) << place;
    }
    // As many registers as there were, at most.
    let used = u8::MAX.checked_shr(used.leading_zeros()).unwrap_or(0);
    for piece in pieces {
        if let Piece::Block(Block { list: Some(list), .. }) = piece {
            list.free &= used;
        }
    }
    Some(())
}

/// Notes what is written; `None` if a t register is read that holds nothing: it is coordinates until some lane of it is written.
fn go_on(written: &mut [u8; PLACES], reads: [u8; PLACES], writes: [u8; PLACES]) -> Option<()> {
    for (place, ((known, read), more)) in written.iter_mut().zip(reads).zip(writes).enumerate() {
        if !operations::is_temporary(place) && read & !*known != 0 {
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
        // What the halves of a pair write, and whether one may be no choice.
        let mut before = self.contents;
        let mut chooses = false;
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
            let choice = plain.code == Opcode::Cnd && mask != ALPHA && !is_four(version);
            stays |= plain.is_paired && (chooses || choice);
            chooses = choice;
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

/// The lanes that operations need of what registers hold at the start.
fn wanted_before(list: &List) -> [u8; PLACES] {
    let mut wanted = [0; PLACES];
    for value in list.reads().map(|(value, ..)| value).chain(list.last()) {
        if let Some(lanes) = value.start().and_then(|place| wanted.get_mut(place)) {
            *lanes |= 1 << value.lane();
        }
    }
    wanted
}

/// A run of arithmetic in fewer slots, if there are any; the fewest that its operations
/// need, if that is known, and the nodes that were looked at.
fn shorter(
    block: &Block,
    wanted: &[u8; PLACES],
    options: &PixelOptions,
) -> (Option<(List, Vec<Slot>)>, Option<u32>, u32) {
    let Some(mut list) = block.list.clone() else { return (None, None, 0) };
    for ((finals, wanted), contents) in list.finals.iter_mut().zip(wanted).zip(block.contents) {
        for (lane, value) in contents.into_iter().enumerate().filter(|(lane, _)| wanted >> lane & 1 == 1) {
            finals[lane] = Some(value);
        }
    }
    let splits = !options.schedule_only;
    if splits {
        list.narrow();
    }
    let mut nodes = 0;
    // None of many lists takes all nodes.
    let mut solved = |list: &List, most: u32| {
        let left = options.budget.saturating_sub(nodes);
        solve(list, most, splits, &mut nodes, left.min(options.budget / 4))
    };
    let mut best = solved(&list, block.slots);
    let price = |solved: &schedule::Solved, list: &List| (solved.cost, list.size());
    'again: while splits {
        for op in 0..list.ops.len() {
            for step in Step::ALL {
                let Some(next) = step.taken(&list, op) else { continue };
                let most = if best.slots.is_some() { best.cost } else { block.slots };
                let found = solved(&next, most);
                let is_better = best.slots.is_none() || price(&found, &next) < price(&best, &list);
                if found.slots.is_some() && is_better {
                    (list, best) = (next, found);
                    continue 'again;
                }
            }
        }
        break;
    }
    let bound = best.bound.min(block.slots);
    match best.slots {
        Some(slots) if best.cost < block.slots => (Some((list, slots)), Some(bound), nodes),
        _ => (None, Some(bound), nodes),
    }
}
