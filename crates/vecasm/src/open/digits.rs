//! Other bytes in the place of those that are written as digits: in the same notation, with as many in a line, aligned as they were.

use super::notation::{
    DumpRow, SUFFIXES, array_body, base64_digits, read_base64, read_dump, read_hex, without_comments,
};
use crate::isa::Isa;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core::fmt::Write as _;
use core::ops::Range;

/// A text with other bytes in the place of those that it has: an array of a source, digits in hexadecimal or base64, a dump with offsets.
/// `None` if its notation cannot be written: what is returned reads as these bytes.
pub(super) fn with_bytes(text: &str, isa: Option<Isa>, old: &[u8], new: &[u8]) -> Option<String> {
    if read_dump(text).is_some() {
        let out = dump(text, new)?;
        return (read_dump(&out).as_deref() == Some(new)).then_some(out);
    }
    let reads_as = |text: &str, bytes: &[u8]| read_hex(text, isa).is_ok_and(|read| read == bytes);
    // Comments and what a preprocessor leaves out may have braces of their own.
    let plain = without_comments(text);
    let (before, body, behind) = match array_body(&plain) {
        Some(body) => {
            let at = body.as_ptr() as usize - plain.as_ptr() as usize;
            (text.get(..at)?, text.get(at..at + body.len())?, text.get(at + body.len()..)?)
        }
        None => ("", text, ""),
    };
    // More rows of an array of arrays are no part of what was read.
    if without_comments(behind).contains(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let of_hex = || {
        let elements = Elements::of(body)?;
        Order::ALL.iter().find_map(|order| {
            let style = Style::of(&elements, old, *order)?;
            let written = |bytes: &[u8]| [before, &style.write(&elements, bytes), behind].concat();
            // Only what is known to say the old elements, and to read as the old bytes, writes the new ones.
            let says = elements.elements.iter().zip(old.chunks(style.size)).all(|(element, bytes)| {
                digits_without_zeros(element.text) == digits_without_zeros(&style.element(bytes))
            });
            let reads = says && reads_as(&written(old), old) && reads_as(&written(new), new);
            let count = |bytes: &[u8]| bytes.len().div_ceil(style.size);
            let before = with_length(before, count(old), count(new)).filter(|_| reads)?;
            Some([&before, style.write(&elements, new).as_str(), behind].concat())
        })
    };
    if reads_as(text, old) {
        return of_hex();
    }
    let out = base64(text, new)?;
    (read_base64(text)? == old && read_base64(&out)? == new).then_some(out)
}

/// A number as its digits in small letters, without zeros in front of them.
fn digits_without_zeros(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    let (sign, digits) = text.strip_prefix('-').map_or(("", &*text), |digits| ("-", digits));
    let (prefix, digits) = digits.strip_prefix("0x").map_or(("", digits), |digits| ("0x", digits));
    let short = digits.trim_start_matches('0');
    format!("{sign}{prefix}{}", if short.is_empty() { "0" } else { short })
}

/// The declaration of an array with another number of elements, where it says one: `[7]`, `[u8; 7]`, `array<uint8_t, 7>`; of several
/// dimensions the first, if the others say how large each element is. `None` if it says the number in a way that is not known.
fn with_length(declaration: &str, old: usize, new: usize) -> Option<String> {
    if old == new {
        return Some(declaration.into());
    }
    let plain = without_comments(declaration);
    let start = plain.rfind([';', '}']).map_or(0, |at| at + 1);
    // The types of Rust have a semicolon in their brackets.
    let start = if plain.get(..start).is_some_and(|before| before.rfind('[') > before.rfind(']')) {
        0
    } else {
        start
    };
    let mut lengths: Vec<Range<usize>> = Vec::new();
    let mut at = start;
    while let Some(open) = plain.get(at..).and_then(|rest| rest.find('[')).map(|n| at + n) {
        let Some(close) = plain[open..].find(']').map(|n| open + n) else { break };
        let from = plain[open + 1..close].rfind(';').map_or(open + 1, |semicolon| open + 1 + semicolon + 1);
        lengths.push(from..close);
        at = close + 1;
    }
    if let Some(open) = plain.get(start..).and_then(|rest| rest.find("array<")).map(|n| start + n) {
        let close = open + plain[open..].find('>')?;
        lengths.push(open + plain[open..close].rfind(',')? + 1..close);
    }
    // The type of a slice of Rust, `&[u8]`, is no length.
    let is_type = |text: &str| text.ends_with(|c: char| c.is_ascii_digit()) && SUFFIXES.contains(&text);
    let said = |range: &&Range<usize>| {
        let text = plain[(*range).clone()].trim();
        !text.is_empty() && !is_type(text)
    };
    let said: Vec<&Range<usize>> = lengths.iter().filter(said).collect();
    let [first, others @ ..] = &*said else { return Some(declaration.into()) };
    let value = |range: &Range<usize>| {
        let digits = plain[range.clone()].trim().trim_end_matches(['u', 'U', 'l', 'L']);
        match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            Some(digits) => usize::from_str_radix(digits, 16).ok(),
            None => digits.parse().ok(),
        }
    };
    let behind = others.iter().try_fold(1usize, |product, range| product.checked_mul(value(range)?))?;
    // A type in brackets, as of ActionScript, is no number.
    if value(first)?.checked_mul(behind) != Some(old) || behind == 0 || new % behind != 0 {
        return None;
    }
    let inside = &plain[(*first).clone()];
    let from = first.start + inside.len() - inside.trim_start().len();
    let to = first.start + inside.trim_end().len();
    Some(format!("{}{}{}", &declaration[..from], new / behind, &declaration[to..]))
}

