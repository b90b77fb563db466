//! The fast interpreter: up to 256 invocations a step, one loop for each operation.
//!
//! It runs the [pruned](Code::pruned) rows of a shader, products with [their](Code::paired) [sums](Code::chained), in as few
//! places as are [alive](Code::allotted) at once, so that they stay in the first cache, and goes over them with loops that a compiler turns into vector instructions. Flow, memory, textures and groups are
//! the [interpreter's](super::interp); what differs is which rows there are, where they stand, and how pure operations are computed.
//! The bits are the same. A shader whose invocations wait for one another, because it writes its constants, goes through the
//! interpreter's own loops: there is one to go over.
//!
//! The loops are compiled for whatever machine the library is compiled for. [`Kernels`] is how another crate has them compiled
//! for more: see `vecasm-native`.
//!
//! * `bank`: the rows;
//! * `kernels`: the loops.

mod bank;
mod kernels;

pub use kernels::Work;

use super::code::Code;
use super::interp::{Flat, PackMemory, Plan, Shape, Width, World, check, run_packs};
use super::{Batch, CompiledRunner, Engine, Outputs, RunError, Runner};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::ToString;
use bank::Lanes as Bank;
use vecasm_ir::ir::Shader;
use vecasm_ir::ir::verify::verify;

/// As many as keep the rows that are gone over in the first cache.
const WIDTH: Width = Width { least: 64, most: 256, bytes: 40 << 10 };

/// The loops of [`Lanes`], compiled for a machine.
///
/// An implementation is for one machine. The loops are many functions, because a compiler takes much longer for a single one.
pub trait Kernels: Copy + Send + Sync {
    /// The name of the engine on the command line.
    fn name(self) -> &'static str;

    /// Calls [`Work::run`] with itself. It is required, and should not be inlined, so that the loops are compiled where the
    /// implementation stands, and not in every crate that runs shaders.
    fn run(self, work: Work<'_>);

    /// Calls [`Work::part`] of the same part in a function that is compiled with the features of the machine, for instance under
    /// `#[target_feature(enable = "avx2")]`, and does nothing else: then everything is inlined there.
    fn part<const PART: u8>(self, work: Work<'_>);
}

/// The loops as the library is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Portable;

impl Kernels for Portable {
    fn name(self) -> &'static str {
        "lanes"
    }

    #[inline(never)]
    fn run(self, work: Work<'_>) {
        work.run(self);
    }

    #[inline(never)]
    fn part<const PART: u8>(self, work: Work<'_>) {
        work.part::<PART>();
    }
}

/// The engine. See the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes<K = Portable> {
    kernels: K,
}

impl Default for Lanes {
    /// With loops for every machine.
    fn default() -> Self {
        Self::new(Portable)
    }
}

impl<K: Kernels> Lanes<K> {
    /// With loops that are compiled for a machine.
    pub const fn new(kernels: K) -> Self {
        Self { kernels }
    }

    /// Makes a shader ready to be run many times.
    ///
    /// # Errors
    ///
    /// [`RunError::Malformed`], if it breaks a rule of the IR.
    pub fn prepare<'s>(&self, shader: &'s Shader) -> Result<Prepared<'s, K>, RunError> {
        if let Some(breach) = verify(shader).first() {
            return Err(RunError::Malformed(breach.to_string()));
        }
        let code = Code::new(shader).pruned();
        let (mut code, width) = match shader.serial {
            true => (code, Width::INTERP),
            false => (code.paired().chained().carried().allotted(), WIDTH),
        };
        kernels::sort(&mut code);
        let shape = Shape::of(shader, &code, width);
        Ok(Prepared { shader: Cow::Borrowed(shader), code, shape, kernels: self.kernels })
    }
}

impl<K: Kernels + 'static> Engine for Lanes<K> {
    fn name(&self) -> &'static str {
        self.kernels.name()
    }

    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        self.prepare(shader)?.run(batch)
    }

    fn runner<'r>(&'r self, shader: &'r Shader) -> Result<Box<dyn Runner + 'r>, RunError> {
        Ok(self.sent_runner(shader)?)
    }

    fn sent_runner<'r>(&'r self, shader: &'r Shader) -> Result<Box<dyn Runner + Send + 'r>, RunError> {
        let code = self.prepare(shader)?;
        Ok(Box::new(CompiledRunner { memory: code.workspace(), code, run: Prepared::run_in }))
    }
}

