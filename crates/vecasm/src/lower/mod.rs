//! Programs of another instruction set, and programs made shorter in their own.
//!
//! [`lower`] makes a program of a shader, with the binding that says which register is which. [`optimize`] lowers a program to the
//! instruction set that it is of. `vecasm to agal`, `d3d9`, `nv2a` or `tgsi` and `vecasm opt` do the same.

#[cfg(feature = "d3d9")]
mod fit;
mod optimize;

#[cfg(feature = "d3d9")]
pub use fit::{FitOptions, Fitted, Relief, fit};
pub use optimize::{Certificate, Kept, OptimizeOptions, Optimized, optimize};
pub use vecasm_code::{Ends, Measure};

use crate::code::{self, Lowered, Reason};
use crate::compare::{Link, LinkEnd};
use crate::diag::{Diagnostic, Place, Severity};
use crate::ir::{ParamId, Promise, Shader};
use crate::isa::{AnyProgram, Isa};
use crate::target::Target;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// How shaders become programs: the options of each instruction set.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Options<'a> {
    /// Those of AGAL.
    #[cfg(feature = "agal")]
    pub agal: Option<&'a code::agal::Options>,
    /// The model of Direct3D 9; `None` for the first of 2.0 and later that has room.
    #[cfg(feature = "d3d9")]
    pub d3d9_model: Option<code::d3d9::Model>,
    /// Those of the NV2A.
    #[cfg(feature = "nv2a")]
    pub nv2a: code::nv2a::LowerOptions,
    /// Those of TGSI.
    #[cfg(feature = "tgsi")]
    pub tgsi: code::tgsi::Options<'a>,
    /// The least that is kept of the shader, for every instruction set; `None` for what its options say.
    pub promise: Option<Promise>,
    /// The other stage of a pair, whose varyings have the numbers of this one.
    pub partner: Option<&'a Shader>,
    /// Texts of the instructions of the source, which stand above those that do their work; empty for none.
    pub comments: &'a [String],
}

/// A program that a shader became.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoweredProgram {
    /// The program.
    pub program: AnyProgram,
    /// The program as text, with the comments that were wanted.
    pub text: String,
    /// Which of its registers is which of the source, and what the host sets.
    pub link: Link,
    /// For each of its instructions, those of the source that it does the work of, from 0.
    pub steps: Vec<Vec<u32>>,
    /// Operations of which less is kept than that they are the same, each at its instruction of the source.
    pub notes: Vec<Diagnostic>,
}

/// Makes a program of a shader. States of the pipeline must be settled: see [`code::settle`].
///
/// # Errors
///
/// Everything that the instruction set cannot say, one reason or more; the places are instructions of the program that was lifted.
pub fn lower(
    shader: &Shader,
    target: Target,
    options: &Options<'_>,
) -> Result<LoweredProgram, Vec<Diagnostic>> {
    let made = match target {
        #[cfg(feature = "agal")]
        Target::Agal => lower_to_agal(shader, options).map(|made| made.map_program(AnyProgram::Agal)),
        #[cfg(feature = "d3d9")]
        Target::D3d9 => lower_to_d3d9(shader, options).map(|made| made.map_program(AnyProgram::D3d9)),
        #[cfg(feature = "nv2a")]
        Target::Nv2a => {
            let mut own = options.nv2a;
            own.promise = options.promise.or(own.promise);
            code::nv2a::lower(shader, &own).map(|made| made.map_program(AnyProgram::Nv2a))
        }
        #[cfg(feature = "tgsi")]
        Target::Tgsi => {
            let mut own = options.tgsi;
            own.promise = options.promise.or(own.promise);
            code::tgsi::lower(shader, &own).map(|made| made.map_program(AnyProgram::Tgsi))
        }
        _ => {
            let message = format!("{target} is no instruction set");
            return Err(Vec::from([Diagnostic::new(Severity::Error, "LOWER-stage", message)]));
        }
    };
    let Lowered { program, binding, steps, promise, notes } =
        made.map_err(|reasons| reasons.into_iter().map(placed).collect::<Vec<_>>())?;
    let mut text = program.to_text();
    if !options.comments.is_empty() {
        text = commented(&program, &text, &steps, options.comments);
    }
    let mut link = Link { promise: Some(promise), ..link(&binding, shader, program.isa()) };
    #[cfg(feature = "tgsi")]
    if target == Target::Tgsi && options.tgsi.like.is_some() {
        // Registers that keep their numbers keep their names.
        (link.inputs, link.outputs, link.constants, link.samplers) = (None, None, None, None);
    }
    let notes = notes.into_iter().map(placed).collect();
    Ok(LoweredProgram { program, text, link, steps, notes })
}

/// A reason at its instruction.
fn placed(reason: Reason) -> Diagnostic {
    match reason.step {
        Some(step) => reason.finding.at(Place::instruction(step)),
        None => reason.finding,
    }
}

