//! Passes of effects.

use super::lifted;
use crate::args::ReadingArgs;
use crate::drawing::Files;
use crate::io::{Asked, Input};
use crate::report::Ctx;
use crate::{Failure, Outcome, programs};
use vecasm::OpenOptions;
use vecasm::effect::{self, Pass};
use vecasm::guess::{Guess, Options};

/// The passes that are meant, if the input is an effect or a part of one.
pub(super) fn passes(input: &Input, reading: &ReadingArgs, ctx: &Ctx) -> Outcome<Option<Vec<Pass>>> {
    if !programs::is_container(input, reading) {
        return Ok(None);
    }
    let numbered = reading.program.is_some() || reading.open.stage.is_some();
    let address = match &input.asked {
        Some(Asked::Address(address)) => Some(address.clone()),
        None if !numbered => None,
        _ => {
            let one = programs::one(input.clone(), reading)?;
            one.piece().and_then(|piece| piece.address()).map(String::from)
        }
    };
    effect::passes(input.bytes(), address.as_deref(), reading.open.limits).map_err(|finding| match &address {
        Some(_) => {
            let help = finding.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
            Failure::usage(format!("{}: {}{help}", input.name, finding.message))
        }
        None => {
            ctx.report(&[finding], input.renderer());
            Failure::Shader
        }
    })
}

/// Guesses a scene that draws passes one over the other.
pub(super) fn guess(
    passes: &[Pass],
    input: &Input,
    wish: &Options,
    reading: &ReadingArgs,
    files: &mut Files,
    ctx: &Ctx,
) -> Outcome<Guess> {
    // Flags that choose a program have chosen the passes.
    let limits = OpenOptions::default().with_limits(reading.open.limits);
    let (reading, lifting) = (ReadingArgs::of(limits), files.lifting.clone());
    let mut guesses = Vec::new();
    for pass in passes {
        ctx.report(&pass.findings, input.renderer());
        let (options, missing) = pass.options(wish.clone());
        if !missing.is_empty() {
            let (name, missing) = (&pass.address, missing.join(", "));
            ctx.tell(&format!("vecasm: note: {name}: pictures do not show {missing}"));
        }
        let mut parts = Vec::new();
        for address in [&pass.vertex, &pass.fragment].into_iter().flatten() {
            let program = programs::at(input, address, &reading)?;
            parts.push(lifted(program, &reading, &lifting, ctx)?);
        }
        guesses.push(files.guess(&parts, &options).map_err(|why| Failure::usage(why.to_string()))?);
    }
    Guess::over_each_other(guesses)
        .ok_or_else(|| Failure::usage(format!("{}: no pass has a program", input.name)))
}
