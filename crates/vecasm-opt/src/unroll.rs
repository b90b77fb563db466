//! Loops whose rounds are known, one round after the other.

use super::fold::Fold;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Args, Label, Region, Shader, Value};

/// How much is unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unroll {
    /// A loop of more rounds stays a loop.
    pub rounds: u32,
    /// Nodes of all rounds of all loops, those too that came to nothing; loops that would take more stay.
    pub nodes: u32,
}

impl Default for Unroll {
    fn default() -> Self {
        Self { rounds: 256, nodes: 1 << 14 }
    }
}

/// Writes loops one round after the other where what ends them is known from constants alone, and blocks likewise; folds as
/// [`fold`](super::fold()) does, so that numbers of rounds count.
///
/// A loop that may end where a condition is not known stays, and so does one that does not end within what `most` says. Other than
/// after `fold`, rounds that are written out burn no fuel.
#[must_use]
pub fn unroll(shader: &Shader, most: Unroll) -> Shader {
    let mut pass = Fold::new(shader);
    pass.unrolling = Some(Unrolling { most, left: most.nodes, depth: 0, open: Vec::new() });
    pass.finish()
}

/// How far it is.
pub(super) struct Unrolling {
    most: Unroll,
    /// Nodes that may still be looked at.
    left: u32,
    /// Regions around what is being written, from a loop that stays, a branch or a case.
    depth: u32,
    /// Loops and blocks that are being written out, the innermost last.
    open: Vec<Written>,
}

/// A loop, or a block, that is being written out.
struct Written {
    label: Label,
    depth: u32,
    end: Option<End>,
    /// Whether an exit stands where it is not known whether it is taken.
    lost: bool,
}

/// How a round ends.
enum End {
    Leave(Vec<Arg>),
    Again(Vec<Arg>),
}

impl<'a> Fold<'a> {
    /// A region begins, or ends, of which it is not known whether it runs.
    pub(super) fn nest(&mut self, by: i32) {
        if let Some(unrolling) = &mut self.unrolling {
            unrolling.depth = unrolling.depth.saturating_add_signed(by);
        }
    }

    /// Counts a node; `false` if there are too many.
    pub(super) fn has_room(&mut self) -> bool {
        match &mut self.unrolling {
            Some(unrolling) if !unrolling.open.is_empty() => {
                unrolling.left = unrolling.left.saturating_sub(1);
                unrolling.left > 0
            }
            _ => true,
        }
    }

    /// Takes an exit of something that is being written out; `false` if it is one of something else.
    pub(super) fn take_exit(&mut self, label: Label, values: Args, again: bool) -> bool {
        let Some(unrolling) = &self.unrolling else { return false };
        let Some(at) = unrolling.open.iter().rposition(|open| open.label == label) else { return false };
        let depth = unrolling.depth;
        let known = unrolling.open[at..].iter().all(|open| open.depth == depth);
        let args = self.rw.args(values);
        let Some(open) = self.unrolling.as_mut().and_then(|unrolling| unrolling.open.get_mut(at)) else {
            return false;
        };
        open.lost |= !known;
        open.end = Some(if again { End::Again(args) } else { End::Leave(args) });
        true
    }

    /// Writes a loop, or a block, which has no parameters, one round after the other. `None`, and nothing is written, if that cannot
    /// be; else whether what stands behind it is cut off.
    pub(super) fn written_out(
        &mut self,
        label: Label,
        carried: Option<(&[Value], Args)>,
        body: &'a Region,
        results: &[Value],
    ) -> Option<bool> {
        let unrolling = self.unrolling.as_mut().filter(|unrolling| unrolling.left > 0)?;
        let (depth, most) = (unrolling.depth, unrolling.most.rounds);
        unrolling.open.push(Written { label, depth, end: None, lost: false });
        self.rw.b.open();
        let mut values = carried.map_or_else(Vec::new, |(_, init)| self.rw.args(init));
        let mut outcome = None;
        for _ in 0..most {
            for (&param, &value) in carried.map_or(&[][..], |(params, _)| params).iter().zip(&values) {
                self.rw.put_arg(param, value);
            }
            let cut = self.nodes(body);
            let yields = if cut { Vec::new() } else { self.rw.args(body.yields) };
            let Some(unrolling) = &mut self.unrolling else { break };
            let room = unrolling.left > 0;
            let Some(open) = unrolling.open.last_mut() else { break };
            if open.lost || !room {
                break;
            }
            values = match (open.end.take(), cut) {
                (Some(End::Leave(values)), _) => {
                    outcome = Some((values, false));
                    break;
                }
                (Some(End::Again(values)), _) => values,
                // An exit of something around it.
                (None, true) => {
                    outcome = Some((Vec::new(), true));
                    break;
                }
                (None, false) if carried.is_none() => {
                    outcome = Some((yields, false));
                    break;
                }
                (None, false) => yields,
            };
        }
        if let Some(unrolling) = &mut self.unrolling {
            unrolling.open.pop();
        }
        let region = self.rw.b.close(&[]);
        let (values, cut) = outcome?;
        for node in region.nodes {
            self.rw.b.node(node);
        }
        for (&result, &value) in results.iter().zip(&values) {
            self.rw.put_arg(result, value);
        }
        Some(cut)
    }
}
