//! How programs are translated, by name.

use super::{ByName, Given, Opt, OptionError, Row, Value, foreign, heeded_numerics, number, switch, word};
use crate::diag::Diagnostic;
#[cfg(feature = "glsl")]
use crate::emit::glsl;
#[cfg(feature = "hlsl")]
use crate::emit::hlsl;
#[cfg(feature = "msl")]
use crate::emit::msl;
use crate::emit::options::{ArraySize, Space, StageOptions, Style};
#[cfg(feature = "spirv")]
use crate::emit::spirv;
#[cfg(feature = "wgsl")]
use crate::emit::wgsl;
use crate::ir::{self, ParamId, Shader, Stage, StateId};
use crate::isa::Isa;
use crate::isa::any::{AnyProgram, LiftOptions};
use crate::opt;
use crate::target::Target;
use crate::translate::{self, Pipeline, Refusal, StageShader, TranslateOptions, Translation};
use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

const EVERY: &str = "Languages of GPUs";
#[cfg(feature = "spirv")]
const SPIRV: &str = "SPIR-V";
#[cfg(feature = "glsl")]
const GLSL: &str = "GLSL";
#[cfg(feature = "hlsl")]
const HLSL: &str = "HLSL";
#[cfg(feature = "msl")]
const MSL: &str = "MSL";

const ALL: &[&str] = &["wgsl", "spirv", "glsl", "hlsl", "msl"];
const TEXTS: &[&str] = &["wgsl", "glsl", "hlsl", "msl"];

/// How programs are translated: the options of every target, set [by name](ByName::set).
///
/// [`TranslateOptions`] has the same in types, with what only a caller in Rust can give, such as comments of its own. Options of
/// [`LiftOptions`] are set here, too: they are kept as they are said, since their defaults depend on the target.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Translating {
    /// What programs mean where that is open.
    pub lift: Given<LiftOptions>,
    states: Vec<(String, Vec<f64>)>,
    entry: Vec<Staged<String>>,
    group: Vec<Staged<u32>>,
    constants: Vec<Staged<u32>>,
    textures: Vec<Staged<u32>>,
    samplers: Vec<Staged<u32>>,
    array_size: ArraySize,
    space: Space,
    #[cfg(feature = "wgsl")]
    unread: wgsl::Unread,
    rename: Vec<(String, String)>,
    compute: bool,
    /// Whose names constants and textures have; `None` where nothing is said.
    register_names: Option<bool>,
    signed_zeros: bool,
    comments: bool,
    style: Style,
    #[cfg(feature = "spirv")]
    spirv: Spirv,
    zero_to_one: bool,
    hands_on: bool,
    #[cfg(feature = "glsl")]
    glsl_version: Option<glsl::Version>,
    #[cfg(feature = "hlsl")]
    shader_model: Option<hlsl::Model>,
    #[cfg(feature = "hlsl")]
    register_space: u32,
    #[cfg(feature = "hlsl")]
    patch_vertices: u32,
    #[cfg(feature = "msl")]
    msl_version: Option<msl::Version>,
}

/// What only SPIR-V has.
#[cfg(feature = "spirv")]
#[derive(Clone, Debug, Default, PartialEq)]
struct Spirv {
    environment: spirv::Environment,
    flip_y: bool,
    push_constants: bool,
    inline: Vec<(String, Vec<f64>)>,
    spec_states: Option<u32>,
    float_controls: bool,
    debug_names: bool,
    debug_source: bool,
}

/// A value for one stage, or for each.
#[derive(Clone, Debug, PartialEq)]
struct Staged<T> {
    stage: Option<Stage>,
    value: T,
}

