//! Sessions of the debugger: files, requests to `vecasm debug --json`, and what the answers must have.

#[path = "conversation.rs"]
mod conversation;

use crate::trial;
use conversation::{has, parse};
use libtest_mimic::Trial;
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Extension of test files.
pub(crate) const EXTENSION: &str = "session";

/// The sessions among the test files, and those in the manual of the debugger.
pub(crate) fn trials(root: &Path, files: &[PathBuf]) -> Vec<Trial> {
    let mut out = Vec::new();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == EXTENSION)) {
        let path = root.join(file);
        out.push(trial(file.to_string_lossy().replace('\\', "/"), move || {
            run(&std::fs::read_to_string(&path).map_err(|e| e.to_string())?, &slug(&path))
        }));
    }
    let manual = std::fs::read_to_string(root.join("../docs/debugging.md")).unwrap_or_default();
    let blocks: Vec<String> = manual
        .split("\n```session\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("\n```"))
        .map(|(block, _)| format!("{block}\n"))
        .collect();
    if blocks.is_empty() {
        out.push(trial("docs/debugging.md".into(), || Err("the manual has no session".into())));
    }
    for (n, block) in blocks.into_iter().enumerate() {
        out.push(trial(format!("docs/debugging.md session {}", n + 1), move || {
            run(&block, &format!("manual-{n}"))
        }));
    }
    out
}

fn slug(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn run(text: &str, name: &str) -> Result<(), String> {
    let session = parse(text, "session")?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("session-{name}"));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    for (name, text) in &session.files {
        std::fs::write(folder.join(name), text).map_err(|e| e.to_string())?;
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_vecasm"))
        .args(["debug", "--json"])
        .args(&session.args)
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let requests: String = session.requests.iter().map(|(_, request, _)| format!("{request}\n")).collect();
    if let Some(mut stdin) = child.stdin.take() {
        // One that ends early says why.
        let _ = stdin.write_all(requests.as_bytes());
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    let answers = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<&str> = answers.lines().collect();
    if answers.len() != session.requests.len() {
        return Err(format!("{} requests, {} answers", session.requests.len(), answers.len()));
    }
    for ((at, _, wanted), answer) in session.requests.iter().zip(answers) {
        let found: Value = serde_json::from_str(answer).map_err(|e| format!("line {at}: {e}: {answer}"))?;
        let [wanted] = wanted.as_slice() else { return Err(format!("line {at}: a request has one answer")) };
        has(wanted, &found, "").map_err(|why| format!("line {at}: {why}\n{answer}"))?;
    }
    Ok(())
}
