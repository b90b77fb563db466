//! Straightens `if`s around operations that look at their neighbours.
//!
//! The IR computes pure operations for every invocation of a quad, so a derivative or an implicit texture read is
//! defined inside divergent flow. Most targets refuse or leave undefined just that. [`flatten`] makes both arms of
//! such an `if` straight code: what it yielded is selected, and effects are guarded by the conditions around them.
//! Conditions that are the same for all invocations keep their `if`.
//!
//! One thing is not kept, because only an invocation that is not active could see it: an arm that no invocation of
//! the quad enters yields zero in the IR, and here what it computes.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Args, If, Inst, Node, Op, Pure, Region, Shader, Stage, Type, Value, ValueInfo};

/// What [`flatten`] found.
#[derive(Debug)]
pub struct Flattened {
    /// The rewritten shader, or `None` if there was nothing to do.
    pub shader: Option<Shader>,
    /// Whether an operation that needs its quad is left where control flow may diverge. Blocks and loops are not
    /// straightened.
    pub divergent: bool,
}

/// Straightens every `if` of a fragment shader whose condition may differ between invocations and which holds an
/// operation that needs its quad, at any depth.
pub fn flatten(shader: &Shader) -> Flattened {
    if shader.stage != Stage::Fragment || !nested_quad(&shader.body) {
        return Flattened { shader: None, divergent: false };
    }
    let mut uniform = Uniform { shader, values: vec![false; shader.values.len()] };
    uniform.region(&shader.body);
    let uniform = uniform.values;
    if !divergent(&uniform, &shader.body, false) {
        return Flattened { shader: None, divergent: false };
    }
    let mut out = shader.clone();
    let body = core::mem::take(&mut out.body);
    let mut pass = Pass { shader: &mut out, uniform: &uniform, step: 0 };
    let mut nodes = Vec::with_capacity(body.nodes.len());
    pass.nodes(body.nodes, None, &mut nodes);
    out.body = Region { nodes, yields: body.yields };
    // Values made by the pass come from conditions that differ between invocations.
    let mut uniform = uniform;
    uniform.resize(out.values.len(), false);
    let left = divergent(&uniform, &out.body, false);
    Flattened { shader: Some(out), divergent: left }
}

/// Whether an operation inside a nested region needs its quad.
fn nested_quad(body: &Region) -> bool {
    body.nodes.iter().any(|node| match node {
        Node::If(node) => has_quad(&node.then) || has_quad(&node.otherwise),
        Node::Block(node) => has_quad(&node.body),
        Node::Loop(node) => has_quad(&node.body),
        Node::Switch(node) => {
            node.cases.iter().any(|(_, region)| has_quad(region)) || has_quad(&node.default)
        }
        Node::Idiom(node) => nested_quad(&node.body),
        Node::Inst(_) | Node::Leave { .. } | Node::Again { .. } => false,
    })
}

fn has_quad(region: &Region) -> bool {
    let mut found = false;
    region.for_each_inst(&mut |inst| found |= inst.op.needs_quad());
    found
}

/// Finds the values that are the same for all invocations.
struct Uniform<'a> {
    shader: &'a Shader,
    values: Vec<bool>,
}

