//! What a shader is run on, and what a run gives.

use super::BoundTexture;
use super::image::Image;
use super::texture::sample_position;
use alloc::vec::Vec;
use vecasm_ir::ir::{Input, Interpolation, Location, Scalar, Shader};
#[cfg(doc)]
use vecasm_ir::ir::{Op, Output, ParamArray, Setup, State, System};
use vecasm_ir::math::CANONICAL_NAN;

/// What a shader is run on: some invocations that share parameters and resources.
///
/// A batch is whole groups, in order:
///
/// * fragment: quads, each in the order left-top, right-top, left-bottom, right-bottom; the engine completes the last
///   quad with helpers that read the inputs of the last invocation;
/// * tessellation control: patches of [`Setup::invocations`] invocations;
/// * geometry: primitives of [`Setup::invocations`] invocations;
/// * compute: workgroups in the order of [`grid`](Self::grid), x fastest, and in each its invocations, x fastest; as many
///   as the grid says;
/// * the others: single invocations, or runs of [`subgroup`](Self::subgroup) where the shader votes.
///
/// Wherever the shader has a bool, in an input, a parameter or a state, 0 is false and every other word is true.
#[derive(Clone, Debug, Default)]
pub struct Batch<'a> {
    /// Number of invocations, at most [`MAX_INVOCATIONS`](super::MAX_INVOCATIONS).
    pub count: usize,
    /// For each input of the shader, its bits.
    ///
    /// * Inputs of one vertex, fragment or work item: one for each invocation.
    /// * [`Op::InputOf`]: one for each vertex of each primitive or patch, that is [`Setup::vertices_in`] in a row
    ///   (or [`vertices_in`](Self::vertices_in)).
    /// * Inputs of a patch as a whole (also the levels that the application sets), and [`System::PrimitiveIndex`]
    ///   outside the fragment stage: one for each patch or primitive.
    ///
    /// Missing lists and elements: many [system values](System) the engine knows itself (number of the primitive, of the
    /// invocation and in the subgroup, vertices in, all of the compute stage); fragment varyings,
    /// [`System::FragCoord`] and [`System::SamplePosition`] follow from [`fragments`](Self::fragments) if that is given,
    /// and the number of the primitive is that of the triangle; everything else reads (0, 0, 0, 1) for f32, and 0 for
    /// integers.
    pub inputs: Vec<Vec<[u32; 4]>>,
    /// The primitive or patch of each invocation of the tessellation evaluation stage; what is missing is 0.
    pub primitives: Vec<u32>,
    /// For each parameter array of the shader, its elements: the bits of f32, i32 or u32, or bools, of which 0 is false and
    /// every other word true. Elements that are not given are zero; those that [the shader says](ParamArray::fixed) are as it says.
    pub params: Vec<Vec<[u32; 4]>>,
    /// For each [state value](State) of the shader, its bits; `None` and what is missing is the default.
    pub states: Vec<Option<[u32; 4]>>,
    /// For each texture of the shader, what is bound. An unbound texture reads (0, 0, 0, 1) and has no size. More
    /// textures than the shader names can be reached by handles only.
    pub textures: Vec<Option<BoundTexture<'a>>>,
    /// For each buffer of the shader, its first contents. What is missing has no bytes.
    pub buffers: Vec<Vec<u8>>,
    /// For each image of the shader, its first contents. An unbound one reads zero, has no size, and swallows what is
    /// written.
    pub images: Vec<Option<Image>>,
    /// What 64-bit handles stand for: a position in the list of textures, buffers or images, whichever the
    /// operation is for.
    pub handles: Vec<(u64, u32)>,
    /// For each render target, what it holds at each invocation. What is missing is zero.
    pub framebuffer: Vec<Vec<[u32; 4]>>,
    /// Where each fragment stands in which triangle.
    pub fragments: Option<Fragments>,
    /// What the invocation before the first one left in each output cell; only [carried](Output::carried) ones count.
    /// What is missing is the first value of the cell.
    pub carried: Vec<[u32; 4]>,
    /// Number of workgroups along each axis (compute); all 0 stands for as many as the batch has, along x.
    pub grid: [u32; 3],
    /// Size of a workgroup where [`Setup::workgroup`] leaves it open; 0 stands for 1.
    pub workgroup: [u32; 3],
    /// Number of vertices of each patch that comes in, where [`Setup::vertices_in`] leaves it open (tessellation), at most
    /// 32; 0 stands for 1.
    pub vertices_in: u32,
    /// Number of invocations of a subgroup, 1–64, in the fragment stage a multiple of 4; 0 stands for 4. What a run
    /// gives may depend on it, if the shader asks its subgroup.
    pub subgroup: u32,
    /// Invocations that start as helpers; empty for none.
    pub helpers: Vec<bool>,
    /// Rounds of loops each invocation may make; `None` for 65,536.
    pub fuel: Option<u64>,
}

