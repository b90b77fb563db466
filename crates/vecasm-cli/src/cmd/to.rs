//! `vecasm to`: translate to another language.

pub(crate) mod flags;
mod glsl;
mod hlsl;
mod msl;
mod spirv;

use crate::args::{InputArgs, OutputArgs, Which};
use crate::batch::{self, Batch, Job, Outputs, Words};
use crate::converting::{self, ConvertArgs, First};
use crate::io::{self, Input, Payload, Sink};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::{Failure, Outcome};
use clap::ValueEnum;
use glsl::GlslArgs;
use hlsl::HlslArgs;
use msl::MslArgs;
use spirv::SpirvArgs;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use vecasm::diag::{Severity, Source};
use vecasm::emit::options::{Constant, Style as BodyStyle};
use vecasm::emit::wgsl::{self, BindingKind};
use vecasm::ir::{self, Shader, Stage};
use vecasm::isa::Isa;
use vecasm::isa::any::{AnyProgram, CheckOptions};
use vecasm::open::Likely;
use vecasm::translate::{self, Pipeline, Refusal, StageShader, Translation};
use vecasm::{Target, TranslateOptions, opt};

/// Translate to another shading language
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm to wgsl sky.vert.agal sky.frag.agal -o sky.wgsl      a pair becomes one module\n  \
    vecasm to wgsl --comments source --rename va0=position --rename fs0=albedo wood.frag.agal\n  \
    vecasm to wgsl --group fragment=0 --constants fragment=1 --layout sky.json a.vert.agal a.frag.agal\n  \
    vecasm to wgsl --numerics exact --compute skin.vsh          NV2A bit for bit, in integers\n  \
    vecasm to spirv sky.vert.agal sky.frag.agal -o sky/          one module each, sky/sky.vert.spv and sky/sky.frag.spv\n  \
    vecasm to spirv --environment vulkan1.3 --debug-names wood.frag.agal -o wood.spv\n  \
    vecasm to spirv --environment opengl4.5 --spec-states 0 --layout sky.json sky.frag.agal -o sky.spv\n  \
    vecasm to glsl --glsl-version 300es sky.frag.agal            one text per stage\n  \
    vecasm to hlsl --shader-model 5.1 sky.vert.agal sky.frag.agal -o sky/   two texts with matching registers\n  \
    vecasm to msl --msl-version 2.3 sky.frag.agal                the same for Metal\n  \
    vecasm to ir shader.bin                                     the intermediate representation\n  \
    vecasm to --upgrade d3d9 old.vso -o new.vso                 make Direct3D 8 legal in Direct3D 9\n  \
    vecasm to --canonicalize mojoshader old.pso -o new.pso      a stream that MojoShader accepts, if there is one\n\n\
    STAGE= before a value limits it to the `vertex` or the `fragment` program. By default the vertex program binds in \
    group 0 and the fragment program in group 1: constants at 0, textures from 16 on, samplers from 48 on.")]