impl Uniform<'_> {
    fn all(&self, args: Args) -> bool {
        self.shader.args(args).iter().all(|arg| self.is(*arg))
    }

    fn is(&self, arg: Arg) -> bool {
        self.values.get(arg.value.index()).copied().unwrap_or(false)
    }

    fn set(&mut self, value: Value, uniform: bool) {
        if let Some(slot) = self.values.get_mut(value.index()) {
            *slot = uniform;
        }
    }

    fn region(&mut self, region: &Region) {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => {
                    let kind = matches!(
                        inst.op,
                        Op::Pure(_)
                            | Op::Const(_)
                            | Op::Compose
                            | Op::State(_)
                            | Op::Param { .. }
                            | Op::ParamAt { .. }
                    );
                    let uniform = kind && self.all(inst.args);
                    if let Some(value) = inst.result {
                        self.set(value, uniform);
                    }
                }
                Node::If(node) => {
                    self.region(&node.then);
                    self.region(&node.otherwise);
                    let cond = self.is(node.cond);
                    let shader = self.shader;
                    let (then, otherwise) =
                        (shader.args(node.then.yields), shader.args(node.otherwise.yields));
                    for (i, result) in node.results.iter().enumerate() {
                        let both = then.get(i).is_some_and(|a| self.is(*a))
                            && otherwise.get(i).is_some_and(|a| self.is(*a));
                        self.set(*result, cond && both);
                    }
                }
                // What an early exit under a divergent condition decides is not uniform; results and parameters
                // are taken to be decided that way.
                Node::Block(node) => self.region(&node.body),
                Node::Loop(node) => self.region(&node.body),
                Node::Idiom(node) => self.region(&node.body),
                Node::Switch(node) => {
                    node.cases.iter().for_each(|(_, region)| self.region(region));
                    self.region(&node.default);
                }
                Node::Leave { .. } | Node::Again { .. } => {}
            }
        }
    }
}

/// Whether a quad operation stands where flow may have diverged.
fn divergent(uniform: &[bool], region: &Region, inside: bool) -> bool {
    region.nodes.iter().any(|node| match node {
        Node::Inst(inst) => inside && inst.op.needs_quad(),
        Node::If(node) => {
            let inside = inside || !uniform.get(node.cond.value.index()).copied().unwrap_or(false);
            divergent(uniform, &node.then, inside) || divergent(uniform, &node.otherwise, inside)
        }
        Node::Block(node) => divergent(uniform, &node.body, true),
        Node::Loop(node) => divergent(uniform, &node.body, true),
        Node::Idiom(node) => divergent(uniform, &node.body, inside),
        Node::Switch(node) => {
            node.cases.iter().any(|(_, region)| divergent(uniform, region, true))
                || divergent(uniform, &node.default, true)
        }
        Node::Leave { .. } | Node::Again { .. } => false,
    })
}

/// Whether an `if` can be straightened: nothing inside leaves or repeats.
fn straight(region: &Region) -> bool {
    region.nodes.iter().all(|node| match node {
        Node::Inst(_) => true,
        Node::If(node) => straight(&node.then) && straight(&node.otherwise),
        _ => false,
    })
}

struct Pass<'a> {
    shader: &'a mut Shader,
    uniform: &'a [bool],
    step: u32,
}