impl<'a> Batch<'a> {
    /// The same batch as the shader reads it: with the elements of parameter arrays that [it says itself](ParamArray::fixed), and
    /// with 1 in place of each other word that is a true bool for it, since engines compute with 0 and 1 alone. `None` if that
    /// is the batch as it is.
    pub fn as_read(&self, shader: &Shader) -> Option<Self> {
        let said = self.with_fixed(shader);
        let truths = said.as_ref().unwrap_or(self).with_truths(shader);
        truths.or(said)
    }

    fn with_fixed(&self, shader: &Shader) -> Option<Self> {
        if shader.params.iter().all(|array| array.fixed.is_empty()) {
            return None;
        }
        let mut out = self.clone();
        out.params.resize(out.params.len().max(shader.params.len()), Vec::new());
        for (list, array) in out.params.iter_mut().zip(&shader.params) {
            for (element, bits) in array.fixed.iter().filter(|(element, _)| *element < array.size) {
                let at = *element as usize;
                if list.len() <= at {
                    list.resize(at + 1, [0; 4]);
                }
                list[at] = *bits;
            }
        }
        Some(out)
    }

    fn with_truths(&self, shader: &Shader) -> Option<Self> {
        const fn odd(four: &[u32; 4]) -> bool {
            (four[0] | four[1] | four[2] | four[3]) > 1
        }
        fn set(four: &mut [u32; 4]) {
            *four = four.map(|word| u32::from(word != 0));
        }
        let inputs = || shader.inputs.iter().map(|input| input.ty.scalar == Scalar::Bool);
        let params = || shader.params.iter().map(|array| array.scalar == Scalar::Bool);
        let states = || shader.states.iter().map(|state| state.ty.scalar == Scalar::Bool);
        let triangles = || self.fragments.iter().flat_map(|fragments| &fragments.triangles);
        let listed =
            |lists: &[Vec<[u32; 4]>], at: usize| lists.get(at).is_some_and(|list| list.iter().any(odd));
        let found = (0..).zip(inputs()).any(|(at, is)| {
            let corners =
                |at: usize| triangles().any(|t| t.inputs.get(at).is_some_and(|c| c.iter().any(odd)));
            is && (listed(&self.inputs, at) || corners(at))
        }) || (0..).zip(params()).any(|(at, is)| is && listed(&self.params, at))
            || self.states.iter().zip(states()).any(|(state, is)| is && state.as_ref().is_some_and(odd));
        if !found {
            return None;
        }
        let mut out = self.clone();
        let lists = out.inputs.iter_mut().zip(inputs()).chain(out.params.iter_mut().zip(params()));
        lists.filter(|(_, is)| *is).for_each(|(list, _)| list.iter_mut().for_each(set));
        let of = out.states.iter_mut().zip(states()).filter(|(_, is)| *is);
        of.for_each(|(state, _)| state.iter_mut().for_each(set));
        for triangle in out.fragments.iter_mut().flat_map(|fragments| &mut fragments.triangles) {
            let of = triangle.inputs.iter_mut().zip(inputs()).filter(|(_, is)| *is);
            of.for_each(|(corners, _)| corners.iter_mut().for_each(set));
        }
        Some(out)
    }
}

