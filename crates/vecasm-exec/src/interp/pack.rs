//! The invocations that go through a shader together, and single operations on them.

use super::bank::Bank;
use super::fuel::Fuel;
use super::mask::Mask;
use super::memory::{Emitter, World};
use super::plan::Plan;
use super::watch::{Watch, WatchState};
use super::{DEFAULT_FUEL, QUAD};
use crate::code::{Code, Inst, Move, Operand};
use crate::{Batch, Outputs};
use alloc::vec::Vec;
use vecasm_ir::ir::op::{Effect, Place, Word};
use vecasm_ir::ir::{Op, Shader};

/// Makes a list as long as it has to be, whatever it holds then.
pub(super) fn fit<T: Clone>(list: &mut Vec<T>, len: usize, filler: T) {
    if list.len() != len {
        list.resize(len, filler);
    }
}

/// An open block or loop.
#[derive(Clone, Debug)]
pub(super) struct Frame<const N: usize> {
    /// Invocations that left it.
    pub(super) left: Mask<N>,
    /// Invocations that wait for the next round.
    pub(super) again: Mask<N>,
}

/// Elements of four lanes that a shader writes: those of each invocation, or one set for all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// How many fours of invocations there are; 0 if all invocations share the elements.
    quads: usize,
    /// Of private cells, lane 0 of element 0 of all invocations, then lane 1, …, then element 1, …; of shared ones, the
    /// elements.
    words: Vec<[u32; 4]>,
}

impl Cells {
    /// Makes room for so many elements, for each of some quads of invocations or, of 0, for all of them. What they hold is
    /// not said.
    fn fit(&mut self, quads: usize, elements: usize) {
        self.quads = quads;
        fit(&mut self.words, elements * if quads == 0 { 1 } else { quads * 4 }, [0; 4]);
    }

    /// What invocation `i` sees; zero where the element does not exist.
    pub(super) fn get(&self, element: usize, i: usize) -> [u32; 4] {
        if self.quads == 0 {
            return self.words.get(element).copied().unwrap_or([0; 4]);
        }
        core::array::from_fn(|lane| {
            let quad = self.words.get((element * 4 + lane) * self.quads + i / 4);
            quad.map_or(0, |quad| quad[i % 4])
        })
    }

    pub(super) fn set(&mut self, element: usize, lane: usize, i: usize, bits: u32) {
        let (at, place) = match self.quads {
            0 => (element, lane),
            quads => ((element * 4 + lane) * quads + i / 4, i % 4),
        };
        if let Some(quad) = self.words.get_mut(at) {
            quad[place & 3] = bits;
        }
    }

    /// Whether each invocation has its own.
    pub(super) const fn is_private(&self) -> bool {
        self.quads > 0
    }

    /// A lane of the first element, of each invocation.
    pub(super) fn row(&self, lane: usize) -> &[[u32; 4]] {
        self.words.get(lane * self.quads..(lane + 1) * self.quads).unwrap_or(&[])
    }

    /// A lane of the first element, of each invocation.
    pub(super) fn row_mut(&mut self, lane: usize) -> &mut [[u32; 4]] {
        self.words.get_mut(lane * self.quads..(lane + 1) * self.quads).unwrap_or(&mut [])
    }

    /// Writes the same to every element.
    pub(super) fn fill(&mut self, bits: [u32; 4]) {
        if self.quads == 0 {
            return self.words.fill(bits);
        }
        if bits == [0; 4] {
            return self.words.fill([0; 4]);
        }
        let mut rows = self.words.iter_mut();
        for bits in bits.into_iter().cycle() {
            for _ in 0..self.quads {
                let Some(quad) = rows.next() else { return };
                *quad = [bits; 4];
            }
        }
    }
}

/// The working memory of packs. Whatever a run finds here, it does not depend on it.
#[derive(Clone, Debug)]
pub(crate) struct PackMemory<W, B, const N: usize> {
    bank: B,
    scratch: Vec<[W; 4]>,
    cells: Vec<Cells>,
    kept: Vec<[Option<u32>; 4]>,
    locals: Vec<Cells>,
    frames: Vec<Frame<N>>,
    fuel: Fuel<N>,
    shared: Vec<u8>,
    emitters: Vec<Emitter>,
}

impl<W, B: Default, const N: usize> Default for PackMemory<W, B, N> {
    fn default() -> Self {
        Self::new(B::default())
    }
}

impl<W, B, const N: usize> PackMemory<W, B, N> {
    pub(crate) const fn new(bank: B) -> Self {
        Self {
            bank,
            scratch: Vec::new(),
            cells: Vec::new(),
            kept: Vec::new(),
            locals: Vec::new(),
            frames: Vec::new(),
            fuel: Fuel::NONE,
            shared: Vec::new(),
            emitters: Vec::new(),
        }
    }
}

