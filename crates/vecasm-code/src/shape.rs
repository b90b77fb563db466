//! Instructions whose sources are registers: copies that disappear, and copies that are needed.
//!
//! A source reads lanes of one register. [`shape`] first lets whoever computes a lane write it where it is copied to, then puts the lanes of each source into one register, and copies only what cannot be there.

use crate::code::{Instr, Source, Target, Test, What, Written};
use crate::graph::{Def, Graph, LaneId};
use crate::groups::{Groups, Life};
use crate::machine::{Constants, Kind, Machine, Truth};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::Pure;

/// A register that no instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Given {
    Input(u32),
    Vertex {
        input: u32,
        vertex: u16,
    },
    Param {
        array: u32,
        index: u32,
    },
    ParamAt {
        array: u32,
        offset: i32,
        index: LaneId,
    },
    /// Literals, whichever register they will be in.
    Literal,
}

impl Given {
    /// The register that holds a lane without an instruction, and which lane of it that is.
    pub(crate) fn of(def: &Def) -> Option<(Self, u8)> {
        Some(match *def {
            Def::Const(_) => (Self::Literal, 0),
            Def::Input { input, lane } => (Self::Input(input.0), lane),
            Def::Vertex { input, vertex, lane } => (Self::Vertex { input: input.0, vertex }, lane),
            Def::Param { array, index, lane } => (Self::Param { array, index }, lane),
            Def::ParamAt { array, offset, index, lane, .. } => (Self::ParamAt { array, offset, index }, lane),
            _ => return None,
        })
    }

    /// Whether it counts as a constant.
    pub(crate) const fn is_constant(self) -> bool {
        !matches!(self, Self::Input(_) | Self::Vertex { .. })
    }
}

/// What tells registers apart: a given one, or the set of lanes that share one.
type RegisterKey = (Option<Given>, Option<u32>);

/// Instructions with what is known of their lanes.
pub(crate) struct Code<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) machine: &'a Machine,
    pub(crate) list: Vec<Instr>,
    pub(crate) groups: Groups,
    /// What the lanes behind those of the graph are copies of.
    pub(crate) copies: Vec<LaneId>,
    /// Copies of given lanes that number registers, in registers for that.
    loaded: BTreeMap<LaneId, LaneId>,
    /// The part of the instruction that is being looked at.
    now: usize,
}

