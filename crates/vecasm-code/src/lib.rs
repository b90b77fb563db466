//! From shaders to programs of an instruction set: the way back down.
//!
//! A [shader](vecasm_ir::ir::Shader) has no registers. Here it becomes a program of [AGAL](agal), [Direct3D 9](d3d9), [TGSI](tgsi) or
//! the [NV2A](nv2a) again, which need not be the instruction set that it came from:
//!
//! ```text
//! Shader ─graph→ lanes ─select→ instructions ─shape→ sources in registers ─allocate→ ─place→ Program
//! ```
//!
//! | file | does |
//! |---|---|
//! | `lookahead` | operations that one instruction does together with what reads them |
//! | `graph` | every lane that is computed, once; no registers, vectors or copies |
//! | `counted` | loops of a number of rounds that is a constant |
//! | `peepholes` | operations for which there are fewer, out of a table of proved ones |
//! | `calls` | operations that one target alone has |
//! | `vectorize` | equal operations as one |
//! | `expand` | operations that the target lacks, as several |
//! | `machine`, `forms` | what an instruction set can say, as data |
//! | `select` | the largest pattern of an instruction for each lane that somebody needs |
//! | `coalesce` | copies that go, since both sides can have one name |
//! | `shape`, `groups` | copies that are needed; which lanes share a register |
//! | `allocate` | registers, lane by lane |
//! | `physical` | instructions with registers, and the proof that each reads what it should |
//! | `legalize` | swizzles of machines that have few |
//! | `constants` | numbers of constants and of the literals beside them |
//!
//! Programs of the [NV2A](nv2a) that are made shorter do not go through shaders: their operations stay what they are, and find their
//! slots anew. Those that shaders became go the same way.
//!
//! What the target cannot say is a [`Reason`] with an id, `LOWER-…`, at an instruction of the source: all of them, not the first.

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![cfg_attr(
    not(all(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")),
    allow(dead_code, reason = "each target takes the parts that it needs")
)]

extern crate alloc;

#[cfg(feature = "agal")]
pub mod agal;
mod allocate;
mod bits;
mod calls;
mod coalesce;
mod code;
mod constants;
mod counted;
#[cfg(feature = "d3d9")]
pub mod d3d9;
mod expand;
mod forms;
mod graph;
mod groups;
mod legalize;
mod lookahead;
mod machine;
#[cfg(feature = "nv2a")]
pub mod nv2a;
#[cfg(test)]
mod patterns;
#[doc(hidden)]
pub mod peepholes;
mod physical;
mod refusal;
pub mod rules;
mod select;
mod shape;
#[cfg(feature = "tgsi")]
pub mod tgsi;
mod vectorize;

pub use refusal::Reason;

use crate::graph::{Graph, Interface};
use crate::machine::{Conditionals, Loops, Machine};
use crate::physical::{Literals, Physical};
use crate::refusal::Refusals;
use crate::vectorize::{Reach, vectorize};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Severity};
use vecasm_ir::ir::{Promise, Shader, steps};
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
    /// What is kept of the shader.
    pub promise: Promise,
    /// Operations of which less is kept than that they are the same.
    pub notes: Vec<Reason>,
}

impl<P> Lowered<P> {
    /// The same with the program as something else.
    pub fn map_program<Q>(self, map: impl FnOnce(P) -> Q) -> Lowered<Q> {
        let Self { program, binding, steps, promise, notes } = self;
        Lowered { program: map(program), binding, steps, promise, notes }
    }
}

vecasm_ir::words! {
    /// What is to be as little as it can.
    Measure "measure" {
        /// Instructions: tokens of AGAL.
        Tokens "tokens",
        /// Slots of instructions, where some have several; elsewhere instructions.
        Slots "slots",
        /// Temporary registers, then instructions.
        Registers "registers",
    }
}

