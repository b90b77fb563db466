//! The syntax of nv2a-vsh 0.1.12 as its parser, made by ANTLR, sees it, with the messages of that parser.
//!
//! Recorded by running nv2a-vsh on texts with slips. What its parser cannot say in a way that repeats (it names
//! addresses of objects, or stops with an exception of its own) is left to the reader of this library.

use super::errors::{Findings, id};
use super::operands::output_by_name;
use super::options::ParseOptions;
use super::vsh::mnemonic;
use crate::nv2a::pair::Operator;
use crate::nv2a::table::{self, Ilu, Mac};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Place, Severity, Span};

/// What may begin a statement, in the parser's words.
const STATEMENT: &str = "{<EOF>, MACRO_MATRIX_4X4_MULTIPLY, MACRO_NORMALIZE_3, OP_ADD, OP_DP3, OP_DP4, OP_DST, OP_MAD, OP_MAX, \
OP_MIN, OP_MOV, OP_MUL, OP_SGE, OP_SLT, OP_ARL, OP_DPH, OP_EXPP, OP_LIT, OP_LOGP, OP_RCP, OP_RSQ, OP_RCC, \
UNIFORM_IDENTIFIER, NEWLINE}";

/// What may begin a source, in the parser's words.
const SOURCE: &str = "{'-', REG_Cx_BARE, REG_Cx_BRACKETED, REG_Cx_RELATIVE_A_FIRST, REG_Cx_RELATIVE_A_SECOND, REG_R12, \
REG_INPUT, REG_Rx, UNIFORM_IDENTIFIER}";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Operation(Operator),
    Macro,
    Address,
    Output,
    Temporary,
    PositionShadow,
    Input,
    Constant,
    Uniform,
    Type,
    Integer,
    Mask,
    Swizzle,
    Open,
    Close,
    Minus,
    Plus,
    Comma,
    NewLine,
    Bad,
    End,
}

/// A token: its kind and where it stands.
#[derive(Clone, Copy, Debug)]
struct Token {
    kind: Kind,
    start: usize,
    end: usize,
}

/// The complaints of the parser about a text; none if it takes it.
pub(super) fn check(text: &str) -> Vec<Diagnostic> {
    let mut checker = Checker::new(text, 0);
    checker.program();
    checker.findings.finish()
}

/// What nv2a-vsh says, from the complaints of its parser and what reading has found. It walks through everything that
/// was read before it looks at the complaints, and stops at the first exception; only then it makes words. `stopped` is
/// whether reading ended with an exception.
pub(super) fn settle(
    complaints: Vec<Diagnostic>,
    mut findings: Vec<Diagnostic>,
    stopped: bool,
) -> Vec<Diagnostic> {
    let start = |d: &Diagnostic| match d.place {
        Place::Text(span) => span.start,
        _ => 0,
    };
    let last = if stopped { findings.pop() } else { None };
    let exception = complaints.iter().find(|d| d.id == id::EXCEPTION).cloned();
    if let Some(first) = exception.into_iter().chain(last).min_by_key(start) {
        return alloc::vec![first];
    }
    if !complaints.is_empty() {
        return complaints;
    }
    let is_error = |d: &&mut Diagnostic| d.severity == Severity::Error;
    // What its parser complains about in ways that do not repeat.
    if let Some(d) = findings.iter_mut().filter(is_error).find(|d| d.id != id::EXCEPTION) {
        d.id = id::ASSEMBLER;
        d.help = None;
        return alloc::vec![d.clone()];
    }
    if let Some(first) = findings.iter().position(|d| d.severity == Severity::Error) {
        findings.truncate(first + 1);
    }
    findings
}

/// A text with blanks put between the words that stand side by side, as in `movr0,v0`.
pub(super) struct SpacedText {
    pub(super) text: String,
    /// Where the blanks are in the new text.
    blanks: Vec<usize>,
}

impl SpacedText {
    pub(super) fn new(text: &str) -> Self {
        let mut out = Self { text: String::with_capacity(text.len() + 16), blanks: Vec::new() };
        let mut tokens = Checker::new(text, 0);
        let mut done = 0;
        let is_word = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        loop {
            let token = tokens.next();
            if token.kind == Kind::End {
                break;
            }
            let bytes = text.as_bytes();
            let side_by_side = token.start > 0 && token.start == done && is_word(bytes.get(token.start - 1));
            out.text.push_str(text.get(done..token.start).unwrap_or(""));
            if side_by_side && is_word(bytes.get(token.start)) {
                out.blanks.push(out.text.len());
                out.text.push(' ');
            }
            out.text.push_str(text.get(token.start..token.end).unwrap_or(""));
            done = token.end;
        }
        out.text.push_str(text.get(done..).unwrap_or(""));
        out
    }

