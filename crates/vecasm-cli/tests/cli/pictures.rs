//! Drawing programs without scenes, and measuring, comparing and collecting pictures.

use crate::{folder, ok, stderr, stdout, vecasm};
use serde_json::Value;
use std::path::Path;

/// Width, height and pixels of a PNG.
fn pixels(bytes: &[u8]) -> (u32, u32, Vec<[u8; 4]>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut out = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut out).unwrap();
    let texels = out.chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]]).collect();
    (info.width, info.height, texels)
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_string()
}

/// What a fragment program draws that stands alone.
fn draw(program: &str, flags: &[&str]) -> Vec<[u8; 4]> {
    let mut args = vec!["render", "-", "--quiet", "--size", "16x8"];
    args.extend(flags);
    let (width, height, texels) = pixels(&ok(&args, program).stdout);
    assert_eq!((width, height), (16, 8));
    texels
}

#[test]
fn a_constant_fills_the_view_of_a_lone_fragment_program() {
    // 0.5 · 255 = 127.5 and 0.25 · 255 = 63.75, rounded.
    for (program, constant) in [
        (".agal fragment 1\nmov oc, fc0", "fc0=[1,0.5,0.25,1]"),
        (".agal fragment 1\nmov oc, fc0", "c0=[1,0.5,0.25,1]"),
        ("ps_2_0\nmov oC0, c0", "c0=[1,0.5,0.25,1]"),
        ("ps_1_1\nmov r0, c0", "c0=[1,0.5,0.25,1]"),
    ] {
        for texel in draw(program, &["--constant", constant]) {
            assert_eq!(texel, [255, 128, 64, 255], "{program}");
        }
    }
}

/// A large picture of many triangles that overlap, with derivatives, holes and blending.
#[test]
fn pictures_do_not_depend_on_threads() {
    let program = ".agal fragment 2\nddx ft0, v0\nmul ft0, ft0, fc0\nadd ft0, ft0, v0\nsub ft1.x, v0.x, fc0.y\n\
                   kil ft1.x\nmov ft0.w, fc0.z\nmov oc, ft0";
    let draw = |threads: &str, engine: &str| {
        let args = ["render", "-", "--quiet", "--size", "400x300", "--mesh", "torus", "--constant"];
        let rest = ["fc0=[64,0.25,0.5,0]", "--threads", threads, "--engine", engine];
        ok(&[&args[..], &rest[..]].concat(), program).stdout
    };
    let right = draw("1", "interp");
    let (width, height, texels) = pixels(&right);
    assert_eq!((width, height), (400, 300));
    assert!(texels.iter().collect::<std::collections::BTreeSet<_>>().len() > 100);
    for (threads, engine) in [("1", "auto"), ("2", "auto"), ("2", "interp"), ("5", "auto")] {
        assert!(draw(threads, engine) == right, "{threads} threads, {engine}");
    }
    let refused = vecasm(&["render", "-", "--threads", "0"], program);
    assert!(stderr(&refused).contains("0 is not in"), "{}", stderr(&refused));
}

/// The coordinates of pixel (x, y) of W × H are ((x + ½)/W, (y + ½)/H), whatever the language calls them.
#[test]
fn varyings_of_a_lone_fragment_program_are_coordinates() {
    for program in [
        ".agal fragment 1\nmov oc, v0.xyzw",
        "ps_3_0\ndcl_texcoord0 v0\nmov oC0, v0",
        "ps_2_0\ndcl t0\nmov oC0, t0",
    ] {
        let texels = draw(program, &[]);
        for (i, texel) in texels.iter().enumerate() {
            let place = [((i % 16) as f32 + 0.5) / 16.0, ((i / 16) as f32 + 0.5) / 8.0];
            for (lane, expected) in place.into_iter().enumerate() {
                let given = f32::from(texel[lane]) / 255.0;
                assert!((given - expected).abs() < 0.6 / 255.0, "{program}: {i}: {texel:?}");
            }
        }
    }
}

/// The scene that is guessed for a program.
fn guessed(program: &str) -> (Value, String) {
    let output = ok(&["render", "-", "--show-scene"], program);
    (serde_json::from_slice(&output.stdout).unwrap(), stderr(&output).to_string())
}

