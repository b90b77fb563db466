//! How programs are translated, by name: a file for each language, and one for what several have.

mod every;
#[cfg(feature = "glsl")]
mod glsl;
#[cfg(feature = "hlsl")]
mod hlsl;
#[cfg(all(feature = "lower", any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")))]
mod lower;
#[cfg(feature = "msl")]
mod msl;
#[cfg(feature = "spirv")]
mod spirv;
#[cfg(feature = "wgsl")]
mod wgsl;

use super::{ByName, GivenOptions, OptionError, Row, foreign};
use crate::diag::Diagnostic;
#[cfg(any(feature = "spirv", feature = "wgsl"))]
use crate::emit::options::StageOptions;
use crate::emit::options::{ArraySize, Space, Style};
use crate::ir::{self, Shader, Stage, StateId};
use crate::isa::Isa;
use crate::isa::any::{AnyProgram, LiftOptions};
use crate::opt;
use crate::program::Program;
use crate::target::Target;
use crate::translate::{self, Pipeline, Refusal, StageShader, TranslateOptions, Translation};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

const EVERY: &str = "Languages of GPUs";

/// How programs are translated: the options of every target, set [by name](ByName::set).
///
/// [`TranslateOptions`] has the same in types, with what only a caller in Rust can give, such as comments of its own. Options of
/// [`LiftOptions`] are set here, too: they are kept as they are said, since their defaults depend on the target.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Translating {
    /// What programs mean where that is open.
    pub lift: GivenOptions<LiftOptions>,
    states: Vec<(String, Vec<f64>)>,
    entry: Vec<StageValue<String>>,
    group: Vec<StageValue<u32>>,
    constants: Vec<StageValue<u32>>,
    textures: Vec<StageValue<u32>>,
    samplers: Vec<StageValue<u32>>,
    array_size: ArraySize,
    space: Space,
    #[cfg(feature = "wgsl")]
    unread: crate::emit::wgsl::UnreadVaryings,
    rename: Vec<(String, String)>,
    compute: bool,
    /// Whether constants and textures keep the names of their registers.
    register_names: bool,
    signed_zeros: bool,
    comments: bool,
    style: Style,
    #[cfg(feature = "spirv")]
    spirv: spirv::SpirvOptions,
    zero_to_one: bool,
    hands_on: bool,
    #[cfg(feature = "glsl")]
    glsl_version: Option<crate::emit::glsl::Version>,
    #[cfg(feature = "hlsl")]
    shader_model: Option<crate::emit::hlsl::Model>,
    #[cfg(feature = "hlsl")]
    register_space: u32,
    #[cfg(feature = "hlsl")]
    patch_vertices: u32,
    #[cfg(feature = "msl")]
    msl_version: Option<crate::emit::msl::Version>,
    #[cfg(all(
        feature = "lower",
        any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")
    ))]
    promise: Option<ir::Promise>,
    #[cfg(all(feature = "lower", feature = "agal"))]
    agal: crate::code::agal::Options,
    #[cfg(all(feature = "lower", feature = "d3d9"))]
    d3d9_model: Option<crate::code::d3d9::Model>,
    #[cfg(all(feature = "lower", feature = "nv2a"))]
    nv2a: crate::code::nv2a::LowerOptions,
    #[cfg(all(feature = "lower", feature = "tgsi"))]
    tgsi_dialect: Option<crate::isa::tgsi::Dialect>,
}

/// A value for one stage, or for each.
#[derive(Clone, Debug, PartialEq)]
struct StageValue<T> {
    stage: Option<Stage>,
    value: T,
}

impl<T> StageValue<T> {
    /// Reads `[STAGE=]VALUE`.
    fn read(text: &str, value: impl FnOnce(&str) -> Result<T, String>) -> Result<Self, String> {
        let (stage, text) = match text.split_once('=') {
            None => (None, text),
            Some(("vertex", rest)) => (Some(Stage::Vertex), rest),
            Some(("fragment", rest)) => (Some(Stage::Fragment), rest),
            Some((other, _)) => return Err(format!("no stage `{other}`; write vertex= or fragment=")),
        };
        Ok(Self { stage, value: value(text)? })
    }
}

