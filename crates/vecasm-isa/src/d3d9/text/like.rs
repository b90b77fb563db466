//! What a listing does not say, taken from the program that it is a listing of.
//!
//! An instruction of the text and one of the original correspond if the text says all that a listing of the original
//! says there, in one of the styles. The words of the original are taken then, with the comments between them, what is
//! behind the end and every bit that a listing leaves out. What was changed in the text is assembled, what was taken out
//! of it is left out.

use super::parse::{canonical, preshader_comment};
use super::print::{PrintOptions, Style, print};
use crate::d3d9::preshader::{self, Preshader};
use crate::d3d9::program::{Item, ItemKind, Program};
use alloc::vec::Vec;
use vecasm_ir::diag::Span;

/// Most cells of the table that is made to find what corresponds.
const MAX_CELLS: usize = 1 << 16;
/// How far ahead is looked without that table.
const WINDOW: usize = 64;

/// Whether an item is said by a statement.
fn is_said(item: &&Item) -> bool {
    matches!(item.kind, ItemKind::Instruction | ItemKind::Stray)
}

fn items_of(program: &Program) -> Vec<Item> {
    program.items().iter().filter(is_said).copied().collect()
}

/// A program and the words that its listings read back as, where each instruction has its own there.
struct Original<'a> {
    program: &'a Program,
    items: Vec<Item>,
    listings: Vec<(Program, Vec<Item>)>,
}

impl<'a> Original<'a> {
    fn new(program: &'a Program) -> Self {
        let items = items_of(program);
        let read = |style: Style| {
            let text = print(program, &PrintOptions { style });
            let again = canonical(&text, style == Style::Wine)?;
            let same = items_of(&again);
            (same.len() == items.len()).then_some((again, same))
        };
        let listings = [Style::Listing, Style::Wine].into_iter().filter_map(read).collect();
        Self { program, items, listings }
    }

    /// Whether words are what the text of an instruction reads back as.
    fn is(&self, n: usize, words: &[u32]) -> bool {
        let own = self.items.get(n).is_some_and(|item| self.program.words_of(*item) == words);
        let other = |(program, items): &(Program, Vec<Item>)| {
            items.get(n).is_some_and(|item| program.words_of(*item) == words)
        };
        own || self.listings.iter().any(other)
    }
}

/// Which instruction of the original each one of the text is, ascending.
fn correspondence(text: &Program, original: &Original<'_>) -> Vec<Option<usize>> {
    let new = items_of(text);
    let is = |n: usize, o: usize| new.get(n).is_some_and(|item| original.is(o, text.words_of(*item)));
    let (a, b) = (new.len(), original.items.len());
    let mut out: Vec<Option<usize>> = Vec::with_capacity(a);
    let front = (0..a.min(b)).take_while(|n| is(*n, *n)).count();
    out.extend((0..front).map(Some));
    let most = a.min(b) - front;
    let back = (0..most).take_while(|n| is(a - 1 - n, b - 1 - n)).count();
    let (rows, columns) = (a - front - back, b - front - back);
    if rows > 0 && columns > 0 && rows.saturating_mul(columns) <= MAX_CELLS {
        // The longest common sequence: how many pairs there are from each cell on.
        let width = columns + 1;
        let mut cells = alloc::vec![0u16; (rows + 1) * width];
        let at = |cells: &[u16], n: usize, o: usize| cells.get(n * width + o).copied().unwrap_or(0);
        for n in (0..rows).rev() {
            for o in (0..columns).rev() {
                let best = if is(front + n, front + o) {
                    at(&cells, n + 1, o + 1) + 1
                } else {
                    at(&cells, n + 1, o).max(at(&cells, n, o + 1))
                };
                if let Some(cell) = cells.get_mut(n * width + o) {
                    *cell = best;
                }
            }
        }
        let (mut n, mut o) = (0, 0);
        while n < rows {
            if o < columns && is(front + n, front + o) {
                out.push(Some(front + o));
                n += 1;
                o += 1;
            } else if o < columns && at(&cells, n, o + 1) >= at(&cells, n + 1, o) {
                o += 1;
            } else {
                out.push(None);
                n += 1;
            }
        }
    } else {
        let mut o = 0;
        for n in 0..rows {
            let found = (o..columns.min(o + WINDOW)).find(|o| is(front + n, front + o));
            out.push(found.map(|o| front + o));
            o = found.map_or(o, |found| found + 1);
        }
    }
    out.extend((0..back).map(|n| Some(b - back + n)));
    out
}

