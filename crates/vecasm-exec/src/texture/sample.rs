//! From a coordinate to a colour.

use super::cube::{across, face, face_x_first, project};
use super::wrap::{Axis, OUTSIDE};
use super::{Level, Texture};
use vecasm_ir::ir::{Dim, Filter, Mip, SamplerQuirk, SamplerState, Scalar, Wrap};
use vecasm_ir::math;

/// Where the level of detail of a reading comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Detail {
    /// It is given.
    Level(f32),
    /// From how the coordinate changes in the quad, to the pixel at the right and to the one below: the level is log2
    /// of the longer of the two in texels of level 0, plus a bias.
    Implicit {
        /// How it changes.
        by: Gradients,
        /// Added to the level.
        bias: f32,
    },
    /// From gradients that are given. The level is found in the same way.
    Explicit(Gradients),
}

/// How a coordinate changes; only the [lanes of a place](Dim::place_lanes) count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gradients {
    /// The change to the pixel at the right.
    pub ddx: [f32; 3],
    /// The change to the pixel below.
    pub ddy: [f32; 3],
}

/// One reading of a texture through a sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// The coordinate, in the [lanes](Dim::coord_lanes) its dimension has.
    pub coord: [f32; 4],
    /// The level of detail.
    pub detail: Detail,
    /// Added to the numbers of texels, in every level that is read. Cubes take none.
    pub offset: [i32; 3],
    /// What the first lane of each texel is compared with, if the sampler compares.
    pub reference: Option<f32>,
}

impl Request {
    /// A reading without offset and reference.
    pub const fn new(coord: [f32; 4], detail: Detail) -> Self {
        Self { coord, detail, offset: [0; 3], reference: None }
    }
}

impl Texture {
    /// Reads the texture through a sampler; the bits of four lanes of the texture's scalar.
    ///
    /// **Coordinates** are 0..=1 over the texture, texels for [`Dim::Rect`]. A cube coordinate is a direction of any
    /// length: the component of largest magnitude (of equal ones z before y before x) selects the face by its sign,
    /// the others divided by it give the place on the face as in Direct3D. Whatever the wrap modes say, faces are
    /// clamped at their edges, or, where the sampler is seamless, go on with the texels of their neighbours; a missing
    /// corner is the mean of the three texels around it. The zero vector reads the middle of +Z. A layer is rounded,
    /// halves up, and clamped: `max(0, min(layers - 1, floor(layer + 0.5)))` (GLSL 4.60, section 8.9).
    ///
    /// **Levels.** The sampler's bias is added to the level of detail and the sum clamped to its least and largest one;
    /// where the result is above 0, the texture is minified, else magnified. Then it is clamped to the levels there are;
    /// [`Mip::None`] reads level 0, [`Mip::Nearest`] rounds a half up. (OpenGL 4.6, section 8.14; Direct3D 9 too adds
    /// the bias to an explicit level.)
    ///
    /// **Anisotropy.** With an anisotropy above 1 the footprint of two gradients is read as
    /// `EXT_texture_filter_anisotropic` describes: where the longer one is r times the shorter one, n = ceil(r), at most
    /// the anisotropy, samples are spread evenly along the longer one, each at the level log2(longer / n), and averaged.
    /// Mip modes apply to each sample.
    ///
    /// **Comparison.** If the sampler compares and there is a reference, each texel counts as 1 where `reference OP`
    /// its first lane holds, else 0, *before* texels are weighed, and every lane of the result is that f32. The
    /// reference is not clamped; where texels are fixed point, the caller does that.
    ///
    /// **Integers** are never weighed: filters and mip modes are the nearest ones. A multisampled texture reads its
    /// first sample.
    pub fn sample(&self, state: &SamplerState, request: &Request) -> [u32; 4] {
        let mut reader =
            Reader { texture: self, state, offset: request.offset, reference: request.reference };
        let (place, layer) = split(self.dim, &request.coord);
        if self.scalar != Scalar::F32 {
            let lod = match request.detail {
                Detail::Level(level) => level + reader.bias(),
                Detail::Implicit { by, bias } => {
                    reader.footprint(&place, &by.ddx, &by.ddy).lod + bias + reader.bias()
                }
                Detail::Explicit(by) => {
                    reader.footprint(&place, &by.ddx, &by.ddy).lod + reader.explicit_bias()
                }
            };
            return reader.nearest_bits(&place, layer, lod);
        }
        let last = if state.model.has(SamplerQuirk::CompareLast) { reader.reference.take() } else { None };
        let colour = match request.detail {
            Detail::Level(level) => reader.level(&place, layer, level + reader.bias()),
            Detail::Implicit { by, bias } => {
                reader.gradients(&place, layer, &by.ddx, &by.ddy, bias + reader.bias())
            }
            Detail::Explicit(by) => reader.gradients(&place, layer, &by.ddx, &by.ddy, reader.explicit_bias()),
        };
        compared(state, last, colour.map(f32::to_bits))
    }
}

