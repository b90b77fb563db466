//! Swizzles of machines that have few of them.
//!
//! A source of ps_2_0 is a register as it is, one lane of it four times, or one of three rotations. What needs another order is done
//! in parts, or reads a copy that is made in parts.

use crate::code::What;
use crate::machine::{Kind, Machine};
use crate::physical::{Literals, Operand, Physical, Register};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// The orders that there are besides one lane four times.
const ORDERS: [[u8; 4]; 4] = [[0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3], [3, 2, 1, 0]];

/// Every swizzle that there is.
fn swizzles() -> impl Iterator<Item = [u8; 4]> {
    ORDERS.into_iter().chain((0..4).map(|lane| [lane; 4]))
}

/// The literal in a lane of an operand, or the lane itself: what has to be the same.
fn content(literals: &Literals, operand: &Operand, lane: u8) -> u32 {
    match operand.register {
        Register::Literal(at) => {
            let register = literals.registers.get(at as usize);
            register.and_then(|register| register.get(usize::from(lane))).copied().unwrap_or(0)
        }
        _ => lane.into(),
    }
}

/// A swizzle that there is, with the same at these places.
fn legal(literals: &Literals, operand: &Operand, (places, how): &Places) -> Option<Swizzle> {
    let wanted = |place: usize| content(literals, operand, operand.swizzle.get(place));
    // One lane is written as one lane.
    let scalar = places.iter().all(|&place| wanted(place) == wanted(places[0]));
    let few = match how {
        Order::Any if scalar => (4, 4),
        Order::Any => (0, 8),
        Order::AsItIs => (0, 1),
        Order::OneLane => (4, 4),
    };
    let found = swizzles()
        .skip(few.0)
        .take(few.1)
        .find(|order| places.iter().all(|&place| content(literals, operand, order[place]) == wanted(place)));
    found.map(|of| Swizzle::new(of[0], of[1], of[2], of[3]))
}

/// Which orders a source may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Any,
    AsItIs,
    /// One lane four times.
    OneLane,
}

/// The places of a source that count, and the orders that it may have.
type Places = (Vec<usize>, Order);

fn places(machine: &Machine, physical: &Physical, source: usize) -> Places {
    let mask = physical.destination.map_or(WriteMask::X, |(_, mask)| mask);
    let by_lane = || (mask.lanes().collect(), Order::Any);
    match physical.what {
        What::Copy => {
            let output = matches!(physical.destination, Some((Register::Output(_), _)));
            let whole = output && machine.copied_outputs && mask.count() > 1;
            (mask.lanes().collect(), if whole { Order::AsItIs } else { Order::Any })
        }
        What::Index => by_lane(),
        What::Row(code) => match machine.rows.iter().find(|row| row.code == code).map(|row| row.kind) {
            Some(Kind::PerLane | Kind::Derivative { .. }) => by_lane(),
            Some(Kind::Dot(lanes)) => ((0..usize::from(lanes.min(4))).collect(), Order::Any),
            Some(Kind::Normalize | Kind::Cross) => ((0..3).collect(), Order::Any),
            Some(Kind::Placed(_)) => {
                let scalar = physical.sources.get(source).is_some_and(|of| of.swizzle.is_scalar());
                if scalar { (vec![0], Order::OneLane) } else { ((0..4).collect(), Order::Any) }
            }
            _ => (vec![0], Order::OneLane),
        },
        // Placed before.
        _ => (Vec::new(), Order::Any),
    }
}

