//! Showing findings, and the settings that all verbs share.

use crate::args::{Color, General, MessageFormat};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Write as _};
use vecasm::diag::sarif::{self, render_sarif};
use vecasm::diag::{self, Diagnostic, Renderer, Rule, Severity, Source, rules};
use vecasm::isa::Isa;

/// Most findings of a program that people are shown where nothing else is said.
const MOST_FINDINGS: usize = 100;

/// The settings that all verbs share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// How findings are written.
    pub(crate) format: MessageFormat,
    /// Whether standard output gets colours.
    pub(crate) color_out: bool,
    /// Whether standard error gets colours.
    pub(crate) color_err: bool,
    /// Most findings of a program that are shown.
    most: usize,
}

/// The settings, and what has been said under them.
#[derive(Debug)]
pub(crate) struct Ctx {
    settings: Settings,
    /// What would go to standard error, where that waits for its turn.
    held: Option<RefCell<Vec<u8>>>,
    /// What a SARIF log, which is one for everything, will say; `None` once it has been written.
    log: RefCell<Option<Vec<Logged>>>,
    /// What went wrong outside the inputs, for the SARIF log.
    failures: RefCell<Vec<String>>,
}

impl std::ops::Deref for Ctx {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.settings
    }
}

/// Findings about an input, kept until the log is written.
#[derive(Debug)]
struct Logged {
    source: Input,
    also: Option<Input>,
    findings: Vec<Diagnostic>,
}

/// A [`Source`] that is kept.
#[derive(Debug)]
struct Input {
    name: String,
    text: Option<String>,
}

impl Input {
    fn keep(source: Source<'_>) -> Self {
        Self { name: source.name.to_string(), text: source.text.map(str::to_string) }
    }

    fn source(&self) -> Source<'_> {
        Source { name: &self.name, text: self.text.as_deref() }
    }
}

impl Settings {
    /// Whether `--json` asks for JSON, which is what a verb writes, too, wherever it has it: an object a line.
    pub(crate) fn json(&self) -> bool {
        self.format == MessageFormat::Json
    }
}

impl Ctx {
    /// Resolves `--color` against the terminal and the environment.
    pub(crate) fn new(general: &General) -> Self {
        let wanted = |terminal: bool| match general.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
                terminal && !no_color && !dumb
            }
        };
        let format = if general.json { MessageFormat::Json } else { general.message_format };
        let for_people = matches!(format, MessageFormat::Human | MessageFormat::Short);
        let most = match general.max_findings {
            None if for_people => MOST_FINDINGS,
            None | Some(0) => usize::MAX,
            Some(most) => most as usize,
        };
        Self::of(Settings {
            format,
            color_out: wanted(std::io::stdout().is_terminal()),
            color_err: wanted(std::io::stderr().is_terminal()),
            most,
        })
    }

    fn of(settings: Settings) -> Self {
        let log = RefCell::new(Some(Vec::new()));
        Self { settings, held: None, log, failures: RefCell::default() }
    }

    /// A context whose messages wait until another one [says](Self::say) them.
    pub(crate) fn held(settings: Settings) -> Self {
        Self { held: Some(RefCell::default()), ..Self::of(settings) }
    }

    /// The settings alone, which threads can share.
    pub(crate) fn settings(&self) -> Settings {
        self.settings
    }

    /// Says what waited in another context.
    pub(crate) fn say(&self, other: Self) {
        if let Some(held) = other.held {
            self.error_bytes(&held.into_inner());
        }
        if let (Some(log), Some(more)) = (self.log.borrow_mut().as_mut(), other.log.into_inner()) {
            log.extend(more);
        }
        self.failures.borrow_mut().extend(other.failures.into_inner());
    }

    /// Writes to standard error, or to what waits for it.
    pub(crate) fn error_bytes(&self, bytes: &[u8]) {
        match &self.held {
            Some(held) => held.borrow_mut().extend_from_slice(bytes),
            // Nobody is left to tell when standard error fails.
            None => drop(std::io::stderr().lock().write_all(bytes)),
        }
    }

    /// Puts findings into the SARIF log; `also` is the other input if they are about two.
    pub(crate) fn log(&self, findings: &[Diagnostic], source: Source<'_>, also: Option<Source<'_>>) {
        if let Some(log) = self.log.borrow_mut().as_mut() {
            let text = source.text.filter(|_| !findings.is_empty());
            let (source, also) = (Input::keep(Source { text, ..source }), also.map(Input::keep));
            log.push(Logged { source, also, findings: findings.to_vec() });
        }
    }

    /// The SARIF log, if that is the format and it has not been taken yet.
    pub(crate) fn take_log(&self) -> Option<String> {
        if self.format != MessageFormat::Sarif {
            return None;
        }
        let log = self.log.borrow_mut().take()?;
        let reports: Vec<_> = log
            .iter()
            .map(|l| sarif::Report {
                source: l.source.source(),
                also: l.also.as_ref().map(Input::source),
                findings: &l.findings,
            })
            .collect();
        let used: BTreeSet<&str> = log.iter().flat_map(|l| &l.findings).map(|finding| finding.id).collect();
        let rules = Isa::ALL.iter().flat_map(|isa| isa.rules());
        let rules: Vec<&Rule> = rules.filter(|rule| used.contains(rule.id)).collect();
        let failures = self.failures.borrow();
        let failures: Vec<&str> = failures.iter().map(String::as_str).collect();
        Some(render_sarif(&reports, &rules, &failures))
    }

    /// Writes what is written at the end, whatever the verb was.
    pub(crate) fn finish(&self, failure: Option<&str>) {
        if let Some(message) = failure {
            self.complain(message);
        }
        if let Some(log) = self.take_log() {
            self.error_bytes(log.as_bytes());
        }
    }

    /// Says something about what was done, on standard error, in one line.
    pub(crate) fn tell(&self, message: &str) {
        if matches!(self.format, MessageFormat::Human | MessageFormat::Short) {
            self.error_bytes(format!("{}\n", diag::printable_line(message)).as_bytes());
        }
    }

    /// Reports a usage or input/output failure.
    pub(crate) fn complain(&self, message: &str) {
        let (on, off) = if self.color_err { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
        let line = match self.format {
            MessageFormat::Sarif if self.log.borrow().is_some() => {
                self.failures.borrow_mut().push(message.to_string());
                return;
            }
            MessageFormat::Json => {
                let value = serde_json::json!({ "severity": "error", "id": "usage", "message": message });
                format!("{value}\n")
            }
            _ => format!("vecasm: {on}error{off}: {}\n", diag::printable(message)),
        };
        self.error_bytes(line.as_bytes());
    }

    /// The findings in the chosen format; those for the SARIF log are kept for its end.
    pub(crate) fn render<'a>(
        &self,
        findings: &[Diagnostic],
        about: impl Into<Renderer<'a>>,
        color: bool,
    ) -> String {
        let renderer = about.into();
        let mut out = String::new();
        let some = some_of(findings, self.most);
        let findings = some.as_deref().unwrap_or(findings);
        if self.format == MessageFormat::Sarif {
            self.log(findings, renderer.source(), None);
        }
        for finding in findings {
            match self.format {
                MessageFormat::Sarif => {}
                MessageFormat::Human => {
                    out.push_str(&renderer.human(finding, color));
                    out.push('\n');
                }
                MessageFormat::Short => {
                    out.push_str(&renderer.short(finding));
                    out.push('\n');
                }
                MessageFormat::Json => {
                    out.push_str(&renderer.json(finding));
                    out.push('\n');
                }
            }
        }
        out
    }

    /// Writes findings to standard error.
    pub(crate) fn report<'a>(&self, findings: &[Diagnostic], about: impl Into<Renderer<'a>>) {
        self.error_bytes(self.render(findings, about, self.color_err).as_bytes());
    }
}

