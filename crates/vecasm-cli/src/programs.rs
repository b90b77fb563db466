//! The programs of an input: a log, a dump, a header or a pushbuffer may have several.
//!
//! Each is an input of its own, called `file#2`, whose findings have the lines of the file. The same words, or
//! `file::2`, name it on a command line.

use crate::args::{From, ReadingArgs, Stage, Which};
use crate::io::{self, Form, Input, Likely};
use crate::{Failure, Outcome, load, repro};
use std::sync::Arc;
use vecasm::diag::{Diagnostic, Place, Span};
use vecasm::isa::nv2a::bytes::encode;
use vecasm::isa::nv2a::methods::{each_program, writes};
use vecasm::isa::nv2a::{Container, Program};
use vecasm::isa::{self, AnyProgram, Isa, d3d9, nv2a, tgsi};

/// Constants that a program brings: numbers and bits.
pub(crate) type Constants = Vec<(u32, [u32; 4])>;

/// The constants that a text gives.
pub(crate) fn brought(assembled: &nv2a::text::Assembled) -> Constants {
    assembled.constants.iter().map(|constant| (constant.number.into(), constant.value)).collect()
}

/// The constants of one run of a pushbuffer or log.
fn known(constants: &[Option<[u32; 4]>]) -> Constants {
    let each = constants.iter().zip(0..);
    each.filter_map(|(value, n)| value.map(|value| (n, value))).collect()
}

/// The constants that a pushbuffer uploads for its first program.
pub(crate) fn uploaded(all: &Program) -> Constants {
    let mut out = Vec::new();
    if matches!(all.container, Container::Pushbuffer(_)) {
        each_program(writes(&encode(all)), |run| {
            if run.number == 1 {
                out = known(run.constants);
            }
        });
    }
    out
}

/// Which program of an input this is.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Its number, from 1.
    pub(crate) number: u32,
    /// How many there are.
    pub(crate) of: u32,
    /// The text of all, if it is text.
    whole: Option<Arc<str>>,
    /// Where in that text the bytes of the piece begin.
    start: u32,
    pub(crate) content: Content,
}

/// What a piece is.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// The bytes of the input: a part of the text.
    Part,
    /// The text as a whole, of which the reader takes the program of that number.
    Numbered,
    /// A program that has been read, where in the whole text its instructions are, and the constants that it brings.
    Read(Box<AnyProgram>, Option<Vec<Span>>, Constants),
}

impl Piece {
    /// The whole text.
    pub(crate) fn whole(&self) -> Option<&Arc<str>> {
        self.whole.as_ref()
    }

    /// Moves findings about the piece to where they are in the whole text.
    pub(crate) fn shift(&self, findings: &mut [Diagnostic]) {
        for finding in findings {
            if let Place::Text(span) = &mut finding.place {
                span.start = span.start.saturating_add(self.start);
                span.end = span.end.saturating_add(self.start);
            }
        }
    }

    /// Where in the whole text the piece begins.
    pub(crate) fn start(&self) -> usize {
        self.start as usize
    }
}

/// All programs of an input, by their numbers; those of a stage, if one is asked for and some are of it.
pub(crate) fn all(input: Input, reading: &ReadingArgs) -> Vec<Input> {
    let mut pieces = pieces(&input, reading);
    if pieces.len() < 2 {
        return vec![input];
    }
    if let Some(stage) = reading.stage {
        let of_stage: Vec<Input> =
            pieces.iter().filter(|piece| is_of(piece, stage, reading)).cloned().collect();
        if !of_stage.is_empty() {
            pieces = of_stage;
        }
    }
    pieces
}

/// Whether a program is of that stage.
fn is_of(piece: &Input, stage: Stage, reading: &ReadingArgs) -> bool {
    let reading = ReadingArgs { stage: None, program: None, ..reading.clone() };
    let read = load::read(piece.clone(), &reading, Likely::Text);
    matches!(read, Ok(Ok(loaded)) if loaded.program.stage() == stage.name())
}

/// How many programs an input has.
pub(crate) fn count(input: &Input, reading: &ReadingArgs) -> usize {
    pieces(input, reading).len().max(1)
}

