//! From an input to a program.

use crate::args::{From, ReadingArgs};
use crate::io::{Form, Input};
use crate::report::Ctx;
use crate::{Failure, Outcome, io};
use vecasm::diag::Source;
use vecasm::isa::{self, AnyProgram, Isa};

/// A program and where it came from.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    /// What was read.
    pub(crate) input: Input,
    /// What it is.
    pub(crate) program: AnyProgram,
}

impl Loaded {
    /// How findings refer to it.
    pub(crate) fn source(&self) -> Source<'_> {
        Source { name: &self.input.name, text: None }
    }
}

/// Reads a program; what is wrong with it goes to standard error.
pub(crate) fn load(input: Input, reading: &ReadingArgs, likely: From, ctx: &Ctx) -> Outcome<Loaded> {
    match io::form(&input, reading.from, likely)? {
        Form::Bytes(bytes) => {
            let isa = match isa::sniff(&bytes) {
                _ if reading.isa.is_some() => reading.isa,
                Some(isa::Content::Binary(isa)) => Some(isa),
                _ => None,
            };
            let isa = isa.or_else(only_isa).ok_or_else(|| no_isa(&input))?;
            match AnyProgram::decode(isa, &bytes) {
                Ok(program) => Ok(Loaded { input, program }),
                Err(finding) => {
                    ctx.report(&[finding], Source { name: &input.name, text: None });
                    Err(Failure::Shader)
                }
            }
        }
        Form::Text => Err(no_isa(&input)),
    }
}

/// The instruction set of builds that have one only.
fn only_isa() -> Option<Isa> {
    match Isa::ALL {
        [isa] => Some(*isa),
        _ => None,
    }
}

fn no_isa(input: &Input) -> Failure {
    Failure::usage(format!("{}: cannot tell the instruction set; name it with --isa", input.name))
}
