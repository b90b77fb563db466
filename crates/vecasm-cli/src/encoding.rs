//! Texts with a byte order mark: Windows writes UTF-16 (PowerShell's `>`), and UTF-8 with a mark.

/// How a text is written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// UTF-8 with a mark.
    Utf8,
    /// UTF-16, least significant byte first.
    Utf16Le,
    /// UTF-16, most significant byte first.
    Utf16Be,
}

impl Encoding {
    const ALL: [Self; 3] = [Self::Utf8, Self::Utf16Le, Self::Utf16Be];

    /// The mark.
    const fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf8 => b"\xef\xbb\xbf",
            Self::Utf16Le => b"\xff\xfe",
            Self::Utf16Be => b"\xfe\xff",
        }
    }

    /// The bytes of a text, with the mark.
    pub(crate) fn encode(self, text: &str) -> Vec<u8> {
        let mut out = self.mark().to_vec();
        match self {
            Self::Utf8 => out.extend_from_slice(text.as_bytes()),
            Self::Utf16Le => out.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            Self::Utf16Be => out.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
        }
        out
    }
}

/// A text with a mark as UTF-8 without one, and how it is written; `None` if there is no mark, or something behind it that
/// is no text: there are binaries that begin so.
pub(crate) fn decode(bytes: &[u8]) -> Option<(Encoding, String)> {
    let (encoding, rest) =
        Encoding::ALL.into_iter().find_map(|it| Some((it, bytes.strip_prefix(it.mark())?)))?;
    let units = |word: fn([u8; 2]) -> u16| {
        let pairs = rest.chunks_exact(2);
        let whole = pairs.remainder().is_empty();
        let units = pairs.map(|pair| word([pair[0], pair[1]]));
        whole.then(|| char::decode_utf16(units).collect::<Result<String, _>>().ok()).flatten()
    };
    let text = match encoding {
        Encoding::Utf8 => String::from_utf8(rest.to_vec()).ok(),
        Encoding::Utf16Le => units(u16::from_le_bytes),
        Encoding::Utf16Be => units(u16::from_be_bytes),
    }?;
    let plain = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\x0b' | '\x0c' | '\x1b');
    let ascii = text.chars().filter(char::is_ascii).count();
    let is_text = encoding == Encoding::Utf8 || text.chars().all(plain) && 2 * ascii >= text.chars().count();
    is_text.then_some((encoding, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_and_binaries_are_left() {
        for encoding in Encoding::ALL {
            let text = "mov oc, v0\r\n// süß 🎨\n";
            assert_eq!(decode(&encoding.encode(text)), Some((encoding, text.to_string())));
        }
        // A token stream of Direct3D with the most significant byte first: ps_2_0, then def c0.
        assert_eq!(decode(b"\xff\xff\x02\x00\x05\x00\x00\x51"), None);
        assert_eq!(decode(b"\xff\xfe\x02\x00\x05\x00\x00\x51"), None);
        assert_eq!(decode(b"\xff\xfem"), None);
        assert_eq!(decode(b"mov oc, v0"), None);
    }
}
