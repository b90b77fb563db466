//! Logs of the methods of the graphics processor, one a line.
//!
//! ```text
//! nv2a_pgraph_method 0: 0x0097 -> 0x0b00 NV097_SET_TRANSFORM_PROGRAM[0] 0x00000000
//! NV097_SET_TRANSFORM_PROGRAM[1] = 0x0020001b
//! 0x0b08: 0x0836106c
//! ```
//!
//! A line counts if it has a method, or the register RDI_INDEX or RDI_DATA, by number behind `->`, by name, or as the first
//! of two numbers and nothing else, and behind it the word. Several words in hexadecimal digits are for the methods that
//! follow one another, and so are the arguments of `pb_push1` to `pb_push4` of nxdk (`p = pb_push4(p, 0xB00, …)`); a number
//! behind a word that says the same in another way (`0x3f800000 (1.0)`) is no second word, and one that says something
//! else is an error. Lines of other classes than NV097, and all others, are passed over. What is a program is known where
//! something is drawn or launched; see [`methods`](crate::nv2a::methods).

use super::dialect::Dialect;
use super::errors::{Findings, Quoted, id};
use super::parse::{Assembled, Constant, Output};
use super::sniff::MAX_LINES;
use super::vsh::Reader;
use crate::nv2a::methods::{self, Gap, Method, Use, Write};
use crate::nv2a::program::Program;
use crate::text::numbers::strip_hex;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;

/// Whether a text has lines with methods of programs.
pub(super) fn looks_like(text: &str) -> bool {
    text.split(['\n', '\r']).take(MAX_LINES).any(|line| match line_of(line) {
        Ok(line) => line.is_some_and(|line| Method::from_number(line.method).is_some()),
        Err(fault) => !matches!(fault, Fault::Nothing),
    })
}

/// A number of a log: hexadecimal behind `0x`, else decimal, or a float with a point.
fn number(word: &str) -> Option<u32> {
    if let Some(digits) = strip_hex(word) {
        return u32::from_str_radix(digits.trim_start_matches('0'), 16)
            .ok()
            .or_else(|| (!digits.is_empty() && digits.bytes().all(|b| b == b'0')).then_some(0));
    }
    if word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return word.trim_end_matches('f').parse::<f32>().ok().map(f32::to_bits);
    }
    word.parse().ok()
}

/// Most words of a line.
const MAX_WORDS: usize = 16;

/// A method of a line and the words that are written to it and to those that follow.
#[derive(Clone, Copy)]
struct Written {
    method: u32,
    words: [u32; MAX_WORDS],
    count: usize,
}

impl Written {
    fn of(method: u32, words: &[Number]) -> Self {
        let mut out = Self { method, words: [0; MAX_WORDS], count: words.len().min(MAX_WORDS) };
        for (to, from) in out.words.iter_mut().zip(words) {
            *to = from.value;
        }
        out
    }

    /// Each method with its word.
    fn method_words(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.count).map(move |n| (self.method + 4 * n as u32, self.words[n]))
    }
}

/// What is wrong with a line.
#[derive(Clone, Copy)]
enum Fault {
    /// The word of a method of programs is missing.
    Nothing,
    /// There are words and other numbers, or more words than a line can have.
    Mixed,
    /// Where in the line something stands that should be a word and is no number.
    Garbled(usize, usize),
}

/// Whether something that is no number was meant as one: digits with `0x` in front, or about as many of them as a word has.
fn is_garbled(word: &str) -> bool {
    let prefixed = word.starts_with("0x") || word.starts_with("0X");
    let digits = word.bytes().filter(u8::is_ascii_hexdigit).count();
    let letters = word.bytes().all(|b| b.is_ascii_alphanumeric());
    prefixed
        || letters
            && digits >= 6
            && (7..=11).contains(&word.len())
            && word.bytes().any(|b| b.is_ascii_digit())
}

