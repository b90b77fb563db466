//! Two edits of one list of texts put together: a three-way merge.
//!
//! Each side is aligned with the base by what is the same. Where only one side differs from the base, its texts are taken;
//! where both do, and not in the same way, there is a conflict. Changes that touch, with no text between them that both sides
//! keep, are one, as for `git merge-file`.

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Steps that aligning one side may take. Of what is left to align then, nothing counts as the same.
const MOST_STEPS: usize = 1 << 24;

/// Whose texts a chunk has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Nobody changed it.
    Base,
    /// Only the first side did.
    First,
    /// Only the second side did.
    Second,
    /// Both did, in the same way.
    Both,
    /// Both did, in different ways.
    Conflict,
}

impl Origin {
    /// The word for it: `base`, `a`, `b`, `both` or `conflict`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::First => "a",
            Self::Second => "b",
            Self::Both => "both",
            Self::Conflict => "conflict",
        }
    }
}

/// A run of texts, and where it is in each of the three lists.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chunk {
    /// Whose it is.
    pub origin: Origin,
    /// Where it is in the base.
    pub base: Range<usize>,
    /// Where it is on the first side.
    pub a: Range<usize>,
    /// Where it is on the second side.
    pub b: Range<usize>,
}

/// The chunks of a merge: each list is all of its ranges in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    /// In order.
    pub chunks: Vec<Chunk>,
}

/// What stands around the sides of a conflict, as `git merge-file --diff3` writes it: names of the first side, the base and the
/// second side.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// Behind `<<<<<<<`.
    pub a: &'a str,
    /// Behind `|||||||`.
    pub base: &'a str,
    /// Behind `>>>>>>>`.
    pub b: &'a str,
}

impl Merge {
    /// How many chunks are of an origin.
    pub fn count(&self, origin: Origin) -> usize {
        self.chunks.iter().filter(|chunk| chunk.origin == origin).count()
    }

    /// Whether there is no conflict.
    pub fn is_clean(&self) -> bool {
        self.count(Origin::Conflict) == 0
    }

    /// The merged texts; conflicts have all three sides between markers.
    pub fn texts<T: AsRef<str>>(&self, base: &[T], a: &[T], b: &[T], names: Names<'_>) -> Vec<String> {
        let mut out = Vec::new();
        for chunk in &self.chunks {
            let sides = [part(base, &chunk.base), part(a, &chunk.a), part(b, &chunk.b)];
            let mut put = |texts: &[T]| out.extend(texts.iter().map(|text| text.as_ref().to_owned()));
            match chunk.origin {
                Origin::Base => put(sides[0]),
                Origin::First | Origin::Both => put(sides[1]),
                Origin::Second => put(sides[2]),
                Origin::Conflict => out.extend(marked(sides, names)),
            }
        }
        out
    }
}

/// A conflict between markers. The sides are the base, the first and the second one.
pub fn marked<T: AsRef<str>>([base, a, b]: [&[T]; 3], names: Names<'_>) -> Vec<String> {
    let mut out = Vec::with_capacity(base.len() + a.len() + b.len() + 4);
    let mut put = |marker: String, texts: &[T]| {
        out.push(marker);
        out.extend(texts.iter().map(|text| text.as_ref().to_owned()));
    };
    put(format!("<<<<<<< {}", names.a), a);
    put(format!("||||||| {}", names.base), base);
    put("=======".into(), b);
    put(format!(">>>>>>> {}", names.b), &[]);
    out
}

fn part<'a, T>(list: &'a [T], range: &Range<usize>) -> &'a [T] {
    list.get(range.clone()).unwrap_or_default()
}

/// Puts two edits of `base` together. Time and memory are bounded whatever the lists are.
pub fn merge<T: AsRef<str>>(base: &[T], a: &[T], b: &[T]) -> Merge {
    let mut ids: BTreeMap<&str, u32> = BTreeMap::new();
    let lists = [base, a, b].map(|list| {
        let numbers = list.iter().map(|text| {
            let next = ids.len() as u32;
            *ids.entry(text.as_ref()).or_insert(next)
        });
        numbers.collect::<Vec<u32>>()
    });
    let changes = [changes(&lists[0], &lists[1]), changes(&lists[0], &lists[2])];
    let mut out = Merge::default();
    // Where each list has been cut.
    let mut at = [0, 0, 0];
    let mut next = [0, 0];
    loop {
        let start = |side: usize| changes[side].get(next[side]).map(|change| change.base.start);
        let Some(from) = [start(0), start(1)].into_iter().flatten().min() else { break };
        let mut ends = [from, at[1] + (from - at[0]), at[2] + (from - at[0])];
        out.put(&lists, at, ends);
        at = ends;
        // All changes of both sides that touch.
        loop {
            let touches = |side: &usize| {
                changes[*side].get(next[*side]).is_some_and(|change| change.base.start <= ends[0])
            };
            let Some(side) = [0, 1].into_iter().find(touches) else { break };
            let change = &changes[side][next[side]];
            next[side] += 1;
            // The other side keeps what this change is of.
            let grown = change.base.end.saturating_sub(ends[0]);
            ends[0] += grown;
            ends[1] += grown;
            ends[2] += grown;
            ends[side + 1] = (ends[side + 1] + change.side.len()) - change.base.len();
        }
        out.put(&lists, at, ends);
        at = ends;
    }
    out.put(&lists, at, [lists[0].len(), lists[1].len(), lists[2].len()]);
    out
}

