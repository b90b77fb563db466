//! Assembly text.
//!
//! One reader, several writers:
//!
//! * [`parse()`] reads the language of nv2a-vsh and what its users expect besides, and reports everything doubtful
//!   with a place; in [`Mode::Compat`](super::pair::Mode) it is nv2a-vsh 0.1.12 with its messages and its slips;
//! * [`print()`] writes programs: in the lossless style, which reads back bit for bit, and as the tools of nv2a-vsh do.
//!
//! | file | holds |
//! |---|---|
//! | `vsh` | the language: statements |
//! | `cursor`, `operands`, `macros`, `directives` | its parts: characters; registers; uniforms and macros; what the lossless style adds |
//! | `compat` | the syntax of nv2a-vsh with the messages of its parser |
//! | [`parse`](mod@parse) | from a text to a program |
//! | `raw` | the lossless style: fields that nothing uses, words without a statement |
//! | [`print`](mod@print) | the styles of nv2a-vsh, and single slots |
//! | [`format`](mod@format) | laying a text out anew |
//! | [`tools`] | what the tools of nv2a-vsh do with a file |
//! | [`options`] | what readers and writers are told |
//! | [`errors`] | the rules that readers report |

mod compat;
mod cursor;
mod directives;
pub mod errors;
pub mod format;
mod macros;
mod operands;
pub mod options;
pub mod parse;
pub mod print;
mod raw;
#[cfg(test)]
mod tests;
pub mod tools;
mod vsh;

use crate::diag::Span;
use crate::isa::nv2a::table;
use alloc::vec::Vec;

pub use errors::RULES;
pub use format::format;
pub use options::{Numbering, ParseOptions, PrintOptions};
pub use parse::{Assembled, assemble, parse};
pub use print::{Style, inl, instruction, print};

/// Most lines that [`looks_like`] reads.
const MAX_SNIFFED: usize = 1000;

/// Whether `text` looks like assembly for the NV2A: what stands first besides comments is the directive `.nv2a`, the
/// declaration of a uniform, a macro, or a mnemonic behind which a register stands that can be written.
pub fn looks_like(text: &str) -> bool {
    let mut in_comment = false;
    for line in text.split(['\n', '\r']).take(MAX_SNIFFED) {
        let mut line = line.trim_start_matches('\u{feff}').trim_start();
        loop {
            if in_comment {
                let Some(end) = line.find("*/") else { break };
                line = line.get(end + 2..).unwrap_or("").trim_start();
                in_comment = false;
            }
            if !line.starts_with("/*") {
                break;
            }
            line = line.get(2..).unwrap_or("");
            in_comment = true;
        }
        let line = line.split(';').next().unwrap_or("").split("//").next().unwrap_or("").trim();
        if in_comment || line.is_empty() {
            continue;
        }
        let mut words = line.split_whitespace();
        let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        return match first.as_bytes().first() {
            Some(b'.') => first == ".nv2a",
            Some(b'#') => matches!(second, "vector" | "VECTOR" | "matrix4" | "MATRIX4"),
            Some(b'%') => ["%matmul4x4", "%norm3"].iter().any(|name| first.eq_ignore_ascii_case(name)),
            _ => vsh::mnemonic(first).is_some() && is_destination(second),
        };
    }
    false
}

/// Whether a word begins with a register that can be written.
fn is_destination(word: &str) -> bool {
    let name = word.split(['.', ',', '[']).next().unwrap_or("");
    let numbered = |prefixes: [char; 2], last: u32| {
        let digits = name.strip_prefix(prefixes);
        digits.is_some_and(|d| d.parse().is_ok_and(|n: u32| n <= last))
    };
    numbered(['r', 'R'], table::TEMPORARIES - 1)
        || numbered(['c', 'C'], table::CONSTANTS - 1)
        || name.eq_ignore_ascii_case("c") && word.contains('[')
        || name.eq_ignore_ascii_case("a0")
        || word.starts_with('#')
        || table::OUTPUTS.iter().any(|named| named.short == name || named.long == name)
}

/// Where the statement of each slot stands in the text that a program was read from.
pub fn slot_spans(text: &str) -> Vec<Span> {
    assemble(text, &ParseOptions::default()).0.map_or_else(Vec::new, |assembled| assembled.spans)
}
