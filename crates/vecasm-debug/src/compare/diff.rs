//! Where two lists of instructions differ, seen through renamed registers.
//!
//! Instructions are texts, as `AnyProgram::instruction_texts` gives them.
//! They are aligned as a whole, so that the most of them stand beside what they are most like. Then the registers that
//! may be renamed get the names of their partners wherever that makes more instructions equal: one name for one name,
//! all through the program.

use super::words::{Kind, Word, words};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Score of a pair that is the same.
pub const SAME: u32 = 100;
/// Most cells of the table of an alignment; above it, what is not the same at the start and the end stands side by side
/// in order.
const MOST_CELLS: usize = 1 << 23;

/// Aligns two lists, of that many elements, so that the pairs' scores are the most in sum. `score` gives up to [`SAME`];
/// a pair of score 0 is none. Every element is in one pair, in order.
pub fn align_by(
    a: usize,
    b: usize,
    score: impl Fn(usize, usize) -> u32,
) -> Vec<(Option<usize>, Option<usize>)> {
    let most = a.min(b);
    let start = (0..most).take_while(|&n| score(n, n) >= SAME).count();
    let end = (0..most - start).take_while(|&n| score(a - 1 - n, b - 1 - n) >= SAME).count();
    let (rows, columns) = (a - start - end, b - start - end);
    let mut out: Vec<(Option<usize>, Option<usize>)> = (0..start).map(|n| (Some(n), Some(n))).collect();
    if rows.saturating_mul(columns) <= MOST_CELLS {
        // best[i][j]: the most of the elements from i and j on.
        let width = columns + 1;
        let mut best = vec![0u32; (rows + 1) * width];
        for i in (0..rows).rev() {
            for j in (0..columns).rev() {
                let pair = score(start + i, start + j);
                let with = if pair > 0 { pair + best[(i + 1) * width + j + 1] } else { 0 };
                best[i * width + j] = with.max(best[(i + 1) * width + j]).max(best[i * width + j + 1]);
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < rows || j < columns {
            let here = best[i * width + j];
            let pair = if i < rows && j < columns { score(start + i, start + j) } else { 0 };
            if pair > 0 && here == pair + best[(i + 1) * width + j + 1] {
                out.push((Some(start + i), Some(start + j)));
                (i, j) = (i + 1, j + 1);
            } else if i < rows && here == best[(i + 1) * width + j] {
                out.push((Some(start + i), None));
                i += 1;
            } else {
                out.push((None, Some(start + j)));
                j += 1;
            }
        }
    } else {
        out.extend(
            (0..rows.max(columns))
                .map(|n| ((n < rows).then_some(start + n), (n < columns).then_some(start + n))),
        );
    }
    out.extend((0..end).rev().map(|n| (Some(a - 1 - n), Some(b - 1 - n))));
    out
}

/// Aligns two lists by what is the same; what is not the same but stands in the same place makes a pair too.
pub fn align(a: usize, b: usize, same: impl Fn(usize, usize) -> bool) -> Vec<(Option<usize>, Option<usize>)> {
    align_by(a, b, |x, y| if same(x, y) { SAME } else { 1 })
}

/// Which registers may have other names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rename<'a> {
    /// None.
    Nothing,
    /// Those of these files.
    Files(&'a [&'a str]),
    /// All, each within its file.
    All,
}

impl Rename<'_> {
    fn has(self, file: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::Files(files) => files.contains(&file),
            Self::All => true,
        }
    }
}

/// What becomes of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is the same.
    Same,
    /// It is the same with registers renamed.
    Renamed,
    /// It is another one.
    Changed,
    /// Only the first program has it.
    Removed,
    /// Only the second program has it.
    Added,
}

/// An instruction of both programs, or of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What becomes of it.
    pub change: Change,
    /// Its number in each program, from 0.
    pub places: [Option<usize>; 2],
    /// Bytes of each text that the other one does not have; of changed instructions only.
    pub marks: [Vec<Range<usize>>; 2],
}

/// The differences of two programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// Every instruction, in order.
    pub rows: Vec<Row>,
    /// Registers of the first program that are called otherwise in the second one.
    pub renamed: Vec<(String, String)>,
}

