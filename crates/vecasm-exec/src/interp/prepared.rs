//! A shader made ready to be run many times, and the memory that its runs share.

use super::bank::{Bank, Flat};
use super::memory::World;
use super::pack::{Pack, PackMemory};
use super::plan::{Plan, Shape, Width};
use super::resources;
use super::watch::{StepEvent, Watch};
use crate::code::Code;
use crate::{Batch, Outputs, RunError};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use vecasm_ir::ir::Shader;
use vecasm_ir::ir::op::Word;
use vecasm_ir::ir::verify::verify;

/// A shader that [`Interp`](super::Interp) has checked and laid out, to be run any number of times.
///
/// What is done when:
///
/// * *once*, by [`new`](Self::new): the shader is [verified](vecasm_ir::ir::verify), and everything is looked up that does
///   not depend on a batch;
/// * *in each run*: the sizes of the batch and what it binds are checked against the shader, its parameters and states are
///   read, its buffers and images copied.
///
/// A run depends on the shader and the batch only, and gives the same bits as [`Engine::run`](crate::Engine::run).
/// [`run_in`](Self::run_in) keeps its memory for the next run: that is the way for many small batches, such as quad after
/// quad.
///
/// ```
/// use vecasm_exec::Batch;
/// use vecasm_exec::interp::{Prepared, Workspace};
///
/// # let text = "fragment test\n  input 0 v varying 0 : f32x4\n  output 0 o color 0\n\n  \
/// #     %0 = input v : f32x4\n  %1 = mul %0 %0 : f32x4\n  store o.xyzw %1\n";
/// # let shader = vecasm_ir::ir::text::parse(text, "test", &[]).unwrap();
/// let prepared = Prepared::new(&shader)?;
/// let mut workspace = Workspace::default();
/// let mut batch = Batch { count: 4, inputs: vec![vec![[0; 4]; 4]], ..Batch::default() };
/// for quad in 0..3 {
///     batch.inputs[0].fill([quad as f32; 4].map(f32::to_bits));
///     let outputs = prepared.run_in(&mut workspace, &batch)?;
///     assert_eq!(outputs.cells[0], [[(quad * quad) as f32; 4].map(f32::to_bits); 4]);
/// }
/// # Ok::<(), vecasm_exec::RunError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Prepared<'s> {
    shader: Cow<'s, Shader>,
    code: Code,
    shape: Shape,
}

/// The memory of runs, and what the last one gave. It serves every [`Prepared`] shader; what it held before makes no
/// difference to a run. It takes as much as the largest run in it took.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    outputs: Outputs,
    world: World,
    // By the size of a word, and by the number of words of a mask.
    narrow: PackMemory<u32, Flat<u32>, 1>,
    narrow_many: PackMemory<u32, Flat<u32>, 16>,
    wide: PackMemory<u64, Flat<u64>, 1>,
    wide_many: PackMemory<u64, Flat<u64>, 16>,
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

    /// Leaves what no run would leave.
    #[cfg(test)]
    pub(super) fn spoil(&mut self) {
        let Outputs { cells, killed, exhausted, params, carried, buffers, images, streams, barriers } =
            &mut self.outputs;
        cells.iter_mut().for_each(|cell| cell.fill([0xdead_beef; 4]));
        cells.push(Vec::new());
        killed.fill(true);
        exhausted.fill(true);
        params.push(Vec::new());
        carried.push([9; 4]);
        buffers.push(alloc::vec![9; 3]);
        images.push(None);
        streams.push(Vec::new());
        barriers.push(crate::DivergentBarrier { first: 9, step: 9 });
        self.world.spoil();
        self.narrow.spoil();
        self.narrow_many.spoil();
        self.wide.spoil();
        self.wide_many.spoil();
    }
}

impl<'s> Prepared<'s> {
    /// Makes a shader ready.
    ///
    /// # Errors
    ///
    /// [`RunError::Malformed`], if it breaks a rule of the IR.
    pub fn new(shader: &'s Shader) -> Result<Self, RunError> {
        match verify(shader).first() {
            Some(breach) => Err(RunError::Malformed(breach.to_string())),
            None => Ok(Self::unverified(shader)),
        }
    }

    /// Makes a shader ready that nobody has verified: runs of it do not panic, but may give anything.
    pub(super) fn unverified(shader: &'s Shader) -> Self {
        let code = Code::new(shader);
        let shape = Shape::of(shader, &code, Width::INTERP);
        Self { shader: Cow::Borrowed(shader), code, shape }
    }

