//! `vecasm why`: exit statuses, JSON, scenes. The examples of `docs/why.md` are run with all documents.

use super::{folder, ok, stderr, stdout, vecasm};
const PROGRAM: &str = ".agal fragment 1\nmul ft0, v0, fc0\nrcp ft0.x, v0.z\nmov oc, ft0\n";

#[test]
fn the_status_says_whether_something_was_found() {
    let sound: &[u8] = br#"{"constants": {"fc0": [1, 1, 1, 1]}, "inputs": [{"v0": [0.5, 0.5, 0.5, 1]}]}"#;
    let files = [("a.agal", PROGRAM.as_bytes()), ("sound.json", sound)];
    let at = folder("why-status", &files);
    let (program, sound) = (at.join("a.agal"), at.join("sound.json"));
    let (program, sound) = (program.to_str().unwrap(), sound.to_str().unwrap());
    assert!(stdout(&ok(&["why", program, "-i", sound], "")).contains("nothing odd was found (1 invocation)"));
    // What is expected holds, and what does not is an error with its lines.
    ok(&["why", program, "-i", sound, "--expect", "oc=(2,_,0.5,1)"], "");
    let output = vecasm(&["why", program, "-i", sound, "--expect", "oc.y=0.25"], "");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("oc.y is 0.5 where 0.25 is expected"), "{}", stdout(&output));
    assert!(stdout(&output).contains("2 | mul ft0, v0, fc0"), "{}", stdout(&output));
    assert!(!stdout(&output).contains("3 | rcp"), "{}", stdout(&output));
    for bad in ["oc=(1,2)", "oc", "od=1", "oc.x=one"] {
        let output = vecasm(&["why", program, "-i", sound, "--expect", bad], "");
        assert_eq!(output.status.code(), Some(2), "{bad}");
    }
    assert_eq!(vecasm(&["why", program, "-i", sound, "--invocation", "1"], "").status.code(), Some(2));
}

#[test]
fn json_has_lines_and_values() {
    let given: &[u8] = br#"{"inputs": [{"v0": [0.5, 0.5, 0, 1]}]}"#;
    let at = folder("why-json", &[("a.agal", PROGRAM.as_bytes()), ("in.json", given)]);
    let (program, given) = (at.join("a.agal"), at.join("in.json"));
    let args =
        ["why", program.to_str().unwrap(), "-i", given.to_str().unwrap(), "--format", "json", "--of", "oc.x"];
    let output = vecasm(&args, "");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let value: serde_json::Value = serde_json::from_str(stdout(&output)).unwrap();
    // 1 / 0 in line 3, and fc0 of line 2, which is not given.
    let found: Vec<(&str, u64)> = value["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["cause"].as_str().unwrap(), f["at"]["line"].as_u64().unwrap()))
        .collect();
    assert_eq!(found, [("infinity", 3), ("unset-constant", 2)]);
    let steps = value["slices"][0]["steps"].as_array().unwrap();
    assert_eq!(steps.iter().map(|s| s["at"]["line"].as_u64().unwrap()).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(steps[0]["reads"][0]["name"], "v0.z");
    assert_eq!(steps[0]["writes"][0]["value"], "Inf");
}

/// A scene whose right half divides by zero: the fragments there are explained, and a pixel of each half.
#[test]
fn scenes_and_pixels_are_explained() {
    let vertex = ".agal vertex 1\nmov op, va0\nmov v0, va0\n";
    // ft0.x is 1 on the left and 0 on the right; 1 / 0 · 0 is NaN.
    let fragment = ".agal fragment 1\nslt ft0.x, v0.x, fc0.x\nrcp ft0.y, ft0.x\nmul ft0.z, ft0.x, ft0.y\nmov ft1, fc0.y\n\
                    mov ft1.x, ft0.z\nmov oc, ft1\n";
    let scene = r#"{"size": [16, 8], "vertex": "a.vert.agal", "fragment": "a.frag.agal", "mesh": "quad",
                    "attributes": ["position"], "constants": {"fc0": [0, 1, 0, 0]}}"#;
    let files: [(&str, &[u8]); 3] = [
        ("a.vert.agal", vertex.as_bytes()),
        ("a.frag.agal", fragment.as_bytes()),
        ("a.scene.json", scene.as_bytes()),
    ];
    let at = folder("why-scene", &files);
    let path = at.join("a.scene.json");
    let scene = path.to_str().unwrap();
    let output = vecasm(&["why", scene], "");
    assert_eq!(output.status.code(), Some(1), "{}{}", stderr(&output), stdout(&output));
    let text = stdout(&output);
    assert!(text.contains("a.frag.agal:4") && text.contains("0 * Inf is NaN, and reaches oc.x"), "{text}");
    // 128 pixels, of which the 16 on the common edge of the two triangles are shaded for both; half of all are on the right.
    assert!(text.contains("72 of 144 fragments have NaN or an infinity"), "{text}");
    ok(&["why", scene, "--pixel", "3,3"], "");
    let output = vecasm(&["why", scene, "--pixel", "12,3"], "");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("error[infinity]"), "{}", stdout(&output));
    // NaN is 0 in a target. Where zero wins, the product is 0, too; nothing of the picture differs.
    let png = at.join("risk.png");
    let output = vecasm(&["why", "--risk", scene, "-o", png.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(0), "{}{}", stderr(&output), stdout(&output));
    assert!(std::fs::read(png).unwrap().starts_with(b"\x89PNG"));
}

/// (1 + 2^-12)² - (1 + 2^-11) is 0, or 2^-24 where a product and a sum are rounded once; 2^24 times that is black or white.
#[test]
fn a_risk_is_named_with_its_rule() {
    let program = "ps_2_0\ndef c0, 4096, 0, 0, 0\ndcl t0\nmad r0, t0.x, t0.x, -t0.y\nmul r0, r0, c0.x\nmul r0, r0, c0.x\nmov oC0, r0\n";
    let given: &[u8] = br#"{"inputs": [{"t0": [1.000244140625, 1.00048828125, 0, 1]}]}"#;
    let at = folder("why-risk", &[("a.psa", program.as_bytes()), ("in.json", given)]);
    let (program, given) = (at.join("a.psa"), at.join("in.json"));
    let args = ["why", "--risk", program.to_str().unwrap(), "-i", given.to_str().unwrap()];
    let output = vecasm(&args, "");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("risk[contraction]"), "{}", stdout(&output));
    assert!(stdout(&output).contains("oC0.x may be 1, not 0"), "{}", stdout(&output));
    assert!(stdout(&output).contains("a.psa:4"), "{}", stdout(&output));
}