    /// The piece of the first text.
    pub(super) fn back(&self, span: Span) -> Span {
        let back = |at: u32| at as usize - self.blanks.partition_point(|blank| *blank < at as usize);
        Span::new(back(span.start), back(span.end))
    }
}

/// Whether nv2a-vsh itself is wanted.
pub(super) fn is_wanted(options: &ParseOptions) -> bool {
    options.mode == crate::nv2a::pair::Mode::Compat
}

struct Checker<'a> {
    text: &'a str,
    at: usize,
    findings: Findings,
    /// Whether errors are kept back, because nothing was understood since the last one.
    recovering: bool,
    /// Where a search for the end of a comment began and ended, so that no text is searched twice.
    comment_end: (usize, Option<usize>),
    /// From where on no line ends.
    last_line: usize,
}

/// Where the tokens of an operation stop making sense, and whether a source should stand there.
struct StopPoint {
    token: Token,
    source: bool,
}

impl<'a> Checker<'a> {
    fn new(text: &'a str, at: usize) -> Self {
        let last_line = text.rfind(['\n', '\r']).map_or(0, |n| n + 1);
        Self {
            text,
            at,
            findings: Findings::new(id::MORE),
            recovering: false,
            comment_end: (usize::MAX, None),
            last_line,
        }
    }

    /// Where the next `*/` behind a place begins.
    fn end_of_comment(&mut self, from: usize) -> Option<usize> {
        let (began, found) = self.comment_end;
        if from < began || found.is_some_and(|found| found < from) {
            let found =
                self.text.as_bytes().get(from..).and_then(|rest| rest.windows(2).position(|w| w == b"*/"));
            self.comment_end = (from, found.map(|n| from + n));
        }
        self.comment_end.1
    }

    // ---- tokens ----

    fn next(&mut self) -> Token {
        let token = self.token();
        self.at = token.end;
        token
    }

    fn peek(&mut self) -> Token {
        let at = self.at;
        let token = self.token();
        self.at = at;
        token
    }

    /// The token that begins where the reader stands, or behind blanks and comments, which are left behind.
    fn token(&mut self) -> Token {
        let bytes = self.text.as_bytes();
        loop {
            let rest = bytes.get(self.at..).unwrap_or(&[]);
            match rest {
                [b' ' | b'\t', ..] => self.at += 1,
                // Comments end with a line end, which belongs to them; without one they are no comments.
                [b';', ..] | [b'/', b'/', ..] if self.at < self.last_line => {
                    let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
                    self.at += end + line_ends(rest.get(end..).unwrap_or(&[]));
                }
                [b'/', b'*', ..] => {
                    let Some(end) = self.end_of_comment(self.at + 2) else { break };
                    match line_ends(bytes.get(end + 2..).unwrap_or(&[])) {
                        0 => break,
                        n => self.at = end + 2 + n,
                    }
                }
                _ => break,
            }
        }
        let start = self.at;
        let (kind, len) = lex(self.text.get(start..).unwrap_or(""));
        Token { kind, start, end: start + len }
    }

    // ---- messages ----

    fn shown(&self, from: usize, to: Token) -> String {
        // Blanks and comments are not repeated.
        let mut out = String::new();
        let mut again = Checker { last_line: self.last_line, ..Checker::new("", from) };
        again.text = self.text;
        loop {
            let token = again.next();
            if token.kind == Kind::End {
                out.push_str("<EOF>");
                break;
            }
            for c in self.text.get(token.start..token.end).unwrap_or("").chars() {
                match c {
                    '\n' => out.push_str("\\n"),
                    '\r' => out.push_str("\\r"),
                    '\t' => out.push_str("\\t"),
                    c => out.push(c),
                }
            }
            if token.start >= to.start || out.len() > MAX_SHOWN {
                break;
            }
        }
        out
    }

    #[cold]
    fn report(&mut self, token: Token, message: String) {
        self.report_as(id::ASSEMBLER, token, message);
    }

    fn report_as(&mut self, rule: &'static str, token: Token, message: String) {
        if !self.recovering {
            self.findings.error(rule, Span::new(token.start, token.end), message);
        }
        self.recovering = true;
    }

    // ---- the grammar ----

