//! Expressions in one form: what is the same by every bit gets the same number.
//!
//! Each rule holds for the arithmetic that it names, and the tests below evaluate both sides of all of them by
//! [`Pure::eval`]. Where nothing can tell NaN apart, [`Forms::loose`] allows rules that keep everything but the sign and the payload
//! of a NaN.
//!
//! | form | for |
//! |---|---|
//! | factors in the order of their numbers, the sign of a product at its first factor | all rules |
//! | the sign of a product and of a reciprocal behind it, `x · 1` is `x`, `x + -0` is `x` | ieee that keeps denormals or flushes them, loose |
//! | `x - y` is `x + (-y)`; terms in the order of their numbers | all |
//! | sums and dot products as products and sums one after another | ieee, zero wins |
//! | operands of a minimum and a maximum in order | nv20, integers, or one is a number other than zero |
//! | `sat x` is `min(max(0, x), 1)`; `max(x, -x)` is `abs x`, `min(x, -x)` is `-abs x` | the first for all, the others for nv20 |
//! | `x < y` is `not (x >= y)`, where no NaN is compared; `x != y` is `not (x = y)`; `-x < -y` is `y < x` | all |
//! | a choice by `not c` is one by `c` with its arms exchanged; a truth value as a number is a choice of 1 and 0 | all |
//! | an operation on constants and choices of constants by one condition is a choice of its results; the order of conditions of which one or all have to hold | all |
//! | `abs` takes no sign, no `abs`, and nothing that has no sign, such as a square; nor do `exponent` and `mantissa`, and under nv20 `rsq` and `log2` | all |
//! | a whole number is its own floor; `x - fract x` is the floor of a finite `x` | all; ieee |

use super::Range;
use super::interface::Interface;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arith, Op, Pure, Rule, Scalar, Shader};

/// Most expressions.
const MOST: usize = 1 << 18;

/// The number of an expression: one lane.
pub(super) type Id = u32;

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Const(u8, u64),
    /// A lane of an input, constant, state: its place in the interface.
    Input(usize, u8),
    Constant(usize, u8),
    State(usize, u8),
    /// A state that one shader alone has stays at its default: two of one default are the same.
    Default([u32; 4], u8),
    /// An element of an array with a computed index: the arrays, offset, rule, index, lane.
    At(usize, i32, u8, Id, u8),
    /// An operation on single lanes.
    Pure(u8, Arithmetic, u8, Vec<Id>),
    /// An operation that makes one lane of several.
    Reduce(u8, Arithmetic, u8, Vec<Vec<Id>>),
    /// A texture read or another operation with a table entry: its words, arguments, lane.
    Other(String, Vec<Vec<Id>>, u8),
    /// The first where the condition holds, else the second.
    Either(Id, Id, Id),
}

/// [`Arith`] with an order; what only concerns translations is left out.
type Arithmetic = (u8, bool);

pub(super) const TRUE: u64 = 1;
const ONE: u32 = 0x3f80_0000;
const SIGN: u32 = 1 << 31;

/// Expressions by number.
pub(super) struct Forms {
    numbers: BTreeMap<Key, Id>,
    keys: Vec<Key>,
    pub(super) scalars: Vec<Scalar>,
    /// Whether nothing can tell one NaN from another.
    loose: bool,
    /// What numbers range over.
    range: Range,
    /// Inputs whose numbers are chosen from that.
    chosen: Vec<bool>,
}

/// Whether a shader can tell one NaN from another: by looking at bits, or by nv20, which orders them.
pub(super) fn tells_nan_apart(shader: &Shader) -> bool {
    let mut tells = false;
    shader.body.for_each_inst(&mut |inst| {
        let Op::Pure(pure) = inst.op else { return };
        let single = pure.scalar_of(shader, shader.args(inst.args)) == Scalar::F32;
        let bits = matches!(pure, Pure::AsI32 | Pure::AsU32 | Pure::ToHalf);
        tells |= single && (bits || (inst.arith.rule == Rule::Nv20 && !pure.moves()));
    });
    tells
}

impl Forms {
    /// Without expressions. `loose` if nothing can tell NaN apart.
    pub(super) fn new(interface: &Interface, range: Range, loose: bool) -> Self {
        Self {
            numbers: BTreeMap::new(),
            keys: Vec::new(),
            scalars: Vec::new(),
            loose,
            range,
            chosen: interface.inputs.iter().map(|input| input.ordinary).collect(),
        }
    }

    pub(super) fn truth(&mut self, value: bool) -> Option<Id> {
        self.number(Key::Const(code(Scalar::Bool), u64::from(value)), Scalar::Bool)
    }

    fn float(&mut self, bits: u32) -> Option<Id> {
        self.number(Key::Const(code(Scalar::F32), bits.into()), Scalar::F32)
    }

    pub(super) fn number(&mut self, key: Key, scalar: Scalar) -> Option<Id> {
        if let Some(&id) = self.numbers.get(&key) {
            return Some(id);
        }
        if self.keys.len() >= MOST {
            return None;
        }
        let id = self.keys.len() as Id;
        self.keys.push(key.clone());
        self.scalars.push(scalar);
        self.numbers.insert(key, id);
        Some(id)
    }

    fn key(&self, id: Id) -> Option<&Key> {
        self.keys.get(id as usize)
    }

