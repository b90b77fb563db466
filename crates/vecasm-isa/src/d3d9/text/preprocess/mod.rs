//! The preprocessor: `#define` with and without parameters, `#`, `##`, `#undef`, `#if` with integer expressions and
//! `defined`, `#ifdef`, `#ifndef`, `#elif`, `#else`, `#endif`, `#include`, `#line`, `#error`, `#pragma` (ignored), lines
//! joined by `\`, `__LINE__` and `__FILE__`: what a C preprocessor does to a text before it is assembled.
//!
//! | file | holds |
//! |---|---|
//! | `lex` | tokens |
//! | `directives` | lines that begin with `#` |
//! | `expand` | macros |
//! | `condition` | expressions behind `#if` |
//!
//! Where nothing is expanded the text stays as it is, comments too, and each line stays a line. `;` begins a comment here
//! as it does in the assembler, so `#define COLOUR r0 ; the result` is `r0`.
//!
//! Everything is bounded by the size of what is read, the text and what it includes: the result has at most twice as
//! many bytes and 64 KiB, an expansion at most a quarter as many tokens and 16,384 at a time. Files nest 32 deep and are
//! at most [`Options::max_included`] bytes together, arguments nest 64 deep, and brackets in conditions too. A macro is
//! never expanded inside its own expansion.

mod condition;
mod directives;
mod expand;
mod lex;

use super::errors::{Findings, id};
use super::symbols::NameRecord;
use crate::symbols::{Role, Scope};
use crate::text::cursor::{begins_word, is_word};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use lex::{Kind, Lexer, Token};
use vecasm_ir::diag::{Diagnostic, Place, Span};

pub use crate::include::{Included, Request};
pub use directives::is_name;

/// Deepest files.
const MAX_FILES: usize = 32;
/// What a file counts for at least, so that empty ones come to an end too.
const MIN_FILE: usize = 256;
/// The file that pasted tokens stand in.
const SCRATCH: u32 = u32::MAX;
/// Bit of an entry of the map: a token of an expansion.
const EXPANDED: u32 = 1 << 31;

/// Gives the files that are included, or says why there is none.
pub type Include<'a> = dyn FnMut(&Request<'_>) -> Result<Included, String> + 'a;

/// What a text is preprocessed with.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// What the text is called: `__FILE__`, and the name that its files are asked from.
    pub name: &'a str,
    /// Macros that are there from the start: the name, with parameters if there are any, and what it stands for.
    pub defines: &'a [(&'a str, &'a str)],
    /// Whether a `#line` stands where an included file begins and ends, for readers that have only the result.
    pub markers: bool,
    /// Most bytes of included files together; each counts as often as it is included, and for 256 bytes at least.
    pub max_included: usize,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { name: "", defines: &[], markers: false, max_included: 4 << 20 }
    }
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub text: Rc<str>,
}

/// A place in one of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file, as an index of [`Preprocessed::files`].
    pub file: usize,
    /// Where in it.
    pub span: Span,
    /// Whether something else stands there: a macro, which stands for what was meant.
    pub expanded: bool,
}

/// A finding about one of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file, as an index of [`Preprocessed::files`].
    pub file: usize,
    /// What is found.
    pub diagnostic: Diagnostic,
}

/// From here on the text comes from there.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Place in the result.
    out: u32,
    /// Place in the file.
    start: u32,
    /// The end of the token there, of an expansion.
    end: u32,
    /// The file, and [`EXPANDED`] if all of it stands for the token at `start`.
    file: u32,
}

/// A text that went through the preprocessor.
#[derive(Clone, Debug, Default)]
pub struct Preprocessed {
    /// What is left to assemble.
    pub text: String,
    /// Every file: the text itself, then those included, each once, then, if there are any, the macros that were there
    /// from the start.
    pub files: Vec<File>,
    /// What is wrong. Where there is an error the text is not whole.
    pub findings: Vec<Finding>,
    map: Vec<Entry>,
}

