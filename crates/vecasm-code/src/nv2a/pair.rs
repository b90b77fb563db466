//! Which two operations fit a slot: the encoder is asked, with values in the place of registers.

use super::depend::Webs;
use super::operations::{List, Op, with_lanes};
use alloc::vec::Vec;
use vecasm_ir::operand::WriteMask;
use vecasm_isa::nv2a::pair::{Mode, Operand, Operation, combine};
use vecasm_isa::nv2a::program::{Mux, Slot};
use vecasm_isa::nv2a::table;

/// The temporary that the scalar unit writes beside the vector unit.
pub(super) const PAIRED: u8 = table::PAIRED_TEMPORARY as u8;

/// Two operations in one slot: that of the vector unit, that of the scalar unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) vector: usize,
    pub(super) scalar: usize,
}

/// The operands of both, of which those in port C are one, if that can be: each lane that either looks at has one component.
pub(super) fn share_c(vector: &Op, scalar: &Op, operands: &mut [[Operand; 3]; 2]) {
    let Some(n) = vector.source_of_c(false) else { return };
    let (a, b) = (operands[0][n], operands[1][0]);
    let (of_a, of_b) = (vector.needs(n), scalar.needs(0));
    // Of a result that is a constant nothing is looked at.
    if of_a == WriteMask::NONE {
        operands[0][n] = b;
        return;
    }
    if of_b == WriteMask::NONE {
        operands[1][0] = a;
        return;
    }
    if (Operand { swizzle: b.swizzle, ..a }) != b {
        return;
    }
    let both = WriteMask::from_bits(of_a.bits() & of_b.bits());
    if both.lanes().any(|lane| a.swizzle.get(lane) != b.swizzle.get(lane)) {
        return;
    }
    let swizzle = with_lanes(a.swizzle, of_b.lanes().map(|lane| (lane, b.swizzle.get(lane))));
    operands[0][n].swizzle = swizzle;
    operands[1][0].swizzle = swizzle;
}

/// An operation of a slot: its operands, and its temporary with the lanes.
pub(super) type Half<'a> = (&'a Op, [Operand; 3], Option<(u8, WriteMask)>);

/// Puts operations into a slot.
pub(super) fn slot_of(vector: Option<Half<'_>>, scalar: Option<Half<'_>>) -> Option<Slot> {
    let mut operations: Vec<Operation> = Vec::with_capacity(4);
    let mut units = Vec::with_capacity(4);
    let none = [Operand::NONE; 3];
    let mut operands = [vector.map_or(none, |(_, o, _)| o), scalar.map_or(none, |(_, o, _)| o)];
    if let (Some((a, ..)), Some((b, ..))) = (vector, scalar) {
        share_c(a, b, &mut operands);
    }
    for (half, (operands, unit)) in [vector, scalar].into_iter().zip(operands.into_iter().zip([false, true]))
    {
        let Some((op, _, temporary)) = half else { continue };
        for operation in op.statements(operands, temporary) {
            operations.push(operation);
            units.push(Some(unit));
        }
    }
    let paired = combine(&operations, &units, Mode::Strict).ok()?;
    paired.renamed.is_none().then_some(paired.slot)
}

/// The operands of an operation with a number for each value that is read: the same for the same one.
fn numbered(op: &Op, webs: &Webs, known: &mut Vec<usize>) -> [Operand; 3] {
    let mut operands = op.sources.map(|source| source.operand);
    for (n, operand) in operands.iter_mut().enumerate().take(op.operator.sources()) {
        let Some(web) = web_read(op, n, webs) else { continue };
        let number = known.iter().position(|of| *of == web).unwrap_or_else(|| {
            known.push(web);
            known.len() - 1
        });
        operand.number = number as u8;
    }
    operands
}

/// Whether an operation fits a slot alone.
pub(super) fn fits(op: &Op) -> bool {
    let operands = op.sources.map(|source| source.operand);
    let half = Some((op, operands, op.temporary));
    if op.can_be_vector() { slot_of(half, None) } else { slot_of(None, half) }.is_some()
}

/// The web that a source reads.
pub(super) fn web_read(op: &Op, n: usize, webs: &Webs) -> Option<usize> {
    let source = op.sources().get(n).filter(|source| source.is_temporary())?;
    op.reads(n).lanes().find_map(|lane| webs.web(source.lanes[lane & 3]))
}

/// The ways in which two operations fit a slot, the best one first: the result of the scalar unit needs R1.
pub(super) fn pair(list: &List, webs: &Webs, a: usize, b: usize) -> Vec<Pair> {
    let [first, second] = [a, b].map(|n| &list.ops[n]);
    // Quick looks in front of the encoder.
    if first.other.is_some() && second.other.is_some() && !arl(first) && !arl(second) {
        return Vec::new();
    }
    let attribute =
        |op: &Op| op.sources().iter().find(|s| s.operand.mux == Mux::Attribute).map(|s| s.operand.number);
    if let (Some(x), Some(y)) = (attribute(first), attribute(second)) {
        if x != y {
            return Vec::new();
        }
    }
    let mut ways: Vec<Pair> = Vec::with_capacity(2);
    for (vector, scalar) in [(a, b), (b, a)] {
        let (v, s) = (&list.ops[vector], &list.ops[scalar]);
        if !v.can_be_vector() || !s.can_be_scalar() || arl(s) {
            continue;
        }
        if s.temporary.is_some() {
            let fixed = usize::from(PAIRED);
            // Both would write R1.
            let meet = v.temporary.is_some()
                && (webs.of_op(vector) == webs.of_op(scalar) || webs.pin(vector) == Some(fixed));
            if webs.pin(scalar).is_some_and(|register| register != fixed) || meet {
                continue;
            }
        }
        let mut known = Vec::new();
        let [of_v, of_s] = [v, s].map(|op| numbered(op, webs, &mut known));
        // Any temporary but R1 for the vector unit.
        let to = v.temporary.map(|(_, mask)| (PAIRED + 1, mask));
        let scalar_to = s.temporary.map(|(_, mask)| (PAIRED, mask));
        if slot_of(Some((v, of_v, to)), Some((s, of_s, scalar_to))).is_some() {
            ways.push(Pair { vector, scalar });
        }
    }
    // A result that needs no R1 is the better one for the scalar unit; else the one that is there already.
    let cost = |way: &Pair| {
        let op = &list.ops[way.scalar];
        (op.temporary.is_some(), op.temporary.is_some_and(|(n, _)| n != PAIRED), !op.scalar)
    };
    ways.sort_by_key(cost);
    ways
}

/// Whether it writes A0.
fn arl(op: &Op) -> bool {
    op.operator == vecasm_isa::nv2a::pair::Operator::Mac(table::Mac::Arl)
}
