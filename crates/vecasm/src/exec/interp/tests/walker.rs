//! One invocation by itself, without masks: the regions of the prose as plain recursion. It shares nothing with the
//! interpreter but the definitions of pure operations, and these it asks lane by lane, in words of 64 bits.

use super::*;
use crate::ir::At;
use crate::ir::op::constant_lane;
use crate::ir::random::{Rng, Size, shader};

type Lanes = [u64; 4];

struct Walker<'a> {
    shader: &'a Shader,
    batch: &'a Batch<'a>,
    index: usize,
    values: Vec<Lanes>,
    cells: Vec<[u32; 4]>,
    locals: Vec<Vec<[u32; 4]>>,
    helper: bool,
    fuel: u64,
}

/// How a region ends.
enum Flow {
    Reached(Vec<Lanes>),
    Leave(Label, Vec<Lanes>),
    Again(Label, Vec<Lanes>),
    Exhausted,
}

/// The element that an index means, or none.
fn at(index: u64, offset: i32, rule: OutOfRange, count: usize) -> Option<usize> {
    let at = i128::from(index as u32 as i32) + i128::from(offset);
    if at >= 0 && at < count as i128 {
        return Some(at as usize);
    }
    match rule {
        OutOfRange::Clamp if count > 0 => Some(if at < 0 { 0 } else { count - 1 }),
        _ => None,
    }
}

fn of_run(index: u64, run: At) -> Option<usize> {
    at(index, run.offset, run.rule, run.count as usize)
}

fn store(cell: &mut [u32; 4], mask: WriteMask, value: &Lanes) {
    let mut from = 0;
    for (to, lane) in cell.iter_mut().enumerate() {
        if mask.has(to) {
            *lane = value[from] as u32;
            from += 1;
        }
    }
}

impl Walker<'_> {
    fn arg(&self, arg: Arg) -> Lanes {
        let value = self.values[arg.value.index()];
        core::array::from_fn(|lane| {
            if lane < usize::from(arg.lanes) { value[usize::from(arg.swizzle.get(lane))] } else { 0 }
        })
    }

    fn list(&self, args: Args) -> Vec<Lanes> {
        self.shader.args(args).iter().map(|&arg| self.arg(arg)).collect()
    }

    fn set(&mut self, to: &[Value], values: &[Lanes]) {
        for (to, value) in to.iter().zip(values) {
            self.values[to.index()] = *value;
        }
    }

    fn region(&mut self, region: &Region) -> Flow {
        for node in &region.nodes {
            let (flow, label, results) = match node {
                Node::Inst(inst) => {
                    self.inst(inst);
                    continue;
                }
                Node::If(node) => {
                    let arm = if self.arg(node.cond)[0] != 0 { &node.then } else { &node.otherwise };
                    (self.region(arm), None, &node.results)
                }
                Node::Block(node) => (self.region(&node.body), Some(node.label), &node.results),
                Node::Loop(node) => (self.cycle(node), Some(node.label), &node.results),
                Node::Switch(node) => {
                    let selector = self.arg(node.selector)[0] as u32;
                    let case = node.cases.iter().find(|(numbers, _)| numbers.contains(&selector));
                    (self.region(case.map_or(&node.default, |(_, region)| region)), None, &node.results)
                }
                Node::Idiom(node) => (self.region(&node.body), None, &node.results),
                Node::Leave { label, values } => return Flow::Leave(*label, self.list(*values)),
                Node::Again { label, values } => return Flow::Again(*label, self.list(*values)),
            };
            match flow {
                Flow::Reached(values) => self.set(results, &values),
                Flow::Leave(to, values) if Some(to) == label => self.set(results, &values),
                other => return other,
            }
        }
        Flow::Reached(self.list(region.yields))
    }

    /// Ends only by an exit, or without fuel.
    fn cycle(&mut self, node: &Loop) -> Flow {
        let mut params = self.list(node.init);
        loop {
            self.set(&node.params, &params);
            params = match self.region(&node.body) {
                Flow::Reached(next) => next,
                Flow::Again(label, next) if label == node.label => next,
                other => return other,
            };
            if self.fuel == 0 {
                return Flow::Exhausted;
            }
            self.fuel -= 1;
        }
    }

    fn pure(&self, op: Pure, inst: &Inst, args: &[Lanes]) -> Lanes {
        let list = self.shader.args(inst.args);
        let types: Vec<Type> = list.iter().map(|a| self.shader.arg_type(*a)).collect();
        let scalar = op.scalar(&types);
        let lanes = usize::from(inst.result.map_or(0, |v| self.shader.value(v).ty.lanes));
        if op.reduces() {
            let last = args[args.len() - 1];
            return [op.eval_reduce(scalar, inst.arith, args[0], last, usize::from(list[0].lanes)), 0, 0, 0];
        }
        let mut value = [0; 4];
        for (lane, value) in value.iter_mut().enumerate().take(lanes) {
            let mut of = [0; 4];
            for (of, (arg, given)) in of.iter_mut().zip(list.iter().zip(args)) {
                *of = given[if arg.lanes == 1 { 0 } else { lane }];
            }
            *value = op.eval(scalar, inst.arith, of);
        }
        value
    }

    fn inst(&mut self, inst: &Inst) {
        let args = self.list(inst.args);
        let wide = |bits: [u32; 4]| bits.map(u64::from);
        let (shader, batch, index) = (self.shader, self.batch, self.index);
        let param = |array: usize, element: Option<usize>| {
            wide(element.and_then(|i| batch.params[array].get(i)).copied().unwrap_or([0; 4]))
        };
        let value = match inst.op {
            Op::Pure(op) => self.pure(op, inst, &args),
            Op::Const(bits) => {
                let ty = shader.value(inst.result.unwrap()).ty;
                core::array::from_fn(|lane| {
                    if lane < usize::from(ty.lanes) { constant_lane(bits, ty.scalar, lane) } else { 0 }
                })
            }
            Op::Compose => {
                let mut all = Vec::new();
                for (arg, value) in shader.args(inst.args).iter().zip(&args) {
                    all.extend_from_slice(&value[..usize::from(arg.lanes)]);
                }
                core::array::from_fn(|lane| all.get(lane).copied().unwrap_or(0))
            }
            Op::Input(id) => wide(batch.inputs[id.index()][index]),
            Op::InputAt { first, at } => {
                of_run(args[0][0], at).map_or([0; 4], |n| wide(batch.inputs[first.index() + n][index]))
            }
            Op::Param { array, index } => param(array.index(), Some(index as usize)),
            Op::ParamAt { array, offset, rule } => {
                let size = shader.params[array.index()].size as usize;
                param(array.index(), at(args[0][0], offset, rule, size))
            }
            Op::State(id) => {
                let given = batch.states.get(id.index()).copied().flatten();
                wide(given.unwrap_or(shader.states[id.index()].default))
            }
            Op::LoadOutput(id) => wide(self.cells[id.index()]),
            Op::LoadOutputAt { first, at } => {
                of_run(args[0][0], at).map_or([0; 4], |n| wide(self.cells[first.index() + n]))
            }
            Op::StoreOutput { output, mask } => {
                if !self.helper {
                    store(&mut self.cells[output.index()], mask, &args[0]);
                }
                return;
            }
            Op::StoreOutputAt { first, at, mask } => {
                if let (Some(n), false) = (of_run(args[0][0], at), self.helper) {
                    store(&mut self.cells[first.index() + n], mask, &args[1]);
                }
                return;
            }
            Op::LoadLocal { array, index } => wide(self.locals[array.index()][index as usize]),
            Op::LoadLocalAt { array, offset, rule } => {
                let local = &self.locals[array.index()];
                at(args[0][0], offset, rule, local.len()).map_or([0; 4], |n| wide(local[n]))
            }
            Op::StoreLocal { array, index, mask } => {
                return store(&mut self.locals[array.index()][index as usize], mask, &args[0]);
            }
            Op::StoreLocalAt { array, offset, mask, rule } => {
                let local = &mut self.locals[array.index()];
                if let Some(n) = at(args[0][0], offset, rule, local.len()) {
                    store(&mut local[n], mask, &args[1]);
                }
                return;
            }
            Op::Demote => {
                self.helper |= args[0][0] != 0;
                return;
            }
            Op::IsHelper => [u64::from(self.helper), 0, 0, 0],
            Op::Mark(_) => return,
            op => panic!("{op:?} is not for invocations that are alone"),
        };
        if let Some(result) = inst.result {
            let lanes = usize::from(shader.value(result).ty.lanes);
            self.values[result.index()] =
                core::array::from_fn(|lane| if lane < lanes { value[lane] } else { 0 });
        }
    }
}

