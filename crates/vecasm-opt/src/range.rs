//! What is known of numbers: limits of what they are, and whether they may be NaN.
//!
//! It comes from the operations that made them, one after another: constants, clamped values, comparisons, and what is computed from
//! those. What a branch leaves is what one of both does; of what loops carry nothing is known, nor of anything from outside. A
//! fact holds of the value that the interpreter gives, and where it is used, of the next one as well: the limits of numbers that
//! other machines round otherwise are not used near the end of what there is.

use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::op::MAX_ARITY;
use vecasm_ir::ir::{Arg, Inst, Node, Op, Pure, Region, Rule, Scalar, Shader, Value};

/// A number beyond it may be an infinity after other roundings than ours.
const LARGE: f32 = 1e37;

/// What is known of a lane: limits of what it is unless it is NaN, and whether it may be NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least that it is. Zero is more than negative zero.
    pub low: f32,
    /// The most.
    pub high: f32,
    /// Whether it may be NaN.
    pub nan: bool,
}

/// Nothing is known.
pub(super) const ANY: Range = Range { low: f32::NEG_INFINITY, high: f32::INFINITY, nan: true };

impl Range {
    /// From `low` to `high`; nothing is known if that is not finite.
    pub fn of(low: f32, high: f32) -> Self {
        let range = Self { low, high, nan: false };
        if range.is_finite() { range } else { ANY }
    }

    /// Whether it is a number that is not near the end of what there is.
    pub fn is_finite(self) -> bool {
        !self.nan && self.low >= -LARGE && self.high <= LARGE
    }

    /// Whether it is no zero, also where denormals are taken for zeros.
    pub fn is_never_zero(self) -> bool {
        self.low >= f32::MIN_POSITIVE || self.high <= -f32::MIN_POSITIVE
    }

    /// What may be one or the other.
    fn or(self, other: Self) -> Self {
        let (low, high) = (lesser(self.low, other.low), greater(self.high, other.high));
        Self { low, high, nan: self.nan || other.nan }
    }

    fn times(self, other: Self) -> Self {
        if !self.is_finite() || !other.is_finite() {
            return ANY;
        }
        let ends =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        let ends = ends.into_iter();
        Self::of(ends.clone().fold(f32::INFINITY, lesser), ends.fold(f32::NEG_INFINITY, greater))
    }

    fn plus(self, other: Self) -> Self {
        if !self.is_finite() || !other.is_finite() {
            return ANY;
        }
        Self::of(self.low + other.low, self.high + other.high)
    }

    /// Whether its sign bit is clear.
    pub fn is_positive(self) -> bool {
        !self.nan && self.low.total_cmp(&0.0).is_ge()
    }

    fn negated(self) -> Self {
        Self { low: -self.high, high: -self.low, nan: self.nan }
    }

    /// `min`, or `max` by the negated ones: of a NaN and a number the number.
    fn least(self, other: Self) -> Self {
        let mut range =
            Self { low: lesser(self.low, other.low), high: lesser(self.high, other.high), nan: false };
        if self.nan {
            range = range.or(Self { nan: false, ..other });
        }
        if other.nan {
            range = range.or(Self { nan: false, ..self });
        }
        Self { nan: self.nan && other.nan, ..range }
    }
}

/// The lesser of two numbers, where negative zero is less than zero.
fn lesser(a: f32, b: f32) -> f32 {
    if a.total_cmp(&b).is_le() { a } else { b }
}

/// The greater of two numbers.
fn greater(a: f32, b: f32) -> f32 {
    if a.total_cmp(&b).is_ge() { a } else { b }
}

/// What is known of every lane of every value of a shader.
#[derive(Clone, Debug)]
pub struct Ranges {
    facts: Vec<[Range; 4]>,
}

impl Ranges {
    /// Finds it.
    pub fn of(shader: &Shader) -> Self {
        let mut this = Self { facts: vec![[ANY; 4]; shader.values.len()] };
        this.region(shader, &shader.body);
        this
    }

    /// What is known of lane `i` of an argument; of one lane that serves for all it is that.
    pub fn lane(&self, arg: Arg, i: usize) -> Range {
        lane(&self.facts, arg, i)
    }

