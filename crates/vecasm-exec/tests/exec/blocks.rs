//! Batches in blocks give what the whole gives.

use vecasm_exec::interp::Interp;
use vecasm_exec::runfile::blocks::{Blocks, Cut, Order, carry};
use vecasm_exec::runfile::{ResultForm, ResultText, RunFile, results_hex, results_json};
use vecasm_exec::{Batch, Engine, Fragments, Outputs, Triangle};
use vecasm_ir::ir::Shader;
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
