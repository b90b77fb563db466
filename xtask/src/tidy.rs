//! `cargo xtask tidy`: the invariants of the architecture that a reader of files can see.
//!
//! Each check is a row of [`CHECKS`] and prints one line a breach: `file:line: what`. What the compiler enforces
//! already (`missing_docs`, the `no_std` build) is not repeated here.

use crate::{Args, Outcome, root};
use std::path::{Component, Path};
use std::process::Command;

/// A check: its name, what it holds to, and the function that reports breaches.
struct Check {
    name: &'static str,
    doc: &'static str,
    run: fn(&Tree, &mut Vec<String>),
}

const CHECKS: &[Check] = &[
    Check {
        name: "arrows",
        doc: "modules of the library use only what the architecture allows",
        run: arrows,
    },
    Check { name: "library", doc: "the library does no I/O, reads no clock, holds no state", run: library },
    Check {
        name: "unsafe",
        doc: "unsafe code is forbidden outside xtask, the counting allocator and, where it says why, vecasm-native",
        run: no_unsafe,
    },
    Check { name: "length", doc: "no source file has 1,500 lines", run: length },
    Check {
        name: "words",
        doc: "nothing is left for later, no path of a machine is written down",
        run: words,
    },
    Check { name: "manifests", doc: "few dependencies, features only add", run: manifests },
    Check { name: "readme", doc: "the first code block of README.md is the two commands", run: readme },
    Check { name: "prose", doc: "documents, help and messages say it in plain words", run: prose },
    Check { name: "links", doc: "documents name only files that exist", run: links },
    Check { name: "generated", doc: "generated documents name the command that makes them", run: generated },
];

/// Counts the heap, for properties that bound it.
const ALLOCATOR: &str = "conformance/src/heap.rs";

/// Most dependencies, besides its own crates, of a crate of the library: one decompressor for each way in which containers pack
/// their content, one crate for each hash, and Serde's.
const MAX_DEPENDENCIES: usize = 8;

/// Most lines a source file may have.
const MAX_LINES: usize = 1_500;

/// The crates of the library: the folder of each, its name in code, and the module that it is in `vecasm`. Crates of several
/// modules have none.
const CRATES: &[(&str, &str, &str)] = &[
    ("crates/vecasm-ir/src/", "vecasm_ir", ""),
    ("crates/vecasm-isa/src/", "vecasm_isa", "isa"),
    ("crates/vecasm-opt/src/", "vecasm_opt", "opt"),
    ("crates/vecasm-exec/src/", "vecasm_exec", "exec"),
    ("crates/vecasm-code/src/", "vecasm_code", "code"),
    ("crates/vecasm-emit/src/", "vecasm_emit", "emit"),
    ("crates/vecasm-draw/src/", "vecasm_draw", "render"),
    ("crates/vecasm-debug/src/", "vecasm_debug", ""),
    ("crates/vecasm-container/src/", "vecasm_container", "container"),
    ("crates/vecasm/src/", "vecasm", ""),
];

/// What each module of the library may use besides itself. The longest prefix counts; `operand`, the swizzles and masks, and
/// `word`, the names of values, are open to all.
const ARROWS: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "code",
            "compare",
            "container",
            "debug",
            "diag",
            "emit",
            "exec",
            "ir",
            "isa",
            "math",
            "opt",
            "reduce",
            "render",
        ],
    ),
    ("container", &["diag", "ir", "isa"]),
    ("captures", &["ir", "isa"]),
    ("contents", &["container", "diag", "ir", "isa", "open"]),
    ("effect", &["container", "contents", "diag", "exec", "guess", "ir", "isa"]),
    ("hash", &["isa"]),
    ("guess", &["diag", "exec", "ir", "isa", "math", "program", "render", "scenes"]),
    ("highlight", &["isa"]),
    ("open", &["captures", "container", "diag", "ir", "isa", "program"]),
    (
        "options",
        &[
            "code",
            "container",
            "diag",
            "emit",
            "ir",
            "isa",
            "lower",
            "open",
            "opt",
            "program",
            "target",
            "translate",
        ],
    ),
    ("program", &["diag", "ir", "isa", "open", "reflect", "target", "translate"]),
    ("reflect", &["diag", "ir", "isa", "opt"]),
    ("repro", &["diag", "exec", "ir", "isa", "open", "options", "program", "render", "scenes"]),
    ("symbols", &["isa", "open"]),
    ("scenes", &["diag", "exec", "ir", "isa", "open", "program", "render"]),
    ("session", &["debug", "diag", "exec", "ir", "program"]),
    ("target", &["diag", "isa"]),
    ("translate", &["code", "diag", "emit", "ir", "isa", "lower", "opt", "target"]),
    ("diag", &[]),
    ("math", &[]),
    ("operand", &[]),
    ("word", &["diag"]),
    ("isa::table", &["ir"]),
    ("isa", &["diag", "ir", "isa", "math"]),
    ("ir", &["diag", "math"]),
    ("opt", &["ir", "math"]),
    ("exec", &["diag", "ir", "math"]),
    ("debug", &["diag", "exec", "ir", "math", "opt"]),
    ("compare", &["diag", "exec", "ir", "math", "opt"]),
    ("reduce", &["compare"]),
    ("code::patterns", &["compare", "ir", "isa"]),
    ("code", &["diag", "ir", "isa", "opt"]),
    ("lower", &["code", "compare", "diag", "ir", "isa", "target"]),
    ("emit", &["diag", "ir", "opt"]),
    ("render", &["diag", "exec", "ir", "math", "opt"]),
];

