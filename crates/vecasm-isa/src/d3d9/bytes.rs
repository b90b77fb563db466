//! Token streams: decoding and encoding, both without loss. A word is little-endian.
//!
//! Hexadecimal text is words of eight digits, most significant digit first, as C arrays and listings have them; the
//! bytes in file order are read as well.

use super::program::{Program, Version};
use crate::{parse_hex, parse_words};
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Place, rules};

rules! {
    /// The rules of this room.
    pub const RULES;
    const;

    NOT_D3D9 "D3D9-not-d3d9"
        "%1"
        "A program begins with a version token: 0xfffe and a version for vertex shaders, 0xffff for pixel shaders; 0x4658 or 0x5458 for separate preshaders.";
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|c| c.try_into().map_or(0, u32::from_le_bytes))
}

/// Whether a word is the version token of a model that somebody has seen: 1.0–1.4, 2.x, 3.x and their software models,
/// and preshaders alone.
fn is_version(word: u32) -> bool {
    let version = Version(word);
    if version.is_preshader() {
        return matches!(version.major(), 1..=3) && version.minor() <= 4;
    }
    let known = match version.major() {
        1 => version.minor() <= 4,
        2 | 3 => matches!(version.minor(), 0..=4 | 0xff),
        _ => false,
    };
    known && version.known_stage().is_some()
}

/// Whether `bytes` begin with the version token of a shader of Direct3D 8 or 9.
pub fn looks_like(bytes: &[u8]) -> bool {
    words(bytes).next().is_some_and(is_version)
}

/// Reads any bytes as a program. Nothing is checked and nothing is lost: [`encode`] gives the same bytes.
pub fn decode_lossless(bytes: &[u8]) -> Program {
    Program::new(words(bytes).collect(), bytes.chunks_exact(4).remainder())
}

/// Reads a program.
///
/// # Errors
///
/// Fails with `D3D9-not-d3d9` only if the bytes do not begin with a version token, of whatever version.
pub fn decode(bytes: &[u8]) -> Result<Program, Diagnostic> {
    let what = match words(bytes).next() {
        Some(word) if Version(word).known_stage().is_some() || is_version(word) => {
            return Ok(decode_lossless(bytes));
        }
        _ if bytes.is_empty() => "the input is empty",
        None => "too short for a version token",
        Some(_) => "found no version token of a vertex or pixel shader",
    };
    Err(NOT_D3D9.finding(what).at(Place::Binary { offset: 0, token: None }))
}

/// Writes a program.
pub fn encode(program: &Program) -> Vec<u8> {
    let mut out = Vec::with_capacity(program.words().len() * 4 + program.rest().len());
    program.words().iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    out.extend_from_slice(program.rest());
    out
}

/// Reads a program written as hexadecimal digits: words of up to eight digits, if the first one is a version token, else
/// bytes in file order. Separators are white space, commas, semicolons and braces; `0x` prefixes, C suffixes and comments
/// are skipped. What is left of a program whose size is not a whole number of words stands behind the last word as bytes
/// of two digits.
///
/// `None` if the text is something else.
pub fn parse_digits(text: &str) -> Option<Vec<u8>> {
    if let Some(bytes) = parse_words(text).filter(|bytes| looks_like(bytes)) {
        return Some(bytes);
    }
    parse_hex(text)
}
