//! What somebody meets who has a file and does not know what it is, or types a word that is nearly right.

use super::{folder, ok, stderr, stdout, vecasm};
use std::process::{Command, Stdio};

#[test]
fn foreign_files_are_called_what_they_are() {
    for (bytes, what) in [
        (&b"DXBC\x01\x02\x03\x04\xff\xfe"[..], "Direct3D 10 or later (DXBC)"),
        (b"\x03\x02\x23\x07\x00\x00\x01\x00\xff", "SPIR-V"),
        (b"\x01\x09\xff\xfe\x00\x00", "a compiled effect of Direct3D 9"),
        (b"CWS\x0a\xff\xfe\x01", "a Flash movie"),
        (b"\x89PNG\r\n\x1a\n\x00", "a picture (PNG)"),
        (b"PK\x03\x04\x14\x00\xff", "a zip archive"),
        (b"XNBw\x05\x00\xff", "XNA"),
        (b"MGFX\x08\x00\xff", "MonoGame"),
        (b"#version 300 es\nvoid main() { gl_FragColor = vec4(1); }\n", "GLSL"),
        (b"float4 main(float4 p : POSITION) : SV_Position { return p; }\n", "HLSL"),
        (b"@vertex fn main() {}\n", "WGSL"),
        (b"{\"vertex\": \"a\", \"fragment\": \"b\"}", "a scene: `vecasm render` draws it"),
        (b"{\"inputs\": [],\n  \"count\" 1}", "invalid JSON: expected `:` in line 2, column 11"),
        (b"", "empty"),
    ] {
        for verb in
            [&["check"][..], &["dis"], &["asm"], &["to", "wgsl"], &["info"], &["run", "--random", "1"]]
        {
            let output = vecasm(verb, bytes);
            let said = format!("{}{}", stdout(&output), stderr(&output));
            // What is damaged is a finding.
            let status = if said.contains("error[CONTAINER-") { 1 } else { 2 };
            assert_eq!(output.status.code(), Some(status), "{verb:?} {what}: {said}");
            assert!(said.contains("this is ") && said.contains(what), "{verb:?}: {said}");
        }
    }
}

