//! The preprocessor: variables, which are numbers, and conditions.
//!
//! Operators by how tightly they bind: `!` and a sign; `*` `/`; `+` `-`; `<` `>` `<=` `>=`; `==` `!=`; `&&` `||`,
//! these two alike, from left to right. Truth is 1, falsehood 0, as in ActionScript.

use super::Mode;
use super::lex::{Kind, Token};
use crate::agal::text::errors::{Findings, Quoted, id};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;

/// An `#if` that is open.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Whether the lines around it count.
    outer: bool,
    /// Whether the lines of its present branch count, if those around it do.
    last: bool,
    /// Whether one of its branches has counted.
    taken: bool,
    /// Whether `#else` was there.
    closed: bool,
    span: Span,
}

/// What the preprocessor knows.
pub(super) struct Conditions {
    mode: Mode,
    variables: BTreeMap<String, f64>,
    open: Vec<Open>,
}

/// Deepest nesting of `#if`, and of parentheses.
const MAX_DEPTH: usize = 64;

impl Conditions {
    pub(super) fn new(mode: Mode, defines: &[(&str, f64)]) -> Self {
        let variables = defines.iter().map(|(name, value)| (String::from(*name), *value)).collect();
        Self { mode, variables, open: Vec::new() }
    }

    /// Whether lines count here.
    pub(super) fn active(&self) -> bool {
        self.open.last().is_none_or(|open| open.outer && open.last)
    }

