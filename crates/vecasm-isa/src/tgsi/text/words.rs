//! Finding words: tables by hash, made from the lists of the language when the library is compiled.

use crate::tgsi::formats::{self, Format};
use crate::tgsi::names::{File, PropertyName, Semantic, Target};
use crate::tgsi::table::{ALIASES, Opcode};

/// The hash of a word in whatever case. Digits and underscores lose a bit as well, which only makes more words alike.
const fn hash(word: &[u8]) -> u32 {
    let mut hash: u32 = 0;
    let mut i = 0;
    while i < word.len() {
        hash = (hash ^ (word[i] & 0xdf) as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    hash ^ hash >> 15
}

/// Words by hash: `N`, a power of two, places for the indices of a list, open addressing.
struct Table<const N: usize>([u16; N]);

/// A place of a table without a word.
const EMPTY: u16 = u16::MAX;

impl<const N: usize> Table<N> {
    const fn new() -> Self {
        Self([EMPTY; N])
    }

    const fn with(mut self, word: &str, index: usize) -> Self {
        let mut at = hash(word.as_bytes()) as usize & (N - 1);
        while self.0[at] != EMPTY {
            at = (at + 1) & (N - 1);
        }
        self.0[at] = index as u16;
        self
    }

    /// The index of a word, of which `name` says how one is spelled.
    fn find(&self, word: &str, name: impl Fn(usize) -> Option<&'static str>) -> Option<usize> {
        let mut at = hash(word.as_bytes()) as usize & (N - 1);
        loop {
            let index = *self.0.get(at)?;
            if index == EMPTY {
                return None;
            }
            if name(usize::from(index)).is_some_and(|name| name.eq_ignore_ascii_case(word)) {
                return Some(usize::from(index));
            }
            at = (at + 1) & (N - 1);
        }
    }
}

/// A table of the names of an enumeration.
macro_rules! table_of {
    ($Name:ident, $N:literal) => {{
        let mut table = Table::<$N>::new();
        let mut i = 0;
        while i < $Name::ALL.len() {
            if let Some(name) = $Name::ALL[i].name() {
                table = table.with(name, i);
            }
            i += 1;
        }
        table
    }};
}

static FILES: Table<64> = table_of!(File, 64);
static SEMANTICS: Table<128> = table_of!(Semantic, 128);
static TARGETS: Table<64> = table_of!(Target, 64);
static PROPERTIES: Table<64> = table_of!(PropertyName, 64);

static OPCODES: Table<1024> = {
    let mut table = Table::<1024>::new();
    let mut i = 0;
    while i < Opcode::ROWS.len() {
        table = table.with(Opcode::ROWS[i].name, i);
        i += 1;
    }
    table
};

static FORMATS: Table<1024> = {
    let mut table = Table::<1024>::new();
    let mut i = 0;
    while i < formats::NAMES.len() {
        table = table.with(formats::NAMES[i].0, i);
        i += 1;
    }
    table
};

/// The file of that name.
pub(super) fn file(word: &str) -> Option<File> {
    // What most operands are.
    match word.as_bytes() {
        b"TEMP" => return Some(File::Temp),
        b"IN" => return Some(File::In),
        b"CONST" => return Some(File::Const),
        _ => {}
    }
    FILES.find(word, |i| File::ALL.get(i)?.name()).and_then(|i| File::ALL.get(i).copied())
}

/// The semantic of that name.
pub(super) fn semantic(word: &str) -> Option<Semantic> {
    SEMANTICS.find(word, |i| Semantic::ALL.get(i)?.name()).and_then(|i| Semantic::ALL.get(i).copied())
}

/// The target of that name.
pub(super) fn target(word: &str) -> Option<Target> {
    TARGETS.find(word, |i| Target::ALL.get(i)?.name()).and_then(|i| Target::ALL.get(i).copied())
}

/// The property of that name.
pub(super) fn property(word: &str) -> Option<PropertyName> {
    PROPERTIES
        .find(word, |i| PropertyName::ALL.get(i)?.name())
        .and_then(|i| PropertyName::ALL.get(i).copied())
}

/// The format of that name, with its prefix.
pub(super) fn format(word: &str) -> Option<Format> {
    let (prefix, name) = word.split_at_checked(formats::PREFIX.len())?;
    if !prefix.eq_ignore_ascii_case(formats::PREFIX) {
        return None;
    }
    FORMATS.find(name, |i| Some(formats::NAMES.get(i)?.0)).map(|i| Format::Known(i as u16))
}

/// The instruction of that name, without suffixes.
pub(super) fn opcode(word: &str) -> Option<Opcode> {
    OPCODES.find(word, |i| Some(Opcode::ROWS.get(i)?.name)).and_then(|i| Opcode::ALL.get(i).copied())
}

/// What a mnemonic says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mnemonic {
    /// The instruction.
    pub opcode: Opcode,
    /// Whether it is spelled as before Mesa 10.
    pub alias: bool,
    /// How results are clamped.
    pub saturate: u8,
    /// Whether the suffix `_PRECISE` is there.
    pub precise: bool,
}

/// What stands behind the name of an instruction to say how results are clamped, with its number.
pub(super) const SATURATE: [(&str, u8); 3] = [("_SAT", 1), ("_SATNV", 2), ("_SAT3", 3)];

/// What stands behind the name of an instruction that is computed exactly as written.
pub(super) const PRECISE: &str = "_PRECISE";

fn strip<'a>(word: &'a str, suffix: &str) -> Option<&'a str> {
    let (name, end) = word.split_at_checked(word.len().checked_sub(suffix.len())?)?;
    end.eq_ignore_ascii_case(suffix).then_some(name)
}

