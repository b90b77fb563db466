//! Laying a text out anew.

use super::errors::{Findings, id};
use super::parse::{ParseOptions, current, parse};
use super::syntax::{Instruction, MAX_OPERANDS, lines};
use crate::diag::{Diagnostic, has_errors};
use crate::isa::agal::program::Stage;
use crate::isa::table::Flow;
use alloc::string::String;
use alloc::vec::Vec;

/// Deepest indentation, in levels; conditionals nested deeper stay there.
const MAX_INDENT: usize = 8;

/// Lays a text in the strict syntax out anew: one space behind the mnemonic, one behind each comma, options as
/// `<2d,linear>`, two spaces before a comment, two more for each open conditional, at most one blank line in a row
/// and none at start and end. Words, comments and the program stay as they are.
///
/// # Errors
///
/// The errors of [`parse`]; only that the stage is unknown does not matter here.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let (_, findings) = parse(text, &ParseOptions::default());
    let unknown_stage = |d: &Diagnostic| d.id == id::STAGE_UNKNOWN;
    if findings.iter().any(unknown_stage) {
        let options = ParseOptions { stage: Some(Stage::Fragment), version: None };
        let (_, findings) = parse(text, &options);
        if has_errors(&findings) {
            return Err(findings);
        }
    } else if has_errors(&findings) {
        return Err(findings);
    }
    Ok(lay_out(text))
}

fn lay_out(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut blank = false;
    for line in lines(text) {
        if line.code.is_empty() && line.comment.is_none() {
            blank = !out.is_empty();
            continue;
        }
        if blank {
            out.push('\n');
            blank = false;
        }
        if line.code.text.starts_with('.') {
            for (i, word) in line.code.text.split_whitespace().enumerate() {
                if i > 0 {
                    out.push(' ');
                }
                out.push_str(word);
            }
        } else {
            let instruction =
                (!line.code.is_empty()).then(|| Instruction::cut(line.code, &mut Findings::counting()));
            let flow = instruction.as_ref().and_then(|i| current(i.mnemonic.text)).map(|op| op.row().flow);
            if matches!(flow, Some(Flow::Else | Flow::EndIf)) {
                depth = depth.saturating_sub(1);
            }
            for _ in 0..depth.min(MAX_INDENT) {
                out.push_str("  ");
            }
            if matches!(flow, Some(Flow::If | Flow::Else)) {
                depth += 1;
            }
            if let Some(instruction) = instruction {
                push_instruction(&mut out, &instruction);
            }
        }
        if let Some(comment) = line.comment {
            if !line.code.is_empty() {
                out.push_str("  ");
            }
            out.push_str(comment);
        }
        out.push('\n');
    }
    out
}

fn push_instruction(out: &mut String, instruction: &Instruction<'_>) {
    out.push_str(instruction.mnemonic.text);
    for (i, operand) in instruction.operands.iter().take(instruction.count.min(MAX_OPERANDS)).enumerate() {
        out.push_str(if i == 0 { " " } else { ", " });
        out.push_str(operand.text);
    }
    if let Some((words, _)) = &instruction.options {
        out.push_str(" <");
        for (i, word) in words.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            out.push_str(word.text);
        }
        out.push('>');
    }
}
