//! Textures and how they are read.
//!
//! * this file: the texels, in levels;
//! * `sample`: from a coordinate to a colour, through a sampler;
//! * `query`: what is read without a filter: gathered and fetched texels, sizes, levels of detail, sample positions;
//! * `read`: the operations of shaders on textures;
//! * `wrap`: from a coordinate to texels along one axis;
//! * `cube`: faces and their edges.
//!
//! Texel (0, 0) is at u = v = 0 and is the first one of the first row; texel centres are at .5. Cube maps have six
//! square faces in the order +X, −X, +Y, −Y, +Z, −Z, each with rows as Direct3D has them.
//!
//! Every coordinate is defined: NaN counts as 0, infinities are clamped to the edge or, where the coordinate repeats,
//! count as 0; a level of detail that is NaN is 0. Weights are f32, not the 8-bit fractions of hardware.

mod cube;
mod plane;
mod query;
mod read;
mod sample;
mod wrap;

pub use plane::Plane;
pub(crate) use query::locate;
pub use query::sample_position;
pub(crate) use read::dim_of;
pub use read::{Arguments, Reading, Textures};
pub use sample::{Detail, Gradients, Request, sample, sample_footprint};

use alloc::vec::Vec;
use core::fmt;
use vecasm_ir::ir::{Dim, Scalar};

/// Texels of one level: its slices (faces of layers, or the depth of a 3D texture) one after another, each row by row,
/// the samples of a texel side by side.
#[derive(Clone, Debug, PartialEq)]
struct Level {
    size: [u32; 3],
    slices: u32,
    samples: u32,
    texels: Vec<[u32; 4]>,
}

/// Texels in levels of detail.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    dim: Dim,
    scalar: Scalar,
    layers: u32,
    levels: Vec<Level>,
}

/// How much of everything a texture has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Extent {
    /// Texels of a row of level 0.
    pub width: u32,
    /// Rows of level 0; 1 for one-dimensional textures and buffers.
    pub height: u32,
    /// Slices of level 0; 1 but for [`Dim::D3`].
    pub depth: u32,
    /// Layers, each of six faces for [`Dim::CubeArray`]; 1 where there are none.
    pub layers: u32,
    /// Samples of a texel: 1, 2, 4, 8 or 16; 1 where the texture is not multisampled.
    pub samples: u32,
}

impl Extent {
    /// One layer of that size, one sample a texel.
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height, depth: 1, layers: 1, samples: 1 }
    }

    /// With that many slices, which are the depth of a 3D texture, and the layers of an array.
    const fn with_slices(self, dim: Dim, slices: u32) -> Self {
        if dim.arrayed() { Self { layers: slices, ..self } } else { Self { depth: slices, ..self } }
    }

    /// The same at a level of detail: half the sides, rounded down, at least 1, for each level.
    #[must_use]
    pub fn level(self, level: u32) -> Self {
        let [width, height, depth] = level_size(self.size(), level);
        Self { width, height, depth, ..self }
    }

    /// Number of texels, each sample counted.
    pub const fn texels(self, dim: Dim) -> u64 {
        let Self { width, height, depth, layers, samples } = self;
        let texels = (width as u64).saturating_mul(height as u64).saturating_mul(depth as u64);
        texels.saturating_mul(layers as u64).saturating_mul(dim.faces() as u64 * samples as u64)
    }

    pub(crate) const fn size(self) -> [u32; 3] {
        [self.width, self.height, self.depth]
    }
}

