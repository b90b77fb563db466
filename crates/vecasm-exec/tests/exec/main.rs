//! What is given to shaders and what comes out: textures, images, run files, engines against one another. What the
//! interpreter does is tested in the library, in packs of every size.

#![allow(clippy::unwrap_used, reason = "tests")]

mod accepted_runs;
#[cfg(feature = "serde")]
mod batch;
mod blocks;
mod image;
#[cfg(feature = "files")]
mod json;
mod lanes;
#[cfg(feature = "files")]
mod runfile;
mod texture;
