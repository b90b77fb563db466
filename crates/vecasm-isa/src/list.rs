//! Programs as lists of numbers in hexadecimal digits: where each number stands, and what is wrong with a list that is one but
//! for a few of them.

use super::text::Comments;
use super::{Isa, NUMBER};
use crate::text::numbers::strip_hex;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Span};

/// Least numbers that make a list.
const MIN_NUMBERS: usize = 4;

/// Longest number that a message repeats.
const MAX_SHOWN: usize = 24;

/// A part of a text: where it begins and ends.
type Body = (usize, usize);

/// What stands between separators.
struct Item<'t> {
    span: Span,
    text: &'t str,
    /// The digits, if it is a number.
    digits: Option<&'t str>,
    prefixed: bool,
}

impl Item<'_> {
    /// Whether it is a number as most lists have them: words are no numbers, even if all their letters are digits.
    fn is_usual(&self) -> bool {
        let decimal = |digits: &str| digits.bytes().any(|b| b.is_ascii_digit());
        self.digits.is_some_and(|digits| self.prefixed || matches!(digits.len(), 2 | 8) || decimal(digits))
    }

    /// Its bytes in a binary, little-endian if it is a word; `None` if it is no number of that kind.
    fn push_bytes(&self, words: bool, out: &mut Vec<u8>) -> Option<()> {
        let digits = self.digits?;
        if words && (self.prefixed || digits.len() == 8) {
            out.extend_from_slice(&u32::from_str_radix(digits, 16).ok()?.to_le_bytes());
            return Some(());
        }
        if self.prefixed && digits.len() == 1 {
            out.push(u8::from_str_radix(digits, 16).ok()?);
            return Some(());
        }
        // In a list of words, single bytes behind the last one.
        if digits.len() % 2 != 0 || words && digits.len() != 2 {
            return None;
        }
        let mut rest = digits;
        while let Some((pair, behind)) = rest.split_at_checked(2) {
            out.push(u8::from_str_radix(pair, 16).ok()?);
            rest = behind;
        }
        Some(())
    }
}

/// What stands between the separators of a part of a text, without comments.
fn items(text: &str, (start, end): Body) -> impl Iterator<Item = Item<'_>> {
    let mut at = start;
    let body = text.get(..end).unwrap_or("");
    let is_separator = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | ';' | '{' | '}');
    core::iter::from_fn(move || {
        loop {
            let rest = body.get(at..)?;
            let blank = rest.len() - rest.trim_start_matches(is_separator).len();
            let rest = rest.get(blank..)?;
            at += blank;
            if rest.is_empty() {
                return None;
            }
            if let Some(comment) = Comments::C.at(rest.as_bytes()) {
                at += comment.len;
                continue;
            }
            let word = rest.get(..rest.find(is_separator).unwrap_or(rest.len()))?;
            let len = Comments::C.first(word).unwrap_or(word.len());
            let text = word.get(..len)?;
            let span = Span::new(at, at + len);
            at += len;
            let plain = strip_hex(text);
            let (digits, prefixed) = match plain {
                Some(digits) => {
                    let digits = digits.strip_suffix("u32").unwrap_or(digits);
                    (digits.trim_end_matches(['u', 'U', 'l', 'L']), true)
                }
                None => (text, false),
            };
            let good = !digits.is_empty()
                && digits.bytes().all(|b| b.is_ascii_hexdigit())
                && (if prefixed { digits.len() <= 8 } else { digits.len() % 2 == 0 });
            return Some(Item { span, text, digits: good.then_some(digits), prefixed });
        }
    })
}

/// Where the numbers of a text are: the first array of a source that is declared with its values, else all of it.
fn body_of(text: &str) -> Body {
    array(text).unwrap_or((0, text.len()))
}

/// Where each number of a text stands that was read as `bytes`, with the offset of its first byte; `None` if it was not read
/// as a list of hexadecimal numbers.
pub fn places(text: &str, bytes: &[u8]) -> Option<Vec<(u32, Span)>> {
    let read = |body: Body, words: bool| {
        let mut out = Vec::with_capacity(bytes.len());
        let mut places = Vec::new();
        for item in items(text, body) {
            let (offset, Span { start, end }) = (u32::try_from(out.len()).ok()?, item.span);
            item.push_bytes(words, &mut out)?;
            let count = u32::try_from(out.len()).ok()? - offset;
            if words || item.prefixed {
                places.push((offset, item.span));
            } else {
                // Each byte of several has its own digits.
                places.extend((0..count).map(|n| (offset + n, Span { start: start + 2 * n, end })));
            }
        }
        (out == bytes).then_some(places)
    };
    let body = body_of(text);
    read(body, true).or_else(|| read(body, false))
}

/// The place of the number that has the byte at `offset`.
pub fn place_of(places: &[(u32, Span)], offset: u32) -> Option<Span> {
    let behind = places.partition_point(|(start, _)| *start <= offset);
    places.get(behind.checked_sub(1)?).map(|(_, span)| *span)
}

/// What is wrong with a text that is a list of numbers but for a few of them, and whose program it is: `isa` if that is known.
/// `None` if the text is something else, or nothing is wrong with it as a list.
pub fn broken(text: &str, isa: Option<Isa>) -> Option<(Isa, Vec<Diagnostic>)> {
    let (body, isa) = list_of(text, isa)?;
    if isa.is_hex(text) {
        return None;
    }
    let mut bytes = Vec::new();
    let mut findings = Vec::new();
    for item in items(text, body) {
        if item.push_bytes(isa.in_words(), &mut bytes).is_none() {
            findings.push(NUMBER.finding(blame(&item, isa.in_words())).at_span(item.span));
        }
    }
    if findings.is_empty() && isa.begins(&bytes) {
        findings.extend(uneven(isa, text, body, bytes.len()));
    }
    (!findings.is_empty()).then_some((isa, findings))
}

