//! `vecasm render --pixel`: what happened to a pixel.

use super::{folder, ok, stderr, stdout, vecasm};
use serde_json::Value;
use std::path::PathBuf;

/// Two squares over the whole picture of 4 x 2: a red one, and behind it one whose red is x / 4, drawn without a test.
/// The first pixel from the left has its centre at x = 0.5.
fn scene(name: &str) -> PathBuf {
    let scene = r#"{"size": [4, 2], "antialias": 1, "vertex": "a.vert.agal", "fragment": "a.frag.agal",
        "mesh": {"layout": ["float2", "float1"], "vertices": [[-1, 1, 0], [1, 1, 4], [-1, -1, 0],
            [-1, -1, 0], [1, 1, 4], [1, -1, 4]]},
        "constants": {"fc0": [0.25, 0, 0, 1]},
        "draws": [{"fragment": ["mov oc, fc0"], "constants": {"fc0": [1, 0, 0, 1]}}, {"depth": false}, {}]}"#;
    let vertex = b"mov op, va0\nmov v0, va1\n";
    let fragment = b"// Red is a quarter of x.\nmov ft0, fc0\nmul ft0.x, v0.x, fc0.x\nmov oc, ft0\n";
    folder(name, &[("a.scene.json", scene.as_bytes()), ("a.vert.agal", vertex), ("a.frag.agal", fragment)])
        .join("a.scene.json")
}

fn render(args: &[&str]) -> String {
    stdout(&ok(&[&["render"], args].concat(), b"")).to_string()
}

#[test]
fn the_list_says_what_became_of_every_draw() {
    let scene = scene("pixel-list");
    let text = render(&[scene.to_str().unwrap(), "--pixel", "2,1"]);
    // x is 2.5 in the third pixel, so red is 0.625: 159.375, that is 159 = 0x9f. The third draw fails `less`: 0 < 0.
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "pixel 2,1 of 4 x 2: #9f0000ff = rgba 159 0 0 255", "{text}");
    let wanted = [
        "   1  cleared at $: #000000ff, depth 1, stencil 0",
        "   2  draw call 1 at $.draws[0], triangle 1 of vertices 3 4 5, front",
        "      colour 1, 0, 0, 1",
        "      kept at depth 0: #000000ff became #ff0000ff; overwritten by 3",
        "*  3  draw call 2 at $.draws[1], triangle 1 of vertices 3 4 5, front",
        "      colour 0.625, 0, 0, 1",
        "      kept at depth 0: #ff0000ff became #9f0000ff; this made the pixel",
        "   4  draw call 3 at $.draws[2], triangle 1 of vertices 3 4 5, front",
        "      colour 0.625, 0, 0, 1",
        "      failed the depth test: 0 less 0 is false",
    ];
    assert_eq!(lines[2..12], wanted, "{text}");
    assert!(text.contains("Number 3 again:\n  fragment\n    v0       2.5, 0, 0, 1\n"), "{text}");
}