/// The commands of the README.
const COMMANDS: [&str; 2] = ["cargo run --release -- tour", "cargo test"];

/// The task that writes [documents](crate::docs::names).
const WRITES_DOCUMENTS: &str = "cargo xtask docs";

/// The text files of the repository.
struct Tree {
    files: Vec<(String, String)>,
}

impl Tree {
    fn read() -> Result<Self, String> {
        let root = root();
        let out = Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard"])
            .current_dir(&root)
            .output()
            .map_err(|e| format!("git ls-files: {e}"))?;
        if !out.status.success() {
            return Err(format!("git ls-files: {}", String::from_utf8_lossy(&out.stderr).trim()));
        }
        let names = String::from_utf8_lossy(&out.stdout).into_owned();
        let mut files = Vec::new();
        for name in names.lines() {
            let Ok(bytes) = std::fs::read(root.join(name)) else { continue };
            if let Ok(text) = String::from_utf8(bytes) {
                files.push((name.to_string(), text));
            }
        }
        Ok(Self { files })
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|(n, _)| n == name).map(|(_, text)| text.as_str())
    }

    fn under<'a>(&'a self, prefix: &'a str, suffix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let fits = move |name: &str| name.starts_with(prefix) && name.ends_with(suffix);
        self.files.iter().filter(move |(n, _)| fits(n)).map(|(n, text)| (n.as_str(), text.as_str()))
    }

    /// Whether a file or folder of that name is in the repository.
    fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let folder = format!("{path}/");
        self.files.iter().any(|(n, _)| n == path || n.starts_with(&folder)) || root().join(path).is_file()
    }
}

pub(crate) fn main(args: &[String]) -> Outcome {
    if let Err(why) = Args::parse(args, &[], &[]) {
        return Outcome::Usage(why);
    }
    let tree = match Tree::read() {
        Ok(tree) => tree,
        Err(why) => return Outcome::Usage(why),
    };
    let mut fine = true;
    for check in CHECKS {
        let mut found = Vec::new();
        (check.run)(&tree, &mut found);
        println!(
            "  {}  {:<10} {}",
            if found.is_empty() { "    ok" } else { "FAILED" },
            check.name,
            check.doc
        );
        for breach in &found {
            println!("          - {breach}");
        }
        fine &= found.is_empty();
    }
    Outcome::of(fine)
}

/// The lines of a source file that are code of the product: no comments, nothing from the test module on.
fn product_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = |line: &'_ str| -> usize { line.find("//").unwrap_or(line.len()) };
    text[..product_end(text)].lines().enumerate().map(move |(n, line)| (n + 1, &line[..code(line)]))
}

/// Where the product code of a source file ends and its test module begins.
fn product_end(text: &str) -> usize {
    // A module without a body is in a file of its own.
    let ends = |at: &usize| {
        let item = text[*at..].lines().find(|line| !line.starts_with("#["));
        item.is_some_and(|item| item.ends_with('{') && item.split(" {").next().is_some_and(is_module))
    };
    let starts = ["#[cfg(test)]\n", "#[cfg(all(test, "];
    let starts = starts.iter().flat_map(|start| text.match_indices(start)).map(|(at, _)| at);
    starts.filter(ends).min().unwrap_or(text.len())
}

