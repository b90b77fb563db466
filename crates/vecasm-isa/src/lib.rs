//! The instruction sets, and the registry that knows all of them.
//!
//! Each ISA is a folder with the same rooms: `table` (the instructions), `program` (the lossless form), `bytes`,
//! `text`, `rules`, `lift`. ISA folders never use one another; what they share stands in [`operand`],
//! [`switch`] and [`table`], in `text`, with which their texts are read and laid out, and in `lift`, with which their
//! lifts are built.

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![cfg_attr(
    not(feature = "default"),
    allow(
        dead_code,
        unreachable_code,
        unreachable_pub,
        unused,
        reason = "each instruction set needs a part of what they share; a build with all of them tells what none needs"
    )
)]

extern crate alloc;

pub mod any;
mod findings;
pub mod include;
mod instruction_set;
mod lift;
pub mod list;
mod locations;
pub use vecasm_ir::operand;
mod registry;
pub mod source;
pub mod switch;
pub mod symbols;
pub mod table;
mod text;

#[cfg(feature = "agal")]
pub mod agal;
#[cfg(feature = "d3d9")]
pub mod d3d9;
#[cfg(feature = "nv2a")]
pub mod nv2a;
#[cfg(feature = "tgsi")]
pub mod tgsi;

pub use registry::{AnyProgram, Isa};

use instruction_set::InstructionSet;
use registry::of_isa;
use text::numbers::strip_hex;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::rules;

rules! {
    /// The rules that belong to no instruction set.
    pub const RULES;
    pub const;

    ASKED "ISA-asked"
        "%1"
        "Only AGAL text lets the caller choose a stage or version. Other programs state theirs, so a choice can only match it or not.";
    NUMBER "ISA-number"
        "%1"
        "A list has words of up to eight hexadecimal digits with 0x in front, or eight without it (AGAL: bytes of two digits); a slot of the NV2A has four words.";
    SOURCE "ISA-source"
        "this is %1 source"
        "An assembler reads instructions; a source in a shading language must be compiled first.";
}

/// How much of a program lifting keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Depth {
    /// The meaning.
    #[default]
    Lean,
    /// The meaning, and which instruction read and wrote what: the [step table](vecasm_ir::ir::steps).
    Full,
}

impl Isa {
    /// The name used on the command line and in messages.
    pub const fn name(self) -> &'static str {
        of_isa!(self, P => P::NAME)
    }

    /// One line for people.
    pub const fn title(self) -> &'static str {
        of_isa!(self, P => P::TITLE)
    }

    /// The endings of files with its text or binaries, besides its name.
    pub const fn extensions(self) -> &'static [&'static str] {
        of_isa!(self, P => P::EXTENSIONS)
    }

    /// Whether bytes start like a binary of this instruction set.
    fn is_binary(self, bytes: &[u8]) -> bool {
        of_isa!(self, P => P::is_binary(bytes))
    }

    /// The instruction set of files with that ending: its name, or one of its [extensions](Self::extensions).
    pub fn of_ending(ending: &str) -> Option<Self> {
        let fits = |name: &str| name.eq_ignore_ascii_case(ending);
        Self::ALL.iter().copied().find(|isa| fits(isa.name()) || isa.extensions().iter().copied().any(fits))
    }

    /// Whether a text looks like assembly of this instruction set, or contains some.
    fn is_text(self, text: &str) -> bool {
        of_isa!(self, P => P::is_text(text))
    }

    /// Reads a binary written as hexadecimal digits, as [`AnyProgram::hex`] writes it: AGAL as bytes in file order, see
    /// [`parse_hex`]; NV2A and Direct3D as 32-bit words, most significant digit first. `None` if the text is something else.
    pub fn read_hex(self, text: &str) -> Option<Vec<u8>> {
        of_isa!(self, P => P::read_hex(text))
    }

    /// Whether binaries are 32-bit words, which digits and arrays show as such; otherwise they are shown as bytes.
    pub const fn in_words(self) -> bool {
        of_isa!(self, P => P::IN_WORDS)
    }

    /// Whether a text is hexadecimal digits that are a binary of this instruction set.
    fn is_hex(self, text: &str) -> bool {
        self.read_hex(text).is_some_and(|bytes| of_isa!(self, P => P::is_of_digits(&bytes)))
    }

    /// Whether bytes begin as a binary of this instruction set does, however they go on.
    fn begins(self, bytes: &[u8]) -> bool {
        of_isa!(self, P => P::begins(bytes))
    }
}

