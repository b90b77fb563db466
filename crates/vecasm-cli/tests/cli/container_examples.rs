//! The files in `examples/containers`, built from the facts of their formats: small ones, with programs that were written for them.

use super::containers::build::{archive, blob, deflated, effect_of, package, plain_asset, words};
use super::containers::with_table;
use super::{folder, ok};
use std::path::Path;

/// A program of an instruction set as bytes.
fn assembled(isa: &str, text: &str, flags: &[&str]) -> Vec<u8> {
    ok(&[&["asm", "--isa", isa, "-", "-o", "-"], flags].concat(), text).stdout
}

fn tinted() -> Vec<u8> {
    with_table("ps_2_0\ndcl v0\nmul r0, v0, c0\nmov oC0, r0\n", "Tint")
}

fn gray() -> Vec<u8> {
    assembled("d3d9", "ps_2_0\ndef c1, 0.299, 0.587, 0.114, 0\ndcl v0\ndp3 r0, v0, c1\nmov oC0, r0\n", &[])
}

fn flat() -> Vec<u8> {
    assembled("d3d9", "vs_2_0\ndcl_position v0\ndcl_color v1\nm4x4 oPos, v0, c0\nmov oD0, v1\n", &[])
}

/// An asset of XNA, not packed, with an effect.
fn asset() -> Vec<u8> {
    plain_asset(&effect_of("Tint", [1.0, 0.8, 0.6, 1.0], &[("Sepia", &tinted()), ("Gray", &gray())]))
}

/// Shaders of the Source engine, version 6: one static combination with two dynamic ones in a block that is not packed.
fn combinations() -> Vec<u8> {
    let record = |id: u32, program: &[u8]| [words(&[id, program.len() as u32]), program.to_vec()].concat();
    let block = [record(0, &tinted()), record(2, &gray())].concat();
    let body = [words(&[block.len() as u32 | 0x8000_0000]), block, words(&[u32::MAX])].concat();
    // Version, combinations, dynamic ones, flags, centroids, static ones with the end mark, the checksum of the source; no aliases.
    let start = 28 + 2 * 8 + 4;
    let head = words(&[6, 3, 3, 0, 0, 2, 0, 0, start, u32::MAX, start + body.len() as u32, 0]);
    [head, body].concat()
}

/// An effect of GTA IV: a vertex and a pixel program, one technique.
fn rage() -> Vec<u8> {
    let text = |text: &str| [&[text.len() as u8 + 1], text.as_bytes(), &[0]].concat();
    let code = |constants: &[u8], bytes: &[u8]| {
        let size = (bytes.len() as u16).to_le_bytes();
        [constants, &size, &size, bytes].concat()
    };
    let constant = [&[1, 5, 0, 0, 0][..], &text("Tint")].concat();
    let none = [0; 5];
    // No globals and no locals; a technique of one pass with the first of each list behind the empty one, and no states.
    let technique = [&[0, 0, 1][..], &text("draw"), &[1, 0, 1, 0]].concat();
    [&b"rgxa\x01"[..], &code(&[0], &flat()), &[2], &none, &code(&constant, &tinted()), &technique].concat()
}

/// A movie with bytecode as binary data 1 and 2.
fn movie() -> Vec<u8> {
    let binary = |id: u16, bytes: &[u8]| {
        let size = bytes.len() as u32 + 6;
        let head = [(87u16 << 6 | 63).to_le_bytes(), id.to_le_bytes()];
        [&head[0][..], &size.to_le_bytes(), &head[1], &[0; 4], bytes].concat()
    };
    let vertex = assembled("agal", "m44 op, va0, vc0\nmov v0, va1\n", &["--stage", "vertex"]);
    let fragment = assembled(
        "agal",
        "tex ft0, v0, fs0 <2d,linear,repeat>\nmul oc, ft0, fc0\n",
        &["--stage", "fragment"],
    );
    // The size of the stage, the rate, the frames; an end tag.
    let body = [&[0, 0, 24, 1, 0][..], &binary(1, &vertex), &binary(2, &fragment), &[0, 0]].concat();
    [&b"FWS\x0d"[..], &(body.len() as u32 + 8).to_le_bytes(), &body].concat()
}

