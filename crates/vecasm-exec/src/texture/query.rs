//! What is read without a filter.

use super::Texture;
use super::sample::{Gradients, Place, Reader, split};
use vecasm_ir::ir::{Dim, Mip, OutOfRange, SamplerQuirk, SamplerState};

/// A number below `bound`, which is at least 1; `None` for one that is not and counts as nothing.
fn inside(n: i32, bound: u32, rule: OutOfRange) -> Option<u32> {
    match (u32::try_from(n), rule) {
        (Ok(n), _) if n < bound => Some(n),
        (_, OutOfRange::Zero | OutOfRange::Undefined) => None,
        (Ok(_), OutOfRange::Clamp) => Some(bound - 1),
        (Err(_), OutOfRange::Clamp) => Some(0),
    }
}

/// The column, row and slice of a texel that is given by its number: see [`Dim::texel_lanes`].
pub(crate) fn locate(
    dim: Dim,
    size: [u32; 3],
    slices: u32,
    place: [i32; 4],
    rule: OutOfRange,
) -> Option<[u32; 3]> {
    let [a, b, c, _] = place;
    let x = inside(a, size[0], rule)?;
    let sliced = dim.texel_lanes() > dim.axes();
    Some(match dim.axes() {
        1 => [x, 0, if sliced { inside(b, slices, rule)? } else { 0 }],
        2 => [x, inside(b, size[1], rule)?, if sliced { inside(c, slices, rule)? } else { 0 }],
        _ => [x, inside(b, size[1], rule)?, inside(c, size[2], rule)?],
    })
}

impl Texture {
    /// One lane of the four texels that a linear filter would weigh in level 0, whatever the filters of the sampler:
    /// (0, 1), (1, 1), (1, 0), (0, 0) as column and row, the order of Direct3D's `gather4` and of `textureGather`.
    /// Coordinates, offset and wrap are those of [`sample`](Self::sample). With a reference and a sampler that
    /// compares, the result of each comparison, 1.0 or 0.0. A lane above 3 counts as 3.
    pub fn gather(
        &self,
        state: &SamplerState,
        coord: [f32; 4],
        offset: [i32; 3],
        lane: u8,
        reference: Option<f32>,
    ) -> [u32; 4] {
        let reader = Reader { texture: self, state, offset, reference };
        let level = if state.model.has(SamplerQuirk::GatherLevel) {
            Reader { state: &SamplerState { mip: Mip::Nearest, ..*state }, ..reader }
                .levels(reader.bias())
                .first
        } else {
            0
        };
        let Some(level) = self.levels.get(level) else { return [0; 4] };
        let (place, layer) = split(self.dim, &coord);
        let [first, second, third, fourth] = Place::new(&reader, &place, layer).corners(level);
        [third, fourth, second, first].map(|texel| texel[usize::from(lane.min(3))])
    }

    /// The bits of one texel by its number: the axes, then the slice: the layer, or for cubes the face plus six
    /// times the layer ([`Dim::texel_lanes`]). A place, level or sample that is not there
    /// gives 0 in every lane (Direct3D's `ld`), or counts as the nearest one that is (softpipe's `TXF`;
    /// in front of a buffer as the last one).
    pub fn fetch(&self, place: [i32; 4], level: i32, sample: i32, rule: OutOfRange) -> [u32; 4] {
        let level = inside(level, self.level_count(), rule).and_then(|level| self.levels.get(level as usize));
        let Some(level) = level else { return [0; 4] };
        let mut place = place;
        if rule == OutOfRange::Clamp && self.dim == Dim::Buffer && place[0] < 0 {
            // Softpipe takes the number of an element for unsigned.
            place[0] = i32::MAX;
        }
        let place = locate(self.dim, level.size, level.slices, place, rule);
        match (place, inside(sample, level.samples, rule)) {
            (Some([x, y, slice]), Some(sample)) => level.texel(x, y, slice, sample),
            _ => [0; 4],
        }
    }

    /// The size of a level: its axes, then the number of layers of an array, then 0 up to the third lane; the last lane
    /// is the number of levels. Of a level that is not there the first three lanes are 0 (Direct3D's `resinfo`).
    pub fn query_size(&self, level: i32) -> [u32; 4] {
        let mut out = [0, 0, 0, self.level_count()];
        let size = u32::try_from(level).ok().and_then(|level| self.size(level));
        if let Some(size) = size {
            let axes = usize::from(self.dim.axes());
            for (out, size) in out.iter_mut().zip(size).take(axes) {
                *out = size;
            }
            if let (true, Some(out)) = (self.dim.arrayed(), out.get_mut(axes)) {
                *out = self.layers;
            }
        }
        out
    }

    /// What a reading by gradients would do: the level it reads (a whole number unless levels are mixed), and the level
    /// of detail with the sampler's bias, but before any limit. (`textureQueryLod` of GLSL 4.60, section 8.9.1; the
    /// second one is Direct3D's `CalculateLevelOfDetailUnclamped`.) It is -Inf where nothing changes.
    pub fn query_lod(&self, state: &SamplerState, coord: [f32; 4], by: Gradients) -> [f32; 2] {
        let reader = Reader { texture: self, state, offset: [0; 3], reference: None };
        let lod = reader.footprint(&split(self.dim, &coord).0, &by.ddx, &by.ddy).lod + reader.bias();
        let levels = reader.levels(lod);
        [levels.first as f32 + levels.weight, lod]
    }
}

/// Where a sample lies in its pixel: from its centre, right and down, −0.5..0.5 of a pixel. These are the standard
/// patterns of Direct3D 11 (`D3D11_STANDARD_MULTISAMPLE_PATTERN`), which Vulkan has as its standard sample locations,
/// for 1, 2, 4, 8 and 16 samples. Any other number of samples, or a sample that is not there, gives the centre.
pub fn sample_position(samples: u32, sample: u32) -> [f32; 2] {
    /// In sixteenths of a pixel from the centre.
    const PATTERNS: [&[[i8; 2]]; 4] = [
        &[[4, 4], [-4, -4]],
        &[[-2, -6], [6, -2], [-6, 2], [2, 6]],
        &[[1, -3], [-1, 3], [5, 1], [-3, -5], [-5, 5], [-7, -1], [3, 7], [7, -7]],
        &[
            [1, 1],
            [-1, -3],
            [-3, 2],
            [4, -1],
            [-5, -2],
            [2, 5],
            [5, 3],
            [3, -5],
            [-2, 6],
            [0, -7],
            [-4, -6],
            [-6, 4],
            [-8, 0],
            [7, -4],
            [6, 7],
            [-7, -8],
        ],
    ];
    let pattern = PATTERNS.iter().find(|p| p.len() == samples as usize);
    let place = pattern.and_then(|p| p.get(sample as usize)).copied().unwrap_or([0, 0]);
    place.map(|n| f32::from(n) / 16.0)
}
