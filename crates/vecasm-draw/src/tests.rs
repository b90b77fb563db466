//! Whole pictures of a few pixels, with what the rules say about each of them.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::draw::Budget;
use super::scene::{Host, Scene};
use super::tests_tiles::render;
use super::{Picture, RenderError};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::ir::{Shader, Stage};
use vecasm_isa::agal;

pub(super) struct Inline;

impl Host for Inline {
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
        Err(format!("no file {name}"))
    }

    fn compile(&mut self, stage: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        let text = core::str::from_utf8(code).map_err(|e| e.to_string())?;
        let stage = match stage {
            Stage::Vertex => agal::Stage::Vertex,
            _ => agal::Stage::Fragment,
        };
        let options = agal::text::ParseOptions { stage: Some(stage), ..Default::default() };
        let (program, findings) = agal::text::parse(text, &options);
        let program = program.ok_or_else(|| format!("{name}: {findings:?}"))?;
        agal::lift::lift(&program, &agal::lift::Options::default()).map_err(|e| e.to_string())
    }
}

fn draw(scene: &str) -> Result<Picture, RenderError> {
    let budget = Budget { vertices: 100_000, fragments: 4_000_000 };
    render(&Scene::read(scene.as_bytes(), &mut Inline, None)?, budget)
}

/// The red channel, row by row.
fn red(picture: &Picture) -> Vec<Vec<u8>> {
    let row = |row: &[u8]| row.chunks(4).map(|p| p[0]).collect();
    picture.rgba8.chunks(picture.width as usize * 4).map(row).collect()
}

/// A scene of one draw of own vertices (position float4, colour float4) whose fragment program gives the colour.
pub(super) fn colored(size: &str, antialias: u32, vertices: &str, rest: &str) -> String {
    format!(
        r#"{{"size": {size}, "antialias": {antialias},
            "vertex": ["mov op, va0", "mov v0, va1"], "fragment": ["mov oc, v0"],
            "mesh": {{"layout": ["float4", "float4"], "vertices": [{vertices}]}} {rest}}}"#
    )
}

/// A white vertex at a place in pixels of a square target.
fn at(x: f64, y: f64, side: f64) -> String {
    format!("[{}, {}, 0, 1, 1, 1, 1, 1]", x / side * 2.0 - 1.0, 1.0 - y / side * 2.0)
}

pub(super) fn triangle(corners: [(f64, f64); 3], side: f64) -> String {
    corners.map(|(x, y)| at(x, y, side)).join(", ")
}

#[test]
fn centres_on_top_and_left_edges_are_in() {
    // The square from (0.5, 0.5) to (2.5, 2.5): centres on its left and top edges count, on the others not.
    let square = [
        triangle([(0.5, 0.5), (2.5, 0.5), (0.5, 2.5)], 4.0),
        triangle([(0.5, 2.5), (2.5, 0.5), (2.5, 2.5)], 4.0),
    ]
    .join(", ");
    let picture = draw(&colored("[4, 4]", 1, &square, "")).unwrap();
    assert_eq!(red(&picture), [[255, 255, 0, 0], [255, 255, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]);
}

#[test]
fn samples_lie_in_the_standard_pattern() {
    // Direct3D's four samples, in sixteenths from the left top corner: (6, 2), (14, 6), (2, 10), (10, 14). A square of
    // one sixteenth around each hits that one alone: a quarter of 255.
    for (x, y) in [(6.0, 2.0), (14.0, 6.0), (2.0, 10.0), (10.0, 14.0)] {
        let corner = |dx: f64, dy: f64| ((x + dx) / 16.0, (y + dy) / 16.0);
        let (a, b, c, d) = (corner(-0.5, -0.5), corner(0.5, -0.5), corner(-0.5, 0.5), corner(0.5, 0.5));
        let square = [triangle([a, b, c], 1.0), triangle([c, b, d], 1.0)].join(", ");
        assert_eq!(red(&draw(&colored("[1, 1]", 4, &square, "")).unwrap())[0][0], 64, "{x}, {y}");
    }
}

/// The corners of a grid are moved at random; with additive blending every sample of every pixel is hit once.
#[test]
fn neighbours_neither_overlap_nor_leave_gaps() {
    // Corners that move less than a quarter of a cell leave every triangle on its side.
    let mut state = 7u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1u32 << 24)
    };
    const CELLS: usize = 6;
    let mut corners = [[(0.0, 0.0); CELLS + 1]; CELLS + 1];
    for (j, row) in corners.iter_mut().enumerate() {
        for (i, corner) in row.iter_mut().enumerate() {
            let step = 16.0 / CELLS as f64;
            let inner = |k: usize| k > 0 && k < CELLS;
            let jitter = |k: usize, r: f64| if inner(k) { (r - 0.5) * step * 0.45 } else { 0.0 };
            *corner = (i as f64 * step + jitter(i, random()), j as f64 * step + jitter(j, random()));
        }
    }
    let mut triangles = Vec::new();
    for j in 0..CELLS {
        for i in 0..CELLS {
            let (a, b, c, d) = (corners[j][i], corners[j][i + 1], corners[j + 1][i], corners[j + 1][i + 1]);
            triangles.push(triangle([a, b, c], 16.0));
            triangles.push(triangle([c, b, d], 16.0));
        }
    }
    let text = triangles.join(", ").replace("1, 1, 1, 1]", "0.4, 0, 0, 1]");
    for antialias in [1, 2, 4, 8, 16] {
        let scene = colored("[16, 16]", antialias, &text, r#", "blend": "add", "depth": false"#);
        let picture = draw(&scene).unwrap();
        // 0.4 of full red everywhere: once.
        assert!(red(&picture).iter().flatten().all(|&r| r == 102), "{antialias}");
    }
}

