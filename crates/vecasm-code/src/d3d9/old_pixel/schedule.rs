//! The fewest slots for the operations of a list: every order, every pair and every register is tried, from the bound upwards.
//!
//! A pair costs what its first half does, which is the cheaper one.
//!
//! The registers are part of the search, since nothing can be copied for free: each result goes to a register whose lanes nobody
//! needs any more, and what an instruction reads together has to be in one.

use super::operations::{
    ALPHA, COLOUR, Contents, List, Operand, PLACES, Value, at_start, is_four, is_temporary, register,
};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use vecasm_ir::operand::Swizzle;
use vecasm_isa::d3d9::registers::RegType;
use vecasm_isa::d3d9::rules::ports;
use vecasm_isa::d3d9::table::Opcode;

/// An operation, or a half of one, that is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) op: usize,
    /// The lanes that are written.
    pub(super) lanes: u8,
    pub(super) to: usize,
    /// The registers of its sources.
    pub(super) from: [usize; 3],
}

/// A slot: one instruction, or the halves of a pair, that of the colour and that of alpha.
pub(super) type Slot = (Placed, Option<Placed>);

/// What a search found.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    /// The slots; `None` if nothing was found in the room there is.
    pub(super) slots: Option<Vec<Slot>>,
    /// What they cost.
    pub(super) cost: u32,
    /// No order of these operations costs less.
    pub(super) bound: u32,
}

/// Units of a list at most: as many as bits.
const UNITS: usize = 32;

/// What is put into a slot: an operation, or the colour or the alpha of one.
#[derive(Clone, Copy, Debug)]
struct Unit {
    op: usize,
    lanes: u8,
    cost: u32,
    /// The register that its result has to go to.
    pin: Option<usize>,
    /// The units whose results it reads.
    after: u32,
    /// Slots from this one on to the last one that waits for it.
    height: u32,
}

impl Unit {
    /// Whether it is the alpha half of a pair.
    const fn is_alpha(&self) -> bool {
        self.lanes == ALPHA
    }

    /// Whether it can have a partner.
    fn is_half(&self, list: &List) -> bool {
        let code = list.ops[self.op].code;
        let both = self.lanes & COLOUR != 0 && self.lanes & ALPHA != 0;
        let never = matches!(code, Opcode::Dp4 | Opcode::Bem)
            || code == Opcode::Dp3 && self.is_alpha()
            || code == Opcode::Cnd && !is_four(list.version) && !self.is_alpha();
        !both && !never
    }
}

/// Where everything is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    done: u32,
    contents: Contents,
}

impl State {
    /// The register that holds a value.
    fn place_of(&self, value: Value) -> Option<usize> {
        self.contents.iter().position(|lanes| lanes[value.lane()] == value)
    }
}

struct Search<'a> {
    list: &'a List,
    units: Vec<Unit>,
    /// For each value, the units that read it.
    readers: Vec<u32>,
    /// Units with a source of several results.
    mixed: u32,
    all: u32,
    /// Whether r0 is not like other registers: cnd reads its alpha.
    chooses: bool,
    /// Where nothing was found, with so many slots left.
    failed: BTreeMap<State, u32>,
    nodes: u32,
    budget: u32,
    /// Whether something was left out.
    cut: bool,
    slots: Vec<Slot>,
}

/// Finds a schedule of at most so many slots.
pub(super) fn solve(list: &List, most: u32, splits: bool, nodes: &mut u32, budget: u32) -> Solved {
    let nothing = |bound| Solved { slots: None, cost: 0, bound };
    let Some(mut whole) = Search::of(list, false) else { return nothing(0) };
    let mut halves = if splits { Search::of(list, true) } else { None };
    let end = nodes.saturating_add(budget);
    let last = halves.as_ref().unwrap_or(&whole);
    let least = last.bound(0);
    let mut bound = least;
    let mut proves = true;
    for cost in least..=most {
        for search in [Some(&mut whole), halves.as_mut()].into_iter().flatten() {
            (search.nodes, search.budget) = (*nodes, end);
            let found = search.reach(cost);
            *nodes = search.nodes;
            if found {
                return Solved { slots: Some(core::mem::take(&mut search.slots)), cost, bound };
            }
        }
        // With halves every schedule of whole operations is tried again.
        proves &= !halves.as_ref().unwrap_or(&whole).cut;
        if proves {
            bound = cost + 1;
        }
    }
    nothing(bound)
}

