//! Which operation has to wait for which, and which results share a register.

use super::Bits;
use super::operations::{Def, List, TEMPORARIES};
use crate::Ends;
use alloc::vec::Vec;
use vecasm_ir::operand::WriteMask;

/// The order that operations need, whatever registers they have.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// For each operation those that need its result, or have to be in later slots for another reason.
    pub(super) strict: Vec<Bits>,
    /// For each operation all that come after it.
    pub(super) after: Vec<Bits>,
    /// For each operation all that come before it.
    pub(super) before: Vec<Bits>,
}

impl Order {
    pub(super) fn of(list: &List, webs: &Webs) -> Self {
        let count = list.ops.len();
        let mut strict = alloc::vec![Bits::default(); count];
        // Those that overwrite what it reads: in the same slot or in later ones.
        let mut weak = strict.clone();
        // Those that write a temporary at the end of a list, and those that read what it held at the start.
        let mut initial: Vec<(usize, usize, usize)> = Vec::new();
        for (n, op) in list.ops.iter().enumerate() {
            for (def, lane) in op.values() {
                match def {
                    Def::Op(from) => strict[usize::from(from)].set(n),
                    Def::Initial(register) => initial.push((register.into(), lane, n)),
                    Def::None => {}
                }
            }
            for (from, first) in list.ops.iter().enumerate().take(n) {
                match first.before(op) {
                    Some(true) => strict[from].set(n),
                    Some(false) => weak[from].set(n),
                    None => {}
                }
            }
        }
        // What is pinned to a temporary waits for those that read what it held first.
        for (register, lane, reader) in initial {
            for (n, op) in list.ops.iter().enumerate() {
                let pinned = webs.pin(n) == Some(register);
                if pinned && n > reader && op.temporary.is_some_and(|(_, mask)| mask.has(lane)) {
                    weak[reader].set(n);
                }
            }
        }
        let (after, before) = closure(&strict, &weak);
        Self { strict, after, before }
    }

    /// Whether two operations can be in one slot, as far as their order goes.
    pub(super) fn allows(&self, a: usize, b: usize) -> bool {
        !self.strict[a].has(b)
            && !self.strict[b].has(a)
            && !self.after[a].meets(&self.before[b])
            && !self.after[b].meets(&self.before[a])
    }
}

/// What comes after and before each operation.
fn closure(strict: &[Bits], weak: &[Bits]) -> (Vec<Bits>, Vec<Bits>) {
    let count = strict.len();
    let mut after = alloc::vec![Bits::default(); count];
    let mut before = after.clone();
    // Whoever waits stands behind in the list.
    for n in (0..count).rev() {
        let mut all = strict[n];
        all.union(&weak[n]);
        for next in all.iter().filter(|next| *next > n) {
            all.union(&after[next]);
        }
        after[n] = all;
    }
    for (n, after) in after.iter().enumerate() {
        after.iter().for_each(|next| before[next].set(n));
    }
    (after, before)
}

/// Results that have to be in one register, since an operand reads lanes of several of them.
#[derive(Clone, Debug)]
pub(super) struct Webs {
    /// For each operation, then each temporary's first value, the least member of its web.
    leader: Vec<u16>,
    count: usize,
}

impl Webs {
    pub(super) fn of(list: &List) -> Self {
        let count = list.ops.len();
        let leader = (0..count + TEMPORARIES).map(|n| n as u16).collect();
        let mut webs = Self { leader, count };
        for op in &list.ops {
            for (source, lanes) in op.each_read().filter(|(source, _)| source.is_temporary()) {
                let mut defs = lanes.lanes().map(|lane| source.lanes[lane & 3]);
                let Some(first) = defs.next().and_then(|def| webs.node(def)) else { continue };
                for def in defs {
                    if let Some(node) = webs.node(def) {
                        webs.join(first, node);
                    }
                }
            }
        }
        for (register, lanes) in list.finals.iter().enumerate().filter(|_| list.keeps == Ends::Same) {
            for (def, _) in lanes {
                if let Some(node) = webs.node(*def) {
                    webs.join(count + register, node);
                }
            }
        }
        for n in 0..webs.leader.len() {
            webs.leader[n] = webs.find(n) as u16;
        }
        webs
    }

    fn node(&self, def: Def) -> Option<usize> {
        match def {
            Def::Op(n) => Some(n.into()),
            Def::Initial(register) => Some(self.count + usize::from(register)),
            Def::None => None,
        }
    }

    fn find(&self, mut n: usize) -> usize {
        while usize::from(self.leader[n]) != n {
            n = self.leader[n].into();
        }
        n
    }

    /// The larger one is the leader, so that temporaries lead the webs that are in them.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.leader[a.min(b)] = a.max(b) as u16;
    }

    /// The web of a result: a number.
    pub(super) fn web(&self, def: Def) -> Option<usize> {
        self.node(def).map(|node| self.leader[node].into())
    }

    /// The web of an operation's result.
    pub(super) fn of_op(&self, n: usize) -> usize {
        self.leader[n].into()
    }

    /// The web of what a temporary starts with.
    pub(super) fn first(&self, register: usize) -> usize {
        self.leader[self.count + register].into()
    }

    /// One more than the largest number of a web.
    pub(super) fn len(&self) -> usize {
        self.leader.len()
    }

    /// The temporary that a web has to be in.
    pub(super) fn pinned(&self, web: usize) -> Option<usize> {
        web.checked_sub(self.count)
    }

    /// The temporary that the result of an operation has to be in.
    pub(super) fn pin(&self, n: usize) -> Option<usize> {
        self.pinned(self.of_op(n))
    }

    /// Whether they can be: no web is in two temporaries, and in the order of the list none holds two values in a lane at a time.
    pub(super) fn hold(&self, list: &List) -> bool {
        let first = |n: usize| self.leader[self.count + n];
        if (0..TEMPORARIES).any(|n| usize::from(first(n)) != self.count + n) {
            return false;
        }
        // The slot of the last reader of each lane of each result.
        let mut last = alloc::vec![[0_u32; 4]; self.len()];
        for op in &list.ops {
            for (def, lane) in op.values() {
                if let Some(node) = self.node(def) {
                    last[node][lane & 3] = op.at;
                }
            }
        }
        for (def, lane) in list.finals() {
            if let Some(node) = self.node(def) {
                last[node][lane & 3] = u32::MAX;
            }
        }
        // Who is in each lane of each web.
        let mut holder: Vec<[Option<usize>; 4]> = alloc::vec![[None; 4]; self.len()];
        for n in 0..TEMPORARIES {
            holder[self.count + n] = [Some(self.count + n); 4];
        }
        for (n, op) in list.ops.iter().enumerate() {
            for lane in op.temporary.map_or(WriteMask::NONE, |(_, mask)| mask).lanes() {
                let place = &mut holder[self.of_op(n)][lane & 3];
                if place.is_some_and(|held| last[held][lane & 3] > op.at) {
                    return false;
                }
                *place = Some(n);
            }
        }
        true
    }
}
