//! How often invocations may still go round.

use super::mask::Mask;
use alloc::vec::Vec;

/// Rounds of different invocations that are remembered before they are counted for each invocation.
const REMEMBERED: usize = 512;

/// The fuel of the invocations of a pack. What it costs to count for each of them is put off until one of them may have none
/// left, which is hardly ever.
#[derive(Clone, Debug)]
pub(super) struct Fuel<const N: usize> {
    /// What everybody started with.
    start: u64,
    /// What everybody who is not out of fuel has left at least.
    sure: u64,
    /// Who has taken how much, one after another, beside what is taken from `left`.
    taken: Vec<(Mask<N>, u64)>,
    /// What each has left; empty as long as nobody has counted.
    left: Vec<u64>,
    /// Who has run out of it.
    out: Mask<N>,
}

impl<const N: usize> Fuel<N> {
    pub(super) const NONE: Self =
        Self { start: 0, sure: 0, taken: Vec::new(), left: Vec::new(), out: Mask::NONE };

    /// Gives so much to everybody.
    pub(super) fn fill(&mut self, fuel: u64) {
        (self.start, self.sure, self.out) = (fuel, fuel, Mask::NONE);
        self.taken.clear();
        self.left.clear();
    }

    /// Takes one unit from each invocation of `mask`, and says which of them had none.
    pub(super) fn burn(&mut self, mask: Mask<N>) -> Mask<N> {
        if self.sure == 0 {
            return self.count(mask);
        }
        self.sure -= 1;
        match self.taken.last_mut() {
            Some((last, times)) if *last == mask => *times += 1,
            _ => {
                if self.taken.len() == REMEMBERED {
                    self.settle();
                }
                self.taken.push((mask, 1));
            }
        }
        Mask::NONE
    }

    /// [`burn`](Self::burn), for each invocation.
    #[cold]
    fn count(&mut self, mask: Mask<N>) -> Mask<N> {
        self.settle();
        let mut empty = Mask::NONE;
        for i in mask.iter() {
            match self.left.get_mut(i).map(|left| (left.checked_sub(1), left)) {
                Some((Some(rest), left)) => *left = rest,
                _ => empty.add(i),
            }
        }
        self.out |= empty;
        let rest = self.left.iter().enumerate().filter(|(i, _)| !self.out.has(*i));
        self.sure = rest.map(|(_, left)| *left).min().unwrap_or(0);
        empty
    }

    /// Takes from each what it has taken.
    fn settle(&mut self) {
        if self.left.is_empty() {
            self.left.resize(64 * N, self.start);
        }
        for (mask, times) in self.taken.drain(..) {
            for i in mask.iter() {
                if let Some(left) = self.left.get_mut(i) {
                    *left = left.saturating_sub(times);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a number for each, with sets that change all the time and some that stay.
    #[test]
    fn everybody_runs_out_when_it_has_gone_round_so_often() {
        let mut random = 1_u64;
        for start in [0, 1, 2, 9, 700, 2_000] {
            let mut fuel = Fuel::<2>::NONE;
            fuel.fill(start);
            let mut left = [start; 128];
            let mut mask = Mask::<2>::below(128);
            let mut gone = 0;
            for round in 0..9_000 {
                if round % 700 < 500 {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    mask = Mask::NONE;
                    (0..128).filter(|i| random >> (i % 61) & 1 != 0).for_each(|i| mask.add(i));
                }
                // Who has run out does not go on.
                mask = mask.without(&fuel.out);
                let empty = fuel.burn(mask);
                for i in mask.iter() {
                    assert_eq!(empty.has(i), left[i] == 0, "{start} {round} {i}");
                    left[i] = left[i].saturating_sub(1);
                }
                gone += empty.iter().count();
            }
            assert_eq!(gone, 128, "{start}");
        }
    }
}
