//! How the passes report: rules as rows beside the pass, findings in the order of the program up to a limit.

use super::code::Instruction;
use crate::d3d9::program::{Item, Version};
use crate::d3d9::text;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Display, Write as _};
use vecasm_ir::diag::{Diagnostic, Place, Rule, Severity};

/// One line a rule: its constant, id, the number that the runtime gives (0 if none is known), severity, how it is known,
/// message (`%1`, `%2`… are arguments) and reason. Makes a constant each and `RULES`.
macro_rules! rules {
    ($( $C:ident $id:literal $number:literal $severity:ident $p:ident $message:literal, $reason:literal; )*) => {
        $( const $C: vecasm_ir::diag::Rule = vecasm_ir::diag::Rule {
            id: $id, number: $number, severity: vecasm_ir::diag::Severity::$severity, message: $message, reason: $reason,
            provenance: vecasm_ir::diag::Provenance::$p,
        }; )*
        /// The rules of this pass.
        pub(in crate::d3d9) const RULES: &[vecasm_ir::diag::Rule] = &[$($C),*];
    };
}
pub(super) use rules;

/// Most findings that are kept.
const MAX_FINDINGS: usize = 1000;

/// The note that findings are left out; text has the rule.
const MORE: &str = "D3D9-more-findings";

/// Where findings about the program as a whole stand: behind all others.
const WHOLE: u32 = u32::MAX;

/// Collects findings.
#[derive(Debug)]
pub(super) struct Findings {
    version: Version,
    list: Vec<(u32, Diagnostic)>,
    left_out: usize,
    errors: bool,
}

/// A message with its arguments in place of `%1`, `%2`…
fn message(template: &str, args: &[&dyn Display]) -> String {
    let mut out = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some(at) = rest.find('%') {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let digit = behind.as_bytes().get(1).and_then(|b| b.checked_sub(b'1'));
        match digit.and_then(|n| args.get(usize::from(n))) {
            Some(arg) => {
                let _ = write!(out, "{arg}");
                rest = behind.get(2..).unwrap_or("");
            }
            None => {
                out.push('%');
                rest = behind.get(1..).unwrap_or("");
            }
        }
    }
    out.push_str(rest);
    out
}

impl Findings {
    /// A collector for a program of that version.
    pub(super) const fn new(version: Version) -> Self {
        Self { version, list: Vec::new(), left_out: 0, errors: false }
    }

    #[cold]
    fn push(&mut self, rule: &Rule, at: u32, place: Place, args: &[&dyn Display]) -> Option<&mut Diagnostic> {
        // The first error is kept, so that what is refused says why.
        let first = rule.severity == Severity::Error && !self.errors;
        self.errors |= rule.severity == Severity::Error;
        if self.list.len() >= MAX_FINDINGS && !first {
            self.left_out += 1;
            return None;
        }
        let finding = Diagnostic::new(rule.severity, rule.id, message(rule.message, args)).at(place);
        self.list.push((at, finding));
        self.list.last_mut().map(|row| &mut row.1)
    }

    /// A finding about an instruction.
    #[cold]
    pub(super) fn at(&mut self, rule: &Rule, instruction: &Instruction<'_>, args: &[&dyn Display]) {
        let version = self.version;
        let offset = instruction.item.start;
        let place = Place::Binary { offset: offset.saturating_mul(4), token: Some(instruction.number) };
        if let Some(finding) = self.push(rule, offset, place, args) {
            finding.instruction = Some(text::instruction(version, instruction.words));
        }
    }

    /// A finding about words that are no instruction.
    #[cold]
    pub(super) fn item(&mut self, rule: &Rule, item: Item, args: &[&dyn Display]) {
        let place = Place::Binary { offset: item.start.saturating_mul(4), token: None };
        self.push(rule, item.start, place, args);
    }

    /// A finding about the program as a whole.
    #[cold]
    pub(super) fn whole(&mut self, rule: &Rule, args: &[&dyn Display]) {
        self.push(rule, WHOLE, Place::Whole, args);
    }

    /// The findings in the order of the program, those about the whole of it last.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        let mut list = self.list;
        list.sort_by_key(|row| row.0);
        let mut out: Vec<Diagnostic> = list.into_iter().map(|row| row.1).collect();
        if self.left_out > 0 {
            let message = alloc::format!("{} more findings are not listed", self.left_out);
            out.push(Diagnostic::new(Severity::Note, MORE, message));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_take_their_places() {
        assert_eq!(message("%2 and %1, 100% %3", &[&"a", &7]), "7 and a, 100% %3");
    }
}
