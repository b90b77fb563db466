//! Points, lines, patches and the stages between the vertex and the fragment stage. Shaders are in the text form of the IR;
//! what each pixel has to be follows from the rules of scenes.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::Picture;
use super::draw::Budget;
use super::scene::Scene;
use super::tests_places::Inline;
use super::tests_tiles::render;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_exec::Engine as _;
use vecasm_exec::interp::Interp;

const BUDGET: Budget = Budget { vertices: 20_000, fragments: 100_000 };

/// Gives its position, and attribute 1 as varying 0.
const VERTEX: &str = "vertex ir
  input 0 a attribute 0 : f32x4
  input 1 c attribute 1 : f32x4
  output 0 pos position semantic=POSITION
  output 1 color varying 0

  %0 = input a : f32x4
  store pos.xyzw %0
  %1 = input c : f32x4
  store color.xyzw %1
";

/// Shows varying 0.
const FRAGMENT: &str = "fragment ir
  input 0 color varying 0 : f32x4
  output 0 o color 0

  %0 = input color : f32x4
  store o.xyzw %0
";

/// A quarter of white, to be added up.
const QUARTER: &str = "fragment ir
  output 0 o color 0

  %0 = const 0.25 0.25 0.25 1.0 : f32x4
  store o.xyzw %0
";

/// A scene without samples of `side` × `side` pixels; vertices are places in pixels with a colour.
fn scene(side: u32, vertices: &[([f64; 2], [f32; 3])], rest: &str) -> String {
    let vertex = |([x, y], [r, g, b]): &([f64; 2], [f32; 3])| {
        let half = f64::from(side) / 2.0;
        format!("[{}, {}, 0.5, 1, {r}, {g}, {b}, 1]", x / half - 1.0, 1.0 - y / half)
    };
    let vertices: Vec<String> = vertices.iter().map(vertex).collect();
    format!(
        r#"{{"size": {side}, "antialias": 1, "vertex": {VERTEX:?}, "mesh":
            {{"layout": ["float4", "float4"], "vertices": [{}]}}, {rest}}}"#,
        vertices.join(", ")
    )
}

fn try_draw(scene: &str) -> Result<Picture, String> {
    let scene = Scene::read(scene.as_bytes(), &mut Inline, None).map_err(|e| e.to_string())?;
    render(&scene, BUDGET).map_err(|e| e.to_string())
}

fn draw(scene: &str) -> Picture {
    try_draw(scene).unwrap()
}

/// One channel of each pixel, row by row.
fn channel(picture: &Picture, which: usize) -> Vec<Vec<u8>> {
    let row = |row: &[u8]| row.chunks(4).map(|pixel| pixel[which]).collect();
    picture.rgba8.chunks(picture.width as usize * 4).map(row).collect()
}

const WHITE: [f32; 3] = [1.0; 3];

