//! Arithmetic as GPUs of today may do it: what the source fixes, and drivers do not.

use alloc::vec::Vec;
use vecasm_ir::ir::{
    Arg, Args, Arith, Inst, Node, Op, Pure, Region, Rule, Scalar, Shader, Type, Value, ValueInfo,
};

/// One liberty that a compiler or the hardware takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Liberty {
    /// `a · b + c` is rounded once: `mul` and `add` become `fma`, a dot product a row of them.
    Contraction,
    /// Denormals of f32 are zero, as operands and as results.
    Flush,
    /// Nobody looks out for NaN: `min`, `max` and `sat` keep it, and a comparison with it comes out the other way.
    Nan,
    /// 0 · x is 0 also for an infinity or NaN, where the source does not have it so; where it has, it is NaN.
    Zero,
    /// The arithmetic of the NV20 family is that of IEEE 754.
    Plain,
    /// `rcp`, `rsq`, `sqrt`, `div`, `exp2`, `log2`, `pow`, `sin` and `cos` are above the true value by as much as WGSL and
    /// Vulkan allow.
    Above,
    /// They are below it.
    Below,
}

impl Liberty {
    /// Every one.
    pub const ALL: [Self; 7] =
        [Self::Contraction, Self::Flush, Self::Nan, Self::Zero, Self::Plain, Self::Above, Self::Below];

    /// One word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contraction => "contraction",
            Self::Flush => "flush",
            Self::Nan => "nan",
            Self::Zero => "zero",
            Self::Plain => "plain",
            Self::Above | Self::Below => "precision",
        }
    }

    /// What it is, in a few words.
    pub const fn doc(self) -> &'static str {
        match self {
            Self::Contraction => "a product and a sum are rounded once",
            Self::Flush => "denormals are flushed to zero",
            Self::Nan => "min, max, sat and comparisons do not honour NaN",
            Self::Zero => "zero times infinity or NaN has another result",
            Self::Plain => "the NV20's own rounding is missing",
            Self::Above | Self::Below => "less precise functions",
        }
    }
}

/// The shader with one liberty taken, in the instructions of source instruction `only`, or in all of them. `None` if
/// nothing in it changes. Values, steps and marks keep their numbers, so that runs of both can be compared step by step.
///
/// The allowances are those of the WGSL specification ("Accuracy of Concrete Floating Point Expressions"), which are the ones of Vulkan: 2.5 ULP for
/// quotients and reciprocals, 2 for `inverseSqrt`, 3 + 2·|x| for `exp2`, 2^-21 or 3 ULP for `log2`, 2^-11 for `sin` and `cos`;
/// `pow` is `exp2(y · log2 x)`, `sqrt` is `1 / inverseSqrt x`.
#[must_use]
pub fn gpu(shader: &Shader, liberty: Liberty, only: Option<u32>) -> Option<Shader> {
    let mut out = shader.clone();
    let mut products = Vec::new();
    products.resize(shader.values.len(), None);
    let body = core::mem::take(&mut out.body);
    let mut taking = Taking { out, liberty, only, products, changed: Vec::new(), nodes: Vec::new() };
    let body = taking.region(body);
    taking.out.body = body;
    (!taking.changed.is_empty()).then_some(taking.out)
}

/// The source instructions in which a liberty changes something, in ascending order.
#[must_use]
pub fn liberties(shader: &Shader, liberty: Liberty) -> Vec<u32> {
    let mut out = shader.clone();
    let mut products = Vec::new();
    products.resize(shader.values.len(), None);
    let body = core::mem::take(&mut out.body);
    let mut taking = Taking { out, liberty, only: None, products, changed: Vec::new(), nodes: Vec::new() };
    taking.region(body);
    taking.changed.sort_unstable();
    taking.changed.dedup();
    taking.changed
}

struct Taking {
    out: Shader,
    liberty: Liberty,
    only: Option<u32>,
    /// For each value, the factors that it is the product of.
    products: Vec<Option<(Arg, Arg, Arith)>>,
    changed: Vec<u32>,
    nodes: Vec<Node>,
}

