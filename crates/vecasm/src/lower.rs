//! Programs made shorter in their own instruction set.
//!
//! A program is lifted and [lowered](crate::code) again with its own inputs, outputs and constants. Where that gains nothing, or would
//! need something that its host does not know of, it stays as it is, and [`Kept`] says why.

use crate::code::{self, Reason};
use crate::compare::{Link, LinkEnd};
use crate::diag::{Diagnostic, Severity};
use crate::ir::Shader;
use crate::isa::any::{CheckOptions, LiftOptions};
use crate::isa::{AnyProgram, Isa};
use alloc::string::String;
use alloc::vec::Vec;

/// Why a program stays as it is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kept {
    /// What was made of it has no fewer instructions, and no fewer registers.
    NotShorter,
    /// The way back to its instruction set cannot say all of it.
    Refused(Vec<Reason>),
    /// The result would need constants of its own, which the host does not set.
    Constants,
    /// The original runtime would say more against the result.
    Findings,
    /// There is no way back to its instruction set.
    NoTarget,
}

/// A program, made shorter if that could be done.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Optimized {
    /// The program: a new one, or the same.
    pub program: AnyProgram,
    /// Why it is the same.
    pub kept: Option<Kept>,
    /// Numbers of instructions, before and after. Of AGAL they are tokens; of TGSI the last, `END`, does not count.
    pub instructions: [usize; 2],
    /// Numbers of temporary registers, before and after.
    pub registers: [usize; 2],
    /// For each instruction of a new program, those of the old one that it does the work of, from 0.
    pub steps: Vec<Vec<u32>>,
}

/// Makes a program shorter, with the results that it has by default, to the bit.
///
/// # Errors
///
/// Why it has no meaning.
pub fn optimize(program: &AnyProgram) -> Result<Optimized, Diagnostic> {
    let shader = program.lift(&LiftOptions::default())?;
    let before = sizes(program);
    let keep = |why: Kept| Optimized {
        program: program.clone(),
        kept: Some(why),
        instructions: [before[0]; 2],
        registers: [before[1]; 2],
        steps: Vec::new(),
    };
    let (made, steps, constants) = match program {
        #[cfg(feature = "agal")]
        AnyProgram::Agal(own) => {
            // As many registers as it had, at most.
            let mut options = code::agal::Options::like(own);
            options.temporaries = Some(u16::try_from(before[1]).unwrap_or(u16::MAX));
            match code::agal::lower(&shader, &options) {
                Ok(made) => (AnyProgram::Agal(made.program), made.steps, !made.binding.literals.is_empty()),
                Err(reasons) => return Ok(keep(Kept::Refused(reasons))),
            }
        }
        #[cfg(feature = "tgsi")]
        AnyProgram::Tgsi(own) => {
            let options = code::tgsi::Options { exact: true, ..code::tgsi::Options::like(own) };
            match code::tgsi::lower(&shader, &options) {
                Ok(made) => (AnyProgram::Tgsi(made.program), made.steps, false),
                Err(reasons) => return Ok(keep(Kept::Refused(reasons))),
            }
        }
        #[allow(unreachable_patterns, reason = "builds with those two alone")]
        _ => return Ok(keep(Kept::NoTarget)),
    };
    let after = sizes(&made);
    let errors = |program: &AnyProgram| {
        let findings = program.validate(&CheckOptions::default());
        findings.iter().filter(|finding| finding.severity == Severity::Error).count()
    };
    if constants {
        return Ok(keep(Kept::Constants));
    }
    if after >= before || after[1] > before[1] {
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
    })
}

/// The binding of a program that was lowered, for [`eqv`](crate::compare::eqv) and for files: `source` is the shader that it was made of,
/// `target` the instruction set of the program.
pub fn link(binding: &code::Binding, source: &Shader, target: Isa) -> Link {
    let names = |list: &[(String, String)]| Some(list.to_vec());
    Link {
        source: LinkEnd { isa: Some(source.isa.clone().into_owned()), stage: Some(source.stage) },
        target: LinkEnd { isa: Some(target.name().into()), stage: Some(source.stage) },
        inputs: names(&binding.inputs),
        outputs: names(&binding.outputs),
        constants: names(&binding.constants),
        literals: binding.literals.clone(),
        samplers: names(&binding.samplers),
        ..Link::default()
    }
}

/// Numbers of instructions and of temporary registers.
fn sizes(program: &AnyProgram) -> [usize; 2] {
    match program {
        #[cfg(feature = "agal")]
        AnyProgram::Agal(program) => {
            let usage = crate::isa::agal::rules::describe(program);
            let used = |mask: &crate::isa::operand::WriteMask| mask.count() > 0;
            let registers = usage.temporaries.iter().rposition(used).map_or(0, |last| last + 1);
            [program.tokens.len(), registers]
        }
        #[cfg(feature = "tgsi")]
        AnyProgram::Tgsi(program) => {
            use crate::isa::tgsi::names::File;
            let temporaries = program.declarations().filter(|declaration| declaration.file == File::Temp);
            let registers = temporaries.map(|of| usize::from(of.last.saturating_sub(of.first)) + 1).sum();
            [program.instructions().count().saturating_sub(1), registers]
        }
        #[allow(unreachable_patterns, reason = "builds with those two alone")]
        _ => [0, 0],
    }
}