/// Base64 with lines as long as those of a text.
fn base64(text: &str, new: &[u8]) -> Option<String> {
    let digits = base64_digits(text);
    let front = text.strip_suffix(digits)?;
    let body = digits.trim();
    let (lead, trail) = digits.split_once(body)?;
    let end = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let width = body.lines().next().map_or(0, |line| line.trim_end().len());
    let all = STANDARD.encode(new);
    let lines = if body.contains('\n') && width > 0 {
        let lines: Vec<&str> =
            all.as_bytes().chunks(width).filter_map(|c| core::str::from_utf8(c).ok()).collect();
        lines.join(end)
    } else {
        all
    };
    Some([front, lead, &lines, trail].concat())
}

/// A dump with offsets of other bytes, with rows as those of the old one.
fn dump(text: &str, new: &[u8]) -> Option<String> {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let rows: Vec<DumpRow<'_>> = text.lines().filter_map(|line| DumpRow::of(line.trim_end())).collect();
    let first = rows.first()?;
    let ends_with_size = rows.last().is_some_and(|row| row.bytes.is_empty());
    let is_upper = text.bytes().any(|byte| byte.is_ascii_uppercase() && byte.is_ascii_hexdigit());
    let mut out = String::new();
    first.offset.checked_add(new.len())?;
    let write_offset = |out: &mut String, at: usize| {
        let (at, width) = (first.offset + at, first.digits.len());
        let _ = write!(out, "{at:0width$x}");
    };
    for (n, bytes) in new.chunks(first.bytes.len().max(1)).enumerate() {
        write_offset(&mut out, n * first.bytes.len());
        out.push_str(first.separator);
        let start = out.len();
        let mut halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        for c in first.body.chars() {
            if !c.is_ascii_hexdigit() {
                out.push(c);
                continue;
            }
            let Some(half) = halves.next() else { break };
            let digit = char::from_digit(half.into(), 16)?;
            out.push(if is_upper && first.body.bytes().any(|b| b.is_ascii_uppercase()) {
                digit.to_ascii_uppercase()
            } else {
                digit
            });
        }
        let text = || bytes.iter().map(|byte| if (32..127).contains(byte) { char::from(*byte) } else { '.' });
        if first.column.is_empty() {
            out.truncate(out.trim_end_matches(' ').len());
        } else {
            while out.len() - start < first.body.len() {
                out.push(' ');
            }
            let bar = if first.column.ends_with('|') { "|" } else { "" };
            out.extend(["  ", bar]);
            out.extend(text());
            out.push_str(bar);
        }
        out.push_str(end);
    }
    if ends_with_size {
        write_offset(&mut out, new.len());
        out.push_str(end);
    }
    if !text.ends_with('\n') {
        out.truncate(out.len().saturating_sub(end.len()));
    }
    Some(out)
}