/// The program that is asked for: by a number behind the name of the input, by `--program`, or the first one of the stage
/// that is asked for. Else it is the first of all, which keeps the name of the input.
pub(crate) fn one(input: Input, reading: &ReadingArgs) -> Outcome<Input> {
    let mut pieces = pieces(&input, reading);
    let there = pieces.len().max(1);
    let mut chosen = input.asked.is_some() || reading.program.is_some();
    let number = match (input.asked, reading.program) {
        (Some(number), _) | (None, Some(Which::Number(number))) => number,
        (None, Some(Which::All)) if there > 1 => {
            return Err(Failure::usage(
                "--program all is for asm, check, dis, info and to; here one program is needed",
            ));
        }
        _ => match reading.stage.filter(|_| there > 1) {
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
    let mut piece = pieces.swap_remove(number as usize - 1);
    if !chosen || there == 1 {
        piece.name = input.name;
    }
    Ok(piece)
}

/// The programs of an input; none where it is one as a whole.
fn pieces(input: &Input, reading: &ReadingArgs) -> Vec<Input> {
    if input.piece.is_some() || repro::is(&input.bytes) {
        return Vec::new();
    }
    if reading.from != Some(From::Bin) {
        if let Ok(text) = std::str::from_utf8(&input.bytes) {
            return of_text(input, text, reading);
        }
    }
    let isa = reading.isa.or_else(|| load::likely(input));
    if isa == Some(Isa::Nv2a) { of_pushbuffer(input, &input.bytes) } else { Vec::new() }
}

fn of_text(input: &Input, text: &str, reading: &ReadingArgs) -> Vec<Input> {
    let digits = match reading.from {
        Some(From::Hex) => true,
        Some(_) => false,
        // A header that a compiler writes has the listing in front of each array.
        None => {
            let listed = || text.contains("#if 0") && arrays(text, reading.isa).len() > 1;
            !matches!(input.content(), Some(isa::Content::Text(_))) || listed()
        }
    };
    if digits {
        let arrays = arrays(text, reading.isa);
        if arrays.len() > 1 {
            return parts(input, text, &arrays);
        }
        let Ok(Form::Bytes(bytes)) = io::form(input, reading, reading.from, Likely::Text) else {
            return Vec::new();
        };
        if reading.isa.or_else(|| load::likely(input)) != Some(Isa::Nv2a) {
            return Vec::new();
        }
        let slots = nv2a::text::programs_in(text);
        if slots.len() > 1 {
            return parts(input, text, &slots);
        }
        let pushed = of_pushbuffer(input, &bytes);
        return if pushed.is_empty() { of_slots(input, &bytes) } else { pushed };
    }
    match load::text_isa(input, text, reading) {
        Ok(Isa::Tgsi) => {
            let programs = tgsi::text::programs_in(text);
            let alone = programs.len() == 1 && tgsi::text::stage_of(text).is_some();
            if alone { Vec::new() } else { parts(input, text, &programs) }
        }
        Ok(Isa::Nv2a) => {
            let slots = nv2a::text::programs_in(text);
            if slots.len() > 1 {
                return parts(input, text, &slots);
            }
            let programs = nv2a::text::programs_of_log(text);
            if programs.len() < 2 {
                return Vec::new();
            }
            let whole: Arc<str> = text.into();
            let read = |program: nv2a::text::Assembled| {
                let constants = brought(&program);
                Content::Read(Box::new(AnyProgram::Nv2a(program.program)), Some(program.spans), constants)
            };
            numbered(input, Some(whole), programs.into_iter().map(read).collect())
        }
        Ok(Isa::D3d9) => match d3d9::text::count_shaders(text) {
            count @ 2.. => {
                let whole: Arc<str> = text.into();
                numbered(input, Some(whole), (0..count).map(|_| Content::Numbered).collect())
            }
            _ => parts(input, text, &d3d9::text::programs_in(text)),
        },
        _ => Vec::new(),
    }
}

/// The programs that a pushbuffer runs.
fn of_pushbuffer(input: &Input, bytes: &[u8]) -> Vec<Input> {
    let Ok(all) = nv2a::bytes::decode(bytes) else { return Vec::new() };
    if !matches!(all.container, Container::Pushbuffer(_)) {
        return Vec::new();
    }
    let mut programs = Vec::new();
    let bytes = encode(&all);
    each_program(writes(&bytes), |run| {
        let program = AnyProgram::Nv2a(Program::new(run.slots.to_vec()));
        programs.push(Content::Read(Box::new(program), None, known(run.constants)));
    });
    // A single one is the pushbuffer, which is kept whole.
    if programs.len() < 2 { Vec::new() } else { numbered(input, None, programs) }
}

/// The programs of listings that follow one another: each ends with a slot that is marked as the last one, as does the
/// whole. What follows that slot in an image of the memory does not end so.
fn of_slots(input: &Input, bytes: &[u8]) -> Vec<Input> {
    let Ok(all) = nv2a::bytes::decode(bytes) else { return Vec::new() };
    let ended = all.slots.last().is_some_and(nv2a::program::Slot::is_final);
    if all.container != Container::Bare || !all.tail.is_empty() || !ended {
        return Vec::new();
    }
    let programs = all.slots.split_inclusive(nv2a::program::Slot::is_final);
    let programs = programs.map(|slots| {
        let program = AnyProgram::Nv2a(Program::new(slots.to_vec()));
        Content::Read(Box::new(program), None, Vec::new())
    });
    let programs: Vec<Content> = programs.collect();
    if programs.len() < 2 { Vec::new() } else { numbered(input, None, programs) }
}

/// Pieces that are parts of a text.
fn parts(input: &Input, text: &str, places: &[Span]) -> Vec<Input> {
    let whole: Arc<str> = text.into();
    let contents = places.iter().map(|_| Content::Part).collect();
    let mut out = numbered(input, Some(whole), contents);
    for (piece, place) in out.iter_mut().zip(places) {
        let part = text.get(place.start as usize..place.end as usize).unwrap_or("");
        piece.bytes = part.as_bytes().to_vec();
        if let Some(piece) = &mut piece.piece {
            piece.start = place.start;
        }
    }
    out
}

fn numbered(input: &Input, whole: Option<Arc<str>>, contents: Vec<Content>) -> Vec<Input> {
    let of = u32::try_from(contents.len()).unwrap_or(u32::MAX);
    let piece = |(number, content)| {
        let piece = Piece { number, of, whole: whole.clone(), start: 0, content };
        let file = input.path.as_deref().map_or_else(|| input.name.clone(), io::shown);
        let name = format!("{}#{number}", file.raw());
        let whole_name = input.whole_name;
        Input { piece: Some(piece), whole_name, ..Input::new(name, input.path.clone(), Vec::new()) }
    };
    (1..).zip(contents).map(piece).collect()
}

/// The arrays of a C, Rust or ActionScript source that hold programs: each from its declaration to its closing brace.
fn arrays(text: &str, isa: Option<Isa>) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    // The beginning of the declaration, whether it has had its `=`, and the brackets that are open behind that.
    let (mut start, mut assigned, mut depth, mut at) = (0, false, 0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        let rest = text.get(at..).unwrap_or("");
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        }
        // The listing that a compiler writes in front of an array.
        if rest.starts_with("#if 0") {
            at += rest.find("#endif").map_or(rest.len(), |end| end + 6);
            continue;
        }
        at += 1;
        match byte {
            b'=' if depth == 0 => assigned = true,
            b'{' | b'[' if assigned => depth += 1,
            // The length in Rust's `[u8; 7]`.
            b'[' => at += text.get(at..).and_then(|rest| rest.find(']')).map_or(0, |end| end + 1),
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                // The type in C#'s `= new byte[] {` comes in front of what it holds.
                let typed =
                    byte == b']' && text.get(at..).is_some_and(|rest| rest.trim_start().starts_with('{'));
                if depth == 0 && !typed {
                    out.push(Span::new(start, at));
                    (start, assigned) = (at, false);
                }
            }
            b';' if depth == 0 => (start, assigned) = (at, false),
            _ => {}
        }
    }
    let is_program = |place: &Span| {
        let array = text.get(place.start as usize..place.end as usize).unwrap_or("");
        io::read_hex(array, isa)
            .is_ok_and(|bytes| isa.is_some() || matches!(isa::sniff(&bytes), Some(isa::Content::Binary(_))))
    };
    out.retain(is_program);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_found_where_they_hold_programs() {
        // A header of AGAL, and an instruction of zeros.
        let program = format!("0xa0, 0x1, 0x0, 0x0, 0x0, 0xa1, 0x1{}", ", 0x0".repeat(24));
        let text = format!(
            "#include <a.h>\n/* x = {{1}} */ const uint8_t A[2] = {{ {program} }};\nstatic int n[] = {{ 1, 2 }};\n\
             // = {{\nconst B: [u8; 7] = [{program}];\n"
        );
        let found = arrays(&text, None);
        let found: Vec<&str> =
            found.iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("A[2]") && found[1].contains("B: [u8"), "{found:?}");
        // C#, and the headers that fxc writes.
        let sharp = format!(
            "static readonly byte[] A = new byte[] {{ {program} }};\nbyte[] B = new byte[31] {{ {program} }};\n"
        );
        assert_eq!(arrays(&sharp, None).len(), 2);
        let stream = "254, -1, -2, -1, -1, -1, 0, 0".replace("254, -1, -2, -1", "0, 2, -2, -1");
        let header =
            format!("#if 0\n  vs_2_0 ; x = {{\n#endif\nconst signed char g_vs20_main[] =\n{{ {stream} }};\n");
        assert_eq!(arrays(&format!("{header}{header}"), None).len(), 2);
    }
}
