//! Programs inside other texts: logs, Markdown, string literals of other languages.
//!
//! A program begins at its header, which an instruction follows, or, in a language without one, at its first instruction. It ends at
//! its `END` or its last instruction; other lines in between are skipped. A line that may be an instruction is never skipped: the
//! reader reports what is wrong with it.

use super::dialect::{Dialect, Kind};
use super::sniff::{COMMENTS, is_destination};
use super::vsh::mnemonic;
use super::xemu::is_dump;
use crate::text::Comments;
use crate::text::enclosed::{self, MAX_FRONT, MAX_STRANGE, code_of, fronted, is_separator, lines, trimmed};
use crate::text::literals;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;

/// A program inside a text.
type Found<'a> = enclosed::Found<'a, Dialect>;

/// A program of a text, with blanks for everything else, so that places stay.
pub(super) struct EnclosedProgram {
    pub(super) text: String,
    pub(super) dialect: Dialect,
    /// Where each program of the text begins.
    pub(super) begins: Vec<usize>,
    /// How many lines that are neither empty nor comments are skipped.
    pub(super) around: usize,
}

/// The dialect of the first program inside a text that does not begin as a program.
pub(super) fn dialect(text: &str) -> Option<Dialect> {
    let unquoted = literals::unquoted(text, begins_literal);
    find(unquoted.as_deref().unwrap_or(text)).first().map(|found| found.language)
}

/// Where the programs inside a text are.
pub(super) fn spans(text: &str) -> Vec<Span> {
    let unquoted = literals::unquoted(text, begins_literal);
    let found = find(unquoted.as_deref().unwrap_or(text));
    found.iter().filter_map(|found| Some(Span::new(found.lines.first()?.0, found.end))).collect()
}

/// Where those programs are that share no line with other text and are in no literal.
pub(super) fn plain_spans(text: &str) -> Vec<(Span, Dialect)> {
    let unquoted = literals::unquoted(text, begins_literal);
    let source = unquoted.as_deref().unwrap_or(text);
    let alone = |found: &Found<'_>| {
        let start = found.lines.first()?.0;
        let inside = source.get(start..found.end)?;
        let plain = found.front.trim().is_empty() && text.get(start..found.end) == Some(inside);
        let whole = lines(inside).count() == found.lines.len();
        (plain && whole).then_some((Span::new(start, found.end), found.language))
    };
    find(source).iter().filter_map(alone).collect()
}

/// The program of that number, from 1; 0 is the first one.
pub(super) fn alone(text: &str, number: usize) -> Option<EnclosedProgram> {
    let unquoted = literals::unquoted(text, begins_literal);
    let source = unquoted.as_deref().unwrap_or(text);
    let all = find(source);
    let begins = all.iter().filter_map(|found| Some(found.lines.first()?.0)).collect();
    let found = all.get(number.max(1) - 1)?;
    let own: Vec<usize> = all.iter().flat_map(|found| found.lines.iter().map(|line| line.0)).collect();
    let says = |line: &str| !is_empty(line) && line.bytes().any(|b| b.is_ascii_alphanumeric());
    let around =
        lines(source).filter(|(start, line)| says(line) && own.binary_search(start).is_err()).count();
    Some(EnclosedProgram { text: found.alone(text), dialect: found.language, begins, around })
}

/// Whether a literal that says this begins as a program.
fn begins_literal(rest: &[u8]) -> bool {
    let end =
        rest.iter().take(80).position(|b| matches!(b, b'\\' | b'"' | b'\n')).unwrap_or(rest.len().min(80));
    let line = rest.get(..end).and_then(|line| core::str::from_utf8(line).ok()).unwrap_or("");
    header(line).is_some_and(|(at, ..)| at == 0) || is_statement(line)
}

/// The programs of a text.
fn find(text: &str) -> Vec<Found<'_>> {
    let all: Vec<(usize, &str)> = lines(text).collect();
    // Shaders of Direct3D have the same statements.
    let direct3d = all.iter().any(|(_, line)| is_direct3d(line));
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&(start, line)) = all.get(at) {
        let rest = all.get(at + 1..).unwrap_or(&[]);
        let begun = match header(line) {
            Some((front, dialect, after)) => {
                let front = line.get(..front).unwrap_or("");
                let follows = may_be_code(dialect, after) || code_follows(rest, front, dialect);
                follows.then_some((front, dialect))
            }
            None if direct3d => None,
            None => begin(line, rest),
        };
        let Some((front, dialect)) = begun else {
            at += 1;
            continue;
        };
        let logged = !front.trim().is_empty() && next_inside(rest, front).is_some();
        let found = Found { language: dialect, lines: Vec::new(), end: start, front, fronted: logged };
        let found = take(found, all.get(at..).unwrap_or(&[]));
        let next = found.lines.last().map_or(start, |line| line.0);
        at += 1 + rest.iter().take_while(|line| line.0 <= next).count();
        out.push(found);
    }
    out
}

