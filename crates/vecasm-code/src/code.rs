//! Instructions of a target before they have registers.

use crate::graph::LaneId;
use alloc::vec::Vec;
use vecasm_ir::ir::Pure;

/// Where a result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// A temporary register.
    Temporary,
    /// That output.
    Output(u32),
    /// A register for indices.
    Address,
}

/// What a conditional asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// Whether a comparison of two floats holds.
    Compare(Pure),
    /// Whether any bit of a word is set.
    Word,
    /// Whether a float is not zero.
    Float,
    /// Whether a constant that is a truth holds, or does not.
    Constant { array: u32, index: u32, opposite: bool },
}

/// How many rounds a loop has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// It goes on until it is left.
    Endless,
    /// As many as the first lane of a constant says, a whole number: none if it is below one.
    Constant { array: u32, index: u32 },
    /// That many.
    Number(i32),
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum What {
    /// That row of the machine.
    Row(u16),
    /// Copies lanes.
    Copy,
    /// Reads a texture: that one of the graph.
    Read(u32),
    /// Likewise, with coordinates that are divided by the fourth lane.
    ReadProjected(u32),
    /// Does what an operation of the target alone does: that one of the graph.
    Call(u32),
    /// Copies integers to registers that index others.
    Index,
    /// Runs what follows where the test of the sources holds.
    If(Test),
    /// What runs elsewhere.
    Else,
    /// Ends a conditional.
    EndIf,
    /// Runs what follows again and again.
    Loop(Count),
    /// Ends a loop's body.
    EndLoop,
    /// Ends the innermost loop.
    Break,
    /// Begins its next round.
    Continue,
    /// Discards the fragment where a source is below zero.
    Discard,
}

impl What {
    /// Whether what stands behind it may run after something else than what stands in front of it.
    pub(crate) fn is_flow(self) -> bool {
        matches!(self, Self::If(_) | Self::Else | Self::EndIf | Self::Loop(_) | Self::EndLoop)
    }
}

/// A source: lanes in the order of the results, or of the vector.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Source {
    pub(crate) lanes: Vec<LaneId>,
    pub(crate) negate: bool,
    pub(crate) absolute: bool,
}

impl Source {
    pub(crate) fn of(lanes: Vec<LaneId>) -> Self {
        Self { lanes, negate: false, absolute: false }
    }
}

/// A lane that an instruction defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) lane: LaneId,
    /// The lane of the register it must be.
    pub(crate) slot: Option<u8>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Instr {
    pub(crate) what: What,
    pub(crate) target: Target,
    pub(crate) results: Vec<Written>,
    pub(crate) sources: Vec<Source>,
    pub(crate) saturate: bool,
    /// Whether a compiler behind the target must not contract or reassociate it.
    pub(crate) precise: bool,
    /// Whether it copies to what a loop carries round, or to its result, and so stays where it is.
    pub(crate) pinned: bool,
    /// Of a matrix: how many of its rows are in front of the one that the source names.
    pub(crate) rows_before: u8,
    /// Which branch it is in: 0 outside of all.
    pub(crate) region: u32,
    /// Instructions of the source that it does the work of.
    pub(crate) steps: Vec<u32>,
}

impl Instr {
    pub(crate) fn new(what: What, region: u32) -> Self {
        Self {
            what,
            target: Target::Temporary,
            results: Vec::new(),
            sources: Vec::new(),
            saturate: false,
            precise: false,
            pinned: false,
            rows_before: 0,
            region,
            steps: Vec::new(),
        }
    }
}
