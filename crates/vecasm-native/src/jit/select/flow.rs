//! Regions, and masks that say who is in them.

use super::{Mask, Refusal, Select, Value, regions};
use crate::jit::mir::{Kind, MachineOp, NONE, Src, V};
use crate::jit::rows::Bits;
use vecasm_exec::code::{Block, Exit, If, Loop, Move, Node, Region, Switch};
use vecasm_ir::ir::Pure;

/// Operations of a region that are rather done for nobody than jumped over.
const CHEAP: usize = 6;

/// An open block or loop.
#[derive(Debug)]
pub(super) struct Frame {
    /// Who left it, where that has to be known.
    left: Option<V>,
    /// Who goes to the next round, if there are ways there beside the end.
    again: Option<V>,
}

/// What can happen in a region.
#[derive(Clone, Copy, Debug)]
struct Exits {
    /// The outermost frame that it leaves or repeats: how many are open around that; `usize::MAX` for none.
    outermost: usize,
    /// Whether the asked frame is repeated from here, but for its end.
    again: bool,
}

/// The exits of a region; `asked` is a frame, by how many are open around it.
fn exits(region: &Region, asked: usize) -> Exits {
    let mut found = Exits { outermost: usize::MAX, again: false };
    for node in &region.nodes {
        match node {
            Node::Leave(exit) => found.outermost = found.outermost.min(exit.depth),
            Node::Again(exit) => {
                found.outermost = found.outermost.min(exit.depth);
                found.again |= exit.depth == asked;
            }
            _ => regions(node, |region| {
                let inner = exits(region, asked);
                found.outermost = found.outermost.min(inner.outermost);
                found.again |= inner.again;
            }),
        }
    }
    found
}

/// Whether a region is so small, and so free of consequences, that no jump is worth it.
fn is_cheap(region: &Region) -> bool {
    let lanes = region.nodes.iter().map(|node| match node {
        Node::Pure(calc) if is_simple(calc.op) => calc.out.rows().len(),
        _ => CHEAP + 1,
    });
    lanes.sum::<usize>() <= CHEAP
}

/// Whether an operation is one or a few instructions, and never a call.
fn is_simple(op: Pure) -> bool {
    use Pure::{Abs, Add, And, Eq, Ge, Lt, Max, Min, Mul, Ne, Neg, Not, Or, Saturate, Select, Sub, Xor};
    matches!(
        op,
        Abs | Add
            | And
            | Eq
            | Ge
            | Lt
            | Max
            | Min
            | Mul
            | Ne
            | Neg
            | Not
            | Or
            | Saturate
            | Select
            | Sub
            | Xor
    )
}