/// Why texels do not make a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextureError {
    /// A side is 0 or above 16,384 (a buffer: 134,217,728).
    Size,
    /// A one-dimensional texture or a buffer has a height other than 1.
    Height,
    /// A texture that is not 3D has a depth other than 1.
    Depth,
    /// The faces of a cube map are not square.
    NotSquare,
    /// There are 0 layers, more than 2,048, or more than 1 without an array.
    Layers,
    /// The number of samples is not 1, 2, 4, 8 or 16, or not 1 without multisampling.
    Samples,
    /// Texels are neither f32, i32 nor u32.
    Scalar,
    /// There is no level, or there are more than the size has: 1 + log2 of the longest side; 1 for rectangles,
    /// buffers and multisampled textures.
    Levels {
        /// How many the size has.
        most: u32,
    },
    /// A level has another amount of data than its size asks for.
    Length {
        /// Which level, from 0.
        level: u32,
        /// How much it asks for: bytes or texels, as they were given.
        wanted: u64,
        /// How much was given.
        given: u64,
    },
}

impl fmt::Display for TextureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => write!(f, "a side of a texture has 1 to {MAX_SIDE} texels"),
            Self::Height => f.write_str("a one-dimensional texture has a height of 1"),
            Self::Depth => f.write_str("only a 3D texture has a depth"),
            Self::NotSquare => f.write_str("the faces of a cube map are square"),
            Self::Layers => write!(f, "an array has 1 to {MAX_LAYERS} layers, any other texture 1"),
            Self::Samples => {
                f.write_str("a multisampled texture has 1, 2, 4, 8 or 16 samples, any other one 1")
            }
            Self::Scalar => f.write_str("texels are f32, i32 or u32"),
            Self::Levels { most } => write!(f, "a texture of this size has 1 to {most} levels"),
            Self::Length { level, wanted, given } => {
                write!(f, "level {level} needs {wanted} elements, not {given}")
            }
        }
    }
}

impl core::error::Error for TextureError {}

/// The longest side, as in Direct3D 11.
const MAX_SIDE: u32 = 16_384;
/// The most layers, as in Direct3D 11.
const MAX_LAYERS: u32 = 2_048;
/// The longest buffer in texels, as in Direct3D 11.
const MAX_BUFFER: u32 = 1 << 27;

impl Texture {
    /// A texture from texels as bits, four lanes of f32, i32 or u32.
    ///
    /// `levels` starts with the largest one; each further one has half its sides, rounded down, at least 1. A level
    /// holds its slices one after another: faces of layers, or the depth of a 3D texture; each row by row; the samples
    /// of a texel side by side. One level is enough; see [`generate_levels`](Self::generate_levels).
    ///
    /// # Errors
    ///
    /// See [`TextureError`]. Nothing but what is given is held.
    pub fn new(
        dim: Dim,
        scalar: Scalar,
        extent: Extent,
        levels: Vec<Vec<[u32; 4]>>,
    ) -> Result<Self, TextureError> {
        if !matches!(scalar, Scalar::F32 | Scalar::I32 | Scalar::U32) {
            return Err(TextureError::Scalar);
        }
        check(dim, extent, levels.len(), |i| levels[i].len(), 1)?;
        Ok(Self::assemble(dim, scalar, extent, levels.into_iter()))
    }

    /// A texture from bytes, four a texel (red, green, blue, alpha), where 255 is 1.0. `slices` is the depth of a 3D
    /// texture, the number of layers of an array, and 1 for others. Everything else is as in [`new`](Self::new).
    ///
    /// # Errors
    ///
    /// See [`TextureError`]. Nothing is allocated before the length of the data is checked.
    pub fn from_rgba8(
        dim: Dim,
        width: u32,
        height: u32,
        slices: u32,
        levels: &[&[u8]],
    ) -> Result<Self, TextureError> {
        let extent = Extent::new(width, height).with_slices(dim, slices);
        check(dim, extent, levels.len(), |i| levels[i].len(), 4)?;
        let convert = |bytes: &[u8]| {
            let texels = bytes.chunks_exact(4);
            texels.map(|t| [t[0], t[1], t[2], t[3]].map(|byte| unorm8(byte).to_bits())).collect()
        };
        Ok(Self::assemble(dim, Scalar::F32, extent, levels.iter().map(|l| convert(l))))
    }

