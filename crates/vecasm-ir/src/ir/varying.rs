//! What sources call a varying.

use super::{InputKind, OutputKind};

/// What a varying is, by the words of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VaryingMeaning {
    /// A colour, by number.
    Color(u32),
    /// A colour of back faces, by number.
    BackColor(u32),
    /// Texture coordinates, or whatever else a number alone says.
    Coordinates(u32),
    /// What fog is computed by.
    Fog,
    /// The size of points.
    PointSize,
}

/// A word, and what it means with a number behind it.
type Word = (&'static str, fn(u32) -> Option<VaryingMeaning>);

const fn only_first(number: u32, meaning: VaryingMeaning) -> Option<VaryingMeaning> {
    if number == 0 { Some(meaning) } else { None }
}

/// Words that sources have, in small letters and without the number behind them: semantics first, then names of registers.
const WORDS: [&[Word]; 2] = [
    &[
        ("color", |n| Some(VaryingMeaning::Color(n))),
        ("bcolor", |n| Some(VaryingMeaning::BackColor(n))),
        ("texcoord", |n| Some(VaryingMeaning::Coordinates(n))),
        ("generic", |n| Some(VaryingMeaning::Coordinates(n))),
        ("fog", |n| only_first(n, VaryingMeaning::Fog)),
        ("psize", |n| only_first(n, VaryingMeaning::PointSize)),
    ],
    &[
        ("od", |n| Some(VaryingMeaning::Color(n))),
        ("ob", |n| Some(VaryingMeaning::BackColor(n))),
        ("ot", |n| Some(VaryingMeaning::Coordinates(n))),
        ("ofog", |n| only_first(n, VaryingMeaning::Fog)),
        ("opts", |n| only_first(n, VaryingMeaning::PointSize)),
    ],
];

impl VaryingMeaning {
    /// Of an input; `None` if it is no varying, or one with another word.
    pub fn of_input(kind: InputKind, semantic: &str, name: &str) -> Option<Self> {
        match kind {
            InputKind::Varying { location } => Self::of(location, semantic, name),
            _ => None,
        }
    }

    /// Of an output, likewise.
    pub fn of_output(kind: OutputKind, semantic: &str, name: &str) -> Option<Self> {
        match kind {
            OutputKind::Varying { location } => Self::of(location, semantic, name),
            OutputKind::Fog => Some(Self::Fog),
            OutputKind::PointSize => Some(Self::PointSize),
            _ => None,
        }
    }

    /// Of a varying. Locations are each instruction set's own: v0 of AGAL has 0, where COLOR[0] of TGSI is, and GENERIC[0] has 2.
    /// A varying that its source calls by a number alone is coordinates of that number.
    fn of(location: u32, semantic: &str, name: &str) -> Option<Self> {
        if !semantic.is_empty() {
            return word(semantic, WORDS[0]);
        }
        word(name, WORDS[1]).or(Some(Self::Coordinates(location)))
    }
}

/// What a word with a number behind it means: `texcoord3`, `GENERIC[3]`, `color`.
fn word(text: &str, words: &[Word]) -> Option<VaryingMeaning> {
    let text = text.strip_suffix(']').unwrap_or(text);
    let letters = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = text.get(letters.len()..).filter(|digits| !digits.is_empty());
    let number: u32 = number.map_or(Some(0), |digits| digits.parse().ok())?;
    let letters = letters.strip_suffix('[').unwrap_or(letters);
    words.iter().find(|(word, _)| word.eq_ignore_ascii_case(letters)).and_then(|(_, meaning)| meaning(number))
}