/// Programs of a pair are of one version of AGAL, and their varyings have the same numbers.
#[cfg(feature = "agal")]
fn lower_to_agal(
    shader: &Shader,
    options: &Options<'_>,
) -> Result<Lowered<crate::isa::agal::Program>, Vec<Reason>> {
    let mut own = options.agal.cloned().unwrap_or_default();
    own.promise = options.promise.or(own.promise);
    let Some(partner) = options.partner else { return code::agal::lower(shader, &own) };
    own.varyings = code::varyings_of_pair(shader, partner);
    let mut made = code::agal::lower(shader, &own)?;
    // The other one may need a later version.
    if let Ok(other) = code::agal::lower(partner, &own) {
        let version = other.program.version();
        if own.version.is_none() && version > made.program.version() {
            own.version = Some(version);
            made = code::agal::lower(shader, &own)?;
        }
    }
    Ok(made)
}

/// Programs of a pair are both of model 3.0, or none is; their varyings have the same usages.
#[cfg(feature = "d3d9")]
fn lower_to_d3d9(
    shader: &Shader,
    options: &Options<'_>,
) -> Result<Lowered<crate::isa::d3d9::Program>, Vec<Reason>> {
    let mut own = code::d3d9::Options::default();
    own.promise = options.promise;
    own.partner = options.partner;
    let model = options.d3d9_model;
    let of_stage = |shader: &Shader| model.filter(|model| model.is_for(shader.stage));
    // A model of the other stage is for that one.
    own.model = of_stage(shader).or(model.filter(|_| options.partner.is_none()));
    let made = code::d3d9::lower(shader, &own);
    let (Some(partner), None) = (options.partner, own.model) else { return made };
    let mut others = own.clone();
    (others.model, others.partner) = (of_stage(partner), Some(shader));
    let is_new = |program: &crate::isa::d3d9::Program| program.version().major() >= 3;
    let other = code::d3d9::lower(partner, &others).map(|other| is_new(&other.program));
    match (&made, other) {
        (Ok(made), Ok(true)) if !is_new(&made.program) => {
            own.model = code::d3d9::MODELS
                .iter()
                .copied()
                .find(|model| model.version.major() >= 3 && model.is_for(shader.stage));
            code::d3d9::lower(shader, &own)
        }
        _ => made,
    }
}

/// The text with the instructions of the source above those that do their work: each once, where it is first met.
fn commented(program: &AnyProgram, text: &str, steps: &[Vec<u32>], source: &[String]) -> String {
    let mut above: BTreeMap<usize, (usize, Vec<u32>)> = BTreeMap::new();
    let mut met = alloc::collections::BTreeSet::new();
    for (span, steps) in program.instruction_spans(text).iter().zip(steps) {
        let Some((front, line)) = text.split_at_checked(span.start as usize) else { continue };
        // Below one another, however many digits the number in front of an instruction has.
        let code = line.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(": ").unwrap_or(line);
        let column = front.len() - front.rfind('\n').map_or(0, |end| end + 1) + line.len() - code.len();
        let new = steps.iter().copied().filter(|step| met.insert(*step));
        above.entry(front.matches('\n').count()).or_insert((column, Vec::new())).1.extend(new);
    }
    let mut out = String::with_capacity(text.len() * 2);
    for (n, line) in text.lines().enumerate() {
        if let Some((column, steps)) = above.get(&n) {
            for words in steps.iter().filter_map(|step| source.get(*step as usize)).flat_map(|of| of.lines())
            {
                out.push_str(&format!("{:column$}// {words}\n", ""));
            }
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The binding of a program that was lowered, for [`eqv`](crate::compare::eqv) and for files: `source` is the shader that it was made of,
/// `target` the instruction set of the program.
pub fn link(binding: &code::Binding, source: &Shader, target: Isa) -> Link {
    let names = |list: &[(String, String)]| Some(list.to_vec());
    let mut defaults = Vec::new();
    for (name, of) in &binding.constants {
        let brought = source.param_named(of).and_then(|(array, element)| {
            let ParamId(n) = array;
            let array = source.params.get(n as usize)?;
            source.symbols.defaults_of(&array.name).find(|(of, _)| *of == element)
        });
        defaults.extend(brought.map(|(_, bits)| (name.clone(), bits)));
    }
    // AGAL says the states in the program.
    let mut sampler_states = Vec::new();
    for (name, of) in binding.samplers.iter().filter(|_| target.name() != "agal") {
        let texture = source.textures.iter().find(|texture| texture.name == *of);
        sampler_states.extend(texture.and_then(|texture| texture.sampler).map(|state| (name.clone(), state)));
    }
    Link {
        source: LinkEnd { isa: Some(source.isa.clone().into_owned()), stage: Some(source.stage) },
        target: LinkEnd { isa: Some(target.name().into()), stage: Some(source.stage) },
        inputs: names(&binding.inputs),
        outputs: names(&binding.outputs),
        constants: names(&binding.constants),
        literals: binding.literals.clone(),
        samplers: names(&binding.samplers),
        sampler_states,
        defaults,
        ..Link::default()
    }
}
