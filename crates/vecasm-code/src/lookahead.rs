//! What is known of values before lanes are made: operations that one instruction does together with what reads them.
//!
//! Where a target lacks an operation, it is several; but a quotient that a texture read divides by itself, or a comparison that
//! a discard makes, need not be computed at all.

use crate::machine::{Kind, Machine, Truth};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Inst, Lod, Node, Op, Pick, Pure, Region, Scalar, Shader, Value};

/// What is done with values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Their operation stays what it is.
    pub(crate) kept: BTreeSet<Value>,
    /// They are another operation, of these arguments.
    pub(crate) fused: BTreeMap<Value, (Pure, Vec<Arg>)>,
    /// Nobody asks for them any more.
    pub(crate) skipped: BTreeSet<Value>,
    /// One operation alone reads them, wherever it stands.
    pub(crate) read_by: BTreeMap<Value, Pure>,
}

/// What reads a value.
#[derive(Clone, Copy)]
enum Use<'a> {
    Inst(&'a Inst),
    Condition,
    Other,
}

struct Values<'a> {
    shader: &'a Shader,
    machine: &'a Machine,
    made: Vec<Option<&'a Inst>>,
    uses: Vec<Vec<Use<'a>>>,
    plan: Plan,
}

/// The plan for the values of a shader.
pub(crate) fn plan(shader: &Shader, machine: &Machine) -> Plan {
    if machine.truth == Truth::Mask {
        return Plan::default();
    }
    let count = shader.values.len();
    let mut values = Values {
        shader,
        machine,
        made: vec![None; count],
        uses: vec![Vec::new(); count],
        plan: Plan::default(),
    };
    values.region(&shader.body);
    values.conditions();
    values.discards();
    values.quotients();
    values.lights();
    values.lengths();
    values.readers();
    values.plan
}

