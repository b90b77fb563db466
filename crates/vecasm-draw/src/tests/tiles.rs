//! Drawing in tiles. All pictures of the other tests are drawn in tiles as well, by [`render`].

#![allow(clippy::unwrap_used, reason = "tests")]

use super::draw::Budget;
use super::scene::Scene;
use super::tests_places::Inline;
use super::tiles::{EngineChoice, Job, TilePlan, Workers};
use super::{Picture, RenderError};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::Cell;
use vecasm_exec::interp::Interp;
use vecasm_exec::{Batch, Engine, Outputs, RunError};
use vecasm_ir::ir::{Shader, Stage};

/// Workers who take the jobs in another order each time, and leave some of them.
struct Careless {
    count: usize,
    random: Cell<u32>,
    /// Jobs that were done.
    done: Cell<usize>,
}

impl Careless {
    fn new(count: usize) -> Self {
        Self { count, random: Cell::new(7), done: Cell::new(0) }
    }

    fn random(&self, n: usize) -> usize {
        let next = self.random.get().wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.random.set(next);
        (next >> 8) as usize % n.max(1)
    }
}

impl Workers for Careless {
    fn count(&self) -> usize {
        self.count
    }

    fn work(&self, mut jobs: Vec<Job<'_>>) {
        assert_eq!(jobs.len(), self.count);
        while !jobs.is_empty() {
            let job = jobs.swap_remove(self.random(jobs.len()));
            if self.random(8) > 0 {
                job();
                self.done.set(self.done.get() + 1);
            }
        }
    }
}

/// What drawing gives, and what it leaves of the budget.
type Drawn = (Result<Picture, RenderError>, Budget);

fn by(means: EngineChoice<'_>, scene: &Scene, mut budget: Budget) -> Drawn {
    (scene.render_by(means, &mut budget, None), budget)
}

/// The same in tiles, however little there is to draw.
fn in_tiles(workers: &Careless, rows: u32, scene: &Scene, budget: Budget) -> Drawn {
    by(EngineChoice::Tiles(TilePlan { engine: &Interp, workers, rows, fewest: 0 }), scene, budget)
}

/// Draws a scene in one piece and in tiles, and sees that both are the same.
pub(super) fn render(scene: &Scene, budget: Budget) -> Result<Picture, RenderError> {
    let whole = by(EngineChoice::Alone(&Interp), scene, budget);
    assert!(whole == in_tiles(&Careless::new(3), 8, scene, budget), "{whole:?}");
    whole.0
}

/// A vertex program for a place and a colour, and 60 triangles or so that are anywhere and overlap.
fn heap(random: &mut impl FnMut() -> f32, state: &str, fragment: &str, antialias: u32) -> Scene {
    let mut draws = Vec::new();
    for _ in 0..3 {
        let mut vertices = Vec::new();
        for _ in 0..60 {
            let w = 0.5 + random();
            let place: [f32; 2] = core::array::from_fn(|_| (random() * 2.6 - 1.3) * w);
            let color: [f32; 4] = core::array::from_fn(|_| random());
            let [[x, y], z] = [place, [random() * w; 2]];
            let [r, g, b, a] = color;
            vertices.push(format!("[{x}, {y}, {}, {w}, {r}, {g}, {b}, {a}]", z[0]));
        }
        draws.push(format!(
            r#"{{"mesh": {{"layout": ["float4", "float4"], "vertices": [{}]}}}}"#,
            vertices.join(", ")
        ));
    }
    let vertex = "vertex ir
  input 0 a attribute 0 : f32x4
  input 1 c attribute 1 : f32x4
  output 0 pos position
  output 1 color varying 0

  %0 = input a : f32x4
  store pos.xyzw %0
  %1 = input c : f32x4
  store color.xyzw %1
";
    let text = format!(
        r##"{{"size": [75, 89], "antialias": {antialias}, "background": "#406080", "vertex": {vertex:?},
            "fragment": {fragment:?}, "draws": [{}], {state}}}"##,
        draws.join(", ")
    );
    Scene::read(text.as_bytes(), &mut Inline, None).unwrap()
}

/// Shows how the colour changes; where it is dark there is nothing.
const CHANGES: &str = "fragment ir
  input 0 color varying 0 : f32x4
  output 0 o color 0

  %0 = input color : f32x4
  %1 = ddx.fine %0 : f32x4
  %2 = ddy.coarse %0 : f32x4
  %3 = const 8.0 8.0 8.0 8.0 : f32x4
  %4 = mul %1 %3 : f32x4
  %5 = mul %2 %3 : f32x4
  %6 = add %4 %0 : f32x4
  %7 = sub %6 %5 : f32x4
  %8 = const 0.3 : f32
  %9 = lt %0.x %8 : bool
  demote %9
  store o.xyzw %7
