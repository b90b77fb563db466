//! `vecasm run`: execute a shader on the CPU.
//!
//! * `columns`: which lanes of which inputs the fields of a record are; `csv`, `raw`: tables and arrays of them;
//! * `data`: what is wrong with those;
//! * `source`: invocations, block by block; `stream`: the run over them; `results`: where results go;
//! * `stats`: what it cost.

mod columns;
mod csv;
mod data;
mod raw;
mod results;
mod source;
mod stats;
mod stream;

pub(crate) use self::data::RULES;

use self::data::DataError;
use self::results::{Format, Results};
use self::source::{Meaning, Source};
use crate::args::ReadingArgs;
use crate::case::{Case, GivenArgs, MAX_RANDOM};
use crate::engines;
use crate::io::{self, Payload, Sink};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::{Failure, Outcome};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;
use vecasm::debug::condition::Expression;
use vecasm::debug::names::Names;
use vecasm::debug::trace::{Trace, mark_matching};
use vecasm::exec::interp::Interp;
use vecasm::exec::runfile::RunFile;
use vecasm::exec::runfile::blocks::{Blocks, Order};
use vecasm::exec::{Engine, Outputs};
use vecasm::ir::{Shader, Stage};
use vecasm::open::AssumedNotation;
use vecasm_engines::{Choice, Threads};

/// Run a shader on the CPU, with inputs from a file or at random
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm run shader.frag.agal -i inputs.json\n  \
    vecasm run shader.bin --random 16 --seed 7 --format hex\n  \
    vecasm run shader.vsh -i constants.json --csv vertices.csv --format csv -o results.csv\n  \
    vecasm run shader.vsh -i constants.json --raw v0.xyz,v3=mesh.raw --format raw -o results.raw --stats\n  \
    vecasm run shader.vso --constants-from game.txt --constants-before 4711 --random 4\n  \
    vecasm run shader.frag.agal -i inputs.json --trace\n  \
    vecasm run shader.frag.agal --random 64 --trace --trace-if nan\n  \
    echo '{\"constants\": {\"vc0\": [1, 0, 0, \"0x3f800000\"]}, \"inputs\": [{\"va0\": [0, 0, 0, 1]}]}' |\n    \
      vecasm run shader.vert.agal -i -\n\n\
    A run file has `constants`, `inputs` (one object per invocation), `textures`, `state`, `buffers`, `images`, `grid` \
    and `fuel`. A number is a value, a string \"0x...\" is bits; names are the registers of the instruction set.\n\
    A table or arrays of any length are run block by block; docs/running.md has the formats.")]