fn line(side: u32, from: [f64; 2], to: [f64; 2]) -> Vec<Vec<u8>> {
    let rest = format!(r#""fragment": {FRAGMENT:?}, "primitive": "lines""#);
    channel(&draw(&scene(side, &[(from, WHITE), (to, WHITE)], &rest)), 0)
}

#[test]
fn a_point_is_a_square() {
    // From 1 to 3 in both directions: the centres 1.5 and 2.5.
    let rest = format!(r#""fragment": {FRAGMENT:?}, "primitive": "points", "point_size": 2"#);
    let picture = draw(&scene(4, &[([2.0, 2.0], WHITE)], &rest));
    assert_eq!(channel(&picture, 0), [[0; 4], [0, 255, 255, 0], [0, 255, 255, 0], [0; 4]]);
    // One of one pixel, at a centre: from 0.5 − 0.5 to 0.5 + 0.5.
    let rest = format!(r#""fragment": {FRAGMENT:?}, "primitive": "points""#);
    let picture = draw(&scene(4, &[([0.5, 3.5], WHITE)], &rest));
    assert_eq!(channel(&picture, 0), [[0; 4], [0; 4], [0; 4], [255, 0, 0, 0]]);
    for size in ["0", "-1"] {
        let rest = format!(r#""fragment": {FRAGMENT:?}, "primitive": "points", "point_size": {size}"#);
        assert_eq!(channel(&draw(&scene(4, &[([2.0, 2.0], WHITE)], &rest)), 0), [[0; 4]; 4]);
    }
}

#[test]
fn the_place_in_a_point_runs_from_the_left_top() {
    let fragment = "fragment ir
  input 0 place point-coord : f32x2
  output 0 o color 0

  %0 = input place : f32x2
  store o.xy %0
";
    let rest = format!(r#""fragment": {fragment:?}, "primitive": "points", "point_size": 4"#);
    let picture = draw(&scene(4, &[([2.0, 2.0], WHITE)], &rest));
    // (i + 0.5) / 4 · 255, rounded.
    let places = [32u8, 96, 159, 223];
    assert_eq!(channel(&picture, 0), [places; 4]);
    assert_eq!(channel(&picture, 1), places.map(|y| [y; 4]));
}

#[test]
fn a_thin_line_leaves_out_its_last_pixel() {
    assert_eq!(line(4, [0.5, 0.5], [3.5, 0.5])[0], [255, 255, 255, 0]);
    assert_eq!(line(4, [3.5, 0.5], [0.5, 0.5])[0], [0, 255, 255, 255]);
    // A quarter below the centres diamonds are half as wide: it begins right of that of pixel 0, and ends left of that of 2.
    assert_eq!(line(4, [0.875, 0.75], [2.125, 0.75])[0], [0, 255, 0, 0]);
    // It begins and ends in one diamond.
    assert_eq!(line(4, [1.4, 0.5], [1.6, 0.5])[0], [0, 0, 0, 0]);
}

#[test]
fn a_thin_line_between_centres_has_one_pixel_a_step() {
    // Along the longer axis each step has the pixel that the line passes nearest to; on the border between two, ε and ε² decide:
    // the line moves by ε against both axes, so down a slope it comes later to the same place.
    const SIDE: i64 = 6;
    for to in 0..SIDE * SIDE {
        let (from, to) = ([2, 3], [to % SIDE, to / SIDE]);
        let (dx, dy): (i64, i64) = (to[0] - from[0], to[1] - from[1]);
        let mut wanted = vec![vec![0u8; SIDE as usize]; SIDE as usize];
        let wide = dx.abs() >= dy.abs();
        let (major, minor) = if wide { (dx, dy) } else { (dy, dx) };
        for step in 0..major.abs() {
            // minor · step / |major| beyond the first pixel, to nearest; twice that over 2 |major|.
            let over = 2 * minor * step + major.abs();
            let mut at = over.div_euclid(2 * major.abs());
            if over.rem_euclid(2 * major.abs()) == 0 {
                // On a border. Along x the line moves left by ε: where it rises with x it is farther up its slope at the same x.
                // Along y it moves left by ε itself, and ε² up counts for nothing.
                let grows = if wide { minor.signum() * major.signum() > 0 } else { false };
                if !grows {
                    at -= 1;
                }
            }
            let along = step * major.signum();
            let (x, y) = if wide { (from[0] + along, from[1] + at) } else { (from[0] + at, from[1] + along) };
            wanted[y as usize][x as usize] = 255;
        }
        let centre = |p: [i64; 2]| p.map(|c| c as f64 + 0.5);
        let got = line(SIDE as u32, centre(from), centre(to));
        assert_eq!(got, wanted, "from {from:?} to {to:?}");
    }
}

#[test]
fn lines_of_a_strip_meet_in_one_pixel() {
    // Around a square: the pixels of its four corners are drawn once.
    let corners = [[0.5, 0.5], [3.5, 0.5], [3.5, 3.5], [0.5, 3.5], [0.5, 0.5]].map(|at| (at, WHITE));
    let rest = format!(
        r#""fragment": {QUARTER:?}, "primitive": "line-strip", "blend": ["one", "one"], "depth": false"#
    );
    let picture = draw(&scene(4, &corners, &rest));
    let full = [64; 4];
    assert_eq!(channel(&picture, 0), [full, [64, 0, 0, 64], [64, 0, 0, 64], full]);
}

#[test]
fn a_wide_line_is_a_rectangle() {
    let rest = format!(r#""fragment": {FRAGMENT:?}, "primitive": "lines", "line_width": 2"#);
    let picture = draw(&scene(4, &[([1.0, 2.0], [0.0, 0.0, 0.0]), ([3.0, 2.0], [1.0, 1.0, 1.0])], &rest));
    // Rows 1 and 2, columns 1 and 2; a quarter and three of the way along: 63.75 and 191.25.
    assert_eq!(channel(&picture, 0), [[0; 4], [0, 64, 191, 0], [0, 64, 191, 0], [0; 4]]);
    // With samples so is one of width 1: the upper half of row 2 and the lower half of row 1 have two samples each.
    let thin = scene(4, &[([1.0, 2.0], WHITE), ([3.0, 2.0], WHITE)], &rest);
    let thin = thin.replace(r#""line_width": 2"#, r#""line_width": 1"#);
    let thin = thin.replace(r#""antialias": 1"#, r#""antialias": 4"#);
    assert_eq!(channel(&draw(&thin), 0), [[0; 4], [0, 128, 128, 0], [0, 128, 128, 0], [0; 4]]);
}

/// The same square of two triangles in several ways.
#[test]
fn primitives_are_assembled() {
    let [a, b, c, d] = [([0.5, 0.5], WHITE), ([3.5, 0.5], WHITE), ([0.5, 3.5], WHITE), ([3.5, 3.5], WHITE)];
    let far = ([1.0, 1.0], WHITE);
    let with = |kind: &str, vertices: &[([f64; 2], [f32; 3])]| {
        let rest = format!(r#""fragment": {FRAGMENT:?}, "primitive": "{kind}", "cull": "back""#);
        channel(&draw(&scene(4, vertices, &rest)), 0)
    };
    let square = with("triangles", &[a, b, c, c, b, d]);
    assert_eq!(square[0], [255, 255, 255, 0]);
    // The second triangle of a strip goes round as the first one does, or it would be culled.
    assert_eq!(with("triangle-strip", &[a, b, c, d]), square);
    assert_eq!(with("quads", &[a, b, d, c]), square);
    assert_eq!(with("triangles-adjacency", &[a, far, b, far, c, far, c, far, b, far, d, far]), square);
    assert_eq!(with("lines-adjacency", &[far, a, b, far])[0], [255, 255, 255, 0]);
}

/// Two invocations for each point: a square of one pixel at the point, or two to the right of it. The colour says which
/// invocation and which primitive it was; the other stream is not drawn.
const GEOMETRY: &str = "geometry ir
  setup vertices-in=1 invocations=2 in=points out=triangle-strip max-vertices=5
  input 0 at varying 9 : f32x4 semantic=POSITION
  input 1 number primitive-index : u32
  input 2 which invocation-index : u32
  output 0 pos position
  output 1 color varying 0
  output 2 id primitive-index : u32
  output 3 lost varying 3 streams=1,1,1,1

  %0 = const 0 : i32
  %1 = input_of at %0 : f32x4
  %2 = input which : u32
  %3 = to_f32 %2 : f32
  %4 = const 1.0 1.0 1.0 1.0 : f32x4
  %5 = input number : u32
  %6 = const 7 : u32
  %7 = add %5 %6 : u32
  %8 = const -0.25 0.25 0.0 0.0 : f32x4
  %9 = const 0.25 0.25 0.0 0.0 : f32x4
  %10 = const -0.25 -0.25 0.0 0.0 : f32x4
  %11 = const 0.25 -0.25 0.0 0.0 : f32x4
  %12 = mul %3 %4.x : f32
  %13 = const 0.0 : f32
  %14 = compose %12 %13 %13 %13 : f32x4
  %15 = add %1 %14 : f32x4
  %16 = add %15 %8 : f32x4
  %17 = add %15 %9 : f32x4
  %18 = add %15 %10 : f32x4
  %19 = add %15 %11 : f32x4
  store lost.xyzw %4
  emit_vertex 1
  store pos.xyzw %16
  store color.xyzw %3.xxxx
  store id.x %7
  emit_vertex 0
  store pos.xyzw %17
  store color.xyzw %3.xxxx
  store id.x %7
  emit_vertex 0
  store pos.xyzw %18
  store color.xyzw %3.xxxx
  store id.x %7
  emit_vertex 0
  store pos.xyzw %19
  store color.xyzw %3.xxxx
  store id.x %7
  emit_vertex 0
";

/// The number of the primitive over 16 in red, whether it is of the second invocation in green.
const NUMBERS: &str = "fragment ir
  input 0 color varying 0 : f32x4
  input 1 id primitive-index : u32
  output 0 o color 0

  %0 = input color : f32x4
  %1 = input id : u32
  %2 = to_f32 %1 : f32
  %3 = const 0.0625 : f32
  %4 = mul %2 %3 : f32
  store o.x %4
  store o.y %0.x
";

#[test]
fn a_geometry_program_makes_squares_of_points() {
    let rest = format!(
        r#""geometry": {GEOMETRY:?}, "fragment": {NUMBERS:?}, "primitive": "points", "cull": "back""#
    );
    let text = scene(4, &[([0.5, 0.5], WHITE), ([1.5, 2.5], WHITE)], &rest);
    let picture = draw(&text);
    // Primitives 0 and 1, and the program adds 7: 7/16 · 255 = 111.6 and 8/16 · 255 = 127.5. The second square is 2 pixels on.
    assert_eq!(channel(&picture, 0), [[112, 0, 112, 0], [0; 4], [0, 128, 0, 128], [0; 4]]);
    assert_eq!(channel(&picture, 1), [[0, 0, 255, 0], [0; 4], [0, 0, 0, 255], [0; 4]]);

    // A pixel tells what it came from: point 1 of the draw, vertex 1 of the buffer. Each point makes four triangles, and the
    // centre of the square lies on the left edge of its second one.
    let scene = Scene::read(text.as_bytes(), &mut Inline, None).unwrap();
    let mut vertex = None;
    let mut emitted = None;
    let mut each = |_: &super::pick::Shading, again: &super::pick::ShadingRerun<'_, '_>| {
        vertex = again.vertex(0).map(|of| of.batch.inputs[0][of.lane].map(f32::from_bits));
        assert!(again.control(0).is_none() && again.evaluation(0).is_none());
        emitted = again.geometry().zip(again.emitted()).map(|(of, corners)| {
            let done = Interp.run(of.shader, &of.batch).unwrap();
            let own: Vec<_> = done.streams[0].iter().filter(|e| e.invocation as usize == of.lane).collect();
            // The number that the program gives to each vertex, which is that of the primitive and 7.
            (of.lane, of.batch.count, corners, own[0].vertices.len(), own[0].vertices[0][2][0])
        });
    };
    let (again, history) = scene.pick(&Interp, BUDGET, (3, 2), None, &mut each).unwrap();
    assert_eq!(again, picture);
    let shading = history.made_by().unwrap();
    assert_eq!((shading.primitive, shading.vertices, shading.triangle), (1, [1; 3], 7));
    assert!(shading.made);
    assert_eq!(vertex, Some([-0.25, -0.25, 0.5, 1.0]));
    // The second of two invocations gave the square, and its second triangle is that of vertices 1, 3 and 2.
    assert_eq!(emitted, Some((1, 2, [1, 3, 2], 4, 8)));
}

/// One patch of four corners (left top, right top, left bottom, right bottom) as a quad; the colour is (u, v, what the
/// patch has in common, the level of its side u = 0 over 8).
const EVALUATION: &str = "tess-eval ir
  setup vertices-in=4 in=quads
  input 0 at varying 9 : f32x4 semantic=POSITION
  input 1 place tess-coord : f32x3
  input 2 levels tess-outer : f32x4
  input 3 common patch-varying 0 : f32x4
  input 4 number primitive-index : u32
  output 0 pos position
  output 1 color varying 0

  %0 = const 0 : i32
  %1 = const 1 : i32
  %2 = const 2 : i32
  %3 = const 3 : i32
  %4 = input_of at %0 : f32x4
  %5 = input_of at %1 : f32x4
  %6 = input_of at %2 : f32x4
  %7 = input_of at %3 : f32x4
  %8 = input place : f32x3
  %9 = sub %5 %4 : f32x4
  %10 = mul %9 %8.xxxx : f32x4
  %11 = add %4 %10 : f32x4
  %12 = sub %7 %6 : f32x4
  %13 = mul %12 %8.xxxx : f32x4
  %14 = add %6 %13 : f32x4
  %15 = sub %14 %11 : f32x4
  %16 = mul %15 %8.yyyy : f32x4
  %17 = add %11 %16 : f32x4
  store pos.xyzw %17
  store color.xy %8.xy
  %18 = input common : f32x4
  store color.z %18.x
  %19 = input levels : f32x4
  %20 = const 0.125 : f32
  %21 = mul %19.x %20 : f32
  store color.w %21
";

/// Passes the corners on; patch 0 is divided by 4, and has 1 in common.
const CONTROL: &str = "tess-control ir
  setup vertices-in=4 invocations=4
  input 0 at varying 9 : f32x4 semantic=POSITION
  input 1 which invocation-index : u32
  output 0 pos position semantic=POSITION
  output 1 common patch-varying 0
  output 2 outer tess-outer
  output 3 inner tess-inner

  %0 = input which : u32
  %1 = as_i32 %0 : i32
  %2 = input_of at %1 : f32x4
  store pos.xyzw %2
  %3 = const 1.0 : f32
  store common.x %3
  %4 = const 4.0 4.0 4.0 4.0 : f32x4
  store outer.xyzw %4
  store inner.xy %4.xy
";

const CORNERS: [([f64; 2], [f32; 3]); 4] =
    [([0.0, 0.0], WHITE), ([4.0, 0.0], WHITE), ([0.0, 4.0], WHITE), ([4.0, 4.0], WHITE)];

/// Shows varying 0 with its last lane as red.
const LEVEL: &str = "fragment ir
  input 0 color varying 0 : f32x4
  output 0 o color 0

  %0 = input color : f32x4
  store o.x %0.w
";

fn patches(rest: &str) -> String {
    scene(
        4,
        &CORNERS,
        &format!(r#""tess_eval": {EVALUATION:?}, "primitive": "patches", "patch_vertices": 4, {rest}"#),
    )
}

#[test]
fn a_patch_is_divided() {
    // u and v at the centres: (i + 0.5) / 4 · 255, with and without a control program, however finely it is divided.
    let places = [32u8, 96, 159, 223];
    for levels in ["1", "3", "[1, 2.5, 5, 64]"] {
        let rest = format!(r#""fragment": {FRAGMENT:?}, "levels": {{"outer": {levels}, "inner": [3, 7]}}"#);
        let picture = draw(&patches(&rest));
        assert_eq!(channel(&picture, 0), [places; 4]);
        assert_eq!(channel(&picture, 1), places.map(|y| [y; 4]));
        // Nobody writes what patches have in common.
        assert_eq!(channel(&picture, 2), [[0; 4]; 4]);
    }
    let picture = draw(&patches(&format!(r#""fragment": {FRAGMENT:?}, "tess_control": {CONTROL:?}"#)));
    assert_eq!(channel(&picture, 0), [places; 4]);
    assert_eq!(channel(&picture, 2), [[255; 4]; 4]);
    // The levels come from the control program (4/8), or else from the draw (3/8 · 255 = 95.6).
    let picture = draw(&patches(&format!(r#""fragment": {LEVEL:?}, "tess_control": {CONTROL:?}"#)));
    assert_eq!(channel(&picture, 0), [[128; 4]; 4]);
    let picture = draw(&patches(&format!(r#""fragment": {LEVEL:?}, "levels": {{"outer": 3}}"#)));
    assert_eq!(channel(&picture, 0), [[96; 4]; 4]);
}

#[test]
fn patches_with_bad_levels_are_discarded() {
    for level in ["0", "-1", "[1, 1, 1, 0]"] {
        let rest = format!(r#""fragment": {FRAGMENT:?}, "levels": {{"outer": {level}}}"#);
        assert_eq!(channel(&draw(&patches(&rest)), 0), [[0; 4]; 4]);
    }
    let nan = CONTROL.replace("%4 = const 4.0 4.0", "%4 = const 4.0 0x7fc00000");
    assert_ne!(nan, CONTROL);
    let rest = format!(r#""fragment": {FRAGMENT:?}, "tess_control": {nan:?}"#);
    assert_eq!(channel(&draw(&patches(&rest)), 0), [[0; 4]; 4]);
}

#[test]
fn points_and_lines_of_a_patch() {
    // Level 2 has 3 × 3 points, at 0, 2 and 4 pixels. One around 0 covers [−0.5, 0.5), which has no centre of the picture.
    let points = EVALUATION.replace("in=quads", "in=quads points");
    let rest = format!(r#""fragment": {FRAGMENT:?}, "levels": {{"outer": 2, "inner": 2}}"#);
    let picture = draw(&patches(&rest).replace(&format!("{EVALUATION:?}"), &format!("{points:?}")));
    // Around 2 it covers [1.5, 2.5): the centre 1.5; around 4 that of 3.5. u there is that of the point: 0.5 and 1.
    let (none, some) = ([0, 0, 0, 0], [0, 128, 0, 255]);
    assert_eq!(channel(&picture, 0), [none, some, none, some]);
    // Two isolines, at v = 0 and 1/2, that is y = 0 and y = 2 …
    let lines = EVALUATION.replace("in=quads", "in=lines");
    let rest = format!(r#""fragment": {FRAGMENT:?}, "levels": {{"outer": [2, 3]}}, "line_width": 2"#);
    let picture = draw(&patches(&rest).replace(&format!("{EVALUATION:?}"), &format!("{lines:?}")));
    // … two pixels wide: y from −1 to 1 and from 1 to 3, each with its own v.
    assert_eq!(channel(&picture, 1), [[0; 4], [128; 4], [128; 4], [0; 4]]);
    assert_eq!(channel(&picture, 0)[1], [32, 96, 159, 223]);
}

#[test]
fn all_five_stages() {
    // The geometry program takes the triangles of the patch and colours them by the number of the patch, which is 1, as
    // patch 0 is at a place where nothing is seen.
    let geometry = "geometry ir
  setup vertices-in=3 in=triangles out=triangle-strip max-vertices=3
  input 0 at varying 9 : f32x4 semantic=POSITION
  input 1 number primitive-index : u32
  output 0 pos position
  output 1 color varying 0

  %0 = const 0 : i32
  %1 = const 1 : i32
  %2 = const 2 : i32
  %3 = input number : u32
  %4 = to_f32 %3 : f32
  %5 = input_of at %0 : f32x4
  %6 = input_of at %1 : f32x4
  %7 = input_of at %2 : f32x4
  store pos.xyzw %5
  store color.xyzw %4.xxxx
  emit_vertex 0
  store pos.xyzw %6
  store color.xyzw %4.xxxx
  emit_vertex 0
  store pos.xyzw %7
  store color.xyzw %4.xxxx
  emit_vertex 0
";
    let away = CORNERS.map(|([x, y], color)| ([x + 100.0, y], color));
    let both: Vec<_> = away.into_iter().chain(CORNERS).collect();
    let rest = format!(
        r#""tess_control": {CONTROL:?}, "tess_eval": {EVALUATION:?}, "geometry": {geometry:?}, "fragment": {FRAGMENT:?},
            "primitive": "patches", "patch_vertices": 4, "depth": false"#
    );
    assert_eq!(channel(&draw(&scene(4, &both, &rest)), 0), [[255; 4]; 4]);
    // The runs that led to a pixel: patch 1 has its corners in 0..4 pixels, its level is 4, and the points are those of one
    // of its triangles; the geometry program was given them in that order.
    let scene_of_both = Scene::read(scene(4, &both, &rest).as_bytes(), &mut Inline, None).unwrap();
    let mut seen = 0;
    let mut each = |shading: &super::pick::Shading, again: &super::pick::ShadingRerun<'_, '_>| {
        seen += 1;
        assert_eq!((shading.primitive, shading.made), (1, true));
        let run = |of: &super::pick::Invocation<'_>| Interp.run(of.shader, &of.batch).unwrap();
        let control: Vec<_> = (0..5).map_while(|n| again.control(n)).collect();
        assert_eq!(control.len(), 4);
        for (n, of) in control.iter().enumerate() {
            assert_eq!((of.lane, of.batch.count), (n, 4));
            let done = run(of);
            let ([x, y], _) = CORNERS[n];
            let corner = [x as f32 / 2.0 - 1.0, 1.0 - y as f32 / 2.0, 0.5, 1.0];
            assert_eq!(done.cells[0][n].map(f32::from_bits), corner);
            assert_eq!(done.cells[2][0].map(f32::from_bits), [4.0; 4]);
        }
        let points: Vec<_> = (0..3).filter_map(|n| again.evaluation(n)).collect();
        let places: Vec<[u32; 4]> = points.iter().map(|of| run(of).cells[0][of.lane]).collect();
        for (of, place) in points.iter().zip(&places) {
            let [u, v, ..] = of.batch.inputs[1][of.lane].map(f32::from_bits);
            assert_eq!(place.map(f32::from_bits), [u * 2.0 - 1.0, 1.0 - v * 2.0, 0.5, 1.0]);
        }
        let of = again.geometry().unwrap();
        assert_eq!(of.batch.inputs[0], places);
        assert_eq!(again.emitted(), Some([0, 1, 2]));
    };
    scene_of_both.pick(&Interp, BUDGET, (1, 2), None, &mut each).unwrap();
    assert!(seen > 0);
    // Without it the number in the fragment program is that of the patch, too.
    let number = NUMBERS.replace("0.0625", "1.0");
    let rest = rest.replace(
        &format!(r#""geometry": {geometry:?}, "fragment": {FRAGMENT:?}"#),
        &format!(r#""fragment": {number:?}"#),
    );
    assert_eq!(channel(&draw(&scene(4, &both, &rest)), 0), [[255; 4]; 4]);
}

#[test]
fn flat_varyings_are_those_of_the_first_vertex() {
    let flat = FRAGMENT.replace("varying 0 : f32x4", "varying 0 : f32x4 flat");
    let corners =
        [([-4.0, 0.0], [1.0, 0.0, 0.0]), ([8.0, 0.0], [0.0, 1.0, 0.0]), ([2.0, 9.0], [0.0, 0.0, 1.0])];
    let picture = draw(&scene(2, &corners, &format!(r#""fragment": {flat:?}"#)));
    assert_eq!((channel(&picture, 0), channel(&picture, 1)), (vec![vec![255; 2]; 2], vec![vec![0; 2]; 2]));
}

#[test]
fn linear_varyings_do_not_know_perspective() {
    // Along a line of two pixels from w = 1 to w = 3: the middle of pixel 0 is a quarter of the way. Linear: 0.25; with
    // perspective 0.25/3 / (0.75/1 + 0.25/3) = 0.1.
    for (how, wanted) in [("linear", [64, 191]), ("", [26, 128])] {
        let fragment = FRAGMENT.replace("varying 0 : f32x4", &format!("varying 0 : f32x4 {how}"));
        let scene = format!(
            r#"{{"size": [2, 1], "antialias": 1, "vertex": {VERTEX:?}, "fragment": {fragment:?}, "primitive": "lines",
                "line_width": 2, "mesh": {{"layout": ["float4", "float4"], "vertices":
                [[-1, 0, 0.5, 1, 0, 0, 0, 1], [3, 0, 0.5, 3, 1, 1, 1, 1]]}}}}"#
        );
        // 0.75/3 / (0.25/1 + 0.75/3) = 0.5
        assert_eq!(channel(&draw(&scene), 0)[0], wanted);
    }
}

#[test]
fn stages_that_do_not_fit_are_refused() {
    let fails = |text: &str, with: &str| {
        let error = try_draw(text).unwrap_err();
        assert!(error.contains(with), "{error} does not say {with}");
    };
    let all: Vec<_> = CORNERS.into_iter().cycle().take(12).collect();
    let of = |rest: &str| scene(4, &all, &format!(r#""fragment": {FRAGMENT:?}, {rest}"#));
    let (geometry, eval) = (format!("{GEOMETRY:?}"), format!("{EVALUATION:?}"));
    fails(&of(&format!(r#""geometry": {geometry}"#)), "takes points, but it is given triangles");
    fails(&of(&format!(r#""tess_eval": {eval}"#)), "takes patches");
    fails(
        &of(r#""primitive": "patches", "patch_vertices": 4"#),
        "patches need a tessellation evaluation program",
    );
    fails(
        &of(&format!(r#""primitive": "patches", "patch_vertices": 3, "tess_eval": {eval}"#)),
        "takes 4 vertices at a time, but the primitive has 3",
    );
    fails(&of(&format!(r#""geometry": {eval}"#)), "expected a geometry program, found a tess-eval program");
    for count in ["0", "33", "2147483648"] {
        fails(
            &of(&format!(r#""primitive": "patches", "patch_vertices": {count}, "tess_eval": {eval}"#)),
            "patch_vertices",
        );
    }
    fails(
        &scene(4, &CORNERS[..3], &format!(r#""fragment": {FRAGMENT:?}, "primitive": "lines""#)),
        "a multiple of 2",
    );
    fails(&of(r#""levels": {"outer": [1, 2, 3, 4, 5]}"#), "expected 1 to 4 levels");
    fails(&of(r#""primitive": "heaps""#), "primitive");
    let lost = GEOMETRY.replace("output 0 pos position", "output 0 pos varying 5");
    fails(
        &of(&format!(r#""primitive": "points", "geometry": {lost:?}"#)),
        "the geometry shader writes no position",
    );
    // A patch of level 64 has 64 × 64 quads and more; 200 of them are more than the budget has vertices.
    let rest = r#""levels": {"outer": 64, "inner": 64}, "instances": 200"#;
    fails(&patches(&format!(r#""fragment": {FRAGMENT:?}, {rest}"#)), "the budget of vertices");
    // A geometry program that never stops is stopped by its fuel, and what it gives by the budget.
    let endless = "geometry ir
  setup vertices-in=1 in=points out=points max-vertices=1 primitive-limit
  input 0 at varying 9 : f32x4 semantic=POSITION
  output 0 pos position

  %0 = const 0.0 0.0 0.5 1.0 : f32x4
  loop L0 {
    store pos.xyzw %0
    emit_vertex 0
    end_primitive 0
  }
";
    fails(&of(&format!(r#""primitive": "points", "geometry": {endless:?}"#)), "the budget of vertices");
}

/// Programs of the stages between alone: a stage of our own gives the vertices.
fn alone(rest: &str, varyings: &str) -> String {
    // The quad lies in z = 0, and the camera shows what is between −1 and 1.
    format!(
        r#"{{"size": 4, "antialias": 1, "varyings": {{{varyings}}}, "camera": {{"orthographic": 2}},
            "mesh": {{"layout": ["float3", "float3", "float2", "float3", "float4"], "vertices": [
                [-1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1], [1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1],
                [-1, -1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1], [1, -1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1]]}},
            {rest}}}"#
    )
}

#[test]
fn stages_between_are_drawn_alone() {
    let places = [32u8, 96, 159, 223];
    // A control program: its patch is a grid of two by two, so u runs right and v down, and the level is its own.
    let control = CONTROL.replace("output 1 common patch-varying 0", "output 1 common varying 4");
    let control = control.replace("store common.x %3", "store common.xyzw %2");
    let shown = r#""primitive": "patches", "patch_vertices": 4, "show": {"common": "direction"}"#;
    let text = alone(&format!(r#""tess_control": {control:?}, {shown}"#), r#""at": "clip""#);
    let picture = draw(&text);
    // x and y in −1..1, half of them and one half: the same places, y from below.
    assert_eq!(channel(&picture, 0), [places; 4]);
    assert_eq!(channel(&picture, 1), [223u8, 159, 96, 32].map(|y| [y; 4]));
    // An evaluation program: the colour that it gives is (u, v).
    let text = alone(
        &format!(
            r#""tess_eval": {EVALUATION:?}, "primitive": "patches", "patch_vertices": 4, "show": {{"color": "color"}},
                "levels": {{"outer": 3, "inner": 2}}"#
        ),
        r#""at": "clip""#,
    );
    assert_eq!(channel(&draw(&text), 0), [places; 4]);
    // A geometry program of points, which are the corners. A square is half a pixel to each side, and an edge through centres
    // of pixels belongs to it on the left and above: of the four squares of the second invocation, two pixels right of the
    // corners, only that of the left bottom corner is seen, from 1.5 and 3.5 on. Those of the first one are black.
    let text = alone(
        &format!(r#""geometry": {GEOMETRY:?}, "primitive": "points", "show": {{"color": "color"}}"#),
        r#""at": "clip""#,
    );
    assert_eq!(channel(&draw(&text), 0), [[0; 4], [0; 4], [0; 4], [0, 255, 0, 0]]);
}
