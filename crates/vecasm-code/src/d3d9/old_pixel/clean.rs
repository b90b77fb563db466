//! Fewer operations with the same results, to the bit.
//!
//! | step | exact, since |
//! |---|---|
//! | what nobody reads goes, lane by lane | |
//! | readers of a copy read what was copied, with its modifier | a modifier is computed as the source is read, and a sign is a bit |
//! | what is copied to where it counts at the end goes there at once | |
//! | `_sat` and shifts of a copy go to the operation that made the value | they are done to its result, one after the other |
//! | mul and add become mad | mad is mul, then add: it rounds twice |
//!
//! A register r# holds no more than a device says, at least from -1 to 1: what is written is clamped to that. A step is not taken where
//! this would show. Textures count as numbers from 0 to 1 there.

use super::operations::{List, Operand, Value, is_temporary};
use alloc::vec::Vec;
use vecasm_ir::operand::Swizzle;
use vecasm_isa::d3d9::registers::RegType;
use vecasm_isa::d3d9::table::Opcode;

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Readers of a copy read what was copied.
    Forward,
    /// The operation that made a value writes what a copy makes of it.
    Merge,
    /// A product and a sum.
    Product,
}

impl Step {
    /// All of them, in the order in which they are tried.
    pub(super) const ALL: [Self; 3] = [Self::Forward, Self::Merge, Self::Product];

    /// The list with the step taken at an operation, if it can be.
    pub(super) fn taken(self, list: &List, op: usize) -> Option<List> {
        let mut list = list.clone();
        let done = match self {
            Self::Forward => forward(&mut list, op),
            Self::Merge => merge(&mut list, op).is_some(),
            Self::Product => product(&mut list, op).is_some(),
        };
        if !done {
            return None;
        }
        list.narrow();
        Some(list)
    }
}

/// Between which numbers a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Range {
    /// 0 and 1.
    Unit,
    /// -1 and 1.
    Signed,
    /// What an r register can hold.
    Register,
    /// Any.
    Any,
}

impl Range {
    /// With a source modifier.
    fn modified(self, modifier: u8) -> Self {
        match (modifier, self) {
            (0, _) => self,
            // The negative.
            (1, Self::Unit) => Self::Signed,
            (1, _) => self,
            // `1-`
            (6, Self::Unit) => Self::Unit,
            // `_bias`, `_bx2`
            (2..=5, Self::Unit) => Self::Signed,
            _ => Self::Any,
        }
    }

    const fn is_small(self) -> bool {
        matches!(self, Self::Unit | Self::Signed)
    }
}

/// The range of what an operand is, of all its lanes.
fn range_of(list: &List, op: usize, n: usize) -> Range {
    let of = &list.ops[op];
    let Some(source) = of.sources.get(n) else { return Range::Any };
    let range = match source.ty {
        RegType::Const => Range::Signed,
        RegType::Input => Range::Unit,
        _ => list.values(op, n, of.live).map(|value| held(list, value)).max().unwrap_or(Range::Any),
    };
    range.modified(source.modifier)
}

/// The range of a value in its register.
fn held(list: &List, value: Value) -> Range {
    match (value.op(), value.start()) {
        (Some(op), _) => {
            let range = result(list, op);
            if range == Range::Any && is_temporary(list.ops[op].home) { Range::Register } else { range }
        }
        (_, Some(place)) if !is_temporary(place) => Range::Unit,
        _ => Range::Register,
    }
}

/// The range of a result before the register clamps it.
fn result(list: &List, op: usize) -> Range {
    let of = &list.ops[op];
    if of.saturates() {
        return Range::Unit;
    }
    if !of.is_plain() {
        return Range::Any;
    }
    match of.code {
        Opcode::Mov => range_of(list, op, 0),
        Opcode::Mul => match (range_of(list, op, 0), range_of(list, op, 1)) {
            (Range::Unit, Range::Unit) => Range::Unit,
            (a, b) if a.is_small() && b.is_small() => Range::Signed,
            (a, Range::Register) | (Range::Register, a) if a.is_small() => Range::Register,
            _ => Range::Any,
        },
        _ => Range::Any,
    }
}

/// A modifier of what has a modifier.
fn composed(outer: u8, inner: u8) -> Option<u8> {
    match (outer, inner) {
        (0, _) => Some(inner),
        (_, 0) => Some(outer),
        // The negative of a negative; of what may be negated.
        (1, 1..=5 | 7 | 8) => Some(match inner {
            1 => 0,
            2 => 3,
            3 => 2,
            4 => 5,
            5 => 4,
            7 => 8,
            _ => 7,
        }),
        _ => None,
    }
}

/// A source that reads `inner` as `outer` reads a copy of it.
fn through(outer: &Operand, inner: &Operand) -> Option<Operand> {
    let modifier = composed(outer.modifier, inner.modifier)?;
    if inner.ty == RegType::Const && modifier != 0 {
        return None;
    }
    Some(Operand { modifier, swizzle: swizzle(outer.swizzle, inner.swizzle), ..*inner })
}

/// A selector of what has a selector: each is the identity or one lane.
fn swizzle(outer: Swizzle, inner: Swizzle) -> Swizzle {
    if outer == Swizzle::IDENTITY {
        return inner;
    }
    Swizzle::splat(inner.get(outer.get(0).into()))
}

