//! `vecasm completions`: what a shell needs to complete our command line.

use crate::args::Cli;
use crate::{Outcome, io};
use clap::CommandFactory as _;
use clap_complete::Shell;

/// Print the completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm completions bash > ~/.local/share/bash-completion/completions/vecasm\n  \
    vecasm completions zsh > ~/.zfunc/_vecasm           a folder in $fpath\n  \
    vecasm completions fish > ~/.config/fish/completions/vecasm.fish\n  \
    vecasm completions powershell >> $PROFILE\n  \
    vecasm completions elvish >> ~/.config/elvish/rc.elv")]
pub(crate) struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Outcome {
    // Into memory first: the generator panics if its writer fails, and the reader of a pipe may be gone.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), env!("CARGO_BIN_NAME"), &mut script);
    io::print(&String::from_utf8_lossy(&script))
}