/// How many instructions of a text are those of `original`, as `like` of [`ReadOptions`](super::ReadOptions) finds them.
pub fn shared_instructions(text: &Program, original: &Program) -> usize {
    correspondence(text, &Original::new(original)).iter().flatten().count()
}

/// The preshader of a text, with the names of that of the original, if it is another one.
fn changed(mut preshader: Preshader, original: &Program) -> Option<Preshader> {
    let before = preshader::of(original).0?;
    let text = |preshader: &Preshader| preshader::print(preshader, preshader::Style::Listing, "");
    if text(&preshader) == text(&before) {
        return None;
    }
    if let Some(table) = before.table().0 {
        preshader.set_table(&table);
    }
    Some(preshader)
}

/// The program that a text stands for if it is a listing of `original`, and where its statements are.
pub(super) fn restore(
    text: &Program,
    leading: Option<Preshader>,
    places: &[(u32, Span)],
    original: &Program,
) -> (Program, Vec<(u32, Span)>) {
    // A text that says what a listing cannot is taken as it is.
    let more = |item: &Item| matches!(item.kind, ItemKind::Comment | ItemKind::Cut | ItemKind::Tail);
    if text.items().iter().any(more) || !text.rest().is_empty() || !text.has_end() {
        return (text.clone(), places.to_vec());
    }
    let leading = leading.and_then(|leading| changed(leading, original));
    let found = correspondence(text, &Original::new(original));
    let new = items_of(text);
    let mut words = Vec::with_capacity(original.words().len());
    let mut moved = Vec::with_capacity(places.len());
    let mut next = 0;
    let (mut number, mut at, mut done) = (0, 0, 0);
    // Appends instructions of the text up to that one.
    let mut take = |words: &mut Vec<u32>, until: usize, with: Option<&[u32]>| {
        while next < until {
            let Some(item) = new.get(next) else { break };
            let place = places.partition_point(|(word, _)| *word <= item.start);
            if let Some((_, span)) = place.checked_sub(1).and_then(|n| places.get(n)) {
                moved.push((words.len() as u32, *span));
            }
            match with.filter(|_| next + 1 == until) {
                Some(with) => words.extend_from_slice(with),
                None => words.extend_from_slice(text.words_of(*item)),
            }
            next += 1;
        }
    };
    let end = found.len();
    let name = u32::from_le_bytes(*preshader::NAME);
    for item in original.items() {
        let own = original.words_of(*item);
        match item.kind {
            ItemKind::Version => words.push(text.version().0),
            ItemKind::Instruction | ItemKind::Stray => {
                // Ascending, so that the first one that is left is looked for.
                while found.get(at).is_some_and(|of| of.is_none_or(|of| of < number)) {
                    at += 1;
                }
                if found.get(at) == Some(&Some(number)) {
                    take(&mut words, at + 1, Some(own));
                    done = at + 1;
                } else if found.get(done) == Some(&None) {
                    // One that is new stands where one is left out.
                    done += 1;
                    take(&mut words, done, None);
                }
                number += 1;
            }
            // What is new at the end stands in front of it.
            ItemKind::End => {
                take(&mut words, end, None);
                words.extend_from_slice(own);
            }
            ItemKind::Comment if own.get(1) == Some(&name) => match &leading {
                Some(leading) => words.extend(preshader_comment(leading)),
                None => words.extend_from_slice(own),
            },
            ItemKind::Comment | ItemKind::Cut | ItemKind::Tail => words.extend_from_slice(own),
        }
    }
    take(&mut words, end, None);
    (Program::new(words, original.rest()), moved)
}