/// The instruction set of a text that is a list of numbers, but for a few of them.
pub(super) fn isa_of(text: &str) -> Option<Isa> {
    list_of(text, None).map(|(_, isa)| isa)
}

/// Where in a text a list of numbers is, but for a few of them, and its instruction set.
fn list_of(text: &str, isa: Option<Isa>) -> Option<(Body, Isa)> {
    let body = body_of(text);
    if !is_list(text, body) {
        return None;
    }
    let mut isas = Isa::ALL.iter().copied();
    let isa = isa.or_else(|| isas.find(|isa| begins(*isa, text, body)))?;
    Some((body, isa))
}

/// Whether most of what is there are numbers.
fn is_list(text: &str, body: Body) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for item in items(text, body) {
        if item.is_usual() {
            good += 1;
        } else {
            bad += 1;
            // A text of something else says so early.
            if bad > good + 2 * MIN_NUMBERS {
                return false;
            }
        }
    }
    good >= MIN_NUMBERS && bad * MIN_NUMBERS <= good
}

/// What is wrong with an item.
#[cold]
fn blame(item: &Item<'_>, words: bool) -> String {
    let mut shown: String = item.text.chars().take(MAX_SHOWN).collect();
    if shown.len() < item.text.len() {
        shown.push('…');
    }
    let digits = strip_hex(item.text);
    let bare = digits.unwrap_or(item.text);
    let number = !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_hexdigit());
    match (number, words) {
        (true, true) => format!("`{shown}` has {} digits; a word has 8", bare.len()),
        (true, false) => format!("`{shown}` has {} digits; a byte has 2", bare.len()),
        (false, true) => format!("`{shown}` is no word in hexadecimal digits"),
        (false, false) => format!("`{shown}` is no byte in hexadecimal digits"),
    }
}

/// Whether the numbers begin as a program does, whatever is wrong with the others.
fn begins(isa: Isa, text: &str, body: Body) -> bool {
    let mut bytes = Vec::new();
    for item in items(text, body) {
        if item.push_bytes(isa.in_words(), &mut bytes).is_none() {
            // The first number tells most.
            if bytes.is_empty() {
                return false;
            }
            bytes.extend_from_slice(if isa.in_words() { &[0; 4] } else { &[0] });
        }
    }
    isa.begins(&bytes)
}

/// Lines with another number of words than a slot of the NV2A has, where its words are not whole slots.
fn uneven(isa: Isa, text: &str, body: Body, bytes: usize) -> Vec<Diagnostic> {
    let _ = (isa, text, body, bytes);
    #[cfg(feature = "nv2a")]
    if isa == Isa::Nv2a && bytes % super::nv2a::Slot::SIZE != 0 {
        let of_slot = super::nv2a::Slot::SIZE / 4;
        // The places of the first and last word of each line, and how many there are.
        let mut lines: Vec<(usize, Span, usize)> = Vec::new();
        let (mut at, mut line) = (0, 0);
        for item in items(text, body) {
            let from = item.span.start as usize;
            line += text.get(at..from).unwrap_or("").bytes().filter(|b| *b == b'\n').count();
            at = from;
            match lines.last_mut().filter(|(of, ..)| *of == line) {
                Some((_, span, count)) => {
                    span.end = item.span.end;
                    *count += 1;
                }
                None => lines.push((line, item.span, 1)),
            }
        }
        let whole = lines.iter().filter(|(.., count)| *count == of_slot).count();
        // Where most lines are slots, the others are to blame.
        if lines.len() > 1 && whole * 2 >= lines.len() {
            let odd = lines.into_iter().filter(|(.., count)| count % of_slot != 0);
            let said = |(_, span, count): (usize, Span, usize)| {
                let plural = if count == 1 { "" } else { "s" };
                let message = format!("{count} word{plural} here; a slot has {of_slot}");
                NUMBER.finding(message).at_span(span)
            };
            return odd.map(said).collect();
        }
        let message = format!("{} words are no whole number of slots; a slot has {of_slot}", bytes / 4);
        // Bytes behind the last word, or the header of a microcode file, are no matter of the list.
        if bytes % 4 == 0 && lines.iter().map(|(.., count)| count).sum::<usize>() * 4 == bytes {
            let last = lines.last().map_or_else(Span::default, |(_, span, _)| *span);
            return alloc::vec![NUMBER.finding(message).at_span(last)];
        }
    }
    Vec::new()
}

/// Where in a source of C or C++ the values of the first array stand that is declared with them, which may have braces of
/// their own.
pub(super) fn array(text: &str) -> Option<Body> {
    let bytes = text.as_bytes();
    let (mut at, mut assigned, mut open, mut depth) = (0, false, 0, 0_usize);
    while let Some(&b) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or(&[]);
        if let Some(comment) = Comments::C.at(rest) {
            if !comment.is_closed {
                return None;
            }
            at += comment.len;
            continue;
        }
        match b {
            b'=' if depth == 0 => assigned = true,
            b'{' if assigned => {
                if depth == 0 {
                    open = at + 1;
                }
                depth += 1;
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return Some((open, at));
                }
            }
            // Of another declaration.
            b';' if depth == 0 => assigned = false,
            _ => {}
        }
        at += 1;
    }
    None
}
