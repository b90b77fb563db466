//! From programs to a target that takes them.
//!
//! A writer of [`emit`](crate::emit) takes a shader in which everything is settled that its language must know. [`translate`]
//! and [`Pipeline`] make it so, in this order:
//!
//! 1. *lift* each stage, with the options that the target wants;
//! 2. *settle* it: states that are given, and what targets must know, such as the dimensions of textures ([`opt::settle`]);
//! 3. let its invocations run side by side, as GPUs run them ([`opt::unorder`]), or make a compute shader of it
//!    ([`opt::dispatch`]);
//! 4. *link* the stages, so that their varyings meet ([`Isa::link`], [`opt::retype_for`]);
//! 5. write.
//!
//! `vecasm to` does the same, and gives the same text.

use crate::diag::{Diagnostic, Place, Severity};
#[cfg(feature = "glsl")]
use crate::emit::glsl;
#[cfg(feature = "hlsl")]
use crate::emit::hlsl;
#[cfg(feature = "msl")]
use crate::emit::msl;
use crate::emit::options::{Binding, Constant, Place as BindingPlace};
#[cfg(feature = "spirv")]
use crate::emit::spirv;
#[cfg(feature = "wgsl")]
use crate::emit::wgsl;
use crate::ir::{Shader, Stage, State, text};
use crate::isa::Isa;
use crate::isa::any::{AnyProgram, LiftOptions};
use crate::opt;
use crate::target::Target;
#[cfg(all(
    feature = "lower",
    any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")
))]
use crate::{code, lower};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// How programs are translated. The default is what `vecasm to` does without flags.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TranslateOptions<'a> {
    /// The meaning of a program where its instruction set leaves that open; `None` for what the
    /// target wants: [`LiftOptions::for_gpus`], with [`compute`](Self::compute) the results as the program writes them, and for
    /// [`Target::Ir`] the defaults.
    pub lift: Option<LiftOptions>,
    /// State values outside the programs that are fixed: the name and four lanes as bits. See [`opt::settle`].
    pub states: &'a [(&'a str, [u32; 4])],
    /// Whether a vertex program becomes a compute shader, with its attributes and results in buffers.
    #[cfg(feature = "wgsl")]
    pub compute: bool,
    /// Whether each instruction of the program is a comment above what it became.
    pub comments: bool,
    /// How WGSL is written.
    #[cfg(feature = "wgsl")]
    pub wgsl: wgsl::Options<'a>,
    /// How SPIR-V is written; `None` for what the environment wants by default.
    #[cfg(feature = "spirv")]
    pub spirv: Option<spirv::Options<'a>>,
    /// How GLSL is written. What is before and after the stage, a [`Pipeline`] adds.
    #[cfg(feature = "glsl")]
    pub glsl: glsl::Options<'a>,
    /// How HLSL is written. The stages around it, a [`Pipeline`] adds.
    #[cfg(feature = "hlsl")]
    pub hlsl: hlsl::Options<'a>,
    /// How MSL is written.
    #[cfg(feature = "msl")]
    pub msl: msl::Options<'a>,
    /// How programs of other instruction sets are made. The other stage of a pair, a [`Pipeline`] adds.
    #[cfg(all(
        feature = "lower",
        any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")
    ))]
    pub lower: lower::Options<'a>,
}

impl<'a> TranslateOptions<'a> {
    /// With these choices where the instruction set leaves the meaning open.
    #[must_use]
    pub fn with_lift(self, lift: LiftOptions) -> Self {
        Self { lift: Some(lift), ..self }
    }

