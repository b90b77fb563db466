//! Which products need no look at zero: those whose factors cannot be a zero and an infinity or NaN.
//!
//! Under [`Rule::ZeroWins`] a zero factor gives +0, whatever the other one is. That a plain product differs from it only in the
//! sign of a zero is known where one factor is a finite constant other than zero, and where both are finite. What is known of a
//! value comes from the operations that made it, one after another: constants, clamped values, and what is computed from them.

use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::op::MAX_ARITY;
use vecasm_ir::ir::{Arg, Inst, Op, Pure, Rule, Scalar, Shader};

/// A number beyond it may be an infinity after other roundings than ours.
const LARGE: f32 = 1e37;

/// What is known of a lane: limits of what it is unless it is NaN, and whether it may be NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    low: f32,
    high: f32,
    nan: bool,
}

/// Nothing is known.
const ANY: Range = Range { low: f32::NEG_INFINITY, high: f32::INFINITY, nan: true };

impl Range {
    /// From `low` to `high`; nothing is known if that is not finite.
    fn of(low: f32, high: f32) -> Self {
        let range = Self { low, high, nan: false };
        if range.is_finite() { range } else { ANY }
    }

    fn is_finite(self) -> bool {
        !self.nan && self.low >= -LARGE && self.high <= LARGE
    }

    /// Whether it is no zero, also where denormals are taken for zeros.
    fn is_never_zero(self) -> bool {
        self.low >= f32::MIN_POSITIVE || self.high <= -f32::MIN_POSITIVE
    }

    /// What may be one or the other.
    fn or(self, other: Self) -> Self {
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        Self { low, high, nan: self.nan || other.nan }
    }

    fn times(self, other: Self) -> Self {
        if !self.is_finite() || !other.is_finite() {
            return ANY;
        }
        let ends =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        let ends = ends.into_iter();
        Self::of(ends.clone().fold(f32::INFINITY, f32::min), ends.fold(f32::NEG_INFINITY, f32::max))
    }

    fn plus(self, other: Self) -> Self {
        if !self.is_finite() || !other.is_finite() {
            return ANY;
        }
        Self::of(self.low + other.low, self.high + other.high)
    }

    fn negated(self) -> Self {
        Self { low: -self.high, high: -self.low, nan: self.nan }
    }

    /// `min`, or `max` by the negated ones: of a NaN and a number the number.
    fn least(self, other: Self) -> Self {
        let mut range = Self { low: self.low.min(other.low), high: self.high.min(other.high), nan: false };
        if self.nan {
            range = range.or(Self { nan: false, ..other });
        }
        if other.nan {
            range = range.or(Self { nan: false, ..self });
        }
        Self { nan: self.nan && other.nan, ..range }
    }
}

/// Whether the look at zero changes nothing about a product but the sign of a zero.
fn is_plain(a: Range, b: Range) -> bool {
    (a.is_never_zero() || b.is_finite()) && (b.is_never_zero() || a.is_finite())
}

/// The shader with plain products where they differ from those of [`Rule::ZeroWins`] in nothing but the sign of a zero, or
/// everywhere, where `machine` says that the target multiplies by that rule itself. `None` if nothing changes.
pub(super) fn plain_products(shader: &Shader, machine: bool) -> Option<Shader> {
    let mut any = false;
    shader.body.for_each_inst(&mut |inst| any |= inst.arith.rule == Rule::ZeroWins);
    if !any {
        return None;
    }
    let mut facts = vec![[ANY; 4]; if machine { 0 } else { shader.values.len() }];
    let mut plain = Vec::new();
    shader.body.for_each_inst(&mut |inst| {
        if inst.arith.rule == Rule::ZeroWins && !inst.arith.flush {
            plain.push(machine || needs_no_look(shader, inst, &facts));
        }
        let Some(slot) = inst.result.and_then(|result| facts.get(result.index()).map(|_| result.index()))
        else {
            return;
        };
        facts[slot] = known(shader, inst, &facts);
    });
    if !plain.contains(&true) {
        return None;
    }
    let mut out = shader.clone();
    let mut plain = plain.into_iter();
    out.body.for_each_inst_mut(&mut |inst| {
        if inst.arith.rule == Rule::ZeroWins && !inst.arith.flush && plain.next() == Some(true) {
            inst.arith.rule = Rule::Ieee;
        }
    });
    Some(out)
}

fn lane(facts: &[[Range; 4]], arg: Arg, i: usize) -> Range {
    let at = if arg.lanes == 1 { 0 } else { i };
    facts.get(arg.value.index()).map_or(ANY, |lanes| lanes[usize::from(arg.swizzle.get(at)) & 3])
}

fn needs_no_look(shader: &Shader, inst: &Inst, facts: &[[Range; 4]]) -> bool {
    let [a, b, ..] = *shader.args(inst.args) else { return false };
    (0..usize::from(a.lanes.max(b.lanes))).all(|i| is_plain(lane(facts, a, i), lane(facts, b, i)))
}

