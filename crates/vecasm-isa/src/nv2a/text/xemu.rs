//! What xemu writes: GLSL made of macros, with the words of each slot in a comment, and the lines it dumps.
//!
//! ```text
//!   /* Slot 3: 0x00000000 0x00EC601B 0x0836186C 0x20701800 */
//!   DP4(oPos,w, v0, c[99]);
//!
//! DP4 oPos,w, v0, c[99]   // [0x00000000, 0x00EC601B, 0x0836186C, 0x20701800]
//! ```
//!
//! The words count where they are there, and the calls of macros have to say the same; else the calls count, those of a
//! slot together behind its comment, or one a slot if there are no comments. GLSL in front of the program, behind it and
//! between the calls of a slot that has its words is passed over; anything else inside the program is an error, since a
//! slot would be lost. A file may have several programs: each begins where the numbers of slots begin again.

use super::dialect::Dialect;
use super::errors::{Findings, Quoted, id, meant};
use super::options::ParseOptions;
use super::parse::Output;
use super::sniff::{MAX_LINES, is_destination};
use super::vsh::{EMPTY, Outcome, Reader, Reported, few_sources, mnemonic};
use crate::nv2a::pair::{Mode, Operand, Operation, Operator, combine, parts};
use crate::nv2a::program::Slot;
use crate::nv2a::rules::lanes_read;
use crate::text::Comments;
use crate::text::Cursor as _;
use crate::text::numbers::strip_hex;
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// Most operations of a slot.
const MAX: usize = 3;
/// Most names for operands in a slot.
const MAX_NAMES: usize = 8;

/// Whether a text has comments of slots, calls of xemu's macros, or lines of its dumps.
pub(super) fn looks_like(text: &str) -> bool {
    text.split(['\n', '\r']).take(MAX_LINES).any(|line| {
        let line = line.trim_start();
        let comment = line.strip_prefix("/*").or_else(|| line.strip_prefix("//"));
        if let Some(comment) = comment {
            return slot_number(comment).is_some();
        }
        if is_cxbx(line) || is_dump(line) {
            return true;
        }
        line.split_once('(').is_some_and(|(name, inside)| {
            let (dest, rest) = inside.split_once(',').unwrap_or(("", ""));
            is_macro(name.trim_end()).is_some()
                && is_destination(dest.trim())
                && rest.contains(')')
                && !rest.contains('=')
        })
    })
}

/// Where each program is in what xemu writes, if it is several: one begins where the numbers of slots begin again, and what is between
/// two of them belongs to the first. None otherwise.
pub(super) fn programs_in(text: &str) -> Vec<Span> {
    if Dialect::beginning(text) != Some(Dialect::Xemu) {
        return Vec::new();
    }
    let mut out = Output::of_all();
    Reader::new(text, ParseOptions::default()).read_xemu(&mut out);
    if out.begins.is_empty() {
        return Vec::new();
    }
    let starts = [0].into_iter().chain(out.begins.iter().copied());
    let ends = out.begins.iter().copied().chain([text.len()]);
    starts.zip(ends).map(|(start, end)| Span::new(start, end)).collect()
}

/// Whether a line is one of xemu's dumps: `DP4 oPos,x, v0, c[98]`, the mask behind a comma.
pub(super) fn is_dump(line: &str) -> bool {
    let Some((name, rest)) = line.trim_start().split_once([' ', '\t']) else { return false };
    let mut parts = rest.split(',').map(str::trim);
    let (dest, mask) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    is_macro(name).is_some() && is_destination(dest) && !dest.contains('.') && mask_of(mask).is_some()
}

/// Whether a line calls a macro of the HLSL that Cxbx-Reloaded writes: `x_dp3(r4,w, …)`.
fn is_cxbx(line: &str) -> bool {
    let call = line.trim_start().strip_prefix("x_").and_then(|rest| rest.split_once('('));
    call.is_some_and(|(name, inside)| {
        mnemonic(name).is_some() && is_destination(inside.split(',').next().unwrap_or("").trim())
    })
}

