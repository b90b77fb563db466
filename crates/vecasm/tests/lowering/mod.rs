//! What tests of ways down share.

use std::path::{Path, PathBuf};
use vecasm::CheckOptions;
use vecasm::diag::Severity;
use vecasm::isa::AnyProgram;
use vecasm::lower::LoweredProgram;

/// Programs in text with their names, of the folder of an instruction set.
pub(crate) fn examples(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder of examples");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

/// Fails if the original runtime would refuse a result, if it reads as another program, or if an instruction has no origin.
pub(crate) fn is_sound(name: &str, made: &LoweredProgram) {
    let findings = made.program.validate(&CheckOptions::default());
    let wrong: Vec<_> = findings.iter().filter(|of| of.severity == Severity::Error).collect();
    assert!(wrong.is_empty(), "{name}: {wrong:?}\n{}", made.text);
    let (read, findings) = AnyProgram::parse(made.program.isa(), &made.text, None, None);
    assert_eq!(read.as_ref(), Some(&made.program), "{name}: {findings:?}");
    assert_eq!(
        made.steps.len(),
        made.program.instruction_texts().len(),
        "{name}: each instruction has its origin"
    );
}
