//! Several programs in one input: a log, a listing of several shaders, a pushbuffer that runs several, a header with several
//! arrays.
//!
//! Each is an input of its own, called `file#2`, whose findings have the places of the file.

use super::carried;
use super::notation::{arrays, is_bytecode, read_array};
use super::{AssumedNotation, Form, Input, Notation, OpenOptions};
use crate::diag::{Diagnostic, LineIndex, Place, Span};
use crate::ir::symbols::{Symbol, TextureSymbol};
use crate::isa::{self, AnyProgram, Isa};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
#[cfg(feature = "nv2a")]
use {
    crate::isa::nv2a::bytes::encode,
    crate::isa::nv2a::methods::{Run, each_program, run_at_draw, writes},
    crate::isa::nv2a::{self, Container},
};

/// Constants that a program brings: numbers, and four lanes as bits.
pub type Constants = Vec<(u32, [u32; 4])>;

/// The constants that a text of NV2A gives.
#[cfg(feature = "nv2a")]
pub(super) fn brought(assembled: &nv2a::text::Assembled) -> Constants {
    assembled.constants.iter().map(|constant| (constant.number.into(), constant.value)).collect()
}

/// The constants of one run of a pushbuffer or log.
#[cfg(feature = "nv2a")]
fn known(constants: &[Option<[u32; 4]>]) -> Constants {
    let each = constants.iter().zip(0..);
    each.filter_map(|(value, n)| value.map(|value| (n, value))).collect()
}

/// The constants that a pushbuffer uploads for its first program.
#[cfg(feature = "nv2a")]
pub(super) fn uploaded(all: &nv2a::Program) -> Constants {
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

/// A program of a log.
#[cfg(feature = "nv2a")]
fn recorded(program: nv2a::text::Assembled) -> Content {
    let constants = brought(&program);
    Content::Read(Box::new(AnyProgram::Nv2a(program.program)), Some(program.spans), constants)
}

/// A program of a pushbuffer.
#[cfg(feature = "nv2a")]
fn pushed(run: &Run<'_>) -> Content {
    let program = AnyProgram::Nv2a(nv2a::Program::new(run.slots.to_vec()));
    Content::Read(Box::new(program), None, known(run.constants))
}

/// Gives programs of a recording the names of the slots that they begin at: `load60`.
#[cfg(feature = "nv2a")]
fn name_loads(mut pieces: Vec<Input>, starts: &[u32]) -> Vec<Input> {
    for (piece, start) in pieces.iter_mut().zip(starts) {
        piece.piece.iter_mut().for_each(|piece| piece.names.all.push(format!("load{start}")));
    }
    carried::settle_names(&mut pieces);
    pieces
}

/// Which program of an input this is.
#[derive(Clone, Debug)]
pub struct Piece {
    pub(super) number: u32,
    pub(super) of: u32,
    pub(super) whole: Option<Arc<str>>,
    pub(super) lines: Option<Arc<LineIndex>>,
    pub(super) start: u32,
    pub(super) content: Content,
    /// Where in a container it is.
    pub(super) address: Option<String>,
    /// What the text calls it.
    pub(super) names: Names,
}

/// What a text calls a program, and what it says of its registers.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Its names, the usual one first.
    pub(super) all: Vec<String>,
    /// The one among them that says its number, which no other program has: `array0`.
    pub(super) number: Option<String>,
    /// Where its lines stand in the whole text, if they are not those of the piece.
    #[cfg_attr(not(feature = "containers"), allow(dead_code, reason = "writing asks for it"))]
    pub(super) place: Option<Range<usize>>,
    /// The names of its constants.
    pub(super) constants: Vec<Symbol>,
    /// The names of its textures.
    pub(super) textures: Vec<TextureSymbol>,
    /// The bytes of the recording that it is in, if that is no text.
    #[cfg_attr(not(feature = "nv2a"), allow(dead_code, reason = "there are no other recordings"))]
    pub(super) recording: Option<Arc<[u8]>>,
}

/// Where the program of a piece is.
#[cfg_attr(
    not(all(feature = "d3d9", feature = "nv2a")),
    allow(dead_code, reason = "each instruction set has its own kinds")
)]
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// The bytes of the input: a part of the text.
    Part,
    /// The bytes of the input, which are no part of a text.
    #[cfg(feature = "containers")]
    Own,
    /// The text as a whole, of which the reader takes the program of that number.
    Numbered,
    /// A program that has been read, where in the whole text its instructions are, and the constants that it brings.
    Read(Box<AnyProgram>, Option<Vec<Span>>, Constants),
}

