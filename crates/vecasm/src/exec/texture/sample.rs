//! From a coordinate to a colour.
//!
//! Every coordinate is defined: NaN counts as 0, infinities are clamped to the edge or, where the coordinate
//! repeats, count as 0; a level of detail that is NaN is 0. Weights are f32, not the 8-bit fractions of hardware.

use super::{Level, Texture};
use crate::ir::{Dim, Filter, Mip, SamplerState, Wrap};
use crate::math;

/// Reads a texture at a coordinate (2 lanes for 2D, 3 for the others) and level of detail, where 0 is the largest
/// level. The level is clamped to those there are; [`Mip::None`] reads level 0, [`Mip::Nearest`] rounds a half up.
///
/// 3D coordinates and 2D coordinates are 0..=1 over the texture. A cube coordinate is a direction of any length: the
/// component of largest magnitude (of equal ones z before y before x) selects the face by its sign, the others
/// divided by it give the place on the face as in Direct3D. Faces are filtered by themselves, clamped at their edges,
/// whatever the wrap modes say. The zero vector reads the middle of +Z.
pub fn sample(texture: &Texture, state: &SamplerState, coord: [f32; 3], lod: f32) -> [f32; 4] {
    let place = Place::new(texture.dim, state, coord);
    let last = (texture.levels.len().saturating_sub(1)) as f32;
    // Also turns NaN into 0.
    let lod = if lod > 0.0 { if lod < last { lod } else { last } } else { 0.0 };
    match state.mip {
        Mip::None => place.read(texture, state, 0),
        Mip::Nearest => place.read(texture, state, math::floor(lod + 0.5) as usize),
        Mip::Linear => {
            let whole = math::floor(lod);
            let level = whole as usize;
            let near = place.read(texture, state, level);
            let weight = lod - whole;
            if weight == 0.0 {
                return near;
            }
            mix(near, place.read(texture, state, level + 1), weight)
        }
    }
}

/// Reads a texture where the coordinate changes by `ddx` to the pixel at the right and by `ddy` to the one below:
/// the level of detail is log2 of the longer of the two in texels of level 0, plus `bias`.
///
/// With an anisotropy above 1 the pixel's footprint is read as `EXT_texture_filter_anisotropic` describes: where the
/// longer derivative is r times the shorter one, n = ceil(r), at most the anisotropy, samples are spread evenly along
/// the longer one, each at the level log2(longer / n), and averaged. Mip modes apply to each sample.
pub fn sample_footprint(
    texture: &Texture,
    state: &SamplerState,
    coord: [f32; 3],
    ddx: [f32; 3],
    ddy: [f32; 3],
    bias: f32,
) -> [f32; 4] {
    let square_x = footprint(texture, coord, ddx);
    let square_y = footprint(texture, coord, ddy);
    let along_x = square_x > square_y;
    let (major, minor) = if along_x { (square_x, square_y) } else { (square_y, square_x) };
    if state.anisotropy > 1 && major > 0.0 && major < f32::INFINITY {
        let ratio = math::sqrt(major / minor);
        let most = f32::from(state.anisotropy);
        let n = if ratio < most { -math::floor(-ratio) } else { most };
        if n > 1.0 {
            let axis = if along_x { ddx } else { ddy };
            let lod = 0.5 * math::log2(major / (n * n)) + bias;
            let mut sum = [0.0f32; 4];
            for i in 1..=n as u32 {
                let t = i as f32 / (n + 1.0) - 0.5;
                let at = core::array::from_fn(|k| coord[k] + axis[k] * t);
                for (sum, value) in sum.iter_mut().zip(sample(texture, state, at, lod)) {
                    *sum += value;
                }
            }
            return sum.map(|s| s / n);
        }
    }
    // A NaN on one axis leaves the other one; log2(0) is -Inf, which is level 0.
    let major = if major.is_nan() { minor } else { major };
    sample(texture, state, coord, 0.5 * math::log2(major) + bias)
}

/// The square of the length of a derivative in texels of level 0.
fn footprint(texture: &Texture, coord: [f32; 3], by: [f32; 3]) -> f32 {
    let size = texture.size(0).unwrap_or([1; 3]).map(|n| n as f32);
    match texture.dim {
        Dim::D1 | Dim::D1Array | Dim::Buffer => square(by[0] * size[0]),
        Dim::D2 | Dim::D2Array | Dim::Rect | Dim::D2Ms | Dim::D2MsArray => {
            square(by[0] * size[0]) + square(by[1] * size[1])
        }
        Dim::D3 => square(by[0] * size[0]) + square(by[1] * size[1]) + square(by[2] * size[2]),
        Dim::Cube | Dim::CubeArray => {
            // The derivative of s/m is (s'm - sm')/m², and a face is two units of s/m wide.
            let face = face(coord);
            let ([s, t, m], [ds, dt, dm]) = (project(face, coord), project(face, by));
            let scale = 0.5 * size[0] / (m * m);
            square((ds * m - s * dm) * scale) + square((dt * m - t * dm) * scale)
        }
    }
}

