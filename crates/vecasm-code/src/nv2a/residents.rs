//! Who is when in the registers that are given: R1 beside the vector unit, and what parts of programs bring along.
//!
//! Two values in one lane of a register are there one after the other: all that read the first one are in the slot that writes the
//! second one, or in front of it. Where only one of both orders can be, it is one more thing that operations wait for.

use super::Bits;
use super::assign::{PERMUTATIONS, STRAIGHT, Seat};
use super::depend::{Order, Webs};
use super::operations::{Def, List, Op, Shape, TEMPORARIES, index};
use super::pair::{PAIRED, Pair};
use alloc::vec::Vec;
use vecasm_ir::operand::WriteMask;

/// What is known of the values of a list.
pub(super) struct Values {
    /// For each operation, then each temporary's first value: those that read each lane.
    pub(super) readers: Vec<[Vec<u16>; 4]>,
    /// The lanes that count at the end.
    pub(super) kept: Vec<WriteMask>,
    /// Number of operations.
    pub(super) count: usize,
}

impl Values {
    /// The number of a value: that of its operation, then those of what temporaries start with.
    pub(super) fn node(&self, def: Def) -> Option<usize> {
        match def {
            Def::Initial(register) => Some(self.count + usize::from(register)),
            _ => index(def),
        }
    }

    pub(super) fn of(list: &List) -> Self {
        let count = list.ops.len();
        let mut out = Self {
            readers: alloc::vec![Default::default(); count + TEMPORARIES],
            kept: alloc::vec![WriteMask::NONE; count + TEMPORARIES],
            count,
        };
        for (n, op) in list.ops.iter().enumerate() {
            for (def, lane) in op.values() {
                if let Some(node) = out.node(def) {
                    let readers = &mut out.readers[node][lane & 3];
                    if readers.last() != Some(&(n as u16)) {
                        readers.push(n as u16);
                    }
                }
            }
        }
        for (def, lane) in list.finals() {
            if let Some(node) = out.node(def) {
                out.kept[node] = out.kept[node].union(WriteMask::lane(lane));
            }
        }
        out
    }
}

/// A lane of a value.
type Part = (u16, u8);

/// What operations wait for, and who is where.
#[derive(Clone)]
pub(super) struct Residents {
    pub(super) after: Vec<Bits>,
    pub(super) before: Vec<Bits>,
    /// The other operation of its slot.
    mates: Vec<Option<u16>>,
    /// For each lane of each temporary, the values that have to be in it.
    places: Vec<Vec<Part>>,
    /// The register and lanes of webs that have a place.
    pub(super) seats: Vec<Option<Seat>>,
    /// Webs whose lanes must not change places.
    rigid: Bits,
}

impl Residents {
    /// The order alone, without registers.
    pub(super) fn none(webs: &Webs, order: &Order) -> Self {
        Self {
            after: order.after.clone(),
            before: order.before.clone(),
            mates: alloc::vec![None; order.after.len()],
            places: Vec::new(),
            seats: alloc::vec![None; webs.len()],
            rigid: Bits::default(),
        }
    }

    /// At the start: what is in the temporaries, and what has to be in a given one.
    pub(super) fn of(list: &List, webs: &Webs, order: &Order, values: &Values) -> Option<Self> {
        let count = values.count;
        let mut out = Self { places: alloc::vec![Vec::new(); TEMPORARIES * 4], ..Self::none(webs, order) };
        for register in 0..TEMPORARIES {
            for lane in 0..4 {
                if !values.readers[count + register][lane].is_empty() {
                    out.places[register * 4 + lane].push(((count + register) as u16, lane as u8));
                }
            }
        }
        for (n, op) in list.ops.iter().enumerate() {
            let moves = match op.shape() {
                Shape::Same => true,
                Shape::ByLane => op.other.is_none(),
                Shape::Fixed => false,
            };
            if !moves {
                out.rigid.set(webs.of_op(n));
            }
        }
        for register in 0..TEMPORARIES {
            let web = webs.first(register);
            out.rigid.set(web);
            out.add(list, webs, web, Seat { register: register as u8, lanes: STRAIGHT });
        }
        out.settle(values).then_some(out)
    }

