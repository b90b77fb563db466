//! Bytes written as digits, alone or in a source.

use crate::diag::Span;
use crate::isa::{self, Isa};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Reads bytes written as hexadecimal digits in the way of an instruction set, or of the one that recognizes them,
/// else in file order: bare digits with white space and commas, `0x` groups, or the array of a C, Rust or ActionScript
/// source, or the lines of a dump with offsets (`xxd`, `hexdump -C`, `od -A x -t x1`). An array without any `0x` whose elements are
/// separated by commas is decimal, as it is in those languages. Elements of an array are as large as the largest number needs, unless
/// their digits tell more.
///
/// # Errors
///
/// A sentence that says why the text is no list of digits.
pub fn read_hex(text: &str, isa: Option<Isa>) -> Result<Vec<u8>, String> {
    if let Some(bytes) = read_dump(text) {
        return Ok(bytes);
    }
    let text = without_comments(text);
    let body = array_body(&text).unwrap_or(&text);
    let is_array = body.len() < text.len();
    if is_array && !body.contains("0x") && !body.contains("0X") {
        if let Some(bytes) = literals(body) {
            return Ok(bytes);
        }
    }
    let given = isa;
    let isa = isa.or_else(|| match isa::sniff(body.as_bytes()) {
        Some(isa::Content::Hex(isa)) => Some(isa),
        _ => None,
    });
    // Words in an array of arrays are told apart from what is around them by who reads words.
    let whole = isa.and_then(|isa| isa.read_hex(&text));
    let bytes = whole.or_else(|| isa?.read_hex(body)).or_else(|| isa::parse_hex(body));
    // Numbers of 16 bits, or with suffixes and casts, are no digits in the order of the file.
    let is_right = |bytes: &Vec<u8>| given.is_some() || is_bytecode(bytes);
    let bytes = match bytes {
        Some(bytes) if is_right(&bytes) => Some(bytes),
        other => literals(body).filter(|_| is_array).filter(is_right).or(other),
    };
    bytes.ok_or_else(|| {
        if body.trim().is_empty() {
            return "no hexadecimal digits".to_string();
        }
        let odd = body
            .split(|c: char| c.is_ascii_whitespace() || ",;{}".contains(c))
            .find(|group| !group.is_empty() && isa::parse_hex(group).is_none())
            .unwrap_or("");
        let shown: String = odd.chars().take(24).collect();
        format!("`{shown}` is not a whole number of bytes in hexadecimal digits")
    })
}

/// Most bytes that the lines `*` of a dump may stand for, all together.
const MAX_REPEATED: usize = 1 << 20;

/// The bytes of a dump whose lines begin with offsets: those of `xxd` with a colon and a column of text, of `hexdump -C`, of `od`.
pub(super) fn read_dump(text: &str) -> Option<Vec<u8>> {
    let mut out: Vec<u8> = Vec::new();
    // The offset of the first line, how many bytes the last one had, and whether anything but offsets tells that it is a dump.
    let (mut base, mut last, mut is_repeated, mut is_marked) = (None, 0, false, false);
    let (mut rows, mut repeated) = (0, 0);
    for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        if line == "*" && last > 0 {
            is_repeated = true;
            continue;
        }
        let row = DumpRow::of(line)?;
        let at = row.offset.checked_sub(*base.get_or_insert(row.offset))?;
        repeated += if is_repeated { at.saturating_sub(out.len()) } else { 0 };
        if core::mem::take(&mut is_repeated) && repeated <= MAX_REPEATED {
            let start = out.len().checked_sub(last)?;
            while out.len() < at {
                out.extend_from_within(start..start + last.min(at - out.len()));
            }
        }
        if at != out.len() {
            return None;
        }
        out.extend_from_slice(&row.bytes);
        last = row.bytes.len();
        is_marked |= row.separator.starts_with(':') || row.column.ends_with('|');
        rows += 1;
    }
    // A single line of digits may be anything.
    (!is_repeated && !out.is_empty() && (is_marked || rows > 1)).then_some(out)
}

/// A line of a dump.
#[cfg_attr(not(feature = "containers"), allow(dead_code, reason = "writing asks for it"))]
pub(super) struct DumpRow<'t> {
    pub(super) offset: usize,
    /// The digits of the offset, and what separates them from the bytes.
    pub(super) digits: &'t str,
    pub(super) separator: &'t str,
    /// The groups of digits, with what stands between them.
    pub(super) body: &'t str,
    /// What follows them.
    pub(super) column: &'t str,
    pub(super) bytes: Vec<u8>,
}

