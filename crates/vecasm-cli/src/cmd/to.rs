//! `vecasm to`: translate to another language.

pub(crate) mod applies;
mod effects;

use crate::args::{InputArgs, OutputArgs, ProgramChoice};
use crate::batch::{self, Batch, Job, Outputs, Words};
use crate::converting::{self, ConvertArgs, First};
use crate::flags::Flags;
use crate::io::{self, Input, Payload, Sink};
use crate::layouts::{self, Layouts};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::targets::ByteFormat;
use crate::{Failure, Outcome, flags};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use vecasm::diag::{Severity, Source};
use vecasm::ir::{self, Shader, Stage};
use vecasm::isa::Isa;
use vecasm::isa::any::{AnyProgram, CheckOptions};
use vecasm::open::AssumedNotation;
use vecasm::options::{ByName as _, Refused, Translating};
use vecasm::translate::{Pipeline, Refusal, StageShader, Translation};
use vecasm::{Target, opt};

/// Translate to another shading language or instruction set
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
    vecasm to hlsl effect.fxb -o effect.hlsl                     an effect: its programs, its techniques as comments\n  \
    vecasm to hlsl --shader-model 5.1 sky.vert.agal sky.frag.agal -o sky/   two texts with matching registers\n  \
    vecasm to msl --msl-version 2.3 sky.frag.agal                the same for Metal\n  \
    vecasm to tgsi glow.frag.agal --layout glow.json             to another instruction set; the layout says which register is which\n  \
    vecasm to d3d9:ps_2_0 glow.frag.agal -o glow.pso --form bin  tokens of a model of Direct3D 9\n  \
    vecasm to nv2a skin.vs11.d3d9 -o skin.vsh                    a vertex program of the original Xbox\n  \
    vecasm to agal water.pso -o water.bin                        bytecode, as the name says; --form says it, too\n  \
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
    #[command(flatten)]
    options: Flags<Translating>,
    /// Write what the host must bind, as JSON; of several results into the folder DIR/; `-` is standard output
    #[arg(long, value_name = "FILE|DIR/", help_heading = "Languages of GPUs")]
    layout: Option<PathBuf>,
    /// Form of programs [default: by the extension of -o FILE (.bin, .hex), else text]
    #[arg(long, value_name = "FORM", help_heading = "Output")]
    form: Option<ProgramForm>,
}

/// The form in which programs of an instruction set are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ProgramForm {
    /// Assembly
    #[default]
    Text,
    /// The bytecode itself
    Bin,
    /// Bytecode as hexadecimal digits
    Hex,
}

impl ProgramForm {
    /// The form that the name of a file tells.
    fn of_file(path: &Path) -> Option<Self> {
        match ByteFormat::of_file(path)? {
            ByteFormat::Bin => Some(Self::Bin),
            ByteFormat::Hex => Some(Self::Hex),
            _ => None,
        }
    }

    /// A program in this form; `text` is its assembly.
    fn payload(self, program: &AnyProgram, text: String) -> Payload {
        match self {
            Self::Text => Payload::Text(text),
            Self::Bin => Payload::Binary(program.encode()),
            Self::Hex => Payload::Text(program.hex()),
        }
    }

    /// The file extension of results in a folder.
    const fn extension(self, target: Target) -> &'static str {
        match self {
            Self::Text => target.extension(),
            Self::Bin => ByteFormat::Bin.extension(),
            Self::Hex => ByteFormat::Hex.extension(),
        }
    }
}

/// What is wanted: a target, and how it is written.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    how: &'a Translating,
    target: Target,
    form: ProgramForm,
}

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
    asked: &'a [(String, String)],
    effects: Vec<Effect>,
    results: bool,
}

