//! Logs of the methods of the graphics processor, one a line.
//!
//! ```text
//! nv2a_pgraph_method 0: 0x0097 -> 0x0b00 NV097_SET_TRANSFORM_PROGRAM[0] 0x00000000
//! NV097_SET_TRANSFORM_PROGRAM[1] = 0x0020001b
//! 0x0b08: 0x0836106c
//! ```
//!
//! A line counts if it has a method, or the register RDI_INDEX or RDI_DATA, by number behind `->`, by name, or as the first of two numbers and nothing else, and
//! behind it the word. Lines of other classes than NV097, and all others, are passed over. What is a program is known
//! where something is drawn or launched; see [`methods`](crate::isa::nv2a::methods).

use super::errors::{Findings, id};
use super::parse::{Constant, Output};
use super::sniff::MAX_LINES;
use super::vsh::Reader;
use crate::diag::Span;
use crate::isa::nv2a::methods::{self, Method, Use, Write};
use alloc::format;

/// Whether a text has lines with methods of programs.
pub(super) fn looks_like(text: &str) -> bool {
    let lines = text.split(['\n', '\r']).take(MAX_LINES);
    let mut methods = lines.filter_map(|line| line_of(line).ok().flatten());
    methods.any(|(method, _)| Method::from_number(method).is_some())
}

/// A number of a log: hexadecimal behind `0x`, else decimal, or a float with a point.
fn number(word: &str) -> Option<u32> {
    if let Some(digits) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        return u32::from_str_radix(digits.trim_start_matches('0'), 16)
            .ok()
            .or_else(|| (!digits.is_empty() && digits.bytes().all(|b| b == b'0')).then_some(0));
    }
    if word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return word.trim_end_matches('f').parse::<f32>().ok().map(f32::to_bits);
    }
    word.parse().ok()
}

/// The method and the word of a line; `None` if it has none, an error if the word of a method of programs is missing.
fn line_of(line: &str) -> Result<Option<(u32, u32)>, ()> {
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
    let rest = arrow.and_then(|n| line.get(n + 2..)).unwrap_or(line);
    let mut method = None;
    let mut named = false;
    let mut data = None;
    let mut numbers = 0;
    let mut first = None;
    let (mut hex, mut others) = (false, false);
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
            data = None;
            continue;
        }
        if let Some(n) = number(word) {
            numbers += 1;
            if method.is_none() && first.is_none() {
                first = Some(n);
                hex = is_hex(word);
                if arrow.is_some() && hex {
                    method = Some(n);
                    continue;
                }
            } else {
                data = Some(n);
            }
        } else {
            others = true;
        }
    }
    if method.is_none() && numbers == 2 && hex && !others {
        method = first.filter(|n| Method::from_number(*n).is_some());
    }
    let Some(method) = method else { return Ok(None) };
    // A star is how several words of a row are left out.
    match data.filter(|_| !rest.contains('*')) {
        Some(data) => Ok(Some((method, data))),
        None if named && Method::from_number(method).is_some_and(|m| m.purpose != Use::Combiner) => Err(()),
        None => Ok(None),
    }
}

impl Reader<'_> {
    /// Reads a whole text of this language.
    pub(super) fn read_log(&mut self, out: &mut Output) {
        let text = self.text;
        let mut findings = core::mem::replace(&mut self.findings, Findings::new(id::MORE));
        let line_at = |start: usize| {
            let len =
                text.get(start..).and_then(|rest| rest.find(['\n', '\r'])).unwrap_or(text.len() - start);
            Span::new(start, start + len)
        };
        let mut at = 0;
        let mut holes = Findings::new(id::MORE);
        let lines = text.split(['\n', '\r']).filter_map(|line| {
            let place = at;
            at += line.len() + 1;
            match line_of(line) {
                Ok(found) => found.map(|(method, data)| Write { place, method, data }),
                Err(()) => {
                    let message = "the line names a method, but no word that is written to it";
                    holes.warning(id::LOG, Span::new(place, place + line.len()), message);
                    None
                }
            }
        });
        let summary =
            methods::each_program(lines, |run| {
                if run.number > 1 {
                    out.next_program(run.places.first().copied().unwrap_or(run.place));
                }
                for (slot, place) in run.slots.iter().zip(run.places) {
                    out.push(*slot, line_at(*place), true);
                }
                out.constants_of(run.constants.iter().enumerate().filter_map(|(n, value)| {
                    Some(Constant { number: u8::try_from(n).ok()?, value: (*value)? })
                }));
            });
        findings.append(holes);
        if summary.programs == 0 {
            let (id, message) = if summary.combiners {
                (id::COMBINERS, "the log is about the register combiners, which are not a vertex program")
            } else {
                (id::EMPTY, "the log has no vertex program")
            };
            findings.error(id, Span::default(), message);
        }
        if summary.beyond > 0 {
            let message = format!("{} words are written beyond the memory of the hardware", summary.beyond);
            findings.warning(id::LOG, Span::default(), message);
        }
        self.findings = findings;
    }
}
