//! Many inputs at once: what one of them does to the others, where results go, and what is left when writing fails.

use super::{folder, ok, stderr, stdout, vecasm};
use std::path::Path;

const GOOD: &[u8] = b".agal fragment 1\nmov oc, v0\n";
const BAD: &[u8] = b".agal fragment 1\nmov oc xyz\n";
/// Bytes that nothing recognizes.
const GARBAGE: &[u8] = b"\x07\x03garbage\xff\xfe\x00\x01 of no kind";

fn arg(path: &Path) -> String {
    path.to_str().unwrap().to_string()
}

/// Names below a folder, in order.
fn files_in(folder: &Path) -> Vec<String> {
    let mut out = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                out.push(arg(path.strip_prefix(folder).unwrap()).replace('\\', "/"));
            }
        }
    }
    out.sort();
    out
}

#[test]
fn one_bad_input_does_not_stop_the_others() {
    let dir = folder(
        "batch-all",
        &[("0.bin", GARBAGE), ("1.frag.agal", BAD), ("2.frag.agal", GOOD), ("4.frag.agal", GOOD)],
    );
    let names = ["0.bin", "1.frag.agal", "2.frag.agal", "3.frag.agal", "4.frag.agal"];
    let names: Vec<String> = names.iter().map(|name| arg(&dir.join(name))).collect();
    for (verb, results) in [
        (&["asm"][..], &["2.frag.bin", "4.frag.bin"][..]),
        (&["dis"], &["2.frag.agal", "4.frag.agal"]),
        (&["fmt"], &["2.frag.agal", "4.frag.agal"]),
        (&["to", "wgsl"], &["2.frag.wgsl", "4.frag.wgsl"]),
        (&["to", "ir"], &["2.frag.ir", "4.frag.ir"]),
    ] {
        let out = dir.join(format!("out-{}", verb.join("-")));
        let mut args = verb.to_vec();
        args.extend(names.iter().map(String::as_str));
        let to = format!("{}/", arg(&out));
        args.extend(["-o", &to]);
        let output = vecasm(&args, "");
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{verb:?}: the worst status: {said}");
        assert_eq!(files_in(&out), results, "{verb:?}");
        for name in [&names[0], &names[1], &names[3]] {
            assert!(said.contains(name.as_str()), "{verb:?} does not name {name}: {said}");
        }
        assert!(said.contains("5 files: 2 done"), "{verb:?}: {said}");
    }
    let mut args = vec!["check"];
    args.extend(names.iter().map(String::as_str));
    let output = vecasm(&args, "");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output).matches(": accepted").count(), 2, "{}", stdout(&output));
    assert_eq!(stdout(&output).matches(": refused").count(), 1, "{}", stdout(&output));
    // An input of which nobody can say what it is counts as its record says.
    assert!(stderr(&output).contains("2 accepted, 1 refused, 2 not read"), "{}", stderr(&output));
    args[0] = "info";
    let output = vecasm(&args, "");
    assert_eq!(output.status.code(), Some(2));
    let lines: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        lines.iter().map(|line| line["file"].as_str().unwrap()).collect::<Vec<_>>(),
        [&names[2], &names[4]]
    );
}

#[test]
fn fail_fast_stops_at_the_first() {
    let dir = folder("batch-fast", &[("1.agal", BAD), ("2.agal", GOOD)]);
    for jobs in ["1", "4"] {
        let out = dir.join("out");
        let to = format!("{}/", arg(&out));
        let (first, second) = (arg(&dir.join("1.agal")), arg(&dir.join("2.agal")));
        let output = vecasm(&["asm", "--fail-fast", "--jobs", jobs, &first, &second, "-o", &to], "");
        assert_eq!(output.status.code(), Some(1));
        assert!(!out.exists());
    }
}

#[test]
fn threads_do_not_change_what_is_said() {
    let texts: Vec<(String, Vec<u8>)> = (0..40)
        .map(|n| {
            let text = if n % 3 == 0 { BAD.to_vec() } else { GOOD.to_vec() };
            (format!("{:02}.agal", (n * 7) % 40), text)
        })
        .collect();
    let files: Vec<(&str, &[u8])> = texts.iter().map(|(n, t)| (n.as_str(), t.as_slice())).collect();
    let dir = arg(&folder("batch-threads", &files));
    let run = |jobs: &str| {
        let output = vecasm(&["check", "--jobs", jobs, &dir], "");
        assert_eq!(output.status.code(), Some(1));
        (output.stdout, output.stderr)
    };
    assert_eq!(run("1"), run("8"));
}