impl<'a> Renames<'a> {
    fn new(asked: &'a [(String, String)]) -> Self {
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
        for ((register, name), effect) in self.asked.iter().zip(&self.effects) {
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
    wanted: Wanted<'_>,
    pipeline: &Pipeline,
    group: Range<usize>,
    loaded: &[Loaded],
    payload: &Payload,
    ctx: &Ctx,
) -> Vec<Effect> {
    let effect = |(n, (register, name)): (usize, &(String, String))| {
        let how = wanted.how.without_rename(n);
        let other = Wanted { how: &how, ..wanted };
        let without = translate(other, pipeline, group.clone(), loaded, &Ctx::held(ctx.settings()));
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
    wanted.how.renames().iter().enumerate().map(effect).collect()
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
fn tell_entries(how: &Translating, translation: &Translation, stages: &[StageShader], ctx: &Ctx) {
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
        if let Some(wanted) = how.entry(of).filter(|wanted| *wanted != found) {
            ctx.tell(&format!(
                "vecasm: note: --entry {wanted}: the name is taken or a word of the language; the entry point is called {found}"
            ));
        }
    }
}

/// What all programs are, for flags that none of them heeds.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// The states that they have.
    states: BTreeSet<String>,
    /// Their instruction sets.
    isas: Vec<Isa>,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.states.extend(other.states);
        for isa in other.isas {
            self.isas.extend((!self.isas.contains(&isa)).then_some(isa));
        }
    }

    /// Fails if a state was given that no program has, or a flag that says nothing about any of them.
    fn check(&self, how: &Translating) -> Outcome {
        let foreign = how.foreign(&self.isas).map_or(Ok(()), Err);
        foreign.and_then(|()| how.check_states(&self.states)).map_err(|error| flags::failure(&error))
    }
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
    layouts::check(args.layout.as_ref(), &args.output)?;
    let batch = Batch::new(&args.input.files, &args.input.batch)?;
    let few = batch.named().is_some_and(|files| (2..=MOST_STAGES).contains(&files.len()));
    let mut how = args.options.apply(Translating::default())?;
    if let Some(model) = args.target.as_ref().and_then(First::model) {
        how.set("model", model).map_err(|why| Failure::usage(format!("d3d9:{model}: {why}")))?;
    }
    how.lift = args.lifting.flags.given.clone();
    let named = || args.output.output.as_deref().and_then(ProgramForm::of_file);
    let wanted = Wanted { how: &how, target, form: args.form.or_else(named).unwrap_or_default() };
    if few {
        return stages(args, wanted, &batch, ctx);
    }
    if target == Target::Hlsl {
        if let Some(input) = effects::single_effect(args, &batch)? {
            let mut seen = Seen::default();
            let written = effects::write(input, args, ctx, &mut |part| {
                let (loaded, stage) = lifted(args, wanted, part, &mut seen, ctx)?;
                let pipeline = Pipeline::of(vec![stage], target);
                let loaded = [loaded];
                let (payload, _) = translated(wanted, &pipeline, 0..1, &loaded, ctx)?;
                let [loaded] = loaded;
                Ok((loaded, payload))
            })?;
            if written.is_some() {
                return seen.check(&how);
            }
        }
    }
    translate_each(args, wanted, &batch, ctx)
}

/// The program lifted for a target, with the states that are given.
fn lifted(
    args: &Args,
    wanted: Wanted<'_>,
    input: Input,
    seen: &mut Seen,
    ctx: &Ctx,
) -> Outcome<(Loaded, StageShader)> {
    let Wanted { how, target, .. } = wanted;
    let purpose = match target {
        Target::Wgsl if how.is_compute() => Purpose::Compute,
        _ => Purpose::To(target),
    };
    let loaded = load::load(input, &args.input.reading, AssumedNotation::Text, ctx)?;
    let isa = loaded.program.isa();
    seen.isas.push(isa);
    let shader = loaded.lift(&args.lifting.of(isa), purpose, ctx)?;
    loaded.warn_if_refused(ctx);
    seen.states.extend(shader.states.iter().map(|state| state.name.clone()));
    let written = how.is_compute() && opt::unorder(&shader).is_none() && hands_on_constants(&loaded, &shader);
    let mut findings = Vec::new();
    let prepared = how
        .prepare(&loaded.program, shader, target, &mut findings)
        .map_err(|error| flags::failure(&error))?;
    for finding in findings {
        loaded.report(finding, ctx);
    }
    let mut stage = prepared.map_err(|finding| {
        loaded.report(finding, ctx);
        suggest_own_constants(written, ctx);
        Failure::Shader
    })?;
    stage.name = loaded.input.stem_text();
    Ok((loaded, stage))
}

/// The name of a result without its extension; that of a pair has no word for a stage.
fn result_name(wanted: Wanted<'_>, input: &Input, pair: bool) -> OsString {
    let stem = if pair { input.stem() } else { input.long_stem() };
    io::with_ending(stem, wanted.form.extension(wanted.target))
}

/// Translates each program on its own.
fn translate_each(args: &Args, wanted: Wanted<'_>, batch: &Batch, ctx: &Ctx) -> Outcome {
    let Wanted { how, target, .. } = wanted;
    let name = |input: &Input| result_name(wanted, input, false);
    let mut outputs = Outputs::new(&args.output, &args.input.reading, batch, |input, _| name(input))?;
    let several = batch.is_several() || args.input.reading.program == Some(ProgramChoice::All);
    let mut layouts = Layouts::new(args.layout.as_ref(), &args.input.reading, batch, several, name)?;
    let job = Job::new(&args.input.reading, Words::Work).all_in_a_folder(&outputs);
    let mut all = Seen::default();
    let mut renames = Renames::new(how.renames());
    let headings = effects::Headings::default();
    let done = batch.run(
        &job,
        ctx,
        |input, ctx| {
            let mut seen = Seen::default();
            let (loaded, stage) = lifted(args, wanted, input, &mut seen, ctx)?;
            if !several {
                seen.check(how)?;
            }
            let pipeline = Pipeline::of(vec![stage], target);
            let loaded = [loaded];
            let (payload, layout) = translated(wanted, &pipeline, 0..1, &loaded, ctx)?;
            let effects = effects(wanted, &pipeline, 0..1, &loaded, &payload, ctx);
            let [loaded] = loaded;
            let payload = match payload {
                Payload::Text(text) if target == Target::Hlsl => {
                    Payload::Text(headings.above(&loaded, args.input.reading.open.limits) + &text)
                }
                other => other,
            };
            Ok((name(&loaded.input), payload, layout, (seen, effects)))
        },
        |path, (file, payload, layout, (seen, effects))| {
            all.add(seen);
            renames.see(effects);
            layouts.write(path, &file, &layout)?;
            outputs.write(path, &file, &payload)
        },
    );
    if several && done.is_ok() {
        all.check(how)?;
    }
    renames.tell();
    done
}

/// Translates programs that may be the stages of one pipeline, which are made to fit; a pair is one module of WGSL.
fn stages(args: &Args, wanted: Wanted<'_>, batch: &Batch, ctx: &Ctx) -> Outcome {
    let Wanted { how, target, .. } = wanted;
    let mut lifted: Vec<(Loaded, StageShader)> = Vec::new();
    let mut seen = Seen::default();
    let each = || {
        Outputs::new(&args.output, &args.input.reading, batch, |input, _| result_name(wanted, input, false))
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
            let mut seen = Seen::default();
            let one = self::lifted(args, wanted, input, &mut seen, ctx)?;
            Ok((one, seen))
        },
        |_, (one, more)| {
            seen.add(more);
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
    seen.check(how)?;
    // A pair in either order is one module.
    lifted.sort_by_key(|(_, stage)| stage.place());
    let (loaded, stages): (Vec<Loaded>, Vec<StageShader>) = lifted.into_iter().unzip();
    let pipeline = Pipeline::of(stages, target);
    if pipeline.is_linked() {
        warn_of_links(&loaded, ctx);
    }
    let results = pipeline.groups(target);
    // One result may go anywhere; several are told apart in a folder.
    let several_results = results.len() > 1;
    let mut layouts =
        Layouts::new(args.layout.as_ref(), &args.input.reading, batch, several_results, |input| {
            result_name(wanted, input, false)
        })?;
    let mut outputs = match (results.as_slice(), apart) {
        (_, Some(apart)) => apart,
        ([_], None) => Outputs::single(&args.output, batch)?,
        (_, None) => each()?,
    };
    batch::tell(said, ctx);
    let mut worst = read;
    let mut renames = Renames::new(how.renames());
    for group in results {
        let Some(first) = loaded.get(group.start) else { continue };
        let pair = group.len() == 2;
        let (payload, layout) = match translated(wanted, &pipeline, group.clone(), &loaded, ctx) {
            Ok(written) => written,
            Err(Failure::Shader) => {
                worst = worst.and(Err(Failure::Shader));
                continue;
            }
            Err(other) => return Err(other),
        };
        renames.see(effects(wanted, &pipeline, group, &loaded, &payload, ctx));
        let path = first.input.path.as_deref().unwrap_or(Path::new(io::DASH));
        let name = result_name(wanted, &first.input, pair);
        layouts.write(path, &name, &layout)?;
        outputs.write(path, &name, &payload)?;
    }
    renames.tell();
    worst
}

/// The text of a module and its layout, with the constants that the programs bring.
fn translated(
    wanted: Wanted<'_>,
    pipeline: &Pipeline,
    group: Range<usize>,
    loaded: &[Loaded],
    ctx: &Ctx,
) -> Outcome<(Payload, serde_json::Value)> {
    let stages = pipeline.stages().get(group.clone()).unwrap_or_default();
    let of_group = loaded.get(group.clone()).unwrap_or_default();
    let target = wanted.target;
    let translated = translate(wanted, pipeline, group, loaded, ctx);
    let (payload, mut layout) = translated.inspect_err(|_| {
        let written =
            of_group.iter().zip(stages).any(|(loaded, stage)| hands_on_constants(loaded, &stage.shader));
        suggest_own_constants(written, ctx);
    })?;
    let shaders = || stages.iter().map(|stage| &stage.shader);
    let brought = shaders().flat_map(default_constants);
    let brought: Vec<serde_json::Value> = brought.collect();
    // A binding has them under the names of the result.
    let is_binding = target.isa().is_some();
    if let Some(layout) = layout.as_object_mut().filter(|_| !brought.is_empty() && !is_binding) {
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
        if let Some(layout) = layout.as_object_mut().filter(|_| !is_binding) {
            let entry = |(stage, register): &(Stage, String)| serde_json::json!({ "stage": stage.name(), "register": register });
            layout.insert("preshader".into(), computed.iter().map(entry).collect());
        }
    }
    Ok((payload, layout))
}

/// Whether a vertex of the program reads constants that another one wrote.
fn hands_on_constants(loaded: &Loaded, shader: &Shader) -> bool {
    loaded.program.isa() == Isa::Nv2a
        && opt::carried_registers(shader).iter().any(|one| !one.writers.is_empty())
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

/// Writes a group of stages: the result, and what the host must bind.
fn translate(
    wanted: Wanted<'_>,
    pipeline: &Pipeline,
    group: Range<usize>,
    loaded: &[Loaded],
    ctx: &Ctx,
) -> Outcome<(Payload, serde_json::Value)> {
    let stages = pipeline.stages().get(group.clone()).unwrap_or_default();
    let Wanted { how, target, form } = wanted;
    let at = group.start;
    let translation = match how.write(pipeline, group, target) {
        Ok(translation) => Ok(translation),
        Err(Refused::Program(refusal)) => Err(refusal),
        Err(Refused::Option(error)) => return Err(flags::failure(&error)),
        Err(other) => return Err(Failure::usage(other.to_string())),
    };
    if let Ok(translation) = &translation {
        tell_entries(how, translation, stages, ctx);
    }
    written(translation, at, form, loaded, ctx)
}

/// A translation as a file and as a layout; why there is none is reported.
fn written(
    translation: Result<Translation, Refusal>,
    at: usize,
    form: ProgramForm,
    loaded: &[Loaded],
    ctx: &Ctx,
) -> Outcome<(Payload, serde_json::Value)> {
    match translation {
        Ok(Translation::Program(made)) => {
            let made = *made;
            if let Some(loaded) = loaded.get(at) {
                for note in made.notes {
                    loaded.report(note, ctx);
                }
            }
            let layout = serde_json::from_str(&made.link.write()).unwrap_or_default();
            Ok((form.payload(&made.program, made.text), layout))
        }
        Ok(translation) => {
            let layout = serde_json::to_value(translation.layout()).unwrap_or_default();
            let payload = match translation.text() {
                Some(text) => Payload::Text(text.into()),
                None => Payload::Binary(translation.bytes().into_owned()),
            };
            Ok((payload, layout))
        }
        Err(Refusal { stage, finding, others }) => match stage.and_then(|n| loaded.get(n)) {
            Some(loaded) => {
                for finding in [*finding].into_iter().chain(others) {
                    loaded.report(finding, ctx);
                }
                Err(Failure::Shader)
            }
            None => Err(Failure::usage(finding.message.clone())),
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
fn default_constants(shader: &Shader) -> impl Iterator<Item = serde_json::Value> + '_ {
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
