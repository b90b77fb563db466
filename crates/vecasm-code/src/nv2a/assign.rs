//! An order of the slots, and registers for what they write.

use super::depend::Webs;
use super::operations::{List, Op, TEMPORARIES};
use super::pair::{PAIRED, Pair};
use super::residents::{Residents, Values};
use alloc::vec::Vec;
use vecasm_ir::operand::WriteMask;

/// What is done in a slot: an operation for the vector unit, one for the scalar unit.
pub(super) type Group = [Option<usize>; 2];

/// Slots with registers.
#[derive(Clone, Debug)]
pub(super) struct Assigned {
    pub(super) slots: Vec<Group>,
    /// For each web its place.
    pub(super) seats: Vec<Seat>,
}

/// Where a web is: the register, and the lane of the register for each lane of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seat {
    pub(super) register: u8,
    pub(super) lanes: [u8; 4],
}

/// Each lane where it was.
pub(super) const STRAIGHT: [u8; 4] = [0, 1, 2, 3];

/// The slots in front of which a value is in its place: the first, the last.
type Span = (u16, u16);

/// What is in the lanes of the temporaries, and when.
type Busy = [[Vec<Span>; 4]; TEMPORARIES];

/// Attempts to find registers for an order of slots.
const ROUNDS: usize = 30;

struct Assigner<'a> {
    list: &'a List,
    webs: &'a Webs,
    values: &'a Values,
    residents: &'a Residents,
    groups: Vec<Group>,
    /// Whether an operation is of the vector unit, beside one of the scalar unit that writes a temporary.
    beside: Vec<bool>,
}

/// Gives slots an order, and values registers. `None` if no way was found.
pub(super) fn assign(
    list: &List,
    webs: &Webs,
    values: &Values,
    residents: &Residents,
    pairs: &[Pair],
) -> Option<Assigned> {
    let mut groups: Vec<Group> = Vec::with_capacity(list.ops.len());
    let mut paired = alloc::vec![false; list.ops.len()];
    for pair in pairs {
        paired[pair.vector] = true;
        paired[pair.scalar] = true;
        groups.push([Some(pair.vector), Some(pair.scalar)]);
    }
    for (n, op) in list.ops.iter().enumerate().filter(|(n, _)| !paired[*n]) {
        groups.push(if op.can_be_vector() { [Some(n), None] } else { [None, Some(n)] });
    }
    let mut beside = alloc::vec![false; list.ops.len()];
    pairs.iter().for_each(|pair| beside[pair.vector] = list.ops[pair.scalar].temporary.is_some());
    let assigner = Assigner { list, webs, values, residents, groups, beside };
    WINDOWS.iter().find_map(|(last, window)| {
        let slots = assigner.order(*last, *window);
        assigner.seats(&slots)
    })
}

/// Orders that are tried: of those that can be next, whether by their last operation in the source or by their first; among how many
/// of these the one is taken after which the fewest lanes are in use.
const WINDOWS: &[(bool, usize)] =
    &[(false, 1), (true, 1), (true, 3), (true, 8), (false, 3), (false, 8), (true, usize::MAX)];

