//! Lines that begin with `#`.

use super::condition::{self, Part};
use super::lex::{Kind, Lexer, Token};
use super::{Condition, File, MAX_FILES, MIN_FILE, Macro, Preprocessor, Request, SCRATCH, Stop};
use crate::d3d9::text::errors::{Quoted, id};
use crate::symbols::{Place, Role, SymbolKind};
use crate::text::cursor::{begins_word, is_word};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;

impl Preprocessor<'_, '_> {
    /// Reads a directive up to the end of its line; `hash` is the `#` in front of it.
    pub(super) fn directive(&mut self, lexer: &mut Lexer<'_>, hash: Token) -> Result<(), Stop> {
        let first = lexer.next(true);
        let mut line = Vec::new();
        // Where the arguments begin and end.
        let mut behind = first;
        let name = String::from(self.spelled(first));
        let live = self.is_live();
        let conditional = matches!(name.as_str(), "if" | "ifdef" | "ifndef" | "elif" | "else" | "endif");
        let body = lexer.at;
        let mut token = first;
        let mut stop = first.start;
        while !matches!(token.kind, Kind::Line | Kind::End) {
            stop = token.end;
            token = lexer.next(true);
            if matches!(token.kind, Kind::Line | Kind::End) {
                break;
            }
            if line.is_empty() {
                behind = token;
            }
            // Of what is not read, and of what macros stand for, the place is enough.
            if (live || conditional) && (name != "define" || line.len() < 2) {
                line.push(token);
            }
        }
        let whole = Span { start: hash.start, end: stop.max(hash.end) };
        let rest = Span { start: behind.start, end: stop };
        if matches!(first.kind, Kind::Line | Kind::End) {
            return Ok(());
        }
        let file = hash.file;
        if let Some(frame) = self.frames.last_mut() {
            frame.at = hash.start as usize;
        }
        self.outer = (file, hash.start);
        match name.as_str() {
            "if" | "ifdef" | "ifndef" => {
                let live = self.is_live();
                let holds = live && self.holds(&name, &line, whole, hash)?;
                if let Some(frame) = self.frames.last_mut() {
                    let (start, done) = (hash.start, holds || !live);
                    frame.conditions.push(Condition { start, live: holds, done, last: false });
                }
            }
            "elif" | "else" => {
                let last = name == "else";
                let Some(open) = self.frames.last().and_then(|frame| frame.conditions.last()) else {
                    self.error(id::CONDITION, file, whole, format!("#{name} without #if"));
                    return Ok(());
                };
                let (done, after) = (open.done, open.last);
                if after {
                    self.error(id::CONDITION, file, whole, format!("#{name} after #else"));
                }
                let holds = !done && (last || self.holds("if", &line, whole, hash)?);
                if let Some(open) = self.frames.last_mut().and_then(|frame| frame.conditions.last_mut()) {
                    open.live = holds;
                    open.done |= holds;
                    open.last |= last;
                }
            }
            "endif" => {
                if self.frames.last_mut().and_then(|frame| frame.conditions.pop()).is_none() {
                    self.error(id::CONDITION, file, whole, "#endif without #if");
                }
            }
            _ if !live => {}
            "define" => self.define(lexer.text, file, &line, body, stop, whole),
            "undef" => match line.first() {
                Some(token) if token.kind == Kind::Word => {
                    let name = String::from(self.spelled(*token));
                    self.names.remove(&name);
                    self.note(*token, Role::Name, Some(whole));
                }
                _ => {
                    self.error(id::PREPROCESSOR, file, whole, "expected the name of a macro after #undef");
                }
            },
            "include" => return self.included(lexer.text, hash, &line, rest, whole),
            "line" => self.line_number(&line, whole, hash, lexer)?,
            "error" => {
                let text = lexer.text.get(rest.start as usize..rest.end as usize).unwrap_or("");
                let text = if line.is_empty() { "" } else { text };
                self.error(id::ERROR, file, whole, format!("#error {text}").trim_end());
            }
            "pragma" => {}
            _ if first.kind == Kind::Number => {
                line.insert(0, first);
                self.line_number(&line, whole, hash, lexer)?;
            }
            _ => {
                let what = format!("there is no directive {}", Quoted(&format!("#{name}")));
                self.error(id::PREPROCESSOR, file, whole, what);
            }
        }
        Ok(())
    }

