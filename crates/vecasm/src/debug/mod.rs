//! Seeing why: what a run did, step by step.
//!
//! Everything here reads only the [step table](crate::ir::steps) and what the interpreter reports; it knows no ISA, so it
//! works for every instruction set that lifts with `Depth::Full`.
//!
//! * [`recording`]: a run of one group with the value of every cell at any moment, and who wrote it;
//! * [`listing`]: the text of a program and where its instructions stand in it;
//! * [`trace`]: one JSON line a step;
//! * [`why`](mod@why): where NaN and its kin are born, what was never set, which steps made a component;
//! * `cells`: what these share: whom a cell belongs to, and how values and reasons are spelled.

mod cells;
pub mod listing;
pub mod recording;
pub mod trace;
pub mod why;

pub use cells::{access_name, reason};
