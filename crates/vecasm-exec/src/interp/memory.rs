//! What outlives a group: parameters, buffers, streams; and the operations on bytes, barriers and streams.

use super::bank::Bank;
use super::mask::Mask;
use super::pack::Pack;
use crate::code::Operand;
use crate::image::Image;
use crate::{Batch, DivergentBarrier, Emitted, Outputs};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::op::Word;
use vecasm_ir::ir::{Atomic, Memory, Op, Output, Pick, Shader};
use vecasm_ir::operand::WriteMask;

/// The most barriers that are reported.
const REPORTS: usize = Outputs::MOST_BARRIERS;
/// The most words that the vertices of a run may have.
const MOST_EMITTED: usize = 1 << 26;

/// What the groups of a run share.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    /// Of a serial shader, all elements of each parameter array; other shaders read what the batch gives.
    pub(super) params: Vec<Vec<[u32; 4]>>,
    /// For each output cell of a serial shader, what the invocation before left.
    pub(super) carried: Vec<[u32; 4]>,
    pub(super) buffers: Vec<Vec<u8>>,
    pub(super) images: Vec<Option<Image>>,
    /// Positions by handle, in ascending order.
    handles: Vec<(u64, u32)>,
    pub(super) streams: Vec<Vec<Emitted>>,
    pub(super) barriers: Vec<DivergentBarrier>,
    emitted: usize,
    /// Whether more was emitted than a run may.
    pub(super) overflow: bool,
}

impl World {
    /// As it is before the first group of a run, whatever was here before.
    pub(super) fn reset(&mut self, shader: &Shader, batch: &Batch<'_>) {
        let Self { params, carried, buffers, images, handles, streams, barriers, emitted, overflow } = self;
        params.clear();
        carried.clear();
        if shader.serial {
            params.extend(shader.params.iter().enumerate().map(|(i, param)| {
                let mut all = vec![[0; 4]; param.size as usize];
                let given = batch.params.get(i).map_or(&[][..], Vec::as_slice);
                all.iter_mut().zip(given).for_each(|(to, from)| *to = *from);
                all
            }));
            carried.extend(shader.outputs.iter().enumerate().map(|(i, output)| {
                let given = batch.carried.get(i).filter(|_| output.carried);
                given.copied().unwrap_or(output.init)
            }));
        }
        // Most shaders have nothing of this.
        let there = batch.buffers.len().max(shader.buffers.len());
        if there > 0 || !buffers.is_empty() {
            buffers.clone_from(&batch.buffers);
            buffers.resize(there, Vec::new());
        }
        let there = batch.images.len().max(shader.images.len());
        if there > 0 || !images.is_empty() {
            images.clone_from(&batch.images);
            images.resize(there, None);
        }
        if !batch.handles.is_empty() || !handles.is_empty() {
            // Of a handle that stands twice, the first one counts.
            handles.clone_from(&batch.handles);
            handles.sort_by_key(|&(handle, _)| handle);
        }
        streams.clear();
        barriers.clear();
        (*emitted, *overflow) = (0, false);
    }

    /// Leaves what no run would leave.
    #[cfg(test)]
    pub(crate) fn spoil(&mut self) {
        self.params.push(vec![[9; 4]; 3]);
        self.carried.push([9; 4]);
        self.buffers.push(vec![9; 3]);
        self.images.push(None);
        self.handles.push((0, 9));
        self.streams.push(vec![Emitted { invocation: 9, vertices: Vec::new() }]);
        self.barriers.push(DivergentBarrier { first: 9, step: 9 });
        (self.emitted, self.overflow) = (MOST_EMITTED, true);
    }

    /// Writes down what a run has changed; what `outputs` had before takes its place here.
    pub(super) fn write_outputs(&mut self, shader: &Shader, outputs: &mut Outputs) {
        core::mem::swap(&mut self.buffers, &mut outputs.buffers);
        core::mem::swap(&mut self.images, &mut outputs.images);
        core::mem::swap(&mut self.streams, &mut outputs.streams);
        core::mem::swap(&mut self.barriers, &mut outputs.barriers);
        outputs.params.clear();
        outputs.carried.clear();
        if shader.serial {
            core::mem::swap(&mut self.params, &mut outputs.params);
            core::mem::swap(&mut self.carried, &mut outputs.carried);
        }
    }

