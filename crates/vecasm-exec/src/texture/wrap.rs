//! From a coordinate to texels along one axis.
//!
//! A coordinate is scaled to texels and rounded down to a whole number first; wrapping then works on that number, as
//! the equations of OpenGL 4.6, section 8.14.2 and table 8.20 do. So texel offsets are exact, and everything that is
//! not a texel of the level is the border.

use vecasm_ir::ir::{SamplerModel, SamplerQuirk, Wrap};
use vecasm_ir::math;

/// No texel of the level, but its border.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// One axis of a level.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    /// Number of texels, at least 1.
    pub(super) size: u32,
    pub(super) wrap: Wrap,
    /// Whether coordinates are in texels rather than in sizes of the level.
    pub(super) in_texels: bool,
    /// Added to the number of a texel before it is wrapped.
    pub(super) offset: i32,
    pub(super) model: SamplerModel,
}

/// The two texels whose centres a coordinate lies between; either may be [`OUTSIDE`].
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) first: u32,
    pub(super) second: u32,
    /// Of the second one, 0..=1.
    pub(super) weight: f32,
}

impl Axis {
    /// The texel a coordinate (no NaN) lies in.
    #[inline(always)]
    pub(super) fn nearest(self, coord: f32) -> u32 {
        if let Some(at) = self.usual(coord) {
            // Only rounding can lead to the size itself.
            let at = at as u32;
            return match self.wrap {
                _ if at < self.size => at,
                Wrap::Repeat => at - self.size,
                _ => self.size - 1,
            };
        }
        self.nearest_of_any(coord)
    }

    fn nearest_of_any(self, coord: f32) -> u32 {
        let wrap = match self.wrap {
            Wrap::ClampHalf => Wrap::Clamp,
            Wrap::MirrorOnceHalf => Wrap::MirrorOnce,
            wrap => wrap,
        };
        self.texel(wrap, math::floor(self.scaled(coord)) as i64)
    }

    /// The texels a coordinate (no NaN) lies between.
    #[inline(always)]
    pub(super) fn pair(self, coord: f32) -> Pair {
        let Some(at) = self.usual(coord) else { return self.pair_of_any(coord) };
        let at = at - 0.5;
        let whole = math::floor(at);
        let last = self.size - 1;
        // -1 to the last one.
        let below = whole as i32;
        let above = (below + 1) as u32;
        let repeats = self.wrap == Wrap::Repeat;
        Pair {
            first: if below >= 0 {
                below as u32
            } else if repeats {
                last
            } else {
                0
            },
            second: if above <= last {
                above
            } else if repeats {
                0
            } else {
                last
            },
            weight: at - whole,
        }
    }

    /// A coordinate in texels, 0 to the size, in the usual case: no offset, and clamped or repeated.
    #[inline(always)]
    fn usual(self, coord: f32) -> Option<f32> {
        if self.offset != 0 || self.in_texels {
            return None;
        }
        match self.wrap {
            Wrap::Clamp => Some(coord.clamp(0.0, 1.0) * self.size as f32),
            Wrap::Repeat => Some(self.scaled(coord)),
            _ => None,
        }
    }

    fn pair_of_any(self, coord: f32) -> Pair {
        if let Some(pair) = self.folded(coord) {
            return pair;
        }
        let (mut at, mut axis) = (self.scaled(coord), self);
        if matches!(self.wrap, Wrap::ClampHalf | Wrap::MirrorOnceHalf) {
            let size = self.size as f32;
            let least = if self.wrap == Wrap::ClampHalf { 0.0 } else { -size };
            at = (at + self.offset as f32).clamp(least, size);
            axis.offset = 0;
        }
        at -= 0.5;
        let whole = math::floor(at);
        let weight = at - whole;
        let below = whole as i64;
        Pair {
            first: axis.texel(self.wrap, below),
            second: axis.texel(self.wrap, below.saturating_add(1)),
            // Of an infinity it is NaN; both texels are then the same.
            weight: if weight.is_nan() { 0.0 } else { weight },
        }
    }

