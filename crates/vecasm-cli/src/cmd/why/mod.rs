//! `vecasm why`: explain a bad result.
//!
//! This file reads the flags and asks about single runs; `scene` looks at whole pictures, `places` at where their vertices
//! are; `show` writes what is found, with
//! the lines of the program.

mod places;
mod scene;
mod show;

use crate::args::{MessageFormat, OutputArgs, ReadingArgs};
use crate::case::{Case, CaseArgs, GivenArgs};
use crate::cmd::render::PictureArgs;
use crate::io::{self, Payload, Sink};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::picking::PixelArgs;
use crate::report::Ctx;
use crate::{Failure, Outcome};
use clap::ValueEnum;
use show::ReportView;
use std::ffi::OsStr;
use std::path::PathBuf;
use vecasm::debug::risk::{VisibleDifference, risk};
use vecasm::debug::why::{OutputLane, Query, alone, lanes_written, output_named, why};
use vecasm::diag::Severity;
use vecasm::exec::runfile::{GivenValues, RunFile};
use vecasm::ir::Shader;
use vecasm::open::AssumedNotation;

/// Explain a bad result: where a NaN arises, what was never set, which steps made a component
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm why shader.frag.agal -i inputs.json\n  \
    vecasm why shader.psa -i inputs.json --invocation 3 --of oC0.x\n  \
    vecasm why shader.psa -i inputs.json --expect 'oC0=(1,0.5,0,1)'\n  \
    vecasm why shader.vsh --random 64 --seed 7 --format json\n  \
    vecasm why torus.scene.json\n  \
    vecasm why torus.scene.json --pixel 200,130\n  \
    vecasm why --risk shader.psa --random 256\n  \
    vecasm why --risk torus.scene.json -o risk.png\n\n\
    A run file may lack what the program reads: that is a finding. Errors reach a result, warnings are most likely \
    unintended, notes are harmless. In a scene, fragments and vertices with NaN or an infinity in an output are \
    explained.\n\n\
    --risk runs the program with its own arithmetic and with one that takes the liberties of GPUs: products and sums \
    rounded \
    once, denormals flushed, NaN and 0 * Inf handled differently, functions as imprecise as WGSL and Vulkan allow. It \
    names the instructions that make a visible difference; in a scene it shows where.\n\n\
    Exit status: 0 nothing but notes found, 1 an error, a warning or a risk found.")]
pub(crate) struct Args {
    /// Shader; `-` or none is standard input. Or a scene, or a vertex and a fragment program
    #[arg(value_name = "FILE", num_args = 0..=2)]
    files: Vec<PathBuf>,
    /// Explain only this invocation, from 0; it is run with its quad [default: all]
    #[arg(long, value_name = "N", help_heading = "Running")]
    invocation: Option<usize>,
    #[command(flatten)]
    given: GivenArgs,
    /// Show the steps that made these lanes of an output: oC0, oC0.x; may be repeated
    #[arg(long, value_name = "OUTPUT", help_heading = "Question")]
    of: Vec<String>,
    /// Expected value of an output: oC0=(1,0.5,0,1), oC0.x=1; a lane _ may be anything. One number is for all
    /// lanes, or for the only one that is written: oFog=0.5. Lanes that differ are explained
    #[arg(long, value_name = "OUTPUT=VALUE", help_heading = "Question")]
    expect: Vec<String>,
    /// Tolerated difference from the expected value
    #[arg(long, value_name = "DIFFERENCE", default_value_t = 1e-5, help_heading = "Question")]
    tolerance: f32,
    /// Show where a modern GPU may visibly differ, and in which instruction that begins
    #[arg(long, help_heading = "Question")]
    risk: bool,
    /// With --risk: the visible difference, in steps of an 8-bit colour; for other outputs in thousandths
    #[arg(long, value_name = "STEPS", default_value_t = 1, help_heading = "Question")]
    threshold: u8,
    /// Leave out notes
    #[arg(long, help_heading = "Question")]
    no_notes: bool,
    #[command(flatten)]
    pixel: PixelArgs,
    #[command(flatten)]
    picture: PictureArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    lifting: LiftArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// With the lines of the program
    Text,
    /// One JSON object
    Json,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(help) = args.lifting.help() {
        return io::print(&help);
    }
    if args.pixel.pixel.is_some() {
        let asked = CaseArgs {
            files: args.files.clone(),
            invocation: args.invocation.unwrap_or(0),
            given: args.given.clone(),
            pixel: args.pixel.clone(),
            picture: args.picture.clone(),
            reading: args.reading.clone(),
            lifting: args.lifting.clone(),
        };
        let case = Case::from_args(&asked, ctx)?;
        return explain(args, &case, None, Some(case.invocation), ctx);
    }
    let file = match args.files.as_slice() {
        [] => io::DASH.into(),
        [file] if !scene::is_scene(file)? => file.clone(),
        _ => return scene::run(args, ctx),
    };
    args.given.check(&file)?;
    let loaded = load::load(io::read(&file)?, &args.reading, AssumedNotation::Text, ctx)?;
    let mut lifting = args.lifting.clone();
    lifting.steps = true;
    let shader = loaded.lift(&lifting, Purpose::Run, ctx)?;
    let (on, given) = args.given.make_partial(&loaded, &shader, ctx)?;
    if let Some(at) = args.invocation.filter(|at| *at >= on.count) {
        return Err(Failure::usage(format!("--invocation {at}: there are {}, counted from 0", on.count)));
    }
    let case = Case::new(loaded, shader, on, args.invocation.unwrap_or(0));
    explain(args, &case, given.as_ref(), args.invocation, ctx)
}