fn square(x: f32) -> f32 {
    x * x
}

fn mix(a: [f32; 4], b: [f32; 4], weight: f32) -> [f32; 4] {
    core::array::from_fn(|i| a[i] + (b[i] - a[i]) * weight)
}

/// The face a direction points at: 0..=5 for +X, −X, +Y, −Y, +Z, −Z.
fn face([x, y, z]: [f32; 3]) -> u32 {
    let [ax, ay, az] = [x.abs(), y.abs(), z.abs()];
    let (axis, component) = if az >= ax && az >= ay {
        (2, z)
    } else if ay >= ax {
        (1, y)
    } else {
        (0, x)
    };
    axis * 2 + u32::from(component < 0.0)
}

/// A direction in the axes of a face: right, down, outward.
fn project(face: u32, [x, y, z]: [f32; 3]) -> [f32; 3] {
    match face {
        0 => [-z, -y, x],
        1 => [z, -y, -x],
        2 => [x, z, y],
        3 => [x, -z, -y],
        4 => [x, -y, z],
        _ => [-x, -y, -z],
    }
}

/// A coordinate with everything resolved that does not depend on the level.
struct Place {
    coord: [f32; 3],
    wrap: [Wrap; 3],
    face: u32,
}

impl Place {
    fn new(dim: Dim, state: &SamplerState, coord: [f32; 3]) -> Self {
        let coord = coord.map(|c| if c.is_nan() { 0.0 } else { c });
        match dim {
            _ if dim.faces() == 1 => {
                Self { coord, wrap: [state.wrap_u, state.wrap_v, state.wrap_w], face: 0 }
            }
            _ => {
                let coord = coord.map(|c| c.clamp(-f32::MAX, f32::MAX));
                let face = face(coord);
                let [s, t, m] = project(face, coord);
                let place = |v: f32| if m == 0.0 { 0.5 } else { (v / m + 1.0) * 0.5 };
                Self { coord: [place(s), place(t), 0.0], wrap: [Wrap::Clamp; 3], face }
            }
        }
    }

    /// The colour in one level, which is clamped to those there are.
    fn read(&self, texture: &Texture, state: &SamplerState, level: usize) -> [f32; 4] {
        let Some(level) = texture.levels.get(level).or(texture.levels.last()) else { return [0.0; 4] };
        let volume = texture.dim == Dim::D3;
        match state.min {
            Filter::Nearest => {
                let x = nearest(self.coord[0], level.size[0], self.wrap[0]);
                let y = nearest(self.coord[1], level.size[1], self.wrap[1]);
                let z = if volume { nearest(self.coord[2], level.size[2], self.wrap[2]) } else { self.face };
                level.texel(x, y, z)
            }
            Filter::Linear if volume => {
                let z = pair(self.coord[2], level.size[2], self.wrap[2]);
                mix(self.bilinear(level, z.first), self.bilinear(level, z.second), z.weight)
            }
            Filter::Linear => self.bilinear(level, self.face),
        }
    }

    fn bilinear(&self, level: &Level, slice: u32) -> [f32; 4] {
        let x = pair(self.coord[0], level.size[0], self.wrap[0]);
        let y = pair(self.coord[1], level.size[1], self.wrap[1]);
        let row = |y| mix(level.texel(x.first, y, slice), level.texel(x.second, y, slice), x.weight);
        mix(row(y.first), row(y.second), y.weight)
    }
}

/// A coordinate (no NaN) brought into 0..=1.
fn wrapped(coord: f32, wrap: Wrap) -> f32 {
    match wrap {
        Wrap::Clamp | Wrap::Mirror | Wrap::MirrorOnce | Wrap::Border => coord.clamp(0.0, 1.0),
        Wrap::Repeat => {
            let fraction = coord - math::floor(coord);
            // The fraction of an infinity is NaN.
            if fraction.is_nan() { 0.0 } else { fraction }
        }
    }
}

/// The texel a coordinate lies in.
fn nearest(coord: f32, size: u32, wrap: Wrap) -> u32 {
    let at = (wrapped(coord, wrap) * size as f32) as u32;
    match wrap {
        Wrap::Clamp | Wrap::Mirror | Wrap::MirrorOnce | Wrap::Border => at.min(size - 1),
        Wrap::Repeat => at % size,
    }
}

/// The two texels whose centres a coordinate lies between.
struct Pair {
    first: u32,
    second: u32,
    weight: f32,
}

fn pair(coord: f32, size: u32, wrap: Wrap) -> Pair {
    let at = wrapped(coord, wrap) * size as f32 - 0.5;
    let whole = math::floor(at);
    let (below, above) = (whole as i32, whole as i32 + 1);
    let last = size as i32 - 1;
    let (first, second) = match wrap {
        Wrap::Clamp | Wrap::Mirror | Wrap::MirrorOnce | Wrap::Border => {
            (below.clamp(0, last), above.clamp(0, last))
        }
        Wrap::Repeat => (below.rem_euclid(last + 1), above.rem_euclid(last + 1)),
    };
    Pair { first: first as u32, second: second as u32, weight: at - whole }
}