/// The first findings, errors before others where not all fit, and a note about the rest; `None` if all fit.
fn some_of(findings: &[Diagnostic], most: usize) -> Option<Vec<Diagnostic>> {
    let left = findings.len().checked_sub(most).filter(|left| *left > 0)?;
    let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
    let mut errors = findings.iter().filter(is_error).count().min(most);
    let mut others = most - errors;
    let mut shown: Vec<Diagnostic> = Vec::with_capacity(most + 1);
    for finding in findings {
        let room = if is_error(&finding) { &mut errors } else { &mut others };
        if *room > 0 {
            *room -= 1;
            shown.push(finding.clone());
        }
    }
    let plural = if left == 1 { "" } else { "s" };
    let message = format!("{left} more finding{plural}; --max-findings 0 shows all");
    shown.push(MORE.finding(message));
    Some(shown)
}

// What is said where a verb shows no more findings.
rules! {
    pub(crate) const;

    MORE "more" Note
        "%1 more findings; --max-findings 0 shows all",
        "A list of findings ends after as many as --max-findings says; errors are shown first.";
}

/// `2 errors, 1 warning`, or nothing if there is nothing to count.
pub(crate) fn tally(findings: &[Diagnostic]) -> String {
    let count = |severity: Severity| findings.iter().filter(|d| d.severity == severity).count();
    let words: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .filter_map(|severity| match count(severity) {
            0 => None,
            1 => Some(format!("1 {severity}")),
            n => Some(format!("{n} {severity}s")),
        })
        .collect();
    words.join(", ")
}

/// A bar for work of so many parts, on standard error; nothing is shown where that is no terminal.
pub(crate) fn bar(parts: u64, what: &str) -> ProgressBar {
    bar_of(Some(parts), &format!("{{bar:28.cyan/dim}} {{pos}}/{{len}} {what}"))
}

/// A bar for work of so many bytes.
pub(crate) fn bar_of_bytes(bytes: u64) -> ProgressBar {
    bar_of(Some(bytes), "{bar:28.cyan/dim} {bytes}/{total_bytes}")
}

/// A bar for work whose end nobody knows.
pub(crate) fn bar_without_end(what: &str) -> ProgressBar {
    bar_of(None, &format!("{{pos}} {what}"))
}

fn bar_of(parts: Option<u64>, what: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(parts, ProgressDrawTarget::stderr());
    let template = format!("{{spinner:.cyan}} {what}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style.progress_chars("━━─"));
    }
    bar
}
