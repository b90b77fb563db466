//! What programs in texts are called there: arrays by their variables, programs of Unity's shaders by their passes, those of apitrace by
//! their calls. And where their digits or lines stand, for those who put others there.

use super::notation::{self, arrays};
#[cfg(feature = "d3d9")]
use super::pieces::Names;
use super::pieces::Piece;
use super::{AssumedNotation, Form, Input, Notation, OpenOptions};
#[cfg(feature = "d3d9")]
use crate::captures;
use crate::diag::Span;
#[cfg(any(feature = "d3d9", feature = "nv2a"))]
use crate::isa;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// The name of a program whose digits are all of a text.
const DIGITS: &str = "bytes";

/// A kind of text or recording that carries programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Carrier {
    /// The word for it: `array`.
    pub name: &'static str,
    /// What it is, for sentences: `an array of a C source`.
    pub title: &'static str,
    /// Whether other programs can be put in the place of those in it.
    pub is_written: bool,
    /// What of it is written, or only read, where that is not all; else nothing.
    pub scope: &'static str,
}

/// Every kind.
pub const CARRIERS: [Carrier; 7] = [
    carrier("array", "an array of a C, C++, C#, Rust, ActionScript or JavaScript source", true),
    carrier("digits", "digits in hexadecimal or base64, also as a data URL", true),
    carrier("dump", "a dump with offsets (xxd, hexdump -C, od)", true),
    carrier("unity", "a shader of Unity 4 or 5 as text (SubProgram)", true),
    Carrier {
        scope: "listings; programs in files beside it (--blobs) are read",
        ..carrier("apitrace", "a dump of apitrace", true)
    },
    Carrier {
        scope: "lines with something in front of them are read",
        ..carrier("log", "a log, a report or a source with assembly in it", true)
    },
    carrier("recording", "methods of the NV2A, as a log or a pushbuffer", false),
];

const fn carrier(name: &'static str, title: &'static str, is_written: bool) -> Carrier {
    Carrier { name, title, is_written, scope: "" }
}

impl Input {
    /// The programs that a text, a log or a pushbuffer carries, by their numbers; of a header with one array, and of digits, that one as
    /// well, which [`pieces`](Self::pieces) takes for the whole. None in a text that is a program, in bytecode, and in a container.
    pub fn carried(&self, options: &OpenOptions<'_>) -> Vec<Self> {
        #[cfg(feature = "containers")]
        if self.container(options).is_some() {
            return Vec::new();
        }
        let pieces = self.pieces(options);
        if !pieces.is_empty() || self.piece.is_some() {
            return pieces;
        }
        let Ok(text) = self.text() else {
            #[cfg(feature = "nv2a")]
            return self.pieces_of_pushbuffer(self.bytes(), true);
            #[cfg(not(feature = "nv2a"))]
            return Vec::new();
        };
        #[cfg(feature = "nv2a")]
        if self.isa() == Some(isa::Isa::Nv2a) {
            let logged = self.pieces_of_log(text);
            if !logged.is_empty() {
                return logged;
            }
        }
        match self.form(&options.with_likely(AssumedNotation::Text)) {
            // Digits of something that is no bytecode are not asked for here.
            Ok(Form::Bytes(_)) if options.notation != Some(Notation::Binary) => {}
            _ => return Vec::new(),
        }
        let arrays = arrays(text, options.isa);
        if arrays.is_empty() {
            let mut all = self.parts(text, &[Span::new(0, text.len())]);
            for piece in all.iter_mut().filter_map(|one| one.piece.as_mut()) {
                piece.names.all.push(DIGITS.into());
            }
            settle_names(&mut all);
            return all;
        }
        let mut pieces = self.parts(text, &arrays);
        name_arrays(&mut pieces);
        pieces
    }

    /// Those programs and others that are in files of their own, with their names: see [`captures::blobs`](crate::captures::blobs).
    #[cfg(all(feature = "containers", feature = "d3d9"))]
    #[must_use]
    pub fn with_blobs(&self, mut programs: Vec<Self>, blobs: Vec<(String, Vec<u8>)>) -> Vec<Self> {
        let file = self.file().unwrap_or_else(|| self.name());
        let of = u32::try_from(programs.len() + blobs.len()).unwrap_or(u32::MAX);
        for (name, bytes) in blobs {
            let number = u32::try_from(programs.len() + 1).unwrap_or(u32::MAX);
            let piece = Piece::of_file(number, of, name.clone());
            programs.push(Self::new(format!("{file}::{name}"), None, bytes).with_piece(piece));
        }
        programs.iter_mut().filter_map(|one| one.piece.as_mut()).for_each(|piece| piece.of = of);
        programs
    }

    /// Those of the programs that are [carried](Self::carried) which an address means: one, or all below a pass of Unity. Names are taken
    /// in any case where that leaves one. `draw3` is the program that a recording of the NV2A runs at its third draw, with the constants as
    /// they are then.
    pub fn carried_at(&self, programs: &[Self], address: &str) -> Vec<Self> {
        let found = indices_at(programs.iter().map(|one| one.piece.as_ref()), address);
        if found.is_empty() {
            return self.draw_named(address).into_iter().collect();
        }
        found.into_iter().filter_map(|n| programs.get(n).cloned()).collect()
    }

    /// The program of a recording that `draw3` means.
    #[cfg(feature = "nv2a")]
    pub(super) fn draw_named(&self, address: &str) -> Option<Self> {
        let word = address.get(..4).filter(|word| word.eq_ignore_ascii_case("draw"));
        let draw: usize = word.and_then(|_| address.get(4..)?.parse().ok())?;
        self.at_draw(draw)
    }