/// The register that has to hold lanes of an operation at the end; `Err` if there are two.
fn pin(list: &List, op: usize, lanes: u8) -> Result<Option<usize>, ()> {
    let mut found = None;
    for (place, finals) in list.finals.iter().enumerate() {
        for lane in (0..4).filter(|lane| lanes >> lane & 1 == 1) {
            if finals[lane] != Some(Value::result(op, lane)) {
                continue;
            }
            if found.is_some_and(|known| known != place) {
                return Err(());
            }
            found = Some(place);
        }
    }
    Ok(found)
}

impl<'a> Search<'a> {
    /// `None` if there are too many operations, or none can be placed.
    fn of(list: &'a List, splits: bool) -> Option<Self> {
        let mut units: Vec<Unit> = Vec::new();
        for (n, op) in list.ops.iter().enumerate().filter(|(_, op)| op.live != 0) {
            let parts = [op.live & COLOUR, op.live & ALPHA];
            let apart = splits && op.is_by_lane(list.version) && !parts.contains(&0);
            let parts: &[u8] = if apart { &parts } else { &[op.live] };
            for &lanes in parts {
                let fixed = (op.code == Opcode::Bem || !is_temporary(op.home)).then_some(op.home);
                let pin = pin(list, n, lanes).ok()?;
                if op.code == Opcode::Bem && pin.is_some_and(|pin| pin != op.home) {
                    return None;
                }
                let cost = list.cost(n);
                units.push(Unit { op: n, lanes, cost, pin: pin.or(fixed), after: 0, height: 1 });
            }
        }
        if units.len() > UNITS {
            return None;
        }
        let values = (PLACES + list.ops.len()) * 4;
        let mut readers = alloc::vec![0_u32; values];
        let makers = |value: Value, units: &[Unit]| {
            let made = |unit: &Unit| value.op() == Some(unit.op) && unit.lanes >> value.lane() & 1 == 1;
            units.iter().position(made)
        };
        let mut mixed = 0;
        for n in 0..units.len() {
            let Unit { op, lanes, .. } = units[n];
            for source in 0..list.ops[op].sources.len() {
                let mut first = None;
                for value in list.values(op, source, lanes) {
                    if let Some(bits) = readers.get_mut(value.index()) {
                        *bits |= 1 << n;
                    }
                    let maker = makers(value, &units);
                    // A result that nobody makes cannot be read.
                    if value.op().is_some() && maker.is_none() {
                        return None;
                    }
                    units[n].after |= maker.map_or(0, |maker| 1 << maker);
                    let known = *first.get_or_insert((maker, value.start()));
                    if known != (maker, value.start()) {
                        mixed |= 1 << n;
                    }
                }
            }
        }
        for n in (0..units.len()).rev() {
            let below = units.iter().filter(|unit| unit.after >> n & 1 == 1).map(|unit| unit.height).max();
            units[n].height = 1 + below.unwrap_or(0);
        }
        let all = ((1_u64 << units.len()) - 1) as u32;
        let chooses = list.ops.iter().any(|op| op.code == Opcode::Cnd && op.live != 0);
        Some(Self {
            list,
            units,
            readers,
            mixed,
            all,
            chooses: chooses && !is_four(list.version),
            failed: BTreeMap::new(),
            nodes: 0,
            budget: 0,
            cut: false,
            slots: Vec::new(),
        })
    }

    /// Slots that what is left costs at least.
    fn bound(&self, done: u32) -> u32 {
        let (mut colour, mut alpha, mut height) = (0, 0, 0);
        let left = self.units.iter().enumerate().filter(|(n, _)| done >> n & 1 == 0);
        for (_, unit) in left {
            height = height.max(unit.height);
            // The second half of a pair costs nothing, so that a slot is the least for either.
            let cost = if unit.is_half(self.list) { 1 } else { unit.cost };
            colour += if unit.lanes & COLOUR != 0 { cost } else { 0 };
            alpha += if unit.lanes & ALPHA != 0 { cost } else { 0 };
        }
        height.max(colour).max(alpha)
    }

    /// Looks for a schedule that costs so much.
    fn reach(&mut self, cost: u32) -> bool {
        self.failed.clear();
        self.slots.clear();
        self.cut = false;
        let state = self.cleared(State { done: 0, contents: at_start() });
        self.node(&state, cost)
    }

    /// Whether somebody still needs a value behind what is done.
    fn is_alive(&self, value: Value, place: usize, done: u32) -> bool {
        let read = self.readers.get(value.index()).is_some_and(|readers| readers & !done != 0);
        read || self.list.finals[place][value.lane()] == Some(value)
    }

    /// The state without what nobody needs.
    fn cleared(&self, mut state: State) -> State {
        for (place, lanes) in state.contents.iter_mut().enumerate() {
            for value in lanes.iter_mut().filter(|value| **value != Value::NONE) {
                if !self.is_alive(*value, place, state.done) {
                    *value = Value::NONE;
                }
            }
        }
        state
    }

