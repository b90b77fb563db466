//! Two edits of a program put together.

use super::lines::MergedLines;
use super::show;
use super::{Args, container_of, map_inputs, merge_containers};
use crate::io::{self, Input, Payload, Sink};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::targets::{self, ByteFormat};
use crate::{Failure, Outcome};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use vecasm::CheckOptions;
use vecasm::compare::merge::{Chunk, Names, Origin, marked};
use vecasm::diag::Diagnostic;

pub(super) fn run(args: &Args, base: &Path, ctx: &Ctx) -> Outcome {
    let inputs = io::read_each([base, &args.first, &args.second])?;
    let wholes = map_inputs(&inputs, |input| container_of(input, args))?;
    if let [Some(base), Some(a), Some(b)] = &wholes {
        return merge_containers::run(args, ctx, [base, a, b]);
    }
    let form = targets::notation_of(&inputs[1], &args.reading)?;
    let loaded = load::load_each(inputs, &args.reading, ctx)?;
    let names = loaded.each_ref().map(|one| one.input.name.raw());
    let names = Names { base: names[0], a: names[1], b: names[2] };
    let merged = MergedLines::of(loaded.each_ref().map(|one| one.program.any())).map_err(Failure::usage)?;
    let result = MergeOutcome::of(&merged, &loaded, "the merged program", names)?;
    let report = if args.is_text(ctx) {
        let details = if args.stat { String::new() } else { details(args, ctx, &merged, names) };
        format!("{details}{}\n", summary(&merged))
    } else {
        format!("{}\n", to_json(&merged, &result, names))
    };
    // What is written to standard output is the program alone.
    if args.output.as_deref().is_none_or(|path| path.as_os_str() != io::DASH) {
        io::print(&report)?;
    }
    result.report(ctx);
    if let Some(path) = &args.output {
        let payload = match &result {
            MergeOutcome::Good(loaded) | MergeOutcome::Refused(loaded, _) => {
                targets::in_notation(&loaded.input, &loaded.program, ByteFormat::of_file(path).or(form))
            }
            MergeOutcome::Unread(..) | MergeOutcome::Conflicts => Payload::Text(merged.text(names)),
        };
        let sink = if path.as_os_str() == io::DASH { Sink::Stdout } else { Sink::File(path.clone()) };
        sink.write("", &payload)?;
    }
    if matches!(result, MergeOutcome::Good(_)) { Ok(()) } else { Err(Failure::Shader) }
}

/// What a merge gives.
pub(super) enum MergeOutcome {
    /// A program.
    Good(Box<Loaded>),
    /// A program that the original run time refuses, where it takes all three.
    Refused(Box<Loaded>, Vec<Diagnostic>),
    /// A text that is no program.
    Unread(Box<Input>, Vec<Diagnostic>),
    /// There are conflicts.
    Conflicts,
}

impl MergeOutcome {
    /// What the merged lines of three programs give.
    pub(super) fn of(
        merged: &MergedLines,
        sides: &[Loaded; 3],
        name: &str,
        names: Names<'_>,
    ) -> Outcome<Self> {
        if !merged.merge.is_clean() {
            return Ok(Self::Conflicts);
        }
        let loaded = match merged.read(name, names)? {
            Ok(loaded) => Box::new(loaded),
            Err((input, findings)) => return Ok(Self::Unread(Box::new(input), findings)),
        };
        let options = CheckOptions::default();
        if loaded.program.is_accepted(&options) || sides.iter().any(|one| !one.program.is_accepted(&options))
        {
            return Ok(Self::Good(loaded));
        }
        let findings = loaded.program.check(&options);
        Ok(Self::Refused(loaded, findings))
    }

    /// What is wrong with it.
    pub(super) fn findings(&self) -> &[Diagnostic] {
        match self {
            Self::Refused(_, findings) | Self::Unread(_, findings) => findings,
            Self::Good(_) | Self::Conflicts => &[],
        }
    }

    /// Reports what is wrong with it.
    pub(super) fn report(&self, ctx: &Ctx) {
        match self {
            Self::Refused(loaded, findings) => ctx.report(findings, loaded.program.renderer()),
            Self::Unread(input, findings) => ctx.report(findings, input.renderer()),
            Self::Good(_) | Self::Conflicts => {}
        }
    }
}

/// What one side changed in a program.
pub(super) fn changes(args: &Args, ctx: &Ctx, base: &Loaded, side: &Loaded) -> String {
    let names = [base, side].map(|one| one.input.name.raw());
    match MergedLines::of([base, side, base].map(|one| one.program.any())) {
        Ok(merged) => show::text(args, ctx, names, &merged.changes(1)),
        Err(_) => String::new(),
    }
}

/// What each side changed, and the conflicts between markers.
pub(super) fn details(args: &Args, ctx: &Ctx, merged: &MergedLines, names: Names<'_>) -> String {
    let of = |side: usize, name| show::text(args, ctx, [names.base, name], &merged.changes(side));
    let mut out = of(1, names.a) + &of(2, names.b);
    for chunk in merged.merge.chunks.iter().filter(|chunk| chunk.origin == Origin::Conflict) {
        for line in marked(parts(merged, chunk), names) {
            let _ = writeln!(out, "{line}");
        }
    }
    out
}

/// The lines of a chunk: of the base, the first and the second program.
fn parts<'a>(merged: &'a MergedLines, chunk: &Chunk) -> [&'a [String]; 3] {
    let ranges = [&chunk.base, &chunk.a, &chunk.b];
    [0, 1, 2].map(|n| merged.lines[n].get(ranges[n].clone()).unwrap_or_default())
}

/// `1 change of the first, 2 of the second, 0 of both, 1 conflict`.
pub(super) fn summary(merged: &MergedLines) -> String {
    let [first, second, both, conflicts] =
        [Origin::First, Origin::Second, Origin::Both, Origin::Conflict].map(|of| merged.merge.count(of));
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    format!(
        "{first} change{} of the first, {second} of the second, {both} of both, {conflicts} conflict{}",
        plural(first),
        plural(conflicts)
    )
}

/// The chunks that somebody changed.
pub(super) fn chunks_json(merged: &MergedLines) -> Value {
    let each = merged.merge.chunks.iter().filter(|chunk| chunk.origin != Origin::Base).map(|chunk| {
        let [base, a, b] = parts(merged, chunk);
        json!({ "from": chunk.origin.name(), "base": base, "a": a, "b": b })
    });
    each.collect()
}

fn to_json(merged: &MergedLines, result: &MergeOutcome, names: Names<'_>) -> Value {
    json!({
        "merged": matches!(result, MergeOutcome::Good(_)),
        "base": names.base,
        "a": names.a,
        "b": names.b,
        "conflicts": merged.merge.count(Origin::Conflict),
        "findings": result.findings().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "chunks": chunks_json(merged),
        "text": merged.text(names),
    })
}
