//! Which of several programs of an input are meant.
//!
//! Each is an input of its own, called `file#2`, whose findings have the lines of the file. The same words, or
//! `file::2`, name it on a command line. [`open::Input::pieces`](vecasm::open::Input::pieces) tells them apart.

use crate::args::{ProgramChoice, ReadingArgs};
use crate::including::Includes;
use crate::io::{Input, ProgramSelector};
use crate::{Failure, Outcome, io, repro};
use std::path::Path;
use vecasm::container::{Format, rules};
use vecasm::diag::Diagnostic;
use vecasm::ir::Stage;
use vecasm::isa::Isa;
use vecasm::open::{self, AssumedNotation, Form};

/// All programs of an input, by their numbers; those of a stage, if one is asked for and some are of it.
pub(crate) fn all(input: Input, reading: &ReadingArgs) -> Outcome<Vec<Input>> {
    all_and_unread(input, reading).map(|(all, _)| all)
}

/// The same, and what in a container cannot be read, as [`unread`] has it.
pub(crate) fn all_and_unread(input: Input, reading: &ReadingArgs) -> Outcome<(Vec<Input>, Vec<Diagnostic>)> {
    let (mut pieces, unread) = pieces_and_unread(&input, reading);
    if let Some(ProgramSelector::Address(address)) = &input.asked {
        let all = if is_container(&input, reading) {
            at_address(&input, pieces, address, reading)
        } else {
            carried_at(&input, address, reading)
        };
        return all.map(|all| (all, Vec::new()));
    }
    if pieces.len() < 2 && !is_container(&input, reading) || pieces.is_empty() {
        return Ok((vec![input], unread));
    }
    if let Some(stage) = reading.open.stage {
        let of_stage: Vec<Input> =
            pieces.iter().filter(|piece| is_of(piece, stage, reading)).cloned().collect();
        if !of_stage.is_empty() {
            pieces = of_stage;
        }
    }
    Ok((pieces, unread))
}

/// Whether a program is of that stage.
fn is_of(piece: &Input, stage: Stage, reading: &ReadingArgs) -> bool {
    let options = reading.options(AssumedNotation::Text).with_stage(None);
    let read = piece.read(&options, &mut Includes::of(piece, reading));
    read.is_ok_and(|program| program.stage() == stage)
}

/// How many programs an input has.
pub(crate) fn count(input: &Input, reading: &ReadingArgs) -> usize {
    pieces(input, reading).len().max(1)
}

/// The program that is asked for: by a number behind the name of the input, by `--program`, or the first one of the stage
/// that is asked for. Else it is the first of all, which keeps the name of the input.
pub(crate) fn one(input: Input, reading: &ReadingArgs) -> Outcome<Input> {
    let mut pieces = pieces(&input, reading);
    if let Some(ProgramSelector::Address(address)) = &input.asked {
        let mut meant = if is_container(&input, reading) {
            at_address(&input, pieces, address, reading)?
        } else {
            carried_at(&input, address, reading)?
        };
        return if meant.len() == 1 { Ok(meant.swap_remove(0)) } else { Err(several(&input, &meant)) };
    }
    let there = pieces.len().max(1);
    let mut chosen = input.asked.is_some() || reading.program.is_some();
    let number = match (&input.asked, reading.program) {
        (Some(ProgramSelector::Number(number)), _) => *number,
        (None, Some(ProgramChoice::Number(number))) => number,
        (None, None) if there > 1 && reading.open.stage.is_none() && is_container(&input, reading) => {
            return Err(several(&input, &pieces));
        }
        (None, Some(ProgramChoice::All)) if there > 1 => {
            return Err(Failure::usage(
                "--program all is for asm, check, dis, info and to; here one program is needed",
            ));
        }
        _ => match reading.open.stage.filter(|_| there > 1) {
            Some(stage) if !pieces.first().is_some_and(|piece| is_of(piece, stage, reading)) => {
                let at = pieces.iter().position(|piece| is_of(piece, stage, reading));
                chosen |= at.is_some();
                at.and_then(|at| u32::try_from(at + 1).ok()).unwrap_or(1)
            }
            _ => 1,
        },
    };
    if number == 0 {
        return Err(Failure::usage(format!("{}: programs are counted from 1", input.name)));
    }
    if number as usize > there {
        return Err(Failure::usage(format!("{}: no program {number}; the input has {there}", input.name)));
    }
    if pieces.is_empty() {
        return Ok(input);
    }
    let piece = pieces.swap_remove(number as usize - 1).chosen_by(input.asked);
    // What has an address is called by that.
    let is_whole = there == 1 && piece.piece().is_none_or(|piece| piece.address().is_none());
    if !chosen || is_whole { Ok(piece.with_name(input.name)) } else { Ok(piece) }
}