/// Notes call registers what the program calls them, and tell of no inputs that it does not have.
#[test]
fn guesses_are_told_in_the_programs_own_names() {
    let d3d9 =
        "ps_2_0\ndcl t0.xy\ndcl v0\ndcl_2d s1\ntexld r0, t0, s1\nmul r0, r0, v0\nmul r0, r0, c3\nmov oC0, r0";
    let (scene, said) = guessed(d3d9);
    assert!(scene["textures"]["fs1"].is_object(), "{scene}");
    assert!(said.contains("s1 is the pattern") && said.contains("guessed: c3 is ["), "{said}");
    for none in ["fs1", "fc3", "clip0", "oFog"] {
        assert!(!said.contains(none), "{none}: {said}");
    }
    assert!(said.contains("t0 uv") && said.contains("v0 color"), "{said}");
    let tgsi = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0][0..2]\nMUL OUT[0], IN[0], CONST[0][2]\nEND\n";
    let (_, said) = guessed(tgsi);
    assert!(said.contains("CONST[2] is [") && !said.contains("fc2"), "{said}");
    let nv2a = "xvs.1.1\nm4x4 oPos, v0, c0\nmov oD0, c9\n";
    let (_, said) = guessed(nv2a);
    assert!(!said.contains("vc"), "{said}");
    // Two programs: whose register it is.
    let files = folder(
        "own-names",
        &[
            ("a.vert.d3d9", b"vs_2_0\ndcl_position v0\nm4x4 oPos, v0, c0\nmov oT0, v0\n"),
            ("a.frag.d3d9", d3d9.as_bytes()),
        ],
    );
    let path = |name: &str| files.join(name).display().to_string();
    let output = ok(&["render", &path("a.vert.d3d9"), &path("a.frag.d3d9"), "--show-scene"], "");
    let said = stderr(&output);
    assert!(said.contains("vertex c0 is") && said.contains("fragment s1 is the pattern"), "{said}");
}

#[test]
fn matrices_are_found_by_what_programs_do() {
    let (scene, said) = guessed(".agal vertex 1\nm44 op, va0, vc4\nmov v0, va1");
    assert_eq!(scene["constants"]["vc4"], "modelViewProjection");
    assert_eq!(scene["mesh"], "torus");
    assert!(said.contains("guessed: vc4 is modelViewProjection"), "{said}");
    // The same by columns.
    let (scene, _) = guessed(
        "vs_1_1\ndcl_position v0\nmul r0, v0.x, c2\nmad r0, v0.y, c3, r0\nmad r0, v0.z, c4, r0\nmad oPos, v0.w, c5, r0",
    );
    assert_eq!(scene["constants"]["c2"], Value::Null);
    assert_eq!(scene["constants"]["vc2"]["transpose"], "modelViewProjection");
    // Two in a row.
    let (scene, _) = guessed("vs_2_0\ndcl_position v0\nm4x4 r0, v0, c8\nm4x4 oPos, r0, c0");
    assert_eq!(scene["constants"]["vc8"], "model");
    assert_eq!(scene["constants"]["vc0"], "viewProjection");
    // None at all: the program puts a square over the view.
    let (scene, _) = guessed(".agal vertex 1\nmov op, va0\nmov v0, va1");
    assert!(scene["mesh"]["quad"].is_object(), "{scene}");
}

