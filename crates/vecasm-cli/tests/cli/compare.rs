//! `eqv`, `diff` and `reduce`: exit status, forms, files.

use super::{folder, ok, stderr, stdout, vecasm};
use std::path::Path;

const OLD: &[u8] = b".agal fragment 1\nmov ft0, v0\nmul ft0, ft0, fc0.x\nadd oc, ft0, fc1\n";
/// Another register, another order of factors.
const SAME: &[u8] = b".agal fragment 1\nmov ft3, v0\nmul ft3, ft3, fc0.x\nadd oc, ft3, fc1\n";
const OTHER: &[u8] = b".agal fragment 1\nmov ft0, v0\nmul ft0, ft0, fc0.y\nadd oc, ft0, fc1\n";

fn at(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

#[test]
fn eqv_tells_the_verdict_by_its_status() {
    let files = folder("eqv-status", &[("old.agal", OLD), ("same.agal", SAME), ("other.agal", OTHER)]);
    let [old, same, other] = ["old.agal", "same.agal", "other.agal"].map(|name| at(&files, name));
    assert!(stdout(&ok(&["eqv", &old, &same], "")).starts_with("proved: "));
    let searched = ok(&["eqv", &old, &same, "--no-proof", "--count", "500"], "");
    assert!(stdout(&searched).starts_with("no difference in "), "{}", stdout(&searched));
    let found = vecasm(&["eqv", &old, &other], "");
    assert_eq!(found.status.code(), Some(1));
    // The second instruction, in line 3, is where they part.
    assert!(stdout(&found).contains("> a    3  mul ft0, ft0, fc0.x"), "{}", stdout(&found));
    assert_eq!(vecasm(&["eqv", &old, "-", "--map", "nothing=v0"], SAME).status.code(), Some(2));
    assert_eq!(vecasm(&["eqv", &old, &other, "--tolerance", "ulps=3"], "").status.code(), Some(2));
    // A vertex and a fragment program have nothing to compare.
    let vertex = vecasm(&["eqv", &old, "-"], "vs_1_1\ndcl_position v0\nmov oPos, v0\n");
    assert_eq!(vertex.status.code(), Some(2), "{}", stderr(&vertex));
}

#[test]
fn a_counter_example_runs() {
    let files = folder("eqv-keep", &[("old.agal", OLD), ("other.agal", OTHER)]);
    let [old, other, keep, png] = ["old.agal", "other.agal", "case", "eqv.png"].map(|name| at(&files, name));
    let found =
        vecasm(&["eqv", &old, &other, "--keep", &keep, "-o", &png, "--size", "16", "--format", "json"], "");
    assert_eq!(found.status.code(), Some(1), "{}", stderr(&found));
    let json: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
    assert_eq!(json["verdict"], "different");
    assert_eq!(json["first"]["a"]["instruction"], "mul ft0, ft0, fc0.x");
    let run = |file: &str, letter: &str| {
        let input = format!("{keep}.{letter}.json");
        let output = ok(&["run", file, "-i", &input], "");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        json["outputs"][0]["oc"].clone()
    };
    assert_ne!(run(&old, "a"), run(&other, "b"));
    let bytes = std::fs::read(&png).unwrap();
    // Three pictures of 16 and two gaps of 4: 56 by 16.
    assert_eq!(bytes[16..24], [0, 0, 0, 56, 0, 0, 0, 16]);
}

#[test]
fn diff_sees_through_names() {
    let files = folder("diff", &[("old.agal", OLD), ("same.agal", SAME), ("other.agal", OTHER)]);
    let [old, same, other] = ["old.agal", "same.agal", "other.agal"].map(|name| at(&files, name));
    assert_eq!(stdout(&ok(&["diff", &old, &old], "")), "");
    assert_eq!(stdout(&ok(&["diff", &old, &same], "")), "same up to renaming ft0→ft3\n");
    assert_eq!(vecasm(&["diff", &old, &same, "--rename", "none"], "").status.code(), Some(1));
    let found = vecasm(&["diff", &old, &other, "-U", "0"], "");
    assert_eq!(found.status.code(), Some(1));
    let text = stdout(&found);
    let hunk = "@@ -2,1 +2,1 @@\n- mul ft0, ft0, fc0.x\n                    ^\n+ mul ft0, ft0, fc0.y\n                    ^\n\
        1 changed, 0 only in the first, 0 only in the second\n";
    assert!(text.ends_with(hunk), "{text}");
    // Binary against text is the same.
    let binary = ok(&["asm", &old], "").stdout;
    assert_eq!(stdout(&ok(&["diff", "-", &old], &binary)), "");
    let json = vecasm(&["diff", &old, &other, "--format", "json"], "");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["same"], &json["changed"]), (&false.into(), &1.into()));
    assert_eq!(vecasm(&["diff", &old, "-"], "vs_1_1\nmov oPos, v0\n").status.code(), Some(2));
    assert_eq!(vecasm(&["diff", &old, &at(&files, "missing.agal")], "").status.code(), Some(2));
}

#[test]
fn reduce_keeps_a_finding() {
    // Flash Player error 3646: an output is read.
    let text = "// why\nmov ft0, v0\nmul ft0.xyz, ft0.xyz, fc0.x\nmov ft1.xy, oc.xy\nadd oc, ft0, ft1\n";
    let files = folder("reduce-check", &[("bad.frag.agal", text.as_bytes())]);
    let bad = at(&files, "bad.frag.agal");
    let reduced = ok(&["reduce", &bad, "--check", "AGAL3646"], "");
    assert_eq!(stdout(&reduced), "mov ft0, oc\n");
    assert_eq!(vecasm(&["reduce", &bad, "--check", "AGAL3999"], "").status.code(), Some(2));
    assert_eq!(vecasm(&["reduce", &bad], "").status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&bad).unwrap(), text);
}

