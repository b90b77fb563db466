//! The intermediate representation: its rules, what operations compute, and its tables.

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