/// A program of the Xbox with a vertex program in its data.
fn xbox() -> Vec<u8> {
    const BASE: u32 = 0x1_0000;
    let program = assembled("nv2a", "mov oPos, v0\nmov oD0, v3\nmov oT0, v9\n", &["--to", "bin"]);
    let mut out = vec![0; 0x400];
    let mut put = |at: usize, bytes: &[u8]| out[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"XBEH");
    put(0x104, &words(&[BASE]));
    put(0x118, &words(&[BASE + 0x180, 1, BASE + 0x200]));
    put(0x18C, b"t\0e\0a\0");
    put(0x300, b".rdata");
    put(
        0x200,
        &words(&[3, 0x2_0000, program.len() as u32 + 16, 0x400, program.len() as u32 + 16, BASE + 0x300]),
    );
    [out, vec![0xA5; 16], program].concat()
}

/// Commands of virgl that create two shaders.
fn commands() -> Vec<u8> {
    let shader = |handle: u32, kind: u32, text: &str| {
        let mut bytes = [text.as_bytes(), &[0]].concat();
        let size = bytes.len() as u32;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let head = words(&[handle, kind, size, 300, 0]);
        let count = (head.len() + bytes.len()) as u32 / 4;
        [words(&[1 | 4 << 8 | count << 16]), head, bytes].concat()
    };
    let vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n";
    let fragment =
        "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 { 1.0, 0.5, 0.0, 1.0 }\n  0: MOV OUT[0], IMM[0]\n  1: END\n";
    [shader(7, 0, vertex), shader(8, 1, fragment)].concat()
}

/// A header with two programs as arrays of words.
fn header() -> Vec<u8> {
    let array = |name: &str, program: &[u8]| {
        let words: Vec<String> = program
            .chunks(4)
            .map(|word| format!("0x{:02x}{:02x}{:02x}{:02x}", word[3], word[2], word[1], word[0]))
            .collect();
        let lines: Vec<String> = words.chunks(4).map(|line| line.join(", ")).collect();
        format!("const DWORD {name}[{}] =\n{{\n    {}\n}};\n", words.len(), lines.join(",\n    "))
    };
    format!("#pragma once\n\n{}\n{}", array("g_flat_vs", &flat()), array("g_gray_ps", &gray())).into_bytes()
}

/// A shader of Unity 4, as exporters of assets write it.
fn exported() -> Vec<u8> {
    let program = |kind: &str, lines: &str, text: &str| {
        format!("Program \"{kind}\" {{\nSubProgram \"d3d9 \" {{\n{lines}\"{text}\"\n}}\n}}\n")
    };
    let vertex = program(
        "vp",
        "Bind \"vertex\" Vertex\nMatrix 0 [glstate_matrix_mvp]\n",
        "vs_2_0\ndcl_position0 v0\ndp4 oPos.x, v0, c0\ndp4 oPos.y, v0, c1\ndp4 oPos.z, v0, c2\ndp4 oPos.w, v0, c3\n",
    );
    let fragment = program("fp", "Vector 0 [_Color]\n", "ps_2_0\nmov r0, c0\nmov oC0, r0\n");
    format!("Shader \"Own/Flat\" {{\nSubShader {{\n Pass {{ Name \"BASE\"\n{vertex}{fragment}}}\n}}\n}}\n")
        .into_bytes()
}

/// A pushbuffer that loads a program at slot 60, and draws with it twice, with another constant the second time.
fn pushed() -> Vec<u8> {
    let packet = |method: u32, data: &[u32]| [&[(data.len() as u32) << 18 | method][..], data].concat();
    let program = assembled("nv2a", "mov oPos, v0\nmov oD0, c[4]\n", &["--to", "bin"]);
    let slots: Vec<u32> =
        program.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let color = |rgb: [f32; 3]| [rgb[0], rgb[1], rgb[2], 1.0].map(f32::to_bits);
    let draw = [packet(0x17FC, &[5]), packet(0x17FC, &[0])].concat();
    let all = [
        packet(0x1E9C, &[60]),
        packet(0xB00, &slots),
        packet(0x1EA0, &[60]),
        packet(0x1EA4, &[4]),
        packet(0xB80, &color([1.0, 0.0, 0.0])),
        draw.clone(),
        packet(0x1EA4, &[4]),
        packet(0xB80, &color([0.0, 0.5, 1.0])),
        draw,
    ];
    words(&all.concat())
}

