//! The example of `docs/run-files.md` gives what stands there.

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
