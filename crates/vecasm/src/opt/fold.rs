//! Computing what is known.

use super::rewrite::Rewrite;
use crate::ir::op::{MAX_ARITY, constant_lane, constant_of};
use crate::ir::{
    Arg, Args, Arith, Block, If, Inst, Loop, Node, Op, Pure, Region, Rule, Scalar, Shader, Type, Value,
};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Replaces operations on constants by their value (the operation's own evaluation), ifs on constants by the arm that
/// runs, and operations by their argument where that is the same to the bit under their arithmetic: `x · 1`, `x / 1`,
/// `x − 0`, `x + −0`, `−−x`, `||x||`, `|−x|`, `not not x`, and the selection between equals.
#[must_use]
pub fn fold(shader: &Shader) -> Shader {
    let mut pass = Fold { rw: Rewrite::new(shader), known: Vec::new() };
    pass.nodes(&shader.body);
    pass.rw.b.finish()
}

/// How a new value came about, where that helps.
#[derive(Clone, Copy)]
enum Known {
    Nothing,
    Const([u32; 4]),
    /// `.0` of the argument under the arithmetic `.1`, of equal lane count.
    Unary(Pure, Arith, Arg),
}

struct Fold<'a> {
    rw: Rewrite<'a>,
    /// By new value.
    known: Vec<Known>,
}

impl<'a> Fold<'a> {
    fn known(&self, value: Value) -> Known {
        self.known.get(value.index()).copied().unwrap_or(Known::Nothing)
    }

    fn learn(&mut self, value: Value, known: Known) {
        if self.known.len() <= value.index() {
            self.known.resize(value.index() + 1, Known::Nothing);
        }
        self.known[value.index()] = known;
    }

    /// The bits of lane `lane` of a new argument, if they are known.
    fn bits(&self, arg: Arg, lane: usize) -> Option<u64> {
        let lane = if arg.lanes == 1 { 0 } else { lane };
        match self.known(arg.value) {
            Known::Const(bits) => {
                let scalar = self.rw.b.shader.value(arg.value).ty.scalar;
                Some(constant_lane(bits, scalar, usize::from(arg.swizzle.get(lane))))
            }
            _ => None,
        }
    }

    /// Whether every lane of a new argument is known to be `bits`.
    fn is(&self, arg: Arg, bits: u64) -> bool {
        (0..usize::from(arg.lanes)).all(|lane| self.bits(arg, lane) == Some(bits))
    }

    fn constant(&mut self, bits: [u32; 4], ty: Type) -> Value {
        let value = self.rw.b.push(Op::Const(bits), &[], ty);
        self.learn(value, Known::Const(bits));
        value
    }