/// The addresses of the programs in a container, in the order of their numbers.
pub(crate) fn addresses(input: &Input, reading: &ReadingArgs) -> Vec<String> {
    let pieces = pieces(input, reading);
    pieces.iter().filter_map(|piece| piece.piece()?.address().map(String::from)).collect()
}

/// The program at an address of a container.
pub(crate) fn at(input: &Input, address: &str, reading: &ReadingArgs) -> Outcome<Input> {
    let asked = Some(ProgramSelector::Address(address.into()));
    one(input.clone().chosen_by(asked), reading)
}

/// Whether an input is a container.
pub(crate) fn is_container(input: &Input, reading: &ReadingArgs) -> bool {
    input.container(&reading.options(AssumedNotation::Text)).is_some()
}

/// Whether an input is bytecode, its digits, or arrays of those, and its name does not say that it is assembly.
pub(crate) fn is_bytecode(input: &Input, reading: &ReadingArgs) -> bool {
    let ending = input.path.as_deref().and_then(|path| path.extension()?.to_str());
    let is_of =
        |isa: &Isa| isa.extensions().iter().any(|own| ending.is_some_and(|it| own.eq_ignore_ascii_case(it)));
    if Isa::ALL.iter().any(is_of) {
        return false;
    }
    let options = reading.options(AssumedNotation::Text);
    let is_bytes = |one: &Input| matches!(one.form(&options), Ok(Form::Bytes(_)));
    is_bytes(input) || carried(input, reading).first().is_some_and(is_bytes)
}

/// Whether an input is a container without programs, in which nothing is damaged either.
pub(crate) fn is_empty(input: &Input, reading: &ReadingArgs) -> bool {
    let contained = || input.contained(&reading.options(AssumedNotation::Text));
    is_container(input, reading)
        && contained().is_ok_and(|inside| inside.programs.is_empty() && inside.errors().is_empty())
}

/// Whether a container is of a kind that has programs in some files and none in others: an asset, a movie, an archive, an executable.
/// An effect without a program that can be read has one of another kind, which nobody looks at.
pub(crate) fn need_not_have_any(input: &Input, reading: &ReadingArgs) -> bool {
    // Who asks for an instruction set expects one of its programs.
    if reading.open.isa.is_some() {
        return false;
    }
    let format = input.container(&reading.options(AssumedNotation::Text));
    matches!(format, Some(Format::Xnb | Format::Swf | Format::Zip | Format::Pe | Format::Xbe))
}

/// What in a container cannot be read, as warnings; nothing where a part of it is asked for.
pub(crate) fn unread(input: &Input, reading: &ReadingArgs) -> Vec<Diagnostic> {
    if input.asked.is_some() || !is_container(input, reading) {
        return Vec::new();
    }
    pieces_and_unread(input, reading).1
}

/// The programs that a text, a log or a pushbuffer carries, as [`open::Input::carried`](vecasm::open::Input::carried) has them.
pub(crate) fn carried(input: &Input, reading: &ReadingArgs) -> Vec<Input> {
    if repro::is(input.bytes()) {
        return Vec::new();
    }
    let carried = input.carried(&reading.options(AssumedNotation::Text));
    let carried = with_blobs(input, carried).0;
    carried.into_iter().map(|piece| input.of_piece(piece)).collect()
}

/// The programs of a text and those that it has in files beside it, as dumps of apitrace do; and which of these are not there.
fn with_blobs(input: &Input, programs: Vec<open::Input>) -> (Vec<open::Input>, Vec<Diagnostic>) {
    let named = match (&input.path, std::str::from_utf8(input.bytes())) {
        (Some(_), Ok(dump)) => vecasm::captures::blobs(dump),
        _ => Vec::new(),
    };
    if named.is_empty() {
        return (programs, Vec::new());
    }
    let folder = input.path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let (mut blobs, mut missing) = (Vec::new(), Vec::new());
    for (call, file) in named {
        let is_name = Path::new(&file).file_name() == Some(file.as_ref()) && !file.contains(['\\', ':']);
        let path = folder.join(&file);
        let read = (is_name && path.is_file()).then(|| io::read_as_it_is(&path).ok()).flatten();
        match read {
            Some((_, bytes)) => blobs.push((format!("call{call}"), bytes)),
            None => {
                let message =
                    format!("call{call}: its program is in {file}, which cannot be read beside the dump");
                missing.push(rules::UNREADABLE.finding(message));
            }
        }
    }
    (open::Input::with_blobs(input, programs, blobs), missing)
}