/// The write mask of letters in order.
fn mask_of(letters: &str) -> Option<WriteMask> {
    let mut bits = 0_u8;
    for b in letters.bytes() {
        let lane = b"xyzw".iter().position(|letter| *letter == b).filter(|lane| bits >> lane == 0)?;
        bits |= 1 << lane;
    }
    (bits != 0).then_some(WriteMask::from_bits(bits))
}

/// The number of a slot that a comment begins with (`Slot 3:`), and what stands behind it.
fn slot_number(comment: &str) -> Option<(u32, &str)> {
    let rest = comment.trim_start();
    let word = rest.get(..4)?;
    let rest = rest.get(4..).filter(|_| word.eq_ignore_ascii_case("slot"))?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, behind) = rest.split_at_checked(end)?;
    Some((digits.parse().ok()?, behind.trim_start().strip_prefix(':').unwrap_or(behind)))
}

/// What stands in the brackets of a comment that is nothing but the words of a slot.
fn bracketed(comment: &str) -> Option<&str> {
    comment.trim().strip_prefix('[')?.strip_suffix(']').filter(|words| words.trim_start().starts_with("0x"))
}

/// The operation of a macro. GLSL has functions of the same names in small letters.
fn is_macro(name: &str) -> Option<Operator> {
    mnemonic(name).filter(|(_, negated)| is_large(name) && !negated).map(|(operator, _)| operator)
}

fn is_large(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

/// The slot that is being read.
struct Group<'a> {
    /// Whether a comment with its number stands in front.
    numbered: bool,
    operations: [Operation; MAX],
    count: usize,
    span: Span,
    /// Its words, if they were there: the calls say the same again.
    words: Option<Slot>,
    /// Whether something in it could not be read: the words are not held against the calls.
    broken: bool,
    /// Names that GLSL gives to what the slot reads.
    names: Vec<(&'a str, Operand)>,
}

impl Group<'_> {
    const fn new(numbered: bool, span: Span) -> Self {
        let operations = [EMPTY; MAX];
        Self { numbered, operations, count: 0, span, words: None, broken: false, names: Vec::new() }
    }
}

/// Where comments with the words alone stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    Unknown,
    Before,
    Behind,
}

/// Where the reader is.
struct State<'a> {
    group: Option<Group<'a>>,
    /// The number of the last slot, once there was a comment.
    last: Option<u32>,
    /// How many braces are open since the program began.
    depth: i32,
    /// Whether the program has begun, and whether it is over.
    begun: bool,
    over: bool,
    words: Words,
}

impl<'a> Reader<'a> {
    /// Reads a whole text of this language.
    pub(super) fn read_xemu(&mut self, out: &mut Output) {
        let mut state =
            State { group: None, last: None, depth: 0, begun: false, over: false, words: Words::Unknown };
        let mut line_start = true;
        while let Some(b) = self.peek() {
            let fresh = line_start;
            line_start = matches!(b, b'\n' | b'\r') || (line_start && matches!(b, b' ' | b'\t'));
            let start = self.at;
            match b {
                b'#' if fresh => {
                    self.skip_directive();
                    line_start = true;
                }
                b'/' if matches!(self.text.as_bytes().get(start + 1), Some(b'/' | b'*')) => {
                    let comment = self.comment();
                    let span = Span::new(start, self.at);
                    if let Some((number, words)) = slot_number(comment) {
                        self.begin(number, words, span, &mut state, out);
                    } else if let Some(words) = bracketed(comment) {
                        self.begin_words(words, span, &mut state, out);
                    }
                }
                b'{' | b'}' if state.begun && !state.over => {
                    self.at += 1;
                    state.depth += if b == b'{' { 1 } else { -1 };
                    // The end of the function.
                    if state.depth < 0 {
                        self.flush(&mut state, out);
                        state.over = true;
                    }
                }
                _ if b.is_ascii_whitespace() || b == b';' => self.at += 1,
                _ if b.is_ascii_alphabetic() || b == b'_' => self.word_at(fresh, &mut state, out),
                _ if self.is_strict(&state) => self.stray(start, &mut state),
                _ if b.is_ascii_digit() => {
                    self.word();
                }
                _ => self.at += 1,
            }
        }
        self.flush(&mut state, out);
    }

