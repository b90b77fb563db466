//! Conversations as data: files, requests, and what the answers must have.

use serde_json::Value;
use std::fmt::Write as _;

/// A session taken apart.
#[derive(Default)]
pub(crate) struct Session {
    pub(crate) args: Vec<String>,
    pub(crate) files: Vec<(String, String)>,
    /// Line, request, what is expected of each answer.
    pub(crate) requests: Vec<(usize, String, Vec<Value>)>,
}

/// Takes a file of that kind apart.
pub(crate) fn parse(text: &str, kind: &str) -> Result<Session, String> {
    let mut lines = text.lines().enumerate();
    let first = format!("// test: {kind}");
    if lines.next().is_none_or(|(_, line)| line != first) {
        return Err(format!("line 1: expected `{first}`"));
    }
    let mut out = Session::default();
    let answered = |session: &Session| match session.requests.last() {
        Some((at, _, answers)) if answers.is_empty() => Err(format!("line {at}: no answer is given")),
        _ => Ok(()),
    };
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
            answered(&out)?;
            out.requests.push((at, request.into(), Vec::new()));
        } else if let Some(answer) = line.strip_prefix("< ") {
            let asked = out.requests.last_mut();
            let (.., answers) = asked.ok_or(format!("line {at}: an answer without a request"))?;
            answers.push(serde_json::from_str(answer).map_err(|e| format!("line {at}: {e}"))?);
        } else if !line.is_empty() && !line.starts_with("//") {
            return Err(format!("line {at}: expected a comment, `> request` or `< answer`"));
        }
    }
    answered(&out)?;
    if out.requests.is_empty() { Err("no request".into()) } else { Ok(out) }
}

/// Whether an answer has what is expected: an object at least the members named, a list exactly these elements.
pub(crate) fn has(wanted: &Value, found: &Value, path: &str) -> Result<(), String> {
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
