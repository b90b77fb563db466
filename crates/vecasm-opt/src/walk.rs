//! The plain copy of a shader, for passes that change little: each says what it does with some nodes.

use super::rewrite::Rewrite;
use alloc::boxed::Box;
use alloc::vec::Vec;
use vecasm_ir::ir::op::constant_of;
use vecasm_ir::ir::{Arg, Args, Block, Idiom, If, Inst, Loop, Node, Op, Region, Switch, Type, Value};

/// A copy of the shader in [`rw`](Self::rw), node by node.
pub(super) trait Walk<'a> {
    /// The shader being written.
    fn rw(&mut self) -> &mut Rewrite<'a>;

    /// What becomes of an instruction.
    fn inst(&mut self, inst: &'a Inst) {
        self.copy_inst(inst, inst.op);
    }

    /// What becomes of a node. Says whether what stands behind it is cut off, since the node ended in an exit.
    fn node(&mut self, node: &'a Node) -> bool {
        self.copy_node(node)
    }

    /// The new value for a result or parameter of a region's owner.
    fn result(&mut self, old: Value) -> Value {
        let rw = self.rw();
        let new = rw.value_like(old, rw.from.value(old).ty.lanes);
        rw.put_whole(old, new);
        new
    }

    /// Copies an instruction with another operation of the same kind of arguments.
    fn copy_inst(&mut self, inst: &'a Inst, op: Op) {
        let rw = self.rw();
        rw.b.follow(inst);
        rw.b.arith = inst.arith;
        let args = rw.args(inst.args);
        match inst.result {
            Some(result) => {
                let new = rw.b.push(op, &args, rw.from.value(result).ty);
                rw.keep_home(result, new);
                rw.put_whole(result, new);
            }
            // An operation that gives a value defines one; the others do not.
            None => rw.b.effect(op, &args),
        }
        rw.done(args);
    }

    /// Copies a node with what is in it. Says whether it is an exit.
    fn copy_node(&mut self, node: &'a Node) -> bool {
        let new = match node {
            Node::Inst(inst) => {
                self.inst(inst);
                return false;
            }
            Node::If(node) => {
                let cond = self.rw().arg(node.cond);
                let then = self.region(&node.then);
                let otherwise = self.region(&node.otherwise);
                let results = self.results(&node.results);
                Node::If(Box::new(If { cond, then, otherwise, results }))
            }
            Node::Switch(node) => {
                let selector = self.rw().arg(node.selector);
                let mut cases = Vec::with_capacity(node.cases.len());
                for (numbers, region) in &node.cases {
                    cases.push((numbers.clone(), self.region(region)));
                }
                let default = self.region(&node.default);
                let results = self.results(&node.results);
                Node::Switch(Box::new(Switch { selector, cases, default, results }))
            }
            Node::Block(node) => {
                let body = self.region(&node.body);
                let results = self.results(&node.results);
                Node::Block(Box::new(Block { label: node.label, body, results }))
            }
            Node::Loop(node) => {
                let init = self.list(node.init);
                let params = self.results(&node.params);
                let body = self.region(&node.body);
                let results = self.results(&node.results);
                Node::Loop(Box::new(Loop { label: node.label, params, init, body, results }))
            }
            Node::Idiom(node) => {
                let operands = self.list(node.operands);
                let body = self.region(&node.body);
                let results = self.results(&node.results);
                Node::Idiom(Box::new(Idiom { what: node.what, operands, body, results }))
            }
            Node::Leave { label, values } => Node::Leave { label: *label, values: self.list(*values) },
            Node::Again { label, values } => Node::Again { label: *label, values: self.list(*values) },
        };
        let exit = matches!(new, Node::Leave { .. } | Node::Again { .. });
        self.rw().b.node(new);
        exit
    }

    /// Copies the nodes of a region into the open one. Says whether they end in an exit.
    fn nodes(&mut self, region: &'a Region) -> bool {
        region.nodes.iter().any(|node| self.node(node))
    }

    /// The copy of a region.
    fn region(&mut self, region: &'a Region) -> Region {
        self.rw().b.open();
        let yields = if self.nodes(region) { Vec::new() } else { self.rw().args(region.yields) };
        self.rw().b.close(&yields)
    }

    /// Copies the nodes of a region into the open one, whose yields are `results`. Says whether they end in an exit.
    fn splice(&mut self, region: &'a Region, results: &[Value]) -> bool {
        if self.nodes(region) {
            return true;
        }
        let rw = self.rw();
        let yields = rw.args(region.yields);
        for (&result, &arg) in results.iter().zip(&yields) {
            rw.put_arg(result, arg);
        }
        rw.done(yields);
        false
    }

    /// The copy of a list of arguments.
    fn list(&mut self, args: Args) -> Args {
        let rw = self.rw();
        let list = rw.args(args);
        let new = rw.b.list(&list);
        rw.done(list);
        new
    }

    /// New values for results or parameters.
    fn results(&mut self, old: &[Value]) -> Vec<Value> {
        old.iter().map(|&value| self.result(value)).collect()
    }
}

impl Rewrite<'_> {
    /// A constant at the start of the shader, one for all uses.
    pub(super) fn constant(&mut self, bits: [u32; 4], ty: Type) -> Arg {
        let key = (bits, ty);
        if let Some(&value) = self.constants.get(&ConstantKey(key)) {
            return Arg::all_lanes(value, ty.lanes);
        }
        let arith = core::mem::take(&mut self.b.arith);
        let value = self.b.push_entry(Op::Const(bits), ty);
        self.b.arith = arith;
        self.constants.insert(ConstantKey(key), value);
        Arg::all_lanes(value, ty.lanes)
    }

    /// Zero in every lane.
    pub(super) fn zero(&mut self, ty: Type) -> Arg {
        let lanes = usize::from(ty.lanes);
        if constant_of(&[0; 4][..lanes.min(4)], ty.scalar).is_some() {
            return self.constant([0; 4], ty);
        }
        // Two lanes of 64 bits are the most that a constant holds.
        let half = self.constant([0; 4], Type::new(ty.scalar, 1));
        let parts = [half; 4];
        Arg::all_lanes(self.b.push(Op::Compose, &parts[..lanes.min(4)], ty), ty.lanes)
    }
}

/// A constant: bits and type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ConstantKey(([u32; 4], Type));

impl ConstantKey {
    fn order(self) -> ([u32; 4], u8, u8) {
        let (bits, ty) = self.0;
        (bits, ty.scalar as u8, ty.lanes)
    }
}

impl Ord for ConstantKey {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for ConstantKey {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
