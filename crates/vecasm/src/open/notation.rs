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
/// source. An array without any `0x` whose elements are separated by commas is decimal, as it is in those languages.
///
/// # Errors
///
/// A sentence that says why the text is no list of digits.
pub fn read_hex(text: &str, isa: Option<Isa>) -> Result<Vec<u8>, String> {
    let text = without_comments(text);
    let body = array_body(&text).unwrap_or(&text);
    if body.len() < text.len() && !body.contains("0x") && !body.contains("0X") {
        if let Some(bytes) = decimal_list(body) {
            return Ok(bytes);
        }
    }
    let isa = isa.or_else(|| match isa::sniff(body.as_bytes()) {
        Some(isa::Content::Hex(isa)) => Some(isa),
        _ => None,
    });
    // Words in an array of arrays are told apart from what is around them by who reads words.
    let whole = isa.and_then(|isa| isa.read_hex(&text));
    let bytes = whole.or_else(|| isa?.read_hex(body)).or_else(|| isa::parse_hex(body));
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

/// Bytes written as base64, in lines of any length.
pub fn read_base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    STANDARD.decode(digits).ok().filter(|bytes| !bytes.is_empty())
}

/// The bytes of the array in a source of C, if there is one.
pub(super) fn read_array(text: &str, isa: Option<Isa>) -> Option<Vec<u8>> {
    array_body(&without_comments(text))?;
    read_hex(text, isa).ok()
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

fn decimal_list(body: &str) -> Option<Vec<u8>> {
    if !body.contains(',') {
        return None;
    }
    let items = body.split(',').map(str::trim).filter(|item| !item.is_empty());
    // `signed char` has the same bytes below zero.
    items.map(|item| item.parse().ok().or_else(|| item.parse::<i8>().ok().map(|byte| byte as u8))).collect()
}

/// The text with `//` and `/* */` comments replaced by blanks, and without what `#if 0` leaves out.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut kept = String::new();
    let mut rest = text;
    if text.contains("#if 0") {
        let mut left_out = false;
        for line in text.lines() {
            let word = line.trim();
            left_out |= word == "#if 0";
            if !left_out {
                kept.push_str(line);
            }
            kept.push('\n');
            left_out &= word != "#endif";
        }
        rest = &kept;
    }
    while let Some(start) = rest.find('/') {
        out.push_str(&rest[..start]);
        let tail = &rest[start..];
        let end = if tail.starts_with("//") {
            tail.find('\n').unwrap_or(tail.len())
        } else if tail.starts_with("/*") {
            tail.find("*/").map_or(tail.len(), |n| n + 2)
        } else {
            out.push('/');
            rest = &tail[1..];
            continue;
        };
        out.push(' ');
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}

/// The arrays of a C, Rust or ActionScript source that hold programs: each from its declaration to its closing brace.
pub(super) fn arrays(text: &str, isa: Option<Isa>) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    // The beginning of the declaration, whether it has had its `=`, and the brackets that are open after that.
    let (mut start, mut assigned, mut depth, mut at) = (0, false, 0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        let rest = text.get(at..).unwrap_or("");
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        }
        // The listing that a compiler writes in front of an array.
        if rest.starts_with("#if 0") {
            at += rest.find("#endif").map_or(rest.len(), |end| end + 6);
            continue;
        }
        at += 1;
        match byte {
            b'=' if depth == 0 => assigned = true,
            b'{' | b'[' if assigned => depth += 1,
            // The length in Rust's `[u8; 7]`.
            b'[' => at += text.get(at..).and_then(|rest| rest.find(']')).map_or(0, |end| end + 1),
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                // The type in C#'s `= new byte[] {` comes in front of what it holds.
                let typed =
                    byte == b']' && text.get(at..).is_some_and(|rest| rest.trim_start().starts_with('{'));
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
        read_hex(array, isa)
            .is_ok_and(|bytes| isa.is_some() || matches!(isa::sniff(&bytes), Some(isa::Content::Binary(_))))
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

    #[test]
    #[cfg(feature = "nv2a")]
    fn words_are_read_as_their_instruction_set_has_them() {
        let words = "uint32_t K[2][2] = { {0x0, 0x0020001b}, {0x0836106c, 0x2070f800} };";
        assert_eq!(read_hex(words, Some(Isa::Nv2a)).map(|bytes| bytes.len()), Ok(16));
    }

    #[test]
    fn base64_is_read_in_lines() {
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
