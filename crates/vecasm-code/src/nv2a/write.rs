//! Slots of a schedule.

use super::assign::{Assigned, STRAIGHT, Seat, seated};
use super::depend::Webs;
use super::operations::{List, Op, Shape, with_lanes};
use super::pair::{slot_of, web_read};
use alloc::vec::Vec;
use vecasm_ir::operand::WriteMask;
use vecasm_isa::nv2a::pair::Operand;
use vecasm_isa::nv2a::program::Slot;
use vecasm_isa::nv2a::table::Field;

/// The slots, and for each those of the source that it does the work of. `None` if one cannot be encoded.
pub(super) fn write(list: &List, webs: &Webs, assigned: &Assigned) -> Option<(Vec<Slot>, Vec<Vec<u32>>)> {
    let mut slots = Vec::with_capacity(assigned.slots.len());
    let mut steps = Vec::with_capacity(assigned.slots.len());
    for group in &assigned.slots {
        let half = |n: usize| {
            let op = &list.ops[n];
            let seat = assigned.seats[webs.of_op(n)];
            (op, operands(op, seat, webs, &assigned.seats), seated(op, seat))
        };
        slots.push(slot_of(group[0].map(half), group[1].map(half))?);
        let mut of: Vec<u32> =
            group.iter().flatten().flat_map(|n| list.ops[*n].steps.iter().copied()).collect();
        of.sort_unstable();
        of.dedup();
        steps.push(of);
    }
    if let Some(last) = slots.last_mut().filter(|_| list.ends) {
        last.set(Field::Final, 1);
    }
    Some((slots, steps))
}

/// The operands of an operation in their registers: the lanes of the result may have changed places, and those of what is read.
fn operands(op: &Op, seat: Seat, webs: &Webs, seats: &[Seat]) -> [Operand; 3] {
    let mut out = op.sources.map(|source| source.operand);
    for (n, operand) in out.iter_mut().enumerate().take(op.operator.sources()) {
        let mut looked = op.needs(n);
        if op.temporary.is_some() && op.shape() == Shape::ByLane && seat.lanes != STRAIGHT {
            let from = operand.swizzle;
            let lanes = looked.lanes().map(|lane| (usize::from(seat.lanes[lane & 3]), from.get(lane)));
            operand.swizzle = with_lanes(from, lanes);
            let bits = looked.lanes().fold(0, |bits, lane| bits | 1 << seat.lanes[lane & 3]);
            looked = WriteMask::from_bits(bits);
        }
        let Some(of) = web_read(op, n, webs).and_then(|web| seats.get(web)) else { continue };
        operand.number = of.register;
        let from = operand.swizzle;
        let lanes = looked.lanes().map(|lane| (lane, of.lanes[usize::from(from.get(lane))]));
        operand.swizzle = with_lanes(from, lanes);
    }
    out
}
