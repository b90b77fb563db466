//! Conditionals as selections, for targets that have none.

use super::rewrite::Rewrite;
use super::walk::Walk;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use vecasm_ir::ir::op::Effect;
use vecasm_ir::ir::{Arg, Arith, Block, If, Inst, Label, Node, Op, Pure, Region, Shader, Type, Value};

/// Computes both branches of conditionals, and selects: results, what is stored to outputs and local arrays, and whether a fragment is
/// demoted. Blocks that something leaves go the same way: what follows an exit does nothing where it was taken.
///
/// What has another effect stays as it is, with the conditionals and blocks around it: loops (see [`unroll`](super::unroll()), which
/// comes first), switches (see [`lower`](super::lower())), what writes parameters and memory, counts votes, emits vertices or marks
/// steps (see [`steps::strip`](vecasm_ir::ir::steps::strip)). Stores read what was there before; [`promote`](super::promote()) makes
/// values of that.
#[must_use]
pub fn flatten(shader: &Shader) -> Shader {
    flattened(shader, &BTreeSet::new())
}

/// The same, but conditionals on boolean constants stay, for targets that have those alone.
#[must_use]
pub fn flatten_dynamic(shader: &Shader) -> Shader {
    let mut constant = BTreeSet::new();
    shader.body.for_each_inst(&mut |inst| {
        let is_constant = match inst.op {
            Op::Param { .. } => true,
            Op::Pure(Pure::Not) => shader.args(inst.args).iter().all(|arg| constant.contains(&arg.value)),
            _ => false,
        };
        constant.extend(inst.result.filter(|_| is_constant));
    });
    flattened(shader, &constant)
}

/// Flattens all conditionals but those on these values.
fn flattened(shader: &Shader, constant: &BTreeSet<Value>) -> Shader {
    let mut kept = BTreeMap::new();
    look(&shader.body, shader, constant, &mut kept);
    let mut pass = Flatten { rw: Rewrite::new(shader), kept, active: Active::Always, frames: Vec::new() };
    pass.nodes(&shader.body);
    pass.rw.b.finish()
}

/// A node with regions, by its address.
type NodeKey = *const Node;

/// What there is of regions.
#[derive(Default)]
struct Inside {
    /// Whether something in it cannot be selected.
    stays: bool,
    /// Blocks and loops around it that something in it leaves, or goes round again.
    exits: BTreeSet<Label>,
}

/// Notes for each conditional and block what is in it.
fn look(
    region: &Region,
    shader: &Shader,
    constant: &BTreeSet<Value>,
    out: &mut BTreeMap<NodeKey, Inside>,
) -> Inside {
    let mut all = Inside::default();
    for node in &region.nodes {
        let mut here = Inside::default();
        node.for_each_region(|region| {
            let inner = look(region, shader, constant, out);
            here.stays |= inner.stays;
            here.exits.extend(inner.exits);
        });
        match node {
            Node::Inst(inst) => here.stays = !can_be_selected(inst.op, shader),
            Node::Leave { label, .. } => here.exits.extend([*label]),
            Node::Again { .. } | Node::Loop(_) | Node::Switch(_) => here.stays = true,
            Node::Block(block) => _ = here.exits.remove(&block.label),
            Node::If(_) | Node::Idiom(_) => {}
        }
        // One that stays stands in what goes, unless something would go on behind it.
        let is_constant = matches!(node, Node::If(of) if constant.contains(&of.cond.value));
        let leaves = is_constant && !here.exits.is_empty();
        all.stays |= here.stays || leaves;
        all.exits.extend(here.exits.iter().copied());
        here.stays |= is_constant;
        if matches!(node, Node::If(_) | Node::Block(_)) {
            out.insert(node, here);
        }
    }
    all
}