impl Pass<'_> {
    /// Moves `nodes` to `out`; effects happen only where `guard` is true.
    fn nodes(&mut self, nodes: Vec<Node>, guard: Option<Arg>, out: &mut Vec<Node>) {
        for node in nodes {
            match node {
                Node::Inst(inst) => {
                    self.step = inst.step;
                    self.inst(inst, guard, out);
                }
                Node::If(node) => self.branch(*node, guard, out),
                // A guard only exists inside a straightened arm, which has no blocks and loops.
                Node::Block(mut node) => {
                    node.body = self.region(node.body, guard);
                    out.push(Node::Block(node));
                }
                Node::Loop(mut node) => {
                    node.body = self.region(node.body, guard);
                    out.push(Node::Loop(node));
                }
                Node::Switch(mut node) => {
                    for (_, region) in &mut node.cases {
                        *region = self.region(core::mem::take(region), guard);
                    }
                    node.default = self.region(core::mem::take(&mut node.default), guard);
                    out.push(Node::Switch(node));
                }
                Node::Idiom(mut node) => {
                    node.body = self.region(node.body, guard);
                    out.push(Node::Idiom(node));
                }
                exit @ (Node::Leave { .. } | Node::Again { .. }) => out.push(exit),
            }
        }
    }

    fn region(&mut self, region: Region, guard: Option<Arg>) -> Region {
        let mut nodes = Vec::with_capacity(region.nodes.len());
        self.nodes(region.nodes, guard, &mut nodes);
        Region { nodes, yields: region.yields }
    }

    fn inst(&mut self, mut inst: Inst, guard: Option<Arg>, out: &mut Vec<Node>) {
        let Some(guard) = guard else {
            return out.push(Node::Inst(inst));
        };
        match inst.op {
            Op::Demote => {
                if let Some(test) = self.shader.args(inst.args).first().copied() {
                    let both = self.pure(Pure::And, &[guard, test], Type::BOOL, None, out);
                    inst.args = self.list(&[both]);
                }
                out.push(Node::Inst(inst));
            }
            Op::StoreOutput { .. } => {
                // Stores that follow one another share the test.
                if let Some(Node::If(last)) = out.last_mut() {
                    if last.cond == guard && last.results.is_empty() && last.otherwise.nodes.is_empty() {
                        return last.then.nodes.push(Node::Inst(inst));
                    }
                }
                let then = Region { nodes: vec![Node::Inst(inst)], yields: Args::default() };
                let (otherwise, results) = (Region::default(), Vec::new());
                out.push(Node::If(Box::new(If { cond: guard, then, otherwise, results })));
            }
            Op::Mark(_) => out.push(Node::Inst(inst)),
            op if op.is_pure() => out.push(Node::Inst(inst)),
            // An effect that gives a value gives zero where it does not happen; nobody there sees it.
            _ => {
                let (mut results, mut yields, mut zeros) = (Vec::new(), Args::default(), Args::default());
                if let Some(result) = inst.result {
                    let ty = self.shader.value(result).ty;
                    let [given, zero] = [(); 2].map(|()| {
                        self.shader.values.push(ValueInfo { ty, home: None });
                        Value::new(self.shader.values.len() as u32 - 1)
                    });
                    let (op, arith, args) = (Op::Const([0; 4]), inst.arith, Args::default());
                    out.push(Node::Inst(Inst {
                        op,
                        arith,
                        result: Some(zero),
                        args,
                        step: inst.step,
                        tail: None,
                    }));
                    inst.result = Some(given);
                    yields = self.list(&[Arg::all_lanes(given, ty.lanes)]);
                    zeros = self.list(&[Arg::all_lanes(zero, ty.lanes)]);
                    results.push(result);
                }
                let then = Region { nodes: vec![Node::Inst(inst)], yields };
                let otherwise = Region { nodes: Vec::new(), yields: zeros };
                out.push(Node::If(Box::new(If { cond: guard, then, otherwise, results })));
            }
        }
    }

    fn branch(&mut self, mut node: If, guard: Option<Arg>, out: &mut Vec<Node>) {
        let keep = self.uniform.get(node.cond.value.index()).copied().unwrap_or(false)
            || !(has_quad(&node.then) || has_quad(&node.otherwise))
            || !(straight(&node.then) && straight(&node.otherwise));
        if keep {
            node.then = self.region(node.then, guard);
            node.otherwise = self.region(node.otherwise, guard);
            return out.push(Node::If(Box::new(node)));
        }
        let yes = self.and(guard, node.cond, has_effects(&node.then), out);
        self.nodes(node.then.nodes, Some(yes), out);
        let mut no = node.cond;
        if has_effects(&node.otherwise) {
            no = self.pure(Pure::Not, &[node.cond], Type::BOOL, None, out);
            no = self.and(guard, no, true, out);
        }
        self.nodes(node.otherwise.nodes, Some(no), out);
        for (i, result) in node.results.iter().enumerate() {
            let at = |yields: Args, shader: &Shader| shader.args(yields).get(i).copied();
            let then = at(node.then.yields, self.shader);
            let otherwise = at(node.otherwise.yields, self.shader);
            if let (Some(then), Some(otherwise)) = (then, otherwise) {
                let ty = self.shader.value(*result).ty;
                self.pure(Pure::Select, &[node.cond, then, otherwise], ty, Some(*result), out);
            }
        }
    }

    /// `guard` and `cond`; only computed if it is needed.
    fn and(&mut self, guard: Option<Arg>, cond: Arg, needed: bool, out: &mut Vec<Node>) -> Arg {
        match guard {
            Some(guard) if needed => self.pure(Pure::And, &[guard, cond], Type::BOOL, None, out),
            _ => cond,
        }
    }

    fn list(&mut self, args: &[Arg]) -> Args {
        let start = self.shader.args.len() as u32;
        self.shader.args.extend_from_slice(args);
        Args { start, len: args.len() as u32 }
    }

    fn pure(&mut self, op: Pure, args: &[Arg], ty: Type, result: Option<Value>, out: &mut Vec<Node>) -> Arg {
        let result = result.unwrap_or_else(|| {
            self.shader.values.push(ValueInfo { ty, home: None });
            Value::new(self.shader.values.len() as u32 - 1)
        });
        let args = self.list(args);
        let arith = vecasm_ir::ir::Arith::IEEE;
        out.push(Node::Inst(Inst {
            op: Op::Pure(op),
            arith,
            result: Some(result),
            args,
            step: self.step,
            tail: None,
        }));
        Arg::all_lanes(result, ty.lanes)
    }
}

