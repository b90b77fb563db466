//! Assembly text: the assembler language of Direct3D 8 and 9.
//!
//! | file | holds |
//! |---|---|
//! | [`parse`](mod@parse) | from a text to a program: statements and directives |
//! | `assemble` | the same with a preprocessor in front and places in its files |
//! | `cursor`, `operands` | its parts: characters; registers, modifiers, numbers |
//! | [`print`](mod@print) | from a program to a text that reads back word for word |
//! | [`preprocess`] | `#define`, `#if`, `#include` and so on |
//! | [`format`](mod@format) | laying a text out anew |
//! | [`errors`] | the rules that the reader reports |

mod assemble;
mod cursor;
pub mod errors;
pub mod format;
mod operands;
pub mod parse;
pub mod preprocess;
pub mod print;
#[cfg(test)]
mod tests;

use super::program::Version;

pub use assemble::{Assembled, assemble};
pub use errors::RULES;
pub use format::format;
pub use parse::{ReadOptions, instruction_spans, parse};
pub use print::{PrintOptions, Style, instruction, print, version_name};

/// Most lines that are looked at for the model.
const MAX_LINES: usize = 1000;

/// The model that a text begins with, behind comments and lines of a preprocessor.
pub fn version_of(text: &str) -> Option<Version> {
    let mut rest = text.trim_start_matches('\u{feff}');
    for _ in 0..MAX_LINES {
        rest = rest.trim_start();
        let line = [";", "//", "#"].iter().any(|start| rest.starts_with(start));
        let end = if line {
            rest.find(['\n', '\r'])
        } else if rest.starts_with("/*") {
            rest.get(2..).and_then(|inside| inside.find("*/")).map(|n| n + 4)
        } else {
            return parse::model(rest).map(|found| found.0);
        };
        rest = end.and_then(|end| rest.get(end..))?;
    }
    None
}

/// Whether `text` looks like assembly of Direct3D: it begins with a model.
pub fn looks_like(text: &str) -> bool {
    version_of(text).is_some()
}