impl Preprocessed {
    /// Where a place in the result comes from.
    pub fn origin(&self, span: Span) -> Origin {
        let find = |at: u32| {
            let n = self.map.partition_point(|entry| entry.out <= at);
            n.checked_sub(1).and_then(|n| self.map.get(n).copied())
        };
        let Some(first) = find(span.start) else { return Origin { file: 0, span, expanded: false } };
        // One end of a range of the file where a place of the result comes from.
        let place = |entry: Entry, at: u32, last: bool| {
            if entry.file & EXPANDED == 0 {
                return entry.start.saturating_add(at.saturating_sub(entry.out));
            }
            if last { entry.end } else { entry.start }
        };
        let file = first.file & !EXPANDED;
        let start = place(first, span.start, false);
        let last = span.end.saturating_sub(1).max(span.start);
        let mut end = match find(last) {
            Some(entry) if entry.file & !EXPANDED == file => {
                let one = u32::from(entry.file & EXPANDED == 0 && span.end > span.start);
                place(entry, last, true).saturating_add(one)
            }
            _ => start,
        };
        let expanded = first.file & EXPANDED != 0;
        if end < start {
            end = if expanded { first.end } else { start };
        }
        let length = self.files.get(file as usize).map_or(0, |file| file.text.len()) as u32;
        let span = Span { start: start.min(length), end: end.min(length) };
        Origin { file: file as usize, span, expanded }
    }

    /// Findings about the result as findings about the files that it was made of.
    pub fn located(&self, findings: Vec<Diagnostic>) -> Vec<Finding> {
        let locate = |mut diagnostic: Diagnostic| {
            let mut file = 0;
            if let Place::Text(span) = diagnostic.place {
                let origin = self.origin(span);
                file = origin.file;
                diagnostic.place = Place::Text(origin.span);
                let text = self.files.get(file).map_or("", |file| &file.text);
                let token = text.get(origin.span.start as usize..origin.span.end as usize).unwrap_or("");
                let macro_name = token.bytes().next().is_some_and(begins_word);
                if origin.expanded && macro_name && diagnostic.help.is_none() && span.end > span.start {
                    let end = token.bytes().position(|b| !is_word(b)).unwrap_or(token.len());
                    let said = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
                    let name = token.get(..end).unwrap_or("");
                    if said != name {
                        let what = format!(
                            "{} is expanded to {} here",
                            super::errors::Quoted(name),
                            super::errors::Quoted(said)
                        );
                        diagnostic.help = Some(what.into());
                    }
                }
            }
            Finding { file, diagnostic }
        };
        findings.into_iter().map(locate).collect()
    }

    /// Whether there is an error.
    pub fn has_errors(&self) -> bool {
        let is_error = |finding: &Finding| finding.diagnostic.severity == vecasm_ir::diag::Severity::Error;
        self.findings.iter().any(is_error)
    }
}

/// Whether a text has lines for the preprocessor, or names that it always knows.
pub fn is_needed(text: &str) -> bool {
    // Most texts have neither of these.
    let mut before = 0;
    let may = text.bytes().any(|b| {
        let found = b == b'#' || b == b'_' && before == b'_';
        before = b;
        found
    });
    if !may {
        return false;
    }
    if expand::ALWAYS.iter().any(|name| text.contains(name)) {
        return true;
    }
    let mut lexer = Lexer::new(text, 0, 0, text.len());
    let mut first = true;
    loop {
        let token = lexer.next(false);
        match token.kind {
            Kind::End => return false,
            Kind::Sign
                if first && text.get(token.start as usize..).is_some_and(|rest| rest.starts_with('#')) =>
            {
                return true;
            }
            kind => first = kind == Kind::Line,
        }
    }
}

/// Whether a text begins with a line for the preprocessor, whose `#` blanks and comments may precede.
pub(super) fn begins_line(text: &str) -> bool {
    let token = Lexer::new(text, 0, 0, text.len()).next(false);
    token.kind == Kind::Sign && text.get(token.start as usize..).is_some_and(|rest| rest.starts_with('#'))
}

/// The length of the line for the preprocessor that a text begins with, with its line end.
pub(super) fn line_len(text: &str) -> usize {
    let mut lexer = Lexer::new(text, 0, 0, text.len());
    while !matches!(lexer.next(true).kind, Kind::Line | Kind::End) {}
    lexer.at
}

/// A macro: where what it stands for is in its file.
struct Macro {
    file: u32,
    /// What is between its brackets, if it has some.
    parameters: Option<(u32, u32)>,
    body: (u32, u32),
    /// Number of expansions that it is in; more than zero only in its own.
    active: u32,
}

/// A conditional that is open.
struct Condition {
    /// Where it began.
    start: u32,
    /// Whether the lines here are read.
    live: bool,
    /// Whether no later branch is read.
    done: bool,
    /// Whether `#else` was there.
    last: bool,
}