fn has_effects(region: &Region) -> bool {
    let mut found = false;
    region.for_each_inst(&mut |inst| found |= !inst.op.is_pure());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use vecasm_exec::interp::Interp;
    use vecasm_exec::{Batch, Engine, Outputs};
    use vecasm_ir::ir::Slope;
    use vecasm_ir::ir::op::TypeClass;
    use vecasm_ir::ir::random::{Rng, Size, shader};
    use vecasm_ir::ir::verify::verify;

    /// Makes derivatives of some operations with one argument.
    fn derive(rng: &mut Rng, region: &mut Region) {
        for node in &mut region.nodes {
            match node {
                Node::Inst(inst) => {
                    if let Op::Pure(op) = inst.op {
                        if op.arity() == 1 && op.type_class() == TypeClass::Single {
                            inst.op = if rng.one_in(2) { Op::Ddx(Slope::Fine) } else { Op::Ddy(Slope::Fine) };
                        }
                    }
                }
                node => node.for_each_region_mut(|region| derive(rng, region)),
            }
        }
    }

    fn run(shader: &Shader, rng: &Rng) -> Outputs {
        let mut rng = rng.clone();
        let mut list =
            |n: usize| (0..n).map(|_| core::array::from_fn(|_| rng.float())).collect::<Vec<[u32; 4]>>();
        let batch = Batch {
            count: 16,
            inputs: vec![list(16), list(16)],
            params: vec![list(4)],
            fuel: Some(20),
            ..Batch::default()
        };
        let mut outputs = Interp.run(shader, &batch).unwrap();
        for lane in outputs.cells.iter_mut().flatten().flatten() {
            if f32::from_bits(*lane).is_nan() {
                *lane = 0x7fc0_0000;
            }
        }
        outputs
    }

    /// In shaders without nested regions no invocation can see an arm that none entered, so nothing may change.
    #[test]
    fn straightening_keeps_the_meaning() {
        let mut straightened = 0;
        for seed in 0..3000 {
            let mut rng = Rng::new(seed);
            let mut before = shader(&mut rng, Size { nodes: 30, depth: 1 });
            if before.stage != Stage::Fragment {
                continue;
            }
            derive(&mut rng, &mut before.body);
            assert_eq!(verify(&before), [], "seed {seed}");
            let flat = flatten(&before);
            let Some(after) = flat.shader else { continue };
            straightened += 1;
            assert_eq!(verify(&after), [], "seed {seed}");
            assert_eq!(run(&after, &rng), run(&before, &rng), "seed {seed}\n{before:#?}\n{after:#?}");
            let mut uniform = Uniform { shader: &after, values: vec![false; after.values.len()] };
            uniform.region(&after.body);
            assert_eq!(divergent(&uniform.values, &after.body, false), flat.divergent, "seed {seed}");
        }
        assert!(straightened > 100, "only {straightened} shaders had something to straighten");
    }
}
