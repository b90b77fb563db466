//! The symbols of a text in the macro language: names by the statements in which they stand, registers by what the lines read and
//! write to which the statements expand.

use super::lex::{self, Kind, Token, lines, tokens};
use super::statement::{self, ExpandedText, starts_with_word};
use super::{MacroOptions, Mode};
use crate::agal::program::Stage;
use crate::agal::text::errors::Findings;
use crate::agal::text::parse::ParseOptions;
use crate::agal::text::symbols::{Found, Register, add, walk};
use crate::symbols::{Collector, Mention, Place, Role, Scope, SymbolKind, Symbols};
use crate::text::Word;
use crate::text::cursor::is_word_char;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Lines, Span};
use vecasm_ir::operand::WriteMask;

/// Whether a text is in the macro language, and more than plain assembly.
pub(in crate::agal::text) fn looks_like(text: &str) -> bool {
    let clean = lex::without_comments(text, Mode::Strict, &mut Findings::counting());
    lines(&clean).any(|line| {
        let text = line.text;
        text.starts_with('#')
            || starts_with_word(text, "alias")
            || starts_with_word(text, "macro")
            || !text.starts_with('.') && text.contains('=')
    })
}

/// The symbols of a text in the macro language.
pub(in crate::agal::text) fn symbols(text: &str, options: &ParseOptions) -> Symbols {
    let clean = lex::without_comments(text, Mode::Strict, &mut Findings::counting());
    let ExpandedText { expanded, tops, aliases, dead } =
        statement::expand_noting(text, &MacroOptions::default(), &mut Findings::counting());
    let out = Collector::with_macros(text);
    let mut all = Gatherer { out, aliases, dead, statements: BTreeMap::new(), pending: Vec::new() };
    let mut body = None;
    for line in lines(&clean) {
        all.line(line, &mut body);
    }
    let lines = Lines::new(&expanded.text);
    let mut stage = Stage::Fragment;
    let mut found = Vec::new();
    walk(&expanded.text, options, &mut |of, it| {
        stage = of;
        let line = lines.line(it.place.span.start) as usize - 1;
        if let (Some(origin), Some(top)) = (expanded.origins.get(line), tops.get(line)) {
            found.push((*origin, *top, it));
        }
    });
    for (origin, top, it) in found {
        all.found(origin, top, stage, &it);
    }
    all.finish(stage)
}

/// A word of a statement that may be a register, or stand for one.
#[derive(Clone, Copy)]
struct Operand<'t> {
    /// The name, with the brackets of an index.
    span: Span,
    /// The alias that it is, if it is one.
    alias: Option<&'t str>,
    register: Register,
    /// Whether it is the first operand, which most statements write.
    target: bool,
    /// Whether what is done with it is known.
    known: bool,
}

/// A statement.
struct Statement<'t> {
    operands: Vec<Operand<'t>>,
    numbers: Vec<Span>,
    /// The macro that it calls.
    call: Option<Span>,
}

/// What is found so far.
struct Gatherer<'t> {
    out: Collector,
    /// The register of each alias.
    aliases: BTreeMap<String, String>,
    /// Where the lines begin that conditions leave out, in order.
    dead: Vec<u32>,
    statements: BTreeMap<u32, Statement<'t>>,
    /// Constants with values.
    pending: Vec<Found>,
}

/// A macro that is being read: what its parameters are told, its parameters, whether its `{` was there.
type Body<'t> = Option<(Scope, BTreeSet<&'t str>, bool)>;

impl<'t> Gatherer<'t> {
    fn name(&mut self, kind: SymbolKind, word: Word<'_>, statement: Word<'_>, role: Role) -> Scope {
        self.out.name(kind, word.text, Place::named(word.span(), statement.span()), role)
    }

    fn parameter(&mut self, scope: Scope, word: Word<'_>, statement: Word<'_>, role: Role) {
        self.out.parameter(scope, word.text, Place::named(word.span(), statement.span()), role);
    }

    fn line(&mut self, line: Word<'t>, body: &mut Body<'t>) {
        let dead = self.dead.binary_search(&line.span().start).is_ok();
        if line.is_empty() {
        } else if line.text.starts_with('#') {
            self.directive(line, dead);
        } else if dead {
        } else if body.is_some() {
            self.body(line, body);
        } else if line.text.starts_with('.') {
        } else if starts_with_word(line.text, "macro") {
            self.definition(line, body);
        } else {
            self.statement(line, None);
        }
    }

