//! What is wrong with a program. So far: its table of constants.

use super::{ctab, program::Program};
use crate::diag::{Diagnostic, Provenance, Rule, Severity};
use alloc::vec::Vec;

/// The rules of this room.
pub const RULES: &[Rule] = &[Rule {
    id: "D3D9-unchecked",
    number: 0,
    severity: Severity::Note,
    message: "the rules of the runtime are not checked",
    reason: "This version reads programs of Direct3D 8 and 9; whether the runtime accepts them it does not know.",
    provenance: Provenance::Own,
}];

/// Every finding about a program: those of its table of constants, and that nothing else is looked at.
pub fn validate(program: &Program) -> Vec<Diagnostic> {
    let mut findings = ctab::of(program).1;
    findings.push(Diagnostic::new(RULES[0].severity, RULES[0].id, RULES[0].message));
    findings
}
