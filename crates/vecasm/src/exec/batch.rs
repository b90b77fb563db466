//! What a shader is run on, and what a run gives.

use super::BoundTexture;
#[cfg(doc)]
use crate::ir::{Input, Op, Output, Setup, State, System};
use alloc::vec::Vec;

/// What a shader is run on: some invocations that share parameters and resources.
///
/// A batch is whole groups, in order:
///
/// * fragment: quads, each in the order left-top, right-top, left-bottom, right-bottom; the engine completes the last
///   quad with helpers that read the inputs of the last invocation;
/// * tessellation control: patches of [`Setup::invocations`] invocations;
/// * geometry: primitives of [`Setup::invocations`] invocations;
/// * compute: workgroups in the order of [`grid`](Self::grid), x fastest, and in each its invocations, x fastest;
/// * the others: single invocations, or runs of [`subgroup`](Self::subgroup) where the shader votes.
#[derive(Clone, Debug, Default)]
pub struct Batch<'a> {
    /// Number of invocations, at most [`MAX_INVOCATIONS`](super::MAX_INVOCATIONS).
    pub count: usize,
    /// For each input of the shader, its bits.
    ///
    /// * Inputs of one vertex, fragment or work item: one for each invocation.
    /// * [`Op::InputOf`]: one for each vertex of each primitive or patch, that is [`Setup::vertices_in`] in a row.
    /// * Inputs of a patch as a whole, and [`System::PrimitiveIndex`] outside the fragment stage: one for each patch or
    ///   primitive.
    ///
    /// Missing lists and elements: the engine knows the rest of the [system values](System) itself (place in the
    /// workgroup, number in the subgroup, number of the primitive, …); fragment varyings follow from
    /// [`fragments`](Self::fragments) if that is given; everything else reads (0, 0, 0, 1) for f32, and 0 for integers.
    pub inputs: Vec<Vec<[u32; 4]>>,
    /// The primitive or patch of each invocation of the tessellation evaluation stage; what is missing is 0.
    pub primitives: Vec<u32>,
    /// For each parameter array of the shader, its elements. Elements that are not given are zero.
    pub params: Vec<Vec<[u32; 4]>>,
    /// For each [state value](State) of the shader, its bits; `None` and what is missing is the default.
    pub states: Vec<Option<[u32; 4]>>,
    /// For each texture of the shader, what is bound. An unbound texture reads (0, 0, 0, 1) and has no size. More
    /// textures than the shader names can be reached by handles only.
    pub textures: Vec<Option<BoundTexture<'a>>>,
    /// For each buffer of the shader, its first contents. What is missing has no bytes.
    pub buffers: Vec<Vec<u8>>,
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
    /// Number of workgroups along each axis (compute).
    pub grid: [u32; 3],
    /// Size of a workgroup where [`Setup::workgroup`] leaves it open.
    pub workgroup: [u32; 3],
    /// Number of invocations of a subgroup, 1–64, in the fragment stage a multiple of 4; 0 stands for 4. What a run
    /// gives may depend on it, if the shader asks its subgroup.
    pub subgroup: u32,
    /// Invocations that start as helpers; empty for none.
    pub helpers: Vec<bool>,
    /// Rounds of loops each invocation may make; `None` for 65,536.
    pub fuel: Option<u64>,
}

/// Triangles and where the fragments of a batch stand in them, so that inputs can be interpolated anywhere.
///
/// Barycentric weights of a point follow from the triangle's corners in the window. A value is the weighted sum of
/// those of the corners (linear), or that sum with each weight divided by its corner's w, over the sum of such weights
/// (perspective).
#[derive(Clone, Debug, Default, PartialEq)]
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
pub struct Triangle {
    /// Its corners: x and y in the window, y down; z, the depth; and w of clip space.
    pub corners: [[f32; 4]; 3],
    /// For each input of the shader, its bits in each corner.
    pub inputs: Vec<[[u32; 4]; 3]>,
}

/// What a run gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// For each buffer, its contents after the run.
    pub buffers: Vec<Vec<u8>>,
    /// For each stream that the shader emits to, the primitives that came out, in order.
    pub streams: Vec<Vec<Emitted>>,
    /// Barriers that not all invocations of a group came to together, the first 64 of them.
    pub barriers: Vec<DivergentBarrier>,
}

/// A primitive that a geometry shader has given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emitted {
    /// The invocation that gave it.
    pub invocation: u32,
    /// For each vertex, for each output cell of the shader, its bits; lanes of other streams are zero.
    pub vertices: Vec<Vec<[u32; 4]>>,
}

/// A barrier that not all invocations of a group came to together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DivergentBarrier {
    /// The number of the group's first invocation in the batch.
    pub first: usize,
    /// The source instruction.
    pub step: u32,
}
