//! `diff` of two containers, entry by entry.

use super::containers::build::{self, archive, deflated, stored, words};
use super::containers::{everything, example};
use super::{folder, ok, stderr, stdout, vecasm};
use serde_json::Value;
use std::path::Path;

fn at(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

/// The first place of some bytes changed.
fn patched(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let at = bytes.windows(old.len()).position(|window| window == old).unwrap();
    let mut out = bytes.to_vec();
    out[at..at + new.len()].copy_from_slice(new);
    out
}

fn program(text: &str) -> Vec<u8> {
    ok(&["asm", "--isa", "d3d9", "-", "-o", "-"], text).stdout
}

/// What `diff` prints, and its status.
fn diff(args: &[&str]) -> (String, i32) {
    let output = vecasm(&[&["diff"], args].concat(), "");
    assert_eq!(stderr(&output), "", "{args:?}");
    (stdout(&output).to_string(), output.status.code().unwrap())
}

#[test]
fn a_round_trip_shows_what_was_edited() {
    let dir = folder("diff-containers-trip", &[("tint.fxb", &example())]);
    let (old, parts, new) = (at(&dir, "tint.fxb"), at(&dir, "parts"), at(&dir, "new.fxb"));
    assert!(stdout(&ok(&["info", &old], "")).contains("Sprite"));
    ok(&["extract", "--as", "asm", &old, "-o", &parts], "");
    let file = dir.join("parts/technique1.pass0.ps.d3d9");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("0.299", "0.25")).unwrap();
    ok(&["repack", &old, "--from", &parts, "-o", &new], "");
    let line = "1 changed, 0 only in the first, 0 only in the second\n";
    let summary = "2 entries: 1 changed, 0 only in the first, 0 only in the second, 1 the same\n";
    let shown = format!(
        "--- {old}::technique1/pass0/ps\n+++ {new}::technique1/pass0/ps\n@@ -1,1 +1,1 @@\n\
         - def c1, 0.299, 0.587, 0.114, 0\n          ^^^^^\n+ def c1, 0.25, 0.587, 0.114, 0\n          ^^^^\n\
         {line}{summary}"
    );
    assert_eq!(diff(&[&old, &new, "-U", "0"]), (shown, 1));
    assert_eq!(diff(&[&old, &new, "--stat"]), (format!("technique1/pass0/ps: {line}{summary}"), 1));
    assert_eq!(diff(&[&new, &new]), ("the files are the same: 504 bytes\n".into(), 0));
    let json = diff(&[&old, &new, "--format", "json"]).0;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["same"], &json["counts"]["same"]), (&false.into(), &1.into()));
    let entry = &json["entries"][0];
    assert_eq!((&entry["a"], &entry["change"]), (&"technique1/pass0/ps".into(), &"changed".into()));
    assert_eq!(entry["program"]["rows"][0]["b"]["text"], "def c1, 0.25, 0.587, 0.114, 0");
    let json: Value = serde_json::from_str(&diff(&[&new, &new, "--json"]).0).unwrap();
    assert_eq!((&json["same"], &json["identical"]), (&true.into(), &true.into()));
    // A container and one of several programs.
    let output = vecasm(&["diff", &old, &format!("{new}::1")], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("choose one by its address"), "{}", stderr(&output));
}