/// Whether the beginning of an item is that of a module: `mod tests`, `pub(crate) mod test`.
fn is_module(item: &str) -> bool {
    let words: Vec<&str> = item.split(' ').collect();
    matches!(words[..], ["mod", _] | [_, "mod", _])
}

fn is_test_file(name: &str) -> bool {
    name.ends_with("/tests.rs") || name.contains("/tests/")
}

fn arrows(tree: &Tree, found: &mut Vec<String>) {
    for &(folder, _, root) in CRATES {
        for (name, text) in tree.under(folder, ".rs").filter(|(n, _)| !is_test_file(n)) {
            arrows_of(tree, name, text, root, &name[folder.len()..], found);
        }
    }
}

/// Reports what a file uses and may not: `inner` is its name below the sources of its crate, which is the module `root`.
fn arrows_of(tree: &Tree, name: &str, text: &str, root: &str, inner: &str, found: &mut Vec<String>) {
    let parts = inner.trim_end_matches(".rs").split('/').filter(|p| !matches!(*p, "mod" | "lib"));
    let module: Vec<&str> = Some(root).filter(|root| !root.is_empty()).into_iter().chain(parts).collect();
    let own = module.join("::");
    let Some((_, allowed)) = ARROWS
        .iter()
        .filter(|(m, _)| m.is_empty() && own.is_empty() || !m.is_empty() && within(&own, m))
        .max_by_key(|(m, _)| m.len())
    else {
        found.push(format!("{name}:1: the module {own} has no row among the arrows"));
        return;
    };
    let top = module.first().copied().unwrap_or("");
    for path in used_paths(text, root, &module) {
        let path_text = path.1.join("::");
        let itself = path.1.first() == Some(&top.to_string());
        let other_isa = module.first() == Some(&"isa")
            && module.len() > 1
            && is_isa(tree, module[1])
            && path.1.first().is_some_and(|p| p == "isa")
            && path.1.get(1).is_some_and(|p| is_isa(tree, p) && p != module[1]);
        // Macros are at the root of their crate.
        let open = ["operand", "word"].iter().any(|all| within(&path_text, all))
            || matches!(&path_text[..], "documented" | "rules" | "serialized_by_name" | "spelled" | "words");
        let fits = open || allowed.iter().any(|a| within(&path_text, a));
        if other_isa || !(itself || fits) {
            found.push(format!("{name}:{}: {own} uses {path_text}", path.0));
        }
    }
}

fn within(path: &str, prefix: &str) -> bool {
    path == prefix || path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with("::"))
}

fn is_isa(tree: &Tree, name: &str) -> bool {
    tree.has(&format!("crates/vecasm-isa/src/{name}/table.rs"))
}

/// The paths in the library that a file of the crate `root` names, absolute, with their lines. Knows `crate::`, `super::`, the
/// names of [`CRATES`] and groups.
fn used_paths(text: &str, root: &str, module: &[&str]) -> Vec<(usize, Vec<String>)> {
    let mut out = Vec::new();
    let mut code = String::new();
    let mut starts = Vec::new();
    for (line, content) in product_lines(text) {
        starts.push((code.len(), line));
        code.push_str(content);
        code.push('\n');
    }
    let line_of = |at: usize| starts.iter().rev().find(|(s, _)| *s <= at).map_or(1, |(_, l)| *l);
    let file_is_folder = |depth: usize| module.len().saturating_sub(depth);
    let mut at = 0;
    while at < code.len() {
        let rest = &code[at..];
        let before = code[..at].chars().next_back();
        let fresh = !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':');
        let base = |module: &str| -> Vec<String> {
            Some(module).filter(|m| !m.is_empty()).map(str::to_string).into_iter().collect()
        };
        let names =
            [("crate", root)].into_iter().chain(CRATES.iter().map(|&(_, name, module)| (name, module)));
        let named = names
            .map(|(name, module)| (name.len() + 2, name, module))
            .find(|(_, name, _)| fresh && rest.strip_prefix(name).is_some_and(|rest| rest.starts_with("::")));
        if let Some((length, _, module)) = named {
            expand(&rest[length..], &base(module), &mut |path| out.push((line_of(at), path)));
            at += length;
        } else if fresh && rest.starts_with("super::") {
            let ups = rest.split("super::").take_while(|p| p.is_empty()).count();
            let base: Vec<String> = module[..file_is_folder(ups)].iter().map(|s| (*s).to_string()).collect();
            if !base.is_empty() {
                expand(&rest[7 * ups..], &base, &mut |path| out.push((line_of(at), path)));
            }
            at += 7 * ups;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    out
}

/// Follows `a::b::{c, d::e}` and hands out every leaf behind `base`. Gives the number of bytes read.
fn expand(text: &str, base: &[String], f: &mut impl FnMut(Vec<String>)) -> usize {
    let mut path = base.to_vec();
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        if text[at..].starts_with('{') {
            at += 1;
            while at < text.len() && !text[at..].starts_with('}') {
                let step = expand(&text[at..], &path, f);
                at += step.max(1);
                at += text[at..].len() - text[at..].trim_start_matches([',', ' ', '\n']).len();
            }
            return at + 1;
        }
        let len = text[at..]
            .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '*')
            .unwrap_or(text.len() - at);
        if len == 0 {
            f(path);
            return at;
        }
        if &text[at..at + len] != "self" {
            path.push(text[at..at + len].to_string());
        }
        at += len;
        if !text[at..].starts_with("::") {
            // `as name` behind a leaf.
            if let Some(alias) = text[at..].trim_start().strip_prefix("as ") {
                let name =
                    alias.len() - alias.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
                at = text.len() - alias.len() + name;
            }
            f(path);
            return at;
        }
        at += 2;
    }
}

