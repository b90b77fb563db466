//! Shaders compiled, and batches run with them.

mod serial;

use super::call::{self, Callee};
use super::emit::{Machine, emit};
use super::fetch::Fetch;
use super::frame::{CONTROL, Context, SAVED_BYTES};
use super::isa::Isa;
use super::memory::Executable;
use super::mir::Program;
use super::pipeline::arrange;
use super::select::{List, Selected, Uniform, select};
use std::borrow::Cow;
use std::panic::resume_unwind;
use std::time::{Duration, Instant};
use vecasm_exec::code::Code;
use vecasm_exec::interp::{self, Prepared};
use vecasm_exec::lanes::Lanes;
use vecasm_exec::texture::Textures;
use vecasm_exec::{Batch, Engine, Outputs, RunError};
use vecasm_ir::ir::{InputKind, Op, Shader, Stage, System};

/// The fuel of an invocation where a batch does not say.
const DEFAULT_FUEL: u64 = 65_536;
/// Invocations of a quad.
const QUAD: usize = 4;
/// After so many blocks in a row that ran out of fuel, the rest of a batch is left to the interpreters at once.
const IN_A_ROW: usize = 4;
/// From so many invocations on, laying a shader out for the fast interpreter is worth it.
const MANY: usize = 1024;
/// The most elements of a parameter array: their addresses are offsets of 32 bits with a sign.
const MOST_ELEMENTS: u32 = 1 << 26;
/// The most instructions on virtual registers, times the most labels, that code is made of: the walk looks over all
/// values at each label.
const MOST_WORK: usize = 1 << 30;

/// A shader compiled to machine code, to be run any number of times.
#[derive(Debug)]
pub struct Compiled<'s> {
    pub(super) prepared: Prepared<'s>,
    pub(super) isa: Isa,
    pub(super) program: Program,
    uniforms: Vec<(Uniform, u32)>,
    pub(super) lists: Vec<List>,
    machine: Machine,
    code: Executable,
    generation: Duration,
}

/// 64 bytes that vectors can be loaded from.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// The memory of runs, and what the last one gave. It serves every [`Compiled`] shader; what it held before makes no
/// difference to a run.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) outputs: Outputs,
    pub(super) memory: Memory,
    /// The last invocations, where they are no whole block: what they read and what they write.
    pub(super) tails: Vec<[[u32; 4]; 16]>,
    /// For each block, who became a helper.
    pub(super) killed: Vec<u16>,
    pub(super) interp: interp::Workspace,
}

/// What the code itself needs.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pool: Vec<Line>,
    slots: Vec<Line>,
    saved: Vec<Line>,
}

impl Workspace {
    /// What the last run gave. After a run that failed, it may be anything.
    pub const fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// What the last run gave, to keep.
    pub fn into_outputs(self) -> Outputs {
        self.outputs
    }
}

/// An input, and what each invocation reads of it.
pub(super) type InputRows<'b> = (usize, Cow<'b, [[u32; 4]]>);

fn lines(list: &mut Vec<Line>, bytes: usize) -> *mut u8 {
    let len = bytes.div_ceil(64).max(1);
    if list.len() < len {
        list.resize(len, Line([0; 8]));
    }
    list.as_mut_ptr().cast()
}

impl<'s> Compiled<'s> {
    /// Compiles a shader.
    ///
    /// # Errors
    ///
    /// [`RunError::Malformed`] if the shader breaks a rule of the IR, [`RunError::Unsupported`] if there is no code for it,
    /// or if this processor does not have the instruction set.
    pub fn new(shader: &'s Shader, isa: Isa) -> Result<Self, RunError> {
        if !isa.is_there() {
            return Err(RunError::Unsupported("this processor".into()));
        }
        let prepared = Prepared::new(shader)?;
        if shader.params.iter().any(|array| array.size > MOST_ELEMENTS) {
            return Err(RunError::Unsupported("a parameter array of that size".into()));
        }
        let start = Instant::now();
        let code = Code::new(shader).pruned();
        let Selected { mut program, uniforms, lists } =
            select(shader, &code, isa).map_err(RunError::Unsupported)?;
        if program.kinds.len().saturating_mul(program.labels as usize) > MOST_WORK {
            return Err(RunError::Unsupported("so many regions in one shader".into()));
        }
        // Where each invocation waits for the one before, no blocks are mixed.
        if !shader.serial {
            arrange(&mut program, isa);
        }
        let machine = emit(&program, isa).map_err(RunError::Unsupported)?;
        let code = Executable::new(&machine.bytes).map_err(|error| {
            RunError::Unsupported(format!("a system that gives no memory for code ({error})"))
        })?;
        let generation = start.elapsed();
        Ok(Self { prepared, isa, program, uniforms, lists, machine, code, generation })
    }