impl Piece {
    /// A program in a file of its own, of which a text has the name.
    #[cfg(all(feature = "containers", feature = "d3d9"))]
    pub(super) fn of_file(number: u32, of: u32, name: String) -> Self {
        let names = Names { all: alloc::vec![name], ..Names::default() };
        Self { address: None, names, ..Self::in_container(number, of, String::new()) }
    }

    /// A program in a container.
    #[cfg(feature = "containers")]
    pub(super) fn in_container(number: u32, of: u32, address: String) -> Self {
        Self {
            number,
            of,
            whole: None,
            lines: None,
            start: 0,
            content: Content::Own,
            address: Some(address),
            names: Names::default(),
        }
    }

    /// Its number, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// How many there are.
    pub fn of(&self) -> u32 {
        self.of
    }

    /// The text of all, if it is text.
    pub fn whole_text(&self) -> Option<&Arc<str>> {
        self.whole.as_ref()
    }

    /// The lines of that text.
    pub(crate) fn lines(&self) -> Option<&Arc<LineIndex>> {
        self.lines.as_ref()
    }

    /// Where in that text it begins, in bytes; 0 where only a reader of the whole knows.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// Whether it is a part of the text, which can be read without the rest.
    pub fn is_part(&self) -> bool {
        match self.content {
            Content::Part => true,
            #[cfg(feature = "containers")]
            Content::Own => true,
            Content::Numbered | Content::Read(..) => false,
        }
    }

    /// Where in a container it is, if it is in one.
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// What the text calls it, the usual name first: the variable of an array, `call220` of a dump of apitrace, `pass0/vp/d3d9[1]` of a
    /// shader of Unity, `load60` of a program that a pushbuffer uploads there.
    pub fn names(&self) -> &[String] {
        &self.names.all
    }

    /// The step of an address that means it in its text: its name, else its number.
    pub fn step(&self) -> String {
        self.names.all.first().cloned().unwrap_or_else(|| format!("{}", self.number))
    }

    /// Where in its file it is: in a container, else in a text.
    pub fn address_in_file(&self) -> String {
        self.address.clone().unwrap_or_else(|| self.step())
    }

    /// What stands behind the name of the file in that of the program: `::address`, `::name`, or `#2` of several without names.
    pub fn suffix(&self) -> String {
        match self.address.as_ref().or(self.names.all.first()) {
            Some(address) => format!("::{address}"),
            None => format!("#{}", self.number),
        }
    }

    /// Whether its bytes are its own, and no part of a text: those of an entry of a container, or of a file that a text has the name of.
    pub const fn is_own(&self) -> bool {
        match self.content {
            #[cfg(feature = "containers")]
            Content::Own => true,
            _ => false,
        }
    }

    /// Moves findings about the piece to where they are in the whole text.
    pub fn shift(&self, findings: &mut [Diagnostic]) {
        for finding in findings {
            if let Place::Text(span) = &mut finding.place {
                span.start = span.start.saturating_add(self.start);
                span.end = span.end.saturating_add(self.start);
            }
        }
    }
}

impl Input {
    /// The programs of an input, by their numbers, or by their addresses in a container; none where it is one as a whole.
    pub fn pieces(&self, options: &OpenOptions<'_>) -> Vec<Self> {
        if self.piece.is_some() {
            return Vec::new();
        }
        #[cfg(feature = "containers")]
        if self.container(options).is_some() {
            return self.contained(options).unwrap_or_default().programs;
        }
        if options.notation != Some(Notation::Binary) {
            if let Ok(text) = core::str::from_utf8(self.bytes()) {
                return self.pieces_of_text(text, options);
            }
        }
        self.pieces_of_bytes(self.bytes(), options, false)
    }

    fn pieces_of_text(&self, text: &str, options: &OpenOptions<'_>) -> Vec<Self> {
        let digits = match options.notation {
            Some(Notation::Hex) => true,
            Some(_) => false,
            // A header that a compiler writes has the listing in front of each array.
            None => {
                let listed = || text.contains("#if 0") && arrays(text, options.isa).len() > 1;
                !matches!(self.content(), Some(isa::Content::Text(_))) || listed()
            }
        };
        if !digits {
            let isa = self.isa_of_text(text, options);
            return isa.map_or_else(|_| Vec::new(), |isa| self.pieces_of_assembly(isa, text));
        }
        let arrays = arrays(text, options.isa);
        // One among others is not what is read of the whole.
        let is_among_others =
            || arrays.len() == 1 && read_array(text, options.isa).is_none_or(|bytes| !is_bytecode(&bytes));
        if arrays.len() > 1 || is_among_others() {
            let mut pieces = self.parts(text, &arrays);
            carried::name_arrays(&mut pieces);
            return pieces;
        }
        match self.form(&options.with_likely(AssumedNotation::Text)) {
            Ok(Form::Bytes(bytes)) => self.pieces_of_bytes(&bytes, options, true),
            _ => Vec::new(),
        }
    }