impl Merge {
    /// Appends a chunk of what is between two places of each list.
    fn put(&mut self, lists: &[Vec<u32>; 3], from: [usize; 3], to: [usize; 3]) {
        let ranges = [0, 1, 2].map(|n| from[n]..to[n]);
        if ranges.iter().all(Range::is_empty) {
            return;
        }
        let [base, a, b] = [0, 1, 2].map(|n| part(&lists[n], &ranges[n]));
        let origin = match (a == base, b == base) {
            (true, true) => Origin::Base,
            (false, true) => Origin::First,
            (true, false) => Origin::Second,
            (false, false) if a == b => Origin::Both,
            (false, false) => Origin::Conflict,
        };
        let [base, a, b] = ranges;
        self.chunks.push(Chunk { origin, base, a, b });
    }
}

/// A run of the base, and what one side has in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    base: Range<usize>,
    side: Range<usize>,
}

/// What a side changes, in order.
fn changes(base: &[u32], side: &[u32]) -> Vec<Change> {
    let mut matcher = Matcher { same: Vec::new(), steps: MOST_STEPS };
    matcher.align((base, 0), (side, 0));
    let mut out = Vec::new();
    let (mut x, mut y) = (0, 0);
    let end = Run { base: base.len(), side: side.len(), len: 0 };
    for run in matcher.same.into_iter().chain([end]) {
        if run.base > x || run.side > y {
            out.push(Change { base: x..run.base, side: y..run.side });
        }
        (x, y) = (run.base + run.len, run.side + run.len);
    }
    out
}

/// Texts that are the same in a row.
struct Run {
    base: usize,
    side: usize,
    len: usize,
}

/// Finds the most that is the same, as E. W. Myers, “An O(ND) Difference Algorithm and Its Variations” (1986), in linear space.
struct Matcher {
    same: Vec<Run>,
    /// Steps that are left.
    steps: usize,
}

impl Matcher {
    /// Aligns parts of both lists, each with the place where it begins.
    fn align(&mut self, (a, from_a): (&[u32], usize), (b, from_b): (&[u32], usize)) {
        let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        self.put(from_a, from_b, start);
        let (a, b) = (&a[start..], &b[start..]);
        let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
        let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
        let (from_a, from_b) = (from_a + start, from_b + start);
        if !a.is_empty() && !b.is_empty() {
            // The first and the last texts differ, so at least two steps are between the corners, and both parts are smaller.
            if let Some((x, y, len)) = self.middle(a, b) {
                self.align((&a[..x], from_a), (&b[..y], from_b));
                self.put(from_a + x, from_b + y, len);
                self.align((&a[x + len..], from_a + x + len), (&b[y + len..], from_b + y + len));
            }
        }
        self.put(from_a + a.len(), from_b + b.len(), end);
    }

    fn put(&mut self, base: usize, side: usize, len: usize) {
        match self.same.last_mut() {
            _ if len == 0 => {}
            Some(last) if last.base + last.len == base && last.side + last.len == side => last.len += len,
            _ => self.same.push(Run { base, side, len }),
        }
    }

    /// The run in the middle of a shortest way through both lists: where it begins in each, and its length, which may be 0.
    /// `None` if there are no steps left.
    fn middle(&mut self, a: &[u32], b: &[u32]) -> Option<(usize, usize, usize)> {
        let (n, m) = (a.len() as isize, b.len() as isize);
        let (delta, most) = (n - m, (n + m + 1) / 2);
        let width = (2 * most + 3) as usize;
        // The farthest place on each diagonal, from the front and from the back.
        let mut far = [vec![0isize; width], vec![0isize; width]];
        let at = |k: isize| (k + most + 1) as usize;
        for d in 0..=most {
            for back in [false, true] {
                let side = usize::from(back);
                let (low, high) = (-d + 2 * (d - m).max(0), d - 2 * (d - n).max(0));
                let mut k = low;
                while k <= high {
                    let below = far[side][at(k + 1)];
                    let above = far[side][at(k - 1)];
                    let mut x = if k == -d || (k != d && above < below) { below } else { above + 1 };
                    let first = x;
                    let same = |x: isize| {
                        let (p, q) = if back { (n - 1 - x, m - 1 - (x - k)) } else { (x, x - k) };
                        a.get(p as usize).is_some_and(|p| b.get(q as usize) == Some(p))
                    };
                    while x < n && x - k < m && same(x) {
                        x += 1;
                    }
                    far[side][at(k)] = x;
                    self.steps = self.steps.checked_sub(1 + (x - first) as usize)?;
                    let other = delta - k;
                    let reach = if back { d } else { d - 1 };
                    let met = (delta % 2 != 0) != back && (-reach..=reach).contains(&other);
                    if met && x + far[1 - side][at(other)] >= n {
                        let x = if back { n - x } else { first };
                        let y = if back { x - delta + k } else { first - k };
                        return Some((x as usize, y as usize, (far[side][at(k)] - first) as usize));
                    }
                    k += 2;
                }
            }
        }
        None
    }
}
