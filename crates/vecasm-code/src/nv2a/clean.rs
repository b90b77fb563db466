//! Fewer operations with the same results, to the bit.
//!
//! | step | exact, since |
//! |---|---|
//! | what nobody reads goes, lane by lane | |
//! | readers of a copy read what was copied | MOV copies bits, and a sign is a bit |
//! | equal operations on equal values are one | |
//! | MUL and ADD become MAD | MAD is MUL, then ADD: it truncates twice |
//! | a copy to an output goes to the operation that made the value | an operation writes a temporary and an output |

use super::depend::Webs;
use super::operations::{Def, List, Op, Shape, Source, index, meets_writes, with_lanes};
use super::pair::fits;
use crate::Ends;
use alloc::vec::Vec;
use vecasm_ir::operand::{Swizzle, WriteMask};
use vecasm_isa::nv2a::Mac;
use vecasm_isa::nv2a::pair::{Dest, Operand, Operator, Target};
use vecasm_isa::nv2a::program::Mux;

/// Which steps are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// All but copies to outputs, which fill slots that are half empty.
    Values,
    /// All.
    All,
}

/// Takes operations away until none can go.
pub(super) fn clean(list: &mut List, depth: Depth) {
    loop {
        let before = list.clone();
        dead(list);
        equal(list);
        copies(list);
        products(list);
        if depth == Depth::All {
            outputs(list);
        }
        dead(list);
        if *list == before {
            return;
        }
    }
}

/// Takes away what nobody reads.
fn dead(list: &mut List) {
    loop {
        dead_outputs(list);
        let live = list.live();
        for (op, live) in list.ops.iter_mut().zip(live) {
            op.temporary = op.temporary.map(|(n, _)| (n, live)).filter(|(_, live)| *live != WriteMask::NONE);
        }
        let kept: Vec<bool> =
            list.ops.iter().map(|op| op.temporary.is_some() || op.other.is_some()).collect();
        if !kept.contains(&false) {
            return;
        }
        remove(list, &kept);
    }
}

/// Takes writes of outputs, constants and A0 away that are overwritten before somebody reads them.
fn dead_outputs(list: &mut List) {
    // Lanes that are overwritten later, from the end on.
    let mut over: Vec<(Target, u8)> = Vec::new();
    let mut addressed = list.keeps != Ends::Nothing;
    for n in (0..list.ops.len()).rev() {
        let op = &mut list.ops[n];
        if let Some(dest) = op.other {
            let target = match dest.target {
                Target::Output(n) => Target::Output(n & 15),
                target => target,
            };
            let lanes = dest.lanes().bits();
            if target == Target::Address {
                if !addressed {
                    op.other = None;
                }
                addressed = false;
            } else {
                match over.iter_mut().find(|(of, _)| *of == target) {
                    Some((_, later)) => {
                        let live = lanes & !*later;
                        if live == 0 {
                            op.other = None;
                        } else if dest.lanes() == dest.mask {
                            op.other = Some(Dest { mask: WriteMask::from_bits(live), ..dest });
                        }
                        *later |= lanes;
                    }
                    None => over.push((target, lanes)),
                }
            }
        }
        for (source, lanes) in op.each_read() {
            let relative = source.operand.relative && lanes != WriteMask::NONE;
            addressed |= relative;
            for (target, later) in &mut over {
                let read = match target {
                    Target::Output(0) => source.is_position(),
                    Target::Constant(n) => source.operand.mux == Mux::Constant && source.operand.number == *n,
                    _ => false,
                };
                if relative && matches!(target, Target::Constant(_)) {
                    *later = 0;
                } else if read {
                    *later &= !lanes.bits();
                }
            }
        }
    }
}

