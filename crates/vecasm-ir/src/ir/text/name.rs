//! Names as text: plain words, quoted ones, and numbers where a name is none or belongs to several things.

use crate::ir::{Home, Shader};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// The word for the memory that a workgroup shares, where a buffer could stand.
pub(super) const SHARED: &str = "shared";

/// Whether a character may stand in a word.
pub(super) const fn in_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-')
}

/// Whether a name needs no quotes: a letter or `_`, then letters, digits, `_` and `-`.
fn is_plain(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|c| c.is_ascii_alphabetic() || c == b'_') && bytes.all(in_word)
}

/// Appends a name where it is declared.
pub(super) fn write(out: &mut String, name: &str) {
    if is_plain(name) {
        out.push_str(name);
    } else {
        quote(out, name);
    }
}

fn quote(out: &mut String, name: &str) {
    out.push('"');
    for c in name.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// What a quoted name says; `None` if an escape is none. `text` is what stands between the quotes.
pub(super) fn unquote(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split('\\');
    out.push_str(pieces.next()?);
    while let Some(piece) = pieces.next() {
        let rest = match piece.chars().next() {
            // Two backslashes have nothing between them; what follows the second one is text.
            None => {
                out.push('\\');
                pieces.next()?
            }
            Some(c @ ('n' | 't' | '"')) => {
                out.push(match c {
                    'n' => '\n',
                    't' => '\t',
                    c => c,
                });
                &piece[1..]
            }
            Some('u') => {
                let (digits, rest) = piece.strip_prefix("u{")?.split_once('}')?;
                let plain = (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
                let code = u32::from_str_radix(digits, 16).ok().filter(|_| plain)?;
                out.push(char::from_u32(code)?);
                rest
            }
            Some(_) => return None,
        };
        out.push_str(rest);
    }
    Some(Cow::Owned(out))
}

/// How each thing of a table is referred to: by its name, or as `#number` where that is empty or not its own.
fn references<'a>(names: impl Iterator<Item = &'a str> + Clone, reserved: &str) -> Vec<String> {
    let mut count = BTreeMap::new();
    for name in names.clone() {
        *count.entry(name).or_insert(0u32) += 1;
    }
    let spell = |(i, name): (usize, &'a str)| {
        let mut out = String::new();
        if name.is_empty() || count.get(name) != Some(&1) {
            let _ = write!(out, "#{i}");
        } else if name == reserved {
            quote(&mut out, name);
        } else {
            write(&mut out, name);
        }
        out
    };
    names.enumerate().map(spell).collect()
}

/// How the things in the tables of a shader are referred to.
pub(super) struct Names {
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    pub(super) params: Vec<String>,
    pub(super) locals: Vec<String>,
    pub(super) states: Vec<String>,
    pub(super) textures: Vec<String>,
    pub(super) buffers: Vec<String>,
    pub(super) images: Vec<String>,
    /// Register files; `None` for one that homes cannot name.
    files: Vec<Option<String>>,
}

impl Names {
    pub(super) fn of(shader: &Shader) -> Self {
        macro_rules! list {
            ($table:ident) => {
                references(shader.$table.iter().map(|t| t.name.as_str()), "")
            };
        }
        let file = |(i, name): (usize, &Cow<'static, str>)| {
            let first = shader.files.iter().position(|other| other == name) == Some(i);
            (first && is_file(name)).then(|| name.clone().into_owned())
        };
        Self {
            inputs: list!(inputs),
            outputs: list!(outputs),
            params: list!(params),
            locals: list!(locals),
            states: list!(states),
            textures: list!(textures),
            buffers: references(shader.buffers.iter().map(|b| b.name.as_str()), SHARED),
            images: list!(images),
            // A home holds the number of its file in a byte.
            files: shader.files.iter().enumerate().take(256).map(file).collect(),
        }
    }

    /// A home: the name of its file and the number of the register, or `#file:register`.
    pub(super) fn home(&self, home: Home) -> String {
        let only = home.index == Home::ONLY;
        match self.files.get(usize::from(home.file)) {
            Some(Some(name)) if only => name.clone(),
            Some(Some(name)) => format!("{name}{}", home.index),
            _ if only => format!("#{}", home.file),
            _ => format!("#{}:{}", home.file, home.index),
        }
    }
}

/// Whether the name of a register file is one that a number may follow.
fn is_file(name: &str) -> bool {
    is_plain(name) && !name.ends_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_they_must_be() {
        for (name, text) in [
            ("va0", "va0"),
            ("bump-matrix", "bump-matrix"),
            ("_", "_"),
            ("bump-matrix 1", r#""bump-matrix 1""#),
            ("TEMP(1)", r#""TEMP(1)""#),
            ("SVIEW[2]", r#""SVIEW[2]""#),
            ("0x", r#""0x""#),
            ("", r#""""#),
            ("a\"b\\c\\", r#""a\"b\\c\\""#),
            ("\\n", r#""\\n""#),
            ("a\nb\tc\u{7}", r#""a\nb\tc\u{7}""#),
            ("größe;", r#""größe;""#),
        ] {
            let mut out = String::new();
            write(&mut out, name);
            assert_eq!(out, text);
            if let Some(inner) = out.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
                assert_eq!(unquote(inner).as_deref(), Some(name));
            }
        }
        for bad in [r"\", r"\x", r"\u", r"\u{", r"\u{}", r"\u{d800}", r"\u{+1}", r"\u{1234567}", r"a\\\"] {
            assert_eq!(unquote(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_has_no_name_of_its_own_has_a_number() {
        let names = ["a", "b", "a", "", "shared", "c d"];
        assert_eq!(references(names.into_iter(), SHARED), ["#0", "b", "#2", "#3", "\"shared\"", "\"c d\""]);
    }
}