#[test]
fn programs_between_get_what_they_take() {
    // Triangles for a geometry program, and a matrix by its rows: places in the world.
    let rows = "DP4 OUT[0].x, IN[0][0], CONST[2]\nDP4 OUT[0].y, IN[0][0], CONST[3]\n\
        DP4 OUT[0].z, IN[0][0], CONST[4]\nDP4 OUT[0].w, IN[0][0], CONST[5]\nMOV OUT[1], IN[0][0]\n";
    let emit = |n: u32| rows.replace("IN[0][0]", &format!("IN[{n}][0]")) + "EMIT IMM[0].xxxx\n";
    let head = |primitive: &str| {
        format!(
            "GEOM\nPROPERTY GS_INPUT_PRIMITIVE {primitive}\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n\
             PROPERTY GS_MAX_OUTPUT_VERTICES 3\nDCL IN[][0], GENERIC[0]\nDCL OUT[0], POSITION\n\
             DCL OUT[1], GENERIC[0]\nDCL CONST[0..5]\nIMM[0] INT32 {{0, 0, 0, 0}}\n"
        )
    };
    let (scene, said) = guessed(&[head("TRIANGLES"), emit(0), emit(1), emit(2), "END\n".into()].concat());
    assert_eq!(scene["primitive"], "triangles");
    assert!(scene["mesh"]["torus"].is_object(), "{scene}");
    assert_eq!(scene["constants"]["gc2"], "viewProjection");
    assert_eq!(scene["varyings"]["IN[0]"], "position");
    // The scene's gc2 is told by the name that the program has for it.
    assert!(said.contains("guessed: CONST[2] is viewProjection"), "{said}");
    // With neighbours: the corners are every other vertex, and each of 20 triangles has six.
    let adjacent = [head("TRIANGLES_ADJACENCY"), emit(0), emit(2), emit(4), "END\n".into()].concat();
    let (scene, _) = guessed(&adjacent);
    assert_eq!(scene["primitive"], "triangles-adjacency");
    let indices: Vec<u64> =
        scene["mesh"]["indices"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
    assert_eq!(indices.len(), 120);
    for six in indices.chunks(6) {
        let different: std::collections::BTreeSet<_> = six.iter().collect();
        assert_eq!(different.len(), 6, "{six:?}");
    }
    // Patches of as many vertices as an evaluation program names.
    let (scene, said) = guessed(
        "TESS_EVAL\nPROPERTY TES_PRIM_MODE 7\nPROPERTY TES_SPACING 2\nDCL IN[][0], POSITION\nDCL SV[0], TESSCOORD\n\
         DCL OUT[0], POSITION\nDCL TEMP[0..1]\nLRP TEMP[0], SV[0].xxxx, IN[1][0], IN[0][0]\n\
         LRP TEMP[1], SV[0].xxxx, IN[3][0], IN[2][0]\nLRP OUT[0], SV[0].yyyy, TEMP[1], TEMP[0]\nEND\n",
    );
    assert_eq!((&scene["primitive"], &scene["patch_vertices"]), (&"patches".into(), &4.into()), "{said}");
    assert_eq!(scene["varyings"]["IN[0]"], "clip");
    // A control program alone has a stage behind it, and is drawn.
    let control = "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\nDCL SV[0], INVOCATIONID\n\
        DCL OUT[][0], POSITION\nDCL ADDR[0]\nUARL ADDR[0].x, SV[0].xxxx\n\
        MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]\nEND\n";
    let (scene, _) = guessed(control);
    assert_eq!(scene["patch_vertices"], 3);
    // The middle of the view is on the sphere, and a corner is not.
    let texels = draw(control, &[]);
    assert_ne!(texels[4 * 16 + 8], texels[0]);
    // Compute programs draw nothing.
    let output = vecasm(&["render", "-"], "COMP\nEND\n");
    assert!(stderr(&output).contains("a compute program draws nothing"), "{}", stderr(&output));
}

#[test]
fn a_guessed_scene_is_a_scene() {
    let program = ".agal vertex 1\nm44 op, va0, vc0\nmov v0, va1";
    let dir = folder("guessed_scene", &[("a.vert.agal", program.as_bytes())]);
    let file = path(&dir, "a.vert.agal");
    let scene = path(&dir, "a.scene.json");
    ok(&["render", "--quiet", &file, "--show-scene", "-o", &scene], "");
    let direct = ok(&["render", "--quiet", &file], "").stdout;
    assert_eq!(ok(&["render", &scene], "").stdout, direct);
}

#[test]
fn unknown_names_of_constants_are_refused() {
    let output = vecasm(&["render", "-", "--constant", "Foo=1"], "ps_2_0\nmov oC0, c0");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no constant \"Foo\""), "{}", stderr(&output));
}

/// Three instances of a square over the left half: 3 fragments in each of its 8 × 8 pixels, of 4 instructions each.
const THREE: &str = r#"{ "size": [16, 8], "antialias": 1, "depth": false, "instances": 3,
    "vertex": ["mov op, va0", "mov v0, va0"],
    "fragment": ["add ft0, v0, v0", "sub ft0, ft0, v0", "mul ft0, ft0, v0", "mov oc, ft0"],
    "mesh": { "layout": ["float3"], "vertices": [[-1,-1,0],[-1,1,0],[0,1,0],[0,-1,0]], "indices": [0,1,2,0,2,3] } }"#;

fn heat(scene: &str, measure: &str, flags: &[&str]) -> Value {
    let mut args = vec!["render", "-", "--heatmap", measure, "--format", "json"];
    args.extend(flags);
    serde_json::from_slice(&ok(&args, scene).stdout).unwrap()
}

#[test]
fn heat_maps_count() {
    for (measure, each) in [("overdraw", 3), ("instructions", 12)] {
        let summary = heat(THREE, measure, &[]);
        assert_eq!(summary["min"], each, "{summary}");
        assert_eq!(summary["max"], each);
        assert_eq!(summary["drawn"], 64);
        assert_eq!(summary["pixels"], 128);
        assert_eq!(summary["total"], each * 64);
        assert_eq!(summary["mean"], f64::from(each) / 2.0);
    }
    assert_eq!(heat(THREE, "discards", &[])["max"], 0);
    // Every fragment left of the middle of the square is dropped: x < -0.5.
    let dropping =
        THREE.replace("\"add ft0, v0, v0\"", "\"add ft0, v0, fc0\", \"kil ft0.x\", \"mov ft0, v0\"");
    let dropping = dropping.replace("\"instances\": 3", "\"instances\": 1, \"constants\": {\"fc0\": 0.5}");
    let summary = heat(&dropping, "discards", &[]);
    assert_eq!((&summary["max"], &summary["drawn"]), (&1.into(), &32.into()), "{summary}");
}