    /// Whether the lines behind a condition are read.
    fn holds(&mut self, name: &str, line: &[Token], whole: Span, hash: Token) -> Result<bool, Stop> {
        if name != "if" {
            return Ok(match line.first() {
                Some(token) if token.kind == Kind::Word => {
                    self.note(*token, Role::Name, Some(whole));
                    self.is_defined(self.spelled(*token)) == (name == "ifdef")
                }
                _ => {
                    let what = format!("expected the name of a macro after #{name}");
                    self.error(id::PREPROCESSOR, hash.file, whole, what);
                    false
                }
            });
        }
        // `defined` comes before macros are expanded.
        let mut tokens = Vec::with_capacity(line.len());
        let mut n = 0;
        while let Some(&token) = line.get(n) {
            n += 1;
            if self.spelled(token) != "defined" {
                tokens.push(token);
                continue;
            }
            let bracket = line.get(n).is_some_and(|token| self.spelled(*token) == "(");
            n += usize::from(bracket);
            let name = line.get(n).filter(|token| token.kind == Kind::Word).copied();
            n += 1;
            let closed = !bracket || line.get(n).is_some_and(|token| self.spelled(*token) == ")");
            n += usize::from(bracket);
            let Some(name) = name.filter(|_| closed) else {
                self.error_at(id::PREPROCESSOR, token, "`defined` takes the name of a macro");
                return Ok(false);
            };
            self.note(name, Role::Name, Some(whole));
            let value = if self.is_defined(self.spelled(name)) { "1" } else { "0" };
            let [start, end] = self.scribble(value)?;
            tokens.push(Token { kind: Kind::Number, file: SCRATCH, start, end, ..token });
        }
        let tokens = self.expand_list(&tokens)?;
        let mut parts = Vec::with_capacity(tokens.len());
        let mut wrong = None;
        for (n, token) in tokens.iter().enumerate() {
            let text = self.spelled(*token);
            let part = match token.kind {
                // A name that is no macro.
                Kind::Word => Some(Part::Value(0)),
                Kind::Number => condition::number(text).map(Part::Value),
                Kind::Text => {
                    let inside = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
                    let mut chars = inside.unwrap_or("").chars();
                    match (chars.next(), chars.next()) {
                        (Some(c), None) if c != '\\' => Some(Part::Value(i64::from(u32::from(c)))),
                        _ => None,
                    }
                }
                _ => Some(Part::Sign(text)),
            };
            match part {
                Some(part) => parts.push((part, n)),
                None => {
                    wrong = Some((n, format!("{} is not an integer", Quoted(text))));
                    break;
                }
            }
        }
        let value = match wrong {
            Some((n, what)) => Err((what, n)),
            None => condition::value(&parts).map_err(|(what, n)| (String::from(what), n)),
        };
        drop(parts);
        Ok(match value {
            Ok(value) => value != 0,
            Err((what, n)) => {
                let end = line.last().map_or(whole, |last| Span { start: whole.start, end: last.end });
                match tokens.get(n).filter(|token| !token.body && token.file != SCRATCH) {
                    Some(token) => self.error_at(id::PREPROCESSOR, *token, what),
                    None => self.error(id::PREPROCESSOR, hash.file, end, what),
                }
                false
            }
        })
    }