/// The last value that holds for a stage.
fn staged<T>(list: &[StageValue<T>], stage: Stage) -> Option<&T> {
    list.iter().rev().find(|s| s.stage.is_none_or(|wanted| wanted == stage)).map(|s| &s.value)
}

/// Up to four numbers with commas between them.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let numbers: Vec<f64> = text.split(',').map(|n| n.trim().parse().ok()).collect::<Option<_>>()?;
    (numbers.len() <= 4).then_some(numbers)
}

/// `NAME=NUMBERS`, where a word for a dimension is its number.
fn state(text: &str) -> Result<(String, Vec<f64>), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let dim = ir::Dim::ALL.iter().position(|dim| dim.name() == value);
    let numbers = dim.map_or_else(|| numbers(value), |number| Some(Vec::from([number as f64])));
    let numbers = numbers.ok_or("expected up to four numbers, or 1d, 2d, 3d or cube")?;
    Ok((name.into(), numbers))
}

impl ByName for Translating {
    fn rows() -> impl Iterator<Item = &'static Row<Self>> {
        const LISTS: &[&[Row<Translating>]] = &[
            every::ROWS,
            #[cfg(feature = "wgsl")]
            wgsl::ROWS,
            #[cfg(feature = "spirv")]
            spirv::ROWS,
            #[cfg(feature = "glsl")]
            glsl::ROWS,
            #[cfg(any(feature = "glsl", feature = "spirv"))]
            every::OPENGL,
            #[cfg(feature = "hlsl")]
            hlsl::ROWS,
            #[cfg(feature = "msl")]
            msl::ROWS,
            #[cfg(all(
                feature = "lower",
                any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")
            ))]
            lower::ROWS,
        ];
        LISTS.iter().copied().flatten()
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        match (Self::row(name), LiftOptions::row(name)) {
            (Ok(row), _) => row.set(self, value),
            (Err(_), Ok(_)) => self.lift.set(name, value),
            (Err(_), Err(_)) => {
                let of_lift = LiftOptions::rows().map(|row| row.option.name);
                let names = Self::rows().map(|row| row.option.name).chain(of_lift);
                Err(OptionError::Name(crate::word::Unknown::new("option", name, names)))
            }
        }
    }
}

/// The programs of a draw, translated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TranslatedDraw {
    /// The results, in the order of the pipeline.
    pub translations: Vec<Translation>,
    /// What is worth knowing, such as results that a target leaves out: the number of the program, and a finding about it.
    pub findings: Vec<(usize, Diagnostic)>,
}

/// Why programs are not translated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// Because of an option.
    Option(OptionError),
    /// Because of a program, or of options that a writer refuses.
    Program(Refusal),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option(error) => error.fmt(f),
            Self::Program(refusal) => refusal.fmt(f),
        }
    }
}

impl core::error::Error for Refused {}

impl Refused {
    /// The same with its finding in its place in the text of the program that it is about, of those that were translated.
    #[must_use]
    pub fn placed(self, programs: &[&Program]) -> Self {
        match self {
            Self::Program(refusal) => Self::Program(refusal.placed(programs)),
            other => other,
        }
    }
}

impl From<OptionError> for Refused {
    fn from(error: OptionError) -> Self {
        Self::Option(error)
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self::Program(refusal)
    }
}

impl Translating {
    /// Translates one program.
    ///
    /// # Errors
    ///
    /// A refusal by lifting, a writer or an option.
    pub fn translate(&self, program: &AnyProgram, target: Target) -> Result<Translation, Refused> {
        let drawn = self.translate_draw(&[program], target)?;
        Ok(drawn.translations.into_iter().next().unwrap_or(Translation::Ir(String::new())))
    }