pub(crate) struct Args {
    /// Shader; `-` or none is standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    given: GivenArgs,
    /// Invocations as a table: a line of inputs and lanes, for example `v0.x,v0.y`, then a line per invocation; `-` is
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["random", "raw"], help_heading = "Running")]
    csv: Option<PathBuf>,
    /// Invocations as an array of little-endian 32-bit words: for each, all inputs in turn, or those named, for example
    /// `v0,v1.xy=FILE`; `-` is standard input. If repeated, the arrays are read in parallel
    #[arg(long, value_name = "[NAMES=]FILE", conflicts_with = "random", value_parser = raw::named, help_heading = "Running")]
    raw: Vec<raw::Named>,
    /// Number of threads [default: RAYON_NUM_THREADS, else as many as the machine has]; results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(Threads::MOST)), help_heading = "Running")]
    threads: Option<u16>,
    /// Write the inputs as a run file instead of running the shader
    #[arg(long, help_heading = "Running")]
    show_input: bool,
    /// Write what every instruction reads and writes, one JSON line per step, instead of the results
    #[arg(long, help_heading = "Running")]
    trace: bool,
    /// With --trace: only the steps where CONDITION holds in an invocation, for example `r0.x != r0.x`, `line 12`,
    /// `nan`, `writes oC0.x`; if repeated, all must hold. docs/debugging.md lists all conditions
    #[arg(long, value_name = "CONDITION", requires = "trace", help_heading = "Running")]
    trace_if: Vec<String>,
    /// With --trace: only the steps that this invocation takes part in, from 0
    #[arg(long, value_name = "N", requires = "trace", help_heading = "Running")]
    invocation: Option<usize>,
    /// Engine that runs the shader; a named engine that cannot run it is an error
    #[arg(long, value_name = "ENGINE", default_value = Choice::AUTO.name(), value_parser = engines::parser(), help_heading = "Running")]
    engine: Choice,
    /// Print to standard error which engine ran it, and how long it took: to compile, per invocation, in all
    #[arg(long, conflicts_with_all = ["trace", "show_input"], help_heading = "Running")]
    stats: bool,
    #[command(flatten)]
    lifting: LiftArgs,
    #[command(flatten)]
    output: crate::args::OutputArgs,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "json", help_heading = "Output")]
    format: Format,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(help) = args.lifting.help() {
        return io::print(&help);
    }
    let file = args.file.clone().unwrap_or_else(|| io::DASH.into());
    check(args, &file)?;
    let loaded = load::load(io::read(&file)?, &args.reading, AssumedNotation::Text, ctx)?;
    let loaded = args.given.with_constants(loaded, ctx)?;
    loaded.warn_if_refused(ctx);
    let mut lifting = args.lifting.clone();
    lifting.steps = args.trace;
    let shader = loaded.lift(&lifting, Purpose::Run, ctx)?;
    let start = Instant::now();
    let singly = matches!(shader.stage, Stage::Vertex | Stage::Fragment);
    let table = args.csv.is_some() || !args.raw.is_empty();
    if table && !singly {
        let stage = shader.stage.name();
        return Err(Failure::usage(format!(
            "--csv and --raw do not hold the inputs of a {stage} program; use a run file (-i)"
        )));
    }
    let sink = Sink::new(&args.output);
    let stem = loaded.input.long_stem();
    if args.show_input || args.trace {
        let on = if table {
            collect(args, &loaded, &shader, ctx)?
        } else {
            args.given.make(&loaded, &shader, ctx)?
        };
        if args.show_input {
            let text = Payload::Text(on.to_json_read(&shader));
            return sink.write(io::with_ending(stem, "input.json"), &text);
        }
        let case = Case::new(loaded, shader, on, args.invocation.unwrap_or(0));
        return sink.write(io::with_ending(stem, "trace.jsonl"), &Payload::Text(trace(args, &case)?));
    }
    args.format.check(&shader)?;
    let Invocations { on, source, meaning, name } = invocations(args, &loaded, &shader, ctx)?;
    let job = stream::Job {
        shader: &shader,
        batch: on.batch(),
        helpers: &on.helpers,
        source: source.map(|source| (source, &meaning)),
        quads: Some(name).filter(|_| table && Blocks::of(&shader, on.subgroup).quads),
        engine: args.engine,
        threads: args.threads.unwrap_or(0).into(),
        start,
    };
    let open = || Results::create(&shader, args.format, &sink, &stem);
    let stats = stream::run(job, open, &|outputs| warn(&loaded, outputs, ctx), ctx)?;
    if args.stats {
        stats.tell(ctx);
    }
    Ok(())
}

/// Fails if two things would both come from standard input.
fn check(args: &Args, file: &Path) -> Outcome {
    args.given.check(file)?;
    let arrays = args.raw.iter().map(|array| array.path.as_path());
    let files = [Some(file), args.given.input(), args.csv.as_deref()];
    let files = files.into_iter().flatten().chain(arrays);
    if files.filter(|path| path.as_os_str() == io::DASH).count() > 1 {
        return Err(Failure::usage("standard input can be read only once: name the shader, or the table"));
    }
    Ok(())
}

/// What a shader is run on.
struct Invocations {
    /// What all blocks share; where there is no `source`, everything.
    on: RunFile,
    source: Option<Source>,
    meaning: Meaning,
    /// What messages call the source.
    name: String,
}

/// Reads what the shader is run on, or opens it.
fn invocations(args: &Args, loaded: &Loaded, shader: &Shader, ctx: &Ctx) -> Outcome<Invocations> {
    if args.csv.is_some() || !args.raw.is_empty() {
        let on = args.given.make_without_inputs(loaded, shader, ctx)?;
        let (source, meaning, name) = open(args, shader).map_err(|trouble| trouble.report(ctx))?;
        return Ok(Invocations { on, source: Some(source), meaning, name });
    }
    let name = String::new();
    match args.given.random() {
        Some(count) if matches!(shader.stage, Stage::Vertex | Stage::Fragment) => {
            let (on, random) = args.given.make_in_blocks(count, loaded, shader, ctx)?;
            Ok(Invocations { on, source: Some(Source::Random(random)), meaning: Meaning::Random, name })
        }
        _ => {
            let mut on = args.given.make(loaded, shader, ctx)?;
            if Blocks::of(shader, on.subgroup).order == Order::Whole {
                return Ok(Invocations { on, source: None, meaning: Meaning::Random, name });
            }
            let meaning = Meaning::File(std::mem::take(&mut on.inputs));
            let source = Source::File { count: on.count, at: 0 };
            Ok(Invocations { on, source: Some(source), meaning, name })
        }
    }
}

/// Why they could not be opened.
enum OpenError {
    Data(Box<DataError>),
    Failure(Failure),
}

impl From<Box<DataError>> for OpenError {
    fn from(wrong: Box<DataError>) -> Self {
        Self::Data(wrong)
    }
}

