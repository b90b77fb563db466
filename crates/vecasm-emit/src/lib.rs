//! Translating shaders: one file or folder a target language.
//!
//! | file | holds |
//! |---|---|
//! | [`flatten`] | divergent branches around derivatives and implicit texture reads become straight code |
//! | `shapes` | textures in the shapes that a target has |
//! | `splice` | idioms become plain operations |
//! | `plan` | what of a shader is written and where: uses, folding, output cells |
//! | `common` | what text targets share: names, precedence, literals |
//! | `tests` | what the data tests of all writers share |
//! | `naming` | what constants and textures are called: the names of the program's own table |
//! | `products` | which products need no look at zero |
//! | `host` | what the host binds and what stages hand on: one walk for all targets |
//! | [`options`] | what every target is asked and tells: bindings |
//! | `rules` | how a target says what it refuses |
//! | `serial` | bindings for serde |
//! | [`spirv`] | the language of Vulkan, as words |
//! | `text` | the body of an entry point, in a language of text |
//! | [`glsl`] | the shading language of OpenGL and OpenGL ES |
//! | [`hlsl`] | the shading language of Direct3D |
//! | [`msl`] | the Metal shading language |
//! | [`wgsl`] | the WebGPU shading language |

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
mod common;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "spirv", feature = "wgsl"))]
mod emits;
pub mod flatten;
#[cfg(feature = "glsl")]
pub mod glsl;
#[cfg(feature = "hlsl")]
pub mod hlsl;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "spirv", feature = "wgsl"))]
mod host;
#[cfg(feature = "msl")]
pub mod msl;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "spirv", feature = "wgsl"))]
mod naming;
pub mod options;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
mod plan;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "spirv", feature = "wgsl"))]
mod products;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "spirv", feature = "wgsl"))]
mod rules;
#[cfg(feature = "serde")]
mod serial;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "spirv", feature = "wgsl"))]
mod shapes;
#[cfg(feature = "spirv")]
pub mod spirv;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "spirv", feature = "wgsl"))]
mod splice;
#[cfg(all(test, feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
mod tests;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl", feature = "wgsl"))]
mod text;
#[cfg(feature = "wgsl")]
pub mod wgsl;