#[cfg(test)]
impl<W: Word, B: Bank<W>, const N: usize> PackMemory<W, B, N> {
    /// Leaves what no run would leave.
    pub(crate) fn spoil(&mut self) {
        self.bank.spoil();
        self.scratch.fill([W::from_bits(0x7fc0_1234_dead_beef); 4]);
        for cells in self.cells.iter_mut().chain(&mut self.locals) {
            cells.words.fill([0xdead_beef; 4]);
            cells.quads += 1;
        }
        self.kept.push([Some(7); 4]);
        self.frames.push(Frame { left: Mask::below(9), again: Mask::below(9) });
        self.fuel.fill(3);
        self.fuel.burn(Mask::below(7));
        self.shared.fill(0xa5);
        for emitter in &mut self.emitters {
            emitter.spoil();
        }
    }
}

/// A pack on its way through the shader. Lanes of values are held in rows: lane 0 of a value of each invocation, then lane
/// 1, … A row is whole quads: what stands behind the last invocation is computed with the others, and nobody sees it.
pub(super) struct Pack<'a, W, B, const N: usize> {
    pub(super) shader: &'a Shader,
    pub(super) code: &'a Code,
    pub(super) batch: &'a Batch<'a>,
    pub(super) plan: Plan,
    pub(super) world: &'a mut World,
    /// Number of the first invocation in the batch.
    pub(super) first: usize,
    /// Number of invocations: [`Plan::pack`].
    pub(super) n: usize,
    /// Fours of invocations of a row.
    pub(super) quads: usize,
    /// Invocations that exist, also as helpers that complete a quad.
    pub(super) all: Mask<N>,
    /// The rows.
    pub(super) bank: &'a mut B,
    pub(super) cells: &'a mut [Cells],
    /// Whether this is code that needs no cells for its outputs, as long as all invocations store: [`Code::kept`].
    can_keep: bool,
    /// Whether the cells are not in use: outputs are what rows hold.
    pub(super) keeping: bool,
    /// For each output, the rows of its lanes that were stored to.
    pub(super) kept: &'a mut [[Option<u32>; 4]],
    pub(super) locals: &'a mut [Cells],
    pub(super) frames: &'a mut Vec<Frame<N>>,
    pub(super) fuel: &'a mut Fuel<N>,
    pub(super) helpers: Mask<N>,
    pub(super) killed: Mask<N>,
    pub(super) exhausted: Mask<N>,
    /// Invocations that have nothing left to run.
    pub(super) ended: Mask<N>,
    /// What the workgroup shares.
    pub(super) shared: &'a mut [u8],
    /// Clocks that the group has executed.
    pub(super) clock: u64,
    /// For each invocation, one for each stream.
    pub(super) emitters: &'a mut [Emitter],
    pub(super) watched: Option<WatchState<'a, N>>,
    /// Where results stand while they are computed.
    scratch: &'a mut Vec<[W; 4]>,
}

impl<'a, W: Word, B: Bank<W>, const N: usize> Pack<'a, W, B, N> {
    pub(super) fn new(
        (shader, code): (&'a Shader, &'a Code),
        batch: &'a Batch<'a>,
        plan: Plan,
        (held, world): (&'a mut PackMemory<W, B, N>, &'a mut World),
        watch: Option<Watch<'a>>,
    ) -> Self {
        let n = plan.pack;
        let quads = n.div_ceil(4);
        let PackMemory { bank, scratch, cells, kept, locals, frames, fuel, shared, emitters } = held;
        world.reset(shader, batch);
        bank.fit(code, quads);
        fit(scratch, 4 * quads, [W::default(); 4]);
        fit(cells, shader.outputs.len(), Cells::default());
        for (cell, output) in cells.iter_mut().zip(&shader.outputs) {
            cell.fit(if output.kind.is_of_patch() { 0 } else { quads }, 1);
        }
        fit(kept, shader.outputs.len(), [None; 4]);
        let can_keep = code.kept && !code.wide && !shader.serial && cells.iter().all(Cells::is_private);
        fit(locals, shader.locals.len(), Cells::default());
        for (cell, local) in locals.iter_mut().zip(&shader.locals) {
            cell.fit(quads, local.size as usize);
        }
        frames.clear();
        fit(shared, shader.setup.shared as usize, 0);
        if !emitters.is_empty() || plan.streams > 0 {
            emitters.clear();
            emitters.resize(n * plan.streams, Emitter::default());
        }
        let mut pack = Self {
            shader,
            code,
            batch,
            plan,
            world,
            first: 0,
            n,
            quads,
            all: Mask::NONE,
            bank,
            cells,
            can_keep,
            keeping: false,
            kept,
            locals,
            frames,
            fuel,
            helpers: Mask::NONE,
            killed: Mask::NONE,
            exhausted: Mask::NONE,
            ended: Mask::NONE,
            shared,
            clock: 0,
            emitters,
            watched: watch.map(|watch| WatchState::new(watch, n)),
            scratch,
        };
        pack.load_uniforms();
        pack
    }

