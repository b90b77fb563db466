//! One arithmetic for a whole shader.
//!
//! Programs of two instruction sets compute by two arithmetics, so that a translation cannot give the bits of its source.
//! What it keeps are the operations: by one arithmetic, whichever that is, both give the same.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{
    Arg, Args, Arith, Inst, Node, Op, Pure, Region, Rule, Scalar, Shader, Type, Value, ValueInfo,
};

/// A shader under one arithmetic.
#[derive(Clone, Debug, PartialEq)]
pub struct Imposed {
    /// The shader. Its tables are those of the original; values have their numbers, new ones are behind them.
    pub shader: Shader,
    /// The operations that have no definition under the rule, in the order of their table: they compute by IEEE 754.
    pub kept: Vec<Pure>,
}

/// The shader with every operation on f32 computed by one rule, and denormals as that rule has them where it is at home:
/// `ieee` and `zero_wins` keep them, `nv20` flushes those that enter its products.
///
/// An operation means what its word means under the rule. Two words of nv20 mean something else elsewhere: `rsq` and `log2`
/// take the magnitude there, so they get an `abs` when they leave nv20. Operations that nv20 does not define stay IEEE 754
/// and are [named](Imposed::kept), but for conversions, which round nothing that nv20 would round otherwise. The reciprocal of a root
/// that nothing else reads, by which TGSI rounds its RSQ twice, becomes the `rsq` that it is elsewhere.
#[must_use]
pub fn impose(shader: &Shader, rule: Rule) -> Imposed {
    imposed(shader, rule, false)
}

/// The same for a source and its translation, of which each says a selection as its instruction set does: those by `x >= 0` become those
/// by `x < 0`, which chooses otherwise for NaN alone.
#[must_use]
pub fn impose_on_translation(shader: &Shader, rule: Rule) -> Imposed {
    imposed(shader, rule, true)
}

fn imposed(shader: &Shader, rule: Rule, turns: bool) -> Imposed {
    let mut out = shader.clone();
    let mut uses = vec![0; out.values.len()];
    for arg in &out.args {
        if let Some(uses) = uses.get_mut(arg.value.index()) {
            *uses += 1;
        }
    }
    let mut tests: BTreeMap<Value, u32> = BTreeMap::new();
    let mut zeros: BTreeSet<Value> = BTreeSet::new();
    out.body.for_each_inst(&mut |inst| {
        if let (Op::Const([0, 0, 0, 0]), Some(result)) = (inst.op, inst.result) {
            zeros.insert(result);
        }
        if let (Op::Pure(Pure::Select), [condition, ..]) = (inst.op, out.args(inst.args)) {
            *tests.entry(condition.value).or_default() += 1;
        }
    });
    tests.retain(|value, read| turns && uses.get(value.index()) == Some(read));
    let body = core::mem::take(&mut out.body);
    let mut imposing = Imposing {
        out,
        rule,
        kept: Vec::new(),
        roots: BTreeMap::new(),
        turned: BTreeSet::new(),
        tests,
        zeros,
        uses,
    };
    let body = imposing.region(body);
    let Imposing { mut out, mut kept, .. } = imposing;
    out.body = body;
    kept.sort_unstable_by_key(|pure| *pure as usize);
    kept.dedup();
    Imposed { shader: out, kept }
}

struct Imposing {
    out: Shader,
    rule: Rule,
    kept: Vec<Pure>,
    /// Roots of one lane that one operation reads: of what.
    roots: BTreeMap<Value, Arg>,
    /// What selections alone ask, and how many; zeros; and comparisons with those that were turned round.
    tests: BTreeMap<Value, u32>,
    zeros: BTreeSet<Value>,
    turned: BTreeSet<Value>,
    /// How often each value is an argument.
    uses: Vec<u32>,
}

impl Imposing {
    fn region(&mut self, region: Region) -> Region {
        let mut nodes = Vec::with_capacity(region.nodes.len());
        for mut node in region.nodes {
            if let Node::Inst(inst) = &mut node {
                if let Some(first) = self.inst(inst) {
                    nodes.push(Node::Inst(first));
                }
            }
            node.for_each_region_mut(|inner| *inner = self.region(core::mem::take(inner)));
            nodes.push(node);
        }
        Region { nodes, yields: region.yields }
    }

