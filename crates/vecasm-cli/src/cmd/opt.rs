//! `vecasm opt`: programs made shorter in their own instruction set.

mod fit;

use crate::args::{InputArgs, OutputArgs, ProgramChoice};
use crate::batch::{Batch, Job, Outputs, Words};
use crate::cmd::diff;
use crate::io::{Input, Payload};
use crate::layouts::{self, Layouts};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::targets::ByteFormat;
use crate::{Failure, Outcome, io, targets};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use serde_json::{Value, json};
use std::path::PathBuf;
use vecasm::LiftOptions;
use vecasm::code::d3d9::{MODELS, Model};
use vecasm::compare::Link;
use vecasm::compare::eqv::{self, EqvError, Verdict};
use vecasm::compare::runs;
use vecasm::diag::{Diagnostic, Severity};
use vecasm::ir::{Promise, Rule};
use vecasm::isa::{AnyProgram, Isa};
use vecasm::lower::{self, Certificate, Ends, Kept, Measure, OptimizeOptions, Optimized};
use vecasm::open::AssumedNotation;

/// Make programs shorter in their own instruction set, with the same results to the bit
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm opt sky.frag.agal -o small.agal          50 → 30 tokens; what is written has the form that was read\n  \
    vecasm opt sky.bin --prove -o small.bin         the same, and a proof that both do the same\n  \
    vecasm opt sky.frag.agal --diff                 show what would change, and write nothing\n  \
    vecasm opt --for registers blit.tgsi -o small.tgsi\n  \
    vecasm opt shaders/ -o small/                   one file per input, in the same subfolders\n  \
    vecasm opt --schedule-only tnl.vsh -o short.vsh 50 → 31 slots, with the operations that are there\n  \
    vecasm opt --fit ps_2_0 sky.ps.bin -o sky20.bin the same in a model with fewer slots, registers and conditionals\n\n\
    AGAL, Direct3D from vs_1_1 and ps_1_0 on, TGSI and vertex programs of the NV2A. Inputs, outputs, constants and samplers\n\
    keep their registers, so the host changes nothing. A program that gains nothing stays as it is, byte by byte, and so\n\
    does one that vecasm cannot write again; the line of the result says which. Of ps_1_x texture instructions stay, and\n\
    arithmetic finds pairs.\n\
    Exit status: 0 done, also where nothing was gained; 1 a program is bad, or a proof failed; 2 usage or input/output\n\
    error.")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Measure that is to be as small as it can: tokens (instructions), slots (the same where each has one), or registers
    #[arg(
        long = "for",
        value_name = "MEASURE",
        default_value = "tokens",
        value_parser = PossibleValuesParser::new(Measure::ALL.iter().map(|measure| PossibleValue::new(measure.name())))
            .try_map(|name| name.parse::<Measure>()),
    )]
    measure: Measure,
    /// NV2A, ps_1_x: keep the operations, and only put them into fewer slots
    #[arg(long)]
    schedule_only: bool,
    /// NV2A: nodes of the search for each number of slots that is tried; ps_1_x: nodes of all
    #[arg(long, value_name = "NODES")]
    budget: Option<u32>,
    /// NV2A: what of the temporaries counts at the end; otherwise nothing of whole programs, alive of parts
    #[arg(
        long,
        value_name = "WHAT",
        value_parser = PossibleValuesParser::new(Ends::ALL.iter().map(|ends| PossibleValue::new(ends.name())))
            .try_map(|name| name.parse::<Ends>()),
    )]
    temporaries: Option<Ends>,
    /// Direct3D: make the program fit a model, such as ps_2_0; the line of the result says what gave way
    #[arg(
        long,
        value_name = "MODEL",
        conflicts_with_all = ["schedule_only", "budget", "temporaries", "measure"],
        value_parser = PossibleValuesParser::new(MODELS.iter().map(|model| PossibleValue::new(model.name)))
            .try_map(|name| Model::named(&name).ok_or("there is no such model")),
    )]
    fit: Option<Model>,
    /// With --fit: the least that is kept of the program
    #[arg(
        long,
        value_name = "PROMISE",
        requires = "fit",
        value_parser = PossibleValuesParser::new(Promise::ALL.iter().map(|promise| PossibleValue::new(promise.name())))
            .try_map(|name| name.parse::<Promise>()),
    )]
    promise: Option<Promise>,
    /// With --fit: write which register is which of the program, as `eqv --link` reads it
    #[arg(long, value_name = "FILE", requires = "fit")]
    layout: Option<PathBuf>,
    /// Check the registers of the result, and prove that it does the same, or search for a difference where there is no
    /// proof, such as with conditionals
    #[arg(long)]
    prove: bool,
    /// Show what changes; without -o nothing else is written
    #[arg(long)]
    diff: bool,
}

