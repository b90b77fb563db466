//! The rules of assembly text: what the readers of this room report.

use crate::diag::{Provenance, Rule, Severity};

/// The ids of [`RULES`].
pub(super) mod id {
    pub(in crate::isa::agal::text) const ASSEMBLER: &str = "AGAL-assembler";
    pub(in crate::isa::agal::text) const BAD_LINE: &str = "AGAL-bad-line";
}

const fn rule(id: &'static str, severity: Severity, message: &'static str, reason: &'static str) -> Rule {
    Rule { id, number: 0, severity, message, reason, provenance: Provenance::Own }
}

/// Every rule of assembly text, in the order of a reader's work.
pub const RULES: &[Rule] = &[
    rule(
        id::ASSEMBLER,
        Severity::Error,
        "%1",
        "Adobe's AGALMiniAssembler refuses the text with this message (compat mode).",
    ),
    rule(
        id::BAD_LINE,
        Severity::Warning,
        "bad line %1: %2",
        "Adobe's AGALMiniAssembler does not know the mnemonic and skips the line (compat mode).",
    ),
];