impl<'a> Values<'a> {
    fn region(&mut self, region: &'a Region) {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => {
                    if let Some(slot) = inst.result.and_then(|value| self.made.get_mut(value.index())) {
                        *slot = Some(inst);
                    }
                    self.note(self.shader.args(inst.args), Use::Inst(inst));
                }
                Node::If(of) => self.note(&[of.cond], Use::Condition),
                Node::Loop(of) => self.note(self.shader.args(of.init), Use::Other),
                Node::Switch(of) => self.note(&[of.selector], Use::Other),
                Node::Idiom(of) => self.note(self.shader.args(of.operands), Use::Other),
                Node::Leave { values, .. } | Node::Again { values, .. } => {
                    self.note(self.shader.args(*values), Use::Other);
                }
                Node::Block(_) => {}
            }
            node.for_each_region(|inner| self.region(inner));
        }
        self.note(self.shader.args(region.yields), Use::Other);
    }

    fn note(&mut self, args: &[Arg], of: Use<'a>) {
        for arg in args {
            if let Some(uses) = self.uses.get_mut(arg.value.index()) {
                uses.push(of);
            }
        }
    }

    fn inst(&self, arg: &Arg) -> Option<&'a Inst> {
        self.made.get(arg.value.index()).copied().flatten()
    }

    /// The arguments of an operation on floats, if that is what an argument is.
    fn operation(&self, op: Pure, arg: &Arg) -> Option<&'a [Arg]> {
        let inst = self.inst(arg)?;
        let args = self.shader.args(inst.args);
        (inst.op == Op::Pure(op) && op.scalar_of(self.shader, args) == Scalar::F32).then_some(args)
    }

    /// The bits of a number, the same in all lanes that an argument takes.
    fn number(&self, arg: &Arg) -> Option<u32> {
        let Op::Const(bits) = self.inst(arg)?.op else { return None };
        let mut lanes = (0..usize::from(arg.lanes)).map(|n| bits[usize::from(arg.swizzle.get(n) & 3)]);
        let first = lanes.next()?;
        lanes.all(|bits| bits == first).then_some(first)
    }

    fn is_zero(&self, arg: &Arg) -> bool {
        self.number(arg).is_some_and(|bits| bits << 1 == 0)
    }

    /// Whether everything that reads a value is one of these instructions.
    fn only_read_by(&self, value: Value, by: &[&Inst]) -> bool {
        self.uses.get(value.index()).is_some_and(|uses| {
            uses.iter()
                .all(|of| matches!(of, Use::Inst(inst) if by.iter().any(|by| core::ptr::eq(*by, *inst))))
        })
    }

    fn insts(&self) -> Vec<&'a Inst> {
        self.made.iter().copied().flatten().collect()
    }

    /// Values that nothing but one operation reads.
    fn readers(&mut self) {
        for inst in self.insts() {
            let Some(result) = inst.result else { continue };
            let op = |of: &Use<'_>| match of {
                Use::Inst(Inst { op: Op::Pure(op), .. }) => Some(*op),
                _ => None,
            };
            let mut uses = self.uses[result.index()].iter().map(op);
            if let Some(Some(first)) = uses.next() {
                if uses.all(|of| of == Some(first)) {
                    self.plan.read_by.insert(result, first);
                }
            }
        }
    }

    /// Comparisons that conditionals make.
    fn conditions(&mut self) {
        for inst in self.insts() {
            let (Op::Pure(op), Some(result)) = (inst.op, inst.result) else { continue };
            let args = self.shader.args(inst.args);
            let asked = self.uses[result.index()].iter().all(|of| matches!(of, Use::Condition));
            let float = op.scalar_of(self.shader, args) == Scalar::F32;
            if asked && float && self.machine.tests.contains(&op) {
                self.plan.kept.insert(result);
            }
        }
    }

    /// Comparisons with zero that discards make.
    fn discards(&mut self) {
        if !self.machine.quirks.kills_registers {
            return;
        }
        let mut discards = Vec::new();
        self.shader.body.for_each_inst(&mut |inst| {
            if inst.op == Op::Demote {
                discards.push(inst);
            }
        });
        for discard in discards {
            let Some(condition) = self.shader.args(discard.args).first() else { continue };
            let (tests, by) = match self.inst(condition) {
                Some(any) if any.op == Op::Pure(Pure::Any) => (self.shader.args(any.args), any),
                _ => (core::slice::from_ref(condition), discard),
            };
            let below = |arg: &Arg| {
                let args = self.operation(Pure::Lt, arg);
                args.is_some_and(|args| args.get(1).is_some_and(|of| self.is_zero(of)))
                    && self.only_read_by(arg.value, &[by])
            };
            let lanes: usize = tests.iter().map(|arg| usize::from(arg.lanes)).sum();
            if lanes > 4 || !tests.iter().all(below) || !self.only_read_by(condition.value, &[by, discard]) {
                continue;
            }
            self.plan.kept.extend(tests.iter().map(|arg| arg.value));
            self.plan.kept.insert(condition.value);
        }
    }

    /// Quotients that texture reads make.
    fn quotients(&mut self) {
        if !self.machine.reads.projected {
            return;
        }
        for inst in self.insts() {
            let (Op::Pure(Pure::Div), Some(result)) = (inst.op, inst.result) else { continue };
            let args = self.shader.args(inst.args);
            let [_, by] = args else { continue };
            let one = (1..usize::from(by.lanes)).all(|n| by.swizzle.get(n) == by.swizzle.get(0));
            let reads = |of: &Use<'_>| match of {
                Use::Inst(read) => {
                    let plain = matches!(
                        read.op,
                        Op::Sample {
                            lod: Lod::Implicit { bias_eighths: 0 },
                            compare: false,
                            offset: false,
                            pick: Pick::Fixed,
                            ..
                        }
                    );
                    plain && self.shader.args(read.args).len() == 1
                }
                _ => false,
            };
            let lanes = self.shader.value(result).ty.lanes;
            if one && lanes <= 3 && self.uses[result.index()].iter().all(reads) {
                self.plan.kept.insert(result);
            }
        }
    }

    /// `lit` as Direct3D has it: of the select all is in one instruction.
    fn lights(&mut self) {
        if !self.machine.says(Pure::Lit) {
            return;
        }
        for inst in self.insts() {
            let (Op::Pure(Pure::Select), Some(result)) = (inst.op, inst.result) else { continue };
            if let Some((args, inner)) = self.light(inst) {
                self.plan.fused.insert(result, (Pure::Lit, args));
                self.plan.skipped.extend(inner);
            }
        }
    }

    /// The three numbers that a light factor is made of, with the values that are only steps to it.
    fn light(&self, inst: &'a Inst) -> Option<(Vec<Arg>, Vec<Value>)> {
        let [both, power, zero] = self.shader.args(inst.args) else { return None };
        let both_inst = self.inst(both).filter(|of| of.op == Op::Pure(Pure::And))?;
        let [lit, shines] = self.shader.args(both_inst.args) else { return None };
        let above = |arg: &Arg| match self.operation(Pure::Lt, arg) {
            Some([zero, x]) if self.is_zero(zero) && x.lanes == 1 => Some(*x),
            _ => None,
        };
        let (x, y) = (above(lit)?, above(shines)?);
        let power_inst = self.inst(power)?;
        let [base, exponent] = self.operation(Pure::Pow, power)? else { return None };
        // Between limits, in either order.
        let outer = self.inst(exponent)?;
        let within = |arg: &Arg| {
            let of = |op: Pure| {
                let args = self.operation(op, arg)?;
                let (limit, of) = match args {
                    [a, b] if self.number(b).is_some() => (self.number(b)?, a),
                    [a, b] => (self.number(a)?, b),
                    _ => return None,
                };
                Some((op, f32::from_bits(limit).abs(), *of))
            };
            of(Pure::Min).or_else(|| of(Pure::Max))
        };
        let (first, most, inner) = within(exponent)?;
        let (second, least, w) = within(&inner)?;
        let limited = first != second && most == least && (127.0..=128.0).contains(&most);
        if !self.is_zero(zero) || !limited || !same(base, &y) || w.lanes != 1 {
            return None;
        }
        let inner_inst = self.inst(&inner)?;
        let steps = [
            (both.value, inst),
            (lit.value, both_inst),
            (shines.value, both_inst),
            (power.value, inst),
            (exponent.value, power_inst),
            (inner.value, outer),
        ];
        debug_assert!(inner_inst.result == Some(inner.value));
        let skipped = steps.iter().all(|(value, by)| self.only_read_by(*value, &[by]));
        skipped.then(|| (vec![x, y, w], steps.iter().map(|(value, _)| *value).collect()))
    }

    /// `nrm` as Direct3D has it: the vector of no length has the largest number in place of the reciprocal. Such a reciprocal
    /// is told from others by its second argument.
    fn lengths(&mut self) {
        if !self.machine.rows.iter().any(|row| row.kind == Kind::Normalize) {
            return;
        }
        for inst in self.insts() {
            let (Op::Pure(Pure::Select), Some(result)) = (inst.op, inst.result) else { continue };
            let [none, most, root] = self.shader.args(inst.args) else { continue };
            let Some([square, zero]) = self.operation(Pure::Eq, none) else { continue };
            let Some([of]) = self.operation(Pure::Rsq, root) else { continue };
            let fits = self.number(most) == Some(f32::MAX.to_bits())
                && self.is_zero(zero)
                && same(square, of)
                && self.operation(Pure::Dot, square).is_some();
            if !fits || !self.only_read_by(none.value, &[inst]) {
                continue;
            }
            self.plan.fused.insert(result, (Pure::Rsq, vec![*square, *square]));
            self.plan.skipped.insert(none.value);
            if self.only_read_by(root.value, &[inst]) {
                self.plan.skipped.insert(root.value);
            }
            // Products with it are by its own rule of zeros.
            for of in &self.uses[result.index()] {
                if let Use::Inst(Inst { op: Op::Pure(Pure::Mul), result: Some(product), .. }) = of {
                    self.plan.kept.insert(*product);
                }
            }
        }
    }
}

/// Whether two arguments of one lane are the same.
fn same(a: &Arg, b: &Arg) -> bool {
    a.value == b.value && a.lanes == 1 && b.lanes == 1 && a.swizzle.get(0) == b.swizzle.get(0)
}
