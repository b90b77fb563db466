//! Why a result is what it is: explanations of runs that went wrong.
//!
//! [`why`] runs a batch, looks at every value of every operation, and tells where NaN, infinities and denormals came into
//! being and where they went, what was read that nobody wrote or set, what was killed, clamped or left out, and which
//! steps made a component. It knows no ISA: it works on the step table and on the operations between two marks, so that
//! `mul r0.xyz, r1, r2` blames the operands of the lane alone.
//!
//! * `probe`: a copy of a shader with a mark behind every operation;
//! * `flow`: what the copy tells of one group: each value, and what it was made of;
//! * `steps`: the steps of the source in it;
//! * `birth`: where odd numbers are born and where they go;
//! * [`slice`](Slice): the steps that made a component;
//! * `unset`: reads of what was never written or set;
//! * `outside`: what comes from outside the program, and what depends on it;
//! * `reach`: what becomes of lanes that nobody wrote;
//! * `usual`: other usual culprits;
//! * `zero`: why an output is black or clamped;
//! * `lines`: two runs of the same steps;
//! * `words`: numbers and operations as text.

mod birth;
mod findings;
pub(super) mod flow;
pub(super) mod lines;
mod outside;
pub(super) mod probe;
mod reach;
mod slice;
pub(super) mod steps;
#[cfg(test)]
mod tests;
mod unset;
mod usual;
pub(super) mod words;
mod zero;

pub use slice::{HeldLane, Slice, SliceStep, lanes_written, output_named};
pub use words::number;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use vecasm_exec::interp::Interp;
use vecasm_exec::runfile::GivenValues;
use vecasm_exec::{Batch, Outputs, RunError};
use vecasm_ir::diag::Severity;
use vecasm_ir::ir::{OutputId, Shader, Stage};

vecasm_ir::documented! {
    /// What is found, as a word for filters and reports.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Cause {
        /// A NaN was born, or given.
        Nan,
        /// An infinity was born, or given.
        Infinity,
        /// A denormal was born, or given.
        Denormal,
        /// A vector of length zero was to be normalized.
        ZeroVector,
        /// A register was read that the run had not written.
        UnwrittenRegister,
        /// A constant was read that nobody set.
        UnsetConstant,
        /// An input was read that nobody gave.
        UnsetInput,
        /// A texture was read that is not bound.
        UnboundTexture,
        /// An output, or a part of it, was never written.
        UnwrittenOutput,
        /// A computed index lies outside its registers.
        IndexRange,
        /// An invocation was discarded.
        Killed,
        /// A loop did not end.
        Fuel,
        /// A colour is black, because a factor is zero or a clamp made it so.
        Black,
        /// A colour is cut off at 1.
        Clamped,
        /// A matrix looks as if rows and columns were exchanged.
        Transposed,
        /// An output is not what was expected.
        Unexpected,
    }
}

impl Cause {
    /// Every cause.
    pub const ALL: [Self; 16] = [
        Self::Nan,
        Self::Infinity,
        Self::Denormal,
        Self::ZeroVector,
        Self::UnwrittenRegister,
        Self::UnsetConstant,
        Self::UnsetInput,
        Self::UnboundTexture,
        Self::UnwrittenOutput,
        Self::IndexRange,
        Self::Killed,
        Self::Fuel,
        Self::Black,
        Self::Clamped,
        Self::Transposed,
        Self::Unexpected,
    ];

    /// The word of reports: `nan`, `unset-constant`…
    pub const fn word(self) -> &'static str {
        match self {
            Self::Nan => "nan",
            Self::Infinity => "infinity",
            Self::Denormal => "denormal",
            Self::ZeroVector => "zero-vector",
            Self::UnwrittenRegister => "unwritten-register",
            Self::UnsetConstant => "unset-constant",
            Self::UnsetInput => "unset-input",
            Self::UnboundTexture => "unbound-texture",
            Self::UnwrittenOutput => "unwritten-output",
            Self::IndexRange => "index-range",
            Self::Killed => "killed",
            Self::Fuel => "fuel",
            Self::Black => "black",
            Self::Clamped => "clamped",
            Self::Transposed => "transposed",
            Self::Unexpected => "unexpected",
        }
    }
}

/// A source instruction, or one half of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// Number of the source instruction, from 0.
    pub source: u32,
    /// Which part of it; see [`Step::part`](vecasm_ir::ir::steps::Step::part).
    pub part: u8,
}

/// What a [`Station`] is in its story.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// What an operand of the culprit was made by.
    Origin,
    /// The culprit.
    Culprit,
    /// It is handed on here.
    Through,
    /// It ends here, without a trace in the result.
    Swallowed,
}

impl Role {
    /// The word of reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Origin => "origin",
            Self::Culprit => "culprit",
            Self::Through => "through",
            Self::Swallowed => "swallowed",
        }
    }
}

/// A step that has a part in a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Station {
    /// Where.
    pub at: At,
    /// As what.
    pub role: Role,
    /// What happens there: `r1.x = 1 / sqrt(-0.3) = NaN`.
    pub text: String,
}

/// Something that explains a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub cause: Cause,
    /// How bad: errors reach a result, notes most likely do no harm.
    pub severity: Severity,
    /// It rests on values that are [made up](Query::made_up), and is no more than a note.
    pub made_up: bool,
    /// In a sentence, without the place.
    pub message: String,
    /// The culprit, if it is an instruction.
    pub at: Option<At>,
    /// The first invocation concerned.
    pub invocation: Option<usize>,
    /// How many invocations are concerned.
    pub count: usize,
    /// The story, in the order of the run, as it was in the first invocation.
    pub trail: Vec<Station>,
    /// Where operands came from, and what else helps.
    pub notes: Vec<String>,
}

