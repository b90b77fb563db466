//! The intermediate representation: its rules, what operations compute, and its tables.

#![allow(clippy::unwrap_used, reason = "tests")]

mod calls;
mod math {
    mod double;
    mod half;
}
mod op;
mod resource;
mod same;
mod symbols;
mod verify;
