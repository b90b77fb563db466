//! Why a program cannot be lifted.

use alloc::string::String;
use vecasm_ir::diag::{Diagnostic, Rule};

/// Why an instruction cannot be lifted.
#[derive(Debug)]
pub struct Refusal {
    rule: &'static Rule,
    message: String,
}

impl Refusal {
    /// By a rule.
    #[cold]
    pub(crate) fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        Self { rule, message: message.into() }
    }

    /// The finding that says so.
    #[cold]
    pub(crate) fn finding(self) -> Diagnostic {
        self.rule.finding(self.message)
    }
}

/// What is lifted, or why not.
pub(crate) type Result<T> = core::result::Result<T, Refusal>;
