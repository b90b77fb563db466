//! What the rasterizer tells a fragment shader: the place in the window, the face, and of what dimension a texture is.
//! The shaders are in the text form of the IR; what each pixel has to be follows from the rules of scenes.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::Picture;
use super::draw::Budget;
use super::scene::{Host, Scene};
use super::tests_tiles::render;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::ir::{Shader, Stage, text};

pub(super) struct Inline;

impl Host for Inline {
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
        Err(format!("no file {name}"))
    }

    fn compile(&mut self, _: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        let code = core::str::from_utf8(code).map_err(|e| e.to_string())?;
        text::parse_any(code).map_err(|e| format!("{name}: {e:?}"))
    }
}

const VERTEX: &str = "vertex ir
  input 0 a attribute 0 : f32x4
  output 0 pos position

  %0 = input a : f32x4
  store pos.xyzw %0
";

/// A picture of 4 by 2 pixels that a quad fills, at depth 0.25.
fn draw(fragment: &str, rest: &str) -> Picture {
    let scene = format!(
        r#"{{"size": [4, 2], "antialias": 1, "vertex": {VERTEX:?}, "fragment": {fragment:?}, "mesh":
            {{"layout": ["float4"], "vertices": [[-2, 2, 0.5, 2], [2, 2, 0.5, 2], [-2, -2, 0.5, 2], [2, -2, 0.5, 2]],
              "indices": [0, 1, 2, 2, 1, 3]}} {rest}}}"#
    );
    let budget = Budget { vertices: 1000, fragments: 100_000 };
    render(&Scene::read(scene.as_bytes(), &mut Inline, None).unwrap(), budget).unwrap()
}

fn pixel(picture: &Picture, x: usize, y: usize) -> [u8; 3] {
    let at = (y * 4 + x) * 4;
    [picture.rgba8[at], picture.rgba8[at + 1], picture.rgba8[at + 2]]
}

#[test]
fn the_place_is_the_centre_of_the_pixel() {
    // x / 4 and y / 2 of the centres, depth 0.5 / 2 = 0.25; 1/w is 0.5 and goes to alpha, which nobody sees.
    let picture = draw(
        "fragment ir
  input 0 place frag-coord : f32x4
  output 0 o color 0

  %0 = input place : f32x4
  %1 = const 0.25 0.5 1.0 1.0 : f32x4
  %2 = mul %0 %1 : f32x4
  store o.xyzw %2
",
        "",
    );
    // 0.5/4 · 255 = 31.875, 0.5/2 · 255 = 63.75, 0.25 · 255 = 63.75, rounded.
    assert_eq!(pixel(&picture, 0, 0), [32, 64, 64]);
    // 3.5/4 · 255 = 223.1, 1.5/2 · 255 = 191.25
    assert_eq!(pixel(&picture, 3, 1), [223, 191, 64]);
}

#[test]
fn the_reciprocal_of_w_is_given() {
    let picture = draw(
        "fragment ir
  input 0 place frag-coord : f32x4
  output 0 o color 0

  %0 = input place : f32x4
  store o.xyzw %0.wwww
",
        "",
    );
    // 1 / 2 · 255 = 127.5
    assert_eq!(pixel(&picture, 1, 1), [128, 128, 128]);
}

#[test]
fn faces_are_told_apart() {
    let fragment = "fragment ir
  input 0 front front-facing : bool
  output 0 o color 0

  %0 = input front : bool
  %1 = const 1.0 0.0 0.0 1.0 : f32x4
  %2 = const 0.0 0.0 1.0 1.0 : f32x4
  %3 = select %0 %1 %2 : f32x4
  store o.xyzw %3
";
    // From the left top corner to the right top one to the left bottom one is clockwise, which is the front.
    assert_eq!(pixel(&draw(fragment, ""), 0, 0), [255, 0, 0]);
    let mirrored = VERTEX.replace(
        "store pos.xyzw %0",
        "%1 = neg %0.x : f32\n  %2 = compose %1 %0.yzw : f32x4\n  store pos.xyzw %2",
    );
    let back = format!(r#", "vertex": {mirrored:?}"#);
    let scene = format!(
        r#"{{"size": [4, 2], "antialias": 1, "fragment": {fragment:?}, "mesh": {{"layout": ["float4"], "vertices":
            [[-2, 2, 0.5, 2], [2, 2, 0.5, 2], [-2, -2, 0.5, 2]]}} {back}}}"#
    );
    let budget = Budget { vertices: 1000, fragments: 100_000 };
    let picture = render(&Scene::read(scene.as_bytes(), &mut Inline, None).unwrap(), budget).unwrap();
    assert_eq!(pixel(&picture, 3, 0), [0, 0, 255]);
}

