//! Aliases, macros, expressions: from statements to lines of assembly.

use super::condition::Conditions;
use super::lex::{self, Kind, Token, is_name_start, lines, tokens};
use super::{Constant, Expanded, MacroOptions, Mode};
use crate::agal::program::RegType;
use crate::agal::table::Opcode;
use crate::agal::text::errors::{Findings, Quoted, id};
use crate::agal::text::parse::operations;
use crate::agal::text::registers;
use crate::text::Word;
use crate::text::cursor::is_word_char;
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::LANES;

/// The macros that are there from the start.
const STDLIB: &str = "macro mul3x3(vec, mat) { m33 out, vec, mat }
macro mul4x4(vec, mat) { m44 out, vec, mat }
";

/// The name of the target in a macro.
const OUT: &str = "out";

/// Longest operand, longest name and longest alias, in bytes.
const MAX_OPERAND: usize = 64;

/// Most parameters of a macro.
const MAX_PARAMETERS: usize = 16;

/// Deepest nesting of calls.
const MAX_DEPTH: usize = 32;

/// Most tokens that are read in macros, all calls together.
const MAX_WORK: usize = 1 << 18;

/// What the result may be: as long as any program that can run, or some times the text.
const fn max_output(input: usize) -> usize {
    input.saturating_mul(3).saturating_add(32 << 10)
}

/// A macro.
struct Macro<'t> {
    parameters: Vec<&'t str>,
    body: Vec<Word<'t>>,
    /// Whether it stands in another text than the one that is expanded.
    foreign: bool,
}

/// A macro is told by its name and the number of its parameters.
type Key<'t> = (&'t str, usize);

/// A macro that is being read.
struct Definition<'t> {
    key: Key<'t>,
    parameters: Vec<&'t str>,
    body: Vec<Word<'t>>,
    /// Whether the `{` was there.
    open: bool,
    span: Span,
}

/// A call that is being expanded.
struct Frame<'f> {
    target: &'f str,
    parameters: &'f [&'f str],
    arguments: &'f [String],
    /// The statement of the text that is expanded.
    call: Span,
    foreign: bool,
}

/// What an operand is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Written,
    Read,
}

struct Expander<'t, 'f> {
    mode: Mode,
    findings: &'f mut Findings,
    conditions: Conditions,
    aliases: BTreeMap<&'t str, &'t str>,
    /// Where each declared value is: register and component.
    values: BTreeMap<u64, (usize, usize)>,
    macros: BTreeMap<Key<'t>, Rc<Macro<'t>>>,
    active: Vec<Key<'t>>,
    definition: Option<Definition<'t>>,
    out: Expanded,
    limit: usize,
    work: usize,
    stopped: bool,
    foreign: bool,
    /// The statement that is read, outside macros, and that of each line of `out`.
    top: Span,
    tops: Vec<Span>,
    /// Where the lines begin that conditions leave out.
    dead: Vec<u32>,
}

/// What is known of a text that was expanded.
pub(super) struct ExpandedText {
    pub(super) expanded: Expanded,
    /// For each line of what it expands to the statement outside macros that gave it.
    pub(super) tops: Vec<Span>,
    /// The register of each alias.
    pub(super) aliases: BTreeMap<String, String>,
    /// Where the lines begin that conditions leave out, in order.
    pub(super) dead: Vec<u32>,
}

/// The names of the macros that are there from the start.
pub(super) fn library_names() -> impl Iterator<Item = &'static str> {
    STDLIB.lines().filter_map(|line| line.strip_prefix("macro ")?.split('(').next())
}

/// Expands a text; what is wrong goes to `findings`.
pub(super) fn expand(text: &str, options: &MacroOptions<'_>, findings: &mut Findings) -> Expanded {
    expand_noting(text, options, findings).expanded
}