/// Whether an operation may be done where nobody asks for it, or can be told not to.
fn can_be_selected(op: Op, shader: &Shader) -> bool {
    match op {
        // A cell of the patch is one for all its invocations.
        Op::StoreOutput { output, .. } => {
            shader.outputs.get(output.index()).is_some_and(|output| !output.kind.is_of_patch())
        }
        Op::StoreLocal { .. } | Op::Demote => true,
        _ => {
            let alone = matches!(op.effect(), Effect::None | Effect::Query | Effect::Read | Effect::Observe);
            alone && !op.needs_subgroup()
        }
    }
}

/// Where an invocation is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Active {
    Always,
    Where(Arg),
    /// Where it does not hold.
    Unless(Arg),
    /// Nobody comes here.
    Never,
}

/// A block that is being flattened: where it was left so far, and with what.
struct Frame {
    label: Label,
    left: Vec<(Active, Vec<Arg>)>,
}

struct Flatten<'a> {
    rw: Rewrite<'a>,
    kept: BTreeMap<NodeKey, Inside>,
    active: Active,
    frames: Vec<Frame>,
}

impl<'a> Walk<'a> for Flatten<'a> {
    fn rw(&mut self) -> &mut Rewrite<'a> {
        &mut self.rw
    }

    fn inst(&mut self, inst: &'a Inst) {
        let active = self.active;
        if matches!(active, Active::Always | Active::Never) {
            return self.copy_inst(inst, inst.op);
        }
        let load = match inst.op {
            Op::StoreOutput { output, mask } => {
                let Some(cell) = self.rw.from.outputs.get(output.index()) else { return };
                Some((Op::LoadOutput(output), cell.scalar, mask))
            }
            Op::StoreLocal { array, index, mask } => {
                let Some(cell) = self.rw.from.locals.get(array.index()) else { return };
                Some((Op::LoadLocal { array, index }, cell.scalar, mask))
            }
            Op::Demote => None,
            op => return self.copy_inst(inst, op),
        };
        let Some(&given) = self.rw.from.args(inst.args).first() else { return };
        self.rw.b.step = inst.step;
        self.rw.b.arith = Arith::IEEE;
        let given = self.rw.arg(given);
        let guarded = match load {
            None => match self.and(active, given) {
                Active::Where(both) => both,
                _ => given,
            },
            Some((load, scalar, mask)) => {
                let old = self.rw.b.push(load, &[], Type::new(scalar, 4));
                let old = self.rw.b.gather(mask.lanes().map(|lane| (old, lane as u8)));
                self.select(active, given, old)
            }
        };
        self.rw.b.arith = Arith::IEEE;
        self.rw.b.effect(inst.op, &[guarded]);
    }

    fn node(&mut self, node: &'a Node) -> bool {
        match node {
            Node::If(of) if self.goes(node) => self.branches(of),
            Node::Block(of) if self.goes(node) => self.block(of),
            Node::Leave { label, values } => {
                let Some(at) = self.frames.iter().rposition(|frame| frame.label == *label) else {
                    return self.copy_node(node);
                };
                let values = self.rw.args(*values);
                let active = core::mem::replace(&mut self.active, Active::Never);
                if let Some(frame) = self.frames.get_mut(at) {
                    frame.left.push((active, values));
                }
                true
            }
            // The bracket says what is always done.
            Node::Idiom(of) if self.active != Active::Always => self.splice(&of.body, &of.results),
            node => self.copy_node(node),
        }
    }
}

impl<'a> Flatten<'a> {
    /// Whether a conditional or a block goes: what leaves it for something around it is known there.
    fn goes(&self, node: &'a Node) -> bool {
        self.kept.get(&(node as NodeKey)).is_some_and(|inside| {
            let known = |label: &Label| self.frames.iter().any(|frame| frame.label == *label);
            !inside.stays && inside.exits.iter().all(known)
        })
    }

