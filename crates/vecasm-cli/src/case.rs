//! A case: a program and what it is run on, as the verbs that explain and compare runs take them.

use crate::args::ReadingArgs;
use crate::cmd::render::{self, PictureArgs};
use crate::io::{self, Input};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::picking::{self, PixelArgs, PixelReport};
use crate::report::Ctx;
use crate::{Failure, Outcome};
use clap::Args;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use vecasm::Program;
use vecasm::captures;
use vecasm::compare::Link;
use vecasm::debug::listing::Listing;
use vecasm::exec::runfile::{GivenValues, RandomInputs, RunFile, RunFileError};
use vecasm::exec::{Batch, Fragments};
use vecasm::ir::{ParamId, Scalar, Shader};
use vecasm::isa::d3d9::preshader::{
    self,
    run::{SWITCHES, Switches},
};
use vecasm::isa::d3d9::symbols::PRESHADER;
use vecasm::isa::{AnyProgram, Isa};
use vecasm::open::{AssumedNotation, OpenOptions};

/// The inputs of a run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Running")]
pub(crate) struct GivenArgs {
    /// Run file: constants, inputs and textures as JSON; `-` is standard input
    #[arg(short, long, value_name = "FILE.json", conflicts_with = "random")]
    input: Option<PathBuf>,
    /// Generate random inputs and constants, ordinary and special values, for N invocations
    #[arg(long, value_name = "N")]
    random: Option<usize>,
    /// Constants as a recording leaves them: the text of `apitrace dump` for Direct3D, a log or pushbuffer (`LOG#N` for its
    /// N-th program) for the NV2A; or as the binding of a translation has them, which `to --layout` writes. Those of a run
    /// file count more
    #[arg(long, value_name = "LOG|TRACE|BINDING")]
    constants_from: Option<PathBuf>,
    /// With --constants-from TRACE: as they are before the call of that number, for example a draw
    #[arg(long, value_name = "CALL", requires = "constants_from")]
    constants_before: Option<u64>,
    /// Seed of --random; the same seed gives the same values
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Loop iterations an invocation may run; overrides the run file
    #[arg(long, value_name = "N")]
    fuel: Option<u64>,
    /// Number of workgroups of a compute program along each axis; overrides the run file
    #[arg(long, value_name = "X,Y,Z", value_parser = grid)]
    grid: Option<[u32; 3]>,
    /// Direct3D: a constant that the preshader reads, by its name in the preshader's table, four numbers per register;
    /// others have their defaults. What the preshader computes overrides constants
    #[arg(long, value_name = "NAME=X,Y,Z,W", value_parser = preshader_value)]
    preshader: Vec<(String, Vec<f32>)>,
    /// An unsettled point about preshaders: `preshader-div=quotient`, `preshader-index=zero`
    #[arg(long, value_name = "NAME=VALUE", value_parser = preshader_switch)]
    preshader_rule: Vec<(String, String)>,
}

/// A program and what it is run on.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CaseArgs {
    /// Shader; `-` or none is standard input. With --pixel a scene, or a vertex and a fragment program
    #[arg(value_name = "FILE", num_args = 0..=2)]
    pub(crate) files: Vec<PathBuf>,
    /// Invocation to look at, from 0; it is run with its quad or group
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Running")]
    pub(crate) invocation: usize,
    #[command(flatten)]
    pub(crate) given: GivenArgs,
    #[command(flatten)]
    pub(crate) pixel: PixelArgs,
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) lifting: LiftArgs,
}

/// A program and what it is run on.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The program.
    pub(crate) loaded: Loaded,
    /// Its meaning, with the step table.
    pub(crate) shader: Shader,
    /// What it is run on.
    pub(crate) on: RunFile,
    /// Where each fragment stands in which triangle, if inputs are to be interpolated.
    pub(crate) fragments: Option<Fragments>,
    /// The invocation of interest.
    pub(crate) invocation: usize,
    /// See [`Self::listing`].
    listing: OnceCell<Listing>,
    /// The pixel that it was picked from.
    pub(crate) picked: Option<Rc<PixelReport>>,
}

/// Most invocations `--random` makes: their inputs and results have to fit into memory.
pub(crate) const MAX_RANDOM: usize = 1 << 20;