pub(crate) struct Args {
    /// Target language; with --upgrade and --canonicalize there is none, and this is the first file
    #[arg(value_name = "TARGET", value_parser = converting::FirstWord)]
    target: Option<First>,
    #[command(flatten)]
    converting: ConvertArgs,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    lifting: LiftArgs,
    /// Fix a state value outside the programs: numbers separated by commas, or the word for a dimension
    ///
    /// A fixed value becomes part of the program, and code that it disables is removed. The dimensions of textures that
    /// the program leaves open are always fixed.
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Meaning")]
    state: Vec<StateValue>,
    #[command(flatten)]
    wgsl: WgslArgs,
    #[command(flatten)]
    spirv: SpirvArgs,
    #[command(flatten)]
    glsl: GlslArgs,
    #[command(flatten)]
    hlsl: HlslArgs,
    #[command(flatten)]
    msl: MslArgs,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Languages of GPUs")]
struct WgslArgs {
    /// Name of the entry point [default: `main`, in a pair `vertex_main` and `fragment_main`]
    #[arg(long, value_name = "[STAGE=]NAME")]
    entry: Vec<Staged<String>>,
    /// Bind group, or descriptor set, of everything the program reads
    #[arg(long, value_name = "[STAGE=]N")]
    group: Vec<Staged<u32>>,
    /// Binding of the constants
    #[arg(long, value_name = "[STAGE=]N")]
    constants: Vec<Staged<u32>>,
    /// Binding of the first texture
    #[arg(long, value_name = "[STAGE=]N")]
    textures: Vec<Staged<u32>>,
    /// Binding of the first sampler
    #[arg(long, value_name = "[STAGE=]N")]
    samplers: Vec<Staged<u32>>,
    /// Declared size of arrays of constants
    #[arg(long, value_name = "SIZE", default_value = "used")]
    array_size: ArraySize,
    /// Storage of constants
    #[arg(long, value_name = "SPACE", default_value = "uniform")]
    space: Space,
    /// Varyings that the fragment program of a pair does not read [default: drop]
    #[arg(long, value_name = "WHAT")]
    unread: Option<Unread>,
    /// Name for a register, wherever it appears
    #[arg(long, value_name = "REGISTER=NAME")]
    rename: Vec<Rename>,
    /// Translate the vertex program to a compute shader that reads attributes from a buffer and writes results to
    /// another
    #[arg(long)]
    compute: bool,
    /// Names of constants and textures in the program's own table (Direct3D) [default: table]
    #[arg(long, value_name = "WHOSE")]
    names: Option<Names>,
    /// Test for zero factors in every product that is 0 for a zero factor, even where only the sign of a zero depends
    /// on it
    #[arg(long)]
    signed_zeros: bool,
    /// Comments in the text; `source` puts each instruction of the program above its translation
    #[arg(long, value_name = "WHAT")]
    comments: Option<Comments>,
    /// Expressions as a person would write them, or a statement for each instruction of the program [default: folded]
    #[arg(long, value_name = "STYLE")]
    style: Option<Style>,
    /// Write what the host must bind, as JSON; of several results into the folder DIR/; `-` is standard output
    #[arg(long, value_name = "FILE|DIR/")]
    layout: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ArraySize {
    /// The elements that the program reads
    Used,
    /// The whole register file
    File,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Space {
    /// `var<uniform>`
    Uniform,
    /// `var<storage, read>`
    Storage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Comments {
    /// The program, instruction by instruction
    Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Style {
    /// What is used once stands where it is used
    Folded,
    /// What an instruction computes is a statement of its own
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Names {
    /// By the names of the table
    Table,
    /// By their registers
    Registers,
}

/// How a stage is worded: what all languages of text are asked.
#[derive(Clone, Copy)]
struct Wording<'a> {
    names: &'a [(&'a str, &'a str)],
    register_names: bool,
    signed_zeros: bool,
    style: BodyStyle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Unread {
    /// They are left out
    Drop,
    /// They are kept
    Keep,
}

/// A value for one stage or for both.
#[derive(Clone, Debug)]
struct Staged<T> {
    stage: Option<Stage>,
    value: T,
}

impl<T: FromStr> FromStr for Staged<T>
where
    T::Err: std::fmt::Display,
{
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (stage, value) = match text.split_once('=') {
            None => (None, text),
            Some(("vertex", value)) => (Some(Stage::Vertex), value),
            Some(("fragment", value)) => (Some(Stage::Fragment), value),
            Some((other, _)) => return Err(format!("no stage `{other}`; write vertex= or fragment=")),
        };
        value.parse().map(|value| Self { stage, value }).map_err(|error| error.to_string())
    }
}

/// The last value that holds for a stage.
fn staged<T>(list: &[Staged<T>], stage: Stage) -> Option<&T> {
    list.iter().rev().find(|s| s.stage.is_none_or(|wanted| wanted == stage)).map(|s| &s.value)
}

#[derive(Clone, Debug)]
struct Rename(String, String);

/// What a name that was chosen does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    /// Nothing: no result uses the register.
    #[default]
    Nothing,
    /// The register has another name, since this one is taken.
    Changed,
    /// The register is called so.
    Shown,
}

/// What the names that were chosen do in all results.
struct Renames<'a> {
    asked: &'a [Rename],
    effects: Vec<Effect>,
    results: bool,
}

impl<'a> Renames<'a> {
    fn new(asked: &'a [Rename]) -> Self {
        Self { asked, effects: vec![Effect::default(); asked.len()], results: false }
    }

    fn see(&mut self, effects: Vec<Effect>) {
        self.results = true;
        for (all, one) in self.effects.iter_mut().zip(effects) {
            *all = (*all).max(one);
        }
    }

    /// Says which do not do what was asked.
    fn tell(&self) {
        for (Rename(register, name), effect) in self.asked.iter().zip(&self.effects) {
            let what = match effect {
                Effect::Nothing if self.results => format!("has no effect: no result uses {register}"),
                Effect::Changed => {
                    format!("is not kept: {name} is taken or a word of the language; a number follows it")
                }
                _ => continue,
            };
            io::note(&format!("vecasm: note: --rename {register}={name} {what}"));
        }
    }
}

/// What each name that was chosen does in a result: the difference to the same result without it.
fn effects(
    args: &Args,
    target: Target,
    pipeline: &Pipeline,
    group: Range<usize>,
    loaded: &[Loaded],
    payload: &Payload,
    ctx: &Ctx,
) -> Vec<Effect> {
    let effect = |(n, Rename(register, name)): (usize, &Rename)| {
        let without =
            translate(args, target, pipeline, group.clone(), loaded, Some(n), &Ctx::held(ctx.settings()));
        let Ok((without, _)) = without else { return Effect::Shown };
        if register != name && without.bytes() == payload.bytes() {
            return Effect::Nothing;
        }
        let (with, without) = (words(payload), words(&without));
        let new = |word: &str| with.contains(word) && !without.contains(word);
        // One that is taken has a number behind it.
        let numbered = || {
            let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
            let front = format!("{name}_");
            with.iter().any(|word| new(word) && word.strip_prefix(&front).is_some_and(is_number))
        };
        if !new(name) && numbered() { Effect::Changed } else { Effect::Shown }
    };
    args.wgsl.rename.iter().enumerate().map(effect).collect()
}

/// The words of a text.
fn words(payload: &Payload) -> BTreeSet<&str> {
    let text = match payload {
        Payload::Text(text) => text.as_str(),
        Payload::Binary(_) => "",
    };
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect()
}

/// Says where an entry point is called otherwise than it was asked, since that name is taken.
fn tell_entries(args: &Args, translation: &Translation, stages: &[StageShader], ctx: &Ctx) {
    let entries: Vec<(Stage, &str)> = match translation {
        Translation::Wgsl(output) => {
            output.entries.iter().map(|(stage, name)| (*stage, name.as_str())).collect()
        }
        Translation::Msl(output) => {
            stages.iter().map(|stage| (stage.shader.stage, output.entry.as_str())).collect()
        }
        _ => Vec::new(),
    };
    for (stage, found) in entries {
        // A compute shader that was made of a vertex program has its name.
        let of = if stage == Stage::Compute { Stage::Vertex } else { stage };
        if let Some(wanted) = staged(&args.wgsl.entry, of).filter(|wanted| *wanted != found) {
            ctx.tell(&format!(
                "vecasm: note: --entry {wanted}: the name is taken or a word of the language; the entry point is called {found}"
            ));
        }
    }
}

impl FromStr for Rename {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((register, name)) if !register.is_empty() && !name.is_empty() => {
                Ok(Self(register.into(), name.into()))
            }
            _ => Err("expected REGISTER=NAME".into()),
        }
    }
}

#[derive(Clone, Debug)]
struct StateValue(String, Vec<f64>);

impl FromStr for StateValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
        if let Some(dim) = ir::Dim::named(value) {
            let number = ir::Dim::ALL.iter().position(|d| *d == dim).unwrap_or(0);
            return Ok(Self(name.into(), vec![number as f64]));
        }
        let numbers: Result<Vec<f64>, _> = value.split(',').map(|n| n.trim().parse()).collect();
        match numbers {
            Ok(numbers) if numbers.len() <= 4 => Ok(Self(name.into(), numbers)),
            _ => Err("expected up to four numbers, or 1d, 2d, 3d or cube".into()),
        }
    }
}