fn library(tree: &Tree, found: &mut Vec<String>) {
    // A `RefCell` that a call owns is no state that outlives it, and no static can be one.
    const REFUSED: &[&str] =
        &["std::", "println!", "eprintln!", "static mut", "sync::atomic", "UnsafeCell", "thread_local!"];
    let sources = CRATES.iter().flat_map(|(folder, ..)| tree.under(folder, ".rs"));
    for (name, text) in sources.filter(|(n, _)| !is_test_file(n)) {
        for (line, code) in product_lines(text) {
            for word in REFUSED.iter().filter(|w| code.contains(**w)) {
                found.push(format!("{name}:{line}: {word} has no place in the library"));
            }
        }
    }
}

fn no_unsafe(tree: &Tree, found: &mut Vec<String>) {
    for (name, text) in tree.under("", ".rs") {
        let is_root =
            name.starts_with("crates/") && (name.ends_with("src/lib.rs") || name.ends_with("src/main.rs"));
        // Generated code is called, and memory made executable, in one crate.
        let native = name.starts_with("crates/vecasm-native/");
        let lint =
            if native { "#![deny(clippy::undocumented_unsafe_blocks)]" } else { "#![forbid(unsafe_code)]" };
        if is_root && !text.contains(lint) {
            found.push(format!("{name}:1: lacks {lint}"));
        }
        if native || name.starts_with("xtask") || name == ALLOCATOR {
            continue;
        }
        for (line, code) in product_lines(text) {
            if code.contains("unsafe ") {
                found.push(format!("{name}:{line}: unsafe code"));
            }
        }
    }
}

fn length(tree: &Tree, found: &mut Vec<String>) {
    for (name, text) in tree.under("", ".rs") {
        let lines = text.lines().count();
        if lines >= MAX_LINES {
            found.push(format!("{name}:1: {lines} lines; split it into a folder"));
        }
    }
}

fn words(tree: &Tree, found: &mut Vec<String>) {
    // Put together here, so that this file does not hold them.
    let later = [["TO", "DO"], ["FIX", "ME"], ["XX", "X:"], ["HA", "CK:"]].map(|w| w.concat());
    let paths =
        [["/wo", "rk/"], ["/ho", "me/"], ["/ro", "ot/"], ["/Use", "rs/"], ["C:", "\\\\"]].map(|w| w.concat());
    for (name, text) in &tree.files {
        if name == "Cargo.lock" {
            continue;
        }
        for (n, line) in text.lines().enumerate() {
            for word in later.iter().filter(|w| line.contains(w.as_str())) {
                found.push(format!("{name}:{}: {word}", n + 1));
            }
            for path in paths.iter().filter(|p| line.contains(p.as_str())) {
                found.push(format!("{name}:{}: a path of a machine, {path}", n + 1));
            }
        }
    }
}

