//! Stages that see the vertices of a primitive or patch: who has which input, and made-up primitives.

use super::random::SplitMix;
use crate::MAX_INVOCATIONS;
use alloc::vec::Vec;
use vecasm_ir::ir::{Input, InputKind, Primitive, Shader, Stage, System};

/// Vertices of a patch that is made up, where the program leaves their number open.
const PATCH: u32 = 3;
/// Invocations of the tessellation evaluation stage for each patch that is made up.
const POINTS: usize = 4;

/// Who has an input in the stages with vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Each vertex of each primitive or patch.
    Vertex,
    /// Each primitive or patch.
    Primitive,
    /// Each invocation.
    Invocation,
    /// Nobody: the engine knows it.
    Engine,
}

/// The key of a run file that has primitives or patches.
#[cfg(feature = "files")]
pub(super) const fn list_of(stage: Stage) -> Option<&'static str> {
    match stage {
        Stage::Geometry => Some("primitives"),
        Stage::TessControl | Stage::TessEval => Some("patches"),
        _ => None,
    }
}

/// Who has an input of a stage with vertices.
pub(super) const fn owner(input: &Input) -> Owner {
    match input.kind {
        InputKind::Varying { .. } => Owner::Vertex,
        InputKind::PatchVarying { .. }
        | InputKind::System(
            System::PrimitiveIndex
            | System::TessOuter
            | System::TessInner
            | System::TessDefaultOuter
            | System::TessDefaultInner,
        ) => Owner::Primitive,
        InputKind::System(
            System::InvocationIndex | System::VerticesIn | System::SubgroupSize | System::SubgroupIndex,
        ) => Owner::Engine,
        InputKind::Attribute { .. } | InputKind::System(_) => Owner::Invocation,
    }
}

/// What is made up for a stage with vertices.
pub(super) struct MadeUp {
    pub(super) count: usize,
    pub(super) inputs: Vec<Vec<[u32; 4]>>,
    pub(super) primitives: Vec<u32>,
    pub(super) vertices_in: u32,
}

/// Whole primitives or patches, so that there are `count` invocations at least, if that is not more than an engine takes.
pub(super) fn random(shader: &Shader, count: usize, random: &mut SplitMix) -> MadeUp {
    let setup = &shader.setup;
    let (count, primitives) = if shader.stage == Stage::TessEval {
        (count, count.div_ceil(POINTS))
    } else {
        let each = setup.invocations.max(1) as usize;
        let primitives = count.div_ceil(each).min(MAX_INVOCATIONS / each);
        (primitives * each, primitives)
    };
    let open = setup.vertices_in == 0;
    let vertices = if open { PATCH } else { setup.vertices_in } as usize;
    let mut inputs: Vec<Vec<[u32; 4]>> = shader.inputs.iter().map(|_| Vec::new()).collect();
    for (input, list) in shader.inputs.iter().zip(&mut inputs) {
        let values = match owner(input) {
            Owner::Vertex => primitives * vertices,
            Owner::Primitive => primitives,
            Owner::Invocation => count,
            Owner::Engine => 0,
        };
        for i in 0..values {
            let one_in = if i % 8 < 4 { 0 } else { 4 };
            list.push(match input.kind {
                InputKind::System(System::PrimitiveIndex) => [i as u32, 0, 0, 0],
                InputKind::System(System::TessCoord) => place(setup.primitive_in, random),
                InputKind::System(
                    System::TessOuter
                    | System::TessInner
                    | System::TessDefaultOuter
                    | System::TessDefaultInner,
                ) => {
                    let lanes = usize::from(input.ty.lanes);
                    core::array::from_fn(|lane| {
                        if lane < lanes { (1.0 + random.below(64) as f32 / 8.0).to_bits() } else { 0 }
                    })
                }
                _ => random.of_type(input.ty, one_in),
            });
        }
    }
    let primitives = match shader.stage {
        Stage::TessEval => (0..count).map(|i| (i / POINTS) as u32).collect(),
        _ => Vec::new(),
    };
    let vertices_in = match (open, count) {
        (false, _) => 0,
        (true, 0) => 1,
        (true, _) => PATCH,
    };
    MadeUp { count, inputs, primitives, vertices_in }
}

/// A place in a patch: in eighths, so that the sum of those in a triangle is exact.
fn place(of: Primitive, random: &mut SplitMix) -> [u32; 4] {
    let u = random.below(9);
    let v = random.below(if of == Primitive::Triangles { 9 - u } else { 9 });
    let w = if of == Primitive::Triangles { 8 - u - v } else { 0 };
    let part = |eighths: u64| (eighths as f32 / 8.0).to_bits();
    [part(u), part(v), part(w), 0]
}