/// What became of a program.
struct Done {
    input: Input,
    isa: Isa,
    payload: Payload,
    /// The line of the result.
    line: String,
    record: Value,
    diff: String,
    /// Which register is which, where they need not be the same.
    layout: Value,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    layouts::check(args.layout.as_ref(), &args.output)?;
    let batch = Batch::new(&args.input.files, &args.input.batch)?;
    let name = |input: &Input, isa: Option<Isa>| input.file_name(isa.map_or("", Isa::name));
    let mut outputs = Outputs::new(&args.output, &args.input.reading, &batch, name)?;
    let writes = !args.diff || args.output.output.is_some();
    let several = batch.is_several() || args.input.reading.program == Some(ProgramChoice::All);
    let own_name = |input: &Input| name(input, None);
    let mut layouts = Layouts::new(args.layout.as_ref(), &args.input.reading, &batch, several, own_name)?;
    let to_stdout = writes && outputs.is_stdout();
    let job = Job::new(&args.input.reading, Words::Work).all_in_a_folder(&outputs);
    batch.run(
        &job,
        ctx,
        |input, ctx| one(args, input, ctx),
        |path, done| {
            if args.fit.is_some() {
                layouts.write(path, &name(&done.input, Some(done.isa)), &done.layout)?;
            }
            if writes {
                outputs.write(path, &name(&done.input, Some(done.isa)), &done.payload)?;
            }
            let print = |text: &str| {
                if to_stdout {
                    ctx.error_bytes(text.as_bytes());
                    return Ok(());
                }
                io::print(text)
            };
            if ctx.json() {
                return print(&format!("{}\n", done.record));
            }
            if args.diff {
                print(&done.diff)?;
            }
            ctx.tell(&done.line);
            Ok(())
        },
    )
}

/// Makes a program shorter.
fn one(args: &Args, input: Input, ctx: &Ctx) -> Outcome<Done> {
    let notation = targets::notation_of(&input, &args.input.reading)?;
    let loaded = load::load(input, &args.input.reading, AssumedNotation::Bytes, ctx)?;
    loaded.warn_if_refused(ctx);
    if let Some(model) = args.fit {
        return fit::one(args, model, loaded, notation, ctx);
    }
    let options = OptimizeOptions::default()
        .with_measure(args.measure)
        .with_checked(args.prove)
        .with_schedule_only(args.schedule_only)
        .with_budget(args.budget)
        .with_ends(args.temporaries);
    let made = lower::optimize(&loaded.program, &options).map_err(|finding| {
        loaded.report(finding, ctx);
        Failure::Shader
    })?;
    let isa = loaded.program.isa();
    let judged = match &made.kept {
        None if args.prove => Some(judge(&loaded, &made.program, None)),
        _ => None,
    };
    if let Some(Err(why)) = &judged {
        return Err(refuse(&loaded, why, ctx));
    }
    let judged = judged.and_then(Result::ok);
    let diff = match &made.kept {
        None if args.diff => shown_diff(&loaded, &made.program, ctx),
        _ => String::new(),
    };
    let payload = payload_of(&loaded, made.kept.is_none().then_some(&made.program), notation);
    let line = line(&loaded, &made, judged.as_deref());
    let record = record(&loaded, &made, judged.as_deref());
    Ok(Done { isa, payload, line, record, diff, layout: Value::Null, input: loaded.input })
}

/// Tells of a result that does something else: a fault of vecasm, which nobody is given.
fn refuse(loaded: &Loaded, why: &str, ctx: &Ctx) -> Failure {
    let message = format!("the new program does not do the same: {why}; please report it");
    loaded.report(Diagnostic::new(Severity::Error, "opt-different", message), ctx);
    Failure::Shader
}

fn shown_diff(loaded: &Loaded, made: &AnyProgram, ctx: &Ctx) -> String {
    let other = Loaded { program: made.clone().into(), ..loaded.clone() };
    diff::shown(loaded, &other, ctx)
}

/// A new program in the form that was read, or what was read.
fn payload_of(loaded: &Loaded, made: Option<&AnyProgram>, notation: Option<ByteFormat>) -> Payload {
    match made {
        Some(program) => targets::in_notation(&loaded.input, program, notation),
        None => kept(&loaded.input),
    }
}

/// What was read, byte by byte.
fn kept(input: &Input) -> Payload {
    // A text in another encoding was converted when it was read.
    let file = input.path.as_deref().filter(|_| input.piece().is_none());
    let bytes = file.and_then(|path| std::fs::read(path).ok()).unwrap_or_else(|| input.bytes().to_vec());
    match String::from_utf8(bytes) {
        Ok(text) if input.text().is_ok() && vecasm::isa::is_text(text.as_bytes()) => Payload::Text(text),
        Ok(text) => Payload::Binary(text.into_bytes()),
        Err(error) => Payload::Binary(error.into_bytes()),
    }
}

