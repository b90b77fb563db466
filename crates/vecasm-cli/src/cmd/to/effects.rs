//! Effects in the language that they were written in: what stands around the programs becomes comments.

use super::Args;
use crate::batch::Batch;
use crate::io::{self, Input, Payload, ProgramSelector, Sink};
use crate::load::Loaded;
use crate::report::Ctx;
use crate::{Failure, Outcome, programs};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use vecasm::container::{Format, Limits};
use vecasm::contents::Contents;
use vecasm::diag::printable_line;
use vecasm::effect::listing;
use vecasm::isa::AnyProgram;

/// The blocks of comments above programs of effects. Those of a file come one after another, so that the last one is kept.
#[derive(Debug, Default)]
pub(super) struct Headings {
    last: Mutex<Option<(Option<PathBuf>, Arc<Contents>)>>,
}

impl Headings {
    /// What is written above a program; nothing if it is in no effect.
    pub(super) fn above(&self, loaded: &Loaded, limits: Limits) -> String {
        let input = &loaded.input;
        let Some(address) = input.piece().and_then(|piece| piece.address()) else { return String::new() };
        let Some(contents) = self.contents(input.path.as_ref(), limits) else { return String::new() };
        let Some(effect) = around(&contents, address) else { return String::new() };
        let text = listing(effect, &[(address, loaded.program.any())]);
        if text.is_empty() { text } else { format!("{text}//\n// {}\n\n", printable_line(address)) }
    }

    /// What is in a file, or in standard input.
    fn contents(&self, path: Option<&PathBuf>, limits: Limits) -> Option<Arc<Contents>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, contents)) = last.as_ref().filter(|(of, _)| of.as_ref() == path) {
            return Some(contents.clone());
        }
        let input = match path {
            Some(path) => io::read(path).ok()?,
            None => Input::named(Path::new(io::DASH)).with_bytes(io::kept()?.to_vec()),
        };
        let contents =
            Arc::new(Contents::with_hashes(input.name.raw(), input.bytes(), limits, &|_| None).ok()?);
        *last = Some((path.cloned(), contents.clone()));
        Some(contents)
    }
}

/// The effect that an address leads into.
fn around<'c>(contents: &'c Contents, address: &str) -> Option<&'c Contents> {
    if !contents.techniques.is_empty() {
        return Some(contents);
    }
    let leads = |entry: &str| address.strip_prefix(entry).is_some_and(|rest| rest.starts_with("::"));
    let mut inside = contents.entries.iter().filter(|entry| leads(&entry.address));
    inside.find_map(|entry| around(entry.inside.as_deref()?, address))
}

/// The effect that a file is, alone or in an asset.
fn only(contents: &Contents) -> Option<&Contents> {
    if !contents.techniques.is_empty() {
        return Some(contents);
    }
    let mut inside = contents.entries.iter().filter_map(|entry| entry.inside.as_deref());
    match (inside.next(), inside.next()) {
        (Some(one), None) => only(one),
        _ => None,
    }
}

/// The effect that some programs are in, all of them.
fn around_all<'c>(contents: &'c Contents, programs: &[Input]) -> Option<&'c Contents> {
    let mut effects =
        programs.iter().map(|one| around(contents, one.piece().and_then(|piece| piece.address())?));
    let first = effects.next()??;
    effects.all(|other| other.is_some_and(|other| core::ptr::eq(other, first))).then_some(first)
}