/// A program with the constants that the binding of a translation has: its literals, and what the source brings.
fn with_binding(loaded: &Loaded, link: &Link, ctx: &Ctx) -> Outcome<Program> {
    let shader = loaded.lift(&LiftArgs::default(), Purpose::Run, ctx)?;
    let mut values = Vec::new();
    for (name, bits) in link.literals.iter().chain(&link.defaults) {
        let found = shader.param_named(name);
        let (array, element) = found.ok_or_else(|| {
            Failure::usage(format!(
                "{}: the binding has {name}, which is no constant of it",
                loaded.input.name
            ))
        })?;
        values.push((shader.params[array.index()].name.clone(), element, *bits));
    }
    Ok(loaded.program.clone().with_values(values))
}

/// How the text of a run file is read.
type Parse<'a> = dyn Fn(&str) -> Result<(RunFile, GivenValues), RunFileError> + 'a;

impl GivenArgs {
    /// The run file.
    pub(crate) fn input(&self) -> Option<&Path> {
        self.input.as_deref()
    }

    /// Whether anything is said.
    pub(crate) fn is_given(&self) -> bool {
        self.input.is_some()
            || self.random.is_some()
            || self.constants_from.is_some()
            || self.fuel.is_some()
            || self.grid.is_some()
            || !self.preshader.is_empty()
    }

    /// The program with the constants of a recording, if one is named.
    pub(crate) fn with_constants(&self, mut loaded: Loaded, ctx: &Ctx) -> Outcome<Loaded> {
        let Some(path) = &self.constants_from else { return Ok(loaded) };
        let input = io::read(path)?;
        let fail = |why: &str| Failure::usage(format!("--constants-from {}: {why}", input.name));
        let text = input.text().unwrap_or_default();
        if text.trim_start().starts_with('{') {
            let link = Link::read(text).map_err(|error| fail(&error.to_string()))?;
            loaded.program = with_binding(&loaded, &link, ctx)?;
            return Ok(loaded);
        }
        let is_trace = captures::is_apitrace(text);
        let values = match loaded.program.any() {
            AnyProgram::D3d9(_) => {
                if !is_trace {
                    return Err(fail(&format!(
                        "this is {}; constants of Direct3D come from the text that `apitrace dump` writes",
                        kind_of(&input)
                    )));
                }
                let stage = loaded.program.stage();
                let captures::State { values, gaps, .. } =
                    captures::apitrace(text, stage, self.constants_before);
                if let Some((call, what)) = gaps.first() {
                    let more = match gaps.len() - 1 {
                        0 => String::new(),
                        1 => ", and another call likewise".into(),
                        n => format!(", and {n} other calls likewise"),
                    };
                    ctx.tell(&format!("vecasm: warning: {}: call {call}: {what}{more}", input.name));
                }
                values
            }
            AnyProgram::Nv2a(_) => {
                if is_trace {
                    return Err(fail(
                        "this is a trace of Direct3D; constants of the NV2A come from a log of xemu or a pushbuffer",
                    ));
                }
                if input.isa().is_some_and(|isa| isa != Isa::Nv2a) || input.foreign_kind().is_some() {
                    return Err(fail(&format!(
                        "this is {}; constants of the NV2A come from a log of xemu or a pushbuffer",
                        kind_of(&input)
                    )));
                }
                if self.constants_before.is_some() {
                    return Err(fail("the programs of a log are chosen by their numbers, LOG#N"));
                }
                let reading = ReadingArgs::of(OpenOptions::default().with_isa(Isa::Nv2a));
                let other = load::load(input.clone(), &reading, AssumedNotation::Text, ctx)?;
                other.program.constants().iter().map(|(n, bits)| ("c".to_string(), *n, *bits)).collect()
            }
            _ => return Err(fail("there are recordings for Direct3D 8 and 9 and for the NV2A")),
        };
        if values.is_empty() {
            let stage = loaded.program.stage().name();
            return Err(fail(&match (is_trace, self.constants_before) {
                (false, _) => "nothing in it sets a constant".to_string(),
                (true, None) => format!("no call in it sets a constant of a {stage} program"),
                (true, Some(call)) => format!("no call before {call} sets a constant of a {stage} program"),
            }));
        }
        loaded.program = loaded.program.with_values(values);
        Ok(loaded)
    }

    /// Fails if the shader and the run file would both come from standard input.
    pub(crate) fn check(&self, file: &Path) -> Outcome {
        if file.as_os_str() == io::DASH && self.input.as_ref().is_some_and(|i| i.as_os_str() == io::DASH) {
            return Err(Failure::usage("the shader and the run file cannot both come from standard input"));
        }
        Ok(())
    }