#[test]
fn results_keep_their_places_below_the_common_folder() {
    let dir = folder("batch-places", &[("aa/x.agal", GOOD), ("bb/x.agal", GOOD), ("bb/cc/y.agal", GOOD)]);
    let path = |name: &str| arg(&dir.join(name));
    let to = format!("{}/", path("both"));
    ok(&["asm", &path("aa/x.agal"), &path("bb/x.agal"), "-o", &to], "");
    assert_eq!(files_in(&dir.join("both")), ["aa/x.bin", "bb/x.bin"]);
    // A folder that is named is where the places begin.
    let to = format!("{}/", path("one"));
    ok(&["asm", &path("bb"), "-o", &to], "");
    assert_eq!(files_in(&dir.join("one")), ["cc/y.bin", "x.bin"]);
}

#[test]
fn two_results_never_have_one_place() {
    let dir = folder("batch-doubles", &[("x.agal", GOOD), ("x.json", b"{}"), ("z.agal", GOOD)]);
    let path = |name: &str| arg(&dir.join(name));
    let to = format!("{}/", path("out"));
    // One file under two names: no name of a result tells them apart. All such are said at once.
    let (x, z) = (path("x.agal"), path("z.agal"));
    let output = vecasm(&["asm", &x, &x, &z, &z, "-o", &to], "");
    assert_eq!(output.status.code(), Some(2));
    for name in ["x.agal", "z.agal"] {
        assert!(stderr(&output).contains(name), "{}", stderr(&output));
    }
    assert!(!dir.join("out").exists(), "nothing is written before that is said");
    // What is no shader takes no place.
    ok(&["asm", &arg(&dir), "-o", &to], "");
    assert_eq!(files_in(&dir.join("out")), ["x.bin", "z.bin"]);
}

#[test]
fn results_that_would_have_one_name_keep_the_endings() {
    let vertex = ok(&["asm"], "vs_1_1\ndcl_position v0\nmov oPos, v0\n").stdout;
    let pixel = ok(&["asm"], "ps_2_0\nmov oC0, c0\n").stdout;
    let files: &[(&str, &[u8])] = &[
        ("water.pso", &pixel),
        ("water.vso", &vertex),
        // Its stem is the whole name of another one.
        ("water.pso.bin", &pixel),
        ("sky.vso", &vertex),
        ("low/water.vso", &vertex),
        ("water.txt", b"not a shader at all"),
    ];
    let dir = folder("batch-endings", files);
    let path = |name: &str| arg(&dir.join(name));
    for (verb, ending, to) in [
        (&["dis"][..], "d3d9", "a/"),
        (&["asm"], "bin", "b/"),
        (&["to", "hlsl"], "hlsl", "c/"),
        // A folder that is not there yet, and is called without a slash.
        (&["dis"], "d3d9", "d"),
    ] {
        let (from, to) = (arg(&dir), path(&format!("out/{to}")));
        let args = [verb, &[from.as_str(), "-o", &to]].concat();
        ok(&args, "");
        let names = ["low/water", "sky", "water.pso.bin", "water.pso", "water.vso"];
        let mut names: Vec<String> = names.iter().map(|name| format!("{name}.{ending}")).collect();
        names.sort();
        assert_eq!(files_in(Path::new(&to)), names, "{verb:?}");
        std::fs::remove_dir_all(dir.join("out")).unwrap();
    }
    // The same two alone have the same names, whatever else there is.
    let to = path("few/");
    ok(&["to", "glsl", &path("water.pso"), &path("water.vso"), "-o", &to], "");
    assert_eq!(files_in(&dir.join("few")), ["water.pso.glsl", "water.vso.glsl"]);
}

#[test]
fn several_results_are_refused_before_the_work() {
    let dir = folder("batch-early", &[("1.agal", GOOD), ("2.agal", GOOD)]);
    let (one, two) = (arg(&dir.join("1.agal")), arg(&dir.join("2.agal")));
    for target in ["hlsl", "wgsl", "ir", "spirv"] {
        let output = vecasm(&["to", target, &one, &two], "");
        assert_eq!(output.status.code(), Some(2), "{target}");
        assert!(stderr(&output).contains("name a folder with -o DIR/"), "{target}: {}", stderr(&output));
        assert!(!stderr(&output).contains("done"), "{target}: {}", stderr(&output));
    }
}

