//! State around shaders of Direct3D from the command line: `--pipeline`, `to --state`, run files, pairs. What must come out
//! follows from `docs/d3d9-state.md`.

use super::{folder, ok, stderr, stdout, vecasm};

const PIXEL: &str = "ps_2_0\ndcl v0\nmov oC0, v0\n";

#[test]
fn parts_of_the_pipeline_are_built_in_on_demand() {
    let plain = ok(&["to", "wgsl", "-"], PIXEL);
    assert!(!stdout(&plain).contains("state"), "{}", stdout(&plain));
    let fog = ok(&["to", "wgsl", "--pipeline", "fog", "-"], PIXEL);
    assert!(stdout(&fog).contains("fog_mode: u32"), "{}", stdout(&fog));
    // A state that is fixed is gone, and with it what it switches off: linear fog has no exponentials.
    let linear = ok(&["to", "wgsl", "--pipeline", "fog", "--state", "fog-mode=3", "-"], PIXEL);
    assert!(
        !stdout(&linear).contains("fog_mode") && !stdout(&linear).contains("exp2"),
        "{}",
        stdout(&linear)
    );
    assert!(stdout(&linear).contains("fog_range"));
    let off = ok(&["to", "wgsl", "--pipeline", "fog", "--state", "fog-mode=0", "-"], PIXEL);
    assert_eq!(stdout(&off), stdout(&plain));
    let help = ok(&["run", "--pipeline", "help"], "");
    assert!(stdout(&help).contains("--pipeline alpha-test"));
}

#[test]
fn what_does_not_exist_is_told() {
    let part = vecasm(&["to", "wgsl", "--pipeline", "mist", "-"], PIXEL);
    assert_eq!(part.status.code(), Some(2));
    assert!(stderr(&part).contains("expected one of none, strip, fog, alpha-test"), "{}", stderr(&part));
    let state = vecasm(&["to", "wgsl", "--pipeline", "alpha-test", "--state", "alpha=1", "-"], PIXEL);
    assert_eq!(state.status.code(), Some(2));
    assert!(stderr(&state).contains("alpha-func, alpha-ref"), "{}", stderr(&state));
}

#[test]
fn the_dimension_of_a_stage_is_a_state() {
    let text = "ps_1_1\ntex t0\nmov r0, t0\n";
    assert!(stdout(&ok(&["to", "wgsl", "-"], text)).contains("texture_2d<f32>"));
    let cube = ok(&["to", "wgsl", "--state", "texture-kind-0=cube", "-"], text);
    assert!(stdout(&cube).contains("texture_cube<f32>"), "{}", stdout(&cube));
    // The direction (0, 0, 1) is on the fifth face.
    let faces: Vec<String> = (0..6).map(|n| format!("[{}, 0, 0, 255]", n * 51)).collect();
    let run = format!(
        r#"{{"textures": {{"s0": {{"kind": "cube", "width": 1, "height": 1, "rgba8": [{}]}}}},
            "inputs": [{{"t0": [0, 0, 1, 1]}}, {{"t0": [0, 0, 1, 1]}}, {{"t0": [0, 0, 1, 1]}}, {{"t0": [0, 0, 1, 1]}}]}}"#,
        faces.join(", ")
    );
    let files = folder("d3d9-cube", &[("run.json", run.as_bytes()), ("a.d3d9", text.as_bytes())]);
    let path = |name: &str| files.join(name).to_string_lossy().into_owned();
    let output = ok(&["run", "--format", "hex", "-i", &path("run.json"), &path("a.d3d9")], "");
    // 4 · 51 / 255 = 0.8
    assert!(stdout(&output).starts_with("oC0 3f4ccccd 00000000 00000000 3f800000"), "{}", stdout(&output));
}

#[test]
fn a_pair_gets_what_it_lacks() {
    // sample2 of vs_3_0 has a location above 15; nothing writes texcoord1.
    let vertex = "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_sample2 o1\nmov o0, v0\nmov o1, v0\n";
    let pixel = "ps_3_0\ndcl_sample2 v0\ndcl_texcoord1 v1\nadd oC0, v0, v1\n";
    let files = folder("d3d9-pair", &[("a.d3d9", vertex.as_bytes()), ("b.d3d9", pixel.as_bytes())]);
    let path = |name: &str| files.join(name).to_string_lossy().into_owned();
    let output = ok(&["to", "wgsl", &path("a.d3d9"), &path("b.d3d9")], "");
    let text = stdout(&output);
    let varyings = text.split("struct Varyings").nth(1).and_then(|rest| rest.split('}').next()).unwrap();
    assert!(varyings.contains("@location(0)") && varyings.contains("@location(1)"), "{text}");
    assert!(!varyings.contains("@location(2"), "{text}");
}

#[test]
fn a_conversion_is_told_what_textures_are() {
    // ps_2_0 declares its samplers: 3 in bits 27 to 30 is a cube, 2 two dimensions.
    let text = "ps_1_1\ntex t0\ntexcoord t1\nmul r0, t0, t1\n";
    let to = ["to", "--canonicalize", "mojoshader", "--bytes", "hex"];
    let plain = ok(&[&to[..], &["-"]].concat(), text);
    assert!(stdout(&plain).contains("90000000"), "{}", stdout(&plain));
    let cube = ok(&[&to[..], &["--texture-kinds", "s0=cube", "-"]].concat(), text);
    assert!(stdout(&cube).contains("98000000"), "{}", stdout(&cube));
    let wrong = vecasm(&[&to[..], &["--texture-kinds", "s0=round", "-"]].concat(), text);
    assert_eq!(wrong.status.code(), Some(2));
}