    /// An element of a parameter array; outside it, zero.
    pub(super) fn param(&self, shader: &Shader, batch: &Batch<'_>, array: usize, index: usize) -> [u32; 4] {
        let size = shader.params.get(array).map_or(0, |p| p.size);
        let params = if shader.serial { &self.params } else { &batch.params };
        let elements = params.get(array).filter(|_| index < size as usize);
        elements.and_then(|p| p.get(index)).copied().unwrap_or([0; 4])
    }

    /// The position that a handle stands for.
    fn handle(&self, handle: u64) -> Option<usize> {
        let at = self.handles.partition_point(|&(h, _)| h < handle);
        self.handles.get(at).filter(|(h, _)| *h == handle).map(|&(_, place)| place as usize)
    }
}

/// For each output cell, its bits.
type Vertex = Vec<[u32; 4]>;

/// What a geometry invocation has given to one stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Emitter {
    open: Vec<Vertex>,
    done: Vec<Vec<Vertex>>,
    /// The same where the streams share one sequence: where a primitive begins in it, and how many vertices it has.
    open_run: (usize, usize),
    done_runs: Vec<(usize, usize)>,
    /// That sequence, which the first stream of an invocation keeps.
    sequence: Vec<Vertex>,
    /// How many vertices all streams have been given, which the first stream of an invocation keeps.
    given: usize,
}

impl Emitter {
    #[cfg(test)]
    pub(crate) fn spoil(&mut self) {
        self.open.push(vec![[9; 4]]);
        self.done.push(vec![vec![[9; 4]]]);
        self.open_run = (9, 9);
        self.done_runs.push((9, 9));
        self.sequence.push(vec![[9; 4]]);
        self.given = 9;
    }

    fn end(&mut self) {
        if !self.open.is_empty() {
            self.done.push(core::mem::take(&mut self.open));
        }
    }
}

fn read(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    bytes.try_into().ok().map(u32::from_le_bytes)
}

fn write(bytes: &mut [u8], at: usize, word: u32) {
    if let Some(to) = at.checked_add(4).and_then(|end| bytes.get_mut(at..end)) {
        to.copy_from_slice(&word.to_le_bytes());
    }
}

