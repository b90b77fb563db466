//! The invocations that go through a shader together, and single operations on them.

use super::mask::Mask;
use super::memory::{Emitter, World, constant};
use super::plan::Plan;
use super::watch::{Watch, Watched};
use super::{DEFAULT_FUEL, QUAD};
use crate::exec::{Batch, Outputs};
use crate::ir::op::{MAX_ARITY, Word, constant_lane};
use crate::ir::{Arg, Args, Arith, Inst, Label, Op, Pure, Rule, Scalar, Shader, Type, Value};
use alloc::vec;
use alloc::vec::Vec;

/// An open block or loop.
pub(super) struct Frame<'a, W, const N: usize> {
    pub(super) label: Label,
    pub(super) results: &'a [Value],
    /// Whether nothing is left to run behind it.
    pub(super) last: bool,
    /// Invocations that left it.
    pub(super) left: Mask<N>,
    /// Invocations that wait for the next round, and the parameters they bring.
    pub(super) again: Mask<N>,
    pub(super) next: Vec<Vec<W>>,
}

/// Elements of four lanes that a shader writes: those of each invocation, or one set for all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// Number of owners: invocations, or 1.
    owners: usize,
    /// Lane 0 of element 0 of each owner, then lane 1, …, then element 1, …
    lanes: Vec<u32>,
}

impl Cells {
    fn new(owners: usize, elements: usize) -> Self {
        Self { owners, lanes: vec![0; owners * elements * 4] }
    }

    fn at(&self, element: usize, lane: usize, i: usize) -> usize {
        (element * 4 + lane) * self.owners + if self.owners == 1 { 0 } else { i }
    }

    /// What invocation `i` sees; zero where the element does not exist.
    pub(super) fn get(&self, element: usize, i: usize) -> [u32; 4] {
        core::array::from_fn(|lane| self.lanes.get(self.at(element, lane, i)).copied().unwrap_or(0))
    }

    pub(super) fn set(&mut self, element: usize, lane: usize, i: usize, bits: u32) {
        let at = self.at(element, lane, i);
        if let Some(to) = self.lanes.get_mut(at) {
            *to = bits;
        }
    }

    /// Whether each invocation has its own.
    pub(super) const fn is_private(&self) -> bool {
        self.owners > 1
    }

    /// A lane of an element, of each owner.
    pub(super) fn row(&self, element: usize, lane: usize) -> &[u32] {
        let at = self.at(element, lane, 0);
        self.lanes.get(at..at + self.owners).unwrap_or(&[])
    }

    /// A lane of an element, of each owner.
    pub(super) fn row_mut(&mut self, element: usize, lane: usize) -> &mut [u32] {
        let at = self.at(element, lane, 0);
        self.lanes.get_mut(at..at + self.owners).unwrap_or(&mut [])
    }

    pub(super) fn fill(&mut self, bits: [u32; 4]) {
        for (i, lane) in self.lanes.chunks_mut(self.owners.max(1)).enumerate() {
            lane.fill(bits[i % 4]);
        }
    }
}

/// A pack on its way through the shader. Lanes of values are held lane by lane: lane 0 of each invocation, then lane
/// 1, …
pub(super) struct Pack<'a, W, const N: usize> {
    pub(super) shader: &'a Shader,
    pub(super) batch: &'a Batch<'a>,
    pub(super) plan: Plan,
    pub(super) world: World<'a>,
    /// Number of the first invocation in the batch.
    pub(super) first: usize,
    /// Number of invocations that lanes are held of: [`Plan::pack`].
    pub(super) n: usize,
    /// Invocations that exist, also as helpers that complete a quad.
    pub(super) all: Mask<N>,
    pub(super) values: Vec<Vec<W>>,
    pub(super) zeros: Vec<W>,
    pub(super) cells: Vec<Cells>,
    pub(super) locals: Vec<Cells>,
    pub(super) frames: Vec<Frame<'a, W, N>>,
    /// Buffers of closed frames.
    pub(super) spare: Vec<Vec<Vec<W>>>,
    pub(super) fuel: Vec<u64>,
    pub(super) helpers: Mask<N>,
    pub(super) killed: Mask<N>,
    pub(super) exhausted: Mask<N>,
    /// Invocations that have nothing left to run.
    pub(super) ended: Mask<N>,
    /// What the workgroup shares.
    pub(super) shared: Vec<u8>,
    /// Clocks that the group has executed.
    pub(super) clock: u64,
    /// For each invocation, one for each stream.
    pub(super) emitters: Vec<Emitter>,
    pub(super) watched: Option<Watched<'a, N>>,
    scratch: [Vec<W>; 2],
}

