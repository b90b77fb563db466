//! How inputs are made of seeds besides damaging them: two are crossed, and programs that call one another are grown.

use super::{Input, Rng, d3d9, tgsi};
use std::collections::BTreeMap;
use vecasm::isa::agal::program::Token;

/// The longest input that is made, in bytes.
const LONGEST: usize = 1 << 15;

impl Input {
    /// An input made of seeds: one of them damaged, two crossed, or a tree of calls.
    pub(crate) fn made(self, from: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
        let seed = &from[rng.below(from.len())];
        if rng.below(64) == 0 {
            if let Some(tree) = self.call_tree(rng) {
                return tree;
            }
        }
        if rng.below(4) > 0 {
            return self.damaged(seed, rng);
        }
        let crossed = self.crossed(seed, &from[rng.below(from.len())], rng);
        if rng.below(2) == 0 { self.damaged(&crossed, rng) } else { crossed }
    }

    /// Two seeds crossed: texts by lines or by words, bytes by words or instructions.
    pub(crate) fn crossed(self, a: &[u8], b: &[u8], rng: &mut Rng) -> Vec<u8> {
        let by_lines = rng.below(2) == 0;
        let parts = |bytes| self.parts(bytes, by_lines);
        let (a, b) = (parts(a), parts(b));
        // A run of either is short, or all that follows.
        let run = |of: &[&[u8]], rng: &mut Rng| {
            let start = rng.below(of.len() + 1);
            let most = if rng.below(4) == 0 { of.len() } else { 6 };
            start..(start + rng.below(most + 1)).min(of.len())
        };
        let mut out = a.clone();
        for _ in 0..=rng.below(3) {
            let (from, to) = (run(&b, rng), run(&out, rng));
            match rng.below(3) {
                // The beginning of one and the end of the other.
                0 => {
                    out.truncate(to.start);
                    out.extend(&b[from.start..]);
                }
                1 => drop(out.splice(to.start..to.start, b[from].iter().copied())),
                _ => drop(out.splice(to, b[from].iter().copied())),
            }
        }
        let mut out = out.concat();
        out.truncate(LONGEST);
        out
    }

    /// What an input is cut into.
    fn parts(self, bytes: &[u8], by_lines: bool) -> Vec<&[u8]> {
        if self.is_text() {
            return if by_lines { bytes.split_inclusive(|b| *b == b'\n').collect() } else { words(bytes) };
        }
        let (head, size) = match self {
            Self::Program => (7, Token::SIZE),
            Self::Slots | Self::Microcode => (0, 16),
            _ => (0, 4),
        };
        let cuts: Vec<usize> = match self {
            Self::Stream if by_lines => d3d9::cuts(bytes),
            Self::Tokens if by_lines => tgsi::cuts(bytes),
            _ => (head..bytes.len()).step_by(size).collect(),
        };
        let mut out = Vec::new();
        let mut start = 0;
        for cut in cuts.into_iter().chain([bytes.len()]) {
            if start < cut && cut <= bytes.len() {
                out.push(&bytes[start..cut]);
                start = cut;
            }
        }
        out
    }

    /// Subroutines that call one another, where the language has them.
    fn call_tree(self, rng: &mut Rng) -> Option<Vec<u8>> {
        match self {
            Self::Stream => d3d9::stream(&d3d9::call_tree(rng)),
            Self::StreamText | Self::Macros => Some(d3d9::call_tree(rng).into_bytes()),
            Self::Tokens => tgsi::tokens(&tgsi::call_tree(rng)),
            Self::TokenText => Some(tgsi::call_tree(rng).into_bytes()),
            _ => None,
        }
    }

    /// How many bytes an input has with its calls written out.
    pub(crate) fn written_out(self, input: &[u8]) -> usize {
        let calls = match self {
            Self::Stream => d3d9::calls(input),
            Self::Tokens => tgsi::calls(input),
            _ => return input.len(),
        };
        input.len().max(calls.written_out())
    }
}

/// A text in pieces: words, and what is between them.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let in_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    text.chunk_by(|a, b| in_word(a) && in_word(b)).collect()
}

/// The shape of a tree of calls: how many subroutines call one another, and how often each one calls the next.
pub(crate) fn shape(rng: &mut Rng) -> (usize, usize) {
    match rng.below(3) {
        // Wide: 24 calls of 24 calls.
        0 => (2 + rng.below(3), 1 + rng.below(24)),
        // Deep: powers of two.
        1 => (1 + rng.below(40), 2),
        _ => (1 + rng.below(70), 1),
    }
}

/// The sections of a program, each with its bytes and the sections that it calls. The main program is 0.
#[derive(Debug, Default)]
pub(crate) struct Sections(pub(crate) BTreeMap<u32, (usize, Vec<u32>)>);

impl Sections {
    /// The bytes of the main program with its calls written out. A section that is open already adds nothing.
    fn written_out(&self) -> usize {
        let mut known = BTreeMap::new();
        self.size(0, &mut Vec::new(), &mut known)
    }

    fn size(&self, section: u32, open: &mut Vec<u32>, known: &mut BTreeMap<u32, usize>) -> usize {
        if let Some(size) = known.get(&section) {
            return *size;
        }
        let Some((bytes, calls)) = self.0.get(&section) else { return 0 };
        if open.contains(&section) || open.len() > 64 {
            return 0;
        }
        open.push(section);
        let mut size = *bytes;
        for call in calls {
            size = size.saturating_add(self.size(*call, open, known));
        }
        open.pop();
        known.insert(section, size);
        size
    }
}

#[test]
fn calls_are_written_out() {
    // 10 + 2 * (20 + 3 * 5); a section that calls itself does so once.
    let sections = [(0, (10, vec![1, 1])), (1, (20, vec![2, 2, 2, 1])), (2, (5, vec![]))];
    assert_eq!(Sections(sections.into()).written_out(), 80);
}
