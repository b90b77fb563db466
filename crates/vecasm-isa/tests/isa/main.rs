//! The instruction sets: texts, bytes, rules and lifting, on what follows from formats and manuals.

#![allow(clippy::unwrap_used, reason = "tests")]

#[cfg(feature = "agal")]
mod agal {
    mod lift;
    mod macros;
    mod rules;
    mod text;
}
#[cfg(feature = "d3d9")]
mod d3d9 {
    mod convert;
    mod ctab;
    mod lift;
    mod preprocess;
    mod preshader;
    mod text;
}
#[cfg(feature = "nv2a")]
mod nv2a {
    mod lift;
    mod text;
}
#[cfg(feature = "tgsi")]
mod tgsi {
    mod bytes;
    mod text;
    mod types;
}