    /// With these states fixed: names and four lanes as bits.
    #[must_use]
    pub fn with_states(self, states: &'a [(&'a str, [u32; 4])]) -> Self {
        Self { states, ..self }
    }

    /// With vertex programs as compute shaders.
    #[cfg(feature = "wgsl")]
    #[must_use]
    pub fn with_compute(self, compute: bool) -> Self {
        Self { compute, ..self }
    }

    /// The options of lifting for a target.
    fn lifting(&self, target: Target) -> LiftOptions {
        #[cfg(feature = "wgsl")]
        let compute = self.compute;
        #[cfg(not(feature = "wgsl"))]
        let compute = false;
        self.lift.unwrap_or_else(|| lifting(target, compute))
    }

    /// With the instructions of the program as comments.
    #[must_use]
    pub fn with_comments(self, comments: bool) -> Self {
        Self { comments, ..self }
    }

    /// With these options for WGSL.
    #[cfg(feature = "wgsl")]
    #[must_use]
    pub fn with_wgsl(self, wgsl: wgsl::Options<'a>) -> Self {
        Self { wgsl, ..self }
    }

    /// With these options for SPIR-V.
    #[cfg(feature = "spirv")]
    #[must_use]
    pub fn with_spirv(self, spirv: spirv::Options<'a>) -> Self {
        Self { spirv: Some(spirv), ..self }
    }

    /// With these options for GLSL.
    #[cfg(feature = "glsl")]
    #[must_use]
    pub fn with_glsl(self, glsl: glsl::Options<'a>) -> Self {
        Self { glsl, ..self }
    }

    /// With these options for HLSL.
    #[cfg(feature = "hlsl")]
    #[must_use]
    pub fn with_hlsl(self, hlsl: hlsl::Options<'a>) -> Self {
        Self { hlsl, ..self }
    }

    /// With these options for programs of other instruction sets.
    #[cfg(all(
        feature = "lower",
        any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")
    ))]
    #[must_use]
    pub fn with_lower(self, lower: lower::Options<'a>) -> Self {
        Self { lower, ..self }
    }

    /// With these options for MSL.
    #[cfg(feature = "msl")]
    #[must_use]
    pub fn with_msl(self, msl: msl::Options<'a>) -> Self {
        Self { msl, ..self }
    }
}

/// How programs are lifted for a target where nothing else is said.
pub fn lift_options(target: Target) -> LiftOptions {
    lifting(target, false)
}

/// The same, for a compute shader or not.
pub(crate) fn lifting(target: Target, compute: bool) -> LiftOptions {
    #[cfg(all(feature = "lower", feature = "nv2a"))]
    if target == Target::Nv2a {
        return lifting_to_nv2a();
    }
    if target == Target::Ir {
        LiftOptions::default()
    } else if compute && target.is_of_gpus() {
        LiftOptions::for_compute()
    } else {
        LiftOptions::for_gpus()
    }
}

/// How programs are lifted that become programs of the NV2A: those of its own as they are, of others without the clamps of their
/// pipeline, which it has, too.
#[cfg(all(feature = "lower", feature = "nv2a"))]
fn lifting_to_nv2a() -> LiftOptions {
    let mut options = LiftOptions::default();
    options.nv2a.numerics = crate::isa::nv2a::lift::Numerics::Ieee;
    #[cfg(feature = "d3d9")]
    {
        options.d3d9.unclamped = true;
    }
    options
}

/// A translated stage or module, with what the host must bind, as the writer of the target gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Translation {
    /// A module of one or two stages.
    #[cfg(feature = "wgsl")]
    Wgsl(wgsl::Output),
    /// A module.
    #[cfg(feature = "spirv")]
    Spirv(spirv::Output),
    /// The text of a stage.
    #[cfg(feature = "glsl")]
    Glsl(glsl::Output),
    /// The text of a stage.
    #[cfg(feature = "hlsl")]
    Hlsl(hlsl::Output),
    /// The text of a stage.
    #[cfg(feature = "msl")]
    Msl(msl::Output),
    /// A program.
    #[cfg(all(
        feature = "lower",
        any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")
    ))]
    Program(Box<lower::LoweredProgram>),
    /// The text of a shader.
    Ir(String),
}

