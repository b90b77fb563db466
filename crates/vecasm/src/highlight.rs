//! Classes of words for colouring: of assembly, and of texts that programs are translated to.
//!
//! Texts are cut into pieces by their words alone, so that a text with errors has colours, too. The pieces together are the
//! text.

use crate::isa::Isa;
#[cfg(feature = "tgsi")]
use crate::isa::tgsi::names::File;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

/// The class of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// Nothing of the others: blanks, commas, names.
    Plain,
    /// A mnemonic; in code the name of a function that is called.
    Opcode,
    /// A register.
    Register,
    /// A swizzle or a write mask; in code an attribute, or a value of the IR.
    Suffix,
    /// A number.
    Number,
    /// An option of a sampler; in code a type.
    Option,
    /// A directive or declaration; in code a keyword.
    Directive,
    /// A comment.
    Comment,
}

impl Class {
    /// Every class.
    pub const ALL: &'static [Self] = &[
        Self::Plain,
        Self::Opcode,
        Self::Register,
        Self::Suffix,
        Self::Number,
        Self::Option,
        Self::Directive,
        Self::Comment,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Opcode => "opcode",
            Self::Register => "register",
            Self::Suffix => "suffix",
            Self::Number => "number",
            Self::Option => "option",
            Self::Directive => "directive",
            Self::Comment => "comment",
        }
    }

    /// The ANSI sequence that switches to its colour; `ESC [ 0 m` ends it.
    pub const fn ansi(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Opcode => "\x1b[1;34m",
            Self::Register => "\x1b[36m",
            Self::Suffix => "\x1b[33m",
            Self::Number => "\x1b[35m",
            Self::Option => "\x1b[32m",
            Self::Directive => "\x1b[1;35m",
            Self::Comment => "\x1b[2m",
        }
    }
}

vecasm_ir::spelled!(Class, "class of words");

/// What begins a line of TGSI that is no instruction.
const DECLARING: [&str; 3] = ["DCL", "IMM", "PROPERTY"];

/// Cuts assembly into pieces with their classes. Together they are the text.
///
/// ```
/// # #[cfg(feature = "agal")] {
/// use vecasm::highlight::{Class, pieces};
/// use vecasm::isa::Isa;
///
/// assert_eq!(pieces(Isa::Agal, "mov ft0.xy")[0], (Class::Opcode, "mov"));
/// # }
/// ```
pub fn pieces(isa: Isa, text: &str) -> Vec<(Class, &str)> {
    let opcodes: BTreeSet<&str> = isa.instructions().iter().map(|row| row.name).collect();
    let mut out = Vec::new();
    // These have both kinds of comment to the end of a line.
    let semicolon = matches!(isa.name(), "nv2a" | "d3d9");
    for line in text.split_inclusive('\n') {
        let comment = [line.find("//"), line.find(';').filter(|_| semicolon)];
        let comment = comment.into_iter().flatten().min().unwrap_or(line.len());
        line_pieces(&opcodes, line, comment, &mut out);
    }
    out
}

fn line_pieces<'a>(opcodes: &BTreeSet<&str>, line: &'a str, comment: usize, out: &mut Vec<(Class, &'a str)>) {
    let mut in_options = false;
    cut(line, comment, out, |rest, first| {
        let word = |s: &str, extra: &str| {
            s.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || extra.contains(c))).unwrap_or(s.len())
        };
        match first {
            '<' => {
                in_options = true;
                (Class::Plain, 1)
            }
            '>' => {
                in_options = false;
                (Class::Plain, 1)
            }
            _ if in_options && (first.is_ascii_alphanumeric() || "+-.".contains(first)) => {
                let len = word(rest, "+-.");
                let number = rest[..len].parse::<f32>().is_ok();
                (if number { Class::Number } else { Class::Option }, len)
            }
            '.' => {
                let len = 1 + word(&rest[1..], "");
                let lanes = rest[1..len].chars().all(|c| "xyzwrgba".contains(c));
                (if lanes && len > 1 { Class::Suffix } else { Class::Directive }, len)
            }
            _ if first.is_ascii_digit() => (Class::Number, word(rest, "")),
            _ if first.is_ascii_alphabetic() => {
                let len = word(rest, "");
                // The suffixes of TGSI.
                let name = rest[..len].trim_end_matches("_PRECISE").trim_end_matches("_SAT");
                let class = if opcodes.contains(name) {
                    Class::Opcode
                } else if DECLARING.contains(&name) {
                    Class::Directive
                } else if rest[..len].ends_with(|c: char| c.is_ascii_digit())
                    || len <= 3
                    || rest[len..].starts_with('[') && is_file(name)
                {
                    Class::Register
                } else {
                    Class::Plain
                };
                (class, len)
            }
            _ => {
                let stops = |c: char| c.is_ascii_alphanumeric() || "<>.".contains(c);
                (Class::Plain, rest.find(stops).unwrap_or(rest.len()).max(first.len_utf8()))
            }
        }
    });
}