    /// Looks below a node. Returns whether a schedule was found.
    fn node(&mut self, state: &State, left: u32) -> bool {
        if state.done == self.all {
            return true;
        }
        if self.bound(state.done) > left || self.failed.get(state).is_some_and(|known| *known >= left) {
            return false;
        }
        if self.nodes >= self.budget {
            self.cut = true;
            return false;
        }
        self.nodes += 1;
        let ready: Vec<(usize, [usize; 3])> = (0..self.units.len())
            .filter(|n| state.done >> n & 1 == 0 && self.units[*n].after & !state.done == 0)
            .filter_map(|n| Some((n, self.sources(n, state)?)))
            .collect();
        for (first, second) in self.choices(&ready) {
            if self.slot(state, left, first, second) {
                return true;
            }
        }
        if !self.cut {
            let known = self.failed.entry(state.clone()).or_insert(0);
            *known = left.max(*known);
        }
        false
    }

    /// What may be next: pairs first, and what stands first in the source.
    fn choices(&self, ready: &[(usize, [usize; 3])]) -> Vec<(Ready, Option<Ready>)> {
        let mut out = Vec::new();
        let is_half = |n: usize| self.units[n].is_half(self.list);
        for &first in ready.iter().filter(|(n, _)| is_half(*n) && !self.units[*n].is_alpha()) {
            for &second in ready.iter().filter(|(n, _)| is_half(*n) && self.units[*n].is_alpha()) {
                out.push((first, Some(second)));
            }
        }
        out.extend(ready.iter().map(|&first| (first, None)));
        out.sort_by_key(|(first, second)| {
            let of = |ready: &Ready| self.units[ready.0].op;
            let other = second.as_ref().map_or(of(first), of);
            (second.is_none(), of(first).min(other), of(first).max(other))
        });
        out
    }

    /// The registers that hold what a unit reads, if each source is in one.
    fn sources(&self, n: usize, state: &State) -> Option<[usize; 3]> {
        let Unit { op, lanes, .. } = self.units[n];
        let mut from = [0; 3];
        for (source, from) in from.iter_mut().enumerate().take(self.list.ops[op].sources.len()) {
            let mut places = self.list.values(op, source, lanes).map(|value| state.place_of(value));
            let Some(first) = places.next() else { continue };
            *from = first?;
            if places.any(|place| place != first) {
                return None;
            }
        }
        Some(from)
    }

    /// Tries what is in a slot with every register.
    fn slot(&mut self, state: &State, left: u32, first: Ready, second: Option<Ready>) -> bool {
        let cost = |ready: Ready| self.units[ready.0].cost;
        let cost = second.map_or(u32::MAX, cost).min(cost(first));
        let Some(left) = left.checked_sub(cost) else { return false };
        let done = state.done | 1 << first.0 | second.map_or(0, |(n, _)| 1 << n);
        for to in self.targets(first.0, state, done) {
            let placed = self.placed(first, to);
            if !fits(self.list, &placed, second.is_some()) {
                continue;
            }
            let Some((n, from)) = second else {
                if self.below(state, done, left, (placed, None)) {
                    return true;
                }
                continue;
            };
            for to in self.targets(n, state, done) {
                let other = self.placed((n, from), to);
                let fine = fits(self.list, &other, true) && fit(self.list, &placed, &other);
                if fine && self.below(state, done, left, (placed, Some(other))) {
                    return true;
                }
            }
        }
        false
    }

    fn placed(&self, (n, from): Ready, to: usize) -> Placed {
        let Unit { op, lanes, .. } = self.units[n];
        Placed { op, lanes, to, from }
    }

    /// The registers that the result of a unit may go to, that of the source first.
    fn targets(&self, n: usize, state: &State, done: u32) -> Vec<usize> {
        let Unit { op, lanes, pin, .. } = self.units[n];
        let home = self.list.ops[op].home;
        let holds = |place: usize, lanes: u8| {
            let held = |lane: &usize| lanes >> lane & 1 == 1;
            (0..4).filter(held).any(|lane| {
                let value = state.contents[place][lane];
                value != Value::NONE && self.is_alive(value, place, done)
            })
        };
        if let Some(place) = pin {
            return if holds(place, lanes) { Vec::new() } else { alloc::vec![place] };
        }
        let mut out = Vec::new();
        // Registers with nothing in them are alike.
        let mut empty = false;
        let others = (0..8).filter(|place| self.list.free >> place & 1 == 1 && *place != home);
        for place in core::iter::once(home).chain(others) {
            if holds(place, lanes) {
                continue;
            }
            let alike = !holds(place, 15)
                && self.list.finals[place] == [None; 4]
                && !(self.chooses && place == 0)
                && self.list.free >> place & 1 == 1;
            if alike && core::mem::replace(&mut empty, true) {
                continue;
            }
            out.push(place);
        }
        out
    }

