//! Programs of Direct3D made to fit a model.
//!
//! A program is lifted and lowered again for the model, as exactly as it can be: first with the bits that it gives, then with weaker
//! promises. What had to give way is a [`Relief`].

use super::optimize::sizes;
use super::{link, placed};
use crate::code::d3d9::{Model, Options, largest, lower};
use crate::code::{Lowered, Measure, settle};
use crate::compare::Link;
use crate::diag::{Diagnostic, Severity};
use crate::ir::{InputKind, OutputKind, Promise, Shader};
use crate::isa::AnyProgram;
use crate::isa::any::LiftOptions;
use crate::isa::d3d9::Program;
use crate::isa::d3d9::program::InstructionToken;
use crate::isa::d3d9::rules::validate;
use crate::isa::d3d9::table::Opcode;
use crate::isa::table::Flow;
use alloc::format;
use alloc::vec::Vec;

/// How a program is made to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FitOptions {
    /// The least that is kept of the program.
    pub promise: Promise,
    /// Whether it is checked that each register of the result holds what is read.
    pub checked: bool,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { promise: Promise::Close, checked: false }
    }
}

impl FitOptions {
    /// With at least that kept of the program.
    #[must_use]
    pub fn with_promise(self, promise: Promise) -> Self {
        Self { promise, ..self }
    }

    /// With or without a check of the registers.
    #[must_use]
    pub fn with_checked(self, checked: bool) -> Self {
        Self { checked, ..self }
    }
}

/// What gave way for a program to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Relief {
    /// What nobody reads, what was there already, and what fits in one instruction: so many slots less.
    Shorter(usize),
    /// The results: less than their bits is kept.
    Promise(Promise),
    /// Loops: so many less, which were written out, or had no round.
    Loops(usize),
    /// Conditionals: so many less, which became choices, or were known.
    Conditionals(usize),
    /// The registers of varyings: not all keep their usages.
    Varyings,
}

impl Relief {
    /// The word for it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Shorter(_) => "shorter",
            Self::Promise(_) => "promise",
            Self::Loops(_) => "loops",
            Self::Conditionals(_) => "conditionals",
            Self::Varyings => "varyings",
        }
    }
}

impl core::fmt::Display for Relief {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let counted = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        match self {
            Self::Shorter(slots) => write!(f, "{} less", counted(*slots, "slot")),
            Self::Promise(promise) => write!(f, "results kept {}", kept_as(*promise)),
            Self::Loops(count) => write!(f, "{} less", counted(*count, "loop")),
            Self::Conditionals(count) => write!(f, "{} less", counted(*count, "conditional")),
            Self::Varyings => f.write_str("varyings renumbered"),
        }
    }
}

/// A promise, as how results are kept.
const fn kept_as(promise: Promise) -> &'static str {
    match promise {
        Promise::Exact => "to the bit",
        Promise::Operations => "operation by operation",
        other => other.name(),
    }
}

/// A program that fits.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fitted {
    /// The program: a new one, or the same where it fits and nothing is gained.
    pub program: AnyProgram,
    /// Whether it is a new one.
    pub changed: bool,
    /// What gave way, in the order in which it was tried.
    pub reliefs: Vec<Relief>,
    /// What is kept of the program.
    pub promise: Promise,
    /// Operations of which less is kept than that they are the same, and states that were fixed.
    pub notes: Vec<Diagnostic>,
    /// Which register is which of the program that was given; of the same program nothing is said.
    pub link: Link,
    /// Numbers of slots, before and after.
    pub slots: [usize; 2],
    /// Numbers of temporary registers, before and after.
    pub registers: [usize; 2],
    /// For each instruction of a new program, those of the old one that it does the work of, from 0.
    pub steps: Vec<Vec<u32>>,
}