impl<'t> DumpRow<'t> {
    pub(super) fn of(line: &'t str) -> Option<Self> {
        let end = line.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(line.len());
        let (digits, rest) = line.split_at_checked(end).filter(|_| (6..=16).contains(&end))?;
        let offset = usize::from_str_radix(digits, 16).ok()?;
        let blanks = rest.len() - rest.trim_start_matches([':', ' ', '\t']).len();
        let (separator, rest) = rest.split_at_checked(blanks)?;
        if rest.is_empty() {
            // The last line of `hexdump` and `od` is the size.
            return Some(Self { offset, digits, separator, body: "", column: "", bytes: Vec::new() });
        }
        if separator.is_empty() {
            return None;
        }
        // The column of text follows two blanks in `xxd`, and a bar in `hexdump`, which has two blanks in the middle as well.
        let end = match rest.find("  |") {
            Some(bar) if rest.ends_with('|') => bar,
            _ if separator.starts_with(':') => rest.find("  ").unwrap_or(rest.len()),
            _ => rest.len(),
        };
        let (body, column) = rest.split_at_checked(end)?;
        let groups = body.split_ascii_whitespace();
        let is_group = |group: &str| group.len() % 2 == 0 && group.bytes().all(|b| b.is_ascii_hexdigit());
        let bytes = groups.clone().all(is_group).then(|| isa::parse_hex(body)).flatten()?;
        Some(Self { offset, digits, separator, body, column, bytes })
    }
}

/// Bytes written as base64, in lines of any length; also as a URL, `data:…;base64,`.
pub fn read_base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = base64_digits(text).bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    STANDARD.decode(digits).ok().filter(|bytes| !bytes.is_empty())
}

/// The digits of a text in base64, behind what a URL has in front of them.
pub(super) fn base64_digits(text: &str) -> &str {
    let is_url = |(kind, _): &(&str, &str)| kind.trim_start().starts_with("data:") && !kind.contains(',');
    text.split_once(";base64,").filter(is_url).map_or(text, |(_, digits)| digits)
}

/// The bytes of the array in a source of C, if there is one.
pub(super) fn read_array(text: &str, isa: Option<Isa>) -> Option<Vec<u8>> {
    array_body(&without_comments(text))?;
    read_hex(text, isa).ok()
}

/// Whether bytes begin as a program of some instruction set.
pub(super) fn is_bytecode(bytes: &[u8]) -> bool {
    matches!(isa::sniff(bytes), Some(isa::Content::Binary(_)))
}

/// The text between the braces of a C array or the brackets of a Rust or ActionScript one.
pub fn array_body(text: &str) -> Option<&str> {
    let inside = |from: usize, open: char, close: char| {
        let start = from + text[from..].find(open)? + 1;
        let end = start + text[start..].find(close)?;
        text.get(start..end)
    };
    // The brackets before `=` hold the length.
    let assigned = text.find('=').map_or(0, |n| n + 1);
    inside(assigned, '{', '}').or_else(|| inside(assigned, '[', ']'))
}

/// The name of the variable of an array, which is given with its declaration: `A` of `const DWORD A[] = {`, `A: [u8; 7] = [` and
/// `byte[] A = new byte[] {`.
pub(super) fn variable(array: &str) -> Option<String> {
    let plain = without_comments(array);
    let declaration = plain.split_once('=')?.0;
    let lines: Vec<&str> = declaration.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let declaration = lines.join(" ");
    let declaration = declaration.as_str();
    let declared = match declaration.find('[') {
        Some(open) => {
            let before = declaration.get(..open)?.trim_end();
            match (before.strip_suffix(':'), TYPES.contains(&last_word(before))) {
                // The type follows a colon in Rust.
                (Some(before), _) => before,
                // In C# and Java the brackets are those of the type.
                (None, true) => declaration.rsplit(']').next()?,
                (None, false) => before,
            }
        }
        // The type follows a colon in ActionScript; names of C++ have two of them.
        None => match declaration.split_once(':') {
            Some((before, behind)) if !behind.starts_with(':') => before,
            _ => declaration,
        },
    };
    let name = last_word(declared.trim_end());
    (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())).then(|| name.into())
}

/// Types of numbers in C# and Java, which have no brackets behind the name.
const TYPES: [&str; 8] = ["byte", "sbyte", "short", "ushort", "int", "uint", "long", "ulong"];