";

/// Reads a texture with the level that the colour asks for.
const TEXTURED: &str = "fragment ir
  input 0 color varying 0 : f32x4
  output 0 o color 0
  texture 0 s slot 0 2d

  %0 = input color : f32x4
  %1 = sample s %0.xy : f32x4
  store o.xyzw %1
";

#[test]
fn tiles_give_the_picture_of_one_piece() {
    let mut state = 5u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1u32 << 24) as f32
    };
    let budget = Budget { vertices: 100_000, fragments: 10_000_000 };
    let pattern =
        r#""textures": {"fs0": {"pattern": "checker", "size": 32}}, "samplers": {"fs0": {"wrap": "repeat"}}"#;
    for (state, fragment) in [
        (r#""blend": "alpha", "depth": false"#, CHANGES),
        (r#""blend": "alpha", "scissor": [3, 5, 60, 70]"#, CHANGES),
        (
            r#""stencil": {"reference": 1, "compare": "notEqual", "bothPass": "invert"}, "depth": false"#,
            CHANGES,
        ),
        (pattern, TEXTURED),
    ] {
        for antialias in [1, 2, 4] {
            let scene = heap(&mut random, state, fragment, antialias);
            let whole = by(EngineChoice::Alone(&Interp), &scene, budget);
            let shown = whole.0.as_ref().unwrap().rgba8.chunks(4).filter(|p| **p != [0x40, 0x60, 0x80, 255]);
            assert!(shown.count() > 1000, "{state}");
            for (count, rows) in [(2, 16), (3, 8), (5, 8), (40, 8), (2, 64)] {
                let workers = Careless::new(count);
                assert!(
                    whole == in_tiles(&workers, rows, &scene, budget),
                    "{state} {antialias} {count} {rows}"
                );
                assert!(workers.done.get() > 0);
            }
            // Bands that cut quads pay for them twice.
            assert!(whole != in_tiles(&Careless::new(3), 7, &scene, budget), "{state} {antialias}");
        }
    }
}

#[test]
fn budgets_end_at_the_same_place() {
    let mut state = 9u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1u32 << 24) as f32
    };
    let scene = heap(&mut random, r#""blend": "alpha""#, CHANGES, 1);
    let mut ended = 0;
    for fragments in (0..400_000).step_by(19_997) {
        let budget = Budget { vertices: 100_000, fragments };
        let whole = by(EngineChoice::Alone(&Interp), &scene, budget);
        ended += usize::from(whole.0.is_err());
        assert!(whole == in_tiles(&Careless::new(3), 8, &scene, budget), "{fragments}");
    }
    assert!((3..18).contains(&ended), "{ended}");
}

/// Runs no fragment shader.
struct Refusing;

impl Engine for Refusing {
    fn name(&self) -> &'static str {
        "refusing"
    }

    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        match shader.stage {
            Stage::Fragment => Err(RunError::Unsupported("fragments".into())),
            _ => Interp.run(shader, batch),
        }
    }
}

#[test]
fn refusals_are_the_same() {
    let scene = heap(&mut || 0.7, r#""depth": false"#, CHANGES, 1);
    let mut random = 0.0;
    let other = heap(
        &mut || {
            random = (random + 0.37) % 1.0;
            random
        },
        r#""depth": false"#,
        CHANGES,
        1,
    );
    for scene in [scene, other] {
        let budget = Budget { vertices: 10_000, fragments: 10_000_000 };
        let workers = Careless::new(3);
        let spread = TilePlan { engine: &Refusing, workers: &workers, rows: 8, fewest: 0 };
        assert_eq!(
            by(EngineChoice::Alone(&Refusing), &scene, budget),
            by(EngineChoice::Tiles(spread), &scene, budget)
        );
    }
}

#[test]
fn what_sees_other_invocations_is_not_cut() {
    let counter = "fragment ir
  output 0 o color 0 : u32
  buffer 0 counter slot 0 storage write

  %0 = const 0 : u32
  %1 = const 1 : u32
  %2 = atomic.add counter %0 %1 : u32
  store o.x %2
";
    let tiles = |text: &str| {
        let shader = vecasm_ir::ir::text::parse(text, "ir", &[]).map_err(|e| e.to_string()).unwrap();
        TilePlan::new(&Interp, &Careless::new(3)).tiles(&shader)
    };
    assert_eq!((tiles(CHANGES), tiles(counter)), (3, 1));
    let serial: String = CHANGES.replace("ir\n  input", "ir\n  serial\n  input");
    assert_eq!(tiles(&serial), 1);
}
