//! A test file: its first line says what is run, directives say what is expected, the rest is the program.

use std::path::{Path, PathBuf};
use vecasm::diag::{Diagnostic, Place, Severity, line_column};

/// A directive: `// key: value`.
#[derive(Debug)]
pub(crate) struct Directive {
    pub(crate) key: String,
    pub(crate) value: String,
    /// Line of the file, from 1.
    pub(crate) line: usize,
}

/// A test file taken apart.
#[derive(Debug)]
pub(crate) struct Case {
    /// The words behind `// test:`.
    pub(crate) words: Vec<String>,
    pub(crate) directives: Vec<Directive>,
    /// The programs of the file, in order. Lines that belong to others are blank, so that line numbers are those
    /// of the file.
    pub(crate) programs: Vec<String>,
    /// What follows the comments at the top, as it stands.
    pub(crate) body: String,
    /// The whole file.
    pub(crate) text: String,
    /// Where it stands, unless it is an example of the manual.
    pub(crate) path: Option<PathBuf>,
}

/// A kind of test: the word behind `// test:`, its directives, what is done.
pub(crate) struct Kind {
    pub(crate) word: &'static str,
    pub(crate) directives: &'static [&'static str],
    pub(crate) run: fn(&Case) -> Result<(), String>,
}

/// Runs a test file of one of these kinds; `path` is where it stands, unless it is an example of the manual.
pub(crate) fn run(kinds: &[Kind], text: &str, path: Option<&Path>) -> Result<(), String> {
    let mut case = Case::parse(text)?;
    case.path = path.map(Path::to_path_buf);
    let word = case.words[0].as_str();
    let Some(kind) = kinds.iter().find(|k| k.word == word) else {
        let known: Vec<&str> = kinds.iter().map(|k| k.word).collect();
        return Err(format!("line 1: unknown kind of test {word}; known: {}", known.join(", ")));
    };
    case.allow(kind.directives)?;
    (kind.run)(&case)
}

impl Case {
    /// Takes a file apart. A directive is a comment line that starts with one word in small letters and a colon;
    /// any other comment is prose. A line `.agal …` or `.header …` starts the next program.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let first = text.lines().next().unwrap_or("");
        // The comments of the instruction sets, and those of the IR.
        let mark = if first.starts_with(';') { ";" } else { "//" };
        let Some(words) = first.strip_prefix(mark).and_then(|rest| rest.strip_prefix(" test:")) else {
            return Err(
                "line 1: a test file starts with `// test: KIND`, one of the IR with `; test: ir`".into()
            );
        };
        let words: Vec<String> = words.split_whitespace().map(str::to_string).collect();
        if words.is_empty() {
            return Err("line 1: no kind of test".into());
        }
        let mut directives = Vec::new();
        let mut starts = Vec::new();
        let mut top = 0;
        let mut at_top = true;
        for (n, line) in text.lines().enumerate() {
            let trimmed = line.trim_start();
            at_top &= trimmed.starts_with(mark);
            if at_top {
                top = n + 1;
            }
            if trimmed.starts_with(".agal ") || trimmed.starts_with(".header ") {
                starts.push(n);
            }
            let Some((key, value)) =
                trimmed.strip_prefix(mark).and_then(|r| r.strip_prefix(' ')).and_then(|r| r.split_once(':'))
            else {
                continue;
            };
            let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            if is_key && n > 0 {
                let value = value.trim().to_string();
                directives.push(Directive { key: key.to_string(), value, line: n + 1 });
            }
        }
        let lines: Vec<&str> = text.lines().collect();
        let blank = |from: usize, to: usize| -> String {
            let keep = |(n, line): (usize, &&str)| {
                if (from..to).contains(&n) { *line } else { "" }.to_string() + "\n"
            };
            lines.iter().enumerate().map(keep).collect()
        };
        let programs = match starts.len() {
            0 | 1 => vec![text.to_string()],
            n => (0..n)
                .map(|i| {
                    blank(
                        if i == 0 { 0 } else { starts[i] },
                        starts.get(i + 1).copied().unwrap_or(lines.len()),
                    )
                })
                .collect(),
        };
        let body = lines[top.min(lines.len())..].iter().map(|l| format!("{l}\n")).collect();
        Ok(Self { words, directives, programs, body, text: text.to_string(), path: None })
    }

    /// Fails if a directive is not one of `known`.
    pub(crate) fn allow(&self, known: &[&str]) -> Result<(), String> {
        match self.directives.iter().find(|d| !known.contains(&d.key.as_str())) {
            Some(d) => {
                Err(format!("line {}: unknown directive {}; known here: {}", d.line, d.key, known.join(", ")))
            }
            None => Ok(()),
        }
    }

    /// Every directive of that key.
    pub(crate) fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Directive> {
        self.directives.iter().filter(move |d| d.key == key)
    }

    /// The only directive of that key.
    pub(crate) fn one(&self, key: &str) -> Result<Option<&Directive>, String> {
        let mut all = self.directives.iter().filter(|d| d.key == key);
        let first = all.next();
        match all.next() {
            Some(second) => Err(format!("line {}: a second {key}", second.line)),
            None => Ok(first),
        }
    }
}

/// The text with its last line repeated as often as `repeat` says.
pub(crate) fn repeated(case: &Case, text: &str) -> Result<String, String> {
    let Some(d) = case.one("repeat")? else { return Ok(text.to_string()) };
    let times: usize = d.value.parse().map_err(|_| format!("line {}: {} is no number", d.line, d.value))?;
    let last = text.trim_end().lines().next_back().unwrap_or("");
    Ok(format!("{}{}", text, format!("{last}\n").repeat(times.saturating_sub(1))))
}

/// The programs beside the bad one are good: a `passes` line is the number of a line and the line that replaces it.
pub(crate) fn neighbours(
    case: &Case,
    id: &str,
    text: &str,
    findings_of: impl Fn(&str) -> Result<Vec<Diagnostic>, String>,
) -> Result<(), String> {
    for d in case.all("passes") {
        let (number, line) = d.value.split_once(' ').unwrap_or((&d.value, ""));
        let number: usize = number.parse().map_err(|_| format!("line {}: no number of a line", d.line))?;
        let mut lines: Vec<&str> = text.lines().collect();
        *lines.get_mut(number.wrapping_sub(1)).ok_or_else(|| format!("line {}: no such line", d.line))? =
            line;
        let findings = findings_of(&(lines.join("\n") + "\n"))?;
        if let Some(finding) = findings.iter().find(|f| f.id == id || f.severity == Severity::Error) {
            return Err(format!("line {}: the neighbour has {finding}", d.line));
        }
    }
    Ok(())
}

/// Where a finding is, in the words of `at` lines; `unit` is what instructions are called there.
pub(crate) fn place(finding: &Diagnostic, text: &str, unit: &str) -> String {
    match finding.place {
        Place::Whole => "whole".into(),
        Place::Text(span) => {
            let (line, column) = line_column(text, span.start);
            format!("{line}:{column}")
        }
        Place::Binary { token: Some(token), .. } => format!("{unit} {token}"),
        Place::Binary { offset, token: None } => format!("byte {offset}"),
    }
}
