//! From bytes to programs.
//!
//! [`open`] tells what bytes are and reads the programs in them: bytecode, its digits in hexadecimal or base64, arrays of a C,
//! C#, Rust or ActionScript source, assembly, logs and listings with several programs, in UTF-8 or UTF-16. [`Input`] takes the
//! same steps one by one, for those who want to know how many programs there are before they read one.
//!
//! | file | holds |
//! |---|---|
//! | `carried` | what programs in texts are called there |
//! | `contained` | programs in containers |
//! | `digits` | other bytes in the notation of those that a text has |
//! | `encoding` | texts that are not plain UTF-8 |
//! | `input` | what bytes are: the instruction set, the notation |
//! | `notation` | digits, and arrays of sources |
//! | `pieces` | inputs with several programs |
//! | `read` | one program |
//! | `rewrite` | other programs in the place of those in a text |
//! | `unity` | shaders of Unity as text |
//! | `foreign` | files of other kinds, by what they begin with |

mod carried;
#[cfg(feature = "containers")]
mod contained;
#[cfg(feature = "containers")]
mod digits;
mod encoding;
mod foreign;
mod input;
mod notation;
mod pieces;
mod read;
#[cfg(feature = "containers")]
mod rewrite;
#[cfg(feature = "d3d9")]
mod unity;

use crate::diag::{Diagnostic, Renderer, Source};
use crate::ir;
#[cfg(doc)]
use crate::isa::AnyProgram;
#[cfg(feature = "tgsi")]
use crate::isa::tgsi;
use crate::isa::{Content, Isa};
use crate::program::Program;
use alloc::borrow::Cow;
#[cfg(all(feature = "exec", feature = "files"))]
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

pub use crate::isa::include::{Included, Request};
pub use carried::{CARRIERS, Carrier, indices_at};
#[cfg(feature = "containers")]
pub use contained::Contained;
pub use encoding::Encoding;
pub use foreign::recognized;
pub use input::{Form, Input, stage_of_name};
pub use notation::{array_body, read_base64, read_hex};
pub use pieces::{Constants, Piece};
#[cfg(feature = "d3d9")]
pub use read::flat;
#[cfg(feature = "containers")]
pub use rewrite::Replacement;

/// How a program is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notation {
    /// Bytecode.
    Binary,
    /// Bytecode in hexadecimal digits, with `0x` and commas or without, or as the array of a source.
    Hex,
    /// Bytecode in base64.
    Base64,
    /// Assembly.
    Text,
}

impl Notation {
    /// Every one.
    pub const ALL: &'static [Self] = &[Self::Binary, Self::Hex, Self::Base64, Self::Text];

    /// The word for it: `bin`, `hex`, `base64` or `text`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Binary => "bin",
            Self::Hex => "hex",
            Self::Base64 => "base64",
            Self::Text => "text",
        }
    }
}

vecasm_ir::spelled!(Notation, "form");

/// The notation that is assumed where the bytes do not tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum AssumedNotation {
    /// Assembly, if it is text at all.
    #[default]
    Text,
    /// Bytecode, unless it is text.
    Bytes,
    /// Assembly if it is text, else bytecode however broken, for a validator to look at.
    Anything,
}

/// Knowledge about bytes that the caller has already. All of it is optional; the default is none.
///
/// [`options`](crate::options) sets it by name, in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenOptions<'a> {
    /// The name of the file: findings and `#include` use it; its ending tells the instruction set, and its words the stage,
    /// where the content does not.
    pub name: &'a str,
    /// The instruction set.
    pub isa: Option<Isa>,
    /// How the program is written down.
    pub notation: Option<Notation>,
    /// The stage of a text of AGAL that does not say it. Of several programs the first of that stage is
    /// [the one](Opened::program). A program that is of another stage has no other for it: [`Opened::programs`] has it all the same.
    pub stage: Option<ir::Stage>,
    /// The version of a text of AGAL that does not say it.
    pub version: Option<u32>,
    /// The dialect of TGSI.
    #[cfg(feature = "tgsi")]
    pub dialect: Option<tgsi::Dialect>,
    /// The notation that is assumed where the bytes do not tell it.
    pub likely: AssumedNotation,
    /// What containers may ask for.
    #[cfg(feature = "containers")]
    pub limits: crate::container::Limits,
}

impl<'a> OpenOptions<'a> {
    /// For a file of that name.
    #[must_use]
    pub fn named(name: &'a str) -> Self {
        Self { name, ..Self::default() }
    }

    /// For a file of that name.
    #[must_use]
    pub fn with_name(self, name: &'a str) -> Self {
        Self { name, ..self }
    }

    /// For containers that may ask for so much.
    #[cfg(feature = "containers")]
    #[must_use]
    pub fn with_limits(self, limits: crate::container::Limits) -> Self {
        Self { limits, ..self }
    }

