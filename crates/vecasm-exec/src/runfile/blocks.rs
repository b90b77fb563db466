//! Long batches in blocks: which shaders may be run so, and what goes from one block to the next.

use crate::interp::in_quads;
use crate::{Batch, Outputs};
use vecasm_ir::ir::{Op, Shader, Stage};

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
    use crate::interp::Interp;
    use crate::runfile::{ResultForm, ResultText, RunFile, results_hex, results_json};
    use alloc::string::String;
    use alloc::vec::Vec;
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
        let mut block = batch.clone();
        for first in (0..batch.count).step_by(size) {
            block.count = size.min(batch.count - first);
            block.inputs = batch
                .inputs
                .iter()
                .map(|list| list.iter().skip(first).take(block.count).copied().collect::<Vec<_>>())
                .collect();
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
