//! Layers and viewports. Shaders are in the text form of the IR; what each pixel has to be follows from the rules of scenes.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::Picture;
use super::draw::Budget;
use super::pick::{FragmentOutcome, Pixel};
use super::scene::Scene;
use super::tests_places::Inline;
use super::tests_tiles::render;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_exec::interp::Interp;

const BUDGET: Budget = Budget { vertices: 20_000, fragments: 100_000 };

/// Gives its position; attribute 1 is the layer, attribute 2 the viewport.
const VERTEX: &str = "vertex ir
  input 0 a attribute 0 : f32x4
  input 1 l attribute 1 : f32x4
  input 2 v attribute 2 : f32x4
  output 0 pos position
  output 1 layer layer : u32
  output 2 viewport viewport-index : u32

  %0 = input a : f32x4
  store pos.xyzw %0
  %1 = input l : f32x4
  %2 = to_i32 %1.x : i32
  %3 = as_u32 %2 : u32
  store layer.x %3
  %4 = input v : f32x4
  %5 = to_i32 %4.x : i32
  %6 = as_u32 %5 : u32
  store viewport.x %6
";

/// The number of the layer over 255 in red, that of the viewport in green, depth in blue.
const FRAGMENT: &str = "fragment ir
  input 0 layer layer : u32
  input 1 viewport viewport-index : u32
  input 2 at frag-coord : f32x4
  output 0 o color 0

  %0 = const 0.003921569 : f32
  %1 = input layer : u32
  %2 = to_f32 %1 : f32
  %3 = mul %2 %0 : f32
  %4 = input viewport : u32
  %5 = to_f32 %4 : f32
  %6 = mul %5 %0 : f32
  %7 = input at : f32x4
  store o.x %3
  store o.y %6
  store o.z %7.z
";

/// A square over all of clip space at depth 0.5 with a layer and a viewport, of two triangles. The numbers are those of the
/// first vertex of each; other vertices have others, which count for nothing.
fn square(layer: f32, viewport: f32) -> String {
    let corner = |x: i32, y: i32, first: bool| {
        let (l, v) = if first { (layer, viewport) } else { (1.0, 1.0) };
        format!("[{x}, {y}, 0.5, 1, {l}, {v}]")
    };
    [(-1, 1, true), (1, 1, false), (-1, -1, false), (1, -1, true), (-1, -1, false), (1, 1, false)]
        .map(|(x, y, first)| corner(x, y, first))
        .join(", ")
}

fn scene(size: [u32; 2], squares: &[(f32, f32)], rest: &str) -> String {
    let vertices: Vec<String> = squares.iter().map(|(layer, viewport)| square(*layer, *viewport)).collect();
    format!(
        r#"{{"size": {size:?}, "antialias": 1, "vertex": {VERTEX:?}, "fragment": {FRAGMENT:?}, "mesh":
            {{"layout": ["float4", "float1", "float1"], "vertices": [{}]}}, {rest}}}"#,
        vertices.join(", ")
    )
}

fn read(text: &str) -> Result<Scene, String> {
    Scene::read(text.as_bytes(), &mut Inline, None).map_err(|e| e.to_string())
}

fn draw(text: &str) -> Picture {
    render(&read(text).unwrap(), BUDGET).unwrap()
}

/// One channel of each pixel, row by row.
fn channel(picture: &Picture, which: usize) -> Vec<Vec<u8>> {
    let row = |row: &[u8]| row.chunks(4).map(|pixel| pixel[which]).collect();
    picture.rgba8.chunks(picture.width as usize * 4).map(row).collect()
}

