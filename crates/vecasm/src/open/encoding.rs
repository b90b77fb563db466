//! Texts in other encodings: Windows writes UTF-16 (PowerShell's `>`), and UTF-8 with a byte order mark. Other tools write
//! UTF-16 without one.

use crate::isa;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// How a text is written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 with a mark.
    Utf8,
    /// UTF-16, least significant byte first.
    Utf16Le,
    /// UTF-16, most significant byte first.
    Utf16Be,
    /// UTF-16 without a mark, least significant byte first.
    BareLe,
    /// UTF-16 without a mark, most significant byte first.
    BareBe,
}

impl Encoding {
    const MARKED: [Self; 3] = [Self::Utf8, Self::Utf16Le, Self::Utf16Be];
    const BARE: [Self; 2] = [Self::BareLe, Self::BareBe];

    /// The mark.
    const fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf8 => b"\xef\xbb\xbf",
            Self::Utf16Le => b"\xff\xfe",
            Self::Utf16Be => b"\xfe\xff",
            Self::BareLe | Self::BareBe => b"",
        }
    }

    /// The bytes of a text, with the mark if it has one.
    pub fn encode(self, text: &str) -> Vec<u8> {
        let mut out = self.mark().to_vec();
        match self {
            Self::Utf8 => out.extend_from_slice(text.as_bytes()),
            Self::Utf16Le | Self::BareLe => out.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            Self::Utf16Be | Self::BareBe => out.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
        }
        out
    }
}

/// A text that is not plain UTF-8 as that, and how it is written; `None` if it is plain, or no text: there are binaries that
/// begin with a mark. Without a mark it is UTF-16 only where nearly all is ASCII, which no bytecode looks like.
pub(super) fn decode(bytes: &[u8]) -> Option<(Encoding, String)> {
    let marked = |it: Encoding| Some((it, bytes.strip_prefix(it.mark())?));
    if let Some((encoding, rest)) = Encoding::MARKED.into_iter().find_map(marked) {
        let text = match encoding {
            Encoding::Utf8 => return String::from_utf8(rest.to_vec()).ok().map(|text| (encoding, text)),
            Encoding::Utf16Le => units(rest, u16::from_le_bytes),
            _ => units(rest, u16::from_be_bytes),
        };
        return text.filter(|text| is_text(text, 50)).map(|text| (encoding, text));
    }
    // A text of ASCII has a zero in every other byte.
    let zeros = |odd: usize| bytes.iter().skip(odd).step_by(2).take(64).filter(|byte| **byte == 0).count();
    let some = bytes.len() / 2;
    Encoding::BARE.into_iter().find_map(|encoding| {
        let (word, odd): (fn([u8; 2]) -> u16, usize) = match encoding {
            Encoding::BareLe => (u16::from_le_bytes, 1),
            _ => (u16::from_be_bytes, 0),
        };
        let likely = some >= 4 && 10 * zeros(odd) >= 9 * some.min(64);
        let text = likely.then(|| units(bytes, word)).flatten()?;
        is_text(&text, 90).then_some((encoding, text))
    })
}

/// A text without the colours of the terminal that it was copied from.
pub(super) fn uncoloured(bytes: Vec<u8>) -> Vec<u8> {
    const ESCAPE: u8 = 0x1b;
    if !bytes.contains(&ESCAPE) || !isa::is_text(&bytes) {
        return bytes;
    }
    match core::str::from_utf8(&bytes).map(isa::without_escapes) {
        Ok(Cow::Owned(text)) => text.into_bytes(),
        Ok(Cow::Borrowed(_)) | Err(_) => bytes,
    }
}

/// The text of units of UTF-16.
fn units(bytes: &[u8], word: fn([u8; 2]) -> u16) -> Option<String> {
    let pairs = bytes.chunks_exact(2);
    let whole = pairs.remainder().is_empty();
    let units = pairs.map(|pair| word([pair[0], pair[1]]));
    whole.then(|| char::decode_utf16(units).collect::<Result<String, _>>().ok()).flatten()
}

/// Whether nothing but text is in it, and that percentage of it in ASCII.
fn is_text(text: &str, percent: usize) -> bool {
    let plain = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\x0b' | '\x0c' | '\x1b');
    let ascii = text.chars().filter(char::is_ascii).count();
    text.chars().all(plain) && 100 * ascii >= percent * text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_and_binaries_are_left() {
        for encoding in Encoding::MARKED.into_iter().chain(Encoding::BARE) {
            let text = "mov oc, v0\r\n// süß 🎨\nmul oc, v0, fc0\r\n";
            assert_eq!(decode(&encoding.encode(text)), Some((encoding, text.to_string())));
        }
        // Numbers of bytecode that are all small, and a text in UTF-8.
        assert_eq!(decode(&[1, 0, 2, 0, 3, 0, 4, 0, 5, 0]), None);
        assert_eq!(decode(&[0; 64]), None);
        assert_eq!(decode(b"m\0o\0v\0"), None);
        // A token stream of Direct3D with the most significant byte first: ps_2_0, then def c0.
        assert_eq!(decode(b"\xff\xff\x02\x00\x05\x00\x00\x51"), None);
        assert_eq!(decode(b"\xff\xfe\x02\x00\x05\x00\x00\x51"), None);
        assert_eq!(decode(b"\xff\xfem"), None);
        assert_eq!(decode(b"mov oc, v0"), None);
    }
}
