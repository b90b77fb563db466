//! Constants by the names of a shader's table, in run files and scenes; what preshaders compute.

use super::{folder, ok, stderr, stdout, vecasm};
use vecasm::isa::d3d9::ctab::{Constant, ConstantTable, Member, Type};

fn ty(class: u16, rows: u16, columns: u16) -> Type {
    Type { class, kind: 3, rows, columns, elements: 1, members: Vec::new() }
}

/// `World` in c0 to c3 by columns, `Rows` in c4 and c5 by rows, `lights` in c6 to c9: a colour and a range each.
fn table() -> String {
    let constant = |name: &str, index, count, ty| Constant {
        name: name.into(),
        set: 2,
        index,
        count,
        reserved: 0,
        ty,
        default: None,
    };
    let member = |name: &str, ty| Member { name: name.into(), ty };
    let light = Type {
        elements: 2,
        members: vec![member("color", ty(1, 1, 4)), member("range", ty(0, 1, 1))],
        ..ty(5, 1, 5)
    };
    let table = ConstantTable {
        creator: None,
        version: 0xfffe_0200,
        flags: 0,
        target: None,
        constants: vec![
            constant("World", 0, 4, ty(3, 4, 4)),
            constant("Rows", 4, 2, ty(2, 3, 4)),
            constant("lights", 6, 4, light),
        ],
    };
    let words: Vec<String> = table.words().iter().skip(1).map(|word| format!("{word:08x}")).collect();
    format!(".comment CTAB {{ {} }}\n", words.join(" "))
}

fn shader() -> String {
    format!(
        "vs_2_0\n{}dcl_position v0\nmov oPos, c0\nmov oD0, c3\nmov oD1, c5\nmov oT0, c8\nmov oT1, c9\n",
        table()
    )
}

const WORLD: &str = "[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]";