/// A number behind a method.
#[derive(Clone, Copy, PartialEq)]
struct Number {
    value: u32,
    hex: bool,
}

/// Reads a call of nxdk's functions that push words, `p = pb_push4(p, METHOD, …)` or `pb_push4_to(CHANNEL, p, METHOD, …)`;
/// `None` if the line has none.
fn pushed(line: &str) -> Option<Result<Option<Written>, Fault>> {
    let (_, rest) = line.split_once("pb_push")?;
    let (kind, arguments) = rest.split_once('(')?;
    let (kind, skipped) = kind.strip_suffix("_to").map_or((kind, 1), |kind| (kind, 2));
    let mut arguments = arguments.split(')').next().unwrap_or("").split(',').map(str::trim).skip(skipped);
    let target = arguments.next()?;
    let (name, index) = target.split_once('[').unwrap_or((target, "0"));
    let by_name = Method::from_name(name.trim_end())
        .and_then(|known| Some(known.first + 4 * number(index.trim_end_matches(']'))?));
    let method = by_name.or_else(|| number(target))?;
    let ours = Method::from_number(method).is_some_and(|m| m.purpose != Use::Combiner);
    let wanted: Option<usize> = kind.trim_end_matches('f').parse().ok();
    let mut words = [Number { value: 0, hex: false }; MAX_WORDS];
    let mut count = 0;
    for argument in arguments {
        let value = number(argument.trim_end_matches(['u', 'U', 'l', 'L']));
        match (value, words.get_mut(count)) {
            (Some(value), Some(to)) => to.value = value,
            // The call goes on in the next line.
            _ if ours && argument.is_empty() && count > 0 => return Some(Err(Fault::Mixed)),
            _ => return Some(if ours { Err(Fault::Nothing) } else { Ok(None) }),
        }
        count += 1;
    }
    Some(match wanted {
        Some(wanted) if wanted == count => Ok(Some(Written::of(method, words.get(..count).unwrap_or(&[])))),
        // The words are pushed elsewhere.
        None if ours => Err(Fault::Nothing),
        Some(_) if ours => Err(Fault::Mixed),
        _ => Ok(None),
    })
}