    /// For an instruction set.
    #[must_use]
    pub fn with_isa(self, isa: impl Into<Option<Isa>>) -> Self {
        Self { isa: isa.into(), ..self }
    }

    /// For programs written down so.
    #[must_use]
    pub fn with_notation(self, notation: impl Into<Option<Notation>>) -> Self {
        Self { notation: notation.into(), ..self }
    }

    /// For a stage.
    #[must_use]
    pub fn with_stage(self, stage: impl Into<Option<ir::Stage>>) -> Self {
        Self { stage: stage.into(), ..self }
    }

    /// For a version of AGAL.
    #[must_use]
    pub fn with_version(self, version: impl Into<Option<u32>>) -> Self {
        Self { version: version.into(), ..self }
    }

    /// For a dialect of TGSI.
    #[cfg(feature = "tgsi")]
    #[must_use]
    pub fn with_dialect(self, dialect: impl Into<Option<tgsi::Dialect>>) -> Self {
        Self { dialect: dialect.into(), ..self }
    }

    /// For bytes that are likely that.
    #[must_use]
    pub fn with_likely(self, likely: AssumedNotation) -> Self {
        Self { likely, ..self }
    }
}

/// Files that a program needs while it is read. The library itself opens none.
pub trait Host {
    /// The file that an `#include` of Direct3D's assembly names, or why there is none.
    ///
    /// # Errors
    ///
    /// The reason, for the end of the finding: `not found`.
    fn include(&mut self, request: &Request<'_>) -> Result<Included, String> {
        let _ = request;
        Err("no files are read here".into())
    }
}

/// Gives nothing: no files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {}

/// Gives files that are in memory, by names with `/` between folders.
#[cfg(all(feature = "exec", feature = "files"))]
pub(crate) struct Files<'a>(pub(crate) &'a BTreeMap<String, Vec<u8>>);

#[cfg(all(feature = "exec", feature = "files"))]
impl Host for Files<'_> {
    fn include(&mut self, request: &Request<'_>) -> Result<Included, String> {
        let name = beside(request.from, request.name);
        let found = name.and_then(|name| Some((self.0.get(&name)?, name)));
        let (bytes, name) = found.ok_or("not found")?;
        Ok(Included { name, text: String::from_utf8_lossy(bytes).into_owned() })
    }
}

/// Why a program was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// It is no program, or none that is known.
    Unknown(Unknown),
    /// It is one with errors, which are among these findings.
    Bad(Vec<Diagnostic>),
}

impl ReadError {
    /// The findings of a program with errors; none of what is no program.
    pub fn findings(&self) -> &[Diagnostic] {
        match self {
            Self::Unknown(_) => &[],
            Self::Bad(findings) => findings,
        }
    }
}

impl From<Unknown> for ReadError {
    fn from(unknown: Unknown) -> Self {
        Self::Unknown(unknown)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(unknown) => unknown.fmt(f),
            Self::Bad(findings) => {
                let error = findings.iter().find(|finding| finding.severity == crate::diag::Severity::Error);
                error.or(findings.first()).map_or(Ok(()), |finding| finding.fmt(f))
            }
        }
    }
}

impl core::error::Error for ReadError {}

/// Why bytes are no program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unknown {
    /// Nothing tells the instruction set.
    Isa,
    /// A file of another kind: what it is, and what to do with it.
    Foreign(Cow<'static, str>),
    /// Bytecode, where a text is asked for.
    Binary(Isa),
    /// No text, where one is asked for: the first byte that is not UTF-8.
    NotText(usize),
    /// No hexadecimal digits: what they are instead.
    NotHex(String),
    /// Not base64.
    NotBase64,
    /// A container of several programs, where one is needed: their names with their addresses.
    Several(Vec<String>),
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Isa => f.write_str("unknown instruction set"),
            Self::Foreign(what) => write!(f, "this is {what}"),
            Self::Binary(isa) => {
                write!(f, "this is bytecode ({}); `vecasm dis` shows it as text", isa.name())
            }
            Self::NotText(byte) => write!(f, "not text: byte {byte} is not UTF-8"),
            Self::NotHex(why) => f.write_str(why),
            Self::NotBase64 => f.write_str("not base64"),
            Self::Several(names) => {
                let first = names.first().map_or("", |name| name);
                write!(f, "{} programs; choose one by its address: {first}, …", names.len())
            }
        }
    }
}

impl core::error::Error for Unknown {}

