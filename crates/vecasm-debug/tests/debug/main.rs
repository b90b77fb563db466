//! What explains runs, compares shaders and makes texts smaller, on programs whose answer is known.

#![allow(clippy::unwrap_used, reason = "tests")]

#[cfg(feature = "exec")]
mod condition;
mod diff;
#[cfg(feature = "exec")]
mod eqv;
#[cfg(feature = "exec")]
mod impose;
#[cfg(feature = "exec")]
mod listing;
mod merge;
#[cfg(feature = "exec")]
mod passes;
#[cfg(feature = "exec")]
mod recording;
mod reduce;
#[cfg(feature = "exec")]
mod risk;
#[cfg(feature = "exec")]
mod session;
#[cfg(feature = "exec")]
mod trace;
#[cfg(feature = "exec")]
mod why;
mod words;