impl Taking {
    fn region(&mut self, region: Region) -> Region {
        let outer = core::mem::take(&mut self.nodes);
        for node in region.nodes {
            match node {
                Node::Inst(inst) => self.inst(inst),
                mut node => {
                    node.for_each_region_mut(|inner| *inner = self.region(core::mem::take(inner)));
                    self.nodes.push(node);
                }
            }
        }
        let nodes = core::mem::replace(&mut self.nodes, outer);
        Region { nodes, yields: region.yields }
    }

    fn list(&mut self, args: &[Arg]) -> Args {
        let start = self.out.args.len() as u32;
        self.out.args.extend_from_slice(args);
        Args { start, len: args.len() as u32 }
    }

    fn put(&mut self, like: &Inst, op: Op, arith: Arith, args: &[Arg], result: Value) {
        let args = self.list(args);
        let Inst { step, tail, .. } = *like;
        self.nodes.push(Node::Inst(Inst { op, arith, result: Some(result), args, step, tail }));
    }

    /// A new operation in front of the one that is rewritten.
    fn value(&mut self, like: &Inst, op: Pure, args: &[Arg], ty: Type) -> Arg {
        let value = Value::new(self.out.values.len() as u32);
        self.out.values.push(ValueInfo { ty, home: None });
        let arith = like.arith.concerning(
            Op::Pure(op),
            args.first().map_or(Scalar::F32, |a| self.out.value(a.value).ty.scalar),
        );
        let arith = Arith { rule: if arith.rule == Rule::Nv20 { Rule::Ieee } else { arith.rule }, ..arith };
        self.put(like, Op::Pure(op), arith, args, value);
        Arg::all_lanes(value, ty.lanes)
    }

    fn constant(&mut self, like: &Inst, number: f32, lanes: u8) -> Arg {
        let value = Value::new(self.out.values.len() as u32);
        self.out.values.push(ValueInfo { ty: Type::F32, home: None });
        self.put(like, Op::Const([number.to_bits(), 0, 0, 0]), Arith::IEEE, &[], value);
        Arg { lanes, ..Arg::lane(value, 0) }
    }

    fn inst(&mut self, inst: Inst) {
        if let (Op::Pure(pure), Some(result)) = (inst.op, inst.result) {
            let args: Vec<Arg> = self.out.args(inst.args).to_vec();
            let single = pure.scalar_of(&self.out, &args) == Scalar::F32;
            let here = self.only.is_none_or(|only| only == inst.step);
            if let (Pure::Mul, true, [a, b]) = (pure, single, args.as_slice()) {
                if let Some(product) = self.products.get_mut(result.index()) {
                    *product = Some((*a, *b, inst.arith));
                }
            }
            if single && here && self.rewrite(&inst, pure, &args, result) {
                self.changed.push(inst.step);
                return;
            }
        }
        self.nodes.push(Node::Inst(inst));
    }

