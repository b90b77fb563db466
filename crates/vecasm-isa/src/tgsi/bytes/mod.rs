//! Binary tokens: decoding and encoding, both without loss. A word is little-endian.
//!
//! | file | holds |
//! |---|---|
//! | `layout` | where fields stand, by dialect |
//! | `read` | tokens from words |
//! | `write` | words from tokens |
//! | `convert` | the tokens of another dialect |
//! | `pieces` | names of words, for people |
//!
//! Token streams never left the process that made them, so nothing in them says whose they are. [`decode`] takes the
//! dialect whose tokens end where the header says and have as many operands as the table says.
//!
//! Words of an unknown type are [`Token::Raw`](super::program::Token::Raw), and so are tokens whose length is not what
//! their flags ask for. Bits that mean nothing are [residue](super::program::Residue). Hexadecimal text is words of eight
//! digits, most significant digit first, as C arrays and logs have them; the bytes in file order are read as well.

mod convert;
mod layout;
mod pieces;
mod read;
mod write;

pub use convert::{convert, encode_as};
pub(crate) use pieces::each_piece;

use super::dialect::Dialect;
use super::program::Program;
use crate::{parse_hex, parse_words};
use alloc::vec::Vec;
use layout::{Layout, header};
use vecasm_ir::diag::{Diagnostic, Place, rules};

rules! {
    /// The rules of this room.
    pub const RULES;
    const;

    NOT_TGSI "TGSI-not-tgsi"
        "%1"
        "A program begins with a header of two words: 2 and the number of words after it, and the number of the stage.";
    NOT_IN_DIALECT "TGSI-not-in-dialect"
        "%1"
        "Each dialect has its own numbers and field widths, and no tokens for what it lacks.";
}

