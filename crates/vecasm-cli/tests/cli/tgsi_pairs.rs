//! Pairs of TGSI programs that hold a varying as different types: registers have none, so the bits are handed on.

use super::{folder, ok, stdout};
use std::path::{Path, PathBuf};

/// Two triangles over the whole picture of 4 x 2; the second attribute is 4 at the first vertex of each, else 0.
const SCENE: &str = r#"{"size": [4, 2], "antialias": 1, "vertex": "a.vert.tgsi", "fragment": "a.frag.tgsi",
    "mesh": {"layout": ["float2", "float1"], "vertices": [[-1, 1, 4], [1, 1, 0], [-1, -1, 0],
        [-1, -1, 4], [1, 1, 0], [1, -1, 0]]}, "draws": [{}]}"#;

fn pair(name: &str, vertex: &str, fragment: &str) -> PathBuf {
    let files = [("a.scene.json", SCENE), ("a.vert.tgsi", vertex), ("a.frag.tgsi", fragment)];
    folder(name, &files.map(|(name, text)| (name, text.as_bytes())))
}

/// The colour of a pixel of the scene.
fn pixel(folder: &Path, place: &str) -> String {
    let scene = folder.join("a.scene.json");
    let text = stdout(&ok(&["render", scene.to_str().unwrap(), "--pixel", place], "")).to_string();
    text.split_once(": ").and_then(|(_, rest)| rest.split_once(" =")).unwrap().0.to_string()
}

fn wgsl(folder: &Path) -> String {
    let path = |name: &str| folder.join(name).display().to_string();
    stdout(&ok(&["to", "wgsl", &path("a.vert.tgsi"), &path("a.frag.tgsi")], "")).to_string()
}

#[test]
fn a_float_is_read_as_an_integer() {
    // 4.0 is 0x40800000, whose exponent is 0x81 = 129 of 255: that of the first vertex, everywhere.
    let vertex = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n\
        IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}\nMOV OUT[0], IN[0]\nMUL OUT[1], IN[1].xxxx, IMM[0].xxxx\nEND\n";
    let fragment = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL TEMP[0]\n\
        IMM[0] UINT32 {23, 0, 0, 0}\nIMM[1] FLT32 {255.0, 0.0, 0.0, 1.0}\n\
        USHR TEMP[0].x, IN[0].xxxx, IMM[0].xxxx\nU2F TEMP[0].x, TEMP[0].xxxx\n\
        DIV OUT[0].x, TEMP[0].xxxx, IMM[1].xxxx\nMOV OUT[0].yzw, IMM[1]\nEND\n";
    let folder = pair("tgsi-float-as-integer", vertex, fragment);
    for place in ["0,0", "3,0", "0,1", "3,1"] {
        assert_eq!(pixel(&folder, place), "#810000ff", "{place}");
    }
    let source = wgsl(&folder);
    assert!(source.contains("@interpolate(flat"), "{source}");
    assert!(source.contains("generic0: vec4u,") && source.contains("bitcast<u32>("), "{source}");
}

#[test]
fn an_integer_is_read_as_a_float() {
    // 125 in the place of the exponent is 0.25, that is 63.75 of 255: 0x40. It is interpolated as a float.
    let vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL TEMP[0]\n\
        IMM[0] UINT32 {100, 25, 23, 0}\nMOV OUT[0], IN[0]\nUADD TEMP[0], IMM[0].xxxx, IMM[0].yyyy\n\
        SHL OUT[1], TEMP[0], IMM[0].zzzz\nEND\n";
    let fragment = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n\
        IMM[0] FLT32 {0.0, 0.0, 0.0, 1.0}\nMOV OUT[0], IMM[0]\nMUL OUT[0].x, IN[0].xxxx, IMM[0].wwww\nEND\n";
    let folder = pair("tgsi-integer-as-float", vertex, fragment);
    for place in ["0,0", "3,1"] {
        assert_eq!(pixel(&folder, place), "#400000ff", "{place}");
    }
    let source = wgsl(&folder);
    assert!(source.contains("generic0: vec4f,") && !source.contains("flat"), "{source}");
}

#[test]
fn shaders_that_hold_the_same_bits_as_different_types_are_compared() {
    let float = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}\n\
        MUL OUT[0], IN[0], IMM[0].xxxx\nEND\n";
    let integer = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nIMM[0] UINT32 {0, 1, 0, 0}\n\
        UADD OUT[0], IN[0], IMM[0].xxxx\nEND\n";
    let folder = pair("tgsi-eqv-types", integer, float);
    std::fs::write(folder.join("b.frag.tgsi"), integer).unwrap();
    std::fs::write(folder.join("c.frag.tgsi"), integer.replace("IMM[0].xxxx\nEND", "IMM[0].yyyy\nEND"))
        .unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    let same = super::vecasm(&["eqv", &path("a.frag.tgsi"), &path("b.frag.tgsi")], "");
    assert_eq!(same.status.code(), Some(0), "{}{}", stdout(&same), super::stderr(&same));
    let other = super::vecasm(&["eqv", &path("a.frag.tgsi"), &path("c.frag.tgsi")], "");
    assert_eq!(other.status.code(), Some(1), "{}{}", stdout(&other), super::stderr(&other));
}