#[test]
fn files_that_are_passed_over_are_named() {
    let files: &[(&str, &[u8])] =
        &[("a.agal", GOOD), ("notes.md", b"# nothing to see\n"), ("pic.png", b"\x89PNG\r\n\x1a\n")];
    let dir = folder("batch-passed", files);
    let output = ok(&["check", &arg(&dir)], "");
    let said = stderr(&output);
    assert!(said.contains("2 others hold no shader: "), "{said}");
    assert!(said.contains("notes.md, ") && said.contains("pic.png (a picture (PNG))"), "{said}");
    let output = ok(&["check", "--json", &arg(&dir)], "");
    let records: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let skipped: Vec<_> = records.iter().filter(|record| record["verdict"] == "skipped").collect();
    assert_eq!(skipped.len(), 2, "{}", stdout(&output));
    assert_eq!(skipped[0]["file"], arg(&dir.join("notes.md")));
    assert!(skipped[0]["what"].is_null());
    assert_eq!((&skipped[1]["what"], &skipped[1]["bytes"]), (&"a picture (PNG)".into(), &8.into()));
    // `printf '\211PNG\r\n\032\n' | sha256sum`
    assert_eq!(skipped[1]["sha256"], "4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6");
}

#[test]
fn an_ending_does_not_make_a_shader() {
    let effect = b"\x01\x09\xff\xfe\x34\x01\0\0\0\0\0\0";
    // No version token, no header, no magic.
    let random = [0x93, 0x5a, 0xc7, 0x1e].repeat(25);
    let kinds: [(&str, &[u8], &str); 6] = [
        ("png", b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", "this is a picture (PNG)"),
        ("dxbc", b"DXBC\0\x01\x02\x03\x04\x05\x06\x07", "this is a shader of Direct3D 10 or later (DXBC)"),
        ("fx", effect, "this is a compiled effect of Direct3D 9 (fx_2_0)"),
        ("glsl", b"#version 110\nvoid main() {}\n", "this is GLSL"),
        ("empty", b"", "this is empty"),
        ("random", &random, "unknown instruction set"),
    ];
    let dir = folder("batch-lying", &[]);
    for (name, bytes, what) in kinds {
        for ending in ["bin", "pso", "fxc", "vsh", "tgsi", "agal"] {
            // Slots of the NV2A have nothing that tells them from other words.
            if (name, ending) == ("random", "vsh") {
                continue;
            }
            let path = dir.join(format!("{name}.{ending}"));
            std::fs::write(&path, bytes).unwrap();
            for verb in [&["check"][..], &["dis"], &["info"], &["to", "wgsl"], &["run", "--random", "1"]] {
                let args = [verb, &[path.to_str().unwrap()]].concat();
                let output = vecasm(&args, "");
                // What is damaged is a finding.
                let said = format!("{}{}", stdout(&output), stderr(&output));
                let status = if said.contains("error[CONTAINER-") { 1 } else { 2 };
                assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
                assert!(said.contains(what), "{args:?}: {said}");
            }
        }
    }
    // In a folder, a name that promises a shader is held to it.
    let output = vecasm(&["check", &arg(&dir)], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("empty.pso: this is empty"), "{}", stderr(&output));
}

#[test]
fn base64_is_found_in_a_folder_as_when_it_is_named() {
    let text = ok(&["asm", "--to", "base64"], "ps_2_0\nmov oC0, c0\n").stdout;
    let dir = folder("batch-base64", &[("one.b64", &text), ("words.txt", b"nothing")]);
    let output = ok(&["check", &arg(&dir)], "");
    assert!(stderr(&output).contains("1 file: 1 accepted"), "{}", stderr(&output));
}

#[test]
fn an_input_is_not_written_over() {
    let run = br#"{"inputs": [{"v0": [1, 2, 3, 4]}]}"#;
    let dir = folder("batch-over", &[("x.agal", GOOD), ("d/y.agal", GOOD), ("k.json", run)]);
    let path = |name: &str| arg(&dir.join(name));
    let (x, k) = (path("x.agal"), path("k.json"));
    let same = format!("{}/d/../x.agal", dir.display());
    let folder = format!("{}/", path("d"));
    for args in [
        &["asm", &x, "-o", &x][..],
        &["asm", &x, "-o", &same],
        &["dis", &x, "-o", &x],
        &["fmt", &x, "-o", &x],
        &["info", &x, "-o", &x],
        &["to", "wgsl", &x, "-o", &x],
        &["to", "wgsl", &x, "--layout", &x],
        &["run", &x, "-i", &k, "-o", &k],
        &["run", &x, "-i", &k, "-o", &x],
        // One that is read later.
        &["fmt", &x, &path("d/y.agal"), "-o", &arg(&dir)],
        &["dis", &path("d/y.agal"), "-o", &folder],
    ] {
        let output = vecasm(args, "");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("is an input"), "{args:?}: {}", stderr(&output));
        assert_eq!(std::fs::read(dir.join("x.agal")).unwrap(), GOOD, "{args:?}");
        assert_eq!(std::fs::read(dir.join("d/y.agal")).unwrap(), GOOD, "{args:?}");
        assert_eq!(std::fs::read(dir.join("k.json")).unwrap(), run, "{args:?}");
    }
}