    /// A line of the preprocessor; of those that are left out conditions count all the same.
    fn directive(&mut self, line: Word<'t>, dead: bool) {
        let all = tokens(line, true).unwrap_or_default();
        let word = all.get(1).map_or("", |token| token.word.text);
        if dead && matches!(word, "define" | "undef") {
            return;
        }
        for (n, token) in all.iter().enumerate().skip(2).filter(|(_, token)| token.kind == Kind::Name) {
            let role = match (word, n) {
                ("define", 2) => Role::Define,
                ("undef", _) => Role::Name,
                _ => Role::Expand,
            };
            self.name(SymbolKind::Macro, token.word, line, role);
        }
    }

    /// `macro NAME(a, b) {` and what follows.
    fn definition(&mut self, line: Word<'t>, body: &mut Body<'t>) {
        let brace = line.text.find('{').unwrap_or(line.text.len());
        let (head, rest) = line.split(brace);
        let head = head.trim();
        let all = tokens(head, false).unwrap_or_default();
        let mut names = all.iter().skip(1).filter(|token| token.kind == Kind::Name).map(|token| token.word);
        let Some(name) = names.next() else { return };
        let scope = self.name(SymbolKind::Macro, name, head, Role::Define);
        let mut parameters = BTreeSet::new();
        for parameter in names {
            parameters.insert(parameter.text);
            self.parameter(scope, parameter, head, Role::Define);
        }
        *body = Some((scope, parameters, false));
        if !rest.is_empty() {
            self.body(rest, body);
        }
    }

    /// A line of a macro.
    fn body(&mut self, line: Word<'t>, body: &mut Body<'t>) {
        let Some((scope, parameters, mut open)) = body.take() else { return };
        let mut line = line;
        if !open {
            if !line.text.starts_with('{') {
                return;
            }
            open = true;
            line = line.split(1).1.trim();
        }
        let close = line.text.find('}');
        let (inner, rest) = line.split(close.unwrap_or(line.text.len()));
        if !inner.trim().is_empty() {
            self.statement(inner.trim(), Some((scope, &parameters)));
        }
        match close {
            None => *body = Some((scope, parameters, open)),
            Some(_) => self.line(rest.split(1).1.trim(), body),
        }
    }

    /// A statement, at the top or in a macro, which has a name and parameters.
    fn statement(&mut self, line: Word<'t>, scope: Option<(Scope, &BTreeSet<&str>)>) {
        let all = tokens(line, false).unwrap_or_default();
        if let ([first, register, _, name, ..], None) = (&all[..], scope) {
            if first.word.text == "alias" {
                return self.alias(line, register, name, all.len() > 4);
            }
        }
        let assigned = all.get(1).is_some_and(|t| t.kind == Kind::Mark && t.word.text.ends_with('='));
        let mut out = Statement { operands: Vec::new(), numbers: Vec::new(), call: None };
        let mut first = true;
        for (n, token) in all.iter().enumerate() {
            if token.kind == Kind::Number {
                out.numbers.push(token.word.span());
            }
            if token.kind != Kind::Name || n == 0 && !assigned {
                continue;
            }
            let called = assigned && n == 2 && all.get(3).is_some_and(|next| next.is("("));
            let sampled = assigned && n == 2 && all.get(3).is_some_and(|next| next.kind == Kind::Options);
            if called {
                self.name(SymbolKind::Macro, token.word, line, Role::Expand);
                out.call = Some(token.word.span());
            } else if !sampled {
                self.operand(token.word, line, scope, core::mem::take(&mut first), &mut out);
            }
        }
        self.statements.insert(line.span().start, out);
    }

    /// `alias REGISTER, NAME`, perhaps with values.
    fn alias(&mut self, line: Word<'t>, register: &Token<'t>, name: &Token<'t>, valued: bool) {
        if name.kind != Kind::Name || !name.word.text.chars().all(is_word_char) {
            return;
        }
        self.name(SymbolKind::Alias, name.word, line, Role::Define);
        let Some(named) = Register::of_word(register.word) else { return };
        let operand =
            Operand { span: register.word.span(), alias: None, register: named, target: false, known: false };
        let mut statement = Statement { operands: Vec::new(), numbers: Vec::new(), call: None };
        if !valued {
            statement.operands.push(operand);
        } else {
            // The caller sets it.
            let place = Place::named(register.word.span(), line.span());
            let (role, lanes) = (Role::Define, WriteMask::ALL);
            self.pending.push(Found { register: named, first: named, place, role, lanes });
        }
        self.statements.insert(line.span().start, statement);
    }