    /// How many invocations are made up, if that was asked for.
    pub(crate) fn random(&self) -> Option<usize> {
        self.random
    }

    /// What the flags say about unsettled points of preshaders.
    pub(crate) fn switches(&self) -> Switches {
        let mut switches = Switches::default();
        for (name, value) in &self.preshader_rule {
            // They were tried when they were read.
            let _ = switches.set(name, value);
        }
        switches
    }

    /// Reads what a shader is run on, but for invocations, which come from elsewhere.
    pub(crate) fn make_without_inputs(
        &self,
        loaded: &Loaded,
        shader: &Shader,
        ctx: &Ctx,
    ) -> Outcome<RunFile> {
        let (on, given) = self.given(loaded, &|text| RunFile::parse_without_inputs(text, shader))?;
        self.complete(loaded, shader, on, given, ctx).map(|(on, _)| on)
    }

    /// Makes up what a shader is run on, with any number of invocations, which come block by block.
    pub(crate) fn make_in_blocks(
        &self,
        count: usize,
        loaded: &Loaded,
        shader: &Shader,
        ctx: &Ctx,
    ) -> Outcome<(RunFile, RandomInputs)> {
        let (on, inputs) = RunFile::random_in_blocks(shader, count, self.seed);
        let (on, _) = self.complete(loaded, shader, on, GivenValues::made_up(shader), ctx)?;
        Ok((on, inputs))
    }

    /// Reads or makes up what a shader is run on.
    pub(crate) fn make(&self, loaded: &Loaded, shader: &Shader, ctx: &Ctx) -> Outcome<RunFile> {
        self.read(loaded, shader, &|text| RunFile::parse_whole(text, shader), ctx).map(|(on, _)| on)
    }

    /// As [`make`](Self::make), but a run file may lack what the program reads. What it gives comes with it, unless all
    /// is made up.
    pub(crate) fn make_partial(
        &self,
        loaded: &Loaded,
        shader: &Shader,
        ctx: &Ctx,
    ) -> Outcome<(RunFile, Option<GivenValues>)> {
        let (on, given) = self.read(loaded, shader, &|text| RunFile::parse_partial(text, shader), ctx)?;
        Ok((on, self.random.is_none().then_some(given)))
    }

    fn read(
        &self,
        loaded: &Loaded,
        shader: &Shader,
        parse: &Parse<'_>,
        ctx: &Ctx,
    ) -> Outcome<(RunFile, GivenValues)> {
        let (on, given) = match self.random {
            Some(count) if count > MAX_RANDOM => {
                return Err(Failure::usage(format!("--random: expected at most {MAX_RANDOM} invocations")));
            }
            Some(count) => (RunFile::random(shader, count, self.seed), GivenValues::made_up(shader)),
            None => self.given(loaded, parse)?,
        };
        self.complete(loaded, shader, on, given, ctx)
    }

    /// Reads the run file.
    fn given(&self, loaded: &Loaded, parse: &Parse<'_>) -> Outcome<(RunFile, GivenValues)> {
        match &self.input {
            Some(path) => {
                let input = io::read(path)?;
                parse(input.text()?).map_err(|error| Failure::usage(format!("{}: {error}", input.name)))
            }
            None if loaded.packed.is_some() => {
                let packed = loaded.packed.as_ref().map_or("{}", |packed| &packed.input);
                parse(packed)
                    .map_err(|error| Failure::usage(format!("{}: $.input: {error}", loaded.input.name)))
            }
            None => parse("{}")
                .map_err(|error| Failure::usage(format!("{error}; give a run file with -i, or --random N"))),
        }
    }

