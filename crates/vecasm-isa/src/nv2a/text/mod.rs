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
//! | `enclosed` | programs inside logs, Markdown and string literals |
//! | `raw` | the lossless style: fields that nothing uses, words without a statement |
//! | [`print`](mod@print) | the styles of nv2a-vsh, and single slots |
//! | [`format`](mod@format) | laying a text out anew |
//! | [`symbols`](mod@symbols) | registers and names, and where each is used |
//! | [`tools`] | what the tools of nv2a-vsh do with a file |
//! | [`options`] | what readers and writers are told |
//! | [`errors`] | the rules that readers report |

mod compat;
mod cursor;
pub mod dialect;
mod directives;
mod enclosed;
pub mod errors;
pub mod format;
mod log;
mod macros;
mod operands;
pub mod options;
pub mod parse;
pub mod print;
mod raw;
mod sniff;
pub mod symbols;
pub mod tools;
mod vp;
mod vsh;
pub mod write;
mod xemu;
mod xvs;

use alloc::vec::Vec;
use vecasm_ir::diag::Span;

pub use dialect::Dialect;
pub use errors::RULES;
pub use format::format;
pub use log::{draws_of_log, program_at_draw, programs_of_log};
pub use options::{Numbering, ParseOptions, PrintOptions};
pub use parse::{Assembled, Constant, assemble, parse};
pub use print::{Style, inl, instruction, print};
pub use symbols::symbols;
pub use write::write;

/// Whether `text` looks like assembly for the NV2A in one of the [dialects](Dialect), or like a program for its register
/// combiners, which the readers refuse by name. Texts that begin as those of Direct3D 8 do (`vs.1.1`, `ps.1.1`) are
/// left to that, unless somebody says that they are for the NV2A.
pub fn looks_like(text: &str) -> bool {
    !dialect::is_direct3d(text) && Dialect::beginning(text).is_some()
}

/// Whether a text that is no program as a whole contains one: a log, a page of Markdown, a source with a string literal.
/// Programs of other instruction sets have lines that would do as well.
pub fn contains_program(text: &str) -> bool {
    enclosed::dialect(text).is_some()
}

/// Where the programs of a text are that has several: in what xemu writes, in a log, in Markdown or in string literals. None
/// otherwise, and of a [log of methods](programs_of_log).
pub fn programs_in(text: &str) -> Vec<Span> {
    let inside = if encloses(text) { enclosed::spans(text) } else { xemu::programs_in(text) };
    if inside.len() > 1 { inside } else { Vec::new() }
}

/// Whether a text does not begin as a program, so that those inside it count.
fn encloses(text: &str) -> bool {
    Dialect::beginning(text).is_none()
}

/// Where the statement of each slot stands in the text that a program was read from.
pub fn slot_spans(text: &str) -> Vec<Span> {
    assemble(text, &ParseOptions::default()).0.map_or_else(Vec::new, |assembled| assembled.spans)
}
