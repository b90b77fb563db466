//! Three-way merges: what must hold of all, and what `git merge-file` made of some.

use vecasm_debug::compare::merge::{Merge, Names, Origin, merge};

const NAMES: Names<'_> = Names { a: "A", base: "BASE", b: "B" };

/// `merge/*.txt` have the command that made them in their first line.
#[test]
fn git_merges_in_the_same_way() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/debug/merge");
    let mut seen = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let (head, rest) = text.split_once("== base\n").unwrap();
        let (base, rest) = rest.split_once("== a\n").unwrap();
        let (a, rest) = rest.split_once("== b\n").unwrap();
        let (b, wanted) = rest.split_once("== merged\n").unwrap();
        let [base, a, b] = [base, a, b].map(|text| text.lines().collect::<Vec<_>>());
        let made = merge(&base, &a, &b);
        let merged: String =
            made.texts(&base, &a, &b, NAMES).iter().map(|line| format!("{line}\n")).collect();
        assert_eq!(merged, wanted, "{}", path.display());
        let conflicts: usize = head.trim_end().rsplit(' ').next().unwrap().parse().unwrap();
        assert_eq!(made.count(Origin::Conflict), conflicts, "{}", path.display());
        seen += 1;
    }
    assert!(seen > 20);
}

/// Numbers that look random: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % most
    }

    fn list(&mut self) -> Vec<String> {
        let (len, words) = (self.below(24), 1 + self.below(12));
        (0..len).map(|_| self.below(words).to_string()).collect()
    }

    fn edited(&mut self, of: &[String]) -> Vec<String> {
        let mut out = of.to_vec();
        for _ in 0..self.below(5) {
            let at = self.below(out.len() + 1);
            let word = (100 + self.below(4)).to_string();
            match self.below(3) {
                0 => out.insert(at, word),
                1 if at < out.len() => drop(out.remove(at)),
                _ if at < out.len() => out[at] = word,
                _ => {}
            }
        }
        out
    }
}

fn texts(made: &Merge, [base, a, b]: [&[String]; 3]) -> Vec<String> {
    made.texts(base, a, b, NAMES)
}

/// The longest list of what two lists share, by the definition.
fn shared(a: &[String], b: &[String]) -> usize {
    let mut best = vec![vec![0; b.len() + 1]; a.len() + 1];
    for x in 0..a.len() {
        for y in 0..b.len() {
            best[x + 1][y + 1] =
                if a[x] == b[y] { best[x][y] + 1 } else { best[x][y + 1].max(best[x + 1][y]) };
        }
    }
    best[a.len()][b.len()]
}

#[test]
fn merges_keep_their_laws() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut conflicts = 0;
    for _ in 0..4000 {
        let base = random.list();
        let a = if random.below(4) == 0 { random.list() } else { random.edited(&base) };
        let b = if random.below(4) == 0 { random.list() } else { random.edited(&base) };
        assert_eq!(texts(&merge(&base, &a, &base), [&base, &a, &base]), a);
        assert_eq!(texts(&merge(&base, &base, &b), [&base, &base, &b]), b);
        assert_eq!(texts(&merge(&base, &a, &a), [&base, &a, &a]), a);
        let (one, other) = (merge(&base, &a, &b), merge(&base, &b, &a));
        assert_eq!(one.chunks.len(), other.chunks.len());
        let mut at = [0, 0, 0];
        for (x, y) in one.chunks.iter().zip(&other.chunks) {
            let swapped = match x.origin {
                Origin::First => Origin::Second,
                Origin::Second => Origin::First,
                same => same,
            };
            assert_eq!((swapped, &x.base, &x.a, &x.b), (y.origin, &y.base, &y.b, &y.a));
            // Every list is all of its ranges.
            assert_eq!(at, [x.base.start, x.a.start, x.b.start]);
            at = [x.base.end, x.a.end, x.b.end];
            conflicts += usize::from(x.origin == Origin::Conflict);
        }
        assert_eq!(at, [base.len(), a.len(), b.len()]);
        // As much of the base stays as can.
        let kept = merge(&base, &a, &base);
        let kept: usize = kept.chunks.iter().filter(|c| c.origin == Origin::Base).map(|c| c.base.len()).sum();
        assert_eq!(kept, shared(&base, &a), "{base:?} {a:?}");
    }
    assert!(conflicts > 1000, "{conflicts}");
}

#[test]
fn large_lists_take_a_bounded_time() {
    // An instruction in front and one behind, of 30,000.
    let base: Vec<String> = (0..30_000).map(|n| format!("add r0, r0, c{}", n % 7 + n / 1000)).collect();
    let a: Vec<String> = ["dcl v0".to_string()].into_iter().chain(base.iter().cloned()).collect();
    let b: Vec<String> = base.iter().cloned().chain(["mov oC0, r0".to_string()]).collect();
    let made = merge(&base, &a, &b);
    assert!(made.is_clean());
    assert_eq!(made.texts(&base, &a, &b, NAMES).len(), 30_002);
    // Nothing in order: what is not aligned in time is a conflict, whatever it is.
    let mut random = Random(7);
    let mut noise = || -> Vec<String> { (0..40_000).map(|_| random.below(50).to_string()).collect() };
    let [base, a, b] = [noise(), noise(), noise()];
    let started = std::time::Instant::now();
    assert!(!merge(&base, &a, &b).is_clean());
    assert!(started.elapsed().as_secs() < 60);
}