vecasm_ir::words! {
    /// What of its temporaries counts at the end of a program of the NV2A.
    Ends "answer" {
        /// Nothing: the hardware clears them.
        Nothing "nothing",
        /// What the program writes to them and does not overwrite is in some temporary.
        Alive "alive",
        /// It is in the lanes that it was in.
        Same "same",
    }
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

/// The locations of the varyings of a pair in the order in which both of its programs number them, where they cannot keep their
/// numbers: those that the fragment shader reads, then those that nobody reads.
pub fn varyings_of_pair(first: &Shader, second: &Shader) -> Vec<u32> {
    let mut all: Vec<u32> = Vec::new();
    for stage in [vecasm_ir::ir::Stage::Fragment, vecasm_ir::ir::Stage::Vertex] {
        for shader in [first, second].into_iter().filter(|shader| shader.stage == stage) {
            for location in varyings(shader) {
                if !all.contains(&location) {
                    all.push(location);
                }
            }
        }
    }
    all
}

/// The locations of the varyings that a shader reads or writes, in their order.
pub(crate) fn varyings(shader: &Shader) -> alloc::collections::BTreeSet<u32> {
    let of_input = |input: &vecasm_ir::ir::Input| match input.kind {
        vecasm_ir::ir::InputKind::Varying { location } => Some(location),
        _ => None,
    };
    let of_output = |output: &vecasm_ir::ir::Output| match output.kind {
        vecasm_ir::ir::OutputKind::Varying { location } => Some(location),
        _ => None,
    };
    match shader.stage {
        vecasm_ir::ir::Stage::Fragment => shader.inputs.iter().filter_map(of_input).collect(),
        _ => shader.outputs.iter().filter_map(of_output).collect(),
    }
}

/// The shader with every state of the pipeline fixed: those that are given, others at their defaults, of which `findings` gets a note.
#[must_use]
pub fn settle(shader: Shader, given: &[(&str, [u32; 4])], findings: &mut Vec<Diagnostic>) -> Shader {
    let mut read: Vec<bool> = alloc::vec![false; shader.states.len()];
    shader.body.for_each_inst(&mut |inst| {
        if let vecasm_ir::ir::Op::State(id) = inst.op {
            read[id.index()] = true;
        }
    });
    let is_given = |name: &str| given.iter().any(|(of, _)| *of == name);
    let open: Vec<&str> = shader
        .states
        .iter()
        .zip(read)
        .filter(|(state, read)| *read && !is_given(&state.name))
        .map(|(state, _)| state.name.as_str())
        .collect();
    if !open.is_empty() {
        let (is, its) = if open.len() == 1 { ("is", "its default") } else { ("are", "their defaults") };
        let message = format!("{} {is} fixed at {its}", open.join(", "));
        let help = "`--state NAME=VALUE` fixes a state at another value";
        findings.push(Diagnostic::new(Severity::Note, rules::DEFAULT_STATE.id, message).with_help(help));
    }
    let all: Vec<(String, [u32; 4])> = shader
        .states
        .iter()
        .map(|state| {
            let value =
                given.iter().find(|(name, _)| *name == state.name).map_or(state.default, |(_, value)| *value);
            (state.name.clone(), value)
        })
        .collect();
    let all: Vec<(&str, [u32; 4])> = all.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    opt::settle(shader, &all)
}

/// The shader that is lowered: outputs are values where they can be, nothing is computed that nobody reads; for a target without
/// loops those whose rounds are known are written out.
pub(crate) fn prepare(shader: &Shader, loops: Loops) -> Shader {
    prepare_for(shader, loops, Conditionals::All)
}

/// How much of loops is written out: several times what the longest programs hold, since much of it comes to nothing.
const UNROLLED: opt::Unroll = opt::Unroll { rounds: 256, nodes: 1 << 12 };

/// The same for a target that need not have all conditionals.
pub(crate) fn prepare_for(whole: &Shader, loops: Loops, conditionals: Conditionals) -> Shader {
    let mut shader = opt::overlay(whole).unwrap_or_else(|| whole.clone());
    steps::strip(&mut shader);
    let shader = opt::lower(&shader, opt::Lower { switches: true, idioms: true });
    let mut shader = opt::clean(&opt::fold(&shader));
    if loops == Loops::None {
        shader = opt::clean(&opt::unroll(&shader, UNROLLED));
    }
    match conditionals {
        Conditionals::None => shader = opt::flatten(&shader),
        Conditionals::Constant => shader = opt::flatten_dynamic(&shader),
        Conditionals::All => {}
    }
    let shader = opt::clean(&opt::fold(&opt::promote(&shader)));
    let shader = opt::relax(&shader, true).unwrap_or(shader);
    let mut out = opt::exits(&shader);
    // Every load sees what the program says; that it does so is worth knowing.
    for array in &mut out.params {
        let from = whole.params.iter().find(|from| from.name == array.name);
        array.fixed = from.map_or_else(Vec::new, |from| from.fixed.clone());
    }
    out
}

/// What is to be small, and whether the allocation of registers is checked.
#[derive(Clone, Copy, Default)]
pub(crate) struct How {
    pub(crate) measure: Measure,
    pub(crate) checked: bool,
}

/// The instructions of a shader on a machine, with its literals.
pub(crate) struct Generated {
    pub(crate) list: Vec<Physical>,
    pub(crate) literals: Literals,
}

#[allow(clippy::derivable_impls, reason = "the macro derives for all enumerations alike")]
impl Default for Measure {
    fn default() -> Self {
        Self::Tokens
    }
}

impl Generated {
    /// What is to be small, the most important first.
    fn cost(&self, measure: Measure, machine: &Machine) -> [usize; 2] {
        let instructions = self.list.len();
        let slots = || self.list.iter().map(|physical| machine.slots(physical.what)).sum();
        match measure {
            Measure::Tokens => [instructions, 0],
            Measure::Slots => [slots(), instructions],
            Measure::Registers => [physical::registers(&self.list)[0].into(), instructions],
        }
    }
}

/// Graphs of more lanes are not made twice for a few instructions less: several times what the longest programs hold.
const MOST_LANES_TO_SHORTEN: usize = 1 << 12;

/// The instructions of a shader on a machine, and what it reads and writes outside, also where there are none: then `refusals` says
/// why.
pub(crate) fn generate(
    shader: &Shader,
    machine: &Machine,
    how: How,
    refusals: &mut Refusals,
) -> (Interface, Option<Generated>) {
    let graph = Graph::of(shader, machine, false, refusals);
    let interface = graph.interface();
    if !refusals.list.is_empty() {
        return (interface, None);
    }
    // Every lane once, or every vector: which is shorter depends on the program.
    let vectors = graph.splits.then(|| Graph::of(shader, machine, true, refusals));
    let graphs: Vec<Graph> = [graph].into_iter().chain(vectors).collect();
    let vectorized: Vec<Graph> = [Reach::Level, Reach::Any]
        .iter()
        .flat_map(|&reach| graphs.iter().filter_map(move |of| vectorize(of, machine, reach)))
        .collect();
    let small = || graphs.iter().chain(&vectorized).filter(|of| of.lanes.len() <= MOST_LANES_TO_SHORTEN);
    let entries = peepholes::entries(small(), machine);
    let short: Vec<Graph> = small().filter_map(|of| peepholes::shortened(of, machine, &entries)).collect();
    let first_short = graphs.len() + vectorized.len();
    let mut best: Option<Generated> = None;
    // The least that no program has room for, if that is all there is.
    let mut too_long: Option<usize> = None;
    for (number, graph) in graphs.iter().chain(&vectorized).chain(&short).enumerate() {
        let mut own = refusals.clone();
        let list = select::select(graph, machine, &mut own);
        if number >= first_short {
            // What is shorter must say all of it, and keep as much.
            if !own.list.is_empty() || own.promise.is_weaker_than(refusals.promise) {
                continue;
            }
        } else {
            *refusals = own.clone();
            if !refusals.list.is_empty() {
                return (interface, None);
            }
        }
        if let Some(room) = machine.room {
            let computing = list.iter().filter(|of| of.what != code::What::Copy);
            let slots: usize = computing.map(|of| machine.slots(of.what)).sum();
            let least = slots.div_ceil(machine.shares);
            if least > room {
                too_long = Some(too_long.map_or(least, |known| known.min(least)));
                continue;
            }
        }
        // Registers that are used again save copies; where they do not fit, lanes are given out one by one.
        for reuse in [true, false] {
            let code = shape::shape(graph, machine, list.clone(), reuse);
            let Some(seats) = allocate::allocate(&code) else { continue };
            if cfg!(debug_assertions) || how.checked {
                if let Err(why) = physical::check(&code, &seats) {
                    debug_assert!(false, "the registers hold what is read: {why:?}");
                    refusals.add(rules::CHECK, &[&format!("{why:?}")], None);
                    return (interface, None);
                }
            }
            let (mut list, literals) = physical::place(&code, &seats);
            if !legalize::legalize(&mut list, &literals, machine) {
                continue;
            }
            let made = Generated { list, literals };
            if best
                .as_ref()
                .is_none_or(|best| made.cost(how.measure, machine) < best.cost(how.measure, machine))
            {
                best = Some(made);
                refusals.notes.clone_from(&own.notes);
            }
            // Where orders of lanes cost copies, either may need fewer.
            if how.measure != Measure::Registers && !machine.quirks.few_swizzles {
                break;
            }
        }
    }
    if let (None, Some(need), Some(room)) = (&best, too_long, machine.room) {
        refusals.add(rules::SLOTS, &[&need, &machine.name, &room], None);
        return (interface, None);
    }
    if best.is_none() && machine.addresses == 1 && machine.address_lanes > 1 {
        // More indices than lanes: one lane is loaded again and again.
        let single = Machine { address_lanes: 1, ..machine.clone() };
        return generate(shader, &single, how, refusals);
    }
    if best.is_none() {
        refusals.add(rules::REGISTERS, &[&machine.temporaries, &machine.name], None);
    }
    (interface, best)
}
