//! The verbs, one file each.

pub(crate) mod dis;
pub(crate) mod explain;
pub(crate) mod formats;

use crate::Outcome;
use crate::report::Ctx;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Dis(dis::Args),
    Explain(explain::Args),
    Formats(formats::Args),
}

/// Runs a verb.
pub(crate) fn run(command: &Command, ctx: &Ctx) -> Outcome {
    match command {
        Command::Dis(args) => dis::run(args, ctx),
        Command::Explain(args) => explain::run(args, ctx),
        Command::Formats(args) => formats::run(args, ctx),
    }
}
