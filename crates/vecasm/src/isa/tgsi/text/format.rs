//! Reformatting texts, and programs inside other texts.

use super::parse::{Reader, read_any};
use super::{id, log};
use crate::diag::{Diagnostic, Severity, Span};
use crate::isa::table::Flow;
use crate::isa::tgsi::program::Token;
use crate::isa::without_padding;
use alloc::string::String;
use alloc::vec::Vec;

/// Deepest indentation, in levels.
const MAX_INDENT: usize = 32;

/// Reformats a text: a statement a line, instructions indented as they nest, their numbers, where they have some, in
/// three columns, one blank behind commas and between words and no other, comments where they are, at most one empty
/// line in a row and none at start and end. Words, numbers and the program stay as they are. Of a text with programs in it,
/// such as a log or a page of Markdown, the programs are reformatted, and everything around them stays.
///
/// # Errors
///
/// What is wrong with a text or a program that cannot be read; programs with something in front of their lines, and those in
/// string literals.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let text = without_padding(text);
    let findings = match alone(text) {
        Err(findings) => findings,
        done => return done,
    };
    let places = log::places(text);
    let around = |place: &log::Place<'_>| {
        let behind = text.get(place.span.end as usize..).unwrap_or("");
        place.span.start > 0 || place.indent.is_none() || !behind.trim().is_empty()
    };
    if !places.iter().any(around) {
        return Err(findings);
    }
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut bad = Vec::new();
    let mut at = 0;
    for place in places {
        let (start, end) = (place.span.start as usize, place.span.end as usize);
        let program = text.get(start..end).unwrap_or("");
        let Some(indent) = place.indent else {
            let line = program.lines().next().unwrap_or("");
            let message = "Programs in string literals or after log prefixes are not reformatted";
            let here = crate::diag::Place::Text(Span::new(start, start + line.trim_end().len()));
            let finding = Diagnostic::new(Severity::Error, id::FRONTED, message).at(here);
            bad.push(finding.with_help("`vecasm dis` prints the program alone"));
            continue;
        };
        match alone(without_padding(program)) {
            Ok(done) => {
                out.push_str(text.get(at..start).unwrap_or(""));
                for line in done.lines() {
                    out.push_str(if line.is_empty() { "" } else { indent });
                    out.push_str(line);
                    out.push('\n');
                }
                // What ends the last line is that of the text.
                out.pop();
                at = start + program.trim_end_matches(|c: char| c.is_whitespace() || c == '\0').len();
            }
            Err(findings) => {
                bad.extend(findings.into_iter().map(|finding| shifted(finding, place.span.start)));
            }
        }
    }
    if bad.is_empty() {
        out.push_str(text.get(at..).unwrap_or(""));
        Ok(out)
    } else {
        Err(bad)
    }
}

/// A finding of a program that begins at `by`.
fn shifted(mut finding: Diagnostic, by: u32) -> Diagnostic {
    if let crate::diag::Place::Text(span) = &mut finding.place {
        *span = Span { start: span.start.saturating_add(by), end: span.end.saturating_add(by) };
    }
    finding
}

/// Reformats a text that is one program.
fn alone(text: &str) -> Result<String, Vec<Diagnostic>> {
    let mut reader = Reader::any(text);
    reader.statements = Some(Vec::new());
    let findings = match read_any(reader) {
        Ok(reader) => return Ok(lay_out(text, &reader)),
        Err(findings) => findings,
    };
    // Without the lines of a log it may be a program.
    let logged = log::without_logged(text).filter(|(plain, _)| read_any(Reader::any(plain)).is_ok());
    let Some((_, lines)) = logged else { return Err(findings) };
    let finding = |span| {
        let message = "Programs with lines of a log between their own are not reformatted";
        Diagnostic::error(id::FRONTED, message)
            .at_span(span)
            .with_help("`vecasm dis` prints the program alone")
    };
    Err(lines.into_iter().map(finding).collect())
}