/// The elements of a list, and what stands between them, without comments.
struct Elements<'t> {
    elements: Vec<Element<'t>>,
    /// What follows the last one.
    tail: String,
}

/// One of them.
struct Element<'t> {
    text: &'t str,
    /// What stands in front of it, without the blanks that are next to it.
    gap: String,
    /// How many those are.
    blanks: usize,
}

impl<'t> Elements<'t> {
    /// `None` if anything but numbers, separators and comments is there.
    fn of(body: &'t str) -> Option<Self> {
        let (mut elements, mut gap, mut at) = (Vec::new(), String::new(), 0);
        while let Some(rest) = body.get(at..).filter(|rest| !rest.is_empty()) {
            let first = rest.chars().next()?;
            if rest.starts_with("//") {
                at += rest.find('\n').unwrap_or(rest.len());
                gap.truncate(gap.trim_end_matches([' ', '\t']).len());
                continue;
            }
            if rest.starts_with("/*") {
                at += rest.find("*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            if first.is_ascii_alphanumeric() || first == '-' {
                let is_of = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let len =
                    rest.char_indices().skip(1).find(|(_, c)| !is_of(*c)).map_or(rest.len(), |(n, _)| n);
                let plain = gap.trim_end_matches(' ').len();
                let blanks = gap.len() - plain;
                gap.truncate(plain);
                elements.push(Element { text: rest.get(..len)?, gap: core::mem::take(&mut gap), blanks });
                at += len;
                continue;
            }
            if !first.is_ascii_whitespace() && !matches!(first, ',' | ';' | '{' | '}' | '[' | ']') {
                return None;
            }
            gap.push(first);
            at += 1;
        }
        (!elements.is_empty()).then_some(Self { elements, tail: gap })
    }

    /// After how many elements what stands between them comes again, if it does: `width_of` is what blanks are compared by.
    fn period(&self, width_of: impl Fn(&Element<'_>) -> usize) -> Option<usize> {
        const MOST: usize = 64;
        let all = &self.elements;
        let same = |a: &Element<'_>, b: &Element<'_>| a.gap == b.gap && width_of(a) == width_of(b);
        (1..=MOST.min(all.len().saturating_sub(2)))
            .find(|period| (1..all.len() - period).all(|n| same(&all[n], &all[n + period])))
    }
}

/// In which order the digits of an element of several bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// As a number whose least significant byte comes first in the file.
    Word,
    /// As the bytes of the file.
    File,
}

impl Order {
    const ALL: [Self; 2] = [Self::Word, Self::File];
}

/// How elements are written.
struct Style {
    /// `0x`, `0X` or nothing.
    prefix: String,
    /// Behind the digits: `u`, `UL`.
    suffix: String,
    radix: u32,
    is_upper: bool,
    /// The least number of digits.
    digits: usize,
    /// Whether elements whose highest bit is set are negative.
    is_signed: bool,
    /// Bytes of an element.
    size: usize,
    order: Order,
    /// After how many elements what stands between them comes again.
    period: usize,
    /// Whether elements are aligned to the right in as many columns as they have with the blanks in front.
    is_aligned: bool,
}

impl Style {
    /// That of a list, in which the bytes are.
    fn of(list: &Elements<'_>, bytes: &[u8], order: Order) -> Option<Self> {
        let all = &list.elements;
        let first = all.first()?.text;
        let prefix = ["0x", "0X"].into_iter().find(|prefix| first.starts_with(*prefix)).unwrap_or("");
        let has_commas = all.iter().any(|element| element.gap.contains(','));
        let digits_of = |text: &str| -> (String, String) {
            let body = text.strip_prefix(prefix).unwrap_or(text);
            let decimal = || body.find(|c: char| c != '-' && !c.is_ascii_digit()).filter(|_| has_commas);
            let is_suffix =
                |end: &usize| SUFFIXES.iter().any(|known| known.eq_ignore_ascii_case(&body[*end..]));
            let end = match prefix.is_empty() {
                // Without `0x` letters may be digits.
                true => decimal().filter(is_suffix),
                false => body.find(|c: char| !c.is_ascii_hexdigit()),
            };
            let end = end.unwrap_or(body.len());
            (body[..end].into(), body[end..].into())
        };
        let (digits, suffix) = digits_of(first);
        let texts: Vec<String> = all.iter().map(|element| digits_of(element.text).0).collect();
        let radix = if prefix.is_empty() && has_commas { 10 } else { 16 };
        let plain_hex = radix == 16 && prefix.is_empty();
        let size = match all.len() {
            // All digits in one go stay that.
            1 if plain_hex => usize::MAX,
            _ if plain_hex => digits.len() / 2,
            count => bytes.len() / count,
        };
        if size == 0
            || bytes.len().div_ceil(size) != all.len()
            || !plain_hex && bytes.len() % size != 0
            || !plain_hex && size > 8
        {
            return None;
        }
        let longest = texts.iter().map(String::len).max()?;
        let digits = if texts.iter().all(|text| text.len() == longest) { longest } else { 1 };
        let is_upper = texts.iter().any(|text| text.bytes().any(|b| b.is_ascii_uppercase()));
        let is_signed = all.iter().any(|element| element.text.starts_with('-'));
        let plain = list.period(|element| element.blanks);
        let aligned = list.period(|element| element.blanks + element.text.len());
        let (period, is_aligned) = match (plain, aligned) {
            // Several blanks within a line are there to align what follows.
            (Some(_), Some(period)) if all.iter().skip(1).any(|e| e.blanks > 1 && !e.gap.contains('\n')) => {
                (period, true)
            }
            (Some(period), _) => (period, false),
            (None, Some(period)) => (period, true),
            // Lines as long as the first one.
            _ => (
                all.iter()
                    .skip(1)
                    .position(|element| element.gap.contains('\n'))
                    .map_or(all.len(), |n| n + 1),
                false,
            ),
        };
        Some(Self {
            prefix: prefix.into(),
            suffix,
            radix,
            is_upper,
            digits,
            is_signed,
            size,
            order,
            period,
            is_aligned,
        })
    }

