//! Assembly text.
//!
//! | file | holds |
//! |---|---|
//! | [`print`] | programs and single instructions as text, in three styles |

mod options;
pub mod print;

pub use print::{PrintOptions, Style, instruction, print};

/// Whether `text` looks like AGAL assembly.
pub fn looks_like(text: &str) -> bool {
    let _ = text;
    false
}