impl From<Failure> for OpenError {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl OpenError {
    fn report(self, ctx: &Ctx) -> Failure {
        match self {
            Self::Data(wrong) => wrong.report(ctx),
            Self::Failure(failure) => failure,
        }
    }
}

/// Opens the table or the arrays: the blocks, what they are understood by, and what messages call them.
fn open(args: &Args, shader: &Shader) -> Result<(Source, Meaning, String), OpenError> {
    if let Some(path) = &args.csv {
        let (name, from, size) = reader(path)?;
        let (reader, table) =
            csv::Reader::new(shader, name.clone(), Box::new(BufReader::with_capacity(1 << 16, from)))?;
        return Ok((Source::Csv(reader, size), Meaning::Csv(table), name));
    }
    let (mut arrays, mut first) = (Vec::new(), None);
    for array in &args.raw {
        let (name, from, size) = reader(&array.path)?;
        first.get_or_insert((name.clone(), size));
        arrays.push((array, name, from));
    }
    let (reader, layout) = raw::Reader::new(shader, arrays)?;
    let (name, size) = first.unwrap_or_default();
    Ok((Source::Raw(reader, size), Meaning::Raw(layout), name))
}

/// Opens a file: what messages call it, and its size if that is known.
fn reader(path: &Path) -> Outcome<(String, Box<dyn Read>, Option<u64>)> {
    if path.as_os_str() == io::DASH {
        return Ok(("<stdin>".into(), Box::new(std::io::stdin()), None));
    }
    let name = io::shown(path).raw().to_string();
    crate::writing::note_input(path);
    let file = File::open(path).map_err(|error| Failure::usage(format!("{name}: {}", io::plain(&error))))?;
    let size = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
    Ok((name, Box::new(file), size))
}

/// All invocations of a table or of arrays as a run file, as far as those fit into memory.
fn collect(args: &Args, loaded: &Loaded, shader: &Shader, ctx: &Ctx) -> Outcome<RunFile> {
    let mut on = args.given.make_without_inputs(loaded, shader, ctx)?;
    let (mut source, meaning, name) = open(args, shader).map_err(|trouble| trouble.report(ctx))?;
    let mut inputs = Vec::new();
    loop {
        let read = source.read(shader, 4096, 1);
        let (chunk, last) = read.map_err(|wrong| wrong.report(ctx))?;
        on.count += chunk.count();
        if on.count > MAX_RANDOM {
            return Err(Failure::usage(format!("{name}: more than {MAX_RANDOM} invocations")));
        }
        meaning.inputs(chunk, &mut inputs).map_err(|wrong| wrong.report(ctx))?;
        on.inputs.resize_with(inputs.len(), Vec::new);
        on.inputs.iter_mut().zip(&inputs).for_each(|(all, list)| all.extend(list));
        if last {
            return Ok(on);
        }
    }
}

/// Warns of what a run shows to be wrong.
fn warn(loaded: &Loaded, outputs: &Outputs, ctx: &Ctx) {
    for barrier in &outputs.barriers {
        let texts = loaded.program.instruction_texts();
        let text = texts.get(barrier.step as usize).map_or("", String::as_str);
        ctx.tell(&format!(
            "vecasm: warning: instruction {} ({}): a barrier that only a part of the workgroup of invocation {} reached",
            barrier.step,
            text.trim(),
            barrier.first
        ));
    }
}

/// The lines of a trace.
fn trace(args: &Args, case: &Case) -> Outcome<String> {
    let names = Names::of(&case.shader);
    let conditions = args.trace_if.iter().map(|text| {
        Expression::condition(text, &names)
            .map_err(|error| Failure::usage(format!("--trace-if '{text}': {error}")))
    });
    let conditions: Vec<Expression> = conditions.collect::<Outcome<_>>()?;
    let batch = case.batch();
    if let Some(invocation) = args.invocation {
        if invocation >= batch.count {
            return Err(Failure::usage(format!(
                "--invocation {invocation}: there are {}, counted from 0",
                batch.count
            )));
        }
    }
    let picks = !conditions.is_empty() || args.invocation.is_some();
    let texts = case.loaded.program.instruction_texts();
    let text = |step: u32| texts.get(step as usize).map_or("", String::as_str);
    let (mut trace, mut lines) = (Trace::new(&batch), String::new());
    let shader = &case.shader;
    Interp
        .run_watched(shader, &batch, &mut |event| {
            let source = shader.steps.get(event.step).map_or(0, |step| step.source);
            let mut line = trace.line(shader, event, text(source));
            if picks {
                let matching = trace.matching(shader, event, case.listing(), &conditions);
                let matching: Vec<usize> = matching.into_iter().map(|i| event.first + i).collect();
                let wanted = |i: &usize| args.invocation.is_none_or(|wanted| wanted == *i);
                if !matching.iter().any(wanted) {
                    return;
                }
                mark_matching(&mut line, &matching);
            }
            lines.push_str(&line);
            lines.push('\n');
        })
        .map_err(|error| Failure::usage(format!("engine {}: {error}", Interp.name())))?;
    Ok(lines)
}