impl Texture {
    /// Whether it makes a difference to what a sampler reads how the coordinates change, or which level is asked for. If not,
    /// level 0 is read alone.
    pub fn has_detail(&self, state: &SamplerState) -> bool {
        let one_level = state.mip == Mip::None || self.levels.len() <= 1;
        !one_level || state.min != state.mag || state.anisotropy > 1
    }
}

/// Reads a texture of floats at a coordinate and level of detail: [`Texture::sample`] for the coordinates that three
/// lanes hold.
pub fn sample(texture: &Texture, state: &SamplerState, coord: [f32; 3], lod: f32) -> [f32; 4] {
    let reader = Reader { texture, state, offset: [0; 3], reference: None };
    reader.level(&coord, 0.0, lod + reader.bias())
}

/// Reads a texture of floats by gradients: [`Texture::sample`] for the coordinates that three lanes hold.
pub fn sample_footprint(
    texture: &Texture,
    state: &SamplerState,
    coord: [f32; 3],
    ddx: [f32; 3],
    ddy: [f32; 3],
    bias: f32,
) -> [f32; 4] {
    let reader = Reader { texture, state, offset: [0; 3], reference: None };
    reader.gradients(&coord, 0.0, &ddx, &ddy, bias + reader.bias())
}

/// A texture with everything that does not depend on the coordinate.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) texture: &'a Texture,
    pub(super) state: &'a SamplerState,
    pub(super) offset: [i32; 3],
    pub(super) reference: Option<f32>,
}

/// What a pixel covers of a texture.
pub(super) struct Footprint {
    /// The level of detail of each sample, without any bias.
    pub(super) lod: f32,
    /// Number of samples.
    samples: u32,
    /// Whether they are spread along x, not y.
    along_x: bool,
}

/// Levels to read: the second one only where the weight is not 0.
pub(super) struct Levels {
    pub(super) first: usize,
    pub(super) weight: f32,
    filter: Filter,
}