impl Diff {
    /// Whether both programs are the same, but for names.
    pub fn is_same(&self) -> bool {
        self.rows.iter().all(|row| matches!(row.change, Change::Same | Change::Renamed))
    }

    /// How many instructions are changed, removed and added.
    pub fn counts(&self) -> [usize; 3] {
        [Change::Changed, Change::Removed, Change::Added]
            .map(|change| self.rows.iter().filter(|row| row.change == change).count())
    }
}

/// An instruction, taken apart.
struct Line<'a> {
    text: &'a str,
    words: Vec<Word>,
}

impl<'a> Line<'a> {
    fn word(&self, n: usize) -> &'a str {
        self.words.get(n).map_or("", |word| word.text(self.text))
    }

    fn kind(&self, n: usize) -> Option<Kind> {
        self.words.get(n).map(|word| word.kind)
    }

    /// File and number of the register whose number is word `n`: `c5`, or `c[5]`.
    fn register(&self, n: usize) -> Option<(&'a str, &'a str)> {
        let (file, is) = match self.kind(n)? {
            Kind::Index => (n.checked_sub(1)?, true),
            Kind::Number => (n.checked_sub(2)?, self.word(n - 1) == "[" && self.word(n + 1) == "]"),
            _ => return None,
        };
        let is = is && self.kind(file) == Some(Kind::File);
        is.then(|| (self.word(file), self.word(n)))
    }
}

/// Registers with their partners: file and number.
type Names<'a> = BTreeMap<(&'a str, &'a str), &'a str>;

/// Finds the differences of two lists of instructions.
pub fn diff<A: AsRef<str>, B: AsRef<str>>(a: &[A], b: &[B], rename: Rename<'_>) -> Diff {
    let take = |text| Line { text, words: words(text) };
    let first: Vec<Line<'_>> = a.iter().map(|text| take(text.as_ref())).collect();
    let second: Vec<Line<'_>> = b.iter().map(|text| take(text.as_ref())).collect();
    let plain = Names::new();
    // What is the same without names stands together; it tells which names are the same.
    let wiped = |x: usize, y: usize| score(&first[x], &second[y], rename, None);
    let pairs = align_by(first.len(), second.len(), wiped);
    let names = partners(&first, &second, &pairs, rename);
    let named = |x: usize, y: usize| score(&first[x], &second[y], rename, Some(&names));
    let pairs = align_by(first.len(), second.len(), named);
    let mut out = Diff::default();
    let mut used: Vec<(String, String)> = Vec::new();
    for places in pairs {
        let row = match places {
            (Some(x), Some(y)) => {
                let (p, q) = (&first[x], &second[y]);
                let same = score(p, q, Rename::Nothing, Some(&plain)) >= SAME;
                let renamed = score(p, q, rename, Some(&names)) >= SAME;
                let (change, marks) = match (same && renamed, renamed) {
                    (true, _) => (Change::Same, [Vec::new(), Vec::new()]),
                    (_, true) => (Change::Renamed, [Vec::new(), Vec::new()]),
                    // The same letters, but what is behind them has other names.
                    _ => (Change::Changed, marks(p, q, rename, &names)),
                };
                for n in 0..p.words.len() {
                    if let Some((file, number)) = p.register(n).filter(|_| renamed) {
                        let Some(other) = names.get(&(file, number)).filter(|other| **other != number) else {
                            continue;
                        };
                        let pair = (format!("{file}{number}"), format!("{file}{other}"));
                        if !used.contains(&pair) {
                            used.push(pair);
                        }
                    }
                }
                Row { change, places: [Some(x), Some(y)], marks }
            }
            (x, y) => {
                let change = if x.is_some() { Change::Removed } else { Change::Added };
                Row { change, places: [x, y], marks: [Vec::new(), Vec::new()] }
            }
        };
        out.rows.push(row);
    }
    out.renamed = used;
    out
}

/// Whether word `n` of one instruction and word `m` of another one say the same. Without names, those of registers that
/// may be renamed do not count.
fn word_same(
    p: &Line<'_>,
    n: usize,
    q: &Line<'_>,
    m: usize,
    rename: Rename<'_>,
    names: Option<&Names<'_>>,
) -> bool {
    if p.kind(n) != q.kind(m) {
        return false;
    }
    match (p.register(n), q.register(m)) {
        (Some((file, number)), Some((other, theirs))) if rename.has(file) => {
            file == other
                && names.is_none_or(|names| names.get(&(file, number)).copied().unwrap_or(number) == theirs)
        }
        _ => p.word(n).eq_ignore_ascii_case(q.word(m)),
    }
}

