//! Macros and what they stand for.

use super::lex::{Kind, Lexer, Token};
use super::{EXPANDED, Macro, Preprocessor, SCRATCH, Stop};
use crate::d3d9::text::errors::{Quoted, id};
use crate::symbols::Role;
use crate::text::cursor::is_word;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Deepest arguments.
const MAX_DEPTH: u32 = 64;
/// Macros that are always there.
const LINE: &str = "__LINE__";
const FILE: &str = "__FILE__";
pub(super) const ALWAYS: [&str; 2] = [LINE, FILE];

/// Arguments one behind the other, and where each ends.
struct Arguments {
    tokens: Vec<Token>,
    ends: Vec<usize>,
}

impl Arguments {
    fn get(&self, n: usize) -> &[Token] {
        let start = n.checked_sub(1).and_then(|n| self.ends.get(n)).copied().unwrap_or(0);
        self.ends.get(n).and_then(|end| self.tokens.get(start..*end)).unwrap_or(&[])
    }
}

/// The parameters of a macro: their places, and whether the last one takes all that is left.
pub(super) struct Parameters {
    pub(super) names: Vec<Token>,
    pub(super) open: bool,
}

impl Preprocessor<'_, '_> {
    /// Whether a word is a macro.
    pub(super) fn is_macro(&self, token: Token) -> bool {
        let name = self.spelled(token);
        self.names.contains_key(name) || ALWAYS.contains(&name)
    }

    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.names.contains_key(name) || ALWAYS.contains(&name)
    }

    /// Expands a macro of the text and appends what it stands for.
    pub(super) fn expand_here(&mut self, token: Token, lexer: &mut Lexer<'_>) -> Result<(), Stop> {
        self.outer = (token.file, token.start);
        let outer_end = token.end;
        self.pending.clear();
        self.pending.push(Token { gap: false, ..token });
        let mut source = Some(lexer);
        let mut first = true;
        let most = self.read / 4 + 4096;
        while let Some(token) = self.step(&mut source)? {
            // A place of its own, as long as there is room for it.
            let own = !token.body && token.file != SCRATCH && self.map.len() < most;
            let (file, start) = if own { (token.file, token.start) } else { self.outer };
            let end = if own { token.end } else { outer_end };
            let joins = {
                let text = self.spelled(token).as_bytes().first();
                let before = self.out.as_bytes().last();
                text.is_some_and(|b| is_word(*b)) && before.is_some_and(|b| is_word(*b))
            };
            self.comes_from(file | EXPANDED, start, end);
            if !first && token.gap || joins {
                self.push(" ")?;
            }
            let before = self.out.len();
            let length = (token.end - token.start) as usize;
            if before + length > self.most() {
                return Err(
                    self.too_much("the result is too long: it is limited to twice what is read plus 64 KiB")
                );
            }
            let text = match token.file {
                SCRATCH => self.scratch.get(token.start as usize..token.end as usize),
                file => {
                    let file = self.files.get(file as usize);
                    file.and_then(|file| file.text.get(token.start as usize..token.end as usize))
                }
            };
            self.out.push_str(text.unwrap_or(""));
            first = false;
        }
        Ok(())
    }

    /// Expands tokens by themselves.
    pub(super) fn expand_list(&mut self, tokens: &[Token]) -> Result<Vec<Token>, Stop> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_much("arguments are nested too deeply"));
        }
        self.depth += 1;
        let outside = core::mem::take(&mut self.pending);
        self.queue(tokens.iter().rev().copied())?;
        let mut out = Vec::new();
        while let Some(token) = self.step(&mut None)? {
            out.push(token);
            if out.len() > self.most_tokens() {
                return Err(self.too_much("an expansion has too many tokens"));
            }
        }
        self.pending = outside;
        self.depth -= 1;
        Ok(out)
    }

    fn most_tokens(&self) -> usize {
        self.read / 4 + (1 << 14)
    }

    /// Puts tokens in front of what is read next, the first one last.
    fn queue(&mut self, tokens: impl Iterator<Item = Token>) -> Result<(), Stop> {
        self.pending.extend(tokens);
        if self.pending.len() > self.most_tokens() {
            return Err(self.too_much("an expansion has too many tokens"));
        }
        Ok(())
    }

    fn burn(&mut self, steps: usize) -> Result<(), Stop> {
        match self.fuel.checked_sub(steps) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => Err(self.too_much("the macros take too many steps")),
        }
    }

    /// The next token that stands for nothing else; `None` when those that were queued are used up. Arguments may go on
    /// in `source`.
    fn step(&mut self, source: &mut Option<&mut Lexer<'_>>) -> Result<Option<Token>, Stop> {
        while let Some(token) = self.pending.pop() {
            self.burn(1)?;
            if token.kind == Kind::Close {
                self.close(token);
                continue;
            }
            if token.kind != Kind::Word || token.painted {
                return Ok(Some(token));
            }
            let name = self.spelled(token);
            let Some(&number) = self.names.get(name) else {
                let text = if name == LINE {
                    format!("{}", self.line())
                } else if name == FILE {
                    self.file_name()
                } else {
                    self.stands(token);
                    return Ok(Some(token));
                };
                let [start, end] = self.scribble(&text)?;
                let kind = if text.starts_with('"') { Kind::Text } else { Kind::Number };
                return Ok(Some(Token { kind, body: true, file: SCRATCH, start, end, ..token }));
            };
            let Some(of) = self.macros.get(number as usize) else { return Ok(Some(token)) };
            if of.active > 0 {
                self.stands(token);
                return Ok(Some(Token { painted: true, ..token }));
            }
            let body = self.body(of);
            self.burn(body.len())?;
            let parameters = self.macros.get(number as usize).and_then(|of| self.parameters(of));
            let mut tokens = match parameters {
                None => self.paste_all(&body, None)?,
                Some(parameters) => {
                    if !self.opens(source) {
                        self.stands(token);
                        return Ok(Some(token));
                    }
                    let Some(arguments) = self.arguments(source, token, &parameters)? else {
                        return Err(Stop);
                    };
                    self.paste_all(&body, Some((&parameters, &arguments)))?
                }
            };
            if let Some(first) = tokens.first_mut() {
                first.gap = token.gap;
            }
            self.note(token, Role::Expand, None);
            self.burn(tokens.len())?;
            if let Some(of) = self.macros.get_mut(number as usize) {
                of.active += 1;
            }
            self.pending.push(Token { kind: Kind::Close, start: number, ..token });
            self.queue(tokens.into_iter().rev())?;
        }
        Ok(None)
    }

    fn close(&mut self, token: Token) {
        if let Some(of) = self.macros.get_mut(token.start as usize) {
            of.active = of.active.saturating_sub(1);
        }
    }

    /// What a macro stands for.
    fn body(&self, of: &Macro) -> Vec<Token> {
        let text = self.files.get(of.file as usize).map_or("", |file| &file.text);
        let mut lexer = Lexer::new(text, of.file, of.body.0 as usize, of.body.1 as usize);
        let mut out = Vec::new();
        loop {
            let token = lexer.next(true);
            if token.kind == Kind::End {
                return out;
            }
            out.push(Token { body: true, ..token });
        }
    }

    /// The parameters of a macro, if it has brackets.
    pub(super) fn parameters(&self, of: &Macro) -> Option<Parameters> {
        let (start, end) = of.parameters?;
        let text = self.files.get(of.file as usize).map_or("", |file| &file.text);
        let mut lexer = Lexer::new(text, of.file, start as usize, end as usize);
        let mut out = Parameters { names: Vec::new(), open: false };
        loop {
            let token = lexer.next(true);
            match token.kind {
                Kind::End => return Some(out),
                Kind::Word => out.names.push(token),
                Kind::Sign if text.get(token.start as usize..token.end as usize) == Some(".") => {
                    out.open = true;
                }
                _ => {}
            }
        }
    }

    /// The number of the parameter that a token names.
    fn parameter(&self, parameters: Option<&Parameters>, token: Token) -> Option<usize> {
        let parameters = parameters.filter(|_| token.kind == Kind::Word)?;
        let name = self.spelled(token);
        if parameters.open && name == "__VA_ARGS__" {
            return Some(parameters.names.len());
        }
        parameters.names.iter().position(|parameter| self.spelled(*parameter) == name)
    }

    /// Takes the bracket that opens arguments, if it comes next.
    fn opens(&mut self, source: &mut Option<&mut Lexer<'_>>) -> bool {
        while let Some(&token) = self.pending.last() {
            if token.kind == Kind::Close {
                self.pending.pop();
                self.close(token);
                continue;
            }
            let found = self.spelled(token) == "(";
            if found {
                self.pending.pop();
            }
            return found;
        }
        let Some(lexer) = source else { return false };
        let mut ahead = **lexer;
        loop {
            let token = ahead.next(false);
            if token.kind == Kind::Line {
                continue;
            }
            let found = self.spelled(token) == "(";
            if found {
                **lexer = ahead;
            }
            return found;
        }
    }

    /// The arguments up to the closing bracket; `None` if they are reported to be wrong.
    fn arguments(
        &mut self,
        source: &mut Option<&mut Lexer<'_>>,
        name: Token,
        parameters: &Parameters,
    ) -> Result<Option<Arguments>, Stop> {
        let mut out = Arguments { tokens: Vec::new(), ends: Vec::new() };
        let wanted = parameters.names.len();
        let (mut depth, mut gap, mut fresh) = (0u32, false, false);
        loop {
            self.burn(1)?;
            let mut token = match (self.pending.pop(), source.as_mut()) {
                (Some(token), _) => token,
                (None, Some(lexer)) => lexer.next(false),
                (None, None) => Token { kind: Kind::End, ..name },
            };
            match token.kind {
                Kind::Close => {
                    self.close(token);
                    continue;
                }
                Kind::Line => {
                    gap = true;
                    fresh = true;
                    continue;
                }
                Kind::End => {
                    let what = format!("the arguments of {} are not closed", Quoted(self.spelled(name)));
                    self.error_at(id::MACRO, name, what);
                    return Ok(None);
                }
                _ => {}
            }
            let sign = if token.kind == Kind::Sign { self.spelled(token) } else { "" };
            match sign {
                "#" if fresh => {
                    self.error_at(id::MACRO, token, "a directive is among the arguments of a macro");
                    return Ok(None);
                }
                "(" => depth += 1,
                ")" if depth == 0 => break,
                ")" => depth -= 1,
                "," if depth == 0 && !(parameters.open && out.ends.len() >= wanted) => {
                    out.ends.push(out.tokens.len());
                    (gap, fresh) = (false, false);
                    continue;
                }
                _ => {}
            }
            token.gap |= gap;
            (gap, fresh) = (false, false);
            out.tokens.push(token);
            if out.tokens.len() > self.most_tokens() {
                return Err(self.too_much("an expansion has too many tokens"));
            }
        }
        out.ends.push(out.tokens.len());
        let given = out.ends.len();
        let fits = match (wanted, parameters.open) {
            (0, false) => given == 1 && out.tokens.is_empty(),
            (wanted, false) => given == wanted,
            (wanted, true) => given >= wanted.max(1),
        };
        if !fits {
            let given = if given == 1 && out.tokens.is_empty() && wanted != 1 { 0 } else { given };
            let what = format!("{} takes {wanted} arguments, found {given}", Quoted(self.spelled(name)));
            self.error_at(id::MACRO, name, what);
            return Ok(None);
        }
        Ok(Some(out))
    }

    /// What a macro stands for, with its arguments in it.
    fn paste_all(
        &mut self,
        body: &[Token],
        given: Option<(&Parameters, &Arguments)>,
    ) -> Result<Vec<Token>, Stop> {
        let parameters = given.map(|given| given.0);
        let mut out: Vec<Token> = Vec::with_capacity(body.len());
        let mut n = 0;
        // Whether the next operand is joined to the last one, and whether that one was empty.
        let (mut joins, mut empty) = (false, false);
        let mut expanded: Vec<(usize, Vec<Token>)> = Vec::new();
        while let Some(&token) = body.get(n) {
            n += 1;
            let sign = if token.kind == Kind::Sign { self.spelled(token) } else { "" };
            if sign == "##" && (!out.is_empty() || empty) && n < body.len() {
                joins = true;
                continue;
            }
            let quoted = (sign == "#").then(|| body.get(n)).flatten();
            let quoted = quoted.and_then(|next| self.parameter(parameters, *next));
            let mut operand: Vec<Token> = match (quoted, self.parameter(parameters, token), given) {
                (Some(number), _, Some((_, arguments))) => {
                    n += 1;
                    arguments.get(number).iter().for_each(|token| self.stands(*token));
                    let text = self.stringized(arguments.get(number));
                    let [start, end] = self.scribble(&text)?;
                    [Token { kind: Kind::Text, file: SCRATCH, start, end, ..token }].to_vec()
                }
                (_, Some(number), Some((_, arguments))) => {
                    let behind = body.get(n).is_some_and(|next| self.spelled(*next) == "##");
                    let mut tokens = if joins || behind {
                        arguments.get(number).iter().for_each(|token| self.stands(*token));
                        arguments.get(number).to_vec()
                    } else if let Some((_, tokens)) = expanded.iter().find(|(of, _)| *of == number) {
                        tokens.clone()
                    } else {
                        let tokens = self.expand_list(arguments.get(number))?;
                        expanded.push((number, tokens.clone()));
                        tokens
                    };
                    if let Some(first) = tokens.first_mut() {
                        first.gap = token.gap;
                    }
                    tokens
                }
                _ => [token].to_vec(),
            };
            self.burn(operand.len())?;
            let was_empty = operand.is_empty();
            if joins && !empty && !was_empty {
                if let Some(left) = out.pop() {
                    let right = operand.remove(0);
                    let text = format!("{}{}", self.spelled(left), self.spelled(right));
                    let [start, end] = self.scribble(&text)?;
                    let mut lexer = Lexer::new(&self.scratch, SCRATCH, start as usize, end as usize);
                    let mut gap = left.gap;
                    loop {
                        let token = lexer.next(false);
                        if matches!(token.kind, Kind::End | Kind::Line) {
                            break;
                        }
                        out.push(Token { body: true, gap, ..token });
                        gap = false;
                    }
                }
            }
            empty = was_empty && (empty || !joins);
            joins = false;
            out.append(&mut operand);
            if out.len() > self.most_tokens() {
                return Err(self.too_much("an expansion has too many tokens"));
            }
        }
        Ok(out)
    }

    /// Tokens as a text in quotes.
    fn stringized(&self, tokens: &[Token]) -> String {
        let mut out = String::from("\"");
        for (n, token) in tokens.iter().enumerate() {
            if n > 0 && token.gap {
                out.push(' ');
            }
            for c in self.spelled(*token).chars() {
                if token.kind == Kind::Text && matches!(c, '"' | '\\') {
                    out.push('\\');
                }
                out.push(c);
            }
        }
        out.push('"');
        out
    }

    /// Puts characters where tokens can stand that are in no file.
    pub(super) fn scribble(&mut self, text: &str) -> Result<[u32; 2], Stop> {
        if self.scratch.len() + text.len() > self.most() {
            return Err(self.too_much("too much is pasted"));
        }
        let start = self.scratch.len() as u32;
        self.scratch.push_str(text);
        Ok([start, self.scratch.len() as u32])
    }

    /// The number of the line that is read.
    fn line(&mut self) -> i64 {
        let shift = self.frames.last().map_or(0, |frame| frame.shift);
        i64::from(self.counted()).saturating_add(shift)
    }

    /// The number of the line that is read, counted from 1 without regard to `#line`.
    pub(super) fn counted(&mut self) -> u32 {
        let Some(frame) = self.frames.last() else { return 0 };
        let text = self.text_of(frame.file);
        let Some(frame) = self.frames.last_mut() else { return 0 };
        let (at, line) = frame.counted;
        let between = text.get(at..frame.at.max(at)).unwrap_or("");
        frame.counted = (frame.at.max(at), line + between.matches('\n').count() as u32);
        frame.counted.1
    }

    /// The name of the file that is read, in quotes.
    fn file_name(&self) -> String {
        let frame = self.frames.last();
        let named = frame.and_then(|frame| frame.named.as_deref());
        let file = frame.and_then(|frame| self.files.get(frame.file as usize));
        let name = named.or(file.map(|file| file.name.as_str())).unwrap_or("");
        format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
    }
}
