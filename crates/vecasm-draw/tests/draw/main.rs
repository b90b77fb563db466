//! The parts that pictures are drawn with. Pictures are drawn in tiles however small they are, which takes private items:
//! their tests are in the library.

#![allow(clippy::unwrap_used, reason = "tests")]

mod partner;
mod state;
mod tessellate;