#[test]
fn a_primitive_goes_into_its_layer() {
    // Three layers of 2 × 1 stand in two columns: 0 and 1 above, 2 and nothing below. Blue is 0.5 where something was drawn.
    let text = scene([2, 1], &[(0.0, 0.0), (2.0, 0.0)], r##""layers": 3, "background": "#000040""##);
    let picture = draw(&text);
    assert_eq!((picture.width, picture.height), (4, 2));
    assert_eq!(channel(&picture, 0), [[0, 0, 0, 0], [2, 2, 0, 0]]);
    assert_eq!(channel(&picture, 2), [[128, 128, 64, 64], [128, 128, 0, 0]]);

    // One alone.
    let mut scene = read(&text).unwrap();
    scene.show_layer(Some(2));
    let picture = render(&scene, BUDGET).unwrap();
    assert_eq!((picture.width, channel(&picture, 0)), (2, [[2, 2]].map(Vec::from).into()));
    scene.show_layer(Some(3));
    let error = render(&scene, BUDGET).unwrap_err().to_string();
    assert!(error.contains("no layer 3: the picture has 3 layers"), "{error}");
}

#[test]
fn depth_buffers_have_layers() {
    // The same square twice in layer 1: the second one fails the depth test. In layer 0 it passes.
    let text = scene([1, 1], &[(1.0, 0.0), (1.0, 3.0), (0.0, 3.0)], r#""layers": 2"#);
    // A viewport that is not there is number 0, and the fragment program sees what was written.
    let picture = draw(&text);
    assert_eq!(channel(&picture, 0), [[0, 1]]);
    assert_eq!(channel(&picture, 1), [[3, 0]]);
}

#[test]
fn what_is_out_of_range_is_number_0() {
    // −1 is 4294967295 as an unsigned number, and red is clamped to 1.
    for (layer, red) in [(2.0, 2), (300.0, 255), (-1.0, 255)] {
        let picture = draw(&scene([1, 1], &[(layer, 0.0)], r#""layers": 2"#));
        assert_eq!(channel(&picture, 0), [[red, 0]], "{layer}");
        // A picture without layers has layer 0.
        assert_eq!(channel(&draw(&scene([1, 1], &[(layer, 0.0)], r#""depth": true"#)), 0), [[red]]);
    }
}

#[test]
fn a_viewport_is_a_part_of_the_target() {
    // Columns 0, 2–3, and 1–2 of row 0. The first square goes by viewport 0, the next by 2, the last one by 1, which is in
    // front by its range of depths: 0.5 becomes 0.75, 0.5 and 0.25.
    let viewports = r#""viewports": [
        {"rectangle": [0, 0, 1, 2], "depth": [0.5, 1]},
        {"rectangle": [1, 0, 2, 1], "depth": [0.5, 0]},
        [2, 0, 2, 2]]"#;
    let picture = draw(&scene([4, 2], &[(0.0, 0.0), (0.0, 2.0), (0.0, 1.0)], viewports));
    assert_eq!(channel(&picture, 1), [[0, 1, 1, 2], [0, 0, 2, 2]]);
    // 0.75, 0.5 and 0.25 · 255, rounded; nothing in the second row of column 1.
    assert_eq!(channel(&picture, 2), [[191, 64, 64, 128], [191, 0, 128, 128]]);
}

#[test]
fn nothing_is_drawn_outside_of_a_viewport() {
    // A square of three times the width would reach over the target.
    let text = scene([4, 1], &[(0.0, 0.0)], r#""viewports": [[1, 0, 2, 1]]"#);
    let text = text.replace("[-1, ", "[-3, ").replace("[1, ", "[3, ");
    let text = text.replace(r#""viewports": [[3, 0"#, r#""viewports": [[1, 0"#);
    assert_eq!(channel(&draw(&text), 2), [[0, 128, 128, 0]]);
    // Nor does a point that is wider than it.
    let points = text.replace(r#""viewports""#, r#""primitive": "points", "point_size": 9, "viewports""#);
    let points = points.replace("[-3, ", "[0, ").replace("[3, ", "[0, ");
    assert_eq!(channel(&draw(&points), 2), [[0, 128, 128, 0]]);
}

#[test]
fn viewports_have_scissors() {
    // That of the draw, column 1 on, holds for the viewport that has none of its own.
    let viewports = r#""scissor": [1, 0, 9, 9], "viewports": [[0, 0, 4, 1],
        {"rectangle": [0, 1, 4, 1], "scissor": [0, 0, 2, 9]}]"#;
    let text = scene([4, 2], &[(0.0, 0.0), (0.0, 1.0)], viewports);
    assert_eq!(channel(&draw(&text), 2), [[0, 128, 128, 128], [128, 128, 0, 0]]);
    // Who follows a pixel is told of the scissor, but not of a viewport that lies elsewhere.
    let fates = |x: u32, y: u32| {
        let (_, history) = read(&text).unwrap().pick(&Interp, BUDGET, (x, y), None, &mut |_, _| ()).unwrap();
        history.shadings().map(|s| (s.viewport, s.fate)).collect::<Vec<_>>()
    };
    assert_eq!(fates(0, 0), [(0, FragmentOutcome::Scissored)]);
    assert_eq!(fates(1, 0), [(0, FragmentOutcome::Kept)]);
    assert_eq!(fates(2, 1), [(1, FragmentOutcome::Scissored)]);
}

#[test]
fn a_pixel_of_a_layer_is_followed() {
    let text = scene([2, 1], &[(0.0, 0.0), (2.0, 0.0)], r#""layers": 3"#);
    let mut scene = read(&text).unwrap();
    let pick = |scene: &Scene, at: (u32, u32)| {
        let (_, history) = scene.pick(&Interp, BUDGET, at, None, &mut |_, _| ()).unwrap();
        let layers: Vec<u32> = history.shadings().map(|s| s.layer).collect();
        (history.at, layers, history.color[0])
    };
    assert_eq!(pick(&scene, (1, 1)), (Some(Pixel { x: 1, y: 0, layer: 2 }), [2].into(), 2));
    assert_eq!(pick(&scene, (3, 0)), (Some(Pixel { x: 1, y: 0, layer: 1 }), [].into(), 0));
    // There is no layer 3.
    assert_eq!(pick(&scene, (2, 1)), (None, [].into(), 0));
    scene.show_layer(Some(2));
    assert_eq!(pick(&scene, (1, 0)), (Some(Pixel { x: 1, y: 0, layer: 2 }), [2].into(), 2));
}

/// Shows the layer of a texture that the last lane says, or the face that the vector points to.
fn reader(dim: &str) -> String {
    format!(
        "fragment ir
  input 0 at varying 0 : f32x4
  texture 0 t slot 0 {dim}
  output 0 o color 0

  %0 = input at : f32x4
  %1 = sample t %0.xyz : f32x4
  store o.xyzw %1
"
    )
}

#[test]
fn later_passes_read_layers_and_faces() {
    let squares: Vec<String> = (0..6).map(|n| square(n as f32, 0.0)).collect();
    let with = |layers: &str, dim: &str, at: [i32; 3]| {
        let [x, y, z] = at;
        format!(
            r#"{{"size": 1, "antialias": 1, "passes": [
                {{"targets": ["t"], "layers": {layers}, "vertex": {VERTEX:?}, "fragment": {FRAGMENT:?}, "mesh":
                    {{"layout": ["float4", "float1", "float1"], "vertices": [{}]}}}},
                {{"fragment": {:?}, "varyings": {{"at": [{x}, {y}, {z}, 1]}}, "mesh": "fullscreen",
                    "camera": {{"orthographic": 2}}, "textures": {{"fs0": "t"}}}}]}}"#,
            squares.join(", "),
            reader(dim),
        )
    };
    for layer in 0..6 {
        let picture = draw(&with("6", "2d-array", [0, 0, layer]));
        assert_eq!(channel(&picture, 0), [[layer as u8]]);
    }
    let faces = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
    for (face, at) in faces.into_iter().enumerate() {
        let picture = draw(&with(r#""cube""#, "cube", at));
        assert_eq!(channel(&picture, 0), [[face as u8]]);
    }
}

#[test]
fn bad_layers_and_viewports_are_refused() {
    let fails = |rest: &str, with: &str| {
        let error = read(&scene([4, 2], &[(0.0, 0.0)], rest)).unwrap_err();
        assert!(error.contains(with), "{error} does not say {with}");
    };
    for layers in ["0", "2049", "-1", "1.5", "\"cube\"", "4294967297"] {
        fails(&format!(r#""layers": {layers}"#), "$.layers");
    }
    fails(r#""size": 4096, "layers": 2"#, "given twice");
    fails(r#""viewports": []"#, "expected 1 to 16 viewports");
    let many: Vec<&str> = core::iter::repeat_n("[0, 0, 1, 1]", 17).collect();
    fails(&format!(r#""viewports": [{}]"#, many.join(", ")), "expected 1 to 16 viewports");
    fails(r#""viewports": [[0, 0, 0, 1]]"#, "$.viewports[0]: a viewport has at least one pixel");
    fails(r#""viewports": [{"depth": [0, 1]}]"#, "rectangle");
    fails(r#""viewports": [{"rectangle": [0, 0, 1, 1], "depth": [0, 2]}]"#, "expected depths from 0 to 1");
    fails(r#""viewports": [{"rectangle": [0, 0, 1, 1], "depth": [0]}]"#, "$.viewports[0].depth");
    let pass = |rest: &str| read(&format!(r#"{{"passes": [{{"mesh": "quad", {rest}}}]}}"#)).unwrap_err();
    assert!(pass(r#""layers": 2"#).contains("at the top of the file"));
    assert!(
        pass(r#""targets": ["t"], "size": [2, 1], "layers": "cube""#).contains("as high as they are wide")
    );
    assert!(pass(r#""targets": ["t"], "size": 2048, "layers": 2"#).contains("$.passes[0].layers"));
}