/// The declarations of varyings in the GLSL of a stage: location and type of each.
fn varyings(folder: &Path, stage: &str, word: &str) -> Vec<(String, String)> {
    let source = std::fs::read_to_string(folder.join(format!("a.{stage}.glsl"))).unwrap();
    let lines = source.lines().filter_map(|line| {
        let (location, rest) = line.strip_prefix("layout(location = ")?.split_once(')')?;
        let words: Vec<&str> = rest.split([' ', ';']).filter(|word| !word.is_empty()).collect();
        let at = words.iter().position(|of| *of == word)?;
        Some((location.to_string(), words.get(at + 1)?.to_string()))
    });
    let mut found: Vec<_> = lines.collect();
    found.sort();
    found
}

#[test]
fn stages_written_as_texts_of_their_own_fit() {
    // GENERIC[9] and GENERIC[40] are read, GENERIC[0] is not: 0, 1 and 2. What the fragment program takes for an integer, the vertex program gives
    // as one.
    let vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[40]\nDCL OUT[2], GENERIC[0]\nDCL OUT[3], GENERIC[9]\n\
        IMM[0] FLT32 {2.0, 0.0, 0.0, 0.0}\nMOV OUT[0], IN[0]\nMUL OUT[1], IN[0], IMM[0].xxxx\nADD OUT[2], IN[0], IN[0]\n\
        ADD OUT[3], IN[0], IMM[0].xxxx\nEND\n";
    let fragment = "FRAG\nDCL IN[0], GENERIC[40], CONSTANT\nDCL IN[1], GENERIC[9], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\n\
        IMM[0] UINT32 {23, 0, 0, 0}\nUSHR TEMP[0], IN[0], IMM[0].xxxx\nU2F TEMP[0], TEMP[0]\nADD OUT[0], TEMP[0], IN[1]\nEND\n";
    let folder = pair("tgsi-linked", vertex, fragment);
    let path = |name: &str| folder.join(name).display().to_string();
    let out = format!("{}/", folder.display());
    let flags = ["--glsl-version", "430", "-o", &out];
    ok(&[&["to", "glsl", &path("a.frag.tgsi"), &path("a.vert.tgsi")], &flags[..]].concat(), "");
    let is = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter().map(|(location, ty)| (location.to_string(), ty.to_string())).collect()
    };
    assert_eq!(varyings(&folder, "vert", "out"), is(&[("0", "vec4"), ("1", "uvec4"), ("2", "vec4")]));
    assert_eq!(varyings(&folder, "frag", "in"), is(&[("0", "vec4"), ("1", "uvec4")]));

    // A geometry program between them: GENERIC[40] comes to it, GENERIC[30] goes on.
    let geometry = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n\
        PROPERTY GS_MAX_OUTPUT_VERTICES 3\nPROPERTY GS_INVOCATIONS 1\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[40]\n\
        DCL OUT[0], POSITION\nDCL OUT[1], GENERIC[30]\nIMM[0] UINT32 {0, 0, 0, 0}\nIMM[1] FLT32 {2.0, 0.0, 0.0, 0.0}\n\
        MOV OUT[0], IN[0][0]\nMUL OUT[1], IN[0][1], IMM[1].xxxx\nEMIT IMM[0].xxxx\nEND\n";
    std::fs::write(folder.join("a.geom.tgsi"), geometry).unwrap();
    std::fs::write(
        folder.join("a.frag.tgsi"),
        fragment.replace("GENERIC[40]", "GENERIC[30]").replace("GENERIC[9]", "GENERIC[30]"),
    )
    .unwrap();
    let three = [path("a.geom.tgsi"), path("a.frag.tgsi"), path("a.vert.tgsi")];
    let words = ["to", "spirv", &three[0], &three[1], &three[2], "-o", &out];
    ok(&words, "");
    // The decoration `Location`, 30, of SPIR-V: those of the outputs of the geometry program, and of the inputs of the fragment program.
    let locations = |stage: &str| {
        let bytes = std::fs::read(folder.join(format!("a.{stage}.spv"))).unwrap();
        let words: Vec<u32> = bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
        let mut found = Vec::new();
        let mut at = 5;
        while at < words.len() {
            let (op, count) = (words[at] & 0xffff, (words[at] >> 16) as usize);
            if op == 71 && words[at + 2] == 30 {
                found.push(words[at + 3]);
            }
            at += count;
        }
        found.sort_unstable();
        found
    };
    // The vertex program gives GENERIC[40] at 0, and the two that nobody reads behind it.
    assert_eq!(locations("vert"), [0, 0, 1, 2], "the attribute, and three varyings");
    assert_eq!(locations("geom"), [0, 0], "GENERIC[40] in, GENERIC[30] out");
    assert_eq!(locations("frag"), [0, 0], "the colour, and the one input");
}