    fn define(&mut self, text: &str, file: u32, line: &[Token], body: usize, stop: u32, whole: Span) {
        let Some(&name) = line.first().filter(|token| token.kind == Kind::Word) else {
            return self.error(id::PREPROCESSOR, file, whole, "expected the name of a macro after #define");
        };
        let spelled = String::from(self.spelled(name));
        if matches!(spelled.as_str(), "defined" | "__LINE__" | "__FILE__") {
            return self.error_at(id::MACRO, name, format!("{} cannot be defined", Quoted(&spelled)));
        }
        let mut lexer = Lexer::new(text, file, body, stop as usize);
        lexer.at = name.end as usize;
        let mut parameters = None;
        let mut start = name.end;
        if line.get(1).is_some_and(|token| !token.gap && self.spelled(*token) == "(") {
            start = lexer.next(true).end;
            let first = start;
            let mut seen: Vec<Token> = Vec::new();
            let (mut comma, mut open) = (true, false);
            loop {
                let token = lexer.next(true);
                let sign = self.spelled(token);
                let fits = match (token.kind, sign) {
                    (Kind::Sign, ")") => !comma || seen.is_empty(),
                    (Kind::Sign, ",") => !comma && !open,
                    (Kind::Sign, ".") => {
                        // The other two points.
                        let (two, three) = (lexer.next(true), lexer.next(true));
                        comma && self.spelled(two) == "." && self.spelled(three) == "."
                    }
                    (Kind::Word, _) => comma,
                    _ => false,
                };
                if !fits {
                    let what =
                        "expected the names of parameters, separated by commas, and a closing parenthesis";
                    let at = Span { start: token.start, end: token.end };
                    return self.error(id::MACRO, file, at, what);
                }
                match (token.kind, sign) {
                    (Kind::Sign, ")") => {
                        parameters = Some((first, token.start));
                        start = token.end;
                        break;
                    }
                    (Kind::Sign, ",") => comma = true,
                    (Kind::Sign, _) => (comma, open) = (false, true),
                    _ => {
                        comma = false;
                        if seen.iter().any(|other| self.spelled(*other) == sign) || seen.len() >= 255 {
                            let what =
                                format!("{} is already a parameter, or there are too many", Quoted(sign));
                            return self.error_at(id::MACRO, token, what);
                        }
                        seen.push(token);
                    }
                }
            }
        }
        self.note_definition(text, name, parameters, (start, stop), whole);
        let new = Macro { file, parameters, body: (start, stop), active: 0 };
        let number = self.macros.len() as u32;
        self.macros.push(new);
        self.names.insert(spelled, number);
    }

    /// Notes the names in a definition: its own, those of its parameters, those of macros that it uses.
    fn note_definition(
        &mut self,
        text: &str,
        name: Token,
        parameters: Option<(u32, u32)>,
        body: (u32, u32),
        statement: Span,
    ) {
        // Of what is included again the first time counts.
        let Some(scope) = self.note(name, Role::Define, Some(statement)) else { return };
        let words = |(start, end): (u32, u32)| {
            let mut lexer = Lexer::new(text, 0, start as usize, end as usize);
            let next = move || Some(lexer.next(true)).filter(|token| token.kind != Kind::End);
            core::iter::from_fn(next)
        };
        let spelled = |token: &Token| text.get(token.start as usize..token.end as usize).unwrap_or("");
        let parameter = |this: &mut Self, token: Token, role: Role| {
            let place = Place::named(Span { start: token.start, end: token.end }, statement);
            if let Some(noted) = &mut this.noted {
                noted.out.parameter(scope, spelled(&token), place, role);
            }
        };
        let mut names = BTreeSet::new();
        for token in words(parameters.unwrap_or_default()).filter(|token| token.kind == Kind::Word) {
            names.insert(spelled(&token));
            parameter(self, token, Role::Define);
        }
        // What is pasted together may be another name.
        let pastes = words(body).any(|token| token.kind == Kind::Sign && spelled(&token).starts_with('#'));
        for token in words(body).filter(|token| token.kind == Kind::Word) {
            let word = spelled(&token);
            if names.contains(word) {
                parameter(self, token, Role::Expand);
            } else if !pastes && word != spelled(&name) && self.names.contains_key(word) {
                self.note(token, Role::Name, Some(statement));
            }
        }
    }

    /// Notes the name of a file, which stands in `rest` in quotes, after so many bytes of blanks.
    fn note_file(&mut self, hash: Token, name: &str, blanks: usize, rest: Span, statement: Span) {
        let Some(noted) = self.noted.as_mut().filter(|_| hash.file == 0) else { return };
        // Blanks that the lexer keeps stand in front of the quotes, perhaps.
        let start = rest.start as usize + blanks + 1;
        let place = Place::named(Span::new(start, start + name.len()), statement);
        noted.out.name(SymbolKind::File, name, place, Role::Name);
    }

