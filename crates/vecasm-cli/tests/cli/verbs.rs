//! What others script against: exit codes, standard input and output, formats.

use super::{folder, ok, stderr, stdout, vecasm};
use std::io::BufRead as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A fragment program, and its bytes: opcode, destination, two sources a token, as AGAL's bytecode has them.
const TEXT: &str = "mov ft0, v1\nmul oc, ft0, fc2.x\n";
const HEX: &str = "a001000000a101\
    0000000000000f02010000e4040000000000000000000000\
    0300000000000f03000000e4020000000200000001000000";

fn digits(text: &str) -> String {
    text.split_whitespace().collect()
}

fn bytes() -> Vec<u8> {
    let hex = digits(HEX);
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

#[test]
fn asm_writes_the_bytes_and_nothing_else() {
    assert_eq!(ok(&["asm"], TEXT.as_bytes()).stdout, bytes());
    let hex = ok(&["asm", "--to", "hex", "-"], TEXT.as_bytes());
    assert!(stdout(&hex).chars().all(|c| c.is_ascii_hexdigit() || c.is_ascii_whitespace()));
    assert_eq!(digits(stdout(&hex)), digits(HEX));
}

#[test]
fn every_notation_with_the_whole_program_is_read_back() {
    for format in ["bin", "hex", "inl", "c", "rust", "as3"] {
        let written = ok(&["asm", "--to", format], TEXT.as_bytes()).stdout;
        let read = ok(&["asm", "--to", "bin"], &written).stdout;
        assert_eq!(read, bytes(), "{format}");
    }
    let json: serde_json::Value =
        serde_json::from_slice(&ok(&["asm", "--to", "json"], TEXT.as_bytes()).stdout).unwrap();
    assert_eq!(json["bytes"], digits(HEX));
    assert_eq!(json["stage"], "fragment");
    assert_eq!(json["instructions"].as_array().unwrap().len(), 2);
    // a0 01 00 is 101000 000000 000100 000000: digits 40, 0, 4, 0.
    assert!(stdout(&ok(&["asm", "--to", "base64"], TEXT.as_bytes())).starts_with("oAEA"));
}

#[test]
fn text_and_bytes_go_round() {
    let text = ok(&["dis"], bytes()).stdout;
    assert_eq!(ok(&["asm"], &text).stdout, bytes());
    assert_eq!(ok(&["dis", "--from", "hex"], HEX.as_bytes()).stdout, text);
    let listed = format!(
        "const char p[] = {{ {} }};",
        bytes().iter().map(|b| format!("0x{b:x}, ")).collect::<String>()
    );
    assert_eq!(ok(&["dis", "--from", "hex"], listed.as_bytes()).stdout, text);
}

#[test]
fn dialects_differ() {
    let adobe = ok(&["dis", "--dialect", "adobe"], bytes());
    assert!(stdout(&adobe).starts_with("//fragment program (agal 1)"));
    let mini = ok(&["dis", "--dialect", "mini"], bytes());
    let compat = ok(&["asm", "--mode", "compat", "--stage", "fragment"], &mini.stdout);
    assert_eq!(compat.stdout, bytes());
    assert_eq!(vecasm(&["dis", "--dialect", "pirate"], bytes()).status.code(), Some(2));
}

#[test]
fn a_bad_text_is_status_1_with_line_and_column() {
    let output =
        vecasm(&["asm", "--message-format", "short", "--stage", "fragment"], b"mov ft0, v1\nmovv oc, ft0\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(stderr(&output).starts_with("<stdin>:2:1: error["), "{}", stderr(&output));
}

#[test]
fn json_messages_are_one_object_a_line() {
    // An output may not be read: Flash Player error 3646.
    let output =
        vecasm(&["check", "--message-format", "json"], b".agal fragment 1\nmov ft0, oc\nmov oc, ft0\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.is_empty());
    let findings: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(findings[0]["id"], "AGAL3646");
    assert_eq!(findings[0]["severity"], "error");
    assert_eq!(findings[0]["first"], true);
    assert_eq!((&findings[0]["line"], &findings[0]["column"]), (&2.into(), &1.into()));
}

#[test]
fn compat_mode_says_what_the_original_says() {
    let text = b"mov ft0\nmov oc, ft0\n";
    let output = vecasm(&["asm", "--mode", "compat", "--stage", "fragment"], text);
    assert_eq!(output.status.code(), Some(1));
    let expected = "error: wrong number of operands. found 1 but expected 2.\n  at line 0 mov ft0";
    assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    let output =
        vecasm(&["asm", "--mode", "compat", "--stage", "fragment", "--message-format", "json"], text);
    let finding: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(finding["message"], expected);
    // An unknown mnemonic is only a warning there, and the line is skipped.
    let output = ok(&["asm", "--mode", "compat", "--stage", "fragment"], b"xyz ft0\nmov oc, v0\n");
    assert_eq!(stderr(&output), "warning: bad line 0: xyz ft0\n");
    assert_eq!(output.stdout.len(), 7 + 24);
}

#[test]
fn stage_and_version_come_from_flags_directives_registers_and_file_names() {
    let header =
        |args: &[&str], text: &str| ok(&[&["asm"], args].concat(), text.as_bytes()).stdout[..7].to_vec();
    assert_eq!(header(&[], "mov op, va0"), [0xa0, 1, 0, 0, 0, 0xa1, 0]);
    assert_eq!(header(&[], ".agal fragment 3\nmov oc, v0"), [0xa0, 3, 0, 0, 0, 0xa1, 1]);
    assert_eq!(header(&["--version", "2"], "mov oc, v0"), [0xa0, 2, 0, 0, 0, 0xa1, 1]);
    let file = folder("stages", &[]).join("empty.vert.agal");
    std::fs::write(&file, "// nothing yet\n").unwrap();
    assert_eq!(header(&[file.to_str().unwrap()], ""), [0xa0, 1, 0, 0, 0, 0xa1, 0]);
}

#[test]
fn several_inputs_need_a_folder() {
    let folder = folder("several", &[]);
    let (a, b, out) = (folder.join("a.frag.agal"), folder.join("b.frag.agal"), folder.join("out"));
    std::fs::write(&a, TEXT).unwrap();
    std::fs::write(&b, TEXT).unwrap();
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    assert_eq!(vecasm(&["asm", a, b], b"").status.code(), Some(2));
    ok(&["asm", a, b, "-o", &format!("{}/", out.display())], b"");
    assert_eq!(std::fs::read(out.join("a.frag.bin")).unwrap(), bytes());
    assert_eq!(std::fs::read(out.join("b.frag.bin")).unwrap(), bytes());
    let file = out.join("one.hex");
    ok(&["asm", a, "--to", "hex", "-o", file.to_str().unwrap()], b"");
    assert_eq!(digits(&std::fs::read_to_string(file).unwrap()), digits(HEX));
}

#[test]
fn usage_and_io_are_status_2() {
    for args in [
        &["asm", "/nonexistent/shader.agal"][..],
        &["frobnicate"],
        &["asm", "--to", "papyrus"],
        &["explain", "nothing-like-this"],
        &["dis", "-", "-"],
        &["check", "--profile", "netscape"],
        &["check", "--rule", "nonsense=1"],
        &["run", "--engine", "jit"],
    ] {
        assert_eq!(vecasm(args, TEXT.as_bytes()).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn what_is_no_program_is_status_1() {
    let output = vecasm(&["dis", "--isa", "agal"], b"\xff\xd8\xff\xe0 a picture");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("AGAL-not-agal"));
}

#[test]
fn a_closed_pipe_is_success() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_vecasm"))
        .arg("explain")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

#[test]
fn colours_are_for_terminals() {
    let plain = ok(&["dis"], bytes());
    assert!(!stdout(&plain).contains('\x1b'));
    let coloured = ok(&["dis", "--color", "always"], bytes());
    assert!(stdout(&coloured).contains('\x1b'));
}

#[test]
fn a_pair_is_linked() {
    let folder = folder("pair", &[]);
    let (vertex, fragment) = (folder.join("a.vert.agal"), folder.join("a.frag.agal"));
    std::fs::write(&vertex, "mov op, va0\nmov v0, va1\n").unwrap();
    std::fs::write(&fragment, "mov oc, v1\n").unwrap();
    let (vertex, fragment) = (vertex.to_str().unwrap(), fragment.to_str().unwrap());
    ok(&["check", vertex], b"");
    ok(&["check", fragment], b"");
    // Order does not matter; the varying that is read and never written is Flash Player error 3632.
    let output = vecasm(&["check", fragment, vertex], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("AGAL3632"), "{}", stdout(&output));
}

#[test]
fn profiles_and_players_differ() {
    let text = b".agal fragment 2\nmov oc, v0\n";
    ok(&["check"], text);
    ok(&["check", "--profile", "standard"], text);
    assert_eq!(vecasm(&["check", "--profile", "baseline"], text).status.code(), Some(1));
    assert_eq!(vecasm(&["check", "--generation", "2013"], text).status.code(), Some(1));
}

#[test]
fn the_examples_are_laid_out() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    assert_eq!(stdout(&ok(&["fmt", "--check", examples], b"")), "");
}

#[test]
fn fmt_checks_and_writes() {
    let file = folder("fmt", &[]).join("a.agal");
    let name = file.to_str().unwrap();
    std::fs::write(&file, "mov   ft0,v1 // keep\nmov oc,ft0").unwrap();
    let output = vecasm(&["fmt", "--check", name], b"");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output), format!("{name}\n"));
    ok(&["fmt", "-w", name], b"");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mov ft0, v1  // keep\nmov oc, ft0\n");
    ok(&["fmt", "--check", name], b"");
}

#[test]
fn run_follows_its_file() {
    let file = folder("run", &[]).join("a.json");
    std::fs::write(
        &file,
        r#"{"constants": {"fc2": [2, 0, 0, 0]}, "inputs": [{"v1": [1, 0.5, "0x80000000", 4]}]}"#,
    )
    .unwrap();
    let name = file.to_str().unwrap();
    let output = ok(&["run", "-i", name], TEXT.as_bytes());
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // (1, 0.5, -0, 4) times 2, as the bits of binary32.
    assert_eq!(
        json["outputs"],
        serde_json::json!([{ "oc": ["0x40000000", "0x3f800000", "0x80000000", "0x41000000"] }])
    );
    assert_eq!(json["killed"], serde_json::json!([false]));
    let hex = ok(&["run", "-i", name, "--format", "hex"], TEXT.as_bytes());
    assert!(stdout(&hex).contains("40000000 3f800000 80000000 41000000"), "{}", stdout(&hex));
}

#[test]
fn a_trace_has_a_line_a_step() {
    let file = folder("trace", &[]).join("a.json");
    std::fs::write(&file, r#"{"constants": {"fc0": [2, 0, 0, 0]}, "inputs": [{"v0": [3, 0, 0, 1]}]}"#)
        .expect("the folder can be written");
    let text = b".agal fragment 1\nmul ft0, v0, fc0.x\nmov oc, ft0\n";
    let name = file.to_str().expect("the name is text");
    let output = ok(&["run", "-i", name, "--trace"], text);
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains(r#""instruction":"mul ft0, v0, fc0.x""#), "{}", lines[0]);
    assert!(
        lines[0].contains(r#""writes":{"ft0.xyzw":{"old":[[0,0,0,0]],"new":[[6,0,0,2]]}}"#),
        "{}",
        lines[0]
    );
}

#[test]
fn random_runs_are_reproducible() {
    let run = |seed: &str| ok(&["run", "--random", "8", "--seed", seed], TEXT.as_bytes()).stdout;
    assert_eq!(run("1"), run("1"));
    assert_ne!(run("1"), run("2"));
    // What they ran on can be kept, and gives the same again.
    let file = folder("random", &[]).join("a.json");
    let name = file.to_str().unwrap();
    ok(&["run", "--random", "8", "--seed", "1", "--show-input", "-o", name], TEXT.as_bytes());
    assert_eq!(ok(&["run", "-i", name], TEXT.as_bytes()).stdout, run("1"));
}

#[test]
fn numerics_choose_the_arithmetic() {
    // sqt(-4) is 2 on the Flash Player, which takes the absolute value, and NaN by IEEE 754.
    let text = b"sqt oc, fc0\n";
    let file = folder("numerics", &[]).join("a.json");
    std::fs::write(&file, r#"{"constants": {"fc0": [-4, 4, 1, 0]}}"#).unwrap();
    let lane = |numerics: &str| {
        let args = ["run", "-i", file.to_str().unwrap(), "--numerics", numerics, "--stage", "fragment"];
        let json: serde_json::Value = serde_json::from_slice(&ok(&args, text).stdout).unwrap();
        json["outputs"][0]["oc"][0].as_str().unwrap().to_string()
    };
    assert_eq!(lane("flash"), "0x40000000");
    assert_eq!(lane("ieee"), "0x7fc00000");
}

#[test]
fn info_describes() {
    let json: serde_json::Value = serde_json::from_slice(&ok(&["info"], bytes()).stdout).unwrap();
    assert_eq!(json["stage"], "fragment");
    assert_eq!(json["registers"]["constants"], serde_json::json!({ "2": "x" }));
    assert_eq!(json["opcodes"], serde_json::json!({ "mov": 1, "mul": 1 }));
    assert_eq!(json["interface"]["inputs"][0]["name"], "v1");
}

#[test]
fn explain_and_formats_read_the_tables() {
    assert!(stdout(&ok(&["explain", "m44"], b"")).contains("0x18"));
    assert!(stdout(&ok(&["explain", "3646"], b"")).contains("AGAL3646"));
    assert!(stdout(&ok(&["explain", "WGSL-type"], b"")).contains("64-bit"));
    assert!(stdout(&ok(&["explain"], b"")).contains("WGSL-offset"));
    let near = vecasm(&["explain", "mow"], b"");
    assert!(stderr(&near).contains("did you mean `mov`"));
    let json: serde_json::Value =
        serde_json::from_slice(&ok(&["formats", "--format", "json"], b"").stdout).unwrap();
    assert_eq!(json["isas"][0]["name"], "agal");
    // What is told and not read, and what of a container is written.
    let listed = |key: &str, field: &str, word: &str, other: &str| {
        let rows = json[key].as_array().unwrap();
        rows.iter().any(|row| row[field] == word && row.to_string().contains(other))
    };
    assert!(listed("recognized", "title", "a RAR archive", "`unrar x`"));
    assert!(listed("recognized", "title", "GLSL", "`to glsl`"));
    assert!(!listed("recognized", "title", "a zip archive", ""));
    assert!(listed("containers", "name", "xbe", "programs of the same size"));
    assert!(listed("isas", "name", "nv2a", "xvu"));
    let table = ok(&["formats"], b"");
    assert!(stdout(&table).contains("\n  a RAR archive: unpack it first, with `unrar x`\n"));
    let verbs = json["verbs"].as_array().unwrap();
    for verb in ["asm", "dis", "check"] {
        assert!(verbs.contains(&verb.into()));
    }
}

#[test]
fn version_flags_do_not_clash() {
    assert!(stdout(&ok(&["--version"], b"")).starts_with("vecasm "));
    assert!(stdout(&ok(&["-V"], b"")).starts_with("vecasm "));
}

#[test]
fn completions_of_every_shell_know_every_verb() {
    let formats: serde_json::Value =
        serde_json::from_slice(&ok(&["formats", "--format", "json"], b"").stdout).unwrap();
    let verbs: Vec<&str> = formats["verbs"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
    assert!(verbs.contains(&"asm") && verbs.contains(&"completions"), "{verbs:?}");
    // How each shell is told what completes the command.
    for (shell, registered) in [
        ("bash", "-o bashdefault -o default vecasm"),
        ("zsh", "#compdef vecasm"),
        ("fish", "complete -c vecasm"),
        ("powershell", "-CommandName 'vecasm'"),
        ("elvish", "edit:completion:arg-completer[vecasm]"),
    ] {
        let output = ok(&["completions", shell], b"");
        let script = stdout(&output);
        assert!(script.contains(registered), "{shell}:\n{script}");
        let words: Vec<&str> = script.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        for verb in &verbs {
            assert!(words.contains(verb), "{shell} does not know {verb}");
        }
        assert!(script.contains("message-format"), "{shell} does not know the flags of every verb");
    }
    assert_eq!(vecasm(&["completions", "tcsh"], b"").status.code(), Some(2));
}

#[test]
fn check_says_what_the_player_says_about_any_bytes() {
    // Nothing at all is Flash Player error 3615, too little of a program as well, a wrong magic byte 3616.
    let ids = |bytes: &[u8]| {
        let output = vecasm(&["check", "--isa", "agal", "--from", "bin", "--message-format", "json"], bytes);
        assert_eq!(output.status.code(), Some(1));
        let first = stdout(&output).lines().next().unwrap().to_string();
        serde_json::from_str::<serde_json::Value>(&first).unwrap()["id"].as_str().unwrap().to_string()
    };
    assert_eq!(ids(b""), "AGAL3615");
    assert_eq!(ids(&bytes()[..20]), "AGAL3615");
    let mut wrong = bytes();
    wrong[0] = 0x12;
    assert_eq!(ids(&wrong), "AGAL3616");
}

#[test]
fn dis_lists_several_inputs_one_after_another() {
    let folder = folder("dis-several", &[]);
    let (a, b) = (folder.join("a.bin"), folder.join("b.bin"));
    std::fs::write(&a, bytes()).unwrap();
    std::fs::write(&b, bytes()).unwrap();
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let one = ok(&["dis", a], b"");
    let both = ok(&["dis", a, b], b"");
    assert_eq!(stdout(&both), format!("// {a}\n{0}// {b}\n{0}", stdout(&one)));
}

/// A vertex and a fragment program in files.
fn pair(name: &str) -> (PathBuf, String, String) {
    let folder = folder(name, &[]);
    let (vertex, fragment) = (folder.join("a.vert.agal"), folder.join("a.frag.agal"));
    std::fs::write(&vertex, "mov op, va0\nmov v0, va1\n").unwrap();
    std::fs::write(&fragment, "tex ft0, v0, fs2 <2d,linear,mipnone,repeat>\nmul oc, ft0, fc1\n").unwrap();
    let name = |path: PathBuf| path.to_str().unwrap().to_string();
    (folder, name(vertex), name(fragment))
}

#[test]
fn a_pair_becomes_one_module() {
    let (folder, vertex, fragment) = pair("to-wgsl");
    let layout = folder.join("layout.json");
    let output = ok(
        &[
            "to",
            "wgsl",
            &fragment,
            &vertex,
            "--entry",
            "vertex=vs",
            "--group",
            "fragment=3",
            "--textures",
            "7",
            "--rename",
            "fs2=wood",
            "--comments",
            "source",
            "--layout",
            layout.to_str().unwrap(),
        ],
        b"",
    );
    let text = stdout(&output);
    for wanted in ["fn vs(", "@group(3) @binding(7) var wood", "@fragment", "// mul oc, ft0, fc1"] {
        // Slot 2 is two behind the first texture.
        let wanted = wanted.replace("binding(7)", "binding(9)");
        assert!(text.contains(&wanted), "{wanted}: {text}");
    }
    let layout: serde_json::Value = serde_json::from_slice(&std::fs::read(layout).unwrap()).unwrap();
    let texture = layout["bindings"].as_array().unwrap().iter().find(|b| b["kind"] == "texture").unwrap();
    assert_eq!((&texture["group"], &texture["binding"], &texture["slot"]), (&3.into(), &9.into(), &2.into()));
    assert!(stdout(&ok(&["to", "ir", &vertex], b"")).starts_with("vertex agal"));
    assert_eq!(vecasm(&["to", "wgsl", "--group", "pixel=1", &vertex], b"").status.code(), Some(2));
}

/// The target's own product, without a look at zeros, is what `fast` is for; every instruction set takes the word.
#[test]
fn fast_numerics_are_those_of_the_target() {
    let text = b"ps_2_0\ndcl t0\nmul r0, t0, c0\nmov oC0, r0\n";
    let to = |more: &[&str]| {
        let flags = ["to", "glsl", "-", "--isa", "d3d9"];
        stdout(&ok(&[&flags[..], more].concat(), text)).to_string()
    };
    let fast = to(&["--numerics", "fast"]);
    assert!(fast.contains("texcoord * c[0]") && !fast.contains("zero_wins"), "{fast}");
    assert_eq!(fast, to(&["--numerics", "ieee"]));
    assert!(to(&[]).contains("mul_zero_wins"));
    for (isa, text) in [
        ("agal", &b"mov oc, v0\n"[..]),
        ("nv2a", b"mov oPos, v0\n"),
        ("tgsi", b"FRAG\nDCL OUT[0], COLOR\nMOV OUT[0], OUT[0]\nEND\n"),
    ] {
        let stage = if isa == "agal" { &["--stage", "fragment"][..] } else { &[] };
        ok(&[&["to", "glsl", "-", "--isa", isa, "--numerics", "fast"], stage].concat(), text);
    }
}

#[test]
fn a_pair_becomes_two_texts_of_glsl() {
    let (folder, vertex, fragment) = pair("to-glsl");
    let layout = folder.join("layout.json");
    let flags = ["--glsl-version", "300es", "--rename", "fs2=wood", "--comments", "source", "--layout"];
    let output = ok(&[&["to", "glsl", &fragment], &flags[..], &[layout.to_str().unwrap()]].concat(), b"");
    let text = stdout(&output);
    for wanted in
        ["#version 300 es\n", "uniform highp sampler2D wood;", "in vec4 varying_0;", "// mul oc, ft0, fc1"]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    // In the plain style each instruction of the fragment program has its own statement.
    let plain = ok(&["to", "glsl", "--style", "plain", &fragment], b"");
    let folded = ok(&["to", "glsl", &fragment], b"");
    assert!(stdout(&plain).lines().count() > stdout(&folded).lines().count(), "{}", stdout(&plain));
    let layout: serde_json::Value = serde_json::from_slice(&std::fs::read(layout).unwrap()).unwrap();
    let texture = layout["bindings"].as_array().unwrap().iter().find(|b| b["kind"] == "combined").unwrap();
    assert_eq!((&texture["name"], &texture["slot"]), (&"wood".into(), &2.into()));
    let out = folder.join("out");
    ok(&["to", "glsl", &vertex, &fragment, "-o", &format!("{}/", out.display())], b"");
    let written: Vec<_> = std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(written.len(), 2, "{written:?}");
    for wrong in [&["--glsl-version", "300"][..], &["--compute"], &["--flip-y"]] {
        assert_eq!(
            vecasm(&[&["to", "glsl", &fragment], wrong].concat(), b"").status.code(),
            Some(2),
            "{wrong:?}"
        );
    }
    assert_eq!(vecasm(&["to", "wgsl", "--zero-to-one", &vertex], b"").status.code(), Some(2));
}

#[test]
fn constants_and_states_of_spirv_are_pushed_given_or_specialized() {
    let (folder, vertex, fragment) = pair("to-spirv");
    let (layout, out) = (folder.join("layout.json"), folder.join("out.spv"));
    let (layout, out) = (layout.to_str().unwrap(), out.to_str().unwrap());
    let nv2a = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/nv2a/mist.vsh");
    ok(&["to", "spirv", "--spec-states", "7", "--layout", layout, "-o", out, nv2a], b"");
    let told: serde_json::Value = serde_json::from_slice(&std::fs::read(layout).unwrap()).unwrap();
    let specs = told["specialization"].as_array().unwrap();
    let specs: Vec<_> =
        specs.iter().map(|s| (s["id"].as_u64().unwrap(), s["name"].as_str().unwrap())).collect();
    // Four for each state, of which surface has two lanes and clip-max one.
    assert_eq!(specs, [(7, "surface"), (8, "surface"), (11, "clip-max")]);
    // Strings stand in words as they are, the lowest byte first.
    let module = |flags: &[&str]| {
        ok(&[&["to", "spirv", "-o", out, &fragment], flags].concat(), b"");
        std::fs::read(out).unwrap()
    };
    let has = |module: &[u8], text: &str| module.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has(&module(&["--debug-source"]), "mul oc, ft0, fc1"));
    assert!(!has(&module(&[]), "mul oc, ft0, fc1"));
    // OpConstant of 0.625, which the program does not have.
    let value = 0.625f32.to_le_bytes();
    let constant = |module: &[u8]| module.chunks(4).any(|word| word == value);
    assert!(constant(&module(&["--inline", "fc1=0.625,0.625,0.625,0.625"])) && !constant(&module(&[])));
    // Capability DenormPreserve (4464).
    let asks = |module: &[u8]| module.windows(8).any(|w| w == [17, 0, 2, 0, 112, 17, 0, 0]);
    assert!(asks(&module(&["--float-controls", "--environment", "vulkan1.2"])) && !asks(&module(&[])));
    for wrong in [&["--inline", "fc99=1"][..], &["--inline", "fc1"], &["--spec-states", "x"]] {
        let output = vecasm(&[&["to", "spirv", &vertex, "-o", out], wrong].concat(), b"");
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_pair_becomes_two_texts_of_hlsl() {
    let (folder, vertex, fragment) = pair("to-hlsl");
    let layout = folder.join("layout.json");
    let flags = [
        "--shader-model",
        "5.1",
        "--register-space",
        "3",
        "--rename",
        "fs2=wood",
        "--comments",
        "source",
        "--layout",
    ];
    let output = ok(&[&["to", "hlsl", &fragment], &flags[..], &[layout.to_str().unwrap()]].concat(), b"");
    let text = stdout(&output);
    for wanted in [
        "Texture2D<float4> wood : register(t2, space3);",
        "SamplerState wood_sampler : register(s2, space3);",
        ": TEXCOORD0;",
        "float4 main(PixelInput input) : SV_Target0 {",
        "// mul oc, ft0, fc1",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let layout: serde_json::Value = serde_json::from_slice(&std::fs::read(layout).unwrap()).unwrap();
    let texture = layout["bindings"].as_array().unwrap().iter().find(|b| b["kind"] == "texture").unwrap();
    assert_eq!((&texture["register"], &texture["space"]), (&"t2".into(), &3.into()));
    let out = folder.join("out");
    ok(&["to", "hlsl", &vertex, &fragment, "-o", &format!("{}/", out.display())], b"");
    let written: Vec<_> = std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(written.len(), 2, "{written:?}");
    for wrong in [&["--shader-model", "7.0"][..], &["--register-space", "1"], &["--compute"]] {
        assert_eq!(
            vecasm(&[&["to", "hlsl", &fragment], wrong].concat(), b"").status.code(),
            Some(2),
            "{wrong:?}"
        );
    }
}

#[test]
fn a_pair_becomes_two_texts_of_msl() {
    let (folder, vertex, fragment) = pair("to-msl");
    let layout = folder.join("layout.json");
    let flags =
        ["--msl-version", "2.0", "--rename", "fs2=wood", "--comments", "source", "--entry", "fragment=fs"];
    let more = ["--textures", "4", "--layout", layout.to_str().unwrap()];
    let written = ok(&[&["to", "msl", &fragment], &flags[..], &more].concat(), b"");
    let text = stdout(&written);
    for wanted in
        ["// Metal 2.0", "texture2d<float> wood [[texture(6)]]", "fragment float4 fs(", "// mul oc, ft0, fc1"]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let layout: serde_json::Value = serde_json::from_slice(&std::fs::read(layout).unwrap()).unwrap();
    let texture = layout["bindings"].as_array().unwrap().iter().find(|b| b["kind"] == "texture").unwrap();
    assert_eq!(
        (&texture["name"], &texture["index"], &layout["entry"]),
        (&"wood".into(), &6.into(), &"fs".into())
    );
    let out = folder.join("out");
    ok(&["to", "msl", &vertex, &fragment, "-o", &format!("{}/", out.display())], b"");
    let written: Vec<_> = std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(written.len() == 2 && written.iter().all(|path| path.extension().unwrap() == "metal"));
    for wrong in [&["--msl-version", "3.0"][..], &["--group", "1"], &["--samplers", "16"]] {
        let status = vecasm(&[&["to", "msl", &fragment], wrong].concat(), b"").status.code();
        assert_eq!(status, Some(2), "{wrong:?}");
    }
}

#[test]
fn a_pair_without_a_scene_is_drawn() {
    let (folder, vertex, fragment) = pair("render");
    let file = folder.join("a.png");
    let args = [
        "render",
        &vertex,
        &fragment,
        "--size",
        "8x6",
        "--texture",
        "fs2=solid",
        "--constant",
        "fc1=[0, 1, 0, 1]",
        "-o",
        file.to_str().unwrap(),
    ];
    ok(&args, b"");
    let mut reader =
        png::Decoder::new(std::io::Cursor::new(std::fs::read(&file).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (8, 6));
    // White times green, everywhere: the mesh covers the view.
    assert!(pixels.chunks_exact(4).all(|p| p == [0, 255, 0, 255]), "{:?}", &pixels[..4]);
}

#[test]
fn a_bad_program_in_a_scene_is_status_1() {
    let folder = folder("scene", &[]);
    let scene = folder.join("a.scene.json");
    std::fs::write(folder.join("a.frag.agal"), "mov oc v0, v0\n").unwrap();
    std::fs::write(&scene, r#"{"vertex": ["mov op, va0"], "fragment": "a.frag.agal", "mesh": "quad"}"#)
        .unwrap();
    let output = vecasm(&["render", scene.to_str().unwrap(), "--message-format", "short"], b"");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("a.frag.agal:1:"), "{}", stderr(&output));
    std::fs::write(&scene, r#"{"vertex": ["mov op, va0"], "mesh": "quad"}"#).unwrap();
    assert_eq!(vecasm(&["render", scene.to_str().unwrap()], b"").status.code(), Some(2));
}

#[test]
fn the_tour_takes_a_folder_to_a_page() {
    let (folder, _, _) = pair("tour");
    let scene = r#"{"title": "A & B", "size": [16, 12], "vertex": "a.vert.agal", "fragment": "a.frag.agal",
        "mesh": "quad", "constants": {"fc1": 1}, "textures": {"fs2": "solid"}}"#;
    std::fs::write(folder.join("a.scene.json"), scene).unwrap();
    std::fs::create_dir_all(folder.join("bad")).unwrap();
    std::fs::write(folder.join("bad/b.frag.agal"), "mov ft0, oc\nmov oc, ft0\n").unwrap();
    let out = folder.join("out");
    let output = ok(&["tour", "--examples", folder.to_str().unwrap(), "-o", out.to_str().unwrap()], b"");
    assert!(stderr(&output).contains("[ 1/3] a"), "{}", stderr(&output));
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    for wanted in ["A &amp; B", "src=\"a.png\"", "AGAL3646", "vertex_main"] {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert!(out.join("a.png").is_file());
}

#[test]
fn the_tour_carries_its_examples() {
    // In a folder without examples, as anywhere outside a checkout. All of it takes minutes in a build for tests, so it is
    // stopped when it comes to the first scene.
    let here = folder("tour-installed", &[]);
    std::fs::create_dir_all(here.join("vecasm-tour/examples")).unwrap();
    std::fs::write(here.join("vecasm-tour/examples/README.md"), "mine\n").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_vecasm"))
        .arg("tour")
        .current_dir(&here)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    std::io::BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.ends_with("] anemone\n"), "{line}");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut compared = 0;
    let mut folders = vec![examples.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&examples).unwrap();
            if path.is_dir() {
                folders.push(path);
            } else if name != Path::new("README.md") {
                let carried = std::fs::read(here.join("vecasm-tour/examples").join(name)).unwrap();
                assert_eq!(carried, std::fs::read(&path).unwrap(), "{}", name.display());
                compared += 1;
            }
        }
    }
    assert!(compared > 100);
    // A file that was there is kept.
    let kept = std::fs::read_to_string(here.join("vecasm-tour/examples/README.md")).unwrap();
    assert_eq!(kept, "mine\n");
}

#[test]
fn a_pair_can_be_forced_into_its_slots() {
    // Two vertex programs: alone they are fine, as an upload they are Flash Player error 3630.
    let folder = folder("slots", &[]);
    let file = folder.join("a.vert.agal");
    std::fs::write(&file, "mov op, va0\n").unwrap();
    let name = file.to_str().unwrap();
    ok(&["check", name, name], b"");
    let output = vecasm(&["check", "--pair", name, name], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("AGAL3630"), "{}", stdout(&output));
    assert_eq!(vecasm(&["check", "--pair", name], b"").status.code(), Some(2));
}

#[test]
fn the_examples_are_good_and_the_bad_ones_are_not() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/agal");
    let files = |folder: &Path| {
        let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut out: Vec<String> = all.filter_map(|path| path.to_str().map(str::to_string)).collect();
        out.retain(|name| name.ends_with(".agal"));
        out.sort();
        out
    };
    let good = files(&folder);
    assert!(good.len() > 20);
    for name in &good {
        ok(&["check", name], b"");
    }
    let bad = files(&folder.join("bad"));
    assert!(!bad.is_empty());
    for name in &bad {
        let stem = name.split(".vert.").next().unwrap().split(".frag.").next().unwrap();
        let together: Vec<&str> = bad.iter().map(String::as_str).filter(|n| n.starts_with(stem)).collect();
        let output = vecasm(&[&["check"], together.as_slice()].concat(), b"");
        assert_eq!(output.status.code(), Some(1), "{together:?}");
    }
}

#[test]
fn flags_of_to_that_cannot_be_followed_are_status_2() {
    let to = |args: &[&str]| vecasm(&[&["to", "wgsl"], args].concat(), TEXT.as_bytes());
    assert_eq!(to(&["--rename", "fc2=2nd"]).status.code(), Some(2));
    assert_eq!(to(&["--entry", "fn main"]).status.code(), Some(2));
    assert_eq!(to(&["--rename", "fc=tint"]).status.code(), Some(0));
}

#[test]
fn a_layout_goes_where_it_is_asked_for() {
    let dir = folder(
        "layouts",
        &[
            ("v.bin", &ok(&["asm"], ".agal vertex 1\nm44 op, va0, vc0\nmov v0, va1\n").stdout),
            ("f.bin", &ok(&["asm"], ".agal fragment 1\nmul oc, v0, fc0\n").stdout),
        ],
    );
    let path = |name: &str| dir.join(name).display().to_string();
    let (v, f) = (path("v.bin"), path("f.bin"));
    let bindings = |text: &[u8]| {
        let layout: serde_json::Value = serde_json::from_slice(text).unwrap();
        layout["bindings"].as_array().unwrap().len()
    };
    // Standard output.
    let output = ok(&["to", "wgsl", &v, &f, "-o", &path("o.wgsl"), "--layout", "-"], "");
    assert_eq!(bindings(&output.stdout), 2);
    assert!(!Path::new("-").exists());
    let output = vecasm(&["to", "wgsl", &v, &f, "--layout", "-"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty() && stderr(&output).contains("standard output"), "{}", stderr(&output));
    // A place that is none: no result either.
    let (result, nowhere) = (path("none.wgsl"), path("none/x.json"));
    let output = vecasm(&["to", "wgsl", &v, "-o", &result, "--layout", &nowhere], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(!dir.join("none.wgsl").exists());
    let output = vecasm(&["to", "wgsl", &v, "--layout", &nowhere], "");
    assert!(output.stdout.is_empty(), "{}", stdout(&output));
    // Several results have one each, in a folder.
    let to = path("out/");
    let args = ["to", "glsl", &v, &f, "-o", &to, "--layout"];
    ok(&[&args[..], &[&to]].concat(), "");
    for name in ["v.glsl.json", "f.glsl.json"] {
        assert_eq!(bindings(&std::fs::read(dir.join("out").join(name)).unwrap()), 1, "{name}");
    }
    let output = vecasm(&[&args[..], &[&path("one.json")]].concat(), "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--layout DIR/"), "{}", stderr(&output));
}

#[test]
fn stages_of_glsl_link_with_bindings_of_their_own() {
    let dir = folder(
        "glsl-pair",
        &[
            ("v.bin", &ok(&["asm"], ".agal vertex 1\nm44 op, va0, vc0\nmov v0, va1\n").stdout),
            ("f.bin", &ok(&["asm"], ".agal fragment 1\ntex ft0, v0, fs0 <2d>\nmul oc, ft0, fc0\n").stdout),
        ],
    );
    let path = |name: &str| dir.join(name).display().to_string();
    let (v, f, to) = (path("v.bin"), path("f.bin"), path("out/"));
    ok(&["to", "glsl", &v, &f, "-o", &to], "");
    let read = |name: &str| std::fs::read_to_string(dir.join("out").join(name)).unwrap();
    // Stages in the order fragment, vertex: 8 blocks each.
    assert!(read("f.glsl").contains("layout(std140, binding = 0) uniform Fragment_fc"), "{}", read("f.glsl"));
    assert!(read("v.glsl").contains("layout(std140, binding = 8) uniform Vertex_vc"), "{}", read("v.glsl"));
    for (name, stage) in [("v.glsl", "vert"), ("f.glsl", "frag")] {
        std::fs::copy(dir.join("out").join(name), dir.join(format!("p.{stage}"))).unwrap();
    }
    let linker =
        Command::new("glslangValidator").arg("-l").arg(dir.join("p.vert")).arg(dir.join("p.frag")).output();
    if let Ok(linker) = linker {
        assert!(linker.status.success(), "{}", String::from_utf8_lossy(&linker.stdout));
    }
    // Flags, as for the other targets.
    let flags = ["--constants", "vertex=3", "--textures", "5"];
    ok(&[&["to", "glsl", &v, &f, "-o", &to][..], &flags].concat(), "");
    assert!(read("v.glsl").contains("binding = 3) uniform Vertex_vc"), "{}", read("v.glsl"));
    assert!(read("f.glsl").contains("layout(binding = 5) uniform sampler2D"), "{}", read("f.glsl"));
    let output = vecasm(&["to", "glsl", "--glsl-version", "330", "--constants", "1", &v], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("has no bindings"), "{}", stderr(&output));
}

#[test]
fn states_are_in_their_ranges() {
    let text = "ps_1_1\ntex t0\nmov r0, t0\n";
    let refused = |args: &[&str], said: &[&str]| {
        let output = vecasm(&[&["to", "wgsl"], args].concat(), text);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        for said in said {
            assert!(stderr(&output).contains(said), "{args:?}: {}", stderr(&output));
        }
    };
    // docs/d3d9-state.md: 0 1d, 1 2d, 2 3d, 3 cube.
    for value in ["9", "-1", "0.5", "2d-array", "1,1"] {
        refused(&["--state", &format!("texture-kind-0={value}")], &["texture-kind-0"]);
    }
    refused(&["--state", "texture-kind-0=9"], &["0 (1d), 1 (2d), 2 (3d), 3 (cube)"]);
    refused(&["--state", "texture-kind-7=2"], &["no such state value", "texture-kind-0"]);
    let fog = &["--pipeline", "alpha-test", "--state"];
    refused(&[&fog[..], &["alpha-func=-2"]].concat(), &["whole numbers"]);
    let cube = ok(&["to", "wgsl", "--state", "texture-kind-0=3"], text);
    assert!(stdout(&cube).contains("texture_cube"), "{}", stdout(&cube));
}

#[test]
fn translations_of_pairs_that_do_not_link_say_so() {
    let dir = folder(
        "to-pair",
        &[
            ("v.bin", &ok(&["asm"], "vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0\n").stdout),
            ("f.bin", &ok(&["asm"], "ps_1_1\nmov r0, c0\n").stdout),
            ("av.bin", &ok(&["asm"], ".agal vertex 1\nmov op, va0\nmov v0, va1\n").stdout),
            ("af.bin", &ok(&["asm"], ".agal fragment 1\nadd ft0, v1, v2\nadd oc, ft0, v3\n").stdout),
        ],
    );
    let path = |name: &str| dir.join(name).display().to_string();
    let output = ok(&["to", "wgsl", &path("v.bin"), &path("f.bin")], "");
    let said = stderr(&output);
    assert!(said.contains("warning[D3D9-link-models]: vs_3_0 and ps_1_1 cannot be used together"), "{said}");
    let output = vecasm(&["to", "wgsl", &path("av.bin"), &path("af.bin")], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("the fragment shader reads v1, v2, v3, which"), "{}", stderr(&output));
}

/// `--json` is each verb's JSON, where it has one, an object a line.
#[test]
fn json_is_asked_for_in_one_way() {
    let dir = folder(
        "one-json",
        &[("a.agal", b".agal fragment 1\nmov oc, v0\n"), ("b.agal", b".agal fragment 1\nadd oc, v0, v0\n")],
    );
    let path = |name: &str| dir.join(name).display().to_string();
    let (a, b, png) = (path("a.agal"), path("b.agal"), path("a.png"));
    ok(&["render", &a, "--size", "8x8", "-o", &png], "");
    for (args, status, key) in [
        (&["diff", &a, &a][..], 0, "same"),
        (&["diff", &a, &b], 1, "rows"),
        (&["eqv", &a, &a], 0, "verdict"),
        (&["eqv", &a, &b, "-o", &path("eqv.png")], 1, "verdict"),
        (&["why", &a, "--random", "1"], 0, "findings"),
        (&["info", &a], 0, "sha256"),
        (&["check", &a], 0, "verdict"),
        (&["explain", "AGAL3646", "mov"], 0, "kind"),
        (&["explain"], 0, "kind"),
        (&["formats"], 0, "isas"),
        (&["render", &a, "--size", "8x8", "--heatmap", "instructions"], 0, "measure"),
        (&["render", &a, "--size", "8x8", "--pixel", "1,1"], 0, "pixel"),
        (&["render", &a, "--size", "8x8", "--against", &png], 0, "psnr"),
    ] {
        let args = [args, &["--json"]].concat();
        let output = vecasm(&args, "");
        assert_eq!(output.status.code(), Some(status), "{args:?}: {}", stderr(&output));
        assert!(!output.stdout.is_empty(), "{args:?}");
        for line in stdout(&output).lines() {
            let value: Result<serde_json::Value, _> = serde_json::from_str(line);
            assert!(value.is_ok_and(|value| value.get(key).is_some()), "{args:?}: {line}");
        }
    }
}

#[test]
fn arrays_have_no_names_that_are_words_of_their_language() {
    let text = ".agal fragment 1\nmov oc, v0\n";
    for (to, name, declared) in [
        ("c", "int", "static const unsigned char shader_int[31]"),
        ("c", "INT", "static const unsigned char shader_int[31]"),
        ("c", "class", "static const unsigned char shader_class[31]"),
        ("c", "water", "static const unsigned char water[31]"),
        ("rust", "int", "pub const INT: [u8; 31]"),
        ("as3", "function", "public static function shader_function():ByteArray"),
    ] {
        let output = ok(&["asm", "--to", to, "--name", name], text);
        assert!(stdout(&output).contains(declared), "{to} {name}: {}", stdout(&output));
    }
    let dir = folder("word-names", &[("int.agal", text.as_bytes())]);
    let output = ok(&["asm", "--to", "c", &dir.join("int.agal").display().to_string()], "");
    assert!(stdout(&output).contains("shader_int[31]"));
}

#[test]
fn utf_16_needs_no_mark_and_broken_json_is_named() {
    let text = "; a light\nmov oPos, v0\nmov oD0, v1\n";
    let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let plain = ok(&["asm", "--to", "hex", "--isa", "nv2a"], text).stdout;
    for bytes in [&le, &be] {
        assert_eq!(ok(&["asm", "--to", "hex"], bytes).stdout, plain);
        assert_eq!(ok(&["asm", "--to", "hex", "--isa", "nv2a"], bytes).stdout, plain);
    }
    let dir = folder(
        "bare-utf16",
        &[("a.vsh", &le), ("b.json", b"[[[["), ("c.json", b"{\"size\":[1,2"), ("d.txt", b"[[[[")],
    );
    let path = |name: &str| dir.join(name).display().to_string();
    ok(&["fmt", "-w", &path("a.vsh")], "");
    assert!(std::fs::read(dir.join("a.vsh")).unwrap().starts_with(b";\0 \0a\0"));
    for (name, words) in [
        ("b.json", "invalid JSON: EOF"),
        ("c.json", "invalid JSON: EOF"),
        ("d.txt", "unknown instruction set"),
    ] {
        let output = vecasm(&["check", &path(name)], "");
        assert!(stderr(&output).contains(words), "{name}: {}", stderr(&output));
    }
}
