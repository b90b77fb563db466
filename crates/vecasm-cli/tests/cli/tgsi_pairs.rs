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
    assert!(source.contains("OUT_1: vec4u,") && source.contains("bitcast<u32>("), "{source}");
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
    assert!(source.contains("OUT_1: vec4f,") && !source.contains("flat"), "{source}");
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
