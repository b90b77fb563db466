//! Translating shaders: one file a target language.

#[cfg(feature = "wgsl")]
pub mod wgsl;
