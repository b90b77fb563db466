//! `vecasm run`: execute a shader on the CPU.

use crate::args::ReadingArgs;
use crate::io::{self, Likely, Payload, Sink};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::Loaded;
use crate::report::Ctx;
use crate::{Failure, Outcome, load};
use clap::ValueEnum;
use std::path::PathBuf;
use vecasm::exec::Engine;
use vecasm::exec::interp::Interp;
use vecasm::exec::runfile::{RunFile, results_hex, results_json};
use vecasm::exec::trace::Trace;
use vecasm::ir::Shader;
use vecasm::isa::AnyProgram;
use vecasm::isa::d3d9::preshader::{self, Inputs, run::Switches};

/// Run a shader on the CPU, with inputs from a file or made up
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm run shader.frag.agal -i inputs.json\n  \
    vecasm run shader.bin --random 16 --seed 7 --format hex\n  \
    vecasm run shader.frag.agal -i inputs.json --trace\n  \
    echo '{\"constants\": {\"vc0\": [1, 0, 0, \"0x3f800000\"]}, \"inputs\": [{\"va0\": [0, 0, 0, 1]}]}' |\n    \
      vecasm run shader.vert.agal -i -\n\n\
    A run file has `constants`, `inputs` (one object an invocation), `textures`, `state` and `fuel`. A number is a \
    value, a string \"0x...\" is bits; names are the registers of the instruction set.")]
pub(crate) struct Args {
    /// The shader; `-` or none is standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// What to run it on: constants, inputs, textures as JSON; `-` is standard input
    #[arg(short, long, value_name = "FILE.json", conflicts_with = "random", help_heading = "Running")]
    input: Option<PathBuf>,
    /// Make up inputs and constants, ordinary and special values, for N invocations
    #[arg(long, value_name = "N", help_heading = "Running")]
    random: Option<usize>,
    /// With --random: the same seed gives the same values
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Running")]
    seed: u64,
    /// Write what it would be run on, as a run file, instead of running it
    #[arg(long, help_heading = "Running")]
    show_input: bool,
    /// Write what every instruction reads and writes, one JSON line a step, instead of the results
    #[arg(long, help_heading = "Running")]
    trace: bool,
    /// Who runs it; a named engine that cannot run the shader is an error
    #[arg(long, value_name = "ENGINE", default_value = "auto", help_heading = "Running")]
    engine: EngineArg,
    /// Rounds of loops an invocation may make; overrides the run file
    #[arg(long, value_name = "N", help_heading = "Running")]
    fuel: Option<u64>,
    /// A constant that the preshader of a Direct3D shader reads, by its name in the preshader's table; four numbers a
    /// register. The others have their default values. What the preshader computes overrides constants
    #[arg(long, value_name = "NAME=X,Y,Z,W", value_parser = preshader_value, help_heading = "Running")]
    preshader: Vec<(String, Vec<f32>)>,
    #[command(flatten)]
    lifting: LiftArgs,
    #[command(flatten)]
    output: crate::args::OutputArgs,
    /// How results are written
    #[arg(long, value_name = "FORMAT", default_value = "json", help_heading = "Output")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineArg {
    /// The best one for the shader
    Auto,
    /// The interpreter that defines what is right
    Interp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// `{"outputs": [...], "killed": [...]}`, lanes as bits
    Json,
    /// One line an invocation, lanes as bits
    Hex,
}

/// Most invocations `--random` makes: their inputs and results have to fit into memory.
const MAX_RANDOM: usize = 1 << 20;

fn preshader_value(text: &str) -> Result<(String, Vec<f32>), String> {
    let (name, values) = text.split_once('=').ok_or("expected NAME=NUMBERS")?;
    let values =
        values.split(',').map(|value| value.trim().parse::<f32>().map_err(|e| format!("{value}: {e}")));
    Ok((name.into(), values.collect::<Result<_, _>>()?))
}

