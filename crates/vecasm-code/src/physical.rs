//! Instructions with registers, and the proof that they do what those with lanes do.

use crate::allocate::{Seat, Seats};
use crate::code::{Count, Instr, Source, Target, What};
use crate::graph::LaneId;
use crate::legalize::PlacedLiterals;
use crate::machine::{Constants, Kind};
use crate::shape::{Code, Given};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Register {
    Temporary(u16),
    Address(u16),
    Input(u32),
    /// An input of a vertex of the primitive.
    Vertex {
        input: u32,
        vertex: u16,
    },
    Output(u32),
    Param {
        array: u32,
        index: u32,
    },
    /// A constant at a number that the lane of a register gives, plus an offset.
    ParamAt {
        array: u32,
        offset: i32,
        by: IndexRegister,
        lane: u8,
    },
    /// A literal, by its register.
    Literal(u32),
}

/// A register that holds an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum IndexRegister {
    Temporary(u16),
    Address(u16),
    Input(u32),
    Param { array: u32, index: u32 },
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operand {
    pub(crate) register: Register,
    pub(crate) swizzle: Swizzle,
    pub(crate) negate: bool,
    pub(crate) absolute: bool,
}

/// An instruction of the target.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Physical {
    pub(crate) what: What,
    pub(crate) destination: Option<(Register, WriteMask)>,
    pub(crate) sources: Vec<Operand>,
    pub(crate) saturate: bool,
    pub(crate) precise: bool,
    pub(crate) steps: Vec<u32>,
}

/// Registers with the literals of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Literals {
    pub(crate) registers: Vec<Vec<u32>>,
}

impl Literals {
    /// The literals that sources read, those that are read together in one register.
    fn of(code: &Code<'_>) -> Self {
        let mut wanted: Vec<Vec<u32>> = Vec::new();
        let together = code.machine.ports.constants == Constants::OneRegister;
        for instr in &code.list {
            // What one register has to hold: the literals of a source, or of all.
            for sources in instr.sources.chunks(if together { instr.sources.len().max(1) } else { 1 }) {
                let bits = literals_of(code, sources);
                if !bits.is_empty() {
                    wanted.push(bits);
                }
            }
            if let Some((_, bits)) = fixed(code, instr) {
                wanted.push(alloc::vec![bits]);
            }
        }
        wanted.sort_by_key(|bits| core::cmp::Reverse(bits.len()));
        let mut this = Self::default();
        for bits in wanted {
            if this.find(&bits, &[]).is_some() {
                continue;
            }
            // The register with most of them that has room for the rest.
            let missing = |register: &Vec<u32>| bits.iter().filter(|bits| !register.contains(bits)).count();
            let best = this
                .registers
                .iter()
                .enumerate()
                .filter(|(_, register)| register.len() + missing(register) <= 4)
                .min_by_key(|(_, register)| missing(register))
                .map(|(at, _)| at);
            let at = best.unwrap_or(this.registers.len());
            if best.is_none() {
                this.registers.push(Vec::new());
            }
            let register = &mut this.registers[at];
            for bits in bits {
                if !register.contains(&bits) {
                    register.push(bits);
                }
            }
        }
        this
    }

    /// The register that has all of these and of those beside them, with the lane of each of these.
    fn find(&self, bits: &[u32], beside: &[u32]) -> Option<(u32, Vec<u8>)> {
        let has_all = |register: &&Vec<u32>| beside.iter().all(|bits| register.contains(bits));
        self.registers.iter().enumerate().filter(|(_, register)| has_all(register)).find_map(
            |(at, register)| {
                let lanes: Option<Vec<u8>> = bits
                    .iter()
                    .map(|bits| register.iter().position(|of| of == bits).map(|lane| lane as u8))
                    .collect();
                Some((at as u32, lanes?))
            },
        )
    }
}

fn literal(lane: &crate::graph::Lane) -> Option<u32> {
    match lane.def {
        crate::graph::Def::Const(bits) => Some(bits),
        _ => None,
    }
}