/// Cuts a line with a comment from there on into pieces; `next` gives the class and the length of the piece that a text of code
/// begins with, and is given its first character, too.
fn cut<'a>(
    line: &'a str,
    comment: usize,
    out: &mut Vec<(Class, &'a str)>,
    mut next: impl FnMut(&'a str, char) -> (Class, usize),
) {
    let (mut rest, comment) = line.split_at(comment);
    while let Some(first) = rest.chars().next() {
        let (class, len) = next(rest, first);
        let (piece, tail) = rest.split_at(len);
        out.push((class, piece));
        rest = tail;
    }
    if !comment.is_empty() {
        out.push((Class::Comment, comment));
    }
}

/// Whether a word names registers of TGSI.
fn is_file(name: &str) -> bool {
    #[cfg(feature = "tgsi")]
    return File::named(name).is_some();
    #[cfg(not(feature = "tgsi"))]
    {
        let _ = name;
        false
    }
}

/// The words of a language that [`code_pieces`] tells apart.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    keywords: &'static [&'static str],
    types: &'static [&'static str],
    /// Starts a name of its own kind: an attribute of WGSL, a value of the IR.
    sigil: char,
}

/// WGSL, as the emitter writes it.
pub const WGSL: Words = Words {
    keywords: &[
        "struct",
        "var",
        "let",
        "const",
        "fn",
        "return",
        "if",
        "else",
        "loop",
        "break",
        "continue",
        "switch",
        "discard",
        "diagnostic",
        "off",
        "true",
        "false",
        "continuing",
        "override",
    ],
    types: &[
        "f32",
        "i32",
        "u32",
        "bool",
        "vec2f",
        "vec3f",
        "vec4f",
        "vec2u",
        "vec3u",
        "vec4u",
        "vec2i",
        "vec3i",
        "vec4i",
        "vec2",
        "vec3",
        "vec4",
        "array",
        "sampler",
        "texture_2d",
        "texture_3d",
        "texture_cube",
    ],
    sigil: '@',
};

/// The text form of the IR.
pub const IR: Words = Words {
    keywords: &[
        "input", "output", "param", "texture", "store", "if", "else", "yield", "block", "loop", "leave",
        "again", "files", "step", "home",
    ],
    types: &[
        "f32", "f32x2", "f32x3", "f32x4", "bool", "boolx2", "boolx3", "boolx4", "i32", "u32", "i32x4",
        "u32x4",
    ],
    sigil: '%',
};

/// Cuts a text with C-like words into pieces with their classes. Together they are the text.
pub fn code_pieces<'a>(words: &Words, text: &'a str) -> Vec<(Class, &'a str)> {
    let mut out = Vec::new();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let word = |s: &str| s.find(|c: char| !is_word(c)).unwrap_or(s.len());
    for line in text.split_inclusive('\n') {
        let comment = line.find("//").unwrap_or(line.len());
        cut(line, comment, &mut out, |rest, first| {
            if first == words.sigil {
                (Class::Suffix, 1 + word(&rest[1..]))
            } else if first.is_ascii_digit() {
                let len = rest.find(|c: char| !is_word(c) && c != '.').unwrap_or(rest.len());
                (Class::Number, len)
            } else if is_word(first) {
                let len = word(rest);
                let name = &rest[..len];
                let class = if words.keywords.contains(&name) {
                    Class::Directive
                } else if words.types.contains(&name) {
                    Class::Option
                } else if rest[len..].starts_with('(') {
                    Class::Opcode
                } else {
                    Class::Plain
                };
                (class, len)
            } else {
                let stops = |c: char| is_word(c) || c == words.sigil;
                (Class::Plain, rest.find(stops).unwrap_or(rest.len()).max(first.len_utf8()))
            }
        });
    }
    out
}

/// Assembly with ANSI colours.
pub fn ansi(isa: Isa, text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for (class, piece) in pieces(isa, text) {
        if class == Class::Plain {
            out.push_str(piece);
        } else {
            out.push_str(class.ansi());
            out.push_str(piece);
            out.push_str("\x1b[0m");
        }
    }
    out
}

#[cfg(all(test, feature = "agal"))]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_are_the_text() {
        let text = "tex ft0, v0.xy, fs1 <2d, linear, -1.5> // note\n.raw é 12\r\n mov op, vc[va0.x+5]";
        let all: String = pieces(Isa::Agal, text).into_iter().map(|(_, piece)| piece).collect();
        assert_eq!(all, text);
    }

    #[test]
    fn the_pieces_of_code_are_the_text() {
        let text = "@group(0) var x: vec4f; // é\n%1 = mul %0.xyz 1.5\n";
        for words in [WGSL, IR] {
            let all: String = code_pieces(&words, text).into_iter().map(|(_, piece)| piece).collect();
            assert_eq!(all, text);
        }
    }

    #[test]
    fn an_instruction_is_cut_into_its_parts() {
        let found = pieces(Isa::Agal, "mov ft0.xy, v1");
        let classes: Vec<_> = found.into_iter().filter(|(class, _)| *class != Class::Plain).collect();
        assert_eq!(
            classes,
            [
                (Class::Opcode, "mov"),
                (Class::Register, "ft0"),
                (Class::Suffix, ".xy"),
                (Class::Register, "v1")
            ]
        );
    }
}