    /// Whether the lanes of a web may change places.
    pub(super) fn is_loose(&self, web: usize) -> bool {
        !self.rigid.has(web)
    }

    /// Gives a web its register.
    fn add(&mut self, list: &List, webs: &Webs, web: usize, seat: Seat) {
        self.seats[web] = Some(seat);
        for (n, op) in list.ops.iter().enumerate().filter(|(n, _)| webs.of_op(*n) == web) {
            for lane in op.temporary.map_or(WriteMask::NONE, |(_, mask)| mask).lanes() {
                let place = usize::from(seat.register) * 4 + usize::from(seat.lanes[lane & 3]);
                self.places[place].push((n as u16, lane as u8));
            }
        }
    }

    fn are_mates(&self, a: usize, b: usize) -> bool {
        self.mates.get(a).copied().flatten().is_some_and(|mate| usize::from(mate) == b)
    }

    /// Puts one operation in front of another one, or in its slot. Returns whether that can be.
    fn precede(&mut self, first: usize, then: usize) -> bool {
        if first == then || self.are_mates(first, then) || self.after[first].has(then) {
            return true;
        }
        if self.after[then].has(first) {
            return false;
        }
        let (mut before, mut after) = (self.before[first], self.after[then]);
        before.set(first);
        after.set(then);
        before.iter().for_each(|n| self.after[n].union(&after));
        after.iter().for_each(|n| self.before[n].union(&before));
        true
    }

    /// Whether a value can be in a place in front of another one.
    fn can_be_first(&self, values: &Values, first: Part, then: Part) -> bool {
        let (from, to) = (usize::from(first.0), usize::from(then.0));
        let lane = usize::from(first.1) & 3;
        if to >= values.count || values.kept[from].has(lane) {
            return false;
        }
        if from < values.count && (self.are_mates(from, to) || self.after[to].has(from)) {
            return false;
        }
        values.readers[from][lane].iter().all(|reader| {
            let reader = usize::from(*reader);
            reader == to || self.are_mates(reader, to) || !self.after[to].has(reader)
        })
    }

    /// Whether it is known already that it is in front.
    fn is_first(&self, values: &Values, first: Part, then: Part) -> bool {
        let (from, to) = (usize::from(first.0), usize::from(then.0));
        let lane = usize::from(first.1) & 3;
        to < values.count
            && !values.kept[from].has(lane)
            && (from >= values.count || self.after[from].has(to))
            && values.readers[from][lane].iter().all(|reader| {
                let reader = usize::from(*reader);
                reader == to || self.are_mates(reader, to) || self.after[reader].has(to)
            })
    }

    fn put_first(&mut self, values: &Values, first: Part, then: Part) -> bool {
        let (from, to) = (usize::from(first.0), usize::from(then.0));
        let lane = usize::from(first.1) & 3;
        (from >= values.count || self.precede(from, to))
            && values.readers[from][lane].iter().all(|reader| self.precede((*reader).into(), to))
    }

