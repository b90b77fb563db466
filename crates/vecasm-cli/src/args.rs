//! The flags that several verbs share.

use crate::cmd;
use crate::flags::Flags;
use crate::including::IncludeArgs;
use crate::io::{self, Input};
use crate::load::Loaded;
use crate::{Failure, Outcome, programs};
use clap::{ArgMatches, Args, Command, FromArgMatches, Parser, ValueEnum};
use std::path::PathBuf;
use vecasm::container::Limits;
use vecasm::isa::{Isa, tgsi};
use vecasm::open::{AssumedNotation, OpenOptions};
pub(crate) use vecasm::options::ProgramChoice;
use vecasm::options::{ByName as _, GivenOptions, OptionError, Reading};

/// Tools for AGAL, Direct3D 8 and 9, TGSI and NV2A shaders.
#[derive(Debug, Parser)]
#[command(
    name = "vecasm",
    version,
    about = "Tools for AGAL, Direct3D 8 and 9, TGSI and NV2A shaders",
    long_about = "Assembles, disassembles, checks, runs, translates and draws AGAL, Direct3D 8 and 9, TGSI and \
        NV2A shaders.\n\n\
        Every verb reads text or binary, from files or from standard input (`-`, or no file at all), and detects \
        which it is.",
    after_help = "Exit status: 0 success, 1 the shader is bad, 2 usage or input/output error, 3 internal error.\n\
        A reader that closes the pipe (`| head`) changes no verdict.\n\
        `vecasm explain ID` explains the id of a finding; `vecasm formats` lists what is supported.",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) general: General,
    #[command(subcommand)]
    pub(crate) command: cmd::Command,
}

/// Flags of every verb.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "General")]
pub(crate) struct General {
    /// When to use colours; `auto` is on a terminal unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub(crate) color: Color,
    /// Format of findings: with the source, one line each, one JSON object per line, or one SARIF log
    #[arg(long, value_name = "FORMAT", default_value = "human", global = true)]
    pub(crate) message_format: MessageFormat,
    /// One JSON object per line, for findings and for what the verb writes; same as `--message-format json`
    #[arg(long, global = true, conflicts_with = "message_format")]
    pub(crate) json: bool,
    /// Maximum number of findings shown per program; 0 shows all [default: 100 for people, all for machines]
    #[arg(long, value_name = "N", global = true)]
    pub(crate) max_findings: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set or TERM is `dumb`
    Auto,
    /// Even into a file
    Always,
    /// Not at all
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageFormat {
    /// A block with the line of source concerned and help
    Human,
    /// `file:line:col: error[ID]: text`
    Short,
    /// One JSON object a line
    Json,
    /// One SARIF 2.1.0 log for all inputs
    Sarif,
}

/// What is read, and as what.
#[derive(Clone, Debug, Args)]
pub(crate) struct InputArgs {
    /// Files or folders to read; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Which files are read where several are, and how.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Several inputs")]
pub(crate) struct BatchArgs {
    /// Read more input names from FILE, one per line or each followed by a NUL; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// Do not descend into subfolders
    #[arg(long)]
    pub(crate) no_recurse: bool,
    /// Stop at the first input that fails
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Number of threads [default: as many as the machine has]; results do not depend on it
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
}

/// How what is read is understood: the library's options, and what is of the command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadingArgs {
    /// What they tell the library.
    pub(crate) open: OpenOptions<'static>,
    pub(crate) program: Option<ProgramChoice>,
    pub(crate) including: IncludeArgs,
}

impl Args for ReadingArgs {
    fn augment_args(command: Command) -> Command {
        let command = Flags::<Reading>::augment_args(command.next_help_heading("Input"));
        IncludeArgs::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ReadingArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let flags = Flags::<Reading>::from_arg_matches(matches)?;
        let args = Self { including: IncludeArgs::from_arg_matches(matches)?, ..Self::given(&flags.given) };
        heed_file_limit(flags.given.value("limit").unwrap_or_default(), args.open.limits);
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The limits of containers, for verbs that take nothing else.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct LimitArgs {
    /// Another limit of what a container may ask for: file, unpacked, ratio, depth, entries, types, elements or name
    #[arg(long, value_name = "NAME=N", value_parser = limit)]
    limit: Vec<String>,
}

impl LimitArgs {
    /// What they say of reading.
    pub(crate) fn reading(&self) -> ReadingArgs {
        let mut limits = Limits::DEFAULT;
        for word in self.limit.iter().flat_map(|words| words.split(',')) {
            // Each was looked at when it was given.
            let _ = limits.set(word);
        }
        heed_file_limit(&self.limit.join(","), limits);
        ReadingArgs::of(OpenOptions::default().with_limits(limits))
    }
}

/// Has files of the size that a flag names read; without one the command reads less than the library.
fn heed_file_limit(words: &str, limits: Limits) {
    if words.split(',').any(|word| word.starts_with("file=")) {
        io::set_largest(limits.file);
    }
}

fn limit(words: &str) -> Result<String, String> {
    let mut limits = Limits::DEFAULT;
    words.split(',').try_for_each(|word| limits.set(word)).map(|()| words.into())
}

/// The word of a value of a flag.
pub(crate) fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
}

impl ReadingArgs {
    /// Those that were given as options of the library.
    pub(crate) fn given(given: &GivenOptions<Reading>) -> Self {
        // The values were looked at when they were set.
        let Reading { open, program, .. } = given.apply(Reading::default()).unwrap_or_default();
        Self { open, program, including: IncludeArgs::default() }
    }

