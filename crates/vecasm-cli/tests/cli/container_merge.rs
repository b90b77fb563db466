//! `diff --base`: two edits put together.

use super::containers::build::{archive, stored, words};
use super::containers::example;
use super::{folder, ok, stderr, stdout, vecasm};
use serde_json::Value;
use std::path::Path;

const BASE: &str =
    "ps_2_0\n    dcl v0\n    dcl v1\n    mul r0, v0, c0\n    add r0, r0, v1\n    mov oC0, r0\n";

fn at(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

/// The base, and what three people made of it.
fn files(name: &str) -> std::path::PathBuf {
    let edited = |old: &str, new: &str| BASE.replace(old, new).into_bytes();
    folder(
        name,
        &[
            ("base.d3d9", BASE.as_bytes()),
            ("a.d3d9", &edited("mul r0, v0, c0", "mul_sat r0, v0, c0")),
            ("b.d3d9", &edited("    mov oC0", "    mul r0, r0, c1\n    mov oC0")),
            ("c.d3d9", &edited("mul r0, v0, c0", "mul r0, v0, c7")),
            ("r.d3d9", &edited("r0", "r3")),
            ("s.d3d9", &edited("r0", "r4")),
        ],
    )
}

fn merged(dir: &Path, [base, a, b]: [&str; 3], out: &str) -> (i32, String, String) {
    let args = ["diff", "--base", &at(dir, base), &at(dir, a), &at(dir, b), "-o", &at(dir, out)];
    let output = vecasm(&args, "");
    (output.status.code().unwrap(), stdout(&output).to_string(), stderr(&output).to_string())
}

#[test]
fn changes_in_different_places_are_put_together() {
    let dir = files("merge-apart");
    let (status, said, _) = merged(&dir, ["base.d3d9", "a.d3d9", "b.d3d9"], "out.d3d9");
    let wanted =
        BASE.replace("mul r0", "mul_sat r0").replace("    mov oC0", "    mul r0, r0, c1\n    mov oC0");
    assert_eq!((status, std::fs::read_to_string(dir.join("out.d3d9")).unwrap()), (0, wanted.clone()));
    assert!(said.ends_with("1 change of the first, 1 of the second, 0 of both, 0 conflicts\n"), "{said}");
    assert!(said.contains("- mul r0, v0, c0\n") && said.contains("+ mul r0, r0, c1\n"), "{said}");
    // The same on both sides, and nothing on one.
    assert_eq!(merged(&dir, ["base.d3d9", "a.d3d9", "a.d3d9"], "out.d3d9").0, 0);
    let a = std::fs::read_to_string(dir.join("a.d3d9")).unwrap();
    assert_eq!(std::fs::read_to_string(dir.join("out.d3d9")).unwrap(), a);
    assert_eq!(merged(&dir, ["base.d3d9", "base.d3d9", "a.d3d9"], "out.d3d9").0, 0);
    assert_eq!(std::fs::read_to_string(dir.join("out.d3d9")).unwrap(), a);
    // Bytes, by the ending, and since the first one is bytes.
    let bytes = ok(&["asm", "--isa", "d3d9", "-", "-o", "-"], &wanted).stdout;
    merged(&dir, ["base.d3d9", "a.d3d9", "b.d3d9"], "out.bin");
    assert_eq!(std::fs::read(dir.join("out.bin")).unwrap(), bytes);
    ok(&["asm", &at(&dir, "a.d3d9"), "-o", &at(&dir, "a.pso")], "");
    merged(&dir, ["base.d3d9", "a.pso", "b.d3d9"], "out.pso");
    assert_eq!(std::fs::read(dir.join("out.pso")).unwrap(), bytes);
    // On standard output the program is alone.
    let args =
        ["diff", "--base", &at(&dir, "base.d3d9"), &at(&dir, "a.d3d9"), &at(&dir, "b.d3d9"), "-o", "-"];
    assert_eq!(stdout(&ok(&args, "")), wanted);
}

#[test]
fn conflicts_stand_between_markers() {
    let dir = files("merge-conflict");
    let (status, said, _) = merged(&dir, ["base.d3d9", "a.d3d9", "c.d3d9"], "out.d3d9");
    assert_eq!(status, 1);
    // As `git merge-file --diff3` writes it.
    let conflict = format!(
        "<<<<<<< {}\nmul_sat r0, v0, c0\n||||||| {}\nmul r0, v0, c0\n=======\nmul r0, v0, c7\n>>>>>>> {}\n",
        at(&dir, "a.d3d9"),
        at(&dir, "base.d3d9"),
        at(&dir, "c.d3d9")
    );
    assert!(said.contains(&conflict), "{said}");
    let out = std::fs::read_to_string(dir.join("out.d3d9")).unwrap();
    assert_eq!(out, format!("ps_2_0\ndcl v0\ndcl v1\n{conflict}add r0, r0, v1\nmov oC0, r0\n"));
    // A register that both give another name.
    assert_eq!(merged(&dir, ["base.d3d9", "r.d3d9", "s.d3d9"], "out.d3d9").0, 1);
    let args = ["diff", "--json", "--base", &at(&dir, "base.d3d9"), &at(&dir, "a.d3d9"), &at(&dir, "c.d3d9")];
    let json: Value = serde_json::from_slice(&vecasm(&args, "").stdout).unwrap();
    assert_eq!((&json["merged"], &json["conflicts"]), (&false.into(), &1.into()));
    assert_eq!(json["chunks"][0]["b"][0], "mul r0, v0, c7");
    // -o is for merges; programs of two instruction sets have nothing to merge.
    assert_eq!(
        vecasm(&["diff", &at(&dir, "a.d3d9"), &at(&dir, "b.d3d9"), "-o", "x"], "").status.code(),
        Some(2)
    );
    let args = ["diff", "--base", &at(&dir, "base.d3d9"), &at(&dir, "a.d3d9"), "-"];
    assert_eq!(vecasm(&args, ".agal fragment 1\nmov oc, v0\n").status.code(), Some(2));
}

#[test]
fn what_the_runtime_refuses_is_told() {
    // One removes what writes a register, the other reads it once more.
    let base = "ps_2_0\ndcl v0\ndcl v1\nmov r1, v1\nmul r0, v0, c0\nadd r0, r0, c1\nmov oC0, r0\n";
    let dir = folder(
        "merge-refused",
        &[
            ("base.d3d9", base.as_bytes()),
            ("a.d3d9", base.replace("mov r1, v1\n", "").as_bytes()),
            ("b.d3d9", base.replace("add r0, r0, c1", "add r0, r0, r1").as_bytes()),
        ],
    );
    let (status, said, findings) = merged(&dir, ["base.d3d9", "a.d3d9", "b.d3d9"], "out.d3d9");
    assert_eq!(status, 1);
    assert!(said.contains("0 conflicts") && findings.contains("the merged program:"), "{said}{findings}");
    assert!(findings.contains("add r0, r0, r1"), "{findings}");
}

/// Labels of TGSI are numbers of instructions, which move.
#[test]
fn labels_follow_their_instructions() {
    let base = "FRAG\nDCL IN[0], GENERIC[0]\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}\n\
        0: MOV TEMP[0], IN[0]\n1: IF TEMP[0].xxxx :3\n2: CAL :6\n3: ENDIF\n4: MOV OUT[0], TEMP[0]\n5: END\n\
        6: BGNSUB\n7: ADD TEMP[0], TEMP[0], IMM[0]\n8: RET\n9: ENDSUB\n";
    // One more in front, which moves all labels; another immediate.
    let a = "FRAG\nDCL IN[0], GENERIC[0]\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}\n\
        0: MOV TEMP[0], IN[0]\n1: MUL TEMP[0], TEMP[0], IN[0]\n2: IF TEMP[0].xxxx :4\n3: CAL :7\n4: ENDIF\n\
        5: MOV OUT[0], TEMP[0]\n6: END\n7: BGNSUB\n8: ADD TEMP[0], TEMP[0], IMM[0]\n9: RET\n10: ENDSUB\n";
    let b = base.replace("FLT32 {1.0", "FLT32 {4.0").replace("MOV OUT", "MOV_SAT OUT");
    let dir = folder(
        "merge-labels",
        &[("base.tgsi", base.as_bytes()), ("a.tgsi", a.as_bytes()), ("b.tgsi", b.as_bytes())],
    );
    let (status, said, findings) = merged(&dir, ["base.tgsi", "a.tgsi", "b.tgsi"], "out.tgsi");
    assert_eq!((status, findings.as_str()), (0, ""), "{said}");
    let wanted = a.replace("FLT32 {1.0", "FLT32 {4.0").replace("MOV OUT", "MOV_SAT OUT");
    std::fs::write(dir.join("wanted.tgsi"), wanted).unwrap();
    let bytes = |name: &str| ok(&["asm", &at(&dir, name), "-o", "-"], "").stdout;
    assert_eq!(bytes("out.tgsi"), bytes("wanted.tgsi"));
}

#[test]
fn two_edits_of_an_effect_come_together() {
    let dir = folder("merge-effect", &[("base.fxb", &example())]);
    let base = at(&dir, "base.fxb");
    let listing = |file: &str, program: &str| {
        stdout(&ok(&["dis", &format!("{}::{program}/P0/ps", at(&dir, file))], "")).to_string()
    };
    let edited = |out: &str, program: &str, old: &str, new: &str| {
        let text = listing("base.fxb", program);
        // What an editor leaves of it: the table of constants goes.
        let text: String = text.replace(old, new);
        let text =
            text.split(".comment").next().unwrap().to_string() + text.split("}\n").nth(1).unwrap_or_default();
        std::fs::write(dir.join("edit.asm"), text).unwrap();
        let edit = format!("{program}/P0/ps={}", at(&dir, "edit.asm"));
        ok(&["repack", &base, &edit, "-o", &at(&dir, out)], "");
    };
    edited("a.fxb", "Gray", "0.299", "0.25");
    edited("b.fxb", "Gray", "mov oC0, r0", "mov r1, r0\nmov oC0, r1");
    edited("c.fxb", "Gray", "0.299", "0.5");
    edited("d.fxb", "Sprite", "mul r0", "dcl v1\nmul r0");
    edited("e.fxb", "Sprite", "mov oC0, r0", "add r0, r0, r0\nmov oC0, r0");
    let (status, said, _) = merged(&dir, ["base.fxb", "a.fxb", "b.fxb"], "ab.fxb");
    assert_eq!(status, 0, "{said}");
    assert!(
        said.ends_with("0 from the first, 0 from the second, 0 the same in both, 1 merged, 0 conflicts\n"),
        "{said}"
    );
    let text = listing("ab.fxb", "Gray");
    assert!(text.contains("def c1, 0.25,") && text.contains("mov r1, r0"), "{text}");
    // The table of constants stays.
    assert_eq!(merged(&dir, ["base.fxb", "d.fxb", "e.fxb"], "de.fxb").0, 0);
    let text = listing("de.fxb", "Sprite");
    assert!(text.contains("dcl v1") && text.contains("add r0, r0, r0"), "{text}");
    assert!(text.contains("// Tint c0 1"), "{text}");
    // Different programs.
    let (status, said, _) = merged(&dir, ["base.fxb", "a.fxb", "d.fxb"], "ad.fxb");
    assert!(status == 0 && said.contains("technique0/pass0/ps: changed by the second\n"), "{said}");
    assert!(listing("ad.fxb", "Gray").contains("0.25") && listing("ad.fxb", "Sprite").contains("dcl v1"));
    // The same place: nothing is written.
    let (status, _, said) = merged(&dir, ["base.fxb", "a.fxb", "c.fxb"], "ac.fxb");
    assert_eq!((status, dir.join("ac.fxb").exists()), (1, false));
    assert!(said.contains("nothing is written: conflicts in technique1/pass0/ps"), "{said}");
    // A default on one side, a program on the other: the default stays, whichever side it is on.
    let floats = |list: [f32; 4]| words(&list.map(f32::to_bits));
    let mut tinted = example();
    let old = floats([1.0, 0.5, 0.25, 1.0]);
    let place = tinted.windows(16).position(|window| window == old).unwrap();
    tinted[place..place + 16].copy_from_slice(&floats([1.0; 4]));
    std::fs::write(dir.join("tinted.fxb"), tinted).unwrap();
    for [a, b] in [["a.fxb", "tinted.fxb"], ["tinted.fxb", "a.fxb"]] {
        assert_eq!(merged(&dir, ["base.fxb", a, b], "tinted-a.fxb").0, 0);
        let text = stdout(&ok(&["info", "--format", "text", &at(&dir, "tinted-a.fxb")], "")).to_string();
        assert!(text.contains("Tint = 1 1 1 1"), "{text}");
        assert!(listing("tinted-a.fxb", "Gray").contains("0.25"));
    }
}

#[test]
fn archives_come_together_member_by_member() {
    let pack = |effect: &[u8], note: &[u8]| {
        archive(&[
            stored("fx/tint.fxb", effect),
            stored("read.me", note),
            stored("glow.frag.agal", b"mov oc, v0\n"),
        ])
    };
    let dir = folder("merge-zip", &[("base.fxb", &example())]);
    let edit = |out: &str, program: &str, text: &str| {
        std::fs::write(dir.join("edit.asm"), text).unwrap();
        let edit = format!("{program}/P0/ps={}", at(&dir, "edit.asm"));
        ok(&["repack", &at(&dir, "base.fxb"), &edit, "-o", &at(&dir, out)], "");
        std::fs::read(dir.join(out)).unwrap()
    };
    let one = edit("a.fxb", "Gray", "ps_2_0\ndcl v0\nmov oC0, v0\n");
    let two = edit("b.fxb", "Sprite", "ps_2_0\ndcl v0\nmul r0, c0, v0\nmov oC0, r0\n");
    for (name, bytes) in [
        ("base.zip", pack(&example(), b"a\0b")),
        ("a.zip", pack(&one, b"a\0b")),
        ("b.zip", pack(&two, b"a\0c")),
        ("c.zip", pack(&one, b"a\0d")),
    ] {
        std::fs::write(dir.join(name), bytes).unwrap();
    }
    let (status, said, _) = merged(&dir, ["base.zip", "a.zip", "b.zip"], "ab.zip");
    assert_eq!(status, 0, "{said}");
    // What is in both by hand: both edits in one effect.
    let text = at(&dir, "edit.asm");
    std::fs::write(&text, "ps_2_0\ndcl v0\nmul r0, c0, v0\nmov oC0, r0\n").unwrap();
    ok(&["repack", &at(&dir, "a.fxb"), &format!("Sprite/P0/ps={text}"), "-o", &at(&dir, "both.fxb")], "");
    let both = std::fs::read(dir.join("both.fxb")).unwrap();
    assert!(std::fs::read(dir.join("ab.zip")).unwrap() == pack(&both, b"a\0c"));
    let (status, said, complaint) = merged(&dir, ["base.zip", "b.zip", "c.zip"], "bc.zip");
    assert_eq!(status, 1);
    assert!(
        said.contains("read.me: data, changed by both: 3 bytes, 3 in the first, 3 in the second\n"),
        "{said}"
    );
    assert!(complaint.contains("conflicts in read.me"), "{complaint}");
    // Members can be neither added nor removed, unless only one side does.
    let more = archive(&[
        stored("fx/tint.fxb", &example()),
        stored("read.me", b"a\0b"),
        stored("glow.frag.agal", b"mov oc, v0\n"),
        stored("new.me", b"n\0e"),
    ]);
    std::fs::write(dir.join("more.zip"), &more).unwrap();
    let less = archive(&[stored("fx/tint.fxb", &one), stored("glow.frag.agal", b"mov oc, v0\n")]);
    std::fs::write(dir.join("less.zip"), less).unwrap();
    assert_eq!(merged(&dir, ["base.zip", "a.zip", "more.zip"], "out.zip").0, 0);
    let text = stdout(&ok(&["diff", "--stat", &at(&dir, "a.zip"), &at(&dir, "a.zip")], "")).to_string();
    assert!(text.starts_with("the files are the same"), "{text}");
    let listed = stdout(&ok(&["info", "--json", &at(&dir, "out.zip")], "")).to_string();
    assert!(listed.contains("new.me"), "{listed}");
    let (status, said, _) = merged(&dir, ["base.zip", "less.zip", "more.zip"], "out2.zip");
    assert_eq!(status, 1);
    assert!(said.contains("new.me: added by the second, which cannot be done in the first\n"), "{said}");
}

/// Bytes that are of no entry and that nothing tells of: the rate of a movie, behind its header and the size of the stage.
#[test]
fn other_bytes_of_a_file_are_kept_or_a_conflict() {
    let base = std::fs::read("../../examples/containers/movie.swf").unwrap();
    let faster = |rate: u8| {
        let mut movie = base.clone();
        movie[10] = rate;
        movie
    };
    let dir =
        folder("merge-beside", &[("base.swf", &base), ("fast.swf", &faster(30)), ("slow.swf", &faster(12))]);
    let at = |name: &str| dir.join(name).display().to_string();
    let merge = |a: &str, b: &str| {
        let output = vecasm(&["diff", "--base", &at("base.swf"), &at(a), &at(b), "-o", &at("out.swf")], "");
        (output.status.code(), format!("{}{}", stdout(&output), stderr(&output)))
    };
    for (a, b) in [("base.swf", "fast.swf"), ("fast.swf", "base.swf"), ("fast.swf", "fast.swf")] {
        assert_eq!(merge(a, b).0, Some(0), "{a} {b}");
        assert!(std::fs::read(at("out.swf")).unwrap() == faster(30), "{a} {b}");
    }
    let (status, said) = merge("fast.swf", "slow.swf");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("other bytes of the file"), "{said}");
    // An edit of a program comes into the file whose other bytes were changed.
    let text = at("new.agal");
    std::fs::write(&text, ".agal fragment 1\nmov oc, fc1\n").unwrap();
    ok(&["repack", &at("base.swf"), &format!("binary/2={text}"), "-o", &at("edited.swf")], "");
    assert_eq!(merge("edited.swf", "fast.swf").0, Some(0));
    assert_eq!(std::fs::read(at("out.swf")).unwrap()[10], 30);
    let program = ok(&["dis", &format!("{}::binary/2", at("out.swf"))], "");
    assert!(stdout(&program).contains("mov oc, fc1"), "{}", stdout(&program));
}
