//! The programs in `examples/` of this crate do what they say.

#![cfg(all(feature = "agal", feature = "d3d9", feature = "exec", feature = "files"))]
#![allow(clippy::unwrap_used, reason = "this is a test from end to end")]

#[path = "../examples/check.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is a program of its own")]
mod check;
#[path = "../examples/trace.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is a program of its own")]
mod trace;

#[test]
fn findings_have_places_whatever_was_read() {
    let (lines, refused) = check::findings("a.frag.agal", b"mov ft0, v0\nadd oc, ft0, ft1\n");
    assert!(refused && lines[0].starts_with("a.frag.agal:2:1: error[AGAL3647]"), "{lines:?}");
    // A text that cannot be read, in another encoding.
    let text = vecasm::open::Encoding::Utf16Le.encode("mov oc, v0\nmoov oc, v0\n");
    let (lines, refused) = check::findings("a.frag.agal", &text);
    assert!(refused && lines[0].starts_with("a.frag.agal:2:1: error[AGAL-unknown-opcode]"), "{lines:?}");
    let (lines, refused) = check::findings("a.rar", b"Rar!\x1a");
    assert!(refused && lines == ["a.rar: this is a RAR archive: unpack it first"], "{lines:?}");
    let (lines, refused) = check::findings("a.zip", b"PK\x03\x04");
    assert!(
        refused && lines[0].starts_with("a.zip:+0x4: error[CONTAINER-short]: this is a zip archive"),
        "{lines:?}"
    );
    assert_eq!(check::findings("a.frag.agal", b"mov oc, v0\n"), (Vec::new(), false));
}

#[test]
fn steps_show_what_they_write() {
    let program = "ps_2_0\ndef c0, 0.5, 0, 0, 1\ndcl v0\nmul r0, v0, c0.x\nmov oC0, r0\n";
    let run = r#"{"inputs": [{"v0": [1, 0.5, 0.25, 0]}]}"#;
    let steps = trace::steps("a.psa", program.as_bytes(), Some(run)).unwrap();
    assert!(steps.contains("mul r0, v0, c0.x\n    r0.xyzw = 0.5, 0.25, 0.125, 0\n"), "{steps}");
    assert!(steps.ends_with("mov oC0, r0\n    oC0.xyzw = 0.5, 0.25, 0.125, 0\n"), "{steps}");
}