/// The dialects that tokens are looked at as, the likeliest first. Those of other versions of Mesa look the same.
const LIKELY: [Dialect; 3] = [Dialect::Mesa22, Dialect::Virgl, Dialect::Legacy];

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// Whether `bytes` are a header with as many words behind it as it says, the number of a stage in it, and these words
/// are tokens of a dialect, the operands of instructions as the table says.
pub fn looks_like(bytes: &[u8]) -> bool {
    let word = |n: usize| bytes.get(n * 4..n * 4 + 4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
    let (Some(first), Some(processor)) = (word(0), word(1)) else { return false };
    let fits = header::SIZE.of(first) as usize == header::WORDS
        && bytes.len() == (header::BODY.of(first) as usize + header::WORDS) * 4
        // The stages of any dialect.
        && processor < super::Processor::ALL.len() as u32;
    // Only then the words are worth a look.
    fits && {
        let words = words(bytes);
        let body = words.get(header::WORDS..).unwrap_or(&[]);
        LIKELY.iter().any(|dialect| read::misfit(body, &Layout::of(*dialect)) == (0, 0))
    }
}

/// Whether bytes are a header with as many words as the file of that size has behind it.
pub(crate) fn may_begin(start: &[u8], size: u64) -> bool {
    let word = |n: usize| start.get(n * 4..n * 4 + 4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
    let (Some(first), Some(processor)) = (word(0), word(1)) else { return false };
    header::SIZE.of(first) as usize == header::WORDS
        && size == (u64::from(header::BODY.of(first)) + header::WORDS as u64) * 4
        && processor < super::Processor::ALL.len() as u32
}

/// Whether words begin with a header, and about as many follow as it says.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    const NEAR: u32 = 4;
    let word = |n: usize| bytes.get(n * 4..n * 4 + 4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
    let (Some(first), Some(processor)) = (word(0), word(1)) else { return false };
    let said = header::BODY.of(first).saturating_add(header::WORDS as u32);
    header::SIZE.of(first) as usize == header::WORDS
        && processor < super::Processor::ALL.len() as u32
        && said.abs_diff(u32::try_from(bytes.len() / 4).unwrap_or(u32::MAX)) <= NEAR
}

/// The dialect that explains most of the words behind a header.
fn likely(words: &[u32]) -> Dialect {
    let said = words.first().map_or(0, |word| header::BODY.of(*word) as usize);
    let behind = words.get(header::WORDS..).unwrap_or(&[]);
    let body = behind.get(..said).unwrap_or(behind);
    let mut best = (Dialect::default(), (usize::MAX, usize::MAX));
    for dialect in LIKELY {
        let misfit = read::misfit(body, &Layout::of(dialect));
        if misfit < best.1 {
            best = (dialect, misfit);
        }
    }
    best.0
}

/// Reads any bytes as a program of the dialect that explains most of it. Nothing is checked and nothing is lost:
/// [`encode`] gives the same bytes.
pub fn decode_lossless(bytes: &[u8]) -> Program {
    let words = words(bytes);
    read::program(&words, bytes.chunks_exact(4).remainder(), &Layout::of(likely(&words)))
}

/// Reads any bytes as a program of a dialect, without loss.
pub fn decode_as(bytes: &[u8], dialect: Dialect) -> Program {
    read::program(&words(bytes), bytes.chunks_exact(4).remainder(), &Layout::of(dialect))
}

/// Reads a program of the dialect that explains most of it.
///
/// # Errors
///
/// Fails with `TGSI-not-tgsi` only if the bytes do not begin with a header: two words, of which the first says that.
pub fn decode(bytes: &[u8]) -> Result<Program, Diagnostic> {
    let words = words(bytes);
    let what = match words.get(..header::WORDS) {
        Some([first, ..]) if header::SIZE.of(*first) as usize == header::WORDS => {
            let rest = bytes.chunks_exact(4).remainder();
            return Ok(read::program(&words, rest, &Layout::of(likely(&words))));
        }
        _ if bytes.is_empty() => "the input is empty",
        None => "too short for a header",
        Some(_) => "not a header of two words",
    };
    Err(NOT_TGSI.finding(what).at(Place::Binary { offset: 0, token: None }))
}

/// Writes a program as tokens of its dialect. What that has no number for is written as the highest number of its field,
/// what it has no field for is left out; [`encode_as`] says where that is so.
pub fn encode(program: &Program) -> Vec<u8> {
    let layout = Layout::of(program.dialect);
    let mut out = Vec::new();
    let push = |out: &mut Vec<u8>, words: &[u32]| {
        words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    };
    match &program.frame {
        Some(frame) => push(&mut out, &frame.head),
        None => push(&mut out, &[0, write::processor_number(program.processor, &layout)]),
    }
    let mut token_words = Vec::new();
    let mut at = 0;
    for index in 0..program.tokens.len() {
        token_words.clear();
        at = words_of_token(program, index, &layout, at, &mut token_words);
        push(&mut out, &token_words);
    }
    match &program.frame {
        Some(frame) => out.extend_from_slice(&frame.tail),
        None => {
            let body = (out.len() / 4 - header::WORDS) as u32;
            let first = header::SIZE.with(header::WORDS as u32) | header::BODY.with(body);
            if let Some(place) = out.first_chunk_mut() {
                *place = first.to_le_bytes();
            }
        }
    }
    out
}

/// Appends the words of a token. `at` is where in the list of residue that of the token begins, or something in front of
/// it; gives that of the next token.
fn words_of_token(program: &Program, index: usize, layout: &Layout, at: usize, out: &mut Vec<u32>) -> usize {
    let start = out.len();
    if let Some(token) = program.tokens.get(index) {
        write::token(program, token, layout, out);
    }
    let mut at = at;
    while let Some(residue) = program.residue.get(at).filter(|residue| residue.token as usize <= index) {
        if residue.token as usize == index {
            if let Some(word) = out.get_mut(start + residue.word as usize) {
                *word ^= residue.bits;
            }
        }
        at += 1;
    }
    at
}

/// The words of each token in turn, as they stand in what [`encode`] writes: `f` is called with its place in
/// [`Program::tokens`] and its words.
pub fn each_token(program: &Program, mut f: impl FnMut(usize, &[u32])) {
    let layout = Layout::of(program.dialect);
    let mut words = Vec::new();
    let mut at = 0;
    for index in 0..program.tokens.len() {
        words.clear();
        at = words_of_token(program, index, &layout, at, &mut words);
        f(index, &words);
    }
}

/// Appends what some words are in the dialect of the program: tokens, and where they are none, raw words.
pub fn append_words(program: &mut Program, words: &[u32]) {
    let layout = Layout::of(program.dialect);
    read::append(program, words, &layout);
}

/// Reads a program written as hexadecimal digits: words of up to eight digits, else bytes in file order. Separators are
/// white space, commas, semicolons and braces; `0x` prefixes, C suffixes and comments are skipped. What is left of a
/// program whose size is not a whole number of words stands behind the last word as bytes of two digits.
///
/// `None` if the text is something else.
pub fn parse_digits(text: &str) -> Option<Vec<u8>> {
    // Of words a header has its 2 at the end of the first one, of bytes at the beginning.
    let begins = |bytes: &Vec<u8>| bytes.first() == Some(&(header::WORDS as u8));
    parse_words(text).filter(begins).or_else(|| parse_hex(text))
}