    /// Puts what becomes of an operation. Says whether it changes.
    fn rewrite(&mut self, inst: &Inst, pure: Pure, args: &[Arg], result: Value) -> bool {
        let ty = self.out.value(result).ty;
        let lanes = ty.lanes;
        let nv20 = inst.arith.rule == Rule::Nv20;
        match (self.liberty, pure, args) {
            (Liberty::Plain, ..) if nv20 => {
                // Its own product with zero stays: translations write it out.
                let arith = Arith { rule: Rule::ZeroWins, ..inst.arith }.concerning(inst.op, Scalar::F32);
                self.put(inst, inst.op, arith, args, result);
                true
            }
            // The others are about what IEEE leaves open.
            _ if nv20 => false,
            (Liberty::Contraction, Pure::Add | Pure::Sub, [x, y]) => {
                let arith = inst.arith;
                let product = |taking: &Self, arg: &Arg| {
                    let found = taking.products.get(arg.value.index()).copied().flatten()?;
                    let (a, b, of) = found;
                    let free = !of.precise && !arith.precise && of.flush == arith.flush;
                    free.then(|| (picked(a, *arg), picked(b, *arg), of.rule))
                };
                let (a, b, c, rule) = if let Some((a, b, rule)) = product(self, x) {
                    let c = if pure == Pure::Sub { self.value(inst, Pure::Neg, &[*y], ty) } else { *y };
                    (a, b, c, rule)
                } else if let Some((a, b, rule)) = product(self, y) {
                    let a = if pure == Pure::Sub { self.value(inst, Pure::Neg, &[a], ty) } else { a };
                    (a, b, *x, rule)
                } else {
                    return false;
                };
                self.put(inst, Op::Pure(Pure::Fma), Arith { rule, ..arith }, &[a, b, c], result);
                true
            }
            (Liberty::Contraction, Pure::Dot, [a, b]) if a.lanes > 1 && !inst.arith.precise => {
                let lane = |arg: &Arg, lane: u8| Arg::lane(arg.value, arg.swizzle.get(lane.into()));
                let mut sum = self.value(inst, Pure::Mul, &[lane(a, 0), lane(b, 0)], Type::F32);
                for at in 1..a.lanes {
                    let terms = [lane(a, at), lane(b, at), sum];
                    if at + 1 == a.lanes {
                        let arith = inst.arith.concerning(Op::Pure(Pure::Fma), Scalar::F32);
                        self.put(inst, Op::Pure(Pure::Fma), arith, &terms, result);
                    } else {
                        sum = self.value(inst, Pure::Fma, &terms, Type::F32);
                    }
                }
                true
            }
            (Liberty::Flush, ..) => {
                let arith = Arith { flush: true, ..inst.arith }.concerning(inst.op, Scalar::F32);
                if arith == inst.arith {
                    return false;
                }
                self.put(inst, inst.op, arith, args, result);
                true
            }
            (Liberty::Zero, Pure::Mul | Pure::Fma | Pure::Dot, _) => {
                let rule = if inst.arith.rule == Rule::ZeroWins { Rule::Ieee } else { Rule::ZeroWins };
                self.put(inst, inst.op, Arith { rule, ..inst.arith }, args, result);
                true
            }
            (Liberty::Nan, Pure::Min | Pure::Max, [x, y]) => {
                // The first one stays where the comparison is false.
                let (less, more) = if pure == Pure::Min { (y, x) } else { (x, y) };
                let other = self.value(inst, Pure::Lt, &[*less, *more], Type::new(Scalar::Bool, lanes));
                self.put(inst, Op::Pure(Pure::Select), Arith::IEEE, &[other, *y, *x], result);
                true
            }
            (Liberty::Nan, Pure::Saturate, [x]) => {
                let (zero, one) = (self.constant(inst, 0.0, lanes), self.constant(inst, 1.0, lanes));
                let bools = Type::new(Scalar::Bool, lanes);
                let below = self.value(inst, Pure::Lt, &[*x, zero], bools);
                let above = self.value(inst, Pure::Lt, &[one, *x], bools);
                let most = self.value(inst, Pure::Select, &[above, one, *x], ty);
                self.put(inst, Op::Pure(Pure::Select), Arith::IEEE, &[below, zero, most], result);
                true
            }
            (Liberty::Nan, Pure::Lt | Pure::Ge, [x, y]) => {
                let opposite = if pure == Pure::Lt { Pure::Ge } else { Pure::Lt };
                let opposite = self.value(inst, opposite, &[*x, *y], ty);
                self.put(inst, Op::Pure(Pure::Not), Arith::IEEE, &[opposite], result);
                true
            }
            (Liberty::Above | Liberty::Below, ..) => self.imprecise(inst, pure, args, result),
            _ => false,
        }
    }

