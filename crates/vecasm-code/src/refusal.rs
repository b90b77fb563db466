//! What speaks against lowering a shader: all of it, each with the instruction of the source.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt::Display;
use vecasm_ir::diag::{Diagnostic, Rule};

/// Why a shader cannot be lowered.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The finding, without a place.
    pub finding: Diagnostic,
    /// Number of the source instruction, from 0; `None` if it is about the program as a whole.
    pub step: Option<u32>,
}

/// The reasons so far.
pub(crate) struct Refusals {
    /// What messages call the target.
    pub(crate) target: &'static str,
    pub(crate) list: Vec<Reason>,
}

impl Refusals {
    pub(crate) const fn new(target: &'static str) -> Self {
        Self { target, list: Vec::new() }
    }

    /// Adds a reason, once for each message: the first place counts.
    pub(crate) fn add(&mut self, rule: &'static Rule, arguments: &[&dyn Display], step: impl Into<Option<u32>>) {
        let message = rule.fill(arguments).to_string();
        let known = |reason: &Reason| reason.finding.id == rule.id && reason.finding.message == message;
        if !self.list.iter().any(known) {
            self.list.push(Reason { finding: rule.finding(message), step: step.into() });
        }
    }
}
