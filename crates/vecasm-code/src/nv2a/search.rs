//! The most pairs whose slots have an order: branch and bound, with the largest matching as the bound.

use super::Bits;
use super::assign::{self, Assigned};
use super::depend::{Order, Webs};
use super::matching::Matching;
use super::operations::List;
use super::pair::{Pair, pair};
use super::residents::{Residents, Values};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// A schedule with what is known of it.
pub(super) struct Found {
    pub(super) assigned: Assigned,
    /// No schedule of these operations has fewer slots.
    pub(super) bound: usize,
    /// Nodes of the search.
    pub(super) nodes: u32,
}

/// Sets of pairs that are given registers at most, for each number of pairs, and in each round.
const LEAVES: [u32; 2] = [12, 2];

/// So many nodes of the budget have one of them more.
const NODES_A_LEAF: u32 = 400;

/// Nodes of the first of several rounds.
const FIRST_ROUND: u32 = 100;

/// Numbers of pairs that are tried below the bound.
const TARGETS: usize = 3;

/// How far apart two operations may be in the source, in dives.
const DISTANCES: &[u32] = &[u32::MAX, 40, 20, 10, 6, 4, 2, 1, 0];

/// What the search knows at a node.
#[derive(Clone)]
struct State {
    residents: Residents,
    /// With whom each operation may still be paired.
    edges: Vec<Bits>,
    matching: Matching,
    chosen: Vec<Pair>,
}

impl State {
    /// Leaves an operation alone in its slot.
    fn isolate(&mut self, n: usize) {
        for other in self.edges[n].iter() {
            self.edges[other].clear(n);
        }
        self.edges[n] = Bits::default();
        self.matching.keep(&self.edges);
    }
}

struct Search<'a> {
    list: &'a List,
    webs: &'a Webs,
    values: &'a Values,
    ways: BTreeMap<(u16, u16), Vec<Pair>>,
    /// How often each operation was in the way of others.
    weights: Vec<u32>,
    /// How many pairs are wanted.
    target: usize,
    nodes: u32,
    budget: u32,
    leaves: u32,
    /// As many leaves end the round.
    last_leaf: u32,
    /// And as many the search for a number of pairs.
    most_leaves: u32,
    found: Option<Assigned>,
    /// Whether registers are left out: what is not found then cannot be.
    relaxed: bool,
}

/// Finds a schedule of the operations with the fewest slots, at most so many nodes away; `None` if there are no registers for any.
pub(super) fn search(list: &List, webs: &Webs, budget: u32) -> Option<Found> {
    let order = Order::of(list, webs);
    let count = list.ops.len();
    let mut edges = alloc::vec![Bits::default(); count];
    let mut ways = BTreeMap::new();
    for b in 0..count {
        for a in 0..b {
            if !order.allows(a, b) {
                continue;
            }
            let of = pair(list, webs, a, b);
            if !of.is_empty() {
                edges[a].set(b);
                edges[b].set(a);
                ways.insert((a as u16, b as u16), of);
            }
        }
    }
    let matching = Matching::of(&edges);
    let mut target = matching.pairs();
    let mut bound = count - target;
    let values = Values::of(list);
    let residents = Residents::of(list, webs, &order, &values);
    let residents = residents?;
    let bare = Residents::none(webs, &order);
    let bare =
        State { residents: bare, edges: edges.clone(), matching: matching.clone(), chosen: Vec::new() };
    let root = State { residents, edges, matching, chosen: Vec::new() };
    let weights = alloc::vec![1; count];
    let mut search = Search {
        list,
        webs,
        values: &values,
        ways,
        weights,
        target,
        nodes: 0,
        budget,
        leaves: 0,
        last_leaf: 0,
        most_leaves: LEAVES[0].min(LEAVES[1] + budget / NODES_A_LEAF),
        found: None,
        relaxed: false,
    };
    // As many pairs as the bound allows, or nearly: mostly there is an order for those.
    let mut best = None;
    for _ in 0..TARGETS {
        best = search.reach(target, (budget / 5).max(FIRST_ROUND), &root);
        let Some(below) = target.checked_sub(1).filter(|_| best.is_none()) else { break };
        target = below;
    }
    if best.is_none() {
        // From what is found without looking back on, a pair more each time.
        best = search.dive(&root);
        while let Some(found) = &best {
            let wanted = count - found.slots.len() + 1;
            if wanted > target {
                break;
            }
            let Some(more) = search.reach(wanted, (budget / 5).max(FIRST_ROUND), &root) else { break };
            best = Some(more);
        }
    }
    let assigned = best?;
    // Whether an order alone allows what registers did not.
    search.relaxed = true;
    while bound < assigned.slots.len() && search.proves(count - bound, budget / 2, &bare) {
        bound += 1;
    }
    Some(Found { assigned, bound, nodes: search.nodes })
}