    fn region(&mut self, shader: &Shader, region: &Region) {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => {
                    if let Some(result) = inst.result {
                        self.facts[result.index()] = known(shader, inst, &self.facts);
                    }
                }
                Node::If(node) => {
                    self.region(shader, &node.then);
                    self.region(shader, &node.otherwise);
                    self.join(shader, &node.results, &[&node.then, &node.otherwise]);
                }
                Node::Switch(node) => {
                    let mut all: Vec<&Region> = node.cases.iter().map(|(_, region)| region).collect();
                    all.push(&node.default);
                    all.iter().for_each(|region| self.region(shader, region));
                    self.join(shader, &node.results, &all);
                }
                Node::Idiom(node) => {
                    self.region(shader, &node.body);
                    self.join(shader, &node.results, &[&node.body]);
                }
                Node::Loop(node) => self.region(shader, &node.body),
                Node::Block(node) => self.region(shader, &node.body),
                Node::Leave { .. } | Node::Again { .. } => {}
            }
        }
    }

    /// Results are what one of the regions leaves that come to their end.
    fn join(&mut self, shader: &Shader, results: &[Value], regions: &[&Region]) {
        for (n, result) in results.iter().enumerate() {
            let mut joined: Option<[Range; 4]> = None;
            for region in regions.iter().filter(|region| !region.exits()) {
                let Some(&arg) = shader.args(region.yields).get(n) else { return };
                let own = core::array::from_fn(|i| lane(&self.facts, arg, i));
                joined = Some(match joined {
                    Some(known) => core::array::from_fn(|i: usize| known[i].or(own[i])),
                    None => own,
                });
            }
            self.facts[result.index()] = joined.unwrap_or([ANY; 4]);
        }
    }
}

/// The shader without clamps that change nothing, not even the sign of a zero, and with `magnitudes` without such magnitudes; `None` if
/// there are none. Languages have functions of magnitudes, such as powers, that are dearer of other numbers, so that it may be better
/// to keep those.
pub fn relax(shader: &Shader, magnitudes: bool) -> Option<Shader> {
    let mut any = false;
    shader.body.for_each_inst(&mut |inst| any |= matches!(inst.op, Op::Pure(Pure::Saturate | Pure::Abs)));
    if !any {
        return None;
    }
    let ranges = Ranges::of(shader);
    let idle = |inst: &Inst| {
        let (Some(result), [arg]) = (inst.result, shader.args(inst.args)) else { return false };
        let ty = shader.value(result).ty;
        let plain = ty.scalar == Scalar::F32 && inst.arith.rule != Rule::Nv20 && !inst.arith.flush;
        plain
            && arg.lanes == ty.lanes
            && (0..usize::from(ty.lanes)).all(|i| {
                let range = ranges.lane(*arg, i);
                match inst.op {
                    Op::Pure(Pure::Saturate) => range.is_positive() && range.high <= 1.0,
                    Op::Pure(Pure::Abs) => magnitudes && range.is_positive(),
                    _ => false,
                }
            })
    };
    let mut changes = Vec::new();
    shader.body.for_each_inst(&mut |inst| changes.push(idle(inst)));
    if !changes.contains(&true) {
        return None;
    }
    let mut out = shader.clone();
    let mut changes = changes.into_iter();
    out.body.for_each_inst_mut(&mut |inst| {
        if changes.next() == Some(true) {
            inst.op = Op::Compose;
        }
    });
    Some(out)
}

fn lane(facts: &[[Range; 4]], arg: Arg, i: usize) -> Range {
    let at = if arg.lanes == 1 { 0 } else { i };
    facts.get(arg.value.index()).map_or(ANY, |lanes| lanes[usize::from(arg.swizzle.get(at)) & 3])
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

/// What adds nothing, not even the sign of a zero.
const NO_SUM: Range = Range { low: -0.0, high: -0.0, nan: false };

/// What is known of the one lane that an operation makes of all.
fn reduced(op: Pure, args: &[Arg], facts: &[[Range; 4]]) -> Range {
    let Some(first) = args.first() else { return ANY };
    let lanes = 0..usize::from(first.lanes);
    match (op, args.get(1)) {
        (Pure::Dot, Some(second)) => {
            lanes.map(|i| lane(facts, *first, i).times(lane(facts, *second, i))).fold(NO_SUM, Range::plus)
        }
        (Pure::Sum, None) => lanes.map(|i| lane(facts, *first, i)).fold(NO_SUM, Range::plus),
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
        Pure::Abs if a.low.total_cmp(&0.0).is_ge() => a,
        Pure::Abs if a.high < 0.0 => a.negated(),
        Pure::Abs => Range { low: 0.0, high: greater(a.high, -a.low), nan: a.nan },
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
        Pure::Sign if a.is_finite() => Range::of(-1.0, 1.0),
        // Machines compute them with errors.
        Pure::Sin | Pure::Cos if a.is_finite() => Range::of(-1.5, 1.5),
        _ => ANY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn signs_of_zeros_are_known() {
        let of = |op, a, b| computed(op, Scalar::F32, [a, b, ANY, ANY]);
        let (clamped, negative) = (Range::of(0.0, 1.0), Range::of(-0.0, 1.0));
        assert!(clamped.is_positive() && !negative.is_positive());
        assert!(of(Pure::Mul, clamped, clamped).is_positive());
        assert!(!of(Pure::Mul, clamped, negative).is_positive());
        // Of zeros of both signs the sum is positive.
        assert!(of(Pure::Add, clamped, negative).is_positive());
        assert!(!of(Pure::Add, negative, negative).is_positive());
        assert!(
            of(Pure::Min, clamped, clamped).is_positive() && !of(Pure::Min, clamped, negative).is_positive()
        );
        assert!(!of(Pure::Neg, clamped, ANY).is_positive());
        assert!(of(Pure::Abs, negative, ANY).is_positive());
    }
}