    /// The element of these bytes.
    fn element(&self, bytes: &[u8]) -> String {
        if self.radix == 10 {
            let number = number(bytes);
            let unused = 64 - 8 * bytes.len().clamp(1, 8);
            // The highest bit is the sign.
            let digits = match self.is_signed {
                true => ((number << unused) as i64 >> unused).to_string(),
                false => number.to_string(),
            };
            return digits + &self.suffix;
        }
        let width = if self.prefix.is_empty() { 2 * bytes.len() } else { self.digits };
        let hex = match self.order {
            Order::Word if bytes.len() <= 8 => format!("{:0width$x}", number(bytes)),
            _ => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        };
        let hex = if self.is_upper { hex.to_ascii_uppercase() } else { hex };
        format!("{}{hex}{}", self.prefix, self.suffix)
    }

    /// A list of bytes, with what stands between its elements.
    fn write(&self, list: &Elements<'_>, bytes: &[u8]) -> String {
        let all = &list.elements;
        let mut out = String::new();
        for (n, bytes) in bytes.chunks(self.size).enumerate() {
            let element = self.element(bytes);
            let like = match n {
                0 => &all[0],
                n if n % self.period != 0 => &all[(n % self.period).min(all.len() - 1)],
                // What begins a line.
                _ => all.get(self.period).or(all.get(1)).unwrap_or(&all[0]),
            };
            out.push_str(if n > 0 && all.len() == 1 { ", " } else { &like.gap });
            let blanks = if self.is_aligned {
                (like.blanks + like.text.len()).saturating_sub(element.len())
            } else if n > 0 && all.len() == 1 {
                0
            } else {
                like.blanks
            };
            out.extend(core::iter::repeat_n(' ', blanks));
            out.push_str(&element);
        }
        out + &list.tail
    }
}

/// The number of up to eight bytes, the least significant one first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes bytes 0, 16, 32, … up to 240, and one more, in the place of those of a text.
    fn rewritten(text: &str, isa: Option<Isa>) -> String {
        let old = read_hex(text, isa).ok().or_else(|| read_base64(text)).expect(text);
        assert_eq!(with_bytes(text, isa, &old, &old).as_deref(), Some(text), "{text}");
        let new: Vec<u8> = (0..old.len() + 4).map(|n| (n * 16) as u8).collect();
        with_bytes(text, isa, &old, &new).expect(text)
    }

