//! Operations that are the same, to the bit, as one of their arguments, a constant or a shorter operation.
//!
//! | of | gives |
//! |---|---|
//! | IEEE floats, denormals kept: `x · 1`, `x / 1`, `x − 0`, `x + −0` | x |
//! | floats where zero wins, denormals kept: `x · 0` | 0 |
//! | integers: `x + 0`, `x − 0`, `x · 1`, `x / 1`, `x << 0`, `x >> 0` (counts modulo the width), `min(x, x)`, `max(x, x)` | x |
//! | integers and bool: `x & x`, <code>x \| x</code>, `x ^ 0`, <code>x \| 0</code>, `x & ~0` | x |
//! | integers: `x · 0`, `x − x`; integers and bool: `x & 0`, `x ^ x`; <code>x \| ~0</code> | 0; all ones |
//! | all but floats, nv20 too: `x = x`, `x ≠ x`, `x < x`, `x ≥ x` | true or false |
//! | `−−x`, `not not x`, <code>\|\|x\|\|</code>, `sat(sat x)` | x, or the inner one |
//! | <code>\|−x\|</code>; `not (x = y)`, of integers `not (x < y)`, and their opposites | <code>\|x\|</code>; the opposite comparison |
//! | `as_a(as_b x)`; `as_a` of an `a` | `as_a x`; x |
//! | `pack64(low64 x, high64 x)`; `low64(pack64(a, b))`, `high64` | x (`as_u64 x`); a, b |
//! | conversions of an integer to its own type | x |
//! | `select` between equals, or by a known condition; `select(c, true, false)` and its opposite | one of them; c; `not c` |
//!
//! `x + 0` of floats is none: `−0 + 0` is `+0`. Under [`Rule::Nv20`] there is none of arithmetic.
//!
//! An identity of float arithmetic lets a NaN through with its bits, where the operation makes it canonical. Where
//! the shader looks at bits of floats (bitcasts, nv20, `vote.equal`), they are only used for results of arithmetic,
//! which are canonical.

use super::fold::Fold;
use vecasm_ir::ir::op::MAX_ARITY;
use vecasm_ir::ir::{Arg, Arith, Pure, Rule, Scalar, Type};

/// How a new value came about, where that helps.
#[derive(Clone, Copy)]
pub(super) enum Known {
    Nothing,
    Const([u32; 4]),
    /// An operation of one or two arguments (one: it stands twice).
    Op(Pure, Arith, [Arg; 2]),
}

/// What an operation is the same as.
pub(super) enum Simple {
    /// Nothing simpler.
    No,
    /// This argument.
    Arg(Arg),
    /// Every lane is this.
    All(u64),
    /// This operation, under that arithmetic.
    Op(Pure, Arith, [Arg; MAX_ARITY]),
}