/// Takes operations out of the list; nobody reads them.
fn remove(list: &mut List, kept: &[bool]) {
    let mut number = 0;
    let numbers: Vec<u16> = kept
        .iter()
        .map(|kept| {
            number += u16::from(*kept);
            number.wrapping_sub(1)
        })
        .collect();
    let mut n = 0;
    list.ops.retain(|_| {
        n += 1;
        kept.get(n - 1).copied().unwrap_or(true)
    });
    let renumber = |def: &mut Def| {
        if let Def::Op(n) = def {
            *n = numbers.get(usize::from(*n)).copied().unwrap_or(*n);
        }
    };
    for op in &mut list.ops {
        for n in 0..3 {
            // What an operation does not look at any more may be gone.
            let reads = if n < op.operator.sources() { op.reads(n) } else { WriteMask::NONE };
            for (lane, def) in op.sources[n].lanes.iter_mut().enumerate() {
                if reads.has(lane) {
                    renumber(def);
                } else {
                    *def = Def::None;
                }
            }
        }
    }
    list.finals.iter_mut().flatten().for_each(|(def, _)| renumber(def));
}

/// The operations that read a value, and whether it counts at the end.
fn readers(list: &List, n: usize) -> (Vec<usize>, bool) {
    let is = |(def, _): (Def, usize)| def == Def::Op(n as u16);
    let readers = (0..list.ops.len()).filter(|of| list.ops[*of].values().any(is)).collect();
    (readers, list.finals().any(is))
}

/// Whether what an operation reads besides temporaries is still there for one behind it.
fn lasts(list: &List, from: usize, to: usize) -> bool {
    let op = &list.ops[from];
    let between = list.ops.get(from + 1..to).unwrap_or(&[]);
    // Itself may write what it reads.
    !core::iter::once(op).chain(between).any(|other| meets_writes(other, op, false))
}

/// Whether registers can still hold what is read.
fn holds(list: &List) -> bool {
    Webs::of(list).hold(list)
}

/// Notes that an operation does the work of another one, too.
fn take_steps(list: &mut List, to: usize, from: usize) {
    let steps = list.ops[from].steps.clone();
    for step in steps {
        if !list.ops[to].steps.contains(&step) {
            list.ops[to].steps.push(step);
        }
    }
}

/// A source that reads what a copy copied, for lanes that all come from that copy.
fn through(source: &Source, needs: WriteMask, copy: &Op) -> Source {
    let of = &copy.sources[0];
    let (old, from) = (source.operand.swizzle, of.operand.swizzle);
    let swizzle = composed(old, from, needs);
    let operand = Operand { swizzle, negate: of.operand.negate != source.operand.negate, ..of.operand };
    let mut lanes = [Def::None; 4];
    for lane in swizzle.read_mask(needs).lanes() {
        lanes[lane & 3] = of.lanes[lane & 3];
    }
    Source { operand, lanes }
}

/// A swizzle of a swizzle in the lanes that are looked at; others repeat one of those.
fn composed(outer: Swizzle, inner: Swizzle, needs: WriteMask) -> Swizzle {
    let at = |lane: usize| inner.get(outer.get(lane).into());
    let Some(first) = needs.lanes().next() else { return outer };
    // As texts have it: a lane that nobody looks at is that in front of it.
    let mut last = at(first);
    let lanes = [0, 1, 2, 3].map(|lane| {
        if needs.has(lane) {
            last = at(lane);
        }
        last
    });
    Swizzle::new(lanes[0], lanes[1], lanes[2], lanes[3])
}

/// Whether all lanes that a source reads are one operation's.
fn all_from(op: &Op, n: usize, of: usize) -> bool {
    let source = &op.sources[n];
    source.is_temporary() && op.reads(n).lanes().all(|lane| index(source.lanes[lane & 3]) == Some(of))
}

/// Whether any lane that a source reads is that operation's.
fn any_from(op: &Op, n: usize, of: usize) -> bool {
    let source = &op.sources[n];
    source.is_temporary() && op.reads(n).lanes().any(|lane| index(source.lanes[lane & 3]) == Some(of))
}

/// Lets readers of copies read what was copied.
fn copies(list: &mut List) {
    for copy in 0..list.ops.len() {
        let op = &list.ops[copy];
        if op.operator != Operator::Mov || op.temporary.is_none() {
            continue;
        }
        let (readers, ends) = readers(list, copy);
        if ends && (list.keeps == Ends::Same || !op.sources[0].is_temporary() || op.sources[0].operand.negate)
        {
            continue;
        }
        let last = readers.iter().copied().max().unwrap_or(copy);
        if !lasts(list, copy, last) {
            continue;
        }
        let before = list.clone();
        if !(bypass(list, copy, &readers) && holds(list)) {
            *list = before;
        }
    }
}