/// Explains a case, or one invocation of it.
fn explain(args: &Args, case: &Case, given: Option<&GivenValues>, only: Option<usize>, ctx: &Ctx) -> Outcome {
    let show = show_of(case, only, ctx.color_out && args.output.output.is_none());
    let failed = |error| Failure::usage(format!("{}: {error}", case.loaded.input.name));
    let (text, value, bad);
    if args.risk {
        let batch = case.batch();
        let batch = match only {
            Some(at) => alone(&case.shader, &batch, at).map_err(failed)?.0,
            None => batch,
        };
        let map = risk(&case.shader, &batch, &args.visible()).map_err(failed)?;
        text = show.risks(&map, &case.shader);
        value = show.risks_json(&map, &case.shader);
        bad = map.differing > 0;
    } else {
        let wanted = wanted(args, &case.shader)?;
        let made_up = args.given.random().is_some();
        let ask = Query { given, made_up, invocation: only, wanted: &wanted };
        let mut report = why(&case.shader, &case.batch(), &ask).map_err(failed)?;
        if args.no_notes {
            report.findings.retain(|finding| finding.severity > Severity::Note);
        }
        text = show.text(&report, !args.of.is_empty() || !args.expect.is_empty());
        value = show.json(&report);
        bad = report.is_bad();
    }
    args.write(&case.loaded.input.long_stem(), text, &value, ctx)?;
    if bad { Err(Failure::Shader) } else { Ok(()) }
}

impl Args {
    fn visible(&self) -> VisibleDifference {
        VisibleDifference { color: self.threshold, relative: f32::from(self.threshold) / 1000.0 }
    }

    /// Whether JSON is asked for, by `--format` or by the `--json` of every verb.
    fn is_json(&self, ctx: &Ctx) -> bool {
        self.format == Format::Json || ctx.format == MessageFormat::Json
    }

    /// What was found in the format that is asked for.
    fn worded(&self, text: String, value: &serde_json::Value, ctx: &Ctx) -> String {
        match self.format {
            Format::Json => format!("{value:#}\n"),
            // An object a line, as `--json` says.
            Format::Text if self.is_json(ctx) => format!("{value}\n"),
            Format::Text => text,
        }
    }

    /// Writes what was found in the format that is asked for.
    fn write(&self, stem: &OsStr, text: String, value: &serde_json::Value, ctx: &Ctx) -> Outcome {
        let extension = if self.is_json(ctx) { "json" } else { "txt" };
        let text = self.worded(text, value, ctx);
        Sink::new(&self.output)
            .write(io::with_ending(stem, &format!("why.{extension}")), &Payload::Text(text))
    }
}

/// The explanation of a program, run on what a run file gives, without colours.
pub(crate) fn explained(loaded: Loaded, given: &str) -> Result<String, String> {
    let lifting = LiftArgs::default().with_steps(true);
    let shader =
        loaded.program.lift(&lifting.options(Purpose::Run)).map_err(|finding| finding.to_string())?;
    let (on, given) = RunFile::parse_partial(given, &shader).map_err(|error| error.to_string())?;
    let case = Case::new(loaded, shader, on, 0);
    let ask = Query { given: Some(&given), ..Query::default() };
    let report = why(&case.shader, &case.batch(), &ask).map_err(|error| error.to_string())?;
    Ok(show_of(&case, None, false).text(&report, false))
}

/// How what is found about a case is shown.
fn show_of(case: &Case, only: Option<usize>, color: bool) -> ReportView<'_> {
    ReportView {
        name: &case.loaded.input.name,
        listing: case.listing(),
        count: if only.is_some() { 1 } else { case.on.count },
        words: ["invocation", "invocations"],
        numbered: true,
        color,
    }
}

/// The lanes that the flags ask about.
fn wanted(args: &Args, shader: &Shader) -> Outcome<Vec<OutputLane>> {
    let mut out = Vec::new();
    let named = |flag: &str, text: &str| {
        output_named(shader, text).ok_or_else(|| {
            let names: Vec<&str> = shader.outputs.iter().map(|output| output.name.as_str()).collect();
            Failure::usage(format!(
                "{flag} {text}: no such output or lane; expected one of {}",
                names.join(", ")
            ))
        })
    };
    for text in &args.of {
        let (output, lanes) = named("--of", text)?;
        out.extend(lanes.into_iter().map(|lane| OutputLane { output, lane, expected: None, tolerance: 0.0 }));
    }
    for text in &args.expect {
        let bad = |why: &str| Failure::usage(format!("--expect {text}: {why}"));
        let (name, values) = text.split_once('=').ok_or_else(|| bad("expected OUTPUT=VALUE"))?;
        let (output, mut lanes) = named("--expect", name)?;
        let values = values.trim().trim_start_matches('(').trim_end_matches(')');
        let values: Vec<&str> = values.split(',').map(str::trim).collect();
        // One number for an output of which one lane is written, as fog is, means that lane.
        if let ([_], false, [lane]) =
            (&values[..], name.contains('.'), lanes_written(shader, output).as_slice())
        {
            lanes = vec![*lane];
        }
        if values.len() != lanes.len() && values.len() != 1 {
            return Err(bad(&format!("found {} values for {} lanes", values.len(), lanes.len())));
        }
        for (n, lane) in lanes.into_iter().enumerate() {
            let value = values.get(n).or(values.first()).copied().unwrap_or("_");
            if value == "_" {
                continue;
            }
            let expected: f32 = value.parse().map_err(|_| bad(&format!("{value} is not a number")))?;
            out.push(OutputLane { output, lane, expected: Some(expected), tolerance: args.tolerance });
        }
    }
    Ok(out)
}