/// A lane of numbers that a flag gives; a single number is for all lanes, and what is missing is 0.
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

/// What the flags say of states, over all programs.
#[derive(Clone, Debug)]
struct Named {
    /// By flag: whether a program has the state.
    used: Vec<bool>,
    /// The states that the programs have.
    known: BTreeSet<String>,
    /// The instruction sets of the programs.
    isas: Vec<Isa>,
}

impl Named {
    fn new(args: &Args) -> Self {
        Self { used: vec![false; args.state.len()], known: BTreeSet::new(), isas: Vec::new() }
    }

    fn add(&mut self, other: Self) {
        self.used.iter_mut().zip(other.used).for_each(|(used, more)| *used |= more);
        self.known.extend(other.known);
        for isa in other.isas {
            self.isas.extend((!self.isas.contains(&isa)).then_some(isa));
        }
    }

    /// Fails if a state was given that no program has, or a flag that says nothing about any of them.
    fn check(&self, args: &Args) -> Outcome {
        if !self.isas.is_empty() {
            let unheeded = args.lifting.unheeded(&self.isas);
            let names = (args.wgsl.names.is_some() && !self.isas.contains(&Isa::D3d9)).then(|| {
                let isas: Vec<&str> = self.isas.iter().map(|isa| isa.name()).collect();
                format!("--names is for {}, and this is {}", Isa::D3d9.name(), isas.join(" and "))
            });
            if let Some(why) = unheeded.or(names) {
                return Err(Failure::Usage(why));
            }
        }
        let unused = args.state.iter().zip(&self.used).find(|(_, used)| !**used);
        let Some((StateValue(name, _), _)) = unused else { return Ok(()) };
        let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
        let what = match known.as_slice() {
            [] => "the program has none".into(),
            known => format!("expected one of {}", known.join(", ")),
        };
        Err(Failure::usage(format!("--state {name}: no such state value; {what}")))
    }
}