/// A shader that [`Lanes`] has checked and laid out. As [`interp::Prepared`](super::interp::Prepared), but for watching.
#[derive(Clone, Debug)]
pub struct Prepared<'s, K = Portable> {
    shader: Cow<'s, Shader>,
    code: Code,
    shape: Shape,
    kernels: K,
}

/// The memory of runs, and what the last one gave. It serves every shader of its engine; what it held before makes no
/// difference to a run.
#[derive(Clone, Debug)]
pub struct Workspace<K = Portable> {
    outputs: Outputs,
    world: World,
    // By the size of a word, and by the number of words of a mask.
    narrow: PackMemory<u32, Bank<u32, K>, 4>,
    narrow_many: PackMemory<u32, Bank<u32, K>, 16>,
    wide: PackMemory<u64, Bank<u64, K>, 4>,
    wide_many: PackMemory<u64, Bank<u64, K>, 16>,
    // Where each invocation waits for the one before it.
    narrow_serial: PackMemory<u32, Flat<u32>, 1>,
    wide_serial: PackMemory<u64, Flat<u64>, 1>,
}

impl<K: Kernels> Workspace<K> {
    /// What the last run gave. After a run that failed, it may be anything.
    pub const fn outputs(&self) -> &Outputs {
        &self.outputs
    }
}

impl<K: Kernels> Prepared<'_, K> {
    /// The memory for its runs, empty.
    pub fn workspace(&self) -> Workspace<K> {
        let kernels = self.kernels;
        Workspace {
            outputs: Outputs::default(),
            world: World::default(),
            narrow: PackMemory::new(Bank::new(kernels)),
            narrow_many: PackMemory::new(Bank::new(kernels)),
            wide: PackMemory::new(Bank::new(kernels)),
            wide_many: PackMemory::new(Bank::new(kernels)),
            narrow_serial: PackMemory::default(),
            wide_serial: PackMemory::default(),
        }
    }

    /// The shader.
    pub fn shader(&self) -> &Shader {
        &self.shader
    }

    /// The rows that it is run as.
    pub const fn code(&self) -> &Code {
        &self.code
    }

    /// The same with a shader of its own, to be kept for as long as one likes.
    pub fn into_owned(self) -> Prepared<'static, K> {
        let Self { shader, code, shape, kernels } = self;
        Prepared { shader: Cow::Owned(shader.into_owned()), code, shape, kernels }
    }

    /// Runs all invocations of a batch.
    ///
    /// # Errors
    ///
    /// As [`Engine::run`], without what is wrong with the shader.
    pub fn run(&self, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        let mut workspace = self.workspace();
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
        workspace: &'w mut Workspace<K>,
        batch: &Batch<'_>,
    ) -> Result<&'w Outputs, RunError> {
        check(&self.shader, batch)?;
        let plan = Plan::new(&self.shader, &self.shape, batch)?;
        let read = batch.as_read(&self.shader);
        let batch = read.as_ref().unwrap_or(batch);
        let Workspace { outputs, world, narrow, narrow_many, wide, wide_many, narrow_serial, wide_serial } =
            workspace;
        let of = (&*self.shader, &self.code);
        let one = self.shader.serial && plan.pack <= 64;
        match (self.code.wide, plan.pack > 256) {
            (false, _) if one => run_packs(of, (narrow_serial, world), batch, &plan, None, outputs),
            (true, _) if one => run_packs(of, (wide_serial, world), batch, &plan, None, outputs),
            (false, false) => run_packs(of, (narrow, world), batch, &plan, None, outputs),
            (false, true) => run_packs(of, (narrow_many, world), batch, &plan, None, outputs),
            (true, false) => run_packs(of, (wide, world), batch, &plan, None, outputs),
            (true, true) => run_packs(of, (wide_many, world), batch, &plan, None, outputs),
        }?;
        Ok(outputs)
    }
}

#[cfg(test)]
mod tests;