    fn program(&mut self) {
        let mut first = true;
        loop {
            let token = self.peek();
            match token.kind {
                Kind::End => return,
                Kind::NewLine => {
                    self.next();
                    self.recovering = false;
                }
                Kind::Operation(_) => self.operations(),
                Kind::Macro => self.macro_call(),
                Kind::Uniform => self.uniform(),
                _ => {
                    let shown = self.shown(token.start, token);
                    self.next();
                    let behind = self.peek();
                    if first && !begins_statement(behind.kind) {
                        self.report(token, format!("mismatched input '{shown}' expecting {STATEMENT}"));
                        return;
                    }
                    self.report(token, format!("extraneous input '{shown}' expecting {STATEMENT}"));
                    self.skip(begins_statement);
                }
            }
            first = false;
        }
    }

    /// Skips to a token that fits, or the end.
    fn skip(&mut self, fits: fn(Kind) -> bool) {
        while !fits(self.peek().kind) {
            self.next();
        }
    }

    /// Operations with `+` between them.
    fn operations(&mut self) {
        let start = self.peek().start;
        if let Err(stuck) = self.operation() {
            let shown = self.shown(start, stuck.token);
            self.report(stuck.token, format!("no viable alternative at input '{shown}'"));
            self.skip(|kind| begins_statement(kind) || kind == Kind::Plus);
            while self.peek().kind == Kind::Plus {
                self.next();
                self.skip(|kind| begins_statement(kind) || kind == Kind::Plus);
            }
            return;
        }
        self.recovering = false;
        loop {
            let behind = self.at;
            while self.peek().kind == Kind::NewLine {
                self.next();
            }
            if self.peek().kind != Kind::Plus {
                self.at = behind;
                return;
            }
            self.next();
            let mut new_line = false;
            while self.peek().kind == Kind::NewLine {
                self.next();
                new_line = true;
            }
            let first = self.peek();
            if let Err(stuck) = self.operation() {
                let shown = self.shown(stuck.token.start, stuck.token);
                if stuck.source {
                    self.report(stuck.token, format!("mismatched input '{shown}' expecting {SOURCE}"));
                } else if stuck.token.start != first.start {
                    self.report(stuck.token, format!("mismatched input '{shown}'"));
                } else if new_line || !matches!(first.kind, Kind::Bad | Kind::End) {
                    let message = "TypeError: object of type 'NoneType' has no len()";
                    self.report_as(id::EXCEPTION, first, message.into());
                } else {
                    // There it lists its objects with their addresses.
                    let message = "ValueError: operations [...] must have exactly 2, 3, or 4 elements.";
                    self.report_as(id::EXCEPTION, first, message.into());
                }
                self.skip(begins_statement);
                return;
            }
        }
    }

    fn expect(&mut self, fits: impl Fn(Kind) -> bool, source: bool) -> Result<Token, StopPoint> {
        let token = self.peek();
        if fits(token.kind) { Ok(self.next()) } else { Err(StopPoint { token, source }) }
    }

    fn operation(&mut self) -> Result<(), StopPoint> {
        let Kind::Operation(operator) = self.expect(|k| matches!(k, Kind::Operation(_)), false)?.kind else {
            return Ok(());
        };
        if operator == Operator::Mac(Mac::Arl) {
            self.expect(|k| k == Kind::Address, false)?;
        } else {
            let dest = |k| matches!(k, Kind::Temporary | Kind::Output | Kind::Constant | Kind::Uniform);
            let token = self.expect(dest, false)?;
            self.row(token)?;
        }
        if self.peek().kind == Kind::Mask {
            self.next();
        }
        for _ in 0..operator.sources() {
            self.expect(|k| k == Kind::Comma, false)?;
            if self.peek().kind == Kind::Minus {
                self.next();
            }
            let token = self.expect(is_source, true)?;
            self.row(token)?;
            if matches!(self.peek().kind, Kind::Mask | Kind::Swizzle) {
                self.next();
            }
        }
        Ok(())
    }

    /// The row behind a uniform.
    fn row(&mut self, token: Token) -> Result<(), StopPoint> {
        if token.kind == Kind::Uniform && self.peek().kind == Kind::Open {
            self.next();
            self.expect(|k| k == Kind::Integer, false)?;
            self.expect(|k| k == Kind::Close, false)?;
        }
        Ok(())
    }

    /// A macro and its operands; what they are is judged later.
    fn macro_call(&mut self) {
        self.next();
        self.recovering = false;
        for n in 0..3 {
            let token = self.peek();
            if token.kind == Kind::Comma && n > 0 {
                let at = self.at;
                self.next();
                if !is_source(self.peek().kind) {
                    self.at = at;
                    return;
                }
                self.recovering = false;
                self.report(token, format!("extraneous input ',' expecting {SOURCE}"));
                self.recovering = false;
            }
            if self.peek().kind == Kind::Minus {
                self.next();
            }
            let token = self.peek();
            if !is_source(token.kind) && token.kind != Kind::Output {
                if !matches!(token.kind, Kind::NewLine | Kind::End) {
                    let shown = self.shown(token.start, token);
                    self.report(token, format!("mismatched input '{shown}' expecting {SOURCE}"));
                }
                self.skip(|kind| matches!(kind, Kind::NewLine | Kind::End));
                return;
            }
            self.next();
            if self.row(token).is_err() {
                self.skip(|kind| matches!(kind, Kind::NewLine | Kind::End));
                return;
            }
            if matches!(self.peek().kind, Kind::Mask | Kind::Swizzle) {
                self.next();
            }
        }
    }