/// Expands a text, and notes how.
pub(super) fn expand_noting(text: &str, options: &MacroOptions<'_>, findings: &mut Findings) -> ExpandedText {
    let mode = options.mode;
    let libraries: Vec<String> = core::iter::once(&STDLIB)
        .chain(options.library)
        .map(|text| lex::without_comments(text, mode, &mut Findings::counting()))
        .collect();
    let clean = lex::without_comments(text, mode, findings);
    let mut expander = Expander {
        mode,
        findings,
        conditions: Conditions::new(mode, options.defines),
        aliases: BTreeMap::new(),
        values: BTreeMap::new(),
        macros: BTreeMap::new(),
        active: Vec::new(),
        definition: None,
        out: Expanded::default(),
        limit: max_output(text.len()),
        work: MAX_WORK,
        stopped: false,
        foreign: true,
        top: Span::default(),
        tops: Vec::new(),
        dead: Vec::new(),
    };
    for library in &libraries {
        expander.text(library);
        expander.conditions = Conditions::new(mode, options.defines);
        expander.aliases.clear();
        expander.values.clear();
        expander.out = Expanded::default();
        expander.tops.clear();
        expander.dead.clear();
    }
    expander.foreign = false;
    expander.text(&clean);
    let Expander { out: expanded, tops, aliases, dead, .. } = expander;
    let aliases = aliases.into_iter().map(|(name, register)| (name.into(), register.into())).collect();
    ExpandedText { expanded, tops, aliases, dead }
}