impl Translation {
    /// The text; `None` for SPIR-V, which is binary.
    pub fn text(&self) -> Option<&str> {
        match self {
            #[cfg(feature = "wgsl")]
            Self::Wgsl(output) => Some(&output.source),
            #[cfg(feature = "spirv")]
            Self::Spirv(_) => None,
            #[cfg(feature = "glsl")]
            Self::Glsl(output) => Some(&output.source),
            #[cfg(feature = "hlsl")]
            Self::Hlsl(output) => Some(&output.source),
            #[cfg(feature = "msl")]
            Self::Msl(output) => Some(&output.source),
            #[cfg(all(
                feature = "lower",
                any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")
            ))]
            Self::Program(lowered) => Some(&lowered.text),
            Self::Ir(text) => Some(text),
        }
    }

    /// The content of a file: the text in UTF-8, or the words of SPIR-V in little-endian order.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            #[cfg(feature = "spirv")]
            Self::Spirv(output) => Cow::Owned(output.bytes()),
            _ => Cow::Borrowed(self.text().unwrap_or_default().as_bytes()),
        }
    }

    /// What the host has to bind, in the order of the declarations. Nothing for the IR, nor for programs, which have a
    /// [`Link`](crate::compare::Link).
    pub fn bindings(&self) -> Vec<Binding<BindingPlace>> {
        match self {
            #[cfg(feature = "wgsl")]
            Self::Wgsl(output) => output.bindings.iter().map(Binding::of_any_target).collect(),
            #[cfg(feature = "spirv")]
            Self::Spirv(output) => output.bindings.iter().map(Binding::of_any_target).collect(),
            #[cfg(feature = "glsl")]
            Self::Glsl(output) => output.bindings.iter().map(Binding::of_any_target).collect(),
            #[cfg(feature = "hlsl")]
            Self::Hlsl(output) => output.bindings.iter().map(Binding::of_any_target).collect(),
            #[cfg(feature = "msl")]
            Self::Msl(output) => output.bindings.iter().map(Binding::of_any_target).collect(),
            #[cfg(all(
                feature = "lower",
                any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")
            ))]
            Self::Program(_) => Vec::new(),
            Self::Ir(_) => Vec::new(),
        }
    }

    /// What a host needs beside the text or module. `None` for the IR, which no host binds, and for programs, which have a
    /// [`Link`](crate::compare::Link).
    pub fn layout(&self) -> Option<Layout> {
        match self {
            Self::Ir(_) => return None,
            #[cfg(all(
                feature = "lower",
                any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")
            ))]
            Self::Program(_) => return None,
            #[allow(unreachable_patterns, reason = "builds without targets")]
            _ => {}
        }
        #[cfg(feature = "spirv")]
        let module = if let Self::Spirv(output) = self { Some(output) } else { None };
        Some(Layout {
            #[cfg(feature = "msl")]
            function: match self {
                Self::Msl(msl::Output { entry, threads, .. }) => {
                    Some(MetalFunction { entry: entry.clone(), threads: *threads })
                }
                _ => None,
            },
            bindings: self.bindings(),
            constants: self.constants().to_vec(),
            #[cfg(feature = "spirv")]
            specialization: module.map_or_else(Vec::new, |module| module.specs.clone()),
            #[cfg(feature = "spirv")]
            push: module.map_or_else(Vec::new, |module| module.push.clone()),
        })
    }

    /// The constants that the program's own table names, and those with declarations of their own.
    pub fn constants(&self) -> &[Constant] {
        match self {
            #[cfg(feature = "wgsl")]
            Self::Wgsl(output) => &output.constants,
            #[cfg(feature = "spirv")]
            Self::Spirv(output) => &output.constants,
            #[cfg(feature = "glsl")]
            Self::Glsl(output) => &output.constants,
            #[cfg(feature = "hlsl")]
            Self::Hlsl(output) => &output.constants,
            #[cfg(feature = "msl")]
            Self::Msl(output) => &output.constants,
            #[cfg(all(
                feature = "lower",
                any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")
            ))]
            Self::Program(_) => &[],
            Self::Ir(_) => &[],
        }
    }
}

