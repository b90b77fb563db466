//! Effects drawn with their own defaults and states, and written in the language that they come from.

use super::containers::build::{archive, drawn_effect, stored, words};
use super::containers::{table, with_table};
use super::{folder, ok, stderr, stdout, vecasm};
use serde_json::{Value, json};
use std::path::PathBuf;

/// An expression whose first number is the parameter `Pick`: one `mov` from its constant 0 to its result 0.
fn expression() -> Vec<u8> {
    let comment = |name: &[u8; 4], content: &[u8]| {
        let size = 1 + content.len() as u32 / 4;
        [words(&[0xFFFE | size << 16]), name.to_vec(), content.to_vec()].concat()
    };
    // How many instructions; the code with one lane; one operand, not relative, from table 2 at 0; a result, table 4 at 0; the end.
    let code = words(&[1, 0x1000_0001, 1, 0, 2, 0, 0, 4, 0, 0xF0F0_F0F0, 0x0F0F_0F0F]);
    [
        words(&[0x4658_0200]),
        comment(b"CTAB", &table("Pick", 0x4658_0200)),
        comment(b"CLIT", &words(&[0])),
        comment(b"FXLC", &code),
        words(&[0xFFFF]),
    ]
    .concat()
}

/// The effect `drawn.fxb` in a folder of that name: of its programs the second multiplies by `Tint`.
pub(super) fn drawn(name: &str) -> PathBuf {
    let white = ok(&["asm", "--isa", "d3d9", "-", "-o", "-"], "ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0\n");
    let tinted = with_table("ps_2_0\nmov r0, c0\nmov oC0, r0\n", "Tint");
    let effect = drawn_effect([&white.stdout, &tinted], &expression());
    let pack = archive(&[stored("fx/a.fxb", &effect), stored("fx/b.fxb", &effect)]);
    folder(name, &[("drawn.fxb", &effect), ("pack.zip", &pack)])
}

fn scene(args: &[&str]) -> Value {
    serde_json::from_slice(&ok(&[&["render", "--show-scene"], args].concat(), "").stdout).unwrap()
}

#[test]
fn a_pass_is_drawn_with_what_the_effect_says() {
    let dir = drawn("effects-drawn");
    let file = dir.join("drawn.fxb").display().to_string();
    let scene = scene(&[&file]);
    // The element that the expression gives has the default of its parameter; blending is of source alpha over the rest.
    assert_eq!(scene["constants"]["fc0"], json!([[0.5, 0.25, 1.0, 1.0]]), "{scene}");
    assert_eq!(scene["blend"], json!(["sourceAlpha", "oneMinusSourceAlpha"]));
    assert_eq!(scene["cull"], json!("none"));
    // A pixel of 0.5, 0.25, 1 in the middle of the quad.
    let png = dir.join("drawn.png").display().to_string();
    ok(&["render", "--quiet", &file, "-o", &png], "");
    let pixel = ok(&["render", "--quiet", &file, "--pixel", "240,180", "--format", "json"], "");
    let pixel: Value = serde_json::from_slice(&pixel.stdout).unwrap();
    assert!(pixel.to_string().contains("[128,64,255,255]"), "{pixel}");
}

#[test]
fn what_is_asked_for_counts_more_than_the_effect() {
    let dir = drawn("effects-asked");
    let file = dir.join("drawn.fxb").display().to_string();
    let scene = scene(&[&file, "--constant", "Tint=[0, 1, 0, 1]"]);
    assert_eq!(scene["constants"]["fc0"], json!([0, 1, 0, 1]), "{scene}");
}

#[test]
fn techniques_passes_and_programs_of_effects_have_addresses() {
    let dir = drawn("effects-addresses");
    let file = |address: &str| format!("{}{address}", dir.join("drawn.fxb").display());
    let whole = scene(&[&file("")]);
    for address in ["::T", "::technique0", "::T/P", "::technique0/pass0", "::t/p"] {
        assert_eq!(scene(&[&file(address)]), whole, "{address}");
    }
    // A program that no pass chooses has no states, but the defaults.
    let other = scene(&[&file("::Array[0]")]);
    assert_eq!((&other["blend"], &other["constants"]["fc0"]), (&Value::Null, &Value::Null), "{other}");
    let inner = format!("{}::fx/b.fxb::T", dir.join("pack.zip").display());
    assert_eq!(scene(&[&inner])["constants"], whole["constants"]);
    // Of two effects one has to be chosen.
    let output = vecasm(&["render", &dir.join("pack.zip").display().to_string()], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("choose one by its address"), "{}", stderr(&output));
    let output = vecasm(&["render", &file("::Blur")], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("there is no entry Blur"), "{}", stderr(&output));
}