    /// Translates the programs of one draw, as [`translate_draw`](crate::translate_draw()) does, and gives what is worth knowing.
    ///
    /// # Errors
    ///
    /// The first refusal, by lifting, a writer or an option.
    pub fn translate_draw(
        &self,
        programs: &[&AnyProgram],
        target: Target,
    ) -> Result<TranslatedDraw, Refused> {
        let isas: Vec<Isa> = programs.iter().map(|program| program.isa()).collect();
        if let Some(error) = self.foreign(&isas) {
            return Err(error.into());
        }
        isas.iter().try_for_each(|isa| self.lift.check_numerics(*isa))?;
        let (mut stages, mut findings, mut known) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (n, program) in programs.iter().enumerate() {
            let refuse = |finding| Refusal::of(Some(n), finding);
            let shader = program.lift(&self.lift_options(program.isa(), target)?).map_err(refuse)?;
            known.extend(shader.states.iter().map(|state| state.name.clone()));
            let mut of = Vec::new();
            stages.push((n, self.prepare(program, shader, target, &mut of)?.map_err(refuse)?));
            findings.extend(of.into_iter().map(|finding| (n, finding)));
        }
        self.check_states(&known)?;
        let (order, pipeline) = translate::in_order(stages, target);
        let renumber = |why: Refused| match why {
            Refused::Program(why) => {
                Refused::Program(Refusal { stage: why.stage.and_then(|n| order.get(n).copied()), ..why })
            }
            other => other,
        };
        let write = |group| self.write(&pipeline, group, target).map_err(renumber);
        let translations = pipeline.groups(target).into_iter().map(write).collect::<Result<_, _>>()?;
        Ok(TranslatedDraw { translations, findings })
    }

    /// How programs of an instruction set are lifted for a target.
    ///
    /// # Errors
    ///
    /// An option that [`lift`](Self::lift) holds unseen and that does not take its value.
    pub fn lift_options(&self, isa: Isa, target: Target) -> Result<LiftOptions, OptionError> {
        let base = translate::lifting(target, self.compute);
        self.lift.of(isa).apply(base)
    }

    /// A shader as a target takes it, with the states that are given and its instructions where they are written. Why that
    /// cannot be is a finding about the program.
    ///
    /// # Errors
    ///
    /// If a state does not take its value.
    pub fn prepare(
        &self,
        program: &AnyProgram,
        shader: Shader,
        target: Target,
        findings: &mut Vec<Diagnostic>,
    ) -> Result<Result<StageShader, Diagnostic>, OptionError> {
        let states = self.states(&shader)?;
        #[cfg(feature = "spirv")]
        let wanted = self.comments || (target == Target::Spirv && self.spirv.debug_source);
        #[cfg(not(feature = "spirv"))]
        let wanted = self.comments;
        let options = TranslateOptions::default().with_states(&states).with_comments(wanted);
        #[cfg(feature = "wgsl")]
        let options = options.with_compute(self.compute);
        let given = self.lift.for_target(program.isa(), target);
        let lift = given.iter().map(|(option, value)| format!("{}={value}", option.name)).collect();
        let made = StageShader::prepared(program, shader, target, &options, findings);
        Ok(made.map(|stage| StageShader { lift: Some(lift), ..stage }))
    }