/// Gives every source a swizzle that there is; `false` if there is no register for a copy.
pub(crate) fn legalize(list: &mut Vec<Physical>, literals: &Literals, machine: &Machine) -> bool {
    if machine.reads.placed {
        // Coordinates stand where they are read.
        let reads =
            |physical: &&mut Physical| matches!(physical.what, What::Read(_) | What::ReadProjected(_));
        for physical in list.iter_mut().filter(reads) {
            physical.sources.iter_mut().take(1).for_each(|source| source.swizzle = Swizzle::IDENTITY);
        }
    }
    if !machine.quirks.few_swizzles {
        if machine.quirks.short_swizzles {
            for physical in list.iter_mut() {
                shorten(machine, literals, physical);
            }
        }
        return true;
    }
    let [used, _] = crate::physical::registers(list);
    let mut out: Vec<Physical> = Vec::with_capacity(list.len());
    for mut physical in core::mem::take(list) {
        let by_lane = match physical.what {
            What::Row(code) => {
                let row = machine.rows.iter().find(|row| row.code == code);
                matches!(row.map(|row| row.kind), Some(Kind::PerLane | Kind::Derivative { .. }))
            }
            What::Copy => true,
            _ => false,
        };
        if matches!(physical.what, What::Read(_) | What::ReadProjected(_) | What::Discard) {
            out.push(physical);
            continue;
        }
        if straighten(machine, literals, &mut physical) {
            out.push(physical);
            continue;
        }
        if by_lane {
            if let Some(parts) = split(machine, literals, &physical) {
                out.extend(parts);
                continue;
            }
        }
        // Copies of what has no order.
        let mut next = used;
        for n in 0..physical.sources.len() {
            let places = places(machine, &physical, n);
            let operand = physical.sources[n];
            if legal(literals, &operand, &places).is_some() {
                continue;
            }
            if next >= machine.temporaries {
                return false;
            }
            let mask = places.0.iter().fold(0u8, |mask, place| mask | 1 << place);
            let copy = Physical {
                what: What::Copy,
                destination: Some((Register::Temporary(next), WriteMask::from_bits(mask))),
                sources: vec![Operand { negate: false, absolute: false, ..operand }],
                saturate: false,
                precise: false,
                steps: physical.steps.clone(),
            };
            let Some(parts) = split(machine, literals, &copy) else { return false };
            out.extend(parts);
            physical.sources[n] =
                Operand { register: Register::Temporary(next), swizzle: Swizzle::IDENTITY, ..operand };
            next += 1;
        }
        if !straighten(machine, literals, &mut physical) {
            return false;
        }
        out.push(physical);
    }
    *list = out;
    true
}

/// Writes registers that are read in their order without a swizzle.
fn shorten(machine: &Machine, literals: &Literals, physical: &mut Physical) {
    for n in 0..physical.sources.len() {
        let (counted, order) = places(machine, physical, n);
        if order == Order::Any && counted.len() > 1 {
            let operand = &mut physical.sources[n];
            if let Some(swizzle) = legal(literals, operand, &(counted, Order::AsItIs)) {
                operand.swizzle = swizzle;
            }
        }
    }
}

/// Gives all sources of an instruction swizzles that there are; `false`, and nothing is done, if some has none.
fn straighten(machine: &Machine, literals: &Literals, physical: &mut Physical) -> bool {
    let mut found = Vec::with_capacity(physical.sources.len());
    for (n, operand) in physical.sources.iter().enumerate() {
        match legal(literals, operand, &places(machine, physical, n)) {
            Some(swizzle) => found.push(swizzle),
            None => return false,
        }
    }
    physical.sources.iter_mut().zip(found).for_each(|(operand, swizzle)| operand.swizzle = swizzle);
    true
}