    /// What flags say, and what the preshader computes.
    fn complete(
        &self,
        loaded: &Loaded,
        shader: &Shader,
        mut on: RunFile,
        mut given: GivenValues,
        ctx: &Ctx,
    ) -> Outcome<(RunFile, GivenValues)> {
        on.fuel = self.fuel.or(on.fuel);
        if let Some(grid) = self.grid {
            on.regrid(shader, grid).map_err(|error| Failure::usage(format!("--grid: {error}")))?;
        }
        let values = loaded.program.values();
        let at = |array: &str| shader.params.iter().position(|param| param.name == array);
        let is_free = |(array, n, _): &&(String, u32, [u32; 4])| {
            let of_file = at(array).and_then(|at| given.constants.get(at)?.get(*n as usize).copied());
            self.random.is_some() || of_file != Some(true)
        };
        let free: Vec<_> = values.iter().filter(is_free).cloned().collect();
        on.compute(&mut given, shader, &free);
        let set: BTreeSet<(usize, u32)> =
            values.iter().filter_map(|(array, n, _)| Some((at(array)?, *n))).collect();
        given.brought.retain(|brought| !set.contains(brought));
        self.evaluate(loaded, shader, &mut on, &mut given, ctx)?;
        if let Some(what) = own_constants(shader, &given) {
            ctx.tell(&format!("vecasm: note: {}: {what}", loaded.input.name));
        }
        Ok((on, given))
    }

    /// Runs the preshader of a shader that has one, and sets the constants that it computes.
    fn evaluate(
        &self,
        loaded: &Loaded,
        shader: &Shader,
        on: &mut RunFile,
        given: &mut GivenValues,
        ctx: &Ctx,
    ) -> Outcome {
        let found = match loaded.program.any() {
            AnyProgram::D3d9(program) => preshader::of(program).0,
            _ => None,
        };
        let Some(found) = found else {
            return match self.preshader.first() {
                Some((name, _)) => {
                    Err(Failure::usage(format!("--preshader {name}: the shader has no preshader")))
                }
                None => Ok(()),
            };
        };
        let mut aside = on.aside.clone();
        let table = found.table().0;
        for (name, values) in &self.preshader {
            let constants = table.iter().flat_map(|table| &table.constants);
            let Some(constant) = constants.into_iter().find(|constant| constant.name == *name) else {
                return Err(Failure::usage(format!(
                    "--preshader {name}: the preshader does not read this constant"
                )));
            };
            for (n, values) in values.chunks(4).take(constant.count.into()).enumerate() {
                let mut register = [0; 4];
                register.iter_mut().zip(values).for_each(|(to, from)| *to = from.to_bits());
                aside.push((PRESHADER.into(), u32::from(constant.index) + n as u32, register));
            }
        }
        let computed = preshader::computed(&found, &aside, &self.switches());
        let computed = computed.map_err(|finding| {
            ctx.report(&[finding], loaded.source());
            Failure::Shader
        })?;
        on.compute(given, shader, &computed);
        Ok(())
    }
}

/// Which constants that the shader reads have values that the program brings, in words.
fn own_constants(shader: &Shader, given: &GivenValues) -> Option<String> {
    /// Most constants that are named.
    const NAMED: usize = 4;
    let read = shader.constants_read();
    let all: Vec<&(usize, u32)> =
        given.brought.iter().filter(|(array, element)| read.contains(*array, *element)).collect();
    let named = all.iter().take(NAMED).filter_map(|&&(at, element)| {
        let array = shader.params.get(at)?;
        let (_, bits) = shader.symbols.defaults_of(&array.name).find(|(n, _)| *n == element)?;
        let lanes = bits.map(|bits| match array.scalar {
            Scalar::F32 => f32::from_bits(bits).to_string(),
            Scalar::I32 => (bits as i32).to_string(),
            _ => bits.to_string(),
        });
        let value = match array.scalar {
            Scalar::Bool => (bits[0] != 0).to_string(),
            _ => format!("({})", lanes.join(", ")),
        };
        let symbol = shader.symbols.constants.iter().find(|symbol| {
            symbol.array == array.name && element.checked_sub(symbol.first).is_some_and(|n| n < symbol.count)
        });
        let name = symbol.map_or_else(String::new, |symbol| format!(" ({})", symbol.name));
        Some(format!("{}{name} = {value}", shader.param_name(ParamId(at as u32), element)))
    });
    let named: Vec<String> = named.collect();
    let more = all.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    let what = "constants that are not given have the values that the program brings";
    (!named.is_empty()).then(|| format!("{what}: {}{more}", named.join(", ")))
}

/// One to three numbers.
fn grid(text: &str) -> Result<[u32; 3], String> {
    let mut out = [1; 3];
    let mut numbers = text.split([',', 'x']);
    for to in &mut out {
        let Some(number) = numbers.next() else { break };
        *to = number.trim().parse().ok().filter(|n| *n > 0).ok_or("expected numbers of at least 1: X,Y,Z")?;
    }
    if numbers.next().is_some() {
        return Err("a grid has three axes at most".into());
    }
    Ok(out)
}

