//! Sessions of the debugger: files, requests to `vecasm debug --json`, and what the answers must have.

use crate::trial;
use libtest_mimic::Trial;
use serde_json::Value;
use std::fmt::Write as _;
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

/// A session taken apart.
#[derive(Default)]
struct Session {
    args: Vec<String>,
    files: Vec<(String, String)>,
    /// Line, request, what is expected.
    requests: Vec<(usize, String, Value)>,
}

fn parse(text: &str) -> Result<Session, String> {
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, first)| first != "// test: session") {
        return Err("line 1: a session starts with `// test: session`".into());
    }
    let mut out = Session::default();
    let mut asked: Option<(usize, String)> = None;
    let mut in_file = false;
    for (n, line) in lines {
        let at = n + 1;
        if let Some(args) = line.strip_prefix("// args: ") {
            out.args = args.split_whitespace().map(str::to_string).collect();
        } else if let Some(name) = line.strip_prefix("// file: ") {
            out.files.push((name.trim().into(), String::new()));
            in_file = true;
        } else if line == "// requests:" {
            in_file = false;
        } else if let (true, Some((_, text))) = (in_file, out.files.last_mut()) {
            let _ = writeln!(text, "{line}");
        } else if let Some(request) = line.strip_prefix("> ") {
            if asked.is_some() {
                return Err(format!("line {at}: the request before has no answer"));
            }
            asked = Some((at, request.into()));
        } else if let Some(answer) = line.strip_prefix("< ") {
            let (asked_at, request) =
                asked.take().ok_or(format!("line {at}: an answer without a request"))?;
            let answer = serde_json::from_str(answer).map_err(|e| format!("line {at}: {e}"))?;
            out.requests.push((asked_at, request, answer));
        } else if !line.is_empty() && !line.starts_with("//") {
            return Err(format!("line {at}: expected a comment, `> request` or `< answer`"));
        }
    }
    match (asked, out.requests.is_empty()) {
        (Some((at, _)), _) => Err(format!("line {at}: no answer is given")),
        (None, true) => Err("no request".into()),
        (None, false) => Ok(out),
    }
}

fn run(text: &str, name: &str) -> Result<(), String> {
    let session = parse(text)?;
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
        has(wanted, &found, "").map_err(|why| format!("line {at}: {why}\n{answer}"))?;
    }
    Ok(())
}

/// Whether an answer has what is expected: an object at least the members named, a list exactly these elements.
fn has(wanted: &Value, found: &Value, path: &str) -> Result<(), String> {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(all)) => wanted.iter().try_for_each(|(key, value)| {
            let path = format!("{path}.{key}");
            all.get(key)
                .ok_or_else(|| format!("{path} is missing"))
                .and_then(|found| has(value, found, &path))
        }),
        (Value::Array(wanted), Value::Array(all)) if wanted.len() == all.len() => {
            let mut pairs = wanted.iter().zip(all).enumerate();
            pairs.try_for_each(|(n, (wanted, found))| has(wanted, found, &format!("{path}[{n}]")))
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => Ok(()),
        (a, b) if a == b => Ok(()),
        (a, b) => Err(format!("{path} is {b}, not {a}")),
    }
}
