//! Laying a text out anew.

use super::errors::{Findings, id};
use super::parse::current;
use super::syntax::{Instruction, MAX_OPERANDS, lines};
use crate::table::Flow;
use crate::text::layout::Sheet;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;

/// Deepest indentation, in levels; conditionals nested deeper stay there.
const MAX_INDENT: usize = 8;

/// Lays a text in the strict syntax out anew: one space behind the mnemonic, one behind each comma, options as
/// `<2d,linear>`, two spaces before a comment unless comments are lined up, two more for each open conditional, at most one
/// blank line in a row and none at start and end. Words, comments and the program stay as they are. Words may be unknown,
/// and operands too many or too few: the layout does not depend on what they mean.
///
/// # Errors
///
/// What keeps lines from being cut into words: a comma too many or too few, and what does not belong to sampler options.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let mut findings = Findings::new(id::MORE);
    let out = lay_out(text, &mut findings);
    if findings.has_errors() { Err(findings.finish()) } else { Ok(out) }
}

fn lay_out(text: &str, findings: &mut Findings) -> String {
    let mut out = Sheet::with_capacity(text.len());
    let mut depth = 0_usize;
    for line in lines(text) {
        if line.code.is_empty() && line.comment.is_none() {
            out.skip_line();
            continue;
        }
        out.begin_line();
        let indent = depth.min(MAX_INDENT);
        if line.code.text.starts_with('.') {
            for (i, word) in line.code.text.split_whitespace().enumerate() {
                out.push(if i > 0 { " " } else { "" });
                out.push(word);
            }
        } else if !line.code.is_empty() {
            let instruction = Instruction::cut(line.code, findings);
            let flow = current(instruction.mnemonic.text).map(|op| op.row().flow);
            if matches!(flow, Some(Flow::Else | Flow::EndIf)) {
                depth = depth.saturating_sub(1);
            }
            out.indent(depth.min(MAX_INDENT));
            if matches!(flow, Some(Flow::If | Flow::Else)) {
                depth += 1;
            }
            if instruction.count > MAX_OPERANDS {
                out.push(line.code.text);
            } else {
                push_instruction(&mut out, &instruction);
            }
        }
        if let Some(comment) = line.comment {
            let before = text.get(..comment.at).unwrap_or("");
            if line.code.is_empty() {
                out.push_own(before, comment.text, indent);
            } else {
                out.push_trailing(Some(before), comment.text);
            }
        }
        out.end_line();
    }
    out.finish()
}

fn push_instruction(out: &mut Sheet, instruction: &Instruction<'_>) {
    out.push(instruction.mnemonic.text);
    for (i, operand) in instruction.operands.iter().take(instruction.count.min(MAX_OPERANDS)).enumerate() {
        out.push(if i == 0 { " " } else { ", " });
        out.push(operand.text);
    }
    if let Some((words, _)) = &instruction.options {
        out.push(" <");
        for (i, word) in words.iter().enumerate() {
            if i > 0 {
                out.push(",");
            }
            out.push(word.text);
        }
        out.push(">");
    }
}