    fn nodes(&mut self, region: &'a Region) {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => self.inst(inst),
                Node::If(node) => self.branch(node),
                Node::Block(node) => {
                    let body = self.region(&node.body);
                    let results = self.results(&node.results);
                    self.rw.b.node(Node::Block(Box::new(Block { label: node.label, body, results })));
                }
                Node::Loop(node) => {
                    let init = self.list(node.init);
                    let params = self.results(&node.params);
                    let body = self.region(&node.body);
                    let results = self.results(&node.results);
                    let label = node.label;
                    self.rw.b.node(Node::Loop(Box::new(Loop { label, params, init, body, results })));
                }
                Node::Switch(_) | Node::Idiom(_) => {}
                Node::Leave { label, values } => {
                    let values = self.list(*values);
                    self.rw.b.node(Node::Leave { label: *label, values });
                }
                Node::Again { label, values } => {
                    let values = self.list(*values);
                    self.rw.b.node(Node::Again { label: *label, values });
                }
            }
        }
    }

    fn list(&mut self, args: Args) -> Args {
        let list = self.rw.args(args);
        self.rw.b.list(&list)
    }

    fn region(&mut self, region: &'a Region) -> Region {
        self.rw.b.open();
        self.nodes(region);
        let yields = self.rw.args(region.yields);
        self.rw.b.close(&yields)
    }

    fn results(&mut self, old: &[Value]) -> Vec<Value> {
        old.iter()
            .map(|&value| {
                let new = self.rw.value_like(value, self.rw.from.value(value).ty.lanes);
                self.rw.put_whole(value, new);
                new
            })
            .collect()
    }

    fn branch(&mut self, node: &'a If) {
        let cond = self.rw.arg(node.cond);
        if let Some(bit) = self.bits(cond, 0) {
            let arm = if bit != 0 { &node.then } else { &node.otherwise };
            // An arm that ends in an exit has no yields, and what follows it does not run: keep the shape.
            if !matches!(arm.nodes.last(), Some(Node::Leave { .. } | Node::Again { .. })) {
                self.nodes(arm);
                let yields = self.rw.args(arm.yields);
                for (&result, arg) in node.results.iter().zip(yields) {
                    self.rw.put_arg(result, arg);
                }
                return;
            }
        }
        let then = self.region(&node.then);
        let otherwise = self.region(&node.otherwise);
        let results = self.results(&node.results);
        self.rw.b.node(Node::If(Box::new(If { cond, then, otherwise, results })));
    }

    fn inst(&mut self, inst: &'a Inst) {
        self.rw.b.step = inst.step;
        self.rw.b.arith = inst.arith;
        let args = self.rw.args(inst.args);
        let Some(result) = inst.result else {
            self.rw.b.effect(inst.op, &args);
            self.rw.done(args);
            return;
        };
        let ty = self.rw.from.value(result).ty;
        let new = match inst.op {
            Op::Const(bits) => self.constant(bits, ty),
            Op::Compose => match self.composed(&args, ty) {
                Some(bits) => self.constant(bits, ty),
                None => self.rw.b.push(inst.op, &args, ty),
            },
            Op::Pure(pure) => {
                if let Some(bits) = self.evaluate(pure, inst.arith, &args, ty) {
                    self.constant(bits, ty)
                } else if let Some(arg) = self.same(pure, inst.arith, &args, ty) {
                    self.rw.put_arg(result, arg);
                    return;
                } else {
                    let new = self.rw.b.push(inst.op, &args, ty);
                    if let ([arg], true) = (args.as_slice(), pure.arity() == 1) {
                        self.learn(new, Known::Unary(pure, inst.arith, *arg));
                    }
                    new
                }
            }
            op => self.rw.b.push(op, &args, ty),
        };
        self.rw.done(args);
        self.rw.keep_home(result, new);
        self.rw.put_whole(result, new);
    }

    fn composed(&self, args: &[Arg], ty: Type) -> Option<[u32; 4]> {
        let mut bits = [0; 4];
        let mut at = 0;
        for &arg in args {
            for lane in 0..usize::from(arg.lanes) {
                *bits.get_mut(at)? = self.bits(arg, lane)?;
                at += 1;
            }
        }
        constant_of(&bits[..at], ty.scalar)
    }

    /// The value of an operation on constants.
    fn evaluate(&self, pure: Pure, arith: Arith, args: &[Arg], ty: Type) -> Option<[u32; 4]> {
        let mut bits = [0; 4];
        let mut types = [Type::F32; MAX_ARITY];
        for (ty, arg) in types.iter_mut().zip(args) {
            *ty = self.rw.b.shader.arg_type(*arg);
        }
        let scalar = pure.scalar(&types[..args.len().min(MAX_ARITY)]);
        if pure.reduces() {
            // `sum`, `all` and `any` have one argument.
            let (a, b) = (args.first()?, args.last()?);
            let (mut x, mut y) = ([0; 4], [0; 4]);
            for lane in 0..usize::from(a.lanes) {
                x[lane] = self.bits(*a, lane)?;
                y[lane] = self.bits(*b, lane)?;
            }
            let value: u64 = pure.eval_reduce(scalar, arith, x, y, usize::from(a.lanes));
            return constant_of(&[value], ty.scalar);
        }
        for (lane, out) in bits.iter_mut().enumerate().take(usize::from(ty.lanes)) {
            let mut operands = [0; MAX_ARITY];
            for (operand, &arg) in operands.iter_mut().zip(args) {
                *operand = self.bits(arg, lane)?;
            }
            *out = pure.eval(scalar, arith, operands);
        }
        constant_of(&bits[..usize::from(ty.lanes)], ty.scalar)
    }

    /// The argument that an operation gives back.
    fn same(&self, pure: Pure, arith: Arith, args: &[Arg], ty: Type) -> Option<Arg> {
        const ONE: u64 = 0x3f80_0000;
        const MINUS_ZERO: u64 = 0x8000_0000;
        let float = ty.scalar == Scalar::F32 && arith.rule == Rule::Ieee && !arith.flush;
        match (pure, args) {
            (Pure::Mul, [x, one]) if float && self.is(*one, ONE) => Some(*x),
            (Pure::Mul, [one, x]) if float && self.is(*one, ONE) => Some(*x),
            (Pure::Div, [x, one]) if float && self.is(*one, ONE) => Some(*x),
            (Pure::Sub, [x, zero]) if float && self.is(*zero, 0) => Some(*x),
            (Pure::Add, [x, zero]) if float && self.is(*zero, MINUS_ZERO) => Some(*x),
            (Pure::Add, [zero, x]) if float && self.is(*zero, MINUS_ZERO) => Some(*x),
            (Pure::Select, [_, a, b]) if a == b => Some(*a),
            (Pure::Select, [c, a, b]) => {
                let cond = self.bits(*c, 0)?;
                self.is(*c, cond).then_some(if cond != 0 { *a } else { *b })
            }
            (Pure::Neg | Pure::Not, [x]) => match self.known(x.value) {
                Known::Unary(inner, by, y) if inner == pure && by == arith => Some(through(*x, y)),
                _ => None,
            },
            (Pure::Abs | Pure::Saturate, [x]) => match self.known(x.value) {
                Known::Unary(inner, by, _) if inner == pure && by == arith => Some(*x),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Lanes `outer` of a value whose lane i is lane i of `inner`.
fn through(outer: Arg, inner: Arg) -> Arg {
    let mut lanes = [0; 4];
    for (i, lane) in lanes.iter_mut().enumerate() {
        let via = if inner.lanes == 1 { 0 } else { usize::from(outer.swizzle.get(i)) };
        *lane = inner.swizzle.get(via);
    }
    let swizzle = crate::isa::operand::Swizzle::new(lanes[0], lanes[1], lanes[2], lanes[3]);
    Arg { value: inner.value, swizzle, lanes: outer.lanes }
}
