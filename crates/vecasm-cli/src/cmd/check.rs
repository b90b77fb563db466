//! `vecasm check`: programs are validated as the original runtime would.

mod pairs;
pub(crate) mod record;

use crate::args::{InputArgs, MessageFormat};
use crate::batch::{Batch, Job, Words};
use crate::checking::CheckArgs;
use crate::io::{Input, Name};
use crate::load::{self, Loaded};
use crate::report::{Ctx, tally};
use crate::{Failure, Outcome, io, targets};
use std::fmt::Write as _;
use std::path::Path;
use vecasm::diag::{self, Diagnostic, Renderer, Severity, Source};
use vecasm::ir::Stage;
use vecasm::isa::{AnyProgram, Isa};
use vecasm::open::AssumedNotation;
use vecasm::{CheckOptions, Program};

/// Validate as the original runtime would
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm check shader.frag.agal\n  \
    vecasm check sky.vert.agal sky.frag.agal        a pair, known by the names, is also linked, as Program3D.upload \
    does\n  \
    vecasm check --pair a.agal b.agal               a pair whose names do not show it\n  \
    vecasm check sky.vs sky.ps                      of Direct3D, too: usages, registers, models\n  \
    vecasm check --profile mojoshader water.ps      or d3d8, dxvk, wine\n  \
    vecasm check --profile baseline dumps/          every shader in the folder and its subfolders\n  \
    vecasm check --json dumps/                      for machines: findings, and one record per program; `short` for editors\n  \
    vecasm check --message-format sarif *.agal > vecasm.sarif      for code scanning\n  \
    vecasm check --rule help                        the unsettled points and their values\n\n\
    Findings go to standard output. The exit status is 1 if any of them is an error.")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    checking: CheckArgs,
    /// Link the two inputs as vertex and fragment program, in this order
    #[arg(long, help_heading = "Checking")]
    pair: bool,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(help) = args.checking.help() {
        return io::print(&help);
    }
    let options = args.checking.options(|| likely(args))?;
    let batch = Batch::new(&args.input.files, &args.input.batch)?;
    let named = batch.named();
    let two = match named.as_deref() {
        Some([first, second]) => Some((*first, *second)),
        _ => None,
    };
    if args.pair && two.is_none() {
        return Err(Failure::usage("--pair needs two inputs"));
    }
    let done = match two {
        Some((first, second)) if args.pair || pairs::related(first, second) => {
            match pair(args, first, second, &options, ctx)? {
                Some(done) => done,
                None => all(args, &batch, &options, ctx),
            }
        }
        Some((first, second)) => {
            let done = all(args, &batch, &options, ctx);
            if let Some(note) = unlinked(args, first, second, &options) {
                ctx.tell(&note);
            }
            done
        }
        None => all(args, &batch, &options, ctx),
    };
    if let Some(log) = ctx.take_log() {
        io::print(&log)?;
    }
    done
}

/// The instruction set of the first input, for messages.
fn likely(args: &Args) -> Option<Isa> {
    let first = args.input.files.first().filter(|file| file.is_file());
    args.input.reading.open.isa.or_else(|| io::read(first?).ok()?.isa())
}

/// Checks each program on its own.
fn all(args: &Args, batch: &Batch, options: &CheckOptions, ctx: &Ctx) -> Outcome {
    let format = ctx.format;
    let lost = move |path: &Path, name: &Name, why: &str| match format {
        MessageFormat::Json => io::print(&format!("{}\n", record::lost(path, name, why))),
        _ => Ok(()),
    };
    let passed = move |input: &Input, what: Option<&str>| match format {
        MessageFormat::Json => io::print(&format!("{}\n", record::passed_over(input, what))),
        _ => Ok(()),
    };
    let job =
        Job::new(&args.input.reading, Words::Verdict).all().or_empty().or_lost(&lost).or_passed(&passed);
    let mut isas: Vec<Isa> = Vec::new();
    let done = batch.run(
        &job,
        ctx,
        |input, ctx| one(args, input, options, batch.is_several(), ctx),
        |_, (text, good, isa)| {
            isas.extend(isa.filter(|isa| !isas.contains(isa)));
            io::print(&text)?;
            if good { Ok(()) } else { Err(Failure::Shader) }
        },
    );
    // Of one input that has been said already.
    match args.checking.unheeded(&isas).filter(|_| batch.is_several() && !isas.is_empty()) {
        Some(why) if !matches!(done, Err(Failure::Internal | Failure::Output(_))) => Err(Failure::Usage(why)),
        _ => done,
    }
}

/// What there is to say about one program, whether it is good, and its instruction set.
fn one(
    args: &Args,
    input: Input,
    options: &CheckOptions,
    several: bool,
    ctx: &Ctx,
) -> Outcome<(String, bool, Option<Isa>)> {
    let mut out = String::new();
    let mut isa = None;
    let good = match load::read(input, &args.input.reading, AssumedNotation::Anything)? {
        Ok(loaded) => {
            isa = Some(loaded.program.isa());
            args.input.reading.heeded(&loaded)?;
            heeded(args, &loaded, several)?;
            program(ctx, &mut out, &loaded, &loaded.program.check(options))
        }
        Err((input, findings)) => {
            section(ctx, &mut out, &findings, input.renderer(), None);
            if ctx.format == MessageFormat::Json {
                let _ = writeln!(out, "{}", record::unreadable(&input, &findings));
            }
            false
        }
    };
    Ok((out, good, isa))
}

