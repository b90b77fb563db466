//! From a text with everything a preprocessor does to a program, with places in the files it was made of.

use super::enclosed;
use super::parse::{self, ReadOptions};
use super::preprocess::{self, File, Finding, Include, Options, Origin, preprocess};
use crate::d3d9::program::Program;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Span};

/// A text that was assembled.
#[derive(Clone, Debug, Default)]
pub struct Assembled {
    /// The program, if there is no error.
    pub program: Option<Program>,
    /// Every file that was read, the text itself first.
    pub files: Vec<File>,
    /// What is found, by file.
    pub findings: Vec<Finding>,
    /// Where each instruction of the program comes from.
    pub places: Vec<Origin>,
}

/// Preprocesses a text and assembles the result. `include` gives the files that it includes.
pub fn assemble(
    text: &str,
    options: &Options<'_>,
    reading: &ReadOptions<'_>,
    include: &mut Include<'_>,
) -> Assembled {
    let inside = enclosed::alone(text, reading.number);
    let is_inside = matches!(inside, Cow::Owned(_));
    let reading = ReadOptions { number: if is_inside { 0 } else { reading.number }, ..*reading };
    let done = preprocess(&inside, options, include);
    if done.has_errors() {
        return Assembled { program: None, files: done.files, findings: done.findings, places: Vec::new() };
    }
    let (program, findings, spans) = parse::read(&done.text, &reading);
    let places = spans.iter().map(|span| done.origin(*span)).collect();
    let findings = done.located(findings);
    Assembled { program, files: done.files, findings, places }
}

/// Reads a text that has lines for the preprocessor and no files to include.
pub(super) fn alone(text: &str, reading: &ReadOptions<'_>) -> (Option<Program>, Vec<Diagnostic>, Vec<Span>) {
    let mut none = |_: &preprocess::Request<'_>| Err("included files cannot be read here".into());
    let done: Assembled = assemble(text, &Options::default(), reading, &mut none);
    let spans = done.places.iter().map(|origin| origin.span).collect();
    let findings = done.findings.into_iter().map(|finding| finding.diagnostic).collect();
    (done.program, findings, spans)
}