impl<'t> Expander<'t, '_> {
    /// Reads a whole text.
    fn text(&mut self, text: &'t str) {
        for line in lines(text) {
            self.line(line);
            if self.stopped {
                return;
            }
        }
        if let Some(definition) = self.definition.take() {
            self.error(id::MACRO_DEFINITION, definition.span, format_args!("the macro is not closed"));
        }
        let had = self.findings.has_errors();
        self.conditions.finish(self.findings);
        self.stop_at_first(had);
    }

    fn error(&mut self, id: &'static str, span: Span, message: core::fmt::Arguments<'_>) {
        // What is wrong in a library has no place in this text.
        if self.foreign {
            self.findings.error_of_text(
                id,
                message,
                Some("this is in a text that was read earlier".to_string()),
            );
        } else {
            self.findings.error(id, span, message);
        }
        self.stop_at_first(false);
    }

    /// Adobe's assembler throws at the first error.
    fn stop_at_first(&mut self, had: bool) {
        self.stopped |= self.mode == Mode::Compat && !had && self.findings.has_errors();
    }

    fn line(&mut self, line: Word<'t>) {
        if line.is_empty() {
            return;
        }
        if !self.conditions.active() {
            self.dead.push(line.span().start);
        }
        if line.text.starts_with('#') {
            match tokens(line, true) {
                Some(tokens) => {
                    let had = self.findings.has_errors();
                    self.conditions.directive(&tokens, line.span(), self.findings);
                    self.stop_at_first(had);
                }
                None => self.too_long(line.span()),
            }
            return;
        }
        if !self.conditions.active() {
            return;
        }
        self.top = line.span();
        if self.definition.is_some() {
            self.body(line);
        } else if self.mode == Mode::Strict && line.text.starts_with('.') {
            self.emit(line.text, line.span());
        } else if starts_with_word(line.text, "macro") {
            self.begin_macro(line);
        } else {
            self.statement(line, None);
        }
    }

    fn too_long(&mut self, span: Span) {
        self.error(id::MACRO_LIMIT, span, format_args!("more than {} words in a line", lex::MAX_TOKENS));
    }

    /// `macro NAME(a, b) {` and what follows.
    fn begin_macro(&mut self, line: Word<'t>) {
        let brace = line.text.find('{').unwrap_or(line.text.len());
        let (head, rest) = line.split(brace);
        let Some(head_tokens) = tokens(head, false) else { return self.too_long(line.span()) };
        let mut parameters = Vec::new();
        let mut good = matches!(&head_tokens[..], [_, name, open, .., close]
            if name.kind == Kind::Name && open.is("(") && close.is(")"));
        let inner = head_tokens.get(3..head_tokens.len().saturating_sub(1)).unwrap_or(&[]);
        for (n, token) in inner.iter().enumerate() {
            match n % 2 {
                0 => {
                    good &= token.kind == Kind::Name && token.word.text.chars().all(is_word_char);
                    parameters.push(token.word.text);
                }
                _ => good &= token.is(","),
            }
        }
        good &= inner.is_empty() || inner.len() % 2 == 1;
        let name = head_tokens.get(1).map_or(head, |t| t.word);
        good &= name.text.chars().all(is_word_char);
        if !good {
            self.error(id::MACRO_DEFINITION, head.span(), format_args!("expected macro NAME(a, b) {{"));
        } else if parameters.len() > MAX_PARAMETERS {
            self.error(
                id::MACRO_LIMIT,
                head.span(),
                format_args!("a macro has at most {MAX_PARAMETERS} parameters"),
            );
        } else if self.mode == Mode::Strict {
            let again =
                parameters.iter().enumerate().find(|(n, p)| **p == OUT || parameters[..*n].contains(p));
            if let Some((_, again)) = again {
                self.error(
                    id::MACRO_DEFINITION,
                    head.span(),
                    format_args!("{} cannot be a parameter here", Quoted(again)),
                );
            }
        }
        // The body is read all the same, so that its lines are not taken for statements.
        let key = (name.text, parameters.len());
        self.definition =
            Some(Definition { key, parameters, body: Vec::new(), open: false, span: head.trim().span() });
        if !rest.is_empty() {
            self.body(rest);
        }
    }

    /// A line while a macro is being read.
    fn body(&mut self, line: Word<'t>) {
        let Some(mut definition) = self.definition.take() else { return };
        let mut line = line;
        if !definition.open {
            if !line.text.starts_with('{') {
                self.error(id::MACRO_DEFINITION, line.span(), format_args!("expected {{"));
                return;
            }
            definition.open = true;
            line = line.split(1).1.trim();
        }
        let close = line.text.find('}');
        let (inner, rest) = line.split(close.unwrap_or(line.text.len()));
        if inner.text.contains('{') {
            self.error(
                id::MACRO_DEFINITION,
                inner.span(),
                format_args!("a macro cannot be defined inside a macro"),
            );
        }
        let inner = inner.trim();
        if !inner.is_empty() {
            definition.body.push(inner);
        }
        if close.is_none() {
            self.definition = Some(definition);
            return;
        }
        let Definition { key, parameters, body, span, .. } = definition;
        let known = self.macros.get(&key).is_some_and(|m| !m.foreign);
        if known && self.mode == Mode::Strict {
            self.error(
                id::MACRO_DEFINITION,
                span,
                format_args!("{} with {} parameters is already defined", Quoted(key.0), key.1),
            );
        }
        self.macros.insert(key, Rc::new(Macro { parameters, body, foreign: self.foreign }));
        self.line(rest.split(1).1.trim());
    }

    /// A statement, at the top (`frame` is `None`) or in a macro.
    fn statement(&mut self, line: Word<'t>, frame: Option<&Frame<'_>>) {
        let Some(tokens) = tokens(line, false) else {
            return self.too_long(frame.map_or(line.span(), |f| f.call));
        };
        if let Some(long) = tokens.iter().find(|t| t.kind != Kind::Options && t.word.text.len() > MAX_OPERAND)
        {
            let span = place(long.word, frame);
            return self.error(
                id::MACRO_LIMIT,
                span,
                format_args!("{} is longer than {MAX_OPERAND} bytes", Quoted(long.word.text)),
            );
        }
        if frame.is_some() {
            self.work = self.work.saturating_sub(tokens.len() + 1);
            if self.work == 0 {
                self.too_much(place(line, frame));
                return;
            }
        }
        let assigned = tokens.get(1).filter(|t| t.kind == Kind::Mark && t.word.text.ends_with('='));
        match (&tokens[..], assigned) {
            ([first, ..], _) if first.word.text == "alias" && frame.is_none() => {
                self.alias(&tokens[1..], line);
            }
            ([target, _, rest @ ..], Some(sign)) => self.assignment(line, *target, *sign, rest, frame),
            _ => self.assembly(line, &tokens, frame),
        }
    }

    fn too_much(&mut self, span: Span) {
        if !self.stopped {
            self.error(id::MACRO_LIMIT, span, format_args!("the macros expand to too many lines"));
            self.stopped = true;
        }
    }

    /// `alias REGISTER, NAME` or `alias REGISTER, NAME(x, y, z, w)`.
    fn alias(&mut self, tokens: &[Token<'t>], line: Word<'t>) {
        let [register, comma, name, values @ ..] = tokens else {
            return self.error(id::MACRO_ALIAS, line.span(), format_args!("expected alias REGISTER, NAME"));
        };
        if register.kind != Kind::Name || !comma.is(",") || name.kind != Kind::Name {
            return self.error(id::MACRO_ALIAS, line.span(), format_args!("expected alias REGISTER, NAME"));
        }
        let (target, alias) = (register.word.text, name.word.text);
        if self.mode == Mode::Strict {
            if !is_register(target) {
                return self.error(
                    id::MACRO_ALIAS,
                    register.word.span(),
                    format_args!("{} is not a register", Quoted(target)),
                );
            }
            let taken = is_register(alias) || alias == OUT || operations(alias).next().is_some();
            if taken || !alias.chars().all(is_word_char) {
                return self.error(
                    id::MACRO_ALIAS,
                    name.word.span(),
                    format_args!("{} cannot be the name of a register", Quoted(alias)),
                );
            }
            if self.aliases.get(alias).is_some_and(|known| *known != target) {
                return self.error(
                    id::MACRO_ALIAS,
                    name.word.span(),
                    format_args!("{} is the name of another register", Quoted(alias)),
                );
            }
        }
        self.aliases.insert(alias, target);
        if !values.is_empty() {
            self.declare(target, alias, values, line);
        }
    }

    /// The values behind the name of a constant: `(0.5, -1)`.
    fn declare(&mut self, register: &str, name: &str, tokens: &[Token<'t>], line: Word<'t>) {
        let mut values = [0.0; 4];
        let inner = match tokens {
            [open, inner @ .., close] if open.is("(") && close.is(")") => inner,
            _ => return self.error(id::MACRO_ALIAS, line.span(), format_args!("expected NAME(x, y, z, w)")),
        };
        for (count, value) in inner.split(|t| t.is(",")).enumerate() {
            let (sign, number) = match value {
                [minus, number] if minus.is("-") => (-1.0, number),
                [number] => (1.0, number),
                _ => {
                    return self.error(
                        id::MACRO_ALIAS,
                        line.span(),
                        format_args!("expected up to four numbers"),
                    );
                }
            };
            let value = number.word.text.parse::<f64>().ok().filter(|_| number.kind == Kind::Number);
            let (Some(value), Some(slot)) = (value, values.get_mut(count)) else {
                return self.error(
                    id::MACRO_ALIAS,
                    number.word.span(),
                    format_args!("expected up to four numbers"),
                );
            };
            *slot = sign * value;
        }
        let known = self.out.constants.iter().position(|c| c.register == register);
        if let Some(known) = known.filter(|_| self.mode == Mode::Strict) {
            if self.out.constants.get(known).is_some_and(|c| c.values != values) {
                return self.error(
                    id::MACRO_ALIAS,
                    line.span(),
                    format_args!("{} already has other values", Quoted(register)),
                );
            }
            return;
        }
        if self.out.constants.len() >= MAX_CONSTANTS {
            return self.error(
                id::MACRO_LIMIT,
                line.span(),
                format_args!("more than {MAX_CONSTANTS} constants"),
            );
        }
        let index = self.out.constants.len();
        for (lane, value) in values.iter().enumerate() {
            // Adding 0 turns −0 into 0, which is equal to it.
            self.values.entry((value + 0.0).to_bits()).or_insert((index, lane));
        }
        self.out.constants.push(Constant { register: register.into(), name: name.into(), values });
    }

    /// `target = …`, `target += …`.
    fn assignment(
        &mut self,
        line: Word<'t>,
        target: Token<'t>,
        sign: Token<'t>,
        rest: &[Token<'t>],
        frame: Option<&Frame<'_>>,
    ) {
        let span = place(line, frame);
        let unknown = |this: &mut Self| {
            this.error(id::MACRO_STATEMENT, span, format_args!("this is not a form of assignment"));
        };
        if target.kind != Kind::Name {
            return unknown(self);
        }
        if let [name, open, inner @ .., close] = rest {
            if sign.is("=") && name.kind == Kind::Name && open.is("(") && close.is(")") {
                return self.call(line, target, *name, inner, frame);
            }
            if sign.is("=") && name.word.text == Opcode::Tex.row().name && open.kind == Kind::Options {
                return self.texture(line, target, *open, &rest[2..], frame);
            }
        }
        let Some(written) = self.operand(target, Use::Written, frame) else { return };
        let mut values = Vec::new();
        let mut marks = String::new();
        for token in rest {
            match token.kind {
                Kind::Name | Kind::Number => {
                    let Some(value) = self.operand(*token, Use::Read, frame) else { return };
                    values.push(value);
                    marks.push('v');
                }
                Kind::Mark => marks.push_str(token.word.text),
                Kind::Options => return unknown(self),
            }
        }
        let op = |mark: &str| {
            Some(match mark {
                "+" => Opcode::Add,
                "-" => Opcode::Sub,
                "*" => Opcode::Mul,
                "/" => Opcode::Div,
                _ => return None,
            })
        };
        let inner = marks.strip_prefix('v').and_then(|m| m.strip_suffix('v'));
        match (sign.word.text, &values[..], &marks[..]) {
            ("=", [b], "v") => self.write(Opcode::Mov, &[&written, b], span),
            ("=", [b], "-v") => self.write(Opcode::Neg, &[&written, b], span),
            ("=", [b, c], _) => match inner.and_then(op) {
                Some(op) => self.write(op, &[&written, b, c], span),
                None => unknown(self),
            },
            ("=", [b, c, d], "v*v+v") => self.through(&written, [b, c], d, false, span),
            ("=", [b, c, d], "v+v*v") => self.through(&written, [c, d], b, true, span),
            (sign, [b], "v") => match sign.strip_suffix('=').and_then(op) {
                Some(op) => {
                    let Some(read) = self.read_back(&written, span) else { return };
                    self.write(op, &[&written, &read, b], span);
                }
                None => unknown(self),
            },
            _ => unknown(self),
        }
    }

    /// A product goes to the target, which is then added to `more`.
    fn through(&mut self, target: &str, factors: [&String; 2], more: &str, swap: bool, span: Span) {
        let Some(read) = self.read_back(target, span) else { return };
        if self.mode == Mode::Strict && overwritten(target, more) {
            return self.error(
                id::MACRO_CLOBBER,
                span,
                format_args!("{} is overwritten by the product before it is added", Quoted(more)),
            );
        }
        self.write(Opcode::Mul, &[target, factors[0], factors[1]], span);
        let (first, second) = if swap { (more, &read[..]) } else { (&read[..], more) };
        self.write(Opcode::Add, &[target, first, second], span);
    }

    /// The target as a source: without its mask, so that each lane reads itself.
    fn read_back<'a>(&mut self, target: &'a str, span: Span) -> Option<Cow<'a, str>> {
        if self.mode == Mode::Compat {
            return Some(Cow::Borrowed(target));
        }
        let base = split_suffix(target).0;
        let letters = base.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(base.len());
        let ty = registers::by_name(&base[..letters]).map(|name| name.ty);
        if matches!(ty, Some(RegType::Output | RegType::Varying | RegType::Depth)) {
            self.error(
                id::MACRO_CLOBBER,
                span,
                format_args!("this reads {}, which cannot be read", Quoted(base)),
            );
            return None;
        }
        Some(Cow::Borrowed(base))
    }

    /// `target = tex<options>(coordinates, sampler)`; `rest` begins with the parenthesis.
    fn texture(
        &mut self,
        line: Word<'t>,
        target: Token<'t>,
        options: Token<'t>,
        rest: &[Token<'t>],
        frame: Option<&Frame<'_>>,
    ) {
        let [open, coordinates, comma, sampler, close] = rest else {
            return self.error(
                id::MACRO_STATEMENT,
                place(line, frame),
                format_args!("expected tex<options>(coordinates, sampler)"),
            );
        };
        if !(open.is("(") && comma.is(",") && close.is(")")) {
            return self.error(
                id::MACRO_STATEMENT,
                place(line, frame),
                format_args!("expected tex<options>(coordinates, sampler)"),
            );
        }
        let Some(target) = self.operand(target, Use::Written, frame) else { return };
        let Some(coordinates) = self.operand(*coordinates, Use::Read, frame) else { return };
        let Some(sampler) = self.operand(*sampler, Use::Read, frame) else { return };
        let name = Opcode::Tex.row().name;
        let text = format!("{name} {target}, {coordinates}, {sampler} {}", options.word.text);
        self.emit(&text, place(line, frame));
    }

    /// `target = NAME(arguments)`.
    fn call(
        &mut self,
        line: Word<'t>,
        target: Token<'t>,
        name: Token<'t>,
        inner: &[Token<'t>],
        frame: Option<&Frame<'_>>,
    ) {
        let span = place(line, frame);
        let mut arguments = Vec::new();
        if !inner.is_empty() {
            for argument in inner.split(|t| t.is(",")) {
                let [one] = argument else {
                    return self.error(
                        id::MACRO_ARGUMENT,
                        span,
                        format_args!("an argument is a single operand"),
                    );
                };
                let Some(value) = self.operand(*one, Use::Read, frame) else { return };
                arguments.push(value);
            }
        }
        let Some(target) = self.operand(target, Use::Written, frame) else { return };
        let key = (name.word.text, arguments.len());
        let Some(called) = self.macros.get(&key).cloned() else {
            let named = self.macros.range((key.0, 0)..=(key.0, MAX_PARAMETERS));
            let others: Vec<String> = named.take(4).map(|(k, _)| k.1.to_string()).collect();
            let known = match others.is_empty() {
                true => String::new(),
                false => format!(", only with {}", others.join(" or ")),
            };
            let (name, count) = (Quoted(key.0), key.1);
            let s = if count == 1 { "" } else { "s" };
            return self.error(
                id::MACRO_UNKNOWN,
                span,
                format_args!("there is no macro {name} with {count} parameter{s}{known}"),
            );
        };
        if self.active.contains(&key) {
            return self.error(id::MACRO_RECURSION, span, format_args!("{} calls itself", Quoted(key.0)));
        }
        if self.active.len() == MAX_DEPTH {
            return self.error(
                id::MACRO_LIMIT,
                span,
                format_args!("macros are nested deeper than {MAX_DEPTH}"),
            );
        }
        self.active.push(key);
        let inner = Frame {
            target: &target,
            parameters: &called.parameters,
            arguments: &arguments,
            call: frame.map_or(line.span(), |f| f.call),
            foreign: called.foreign,
        };
        for statement in &called.body {
            self.statement(*statement, Some(&inner));
            if self.stopped {
                break;
            }
        }
        self.active.pop();
    }

    /// A line of assembly: only its operands are replaced.
    fn assembly(&mut self, line: Word<'t>, tokens: &[Token<'t>], frame: Option<&Frame<'_>>) {
        let Some((mnemonic, rest)) = tokens.split_first() else { return };
        let mut text = mnemonic.word.text.to_string();
        let row = operations(&text).next().map(Opcode::row);
        let mut written = row.is_some_and(|row| row.has_dst());
        for token in rest {
            let value = match token.kind {
                Kind::Name | Kind::Number => {
                    let used = if core::mem::take(&mut written) { Use::Written } else { Use::Read };
                    let Some(value) = self.operand(*token, used, frame) else { return };
                    value
                }
                Kind::Options | Kind::Mark => token.word.text.to_string(),
            };
            if !token.is(",") {
                text.push(' ');
            }
            text.push_str(&value);
            if text.len() > self.limit {
                break;
            }
        }
        self.emit(&text, place(line, frame));
    }

    fn write(&mut self, op: Opcode, operands: &[&str], span: Span) {
        let mut text = op.row().name.to_string();
        for (n, operand) in operands.iter().enumerate() {
            text.push_str(if n == 0 { " " } else { ", " });
            text.push_str(operand);
        }
        self.emit(&text, span);
    }

    fn emit(&mut self, line: &str, span: Span) {
        if self.out.text.len() + line.len() >= self.limit {
            return self.too_much(span);
        }
        self.out.text.push_str(line);
        self.out.text.push('\n');
        self.out.origins.push(span);
        self.tops.push(self.top);
    }

    /// An operand with parameters, aliases and numbers replaced.
    fn operand(&mut self, token: Token<'t>, used: Use, frame: Option<&Frame<'_>>) -> Option<String> {
        let (word, text) = (token.word, token.word.text);
        match token.kind {
            Kind::Name => {}
            Kind::Number => return self.number(word, frame),
            Kind::Options | Kind::Mark => {
                self.error(
                    id::MACRO_STATEMENT,
                    place(word, frame),
                    format_args!("expected an operand, found {}", Quoted(text)),
                );
                return None;
            }
        }
        let head = text.find(['.', '[']).unwrap_or(text.len());
        let (name, suffix) = text.split_at(head);
        let (base, target) = self.resolve(name, frame);
        let base = base.into_owned();
        let out = match suffix.strip_prefix('[') {
            Some(indexed) => {
                let close = indexed.find(']').unwrap_or(indexed.len());
                format!("{base}[{}{}", self.index(&indexed[..close], frame), &indexed[close..])
            }
            None => match self.mode {
                Mode::Compat => format!("{base}{suffix}"),
                Mode::Strict => match combined(&base, suffix, target, used) {
                    Some(out) => out,
                    None => {
                        self.error(
                            id::MACRO_SUFFIX,
                            place(word, frame),
                            format_args!("{} is an alias of {}: two suffixes", Quoted(text), Quoted(&base)),
                        );
                        return None;
                    }
                },
            },
        };
        if out.len() > MAX_OPERAND * 2 {
            self.error(
                id::MACRO_LIMIT,
                place(word, frame),
                format_args!("{} is longer than {} bytes", Quoted(&out), MAX_OPERAND * 2),
            );
            return None;
        }
        Some(out)
    }

    /// The names in an index, as in `va0.x+3`.
    fn index(&self, text: &str, frame: Option<&Frame<'_>>) -> String {
        let mut out = String::new();
        let mut rest = text;
        let mut suffix = false;
        while let Some(c) = rest.chars().next() {
            let len = if is_name_start(c) {
                rest.find(|c| !is_word_char(c)).unwrap_or(rest.len())
            } else {
                c.len_utf8()
            };
            let (piece, behind) = rest.split_at(len);
            match is_name_start(c) && !suffix {
                true => out.push_str(&self.resolve(piece, frame).0),
                false => out.push_str(piece),
            }
            suffix = c == '.';
            rest = behind;
        }
        out
    }

    /// What a name stands for, and whether it is the target of a macro.
    fn resolve<'a>(&'a self, name: &'a str, frame: Option<&'a Frame<'_>>) -> (Cow<'a, str>, bool) {
        if let Some(frame) = frame {
            if let Some(n) = frame.parameters.iter().position(|p| *p == name) {
                return (Cow::Borrowed(frame.arguments.get(n).map_or(name, |a| a)), false);
            }
            match name.strip_prefix(OUT) {
                Some("") => return (Cow::Borrowed(frame.target), true),
                Some(rest) if self.mode == Mode::Compat => {
                    return (Cow::Owned(format!("{}{rest}", frame.target)), true);
                }
                _ => {}
            }
        }
        (Cow::Borrowed(self.aliases.get(name).copied().unwrap_or(name)), false)
    }

    /// The component of a constant that holds a number.
    fn number(&mut self, word: Word<'t>, frame: Option<&Frame<'_>>) -> Option<String> {
        let found = word.text.parse::<f64>().ok().and_then(|value| self.values.get(&value.to_bits()));
        let found = found.and_then(|&(n, lane)| Some((self.out.constants.get(n)?, *LANES.get(lane)?)));
        if let Some((constant, lane)) = found {
            return Some(format!("{}.{lane}", constant.register));
        }
        // The words of Adobe's assembler.
        self.error(
            id::MACRO_CONSTANT,
            place(word, frame),
            format_args!("Numeric constant used that is not declared in a constant register."),
        );
        None
    }
}

