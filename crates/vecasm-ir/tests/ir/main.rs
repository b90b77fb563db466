//! The intermediate representation: its rules, what operations compute, and its tables; elementary functions, lanes,
//! and how findings are shown.

#![allow(clippy::unwrap_used, reason = "tests")]

mod calls;
mod diag;
mod math;
mod op;
mod operand;
mod resource;
mod same;
#[cfg(feature = "serde")]
mod serial;
mod symbols;
mod verify;