/// The method and the words of a line; `None` if it has none.
fn line_of(line: &str) -> Result<Option<Written>, Fault> {
    // Long lines are something else.
    let line = line.get(..400).unwrap_or(line);
    let arrow = line.find("->");
    let is_hex = |word: &str| word.starts_with("0x") || word.starts_with("0X");
    let split = |text: &'static str| move |c: char| c.is_whitespace() || text.contains(c);
    if let Some(arrow) = arrow {
        let class = line.get(..arrow).unwrap_or("").trim_end().rsplit(split(" ():,[]")).next().unwrap_or("");
        if number(class).is_some_and(|class| class != methods::CLASS) {
            return Ok(None);
        }
    }
    if let Some(read) = pushed(line) {
        return read;
    }
    let rest = arrow.and_then(|n| line.get(n + 2..)).unwrap_or(line);
    let mut method = None;
    let mut named = false;
    let mut data = [Number { value: 0, hex: false }; MAX_WORDS];
    let mut count = 0;
    let mut numbers = 0;
    let mut first = None;
    let (mut hex, mut others, mut garbled) = (false, false, None);
    for word in rest.split(split("():,;=<>\"'")) {
        let word = word.trim_matches('.');
        if word.is_empty() {
            continue;
        }
        // A name with the number of one of several methods in brackets.
        let (name, index) = match word.split_once('[') {
            Some((name, index)) => (name, index.trim_end_matches(']')),
            None => (word, ""),
        };
        if let Some(known) = Method::from_name(name) {
            let index = number(index).filter(|index| *index < known.count).unwrap_or(0);
            let given = first.filter(|n| Method::from_number(*n).is_some_and(|m| m.first == known.first));
            method = given.or(Some(known.first + 4 * index));
            named = true;
            count = 0;
            continue;
        }
        if let Some(value) = number(word) {
            numbers += 1;
            if method.is_none() && first.is_none() {
                first = Some(value);
                hex = is_hex(word);
                if arrow.is_some() && hex {
                    method = Some(value);
                }
            } else {
                if let Some(to) = data.get_mut(count) {
                    *to = Number { value, hex: is_hex(word) };
                }
                count += 1;
            }
        } else {
            others = true;
            if method.is_some() && garbled.is_none() && is_garbled(word) {
                let start = word.as_ptr() as usize - line.as_ptr() as usize;
                garbled = Some(Fault::Garbled(start, start + word.len()));
            }
        }
    }
    if method.is_none() && numbers == 2 && hex && !others {
        method = first.filter(|n| Method::from_number(*n).is_some());
    }
    let Some(method) = method else { return Ok(None) };
    let known = Method::from_number(method);
    let ours = known.is_some_and(|m| m.purpose != Use::Combiner);
    if let Some(garbled) = garbled.filter(|_| ours) {
        return Err(garbled);
    }
    // A star is how several words of a row are left out.
    if count == 0 || rest.contains('*') {
        return if named && ours { Err(Fault::Nothing) } else { Ok(None) };
    }
    let words = data.get(..count).unwrap_or(&data);
    // The number of the method may follow its name.
    let words = words.strip_prefix(&[Number { value: method, hex: true }]).filter(|more| !more.is_empty());
    let words = words.unwrap_or_else(|| data.get(..count).unwrap_or(&data));
    let (word, more) = words.split_first().ok_or(Fault::Nothing)?;
    // What follows the word may say the same in another way.
    if !ours || more.iter().all(|other| other.value == word.value && !(other.hex && word.hex)) {
        return Ok(Some(Written::of(method, &[*word])));
    }
    let all = count <= MAX_WORDS && words.iter().all(|word| word.hex);
    if all { Ok(Some(Written::of(method, words))) } else { Err(Fault::Mixed) }
}

/// What the lines of a log write; `hole` gets those that do not say what, and where they are.
fn writes<'t>(text: &'t str, mut hole: impl FnMut(Fault, Span) + 't) -> impl Iterator<Item = Write> + 't {
    let mut at = 0;
    text.split(['\n', '\r']).flat_map(move |line| {
        let place = at;
        at += line.len() + 1;
        let written = line_of(line).unwrap_or_else(|fault| {
            let (start, end) =
                if let Fault::Garbled(start, end) = fault { (start, end) } else { (0, line.len()) };
            hole(fault, Span::new(place + start, place + end));
            None
        });
        let each = written.into_iter().flat_map(Written::method_words);
        each.map(move |(method, data)| Write { place, method, data })
    })
}

/// The line that begins there.
fn line_at(text: &str, start: usize) -> Span {
    let len = text.get(start..).and_then(|rest| rest.find(['\n', '\r'])).unwrap_or(text.len() - start);
    Span::new(start, start + len)
}

/// The constants that are known when a program runs.
fn constants_of<'r>(run: &'r methods::Run<'_>) -> impl Iterator<Item = Constant> + 'r {
    let known = run.constants.iter().enumerate();
    known.filter_map(|(n, value)| Some(Constant { number: u8::try_from(n).ok()?, value: (*value)? }))
}

/// Each program that a log of methods runs, in one go, with the slot that it begins at; none if the text is no such log, or a line of
/// it is wrong. What is wrong with the log as a whole, [`assemble`](super::assemble) says.
pub fn programs_of_log(text: &str) -> Vec<(u32, Assembled)> {
    let mut out = Vec::new();
    if Dialect::recognize(text) != Some(Dialect::Log) {
        return out;
    }
    let (mut sound, mut whole) = (true, true);
    let lines = writes(text, |fault, _| sound &= matches!(fault, Fault::Nothing));
    let visit = |run: &methods::Run<'_>| out.push((run.start, assembled(text, run)));
    methods::each_program_and_gap(lines, visit, |_| whole = false);
    if sound && whole { out } else { Vec::new() }
}