    /// Reads a line that begins with `#`.
    pub(super) fn directive(&mut self, tokens: &[Token<'_>], span: Span, findings: &mut Findings) {
        let word = tokens.get(1).map_or("", |t| t.word.text);
        let rest = tokens.get(2..).unwrap_or(&[]);
        match word {
            "if" => {
                if self.open.len() == MAX_DEPTH {
                    findings.error(
                        id::MACRO_CONDITION,
                        span,
                        format_args!("#if is nested deeper than {MAX_DEPTH}"),
                    );
                    return;
                }
                let outer = self.active();
                let last = outer && self.holds(rest, span, findings);
                self.open.push(Open { outer, last, taken: last, closed: false, span });
            }
            "elif" | "else" => {
                let Some(open) = self.open.last().copied() else {
                    findings.error(id::MACRO_CONDITION, span, format_args!("#{word} without #if"));
                    return;
                };
                if open.closed && self.mode == Mode::Strict {
                    findings.error(id::MACRO_CONDITION, span, format_args!("#{word} after #else"));
                }
                // Adobe's assembler remembers only the condition before this one.
                let before = if self.mode == Mode::Compat { open.last } else { open.taken };
                let asked = open.outer && !before;
                let last = asked && (word == "else" || self.holds(rest, span, findings));
                if let Some(open) = self.open.last_mut() {
                    open.last = last;
                    open.taken |= last;
                    open.closed |= word == "else";
                }
            }
            "endif" => {
                if self.open.pop().is_none() {
                    findings.error(id::MACRO_CONDITION, span, format_args!("#endif without #if"));
                }
            }
            "define" | "undef" if !self.active() => {}
            "define" => self.define(rest, span, findings),
            "undef" => match rest {
                [name] if name.kind == Kind::Name => {
                    self.variables.remove(name.word.text);
                }
                _ => findings.error(id::MACRO_DIRECTIVE, span, format_args!("#undef needs one name")),
            },
            _ => {
                findings.error(
                    id::MACRO_DIRECTIVE,
                    span,
                    format_args!("unknown directive {}", Quoted(&format!("#{word}"))),
                );
            }
        }
        if matches!(word, "else" | "endif") && !rest.is_empty() && self.mode == Mode::Strict {
            findings.error(id::MACRO_DIRECTIVE, span, format_args!("nothing may follow #{word}"));
        }
    }

    /// `NAME`, `NAME expression` or `NAME=expression`.
    fn define(&mut self, rest: &[Token<'_>], span: Span, findings: &mut Findings) {
        let Some((name, value)) = rest.split_first().filter(|(name, _)| name.kind == Kind::Name) else {
            findings.error(id::MACRO_DIRECTIVE, span, format_args!("#define needs a name"));
            return;
        };
        let value = match value.split_first() {
            Some((first, rest)) if first.is("=") => rest,
            _ => value,
        };
        let value = if value.is_empty() { Some(f64::NAN) } else { self.value(value, span, findings) };
        if let Some(value) = value {
            self.variables.insert(name.word.text.into(), value);
        }
    }

    fn holds(&self, tokens: &[Token<'_>], span: Span, findings: &mut Findings) -> bool {
        self.value(tokens, span, findings).is_some_and(|v| v != 0.0)
    }

    fn value(&self, tokens: &[Token<'_>], span: Span, findings: &mut Findings) -> Option<f64> {
        let mut reader = Reader { conditions: self, tokens, at: 0, depth: 0, span, findings };
        if let (Mode::Compat, [first, next, ..]) = (self.mode, tokens) {
            // Documented behaviour of Adobe's assembler: behind a number at the start nothing is expected.
            if first.kind == Kind::Number {
                return reader.fail(next.word.span(), "an expression that begins with a number ends there");
            }
        }
        let value = reader.level(0)?;
        match reader.tokens.get(reader.at) {
            Some(left) => reader.fail(left.word.span(), "expected an operator"),
            None => Some(value),
        }
    }

    /// Reports what was never closed.
    pub(super) fn finish(&mut self, findings: &mut Findings) {
        for open in self.open.drain(..) {
            if self.mode == Mode::Strict {
                findings.error(id::MACRO_CONDITION, open.span, format_args!("#if without #endif"));
            }
        }
    }
}

/// The operators of two operands by level, loosest first.
const LEVELS: [&[&str]; 5] =
    [&["&&", "||"], &["==", "!="], &["<", ">", "<=", ">="], &["+", "-"], &["*", "/"]];

struct Reader<'r, 'a> {
    conditions: &'r Conditions,
    tokens: &'r [Token<'a>],
    at: usize,
    depth: usize,
    span: Span,
    findings: &'r mut Findings,
}

impl Reader<'_, '_> {
    fn fail(&mut self, span: Span, message: &str) -> Option<f64> {
        self.findings.error(id::MACRO_EXPRESSION, span, format_args!("{message}"));
        None
    }

    fn level(&mut self, level: usize) -> Option<f64> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        let mut either = false;
        while let Some(token) = self.tokens.get(self.at).copied() {
            let Some(operator) = operators.iter().find(|o| token.is(o)) else { break };
            let strict = self.conditions.mode == Mode::Strict;
            if *operator == "<=" && !strict {
                return self.fail(token.word.span(), "Adobe's assembler throws at <=");
            }
            if *operator == "&&" && either && strict {
                self.findings.error(
                    id::MACRO_LOGIC,
                    token.word.span(),
                    format_args!("&& after || without parentheses"),
                );
            }
            either |= *operator == "||";
            self.at += 1;
            let right = self.level(level + 1)?;
            let truth = |holds: bool| f64::from(u8::from(holds));
            left = match *operator {
                "&&" => truth(left != 0.0 && right != 0.0),
                "||" => truth(left != 0.0 || right != 0.0),
                "==" => truth(left == right),
                "!=" => truth(left != right),
                "<" => truth(left < right),
                ">" => truth(left > right),
                "<=" => truth(left <= right),
                ">=" => truth(left >= right),
                "+" => left + right,
                "-" => left - right,
                "*" => left * right,
                _ => left / right,
            };
            if left.is_nan() {
                return self.undefined(token.word.span(), "the result is not a number");
            }
        }
        Some(left)
    }

    fn undefined(&mut self, span: Span, message: &str) -> Option<f64> {
        self.findings.error(id::MACRO_UNDEFINED, span, format_args!("{message}"));
        None
    }

    fn unary(&mut self) -> Option<f64> {
        let Some(token) = self.tokens.get(self.at).copied() else {
            return self.fail(self.span, "expected a value");
        };
        self.at += 1;
        let nested = ["!", "-", "+", "("].into_iter().find(|m| token.is(m));
        let Some(mark) = nested else { return self.primary(token) };
        if self.depth == MAX_DEPTH {
            return self.fail(token.word.span(), "the expression is nested too deeply");
        }
        self.depth += 1;
        let value = match mark {
            "(" => {
                let value = self.level(0)?;
                match self.tokens.get(self.at) {
                    Some(t) if t.is(")") => self.at += 1,
                    _ => return self.fail(token.word.span(), "the parenthesis is not closed"),
                }
                value
            }
            "!" => f64::from(u8::from(self.unary()? == 0.0)),
            "-" => -self.unary()?,
            _ => self.unary()?,
        };
        self.depth -= 1;
        Some(value)
    }

    fn primary(&mut self, token: Token<'_>) -> Option<f64> {
        let (span, text) = (token.word.span(), token.word.text);
        match token.kind {
            Kind::Number => match text.parse() {
                Ok(value) => Some(value),
                Err(_) => self.fail(span, "this is not a number"),
            },
            Kind::Name => match self.conditions.variables.get(text) {
                Some(value) if !value.is_nan() => Some(*value),
                found => {
                    let what = if found.is_some() { "has no value" } else { "is not defined" };
                    self.undefined(span, &format!("{} {what}", Quoted(text)))
                }
            },
            _ => self.fail(span, &format!("expected a value, found {}", Quoted(text))),
        }
    }
}