/// Whether two programs do the same: how that is known, or where they differ. `link` says which register is which, and what is kept.
fn judge(before: &Loaded, after: &AnyProgram, link: Option<&Link>) -> Result<String, String> {
    let options = LiftOptions::default();
    let lift = |program: &AnyProgram| program.lift(&options).map_err(|finding| finding.message.to_string());
    let (a, b) = (lift(before.program.any())?, lift(after)?);
    let is_exact = |link: &&Link| link.promise.is_none_or(|promise| promise == Promise::Exact);
    let arith = link.filter(|link| !is_exact(link)).map(|_| Rule::ZeroWins);
    let options = eqv::Options { link: link.cloned(), arith, ..eqv::Options::default() };
    let report = match eqv::eqv(&a, &b, &options) {
        Ok(report) => report,
        // Of memory and vertices there is no proof.
        Err(EqvError::Stage(_)) => {
            let found = runs::find_difference(&a, &b, options.count, options.seed);
            return match found.map_err(|error| error.to_string())? {
                None => Ok(format!("no difference in {} invocations", options.count)),
                Some(what) => Err(what),
            };
        }
        Err(error) => return Err(error.to_string()),
    };
    match report.verdict {
        Verdict::Proved(_) => Ok("proved".into()),
        Verdict::NoDifference => Ok(format!("no difference in {} invocations", report.tried)),
        Verdict::Different(example) => Err(format!("{:?}", example.difference.what)),
    }
}

/// The word for one of what the numbers of instructions count.
fn unit(isa: Isa) -> &'static str {
    match isa {
        Isa::Agal => "token",
        Isa::D3d9 | Isa::Nv2a => "slot",
        _ => "instruction",
    }
}

/// `50 → 30 tokens`, or `30 tokens` where the number is the same.
fn counts([before, after]: [usize; 2], unit: &str) -> String {
    let several = if after == 1 { "" } else { "s" };
    let from = if before == after { String::new() } else { format!("{before} → ") };
    format!("{from}{after} {unit}{several}")
}

/// `sky.agal: 50 → 30 tokens, 5 → 4 temporary registers, proved`.
fn line(loaded: &Loaded, made: &Optimized, judged: Option<&str>) -> String {
    let name = &loaded.input.name;
    let instructions = counts(made.instructions, unit(loaded.program.isa()));
    if let Some(why) = &made.kept {
        return format!("{name}: kept ({instructions}): {why}{}", certificate(made));
    }
    let mut out = format!("{name}: {instructions}{}", certificate(made));
    if made.registers[0] != made.registers[1] {
        out.push_str(&format!(", {}", counts(made.registers, "temporary register")));
    }
    if let Some(judged) = judged {
        out.push_str(&format!(", {judged}"));
    }
    out
}

/// `, lower bound 30, optimal`.
fn certificate(made: &Optimized) -> String {
    made.certificate.map_or(String::new(), |certificate| format!(", {certificate}"))
}

/// The same as JSON.
fn record(loaded: &Loaded, made: &Optimized, judged: Option<&str>) -> Value {
    let [before, after] = [loaded.program.any(), &made.program].map(|program| program.encode().len());
    let mut out = json!({
        "file": loaded.input.name.raw(),
        "isa": loaded.program.isa().name(),
        "stage": loaded.program.stage().name(),
        "changed": made.kept.is_none(),
        "unit": format!("{}s", unit(loaded.program.isa())),
        "instructions": made.instructions,
        "registers": made.registers,
        "bytes": [before, after],
    });
    if let Some(Certificate { bound, optimal, nodes, ends, .. }) = made.certificate {
        out["bound"] = json!(bound);
        out["optimal"] = json!(optimal);
        out["nodes"] = json!(nodes);
        if loaded.program.isa() == Isa::Nv2a {
            out["temporaries"] = json!(ends.name());
        }
    }
    if let Some(why) = &made.kept {
        out["kept"] = json!(why.name());
        out["why"] = json!(why.to_string());
    }
    if let Some(Kept::Refused(reasons)) = &made.kept {
        let one = |reason: &vecasm::code::Reason| json!({ "id": reason.finding.id, "message": reason.finding.message, "instruction": reason.step.map(|step| step + 1) });
        out["reasons"] = reasons.iter().map(one).collect();
    }
    if made.kept.is_none() {
        out["steps"] = json!(made.steps);
    }
    if let Some(judged) = judged {
        out["proof"] = json!(judged);
    }
    out
}
