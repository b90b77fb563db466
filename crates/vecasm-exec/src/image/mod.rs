//! Images: texels that a shader reads and writes by their number.
//!
//! Memory, loads, stores and atomic operations; [`Format`] says what a texel is as bytes.

use super::texture::{Extent, TextureError, check, locate};
use alloc::vec::Vec;
use vecasm_ir::ir::{Atomic, Dim, Format, OutOfRange};

/// The texels of one level in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Image {
    #[cfg_attr(feature = "serde", serde(rename = "kind"))]
    dim: Dim,
    format: Format,
    #[cfg_attr(feature = "serde", serde(flatten))]
    extent: Extent,
    bytes: Vec<u8>,
}

impl Image {
    /// An image from its bytes: slices (faces of layers, or the depth of a 3D image) one after another, each row by
    /// row, the samples of a texel side by side, nothing between them.
    ///
    /// # Errors
    ///
    /// See [`TextureError`]; lengths are in bytes. Nothing but what is given is held.
    pub fn new(dim: Dim, format: Format, extent: Extent, bytes: Vec<u8>) -> Result<Self, TextureError> {
        check(dim, extent, 1, |_| bytes.len(), u64::from(format.bytes()))?;
        Ok(Self { dim, format, extent, bytes })
    }

    /// Its shape.
    pub const fn dim(&self) -> Dim {
        self.dim
    }

    /// How a texel is held.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// How much of everything it has.
    pub const fn extent(&self) -> Extent {
        self.extent
    }

    /// All texels, in the order of [`new`](Self::new).
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All texels, in the order of [`new`](Self::new).
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The bits of a texel by its number: the axes, then the slice: the layer, or for cubes the face plus six times the
    /// layer ([`Dim::texel_lanes`]). Outside the image, or where there is no such sample, a texel of zero bits is read;
    /// so a lane that the format lacks is what it is everywhere: 0, alpha 1 (Direct3D 11's rule for typed loads; softpipe
    /// does the same).
    pub fn load(&self, place: [i32; 4], sample: i32) -> [u32; 4] {
        let bytes = self.find(place, sample).and_then(|at| self.bytes.get(at..));
        self.format.decode(bytes.unwrap_or(&[]))
    }

    /// Writes a texel; outside the image, or where there is no such sample, nothing happens.
    pub fn store(&mut self, place: [i32; 4], sample: i32, lanes: [u32; 4]) {
        let texel = self.format.encode(lanes);
        let size = usize::from(self.format.bytes());
        let to = self.find(place, sample).and_then(|at| self.bytes.get_mut(at..));
        for (to, from) in to.into_iter().flatten().zip(texel).take(size) {
            *to = from;
        }
    }

    /// Changes the only lane of a texel of a 32-bit format and gives the old one; `other` is the second operand of
    /// [`Atomic::CompareExchange`]. Outside the image, where there is no such sample, or in another format nothing
    /// happens, and 0 comes back.
    pub fn atomic(&mut self, place: [i32; 4], sample: i32, atomic: Atomic, value: u32, other: u32) -> u32 {
        if self.format.bits() != [32] {
            return 0;
        }
        let word = self.find(place, sample).and_then(|at| self.bytes.get_mut(at..)?.first_chunk_mut::<4>());
        let Some(word) = word else { return 0 };
        let old = u32::from_le_bytes(*word);
        *word = atomic.apply(old, value, other).to_le_bytes();
        old
    }

    /// The size: its axes, then the number of layers of an array, then 0 up to the third lane; the last lane is the
    /// number of samples.
    pub fn query_size(&self) -> [u32; 4] {
        let mut out = [0, 0, 0, self.extent.samples];
        let axes = usize::from(self.dim.axes());
        for (out, size) in out.iter_mut().zip(self.extent.size()).take(axes) {
            *out = size;
        }
        if let (true, Some(out)) = (self.dim.arrayed(), out.get_mut(axes)) {
            *out = self.extent.layers;
        }
        out
    }

    /// The first byte of a texel.
    fn find(&self, place: [i32; 4], sample: i32) -> Option<usize> {
        let Extent { width, height, layers, depth, samples } = self.extent;
        let slices = depth * layers * u32::from(self.dim.faces());
        let [x, y, slice] = locate(self.dim, self.extent.size(), slices, place, OutOfRange::Zero)?;
        let sample = u32::try_from(sample).ok().filter(|&n| n < samples)?;
        let row = slice as usize * height as usize + y as usize;
        let texel = row * width as usize + x as usize;
        Some((texel * samples as usize + sample as usize) * usize::from(self.format.bytes()))
    }
}
