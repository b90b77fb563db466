//! Text of Direct3D: the preprocessor's flags, included files, listings with `--like`.

use super::{folder, ok, stderr, stdout, vecasm};

#[test]
fn files_are_included_and_findings_tell_which() {
    let main = "#include \"regs.h\"\nps_2_0\nmov OUT, c[BASE]\n";
    let files: [(&str, &[u8]); 3] = [
        ("main.psa", main.as_bytes()),
        ("regs.h", b"#include <out.h>\n"),
        ("inc.h", b"ps_2_0\nmov r0, q1\n"),
    ];
    let dir = folder("d3d9_text_include", &files);
    std::fs::create_dir(dir.join("sub")).unwrap();
    std::fs::write(dir.join("sub/out.h"), "#define OUT oC0\n").unwrap();
    let path = |name: &str| dir.join(name).display().to_string();
    let (main, sub) = (path("main.psa"), path("sub"));
    let flags = ["asm", "-I", &sub, "-D", "BASE=3", "--isa", "d3d9"];
    let hex = ok(&[&flags[..], &["--to", "hex", &main]].concat(), "");
    let plain = ok(&["asm", "--to", "hex"], "ps_2_0 mov oC0, c3");
    assert_eq!(stdout(&hex), stdout(&plain));
    let text = ok(&[&flags[..], &["-E", &main]].concat(), "");
    assert!(stdout(&text).contains("mov oC0, c[3]\n"), "{}", stdout(&text));
    // Without the folder the file is not found, and that is said where it is asked for.
    let bad = vecasm(&["asm", "--isa", "d3d9", "--message-format", "short", &main], "");
    assert_eq!(bad.status.code(), Some(1));
    assert!(stderr(&bad).contains("regs.h:1:1: error[D3D9-include]"), "{}", stderr(&bad));
    std::fs::write(dir.join("main.psa"), "#include \"inc.h\"\n").unwrap();
    let bad = vecasm(&["asm", "--isa", "d3d9", "--message-format", "short", &main], "");
    assert_eq!(bad.status.code(), Some(1));
    assert!(stderr(&bad).contains("inc.h:2:9: error[D3D9-register]"), "{}", stderr(&bad));
}

#[test]
fn a_listing_gives_its_file_again() {
    // A comment, and a usage whose index Wine does not print.
    let words = "ffff0300 0001fffe 00000007 0200001f 80020001 900f0001 02000001 800f0800 90e40001 0000ffff";
    let binary = ok(&["asm", "--from", "hex"], words).stdout;
    let dir = folder("d3d9_text_like", &[("a.pso", &binary)]);
    let original = dir.join("a.pso").display().to_string();
    for dialect in ["listing", "wine", "lossless"] {
        let text = ok(&["dis", "--dialect", dialect, &original], "").stdout;
        assert_eq!(ok(&["asm", "--like", &original], &text).stdout, binary, "{dialect}");
    }
}

#[test]
fn a_shader_of_an_effect_is_chosen() {
    let effect = "technique T { pass P { vertexshader = asm { vs_1_1 mov oPos, c0 }; pixelshader = asm { ps_1_1 mov r0, c1 }; } }";
    let two = ok(&["asm", "--program", "2", "--to", "hex"], effect);
    assert_eq!(stdout(&two), stdout(&ok(&["asm", "--to", "hex"], "ps_1_1 mov r0, c1")));
    let bad = vecasm(&["asm"], effect);
    assert_eq!(bad.status.code(), Some(1));
    assert!(stderr(&bad).contains("has 2 shaders"), "{}", stderr(&bad));
}