/// Lets these readers of a copy read what was copied. Returns whether all can.
fn bypass(list: &mut List, copy: usize, readers: &[usize]) -> bool {
    let mov = list.ops[copy].clone();
    for reader in readers {
        for n in 0..list.ops[*reader].operator.sources() {
            let op = &list.ops[*reader];
            if !any_from(op, n, copy) {
                continue;
            }
            if !all_from(op, n, copy) {
                return false;
            }
            let source = through(&op.sources[n], op.needs(n), &mov);
            list.ops[*reader].sources[n] = source;
        }
        if !fits(&list.ops[*reader]) {
            return false;
        }
        take_steps(list, *reader, copy);
    }
    for (def, lane) in list.finals.iter_mut().flatten() {
        if *def == Def::Op(copy as u16) {
            let from = mov.sources[0].operand.swizzle.get(usize::from(*lane));
            *def = mov.sources[0].lanes[usize::from(from)];
            *lane = from;
        }
    }
    // A first value of a temporary has no lanes of its own at the end.
    !list.finals().any(|(def, _)| matches!(def, Def::Initial(_)))
}

/// Makes equal operations one.
fn equal(list: &mut List) {
    for n in 0..list.ops.len() {
        for m in n + 1..list.ops.len() {
            let (first, second) = (&list.ops[n], &list.ops[m]);
            if first.operator != second.operator
                || first.temporary.is_none()
                || second.temporary.is_none()
                || second.other.is_some()
                || list.keeps == Ends::Same && readers(list, m).1
                // In its place the other one has not been computed, nor what is between.
                || second.values().any(|(def, _)| index(def).is_some_and(|of| of >= n))
                || !lasts(list, n, m)
            {
                continue;
            }
            let Some(merged) = one_of(first, second) else { continue };
            let before = list.clone();
            list.ops[n] = merged;
            rename(list, m, n);
            take_steps(list, n, m);
            list.ops[m].temporary = None;
            if !(fits(&list.ops[n]) && holds(list)) {
                *list = before;
            }
        }
    }
}

/// Lets readers of a value read another one, which has the same lanes.
fn rename(list: &mut List, from: usize, to: usize) {
    let (from, to) = (Def::Op(from as u16), Def::Op(to as u16));
    let sources =
        list.ops.iter_mut().flat_map(|op| op.sources.iter_mut().flat_map(|source| source.lanes.iter_mut()));
    let finals = list.finals.iter_mut().flatten().map(|(def, _)| def);
    sources.chain(finals).filter(|def| **def == from).for_each(|def| *def = to);
}

/// One operation with the lanes of both, if they do the same.
fn one_of(first: &Op, second: &Op) -> Option<Op> {
    let (n, mask) = first.temporary?;
    let mut out = first.clone();
    out.temporary = Some((n, mask.union(second.temporary?.1)));
    for n in 0..first.operator.sources() {
        let (a, b) = (&first.sources[n], &second.sources[n]);
        if (Operand { swizzle: a.operand.swizzle, ..b.operand }) != a.operand {
            return None;
        }
        let (of_a, of_b) = (first.needs(n), second.needs(n));
        let differs = |lane: usize| {
            let (x, y) = (a.operand.swizzle.get(lane), b.operand.swizzle.get(lane));
            of_a.has(lane) && of_b.has(lane) && x != y
        };
        if (0..4).any(differs) {
            return None;
        }
        let swizzle =
            with_lanes(a.operand.swizzle, of_b.lanes().map(|lane| (lane, b.operand.swizzle.get(lane))));
        out.sources[n].operand.swizzle = swizzle;
        for lane in second.reads(n).lanes() {
            let def = &mut out.sources[n].lanes[lane & 3];
            if *def != Def::None && *def != b.lanes[lane & 3] {
                return None;
            }
            *def = b.lanes[lane & 3];
        }
    }
    Some(out)
}