/// Triangles and where the fragments of a batch stand in them, so that inputs can be interpolated anywhere.
///
/// Barycentric weights of a point follow from the triangle's corners in the window. A value is the weighted sum of
/// those of the corners (linear), or that sum with each weight divided by its corner's w, over the sum of such weights
/// (perspective). Everything is computed in f64 in the order of the corners, and rounded to f32 at the end; the weight of
/// a corner is the signed area of the point with the two others over that of the triangle; in a triangle without area,
/// the first corner has all the weight. Integers are always flat.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Fragments {
    /// The triangles.
    pub triangles: Vec<Triangle>,
    /// The triangle of each invocation.
    pub triangle: Vec<u32>,
    /// The centre of each invocation's pixel, y down.
    pub center: Vec<[f32; 2]>,
    /// A point of each pixel that the triangle covers; what is missing is the centre.
    pub centroid: Vec<[f32; 2]>,
    /// Number of samples of a pixel: 1, 2, 4, 8 or 16, at the standard places of Direct3D 11.
    pub samples: u32,
    /// Whether colours are those of the first corner.
    pub flat: bool,
}

/// One triangle.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Triangle {
    /// Its corners: x and y in the window, y down; z, the depth; and w of clip space.
    pub corners: [[f32; 4]; 3],
    /// For each input of the shader, its bits in each corner.
    pub inputs: Vec<[[u32; 4]; 3]>,
}

/// A point of a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spot {
    /// Its centre.
    Center,
    /// A point that the triangle covers.
    Centroid,
    /// The sample of that number; one that does not exist is at the centre.
    Sample(u32),
    /// The centre plus so much, in pixels, y down.
    Offset([f32; 2]),
}

impl Spot {
    /// Where an input is interpolated that declares a location; `sample` is the sample that is shaded.
    pub const fn declared(location: Location, sample: u32) -> Self {
        match location {
            Location::Center => Self::Center,
            Location::Centroid => Self::Centroid,
            Location::Sample => Self::Sample(sample),
        }
    }
}

impl Fragments {
    /// A varying in one invocation: the bits of input number `id` at a point of the pixel, by the rule that it declares.
    /// `None` if no triangle, or no such input of it, is given.
    pub fn varying(&self, invocation: usize, id: usize, input: &Input, spot: Spot) -> Option<[u32; 4]> {
        let triangle = self.triangle_of(invocation)?;
        let corners = triangle.inputs.get(id)?;
        let flat = match input.interpolation {
            Interpolation::Flat => true,
            Interpolation::Color => self.flat,
            Interpolation::Perspective | Interpolation::Linear => false,
        };
        if flat || input.ty.scalar != Scalar::F32 {
            return Some(corners[0]);
        }
        let mut weights = triangle.weights(self.point(invocation, spot)?);
        let mut whole = 1.0;
        if input.interpolation != Interpolation::Linear {
            for (weight, corner) in weights.iter_mut().zip(&triangle.corners) {
                *weight /= f64::from(corner[3]);
            }
            whole = weights[0] + weights[1] + weights[2];
        }
        Some(core::array::from_fn(|lane| {
            bits(sum(weights, corners.map(|corner| f32::from_bits(corner[lane]))) / whole)
        }))
    }

    /// The place of an invocation in the window: x, y, depth, and 1/w.
    pub(super) fn frag_coord(&self, invocation: usize) -> Option<[u32; 4]> {
        let triangle = self.triangle_of(invocation)?;
        let [x, y] = self.point(invocation, Spot::Center)?;
        let weights = triangle.weights([x, y]);
        let depth = sum(weights, triangle.corners.map(|corner| corner[2]));
        let [a, b, c]: [f64; 3] = core::array::from_fn(|i| weights[i] / f64::from(triangle.corners[i][3]));
        Some([x.to_bits(), y.to_bits(), bits(depth), bits(a + b + c)])
    }