/// What a host needs beside a translation: what it binds where, and what it sets. With the feature `serde` this is what `vecasm to
/// --layout` writes, but for `defaults` and `preshader`, which are of the program and not of its translation.
///
/// ```
/// # #[cfg(all(feature = "agal", feature = "glsl"))] {
/// use vecasm::emit::options::Place;
/// use vecasm::{NoHost, OpenOptions, Target, TranslateOptions, open};
///
/// let text = b"tex ft0, v0, fs0 <2d,linear>\nmul oc, ft0, fc0\n";
/// let program = open(text, &OpenOptions::named("tint.frag.agal"), &mut NoHost).program()?;
/// let glsl = program.translate(Target::Glsl, &TranslateOptions::default())?;
/// for binding in glsl.layout().iter().flat_map(|layout| &layout.bindings) {
///     match binding.place {
///         Place::Layout(layout) => println!("{} at {:?}: {:?}", binding.name, layout.binding, binding.kind),
///         _ => unreachable!("a place of GLSL"),
///     }
/// }
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Layout {
    /// The function of MSL; `None` for other targets.
    #[cfg(feature = "msl")]
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub function: Option<MetalFunction>,
    /// What it binds, in the order of the declarations.
    pub bindings: Vec<Binding<BindingPlace>>,
    /// The constants that the program's own table names, and those with declarations of their own.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub constants: Vec<Constant>,
    /// The specialization constants of SPIR-V, by number.
    #[cfg(feature = "spirv")]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub specialization: Vec<spirv::Spec>,
    /// The push constants of SPIR-V, by offset.
    #[cfg(feature = "spirv")]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub push: Vec<spirv::PushConstants>,
}

/// A function of MSL.
#[cfg(feature = "msl")]
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MetalFunction {
    /// Its name.
    pub entry: String,
    /// The size of threadgroups of a compute function; else zeros.
    pub threads: [u32; 3],
}

/// Why a target does not take a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The number of the program that it is about: of those that [`translate_draw`] was given, or of the stages of a [`Pipeline`].
    /// `None` if it is about the options.
    pub stage: Option<usize>,
    /// The reason. Its place is an instruction of the program, which [`AnyProgram::locate`] finds in it.
    pub finding: Box<Diagnostic>,
    /// More reasons, where all are known: of programs that another instruction set cannot say.
    pub others: Vec<Diagnostic>,
}

impl Refusal {
    /// A refusal for one reason.
    pub(crate) fn of(stage: Option<usize>, finding: Diagnostic) -> Self {
        Self { stage, finding: Box::new(finding), others: Vec::new() }
    }
}

impl core::fmt::Display for Refusal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}: {}", self.finding.id, self.finding.message)
    }
}

impl core::error::Error for Refusal {}

/// Translates the programs of one draw, which are made to fit: each target has one result a stage, but WGSL, in which a vertex and a
/// fragment stage are one module.
///
/// # Errors
///
/// The first refusal, by lifting, a writer or the options. Warnings about programs that are translated, such as results that a
/// target leaves out, come from [`StageShader::of`].
pub fn translate_draw(
    programs: &[&AnyProgram],
    target: Target,
    options: &TranslateOptions<'_>,
) -> Result<Vec<Translation>, Refusal> {
    let made = programs.iter().map(|program| StageShader::of(program, target, options));
    translate_stages(made.map(|made| made.map(|(stage, _)| stage)), target, options)
}

/// The same of programs that are lifted, or why one is not.
pub(crate) fn translate_stages(
    made: impl Iterator<Item = Result<StageShader, Diagnostic>>,
    target: Target,
    options: &TranslateOptions<'_>,
) -> Result<Vec<Translation>, Refusal> {
    let mut stages = Vec::new();
    for (n, made) in made.enumerate() {
        stages.push((n, made.map_err(|finding| Refusal::of(Some(n), finding))?));
    }
    let (order, pipeline) = in_order(stages, target);
    let written = pipeline.translate(target, options).into_iter();
    written
        .map(|one| one.map_err(|why| Refusal { stage: why.stage.and_then(|n| order.get(n).copied()), ..why }))
        .collect()
}

/// Stages with their numbers as a pipeline, and the number of each in the order of the pipeline: refusals have those of the programs
/// as they were given.
pub(crate) fn in_order(mut stages: Vec<(usize, StageShader)>, target: Target) -> (Vec<usize>, Pipeline) {
    stages.sort_by_key(|(_, stage)| stage.place());
    let (order, stages): (Vec<usize>, Vec<StageShader>) = stages.into_iter().unzip();
    (order, Pipeline::of(stages, target))
}

