//! The code generator.

mod asm;
mod call;
mod emit;
mod fetch;
mod frame;
mod isa;
mod memory;
mod mir;
mod pipeline;
mod rows;
mod run;
mod select;

pub use isa::Isa;
pub use run::{Compiled, Workspace};

use vecasm_exec::{Batch, CompiledRunner, Engine, Outputs, RunError, Runner};
use vecasm_ir::ir::Shader;

/// The engine: compiles a shader, then runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jit {
    isa: Isa,
    name: &'static str,
}

impl Jit {
    /// The engine for an instruction set, if this processor has it: `jit-avx2` or `jit-avx512`.
    pub fn new(isa: Isa) -> Option<Self> {
        let name = match isa {
            Isa::Avx2 => "jit-avx2",
            Isa::Avx512 => "jit-avx512",
        };
        isa.is_there().then_some(Self { isa, name })
    }

    /// The engine for the widest instruction set that this processor has: `jit`.
    pub fn best() -> Option<Self> {
        Isa::best().map(|isa| Self { isa, name: "jit" })
    }

    /// The instruction set that it makes code for.
    pub const fn isa(&self) -> Isa {
        self.isa
    }
}

impl Engine for Jit {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        Compiled::new(shader, self.isa)?.run(batch)
    }

    fn runner<'r>(&'r self, shader: &'r Shader) -> Result<Box<dyn Runner + 'r>, RunError> {
        Ok(self.sent_runner(shader)?)
    }

    fn sent_runner<'r>(&'r self, shader: &'r Shader) -> Result<Box<dyn Runner + Send + 'r>, RunError> {
        let code = Compiled::new(shader, self.isa)?;
        Ok(Box::new(CompiledRunner { code, memory: Workspace::default(), run: Compiled::run_in }))
    }
}