/// What is wrong with the numbers that a flag gives to a state.
fn unfit(shader: &Shader, id: ir::StateId, numbers: &[f64]) -> Option<String> {
    let state = shader.states.get(id.index())?;
    let lanes = usize::from(state.ty.lanes);
    if numbers.len() > lanes {
        return Some(format!("it has {lanes} {}", if lanes == 1 { "number" } else { "numbers" }));
    }
    let whole = |low: f64, high: f64| move |n: &f64| n.fract() == 0.0 && (low..=high).contains(n);
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

/// The states that the flags give to a shader; `named` is told which flags named one.
fn states<'a>(args: &'a Args, shader: &Shader, named: &mut Named) -> Outcome<Vec<(&'a str, [u32; 4])>> {
    named.known.extend(shader.states.iter().map(|state| state.name.clone()));
    let mut given = Vec::new();
    for (StateValue(name, numbers), used) in args.state.iter().zip(&mut named.used) {
        let Some(n) = shader.states.iter().position(|state| state.name == *name) else { continue };
        *used = true;
        if let Some(what) = unfit(shader, ir::StateId(n as u32), numbers) {
            return Err(Failure::usage(format!("--state {name}: {what}")));
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

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(help) = args.lifting.help() {
        return io::print(&help);
    }
    if let Some(conversion) = args.converting.conversion() {
        // The first word is a file there.
        let first = args.target.iter().map(First::path);
        let files: Vec<PathBuf> = first.chain(args.input.files.iter().cloned()).collect();
        return args.converting.run(conversion, &files, &args.input, &args.output, ctx);
    }
    let target = match &args.target {
        Some(First::Target(target, _)) => *target,
        Some(First::File(name)) => {
            let why = name.to_string_lossy().parse::<Target>().err();
            return Err(Failure::usage(why.map_or_else(String::new, |why| why.to_string())));
        }
        None => return Err(Failure::usage("TARGET is missing; `vecasm to --help` lists them")),
    };
    translate_all(args, target, ctx)
}

/// Most stages of a pipeline.
const MOST_STAGES: usize = 5;

fn translate_all(args: &Args, target: Target, ctx: &Ctx) -> Outcome {
    let layouts = args.wgsl.layout.as_ref().map(|_| Sink::new(&layout_args(args)));
    match (layouts, Sink::new(&args.output)) {
        (Some(Sink::Stdout), Sink::Stdout) => {
            return Err(Failure::usage(
                "the result and --layout - both go to standard output: name a file for one",
            ));
        }
        (Some(Sink::File(layout)), Sink::File(output)) if layout == output => {
            return Err(Failure::usage("--layout and -o name the same file"));
        }
        _ => {}
    }
    let batch = Batch::new(&args.input.files, &args.input.batch)?;
    let few = batch.named().is_some_and(|files| (2..=MOST_STAGES).contains(&files.len()));
    if few { stages(args, target, &batch, ctx) } else { each(args, target, &batch, ctx) }
}

/// The program lifted for a target, with the states that are given.
fn lifted(
    args: &Args,
    target: Target,
    input: Input,
    named: &mut Named,
    ctx: &Ctx,
) -> Outcome<(Loaded, StageShader)> {
    let purpose = match target {
        Target::Wgsl if args.wgsl.compute => Purpose::Compute,
        Target::Ir => Purpose::Run,
        _ => Purpose::Gpu,
    };
    let loaded = load::load(input, &args.input.reading, Likely::Text, ctx)?;
    let isa = loaded.program.isa();
    named.isas.push(isa);
    let shader = loaded.lift(&args.lifting.of(isa), purpose, ctx)?;
    loaded.warn_if_refused(ctx);
    let states = states(args, &shader, named)?;
    let options = TranslateOptions::default().with_states(&states).with_compute(args.wgsl.compute);
    let written =
        args.wgsl.compute && opt::unorder(&shader).is_none() && hands_on_constants(&loaded, &shader);
    let mut findings = Vec::new();
    let prepared = translate::prepare(shader, target, &options, &mut findings);
    for finding in findings {
        loaded.report(finding, ctx);
    }
    let shader = prepared.map_err(|finding| {
        loaded.report(finding, ctx);
        suggest_own_constants(written, ctx);
        Failure::Shader
    })?;
    let instructions = match args.wgsl.comments {
        Some(Comments::Source) => loaded.program.instruction_texts(),
        None => Vec::new(),
    };
    Ok((loaded, StageShader { isa, shader, instructions }))
}

/// Where layouts go, as `-o` says where results go.
fn layout_args(args: &Args) -> OutputArgs {
    OutputArgs { output: args.wgsl.layout.clone() }
}

/// The file name of the layout of a result in a folder.
fn layout_name(result: &OsStr) -> OsString {
    io::with_ending(result, "json")
}

/// Where layouts go, if they are asked for.
struct Layouts<'b> {
    outputs: Option<Outputs<'b>>,
    /// Whether one is written; a second one needs a folder.
    written: bool,
}

impl<'b> Layouts<'b> {
    /// For the results of a batch, whose file names `name` gives.
    fn new(args: &Args, batch: &'b Batch, several: bool, name: impl Fn(&Input) -> OsString) -> Outcome<Self> {
        let to = layout_args(args);
        let folder = matches!(Sink::new(&to), Sink::Folder(_));
        let outputs = match (&args.wgsl.layout, several) {
            (None, _) => None,
            (Some(_), true) if !folder => return Err(Self::folder_is_missing()),
            (Some(_), true) => {
                Some(Outputs::new(&to, &args.input.reading, batch, |input, _| layout_name(&name(input)))?)
            }
            (Some(_), false) => Some(Outputs::single(&to, batch)?),
        };
        Ok(Self { outputs, written: false })
    }

    fn folder_is_missing() -> Failure {
        Failure::usage("several results have a layout each: name a folder with --layout DIR/")
    }

    /// Writes the layout of a result. It is written first, so that no result comes without it.
    fn write(&mut self, of: &Path, result: &OsStr, layout: &serde_json::Value) -> Outcome {
        let Some(outputs) = &mut self.outputs else { return Ok(()) };
        if std::mem::replace(&mut self.written, true) && !matches!(outputs.sink(), Sink::Folder(_)) {
            return Err(Self::folder_is_missing());
        }
        outputs.write(of, &layout_name(result), &Payload::Text(format!("{layout:#}\n")))
    }
}

/// The name of a result without its extension; that of a pair has no word for a stage.
fn result_name(target: Target, input: &Input, pair: bool) -> OsString {
    let stem = if pair { input.stem() } else { input.long_stem() };
    io::with_ending(stem, target.extension())
}

/// Translates each program on its own.
fn each(args: &Args, target: Target, batch: &Batch, ctx: &Ctx) -> Outcome {
    let name = |input: &Input| result_name(target, input, false);
    let mut outputs = Outputs::new(&args.output, &args.input.reading, batch, |input, _| name(input))?;
    let several = batch.is_several() || args.input.reading.program == Some(Which::All);
    let mut layouts = Layouts::new(args, batch, several, name)?;
    let job = Job::new(&args.input.reading, Words::Work).all_in_a_folder(&outputs);
    let mut all = Named::new(args);
    let mut renames = Renames::new(&args.wgsl.rename);
    let done = batch.run(
        &job,
        ctx,
        |input, ctx| {
            let mut named = Named::new(args);
            let (loaded, stage) = lifted(args, target, input, &mut named, ctx)?;
            if !several {
                named.check(args)?;
            }
            let pipeline = Pipeline::of(vec![stage], target);
            let loaded = [loaded];
            let (payload, layout) = translated(args, target, &pipeline, 0..1, &loaded, ctx)?;
            let effects = effects(args, target, &pipeline, 0..1, &loaded, &payload, ctx);
            let [loaded] = loaded;
            Ok((name(&loaded.input), payload, layout, (named, effects)))
        },
        |path, (file, payload, layout, (named, effects))| {
            all.add(named);
            renames.see(effects);
            layouts.write(path, &file, &layout)?;
            outputs.write(path, &file, &payload)
        },
    );
    if several && done.is_ok() {
        all.check(args)?;
    }
    renames.tell();
    done
}

/// Translates programs that may be the stages of one pipeline, which are made to fit; a pair is one module of WGSL.
fn stages(args: &Args, target: Target, batch: &Batch, ctx: &Ctx) -> Outcome {
    let mut lifted: Vec<(Loaded, StageShader)> = Vec::new();
    let mut named = Named::new(args);
    let each = || {
        Outputs::new(&args.output, &args.input.reading, batch, |input, _| result_name(target, input, false))
    };
    // Two programs may become one module, which only they tell. Otherwise there are several results.
    let pair = target == Target::Wgsl && batch.named().is_some_and(|files| files.len() == 2);
    let apart = each();
    let sink = apart.as_ref().map_or_else(|_| Sink::new(&args.output), |outputs| outputs.sink().clone());
    let apart = if pair { None } else { Some(apart?) };
    let several = matches!(sink, Sink::Folder(_)) && !pair;
    let job = Job::new(&args.input.reading, Words::Work);
    let job = if several { job.all() } else { job };
    let mut said = None;
    let read = batch.run_quietly(
        &job,
        ctx,
        |input, ctx| {
            let mut named = Named::new(args);
            let one = self::lifted(args, target, input, &mut named, ctx)?;
            Ok((one, named))
        },
        |_, (one, more)| {
            named.add(more);
            lifted.push(one);
            Ok(())
        },
        &mut said,
    );
    // Where one is missing, the others can be written in a folder alone.
    if read.is_err() && !matches!(sink, Sink::Folder(_)) {
        batch::tell(said, ctx);
        return read;
    }
    named.check(args)?;
    // A pair in either order is one module.
    lifted.sort_by_key(|(_, stage)| stage.place());
    let (loaded, stages): (Vec<Loaded>, Vec<StageShader>) = lifted.into_iter().unzip();
    let pipeline = Pipeline::of(stages, target);
    if pipeline.is_linked() {
        warn_of_links(&loaded, ctx);
    }
    let results = pipeline.groups(target);
    // One result may go anywhere; several are told apart in a folder.
    let mut layouts =
        Layouts::new(args, batch, results.len() > 1, |input| result_name(target, input, false))?;
    let mut outputs = match (results.as_slice(), apart) {
        (_, Some(apart)) => apart,
        ([_], None) => Outputs::single(&args.output, batch)?,
        (_, None) => each()?,
    };
    batch::tell(said, ctx);
    let mut worst = read;
    let mut renames = Renames::new(&args.wgsl.rename);
    for group in results {
        let Some(first) = loaded.get(group.start) else { continue };
        let pair = group.len() == 2;
        let (payload, layout) = match translated(args, target, &pipeline, group.clone(), &loaded, ctx) {
            Ok(written) => written,
            Err(Failure::Shader) => {
                worst = worst.and(Err(Failure::Shader));
                continue;
            }
            Err(other) => return Err(other),
        };
        renames.see(effects(args, target, &pipeline, group, &loaded, &payload, ctx));
        let path = first.input.path.as_deref().unwrap_or(Path::new(io::DASH));
        let name = result_name(target, &first.input, pair);
        layouts.write(path, &name, &layout)?;
        outputs.write(path, &name, &payload)?;
    }
    renames.tell();
    worst
}

/// The text of a module and its layout, with the constants that the programs bring.
fn translated(
    args: &Args,
    target: Target,
    pipeline: &Pipeline,
    group: Range<usize>,
    loaded: &[Loaded],
    ctx: &Ctx,
) -> Outcome<(Payload, serde_json::Value)> {
    let stages = pipeline.stages().get(group.clone()).unwrap_or_default();
    let of_group = loaded.get(group.clone()).unwrap_or_default();
    let translated = translate(args, target, pipeline, group, loaded, None, ctx);
    let (payload, mut layout) = translated.inspect_err(|_| {
        let written =
            of_group.iter().zip(stages).any(|(loaded, stage)| hands_on_constants(loaded, &stage.shader));
        suggest_own_constants(written, ctx);
    })?;
    let shaders = || stages.iter().map(|stage| &stage.shader);
    let brought = shaders().flat_map(brought);
    let brought: Vec<serde_json::Value> = brought.collect();
    if let Some(layout) = layout.as_object_mut().filter(|_| !brought.is_empty()) {
        layout.insert("defaults".into(), brought.into());
    }
    let computed: Vec<(Stage, String)> =
        shaders().flat_map(|shader| computed(shader).map(|register| (shader.stage, register))).collect();
    if !computed.is_empty() && target != Target::Ir {
        let registers: Vec<&str> = computed.iter().map(|(_, register)| register.as_str()).collect();
        let names: Vec<String> = of_group.iter().map(|loaded| loaded.input.name.to_string()).collect();
        ctx.tell(&format!(
            "vecasm: note: {}: a preshader computes {} before each draw; the result has none, so the host must",
            names.join(" + "),
            registers.join(", ")
        ));
        if let Some(layout) = layout.as_object_mut() {
            let entry = |(stage, register): &(Stage, String)| serde_json::json!({ "stage": stage.name(), "register": register });
            layout.insert("preshader".into(), computed.iter().map(entry).collect());
        }
    }
    Ok((payload, layout))
}

/// Whether a vertex of the program reads constants that another one wrote.
fn hands_on_constants(loaded: &Loaded, shader: &Shader) -> bool {
    loaded.program.isa() == Isa::Nv2a && opt::handed(shader).iter().any(|one| !one.writers.is_empty())
}

/// Says how a program is translated whose constants one vertex leaves to the next.
fn suggest_own_constants(written: bool, ctx: &Ctx) {
    if written {
        ctx.tell("vecasm: note: with `--rule c-write=vertex` each vertex sees only the constants that it writes itself");
    }
}

/// Says what `check --pair` finds about a vertex and a fragment program together. The translation gives what is missing a value,
/// or is refused, so none of it is an error here.
fn warn_of_links(stages: &[Loaded], ctx: &Ctx) {
    let [vertex, fragment] = stages else { return };
    let options = CheckOptions::default();
    let Some(found) = AnyProgram::validate_pair(&vertex.program, &fragment.program, &options) else { return };
    let mut findings = found.linkage;
    for finding in &mut findings {
        finding.severity = finding.severity.min(Severity::Warning);
    }
    let name = format!("{} + {}", vertex.input.name.raw(), fragment.input.name.raw());
    ctx.report(&findings, Source { name: &name, text: None });
}

/// Writes a group of stages as if the name of that number had not been chosen: the result, and what the host must bind.
fn translate(
    args: &Args,
    target: Target,
    pipeline: &Pipeline,
    group: Range<usize>,
    loaded: &[Loaded],
    without: Option<usize>,
    ctx: &Ctx,
) -> Outcome<(Payload, serde_json::Value)> {
    let of_group = loaded.get(group.clone()).unwrap_or_default();
    let stages = pipeline.stages().get(group.clone()).unwrap_or_default();
    let (Some(first), Some(StageShader { shader, .. })) = (of_group.first(), stages.first()) else {
        return Ok((Payload::Text(String::new()), serde_json::Value::Null));
    };
    let names = args.wgsl.rename.iter().enumerate().filter(|(n, _)| Some(*n) != without);
    let names: Vec<(&str, &str)> = names.map(|(_, r)| (r.0.as_str(), r.1.as_str())).collect();
    let wording = Wording {
        names: &names,
        register_names: args.wgsl.names == Some(Names::Registers),
        signed_zeros: args.wgsl.signed_zeros,
        style: match args.wgsl.style {
            None | Some(Style::Folded) => BodyStyle::Folded,
            Some(Style::Plain) => BodyStyle::Plain,
        },
    };
    let modules = modules(args, of_group, stages, wording);
    let write = |options: &TranslateOptions<'_>| {
        let translation = pipeline.write(group, target, options);
        if let Ok(translation) = &translation {
            tell_entries(args, translation, stages, ctx);
        }
        written(translation, loaded, ctx)
    };
    let options = TranslateOptions::default();
    let (arrays, source);
    let options = match target {
        Target::Wgsl => options.with_wgsl(modules),
        Target::Spirv => {
            arrays = spirv::arrays(&args.spirv.inline, shader)?;
            let values = spirv::rows(&arrays);
            source = spirv::source(&args.spirv, first);
            let options = options.with_spirv(spirv::options(args, &modules, &values, &source));
            return write(&options);
        }
        Target::Glsl => options.with_glsl(glsl::options(&args.glsl, &args.wgsl, shader.stage, wording)?),
        Target::Hlsl => options.with_hlsl(hlsl::options(&args.hlsl, wording)?),
        Target::Msl => options.with_msl(msl::options(&args.msl, &args.wgsl, shader.stage, wording)),
        _ => options,
    };
    write(&options)
}

