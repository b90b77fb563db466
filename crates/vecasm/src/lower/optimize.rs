//! Programs made shorter in their own instruction set.
//!
//! A program is lifted and [lowered](crate::code) again with its own inputs, outputs and constants. One of the NV2A, and a
//! pixel shader before ps_2_0, is taken apart into the operations of its slots, which find slots anew. Where that gains nothing, or would
//! need something that its host does not know of, it stays as it is, and [`Kept`] says why.

use crate::code::{self, Ends, Measure, Reason};
use crate::diag::{Diagnostic, Severity};
use crate::ir::Promise;
use crate::isa::AnyProgram;
use crate::isa::any::{CheckOptions, LiftOptions};
use alloc::vec::Vec;

/// How a program is made shorter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptimizeOptions {
    /// What is to be as little as it can. Neither the instructions nor the registers get more.
    pub measure: Measure,
    /// Whether it is checked that each register of the result holds what is read.
    pub checked: bool,
    /// NV2A, ps_1_0 to ps_1_4: whether operations stay what they are, and only find other slots.
    pub schedule_only: bool,
    /// NV2A, ps_1_0 to ps_1_4: nodes of the search; `None` for the default.
    pub budget: Option<u32>,
    /// NV2A: what of the temporaries counts at the end; `None` for what the program looks like.
    pub ends: Option<Ends>,
}

impl OptimizeOptions {
    /// With this to be as little as it can.
    #[must_use]
    pub fn with_measure(self, measure: Measure) -> Self {
        Self { measure, ..self }
    }

    /// With operations that stay what they are, or not.
    #[must_use]
    pub fn with_schedule_only(self, schedule_only: bool) -> Self {
        Self { schedule_only, ..self }
    }

    /// With at most so many nodes of a search.
    #[must_use]
    pub fn with_budget(self, budget: Option<u32>) -> Self {
        Self { budget, ..self }
    }

    /// With that of the temporaries at the end.
    #[must_use]
    pub fn with_ends(self, ends: Option<Ends>) -> Self {
        Self { ends, ..self }
    }

    /// With or without a check of the registers.
    #[must_use]
    pub fn with_checked(self, checked: bool) -> Self {
        Self { checked, ..self }
    }
}

/// Why a program stays as it is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kept {
    /// What was made of it has no fewer instructions, and no fewer registers.
    NotShorter,
    /// What was made of it needs more registers.
    Registers,
    /// The way back to its instruction set cannot say all of it.
    Refused(Vec<Reason>),
    /// The result would need constants of its own, which the host does not set.
    Constants,
    /// The original runtime would say more against the result.
    Findings,
    /// There is no way back to its instruction set.
    NoTarget,
    /// Its instructions have no slots to share, and only those were to change.
    NoSlots,
}

impl Kept {
    /// The word for it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NotShorter => "not-shorter",
            Self::Registers => "registers",
            Self::Refused(_) => "refused",
            Self::Constants => "constants",
            Self::Findings => "findings",
            Self::NoTarget => "no-target",
            Self::NoSlots => "no-slots",
        }
    }
}

impl core::fmt::Display for Kept {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::NotShorter => f.write_str("nothing to gain"),
            Self::Registers => f.write_str("it would need more registers"),
            Self::Refused(reasons) => {
                let Some(first) = reasons.first() else { return f.write_str("it cannot be said again") };
                write!(f, "{}: {}", first.finding.id, first.finding.message)?;
                match reasons.len() {
                    1 => Ok(()),
                    all => write!(f, " (and {} more)", all - 1),
                }
            }
            Self::Constants => f.write_str("it would need constants that its host does not set"),
            Self::Findings => f.write_str("the original runtime would refuse the result"),
            Self::NoTarget => f.write_str("there is no way back to its instruction set"),
            Self::NoSlots => f.write_str("its instructions do not share slots"),
        }
    }
}

/// A program, made shorter if that could be done.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Optimized {
    /// The program: a new one, or the same.
    pub program: AnyProgram,
    /// Why it is the same.
    pub kept: Option<Kept>,
    /// Numbers of instructions, before and after. Of AGAL they are tokens, of the NV2A slots; of TGSI the last, `END`, does not count.
    pub instructions: [usize; 2],
    /// Numbers of temporary registers, before and after.
    pub registers: [usize; 2],
    /// For each instruction of a new program, those of the old one that it does the work of, from 0.
    pub steps: Vec<Vec<u32>>,
    /// What is known of how few instructions there can be, where that is known.
    pub certificate: Option<Certificate>,
}

/// What a search proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Certificate {
    /// No order of these operations has fewer slots.
    pub bound: usize,
    /// Whether the program has no more.
    pub optimal: bool,
    /// Nodes of the search.
    pub nodes: u32,
    /// What of the temporaries counts at the end, besides the result of a pixel shader.
    pub ends: Ends,
}

