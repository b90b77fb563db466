//! What somebody types who does not know the verbs yet: wrong words, flags for something else, files of the wrong kind.

use super::{folder, ok, stderr, stdout, vecasm};
use serde_json::Value;

const PIXEL: &str = "ps_2_0\ndcl t0\nmov oC0, t0\n";
const TGSI: &str =
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n  0: MOV OUT[0], IN[0]\n  1: END\n";

/// Runs, and expects a usage error that says all of these.
fn refused(args: &[&str], stdin: &str, says: &[&str]) {
    let output = vecasm(args, stdin);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
    for part in says {
        assert!(stderr(&output).contains(part), "{args:?} does not say {part}: {}", stderr(&output));
    }
}

#[test]
fn profiles_are_for_programs_of_their_instruction_set() {
    for (flags, stdin, says) in [
        (&["--profile", "virgl"][..], PIXEL, "--profile virgl is for tgsi, and this is d3d9"),
        (&["--profile", "d3d8"], TGSI, "--profile d3d8 is for d3d9, and this is tgsi"),
        (&["--profile", "flash:baseline"], TGSI, "is for agal"),
        (&["--generation", "2013"], PIXEL, "--generation is for agal"),
        (&["--profile", "xdk"], ".agal fragment 1\nmov oc, v0\n", "is for nv2a"),
    ] {
        refused(&[&["check"], flags].concat(), stdin, &[says]);
    }
    // Of several, those of the instruction set are asked.
    let dir = folder("steps-profiles", &[("a.psh", PIXEL.as_bytes()), ("b.tgsi", TGSI.as_bytes())]);
    let path = |name: &str| dir.join(name).display().to_string();
    ok(&["check", "--profile", "virgl", &dir.display().to_string()], "");
    refused(
        &["check", "--profile", "xdk", &path("a.psh"), &path("b.tgsi")],
        "",
        &["--profile xdk is for nv2a"],
    );
}

#[test]
fn an_unknown_profile_lists_those_of_the_instruction_set() {
    let dir = folder("steps-profile", &[("a.psh", PIXEL.as_bytes())]);
    let file = dir.join("a.psh").display().to_string();
    let said = |profile: &str| stderr(&vecasm(&["check", "--profile", profile, &file], "")).to_string();
    let nv2a = said("nv2a");
    assert!(nv2a.contains("did you mean `nv2a-hw`?") && nv2a.contains("encodable, nv2a-hw, xdk"), "{nv2a}");
    assert!(!nv2a.contains("mojoshader"), "{nv2a}");
    let mojo = said("mojoshadr");
    assert!(mojo.contains("did you mean `mojoshader`?") && !mojo.contains("baseline"), "{mojo}");
}

#[test]
fn a_target_in_the_place_of_a_verb_is_explained() {
    refused(&["hlsl", "m.pso"], "", &["vecasm to hlsl"]);
    refused(&["SPIRV", "m.pso"], "", &["vecasm to spirv"]);
    assert_eq!(ok(&["to", "HLSL"], PIXEL).stdout, ok(&["to", "hlsl"], PIXEL).stdout);
}

#[test]
fn text_and_bytecode_are_told_apart() {
    let bytes = ok(&["asm"], PIXEL).stdout;
    let other = ok(&["asm"], "ps_2_0\ndcl t1\ndcl_2d s0\ntexld r0, t1, s0\nmov oC0, r0\n").stdout;
    let listing = ok(&["dis", "--dialect", "listing"], &bytes).stdout;
    let dir = folder("steps-kinds", &[("a.pso", &bytes), ("b.pso", &other), ("a.txt", &listing)]);
    let path = |name: &str| dir.join(name).display().to_string();
    let (a, b, text) = (path("a.pso"), path("b.pso"), path("a.txt"));
    refused(&["fmt", &a], "", &["this is bytecode (d3d9)", "vecasm dis"]);
    refused(&["asm", &a, "--like", &text], "", &["is bytecode", "swap them"]);
    let right = ok(&["asm", &text, "--like", &a], "");
    assert_eq!((right.stdout.as_slice(), stderr(&right)), (bytes.as_slice(), ""));
    let wrong = ok(&["asm", &text, "--like", &b], "");
    assert!(stderr(&wrong).contains("no instruction of the text is one of"), "{}", stderr(&wrong));
}

#[test]
fn the_ending_of_a_result_chooses_its_notation() {
    let dir = folder("steps-endings", &[]);
    for (ending, format) in [
        ("inl", "inl"),
        ("h", "c"),
        ("rs", "rust"),
        ("hex", "hex"),
        ("b64", "base64"),
        ("json", "json"),
        ("pso", "bin"),
    ] {
        let file = dir.join(format!("x.{ending}"));
        ok(&["asm", "--name", "x", "-o", file.to_str().unwrap()], PIXEL);
        let asked = ok(&["asm", "--name", "x", "--to", format], PIXEL).stdout;
        assert_eq!(std::fs::read(&file).unwrap(), asked, "{ending}");
        // What is said counts more.
        ok(&["asm", "--to", "bin", "-o", file.to_str().unwrap()], PIXEL);
        assert_eq!(std::fs::read(&file).unwrap(), ok(&["asm"], PIXEL).stdout, "{ending}");
    }
    let file = dir.join("up.hex").display().to_string();
    ok(&["to", "--upgrade", "d3d9", "-", "-o", &file], "ps_1_1\ntex t0\nmov r0, t0\n");
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("ffff0101"));
}

