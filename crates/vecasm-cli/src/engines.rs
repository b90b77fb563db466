//! `--engine`: the engines of [`vecasm_engines`] as a flag.

use crate::Failure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use vecasm_engines::{Choice, NotRun};

/// Reads `--engine`.
pub(crate) fn parser() -> impl TypedValueParser<Value = Choice> {
    let words = Choice::ALL.iter().map(|engine| PossibleValue::new(engine.name()).help(engine.doc()));
    PossibleValuesParser::new(words).try_map(|word| word.parse::<Choice>())
}

/// That no engine has run a shader.
pub(crate) fn failure(error: &NotRun) -> Failure {
    Failure::usage(error.to_string())
}
