//! Names that would command a terminal, begin a line of their own, or are not in Unicode; names in programs, too.

use super::{folder, ok, stderr, stdout, vecasm};
use vecasm::isa::d3d9::ctab::{Constant, ConstantTable, Type};

const VERTEX: &[u8] = b"mov oPos, v0\n";
/// An instruction as the second line of a name.
const INJECTED: &str = "add oD0, v0, v1";

/// No line of what is written begins with what stands behind an end of line in a name, and nothing is an escape character.
fn harmless(args: &[&str]) {
    let output = vecasm(args, b"");
    for text in [stdout(&output), stderr(&output)] {
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{args:?}: {text:?}");
        assert!(!text.lines().any(|line| line.starts_with(INJECTED)), "{args:?}: {text}");
    }
}

#[cfg(unix)]
#[test]
fn names_of_files_begin_no_lines() {
    let odd = format!("n\u{1b}[2J\n{INJECTED}\u{9b}\u{202e}.vsh");
    let bad = format!("bad\n{INJECTED}.vsh");
    let picture = format!("p\n{INJECTED}.png");
    let dir = folder(
        "odd-names",
        &[
            (&odd, VERTEX),
            (&bad, b"mvo oPos, v0\n"),
            ("good.vsh", VERTEX),
            (&picture, b"\x89PNG\r\n\x1a\n12345678"),
        ],
    );
    let path = |name: &str| dir.join(name).display().to_string();
    let (odd, bad, good, all, out) = (path(&odd), path(&bad), path("good.vsh"), path(""), path("out/"));
    for args in [
        &["dis", &odd, &good][..],
        &["dis", &odd, &odd, "-o", &out],
        &["check", &odd],
        &["check", &bad],
        &["check", &all],
        &["check", "--json", &all],
        &["check", "--message-format", "short", &all],
        &["check", "--message-format", "sarif", &all],
        &["info", "--format", "text", &odd],
        &["info", "--json", &all],
        &["fmt", &odd],
        &["fmt", "--check", &bad],
        &["asm", &bad],
        &["asm", "--to", "c", &odd],
        &["asm", &odd, "-o", &odd],
        &["diff", &odd, &bad],
        &["diff", &odd, &good],
        &["eqv", &odd, &good],
        &["why", "--random", "1", &odd],
        &["run", "--random", "1", &odd],
        &["to", "wgsl", "--comments", "source", &odd],
        &["to", "wgsl", &bad],
        &["render", &bad, "-o", &path("x.png")],
        &["repro", "check", &odd],
        &["run", "-i", &odd, &good],
        &["dis", &format!("no\n{INJECTED}.bin")],
    ] {
        harmless(args);
    }
    let listed = ok(&["dis", &odd, &good], b"");
    assert!(stdout(&listed).contains("n\u{241b}[2J\u{240a}add oD0"), "{}", stdout(&listed));
    // Both are read back: the title is a comment.
    assert_eq!(stdout(&listed).lines().filter(|line| line.contains("mov oPos")).count(), 2);
}

#[test]
fn names_in_programs_begin_no_lines() {
    let name = format!("Wor\u{1b}[2J\n{INJECTED}");
    let ty = Type { class: 3, kind: 3, rows: 4, columns: 4, elements: 1, members: Vec::new() };
    let world = Constant { name, set: 2, index: 0, count: 4, reserved: 0, ty, default: Some(vec![0; 16]) };
    let table = ConstantTable {
        creator: Some(format!("by\u{1b}\n{INJECTED}")),
        version: 0xfffe_0200,
        flags: 0,
        target: None,
        constants: vec![world],
    };
    let words: Vec<String> = table.words().iter().skip(1).map(|word| format!("{word:08x}")).collect();
    let text = format!(
        "vs_2_0\n.comment CTAB {{ {} }}\ndcl_position v0\nm4x4 oPos, v0, c0\nmov oD0, v0\n",
        words.join(" ")
    );
    let dir = folder("odd-constants", &[("a.d3d9", text.as_bytes())]);
    let path = dir.join("a.d3d9").display().to_string();
    for args in [
        &["info", "--format", "text", &path][..],
        &["info", "--json", &path],
        &["check", &path],
        &["dis", &path],
        &["dis", "--dialect", "listing", &path],
        &["to", "glsl", &path],
        &["to", "hlsl", &path],
        &["to", "wgsl", "--comments", "source", &path],
        &["to", "msl", &path],
        &["to", "ir", &path],
        &["to", "wgsl", "--layout", "-", "-o", &dir.join("x.wgsl").display().to_string(), &path],
        &["run", "--random", "1", &path],
        &["run", "--random", "1", "--show-input", &path],
        &["why", "--random", "1", &path],
        &["eqv", &path, &path],
        &["asm", "--to", "c", &path],
    ] {
        harmless(args);
    }
    let told = ok(&["info", "--format", "text", &path], b"");
    assert!(stdout(&told).contains("Wor\u{241b}[2J\u{240a}add oD0"), "{}", stdout(&told));
}