impl core::fmt::Display for Certificate {
    /// `lower bound 30, optimal`.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "lower bound {}{}", self.bound, if self.optimal { ", optimal" } else { "" })
    }
}

/// Makes a program shorter, with the results that it has by default, to the bit.
///
/// # Errors
///
/// Why it has no meaning.
pub fn optimize(program: &AnyProgram, how: &OptimizeOptions) -> Result<Optimized, Diagnostic> {
    let shader = program.lift(&LiftOptions::default())?;
    let before = sizes(program);
    let keep = |why: Kept| Optimized {
        program: program.clone(),
        kept: Some(why),
        instructions: [before[0]; 2],
        registers: [before[1]; 2],
        steps: Vec::new(),
        certificate: None,
    };
    #[cfg(feature = "nv2a")]
    if let AnyProgram::Nv2a(own) = program {
        return Ok(match in_slots(own, how) {
            Ok(made) => made.judged(program, how.measure, keep),
            Err(reasons) => keep(Kept::Refused(reasons)),
        });
    }
    #[cfg(feature = "d3d9")]
    if let AnyProgram::D3d9(own) = program {
        if code::d3d9::is_old_pixel(own.version()) {
            return Ok(pixel_in_slots(own, how).judged(program, how.measure, keep));
        }
    }
    if how.schedule_only {
        return Ok(keep(Kept::NoSlots));
    }
    let (made, steps, constants) = match program {
        #[cfg(feature = "agal")]
        AnyProgram::Agal(own) => {
            // As many registers as it had, at most.
            let mut options = code::agal::Options::like(own);
            options.temporaries = Some(u16::try_from(before[1]).unwrap_or(u16::MAX));
            options.promise = Some(Promise::Exact);
            options.measure = how.measure;
            options.checked = how.checked;
            match code::agal::lower(&shader, &options) {
                Ok(made) => (AnyProgram::Agal(made.program), made.steps, !made.binding.literals.is_empty()),
                Err(reasons) => return Ok(keep(refused(reasons))),
            }
        }
        #[cfg(feature = "d3d9")]
        AnyProgram::D3d9(own) if code::d3d9::Model::of(own.version()).is_some() => {
            let mut options = code::d3d9::Options::like(own);
            options.temporaries = Some(u16::try_from(before[1]).unwrap_or(u16::MAX));
            options.promise = Some(Promise::Exact);
            options.measure = Measure::Slots;
            options.checked = how.checked;
            match code::d3d9::lower(&shader, &options) {
                Ok(made) => (AnyProgram::D3d9(made.program), made.steps, false),
                Err(reasons) => return Ok(keep(refused(reasons))),
            }
        }
        #[cfg(feature = "tgsi")]
        AnyProgram::Tgsi(own) => {
            let options = code::tgsi::Options {
                temporaries: Some(u16::try_from(before[1]).unwrap_or(u16::MAX)),
                promise: Some(Promise::Exact),
                measure: how.measure,
                checked: how.checked,
                ..code::tgsi::Options::like(own)
            };
            match code::tgsi::lower(&shader, &options) {
                Ok(made) => (AnyProgram::Tgsi(made.program), made.steps, false),
                Err(reasons) => return Ok(keep(refused(reasons))),
            }
        }
        #[allow(unreachable_patterns, reason = "builds with those two alone")]
        _ => return Ok(keep(Kept::NoTarget)),
    };
    let after = sizes(&made);
    if constants {
        return Ok(keep(Kept::Constants));
    }
    let cost = |[instructions, registers]: [usize; 2]| match how.measure {
        Measure::Registers => [registers, instructions],
        _ => [instructions, registers],
    };
    if cost(after) >= cost(before) || after[0] > before[0] || after[1] > before[1] {
        return Ok(keep(Kept::NotShorter));
    }
    if errors(&made) > errors(program) {
        return Ok(keep(Kept::Findings));
    }
    Ok(Optimized {
        program: made,
        kept: None,
        instructions: [before[0], after[0]],
        registers: [before[1], after[1]],
        steps,
        certificate: None,
    })
}

/// Why something was not made: for want of registers alone, or of something else.
fn refused(reasons: Vec<Reason>) -> Kept {
    match reasons.iter().all(|reason| reason.finding.id == "LOWER-registers") {
        true => Kept::Registers,
        false => Kept::Refused(reasons),
    }
}

/// How many errors the original runtime would find.
fn errors(program: &AnyProgram) -> usize {
    let findings = program.validate(&CheckOptions::default());
    findings.iter().filter(|finding| finding.severity == Severity::Error).count()
}

