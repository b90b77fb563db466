//! What is drawn into: colour, depth and stencil, with several samples a pixel.

use super::RenderError;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Largest width or height of a target, in pixels.
pub const MAX_SIDE: u32 = 4096;
/// Most layers of a target, as of an array texture.
pub const MAX_LAYERS: u32 = 2048;
/// Most samples of a target, all layers together: 4096 × 4096 without, 2048 × 2048 with 4× antialiasing.
pub const MAX_SAMPLES: u64 = 1 << 24;

/// Sample positions relative to the pixel centre in 1/16 pixel: the standard patterns of Direct3D.
const PATTERN_1: &[(i8, i8)] = &[(0, 0)];
const PATTERN_2: &[(i8, i8)] = &[(4, 4), (-4, -4)];
const PATTERN_4: &[(i8, i8)] = &[(-2, -6), (6, -2), (-6, 2), (2, 6)];
const PATTERN_8: &[(i8, i8)] = &[(1, -3), (-1, 3), (5, 1), (-3, -5), (-5, 5), (-7, -1), (3, 7), (7, -7)];
const PATTERN_16: &[(i8, i8)] = &[
    (1, 1),
    (-1, -3),
    (-3, 2),
    (4, -1),
    (-5, -2),
    (2, 5),
    (5, 3),
    (3, -5),
    (-2, 6),
    (0, -7),
    (-4, -6),
    (-6, 4),
    (-8, 0),
    (7, -4),
    (6, 7),
    (-7, -8),
];

/// The sample positions for a number of samples a pixel (1, 2, 4, 8 or 16).
pub(super) fn pattern(samples: u32) -> &'static [(i8, i8)] {
    match samples {
        2 => PATTERN_2,
        4 => PATTERN_4,
        8 => PATTERN_8,
        16 => PATTERN_16,
        _ => PATTERN_1,
    }
}

/// The size of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Samples a pixel: 1, 2, 4, 8 or 16.
    pub samples: u32,
    /// Layers, 1 to [`MAX_LAYERS`]: pictures of that size, which a draw chooses between for each primitive.
    pub layers: u32,
}

/// One pixel.
#[cfg(feature = "files")]
pub(super) const ONE: Extent = Extent { width: 1, height: 1, samples: 1, layers: 1 };

impl Extent {
    /// A size within the limits, with one layer.
    ///
    /// # Errors
    ///
    /// If a side is 0 or above [`MAX_SIDE`], if there are more than [`MAX_SAMPLES`] samples in all, or if
    /// `samples` is not 1, 2, 4, 8 or 16.
    pub fn new(width: u32, height: u32, samples: u32) -> Result<Self, RenderError> {
        if width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE {
            return Err(RenderError::new(format!(
                "a picture of {width} × {height} pixels: expected sides of 1 to {MAX_SIDE}"
            )));
        }
        if !matches!(samples, 1 | 2 | 4 | 8 | 16) {
            return Err(RenderError::new(format!("{samples} samples a pixel: expected 1, 2, 4, 8 or 16")));
        }
        if u64::from(width) * u64::from(height) * u64::from(samples) > MAX_SAMPLES {
            return Err(RenderError::new(format!(
                "a picture of {width} × {height} pixels with {samples} samples each: at most {MAX_SAMPLES} samples in all"
            )));
        }
        Ok(Self { width, height, samples, layers: 1 })
    }

    /// The same size with so many layers.
    ///
    /// # Errors
    ///
    /// If there are none or more than [`MAX_LAYERS`], or more than [`MAX_SAMPLES`] samples in all.
    pub fn with_layers(self, layers: u32) -> Result<Self, RenderError> {
        if layers == 0 || layers > MAX_LAYERS {
            return Err(RenderError::new(format!("{layers} layers: expected 1 to {MAX_LAYERS}")));
        }
        let of_one = u64::from(self.width) * u64::from(self.height) * u64::from(self.samples);
        if of_one * u64::from(layers) > MAX_SAMPLES {
            return Err(RenderError::new(format!(
                "{layers} layers of {} × {} pixels with {} samples each: at most {MAX_SAMPLES} samples in all",
                self.width, self.height, self.samples
            )));
        }
        Ok(Self { layers, ..self })
    }