fn lay_out(text: &str, reader: &Reader<'_>) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4 + 1);
    let mut at = 0;
    let mut indent: usize = 0;
    let mut tokens = 0;
    for statement in reader.statements.iter().flatten() {
        let (start, end) = (statement.span.start as usize, statement.span.end as usize);
        let flow = match reader.program.tokens.get(tokens) {
            Some(Token::Instruction(instruction)) if statement.tokens > tokens => {
                instruction.row().map_or(Flow::Straight, |row| row.flow)
            }
            _ => Flow::Straight,
        };
        let is_instruction = statement.tokens > tokens
            && matches!(reader.program.tokens.get(tokens), Some(Token::Instruction(_)));
        tokens = statement.tokens;
        if matches!(flow, Flow::Else | Flow::EndIf | Flow::EndLoop | Flow::EndLabel) {
            indent = indent.saturating_sub(1);
        }
        between(text.get(at..start).unwrap_or(""), &mut out);
        let mut piece = text.get(start..end).unwrap_or("").trim_end();
        if is_instruction {
            if let Some((number, behind)) = numbered(piece) {
                for _ in number.len()..3 {
                    out.push(' ');
                }
                out.push_str(number);
                out.push_str(": ");
                piece = behind;
            }
            for _ in 0..indent.min(MAX_INDENT) {
                out.push_str("  ");
            }
        }
        write_statement(piece, &mut out);
        at = end;
        if matches!(flow, Flow::If | Flow::Else | Flow::Loop | Flow::Label) {
            indent += 1;
        }
    }
    between(text.get(at..).unwrap_or(""), &mut out);
    let len = out.trim_end().len();
    out.truncate(len);
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// The number in front of an instruction, and what is behind its colon.
fn numbered(piece: &str) -> Option<(&str, &str)> {
    let digits = piece.bytes().position(|b| !b.is_ascii_digit())?;
    let (number, rest) = piece.split_at_checked(digits)?;
    let rest = rest.trim_start().strip_prefix(':')?;
    (!number.is_empty()).then_some((number, rest.trim_start()))
}

/// The length of a comment that begins here.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("/*") {
        return Some(text.get(2..).and_then(|inside| inside.find("*/")).map_or(text.len(), |end| end + 4));
    }
    let line = text.starts_with(['#', ';']) || text.starts_with("//");
    line.then(|| text.find('\n').unwrap_or(text.len()))
}

/// What is between two statements: comments, and an empty line if there is one. Behind it a line begins.
fn between(text: &str, out: &mut String) {
    let mut rest = text;
    let mut lines = 0;
    while let Some(c) = rest.chars().next() {
        if let Some(len) = comment(rest) {
            let (found, behind) = rest.split_at_checked(len).unwrap_or((rest, ""));
            if !out.is_empty() {
                match lines {
                    0 if !out.ends_with('\n') => out.push_str("  "),
                    0 | 1 => line(out),
                    _ => {
                        line(out);
                        out.push('\n');
                    }
                }
            }
            out.push_str(found.trim_end());
            rest = behind;
            lines = 0;
        } else {
            lines += usize::from(c == '\n');
            rest = rest.get(c.len_utf8()..).unwrap_or("");
        }
    }
    if !out.is_empty() {
        line(out);
        if lines > 1 {
            out.push('\n');
        }
    }
}

/// Ends a line that has something.
fn line(out: &mut String) {
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Appends a statement with the usual blanks.
fn write_statement(piece: &str, out: &mut String) {
    let mut rest = piece;
    let mut gap = false;
    let mut depth = 0usize;
    let mut bar = false;
    let mut last = '\n';
    while let Some(c) = rest.chars().next() {
        if let Some(len) = comment(rest) {
            let (found, behind) = rest.split_at_checked(len).unwrap_or((rest, ""));
            out.push(' ');
            out.push_str(found.trim_end());
            // A comment to the end of the line needs one.
            out.push(if found.starts_with("/*") { ' ' } else { '\n' });
            (rest, gap, last) = (behind, false, '\n');
            continue;
        }
        rest = rest.get(c.len_utf8()..).unwrap_or("");
        if c.is_ascii_whitespace() {
            gap = true;
            continue;
        }
        let closes_bar = c == '|' && bar;
        let wanted = match (last, c) {
            ('\n', _) => false,
            (_, ',' | ']' | ')' | '}' | '[') => false,
            (',', _) => true,
            _ if depth > 0 || closes_bar => false,
            ('{' | '(' | '!' | '-' | ':' | '=' | '.', _) | (_, '.') => false,
            ('|', _) if bar => false,
            (_, '(') if last != '\n' => false,
            _ => gap,
        };
        if wanted {
            out.push(' ');
        }
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '|' => bar = !bar,
            _ => {}
        }
        out.push(c);
        (gap, last) = (false, c);
    }
}