/// Translates one program.
///
/// # Errors
///
/// A refusal by lifting, a writer or the options. Warnings about a program that is translated come from [`StageShader::of`].
///
/// ```
/// # #[cfg(all(feature = "d3d9", feature = "wgsl"))] {
/// use vecasm::isa::{AnyProgram, Isa};
/// use vecasm::{Target, TranslateOptions, translate};
///
/// let (program, findings) = AnyProgram::parse(Isa::D3d9, "ps_1_1\ntex t0\nmul r0, t0, v0\n", None, None);
/// let program = program.ok_or("see the findings")?;
/// let wgsl = translate(&program, Target::Wgsl, &TranslateOptions::default())?;
/// assert!(wgsl.text().is_some_and(|text| text.contains("@fragment")));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn translate(
    program: &AnyProgram,
    target: Target,
    options: &TranslateOptions<'_>,
) -> Result<Translation, Refusal> {
    let made = StageShader::of(program, target, options);
    let (stage, _) = made.map_err(|finding| Refusal::of(Some(0), finding))?;
    Pipeline::of(Vec::from([stage]), target).write(0..1, target, options)
}

/// A lifted stage, prepared for a target.
#[derive(Clone, Debug)]
pub struct StageShader {
    /// Where it comes from.
    pub isa: Isa,
    /// Its meaning.
    pub shader: Shader,
    /// The text of each of its instructions, where comments are wanted.
    pub instructions: Vec<String>,
    /// What debug information calls the text of the instructions; may be empty.
    pub name: String,
    /// How it was lifted, as options with their values, `numerics=ieee`; `None` if that is not known.
    pub lift: Option<Vec<String>>,
    /// The states that were fixed for it, with the bits of their lanes.
    pub fixed: Vec<(String, [u32; 4])>,
    /// The program, where the target is its own instruction set.
    pub own: Option<Box<AnyProgram>>,
}

/// The stages of one draw, which are made to fit.
#[derive(Clone, Debug)]
pub struct Pipeline {
    stages: Vec<StageShader>,
    linked: bool,
}

impl Pipeline {
    /// The stages, in the order of the pipeline, linked where they are of one draw.
    pub fn of(mut stages: Vec<StageShader>, target: Target) -> Self {
        stages.sort_by_key(StageShader::place);
        let mut pipeline = Self { stages, linked: false };
        pipeline.link(target);
        pipeline
    }

    /// The stages.
    pub fn stages(&self) -> &[StageShader] {
        &self.stages
    }

    /// Whether the stages were made to fit.
    pub fn is_linked(&self) -> bool {
        self.linked
    }

    /// Makes the stages fit, if they are those of one draw: of one instruction set, none twice, no compute shader.
    fn link(&mut self, target: Target) {
        let fit = |pair: &[StageShader]| {
            let [first, second] = pair else { return false };
            first.isa == second.isa && first.place() < second.place()
        };
        let compute = self.stages.iter().any(|stage| stage.shader.stage == Stage::Compute);
        self.linked = target != Target::Ir && !compute && self.stages.windows(2).all(fit);
        if !self.linked {
            return;
        }
        // The last ones first: a stage has the types of the one that reads it.
        for n in (1..self.stages.len()).rev() {
            let (before, after) = self.stages.split_at_mut(n);
            let (Some(first), Some(second)) = (before.last_mut(), after.first_mut()) else { return };
            first.isa.link(&mut first.shader, &mut second.shader);
            if let Some(retyped) = opt::retype_for(&first.shader, &second.shader) {
                first.shader = retyped;
            }
        }
    }

    /// Which stages are written together: each alone, but a vertex and a fragment stage in one module of WGSL.
    pub fn groups(&self, target: Target) -> Vec<Range<usize>> {
        let stages: Vec<Stage> = self.stages.iter().map(|stage| stage.shader.stage).collect();
        if in_one_module(target) && matches!(stages[..], [Stage::Vertex, Stage::Fragment]) {
            return core::iter::once(0..2).collect();
        }
        (0..stages.len()).map(|n| n..n + 1).collect()
    }

