//! Laying a text out anew.

use super::dialect::Dialect;
use super::enclosed;
use super::options::ParseOptions;
use super::parse::{is_around_programs, parse};
use crate::text::layout::{Language, Sheet, TextLine, lay_out_parts, take_line};
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;

/// Lays a text out anew: one blank where there are several, none in front of a comma (in NV_vertex_program, of a
/// semicolon) and one behind it, one around `+`, no blanks at the ends of lines, two in front of a comment behind a
/// statement unless comments are lined up, at most one empty line in a row and none at start and end. Words, comments, lines and the program stay as
/// they are; of logs the lines, which no person writes, too.
///
/// # Errors
///
/// The errors of [`parse`].
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let options = ParseOptions::default();
    let (program, findings) = parse(text, &options);
    match program {
        Some(_) if is_around_programs(text) => {
            Ok(lay_out_parts(text, enclosed::plain_spans(text).into_iter(), lay_out))
        }
        Some(_) => Ok(lay_out(text, options.dialect_of(text))),
        None => Err(findings),
    }
}

fn lay_out(text: &str, dialect: Dialect) -> String {
    let mut out = Sheet::with_capacity(text.len() + 1);
    let mut rest = text;
    while !rest.is_empty() {
        let mut line = String::new();
        let taken = if dialect == Dialect::Log {
            let end = rest.find('\n').map_or(rest.len(), |n| n + 1);
            let (whole, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
            line.push_str(whole);
            TextLine { rest, comment: None }
        } else {
            let language = if dialect == Dialect::Vp { Language::VertexProgram } else { Language::Assembler };
            take_line(rest, language, &mut line)
        };
        rest = taken.rest;
        let line = line.trim_end();
        if line.is_empty() {
            out.skip_line();
            continue;
        }
        out.begin_line();
        taken.push(line, 0, &mut out);
        out.end_line();
    }
    out.finish()
}
