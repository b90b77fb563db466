//! The engines, the fastest first. A new one is one row of [`ENGINES`].

use vecasm_exec::lanes::{Kernels, Lanes, Portable};
use vecasm_exec::{Batch, Outputs, RunError, RunIn, Runner, interp, lanes};
use vecasm_ir::ir::Shader;
use vecasm_native::{Avx2, Avx512, Isa};

/// Invocations from which on generated code pays: making it takes as long as running so many, whatever the length of the
/// shader.
const WORTH: usize = 1_250;

/// The engines, the fastest first: the order in which `auto` tries them. The last one runs every shader everywhere.
pub(crate) static ENGINES: &[Row] = &[
    Row {
        name: "jit-avx512",
        doc: "Machine code, 16 lanes",
        lacking: || lacking(Isa::Avx512),
        auto: Some(WORTH),
        compile: |shader| generated(shader, Isa::Avx512),
    },
    Row {
        name: "jit-avx2",
        doc: "Machine code, 8 lanes",
        lacking: || lacking(Isa::Avx2),
        auto: Some(WORTH),
        compile: |shader| generated(shader, Isa::Avx2),
    },
    Row {
        name: "jit",
        doc: "Machine code, as many lanes as this machine has",
        lacking: || Isa::best().map_or_else(|| lacking(Isa::Avx2), |_| None),
        auto: None,
        compile: |shader| generated(shader, Isa::best().unwrap_or(Isa::Avx2)),
    },
    Row {
        name: "lanes-avx512",
        doc: "Batch interpreter, up to 256 invocations per operation, compiled for AVX-512",
        lacking: || match (Avx512::new(), lacking(Isa::Avx512)) {
            (Some(_), _) => None,
            (None, None) => Some("a vecasm compiled with Rust 1.89 or later".into()),
            (None, needs) => needs,
        },
        auto: Some(0),
        compile: |shader| match Avx512::new() {
            Some(kernels) => looping(shader, kernels),
            None => Err(RunError::Unsupported("this processor".into())),
        },
    },
    Row {
        name: "lanes-avx2",
        doc: "Batch interpreter, up to 256 invocations per operation, compiled for AVX2",
        lacking: || lacking(Isa::Avx2),
        auto: Some(0),
        compile: |shader| match Avx2::new() {
            Some(kernels) => looping(shader, kernels),
            None => Err(RunError::Unsupported("this processor".into())),
        },
    },
    Row {
        name: "lanes",
        doc: "Batch interpreter, up to 256 invocations per operation, for the baseline processor",
        lacking: || None,
        auto: Some(0),
        compile: |shader| looping(shader, Portable),
    },
    Row {
        name: "interp",
        doc: "Reference interpreter",
        lacking: || None,
        auto: Some(0),
        compile: |shader| {
            box_compiled(
                interp::Prepared::new(shader)?,
                |_| interp::Workspace::default(),
                interp::Prepared::run_in,
            )
        },
    },
];

/// What the machine lacks for generated code.
fn lacking(isa: Isa) -> Option<String> {
    (!isa.is_there()).then(|| isa.needs().into())
}

fn generated(shader: &Shader, isa: Isa) -> Result<Box<dyn CompiledShader + '_>, RunError> {
    let code = vecasm_native::Compiled::new(shader, isa)?;
    box_compiled(code, |_| vecasm_native::Workspace::default(), vecasm_native::Compiled::run_in)
}

fn looping<K>(shader: &Shader, kernels: K) -> Result<Box<dyn CompiledShader + '_>, RunError>
where
    K: Kernels + 'static,
{
    box_compiled(Lanes::new(kernels).prepare(shader)?, lanes::Prepared::workspace, lanes::Prepared::run_in)
}

/// An engine.
pub(crate) struct Row {
    /// What it is called.
    pub(crate) name: &'static str,
    /// One sentence.
    pub(crate) doc: &'static str,
    /// What this machine lacks to run it.
    pub(crate) lacking: fn() -> Option<String>,
    /// The fewest invocations that `auto` takes it for; `None` for a second name of others.
    pub(crate) auto: Option<usize>,
    /// Compiles a shader. [`RunError::Unsupported`] says that the engine cannot run it.
    pub(crate) compile: for<'s> fn(&'s Shader) -> Result<Box<dyn CompiledShader + 's>, RunError>,
}