#[test]
fn reduce_keeps_a_difference_to_a_program_that_shrinks_alongside() {
    let old = "ps_2_0\ndef c0, 1, 2, 3, 4\ndcl t0\ndcl t1\nmul r0, t0, c0\nadd r1, t1, c1\nmad r0, r0, r1, c2\nmov oC0, r0\n";
    let new = old.replace("add r1, t1, c1", "add r1, t1, c3");
    let files = folder("reduce-eqv", &[("old.d3d9", old.as_bytes()), ("new.d3d9", new.as_bytes())]);
    let small = at(&files, "small.d3d9");
    ok(&["reduce", &at(&files, "new.d3d9"), "--eqv", &at(&files, "old.d3d9"), "-o", &small], "");
    let left = std::fs::read_to_string(&small).unwrap();
    let beside = std::fs::read_to_string(format!("{small}.reference")).unwrap();
    assert!(left.lines().count() < old.lines().count(), "{left}");
    // What is left of both still differs.
    assert_eq!(vecasm(&["eqv", &small, "-"], &beside).status.code(), Some(1), "{left}\n{beside}");
}

/// A planted instruction that makes a command fail, in every instruction set, in text and binary.
#[cfg(unix)]
#[test]
fn reduce_finds_a_planted_instruction() {
    let agal = ".agal fragment 1\nmov ft0, v0\nmul ft1.xyz, ft0.xyz, fc0.x\nsin ft2.x, ft1.x\nadd ft0, ft0, fc1\nmov oc, ft0\n";
    let d3d9 =
        "ps_2_0\ndcl t0\nmov r0, t0\nmul r1.xyz, r0, c0.x\nfrc r2.x, r1.x\nadd r0, r0, c1\nmov oC0, r0\n";
    let nv2a = "mov r0, v0\nmul r1.xyz, v1, c[0].x\nexpp r2.x, r1.x\nadd oD0, r0, r1\nmov oPos, v0\n";
    for (name, text, word, most) in
        [("a.agal", agal, "sin", 2), ("a.d3d9", d3d9, "frc", 2), ("a.nv2a", nv2a, "expp", 1)]
    {
        let files = folder(&format!("reduce-{name}"), &[(name, text.as_bytes())]);
        let file = at(&files, name);
        let fails =
            format!("! '{}' dis \"$0\" 2>/dev/null | grep -iq '{word}'", env!("CARGO_BIN_EXE_vecasm"));
        let grep = format!("! grep -q '{word}' \"$0\"");
        let reduced = ok(&["reduce", &file, "--", "sh", "-c", &grep, "{}"], "");
        let left = stdout(&reduced);
        assert!(left.contains(word) && left.lines().count() <= most, "{left}");
        // The binary stays one.
        let binary = at(&files, "a.bin");
        ok(&["asm", &file, "--to", "bin", "-o", &binary], "");
        let out = at(&files, "small.bin");
        ok(&["reduce", &binary, "-o", &out, "--", "sh", "-c", &fails, "{}"], "");
        let (small, whole) = (std::fs::read(&out).unwrap(), std::fs::read(&binary).unwrap());
        assert!(small.len() < whole.len(), "{name}: {} of {} bytes", small.len(), whole.len());
        let text = ok(&["dis", &out], "");
        assert!(stdout(&text).to_lowercase().contains(word), "{}", stdout(&text));
    }
}

#[cfg(unix)]
#[test]
fn a_command_fails_by_its_status_or_what_it_prints() {
    let files = folder("reduce-how", &[("a.agal", OLD)]);
    let file = at(&files, "a.agal");
    let by = |flags: &[&str], script: &str| {
        let mut args = vec!["reduce", file.as_str()];
        args.extend(flags);
        args.extend(["--", "sh", "-c", script]);
        vecasm(&args, "").status.code()
    };
    assert_eq!(by(&["--status", "7"], "exit 7"), Some(0));
    assert_eq!(by(&["--status", "7"], "exit 6"), Some(2));
    assert_eq!(by(&["--message", "boom"], "echo boom >&2"), Some(0));
    assert_eq!(by(&["--message", "boom"], "exit 1"), Some(2));
    assert_eq!(by(&["--crash"], "kill -9 $$"), Some(0));
    assert_eq!(by(&["--crash"], "exit 1"), Some(2));
    assert_eq!(by(&["--timeout", "1"], "sleep 5; exit 1"), Some(2));
    assert_eq!(by(&[], "exit 0"), Some(2));
}

#[test]
fn textures_hold_what_they_are_said_to_hold() {
    let program = |last: &str| format!(".agal fragment 1\ntex ft0, v0, fs0 <2d,nearest>\n{last}\n");
    let [plain, other] = [program("mov oc, ft0"), program("abs oc, ft0")];
    let files = folder("eqv-unorm", &[("a.agal", plain.as_bytes()), ("b.agal", other.as_bytes())]);
    let [a, b] = ["a.agal", "b.agal"].map(|name| at(&files, name));
    // Only a texel below zero shows the difference.
    let found = vecasm(&["eqv", &a, &b], "");
    assert_eq!(found.status.code(), Some(1));
    let text = stdout(&found);
    assert!(text.contains("(-1, -1, -1, -1) everywhere") && text.contains("--textures unorm"), "{text}");
    ok(&["eqv", &a, &b, "--textures", "unorm"], "");
}
