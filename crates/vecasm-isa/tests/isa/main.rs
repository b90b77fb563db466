//! The instruction sets: texts, bytes, rules and lifting, on what follows from formats and manuals.

#![allow(clippy::unwrap_used, reason = "tests")]

#[cfg(feature = "agal")]
mod agal {
    mod bytes;
    mod lift;
    mod macros;
    mod properties;
    mod reads;
    mod rules;
    mod text;
    mod tools;
}
#[cfg(feature = "agal")]
mod any;
#[cfg(feature = "d3d9")]
mod d3d9 {
    mod bytes;
    mod convert;
    mod ctab;
    mod interface;
    mod lift;
    mod preprocess;
    mod preshader;
    mod program;
    mod reads;
    mod registers;
    mod rules;
    mod table;
    mod text;
}
#[cfg(feature = "tgsi")]
mod locations;
#[cfg(feature = "nv2a")]
mod nv2a {
    mod bytes;
    mod lift;
    mod methods;
    mod rules;
    mod table;
    mod text;
}
#[allow(dead_code, reason = "the tests of each instruction set need a part of it")]
mod random;
mod rules;
#[cfg(feature = "tgsi")]
mod tgsi {
    mod bytes;
    mod reads;
    mod text;
    mod types;
}
