//! One invocation by itself, without masks: the regions of the prose as plain recursion. It shares nothing with the
//! interpreter but the definitions of pure operations, and these it asks lane by lane, in words of 64 bits.

use super::*;
use vecasm_ir::ir::At;
use vecasm_ir::ir::op::constant_lane;
use vecasm_ir::ir::random::{Kind, Rng, Size, program, shader};
use vecasm_ir::ir::{Atomic, Memory};

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
    /// What the invocations before left.
    outside: Outside,
    /// Vertices of the open primitive.
    open: Vec<Vec<[u32; 4]>>,
    primitives: Vec<Vec<Vec<[u32; 4]>>>,
}

#[derive(Clone, Default)]
struct Outside {
    params: Vec<Vec<[u32; 4]>>,
    buffers: Vec<Vec<u8>>,
    carried: Vec<[u32; 4]>,
}

/// Fuel of each invocation.
const FUEL: u64 = 20;

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

impl<'a> Walker<'a> {
    fn new(shader: &'a Shader, batch: &'a Batch<'a>, index: usize, outside: Outside) -> Self {
        let first = |(i, output): (usize, &Output)| {
            let carried = output.carried.then(|| outside.carried.get(i)).flatten();
            carried.copied().unwrap_or(output.init)
        };
        Self {
            shader,
            batch,
            index,
            values: vec![[0; 4]; shader.values.len()],
            cells: shader.outputs.iter().enumerate().map(first).collect(),
            locals: shader.locals.iter().map(|l| vec![[0; 4]; l.size as usize]).collect(),
            helper: false,
            fuel: FUEL,
            outside,
            open: Vec::new(),
            primitives: Vec::new(),
        }
    }

    fn end_primitive(&mut self) {
        let open = core::mem::take(&mut self.open);
        if !open.is_empty() {
            self.primitives.push(open);
        }
    }

    /// The word of a buffer that a byte offset lies in, `n` words on.
    fn word(&mut self, memory: Memory, offset: u64, n: usize) -> Option<&mut [u8]> {
        let Memory::Buffer(id) = memory else { panic!("nobody shares memory with it") };
        let buffer = &mut self.outside.buffers[id.index()];
        buffer.chunks_exact_mut(4).nth(offset as usize / 4 + n)
    }

