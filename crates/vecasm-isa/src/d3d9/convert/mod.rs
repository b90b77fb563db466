//! From one dialect of token streams to another, without another meaning: [`upgrade()`] makes streams of Direct3D 8 legal
//! in Direct3D 9, [`canonicalize()`] writes streams so that MojoShader takes them.
//!
//! | file | holds |
//! |---|---|
//! | [`upgrade`](mod@upgrade) | Direct3D 8 to 9 |
//! | [`canonicalize`](mod@canonicalize) | for MojoShader |
//! | `first_pixel` | ps_1_x as ps_2_0 |
//! | `lines` | a program as instructions that can be changed |
//! | `sweep` | a walk over them that changes them, and which registers are free where |

pub mod canonicalize;
mod first_pixel;
mod lines;
mod sweep;
pub mod upgrade;

use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, rules};

pub use canonicalize::{CanonicalizeOptions, canonicalize};
pub use upgrade::{UpgradeOptions, upgrade};

rules! {
    /// The rules of this room.
    pub const RULES;
    const;

    CHANGED "D3D9-converted" Note
        "%1",
        "Every change on the way to another dialect is reported.";
    REFUSED "D3D9-not-converted" Error
        "%1",
        "The other dialect cannot express this with the same meaning, or it needs registers that are not free.";
}

/// A converted program.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The program.
    pub program: super::Program,
    /// What was changed: notes, with the word of the original program that it was changed at.
    pub notes: Vec<Diagnostic>,
}