fn manifests(tree: &Tree, found: &mut Vec<String>) {
    for (folder, ..) in CRATES {
        let name = folder.replace("src/", "Cargo.toml");
        let Some(text) = tree.get(&name) else {
            found.push(format!("{name}: missing"));
            continue;
        };
        let section = |title: &str| -> Vec<String> {
            let lines =
                text.lines().skip_while(|l| l.trim() != title).skip(1).take_while(|l| !l.starts_with('['));
            let keys = lines.filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once('='));
            keys.map(|(key, _)| key.trim().to_string()).collect()
        };
        let others = section("[dependencies]").into_iter().filter(|d| !d.starts_with("vecasm"));
        let others: Vec<String> = others.collect();
        if others.len() > MAX_DEPENDENCIES {
            found.push(format!("{name}: {} dependencies, more than {MAX_DEPENDENCIES}", others.len()));
        }
        for other in others.iter().filter(|d| matches!(d.as_str(), "naga" | "wgpu")) {
            found.push(format!("{name}: {other} belongs to xtask and dev-dependencies"));
        }
        for feature in section("[features]").iter().filter(|f| f.starts_with("no") && f.contains(['-', '_']))
        {
            found.push(format!("{name}: the feature {feature} takes something away"));
        }
    }
}

fn readme(tree: &Tree, found: &mut Vec<String>) {
    let Some(text) = tree.get("README.md") else {
        found.push("README.md: missing".into());
        return;
    };
    let block: Vec<&str> = text
        .lines()
        .skip_while(|l| !l.starts_with("```"))
        .skip(1)
        .take_while(|l| !l.starts_with("```"))
        .collect();
    let commands: Vec<&str> =
        block.iter().map(|l| l.split(" #").next().unwrap_or("").trim()).filter(|l| !l.is_empty()).collect();
    if commands != COMMANDS {
        found.push(format!("README.md: the first code block is {commands:?}, not {COMMANDS:?}"));
    }
}

/// Words that a native reader stumbles over, and better ones.
const ODD: &[(&str, &str)] = &[
    ("behind", "after, below, beyond"),
    ("stands", "is"),
    ("whoever", "who, the caller"),
    ("anew", "again"),
];

/// Where the sources of the command are.
const COMMAND: &str = "crates/vecasm-cli/src/";

fn prose(tree: &Tree, found: &mut Vec<String>) {
    let documents = tree.under("", "README.md").filter(|(name, _)| *name == "README.md");
    for (name, text) in documents.chain(tree.under("docs/", ".md")) {
        let mut fenced = false;
        for (n, line) in text.lines().enumerate() {
            let fence = line.trim_start().starts_with("```");
            fenced ^= fence;
            if fence || fenced {
                continue;
            }
            // Words between backticks are names and output.
            let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
            odd_words(name, n + 1, &plain, found);
            if plain.trim_start_matches('#').trim_start().starts_with("What ") && plain.starts_with('#') {
                found.push(format!("{name}:{}: a title that begins with What", n + 1));
            }
        }
    }
    for (name, text) in tree.under(COMMAND, ".rs") {
        for (n, line, first) in help_lines(text) {
            odd_words(name, n, line, found);
            if first && line.starts_with("What ") {
                found.push(format!("{name}:{n}: help that begins with What"));
            }
        }
    }
    let folders = CRATES.iter().map(|&(folder, ..)| folder).chain([COMMAND]);
    let sources = folders.flat_map(|folder| tree.under(folder, ".rs"));
    for (name, text) in sources.filter(|(name, _)| !is_test_file(name)) {
        // One word alone is a name.
        for (n, message) in literals(text).into_iter().filter(|(_, literal)| literal.contains(' ')) {
            odd_words(name, n, message, found);
        }
    }
}

fn odd_words(name: &str, line: usize, text: &str, found: &mut Vec<String>) {
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if let Some((odd, better)) = ODD.iter().find(|(odd, _)| word.eq_ignore_ascii_case(odd)) {
            found.push(format!("{name}:{line}: {odd}; better: {better}"));
        }
    }
}

