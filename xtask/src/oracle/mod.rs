//! `cargo xtask oracle`: the corpus and the recorded results of real peers, run against the library.
//!
//! One file of checks an oracle file; each gives a [`Report`].

/// What became of one oracle file.
#[derive(Debug, Default)]
pub struct Report {
    /// The file, relative to the shared folder.
    pub file: String,
    /// Cases that gave what was expected.
    pub passed: u64,
    /// Cases that did not: one line each, with the id of the case.
    pub failures: Vec<String>,
    /// Cases left out, by reason. Only what the README of the oracle marks optional or disputed may stand here.
    pub skipped: Vec<(String, u64)>,
}

impl Report {
    /// An empty report.
    pub fn new(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// Counts a case.
    pub fn case(&mut self, id: &str, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(why) => self.failures.push(format!("{id}: {why}")),
        }
    }

    /// Counts a case left out.
    pub fn skip(&mut self, reason: &str) {
        match self.skipped.iter_mut().find(|(r, _)| r == reason) {
            Some((_, n)) => *n += 1,
            None => self.skipped.push((reason.to_string(), 1)),
        }
    }
}
