//! Assembly text.
//!
//! Two readers, one printer:
//!
//! * the *strict* syntax ([`parse()`]) takes every line whose meaning is beyond doubt, and reports everything else
//!   with a place and, where it can, a way out;
//! * the *compat* mode ([`assemble()`]) is Adobe's AGALMiniAssembler with all its peculiarities;
//! * what [`print()`] writes in the lossless style is read back by the strict reader bit for bit, whatever the
//!   program is; lines without a directive mean the same to the AGALMiniAssembler.
//!
//! ```text
//! .agal fragment 1
//! tex ft0, v0, fs0 <2d,linear,mipnone,repeat>  // a comment
//! mul ft0.xyz, ft0, fc0.x
//! mov oc, ft0
//! ```
//!
//! | file | holds |
//! |---|---|
//! | [`compat`] | Adobe's AGALMiniAssembler, bug for bug |
//! | [`parse`](mod@parse) | the strict syntax: the directives, the header |
//! | `syntax`, `encode` | its grammar, and from the pieces of a line to a token |
//! | `registers`, `options` | the register names; the sampler options |
//! | [`print`](mod@print) | programs and single instructions as text, in three styles |
//! | [`format`](mod@format) | laying a text out anew |
//! | [`errors`] | the rules that readers of text report |
//! | [`macros`] | the macro language of Adobe's AGALMacroAssembler |
//! | [`symbols`](mod@symbols) | registers and names, and where each is used |
//! | [`tools`] | the stage, the places of instructions, the words of a sampler |
//! | [`properties`] | what holds for every input |

pub mod compat;
mod encode;
pub mod errors;
pub mod format;
pub mod macros;
mod options;
pub mod parse;
pub mod print;
pub mod properties;
mod registers;
pub mod symbols;
mod syntax;
pub mod tools;

use super::table::Opcode;

pub use compat::{Assembler, CompatError, CompatOptions, CompatOutput, assemble};
pub use errors::RULES;
pub use format::format;
pub use macros::{MacroOptions, assemble_macros};
pub use parse::{ParseOptions, parse};
pub use print::{PrintOptions, Style, instruction, print, sayable};
pub use symbols::symbols;
pub use tools::{sampler_words, stage_of, token_spans};

/// Whether `text` looks like AGAL assembly: its first line that is more than a comment is one of our directives, or
/// a mnemonic of AGAL, followed by a register of AGAL where the operation has operands. Lines with operations
/// without operands do not decide.
pub fn looks_like(text: &str) -> bool {
    for line in text.split(['\n', '\r', '\x0b', '\x0c']).take(MAX_SNIFFED) {
        let line = line.trim_start_matches('\u{feff}');
        let line = line.split("//").next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if matches!(word, ".agal" | ".header") {
            return true;
        }
        let Some(op) = Opcode::ALL.iter().find(|op| op.row().name == word) else { return false };
        let rest = rest.trim_start();
        if op.row().shape.is_empty() && rest.is_empty() {
            continue;
        }
        let letters = rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(letters);
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let ends = rest[digits..]
            .chars()
            .next()
            .is_none_or(|c| matches!(c, '.' | ',' | '[' | ';') || c.is_whitespace());
        return ends && registers::by_name(name).is_some();
    }
    false
}

/// Most lines that [`looks_like`] reads.
const MAX_SNIFFED: usize = 1000;
