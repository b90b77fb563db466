//! Sets of invocations.

use crate::ir::op::Word;
use core::ops::{BitAnd, BitOr, BitOrAssign};

/// A set of invocations out of `64 * N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mask<const N: usize>([u64; N]);

impl<const N: usize> Mask<N> {
    pub(super) const NONE: Self = Self([0; N]);

    /// The invocations below `count`.
    pub(super) fn below(count: usize) -> Self {
        Self(core::array::from_fn(|word| match count.saturating_sub(word * 64) {
            0 => 0,
            n @ 1..64 => (1 << n) - 1,
            _ => u64::MAX,
        }))
    }

    /// The invocations whose lane is not zero.
    pub(super) fn of_true<W: Word>(row: &[W]) -> Self {
        let mut mask = Self::NONE;
        for (word, lanes) in mask.0.iter_mut().zip(row.chunks(64)) {
            for (i, lane) in lanes.iter().enumerate() {
                *word |= u64::from(lane.low() != 0) << i;
            }
        }
        mask
    }

    pub(super) fn has(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 != 0)
    }

    pub(super) fn add(&mut self, i: usize) {
        if let Some(word) = self.0.get_mut(i / 64) {
            *word |= 1 << (i % 64);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Those of this set that are not in the other one.
    #[must_use]
    pub(super) fn without(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// The members in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + use<N> {
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
    pub(super) fn quads(&self) -> Self {
        Self(self.0.map(|word| {
            let any = word | word >> 1;
            ((any | any >> 2) & 0x1111_1111_1111_1111) * 15
        }))
    }

    /// Copies the lanes of the invocations of the set.
    pub(super) fn copy<T: Copy>(&self, to: &mut [T], from: &[T]) {
        self.convert(to, from, |lane| lane);
    }

    /// Writes what `how` makes of the lanes of the invocations of the set.
    pub(super) fn convert<T, F: Copy>(&self, to: &mut [T], from: &[F], how: impl Fn(F) -> T) {
        for ((word, to), from) in self.0.iter().zip(to.chunks_mut(64)).zip(from.chunks(64)) {
            if *word == u64::MAX {
                to.iter_mut().zip(from).for_each(|(to, from)| *to = how(*from));
                continue;
            }
            let mut word = *word;
            while word != 0 {
                let i = word.trailing_zeros() as usize;
                if let (Some(to), Some(from)) = (to.get_mut(i), from.get(i)) {
                    *to = how(*from);
                }
                word &= word - 1;
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
    use alloc::vec;
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
        let from: Vec<u32> = (100..200).collect();
        let mut to = vec![0; 100];
        let mask = Mask::<2>::of_true(&(0..100).map(|i| u32::from(i % 7 == 0)).collect::<Vec<_>>());
        mask.copy(&mut to, &from);
        assert!(to.iter().enumerate().all(|(i, &v)| v == if i % 7 == 0 { 100 + i as u32 } else { 0 }));
        Mask::<2>::below(100).copy(&mut to, &from);
        assert_eq!(to, from);
    }
}