/// Runs the preshader of a shader that has one, and sets the constants that it computes.
fn evaluate(args: &Args, loaded: &Loaded, shader: &Shader, on: &mut RunFile, ctx: &Ctx) -> Outcome {
    let found = if let AnyProgram::D3d9(program) = &loaded.program { preshader::of(program).0 } else { None };
    let Some(found) = found else {
        return match args.preshader.first() {
            Some((name, _)) => {
                Err(Failure::usage(format!("--preshader {name}: the shader has no preshader")))
            }
            None => Ok(()),
        };
    };
    let mut inputs = Inputs::of(&found);
    let table = found.table().0;
    for (name, values) in &args.preshader {
        let constants = table.iter().flat_map(|table| &table.constants);
        let Some(constant) = constants.into_iter().find(|constant| constant.name == *name) else {
            return Err(Failure::usage(format!("--preshader {name}: the preshader reads no such constant")));
        };
        for (n, values) in values.chunks(4).take(constant.count.into()).enumerate() {
            let mut register = [0.0; 4];
            register.iter_mut().zip(values).for_each(|(to, from)| *to = *from);
            inputs.set(u32::from(constant.index) + n as u32, register);
        }
    }
    let outputs = preshader::run(&found, &inputs, &Switches::default()).map_err(|finding| {
        ctx.report(&[finding], loaded.source());
        Failure::Shader
    })?;
    let floats = shader.params.iter().position(|array| array.name == "c");
    if let Some(values) = floats.and_then(|at| on.params.get_mut(at)) {
        for (number, value) in outputs.floats {
            if let Some(to) = values.get_mut(number as usize) {
                *to = value.map(f32::to_bits);
            }
        }
    }
    Ok(())
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(help) = args.lifting.help() {
        return io::print(&help);
    }
    let file = args.file.clone().unwrap_or_else(|| io::DASH.into());
    if file.as_os_str() == io::DASH && args.input.as_ref().is_some_and(|i| i.as_os_str() == io::DASH) {
        return Err(Failure::usage("the shader and the run file cannot both come from standard input"));
    }
    if args.random.is_some_and(|n| n > MAX_RANDOM) {
        return Err(Failure::usage(format!("--random makes at most {MAX_RANDOM} invocations")));
    }
    let loaded = load::load(io::read(&file)?, &args.reading, Likely::Text, ctx)?;
    let mut lifting = args.lifting.clone();
    lifting.steps = args.trace;
    let shader = loaded.lift(&lifting, Purpose::Run, ctx)?;
    let mut on = match (args.random, &args.input) {
        (Some(count), _) => RunFile::random(&shader, count, args.seed),
        (None, Some(path)) => {
            let input = io::read(path)?;
            RunFile::parse(input.text()?, &shader)
                .map_err(|error| Failure::usage(format!("{}: {error}", input.name)))?
        }
        (None, None) => RunFile::parse("{}", &shader)
            .map_err(|error| Failure::usage(format!("{error}; give a run file with -i, or --random N")))?,
    };
    on.fuel = args.fuel.or(on.fuel);
    evaluate(args, &loaded, &shader, &mut on, ctx)?;
    let sink = Sink::new(&args.output);
    let stem = loaded.input.long_stem();
    if args.show_input {
        return sink.write(&format!("{stem}.input.json"), &Payload::Text(on.to_json(&shader)));
    }
    if args.trace {
        let texts = loaded.program.instruction_texts();
        let (mut trace, mut lines) = (Trace::new(&on.batch()), String::new());
        let text = |step: u32| texts.get(step as usize).map_or("", String::as_str);
        Interp
            .run_watched(&shader, &on.batch(), &mut |event| {
                let source = shader.steps.get(event.step).map_or(0, |step| step.source);
                lines.push_str(&trace.line(&shader, event, text(source)));
                lines.push('\n');
            })
            .map_err(|error| Failure::usage(format!("engine {}: {error}", Interp.name())))?;
        return sink.write(&format!("{stem}.trace.jsonl"), &Payload::Text(lines));
    }
    let engine = match args.engine {
        EngineArg::Auto | EngineArg::Interp => Interp,
    };
    let outputs = engine
        .run(&shader, &on.batch())
        .map_err(|error| Failure::usage(format!("engine {}: {error}", engine.name())))?;
    let text = match args.format {
        Format::Json => results_json(&shader, &outputs),
        Format::Hex => results_hex(&shader, &outputs),
    };
    sink.write(&format!("{stem}.run.json"), &Payload::Text(text))
}