    /// The place of a sample in a pixel, 0..=1.
    pub(super) fn sample_position(&self, sample: u32) -> [f32; 2] {
        sample_position(self.samples, sample).map(|x| x + 0.5)
    }

    fn triangle_of(&self, invocation: usize) -> Option<&Triangle> {
        self.triangles.get(*self.triangle.get(invocation)? as usize)
    }

    fn point(&self, invocation: usize, spot: Spot) -> Option<[f32; 2]> {
        let center = *self.center.get(invocation)?;
        let moved = |[x, y]: [f32; 2]| [center[0] + x, center[1] + y];
        Some(match spot {
            Spot::Center => center,
            Spot::Centroid => self.centroid.get(invocation).copied().unwrap_or(center),
            Spot::Sample(sample) => moved(sample_position(self.samples, sample)),
            Spot::Offset(by) => moved(by),
        })
    }
}

impl Triangle {
    /// The barycentric weights of a point.
    fn weights(&self, point: [f32; 2]) -> [f64; 3] {
        let at = |[x, y]: [f32; 2]| [f64::from(x), f64::from(y)];
        let [a, b, c] = self.corners.map(|corner| at([corner[0], corner[1]]));
        let p = at(point);
        let area = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
            (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        };
        let whole = area(a, b, c);
        if whole == 0.0 || !whole.is_finite() {
            return [1.0, 0.0, 0.0];
        }
        [area(b, c, p) / whole, area(c, a, p) / whole, area(a, b, p) / whole]
    }
}

/// The weighted sum of what the corners have.
fn sum(weights: [f64; 3], of: [f32; 3]) -> f64 {
    let [a, b, c]: [f64; 3] = core::array::from_fn(|i| weights[i] * f64::from(of[i]));
    a + b + c
}

/// The bits of the nearest f32.
fn bits(value: f64) -> u32 {
    let value = value as f32;
    if value.is_nan() { CANONICAL_NAN } else { value.to_bits() }
}

/// What a run gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Outputs {
    /// For each output cell of the shader, its bits in each invocation; of a cell that a patch shares, in each patch.
    pub cells: Vec<Vec<[u32; 4]>>,
    /// Invocations that ended as helpers because of a demotion.
    pub killed: Vec<bool>,
    /// Invocations that ran out of fuel.
    pub exhausted: Vec<bool>,
    /// For each parameter array, its elements after the run; empty unless the shader is serial.
    pub params: Vec<Vec<[u32; 4]>>,
    /// For each output cell, what the last invocation left; empty unless the shader is serial.
    pub carried: Vec<[u32; 4]>,
    /// For each buffer of the batch or the shader, its contents after the run.
    pub buffers: Vec<Vec<u8>>,
    /// For each image of the batch or the shader, its contents after the run.
    pub images: Vec<Option<Image>>,
    /// For each stream that the shader emits to, the primitives that came out, in order.
    pub streams: Vec<Vec<Emitted>>,
    /// Barriers that not all invocations of a group came to together, the first
    /// [`MOST_BARRIERS`](Self::MOST_BARRIERS) of them.
    pub barriers: Vec<DivergentBarrier>,
}

impl Outputs {
    /// The most barriers that are named.
    pub const MOST_BARRIERS: usize = 64;
}

/// A primitive that a geometry shader has given: the vertices up to its end, of points and strips alike. Those of an
/// invocation stand in the order of their ends; the last one also ends where the invocation does. A primitive without
/// vertices does not come out. ([`Setup::one_sequence`] has other rules.)
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Emitted {
    /// The invocation that gave it.
    pub invocation: u32,
    /// For each vertex, for each output cell of the shader, its bits; lanes of other streams are zero.
    pub vertices: Vec<Vec<[u32; 4]>>,
}

/// A barrier that not all invocations of a group came to together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct DivergentBarrier {
    /// The number of the group's first invocation in the batch.
    pub first: usize,
    /// The source instruction.
    pub step: u32,
}