/// How alike two instructions are: [`SAME`], or less than 90 for how many words they share, or 0.
fn score(p: &Line<'_>, q: &Line<'_>, rename: Rename<'_>, names: Option<&Names<'_>>) -> u32 {
    let (n, m) = (p.words.len(), q.words.len());
    if n == m && (0..n).all(|k| word_same(p, k, q, k, rename, names)) {
        return SAME;
    }
    let same = (0..n.min(m)).filter(|&k| word_same(p, k, q, k, rename, names)).count();
    let share = (same * 60 / n.max(m).max(1)) as u32;
    let operation = |line: &Line<'_>| line.words.iter().position(|w| w.kind == Kind::Mnemonic);
    let alike = match (operation(p), operation(q)) {
        (Some(x), Some(y)) => p.word(x).eq_ignore_ascii_case(q.word(y)),
        _ => false,
    };
    // The same operation on something else, or another one on nearly the same.
    match (alike, share) {
        (true, share) => 20 + share / 2,
        (false, 36..) => share / 2,
        _ => 0,
    }
}

/// One name for one name: the pairs that most of the aligned instructions ask for.
fn partners<'a>(
    first: &[Line<'a>],
    second: &[Line<'a>],
    pairs: &[(Option<usize>, Option<usize>)],
    rename: Rename<'_>,
) -> Names<'a> {
    let mut votes: BTreeMap<(&str, &str, &str), (usize, usize)> = BTreeMap::new();
    for (order, &(x, y)) in pairs.iter().enumerate() {
        let (Some(p), Some(q)) = (x.and_then(|x| first.get(x)), y.and_then(|y| second.get(y))) else {
            continue;
        };
        if score(p, q, rename, None) < SAME {
            continue;
        }
        for n in 0..p.words.len() {
            if let (Some((file, number)), Some((_, theirs))) = (p.register(n), q.register(n)) {
                if rename.has(file) {
                    votes.entry((file, number, theirs)).or_insert((0, order)).0 += 1;
                }
            }
        }
    }
    let mut ranked: Vec<_> = votes.into_iter().collect();
    // The most votes first; where they are equal, the same name, then what stands first.
    ranked.sort_by_key(|&((_, x, y), (votes, order))| (core::cmp::Reverse(votes), x != y, order));
    let mut names = Names::new();
    let mut taken: Vec<(&str, &str)> = Vec::new();
    for ((file, x, y), _) in ranked {
        if !names.contains_key(&(file, x)) && !taken.contains(&(file, y)) {
            names.insert((file, x), y);
            taken.push((file, y));
        }
    }
    names
}

/// The words of each instruction that the other one does not have.
fn marks(p: &Line<'_>, q: &Line<'_>, rename: Rename<'_>, names: &Names<'_>) -> [Vec<Range<usize>>; 2] {
    let same = |x: usize, y: usize| {
        let same = word_same(p, x, q, y, rename, Some(names));
        // Signs match too easily to hold an alignment together.
        match (same, p.kind(x)) {
            (false, _) => 0,
            (true, Some(Kind::Sign)) => SAME / 4,
            _ => SAME,
        }
    };
    let mut out = [Vec::new(), Vec::new()];
    for pair in align_by(p.words.len(), q.words.len(), same) {
        let (line, n, side) = match pair {
            (Some(n), None) => (p, n, 0),
            (None, Some(n)) => (q, n, 1),
            _ => continue,
        };
        let Some(word) = line.words.get(n) else { continue };
        let list: &mut Vec<Range<usize>> = &mut out[side];
        match list.last_mut() {
            Some(last) if last.end == word.range.start => last.end = word.range.end,
            _ => list.push(word.range.clone()),
        }
    }
    out
}

/// A register with the name that it has in the other program, for a sentence.
pub fn renaming(diff: &Diff) -> String {
    let each = diff.renamed.iter().map(|(a, b)| format!("{a}→{b}"));
    each.collect::<Vec<_>>().join(", ")
}