    /// Fills a slot and goes on.
    fn below(&mut self, state: &State, done: u32, left: u32, slot: Slot) -> bool {
        let mut next = State { done, contents: state.contents };
        for placed in [Some(slot.0), slot.1].into_iter().flatten() {
            for lane in (0..4).filter(|lane| placed.lanes >> lane & 1 == 1) {
                next.contents[placed.to][lane] = Value::result(placed.op, lane);
            }
        }
        let next = self.cleared(next);
        if !self.can_be_read(&next) {
            return false;
        }
        self.slots.push(slot);
        if self.node(&next, left) {
            return true;
        }
        self.slots.pop();
        false
    }

    /// Whether what is read together is in one register, as far as it is there.
    fn can_be_read(&self, state: &State) -> bool {
        let waiting = self.mixed & !state.done;
        (0..self.units.len()).filter(|n| waiting >> n & 1 == 1).all(|n| {
            let Unit { op, lanes, .. } = self.units[n];
            (0..self.list.ops[op].sources.len()).all(|source| {
                let mut places =
                    self.list.values(op, source, lanes).filter_map(|value| state.place_of(value));
                let first = places.next();
                places.all(|place| Some(place) == first)
            })
        })
    }
}

/// A unit that can be next, with the registers of its sources.
type Ready = (usize, [usize; 3]);

/// The registers that are read, a bit each: r, v, c, t.
type Numbers = [u64; 4];

/// The files of [`Numbers`].
const FILES: [(RegType, char); 4] =
    [(RegType::Temp, 'r'), (RegType::Input, 'v'), (RegType::Const, 'c'), (RegType::AddrOrTexture, 't')];

fn numbers(list: &List, placed: &Placed) -> Numbers {
    let mut out = Numbers::default();
    for (operand, from) in list.ops[placed.op].sources.iter().zip(placed.from) {
        let (ty, number) =
            if operand.values.is_some() { register(from) } else { (operand.ty, operand.number) };
        let bit = 1_u64.checked_shl(number.into()).unwrap_or(0);
        for (set, _) in out.iter_mut().zip(FILES).filter(|(_, (file, _))| *file == ty) {
            *set |= bit;
        }
    }
    out
}

/// Whether an instruction can be said: ports, selectors, and what single instructions ask for.
fn fits(list: &List, placed: &Placed, paired: bool) -> bool {
    let op = &list.ops[placed.op];
    let four = is_four(list.version);
    let numbers = numbers(list, placed);
    if numbers.iter().zip(FILES).any(|(set, (_, file))| set.count_ones() > ports(file, list.version)) {
        return false;
    }
    let selects = |swizzle: Swizzle| match swizzle.is_scalar().then(|| swizzle.get(0)) {
        None | Some(3) => true,
        Some(2) => four || placed.lanes == ALPHA,
        Some(_) => four,
    };
    if !op.sources.iter().all(|source| selects(source.swizzle)) {
        return false;
    }
    match op.code {
        // The first source is r0.a.
        Opcode::Cnd if !four => {
            let first = op.sources.first();
            first.is_some_and(|source| source.values.is_some() && source.swizzle == Swizzle::splat(3))
                && placed.from[0] == 0
                && !(paired && placed.lanes != ALPHA)
        }
        // What is read is not written.
        Opcode::Cmp if !four => {
            let mut sources = op.sources.iter().zip(placed.from);
            !sources.any(|(source, from)| source.values.is_some() && from == placed.to)
        }
        _ => true,
    }
}

/// Whether two halves can be one pair.
fn fit(list: &List, colour: &Placed, alpha: &Placed) -> bool {
    let sets = numbers(list, colour).into_iter().zip(numbers(list, alpha));
    let few = sets.into_iter().all(|(a, b)| (a | b).count_ones() <= 3);
    few && (list.version.minor() > 0 || colour.to == alpha.to)
}

/// Whether two halves are one instruction: they were one, and still have the same registers.
pub(super) fn is_whole(list: &List, colour: &Placed, alpha: &Placed) -> bool {
    let sources = list.ops[colour.op].sources.iter().enumerate();
    let same = |(n, source): (usize, &Operand)| source.values.is_none() || colour.from[n] == alpha.from[n];
    colour.op == alpha.op && colour.to == alpha.to && sources.into_iter().all(same)
}
