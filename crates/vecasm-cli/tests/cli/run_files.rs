//! The example of `docs/run-files.md` gives what stands there.

use super::{folder, stderr, vecasm};
use std::path::Path;
use std::process::Command;

/// The first block of that language.
fn block<'a>(text: &'a str, language: &str) -> &'a str {
    let start = text.split_once(&format!("```{language}\n")).unwrap().1;
    start.split_once("```").unwrap().0
}

#[test]
fn the_documented_example_runs() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/run-files.md"));
    let text = text.unwrap().replace('\r', "");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("run-files");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("shader.frag.agal"), block(&text, "agal")).unwrap();
    std::fs::write(folder.join("inputs.json"), block(&text, "json")).unwrap();
    // The command as the text has it.
    let command = text.split('`').find(|code| code.starts_with("vecasm run ")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_vecasm"))
        .args(command.split_whitespace().skip(1))
        .current_dir(&folder)
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(stdout, block(&text, "text"), "{stderr}");
}

#[test]
fn a_run_file_says_how_large_the_surface_is() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("run-files-surface");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("program.vsh"), "mov oPos, v0\n").unwrap();
    // Three quarters to the right and one quarter down of 100 by 100 pixels, at the far plane.
    let inputs =
        r#"{"inputs": [{"v0": [75, 25, 65535, 1]}], "states": {"surface": [100, 100], "clip-max": 65535}}"#;
    std::fs::write(folder.join("inputs.json"), inputs).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_vecasm"))
        .args(["run", "program.vsh", "--position", "clip", "-i", "inputs.json", "--format", "hex"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    // (150 - 100) / 100, -(50 - 100) / 100.
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "oPos 3f000000 3f000000 3f800000 3f800000\n",
        "{stderr}"
    );
}

/// An input that is declared and not read may be given by its meaning, too.
#[test]
fn inputs_that_are_declared_and_not_read_may_be_named_by_their_meaning() {
    let tgsi = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], GENERIC[1], PERSPECTIVE\nDCL SV[0], SAMPLEID\nDCL OUT[0], COLOR\n\
                MOV OUT[0], IN[1]\nEND\n";
    let old = "ps_2_0\ndcl t0\ndcl t1\ndcl v0\nmov oC0, t0\n";
    let new = "ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\nmov oC0, v0\n";
    let vertex = "vs_2_0\ndcl_position v0\ndcl_normal v1\nmov oPos, v0\n";
    for (isa, text, read, unread) in [
        ("tgsi", tgsi, "GENERIC[1]", &["GENERIC[0]", "SAMPLEID", "IN[7]"][..]),
        ("d3d9", old, "texcoord", &["texcoord1", "color", "t3"]),
        ("d3d9", new, "texcoord", &["texcoord1", "v9"]),
        ("d3d9", vertex, "position", &["normal"]),
    ] {
        let give = |unread: &str| {
            let json = format!("{{\"inputs\": [{{\"{read}\": [1, 2, 3, 4], \"{unread}\": [0, 0, 0, 0]}}]}}");
            let files = folder("run-unread", &[("in.json", json.as_bytes())]);
            vecasm(&["run", "-", "--isa", isa, "-i", files.join("in.json").to_str().unwrap()], text)
        };
        for unread in unread {
            let output = give(unread);
            assert!(output.status.success(), "{unread}: {}", stderr(&output));
        }
        for none in ["GENERIC[7]", "texcoord7", "tangent"] {
            assert_eq!(give(none).status.code(), Some(2), "{none}");
        }
    }
}
