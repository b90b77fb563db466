//! `vecasm to agal`, `vecasm to tgsi` and `vecasm opt`: forms, bindings, pairs, reports.

use super::{folder, ok, stderr, stdout, vecasm};
use serde_json::Value;
use std::path::Path;

/// Seven tokens that four can say.
const LONG: &str = ".agal fragment 1\ntex ft0, v0, fs0 <2d,linear>\nmul ft1, ft0, fc0\nmov ft2, ft1\nadd ft3, ft2, fc1\n\
                    mov ft4.xyz, ft3.xyz\nmov ft4.w, ft0.w\nmov oc, ft4\n";

/// A pair whose varyings do not all have numbers that AGAL has: texture coordinates 7 is location 9 there.
const VERTEX: &str = "vs_2_0\ndcl_position v0\ndcl_color v1\ndcl_texcoord v2\nm4x4 oPos, v0, c0\nmov oD0, v1\nmov oT7, v2\nmov oT0, v2\n";
const FRAGMENT: &str =
    "ps_2_0\ndcl t7.xy\ndcl v0\ndcl_2d s0\ntexld r0, t7, s0\nmul r0, r0, v0\nmov oC0, r0\n";

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_string()
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

#[test]
fn programs_are_written_in_the_form_that_is_wanted() {
    let dir = folder("lowered-forms", &[("long.agal", LONG.as_bytes())]);
    let long = path(&dir, "long.agal");
    let text = stdout(&ok(&["to", "agal", &long], "")).to_string();
    assert!(text.starts_with(".agal fragment 1\n"), "{text}");
    for (name, flag) in [("a.bin", None), ("b.out", Some("bin")), ("c.hex", None), ("d.out", Some("hex"))] {
        let out = path(&dir, name);
        let mut args = vec!["to", "agal", &long, "-o", &out];
        args.extend(flag.iter().flat_map(|form| ["--form", form]));
        ok(&args, "");
        // Whatever the form is, it is the same program.
        assert_eq!(stdout(&ok(&["dis", "--isa", "agal", &out], "")), text, "{name}");
    }
    assert_eq!(read(&dir, "a.bin")[..2], [0xa0, 1]);
    assert!(read(&dir, "c.hex").starts_with(b"a001"));
    // Of a language there is one form.
    let refused = vecasm(&["to", "glsl", &long, "--form", "bin"], "");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused)
            .contains("--form does not apply to translations to glsl, only to agal, d3d9, nv2a, tgsi")
    );
}

#[test]
fn optimized_programs_have_the_form_that_was_read() {
    let dir = folder("optimized-forms", &[("long.agal", LONG.as_bytes())]);
    let long = path(&dir, "long.agal");
    let short = stdout(&ok(&["opt", &long], "")).to_string();
    assert_eq!(short.lines().count(), 5, "{short}");
    for (form, ending) in [("bin", "bin"), ("hex", "hex"), ("c", "h"), ("rust", "rs"), ("base64", "b64")] {
        let [old, new] = ["old", "new"].map(|name| path(&dir, &format!("{name}.{ending}")));
        ok(&["asm", &long, "--to", form, "-o", &old], "");
        let done = ok(&["opt", &old, "-o", &new], "");
        assert!(stderr(&done).ends_with(": 7 → 4 tokens, 5 → 1 temporary register\n"), "{}", stderr(&done));
        assert_eq!(stdout(&ok(&["dis", "--isa", "agal", &new], "")), short, "{form}");
        let written = read(&dir, &format!("new.{ending}"));
        match form {
            "c" => {
                assert!(written.starts_with(b"/* Fragment program, AGAL 1, 4 instructions */\nstatic const"));
            }
            "rust" => assert!(written.starts_with(b"/// Fragment program")),
            _ => {}
        }
    }
}

/// Line ends, comments and blanks stay where nothing is gained, and so do bytes of another encoding.
#[test]
fn what_gains_nothing_stays_byte_by_byte() {
    let text = "// mine\r\n.agal fragment 1\r\n  mov   oc, v0   // all\r\n";
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let dir = folder("optimized-kept", &[("a.agal", text.as_bytes()), ("b.agal", &utf16)]);
    for (name, bytes) in [("a.agal", text.as_bytes()), ("b.agal", &utf16)] {
        let out = path(&dir, "out.agal");
        let done = ok(&["opt", &path(&dir, name), "-o", &out], "");
        assert!(stderr(&done).ends_with(": kept (1 token): nothing to gain\n"), "{}", stderr(&done));
        assert_eq!(read(&dir, "out.agal"), bytes, "{name}");
    }
}

#[test]
fn a_report_is_a_line_of_json() {
    let dir = folder("optimized-json", &[("long.agal", LONG.as_bytes())]);
    let (long, out) = (path(&dir, "long.agal"), path(&dir, "short.agal"));
    let done = ok(&["opt", &long, "--json", "--prove", "-o", &out], "");
    let report = json(&done.stdout);
    assert_eq!(report["instructions"], serde_json::json!([7, 4]));
    assert_eq!(report["registers"], serde_json::json!([5, 1]));
    assert_eq!(report["proof"], "proved");
    assert_eq!(report["changed"], true);
    // The copies are gone: what is left does the work of the first, second and fourth, and the output is written at the end.
    assert_eq!(report["steps"], serde_json::json!([[0], [1], [3], [6]]));
    // Where the program goes to standard output, the report does not.
    let done = ok(&["opt", &long, "--json"], "");
    assert!(stdout(&done).starts_with(".agal fragment 1\n"));
    assert_eq!(json(&done.stderr)["changed"], true);
}