/// The literals of the sources of every instruction, with the places that read them.
fn wanted_literals(code: &Code<'_>, seats: &Seats) -> Vec<Vec<PlacedLiterals>> {
    let mut wanted = Vec::new();
    for instr in &code.list {
        let by_lane = matches!(code.kind(instr), Some(Kind::PerLane | Kind::Derivative { .. }));
        let slot = |n: usize| {
            let written = instr.results.get(n)?;
            match instr.target {
                Target::Output(_) => written.slot,
                _ => seats.get(&written.lane).map(|seat| seat.slot),
            }
        };
        let mut sources: Vec<PlacedLiterals> = Vec::new();
        for source in &instr.sources {
            let bits = source.lanes.iter().filter_map(|lane| code.graph.lanes.get(lane.index())).map(literal);
            let places = bits.enumerate().filter_map(|(n, bits)| {
                let place = if by_lane { usize::from(slot(n).unwrap_or(0)) } else { n };
                Some((place, bits?))
            });
            sources.push(places.collect());
        }
        sources.retain(|source| !source.is_empty());
        wanted.push(sources);
    }
    wanted
}

/// The literals that sources read, each once, in order.
fn literals_of(code: &Code<'_>, sources: &[Source]) -> Vec<u32> {
    let lanes = sources.iter().flat_map(|source| &source.lanes);
    let mut bits: Vec<u32> =
        lanes.filter_map(|lane| code.graph.lanes.get(lane.index())).filter_map(literal).collect();
    bits.sort_unstable();
    bits.dedup();
    bits
}

/// The source of an instruction that is always a number.
fn fixed(code: &Code<'_>, instr: &Instr) -> Option<(u8, u32)> {
    match instr.what {
        What::Row(row) => code.machine.rows[usize::from(row)].fixed,
        _ => None,
    }
}

/// How many temporary registers and registers for indices instructions have.
pub(crate) fn registers(list: &[Physical]) -> [u16; 2] {
    let (mut temporaries, mut addresses) = (0u16, 0u16);
    let mut meet = |register: Register| match register {
        Register::Temporary(n) => temporaries = temporaries.max(n + 1),
        Register::Address(n) => addresses = addresses.max(n + 1),
        Register::ParamAt { by: IndexRegister::Temporary(n), .. } => temporaries = temporaries.max(n + 1),
        Register::ParamAt { by: IndexRegister::Address(n), .. } => addresses = addresses.max(n + 1),
        _ => {}
    };
    for physical in list {
        physical.destination.iter().for_each(|(register, _)| meet(*register));
        physical.sources.iter().for_each(|source| meet(source.register));
    }
    [temporaries, addresses]
}

/// Instructions with registers, and the literals.
pub(crate) fn place(code: &Code<'_>, seats: &Seats) -> (Vec<Physical>, Literals) {
    let literals = if code.machine.quirks.few_swizzles {
        crate::legalize::arrange(&wanted_literals(code, seats))
    } else {
        Literals::of(code)
    };
    let placing = Placing { code, seats, literals: &literals };
    let mut list: Vec<Physical> = Vec::with_capacity(code.list.len());
    // A copy of lanes to where they are, which is needed where a branch has nothing else.
    let mut idle: Option<Physical> = None;
    for instr in &code.list {
        let physical = placing.instr(instr);
        let last = list.last().map(|last| last.what);
        match (last, physical.what) {
            (Some(What::If(_)), What::Copy) if is_nothing(&physical) => {
                idle = Some(physical);
                continue;
            }
            (_, What::Copy) if is_nothing(&physical) => continue,
            // A second branch that does nothing goes; so does a conditional that does nothing.
            (Some(What::Else), What::EndIf) => {
                list.pop();
                if matches!(list.last().map(|last| last.what), Some(What::If(_))) {
                    list.pop();
                } else {
                    list.push(physical);
                }
                continue;
            }
            (Some(What::If(_)), What::EndIf) => {
                list.pop();
                continue;
            }
            (Some(What::If(_)), What::Else) => list.extend(idle.take()),
            _ => {}
        }
        if !list.last_mut().is_some_and(|last| merge(last, &physical)) {
            list.push(physical);
        }
    }
    (list, literals)
}

/// Whether an instruction copies lanes to where they are.
fn is_nothing(physical: &Physical) -> bool {
    let (What::Copy, Some((to, mask)), [from]) = (physical.what, physical.destination, &physical.sources[..])
    else {
        return false;
    };
    to == from.register && mask.lanes().all(|lane| usize::from(from.swizzle.get(lane)) == lane)
}

