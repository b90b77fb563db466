//! Who belongs to whom: lists that are being matched, what a binding says, and what sources call a varying.

use super::super::link::{LITERALS, Link, LinkError, Section};
use super::{EqvError, Options};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{InputKind, OutputKind, Shader};

/// Two lists of names that are being matched.
pub(super) struct Matching {
    /// The partner in the second list.
    pub(super) partner: Vec<Option<usize>>,
    pub(super) taken: Vec<bool>,
}

impl Matching {
    pub(super) fn new(a: usize, b: usize) -> Self {
        Self { partner: vec![None; a], taken: vec![false; b] }
    }

    pub(super) fn join(&mut self, a: usize, b: usize) {
        self.partner[a] = Some(b);
        self.taken[b] = true;
    }

    /// Joins what is free and fits, if it fits nothing else.
    pub(super) fn by(&mut self, fits: impl Fn(usize, usize) -> bool) -> usize {
        let mut joined = 0;
        for a in 0..self.partner.len() {
            if self.partner[a].is_some() {
                continue;
            }
            let mut found = (0..self.taken.len()).filter(|&b| !self.taken[b] && fits(a, b));
            if let (Some(b), None) = (found.next(), found.next()) {
                self.join(a, b);
                joined += 1;
            }
        }
        joined
    }
}

/// What a binding says of two shaders.
#[derive(Clone, Copy)]
pub(super) struct Bound<'l> {
    link: &'l Link,
    /// Which shader is the source.
    pub(super) source: usize,
}

/// The places of a pair in the tables of the first and of the second shader, where they have the name.
pub(super) type Pair<T> = [Option<T>; 2];

impl<'l> Bound<'l> {
    pub(super) fn of(options: &'l Options, shaders: [&Shader; 2]) -> Result<Option<Self>, EqvError> {
        let Some(link) = &options.link else { return Ok(None) };
        link.check()?;
        Ok(Some(Self { link, source: link.source_of(shaders)? }))
    }

    /// The pairs of a list; `None` if the binding has no such list. `find` looks a name up in the first (0) or second (1)
    /// shader.
    pub(super) fn pairs<T>(
        &self,
        section: &Section,
        find: impl Fn(usize, &str) -> Option<T>,
    ) -> Result<Option<Vec<Pair<T>>>, LinkError> {
        let Some(names) = (section.list)(self.link) else { return Ok(None) };
        let one = |(target, source): &(String, String)| {
            let mut pair = [find(self.source, source), find(1 - self.source, target)];
            if pair.iter().all(Option::is_none) {
                let message = format!("the source has no {source}, and the target has no {target}");
                return Err(LinkError::under(section.key, target, message));
            }
            if self.source == 1 {
                pair.swap(0, 1);
            }
            Ok(pair)
        };
        names.iter().map(one).collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// The constants of the target that are literals, with their lanes.
    pub(super) fn literals<T>(
        &self,
        find: impl Fn(usize, &str) -> Option<T>,
    ) -> Result<Vec<(T, [u32; 4])>, LinkError> {
        let one = |(name, value): &(String, [u32; 4])| {
            let place = find(1 - self.source, name);
            place
                .map(|place| (place, *value))
                .ok_or_else(|| LinkError::under(LITERALS, name, "the target has no such constant"))
        };
        self.link.literals.iter().map(one).collect()
    }
}

/// What a varying is, by the words of its source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Color(u32),
    BackColor(u32),
    Coordinates(u32),
    Fog,
    PointSize,
}

/// A word, and what it means with a number behind it.
type Word = (&'static str, fn(u32) -> Meaning);

/// Words that sources have, in small letters and without the number behind them: semantics first, then names of registers.
const WORDS: [&[Word]; 2] = [
    &[
        ("color", Meaning::Color),
        ("bcolor", Meaning::BackColor),
        ("texcoord", Meaning::Coordinates),
        ("generic", Meaning::Coordinates),
        ("fog", |_| Meaning::Fog),
        ("psize", |_| Meaning::PointSize),
    ],
    &[
        ("od", Meaning::Color),
        ("ob", Meaning::BackColor),
        ("ot", Meaning::Coordinates),
        ("ofog", |_| Meaning::Fog),
        ("opts", |_| Meaning::PointSize),
    ],
];

impl Meaning {
    pub(super) fn of_input(kind: InputKind, semantic: &str, name: &str) -> Option<Self> {
        match kind {
            InputKind::Varying { location } => Self::of(location, semantic, name),
            _ => None,
        }
    }

    pub(super) fn of_output(kind: OutputKind, semantic: &str, name: &str) -> Option<Self> {
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
fn word(text: &str, words: &[Word]) -> Option<Meaning> {
    let text = text.strip_suffix(']').unwrap_or(text);
    let letters = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = text.get(letters.len()..).filter(|digits| !digits.is_empty());
    let number: u32 = number.map_or(Some(0), |digits| digits.parse().ok())?;
    let letters = letters.strip_suffix('[').unwrap_or(letters);
    words.iter().find(|(word, _)| word.eq_ignore_ascii_case(letters)).map(|(_, meaning)| meaning(number))
}