    fn included(
        &mut self,
        text: &str,
        hash: Token,
        line: &[Token],
        rest: Span,
        whole: Span,
    ) -> Result<(), Stop> {
        let quoted = |text: &str| -> Option<(String, bool)> {
            let text = text.trim();
            let inside = text.strip_prefix('"').and_then(|t| t.split_once('"')).map(|t| (t.0, false));
            let inside = inside
                .or_else(|| text.strip_prefix('<').and_then(|t| t.split_once('>')).map(|t| (t.0, true)));
            inside.filter(|(name, _)| !name.is_empty()).map(|(name, angled)| (String::from(name), angled))
        };
        let written = text.get(rest.start as usize..rest.end as usize).unwrap_or("");
        let mut name = quoted(written);
        if let Some((name, _)) = &name {
            let blanks = written.len() - written.trim_start().len();
            self.note_file(hash, name, blanks, rest, whole);
        } else if line.first().is_some_and(|token| token.kind == Kind::Word) {
            let tokens = self.expand_list(line)?;
            let mut spelled = String::new();
            for (n, token) in tokens.iter().enumerate() {
                if n > 0 && token.gap {
                    spelled.push(' ');
                }
                spelled.push_str(self.spelled(*token));
                if spelled.len() > MIN_FILE {
                    break;
                }
            }
            name = quoted(&spelled);
        }
        let Some((name, angled)) = name else {
            let what = "#include takes a name in quotes or in < and >";
            self.error(id::INCLUDE, hash.file, whole, what);
            return Ok(());
        };
        if self.frames.len() >= MAX_FILES {
            self.error(
                id::INCLUDE,
                hash.file,
                whole,
                format!("included files are nested more than {MAX_FILES} deep"),
            );
            return Err(Stop);
        }
        let from = self.files.get(hash.file as usize).map_or("", |file| file.name.as_str());
        let included = match (self.include)(&Request { name: &name, angled, from }) {
            Ok(included) => included,
            Err(why) => {
                self.error(
                    id::INCLUDE,
                    hash.file,
                    whole,
                    format!("{} cannot be included: {why}", Quoted(&name)),
                );
                return Ok(());
            }
        };
        let size = included.text.len().max(MIN_FILE);
        self.included = self.included.saturating_add(size);
        if self.included > self.options.max_included {
            self.error(id::INCLUDE, hash.file, whole, "the included files are too large in total");
            return Err(Stop);
        }
        let same = |file: &File| file.name == included.name && *file.text == included.text;
        let number = match self.files.iter().position(same) {
            Some(number) => number,
            None => {
                // What was read counts as input where it is held.
                self.count(size);
                self.files.push(File { name: included.name, text: Rc::from(included.text) });
                self.files.len() - 1
            }
        };
        self.enter(number as u32);
        Ok(())
    }

    /// `#line NUMBER "NAME"`: what `__LINE__` and `__FILE__` say from the next line on.
    fn line_number(
        &mut self,
        line: &[Token],
        whole: Span,
        hash: Token,
        lexer: &Lexer<'_>,
    ) -> Result<(), Stop> {
        let expanded = self.expand_list(line)?;
        let number = expanded.first().filter(|token| token.kind == Kind::Number);
        let number = number.and_then(|token| self.spelled(*token).parse::<u32>().ok());
        let name = expanded.get(1).map(|token| (token.kind, String::from(self.spelled(*token))));
        let (Some(number), true) = (number, name.as_ref().is_none_or(|(kind, _)| *kind == Kind::Text)) else {
            self.error(id::PREPROCESSOR, hash.file, whole, "#line takes a number and a name in quotes");
            return Ok(());
        };
        if let Some(frame) = self.frames.last_mut() {
            let (at, counted) = frame.counted;
            let between = lexer.text.get(at..lexer.at.max(at)).unwrap_or("");
            frame.counted = (lexer.at.max(at), counted + between.matches('\n').count() as u32);
            frame.shift = i64::from(number) - i64::from(frame.counted.1);
            if let Some((_, name)) = name {
                frame.named = Some(name.trim_matches('"').replace("\\\\", "\\").replace("\\\"", "\""));
            }
        }
        Ok(())
    }
}

/// Whether a text may be the name of a macro, with parameters or without, as on a command line.
pub fn is_name(text: &str) -> bool {
    let name = text.split('(').next().unwrap_or("");
    name.bytes().next().is_some_and(begins_word) && name.bytes().all(is_word)
}