    /// A word that may be a register, an alias or a parameter, with an index that may have others.
    fn operand(
        &mut self,
        word: Word<'t>,
        line: Word<'t>,
        scope: Option<(Scope, &BTreeSet<&str>)>,
        target: bool,
        out: &mut Statement<'t>,
    ) {
        let (name, rest) = word.split_while(is_word_char);
        if let Some((scope, _)) = scope.filter(|(_, parameters)| parameters.contains(name.text)) {
            self.parameter(scope, name, line, Role::Expand);
        } else {
            let alias = self.aliases.get(name.text);
            let index = rest.text.strip_prefix('[').and_then(|inner| inner.find(']'));
            let end = index.map_or(name.end(), |close| rest.at + close + 2);
            let spelled = match (alias, index) {
                (Some(register), _) => Word { text: register.as_str(), at: 0 },
                (None, Some(_)) => word.split(end - word.at).0,
                (None, None) => name,
            };
            if let Some(register) = Register::of_word(spelled) {
                let span = Span::new(name.at, end);
                let alias = alias.map(|_| name.text);
                out.operands.push(Operand { span, alias, register, target, known: false });
            }
        }
        if let Some(close) = rest.text.strip_prefix('[').and_then(|inner| inner.find(']')) {
            let inner = rest.split(1).1.split(close).0;
            self.operand(inner, line, scope, false, out);
        }
    }

    /// A use in an expanded line: of the statement `origin`, for the statement `top` of the text.
    fn found(&mut self, origin: Span, top: Span, stage: Stage, it: &Found) {
        let numbers = |of: Option<&Statement<'_>>| of.map_or_else(Vec::new, |of| of.numbers.clone());
        if self.attribute(top, stage, it) {
            return;
        }
        let inside = origin.start != top.start;
        let named = inside && self.attribute(origin, stage, it);
        // A number is the component of a constant.
        let mut places =
            if inside && !named { numbers(self.statements.get(&origin.start)) } else { Vec::new() };
        let here = self.statements.get(&top.start);
        match here.and_then(|here| here.call) {
            Some(name) => places.push(name),
            None if !inside => {
                let numbers = numbers(here);
                places.extend(if numbers.is_empty() { [top].to_vec() } else { numbers });
            }
            None => {}
        }
        for span in places {
            let statement = if span.start < top.start || span.start >= top.end { origin } else { top };
            let place = Place { span, statement, by: Mention::Alias };
            add(&mut self.out, stage, &Found { place, ..*it });
        }
    }

    /// Gives a use to the operands of a statement that are the register; whether there is one.
    fn attribute(&mut self, statement: Span, stage: Stage, it: &Found) -> bool {
        let Some(of) = self.statements.get_mut(&statement.start) else { return false };
        let same = |operand: &Operand<'_>| operand.register == it.first;
        let several = of.operands.iter().filter(|o| same(o)).count() > 1;
        let mut any = false;
        for operand in of.operands.iter_mut().filter(|o| o.register == it.first) {
            // What is written is the target, and what is read is not, where there is a choice.
            if several && operand.target != it.role.writes() {
                continue;
            }
            operand.known = true;
            any = true;
            let place = Place { span: operand.span, statement, by: it.place.by };
            match operand.alias {
                Some(alias) => {
                    let named = Place::named(operand.span, statement);
                    self.out.lanes(SymbolKind::Alias, alias, named, it.role, it.lanes);
                    add(&mut self.out, stage, &Found { place: place.mentioned(Mention::Alias), ..*it });
                }
                None => add(&mut self.out, stage, &Found { place, ..*it }),
            }
        }
        any
    }

    /// The symbols; what nothing is known of is named only.
    fn finish(mut self, stage: Stage) -> Symbols {
        for it in &core::mem::take(&mut self.pending) {
            add(&mut self.out, stage, it);
        }
        let statements = core::mem::take(&mut self.statements);
        for (_, statement) in statements {
            for operand in statement.operands.iter().filter(|operand| !operand.known) {
                let place = Place::named(operand.span, operand.span);
                let (role, lanes) = (Role::Name, WriteMask::NONE);
                let register = operand.register;
                match operand.alias {
                    Some(alias) => {
                        self.out.name(SymbolKind::Alias, alias, place, role);
                        let place = place.mentioned(Mention::Alias);
                        add(&mut self.out, stage, &Found { register, first: register, place, role, lanes });
                    }
                    None => {
                        add(&mut self.out, stage, &Found { register, first: register, place, role, lanes });
                    }
                }
            }
        }
        for name in statement::library_names() {
            self.out.fix(SymbolKind::Macro, name);
        }
        self.out.finish()
    }
}
