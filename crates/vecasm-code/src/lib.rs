//! From shaders to programs of an instruction set: the way back down.
//!
//! A [shader](vecasm_ir::ir::Shader) has no registers. Here it becomes a program of [AGAL](agal) or [TGSI](tgsi) again, which need
//! not be the instruction set that it came from:
//!
//! ```text
//! Shader ─graph→ lanes ─select→ instructions ─shape→ sources in registers ─allocate→ ─place→ Program
//! ```
//!
//! | file | does |
//! |---|---|
//! | `graph` | every lane that is computed, once; no registers, vectors or copies |
//! | `expand` | operations that the target lacks, as several |
//! | `machine` | what an instruction set can say, as data |
//! | `select` | the largest pattern of an instruction for each lane that somebody needs |
//! | `shape`, `groups` | copies that go, copies that are needed; which lanes share a register |
//! | `allocate` | registers, lane by lane |
//! | `physical` | instructions with registers, and the proof that each reads what it should |
//!
//! What the target cannot say is a [`Reason`] with an id, `LOWER-…`, at an instruction of the source: all of them, not the first.

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![cfg_attr(
    not(all(feature = "agal", feature = "tgsi")),
    allow(dead_code, reason = "each target takes the parts that it needs")
)]

extern crate alloc;

#[cfg(feature = "agal")]
pub mod agal;
mod allocate;
mod code;
mod expand;
mod graph;
mod groups;
mod machine;
#[cfg(test)]
mod patterns;
mod physical;
mod refusal;
pub mod rules;
mod select;
mod shape;
#[cfg(feature = "tgsi")]
pub mod tgsi;

pub use refusal::Reason;

use crate::graph::{Graph, Interface};
use crate::machine::Machine;
use crate::physical::{Literals, Physical};
use crate::refusal::Refusals;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::{Shader, steps};
use vecasm_opt as opt;

/// A program of a target with what belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered<P> {
    /// The program.
    pub program: P,
    /// Which of its registers is which of the source.
    pub binding: Binding,
    /// For each instruction of the program, the instructions of the source that it does the work of, from 0.
    pub steps: Vec<Vec<u32>>,
}

/// Which register of a target is which one of the source: names of both, the target's first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Binding {
    /// Inputs: attributes, varyings, what the pipeline gives.
    pub inputs: Vec<(String, String)>,
    /// Outputs.
    pub outputs: Vec<(String, String)>,
    /// Constant registers.
    pub constants: Vec<(String, String)>,
    /// Constant registers that the host fills with these numbers, as bits of f32.
    pub literals: Vec<(String, [u32; 4])>,
    /// Textures with their samplers.
    pub samplers: Vec<(String, String)>,
}

/// The shader that is lowered: outputs are values where they can be, nothing is computed that nobody reads.
pub(crate) fn prepare(shader: &Shader) -> Shader {
    let mut shader = shader.clone();
    steps::strip(&mut shader);
    let shader = opt::lower(&shader, opt::Lower { switches: true, idioms: true });
    let shader = opt::clean(&opt::fold(&shader));
    let shader = opt::promote(&shader);
    opt::clean(&opt::fold(&shader))
}

/// The instructions of a shader on a machine, with its literals.
pub(crate) struct Generated {
    pub(crate) list: Vec<Physical>,
    pub(crate) literals: Literals,
}

/// The instructions of a shader on a machine, and what it reads and writes outside, also where there are none: then `refusals` says
/// why.
pub(crate) fn generate(
    shader: &Shader,
    machine: &Machine,
    refusals: &mut Refusals,
) -> (Interface, Option<Generated>) {
    let graph = Graph::of(shader, machine, false, refusals);
    let interface = graph.interface();
    if !refusals.list.is_empty() {
        return (interface, None);
    }
    // Every lane once, or every vector: which is shorter depends on the program.
    let vectors = graph.splits.then(|| Graph::of(shader, machine, true, refusals));
    let mut best: Option<Generated> = None;
    for graph in [&graph].into_iter().chain(&vectors) {
        let list = select::select(graph, machine, refusals);
        if !refusals.list.is_empty() {
            return (interface, None);
        }
        // Registers that are used again save copies; where they do not fit, lanes are given out one by one.
        let made = [true, false].into_iter().find_map(|reuse| {
            let code = shape::shape(graph, machine, list.clone(), reuse);
            let seats = allocate::allocate(&code)?;
            debug_assert_eq!(physical::check(&code, &seats), Ok(()), "the registers hold what is read");
            let (list, literals) = physical::place(&code, &seats);
            Some(Generated { list, literals })
        });
        if let Some(made) =
            made.filter(|made| best.as_ref().is_none_or(|best| made.list.len() < best.list.len()))
        {
            best = Some(made);
        }
    }
    if best.is_none() {
        refusals.add(rules::REGISTERS, &[&machine.temporaries, &machine.name], 0);
    }
    (interface, best)
}
