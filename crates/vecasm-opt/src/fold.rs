//! Computing what is known.

use super::identities::{Known, Simple};
use super::rewrite::Rewrite;
use super::unroll::Unrolling;
use alloc::boxed::Box;
use alloc::vec::Vec;
use vecasm_ir::ir::op::{MAX_ARITY, constant_lane, constant_of};
use vecasm_ir::ir::{
    Arg, Args, Arith, Block, Idiom, If, Inst, Loop, Node, Op, Pure, Region, Rule, Scalar, Shader, Switch,
    Type, Value, Vote,
};

/// Replaces operations on constants by their value (the operation's own evaluation), ifs and switches on constants by
/// the region that runs, idioms of constant results by these, and operations by what is the same to the bit under
/// their arithmetic (`opt/identities.rs` has the list).
///
/// Where the arm that runs ends in an exit, what stands behind it goes. The step table stays exact.
#[must_use]
pub fn fold(shader: &Shader) -> Shader {
    Fold::new(shader).finish()
}

/// Whether anything in a shader can tell one NaN from another.
fn sees_bits(shader: &Shader) -> bool {
    let mut sees = false;
    shader.body.for_each_inst(&mut |inst| {
        let float = |s: Scalar| matches!(s, Scalar::F32 | Scalar::F64);
        let floats = || shader.args(inst.args).iter().any(|arg| float(shader.arg_type(*arg).scalar));
        sees |= match inst.op {
            Op::Pure(Pure::AsI32 | Pure::AsU32 | Pure::AsI64 | Pure::AsU64 | Pure::Low64 | Pure::High64)
            | Op::Vote(Vote::Equal) => floats(),
            Op::Pure(_) => inst.arith.rule == Rule::Nv20,
            _ => false,
        };
    });
    sees
}

pub(super) struct Fold<'a> {
    pub(super) rw: Rewrite<'a>,
    /// By new value.
    known: Vec<Known>,
    /// Whether NaN counts with all its bits.
    pub(super) strict: bool,
    /// Whether loops are written out, and how far that is.
    pub(super) unrolling: Option<Unrolling>,
}

impl<'a> Fold<'a> {
    pub(super) fn new(shader: &'a Shader) -> Self {
        Self { rw: Rewrite::new(shader), known: Vec::new(), strict: sees_bits(shader), unrolling: None }
    }

    pub(super) fn finish(mut self) -> Shader {
        let from = self.rw.from;
        self.nodes(&from.body);
        self.rw.b.finish()
    }

    pub(super) fn known(&self, value: Value) -> Known {
        self.known.get(value.index()).copied().unwrap_or(Known::Nothing)
    }

    fn learn(&mut self, value: Value, known: Known) {
        if self.known.len() <= value.index() {
            self.known.resize(value.index() + 1, Known::Nothing);
        }
        self.known[value.index()] = known;
    }