/// Makes a program of Direct3D fit a model.
///
/// # Errors
///
/// Everything that the model cannot say; where there are too many slots, the three instructions that take most of them, too.
pub fn fit(program: &AnyProgram, model: Model, how: &FitOptions) -> Result<Fitted, Vec<Diagnostic>> {
    let AnyProgram::D3d9(own) = program else {
        let message = format!("programs of Direct3D have models, and this is none: {}", program.isa().name());
        return Err(Vec::from([Diagnostic::new(Severity::Error, "LOWER-fit", message)]));
    };
    let mut notes = Vec::new();
    let shader = program.lift(&LiftOptions::default()).map_err(|finding| Vec::from([finding]))?;
    let shader = settle(shader, &[], &mut notes);
    // The help names a flag of translations.
    notes.iter_mut().for_each(|note| note.help = None);
    let before = sizes(program);
    let findings = validate(own, &model.options());
    let is_clean = findings.iter().all(|finding| finding.severity != Severity::Error);
    let fits = own.version() == model.version && is_clean;
    let mut reasons = Vec::new();
    let mut options = Options::like(own);
    options.model = Some(model);
    options.measure = Measure::Slots;
    options.checked = how.checked;
    for promise in Promise::ALL.iter().copied().filter(|promise| !promise.is_weaker_than(how.promise)) {
        options.promise = Some(promise);
        match lower(&shader, &options) {
            Ok(made) => return Ok(fitted((own, &shader), made, before, fits, notes)),
            Err(list) => reasons = list,
        }
        // Nothing else gives way to a weaker promise.
        if reasons.iter().all(|reason| reason.finding.id != "LOWER-promise") {
            break;
        }
    }
    if fits {
        return Ok(unchanged(own, before, notes));
    }
    let is_long = reasons.iter().any(|reason| reason.finding.id == "LOWER-slots");
    let takes = if is_long { largest(&shader, model, &options) } else { Vec::new() };
    Err(reasons.into_iter().chain(takes).map(placed).collect())
}

/// A program that fits as it is.
fn unchanged(own: &Program, before: [usize; 2], notes: Vec<Diagnostic>) -> Fitted {
    Fitted {
        program: AnyProgram::D3d9(own.clone()),
        changed: false,
        reliefs: Vec::new(),
        promise: Promise::Exact,
        notes,
        link: Link::default(),
        slots: [before[0]; 2],
        registers: [before[1]; 2],
        steps: Vec::new(),
    }
}

/// What was made, or the program as it was where it fits and has no more slots.
fn fitted(
    (own, shader): (&Program, &Shader),
    made: Lowered<Program>,
    before: [usize; 2],
    fits: bool,
    mut notes: Vec<Diagnostic>,
) -> Fitted {
    let Lowered { program, binding, steps, promise, notes: weaker } = made;
    let link = Link { promise: Some(promise), ..link(&binding, shader, crate::isa::Isa::D3d9) };
    let after = sizes(&AnyProgram::D3d9(program.clone()));
    if fits && after >= before {
        return unchanged(own, before, notes);
    }
    let mut reliefs = Vec::new();
    if after[0] < before[0] {
        reliefs.push(Relief::Shorter(before[0] - after[0]));
    }
    if promise != Promise::Exact {
        reliefs.push(Relief::Promise(promise));
    }
    let less = |flow: Flow| count(own, flow).saturating_sub(count(&program, flow));
    if less(Flow::Loop) > 0 {
        reliefs.push(Relief::Loops(less(Flow::Loop)));
    }
    if less(Flow::If) > 0 {
        reliefs.push(Relief::Conditionals(less(Flow::If)));
    }
    if own.version().major() != program.version().major() && renumbers(&link, shader) {
        reliefs.push(Relief::Varyings);
    }
    notes.extend(weaker.into_iter().map(placed));
    Fitted {
        program: AnyProgram::D3d9(program),
        changed: true,
        reliefs,
        promise,
        notes,
        link,
        slots: [before[0], after[0]],
        registers: [before[1], after[1]],
        steps,
    }
}

/// How many instructions of a program open that kind of flow.
fn count(program: &Program, flow: Flow) -> usize {
    let opcodes = program.instructions().filter_map(|words| InstructionToken(*words.first()?).opcode());
    opcodes.filter(|op: &Opcode| op.row().flow == flow).count()
}

/// Whether a varying has another number than its usage says.
fn renumbers(link: &Link, shader: &Shader) -> bool {
    let inputs = shader.inputs.iter().filter_map(|of| match of.kind {
        InputKind::Varying { location } => Some((of.name.as_str(), location)),
        _ => None,
    });
    let outputs = shader.outputs.iter().filter_map(|of| match of.kind {
        OutputKind::Varying { location } => Some((of.name.as_str(), location)),
        _ => None,
    });
    let locations: Vec<(&str, u32)> = inputs.chain(outputs).collect();
    let named = [&link.inputs, &link.outputs].into_iter().flatten().flatten();
    named.into_iter().any(|(target, source)| {
        let letters = target.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = target.get(letters.len()..).and_then(|digits| digits.parse::<u32>().ok());
        // Two colours stand in front of the coordinates.
        let wanted = match (letters, number) {
            ("t" | "oT", Some(number)) => number + 2,
            ("v" | "oD", Some(number)) => number,
            _ => return false,
        };
        locations.iter().any(|(name, location)| *name == source && *location != wanted)
    })
}