    /// Writes a [group](Pipeline::groups) of stages; of none it is an empty text.
    ///
    /// # Errors
    ///
    /// A refusal by the writer or an option.
    pub fn write(
        &self,
        pipeline: &Pipeline,
        group: Range<usize>,
        target: Target,
    ) -> Result<Translation, Refused> {
        let stages = pipeline.stages().get(group.clone()).unwrap_or_default();
        let Some(first) = stages.first() else { return Ok(Translation::Ir(String::new())) };
        let names: Vec<(&str, &str)> =
            self.rename.iter().map(|(r, name)| (r.as_str(), name.as_str())).collect();
        let _ = (first, &names);
        let options = TranslateOptions::default();
        #[cfg(feature = "spirv")]
        let (arrays, rows, text, lines);
        let options = match target {
            Target::Ir => options,
            #[cfg(all(feature = "lower", feature = "agal"))]
            Target::Agal => options.with_lower(self.lower()),
            #[cfg(all(feature = "lower", feature = "d3d9"))]
            Target::D3d9 => options.with_lower(self.lower()),
            #[cfg(all(feature = "lower", feature = "nv2a"))]
            Target::Nv2a => options.with_lower(self.lower()),
            #[cfg(all(feature = "lower", feature = "tgsi"))]
            Target::Tgsi => options.with_lower(self.lower()),
            #[cfg(feature = "wgsl")]
            Target::Wgsl => options.with_wgsl(self.wgsl(stages, &names)),
            #[cfg(feature = "spirv")]
            Target::Spirv => {
                arrays = self.arrays(&first.shader)?;
                rows = arrays.iter().map(|(name, rows)| (*name, rows.as_slice())).collect::<Vec<_>>();
                text = first.instructions.join("\n");
                lines = (1..=first.instructions.len() as u32).collect::<Vec<u32>>();
                let source = crate::emit::spirv::Source { file: &first.name, text: &text, lines: &lines };
                options.with_spirv(self.spirv(stages, &rows, source))
            }
            #[cfg(feature = "glsl")]
            Target::Glsl => options.with_glsl(self.glsl(first.shader.stage, &names)?),
            #[cfg(feature = "hlsl")]
            Target::Hlsl => options.with_hlsl(self.hlsl(&names)?),
            #[cfg(feature = "msl")]
            Target::Msl => options.with_msl(self.msl(first.shader.stage, &names)),
        };
        Ok(pipeline.write(group, target, &options)?)
    }

    /// What an entry point is to be called in a stage, if that is said.
    pub fn entry(&self, stage: Stage) -> Option<&str> {
        staged(&self.entry, stage).map(String::as_str)
    }

    /// Registers with their new names, in the order in which they were said.
    pub fn renames(&self) -> &[(String, String)] {
        &self.rename
    }

    /// The same without the new name of that number.
    #[must_use]
    pub fn without_rename(&self, n: usize) -> Self {
        let mut out = self.clone();
        if n < out.rename.len() {
            out.rename.remove(n);
        }
        out
    }

    /// Whether vertex programs become compute shaders.
    pub fn is_compute(&self) -> bool {
        self.compute
    }

    /// That one of the options says nothing about programs of any of these instruction sets, if one does.
    pub fn foreign(&self, isas: &[Isa]) -> Option<OptionError> {
        let table = || {
            let of: Vec<Isa> = Isa::ALL.iter().copied().filter(|isa| isa.name() == "d3d9").collect();
            let unheard = self.register_names && !of.iter().any(|isa| isas.contains(isa));
            unheard.then(|| foreign("names".into(), &of, isas))
        };
        if isas.is_empty() { None } else { self.lift.foreign(isas).or_else(table) }
    }

    /// Fails if a state is given that none of the programs has, whose states are `known`.
    ///
    /// # Errors
    ///
    /// The first of those states.
    pub fn check_states(&self, known: &BTreeSet<String>) -> Result<(), OptionError> {
        let Some((name, _)) = self.states.iter().find(|(name, _)| !known.contains(name)) else {
            return Ok(());
        };
        let names: Vec<&str> = known.iter().map(String::as_str).collect();
        let what = match names.as_slice() {
            [] => "the program has none".into(),
            names => format!("expected one of {}", names.join(", ")),
        };
        Err(OptionError::value(format!("state {name}"), format!("no such state value; {what}")))
    }

