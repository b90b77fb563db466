//! Where blocks end and which components they write, found once for the whole program.
//!
//! A loop, a selection or a subroutine that is left early hands on what stands in it writes. What an inner block writes is
//! part of what the outer one does, so each instruction is looked at once, and each block adds up no more than what those in
//! it came to.

use super::scan::Place;
use super::{LIMIT, Lifter, Refusal, Result};
use crate::lift::{ControlFlow, MAX_BLOCKS, Part};
use crate::table::Flow;
use alloc::format;
use alloc::vec::Vec;
use core::mem::replace;
use core::ops::Range;
use vecasm_ir::operand::WriteMask;

/// Components of a register that is renamed: its slot, and behind it four bits of a mask. They are in order of slots.
type Write = u32;

/// Subroutines that may be looked into for what they write, all times counted. Programs that can be lifted otherwise come
/// nowhere near.
const MAX_WALKED: usize = 1 << 24;

/// A block or a subroutine.
#[derive(Debug)]
struct Span {
    /// The instruction that begins it.
    start: u32,
    /// The one that ends it.
    end: u32,
    /// In [`Written::writes`], without what subroutines do that it calls.
    writes: Range<u32>,
    /// In [`Written::calls`].
    calls: Range<u32>,
}

/// See the file.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// In order of their starts.
    spans: Vec<Span>,
    writes: Vec<Write>,
    /// Places in the list of subroutines.
    calls: Vec<u32>,
    /// Subroutines looked into so far.
    walked: usize,
}

/// A block that is open, while the program is gone through.
enum Open {
    /// Nobody asks what it writes.
    Conditional,
    /// A place in the list of spans, and where the two lists of [`Walk`] were.
    Span { at: usize, writes: usize, calls: usize },
}

/// The program, gone through. Behind the numbers of an open span is what has been found in it.
#[derive(Default)]
struct Walk {
    found: Written,
    open: Vec<Open>,
    /// How many of them are spans.
    spans: usize,
    /// Whether the first of them is a subroutine.
    in_subroutine: bool,
    writes: Vec<Write>,
    calls: Vec<u32>,
}

impl Walk {
    fn open_span(&mut self, at: usize) {
        let (writes, calls) = (self.writes.len(), self.calls.len());
        self.open.push(Open::Span { at: self.found.spans.len(), writes, calls });
        self.found.spans.push(Span { start: at as u32, end: 0, writes: 0..0, calls: 0..0 });
        self.spans += 1;
    }

    /// Ends what is open until this many are.
    fn close_to(&mut self, left: usize, end: usize) {
        while self.open.len() > left {
            let Some(Open::Span { at, writes, calls }) = self.open.pop() else { continue };
            self.spans -= 1;
            let Some(span) = self.found.spans.get_mut(at) else { continue };
            span.end = end as u32;
            // So deep inside others it is refused before anybody asks.
            if self.open.len() < MAX_BLOCKS {
                combine(&mut self.writes, writes);
                combine_calls(&mut self.calls, calls);
                span.writes = append(&mut self.found.writes, self.writes.get(writes..));
                span.calls = append(&mut self.found.calls, self.calls.get(calls..));
            }
            if self.spans == 0 {
                self.writes.clear();
                self.calls.clear();
            }
        }
    }

    /// Ends the blocks that are open, but no subroutine.
    fn close_blocks(&mut self, end: usize) {
        self.close_to(usize::from(self.in_subroutine), end);
    }
}

/// Appends; gives where.
fn append(to: &mut Vec<u32>, from: Option<&[u32]>) -> Range<u32> {
    let first = to.len() as u32;
    to.extend_from_slice(from.unwrap_or(&[]));
    first..to.len() as u32
}

/// The part of a list.
fn part<'a>(of: &'a [u32], range: &Range<u32>) -> &'a [u32] {
    of.get(range.start as usize..range.end as usize).unwrap_or(&[])
}