#[test]
fn huge_and_broken_coordinates_are_safe() {
    let huge =
        "[-1e30, -1e30, 0, 1, 1, 1, 1, 1], [0, 3e30, 0, 1, 1, 1, 1, 1], [1e30, -1e30, 0, 1, 1, 1, 1, 1]";
    let picture = draw(&colored("[3, 3]", 4, huge, "")).unwrap();
    assert!(red(&picture).iter().flatten().all(|&r| r == 255));
    // 1e39 is infinite as f32; 0 · infinity is NaN.
    for broken in ["1e39", "-1e39"] {
        let vertices =
            format!("[{broken}, 0, 0, 1, 1, 1, 1, 1], {}, {}", at(0.0, 0.0, 3.0), at(3.0, 3.0, 3.0));
        let scene = colored("[3, 3]", 4, &vertices, "").replace("mov op, va0", "mul op, va0, va0.y");
        let picture = draw(&scene).unwrap();
        assert!(red(&picture).iter().flatten().all(|&r| r == 0));
    }
}

#[test]
fn what_is_behind_the_eye_is_clipped() {
    // The plane y = -1 seen along -z: w = -z grows with distance, y/w runs from the bottom to the horizon in the
    // middle. Its near end lies behind the eye (w < 0).
    let corner = |x: f64, w: f64| format!("[{x}, -1, {}, {w}, 1, 1, 1, 1]", w * 0.5);
    let (a, b, c, d) = (corner(-1e4, 1e3), corner(1e4, 1e3), corner(-1e4, -1e3), corner(1e4, -1e3));
    let picture = draw(&colored("[4, 4]", 1, &format!("{a}, {b}, {c}, {c}, {b}, {d}"), "")).unwrap();
    assert_eq!(red(&picture), [[0; 4], [0; 4], [255; 4], [255; 4]]);
}