    /// A function with the error that it may have.
    fn imprecise(&mut self, inst: &Inst, pure: Pure, args: &[Arg], result: Value) -> bool {
        const ULP: f32 = f32::EPSILON;
        let ty = self.out.value(result).ty;
        let sign = if self.liberty == Liberty::Above { 1.0 } else { -1.0 };
        let by = |ulps: f32| 1.0 + sign * ulps * ULP;
        let lanes = ty.lanes;
        match (pure, args) {
            (Pure::Rcp | Pure::Div | Pure::Rsq | Pure::Sqrt, _) => {
                // sqrt is the reciprocal of inverseSqrt.
                let ulps = match pure {
                    Pure::Rsq => 2.0,
                    Pure::Sqrt => 4.5,
                    _ => 2.5,
                };
                let exact = self.value(inst, pure, args, ty);
                let factor = self.constant(inst, by(ulps), lanes);
                self.put(inst, Op::Pure(Pure::Mul), Arith::IEEE, &[exact, factor], result);
            }
            (Pure::Sin | Pure::Cos, _) => {
                let exact = self.value(inst, pure, args, ty);
                let error = self.constant(inst, sign / 2048.0, lanes);
                self.put(inst, Op::Pure(Pure::Add), Arith::IEEE, &[exact, error], result);
            }
            (Pure::Exp2, [x]) => {
                let factor = self.exp2_factor(inst, *x, sign);
                let exact = self.value(inst, pure, args, ty);
                self.put(inst, Op::Pure(Pure::Mul), Arith::IEEE, &[exact, factor], result);
            }
            (Pure::Log2, _) => {
                let exact = self.value(inst, pure, args, ty);
                let sum = self.log2_error(inst, exact, sign);
                let zero = self.constant(inst, 0.0, lanes);
                self.put(inst, Op::Pure(Pure::Add), Arith::IEEE, &[sum, zero], result);
            }
            (Pure::Pow, [x, y]) => {
                let log = self.value(inst, Pure::Log2, &[*x], ty);
                let log = self.log2_error(inst, log, sign);
                let power = self.value(inst, Pure::Mul, &[*y, log], ty);
                let factor = self.exp2_factor(inst, power, sign);
                let exact = self.value(inst, Pure::Exp2, &[power], ty);
                self.put(inst, Op::Pure(Pure::Mul), Arith::IEEE, &[exact, factor], result);
            }
            _ => return false,
        }
        true
    }

    /// 1 ± (3 + 2·|x|) ULP.
    fn exp2_factor(&mut self, inst: &Inst, x: Arg, sign: f32) -> Arg {
        let ty = Type::new(Scalar::F32, x.lanes);
        let size = self.value(inst, Pure::Abs, &[x], ty);
        // Beyond that the power is an infinity or zero, whatever the factor.
        let most = self.constant(inst, 256.0, x.lanes);
        let size = self.value(inst, Pure::Min, &[size, most], ty);
        let slope = self.constant(inst, sign * 2.0 * f32::EPSILON, x.lanes);
        let base = self.constant(inst, 1.0 + sign * 3.0 * f32::EPSILON, x.lanes);
        self.value(inst, Pure::Fma, &[size, slope, base], ty)
    }

    /// A logarithm with an error of 2^-21 between -1 and 1, of 3 ULP elsewhere.
    fn log2_error(&mut self, inst: &Inst, log: Arg, sign: f32) -> Arg {
        let ty = Type::new(Scalar::F32, log.lanes);
        let error = self.constant(inst, sign / 2_097_152.0, log.lanes);
        let near = self.value(inst, Pure::Add, &[log, error], ty);
        let factor = self.constant(inst, 1.0 + sign * 3.0 * f32::EPSILON, log.lanes);
        let far = self.value(inst, Pure::Mul, &[log, factor], ty);
        let size = self.value(inst, Pure::Abs, &[log], ty);
        let one = self.constant(inst, 1.0, log.lanes);
        let is_far = self.value(inst, Pure::Lt, &[one, size], Type::new(Scalar::Bool, log.lanes));
        self.value(inst, Pure::Select, &[is_far, far, near], ty)
    }
}

/// The lanes of an operand of a product that the lanes of an argument, which picks some of the product, belong to.
fn picked(operand: Arg, of: Arg) -> Arg {
    let at =
        |lane: usize| operand.swizzle.get(if operand.lanes == 1 { 0 } else { of.swizzle.get(lane).into() });
    let swizzle = vecasm_ir::operand::Swizzle::new(at(0), at(1), at(2), at(3));
    Arg { value: operand.value, swizzle, lanes: of.lanes }
}