impl<W: Word, B: Bank<W>, const N: usize> Pack<'_, W, B, N> {
    /// The position in a list of bindings that an operation of invocation `i` means; `None` if that is nothing. The
    /// argument that chooses is the last one.
    pub(super) fn picked(&self, pick: Pick, named: usize, args: &[Operand], i: usize) -> Option<usize> {
        let argument = || args.last().and_then(|&arg| self.row(arg, 0).get(i));
        match pick {
            Pick::Fixed => Some(named),
            Pick::Index { count } => {
                let index = argument()?.low();
                (index < u32::from(count)).then(|| named + index as usize)
            }
            Pick::Handle => self.world.handle(argument()?.bits()),
        }
    }

    /// The memory that an operation of invocation `i` means.
    fn memory(&self, memory: Memory, pick: Pick, args: &[Operand], i: usize) -> &[u8] {
        match memory {
            Memory::Shared => self.shared,
            Memory::Buffer(id) => {
                let at = self.picked(pick, id.index(), args, i);
                at.and_then(|at| self.world.buffers.get(at)).map_or(&[], Vec::as_slice)
            }
        }
    }

    fn memory_mut(&mut self, memory: Memory, pick: Pick, args: &[Operand], i: usize) -> &mut [u8] {
        match memory {
            Memory::Shared => self.shared,
            Memory::Buffer(id) => {
                let at = self.picked(pick, id.index(), args, i);
                at.and_then(|at| self.world.buffers.get_mut(at)).map_or(&mut [], Vec::as_mut_slice)
            }
        }
    }

    /// Where the word at a byte offset starts, plus `words` words.
    fn word_at(&self, offset: u32, words: usize) -> usize {
        let offset = if self.shader.setup.byte_offsets { offset } else { offset & !3 };
        offset as usize + words * 4
    }

    /// What an operation on memory gives, which also changes it in the invocations of `mask` if it does.
    pub(super) fn load_memory(&mut self, op: Op, args: &[Operand], mask: Mask<N>, out: &mut [[W; 4]]) {
        match op {
            Op::AtomicMemory { memory, atomic, pick } => {
                self.atomic_memory(memory, atomic, pick, args, mask, out);
            }
            Op::LoadMemory { memory, lanes, pick } => self.write_lanes(out, |i| {
                let bytes = self.memory(memory, pick, args, i);
                let offset = self.word(args, 0, i);
                let mut words = [0; 4];
                for (lane, word) in words.iter_mut().enumerate().take(usize::from(lanes)) {
                    match read(bytes, self.word_at(offset, lane)) {
                        Some(bits) => *word = bits,
                        None => return [0; 4],
                    }
                }
                words
            }),
            Op::MemorySize { memory, pick } => {
                self.write_lanes(out, |i| {
                    let bytes = self.memory(memory, pick, args, i).len();
                    [u32::try_from(bytes).unwrap_or(u32::MAX), 0, 0, 0]
                });
            }
            op => debug_assert!(false, "{op:?} is not run"),
        }
    }

    /// Has an operation on memory that gives nothing change it.
    pub(super) fn change_memory(&mut self, op: Op, args: &[Operand], mask: Mask<N>) {
        match op {
            Op::StoreMemory { memory, mask: lanes, pick } => {
                self.store_memory(memory, lanes, pick, args, mask);
            }
            op => debug_assert!(false, "{op:?} is not run"),
        }
    }

    fn store_memory(
        &mut self,
        memory: Memory,
        lanes: WriteMask,
        pick: Pick,
        args: &[Operand],
        mask: Mask<N>,
    ) {
        let Some(&value) = args.get(1) else { return };
        for i in mask.iter() {
            let words = self.words(value, i);
            let offset = self.word(args, 0, i);
            let at = self.word_at(offset, 0);
            let bytes = self.memory_mut(memory, pick, args, i);
            for (lane, bits) in lanes.lanes().zip(words) {
                write(bytes, at.saturating_add(lane * 4), bits);
            }
        }
    }

    fn atomic_memory(
        &mut self,
        memory: Memory,
        atomic: Atomic,
        pick: Pick,
        args: &[Operand],
        mask: Mask<N>,
        out: &mut [[W; 4]],
    ) {
        out.fill([W::default(); 4]);
        for i in mask.without(&self.helpers).iter() {
            let [offset, value, other] = [0, 1, 2].map(|at| self.word(args, at, i));
            let at = self.word_at(offset, 0);
            let bytes = self.memory_mut(memory, pick, args, i);
            if let Some(old) = read(bytes, at) {
                write(bytes, at, atomic.apply(old, value, other));
                self.set(out, i, [old, 0, 0, 0]);
            }
        }
    }

    /// Reports a barrier to which not all come that are still on their way.
    pub(super) fn barrier(&mut self, mask: Mask<N>, step: u32) {
        let absent = self.all.without(&self.ended).without(&mask);
        if !absent.is_empty() && self.world.barriers.len() < REPORTS {
            self.world.barriers.push(DivergentBarrier { first: self.first, step });
        }
    }

    pub(super) fn emit_vertex(&mut self, stream: usize, mask: Mask<N>) {
        let most = self.shader.setup.max_vertices as usize;
        for i in mask.iter() {
            let shared = self.sequence_length(i);
            let first = i * self.plan.streams;
            let given = self.emitters.get(first).map_or(0, |first| first.given);
            let Some(emitter) = self.emitters.get_mut(first + stream) else { continue };
            let there = match self.shader.setup.primitive_limit {
                true => emitter.open.len().max(emitter.open_run.1),
                false => given,
            };
            if there >= most {
                continue;
            }
            self.world.emitted = self.world.emitted.saturating_add(self.cells.len() * 4 + 4);
            if self.world.emitted > MOST_EMITTED {
                self.world.overflow = true;
                return;
            }
            let outputs = self.shader.outputs.iter().zip(self.cells.iter_mut());
            let vertex = outputs.map(|(output, cell)| {
                let bits = cell.get(0, i);
                for (lane, first) in output.init.into_iter().enumerate() {
                    cell.set(0, lane, i, first);
                }
                core::array::from_fn(|lane| {
                    let of = output.streams[lane];
                    let belongs = of == Output::EVERY_STREAM || usize::from(of) == stream;
                    if belongs || shared.is_some() { bits[lane] } else { 0 }
                })
            });
            let vertex = vertex.collect();
            match shared {
                None => emitter.open.push(vertex),
                Some(length) => {
                    if emitter.open_run.1 == 0 {
                        emitter.open_run.0 = length;
                    }
                    emitter.open_run.1 += 1;
                    if let Some(first) = self.emitters.get_mut(first) {
                        first.sequence.push(vertex);
                    }
                }
            }
            if let Some(first) = self.emitters.get_mut(first) {
                first.given += 1;
            }
        }
    }

    /// How many vertices an invocation has emitted, if its streams share one sequence.
    fn sequence_length(&self, i: usize) -> Option<usize> {
        if !self.shader.setup.one_sequence {
            return None;
        }
        Some(self.emitters.get(i * self.plan.streams).map_or(0, |first| first.sequence.len()))
    }

    pub(super) fn end_primitive(&mut self, stream: usize, mask: Mask<N>) {
        let shared = self.shader.setup.one_sequence;
        for i in mask.iter() {
            let Some(emitter) = self.emitters.get_mut(i * self.plan.streams + stream) else { continue };
            if !shared {
                emitter.end();
                continue;
            }
            self.world.emitted = self.world.emitted.saturating_add(1);
            if self.world.emitted > MOST_EMITTED {
                self.world.overflow = true;
                return;
            }
            emitter.done_runs.push(core::mem::take(&mut emitter.open_run));
        }
    }

    /// What stands in a sequence from a place on; behind its end what the outputs hold, and behind that nothing.
    fn run_of(&self, sequence: &[Vertex], i: usize, (first, count): (usize, usize)) -> Vec<Vertex> {
        let vertex = |at: usize| match sequence.get(at) {
            Some(vertex) => vertex.clone(),
            None if at == sequence.len() => self.cells.iter().map(|cell| cell.get(0, i)).collect(),
            None => vec![[0; 4]; self.cells.len()],
        };
        (first..first.saturating_add(count)).map(vertex).collect()
    }

    /// Makes primitives of the runs in the sequences that streams share.
    fn finish_sequences(&mut self) {
        let streams = self.plan.streams.max(1);
        let emitters = core::mem::take(&mut self.emitters);
        for (i, emitters) in emitters.chunks_mut(streams).enumerate() {
            let sequence = emitters.first_mut().map(|first| core::mem::take(&mut first.sequence));
            let sequence = sequence.unwrap_or_default();
            for emitter in emitters {
                emitter.open_run = (0, 0);
                for run in core::mem::take(&mut emitter.done_runs) {
                    emitter.done.push(self.run_of(&sequence, i, run));
                }
            }
        }
        self.emitters = emitters;
    }

    /// Ends the primitives that are open, and hands all of the pack over, invocation by invocation.
    pub(super) fn finish_primitives(&mut self) {
        let streams = self.plan.streams;
        if streams == 0 {
            return;
        }
        if self.shader.setup.one_sequence {
            self.finish_sequences();
        }
        self.world.streams.resize(streams, Vec::new());
        for (at, emitter) in self.emitters.iter_mut().enumerate() {
            emitter.end();
            emitter.given = 0;
            let invocation = (self.first + at / streams) as u32;
            if let Some(stream) = self.world.streams.get_mut(at % streams) {
                let done = core::mem::take(&mut emitter.done);
                stream.extend(done.into_iter().map(|vertices| Emitted { invocation, vertices }));
            }
        }
    }
}
