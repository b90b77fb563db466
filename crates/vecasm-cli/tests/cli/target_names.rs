//! What constants, textures and varyings are called in target languages, and which products look at zeros.

use super::{folder, ok, stderr, stdout, vecasm};
use serde_json::Value;
use vecasm::isa::d3d9::ctab::{Constant, ConstantTable, Type};

/// `AlphaTest` in c0, `World` in c1 to c4, `input` in c6, `float` in c7, `Albedo` in s0.
const NAMES: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/d3d9/to/names.d3d9"));
/// `World` in c0 to c3 and `Bones` in c4 to c63, both read by an address register; `Flag` in b0.
const RELATIVE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/d3d9/to/relative.d3d9"));

fn to(target: &str, more: &[&str], text: &str) -> String {
    let output = ok(&[&["to", target, "-", "--isa", "d3d9"], more].concat(), text);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn constants_have_the_names_of_the_table_unless_registers_are_asked_for() {
    for (target, register) in
        [("wgsl", "c[0]"), ("glsl", "c[0]"), ("hlsl", "c[0]"), ("msl", "c[0]"), ("spirv", "AlphaTest")]
    {
        let named = to(target, &[], NAMES);
        assert!(named.contains("AlphaTest") && named.contains("Albedo"), "{target}: {named}");
        let plain = to(target, &["--names", "registers"], NAMES);
        assert!(!plain.contains("AlphaTest") && !plain.contains("Albedo"), "{target}: {plain}");
        assert_eq!(plain.contains(register), target != "spirv", "{target}: {plain}");
    }
}

#[test]
fn the_layout_says_name_and_register() {
    let folder = folder("target-names", &[]);
    let file = folder.join("layout.json");
    let constants = |target: &str, more: &[&str], text: &str| -> Vec<Value> {
        to(target, &[more, &["--layout", file.to_str().unwrap()]].concat(), text);
        let layout: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let bindings = layout["bindings"].as_array().unwrap().clone();
        let all = layout["constants"].as_array().unwrap().clone();
        // Each is held by something that is bound.
        for constant in &all {
            assert!(bindings.iter().any(|b| b["name"] == constant["binding"]), "{target}: {layout:#}");
        }
        all
    };
    let of = |all: &[Value], symbol: &str| -> (String, String, u64, u64) {
        let one = all.iter().find(|c| c["symbol"] == symbol).unwrap();
        let text = |key: &str| one[key].as_str().unwrap().to_string();
        (text("name"), text("register"), one["first"].as_u64().unwrap(), one["count"].as_u64().unwrap())
    };
    for (target, more) in [
        ("wgsl", &[][..]),
        ("glsl", &[]),
        ("glsl", &["--glsl-version", "100es"]),
        ("hlsl", &[]),
        ("hlsl", &["--shader-model", "3.0"]),
        ("msl", &[]),
        ("spirv", &[]),
    ] {
        let all = constants(target, more, NAMES);
        // c5 has no name in the table.
        assert_eq!(all.iter().filter(|c| c["symbol"].is_null()).count(), 1, "{target}");
        assert_eq!(all.len(), 5, "{target}");
        assert_eq!(of(&all, "AlphaTest"), ("AlphaTest".into(), "c0".into(), 0, 1), "{target}");
        assert_eq!(of(&all, "World"), ("World".into(), "c1".into(), 1, 4), "{target}");
    }
    // A word of a language has a number behind it, and the layout says so.
    assert_eq!(of(&constants("glsl", &[], NAMES), "float").0, "float_1");
    assert_eq!(of(&constants("wgsl", &[], RELATIVE), "Bones"), ("c[4]".into(), "c4".into(), 4, 60));
    assert_eq!(of(&constants("hlsl", &[], RELATIVE), "Flag"), ("Flag".into(), "b0".into(), 0, 1));
}

#[test]
fn registers_and_constants_are_renamed() {
    let text = to("glsl", &["--rename", "AlphaTest=threshold", "--rename", "s0=wood"], NAMES);
    assert!(text.contains("vec4 threshold; // c0") && text.contains("sampler2D wood;"), "{text}");
    let text = to("hlsl", &["--rename", "c5=Tint"], NAMES);
    assert!(text.contains("float4 Tint; // c5") && text.contains("float4 AlphaTest; // c0"), "{text}");
    // The whole array: it is not divided.
    let text = to("wgsl", &["--rename", "c=constants"], NAMES);
    assert!(text.contains("constants: array<vec4f, 8>") && text.contains("constants[0]"), "{text}");
    // Without a table, too.
    let text = to("wgsl", &["--rename", "c1=Tint"], "ps_3_0\ndcl_texcoord v0\nmul oC0, v0, c1\n");
    assert!(text.contains("unused_c0: vec4f, // c0\n    Tint: vec4f, // c1"), "{text}");
    let agal = ok(&["to", "glsl", "-", "--rename", "fc2=tint"], ".agal fragment 1\nmul oc, v0, fc2\n");
    assert!(stdout(&agal).contains("v0 * tint"), "{}", stdout(&agal));
}

#[test]
fn a_hostile_table_gives_names_that_can_be_declared() {
    let long = "W".repeat(3000);
    let words = |constants: &[(&str, u16, u16)]| {
        let ty = Type { class: 1, kind: 3, rows: 1, columns: 4, elements: 1, members: Vec::new() };
        let constant = |(name, index, count): &(&str, u16, u16)| Constant {
            name: (*name).into(),
            set: 2,
            index: *index,
            count: *count,
            reserved: 0,
            ty: ty.clone(),
            default: None,
        };
        let table = ConstantTable {
            creator: None,
            version: 0xffff_0300,
            flags: 0,
            target: None,
            constants: constants.iter().map(constant).collect(),
        };
        let words: Vec<String> = table.words().iter().skip(1).map(|word| format!("{word:08x}")).collect();
        format!(
            "ps_3_0\n.comment CTAB {{ {} }}\ndcl_texcoord v0\nmul r0, v0, c0\nmul oC0, r0, c1\n",
            words.join(" ")
        )
    };
    let text = to("wgsl", &[], &words(&[("World", 0, 9), ("Other", 1, 65_535)]));
    // The second one touches the first, and both go beyond what is read.
    assert!(text.contains("World: array<vec4f, 2>, // c0 to c1") && text.contains("c.World[1]"), "{text}");
    let text = to("wgsl", &[], &words(&[(&long, 0, 1), ("x y", 1, 1)]));
    assert!(!text.contains("WWW") && text.contains("c.c0"), "{text}");
    assert!(text.contains("x_y: vec4f, // c1"), "{text}");
    let text = to("hlsl", &[], &words(&[("PixelInput", 0, 1), ("__", 1, 1)]));
    assert!(text.contains("float4 PixelInput_1;") && text.contains("float4 r; // c1"), "{text}");
    let text = to("msl", &[], &words(&[("Same", 0, 1), ("Same", 1, 1)]));
    assert!(text.contains("float4 Same; // c0\n    float4 c1;\n"), "{text}");
}

#[test]
fn products_look_at_zeros_where_that_matters() {
    let text = "ps_3_0\ndef c0, 0.5, -2, 3, 1\ndef c1, 0.5, 0, 3, 1\ndcl_texcoord v0\nmul r0, v0, c0\n\
                mul_sat r1, v0, c2\nmad_sat r2, r1, c1, r1\nmul r2, r2, r1\nmul r3, v0, c1\nadd r0, r0, r2\n\
                add oC0, r0, r3\n";
    let glsl = to("glsl", &[], text);
    // By a finite number, and of clamped values: plain. By a constant of the host, or by a zero: not.
    assert_eq!(
        glsl.matches("= mul_zero_wins").count() + glsl.matches("(mul_zero_wins_4(").count(),
        1,
        "{glsl}"
    );
    assert!(glsl.contains("texcoord * vec4(0.5, -2.0, 3.0, 1.0)"), "{glsl}");
    assert!(glsl.contains("mul_zero_wins_4(texcoord, vec4(0.5, 0.0, 3.0, 1.0))"), "{glsl}");
    assert!(!to("hlsl", &["--shader-model", "3.0"], text).contains("zero_wins"));
    for target in ["wgsl", "glsl", "hlsl", "msl"] {
        let strict = to(target, &["--signed-zeros"], text);
        assert!(!strict.contains("texcoord * "), "{target}: {strict}");
    }
    assert!(to("hlsl", &["--shader-model", "3.0", "--signed-zeros"], text).contains("mul_zero_wins"));
    let selections = |more: &[&str]| to("spirv", more, text).len();
    assert!(selections(&["--signed-zeros"]) > selections(&[]));
    assert_eq!(
        selections(&["--signed-zeros", "--float-controls"]),
        selections(&["--float-controls"]),
        "signed zeros are asked for"
    );
}

#[test]
fn varyings_are_called_by_what_they_mean_in_both_stages() {
    let vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[9]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n";
    let fragment = "FRAG\nDCL IN[0], GENERIC[9], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";
    for (target, more) in [
        ("wgsl", &[][..]),
        ("glsl", &[]),
        ("glsl", &["--glsl-version", "300es"]),
        ("glsl", &["--glsl-version", "120"]),
        ("hlsl", &[]),
        ("msl", &[]),
    ] {
        for text in [vertex, fragment] {
            let output = ok(&[&["to", target, "-", "--isa", "tgsi"], more].concat(), text);
            let text = stdout(&output);
            assert!(text.contains("generic9") && !text.contains("varying_"), "{target}: {text}");
        }
    }
    // A constant of the same name must not change what the linker of GLSL goes by.
    let clash = NAMES.replace("dcl_texcoord v0", "dcl_normal v0").replace("rename", "");
    let text = to("glsl", &["--glsl-version", "100es", "--rename", "c5=normal"], &clash);
    assert!(text.contains("varying vec4 normal;") && text.contains("uniform vec4 normal_1;"), "{text}");
}

/// Every writer ends with a name of its own, also where the language has all names that start so.
#[test]
fn names_that_a_language_keeps_for_itself_are_changed() {
    // A CTAB that calls c0 `gl_x`.
    let table = "ps_2_0\n.comment CTAB { 0000001c 00000048 ffff0200 00000001 0000001c 00000000 00000048 00000040 00000002 \
                 00000001 00000030 00000000 00030001 00040001 00000001 00000000 785f6c67 00000000 325f7370 0000305f }\n\
                 dcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, c0\nmov oC0, r0\n";
    let targets: [(&str, &[&str]); 8] = [
        ("wgsl", &[]),
        ("glsl", &[]),
        ("glsl", &["--glsl-version", "100es"]),
        ("glsl", &["--glsl-version", "120"]),
        ("hlsl", &[]),
        ("hlsl", &["--shader-model", "3.0"]),
        ("msl", &[]),
        ("spirv", &[]),
    ];
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for (target, more) in targets {
        let text = to(target, more, table);
        let has = |text: &str, name: &str| text.split(|c| !is_part(c)).any(|word| word == name);
        assert_eq!(has(&text, "gl_x"), target != "glsl", "{target}: {text}");
        // Names of SPIR-V are for people alone, and take no renames.
        if target == "spirv" {
            continue;
        }
        for name in [
            "gl_x", "GL_ES", "webgl_x", "size", "size_x", "load_x", "main", "metal", "M_PI_F", "float4x4",
            "a_",
        ] {
            for register in ["c", "c0", "s0", "t0"] {
                let text = to(
                    target,
                    &[more, &["--names", "registers", "--rename", &format!("{register}={name}")]].concat(),
                    table,
                );
                assert!(target == "wgsl" || !text.contains("__"), "{target} {register}={name}: {text}");
                let kept = ["gl_x", "GL_ES", "webgl_x"].contains(&name) && target == "glsl";
                assert!(!kept || name == "GL_ES" || !has(&text, name), "{target} {register}={name}: {text}");
            }
        }
    }
}

/// Whatever is refused says where it is there.
#[test]
fn refusals_say_where_there_is_such_a_thing() {
    let levels = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n\
                  LODQ OUT[0].xy, IN[0], SAMP[0], 2D\nEND\n";
    let helper = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\nKILL_IF IN[0]\n\
                  READ_HELPER TEMP[0].x\nUCMP OUT[0], TEMP[0].xxxx, IN[0], IN[0].yyyy\nEND\n";
    for (text, target, more, wanted) in [
        (levels, "hlsl", &[][..], Ok("CalculateLevelOfDetail(by, place)")),
        (levels, "hlsl", &["--shader-model", "4.1"], Ok("CalculateLevelOfDetailUnclamped(by, place)")),
        (levels, "hlsl", &["--shader-model", "4.0"], Err("model 4.1 and later have it")),
        (levels, "msl", &["--msl-version", "2.2"], Ok("calculate_clamped_lod(by, place)")),
        (levels, "msl", &[], Err("2.2 and later have it")),
        (levels, "glsl", &["--glsl-version", "140"], Err("150 and later have it")),
        (
            helper,
            "glsl",
            &[],
            Err("GLSL 430 has no equivalent of `is_helper`; 450, ES 310 and later have it"),
        ),
        (helper, "glsl", &["--glsl-version", "450"], Ok("gl_HelperInvocation")),
        (helper, "hlsl", &["--shader-model", "6.0"], Err("model 6.6 has it")),
        (helper, "msl", &[], Err("2.3 and later have it")),
        // Metal does not count who was discarded.
        (helper, "msl", &["--msl-version", "2.3"], Ok("simd_is_helper_thread() || demoted")),
    ] {
        let output = vecasm(&[&["to", target, "-", "--isa", "tgsi"], more].concat(), text);
        match wanted {
            Ok(part) => assert!(stdout(&output).contains(part), "{target} {more:?}: {}", stderr(&output)),
            Err(part) => assert!(stderr(&output).contains(part), "{target} {more:?}: {}", stderr(&output)),
        }
    }
}