#[test]
fn near_and_far_cut_depth() {
    // z runs from -1 at the left to 2 at the right; 0 <= z <= 1 is the middle third.
    let corner = |x: f64, y: f64, z: f64| format!("[{x}, {y}, {z}, 1, 1, 1, 1, 1]");
    let (a, b) = (corner(-1.0, 1.0, -1.0), corner(1.0, 1.0, 2.0));
    let (c, d) = (corner(-1.0, -1.0, -1.0), corner(1.0, -1.0, 2.0));
    let scene = colored("[9, 1]", 1, &format!("{a}, {b}, {c}, {c}, {b}, {d}"), r#", "depth": "lessEqual""#);
    assert_eq!(red(&draw(&scene).unwrap())[0], [0, 0, 0, 255, 255, 255, 0, 0, 0]);
}

#[test]
fn varyings_are_perspective_correct() {
    // A floor from w = 1 (left) to w = 3 (right); red is 0 at the left and 1 at the right.
    let corner = |x: f64, y: f64, w: f64, r: f64| format!("[{}, {}, 0, {w}, {r}, 0, 0, 1]", x * w, y * w);
    let (a, b) = (corner(-1.0, 1.0, 1.0, 0.0), corner(1.0, 1.0, 3.0, 1.0));
    let (c, d) = (corner(-1.0, -1.0, 1.0, 0.0), corner(1.0, -1.0, 3.0, 1.0));
    let picture = draw(&colored("[8, 2]", 1, &format!("{a}, {b}, {c}, {c}, {b}, {d}"), "")).unwrap();
    for (x, got) in red(&picture)[1].iter().enumerate() {
        // At t of the way on the screen: (t/3) / ((1 - t)/1 + t/3).
        let t = (x as f64 + 0.5) / 8.0;
        let wanted = (t / 3.0) / ((1.0 - t) + t / 3.0) * 255.0;
        assert!((f64::from(*got) - wanted).abs() <= 0.51, "{x}: {got}, not {wanted}");
    }
}

#[test]
fn derivatives_are_right_at_every_edge() {
    let scene = r#"{"size": [8, 8], "antialias": 1,
        "vertex": ["mov op, va0", "mov v0, va1"],
        "fragment": [".agal fragment 2", "ddx ft0, v0", "ddy ft1, v0", "abs ft0, ft0", "add ft0, ft0, ft1", "mov oc, ft0.x"],
        "mesh": {"layout": ["float2", "float1"],
            "vertices": [[-0.9, 0.9, 0], [0.8, 0.1, 0.85], [-0.3, -0.9, 0.3]]}}"#;
    let picture = draw(scene).unwrap();
    let lit: Vec<u8> = red(&picture).into_iter().flatten().filter(|&r| r != 0).collect();
    assert!(lit.len() > 8);
    // The value is 0.5 · (x + 0.9), so that it changes by 0.5 · 2/8 a pixel to the right and not downwards; the
    // helpers beside the covered pixels must see the same plane.
    assert!(lit.iter().all(|&r| r == 32), "{lit:?}");
}