    #[cfg_attr(
        not(any(feature = "d3d9", feature = "nv2a", feature = "tgsi")),
        allow(clippy::unused_self, unused_variables, reason = "no instruction set has several in a text")
    )]
    fn pieces_of_assembly(&self, isa: Isa, text: &str) -> Vec<Self> {
        match isa {
            #[cfg(feature = "tgsi")]
            Isa::Tgsi => {
                let programs = isa::tgsi::text::programs_in(text);
                let alone = programs.len() == 1 && isa::tgsi::text::stage_of(text).is_some();
                if alone { Vec::new() } else { self.parts(text, &programs) }
            }
            #[cfg(feature = "nv2a")]
            Isa::Nv2a => {
                let slots = nv2a::text::programs_in(text);
                if slots.len() > 1 {
                    return self.parts(text, &slots);
                }
                // A single one is the log, whose reader says what is odd about it.
                let programs = self.pieces_of_log(text);
                if programs.len() < 2 { Vec::new() } else { programs }
            }
            #[cfg(feature = "d3d9")]
            Isa::D3d9 => match isa::d3d9::text::count_shaders(text) {
                count @ 2.. => self.numbered(Some(text.into()), (0..count).map(|_| Content::Numbered)),
                _ => {
                    let mut pieces = self.parts(text, &isa::d3d9::text::programs_in(text));
                    carried::name_programs(text, &mut pieces);
                    pieces
                }
            },
            #[allow(unreachable_patterns, reason = "there may be no other")]
            _ => Vec::new(),
        }
    }

    /// The programs of bytecode, which may have been written as digits.
    #[cfg(feature = "nv2a")]
    fn pieces_of_bytes(&self, bytes: &[u8], options: &OpenOptions<'_>, digits: bool) -> Vec<Self> {
        if options.isa.or_else(|| self.isa()) != Some(Isa::Nv2a) {
            return Vec::new();
        }
        if let Some(text) = core::str::from_utf8(self.bytes()).ok().filter(|_| digits) {
            let slots = nv2a::text::programs_in(text);
            if slots.len() > 1 {
                return self.parts(text, &slots);
            }
        }
        let pushed = self.pieces_of_pushbuffer(bytes, false);
        if digits && pushed.is_empty() { self.pieces_of_slots(bytes) } else { pushed }
    }

    #[cfg(not(feature = "nv2a"))]
    #[allow(clippy::unused_self, reason = "only bytecode of the NV2A has several")]
    fn pieces_of_bytes(&self, _bytes: &[u8], _options: &OpenOptions<'_>, _digits: bool) -> Vec<Self> {
        Vec::new()
    }

    /// The programs that a pushbuffer runs. A single one is the pushbuffer, which is kept whole, unless it is `named` or what the
    /// pushbuffer uploads is not what runs: a later upload may change slots of an earlier one.
    #[cfg(feature = "nv2a")]
    pub(super) fn pieces_of_pushbuffer(&self, bytes: &[u8], named: bool) -> Vec<Self> {
        let Ok(all) = nv2a::bytes::decode(bytes) else { return Vec::new() };
        if !matches!(all.container, Container::Pushbuffer(_)) {
            return Vec::new();
        }
        let (mut programs, mut starts, mut is_whole) = (Vec::new(), Vec::new(), true);
        let bytes = encode(&all);
        each_program(writes(&bytes), |run| {
            is_whole &= all.slots.starts_with(run.slots);
            programs.push(pushed(run));
            starts.push(run.start);
        });
        if programs.len() < 2 && is_whole && !named {
            return Vec::new();
        }
        let mut pieces = name_loads(self.numbered(None, programs), &starts);
        let recording: Arc<[u8]> = bytes.into();
        for piece in pieces.iter_mut().filter_map(|one| one.piece.as_mut()) {
            piece.names.recording = Some(recording.clone());
        }
        pieces
    }

    /// The programs of a log of methods of the NV2A, by the slots that they begin at.
    #[cfg(feature = "nv2a")]
    pub(super) fn pieces_of_log(&self, text: &str) -> Vec<Self> {
        let (starts, programs): (Vec<u32>, Vec<_>) = nv2a::text::programs_of_log(text).into_iter().unzip();
        name_loads(self.numbered(Some(text.into()), programs.into_iter().map(recorded)), &starts)
    }

    /// The program that a log or a pushbuffer of the NV2A runs at its draw of that number, from 1, with the constants as they are then.
    #[cfg(feature = "nv2a")]
    pub(super) fn at_draw(&self, draw: usize) -> Option<Self> {
        let (text, content) = match self.text() {
            Ok(text) => (Some(text.into()), recorded(nv2a::text::program_at_draw(text, draw)?)),
            Err(_) => {
                let all = nv2a::bytes::decode(self.bytes()).ok()?;
                let mut found = None;
                if matches!(all.container, Container::Pushbuffer(_)) {
                    run_at_draw(writes(&encode(&all)), draw, |run| found = Some(pushed(run)));
                }
                (None, found?)
            }
        };
        let mut pieces = self.numbered(text, [content]);
        for piece in pieces.iter_mut().filter_map(|one| one.piece.as_mut()) {
            piece.names.all.push(format!("draw{draw}"));
        }
        carried::settle_names(&mut pieces);
        pieces.pop()
    }

    /// The draws and launches of a log or a pushbuffer of the NV2A, the first of which is `draw1`; none if it is neither. Of a program
    /// that is [carried](Self::carried), those of the recording that it is in.
    #[cfg(feature = "nv2a")]
    pub fn draws(&self) -> Vec<nv2a::methods::Draw> {
        let recording = self.piece.as_ref().map(|piece| piece.names.recording.as_deref());
        match (recording, self.whole_text()) {
            (Some(Some(bytes)), _) => return nv2a::methods::draws(writes(bytes)),
            (_, Some(text)) => return nv2a::text::draws_of_log(text),
            (Some(None), None) => return Vec::new(),
            (None, None) => {}
        }
        match nv2a::bytes::decode(self.bytes()) {
            Ok(all) if matches!(all.container, Container::Pushbuffer(_)) => {
                nv2a::methods::draws(writes(&encode(&all)))
            }
            _ => Vec::new(),
        }
    }

    /// The programs of listings that follow one another: each ends with a slot that is marked as the last one, as does the
    /// whole. What follows that slot in an image of the memory does not end so.
    #[cfg(feature = "nv2a")]
    fn pieces_of_slots(&self, bytes: &[u8]) -> Vec<Self> {
        let Ok(all) = nv2a::bytes::decode(bytes) else { return Vec::new() };
        let ended = all.slots.last().is_some_and(nv2a::program::Slot::is_final);
        if all.container != Container::Bare || !all.tail.is_empty() || !ended {
            return Vec::new();
        }
        let programs = all.slots.split_inclusive(nv2a::program::Slot::is_final);
        let programs = programs.map(|slots| {
            let program = AnyProgram::Nv2a(nv2a::Program::new(slots.to_vec()));
            Content::Read(Box::new(program), None, Vec::new())
        });
        let programs: Vec<Content> = programs.collect();
        if programs.len() < 2 { Vec::new() } else { self.numbered(None, programs) }
    }

    /// Pieces that are parts of a text.
    pub(super) fn parts(&self, text: &str, places: &[Span]) -> Vec<Self> {
        let whole: Arc<str> = text.into();
        let lines = Arc::new(LineIndex::of(text));
        let of = u32::try_from(places.len()).unwrap_or(u32::MAX);
        let part = |(number, place): (u32, &Span)| {
            let part = text.get(place.start as usize..place.end as usize).unwrap_or("");
            let (whole, lines) = (Some(whole.clone()), Some(lines.clone()));
            let piece = Piece {
                number,
                of,
                whole,
                lines,
                start: place.start,
                content: Content::Part,
                address: None,
                names: Names::default(),
            };
            self.of_piece(piece, part.as_bytes().to_vec())
        };
        (1..).zip(places).map(part).collect()
    }

    /// Pieces that are told apart by their numbers.
    #[cfg(any(feature = "d3d9", feature = "nv2a"))]
    fn numbered(&self, whole: Option<Arc<str>>, contents: impl IntoIterator<Item = Content>) -> Vec<Self> {
        let contents: Vec<Content> = contents.into_iter().collect();
        let of = u32::try_from(contents.len()).unwrap_or(u32::MAX);
        let lines = whole.as_deref().map(|whole| Arc::new(LineIndex::of(whole)));
        let piece = |(number, content)| {
            let (whole, lines) = (whole.clone(), lines.clone());
            let names = Names::default();
            let piece = Piece { number, of, whole, lines, start: 0, content, address: None, names };
            self.of_piece(piece, Vec::new())
        };
        (1..).zip(contents).map(piece).collect()
    }
}
