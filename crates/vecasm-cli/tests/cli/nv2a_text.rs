//! Text for the NV2A: what is a program of it, and what is none.

use super::{folder, ok, stderr, stdout, vecasm};

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

/// Constants that a program writes are in the way of a translation where a vertex reads what another one wrote, and only
/// there.
#[test]
fn constants_that_nothing_reads_are_left_out() {
    let targets = ["wgsl", "glsl", "hlsl", "msl", "spirv"];
    let unread = [
        ("mov oPos, v0\nmov c[188], v1\n", "c188 is written but never read"),
        // Another lane is read; and what the vertex wrote itself.
        (
            "mov oPos, v0\nmov oD0.x, c[188].x\nmov c[188].y, v1\nmov oD1.y, c[188].y\n",
            "c188 is written but never read",
        ),
        ("mov oPos, v0\nmov c[2], v1\nmov c[4], v2\n", "c2, c4 are written but never read"),
    ];
    for (program, warning) in unread {
        for target in targets {
            let output = vecasm(&["to", "--isa", "nv2a", target, "-o", "/dev/null"], program);
            assert_eq!(output.status.code(), Some(0), "{target}: {}", stderr(&output));
            assert!(
                stderr(&output).starts_with(&format!("warning[NV2A-c-write]: {warning}")),
                "{}",
                stderr(&output)
            );
        }
        assert!(stdout(&ok(&["to", "--isa", "nv2a", "wgsl", "--compute"], program)).contains("fn main"));
    }
    // What is left is the program without its writes.
    let wgsl = |program: &str| stdout(&ok(&["to", "--isa", "nv2a", "wgsl"], program)).to_string();
    assert_eq!(wgsl("mov oPos, v0\nmov c[188], v1\n"), wgsl("mov oPos, v0\n"));
    let read = [
        (
            "mov oPos, c[188]\nmov c[188], v1\n",
            "c188 is written by instruction 2 and read by instruction 1\n --> <stdin>:1:1\n",
        ),
        (
            "mov oPos, v0\narl a0, v1.x\nmov oD0, c[A0+96]\nmov c[7].y, v1\n",
            "c7 is written by instruction 4 and read by instruction 3\n --> <stdin>:3:1\n",
        ),
    ];
    for (program, why) in read {
        for target in targets {
            let output = vecasm(&["to", "--isa", "nv2a", target, "-o", "/dev/null"], program);
            assert_eq!(output.status.code(), Some(1), "{target}");
            let said = stderr(&output);
            assert!(said.contains(why) && said.contains("--rule c-write=vertex"), "{target}: {said}");
            ok(&["to", "--isa", "nv2a", target, "--rule", "c-write=vertex", "-o", "/dev/null"], program);
        }
        let output = vecasm(&["to", "--isa", "nv2a", "wgsl", "--compute", "-o", "/dev/null"], program);
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
    // In a binary it is the slot; of a pair the vertex program is to blame; of several programs the lines are those of the file.
    let program = "mov oPos, v0\nmov oD0, c[188]\nmov c[188], v1\n";
    let bytes = ok(&["asm", "--isa", "nv2a"], program).stdout;
    let output = vecasm(&["to", "--isa", "nv2a", "wgsl"], bytes);
    assert!(stderr(&output).contains("<stdin>:token 2 (byte 0x10)"), "{}", stderr(&output));
    let folder = folder(
        "nv2a-serial",
        &[("a.vsh", program.as_bytes()), ("b.agal", b".agal fragment 1\nmov oc, v3\n".as_slice())],
    );
    let file = |name: &str| folder.join(name).display().to_string();
    let output = vecasm(&["to", "wgsl", &file("a.vsh"), &file("b.agal"), "-o", "/dev/null"], "");
    assert!(stderr(&output).contains("a.vsh:2:1"), "{}", stderr(&output));
    let two = "/* Slot 0: */ MOV(oPos,xyzw, v0);\n/* Slot 0: */ MOV(oPos,xyzw, c[188]);\n\
        /* Slot 1: */ MOV(c[188],xyzw, v1);\n";
    let output = vecasm(&["to", "wgsl", "--program", "2", "-o", "/dev/null"], two);
    assert!(stderr(&output).contains(":2:1\n"), "{}", stderr(&output));
    // What is left out is shown where it is written.
    let output = vecasm(&["to", "--isa", "nv2a", "wgsl"], "mov oPos, v0\nmov c[188], v1\n");
    assert!(stderr(&output).contains(":2:1\n"), "{}", stderr(&output));
}

/// Constants that a text gives are what they hold unless somebody says otherwise.
#[test]
fn constants_of_a_program_are_defaults() {
    let vp = "!!VP1.1\n#const c[22] = 1 0\nMOV o[HPOS], v[0];\nMOV o[COL0], c[22].xyxy;\nEND\n";
    let xvs = "xvs.1.1\ndef c22, 1, 0, 0, 0\nmov oPos, v0\nmov oD0, c22.xyxy\n";
    let log = "NV097_SET_TRANSFORM_CONSTANT_LOAD 118\nNV097_SET_TRANSFORM_CONSTANT[0] 0x3f800000\n\
        p = pb_push4(p, 0xB00, 0x00000000, 0x0020001b, 0x0836106c, 0x2070f800);\n\
        p = pb_push4(p, 0xB00, 0x00000000, 0x002ec011, 0x0c36106c, 0x2070f819);\n";
    let folder = folder(
        "nv2a-constants",
        &[
            ("none.json", br#"{"inputs": [{"v0": [1, 2, 3, 4]}]}"#),
            ("given.json", br#"{"constants": {"c118": [5, 6, 7, 8]}, "inputs": [{"v0": [1, 2, 3, 4]}]}"#),
        ],
    );
    let file = |name: &str| folder.join(name).display().to_string();
    for text in [vp, xvs, log] {
        let run = |given: &[&str]| stdout(&ok(&[&["run", "-"], given].concat(), text)).to_string();
        let one = r#""oD0": ["0x3f800000", "0x00000000", "0x3f800000", "0x00000000"]"#;
        assert!(run(&["-i", &file("none.json")]).contains(one), "{text}");
        let said =
            "constants that are not given have the values that the program brings: c118 = (1, 0, 0, 0)\n";
        for (given, says) in [("none.json", true), ("given.json", false)] {
            let output = ok(&["run", "-", "-i", &file(given)], text);
            assert_eq!(stderr(&output).contains(said), says, "{}", stderr(&output));
        }
        assert!(run(&["--random", "1"]).contains(one), "{text}");
        let given = run(&["-i", &file("given.json")]);
        assert!(
            given.contains(r#""oD0": ["0x40a00000", "0x40c00000", "0x40a00000", "0x40c00000"]"#),
            "{given}"
        );
        ok(&["why", "-", "-i", &file("none.json")], text);
        let layout = file("layout.json");
        ok(&["to", "glsl", "--layout", &layout, "-o", "/dev/null"], text);
        let layout: serde_json::Value = serde_json::from_slice(&std::fs::read(&layout).unwrap()).unwrap();
        let brought =
            serde_json::json!([{"stage": "vertex", "register": "c118", "value": [1.0, 0.0, 0.0, 0.0]}]);
        assert_eq!(layout["defaults"], brought, "{text}");
        let picture = file("picture.png");
        let drawn = ok(&["render", "-", "-o", &picture], text);
        assert!(!stderr(&drawn).contains("vc118"), "{}", stderr(&drawn));
        // A scene that names the program has them, too.
        let scene = r##"{"size": [32, 32], "vertex": "named.txt", "mesh": {"layout": ["float3"],
            "vertices": [[0, 0, 0.5], [64, 0, 0.5], [0, 64, 0.5]]}}"##;
        std::fs::write(file("named.txt"), text).unwrap();
        std::fs::write(file("scene.json"), scene).unwrap();
        let traced = ok(&["render", &file("scene.json"), "--pixel", "5,5"], "");
        assert!(stdout(&traced).contains("oD0      1, 0, 1, 0 (out)"), "{}", stdout(&traced));
    }
}

#[test]
fn names_that_are_nearly_right_are_suggested() {
    for (isa, text, help) in [
        ("nv2a", "mov oPoss, v0\n", "did you mean `oPos`?"),
        ("nv2a", "mov oPos, iPoss\n", "did you mean `iPos`?"),
        ("nv2a", "#model matrix4 96\n%matmul4x3 oPos iPos #model\n", "did you mean `matmul4x4`?"),
        ("nv2a", "#model matrix4 96\nmov oPos, #modl[1]\n", "did you mean `#model`?"),
        ("nv2a", "mul oPos, v0, 0.5\n", "read a constant"),
        ("d3d9", "vs_1_1\ndcl_position v0\nmul oPos, v0, 0.5\n", "`def c0, 0.5, 0, 0, 0`"),
    ] {
        let output = vecasm(&["check", "--isa", isa], text);
        let said = stdout(&output);
        assert!(said.contains(help), "{text}: {said}");
    }
}

/// What is written in a shading language is called that, once, with its place, by the assembler of every instruction set.
#[test]
fn sources_of_shading_languages_are_called_that() {
    let cg = "// a comment: float4 main(\nstruct vIn { float4 position : POSITION; };\nvIn main(vIn I) { return I; }\n";
    let hlsl = "uniform float4x4 m;\nfloat4 main(float4 p : POSITION) : POSITION { return mul(p, m); }\n";
    let glsl = "#version 120\nattribute vec4 p;\nvoid main() { gl_Position = p; }\n";
    let short = "void main() { x = 1.0; }\n";
    for isa in ["agal", "nv2a", "d3d9", "tgsi"] {
        let called = match isa {
            "nv2a" => ("this is Cg source", "cgc -profile vp20"),
            "d3d9" => ("this is HLSL source", "fxc /T vs_3_0"),
            _ => ("this is HLSL or Cg source", "fxc"),
        };
        let glsl_called = ("this is GLSL source", "`to glsl`");
        for (text, (says, help), at) in [
            (cg, called, "2:1"),
            (hlsl, called, "1:9"),
            (glsl, glsl_called, "1:2"),
            (short, glsl_called, "1:1"),
        ] {
            for verb in ["asm", "check", "dis"] {
                let stage: &[&str] = if isa == "agal" { &["--stage", "vertex"] } else { &[] };
                let output = vecasm(&[&[verb, "--isa", isa], stage].concat(), text);
                let said = [stdout(&output), stderr(&output)].concat();
                assert_eq!(output.status.code(), Some(1), "{verb} {isa}: {said}");
                assert!(said.contains(&format!("error[ISA-source]: {says}\n")), "{verb} {isa}: {said}");
                assert!(
                    said.contains(&format!("<stdin>:{at}")) && said.contains(help),
                    "{verb} {isa}: {said}"
                );
                assert_eq!(said.matches("error[").count(), 1, "{said}");
            }
        }
    }
}

#[test]
fn a_source_that_contains_a_program_is_read() {
    // The error is that of the program in the literals, not that C is no assembly.
    let text = "void main() {}\nconst char *p =\n\"!!VP1.1\\n\"\n\"MOV o[HPOS], v[99];\\n\"\n\"END\\n\";\n";
    for flags in [&["check"][..], &["check", "--isa", "nv2a"]] {
        let output = vecasm(flags, text);
        let said = stdout(&output);
        assert!(said.contains("error[NV2A-register]") && said.contains("<stdin>:4:17"), "{said}");
        assert!(!said.contains("ISA-source"), "{said}");
    }
}

#[test]
fn what_is_a_program_comes_before_what_contains_one() {
    // `NOP` alone would do as a statement of the NV2A.
    for (text, isa) in
        [("FRAG\n  0: NOP\n  1: END\n", "tgsi"), ("a log\n!!VP1.1\nMOV o[HPOS], v[0];\nEND\n", "nv2a")]
    {
        let output = ok(&["info", "-"], text);
        assert!(stdout(&output).contains(&format!("\"isa\":\"{isa}\"")), "{}", stdout(&output));
    }
}