/// Refuses flags that say nothing about a program, if it is the only one.
fn heeded(args: &Args, loaded: &Loaded, several: bool) -> Outcome {
    match args.checking.unheeded(&[loaded.program.isa()]).filter(|_| !several) {
        Some(why) => Err(Failure::usage(format!("{}: {why}", loaded.input.name))),
        None => Ok(()),
    }
}

/// That a vertex and a fragment program would not link, whose names do not tell whether they belong together.
fn unlinked(args: &Args, first: &Path, second: &Path, options: &CheckOptions) -> Option<String> {
    // What was read from standard input is not there twice.
    if [first, second].iter().any(|path| path.as_os_str() == io::DASH) {
        return None;
    }
    let load = |path: &Path| {
        load::read(io::read(path).ok()?, &args.input.reading, AssumedNotation::Anything)
            .ok()
            .and_then(Result::ok)
    };
    let (a, b) = (load(first)?, load(second)?);
    let (vertex, fragment) = if a.program.stage() == Stage::Fragment { (b, a) } else { (a, b) };
    if vertex.program.stage() != Stage::Vertex || fragment.program.stage() != Stage::Fragment {
        return None;
    }
    let findings = AnyProgram::validate_pair(&vertex.program, &fragment.program, options)?;
    let error = findings.linkage.iter().find(|finding| finding.severity == Severity::Error)?;
    Some(format!(
        "vecasm: note: as a pair they do not link ({}); `vecasm check --pair {} {}` shows why",
        error.id, vertex.input.name, fragment.input.name
    ))
}

/// Checks two programs that are used together; `None` if they are not such.
fn pair(
    args: &Args,
    first: &Path,
    second: &Path,
    options: &CheckOptions,
    ctx: &Ctx,
) -> Outcome<Option<Outcome>> {
    let mut both = Vec::new();
    for path in [first, second] {
        let loaded = io::read(path)
            .and_then(|input| load::read(input, &args.input.reading, AssumedNotation::Anything));
        match loaded {
            Ok(Ok(loaded)) => both.push(loaded),
            // What was read from standard input is not there twice.
            Err(failure) if args.pair && [first, second].iter().any(|p| p.as_os_str() == io::DASH) => {
                return Err(failure);
            }
            _ => return Ok(None),
        }
    }
    let [a, b] = both.as_slice() else { return Ok(None) };
    if let Some(why) = args.checking.unheeded(&[a.program.isa(), b.program.isa()]) {
        return Err(Failure::Usage(why));
    }
    for loaded in &both {
        args.input.reading.heeded(loaded)?;
    }
    let (vertex, fragment) = if a.program.stage() == Stage::Fragment && !args.pair { (b, a) } else { (a, b) };
    let fit = vertex.program.stage() == Stage::Vertex && fragment.program.stage() == Stage::Fragment;
    if !args.pair && !fit {
        return Ok(None);
    }
    let Some(findings) = Program::check_pair(&vertex.program, &fragment.program, options) else {
        return Ok(None);
    };
    let mut out = String::new();
    let mut good = true;
    for (loaded, findings) in [(vertex, findings.vertex), (fragment, findings.fragment)] {
        good &= program(ctx, &mut out, loaded, &findings);
    }
    good &= !diag::has_errors(&findings.linkage);
    if ctx.format == MessageFormat::Sarif {
        ctx.log(&findings.linkage, fragment.source(), Some(vertex.source()));
    } else {
        let name = format!("{} + {}", vertex.input.name.raw(), fragment.input.name.raw());
        section(ctx, &mut out, &findings.linkage, Source { name: &name, text: None }.into(), Some("linked"));
    }
    io::print(&out)?;
    Ok(Some(if good { Ok(()) } else { Err(Failure::Shader) }))
}

/// Writes the findings of one program; gives whether none is an error.
fn program(ctx: &Ctx, out: &mut String, loaded: &Loaded, findings: &[Diagnostic]) -> bool {
    let what = targets::title_lower(&loaded.program);
    section(ctx, out, findings, loaded.program.renderer(), Some(&what));
    if ctx.format == MessageFormat::Json {
        let _ = writeln!(out, "{}", record::of(loaded, findings));
    }
    !diag::has_errors(findings)
}

/// Writes findings and, for people, what they come to. `what` is what was looked at.
fn section(ctx: &Ctx, out: &mut String, findings: &[Diagnostic], about: Renderer<'_>, what: Option<&str>) {
    let name = diag::printable_line(about.source().name);
    out.push_str(&ctx.render(findings, about, ctx.color_out));
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
    let _ = writeln!(out, "{}: {on}{verdict}{off} ({details})", name);
}