    pub(super) fn constant(&self, id: Id) -> Option<u64> {
        match self.key(id)? {
            Key::Const(_, bits) => Some(*bits),
            _ => None,
        }
    }

    /// The arguments of an expression that is this operation.
    fn args_of(&self, id: Id, pure: Pure) -> Option<&[Id]> {
        match self.key(id)? {
            Key::Pure(what, _, _, args) if *what == pure as u8 => Some(args),
            _ => None,
        }
    }

    /// The bits of a constant of f32 that is no NaN.
    fn known(&self, id: Id) -> Option<u32> {
        match self.key(id)? {
            Key::Const(of, bits) if *of == code(Scalar::F32) => {
                let bits = *bits as u32;
                (!f32::from_bits(bits).is_nan()).then_some(bits)
            }
            _ => None,
        }
    }

    pub(super) fn either(&mut self, cond: Id, x: Id, y: Id) -> Option<Id> {
        if x == y {
            return Some(x);
        }
        if let Some(&[other]) = self.args_of(cond, Pure::Not) {
            return self.either(other, y, x);
        }
        let scalar = *self.scalars.get(x as usize)?;
        if let Some(bits) = self.constant(cond) {
            return Some(if bits == TRUE { x } else { y });
        }
        if scalar == Scalar::Bool {
            match (self.constant(x), self.constant(y)) {
                (Some(TRUE), Some(0)) => return Some(cond),
                (Some(0), Some(TRUE)) => return self.not(cond),
                _ => {}
            }
        }
        self.number(Key::Either(cond, x, y), scalar)
    }

    fn not(&mut self, cond: Id) -> Option<Id> {
        self.pure(Pure::Not, Arith::IEEE, Scalar::Bool, vec![cond], Scalar::Bool)
    }

    fn neg(&mut self, x: Id) -> Option<Id> {
        self.pure(Pure::Neg, Arith::IEEE, Scalar::F32, vec![x], Scalar::F32)
    }

    /// An expression without its sign, and whether it has one.
    fn unsigned(&mut self, id: Id) -> Option<(Id, bool)> {
        if let Some(&[inner]) = self.args_of(id, Pure::Neg) {
            return Some((inner, true));
        }
        match self.known(id) {
            Some(bits) if bits & SIGN != 0 => Some((self.float(bits & !SIGN)?, true)),
            _ => Some((id, false)),
        }
    }

    /// The conditions of which a condition says that one holds; itself, if it says something else.
    pub(super) fn alternatives(&self, cond: Id) -> Vec<Id> {
        match self.key(cond) {
            Some(Key::Reduce(pure, _, _, terms)) if *pure == Pure::Any as u8 => terms.concat(),
            _ => vec![cond],
        }
    }

    /// Whether an expression of f32 is never NaN.
    fn is_number(&self, id: Id, depth: usize) -> bool {
        let all = |ids: &[Id]| depth > 0 && ids.iter().all(|&id| self.is_number(id, depth - 1));
        match self.key(id) {
            Some(Key::Const(_, bits)) => !f32::from_bits(*bits as u32).is_nan(),
            Some(Key::Either(_, x, y)) => all(&[*x, *y]),
            Some(Key::Pure(pure, (rule, _), of, args)) => match Pure::ALL.get(usize::from(*pure)) {
                // Of two, one number is enough, but not in the order of nv20.
                Some(Pure::Min | Pure::Max) if *rule != Rule::Nv20 as u8 => {
                    depth > 0 && args.iter().any(|&id| self.is_number(id, depth - 1))
                }
                Some(Pure::Neg | Pure::Abs | Pure::Min | Pure::Max) => all(args),
                // What is too large is an infinity.
                Some(Pure::Add | Pure::Mul) if *of == code(Scalar::F32) => {
                    args.iter().all(|&id| self.is_finite(id))
                }
                Some(Pure::ToF32) => *of != code(Scalar::F64),
                _ => false,
            },
            _ => self.is_finite(id),
        }
    }

    /// Whether an expression of f32 is a number that the range of inputs lets be nothing but finite.
    fn is_finite(&self, id: Id) -> bool {
        let given = self.scalars.get(id as usize) == Some(&Scalar::F32) && self.range != Range::Any;
        match self.key(id) {
            Some(Key::Const(of, bits)) if *of == code(Scalar::F32) => {
                f32::from_bits(*bits as u32).is_finite()
            }
            Some(Key::Input(place, _)) => given && self.chosen.get(*place).copied().unwrap_or(false),
            // A state may stay at its default.
            Some(Key::Constant(..) | Key::At(..)) => given,
            Some(Key::Pure(pure, _, of, args))
                if *of == code(Scalar::F32) && (*pure == Pure::Neg as u8 || *pure == Pure::Abs as u8) =>
            {
                args.iter().all(|&id| self.is_finite(id))
            }
            _ => false,
        }
    }

    /// Whether the sign of an expression of f32 is never set: a magnitude, a square, a sum of such; NaN of arithmetic have it
    /// clear, but for those of nv20.
    fn is_positive(&self, id: Id, depth: usize) -> bool {
        let Some(Key::Pure(pure, (rule, _), of, args)) = self.key(id) else {
            return self.known(id).is_some_and(|bits| bits & SIGN == 0);
        };
        if *of != code(Scalar::F32) || *rule == Rule::Nv20 as u8 {
            return false;
        }
        let all = || depth > 0 && args.iter().all(|&id| self.is_positive(id, depth - 1));
        match Pure::ALL.get(usize::from(*pure)) {
            Some(Pure::Abs | Pure::Exp2) => true,
            Some(Pure::Mul) => args.first() == args.get(1) || all(),
            Some(Pure::Add | Pure::Min) => all(),
            _ => false,
        }
    }