/// The effect whose programs all go to one text: the only input, or what an address in it leads to, where neither one program nor a
/// folder is named.
pub(super) fn single_effect(args: &Args, batch: &Batch) -> Outcome<Option<Input>> {
    let files = batch.named().unwrap_or_default();
    let reading = &args.input.reading;
    let asked = reading.program.is_some() || reading.open.stage.is_some() || args.layout.is_some();
    let [file] = files[..] else { return Ok(None) };
    if asked || matches!(Sink::new(&args.output), Sink::Folder(_)) {
        return Ok(None);
    }
    // Most files are programs, which are read where they are translated.
    let (named, bytes) = io::read_as_it_is(file)?;
    if named.path.is_none() {
        io::keep(&bytes);
    }
    if matches!(named.asked, Some(ProgramSelector::Number(_))) || Format::of(&bytes).is_none() {
        return Ok(None);
    }
    let input = named.with_bytes(bytes);
    let is_whole = programs::is_container(&input, reading)
        && match input.asked {
            None => programs::count(&input, reading) > 1,
            // What leads nowhere is told where it is read again.
            Some(_) => programs::all(input.clone(), reading).is_ok_and(|all| all.len() > 1),
        };
    Ok(Some(input).filter(|_| is_whole))
}

/// Writes all programs of an effect into one text, each between `#ifdef` and `#endif`; `translate` makes one of them. `None` if the
/// container is no effect.
pub(super) fn write(
    input: Input,
    args: &Args,
    ctx: &Ctx,
    translate: &mut dyn FnMut(Input) -> Outcome<(Loaded, Payload)>,
) -> Outcome<Option<()>> {
    let limits = args.input.reading.open.limits;
    // Without what stands behind the name of the file.
    let file = input.path.as_deref().map_or_else(|| input.name.clone(), io::shown);
    let contents =
        Contents::with_hashes(file.raw(), input.bytes(), limits, &|_| None).map_err(|finding| {
            ctx.report(&[finding], input.renderer());
            Failure::Shader
        })?;
    let name = io::with_ending(input.stem(), "hlsl");
    let is_asked = input.asked.is_some();
    let programs = programs::all(input, &args.input.reading)?;
    let effect = if is_asked { around_all(&contents, &programs) } else { only(&contents) };
    let Some(effect) = effect else { return Ok(None) };
    let mut parts = Vec::new();
    for part in programs {
        let address = part.piece().and_then(|piece| piece.address()).unwrap_or_default().to_string();
        match translate(part) {
            Err(failure @ (Failure::Shader | Failure::Usage(_))) => parts.push((address, Err(failure))),
            Err(other) => return Err(other),
            made => parts.push((address, made)),
        }
    }
    let listed: Vec<(&str, &AnyProgram)> = parts
        .iter()
        .filter_map(|(address, made)| Some((address.as_str(), made.as_ref().ok()?.0.program.any())))
        .collect();
    let mut text = listing(effect, &listed);
    let mut macros = BTreeSet::new();
    let mut worst = Ok(());
    for (address, made) in parts {
        let called = effect.entries.iter().find(|entry| entry.address == address);
        let alias = called.and_then(|entry| entry.aliases.first()).filter(|_| address.contains("param"));
        let shown = printable_line(alias.unwrap_or(&address)).into_owned();
        match made {
            Ok((_, payload)) => {
                let name = macro_name(&address, &mut macros);
                let code = String::from_utf8_lossy(payload.bytes());
                // Writing to a string does not fail.
                let _ = write!(text, "\n#ifdef {name} // {shown}\n{}\n#endif\n", code.trim_end());
            }
            Err(failure) => {
                let _ = write!(text, "\n// {shown}: not translated\n");
                if let Failure::Usage(why) = &failure {
                    ctx.tell(&format!("vecasm: error: {why}"));
                }
                worst = Err(Failure::Shader);
            }
        }
    }
    Sink::new(&args.output).write(name, &Payload::Text(text))?;
    worst.map(Some)
}

/// The name of the macro that chooses a program: `TECHNIQUE0_PASS0_PS`.
fn macro_name(address: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let stem: String = address.chars().map(plain).collect();
    let stem = stem.trim_matches('_');
    let stem =
        if stem.starts_with(|c: char| c.is_ascii_digit()) { format!("P{stem}") } else { stem.to_string() };
    let mut name = stem.clone();
    for n in 2.. {
        if taken.insert(name.clone()) {
            break;
        }
        name = format!("{stem}_{n}");
    }
    name
}
