//! What speaks against lowering a shader: all of it, each with the instruction of the source.

use crate::rules;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt::Display;
use vecasm_ir::diag::{Diagnostic, Rule};
use vecasm_ir::ir::Promise;

/// Why a shader cannot be lowered.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The finding, without a place.
    pub finding: Diagnostic,
    /// Number of the source instruction, from 0; `None` if it is about the program as a whole.
    pub step: Option<u32>,
}

/// The reasons so far, and what is kept of the shader.
#[derive(Clone)]
pub(crate) struct Refusals {
    /// What messages call the target.
    pub(crate) target: &'static str,
    pub(crate) list: Vec<Reason>,
    /// What was kept so far, and the least that has to be.
    pub(crate) promise: Promise,
    pub(crate) least: Promise,
    /// What is worth knowing: operations that are kept close only.
    pub(crate) notes: Vec<Reason>,
}

impl Refusals {
    pub(crate) const fn new(target: &'static str) -> Self {
        let notes = Vec::new();
        Self { target, list: Vec::new(), promise: Promise::Exact, least: Promise::Approximate, notes }
    }

    /// Keeps an operation only so; `differs` says where results differ.
    pub(crate) fn weaken(&mut self, promise: Promise, operation: &str, differs: &str, step: u32) {
        self.promise = self.promise.weaker(promise);
        if promise.is_weaker_than(self.least) {
            let (target, kept, asked) = (self.target, promise.name(), self.least.name());
            self.add(rules::PROMISE, &[&target, &operation, &kept, &asked], step);
        } else if promise.is_weaker_than(Promise::Operations) {
            let message = rules::CLOSE.fill(&[&operation, &differs]).to_string();
            if !self.notes.iter().any(|note| note.finding.message == message) {
                self.notes.push(Reason { finding: rules::CLOSE.finding(message), step: Some(step) });
            }
        }
    }

    /// Adds a reason, once for each message: the first place counts.
    pub(crate) fn add(
        &mut self,
        rule: &'static Rule,
        arguments: &[&dyn Display],
        step: impl Into<Option<u32>>,
    ) {
        let message = rule.fill(arguments).to_string();
        let known = |reason: &Reason| reason.finding.id == rule.id && reason.finding.message == message;
        if !self.list.iter().any(known) {
            self.list.push(Reason { finding: rule.finding(message), step: step.into() });
        }
    }
}
