//! Laying a text out anew.

use super::enclosed;
use super::listing::{MAX_INDENT, indents};
use super::parse::parse;
use super::preprocess;
use crate::d3d9::table::Opcode;
use crate::table::Flow;
use crate::text::cursor;
use crate::text::layout::{Language, Sheet, TextLine, lay_out_parts, take_line};
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;

/// Lays a text out anew: one blank where there are several, none in front of a comma and one behind it, no blanks at the
/// ends of lines, two in front of a comment behind a statement unless comments are lined up, four in front of statements and two more
/// for each open block, as in the listings of Microsoft's compilers, none in front of the model and directives, at most one empty line in a row and none at start and end. Words, comments, lines and the
/// program stay as they are.
///
/// # Errors
///
/// The errors of [`parse`].
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    match parse(text) {
        (Some(_), _) if super::contains_program(text) => {
            let parts = enclosed::plain_spans(text).into_iter().map(|span| (span, ()));
            let read = |part: &str| parse(part).0.is_some();
            Ok(lay_out_parts(text, parts, |part, ()| if read(part) { lay_out(part) } else { part.into() }))
        }
        (Some(_), _) => Ok(lay_out(text)),
        (None, findings) => Err(findings),
    }
}

/// What the words of a line do to the levels of indentation: how many blocks it ends in front, and how many more it begins
/// than ends after that.
fn blocks(line: &str, words: &[(&str, Flow)]) -> (usize, isize) {
    let (mut front, mut delta, mut is_front) = (0, 0, true);
    for (_, word) in cursor::words(line) {
        let base = word.split('_').next().unwrap_or(word);
        let flow = words.iter().find(|(name, _)| name.eq_ignore_ascii_case(base));
        let (closes, opens) = flow.map_or((false, false), |(_, flow)| indents(*flow));
        match closes {
            true if is_front => front += 1,
            true => delta -= 1,
            false => {}
        }
        delta += isize::from(opens);
        is_front = false;
    }
    (front, delta)
}

/// What statements are indented by.
const STATEMENT: usize = 2;

fn lay_out(text: &str) -> String {
    let mut out = Sheet::with_capacity(text.len() + text.len() / 8 + 1);
    let mut rest = text;
    // A mark may follow empty lines, too.
    while let Some(marked) = rest.trim_start().strip_prefix('\u{feff}') {
        rest = marked;
    }
    // The model is at the margin.
    let mut seen_model = false;
    let mut depth = 0_usize;
    let rows = Opcode::ALL.iter().map(|op| op.row()).filter(|row| row.flow != Flow::Straight);
    let words: Vec<(&str, Flow)> =
        rows.flat_map(|row| row.forms.iter().map(|form| (form.name, row.flow))).collect();
    while !rest.is_empty() {
        let mut line = String::new();
        let directive = preprocess::begins_line(rest);
        let taken = if directive {
            rest = rest.trim_start_matches([' ', '\t', '\x0b', '\x0c']);
            let (whole, rest) = rest.split_at_checked(preprocess::line_len(rest)).unwrap_or((rest, ""));
            line.push_str(whole);
            TextLine { rest, comment: None }
        } else {
            take_line(rest, Language::Direct3d, &mut line)
        };
        rest = taken.rest;
        let line = line.trim_end();
        if line.is_empty() {
            out.skip_line();
            continue;
        }
        out.begin_line();
        let comment = line.starts_with(';') || line.starts_with("//") || line.starts_with("/*");
        let mut levels = 0;
        if seen_model && !directive {
            let code = taken.comment.and_then(|(at, _)| line.get(..at)).unwrap_or(line);
            let (front, delta) = if comment || line.starts_with('.') { (0, 0) } else { blocks(code, &words) };
            depth = depth.saturating_sub(front);
            let statement = match line.as_bytes().first() {
                Some(b'+') => STATEMENT - 1,
                Some(b'.') if !line.starts_with(".comment") => 0,
                _ => STATEMENT,
            };
            levels = statement + if statement > 0 { depth.min(MAX_INDENT) } else { 0 };
            depth = depth.saturating_add_signed(delta);
        }
        seen_model |= !comment && !directive;
        taken.push(line, levels, &mut out);
        out.end_line();
    }
    out.finish()
}
