//! Exit statuses where standard output cannot be written.

use super::{folder, stderr};
use std::process::{Command, Output, Stdio};

const BAD: &[u8] = b"mvo oPos, v0\n";
const GOOD: &[u8] = b"mov oPos, v0\n";

/// Runs with a standard output whose reader has gone.
fn unread(args: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_vecasm"));
    command.args(args).stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped());
    command.spawn().unwrap().wait_with_output().unwrap()
}

#[test]
fn a_reader_that_goes_changes_no_verdict() {
    let files: [(&str, &[u8]); 4] = [
        ("bad.vsh", BAD),
        ("good.vsh", GOOD),
        ("other.vsh", b"mov oPos, v1\n"),
        ("wrong.d3d9", b"ps_2_0\ndcl t0\nrcp r0.x, t0.x\nmov r0.yzw, t0\nmov oC0, r0\n"),
    ];
    let dir = folder("closed-pipe", &files);
    let many: Vec<(String, &[u8])> = (0..200).map(|n| (format!("{n:03}.vsh"), GOOD)).collect();
    let mut many: Vec<(&str, &[u8])> = many.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    many.push(("zzz.vsh", BAD));
    let folder = folder("closed-pipe-folder", &many).display().to_string();
    let input = dir.join("i.json");
    std::fs::write(&input, r#"{"inputs": [{"t0": [0, 2, 3, 4]}]}"#).unwrap();
    // The first one is listed, the second one cannot be read as text.
    let files: [(&str, &[u8]); 2] = [("a.vsh", b"mov   oPos,v0\n"), ("b.vsh", b"\xff\x00\x01")];
    let laid_out = super::folder("closed-pipe-fmt", &files).display().to_string();
    let path = |name: &str| dir.join(name).display().to_string();
    let (bad, good, other, input) = (path("bad.vsh"), path("good.vsh"), path("other.vsh"), path("i.json"));
    let (wrong, none) = (path("wrong.d3d9"), path("none.vsh"));
    for (args, status) in [
        (&["check", &good][..], 0),
        (&["check", &bad], 1),
        (&["check", "--json", &bad], 1),
        (&["check", "--message-format", "sarif", &bad], 1),
        (&["check", &none, &bad], 2),
        (&["check", &folder], 1),
        (&["check", "--jobs", "2", "--json", &folder], 1),
        (&["fmt", "--check", "--jobs", "1", &laid_out], 2),
        (&["diff", &good, &other], 1),
        (&["diff", &good, &good], 0),
        (&["eqv", &good, &other], 1),
        (&["why", "--numerics", "ieee", "-i", &input, &wrong], 1),
        (&["dis", &bad], 1),
        (&["dis", &good, &good], 0),
        (&["info", &bad, &good], 1),
        (&["explain"], 0),
        (&["run", "--random", "100", &good], 0),
    ] {
        let output = unread(args);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {}", stderr(&output));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_once_and_blamed_on_no_input() {
    let dir = folder("full-output", &[("a.vsh", GOOD), ("b.vsh", GOOD), ("c.vsh", BAD)]);
    let path = dir.display().to_string();
    let good = dir.join("a.vsh").display().to_string();
    for args in [
        &["check", "--json", &path][..],
        &["check", &path],
        &["info", &path],
        &["dis", &path],
        &["eqv", &good, &good],
        &["run", "--random", "9", &good],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vecasm"));
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        command.args(args).stdin(Stdio::null()).stdout(full).stderr(Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = stderr(&output);
        assert_eq!(said.matches("No space left").count(), 1, "{args:?}: {said}");
        assert!(said.contains("standard output: No space left on device"), "{args:?}: {said}");
        assert!(!said.contains("a.vsh: "), "{args:?}: {said}");
    }
}