/// The string literals of the product code of a source file, with the lines on which they begin.
fn literals(text: &str) -> Vec<(usize, &str)> {
    let text = &text[..product_end(text)];
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = |end: Option<usize>| end.unwrap_or(rest.len());
        at += if rest.starts_with("//") {
            length(rest.find('\n'))
        } else if c == '"' || rest.starts_with("r\"") || rest.starts_with("r#") {
            let raw = rest.len() - rest.trim_start_matches('r').len();
            let marks = rest[raw..].len() - rest[raw..].trim_start_matches('#').len();
            let open = raw + marks + 1;
            let close = format!("\"{}", "#".repeat(marks));
            let mut escaped = false;
            let end = rest.char_indices().skip_while(|(i, _)| *i < open).find(|(i, c)| {
                let ends = !escaped && rest[*i..].starts_with(&close);
                escaped = raw == 0 && *c == '\\' && !escaped;
                ends
            });
            // `r#type` is a name.
            if rest[raw + marks..].starts_with('"') {
                let end = length(end.map(|(i, _)| i));
                out.push((text[..at].matches('\n').count() + 1, &rest[open.min(end)..end]));
                (end + close.len()).min(rest.len())
            } else {
                open
            }
        } else if let Some(quoted) = rest.strip_prefix('\'') {
            // A character, unless it is the name of a lifetime.
            let skip = quoted.starts_with('\\').then_some(2);
            let skip = skip.or_else(|| quoted.chars().next().map(char::len_utf8)).unwrap_or(0);
            let after = quoted.get(skip..).unwrap_or("");
            if after.starts_with('\'') { 2 + skip } else { 1 }
        } else {
            c.len_utf8()
        };
    }
    out
}

/// The lines of a source file that become help of the command line: doc comments of what clap's attributes are on, and
/// the texts in these. With their numbers, and whether a doc comment begins there.
fn help_lines(text: &str) -> Vec<(usize, &str, bool)> {
    let mut out = Vec::new();
    let mut comment: Vec<(usize, &str, bool)> = Vec::new();
    let mut inside = false;
    for (n, line) in text.lines().enumerate() {
        let plain = line.trim();
        let attribute = ["#[arg(", "#[command(", "#[value("].iter().any(|start| plain.starts_with(start));
        if let Some(doc) = plain.strip_prefix("///") {
            let first = comment.is_empty();
            comment.push((n + 1, doc.trim_start(), first));
        } else if attribute || inside {
            out.append(&mut comment);
            out.push((n + 1, plain, false));
            inside = !plain.ends_with(")]");
        } else if !plain.starts_with("#[derive(") {
            comment.clear();
        }
    }
    out
}

/// Folders that paths in documents may be relative to.
const BASES: &[&str] = &["", "crates/vecasm/", COMMAND, "crates/", "xtask/src/", "conformance/src/"];

fn links(tree: &Tree, found: &mut Vec<String>) {
    for (name, text) in tree.under("", ".md") {
        let folder = Path::new(name).parent().unwrap_or(Path::new("")).to_path_buf();
        let mut fenced = false;
        for (n, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            if fenced {
                continue;
            }
            let mut check = |target: &str, strict: bool| {
                let beside = normal(&folder.join(target));
                let there = tree.has(&beside)
                    || !strict
                        && (BASES.iter().copied())
                            .chain(CRATES.iter().map(|&(folder, ..)| folder))
                            .any(|base| tree.has(&format!("{base}{target}")));
                if !there {
                    found.push(format!("{name}:{}: {target} does not exist", n + 1));
                }
            };
            for target in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                let target = target.split('#').next().unwrap_or("");
                if !target.is_empty() && !target.contains("://") {
                    check(target, true);
                }
            }
            for code in line.split('`').skip(1).step_by(2).filter(|code| looks_like_path(code)) {
                check(code, false);
            }
        }
    }
}

/// Whether the content of a code span is a path in the repository: it has a folder and ends like a file or folder.
fn looks_like_path(code: &str) -> bool {
    let plain = code.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let file =
        [".rs", ".md", ".toml", ".json", ".agal", ".wgsl", ".png", "/"].iter().any(|end| code.ends_with(end));
    let outside = ["../", "/", "target/", "./"].iter().any(|start| code.starts_with(start));
    plain && file && code.trim_end_matches('/').contains('/') && !outside
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                parts.pop();
            }
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    parts.join("/")
}

