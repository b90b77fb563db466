//! Laying a text out anew.

use super::parse::parse;
use super::preprocess;
use crate::diag::Diagnostic;
use crate::isa::layout::{Comments, take_line};
use alloc::string::String;
use alloc::vec::Vec;

/// Lays a text out anew: one blank where there are several, none in front of a comma and one behind it, no blanks at the
/// ends of lines, two in front of a comment behind a statement, four in front of statements, none in front of
/// the model and directives, at most one empty line in a row and none at start and end. Words, comments, lines and the
/// program stay as they are.
///
/// # Errors
///
/// The errors of [`parse`].
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    match parse(text) {
        (Some(_), _) => Ok(lay_out(text)),
        (None, findings) => Err(findings),
    }
}

fn lay_out(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8 + 1);
    let mut rest = text.trim_start_matches('\u{feff}');
    let mut blank = false;
    // The model stands at the margin.
    let mut seen_model = false;
    while !rest.is_empty() {
        let mut line = String::new();
        let directive = rest.trim_start_matches([' ', '\t']).starts_with('#');
        if directive {
            rest = rest.trim_start_matches([' ', '\t']);
            let (whole, behind) = rest.split_at_checked(preprocess::line_len(rest)).unwrap_or((rest, ""));
            line.push_str(whole);
            rest = behind;
        } else {
            rest = take_line(rest, Comments::Direct3d, &mut line);
        }
        let line = line.trim_end();
        if line.is_empty() {
            blank = !out.is_empty();
            continue;
        }
        if core::mem::take(&mut blank) {
            out.push('\n');
        }
        let comment = line.starts_with(';') || line.starts_with("//") || line.starts_with("/*");
        if directive {
            // As it stands.
        } else if seen_model && (!line.starts_with(['.', '+']) || line.starts_with(".comment")) {
            out.push_str("    ");
        } else if seen_model && line.starts_with('+') {
            out.push_str("  ");
        }
        seen_model |= !comment && !directive;
        out.push_str(line);
        out.push('\n');
    }
    out
}