/// 1/0 is an infinity, and that times 0 is no number.
#[test]
fn heat_maps_find_what_is_no_number() {
    let scene = |end: &str| {
        let body = format!("\"sub ft0, v0, v0\", \"rcp ft1, ft0\", {end}");
        let from = r#""add ft0, v0, v0", "sub ft0, ft0, v0", "mul ft0, ft0, v0", "mov oc, ft0""#;
        THREE.replace(from, &body)
    };
    let summary = heat(&scene("\"mov oc, ft1\""), "nan", &["--numerics", "ieee"]);
    assert_eq!((&summary["infinity_put_out"], &summary["nan_put_out"]), (&64.into(), &0.into()), "{summary}");
    let summary = heat(&scene("\"mul oc, ft1, ft0\""), "nan", &["--numerics", "ieee"]);
    assert_eq!(summary["nan_put_out"], 64, "{summary}");
    let summary = heat(&scene("\"mov oc, ft0\""), "nan", &["--numerics", "ieee"]);
    assert_eq!((&summary["infinity_born"], &summary["infinity_put_out"]), (&64.into(), &0.into()));
}

#[test]
fn heat_maps_have_a_legend() {
    let output = ok(&["render", "-", "--heatmap", "overdraw"], THREE);
    let (width, height, texels) = pixels(&output.stdout);
    assert!(width >= 200 && height > 8, "{width} x {height}");
    // The largest number is the brightest colour, the ground is dark.
    assert!(texels[0].iter().take(2).all(|lane| *lane > 200), "{:?}", texels[0]);
    assert!(texels[12].iter().take(3).all(|lane| *lane < 20));
    assert!(stderr(&output).contains("from 3 to 3"), "{}", stderr(&output));
}

#[test]
fn pictures_are_compared() {
    let solid = |c: u8| {
        format!(
            r#"{{ "size": 8, "vertex": ["mov op, va0"], "fragment": ["mov oc, fc0"], "mesh": "quad",
                "constants": {{ "fc0": [{0}, {0}, {0}, 1] }} }}"#,
            f32::from(c) / 255.0
        )
    };
    let (a, b) = (solid(100), solid(103));
    let dir = folder("compared", &[("a.json", a.as_bytes()), ("b.json", b.as_bytes())]);
    let (a, b, png) = (path(&dir, "a.json"), path(&dir, "b.json"), path(&dir, "a.png"));
    ok(&["render", &a, "-o", &png], "");
    ok(&["render", &a, "--against", &png], "");
    let output = vecasm(&["render", &b, "--against", &png], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("by at most 3 of 255"), "{}", stdout(&output));
    ok(&["render", &b, "--against", &png, "--threshold", "max=3,psnr=38"], "");
    let difference = path(&dir, "difference.png");
    let flags =
        ["render", &b, "--against", &a, "--threshold", "max=2", "--format", "json", "-o", &difference];
    let output = vecasm(&flags, "");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    // All 64 pixels differ by 3 in all channels: the mean square is 9.
    assert_eq!((&report["max"], &report["differing"]), (&3.into(), &64.into()), "{report}");
    assert_eq!(report["mean"], 3.0);
    let psnr = 10.0 * (65025.0f64 / 9.0).log10();
    assert!((report["psnr"].as_f64().unwrap() - psnr).abs() < 1e-9);
    assert_eq!(pixels(&std::fs::read(&difference).unwrap()).0, 8 * 3 + 8);
    let larger = solid(100).replace("\"size\": 8", "\"size\": 9");
    assert_eq!(vecasm(&["render", "-", "--against", &png], larger).status.code(), Some(1));
}

/// The red of frame n is its time, n/4.
#[test]
fn frames_follow_the_time() {
    let program = ".agal fragment 1\nmov oc, fc0.xxxx";
    let flags =
        ["render", "-", "--quiet", "--size", "4x4", "--constant", "fc0=time", "--frames", "4", "--fps", "4"];
    let bytes = ok(&flags, program).stdout;
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes[..])).read_info().unwrap();
    assert_eq!(reader.info().animation_control().unwrap().num_frames, 4);
    let mut frame = vec![0; 64];
    for expected in [0, 64, 128, 191] {
        reader.next_frame(&mut frame).unwrap();
        assert_eq!(frame[0], expected);
    }
}