/// Makes one of two copies between the same registers.
fn merge(last: &mut Physical, next: &Physical) -> bool {
    let (What::Copy, What::Copy) = (last.what, next.what) else { return false };
    let (Some((to, mask)), Some((to2, mask2))) = (last.destination, next.destination) else { return false };
    let ([from], [from2]) = (&last.sources[..], &next.sources[..]) else { return false };
    let same = to == to2
        && from.register == from2.register
        && !from2.negate
        && !from2.absolute
        && !from.negate
        && !from.absolute;
    if !same || to == from.register || mask.bits() & mask2.bits() != 0 {
        return false;
    }
    let both = mask.union(mask2);
    let mut lanes = [0; 4];
    let mut pad = 0;
    for (lane, to) in lanes.iter_mut().enumerate() {
        if mask.has(lane) {
            pad = from.swizzle.get(lane);
        } else if mask2.has(lane) {
            pad = from2.swizzle.get(lane);
        }
        *to = pad;
    }
    // Lanes in front of the first one repeat it.
    if let Some(first) = both.lanes().next() {
        let of = lanes[first];
        lanes[..first].fill(of);
    }
    last.destination = Some((to, both));
    last.sources[0].swizzle = Swizzle::new(lanes[0], lanes[1], lanes[2], lanes[3]);
    for step in &next.steps {
        if !last.steps.contains(step) {
            last.steps.push(*step);
        }
    }
    true
}

struct Placing<'a> {
    code: &'a Code<'a>,
    seats: &'a Seats,
    literals: &'a Literals,
}