/// Takes the lines of a program, of which the first one is given.
fn take<'a>(mut found: Found<'a>, all: &[(usize, &'a str)]) -> Found<'a> {
    let logged = found.fronted;
    let headed = all.first().is_some_and(|(_, line)| header(line).is_some());
    // How many lines in a row are of something else, whether a comment goes on, and whether an instruction does.
    let (mut strange, mut commented, mut open) = (0, false, false);
    // Comments and empty lines are of the program if a statement follows.
    let mut kept = Vec::new();
    let mut ends = false;
    for (n, &(start, line)) in all.iter().enumerate() {
        if ends {
            break;
        }
        // A string ends here.
        ends = line.ends_with('\0');
        let line = line.strip_suffix('\0').unwrap_or(line);
        let front = if logged { fronted(line, found.front) } else { Some(0) };
        let inside = front.and_then(|len| line.get(len..));
        if n == 0 {
            found.lines.push((start, line));
            found.end = start + line.len();
            let after = header(line).map_or("", |(_, _, after)| after);
            if found.language == Dialect::Vp && end_of(after).is_some() {
                break;
            }
            continue;
        }
        if header(line).is_some() {
            break;
        }
        let Some(inside) = inside.filter(|_| logged || !is_separator(line)) else {
            // Something else that was logged in between.
            strange += 1;
            if !logged || strange >= MAX_STRANGE {
                break;
            }
            continue;
        };
        let in_comment = commented;
        commented = comments(found.language).is_open_behind(inside, in_comment);
        if in_comment || is_empty(inside) {
            kept.push((start, line));
            continue;
        }
        if open || may_be_code(found.language, inside) {
            let code = inside.split('#').next().unwrap_or("");
            open = found.language == Dialect::Vp && !trimmed(code).ends_with(';');
            found.lines.append(&mut kept);
            found.lines.push((start, line));
            found.end = start + line.len();
            strange = 0;
            if let Some(len) = end_of(inside).filter(|_| found.language == Dialect::Vp) {
                found.end = start + line.len() - inside.len() + len;
                break;
            }
            continue;
        }
        strange += 1;
        if !headed || strange >= MAX_STRANGE {
            break;
        }
    }
    found
}

/// The comments that people put into programs of a language.
const fn comments(dialect: Dialect) -> Comments {
    match dialect {
        Dialect::Vp => Comments { marks: &["//", "#"], ..Comments::ASSEMBLER },
        _ => Comments::ASSEMBLER,
    }
}

/// The header in a line: where it begins, its language, what follows it.
fn header(line: &str) -> Option<(usize, Dialect, &str)> {
    let line = trimmed(line);
    let mut at = 0;
    loop {
        let rest = line.get(at..)?;
        let start = at + rest.find(|c: char| !c.is_whitespace())?;
        let rest = line.get(start..)?;
        at = start + rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = super::dialect::begin_of(rest);
        let after = rest.get(word.len()..).unwrap_or("");
        match super::dialect::kind_of(word) {
            _ if start > MAX_FRONT => return None,
            Some(Kind::Vp { .. }) => return Some((start, Dialect::Vp, after)),
            // Those of Direct3D have the same header without the x.
            Some(Kind::Xvs(_)) if word.starts_with(['x', 'X']) && is_empty(after) => {
                return Some((start, Dialect::Xvs, ""));
            }
            _ => {}
        }
    }
}

/// Whether a line has the model of a shader of Direct3D: `vs_2_0`, `ps.1.1`.
fn is_direct3d(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.'));
    words.any(|word| {
        let model = word.strip_prefix(['v', 'V', 'p', 'P']).and_then(|rest| rest.strip_prefix(['s', 'S']));
        model.is_some_and(|rest| matches!(rest.as_bytes(), [b'_' | b'.', b'1'..=b'5', b'_' | b'.', ..]))
    })
}

/// Whether a program without a header begins in a line: what is in front of it, and its language.
fn begin<'a>(line: &'a str, rest: &[(usize, &str)]) -> Option<(&'a str, Dialect)> {
    let mut at = 0;
    let wrong = is_shaped(line);
    while at <= MAX_FRONT {
        let here = line.get(at..)?;
        let start = at + here.find(|c: char| !c.is_whitespace())?;
        let inside = line.get(start..)?;
        let front = line.get(..start).unwrap_or("");
        // A comment beside words in hexadecimal names their instruction.
        if let Some(len) = inside.strip_prefix("/*").and_then(|comment| comment.find("*/")) {
            at = start + len + 4;
            continue;
        }
        if is_empty(inside) || front.contains(';') || front.contains("//") {
            return None;
        }
        if is_dump(inside) {
            return Some((front, Dialect::Xemu));
        }
        if is_statement(inside) {
            // What precedes it is a wrong one without an end.
            return Some((if wrong { "" } else { front }, Dialect::Vsh));
        }
        // A wrong one is an instruction if a good one follows, or if only its registers are wrong.
        if is_shaped(inside) {
            let alone = || (at == 0 && is_clear(inside)).then_some(Dialect::Vsh);
            if let Some(dialect) = statement_follows(rest, front).or_else(alone) {
                return Some((front, dialect));
            }
        }
        at = start + inside.split(char::is_whitespace).next()?.len();
    }
    None
}

/// The next line that is neither empty nor a comment, without the front.
fn next_inside<'a>(rest: &[(usize, &'a str)], front: &str) -> Option<&'a str> {
    enclosed::next_inside(rest, front, is_empty)
}