/// The instruction that a mnemonic names, with its suffixes, which have an order.
pub(super) fn mnemonic(word: &str) -> Option<Mnemonic> {
    if let Some(opcode) = opcode(word) {
        return Some(Mnemonic { opcode, alias: false, saturate: 0, precise: false });
    }
    let (word, precise) = match strip(word, PRECISE) {
        Some(rest) => (rest, true),
        None => (word, false),
    };
    let (word, saturate) =
        SATURATE.iter().find_map(|(suffix, n)| Some((strip(word, suffix)?, *n))).unwrap_or((word, 0));
    if let Some(opcode) = opcode(word) {
        return Some(Mnemonic { opcode, alias: false, saturate, precise });
    }
    let (_, opcode) = ALIASES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word))?;
    Some(Mnemonic { opcode: *opcode, alias: true, saturate, precise })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_in_whatever_case() {
        for (i, row) in Opcode::ROWS.iter().enumerate() {
            assert_eq!(opcode(row.name), Opcode::ALL.get(i).copied(), "{}", row.name);
            assert_eq!(opcode(&row.name.to_ascii_lowercase()), Opcode::ALL.get(i).copied(), "{}", row.name);
        }
        for f in File::ALL {
            assert_eq!(f.name().and_then(file), Some(*f));
        }
        for s in Semantic::ALL.iter().filter(|s| s.name().is_some()) {
            assert_eq!(s.name().and_then(semantic), Some(*s));
        }
        for t in Target::ALL {
            assert_eq!(t.name().and_then(target), Some(*t));
        }
        for p in PropertyName::ALL {
            assert_eq!(p.name().and_then(property), Some(*p));
        }
        for (i, (name, _, _)) in formats::NAMES.iter().enumerate() {
            let word = alloc::format!("pipe_format_{name}");
            assert_eq!(format(&word), Some(Format::Known(i as u16)));
        }
    }

    #[test]
    fn suffixes_have_an_order() {
        let of = |word| mnemonic(word).map(|m| (m.opcode, m.saturate, m.precise));
        assert_eq!(of("MOV_SAT"), Some((Opcode::Mov, 1, false)));
        assert_eq!(of("mad_sat_precise"), Some((Opcode::Mad, 1, true)));
        assert_eq!(of("TEX_LZ"), Some((Opcode::TexLz, 0, false)));
        for wrong in ["MOV_PRECISE_SAT", "MOV_SAT_SAT", "MOV_", "MOV_SATURATE", "", "_SAT"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
        assert_eq!(mnemonic("KIL").map(|m| (m.opcode, m.alias)), Some((Opcode::KillIf, true)));
    }
}