impl Code<'_> {
    /// The register that holds a lane without an instruction, and which lane of it that is.
    pub(crate) fn given(&self, lane: LaneId) -> Option<(Given, u8)> {
        Given::of(&self.graph.lanes.get(lane.index())?.def)
    }

    /// The lane that numbers a register.
    pub(crate) fn index_lane(&self, index: LaneId) -> LaneId {
        if self.machine.addresses > 0 {
            return self.loaded.get(&index).copied().unwrap_or(index);
        }
        match self.graph.operation(index) {
            Some((Pure::ToI32, &[x])) => x,
            _ => index,
        }
    }

    /// Calls `f` for each lane of a register that an instruction reads, with the index of what is indexed.
    pub(crate) fn for_each_read(&self, instr: &Instr, mut f: impl FnMut(LaneId)) {
        for lane in instr.sources.iter().flat_map(|source| &source.lanes) {
            match self.given(*lane) {
                None => f(*lane),
                Some((Given::ParamAt { index, .. }, _)) => {
                    let index = self.index_lane(index);
                    if self.given(index).is_none() {
                        f(index);
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// The kind of the row of an instruction; of a copy, lane by lane.
    pub(crate) fn kind(&self, instr: &Instr) -> Option<Kind> {
        match instr.what {
            What::Row(row) => Some(self.machine.rows[usize::from(row)].kind),
            What::Copy | What::Index => Some(Kind::PerLane),
            _ => None,
        }
    }

    fn new_copy(&mut self, of: LaneId) -> LaneId {
        let id = LaneId((self.graph.lanes.len() + self.copies.len()) as u32);
        self.copies.push(of);
        id
    }
}

/// Where each lane is written to a register that is no output, and read: places in the list of instructions, in order.
pub(crate) struct Places {
    pub(crate) written: BTreeMap<LaneId, Vec<usize>>,
    pub(crate) read: BTreeMap<LaneId, Vec<usize>>,
}

/// Gives every source of every instruction a register.
///
/// With `reuse`, a register that lanes share holds one after another in the same lane. That saves copies, and is harder to place.
pub(crate) fn shape<'a>(graph: &'a Graph, machine: &'a Machine, list: Vec<Instr>, reuse: bool) -> Code<'a> {
    let groups = Groups::new(reuse);
    let mut code = Code { graph, machine, list, groups, copies: Vec::new(), loaded: BTreeMap::new(), now: 0 };
    code.exchange();
    code.index();
    if machine.reads.whole {
        code.fill_reads();
    }
    code.groups.lives = code.lives();
    code.group_results();
    code.fold_copies();
    code.gather();
    code.drop_empty_branches();
    code
}

/// Where a loop begins and ends in a list of instructions, inner loops first.
fn loops(list: &[Instr]) -> Vec<(usize, usize)> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for (at, instr) in list.iter().enumerate() {
        match instr.what {
            What::Loop(_) => open.push(at),
            What::EndLoop => found.extend(open.pop().map(|begin| (begin, at))),
            _ => {}
        }
    }
    found
}

impl Code<'_> {
    /// Copies that a loop makes all at once become copies one after another: no lane is written that is still to be read.
    fn exchange(&mut self) {
        let list = core::mem::take(&mut self.list);
        for instr in list {
            if !instr.pinned {
                self.list.push(instr);
                continue;
            }
            let from = instr.sources.first().map_or(&[][..], |source| &source.lanes);
            let mut open: Vec<[LaneId; 2]> =
                instr.results.iter().zip(from).map(|(written, from)| [written.lane, *from]).collect();
            let copy = |this: &mut Self, to: LaneId, from: LaneId| {
                let mut one = Instr::new(What::Copy, instr.region);
                one.pinned = true;
                one.steps.clone_from(&instr.steps);
                one.results.push(Written { lane: to, slot: None });
                one.sources.push(Source::of(vec![from]));
                this.list.push(one);
            };
            while !open.is_empty() {
                let free = open
                    .iter()
                    .position(|[to, _]| open.iter().all(|[other, from]| from != to || other == to));
                match free {
                    Some(n) => {
                        let [to, from] = open.remove(n);
                        copy(self, to, from);
                    }
                    // Lanes change places: one of them is kept elsewhere.
                    None => {
                        let from = open[0][1];
                        let kept = self.new_copy(from);
                        copy(self, kept, from);
                        open.iter_mut().filter(|[_, other]| *other == from).for_each(|pair| pair[1] = kept);
                    }
                }
            }
        }
    }

    /// Lanes that number registers go to registers for that, where the machine has them.
    fn index(&mut self) {
        if self.machine.addresses == 0 {
            return;
        }
        let mut indices: Vec<LaneId> = Vec::new();
        for lane in self.list.iter().flat_map(|instr| &instr.sources).flat_map(|source| &source.lanes) {
            if let Some((Given::ParamAt { index, .. }, _)) = self.given(*lane) {
                indices.push(index);
            }
        }
        indices.sort_unstable();
        indices.dedup();
        // What loads an index of a float writes there; every other lane is copied.
        let mut moved: BTreeMap<LaneId, LaneId> = BTreeMap::new();
        let list = core::mem::take(&mut self.list);
        for mut instr in list {
            let loads = match instr.what {
                What::Row(row) => Some(self.machine.rows[usize::from(row)].code) == self.machine.index,
                _ => false,
            };
            let own: Vec<LaneId> = instr
                .results
                .iter()
                .map(|written| written.lane)
                .filter(|lane| indices.contains(lane) && !matches!(instr.target, Target::Output(_)))
                .collect();
            if loads {
                instr.target = Target::Address;
                self.list.push(instr);
                continue;
            }
            for &lane in &own {
                let known = moved.get(&lane).copied();
                let copy = known.unwrap_or_else(|| self.new_copy(lane));
                moved.insert(lane, copy);
            }
            let renamed = |lane: &mut LaneId| {
                if let Some(copy) = moved.get(lane) {
                    *lane = *copy;
                }
            };
            instr.results.iter_mut().for_each(|written| renamed(&mut written.lane));
            instr.sources.iter_mut().flat_map(|source| &mut source.lanes).for_each(renamed);
            let region = instr.region;
            self.list.push(instr);
            for lane in own {
                let mut load = Instr::new(What::Index, region);
                load.target = Target::Address;
                load.results.push(Written { lane, slot: None });
                load.sources.push(Source::of(vec![moved.get(&lane).copied().unwrap_or(lane)]));
                self.list.push(load);
            }
        }
        // Numbers of constants and inputs are loaded where the program begins.
        let given: Vec<LaneId> = indices.into_iter().filter(|&lane| self.given(lane).is_some()).collect();
        for lane in given {
            let copy = self.new_copy(lane);
            self.loaded.insert(lane, copy);
            let mut load = Instr::new(What::Index, 0);
            load.target = Target::Address;
            load.results.push(Written { lane: copy, slot: None });
            load.sources.push(Source::of(vec![lane]));
            self.list.insert(0, load);
        }
        if self.machine.has_one_index() {
            self.load_again();
        }
    }

    /// Loads the only index that there is again where another one was loaded in between.
    fn load_again(&mut self) {
        let list = core::mem::take(&mut self.list);
        let loads = |instr: &Instr| instr.target == Target::Address;
        let mut all: BTreeMap<LaneId, Instr> = BTreeMap::new();
        for instr in list.iter().filter(|instr| loads(instr)) {
            // Each alone.
            for (n, written) in instr.results.iter().enumerate() {
                let lane = |source: &Source| source.lanes.get(n).copied().into_iter().collect();
                let sources =
                    instr.sources.iter().map(|source| Source { lanes: lane(source), ..source.clone() });
                let one = Instr { results: vec![*written], sources: sources.collect(), ..instr.clone() };
                all.insert(written.lane, one);
            }
        }
        let mut held = None;
        for instr in list.into_iter().filter(|instr| !loads(instr)) {
            // Other branches and rounds may have loaded another one.
            if instr.what.is_flow() {
                held = None;
            }
            self.with_indices(instr, &all, &mut held, all.len());
        }
    }

    /// Appends an instruction with the loads of what it indexes by. Of all indices but the last one it reads copies.
    fn with_indices(
        &mut self,
        mut instr: Instr,
        all: &BTreeMap<LaneId, Instr>,
        held: &mut Option<LaneId>,
        depth: usize,
    ) {
        let index_of = |this: &Self, lane: LaneId| match this.given(lane) {
            Some((Given::ParamAt { index, .. }, _)) => Some(this.index_lane(index)),
            _ => None,
        };
        let mut wanted: Vec<LaneId> = Vec::new();
        for lane in instr.sources.iter().flat_map(|source| &source.lanes) {
            wanted.extend(index_of(self, *lane).filter(|index| !wanted.contains(index)));
        }
        // What is held is read first.
        wanted.sort_by_key(|index| Some(*index) != *held);
        for (n, index) in wanted.iter().copied().enumerate() {
            if *held != Some(index) {
                let Some(load) = all.get(&index).filter(|_| depth > 0) else { continue };
                self.with_indices(load.clone(), all, held, depth - 1);
                *held = Some(index);
            }
            if n + 1 == wanted.len() {
                break;
            }
            let mut copies: BTreeMap<LaneId, LaneId> = BTreeMap::new();
            for at in 0..instr.sources.len() {
                for k in 0..instr.sources[at].lanes.len() {
                    let lane = instr.sources[at].lanes[k];
                    if index_of(self, lane) != Some(index) {
                        continue;
                    }
                    let known = copies.get(&lane).copied();
                    let copy = known.unwrap_or_else(|| {
                        let copy = self.single_copy(lane, instr.region);
                        let new = copy.results.first().map_or(lane, |written| written.lane);
                        self.list.push(copy);
                        new
                    });
                    copies.insert(lane, copy);
                    instr.sources[at].lanes[k] = copy;
                }
            }
        }
        self.list.push(instr);
    }

    /// What one instruction writes is in one register.
    fn group_results(&mut self) {
        for instr in &self.list {
            if matches!(instr.target, Target::Output(_)) {
                continue;
            }
            let lanes: Vec<LaneId> = instr.results.iter().map(|written| written.lane).collect();
            self.groups.join(&lanes);
            for written in &instr.results {
                if let Some(slot) = written.slot {
                    self.groups.fix(written.lane, slot);
                }
            }
        }
    }

    /// Whether players expand an instruction, and write parts of the result before they have read everything.
    pub(crate) fn writes_early(&self, instr: &Instr) -> bool {
        matches!(self.kind(instr), Some(Kind::Matrix { .. } | Kind::Cross | Kind::Normalize))
    }

    /// When each lane is alive: an instruction reads in the first of four parts and writes in the second; copies in front of it
    /// have the last two of the one before.
    pub(crate) fn lives(&self) -> BTreeMap<LaneId, Life> {
        let mut lives: BTreeMap<LaneId, Life> = BTreeMap::new();
        let mut reach = |lane: LaneId, life: Life| {
            let known = lives.entry(lane).or_insert(life);
            *known = known.with(life);
        };
        for (at, instr) in self.list.iter().enumerate() {
            let now = at * 4;
            let read = if self.writes_early(instr) { now + 2 } else { now };
            self.for_each_read(instr, |lane| reach(lane, Life { start: read, end: read }));
            if !matches!(instr.target, Target::Output(_)) {
                let life = Life { start: now + 1, end: now + 2 };
                instr.results.iter().for_each(|written| reach(written.lane, life));
            }
        }
        // What a round reads of what was there before the loop, the next round may read as well.
        let mut loops = loops(&self.list);
        loops.sort_unstable();
        for life in lives.values_mut() {
            let mut next = loops.partition_point(|(begin, _)| begin * 4 <= life.start);
            while let Some(&(_, end)) = loops.get(next).filter(|(begin, _)| begin * 4 < life.end) {
                life.end = life.end.max(end * 4 + 3);
                // Those inside of it add nothing.
                next = loops.partition_point(|&(begin, _)| begin < end);
            }
        }
        lives
    }

    pub(crate) fn places(&self) -> Places {
        let mut places = Places { written: BTreeMap::new(), read: BTreeMap::new() };
        for (at, instr) in self.list.iter().enumerate() {
            if !matches!(instr.target, Target::Output(_)) {
                let lanes = instr.results.iter().map(|written| written.lane);
                lanes.for_each(|lane| places.written.entry(lane).or_default().push(at));
            }
            self.for_each_read(instr, |lane| places.read.entry(lane).or_default().push(at));
        }
        places
    }

    /// Lets who computes a lane write it where it is copied to.
    fn fold_copies(&mut self) {
        let places = self.places();
        for at in 0..self.list.len() {
            if self.machine.copied_outputs {
                break;
            }
            if let (What::Copy, Target::Output(output)) = (self.list[at].what, self.list[at].target) {
                self.fold_output(at, output, &places);
            }
        }
        self.coalesce();
        self.list.retain(|instr| instr.what != What::Copy || !instr.results.is_empty());
        self.hoist_copies();
        self.drop_repeated_copies();
        self.groups.lives = self.lives();
        self.pack_copies();
    }

    /// Drops copies to lanes that hold the value already.
    fn drop_repeated_copies(&mut self) {
        let mut held: BTreeMap<LaneId, LaneId> = BTreeMap::new();
        let mut branches: Vec<[Option<BTreeMap<LaneId, LaneId>>; 2]> = Vec::new();
        for instr in &mut self.list {
            match instr.what {
                What::If(_) => branches.push([Some(held.clone()), None]),
                What::Else => {
                    if let Some([before, then]) = branches.last_mut() {
                        *then = Some(core::mem::replace(&mut held, before.clone().unwrap_or_default()));
                        *before = None;
                    }
                }
                What::EndIf => {
                    if let Some([before, then]) = branches.pop() {
                        let other = then.or(before).unwrap_or_default();
                        held.retain(|lane, of| other.get(lane) == Some(of));
                    }
                }
                // Nobody knows what other rounds left.
                What::Loop(_) | What::EndLoop => held.clear(),
                _ => {}
            }
            let copies =
                instr.what == What::Copy && instr.target == Target::Temporary && instr.sources.len() == 1;
            if copies && instr.results.len() == 1 {
                let (to, from) = (instr.results[0].lane, instr.sources[0].lanes[0]);
                if held.get(&to) == Some(&from) {
                    instr.results.clear();
                    continue;
                }
            }
            for (n, written) in instr.results.iter().enumerate() {
                held.remove(&written.lane);
                held.retain(|_, of| *of != written.lane);
                if copies {
                    held.insert(written.lane, instr.sources[0].lanes[n]);
                }
            }
        }
        self.list.retain(|instr| instr.what != What::Copy || !instr.results.is_empty());
    }

    /// Puts the copies of a second branch that does nothing else in front of the conditional.
    fn hoist_copies(&mut self) {
        // Instructions are numbered in their order; of each lane, the first that reads or writes it: searches begin there.
        let mut numbers: Vec<usize> = (0..self.list.len()).collect();
        let mut first: BTreeMap<LaneId, usize> = BTreeMap::new();
        for (number, instr) in self.list.iter().enumerate() {
            self.for_each_read(instr, |lane| _ = first.entry(lane).or_insert(number));
            instr.results.iter().for_each(|of| _ = first.entry(of.lane).or_insert(number));
        }
        let mut at = 0;
        while at < self.list.len() {
            at += 1;
            if self.list[at - 1].what != What::Else {
                continue;
            }
            let start = at - 1;
            let end = self.list[at..].iter().position(|instr| instr.what != What::Copy).map(|n| at + n);
            let Some(end) = end.filter(|end| self.list[*end].what == What::EndIf) else { continue };
            let Some((_, begin)) = self.branch_start(end) else { continue };
            let temporary =
                self.list[at..end].iter().all(|instr| instr.target == Target::Temporary && !instr.pinned);
            // Whoever reads or writes them before the conditional, or to decide it, means something else: unless that is the same
            // copy, which then is enough.
            let reachable = |n: usize| {
                let (to, from) = (self.list[n].results[0].lane, self.list[n].sources[0].lanes[0]);
                let known = first.get(&to).copied().unwrap_or(0);
                let from_there = numbers.partition_point(|number| *number < known).min(begin + 1);
                self.list[from_there..=begin].iter().all(|instr| {
                    let same = instr.what == What::Copy
                        && instr
                            .results
                            .iter()
                            .zip(&instr.sources[0].lanes)
                            .all(|(of, lane)| of.lane != to || *lane == from);
                    let mut met = !same && instr.results.iter().any(|of| of.lane == to);
                    self.for_each_read(instr, |lane| met |= lane == to);
                    !met
                })
            };
            if !temporary || start == begin || !(at..end).all(reachable) {
                continue;
            }
            let region = self.list[begin].region;
            let mut copies: Vec<Instr> = self.list.drain(start..end).skip(1).collect();
            copies.iter_mut().for_each(|copy| copy.region = region);
            let count = copies.len();
            let number = numbers[begin];
            numbers.drain(start..end);
            numbers.splice(begin..begin, core::iter::repeat_n(number, count));
            for copy in &copies {
                let met = copy.results.iter().map(|of| of.lane);
                for lane in met.chain(copy.sources.iter().flat_map(|source| source.lanes.iter().copied())) {
                    first.entry(lane).and_modify(|known| *known = (*known).min(number)).or_insert(number);
                }
            }
            self.list.splice(begin..begin, copies);
            at = begin + count;
        }
    }

    /// Makes one of copies that follow one another, where both sides can be one register.
    fn pack_copies(&mut self) {
        let list = core::mem::take(&mut self.list);
        let mut out: Vec<Instr> = Vec::with_capacity(list.len());
        for instr in list {
            let fits = out.last().is_some_and(|last| {
                let copies = [last, &instr].iter().all(|of| {
                    of.what == What::Copy && of.target == Target::Temporary && of.sources.len() == 1
                });
                // One after the other, and not at once, if one reads what the other wrote.
                let apart = !instr
                    .sources
                    .iter()
                    .flat_map(|source| &source.lanes)
                    .any(|lane| last.results.iter().any(|written| written.lane == *lane));
                copies
                    && apart
                    && last.region == instr.region
                    && last.results.len() + instr.results.len() <= 4
            });
            if let Some(last) = out.last_mut().filter(|_| fits) {
                let lanes =
                    |of: &Instr| -> Vec<LaneId> { of.results.iter().map(|written| written.lane).collect() };
                let to = [lanes(last), lanes(&instr)].concat();
                let from = [&last.sources[0].lanes[..], &instr.sources[0].lanes[..]].concat();
                let from_fits = self.is_one_register(&from) || self.can_be_one(&from);
                // Both joins, or none.
                if from_fits && self.groups.can_join(&to, &[]) {
                    self.groups.join(&to);
                    if self.is_one_register(&from) || self.can_be_one(&from) {
                        if !self.is_one_register(&from) {
                            self.groups.join(&from);
                        }
                        last.results.extend(instr.results);
                        last.sources[0].lanes = from;
                        for step in instr.steps {
                            if !last.steps.contains(&step) {
                                last.steps.push(step);
                            }
                        }
                        continue;
                    }
                }
            }
            out.push(instr);
        }
        self.list = out;
    }

    fn fold_output(&mut self, at: usize, output: u32, places: &Places) {
        let copy = self.list[at].clone();
        let lanes = &copy.sources[0].lanes;
        // By who computes them.
        let mut producers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (n, lane) in lanes.iter().enumerate() {
            if let Some([from]) = places.written.get(lane).map(Vec::as_slice) {
                producers.entry(*from).or_default().push(n);
            }
        }
        let mut folded = vec![false; lanes.len()];
        for (from, copied) in producers {
            let producer = &self.list[from];
            let own = |lane: LaneId| {
                places.read.get(&lane).is_some_and(|readers| readers.iter().all(|reader| *reader == at))
            };
            let all_here = producer
                .results
                .iter()
                .all(|written| own(written.lane) && copied.iter().any(|n| lanes[*n] == written.lane));
            // Vertices are made of the outputs as they are, and of memory nothing goes there at once.
            let acts = |instr: &Instr| match instr.what {
                What::Call(call) => self.graph.calls[call as usize].acts,
                _ => false,
            };
            let stays = match producer.what {
                What::Row(row) => self.machine.rows[usize::from(row)].to_temporaries,
                _ => false,
            };
            let ok = all_here
                && !stays
                && !self.list[from..at].iter().any(acts)
                && producer.region == copy.region
                && producer.target == Target::Temporary
                && (!self.machine.whole_outputs || copied.len() == lanes.len());
            if !ok {
                continue;
            }
            let kind = self.kind(producer);
            let per_lane = matches!(kind, Some(Kind::PerLane | Kind::Derivative { .. }));
            let free = per_lane || matches!(kind, Some(Kind::Scalar | Kind::Dot(_) | Kind::Homogeneous));
            let source_of = |lane: LaneId| producer.results.iter().position(|written| written.lane == lane);
            let results: Vec<Written> = copied.iter().map(|n| copy.results[*n]).collect();
            let fits = free
                || copied.iter().all(|n| {
                    let slot = source_of(lanes[*n]).and_then(|k| producer.results[k].slot);
                    slot.is_some() && slot == copy.results[*n].slot
                });
            if !fits {
                continue;
            }
            let order: Vec<usize> = copied.iter().filter_map(|n| source_of(lanes[*n])).collect();
            let producer = &mut self.list[from];
            if per_lane {
                for source in producer.sources.iter_mut().filter(|source| !source.lanes.is_empty()) {
                    source.lanes = order.iter().filter_map(|k| source.lanes.get(*k).copied()).collect();
                }
            }
            producer.results = results;
            producer.target = Target::Output(output);
            copied.iter().for_each(|n| folded[*n] = true);
        }
        let copy = &mut self.list[at];
        let mut n = 0;
        copy.results.retain(|_| {
            n += 1;
            !folded[n - 1]
        });
        let mut n = 0;
        copy.sources[0].lanes.retain(|_| {
            n += 1;
            !folded[n - 1]
        });
    }

    /// Where the branch of an instruction starts, and its conditional.
    pub(crate) fn branch_start(&self, at: usize) -> Option<(usize, usize)> {
        let (mut depth, mut first) = (0usize, None);
        for n in (0..at).rev() {
            match self.list[n].what {
                What::EndIf => depth += 1,
                What::Else if depth == 0 => first = first.or(Some(n)),
                What::If(_) if depth == 0 => return Some((first.unwrap_or(n), n)),
                What::If(_) => depth -= 1,
                _ => {}
            }
        }
        None
    }

    /// The lanes that number registers.
    pub(crate) fn indices(&self) -> BTreeSet<LaneId> {
        let lanes = self.list.iter().flat_map(|instr| &instr.sources).flat_map(|source| &source.lanes);
        let index = |lane: &LaneId| match self.given(*lane) {
            Some((Given::ParamAt { index, .. }, _)) => Some(self.index_lane(index)),
            _ => None,
        };
        lanes.filter_map(index).collect()
    }

    /// Puts the lanes of each source into one register.
    fn gather(&mut self) {
        self.groups.lives = self.lives();
        let list = core::mem::take(&mut self.list);
        let mut out: Vec<Instr> = Vec::with_capacity(list.len());
        // Copies by branch and lane.
        let mut known: BTreeMap<(u32, LaneId), LaneId> = BTreeMap::new();
        for (at, mut instr) in list.into_iter().enumerate() {
            self.now = at * 4;
            for n in 0..instr.sources.len() {
                if self.is_rows(&instr, n) {
                    continue;
                }
                let slots = self.placed_slots(&instr, n);
                let mut source = core::mem::take(&mut instr.sources[n]);
                if let Some(slots) = slots {
                    self.place_source(&mut source, &slots, &instr, &mut out);
                    instr.sources[n] = source;
                    continue;
                }
                // A copy to an output may be made in parts.
                if instr.what == What::Copy
                    && !self.is_one_register(&source.lanes)
                    && !self.can_be_one(&source.lanes)
                {
                    if !self.machine.whole_outputs || !matches!(instr.target, Target::Output(_)) {
                        self.split_copy(&instr, &source, &mut out);
                        instr.results.clear();
                        continue;
                    }
                }
                self.make_one_register(&mut source, &instr, &mut known, &mut out);
                instr.sources[n] = source;
            }
            if instr.what == What::Copy && instr.results.is_empty() {
                continue;
            }
            // What compares a lane with itself, to find NaN, names it in two ways.
            if self.machine.truth == Truth::Number && matches!(instr.what, What::If(_)) {
                if let [a, b] = &mut instr.sources[..] {
                    if a.lanes == b.lanes {
                        let copy = self.single_copy(b.lanes[0], instr.region);
                        b.lanes = copy.results.iter().map(|written| written.lane).collect();
                        out.push(copy);
                    }
                }
            }
            self.free_ports(&mut instr, &mut known, &mut out);
            out.push(instr);
        }
        self.list = out;
    }

    /// The lanes of a register that the lanes of a source must be, where the machine wants that; pads have none.
    fn placed_slots(&self, instr: &Instr, n: usize) -> Option<Vec<Option<u8>>> {
        let machine = self.machine;
        let count = instr.sources.get(n).map_or(0, |source| source.lanes.len());
        match instr.what {
            What::Read(read) | What::ReadProjected(read) if machine.reads.placed && n == 0 => {
                let read = self.graph.reads.get(read as usize)?;
                let coordinates = read.coordinates.len();
                Some(
                    (0..4u8)
                        .map(|n| (usize::from(n) < coordinates || n == 3 && count > 3).then_some(n))
                        .collect(),
                )
            }
            What::Discard if machine.quirks.kills_registers => Some((0..4).map(Some).collect()),
            What::Copy if machine.copied_outputs && matches!(instr.target, Target::Output(_)) => {
                (count > 1).then(|| instr.results.iter().map(|written| written.slot).collect())
            }
            _ => None,
        }
    }

    /// Puts the lanes of a source into those lanes of one register that no swizzle changes.
    fn place_source(
        &mut self,
        source: &mut Source,
        slots: &[Option<u8>],
        instr: &Instr,
        out: &mut Vec<Instr>,
    ) {
        let Some(&first) = source.lanes.first() else { return };
        source.lanes.resize(slots.len(), first);
        let mut pairs: Vec<(LaneId, u8)> =
            source.lanes.iter().zip(slots).filter_map(|(lane, slot)| Some((*lane, (*slot)?))).collect();
        let plain = !source.negate && !source.absolute;
        let copied = matches!(instr.what, What::Copy);
        // As they are in a register that is given; reads want an input.
        let given = |lane: LaneId| self.given(lane);
        let register = given(pairs[0].0).map(|(register, _)| register);
        let straight = register.is_some_and(|register| copied || matches!(register, Given::Input(_)))
            && plain
            && (register != Some(Given::Literal))
            && pairs
                .iter()
                .all(|&(lane, slot)| given(lane).is_some_and(|(of, at)| Some(of) == register && at == slot));
        let mut distinct: Vec<LaneId> = pairs.iter().map(|(lane, _)| *lane).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let temporary = plain
            && distinct.len() == pairs.len()
            && distinct.iter().all(|lane| given(*lane).is_none())
            && self.groups.place(&pairs);
        if !straight && !temporary {
            // Copies, a register after the other.
            let lanes: Vec<LaneId> = pairs.iter().map(|(lane, _)| *lane).collect();
            let mut new: Vec<(LaneId, u8)> = Vec::new();
            for places in self.registers(&lanes) {
                let mut copy = Instr::new(What::Copy, instr.region);
                copy.steps.clone_from(&instr.steps);
                let of: Vec<LaneId> = places.iter().map(|n| lanes[*n]).collect();
                for n in places {
                    let lane = self.new_copy(lanes[n]);
                    let slot = pairs[n].1;
                    self.groups
                        .lives
                        .insert(lane, Life { start: self.now.saturating_sub(1), end: self.now.max(1) });
                    copy.results.push(Written { lane, slot: Some(slot) });
                    new.push((lane, slot));
                    pairs[n].0 = lane;
                }
                copy.sources.push(Source { lanes: of, negate: source.negate, absolute: source.absolute });
                out.push(copy);
            }
            self.groups.place(&new);
            (source.negate, source.absolute) = (false, false);
        }
        let mut placed = pairs.iter();
        let first = pairs[0].0;
        for (lane, slot) in source.lanes.iter_mut().zip(slots) {
            *lane = match slot {
                Some(_) => placed.next().map_or(first, |(lane, _)| *lane),
                None => first,
            };
        }
    }

    /// Gives reads that write all of a register lanes for what nobody wants.
    fn fill_reads(&mut self) {
        for at in 0..self.list.len() {
            if !matches!(self.list[at].what, What::Read(_) | What::ReadProjected(_)) {
                continue;
            }
            let Some(first) = self.list[at].results.first().map(|written| written.lane) else { continue };
            for slot in 0..4 {
                if self.list[at].results.iter().all(|written| written.slot != Some(slot)) {
                    let lane = self.new_copy(first);
                    self.list[at].results.push(Written { lane, slot: Some(slot) });
                }
            }
        }
    }

    /// The lanes of registers that lanes had better be, so that sources are read in the order of registers.
    pub(crate) fn hints(&self) -> BTreeMap<LaneId, u8> {
        let mut hints: BTreeMap<LaneId, u8> = BTreeMap::new();
        for instr in &self.list {
            for written in &instr.results {
                if let Some(slot) = written.slot {
                    hints.entry(written.lane).or_insert(slot);
                }
            }
            // A vector that one instruction reads stands as it is read.
            if matches!(self.kind(instr), Some(Kind::Dot(_) | Kind::Normalize)) {
                for source in &instr.sources {
                    for (n, lane) in source.lanes.iter().enumerate() {
                        hints.entry(*lane).or_insert(n as u8);
                    }
                }
            }
        }
        let by_lane: Vec<&Instr> =
            self.list.iter().filter(|instr| self.kind(instr) == Some(Kind::PerLane)).collect();
        let given = |lane: LaneId| self.given(lane).filter(|of| of.0 != Given::Literal).map(|of| of.1);
        // From what is given on, then from outputs back.
        for back in [false, true] {
            let mut forwards = by_lane.iter();
            let mut backwards = by_lane.iter().rev();
            while let Some(instr) = if back { backwards.next() } else { forwards.next() } {
                if instr.results.len() < 2 {
                    continue;
                }
                for (n, written) in instr.results.iter().enumerate() {
                    let sources = instr.sources.iter().filter_map(|source| source.lanes.get(n).copied());
                    let to = match instr.target {
                        Target::Output(_) => written.slot,
                        _ => hints.get(&written.lane).copied(),
                    };
                    let from = |lane: LaneId| given(lane).or_else(|| hints.get(&lane).copied());
                    // One lane for all says nothing.
                    let several =
                        |source: &Source| source.lanes.iter().any(|lane| Some(lane) != source.lanes.first());
                    let known = instr
                        .sources
                        .iter()
                        .filter(|source| several(source))
                        .find_map(|source| source.lanes.get(n).and_then(|lane| from(*lane)));
                    let slot = to.or(known);
                    let Some(slot) = slot else { continue };
                    hints.entry(written.lane).or_insert(slot);
                    for lane in sources.filter(|lane| given(*lane).is_none()) {
                        hints.entry(lane).or_insert(slot);
                    }
                }
            }
        }
        hints
    }

    /// Whether a source is the rows of a matrix.
    fn is_rows(&self, instr: &Instr, n: usize) -> bool {
        n == 1 && matches!(self.kind(instr), Some(Kind::Matrix { .. }))
    }

    fn is_one_register(&self, lanes: &[LaneId]) -> bool {
        let of = |lane: LaneId| match self.given(lane) {
            Some((given, _)) => (Some(given), None),
            None => (None, Some(self.groups.known(lane))),
        };
        lanes
            .windows(2)
            .all(|pair| of(pair[0]) == of(pair[1]) && of(pair[0]).1 != Some(None) || pair[0] == pair[1])
    }

    fn can_be_one(&mut self, lanes: &[LaneId]) -> bool {
        lanes.iter().all(|&lane| self.given(lane).is_none()) && self.groups.can_join(lanes, &[])
    }

    /// Lanes by the register they are in: places in the list.
    fn registers(&mut self, lanes: &[LaneId]) -> Vec<Vec<usize>> {
        let mut of: Vec<(RegisterKey, Vec<usize>)> = Vec::new();
        for (n, &lane) in lanes.iter().enumerate() {
            let key = match self.given(lane) {
                Some((given, _)) => (Some(given), None),
                None => (None, Some(self.groups.set(lane))),
            };
            match of.iter_mut().find(|(known, _)| *known == key) {
                Some((_, places)) => places.push(n),
                None => of.push((key, vec![n])),
            }
        }
        of.into_iter().map(|(_, places)| places).collect()
    }

    fn split_copy(&mut self, instr: &Instr, source: &Source, out: &mut Vec<Instr>) {
        for places in self.registers(&source.lanes) {
            let lanes = places.iter().map(|n| source.lanes[*n]).collect();
            let results = places.iter().map(|n| instr.results[*n]).collect();
            out.push(Instr { results, sources: vec![Source { lanes, ..source.clone() }], ..instr.clone() });
        }
    }

    fn make_one_register(
        &mut self,
        source: &mut Source,
        instr: &Instr,
        known: &mut BTreeMap<(u32, LaneId), LaneId>,
        out: &mut Vec<Instr>,
    ) {
        if source.lanes.len() < 2 || self.is_one_register(&source.lanes) {
            return;
        }
        if self.can_be_one(&source.lanes) {
            self.groups.join(&source.lanes);
            return;
        }
        // Copies of what is in other registers join the lanes that stay; if they cannot, all are copied.
        let stay: Vec<LaneId> =
            source.lanes.iter().copied().filter(|&lane| self.given(lane).is_none()).collect();
        if !stay.is_empty() {
            let moved: Vec<LaneId> =
                source.lanes.iter().copied().filter(|&lane| self.given(lane).is_some()).collect();
            let mut distinct: Vec<LaneId> = moved.clone();
            distinct.sort_unstable();
            distinct.dedup();
            // Copies from before are used again, or made anew.
            for again in [true, false] {
                let mut own: BTreeMap<(u32, LaneId), LaneId> = BTreeMap::new();
                if again {
                    let present =
                        distinct.iter().filter_map(|lane| known.get_key_value(&(instr.region, *lane)));
                    own.extend(present.map(|(key, lane)| (*key, *lane)));
                }
                let mut trial = stay.clone();
                trial.extend(own.values());
                let life = Life { start: self.now.saturating_sub(1), end: self.now };
                let fresh = vec![life; distinct.len() - own.len()];
                own.values().for_each(|lane| self.reach(*lane));
                if !self.groups.can_join(&trial, &fresh) {
                    continue;
                }
                self.groups.join(&trial);
                self.copy_lanes(&distinct, instr, &mut own, out, Some(trial[0]));
                for lane in &mut source.lanes {
                    if let Some(copy) = own.get(&(instr.region, *lane)).filter(|_| moved.contains(lane)) {
                        *lane = *copy;
                    }
                }
                known.extend(own);
                return;
            }
        }
        let mut distinct: Vec<LaneId> = source.lanes.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let mut fresh = BTreeMap::new();
        self.copy_lanes(&distinct, instr, &mut fresh, out, None);
        for lane in &mut source.lanes {
            if let Some(copy) = fresh.get(&(instr.region, *lane)) {
                *lane = *copy;
            }
        }
    }

    /// A lane is read by the instruction that is being looked at.
    fn reach(&mut self, lane: LaneId) {
        let life = Life { start: self.now, end: self.now };
        let known = self.groups.lives.entry(lane).or_insert(life);
        *known = known.with(life);
    }

    /// Copies lanes that have no copy yet into one register, with `beside` if there is one.
    fn copy_lanes(
        &mut self,
        lanes: &[LaneId],
        instr: &Instr,
        known: &mut BTreeMap<(u32, LaneId), LaneId>,
        out: &mut Vec<Instr>,
        beside: Option<LaneId>,
    ) {
        let missing: Vec<LaneId> =
            lanes.iter().copied().filter(|lane| !known.contains_key(&(instr.region, *lane))).collect();
        let mut together: Vec<LaneId> = beside.into_iter().collect();
        for places in self.registers(&missing) {
            let of: Vec<LaneId> = places.iter().map(|n| missing[*n]).collect();
            let mut copy = Instr::new(What::Copy, instr.region);
            copy.steps.clone_from(&instr.steps);
            for &lane in &of {
                let new = self.new_copy(lane);
                known.insert((instr.region, lane), new);
                self.groups
                    .lives
                    .insert(new, Life { start: self.now.saturating_sub(1), end: self.now.max(1) });
                copy.results.push(Written { lane: new, slot: None });
                together.push(new);
            }
            copy.sources.push(Source::of(of));
            out.push(copy);
        }
        self.groups.join(&together);
    }

    /// Copies what an instruction has too few ports for.
    fn free_ports(
        &mut self,
        instr: &mut Instr,
        known: &mut BTreeMap<(u32, LaneId), LaneId>,
        out: &mut Vec<Instr>,
    ) {
        // Published programs of machines whose arithmetic takes one constant compare two.
        let compares = matches!(instr.what, What::If(_));
        if compares && self.machine.ports.constants == Constants::OneSource {
            return;
        }
        while let Some(sources) = self.crowded(instr, known) {
            let mut distinct: Vec<LaneId> =
                sources.iter().flat_map(|n| &instr.sources[*n].lanes).copied().collect();
            distinct.sort_unstable();
            distinct.dedup();
            let present: Vec<LaneId> =
                distinct.iter().filter_map(|lane| known.get(&(instr.region, *lane)).copied()).collect();
            let one = present.len() == distinct.len() && self.is_one_register(&present);
            let mut own = BTreeMap::new();
            let copies = if one {
                present.iter().for_each(|lane| self.reach(*lane));
                &mut *known
            } else {
                self.copy_lanes(&distinct, instr, &mut own, out, None);
                for (key, lane) in &own {
                    known.entry(*key).or_insert(*lane);
                }
                &mut own
            };
            let region = instr.region;
            for lane in sources.iter().flat_map(|n| instr.sources[*n].lanes.clone()).collect::<Vec<_>>() {
                if let Some(&copy) = copies.get(&(region, lane)) {
                    for n in &sources {
                        instr.sources[*n]
                            .lanes
                            .iter_mut()
                            .filter(|of| **of == lane)
                            .for_each(|of| *of = copy);
                    }
                }
            }
        }
    }

    /// The sources that read a register for which an instruction has no port; nothing if all is well.
    fn crowded(&self, instr: &Instr, known: &BTreeMap<(u32, LaneId), LaneId>) -> Option<Vec<usize>> {
        let ports = &self.machine.ports;
        if ports.constants == Constants::Any && !ports.one_input {
            return None;
        }
        let given = |n: usize| self.given(*instr.sources[n].lanes.first()?).map(|(given, _)| given);
        // By file, constants first: the registers with the sources that read them.
        let mut files: BTreeMap<u16, Vec<(Given, Vec<usize>)>> = BTreeMap::new();
        for n in 0..instr.sources.len() {
            let Some(of) = given(n) else { continue };
            let file = match of {
                Given::Input(input) if ports.one_input => {
                    1 + u16::from(ports.files.get(input as usize).copied().unwrap_or(0))
                }
                _ if of.is_constant() && ports.constants != Constants::Any => 0,
                _ => continue,
            };
            let registers = files.entry(file).or_default();
            let shared = file > 0 || ports.constants == Constants::OneRegister;
            match registers.iter_mut().find(|(other, _)| shared && *other == of) {
                Some((_, sources)) => sources.push(n),
                None => registers.push((of, vec![n])),
            }
        }
        let rows = |sources: &[usize]| sources.iter().any(|n| self.is_rows(instr, *n));
        let missing = |sources: &[usize]| {
            let mut lanes: Vec<LaneId> =
                sources.iter().flat_map(|n| &instr.sources[*n].lanes).copied().collect();
            lanes.sort_unstable();
            lanes.dedup();
            lanes.iter().filter(|lane| !known.contains_key(&(instr.region, **lane))).count()
        };
        for registers in files.into_values() {
            // The one with fewer lanes.
            let free = registers.iter().rev().filter(|(_, sources)| !rows(sources));
            if registers.len() > 1 {
                return free.min_by_key(|(_, sources)| missing(sources)).map(|(_, sources)| sources.clone());
            }
            let Some((of, sources)) = registers.into_iter().next() else { continue };
            let alone = instr.sources.len() == 1 && instr.what != What::Copy;
            if ports.constants == Constants::OneSource && of.is_constant() && alone {
                return Some(sources);
            }
            // Literals that one register has no room for.
            let mut numbers: Vec<LaneId> =
                sources.iter().flat_map(|n| &instr.sources[*n].lanes).copied().collect();
            numbers.sort_unstable();
            numbers.dedup();
            if of == Given::Literal && numbers.len() > 4 {
                return sources.last().map(|n| vec![*n]);
            }
        }
        None
    }

    /// A first branch must do something: the branches change places where the test has an opposite, else a lane is copied for
    /// nobody.
    fn fill_first_branch(&mut self, at: usize, test: Test) {
        let opposite = match test {
            Test::Compare(Pure::Eq) => Some(Test::Compare(Pure::Ne)),
            Test::Compare(Pure::Ne) => Some(Test::Compare(Pure::Eq)),
            Test::Constant { array, index, opposite } => {
                Some(Test::Constant { array, index, opposite: !opposite })
            }
            _ => None,
        };
        if let Some(opposite) = opposite {
            self.list[at].what = What::If(opposite);
            self.list.remove(at + 1);
            return;
        }
        let Some(&lane) = self.list[at].sources.first().and_then(|source| source.lanes.first()) else {
            return;
        };
        let copy = self.single_copy(lane, self.list[at].region);
        self.list.insert(at + 1, copy);
    }

    /// A copy of one lane to a register of its own.
    fn single_copy(&mut self, lane: LaneId, region: u32) -> Instr {
        let new = self.new_copy(lane);
        self.groups.set(new);
        let mut copy = Instr::new(What::Copy, region);
        copy.results.push(Written { lane: new, slot: None });
        copy.sources.push(Source::of(vec![lane]));
        copy
    }

    /// Conditionals that do nothing go, and branches that do nothing.
    fn drop_empty_branches(&mut self) {
        let mut n = 0;
        while n + 1 < self.list.len() {
            let pair = (self.list[n].what, self.list[n + 1].what);
            match pair {
                (What::Else, What::EndIf) => {
                    self.list.remove(n);
                }
                (What::If(_), What::EndIf) => {
                    self.list.drain(n..n + 2);
                }
                (What::If(test), What::Else) if self.machine.truth == Truth::Number => {
                    self.fill_first_branch(n, test);
                    n += 1;
                    continue;
                }
                _ => {
                    n += 1;
                    continue;
                }
            }
            n = n.saturating_sub(1);
        }
    }
}
