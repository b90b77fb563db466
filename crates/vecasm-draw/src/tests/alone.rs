//! Vertex programs of the NV2A drawn without a fragment program: what each pixel has to be follows from the rules of the
//! default fragment stage.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::draw::Budget;
use super::scene::{Host, Scene};
use super::tests_tiles::render;
use super::{Picture, RenderError};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::ir::{Shader, Stage};
use vecasm_isa::Isa;
use vecasm_isa::any::{AnyProgram, LiftOptions};
use vecasm_isa::nv2a::lift::Space;

struct Inline;

impl Host for Inline {
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
        Err(format!("no file {name}"))
    }

    fn compile(&mut self, _: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        let text = core::str::from_utf8(code).map_err(|e| e.to_string())?;
        let (program, findings) = AnyProgram::parse(Isa::Nv2a, text, None, None);
        let program = program.ok_or_else(|| format!("{name}: {findings:?}"))?;
        let mut options = LiftOptions::default();
        options.nv2a.space = Space::Clip;
        program.lift(&options).map_err(|e| e.to_string())
    }

    fn fragment(&mut self, vertex: &Shader, textured: bool) -> Result<Shader, String> {
        Isa::Nv2a.default_fragment(vertex, textured).ok_or_else(|| "none".into())
    }
}

fn draw(scene: &str) -> Result<Picture, RenderError> {
    let budget = Budget { vertices: 100_000, fragments: 4_000_000 };
    render(&Scene::read(scene.as_bytes(), &mut Inline, None)?, budget)
}

/// The one colour of a picture that a program fills.
fn filled(program: &[&str], rest: &str) -> [u8; 3] {
    let lines: Vec<String> = program.iter().map(|line| format!("{line:?}")).collect();
    let scene = format!(
        r#"{{"size": [4, 4], "antialias": 1, "vertex": [{}], "mesh": "fullscreen",
            "attributes": {{"v0": "position", "v3": [0.2, 0.4, 0.6, 1], "v9": "uv"}} {rest}}}"#,
        lines.join(", ")
    );
    let picture = draw(&scene).unwrap();
    let first: [u8; 3] = [picture.rgba8[0], picture.rgba8[1], picture.rgba8[2]];
    assert!(picture.rgba8.chunks(4).all(|p| p[..3] == first), "{:?}", picture.rgba8);
    first
}

/// What takes the corners of the square -1..=1 to pixels of a picture of 4 by 4.
const CORNERS: &str = r#""constants": {"c0": [2, -2, 0, 1], "c1": [2, 2, 0, 0]"#;

#[test]
fn positions_in_pixels_become_clip_space() {
    // Centres on the left and top edges of the square from (0.5, 0.5) to (2.5, 2.5) count, on the others not.
    let corners = [(0.5, 0.5), (2.5, 0.5), (0.5, 2.5), (0.5, 2.5), (2.5, 0.5), (2.5, 2.5)];
    let vertices: Vec<String> =
        corners.iter().map(|(x, y)| format!("[{x}, {y}, 0, 1, 1, 1, 1, 1]")).collect();
    let picture = draw(&format!(
        r#"{{"size": [4, 4], "antialias": 1, "vertex": ["mov oPos, v0", "mov oD0, v1"],
            "mesh": {{"layout": ["float4", "float4"], "vertices": [{}]}}}}"#,
        vertices.join(", ")
    ))
    .unwrap();
    let red: Vec<u8> = picture.rgba8.chunks(4).map(|p| p[0]).collect();
    assert_eq!(red, [255, 255, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn colours_are_diffuse_plus_specular() {
    let rest = format!(r#", {CORNERS}, "c2": [0.1, 0.6, 1, 0]}}"#);
    // Nothing writes oD0: white.
    assert_eq!(filled(&["mul oPos.xy, v0, c[0]", "add oPos.xy, r12, c[1]"], &rest), [255; 3]);
    let place = ["mul oPos.xy, v0, c[0]", "add oPos.xy, r12, c[1]", "mov oD0, v3"];
    assert_eq!(filled(&place, &rest), [51, 102, 153]);
    // 0.2 + 0.1, 0.4 + 0.6, 0.6 + 1 and no more than 1.
    let bright = [&place[..], &["mov oD1, c[2]"]].concat();
    assert_eq!(filled(&bright, &rest), [77, 255, 255]);
}

#[test]
fn a_texture_is_multiplied_if_there_is_one() {
    let program = ["mul oPos.xy, v0, c[0]", "add oPos.xy, r12, c[1]", "mov oD0, v3", "mov oT0, v9"];
    let constants = format!(", {CORNERS}}}");
    assert_eq!(filled(&program, &constants), [51, 102, 153]);
    let textured = format!(r##"{constants}, "textures": {{"fs0": {{"rows": [["#ff0080"]]}}}}"##);
    // 0.6 * 128/255 * 255 = 76.8
    assert_eq!(filled(&program, &textured), [51, 0, 77]);
}

#[test]
fn fog_mixes_by_its_factor() {
    let program = ["mul oPos.xy, v0, c[0]", "add oPos.xy, r12, c[1]", "mov oD0, v3", "mov oFog.x, c[2].x"];
    let rest = |states: &str| format!(r#", {CORNERS}, "c2": [0.25, 0, 0, 0]}}, "states": {{{states}}}"#);
    // A quarter of the colour and three quarters of red: 0.75 + 0.25 * 0.2, 0.25 * 0.4, 0.25 * 0.6.
    assert_eq!(filled(&program, &rest(r##""fog-color": "#f00""##)), [204, 26, 38]);
    // The factor is 0.25 * 2 + 0.5: no fog.
    assert_eq!(filled(&program, &rest(r##""fog-color": "#f00", "fog": [2, 0.5]"##)), [51, 102, 153]);
}

#[test]
fn attributes_that_are_not_set_are_filled_only_by_register() {
    // v5 reads (0, 0, 0, 1), so red is w.
    let program = ["mul oPos.xy, v0, c[0]", "add oPos.xy, r12, c[1]", "mov oD0, v5.wxxw"];
    assert_eq!(filled(&program, &format!(", {CORNERS}}}")), [255, 0, 0]);
    let listed = r#"{"vertex": ["mov oPos, v0", "mov oD0, v5"], "mesh": "quad", "attributes": ["position"]}"#;
    let error = draw(listed).unwrap_err();
    assert!(error.message.contains("reads v5"), "{error}");
}

#[test]
fn what_is_wrong_is_told() {
    let scene = |rest: &str| format!(r#"{{"vertex": ["mov oPos, v0"], "mesh": "quad", {rest}}}"#);
    for (rest, path, message) in [
        (
            r#""states": {"fog": 1}"#,
            "$.states.fog",
            "no state value \"fog\"; the programs have surface, clip-max",
        ),
        (r#""attributes": {"v16": "position"}"#, "$.attributes.v16", "not an attribute; expected v0 to v15"),
        (
            r#""attributes": {"v0": "position", "va0": "uv"}"#,
            "$.attributes.va0",
            "attribute 0 is given twice",
        ),
        (r#""attributes": {"v0": [1, 2, 3, 4, 5]}"#, "$.attributes.v0", "at most four numbers"),
        (r#""attributes": {}"#, "$.attributes", "no attribute is given"),
    ] {
        let error = draw(&scene(rest)).unwrap_err();
        assert_eq!(error.path, path, "{error}");
        assert!(error.message.contains(message), "{error}");
    }
}