#[test]
fn the_files_are_what_is_built_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/containers");
    let old = effect_of("Tint", [1.0; 4], &[("Sepia", &tinted())]);
    let files = [
        ("sepia.xnb", asset()),
        ("shaderpackage.sdp", package(&[("TINT.pso", tinted()), ("FLAT.vso", flat())])),
        ("tint_ps20.vcs", combinations()),
        ("gta_tint.fxc", rage()),
        ("movie.swf", movie()),
        ("default.xbe", xbox()),
        ("buffer.seed", commands()),
        ("shaders.h", header()),
        ("flat.shader", exported()),
        ("frame.pb", pushed()),
        ("mods.zip", archive(&[deflated("new/sepia.xnb", &asset()), deflated("old/sepia.fxb", &old)])),
    ];
    for (name, bytes) in files {
        let path = folder.join(name);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &bytes).unwrap();
        }
        assert!(std::fs::read(&path).unwrap() == bytes, "{name}: BLESS=1 writes it");
    }
}

#[test]
fn info_tells_what_each_container_says() {
    // What is built above, and the offsets of the formats.
    for (name, lines) in [
        (
            "gta_tint.fxc",
            &[
                "technique0 draw",
                "  VertexShader = vs0",
                "PixelShader = ps1",
                "constants    float4 Tint (c0)",
            ][..],
        ),
        (
            "tint_ps20.vcs",
            &[
                "version      6",
                "combos       3, of which 3 dynamic for each static one",
                "source       crc32 0x00000000",
                "static0/dynamic2  ps_2_0, 72 bytes at 0x98, sha256 ",
                // Behind a header of 28 bytes, two records, no aliases, and its length.
                "block        0, raw, at 0x34",
            ],
        ),
        (
            "movie.swf",
            &[
                "version      13",
                "packing      plain",
                "tags         3",
                "binary/1  AGAL 1, 55 bytes at 0x19, sha256 ",
            ],
        ),
        (
            "default.xbe",
            &[
                "title        tea",
                "base         0x10000",
                // 16 other bytes and three slots.
                "section      .rdata at 0x20000, data, 64 bytes at 0x400, 64 in memory, no digest",
                "slots        3",
            ],
        ),
        ("shaderpackage.sdp", &["data         716 bytes", "TINT.pso  ps_2_0, 136 bytes at 0x110, sha256 "]),
        ("buffer.seed", &["packets      2", "shader7  TGSI VERT, 68 bytes at 0x18", "tokens       300"]),
        ("mods.zip", &["members      2", "packing      deflated, ", "crc32        0x"]),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/containers").join(name);
        let text = ok(&["info", "--format", "text", &path.display().to_string()], "");
        let text = super::stdout(&text);
        for line in lines {
            assert!(text.contains(line), "{name}: {line}: {text}");
        }
    }
    // A blob whose program has one constant range, as `blob` writes it.
    let dir = folder("examples-level9", &[("a.cso", &blob([0; 16]))]);
    let text = ok(&["info", "--format", "text", &dir.join("a.cso").display().to_string()], "");
    let line = "constants    c0-c2 (buffer 0, from register 2)\n";
    assert!(super::stdout(&text).contains(line), "{}", super::stdout(&text));
    // A hash that is shown is one that is found: 136 bytes of `tinted`.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/containers/shaderpackage.sdp");
    let digits = vecasm::hash::sha256(&tinted());
    let text = ok(&["info", "--format", "text", &path.display().to_string()], "");
    assert!(super::stdout(&text).contains(&format!("sha256 {}  = #0", &digits[..16])));
    let found = ok(&["hash", "--find", &digits[..16], &path.display().to_string()], "");
    assert!(super::stdout(&found).contains("::TINT.pso: sha256"), "{}", super::stdout(&found));
}
