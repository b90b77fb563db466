//! Comments: what begins them, and where they end.

/// How a language writes comments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comments {
    /// What begins those that end with their line.
    pub(crate) marks: &'static [&'static str],
    /// Whether there are those from `/*` to `*/`.
    pub(crate) block: bool,
    /// The bytes that end a line.
    pub(crate) line_ends: &'static [u8],
}

/// A comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    /// Its length in bytes, without the end of its line.
    pub(crate) len: usize,
    /// Whether it has its end; one without goes on to the end of the text.
    pub(crate) is_closed: bool,
}

impl Comments {
    /// `;` and `//` to the end of the line, `/* */`: most assemblers.
    pub(crate) const ASSEMBLER: Self = Self { marks: &[";", "//"], block: true, line_ends: b"\n\r" };

    /// `//` to the end of the line, `/* */`: shading languages and effects.
    pub(crate) const SHADING: Self = Self { marks: &["//"], ..Self::ASSEMBLER };

    /// Those of C, whose lines end with line feeds.
    pub(crate) const C: Self = Self { line_ends: b"\n", ..Self::SHADING };

    /// `#` to the end of the line.
    pub(crate) const HASH: Self = Self { marks: &["#"], block: false, ..Self::ASSEMBLER };

    /// Whether a comment may begin with a byte.
    #[inline(always)]
    pub(crate) const fn may_begin_with(&self, byte: u8) -> bool {
        let mut n = 0;
        while n < self.marks.len() {
            if self.marks[n].as_bytes()[0] == byte {
                return true;
            }
            n += 1;
        }
        self.block && byte == b'/'
    }

    /// The comment that a text begins with.
    pub(crate) fn at(&self, text: &[u8]) -> Option<Comment> {
        if self.block && text.starts_with(b"/*") {
            let end = text.windows(2).skip(2).position(|pair| pair == b"*/");
            return Some(Comment { len: end.map_or(text.len(), |n| n + 4), is_closed: end.is_some() });
        }
        if !self.marks.iter().any(|mark| text.starts_with(mark.as_bytes())) {
            return None;
        }
        let end = text.iter().position(|byte| self.line_ends.contains(byte));
        Some(Comment { len: end.unwrap_or(text.len()), is_closed: true })
    }

    /// Where the first comment of a text begins.
    pub(crate) fn first(&self, text: &str) -> Option<usize> {
        let text = text.as_bytes();
        let begins = |rest: &[u8]| {
            self.marks.iter().any(|mark| rest.starts_with(mark.as_bytes()))
                || self.block && rest.starts_with(b"/*")
        };
        // Most lines of most texts have none.
        (0..text.len()).find(|&at| self.may_begin_with(text[at]) && begins(&text[at..]))
    }

    /// Whether a `/* */` is open at the end of a line, if one is at its beginning or not. Behind the mark of a comment that
    /// ends with the line none begins.
    pub(crate) fn is_open_behind(&self, line: &str, mut open: bool) -> bool {
        if !self.block {
            return false;
        }
        let mut rest = line;
        loop {
            let at = if open {
                rest.find("*/")
            } else {
                let end = self.marks.iter().filter_map(|mark| rest.find(mark)).min().unwrap_or(rest.len());
                rest.find("/*").filter(|at| *at < end)
            };
            let Some(at) = at else { return open };
            open = !open;
            rest = rest.get(at + 2..).unwrap_or("");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn len(comments: Comments, text: &str) -> Option<usize> {
        comments.at(text.as_bytes()).map(|comment| comment.len)
    }

    #[test]
    fn a_comment_ends_in_front_of_the_end_of_its_line() {
        assert_eq!(len(Comments::ASSEMBLER, "; a\nb"), Some(3));
        assert_eq!(len(Comments::ASSEMBLER, "// a\r\nb"), Some(4));
        assert_eq!(len(Comments::ASSEMBLER, "; a"), Some(3));
        assert_eq!(len(Comments::C, "// a\rb\n"), Some(6));
        assert_eq!(len(Comments::HASH, "#\n"), Some(1));
    }

    #[test]
    fn languages_have_the_marks_they_have() {
        assert_eq!(len(Comments::SHADING, "; a"), None);
        assert_eq!(len(Comments::HASH, "/* */"), None);
        assert_eq!(len(Comments::ASSEMBLER, "# a"), None);
        assert_eq!(len(Comments::ASSEMBLER, "/"), None);
        assert_eq!(Comments::ASSEMBLER.first("a /* b; c"), Some(2));
        assert_eq!(Comments::HASH.first("a // b"), None);
    }

    #[test]
    fn a_block_ends_behind_its_end_or_with_the_text() {
        let at = |text: &str| Comments::C.at(text.as_bytes());
        assert_eq!(at("/* a\n*/ b"), Some(Comment { len: 7, is_closed: true }));
        assert_eq!(at("/**/"), Some(Comment { len: 4, is_closed: true }));
        // The star of the beginning is not that of the end.
        assert_eq!(at("/*/ a */"), Some(Comment { len: 8, is_closed: true }));
        assert_eq!(at("/* a"), Some(Comment { len: 4, is_closed: false }));
        assert_eq!(at("/*"), Some(Comment { len: 2, is_closed: false }));
    }

    #[test]
    fn a_block_goes_on_in_the_next_line() {
        assert!(Comments::ASSEMBLER.is_open_behind("a /* b", false));
        assert!(Comments::ASSEMBLER.is_open_behind("b", true));
        assert!(!Comments::ASSEMBLER.is_open_behind("b */ c", true));
        assert!(!Comments::ASSEMBLER.is_open_behind("a // b /* c", false));
        assert!(Comments::ASSEMBLER.is_open_behind("a */ /* ; b", true));
        assert!(!Comments::HASH.is_open_behind("a /* b", false));
    }
}
