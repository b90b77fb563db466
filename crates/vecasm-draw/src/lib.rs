//! The software rasterizer: shaders from the vertex to the fragment stage and a scene become a picture.
//!
//! Rules are those of Direct3D as Stage3D shows them: pixel centres at .5, top-left fill rule, y down on the
//! screen, clockwise triangles are front faces, depth 0 ≤ z ≤ w, perspective-correct varyings, shading once a
//! pixel at its centre, targets stored as 8-bit unorm after every blend, samples averaged, the view composited
//! opaquely over the stage.
//!
//! [`draw()`](draw::draw()) is one draw call, with the shaders, buffers and state that it is given:
//!
//! ```
//! use vecasm_draw::assemble::Assembly;
//! use vecasm_draw::draw::{Bound, Budget, Draw, Stream, Targets, VertexBuffer, draw};
//! use vecasm_draw::state::{State, VertexFormat};
//! use vecasm_draw::target::{Extent, Surface};
//! use vecasm_exec::interp::Interp;
//! use vecasm_ir::ir::text::parse_any;
//!
//! let vertex = parse_any(
//!     "vertex ir
//!      input 0 a attribute 0 : f32x4
//!      output 0 pos position semantic=POSITION
//!      %0 = input a : f32x4
//!      store pos.xyzw %0",
//! )?;
//! let fragment = parse_any(
//!     "fragment ir
//!      output 0 o color 0
//!      %0 = const 1.0 0.5 0.0 1.0 : f32x4
//!      store o.xyzw %0",
//! )?;
//! let bound = |shader| Bound { shader, params: Vec::new(), textures: Vec::new(), states: Vec::new() };
//! // The left top half of the target.
//! let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
//! let words = corners.into_iter().flatten().map(f32::to_bits).collect();
//! let buffer = VertexBuffer { stride: 2, words };
//! let call = Draw {
//!     vertex: bound(&vertex),
//!     fragment: bound(&fragment),
//!     streams: vec![Some(Stream { buffer: &buffer, offset: 0, format: VertexFormat::Float2 })],
//!     indices: &[0, 1, 2],
//!     assembly: Assembly::default(),
//!     instances: 1,
//!     state: State::default(),
//!     viewports: Vec::new(),
//! };
//! let mut surface = Surface::new(Extent::new(4, 4, 1)?);
//! let mut targets = Targets { colors: vec![&mut surface], depth: None };
//! draw(&Interp, &call, &mut targets, &mut Budget::default())?;
//! let rgba8 = surface.resolve();
//! assert_eq!(rgba8[..4], [255, 128, 0, 255]);
//! assert_eq!(rgba8[4 * 15..], [0; 4]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`scene`] draws whole scenes, which are JSON, by the feature `files`; so does [`heat`], which measures them.
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
#[cfg(feature = "files")]
pub mod heat;
pub mod partner;
pub mod pick;
mod raster;
#[cfg(feature = "files")]
pub mod scene;
pub mod state;
pub mod target;
pub mod tessellate;
#[cfg(all(test, feature = "files"))]
mod tests;
#[cfg(all(test, feature = "files"))]
#[path = "tests/alone.rs"]
mod tests_alone;
#[cfg(all(test, feature = "files"))]
#[path = "tests/direct3d.rs"]
mod tests_direct3d;
#[cfg(all(test, feature = "files"))]
#[path = "tests/layers.rs"]
mod tests_layers;
#[cfg(all(test, feature = "files"))]
#[path = "tests/pick.rs"]
mod tests_pick;
#[cfg(all(test, feature = "files"))]
#[path = "tests/places.rs"]
mod tests_places;
#[cfg(all(test, feature = "files"))]
#[path = "tests/stages.rs"]
mod tests_stages;
#[cfg(all(test, feature = "files"))]
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