#[test]
fn sheets_show_every_shader_once() {
    let text = ".agal fragment 1\nmov oc, v0";
    let bytes = ok(&["asm", "-"], text).stdout;
    let scene =
        r#"{ "vertex": ["mov op, va0"], "fragment": "a.frag.agal", "mesh": "quad", "size": [200, 100] }"#;
    let dir = folder(
        "sheet",
        &[
            ("a.frag.agal", text.as_bytes()),
            ("a.scene.json", scene.as_bytes()),
            ("same.bin", &bytes),
            ("bad.agal", b".agal fragment 1\nfoo oc, v0"),
            ("notes.md", b"no shader"),
            ("other.json", b"{\"a\": 1}"),
        ],
    );
    std::fs::create_dir(dir.join("below")).unwrap();
    std::fs::write(dir.join("below/x.asm"), "vs_1_1\ndcl_position v0\nm4x4 oPos, v0, c0").unwrap();
    let sheet = path(&dir, "sheet.png");
    let output =
        ok(&["render", "--sheet", dir.to_str().unwrap(), "--cell", "32", "--columns", "2", "-o", &sheet], "");
    let said = stderr(&output);
    assert!(said.contains("4 shaders: 3 drawn, 0 without visible output, 1 bad, 0 failed"), "{said}");
    assert!(said.contains("duplicate files: 1"), "{said}");
    assert!(said.contains("AGAL-unknown-opcode"), "{said}");
    // Two columns of 32 + 6, and 3 on both sides.
    assert_eq!(pixels(&std::fs::read(&sheet).unwrap()).0, 2 * 38 + 6);
    let empty = folder("sheet_empty", &[("a.txt", b"nothing")]);
    assert_eq!(vecasm(&["render", "--sheet", empty.to_str().unwrap()], "").status.code(), Some(2));
}

/// A DDS file of one block of BC1: both colours are 0x07e0, which is green alone, so all 16 texels are.
fn green_dds() -> Vec<u8> {
    let mut words = [0u32; 32];
    words[0] = u32::from_le_bytes(*b"DDS ");
    (words[1], words[2], words[3], words[4]) = (124, 0x1007, 4, 4);
    (words[19], words[20], words[21]) = (32, 4, u32::from_le_bytes(*b"DXT1"));
    words[27] = 0x1000;
    let mut out: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    out.extend([0xe0, 0x07, 0xe0, 0x07, 0, 0, 0, 0]);
    out
}

#[test]
fn textures_come_from_files() {
    let program = ".agal fragment 1\ntex oc, v0, fs0 <2d,nearest,clamp>";
    let dir = folder("texture_files", &[("green.dds", &green_dds()), ("cut.dds", &green_dds()[..130])]);
    std::fs::write(dir.join("a.frag.agal"), program).unwrap();
    let file = path(&dir, "a.frag.agal");
    let output = ok(&["render", "--quiet", &file, "--texture", "s0=green.dds", "--size", "8x8"], "");
    assert!(pixels(&output.stdout).2.iter().all(|texel| *texel == [0, 255, 0, 255]));
    let output = vecasm(&["render", "--quiet", &file, "--texture", "s0=cut.dds"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("$.textures.fs0.image: cut.dds: the texels are truncated"),
        "{}",
        stderr(&output)
    );
}

/// A repro file of a run: √|−4| is 2, and 2, 0 and 1 are what they are. The same is in docs/repro-format.md.
const ROOTS: &str = r#"{ "vecasm-repro": 1, "title": "roots", "flags": ["--numerics", "flash"],
    "program": { "name": "root.frag.agal", "text": "sqt oc, v0" }, "input": { "inputs": [{ "v0": [-4, 4, 0, 1] }] },
    "expected": { "outputs": [{ "oc": ["0x40000000", "0x40000000", "0x00000000", "0x3f800000"] }] } }"#;

#[test]
fn repro_files_are_checked() {
    let wrong = ROOTS.replace("[\"0x40000000\", ", "[\"0x40400000\", ");
    // The square root of a negative number is none by IEEE 754, and what is not compared may be anything.
    let ieee = ROOTS.replace("flash", "ieee");
    let files: [(&str, &[u8]); 3] = [
        ("a.vecasm-repro", ROOTS.as_bytes()),
        ("b.vecasm-repro", wrong.as_bytes()),
        ("c.json", ieee.as_bytes()),
    ];
    let dir = folder("repro_check", &files);
    let output = ok(&["repro", "check", &path(&dir, "a.vecasm-repro")], "");
    assert!(stdout(&output).ends_with("(roots): as expected\n"), "{}", stdout(&output));
    let output = vecasm(&["repro", "check", &path(&dir, "b.vecasm-repro")], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output)
            .contains("$.expected.outputs[0].oc[0]: expected \"0x40400000\", found \"0x40000000\""),
        "{}",
        stdout(&output)
    );
    assert_eq!(vecasm(&["repro", "check", &path(&dir, "c.json")], "").status.code(), Some(1));
    let nothing = ROOTS.replace("\"expected\"", "\"input2\"");
    let output = vecasm(&["repro", "check", "-"], nothing);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("unknown key \"input2\""), "{}", stderr(&output));
}