impl Reader<'_> {
    /// The colour at a level of detail.
    #[inline(always)]
    fn level(&self, coord: &[f32; 3], layer: f32, lod: f32) -> [f32; 4] {
        let place = Place::new(self, coord, layer);
        let Levels { first, weight, filter } = self.levels(lod);
        let near = place.read(first, filter);
        if weight == 0.0 {
            return near;
        }
        mix(near, place.read(first + 1, filter), weight)
    }

    /// The colour over the footprint of a pixel.
    #[inline]
    fn gradients(&self, coord: &[f32; 3], layer: f32, ddx: &[f32; 3], ddy: &[f32; 3], bias: f32) -> [f32; 4] {
        if !self.texture.has_detail(self.state) {
            return self.level(coord, layer, 0.0);
        }
        let Footprint { lod, samples, along_x } = self.footprint(coord, ddx, ddy);
        let lod = lod + bias;
        if samples == 1 {
            return self.level(coord, layer, lod);
        }
        let axis = if along_x { ddx } else { ddy };
        let n = samples as f32;
        let mut sum = [0.0f32; 4];
        for i in 1..=samples {
            let t = i as f32 / (n + 1.0) - 0.5;
            let at = core::array::from_fn(|k| coord[k] + axis[k] * t);
            for (sum, value) in sum.iter_mut().zip(self.level(&at, layer, lod)) {
                *sum += value;
            }
        }
        sum.map(|s| s / n)
    }

    /// The bits of the nearest texel of the nearest level.
    fn nearest_bits(&self, coord: &[f32; 3], layer: f32, lod: f32) -> [u32; 4] {
        let place = Place::new(self, coord, layer);
        let level = self.texture.levels.get(self.levels(lod).first).or(self.texture.levels.last());
        level.map_or([0; 4], |level| place.compared(place.nearest(level)))
    }

    /// What the sampler adds to a level of detail.
    pub(super) fn bias(&self) -> f32 {
        self.state.lod_bias.get()
    }

    /// What it adds to one that comes from gradients of the program.
    fn explicit_bias(&self) -> f32 {
        if self.state.model.has(SamplerQuirk::UnbiasedGradients) { 0.0 } else { self.bias() }
    }

    /// What is read at a level of detail, biases included.
    #[inline]
    pub(super) fn levels(&self, lod: f32) -> Levels {
        let (least, most) = (self.state.min_lod.get(), self.state.max_lod.get());
        // A NaN stays.
        let lod = if lod < least { least } else { lod };
        let lod = if lod > most { most } else { lod };
        let filter = if lod > 0.0 { self.state.min } else { self.state.mag };
        let last = (self.texture.levels.len().saturating_sub(1)) as f32;
        // Also turns NaN into 0.
        let lod = if lod > 0.0 { if lod < last { lod } else { last } } else { 0.0 };
        // Integers are not mixed.
        let float = self.texture.scalar == Scalar::F32;
        let mip = if self.state.mip == Mip::Linear && !float { Mip::Nearest } else { self.state.mip };
        let whole = match mip {
            Mip::None => return Levels { first: 0, weight: 0.0, filter },
            Mip::Nearest => {
                return Levels { first: math::floor(lod + 0.5) as usize, weight: 0.0, filter };
            }
            Mip::Linear => math::floor(lod),
        };
        Levels { first: whole as usize, weight: lod - whole, filter }
    }

    /// The footprint of a pixel.
    #[inline(always)]
    pub(super) fn footprint(&self, coord: &[f32; 3], ddx: &[f32; 3], ddy: &[f32; 3]) -> Footprint {
        let square_x = self.square(coord, ddx);
        let square_y = self.square(coord, ddy);
        let along_x = square_x > square_y;
        let (major, minor) = if along_x { (square_x, square_y) } else { (square_y, square_x) };
        if self.state.anisotropy > 1 && major > 0.0 && major < f32::INFINITY {
            let ratio = math::sqrt(major / minor);
            let most = f32::from(self.state.anisotropy);
            let n = if ratio < most { -math::floor(-ratio) } else { most };
            if n > 1.0 {
                return Footprint { lod: 0.5 * math::log2(major / (n * n)), samples: n as u32, along_x };
            }
        }
        // A NaN on one axis leaves the other one; log2(0) is -Inf, which is level 0.
        let major = if major.is_nan() { minor } else { major };
        let unchanging = major == 0.0 && self.state.model.has(SamplerQuirk::UnchangingLevel);
        let lod = if unchanging { -127.0 } else { 0.5 * math::log2(major) };
        Footprint { lod, samples: 1, along_x }
    }

    /// The square of the length of a derivative in texels of level 0.
    #[inline(always)]
    fn square(&self, coord: &[f32; 3], by: &[f32; 3]) -> f32 {
        let dim = self.texture.dim;
        let size = self.texture.size(0).unwrap_or([1; 3]).map(|n| n as f32);
        let model = self.state.model;
        let largest = model.has(SamplerQuirk::LargestComponent);
        let length = |texels: [f32; 3]| match texels {
            [x, y, z] if largest => square(0.0f32.max(x.abs()).max(y.abs()).max(z.abs())),
            [x, y, z] => square(x) + square(y) + square(z),
        };
        if dim.faces() > 1 && model.has(SamplerQuirk::DirectionGradient) {
            return length(by.map(|by| by * (0.5 * size[0])));
        }
        if dim.faces() > 1 {
            // The derivative of s/m is (s'm - sm')/m², and a face is two units of s/m wide.
            let face = face(*coord);
            let ([s, t, m], [ds, dt, dm]) = (project(face, *coord), project(face, *by));
            let scale = 0.5 * size[0] / (m * m);
            return length([(ds * m - s * dm) * scale, (dt * m - t * dm) * scale, 0.0]);
        }
        let in_texels = dim == Dim::Rect && !model.has(SamplerQuirk::ScaledTexels);
        let along = |axis: usize| if in_texels { by[axis] } else { by[axis] * size[axis] };
        match dim.axes() {
            1 => length([along(0), 0.0, 0.0]),
            2 => length([along(0), along(1), 0.0]),
            _ => length([along(0), along(1), along(2)]),
        }
    }
}

fn square(x: f32) -> f32 {
    x * x
}

fn mix(a: [f32; 4], b: [f32; 4], weight: f32) -> [f32; 4] {
    core::array::from_fn(|i| a[i] + (b[i] - a[i]) * weight)
}

/// A coordinate without the layer, and the layer.
pub(super) fn split(dim: Dim, coord: &[f32; 4]) -> ([f32; 3], f32) {
    let layer = coord.get(usize::from(dim.place_lanes())).copied().unwrap_or(0.0);
    ([coord[0], coord[1], coord[2]], if dim.arrayed() { layer } else { 0.0 })
}

