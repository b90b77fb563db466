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
    // A rule is what `explain` calls so; one that is not reported is told from one that there is not.
    assert_eq!(stdout(&ok(&["reduce", &bad, "--check", "3646"], "")), "mov ft0, oc\n");
    for (rule, says) in [
        ("3615", "check reports AGAL3646"),
        ("AGAL9999", "no such rule: `AGAL9999`"),
        ("AGAL3664x", "did you mean `AGAL3664`?"),
        ("99999", "no such rule: `99999`; `vecasm explain` lists all"),
    ] {
        let output = vecasm(&["reduce", &bad, "--check", rule], "");
        assert!(output.status.code() == Some(2) && stderr(&output).contains(says), "{}", stderr(&output));
    }
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

/// Every candidate of a valid program is valid, and that of an invalid one is a program; a header stays.
#[cfg(unix)]
#[test]
fn reduce_tries_no_worse_programs() {
    let exe = env!("CARGO_BIN_EXE_vecasm");
    let agal =
        ".agal fragment 1\nmov ft0, fc0\nmul ft1, ft0, v0.x\nsin ft1, ft1\nadd ft1, ft1, fc1\nmov oc, ft1\n";
    let d3d9 = "ps_2_0\ndcl t0\ndcl t1\nmov r0, c0\nmul r0, r0, t0\nadd r0, r0, t1\nmov oC0, r0\n";
    let nv2a = "xvs.1.1\nmov r0, v0\nmul r1, r0, c[0]\nmov oD0, r1\nmov oPos, v0\n";
    let tgsi = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\nMUL TEMP[0], IN[0], IN[0]\nMOV OUT[0], TEMP[0]\nEND\n";
    for (name, text, word) in
        [("a.agal", agal, "mul"), ("a.d3d9", d3d9, "mul"), ("a.nv2a", nv2a, "mul"), ("a.tgsi", tgsi, "MUL")]
    {
        let files = folder(&format!("reduce-valid-{name}"), &[(name, text.as_bytes())]);
        let seen = at(&files, "refused.txt");
        let script = format!(
            "'{exe}' check \"$0\" >/dev/null 2>&1 || cat \"$0\" >> '{seen}'; ! grep -q {word} \"$0\""
        );
        let left = ok(&["reduce", &at(&files, name), "--", "sh", "-c", &script, "{}"], "");
        let left = stdout(&left);
        assert!(left.contains(word) && left.lines().count() < text.lines().count(), "{left}");
        assert_eq!(left.lines().next(), text.lines().next(), "{left}");
        assert_eq!(std::fs::read_to_string(&seen).ok(), None, "refused");
    }
    // What is refused is reduced to what is refused for its own sake, not to nothing.
    let files = folder(
        "reduce-refused",
        &[("mask.frag.agal", b"// why\n.agal fragment 1\nmov ft1, fc0\nmov oc, ft0\n")],
    );
    let left = ok(&["reduce", &at(&files, "mask.frag.agal"), "--", exe, "check", "{}"], "");
    assert_eq!(stdout(&left), ".agal fragment 1\nmov oc, ft0\n");
}

/// What differs in the end is what differed before, and both sides stay valid.
#[test]
fn a_pair_is_reduced_to_its_own_difference() {
    let agal = ".agal fragment 1\nmov ft0, fc0\nmul ft1, ft0, v0.x\nadd ft1, ft1, fc1\nmov oc, ft1\n";
    let d3d9 = "ps_2_0\ndef c5, 1, 2, 3, 4\ndcl t0\nmov r0, c5\nmul r0, r0, t0\nmov oC0, r0\n";
    let extra = "ps_2_0\ndcl t0\nmov r0, t0\nadd r0, r0, c0\nmul r0, r0, c1\nmov oC0, r0\n";
    for (name, a, b, ends) in [
        ("a.agal", agal, agal.replace("v0.x", "v0.y"), ["v0.x", "v0.y"]),
        ("b.d3d9", d3d9, d3d9.replace("3, 4", "3, 5"), ["4\n", "5\n"]),
        ("c.d3d9", extra, extra.replace("mul r0, r0, c1\n", ""), ["mov oC0", "mov oC0"]),
    ] {
        let files = folder(
            &format!("reduce-pair-{name}"),
            &[(name, a.as_bytes()), (&format!("other-{name}"), b.as_bytes())],
        );
        let small = at(&files, &format!("small-{name}"));
        ok(&["reduce", &at(&files, name), "--eqv", &at(&files, &format!("other-{name}")), "-o", &small], "");
        let left = std::fs::read_to_string(&small).unwrap();
        let beside = std::fs::read_to_string(format!("{small}.reference")).unwrap();
        assert!(left.lines().count() < a.lines().count(), "{left}");
        assert!(left.contains(ends[0]) && beside.contains(ends[1]), "{left}\n{beside}");
        for text in [&left, &beside] {
            assert_eq!(text.lines().next(), a.lines().next());
            let isa = name.rsplit_once('.').unwrap().1;
            ok(&["check", "-", "--isa", isa], text);
        }
        let differing = left.lines().zip(beside.lines()).filter(|(a, b)| a != b).count();
        assert!(name.starts_with('c') || differing == 1, "{left}\n{beside}");
    }
}

/// A planted instruction that makes a command fail, in every instruction set, in text and binary.
#[cfg(unix)]
#[test]
fn reduce_finds_a_planted_instruction() {
    let agal = ".agal fragment 1\nmov ft0, v0\nmul ft1.xyz, ft0.xyz, fc0.x\nsin ft2.x, ft1.x\nadd ft0, ft0, fc1\nmov oc, ft0\n";
    let d3d9 =
        "ps_2_0\ndcl t0\nmov r0, t0\nmul r1.xyz, r0, c0.x\nfrc r2.x, r1.x\nadd r0, r0, c1\nmov oC0, r0\n";
    let nv2a = "mov r0, v0\nmul r1.xyz, v1, c[0].x\nexpp r2.x, r1.x\nadd oD0, r0, r1\nmov oPos, v0\n";
    // What is left is valid: the language and its header, what the planted instruction reads, itself, and the output that a
    // program must write (in Direct3D with what it reads, declared).
    for (name, text, word, most) in
        [("a.agal", agal, "sin", 4), ("a.d3d9", d3d9, "frc", 5), ("a.nv2a", nv2a, "expp", 2)]
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