/// The program that a log of methods runs at its draw or launch of that number, from 1, with the constants as they are then; `None` if
/// the text is no such log, or nothing runs there.
pub fn program_at_draw(text: &str, draw: usize) -> Option<Assembled> {
    let mut out = None;
    // What is wrong with the log as a whole, its reader says.
    if !programs_of_log(text).is_empty() {
        methods::run_at_draw(writes(text, |_, _| {}), draw, |run| out = Some(assembled(text, run)));
    }
    out
}

/// The draws and launches of a log of methods; none if the text is no such log.
pub fn draws_of_log(text: &str) -> Vec<methods::Draw> {
    if programs_of_log(text).is_empty() { Vec::new() } else { methods::draws(writes(text, |_, _| {})) }
}

/// A program of a log, with the lines of its slots.
fn assembled(text: &str, run: &methods::Run<'_>) -> Assembled {
    Assembled {
        program: Program::new(run.slots.to_vec()),
        spans: run.places.iter().map(|place| line_at(text, *place)).collect(),
        said: Vec::new(),
        constants: constants_of(run).collect(),
        remarks: Vec::new(),
    }
}

/// What a gap is in words.
fn missing(gap: Gap) -> String {
    let purpose = if gap.constant { Use::Constant } else { Use::Program };
    let method = methods::METHODS.iter().find(|method| method.purpose == purpose);
    let (name, count) = method.map_or(("", 1), |method| (method.name, method.count));
    let expected = gap.expected % count;
    match gap.found {
        Some(found) => {
            format!("{name}[{expected}] is missing: {name}[{found}] does not follow what was written before")
        }
        None => format!("{name}[{expected}] is missing: the slot has {} of 4 words", expected % 4),
    }
}

impl Reader<'_> {
    /// Reads a whole text of this language.
    pub(super) fn read_log(&mut self, out: &mut Output) {
        let text = self.text;
        let mut findings = core::mem::replace(&mut self.findings, Findings::new(id::MORE));
        let mut holes = Findings::new(id::MORE);
        let lines = writes(text, |fault, span| match fault {
            Fault::Nothing => {
                let message = "the line names a method, but no word written to it";
                holes.warning(id::LOG, span, message);
            }
            Fault::Mixed => {
                let message = "several numbers follow the method; which of them are words is not clear";
                holes.error(id::SYNTAX, span, message);
            }
            Fault::Garbled(..) => {
                let word = text.get(span.start as usize..span.end as usize).unwrap_or("");
                holes.error(id::WORD, span, format!("{} is no word", Quoted(word)));
            }
        });
        let mut gaps = Vec::new();
        let visit = |run: &methods::Run<'_>| {
            if run.number > 1 {
                out.next_program(run.places.first().copied().unwrap_or(run.place));
            }
            for (slot, place) in run.slots.iter().zip(run.places) {
                out.push(*slot, line_at(text, *place), true);
            }
            out.constants_of(constants_of(run));
        };
        let summary = methods::each_program_and_gap(lines, visit, |gap| gaps.push(gap));
        // What cannot be read leaves a gap, too.
        if !holes.has_errors() {
            for gap in gaps {
                holes.error(id::GAP, line_at(text, gap.place), missing(gap));
            }
        }
        findings.append(holes);
        if summary.programs == 0 && !findings.has_errors() {
            let (id, message) = if summary.combiners {
                (id::COMBINERS, "the log sets up the register combiners, which are not a vertex program")
            } else {
                (id::EMPTY, "the log has no vertex program")
            };
            findings.error(id, Span::default(), message);
        }
        if summary.beyond > 0 {
            let message =
                format!("{} words are written past the program memory of the hardware", summary.beyond);
            findings.warning(id::LOG, Span::default(), message);
        }
        self.findings = findings;
    }
}
