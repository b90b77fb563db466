//! The passes, by what they make of shaders.

#![allow(clippy::unwrap_used, reason = "tests")]

mod ancestry;
mod floors;
mod gpu;
mod number;
mod overlay;
mod passes;
mod reshape;
mod tail;
