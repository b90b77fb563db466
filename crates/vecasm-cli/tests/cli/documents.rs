//! Commands in documents do what the documents say. `tests/README.md` describes the marks that a block can have.
//!
//! Every document has a folder with a copy of the examples, as at the root of the repository, in which its commands run
//! one after another.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folders whose documents are read, and whether those below them are too.
const FOLDERS: &[(&str, bool)] = &[("", false), ("docs", true), ("examples", true)];
/// In shown output: any number of lines where it is a line, any text where it is in a line.
const ANY: &str = "…";

/// A fenced block with the marks in front of it.
#[derive(Debug, Default)]
struct Block {
    /// The line of its first line, from 1.
    line: usize,
    language: String,
    lines: Vec<String>,
    /// `<!-- file: NAME -->`: the block is the content of a file.
    file: Option<String>,
    /// `<!-- exit: N -->`: the status of its commands.
    exit: i32,
    /// `<!-- not run: WHY -->`.
    skipped: bool,
}

/// A command, where it is, and the output that is shown for it.
#[derive(Debug, PartialEq)]
struct Step {
    line: usize,
    command: String,
    shown: Vec<String>,
}

#[test]
fn commands_in_documents_do_what_they_show() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = Vec::new();
    for (folder, deep) in FOLDERS {
        documents(&root, folder, *deep, &mut pages);
    }
    assert!(pages.iter().any(|page| page == "README.md") && pages.len() > 20, "{pages:?}");
    let found: Vec<(usize, String)> = std::thread::scope(|scope| {
        let pages: Vec<_> = pages.iter().map(|page| scope.spawn(|| check(&root, page))).collect();
        pages.into_iter().map(|page| page.join().unwrap()).collect()
    });
    let commands: usize = found.iter().map(|(commands, _)| commands).sum();
    let failures: String = found.into_iter().map(|(_, failures)| failures).collect();
    assert!(failures.is_empty(), "{failures}");
    assert!(commands > 20 || !cfg!(unix), "only {commands} commands were found");
}

#[test]
fn flags_named_in_documents_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = Vec::new();
    for (folder, deep) in FOLDERS {
        documents(&root, folder, *deep, &mut pages);
    }
    // What a release had and calls itself is history.
    pages.retain(|page| page != "CHANGELOG.md");
    let mut help: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut failures = String::new();
    for page in &pages {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        for (line, span) in spans(&text) {
            let mut words = span.split_whitespace().skip(1);
            let Some(verb) = words.next().filter(|verb| verb.chars().all(|c| c.is_ascii_lowercase())) else {
                continue;
            };
            let help = help.entry(verb.to_string()).or_insert_with(|| help_of(verb));
            let Some(help) = help else {
                let _ = writeln!(failures, "{page}:{line}: `{span}`: no verb `{verb}`");
                continue;
            };
            for flag in words.filter(|word| word.starts_with("--") && word.len() > 2) {
                let flag = flag.split('=').next().unwrap_or(flag);
                let known = help.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|w| w == flag);
                if !known {
                    let _ = writeln!(failures, "{page}:{line}: `{span}`: `{verb}` has no flag `{flag}`");
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn blocks_are_split_into_commands() {
    let text = "<!-- exit: 1 -->\n```console\n$ a \\\n  b\nshown\n\n$ c\n```\n\n```sh\n# no command\nd  # said\n```\n";
    let blocks = blocks(text);
    assert_eq!((blocks[0].exit, blocks[1].exit), (1, 0));
    let step = |line, command: &str, shown: &[&str]| Step {
        line,
        command: command.into(),
        shown: shown.iter().map(|line| (*line).to_string()).collect(),
    };
    assert_eq!(steps(&blocks[0]), [step(3, "a \\\n  b", &["shown"]), step(7, "c", &[])]);
    assert_eq!(steps(&blocks[1]), [step(12, "d  # said", &[])]);
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_string).collect() };
    assert!(fits(&lines("a\n…\nd"), &lines("a\nb\nc\nd")));
    assert!(fits(&lines("a\n…"), &lines("a")));
    assert!(!fits(&lines("a\n…\nd"), &lines("a\nb\nd\ne")));
    assert!(!fits(&lines("a"), &lines("a\nb")));
    assert!(fits(&lines("a … b"), &lines("a 12 b")) && !fits(&lines("a … b"), &lines("a 12")));
}

/// Names the documents of a folder, relative to the root.
fn documents(root: &Path, folder: &str, deep: bool, out: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_str().unwrap();
        let name = if folder.is_empty() { name.to_string() } else { format!("{folder}/{name}") };
        if deep && path.is_dir() {
            documents(root, &name, deep, out);
        } else if name.ends_with(".md") {
            out.push(name);
        }
    }
}

/// Reads the fenced blocks of a document.
fn blocks(text: &str) -> Vec<Block> {
    let mut out = Vec::new();
    let mut next = Block::default();
    let mut open: Option<Block> = None;
    for (n, line) in text.lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            match open.take() {
                Some(block) => out.push(block),
                None => {
                    let language = language.trim().to_string();
                    open = Some(Block { line: n + 2, language, ..std::mem::take(&mut next) });
                }
            }
            continue;
        }
        if let Some(block) = &mut open {
            block.lines.push(line.to_string());
            continue;
        }
        let mark = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        match mark.and_then(|mark| mark.split_once(": ")) {
            Some(("file", name)) => next.file = Some(name.into()),
            Some(("exit", status)) => next.exit = status.parse().expect("a status"),
            Some(("not run", _)) => next.skipped = true,
            _ if line.trim().is_empty() => {}
            _ => next = Block::default(),
        }
    }
    assert!(open.is_none(), "a block does not end");
    out
}