    /// Only the NV2A has recordings.
    #[cfg(not(feature = "nv2a"))]
    #[allow(clippy::unused_self, reason = "as the one above")]
    pub(super) const fn draw_named(&self, _address: &str) -> Option<Self> {
        None
    }
}

/// Which of the programs of a text an address means by a name: one, or all below a step. Names are taken in any case where that leaves
/// one.
pub fn indices_at<'p>(
    programs: impl Iterator<Item = Option<&'p Piece>> + Clone,
    address: &str,
) -> Vec<usize> {
    let by = |is: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let all = programs.clone().enumerate();
        let has =
            |piece: Option<&Piece>| piece.is_some_and(|piece| piece.names.all.iter().any(|name| is(name)));
        all.filter(|(_, piece)| has(*piece)).map(|(n, _)| n).collect()
    };
    let exact = by(&|name| name == address);
    if exact.len() == 1 {
        return exact;
    }
    let same = by(&|name| name.eq_ignore_ascii_case(address));
    if same.len() == 1 {
        return same;
    }
    let step = address.trim_end_matches('/');
    by(&|name| {
        let start = name.get(..step.len()).filter(|start| start.eq_ignore_ascii_case(step));
        start.is_some() && name[step.len()..].starts_with(['/', '[', '#'])
    })
}

/// Gives programs of Direct3D in a text the names that they have there.
#[cfg(feature = "d3d9")]
pub(super) fn name_programs(text: &str, pieces: &mut [Input]) {
    let programs = super::unity::programs(text);
    if !programs.is_empty() {
        return name_by_unity(programs, pieces);
    }
    name_by_listing(text, pieces);
    name_by_calls(text, pieces);
    settle_names(pieces);
}

#[cfg(feature = "d3d9")]
fn name_by_unity(programs: Vec<super::unity::SubProgram>, pieces: &mut [Input]) {
    let mut programs = programs.into_iter().peekable();
    for piece in pieces.iter_mut() {
        let len = piece.bytes().len();
        let Some(piece) = &mut piece.piece else { continue };
        let last = (piece.start as usize + len).saturating_sub(1);
        // Both are in the order of the text.
        while programs.next_if(|program| program.text.end <= last).is_some() {}
        if let Some(program) = programs.next_if(|program| program.text.contains(&last)) {
            let (constants, textures) = (program.constants, program.textures);
            let number = program.names.first().cloned();
            let place = Some(program.text);
            piece.names =
                Names { all: program.names, number, place, constants, textures, ..Names::default() };
        }
    }
    settle_names(pieces);
}

/// The names of registers in the comments of a listing, which stand in front of a program.
#[cfg(feature = "d3d9")]
fn name_by_listing(text: &str, pieces: &mut [Input]) {
    let mut from = 0;
    for piece in pieces.iter_mut() {
        let len = piece.bytes().len();
        let Some(piece) = piece.piece.as_mut().filter(|piece| piece.is_part()) else { continue };
        let start = piece.start as usize;
        if let Some(before) = text.get(from..start) {
            (piece.names.constants, piece.names.textures) = isa::d3d9::text::names_in_header(before);
        }
        from = start + len;
    }
}

/// A program of a dump of apitrace has the number of the call that creates it.
#[cfg(feature = "d3d9")]
fn name_by_calls(text: &str, pieces: &mut [Input]) {
    if !captures::is_apitrace(text) {
        return;
    }
    let mut calls = captures::calls(text).peekable();
    let mut last = None;
    for piece in pieces.iter_mut() {
        let len = piece.bytes().len();
        let Some(piece) = piece.piece.as_mut().filter(|piece| piece.is_part()) else { continue };
        let end = piece.start as usize + len;
        while let Some(call) = calls.next_if(|call| call.place < end) {
            last = Some(call);
        }
        if let Some(call) = last.as_ref().filter(|call| call.text.contains("Shader(")) {
            piece.names.all.push(format!("call{}", call.number));
        }
    }
}

/// Gives arrays of a source the names of their variables, and `array0`, `array1`, ….
pub(super) fn name_arrays(pieces: &mut [Input]) {
    for (n, piece) in pieces.iter_mut().enumerate() {
        let own = piece.text().ok().and_then(notation::variable);
        let Some(piece) = &mut piece.piece else { continue };
        piece.names.all.extend(own.into_iter().chain([format!("array{n}")]));
        piece.names.number = Some(format!("array{n}"));
    }
    settle_names(pieces);
}

/// Tells names apart that several programs have, by numbers from the second on, `call7#2`, and names the inputs by them.
pub(super) fn settle_names(pieces: &mut [Input]) {
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let mut all: BTreeSet<String> = BTreeSet::new();
    // A name that is the number of another one does not count.
    let numbers: BTreeSet<String> =
        pieces.iter().filter_map(|one| one.piece.as_ref()?.names.number.clone()).collect();
    for piece in pieces.iter_mut() {
        let Some(piece) = &mut piece.piece else { continue };
        let own = piece.names.number.clone();
        piece.names.all.retain(|name| Some(name) == own.as_ref() || !numbers.contains(name));
        for name in &mut piece.names.all {
            let count = taken.entry(name.clone()).or_default();
            *count += 1;
            if *count > 1 {
                *name = format!("{name}#{count}");
            }
        }
        // A name that another has, however it came to it, tells nothing.
        piece.names.all.retain(|name| all.insert(name.clone()));
    }
    for piece in pieces.iter_mut() {
        if let Some(name) = piece.piece().and_then(|piece| piece.names().first().cloned()) {
            let file = piece.file().unwrap_or_else(|| piece.name()).to_string();
            piece.rename(format!("{file}::{name}"));
        }
    }
}