#[test]
fn a_difference_is_shown_alone() {
    let dir = folder("optimized-diff", &[("long.agal", LONG.as_bytes())]);
    let done = ok(&["opt", &path(&dir, "long.agal"), "--diff"], "");
    let shown = stdout(&done);
    assert!(shown.contains("- mov ft2, ft1\n") && !shown.contains("fragment 1"), "{shown}");
}

#[test]
fn stages_of_a_pair_number_their_varyings_alike() {
    let dir =
        folder("lowered-pair", &[("a.vert.d3d9", VERTEX.as_bytes()), ("a.frag.d3d9", FRAGMENT.as_bytes())]);
    let (vertex, fragment) = (path(&dir, "a.vert.d3d9"), path(&dir, "a.frag.d3d9"));
    for target in ["agal", "tgsi"] {
        let (out, layouts) = (path(&dir, &format!("{target}/")), path(&dir, &format!("{target}-layouts/")));
        ok(&["to", target, &vertex, &fragment, "-o", &out, "--layout", &layouts], "");
        let [own, other] = ["a.vert", "a.frag"]
            .map(|name| json(&read(&dir, &format!("{target}-layouts/{name}.{target}.json"))));
        // The names of the target, by those of the source.
        let of = |list: &Value, name: &str| {
            let found = list.as_object().unwrap().iter().find(|(_, source)| *source == name);
            found.map(|(target, _)| target.clone()).unwrap()
        };
        let [vertex, fragment] =
            ["a.vert", "a.frag"].map(|name| path(&dir, &format!("{target}/{name}.{target}")));
        for (written, read) in [("oT7", "t7"), ("oD0", "v0")] {
            let (output, input) = (of(&own["outputs"], written), of(&other["inputs"], read));
            if target == "agal" {
                assert_eq!(output, input, "{written}");
                assert!(["v0", "v1"].contains(&output.as_str()), "those that are read come first: {output}");
            }
        }
        // And the pair is sound.
        let checked = vecasm(&["check", "--pair", &vertex, &fragment], "");
        assert_eq!(checked.status.code(), Some(0), "{}{}", stdout(&checked), stderr(&checked));
    }
}

#[test]
fn every_reason_is_told_at_once() {
    let text = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0..1]\n\
                MUL TEMP[0], IN[0], IN[0]\nTXB TEMP[1], TEMP[0], SAMP[0], 2D\nMOV OUT[0], TEMP[1]\nEND\n";
    let refused = vecasm(&["to", "agal", "--message-format", "short", "-"], text);
    assert_eq!(refused.status.code(), Some(1));
    let said = stderr(&refused);
    assert!(
        said.contains("7:1: error[LOWER-interpolation]") && said.contains("8:1: error[LOWER-level]"),
        "{said}"
    );
}

/// Five slots that four operations say; with the same operations two of them go beside others.
const SLOTS: &str = "dp4 r0.w, v0, c[96]\nrcp r5.x, r0.w\nmov oD0, v3\nmul r2, v0, r5.x\nmov oPos, r2\n";

#[test]
fn slots_are_shared_with_a_certificate() {
    let dir = folder("optimized-slots", &[("a.vsh", SLOTS.as_bytes()), ("b.vsh", b"mov oPos, v0 ; all\n")]);
    let (long, out) = (path(&dir, "a.vsh"), path(&dir, "short.vsh"));
    let done = ok(&["opt", "--schedule-only", &long, "--prove", "-o", &out], "");
    // The chain of dot product, reciprocal, product and copy has four slots.
    assert!(
        stderr(&done).contains(": 5 → 4 slots, lower bound 4, optimal")
            && stderr(&done).ends_with(", proved\n"),
        "{}",
        stderr(&done)
    );
    assert_eq!(stdout(&ok(&["dis", &out], "")).lines().count(), 5);
    let done = ok(&["opt", &long, "--json", "-o", &out], "");
    let report = json(&done.stdout);
    assert_eq!(report["instructions"], serde_json::json!([5, 3]));
    assert_eq!((&report["bound"], &report["optimal"]), (&serde_json::json!(3), &serde_json::json!(true)));
    assert_eq!(report["temporaries"], "nothing");
    // The copy to oPos went to the product.
    assert_eq!(
        report["steps"].as_array().unwrap().iter().filter(|of| **of == serde_json::json!([3, 4])).count(),
        1
    );
    let done = ok(&["opt", &path(&dir, "b.vsh"), "-o", &out], "");
    assert!(
        stderr(&done).ends_with(": kept (1 slot): nothing to gain, lower bound 1, optimal\n"),
        "{}",
        stderr(&done)
    );
    assert_eq!(read(&dir, "short.vsh"), b"mov oPos, v0 ; all\n");
    // Of tokens none shares a slot.
    let dir = folder("optimized-no-slots", &[("long.agal", LONG.as_bytes())]);
    let done = ok(&["opt", "--schedule-only", &path(&dir, "long.agal"), "-o", &path(&dir, "o.agal")], "");
    assert!(stderr(&done).contains("do not share slots"), "{}", stderr(&done));
}