    /// Fills the rows that are the same for all packs of a run.
    fn load_uniforms(&mut self) {
        let code = self.code;
        for &(row, bits) in &code.constants {
            self.fill_row(row, W::from_bits(bits));
        }
        for uniform in &code.uniforms {
            let bits = self.uniform(uniform.op)[usize::from(uniform.lane & 3)];
            self.fill_row(uniform.row, W::from_low(bits));
        }
    }

    fn fill_row(&mut self, row: u32, word: W) {
        self.bank.fill(row, word);
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
        self.keeping = self.can_keep;
        if self.keeping {
            self.kept.fill([None; 4]);
        } else {
            for (at, (cell, output)) in self.cells.iter_mut().zip(&self.shader.outputs).enumerate() {
                let carried = self.world.carried.get(at).filter(|_| output.carried && self.shader.serial);
                cell.fill(carried.copied().unwrap_or(output.init));
            }
        }
        for cell in self.locals.iter_mut() {
            cell.fill([0; 4]);
        }
        // Fours of a workgroup have the same.
        let workgroup = self.plan.workgroup.iter().fold(1, |n, &axis| n * axis as usize);
        if first % workgroup.max(1) == 0 {
            self.shared.fill(0);
            self.clock = 0;
        }
        if let Some(watched) = &mut self.watched {
            watched.reset();
        }
        self.region(&self.code.body, self.all);
        self.finish_primitives();
        for (carried, cell) in self.world.carried.iter_mut().zip(self.cells.iter()) {
            *carried = cell.get(0, 0);
        }
    }

    /// Number of invocations of the pack that the batch has.
    pub(super) fn here(&self) -> usize {
        self.n.min(self.batch.count - self.first)
    }