    /// Writes a [group](Self::groups) of stages; of none it is an empty text.
    ///
    /// # Errors
    ///
    /// A refusal by the writer or the options.
    pub fn write(
        &self,
        group: Range<usize>,
        target: Target,
        options: &TranslateOptions<'_>,
    ) -> Result<Translation, Refusal> {
        let at = group.start;
        let together = self.stages.get(group).unwrap_or_default();
        let Some(stage) = together.first() else { return Ok(Translation::Ir(String::new())) };
        let (shader, around) = (&stage.shader, self.around(at));
        let _ = (shader, around, options);
        let written = match target {
            #[cfg(all(feature = "lower", feature = "agal"))]
            Target::Agal => return self.lower(at, stage, target, options),
            #[cfg(all(feature = "lower", feature = "d3d9"))]
            Target::D3d9 => return self.lower(at, stage, target, options),
            #[cfg(all(feature = "lower", feature = "nv2a"))]
            Target::Nv2a => return self.lower(at, stage, target, options),
            #[cfg(all(feature = "lower", feature = "tgsi"))]
            Target::Tgsi => return self.lower(at, stage, target, options),
            Target::Ir => {
                Ok(Translation::Ir(together.iter().map(|stage| text::print(&stage.shader)).collect()))
            }
            #[cfg(feature = "wgsl")]
            Target::Wgsl => return write_wgsl(at, stage, together, &options.wgsl),
            #[cfg(feature = "spirv")]
            Target::Spirv => {
                let usual = || spirv::Options::for_environment(spirv::Environment::default());
                let options = options.spirv.unwrap_or_else(usual);
                let options = spirv::Options { hands_on: options.hands_on || around.hands_on, ..options };
                spirv::write(shader, &options).map(Translation::Spirv)
            }
            #[cfg(feature = "glsl")]
            Target::Glsl => {
                let options = glsl::Options {
                    hands_on: options.glsl.hands_on || around.hands_on,
                    after: around.next.or(options.glsl.after),
                    before: around.partner.map(|shader| shader.stage).or(options.glsl.before),
                    comments: stage.comments(options.glsl.comments),
                    ..options.glsl
                };
                glsl::write(shader, &options).map(Translation::Glsl)
            }
            #[cfg(feature = "hlsl")]
            Target::Hlsl => {
                let options = hlsl::Options {
                    partner: around.partner.or(options.hlsl.partner),
                    evaluation: around.next.or(options.hlsl.evaluation),
                    comments: stage.comments(options.hlsl.comments),
                    ..options.hlsl
                };
                hlsl::write(shader, &options).map(Translation::Hlsl)
            }
            #[cfg(feature = "msl")]
            Target::Msl => {
                let options = msl::Options { comments: stage.comments(options.msl.comments), ..options.msl };
                msl::write(shader, &options).map(Translation::Msl)
            }
        };
        written.map_err(|finding| refusal(at, finding))
    }

    /// A stage as a program of another instruction set.
    #[cfg(all(
        feature = "lower",
        any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")
    ))]
    fn lower(
        &self,
        at: usize,
        stage: &StageShader,
        target: Target,
        options: &TranslateOptions<'_>,
    ) -> Result<Translation, Refusal> {
        let around = self.around(at);
        let options = lower::Options {
            partner: around.partner.or(around.next).or(options.lower.partner),
            comments: if options.lower.comments.is_empty() {
                &stage.instructions
            } else {
                options.lower.comments
            },
            ..options.lower
        };
        let made = lower::lower(&stage.shader, target, &options);
        #[cfg(feature = "tgsi")]
        let made = made.or_else(|reasons| {
            // What only TGSI has keeps its registers.
            let Some(AnyProgram::Tgsi(own)) = stage.own.as_deref() else { return Err(reasons) };
            let tgsi = code::tgsi::Options { like: Some(own), ..options.tgsi };
            lower::lower(&stage.shader, target, &lower::Options { tgsi, ..options })
        });
        let made = made.map(|mut made| {
            made.link.lift.clone_from(&stage.lift);
            made.link.fixed.clone_from(&stage.fixed);
            Translation::Program(Box::new(made))
        });
        made.map_err(|mut reasons| {
            let others = reasons.split_off(reasons.len().min(1));
            let first =
                reasons.pop().unwrap_or_else(|| Diagnostic::new(Severity::Error, "LOWER-stage", "no reason"));
            Refusal { others, ..Refusal::of(Some(at), first) }
        })
    }

    /// Writes every [group](Self::groups).
    pub fn translate(
        &self,
        target: Target,
        options: &TranslateOptions<'_>,
    ) -> Vec<Result<Translation, Refusal>> {
        let write = |group| self.write(group, target, options);
        self.groups(target).into_iter().map(write).collect()
    }

    /// The stages around one, as far as they were made to fit.
    fn around(&self, at: usize) -> NeighbourStages<'_> {
        if !self.linked {
            return NeighbourStages::default();
        }
        let shader = |n: usize| self.stages.get(n).map(|stage| &stage.shader);
        let after = self.stages.get(at + 1..).unwrap_or_default();
        NeighbourStages {
            partner: at.checked_sub(1).and_then(shader),
            next: shader(at + 1),
            hands_on: after.iter().any(|stage| stage.shader.stage != Stage::Fragment),
        }
    }
}