/// The identifier that ends a text.
fn last_word(text: &str) -> &str {
    let is_of = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.get(text.trim_end_matches(is_of).len()..).unwrap_or("")
}

/// The bytes of integers as C, C++, Rust, C# and Java write them, separated by commas: each has as many bytes as the largest needs,
/// the least significant one first.
fn literals(body: &str) -> Option<Vec<u8>> {
    if !body.contains(',') {
        return None;
    }
    let items = body.split(',').map(str::trim).filter(|item| !item.is_empty());
    let numbers: Vec<i128> = items.map(literal).collect::<Option<_>>()?;
    let (least, most) = (*numbers.iter().min()?, *numbers.iter().max()?);
    // `signed char` has the same bytes below zero.
    let holds = |size: &usize| least >= -(1 << (8 * size - 1)) && most < 1 << (8 * size);
    let size = [1, 2, 4, 8].into_iter().find(holds)?;
    Some(numbers.iter().flat_map(|number| number.to_le_bytes().into_iter().take(size)).collect())
}

/// The number that a literal is: `0xA0`, `-1`, `160u8`, `4294902272UL`, `(byte)0xA0`.
fn literal(text: &str) -> Option<i128> {
    let text = text
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .map_or(text, |(_, number)| number.trim());
    let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((text, 10), |digits| (digits, 16));
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at_checked(end)?;
    if !suffix.is_empty() && !SUFFIXES.iter().any(|known| known.eq_ignore_ascii_case(suffix)) {
        return None;
    }
    // Longer ones are no integers of these languages.
    let number = i128::from(u64::from_str_radix(digits, radix).ok()?);
    Some(if is_negative { -number } else { number })
}

/// What may follow the digits of an integer in C and in Rust.
pub(super) const SUFFIXES: [&str; 14] =
    ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "u", "l", "ul", "lu", "ll", "ull"];