impl<'a, W: Word, const N: usize> Pack<'a, W, N> {
    pub(super) fn new(
        shader: &'a Shader,
        batch: &'a Batch<'a>,
        plan: Plan,
        world: World<'a>,
        watch: Option<Watch<'a>>,
    ) -> Self {
        let n = plan.pack;
        let zeros = vec![W::default(); n];
        let mut pack = Self {
            shader,
            batch,
            plan,
            world,
            first: 0,
            n,
            all: Mask::NONE,
            values: shader.values.iter().map(|v| vec![W::default(); usize::from(v.ty.lanes) * n]).collect(),
            cells: shader
                .outputs
                .iter()
                .map(|o| Cells::new(if o.kind.is_of_patch() { 1 } else { n }, 1))
                .collect(),
            locals: shader.locals.iter().map(|l| Cells::new(n, l.size as usize)).collect(),
            frames: Vec::new(),
            spare: Vec::new(),
            fuel: vec![0; n],
            helpers: Mask::NONE,
            killed: Mask::NONE,
            exhausted: Mask::NONE,
            ended: Mask::NONE,
            shared: vec![0; shader.setup.shared as usize],
            clock: 0,
            emitters: vec![Emitter::default(); n * plan.streams],
            watched: watch.map(|watch| Watched::new(watch, n)),
            scratch: [zeros.clone(), zeros.clone()],
            zeros,
        };
        shader.body.for_each_inst(&mut |inst| {
            if constant(shader, inst.op) {
                pack.produce(inst, shader.args(inst.args), Mask::NONE);
            }
        });
        pack
    }

    /// Takes the invocations `first..first + n` through the shader. Those behind the end of the batch do not exist,
    /// unless they complete a quad: then they are helpers.
    pub(super) fn run(&mut self, first: usize) {
        self.first = first;
        let here = self.here();
        let quads = self.plan.group % QUAD == 0 && self.in_fragments();
        self.all = Mask::below(if quads { here.next_multiple_of(QUAD) } else { here });
        self.fuel.fill(self.batch.fuel.unwrap_or(DEFAULT_FUEL));
        (self.killed, self.exhausted, self.ended) = (Mask::NONE, Mask::NONE, Mask::NONE);
        self.helpers = self.all.without(&Mask::below(here));
        for (i, _) in self.batch.helpers.iter().skip(first).take(here).enumerate().filter(|(_, h)| **h) {
            self.helpers.add(i);
        }
        for (at, (cell, output)) in self.cells.iter_mut().zip(&self.shader.outputs).enumerate() {
            let carried = self.world.carried.get(at).filter(|_| output.carried && self.shader.serial);
            cell.fill(carried.copied().unwrap_or(output.init));
        }
        for cell in &mut self.locals {
            cell.fill([0; 4]);
        }
        self.shared.fill(0);
        self.clock = 0;
        if let Some(watched) = &mut self.watched {
            watched.reset();
        }
        let shader = self.shader;
        self.region(&shader.body, self.all, true);
        self.finish_primitives();
        for (carried, cell) in self.world.carried.iter_mut().zip(&self.cells) {
            *carried = cell.get(0, 0);
        }
    }

    /// Number of invocations of the pack that the batch has.
    pub(super) fn here(&self) -> usize {
        self.n.min(self.batch.count - self.first)
    }

