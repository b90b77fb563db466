//! `vecasm debug`: step through a run, forth and back.
//!
//! The model is [`vecasm::debug::session`]. `json` and `dap` carry the messages of [`vecasm::debug::protocol`] over standard input
//! and output, `screen` is for people.

mod dap;
mod json;
mod screen;

use crate::case::{Case, CaseArgs};
use crate::report::Ctx;
use crate::{Failure, Outcome};
use vecasm::debug::session::Session;

/// Step through a run forwards and backwards, see every register, and find where a component came from
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm debug torus.scene.json --pixel 200,130\n  \
    vecasm debug torus.scene.json --pixel 200,130 --vertex 0\n  \
    vecasm debug shader.frag.agal -i inputs.json\n  \
    echo '{\"do\": \"state\"}' | vecasm debug shader.frag.agal -i inputs.json --json\n  \
    vecasm debug shader.bin --random 4 --invocation 2 --json < requests.jsonl\n  \
    vecasm debug --dap                          for editors, which choose what to debug\n\n\
    On a terminal `?` shows the keys; docs/debugging.md is the manual of the screen and of both protocols.")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) case: CaseArgs,
    /// Read requests from standard input, one JSON object per line, and answer each with a line
    #[arg(long, conflicts_with = "dap", help_heading = "Debugging")]
    json: bool,
    /// Serve the Debug Adapter Protocol on standard input and output
    #[arg(long, help_heading = "Debugging")]
    dap: bool,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(help) = args.case.lifting.help() {
        return crate::io::print(&help);
    }
    if args.dap {
        return dap::serve(args, ctx);
    }
    if args.json {
        if args.case.reads_stdin() {
            return Err(Failure::usage("requests come from standard input: name the shader, and no `-`"));
        }
        return json::serve(session(Case::from_args(&args.case, ctx)?)?);
    }
    let case = Case::from_args(&args.case, ctx)?;
    let about = screen::SubjectInfo::of(&case);
    screen::run(session(case)?, about, ctx)
}

/// A session at the start of what a case runs.
pub(crate) fn session(case: Case) -> Outcome<Session> {
    let session = case.loaded.program.session(case.shader.clone(), &case.batch(), case.invocation);
    session.map_err(|error| Failure::usage(error.to_string()))
}
