//! Comparing two programs.
//!
//! * `eqv`: whether two lifted programs do the same, with a counter-example if not (feature `exec`);
//! * `runs`: the same of stages with memory and vertices, where both have the same tables (feature `exec`);
//! * [`Link`]: which register of a translated program is which of its source, as data and as a file;
//! * [`diff`]: where two lists of instructions differ, seen through renamed registers;
//! * [`merge`]: two edits of one list put together;
//! * [`words`]: an instruction as text taken apart, for every instruction set.
//!
//! None of them knows an instruction set: `eqv` reads the IR and the step table, `diff` texts of instructions.

pub mod diff;
#[cfg(feature = "exec")]
pub mod eqv;
mod link;
pub mod merge;
#[cfg(feature = "exec")]
pub mod runs;
pub mod words;

pub use link::{Link, LinkEnd, LinkError, Names, Promise, SCHEMA as LINK_SCHEMA};