/// Lets readers of a copy read what was copied. Returns whether one does.
fn forward(list: &mut List, copy: usize) -> bool {
    let op = list.ops[copy].clone();
    let [source] = op.sources.as_slice() else { return false };
    if op.code != Opcode::Mov || !op.is_plain() || op.live == 0 {
        return false;
    }
    // What a register would clamp is not read past it.
    let clamps = is_temporary(op.home) && range_of(list, copy, 0) == Range::Any;
    let mut done = false;
    for reader in if clamps { 0..0 } else { copy + 1..list.ops.len() } {
        for n in 0..list.ops[reader].sources.len() {
            let live = list.ops[reader].live;
            let values: Vec<Value> = list.values(reader, n, live).collect();
            if values.is_empty() || values.iter().any(|value| value.op() != Some(copy)) {
                continue;
            }
            let Some(operand) = through(&list.ops[reader].sources[n], source) else { continue };
            let condition = list.ops[reader].code == Opcode::Cnd && n == 0 && list.version.minor() < 4;
            // cnd looks at a register, in one lane.
            if condition
                && (operand.values.is_none() || operand.modifier != 0 || operand.swizzle != Swizzle::splat(3))
            {
                continue;
            }
            list.ops[reader].sources[n] = operand;
            list.ops[reader].take_steps(&op.steps);
            done = true;
        }
    }
    end_at_once(list, copy, source) || done
}

/// Lets what is copied to where it counts at the end go there at once.
fn end_at_once(list: &mut List, copy: usize, source: &Operand) -> bool {
    let Some(values) = source.values.filter(|_| source.modifier == 0) else { return false };
    let mut done = false;
    for place in 0..list.finals.len() {
        for (lane, value) in values.into_iter().enumerate() {
            if list.finals[place][lane] != Some(Value::result(copy, lane)) {
                continue;
            }
            if usize::from(source.swizzle.get(lane)) != lane || list.last().any(|other| other == value) {
                continue;
            }
            let Some(op) = value.op() else { continue };
            let maker = &list.ops[op];
            // A register that clamps is no place for what others read without.
            let alone = list.reads().all(|(read, by, _)| read.op() != Some(op) || by == copy);
            let clamps = is_temporary(place) && !is_temporary(maker.home) && !alone;
            if maker.code == Opcode::Bem || clamps && result(list, op) == Range::Any {
                continue;
            }
            list.finals[place][lane] = Some(value);
            let steps = list.ops[copy].steps.clone();
            list.ops[op].take_steps(&steps);
            done = true;
        }
    }
    done
}

/// The operations whose results a source reads, if the source is plain and nobody else reads them.
fn only_read_by(list: &List, reader: usize, n: usize) -> Option<Vec<usize>> {
    let op = list.ops.get(reader).filter(|op| op.live != 0)?;
    op.sources.get(n).filter(|source| source.modifier == 0)?.values?;
    let mut makers = Vec::new();
    for value in list.values(reader, n, op.live) {
        let maker = value.op()?;
        if !makers.contains(&maker) {
            makers.push(maker);
        }
    }
    let is_of = |value: Value| value.op().is_some_and(|op| makers.contains(&op));
    let others = list.reads().any(|(value, by, at)| is_of(value) && (by, at) != (reader, n));
    (!others && !list.last().any(is_of)).then_some(makers)
}

/// Does to a result at once what a copy does to it.
fn merge(list: &mut List, copy: usize) -> Option<()> {
    let op = list.ops.get(copy).filter(|op| op.code == Opcode::Mov && !op.is_plain())?.clone();
    let source = *op.sources.first()?;
    if source.swizzle != Swizzle::IDENTITY {
        return None;
    }
    let makers = only_read_by(list, copy, 0)?;
    let values = source.values?;
    for &maker in &makers {
        let of = &list.ops[maker];
        if !of.is_plain() || of.code == Opcode::Bem {
            return None;
        }
        // What the register clamps is not what is shifted.
        if op.to.shift() != 0 && is_temporary(of.home) && result(list, maker) == Range::Any {
            return None;
        }
    }
    let moved = |value: Value| match value.op() {
        Some(by) if by == copy => values[value.lane()],
        _ => value,
    };
    for other in &mut list.ops {
        for values in other.sources.iter_mut().filter_map(|source| source.values.as_mut()) {
            *values = values.map(moved);
        }
    }
    for value in list.finals.iter_mut().flatten().flatten() {
        *value = moved(*value);
    }
    for maker in makers {
        list.ops[maker].write_as(&op);
        list.ops[maker].take_steps(&op.steps);
    }
    Some(())
}

/// Makes a product and a sum one operation.
fn product(list: &mut List, sum: usize) -> Option<()> {
    let op = list.ops.get(sum).filter(|op| matches!(op.code, Opcode::Add | Opcode::Sub))?.clone();
    // A product that is taken away would change its sign, and that of zero.
    let sides: &[usize] = if op.code == Opcode::Add { &[0, 1] } else { &[0] };
    for &n in sides {
        let Some(&[maker]) = only_read_by(list, sum, n).as_deref() else { continue };
        let made = list.ops[maker].clone();
        let clamped = is_temporary(made.home) && result(list, maker) == Range::Any;
        if made.code != Opcode::Mul || !made.is_plain() || clamped {
            continue;
        }
        let Some(outer) = op.sources.get(n) else { continue };
        let Some(mut other) = op.sources.get(1 - n).copied() else { continue };
        if op.code == Opcode::Sub {
            let Some(modifier) = negated(&other) else { continue };
            other.modifier = modifier;
        }
        let factor = |inner: &Operand| Operand { swizzle: swizzle(outer.swizzle, inner.swizzle), ..*inner };
        let mut sources: Vec<Operand> = made.sources.iter().map(factor).collect();
        sources.push(other);
        let of = &mut list.ops[sum];
        (of.code, of.sources) = (Opcode::Mad, sources);
        of.take_steps(&made.steps);
        return Some(());
    }
    None
}

/// The modifier of the negative of a source.
fn negated(source: &Operand) -> Option<u8> {
    composed(1, source.modifier).filter(|_| source.ty != RegType::Const)
}