#[test]
fn the_texture_tells_the_dimension() {
    // The direction (1, 0.25, 0.75) is on the face +X of a cube; of a square it is the place (1, 0.25), at its right edge.
    let fragment = "fragment ir
  output 0 o color 0
  state 0 kind : u32 default=1
  texture 0 s slot 0 2d dim=state kind

  %0 = const 1.0 0.25 0.75 : f32x3
  %1 = sample s %0 : f32x4
  store o.xyzw %1
";
    let one = |color: &str| format!(r#"{{"pattern": "solid", "size": 1, "colors": ["{color}"]}}"#);
    let faces = ["#f00", "#0f0", "#00f", "#ff0", "#f0f", "#0ff"].map(one).join(", ");
    let cube = draw(fragment, &format!(r#", "textures": {{"fs0": {{"cube": [{faces}]}}}}"#));
    assert_eq!(pixel(&cube, 0, 0), [255, 0, 0]);
    let square = draw(fragment, r##", "textures": {"fs0": {"rows": [["#000", "#fff"]]}}"##);
    assert_eq!(pixel(&square, 0, 0), [255, 255, 255]);
}

#[test]
fn states_that_nobody_sets_are_part_of_the_shader() {
    let fragment = "fragment ir
  output 0 o color 0
  state 0 tint : f32x4 default=0.0,1.0,0.0,1.0
  state 1 other : f32 default=1.0

  %0 = state tint : f32x4
  %1 = state other : f32
  %2 = mul %0 %1.xxxx : f32x4
  store o.xyzw %2
";
    assert_eq!(pixel(&draw(fragment, ""), 0, 0), [0, 255, 0]);
    assert_eq!(pixel(&draw(fragment, r##", "states": {"tint": "#f00"}"##), 0, 0), [255, 0, 0]);
    let scene = format!(
        r##"{{"size": 2, "vertex": {VERTEX:?}, "fragment": {fragment:?}, "mesh": "fullscreen", "states": {{"tint": "#f00"}}}}"##
    );
    let scene = Scene::read(scene.as_bytes(), &mut Inline, None).unwrap();
    let left: Vec<String> =
        scene.programs().flat_map(|(_, f)| f.states.iter().map(|s| s.name.clone())).collect();
    assert_eq!(left, ["tint"]);
}

#[test]
fn vertices_know_their_numbers() {
    // Each triangle has the number of its first vertex, a quarter of it as the colour: indices 0, 1, 2 and 2, 1, 3.
    let scene = r#"{"size": [4, 2], "antialias": 1, "vertex": ["vertex ir",
            "  input 0 a attribute 0 : f32x4",
            "  input 1 n vertex-index : u32",
            "  output 0 pos position",
            "  output 1 v varying 0",
            "  %0 = input a : f32x4",
            "  %1 = input n : u32",
            "  %2 = to_f32 %1 : f32",
            "  %3 = const 0.25 : f32",
            "  %4 = mul %2 %3 : f32",
            "  store pos.xyzw %0",
            "  store v.xyzw %4.xxxx"],
        "fragment": ["fragment ir",
            "  input 0 v varying 0 : f32x4 flat",
            "  output 0 o color 0",
            "  %0 = input v : f32x4",
            "  store o.xyzw %0"],
        "mesh": {"layout": ["float4"], "vertices": [[-1, 1, 0, 1], [1, 1, 0, 1], [-1, -1, 0, 1], [1, -1, 0, 1]],
            "indices": [0, 1, 2, 2, 1, 3]}}"#;
    let budget = Budget { vertices: 1000, fragments: 100_000 };
    let picture = render(&Scene::read(scene.as_bytes(), &mut Inline, None).unwrap(), budget).unwrap();
    assert_eq!(pixel(&picture, 0, 0), [0, 0, 0]);
    // 2 / 4 · 255 = 127.5
    assert_eq!(pixel(&picture, 3, 1), [128, 128, 128]);
}