impl Assigner<'_> {
    /// Puts the slots in order.
    fn order(&self, last: bool, window: usize) -> Vec<Group> {
        let place = |n: &usize| {
            let ats = self.groups[*n].iter().flatten().copied();
            if last { ats.max() } else { ats.min() }
        };
        let mut waiting: Vec<usize> = (0..self.groups.len()).collect();
        waiting.sort_by_key(place);
        let mut done = super::Bits::default();
        let mut left: Vec<[u16; 4]> =
            self.values.readers.iter().map(|lanes| [0, 1, 2, 3].map(|n| lanes[n].len() as u16)).collect();
        let mut slots = Vec::with_capacity(self.groups.len());
        while !waiting.is_empty() {
            let is_ready = |n: &usize| {
                let group = self.groups[*n];
                group.iter().flatten().all(|op| {
                    let mut before = self.residents.before[*op];
                    group.iter().flatten().for_each(|own| before.clear(*own));
                    before.is_within(&done)
                })
            };
            let ready = waiting.iter().copied().filter(is_ready).take(window);
            // Somebody is always ready: the order has no cycle.
            let Some(next) = ready.min_by_key(|n| if window > 1 { self.growth(*n, &left) } else { 0 }) else {
                break;
            };
            for op in self.groups[next].iter().flatten() {
                done.set(*op);
                let mut seen = Vec::new();
                for (def, lane) in self.list.ops[*op].values() {
                    if let Some(node) = self.values.node(def).filter(|_| !seen.contains(&(def, lane))) {
                        seen.push((def, lane));
                        left[node][lane & 3] = left[node][lane & 3].saturating_sub(1);
                    }
                }
            }
            waiting.retain(|n| *n != next);
            slots.push(self.groups[next]);
        }
        slots
    }

    /// How many lanes more are in use after a slot.
    fn growth(&self, n: usize, left: &[[u16; 4]]) -> i32 {
        let mut growth = 0;
        for op in self.groups[n].iter().flatten() {
            growth += self.written(*op).count() as i32;
            let mut seen = Vec::new();
            for (def, lane) in self.list.ops[*op].values() {
                let Some(node) = self.values.node(def).filter(|_| !seen.contains(&(def, lane))) else {
                    continue;
                };
                seen.push((def, lane));
                growth -= i32::from(left[node][lane & 3] == 1 && !self.values.kept[node].has(lane));
            }
        }
        growth
    }

    fn written(&self, op: usize) -> WriteMask {
        self.list.ops[op].temporary.map_or(WriteMask::NONE, |(_, mask)| mask)
    }

    /// When each lane of each value is in its place.
    fn spans(&self, slots: &[Group]) -> Vec<[Span; 4]> {
        let count = self.list.ops.len();
        let mut spans = alloc::vec![[(0, 0); 4]; count + TEMPORARIES];
        for (t, group) in slots.iter().enumerate() {
            let t = t as u16;
            for op in group.iter().flatten() {
                for (def, lane) in self.list.ops[*op].values() {
                    if let Some(node) = self.values.node(def) {
                        spans[node][lane & 3].1 = t;
                    }
                }
            }
            for op in group.iter().flatten() {
                // What nobody reads is in the way for a slot.
                self.written(*op).lanes().for_each(|lane| spans[*op][lane & 3] = (t + 1, t + 1));
            }
        }
        for (lanes, kept) in spans.iter_mut().zip(&self.values.kept) {
            kept.lanes().for_each(|lane| lanes[lane & 3].1 = slots.len() as u16);
        }
        spans
    }

    /// Registers for all webs.
    fn seats(&self, slots: &[Group]) -> Option<Assigned> {
        let count = self.list.ops.len();
        if slots.len() < self.groups.len() {
            return None;
        }
        let spans = self.spans(slots);
        let mut webs: Vec<(Span, usize, Vec<usize>)> = Vec::new();
        for op in (0..count).filter(|op| self.list.ops[*op].temporary.is_some()) {
            let web = self.webs.of_op(op);
            let (mut from, mut to) = (u16::MAX, 0);
            for lane in self.written(op).lanes() {
                from = from.min(spans[op][lane & 3].0);
                to = to.max(spans[op][lane & 3].1);
            }
            match webs.iter_mut().find(|(_, of, _)| *of == web) {
                Some((span, _, ops)) => {
                    *span = (span.0.min(from), span.1.max(to));
                    ops.push(op);
                }
                None => webs.push(((from, to), web, Vec::from([op]))),
            }
        }
        // Two values of a web in one lane at a time have no register, wherever that is.
        let clash = |ops: &[usize]| {
            (0..4).any(|lane| {
                let of = |op: &&usize| self.written(**op).has(lane);
                let own: Vec<Span> = ops.iter().filter(of).map(|op| spans[*op][lane]).collect();
                own.iter().enumerate().any(|(n, span)| own[..n].iter().any(|other| meet(*other, *span)))
            })
        };
        if webs.iter().any(|(_, _, ops)| clash(ops)) {
            return None;
        }
        // Those that have no choice first, then as they come. One that finds no place goes to the front.
        let given = webs.iter().filter(|(_, web, _)| self.residents.seats[*web].is_some()).count();
        webs.sort_by_key(|(span, web, _)| (self.residents.seats[*web].is_none(), span.0));
        for round in 0..ROUNDS {
            match self.fill(&webs, &spans, given + round) {
                Ok(seats) => return Some(Assigned { slots: slots.to_vec(), seats }),
                Err(n) if n < given => return None,
                Err(n) => webs.get_mut(given..=n)?.rotate_right(1),
            }
        }
        None
    }

    /// Registers for all webs in that order; else the first that finds no place.
    fn fill(
        &self,
        webs: &[(Span, usize, Vec<usize>)],
        spans: &[[Span; 4]],
        front: usize,
    ) -> Result<Vec<Seat>, usize> {
        let count = self.list.ops.len();
        let mut busy: Busy = Default::default();
        for (register, lanes) in busy.iter_mut().enumerate() {
            for (lane, taken) in lanes.iter_mut().enumerate() {
                if !self.values.readers[count + register][lane].is_empty() {
                    taken.push(spans[count + register][lane]);
                }
            }
        }
        let mut seats: Vec<Seat> = self
            .residents
            .seats
            .iter()
            .map(|seat| seat.unwrap_or(Seat { register: 0, lanes: STRAIGHT }))
            .collect();
        // Where a web was, if that is free, then wherever there is room.
        let mut done = alloc::vec![false; webs.len()];
        for anywhere in [false, true] {
            for (n, (_, web, ops)) in webs.iter().enumerate() {
                if done[n] {
                    continue;
                }
                let seat = match self.residents.seats[*web] {
                    Some(seat) if !self.fits(&busy, spans, ops, seat) => return Err(n),
                    Some(seat) => Some(seat),
                    None => self.seat(&busy, spans, ops, *web, anywhere || n < front),
                };
                let Some(seat) = seat else {
                    if anywhere || n < front {
                        return Err(n);
                    }
                    continue;
                };
                done[n] = true;
                for op in ops {
                    for lane in self.written(*op).lanes() {
                        let to = usize::from(seat.lanes[lane & 3]);
                        busy[usize::from(seat.register)][to].push(spans[*op][lane & 3]);
                    }
                }
                seats[*web] = seat;
            }
        }
        Ok(seats)
    }

    /// A free register for a web: the one that it had, if it can be.
    fn seat(
        &self,
        busy: &Busy,
        spans: &[[Span; 4]],
        ops: &[usize],
        web: usize,
        anywhere: bool,
    ) -> Option<Seat> {
        let had = ops.iter().find_map(|op| self.list.ops[*op].temporary).map_or(0, |(n, _)| n);
        let registers = core::iter::once(had).chain((0..TEMPORARIES as u8).filter(|n| *n != had));
        if !anywhere {
            let seat = Seat { register: had, lanes: STRAIGHT };
            return self.fits(busy, spans, ops, seat).then_some(seat);
        }
        let ways = if self.residents.is_loose(web) { PERMUTATIONS } else { &[STRAIGHT] };
        for lanes in ways {
            for register in registers.clone() {
                let seat = Seat { register, lanes: *lanes };
                if self.fits(busy, spans, ops, seat) {
                    return Some(seat);
                }
            }
        }
        None
    }

    fn fits(&self, busy: &Busy, spans: &[[Span; 4]], ops: &[usize], seat: Seat) -> bool {
        let Some(lanes) = busy.get(usize::from(seat.register)) else { return false };
        for op in ops {
            for lane in self.written(*op).lanes() {
                let span = spans[*op][lane & 3];
                if lanes[usize::from(seat.lanes[lane & 3])].iter().any(|taken| meet(*taken, span)) {
                    return false;
                }
            }
        }
        // The vector unit does not write R1 beside a scalar unit that does.
        seat.register != PAIRED || !ops.iter().any(|op| self.beside[*op])
    }
}

/// Whether two spans have a slot in common.
const fn meet(a: Span, b: Span) -> bool {
    a.0 <= b.1 && b.0 <= a.1
}

/// Every order of four lanes, the usual one first.
pub(super) static PERMUTATIONS: &[[u8; 4]] = &{
    let mut all = [STRAIGHT; 24];
    let (mut n, mut code) = (0, 0);
    while code < 256 {
        // From the usual one on, so that it is the first.
        let word = (code + 0x1b) & 0xff;
        let lanes = [(word >> 6 & 3) as u8, (word >> 4 & 3) as u8, (word >> 2 & 3) as u8, (word & 3) as u8];
        let [a, b, c, d] = lanes;
        if a != b && a != c && a != d && b != c && b != d && c != d {
            all[n] = lanes;
            n += 1;
        }
        code += 1;
    }
    all
};

/// The lanes of a value, as they are in its register.
pub(super) fn seated(op: &Op, seat: Seat) -> Option<(u8, WriteMask)> {
    op.temporary.map(|(_, mask)| {
        let bits = mask.lanes().fold(0, |bits, lane| bits | 1 << seat.lanes[lane & 3]);
        (seat.register, WriteMask::from_bits(bits))
    })
}
