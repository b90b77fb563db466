//! Long batches in blocks: which shaders may be run so, and what goes from one block to the next.

use crate::interp::{in_quads, of_primitive};
use crate::{Batch, Fragments, Outputs};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Op, Shader, Stage};

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
        shader.body.for_each_inst(&mut |inst| stores |= leaves_something(inst.op));
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

/// Whether what the operation does is seen by invocations of later groups.
const fn leaves_something(op: Op) -> bool {
    matches!(
        op,
        Op::StoreMemory { .. }
            | Op::AtomicMemory { .. }
            | Op::StoreImage { .. }
            | Op::AtomicImage { .. }
            | Op::StoreParam { .. }
            | Op::StoreParamAt { .. }
    )
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;
    use crate::Triangle;
    use crate::interp::Interp;
    use crate::runfile::{ResultForm, ResultText, RunFile, results_hex, results_json};
    use alloc::string::String;
    use vecasm_ir::ir::text::parse;

    const DERIVATIVE: &str = "fragment test
  input 0 v varying 0 : f32x4
  output 0 o color 0

  %0 = input v : f32x4
  %1 = ddx.fine %0 : f32x4
  store o.xyzw %1
";
    const BALLOT: &str = "vertex test
  input 0 x attribute 0 : u32
  output 0 o varying 0 : u32

  %0 = input x : u32
  %1 = const 500 : u32
  %2 = lt %0 %1 : bool
  %3 = ballot %2 : u32x2
  store o.xy %3
";
    const CLOCK: &str = "vertex test
  output 0 o varying 0 : u32

  %0 = clock : u32x2
  %1 = clock : u32x2
  store o.xy %0
  store o.zw %1
";
    const SERIAL: &str = "vertex test
  serial
  input 0 v0 attribute 0 : f32x4
  output 0 o varying 0
  output 1 fog fog carried
  param 0 c size 192 used 1

  %0 = param c[0] : f32x4
  store o.x %0.x
  %1 = input v0 : f32x4
  %2 = add %0.x %1.x : f32
  store_param c[0].x %2
  %3 = const 0.0 : f32
  %4 = lt %3 %1.w : bool
  if %4 {
    store fog.x %1.w
  } else {
  }
";
    const COUNTER: &str = "fragment test
  output 0 o color 0 : u32
  buffer 0 counter slot 0 storage write

  %0 = const 0 : u32
  %1 = const 1 : u32
  %2 = atomic.add counter %0 %1 : u32
  store o.x %2
";

    const KILL: &str = "fragment test
  input 0 v varying 0 : f32x4
  output 0 o color 0

  %0 = input v : f32x4
  %1 = const 0.0 : f32
  %2 = lt %0.x %1 : bool
  demote %2
  store o.xyzw %0
";

    /// All of a batch in blocks of `size`.
    fn in_blocks(shader: &Shader, batch: &Batch<'_>, size: usize) -> Outputs {
        let mut all = Outputs::default();
        let cut = Cut::new(shader, batch);
        let mut block = cut.empty();
        for first in (0..batch.count).step_by(size) {
            cut.fill(&mut block, first, size);
            let outputs = Interp.run(shader, &block).unwrap();
            all.cells.resize(outputs.cells.len(), Vec::new());
            for (all, cell) in all.cells.iter_mut().zip(&outputs.cells) {
                all.extend(cell);
            }
            all.killed.extend(&outputs.killed);
            all.exhausted.extend(&outputs.exhausted);
            if Blocks::of(shader, batch.subgroup).order == Order::Submission {
                carry(shader, &outputs, &mut block);
            }
            let Outputs { params, carried, buffers, images, .. } = outputs;
            all = Outputs { params, carried, buffers, images, ..all };
        }
        all
    }

    #[test]
    fn blocks_give_what_the_whole_gives() {
        let cases = [
            (DERIVATIVE, Order::Any, 0, 4),
            (BALLOT, Order::Any, 0, 4),
            (BALLOT, Order::Any, 6, 12),
            (BALLOT, Order::Any, 7, 28),
            (BALLOT, Order::Any, 32, 32),
            (CLOCK, Order::Any, 0, 4),
            (SERIAL, Order::Submission, 0, 4),
            (COUNTER, Order::Submission, 0, 4),
        ];
        for (text, order, subgroup, multiple) in cases {
            let shader = parse(text, "test", &["c"]).unwrap();
            let blocks = Blocks::of(&shader, subgroup);
            assert_eq!(blocks, Blocks { order, multiple, quads: text == DERIVATIVE }, "{text}");
            let mut on = RunFile::random(&shader, 301, 1);
            on.subgroup = subgroup;
            let whole = Interp.run(&shader, &on.batch()).unwrap();
            for times in [1, 2, 7] {
                assert_eq!(in_blocks(&shader, &on.batch(), times * blocks.multiple), whole, "{text}");
            }
        }
    }

    /// What of each invocation stands beside its inputs goes into its block: targets, places in triangles, helpers.
    #[test]
    fn blocks_have_all_that_is_of_their_invocations() {
        let text = "fragment test
  input 0 v varying 0 : f32 linear
  output 0 o color 0

  %0 = input v : f32
  %1 = framebuffer 0 : f32x4
  %2 = ddx.fine %0 : f32
  %3 = interpolate.centroid v : f32
  %4 = compose %0 %1.y %2 %3 : f32x4
  store o.xyzw %4
  %5 = const 8.0 : f32
  %6 = lt %0 %5 : bool
  demote %6
";
        let shader = parse(text, "test", &[]).unwrap();
        let count = 41;
        let of = |n: usize, by: f32| (n as f32 * by).to_bits();
        let triangle = |by: f32| Triangle {
            corners: [[0.0, 0.0, 0.0, 1.0], [64.0, 0.0, 0.0, 1.0], [0.0, 64.0, 0.0, 1.0]],
            inputs: vec![[[0; 4], [of(64, by), 0, 0, 0], [of(64, 2.0 * by), 0, 0, 0]]],
        };
        let center = |n: usize| [(n / 4 * 2 + n % 2) as f32 + 0.5, (n / 2 % 2) as f32 + 0.5];
        let batch = Batch {
            count,
            framebuffer: vec![(0..count).map(|n| [0, of(n, 3.0), 0, 0]).collect()],
            fragments: Some(Fragments {
                triangles: vec![triangle(1.0), triangle(5.0)],
                triangle: (0..count).map(|n| u32::from(n / 4 % 3 == 1)).collect(),
                center: (0..count).map(center).collect(),
                centroid: (0..count).map(|n| center(n).map(|at| at + 0.25)).collect(),
                samples: 4,
                flat: false,
            }),
            helpers: (0..count).map(|n| n % 5 == 2).collect(),
            ..Batch::default()
        };
        let whole = Interp.run(&shader, &batch).unwrap();
        for size in [4, 12, 40] {
            assert_eq!(in_blocks(&shader, &batch, size), whole, "{size}");
        }
        // The second triangle, at (2.5, 0.5): 5 x + 10 y, and a quarter of a pixel on; its target.
        assert_eq!(whole.cells[0][4].map(f32::from_bits), [17.5, 12.0, 5.0, 21.25]);
    }

    /// The results of a batch in blocks of `size`, as text.
    fn text_of(shader: &Shader, batch: &Batch<'_>, size: usize, form: ResultForm) -> String {
        let all = in_blocks(shader, batch, batch.count);
        let (mut text, mut out) = (ResultText::new(shader, form), String::new());
        for first in (0..batch.count).step_by(size) {
            let end = (first + size).min(batch.count);
            let block = Outputs {
                cells: all.cells.iter().map(|cell| cell[first..end].to_vec()).collect(),
                killed: all.killed[first..end].to_vec(),
                exhausted: all.exhausted[first..end].to_vec(),
                ..Outputs::default()
            };
            out += &text.rows(first, &block);
            text.note(&block);
        }
        text.end(&all, &mut out).unwrap();
        out
    }

    #[test]
    fn results_of_blocks_are_the_text_of_the_whole() {
        for text in [DERIVATIVE, SERIAL, COUNTER, KILL] {
            let shader = parse(text, "test", &["c"]).unwrap();
            let on = RunFile::random(&shader, 203, 1);
            let whole = Interp.run(&shader, &on.batch()).unwrap();
            for size in [4, 64, 100, 203] {
                let of = |form| text_of(&shader, &on.batch(), size, form);
                assert_eq!(of(ResultForm::Json), results_json(&shader, &whole), "{text}");
                assert_eq!(of(ResultForm::Hex), results_hex(&shader, &whole), "{text}");
            }
            assert_eq!(whole.killed.contains(&true), text == KILL);
        }
    }

    #[test]
    fn inputs_that_are_made_up_do_not_depend_on_blocks() {
        for text in [DERIVATIVE, BALLOT, SERIAL] {
            let shader = parse(text, "test", &["c"]).unwrap();
            let whole = RunFile::random(&shader, 203, 5);
            for size in [1, 64, 1000] {
                let (mut on, mut random) = RunFile::random_in_blocks(&shader, 203, 5);
                // Fragments that look at their neighbours are whole quads.
                assert_eq!((on.count, random.rest()), (0, if text == DERIVATIVE { 204 } else { 203 }));
                let mut block = Vec::new();
                loop {
                    let count = random.next(&shader, size, &mut block);
                    on.count += count;
                    on.inputs.iter_mut().zip(&block).for_each(|(all, list)| all.extend(list));
                    if count == 0 {
                        break;
                    }
                }
                assert_eq!(on, whole, "{text}");
            }
        }
    }

    #[test]
    fn a_place_in_the_grid_needs_the_grid() {
        let text = "compute test\n  setup workgroup=64,1,1\n\n";
        let shader = parse(text, "test", &[]).unwrap();
        assert_eq!(Blocks::of(&shader, 0).order, Order::Whole);
    }
}