/// What a texel counts as: itself, or, if there is something to compare, 1 or 0 in every lane.
fn compared(state: &SamplerState, reference: Option<f32>, texel: [u32; 4]) -> [u32; 4] {
    match (state.compare, reference) {
        (Some(compare), Some(reference)) => {
            let holds = compare.test(reference, f32::from_bits(texel[0]));
            [f32::from(u8::from(holds)).to_bits(); 4]
        }
        _ => texel,
    }
}

/// A coordinate with everything resolved that does not depend on the level.
pub(super) struct Place<'r> {
    reader: &'r Reader<'r>,
    offset: [i32; 3],
    /// On the face where there are faces; no NaN.
    coord: [f32; 3],
    wrap: [Wrap; 3],
    face: u32,
    /// The first slice of the layer.
    layer: u32,
}

impl<'r> Place<'r> {
    #[inline(always)]
    pub(super) fn new(reader: &'r Reader<'r>, coord: &[f32; 3], layer: f32) -> Self {
        let (dim, state) = (reader.texture.dim, reader.state);
        let layer = if dim.arrayed() {
            // A cast saturates and turns NaN into 0.
            let layer = math::floor(layer + 0.5) as u32;
            layer.min(reader.texture.layers - 1) * u32::from(dim.faces())
        } else {
            0
        };
        let coord = coord.map(|c| if c.is_nan() { 0.0 } else { c });
        if dim.faces() == 1 {
            let wrap = [state.wrap_u, state.wrap_v, state.wrap_w];
            return Self { reader, offset: reader.offset, coord, wrap, face: 0, layer };
        }
        let coord = coord.map(|c| c.clamp(-f32::MAX, f32::MAX));
        let x_first = state.model.has(SamplerQuirk::FirstFace);
        let face = if x_first { face_x_first(coord) } else { face(coord) };
        let [s, t, m] = project(face, coord);
        let place = |v: f32| if m == 0.0 { 0.5 } else { (v / m + 1.0) * 0.5 };
        let wraps = state.model.has(SamplerQuirk::WrappedFaces);
        let wrap = if wraps { [state.wrap_u, state.wrap_v, Wrap::Clamp] } else { [Wrap::Clamp; 3] };
        Self { reader, offset: [0; 3], coord: [place(s), place(t), 0.0], wrap, face, layer }
    }

    /// The colour in one level, which is clamped to those there are.
    #[inline]
    fn read(&self, level: usize, filter: Filter) -> [f32; 4] {
        let levels = &self.reader.texture.levels;
        let Some(level) = levels.get(level).or(levels.last()) else { return [0.0; 4] };
        let slice = self.layer + self.face;
        match (filter, self.reader.texture.dim.axes()) {
            (Filter::Nearest, _) => self.compared(self.nearest(level)).map(f32::from_bits),
            (Filter::Linear, 1) => self.row(level, 0, slice),
            (Filter::Linear, 2) => self.plane(level, slice),
            (Filter::Linear, _) => {
                let z = self.axis(level, 2).pair(self.coord[2]);
                mix(self.plane(level, z.first), self.plane(level, z.second), z.weight)
            }
        }
    }

    fn row(&self, level: &Level, y: u32, slice: u32) -> [f32; 4] {
        let x = self.axis(level, 0).pair(self.coord[0]);
        mix(self.tap(level, x.first, y, slice), self.tap(level, x.second, y, slice), x.weight)
    }

    fn plane(&self, level: &Level, slice: u32) -> [f32; 4] {
        if self.seamless() {
            let corners = Corners::new(self.coord, level);
            let tap = |x: usize, y: usize| self.across(level, corners.x[x], corners.y[y]);
            let row = |y| mix(tap(0, y), tap(1, y), corners.weight[0]);
            return mix(row(0), row(1), corners.weight[1]);
        }
        let x = self.axis(level, 0).pair(self.coord[0]);
        let y = self.axis(level, 1).pair(self.coord[1]);
        let outside = [x.first, x.second, y.first, y.second, slice].contains(&OUTSIDE);
        if outside || self.reader.reference.is_some() {
            let row =
                |y| mix(self.tap(level, x.first, y, slice), self.tap(level, x.second, y, slice), x.weight);
            return mix(row(y.first), row(y.second), y.weight);
        }
        // The same, but four texels of the level as they are.
        let row = |y| {
            let texel = |x| level.texel(x, y, slice, 0).map(f32::from_bits);
            mix(texel(x.first), texel(x.second), x.weight)
        };
        mix(row(y.first), row(y.second), y.weight)
    }

