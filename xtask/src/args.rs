//! The arguments of a task, and how it ends.

use crate::root;
use std::path::PathBuf;

/// How a task ends.
pub(crate) enum Outcome {
    /// Nothing is wrong.
    Fine,
    /// The task did its work and found something wrong; it has said what.
    Wrong,
    /// The task could not do its work: bad arguments or an unreadable file.
    Usage(String),
}

impl Outcome {
    /// Fine or wrong.
    pub(crate) fn of(fine: bool) -> Self {
        if fine { Self::Fine } else { Self::Wrong }
    }
}

/// Arguments of a task: what stands alone, and the values of `--name value` or `--name=value`.
pub(crate) struct Args {
    alone: Vec<String>,
    named: Vec<(String, Option<String>)>,
}

impl Args {
    /// Reads arguments; `valued` are the options that take a value, `flags` those that take none.
    pub(crate) fn parse(args: &[String], valued: &[&str], flags: &[&str]) -> Result<Self, String> {
        let mut out = Self { alone: Vec::new(), named: Vec::new() };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let Some(option) = arg.strip_prefix("--") else {
                out.alone.push(arg.clone());
                continue;
            };
            let (name, inline) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (option, None),
            };
            if flags.contains(&name) && inline.is_none() {
                out.named.push((name.to_string(), None));
            } else if valued.contains(&name) {
                let value = match inline {
                    Some(value) => value,
                    None => args.next().ok_or_else(|| format!("--{name} needs a value"))?.clone(),
                };
                out.named.push((name.to_string(), Some(value)));
            } else {
                return Err(format!("no option is called {arg}"));
            }
        }
        Ok(out)
    }

    /// What stands alone.
    pub(crate) fn alone(&self) -> &[String] {
        &self.alone
    }

    /// The last value of an option.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.named.iter().rev().find(|(n, _)| n == name)?.1.as_deref()
    }

    /// Whether a flag was given.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.named.iter().any(|(n, _)| n == name)
    }

    /// The number given to an option, or `default`.
    pub(crate) fn number(&self, name: &str, default: u64) -> Result<u64, String> {
        match self.value(name) {
            None => Ok(default),
            Some(text) => {
                let digits: String = text.chars().filter(|&c| c != '_' && c != ',').collect();
                digits.parse().map_err(|_| format!("--{name} needs a number, not {text}"))
            }
        }
    }

    /// The folder of corpus, oracles and calibration: `--shared DIR`, else `../shared` beside the workspace.
    pub(crate) fn shared(&self) -> PathBuf {
        match self.value("shared") {
            Some(dir) => PathBuf::from(dir),
            None => root().join("../shared"),
        }
    }
}