impl Select<'_> {
    /// Instructions for a node; says who is still there behind it.
    pub(super) fn node(&mut self, node: &Node, active: Mask) -> Result<Mask, Refusal> {
        if self.active != active {
            (self.active, self.seen) = (active, None);
        }
        match node {
            Node::Pure(calc) => self.calc(calc)?,
            Node::Inst(inst) => self.inst(inst, active)?,
            Node::If(node) => return self.branch(node, active),
            Node::Switch(node) => return self.switch(node, active),
            Node::Block(node) => return self.block(node, active),
            Node::Loop(node) => return self.cycle(node, active),
            Node::Leave(exit) => {
                self.leave(exit, active);
                return Ok(Mask::None);
            }
            Node::Again(exit) => {
                self.again(exit, active);
                return Ok(Mask::None);
            }
        }
        Ok(active)
    }

    fn region(&mut self, region: &Region, mut active: Mask) -> Result<Mask, Refusal> {
        self.depth += 1;
        // What is found out about rows in here need not be true behind it, and masks that are made in here not exist there.
        let known = self.found.len();
        self.seen = None;
        for node in &region.nodes {
            if active == Mask::None {
                break;
            }
            active = self.node(node, active)?;
        }
        for key in self.found.drain(known..) {
            self.not_zero.remove(&key);
        }
        self.seen = None;
        self.depth -= 1;
        Ok(active)
    }

    /// Makes rows variables that start at zero.
    fn variables(&mut self, rows: &[u32]) {
        for &row in rows {
            let kind = if self.facts.bools[row as usize] { Kind::Mask } else { Kind::Vector };
            let v = self.virtual_register(kind);
            match kind {
                Kind::Mask => {
                    self.push(MachineOp::MaskNone, v, [Src::None; 3], 0);
                    self.values[row as usize] = Value::Mask(Mask::Some(v));
                }
                Kind::Vector => {
                    let zero = self.word(0);
                    self.push(MachineOp::Copy, v, [zero, Src::None, Src::None], 0);
                    self.values[row as usize] = Value::Word(Src::V(v));
                }
            }
        }
    }

    /// What a move gives its row: with canonical NaN if the row holds bits of others.
    fn moved(&mut self, moved: Move) -> Src {
        let exact =
            self.facts.visible[moved.to as usize] && self.facts.bits[moved.to as usize] == Bits::Exact;
        if exact { self.exact(moved.from) } else { self.value(moved.from) }
    }

    /// Writes the variable of a row in the lanes of a mask.
    fn assign(&mut self, row: u32, value: Value, mask: Mask) {
        match (self.values[row as usize], value) {
            (Value::Word(Src::V(v)), Value::Word(src)) => match mask {
                Mask::All => self.push(MachineOp::Copy, v, [src, Src::None, Src::None], 0),
                Mask::None => {}
                Mask::Some(m) => {
                    if src != Src::V(v) {
                        self.push(MachineOp::Blend, v, [Src::V(v), src, Src::V(m)], 0);
                    }
                }
            },
            (Value::Mask(Mask::Some(v)), Value::Mask(new)) => {
                // (v without mask) or (new and mask).
                let new = self.and(new, mask);
                let old = self.without(Mask::Some(v), mask);
                let both = self.or(old, new);
                let both = self.mask_register(both);
                self.push(MachineOp::Copy, v, [Src::V(both), Src::None, Src::None], 0);
            }
            _ => {}
        }
    }

    fn new_value(&mut self, moved: Move) -> Value {
        if self.facts.bools[moved.to as usize] {
            Value::Mask(self.mask(moved.from))
        } else {
            Value::Word(self.moved(moved))
        }
    }

    fn moves(&mut self, moves: &[Move], mask: Mask) {
        for &moved in moves {
            let value = self.new_value(moved);
            self.assign(moved.to, value, mask);
        }
    }

    fn branch(&mut self, node: &If, active: Mask) -> Result<Mask, Refusal> {
        let holds = self.mask(node.cond);
        let depth = self.frames.len();
        // Where some take no part, and it counts what they hold, they get nothing from a way that nobody of their quad goes.
        let plain = !self.quads || active == Mask::All;
        if plain && is_cheap(&node.then) && is_cheap(&node.otherwise) {
            // Both are computed, and one of them is taken.
            self.region(&node.then, active)?;
            let then: Vec<Value> = node.then.yields.iter().map(|&moved| self.new_value(moved)).collect();
            self.region(&node.otherwise, active)?;
            let otherwise: Vec<Value> =
                node.otherwise.yields.iter().map(|&moved| self.new_value(moved)).collect();
            for (&row, (then, otherwise)) in node.results.iter().zip(then.into_iter().zip(otherwise)) {
                self.values[row as usize] = match (then, otherwise) {
                    (Value::Word(then), Value::Word(otherwise)) => {
                        Value::Word(self.blend(otherwise, then, holds))
                    }
                    (Value::Mask(then), Value::Mask(otherwise)) => {
                        let (a, b) = (self.and(then, holds), self.without(otherwise, holds));
                        Value::Mask(self.or(a, b))
                    }
                    (then, _) => then,
                };
            }
            return Ok(active);
        }
        let leaves = exits(&node.then, depth).outermost.min(exits(&node.otherwise, depth).outermost);
        self.variables(&node.results);
        let fails = if self.quads { self.not(holds) } else { Mask::All };
        let (then, otherwise) = (self.and(active, holds), self.without(active, holds));
        let then = self.arm(&node.then, then, holds)?;
        let otherwise = self.arm(&node.otherwise, otherwise, fails)?;
        Ok(if leaves == usize::MAX { active } else { self.or(then, otherwise) })
    }

    /// One of several regions, for those of a mask; `way` are all who would go there, taking part or not.
    fn arm(&mut self, region: &Region, mask: Mask, way: Mask) -> Result<Mask, Refusal> {
        if mask == Mask::None || region.nodes.is_empty() && region.yields.is_empty() {
            return Ok(mask);
        }
        let Mask::Some(v) = mask else {
            let reached = self.region(region, mask)?;
            let gets = self.yielding(way, reached);
            self.moves(&region.yields, gets);
            return Ok(reached);
        };
        let over = self.label();
        // A mask that is made inside would be missing on the way around.
        let leaves = exits(region, 0).outermost != usize::MAX;
        let variable = leaves.then(|| self.empty());
        self.push(MachineOp::JumpIfNone, NONE, [Src::V(v), Src::None, Src::None], over);
        // What the yields are made of is jumped over, too.
        self.depth += 1;
        let mut reached = self.region(region, mask)?;
        let gets = self.yielding(way, reached);
        self.moves(&region.yields, gets);
        self.depth -= 1;
        if let (Some(variable), Mask::Some(v)) = (variable, reached) {
            self.push(MachineOp::Copy, variable, [Src::V(v), Src::None, Src::None], 0);
            reached = Mask::Some(variable);
        }
        self.push(MachineOp::Label, NONE, [Src::None; 3], over);
        Ok(reached)
    }

    fn switch(&mut self, node: &Switch, active: Mask) -> Result<Mask, Refusal> {
        let depth = self.frames.len();
        let selector = self.exact(node.selector);
        self.variables(&node.results);
        let (mut rest, mut reached) = (active, Mask::None);
        let mut others = Mask::All;
        let mut leaves = exits(&node.default, depth).outermost;
        for (numbers, region) in &node.cases {
            leaves = leaves.min(exits(region, depth).outermost);
            let mut here = Mask::None;
            for &number in numbers {
                let number = self.word(number);
                let equal = self.mask_op(MachineOp::Equal, [selector, number, Src::None], 0);
                here = self.or(here, equal);
            }
            let mask = self.and(rest, here);
            rest = self.without(rest, here);
            let mut way = Mask::All;
            if self.quads {
                way = self.and(others, here);
                others = self.without(others, here);
            }
            let arm = self.arm(region, mask, way)?;
            reached = self.or(reached, arm);
        }
        let arm = self.arm(&node.default, rest, others)?;
        let reached = self.or(reached, arm);
        Ok(if leaves == usize::MAX { active } else { reached })
    }

    fn add_to(&mut self, v: V, mask: Mask) {
        let both = self.or(Mask::Some(v), mask);
        let both = self.mask_register(both);
        if both != v {
            self.push(MachineOp::Copy, v, [Src::V(both), Src::None, Src::None], 0);
        }
    }

    fn block(&mut self, node: &Block, active: Mask) -> Result<Mask, Refusal> {
        let depth = self.frames.len();
        // Whether somebody goes further than the end of this block.
        let further = exits(&node.body, depth).outermost < depth;
        self.variables(&node.results);
        let left = (further || self.quads).then(|| self.empty());
        self.frames.push(Frame { left, again: None });
        let reached = self.region(&node.body, active)?;
        let mut gets = self.yielding(Mask::All, reached);
        if let (Some(left), true) = (left, self.quads) {
            gets = self.without(gets, Mask::Some(left));
        }
        self.moves(&node.body.yields, gets);
        self.frames.pop();
        Ok(match left {
            Some(left) if further => self.or(reached, Mask::Some(left)),
            _ => active,
        })
    }

    fn cycle(&mut self, node: &Loop, active: Mask) -> Result<Mask, Refusal> {
        let depth = self.frames.len();
        let exits = exits(&node.body, depth);
        let further = exits.outermost < depth;
        let params: Vec<u32> = node.init.iter().map(|moved| moved.to).collect();
        let first: Vec<Value> = node.init.iter().map(|&moved| self.new_value(moved)).collect();
        self.variables(&params);
        for (&row, value) in params.iter().zip(first) {
            self.assign(row, value, Mask::All);
        }
        self.variables(&node.results);
        let left = further.then(|| self.empty());
        let again = exits.again.then(|| self.empty());
        let waiting: Vec<u32> = node.next.iter().map(|moved| moved.from).collect();
        if again.is_some() {
            self.variables(&waiting);
        }
        let start = self.mask_register(active);
        let round = self.virtual_register(Kind::Mask);
        self.push(MachineOp::Copy, round, [Src::V(start), Src::None, Src::None], 0);
        self.push(MachineOp::LoopBegin, NONE, [Src::None; 3], 0);
        if let Some(again) = again {
            self.push(MachineOp::MaskNone, again, [Src::None; 3], 0);
        }
        self.frames.push(Frame { left, again });
        self.depth += 1;
        let reached = self.region(&node.body, Mask::Some(round))?;
        self.frames.pop();
        let back = match again {
            Some(again) => {
                self.moves(&node.body.yields, reached);
                let back = self.or(reached, Mask::Some(again));
                let gets = if self.quads { back } else { Mask::All };
                for &moved in &node.next {
                    let value = self.new_value(moved);
                    self.assign(moved.to, value, gets);
                }
                back
            }
            None => {
                // All of them at once: a parameter that another one gets is read before it is written.
                let mut values = Vec::new();
                if reached != Mask::None {
                    for (yielded, next) in node.body.yields.iter().zip(&node.next) {
                        let value = self.new_value(Move { to: next.to, from: yielded.from });
                        values.push((next.to, value));
                    }
                }
                for at in 0..values.len() {
                    let (to, value) = values[at];
                    let own = self.values[to as usize];
                    let overwritten = values[..at].iter().any(|&(to, _)| self.values[to as usize] == value);
                    if overwritten && value != own {
                        values[at].1 = self.copied(value);
                    }
                }
                // Copies of what is overwritten have to be made before anything is.
                let late: Vec<_> =
                    values.iter().copied().filter(|&(to, value)| self.values[to as usize] != value).collect();
                // Who does not come back keeps them, if that counts.
                let gets = if self.quads { reached } else { Mask::All };
                for (to, value) in late {
                    self.assign(to, value, gets);
                }
                reached
            }
        };
        self.depth -= 1;
        let back = self.mask_register(back);
        if back != round {
            self.push(MachineOp::Copy, round, [Src::V(back), Src::None, Src::None], 0);
        }
        self.push(MachineOp::LoopEnd, NONE, [Src::V(round), Src::None, Src::None], 0);
        Ok(match left {
            None => active,
            Some(left) => Mask::Some(left),
        })
    }

    /// A copy of a variable that is about to change.
    fn copied(&mut self, value: Value) -> Value {
        match value {
            Value::Word(Src::V(v)) => Value::Word(self.one(MachineOp::Copy, Src::V(v))),
            Value::Mask(Mask::Some(v)) => {
                Value::Mask(self.mask_op(MachineOp::Copy, [Src::V(v), Src::None, Src::None], 0))
            }
            other => other,
        }
    }

    fn leave(&mut self, exit: &Exit, mask: Mask) {
        self.moves(&exit.moves, mask);
        if let Some(left) = self.frames.get(exit.depth).and_then(|frame| frame.left) {
            self.add_to(left, mask);
        }
    }

    fn again(&mut self, exit: &Exit, mask: Mask) {
        self.moves(&exit.moves, mask);
        if let Some(again) = self.frames.get(exit.depth).and_then(|frame| frame.again) {
            self.add_to(again, mask);
        }
    }
}
