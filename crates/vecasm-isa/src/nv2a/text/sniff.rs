//! What a text begins with.

use super::{vsh, xemu};
use crate::nv2a::table;
use crate::text::Comments;
use crate::text::enclosed::code_of;

/// Most lines that are looked at.
pub(super) const MAX_LINES: usize = 1000;

/// The comments of all dialects; in NV_vertex_program `;` ends a statement.
pub(super) const COMMENTS: Comments = Comments { marks: &[";", "//", "#"], ..Comments::ASSEMBLER };

/// Where the first word stands that is no comment of any of the dialects; the end of the text if there is none.
pub(super) fn first_word(text: &str) -> usize {
    let mut rest = text.trim_start_matches('\u{feff}');
    for _ in 0..MAX_LINES {
        rest = rest.trim_start();
        let Some(comment) = COMMENTS.at(rest.as_bytes()) else { break };
        rest = rest.get(comment.len..).unwrap_or("");
    }
    text.len() - rest.len()
}

/// Whether `text` looks like the language of nv2a-vsh: what stands first besides comments is the directive `.nv2a`, the
/// declaration of a uniform, a macro, or a mnemonic behind which a register stands that can be written.
pub(super) fn is_vsh(text: &str) -> bool {
    let mut in_comment = false;
    for line in text.split(['\n', '\r']).take(MAX_LINES) {
        let mut line = line.trim_start_matches('\u{feff}').trim_start();
        loop {
            if in_comment {
                let Some(end) = line.find("*/") else { break };
                line = line.get(end + 2..).unwrap_or("").trim_start();
                in_comment = false;
            }
            if !line.starts_with("/*") {
                break;
            }
            line = line.get(2..).unwrap_or("");
            in_comment = true;
        }
        let line = code_of(line, &Comments::ASSEMBLER).trim();
        if in_comment || line.is_empty() {
            continue;
        }
        let mut words = line.split_whitespace();
        let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        return match first.as_bytes().first() {
            Some(b'.') => first == ".nv2a",
            Some(b'#') => matches!(second, "vector" | "VECTOR" | "matrix4" | "MATRIX4"),
            Some(b'%') => ["%matmul4x4", "%norm3"].iter().any(|name| first.eq_ignore_ascii_case(name)),
            _ => vsh::mnemonic(first).is_some() && is_destination(second) && !xemu::is_dump(line),
        };
    }
    false
}

/// Whether a word begins with a register that can be written.
pub(super) fn is_destination(word: &str) -> bool {
    let name = word.split(['.', ',', '[']).next().unwrap_or("");
    let numbered = |prefixes: [char; 2], last: u32| {
        let digits = name.strip_prefix(prefixes);
        digits.is_some_and(|d| d.parse().is_ok_and(|n: u32| n <= last))
    };
    numbered(['r', 'R'], table::TEMPORARIES - 1)
        || numbered(['c', 'C'], table::CONSTANTS - 1)
        || name.eq_ignore_ascii_case("c") && word.contains('[')
        || name.eq_ignore_ascii_case("a0")
        || word.starts_with('#')
        || table::OUTPUTS.iter().any(|named| named.short == name || named.long == name)
}