/// Whether the next line that is neither empty nor a comment may be code, with the front of this one or with nothing in front.
fn code_follows(rest: &[(usize, &str)], front: &str, dialect: Dialect) -> bool {
    let inside = next_inside(rest, front).or_else(|| next_inside(rest, ""));
    inside.is_some_and(|inside| may_be_code(dialect, inside))
}

/// The language of the first good instruction, if only wrong ones precede it.
fn statement_follows(rest: &[(usize, &str)], front: &str) -> Option<Dialect> {
    let insides = rest.iter().map_while(|(_, line)| fronted(line, front).and_then(|len| line.get(len..)));
    // Bounded, so that the time stays linear.
    for inside in insides.filter(|inside| !is_empty(inside)).take(MAX_STRANGE) {
        if is_dump(inside) {
            return Some(Dialect::Xemu);
        }
        if is_statement(inside) {
            return Some(Dialect::Vsh);
        }
        if !is_shaped(inside) {
            break;
        }
    }
    None
}

/// Whether a line is a statement of a language, or one with something wrong in it.
fn may_be_code(dialect: Dialect, line: &str) -> bool {
    let ended = || dialect == Dialect::Vp && trimmed(line.split('#').next().unwrap_or("")).ends_with(';');
    says(dialect, line) || is_shaped(line) || ended()
}

/// Whether a line is a statement of a language.
fn says(dialect: Dialect, line: &str) -> bool {
    match dialect {
        Dialect::Vp => {
            let line = line.trim_start();
            let word = first_word(line);
            let known = mnemonic(word).is_some()
                || ["ABS", "END", "OPTION"].iter().any(|known| known.eq_ignore_ascii_case(word));
            known && (line.contains([';', ',']) || trimmed(line).len() == word.len() || word == "OPTION")
        }
        Dialect::Xemu => is_dump(line),
        _ => is_statement(line),
    }
}

/// Whether a line is a statement of nv2a-vsh or the XDK's language: a mnemonic, a register to write, a comma and a source.
fn is_statement(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches('+').trim_start();
    let word = first_word(line);
    let rest = line.get(word.len()..).unwrap_or("");
    let rest = rest.strip_prefix(":mac").or_else(|| rest.strip_prefix(":ilu")).unwrap_or(rest).trim_start();
    let matrix =
        ["m4x4", "m4x3", "m3x4", "m3x3", "m3x2", "def"].iter().any(|known| known.eq_ignore_ascii_case(word));
    let (dest, source) = rest.split_once(',').unwrap_or(("", ""));
    let named = mnemonic(word).is_some() || matrix;
    let number = word.eq_ignore_ascii_case("def") && dest.trim_start().starts_with(['c', 'C']);
    (named && is_destination(dest.trim()) && is_source(source)) || number || is_directive(line)
}

