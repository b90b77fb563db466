//! Text for the NV2A: what is a program of it, and what is none.

use super::{stderr, stdout, vecasm};

/// Prose of whole slots is no microcode, and no binary of any other instruction set.
#[test]
fn binary_is_guessed_only_where_bytes_are_not_text() {
    let prose = "not a shader at all; prose 1234\n";
    assert_eq!(prose.len() % 16, 0);
    for isa in ["agal", "nv2a", "d3d9", "tgsi"] {
        for verb in ["dis", "info", "check", "run"] {
            for text in
                [prose, "caf\u{e9}, not a shader at all 1234\n", "\x1b[1mnot a shader at all\x1b[0m.\n\n\n"]
            {
                let stage: &[&str] = if isa == "agal" { &["--stage", "vertex"] } else { &[] };
                let output = vecasm(&[&[verb, "--isa", isa], stage].concat(), text);
                assert_ne!(output.status.code(), Some(0), "{verb} {isa} {text:?}: {}", stdout(&output));
                let said = [stdout(&output), stderr(&output)].concat();
                assert!(!said.contains(".raw") && said.contains("1:"), "{verb} {isa} {text:?}: {said}");
            }
        }
    }
    // In an encoding of one byte a letter it is text still, and not microcode.
    let latin = b"caf\xe9: not a shader at all, 1234\n";
    assert_eq!(latin.len() % 16, 0);
    let output = vecasm(&["dis", "--isa", "nv2a"], latin);
    assert_eq!(stdout(&output), "");
    assert!(stderr(&output).contains("byte 3 is not UTF-8"), "{}", stderr(&output));
}