/// Most constants that are declared: more than any stage has registers.
const MAX_CONSTANTS: usize = 1024;

/// Where a piece of the text stands: in a macro of another text, the call.
fn place(word: Word<'_>, frame: Option<&Frame<'_>>) -> Span {
    match frame {
        Some(frame) if frame.foreign => frame.call,
        _ => word.span(),
    }
}

pub(super) fn starts_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

/// Whether a word is a register, as in `vc4` or `op`.
fn is_register(text: &str) -> bool {
    let digits = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let (name, number) = text.split_at(digits);
    number.bytes().all(|b| b.is_ascii_digit()) && number.len() < 6 && registers::by_name(name).is_some()
}

/// Register and suffix of an operand; the suffix without its dot, `None` if there is none.
fn split_suffix(operand: &str) -> (&str, Option<&str>) {
    let behind = operand.find(']').map_or(0, |n| n + 1);
    match operand[behind..].find('.') {
        Some(dot) => (&operand[..behind + dot], operand.get(behind + dot + 1..)),
        None => (operand, None),
    }
}

fn lane(letter: char) -> Option<usize> {
    LANES.iter().position(|l| *l == letter)
}

/// `base` with one more suffix, which picks from the one that it has. The target of a macro is read without its
/// mask, so that each lane reads itself. `None` if two suffixes meet that do not make one.
fn combined(base: &str, suffix: &str, target: bool, used: Use) -> Option<String> {
    let (register, own) = split_suffix(base);
    match own {
        None => Some(format!("{base}{suffix}")),
        Some(_) if suffix.is_empty() && target && used == Use::Read => Some(register.into()),
        Some(_) if suffix.is_empty() => Some(base.into()),
        Some(_) if target || used == Use::Written => None,
        Some(own) => {
            let mut out = format!("{register}.");
            let letters = suffix.get(1..).filter(|l| (1..=LANES.len()).contains(&l.len()))?;
            for letter in letters.chars() {
                let n = lane(letter)?;
                out.push(own.chars().nth(n).or_else(|| own.chars().next_back())?);
            }
            Some(out)
        }
    }
}

/// Whether writing `target` changes a lane that `source` reads for one of the lanes of `target`.
fn overwritten(target: &str, source: &str) -> bool {
    let ((target, mask), (source, swizzle)) = (split_suffix(target), split_suffix(source));
    if target != source {
        return false;
    }
    let mask: Vec<usize> =
        mask.map_or_else(|| (0..LANES.len()).collect(), |m| m.chars().filter_map(lane).collect());
    let swizzle: Vec<usize> = swizzle.map_or_else(Vec::new, |s| s.chars().filter_map(lane).collect());
    let read = |n: usize| swizzle.get(n).or(swizzle.last()).copied().unwrap_or(n);
    mask.iter().any(|n| mask.contains(&read(*n)))
}
