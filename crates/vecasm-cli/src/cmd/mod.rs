//! The verbs, one file each.

pub(crate) mod asm;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod debug;
pub(crate) mod diff;
pub(crate) mod dis;
pub(crate) mod eqv;
pub(crate) mod explain;
pub(crate) mod extract;
pub(crate) mod fmt;
pub(crate) mod formats;
pub(crate) mod hash;
pub(crate) mod info;
pub(crate) mod opt;
pub(crate) mod reduce;
pub(crate) mod render;
pub(crate) mod repack;
pub(crate) mod repro;
pub(crate) mod run;
pub(crate) mod scan;
pub(crate) mod to;
pub(crate) mod tour;
pub(crate) mod why;

use crate::Outcome;
use crate::report::Ctx;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Asm(asm::Args),
    Dis(dis::Args),
    Fmt(fmt::Args),
    Check(check::Args),
    Info(info::Args),
    Extract(extract::Args),
    Repack(repack::Args),
    Hash(hash::Args),
    Scan(scan::Args),
    Explain(explain::Args),
    Formats(formats::Args),
    Completions(completions::Args),
    To(to::Args),
    Opt(opt::Args),
    Run(run::Args),
    Debug(Box<debug::Args>),
    Eqv(eqv::Args),
    Diff(diff::Args),
    Reduce(reduce::Args),
    Render(render::Args),
    Repro(repro::Args),
    Why(why::Args),
    Tour(tour::Args),
}

/// Runs a verb.
pub(crate) fn run(command: &Command, ctx: &Ctx) -> Outcome {
    match command {
        Command::Asm(args) => asm::run(args, ctx),
        Command::Dis(args) => dis::run(args, ctx),
        Command::Fmt(args) => fmt::run(args, ctx),
        Command::Check(args) => check::run(args, ctx),
        Command::Info(args) => info::run(args, ctx),
        Command::Extract(args) => extract::run(args, ctx),
        Command::Repack(args) => repack::run(args, ctx),
        Command::Hash(args) => hash::run(args, ctx),
        Command::Scan(args) => scan::run(args, ctx),
        Command::Explain(args) => explain::run(args, ctx),
        Command::Formats(args) => formats::run(args, ctx),
        Command::Completions(args) => completions::run(args),
        Command::To(args) => to::run(args, ctx),
        Command::Opt(args) => opt::run(args, ctx),
        Command::Run(args) => run::run(args, ctx),
        Command::Debug(args) => debug::run(args, ctx),
        Command::Eqv(args) => eqv::run(args, ctx),
        Command::Diff(args) => diff::run(args, ctx),
        Command::Reduce(args) => reduce::run(args, ctx),
        Command::Render(args) => render::run(args, ctx),
        Command::Repro(args) => repro::run(args, ctx),
        Command::Why(args) => why::run(args, ctx),
        Command::Tour(args) => tour::run(args, ctx),
    }
}