#[test]
fn render_of_a_folder_names_the_sheet() {
    let dir = folder("steps-sheet", &[("a.psh", PIXEL.as_bytes())]);
    refused(&["render", &dir.display().to_string()], "", &["is a folder", "--sheet"]);
}

#[test]
fn programs_that_the_original_refuses_are_pointed_out() {
    // r2 has no value: D3D9-uninitialized.
    let bad = "ps_2_0\nmov oC0, r2\n";
    let why = vecasm(&["check", "--message-format", "short"], bad);
    assert_eq!(why.status.code(), Some(1));
    for verb in [&["to", "hlsl"][..], &["run", "--random", "1"], &["render", "--size", "4x4", "-"]] {
        let output = ok(verb, bad);
        let said = stderr(&output);
        let line = said.lines().find(|line| line.contains("the original runtime refuses this program"));
        let id = line.and_then(|line| line.split(['(', ')']).nth(1)).unwrap_or_default();
        assert!(id.starts_with("D3D9-") && stdout(&why).contains(id), "{verb:?}: {said}");
        assert_eq!(stderr(&ok(verb, PIXEL)).matches("refuses").count(), 0, "{verb:?}");
    }
}

#[test]
fn records_of_info_begin_as_those_of_check() {
    let twice = TGSI.to_string() + TGSI;
    for stdin in
        [PIXEL, TGSI, &twice, "!!VP1.0\nMOV o[HPOS], v[OPOS];\nEND\n", ".agal vertex 1\nmov op, va0\n"]
    {
        let lines = |args: &[&str]| -> Vec<Value> {
            let output = vecasm(args, stdin);
            stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let (info, check) = (lines(&["info", "--json"]), lines(&["check", "--json"]));
        let check: Vec<&Value> = check.iter().filter(|line| line.get("verdict").is_some()).collect();
        assert_eq!(info.len(), check.len());
        for (info, check) in info.iter().zip(check) {
            for key in ["file", "program", "name", "isa", "stage", "model", "sha256", "bytes", "instructions"]
            {
                assert!(info.get(key).is_some(), "{key}");
                assert_eq!(info[key], check[key], "{key}");
            }
        }
    }
}

#[test]
fn stages_of_tgsi_are_stages_and_choose_programs() {
    let both = format!("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n{TGSI}");
    let glsl = ok(&["to", "glsl", "--stage", "fragment"], &both);
    assert_eq!(glsl.stdout, ok(&["to", "glsl"], TGSI).stdout);
    let listing = ok(&["dis", "--stage", "fragment"], &both);
    assert!(stdout(&listing).contains("FRAG") && !stdout(&listing).contains("VERT"), "{}", stdout(&listing));
    let compute = "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 1\n  0: END\n";
    ok(&["check", "--stage", "compute"], compute);
    for stage in ["geometry", "tess-control", "tess-eval"] {
        refused(&["dis", "--stage", stage], TGSI, &["--stage", "fragment program"]);
    }
    refused(
        &["asm", "--mode", "compat", "--stage", "compute", "--isa", "agal"],
        "mov oc, v0\n",
        &["--stage"],
    );
}

#[cfg(unix)]
#[test]
fn reduce_takes_the_program_that_is_chosen_in_the_form_it_has() {
    let second = TGSI.replace("  0: MOV OUT[0], IN[0]\n  1: END\n", "DCL TEMP[0..1]\n  0: ADD TEMP[0], IN[0], IN[0]\n  1: SIN TEMP[1].x, TEMP[0].xxxx\n  2: MOV OUT[0], TEMP[1].xxxx\n  3: END\n");
    let log = format!("first\n{TGSI}then\n{second}");
    let inl = ok(&["asm", "--to", "inl"], "ps_2_0\ndcl t0\nfrc r0, t0\nadd r0, r0, t0\nmov oC0, r0\n").stdout;
    let files: &[(&str, &[u8])] = &[("two.log", log.as_bytes()), ("a.inl", &inl)];
    let dir = folder("steps-reduce", files);
    let path = |name: &str| dir.join(name).display().to_string();
    let log = path("two.log");
    for args in [&["--program", "2", &log][..], &[&format!("{log}#2")]] {
        let left = ok(&[&["reduce"], args, &["--", "sh", "-c", "! grep -q SIN \"$0\"", "{}"]].concat(), "");
        let left = stdout(&left);
        assert!(left.contains("SIN") && left.contains("FRAG"), "{left}");
        assert!(!left.contains("first") && !left.contains("then"), "{left}");
        // What was a program that everybody takes stays one.
        assert!(left.contains("END") && !left.contains("mov "), "{left}");
        ok(&["check"], left);
    }
    // Words of an array stay words of an array; 02000013 is frc with two operands.
    let seen = path("seen.txt");
    let script = format!("cp \"$0\" '{seen}'; ! grep -q 0x02000013 \"$0\"");
    let left = ok(&["reduce", &path("a.inl"), "--", "sh", "-c", &script, "{}"], "");
    for text in [stdout(&left), &std::fs::read_to_string(&seen).unwrap()] {
        let first = text.lines().find(|line| !line.trim_start().starts_with("//")).unwrap();
        assert!(first.contains("0xffff0200,"), "{text}");
    }
}