#[test]
fn texts_of_windows_are_decoded() {
    let text = ".agal fragment 1\r\nmov   oc, v0\r\n// \u{fc}\r\n";
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let big: Vec<u8> =
        [0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    let marked: Vec<u8> = [0xef, 0xbb, 0xbf].into_iter().chain(text.bytes()).collect();
    let plain = ok(&["asm"], text).stdout;
    for bytes in [&utf16, &big, &marked] {
        assert_eq!(ok(&["asm"], bytes).stdout, plain);
        ok(&["check"], bytes);
    }
    // It stays what it was.
    let dir = folder("utf16", &[("x.agal", &utf16)]);
    let path = dir.join("x.agal");
    ok(&["fmt", "-w", path.to_str().unwrap()], "");
    let expected = ".agal fragment 1\nmov oc, v0\n// \u{fc}\n";
    let expected: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(expected.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(std::fs::read(&path).unwrap(), expected);
    // A list of names, as PowerShell writes it.
    let list = format!("{}\r\n", path.display());
    let list: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(list.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    ok(&["check", "--files-from", "-"], list);
}

#[test]
fn findings_are_counted_and_capped() {
    let text = format!(".agal fragment 1\n{}mov oc, v0\n", "mvo ft0, v0\n".repeat(150));
    let shown = |args: &[&str]| {
        let output = vecasm(&[&["check", "--message-format", "short"], args].concat(), &text);
        stdout(&output).matches(": error[").count()
    };
    assert_eq!(shown(&[]), 100);
    assert_eq!(shown(&["--max-findings", "7"]), 7);
    assert_eq!(shown(&["--max-findings", "0"]), 150);
    let output = vecasm(&["check"], &text);
    assert!(stdout(&output).contains("50 more findings; --max-findings 0 shows all"), "{}", stdout(&output));
    assert!(stdout(&output).contains("refused (150 errors)"), "{}", stdout(&output));
    let output = vecasm(&["check", "--json"], &text);
    assert_eq!(stdout(&output).lines().count(), 151, "machines get all, and a record");
}

#[test]
fn accepted_programs_have_records() {
    let text = ".agal fragment 1\nmov oc, v0\n";
    let output = ok(&["check", "--json"], text);
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["verdict"], "accepted");
    assert_eq!((&record["isa"], &record["model"]), (&"agal".into(), &"AGAL 1".into()));
    // A text and its bytecode are one program.
    let bytes = ok(&["asm"], text).stdout;
    let same: serde_json::Value = serde_json::from_slice(&ok(&["check", "--json"], &bytes).stdout).unwrap();
    assert_eq!(record["sha256"], same["sha256"]);
    // SHA-256 of the bytes, by another implementation where there is one.
    let sums = Command::new("sha256sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    if let Ok(mut child) = sums {
        use std::io::Write as _;
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let sum = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        assert_eq!(sum.split(' ').next(), record["sha256"].as_str());
    }
}

#[test]
fn unrelated_files_are_not_linked() {
    let vertex = b"mov op, va0\nmov v0, va1\n";
    let fragment = b"mov oc, v1\n";
    let dir = folder("unrelated", &[("sky.vert.agal", vertex), ("sea.frag.agal", fragment)]);
    let path = |name: &str| dir.join(name).display().to_string();
    let (a, b) = (path("sky.vert.agal"), path("sea.frag.agal"));
    // But those who took them for a pair are told, whatever the order.
    for files in [[&a, &b], [&b, &a]] {
        let output = ok(&["check", files[0], files[1]], "");
        assert!(!stdout(&output).contains("linked"), "{}", stdout(&output));
        let note =
            format!("note: as a pair they do not link (AGAL3632); `vecasm check --pair {a} {b}` shows why");
        assert!(stderr(&output).contains(&note), "{}", stderr(&output));
    }
    let output = vecasm(&["check", "--pair", &a, &b], "");
    assert!(stdout(&output).contains("AGAL3632"), "{}", stdout(&output));
}

#[test]
fn sarif_has_only_the_rules_that_are_used() {
    let output = vecasm(&["check", "--message-format", "sarif"], ".agal fragment 1\nmvo oc, v0\n");
    assert!(output.stdout.len() < 8000, "{} bytes", output.stdout.len());
    let log: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len(), 1);
}

#[test]
fn words_that_are_nearly_right() {
    let text = "mov oc, v0\n";
    ok(&["asm", "--stage", "pixel"], text);
    assert_eq!(ok(&["to", "metal"], text).stdout, ok(&["to", "msl"], text).stdout);
    let near = |args: &[&str], word: &str| {
        let output = vecasm(args, text);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(word), "{args:?}: {}", stderr(&output));
    };
    near(&["to", "hsl"], "did you mean `hlsl`?");
    near(&["explain", "X5336"], "D3D9-X533");
    assert!(stdout(&ok(&["explain", "X5335"], "")).contains("D3D9-X5335"));
}

#[test]
fn help_is_where_people_look() {
    let help = ok(&["help", "to"], "");
    assert!(stdout(&help).contains("--glsl-version"), "{}", stdout(&help));
    let short = ok(&["to", "-h"], "");
    assert!(!stdout(&short).contains("--register-space"), "what is for one language is in --help");
    assert!(stdout(&short).lines().count() < 100, "{}", stdout(&short).lines().count());
    for tool in [env!("CARGO_BIN_EXE_nv2avsh"), env!("CARGO_BIN_EXE_nv2avshd")] {
        let output = Command::new(tool).arg("--version").output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains(env!("CARGO_PKG_VERSION")), "{}", stdout(&output));
    }
}

#[test]
fn info_for_people_has_no_json() {
    for text in [
        "ps_2_0\ndcl_2d s0\ndcl t0.xy\ntexld r0, t0, s0\nmov oC0, r0\n",
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n  0: MOV OUT[0], IN[0]\n  1: END\n",
        ".agal fragment 1\ntex ft0, v0, fs0 <2d,linear>\nmov oc, ft0\n",
    ] {
        let output = ok(&["info", "--format", "text"], text);
        assert!(!stdout(&output).contains(['{', '"']), "{}", stdout(&output));
    }
}