    /// The states that are given and that a shader has, as bits.
    fn states(&self, shader: &Shader) -> Result<Vec<(&str, [u32; 4])>, OptionError> {
        let mut given = Vec::new();
        for (name, numbers) in &self.states {
            let Some(n) = shader.states.iter().position(|state| state.name == *name) else { continue };
            if let Some(what) = unfit(shader, StateId(n as u32), numbers) {
                return Err(OptionError::value(format!("state {name}"), what));
            }
            let state = &shader.states[n];
            let mut bits = [0; 4];
            for (lane, bits) in bits.iter_mut().enumerate().take(usize::from(state.ty.lanes)) {
                *bits = lane_bits(state.ty.scalar, numbers, lane);
            }
            given.push((name.as_str(), bits));
        }
        Ok(given)
    }

    /// Whether a stage is written in integers, bit for bit.
    #[cfg(any(feature = "spirv", feature = "wgsl"))]
    fn is_exact(&self, isa: Isa) -> bool {
        let numerics = self.lift.value("numerics").and_then(|words| super::lift::heeded_numerics(words, isa));
        numerics == Some("exact")
    }

    /// The places of a stage; `stage` is the one whose options hold for it.
    #[cfg(any(feature = "spirv", feature = "wgsl"))]
    fn places<'a>(
        &'a self,
        stages: &[StageShader],
        of: Stage,
        stage: Stage,
        usual: StageOptions<'static>,
    ) -> StageOptions<'a> {
        let found = stages.iter().find(|found| found.shader.stage == of);
        let first = |list: &[StageValue<u32>], usual: u32| staged(list, stage).copied().unwrap_or(usual);
        StageOptions {
            entry: self.entry(stage),
            group: first(&self.group, usual.group),
            constants: first(&self.constants, usual.constants),
            textures: first(&self.textures, usual.textures),
            samplers: first(&self.samplers, usual.samplers),
            exact: found.is_some_and(|found| self.is_exact(found.isa)),
            ..usual
        }
    }
}

/// A lane of numbers that are given; a single number is for all lanes, and what is missing is 0.
fn lane_bits(scalar: ir::Scalar, numbers: &[f64], lane: usize) -> u32 {
    let only = numbers.first().filter(|_| numbers.len() == 1);
    let number = numbers.get(lane).or(only).copied().unwrap_or(0.0);
    match scalar {
        ir::Scalar::F32 => (number as f32).to_bits(),
        ir::Scalar::I32 => number as i32 as u32,
        ir::Scalar::Bool => u32::from(number != 0.0),
        _ => number as u32,
    }
}

/// What is wrong with the numbers that are given to a state.
fn unfit(shader: &Shader, id: StateId, numbers: &[f64]) -> Option<String> {
    let state = shader.states.get(id.index())?;
    let lanes = usize::from(state.ty.lanes);
    if numbers.len() > lanes {
        return Some(format!("it has {lanes} {}", if lanes == 1 { "number" } else { "numbers" }));
    }
    // Rounding towards zero by way of an integer needs no std.
    let whole = |low: f64, high: f64| move |n: &f64| (low..=high).contains(n) && *n as i64 as f64 == *n;
    if shader.textures.iter().any(|texture| texture.dim_by == Some(id)) {
        let kinds: Vec<(usize, ir::Dim)> = opt::settled_dims().collect();
        let known = |n: &f64| kinds.iter().any(|(kind, _)| *kind as f64 == *n);
        let list: Vec<String> = kinds.iter().map(|(kind, dim)| format!("{kind} ({})", dim.name())).collect();
        return (!numbers.iter().all(known)).then(|| format!("expected {}", list.join(", ")));
    }
    let (fits, expected) = match state.ty.scalar {
        ir::Scalar::U32 => {
            (numbers.iter().all(whole(0.0, f64::from(u32::MAX))), "whole numbers from 0 to 4294967295")
        }
        ir::Scalar::I32 => (
            numbers.iter().all(whole(f64::from(i32::MIN), f64::from(i32::MAX))),
            "whole numbers from -2147483648 to 2147483647",
        ),
        ir::Scalar::Bool => (numbers.iter().all(whole(0.0, 1.0)), "0 or 1"),
        _ => (true, ""),
    };
    (!fits).then(|| format!("expected {expected}"))
}