#[test]
fn an_effect_becomes_one_text_of_hlsl() {
    let dir = drawn("effects-hlsl");
    let file = dir.join("drawn.fxb").display().to_string();
    let output = ok(&["to", "hlsl", &file], "");
    let text = stdout(&output).replace(&format!("{}", dir.display()), "DIR");
    let start = "\
// DIR/drawn.fxb: a compiled effect of Direct3D 9 (fx_2_0)
//
// float4 Tint = { 0.5, 0.25, 1, 1 }; // c0 of param4[1]
// texture2d Image;
// sampler2d Scene = sampler_state { Texture = <Image>; AddressU = 3; AddressV = 3; MinFilter = 2; };
// int Pick = 1;
// pixelshader Array[2];
//
// technique T {
//     pass P {
//         ALPHABLENDENABLE = 1;
//         SRCBLEND = 5;
//         DESTBLEND = 6;
//         CULLMODE = 1;
//         PixelShader = Array[Pick.x];
//     }
// }

#ifdef PARAM4_0 // Array[0]
";
    assert_eq!(text.split_at_checked(start.len()).map(|(start, _)| start), Some(start), "{text}");
    assert!(text.contains("\n#endif\n\n#ifdef PARAM4_1 // Array[1]\n"), "{text}");
    assert!(text.contains("float4 Tint; // c0"), "{text}");
    // One program has the comments above it, too, with its own registers.
    let output = ok(&["to", "hlsl", &format!("{file}::Array[1]")], "");
    assert!(stdout(&output).contains("// float4 Tint = { 0.5, 0.25, 1, 1 }; // c0\n"), "{}", stdout(&output));
    assert!(stdout(&output).contains("\n//\n// param4[1]\n\n"), "{}", stdout(&output));
    // In a folder each is a file.
    let out = format!("{}/", dir.join("out").display());
    ok(&["to", "hlsl", &file, "-o", &out], "");
    let written = std::fs::read_to_string(dir.join("out/drawn.param4[1].hlsl")).unwrap();
    assert!(written.contains("// technique T {\n"), "{written}");
}

#[test]
fn parameters_of_the_effect_choose_its_programs() {
    let dir = drawn("effects-choose");
    let file = dir.join("drawn.fxb").display().to_string();
    // The expression is `Pick`; the first element of the array has no `Tint`.
    let output = ok(&["render", "--show-scene", &file, "--constant", "Pick=0"], "");
    assert!(stderr(&output).contains("note: draws T/P: Array[0]"), "{}", stderr(&output));
    let output =
        ok(&["render", "--show-scene", &file, "--constant", "Pick=1", "--texture", "Image=checker"], "");
    assert!(stderr(&output).contains("note: draws T/P: Array[1]"), "{}", stderr(&output));
    let output = vecasm(&["render", &file, "--constant", "Picks=1"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("the effect has Tint, Image, Scene, Pick, Array"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_scene_of_an_effect_can_be_drawn() {
    let dir = drawn("effects-scene");
    let path = |name: &str| dir.join(name).display().to_string();
    ok(&["render", "--quiet", &path("drawn.fxb"), "-o", &path("a.png")], "");
    ok(&["render", "--quiet", "--show-scene", &path("drawn.fxb"), "-o", &path("drawn.scene.json")], "");
    ok(&["render", &path("drawn.scene.json"), "-o", &path("b.png")], "");
    assert!(std::fs::read(path("a.png")).unwrap() == std::fs::read(path("b.png")).unwrap());
}

#[test]
fn techniques_arrays_and_folders_mean_what_is_below() {
    let dir = drawn("effects-below");
    let path = |name: &str| dir.join(name).display().to_string();
    for (address, count) in
        [("drawn.fxb::Array", 2), ("drawn.fxb::array", 2), ("pack.zip::fx", 4), ("pack.zip::fx/a.fxb", 2)]
    {
        let output = ok(&["check", &path(address)], "");
        assert_eq!(stdout(&output).matches("accepted (").count(), count, "{address}: {}", stdout(&output));
    }
    let output = vecasm(&["check", &path("drawn.fxb::Arr")], "");
    assert_eq!(output.status.code(), Some(2));
    let tint = "../../examples/d3d9/tint.fxb";
    for address in ["Sprite", "Sprite/P0", "technique1", "technique1/pass0"] {
        let output = ok(&["check", &format!("{tint}::{address}")], "");
        assert_eq!(stdout(&output).matches("accepted (").count(), 1, "{address}");
    }
}

#[test]
fn texts_in_containers_have_numbers() {
    let seed = "../../examples/containers/buffer.seed";
    let told = stdout(&ok(&["info", "--format", "text", seed], "")).to_string();
    assert!(told.contains("#2   shader8  TGSI FRAG"), "{told}");
    let dir = folder("effects-numbers", &[]);
    let new = dir.join("new.tgsi").display().to_string();
    ok(&["dis", &format!("{seed}::2"), "-o", &new], "");
    let out = dir.join("new.seed").display().to_string();
    let output = ok(&["repack", seed, &format!("2={new}"), "-o", &out], "");
    assert!(!stderr(&output).contains("no program"), "{}", stderr(&output));
}
