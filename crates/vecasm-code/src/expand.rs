//! Operations that a target lacks, as several that it may have.

use crate::graph::{Action, Def, LaneId, Reader};
use crate::machine::{Loops, Truth};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arith, Pure, Rule, Scalar};

impl Reader<'_, '_> {
    /// Several operations for one; nothing if it is left as it is.
    pub(crate) fn expand(
        &mut self,
        op: Pure,
        arith: Arith,
        scalar: Scalar,
        of: &[Vec<LaneId>],
        actions: &mut Vec<Action>,
    ) -> Option<Vec<LaneId>> {
        let read_by = self.reader.take();
        let mut e = Expression { reader: self, arith, actions };
        if op == Pure::Sum {
            let (first, rest) = of.first()?.split_first()?;
            return Some(rest.iter().fold(vec![*first], |sum, &lane| e.op(Pure::Add, &[sum, vec![lane]])));
        }
        if let (Pure::All | Pure::Any, Truth::Mask, [x]) = (op, e.reader.machine.truth, of) {
            // A discard asks for the parts.
            if op == Pure::Any && x.iter().all(|&test| is_below_zero(&e.reader.graph, test)) {
                return None;
            }
            let mut x = x.clone();
            x.dedup();
            let join = if op == Pure::All { Pure::And } else { Pure::Or };
            let mut lanes = x.iter().map(|&lane| vec![lane]);
            let first = lanes.next()?;
            return Some(lanes.fold(first, |all, lane| {
                e.reader.each(join, Arith::IEEE, Scalar::Bool, Scalar::Bool, &[all, lane], e.actions)
            }));
        }
        if let (Pure::Sub, Truth::Mask, Scalar::I32 | Scalar::U32, [a, b]) =
            (op, e.reader.machine.truth, scalar, of)
        {
            // There is a sum of integers, and a sign, which a number takes at once.
            let minus: Vec<LaneId> = b
                .iter()
                .map(|&lane| match e.reader.graph.number(lane) {
                    Some(bits) => e.reader.number(bits.wrapping_neg(), scalar),
                    None => {
                        let of = [vec![lane]];
                        e.reader.each(Pure::Neg, Arith::IEEE, Scalar::I32, scalar, &of, e.actions)[0]
                    }
                })
                .collect();
            return Some(e.reader.each(
                Pure::Add,
                Arith::IEEE,
                scalar,
                scalar,
                &[a.clone(), minus],
                e.actions,
            ));
        }
        if e.reader.machine.truth == Truth::Mask {
            return None;
        }
        // What takes magnitudes takes this one.
        if let (
            Pure::Abs,
            Some(by @ (Pure::Rsq | Pure::Log2 | Pure::Exponent | Pure::Mantissa)),
            Rule::ZeroWins,
        ) = (op, read_by, e.reader.machine.rule)
        {
            if e.reader.machine.says(by) {
                return None;
            }
        }
        if scalar == Scalar::F32 && !e.reader.machine.says(op) {
            if let Some(result) = e.lacking(op, of) {
                return Some(result);
            }
        }
        match (op, scalar, of) {
            // What loads an index rounds it.
            (Pure::ToI32, Scalar::F32, [x]) if e.reader.machine.quirks.rounds_indices => {
                let rounded = |lane: &LaneId| {
                    e.reader.whole_numbers.contains(lane)
                        || matches!(e.reader.graph.operation(*lane), Some((Pure::RoundEven, _)))
                };
                if x.iter().all(rounded) {
                    return None;
                }
                // Below zero there is nothing to index.
                let differs = "indices below zero, and those that are no numbers";
                e.reader.weaken(op, differs);
                let whole = e.floor(x);
                Some(e.reader.each(op, arith, scalar, Scalar::I32, &[whole], e.actions))
            }
            (Pure::ToF32, Scalar::Bool, [x]) => Some(x.clone()),
            // The number of the instance is a float there.
            (Pure::ToF32, Scalar::U32, [x]) if x.iter().all(|&lane| e.is_input(lane)) => Some(x.clone()),
            (Pure::And, Scalar::Bool, [a, b]) => Some(e.op(Pure::Mul, &[a.clone(), b.clone()])),
            (Pure::Or, Scalar::Bool, [a, b]) => Some(e.op(Pure::Max, &[a.clone(), b.clone()])),
            (Pure::Not, Scalar::Bool, [a]) => Some(e.complement(a)),
            (Pure::Eq | Pure::Ne, Scalar::Bool, [a, b]) => Some(e.op(op, &[a.clone(), b.clone()])),
            (Pure::Xor, Scalar::Bool, [a, b]) => Some(e.op(Pure::Ne, &[a.clone(), b.clone()])),
            (Pure::All, Scalar::Bool, [x]) => Some(e.chain(Pure::Min, x)),
            (Pure::Any, Scalar::Bool, [x]) => Some(e.chain(Pure::Max, x)),
            // Angles are brought between -π and π.
            (Pure::Sin | Pure::Cos, Scalar::F32, [x])
                if e.reader.machine.quirks.reduces_angles && e.reader.machine.says(op) =>
            {
                e.reader.weaken(op, "rounding of the angle");
                let turns = e.same(core::f32::consts::FRAC_1_PI / 2.0, x.len());
                let half = e.same(0.5, x.len());
                let full = e.same(core::f32::consts::TAU, x.len());
                let minus = e.same(-core::f32::consts::PI, x.len());
                let turns = e.op(Pure::Mul, &[x.clone(), turns]);
                let turns = e.op(Pure::Add, &[turns, half]);
                let part = e.op(Pure::Fract, &[turns]);
                let angle = e.op(Pure::Mul, &[part, full]);
                let angle = e.op(Pure::Add, &[angle, minus]);
                Some(e.plain(op, &[angle]))
            }
            (Pure::Select, Scalar::F32, [c, a, b]) if e.reader.machine.chooses() => Some(e.choice(c, a, b)),
            (Pure::Select, Scalar::F32, [c, a, b]) => {
                let known = |e: &mut Expression<'_, '_, '_>| -> Option<Vec<LaneId>> {
                    let condition = |n: usize| c.get(n).or(c.first()).copied();
                    let lanes = a.iter().zip(b).enumerate();
                    lanes.map(|(n, (&a, &b))| e.reader.definition(condition(n)?, a, b)).collect()
                };
                if e.reader.machine.index.is_some() {
                    if let Some(result) = known(&mut e) {
                        return Some(result);
                    }
                }
                if let Some(result) = e.bounded_roots(c, a, b) {
                    return Some(result);
                }
                let c = &e.decided(c);
                // A product with 0 or 1 is what it should be if the other factor is an ordinary number.
                if !a.iter().chain(b).all(|&lane| e.is_ordinary(lane)) {
                    e.reader.weaken(op, "infinities, NaN and the signs of zeros");
                }
                Some(e.select(c, a, b))
            }
            // What loads an index does it.
            (Pure::Floor | Pure::RoundEven, Scalar::F32, [_])
                if read_by == Some(Pure::ToI32)
                    && e.reader.machine.index.is_some()
                    && (op == Pure::RoundEven || !e.reader.machine.quirks.rounds_indices) =>
            {
                None
            }
            (Pure::ToI32, Scalar::F32, [x])
                if e.reader.machine.index.is_some() && x.iter().any(|&lane| e.is(lane, Pure::RoundEven)) =>
            {
                e.reader.weaken(Pure::RoundEven, "halves");
                let half = e.same(0.5, x.len());
                let inner: Vec<LaneId> = x
                    .iter()
                    .map(|&lane| match e.reader.graph.operation(lane) {
                        Some((Pure::RoundEven, &[inner])) => inner,
                        _ => lane,
                    })
                    .collect();
                let sum = e.op(Pure::Add, &[inner, half]);
                let floor = e.plain(Pure::Floor, &[sum]);
                let of = [floor];
                Some(e.reader.each(op, Arith::IEEE, scalar, Scalar::I32, &of, e.actions))
            }
            // The reciprocal of a root is one operation.
            (Pure::Sqrt, Scalar::F32, [_])
                if read_by == Some(Pure::Rcp) || e.reader.machine.says(Pure::Sqrt) =>
            {
                None
            }
            (Pure::Sqrt, Scalar::F32, [x]) => {
                let signed = x.iter().any(|&lane| !e.reader.graph.is_positive(lane));
                e.reader.weaken(op, if signed { "rounding, and numbers below zero" } else { "rounding" });
                let magnitude = e.op(Pure::Abs, core::slice::from_ref(x));
                let inverse = e.op(Pure::Rsq, &[magnitude]);
                Some(e.op(Pure::Rcp, &[inverse]))
            }
            (Pure::Div, Scalar::F32, [a, b]) if !e.reader.machine.says(op) => {
                e.reader.weaken(op, "rounding, infinities and zeros divided by zero");
                let numbers: Option<Vec<u32>> = b.iter().map(|&lane| e.reader.graph.number(lane)).collect();
                let inverse = match numbers {
                    Some(numbers) => {
                        numbers.iter().map(|bits| e.reader.literal(1.0 / f32::from_bits(*bits))).collect()
                    }
                    None => e.op(Pure::Rcp, core::slice::from_ref(b)),
                };
                Some(e.op(Pure::Mul, &[a.clone(), inverse]))
            }
            (Pure::Pow, Scalar::F32, [a, b]) if !e.reader.machine.says(op) => {
                e.reader.weaken(op, "rounding, and infinities");
                let logarithm = e.logarithm(a);
                let product = e.op(Pure::Mul, &[b.clone(), logarithm]);
                Some(e.op(Pure::Exp2, &[product]))
            }
            (Pure::Saturate, Scalar::F32, [x])
                if !e.reader.machine.modifiers.saturate && !e.reader.machine.says(op) =>
            {
                let [zero, one] = [0.0, 1.0].map(|limit| e.same(limit, x.len()));
                let least = e.op(Pure::Max, &[zero, x.clone()]);
                Some(e.op(Pure::Min, &[least, one]))
            }
            // What a choice asks for may be which element of an array it is, or whether there is an inverse.
            (Pure::Eq | Pure::Ne, Scalar::I32 | Scalar::F32, [_, _])
                if read_by == Some(Pure::Select)
                    && e.reader.machine.index.is_some()
                    && !e.reader.machine.says(op) =>
            {
                None
            }
            (Pure::Eq, Scalar::F32, [a, b]) if !e.reader.machine.says(op) => Some(e.equal(a, b)),
            (Pure::Ne, Scalar::F32, [a, b]) if !e.reader.machine.says(op) => {
                let equal = e.equal(a, b);
                Some(e.complement(&equal))
            }
            (Pure::Sin | Pure::Cos, Scalar::F32, [x]) if !e.reader.machine.says(op) => {
                e.reader.weaken(op, "the last bits, and large numbers");
                Some(e.wave(op, x))
            }
            (Pure::Floor, Scalar::F32, [x]) => {
                e.reader.weaken(op, "infinities");
                Some(e.floor(x))
            }
            (Pure::Ceil, Scalar::F32, [x]) => {
                e.reader.weaken(op, "infinities and the signs of zeros");
                let minus = e.op(Pure::Neg, core::slice::from_ref(x));
                let floor = e.floor(&minus);
                Some(e.op(Pure::Neg, &[floor]))
            }
            (Pure::Exp2Floor, Scalar::F32, [x]) if !e.reader.machine.says(op) => {
                e.reader.weaken(op, "infinities");
                let floor = e.floor(x);
                Some(e.op(Pure::Exp2, &[floor]))
            }
            (Pure::Exponent, Scalar::F32, [x]) if !e.reader.machine.says(op) => {
                e.reader.weaken(op, "numbers next to powers of two, and infinities");
                let logarithm = e.logarithm(x);
                Some(e.floor(&logarithm))
            }
            (Pure::Mantissa, Scalar::F32, [x]) if !e.reader.machine.says(op) => {
                e.reader.weaken(op, "numbers next to powers of two, and infinities");
                let logarithm = e.logarithm(x);
                let floor = e.floor(&logarithm);
                let minus = e.op(Pure::Neg, &[floor]);
                let power = e.op(Pure::Exp2, &[minus]);
                let magnitude = e.op(Pure::Abs, core::slice::from_ref(x));
                Some(e.op(Pure::Mul, &[magnitude, power]))
            }
            (Pure::Trunc, Scalar::F32, [x]) => {
                e.reader.weaken(op, "infinities and the signs of zeros");
                Some(e.trunc(x))
            }
            // Where sums are truncated, nothing is rounded.
            (Pure::RoundEven, Scalar::F32, [x]) if e.reader.machine.rule == Rule::Nv20 => {
                e.reader.weaken(op, "halves");
                let half = e.same(0.5, x.len());
                let sum = e.op(Pure::Add, &[x.clone(), half]);
                Some(e.floor(&sum))
            }
            (Pure::RoundEven, Scalar::F32, [x]) => {
                // In sums with it a unit is the last place: they are rounded to it, halves to even numbers.
                e.reader.weaken(op, "magnitudes of more than 4194304");
                let unit = e.same(12_582_912.0, x.len());
                let sum = e.op(Pure::Add, &[x.clone(), unit.clone()]);
                let result = e.op(Pure::Sub, &[sum, unit]);
                e.reader.whole_numbers.extend(&result);
                Some(result)
            }
            (Pure::Rcc, Scalar::F32, [x]) if !e.reader.machine.says(op) => {
                e.reader.weaken(op, "NaN and negative zeros");
                let quotient = e.op(Pure::Rcp, core::slice::from_ref(x));
                let magnitude = e.op(Pure::Abs, &[quotient]);
                let [least, most] =
                    [0x1f80_0000, 0x5f80_0000].map(|bits| e.same(f32::from_bits(bits), x.len()));
                let magnitude = e.op(Pure::Max, &[magnitude, least]);
                let magnitude = e.op(Pure::Min, &[magnitude, most]);
                let sign = e.sign(x);
                Some(e.op(Pure::Mul, &[magnitude, sign]))
            }
            // Machines have it each with its own limits.
            (Pure::Lit, Scalar::F32, _)
                if e.reader.machine.says(op) && e.reader.machine.rule == Rule::ZeroWins =>
            {
                e.reader.weaken(op, "exponents beyond 127.9961, powers of zero and NaN");
                None
            }
            (Pure::Lit, Scalar::F32, [x, y, w]) if !e.reader.machine.says(op) => {
                e.reader.weaken(op, "infinities and NaN");
                let zero = e.same(0.0, y.len());
                let base = e.op(Pure::Max, &[y.clone(), zero]);
                let [least, most] = [-128.0, 128.0].map(|limit| e.same(limit, w.len()));
                let power = e.op(Pure::Max, &[w.clone(), least]);
                let power = e.op(Pure::Min, &[power, most]);
                let shine = e.op(Pure::Pow, &[base, power]);
                let zero = e.same(0.0, x.len());
                let lit = e.test(Pure::Lt, &zero, x);
                Some(e.op(Pure::Mul, &[shine, lit]))
            }
            // The sign bit of a float.
            (Pure::Lt | Pure::Ge, Scalar::I32, [a, b]) if e.asks_signs(a, b) => {
                e.reader.weaken(op, "NaN and negative zeros");
                let zero = e.same(0.0, a.len());
                Some(e.test(op, a, &zero))
            }
            // Whole numbers are floats there, in which those up to 2^24 differ.
            (Pure::Eq | Pure::Ne, Scalar::I32, [a, b]) => {
                let a: Vec<LaneId> = a.iter().map(|&lane| e.floored(lane)).collect();
                let numbers: Option<Vec<(LaneId, f32)>> =
                    a.iter().zip(b).map(|(&a, &b)| e.whole_number(a, b)).collect();
                let numbers = numbers?;
                if numbers.iter().any(|(_, number)| *number == 0.0) {
                    e.reader.weaken(op, "NaN");
                }
                let of: Vec<LaneId> = numbers.iter().map(|(lane, _)| *lane).collect();
                let to: Vec<LaneId> = numbers.iter().map(|(_, number)| e.reader.literal(*number)).collect();
                Some(e.test(op, &of, &to))
            }
            (Pure::Sign, Scalar::F32, [x]) => {
                e.reader.weaken(op, "NaN and the signs of zeros");
                let zero = e.same(0.0, x.len());
                let above = e.test(Pure::Lt, &zero, x);
                let below = e.test(Pure::Lt, x, &zero);
                Some(e.op(Pure::Sub, &[above, below]))
            }
            (Pure::Dot, Scalar::F32, [a, b]) if a.len() == 2 => {
                let products = e.op(Pure::Mul, &[a.clone(), b.clone()]);
                Some(e.op(Pure::Add, &[vec![products[0]], vec![products[1]]]))
            }
            (Pure::Dot, Scalar::F32, [a, b]) if a.len() == 1 => {
                Some(e.op(Pure::Mul, &[a.clone(), b.clone()]))
            }
            _ => None,
        }
    }

    /// A condition that the target's conditionals can ask for.
    pub(crate) fn testable(&mut self, condition: LaneId, actions: &mut Vec<Action>) -> LaneId {
        if self.machine.truth == Truth::Mask {
            return condition;
        }
        match self.graph.lane(condition).def {
            Def::Pure { op, scalar: Scalar::F32, .. } if self.machine.tests.contains(&op) => {
                return condition;
            }
            // Whether rounds are left, which the loop says instead.
            Def::Pure { op: Pure::Lt, scalar: Scalar::I32, .. } if self.machine.loops == Loops::Counted => {
                return condition;
            }
            Def::Param { .. } if self.is_constant_truth(condition) => return condition,
            Def::Pure { op: Pure::Not, args, .. }
                if args.get().iter().all(|&of| self.is_constant_truth(of)) =>
            {
                return condition;
            }
            _ => {}
        }
        let mut e = Expression { reader: self, arith: Arith::IEEE, actions };
        let zero = e.same(0.0, 1);
        e.test(Pure::Ne, &[condition], &zero)[0]
    }

    /// A condition as a number below zero, or as one of several: what discards ask for.
    pub(crate) fn below_zero(&mut self, condition: LaneId, actions: &mut Vec<Action>) -> LaneId {
        let is_below = is_below_zero;
        if is_below(&self.graph, condition) {
            return condition;
        }
        let tests = match self.graph.operation(condition) {
            Some((Pure::Any, tests)) if tests.iter().all(|&test| is_below(&self.graph, test)) => {
                tests.to_vec()
            }
            _ => Vec::new(),
        };
        let numbers = self.machine.truth == Truth::Number;
        if !tests.is_empty() && (!numbers || self.machine.quirks.kills_registers) {
            return condition;
        }
        let mut e = Expression { reader: self, arith: Arith::IEEE, actions };
        let number = match e.reader.graph.number(condition) {
            // A truth that is known.
            Some(bits) => e.same(if bits == 0 { 0.0 } else { -1.0 }, 1),
            None if numbers => e.op(Pure::Neg, &[vec![condition]]),
            None => {
                let number = e.reader.each(
                    Pure::ToF32,
                    Arith::IEEE,
                    Scalar::Bool,
                    Scalar::F32,
                    &[vec![condition]],
                    e.actions,
                );
                e.op(Pure::Neg, &[number])
            }
        };
        let zero = e.same(0.0, 1);
        e.test(Pure::Lt, &number, &zero)[0]
    }
}

