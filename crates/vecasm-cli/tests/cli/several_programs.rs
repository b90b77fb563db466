//! Files with several programs: each is one.

use super::{folder, ok, stderr, stdout, vecasm};
use serde_json::Value;
use std::path::Path;

const GOOD: &str =
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n  0: MOV OUT[0], IN[0]\n  1: END\n";

/// A report in Markdown; the second program has an opcode that does not exist, in line 16.
fn report() -> String {
    let bad = GOOD.replace("MOV", "MOVE");
    format!("It crashes.\n\n```\n{GOOD}```\n\nand\n```\n{bad}```\n")
}

/// Two methods of the NV2A's class as a log: each program has one slot, marked as the last.
fn log() -> String {
    let slot = |word: &str| {
        format!("{}{word}{}", "0x0b00: 0x00000000\n0x0b04: ", "\n0x0b08: 0x0836106c\n0x0b0c: 0x2070f801\n")
    };
    let load = "0x1e9c: 0x00000000\n0x1ea0: 0x00000000\n0x1e94: 0x00000006\n";
    let draw = "0x17fc: 0x00000005\n";
    format!("{load}{}{draw}{load}{}{draw}", slot("0x0020001b"), slot("0x0020201b"))
}

fn records(output: &std::process::Output) -> Vec<Value> {
    let lines = stdout(output).lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|value| value.get("verdict").is_some()).collect()
}

#[test]
fn check_takes_all_programs_of_a_report() {
    let dir = folder("several-tgsi", &[("report.md", report().as_bytes())]);
    let path = dir.join("report.md").display().to_string();
    let output = vecasm(&["check", "--message-format", "short", &path], "");
    assert_eq!(output.status.code(), Some(1));
    let line = format!("{path}#2:16:");
    assert!(stdout(&output).contains(&line), "{}", stdout(&output));
    let found = records(&vecasm(&["check", "--json", &path], ""));
    assert_eq!(found.len(), 2);
    assert_eq!((&found[0]["verdict"], &found[1]["verdict"]), (&"accepted".into(), &"refused".into()));
    assert_eq!((&found[0]["program"], &found[1]["program"]), (&1.into(), &2.into()));
    assert_eq!(found[1]["name"], format!("{path}#2"));
    ok(&["check", "--program", "1", &path], "");
    assert_eq!(vecasm(&["check", "--program", "2", &path], "").status.code(), Some(1));
    let third = vecasm(&["check", "--program", "3", &path], "");
    assert_eq!(third.status.code(), Some(2));
    assert!(stderr(&third).contains("the input has 2"), "{}", stderr(&third));
}

#[test]
fn verbs_that_take_one_say_so() {
    let text = report();
    for verb in
        [&["asm", "--to", "hex"][..], &["to", "wgsl"], &["run", "--random", "1"], &["why", "--random", "1"]]
    {
        let output = ok(verb, &text);
        assert!(stderr(&output).contains("program 1 of 2; --program N"), "{verb:?}: {}", stderr(&output));
        let all = [verb, &["--program", "all"]].concat();
        let output = vecasm(&all, &text);
        assert_eq!(output.status.code(), Some(2), "{all:?}");
    }
    let dir = folder("several-all", &[("dump.log", (GOOD.to_string() + GOOD).as_bytes())]);
    let (path, to) = (dir.join("dump.log").display().to_string(), format!("{}/", dir.join("out").display()));
    ok(&["asm", "--program", "all", &path, "-o", &to], "");
    ok(&["dis", &path, "-o", &to], "");
    for name in ["dump.1.bin", "dump.2.bin", "dump.1.tgsi", "dump.2.tgsi"] {
        assert!(dir.join("out").join(name).exists(), "{name}");
    }
    // All of them in one file would be one of them.
    let file = dir.join("one.tgsi").display().to_string();
    assert_eq!(vecasm(&["dis", &path, "-o", &file], "").status.code(), Some(2));
    assert!(!dir.join("one.tgsi").exists());
    ok(&["dis", "--program", "2", &path, "-o", &file], "");
}

#[test]
fn files_with_one_program_go_with_those_that_have_several() {
    let two = (GOOD.to_string() + GOOD).replacen("FRAG", "VERT", 1).replacen(", COLOR", ", POSITION", 1);
    let two = two.replacen("IN[0], GENERIC[0], PERSPECTIVE", "IN[0]", 1);
    let dir = folder("several-mixed", &[("two.log", two.as_bytes()), ("one.tgsi", GOOD.as_bytes())]);
    let path = |name: &str| dir.join(name).display().to_string();
    let (log, one) = (path("two.log"), path("one.tgsi"));
    for verb in [&["check"][..], &["info"], &["dis"]] {
        ok(&[verb, &["--program", "all", &log, &one]].concat(), "");
    }
    ok(&["run", "--program", "all", "--random", "1", &one], "");
    // Where results have places for all of them, all are made.
    let folder = dir.display().to_string();
    for (verb, ending) in [(&["asm"][..], "bin"), (&["to", "glsl"], "glsl"), (&["dis"], "tgsi")] {
        for (all, to) in [(&[][..], "a/"), (&["--program", "all"], "b/")] {
            for from in [&[folder.as_str()][..], &[log.as_str(), &one]] {
                let to = path(&format!("out/{to}"));
                ok(&[verb, all, from, &["-o", &to]].concat(), "");
                for name in ["one", "two.1", "two.2"] {
                    let file = Path::new(&to).join(format!("{name}.{ending}"));
                    assert!(file.exists(), "{verb:?} {from:?}: {}", file.display());
                }
                std::fs::remove_dir_all(dir.join("out")).unwrap();
            }
        }
    }
    // A number is for those that have several.
    assert!(stdout(&ok(&["eqv", "--program", "2", &log, &one], "")).contains("proved"));
    assert!(stdout(&ok(&["eqv", "--program", "2", &one, &log], "")).contains("proved"));
    ok(&["check", "--program", "2", &log, &one], "");
    assert_eq!(vecasm(&["check", "--program", "2", &one], "").status.code(), Some(2));
    assert_eq!(vecasm(&["eqv", "--program", "2", &one, &one], "").status.code(), Some(2));
}