    fn atomic(&mut self, memory: Memory, atomic: Atomic, args: &[Lanes]) -> u32 {
        if self.helper {
            return 0;
        }
        let Some(word) = self.word(memory, args[0][0], 0) else { return 0 };
        let old = u32::from_le_bytes(word.try_into().unwrap());
        let other = args.get(2).map_or(0, |other| other[0]);
        word.copy_from_slice(&atomic.apply(old, args[1][0] as u32, other as u32).to_le_bytes());
        old
    }

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
        let params = self.outside.params.clone();
        let param = |array: usize, element: Option<usize>| {
            wide(element.and_then(|i| params[array].get(i)).copied().unwrap_or([0; 4]))
        };
        let vertex = |input: usize, vertex: u64| {
            let primitive =
                if shader.stage == Stage::TessEval { batch.primitives[index] as usize } else { index };
            let (vertex, count) = (vertex as usize, shader.setup.vertices_in as usize);
            if vertex < count { wide(batch.inputs[input][primitive * count + vertex]) } else { [0; 4] }
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
            Op::InputOf { first, at: None } => vertex(first.index(), args[0][0]),
            Op::InputOf { first, at: Some(at) } => {
                of_run(args[1][0], at).map_or([0; 4], |n| vertex(first.index() + n, args[0][0]))
            }
            // Without its triangle an input is the same everywhere.
            Op::Interpolate { input, .. } => wide(batch.inputs[input.index()][index]),
            // Nothing is bound.
            Op::Sample { .. } => wide([0, 0, 0, 1.0f32.to_bits()]),
            Op::TextureSize { .. } => [0; 4],
            Op::StoreParam { array, index, mask } => {
                return store(&mut self.outside.params[array.index()][index as usize], mask, &args[0]);
            }
            Op::StoreParamAt { array, offset, mask } => {
                let array = &mut self.outside.params[array.index()];
                if let Some(n) = at(args[0][0], offset, OutOfRange::Zero, array.len()) {
                    store(&mut array[n], mask, &args[1]);
                }
                return;
            }
            Op::LoadMemory { memory, lanes, .. } => {
                let words: Option<Vec<u64>> = (0..usize::from(lanes))
                    .map(|n| {
                        let word = self.word(memory, args[0][0], n)?;
                        Some(u64::from(u32::from_le_bytes((&*word).try_into().unwrap())))
                    })
                    .collect();
                let words = words.unwrap_or_default();
                core::array::from_fn(|lane| words.get(lane).copied().unwrap_or(0))
            }
            Op::StoreMemory { memory, mask, .. } => {
                let mut value = args[1].iter();
                for n in 0..4 {
                    if mask.has(n) {
                        let bits = *value.next().unwrap() as u32;
                        if let (false, Some(word)) = (self.helper, self.word(memory, args[0][0], n)) {
                            word.copy_from_slice(&bits.to_le_bytes());
                        }
                    }
                }
                return;
            }
            Op::AtomicMemory { memory, atomic, .. } => {
                [u64::from(self.atomic(memory, atomic, &args)), 0, 0, 0]
            }
            Op::MemorySize { memory: Memory::Buffer(id), .. } => {
                [self.outside.buffers[id.index()].len() as u64, 0, 0, 0]
            }
            Op::EmitVertex { .. } => {
                let before = match shader.setup.primitive_limit {
                    true => 0,
                    false => self.primitives.iter().map(Vec::len).sum(),
                };
                if before + self.open.len() < shader.setup.max_vertices as usize {
                    self.open.push(self.cells.clone());
                    self.cells = shader.outputs.iter().map(|output| output.init).collect();
                }
                return;
            }
            Op::EndPrimitive { .. } => return self.end_primitive(),
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
            Op::Mark(_) | Op::Fence => return,
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
        let batch = Batch { count, inputs, params, fuel: Some(FUEL), ..Batch::default() };
        let outputs = every(&shader, &batch).unwrap();
        let plan = plan(&shader, &batch).unwrap();
        for pack in [1, 4, 64] {
            assert_eq!(run(&shader, &batch, &Plan { pack, ..plan }, None).unwrap(), outputs);
        }
        for index in 0..count {
            let outside = Outside { params: batch.params.clone(), ..Outside::default() };
            let mut walker = Walker::new(&shader, &batch, index, outside);
            let flow = walker.region(&shader.body);
            let text = || alloc::format!("invocation {index} of\n{}", vecasm_ir::ir::text::print(&shader));
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

/// Every construct that an invocation meets alone: in the vertex stage, also in serial shaders, in the tessellation
/// evaluation, geometry and fragment stage.
#[test]
fn invocations_alone_do_what_the_prose_says() {
    let kind = Kind { groups: false, ..Kind::ALL };
    let mut rng = Rng::new(11);
    let mut stages = [0; 6];
    for _ in 0..600 {
        let shader = program(&mut rng, Size { nodes: 50, depth: 4 }, kind);
        let quads = shader.stage == Stage::Fragment && !shader.buffers.is_empty();
        if quads || matches!(shader.stage, Stage::TessControl | Stage::Compute) {
            continue;
        }
        stages[shader.stage as usize] += 1;
        let count = 7;
        let mut list =
            |n: usize| -> Vec<[u32; 4]> { (0..n).map(|_| core::array::from_fn(|_| rng.float())).collect() };
        let inputs = vec![list(count * 3), list(count * 3)];
        let params: Vec<Vec<[u32; 4]>> = shader.params.iter().map(|p| list(p.size as usize)).collect();
        let buffers: Vec<Vec<u8>> = (0..shader.buffers.len()).map(|n| (0..60 + n as u8).collect()).collect();
        let carried = list(shader.outputs.len());
        let primitives = (0..count as u32).map(|i| i * 5 % 7).collect();
        let states = vec![None, Some([3, 0, 0, 0])];
        let batch = Batch { count, inputs, params, buffers, carried, primitives, states, ..Batch::default() };
        let mut batch = Batch { fuel: Some(FUEL), ..batch };
        let outputs = go(&shader, &batch);
        // What the shader says itself is in front of what is set.
        for (list, array) in batch.params.iter_mut().zip(&shader.params) {
            array.fixed.iter().for_each(|(element, bits)| list[*element as usize] = *bits);
        }
        let mut outside = Outside {
            params: batch.params.clone(),
            buffers: batch.buffers.clone(),
            carried: batch.carried.clone(),
        };
        let mut emitted = Vec::new();
        for index in 0..count {
            let mut walker = Walker::new(&shader, &batch, index, outside);
            let flow = walker.region(&shader.body);
            walker.end_primitive();
            let text = || alloc::format!("invocation {index} of\n{}", vecasm_ir::ir::text::print(&shader));
            let cells: Vec<[u32; 4]> = outputs.cells.iter().map(|cell| cell[index]).collect();
            assert_eq!(cells, walker.cells, "{}", text());
            assert_eq!(outputs.killed[index], walker.helper, "{}", text());
            assert_eq!(outputs.exhausted[index], matches!(flow, Flow::Exhausted), "{}", text());
            for vertices in walker.primitives {
                emitted.push(crate::Emitted { invocation: index as u32, vertices });
            }
            outside = walker.outside;
            outside.carried = walker.cells;
        }
        let text = || vecasm_ir::ir::text::print(&shader);
        assert_eq!(outputs.buffers, outside.buffers, "{}", text());
        assert_eq!(outputs.streams.concat(), emitted, "{}", text());
        if shader.serial {
            assert_eq!(outputs.params, outside.params, "{}", text());
            assert_eq!(outputs.carried, outside.carried, "{}", text());
        }
    }
    assert!(stages.iter().filter(|&&n| n > 30).count() == 4, "{stages:?}");
}

/// Shaders of all kinds, also of groups, do the same when they are watched.
#[test]
fn random_groups_run_and_repeat() {
    let mut rng = Rng::new(12);
    for _ in 0..200 {
        let shader = program(&mut rng, Size { nodes: 50, depth: 4 }, Kind::ALL);
        let of_group = shader.setup.workgroup.iter().product::<u32>().max(shader.setup.invocations) as usize;
        let count = of_group * 6;
        let mut list =
            |n: usize| -> Vec<[u32; 4]> { (0..n).map(|_| core::array::from_fn(|_| rng.float())).collect() };
        let inputs = match shader.stage {
            Stage::Compute => Vec::new(),
            _ => vec![list(count * 3), list(count * 3)],
        };
        let params = shader.params.iter().map(|p| list(p.size as usize)).collect();
        let buffers = vec![vec![7; 64]; shader.buffers.len()];
        let batch = Batch { count, inputs, params, buffers, fuel: Some(FUEL), ..Batch::default() };
        let outputs = go(&shader, &batch);
        let watched = Interp.run_watched(&shader, &batch, &mut |_| {}).unwrap();
        assert_eq!(watched, outputs, "{}", vecasm_ir::ir::text::print(&shader));
        assert_eq!(outputs.barriers, [], "barriers stand in uniform flow");
    }
}
