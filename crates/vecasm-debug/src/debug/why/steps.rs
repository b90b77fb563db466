//! The steps of a run: in order, and who wrote what.

use super::flow::Flow;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use vecasm_ir::ir::steps::Cell;

/// The marks of the shader's own steps in a flow.
#[derive(Debug)]
pub(super) struct Steps {
    /// The moments, in order.
    pub(super) events: Vec<u32>,
    /// For each of them, the moment behind the step before.
    starts: Vec<u32>,
    writes: BTreeMap<(Cell, usize, u32), Vec<u32>>,
}

impl Steps {
    pub(super) fn new(flow: &Flow<'_>) -> Self {
        let mut out = Self { events: Vec::new(), starts: Vec::new(), writes: BTreeMap::new() };
        // The start of the present step, and the end and part of the last mark.
        let (mut start, mut end, mut last) = (0, 0, None);
        for event in 0..flow.events.len() as u32 {
            let Some(step) = flow.step(event) else { continue };
            // Halves of a pair are one step: both are marked behind it.
            let second = last.is_some_and(|(source, part)| source == step.source && part < step.part);
            if !second {
                start = end;
            }
            out.events.push(event);
            out.starts.push(start);
            (end, last) = (event + 1, Some((step.source, step.part)));
            for invocation in 0..flow.here as u32 {
                if flow.is_present(event, invocation) {
                    for (access, lane, _) in flow.accesses(event, true, invocation) {
                        out.writes.entry((access.cell, lane, invocation)).or_default().push(event);
                    }
                }
            }
        }
        out
    }

    /// The first moment that belongs to the step of a mark.
    pub(super) fn start(&self, event: u32) -> u32 {
        let at = self.events.binary_search(&event).ok();
        at.and_then(|at| self.starts.get(at)).copied().unwrap_or(0)
    }

    /// The mark of the step that a moment belongs to: the first one behind it.
    pub(super) fn around(&self, event: u32) -> Option<u32> {
        self.events.get(self.events.partition_point(|&mark| mark < event)).copied()
    }

    /// The last step before a moment that wrote a lane of a cell.
    pub(super) fn writer(&self, cell: Cell, lane: usize, invocation: u32, before: u32) -> Option<u32> {
        let writes = self.writes.get(&(cell, lane, invocation))?;
        writes.get(writes.partition_point(|&event| event < before).checked_sub(1)?).copied()
    }
}
