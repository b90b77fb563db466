//! Showing findings, and the settings that all verbs share.

use crate::args::{Color, General, MessageFormat};
use std::io::{IsTerminal as _, Write as _};
use vecasm::diag::{self, Diagnostic, Severity, Source};

/// The settings that all verbs share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ctx {
    /// How findings are written.
    pub(crate) format: MessageFormat,
    /// Whether standard output gets colours.
    pub(crate) color_out: bool,
    /// Whether standard error gets colours.
    pub(crate) color_err: bool,
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

    /// The findings in the chosen format.
    pub(crate) fn render(&self, findings: &[Diagnostic], source: Source<'_>, color: bool) -> String {
        let mut out = String::new();
        for finding in findings {
            match self.format {
                MessageFormat::Human => {
                    out.push_str(&diag::render_human(finding, source, color));
                    out.push('\n');
                }
                MessageFormat::Short => {
                    out.push_str(&diag::render_short(finding, source));
                    out.push('\n');
                }
                MessageFormat::Json => {
                    out.push_str(&diag::render_json(finding, source));
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
