//! To the IR.

use super::program::Program;
use crate::diag::{Diagnostic, Provenance, Rule, Severity};
use crate::ir::Shader;

/// The rules of this room.
pub const RULES: &[Rule] = &[Rule {
    id: "D3D9-no-meaning",
    number: 0,
    severity: Severity::Error,
    message: "programs of Direct3D are not lifted",
    reason: "This version reads, prints and writes programs of Direct3D 8 and 9; it does not run or translate them.",
    provenance: Provenance::Own,
}];

/// Lifts a program.
///
/// # Errors
///
/// `D3D9-no-meaning`, always: see the rule.
pub fn lift(_program: &Program) -> Result<Shader, Diagnostic> {
    Err(Diagnostic::error(RULES[0].id, RULES[0].message))
}