#[test]
fn parameters_and_states_are_told() {
    let floats = |list: [f32; 4]| words(&list.map(f32::to_bits));
    let tinted = patched(&example(), &floats([1.0, 0.5, 0.25, 1.0]), &floats([1.0; 4]));
    // A scalar of one row and column, and its value behind.
    let culled = patched(&build::effect(), &words(&[0, 1, 1, 2]), &words(&[0, 1, 1, 1]));
    let named = patched(&build::effect(), b"Tint\0", b"Tone\0");
    let dir = folder(
        "diff-containers-says",
        &[
            ("tint.fxb", &example()),
            ("tinted.fxb", &tinted),
            ("effect.fxb", &build::effect()),
            ("culled.fxb", &culled),
            ("named.fxb", &named),
            ("tint.zip", &archive(&[stored("a/tint.fxb", &example())])),
            ("tinted.zip", &archive(&[stored("a/tint.fxb", &tinted)])),
        ],
    );
    let rest = "0 changed, 0 only in the first, 0 only in the second, 2 the same; 1 difference beside them\n";
    let line = "parameter Tint: 1 0.5 0.25 1 → 1 1 1 1\n";
    let wanted = format!("{line}2 entries: {rest}");
    assert_eq!(diff(&[&at(&dir, "tint.fxb"), &at(&dir, "tinted.fxb")]), (wanted, 1));
    let wanted = format!("a/tint.fxb: {line}2 entries: {rest}");
    assert_eq!(diff(&[&at(&dir, "tint.zip"), &at(&dir, "tinted.zip")]), (wanted, 1));
    let culled = diff(&[&at(&dir, "effect.fxb"), &at(&dir, "culled.fxb")]);
    assert!(culled.0.starts_with("technique0/pass0 CULLMODE: 2 → 1\n") && culled.1 == 1, "{culled:?}");
    let named = diff(&[&at(&dir, "effect.fxb"), &at(&dir, "named.fxb")]);
    assert!(named.0.starts_with("parameter Tint name: Tint → Tone\n") && named.1 == 1, "{named:?}");
}

#[test]
fn names_tell_what_belongs_together() {
    let [one, two, three] = ["mov oC0, v0", "add r0, v0, v0\nmov oC0, r0", "mul r0, v0, v0\nmov oC0, r0"]
        .map(|body| program(&format!("ps_2_0\ndcl v0\n{body}\n")));
    let effect = |techniques: &[(&str, &[u8])]| build::effect_of("Tint", [1.0; 4], techniques);
    let dir = folder(
        "diff-containers-names",
        &[
            ("ab.fxb", &effect(&[("A", &one), ("B", &two)])),
            ("ba.fxb", &effect(&[("B", &two), ("A", &one)])),
            ("ba3.fxb", &effect(&[("B", &three), ("A", &one)])),
            ("ac.fxb", &effect(&[("A", &one), ("C", &two)])),
            ("a.fxb", &effect(&[("A", &one)])),
        ],
    );
    let file = |name: &str| at(&dir, name);
    let none = "0 only in the first, 0 only in the second";
    // In another order.
    let same = format!(
        "2 entries: 0 changed, {none}, 2 the same\nwhat is in them is the same; other bytes of the files differ\n"
    );
    assert_eq!(diff(&[&file("ab.fxb"), &file("ba.fxb")]), (same, 0));
    let (text, status) = diff(&[&file("ab.fxb"), &file("ba3.fxb"), "-U0"]);
    let head = format!(
        "--- {}::technique1/pass0/ps\n+++ {}::technique0/pass0/ps\n",
        file("ab.fxb"),
        file("ba3.fxb")
    );
    assert!(text.starts_with(&head) && status == 1, "{text}");
    // Of another name, at the same number.
    let text = diff(&[&file("ab.fxb"), &file("ac.fxb")]).0;
    assert_eq!(
        text,
        format!("technique1: B → C\n2 entries: 0 changed, {none}, 2 the same; 1 difference beside them\n")
    );
    let text = diff(&[&file("ab.fxb"), &file("a.fxb")]).0;
    assert_eq!(
        text,
        format!(
            "technique1: B only in the first\ntechnique1/pass0/ps: only in the first (ps_2_0, {} bytes)\n\
             2 entries: 0 changed, 1 only in the first, 0 only in the second, 1 the same; 1 difference beside them\n",
            two.len()
        )
    );
}

