//! The writers, on shaders in folders with the texts that are expected of them, and on programs with texts derived by hand.

#![allow(clippy::unwrap_used, reason = "tests")]

#[cfg(all(feature = "glsl", feature = "hlsl", feature = "msl", feature = "spirv", feature = "wgsl"))]
mod bindings;
mod data;
#[cfg(feature = "glsl")]
mod glsl {
    mod texts;
}
#[cfg(feature = "hlsl")]
mod hlsl {
    mod texts;
}
#[cfg(feature = "msl")]
mod msl {
    mod texts;
}
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "spirv", feature = "wgsl"))]
mod refused;
#[cfg(feature = "serde")]
mod serial;
#[cfg(feature = "spirv")]
mod spirv {
    mod choices;
    mod modules;
    pub(crate) mod reader;
}
#[cfg(feature = "wgsl")]
mod wgsl {
    mod programs;
    mod texts;
}
