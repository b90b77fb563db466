//! Vertex programs of the NV2A: shaders as such, and programs in fewer slots.
//!
//! A slot has an operation for each of two units. Here a program is taken apart into operations, whose temporaries are values, and put
//! together again: with as many of them in pairs as the hardware has room for.
//!
//! ```text
//! Program ─operations→ List ─clean→ List ─search→ pairs ─assign→ order, registers ─write→ Program
//! ```
//!
//! | file | does |
//! |---|---|
//! | `machine` | what operations compute |
//! | `lower` | shaders as programs, an operation a slot; then all of the rest |
//! | `operations` | a program as operations, each of one unit |
//! | `depend` | which operation waits for which; which results share a register |
//! | `pair` | which two operations fit a slot |
//! | `matching` | the most pairs of a graph: the bound |
//! | `search` | branch and bound over pairs |
//! | `residents` | who is when in R1 and other registers that are given |
//! | `assign` | an order of the slots, and registers |
//! | `write` | slots again |

mod assign;
mod clean;
mod depend;
mod lower;
pub(crate) mod machine;
mod matching;
mod operations;
mod pair;
mod residents;
mod search;
#[cfg(test)]
mod tests;
mod write;

#[cfg(test)]
pub(crate) use lower::lower_on;
pub use lower::{BASES, LowerOptions, lower};

use crate::refusal::Refusals;
use crate::{Ends, Reason, rules};
use alloc::vec::Vec;
use clean::Depth;
use depend::Webs;
use operations::List;
use search::Found;
use vecasm_isa::nv2a::program::{Container, Program, Slot};
use vecasm_isa::nv2a::table;

/// A set of operations: a program has at most 136 slots of two.
type Bits = crate::bits::Bits<5>;

/// How a program is made shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Whether the operations stay what they are, and only slots and registers change.
    pub schedule_only: bool,
    /// Nodes of the search, at most: most of them for the first numbers of slots that are tried.
    pub budget: u32,
    /// What of the temporaries counts at the end; `None` for [`Ends::Nothing`] of whole programs and [`Ends::Alive`] of parts.
    /// A program is whole if its last slot ends it, and it writes oPos. Where the operations stay, nothing counts: they still compute
    /// what they did.
    pub ends: Option<Ends>,
    /// Slots that the program may have, each of one operation: what is lowered has more before it is paired.
    most: usize,
}

/// What messages call it.
const LOWERING: &str = "the NV2A";

impl Default for Options {
    fn default() -> Self {
        Self { schedule_only: false, budget: 4_000, ends: None, most: table::SLOTS }
    }
}

/// A program in fewer slots, or the same one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Shorter {
    /// The program.
    pub program: Program,
    /// For each of its slots those of the source that it does the work of, from 0.
    pub steps: Vec<Vec<u32>>,
    /// No program of these operations has fewer slots, whatever their order.
    pub bound: usize,
    /// Nodes of the search.
    pub nodes: u32,
    /// What of the temporaries counts at the end.
    pub ends: Ends,
}

/// Makes a program shorter. The result may be no shorter.
///
/// # Errors
///
/// What stands in the way: see [`rules`].
pub fn shorten(program: &Program, options: &Options) -> Result<Shorter, Vec<Reason>> {
    let ends = options.ends.or(options.schedule_only.then_some(Ends::Nothing));
    let list = List::of(program, ends, options.most)?;
    let ends = list.keeps;
    let mut best: Option<(Vec<Slot>, Vec<Vec<u32>>, Found)> = None;
    let depths: &[Option<Depth>] =
        if options.schedule_only { &[None] } else { &[Some(Depth::All), Some(Depth::Values), None] };
    for depth in depths {
        let mut list = list.clone();
        match depth {
            Some(depth) => clean::clean(&mut list, *depth),
            None => list.narrow(),
        }
        let webs = Webs::of(&list);
        let Some(found) = search::search(&list, &webs, options.budget) else { continue };
        let Some((slots, steps)) = write::write(&list, &webs, &found.assigned) else { continue };
        if best.as_ref().is_none_or(|best| slots.len() < best.0.len()) {
            best = Some((slots, steps, found));
        }
        // What has fewer operations has a chance to have fewer slots; where that is as few as can be, no other list has fewer.
        if best.as_ref().is_some_and(|best| best.0.len() == best.2.bound) {
            break;
        }
    }
    let Some((slots, steps, found)) = best else {
        let mut refusals = Refusals::new("NV2A");
        refusals.add(rules::REGISTERS, &[&operations::TEMPORARIES, &"NV2A"], None);
        return Err(refusals.list);
    };
    let container = match program.container {
        Container::Microcode { version, .. } => Container::Microcode { version, count: slots.len() as u16 },
        _ => Container::Bare,
    };
    let program = Program { container, slots, tail: Vec::new() };
    Ok(Shorter { program, steps, bound: found.bound, nodes: found.nodes, ends })
}