    /// Whether nothing is passed over here: inside the program, unless the words of the slot are there.
    fn is_strict(&self, state: &State<'_>) -> bool {
        state.begun && !state.over && state.group.as_ref().is_none_or(|group| group.words.is_none())
    }

    /// Refuses what stands inside the program and is no part of it, to the end of the line.
    #[cold]
    fn stray(&mut self, start: usize, state: &mut State<'_>) {
        self.at = start;
        self.skip_line();
        let line = self.taken(start).trim_end();
        let what = format!("{} is not a macro call, unlike the other lines of the program", Quoted(line));
        self.findings.error(id::SYNTAX, Span::new(start, start + line.len()), what);
        if let Some(group) = &mut state.group {
            group.broken = true;
        }
    }

    /// Begins the slot of a comment with a number.
    fn begin(&mut self, number: u32, words: &str, span: Span, state: &mut State<'a>, out: &mut Output) {
        self.flush(state, out);
        if state.last.is_some_and(|last| number <= last) {
            out.next_program(span.start as usize);
            state.last = None;
        }
        let expected = state.last.map_or(0, |last| last.saturating_add(1));
        if number > expected && !out.is_over() {
            let what = if number - 1 == expected {
                format!("slot {expected} is missing")
            } else {
                format!("slots {expected} to {} are missing", number - 1)
            };
            self.findings.warning(id::LOG, span, what);
        }
        *state =
            State { last: Some(number), depth: 0, begun: true, over: false, words: state.words, group: None };
        let mut group = Group::new(true, span);
        self.slot_words(words, &mut group);
        state.group = Some(group);
    }

    /// Takes a comment that has the words of a slot alone, in front of its calls or behind them.
    fn begin_words(&mut self, words: &str, span: Span, state: &mut State<'a>, out: &mut Output) {
        let behind = state.group.as_ref().is_some_and(|group| group.words.is_none() && group.count > 0);
        if behind && state.words != Words::Before {
            state.words = Words::Behind;
            if let Some(group) = &mut state.group {
                self.slot_words(words, group);
            }
            return self.flush(state, out);
        }
        self.flush(state, out);
        state.words = Words::Before;
        (state.begun, state.over) = (true, false);
        let mut group = Group::new(false, span);
        self.slot_words(words, &mut group);
        state.group = Some(group);
    }

    /// Reads a call, a name for an operand, or other GLSL.
    fn word_at(&mut self, fresh: bool, state: &mut State<'a>, out: &mut Output) {
        let start = self.at;
        let name = self.word();
        let behind_name = self.at;
        self.skip_blanks();
        let call = self.peek() == Some(b'(');
        if fresh && name.starts_with("x_") && is_cxbx(self.line_at(start)) {
            let what = "this is HLSL that Cxbx-Reloaded generated from a program, which cannot be read";
            let help =
                "give the words of the program: its microcode, a pushbuffer, or a log of what is uploaded";
            self.findings.error_with(id::SYNTAX, Span::new(start, behind_name), what, Some(help.into()));
            self.at = self.text.len();
            return;
        }
        let known = is_macro(name);
        let dumped =
            || is_dump(self.line_at(start)) || name == "ARL" && is_destination(self.line_at(self.at));
        if let Some(operator) = known.filter(|_| call || dumped()) {
            return self.call_at(start, name, operator, call, state, out);
        }
        if call && is_large(name) && !state.over {
            let inside = self.text.get(self.at + 1..).unwrap_or("");
            if is_destination(inside.split([',', ')']).next().unwrap_or("").trim()) {
                let span = Span::new(start, behind_name);
                self.findings.error_asking(
                    id::MNEMONIC,
                    span,
                    format_args!("there is no macro {}", Quoted(name)),
                    || meant(name, Operator::names()),
                );
                self.at = start;
                return self.skip_line();
            }
        }
        self.at = behind_name;
        if state.begun && !state.over && name == "vec4" && self.name_operand(state) {
            return;
        }
        if self.is_strict(state) {
            self.stray(start, state);
        }
    }