fn preshader_switch(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    match Switches::default().set(name, value) {
        Ok(()) => Ok((name.into(), value.into())),
        Err(_) => {
            let known = SWITCHES
                .iter()
                .flat_map(|switch| switch.values.iter().map(|(value, _)| format!("{}={value}", switch.name)));
            Err(format!("expected one of {}", known.collect::<Vec<_>>().join(", ")))
        }
    }
}

fn preshader_value(text: &str) -> Result<(String, Vec<f32>), String> {
    let (name, values) = text.split_once('=').ok_or("expected NAME=NUMBERS")?;
    let values =
        values.split(',').map(|value| value.trim().parse::<f32>().map_err(|e| format!("{value}: {e}")));
    Ok((name.into(), values.collect::<Result<_, _>>()?))
}

impl CaseArgs {
    /// Whether something would be read from standard input.
    pub(crate) fn reads_stdin(&self) -> bool {
        let dash = |path: &PathBuf| path.as_os_str() == io::DASH;
        self.files.is_empty() || self.files.iter().any(dash) || self.given.input.as_ref().is_some_and(dash)
    }
}

impl Case {
    /// Of a program, its meaning with the step table, and what it is run on. Every way to make a case ends here.
    pub(crate) fn new(loaded: Loaded, shader: Shader, on: RunFile, invocation: usize) -> Self {
        Self { loaded, shader, on, fragments: None, invocation, listing: OnceCell::new(), picked: None }
    }

    /// The case that flags and files say.
    pub(crate) fn from_args(args: &CaseArgs, ctx: &Ctx) -> Outcome<Self> {
        if args.pixel.pixel.is_some() {
            return Self::from_picture(args, ctx);
        }
        let file = match args.files.as_slice() {
            [] => io::DASH.into(),
            [file] => file.clone(),
            _ => return Err(Failure::usage("two programs make a picture: --pixel X,Y names the pixel")),
        };
        args.given.check(&file)?;
        let loaded = load::load(io::read(&file)?, &args.reading, AssumedNotation::Text, ctx)?;
        let loaded = args.given.with_constants(loaded, ctx)?;
        let mut lifting = args.lifting.clone();
        lifting.steps = true;
        let shader = loaded.lift(&lifting, Purpose::Run, ctx)?;
        let on = args.given.make(&loaded, &shader, ctx)?;
        if args.invocation >= on.count {
            let what = format!("--invocation {}: there are {}, counted from 0", args.invocation, on.count);
            return Err(Failure::usage(what));
        }
        Ok(Self::new(loaded, shader, on, args.invocation))
    }

    /// The fragment or vertex that made a pixel of a picture.
    fn from_picture(args: &CaseArgs, ctx: &Ctx) -> Outcome<Self> {
        if args.given.is_given() || args.invocation != 0 {
            return Err(Failure::usage("--pixel cannot be combined with a run file or --invocation"));
        }
        let mut subject =
            render::subject(&args.files, &args.picture, &args.reading, &args.lifting, true, ctx)?;
        subject.files.programs.switches = args.given.switches();
        let picked = picking::pick(&mut subject, &args.pixel, &args.picture, ctx)?;
        let (program, run) = picked.run()?;
        let (program, run) = (program.clone(), run.clone());
        let case = Self::new(program, run.shader, run.on, run.invocation);
        Ok(Self { picked: Some(Rc::new(picked)), ..case })
    }

    /// The lines to show: the text, or the disassembly of a binary.
    pub(crate) fn listing(&self) -> &Listing {
        self.listing.get_or_init(|| self.loaded.program.listing())
    }

    /// What the shader is run on.
    pub(crate) fn batch(&self) -> Batch<'_> {
        Batch { fragments: self.fragments.clone(), ..self.on.batch() }
    }
}

/// What a file is, in words, that is no recording.
fn kind_of(input: &Input) -> String {
    let format = input.container(&OpenOptions::default());
    let program = || input.isa().map(|isa| format!("a file for {}", isa.title()));
    let other = || if input.text().is_ok() { "another text" } else { "no text" };
    format
        .map(|format| format.title().to_string())
        .or_else(|| input.foreign_kind())
        .or_else(program)
        .unwrap_or_else(|| other().into())
}