#[test]
fn the_list_is_also_json() {
    let scene = scene("pixel-json");
    let text = render(&[scene.to_str().unwrap(), "--pixel", "2,1", "--format", "json"]);
    let json: Value = serde_json::from_str(&text).unwrap();
    let fates: Vec<&str> =
        json["events"].as_array().unwrap().iter().filter_map(|e| e["fate"].as_str()).collect();
    assert_eq!(fates, ["kept", "kept", "depth"]);
    assert_eq!((&json["made_by"], &json["chosen"]["number"]), (&3.into(), &3.into()));
    assert_eq!(json["chosen"]["fragment"]["inputs"]["v0"][0], 2.5);
    assert_eq!(json["color"], serde_json::json!([159, 0, 0, 255]));
    // The picture has the same colour there.
    let file = scene.with_file_name("a.png");
    ok(&["render", scene.to_str().unwrap(), "-o", file.to_str().unwrap()], b"");
    let mut reader =
        png::Decoder::new(std::io::Cursor::new(std::fs::read(&file).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels[(4 + 2) * 4..][..4], [159, 0, 0, 255]);
}

#[test]
fn the_trace_is_that_of_one_fragment_or_vertex() {
    let scene = scene("pixel-trace");
    let trace = |more: &[&str]| -> Vec<Value> {
        let text = render(&[&[scene.to_str().unwrap(), "--pixel", "2,1", "--trace"], more].concat());
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let made = trace(&[]);
    assert_eq!(made.len(), 3);
    // The left-bottom one of its quad: invocation 2.
    assert_eq!(made[1]["live"], serde_json::json!([2]));
    assert_eq!(made[1]["instruction"], "mul ft0.x, v0.x, fc0.x");
    assert_eq!(made[1]["writes"]["ft0.x"], serde_json::json!({"old": [[0.25]], "new": [[0.625]]}));
    // Conditions choose among them.
    let one = trace(&["--trace-if", "writes ft0.x", "--trace-if", "ft0.x > 0.5"]);
    assert_eq!((one.len(), &one[0]), (1, &made[1]));
    // The red square has one instruction.
    assert_eq!(trace(&["--draw", "2"]).len(), 1);
    // The corners of the right-bottom triangle are (-1, -1), (1, 1), (1, -1).
    let corner = trace(&["--vertex", "1"]);
    assert_eq!(corner[0]["reads"]["va0.xyzw"], serde_json::json!([[1, 1, 0, 1]]));
    assert_eq!(corner[1]["writes"]["v0.xyzw"]["new"], serde_json::json!([[4, 0, 0, 1]]));
}

#[test]
fn a_pair_without_a_scene_has_pixels_too() {
    let scene = scene("pixel-pair");
    let [vertex, fragment] = ["a.vert.agal", "a.frag.agal"].map(|name| scene.with_file_name(name));
    let pair = [vertex.to_str().unwrap(), fragment.to_str().unwrap(), "--size", "8x8", "--pixel", "4,4"];
    let text = render(&pair);
    assert!(text.contains("draw call 1 at $, triangle"), "{text}");
    let text = render(&[&pair[..], &["--trace"]].concat());
    assert!(text.lines().nth(1).unwrap().contains("mul ft0.x, v0.x, fc0.x"), "{text}");
}

#[test]
fn what_cannot_be_picked_is_told() {
    let scene = scene("pixel-wrong");
    let scene = scene.to_str().unwrap();
    for (args, status, message) in [
        (&["--pixel", "4,0"][..], 2, "the pixel 4, 0 is outside the picture of 4 × 2 pixels"),
        (&["--pixel", "1"], 2, "expected X,Y"),
        (&["--pixel", "1,1", "--draw", "1"], 2, "--draw 1: the draws of the pixel are 2, 3, 4"),
        (&["--pixel", "1,1", "--target", "a"], 2, "no target \"a\": the scene draws into no texture"),
        (&["--pixel", "1,1", "--vertex", "3"], 2, "3 is not in 0..3"),
        (&["--trace"], 2, "--pixel <X,Y>"),
    ] {
        let output = vecasm(&[&["render", scene], args].concat(), b"");
        assert_eq!(output.status.code(), Some(status), "{args:?}");
        assert!(stderr(&output).contains(message), "{args:?}: {}", stderr(&output));
    }
}

/// A triangle over the view, whose corners have red 1, 0.5 and nothing: the first is what IN has, the second is written
/// over it in part, the third has nothing written.
const TRIANGLE: &str = "GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
IMM[0] FLT32 {-3.0, 1.0, 3.0, 0.5}
IMM[1] INT32 {0, 0, 0, 0}
MOV OUT[0], IMM[0].xyyy
MOV OUT[1], IN[0][0]
EMIT IMM[1].xxxx
MOV OUT[0], IMM[0].zyyy
MOV OUT[1].x, IMM[0].wwww
EMIT IMM[1].xxxx
MOV OUT[0], IMM[0].yxyy
EMIT IMM[1].xxxx
END
";

#[test]
fn a_geometry_program_is_followed() {
    let scene = r#"{"size": [4, 2], "antialias": 1, "depth": false, "geometry": "a.geom.tgsi", "primitive": "points",
        "varyings": {"IN[0]": [1, 0, 0, 1]}, "show": {"OUT[1]": "color"},
        "mesh": {"layout": ["float3", "float3", "float2", "float3", "float4"],
            "vertices": [[0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]]}}"#;
    let files = [("a.scene.json", scene.as_bytes()), ("a.geom.tgsi", TRIANGLE.as_bytes())];
    let scene = folder("pixel-geometry", &files).join("a.scene.json");
    let scene = scene.to_str().unwrap();
    let text = render(&[scene, "--pixel", "1,0"]);
    // The centre is (-0.25, 0.5) = 0.5 (-3, 1) + 0.375 (3, 1) + 0.125 (1, -3); red is 0.5 + 0.375 / 2.
    assert!(text.contains("colour 0.6875, 0, 0, 1\n"), "{text}");
    assert!(text.contains("geometry (invocation 0: vertices 0 1 2 of what it emitted)"), "{text}");
    assert!(text.contains("    OUT[1]   0.5, 0, 0, 0 (out, vertex 1)\n"), "{text}");
    let json: Value = serde_json::from_str(&render(&[scene, "--pixel", "1,0", "--format", "json"])).unwrap();
    let geometry = &json["chosen"]["geometry"];
    assert_eq!(geometry["inputs"]["IN[0][0]"], serde_json::json!([1.0, 0.0, 0.0, 1.0]));
    assert_eq!(geometry["emitted"][1]["OUT[0]"], serde_json::json!([3.0, 1.0, 1.0, 1.0]));
    assert_eq!(geometry["corners"], serde_json::json!([0, 1, 2]));
    assert_eq!(json["chosen"]["tess_eval"], serde_json::json!([]));
    // What was emitted is seen where it is written over.
    let trace = render(&[scene, "--pixel", "1,0", "--geometry", "--trace"]);
    let lines: Vec<&str> = trace.lines().collect();
    assert_eq!(lines.len(), 8, "{trace}");
    assert!(lines[4].ends_with(r#""writes":{"OUT[1].x":{"old":[[1]],"new":[[0.5]]}}}"#), "{trace}");
    // There are no other stages.
    for (flags, says) in [
        (["--tess-eval", "0"], "draw 2 has no tess-eval program"),
        (["--tess-control", "0"], "draw 2 has no tess-control program"),
    ] {
        let output = vecasm(&[&["render", scene, "--pixel", "1,0", "--trace"], &flags[..]].concat(), b"");
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
    }
    let output = vecasm(&["render", scene, "--layer", "1"], b"");
    assert!(stderr(&output).contains("no layer 1: the picture has 1 layer"), "{}", stderr(&output));
}