#[test]
fn a_name_with_a_number_is_a_program() {
    let text = report();
    let files: &[(&str, &[u8])] =
        &[("report.md", text.as_bytes()), ("one.tgsi", GOOD.as_bytes()), ("odd#1", GOOD.as_bytes())];
    let dir = folder("several-named", files);
    let path = |name: &str| dir.join(name).display().to_string();
    let (first, second) = (path("report.md#1"), path("report.md#2"));
    let output = vecasm(&["check", "--message-format", "short", &second], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains(&format!("{second}:16:")), "{}", stdout(&output));
    assert_eq!(records(&ok(&["check", "--json", &first], ""))[0]["name"], first);
    ok(&["check", &path("report.md::1")], "");
    for (verb, rest) in [
        (&["dis"][..], &[][..]),
        (&["info"], &[]),
        (&["asm", "--to", "hex"], &[]),
        (&["to", "wgsl"], &[]),
        (&["run", "--random", "1"], &[]),
        (&["why", "--random", "1"], &[]),
        (&["eqv"], &["one.tgsi"]),
        (&["diff"], &["one.tgsi"]),
    ] {
        let rest: Vec<String> = rest.iter().map(|name| path(name)).collect();
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        ok(&[verb, &[first.as_str()], &rest].concat(), "");
        assert_ne!(
            vecasm(&[verb, &[second.as_str()], &rest].concat(), "").status.code(),
            Some(0),
            "{verb:?}"
        );
    }
    let third = vecasm(&["dis", &path("report.md#3")], "");
    assert_eq!(third.status.code(), Some(2));
    assert!(stderr(&third).contains("no program 3; the input has 2"), "{}", stderr(&third));
    // A file that is called so is that file.
    ok(&["check", &path("odd#1")], "");
    let to = format!("{}/", path("out"));
    ok(&["dis", &first, "-o", &to], "");
    assert!(dir.join("out/report.1.tgsi").exists());
    let twice = path("twice.log");
    std::fs::write(&twice, GOOD.to_string() + &GOOD.replace("IN[0]\n", "IN[0].wzyx\n")).unwrap();
    let [one, two] = [1, 2].map(|n| format!("{twice}#{n}"));
    for (verb, ending) in [(&["asm"][..], "bin"), (&["to", "hlsl"], "hlsl"), (&["dis"], "tgsi")] {
        ok(&[verb, &[&one, &two, "-o", &path("both")]].concat(), "");
        for n in [1, 2] {
            let file = format!("both/twice.{n}.{ending}");
            assert!(dir.join(&file).exists(), "{file}");
        }
    }
    // One program of a file is not the file.
    let output = vecasm(&["fmt", "-w", &first], "");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(dir.join("report.md")).unwrap(), text);
    // What is packed is what was named.
    let repro = path("second.vecasm-repro");
    ok(&["repro", "pack", &two, "--random", "2", "-o", &repro], "");
    ok(&["repro", "check", &repro], "");
    let second = ok(&["dis", "--program", "2", &twice], "").stdout;
    assert_eq!(ok(&["dis", &repro], "").stdout, second);
}

#[test]
fn arrays_of_a_header_are_programs() {
    let c = |name: &str, text: &str| {
        let written = ok(&["asm", "--to", "c", "--name", name], text);
        stdout(&written).to_string()
    };
    let agal = c("A", ".agal fragment 1\nmov oc, v0\n") + &c("B", ".agal vertex 1\nmov op, va0\n");
    let d3d9 = c("A", "vs_1_1\ndcl_position v0\nmov oPos, v0\n") + &c("B", "ps_2_0\nmov oC0, c0\n");
    for (header, isa, stages) in
        [(agal, "agal", ["fragment", "vertex"]), (d3d9, "d3d9", ["vertex", "fragment"])]
    {
        let header = format!("#pragma once\nstatic const int sizes[] = {{ 1, 2, 3 }};\n{header}");
        let output = ok(&["info", "--json"], &header);
        let found: Vec<Value> =
            stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(found.len(), 2, "{isa}: {header}");
        for (value, stage) in found.iter().zip(stages) {
            assert_eq!((&value["isa"], &value["stage"]), (&isa.into(), &stage.into()));
        }
        let listing = ok(&["dis"], &header);
        assert_eq!(stdout(&listing).matches("// <stdin>#").count(), 2, "{}", stdout(&listing));
    }
}

#[test]
fn programs_of_the_nv2a_in_logs_and_listings() {
    let found = records(&ok(&["check", "--json", "--isa", "nv2a"], log()));
    assert_eq!(found.len(), 2, "{}", log());
    assert_ne!(found[0]["sha256"], found[1]["sha256"]);
    // Two listings behind one another.
    let inl = |text: &str| stdout(&ok(&["asm", "--isa", "nv2a", "--to", "inl"], text)).to_string();
    let both = inl("mov oPos, v0\nmov oD0, v3\n") + &inl("mov oPos, v1\n");
    let found = records(&ok(&["check", "--json", "--isa", "nv2a"], &both));
    assert_eq!(found.iter().map(|value| &value["instructions"]).collect::<Vec<_>>(), [2, 1], "{both}");
}