    /// With what is known besides.
    pub(crate) fn of(open: OpenOptions<'static>) -> Self {
        Self { open, ..Self::default() }
    }

    /// What they tell the library, for verbs that expect that.
    pub(crate) fn options(&self, likely: AssumedNotation) -> OpenOptions<'static> {
        self.open.with_likely(likely)
    }

    /// Refuses flags that say what the program is not, or that mean nothing for it.
    pub(crate) fn heeded(&self, loaded: &Loaded) -> Outcome {
        let (program, name) = (&loaded.program, &loaded.input.name);
        if let Some(finding) = program.contradicts(self.open.stage, self.open.version) {
            let flag = if self.open.stage.is_some_and(|stage| stage != program.stage()) {
                "--stage"
            } else {
                "--version"
            };
            return Err(Failure::usage(format!("{name}: {flag}: {}", finding.message)));
        }
        if self.open.dialect.is_some() && program.isa() != Isa::Tgsi {
            return Err(Failure::usage(format!(
                "{name}: --from-dialect is only for TGSI, but this is {}",
                program.model()
            )));
        }
        Ok(())
    }

    /// The flags for each of several inputs: the number of a program is for those that have several.
    pub(crate) fn of_each(&self, inputs: &[Input]) -> Vec<Self> {
        let alone = |input: &Input| programs::count(input, self) == 1;
        let numbered = inputs.len() > 1 && matches!(self.program, Some(ProgramChoice::Number(_)));
        let some = numbered && !inputs.iter().all(alone);
        let of = |input| Self { program: self.program.filter(|_| !(some && alone(input))), ..self.clone() };
        inputs.iter().map(of).collect()
    }

    /// As options of the library; those of `#include` are the command's own.
    pub(crate) fn reading(&self) -> GivenOptions<Reading> {
        Reading::new(self.open, self.program).given()
    }
}

/// Reads the value of an option of the library, for a flag with another name or help.
fn read<T>(option: &str, value: &str, of: impl Fn(OpenOptions<'static>) -> Option<T>) -> Result<T, String> {
    let read = OpenOptions::default().with(option, value).map_err(|error| match error {
        OptionError::Value { message, .. } => message,
        other => other.to_string(),
    });
    of(read?).ok_or_else(String::new)
}

/// Reads the name of an instruction set.
pub(crate) fn parse_isa(name: &str) -> Result<Isa, String> {
    read("isa", name, |open| open.isa)
}

/// Reads the name of a dialect of TGSI.
pub(crate) fn parse_tgsi(name: &str) -> Result<tgsi::Dialect, String> {
    read("from-dialect", name, |open| open.dialect)
}

/// Where the result goes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write to FILE, or into the folder DIR/, one file per input; `-` or none is standard output
    ///
    /// Results that would have the same name keep the whole names of their inputs: water.pso.hlsl, water.vso.hlsl.
    #[arg(short, long, value_name = "FILE|DIR/")]
    pub(crate) output: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory as _;

    #[test]
    fn every_verb_and_flag_is_documented() {
        let mut cli = Cli::command();
        cli.build();
        for verb in cli.get_subcommands().filter(|verb| verb.get_name() != "help") {
            assert!(verb.get_about().is_some(), "{} has no description", verb.get_name());
            assert!(verb.get_after_help().is_some(), "{} has no example", verb.get_name());
            for arg in verb.get_arguments() {
                assert!(arg.get_help().is_some(), "{} --{} is not documented", verb.get_name(), arg.get_id());
            }
        }
    }

    #[test]
    fn the_flags_do_not_contradict_one_another() {
        Cli::command().debug_assert();
    }
}
