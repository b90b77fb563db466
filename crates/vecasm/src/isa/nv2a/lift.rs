//! To the IR.

use super::program::Program;
use crate::diag::{Diagnostic, Provenance, Rule, Severity};
use crate::ir::Shader;

/// The rules of this room.
pub const RULES: &[Rule] = &[Rule {
    id: "NV2A-no-meaning",
    number: 0,
    severity: Severity::Error,
    message: "programs of the NV2A are not lifted",
    reason: "This version reads, checks and writes programs of the NV2A; it does not run or translate them.",
    provenance: Provenance::Own,
}];

/// Lifts a program.
///
/// # Errors
///
/// `NV2A-no-meaning`, always: see the rule.
pub fn lift(_program: &Program) -> Result<Shader, Diagnostic> {
    Err(Diagnostic::error(RULES[0].id, RULES[0].message))
}