#[test]
fn masks_make_no_difference() {
    let mut rng = Rng::new(5);
    let (mut stopped, mut killed) = (0, 0);
    for _ in 0..1000 {
        let shader = shader(&mut rng, Size { nodes: 40, depth: 5 });
        assert!(!in_quads(&shader), "an invocation by itself has no neighbours");
        let mut vector = || core::array::from_fn(|_| rng.float());
        let count = 11;
        let inputs = shader.inputs.iter().map(|_| (0..count).map(|_| vector()).collect()).collect();
        let params = shader.params.iter().map(|p| (0..p.size).map(|_| vector()).collect()).collect();
        let batch = Batch { count, inputs, params, fuel: Some(20), ..Batch::default() };
        let outputs = Interp.run(&shader, &batch).unwrap();
        let plan = Plan::new(&shader, &batch).unwrap();
        for pack in [1, 4, 64] {
            assert_eq!(run(&shader, &batch, &Plan { pack, ..plan }, None).unwrap(), outputs);
        }
        for index in 0..count {
            let mut walker = Walker {
                shader: &shader,
                batch: &batch,
                index,
                values: vec![[0; 4]; shader.values.len()],
                cells: shader.outputs.iter().map(|o| o.init).collect(),
                locals: shader.locals.iter().map(|l| vec![[0; 4]; l.size as usize]).collect(),
                helper: false,
                fuel: 20,
            };
            let flow = walker.region(&shader.body);
            let text = || alloc::format!("invocation {index} of\n{}", crate::ir::text::print(&shader));
            let cells: Vec<[u32; 4]> = outputs.cells.iter().map(|cell| cell[index]).collect();
            assert_eq!(cells, walker.cells, "{}", text());
            assert_eq!(outputs.killed[index], walker.helper, "{}", text());
            assert_eq!(outputs.exhausted[index], matches!(flow, Flow::Exhausted), "{}", text());
            stopped += u32::from(outputs.exhausted[index]);
            killed += u32::from(walker.helper);
        }
    }
    assert!(stopped > 100 && killed > 100, "{stopped} {killed}");
}