    /// The same with a shader of its own, to be kept for as long as one likes.
    pub fn into_owned(self) -> Prepared<'static> {
        Prepared { shader: Cow::Owned(self.shader.into_owned()), code: self.code, shape: self.shape }
    }

    /// The shader.
    pub fn shader(&self) -> &Shader {
        &self.shader
    }

    /// Runs all invocations of a batch.
    ///
    /// # Errors
    ///
    /// As [`Engine::run`](crate::Engine::run), without what is wrong with the shader.
    pub fn run(&self, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        let mut workspace = Workspace::default();
        self.run_in(&mut workspace, batch)?;
        Ok(workspace.outputs)
    }

    /// As [`run`](Self::run), in the memory of earlier runs. Where that is large enough and the shader has no buffers,
    /// images and streams, nothing is allocated.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn run_in<'w>(
        &self,
        workspace: &'w mut Workspace,
        batch: &Batch<'_>,
    ) -> Result<&'w Outputs, RunError> {
        let plan = self.plan(batch)?;
        let read = batch.as_read(&self.shader);
        self.run_as(workspace, read.as_ref().unwrap_or(batch), &plan, None)?;
        Ok(&workspace.outputs)
    }

    /// As [`run`](Self::run), and calls `watch` as [`Interp::run_watched`](super::Interp::run_watched) does.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn run_watched(
        &self,
        batch: &Batch<'_>,
        watch: &mut dyn FnMut(&StepEvent<'_>),
    ) -> Result<Outputs, RunError> {
        let plan = self.plan(batch)?;
        let mut workspace = Workspace::default();
        let read = batch.as_read(&self.shader);
        let batch = read.as_ref().unwrap_or(batch);
        self.run_as(&mut workspace, batch, &Plan { pack: plan.group, ..plan }, Some(watch))?;
        Ok(workspace.outputs)
    }

    /// Number of invocations of a group: those that go through the shader together because they see one another.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), for what can be told before a run.
    pub fn group(&self, batch: &Batch<'_>) -> Result<usize, RunError> {
        Ok(self.plan(batch)?.group)
    }

    /// What each invocation of a batch reads of an input of its own, given or not: for engines that read inputs from
    /// lists.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), for what can be told before a run.
    pub fn input(&self, batch: &Batch<'_>, id: usize) -> Result<Vec<[u32; 4]>, RunError> {
        let plan = Plan { pack: 1, ..self.plan(batch)? };
        let (mut held, mut world) = (PackMemory::<u32, Flat<u32>, 1>::default(), World::default());
        let mut pack = Pack::new((&self.shader, &self.code), batch, plan, (&mut held, &mut world), None);
        let each = |i| {
            pack.first = i;
            pack.input(id, 0)
        };
        Ok((0..batch.count).map(each).collect())
    }

    /// Checks what a batch binds, and finds the sizes of its run.
    pub(super) fn plan(&self, batch: &Batch<'_>) -> Result<Plan, RunError> {
        check(&self.shader, batch)?;
        self.sizes(batch)
    }

    /// The sizes of a run, whatever is bound.
    pub(super) fn sizes(&self, batch: &Batch<'_>) -> Result<Plan, RunError> {
        Plan::new(&self.shader, &self.shape, batch)
    }

    /// Chooses what lanes and masks are held in.
    pub(super) fn run_as<'a>(
        &'a self,
        workspace: &'a mut Workspace,
        batch: &'a Batch<'a>,
        plan: &Plan,
        watch: Option<Watch<'a>>,
    ) -> Result<(), RunError> {
        let Workspace { outputs, world, narrow, narrow_many, wide, wide_many } = workspace;
        let of = (&*self.shader, &self.code);
        match (self.code.wide, plan.pack > 64) {
            (false, false) => run_packs(of, (narrow, world), batch, plan, watch, outputs),
            (false, true) => run_packs(of, (narrow_many, world), batch, plan, watch, outputs),
            (true, false) => run_packs(of, (wide, world), batch, plan, watch, outputs),
            (true, true) => run_packs(of, (wide_many, world), batch, plan, watch, outputs),
        }
    }
}

/// Runs all packs of a batch.
pub(crate) fn run_packs<'a, W: Word, B: Bank<W>, const N: usize>(
    (shader, code): (&'a Shader, &'a Code),
    memory: (&'a mut PackMemory<W, B, N>, &'a mut World),
    batch: &'a Batch<'a>,
    plan: &Plan,
    watch: Option<Watch<'a>>,
    outputs: &mut Outputs,
) -> Result<(), RunError> {
    let Outputs { cells, killed, exhausted, .. } = outputs;
    // Every element is written by the pack that it belongs to.
    if cells.len() != shader.outputs.len() {
        cells.resize_with(shader.outputs.len(), Vec::new);
    }
    for (cell, output) in cells.iter_mut().zip(&shader.outputs) {
        let count = if output.kind.is_of_patch() { batch.count / plan.group } else { batch.count };
        if cell.len() != count {
            cell.resize(count, [0; 4]);
        }
    }
    if killed.len() != batch.count || exhausted.len() != batch.count {
        killed.resize(batch.count, false);
        exhausted.resize(batch.count, false);
    }
    let mut pack = Pack::new((shader, code), batch, *plan, memory, watch);
    let mut first = 0;
    while first < batch.count {
        pack.run(first);
        if pack.world.overflow {
            return Err(RunError::Limit("a geometry shader emits too many vertices".into()));
        }
        pack.write_outputs(outputs);
        first += plan.pack;
    }
    pack.world.write_outputs(shader, outputs);
    Ok(())
}

/// Checks what a batch binds.
pub(crate) fn check(shader: &Shader, batch: &Batch<'_>) -> Result<(), RunError> {
    for (texture, bound) in shader.textures.iter().zip(&batch.textures) {
        let Some(bound) = bound else { continue };
        if bound.texture.dim() != resources::dim_of(shader, batch, texture) {
            let what = format!("the texture bound to {} has another dimension", texture.name);
            return Err(RunError::Binding(what));
        }
        if bound.texture.scalar() != texture.scalar {
            let what = format!("the texture bound to {} has texels of another type", texture.name);
            return Err(RunError::Binding(what));
        }
    }
    for (image, bound) in shader.images.iter().zip(&batch.images) {
        if bound.as_ref().is_some_and(|bound| bound.dim() != image.dim || bound.format() != image.format) {
            let what = format!("the image bound to {} has another dimension or format", image.name);
            return Err(RunError::Binding(what));
        }
    }
    Ok(())
}