    /// Gives an instruction its arithmetic. What has to stand in front of it is given back.
    fn inst(&mut self, inst: &mut Inst) -> Option<Inst> {
        self.turn_selection(inst);
        let scalar = match inst.op {
            Op::Pure(pure) => pure.scalar_of(&self.out, self.out.args(inst.args)),
            Op::Ddx(_) | Op::Ddy(_) => Scalar::F32,
            _ => return None,
        };
        if scalar != Scalar::F32 {
            return None;
        }
        self.join_root(inst);
        self.turn_comparison(inst);
        let was = inst.arith;
        let wanted = Arith { rule: self.rule, flush: false, precise: was.precise };
        let undefined = match inst.op {
            Op::Pure(pure) if self.rule == Rule::Nv20 && !pure.has_nv20() => Some(pure),
            _ => None,
        };
        if let Some(pure) = undefined {
            inst.arith = Arith { rule: Rule::Ieee, ..wanted }.concerning(inst.op, scalar);
            if !is_conversion(pure) {
                self.kept.push(pure);
            }
            return None;
        }
        inst.arith = wanted.concerning(inst.op, scalar);
        let leaves = was.rule == Rule::Nv20 && self.rule != Rule::Nv20;
        if leaves && matches!(inst.op, Op::Pure(Pure::Rsq | Pure::Log2)) {
            return self.magnitude(inst);
        }
        None
    }

    /// Lets a comparison of floats with zero by which alone selections choose be `lt` in place of `ge`, which is the same but for
    /// NaN: instruction sets have one or the other.
    fn turn_comparison(&mut self, inst: &mut Inst) {
        if let (Op::Pure(Pure::Ge), Some(result), [_, zero]) =
            (inst.op, inst.result, self.out.args(inst.args))
        {
            if self.tests.contains_key(&result) && self.zeros.contains(&zero.value) {
                inst.op = Op::Pure(Pure::Lt);
                self.turned.insert(result);
            }
        }
    }

    /// Lets a selection choose the other way round where its comparison was turned.
    fn turn_selection(&mut self, inst: &mut Inst) {
        if inst.op != Op::Pure(Pure::Select) {
            return;
        }
        let &[condition, yes, no] = self.out.args(inst.args) else { return };
        if self.turned.contains(&condition.value) {
            let start = self.out.args.len() as u32;
            self.out.args.extend([condition, no, yes]);
            inst.args = Args { start, len: 3 };
        }
    }

    /// Makes the reciprocal of a root one operation; notes roots.
    fn join_root(&mut self, inst: &mut Inst) {
        let &[of] = self.out.args(inst.args) else { return };
        match (inst.op, inst.result) {
            (Op::Pure(Pure::Sqrt), Some(result))
                if of.lanes == 1 && self.uses.get(result.index()) == Some(&1) =>
            {
                self.roots.insert(result, of);
            }
            (Op::Pure(Pure::Rcp), _) if of.lanes == 1 => {
                if let Some(&of) = self.roots.get(&of.value) {
                    // The root is now nobody's, and no reason for a note.
                    if let Some(place) = self.kept.iter().rposition(|pure| *pure == Pure::Sqrt) {
                        self.kept.remove(place);
                    }
                    inst.op = Op::Pure(Pure::Rsq);
                    inst.args = self.list(of);
                }
            }
            _ => {}
        }
    }

    /// The magnitude of the argument of an instruction, which then takes that.
    fn magnitude(&mut self, inst: &mut Inst) -> Option<Inst> {
        let &of = self.out.args(inst.args).first()?;
        let value = Value::new(self.out.values.len() as u32);
        self.out.values.push(ValueInfo { ty: Type::new(Scalar::F32, of.lanes), home: None });
        let first = Inst {
            op: Op::Pure(Pure::Abs),
            arith: Arith::IEEE,
            result: Some(value),
            args: self.list(of),
            step: inst.step,
            tail: inst.tail,
        };
        inst.args = self.list(Arg::all_lanes(value, of.lanes));
        Some(first)
    }

    fn list(&mut self, arg: Arg) -> Args {
        let start = self.out.args.len() as u32;
        self.out.args.push(arg);
        Args { start, len: 1 }
    }
}

/// Whether an operation gives the number it is given, as another type.
const fn is_conversion(pure: Pure) -> bool {
    matches!(
        pure,
        Pure::ToF32 | Pure::ToF64 | Pure::ToI32 | Pure::ToU32 | Pure::ToI64 | Pure::ToU64 | Pure::ToHalf
    )
}