#[test]
fn constants_are_given_by_name() {
    // Rows has three rows, of which the program reads two. c0 is the first column of World, c3 the last one; c5 is the
    // second row of Rows; c8 is the colour of the second light, c9 its range.
    let input = format!(
        r#"{{"constants": {{"World": {WORLD}, "Rows": [[1, 1, 1, 1], [2, 3, 4, 5], [0, 0, 0, 0]],
            "lights[1]": {{"color": [0.5, 0, 0, 1], "range": 7}}}}, "inputs": [{{"v0": [0, 0, 0, 1]}}]}}"#
    );
    let folder = folder("constant-names", &[("s.d3d9", shader().as_bytes()), ("i.json", input.as_bytes())]);
    let (file, input) = (folder.join("s.d3d9"), folder.join("i.json"));
    let run = |input: &str| vecasm(&["run", file.to_str().unwrap(), "-i", input, "--show-input"], "");
    let output = run(input.to_str().unwrap());
    let text = stdout(&output);
    for line in [
        r#""c0": [1.0, 5.0, 9.0, 13.0]"#,
        r#""c3": [4.0, 8.0, 12.0, 16.0]"#,
        r#""c5": [2.0, 3.0, 4.0, 5.0]"#,
        r#""c8": [0.5, 0.0, 0.0, 1.0]"#,
        r#""c9": [7.0, 0.0, 0.0, 0.0]"#,
    ] {
        assert!(text.contains(line), "{line}: {text}{}", stderr(&output));
    }
    // A member alone, a register beside it, the same element twice, a wrong number of rows, what does not exist.
    let part = |constants: &str| {
        let text = format!(
            r#"{{"constants": {{"World": {WORLD}, "c5": [0, 0, 0, 0], {constants}}}, "inputs": [{{"v0": [0, 0, 0, 1]}}]}}"#
        );
        std::fs::write(folder.join("part.json"), text).unwrap();
        run(folder.join("part.json").to_str().unwrap())
    };
    let good = part(r#""lights[1].color": [1, 1, 1, 1], "lights[1].range": 2"#);
    assert!(stdout(&good).contains(r#""c9": [2.0, 0.0, 0.0, 0.0]"#), "{}", stderr(&good));
    for (constants, why) in [
        (r#""lights[1].color": [1, 1, 1, 1]"#, "c9 is missing"),
        (r#""Rows": [[1, 1, 1, 1], [2, 3, 4, 5], [0, 0, 0, 0]]"#, "given twice"),
        (r#""lights[1].range": [1, 2]"#, "constants.lights[1].range: expected 1 values, found 2"),
        (r#""lights[2].range": 1"#, "no such constant"),
        (r#""lights[1]": {"color": [1, 1, 1, 1]}"#, "range: this member is missing"),
    ] {
        let output = part(constants);
        assert_eq!(output.status.code(), Some(2), "{constants}");
        assert!(stderr(&output).contains(why), "{constants}: {}", stderr(&output));
    }
}

#[test]
fn scenes_set_constants_by_name() {
    let shader = format!("vs_2_0\n{}dcl_position v0\nm4x4 oPos, v0, c0\nmov oD0, c6\n", table());
    let scene = |name: &str, world: &str| {
        format!(
            r#"{{"size": [8, 8], "vertex": "s.d3d9", "mesh": "quad", "constants": {{"{name}": {world}, "lights[0].color": "{}"}}}}"#,
            "#00ff00"
        )
    };
    // By columns, the transpose of what the registers get.
    let moved = "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [3, 0, 0, 1]]";
    let registers = "[[1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]";
    let files = [
        ("s.d3d9", shader),
        ("named.json", scene("World", moved)),
        ("turned.json", scene("World", &format!(r#"{{"transpose": {registers}}}"#))),
        ("numbered.json", scene("c0", registers)),
        ("short.json", scene("World", "[[1, 0, 0, 0]]")),
    ];
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let folder = folder("constant-names-scene", &files);
    let draw = |name: &str| {
        let file = folder.join(name);
        let picture = folder.join(format!("{name}.png"));
        let args = ["render", file.to_str().unwrap(), "-o", picture.to_str().unwrap()];
        let output = vecasm(&args, "");
        (output, std::fs::read(picture).unwrap_or_default())
    };
    let (named, numbered, turned) = (draw("named.json"), draw("numbered.json"), draw("turned.json"));
    assert_eq!(named.0.status.code(), Some(0), "{}", stderr(&named.0));
    assert!(!named.1.is_empty());
    assert!(named.1 == numbered.1 && named.1 == turned.1);
    let short = draw("short.json").0;
    assert!(stderr(&short).contains("expected the 4 rows of \"World\", found 1"), "{}", stderr(&short));
}

#[test]
fn preshaders_set_constants_of_every_kind() {
    // rep runs three times, b0 is true: 3 · 2 + 10.
    let text = "ps_3_0
    .preshader {
        preshader
        mov i0.x, (3)
        mov b0, (1)
        div c1.x, (6), (3)
    }
    def c0, 0, 10, 2, 0
    mov r0, c0.x
    rep i0
    add r0, r0, c0.z
    endrep
    if b0
    add r0, r0, c0.y
    endif
    mov r0.y, c1.x
    mov oC0, r0
";
    let output = ok(&["run", "-", "--format", "hex"], text);
    assert_eq!(stdout(&output), "oC0 41800000 00000000 41800000 41800000\n", "{}", stderr(&output));
    let output = ok(&["run", "-", "--format", "hex", "--preshader-rule", "preshader-div=quotient"], text);
    assert_eq!(stdout(&output), "oC0 41800000 40000000 41800000 41800000\n", "{}", stderr(&output));
    let output = vecasm(&["run", "-", "--preshader-rule", "preshader-div=half"], text);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("preshader-div=zero"), "{}", stderr(&output));
    // A translation has none of it: it says so, for people and for the host.
    let folder = folder("preshader-layout", &[]);
    let file = folder.join("layout.json");
    let output = ok(&["to", "wgsl", "-", "--layout", file.to_str().unwrap()], text);
    assert!(stderr(&output).contains("a preshader computes "), "{}", stderr(&output));
    let layout: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let all = layout["preshader"].as_array().unwrap().iter();
    let mut all: Vec<&str> = all.map(|entry| entry["register"].as_str().unwrap()).collect();
    all.sort_unstable();
    assert_eq!(all, ["b0", "c1", "i0"]);
    assert_eq!(layout["preshader"][0]["stage"], "fragment");
}

/// The table's default values are what constants hold that nobody gives, as D3DX sets them with `SetDefaults`. Nothing but zeros is
/// no default: compilers write that where the source has none.
#[test]
fn default_values_are_brought_by_the_program() {
    let float = |number: f32| number.to_bits();
    let constant = |name: &str, (set, index, count), ty, default| Constant {
        name: name.into(),
        set,
        index,
        count,
        reserved: 0,
        ty,
        default: Some(default),
    };
    let kind = |kind, class, columns| Type { kind, ..ty(class, 1, columns) };
    let two = [2.0, 3.0, 0.0, 0.0, 9.0, 9.0, 0.0, 0.0].map(float).to_vec();
    let constants = vec![
        constant("tint", (2, 0, 1), ty(1, 1, 4), [1.0, 0.5, 0.25, 1.0].map(float).to_vec()),
        constant("World", (2, 1, 1), ty(1, 1, 4), vec![0; 4]),
        // Of its two registers the program has one; what is behind it is of somebody else.
        constant("rows", (2, 2, 1), ty(2, 2, 2), two),
        constant("on", (0, 0, 1), kind(1, 0, 1), vec![u32::MAX]),
        constant("rounds", (1, 0, 1), kind(2, 1, 4), vec![3, 0, 1, 0]),
    ];
    let table = ConstantTable { creator: None, version: 0xffff_0300, flags: 0, target: None, constants };
    let words: Vec<String> = table.words().iter().skip(1).map(|word| format!("{word:08x}")).collect();
    let shader = |more: &str| {
        let table = words.join(" ");
        format!(
            "ps_3_0\n.comment CTAB {{ {table} }}\ndef c8, 0, 1, 0, 0\ndcl_texcoord v0\nmov r0, c8.x\nrep i0\nadd r0, r0, v0\n\
             endrep\nif b0\nmul r0, r0, c0\nendif\nadd r0.x, r0.x, c2.y\n{more}mov oC0, r0\n"
        )
    };
    let (program, unset) = (shader(""), shader("add r0, r0, c1\nadd r0, r0, c3\n"));
    let inputs = r#""inputs": [{"v0": [1, 2, 3, 4]}]"#;
    let folder = folder(
        "constant-defaults",
        &[
            ("s.d3d9", program.as_bytes()),
            ("unset.d3d9", unset.as_bytes()),
            ("none.json", format!("{{{inputs}}}").as_bytes()),
            (
                "tint.json",
                format!(r#"{{"constants": {{"tint": [1, 1, 1, 2], "c2": [0, 0, 0, 0]}}, {inputs}}}"#)
                    .as_bytes(),
            ),
            ("world.json", format!(r#"{{"constants": {{"World": [1, 1, 1, 2]}}, {inputs}}}"#).as_bytes()),
        ],
    );
    let file = |name: &str| folder.join(name).display().to_string();
    let run = |program: &str, given: &str| vecasm(&["run", &file(program), "-i", &file(given)], "");
    // 3 · (1, 2, 3, 4) · tint, and 3 more in x.
    let none = run("s.d3d9", "none.json");
    let bits = |numbers: [f32; 4]| {
        let lanes = numbers.map(|number| format!("\"0x{:08x}\"", number.to_bits()));
        format!("\"oC0\": [{}]", lanes.join(", "))
    };
    assert!(stdout(&none).contains(&bits([6.0, 3.0, 2.25, 12.0])), "{}{}", stdout(&none), stderr(&none));
    let said = "i0 (rounds) = (3, 0, 1, 0), b0 (on) = true, c0 (tint) = (1, 0.5, 0.25, 1), c2 (rows) = (2, 3, 0, 0)\n";
    assert!(stderr(&none).contains(said), "{}", stderr(&none));
    let given = run("s.d3d9", "tint.json");
    assert!(stdout(&given).contains(&bits([3.0, 6.0, 9.0, 24.0])), "{}", stdout(&given));
    assert!(stderr(&given).contains(": i0 (rounds) = (3, 0, 1, 0), b0 (on) = true\n"), "{}", stderr(&given));
    for (given, missing) in [("none.json", "c1, c3 are missing"), ("world.json", "c3 is missing")] {
        let output = run("unset.d3d9", given);
        assert!(stderr(&output).contains(missing), "{}", stderr(&output));
    }
    let explained = vecasm(&["why", &file("s.d3d9"), "-i", &file("none.json")], "");
    assert!(!stdout(&explained).contains("unset"), "{}", stdout(&explained));
    assert!(stderr(&explained).contains(said), "{}", stderr(&explained));
    let request = "{\"id\": 1, \"do\": \"evaluate\", \"text\": \"c0.y\"}\n";
    let debugged = ok(&["debug", "--json", &file("s.d3d9"), "-i", &file("none.json")], request);
    assert!(stdout(&debugged).contains(r#""value":[0.5]"#), "{}", stdout(&debugged));
    // The vertex and the fragment program have constants of the same names.
    let vertex = "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov o1, v0\n";
    std::fs::write(folder.join("v.d3d9"), vertex).unwrap();
    let layout = file("layout.json");
    for programs in [vec![file("s.d3d9")], vec![file("v.d3d9"), file("s.d3d9")]] {
        let programs: Vec<&str> = programs.iter().map(String::as_str).collect();
        ok(&[&["to", "wgsl"], &programs[..], &["--layout", &layout, "-o", "/dev/null"]].concat(), "");
        let layout: serde_json::Value = serde_json::from_slice(&std::fs::read(&layout).unwrap()).unwrap();
        let one = |register: &str, value: serde_json::Value| serde_json::json!({"stage": "fragment", "register": register, "value": value});
        let all = serde_json::json!([
            one("i0", serde_json::json!([3, 0, 1, 0])),
            one("b0", serde_json::json!([1, 1, 1, 1])),
            one("c0", serde_json::json!([1.0, 0.5, 0.25, 1.0])),
            one("c2", serde_json::json!([2.0, 3.0, 0.0, 0.0])),
        ]);
        assert_eq!(layout["defaults"], all);
    }
    // A scene that gives nothing draws what one that gives the same draws.
    let scene = |constants: &str| {
        format!(
            r#"{{"size": [8, 8], "vertex": "v.d3d9", "fragment": "s.d3d9", "mesh": "quad", "constants": {{{constants}}}}}"#
        )
    };
    let draw = |name: &str, constants: &str| {
        std::fs::write(folder.join(name), scene(constants)).unwrap();
        let picture = file(&format!("{name}.png"));
        ok(&["render", &file(name), "-o", &picture], "");
        std::fs::read(picture).unwrap()
    };
    let own = r#""fi0": [3, 0, 1, 0], "fb0": [1, 1, 1, 1], "tint": [1, 0.5, 0.25, 1], "fc2": [2, 3, 0, 0]"#;
    let (brought, given) = (draw("brought.json", ""), draw("given-scene.json", own));
    assert!(brought == given);
    assert!(brought != draw("other.json", r#""tint": [0, 0, 0, 0]"#));
}

/// A pixel shader whose colour the preshader computes: c0 is (1 - amount.x, 0.5 · amount.x, 0, 1) with `amount` in c0 of the effect.
fn preshaded(default: Option<f32>) -> String {
    let amount = Constant {
        name: "amount".into(),
        set: 2,
        index: 0,
        count: 1,
        reserved: 0,
        ty: ty(0, 1, 1),
        default: default.map(|x| vec![x.to_bits(), 0, 0, 0]),
    };
    let table = ConstantTable {
        creator: None,
        version: 0x4658_0201,
        flags: 0,
        target: None,
        constants: vec![amount],
    };
    let words: Vec<String> = table.words().iter().skip(1).map(|word| format!("{word:08x}")).collect();
    format!(
        "ps_2_0\n.preshader {{\npreshader\n.comment CTAB {{ {} }}\nneg r0.x, c0.x\nadd c0.x, r0.x, (1)\n\
         mul c0.y, c0.x, (0.5)\nmov c0.zw, (0, 1)\n}}\ndcl_2d s0\ndcl t0.xy\nmov r0, c0\nmov oC0, r0\n",
        words.join(" ")
    )
}

/// Pictures are drawn with what the preshader computes, as runs are run.
#[test]
fn preshaders_are_run_for_pictures() {
    let scene = |constants: &str| {
        format!(
            r#"{{"size": [4, 4], "mesh": "quad", "camera": {{"orthographic": 2}}, "fragment": "f.d3d9", "constants": {constants}}}"#
        )
    };
    // 1/4 and 3/8 in 8 bits are 63.75 and 95.6, rounded.
    let files = folder(
        "preshader-pictures",
        &[
            ("f.d3d9", preshaded(None).as_bytes()),
            ("brought.d3d9", preshaded(Some(0.4)).as_bytes()),
            ("given.json", scene(r#"{"amount": 0.75}"#).as_bytes()),
            ("none.json", scene("{}").as_bytes()),
            // What the preshader computes counts more than what is given for its result, as in a run.
            ("both.json", scene(r#"{"amount": 0.75, "fc0": [0, 0, 0, 0]}"#).as_bytes()),
            ("wrong.json", scene(r#"{"amounts": 0.6}"#).as_bytes()),
        ],
    );
    let path = |name: &str| files.join(name).display().to_string();
    let pixel = |name: &str| {
        let output = ok(&["render", &path(name), "--pixel", "2,2", "--format", "json"], "");
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        value["color"].clone()
    };
    assert_eq!(pixel("given.json"), serde_json::json!([64, 96, 0, 255]));
    assert_eq!(pixel("both.json"), serde_json::json!([64, 96, 0, 255]));
    assert_eq!(pixel("none.json"), serde_json::json!([255, 0, 0, 255]));
    assert_eq!(vecasm(&["render", &path("wrong.json"), "-o", &path("no.png")], "").status.code(), Some(2));
    // `why` runs the same.
    let why = ok(&["why", &path("given.json"), "--pixel", "2,2", "--of", "oC0.x"], "");
    assert!(stdout(&why).contains("from c0.x = 0.25"), "{}", stdout(&why));
    // A guessed scene gives the preshader what it reads, and does not guess what it computes.
    let guessed = |file: &str| {
        let output = ok(&["render", &path(file), "--show-scene"], "");
        let scene: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (scene, stderr(&output).to_string())
    };
    let (scene, said) = guessed("f.d3d9");
    assert!(scene["constants"]["fc0"].is_null() && !scene["constants"]["amount"].is_null(), "{scene}");
    assert!(said.contains("the preshader computes c0") && said.contains("amount"), "{said}");
    let (scene, _) = guessed("brought.d3d9");
    assert!(scene["constants"]["amount"].is_null(), "{scene}");
    let output = ok(&["render", &path("f.d3d9"), "--constant", "amount=0.25", "--show-scene"], "");
    let scene: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(scene["constants"]["amount"], 0.25);
}