#[test]
fn archives_are_compared_member_by_member() {
    let [plain, renamed, commented] = [
        program("ps_2_0\ndcl v0\nadd r0, v0, v0\nmov oC0, r0\n"),
        program("ps_2_0\ndcl v0\nadd r3, v0, v0\nmov oC0, r3\n"),
        program("ps_2_0\n.comment HELO {\n00000001\n}\ndcl v0\nadd r0, v0, v0\nmov oC0, r0\n"),
    ];
    let before = archive(&[
        stored("renamed.pso", &plain),
        stored("commented.pso", &plain),
        deflated("same.pso", &plain),
        stored("glow.frag.agal", b"mov oc, v0\n"),
        stored("read.me", b"Nothing\0to see."),
        stored("gone.pso", &plain),
        stored("broken.fxb", &example()),
    ]);
    let after = archive(&[
        stored("new.pso", &plain),
        stored("renamed.pso", &renamed),
        stored("commented.pso", &commented),
        stored("same.pso", &plain),
        stored("glow.frag.agal", b"// brighter\nmov oc, v1\n"),
        stored("read.me", b"Nothing\0to look at."),
        stored("broken.fxb", &example()[..100]),
    ]);
    let dir = folder("diff-containers-zip", &[("a.zip", &before), ("b.zip", &after)]);
    let (a, b) = (at(&dir, "a.zip"), at(&dir, "b.zip"));
    let (text, status) = diff(&[&a, &b, "--stat"]);
    let size = plain.len();
    for line in [
        "renamed.pso: same up to renaming r0→r3",
        "commented.pso: the instructions are the same; comments, the header or bytes after the end differ",
        "glow.frag.agal: 1 changed, 0 only in the first, 0 only in the second",
        "read.me: data, 15 → 19 bytes",
        &format!("gone.pso: only in the first (ps_2_0, {size} bytes)"),
        &format!("new.pso: only in the second (ps_2_0, {size} bytes)"),
        "8 entries: 3 changed, 1 only in the first, 1 only in the second, 2 the same but for names or comments, 1 the same",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert!(text.contains(
        "broken.fxb: a compiled effect of Direct3D 9 (fx_2_0), 504 → 100 bytes; it cannot be read: "
    ));
    assert_eq!(status, 1);
    // Only what does not count.
    let pair = |program: &[u8]| archive(&[stored("x.pso", program)]);
    let dir = folder("diff-containers-alike", &[("a.zip", &pair(&plain)), ("b.zip", &pair(&renamed))]);
    let (a, b) = (at(&dir, "a.zip"), at(&dir, "b.zip"));
    assert_eq!(diff(&[&a, &b]).1, 0);
    assert_eq!(diff(&[&a, &b, "--rename", "none"]).1, 1);
}

#[test]
fn an_address_may_lead_to_a_container() {
    let dir = folder("diff-containers-inner", &[("all.zip", &everything()), ("tint.fxb", &example())]);
    let inner = format!("{}::effects/tint.fxb", at(&dir, "all.zip"));
    assert_eq!(diff(&[&inner, &at(&dir, "tint.fxb")]), ("the files are the same: 504 bytes\n".into(), 0));
    // Damaged.
    std::fs::write(dir.join("bad.fxb"), &example()[..100]).unwrap();
    let output = vecasm(&["diff", &at(&dir, "bad.fxb"), &at(&dir, "tint.fxb")], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("CONTAINER-"), "{}", stderr(&output));
}

/// Members that are the same are not read, so that thousands take little time.
#[test]
fn thousands_of_members_are_compared() {
    let plain = program("ps_2_0\ndcl v0\nadd r0, v0, v0\nmov oC0, r0\n");
    let other = program("ps_2_0\ndcl v0\nadd r0, v0, v1\nmov oC0, r0\n");
    let names: Vec<&'static str> = (0..2000).map(|n| &*format!("p{n}.pso").leak()).collect();
    let all = |odd: usize| {
        let members = names.iter().enumerate();
        let members: Vec<_> =
            members.map(|(n, name)| deflated(name, if n == odd { &other } else { &plain })).collect();
        archive(&members)
    };
    let dir = folder("diff-containers-many", &[("a.zip", &all(2000)), ("b.zip", &all(1234))]);
    let (text, _) = diff(&[&at(&dir, "a.zip"), &at(&dir, "b.zip"), "--stat"]);
    assert_eq!(
        text,
        "p1234.pso: 1 changed, 0 only in the first, 0 only in the second\n\
         2000 entries: 1 changed, 0 only in the first, 0 only in the second, 1999 the same\n"
    );
}
