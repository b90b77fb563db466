//! Equal operations on different lanes become one instruction.
//!
//! Three lights are three times the same sums of different numbers. Where such operations do not depend on each other, and what
//! they read can be in one register, they go together, four lanes at most. Whether that saves anything is known only when copies
//! and registers are counted, so this makes another graph to choose from.

use crate::bits::Bits;
use crate::graph::{Action, Branches, Def, Graph, LaneId, Rounds};
use crate::machine::{Kind, Machine};
use crate::select::reads_of;
use crate::shape::Given;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::Pure;

/// How many instructions that have room are looked at for an operation.
const TRIALS: usize = 16;
/// Lanes of an instruction.
const WIDTH: usize = 4;
/// No pack.
const NONE: u32 = u32::MAX;

/// Which operations are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Those that are as far from the beginning as each other: registers are held a short time.
    Level,
    /// All that do not depend on each other.
    Any,
}

/// The same graph with equal operations in one pack; `None` if there are none.
pub(crate) fn vectorize(graph: &Graph, machine: &Machine, reach: Reach) -> Option<Graph> {
    let count = graph.lanes.len();
    let mut this = Vectorizer {
        graph,
        per_lane: operations_by_lane(machine),
        used: vec![false; count],
        pack_of: vec![NONE; count],
        widths: Vec::new(),
        together: Vec::new(),
        reach,
        merged: false,
    };
    graph.for_each_read(&graph.actions, &mut |lane| this.mark(lane));
    let actions = this.actions(&graph.actions);
    this.merged.then(|| graph.with_actions(actions))
}

/// The operations that some row computes lane by lane, alone or as part of others.
fn operations_by_lane(machine: &Machine) -> BTreeSet<u8> {
    let mut found = BTreeSet::new();
    for row in machine.rows.iter().filter(|row| row.kind == Kind::PerLane) {
        let weaker = row.weaker.iter().map(|(pattern, ..)| pattern);
        row.patterns.iter().chain(weaker).for_each(|of| of.for_each_op(&mut |op| _ = found.insert(op as u8)));
    }
    // What operands and results are modified by.
    let of = machine.modifiers;
    let modifiers = [(of.negate, Pure::Neg), (of.absolute, Pure::Abs), (of.saturate, Pure::Saturate)];
    found.extend(modifiers.into_iter().filter(|(has, _)| *has).map(|(_, op)| op as u8));
    found
}

/// What a lane is held by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    /// A register that no instruction writes.
    Given(Given),
    /// A pack, or a lane of its own.
    Pack(u32),
    Alone,
}

/// What makes two operations alike: the operation, the bits of its arithmetic, what it works on, how many lanes it reads.
type Signature = (u8, [u8; 3], u8, usize);

/// A pack or a store of a segment that has no conditionals and loops.
struct Node {
    action: Action,
    lanes: Vec<LaneId>,
    /// Those that it reads.
    from: Vec<usize>,
    level: u32,
    signature: Option<Signature>,
    /// The node that it is part of now.
    into: usize,
}

struct Vectorizer<'a> {
    graph: &'a Graph,
    per_lane: BTreeSet<u8>,
    used: Vec<bool>,
    /// The pack of each lane, and how many lanes a register needs for it.
    pack_of: Vec<u32>,
    widths: Vec<usize>,
    /// Of each pack, another one that shares its register, or itself.
    together: Vec<u32>,
    reach: Reach,
    merged: bool,
}

