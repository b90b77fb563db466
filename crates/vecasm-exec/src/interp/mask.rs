//! Sets of invocations.

use core::ops::{BitAnd, BitOr, BitOrAssign};
use vecasm_ir::ir::op::Word;

/// A set of invocations out of `64 * N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mask<const N: usize>([u64; N]);

impl<const N: usize> Mask<N> {
    pub(crate) const NONE: Self = Self([0; N]);

    /// The sets of each 64 invocations, the first ones first, as bits.
    pub(crate) const fn words(&self) -> &[u64; N] {
        &self.0
    }

    pub(crate) const fn words_mut(&mut self) -> &mut [u64; N] {
        &mut self.0
    }

    /// The invocations below `count`.
    pub(crate) fn below(count: usize) -> Self {
        Self(core::array::from_fn(|word| match count.saturating_sub(word * 64) {
            0 => 0,
            n @ 1..64 => (1 << n) - 1,
            _ => u64::MAX,
        }))
    }

    /// The invocations whose lane is not zero.
    pub(crate) fn of_true<W: Word>(row: &[[W; 4]]) -> Self {
        let mut mask = Self::NONE;
        for (word, quads) in mask.0.iter_mut().zip(row.chunks(16)) {
            for (i, [a, b, c, d]) in quads.iter().enumerate() {
                let bit = |lane: &W, at: u32| u64::from(lane.low() != 0) << at;
                *word |= (bit(a, 0) | bit(b, 1) | bit(c, 2) | bit(d, 3)) << (i * 4);
            }
        }
        mask
    }

    pub(crate) fn has(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 != 0)
    }

    pub(crate) fn add(&mut self, i: usize) {
        if let Some(word) = self.0.get_mut(i / 64) {
            *word |= 1 << (i % 64);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Those of this set that are not in the other one.
    #[must_use]
    pub(crate) fn without(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Members `4 * i` to `4 * i + 3`, as bits.
    #[inline(always)]
    pub(crate) fn four(&self, i: usize) -> u64 {
        self.0.get(i / 16).map_or(0, |word| word >> (i % 16 * 4)) & 15
    }

    /// The members in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + use<N> {
        self.0.into_iter().enumerate().flat_map(|(at, mut word)| {
            core::iter::from_fn(move || {
                let i = word.trailing_zeros() as usize;
                if word == 0 {
                    return None;
                }
                word &= word - 1;
                Some(at * 64 + i)
            })
        })
    }

    /// Every invocation of a quad of which one is in the set.
    #[must_use]
    pub(crate) fn quads(&self) -> Self {
        Self(self.0.map(|word| {
            let any = word | word >> 1;
            ((any | any >> 2) & 0x1111_1111_1111_1111) * 15
        }))
    }

    /// Whether all members of the first so many fours are in the set.
    pub(crate) fn covers(&self, fours: usize) -> bool {
        *self | Self::below(fours * 4) == *self
    }

    /// Copies some fours to others of the same list in the invocations of the set: from where they start to where those do.
    pub(crate) fn copy<T: Copy>(&self, words: &mut [[T; 4]], quads: usize, (to, from): (usize, usize)) {
        if self.covers(quads) && from + quads <= words.len() && to + quads <= words.len() {
            return words.copy_within(from..from + quads, to);
        }
        for i in 0..quads {
            let Some(&from) = words.get(from + i) else { return };
            let Some(to) = words.get_mut(to + i) else { return };
            self.convert_quad(i, to, &from, |lane| lane);
        }
    }

    /// Writes what `how` makes of the lanes of the invocations of the set.
    pub(crate) fn convert<T, F: Copy>(&self, to: &mut [[T; 4]], from: &[[F; 4]], how: impl Fn(F) -> T) {
        if self.covers(to.len()) {
            for (to, from) in to.iter_mut().zip(from) {
                *to = [how(from[0]), how(from[1]), how(from[2]), how(from[3])];
            }
            return;
        }
        for (i, to) in to.iter_mut().enumerate() {
            let Some(from) = from.get(i) else { return };
            self.convert_quad(i, to, from, &how);
        }
    }

    #[inline(always)]
    fn convert_quad<T, F: Copy>(&self, i: usize, to: &mut [T; 4], from: &[F; 4], how: impl Fn(F) -> T) {
        let four = self.four(i);
        if four == 15 {
            let [a, b, c, d] = *from;
            *to = [how(a), how(b), how(c), how(d)];
        } else if four != 0 {
            for l in 0..4 {
                if four >> l & 1 != 0 {
                    to[l] = how(from[l]);
                }
            }
        }
    }
}

impl<const N: usize> BitAnd for Mask<N> {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(core::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl<const N: usize> BitOr for Mask<N> {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(core::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl<const N: usize> BitOrAssign for Mask<N> {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn members_are_found_across_words() {
        let mut mask = Mask::<3>::NONE;
        for i in [0, 5, 63, 64, 130, 500] {
            mask.add(i);
        }
        assert_eq!(mask.iter().collect::<Vec<_>>(), [0, 5, 63, 64, 130]);
        assert_eq!(
            mask.quads().iter().collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5, 6, 7, 60, 61, 62, 63, 64, 65, 66, 67, 128, 129, 130, 131]
        );
        assert_eq!(Mask::<3>::below(129).iter().collect::<Vec<_>>(), (0..129).collect::<Vec<_>>());
        assert_eq!(Mask::<2>::below(64).without(&Mask::below(62)).iter().collect::<Vec<_>>(), [62, 63]);
        assert!(mask.has(130) && !mask.has(131) && !mask.has(500));
    }

    #[test]
    fn only_members_are_copied() {
        let row = |of: fn(u32) -> u32| -> Vec<[u32; 4]> {
            (0..25).map(|i| [0, 1, 2, 3].map(|l| of(i * 4 + l))).collect()
        };
        let seventh = |i: u32| u32::from(i % 7 == 0);
        let mut words = row(|_| 0);
        words.extend(row(|i| 100 + i));
        Mask::<2>::of_true(&row(seventh)).copy(&mut words, 25, (0, 25));
        assert_eq!(words[..25], row(|i| if i % 7 == 0 { 100 + i } else { 0 }));
        Mask::<2>::below(100).copy(&mut words, 25, (0, 25));
        assert_eq!(words[..25], words[25..]);
        let mut halves = [[0u64; 4]; 25];
        Mask::<2>::below(50).convert(&mut halves, &words[25..], u64::from);
        assert!(
            halves
                .as_flattened()
                .iter()
                .zip(100..)
                .enumerate()
                .all(|(i, (&half, number))| { half == if i < 50 { number } else { 0 } })
        );
    }
}
