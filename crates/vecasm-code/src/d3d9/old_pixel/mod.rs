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
//! | `pieces` | runs of arithmetic, and what stays between them |
//! | `operations` | arithmetic as operations on values |
//! | `clean` | fewer operations |
//! | `schedule` | orders, pairs and registers, by search |

mod clean;
mod operations;
mod pieces;
mod schedule;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use clean::Step;
use operations::{List, MOST, PLACES, is_arithmetic};
use pieces::{Block, Part, Piece, go_before, look, pieces, slots_of};
use schedule::{Placed, Slot, Solved, solve};
use vecasm_isa::d3d9::program::{InstructionToken, Program, Stage, Version};
use vecasm_isa::d3d9::rules::slot_counts;

/// How a pixel shader is made shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PixelOptions {
    /// Whether the operations stay what they are, and only slots and registers change.
    pub schedule_only: bool,
    /// Nodes of the search, at most.
    pub budget: u32,
}

impl Default for PixelOptions {
    fn default() -> Self {
        Self { schedule_only: false, budget: 20_000 }
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
/// is, and so does a program whose words are not as they should be, or that never writes r0.
pub fn shorten_pixel(program: &Program, options: &PixelOptions) -> ShorterPixel {
    made(program, options).unwrap_or_else(|| ShorterPixel {
        program: program.clone(),
        steps: (0..program.instructions().count() as u32).map(|n| alloc::vec![n]).collect(),
        bound: None,
        nodes: 0,
    })
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
            // The first half is what the pair costs.
            Some(second) if list.cost(second.op) < list.cost(first.op) => {
                self.instruction(list, second, false);
                self.instruction(list, first, true);
            }
            Some(second) => {
                self.instruction(list, first, false);
                self.instruction(list, second, true);
            }
            None => self.instruction(list, first, false),
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
        let Found { order, bound: least } = shorter(block, &wanted, options, &mut nodes);
        bound = bound.zip(least).map(|(bound, least)| bound + least);
        match &order {
            Some((list, _)) => wanted = wanted_before(list),
            None => {
                for ((wanted, reads), writes) in wanted.iter_mut().zip(block.reads).zip(block.writes) {
                    *wanted = *wanted & !writes | reads;
                }
            }
        }
        found.push(order);
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

/// What was found for a run of arithmetic.
struct Found {
    /// Its operations in fewer slots, if there are any.
    order: Option<(List, Vec<Slot>)>,
    /// The fewest slots that its operations need; `None` if it was not taken apart.
    bound: Option<u32>,
}

/// Looks for fewer slots for a run of arithmetic behind which those lanes are read.
fn shorter(block: &Block, wanted: &[u8; PLACES], options: &PixelOptions, nodes: &mut u32) -> Found {
    let Some(mut list) = block.list.clone().filter(|_| *nodes < options.budget) else {
        // A pair that stays one, or something too long.
        let bound = (block.list.is_none() && block.parts.len() <= MOST).then_some(block.slots);
        return Found { order: None, bound };
    };
    for ((finals, wanted), contents) in list.finals.iter_mut().zip(wanted).zip(block.contents) {
        for (lane, value) in contents.into_iter().enumerate().filter(|(lane, _)| wanted >> lane & 1 == 1) {
            finals[lane] = Some(value);
        }
    }
    let splits = !options.schedule_only;
    if splits {
        list.narrow();
    }
    // None of many lists takes all nodes.
    let mut solved = |list: &List, most: u32| {
        let left = options.budget.saturating_sub(*nodes);
        (left > 0).then(|| solve(list, most, splits, nodes, left.min(options.budget / 4 + 1)))
    };
    let Some(mut best) = solved(&list, block.slots) else { return Found { order: None, bound: None } };
    if splits {
        while let Some(next) = improved(&list, &best, block.slots, &mut solved) {
            (list, best) = next;
        }
    }
    let bound = Some(best.bound.min(block.slots));
    let order = best.slots.filter(|_| best.cost < block.slots).map(|slots| (list, slots));
    Found { order, bound }
}

/// A list that a step makes, which is in fewer slots, or in as many and writes less.
fn improved(
    list: &List,
    best: &Solved,
    most: u32,
    solved: &mut impl FnMut(&List, u32) -> Option<Solved>,
) -> Option<(List, Solved)> {
    let known = best.slots.as_ref().map(|_| (best.cost, list.size()));
    let steps = (0..list.ops.len()).flat_map(|op| Step::ALL.map(|step| (op, step)));
    steps.into_iter().find_map(|(op, step)| {
        let next = step.taken(list, op)?;
        let found = solved(&next, known.map_or(most, |(cost, _)| cost))?;
        let is_better = known.is_none_or(|known| (found.cost, next.size()) < known);
        (found.slots.is_some() && is_better).then_some((next, found))
    })
}