impl Placing<'_> {
    fn seat(&self, lane: LaneId) -> Seat {
        self.seats.get(&lane).copied().unwrap_or(Seat { register: u16::MAX, slot: 0, address: false })
    }

    /// The register of the lanes of a source, with the lane of it that each is. Literals are in a register with those beside them.
    fn registers(&self, lanes: &[LaneId], beside: &[u32]) -> (Register, Vec<u8>) {
        let Some(&first) = lanes.first() else { return (Register::Temporary(u16::MAX), Vec::new()) };
        match self.code.given(first) {
            None => {
                let seat = self.seat(first);
                let register = if seat.address {
                    Register::Address(seat.register)
                } else {
                    Register::Temporary(seat.register)
                };
                (register, lanes.iter().map(|&lane| self.seat(lane).slot).collect())
            }
            Some((Given::Literal, _)) => {
                let bits: Vec<u32> =
                    lanes.iter().filter_map(|lane| literal(self.code.graph.lane(*lane))).collect();
                let (at, lanes) =
                    self.literals.find(&bits, beside).unwrap_or((u32::MAX, alloc::vec![0; lanes.len()]));
                (Register::Literal(at), lanes)
            }
            Some((given, _)) => {
                let slots =
                    lanes.iter().filter_map(|&lane| self.code.given(lane)).map(|(_, slot)| slot).collect();
                (self.given_register(given), slots)
            }
        }
    }

    fn given_register(&self, given: Given) -> Register {
        match given {
            Given::Input(input) => Register::Input(input),
            Given::Vertex { input, vertex } => Register::Vertex { input, vertex },
            Given::Param { array, index } => Register::Param { array, index },
            Given::ParamAt { array, offset, index } => {
                let index = self.code.index_lane(index);
                let (by, lane) = match self.code.given(index) {
                    None => {
                        let Seat { register, slot, address } = self.seat(index);
                        let by = if address {
                            IndexRegister::Address(register)
                        } else {
                            IndexRegister::Temporary(register)
                        };
                        (by, slot)
                    }
                    Some((Given::Param { array, index }, lane)) => {
                        (IndexRegister::Param { array, index }, lane)
                    }
                    Some((Given::Input(input), lane)) => (IndexRegister::Input(input), lane),
                    Some(_) => (IndexRegister::Temporary(u16::MAX), 0),
                };
                Register::ParamAt { array, offset, by, lane }
            }
            Given::Literal => Register::Literal(u32::MAX),
        }
    }

    /// The lanes of the destination register that the results are.
    fn slots(&self, instr: &Instr) -> Vec<u8> {
        instr
            .results
            .iter()
            .map(|written| match instr.target {
                Target::Output(_) => written.slot.unwrap_or(0),
                _ => self.seat(written.lane).slot,
            })
            .collect()
    }

    fn instr(&self, instr: &Instr) -> Physical {
        let slots = self.slots(instr);
        let destination = instr.results.first().map(|first| {
            let register = match instr.target {
                Target::Output(output) => Register::Output(output),
                Target::Address => Register::Address(self.seat(first.lane).register),
                Target::Temporary => Register::Temporary(self.seat(first.lane).register),
            };
            let mask = slots.iter().fold(0u8, |mask, slot| mask | 1 << slot);
            (register, WriteMask::from_bits(mask))
        });
        let per_lane = matches!(self.code.kind(instr), Some(Kind::PerLane | Kind::Derivative { .. }));
        let fixed = fixed(self.code, instr);
        let beside = match self.code.machine.ports.constants {
            Constants::OneRegister => literals_of(self.code, &instr.sources),
            _ => Vec::new(),
        };
        let sources = instr.sources.iter().enumerate().map(|(n, source)| match fixed {
            Some((at, bits)) if usize::from(at) == n => {
                let (register, lanes) =
                    self.literals.find(&[bits], &[]).unwrap_or((u32::MAX, alloc::vec![0]));
                Operand {
                    register: Register::Literal(register),
                    swizzle: Swizzle::splat(lanes[0]),
                    negate: false,
                    absolute: false,
                }
            }
            _ => {
                let mut operand = self.operand(source, if per_lane { Some(&slots) } else { None }, &beside);
                if n == 1 && matches!(self.code.kind(instr), Some(Kind::Matrix { .. })) {
                    operand.swizzle = Swizzle::IDENTITY;
                    match &mut operand.register {
                        Register::Param { index, .. } => *index -= u32::from(instr.rows_before),
                        Register::ParamAt { offset, .. } => *offset -= i32::from(instr.rows_before),
                        _ => {}
                    }
                }
                operand
            }
        });
        Physical {
            what: match instr.what {
                What::Row(row) => What::Row(self.code.machine.rows[usize::from(row)].code),
                what => what,
            },
            destination,
            sources: sources.collect(),
            saturate: instr.saturate,
            precise: instr.precise,
            steps: instr.steps.clone(),
        }
    }

    /// A source; `slots` says which lane of the result reads which of its lanes, else they stand in order.
    fn operand(&self, source: &Source, slots: Option<&[u8]>, beside: &[u32]) -> Operand {
        let (register, lanes) = self.registers(&source.lanes, beside);
        let mut swizzle: [Option<u8>; 4] = [None; 4];
        for (n, &lane) in lanes.iter().enumerate() {
            let at = slots.map_or(n, |slots| usize::from(slots.get(n).copied().unwrap_or(0)));
            if let Some(to) = swizzle.get_mut(at) {
                *to = Some(lane);
            }
        }
        // Lanes that do not count repeat one that does: some players want every lane that is named to have been written.
        let mut pad = swizzle.iter().flatten().next().copied().unwrap_or(0);
        let filled = swizzle.map(|lane| {
            pad = lane.unwrap_or(pad);
            pad
        });
        Operand {
            register,
            swizzle: Swizzle::new(filled[0], filled[1], filled[2], filled[3]),
            negate: source.negate,
            absolute: source.absolute,
        }
    }
}

/// The lane in each lane of each register, by its seat.
type Held = BTreeMap<(bool, u16, u8), LaneId>;

/// Whether the registers hold, at every instruction, the lanes that it reads: the instructions with registers run over names of lanes.
///
/// # Errors
///
/// The number of the first instruction that reads something else.
pub(crate) fn check(code: &Code<'_>, seats: &Seats) -> Result<(), usize> {
    let mut checking = Checking { code, seats, loops: Vec::new() };
    let mut held = Some(Held::new());
    checking.run(0, code.list.len(), &mut held)
}

struct Checking<'a> {
    code: &'a Code<'a>,
    seats: &'a Seats,
    /// Of the loops around, what is held where they end, and where their next round begins.
    loops: Vec<[Option<Held>; 2]>,
}

