//! The languages in which people have programs, how they are told apart, and what is none of them.
//!
//! A text says itself what it is: NV_vertex_program begins with `!!`, the XDK's language with `xvs`, what xemu writes has
//! its slots in comments, and a log names methods. Everything else is the language of nv2a-vsh.

use super::errors::{Findings, id};
use super::{enclosed, log, sniff, xemu};
use crate::nv2a::program;
use alloc::format;
use vecasm_ir::diag::Span;

/// A language of programs in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// nv2a-vsh, with the lossless style of this library.
    Vsh,
    /// NV_vertex_program: `!!VP1.0`, `!!VP1.1`, `!!VSP1.0`.
    Vp,
    /// The XDK's assembler: `xvs.1.1`.
    Xvs,
    /// The GLSL that xemu writes, with the words of each slot in a comment.
    Xemu,
    /// Methods of the graphics processor, one a line.
    Log,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: &'static [Self] = &[Self::Vsh, Self::Vp, Self::Xvs, Self::Xemu, Self::Log];

    /// Those that programs are written in besides the lossless style, as far as they can say them.
    pub const WRITTEN: &'static [Self] = &[Self::Vp, Self::Xvs];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vsh => "vsh",
            Self::Vp => "vp",
            Self::Xvs => "xvs",
            Self::Xemu => "xemu",
            Self::Log => "log",
        }
    }

    /// One line for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Vsh => "nv2a-vsh, and the lossless style",
            Self::Vp => "NV_vertex_program: !!VP1.0, !!VP1.1, !!VSP1.0",
            Self::Xvs => "the XDK's assembler: xvs.1.1, xvsw.1.1, xvss.1.1, vs.1.1",
            Self::Xemu => "GLSL that xemu writes, the words of slots in comments",
            Self::Log => "methods of the graphics processor, one a line (PGRAPH, pushbuffer)",
        }
    }

    /// What a text is written in; what looks like nothing known is the language of nv2a-vsh.
    pub fn of(text: &str) -> Self {
        Self::recognize(text).unwrap_or(Self::Vsh)
    }

    /// The dialect of a text that looks like a program of the NV2A, contains one, or looks like one that people
    /// mistake for it: a mistake is read by the dialect that explains it.
    pub fn recognize(text: &str) -> Option<Self> {
        Self::beginning(text).or_else(|| enclosed::dialect(text))
    }

    /// The dialect of a text that is one program as a whole.
    pub(super) fn beginning(text: &str) -> Option<Self> {
        match Head::of(text).map(|head| head.kind) {
            Some(Kind::Xvs(_) | Kind::Pixel) => Some(Self::Xvs),
            Some(_) => Some(Self::Vp),
            None if sniff::is_vsh(text) => Some(Self::Vsh),
            None if xemu::looks_like(text) => Some(Self::Xemu),
            None if log::looks_like(text) => Some(Self::Log),
            None => None,
        }
    }
}

vecasm_ir::spelled!(Dialect, "dialect");

/// Whether a text begins with a version of Direct3D 8, without the x of the XDK.
pub(super) fn is_direct3d(text: &str) -> bool {
    Head::of(text).is_some_and(|head| head.word.starts_with(['v', 'V', 'p', 'P']))
}

/// What the word says with which many programs begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A vertex program of NV_vertex_program, or a vertex state program; `later` is version 1.1.
    Vp { state: bool, later: bool },
    /// The XDK's vertex programs.
    Xvs(program::Kind),
    /// A program for the register combiners or texture shaders in the text of nxdk's fp20compiler.
    Combiners,
    /// A pixel shader of Direct3D 8, which the XDK turns into the state of the register combiners.
    Pixel,
    /// A program of another OpenGL extension.
    Extension,
}

/// The kind of program that begins with a word.
pub(super) fn kind_of(word: &str) -> Option<Kind> {
    let is = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(word));
    let begins = |name: &str| word.get(..name.len()).is_some_and(|w| w.eq_ignore_ascii_case(name));
    Some(if word.starts_with("!!") {
        match word {
            "!!VP1.0" => Kind::Vp { state: false, later: false },
            "!!VP1.1" => Kind::Vp { state: false, later: true },
            "!!VSP1.0" => Kind::Vp { state: true, later: false },
            "!!RC1.0" | "!!TS1.0" => Kind::Combiners,
            _ => Kind::Extension,
        }
    } else if is(&["xvs.1.1", "xvs.1.0", "vs.1.1", "vs.1.0"]) {
        Kind::Xvs(program::Kind::Vertex)
    } else if is(&["xvss.1.1", "xvss.1.0"]) {
        Kind::Xvs(program::Kind::State)
    } else if is(&["xvsw.1.1", "xvsw.1.0"]) {
        Kind::Xvs(program::Kind::ReadWrite)
    } else if begins("xps.") || begins("ps.1.") {
        Kind::Pixel
    } else {
        return None;
    })
}

/// The word that a text begins with, where that may be a [`kind_of`] program: a comment or a semicolon may follow it at once.
pub(super) fn begin_of(text: &str) -> &str {
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, ';' | '#' | ',' | '(' | '/'));
    text.get(..end.unwrap_or(text.len())).unwrap_or(text)
}

/// The word with which a program begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head<'a> {
    pub(super) kind: Kind,
    pub(super) word: &'a str,
    pub(super) span: Span,
}

impl<'a> Head<'a> {
    /// The head of a text, if it has one of these.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        let start = sniff::first_word(text);
        let word = begin_of(text.get(start..)?);
        Some(Self { kind: kind_of(word)?, word, span: Span::new(start, start + word.len()) })
    }

    /// Says what a program is that has no vertex program in it; nothing if it has one.
    #[cold]
    pub(super) fn blame(&self, findings: &mut Findings) {
        const ELSE: &str = "vecasm reads the vertex program that goes with it: nv2a-vsh text, !!VP1.1, xvs.1.1, microcode or a \
            pushbuffer; what it draws goes through a fragment stage of its own";
        let (id, message) = match self.kind {
            Kind::Combiners => (
                id::COMBINERS,
                format!(
                    "{} is a program for the {} of the NV2A, not a vertex program",
                    self.word,
                    if self.word == "!!TS1.0" { "texture shaders" } else { "register combiners" }
                ),
            ),
            Kind::Pixel => (
                id::COMBINERS,
                format!(
                    "{} is a pixel shader, which the Xbox runs on its register combiners; it is not a vertex program",
                    self.word
                ),
            ),
            Kind::Extension => {
                let message = format!("{} is not a version that the NV2A runs", self.word);
                let help =
                    "the NV2A runs !!VP1.0, !!VP1.1 and !!VSP1.0; other extensions are for other hardware";
                findings.error_with(id::VERSION, self.span, message, Some(help.into()));
                return;
            }
            Kind::Vp { .. } | Kind::Xvs(_) => return,
        };
        findings.error_with(id, self.span, message, Some(ELSE.into()));
    }
}