impl<T> Staged<T> {
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
fn staged<T>(list: &[Staged<T>], stage: Stage) -> Option<&T> {
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
    fn rows() -> &'static [Row<Self>] {
        const ROWS: &[Row<Translating>] = &[
            Row::new(
                Opt::new(
                    "Meaning",
                    "state",
                    "Fix a state value outside the programs: numbers separated by commas, or the word for a dimension",
                )
                .text("NAME=VALUE")
                .several()
                .more(
                    "A fixed value becomes part of the program, and code that it disables is removed. The dimensions of \
                     textures that the program leaves open are always fixed.",
                ),
                |to, value| state(value).map(|state| to.states.push(state)),
            ),
            Row::new(
                Opt::new(
                    EVERY,
                    "entry",
                    "Name of the entry point [default: `main`, in a pair `vertex_main` and `fragment_main`]",
                )
                .text("[STAGE=]NAME")
                .several()
                .of_targets(&["wgsl", "spirv", "msl"]),
                |to, value| Staged::read(value, |name| Ok(name.to_owned())).map(|name| to.entry.push(name)),
            ),
            Row::new(
                Opt::new(EVERY, "group", "Bind group, or descriptor set, of everything the program reads")
                    .text("[STAGE=]N")
                    .several()
                    .of_targets(&["wgsl", "spirv"]),
                |to, value| Staged::read(value, number).map(|group| to.group.push(group)),
            ),
            Row::new(
                Opt::new(EVERY, "constants", "Binding of the constants").text("[STAGE=]N").several().of_targets(&[
                    "wgsl", "spirv", "glsl", "msl",
                ]),
                |to, value| Staged::read(value, number).map(|first| to.constants.push(first)),
            ),
            Row::new(
                Opt::new(EVERY, "textures", "Binding of the first texture")
                    .text("[STAGE=]N")
                    .several()
                    .of_targets(&["wgsl", "spirv", "glsl", "msl"]),
                |to, value| Staged::read(value, number).map(|first| to.textures.push(first)),
            ),
            Row::new(
                Opt::new(EVERY, "samplers", "Binding of the first sampler")
                    .text("[STAGE=]N")
                    .several()
                    .of_targets(&["wgsl", "spirv", "msl"]),
                |to, value| Staged::read(value, number).map(|first| to.samplers.push(first)),
            ),
            Row::new(
                Opt::new(EVERY, "array-size", "Declared size of arrays of constants")
                    .words(
                        "SIZE",
                        &[("used", "The elements that the program reads"), ("file", "The whole register file")],
                    )
                    .default("used")
                    .of_targets(&["wgsl", "spirv"]),
                |to, value| word(value).map(|size| to.array_size = size),
            ),
            Row::new(
                Opt::new(EVERY, "space", "Storage of constants")
                    .words("SPACE", &[("uniform", "`var<uniform>`"), ("storage", "`var<storage, read>`")])
                    .default("uniform")
                    .of_targets(&["wgsl", "spirv"]),
                |to, value| word(value).map(|space| to.space = space),
            ),
            #[cfg(feature = "wgsl")]
            Row::new(
                Opt::new(EVERY, "unread", "Varyings that the fragment program of a pair does not read")
                    .words("WHAT", &[("drop", "They are left out"), ("keep", "They are kept")])
                    .default("drop")
                    .of_targets(&["wgsl"]),
                |to, value| word(value).map(|unread| to.unread = unread),
            ),
            Row::new(
                Opt::new(EVERY, "rename", "Name for a register, wherever it appears")
                    .text("REGISTER=NAME")
                    .several()
                    .of_targets(TEXTS),
                |to, value| match value.split_once('=') {
                    Some((register, name)) if !register.is_empty() && !name.is_empty() => {
                        to.rename.push((register.into(), name.into()));
                        Ok(())
                    }
                    _ => Err("expected REGISTER=NAME".into()),
                },
            ),
            #[cfg(feature = "wgsl")]
            Row::new(
                Opt::new(
                    EVERY,
                    "compute",
                    "Translate the vertex program to a compute shader that reads attributes from a buffer and writes \
                     results to another",
                )
                .of_targets(&["wgsl"]),
                |to, value| switch(value).map(|on| to.compute = on),
            ),
            Row::new(
                Opt::new(EVERY, "names", "Names of constants and textures in the program's own table (Direct3D)")
                    .words("WHOSE", &[("table", "By the names of the table"), ("registers", "By their registers")])
                    .default("table")
                    .of_targets(ALL),
                |to, value| {
                    to.register_names = match value {
                        "table" => Some(false),
                        "registers" => Some(true),
                        _ => return Err("expected table or registers".into()),
                    };
                    Ok(())
                },
            ),
            Row::new(
                Opt::new(
                    EVERY,
                    "signed-zeros",
                    "Test for zero factors in every product that is 0 for a zero factor, even where only the sign of a \
                     zero depends on it",
                )
                .of_targets(ALL),
                |to, value| switch(value).map(|on| to.signed_zeros = on),
            ),
            Row::new(
                Opt::new(
                    EVERY,
                    "comments",
                    "Comments in the text; `source` puts each instruction of the program above its translation",
                )
                .words("WHAT", &[("source", "The program, instruction by instruction")])
                .of_targets(TEXTS),
                |to, value| match value {
                    "source" => {
                        to.comments = true;
                        Ok(())
                    }
                    _ => Err("expected source".into()),
                },
            ),
            Row::new(
                Opt::new(
                    EVERY,
                    "style",
                    "Expressions as a person would write them, or a statement for each instruction of the program",
                )
                .words(
                    "STYLE",
                    &[
                        ("folded", "What is used once stands where it is used"),
                        ("plain", "What an instruction computes is a statement of its own"),
                    ],
                )
                .default("folded")
                .of_targets(TEXTS),
                |to, value| word(value).map(|style| to.style = style),
            ),
            #[cfg(feature = "spirv")]
            Row::new(
                Opt::new(
                    SPIRV,
                    "environment",
                    "Environment of the module: vulkan1.0, vulkan1.1, vulkan1.2, vulkan1.3 or opengl4.5",
                )
                .text("ENVIRONMENT")
                .default("vulkan1.0")
                .of_targets(&["spirv"]),
                |to, value| {
                    let names = || spirv::Environment::ALL.into_iter().map(spirv::Environment::name).collect::<Vec<_>>();
                    let found = value.parse().map_err(|_| format!("expected one of {}", names().join(", ")));
                    found.map(|environment| to.spirv.environment = environment)
                },
            ),
            #[cfg(feature = "spirv")]
            Row::new(
                Opt::new(SPIRV, "flip-y", "Negate the y of positions, which points down in Vulkan")
                    .of_targets(&["spirv"]),
                |to, value| switch(value).map(|on| to.spirv.flip_y = on),
            ),
            #[cfg(feature = "spirv")]
            Row::new(
                Opt::new(SPIRV, "push-constants", "Make constants push constants, up to 128 bytes")
                    .of_targets(&["spirv"]),
                |to, value| switch(value).map(|on| to.spirv.push_constants = on),
            ),
            #[cfg(feature = "spirv")]
            Row::new(
                Opt::new(
                    SPIRV,
                    "inline",
                    "Set the value of a constant in the module; the others of its array are zero",
                )
                .text("REGISTER=X,Y,Z,W")
                .several()
                .of_targets(&["spirv"]),
                |to, value| {
                    let read = value.split_once('=').filter(|(register, _)| !register.is_empty());
                    let read = read.and_then(|(register, values)| Some((register.into(), numbers(values)?)));
                    to.spirv.inline.push(read.ok_or("expected REGISTER=X,Y,Z,W")?);
                    Ok(())
                },
            ),
            #[cfg(feature = "spirv")]
            Row::new(
                Opt::new(
                    SPIRV,
                    "spec-states",
                    "Make state values specialization constants, with numbers from FIRST on, four for each state",
                )
                .number("FIRST")
                .of_targets(&["spirv"]),
                |to, value| number(value).map(|first| to.spirv.spec_states = Some(first)),
            ),
            #[cfg(feature = "spirv")]
            Row::new(
                Opt::new(
                    SPIRV,
                    "float-controls",
                    "Require denormals, signed zeros, infinities and NaN to be preserved, and rounding to nearest even",
                )
                .of_targets(&["spirv"]),
                |to, value| switch(value).map(|on| to.spirv.float_controls = on),
            ),
            #[cfg(feature = "spirv")]
            Row::new(
                Opt::new(SPIRV, "debug-names", "Name results after their registers, for readers of a disassembly")
                    .of_targets(&["spirv"]),
                |to, value| switch(value).map(|on| to.spirv.debug_names = on),
            ),
            #[cfg(feature = "spirv")]
            Row::new(
                Opt::new(SPIRV, "debug-source", "Embed the disassembly and the line of each instruction")
                    .of_targets(&["spirv"]),
                |to, value| switch(value).map(|on| to.spirv.debug_source = on),
            ),
            #[cfg(feature = "glsl")]
            Row::new(
                Opt::new(GLSL, "glsl-version", "GLSL version: 120 to 460, or 100es to 320es")
                    .text("VERSION")
                    .default("430")
                    .of_targets(&["glsl"]),
                |to, value| {
                    let known = || glsl::Version::ALL.iter().map(|v| v.to_string().replace(' ', "")).collect::<Vec<_>>();
                    let no = |_| format!("no such version; expected one of {}", known().join(", "));
                    value.parse().map_err(no).map(|version| to.glsl_version = Some(version))
                },
            ),
            #[cfg(any(feature = "glsl", feature = "spirv"))]
            Row::new(
                Opt::new(
                    "GLSL",
                    "zero-to-one",
                    "Leave z in 0..w, for a host that calls glClipControl(…, GL_ZERO_TO_ONE)",
                )
                .of_targets(&["spirv", "glsl"]),
                |to, value| switch(value).map(|on| to.zero_to_one = on),
            ),
            #[cfg(any(feature = "glsl", feature = "spirv"))]
            Row::new(
                Opt::new(
                    "GLSL",
                    "hands-on",
                    "Leave positions unchanged, for a stage that does not feed the rasterizer",
                )
                .of_targets(&["spirv", "glsl"]),
                |to, value| switch(value).map(|on| to.hands_on = on),
            ),
            #[cfg(feature = "hlsl")]
            Row::new(
                Opt::new(
                    HLSL,
                    "shader-model",
                    "Shader model: 3.0 for Direct3D 9, 4.0, 4.1, 5.0, 5.1 or 6.0",
                )
                .text("MODEL")
                .default("5.0")
                .of_targets(&["hlsl"]),
                |to, value| {
                    let known = || hlsl::Model::ALL.iter().map(ToString::to_string).collect::<Vec<_>>();
                    let no = |_| format!("no such model; expected one of {}", known().join(", "));
                    value.parse().map_err(no).map(|model| to.shader_model = Some(model))
                },
            ),
            #[cfg(feature = "hlsl")]
            Row::new(
                Opt::new(HLSL, "register-space", "Register space of all bindings, from model 5.1 on")
                    .number("N")
                    .of_targets(&["hlsl"]),
                |to, value| number(value).map(|space| to.register_space = space),
            ),
            #[cfg(feature = "hlsl")]
            Row::new(
                Opt::new(
                    HLSL,
                    "patch-vertices",
                    "Vertices of an input patch, 1 to 32, where the program leaves that open [default: found from what is \
                     read]",
                )
                .takes("N", Value::Number { low: 1, high: 32 })
                .of_targets(&["hlsl"]),
                |to, value| {
                    let n = number(value)?;
                    if !(1..=32).contains(&n) {
                        return Err(format!("{n} is not in 1..=32"));
                    }
                    to.patch_vertices = n;
                    Ok(())
                },
            ),
            #[cfg(feature = "msl")]
            Row::new(
                Opt::new(MSL, "msl-version", "MSL version: 2.0 to 2.4")
                    .text("VERSION")
                    .default("2.1")
                    .of_targets(&["msl"]),
                |to, value| {
                    let known = || msl::Version::ALL.iter().map(ToString::to_string).collect::<Vec<_>>();
                    let no = |_| format!("no such version; expected one of {}", known().join(", "));
                    value.parse().map_err(no).map(|version| to.msl_version = Some(version))
                },
            ),
        ];
        ROWS
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        match (Self::row(name), LiftOptions::row(name)) {
            (Ok(row), _) => row.set(self, value),
            (Err(_), Ok(_)) => self.lift.set(name, value),
            (Err(_), Err(_)) => {
                let of_lift = LiftOptions::rows().iter().map(|row| row.option.name);
                let names = Self::rows().iter().map(|row| row.option.name).chain(of_lift);
                Err(OptionError::Name(crate::word::Unknown::new("option", name, names)))
            }
        }
    }
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
        let (translations, _) = self.translate_draw(&[program], target)?;
        Ok(translations.into_iter().next().unwrap_or(Translation::Ir(String::new())))
    }

    /// Translates the programs of one draw, as [`translate_draw`](crate::translate_draw()) does, and gives what is worth knowing: the
    /// number of the program, and a finding about it.
    ///
    /// # Errors
    ///
    /// The first refusal, by lifting, a writer or an option.
    pub fn translate_draw(
        &self,
        programs: &[&AnyProgram],
        target: Target,
    ) -> Result<(Vec<Translation>, Vec<(usize, Diagnostic)>), Refused> {
        let isas: Vec<Isa> = programs.iter().map(|program| program.isa()).collect();
        if let Some(error) = self.foreign(&isas) {
            return Err(error.into());
        }
        let (mut stages, mut findings, mut known) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (n, program) in programs.iter().enumerate() {
            let refuse = |finding| Refusal { stage: Some(n), finding };
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
        Ok((translations, findings))
    }

    /// How programs of an instruction set are lifted for a target.
    ///
    /// # Errors
    ///
    /// An option that [`lift`](Self::lift) holds unseen and that does not take its value.
    pub fn lift_options(&self, isa: Isa, target: Target) -> Result<LiftOptions, OptionError> {
        let base = if target == Target::Ir {
            LiftOptions::default()
        } else if self.compute {
            LiftOptions::for_compute()
        } else {
            LiftOptions::for_gpus()
        };
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
        let options = TranslateOptions::default().with_states(&states);
        #[cfg(feature = "wgsl")]
        let options = options.with_compute(self.compute);
        let shader = match translate::prepare(shader, target, &options, findings) {
            Ok(shader) => shader,
            Err(finding) => return Ok(Err(finding)),
        };
        #[cfg(feature = "spirv")]
        let wanted = self.comments || (target == Target::Spirv && self.spirv.debug_source);
        #[cfg(not(feature = "spirv"))]
        let wanted = self.comments;
        let instructions = if wanted { program.instruction_texts() } else { Vec::new() };
        Ok(Ok(StageShader { isa: program.isa(), shader, instructions, name: String::new() }))
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
            #[cfg(feature = "wgsl")]
            Target::Wgsl => options.with_wgsl(self.wgsl(stages, &names)),
            #[cfg(feature = "spirv")]
            Target::Spirv => {
                arrays = self.arrays(&first.shader)?;
                rows = arrays.iter().map(|(name, rows)| (*name, rows.as_slice())).collect::<Vec<_>>();
                text = first.instructions.join("\n");
                lines = (1..=first.instructions.len() as u32).collect::<Vec<u32>>();
                let source = spirv::Source { file: &first.name, text: &text, lines: &lines };
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
            let unheard = self.register_names.is_some() && !of.iter().any(|isa| isas.contains(isa));
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
    fn is_exact(&self, isa: Isa) -> bool {
        let numerics = self.lift.value("numerics").and_then(|words| heeded_numerics(words, isa));
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
        let first = |list: &[Staged<u32>], usual: u32| staged(list, stage).copied().unwrap_or(usual);
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

    #[cfg(feature = "wgsl")]
    fn wgsl<'a>(&'a self, stages: &[StageShader], names: &'a [(&'a str, &'a str)]) -> wgsl::Options<'a> {
        let usual = wgsl::Options::default();
        wgsl::Options {
            vertex: self.places(stages, Stage::Vertex, Stage::Vertex, usual.vertex),
            fragment: self.places(stages, Stage::Fragment, Stage::Fragment, usual.fragment),
            // A compute shader does what a vertex program does.
            compute: self.places(stages, Stage::Compute, Stage::Vertex, usual.compute),
            array_size: self.array_size,
            space: self.space,
            unread: self.unread,
            names,
            register_names: self.has_register_names(),
            signed_zeros: self.signed_zeros,
            style: self.style,
            ..usual
        }
    }

    /// Whether constants and textures keep the names of their registers.
    #[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "spirv", feature = "wgsl"))]
    fn has_register_names(&self) -> bool {
        self.register_names == Some(true)
    }

    #[cfg(feature = "spirv")]
    fn spirv<'a>(
        &'a self,
        stages: &[StageShader],
        values: &'a [(&'a str, &'a [[u32; 4]])],
        source: spirv::Source<'a>,
    ) -> spirv::Options<'a> {
        let of = &self.spirv;
        // What is not chosen is of the environment.
        let usual = spirv::Options::for_environment(of.environment);
        let places = |stage: Stage, usual| self.places(stages, stage, stage, usual);
        spirv::Options {
            vertex: places(Stage::Vertex, usual.vertex),
            fragment: places(Stage::Fragment, usual.fragment),
            compute: places(Stage::Compute, usual.compute),
            tess_control: places(Stage::TessControl, usual.tess_control),
            tess_eval: places(Stage::TessEval, usual.tess_eval),
            geometry: places(Stage::Geometry, usual.geometry),
            array_size: self.array_size,
            space: self.space,
            states: of.spec_states.map_or(usual.states, |first| spirv::States::Specialized { first }),
            push_constants: of.push_constants,
            values,
            flip_y: of.flip_y,
            hands_on: self.hands_on,
            zero_to_one: self.zero_to_one,
            float_controls: of.float_controls,
            names: of.debug_names,
            register_names: self.has_register_names(),
            signed_zeros: self.signed_zeros,
            source: of.debug_source.then_some(source),
            ..usual
        }
    }

    /// The arrays that are given values, by name, each as far as the last value reaches.
    #[cfg(feature = "spirv")]
    fn arrays<'s>(&self, shader: &'s Shader) -> Result<Vec<(&'s str, Vec<[u32; 4]>)>, OptionError> {
        let mut arrays: Vec<(&str, Vec<[u32; 4]>)> = Vec::new();
        for (register, values) in &self.spirv.inline {
            let found = shader.params.iter().enumerate().find_map(|(n, array)| {
                let at = (0..array.size).find(|e| shader.param_name(ParamId(n as u32), *e) == *register)?;
                Some((array, at as usize))
            });
            let Some((array, at)) = found else {
                return Err(OptionError::value(
                    format!("inline {register}"),
                    "the program has no such constant",
                ));
            };
            let n = arrays.iter().position(|(name, _)| *name == array.name).unwrap_or_else(|| {
                arrays.push((&array.name, Vec::new()));
                arrays.len() - 1
            });
            let rows = &mut arrays[n].1;
            rows.resize(rows.len().max(at + 1), [0; 4]);
            rows[at] = [0, 1, 2, 3].map(|lane| lane_bits(array.scalar, values, lane));
        }
        Ok(arrays)
    }

    #[cfg(feature = "glsl")]
    fn glsl<'a>(
        &self,
        stage: Stage,
        names: &'a [(&'a str, &'a str)],
    ) -> Result<glsl::Options<'a>, OptionError> {
        let usual = glsl::Options::default();
        let version = self.glsl_version.unwrap_or(usual.version);
        let first = |name: &str, list: &[Staged<u32>]| match staged(list, stage) {
            Some(_) if !version.has_bindings() => Err(OptionError::value(
                name,
                format!("GLSL {version} has no bindings in the text; the host sets them by name"),
            )),
            first => Ok(first.copied()),
        };
        Ok(glsl::Options {
            version,
            constants: first("constants", &self.constants)?,
            textures: first("textures", &self.textures)?,
            zero_to_one: self.zero_to_one,
            hands_on: self.hands_on,
            names,
            register_names: self.has_register_names(),
            signed_zeros: self.signed_zeros,
            style: self.style,
            ..usual
        })
    }

    #[cfg(feature = "hlsl")]
    fn hlsl<'a>(&self, names: &'a [(&'a str, &'a str)]) -> Result<hlsl::Options<'a>, OptionError> {
        let usual = hlsl::Options::default();
        let model = self.shader_model.unwrap_or(usual.model);
        if self.register_space > 0 && !model.has_spaces() {
            let why = format!("shader model {model} has no register spaces");
            return Err(OptionError::value("register-space", why));
        }
        Ok(hlsl::Options {
            model,
            space: self.register_space,
            patch_vertices: self.patch_vertices,
            names,
            register_names: self.has_register_names(),
            signed_zeros: self.signed_zeros,
            style: self.style,
            ..usual
        })
    }

    #[cfg(feature = "msl")]
    fn msl<'a>(&'a self, stage: Stage, names: &'a [(&'a str, &'a str)]) -> msl::Options<'a> {
        let usual = msl::Options::default();
        let first = |list: &[Staged<u32>], usual| staged(list, stage).copied().unwrap_or(usual);
        msl::Options {
            version: self.msl_version.unwrap_or(usual.version),
            entry: self.entry(stage),
            constants: first(&self.constants, usual.constants),
            textures: first(&self.textures, usual.textures),
            samplers: first(&self.samplers, usual.samplers),
            names,
            register_names: self.has_register_names(),
            signed_zeros: self.signed_zeros,
            style: self.style,
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