/// What both hold, or all of one where the other one is never reached.
fn agree(one: Option<Held>, other: Option<Held>) -> Option<Held> {
    match (one, other) {
        (Some(mut one), Some(other)) => {
            one.retain(|seat, lane| other.get(seat) == Some(lane));
            Some(one)
        }
        (one, other) => one.or(other),
    }
}

impl Checking<'_> {
    /// The end of what begins with an instruction: `end` belongs to it, and `middle` stands between.
    fn find(&self, from: usize, middle: What, end: What) -> (Option<usize>, usize) {
        let (mut depth, mut between) = (0usize, None);
        let begins = |what: What| match end {
            What::EndLoop => matches!(what, What::Loop(_)),
            _ => matches!(what, What::If(_)),
        };
        for (at, instr) in self.code.list.iter().enumerate().skip(from + 1) {
            if begins(instr.what) {
                depth += 1;
            } else if instr.what == end {
                if depth == 0 {
                    return (between, at);
                }
                depth -= 1;
            } else if instr.what == middle && depth == 0 {
                between = Some(at);
            }
        }
        (between, self.code.list.len())
    }

    /// Runs a part of the list; `held` is nothing where it is never reached.
    fn run(&mut self, from: usize, to: usize, held: &mut Option<Held>) -> Result<(), usize> {
        let mut at = from;
        while at < to {
            let instr = &self.code.list[at];
            if let Some(held) = held {
                self.instr(at, held)?;
            }
            match instr.what {
                What::If(_) => {
                    let (middle, end) = self.find(at, What::Else, What::EndIf);
                    let mut other = held.clone();
                    self.run(at + 1, middle.unwrap_or(end), held)?;
                    if let Some(middle) = middle {
                        self.run(middle + 1, end, &mut other)?;
                    }
                    *held = agree(held.take(), other);
                    at = end;
                }
                What::Loop(count) => {
                    let (_, end) = self.find(at, instr.what, What::EndLoop);
                    // Until a round begins with what the one before left.
                    loop {
                        let begin = held.clone();
                        self.loops.push([None, None]);
                        let mut inner = begin.clone();
                        let ran = self.run(at + 1, end, &mut inner);
                        let [left, again] = self.loops.pop().unwrap_or_default();
                        ran?;
                        *held = agree(begin.clone(), agree(inner, again));
                        if *held == begin {
                            // What a round begins with is there where no round is left.
                            *held = if count == Count::Endless { left } else { agree(left, begin) };
                            break;
                        }
                    }
                    at = end;
                }
                What::Break | What::Continue => {
                    if let Some(open) = self.loops.last_mut() {
                        let place = &mut open[usize::from(instr.what == What::Continue)];
                        *place = agree(place.take(), held.take());
                    }
                    *held = None;
                }
                _ => {}
            }
            at += 1;
        }
        Ok(())
    }

    /// What an instruction reads and writes.
    fn instr(&self, at: usize, held: &mut Held) -> Result<(), usize> {
        let (code, seats) = (self.code, self.seats);
        let instr = &code.list[at];
        let key = |seat: &Seat| (seat.address, seat.register, seat.slot);
        let mut right = true;
        code.for_each_read(instr, |lane| {
            right &= seats.get(&lane).is_some_and(|seat| held.get(&key(seat)) == Some(&lane));
        });
        // Lanes of one source are in one register.
        for source in &instr.sources {
            let registers = source
                .lanes
                .iter()
                .filter_map(|lane| seats.get(lane))
                .map(|seat| (seat.address, seat.register));
            let mut registers: Vec<(bool, u16)> = registers.collect();
            registers.dedup();
            right &= registers.len() < 2;
        }
        if !right {
            return Err(at);
        }
        if !matches!(instr.target, Target::Output(_)) {
            for (n, written) in instr.results.iter().enumerate() {
                let Some(seat) = seats.get(&written.lane) else { return Err(at) };
                let apart = instr.results[..n].iter().all(|other| {
                    other.lane == written.lane || seats.get(&other.lane).map(key) != Some(key(seat))
                });
                let fixed = written.slot.is_none_or(|slot| slot == seat.slot);
                let together =
                    seats.get(&instr.results[0].lane).is_some_and(|first| first.register == seat.register);
                if !apart || !fixed || !together {
                    return Err(at);
                }
                held.insert(key(seat), written.lane);
            }
        }
        Ok(())
    }
}
