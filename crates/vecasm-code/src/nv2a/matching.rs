//! The most pairs that a graph has, by Edmonds' algorithm: no schedule can have more, whatever its order.

use super::Bits;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

const NONE: u16 = u16::MAX;

/// Pairs of vertices of a graph, no vertex in two.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    mate: Vec<u16>,
    pairs: usize,
}

/// What a search for one more pair knows of the graph.
struct Search<'a> {
    edges: &'a [Bits],
    parent: Vec<u16>,
    base: Vec<u16>,
    even: Bits,
    queue: VecDeque<u16>,
}

impl Matching {
    /// A largest one.
    pub(super) fn of(edges: &[Bits]) -> Self {
        let mut out = Self { mate: alloc::vec![NONE; edges.len()], pairs: 0 };
        // What can be had at once first.
        for (n, of) in edges.iter().enumerate() {
            if out.mate(n).is_none() {
                if let Some(to) = of.iter().find(|to| out.mate(*to).is_none()) {
                    out.join(n, to);
                    out.pairs += 1;
                }
            }
        }
        let free: Vec<u16> = (0..edges.len()).filter(|n| out.mate(*n).is_none()).map(|n| n as u16).collect();
        out.grow(edges, &free);
        out
    }

    pub(super) fn pairs(&self) -> usize {
        self.pairs
    }

    pub(super) fn mate(&self, n: usize) -> Option<usize> {
        self.mate.get(n).filter(|mate| **mate != NONE).map(|mate| usize::from(*mate))
    }

    fn join(&mut self, a: usize, b: usize) {
        self.mate[a] = b as u16;
        self.mate[b] = a as u16;
    }

    /// Parts a vertex from its mate.
    fn part(&mut self, n: usize) {
        if let Some(mate) = self.mate(n) {
            self.mate[n] = NONE;
            self.mate[mate] = NONE;
            self.pairs -= 1;
        }
    }

    /// Makes it a largest one of a graph that has lost edges.
    pub(super) fn keep(&mut self, edges: &[Bits]) {
        let mut free = Vec::new();
        for (n, of) in edges.iter().enumerate() {
            if let Some(mate) = self.mate(n).filter(|mate| !of.has(*mate)) {
                self.part(n);
                free.extend([n as u16, mate as u16]);
            }
        }
        self.grow(edges, &free);
    }

    /// Finds pairs until there are as many as there can be: one more has an end among these.
    fn grow(&mut self, edges: &[Bits], free: &[u16]) {
        for n in free.iter().map(|n| usize::from(*n)) {
            if self.mate(n).is_none() && !edges[n].is_empty() {
                self.augment(edges, n);
            }
        }
    }

    /// Looks for a path from an unmatched vertex that has one pair more.
    fn augment(&mut self, edges: &[Bits], root: usize) {
        let count = edges.len();
        let mut search = Search {
            edges,
            parent: alloc::vec![NONE; count],
            base: (0..count).map(|n| n as u16).collect(),
            even: Bits::default(),
            queue: VecDeque::from([root as u16]),
        };
        search.even.set(root);
        while let Some(at) = search.queue.pop_front() {
            let at = usize::from(at);
            for to in search.edges[at].iter() {
                if search.base[at] == search.base[to] || self.mate(at) == Some(to) {
                    continue;
                }
                let known = to == root || self.mate(to).is_some_and(|mate| search.parent[mate] != NONE);
                if known {
                    search.shrink(self, at, to);
                } else if search.parent[to] == NONE {
                    search.parent[to] = at as u16;
                    let Some(mate) = self.mate(to) else {
                        self.flip(&search.parent, to);
                        return;
                    };
                    search.even.set(mate);
                    search.queue.push_back(mate as u16);
                }
            }
        }
    }

    /// Exchanges what is matched along a path.
    fn flip(&mut self, parent: &[u16], end: usize) {
        let mut at = Some(end);
        while let Some(n) = at {
            let from = usize::from(parent[n]);
            let next = self.mate(from);
            self.join(n, from);
            at = next;
        }
        self.pairs += 1;
    }
}

impl Search<'_> {
    /// Makes one vertex of an odd cycle.
    fn shrink(&mut self, matching: &Matching, a: usize, b: usize) {
        let base = self.common(matching, a, b);
        let mut inside = Bits::default();
        self.mark(matching, a, base, b, &mut inside);
        self.mark(matching, b, base, a, &mut inside);
        for n in 0..self.base.len() {
            if inside.has(self.base[n].into()) {
                self.base[n] = base as u16;
                if !self.even.has(n) {
                    self.even.set(n);
                    self.queue.push_back(n as u16);
                }
            }
        }
    }

    fn mark(&mut self, matching: &Matching, mut n: usize, base: usize, mut child: usize, inside: &mut Bits) {
        while usize::from(self.base[n]) != base {
            let Some(mate) = matching.mate(n) else { return };
            inside.set(self.base[n].into());
            inside.set(self.base[mate].into());
            self.parent[n] = child as u16;
            child = mate;
            n = self.parent[mate].into();
        }
    }

    /// Where the ways of two vertices to the root meet.
    fn common(&self, matching: &Matching, a: usize, b: usize) -> usize {
        let mut seen = Bits::default();
        let mut n = a;
        loop {
            n = self.base[n].into();
            seen.set(n);
            match matching.mate(n) {
                Some(mate) if self.parent[mate] != NONE => n = self.parent[mate].into(),
                _ => break,
            }
        }
        n = b;
        loop {
            n = self.base[n].into();
            if seen.has(n) {
                return n;
            }
            match matching.mate(n) {
                Some(mate) if self.parent[mate] != NONE => n = self.parent[mate].into(),
                // Both come from one root.
                _ => return n,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most pairs, by trying all.
    fn most(edges: &[Bits], free: &mut Bits) -> usize {
        let Some(n) = free.iter().next() else { return 0 };
        free.clear(n);
        let mut best = most(edges, free);
        for to in edges[n].iter() {
            if free.has(to) {
                free.clear(to);
                best = best.max(1 + most(edges, free));
                free.set(to);
            }
        }
        free.set(n);
        best
    }

    /// Small graphs, with odd cycles and without: the most pairs by enumeration are those of the algorithm.
    #[test]
    fn no_matching_is_larger() {
        let mut state = 1_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        for round in 0..3000 {
            let count = 2 + round % 8;
            let mut edges = alloc::vec![Bits::default(); count];
            for a in 0..count {
                for b in 0..a {
                    if next() % 10 < 3 + round % 3 {
                        edges[a].set(b);
                        edges[b].set(a);
                    }
                }
            }
            let mut all = Bits::default();
            (0..count).for_each(|n| all.set(n));
            let matching = Matching::of(&edges);
            assert_eq!(matching.pairs(), most(&edges, &mut all), "{edges:?}");
            let matched = (0..count).filter(|n| matching.mate(*n).is_some()).count();
            assert_eq!(matched, matching.pairs() * 2);
            for (n, of) in edges.iter().enumerate() {
                if let Some(mate) = matching.mate(n) {
                    assert!(of.has(mate) && matching.mate(mate) == Some(n));
                }
            }
        }
    }
}
