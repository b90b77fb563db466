//! `check FILE…` reports every finding about the programs of files, a line each. The status is 1 if a
//! file cannot be read or holds a program that the original runtime refuses.

use std::process::ExitCode;
use vecasm::diag::has_errors;
use vecasm::open::{AssumedNotation, ReadError};
use vecasm::{CheckOptions, NoHost, OpenOptions, open};

/// The findings of a file as lines, and whether one of its programs is refused.
pub fn findings(file: &str, bytes: &[u8]) -> (Vec<String>, bool) {
    let (mut lines, mut refused) = (Vec::new(), false);
    let opened = open(bytes, &OpenOptions::named(file).with_likely(AssumedNotation::Anything), &mut NoHost);
    for one in &opened.programs {
        let (renderer, found) = match one {
            Ok(program) => (program.renderer(), program.check(&CheckOptions::default())),
            Err(ReadError::Bad(found)) => (opened.renderer(), found.clone()),
            Err(ReadError::Unknown(why)) => {
                lines.push(format!("{file}: {why}"));
                refused = true;
                continue;
            }
        };
        lines.extend(found.iter().map(|finding| renderer.short(finding)));
        refused |= has_errors(&found);
    }
    (lines, refused)
}

fn main() -> ExitCode {
    let mut refused = false;
    for file in std::env::args().skip(1) {
        let (lines, bad) = match std::fs::read(&file) {
            Ok(bytes) => findings(&file, &bytes),
            Err(why) => (vec![format!("{file}: {why}")], true),
        };
        lines.iter().for_each(|line| eprintln!("{line}"));
        refused |= bad;
    }
    ExitCode::from(u8::from(refused))
}