/// The same by fewer lanes at a time; nothing if some part would read what another one has written, or none can be made.
fn split(machine: &Machine, literals: &Literals, physical: &Physical) -> Option<Vec<Physical>> {
    let (to, mask) = physical.destination?;
    let mut left = mask.bits();
    let mut parts: Vec<Physical> = Vec::new();
    while left != 0 {
        // The most lanes at once.
        let mut best: Option<Physical> = None;
        for some in (1..16u8).filter(|some| some & left == *some) {
            let mut part =
                Physical { destination: Some((to, WriteMask::from_bits(some))), ..physical.clone() };
            let more = best.as_ref().is_none_or(|best| lanes(best) < some.count_ones());
            if more && straighten(machine, literals, &mut part) {
                best = Some(part);
            }
        }
        let part = best?;
        left &= !part.destination?.1.bits();
        parts.push(part);
    }
    // An order in which nothing is read that was written.
    let mut ordered: Vec<Physical> = Vec::with_capacity(parts.len());
    while !parts.is_empty() {
        let free = (0..parts.len()).find(|&n| {
            let written = parts[n].destination.map_or(0, |(_, mask)| mask.bits());
            parts.iter().enumerate().all(|(other, part)| {
                let read = part.sources.iter().enumerate().filter(|(_, source)| source.register == to);
                other == n
                    || read.into_iter().all(|(at, source)| {
                        let (counted, _) = places(machine, part, at);
                        counted.iter().all(|place| written & 1 << source.swizzle.get(*place) == 0)
                    })
            })
        })?;
        ordered.push(parts.remove(free));
    }
    Some(ordered)
}

fn lanes(physical: &Physical) -> u32 {
    physical.destination.map_or(0, |(_, mask)| mask.bits().count_ones())
}

/// The literals of a source, with the places that read them.
pub(crate) type PlacedLiterals = Vec<(usize, u32)>;

/// A register with what is in it so far.
type Filled = [Option<u32>; 4];

/// The ways to put the literals of sources into a register that holds some.
fn fillings(register: Filled, sources: &[PlacedLiterals]) -> Vec<Filled> {
    let Some((first, rest)) = sources.split_first() else { return vec![register] };
    let mut out: Vec<Filled> = Vec::new();
    for swizzle in swizzles() {
        let mut held = register;
        let fits = first.iter().all(|&(place, bits)| {
            let lane = &mut held[usize::from(swizzle[place & 3])];
            *lane.get_or_insert(bits) == bits
        });
        if fits && !out.contains(&held) {
            out.push(held);
        }
    }
    let mut all: Vec<Filled> = Vec::new();
    for filled in out {
        for filled in fillings(filled, rest) {
            if !all.contains(&filled) {
                all.push(filled);
            }
        }
    }
    all
}

/// Literals in registers so that few sources need another order. Those of one instruction are in one register.
pub(crate) fn arrange(wanted: &[Vec<PlacedLiterals>]) -> Literals {
    let mut registers: Vec<Filled> = Vec::new();
    let distinct = |of: &[PlacedLiterals]| {
        let mut bits: Vec<u32> = of.iter().flatten().map(|(_, bits)| *bits).collect();
        bits.sort_unstable();
        bits.dedup();
        bits
    };
    let mut order: Vec<&Vec<PlacedLiterals>> = wanted.iter().filter(|of| !of.is_empty()).collect();
    order.sort_by_key(|of| core::cmp::Reverse(distinct(of).len()));
    order.dedup();
    for sources in order {
        let count = |of: &Filled| of.iter().flatten().count();
        // The register that gets the fewest new ones.
        let mut best: Option<(usize, usize, Filled)> = None;
        for (at, register) in registers.iter().chain([&[None; 4]]).enumerate() {
            for held in fillings(*register, sources) {
                let new = count(&held) - count(register);
                if best.is_none_or(|(known, ..)| new < known) {
                    best = Some((new, at, held));
                }
            }
        }
        let (_, at, held) = best.unwrap_or_else(|| {
            // No order does for all: copies will.
            let mut held = [None; 4];
            held.iter_mut().zip(distinct(sources)).for_each(|(lane, bits)| *lane = Some(bits));
            (0, registers.len(), held)
        });
        match registers.get_mut(at) {
            Some(register) => *register = held,
            None => registers.push(held),
        }
    }
    let filled = |of: &Filled| of.iter().map(|bits| bits.unwrap_or(0)).collect();
    Literals { registers: registers.iter().map(filled).collect() }
}