#[test]
fn json_is_what_the_flag_of_every_verb_says() {
    let text = "ps_2_0\ndcl t0\nrcp r0, t0.x\nmov oC0, r0\n";
    let args = ["why", "--random", "1", "--json"];
    let output = vecasm(&args, text);
    let lines: Vec<&str> = std::str::from_utf8(&output.stdout).unwrap().lines().collect();
    assert_eq!(lines.len(), 1, "an object a line: {lines:?}");
    let short: serde_json::Value = serde_json::from_str(lines[0]).unwrap();
    let long = vecasm(&["why", "--random", "1", "--format", "json"], text);
    assert_eq!(short, serde_json::from_slice::<serde_json::Value>(&long.stdout).unwrap());
}

/// Names with a `#` are operands, and only lanes that differ are explained.
#[test]
fn operands_are_shown_whole_and_lanes_as_expected_are_not() {
    let text = "#fogc vector 100\nadd r2.x, #fogc.x, -v0.w\nmul oFog.x, r2.x, #fogc.y\nmov oPos, v0\n";
    let given = folder(
        "why-hash",
        &[
            ("in.json", br#"{"constants": {"c100": [3, 2, 0, 0]}, "inputs": [{"v0": [0, 0, 0, 1]}]}"#),
            ("a.vsh", text.as_bytes()),
        ],
    );
    let path = |name: &str| given.join(name).display().to_string();
    let why = |args: &[&str]| {
        let output = vecasm(&[&["why", &path("a.vsh"), "-i", &path("in.json")], args].concat(), "");
        format!("{}{}", stdout(&output), stderr(&output))
    };
    let shown = why(&["--of", "oFog.x"]);
    assert!(
        shown.contains("add r2.x, #fogc.x, -v0.w") && shown.contains("mul oFog.x, r2.x, #fogc.y"),
        "{shown}"
    );
    // (3 - 1) * 2; one number means the lane that is written.
    let fog = |args: &[&str]| why(args).lines().filter(|line| line.contains("made by")).count();
    assert_eq!([fog(&["--expect", "oFog=4"]), fog(&["--expect", "oFog=5"])], [0, 1]);
    assert!(!why(&["--expect", "oFog=4"]).contains("is expected"));
    let lanes = why(&["--expect", "oPos=(0,_,1,1)"]);
    assert!(
        lanes.contains("oPos.z")
            && !lanes.contains("oPos.w = 1, made by")
            && !lanes.contains("oPos.x = 0, made by"),
        "{lanes}"
    );
}

/// Of a loop, a line that comes earlier in the text may come later in the run: the report says so.
#[test]
fn lines_that_go_back_are_told() {
    // r0.x is 1, then 0: the second round divides by zero with what the first one left.
    let text = "ps_3_0\ndef c0, 1, 0, 0, 0\ndefi i0, 2, 0, 0, 0\nmov r0, c0.x\nmov r2, c0.y\nrep i0\nrcp r1.x, r0.x\n\
                add r2.x, r2.x, r1.x\nadd r0.x, r0.x, -c0.x\nendrep\nmov oC0, r2\n";
    let files = folder("why-back", &[("loop.d3d9", text.as_bytes()), ("none.json", b"{}")]);
    let path = |name: &str| files.join(name).display().to_string();
    let said = stdout(&vecasm(&["why", &path("loop.d3d9"), "-i", &path("none.json")], "")).to_string();
    let at = |part: &str| said.find(part).unwrap_or_else(|| panic!("{part}: {said}"));
    assert!(at(" 9 | add") < at(": later in the run") && at(": later in the run") < at(" 7 | rcp"), "{said}");
    assert_eq!(said.matches("later in the run").count(), 1, "{said}");
}

/// Where the vertices are is why nothing is seen: by hand from the corners of a quad, which are at x and y -1 and 1, z 0, w 1.
#[test]
fn what_is_out_of_sight_is_told() {
    let d3d9 =
        |body: &str| format!("vs_2_0\ndef c0, 0, 3, -1, 1\ndef c1, 5, 5, -4, -1\ndcl_position v0\n{body}\n");
    let vsh = |body: &str| format!("{body}\nmov oD0, v3\n");
    let cases = [
        ("no-w", d3d9("mul oPos, v0, c0.wwwx"), Some("all 4 vertices have w = 0 in oPos")),
        (
            "behind",
            d3d9("mov r0, v0\nmov r0.w, c0.z\nmov oPos, r0"),
            Some("in front of the eye: w of oPos is -1,"),
        ),
        // x is 2 and 4.
        (
            "right",
            d3d9("mov r0, v0\nadd r0.x, r0.x, c0.y\nmov oPos, r0"),
            Some("right of the view: x/w of oPos is from 2 to 4, and the view goes from -1 to 1"),
        ),
        // z is -1.
        (
            "near",
            d3d9("mov r0, v0\nadd r0.z, r0.z, c0.z\nmov oPos, r0"),
            Some("nearer than the view: z/w of oPos is -1, and the view goes from 0 to 1"),
        ),
        ("seen", d3d9("mov oPos, v0"), None),
        (
            "clip",
            vsh("mov oPos, v0"),
            Some(
                "x of oPos is from -1 to 1 and y from -1 to 1, as in clip space, but the NV2A takes pixels, of which the view has 64 by 64",
            ),
        ),
        // c0 is 64: x and y are -64 and 64, which is partly in the view.
        ("pixels", vsh("mul oPos.xyz, v0, c[0]\nmov oPos.w, v0.w"), None),
        // x is 128 pixels away.
        (
            "beside",
            vsh("mul r0, v0, c[0]\nadd oPos.xyz, r0, c[1]\nmov oPos.w, v0.w"),
            Some("right of the view: x of oPos is from 136 to 264, and the view goes from 0 to 64 pixels"),
        ),
        ("nv2a-no-w", vsh("mul oPos.xyz, v0, c[0]\nmov oPos.w, c[2].x"), None),
    ];
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, text, _) in &cases {
        let ending = if text.starts_with("vs_") { "d3d9" } else { "vsh" };
        let program = format!("{name}.{ending}");
        let scene = serde_json::json!({
            "size": [64, 64], "vertex": program, "mesh": "quad", "show": "shape", "attributes": {"v0": "position", "v3": "color"},
            "constants": {"c0": [64, 64, 1, 1], "c1": [200, 0, 0, 0]},
        });
        files.push((program, text.clone().into_bytes()));
        files.push((format!("{name}.json"), scene.to_string().into_bytes()));
    }
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    let at = folder("why-unseen", &files);
    for (name, _, wanted) in cases {
        let scene = at.join(format!("{name}.json")).display().to_string();
        let said = stdout(&ok(&["why", &scene], "")).to_string();
        match wanted {
            Some(wanted) => assert!(said.contains(wanted), "{name}: {said}"),
            None => assert!(!said.contains("nothing is seen"), "{name}: {said}"),
        }
    }
}

#[test]
fn a_scene_takes_no_values_of_one_run() {
    for flags in [&["--random", "2"][..], &["-i", "a.json"], &["--preshader", "World=1"], &["--fuel", "5"]] {
        let mut args = vec!["why", "examples/agal/triangle.scene.json"];
        args.extend(flags);
        let output = vecasm(&args, b"");
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(stderr(&output).contains("a scene gives its programs their values"), "{}", stderr(&output));
    }
}