    /// Samples in all.
    pub(super) fn count(self) -> usize {
        self.width as usize * self.height as usize * self.samples as usize * self.layers as usize
    }

    /// Index of the first sample of a pixel.
    pub(super) fn at(self, layer: u32, x: u32, y: u32) -> usize {
        let row = layer as usize * self.height as usize + y as usize;
        (row * self.width as usize + x as usize) * self.samples as usize
    }
}

/// A colour target: 8-bit unorm red, green, blue, alpha for every sample.
#[derive(Clone, Debug)]
pub struct Surface {
    pub(super) extent: Extent,
    pub(super) texels: Vec<[u8; 4]>,
}

impl Surface {
    /// A transparent black surface.
    pub fn new(extent: Extent) -> Self {
        Self { extent, texels: vec![[0; 4]; extent.count()] }
    }

    /// Its size.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Sets every sample to a colour; lanes are clamped to 0..=1.
    pub fn clear(&mut self, color: [f32; 4]) {
        self.texels.fill(color.map(unorm8));
    }

    /// The average of the samples of each pixel, rounded to nearest: rows from the top, 4 bytes a pixel, one layer behind the
    /// other.
    pub fn resolve(&self) -> Vec<u8> {
        let samples = self.extent.samples as usize;
        let mut out = Vec::with_capacity(self.texels.len() / samples.max(1) * 4);
        for pixel in self.texels.chunks_exact(samples.max(1)) {
            for lane in 0..4 {
                let sum: u32 = pixel.iter().map(|t| u32::from(t[lane])).sum();
                let n = samples as u32;
                out.push(((sum * 2 + n) / (n * 2)) as u8);
            }
        }
        out
    }
}

/// A depth and stencil buffer: f32 depth in 0..=1 and 8-bit stencil for every sample.
#[derive(Clone, Debug)]
pub struct DepthStencil {
    pub(super) extent: Extent,
    pub(super) depth: Vec<f32>,
    pub(super) stencil: Vec<u8>,
}

impl DepthStencil {
    /// Depth 1 and stencil 0 everywhere.
    pub fn new(extent: Extent) -> Self {
        Self { extent, depth: vec![1.0; extent.count()], stencil: vec![0; extent.count()] }
    }

    /// Sets every sample; `None` leaves the buffer alone.
    pub fn clear(&mut self, depth: Option<f32>, stencil: Option<u8>) {
        if let Some(depth) = depth {
            self.depth.fill(unit(depth));
        }
        if let Some(stencil) = stencil {
            self.stencil.fill(stencil);
        }
    }
}

/// Clamped to 0..=1; NaN gives 0.
pub(super) fn unit(x: f32) -> f32 {
    if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }
}

/// To 8-bit unorm: clamped, times 255, rounded to nearest.
pub(super) fn unorm8(x: f32) -> u8 {
    (unit(x) * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolve_averages_and_rounds() {
        let mut surface = Surface::new(Extent::new(1, 1, 4).unwrap());
        surface.texels = vec![[255, 1, 0, 255], [0, 0, 0, 255], [0, 0, 1, 255], [0, 0, 1, 254]];
        // 255/4 = 63.75, 1/4 = 0.25, 2/4 = 0.5, 1019/4 = 254.75
        assert_eq!(surface.resolve(), [64, 0, 1, 255]);
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(Extent::new(4096, 4096, 1).is_ok());
        assert!(Extent::new(4096, 4096, 4).is_err());
        assert!(Extent::new(0, 1, 1).is_err());
        assert!(Extent::new(4097, 1, 1).is_err());
        assert!(Extent::new(1, 1, 3).is_err());
        let layered = |side, layers| Extent::new(side, side, 1).unwrap().with_layers(layers);
        assert_eq!(layered(1024, 16).map(Extent::count), Ok(1 << 24));
        assert!(layered(1024, 17).is_err() && layered(1, 0).is_err() && layered(1, u32::MAX).is_err());
        assert!(layered(1, 2048).is_ok() && layered(1, 2049).is_err());
    }

    #[test]
    fn unorm_conversion_is_safe() {
        assert_eq!(unorm8(f32::NAN), 0);
        assert_eq!(unorm8(f32::INFINITY), 255);
        assert_eq!(unorm8(-1.0), 0);
        assert_eq!(unorm8(0.5), 128);
    }
}
