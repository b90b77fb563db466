//! Picking a pixel: every shading of it, in order, what became of it, and what it takes to run it again.
//!
//! Nothing is drawn a second time by other rules: [`draw_probed`](super::draw::draw_probed), and `Scene::pick` of a whole scene, is
//! the ordinary drawing, which tells about one pixel as it goes. An [`ShadingRerun`] gives the batch of the quad, and of each vertex of the triangle;
//! an engine that runs them gives the bits that the picture was made of.

use super::assemble::{Piece, Shape, StageRun, Trail};
use super::draw::{Draw, primitive_again, vertex_again};
use super::state::State;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_exec::Batch;
use vecasm_ir::ir::{Shader, Stage};

#[cfg(feature = "files")]
pub use super::scene::history::{BrokenTriangles, Clear, Event, History, MAX_EVENTS};

/// A pixel of a target, y down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pixel {
    /// From the left.
    pub x: u32,
    /// From the top.
    pub y: u32,
    /// The layer, 0 where there is but one.
    pub layer: u32,
}

/// What became of a fragment in the target that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentOutcome {
    /// Its triangle belongs to the faces that are not drawn.
    Culled,
    /// The pixel lies outside the scissor rectangle.
    Scissored,
    /// The fragment shader discarded it, by an instruction or an alpha test that is built into it.
    Killed,
    /// No covered sample passed the stencil test.
    Stencil,
    /// No covered sample passed the stencil and the depth test.
    Depth,
    /// The shader does not write this target, or the colour mask lets nothing through.
    Unwritten,
    /// It was written.
    Kept,
}

impl FragmentOutcome {
    /// Every fate, in the order of the pipeline.
    pub const ALL: [Self; 7] = [
        Self::Culled,
        Self::Scissored,
        Self::Killed,
        Self::Stencil,
        Self::Depth,
        Self::Unwritten,
        Self::Kept,
    ];

    /// One word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Culled => "culled",
            Self::Scissored => "scissored",
            Self::Killed => "killed",
            Self::Stencil => "stencil",
            Self::Depth => "depth",
            Self::Unwritten => "unwritten",
            Self::Kept => "kept",
        }
    }
}

/// What the depth and stencil tests said; bit n is sample n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestResults {
    /// Passed both.
    pub passed: u16,
    /// Failed the stencil test.
    pub stencil_failed: u16,
    /// Passed the stencil test and failed the depth test.
    pub depth_failed: u16,
}

/// A triangle, line or point that covers samples of the pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Shading {
    /// Number of the event, from 1.
    pub number: usize,
    /// The place of the draw in the scene file, for example `$.passes[0].draws[1]`.
    pub path: String,
    /// Number of the draw in the scene, from 1.
    pub draw: u32,
    /// Which calls of `Host::compile` gave the shaders of the stages, from 0. A stage whose
    /// shader was not compiled from a code is not among them.
    pub programs: Vec<(Stage, u32)>,
    /// Number of the instance, from 0.
    pub instance: u32,
    /// What covers the pixel.
    pub shape: Shape,
    /// Number of the triangle (or line, or point) in the draw, from 0.
    pub triangle: u32,
    /// Whether a tessellation or geometry stage made it.
    pub made: bool,
    /// Number of the primitive that came in, from 0: the triangle's own, but behind a tessellation or geometry stage that of
    /// the patch or primitive that it was made of.
    pub primitive: u32,
    /// The numbers of the first vertices of that primitive in the vertex buffers; what it lacks repeats its last one.
    pub vertices: [u32; 3],
    /// The layer of the targets that it was put on.
    pub layer: u32,
    /// The number of the viewport that it was put on the target by.
    pub viewport: u32,
    /// Whether it is a front face.
    pub front: bool,
    /// The samples of the pixel that it covers; bit n is sample n.
    pub covered: u16,
    /// What became of it.
    pub fate: FragmentOutcome,
    /// What the tests said. Nothing passed or failed where they were not made.
    pub tested: TestResults,
    /// The state of the draw.
    pub state: State,
    /// For each colour target, what the shader gave, as bits of f32; none where it does not write the target. Empty where
    /// it did not run.
    pub colors: Vec<Option<[u32; 4]>>,
    /// Depth of the triangle at the centre of the pixel, 0..=1.
    pub depth: f32,
    /// The depth that the shader wrote instead, if it writes one.
    pub written_depth: Option<f32>,
    /// The depth that each sample held before; empty without a depth buffer.
    pub stored_depth: Vec<f32>,
    /// The stencil value that each sample held before; empty without a stencil buffer.
    pub stored_stencil: Vec<u8>,
    /// What each sample of the target that is looked at held before: red, green, blue, alpha.
    pub before: Vec<[u8; 4]>,
    /// And behind.
    pub after: Vec<[u8; 4]>,
    /// The event that left nothing of it: the number of the one that replaced the last of its samples.
    pub overwritten: Option<usize>,
}