impl Fold<'_> {
    /// What an operation with a result of type `ty` is the same as.
    pub(super) fn simple(&self, pure: Pure, arith: Arith, args: &[Arg], ty: Type) -> Simple {
        let Some(&x) = args.first() else { return Simple::No };
        let scalar = self.rw.b.shader.arg_type(x).scalar;
        match (pure, args) {
            (Pure::Select, [c, a, b]) => self.selection(*c, *a, *b, arith, ty),
            (Pure::Pack64, [a, b]) => self.packed(*a, *b, arith),
            (_, [x]) => self.unary(pure, arith, *x, scalar, ty),
            (_, [x, y]) if matches!(scalar, Scalar::F32 | Scalar::F64) => {
                self.float(pure, arith, *x, *y, scalar)
            }
            (_, [x, y]) => self.integer(pure, arith, *x, *y, scalar),
            _ => Simple::No,
        }
    }

    fn float(&self, pure: Pure, arith: Arith, x: Arg, y: Arg, scalar: Scalar) -> Simple {
        let single = scalar == Scalar::F32;
        if single && arith.rule == Rule::Nv20 {
            return match pure {
                Pure::Eq | Pure::Ge if same_lanes(x, y) => Simple::All(1),
                Pure::Ne | Pure::Lt if same_lanes(x, y) => Simple::All(0),
                Pure::Min | Pure::Max if same_lanes(x, y) => Simple::Arg(x),
                _ => Simple::No,
            };
        }
        let is_zero = |arg: Arg| self.is(arg, 0) || self.is(arg, 0x8000_0000);
        if single && arith.rule == Rule::ZeroWins && !arith.flush && pure == Pure::Mul {
            return if is_zero(x) || is_zero(y) { Simple::All(0) } else { Simple::No };
        }
        if single && (arith.flush || pure == Pure::Mul && arith.rule != Rule::Ieee) {
            return Simple::No;
        }
        let (one, minus_zero) =
            if single { (0x3f80_0000, 0x8000_0000) } else { (0x3ff0_0000_0000_0000, 1 << 63) };
        let given = |arg: Arg| if self.is_canonical(arg) { Simple::Arg(arg) } else { Simple::No };
        match pure {
            Pure::Mul | Pure::Div if self.is(y, one) => given(x),
            Pure::Mul if self.is(x, one) => given(y),
            Pure::Sub if self.is(y, 0) => given(x),
            Pure::Add if self.is(y, minus_zero) => given(x),
            Pure::Add if self.is(x, minus_zero) => given(y),
            _ => Simple::No,
        }
    }

    /// Whether a NaN in an argument can only be the canonical one, as far as anybody can see.
    fn is_canonical(&self, arg: Arg) -> bool {
        let arithmetic = |pure: Pure| {
            !matches!(pure, Pure::Neg | Pure::Abs | Pure::Select | Pure::AsF32 | Pure::AsF64 | Pure::FromHalf)
        };
        !self.strict
            || match self.known(arg.value) {
                Known::Op(pure, by, _) => by.rule != Rule::Nv20 && arithmetic(pure),
                _ => false,
            }
    }

    fn integer(&self, pure: Pure, arith: Arith, x: Arg, y: Arg, scalar: Scalar) -> Simple {
        use Simple::{All, No};
        let ones = match scalar {
            Scalar::Bool => 1,
            s if s.is_wide() => u64::MAX,
            _ => u64::from(u32::MAX),
        };
        let width: u64 = if scalar.is_wide() { 64 } else { 32 };
        let number = scalar != Scalar::Bool;
        let is = |arg: Arg, bits: u64| self.is(arg, bits);
        let none = |arg: Arg| {
            (0..usize::from(arg.lanes)).all(|lane| self.bits(arg, lane).is_some_and(|n| n % width == 0))
        };
        let same = same_lanes(x, y);
        match pure {
            Pure::Add | Pure::Or | Pure::Xor if is(y, 0) => Simple::Arg(x),
            Pure::Add | Pure::Or | Pure::Xor if is(x, 0) => Simple::Arg(y),
            Pure::Sub if is(y, 0) => Simple::Arg(x),
            Pure::Sub | Pure::Xor if same => All(0),
            Pure::Mul | Pure::Div if is(y, 1) => Simple::Arg(x),
            Pure::Mul if is(x, 1) => Simple::Arg(y),
            Pure::Mul | Pure::And if is(x, 0) || is(y, 0) => All(0),
            Pure::And if is(y, ones) || same => Simple::Arg(x),
            Pure::And if is(x, ones) => Simple::Arg(y),
            Pure::Or if is(x, ones) || is(y, ones) => All(ones),
            Pure::Or | Pure::Min | Pure::Max if same => Simple::Arg(x),
            Pure::Shl | Pure::Shr if none(y) => Simple::Arg(x),
            Pure::Eq | Pure::Ge if same => All(1),
            Pure::Ne | Pure::Lt if same => All(0),
            Pure::Eq | Pure::Ne if !number => {
                let plain = if pure == Pure::Eq { 1 } else { 0 };
                for (a, b) in [(x, y), (y, x)] {
                    if is(b, plain) {
                        return Simple::Arg(a);
                    }
                    if is(b, 1 - plain) {
                        return Simple::Op(Pure::Not, arith, [a; MAX_ARITY]);
                    }
                }
                No
            }
            Pure::Xor if !number && is(y, 1) => Simple::Op(Pure::Not, arith, [x; MAX_ARITY]),
            Pure::Xor if !number && is(x, 1) => Simple::Op(Pure::Not, arith, [y; MAX_ARITY]),
            _ => No,
        }
    }

    fn unary(&self, pure: Pure, arith: Arith, x: Arg, scalar: Scalar, ty: Type) -> Simple {
        let own = ty.scalar == scalar && ty.lanes == x.lanes;
        match pure {
            Pure::AsF32 | Pure::AsI32 | Pure::AsU32 | Pure::AsF64 | Pure::AsI64 | Pure::AsU64 if own => {
                return Simple::Arg(x);
            }
            Pure::ToI32 | Pure::ToU32 | Pure::ToI64 | Pure::ToU64 if own => return Simple::Arg(x),
            _ => {}
        }
        let Known::Op(inner, by, [y, z]) = self.known(x.value) else { return Simple::No };
        if inner.reduces() {
            return Simple::No;
        }
        let y = through(x, y);
        let from = self.rw.b.shader.arg_type(y).scalar;
        match (pure, inner) {
            (Pure::Neg, Pure::Neg) | (Pure::Not, Pure::Not) => Simple::Arg(y),
            (Pure::Abs, Pure::Abs) => Simple::Arg(x),
            (Pure::Saturate, Pure::Saturate) if by == arith => Simple::Arg(x),
            (Pure::Abs, Pure::Neg) => Simple::Op(Pure::Abs, arith, [y; MAX_ARITY]),
            (Pure::AsF32 | Pure::AsI32 | Pure::AsU32, Pure::AsF32 | Pure::AsI32 | Pure::AsU32)
            | (Pure::AsF64 | Pure::AsI64 | Pure::AsU64, Pure::AsF64 | Pure::AsI64 | Pure::AsU64) => {
                if from == ty.scalar { Simple::Arg(y) } else { Simple::Op(pure, arith, [y; MAX_ARITY]) }
            }
            (Pure::Low64 | Pure::High64, Pure::AsF64 | Pure::AsI64 | Pure::AsU64) => {
                Simple::Op(pure, arith, [y; MAX_ARITY])
            }
            (Pure::Low64, Pure::Pack64) => Simple::Arg(y),
            (Pure::High64, Pure::Pack64) => Simple::Arg(through(x, z)),
            (Pure::Not, Pure::Eq | Pure::Ne | Pure::Lt | Pure::Ge) => {
                let float = matches!(from, Scalar::F32 | Scalar::F64);
                let total = !float || from == Scalar::F32 && by.rule == Rule::Nv20;
                let opposite = match inner {
                    Pure::Eq => Pure::Ne,
                    Pure::Ne => Pure::Eq,
                    // Of a NaN neither holds.
                    _ if !total => return Simple::No,
                    Pure::Lt => Pure::Ge,
                    _ => Pure::Lt,
                };
                Simple::Op(opposite, by, [y, through(x, z), y, y])
            }
            _ => Simple::No,
        }
    }

    fn selection(&self, c: Arg, a: Arg, b: Arg, arith: Arith, ty: Type) -> Simple {
        if same_lanes(a, b) {
            return Simple::Arg(a);
        }
        if let Some(cond) = self.bits(c, 0) {
            if self.is(c, cond) {
                return Simple::Arg(if cond != 0 { a } else { b });
            }
        }
        if ty.scalar == Scalar::Bool && c.lanes == ty.lanes {
            if self.is(a, 1) && self.is(b, 0) {
                return Simple::Arg(c);
            }
            if self.is(a, 0) && self.is(b, 1) {
                return Simple::Op(Pure::Not, arith, [c; MAX_ARITY]);
            }
        }
        Simple::No
    }

    fn packed(&self, low: Arg, high: Arg, arith: Arith) -> Simple {
        let (Known::Op(Pure::Low64, _, [x, _]), Known::Op(Pure::High64, _, [y, _])) =
            (self.known(low.value), self.known(high.value))
        else {
            return Simple::No;
        };
        let (x, y) = (through(low, x), through(high, y));
        if !same_lanes(x, y) {
            return Simple::No;
        }
        match self.rw.b.shader.arg_type(x).scalar {
            Scalar::U64 => Simple::Arg(x),
            _ => Simple::Op(Pure::AsU64, arith, [x; MAX_ARITY]),
        }
    }
}

/// Whether two arguments pick the same lanes of one value.
fn same_lanes(a: Arg, b: Arg) -> bool {
    a.value == b.value
        && a.lanes == b.lanes
        && (0..usize::from(a.lanes)).all(|lane| a.swizzle.get(lane) == b.swizzle.get(lane))
}

/// Lanes `outer` of a value whose lane i is lane i of `inner`.
fn through(outer: Arg, inner: Arg) -> Arg {
    let mut lanes = [0; 4];
    for (i, lane) in lanes.iter_mut().enumerate() {
        let via = if inner.lanes == 1 { 0 } else { usize::from(outer.swizzle.get(i)) };
        *lane = inner.swizzle.get(via);
    }
    let swizzle = vecasm_ir::operand::Swizzle::new(lanes[0], lanes[1], lanes[2], lanes[3]);
    Arg { value: inner.value, swizzle, lanes: outer.lanes }
}
