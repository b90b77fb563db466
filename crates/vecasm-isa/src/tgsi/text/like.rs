//! What a text is, without reading it: its stage, and whether it is of this language at all.

use super::parse::Reader;
use super::{log, words};
use crate::text::Cursor as _;
use crate::tgsi::program::Processor;

/// A reader behind the header of a text.
pub(super) fn behind_header(text: &str) -> Option<Reader<'_>> {
    let mut reader = Reader::any(text);
    reader.header().ok()?;
    Some(reader)
}

/// The stage that a text names in front.
pub fn stage_of(text: &str) -> Option<Processor> {
    behind_header(text).map(|reader| reader.program.processor)
}

/// Whether a text looks like TGSI: it begins as programs do, or is a log with a program in it.
pub fn looks_like(text: &str) -> bool {
    begins(text) || log::has_program(text)
}

/// Whether a text begins as programs do: a header, and behind it nothing or what begins a statement.
pub(super) fn begins(text: &str) -> bool {
    let Some(mut reader) = behind_header(text) else { return false };
    let behind = reader.at;
    reader.skip();
    if reader.at_end() {
        return true;
    }
    if reader.at == behind {
        return false;
    }
    match reader.byte() {
        b'0'..=b'9' => {
            reader.word();
            reader.skip();
            reader.byte() == b':'
        }
        b'.' | b'$' => true,
        b'(' => reader
            .text
            .get(reader.at + 1..)
            .is_some_and(|rest| rest.trim_start_matches(['!', ' ']).starts_with("PRED")),
        _ => {
            let word = reader.word();
            ["DCL", "IMM", "PROPERTY"].iter().any(|known| known.eq_ignore_ascii_case(word))
                || words::mnemonic(word).is_some()
        }
    }
}
