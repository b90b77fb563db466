//! The flags that several verbs share.

use crate::cmd::Command;
use crate::including::IncludeArgs;
use crate::io::Input;
use crate::load::Loaded;
use crate::{Failure, Outcome, programs};
use clap::builder::PossibleValue;
use clap::{Args, Parser, ValueEnum};
use std::path::PathBuf;
use vecasm::ir;
use vecasm::isa::{Isa, tgsi};
use vecasm::open::{Likely, Notation, OpenOptions};
pub(crate) use vecasm::options::Which;
use vecasm::options::{ByName as _, Given, Reading, Value};

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
    pub(crate) command: Command,
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

/// How what is read is understood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct ReadingArgs {
    /// Instruction set [default: detected from the content]
    #[arg(long, value_name = "ISA", value_parser = parse_isa)]
    pub(crate) isa: Option<Isa>,
    /// Form of the input [default: detected from the content]
    #[arg(long, value_name = "FORM")]
    pub(crate) from: Option<From>,
    /// Stage of programs in text [default: taken from the text]
    #[arg(long, value_name = "STAGE")]
    pub(crate) stage: Option<Stage>,
    /// Language version of programs in text (AGAL: 1-4) [default: taken from the text, else 1]
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<u32>,
    /// Program of an input that has several (logs, pushbuffers, shader dumps, arrays): its number, or `all`; FILE#N names
    /// one too [default: all for check, dis and info, and for asm and to with -o DIR/; else the first]
    #[arg(long, value_name = "N", value_parser = Which::parse)]
    pub(crate) program: Option<Which>,
    /// TGSI: dialect of the text or tokens [default: detected from the content]
    ///
    /// Text is then read exactly as that reader does: no comments, no carriage returns, no words of other dialects.
    #[arg(long, value_name = "DIALECT", value_parser = parse_tgsi)]
    pub(crate) from_dialect: Option<tgsi::Dialect>,
    #[command(flatten)]
    pub(crate) including: IncludeArgs,
}

/// The word of a value of a flag.
pub(crate) fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
}

impl ReadingArgs {
    /// What they tell the library, for verbs that expect that.
    pub(crate) fn options(&self, likely: Likely) -> OpenOptions<'static> {
        OpenOptions::default()
            .with_isa(self.isa)
            .with_notation(self.from.map(From::notation))
            .with_stage(self.stage.map(Stage::of_ir))
            .with_version(self.version)
            .with_dialect(self.from_dialect)
            .with_likely(likely)
    }

    /// Refuses flags that say what the program is not, or that mean nothing for it.
    pub(crate) fn heeded(&self, loaded: &Loaded) -> Outcome {
        let (program, name) = (&loaded.program, &loaded.input.name);
        if let Some(finding) = program.contradicts(self.stage.map(Stage::of_ir), self.version) {
            let flag = if self.stage.is_some_and(|stage| stage.of_ir() != program.stage()) {
                "--stage"
            } else {
                "--version"
            };
            return Err(Failure::usage(format!("{name}: {flag}: {}", finding.message)));
        }
        if self.from_dialect.is_some() && program.isa() != Isa::Tgsi {
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
        let numbered = inputs.len() > 1 && matches!(self.program, Some(Which::Number(_)));
        let some = numbered && !inputs.iter().all(alone);
        let of = |input| Self { program: self.program.filter(|_| !(some && alone(input))), ..self.clone() };
        inputs.iter().map(of).collect()
    }

    /// As options of the library; those of `#include` are the command's own.
    pub(crate) fn given(&self) -> Given<Reading> {
        let flags = [
            ("isa", self.isa.map(|isa| isa.name().to_string())),
            ("from", self.from.map(word)),
            ("stage", self.stage.map(word)),
            ("version", self.version.map(|version| version.to_string())),
            ("program", self.program.map(|program| program.to_string())),
            ("from-dialect", self.from_dialect.map(|dialect| dialect.name().to_string())),
        ];
        let mut given = Given::default();
        for (name, value) in flags {
            // The library has the same words, which a test asks.
            let _ = value.map(|value| given.set(name, &value));
        }
        given
    }

    /// Those that options of the library are.
    pub(crate) fn of(given: &Given<Reading>) -> Self {
        // The values were looked at when they were set.
        let Reading { open, program, .. } = given.apply(Reading::default()).unwrap_or_default();
        Self {
            isa: open.isa,
            from: open.notation.map(From::of_notation),
            stage: open.stage.map(Stage::from),
            version: open.version,
            program,
            from_dialect: open.dialect,
            including: IncludeArgs::default(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// Bytecode
    Bin,
    /// Bytecode written as hexadecimal digits; `0x`, commas and C arrays are understood
    Hex,
    /// Bytecode written in base64
    Base64,
    /// Assembly
    Text,
}

impl From {
    /// The library's word for it.
    pub(crate) const fn notation(self) -> Notation {
        match self {
            Self::Bin => Notation::Binary,
            Self::Hex => Notation::Hex,
            Self::Base64 => Notation::Base64,
            Self::Text => Notation::Text,
        }
    }

    /// The one for the library's word.
    const fn of_notation(notation: Notation) -> Self {
        match notation {
            Notation::Binary => Self::Bin,
            Notation::Hex => Self::Hex,
            Notation::Base64 => Self::Base64,
            Notation::Text => Self::Text,
        }
    }
}

/// A stage, with its names on command lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stage(ir::Stage);

/// Every stage in the order of the pipeline.
const STAGES: [Stage; ir::Stage::ALL.len()] = {
    let mut out = [Stage(ir::Stage::Vertex); ir::Stage::ALL.len()];
    let mut n = 0;
    while n < out.len() {
        out[n] = Stage(ir::Stage::ALL[n]);
        n += 1;
    }
    out
};

impl ValueEnum for Stage {
    fn value_variants<'a>() -> &'a [Self] {
        &STAGES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let known = Reading::row("stage").ok().map(|row| row.option.value);
        let Some(Value::Word(words)) = known else { return None };
        let (_, help) = words.iter().find(|(name, _)| *name == self.0.name())?;
        Some(PossibleValue::new(self.0.name()).aliases(self.0.aliases()).help(*help))
    }
}

impl Stage {
    /// The stage.
    pub(crate) const fn of_ir(self) -> ir::Stage {
        self.0
    }

    /// The word used in messages and files.
    pub(crate) const fn name(self) -> &'static str {
        self.0.name()
    }
}

impl std::convert::From<ir::Stage> for Stage {
    fn from(stage: ir::Stage) -> Self {
        Self(stage)
    }
}

pub(crate) fn parse_isa(name: &str) -> Result<Isa, String> {
    name.parse::<Isa>().map_err(|_| {
        let known: Vec<&str> = Isa::ALL.iter().map(|isa| isa.name()).collect();
        format!("unknown instruction set; expected one of {}", known.join(", "))
    })
}

/// Checks the name of a dialect of TGSI.
pub(crate) fn parse_tgsi(name: &str) -> Result<tgsi::Dialect, String> {
    name.parse::<tgsi::Dialect>().map_err(|_| {
        let known: Vec<&str> = tgsi::Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        format!("expected one of {}", known.join(", "))
    })
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