/// Whether a line is a directive, a declaration or a macro of one of the languages.
fn is_directive(line: &str) -> bool {
    let mut words = code_of(line, &Comments::ASSEMBLER).split_whitespace();
    let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    match first.as_bytes().first() {
        Some(b'.') => [".nv2a", ".constants", ".raw", ".push", ".more", ".tail"].contains(&first),
        Some(b'#') => {
            matches!(second, "vector" | "VECTOR" | "matrix4" | "MATRIX4")
                || (first, second) == ("#pragma", "screenspace")
        }
        Some(b'%') => ["%matmul4x4", "%norm3"].iter().any(|name| first.eq_ignore_ascii_case(name)),
        _ => first.eq_ignore_ascii_case("nop") && second.is_empty(),
    }
}

/// Whether a text begins with a register that can be read, or a uniform.
fn is_source(text: &str) -> bool {
    let word = text.trim_start().trim_start_matches(['-', '+', ' ']);
    let rest = word.get(1..).unwrap_or("");
    let numbered = || rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '[' | '-'));
    match word.as_bytes().first() {
        Some(b'r' | b'R' | b'v' | b'V' | b'c' | b'C') => numbered(),
        Some(b'#') => true,
        Some(b'i') => rest.starts_with(|c: char| c.is_ascii_uppercase()),
        _ => false,
    }
}

/// Whether a line has the shape of an instruction: a short word, a register, and a comma or nothing after it; or a mnemonic, any
/// word, and a comma; or a mnemonic alone. So has a directive, or a header of a version that there is not.
fn is_shaped(line: &str) -> bool {
    let line = trimmed(line).trim_start().trim_start_matches('+').trim_start();
    let word = first_word(line);
    let rest = line.get(word.len()..).unwrap_or("");
    let rest = rest.strip_prefix(":mac").or_else(|| rest.strip_prefix(":ilu")).unwrap_or(rest);
    if ["xvs", "xvsw", "xvss"].iter().any(|name| name.eq_ignore_ascii_case(word)) {
        return rest.starts_with('.') && !code_of(rest, &COMMENTS).trim_end().contains(char::is_whitespace);
    }
    if line.starts_with('.') {
        return line.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic);
    }
    let known = mnemonic(word).is_some();
    let code = code_of(rest, &COMMENTS);
    if known && code.trim().is_empty() {
        return true;
    }
    let (dest, source) = code.split_once(',').map_or((code, None), |(dest, source)| (dest, Some(source)));
    let dest = dest.trim();
    if known && source.is_some() && (!dest.contains(' ') || dest.starts_with('.')) {
        return true;
    }
    if !rest.starts_with([' ', '\t']) || dest.contains(' ') && !dest.contains('[') {
        return false;
    }
    let name = dest.split(['.', '[']).next().unwrap_or("");
    let output = name.len() > 1 && name.starts_with(['o', 'O']);
    let sourced = source.is_some_and(is_source);
    // One that has lost its sources is one still.
    let short = (2..=8).contains(&word.len())
        && (is_destination(dest) || output || source.is_some() && is_register(dest));
    short || sourced && is_register(dest) && !word.is_empty()
}

/// Whether a line has a mnemonic, and registers that the NV2A may have: other instruction sets have other names.
fn is_clear(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches('+').trim_start();
    let word = first_word(line);
    let (dest, source) = line.get(word.len()..).and_then(|rest| rest.split_once(',')).unwrap_or(("", ""));
    mnemonic(word).is_some() && is_register(dest.trim()) && is_source(source)
}

/// Whether a word may be a register that is written, one that there is not included. `v0.7.85` is a version.
fn is_register(word: &str) -> bool {
    let lanes = word.split_once('.').map_or("", |(_, lanes)| lanes);
    let numbered = is_source(word) && lanes.chars().all(|c| c.is_ascii_alphabetic());
    is_destination(word) || word.starts_with("o[") || numbered
}

/// The word with which a line begins.
fn first_word(line: &str) -> &str {
    let end = line.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(line.len());
    line.get(..end).unwrap_or("")
}

/// Whether a line says nothing: it is empty or a comment.
fn is_empty(line: &str) -> bool {
    let line = trimmed(line).trim_start();
    let comment = line.starts_with(';') || line.starts_with("//") || line.starts_with("/*");
    line.is_empty() || comment || line.starts_with('#') && !is_directive(line)
}

/// Where the END of a line of NV_vertex_program ends, if it has one.
fn end_of(line: &str) -> Option<usize> {
    let code = line.split('#').next().unwrap_or("");
    let mut at = 0;
    for statement in code.split_inclusive(';') {
        let word = statement.trim_start();
        if first_word(word) == "END" {
            return Some(at + statement.len() - word.len() + "END".len());
        }
        at += statement.len();
    }
    None
}