impl Vectorizer<'_> {
    fn mark(&mut self, lane: LaneId) {
        let mut open = vec![lane];
        while let Some(lane) = open.pop() {
            if !core::mem::replace(&mut self.used[lane.index()], true) {
                open.extend(reads_of(self.graph, &self.graph.lane(lane).def));
            }
        }
    }

    fn actions(&mut self, actions: &[Action]) -> Vec<Action> {
        let mut out = Vec::with_capacity(actions.len());
        let mut segment = Vec::new();
        for action in actions {
            match action {
                Action::Pack(_) | Action::Store { .. } => {
                    segment.push(action);
                    continue;
                }
                _ => self.segment(&core::mem::take(&mut segment), &mut out),
            }
            out.push(match action {
                Action::If(branches) => {
                    let then = self.actions(&branches.then);
                    let otherwise = self.actions(&branches.otherwise);
                    Action::If(Box::new(Branches {
                        then,
                        otherwise,
                        merged: branches.merged.clone(),
                        ..**branches
                    }))
                }
                Action::Loop(rounds) => {
                    let body = self.actions(&rounds.body);
                    Action::Loop(Box::new(Rounds { body, carried: rounds.carried.clone(), ..**rounds }))
                }
                other => other.clone(),
            });
        }
        self.segment(&segment, &mut out);
        out
    }

    fn holder(&self, lane: LaneId) -> Holder {
        match (Given::of(&self.graph.lane(lane).def), self.pack_of[lane.index()]) {
            (Some((given, _)), _) => Holder::Given(given),
            (None, NONE) => Holder::Alone,
            (None, pack) => Holder::Pack(pack),
        }
    }

    /// The packs that share a register with a pack: one of them stands for all.
    fn shared(&self, mut pack: u32) -> u32 {
        while self.together[pack as usize] != pack {
            pack = self.together[pack as usize];
        }
        pack
    }

    /// Puts what several lanes are held by into one register, if there is room.
    fn join(&mut self, lanes: &[LaneId]) {
        let mut packs: Vec<u32> = Vec::new();
        for &lane in lanes {
            let Holder::Pack(pack) = self.holder(lane) else { return };
            packs.push(self.shared(pack));
        }
        packs.sort_unstable();
        packs.dedup();
        let width: usize = packs.iter().map(|pack| self.widths[*pack as usize]).sum();
        if let (Some((&first, rest)), ..=WIDTH) = (packs.split_first(), width) {
            for &other in rest {
                self.together[other as usize] = first;
            }
            self.widths[first as usize] = width;
        }
    }

    /// Two packs are one.
    fn join_results(&mut self, one: u32, other: u32) {
        let (to, from) = (self.shared(one), self.shared(other));
        if to != from {
            self.together[from as usize] = to;
            self.widths[to as usize] += self.widths[from as usize];
        }
    }

    /// Whether lanes may be in one register without copies.
    fn fits(&self, lanes: &[LaneId]) -> bool {
        let holders: Vec<Holder> = lanes.iter().map(|&lane| self.holder(lane)).collect();
        let is_written = |of: &Holder| matches!(of, Holder::Pack(_) | Holder::Alone);
        if !holders.iter().any(is_written) {
            return holders.windows(2).all(|pair| pair[0] == pair[1]);
        }
        let packs: BTreeSet<u32> = holders
            .iter()
            .filter_map(|of| if let Holder::Pack(pack) = of { Some(self.shared(*pack)) } else { None })
            .collect();
        let alone: BTreeSet<LaneId> = lanes
            .iter()
            .zip(&holders)
            .filter(|(_, of)| **of == Holder::Alone)
            .map(|(lane, _)| *lane)
            .collect();
        let width: usize = packs.iter().map(|pack| self.widths[*pack as usize]).sum();
        holders.iter().all(is_written) && width + alone.len() <= WIDTH
    }

    fn signature(&self, lanes: &[LaneId]) -> Option<Signature> {
        let mut found = None;
        for lane in lanes {
            let Def::Pure { op, arith, scalar, args } = &self.graph.lane(*lane).def else { return None };
            if op.reduces() || !self.per_lane.contains(&(*op as u8)) {
                return None;
            }
            let bits = [arith.rule as u8, arith.flush.into(), arith.precise.into()];
            let own = (*op as u8, bits, *scalar as u8, args.get().len());
            if *found.get_or_insert(own) != own {
                return None;
            }
        }
        found
    }

    /// The operands at a place of lanes.
    fn operands(&self, lanes: &[LaneId], place: usize) -> Vec<LaneId> {
        let of = |lane: &LaneId| self.graph.operation(*lane).and_then(|(_, args)| args.get(place).copied());
        lanes.iter().filter_map(of).collect()
    }

    fn nodes(&mut self, segment: &[&Action]) -> Vec<Node> {
        let first = self.widths.len() as u32;
        let mut nodes: Vec<Node> = Vec::with_capacity(segment.len());
        for (number, action) in segment.iter().enumerate() {
            let lanes: Vec<LaneId> = match action {
                Action::Pack(lanes) => lanes.iter().copied().filter(|of| self.used[of.index()]).collect(),
                _ => Vec::new(),
            };
            let mut open: Vec<LaneId> = match action {
                Action::Store { lanes, .. } => lanes.iter().flatten().copied().collect(),
                _ => {
                    lanes.iter().flat_map(|lane| reads_of(self.graph, &self.graph.lane(*lane).def)).collect()
                }
            };
            let mut from = BTreeSet::new();
            while let Some(lane) = open.pop() {
                if let Def::ParamAt { index, .. } = self.graph.lane(lane).def {
                    open.push(index);
                } else if let Some(node) = self.pack_of[lane.index()].checked_sub(first) {
                    if (node as usize) < number {
                        from.insert(node as usize);
                    }
                }
            }
            let level = from.iter().map(|&of| nodes[of].level + 1).max().unwrap_or(0);
            let is_fixed =
                |lane: &LaneId| matches!(self.graph.lane(*lane).def, Def::Texel { .. } | Def::Called { .. });
            self.widths.push(if lanes.iter().any(is_fixed) { WIDTH } else { lanes.len() });
            self.together.push(first + number as u32);
            lanes.iter().for_each(|lane| self.pack_of[lane.index()] = first + number as u32);
            if let Some((.., places)) = self.signature(&lanes).filter(|_| lanes.len() > 1) {
                for place in 0..places {
                    self.join(&self.operands(&lanes, place));
                }
            }
            nodes.push(Node {
                action: (*action).clone(),
                signature: self.signature(&lanes),
                lanes,
                from: from.into_iter().collect(),
                level,
                into: number,
            });
        }
        nodes
    }

    fn segment(&mut self, segment: &[&Action], out: &mut Vec<Action>) {
        let first = self.widths.len() as u32;
        let mut nodes = self.nodes(segment);
        let mut before = Before::of(&nodes);
        let mut order: Vec<usize> = (0..nodes.len()).filter(|&n| nodes[n].signature.is_some()).collect();
        order.sort_by_key(|&n| nodes[n].level);
        // What is at one level does not depend on each other; then what does not, at others.
        for same_level in [true, false] {
            if !same_level && (before.is_none() || self.reach == Reach::Level) {
                break;
            }
            let mut open: BTreeMap<(u32, Signature), Vec<usize>> = BTreeMap::new();
            for &n in &order {
                let (level, Some(signature)) = (nodes[n].level, nodes[n].signature) else { continue };
                if nodes[n].into != n {
                    continue;
                }
                let bins = open.entry((if same_level { level } else { 0 }, signature)).or_default();
                let found = bins.iter().rev().take(TRIALS).copied().find(|&bin| {
                    let all = [&nodes[bin].lanes[..], &nodes[n].lanes[..]].concat();
                    all.len() <= WIDTH
                        && before.as_ref().is_none_or(|before| before.are_apart(bin, n))
                        && self.fits(&all)
                        && (0..signature.3).all(|place| self.fits(&self.operands(&all, place)))
                });
                let Some(bin) = found else {
                    bins.push(n);
                    continue;
                };
                self.merged = true;
                let lanes = core::mem::take(&mut nodes[n].lanes);
                lanes.iter().for_each(|lane| self.pack_of[lane.index()] = first + bin as u32);
                nodes[bin].lanes.extend(lanes);
                let both = nodes[bin].lanes.clone();
                self.join_results(first + bin as u32, first + n as u32);
                for place in 0..signature.3 {
                    self.join(&self.operands(&both, place));
                }
                nodes[n].into = bin;
                if let Some(before) = &mut before {
                    before.merge(bin, n);
                }
            }
        }
        write_in_order(&nodes, out);
    }
}