    /// Writes down what the run of the pack gave.
    pub(super) fn write_outputs(&mut self, outputs: &mut Outputs) {
        let here = self.here();
        // Nobody has stored to these lanes.
        let outs = self.shader.outputs.iter().zip(self.cells.iter_mut().zip(self.kept.iter()));
        for (output, (cell, kept)) in outs.filter(|_| self.keeping) {
            for (lane, _) in kept.iter().enumerate().filter(|(_, kept)| kept.is_none()) {
                cell.row_mut(lane).fill([output.init[lane]; 4]);
            }
        }
        for ((cell, kept), all) in self.cells.iter().zip(self.kept.iter()).zip(&mut outputs.cells) {
            if !cell.is_private() {
                // One for each group; of a single invocation that is the same.
                if let Some(out) = all.get_mut(self.first / self.plan.group) {
                    *out = cell.get(0, 0);
                }
                continue;
            }
            let Some(all) = all.get_mut(self.first..self.first + here) else { continue };
            let mut lanes = [0, 1, 2, 3].map(|lane| cell.row(lane));
            for (lane, kept) in lanes.iter_mut().zip(kept).filter(|_| self.keeping) {
                if let Some(row) = *kept {
                    *lane = W::narrow(self.bank.row(row));
                }
            }
            self.bank.zip(lanes, all);
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

    /// One lane of an argument; of an argument of one lane, that one.
    pub(super) fn row(&self, arg: Operand, lane: usize) -> &[W] {
        self.row_at(arg.rows[lane & 3])
    }

    /// The words of a row that belong to invocations.
    pub(super) fn row_at(&self, row: u32) -> &[W] {
        self.quads_at(row).as_flattened().get(..self.n).unwrap_or(&[])
    }

    pub(super) fn quads_at(&self, row: u32) -> &[[W; 4]] {
        self.bank.row(row)
    }

    /// The low words of the lanes of an argument in one invocation; lanes that it does not have are zero.
    pub(super) fn words(&self, arg: Operand, i: usize) -> [u32; 4] {
        core::array::from_fn(|lane| {
            if lane < usize::from(arg.lanes) { self.row(arg, lane).get(i).map_or(0, |w| w.low()) } else { 0 }
        })
    }

    /// The low word of lane 0 of argument `at` in one invocation; zero if there is no such argument.
    pub(super) fn word(&self, args: &[Operand], at: usize, i: usize) -> u32 {
        args.get(at).and_then(|&arg| self.row(arg, 0).get(i)).map_or(0, |w| w.low())
    }

    /// Writes as many lanes as a value has, in one invocation.
    pub(super) fn set(&self, out: &mut [[W; 4]], i: usize, bits: [u32; 4]) {
        for (row, bits) in out.chunks_exact_mut(self.quads).zip(bits) {
            row[i / 4][i % 4] = W::from_low(bits);
        }
    }

    /// Writes a value from what each invocation gets.
    pub(super) fn write_lanes(&self, out: &mut [[W; 4]], mut of: impl FnMut(usize) -> [u32; 4]) {
        for i in 0..self.n {
            let (mut at, place) = (i / 4, i % 4);
            for bits in of(i) {
                let Some(quad) = out.get_mut(at) else { break };
                quad[place] = W::from_low(bits);
                at += self.quads;
            }
        }
    }

    /// Copies rows in the invocations of `mask`. No row that is written is read by a later move of the list.
    pub(super) fn moves(&mut self, moves: &[Move], mask: Mask<N>) {
        for &Move { to, from } in moves {
            self.bank.copy(to, from, &mask);
        }
    }

    /// Makes rows zero.
    pub(super) fn zero(&mut self, rows: &[u32]) {
        for &row in rows {
            self.fill_row(row, W::default());
        }
    }

    pub(super) fn inst(&mut self, inst: &'a Inst, mask: Mask<N>) {
        if inst.out.rows().is_empty() {
            return self.effect(inst.op, &inst.args, mask, inst.step);
        }
        if let Op::Input(id) = inst.op {
            if self.load_given(id.index(), inst.out) {
                return;
            }
        }
        self.note_load(inst.op, &inst.args, mask);
        // The result of an operation that is not a pure one, computed beside the rows that it may read. What has an
        // effect beside it has it in the invocations of `mask`.
        let mut scratch = core::mem::take(self.scratch);
        let rows = inst.out.rows();
        if let Some(out) = scratch.get_mut(..rows.len() * self.quads) {
            self.load(inst, mask, out);
            for (&row, out) in rows.iter().zip(out.chunks_exact(self.quads)) {
                let to = self.bank.row_mut(row);
                if to.len() == out.len() {
                    to.copy_from_slice(out);
                }
            }
        }
        *self.scratch = scratch;
        self.note_sample(inst);
    }

    fn load(&mut self, inst: &Inst, mask: Mask<N>, out: &mut [[W; 4]]) {
        let args = &inst.args[..];
        match inst.op {
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
            Op::Sample { .. }
            | Op::Gather { .. }
            | Op::Fetch { .. }
            | Op::TextureSize { .. }
            | Op::TextureLod { .. }
            | Op::TextureSamples { .. }
            | Op::SamplePosition { .. } => self.load_texture(inst.op, args, out),
            Op::Framebuffer { target } => {
                let held = self.batch.framebuffer.get(usize::from(target));
                self.write_lanes(out, |i| {
                    held.and_then(|held| held.get(self.place(i))).copied().unwrap_or([0; 4])
                });
            }
            Op::Ddx(slope) | Op::Ddy(slope) => {
                let Some(&arg) = args.first() else { return };
                let down = matches!(inst.op, Op::Ddy(_));
                for (lane, row) in out.chunks_exact_mut(self.quads).enumerate() {
                    for (i, out) in row.as_flattened_mut().iter_mut().enumerate() {
                        *out = W::from_low(self.slope(self.row(arg, lane), i, down, slope, inst.arith));
                    }
                }
            }
            Op::IsHelper => self.write_lanes(out, |i| [u32::from(self.helpers.has(i)); 4]),
            Op::Vote(_) | Op::Ballot | Op::ReadFirst | Op::ReadInvocation => {
                self.ask(inst.op, args, mask, out);
            }
            Op::Clock => {
                let now = self.clock;
                self.clock += 1;
                self.write_lanes(out, |_| [now as u32, (now >> 32) as u32, 0, 0]);
            }
            op => match op.place() {
                Some(Place::Memory(_)) if op.gives() => self.load_memory(op, args, mask, out),
                Some(Place::Image(_)) if op.gives() => self.load_image(op, args, mask, out),
                // Operations that give nothing, and pure ones.
                _ => debug_assert!(!op.gives() || op.effect() == Effect::None, "{op:?} is not run"),
            },
        }
    }

    fn effect(&mut self, op: Op, args: &[Operand], mask: Mask<N>, step: u32) {
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
            Op::Demote => {
                let Some(&arg) = args.first() else { return };
                let now = self.bank.truth(arg.rows[0]) & writers;
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
            op => match op.place() {
                Some(Place::Memory(_)) if !op.gives() => self.change_memory(op, args, writers),
                Some(Place::Image(_)) if !op.gives() => self.change_image(op, args, writers),
                // A fence: everything is in order anyway. The others give a value that nobody named.
                _ => debug_assert!(op.gives() || op == Op::Fence, "{op:?} is not run"),
            },
        }
    }
}
