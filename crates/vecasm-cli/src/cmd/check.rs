//! `vecasm check`: what the original runtime would say.

use crate::args::{InputArgs, MessageFormat};
use crate::checking::CheckArgs;
use crate::io::Likely;
use crate::load::{self, Loaded};
use crate::report::{Ctx, tally};
use crate::{Failure, Outcome, io, targets};
use std::fmt::Write as _;
use vecasm::diag::{self, Diagnostic, Severity, Source};
use vecasm::isa::AnyProgram;

/// Say what the original runtime would say
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm check shader.frag.agal\n  \
    vecasm check sky.vert.agal sky.frag.agal        a pair is also linked, as Program3D.upload does\n  \
    vecasm check sky.vs sky.ps                      of Direct3D, too: usages, registers, models\n  \
    vecasm check --profile mojoshader water.ps      d3d8, mojoshader, dxvk and wine: who else would take it\n  \
    vecasm check --profile baseline *.bin\n  \
    vecasm check --message-format json a.bin        for machines; `short` for editors\n  \
    vecasm check --message-format sarif *.agal > vecasm.sarif      for code scanning\n  \
    vecasm check --rule help                        the unsettled points and their values\n\n\
    Findings go to standard output. Exit status 1 if one of them is an error.")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    checking: CheckArgs,
    /// Take the two inputs as vertex and fragment program in this order, whatever they say they are
    #[arg(long, help_heading = "Checking")]
    pair: bool,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(help) = args.checking.help() {
        return io::print(&help);
    }
    let options = args.checking.options()?;
    let mut out = String::new();
    let mut bad = false;
    let mut good: Vec<Loaded> = Vec::new();
    let inputs = io::read_all(&args.input.files)?;
    if args.pair && inputs.len() != 2 {
        return Err(Failure::usage("--pair is for two inputs"));
    }
    for input in inputs {
        match load::read(input, &args.input.reading, Likely::Anything)? {
            Ok(loaded) => good.push(loaded),
            Err((input, findings)) => {
                bad = true;
                let text = std::str::from_utf8(&input.bytes).ok();
                section(ctx, &mut out, &findings, Source { name: &input.name, text }, None);
            }
        }
    }
    let mut pair = None;
    if let [a, b] = good.as_slice() {
        let (vertex, fragment) = if a.program.stage() == "fragment" && !args.pair { (b, a) } else { (a, b) };
        if args.pair || vertex.program.stage() == "vertex" && fragment.program.stage() == "fragment" {
            pair = AnyProgram::validate_pair(&vertex.program, &fragment.program, &options)
                .map(|findings| ((vertex, fragment), findings));
        }
    }
    match pair {
        Some(((vertex, fragment), findings)) => {
            for (loaded, findings) in [(vertex, findings.vertex), (fragment, findings.fragment)] {
                bad |= program(ctx, &mut out, loaded, findings);
            }
            let name = format!("{} + {}", vertex.input.name, fragment.input.name);
            bad |= diag::has_errors(&findings.linkage);
            if ctx.format == MessageFormat::Sarif {
                ctx.log(&findings.linkage, fragment.source(), Some(vertex.source()));
            } else {
                section(ctx, &mut out, &findings.linkage, Source { name: &name, text: None }, Some("linked"));
            }
        }
        None => {
            for loaded in &good {
                bad |= program(ctx, &mut out, loaded, loaded.program.validate(&options));
            }
        }
    }
    out.extend(ctx.take_log(None));
    io::print(&out)?;
    if bad { Err(Failure::Shader) } else { Ok(()) }
}

/// Writes the findings of one program; gives whether one is an error.
fn program(ctx: &Ctx, out: &mut String, loaded: &Loaded, findings: Vec<Diagnostic>) -> bool {
    let mut all = loaded.remarks.clone();
    all.extend(findings);
    loaded.place(&mut all);
    let what = targets::title_lower(&loaded.program);
    section(ctx, out, &all, loaded.source(), Some(&what));
    diag::has_errors(&all)
}

/// Writes findings and, for people, what they come to. `what` is what was looked at.
fn section(ctx: &Ctx, out: &mut String, findings: &[Diagnostic], source: Source<'_>, what: Option<&str>) {
    out.push_str(&ctx.render(findings, source, ctx.color_out));
    if ctx.format != MessageFormat::Human {
        return;
    }
    let worst = findings.iter().map(|d| d.severity).max();
    let (on, off) = match (ctx.color_out, worst) {
        (false, _) => ("", ""),
        (true, Some(Severity::Error)) => ("\x1b[1;31m", "\x1b[0m"),
        (true, Some(Severity::Warning)) => ("\x1b[1;33m", "\x1b[0m"),
        (true, _) => ("\x1b[1;32m", "\x1b[0m"),
    };
    let verdict = if diag::has_errors(findings) { "refused" } else { "accepted" };
    let mut details = tally(findings);
    if let Some(what) = what {
        if !details.is_empty() {
            details.push_str("; ");
        }
        details.push_str(what);
    }
    let _ = writeln!(out, "{}: {on}{verdict}{off} ({details})", source.name);
}