    /// A texture from texels that are numbers already; everything else is as in [`from_rgba8`](Self::from_rgba8).
    ///
    /// # Errors
    ///
    /// See [`TextureError`].
    pub fn from_f32(
        dim: Dim,
        width: u32,
        height: u32,
        slices: u32,
        levels: Vec<Vec<[f32; 4]>>,
    ) -> Result<Self, TextureError> {
        let extent = Extent::new(width, height).with_slices(dim, slices);
        check(dim, extent, levels.len(), |i| levels[i].len(), 1)?;
        let bits = |texels: Vec<[f32; 4]>| texels.into_iter().map(|t| t.map(f32::to_bits)).collect();
        Ok(Self::assemble(dim, Scalar::F32, extent, levels.into_iter().map(bits)))
    }

    /// The same texels in the shape that [stands in](Dim::stand_in) for this one, if there is one: what a shader that
    /// was reshaped is given.
    #[must_use]
    pub fn stand_in(&self) -> Option<Self> {
        let dim = self.dim.stand_in()?;
        // The slices of a level lie one after another in every shape.
        Some(Self { dim, layers: self.layers * u32::from(self.dim.faces()), ..self.clone() })
    }

    fn assemble(
        dim: Dim,
        scalar: Scalar,
        extent: Extent,
        levels: impl Iterator<Item = Vec<[u32; 4]>>,
    ) -> Self {
        let Extent { layers, samples, .. } = extent;
        let levels = levels.enumerate().map(|(i, texels)| {
            let size = level_size(extent.size(), i as u32);
            Level { size, slices: slices(dim, size[2], layers), samples, texels }
        });
        Self { dim, scalar, layers, levels: levels.collect() }
    }

    /// Replaces all levels below the largest one by its averages, down to one texel: each texel is the plain mean of
    /// the (at most eight) texels of the level above whose centres lie in it; a side that is not even loses its last
    /// row or column, as in Direct3D's box filter. Textures of integers, and those that have one level only, stay as
    /// they are.
    pub fn generate_levels(&mut self) {
        if self.scalar != Scalar::F32 || !self.dim.has_levels() {
            return;
        }
        self.levels.truncate(1);
        while let Some(above) = self.levels.last() {
            if above.size.iter().all(|&n| n == 1) {
                break;
            }
            let size = above.size.map(|n| (n / 2).max(1));
            // How many texels of the level above a texel covers along each axis.
            let step: [u32; 3] = core::array::from_fn(|axis| if above.size[axis] > 1 { 2 } else { 1 });
            let share = 1.0 / (step[0] * step[1] * step[2]) as f32;
            // Layers and faces stay, the depth is halved.
            let faces = above.slices / above.size[2];
            let slices = faces * size[2];
            let mut texels = Vec::with_capacity(size[0] as usize * size[1] as usize * slices as usize);
            for face in 0..faces {
                for [x, y, z] in grid(size) {
                    let mut sum = [0.0f32; 4];
                    for [dx, dy, dz] in grid(step) {
                        let slice = face + z * step[2] + dz;
                        let texel = above.texel(x * step[0] + dx, y * step[1] + dy, slice, 0);
                        for (sum, value) in sum.iter_mut().zip(texel) {
                            *sum += f32::from_bits(value);
                        }
                    }
                    texels.push(sum.map(|s| (s * share).to_bits()));
                }
            }
            self.levels.push(Level { size, slices, samples: 1, texels });
        }
    }

    /// Its shape.
    pub const fn dim(&self) -> Dim {
        self.dim
    }

    /// What the lanes of a texel are: f32, i32 or u32.
    pub const fn scalar(&self) -> Scalar {
        self.scalar
    }

    /// Number of layers, at least 1.
    pub const fn layers(&self) -> u32 {
        self.layers
    }

