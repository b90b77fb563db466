//! Laying lines of assembler languages out anew.

use alloc::string::String;

/// The comments of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comments {
    /// `;` and `//` to the end of the line, `/* */`.
    #[cfg_attr(not(feature = "nv2a"), allow(dead_code, reason = "of the NV2A"))]
    Assembler,
    /// Those of [`Assembler`](Self::Assembler), in texts of Direct3D.
    #[cfg_attr(not(feature = "d3d9"), allow(dead_code, reason = "of Direct3D"))]
    Direct3d,
    /// `#` to the end of the line; `;` ends statements.
    #[cfg_attr(not(feature = "nv2a"), allow(dead_code, reason = "of NV_vertex_program"))]
    Hash,
}

/// Appends one line, laid out, and gives what is behind it. A comment that has several lines belongs to the one it
/// begins on. Blanks between words become one, there is none in front of a comma and one behind it, and two in front of a
/// comment behind words.
pub(crate) fn take_line<'a>(text: &'a str, comments: Comments, out: &mut String) -> &'a str {
    let mut rest = text;
    // Whether a blank stands between what is out and what comes.
    let mut gap = false;
    while let Some(c) = rest.chars().next() {
        if matches!(c, '\n' | '\r') {
            // One line end may be two characters.
            return rest.strip_prefix("\r\n").unwrap_or(&rest[1..]);
        }
        let hash = comments == Comments::Hash;
        let comment = match c {
            '#' if hash => rest.find(['\n', '\r']).or(Some(rest.len())),
            _ if hash => None,
            ';' => rest.find(['\n', '\r']).or(Some(rest.len())),
            '/' if rest.starts_with("//") => rest.find(['\n', '\r']).or(Some(rest.len())),
            '/' if rest.starts_with("/*") => {
                rest.get(2..).and_then(|r| r.find("*/")).map(|n| n + 4).or(Some(rest.len()))
            }
            _ => None,
        };
        if let Some(end) = comment {
            let (comment, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            if !out.is_empty() {
                out.push_str("  ");
            }
            out.push_str(comment.trim_end());
            rest = behind;
            gap = true;
            continue;
        }
        rest = rest.get(c.len_utf8()..).unwrap_or("");
        match c {
            // In Direct3D's texts a byte order mark separates words.
            '\u{feff}' if comments != Comments::Direct3d => {}
            ' ' | '\t' | '\x0b' | '\x0c' => gap = true,
            ',' | ';' => {
                out.push(c);
                gap = true;
            }
            c => {
                if gap && !out.is_empty() {
                    out.push(' ');
                }
                gap = false;
                out.push(c);
            }
        }
    }
    rest
}