    /// Writes down what the run of the pack gave.
    pub(super) fn give(&self, outputs: &mut Outputs) {
        let here = self.here();
        for (cell, all) in self.cells.iter().zip(&mut outputs.cells) {
            if !cell.is_private() {
                // One for each group; of a single invocation that is the same.
                if let Some(out) = all.get_mut(self.first / self.plan.group) {
                    *out = cell.get(0, 0);
                }
                continue;
            }
            let [x, y, z, w] = [0, 1, 2, 3].map(|lane| cell.row(0, lane));
            for (i, out) in all.iter_mut().skip(self.first).take(here).enumerate() {
                if let (Some(&x), Some(&y), Some(&z), Some(&w)) = (x.get(i), y.get(i), z.get(i), w.get(i)) {
                    *out = [x, y, z, w];
                }
            }
        }
        for (mask, ends) in [(self.killed, &mut outputs.killed), (self.exhausted, &mut outputs.exhausted)] {
            let ends = ends.iter_mut().skip(self.first).take(here);
            if mask.is_empty() {
                ends.for_each(|end| *end = false);
            } else {
                ends.enumerate().for_each(|(i, end)| *end = mask.has(i));
            }
        }
    }

    /// The invocations whose group has one in the set.
    pub(super) fn groups(&self, mask: Mask<N>) -> Mask<N> {
        match self.plan.group {
            1 => mask,
            group if group == self.n => {
                if mask.is_empty() {
                    mask
                } else {
                    Mask::below(self.n)
                }
            }
            _ => mask.quads(),
        }
    }