    /// The four texels that a linear filter would weigh, after the comparison if there is one: those of the first row
    /// from left to right, then those of the second. A missing corner of a seamless cube is that of the face.
    pub(super) fn corners(&self, level: &Level) -> [[u32; 4]; 4] {
        let slice = match self.reader.texture.dim.axes() {
            3 => self.axis(level, 2).nearest(self.coord[2]),
            _ => self.layer + self.face,
        };
        if self.seamless() {
            let Corners { x, y, .. } = Corners::new(self.coord, level);
            return [(0, 0), (1, 0), (0, 1), (1, 1)]
                .map(|(i, j)| self.compared(self.beside(level, x[i], y[j])));
        }
        let x = self.axis(level, 0).pair(self.coord[0]);
        let y = match self.reader.texture.dim.axes() {
            1 => [0; 2],
            _ => {
                let y = self.axis(level, 1).pair(self.coord[1]);
                [y.first, y.second]
            }
        };
        [(x.first, y[0]), (x.second, y[0]), (x.first, y[1]), (x.second, y[1])]
            .map(|(x, y)| self.compared(self.texel(level, x, y, slice)))
    }

    #[inline(always)]
    fn axis(&self, level: &Level, axis: usize) -> Axis {
        Axis {
            size: level.size[axis],
            wrap: self.wrap[axis],
            in_texels: self.reader.texture.dim == Dim::Rect,
            offset: self.offset[axis],
            model: self.reader.state.model,
        }
    }

    /// The bits of the nearest texel.
    #[inline(always)]
    fn nearest(&self, level: &Level) -> [u32; 4] {
        let axes = self.reader.texture.dim.axes();
        let at = |axis: usize| self.axis(level, axis).nearest(self.coord[axis]);
        let y = if axes > 1 { at(1) } else { 0 };
        let z = if axes > 2 { at(2) } else { self.layer + self.face };
        self.texel(level, at(0), y, z)
    }

    /// A texel or the border, as bits.
    #[inline]
    fn texel(&self, level: &Level, x: u32, y: u32, slice: u32) -> [u32; 4] {
        if x == OUTSIDE || y == OUTSIDE || slice == OUTSIDE {
            return self.reader.state.border;
        }
        level.texel(x, y, slice, 0)
    }

    /// What a texel counts as.
    #[inline]
    fn compared(&self, texel: [u32; 4]) -> [u32; 4] {
        compared(self.reader.state, self.reader.reference, texel)
    }

    #[inline]
    fn tap(&self, level: &Level, x: u32, y: u32, slice: u32) -> [f32; 4] {
        self.compared(self.texel(level, x, y, slice)).map(f32::from_bits)
    }

    /// Whether a filter goes on across the edges of a face.
    fn seamless(&self) -> bool {
        self.reader.state.seamless && self.reader.texture.dim.faces() > 1
    }

    /// The bits of a texel of the face or beside one of its edges; a corner is that of the face.
    fn beside(&self, level: &Level, x: i32, y: i32) -> [u32; 4] {
        let size = level.size[0] as i32;
        let inside = (0..size).contains(&x);
        let (face, x, y) = if inside != (0..size).contains(&y) {
            across(self.face, x, y, size)
        } else {
            (self.face, x.clamp(0, size - 1) as u32, y.clamp(0, size - 1) as u32)
        };
        self.texel(level, x, y, self.layer + face)
    }

    /// What a texel of the face or beyond it counts as; a corner is the mean of the three texels around it (OpenGL 4.6,
    /// section 8.14.3, and Direct3D 11).
    fn across(&self, level: &Level, x: i32, y: i32) -> [f32; 4] {
        let size = level.size[0] as i32;
        let (inner_x, inner_y) = (x.clamp(0, size - 1), y.clamp(0, size - 1));
        let counted = |x, y| self.compared(self.beside(level, x, y)).map(f32::from_bits);
        let here = counted(x, y);
        if x == inner_x || y == inner_y {
            return here;
        }
        let (a, b) = (counted(x, inner_y), counted(inner_x, y));
        core::array::from_fn(|i| (here[i] + a[i] + b[i]) / 3.0)
    }
}

/// The columns and rows a filter touches on a face, -1 and the size being beyond its edges.
struct Corners {
    x: [i32; 2],
    y: [i32; 2],
    weight: [f32; 2],
}

impl Corners {
    /// Coordinates on a face are 0..=1.
    fn new(coord: [f32; 3], level: &Level) -> Self {
        let at = [coord[0], coord[1]].map(|c| c * level.size[0] as f32 - 0.5);
        let whole = at.map(math::floor);
        let [x, y] = whole.map(|n| [n as i32, n as i32 + 1]);
        Self { x, y, weight: [at[0] - whole[0], at[1] - whole[1]] }
    }
}
