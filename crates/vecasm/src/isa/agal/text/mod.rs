//! Assembly text.
//!
//! | file | holds |
//! |---|---|
//! | [`compat`] | Adobe's AGALMiniAssembler, bug for bug |
//! | [`print`] | programs and single instructions as text, in three styles |
//! | [`errors`] | the rules that readers of text report |

pub mod compat;
pub mod errors;
mod options;
pub mod print;
mod registers;

use super::table::Opcode;

pub use compat::{Assembler, CompatError, CompatOptions, CompatOutput, assemble};
pub use errors::RULES;
pub use print::{PrintOptions, Style, instruction, print};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agal_is_told_from_its_neighbours() {
        for text in [
            ".agal vertex 2\n",
            "// c\n\n  m44 op, va0, vc0",
            "\r\ntex ft0 v0, fs0 <2d>",
            "eif\nmov vt0.x, vc[va0.x]",
            "kil ft0.x",
        ] {
            assert!(looks_like(text), "{text}");
        }
        for text in [
            "",
            "// mov op, va0",
            "vs_2_0\nmov r0, v0",
            "mov r0, c0",
            "MOV OUT[0], IN[0]",
            "mov oPos, v0",
            "mov oC0, r0",
            "hello",
        ] {
            assert!(!looks_like(text), "{text}");
        }
    }
}