#[test]
fn what_a_repro_file_says_is_shown_without_escapes() {
    let hostile = ROOTS.replace("{ \"oc\"", "{ \"o\\u001b[31mc\"");
    let output = vecasm(&["repro", "check", "-"], hostile);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("$.expected.outputs[0].o"), "{}", stdout(&output));
    assert!(!stdout(&output).contains('\u{1b}'), "{}", stdout(&output));
}

/// Nothing is written if a name is a file and a folder, or two names are one file.
#[test]
fn names_in_a_repro_file_are_apart() {
    for (names, why) in
        [(["a", "a/b"], "a is a file and a folder"), (["a/b", "a//b"], "two files are called a/")]
    {
        let files = names.map(|name| format!(r#"{{"name": "{name}", "text": ""}}"#)).join(", ");
        let text = ROOTS.replace("\"program\"", &format!("\"files\": [{files}], \"program\""));
        let dir = folder("repro_names", &[("a.vecasm-repro", text.as_bytes())]);
        let output = vecasm(
            &["repro", "unpack", &path(&dir, "a.vecasm-repro"), "-o", &path(&dir, "out"), "--force"],
            "",
        );
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
        assert!(!dir.join("out").exists());
    }
}

#[test]
fn verbs_open_repro_files() {
    let output = ok(&["run", "-", "--format", "hex"], ROOTS);
    assert!(stdout(&output).contains("40000000"), "{}", stdout(&output));
    // Flags of the command count more.
    let output = ok(&["run", "-", "--format", "hex", "--numerics", "ieee"], ROOTS);
    assert!(!stdout(&output).contains("oc 40000000"), "{}", stdout(&output));
    assert!(stdout(&ok(&["dis", "-"], ROOTS)).contains("sqt oc, v0"));
    // What is run is explained and stepped through, from its own values: v0.x is -4.
    let file = path(&folder("repro_verbs", &[("a.vecasm-repro", ROOTS.as_bytes())]), "a.vecasm-repro");
    let output = vecasm(&["why", &file, "--numerics", "ieee"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).starts_with("error[nan]: sqrt(-4) is NaN"), "{}", stdout(&output));
    let output = ok(&["debug", "--json", &file], "{\"id\":1,\"do\":\"step\"}\n");
    assert!(stdout(&output).contains("\"value\":[2.0,2.0,0.0,1.0]"), "{}", stdout(&output));
}

#[test]
fn a_repro_file_is_drawn_at_its_time() {
    let scene = format!("{}/../../examples/tgsi/bauble.scene.json", env!("CARGO_MANIFEST_DIR"));
    let packed = ok(&["repro", "pack", &scene, "--time", "2"], "").stdout;
    let file = path(&folder("repro_time", &[("a.vecasm-repro", &packed)]), "a.vecasm-repro");
    let draw = |args: &[&str]| ok(&[&["render", "--size", "32x32", "-o", "-"], args].concat(), "").stdout;
    let [at_2, at_3] = ["2", "3"].map(|time| draw(&["--time", time, &scene]));
    assert!(at_2 != at_3);
    assert_eq!(draw(&[&file]), at_2);
    // The flag counts more.
    assert_eq!(draw(&["--time", "3", &file]), at_3);
    let animated = |args: &[&str]| draw(&[&["--frames", "2"], args].concat());
    assert_eq!(animated(&[&file]), animated(&["--time", "2", &scene]));
}

#[test]
fn what_is_packed_is_unpacked() {
    let run = r#"{ "inputs": [{ "v0": [-4, 4, 0, 1] }] }"#;
    let dir = folder("repro_pack", &[("root.frag.agal", b"sqt oc, v0"), ("run.json", run.as_bytes())]);
    let (program, run, packed) =
        (path(&dir, "root.frag.agal"), path(&dir, "run.json"), path(&dir, "a.vecasm-repro"));
    ok(&["repro", "pack", &program, "-i", &run, "--numerics", "ieee", "-o", &packed], "");
    ok(&["repro", "check", &packed], "");
    let value: Value = serde_json::from_slice(&std::fs::read(&packed).unwrap()).unwrap();
    assert_eq!(value["flags"], serde_json::json!(["--numerics", "ieee"]));
    assert_eq!(value["program"]["text"], "sqt oc, v0");
    let out = path(&dir, "out");
    ok(&["repro", "unpack", &packed, "-o", &out], "");
    assert_eq!(std::fs::read(dir.join("out/root.frag.agal")).unwrap(), b"sqt oc, v0");
    let first = ok(&["run", &packed], "").stdout;
    let again = ok(
        &[
            "run",
            &path(&dir, "out/root.frag.agal"),
            "-i",
            &path(&dir, "out/repro.input.json"),
            "--numerics",
            "ieee",
        ],
        "",
    );
    assert_eq!(again.stdout, first);
}

#[test]
fn what_cannot_be_packed_is_told() {
    let dir =
        folder("repro_unpacked", &[("a.vecasm-repro", ROOTS.as_bytes()), ("a.frag.agal", b"mov oc, v0")]);
    for (args, why) in [
        (
            &["a.vecasm-repro"][..],
            "a.vecasm-repro: is a repro file; to pack it again, take it apart with `repro unpack` first",
        ),
        (
            &["a.frag.agal", "--time", "2"],
            "a.frag.agal: a program has no time, only a scene has; leave out --time",
        ),
    ] {
        let file = path(&dir, args[0]);
        let args = [&["repro", "pack", &file], &args[1..]].concat();
        let output = vecasm(&args, "");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
}

#[test]
fn scenes_are_packed_with_their_files() {
    let scene = r#"{ "vertex": ["mov op, va0", "mov v0, va2"], "fragment": "a.frag.agal", "mesh": "quad", "size": 8,
        "textures": { "fs0": { "image": "green.dds" } } }"#;
    let program = "tex oc, v0, fs0 <2d,nearest,clamp>";
    let files: [(&str, &[u8]); 3] = [
        ("a.scene.json", scene.as_bytes()),
        ("a.frag.agal", program.as_bytes()),
        ("green.dds", &green_dds()),
    ];
    let dir = folder("repro_scene", &files);
    let packed = path(&dir, "a.vecasm-repro");
    ok(&["repro", "pack", &path(&dir, "a.scene.json"), "-o", &packed], "");
    // It stands alone.
    let alone = folder("repro_scene_alone", &[]);
    let copy = path(&alone, "a.json");
    std::fs::copy(&packed, &copy).unwrap();
    ok(&["repro", "check", &copy], "");
    let picture = ok(&["render", &copy], "").stdout;
    assert!(pixels(&picture).2.iter().all(|texel| *texel == [0, 255, 0, 255]));
    // Another program draws something else.
    let text =
        std::fs::read_to_string(&copy).unwrap().replace("tex oc, v0, fs0 <2d,nearest,clamp>", "mov oc, v0");
    let output = vecasm(&["repro", "check", "-"], text);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("a channel at 0,0 is"), "{}", stdout(&output));
    let output = vecasm(
        &["render", "-"],
        std::fs::read_to_string(&copy).unwrap().replace("\"name\": \"green.dds\"", "\"name\": \"x\""),
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the repro file does not contain \"green.dds\""), "{}", stderr(&output));
}

