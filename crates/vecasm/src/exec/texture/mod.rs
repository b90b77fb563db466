//! Textures and how they are read.
//!
//! * this file: the texels, in levels;
//! * [`sample`]: from a coordinate to a colour.
//!
//! Texel (0, 0) is at u = v = 0 and is the first one of the first row; texel centres are at .5. Cube maps have six
//! square faces in the order +X, −X, +Y, −Y, +Z, −Z, each with rows as Direct3D has them.

mod sample;

pub use sample::{sample, sample_footprint};

use crate::ir::Dim;
use alloc::vec::Vec;
use core::fmt;

/// Texels of one level: its slices (one for 2D, six faces for cubes, the depth for 3D) one after another, each row
/// by row.
#[derive(Clone, Debug, PartialEq)]
struct Level {
    size: [u32; 3],
    texels: Vec<[f32; 4]>,
}

/// Texels in levels of detail.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    dim: Dim,
    levels: Vec<Level>,
}

/// Why texels do not make a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextureError {
    /// A side is 0 or above 16,384.
    Size,
    /// A 2D texture or a cube map has a depth other than 1.
    Depth,
    /// The faces of a cube map are not square.
    NotSquare,
    /// There is no level, or there are more than the size has: 1 + log2 of the longest side.
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
            Self::Depth => f.write_str("only a 3D texture has a depth"),
            Self::NotSquare => f.write_str("the faces of a cube map are squares"),
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

impl Texture {
    /// A texture from bytes, four a texel (red, green, blue, alpha), where 255 is 1.0.
    ///
    /// `levels` starts with the largest one; each further one has half its sides, rounded down, at least 1. A level
    /// holds its slices one after another: one for [`Dim::D2`], six faces for [`Dim::Cube`], `depth` for
    /// [`Dim::D3`] (1 for the others). One level is enough; see [`generate_levels`](Self::generate_levels).
    ///
    /// # Errors
    ///
    /// See [`TextureError`]. Nothing is allocated before the length of the data is checked.
    pub fn from_rgba8(
        dim: Dim,
        width: u32,
        height: u32,
        depth: u32,
        levels: &[&[u8]],
    ) -> Result<Self, TextureError> {
        check(dim, [width, height, depth], levels.len(), |i| levels[i].len(), 4)?;
        let convert = |bytes: &[u8]| {
            let texels = bytes.chunks_exact(4);
            texels.map(|t| [unorm8(t[0]), unorm8(t[1]), unorm8(t[2]), unorm8(t[3])]).collect()
        };
        Ok(Self::assemble(dim, [width, height, depth], levels.iter().map(|l| convert(l))))
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
        depth: u32,
        levels: Vec<Vec<[f32; 4]>>,
    ) -> Result<Self, TextureError> {
        check(dim, [width, height, depth], levels.len(), |i| levels[i].len(), 1)?;
        Ok(Self::assemble(dim, [width, height, depth], levels.into_iter()))
    }

    fn assemble(dim: Dim, size: [u32; 3], levels: impl Iterator<Item = Vec<[f32; 4]>>) -> Self {
        let levels = levels.enumerate();
        let levels = levels.map(|(i, texels)| Level { size: level_size(size, i as u32), texels });
        Self { dim, levels: levels.collect() }
    }

    /// Replaces all levels below the largest one by its averages, down to one texel: each texel is the plain mean of
    /// the (at most eight) texels of the level above whose centres lie in it; a side that is not even loses its last
    /// row or column, as in Direct3D's box filter.
    pub fn generate_levels(&mut self) {
        self.levels.truncate(1);
        while let Some(above) = self.levels.last() {
            if above.size.iter().all(|&n| n == 1) {
                break;
            }
            let size = above.size.map(|n| (n / 2).max(1));
            // How many texels of the level above a texel covers along each axis.
            let step: [u32; 3] = core::array::from_fn(|axis| if above.size[axis] > 1 { 2 } else { 1 });
            let share = 1.0 / (step[0] * step[1] * step[2]) as f32;
            let faces = slices(self.dim, size[2]) / size[2];
            let mut texels = Vec::with_capacity((size[0] * size[1] * size[2] * faces) as usize);
            for face in 0..faces {
                for [x, y, z] in grid(size) {
                    let mut sum = [0.0f32; 4];
                    for [dx, dy, dz] in grid(step) {
                        let slice = face + z * step[2] + dz;
                        let texel = above.texel(x * step[0] + dx, y * step[1] + dy, slice);
                        for (sum, value) in sum.iter_mut().zip(texel) {
                            *sum += value;
                        }
                    }
                    texels.push(sum.map(|s| s * share));
                }
            }
            self.levels.push(Level { size, texels });
        }
    }

    /// Its shape.
    pub const fn dim(&self) -> Dim {
        self.dim
    }

    /// Number of levels, at least 1.
    pub fn level_count(&self) -> u32 {
        self.levels.len() as u32
    }

    /// Width, height and depth of a level in texels, or `None` if there is no such level.
    pub fn size(&self, level: u32) -> Option<[u32; 3]> {
        self.levels.get(level as usize).map(|l| l.size)
    }

    /// All texels of a level, in the order of [`from_rgba8`](Self::from_rgba8); none if there is no such level.
    pub fn texels(&self, level: u32) -> &[[f32; 4]] {
        self.levels.get(level as usize).map_or(&[], |l| &l.texels)
    }

    /// One texel: its column, row and slice (a face of a cube, a depth of a 3D texture) in a level. Places outside
    /// the level read the nearest texel, a level that is not there the last one.
    pub fn texel(&self, level: u32, x: u32, y: u32, slice: u32) -> [f32; 4] {
        match self.levels.get(level as usize).or(self.levels.last()) {
            Some(l) => {
                let last = slices(self.dim, l.size[2]) - 1;
                l.texel(x.min(l.size[0] - 1), y.min(l.size[1] - 1), slice.min(last))
            }
            None => [0.0; 4],
        }
    }
}

impl Level {
    /// A texel; the caller keeps the place inside the level.
    fn texel(&self, x: u32, y: u32, slice: u32) -> [f32; 4] {
        let [width, height, _] = self.size.map(|n| n as usize);
        let at = (slice as usize * height + y as usize) * width + x as usize;
        self.texels.get(at).copied().unwrap_or([0.0; 4])
    }
}

/// The value of a byte, 255 being 1.
fn unorm8(byte: u8) -> f32 {
    f32::from(byte) / 255.0
}

/// Number of slices of a level of that depth.
fn slices(dim: Dim, depth: u32) -> u32 {
    depth * u32::from(dim.faces())
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

fn check(
    dim: Dim,
    size: [u32; 3],
    count: usize,
    length: impl Fn(usize) -> usize,
    per_texel: u64,
) -> Result<(), TextureError> {
    if size.iter().any(|&n| n == 0 || n > MAX_SIDE) {
        return Err(TextureError::Size);
    }
    if dim != Dim::D3 && size[2] != 1 {
        return Err(TextureError::Depth);
    }
    if dim == Dim::Cube && size[0] != size[1] {
        return Err(TextureError::NotSquare);
    }
    let most = size.iter().max().map_or(1, |n| n.ilog2() + 1);
    if count == 0 || count > most as usize {
        return Err(TextureError::Levels { most });
    }
    for level in 0..count {
        let [width, height, depth] = level_size(size, level as u32);
        let texels = u64::from(width) * u64::from(height) * u64::from(slices(dim, depth));
        let (wanted, given) = (texels * per_texel, length(level) as u64);
        if wanted != given {
            return Err(TextureError::Length { level: level as u32, wanted, given });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