/// The node that one is part of in the end.
fn whole(nodes: &[Node], mut n: usize) -> usize {
    while nodes[n].into != n {
        n = nodes[n].into;
    }
    n
}

/// Words of a set of nodes. Where a segment has more than it holds, nodes are compared only at the same level.
const WORDS: usize = 16;

/// For each node, all those that it depends on.
struct Before {
    of: Vec<Bits<WORDS>>,
}

impl Before {
    fn of(nodes: &[Node]) -> Option<Self> {
        if nodes.len() > 64 * WORDS {
            return None;
        }
        let mut of: Vec<Bits<WORDS>> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let mut own = Bits::default();
            for &from in &node.from {
                own.union(&of[from]);
                own.set(from);
            }
            of.push(own);
        }
        Some(Self { of })
    }

    /// Whether neither depends on the other.
    fn are_apart(&self, one: usize, other: usize) -> bool {
        !self.of[one].has(other) && !self.of[other].has(one)
    }

    /// Two nodes are one: both depend on what either does, and so does everything that depends on either.
    fn merge(&mut self, one: usize, other: usize) {
        let mut both = self.of[one];
        both.union(&self.of[other]);
        (self.of[one], self.of[other]) = (both, both);
        both.set(one);
        both.set(other);
        for own in self.of.iter_mut().filter(|own| own.has(one) || own.has(other)) {
            own.union(&both);
        }
    }
}

/// Writes nodes where the last of those stood that each was made of, each behind those that it reads.
fn write_in_order(nodes: &[Node], out: &mut Vec<Action>) {
    let mut from: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); nodes.len()];
    let mut last: Vec<usize> = (0..nodes.len()).collect();
    for (n, node) in nodes.iter().enumerate() {
        last[whole(nodes, n)] = n;
        from[whole(nodes, n)].extend(node.from.iter().map(|&of| whole(nodes, of)));
    }
    let mut done = vec![false; nodes.len()];
    for n in 0..nodes.len() {
        let node = whole(nodes, n);
        if last[node] != n {
            continue;
        }
        let mut open = vec![(node, false)];
        while let Some((at, ready)) = open.pop() {
            if done[at] {
                continue;
            }
            if !ready {
                open.push((at, true));
                open.extend(from[at].iter().rev().filter(|of| !done[**of]).map(|&of| (of, false)));
                continue;
            }
            done[at] = true;
            match &nodes[at].action {
                Action::Pack(_) if nodes[at].lanes.is_empty() => {}
                Action::Pack(_) => out.push(Action::Pack(nodes[at].lanes.clone())),
                other => out.push(other.clone()),
            }
        }
    }
}
