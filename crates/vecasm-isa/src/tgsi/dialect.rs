//! The dialects: which words and numbers there are, and how literals are read.
//!
//! Sources: Mesa 10.1.6, its manual of about 20.0, Mesa 22.3.6 and 25.0.7, virglrenderer 1.3.0.

/// Who reads a text, or whose tokens they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// Mesa 7 to 10: with the instructions and register files that were removed later.
    Legacy,
    /// Mesa of about 20.0, which the manual describes.
    Seed,
    /// Mesa 22.3.
    #[default]
    Mesa22,
    /// Mesa 25.0.
    Mesa25,
    /// virglrenderer 1.3.
    Virgl,
}

/// How tokens number instructions, files and so on. The order is that of the columns of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numbering {
    /// Mesa 10.1.6.
    Legacy,
    /// Mesa 20 to 25.
    Mesa,
    /// virglrenderer.
    Virgl,
}

impl Dialect {
    /// Every dialect, the oldest first.
    pub const ALL: &'static [Self] = &[Self::Legacy, Self::Seed, Self::Mesa22, Self::Mesa25, Self::Virgl];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Seed => "seed",
            Self::Mesa22 => "mesa22",
            Self::Mesa25 => "mesa25",
            Self::Virgl => "virgl",
        }
    }

    /// The numbers of its tokens.
    pub const fn numbering(self) -> Numbering {
        match self {
            Self::Legacy => Numbering::Legacy,
            Self::Seed | Self::Mesa22 | Self::Mesa25 => Numbering::Mesa,
            Self::Virgl => Numbering::Virgl,
        }
    }

    /// Whether an instruction of its numbering was added later, or removed.
    pub(super) const fn lacks(self, instruction: &str) -> bool {
        let names: &[&str] = match self {
            // In Mesa 22.3.6, and not in the manual; END, DNEG and the fine derivatives are left out there only.
            Self::Seed => &["TXF_LZ", "DEMOTE", "READ_HELPER"],
            Self::Mesa25 => &["DFRACEXP"],
            Self::Legacy | Self::Mesa22 | Self::Virgl => &[],
        };
        let mut i = 0;
        while i < names.len() {
            if same(names[i].as_bytes(), instruction.as_bytes()) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether `0x` begins the bits of a float; otherwise it is a number in base 16 (Mesa 25) or wrong (Mesa 10).
    pub const fn has_float_bits(self) -> bool {
        matches!(self, Self::Seed | Self::Mesa22 | Self::Virgl)
    }

    /// Whether `nan` and `inf` are floats.
    pub const fn has_nan(self) -> bool {
        matches!(self, Self::Mesa25)
    }

    /// Whether EMIT and ENDPRIM have the number of a stream.
    pub const fn has_streams(self) -> bool {
        !matches!(self, Self::Legacy)
    }
}

vecasm_ir::spelled!(Dialect, "dialect");

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