/// The text with blanks for `//` and `/* */` comments and for what `#if 0` leaves out; its length stays.
pub(super) fn without_comments(text: &str) -> String {
    fn blank(out: &mut [u8], from: usize, to: usize) {
        let part = out.get_mut(from..to).unwrap_or_default();
        part.iter_mut().filter(|byte| !matches!(**byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
    let mut out = text.as_bytes().to_vec();
    let (mut at, mut left_out) = (0, false);
    if text.contains("#if 0") {
        for line in text.split_inclusive('\n') {
            let word = line.trim();
            left_out |= word == "#if 0";
            if left_out {
                blank(&mut out, at, at + line.len());
            }
            left_out &= !matches!(word, "#endif" | "#else");
            at += line.len();
        }
    }
    let text = String::from_utf8(out.clone()).unwrap_or_default();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('/')) {
        let start = at + found;
        let tail = text.get(start..).unwrap_or("");
        let len = if tail.starts_with("//") {
            tail.find('\n').unwrap_or(tail.len())
        } else if tail.starts_with("/*") {
            tail.find("*/").map_or(tail.len(), |n| n + 2)
        } else {
            at = start + 1;
            continue;
        };
        blank(&mut out, start, start + len);
        at = start + len;
    }
    // Whole characters were replaced, by ASCII.
    String::from_utf8(out).unwrap_or_default()
}

/// The arrays of a C, Rust or ActionScript source that hold programs: each from its declaration to its closing brace.
pub(super) fn arrays(text: &str, isa: Option<Isa>) -> Vec<Span> {
    // Comments have brackets as well, and so has the listing that a compiler writes in front of an array.
    let plain = without_comments(text);
    let bytes = plain.as_bytes();
    let mut out = Vec::new();
    // No bracket is closed behind this place: looking for one each time would take long.
    let last_close = plain.rfind(']').unwrap_or(0);
    // The beginning of the declaration, whether it has had its `=`, and the brackets that are open after that.
    let (mut start, mut assigned, mut depth, mut at) = (0, false, 0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'=' if depth == 0 => assigned = true,
            b'{' | b'[' if assigned => depth += 1,
            // The length in Rust's `[u8; 7]`.
            b'[' if at < last_close => {
                at += plain.get(at..).and_then(|rest| rest.find(']')).map_or(0, |end| end + 1);
            }
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                // The type in C#'s `= new byte[] {` comes in front of what it holds.
                let typed =
                    byte == b']' && plain.get(at..).is_some_and(|rest| rest.trim_start().starts_with('{'));
                if depth == 0 && !typed {
                    out.push(Span::new(start, at));
                    (start, assigned) = (at, false);
                }
            }
            b';' if depth == 0 => (start, assigned) = (at, false),
            _ => {}
        }
    }
    let is_program = |place: &Span| {
        let array = text.get(place.start as usize..place.end as usize).unwrap_or("");
        read_hex(array, isa).is_ok_and(|bytes| isa.is_some() || is_bytecode(&bytes))
    };
    out.retain(is_program);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_read_in_every_usual_notation() {
        let bytes = Ok(vec![0xa0, 0x01, 0x00]);
        for text in [
            "a00100",
            "A0 01 00\n",
            "0xa0, 0x1, 0x0",
            "static const unsigned char p[3] = {\n  0xA0, 0x01, // the version\n  0x00 /* and */ };\n",
            "pub const P: [u8; 3] = [0xa0, 0x01, 0x00];",
            "static const unsigned char p[] = { 160, 1, 0, };",
            "const p:Vector.<uint> = new <uint>[0xa0, 0x01, 0x00];",
            "[160, 1, 0]",
            "#if 0\n//\n// Parameters: a = {1}\n    ps_2_0\n#endif\n\nconst BYTE g_main[] =\n{\n    160,   1, 0\n};\n",
        ] {
            assert_eq!(read_hex(text, None), bytes, "{text}");
        }
        assert!(read_hex("a0 1", None).is_err());
        assert!(read_hex("mov", None).is_err());
        assert!(read_hex("/* nothing */", None).is_err());
    }

    /// `ps_2_0`, `mov oC0, c0` and the end, by the token format: 0xFFFF0200, 0x02000001, 0x800F0800, 0xA0E40000, 0x0000FFFF. In every
    /// element, size and base that sources have.
    #[test]
    #[cfg(feature = "d3d9")]
    fn elements_have_the_size_that_their_numbers_need() {
        let words = [0xFFFF_0200u32, 0x0200_0001, 0x800F_0800, 0xA0E4_0000, 0x0000_FFFF];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let halves: Vec<u16> = words.iter().flat_map(|word| [*word as u16, (*word >> 16) as u16]).collect();
        let list = |items: Vec<String>| items.join(", ");
        let each = |write: &dyn Fn(u32) -> String| list(words.iter().map(|word| write(*word)).collect());
        let half = |write: &dyn Fn(u16) -> String| list(halves.iter().map(|half| write(*half)).collect());
        let byte = |write: &dyn Fn(u8) -> String| list(bytes.iter().map(|byte| write(*byte)).collect());
        for body in [
            each(&|word| format!("{word}")),
            each(&|word| format!("{word}u")),
            each(&|word| format!("{word}UL")),
            each(&|word| format!("{}", word as i32)),
            each(&|word| format!("{word:#x}u32")),
            half(&|half| format!("{half}")),
            half(&|half| format!("{}", half as i16)),
            half(&|half| format!("{half:#06x}")),
            half(&|half| format!("{half:#x}u16")),
            byte(&|byte| format!("{byte}u8")),
            byte(&|byte| format!("{byte:#04x}u8")),
            byte(&|byte| format!("{}i8", byte as i8)),
            byte(&|byte| format!("(byte)0x{byte:02X}")),
            byte(&|byte| format!("(byte) {}", byte as i8)),
            // Two words of a 64-bit number, and half of one.
            list(
                [[words[0], words[1]], [words[2], words[3]], [words[4], 0]]
                    .map(|two| format!("{:#x}ull", u64::from(two[0]) | u64::from(two[1]) << 32))
                    .to_vec(),
            ),
        ] {
            for text in [format!("const T a[] = {{ {body} }};"), format!("const A: &[T] = &[{body}];")] {
                let read = read_hex(&text, None).unwrap();
                let padded =
                    if body.contains("ull") { [&bytes[..], &[0; 4]].concat() } else { bytes.clone() };
                assert_eq!(read, padded, "{text}");
                assert_eq!(arrays(&format!("int n[] = {{ 1, 2 }};\n{text}"), None).len(), 1, "{text}");
            }
        }
        // What is no integer is no list of them.
        for body in ["1.5, 2", "1, FOO", "1, 0x1g", "1, 99999999999999999999", "1u7, 2"] {
            assert_eq!(literals(body), None, "{body}");
        }
    }

    #[test]
    #[cfg(feature = "nv2a")]
    fn words_are_read_as_their_instruction_set_has_them() {
        let words = "uint32_t K[2][2] = { {0x0, 0x0020001b}, {0x0836106c, 0x2070f800} };";
        assert_eq!(read_hex(words, Some(Isa::Nv2a)).map(|bytes| bytes.len()), Ok(16));
    }

    #[test]
    fn dumps_with_offsets_are_read() {
        let bytes: Vec<u8> = (0xa0..0xb2).collect();
        for text in [
            "00000000: a0a1 a2a3 a4a5 a6a7 a8a9 aaab acad aeaf  ................\n00000010: b0b1                                     ..\n",
            "00000000  a0 a1 a2 a3 a4 a5 a6 a7  a8 a9 aa ab ac ad ae af  |................|\n00000010  b0 b1                                             |..|\n00000012\n",
            "000100 a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 aa ab ac ad ae af\n000110 b0 b1\n000112\n",
        ] {
            assert_eq!(read_hex(text, None), Ok(bytes.clone()), "{text}");
        }
        let zeros = "00000000  00 00  |..|\n*\n00000006  01  |.|\n";
        assert_eq!(read_dump(zeros), Some(vec![0, 0, 0, 0, 0, 0, 1]));
        // An offset that is not the next one, and one that asks for too much.
        assert_eq!(read_dump("00000000: a0a1  ..\n00000003: a2  .\n"), None);
        assert_eq!(read_dump("00000000  00  |.|\n*\n7fffffff  01  |.|\n"), None);
        assert_eq!(read_dump("a0010000 00a10100\n00000000 0000\n"), None);
    }

    #[test]
    fn arrays_have_the_names_of_their_variables() {
        for (text, name) in [
            ("const DWORD g_ps[] =\n{ 1, 2 }", "g_ps"),
            ("\n#include <x>\n/* a = {1} */ static const unsigned char p[2][3] = {", "p"),
            ("const B: [u8; 7] = [", "B"),
            ("static readonly byte[] A = new byte[] {", "A"),
            ("const p:Vector.<uint> = new <uint>[", "p"),
            ("const std::array<uint8_t, 3> code = {", "code"),
            ("class S { public: static constexpr BYTE A[] = {", "A"),
            ("const unsigned char A[] PROGMEM = {", "A"),
            ("int A[] = {", "A"),
        ] {
            assert_eq!(variable(text).as_deref(), Some(name), "{text}");
        }
        assert_eq!(variable("{ 1, 2 }"), None);
        assert_eq!(variable(" = { 1 }"), None);
    }

    #[test]
    fn base64_is_read_in_lines() {
        assert_eq!(read_base64("data:application/octet-stream;base64,oAEA\n"), Some(vec![0xa0, 0x01, 0x00]));
        assert_eq!(read_base64("oA\nEA\n"), Some(vec![0xa0, 0x01, 0x00]));
        assert_eq!(read_base64("mov oc, v0"), None);
        assert_eq!(read_base64(""), None);
    }

    #[test]
    #[cfg(all(feature = "agal", feature = "d3d9"))]
    fn arrays_are_found_where_they_hold_programs() {
        // A header of AGAL, and an instruction of zeros.
        let program = format!("0xa0, 0x1, 0x0, 0x0, 0x0, 0xa1, 0x1{}", ", 0x0".repeat(24));
        let text = format!(
            "#include <a.h>\n/* x = {{1}} */ const uint8_t A[2] = {{ {program} }};\nstatic int n[] = {{ 1, 2 }};\n\
             // = {{\nconst B: [u8; 7] = [{program}];\n"
        );
        let found = arrays(&text, None);
        let found: Vec<&str> =
            found.iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("A[2]") && found[1].contains("B: [u8"), "{found:?}");
        // C#, and the headers that fxc writes.
        let sharp = format!(
            "static readonly byte[] A = new byte[] {{ {program} }};\nbyte[] B = new byte[31] {{ {program} }};\n"
        );
        assert_eq!(arrays(&sharp, None).len(), 2);
        let stream = "254, -1, -2, -1, -1, -1, 0, 0".replace("254, -1, -2, -1", "0, 2, -2, -1");
        let header =
            format!("#if 0\n  vs_2_0 ; x = {{\n#endif\nconst signed char g_vs20_main[] =\n{{ {stream} }};\n");
        assert_eq!(arrays(&format!("{header}{header}"), None).len(), 2);
    }
}