    /// A declaration.
    fn uniform(&mut self) {
        let start = self.next();
        self.recovering = false;
        // There nv2a-vsh stops with an exception.
        let stops = |why: &str, checker: &mut Self| {
            checker.recovering = false;
            checker.report_as(id::EXCEPTION, start, format!("ValueError: {why}"));
            checker.at = checker.text.len();
        };
        let missing = |what: &str, more: &str, checker: &mut Self| {
            let at = u32::try_from(start.start).unwrap_or(u32::MAX);
            let line = vecasm_ir::diag::line_column(checker.text, at).0;
            stops(&format!("Uniform macro missing {what} on line {line}\nctx.children{more}"), checker);
        };
        match self.peek().kind {
            Kind::Type => {}
            // There it lists its objects with their addresses.
            Kind::Bad => {
                return missing("type type declaration", " [...] must have exactly one element", self);
            }
            _ => return missing("type type declaration", " None must have exactly one element", self),
        }
        self.next();
        let token = self.next();
        match token.kind {
            Kind::Integer => {}
            kind if begins_statement(kind) => {
                missing("constant index", "[2].symbol.tokenIndex = -1", self);
            }
            _ if self.peek().kind == Kind::Integer => {
                stops("ctx.children [...] must have exactly three elements", self);
            }
            _ => {
                let shown = self.shown(token.start, token);
                stops(&format!("invalid literal for int() with base 10: '{shown}'"), self);
            }
        }
    }
}

/// Longest text that a message repeats, in bytes.
const MAX_SHOWN: usize = 400;

fn begins_statement(kind: Kind) -> bool {
    matches!(kind, Kind::End | Kind::NewLine | Kind::Operation(_) | Kind::Macro | Kind::Uniform)
}

fn is_source(kind: Kind) -> bool {
    matches!(kind, Kind::Temporary | Kind::PositionShadow | Kind::Input | Kind::Constant | Kind::Uniform)
}

/// Number of bytes of line ends at the start.
fn line_ends(bytes: &[u8]) -> usize {
    bytes.iter().position(|b| !matches!(b, b'\n' | b'\r')).unwrap_or(bytes.len())
}

/// The longest token at the start of a text, and its length.
fn lex(text: &str) -> (Kind, usize) {
    let bytes = text.as_bytes();
    let Some(&first) = bytes.first() else { return (Kind::End, 0) };
    let bad = (Kind::Bad, text.chars().next().map_or(1, char::len_utf8));
    let run = |from: usize, f: fn(u8) -> bool| bytes.iter().skip(from).take_while(|b| f(**b)).count();
    let letters = |b: u8| b.is_ascii_alphabetic();
    match first {
        b'\n' | b'\r' => (Kind::NewLine, line_ends(bytes)),
        b',' => match line_ends(bytes.get(1..).unwrap_or(&[])) {
            0 => (Kind::Comma, 1),
            n => (Kind::Bad, 1 + n),
        },
        b'+' => (Kind::Plus, 1),
        b'-' => (Kind::Minus, 1),
        b'[' => (Kind::Open, 1),
        b']' => (Kind::Close, 1),
        b'.' => {
            let lanes = run(1, |b| b"xyzwrgbaXYZWRGBA".contains(&b)).min(4);
            let of = |b: u8| match b.to_ascii_lowercase() {
                b'x' | b'r' => 0,
                b'y' | b'g' => 1,
                b'z' | b'b' => 2,
                _ => 3,
            };
            let lanes_of = bytes.get(1..=lanes).unwrap_or(&[]);
            match lanes {
                0 => bad,
                n if lanes_of.windows(2).all(|w| of(w[0]) < of(w[1])) => (Kind::Mask, 1 + n),
                n => (Kind::Swizzle, 1 + n),
            }
        }
        b'0'..=b'9' => match run(0, |b| b.is_ascii_digit()) {
            n if bytes.get(n) == Some(&b'.') && bytes.get(n + 1).is_some_and(u8::is_ascii_digit) => {
                (Kind::Bad, n + 1 + run(n + 1, |b| b.is_ascii_digit()))
            }
            n => (Kind::Integer, n),
        },
        b'#' => match run(1, |b| b.is_ascii_alphanumeric() || b == b'_') {
            0 => bad,
            n => (Kind::Uniform, 1 + n),
        },
        b'%' => {
            let names = ["%matmul4x4", "%MATMUL4X4", "%norm3", "%NORM3"];
            names.iter().find(|name| text.starts_with(**name)).map_or(bad, |name| (Kind::Macro, name.len()))
        }
        b'a' | b'A' if bytes.get(1) == Some(&b'0') => (Kind::Address, 2),
        b'r' | b'R' if bytes.get(1).is_some_and(u8::is_ascii_digit) => {
            match up_to(bytes, table::POSITION_SHADOW) {
                (n, len) if n == table::POSITION_SHADOW => (Kind::PositionShadow, len),
                (_, len) => (Kind::Temporary, len),
            }
        }
        b'v' | b'V' if bytes.get(1).is_some_and(u8::is_ascii_digit) => {
            (Kind::Input, up_to(bytes, table::ATTRIBUTES - 1).1)
        }
        b'c' | b'C' => constant(bytes).map_or(bad, |len| (Kind::Constant, len)),
        // A name without a use.
        b'n' | b'N' if text.starts_with("nop") || text.starts_with("NOP") => (Kind::Bad, 3),
        _ if letters(first) => {
            // Longest name first.
            let word = text.get(..run(0, |b| b.is_ascii_alphanumeric())).unwrap_or("");
            (1..=word.len())
                .rev()
                .filter_map(|n| word.get(..n))
                .find_map(|w| Some((named(w)?, w.len())))
                .unwrap_or(bad)
        }
        _ => bad,
    }
}