/// macOS keeps no such names.
#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn names_that_are_not_in_unicode_are_kept() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let dir = folder("not-unicode", &[("in/x", b"")]);
    let name = |bytes: &[u8]| OsStr::from_bytes(bytes).to_os_string();
    for file in [&b"a\xff.vsh"[..], b"b\xff.vsh", b"a\xfe.vsh"] {
        std::fs::write(dir.join("in").join(name(file)), VERTEX).unwrap();
    }
    let path = |name: &str| dir.join(name).display().to_string();
    for (args, ending) in [
        (&["dis"][..], "nv2a"),
        (&["asm", "--to", "hex"], "hex"),
        (&["fmt"], "vsh"),
        (&["to", "glsl"], "glsl"),
        (&["to", "wgsl", "--layout", &path("layouts/")], "wgsl"),
    ] {
        let out = path(&format!("out-{}/", args.join("").len()));
        let inputs = path("in");
        let args = [args, &["-o", &out, &inputs]].concat();
        ok(&args, b"");
        for stem in [&b"a\xff."[..], b"b\xff.", b"a\xfe."] {
            let mut result = stem.to_vec();
            result.extend(ending.bytes());
            assert!(std::path::Path::new(&out).join(name(&result)).is_file(), "{args:?}: {result:?}");
        }
    }
    // The bytes of the name are in the record, so that the file can be found.
    for verb in ["check", "info"] {
        let output = ok(&[verb, "--json", &path("in")], b"");
        let records: Vec<serde_json::Value> =
            stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let hex = |record: &serde_json::Value| record["file_hex"].as_str().map(str::to_string);
        let found: Vec<String> = records.iter().filter_map(hex).collect();
        assert_eq!(found.len(), 3, "{verb}: {records:?}");
        assert!(found.iter().any(|hex| hex.ends_with("2f61ff2e767368")), "{verb}: {found:?}");
    }
    let plain = folder("in-unicode", &[("é.vsh", VERTEX)]);
    let output = ok(&["check", "--json", &plain.join("é.vsh").display().to_string()], b"");
    assert!(!stdout(&output).contains("file_hex"));
}

/// Everything that is in a folder is read or has a record, and nothing that could keep a reader waiting is opened.
#[cfg(unix)]
#[test]
fn nothing_in_a_folder_vanishes() {
    use std::os::unix::fs::symlink;

    let dir = folder("walked", &[("a.vsh", VERTEX), ("sub/b.vsh", VERTEX), ("notes.md", b"# none\n")]);
    symlink("nowhere", dir.join("broken.agal")).unwrap();
    symlink("loop.agal", dir.join("loop.agal")).unwrap();
    symlink("a.vsh", dir.join("link.vsh")).unwrap();
    symlink("sub", dir.join("folder")).unwrap();
    let status = std::process::Command::new("mkfifo").arg(dir.join("pipe.agal")).status();
    assert!(status.unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(dir.join("s")).unwrap();
    let deep = "d/".repeat(66);
    std::fs::create_dir_all(dir.join(&deep)).unwrap();
    let path = dir.display().to_string();
    let output = vecasm(&["check", "--json", &path], b"");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let records: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |name: &str| {
        let file = dir.join(name).display().to_string();
        let found =
            records.iter().find(|record| record["file"] == file.as_str() && record.get("verdict").is_some());
        found.map(|record| {
            (record["verdict"].as_str().unwrap(), record["what"].as_str(), record["problem"].as_str())
        })
    };
    assert_eq!(of("a.vsh"), Some(("accepted", None, None)));
    assert_eq!(of("sub/b.vsh"), Some(("accepted", None, None)));
    assert_eq!(of("link.vsh"), Some(("accepted", None, None)));
    assert_eq!(of("notes.md"), Some(("skipped", None, None)));
    assert_eq!(of("folder/b.vsh"), None);
    assert_eq!(of("broken.agal"), Some(("unread", None, Some("a link that leads nowhere"))));
    assert_eq!(of("loop.agal"), Some(("unread", None, Some("a link that leads nowhere"))));
    assert_eq!(of("pipe.agal"), Some(("skipped", Some("a named pipe"), None)));
    assert_eq!(of("s"), Some(("skipped", Some("a socket"), None)));
    assert!(records.iter().any(|record| record["problem"] == "folders are nested too deeply"));
    let output = vecasm(&["check", &path], b"");
    let said = stderr(&output);
    assert!(said.contains("6 files: 3 accepted, 3 not read; 3 others hold no shader"), "{said}");
    assert!(said.contains("pipe.agal (a named pipe)"), "{said}");
    assert!(said.contains("broken.agal: a link that leads nowhere"), "{said}");
}
