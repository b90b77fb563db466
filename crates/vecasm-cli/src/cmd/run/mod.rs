//! `vecasm run`: execute a shader on the CPU.

mod stats;

use self::stats::Stats;
use crate::args::ReadingArgs;
use crate::case::{Case, GivenArgs};
use crate::engines;
use crate::io::{self, Likely, Payload, Sink};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::{Failure, Outcome};
use clap::ValueEnum;
use std::path::PathBuf;
use std::time::Instant;
use vecasm::debug::condition::Expression;
use vecasm::debug::names::Names;
use vecasm::debug::trace::{Trace, mark_matching};
use vecasm::exec::interp::Interp;
use vecasm::exec::runfile::{results_hex, results_json};
use vecasm::exec::{Engine, Outputs};

/// Run a shader on the CPU, with inputs from a file or made up
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm run shader.frag.agal -i inputs.json\n  \
    vecasm run shader.bin --random 16 --seed 7 --format hex\n  \
    vecasm run shader.frag.agal -i inputs.json --trace\n  \
    vecasm run shader.frag.agal --random 64 --trace --trace-if nan\n  \
    echo '{\"constants\": {\"vc0\": [1, 0, 0, \"0x3f800000\"]}, \"inputs\": [{\"va0\": [0, 0, 0, 1]}]}' |\n    \
      vecasm run shader.vert.agal -i -\n\n\
    A run file has `constants`, `inputs` (one object an invocation), `textures`, `state`, `buffers`, `images`, `grid` \
    and `fuel`. A number is a value, a string \"0x...\" is bits; names are the registers of the instruction set.")]
pub(crate) struct Args {
    /// The shader; `-` or none is standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    given: GivenArgs,
    /// Write what it would be run on, as a run file, instead of running it
    #[arg(long, help_heading = "Running")]
    show_input: bool,
    /// Write what every instruction reads and writes, one JSON line a step, instead of the results
    #[arg(long, help_heading = "Running")]
    trace: bool,
    /// With --trace: only the steps for which CONDITION holds in an invocation, as `r0.x != r0.x`, `line 12`, `nan`,
    /// `writes oC0.x`; given several times, all have to hold. docs/debugging.md has them all
    #[arg(long, value_name = "CONDITION", requires = "trace", help_heading = "Running")]
    trace_if: Vec<String>,
    /// With --trace: only the steps that this invocation takes part in, from 0
    #[arg(long, value_name = "N", requires = "trace", help_heading = "Running")]
    invocation: Option<usize>,
    /// Who runs it; a named engine that cannot run the shader is an error
    #[arg(long, value_name = "ENGINE", default_value = engines::AUTO, value_parser = engines::parser(), help_heading = "Running")]
    engine: engines::Choice,
    /// Tell on standard error who ran it, and how long that took: compiling, an invocation, all
    #[arg(long, conflicts_with_all = ["trace", "show_input"], help_heading = "Running")]
    stats: bool,
    #[command(flatten)]
    lifting: LiftArgs,
    #[command(flatten)]
    output: crate::args::OutputArgs,
    /// How results are written
    #[arg(long, value_name = "FORMAT", default_value = "json", help_heading = "Output")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// `{"outputs": [...], "killed": [...]}`, lanes as bits
    Json,
    /// One line an invocation, lanes as bits
    Hex,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(help) = args.lifting.help() {
        return io::print(&help);
    }
    let file = args.file.clone().unwrap_or_else(|| io::DASH.into());
    args.given.check(&file)?;
    let loaded = load::load(io::read(&file)?, &args.reading, Likely::Text, ctx)?;
    let mut lifting = args.lifting.clone();
    lifting.steps = args.trace;
    let shader = loaded.lift(&lifting, Purpose::Run, ctx)?;
    let on = args.given.make(&loaded, &shader, ctx)?;
    let sink = Sink::new(&args.output);
    let stem = loaded.input.long_stem();
    if args.show_input {
        return sink.write(&format!("{stem}.input.json"), &Payload::Text(on.to_json(&shader)));
    }
    if args.trace {
        let case = Case::new(loaded, shader, on, args.invocation.unwrap_or(0));
        return sink.write(&format!("{stem}.trace.jsonl"), &Payload::Text(trace(args, &case)?));
    }
    let start = Instant::now();
    let batch = on.batch();
    args.engine.run(&shader, &batch, |chosen, outputs| {
        warn(&loaded, outputs, ctx);
        let text = match args.format {
            Format::Json => results_json(&shader, outputs),
            Format::Hex => results_hex(&shader, outputs),
        };
        sink.write(&format!("{stem}.run.json"), &Payload::Text(text))?;
        if args.stats {
            let stats = Stats {
                engine: chosen.engine.name,
                invocations: batch.count as u64,
                threads: 1,
                compiling: chosen.compiling,
                running: chosen.first,
                total: start.elapsed(),
            };
            stats.tell(ctx);
        }
        Ok(())
    })
}

/// Warns of what a run shows to be wrong.
fn warn(loaded: &Loaded, outputs: &Outputs, ctx: &Ctx) {
    for barrier in &outputs.barriers {
        let texts = loaded.program.instruction_texts();
        let text = texts.get(barrier.step as usize).map_or("", String::as_str);
        ctx.tell(&format!(
            "vecasm: warning: instruction {} ({}): a barrier that not all of the workgroup of invocation {} came to",
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
                "--invocation {invocation}: there are {}, from 0",
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
                let matching = trace.matching(shader, event, &case.listing, &conditions);
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