impl Search<'_> {
    /// Looks for so many pairs.
    fn reach(&mut self, target: usize, budget: u32, root: &State) -> Option<Assigned> {
        self.target = target;
        self.leaves = 0;
        let end = self.nodes.saturating_add(budget);
        // What is in the way of others comes first in the next round.
        let mut round = FIRST_ROUND;
        loop {
            self.budget = end.min(self.nodes.saturating_add(round));
            self.last_leaf = self.most_leaves.min(self.leaves + LEAVES[1]);
            let whole = self.node(&mut root.clone());
            if self.found.is_some() || whole || self.nodes >= end || self.leaves >= self.most_leaves {
                return self.found.take();
            }
            round += round / 2;
        }
    }

    /// Takes whatever pairs can be had without looking back; in the end those of the source, for which there are registers.
    fn dive(&mut self, root: &State) -> Option<Assigned> {
        self.target = 0;
        let mut best: Option<Assigned> = None;
        for distance in DISTANCES {
            let mut state = root.clone();
            while let Some(n) = self.next(&state) {
                self.nodes += 1;
                let mut alone = true;
                for other in self.partners(&state, n) {
                    if self.list.ops[n].at.abs_diff(self.list.ops[other].at) > *distance {
                        break;
                    }
                    let below = self.ways(n, other).into_iter().find_map(|way| {
                        let mut below = state.clone();
                        self.choose(&mut below, way).then_some(below)
                    });
                    if let Some(below) = below {
                        state = below;
                        alone = false;
                        break;
                    }
                }
                if alone {
                    state.isolate(n);
                }
            }
            let residents = state.residents.clone().decide(self.list, self.values);
            let found = residents.and_then(|residents| {
                assign::assign(self.list, self.webs, self.values, &residents, &state.chosen)
            });
            if let Some(found) = found {
                if best.as_ref().is_none_or(|best| found.slots.len() < best.slots.len()) {
                    best = Some(found);
                }
            }
        }
        best
    }

    /// The operation with the fewest partners, of those that the bound counts.
    fn next(&self, state: &State) -> Option<usize> {
        let matched = (0..state.edges.len()).filter(|n| state.matching.mate(*n).is_some());
        matched.min_by_key(|n| (state.edges[*n].count() * 1000 / self.weights[*n], *n))
    }

    /// With whom an operation may be paired, the nearest first.
    fn partners(&self, state: &State, n: usize) -> Vec<usize> {
        let place = self.list.ops[n].at;
        let mut partners: Vec<usize> = state.edges[n].iter().collect();
        partners.sort_by_key(|other| (self.list.ops[*other].at.abs_diff(place), *other));
        partners
    }

    /// Whether no order of the operations has so many pairs.
    fn proves(&mut self, target: usize, budget: u32, root: &State) -> bool {
        self.target = target;
        self.leaves = 0;
        self.last_leaf = 1;
        self.budget = self.nodes.saturating_add(budget);
        self.node(&mut root.clone()) && self.leaves == 0
    }

    /// Looks below a node. Returns whether all was looked at.
    fn node(&mut self, state: &mut State) -> bool {
        loop {
            if state.chosen.len() + state.matching.pairs() < self.target {
                return true;
            }
            if state.chosen.len() == self.target {
                self.leaves += 1;
                if self.relaxed {
                    return false;
                }
                let residents = state.residents.clone().decide(self.list, self.values);
                self.found = residents.and_then(|residents| {
                    assign::assign(self.list, self.webs, self.values, &residents, &state.chosen)
                });
                if self.found.is_none() {
                    // The pair from farthest away is decided early in the next round, when there is a choice.
                    let far =
                        |way: &&Pair| self.list.ops[way.vector].at.abs_diff(self.list.ops[way.scalar].at);
                    if let Some(way) = state.chosen.iter().max_by_key(far) {
                        self.weights[way.scalar] += 8;
                    }
                }
                return true;
            }
            if self.nodes >= self.budget || self.leaves >= self.last_leaf {
                return false;
            }
            self.nodes += 1;
            let Some(n) = self.next(state) else { return true };
            for other in self.partners(state, n) {
                let ways = self.ways(n, other);
                let ways = if self.relaxed { ways.get(..1).unwrap_or(&[]) } else { &ways };
                for way in ways.iter().copied() {
                    let mut below = state.clone();
                    if self.choose(&mut below, way) {
                        let whole = self.node(&mut below);
                        if self.found.is_some() || !whole {
                            return whole;
                        }
                    } else {
                        self.weights[n] += 1;
                    }
                }
            }
            state.isolate(n);
        }
    }

    fn ways(&self, a: usize, b: usize) -> Vec<Pair> {
        self.ways.get(&(a.min(b) as u16, a.max(b) as u16)).cloned().unwrap_or_default()
    }

    /// Puts two operations into one slot, and takes away what cannot be any more. Returns whether enough is left.
    fn choose(&self, state: &mut State, way: Pair) -> bool {
        let (a, b) = (way.vector, way.scalar);
        state.chosen.push(way);
        if self.relaxed {
            state.residents.contract(way);
        } else if !state.residents.join(self.list, self.webs, self.values, way) {
            return false;
        }
        // Pairs that were chosen before may write R1 in both units now.
        let meets = |of: &Pair| state.residents.meets_in_r1(self.list, self.webs, of);
        if state.chosen.iter().any(meets) {
            return false;
        }
        for n in [a, b] {
            for other in state.edges[n].iter() {
                state.edges[other].clear(n);
            }
            state.edges[n] = Bits::default();
        }
        for n in 0..state.edges.len() {
            for other in state.edges[n].iter().filter(|other| *other > n) {
                let Residents { after, before, .. } = &state.residents;
                let apart = after[n].meets(&before[other]) || after[other].meets(&before[n]) || {
                    let ways = self.ways.get(&(n as u16, other as u16));
                    let meets = |way| state.residents.meets_in_r1(self.list, self.webs, way);
                    ways.is_none_or(|ways| ways.iter().all(meets))
                };
                if apart {
                    state.edges[n].clear(other);
                    state.edges[other].clear(n);
                }
            }
        }
        state.matching.keep(&state.edges);
        state.chosen.len() + state.matching.pairs() >= self.target
    }
}