/// Whether a truth is that a float is below zero.
fn is_below_zero(graph: &crate::graph::Graph, lane: LaneId) -> bool {
    match &graph.lane(lane).def {
        Def::Pure { op: Pure::Lt, scalar: Scalar::F32, args, .. } => {
            graph.number(args.get()[1]).is_some_and(|bits| bits << 1 == 0)
        }
        _ => false,
    }
}

/// Factors of the odd powers of a part of the circle, -1/2 to 1/2, the highest first, that make its sine.
const SINE: [f32; 6] = [-12.468_819, 41.341_366, -76.614_14, 81.599_915, -41.341_59, core::f32::consts::TAU];

/// Writes expressions.
struct Expression<'e, 'a, 'r> {
    reader: &'e mut Reader<'a, 'r>,
    arith: Arith,
    actions: &'e mut Vec<Action>,
}

impl Expression<'_, '_, '_> {
    /// An operation, as several if the target lacks it.
    fn op(&mut self, op: Pure, of: &[Vec<LaneId>]) -> Vec<LaneId> {
        let arith = self.arith.concerning(vecasm_ir::ir::Op::Pure(op), Scalar::F32);
        match self.reader.expand(op, arith, Scalar::F32, of, self.actions) {
            Some(result) => result,
            None => self.plain(op, of),
        }
    }

    /// An operation as it is.
    fn plain(&mut self, op: Pure, of: &[Vec<LaneId>]) -> Vec<LaneId> {
        let arith = self.arith.concerning(vecasm_ir::ir::Op::Pure(op), Scalar::F32);
        self.reader.each(op, arith, Scalar::F32, Scalar::F32, of, self.actions)
    }

    /// A comparison.
    fn test(&mut self, op: Pure, a: &[LaneId], b: &[LaneId]) -> Vec<LaneId> {
        let of = [a.to_vec(), b.to_vec()];
        match self.reader.expand(op, Arith::IEEE, Scalar::F32, &of, self.actions) {
            Some(result) => result,
            None => self.reader.each(op, Arith::IEEE, Scalar::F32, Scalar::Bool, &of, self.actions),
        }
    }

    /// Whether numbers are equal: neither is below the other one, nor NaN.
    fn equal(&mut self, a: &[LaneId], b: &[LaneId]) -> Vec<LaneId> {
        let [one, other] = [[a, b], [b, a]].map(|[a, b]| self.test(Pure::Ge, a, b));
        self.op(Pure::Mul, &[one, other])
    }

    /// A sine or cosine, by a polynomial of the part of the circle.
    fn wave(&mut self, op: Pure, x: &[LaneId]) -> Vec<LaneId> {
        let count = x.len();
        let turns = self.same(core::f32::consts::FRAC_1_PI / 2.0, count);
        // Half a turn more for the fraction, which is taken back, and a quarter from the sine to the cosine.
        let begin = self.same(if op == Pure::Cos { 0.75 } else { 0.5 }, count);
        let turns = self.op(Pure::Mul, &[x.to_vec(), turns]);
        let turns = self.op(Pure::Add, &[turns, begin]);
        let part = self.op(Pure::Fract, &[turns]);
        let half = self.same(0.5, count);
        let part = self.op(Pure::Sub, &[part, half]);
        let square = self.op(Pure::Mul, &[part.clone(), part.clone()]);
        let [last, rest @ ..] = SINE;
        let mut sum = self.same(last, count);
        for factor in rest {
            let factor = self.same(factor, count);
            let product = self.op(Pure::Mul, &[sum, square.clone()]);
            sum = self.op(Pure::Add, &[product, factor]);
        }
        self.op(Pure::Mul, &[sum, part])
    }

    fn is(&self, lane: LaneId, op: Pure) -> bool {
        self.reader.graph.operation(lane).is_some_and(|(of, _)| of == op)
    }

    fn is_input(&self, lane: LaneId) -> bool {
        matches!(self.reader.graph.lane(lane).def, Def::Input { .. })
    }

    /// Whether a lane is a finite number that is known, and no negative zero.
    fn is_ordinary(&self, lane: LaneId) -> bool {
        self.reader.graph.number(lane).is_some_and(|bits| bits != 1 << 31 && f32::from_bits(bits).is_finite())
    }

    fn same(&mut self, value: f32, count: usize) -> Vec<LaneId> {
        vec![self.reader.literal(value); count]
    }

    fn complement(&mut self, truth: &[LaneId]) -> Vec<LaneId> {
        let one = self.same(1.0, truth.len());
        self.op(Pure::Sub, &[one, truth.to_vec()])
    }

    fn chain(&mut self, op: Pure, of: &[LaneId]) -> Vec<LaneId> {
        let mut lanes = of.iter().map(|&lane| vec![lane]);
        let first = lanes.next().unwrap_or_default();
        lanes.fold(first, |all, lane| self.op(op, &[all, lane]))
    }

    /// An operation on floats that no instruction is, by others.
    fn lacking(&mut self, op: Pure, of: &[Vec<LaneId>]) -> Option<Vec<LaneId>> {
        match (op, of) {
            (Pure::Lt | Pure::Ge | Pure::Eq | Pure::Ne, [a, b]) if self.reader.machine.chooses() => {
                Some(self.truth(op, a, b))
            }
            (Pure::Abs, [x]) => {
                let minus = self.op(Pure::Neg, core::slice::from_ref(x));
                Some(self.op(Pure::Max, &[x.clone(), minus]))
            }
            _ => None,
        }
    }

    /// A number that is not below zero where a comparison holds; `false` if where it does not hold.
    fn compared(&mut self, op: Pure, a: &[LaneId], b: &[LaneId]) -> (Vec<LaneId>, bool) {
        let zero = |this: &Self, lanes: &[LaneId]| {
            lanes.iter().all(|&lane| this.reader.graph.number(lane).is_some_and(|bits| bits << 1 == 0))
        };
        let difference = if zero(self, b) {
            a.to_vec()
        } else if zero(self, a) {
            self.op(Pure::Neg, &[b.to_vec()])
        } else {
            self.reader.weaken(op, "infinities and NaN");
            self.op(Pure::Sub, &[a.to_vec(), b.to_vec()])
        };
        match op {
            Pure::Ge => (difference, true),
            Pure::Lt => {
                self.reader.weaken(op, "NaN");
                (difference, false)
            }
            _ => {
                let magnitude = self.op(Pure::Abs, &[difference]);
                (self.op(Pure::Neg, &[magnitude]), op == Pure::Eq)
            }
        }
    }

    /// 1 where a comparison holds, else 0, by a choice.
    fn truth(&mut self, op: Pure, a: &[LaneId], b: &[LaneId]) -> Vec<LaneId> {
        let (number, holds) = self.compared(op, a, b);
        let [one, zero] = [1.0, 0.0].map(|value| self.same(value, number.len()));
        let (yes, no) = if holds { (one, zero) } else { (zero, one) };
        self.by_sign(&number, &yes, &no)
    }

    /// One of two where a number is not below zero, else the other.
    fn by_sign(&mut self, number: &[LaneId], yes: &[LaneId], no: &[LaneId]) -> Vec<LaneId> {
        let zero = self.same(0.0, number.len());
        let of = [number.to_vec(), zero];
        let test = self.reader.each(Pure::Ge, Arith::IEEE, Scalar::F32, Scalar::Bool, &of, self.actions);
        self.plain(Pure::Select, &[test, yes.to_vec(), no.to_vec()])
    }

    /// A choice by truths that are numbers, or by what these were chosen by.
    fn choice(&mut self, c: &[LaneId], a: &[LaneId], b: &[LaneId]) -> Vec<LaneId> {
        let numbers = |this: &Self, lanes: &[LaneId], value: f32| {
            lanes.iter().all(|&lane| this.reader.graph.number(lane) == Some(value.to_bits()))
        };
        if numbers(self, a, 1.0) && numbers(self, b, 0.0) {
            return c.to_vec();
        }
        let count = a.len().max(b.len());
        let c: Vec<LaneId> = (0..count).filter_map(|n| c.get(n).or(c.first()).copied()).collect();
        let chosen: Option<Vec<(LaneId, bool)>> = c.iter().map(|&lane| self.chosen_by(lane)).collect();
        match chosen.as_deref() {
            Some([(_, holds), rest @ ..]) if rest.iter().all(|of| of.1 == *holds) => {
                let number: Vec<LaneId> = chosen.iter().flatten().map(|of| of.0).collect();
                let (yes, no) = if *holds { (a, b) } else { (b, a) };
                self.by_sign(&number, yes, no)
            }
            _ => {
                let minus = self.op(Pure::Neg, &[c]);
                self.by_sign(&minus, b, a)
            }
        }
    }

    /// The number by whose sign a truth was chosen, and whether it holds where that is not below zero.
    fn chosen_by(&self, truth: LaneId) -> Option<(LaneId, bool)> {
        let graph = &self.reader.graph;
        let (Pure::Select, &[test, yes, no]) = graph.operation(truth)? else { return None };
        let (Pure::Ge, &[number, _]) = graph.operation(test)? else { return None };
        let [one, zero] = [1f32, 0.0].map(f32::to_bits);
        match (graph.number(yes)?, graph.number(no)?) {
            (yes, no) if (yes, no) == (one, zero) => Some((number, true)),
            (yes, no) if (yes, no) == (zero, one) => Some((number, false)),
            _ => None,
        }
    }

    fn trunc(&mut self, x: &[LaneId]) -> Vec<LaneId> {
        let magnitude = self.op(Pure::Abs, &[x.to_vec()]);
        let floor = self.floor(&magnitude);
        let sign = self.sign(x);
        let result = self.op(Pure::Mul, &[floor, sign]);
        self.reader.whole_numbers.extend(&result);
        result
    }

    fn floor(&mut self, x: &[LaneId]) -> Vec<LaneId> {
        let fraction = self.op(Pure::Fract, &[x.to_vec()]);
        let result = self.op(Pure::Sub, &[x.to_vec(), fraction]);
        self.reader.whole_numbers.extend(&result);
        result
    }

    /// The logarithm of the magnitude.
    fn logarithm(&mut self, x: &[LaneId]) -> Vec<LaneId> {
        let magnitude = self.op(Pure::Abs, &[x.to_vec()]);
        self.op(Pure::Log2, &[magnitude])
    }

    /// -1 for numbers below zero, else 1.
    fn sign(&mut self, x: &[LaneId]) -> Vec<LaneId> {
        let zero = self.same(0.0, x.len());
        let below = self.test(Pure::Lt, x, &zero);
        let twice = self.op(Pure::Add, &[below.clone(), below]);
        self.complement(&twice)
    }

    /// Whether the bits of floats are compared with zero.
    fn asks_signs(&self, a: &[LaneId], b: &[LaneId]) -> bool {
        let graph = &self.reader.graph;
        let floats = a.iter().all(|&lane| graph.lane(lane).scalar == Scalar::F32);
        floats && b.iter().all(|&lane| graph.number(lane) == Some(0))
    }

    /// Inverse roots, but of zero the largest number: the lesser one, where the inverse of zero is infinite. NaN gives that number,
    /// too.
    fn bounded_roots(&mut self, c: &[LaneId], a: &[LaneId], b: &[LaneId]) -> Option<Vec<LaneId>> {
        if self.reader.machine.rule != Rule::Nv20 {
            return None;
        }
        let graph = &self.reader.graph;
        for (n, (&largest, &root)) in a.iter().zip(b).enumerate() {
            let Some((Pure::Rsq, &[of])) = graph.operation(root) else { return None };
            let Some((Pure::Eq, &[x, zero])) = graph.operation(*c.get(n).or(c.first())?) else { return None };
            let largest = graph.number(largest) == Some(f32::MAX.to_bits());
            if x != of || graph.number(zero) != Some(0) || !largest {
                return None;
            }
        }
        self.reader.weaken(Pure::Rsq, "NaN");
        Some(self.op(Pure::Min, &[b.to_vec(), a.to_vec()]))
    }

    /// Truths that are numbers, also of comparisons that were left as they are.
    fn decided(&mut self, truths: &[LaneId]) -> Vec<LaneId> {
        let one = |e: &mut Self, truth: LaneId| {
            let Def::Pure { op: op @ (Pure::Eq | Pure::Ne), scalar, args, .. } =
                e.reader.graph.lane(truth).def
            else {
                return truth;
            };
            let of: Vec<Vec<LaneId>> = args.get().iter().map(|&lane| vec![lane]).collect();
            let made = e.reader.expand(op, Arith::IEEE, scalar, &of, e.actions);
            made.and_then(|made| made.first().copied()).unwrap_or(truth)
        };
        truths.iter().map(|&truth| one(self, truth)).collect()
    }

    /// An integer that what loads indices makes of a number, as one that is made of a whole number.
    fn floored(&mut self, integer: LaneId) -> LaneId {
        let Some((Pure::ToI32, &[floor])) = self.reader.graph.operation(integer) else { return integer };
        let Some((Pure::Floor, &[x])) = self.reader.graph.operation(floor) else { return integer };
        let whole = self.floor(&[x]);
        let of = [whole];
        let made = self.reader.each(Pure::ToI32, Arith::IEEE, Scalar::F32, Scalar::I32, &of, self.actions);
        made.first().copied().unwrap_or(integer)
    }

    /// A float that is a whole number, and the number that an integer made of it is compared with.
    fn whole_number(&self, integer: LaneId, number: LaneId) -> Option<(LaneId, f32)> {
        let number = self.reader.graph.number(number)? as i32;
        match self.reader.graph.operation(integer) {
            Some((Pure::ToI32, &[x]))
                if self.reader.whole_numbers.contains(&x) && number.unsigned_abs() < 1 << 24 =>
            {
                Some((x, number as f32))
            }
            _ => None,
        }
    }

    /// A choice of numbers by one that is 1 or 0: `a · c + b · (1 − c)`.
    fn select(&mut self, c: &[LaneId], a: &[LaneId], b: &[LaneId]) -> Vec<LaneId> {
        let all = |this: &Self, lanes: &[LaneId], value: f32| {
            lanes.iter().all(|&lane| this.reader.graph.number(lane) == Some(value.to_bits()))
        };
        if all(self, a, 1.0) && all(self, b, 0.0) {
            return c.to_vec();
        }
        let c = if c.len() == a.len() { c.to_vec() } else { vec![c[0]; a.len()] };
        let yes = if all(self, a, 0.0) {
            None
        } else if all(self, a, 1.0) {
            Some(c.clone())
        } else {
            Some(self.op(Pure::Mul, &[a.to_vec(), c.clone()]))
        };
        if all(self, b, 0.0) {
            return yes.unwrap_or_else(|| b.to_vec());
        }
        let other = self.complement(&c);
        let no = if all(self, b, 1.0) { other } else { self.op(Pure::Mul, &[b.to_vec(), other]) };
        match yes {
            Some(yes) => self.op(Pure::Add, &[yes, no]),
            None => no,
        }
    }
}