    /// The shader.
    pub fn shader(&self) -> &Shader {
        self.prepared.shader()
    }

    /// The instruction set of the code.
    pub const fn isa(&self) -> Isa {
        self.isa
    }

    /// Bytes of machine code.
    pub fn size(&self) -> usize {
        self.machine.bytes.len()
    }

    /// The time it took to make the code, verification apart.
    pub const fn generation(&self) -> Duration {
        self.generation
    }

    /// The machine code.
    pub fn bytes(&self) -> &[u8] {
        &self.machine.bytes
    }

    /// Runs all invocations of a batch.
    ///
    /// # Errors
    ///
    /// As [`Engine::run`](vecasm_exec::Engine::run), without what is wrong with the shader.
    pub fn run(&self, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        let mut workspace = Workspace::default();
        self.run_in(&mut workspace, batch)?;
        Ok(workspace.outputs)
    }

    /// As [`run`](Self::run), in the memory of earlier runs.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn run_in<'w>(
        &self,
        workspace: &'w mut Workspace,
        batch: &Batch<'_>,
    ) -> Result<&'w Outputs, RunError> {
        // Blocks are whole quads.
        let quads = match self.prepared.group(batch)? {
            1 => false,
            QUAD if self.prepared.shader().stage == Stage::Fragment => true,
            _ => return Err(RunError::Unsupported("invocations that see one another".into())),
        };
        let read = batch.as_read(self.prepared.shader());
        let batch = read.as_ref().unwrap_or(batch);
        if self.prepared.shader().serial {
            return self.run_serial(workspace, batch);
        }
        let given = self.all_given(batch)?;
        let shader = self.prepared.shader();
        // Those that are read at computed places, as long as the shader says.
        let mut params = Vec::new();
        for list in &self.lists {
            if let List::Param(at) = *list {
                let size = shader.params.get(at).map_or(0, |param| param.size).max(1) as usize;
                let given = batch.params.get(at).map_or(&[][..], Vec::as_slice);
                params.push((
                    at,
                    match given.get(..size) {
                        Some(all) => Cow::Borrowed(all),
                        None => {
                            let mut all = given.to_vec();
                            all.resize(size, [0; 4]);
                            Cow::Owned(all)
                        }
                    },
                ));
            }
        }
        let textures = Textures::new(shader, batch, quads);
        let fetches: Vec<Option<Fetch<'_>>> =
            self.program.calls.iter().map(|call| Fetch::new(call.what, shader, textures)).collect();
        // Where they are asked for: as words; those that complete a quad are helpers, too.
        let mut helpers = Vec::new();
        if self.lists.contains(&List::Helpers) {
            let word = |i| [u32::from(batch.helpers.get(i).is_some_and(|&helper| helper)), 0, 0, 0];
            helpers.extend((0..batch.count).map(word));
        }
        let count = batch.count;
        let lanes = self.isa.lanes();
        let (whole, rest) = (count / lanes * lanes, count % lanes);
        workspace.fit(shader, batch, lanes);
        for (cell, output) in workspace
            .outputs
            .cells
            .iter_mut()
            .zip(&shader.outputs)
            .enumerate()
            .filter_map(|(at, cell)| (!self.lists.contains(&List::Output(at))).then_some(cell))
        {
            cell.fill(output.init);
        }
        self.fill_pool(&mut workspace.memory, batch);
        workspace.tails.clear();
        workspace.tails.resize(self.lists.len(), [[0; 4]; 16]);
        let work = |workspace: &mut Workspace, tail: bool| {
            let mut inputs = given.iter();
            let mut addresses: Vec<*mut u8> = Vec::with_capacity(self.lists.len());
            for (list, scratch) in self.lists.iter().zip(&mut workspace.tails) {
                addresses.push(match *list {
                    List::Input(_) => {
                        let values = inputs.next().map_or(&[][..], |(_, values)| values);
                        if tail {
                            // What no invocation reads is what the last one reads: it takes no other way.
                            let last = values.get(count - 1).copied().unwrap_or([0; 4]);
                            let values = values.get(whole..count).unwrap_or(&[]);
                            scratch.fill(last);
                            scratch.iter_mut().zip(values).for_each(|(to, from)| *to = *from);
                            scratch.as_mut_ptr().cast()
                        } else {
                            values.as_ptr().cast::<u8>().cast_mut()
                        }
                    }
                    List::Output(at) => match workspace.outputs.cells.get_mut(at) {
                        Some(cell) if !tail => cell.as_mut_ptr().cast(),
                        _ => scratch.as_mut_ptr().cast(),
                    },
                    List::Helpers if tail => {
                        scratch.fill([1, 0, 0, 0]);
                        let values = helpers.get(whole..count).unwrap_or(&[]);
                        scratch.iter_mut().zip(values).for_each(|(to, from)| *to = *from);
                        scratch.as_mut_ptr().cast()
                    }
                    // Of serial shaders alone.
                    List::Carried(_) => scratch.as_mut_ptr().cast(),
                    List::Helpers => helpers.as_ptr().cast::<u8>().cast_mut(),
                    List::Param(at) => params
                        .iter()
                        .find(|(array, _)| *array == at)
                        .map_or(std::ptr::null_mut(), |(_, all)| all.as_ptr().cast::<u8>().cast_mut()),
                    List::Killed => {
                        let from = if tail { whole / lanes } else { 0 };
                        workspace
                            .killed
                            .get_mut(from..)
                            .map_or(std::ptr::null_mut(), <[u16]>::as_mut_ptr)
                            .cast()
                    }
                });
            }
            let bytes = if tail { lanes * 16 } else { whole * 16 };
            // SAFETY: lists of a whole run have `count` elements, of which `whole` are not more, and those of a tail 16.
            unsafe { self.blocks(&mut workspace.memory, &addresses, bytes, batch, &fetches, &mut []) }
        };
        let mut tired = if whole > 0 { work(workspace, false) } else { Vec::new() };
        if rest > 0 {
            let late = work(workspace, true);
            tired.extend(late.iter().map(|_| whole));
            for (list, scratch) in self.lists.iter().zip(&workspace.tails) {
                if let List::Output(at) = *list {
                    if let Some(cell) =
                        workspace.outputs.cells.get_mut(at).and_then(|cell| cell.get_mut(whole..))
                    {
                        cell.iter_mut().zip(scratch).for_each(|(to, from)| *to = *from);
                    }
                }
            }
        }
        workspace.outputs.exhausted.fill(false);
        if self.lists.contains(&List::Killed) {
            let order: Vec<usize> = (0..lanes).map(|i| lane_of(self.isa, i)).collect();
            for (block, bits) in workspace.outputs.killed.chunks_mut(lanes).zip(&workspace.killed) {
                block.iter_mut().zip(&order).for_each(|(killed, lane)| *killed = bits >> lane & 1 != 0);
            }
        } else {
            workspace.outputs.killed.fill(false);
        }
        if !tired.is_empty() {
            self.run_slowly(workspace, batch, &given, &tired)?;
        }
        // Helpers write nothing, and are not killed.
        for (i, _) in batch.helpers.iter().take(count).enumerate().filter(|(_, helper)| **helper) {
            for (cell, output) in workspace.outputs.cells.iter_mut().zip(&shader.outputs) {
                cell[i] = output.init;
            }
            workspace.outputs.killed[i] = false;
        }
        Ok(&workspace.outputs)
    }

    /// Runs the code for the blocks of the first `bytes` bytes of lists, and says where those that give up begin.
    ///
    /// # Safety
    ///
    /// There is an address for each list. Of lists of invocations the first `bytes` bytes can be read or written, of that of the
    /// killed two bytes a block, of parameters as many elements as the shader says, and at least one. Nobody else has any of it.
    /// The pool is filled.
    pub(super) unsafe fn blocks(
        &self,
        memory: &mut Memory,
        addresses: &[*mut u8],
        bytes: usize,
        batch: &Batch<'_>,
        fetches: &[Option<Fetch<'_>>],
        params: &mut [Vec<[u32; 4]>],
    ) -> Vec<usize> {
        let pool = memory.pool.as_ptr().cast();
        let slots = lines(&mut memory.slots, self.machine.slots as usize * self.isa.bytes());
        let saved = lines(&mut memory.saved, SAVED_BYTES);
        let mut callee = Callee {
            isa: self.isa,
            program: &self.program,
            sites: &self.machine.sites,
            saved,
            slots,
            pool,
            fetches,
            params,
            panic: None,
        };
        let mut context = Context {
            pool,
            slots,
            saved,
            start: 0,
            end: bytes as u64,
            rust: call::rust,
            with: (&raw mut callee).cast(),
            fuel: batch.fuel.unwrap_or(DEFAULT_FUEL),
            lists: addresses.as_ptr(),
            modes: CONTROL,
            callers: 0,
            present: 0,
        };
        let step = self.isa.lanes() * 16;
        let (mut tired, mut row) = (Vec::new(), 0);
        while context.start < context.end {
            let first = context.start;
            context.with = (&raw mut callee).cast();
            // SAFETY: the code is a function of this type. It reads and writes, of each list, the elements from `start` to
            // `end`, which the caller has. The pool, the stack and the place for registers are as large as the code needs, and
            // aligned to 64 bytes.
            let gave_up = unsafe {
                let run: unsafe extern "sysv64" fn(*mut Context) -> u32 =
                    std::mem::transmute(self.code.start());
                run(&raw mut context)
            };
            if let Some(panic) = callee.panic.take() {
                resume_unwind(panic);
            }
            if gave_up == 0 {
                break;
            }
            row = if context.start == first { row + 1 } else { 1 };
            tired.push(context.start as usize / 16);
            context.start += step as u64;
            if row == IN_A_ROW {
                tired.extend((context.start..context.end).step_by(step).map(|start| start as usize / 16));
                break;
            }
        }
        tired
    }

    /// What each invocation reads of the inputs that the code reads, in the order of lists.
    pub(super) fn all_given<'b>(&self, batch: &'b Batch<'_>) -> Result<Vec<InputRows<'b>>, RunError> {
        let ids = self.lists.iter().filter_map(|list| match *list {
            List::Input(id) => Some(id),
            _ => None,
        });
        ids.map(|id| Ok((id, self.input_values(batch, id)?))).collect()
    }

    /// What each invocation reads of an input.
    fn input_values<'b>(&self, batch: &'b Batch<'_>, id: usize) -> Result<Cow<'b, [[u32; 4]]>, RunError> {
        let own = self.prepared.shader().inputs.get(id).is_some_and(|input| {
            !matches!(
                input.kind,
                InputKind::PatchVarying { .. }
                    | InputKind::System(
                        System::PrimitiveIndex
                            | System::TessOuter
                            | System::TessInner
                            | System::TessDefaultOuter
                            | System::TessDefaultInner
                    )
            )
        });
        match batch.inputs.get(id).and_then(|list| list.get(..batch.count)) {
            Some(list) if own => Ok(Cow::Borrowed(list)),
            _ => Ok(Cow::Owned(self.prepared.input(batch, id)?)),
        }
    }

    pub(super) fn fill_pool(&self, memory: &mut Memory, batch: &Batch<'_>) {
        let entry = self.isa.entry();
        let pool = lines(&mut memory.pool, self.program.pool.len() * entry);
        let put = |at: usize, bits: u64| {
            for copy in 0..entry / 8 {
                // SAFETY: the pool has `entry` bytes for each of the program's entries, aligned to 64 bytes.
                unsafe { pool.add(at * entry + copy * 8).cast::<u64>().write(bits) };
            }
        };
        for (at, &bits) in self.program.pool.iter().enumerate() {
            put(at, bits);
        }
        let mut words = vec![0; self.program.pool.len()];
        for &(uniform, at) in &self.uniforms {
            let bits = match uniform {
                Uniform::Lane(op, lane) => self.uniform(batch, op)[usize::from(lane) & 3],
                Uniform::NotZero(of, flush) => {
                    let bits: u32 = words[of as usize];
                    let zero = if flush { bits & 0x7f80_0000 == 0 } else { bits & 0x7fff_ffff == 0 };
                    if zero { 0 } else { u32::MAX }
                }
            };
            words[at as usize] = bits;
            put(at as usize, u64::from(bits) | u64::from(bits) << 32);
        }
    }

    /// What all invocations read alike.
    fn uniform(&self, batch: &Batch<'_>, op: Op) -> [u32; 4] {
        let shader = self.prepared.shader();
        match op {
            Op::Param { array, index } => {
                let size = shader.params.get(array.index()).map_or(0, |param| param.size);
                let elements = batch.params.get(array.index()).filter(|_| index < size);
                elements.and_then(|elements| elements.get(index as usize)).copied().unwrap_or([0; 4])
            }
            Op::State(id) => {
                let given = batch.states.get(id.index()).copied().flatten();
                given.or_else(|| shader.states.get(id.index()).map(|state| state.default)).unwrap_or([0; 4])
            }
            _ => [0; 4],
        }
    }

    /// Has an interpreter run blocks, given by their first invocations in ascending order, in which fuel ran out: it counts what
    /// each invocation takes.
    fn run_slowly(
        &self,
        workspace: &mut Workspace,
        batch: &Batch<'_>,
        given: &[InputRows<'_>],
        blocks: &[usize],
    ) -> Result<(), RunError> {
        let shader = self.prepared.shader();
        let ranges = || blocks.iter().map(|&first| first..(first + self.isa.lanes()).min(batch.count));
        let mut part = Batch {
            count: ranges().map(|range| range.len()).sum(),
            inputs: vec![Vec::new(); shader.inputs.len()],
            params: batch.params.clone(),
            states: batch.states.clone(),
            textures: batch.textures.clone(),
            subgroup: batch.subgroup,
            fuel: batch.fuel,
            ..Batch::default()
        };
        if !batch.helpers.is_empty() {
            let helper = |at: usize| batch.helpers.get(at).copied().unwrap_or_default();
            part.helpers = ranges().flatten().map(helper).collect();
        }
        for (id, values) in given {
            part.inputs[*id] =
                ranges().flat_map(|range| values.get(range).unwrap_or_default()).copied().collect();
        }
        let many;
        let ran = match crate::Avx2::new().filter(|_| part.count >= MANY) {
            Some(kernels) => {
                many = Lanes::new(kernels).run(shader, &part)?;
                &many
            }
            None => self.prepared.run_in(&mut workspace.interp, &part)?,
        };
        let outputs = &mut workspace.outputs;
        let mut at = 0;
        for range in ranges() {
            let from = at..at + range.len();
            at = from.end;
            for (to, cell) in outputs.cells.iter_mut().zip(&ran.cells) {
                to[range.clone()].copy_from_slice(&cell[from.clone()]);
            }
            outputs.killed[range.clone()].copy_from_slice(&ran.killed[from.clone()]);
            outputs.exhausted[range].copy_from_slice(&ran.exhausted[from]);
        }
        Ok(())
    }
}

/// The lane that an invocation of a block is in.
fn lane_of(isa: Isa, invocation: usize) -> usize {
    (0..isa.lanes()).find(|&lane| isa.invocation(lane) == invocation).unwrap_or(0)
}

impl Workspace {
    /// Makes outputs as large as a batch, and what the shader does not write what the batch has.
    pub(super) fn fit(&mut self, shader: &Shader, batch: &Batch<'_>, lanes: usize) {
        let count = batch.count;
        let outputs = &mut self.outputs;
        if outputs.cells.len() != shader.outputs.len() {
            outputs.cells.resize_with(shader.outputs.len(), Vec::new);
        }
        for cell in &mut outputs.cells {
            if cell.len() != count {
                cell.resize(count, [0; 4]);
            }
        }
        outputs.killed.resize(count, false);
        outputs.exhausted.resize(count, false);
        outputs.params.clear();
        outputs.carried.clear();
        outputs.streams.clear();
        outputs.barriers.clear();
        outputs.buffers.clone_from(&batch.buffers);
        outputs.buffers.resize(batch.buffers.len().max(shader.buffers.len()), Vec::new());
        outputs.images.clone_from(&batch.images);
        outputs.images.resize(batch.images.len().max(shader.images.len()), None);
        self.killed.clear();
        self.killed.resize(count.div_ceil(lanes) + 1, 0);
    }
}
