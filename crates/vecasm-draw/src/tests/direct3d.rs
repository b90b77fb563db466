//! Shaders of Direct3D drawn: the fixed functions behind a vertex shader, stages of different models together, and state
//! outside the shaders. What each pixel has to be follows from the rules of `docs/d3d9-state.md`.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::draw::Budget;
use super::scene::{Host, Scene};
use super::tests_tiles::render;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::ir::{Shader, Stage};
use vecasm_isa::Isa;
use vecasm_isa::any::{AnyProgram, LiftOptions};
use vecasm_isa::d3d9::lift::Pipeline;

struct Inline;

impl Host for Inline {
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
        Err(format!("no file {name}"))
    }

    fn compile(&mut self, _: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        let text = core::str::from_utf8(code).map_err(|e| e.to_string())?;
        let (program, findings) = AnyProgram::parse(Isa::D3d9, text, None, None);
        let program = program.ok_or_else(|| format!("{name}: {findings:?}"))?;
        let mut options = LiftOptions::default();
        options.d3d9.pipeline = Pipeline { half_pixel: false, points: false, ..Pipeline::ALL };
        program.lift(&options).map_err(|e| e.to_string())
    }

    fn fragment(&mut self, vertex: &Shader, textured: bool) -> Result<Shader, String> {
        Isa::D3d9.default_fragment(vertex, textured).ok_or_else(|| "none".into())
    }
}

/// The one colour of a picture that a square fills. v0 is the position, v1 a colour, v2 the texture coordinates.
fn filled(vertex: &str, fragment: &str, rest: &str) -> [u8; 3] {
    let fragment = if fragment.is_empty() { String::new() } else { format!(r#""fragment": {fragment:?},"#) };
    let scene = format!(
        r##"{{"size": [4, 4], "antialias": 1, "background": "#00f", "vertex": {vertex:?}, {fragment} "mesh": "fullscreen",
            "attributes": {{"v0": "position", "v1": [0.4, 0.8, 0, 0.5], "v2": "uv"}} {rest}}}"##
    );
    let budget = Budget { vertices: 100_000, fragments: 4_000_000 };
    let picture = render(&Scene::read(scene.as_bytes(), &mut Inline, None).unwrap(), budget).unwrap();
    let first: [u8; 3] = [picture.rgba8[0], picture.rgba8[1], picture.rgba8[2]];
    assert!(picture.rgba8.chunks(4).all(|p| p[..3] == first), "{:?}", picture.rgba8);
    first
}

const DIFFUSE: &str = "vs_1_1\ndcl_position v0\ndcl_color v1\ndcl_texcoord v2\nmov oPos, v0\nmov oD0, v1\n";

#[test]
fn the_fixed_functions_modulate() {
    // 0.4 and 0.8 of 255.
    assert_eq!(filled(DIFFUSE, "", ""), [102, 204, 0]);
    // A highlight is not added, and a texture that has no coordinates is not read.
    let more = format!("{DIFFUSE}mov oD1, v1\n");
    let texture = r##", "textures": {"fs0": {"rows": [["#0f0"]]}}"##;
    assert_eq!(filled(&more, "", texture), [102, 204, 0]);
    // Green is all that is left of it; 0.4 · 0 and 0.8 · 1.
    let textured = format!("{DIFFUSE}mov oT0, v2\n");
    assert_eq!(filled(&textured, "", texture), [0, 204, 0]);
    // Alpha is the texture's: blended over blue, none of it is seen.
    let clear = r##", "textures": {"fs0": {"rows": [["#00ff0000"]]}}, "blend": "alpha""##;
    assert_eq!(filled(&textured, "", clear), [0, 0, 255]);
    // White without oD0.
    assert_eq!(filled("vs_1_1\ndcl_position v0\nmov oPos, v0\n", "", ""), [255, 255, 255]);
}

#[test]
fn the_fog_of_a_vertex_shader() {
    // Half of the colour, half of the fog, which is black.
    let fog = DIFFUSE.replacen("vs_1_1\n", "vs_1_1\ndef c0, 0.5, 0.5, 0.5, 0.5\n", 1) + "mov oFog, c0.x\n";
    assert_eq!(filled(&fog, "", r#", "states": {"fog-mode": 4}"#), [51, 102, 0]);
    assert_eq!(filled(&fog, "", ""), [102, 204, 0]);
    // Behind a pixel shader of 2.0 too.
    let pixel = "ps_2_0\ndcl v0\nmov oC0, v0\n";
    assert_eq!(filled(&fog, pixel, r#", "states": {"fog-mode": 4}"#), [51, 102, 0]);
}

#[test]
fn stages_of_any_models_fit() {
    let third = "vs_3_0\ndcl_position v0\ndcl_color v1\ndcl_position o3\ndcl_color o7\ndcl_texcoord2 o1\n\
                 mov o3, v0\nadd o7, v1, v1\nmov o1, v1\n";
    // v0 is color0 and clamped: 0.8, 1.6 and 0; t2 is texcoord2 and not.
    assert_eq!(filled(third, "ps_1_1\nmov r0, v0\n", ""), [204, 255, 0]);
    assert_eq!(filled(third, "ps_2_0\ndcl t2\nmov oC0, t2\n", ""), [102, 204, 0]);
    assert_eq!(filled(third, "", ""), [204, 255, 0]);
    // oT2 is texcoord2.
    let first =
        "vs_1_1\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oT0, v0\nmov oT1, v0\nmov oT2, v1\n";
    assert_eq!(filled(first, "ps_3_0\ndcl_texcoord2 v5\nmov oC0, v5\n", ""), [102, 204, 0]);
    // Nothing gives color1.
    assert_eq!(filled(first, "ps_1_1\nmov r0, v1\n", ""), [0, 0, 0]);
}

#[test]
fn pixels_are_dropped_by_state() {
    let pixel = "ps_2_0\ndcl v0\nmov oC0, v0\n";
    // Alpha is 0.5.
    assert_eq!(filled(DIFFUSE, pixel, r#", "states": {"alpha-func": 5, "alpha-ref": 0.25}"#), [102, 204, 0]);
    assert_eq!(filled(DIFFUSE, pixel, r#", "states": {"alpha-func": 5, "alpha-ref": 0.5}"#), [0, 0, 255]);
    // w is 1 everywhere: outside of w <= -1, and inside of w >= 0.
    let outside = r#", "states": {"clip-plane-enable": 2, "clip-plane-1": [0, 0, 0, -1]}"#;
    assert_eq!(filled(DIFFUSE, pixel, outside), [0, 0, 255]);
    let inside = r#", "states": {"clip-plane-enable": 2, "clip-plane-1": [0, 0, 0, 1]}"#;
    assert_eq!(filled(DIFFUSE, pixel, inside), [102, 204, 0]);
}

#[test]
fn states_that_are_off_cost_nothing() {
    let scene = format!(
        r#"{{"size": 2, "vertex": {DIFFUSE:?}, "fragment": "ps_2_0\ndcl v0\nmov oC0, v0\n", "mesh": "fullscreen",
            "attributes": {{"v0": "position"}}}}"#
    );
    let scene = Scene::read(scene.as_bytes(), &mut Inline, None).unwrap();
    let (_, fragment) = scene.programs().next().unwrap();
    let mut operations = 0;
    fragment.body.for_each_inst(&mut |_| operations += 1);
    // The input, its clamp, the store.
    assert_eq!((operations, fragment.states.len()), (3, 0));
}
