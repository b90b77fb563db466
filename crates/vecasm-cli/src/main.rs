//! The `vecasm` command line for AGAL, Direct3D 8 and 9, TGSI and NV2A shaders: text or binary in, one verb a subcommand.
//!
//! Exit status: 0 ok, 1 the shader is bad, 2 usage or input/output, 3 an internal error.

#![forbid(unsafe_code)]
// They panic where the reader has closed the pipe: `io::print` and `io::note` do not.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod args;
mod batch;
mod case;
mod checking;
mod cmd;
mod converting;
mod drawing;
mod engines;
mod flags;
mod including;
mod io;
mod layouts;
mod lifting;
mod load;
mod macros;
mod picking;
mod pictures;
mod programs;
mod repacking;
mod report;
mod repro;
mod slots;
mod targets;
mod writing;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _};
use std::io::{IsTerminal as _, Write as _};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

/// Why a verb ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The shader is bad, and that has been reported: exit status 1.
    Shader,
    /// Usage, input or output: exit status 2.
    Usage(String),
    /// The same, and it has been reported.
    Reported,
    /// An internal error, which has been reported: exit status 3.
    Internal,
    /// Standard output cannot be written: exit status 2. No input is to blame, and nothing more is tried.
    Output(String),
    /// The reader of the output has gone before anything was judged: success.
    BrokenPipe,
}

impl Failure {
    /// A usage or input/output failure with that message.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Shader => f.write_str("the shader is bad"),
            Self::Usage(message) | Self::Output(message) => f.write_str(message),
            Self::Reported => f.write_str("the input is invalid"),
            Self::Internal => f.write_str("internal error"),
            Self::BrokenPipe => f.write_str("the reader closed the pipe"),
        }
    }
}

/// Only standard output fails without a name.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Self::BrokenPipe
        } else {
            Self::Output(format!("standard output: {}", io::plain(&error)))
        }
    }
}

/// What a verb gives.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

fn main() -> ExitCode {
    let matches = cmd::to::applies::explained(args::Cli::command())
        .try_get_matches_from(io::words_of(std::env::args_os()));
    let matches = match matches {
        Ok(matches) => matches,
        Err(error) => return unheard(&cmd::to::applies::hinted(error)),
    };
    let cli = match args::Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return unheard(&error),
    };
    let ctx = report::Ctx::new(&cli.general);
    let default_hook = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        default_hook(info);
        io::note(&format!(
            "vecasm {}: internal error; please report it with the input and the line above at {}/issues",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_REPOSITORY")
        ));
    }));
    let foreign = cmd::to::applies::foreign(&matches);
    ExitCode::from(status(&ctx, || {
        foreign.map_or(Ok(()), |flag| Err(Failure::Usage(flag))).and_then(|()| cmd::run(&cli.command, &ctx))
    }))
}

/// Says what is wrong with a command line, as all messages begin, or prints the help that it asks for.
fn unheard(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
    } else {
        let text = error.render();
        let color =
            std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        let text = if color { text.ansi().to_string() } else { text.to_string() };
        let _ = write!(std::io::stderr().lock(), "vecasm: {text}");
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Runs a verb; gives the exit status.
fn status(ctx: &report::Ctx, verb: impl FnOnce() -> Outcome) -> u8 {
    let Ok(outcome) = panic::catch_unwind(AssertUnwindSafe(verb)) else { return 3 };
    let (status, failure) = match outcome {
        Ok(()) | Err(Failure::BrokenPipe) => (0, None),
        Err(Failure::Shader) => (1, None),
        Err(Failure::Usage(message) | Failure::Output(message)) => (2, Some(message)),
        Err(Failure::Reported) => (2, None),
        Err(Failure::Internal) => (3, None),
    };
    ctx.finish(failure.as_deref());
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[test]
    fn every_outcome_has_its_exit_status() {
        let cli = args::Cli::parse_from(["vecasm", "formats"]);
        let ctx = report::Ctx::new(&cli.general);
        assert_eq!(status(&ctx, || Ok(())), 0);
        assert_eq!(status(&ctx, || Err(Failure::BrokenPipe)), 0);
        assert_eq!(status(&ctx, || Err(Failure::Shader)), 1);
        assert_eq!(status(&ctx, || Err(Failure::usage("on purpose"))), 2);
        assert_eq!(status(&ctx, || Err(Failure::Output("on purpose".into()))), 2);
        assert_eq!(status(&ctx, || Err(Failure::Reported)), 2);
        assert_eq!(status(&ctx, || panic!("on purpose")), 3);
    }
}