/// A file that is being read.
struct Frame {
    file: u32,
    at: usize,
    conditions: Vec<Condition>,
    /// A place and the number of its line, to count on from.
    counted: (usize, u32),
    /// What `#line` said: added to line numbers, and the name instead of that of the file.
    shift: i64,
    named: Option<String>,
}

/// Preprocessing has stopped: what is wrong has been reported.
#[derive(Clone, Copy, Debug)]
struct Stop;

/// The preprocessor at work.
struct Preprocessor<'a, 'b> {
    options: &'a Options<'a>,
    include: &'a mut Include<'b>,
    files: Vec<File>,
    frames: Vec<Frame>,
    macros: Vec<Macro>,
    names: BTreeMap<String, u32>,
    /// Characters of tokens that stand in no file.
    scratch: String,
    /// Tokens to be read before the file goes on; the next one is the last.
    pending: Vec<Token>,
    out: String,
    map: Vec<Entry>,
    /// Findings by file.
    findings: Vec<(u32, Findings)>,
    /// Bytes read, and bytes of included files.
    read: usize,
    included: usize,
    /// Steps left.
    fuel: usize,
    /// The macro in the text that is being expanded.
    outer: (u32, u32),
    /// How deep arguments are.
    depth: u32,
    /// Where names stand, if that is asked for.
    noted: Option<&'a mut NameRecord>,
}

/// Preprocesses a text. `include` gives the files that it includes.
pub fn preprocess(text: &str, options: &Options<'_>, include: &mut Include<'_>) -> Preprocessed {
    run(text, options, include, None)
}

/// Preprocesses a text, and notes where its names stand.
pub(super) fn noting(
    text: &str,
    options: &Options<'_>,
    include: &mut Include<'_>,
    noted: &mut NameRecord,
) -> Preprocessed {
    run(text, options, include, Some(noted))
}

fn run(
    text: &str,
    options: &Options<'_>,
    include: &mut Include<'_>,
    noted: Option<&mut NameRecord>,
) -> Preprocessed {
    let mut this = Preprocessor {
        options,
        include,
        files: Vec::new(),
        frames: Vec::new(),
        macros: Vec::new(),
        names: BTreeMap::new(),
        scratch: String::new(),
        pending: Vec::new(),
        out: String::new(),
        map: Vec::new(),
        findings: Vec::new(),
        read: 0,
        included: 0,
        fuel: 1 << 20,
        outer: (0, 0),
        depth: 0,
        noted,
    };
    this.files.push(File { name: options.name.into(), text: Rc::from("") });
    let _ = this.everything(text);
    let mut findings = Vec::new();
    for (file, list) in this.findings {
        let all = list.finish().into_iter();
        findings.extend(all.map(|diagnostic| Finding { file: file as usize, diagnostic }));
    }
    Preprocessed { text: this.out, files: this.files, findings, map: this.map }
}

impl Preprocessor<'_, '_> {
    fn everything(&mut self, text: &str) -> Result<(), Stop> {
        self.count(text.len());
        if let Some(file) = self.files.first_mut() {
            file.text = Rc::from(text);
        }
        if !self.options.defines.is_empty() {
            let mut lines = String::new();
            for (name, value) in self.options.defines {
                // Nothing but the line that it is.
                let clean = |text: &str| text.replace(['\r', '\n', '\\'], " ");
                lines += &format!("#define {} {}\n", clean(name), clean(value));
            }
            self.count(lines.len());
            let file = self.files.len() as u32;
            self.files.push(File { name: "<defines>".into(), text: Rc::from(lines) });
            self.enter(file);
            let before = self.out.len();
            self.frame()?;
            self.out.truncate(before);
            self.map.clear();
        }
        self.enter(0);
        while !self.frames.is_empty() {
            self.frame()?;
        }
        Ok(())
    }

    /// What may be made is measured by what is read.
    fn count(&mut self, bytes: usize) {
        self.read = self.read.saturating_add(bytes);
        self.fuel = self.fuel.saturating_add(bytes.saturating_mul(64));
    }

    fn enter(&mut self, file: u32) {
        self.frames.push(Frame {
            file,
            at: 0,
            conditions: Vec::new(),
            counted: (0, 1),
            shift: 0,
            named: None,
        });
    }

    fn text_of(&self, file: u32) -> Rc<str> {
        self.files.get(file as usize).map_or_else(|| Rc::from(""), |file| file.text.clone())
    }