vecasm_ir::spelled!(Isa, "instruction set");

/// What [`sniff`] makes of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A binary of that ISA.
    Binary(Isa),
    /// Text that looks like that ISA's assembly.
    Text(Isa),
    /// Hexadecimal digits that, read as that ISA writes them, are a binary of it, or a [list](list::broken) that is one but for
    /// some of its numbers.
    Hex(Isa),
}

/// Whether bytes are text, in UTF-8 or, if at most one byte in four is no ASCII, in another encoding that extends it: there
/// are some, and no control characters but white space, escape (of coloured logs) and substitute (the end of a text in
/// DOS). No binary of any instruction set is: each has a zero or another small number in its first word.
pub fn is_text(bytes: &[u8]) -> bool {
    let printable = |b: &u8| matches!(b, b'\t'..=b'\r' | 0x1a | 0x1b | b' '..=b'~' | 0x80..);
    let few = || bytes.iter().filter(|b| !b.is_ascii()).count() <= bytes.len() / 4;
    !bytes.is_empty() && bytes.iter().all(printable) && (core::str::from_utf8(bytes).is_ok() || few())
}

/// Whether a file of that size that starts so may have a program that [`sniff`] finds in all of it: as a binary, or in a text of whatever
/// encoding.
pub fn may_begin(start: &[u8], size: u64) -> bool {
    is_beginning_of_text(start) || Isa::ALL.iter().any(|&isa| of_isa!(isa, P => P::may_begin(start, size)))
}

/// Whether a file that starts so may be text: UTF-8, perhaps cut off inside a character, UTF-16, or nearly all of it ASCII.
fn is_beginning_of_text(start: &[u8]) -> bool {
    let is_utf8 = || {
        let known = core::str::from_utf8(start);
        !start.contains(&0) && known.map_or_else(|error| error.error_len().is_none(), |_| true)
    };
    let is_utf16 = || {
        let zeros = |odd: usize| start.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
        let half = start.len() / 2;
        let (even, odd) = (zeros(0), zeros(1));
        // Where nearly all is ASCII every other byte is zero, and no others are.
        half >= 4 && (10 * even >= 9 * half && odd == 0 || 10 * odd >= 9 * half && even == 0)
    };
    let is_marked = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    is_utf8() || is_text(start) || is_marked || is_utf16()
}

/// Recognizes the content of a file: binary first unless it [is text](is_text), then hexadecimal text, then assembly.
pub fn sniff(bytes: &[u8]) -> Option<Content> {
    if !is_text(bytes) {
        if let Some(isa) = Isa::ALL.iter().copied().find(|isa| isa.is_binary(bytes)) {
            return Some(Content::Binary(isa));
        }
        // UTF-8 has NUL, but no text is made of it: images of memory are, and are large.
        let start = &bytes[..bytes.len().min(512)];
        if start.iter().filter(|&&byte| byte == 0).count() > start.len() / 2 {
            return None;
        }
    }
    let text = &*without_escapes(core::str::from_utf8(bytes).ok()?);
    if let Some(isa) = Isa::ALL.iter().copied().find(|isa| isa.is_hex(text)) {
        return Some(Content::Hex(isa));
    }
    let listed = || list::isa_of(text).map(Content::Hex);
    assembly(text).map(Content::Text).or_else(listed).or_else(|| enclosing(text).map(Content::Text))
}

/// The instruction set that a text is assembly of. One that only contains a program of the NV2A is looked at last, since
/// programs of other instruction sets have lines that would do as its statements.
fn assembly(text: &str) -> Option<Isa> {
    let is_whole = |isa: Isa| of_isa!(isa, P => P::is_assembly(text));
    let mut isas = Isa::ALL.iter().copied();
    isas.clone().find(|isa| is_whole(*isa)).or_else(|| isas.find(|isa| isa.is_text(text)))
}