    /// Number of samples of a texel, at least 1.
    pub fn samples(&self) -> u32 {
        self.levels.first().map_or(1, |l| l.samples)
    }

    /// Number of levels, at least 1.
    pub fn level_count(&self) -> u32 {
        self.levels.len() as u32
    }

    /// Width, height and depth of a level in texels, or `None` if there is no such level.
    pub fn size(&self, level: u32) -> Option<[u32; 3]> {
        self.levels.get(level as usize).map(|l| l.size)
    }

    /// The bits of all texels of a level, in the order of [`new`](Self::new); none if there is no such level.
    pub fn texels(&self, level: u32) -> &[[u32; 4]] {
        self.levels.get(level as usize).map_or(&[], |l| &l.texels)
    }

    /// The bits of one texel: its column, row and slice (face of a layer, or depth) in a level. Places outside the
    /// level read the nearest texel, a level that is not there the last one, a multisampled one its first sample.
    pub fn texel(&self, level: u32, x: u32, y: u32, slice: u32) -> [u32; 4] {
        match self.levels.get(level as usize).or(self.levels.last()) {
            Some(l) => l.texel(x.min(l.size[0] - 1), y.min(l.size[1] - 1), slice.min(l.slices - 1), 0),
            None => [0; 4],
        }
    }
}

impl Level {
    /// A texel; the caller keeps the place inside the level.
    #[inline]
    fn texel(&self, x: u32, y: u32, slice: u32, sample: u32) -> [u32; 4] {
        let [width, height, _] = self.size.map(|n| n as usize);
        let at = (slice as usize * height + y as usize) * width + x as usize;
        let at = at * self.samples as usize + sample as usize;
        self.texels.get(at).copied().unwrap_or([0; 4])
    }
}

/// The value of a byte, 255 being 1.
fn unorm8(byte: u8) -> f32 {
    f32::from(byte) / 255.0
}

/// Number of slices of a level of that depth.
const fn slices(dim: Dim, depth: u32, layers: u32) -> u32 {
    depth * layers * dim.faces() as u32
}

/// The size of a level of a texture of that size.
fn level_size(size: [u32; 3], level: u32) -> [u32; 3] {
    size.map(|n| n.checked_shr(level).unwrap_or(0).max(1))
}

/// All places of a box, x running fastest.
fn grid(size: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let [width, height, depth] = size;
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}

pub(crate) fn check(
    dim: Dim,
    extent: Extent,
    count: usize,
    length: impl Fn(usize) -> usize,
    per_texel: u64,
) -> Result<(), TextureError> {
    let size = extent.size();
    let longest = if dim == Dim::Buffer { MAX_BUFFER } else { MAX_SIDE };
    if size.iter().any(|&n| n == 0 || n > longest) {
        return Err(TextureError::Size);
    }
    if dim.axes() == 1 && extent.height != 1 {
        return Err(TextureError::Height);
    }
    if dim != Dim::D3 && extent.depth != 1 {
        return Err(TextureError::Depth);
    }
    if dim.faces() > 1 && extent.width != extent.height {
        return Err(TextureError::NotSquare);
    }
    if extent.layers == 0 || extent.layers > if dim.arrayed() { MAX_LAYERS } else { 1 } {
        return Err(TextureError::Layers);
    }
    if !matches!(extent.samples, 1 | 2 | 4 | 8 | 16) || (extent.samples > 1 && !dim.multisampled()) {
        return Err(TextureError::Samples);
    }
    let most = if dim.has_levels() { size.iter().max().map_or(1, |n| n.ilog2() + 1) } else { 1 };
    if count == 0 || count > most as usize {
        return Err(TextureError::Levels { most });
    }
    for level in 0..count {
        let (wanted, given) = (extent.level(level as u32).texels(dim) * per_texel, length(level) as u64);
        if wanted != given {
            return Err(TextureError::Length { level: level as u32, wanted, given });
        }
    }
    Ok(())
}
