//! Reformatting texts, and programs inside other texts.

use super::cursor::COMMENTS;
use super::parse::{Reader, read_any};
use super::{id, log};
use crate::table::Flow;
use crate::text::Comments;
use crate::text::layout::Sheet;
use crate::tgsi::program::Token;
use crate::without_padding;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use vecasm_ir::diag::{Diagnostic, Severity, Span};

/// Comments in lines of a program that stands in another text, where those with a semicolon are left to the reader.
const AROUND: Comments = Comments { marks: &["//", "#"], ..COMMENTS };

/// Deepest indentation, in levels.
const MAX_INDENT: usize = 32;

/// A text with blanks for the zeros at the ends of its lines, which readers of logs pass over, so that places stay.
fn without_line_padding(text: &str) -> Cow<'_, str> {
    if !text.contains('\0') {
        return Cow::Borrowed(text);
    }
    let blanked = |line: &str| {
        let kept = line.trim_end_matches(|c: char| c.is_whitespace() || c == '\0');
        let (kept, rest) = line.split_at(kept.len());
        [kept, &rest.replace('\0', " ")].concat()
    };
    text.split_inclusive('\n').map(blanked).collect::<String>().into()
}

/// Reformats a text: a statement a line, instructions indented as they nest, their numbers, where they have some, in
/// three columns, one blank behind commas and between words and no other, comments where they are (two blanks behind a
/// statement unless they are lined up), at most one empty line in a row and none at start and end. Words, numbers and the program stay as they are. Of a text with programs in it,
/// such as a log or a page of Markdown, the programs are reformatted, and everything around them stays.
///
/// # Errors
///
/// What is wrong with a text or a program that cannot be read; programs with something in front of their lines, and those in
/// string literals.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let text = &*without_line_padding(without_padding(text));
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
            let here = vecasm_ir::diag::Place::Text(Span::new(start, start + line.trim_end().len()));
            let finding = Diagnostic::new(Severity::Error, id::FRONTED, message).at(here);
            bad.push(finding.with_help("`vecasm dis` prints the program alone"));
            continue;
        };
        let program_alone = without_padding(program);
        // Findings have places in the text as it is; columns of comments are those beside the words.
        match alone(program_alone).and_then(|_| alone(&without_indent(program_alone, indent))) {
            Ok(done) => {
                out.push_str(text.get(at..start).unwrap_or(""));
                // The lines of a comment after its first are part of what it says.
                let mut commented = false;
                for line in done.lines() {
                    out.push_str(if line.is_empty() || commented { "" } else { indent });
                    out.push_str(line);
                    out.push('\n');
                    commented = AROUND.is_open_behind(line, commented);
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

/// The lines of a program without the blanks in front of its header, as far as they have them.
fn without_indent(program: &str, indent: &str) -> String {
    let mut out = String::with_capacity(program.len());
    let mut commented = false;
    for line in program.split_inclusive('\n') {
        let own = line.strip_prefix(indent).filter(|_| !commented);
        out.push_str(own.unwrap_or(line));
        commented = AROUND.is_open_behind(line, commented);
    }
    out
}

/// A finding of a program that begins at `by`.
fn shifted(mut finding: Diagnostic, by: u32) -> Diagnostic {
    if let vecasm_ir::diag::Place::Text(span) = &mut finding.place {
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
    let mut out = Sheet::with_capacity(text.len() + text.len() / 4 + 1);
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
        let mut piece = text.get(start..end).unwrap_or("").trim_end();
        let numbered = is_instruction.then(|| numbered(piece)).flatten();
        // The numbers are a margin, and comments between numbered instructions are in it.
        let levels = if is_instruction && numbered.is_none() { indent.min(MAX_INDENT) } else { 0 };
        between(text, at..start, levels, &mut out);
        if matches!(flow, Flow::Else | Flow::EndIf | Flow::EndLoop | Flow::EndLabel) {
            indent = indent.saturating_sub(1);
        }
        if is_instruction {
            if let Some((number, behind)) = numbered {
                out.push("   ".get(number.len()..).unwrap_or(""));
                out.push(number);
                out.push(": ");
                piece = behind;
            }
            out.indent(indent.min(MAX_INDENT));
        }
        let mut words = String::with_capacity(piece.len() + 8);
        write_statement(piece, &mut words);
        out.push(&words);
        at = end;
        if matches!(flow, Flow::If | Flow::Else | Flow::Loop | Flow::Label) {
            indent += 1;
        }
    }
    between(text, at..text.len(), 0, &mut out);
    out.finish()
}

/// The number in front of an instruction, and what is behind its colon.
fn numbered(piece: &str) -> Option<(&str, &str)> {
    let digits = piece.bytes().position(|b| !b.is_ascii_digit())?;
    let (number, rest) = piece.split_at_checked(digits)?;
    let rest = rest.trim_start().strip_prefix(':')?;
    (!number.is_empty()).then_some((number, rest.trim_start()))
}

/// What is between two statements: comments, those on lines of their own at that many levels of indentation, and an empty
/// line if there is one. Behind it a line begins.
fn between(text: &str, range: Range<usize>, levels: usize, out: &mut Sheet) {
    let mut rest = text.get(range.clone()).unwrap_or("");
    let mut lines = 0;
    // The comment that ends the line so far, and where it is.
    let mut last: Option<(usize, &str)> = None;
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = COMMENTS.at(rest.as_bytes()) {
            let at = range.end - rest.len();
            let (found, behind) = rest.split_at_checked(comment.len).unwrap_or((rest, ""));
            if lines > 0 || out.begins_line() && last.is_none() {
                end(text, last.take(), levels, out);
                if lines > 1 && !out.is_empty() {
                    out.end_line();
                }
            } else if let Some((_, last)) = last {
                if out.begins_line() {
                    out.indent(levels);
                } else {
                    out.push("  ");
                }
                out.push(last);
            }
            last = Some((at, found.trim_end()));
            rest = behind;
            lines = 0;
        } else {
            lines += usize::from(c == '\n');
            rest = rest.get(c.len_utf8()..).unwrap_or("");
        }
    }
    end(text, last, levels, out);
    if lines > 1 && !out.is_empty() {
        out.end_line();
    }
}

/// Ends a line, if there is something, with a comment, if there is one.
fn end(text: &str, last: Option<(usize, &str)>, levels: usize, out: &mut Sheet) {
    if let Some((at, comment)) = last {
        let before = text.get(..at).unwrap_or("");
        // Whether the line of the original ends with it, too.
        let behind = text.get(at + comment.len()..).unwrap_or("").trim_start_matches([' ', '\t', '\r']);
        let ends = behind.is_empty() || behind.starts_with('\n');
        if out.begins_line() {
            out.push_own(before, comment, levels);
        } else {
            out.push_trailing(ends.then_some(before), comment);
        }
    }
    if !out.begins_line() {
        out.end_line();
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
        if let Some(comment) = COMMENTS.at(rest.as_bytes()) {
            let (found, behind) = rest.split_at_checked(comment.len).unwrap_or((rest, ""));
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