impl StageShader {
    /// A program lifted and [prepared](prepare) for a target, and what is worth knowing of it.
    ///
    /// # Errors
    ///
    /// Why it has no meaning, or none that the target can have.
    pub fn of(
        program: &AnyProgram,
        target: Target,
        options: &TranslateOptions<'_>,
    ) -> Result<(Self, Vec<Diagnostic>), Diagnostic> {
        let mut findings = Vec::new();
        let shader = program.lift(&options.lifting(target))?;
        let words = || {
            words_for(program.isa(), target)
                .into_iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect()
        };
        let stage = Self::prepared(program, shader, target, options, &mut findings)?;
        Ok((Self { lift: options.lift.is_none().then(words), ..stage }, findings))
    }

    /// A program that is lifted, prepared for a target.
    pub(crate) fn prepared(
        program: &AnyProgram,
        shader: Shader,
        target: Target,
        options: &TranslateOptions<'_>,
        findings: &mut Vec<Diagnostic>,
    ) -> Result<Self, Diagnostic> {
        let fixed = fixed_states(&shader, target, options.states);
        let shader = prepare(shader, target, options, findings)?;
        let instructions = if options.comments { program.instruction_texts() } else { Vec::new() };
        let own = (target.isa() == Some(program.isa())).then(|| Box::new(program.clone()));
        Ok(Self { isa: program.isa(), shader, instructions, name: String::new(), lift: None, fixed, own })
    }

    /// Its place in a pipeline, by which stages are in order.
    pub const fn place(&self) -> u8 {
        self.shader.stage as u8
    }

    /// The comments that are given, else the instructions.
    #[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
    fn comments<'a>(&'a self, given: &'a [String]) -> &'a [String] {
        if given.is_empty() { &self.instructions } else { given }
    }
}

/// What [`LiftOptions::for_gpus`] says of programs of an instruction set: options with their values.
pub(crate) fn words_for_gpus(isa: Isa) -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_nv2a = [("numerics", "ieee"), ("position", "clip"), ("clamp", "all")];
    of_nv2a.into_iter().filter(move |_| isa.name() == "nv2a")
}

/// What is said of programs of an instruction set for a target: options with their values.
pub(crate) fn words_for(isa: Isa, target: Target) -> Vec<(&'static str, &'static str)> {
    #[cfg(all(feature = "lower", feature = "nv2a"))]
    if target == Target::Nv2a {
        return match isa.name() {
            "nv2a" => Vec::from([("numerics", "ieee")]),
            "d3d9" => Vec::from([("pipeline", "strip")]),
            _ => Vec::new(),
        };
    }
    let _ = target;
    words_for_gpus(isa).collect()
}

/// The states that are fixed for a target: those that are given, and of programs all others at their defaults.
fn fixed_states(shader: &Shader, target: Target, given: &[(&str, [u32; 4])]) -> Vec<(String, [u32; 4])> {
    let value = |state: &State| {
        let given = given.iter().find(|(name, _)| *name == state.name).map(|(_, value)| *value);
        given.or(target.isa().map(|_| state.default))
    };
    shader.states.iter().filter_map(|state| Some((state.name.clone(), value(state)?))).collect()
}