/// The programs of an input. [`open`] gives it.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct Opened {
    /// How the text is written, if it is not plain UTF-8.
    pub encoding: Option<Encoding>,
    /// The instruction set and notation that the content alone tells; `None` if it tells none.
    pub content: Option<Content>,
    /// The programs in their order, or why one was not read. There is at least one entry.
    pub programs: Vec<Result<Program, ReadError>>,
    /// Which of them is meant where one is needed.
    pub(crate) chosen: usize,
    /// The stage and the version that were asked for.
    asked: (Option<ir::Stage>, Option<u32>),
    /// The names of those in a container of several, where nothing tells which is meant.
    several: Vec<String>,
    /// The text of all of them.
    input: Input,
}

impl Opened {
    /// How findings of a program that was [not read](ReadError::Bad) refer to the input. A [`Program`] has its own.
    pub fn source(&self) -> Source<'_> {
        self.input.source()
    }

    /// Shows findings of a program that was [not read](ReadError::Bad). A [`Program`] has its own.
    pub fn renderer(&self) -> Renderer<'_> {
        self.input.renderer()
    }

    /// The program where one is needed: the first of the stage that was asked for, else the first. In a container there is no
    /// first one.
    ///
    /// # Errors
    ///
    /// [`Unknown::Several`] for a container of several where no stage was asked for; why it was not read; or that it is of another stage or version than was asked for, as
    /// [`AnyProgram::contradicts`](crate::isa::AnyProgram::contradicts) says it.
    pub fn program(mut self) -> Result<Program, ReadError> {
        let (stage, version) = self.asked;
        if !self.several.is_empty() {
            return Err(Unknown::Several(self.several).into());
        }
        let program = self.programs.swap_remove(self.chosen)?;
        match program.contradicts(stage, version) {
            Some(finding) => Err(ReadError::Bad(alloc::vec![finding])),
            None => Ok(program),
        }
    }
}

/// Tells what bytes are and reads the programs in them. Nothing is asked of the world but what `host` gives.
///
/// ```
/// # #[cfg(feature = "agal")] {
/// use vecasm::ir::Stage;
/// use vecasm::open::{NoHost, OpenOptions, open};
///
/// let opened = open(b"mov op, va0\n", &OpenOptions::named("plain.vert.agal"), &mut NoHost);
/// let program = opened.program()?;
/// assert_eq!((program.isa().name(), program.stage()), ("agal", Stage::Vertex));
/// # }
/// # Ok::<(), vecasm::open::ReadError>(())
/// ```
pub fn open(bytes: &[u8], options: &OpenOptions<'_>, host: &mut (impl Host + ?Sized)) -> Opened {
    let decoded = encoding::decode(bytes);
    let encoding = decoded.as_ref().map(|(encoding, _)| *encoding);
    let bytes = decoded.map_or_else(|| bytes.to_vec(), |(_, text)| text.into_bytes());
    let input = Input::new(options.name, Some(options.name), encoding::uncoloured(bytes));
    let content = input.content();
    let pieces = input.pieces(options);
    let all = if pieces.is_empty() { core::slice::from_ref(&input) } else { &pieces };
    let programs: Vec<_> = all.iter().map(|one| one.read(options, host)).collect();
    let is_of = |one: &Result<Program, ReadError>| {
        options.stage.is_none_or(|stage| matches!(one, Ok(program) if program.stage() == stage))
    };
    let chosen = programs.iter().position(is_of).unwrap_or(0);
    let in_container = |one: &Input| one.piece().is_some_and(|piece| piece.address().is_some());
    let several = match options.stage {
        None if pieces.len() > 1 && pieces.iter().all(in_container) => {
            pieces.iter().map(|piece| piece.name().into()).collect()
        }
        _ => Vec::new(),
    };
    Opened { encoding, content, programs, chosen, asked: (options.stage, options.version), several, input }
}

/// A text in another encoding, or with the colours of a terminal that it was copied from, as plain UTF-8; what is no text stays.
pub fn plain(bytes: Vec<u8>) -> Vec<u8> {
    encoding::uncoloured(encoding::decode(&bytes).map_or(bytes, |(_, text)| text.into_bytes()))
}

/// The bytes of a text in the encoding that its file had.
pub fn encode_like(old: &[u8], text: &str) -> Vec<u8> {
    match encoding::decode(old) {
        Some((encoding, _)) => encoding.encode(text),
        None => text.as_bytes().to_vec(),
    }
}

/// The name of a file that another one includes, where folders are names with `/` and none stands outside; `None` if it is
/// absolute, or leads out of the outermost folder.
///
/// ```
/// assert_eq!(vecasm::open::beside("shaders/water.psa", "../lib/fog.h").as_deref(), Some("lib/fog.h"));
/// assert_eq!(vecasm::open::beside("water.psa", "../fog.h"), None);
/// ```
pub fn beside(from: &str, name: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    parts.pop();
    if name.starts_with(['/', '\\']) || name.contains([':', '\0']) {
        return None;
    }
    for part in name.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// The words of a finding for one line.
fn advise(what: &str, advice: &str) -> String {
    format!("{what}: {advice}")
}