/// A lane of an output that is asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutputLane {
    /// The output.
    pub output: OutputId,
    /// The lane, 0–3.
    pub lane: usize,
    /// What it should be, if that is known: an f32, or the bits of an integer output. Then only a lane that differs has a slice.
    pub expected: Option<f32>,
    /// How far from that it may be.
    pub tolerance: f32,
}

/// What is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'a> {
    /// What the run was given; without it nothing counts as not set.
    pub given: Option<&'a GivenValues>,
    /// What the run was given is nobody's: values made up at random. What depends on them blames no program, and is a note.
    pub made_up: bool,
    /// Only this invocation is looked at.
    pub invocation: Option<usize>,
    /// The lanes whose slices are wanted, in the first invocation that is looked at.
    pub wanted: &'a [OutputLane],
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The findings, the worst first, then in the order of the program.
    pub findings: Vec<Finding>,
    /// For each lane that was asked about, the steps that made it; not if it is as expected.
    pub slices: Vec<Slice>,
    /// What the run gave.
    pub outputs: Outputs,
    /// The runs of some groups were too long; only their beginnings were looked at.
    pub truncated: bool,
}

impl Report {
    /// Adds the findings of another run of the same program; those of one cause at one place count together.
    pub fn merge(&mut self, other: Self) {
        self.truncated |= other.truncated;
        for finding in other.findings {
            let same = |known: &&mut Finding| known.cause == finding.cause && known.at == finding.at;
            match self.findings.iter_mut().find(same) {
                Some(known) => {
                    let count = known.count + finding.count;
                    if finding.severity > known.severity {
                        *known = finding;
                    }
                    known.count = count;
                }
                None => self.findings.push(finding),
            }
        }
        self.findings.sort_by_key(|f| (core::cmp::Reverse(f.severity), f.at, f.cause));
    }

    /// Whether something was found that is more than a note.
    pub fn is_bad(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity > Severity::Note)
    }
}

/// Runs a batch and explains what is odd about the results. The shader must have its step table.
///
/// # Errors
///
/// As [`Engine::run`](vecasm_exec::Engine::run); [`RunError::Unsupported`] for groups of more than 64 invocations.
pub fn why(shader: &Shader, batch: &Batch<'_>, ask: &Query<'_>) -> Result<Report, RunError> {
    let probed = probe::Probed::new(shader);
    let mut gathered = findings::Gathered::default();
    let mut slices = Vec::new();
    // Slices are of the first group that is looked at.
    let mut asked = false;
    let mut truncated = false;
    // A group has 64 invocations at most, and is known by its first one.
    let wanted = |first: usize| ask.invocation.is_none_or(|at| (first..first + 64).contains(&at));
    let matrices = usual::matrices(shader);
    let outputs = flow::each_group(&probed, batch, &wanted, &mut |flow| {
        let here = flow.first..flow.first + flow.here;
        if ask.invocation.is_some_and(|at| !here.contains(&at)) {
            return;
        }
        let only = ask.invocation.map(|at| (at - flow.first) as u32);
        truncated |= flow.truncated;
        let steps = steps::Steps::new(flow);
        let roots = RefCell::default();
        let made_up = ask.made_up.then(|| outside::dependents(flow));
        let group = findings::Group { flow, steps: &steps, batch, given: ask.given, made_up, only, roots };
        group.births(&mut gathered);
        group.unset(&mut gathered);
        group.usual(&matrices, &mut gathered);
        group.colours(&mut gathered);
        if !core::mem::replace(&mut asked, true) {
            slices.extend(ask.wanted.iter().filter_map(|wanted| group.slice(wanted, &mut gathered)));
        }
    })?;
    gathered.outcome(shader, &outputs, ask.invocation);
    Ok(Report { findings: gathered.finish(), slices, outputs, truncated })
}

/// The group of an invocation alone, and its number there. Where groups see what others left, all of them.
///
/// # Errors
///
/// As [`Engine::run`](vecasm_exec::Engine::run), for what can be told before a run.
pub fn alone<'a>(
    shader: &Shader,
    batch: &Batch<'a>,
    invocation: usize,
) -> Result<(Batch<'a>, usize), RunError> {
    let group = Interp.group(shader, batch)?.max(1);
    let first = invocation / group * group;
    if shader.serial || !matches!(shader.stage, Stage::Vertex | Stage::Fragment) {
        return Ok((batch.clone(), invocation));
    }
    let end = (first + group).min(batch.count);
    let of =
        |list: &Vec<[u32; 4]>| list.get(first..end.min(list.len())).map(<[_]>::to_vec).unwrap_or_default();
    let mut cut = Batch {
        count: end - first,
        inputs: batch.inputs.iter().map(of).collect(),
        params: batch.params.clone(),
        states: batch.states.clone(),
        textures: batch.textures.clone(),
        buffers: batch.buffers.clone(),
        images: batch.images.clone(),
        handles: batch.handles.clone(),
        framebuffer: batch.framebuffer.iter().map(of).collect(),
        helpers: batch
            .helpers
            .get(first..end.min(batch.helpers.len()))
            .map(<[_]>::to_vec)
            .unwrap_or_default(),
        subgroup: batch.subgroup,
        fuel: batch.fuel,
        ..Batch::default()
    };
    if let Some(fragments) = &batch.fragments {
        let mut fragments = fragments.clone();
        fragments.triangle.drain(..first.min(fragments.triangle.len()));
        fragments.center.drain(..first.min(fragments.center.len()));
        fragments.centroid.drain(..first.min(fragments.centroid.len()));
        cut.fragments = Some(fragments);
    }
    Ok((cut, invocation - first))
}

/// For each key, how many invocations, and the finding of the first one.
type Known = BTreeMap<(Cause, Option<At>, bool, String), usize>;
