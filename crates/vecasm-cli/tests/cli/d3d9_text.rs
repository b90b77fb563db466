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

#[test]
fn includes_stay_below_their_root() {
    let secret = "ps_2_0\nsecret r0, c0\n";
    let files: [(&str, &[u8]); 1] = [("secret.h", secret.as_bytes())];
    let dir = folder("d3d9_text_root", &files);
    let path = |name: &str| dir.join(name).display().to_string();
    std::fs::create_dir_all(dir.join("shaders/inc")).unwrap();
    std::fs::write(dir.join("shaders/inc/regs.h"), "#include \"../../out.h\"\n").unwrap();
    std::fs::write(dir.join("out.h"), "#define OUT oC0\n").unwrap();
    let assemble = |flags: &[&str], include: &str| {
        let main = path("shaders/main.psa");
        std::fs::write(&main, format!("#include \"{include}\"\nps_2_0\nmov OUT, c0\n")).unwrap();
        let args = [&["asm", "--isa", "d3d9", "--to", "hex"], flags, &[main.as_str()]].concat();
        vecasm(&args, "")
    };
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(dir.join("secret.h"), dir.join("shaders/link.h")).unwrap();
        let linked = assemble(&[], "link.h");
        assert_eq!(linked.status.code(), Some(1));
        assert!(!stderr(&linked).contains("secret r0"), "{}", stderr(&linked));
    }
    for include in ["../secret.h", &path("secret.h"), "inc/../../secret.h"] {
        let refused = assemble(&[], include);
        assert_eq!(refused.status.code(), Some(1), "{include}");
        let said = stderr(&refused);
        assert!(said.contains("is outside ") && said.contains("--include-root DIR"), "{said}");
        assert!(!said.contains("secret r0"), "{said}");
    }
    // What asks is below the root, what it asks for is not.
    assert_eq!(assemble(&[], "inc/regs.h").status.code(), Some(1));
    let allowed = assemble(&["--include-root", &dir.display().to_string()], "inc/regs.h");
    assert_eq!(allowed.status.code(), Some(0), "{}", stderr(&allowed));
    let none = assemble(&["--no-include"], "inc/regs.h");
    assert!(stderr(&none).contains("--no-include"), "{}", stderr(&none));
    // So it is for verbs that read a program.
    for verb in ["check", "dis", "info"] {
        let refused = vecasm(&[verb, "--isa", "d3d9", &path("shaders/main.psa")], "");
        assert_eq!(refused.status.code(), Some(1), "{verb}");
        ok(
            &[verb, "--isa", "d3d9", "--include-root", &dir.display().to_string(), &path("shaders/main.psa")],
            "",
        );
    }
}

#[test]
fn a_repro_file_includes_what_is_packed() {
    let main = "#include \"inc/regs.h\"\nps_2_0\ndcl v0\nmov OUT, v0\n";
    let dir = folder("d3d9_text_packed", &[("main.psa", main.as_bytes())]);
    std::fs::create_dir(dir.join("inc")).unwrap();
    std::fs::write(dir.join("inc/regs.h"), "#include \"../out.h\"\n").unwrap();
    std::fs::write(dir.join("out.h"), "#define OUT oC0\n").unwrap();
    let path = |name: &str| dir.join(name).display().to_string();
    let packed = path("a.vecasm-repro");
    ok(&["repro", "pack", &path("main.psa"), "--random", "1", "-o", &packed], "");
    // It stands alone.
    let alone = folder("d3d9_text_packed_alone", &[]);
    let copy = alone.join("a.vecasm-repro").display().to_string();
    std::fs::copy(&packed, &copy).unwrap();
    ok(&["repro", "check", &copy], "");
    ok(&["repro", "unpack", &copy, "-o", &alone.join("out").display().to_string()], "");
    assert_eq!(std::fs::read(alone.join("out/inc/regs.h")).unwrap(), b"#include \"../out.h\"\n");
    // A file of whoever opens it is not read, whatever it asks for and whatever its flags are.
    let text = std::fs::read_to_string(&copy).unwrap();
    let here = dir.join("out.h").display().to_string();
    for include in ["out2.h", "../out.h", &here, "/proc/self/environ"] {
        let evil = text.replace("inc/regs.h\\\"", &format!("{include}\\\""));
        let said = vecasm(&["run", "-"], evil);
        assert_eq!(said.status.code(), Some(1));
        assert!(stderr(&said).contains("the repro file does not contain it"), "{}", stderr(&said));
    }
    let key = "\"vecasm-repro\": 1";
    let flags = text.replacen(key, &format!("{key}, \"flags\": [\"--include-root\", \"/\"]"), 1);
    let said = vecasm(&["run", "-"], flags);
    assert_eq!(said.status.code(), Some(2));
    assert!(
        stderr(&said).contains(
            "$.flags: a repro file contains what #include reads, so the flags of #include have no place"
        ),
        "{}",
        stderr(&said)
    );
}
