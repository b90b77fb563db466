//! How the passes report: findings in the order of the program up to a limit.

use super::code::Instruction;
use crate::d3d9::program::{Item, Version};
use crate::d3d9::text;
use alloc::vec::Vec;
use core::fmt::Display;
pub(super) use vecasm_ir::diag::rules;
use vecasm_ir::diag::{Diagnostic, Place, Rule, Severity};

/// Collects findings.
#[derive(Debug)]
pub(super) struct Findings {
    version: Version,
    all: crate::findings::Findings,
}

impl Findings {
    /// A collector for a program of that version.
    pub(super) const fn new(version: Version) -> Self {
        Self { version, all: crate::findings::Findings::new(text::id::MORE) }
    }

    #[cold]
    fn push(&mut self, rule: &Rule, place: Place, args: &[&dyn Display]) -> Option<&mut Diagnostic> {
        self.all.push(rule.severity, rule.id, place, rule.fill(args))
    }

    /// A finding about an instruction.
    #[cold]
    pub(super) fn at(&mut self, rule: &Rule, instruction: &Instruction<'_>, args: &[&dyn Display]) {
        let version = self.version;
        let offset = instruction.item.start.saturating_mul(4);
        let place = Place::Binary { offset, token: Some(instruction.number) };
        if let Some(finding) = self.push(rule, place, args) {
            finding.instruction = Some(text::instruction(version, instruction.words));
        }
    }

    /// A finding about words that are no instruction.
    #[cold]
    pub(super) fn item(&mut self, rule: &Rule, item: Item, args: &[&dyn Display]) {
        self.push(rule, Place::Binary { offset: item.start.saturating_mul(4), token: None }, args);
    }

    /// A finding about the program as a whole.
    #[cold]
    pub(super) fn at_program(&mut self, rule: &Rule, args: &[&dyn Display]) {
        self.push(rule, Place::Whole, args);
    }

    /// The findings in the order of the program, those about the whole of it last.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.all.sort();
        self.all.finish_with(|count| {
            let message = alloc::format!("{count} more findings are not listed");
            Diagnostic::new(Severity::Note, text::id::MORE, message)
        })
    }
}