impl Shading {
    pub(super) fn new(
        instance: u32,
        triangle: u32,
        vertices: [u32; 3],
        front: bool,
        covered: u16,
        state: State,
    ) -> Self {
        Self {
            number: 0,
            path: String::new(),
            draw: 0,
            programs: Vec::new(),
            instance,
            shape: Shape::Triangle,
            triangle,
            made: false,
            primitive: triangle,
            vertices,
            layer: 0,
            viewport: 0,
            front,
            covered,
            fate: FragmentOutcome::Culled,
            tested: TestResults::default(),
            state,
            colors: Vec::new(),
            depth: 0.0,
            written_depth: None,
            stored_depth: Vec::new(),
            stored_stencil: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            overwritten: None,
        }
    }
}

/// What a shader is run on to get the bits of the drawing.
#[derive(Clone, Debug)]
pub struct Invocation<'a> {
    /// The shader, with the step table if the scene's shaders have one.
    pub shader: &'a Shader,
    /// The batch: of a fragment its quad; of a vertex the vertex alone, or as many before it as it depends on.
    pub batch: Batch<'a>,
    /// The number of the invocation in the batch.
    pub lane: usize,
}

/// How a shading is run again.
#[derive(Clone, Copy)]
pub struct ShadingRerun<'f, 'a> {
    pub(super) draw: &'f Draw<'a>,
    /// The vertices of the draw.
    pub(super) used: &'f [u32],
    pub(super) of: Piece,
    /// What the stages between ran on.
    pub(super) trail: Trail<'f, 'a>,
    pub(super) instance: u32,
    /// A batch of quads, the first invocation of this one in it, and which one of the four is the pixel.
    pub(super) quad: Option<(&'f Batch<'a>, usize, usize)>,
}

impl<'a> ShadingRerun<'_, 'a> {
    /// The fragment shader and the quad; none where the triangle was not drawn.
    pub fn fragment(&self) -> Option<Invocation<'a>> {
        let (all, first, lane) = self.quad?;
        let four = |list: &Vec<[u32; 4]>| list.get(first..first + 4).map(<[_]>::to_vec).unwrap_or_default();
        let batch = Batch {
            count: 4,
            inputs: all.inputs.iter().map(four).collect(),
            helpers: all.helpers.get(first..first + 4).map(<[_]>::to_vec).unwrap_or_default(),
            params: all.params.clone(),
            textures: all.textures.clone(),
            states: all.states.clone(),
            ..Batch::default()
        };
        Some(Invocation { shader: self.draw.fragment.shader, batch, lane })
    }

    /// The vertex shader and what it ran on for a corner of the primitive that came in, 0 to 2.
    pub fn vertex(&self, corner: usize) -> Option<Invocation<'a>> {
        let at = *self.of.source.get(corner)?;
        let (batch, lane) = vertex_again(self.draw, self.used, at, self.instance)?;
        Some(Invocation { shader: self.draw.vertex.shader, batch, lane })
    }

    /// The tessellation control shader, the patch that this was made of, and its invocation `number`; none where the draw has
    /// none, or the patch has fewer invocations.
    pub fn control(&self, number: usize) -> Option<Invocation<'a>> {
        let ran = self.trail.control?;
        let (_, patch) = self.point(0)?;
        let patch = *self.trail.patches.get(patch)?;
        let invocations = ran.shader.setup.invocations.max(1) as usize;
        if number >= invocations { None } else { rerun(ran, patch, number) }
    }

    /// The tessellation evaluation shader and the point that is a corner of this, 0 to 2, or of the primitive that the
    /// geometry shader took; none where the draw has none.
    pub fn evaluation(&self, corner: usize) -> Option<Invocation<'a>> {
        let (point, patch) = self.point(corner)?;
        rerun(self.trail.eval?, patch, point)
    }

    /// The geometry shader and the primitive that it took, the invocation being the one that emitted this; none where the
    /// draw has none.
    pub fn geometry(&self) -> Option<Invocation<'a>> {
        let ran = self.trail.geometry?;
        let invocations = ran.shader.setup.invocations.max(1) as usize;
        let (invocation, _) = self.of.emitted;
        rerun(ran, invocation / invocations, invocation % invocations)
    }

    /// Which of the vertices that the [geometry shader](Self::geometry) emitted into stream 0 the corners are, from 0.
    pub fn emitted(&self) -> Option<[u32; 3]> {
        self.trail.geometry.map(|_| self.of.emitted.1)
    }

    /// A point of the run of the evaluation shader, and its patch there.
    fn point(&self, corner: usize) -> Option<(usize, usize)> {
        let point = *self.of.points.get(corner)?;
        let patch = self.trail.eval?.batch.primitives.get(point).copied().unwrap_or(0);
        Some((point, patch as usize))
    }
}

/// Runs an invocation of a primitive again.
fn rerun<'a>(ran: StageRun<'_, 'a>, primitive: usize, invocation: usize) -> Option<Invocation<'a>> {
    let (batch, lane) = primitive_again(ran, primitive, invocation)?;
    Some(Invocation { shader: ran.shader, batch, lane })
}

impl core::fmt::Debug for ShadingRerun<'_, '_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Again").field("instance", &self.instance).finish_non_exhaustive()
    }
}