    /// The bits of lane `lane` of a new argument, if they are known.
    pub(super) fn bits(&self, arg: Arg, lane: usize) -> Option<u64> {
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
    pub(super) fn is(&self, arg: Arg, bits: u64) -> bool {
        (0..usize::from(arg.lanes)).all(|lane| self.bits(arg, lane) == Some(bits))
    }

    fn constant(&mut self, bits: [u32; 4], ty: Type) -> Value {
        let value = self.rw.b.push(Op::Const(bits), &[], ty);
        self.learn(value, Known::Const(bits));
        value
    }

    /// Says whether the nodes were cut off behind an exit.
    pub(super) fn nodes(&mut self, region: &'a Region) -> bool {
        for node in &region.nodes {
            // What is given up need not be finished.
            if !self.has_room() {
                return false;
            }
            let ended = match node {
                Node::Inst(inst) => {
                    self.inst(inst);
                    false
                }
                Node::If(node) => self.branch(node),
                Node::Switch(node) => self.switch(node),
                Node::Block(node) => {
                    if let Some(cut) = self.written_out(node.label, None, &node.body, &node.results) {
                        if cut {
                            return true;
                        }
                        continue;
                    }
                    let body = self.region(&node.body);
                    let results = self.results(&node.results);
                    self.rw.b.node(Node::Block(Box::new(Block { label: node.label, body, results })));
                    false
                }
                Node::Loop(node) => {
                    let carried = Some((&node.params[..], node.init));
                    if let Some(cut) = self.written_out(node.label, carried, &node.body, &node.results) {
                        if cut {
                            return true;
                        }
                        continue;
                    }
                    let init = self.list(node.init);
                    let params = self.results(&node.params);
                    let body = self.region(&node.body);
                    let results = self.results(&node.results);
                    let label = node.label;
                    self.rw.b.node(Node::Loop(Box::new(Loop { label, params, init, body, results })));
                    false
                }
                Node::Idiom(node) => {
                    self.idiom(node);
                    false
                }
                Node::Leave { label, values } => {
                    if self.take_exit(*label, *values, false) {
                        return true;
                    }
                    let values = self.list(*values);
                    self.rw.b.node(Node::Leave { label: *label, values });
                    true
                }
                Node::Again { label, values } => {
                    if self.take_exit(*label, *values, true) {
                        return true;
                    }
                    let values = self.list(*values);
                    self.rw.b.node(Node::Again { label: *label, values });
                    true
                }
            };
            if ended {
                return true;
            }
        }
        false
    }

    fn list(&mut self, args: Args) -> Args {
        let list = self.rw.args(args);
        self.rw.b.list(&list)
    }

    fn region(&mut self, region: &'a Region) -> Region {
        self.rw.b.open();
        self.nest(1);
        let yields = if self.nodes(region) { Vec::new() } else { self.rw.args(region.yields) };
        self.nest(-1);
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

    /// Puts the region that is known to run in place of its owner.
    fn splice(&mut self, region: &'a Region, results: &[Value]) -> bool {
        if self.nodes(region) {
            return true;
        }
        let yields = self.rw.args(region.yields);
        for (&result, &arg) in results.iter().zip(&yields) {
            self.rw.put_arg(result, arg);
        }
        self.rw.done(yields);
        false
    }

    fn branch(&mut self, node: &'a If) -> bool {
        let cond = self.rw.arg(node.cond);
        if let Some(bit) = self.bits(cond, 0) {
            let arm = if bit != 0 { &node.then } else { &node.otherwise };
            return self.splice(arm, &node.results);
        }
        let then = self.region(&node.then);
        let otherwise = self.region(&node.otherwise);
        let results = self.results(&node.results);
        self.rw.b.node(Node::If(Box::new(If { cond, then, otherwise, results })));
        false
    }

    fn switch(&mut self, node: &'a Switch) -> bool {
        let selector = self.rw.arg(node.selector);
        if let Some(number) = self.bits(selector, 0) {
            let chosen = node.cases.iter().find(|(numbers, _)| numbers.contains(&(number as u32)));
            return self.splice(chosen.map_or(&node.default, |(_, region)| region), &node.results);
        }
        let mut cases = Vec::with_capacity(node.cases.len());
        for (numbers, region) in &node.cases {
            cases.push((numbers.clone(), self.region(region)));
        }
        let default = self.region(&node.default);
        let results = self.results(&node.results);
        self.rw.b.node(Node::Switch(Box::new(Switch { selector, cases, default, results })));
        false
    }

    fn idiom(&mut self, node: &'a Idiom) {
        let operands = self.list(node.operands);
        let body = self.region(&node.body);
        let pure = body.nodes.iter().all(|n| matches!(n, Node::Inst(inst) if inst.op.is_pure()));
        let yields = self.rw.b.shader.args(body.yields).to_vec();
        let known = yields.iter().all(|arg| matches!(self.known(arg.value), Known::Const(_)));
        if pure && known {
            for (&result, &arg) in node.results.iter().zip(&yields) {
                let lanes: Option<Vec<u64>> =
                    (0..usize::from(arg.lanes)).map(|lane| self.bits(arg, lane)).collect();
                let ty = self.rw.from.value(result).ty;
                let bits = lanes.and_then(|lanes| constant_of(&lanes, ty.scalar)).unwrap_or_default();
                let new = self.constant(bits, ty);
                self.rw.put_whole(result, new);
            }
            return;
        }
        let results = self.results(&node.results);
        self.rw.b.node(Node::Idiom(Box::new(Idiom { what: node.what, operands, body, results })));
    }

    fn inst(&mut self, inst: &'a Inst) {
        self.rw.b.follow(inst);
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
                } else {
                    match self.simple(pure, inst.arith, &args, ty) {
                        Simple::Arg(arg) => {
                            self.rw.put_arg(result, arg);
                            return;
                        }
                        Simple::All(lane) => {
                            match constant_of(&[lane; 4][..usize::from(ty.lanes)], ty.scalar) {
                                Some(bits) => self.constant(bits, ty),
                                None => self.operation(pure, inst.arith, &args, ty),
                            }
                        }
                        Simple::Op(pure, arith, args) => {
                            self.rw.b.arith = arith;
                            let used = &args[..pure.arity()];
                            // The shorter form may be known again.
                            match self.evaluate(pure, arith, used, ty) {
                                Some(bits) => self.constant(bits, ty),
                                None => self.operation(pure, arith, used, ty),
                            }
                        }
                        Simple::No => self.operation(pure, inst.arith, &args, ty),
                    }
                }
            }
            op => self.rw.b.push(op, &args, ty),
        };
        self.rw.done(args);
        self.rw.keep_home(result, new);
        self.rw.put_whole(result, new);
    }

    fn operation(&mut self, pure: Pure, arith: Arith, args: &[Arg], ty: Type) -> Value {
        let new = self.rw.b.push(Op::Pure(pure), args, ty);
        if let ([first, rest @ ..], true) = (args, args.len() <= 2) {
            let second = rest.first().copied().unwrap_or(*first);
            self.learn(new, Known::Op(pure, arith, [*first, second]));
        }
        new
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
        let scalar = pure.scalar_of(&self.rw.b.shader, args);
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
}