    pub(super) fn args(&self, args: Args) -> &'a [Arg] {
        self.shader.args(args)
    }

    /// One lane of an argument; of an argument of one lane, that one.
    pub(super) fn row(&self, arg: Arg, lane: usize) -> &[W] {
        let lane = usize::from(arg.swizzle.get(if arg.lanes == 1 { 0 } else { lane }));
        let value = self.values.get(arg.value.index());
        value.and_then(|v| v.get(lane * self.n..(lane + 1) * self.n)).unwrap_or(&self.zeros)
    }

    /// The low words of the lanes of an argument in one invocation; lanes that it does not have are zero.
    pub(super) fn words(&self, arg: Arg, i: usize) -> [u32; 4] {
        core::array::from_fn(|lane| {
            if lane < usize::from(arg.lanes) { self.row(arg, lane).get(i).map_or(0, |w| w.low()) } else { 0 }
        })
    }

    /// The low word of lane 0 of argument `at` in one invocation; zero if there is no such argument.
    pub(super) fn word(&self, args: &[Arg], at: usize, i: usize) -> u32 {
        args.get(at).and_then(|&arg| self.row(arg, 0).get(i)).map_or(0, |w| w.low())
    }

    /// Takes the lanes of a value out, to be computed from others; [`put`](Self::put) puts them back.
    pub(super) fn take(&mut self, value: Value) -> Vec<W> {
        self.values.get_mut(value.index()).map(core::mem::take).unwrap_or_default()
    }

    pub(super) fn put(&mut self, value: Value, lanes: Vec<W>) {
        if let Some(to) = self.values.get_mut(value.index()) {
            *to = lanes;
        }
    }

    /// Writes as many lanes as a value has, in one invocation.
    pub(super) fn set(&self, out: &mut [W], i: usize, bits: [u32; 4]) {
        for (row, bits) in out.chunks_exact_mut(self.n).zip(bits) {
            row[i] = W::from_low(bits);
        }
    }

    /// Writes a value from what each invocation gets.
    pub(super) fn each(&self, out: &mut [W], mut of: impl FnMut(usize) -> [u32; 4]) {
        let lanes = out.len() / self.n.max(1);
        for i in 0..self.n {
            for (lane, bits) in of(i).into_iter().enumerate().take(lanes) {
                if let Some(out) = out.get_mut(lane * self.n + i) {
                    *out = W::from_low(bits);
                }
            }
        }
    }

    /// Copies an argument to a value in the invocations of `mask`.
    pub(super) fn copy(&mut self, to: Value, from: Arg, mask: Mask<N>) {
        let mut lanes = self.take(to);
        for (lane, row) in lanes.chunks_exact_mut(self.n).enumerate() {
            mask.copy(row, self.row(from, lane));
        }
        self.put(to, lanes);
    }

    #[inline(never)]
    pub(super) fn inst(&mut self, inst: &'a Inst, mask: Mask<N>) {
        let args = self.args(inst.args);
        match inst.op {
            Op::Pure(op) => self.pure(op, inst.arith, args, inst.result),
            op if constant(self.shader, op) => {}
            op if inst.result.is_none() => self.effect(op, args, mask, inst.step),
            op => {
                self.note_load(op, args, mask);
                self.produce(inst, args, mask);
                self.note_sample(inst, args);
            }
        }
    }

    fn pure(&mut self, op: Pure, arith: Arith, args: &[Arg], result: Option<Value>) {
        let Some(result) = result else { return };
        let mut types = [Type::F32; MAX_ARITY];
        for (ty, arg) in types.iter_mut().zip(args) {
            if let Some(info) = self.shader.values.get(arg.value.index()) {
                *ty = Type::new(info.ty.scalar, arg.lanes);
            }
        }
        let scalar = op.scalar(&types);
        let mut out = self.take(result);
        if op.reduces() {
            self.reduce(op, scalar, arith, args, &mut out);
        } else {
            for (lane, out) in out.chunks_exact_mut(self.n).enumerate() {
                let mut rows: [&[W]; MAX_ARITY] = [&self.zeros; MAX_ARITY];
                for (row, &arg) in rows.iter_mut().zip(args) {
                    *row = self.row(arg, lane);
                }
                op.eval_all(scalar, arith, rows, out);
            }
        }
        self.put(result, out);
    }

    /// [`Pure::eval_reduce`] in each invocation.
    fn reduce(&mut self, op: Pure, scalar: Scalar, arith: Arith, args: &[Arg], out: &mut [W]) {
        let (Some(&a), Some(&b), Some(out)) = (args.first(), args.last(), out.get_mut(..self.n)) else {
            return;
        };
        let lanes = usize::from(a.lanes).clamp(1, 4);
        let [mut term, mut sum] = core::mem::take(&mut self.scratch);
        let zeros: &[W] = &self.zeros;
        let exact = scalar == Scalar::F32 && arith.rule == Rule::Nv20;
        if op == Pure::Dot && lanes > 1 && !exact {
            // What the definition says, row by row.
            Pure::Mul.eval_all(scalar, arith, [self.row(a, 0), self.row(b, 0), zeros, zeros], &mut sum);
            for lane in 1..lanes {
                let factors = [self.row(a, lane), self.row(b, lane), zeros, zeros];
                Pure::Mul.eval_all(scalar, arith, factors, &mut term);
                Pure::Add.eval_all(scalar, arith, [&sum, &term, zeros, zeros], out);
                sum.copy_from_slice(out);
            }
        } else {
            let x: [&[W]; 4] = core::array::from_fn(|lane| self.row(a, lane));
            let y: [&[W]; 4] = core::array::from_fn(|lane| self.row(b, lane));
            op.eval_reduce_all(scalar, arith, (x, y), lanes, out);
        }
        self.scratch = [term, sum];
    }

    /// Computes the result of an operation that is not a [`Pure`] one. What has an effect beside it has it in the
    /// invocations of `mask`.
    fn produce(&mut self, inst: &Inst, args: &[Arg], mask: Mask<N>) {
        let Some(result) = inst.result else { return };
        let mut out = self.take(result);
        self.load(inst, args, mask, &mut out);
        self.put(result, out);
    }

    fn load(&mut self, inst: &Inst, args: &[Arg], mask: Mask<N>, out: &mut [W]) {
        match inst.op {
            Op::Const(bits) => {
                let Some(result) = inst.result else { return };
                let scalar = self.shader.values.get(result.index()).map_or(Scalar::F32, |v| v.ty.scalar);
                for (lane, row) in out.chunks_exact_mut(self.n).enumerate() {
                    row.fill(W::from_bits(constant_lane(bits, scalar, lane)));
                }
            }
            Op::Compose => {
                let lanes = args.iter().flat_map(|&arg| (0..usize::from(arg.lanes)).map(move |l| (arg, l)));
                for (row, (arg, lane)) in out.chunks_exact_mut(self.n).zip(lanes) {
                    row.copy_from_slice(self.row(arg, lane));
                }
            }
            Op::Input(_) | Op::InputAt { .. } | Op::InputOf { .. } | Op::Interpolate { .. } => {
                self.load_input(inst.op, args, out);
            }
            Op::LoadOutput(_)
            | Op::LoadOutputAt { .. }
            | Op::LoadOutputOf { .. }
            | Op::Param { .. }
            | Op::ParamAt { .. }
            | Op::LoadLocal { .. }
            | Op::LoadLocalAt { .. }
            | Op::State(_) => self.load_cell(inst.op, args, out),
            Op::LoadMemory { .. } | Op::MemorySize { .. } => self.load_memory(inst.op, args, out),
            Op::AtomicMemory { memory, atomic, pick } => {
                self.atomic_memory(memory, atomic, pick, args, mask, out);
            }
            Op::Sample { .. }
            | Op::Gather { .. }
            | Op::Fetch { .. }
            | Op::TextureSize { .. }
            | Op::TextureLod { .. }
            | Op::TextureSamples { .. }
            | Op::SamplePosition { .. } => self.load_texture(inst.op, args, out),
            Op::LoadImage { .. } | Op::ImageSize { .. } | Op::AtomicImage { .. } => {
                self.load_image(inst.op, args, mask, out);
            }
            Op::Framebuffer { target } => {
                let held = self.batch.framebuffer.get(usize::from(target));
                self.each(out, |i| held.and_then(|held| held.get(self.place(i))).copied().unwrap_or([0; 4]));
            }
            Op::Ddx(slope) | Op::Ddy(slope) => {
                let Some(&arg) = args.first() else { return };
                let down = matches!(inst.op, Op::Ddy(_));
                for (lane, row) in out.chunks_exact_mut(self.n).enumerate() {
                    for (i, out) in row.iter_mut().enumerate() {
                        *out = W::from_low(self.slope(self.row(arg, lane), i, down, slope, inst.arith));
                    }
                }
            }
            Op::IsHelper => self.each(out, |i| [u32::from(self.helpers.has(i)); 4]),
            Op::Vote(_) | Op::Ballot | Op::ReadFirst | Op::ReadInvocation => {
                self.ask(inst.op, args, mask, out);
            }
            Op::Clock => {
                let now = self.clock;
                self.clock += 1;
                self.each(out, |_| [now as u32, (now >> 32) as u32, 0, 0]);
            }
            // Operations that give nothing, and pure ones.
            _ => {}
        }
    }

    fn effect(&mut self, op: Op, args: &[Arg], mask: Mask<N>, step: u32) {
        // Helpers have no effect on anything that another invocation sees.
        let writers = mask.without(&self.helpers);
        match op {
            Op::Mark(step) => self.mark(step, args, mask),
            Op::StoreOutput { .. }
            | Op::StoreOutputAt { .. }
            | Op::StoreParam { .. }
            | Op::StoreParamAt { .. } => {
                self.note_store(op, args, writers);
                self.store_cell(op, args, writers);
            }
            Op::StoreLocal { .. } | Op::StoreLocalAt { .. } => {
                self.note_store(op, args, mask);
                self.store_cell(op, args, mask);
            }
            Op::StoreMemory { memory, mask: lanes, pick } => {
                self.store_memory(memory, lanes, pick, args, writers);
            }
            Op::StoreImage { image, pick } => self.store_image(image, pick, args, writers),
            Op::Demote => {
                let Some(&arg) = args.first() else { return };
                let now = Mask::of_true(self.row(arg, 0)) & writers;
                self.killed |= now;
                self.helpers |= now;
                if let Some(watched) = &mut self.watched {
                    for i in now.iter() {
                        watched.demoted[i] = Some(step);
                    }
                }
            }
            Op::Barrier => self.barrier(mask, step),
            Op::EmitVertex { stream } => self.emit_vertex(usize::from(stream), writers),
            Op::EndPrimitive { stream } => self.end_primitive(usize::from(stream), writers),
            // A fence: everything is in order anyway. The others give a value that nobody named.
            _ => {}
        }
    }
}
