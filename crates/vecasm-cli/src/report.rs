//! Showing findings, and the settings that all verbs share.

use crate::args::{Color, General, MessageFormat};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::RefCell;
use std::io::{IsTerminal as _, Write as _};
use vecasm::diag::sarif::{self, render_sarif};
use vecasm::diag::{Diagnostic, Renderer, Rule, Severity, Source};
use vecasm::isa::Isa;

/// The settings that all verbs share.
#[derive(Debug)]
pub(crate) struct Ctx {
    /// How findings are written.
    pub(crate) format: MessageFormat,
    /// Whether standard output gets colours.
    pub(crate) color_out: bool,
    /// Whether standard error gets colours.
    pub(crate) color_err: bool,
    /// What a SARIF log, which is one for everything, will say; `None` once it has been written.
    log: RefCell<Option<Vec<Logged>>>,
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
        Self {
            format: general.message_format,
            color_out: wanted(std::io::stdout().is_terminal()),
            color_err: wanted(std::io::stderr().is_terminal()),
            log: RefCell::new(Some(Vec::new())),
        }
    }

    /// Puts findings into the SARIF log; `also` is the other input if they are about two.
    pub(crate) fn log(&self, findings: &[Diagnostic], source: Source<'_>, also: Option<Source<'_>>) {
        if let Some(log) = self.log.borrow_mut().as_mut() {
            let (source, also) = (Input::keep(source), also.map(Input::keep));
            log.push(Logged { source, also, findings: findings.to_vec() });
        }
    }

    /// The SARIF log, if that is the format and it has not been taken yet. `failure` is what went wrong outside the
    /// inputs.
    pub(crate) fn take_log(&self, failure: Option<&str>) -> Option<String> {
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
        let rules: Vec<&Rule> = Isa::ALL.iter().flat_map(|isa| isa.rules()).collect();
        Some(render_sarif(&reports, &rules, failure.as_slice()))
    }

    /// Writes what is written at the end, whatever the verb was.
    pub(crate) fn finish(&self, failure: Option<&str>) {
        if let Some(log) = self.take_log(failure) {
            let _ = std::io::stderr().lock().write_all(log.as_bytes());
        } else if let Some(message) = failure {
            self.complain(message);
        }
    }

    /// Says something about what was done, on standard error.
    pub(crate) fn tell(&self, message: &str) {
        if matches!(self.format, MessageFormat::Human | MessageFormat::Short) {
            // Nobody is left to tell when standard error fails.
            let _ = writeln!(std::io::stderr().lock(), "{message}");
        }
    }

    /// Reports a usage or input/output failure.
    pub(crate) fn complain(&self, message: &str) {
        let (on, off) = if self.color_err { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
        let mut err = std::io::stderr().lock();
        // Nobody is left to tell when standard error fails.
        let _ = match self.format {
            MessageFormat::Json => {
                let value = serde_json::json!({ "severity": "error", "id": "usage", "message": message });
                writeln!(err, "{value}")
            }
            _ => writeln!(err, "vecasm: {on}error{off}: {message}"),
        };
    }

    /// The findings in the chosen format; those for the SARIF log are kept for its end.
    pub(crate) fn render(&self, findings: &[Diagnostic], source: Source<'_>, color: bool) -> String {
        let mut out = String::new();
        if self.format == MessageFormat::Sarif {
            self.log(findings, source, None);
        }
        let renderer = Renderer::new(source);
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
    pub(crate) fn report(&self, findings: &[Diagnostic], source: Source<'_>) {
        let text = self.render(findings, source, self.color_err);
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
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
