//! Assembly text: the assembler language of Direct3D 8 and 9.
//!
//! | file | holds |
//! |---|---|
//! | [`parse`](mod@parse) | from a text to a program: statements and directives |
//! | `assemble` | the same with a preprocessor in front and places in its files |
//! | `blocks`, `like` | listings: where their shader stands, and what they do not say |
//! | `enclosed` | programs inside logs, Markdown and string literals |
//! | `header` | the names of registers in comments of listings |
//! | `cursor`, `operands` | its parts: characters; registers, modifiers, numbers |
//! | [`print`](mod@print) | from a program to a text that reads back word for word |
//! | `listing`, `wine`, `numbers` | the ways in which others print, and their numbers |
//! | [`preprocess`] | `#define`, `#if`, `#include` and so on |
//! | [`format`](mod@format) | laying a text out anew |
//! | [`symbols`](mod@symbols) | registers and names, and where each is used |
//! | [`errors`] | the rules that the reader reports |

mod assemble;
mod blocks;
mod cursor;
mod enclosed;
pub mod errors;
pub mod format;
mod header;
mod like;
mod listing;
mod numbers;
mod operands;
pub mod parse;
pub mod preprocess;
pub mod print;
pub mod symbols;
mod wine;

use super::program::Version;

pub use assemble::{Assembled, assemble};
pub use blocks::count as count_shaders;
pub use enclosed::{programs_in, text_of_program};
pub use errors::RULES;
pub(super) use errors::id;
pub use format::format;
pub use header::names_in_header;
pub use like::shared_instructions;
pub use parse::{ReadOptions, instruction_spans, parse};
pub use print::{PrintOptions, Style, instruction, print, version_name};
pub use symbols::symbols;

/// The model that a text begins with, behind comments, lines for a preprocessor and what listings have in front of it; else that of the
/// first program inside.
pub fn version_of(text: &str) -> Option<Version> {
    own_version(text).or_else(|| own_version(&enclosed::alone(text, 1)))
}

fn own_version(text: &str) -> Option<Version> {
    let mut at = blocks::skip(text, 0);
    while text.get(at..)?.starts_with('#') {
        at = blocks::skip(text, at + preprocess::line_len(text.get(at..)?));
    }
    let text = text.get(at..)?;
    let at = blocks::first_model(text)?;
    parse::model(text.get(at..)?, true).map(|found| found.0)
}

/// Whether `text` looks like assembly of Direct3D: it begins with a model.
pub fn looks_like(text: &str) -> bool {
    own_version(text).is_some()
}

/// Whether other text, such as a log, contains a program.
pub fn contains_program(text: &str) -> bool {
    !programs_in(text).is_empty()
}