    /// Reads the innermost file to its end, or until it includes another one.
    fn frame(&mut self) -> Result<(), Stop> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let text = self.text_of(frame.file);
        let mut lexer = Lexer::new(&text, frame.file, frame.at, text.len());
        loop {
            let line = lexer.at;
            let mut ahead = lexer;
            let token = ahead.next(true);
            if token.kind == Kind::Sign && self.spelled(token) == "#" {
                lexer = ahead;
                let depth = self.frames.len();
                self.directive(&mut lexer, token)?;
                if let Some(open) = lexer.open.take() {
                    self.error(
                        id::COMMENT,
                        token.file,
                        Span::new(open, open + 2),
                        "the comment is not closed",
                    );
                }
                let entered = self.frames.len() > depth;
                let own = if entered { self.frames.len().checked_sub(2) } else { Some(depth - 1) };
                if let Some(frame) = own.and_then(|n| self.frames.get_mut(n)) {
                    frame.at = lexer.at;
                }
                self.line_ends(&text, token.file, line, lexer.at)?;
                if entered {
                    self.marker(false)?;
                    return Ok(());
                }
                continue;
            }
            if !self.is_live() {
                loop {
                    match lexer.next(false).kind {
                        Kind::Line | Kind::End => break,
                        _ => {}
                    }
                }
                self.line_ends(&text, token.file, line, lexer.at)?;
                if lexer.at >= lexer.end {
                    break;
                }
                continue;
            }
            let mut run = line;
            let end = loop {
                let token = lexer.next(false);
                match token.kind {
                    Kind::Line => break false,
                    Kind::End => break true,
                    Kind::Word if self.is_macro(token) => {
                        self.verbatim(&text, token.file, run, token.start as usize)?;
                        if let Some(frame) = self.frames.last_mut() {
                            frame.at = token.start as usize;
                        }
                        self.expand_here(token, &mut lexer)?;
                        run = lexer.at;
                        // What was joined must not read as one word now.
                        let joins = |b: Option<&u8>| b.is_some_and(|b| is_word(*b));
                        if joins(self.out.as_bytes().last()) && joins(text.as_bytes().get(run)) {
                            self.comes_from(token.file | EXPANDED, token.start, token.end);
                            self.push(" ")?;
                        }
                        let name = token.start as usize;
                        if text.get(name..run).is_some_and(|t| t.contains(['\n', '\r'])) {
                            self.line_ends(&text, token.file, name, run)?;
                        }
                    }
                    _ => {}
                }
            };
            self.verbatim(&text, token.file, run, lexer.at)?;
            if end {
                break;
            }
        }
        self.leave()
    }

    /// The end of a file.
    fn leave(&mut self) -> Result<(), Stop> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        if let Some(condition) = frame.conditions.last() {
            let start = condition.start as usize;
            self.error(
                id::CONDITION,
                frame.file,
                Span::new(start, start + 1),
                "the conditional has no #endif",
            );
        }
        if !self.frames.is_empty() {
            if !self.out.is_empty() && !self.out.ends_with('\n') {
                let end = self.files.get(frame.file as usize).map_or(0, |file| file.text.len());
                self.comes_from(frame.file | EXPANDED, end as u32, end as u32);
                self.push("\n")?;
            }
            self.marker(true)?;
        }
        Ok(())
    }

    /// Tells readers of the result where the lines that follow come from.
    fn marker(&mut self, back: bool) -> Result<(), Stop> {
        if !self.options.markers {
            return Ok(());
        }
        let line = if back { self.counted() } else { 1 };
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let name = self.files.get(frame.file as usize).map_or("", |file| file.name.as_str());
        let name = name.replace('\\', "\\\\").replace('"', "\\\"");
        let start = if self.out.is_empty() || self.out.ends_with('\n') { "" } else { "\n" };
        self.push(&format!("{start}#line {line} \"{name}\"\n"))
    }

    /// Whether lines are read here.
    fn is_live(&self) -> bool {
        let conditions = self.frames.last().map_or(&[][..], |frame| &frame.conditions);
        conditions.last().is_none_or(|condition| condition.live)
    }

    /// The characters of a token.
    fn spelled(&self, token: Token) -> &str {
        spelled(&self.files, &self.scratch, token)
    }

    /// Notes the name of a macro, in a directive or by itself; gives what its parameters are told, the first time.
    fn note(&mut self, token: Token, role: Role, statement: Option<Span>) -> Option<Scope> {
        let noted = self.noted.as_deref_mut()?;
        let name = spelled(&self.files, &self.scratch, token);
        if token.file != 0 {
            noted.fix(name);
            return None;
        }
        let span = Span { start: token.start, end: token.end };
        noted.named(name, span, statement.unwrap_or(span), role)
    }

    /// Notes that a word stands for itself.
    fn stands(&mut self, token: Token) {
        let Some(noted) = self.noted.as_deref_mut().filter(|_| token.kind == Kind::Word) else { return };
        let name = spelled(&self.files, &self.scratch, token);
        noted.stands(name, token.start, self.names.contains_key(name), token.body && token.file == 0);
    }

    /// Most bytes of the result, and of what is pasted.
    fn most(&self) -> usize {
        self.read.saturating_mul(2).saturating_add(1 << 16)
    }

    fn push(&mut self, text: &str) -> Result<(), Stop> {
        if self.out.len() + text.len() > self.most() {
            return Err(
                self.too_much("the result is too long: it is limited to twice what is read plus 64 KiB")
            );
        }
        self.out.push_str(text);
        Ok(())
    }

    #[cold]
    fn too_much(&mut self, what: &str) -> Stop {
        let (file, start) = self.outer;
        let text = self.text_of(file);
        let end = Lexer::new(&text, file, start as usize, text.len()).next(false).end;
        self.error(id::EXPANSION, file, Span { start, end }, what);
        Stop
    }

    /// From here on the result comes from there; `end` is that of a token.
    fn comes_from(&mut self, file: u32, start: u32, end: u32) {
        let out = self.out.len() as u32;
        if let Some(last) = self.map.last_mut() {
            let goes_on =
                last.file & EXPANDED == 0 && last.start.wrapping_add(out.wrapping_sub(last.out)) == start;
            if last.file == file && (goes_on || file & EXPANDED != 0 && last.start == start) {
                return;
            }
            if last.out == out {
                *last = Entry { out, start, end, file };
                return;
            }
        }
        self.map.push(Entry { out, start, end, file });
    }

    /// Copies a part of a file.
    fn verbatim(&mut self, text: &str, file: u32, start: usize, end: usize) -> Result<(), Stop> {
        if start < end {
            self.comes_from(file, start as u32, end as u32);
            self.push(text.get(start..end).unwrap_or(""))?;
        }
        Ok(())
    }

    /// Copies the line ends of a part of a file, so that lines keep their numbers.
    fn line_ends(&mut self, text: &str, file: u32, start: usize, end: usize) -> Result<(), Stop> {
        let bytes = text.as_bytes();
        let mut at = start;
        while at < end {
            match lex::line_end(bytes, at) {
                0 => at += 1,
                n => {
                    self.verbatim(text, file, at, at + n)?;
                    at += n;
                }
            }
        }
        Ok(())
    }

    #[cold]
    fn error(&mut self, id: &'static str, file: u32, span: Span, message: impl core::fmt::Display) {
        let (file, span) = match file {
            SCRATCH => (self.outer.0, Span { start: self.outer.1, end: self.outer.1.saturating_add(1) }),
            file => (file, span),
        };
        let text = self.text_of(file);
        let mut end = (span.end as usize).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let start = (span.start as usize).min(end);
        let n = match self.findings.iter().position(|(of, _)| *of == file) {
            Some(n) => n,
            None => {
                self.findings.push((file, Findings::new(id::MORE)));
                self.findings.len() - 1
            }
        };
        if let Some((_, findings)) = self.findings.get_mut(n) {
            findings.error(id, Span::new(start, end), message);
        }
    }

    /// An error at a token.
    #[cold]
    fn error_at(&mut self, id: &'static str, token: Token, message: impl core::fmt::Display) {
        if token.body {
            let (file, start) = self.outer;
            let text = self.text_of(file);
            let end = Lexer::new(&text, file, start as usize, text.len()).next(false).end;
            return self.error(id, file, Span { start, end }, message);
        }
        self.error(id, token.file, Span { start: token.start, end: token.end }, message);
    }
}

/// The characters of a token of one of the files, or one that stands in none.
fn spelled<'a>(files: &'a [File], scratch: &'a str, token: Token) -> &'a str {
    let text = match token.file {
        SCRATCH => scratch,
        file => files.get(file as usize).map_or("", |file| &file.text),
    };
    text.get(token.start as usize..token.end as usize).unwrap_or("")
}
