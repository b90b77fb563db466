//! Laying a text out anew.

use super::dialect::Dialect;
use super::options::ParseOptions;
use super::parse::parse;
use crate::diag::Diagnostic;
use alloc::string::String;
use alloc::vec::Vec;

/// Lays a text out anew: one blank where there are several, none in front of a comma (in NV_vertex_program, of a
/// semicolon) and one behind it, one around `+`, no blanks at the ends of lines, two in front of a comment behind a
/// statement, at most one empty line in a row and none at start and end. Words, comments, lines and the program stay as
/// they are; of logs the lines, which no person writes, too.
///
/// # Errors
///
/// The errors of [`parse`].
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let options = ParseOptions::default();
    let (program, findings) = parse(text, &options);
    match program {
        Some(_) => Ok(lay_out(text, options.dialect_of(text))),
        None => Err(findings),
    }
}

fn lay_out(text: &str, dialect: Dialect) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    let mut rest = text;
    let mut blank = false;
    while !rest.is_empty() {
        let mut line = String::new();
        if dialect == Dialect::Log {
            let end = rest.find('\n').map_or(rest.len(), |n| n + 1);
            line.push_str(rest.get(..end).unwrap_or(""));
            rest = rest.get(end..).unwrap_or("");
        } else {
            rest = take_line(rest, dialect, &mut line);
        }
        let line = line.trim_end();
        if line.is_empty() {
            blank = !out.is_empty();
            continue;
        }
        if blank {
            out.push('\n');
            blank = false;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// Appends one line, laid out, and gives what is behind it. A comment that has several lines belongs to the one it
/// begins on.
fn take_line<'a>(text: &'a str, dialect: Dialect, out: &mut String) -> &'a str {
    let mut rest = text;
    // Whether a blank stands between what is out and what comes.
    let mut gap = false;
    while let Some(c) = rest.chars().next() {
        if matches!(c, '\n' | '\r') {
            // One line end may be two characters.
            return rest.strip_prefix("\r\n").unwrap_or(&rest[1..]);
        }
        let vp = dialect == Dialect::Vp;
        let comment = match c {
            '#' if vp => rest.find(['\n', '\r']).or(Some(rest.len())),
            _ if vp => None,
            ';' => rest.find(['\n', '\r']).or(Some(rest.len())),
            '/' if rest.starts_with("//") => rest.find(['\n', '\r']).or(Some(rest.len())),
            '/' if rest.starts_with("/*") => {
                rest.get(2..).and_then(|r| r.find("*/")).map(|n| n + 4).or(Some(rest.len()))
            }
            _ => None,
        };
        if let Some(end) = comment {
            let (comment, behind) = rest.split_at(end);
            if !out.is_empty() {
                out.push_str("  ");
            }
            out.push_str(comment.trim_end());
            rest = behind;
            gap = true;
            continue;
        }
        rest = rest.get(c.len_utf8()..).unwrap_or("");
        match c {
            '\u{feff}' => {}
            ' ' | '\t' | '\x0b' | '\x0c' => gap = true,
            ',' | ';' => {
                out.push(c);
                gap = true;
            }
            c => {
                if gap && !out.is_empty() {
                    out.push(' ');
                }
                gap = false;
                out.push(c);
            }
        }
    }
    rest
}