/// Makes one operation of a product and the sums that it is in.
fn products(list: &mut List) {
    for product in 0..list.ops.len() {
        let op = &list.ops[product];
        if op.operator != Operator::Mac(Mac::Mul) || op.other.is_some() || op.temporary.is_none() {
            continue;
        }
        let (sums, ends) = readers(list, product);
        let last = sums.iter().copied().max().unwrap_or(product);
        if ends || sums.is_empty() || !lasts(list, product, last) {
            continue;
        }
        let before = list.clone();
        let all = sums.iter().all(|sum| multiply_add(list, product, *sum));
        if !(all && holds(list)) {
            *list = before;
        }
    }
}

/// Makes one operation of a product and a sum. Returns whether that can be.
fn multiply_add(list: &mut List, product: usize, sum: usize) -> bool {
    let op = &list.ops[sum];
    if op.operator != Operator::Mac(Mac::Add) {
        return false;
    }
    let of = [0, 1].map(|n| any_from(op, n, product));
    let n = match of {
        [true, false] => 0,
        [false, true] => 1,
        _ => return false,
    };
    // The sign of the sum's operand could go to a factor, which `eqv` does not see through.
    if op.sources[n].operand.negate || !all_from(op, n, product) {
        return false;
    }
    let factors = list.ops[product].clone();
    let (source, other, needs) = (op.sources[n], op.sources[1 - n], op.needs(n));
    let sources = [0, 1].map(|n| {
        let mut factor = factors.sources[n];
        let from = factor.operand.swizzle;
        factor.operand.swizzle = composed(source.operand.swizzle, from, needs);
        factor
    });
    let op = &mut list.ops[sum];
    op.operator = Operator::Mac(Mac::Mad);
    op.sources = [sources[0], sources[1], other];
    for n in 0..2 {
        let reads = op.reads(n);
        let lanes = &mut op.sources[n].lanes;
        (0..4).filter(|lane| !reads.has(*lane)).for_each(|lane| lanes[lane] = Def::None);
    }
    take_steps(list, sum, product);
    fits(&list.ops[sum])
}

/// Lets the operation that makes a value write the output that it is copied to.
fn outputs(list: &mut List) {
    for copy in 0..list.ops.len() {
        let op = &list.ops[copy];
        let (Operator::Mov, Some(dest), None) = (op.operator, op.other, op.temporary) else { continue };
        if op.sources[0].operand.negate || !op.sources[0].is_temporary() {
            continue;
        }
        let Some(maker) = op.reads(0).lanes().next().and_then(|lane| index(op.sources[0].lanes[lane & 3]))
        else {
            continue;
        };
        if !all_from(op, 0, maker) || list.ops[maker].other.is_some() {
            continue;
        }
        let swizzle = op.sources[0].operand.swizzle;
        let straight = dest.lanes().lanes().all(|lane| usize::from(swizzle.get(lane)) == lane);
        let (readers, ends) = readers(list, maker);
        let alone = readers == [copy] && !ends;
        let shape = list.ops[maker].shape();
        if !(straight || shape == Shape::Same || shape == Shape::ByLane && alone) {
            continue;
        }
        let before = list.clone();
        let mut made = list.ops[maker].clone();
        if !straight && shape == Shape::ByLane {
            for n in 0..made.operator.sources() {
                let source = &mut made.sources[n];
                source.operand.swizzle = composed(swizzle, source.operand.swizzle, dest.lanes());
            }
            made.temporary = None;
        }
        made.other = Some(dest);
        if alone {
            made.temporary = None;
        }
        let between = list.ops.get(maker + 1..copy).unwrap_or(&[]);
        let up = !between.iter().any(|other| {
            meets_writes(&list.ops[copy], other, false) || meets_writes(&list.ops[copy], other, true)
        });
        let down = lasts(list, maker, copy) && readers.iter().all(|reader| *reader >= copy);
        if up {
            list.ops[maker] = made;
            take_steps(list, maker, copy);
            list.ops[copy].other = None;
        } else if down {
            made.at = list.ops[copy].at;
            list.ops[maker].temporary = None;
            let steps = core::mem::take(&mut list.ops[copy].steps);
            list.ops[copy] = made;
            list.ops[copy].steps.extend(steps);
            rename(list, maker, copy);
        } else {
            continue;
        }
        let place = if up { maker } else { copy };
        if !(fits(&list.ops[place]) && holds(list)) {
            *list = before;
        }
    }
}
