//! Seeing why: what a run did, step by step.
//!
//! Everything here reads only the [step table](vecasm_ir::ir::steps) and what the interpreter reports; it knows no ISA, so it
//! works for every instruction set that lifts with `Depth::Full`.
//!
//! * [`recording`]: a run of one group with the value of every cell at any moment, and who wrote it;
//! * [`listing`]: the text of a program and where its instructions stand in it;
//! * [`slice`](mod@slice): which moments made a component;
//! * [`condition`]: conditions and expressions over a moment; [`names`]: the cells that they name;
//! * [`trace`]: one JSON line a step, and which of them conditions pick;
//! * [`session`]: the model of a debugger: a place in a recording, breakpoints, watches, and what is to be seen there;
//! * `protocol`: requests to a session and answers, as JSON: lines, and the Debug Adapter Protocol of editors;
//! * [`risk`](mod@risk): where GPUs of today would visibly differ;
//! * [`why`](mod@why): where NaN and its kin are born, what was never set, which steps made a component;
//! * `cells`: what these share: whom a cell belongs to, and how values and reasons are spelled.

mod cells;
pub mod condition;
pub mod listing;
pub mod names;
#[cfg(feature = "files")]
pub mod protocol;
pub mod recording;
pub mod risk;
pub mod session;
pub mod slice;
pub mod trace;
pub mod why;

pub use cells::{access_name, reason};