#[test]
fn a_scene_is_packed_with_files_from_elsewhere() {
    let scene = r#"{ "vertex": ["mov op, va0", "mov v0, va2"], "fragment": "../a.frag.agal", "mesh": "quad", "size": 8,
        "textures": { "fs0": { "image": "../green.dds" } } }"#;
    let program = "tex oc, v0, fs0 <2d,nearest,clamp>";
    let files: [(&str, &[u8]); 2] = [("a.frag.agal", program.as_bytes()), ("green.dds", &green_dds())];
    let dir = folder("repro_elsewhere", &files);
    std::fs::create_dir(dir.join("scenes")).unwrap();
    std::fs::write(dir.join("scenes/a.scene.json"), scene).unwrap();
    let packed = path(&dir, "a.vecasm-repro");
    ok(&["repro", "pack", &path(&dir, "scenes/a.scene.json"), "-o", &packed], "");
    ok(&["repro", "check", &packed], "");
    let value: Value = serde_json::from_slice(&std::fs::read(&packed).unwrap()).unwrap();
    assert_eq!(value["scene"]["fragment"], "a.frag.agal");
    assert_eq!(value["files"][1]["name"], "green.dds");
}

#[test]
fn unpacking_writes_over_nothing() {
    let dir = folder("repro_unpack", &[("a.vecasm-repro", ROOTS.as_bytes()), ("secret", b"mine")]);
    let (packed, out) = (path(&dir, "a.vecasm-repro"), path(&dir, "out"));
    let unpack = |more: &[&str]| vecasm(&[&["repro", "unpack", &packed, "-o", &out], more].concat(), "");
    std::fs::create_dir(dir.join("out")).unwrap();
    std::fs::write(dir.join("out/repro.input.json"), "mine").unwrap();
    let refused = unpack(&[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("repro.input.json already exists"), "{}", stderr(&refused));
    // Nothing was written, since something could not be.
    assert!(!dir.join("out/root.frag.agal").exists());
    assert_eq!(std::fs::read(dir.join("out/repro.input.json")).unwrap(), b"mine");
    assert_eq!(unpack(&["--force"]).status.code(), Some(0));
    assert_ne!(std::fs::read(dir.join("out/repro.input.json")).unwrap(), b"mine");
    #[cfg(unix)]
    for (from, to) in [("root.frag.agal", "secret"), ("sub", ".")] {
        std::fs::remove_dir_all(dir.join("out")).unwrap();
        std::fs::create_dir(dir.join("out")).unwrap();
        std::os::unix::fs::symlink(dir.join(to), dir.join("out").join(from)).unwrap();
        let below = ROOTS.replace("root.frag.agal", if from == "sub" { "sub/secret" } else { from });
        std::fs::write(dir.join("a.vecasm-repro"), below).unwrap();
        let refused = unpack(&["--force"]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("is a link"), "{}", stderr(&refused));
        assert_eq!(std::fs::read(dir.join("secret")).unwrap(), b"mine");
    }
    let root = ROOTS.replace("root.frag.agal", "../secret");
    std::fs::write(dir.join("a.vecasm-repro"), root).unwrap();
    assert_eq!(unpack(&["--force"]).status.code(), Some(2));
}

#[test]
fn scenes_of_programs_alone_say_what_is_wrong() {
    let alone =
        |more: &str| format!(r#"{{ "fragment": ["mov oc, v1"], "mesh": "quad", "size": 4, {more} }}"#);
    let vertex = |more: &str| {
        format!(r#"{{ "vertex": ["mov op, va0", "mov v0, va1"], "mesh": "quad", "size": 4, {more} }}"#)
    };
    let both =
        r#"{ "vertex": ["mov op, va0"], "fragment": ["mov oc, fc0"], "mesh": "quad", "show": "shape" }"#;
    for (scene, expected) in [
        (alone(r#""varyings": {"v0": "uv"}"#), "$.varyings.v0: no varying \"v0\"; the program reads v1"),
        (alone(r#""varyings": {"v1": "foo"}"#), "$.varyings.v1: unknown \"foo\"; expected one of uv, normal"),
        (alone(r#""spread": 0"#), "$.spread: \"spread\" is only for a vertex program"),
        (vertex(r#""show": {"v9": "color"}"#), "$.show.v9: the vertex program writes no varying \"v9\""),
        (vertex(r#""show": "shape", "spread": 1"#), "$.spread: the program reads this attribute"),
        (
            vertex(r#""show": "shape", "varyings": {}"#),
            "$.varyings: \"varyings\" is only for programs without",
        ),
        (both.to_string(), "$.show: \"show\" is only for programs without"),
        (
            alone(r#""constants": {"fc0": {"transpose": "eye"}}"#),
            "$.constants.fc0.transpose: expected a matrix",
        ),
        (
            alone(r#""textures": {"fs0": {"pattern": "volume", "size": 256}}"#),
            "$.textures.fs0: a volume is a cube",
        ),
    ] {
        let output = vecasm(&["render", "-"], &scene);
        assert_eq!(output.status.code(), Some(2), "{scene}");
        assert!(stderr(&output).contains(expected), "{scene}: {}", stderr(&output));
    }
}

/// What a program writes as its position, over a plane: half of (x, y, 0, 1) plus a half, so red grows from left to
/// right and green from bottom to top. Pixel x of 8 is at (x + ½)/4 − 1.
#[test]
fn a_program_spread_over_a_plane_shows_its_position() {
    let scene = r#"{ "vertex": ["mov op, va0"], "mesh": "quad", "size": 8, "antialias": 1, "spread": 7,
        "attributes": {"v0": "position", "v7": "position"}, "show": {"op": "direction"} }"#;
    let (_, _, texels) = pixels(&ok(&["render", "-"], scene).stdout);
    for (i, texel) in texels.iter().enumerate() {
        let (x, y) = ((i % 8) as f32, (i / 8) as f32);
        for (given, expected) in texel.iter().zip([(x + 0.5) / 8.0, 1.0 - (y + 0.5) / 8.0, 0.5]) {
            assert!((f32::from(*given) - expected * 255.0).abs() < 1.01, "{i}: {texel:?}");
        }
    }
}

/// Rounds of a loop are integers: twice 0.25, and a truth value that is set.
#[test]
fn constants_of_integers_and_truth_values_are_set() {
    let program = "ps_3_0\ndef c0, 0.25, 0, 0, 1\nmov r0, c0.yyyw\nrep i0\nadd r0.x, r0.x, c0.x\nendrep\n\
        if b1\nmov r0.y, c0.w\nendif\nmov oC0, r0";
    let texels = draw(program, &["--constant", "i0=[2,0,0,0]", "--constant", "b1=1"]);
    assert_eq!(texels[0], [128, 255, 0, 255]);
    let texels = draw(program, &["--constant", "i0=[3,0,0,0]", "--constant", "b1=0"]);
    assert_eq!(texels[0], [191, 0, 0, 255]);
}