/// Those of them that an address means.
fn carried_at(input: &Input, address: &str, reading: &ReadingArgs) -> Outcome<Vec<Input>> {
    let carried = input.carried(&reading.options(AssumedNotation::Text));
    let (carried, missing) = with_blobs(input, carried);
    let own = format!("{address}: ");
    if let Some(why) = missing.iter().find(|why| why.message.starts_with(&own)) {
        return Err(Failure::usage(format!("{}: {}", input.name, why.message)));
    }
    let meant = open::Input::carried_at(input, &carried, address);
    if meant.is_empty() {
        let names: Vec<String> =
            carried.iter().filter_map(|one| one.piece()?.names().first().cloned()).collect();
        let there = match names.len() {
            0 if carried.is_empty() => {
                "only containers, and texts with programs in them, have addresses".into()
            }
            0 => format!("its {} programs have numbers only", carried.len()),
            n if n > LISTED => format!("there are {}, and {} more", names[..LISTED].join(", "), n - LISTED),
            _ => format!("there is {}", names.join(", ")),
        };
        let count = input.draws().len();
        let draws = match count {
            0 => String::new(),
            1 => ", and draw1 for what runs at its only draw".into(),
            _ => format!(", and draw1 to draw{count} for what runs at each draw"),
        };
        return Err(Failure::usage(format!("{}: no program {address}; {there}{draws}", input.name)));
    }
    let asked = input.asked.clone().filter(|_| meant.len() == 1);
    Ok(meant.into_iter().map(|piece| input.of_piece(piece).chosen_by(asked.clone())).collect())
}

/// The programs at an address.
fn at_address(
    input: &Input,
    pieces: Vec<Input>,
    address: &str,
    reading: &ReadingArgs,
) -> Outcome<Vec<Input>> {
    let programs = pieces.iter().map(|piece| open::Input::clone(piece)).collect();
    let meant = input.at_address(programs, address, &reading.options(AssumedNotation::Text));
    let meant = meant.map_err(|finding| misaddressed(input, &finding))?;
    let asked = input.asked.clone().filter(|_| meant.len() == 1);
    Ok(meant.into_iter().map(|piece| input.of_piece(piece).chosen_by(asked.clone())).collect())
}

/// That an address leads nowhere.
pub(crate) fn misaddressed(input: &Input, finding: &Diagnostic) -> Failure {
    let help = finding.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
    Failure::usage(format!("{}: {}{help}", input.name, finding.message))
}

/// Addresses that are listed where one has to be chosen.
const LISTED: usize = 20;

/// That an input has several programs where one is needed, and their addresses.
pub(crate) fn several(input: &Input, pieces: &[Input]) -> Failure {
    let mut text = format!("{}: {} programs; choose one by its address", input.name, pieces.len());
    for piece in pieces.iter().take(LISTED) {
        text.push_str(&format!("\n  {}", piece.name));
    }
    if let Some(more) = pieces.len().checked_sub(LISTED).filter(|more| *more > 0) {
        text.push_str(&format!("\n  and {more} more, which `vecasm info {}` lists", input.name));
    }
    Failure::usage(text)
}

/// The programs of an input; none where it is one as a whole.
pub(crate) fn pieces(input: &Input, reading: &ReadingArgs) -> Vec<Input> {
    pieces_and_unread(input, reading).0
}

/// The same, and what in a container cannot be read.
fn pieces_and_unread(input: &Input, reading: &ReadingArgs) -> (Vec<Input>, Vec<Diagnostic>) {
    if repro::is(input.bytes()) {
        return (Vec::new(), Vec::new());
    }
    let options = reading.options(AssumedNotation::Text);
    let (pieces, unread) = if is_container(input, reading) {
        let inside = input.contained(&options).unwrap_or_default();
        let unread =
            if input.asked.is_some() { Vec::new() } else { inside.warnings(inside.programs.is_empty()) };
        (inside.programs, unread)
    } else {
        with_blobs(input, input.pieces(&options))
    };
    (pieces.into_iter().map(|piece| input.of_piece(piece)).collect(), unread)
}