/// Splits a block into its commands.
fn steps(block: &Block) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    let mut continued = false;
    for (n, line) in block.lines.iter().enumerate() {
        let command = match block.language.as_str() {
            "console" => line.strip_prefix("$ "),
            _ => Some(line.as_str()).filter(|line| !line.is_empty() && !line.starts_with('#')),
        };
        match (out.last_mut(), command) {
            (Some(last), _) if continued => {
                last.command.push('\n');
                last.command.push_str(line);
            }
            (_, Some(command)) => {
                out.push(Step { line: block.line + n, command: command.into(), shown: Vec::new() });
            }
            (Some(last), None) => last.shown.push(line.clone()),
            (None, None) => {}
        }
        continued = line.ends_with('\\') && (continued || command.is_some());
    }
    for step in &mut out {
        while step.shown.last().is_some_and(|line| line.trim().is_empty()) {
            step.shown.pop();
        }
    }
    out
}

/// Whether output is what is shown, in which [`ANY`] may leave lines out.
fn fits(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((any, rest)) if any.trim() == ANY => (0..=printed.len()).any(|n| fits(rest, &printed[n..])),
        Some((line, rest)) => {
            printed.first().is_some_and(|printed| line_fits(line, printed)) && fits(rest, &printed[1..])
        }
    }
}

fn line_fits(shown: &str, printed: &str) -> bool {
    match shown.split_once(ANY) {
        None => shown == printed,
        Some((start, end)) => printed.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
    }
}

/// Runs the commands of a document. Gives how many there are, and what is wrong.
fn check(root: &Path, page: &str) -> (usize, String) {
    let text = std::fs::read_to_string(root.join(page)).unwrap();
    let mut failures = String::new();
    let mut commands = 0;
    let mut folder = None;
    for block in blocks(&text) {
        let shell = matches!(block.language.as_str(), "sh" | "console");
        if block.skipped {
            continue;
        }
        if !shell {
            let begins = |line: &String| line.starts_with("$ vecasm ") || line.starts_with("$ nv2avsh");
            if let Some(n) = block.lines.iter().position(begins) {
                let _ = writeln!(failures, "{page}:{}: a command outside a console block", block.line + n);
            }
            if block.file.is_none() {
                continue;
            }
        }
        let folder = folder.get_or_insert_with(|| copy_of_root(root, page));
        if let Some(name) = &block.file {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, block.lines.join("\n") + "\n").unwrap();
            continue;
        }
        // The commands are written for a POSIX shell.
        for step in steps(&block).into_iter().filter(|_| cfg!(unix)) {
            commands += 1;
            if let Err(why) = run(folder, &step, block.exit) {
                let _ = writeln!(failures, "{page}:{}: {}\n{why}", step.line, step.command);
            }
        }
    }
    (commands, failures)
}

/// Runs a command and compares its status, and its output where that is shown.
fn run(folder: &Path, step: &Step, exit: i32) -> Result<(), String> {
    let command = match step.command.split_once(" -- ") {
        Some((cargo, args)) if cargo.starts_with("cargo run") => format!("vecasm {args}"),
        _ if step.command.starts_with("cargo ") => {
            return Err("    a command of cargo; mark the block `<!-- not run: WHY -->`".into());
        }
        _ => step.command.clone(),
    };
    let ours = Path::new(env!("CARGO_BIN_EXE_vecasm")).parent().unwrap().to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(ours).chain(std::env::split_paths(&path))).unwrap();
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("    {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let indented = || printed.lines().take(40).map(|line| format!("    {line}\n")).collect::<String>();
    if output.status.code() != Some(exit) {
        return Err(format!("    {}, not {exit}:\n{}", output.status, indented()));
    }
    let mut lines: Vec<String> = printed.lines().map(|line| line.trim_end().to_string()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if step.shown.is_empty() || fits(&step.shown, &lines) {
        return Ok(());
    }
    Err(format!("    prints\n{}", indented()))
}

/// A folder with a copy of the examples, for the commands of a document.
fn copy_of_root(root: &Path, page: &str) -> PathBuf {
    let folder = crate::folder(&format!("documents/{}", page.replace('/', "-")), &[]);
    copy(&root.join("examples"), &folder.join("examples"));
    folder
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The code spans of a text, outside of blocks, that begin with `vecasm` and a blank, with their lines.
fn spans(text: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut fenced = false;
    for (n, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let codes = line.split('`').skip(1).step_by(2);
            out.extend(codes.filter(|code| code.starts_with("vecasm ")).map(|code| (n + 1, code)));
        }
    }
    out
}

/// The help of a verb, if there is such a verb.
fn help_of(verb: &str) -> Option<String> {
    let output = crate::vecasm(&[verb, "--help"], b"");
    output.status.success().then(|| crate::stdout(&output).to_string())
}