    /// Draws what follows from who is where. Returns whether there is no contradiction.
    pub(super) fn settle(&mut self, values: &Values) -> bool {
        loop {
            let mut changed = false;
            for place in 0..self.places.len() {
                for n in 1..self.places[place].len() {
                    for m in 0..n {
                        let (a, b) = (self.places[place][m], self.places[place][n]);
                        if self.is_first(values, a, b) || self.is_first(values, b, a) {
                            continue;
                        }
                        let ok = match (self.can_be_first(values, a, b), self.can_be_first(values, b, a)) {
                            (true, true) => continue,
                            (true, false) => self.put_first(values, a, b),
                            (false, true) => self.put_first(values, b, a),
                            (false, false) => false,
                        };
                        if !ok {
                            return false;
                        }
                        changed = true;
                    }
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// Two values that may be in a place in either order.
    fn open(&self, values: &Values) -> Option<(Part, Part)> {
        self.places.iter().find_map(|place| {
            place.iter().enumerate().find_map(|(n, b)| {
                let open = |a: &&Part| !self.is_first(values, **a, *b) && !self.is_first(values, *b, **a);
                place.iter().take(n).find(open).map(|a| (*a, *b))
            })
        })
    }

    /// Decides every order that is open: as the source has it, if that can be.
    pub(super) fn decide(mut self, list: &List, values: &Values) -> Option<Self> {
        while let Some((mut a, mut b)) = self.open(values) {
            let at = |part: Part| list.ops.get(usize::from(part.0)).map_or((0, 0), |op| (op.at + 1, part.0));
            if at(b) < at(a) {
                core::mem::swap(&mut a, &mut b);
            }
            self = [(a, b), (b, a)].into_iter().find_map(|(first, then)| {
                let mut below = self.clone();
                (below.put_first(values, first, then) && below.settle(values)).then_some(below)
            })?;
        }
        Some(self)
    }

    /// Makes two operations one in the order.
    pub(super) fn contract(&mut self, way: Pair) {
        let (a, b) = (way.vector, way.scalar);
        let [mut after, mut before] = [self.after[a], self.before[a]];
        after.union(&self.after[b]);
        before.union(&self.before[b]);
        for n in [a, b] {
            after.set(n);
            before.set(n);
        }
        before.iter().for_each(|n| self.after[n].union(&after));
        after.iter().for_each(|n| self.before[n].union(&before));
        self.mates[a] = Some(b as u16);
        self.mates[b] = Some(a as u16);
    }

    /// Puts two operations into one slot. Returns whether there can be registers for that.
    pub(super) fn join(&mut self, list: &List, webs: &Webs, values: &Values, way: Pair) -> bool {
        let (a, b) = (way.vector, way.scalar);
        self.contract(way);
        let [vector, scalar] = [a, b].map(|n| &list.ops[n]);
        if vector.source_of_c(false).is_some() {
            // Both look at one swizzle.
            for (n, op) in [(a, vector), (b, scalar)] {
                let web = webs.of_op(n);
                if op.shape() == Shape::ByLane && op.temporary.is_some() && !self.rigid.has(web) {
                    if self.seats[web].is_some_and(|seat| seat.lanes != STRAIGHT) {
                        return false;
                    }
                    self.rigid.set(web);
                }
            }
        }
        if scalar.temporary.is_none() {
            return self.settle(values);
        }
        let web = webs.of_op(b);
        if let Some(seat) = self.seats[web] {
            return seat.register == PAIRED && self.settle(values);
        }
        let mut ways: Vec<[u8; 4]> = Vec::new();
        if self.rigid.has(web) {
            ways.push(STRAIGHT);
        } else {
            let used = used_lanes(list, webs, web);
            for way in PERMUTATIONS {
                let same = |other: &[u8; 4]| used.lanes().all(|lane| other[lane & 3] == way[lane & 3]);
                if !ways.iter().any(same) {
                    ways.push(*way);
                }
            }
            let crowd = |way: &[u8; 4]| -> usize {
                let of =
                    |lane: usize| self.places[usize::from(PAIRED) * 4 + usize::from(way[lane & 3])].len();
                used.lanes().map(of).sum()
            };
            ways.sort_by_key(crowd);
        }
        for lanes in ways {
            let mut below = self.clone();
            below.add(list, webs, web, Seat { register: PAIRED, lanes });
            if below.settle(values) {
                *self = below;
                return true;
            }
        }
        false
    }

    /// Whether both units of a slot would write R1.
    pub(super) fn meets_in_r1(&self, list: &List, webs: &Webs, way: &Pair) -> bool {
        let writes = |n: usize| list.ops[n].temporary.is_some();
        let in_r1 = self.seats[webs.of_op(way.vector)].is_some_and(|seat| seat.register == PAIRED);
        writes(way.vector) && writes(way.scalar) && in_r1
    }
}

/// The lanes that the values of a web are in.
fn used_lanes(list: &List, webs: &Webs, web: usize) -> WriteMask {
    let ops = list.ops.iter().enumerate().filter(|(n, _)| webs.of_op(*n) == web);
    let lanes = ops.filter_map(|(_, op): (usize, &Op)| op.temporary);
    lanes.fold(WriteMask::NONE, |all, (_, mask)| all.union(mask))
}