#[test]
fn front_faces_run_clockwise() {
    let clockwise = triangle([(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)], 4.0);
    for (face, drawn) in [("none", true), ("back", true), ("front", false), ("frontAndBack", false)] {
        let picture = draw(&colored("[4, 4]", 1, &clockwise, &format!(r#", "cull": "{face}""#))).unwrap();
        assert_eq!(red(&picture)[0][0] == 255, drawn, "{face}");
    }
}

/// Three draws of full squares with a depth and a shade each; what the middle of the picture shows.
fn stacked(draws: [(f64, f64); 3], keys: [&str; 3]) -> u8 {
    let one = |(z, shade): (f64, f64), keys: &str| {
        format!(r#"{{"constants": {{"vc0": [0, 0, {z}, 0], "fc0": [{shade}, 0, 0, 1]}} {keys}}}"#)
    };
    let draws = [one(draws[0], keys[0]), one(draws[1], keys[1]), one(draws[2], keys[2])].join(", ");
    let scene = format!(
        r#"{{"size": 2, "antialias": 4, "vertex": ["add op, va0, vc0"], "fragment": ["mov oc, fc0"],
            "mesh": "fullscreen", "draws": [{draws}]}}"#
    );
    red(&draw(&scene).unwrap())[1][1]
}

#[test]
fn depth_decides() {
    let draws = [(0.5, 0.2), (0.2, 0.4), (0.8, 0.6)];
    assert_eq!(stacked(draws, ["", "", ""]), 102);
    assert_eq!(stacked(draws, ["", "", r#", "depth": false"#]), 153);
    assert_eq!(stacked(draws, ["", "", r#", "depth": "greater""#]), 153);
    // The second does not write depth, so the third only has to beat the first.
    let close = [(0.5, 0.2), (0.2, 0.4), (0.4, 0.6)];
    assert_eq!(stacked(close, ["", "", ""]), 102);
    assert_eq!(stacked(close, ["", r#", "depth": {"compare": "less", "write": false}"#, ""]), 153);
    assert_eq!(stacked([(0.5, 0.2), (0.5, 0.4), (0.5, 0.6)], ["", r#", "depth": "equal""#, ""]), 102);
}

#[test]
fn stencil_decides() {
    // The first draw marks with 3, the second passes only where that stands; depth is out of the way.
    let draws = [(0.1, 0.2), (0.1, 0.4), (0.1, 0.6)];
    let mark = r#", "depth": false, "stencil": {"reference": 3, "bothPass": "set"}"#;
    let only = |n: u32| {
        format!(
            r#", "depth": false, "stencil": {{"reference": {n}, "compare": "equal", "stencilFail": "zero"}}"#
        )
    };
    assert_eq!(stacked(draws, [mark, &only(3), &only(4)]), 102);
    // A test that fails empties the stencil, so that the third one fails too.
    assert_eq!(stacked(draws, [mark, &only(4), &only(3)]), 51);
    // Only the low bit is compared: 1 & 1 = 3 & 1.
    let bit = r#", "depth": false, "stencil": {"reference": 1, "compare": "equal", "read_mask": 1}"#;
    assert_eq!(stacked(draws, [mark, bit, r#", "depth": "never""#]), 102);
}

#[test]
fn blending_rounds_to_eight_bits_each_time() {
    // 0.5 -> 128; then 0.25 · 0.5 + 128/255 · 0.5 = 0.375980… -> 95.875 -> 96.
    let scene = r#"{"size": 1, "antialias": 1, "vertex": ["mov op, va0"], "fragment": ["mov oc, fc0"],
        "mesh": "fullscreen", "depth": false, "draws": [
            {"constants": {"fc0": [0.5, 0.5, 0.5, 1]}},
            {"constants": {"fc0": [0.25, 7, -7, 0.5]}, "blend": "alpha"}]}"#;
    // Green: 7 is clamped to 1 first: 0.5 + 128/255 · 0.5 = 0.75098 -> 191.5 -> 192. Blue: 0.25098 -> 64.
    assert_eq!(draw(scene).unwrap().rgba8, [96, 192, 64, 255]);
}

#[test]
fn masks_and_scissor_protect() {
    let scene = r##"{"size": [2, 1], "antialias": 1, "background": "#204060", "vertex": ["mov op, va0"],
        "fragment": ["mov oc, fc0"], "mesh": "fullscreen", "constants": {"fc0": [1, 1, 1, 1]},
        "color_mask": [true, false, true, true], "scissor": [1, 0, 5, 5]}"##;
    assert_eq!(draw(scene).unwrap().rgba8, [0x20, 0x40, 0x60, 255, 255, 0x40, 255, 255]);
}

#[test]
fn killed_fragments_leave_colour_and_depth() {
    // The left half is killed; a later, deeper draw shows there only.
    let scene = r#"{"size": [4, 1], "antialias": 4, "mesh": "fullscreen", "draws": [
        {"vertex": ["mov op, va0", "mov v0, va0"], "fragment": ["kil v0.x", "mov oc, fc0"],
         "constants": {"fc0": [1, 1, 1, 1]}},
        {"vertex": ["add op, va0, vc0"], "fragment": ["mov oc, fc0"],
         "constants": {"vc0": [0, 0, 0.5, 0], "fc0": [0.2, 0, 0, 1]}}]}"#;
    assert_eq!(red(&draw(scene).unwrap())[0], [51, 51, 255, 255]);
}

#[test]
fn a_written_depth_replaces_the_plane() {
    let scene = r#"{"size": 1, "mesh": "fullscreen", "vertex": [".agal vertex 2", "mov op, va0"], "draws": [
        {"fragment": [".agal fragment 2", "mov od.x, fc0.x", "mov oc, fc0"], "constants": {"fc0": [0.8, 0, 0, 1]}},
        {"fragment": [".agal fragment 2", "mov od.x, fc0.x", "mov oc, fc0"], "constants": {"fc0": [0.4, 0, 0, 1]}},
        {"fragment": [".agal fragment 2", "mov od.x, fc0.x", "mov oc, fc0"], "constants": {"fc0": [0.6, 0, 0, 1]}}]}"#;
    assert_eq!(draw(scene).unwrap().rgba8[0], 102);
}

#[test]
fn targets_are_drawn_together_and_read_later() {
    let scene = r#"{"size": [2, 1], "antialias": 1, "mesh": "fullscreen", "passes": [
        {"targets": ["a", "b"], "vertex": [".agal vertex 2", "mov op, va0"],
         "fragment": [".agal fragment 2", "mov fo0, fc0", "mov fo1, fc1"],
         "constants": {"fc0": [0.2, 0, 0, 1], "fc1": [0, 0.4, 0, 1]}},
        {"vertex": ["mov op, va0", "mov v0, va2"], "textures": {"fs0": "a", "fs1": "b"},
         "fragment": ["tex ft0, v0, fs0 <2d>", "tex ft1, v0, fs1 <2d>", "add oc, ft0, ft1"]}]}"#;
    assert_eq!(draw(scene).unwrap().rgba8, [51, 102, 0, 255, 51, 102, 0, 255]);
}

#[test]
fn varyings_are_matched_by_number() {
    let scene = r#"{"size": 1, "mesh": "fullscreen",
        "vertex": ["mov op, va0", "mov v3, vc0", "mov v1, vc1"], "fragment": ["mov oc, v3"],
        "constants": {"vc0": [0.2, 0.4, 0.6, 1], "vc1": [1, 1, 1, 1]}}"#;
    assert_eq!(draw(scene).unwrap().rgba8, [51, 102, 153, 255]);
}

#[test]
fn instances_have_numbers() {
    let scene = r#"{"size": [2, 1], "antialias": 1, "mesh": "fullscreen", "instances": 2,
        "vertex": [".agal vertex 3", "mov vt0, va0", "mul vt1.x, iid.x, vc0.x", "add vt0.x, vt0.x, vt1.x",
                   "mov op, vt0", "mov v0, iid.x"],
        "fragment": [".agal fragment 3", "mov oc, v0"], "constants": {"vc0": [1]}, "depth": false}"#;
    // Instance 1 lies one pixel further to the right.
    assert_eq!(red(&draw(scene).unwrap())[0], [0, 255]);
}

#[test]
fn complaints_name_the_place() {
    for (scene, path, word) in [
        (r#"{"mesh": "cone", "vertex": ["mov op, va0"], "fragment": ["mov oc, fc0"]}"#, "$.mesh", "cone"),
        (r#"{"draws": [{"mseh": "cube"}]}"#, "$.draws[0].mseh", "unknown key"),
        (r#"{"mesh": "cube", "vertex": "a.agal", "fragment": "b.agal"}"#, "$.vertex", "no file a.agal"),
        (r#"{"size": [5000, 1]}"#, "$.size[0]", "between 1 and 4096"),
        (r#"{"size": 4096, "antialias": 4}"#, "$", "at most"),
        (
            r#"{"mesh": "quad", "vertex": ["mov op, va0"], "fragment": ["mov oc, fc0"], "constants": {"vx1": 1}}"#,
            "$.constants.vx1",
            "not a register",
        ),
        (
            r#"{"mesh": "quad", "vertex": ["mov op, va0"], "fragment": ["mov oc, fc0"], "constants": {"vc01": 1}}"#,
            "$.constants.vc01",
            "not a register",
        ),
        (
            r#"{"mesh": "quad", "vertex": ["mov op, va0", "mov v0, va0"], "fragment": ["tex oc, v0, fs2 <2d>"]}"#,
            "$",
            "reads fs2, but no texture",
        ),
        (r#"{"mesh": "quad", "vertex": ["mov op, va7"], "fragment": ["mov oc, fc0"]}"#, "$", "reads va7"),
        (
            r#"{"mesh": {"layout": ["float3"], "vertices": [[0, 0, 0]], "indices": [0, 0, 9]},
                "vertex": ["mov op, va0"], "fragment": ["mov oc, fc0"]}"#,
            "$",
            "index 9",
        ),
        (
            r#"{"stage": {"width": 1, "height": 1}, "programs": {}, "commands": [{"cmd": "clear"}, {"cmd": "x"}]}"#,
            "$.commands[1].cmd",
            "no command",
        ),
        (
            r#"{"stage": {"width": 1, "height": 1}, "programs": {}, "index_buffers": {"i": [0, 0, 0]},
                "commands": [{"cmd": "drawTriangles", "indices": "i"}]}"#,
            "$.commands[0]",
            "no program",
        ),
    ] {
        let error = draw(scene).unwrap_err();
        assert_eq!(error.path, path, "{error}");
        assert!(error.message.contains(word), "{error}");
    }
}

#[test]
fn the_budget_ends_drawing() {
    let scene = r#"{"size": 64, "mesh": {"grid": {"segments": 100}}, "vertex": ["mov op, va0.xzyw"],
        "fragment": ["mov oc, fc0"], "depth": false}"#;
    let scene = Scene::read(scene.as_bytes(), &mut Inline, None).unwrap();
    let render = |vertices, fragments| render(&scene, Budget { vertices, fragments });
    assert!(render(100_000, 1_000_000).is_ok());
    assert!(render(100, 1_000_000).unwrap_err().message.contains("vertices"));
    assert!(render(100_000, 1000).unwrap_err().message.contains("fragments"));
}

#[test]
fn present_freezes_the_picture() {
    let scene = r#"{"stage": {"width": 3, "height": 1, "background": "ff0000"},
        "view": {"x": 1, "y": 0, "width": 1, "height": 1}, "programs": {},
        "commands": [{"cmd": "clear", "rgba": [0, 1, 0, 0]}, {"cmd": "present"}, {"cmd": "clear"}]}"#;
    // The view is opaque though its alpha is 0.
    assert_eq!(draw(scene).unwrap().rgba8, [255, 0, 0, 255, 0, 255, 0, 255, 255, 0, 0, 255]);
}

/// Scenes of all kinds, broken in every small way: an error or a picture, never a panic, in little time.
#[test]
fn broken_scenes_do_no_harm() {
    let short = r##"{"size": [12, 9], "antialias": 4, "time": 0.5, "background": "#123", "camera": {"eye": [0, 1, 3],
        "fov": 45}, "vertex": ["m44 op, va0, vc0", "mov v0, va2"], "fragment": ["tex oc, v0, fs0 <2d>"],
        "passes": [{"targets": ["a"], "size": 8, "draws": [{"mesh": {"torus": {"tube": 0.3, "segments": [5, 4]}},
        "textures": {"fs0": {"pattern": "bumps", "size": 4, "scale": 3}}, "model": [{"rotateX": 30}, {"scale": 2}]}]},
        {"mesh": {"layout": ["float3", "bytes4", "float2"], "vertices": [[0, 0, 0, 1, 2, 3, 4, 0, 0],
        [1, 0, 0, 1, 2, 3, 4, 1, 0], [0, 1, 0, 1, 2, 3, 4, 0, 1]], "indices": [0, 1, 2]}, "textures": {"fs0": "a"},
        "blend": "alpha", "stencil": {"reference": 1, "bothPass": "set"}, "instances": 2}],
        "constants": {"vc0": "modelViewProjection", "fc0": [1, 2]}, "samplers": {"fs0": {"wrap": "repeat"}}}"##;
    let commands = r##"{"stage": {"width": 6, "height": 5, "background": "ff00ff"}, "view": {"x": 1, "y": -1,
        "width": 4, "height": 4, "antialias": 2}, "programs": {"p": {"vertex_text": "mov op, va0",
        "fragment_text": "mov oc, fc0"}}, "vertex_buffers": {"b": {"stride_words": 2, "data": [[-1, 1], [1, 1],
        [-1, -1]]}}, "index_buffers": {"i": [0, 1, 2]}, "textures": {"t": {"target": [3, 3]}}, "commands": [
        {"cmd": "setProgram", "program": "p"}, {"cmd": "setVertexBufferAt", "index": 0, "buffer": "b",
        "format": "float2"}, {"cmd": "setRenderTargets", "textures": ["t"]}, {"cmd": "clear", "rgba": [1, 0, 0, 1]},
        {"cmd": "setScissorRectangle", "rectangle": [0, 0, 2, 2]}, {"cmd": "drawTriangles", "indices": "i", "first": 0,
        "triangles": 1}, {"cmd": "setRenderTargets", "textures": []}, {"cmd": "drawTriangles", "indices": "i"},
        {"cmd": "present"}]}"##;
    let mut state = 1u32;
    let mut random = move |n: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % n.max(1)
    };
    let words = [
        "0",
        "-1",
        "1e38",
        "4096",
        "65535",
        "4294967295",
        "-0.0",
        "null",
        "[]",
        "{}",
        "\"a\"",
        "true",
        "0.5",
    ];
    let mut drawn = 0;
    for scene in [short, commands] {
        draw(scene).unwrap();
        for _ in 0..1500 {
            let mut text: Vec<char> = scene.chars().collect();
            for _ in 0..1 + random(2) {
                let at = random(text.len());
                match random(3) {
                    // A number becomes something else.
                    0 => {
                        let Some(start) = (at..text.len()).find(|&i| text[i].is_ascii_digit()) else {
                            continue;
                        };
                        let more =
                            text[start..].iter().take_while(|c| c.is_ascii_digit() || **c == '.').count();
                        text.splice(start..start + more, words[random(words.len())].chars());
                    }
                    1 => {
                        text.remove(at);
                    }
                    _ => text[at] = ['"', ',', ':', '0', 'a', '[', ']', '{', '}'][random(9)],
                }
            }
            let text: String = text.into_iter().collect();
            let scene = Scene::read(text.as_bytes(), &mut Inline, None);
            let Ok(scene) = scene else { continue };
            // What is large by its size is drawn elsewhere; here many small ones count.
            if scene.size().0 <= 64 && scene.size().1 <= 64 {
                drawn += usize::from(render(&scene, Budget { vertices: 1000, fragments: 20_000 }).is_ok());
            }
        }
    }
    assert!(drawn > 200, "{drawn}");
}