    /// What stands here up to the end of the line, as far as a call goes.
    fn line_at(&self, start: usize) -> &'a str {
        const LONGEST: usize = 200;
        let rest = self.text.get(start..).unwrap_or("");
        let mut end = rest.len().min(LONGEST);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        rest.get(..end).and_then(|line| line.split(['\n', '\r']).next()).unwrap_or("")
    }

    /// Reads with findings of their own, which the caller may forget.
    fn apart<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> (T, Findings) {
        let before = core::mem::replace(&mut self.findings, Findings::new(id::MORE));
        let outcome = read(self);
        (outcome, core::mem::replace(&mut self.findings, before))
    }

    /// Reads the rest of `vec4 NAME = OPERAND;`, a name for something that the slot reads; whether it is that.
    fn name_operand(&mut self, state: &mut State<'a>) -> bool {
        let before = self.at;
        let Some(group) = state.group.as_mut().filter(|group| group.names.len() < MAX_NAMES) else {
            return false;
        };
        self.skip_blanks();
        let named = self.at;
        let name = self.word();
        let named = Span::new(named, self.at);
        self.skip_blanks();
        if name.is_empty() || !self.eat(b'=') {
            self.at = before;
            return false;
        }
        if let (Ok(operand), _) = self.apart(|this| this.source(&group.names)) {
            self.skip_space();
            if self.eat(b';') {
                self.declared_foreign(named);
                self.close_statement(before);
                group.names.push((name, operand));
                return true;
            }
        }
        self.close_statement(before);
        // The words say what the calls that need it would.
        group.broken |= group.words.is_some();
        self.at = before;
        false
    }

    /// Reads a call of a macro behind its name.
    fn call_at(
        &mut self,
        start: usize,
        name: &str,
        operator: Operator,
        parenthesis: bool,
        state: &mut State<'a>,
        out: &mut Output,
    ) {
        if state.over {
            if state.last.is_some() {
                return;
            }
            out.next_program(start);
        }
        (state.begun, state.over) = (true, false);
        let here = Span::new(start, self.at);
        let group = state.group.get_or_insert_with(|| Group::new(false, here));
        let marks = self.marks();
        let (outcome, found) = self.apart(|this| this.call(name, operator, parenthesis, &group.names));
        if let Ok(operation) = &outcome {
            self.used(marks, operation);
        }
        self.close_statement(start);
        match outcome {
            Ok(operation) => match group.operations.get_mut(group.count) {
                Some(place) => {
                    *place = operation;
                    group.count += 1;
                    if group.words.is_none() {
                        group.span.end = Span::new(start, self.at).end;
                    }
                }
                None => {
                    group.broken = true;
                    let what = "a slot has room for at most three operations";
                    self.findings.error(id::SYNTAX, Span::new(start, self.at), what);
                }
            },
            Err(Reported) => {
                group.broken = true;
                // GLSL of another kind is no matter where the words are there.
                if group.words.is_none() {
                    self.findings.append(found);
                }
                self.skip_line();
            }
        }
        let alone = !group.numbered && group.words.is_none();
        if !self.goes_on(state.words) && alone {
            self.flush(state, out);
        }
    }

    /// Whether the slot of a call goes on behind it: with a plus, or with a comment that has its words.
    fn goes_on(&mut self, words: Words) -> bool {
        let rest = self.text.get(self.at..).unwrap_or("");
        let next = rest.trim_start_matches([' ', '\t', ';']);
        let below = next.trim_start();
        if let Some(plus) = below.strip_prefix('+') {
            self.at = self.text.len() - plus.len();
            self.skip_space();
            return true;
        }
        let same_line = below.len() == next.len();
        let comment = below.strip_prefix("//").map(|rest| rest.split(['\n', '\r']).next().unwrap_or(""));
        let comment = comment.or_else(|| below.strip_prefix("/*")?.split("*/").next());
        (same_line || words != Words::Before) && comment.is_some_and(|text| bracketed(text).is_some())
    }

    /// A line of the preprocessor, with those that a backslash makes part of it.
    fn skip_directive(&mut self) {
        loop {
            let start = self.at;
            self.skip_line();
            let line = self.taken(start);
            if !line.ends_with('\\') {
                break;
            }
            self.at += usize::from(self.text.as_bytes().get(self.at..self.at + 2) == Some(b"\r\n"));
            self.at = (self.at + 1).min(self.text.len());
        }
    }

    /// Reads a comment; what stands in it.
    fn comment(&mut self) -> &'a str {
        let start = self.at;
        let Some(comment) = self.skip_comment(&Comments::SHADING) else { return "" };
        if !comment.is_closed {
            self.findings.error(id::COMMENT, Span::new(start, start + 2), "the comment is not closed");
            return "";
        }
        let inside = self.text.get(start + 2..self.at).unwrap_or("");
        if self.text.as_bytes().get(start + 1) == Some(&b'*') {
            inside.strip_suffix("*/").unwrap_or("")
        } else {
            inside
        }
    }

    /// The words of a slot behind its number, if there are some.
    fn slot_words(&mut self, words: &str, group: &mut Group<'_>) {
        let mut slot = Slot::default();
        let mut count = 0;
        for word in words.split([' ', '\t', ',', '\n', '\r']).filter(|word| !word.is_empty()) {
            let digits = strip_hex(word);
            let value = digits.filter(|d| d.len() <= 8).and_then(|d| u32::from_str_radix(d, 16).ok());
            match (value, slot.0.get_mut(count)) {
                (Some(value), Some(to)) => *to = value,
                // A remark.
                (None, _) if count == 0 => return,
                _ => {
                    count = 0;
                    break;
                }
            }
            count += 1;
        }
        match count {
            4 => group.words = Some(slot),
            0 if words.trim().is_empty() => {}
            _ => {
                group.broken = true;
                self.findings.error(id::SYNTAX, group.span, "a slot has four words: 0x00000000 0x0020001B …");
            }
        }
    }

    /// Puts the slot that was read last into the program.
    fn flush(&mut self, state: &mut State<'a>, out: &mut Output) {
        let Some(group) = state.group.take() else { return };
        let operations = group.operations.get(..group.count).unwrap_or(&[]);
        if let Some(slot) = group.words {
            if !group.broken && !operations.is_empty() && !says(operations, &slot) {
                let what = "the words of the slot contradict its macro calls";
                let help = format!("the words are {}", super::print::instruction(&slot));
                self.findings.error_with(id::SYNTAX, group.span, what, Some(help));
            }
            out.push(slot, group.span, true);
            state.over |= slot.is_final();
            return;
        }
        if group.broken {
            return;
        }
        if operations.is_empty() {
            let what = "the slot has neither words nor a macro call";
            self.findings.error(id::SYNTAX, group.span, what);
            return;
        }
        match combine(operations, &[], Mode::Strict) {
            Ok(paired) => {
                if let Some(register) = paired.renamed {
                    let message = format!("the hardware writes r1 here, not r{register}");
                    self.findings.warning(id::ILU_RENAMED, group.span, message);
                }
                out.push(paired.slot, group.span, false);
                out.say(paired.said);
            }
            Err(conflict) => self.conflict(conflict, operations, group.span),
        }
    }

    /// A call behind the name of its macro: `(oPos,w, v0, c[99])`, or the same without parentheses.
    fn call(
        &mut self,
        name: &str,
        operator: Operator,
        parenthesis: bool,
        names: &[(&str, Operand)],
    ) -> Outcome<Operation> {
        self.at += usize::from(parenthesis);
        self.skip_space();
        let mut last = self.at;
        let mut dest = self.dest(operator)?;
        let mut end = self.at;
        self.skip_space();
        let behind = self.at;
        if self.eat(b',') {
            self.skip_space();
            let mask = mask_of(self.word());
            self.skip_space();
            let ends = matches!(self.peek(), Some(b',' | b')'));
            match mask.filter(|_| ends) {
                Some(mask) => {
                    dest.mask = mask;
                    end = self.at;
                }
                None => self.at = behind,
            }
        }
        let mut sources = [Operand::NONE; 3];
        for (n, source) in sources.iter_mut().enumerate().take(operator.sources()) {
            self.skip_space();
            if !self.eat(b',') {
                return self.missing_comma([last, last, end], few_sources(name, operator.sources(), n));
            }
            self.skip_space();
            last = self.at;
            *source = self.source(names)?;
            end = self.at;
        }
        if parenthesis {
            self.skip_space();
            if !self.eat(b')') {
                return self.expected("`)`");
            }
        }
        Ok(Operation { operator, dest, sources })
    }

    /// A source: a register or a name for one, with signs, parentheses and a swizzle.
    fn source(&mut self, names: &[(&str, Operand)]) -> Outcome<Operand> {
        let (mut negate, mut open) = (false, 0_u32);
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'(') => open += 1,
                Some(b'-') => negate = !negate,
                _ => break,
            }
            self.at += 1;
        }
        let start = self.at;
        let word = self.word();
        let mut operand = match names.iter().rev().find(|(name, _)| *name == word) {
            Some((_, named)) => {
                let inner = named.swizzle.lanes();
                if let Some(record) = &mut self.record {
                    record.name = Some(Span::new(start, start + word.len()));
                }
                self.mark_source(start, named);
                let outer = self.swizzle()?.lanes().map(|lane| inner[usize::from(lane & 3)]);
                let swizzle = Swizzle::new(outer[0], outer[1], outer[2], outer[3]);
                Operand { swizzle, ..*named }
            }
            None => {
                self.at = start;
                self.operand()?
            }
        };
        operand.negate ^= negate;
        while open > 0 {
            self.skip_space();
            if !self.eat(b')') {
                return self.expected("`)`");
            }
            open -= 1;
        }
        Ok(operand)
    }

    fn skip_space(&mut self) {
        self.take_while(|b| b.is_ascii_whitespace());
    }
}

/// Whether operations are those of a slot, as far as what they look at.
fn says(operations: &[Operation], slot: &Slot) -> bool {
    let same = |a: &Operation, b: &Operation| {
        a.operator == b.operator
            && a.dest.target == b.dest.target
            && a.dest.lanes() == b.dest.lanes()
            && a.sources.iter().zip(&b.sources).enumerate().take(a.operator.sources()).all(|(n, (x, y))| {
                let mut read = lanes_read(a.operator, n, a.dest.lanes()).lanes();
                let register = x.mux == y.mux && x.number == y.number && x.relative == y.relative;
                register
                    && x.negate == y.negate
                    && read.all(|lane| x.swizzle.get(lane) == y.swizzle.get(lane))
            })
    };
    let parts = parts(slot);
    parts.iter().all(|(part, _)| operations.iter().any(|operation| same(operation, part)))
        && operations.iter().all(|operation| parts.iter().any(|(part, _)| same(operation, part)))
}
