//! Registers for lanes.
//!
//! A set of lanes that share a register gets the first one in which each of them finds a lane that is free as long as it is alive.
//! Sets are taken in the order in which they begin; there is no spilling, since no target has memory.

use crate::code::{Target, What};
use crate::graph::LaneId;
use crate::groups::{Life, Member};
use crate::shape::Code;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// The register of a lane, and which lane of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seat {
    pub(crate) register: u16,
    pub(crate) slot: u8,
    /// Whether it is a register for indices.
    pub(crate) address: bool,
}

/// Where every lane is.
pub(crate) type Seats = BTreeMap<LaneId, Seat>;

/// Gives every lane a register; nothing if there are not enough.
pub(crate) fn allocate(code: &Code<'_>) -> Option<Seats> {
    let lives = code.lives();
    let mut addresses: Vec<LaneId> = Vec::new();
    for instr in code.list.iter().filter(|instr| instr.target == Target::Address) {
        addresses.extend(instr.results.iter().map(|written| written.lane));
    }
    let reads = code.list.iter().filter(|instr| matches!(instr.what, What::Read(_) | What::ReadProjected(_)));
    let read: BTreeSet<LaneId> = reads.flat_map(|instr| &instr.results).map(|written| written.lane).collect();
    let mut sets: Vec<(usize, Vec<Member>)> = code
        .groups
        .sets()
        .filter_map(|set| {
            let members: Vec<_> = set.iter().copied().filter(|(lane, _)| lives.contains_key(lane)).collect();
            let start =
                members.iter().filter_map(|(lane, _)| lives.get(lane)).map(|life| life.start).min()?;
            Some((start, members))
        })
        .collect();
    sets.sort_by_key(|(start, members)| (*start, core::cmp::Reverse(members.len())));
    let hints = if code.machine.quirks.few_swizzles { code.hints() } else { BTreeMap::new() };
    let mut seats = Seats::new();
    let mut temporaries = File::new(code.machine.temporaries, 4);
    let mut indices = File::new(code.machine.addresses, code.machine.address_lanes);
    for (_, mut members) in sets {
        // Those with a fixed lane first, then in the order of their lives.
        members.sort_by_key(|(lane, fixed)| (fixed.is_none(), lives.get(lane).map(|life| life.start), *lane));
        let address = members.iter().any(|(lane, _)| addresses.contains(lane));
        let file = if address { &mut indices } else { &mut temporaries };
        let wanted: Vec<Wanted> = members
            .iter()
            .filter_map(|(lane, fixed)| {
                Some(Wanted { life: *lives.get(lane)?, fixed: *fixed, hint: hints.get(lane).copied() })
            })
            .collect();
        // What is read of the only index that there is was loaded for that.
        let (register, slots) = if address && code.machine.has_one_index() {
            (0, alloc::vec![0; wanted.len()])
        } else {
            let fresh =
                code.machine.quirks.fresh_reads && members.iter().any(|(lane, _)| read.contains(lane));
            let found = if fresh { file.place_anew(&wanted) } else { None };
            found.or_else(|| file.place(&wanted))?
        };
        for ((lane, _), slot) in members.iter().zip(slots) {
            seats.insert(*lane, Seat { register, slot, address });
        }
    }
    Some(seats)
}

/// When a lane is alive, the lane of a register that it must be, and the one that it had better be.
#[derive(Clone, Copy)]
struct Wanted {
    life: Life,
    fixed: Option<u8>,
    hint: Option<u8>,
}

/// Registers of a kind with what is in them.
struct File {
    lanes: Vec<[Vec<Life>; 4]>,
    count: u16,
    /// How many lanes a register has.
    width: u8,
}

impl File {
    const fn new(count: u16, width: u8) -> Self {
        Self { lanes: Vec::new(), count, width }
    }

    /// The first register that holds nothing at any time, and the lane of it for each.
    fn place_anew(&mut self, wanted: &[Wanted]) -> Option<(u16, Vec<u8>)> {
        let register = self.lanes.iter().position(|lanes| lanes.iter().all(Vec::is_empty));
        let register = register.unwrap_or(self.lanes.len());
        if register >= usize::from(self.count) {
            return None;
        }
        if register == self.lanes.len() {
            self.lanes.push(Default::default());
        }
        let mut slots = Vec::with_capacity(wanted.len());
        let lanes = self.lanes.get_mut(register)?.get_mut(..usize::from(self.width))?;
        fill(lanes, wanted, &mut slots, &mut TRIALS.clone()).then_some((register as u16, slots))
    }

    /// The first register with room, and the lane of it for each.
    fn place(&mut self, wanted: &[Wanted]) -> Option<(u16, Vec<u8>)> {
        for register in 0..self.count {
            if usize::from(register) == self.lanes.len() {
                self.lanes.push(Default::default());
            }
            let lanes = self.lanes.get_mut(usize::from(register))?;
            let mut slots = Vec::with_capacity(wanted.len());
            if fill(lanes.get_mut(..usize::from(self.width))?, wanted, &mut slots, &mut TRIALS.clone()) {
                return Some((register, slots));
            }
        }
        None
    }
}

/// How many ways are tried to put a set into a register.
const TRIALS: u32 = 4096;

/// Finds lanes of a register.
fn fill(lanes: &mut [Vec<Life>], wanted: &[Wanted], slots: &mut Vec<u8>, trials: &mut u32) -> bool {
    let Some(Wanted { life, fixed, hint }) = wanted.get(slots.len()).copied() else { return true };
    let count = lanes.len() as u8;
    let hint = hint.filter(|hint| *hint < count);
    for slot in hint.into_iter().chain((0..count).filter(|slot| Some(*slot) != hint)) {
        let lane = &mut lanes[usize::from(slot)];
        if *trials == 0 {
            return false;
        }
        *trials -= 1;
        // What was put there last is the most likely to be in the way.
        if fixed.is_some_and(|fixed| fixed != slot) || lane.iter().rev().any(|other| other.meets(life)) {
            continue;
        }
        lane.push(life);
        slots.push(slot);
        if fill(lanes, wanted, slots, trials) {
            return true;
        }
        slots.pop();
        lanes[usize::from(slot)].pop();
    }
    false
}