/// The stages around one, as far as they are given with it.
#[derive(Clone, Copy, Default)]
#[allow(dead_code, reason = "each target asks for its own")]
struct NeighbourStages<'a> {
    /// The stage whose results it reads.
    partner: Option<&'a Shader>,
    /// The stage that reads its results.
    next: Option<&'a Shader>,
    /// Whether another one is between it and the rasterizer.
    hands_on: bool,
}

/// Whether a vertex and a fragment stage are one module there.
const fn in_one_module(target: Target) -> bool {
    match target {
        #[cfg(feature = "wgsl")]
        Target::Wgsl => true,
        _ => false,
    }
}

/// The findings that are about options, not about a program.
const ABOUT_OPTIONS: &[&str] = &[
    "GLSL-name",
    "HLSL-name",
    "MSL-binding",
    "MSL-name",
    "SPIRV-binding",
    "SPIRV-push",
    "WGSL-binding",
    "WGSL-name",
];

fn refusal(stage: usize, finding: Diagnostic) -> Refusal {
    let stage = (!ABOUT_OPTIONS.contains(&finding.id)).then_some(stage);
    Refusal::of(stage, finding)
}

#[cfg(feature = "wgsl")]
fn write_wgsl(
    at: usize,
    first: &StageShader,
    together: &[StageShader],
    options: &wgsl::Options<'_>,
) -> Result<Translation, Refusal> {
    let mut options = *options;
    for stage in together {
        let of = match stage.shader.stage {
            Stage::Vertex => &mut options.vertex,
            Stage::Fragment => &mut options.fragment,
            Stage::Compute => &mut options.compute,
            _ => continue,
        };
        of.comments = stage.comments(of.comments);
    }
    let written = match together {
        [vertex, fragment] => wgsl::write_pair(&vertex.shader, &fragment.shader, &options),
        _ => wgsl::write(&first.shader, &options),
    };
    // A pair is refused because of its last stage, which misses something, unless it is serial: only vertex shaders are.
    let last = at + together.len() - 1;
    written
        .map(Translation::Wgsl)
        .map_err(|finding| refusal(if finding.id == "WGSL-serial" { at } else { last }, finding))
}

/// A lifted shader as a target takes it, alone: states are settled; its invocations run side by side, or it is a compute shader.
/// `findings` gets what is worth knowing besides.
///
/// # Errors
///
/// Why there is no compute shader that does the same, if that is wanted.
pub fn prepare(
    shader: Shader,
    target: Target,
    options: &TranslateOptions<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Result<Shader, Diagnostic> {
    if target == Target::Ir {
        return Ok(if options.states.is_empty() { shader } else { opt::settle(shader, options.states) });
    }
    #[cfg(all(
        feature = "lower",
        any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")
    ))]
    let settled = match target.isa() {
        Some(_) => code::settle(shader, options.states, findings),
        None => opt::settle(shader, options.states),
    };
    #[cfg(not(all(
        feature = "lower",
        any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")
    )))]
    let settled = opt::settle(shader, options.states);
    let mut shader = settled;
    if let Some(free) = opt::unorder(&shader) {
        let registers: Vec<String> =
            opt::carried_registers(&shader).into_iter().map(|one| one.register).collect();
        let (is, them) = if registers.len() == 1 { ("is", "it") } else { ("are", "them") };
        let message =
            format!("{} {is} written but never read; the result omits {them}", registers.join(", "));
        let help = "`vecasm run` shows their final values";
        let finding = Diagnostic::new(Severity::Warning, "NV2A-c-write", message).with_help(help);
        findings.push(ordered(finding, &shader));
        shader = free;
    }
    #[cfg(feature = "wgsl")]
    if options.compute && target.is_of_gpus() {
        shader = opt::dispatch(&shader).map_err(|why| ordered(wgsl::no_compute(&why), &shader))?;
    }
    Ok(shader)
}

/// A finding about a shader, at the instruction because of which its invocations run in order, if there is one.
fn ordered(finding: Diagnostic, shader: &Shader) -> Diagnostic {
    match opt::orders(shader) {
        Some(step) => finding.at(Place::instruction(step)),
        None => finding,
    }
}
