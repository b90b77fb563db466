//! Repro files, as the command reads them: with its own words for what is wrong with a flag.

use crate::args::ReadingArgs;
use crate::including::IncludeArgs;
use crate::io::Input;
use crate::lifting::LiftArgs;
use crate::{Failure, Outcome};
use clap::{Args, Parser};
use vecasm::repro::{self, ReproError};

pub(crate) use vecasm::repro::{Action, Draw, Repro, Run, is, is_name};

/// The flags that a repro file keeps, as words of a command line.
#[derive(Clone, Debug, Default, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Words {
    #[command(flatten)]
    flags: Flags,
}

/// How the programs are read, and what they mean where that is open.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Flags {
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) lifting: LiftArgs,
}

impl Flags {
    /// Those of a repro file.
    pub(crate) fn of(repro: &Repro) -> Self {
        let flags = &repro.flags;
        Self { reading: ReadingArgs::given(&flags.reading), lifting: LiftArgs::of_given(&flags.lifting) }
    }

    /// As a repro file keeps them.
    pub(crate) fn kept(&self) -> repro::Flags {
        repro::Flags::new(self.reading.reading(), self.lifting.flags.given.clone())
    }

    fn parse(words: &[String]) -> Result<repro::Flags, ReproError> {
        let wrong = |message: &str| ReproError { path: "$.flags".into(), message: message.into() };
        let words = Words::try_parse_from(words).map_err(|error| {
            let text = error.to_string();
            wrong(text.lines().next().unwrap_or_default().trim_start_matches("error: "))
        })?;
        if words.flags.reading.including != IncludeArgs::default() {
            return Err(wrong(
                "a repro file contains what #include reads, so the flags of #include have no place",
            ));
        }
        Ok(words.flags.kept())
    }
}

/// Reads a repro file.
pub(crate) fn read(input: &Input) -> Outcome<Repro> {
    let repro = Repro::parse_with(input.bytes(), &mut |words| Flags::parse(words));
    repro.map_err(|why| Failure::usage(format!("{}: {why}", input.name)))
}

/// The program that is run, as an input under its own name, so that the name still tells what it tells.
pub(crate) fn program(run: &Run, name: &str) -> Input {
    Input::new(format!("{name}: {}", run.name), Some(run.name.clone().into()), run.program.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command and the library read the same words in the same way.
    #[test]
    fn flags_mean_what_they_mean_to_the_library() {
        let lists: &[&[&str]] = &[
            &[],
            &["--isa", "agal", "--stage", "frag", "--numerics", "ieee"],
            &["--isa=tgsi", "--from-dialect", "virgl", "--version=3", "--program", "all"],
            &["--from", "bin", "--program", "7"],
            &["--from", "hex"],
            &["--from", "base64"],
            &["--from", "text"],
            &["--numerics", "flash,exact", "--numerics=ieee", "--ifg", "greater"],
            &["--ifg", "greater-equal", "--compat", "tgsi_exec", "--start", "3"],
            &["--rule", "lit-zero=lit", "--rule=zero-wins=always"],
            &["--position=clip", "--clamp", "all"],
            &["--subpixel", "--state-program", "--given-registers", "--pipeline", "none"],
            &["--pipeline", "fog,fog", "--pipeline", "none"],
            &["--isa", "glsl"],
            &["--isa"],
            &["--isa", "agal", "--isa", "agal"],
            &["--from", "text,hex"],
            &["--from", "--stage"],
            &["--stage", "middle"],
            &["--version", "-1"],
            &["--version", "4294967296"],
            &["--program", "0"],
            &["--program", "-"],
            &["--from-dialect", "mesa"],
            &["--numerics", "ieee,"],
            &["--numerics", ""],
            &["--rule", "lit-zero"],
            &["--subpixel=true"],
            &["--subpixel", "--subpixel"],
            &["--no-such-flag"],
            &["-i", "x"],
            &["x"],
            &[""],
        ];
        let (mut good, mut bad) = (0, 0);
        for list in lists {
            let words: Vec<String> = list.iter().map(ToString::to_string).collect();
            let (own, library) = (Flags::parse(&words), repro::Flags::parse(&words));
            match (own, library) {
                (Ok(own), Ok(library)) => {
                    let read =
                        |flags: &repro::Flags| (ReadingArgs::given(&flags.reading), flags.lifting.clone());
                    assert_eq!(read(&own), read(&library), "{words:?}");
                    assert_eq!(ReadingArgs::given(&own.reading).reading(), own.reading, "{words:?}");
                    good += 1;
                }
                (Err(own), Err(library)) => {
                    assert_eq!(own.path, "$.flags");
                    assert!(library.path.starts_with("$.flags["), "{library}");
                    bad += 1;
                }
                (own, library) => panic!("{words:?}: {own:?}, but {library:?}"),
            }
        }
        assert_eq!((good, bad), (13, 20));
    }

    #[test]
    fn flags_are_looked_at_before_files() {
        for (flags, expected) in [
            (r#""--numerics", "foo""#, "$.flags: invalid value 'foo' for '--numerics <NUMERICS>'"),
            (r#""--nope""#, "$.flags: unexpected argument '--nope' found"),
            (
                r#""--no-include""#,
                "$.flags: a repro file contains what #include reads, so the flags of #include have no place",
            ),
        ] {
            let text = format!(r#"{{"vecasm-repro": 1, "flags": [{flags}], "files": 1}}"#);
            let why = Repro::parse_with(text.as_bytes(), &mut |words| Flags::parse(words)).unwrap_err();
            assert_eq!(why.to_string(), expected);
        }
    }
}