#[test]
fn folders_lists_and_patterns_are_inputs() {
    let dir = folder(
        "batch-walk",
        &[
            ("a.agal", GOOD),
            ("notes.md", b"# nothing to see\n"),
            ("pic.png", b"\x89PNG\r\n\x1a\n"),
            (".hidden/h.agal", BAD),
            ("sub/b.agal", GOOD),
            ("sub/deep/c d.agal", GOOD),
        ],
    );
    let all = arg(&dir);
    let output = ok(&["check", &all], "");
    assert_eq!(stdout(&output).matches(": accepted").count(), 3, "{}", stdout(&output));
    assert!(stderr(&output).contains("3 files: 3 accepted; 2 others hold no shader"), "{}", stderr(&output));
    let output = ok(&["check", "--no-recurse", &all], "");
    assert_eq!(stdout(&output).matches(": accepted").count(), 1, "{}", stdout(&output));
    let path = |name: &str| arg(&dir.join(name));
    let list = |end: &str| [path("a.agal"), path("sub/deep/c d.agal")].map(|name| name + end).concat();
    for end in ["\n", "\r\n", "\0"] {
        let output = ok(&["check", "--files-from", "-"], list(end));
        assert_eq!(stdout(&output).matches(": accepted").count(), 2, "{end:?}: {}", stdout(&output));
    }
    // A pattern that the shell has not expanded.
    for (pattern, count) in [("*.agal", 1), ("sub/*.agal", 1), ("**/*.agal", 3), ("s?b/b.agal", 1)] {
        let output = ok(&["check", &path(pattern)], "");
        assert_eq!(stdout(&output).matches(": accepted").count(), count, "{pattern}: {}", stdout(&output));
    }
    let output = vecasm(&["check", &path("*.none")], "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn what_became_of_all_is_said_to_machines_too() {
    let dir =
        folder("batch-summary", &[("a.agal", GOOD), ("b.agal", b"mvo oc, v0\n"), ("n.md", b"# none\n")]);
    let output = vecasm(&["check", "--json", &arg(&dir)], "");
    let last: serde_json::Value = serde_json::from_str(stderr(&output).lines().last().unwrap()).unwrap();
    let summary = serde_json::json!({
        "files": 2, "programs": 2, "accepted": 1, "refused": 1, "failed": 0, "unread": 0, "skipped": 1,
    });
    assert_eq!(last["summary"], summary, "{}", stderr(&output));
    // A single program needs none.
    assert_eq!(stderr(&ok(&["check", "--json", &arg(&dir.join("a.agal"))], "")), "");
}

#[test]
fn refusals_of_several_results_say_why() {
    let log = "FRAG\nDCL OUT[0], COLOR\n  0: END\nVERT\nDCL OUT[0], POSITION\n  0: END\n";
    let dir = folder("batch-why", &[("x.agal", GOOD), ("log.txt", log.as_bytes())]);
    std::fs::create_dir(dir.join("empty")).unwrap();
    let (x, log, empty, out) = (
        arg(&dir.join("x.agal")),
        arg(&dir.join("log.txt")),
        arg(&dir.join("empty")),
        format!("{}/o/", arg(&dir)),
    );
    for (args, words) in [
        (&["asm", "-o", &out, &x, &x][..], format!("{x} is named 2 times, and has one result")),
        (
            &["to", "glsl", "--program", "all", &log],
            "--program all gives several results: name a folder".into(),
        ),
        (&["to", "glsl", &empty], "there are no files in what is named".into()),
        (&["asm", &empty], "there are no files in what is named".into()),
        (&["fmt", &empty], "there are no files in what is named".into()),
        (&["fmt", "-o", &out, &empty], "there are no files in what is named".into()),
    ] {
        let output = vecasm(args, "");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(&words), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn messages_about_flags_begin_as_all_others() {
    let output = vecasm(&["check", "--nope"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("vecasm: error: unexpected argument"), "{}", stderr(&output));
    // A number below zero is the value of a flag, good or bad.
    let output = vecasm(&["eqv", "--count", "-5", "a", "b"], "");
    assert!(
        stderr(&output).starts_with("vecasm: error: invalid value '-5' for '--count <N>'"),
        "{}",
        stderr(&output)
    );
    let dir = folder("batch-negative", &[("x.agal", GOOD)]);
    ok(
        &[
            "render",
            &arg(&dir.join("x.agal")),
            "--size",
            "8x8",
            "--time",
            "-5",
            "-o",
            &arg(&dir.join("x.png")),
        ],
        "",
    );
    assert_eq!(vecasm(&["--help"], "").status.code(), Some(0));
    assert_eq!(vecasm(&[], "").status.code(), Some(2));
}

#[cfg(unix)]
mod writing {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::process::{Command, Output, Stdio};

    /// Runs with files limited to a few hundred bytes, as if the disk were full.
    fn on_a_full_disk(args: &str) -> Output {
        let vecasm = env!("CARGO_BIN_EXE_vecasm");
        let script = format!("ulimit -f 1; trap '' XFSZ; exec '{vecasm}' {args}");
        Command::new("sh").args(["-c", &script]).stdin(Stdio::null()).output().unwrap()
    }

    #[test]
    fn a_full_disk_leaves_files_as_they_were() {
        let long = b"mov   ft0,v0\n".repeat(60).into_iter().chain(*b"mov oc,ft0\n").collect::<Vec<u8>>();
        let dir = folder("batch-full", &[("x.agal", &long), ("x.bin", b"the good one"), ("r.json", b"[]")]);
        let path = |name: &str| arg(&dir.join(name));
        for args in [
            format!("fmt -w {}", path("x.agal")),
            format!("asm {} -o {}", path("x.agal"), path("x.bin")),
            format!("asm --to c {} -o {}", path("x.agal"), path("x.bin")),
            format!("run --random 1000 {} -o {}", path("x.agal"), path("r.json")),
        ] {
            let output = on_a_full_disk(&args);
            assert_eq!(output.status.code(), Some(2), "{args}: {}", stderr(&output));
            assert_eq!(std::fs::read(dir.join("x.agal")).unwrap(), long, "{args}");
            assert_eq!(std::fs::read(dir.join("x.bin")).unwrap(), b"the good one", "{args}");
            assert_eq!(std::fs::read(dir.join("r.json")).unwrap(), b"[]", "{args}");
            assert_eq!(files_in(&dir), ["r.json", "x.agal", "x.bin"], "{args}: nothing else is left");
        }
    }

    #[test]
    fn permissions_links_and_devices_stay() {
        let dir = folder("batch-links", &[("x.agal", b"mov   oc,v0\n")]);
        let (file, link) = (dir.join("x.agal"), dir.join("link.agal"));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o750)).unwrap();
        symlink("x.agal", &link).unwrap();
        ok(&["fmt", "-w", link.to_str().unwrap()], "");
        assert_eq!(std::fs::read(&file).unwrap(), b"mov oc, v0\n");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o750);
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        for device in ["/dev/stdout", "/dev/fd/1"] {
            let output = ok(&["asm", "--to", "hex", file.to_str().unwrap(), "-o", device], "");
            assert!(stdout(&output).starts_with("a0"), "{device}");
        }
        assert!(Path::new("/dev/stdout").exists());
    }
}
