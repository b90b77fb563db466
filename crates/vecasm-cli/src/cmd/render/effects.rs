//! Passes of effects.

use super::{PictureArgs, lifted};
use crate::args::ReadingArgs;
use crate::drawing::Files;
use crate::io::{self, Input, ProgramSelector};
use crate::report::Ctx;
use crate::{Failure, Outcome, programs};
use serde_json::Value;
use vecasm::OpenOptions;
use vecasm::diag::printable_line;
use vecasm::effect::{self, Draw};
use vecasm::guess::Guess;

/// The most passes that are drawn over each other: each is guessed by trial.
const MOST: usize = 64;

/// What is drawn, if the input is an effect or a part of one.
pub(super) fn draw(
    input: &Input,
    reading: &ReadingArgs,
    args: &PictureArgs,
    ctx: &Ctx,
) -> Outcome<Option<Draw>> {
    if !programs::is_container(input, reading) {
        return Ok(None);
    }
    let numbered = reading.program.is_some() || reading.open.stage.is_some();
    let address = match &input.asked {
        Some(ProgramSelector::Address(address)) => Some(address.clone()),
        None if !numbered => None,
        _ => {
            let one = programs::one(input.clone(), reading)?;
            one.piece().and_then(|piece| piece.address()).map(String::from)
        }
    };
    let given: Vec<(String, Vec<f64>)> =
        args.constant.iter().filter_map(|(name, value)| Some((name.clone(), numbers(value)?))).collect();
    effect::draw(input.bytes(), address.as_deref(), &given, reading.open.limits).map_err(|finding| {
        match &address {
            Some(_) => programs::misaddressed(input, &finding),
            None => {
                ctx.report(&[finding], input.renderer());
                Failure::Shader
            }
        }
    })
}

/// The numbers of a value that has nothing else.
fn numbers(value: &str) -> Option<Vec<f64>> {
    fn collect(value: &Value, out: &mut Vec<f64>) -> Option<()> {
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| collect(item, out)),
            number => {
                out.push(number.as_f64()?);
                Some(())
            }
        }
    }
    let mut out = Vec::new();
    collect(&serde_json::from_str(value).ok()?, &mut out).map(|()| out)
}

/// Guesses a scene that draws passes one over the other.
pub(super) fn guess(
    draw: &Draw,
    input: &Input,
    args: &PictureArgs,
    reading: &ReadingArgs,
    files: &mut Files,
    ctx: &Ctx,
) -> Outcome<Guess> {
    // Flags that choose a program have chosen the passes.
    let limits = OpenOptions::default().with_limits(reading.open.limits);
    let (reading, lifting) = (ReadingArgs::of(limits), files.lifting.clone());
    let mut guesses = Vec::new();
    let wish = args.wish().shared();
    if draw.passes.len() > MOST {
        let count = draw.passes.len();
        return Err(Failure::usage(format!("{}: {count} passes; choose one by its address", input.name)));
    }
    ctx.report(&draw.findings, input.renderer());
    for pass in &draw.passes {
        if !args.quiet && !pass.title.is_empty() {
            io::note(&format!("vecasm: note: draws {}", printable_line(&pass.title)));
        }
        // A texture of the effect is that of the samplers that have it.
        let mut wish = wish.clone();
        for (name, value) in &args.texture {
            for sampler in draw.samplers.iter().filter(|sampler| sampler.texture.as_ref() == Some(name)) {
                wish = wish.with_texture(&sampler.name, value);
            }
        }
        let (options, missing) = draw.options(pass, wish);
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
    let nothing = || Failure::usage(format!("{}: no pass has a program", input.name));
    let guess = Guess::over_each_other(guesses).ok_or_else(nothing)?;
    // What no program has, the effect may have.
    match guess.unused.iter().find(|name| !draw.names.contains(name)) {
        Some(name) => Err(Failure::usage(format!(
            "{}: neither the effect nor its programs have \"{name}\"; the effect has {}",
            input.name,
            draw.names.join(", ")
        ))),
        None => Ok(guess),
    }
}