/// The kind of a word that is a whole name.
fn named(word: &str) -> Option<Kind> {
    if matches!(word, "vector" | "VECTOR" | "matrix4" | "MATRIX4") {
        return Some(Kind::Type);
    }
    if table::INPUTS.iter().any(|n| n.long == word) {
        return Some(Kind::Input);
    }
    if output_by_name(word).is_some() && table::OUTPUTS.iter().any(|n| n.short == word || n.long == word) {
        return Some(Kind::Output);
    }
    let one_case =
        word.bytes().all(|b| !b.is_ascii_uppercase()) || word.bytes().all(|b| !b.is_ascii_lowercase());
    let (operator, sub) = mnemonic(word).filter(|_| one_case)?;
    // These two are spelled with a p there.
    let short = matches!(operator, Operator::Ilu(Ilu::Expp | Ilu::Logp)) && word.len() < 4;
    (!sub && !short).then_some(Kind::Operation(operator))
}

/// The longest number behind a letter that is not above `last`, and the length of both.
fn up_to(bytes: &[u8], last: u32) -> (u32, usize) {
    let (mut n, mut len) = (0, 1);
    while let Some(digit) = bytes.get(len).filter(|b| b.is_ascii_digit()) {
        let more = n * 10 + u32::from(digit - b'0');
        if more > last || (len > 1 && n == 0) {
            break;
        }
        (n, len) = (more, len + 1);
    }
    (n, len)
}

/// The length of a constant: `c5`, `c[5]`, `c[A0+5]`, `c[5 + A0]`.
fn constant(bytes: &[u8]) -> Option<usize> {
    let last = table::CONSTANTS - 1;
    if bytes.get(1).is_some_and(u8::is_ascii_digit) {
        return Some(up_to(bytes, last).1);
    }
    if bytes.get(1) != Some(&b'[') {
        return None;
    }
    let blanks = |mut at: usize| {
        while bytes.get(at).is_some_and(|b| matches!(b, b' ' | b'\t')) {
            at += 1;
        }
        at
    };
    let number = |at: usize| {
        // The digit stands behind what `up_to` takes for the letter.
        let (_, len) = up_to(bytes.get(at.checked_sub(1)?..)?, last);
        (len > 1).then_some(at + len - 1)
    };
    let address = |at: usize| bytes.get(at..)?.starts_with(b"A0").then_some(at + 2);
    let close = |at: usize| (bytes.get(at) == Some(&b']')).then_some(at + 1);
    if let Some(end) = number(2).and_then(close) {
        return Some(end);
    }
    let plus = |at: usize| (bytes.get(blanks(at)) == Some(&b'+')).then(|| blanks(blanks(at) + 1));
    let start = blanks(2);
    let first = address(start).and_then(plus).and_then(number);
    let second = || number(start).and_then(plus).and_then(address);
    first.or_else(second).map(blanks).and_then(close)
}
