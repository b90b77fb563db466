//! Long batches in blocks: which shaders may be run so, and what goes from one block to the next.

use crate::interp::{in_quads, of_primitive};
use crate::{Batch, Fragments, Outputs};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Shader, Stage};

/// Invocations of a block, or somewhat fewer: enough to keep an engine busy, and few in memory.
const SIZE: usize = 16_384;

/// How the blocks of a batch may follow one another, so that they give what the whole batch gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In any order, at the same time, too: no block sees another.
    Any,
    /// One after the other; each starts with what [`carry`] takes from the one before.
    Submission,
    /// Not at all: all invocations are one batch. What invocations are told depends on their place in it.
    Whole,
}

/// How a shader is run in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// How they may follow one another.
    pub order: Order,
    /// The number of invocations of each block but the last one is a multiple of this: whole quads and subgroups.
    pub multiple: usize,
    /// Whether the invocations of the shader see those of their quad.
    pub quads: bool,
}

impl Blocks {
    /// How a shader is run in blocks, with subgroups of `subgroup` invocations (0 stands for 4).
    pub fn of(shader: &Shader, subgroup: u32) -> Self {
        let mut stores = shader.serial;
        shader.body.for_each_inst(&mut |inst| stores |= inst.op.writes_outside());
        let order = match shader.stage {
            Stage::Compute | Stage::Geometry | Stage::TessControl | Stage::TessEval => Order::Whole,
            Stage::Vertex | Stage::Fragment if stores => Order::Submission,
            Stage::Vertex | Stage::Fragment => Order::Any,
        };
        let subgroup = (subgroup as usize).clamp(1, 64);
        // The least common multiple with a quad.
        let multiple = (1..=4).map(|n| n * subgroup).find(|n| n % 4 == 0).unwrap_or(4);
        Self { order, multiple, quads: in_quads(shader) }
    }

    /// How many invocations a block has: enough to keep an engine busy, and few enough for several blocks in memory.
    pub fn size(&self) -> usize {
        let multiple = self.multiple.max(1);
        (SIZE / multiple).max(1) * multiple
    }
}

/// A batch of vertices or fragments, to be taken apart into blocks.
#[derive(Clone, Debug)]
pub struct Cut<'c, 'a> {
    whole: &'c Batch<'a>,
    /// For each input, whether every invocation has its own.
    each: Vec<bool>,
}

impl<'c, 'a> Cut<'c, 'a> {
    /// A batch that a shader runs on.
    pub fn new(shader: &Shader, whole: &'c Batch<'a>) -> Self {
        let each = shader.inputs.iter().map(|input| !of_primitive(input, shader.stage)).collect();
        Self { whole, each }
    }

    fn is_of_invocations(&self, input: usize) -> bool {
        self.each.get(input).is_none_or(|each| *each)
    }

    /// A block without invocations, with all that blocks share.
    pub fn empty(&self) -> Batch<'a> {
        let whole = self.whole;
        let inputs = whole.inputs.iter().enumerate();
        Batch {
            count: 0,
            inputs: inputs
                .map(|(at, list)| if self.is_of_invocations(at) { Vec::new() } else { list.clone() })
                .collect(),
            primitives: Vec::new(),
            params: whole.params.clone(),
            states: whole.states.clone(),
            textures: whole.textures.clone(),
            buffers: whole.buffers.clone(),
            images: whole.images.clone(),
            handles: whole.handles.clone(),
            framebuffer: vec![Vec::new(); whole.framebuffer.len()],
            fragments: whole.fragments.as_ref().map(|fragments| Fragments {
                triangles: fragments.triangles.clone(),
                triangle: Vec::new(),
                center: Vec::new(),
                centroid: Vec::new(),
                samples: fragments.samples,
                flat: fragments.flat,
            }),
            carried: whole.carried.clone(),
            grid: whole.grid,
            workgroup: whole.workgroup,
            vertices_in: whole.vertices_in,
            subgroup: whole.subgroup,
            helpers: Vec::new(),
            fuel: whole.fuel,
        }
    }

    /// Puts `count` invocations into a block, from number `first` on: a [multiple](Blocks::multiple). What blocks share, or one
    /// has left for the next, stays.
    pub fn fill(&self, block: &mut Batch<'a>, first: usize, count: usize) {
        fn some<T: Clone>(to: &mut Vec<T>, from: &[T], first: usize, count: usize) {
            to.clear();
            to.extend(from.iter().skip(first).take(count).cloned());
        }
        let whole = self.whole;
        block.count = count.min(whole.count.saturating_sub(first));
        for (at, (to, from)) in block.inputs.iter_mut().zip(&whole.inputs).enumerate() {
            if self.is_of_invocations(at) {
                some(to, from, first, block.count);
            }
        }
        for (to, from) in block.framebuffer.iter_mut().zip(&whole.framebuffer) {
            some(to, from, first, block.count);
        }
        if let (Some(to), Some(from)) = (&mut block.fragments, &whole.fragments) {
            some(&mut to.triangle, &from.triangle, first, block.count);
            some(&mut to.center, &from.center, first, block.count);
            some(&mut to.centroid, &from.centroid, first, block.count);
        }
        some(&mut block.helpers, &whole.helpers, first, block.count);
    }
}

/// Takes what a block has left into the batch of the next one: parameters and carried cells of serial shaders, buffers,
/// images.
pub fn carry(shader: &Shader, outputs: &Outputs, next: &mut Batch<'_>) {
    if shader.serial {
        next.params.clone_from(&outputs.params);
        next.carried.clone_from(&outputs.carried);
    }
    next.buffers.clone_from(&outputs.buffers);
    next.images.clone_from(&outputs.images);
}