fn generated(tree: &Tree, found: &mut Vec<String>) {
    for name in crate::docs::names() {
        match tree.get(&name) {
            None => found.push(format!("{name}: missing; `{WRITES_DOCUMENTS}` makes it")),
            Some(text) if !text.lines().take(5).any(|l| l.contains(WRITES_DOCUMENTS)) => {
                found.push(format!("{name}:1: does not name `{WRITES_DOCUMENTS}`"));
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_followed_through_groups_and_supers() {
        let text =
            "use crate::{diag::D, ir::{self, Op as O}};\nuse super::super::exec::X; // crate::render\n";
        let paths: Vec<String> =
            used_paths(text, "", &["isa", "agal"]).iter().map(|(_, p)| p.join("::")).collect();
        assert_eq!(paths, ["diag::D", "ir", "ir::Op"]);
        let text = "fn f() { super::super::exec::run() }";
        let paths: Vec<String> =
            used_paths(text, "", &["isa", "agal", "lift"]).iter().map(|(_, p)| p.join("::")).collect();
        assert_eq!(paths, ["isa::exec::run"]);
    }

    #[test]
    fn a_forbidden_arrow_is_found() {
        let tree = Tree {
            files: vec![
                ("crates/vecasm-exec/src/lib.rs".into(), "use vecasm_isa::agal::Program;\n".into()),
                ("crates/vecasm-ir/src/math/mod.rs".into(), "use crate::ir::Shader;\n".into()),
                ("crates/vecasm-ir/src/ir/mod.rs".into(), "use crate::operand::Swizzle;\n".into()),
                ("crates/vecasm-isa/src/agal/mod.rs".into(), "use crate::tgsi::Program;\n".into()),
                ("crates/vecasm-isa/src/tgsi/mod.rs".into(), "use crate::table::Row;\n".into()),
            ],
        };
        let mut found = Vec::new();
        arrows(&tree, &mut found);
        found.sort_unstable();
        assert_eq!(
            found,
            [
                "crates/vecasm-exec/src/lib.rs:1: exec uses isa::agal::Program",
                "crates/vecasm-ir/src/math/mod.rs:1: math uses ir::Shader",
                "crates/vecasm-isa/src/agal/mod.rs:1: isa::agal uses isa::tgsi::Program",
            ]
        );
    }

    #[test]
    fn odd_words_are_found_in_documents_and_help() {
        let source = "/// What no help begins with\n#[derive(Debug)]\n#[command(after_help = \"stands\")]\n\
            struct A {\n    /// What is behind\n    b: u8,\n    /// Given anew\n    #[arg(long)]\n    c: u8,\n}\n";
        let tree = Tree {
            files: vec![
                ("README.md".into(), "## What it does\nIt stands.\n`whoever`\n```\nanew\n```\n".into()),
                ("crates/vecasm-cli/src/a.rs".into(), source.into()),
            ],
        };
        let mut found = Vec::new();
        prose(&tree, &mut found);
        assert_eq!(
            found,
            [
                "README.md:1: a title that begins with What",
                "README.md:2: stands; better: is",
                "crates/vecasm-cli/src/a.rs:1: help that begins with What",
                "crates/vecasm-cli/src/a.rs:3: stands; better: is",
                "crates/vecasm-cli/src/a.rs:7: anew; better: again",
            ]
        );
    }

    #[test]
    fn odd_words_are_found_in_messages() {
        let source = "// stands here\n#[cfg(test)]\nmod tests;\nfn f<'a>(c: char) -> &'a str {\n    if c == '\"' || c == '\\'' { return \"anew\"; }\n\
            \"it \\\"stands\\\" here\"\n}\nconst R: &str = r#\"put \"anew\" here\"#;\n\
            #[cfg(test)]\nmod tests {\n    const S: &str = \"stands here\";\n}\n";
        let library = "crates/vecasm-isa/src/agal/text/a.rs";
        let tree = Tree {
            files: vec![
                (library.into(), source.into()),
                ("crates/vecasm-isa/src/agal/text/tests.rs".into(), source.into()),
            ],
        };
        let mut found = Vec::new();
        prose(&tree, &mut found);
        assert_eq!(
            found,
            [format!("{library}:6: stands; better: is"), format!("{library}:8: anew; better: again")]
        );
    }

    #[test]
    fn only_paths_are_taken_for_paths() {
        assert!(looks_like_path("isa/agal/table.rs"));
        assert!(looks_like_path("tests/agal/"));
        assert!(!looks_like_path("f32/f64"));
        assert!(!looks_like_path("../shared/bench/README.md"));
    }
}