    /// Whether an expression of f32 is a whole number, an infinity or NaN.
    fn is_whole(&self, id: Id) -> bool {
        match self.key(id) {
            Some(Key::Pure(pure, _, of, _)) => match Pure::ALL.get(usize::from(*pure)) {
                Some(Pure::Floor | Pure::Ceil | Pure::Trunc | Pure::RoundEven) => true,
                Some(Pure::ToF32) => {
                    !matches!(Scalar::ALL.get(usize::from(*of)), Some(Scalar::F32 | Scalar::F64))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// A lane of an operation on single lanes, of type `of`; its result is a `scalar`.
    pub(super) fn pure(
        &mut self,
        pure: Pure,
        arith: Arith,
        of: Scalar,
        mut ids: Vec<Id>,
        scalar: Scalar,
    ) -> Option<Id> {
        // What is known can be computed: fixed inputs make constants that the passes have not seen.
        if !of.is_wide() && !scalar.is_wide() {
            let known: Option<Vec<u64>> = ids.iter().map(|&id| self.constant(id)).collect();
            if let Some(known) = known {
                let mut bits = [0; 4];
                for (to, from) in bits.iter_mut().zip(known) {
                    *to = from as u32;
                }
                let bits = pure.eval(of, arith, bits);
                return self.number(Key::Const(code(scalar), u64::from(bits)), scalar);
            }
        }
        if let Some((cond, arms)) = self.constant_choices(pure, &ids) {
            let [x, y] = arms.map(|ids| self.pure(pure, arith, of, ids, scalar));
            return self.either(cond, x?, y?);
        }
        // What only moves bits does so by every arithmetic.
        let arith = if pure.moves() { Arith::IEEE } else { arith.concerning(Op::Pure(pure), of) };
        let single = of == Scalar::F32;
        let nv20 = single && arith.rule == Rule::Nv20;
        let free = single && arith.rule == Rule::Ieee && self.loose;
        match (pure, &ids[..]) {
            (Pure::Select, &[cond, x, y]) => return self.either(cond, x, y),
            (Pure::ToF32, &[cond]) if of == Scalar::Bool => {
                let (one, zero) = (self.float(ONE)?, self.float(0)?);
                return self.either(cond, one, zero);
            }
            // An unsigned number has no negative.
            (Pure::Sub, &[x, y]) if !scalar.is_wide() && of != Scalar::U32 => {
                let minus = self.pure(Pure::Neg, Arith::IEEE, of, vec![y], scalar)?;
                return self.pure(Pure::Add, arith, of, vec![x, minus], scalar);
            }
            (Pure::Neg | Pure::Not, &[x]) => {
                if let Some(&[inner]) = self.args_of(x, pure) {
                    return Some(inner);
                }
            }
            (Pure::Abs, &[x]) if single && self.is_positive(x, DEPTH) => return Some(x),
            (Pure::Abs, &[x]) if single => {
                if let Some(inner) = self.magnitude_of(x) {
                    return self.pure(pure, arith, of, vec![inner], scalar);
                }
            }
            (Pure::Exponent | Pure::Mantissa, &[x]) => {
                if let Some(inner) = self.magnitude_of(x) {
                    return self.pure(pure, arith, of, vec![inner], scalar);
                }
            }
            (Pure::Rsq | Pure::Log2, &[x]) if nv20 => {
                if let Some(inner) = self.magnitude_of(x) {
                    return self.pure(pure, arith, of, vec![inner], scalar);
                }
            }
            (Pure::Mul, &[x, y]) if single => return self.product(arith, x, y, free),
            (Pure::Rcp, &[x]) if free => {
                if let Some(&[inner]) = self.args_of(x, Pure::Neg) {
                    let positive = self.pure(pure, arith, of, vec![inner], scalar)?;
                    return self.neg(positive);
                }
            }
            (Pure::Add, &[x, y]) if free && !arith.flush => {
                if let Some(of) = self.without_zero(x, y) {
                    return Some(of);
                }
                if let Some(floor) = self.floor_of(x, y) {
                    return self.pure(Pure::Floor, arith, of, vec![floor], scalar);
                }
            }
            (Pure::Floor | Pure::Ceil | Pure::Trunc | Pure::RoundEven, &[x])
                if single && !arith.flush && self.is_whole(x) =>
            {
                return Some(x);
            }
            (Pure::Saturate, &[x]) if single => {
                let (one, zero) = (self.float(ONE)?, self.float(0)?);
                let above = self.pure(Pure::Max, arith, of, vec![zero, x], scalar)?;
                return self.pure(Pure::Min, arith, of, vec![above, one], scalar);
            }
            (Pure::Min | Pure::Max, &[x, y]) if nv20 => {
                let opposite = |a, b| self.args_of(a, Pure::Neg) == Some(&[b]);
                let inner = if opposite(x, y) { Some(y) } else { opposite(y, x).then_some(x) };
                if let Some(inner) = inner {
                    let size = self.pure(Pure::Abs, Arith::IEEE, of, vec![inner], scalar)?;
                    return if pure == Pure::Max { Some(size) } else { self.neg(size) };
                }
            }
            (Pure::Ne, &[x, y]) => {
                let same = self.pure(Pure::Eq, arith, of, vec![x, y], scalar)?;
                return self.not(same);
            }
            (Pure::Lt | Pure::Ge, &[x, y]) => {
                if let Some((x, y)) = if single { self.turned(x, y) } else { None } {
                    return self.pure(pure, arith, of, vec![x, y], scalar);
                }
                let ordered = match of {
                    Scalar::F32 => nv20 || (self.is_number(x, DEPTH) && self.is_number(y, DEPTH)),
                    Scalar::F64 => false,
                    _ => true,
                };
                if pure == Pure::Lt && ordered {
                    let not_below = self.pure(Pure::Ge, arith, of, vec![x, y], scalar)?;
                    return self.not(not_below);
                }
            }
            _ => {}
        }
        let turns = match pure {
            Pure::Add | Pure::Mul | Pure::Eq | Pure::And | Pure::Or | Pure::Xor | Pure::Fma => true,
            // Of two zeros a minimum gives the first one, where the order of the bits does not tell them apart.
            Pure::Min | Pure::Max => {
                let normal = |id: Id| self.known(id).is_some_and(|bits| f32::from_bits(bits).is_normal());
                nv20 || !matches!(of, Scalar::F32 | Scalar::F64)
                    || (single && ids.iter().any(|&id| normal(id)))
            }
            _ => false,
        };
        if turns {
            if let Some(first) = ids.get_mut(..2) {
                first.sort_unstable();
            }
        }
        self.number(Key::Pure(pure as u8, arithmetic(arith), code(of), ids), scalar)
    }

    /// The arguments for both outcomes of a condition, if each is a constant or a choice of two constants by that condition.
    fn constant_choices(&self, pure: Pure, ids: &[Id]) -> Option<(Id, [Vec<Id>; 2])> {
        // A choice has rules of its own.
        if pure == Pure::Select {
            return None;
        }
        let mut by = None;
        let mut arms = [Vec::new(), Vec::new()];
        for &id in ids {
            let (x, y) = match *self.key(id)? {
                Key::Const(..) => (id, id),
                Key::Either(cond, x, y) if by.is_none_or(|by| by == cond) => {
                    by = Some(cond);
                    (x, y)
                }
                _ => return None,
            };
            self.constant(x).and(self.constant(y))?;
            arms[0].push(x);
            arms[1].push(y);
        }
        Some((by?, arms))
    }

    /// What an expression is the negative or the magnitude of.
    fn magnitude_of(&self, id: Id) -> Option<Id> {
        let inner = self.args_of(id, Pure::Neg).or_else(|| self.args_of(id, Pure::Abs))?;
        inner.first().copied()
    }

    /// The factors of a product in order, without their signs, and whether it has one.
    fn factors(&mut self, x: Id, y: Id) -> Option<([Id; 2], bool)> {
        let ((x, a), (y, b)) = (self.unsigned(x)?, self.unsigned(y)?);
        Some(([x.min(y), x.max(y)], a != b))
    }

    /// The same with the sign at the first factor.
    fn signed_factors(&mut self, x: Id, y: Id) -> Option<[Id; 2]> {
        let ([x, y], negative) = self.factors(x, y)?;
        Some([if negative { self.neg(x)? } else { x }, y])
    }

    fn product(&mut self, arith: Arith, x: Id, y: Id, free: bool) -> Option<Id> {
        let mul = |ids: Vec<Id>| Key::Pure(Pure::Mul as u8, arithmetic(arith), code(Scalar::F32), ids);
        if !free {
            let factors = self.signed_factors(x, y)?;
            return self.number(mul(factors.to_vec()), Scalar::F32);
        }
        let (factors, negative) = self.factors(x, y)?;
        let [x, y] = factors;
        let product = match [self.known(x), self.known(y)] {
            [Some(ONE), _] if !arith.flush => y,
            [_, Some(ONE)] if !arith.flush => x,
            _ => self.number(mul(factors.to_vec()), Scalar::F32)?,
        };
        if negative { self.neg(product) } else { Some(product) }
    }

    /// The other one of two terms, if one is -0.
    fn without_zero(&self, x: Id, y: Id) -> Option<Id> {
        match [self.known(x), self.known(y)] {
            [Some(SIGN), _] => Some(y),
            [_, Some(SIGN)] => Some(x),
            _ => None,
        }
    }

    /// What a sum is the floor of: `x + -fract x`, where x is finite.
    fn floor_of(&self, x: Id, y: Id) -> Option<Id> {
        let is = |whole: Id, part: Id| {
            let &[fract] = self.args_of(part, Pure::Neg)? else { return None };
            let of = Key::Pure(Pure::Fract as u8, arithmetic(Arith::IEEE), code(Scalar::F32), vec![whole]);
            (self.key(fract) == Some(&of) && self.is_finite(whole)).then_some(whole)
        };
        is(x, y).or_else(|| is(y, x))
    }

    /// The operands of a comparison exchanged and without their signs, if at least one is a negative, and the other, too, or a
    /// known number.
    fn turned(&mut self, x: Id, y: Id) -> Option<(Id, Id)> {
        let negative = |of: &Self, id: Id| of.args_of(id, Pure::Neg).is_some();
        let flips = |of: &Self, id: Id| negative(of, id) || of.known(id).is_some();
        if (negative(self, x) || negative(self, y)) && flips(self, x) && flips(self, y) {
            return Some((self.neg(y)?, self.neg(x)?));
        }
        None
    }

    /// An operation that makes one lane of several.
    pub(super) fn reduce(
        &mut self,
        pure: Pure,
        arith: Arith,
        of: Scalar,
        args: &[Vec<Id>],
        scalar: Scalar,
    ) -> Option<Id> {
        let nv20 = of == Scalar::F32 && arith.rule == Rule::Nv20;
        if of == Scalar::F32 && !nv20 {
            // One after another, each rounded.
            let terms: Vec<Id> = match (args, pure) {
                ([x, y], Pure::Dot) => {
                    let each = x.iter().zip(y);
                    let each = each.map(|(&x, &y)| self.pure(Pure::Mul, arith, of, vec![x, y], scalar));
                    each.collect::<Option<Vec<Id>>>()?
                }
                ([x], Pure::Sum) if x.len() > 1 => x.clone(),
                _ => Vec::new(),
            };
            if let Some((&first, rest)) = terms.split_first() {
                return rest
                    .iter()
                    .try_fold(first, |sum, &term| self.pure(Pure::Add, arith, of, vec![sum, term], scalar));
            }
        }
        if let (Pure::Any | Pure::All, [conditions]) = (pure, args) {
            let mut all = conditions.clone();
            all.sort_unstable();
            all.dedup();
            if let [one] = all[..] {
                return Some(one);
            }
            let terms = all.into_iter().map(|id| vec![id]).collect();
            return self.number(Key::Reduce(pure as u8, arithmetic(Arith::IEEE), code(of), terms), scalar);
        }
        // A sum of products is the same whichever factor comes first; the order of the terms counts.
        // Under nv20 it is one operation, in which no order counts.
        let mut terms: Vec<Vec<Id>> = match (args, pure) {
            ([x, y], Pure::Dot) if nv20 => {
                let each = x.iter().zip(y).map(|(&x, &y)| Some(self.signed_factors(x, y)?.to_vec()));
                each.collect::<Option<Vec<Vec<Id>>>>()?
            }
            ([x, y], Pure::Dot) => x.iter().zip(y).map(|(&x, &y)| vec![x.min(y), x.max(y)]).collect(),
            ([x], _) => x.iter().map(|&x| vec![x]).collect(),
            _ => args.to_vec(),
        };
        if nv20 {
            terms.sort_unstable();
        }
        let arith = arith.concerning(Op::Pure(pure), of);
        self.number(Key::Reduce(pure as u8, arithmetic(arith), code(of), terms), scalar)
    }
}

/// How deep a look for what can be NaN goes.
const DEPTH: usize = 8;

pub(super) const fn code(scalar: Scalar) -> u8 {
    scalar as u8
}

pub(super) const fn arithmetic(arith: Arith) -> Arithmetic {
    (arith.rule as u8, arith.flush)
}

#[cfg(test)]
mod tests {
    use super::super::interface::Matched;
    use super::*;
    use alloc::format;
    use alloc::string::ToString as _;
    use vecasm_exec::runfile::SplitMix;

    /// Equal expressions (`=`) get one number and are the same for all numbers; for those that are not (`#`) some
    /// numbers show it. In front stands the arithmetic, with `finite` where the range is that.
    const PAIRS: &str = "
        ieee mul(a,b) = mul(b,a)
        ieee mul(neg(a),b) = neg(mul(a,b))
        ieee mul(neg(a),neg(b)) = mul(b,a)
        ieee mul(a,-2) = neg(mul(a,2))
        ieee mul(a,1) = a
        ieee mul(neg(a),1) = neg(a)
        ieee mul(a,-1) = neg(a)
        ieee add(a,-0) = a
        ieee sub(a,0) = a
        ieee add(a,0) # a
        ieee sub(a,b) = add(a,neg(b))
        ieee sub(a,neg(b)) = add(b,a)
        ieee neg(add(a,b)) # sub(neg(a),b)
        ieee add(add(a,b),c) # add(a,add(b,c))
        ieee mul(mul(a,b),c) # mul(a,mul(b,c))
        ieee min(a,b) # min(b,a)
        ieee min(a,2) = min(2,a)
        ieee max(a,0) # max(0,a)
        ieee max(a,neg(a)) # abs(a)
        ieee sat(a) = min(max(0,a),1)
        ieee sat(a) = min(1,max(0,a))
        ieee sat(a) # min(max(a,0),1)
        ieee rcp(neg(a)) = neg(rcp(a))
        ieee rsq(abs(a)) # rsq(a)
        ieee rsq(abs(add(mul(a,a),mul(b,b)))) = rsq(add(mul(b,b),mul(a,a)))
        ieee abs(mul(a,b)) # mul(a,b)
        zero_wins abs(mul(abs(a),mul(b,b))) = mul(mul(b,b),abs(a))
        ieee abs(neg(a)) = abs(a)
        ieee abs(abs(neg(a))) = abs(a)
        ieee neg(neg(a)) = a
        ieee select(not(lt(a,b)),c,d) = select(lt(a,b),d,c)
        ieee select(lt(a,0),b,c) # select(ge(a,0),c,b)
        ieee select(lt(neg(a),0),b,c) = select(lt(-0,a),b,c)
        ieee select(ne(a,b),c,d) = select(eq(b,a),d,c)
        ieee select(ge(neg(a),neg(b)),c,d) = select(ge(b,a),c,d)
        ieee dot3(a,b,c,d) = add(add(mul(a,b),mul(b,c)),mul(c,d))
        ieee dot3(a,b,c,d) # add(mul(a,b),add(mul(b,c),mul(c,d)))
        ieee sum3(a,b,c) = add(c,add(b,a))
        ieee floor(floor(a)) = floor(a)
        ieee round(floor(a)) = floor(a)
        ieee sub(a,fract(a)) # floor(a)
        ieee-finite sub(a,fract(a)) = floor(a)
        ieee-finite select(lt(a,0),b,c) = select(ge(a,0),c,b)
        ieee-finite select(lt(add(a,b),0),b,c) = select(ge(sub(b,neg(a)),0),c,b)
        ieee-finite select(lt(mul(a,b),c),b,c) = select(ge(mul(b,a),c),c,b)
        ieee-finite select(lt(sub(mul(a,b),mul(c,d)),0),b,c) # select(ge(sub(mul(a,b),mul(c,d)),0),c,b)
        zero_wins-finite select(lt(neg(a),abs(b)),b,c) = select(ge(neg(a),abs(b)),c,b)
        zero_wins mul(neg(a),b) = mul(a,neg(b))
        zero_wins mul(neg(a),b) # neg(mul(a,b))
        zero_wins mul(a,1) # a
        zero_wins dot2(neg(a),b,c,d) = add(mul(a,neg(b)),mul(c,b))
        nv20 mul(neg(a),b) = mul(a,neg(b))
        nv20 mul(neg(a),b) # neg(mul(a,b))
        nv20 mul(a,1) # a
        nv20 sub(a,b) = add(a,neg(b))
        nv20 min(a,b) = min(b,a)
        nv20 max(a,neg(a)) = abs(a)
        nv20 min(neg(a),a) = neg(abs(a))
        nv20 sat(a) = min(max(a,0),1)
        nv20 rsq(abs(a)) = rsq(a)
        nv20 log2(neg(a)) = log2(a)
        nv20 exponent(abs(a)) = exponent(neg(a))
        nv20 select(lt(a,b),c,d) = select(ge(a,b),d,c)
        nv20 select(lt(neg(a),neg(b)),c,d) = select(lt(b,a),c,d)
        nv20 select(lt(neg(a),0),c,d) = select(lt(-0,a),c,d)
        nv20 dot3(a,b,c,d) = dot3(neg(a),neg(b),neg(c),neg(d))
        nv20 dot3(a,b,c,d) # add(add(mul(a,b),mul(b,c)),mul(c,d))
        nv20 number(lt(a,b)) = select(lt(a,b),1,0)
        ieee ne(select(lt(a,b),1,0),0) = lt(a,b)
        ieee eq(number(lt(a,b)),0) = not(lt(a,b))
        ieee ne(number(ge(a,b)),neg(number(ge(a,b)))) = ge(a,b)
        ieee select(lt(neg(number(lt(a,b))),0),c,d) = select(lt(a,b),c,d)
        zero_wins add(1,neg(number(lt(a,b)))) = select(lt(a,b),0,1)
        ieee mul(number(lt(a,b)),c) # select(lt(a,b),c,0)
        ieee mul(number(lt(a,b)),number(lt(b,a))) # select(lt(a,b),number(lt(b,a)),1)
    ";

    /// Numbers that rules stumble over.
    const SPECIAL: [u32; 16] = [
        0,
        SIGN,
        ONE,
        ONE | SIGN,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0xffc0_0001,
        1,
        0x8000_0001,
        0x007f_ffff,
        0x0080_0000,
        0x7f7f_ffff,
        0xff7f_ffff,
        0x3f7f_ffff,
        0xb380_0000,
    ];

    #[derive(Clone, Debug)]
    enum Tree {
        Leaf(u8),
        Const(u32),
        Op(Pure, Vec<Tree>),
        /// A dot product or a sum of so many lanes: each lane its arguments.
        Reduce(Pure, Vec<Vec<Tree>>),
    }

    fn scalar_of(pure: Pure) -> Scalar {
        if pure == Pure::Not || pure == Pure::ToF32 { Scalar::Bool } else { Scalar::F32 }
    }

    fn arith_of(pure: Pure, arith: Arith, of: Scalar) -> Arith {
        let undefined = arith.rule == Rule::Nv20 && !pure.has_nv20();
        if undefined { Arith::IEEE } else { arith.concerning(Op::Pure(pure), of) }
    }

    impl Tree {
        fn eval(&self, arith: Arith, leaves: &[u32; 4]) -> u32 {
            match self {
                Self::Leaf(n) => leaves[usize::from(*n)],
                Self::Const(bits) => *bits,
                Self::Op(pure, args) => {
                    let mut values = [0; 4];
                    values.iter_mut().zip(args).for_each(|(to, tree)| *to = tree.eval(arith, leaves));
                    let of = scalar_of(*pure);
                    pure.eval(of, arith_of(*pure, arith, of), values)
                }
                Self::Reduce(pure, lanes) => {
                    let mut values = [[0; 4]; 2];
                    for (lane, args) in lanes.iter().enumerate() {
                        for (n, tree) in args.iter().enumerate() {
                            values[n][lane] = tree.eval(arith, leaves);
                        }
                    }
                    pure.eval_reduce(Scalar::F32, arith, values[0], values[1], lanes.len())
                }
            }
        }

        fn number(&self, forms: &mut Forms, arith: Arith) -> Id {
            match self {
                Self::Leaf(n) => forms.number(Key::Input(0, *n), Scalar::F32),
                Self::Const(bits) => forms.float(*bits),
                Self::Op(pure, args) => {
                    let ids = args.iter().map(|tree| tree.number(forms, arith)).collect();
                    let (of, result) = (scalar_of(*pure), pure.result());
                    let compares = matches!(pure, Pure::Lt | Pure::Ge | Pure::Eq | Pure::Ne | Pure::Not);
                    let scalar = if compares { Scalar::Bool } else { Scalar::F32 };
                    assert!(
                        result == vecasm_ir::ir::op::Slot::T || result == vecasm_ir::ir::op::Slot::Is(scalar)
                    );
                    forms.pure(*pure, arith_of(*pure, arith, of), of, ids, scalar)
                }
                Self::Reduce(pure, lanes) => {
                    let arity = pure.arity();
                    let mut args = vec![Vec::new(); arity];
                    for lane in lanes {
                        for (n, tree) in lane.iter().enumerate() {
                            args[n].push(tree.number(forms, arith));
                        }
                    }
                    forms.reduce(*pure, arith, Scalar::F32, &args, Scalar::F32)
                }
            }
            .expect("there are few expressions")
        }

        fn random(random: &mut SplitMix, arith: Arith, depth: usize) -> Self {
            use Pure::{
                Abs, Add, Exponent, Floor, Fract, Log2, Mantissa, Max, Min, Mul, Neg, Rcp, RoundEven, Rsq,
                Saturate, Sub,
            };
            if depth == 0 || random.below(8) == 0 {
                return match random.below(3) {
                    0 => Self::Const(SPECIAL[random.below(16) as usize]),
                    _ => Self::Leaf(random.below(4) as u8),
                };
            }
            let inner = |random: &mut SplitMix| Self::random(random, arith, depth - 1);
            match random.below(24) {
                0..=1 => {
                    let cond = Self::condition(random, arith, depth - 1);
                    Self::Op(Pure::Select, vec![cond, inner(random), inner(random)])
                }
                2 => Self::Op(Pure::ToF32, vec![Self::condition(random, arith, depth - 1)]),
                3 => {
                    let lanes = 2 + random.below(3);
                    let lanes = (0..lanes).map(|_| vec![inner(random), inner(random)]);
                    Self::Reduce(Pure::Dot, lanes.collect())
                }
                4 => {
                    let lanes = 2 + random.below(3);
                    let lanes = (0..lanes).map(|_| vec![inner(random)]);
                    Self::Reduce(Pure::Sum, lanes.collect())
                }
                n => {
                    let all = [
                        Neg, Neg, Neg, Abs, Mul, Mul, Mul, Add, Add, Sub, Min, Max, Saturate, Rcp, Rsq, Log2,
                        Exponent, Mantissa, Fract, Floor, RoundEven,
                    ];
                    let pure = all[(n as usize + random.below(2) as usize) % all.len()];
                    let args = (0..pure.arity()).map(|_| inner(random));
                    Self::Op(pure, args.collect())
                }
            }
        }

        fn condition(random: &mut SplitMix, arith: Arith, depth: usize) -> Self {
            let pure = [Pure::Lt, Pure::Ge, Pure::Eq, Pure::Ne, Pure::Not][random.below(5) as usize];
            if pure == Pure::Not && depth > 0 {
                return Self::Op(pure, vec![Self::condition(random, arith, depth - 1)]);
            }
            let pure = if pure == Pure::Not { Pure::Lt } else { pure };
            let mut inner = || Self::random(random, arith, depth.saturating_sub(1));
            Self::Op(pure, vec![inner(), inner()])
        }

        fn parse(text: &str) -> Self {
            let Some((name, rest)) = text.split_once('(') else {
                let leaf = ["a", "b", "c", "d"].iter().position(|name| *name == text);
                let number = || text.parse::<f32>().expect("a number").to_bits();
                return leaf.map_or_else(|| Self::Const(number()), |n| Self::Leaf(n as u8));
            };
            let (mut depth, mut args, mut from) = (0, Vec::new(), 0);
            let rest = rest.strip_suffix(')').expect("a bracket is closed");
            for (at, c) in rest.char_indices().chain([(rest.len(), ',')]) {
                match c {
                    '(' => depth += 1,
                    ')' => depth -= 1,
                    ',' if depth == 0 => {
                        args.push(Self::parse(&rest[from..at]));
                        from = at + 1;
                    }
                    _ => {}
                }
            }
            match name {
                // Of a, b, c, d: a·b + b·c + c·d.
                "dot2" | "dot3" => {
                    let lanes = if name == "dot2" { 2 } else { 3 };
                    let pairs = args.windows(2).take(lanes).map(<[Self]>::to_vec).collect();
                    Self::Reduce(Pure::Dot, pairs)
                }
                "sum3" => Self::Reduce(Pure::Sum, args.into_iter().map(|tree| vec![tree]).collect()),
                "number" => Self::Op(Pure::ToF32, args),
                name => Self::Op(Pure::named(name).expect("an operation"), args),
            }
        }
    }

    impl Forms {
        fn eval(&self, id: Id, leaves: &[u32; 4]) -> u32 {
            let of = |id: Id| self.eval(id, leaves);
            match self.key(id).expect("it has a number") {
                Key::Const(_, bits) => *bits as u32,
                Key::Input(_, n) => leaves[usize::from(*n)],
                Key::Either(cond, x, y) => of(if of(*cond) != 0 { *x } else { *y }),
                Key::Pure(pure, (rule, flush), scalar, args) => {
                    let arith = Arith { rule: Rule::ALL[usize::from(*rule)], flush: *flush, precise: false };
                    let mut values = [0; 4];
                    values.iter_mut().zip(args).for_each(|(to, id)| *to = of(*id));
                    Pure::ALL[usize::from(*pure)].eval(Scalar::ALL[usize::from(*scalar)], arith, values)
                }
                Key::Reduce(pure, (rule, flush), scalar, terms) => {
                    let arith = Arith { rule: Rule::ALL[usize::from(*rule)], flush: *flush, precise: false };
                    let mut values = [[0; 4]; 2];
                    for (lane, term) in terms.iter().enumerate() {
                        term.iter().enumerate().for_each(|(n, id)| values[n][lane] = of(*id));
                    }
                    let scalar = Scalar::ALL[usize::from(*scalar)];
                    Pure::ALL[usize::from(*pure)].eval_reduce(
                        scalar,
                        arith,
                        values[0],
                        values[1],
                        terms.len(),
                    )
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn forms(range: Range, loose: bool) -> Forms {
        let input = Matched {
            name: "a".into(),
            ids: [Some(0), Some(0)],
            scalar: Scalar::F32,
            lanes: 15,
            fixed: None,
            ordinary: true,
        };
        let mut interface = Interface::default();
        interface.inputs.push(input);
        Forms::new(&interface, range, loose)
    }

    fn leaves(random: &mut SplitMix, range: Range) -> [u32; 4] {
        core::array::from_fn(|_| {
            let bits = match random.below(4) {
                0 | 1 => SPECIAL[random.below(16) as usize],
                2 => random.next() as u32,
                _ => random.ordinary(),
            };
            range.drawn(bits)
        })
    }

    /// Whether two results are the same where NaN is told apart, or is not.
    fn same(x: u32, y: u32, loose: bool) -> bool {
        x == y || (loose && f32::from_bits(x).is_nan() && f32::from_bits(y).is_nan())
    }

    const TRIES: usize = 20_000;

    #[test]
    fn rules_hold_and_do_not_hold_where_the_table_says() {
        for line in PAIRS.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let words: Vec<&str> = line.split(' ').collect();
            let &[how, left, sign, right] = &words[..] else { panic!("{line}") };
            let (rule, range) =
                how.split_once('-').map_or((how, Range::Any), |(rule, _)| (rule, Range::Finite));
            let arith = Arith { rule: Rule::named(rule).expect("a rule"), ..Arith::IEEE };
            let loose = arith.rule != Rule::Nv20;
            let [left, right] = [left, right].map(Tree::parse);
            let mut forms = forms(range, loose);
            let [x, y] = [&left, &right].map(|tree| tree.number(&mut forms, arith));
            let mut random = SplitMix::new(1);
            let witness = (0..TRIES).find_map(|_| {
                let leaves = leaves(&mut random, range);
                let [x, y] = [&left, &right].map(|tree| tree.eval(arith, &leaves));
                (!same(x, y, loose)).then(|| format!("{leaves:x?}: {x:x} and {y:x}"))
            });
            assert_eq!((sign == "=", witness.is_none()), (x == y, x == y), "{line} {witness:?}");
        }
    }

    #[test]
    fn one_form_has_the_bits_of_the_expression() {
        let mut random = SplitMix::new(7);
        let ariths = [
            Arith::IEEE,
            Arith::ZERO_WINS,
            Arith::NV20,
            Arith { flush: true, ..Arith::IEEE },
            Arith { flush: true, ..Arith::ZERO_WINS },
        ];
        for round in 0..TRIES {
            let arith = ariths[round % ariths.len()];
            let range = [Range::Any, Range::Finite, Range::Unit][random.below(3) as usize];
            let loose = arith.rule != Rule::Nv20 && random.below(2) == 0;
            let tree = Tree::random(&mut random, arith, 4);
            // What is compared by bits: nothing of IEEE 754 among nv20.
            let mut forms = forms(range, loose);
            let id = tree.number(&mut forms, arith);
            for _ in 0..24 {
                let leaves = leaves(&mut random, range);
                let (wanted, got) = (tree.eval(arith, &leaves), forms.eval(id, &leaves));
                let what =
                    || format!("{arith:?} {range:?} {tree:?} {leaves:x?}\n{:?}", forms.keys).to_string();
                assert!(same(wanted, got, loose), "{wanted:x} {got:x} {}", what());
            }
        }
    }
}
