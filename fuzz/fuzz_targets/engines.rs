//! The property of that name.
#![cfg_attr(fuzzing, no_main)]

#[path = "../target.rs"]
mod target;

target::fuzz!("engines");
