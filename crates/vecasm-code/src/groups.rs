//! Which lanes sit in one register.

use crate::graph::LaneId;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// When a lane is alive: from when it is written until it is read for the last time, in parts of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Life {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Life {
    pub(crate) const fn meets(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Both, and what is between them.
    pub(crate) fn with(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// More lanes than this are not put into one register.
const MOST: usize = 96;

/// A lane, and the lane of the register that it must be.
pub(crate) type Member = (LaneId, Option<u8>);

/// Sets of lanes that share a register, where those that are alive at the same time are different lanes of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// The set of each lane.
    of: BTreeMap<LaneId, u32>,
    sets: Vec<Vec<Member>>,
    /// When each lane is alive, as far as is known yet.
    pub(crate) lives: BTreeMap<LaneId, Life>,
    reuse: bool,
}

impl Groups {
    /// No sets; `reuse` says whether a lane of a register is used again once its value is no longer needed.
    pub(crate) fn new(reuse: bool) -> Self {
        Self { reuse, ..Self::default() }
    }

    /// The number of the set of a lane; a lane that is met for the first time is alone.
    pub(crate) fn set(&mut self, lane: LaneId) -> u32 {
        if let Some(&set) = self.of.get(&lane) {
            return set;
        }
        let set = self.sets.len() as u32;
        self.sets.push(vec![(lane, None)]);
        self.of.insert(lane, set);
        set
    }

    /// The set of a lane, if it has one.
    pub(crate) fn known(&self, lane: LaneId) -> Option<u32> {
        self.of.get(&lane).copied()
    }

    /// The sets that are not empty.
    pub(crate) fn sets(&self) -> impl Iterator<Item = &[Member]> {
        self.sets.iter().map(Vec::as_slice).filter(|set| !set.is_empty())
    }

    /// Fixes the lane of the register that a lane is.
    pub(crate) fn fix(&mut self, lane: LaneId, slot: u8) {
        let set = self.set(lane) as usize;
        let member = self.sets.get_mut(set).and_then(|set| set.iter_mut().find(|(other, _)| *other == lane));
        if let Some((_, fixed)) = member {
            *fixed = Some(slot);
        }
    }

    fn sets_of(&mut self, lanes: &[LaneId]) -> Vec<u32> {
        let mut sets: Vec<u32> = lanes.iter().map(|&lane| self.set(lane)).collect();
        sets.sort_unstable();
        sets.dedup();
        sets
    }

    /// Whether members fit into the four lanes of a register.
    fn fits(&self, members: &[Member]) -> bool {
        if members.len() > if self.reuse { MOST } else { 4 } {
            return false;
        }
        let always = Life { start: 0, end: usize::MAX };
        let life = |lane: LaneId| {
            if self.reuse { self.lives.get(&lane).copied().unwrap_or(always) } else { always }
        };
        let mut order: Vec<(Option<u8>, Life)> =
            members.iter().map(|(lane, fixed)| (*fixed, life(*lane))).collect();
        order.sort_by_key(|(fixed, life)| (fixed.is_none(), life.start));
        let mut slots: [Vec<Life>; 4] = Default::default();
        order.into_iter().all(|(fixed, life)| {
            let free = slots.iter_mut().enumerate().find(|(slot, lives)| {
                fixed.is_none_or(|fixed| usize::from(fixed) == *slot)
                    && !lives.iter().any(|of| of.meets(life))
            });
            free.map(|(_, lives)| lives.push(life)).is_some()
        })
    }

    /// Whether lanes can be in one register, with so many more that are alive where `life` is.
    pub(crate) fn can_join(&mut self, lanes: &[LaneId], more: &[Life]) -> bool {
        let sets = self.sets_of(lanes);
        if sets.len() < 2 && more.is_empty() {
            return true;
        }
        let mut members: Vec<Member> =
            sets.iter().filter_map(|set| self.sets.get(*set as usize)).flatten().copied().collect();
        let mut added = Vec::new();
        for (n, life) in more.iter().enumerate() {
            let lane = LaneId(u32::MAX - n as u32);
            self.lives.insert(lane, *life);
            members.push((lane, None));
            added.push(lane);
        }
        let fits = self.fits(&members);
        added.iter().for_each(|lane| {
            self.lives.remove(lane);
        });
        fits
    }

    /// Puts lanes into one register; `false`, and nothing is done, if that cannot be.
    pub(crate) fn join(&mut self, lanes: &[LaneId]) -> bool {
        if !self.can_join(lanes, &[]) {
            return false;
        }
        let sets = self.sets_of(lanes);
        let Some((&to, rest)) = sets.split_first() else { return true };
        for &from in rest {
            let members = core::mem::take(&mut self.sets[from as usize]);
            for (member, _) in &members {
                self.of.insert(*member, to);
            }
            self.sets[to as usize].extend(members);
        }
        true
    }

    /// Puts lanes into those lanes of one register; `false`, and nothing is done, if that cannot be.
    pub(crate) fn place(&mut self, pairs: &[(LaneId, u8)]) -> bool {
        let lanes: Vec<LaneId> = pairs.iter().map(|(lane, _)| *lane).collect();
        let sets = self.sets_of(&lanes);
        let mut members: Vec<Member> =
            sets.iter().filter_map(|set| self.sets.get(*set as usize)).flatten().copied().collect();
        for (lane, fixed) in &mut members {
            if let Some((_, slot)) = pairs.iter().find(|(of, _)| of == lane) {
                if fixed.is_some_and(|fixed| fixed != *slot) {
                    return false;
                }
                *fixed = Some(*slot);
            }
        }
        if !self.fits(&members) {
            return false;
        }
        pairs.iter().for_each(|(lane, slot)| self.fix(*lane, *slot));
        self.join(&lanes)
    }

    /// Lanes take the places of other ones, in their sets too: pairs of the old one and the new one. `false`, and nothing is
    /// done, if that cannot be.
    pub(crate) fn rename(&mut self, pairs: &[(LaneId, LaneId)]) -> bool {
        let lanes: Vec<LaneId> = pairs.iter().flat_map(|(from, to)| [*from, *to]).collect();
        let sets = self.sets_of(&lanes);
        let all: Vec<Member> =
            sets.iter().filter_map(|set| self.sets.get(*set as usize)).flatten().copied().collect();
        let mut members: Vec<Member> = Vec::with_capacity(all.len());
        let mut lives = Vec::new();
        for &(lane, fixed) in &all {
            if pairs.iter().any(|(from, _)| *from == lane) {
                continue;
            }
            let old = pairs.iter().filter(|(_, to)| *to == lane).map(|(from, _)| *from);
            let mut slot = fixed;
            for from in old {
                let other = all.iter().find(|(lane, _)| *lane == from).and_then(|(_, fixed)| *fixed);
                if slot.is_some() && other.is_some() && slot != other {
                    return false;
                }
                slot = slot.or(other);
                if let (Some(a), Some(b)) = (self.lives.get(&from), self.lives.get(&lane)) {
                    lives.push((lane, a.with(*b)));
                }
            }
            members.push((lane, slot));
        }
        let before: Vec<(LaneId, Option<Life>)> =
            lives.iter().map(|(lane, _)| (*lane, self.lives.get(lane).copied())).collect();
        for (lane, life) in lives {
            self.lives.insert(lane, life);
        }
        if !self.fits(&members) {
            for (lane, life) in before {
                if let Some(life) = life {
                    self.lives.insert(lane, life);
                }
            }
            return false;
        }
        let Some((&to, rest)) = sets.split_first() else { return true };
        for &from in rest {
            self.sets[from as usize].clear();
        }
        for (from, _) in pairs {
            self.of.remove(from);
        }
        for (lane, _) in &members {
            self.of.insert(*lane, to);
        }
        self.sets[to as usize] = members;
        true
    }
}