    #[test]
    fn digits_stay_in_their_notation() {
        for (text, new) in [
            ("a001", "001020304050"),
            ("A0 01\n00\n", "00 10\n20 30\n40 50\n60\n"),
            ("a0010203\n0405\n", "00102030\n40506070\n8090\n"),
            ("{ 0xA0, 0x01 }", "{ 0x00, 0x10, 0x20, 0x30, 0x40, 0x50 }"),
            (
                "unsigned char a[3] = {\n  0xa0, 0x01,\n  0x02\n};\n",
                "unsigned char a[7] = {\n  0x00, 0x10,\n  0x20, 0x30,\n  0x40, 0x50,\n  0x60\n};\n",
            ),
            ("const A: [u8; 2] = [160, 1];", "const A: [u8; 6] = [0, 16, 32, 48, 64, 80];"),
            (
                "const BYTE g[] =\n{\n    160,   1,\n      2,   3,\n};\n",
                "const BYTE g[] =\n{\n      0,  16,\n     32,  48,\n     64,  80,\n     96, 112,\n};\n",
            ),
            (
                "const signed char g[] = { -96, 1, 0 };",
                "const signed char g[] = { 0, 16, 32, 48, 64, 80, 96 };",
            ),
            ("const A: &[u8] = &[160u8, 1u8];", "const A: &[u8] = &[0u8, 16u8, 32u8, 48u8, 64u8, 80u8];"),
            ("oAECAwQF\nBgcI\n", "ABAgMEBQ\nYHCAkKCw\nwA==\n"),
            ("data:;base64,oAEC", "data:;base64,ABAgMEBQYA=="),
        ] {
            assert_eq!(rewritten(text, None), new);
        }
    }

    #[test]
    fn words_stay_words() {
        // ps_2_0 and its end, then with an instruction `nop` in between.
        let (old, new) = ([0, 2, 255, 255, 255, 255, 0, 0], [0, 2, 255, 255, 0, 0, 0, 0, 255, 255, 0, 0]);
        let text = "const DWORD g[2] =\n{\n    0xffff0200, 0x0000ffff\n};\n";
        let written = "const DWORD g[3] =\n{\n    0xffff0200, 0x00000000, 0x0000ffff\n};\n";
        assert_eq!(with_bytes(text, None, &old, &new).as_deref(), Some(written));
        for (text, written) in [
            ("DWORD g[2] = { 4294902272, 65535 };", "DWORD g[3] = { 4294902272, 0, 65535 };"),
            ("int g[] = { -65024, 65535 };", "int g[] = { -65024, 0, 65535 };"),
            (
                "u16 g[] = { 0x0200, 0xFFFF, 0xFFFF, 0x0000 };",
                "u16 g[] = { 0x0200, 0xFFFF, 0x0000, 0x0000, 0xFFFF, 0x0000 };",
            ),
            (
                "G: [i16; 4] = [512i16, -1i16, -1i16, 0i16];",
                "G: [i16; 6] = [512i16, -1i16, 0i16, 0i16, -1i16, 0i16];",
            ),
        ] {
            assert_eq!(with_bytes(text, None, &old, &new).as_deref(), Some(written));
        }
        assert_eq!(
            with_bytes("0xFFFF0200\n0xFFFF\n", None, &old, &new).as_deref(),
            Some("0xFFFF0200\n0x0\n0xFFFF\n")
        );
    }

    #[test]
    fn dumps_keep_their_columns() {
        for (text, new) in [
            (
                "00000000: a001 4142 43  ..ABC\n",
                "00000000: 0010 2030 40  .. 0@\n00000005: 5060 7080     P`p.\n",
            ),
            (
                "00000010  a0 01  41  |..A|\n00000013\n",
                "00000010  00 10  20  |.. |\n00000013  30 40  50  |0@P|\n00000016  60         |`|\n00000017\n",
            ),
            ("000000 a0 01\n000002 02\n", "000000 00 10\n000002 20 30\n000004 40 50\n000006 60\n"),
        ] {
            assert_eq!(rewritten(text, None), new);
        }
    }
}