    fn select(&mut self, active: Active, then: Arg, otherwise: Arg) -> Arg {
        self.rw.b.arith = Arith::IEEE;
        let args = match active {
            _ if then == otherwise => return then,
            Active::Always => return then,
            Active::Never => return otherwise,
            Active::Where(cond) => [cond, then, otherwise],
            Active::Unless(cond) => [cond, otherwise, then],
        };
        self.rw.b.pure(Pure::Select, &args)
    }

    /// A condition as a value; nothing where it is known.
    fn value(&mut self, active: Active) -> Option<Arg> {
        self.rw.b.arith = Arith::IEEE;
        match active {
            Active::Where(cond) => Some(cond),
            Active::Unless(cond) => Some(self.rw.b.pure(Pure::Not, &[cond])),
            Active::Always | Active::Never => None,
        }
    }

    fn and(&mut self, active: Active, cond: Arg) -> Active {
        match (active, self.value(active)) {
            (Active::Never, _) => Active::Never,
            (_, None) => Active::Where(cond),
            (_, Some(active)) => Active::Where(self.rw.b.pure(Pure::And, &[active, cond])),
        }
    }

    fn or(&mut self, one: Active, other: Active) -> Active {
        match (one, other) {
            (Active::Never, active) | (active, Active::Never) => active,
            _ => match (self.value(one), self.value(other)) {
                (Some(one), Some(other)) => Active::Where(self.rw.b.pure(Pure::Or, &[one, other])),
                _ => Active::Always,
            },
        }
    }

    /// How often blocks were left so far.
    fn exits(&self) -> usize {
        self.frames.iter().map(|frame| frame.left.len()).sum()
    }

    /// A branch, and what it yields; nothing if it ends in an exit.
    fn branch(&mut self, region: &'a Region, active: Active) -> Option<Vec<Arg>> {
        self.active = active;
        if self.nodes(region) {
            return None;
        }
        Some(self.rw.args(region.yields))
    }

    /// Says whether what stands behind it is cut off.
    fn branches(&mut self, node: &'a If) -> bool {
        let (outer, exits) = (self.active, self.exits());
        let cond = self.rw.arg(node.cond);
        let inside = self.and(outer, cond);
        let then = self.branch(&node.then, inside);
        let then_active = self.active;
        let inside = match outer {
            Active::Always => Active::Unless(cond),
            _ => {
                self.rw.b.arith = Arith::IEEE;
                let opposite = self.rw.b.pure(Pure::Not, &[cond]);
                self.and(outer, opposite)
            }
        };
        let otherwise = self.branch(&node.otherwise, inside);
        self.active = if exits == self.exits() { outer } else { self.or(then_active, self.active) };
        let values: Vec<Arg> = match (then, otherwise) {
            (Some(then), Some(otherwise)) => {
                then.into_iter().zip(otherwise).map(|(a, b)| self.select(Active::Where(cond), a, b)).collect()
            }
            (Some(values), None) | (None, Some(values)) => values,
            (None, None) => return true,
        };
        self.give(&node.results, &values);
        false
    }

    /// Says whether what stands behind it is cut off.
    fn block(&mut self, node: &'a Block) -> bool {
        let (outer, exits) = (self.active, self.exits());
        self.frames.push(Frame { label: node.label, left: Vec::new() });
        let ended = self.branch(&node.body, outer);
        let left = self.frames.pop().map(|frame| frame.left).unwrap_or_default();
        let mut active = self.active;
        let mut values = ended;
        for (of, given) in left {
            active = self.or(active, of);
            values = Some(match (values, of) {
                (Some(values), of) => {
                    given.into_iter().zip(values).map(|(a, b)| self.select(of, a, b)).collect()
                }
                (None, _) => given,
            });
        }
        self.active = if exits == self.exits() { outer } else { active };
        let Some(values) = values else { return true };
        self.give(&node.results, &values);
        false
    }

    fn give(&mut self, results: &[Value], values: &[Arg]) {
        for (&result, &value) in results.iter().zip(values) {
            self.rw.put_arg(result, value);
        }
    }
}
