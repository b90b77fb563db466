//! Copies that go because the lanes on both sides can have one name.
//!
//! Two lanes can have one name where neither is written while the other one still holds a value that somebody reads, unless what
//! is written is that value. Which lanes are read later is found from the readers backwards, along every way that a program may
//! take: both branches of a conditional, the next round of a loop, and what leaves one.

use crate::code::{Count, Instr, Target, What};
use crate::graph::LaneId;
use crate::machine::Truth;
use crate::shape::{Code, Places};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

/// How many instructions are visited in all to find what is read later; copies stay when they are used up.
const VISITS: usize = 1 << 22;

/// From which instructions each one is reached.
struct Flow {
    before: Vec<Vec<u32>>,
}

impl Flow {
    fn of(list: &[Instr]) -> Self {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); list.len() + 1];
        // Conditionals that are open, each with its second branch; loops, each with what leaves it.
        let mut conditionals: Vec<(usize, Option<usize>)> = Vec::new();
        let mut loops: Vec<(usize, Vec<u32>)> = Vec::new();
        for (at, instr) in list.iter().enumerate() {
            let now = at as u32;
            let mut falls = true;
            match instr.what {
                What::If(_) => conditionals.push((at, None)),
                What::Else => {
                    if let Some((begin, middle)) = conditionals.last_mut() {
                        *middle = Some(at);
                        before[at + 1].push(*begin as u32);
                    }
                    falls = false;
                }
                What::EndIf => {
                    if let Some((begin, middle)) = conditionals.pop() {
                        before[at].push(middle.unwrap_or(begin) as u32);
                    }
                }
                // Where there is no round, what follows the loop follows its first instruction.
                What::Loop(Count::Constant { .. } | Count::Number(_)) => loops.push((at, vec![now])),
                What::Loop(Count::Endless) => loops.push((at, Vec::new())),
                What::EndLoop => {
                    if let Some((begin, exits)) = loops.pop() {
                        before[begin].push(now);
                        before[at + 1].extend(exits);
                    }
                    falls = false;
                }
                What::Break | What::Continue => {
                    if let Some((begin, exits)) = loops.last_mut() {
                        match instr.what {
                            What::Break => exits.push(now),
                            _ => before[*begin].push(now),
                        }
                    }
                    falls = false;
                }
                _ => {}
            }
            if falls {
                before[at + 1].push(now);
            }
        }
        Self { before }
    }

    /// Whether a lane is still read behind each instruction, of one that is written and read there; `None` if `visits` are used up.
    fn alive_behind(&self, written: &[usize], read: &[usize], visits: &mut usize) -> Option<Vec<bool>> {
        let mut ends = vec![false; self.before.len()];
        written.iter().for_each(|&at| ends[at] = true);
        let mut alive = vec![false; self.before.len()];
        let mut open: Vec<u32> = read.iter().flat_map(|&at| &self.before[at]).copied().collect();
        while let Some(at) = open.pop() {
            *visits = visits.checked_sub(1)?;
            let at = at as usize;
            if !core::mem::replace(&mut alive[at], true) && !ends[at] {
                open.extend(&self.before[at]);
            }
        }
        Some(alive)
    }
}

impl Places {
    /// A lane takes the name of another one.
    fn rename(&mut self, from: LaneId, to: LaneId) {
        for map in [&mut self.written, &mut self.read] {
            let mut moved = map.remove(&from).unwrap_or_default();
            let known = map.entry(to).or_default();
            known.append(&mut moved);
            known.sort_unstable();
            known.dedup();
        }
    }
}

/// A copy of one lane: what it writes, and what it reads.
type Pair = (LaneId, LaneId);

