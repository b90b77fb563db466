//! Passes on small texts, with what they become beside them: `cases/*.txt`.
//!
//! A file holds cases between lines of `====`. A case is comments (`#`), a line `pass: NAME …` with the passes in order,
//! the shader, a line `----`, and the body after the passes, without the step numbers. `BLESS=1` writes the last part
//! anew, to be read before it is committed.

use std::fmt::Write as _;
use std::path::Path;
use vecasm::ir::text::{parse_any, print};
use vecasm::ir::verify::verify;
use vecasm::ir::{Shader, StateId};
use vecasm::opt::{Expand, Lower, clean, exits, expand, fold, lower, promote, specialize};

fn run(name: &str, shader: &Shader) -> Shader {
    match name {
        "clean" => clean(shader),
        "fold" => fold(shader),
        "promote" => promote(shader),
        "exits" => exits(shader),
        "lower" => lower(shader, Lower { switches: true, idioms: true }),
        "expand" => expand(shader, Expand::ALL),
        "expand-nv20" => expand(shader, Expand { nv20: true, ..Expand::default() }),
        "expand-zero-wins" => expand(shader, Expand { zero_wins: true, ..Expand::default() }),
        // Every state as its default says.
        "specialize" => {
            let all: Vec<(StateId, [u32; 4])> =
                shader.states.iter().enumerate().map(|(i, s)| (StateId(i as u32), s.default)).collect();
            specialize(shader, &all)
        }
        _ => panic!("no pass is called {name}"),
    }
}

/// Tables that a pass changes, and the body, without step numbers.
fn shown(shader: &Shader) -> String {
    let text = print(shader);
    let (head, body) = text.split_once("\n\n").expect("tables end with an empty line");
    let mut out = String::new();
    for line in head.lines().filter(|l| l.starts_with("  texture") || l.starts_with("  state")) {
        writeln!(out, "{line}").expect("a string takes all");
    }
    for line in body.lines() {
        let line = line.split("  step ").next().unwrap_or_default().trim_end();
        writeln!(out, "{line}").expect("a string takes all");
    }
    out
}

fn case(text: &str) -> Result<String, String> {
    let (given, expected) = text.split_once("\n----\n").unwrap_or((text, ""));
    let mut lines = given.lines().skip_while(|l| l.starts_with('#') || l.is_empty());
    let passes =
        lines.next().and_then(|l| l.strip_prefix("pass: ")).ok_or("a case starts with its passes")?;
    let source: String = lines.map(|l| format!("{l}\n")).collect();
    let before = parse_any(&source).map_err(|e| format!("{e}\n{source}"))?;
    let mut after = before;
    for name in std::iter::once("").chain(passes.split_whitespace()) {
        if !name.is_empty() {
            after = run(name, &after);
        }
        if let Some(breach) = verify(&after).first() {
            return Err(format!("behind {name:?}: {breach}\n{}", print(&after)));
        }
    }
    let got = shown(&after);
    if got.trim_end() != expected.trim_end() && std::env::var_os("BLESS").is_none() {
        return Err(format!("{given}\n---- expected\n{expected}\n---- got\n{got}"));
    }
    Ok(format!("{given}\n----\n{}", got.trim_end()))
}

pub(crate) fn cases() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes/cases");
    let mut files: Vec<_> = std::fs::read_dir(&dir)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry is readable").path())
        .collect();
    files.sort();
    let (mut count, mut faults) = (0, Vec::new());
    for path in &files {
        let text = std::fs::read_to_string(path).expect("a file is readable");
        let mut blessed = Vec::new();
        for of in text.trim_end().split("\n====\n") {
            count += 1;
            match case(of) {
                Ok(new) => blessed.push(new),
                Err(why) => {
                    faults.push(format!("{}: {why}", path.display()));
                    blessed.push(of.into());
                }
            }
        }
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(path, blessed.join("\n====\n") + "\n").expect("a file is writable");
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    assert!(count >= 20, "only {count} cases were found");
}
