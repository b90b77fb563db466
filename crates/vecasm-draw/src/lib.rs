//! The software rasterizer: shaders from the vertex to the fragment stage and a scene become a picture.
//!
//! Rules are those of Direct3D as Stage3D shows them: pixel centres at .5, top-left fill rule, y down on the
//! screen, clockwise triangles are front faces, depth 0 ≤ z ≤ w, perspective-correct varyings, shading once a
//! pixel at its centre, targets stored as 8-bit unorm after every blend, samples averaged, the view composited
//! opaquely over the stage.
//!
//! | file | holds |
//! |---|---|
//! | [`state`] | blend factors, comparisons, stencil, vertex formats |
//! | [`target`] | surfaces, sample patterns, the limits on sizes |
//! | [`assemble`] | vertices as primitives, the tessellation and geometry stages |
//! | `raster` | clipping, edges, coverage |
//! | [`draw`](mod@draw) | one draw call |
//! | [`pick`] | what happened to one pixel, and running it again |
//! | [`scene`] | scene files |
//! | [`partner`] | stages of our own for a program that is drawn alone |
//! | [`heat`] | what drawing took, pixel by pixel |
//! | [`tiles`] | the targets in parts that are drawn at the same time |
//! | [`tessellate`] | the fixed-function tessellator |

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

pub mod assemble;
pub mod draw;
pub mod heat;
pub mod partner;
pub mod pick;
mod raster;
pub mod scene;
pub mod state;
pub mod target;
pub mod tessellate;
#[cfg(test)]
mod tests;
#[cfg(test)]
#[path = "tests/alone.rs"]
mod tests_alone;
#[cfg(test)]
#[path = "tests/direct3d.rs"]
mod tests_direct3d;
#[cfg(test)]
#[path = "tests/layers.rs"]
mod tests_layers;
#[cfg(test)]
#[path = "tests/pick.rs"]
mod tests_pick;
#[cfg(test)]
#[path = "tests/places.rs"]
mod tests_places;
#[cfg(test)]
#[path = "tests/stages.rs"]
mod tests_stages;
#[cfg(test)]
#[path = "tests/tiles.rs"]
mod tests_tiles;
pub mod tiles;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A finished picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Red, green, blue, alpha of each pixel, rows from the top.
    pub rgba8: Vec<u8>,
}

/// Why a picture could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderError {
    /// The place in the scene file, for example `$.commands[3].source`; empty if there is none.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl RenderError {
    /// An error that is not about a place in a file.
    #[cold]
    pub fn new(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into() }
    }

    /// The same error at a place, unless it has one.
    #[cold]
    #[must_use]
    pub fn at(mut self, path: &str) -> Self {
        if self.path.is_empty() {
            self.path = path.into();
        }
        self
    }
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl core::error::Error for RenderError {}