/// The options of WGSL, whose places SPIR-V has, too.
fn modules<'a>(
    args: &'a Args,
    loaded: &[Loaded],
    stages: &[StageShader],
    wording: Wording<'a>,
) -> wgsl::Options<'a> {
    let mut options = wgsl::Options {
        array_size: match args.wgsl.array_size {
            ArraySize::Used => wgsl::ArraySize::Used,
            ArraySize::File => wgsl::ArraySize::File,
        },
        space: match args.wgsl.space {
            Space::Uniform => wgsl::Space::Uniform,
            Space::Storage => wgsl::Space::Storage,
        },
        unread: match args.wgsl.unread {
            None | Some(Unread::Drop) => wgsl::Unread::Drop,
            Some(Unread::Keep) => wgsl::Unread::Keep,
        },
        names: wording.names,
        register_names: wording.register_names,
        signed_zeros: wording.signed_zeros,
        style: wording.style,
        ..wgsl::Options::default()
    };
    for (stage, to) in [
        (Stage::Vertex, &mut options.vertex),
        (Stage::Fragment, &mut options.fragment),
        (Stage::Compute, &mut options.compute),
    ] {
        let of = stages.iter().zip(loaded).find(|(of, _)| of.shader.stage == stage);
        to.exact = of.is_some_and(|(_, loaded)| args.lifting.exact(loaded.program.isa()));
        // A compute shader does what a vertex program does.
        let stage = if stage == Stage::Compute { Stage::Vertex } else { stage };
        to.entry = staged(&args.wgsl.entry, stage).map(String::as_str);
        to.group = staged(&args.wgsl.group, stage).copied().unwrap_or(to.group);
        to.constants = staged(&args.wgsl.constants, stage).copied().unwrap_or(to.constants);
        to.textures = staged(&args.wgsl.textures, stage).copied().unwrap_or(to.textures);
        to.samplers = staged(&args.wgsl.samplers, stage).copied().unwrap_or(to.samplers);
    }
    options
}