/// The instruction set whose assembly a text contains that is none: asked last, since headers of C have listings in front of arrays.
fn enclosing(text: &str) -> Option<Isa> {
    let _ = text;
    #[cfg(feature = "d3d9")]
    if d3d9::text::contains_program(text) {
        return Some(Isa::D3d9);
    }
    None
}

/// A text with blanks for the escape sequences that colour it in terminals (`ESC [ 32 m`), so that places stay.
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    const ESCAPE: char = '\u{1b}';
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(ESCAPE) {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let bytes = behind.as_bytes();
        let mut len = 1;
        if bytes.get(1) == Some(&b'[') {
            // Parameters, then a letter.
            len += 1 + bytes.iter().skip(2).take_while(|b| matches!(b, b' '..=b'?')).count();
            len += usize::from(bytes.get(len).is_some_and(|b| matches!(b, b'@'..=b'~')));
        }
        out.extend(core::iter::repeat_n(' ', len));
        rest = behind.get(len..).unwrap_or("");
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// A text without zeros at its end, with which strings of C are ended and padded where they are stored or sent whole.
pub fn without_padding(text: &str) -> &str {
    text.trim_end_matches('\0')
}

/// Reads bytes written as hexadecimal digits in file order. White space, commas, semicolons, braces and `0x`
/// prefixes are separators; a group of digits has an even length, or is a single digit after `0x`. Gives `None`
/// if anything else stands there, or no digit at all.
pub fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 2);
    for group in text.split(|c: char| c.is_ascii_whitespace() || matches!(c, ',' | ';' | '{' | '}')) {
        if group.is_empty() {
            continue;
        }
        let (digits, prefixed) = match strip_hex(group) {
            Some(digits) => (digits, true),
            None => (group, false),
        };
        let digits = digits.as_bytes();
        if prefixed && digits.len() == 1 {
            out.push(hex_digit(digits[0])?);
            continue;
        }
        if digits.is_empty() || digits.len() % 2 != 0 {
            return None;
        }
        for pair in digits.chunks_exact(2) {
            out.push(hex_digit(pair[0])? << 4 | hex_digit(pair[1])?);
        }
    }
    (!out.is_empty()).then_some(out)
}

/// Reads 32-bit words written as hexadecimal digits, most significant digit first, as their bytes in little-endian order:
/// words of eight digits, or of up to eight behind `0x`. Separators are white space, commas, semicolons and braces; C
/// suffixes behind such numbers and comments are skipped. Behind the last word single bytes of two digits may stand.
/// `None` if anything else stands there, or no digit at all.
pub(crate) fn parse_words(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 2);
    let mut rest = text;
    let mut odd = false;
    loop {
        rest =
            rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || matches!(c, ',' | ';' | '{' | '}'));
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |n| &comment[n..]);
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map(|n| &comment[n + 2..])?;
            continue;
        }
        if rest.is_empty() {
            break;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, ',' | ';' | '{' | '}' | '/'));
        let (group, behind) = rest.split_at(end.unwrap_or(rest.len()));
        rest = behind;
        let digits = strip_hex(group);
        let (digits, prefixed) = digits.map_or((group, false), |digits| (digits, true));
        let digits = if prefixed { digits.trim_end_matches(['u', 'U', 'l', 'L']) } else { digits };
        if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let word = u32::from_str_radix(digits, 16).ok()?;
        match digits.len() {
            8 if !odd => out.extend_from_slice(&word.to_le_bytes()),
            // The bytes behind the last whole word.
            2 if !prefixed => {
                odd = true;
                out.push(word as u8);
            }
            _ if prefixed && !odd => out.extend_from_slice(&word.to_le_bytes()),
            _ => return None,
        }
    }
    (!out.is_empty()).then_some(out)
}

fn hex_digit(c: u8) -> Option<u8> {
    (c as char).to_digit(16).map(|d| d as u8)
}

/// Writes bytes as lower-case hexadecimal digits.
pub fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for &b in bytes {
        out.push(DIGITS[usize::from(b >> 4)] as char);
        out.push(DIGITS[usize::from(b & 15)] as char);
    }
    out
}