impl Row {
    /// Whether it is tried where that name is asked for, or, where none is, for so many invocations.
    pub(crate) fn is_tried(&self, asked: Option<&str>, count: usize) -> bool {
        match asked {
            Some(name) => name == self.name,
            None => self.auto.is_some_and(|fewest| count >= fewest),
        }
    }
}

/// A shader as an engine has compiled it; any number of threads may run it.
pub(crate) trait CompiledShader: Send + Sync {
    /// Something that runs it in memory of its own, for one thread.
    fn runner(&self) -> Box<dyn Runner + Send + '_>;

    /// The same, for nobody else.
    fn into_runner<'s>(self: Box<Self>) -> Box<dyn Runner + Send + 's>
    where
        Self: 's;
}

/// Compiled code, and how it runs.
struct CompiledCode<C, W> {
    code: C,
    workspace: fn(&C) -> W,
    run: RunIn<C, W>,
}

/// The same with a workspace.
struct CodeRunner<'c, C, W> {
    compiled: &'c CompiledCode<C, W>,
    workspace: W,
}

/// What [`Row::compile`] gives, of code, what makes a workspace for it, and what runs it there.
pub(crate) fn box_compiled<'s, C, W>(
    code: C,
    workspace: fn(&C) -> W,
    run: RunIn<C, W>,
) -> Result<Box<dyn CompiledShader + 's>, RunError>
where
    C: Send + Sync + 's,
    W: Send + 'static,
{
    Ok(Box::new(CompiledCode { code, workspace, run }))
}

impl<C: Send + Sync, W: Send + 'static> CompiledShader for CompiledCode<C, W> {
    fn runner(&self) -> Box<dyn Runner + Send + '_> {
        Box::new(CodeRunner { compiled: self, workspace: (self.workspace)(&self.code) })
    }

    fn into_runner<'s>(self: Box<Self>) -> Box<dyn Runner + Send + 's>
    where
        Self: 's,
    {
        let Self { code, workspace, run } = *self;
        Box::new(vecasm_exec::CompiledRunner { memory: workspace(&code), code, run })
    }
}

impl<C: Sync, W: Send> Runner for CodeRunner<'_, C, W> {
    fn run(&mut self, batch: &Batch<'_>) -> Result<&Outputs, RunError> {
        (self.compiled.run)(&self.compiled.code, &mut self.workspace, batch)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// One for many invocations, one that has to be named, one that this machine does not run, one that refuses shaders, one that
    /// refuses batches, and one that does not.
    pub(crate) static SEVERAL: &[Row] = &[
        Row { name: "large", doc: "", lacking: || None, auto: Some(100), compile: of_interp },
        Row { name: "second", doc: "", lacking: || None, auto: None, compile: of_interp },
        Row {
            name: "elsewhere",
            doc: "",
            lacking: || Some("another processor".into()),
            auto: Some(0),
            compile: of_interp,
        },
        Row {
            name: "choosy",
            doc: "",
            lacking: || None,
            auto: Some(0),
            compile: |_| Err(RunError::Unsupported("shaders".into())),
        },
        Row {
            name: "late",
            doc: "",
            lacking: || None,
            auto: Some(0),
            compile: |_| box_compiled((), |()| Outputs::default(), never),
        },
        Row { name: "interp", doc: "", lacking: || None, auto: Some(0), compile: of_interp },
    ];

    fn of_interp(shader: &Shader) -> Result<Box<dyn CompiledShader + '_>, RunError> {
        box_compiled(
            interp::Prepared::new(shader)?,
            |_| interp::Workspace::default(),
            interp::Prepared::run_in,
        )
    }

    fn never<'w>((): &(), _: &'w mut Outputs, _: &Batch<'_>) -> Result<&'w Outputs, RunError> {
        Err(RunError::Unsupported("batches".into()))
    }

    /// Gives what it is given.
    pub(crate) fn shader() -> Shader {
        let text = "fragment test\n  input 0 v varying 0 : f32x4\n  output 0 o color 0\n\n  %0 = input v : f32x4\n  \
                    store o.xyzw %0\n";
        vecasm_ir::ir::text::parse(text, "test", &[]).unwrap()
    }

    #[test]
    fn auto_ends_with_an_engine_that_runs_everywhere() {
        let last = ENGINES.last().unwrap();
        assert_eq!((last.name, (last.lacking)(), last.auto), ("interp", None, Some(0)));
    }
}