/// What is known of the lanes of a result.
fn known(shader: &Shader, inst: &Inst, facts: &[[Range; 4]]) -> [Range; 4] {
    let mut out = [ANY; 4];
    let args = shader.args(inst.args);
    let Some(result) = inst.result.map(|result| shader.value(result)) else { return out };
    match inst.op {
        Op::Const(bits) if result.ty.scalar == Scalar::F32 => {
            for (out, bits) in out.iter_mut().zip(bits) {
                let value = f32::from_bits(bits);
                *out = Range::of(value, value);
            }
        }
        Op::Compose => {
            let parts = args.iter().flat_map(|arg| (0..usize::from(arg.lanes)).map(move |i| (*arg, i)));
            for (out, (arg, i)) in out.iter_mut().zip(parts) {
                *out = lane(facts, arg, i);
            }
        }
        Op::Pure(op) if result.ty.scalar == Scalar::F32 && inst.arith.rule != Rule::Nv20 => {
            let scalar = op.scalar_of(shader, args);
            if op.reduces() {
                out[0] = reduced(op, args, facts);
                return out;
            }
            for (i, out) in out.iter_mut().enumerate().take(usize::from(result.ty.lanes)) {
                let mut of = [ANY; MAX_ARITY];
                of.iter_mut().zip(args).for_each(|(of, arg)| *of = lane(facts, *arg, i));
                *out = computed(op, scalar, of);
            }
        }
        _ => {}
    }
    out
}

/// What is known of the one lane that an operation makes of all.
fn reduced(op: Pure, args: &[Arg], facts: &[[Range; 4]]) -> Range {
    let Some(first) = args.first() else { return ANY };
    let lanes = 0..usize::from(first.lanes);
    match (op, args.get(1)) {
        (Pure::Dot, Some(second)) => lanes
            .map(|i| lane(facts, *first, i).times(lane(facts, *second, i)))
            .fold(Range::of(0.0, 0.0), Range::plus),
        (Pure::Sum, None) => lanes.map(|i| lane(facts, *first, i)).fold(Range::of(0.0, 0.0), Range::plus),
        _ => ANY,
    }
}

/// What is known of a lane of an operation on `scalar`.
fn computed(op: Pure, scalar: Scalar, [a, b, c, ..]: [Range; MAX_ARITY]) -> Range {
    match op {
        Pure::Saturate => Range::of(0.0, 1.0),
        Pure::ToF32 => match scalar {
            Scalar::Bool => Range::of(0.0, 1.0),
            Scalar::I32 | Scalar::U32 => Range::of(-4_294_967_296.0, 4_294_967_296.0),
            _ => ANY,
        },
        Pure::Select => b.or(c),
        _ if scalar != Scalar::F32 => ANY,
        Pure::Neg => a.negated(),
        Pure::Abs if a.low >= 0.0 => a,
        Pure::Abs if a.high <= 0.0 => a.negated(),
        Pure::Abs => Range { low: 0.0, high: a.high.max(-a.low), nan: a.nan },
        Pure::Add => a.plus(b),
        Pure::Sub => a.plus(b.negated()),
        Pure::Mul => a.times(b),
        Pure::Fma => a.times(b).plus(c),
        Pure::Min => a.least(b),
        Pure::Max => a.negated().least(b.negated()).negated(),
        Pure::Floor | Pure::Ceil | Pure::Trunc | Pure::RoundEven if a.is_finite() => {
            Range::of(a.low - 1.0, a.high + 1.0)
        }
        Pure::Fract if a.is_finite() => Range::of(0.0, 1.0),
        Pure::Sign | Pure::Sin | Pure::Cos if a.is_finite() => Range::of(-1.0, 1.0),
        _ => ANY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_plain_unless_a_zero_may_meet_what_is_not_finite() {
        let (two, zero, clamped) = (Range::of(2.0, 2.0), Range::of(0.0, 0.0), Range::of(0.0, 1.0));
        let infinite = Range { low: f32::INFINITY, high: f32::INFINITY, nan: false };
        for (a, b, plain) in [
            (two, ANY, true),
            (two.negated(), ANY, true),
            (zero, ANY, false),
            (clamped, ANY, false),
            (clamped, clamped, true),
            (zero, clamped, true),
            // A zero beside an infinity, which is never zero itself.
            (infinite, clamped, false),
            (infinite, two, true),
            (infinite, ANY, false),
            // A denormal, which a GPU may take for zero.
            (Range::of(1e-40, 1e-40), ANY, false),
        ] {
            assert_eq!((is_plain(a, b), is_plain(b, a)), (plain, plain), "{a:?} {b:?}");
        }
    }

    #[test]
    fn ranges_hold_what_operations_give() {
        let of = |op, args: [Range; 3]| computed(op, Scalar::F32, [args[0], args[1], args[2], ANY]);
        let (zero, one) = (Range::of(0.0, 0.0), Range::of(1.0, 1.0));
        // min(max(x, 0), 1) of anything, also of NaN, which the other one replaces.
        let clamped = of(Pure::Min, [of(Pure::Max, [ANY, zero, ANY]), one, ANY]);
        assert_eq!(clamped, Range::of(0.0, 1.0));
        assert_eq!(of(Pure::Max, [ANY, ANY, ANY]), ANY);
        assert_eq!(of(Pure::Abs, [Range::of(-3.0, 1.0), ANY, ANY]), Range::of(0.0, 3.0));
        assert_eq!(of(Pure::Mul, [Range::of(-3.0, 1.0), Range::of(-2.0, 5.0), ANY]), Range::of(-15.0, 6.0));
        // Products and sums of large numbers may be infinite.
        let large = Range::of(-1e30, 1e30);
        assert_eq!(of(Pure::Mul, [large, large, ANY]), ANY);
        assert!(of(Pure::Add, [large, large, ANY]).is_finite());
        assert_eq!(of(Pure::Sin, [ANY, ANY, ANY]), ANY);
    }
}