/// A translation as a file and as a layout; why there is none is reported.
fn written(
    translation: Result<Translation, Refusal>,
    loaded: &[Loaded],
    ctx: &Ctx,
) -> Outcome<(Payload, serde_json::Value)> {
    match translation {
        Ok(translation) => {
            let layout = match &translation {
                Translation::Wgsl(output) => layout(&output.bindings, &output.constants),
                Translation::Spirv(output) => spirv::layout(output),
                Translation::Glsl(output) => glsl::layout(output),
                Translation::Hlsl(output) => hlsl::layout(output),
                Translation::Msl(output) => msl::layout(output),
                _ => serde_json::Value::Null,
            };
            let payload = match translation.text() {
                Some(text) => Payload::Text(text.into()),
                None => Payload::Binary(translation.bytes().into_owned()),
            };
            Ok((payload, layout))
        }
        Err(Refusal { stage, finding }) => match stage.and_then(|n| loaded.get(n)) {
            Some(loaded) => {
                loaded.report(finding, ctx);
                Err(Failure::Shader)
            }
            None => Err(Failure::usage(finding.message)),
        },
    }
}

/// The registers that a preshader computes.
fn computed(shader: &Shader) -> impl Iterator<Item = String> + '_ {
    shader.symbols.computed.iter().filter_map(move |(name, element)| {
        let array = shader.params.iter().position(|array| array.name == *name)?;
        Some(shader.param_name(ir::ParamId(array as u32), *element))
    })
}