/// Makes one of the writes of each slot, from a place on, and puts them in order.
fn combine(writes: &mut Vec<Write>, from: usize) {
    let tail = writes.get_mut(from..).unwrap_or(&mut []);
    tail.sort_unstable();
    let mut kept = from;
    for at in from..writes.len() {
        let Some(&write) = writes.get(at) else { break };
        let last = kept.checked_sub(1).filter(|last| *last >= from);
        match last.and_then(|last| writes.get_mut(last)) {
            Some(last) if *last >> 4 == write >> 4 => *last |= write,
            _ => {
                if let Some(to) = writes.get_mut(kept) {
                    *to = write;
                }
                kept += 1;
            }
        }
    }
    writes.truncate(kept);
}

fn combine_calls(calls: &mut Vec<u32>, from: usize) {
    let mut tail = calls.split_off(from);
    tail.sort_unstable();
    tail.dedup();
    calls.extend(tail);
}

impl Written {
    fn span(&self, start: usize) -> Option<&Span> {
        let at = self.spans.binary_search_by_key(&start, |span| span.start as usize).ok()?;
        self.spans.get(at)
    }

    /// The place of what ends the block that an instruction begins.
    pub(super) fn end(&self, start: usize) -> Option<usize> {
        self.span(start).map(|span| span.end as usize)
    }
}

impl Lifter<'_> {
    /// Goes through the program. The subroutines have to be known.
    pub(super) fn find_written(&mut self) {
        let mut walk = Walk::default();
        for (at, i) in self.scan.code.iter().enumerate() {
            let flow = i.op.row().flow;
            match flow {
                Flow::If => walk.open.push(Open::Conditional),
                Flow::Loop | Flow::Switch => walk.open_span(at),
                Flow::EndIf | Flow::EndLoop | Flow::EndSwitch => {
                    // The subroutine is not ended by what ends a block.
                    let left = walk.open.len().saturating_sub(1).max(usize::from(walk.in_subroutine));
                    walk.close_to(left, at);
                }
                Flow::End => walk.close_blocks(at),
                Flow::Label | Flow::EndLabel => {
                    walk.close_to(0, at);
                    walk.in_subroutine = flow == Flow::Label;
                    if walk.in_subroutine {
                        walk.open_span(at);
                    }
                }
                _ => {}
            }
            if walk.spans == 0 {
                continue;
            }
            for to in i.to {
                if let Ok(Place::Slot(slot)) = self.scan.place(to) {
                    let all = i.op.row().result.is_wide() || self.writes_all(i.op);
                    let mask = if all { 15 } else { to.mask.bits() };
                    walk.writes.push((slot as u32) << 4 | u32::from(mask));
                }
            }
            if flow == Flow::Call {
                walk.calls.extend(self.subroutine_of(i).map(|n| n as u32));
            }
        }
        walk.close_to(0, self.scan.code.len());
        self.written = walk.found;
    }

    /// What a block or a subroutine writes, and the subroutines that it calls.
    pub(super) fn written_in(&mut self, start: usize) -> Result<Vec<Part>> {
        let Some(span) = self.written.span(start) else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        let mut writes = part(&self.written.writes, &span.writes);
        let calls = part(&self.written.calls, &span.calls);
        if !calls.is_empty() {
            all.extend_from_slice(writes);
            let (mut called, mut walked) = (alloc::vec![false; self.subroutines.len()], 0);
            let mut lists = alloc::vec![calls];
            while let Some(calls) = lists.pop() {
                for &n in calls {
                    let first = called.get_mut(n as usize).is_some_and(|called| !replace(called, true));
                    let subroutine = self.subroutines.get(n as usize).filter(|_| first);
                    if let Some(span) = subroutine.and_then(|subroutine| self.written.span(subroutine.start))
                    {
                        walked += 1;
                        all.extend_from_slice(part(&self.written.writes, &span.writes));
                        lists.push(part(&self.written.calls, &span.calls));
                    }
                }
            }
            self.written.walked += walked;
            if self.written.walked > MAX_WALKED {
                let what = format!("blocks call subroutines {MAX_WALKED} times, counting nested calls");
                return Err(Refusal::new(LIMIT, what));
            }
            combine(&mut all, 0);
            writes = &all;
        }
        let mut out = Vec::with_capacity(writes.len());
        for write in writes {
            self.add_parts((write >> 4) as usize, WriteMask::from_bits((write & 15) as u8), &mut out);
        }
        Ok(out)
    }
}
