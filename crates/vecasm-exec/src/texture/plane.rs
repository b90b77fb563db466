//! Textures of two axes in the usual case, many invocations at a time.

use crate::BoundTexture;
use vecasm_ir::ir::op::Word;
use vecasm_ir::ir::{Dim, Filter, Op, Scalar, Wrap};
use vecasm_ir::math::{CANONICAL_NAN, floor};

/// Invocations of a step.
const STEP: usize = 16;

/// A texture of floats and its sampler, as an operation reads them in the usual case: two axes, of which level 0 is read alone,
/// clamped or repeated, nothing compared, no offset.
#[derive(Clone, Copy, Debug)]
pub struct Plane<'a> {
    /// Rows one after another: width times height of them.
    pub texels: &'a [[u32; 4]],
    /// Width and height: 1 to 16,384 each.
    pub size: [u32; 2],
    /// Whether the texture repeats along an axis; else the coordinate is clamped.
    pub repeats: [bool; 2],
    /// Whether four texels are weighed; else the nearest one is read.
    pub linear: bool,
}

/// Where coordinates lie along an axis: the texel before and the one behind, and the weight of that.
struct AxisTaps {
    first: [u32; STEP],
    second: [u32; STEP],
    weight: [f32; STEP],
}

impl<'a> Plane<'a> {
    /// What an operation reads of a texture, if that is the usual case.
    pub fn of(op: Op, bound: BoundTexture<'a>) -> Option<Self> {
        let (texture, state) = (bound.texture, bound.sampler);
        let plain = matches!(op, Op::Sample { compare: false, offset: false, .. });
        if !plain || texture.dim() != Dim::D2 || texture.scalar() != Scalar::F32 || texture.has_detail(&state)
        {
            return None;
        }
        let repeats = |wrap| match wrap {
            Wrap::Clamp => Some(false),
            Wrap::Repeat => Some(true),
            _ => None,
        };
        let (texels, [width, height, _]) = (texture.texels(0), texture.size(0)?);
        (texels.len() as u64 == u64::from(width) * u64::from(height)).then_some(Self {
            texels,
            size: [width, height],
            repeats: [repeats(state.wrap_u)?, repeats(state.wrap_v)?],
            linear: state.min == Filter::Linear,
        })
    }

    /// Reads at the coordinates of two rows, as many as `coords` have in common. `give` is told of each invocation what it reads.
    pub(crate) fn read<W: Word>(&self, coords: [&[W]; 2], mut give: impl FnMut(usize, [u32; 4])) {
        let [u, v] = coords;
        for (at, (u, v)) in u.chunks(STEP).zip(v.chunks(STEP)).enumerate() {
            let x = self.along(0, u);
            let y = self.along(1, v);
            for i in 0..u.len().min(v.len()) {
                let row = |row: u32| (row * self.size[0]) as usize;
                let texel = |row: usize, column: u32| {
                    let texel = self.texels.get(row + column as usize);
                    texel.map_or([0.0; 4], |texel| texel.map(f32::from_bits))
                };
                let above = row(y.first[i]);
                let colour = if self.linear {
                    let below = row(y.second[i]);
                    let top = mix(texel(above, x.first[i]), texel(above, x.second[i]), x.weight[i]);
                    let bottom = mix(texel(below, x.first[i]), texel(below, x.second[i]), x.weight[i]);
                    mix(top, bottom, y.weight[i])
                } else {
                    texel(above, x.first[i])
                };
                give(at * STEP + i, colour.map(|c| if c.is_nan() { CANONICAL_NAN } else { c.to_bits() }));
            }
        }
    }

    /// The same steps as for one coordinate that is clamped or repeats (see `wrap`), written so that they become vectors; without a
    /// filter, both texels are the one it lies in.
    #[inline(always)]
    fn along<W: Word>(&self, axis: usize, coords: &[W]) -> AxisTaps {
        let mut out = AxisTaps { first: [0; STEP], second: [0; STEP], weight: [0.0; STEP] };
        let mut at = [0.0f32; STEP];
        for (to, from) in at.iter_mut().zip(coords) {
            let coord = f32::from_bits(from.low());
            *to = if coord.is_nan() { 0.0 } else { coord };
        }
        let (size, last) = (self.size[axis] as f32, self.size[axis] as i32 - 1);
        if self.repeats[axis] {
            for at in &mut at {
                // That of an infinity is 0.
                let part = *at - floor(*at);
                *at = if part.is_nan() { 0.0 } else { part } * size;
            }
        } else {
            at.iter_mut().for_each(|at| *at = at.clamp(0.0, 1.0) * size);
        }
        let (before, behind) = if self.repeats[axis] { (last, 0) } else { (0, last) };
        if !self.linear {
            for (first, at) in out.first.iter_mut().zip(at) {
                let whole = at as i32;
                // Only rounding can lead to the size itself.
                *first = if whole > last { behind } else { whole } as u32;
            }
            return out;
        }
        let outs = out.first.iter_mut().zip(&mut out.second).zip(&mut out.weight);
        for (((first, second), weight), at) in outs.zip(at) {
            let at = at - 0.5;
            let whole = floor(at);
            let below = whole as i32;
            // -1 to the last one.
            *first = if below < 0 { before } else { below } as u32;
            *second = if below >= last { behind } else { below + 1 } as u32;
            *weight = at - whole;
        }
        out
    }
}

#[inline(always)]
fn mix(a: [f32; 4], b: [f32; 4], weight: f32) -> [f32; 4] {
    core::array::from_fn(|i| a[i] + (b[i] - a[i]) * weight)
}

#[cfg(test)]
mod tests;