    /// As softpipe does where that differs: the coordinate itself is mirrored, so that the two texels are the other
    /// way round in a mirrored part, and lie outside below 0; coordinates in texels are clamped, not the texels.
    fn folded(self, coord: f32) -> Option<Pair> {
        if self.model == SamplerModel::EXACT {
            return None;
        }
        let size = self.size as f32;
        let at = self.scaled(coord) + self.offset as f32;
        let clamps = self.in_texels && self.model.has(SamplerQuirk::ClampedCoordinates);
        let mirrors = self.model.has(SamplerQuirk::MirroredCoordinates);
        let (at, wrap) = match self.wrap {
            Wrap::Clamp | Wrap::ClampHalf if clamps => {
                let at = (at - 0.5).clamp(0.0, size - 1.0);
                let whole = math::floor(at);
                let first = whole as u32;
                let second = match first + 1 < self.size {
                    true => first + 1,
                    false if self.wrap == Wrap::Clamp => first,
                    false => OUTSIDE,
                };
                return Some(Pair { first, second, weight: at - whole });
            }
            Wrap::Border if clamps => {
                let at = at.clamp(-0.5, size + 0.5) - 0.5;
                let whole = math::floor(at);
                let below = whole as i64;
                return Some(Pair {
                    first: Self { offset: 0, ..self }.texel(Wrap::Border, below),
                    second: (below + 1).clamp(0, i64::from(self.size) - 1) as u32,
                    weight: at - whole,
                });
            }
            Wrap::MirrorOnce if mirrors => (at.abs().min(size), Wrap::Clamp),
            Wrap::MirrorOnceHalf if mirrors => (at.abs().min(size), Wrap::Border),
            Wrap::MirrorOnceBorder if mirrors => (at.abs().min(size + 0.5), Wrap::Border),
            _ => return None,
        };
        let at = at - 0.5;
        let whole = math::floor(at);
        let axis = Self { offset: 0, ..self };
        let first = axis.texel(wrap, whole as i64);
        Some(Pair { first, second: axis.texel(wrap, whole as i64 + 1), weight: at - whole })
    }

    /// A coordinate in texels, brought near 0 where it repeats, so that large ones lose nothing.
    #[inline(always)]
    fn scaled(self, coord: f32) -> f32 {
        if self.in_texels {
            return coord;
        }
        let size = self.size as f32;
        let period = match self.wrap {
            Wrap::Repeat => coord - math::floor(coord),
            Wrap::Mirror => coord - 2.0 * math::floor(coord * 0.5),
            _ => return coord * size,
        };
        // The fraction of an infinity is NaN.
        if period.is_nan() { 0.0 } else { period * size }
    }

    /// The texel that a number stands for, [`OUTSIDE`] where it is the border.
    fn texel(self, wrap: Wrap, number: i64) -> u32 {
        let size = i64::from(self.size);
        let number = number.saturating_add(i64::from(self.offset));
        if (0..size).contains(&number) {
            return number as u32;
        }
        // -1 becomes 0, -2 becomes 1…
        let mirrored = if number < 0 { !number } else { number };
        let inside = match wrap {
            Wrap::Clamp => number.clamp(0, size - 1),
            Wrap::Repeat => number.rem_euclid(size),
            Wrap::Mirror => {
                let number = number.rem_euclid(2 * size);
                number.min(2 * size - 1 - number)
            }
            Wrap::MirrorOnce => mirrored.min(size - 1),
            Wrap::MirrorOnceBorder | Wrap::MirrorOnceHalf if mirrored < size => mirrored,
            Wrap::Border | Wrap::ClampHalf | Wrap::MirrorOnceBorder | Wrap::MirrorOnceHalf => return OUTSIDE,
        };
        inside as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_case_is_no_special_case() {
        let odd = [f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1e-9, -0.0, 1.0, 2.0, 0.999_999_94, 1e7];
        let coords = (-40..80i16).map(|i| f32::from(i) / 16.0 + 0.001).chain(odd);
        for coord in coords {
            for size in [1, 2, 3, 7, 8, 16_384] {
                for wrap in [Wrap::Clamp, Wrap::Repeat] {
                    let axis = Axis { size, wrap, in_texels: false, offset: 0, model: SamplerModel::EXACT };
                    assert_eq!(axis.nearest(coord), axis.nearest_of_any(coord), "{coord} {size} {wrap:?}");
                    let (usual, any) = (axis.pair(coord), axis.pair_of_any(coord));
                    assert_eq!(
                        (usual.first, usual.second),
                        (any.first, any.second),
                        "{coord} {size} {wrap:?}"
                    );
                    // Between two equal texels weights do not matter.
                    if usual.first != usual.second {
                        assert_eq!(usual.weight.to_bits(), any.weight.to_bits(), "{coord} {size} {wrap:?}");
                    }
                }
            }
        }
    }
}