/// A program whose operations found slots anew.
#[cfg(any(feature = "d3d9", feature = "nv2a"))]
struct InSlots {
    program: AnyProgram,
    steps: Vec<Vec<u32>>,
    /// The fewest slots that there can be, if that is known, and nodes of the search for them.
    bound: Option<usize>,
    nodes: u32,
    ends: Ends,
}

#[cfg(any(feature = "d3d9", feature = "nv2a"))]
impl InSlots {
    /// The program, if it is shorter than the one it was made of.
    fn judged(self, own: &AnyProgram, measure: Measure, keep: impl Fn(Kept) -> Optimized) -> Optimized {
        let Self { program, steps, bound, nodes, ends } = self;
        let (before, after) = (sizes(own), sizes(&program));
        let certificate =
            |slots: usize| bound.map(|bound| Certificate { bound, optimal: bound == slots, nodes, ends });
        let keep = |why| Optimized { certificate: certificate(before[0]), ..keep(why) };
        if after[0] >= before[0] {
            return keep(Kept::NotShorter);
        }
        if measure == Measure::Registers && after[1] > before[1] {
            return keep(Kept::Registers);
        }
        if errors(&program) > errors(own) {
            return keep(Kept::Findings);
        }
        Optimized {
            program,
            kept: None,
            instructions: [before[0], after[0]],
            registers: [before[1], after[1]],
            steps,
            certificate: certificate(after[0]),
        }
    }
}

/// A program of the NV2A in fewer slots.
///
/// # Errors
///
/// Why it cannot be taken apart.
#[cfg(feature = "nv2a")]
fn in_slots(own: &crate::isa::nv2a::Program, how: &OptimizeOptions) -> Result<InSlots, Vec<Reason>> {
    let mut options = code::nv2a::Options::default();
    options.schedule_only = how.schedule_only;
    options.budget = how.budget.unwrap_or(options.budget);
    options.ends = how.ends;
    let made = code::nv2a::shorten(own, &options)?;
    let program = AnyProgram::Nv2a(made.program);
    Ok(InSlots { program, steps: made.steps, bound: Some(made.bound), nodes: made.nodes, ends: made.ends })
}

/// A pixel shader before ps_2_0 in fewer slots: it has instructions that no shader is made of again.
#[cfg(feature = "d3d9")]
fn pixel_in_slots(own: &crate::isa::d3d9::Program, how: &OptimizeOptions) -> InSlots {
    let mut options = code::d3d9::PixelOptions::default();
    options.schedule_only = how.schedule_only;
    options.budget = how.budget.unwrap_or(options.budget);
    let made = code::d3d9::shorten_pixel(own, &options);
    let program = AnyProgram::D3d9(made.program);
    InSlots { program, steps: made.steps, bound: made.bound, nodes: made.nodes, ends: Ends::Nothing }
}

/// Numbers of instructions and of temporary registers.
pub(super) fn sizes(program: &AnyProgram) -> [usize; 2] {
    match program {
        #[cfg(feature = "agal")]
        AnyProgram::Agal(program) => {
            let usage = crate::isa::agal::rules::describe(program);
            let used = |mask: &crate::isa::operand::WriteMask| mask.count() > 0;
            let registers = usage.temporaries.iter().rposition(used).map_or(0, |last| last + 1);
            [program.tokens.len(), registers]
        }
        #[cfg(feature = "d3d9")]
        AnyProgram::D3d9(program) => {
            use crate::isa::d3d9::registers::RegType;
            use crate::isa::d3d9::table::Unit;
            let slots = crate::isa::d3d9::rules::slot_counts(program).total();
            let written = program.instructions().filter_map(|words| {
                let [token, to, ..] = *words else { return None };
                let op = crate::isa::d3d9::program::InstructionToken(token).opcode()?;
                let computes = matches!(op.row().unit, Unit::Arithmetic | Unit::Texture);
                computes.then_some(crate::isa::d3d9::program::Destination(to))
            });
            let temporaries = written.filter(|to| to.reg_type() == Some(RegType::Temp));
            let registers = temporaries.map(|to| usize::from(to.number()) + 1).max().unwrap_or(0);
            [slots as usize, registers]
        }
        #[cfg(feature = "tgsi")]
        AnyProgram::Tgsi(program) => {
            use crate::isa::tgsi::names::File;
            let temporaries = program.declarations().filter(|declaration| declaration.file == File::Temp);
            let registers = temporaries.map(|of| usize::from(of.last.saturating_sub(of.first)) + 1).sum();
            [program.instructions().count().saturating_sub(1), registers]
        }
        #[cfg(feature = "nv2a")]
        AnyProgram::Nv2a(program) => {
            [program.slots.len(), crate::isa::nv2a::rules::describe(program).temporaries.len()]
        }
        #[allow(unreachable_patterns, reason = "builds with those two alone")]
        _ => [0, 0],
    }
}