impl Code<'_> {
    /// Gives the lanes on both sides of copies one name, where that is possible.
    pub(crate) fn coalesce(&mut self) {
        let flow = Flow::of(&self.list);
        let mut places = self.places();
        let mut visits = VISITS;
        // Lanes that number registers are in registers of their own.
        let mut apart = self.indices();
        for instr in self.list.iter().filter(|instr| instr.target == Target::Address) {
            apart.extend(instr.results.iter().map(|written| written.lane));
        }
        // What the second branches do besides is known only when other copies are gone.
        for last in [false, true] {
            for at in 0..self.list.len() {
                if self.is_plain_copy(at) && !self.list[at].results.is_empty() {
                    self.coalesce_at(at, last, &flow, &mut places, &apart, &mut visits);
                }
            }
            self.drop_own_copies();
        }
    }

    /// Gives the lanes of a copy one name, with the copies beside it of lanes of the same register: those go together, or one by one.
    fn coalesce_at(
        &mut self,
        at: usize,
        last: bool,
        flow: &Flow,
        places: &mut Places,
        apart: &BTreeSet<LaneId>,
        visits: &mut usize,
    ) {
        let region = self.list[at].region;
        let run = (at..self.list.len())
            .take_while(|&n| self.is_plain_copy(n) && self.list[n].region == region)
            .count();
        let own = self.list[at].sources[0].lanes.first().map(|&from| self.groups.set(from));
        let mut together: Vec<Pair> = Vec::new();
        for n in at..at + run {
            let Some(pair) = self.pair(n) else { continue };
            if self.given(pair.1).is_none()
                && Some(self.groups.set(pair.1)) == own
                && self.is_better_gone(n, last, places)
                && self.can_be_one_name(pair, flow, places, apart, visits)
            {
                together.push(pair);
            }
        }
        let first = self.pair(at).filter(|first| together.contains(first));
        if !self.unite(&together, places) {
            if let Some(first) = first {
                self.unite(&[first], places);
            }
        }
    }

    fn is_plain_copy(&self, at: usize) -> bool {
        self.list[at].what == What::Copy && self.list[at].target == Target::Temporary
    }

    /// The lanes of a copy of one lane.
    fn pair(&self, at: usize) -> Option<Pair> {
        match (&self.list[at].results[..], &self.list[at].sources[..]) {
            ([to], [from]) => Some((to.lane, *from.lanes.first()?)),
            _ => None,
        }
    }

    /// Whether two lanes can have one name.
    fn can_be_one_name(
        &self,
        (to, from): Pair,
        flow: &Flow,
        places: &Places,
        apart: &BTreeSet<LaneId>,
        visits: &mut usize,
    ) -> bool {
        if to == from || apart.contains(&to) || apart.contains(&from) {
            return false;
        }
        let of = |map: &BTreeMap<LaneId, Vec<usize>>, lane| map.get(&lane).cloned().unwrap_or_default();
        [(to, from), (from, to)].iter().all(|&(one, other)| {
            let (written, read) = (of(&places.written, other), of(&places.read, other));
            let Some(alive) = flow.alive_behind(&written, &read, visits) else { return false };
            of(&places.written, one).iter().all(|&at| {
                let instr = &self.list[at];
                let is_copy = instr.what == What::Copy
                    && instr
                        .results
                        .iter()
                        .zip(&instr.sources[0].lanes)
                        .all(|(of, lane)| of.lane != one || *lane == other);
                let both = written.contains(&at);
                let in_parts = self.writes_early(instr) && read.contains(&at);
                is_copy || !(alive[at] || both || in_parts)
            })
        })
    }

    /// Whether a copy that could go should go: some only in the last pass.
    fn is_better_gone(&self, at: usize, last: bool, places: &Places) -> bool {
        let Some((first, begin)) = self.branch_start(at) else { return true };
        let made = self.pair(at).and_then(|(_, from)| places.written.get(&from));
        if first != begin || made.is_some_and(|made| made.iter().all(|made| (begin..at).contains(made))) {
            return true;
        }
        // Some targets have no empty branches, and not every test has an opposite.
        let stays_filled = self.machine.truth == Truth::Mask
            || self.list[begin..at].iter().any(|instr| !matches!(instr.what, What::If(_) | What::Copy));
        // Where the second branch only copies what is there, that is better done in front of the conditional.
        last && stays_filled && !self.has_defaults(at)
    }

    /// Whether the second branch of the conditional, in the first branch of which a copy stands, only copies given lanes to where that
    /// copy goes.
    fn has_defaults(&self, at: usize) -> bool {
        let Some((to, _)) = self.pair(at) else { return false };
        let mut depth = 0usize;
        let mut rest = self.list[at..].iter();
        let behind = rest.by_ref().find(|instr| {
            match instr.what {
                What::If(_) => depth += 1,
                What::EndIf if depth > 0 => depth -= 1,
                What::Else | What::EndIf => return depth == 0,
                _ => {}
            }
            false
        });
        if behind.is_none_or(|instr| instr.what != What::Else) {
            return false;
        }
        let (mut met, mut ended) = (false, false);
        for instr in rest {
            if instr.what == What::EndIf {
                ended = true;
                break;
            }
            let lanes = instr.sources.iter().flat_map(|source| &source.lanes);
            let plain = instr.what == What::Copy && instr.target == Target::Temporary;
            if !plain || lanes.clone().any(|&lane| self.given(lane).is_none()) {
                return false;
            }
            met |= instr.results.iter().any(|written| written.lane == to);
        }
        met && ended
    }

    /// Gives both lanes of each pair the name of what is written.
    fn unite(&mut self, pairs: &[Pair], places: &mut Places) -> bool {
        let lanes: BTreeSet<LaneId> = pairs.iter().flat_map(|&(to, from)| [to, from]).collect();
        let renamed: Vec<(LaneId, LaneId)> = pairs.iter().map(|&(to, from)| (from, to)).collect();
        // A lane that is copied to two others has one name.
        if pairs.is_empty() || lanes.len() != 2 * pairs.len() || !self.groups.rename(&renamed) {
            return false;
        }
        for (from, to) in renamed {
            places.rename(from, to);
            let here = [places.written.get(&to), places.read.get(&to)];
            for &met in here.into_iter().flatten().flatten() {
                let instr = &mut self.list[met];
                let renamed = |lane: &mut LaneId| {
                    if *lane == from {
                        *lane = to;
                    }
                };
                instr.results.iter_mut().for_each(|written| renamed(&mut written.lane));
                instr.sources.iter_mut().flat_map(|source| &mut source.lanes).for_each(renamed);
            }
        }
        true
    }

    /// Drops copies of lanes to themselves.
    fn drop_own_copies(&mut self) {
        for at in 0..self.list.len() {
            if !self.is_plain_copy(at) {
                continue;
            }
            let instr = &mut self.list[at];
            let lanes = core::mem::take(&mut instr.sources[0].lanes);
            let both = core::mem::take(&mut instr.results).into_iter().zip(lanes);
            let (results, lanes) = both.filter(|(written, lane)| written.lane != *lane).unzip();
            (instr.results, instr.sources[0].lanes) = (results, lanes);
        }
    }
}