/// The constants that a program brings, for the host to set: registers and numbers.
fn brought(shader: &Shader) -> impl Iterator<Item = serde_json::Value> + '_ {
    shader.params.iter().enumerate().flat_map(move |(n, array)| {
        shader.symbols.defaults_of(&array.name).map(move |(element, bits)| {
            // Infinities and NaN are no numbers of JSON; their bits are.
            let lane = |bits: u32| match f32::from_bits(bits) {
                number if array.scalar == ir::Scalar::F32 && number.is_finite() => serde_json::json!(number),
                _ if array.scalar == ir::Scalar::F32 => serde_json::json!(format!("0x{bits:08x}")),
                _ => serde_json::json!(bits),
            };
            let register = shader.param_name(ir::ParamId(n as u32), element);
            serde_json::json!({ "stage": shader.stage.name(), "register": register, "value": bits.map(lane) })
        })
    })
}

/// What the host has to bind, of WGSL and SPIR-V.
fn layout(bindings: &[wgsl::Binding], constants: &[Constant]) -> serde_json::Value {
    let all = bindings.iter().map(|b| {
        let at = serde_json::json!({
            "stage": b.stage.name(), "group": b.group, "binding": b.binding, "name": b.name,
        });
        bound(at, b.kind)
    });
    with_constants(serde_json::json!({ "bindings": all.collect::<Vec<_>>() }), constants)
}

