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
    assert!(
        refused && lines == ["a.rar: this is a RAR archive: unpack it first, with `unrar x`"],
        "{lines:?}"
    );
    let (lines, refused) = check::findings("a.zip", b"PK\x03\x04");
    assert!(
        refused && lines[0].starts_with("a.zip:+0x4: error[CONTAINER-short]: this is a zip archive"),
        "{lines:?}"
    );
    assert_eq!(check::findings("a.frag.agal", b"mov oc, v0\n"), (Vec::new(), false));
}

/// What files of other kinds begin with, by the descriptions of their formats; where the bytes are, and words of what is said.
const OTHERS: &[(usize, &[u8], &str)] = &[
    (0, b"BSA\0", "Bethesda's games (BSA): unpack it first"),
    (0, b"BTDX", "Bethesda's games (BA2): unpack it first"),
    (0, &[0x34, 0x12, 0xAA, 0x55], "(VPK): unpack it first"),
    (0, b"PACK", "(PAK): unpack it first"),
    (0, b"MSCF\0\0\0\0", "a cabinet (CAB): unpack it first, with `cabextract`"),
    (257, b"ustar", "a tar archive: unpack it first, with `tar xf`"),
    (0x8001, b"CD001", "a disc (ISO 9660): unpack it first"),
    (0x10000, b"MICROSOFT*XBOX*MEDIA", "(XISO): unpack it first, with `extract-xiso -x`"),
    (0, b"7z\xBC\xAF\x27\x1C", "a 7z archive: unpack it first, with `7z x`"),
    (0, b"UnityFS\0", "a bundle of Unity: take its shaders out as text"),
    (0, b"RDOC", "a capture of RenderDoc (.rdc)"),
    // A chunk of 0x12345 bytes.
    (0, b"at\x45\x23\x01\0", "a trace of apitrace: `apitrace dump --blobs`"),
    (0, b"vcs2", "compiled shaders of Source 2 (VCS)"),
    (0, b"XEX2", "an executable of the Xbox 360 (XEX)"),
    (0, &[0x10, 0x2A, 0x11, 0x01], "a shader of the Xbox 360"),
    (0, &[0xA5, 1, 0, 0, 0, 0xA4], "a filter of Pixel Bender (.pbj)"),
    (0, b"ATF\0", "a texture of Flash (ATF)"),
    (0, b"MZ\x90\0", "an executable of DOS or Windows: `vecasm scan`"),
    (0, b"\x7FELF", "an executable (ELF): `vecasm scan`"),
];

#[test]
fn files_of_other_kinds_are_told_in_a_sentence() {
    for (at, bytes, words) in OTHERS {
        let file = [&vec![0; *at], *bytes, &[0xC1; 64]].concat();
        let (lines, refused) = check::findings("a.bin", &file);
        assert!(refused && lines.len() == 1 && lines[0].contains(words), "{words}: {lines:?}");
    }
    // A text that begins like a trace.
    assert!(!check::findings("a.txt", b"attribute vec4 a;").0[0].contains("apitrace"));
}

#[test]
fn steps_show_what_they_write() {
    let program = "ps_2_0\ndef c0, 0.5, 0, 0, 1\ndcl v0\nmul r0, v0, c0.x\nmov oC0, r0\n";
    let run = r#"{"inputs": [{"v0": [1, 0.5, 0.25, 0]}]}"#;
    let steps = trace::steps("a.psa", program.as_bytes(), Some(run)).unwrap();
    assert!(steps.contains("mul r0, v0, c0.x\n    r0.xyzw = 0.5, 0.25, 0.125, 0\n"), "{steps}");
    assert!(steps.ends_with("mov oC0, r0\n    oC0.xyzw = 0.5, 0.25, 0.125, 0\n"), "{steps}");
}