/// A layout with the constants that the program names, if it does.
fn with_constants(mut layout: serde_json::Value, constants: &[Constant]) -> serde_json::Value {
    if let (Some(layout), false) = (layout.as_object_mut(), constants.is_empty()) {
        let all = constants.iter().map(|c| {
            let symbol = (!c.symbol.is_empty()).then_some(&c.symbol);
            serde_json::json!({
                "stage": c.stage.name(), "symbol": symbol, "name": c.name, "binding": c.binding,
                "register": c.register, "first": c.first, "count": c.count,
            })
        });
        layout.insert("constants".into(), all.collect());
    }
    layout
}

/// One thing that the host has to bind: where, which each target says in its own way, and what.
fn bound(at: serde_json::Value, kind: BindingKind) -> serde_json::Value {
    let what = match kind {
        BindingKind::Constants { elements, space, scalar } => serde_json::json!({
            "kind": "constants",
            "elements": elements,
            "scalar": scalar.name(),
            "space": match space {
                wgsl::Space::Uniform => "uniform",
                wgsl::Space::Storage => "storage",
            },
        }),
        BindingKind::States { count } => serde_json::json!({ "kind": "states", "count": count }),
        BindingKind::State { number, ty } => serde_json::json!({
            "kind": "state", "number": number, "scalar": ty.scalar.name(), "lanes": ty.lanes,
        }),
        BindingKind::Attribute { location } => serde_json::json!({
            "kind": "attribute", "location": location,
        }),
        BindingKind::Color { target } => serde_json::json!({ "kind": "color", "target": target }),
        BindingKind::Draw => serde_json::json!({ "kind": "draw" }),
        BindingKind::Buffer { slot, of, write, atomic } => serde_json::json!({
            "kind": "buffer", "slot": slot, "of": of.name(), "write": write, "atomic": atomic,
        }),
        BindingKind::Words { count } => serde_json::json!({ "kind": "words", "count": count }),
        BindingKind::Image { slot, dim, format, read, write } => serde_json::json!({
            "kind": "image", "slot": slot, "dim": dim.name(), "format": format.name(),
            "read": read, "write": write,
        }),
        BindingKind::Texture { slot, dim, of, scalar, compare } => serde_json::json!({
            "kind": "texture", "slot": slot, "dim": dim.name(), "of": of.name(), "scalar": scalar.name(),
            "compare": compare,
        }),
        BindingKind::Sampler { slot, state, compare, normalized } => serde_json::json!({
            "kind": "sampler", "slot": slot, "state": crate::reflect::sampler(state), "compare": compare,
            "normalized": normalized,
        }),
        BindingKind::Combined { slot, sampler_slot, dim, of, scalar, compare, state } => serde_json::json!({
            "kind": "combined", "slot": slot, "sampler_slot": sampler_slot, "dim": dim.name(),
            "of": of.name(), "scalar": scalar.name(), "compare": compare, "state": crate::reflect::sampler(state),
        }),
    };
    let mut object = at;
    if let (Some(object), serde_json::Value::Object(what)) = (object.as_object_mut(), what) {
        object.extend(what);
    }
    object
}
