//! The engines by their names: who runs shaders, and on which machines.
//!
//! A new engine is one row of [`ENGINES`].

use crate::{Failure, Outcome};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::time::{Duration, Instant};
use vecasm::exec::lanes::{Kernels, Lanes, Portable};
use vecasm::exec::{Batch, Outputs, RunError, RunIn, Runner, interp, lanes};
use vecasm::ir::Shader;
use vecasm_native::{Avx2, Avx512, Isa};

/// Invocations from which on generated code pays: making it takes as long as running so many, whatever the length of the
/// shader.
const WORTH: usize = 1_250;

/// The engines, the fastest first: the order in which `auto` tries them. The last one runs every shader everywhere.
pub(crate) static ENGINES: &[Engine] = &[
    Engine {
        name: "jit-avx512",
        doc: "Machine code, 16 lanes",
        lacking: || lacking(Isa::Avx512),
        auto: Some(WORTH),
        compile: |shader| generated(shader, Isa::Avx512),
    },
    Engine {
        name: "jit-avx2",
        doc: "Machine code, 8 lanes",
        lacking: || lacking(Isa::Avx2),
        auto: Some(WORTH),
        compile: |shader| generated(shader, Isa::Avx2),
    },
    Engine {
        name: "jit",
        doc: "Machine code, as many lanes as this machine has",
        lacking: || Isa::best().map_or_else(|| lacking(Isa::Avx2), |_| None),
        auto: None,
        compile: |shader| generated(shader, Isa::best().unwrap_or(Isa::Avx2)),
    },
    Engine {
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
    Engine {
        name: "lanes-avx2",
        doc: "Batch interpreter, up to 256 invocations per operation, compiled for AVX2",
        lacking: || lacking(Isa::Avx2),
        auto: Some(0),
        compile: |shader| match Avx2::new() {
            Some(kernels) => looping(shader, kernels),
            None => Err(RunError::Unsupported("this processor".into())),
        },
    },
    Engine {
        name: "lanes",
        doc: "Batch interpreter, up to 256 invocations per operation, for the baseline processor",
        lacking: || None,
        auto: Some(0),
        compile: |shader| looping(shader, Portable),
    },
    Engine {
        name: "interp",
        doc: "Reference interpreter",
        lacking: || None,
        auto: Some(0),
        compile: |shader| {
            ready(interp::Prepared::new(shader)?, |_| interp::Workspace::default(), interp::Prepared::run_in)
        },
    },
];

/// What the machine lacks for generated code.
fn lacking(isa: Isa) -> Option<String> {
    (!isa.is_there()).then(|| isa.needs().into())
}

fn generated(shader: &Shader, isa: Isa) -> Result<Box<dyn Ready + '_>, RunError> {
    let code = vecasm_native::Compiled::new(shader, isa)?;
    ready(code, |_| vecasm_native::Workspace::default(), vecasm_native::Compiled::run_in)
}

fn looping<K>(shader: &Shader, kernels: K) -> Result<Box<dyn Ready + '_>, RunError>
where
    K: Kernels + 'static,
{
    ready(Lanes::new(kernels).prepare(shader)?, lanes::Prepared::workspace, lanes::Prepared::run_in)
}

/// An engine.
pub(crate) struct Engine {
    /// What it is called on the command line.
    pub(crate) name: &'static str,
    /// One sentence.
    pub(crate) doc: &'static str,
    /// What this machine lacks to run it.
    pub(crate) lacking: fn() -> Option<String>,
    /// The fewest invocations that `auto` takes it for; `None` for a second name of others.
    pub(crate) auto: Option<usize>,
    /// Compiles a shader. [`RunError::Unsupported`] says that the engine cannot run it.
    pub(crate) compile: for<'s> fn(&'s Shader) -> Result<Box<dyn Ready + 's>, RunError>,
}

/// A shader as an engine has compiled it; any number of threads may run it.
pub(crate) trait Ready: Send + Sync {
    /// Something that runs it in memory of its own, for one thread.
    fn runner(&self) -> Box<dyn Runner + Send + '_>;

    /// The same, for nobody else.
    fn into_runner<'s>(self: Box<Self>) -> Box<dyn Runner + Send + 's>
    where
        Self: 's;
}

/// Compiled code, and how it runs.
struct Compiled<C, W> {
    code: C,
    workspace: fn(&C) -> W,
    run: RunIn<C, W>,
}

/// The same with a workspace.
struct Running<'c, C, W> {
    compiled: &'c Compiled<C, W>,
    workspace: W,
}

/// What [`Engine::compile`] gives, of code, what makes a workspace for it, and what runs it there.
fn ready<'s, C, W>(code: C, workspace: fn(&C) -> W, run: RunIn<C, W>) -> Result<Box<dyn Ready + 's>, RunError>
where
    C: Send + Sync + 's,
    W: Send + 'static,
{
    Ok(Box::new(Compiled { code, workspace, run }))
}

impl<C: Send + Sync, W: Send + 'static> Ready for Compiled<C, W> {
    fn runner(&self) -> Box<dyn Runner + Send + '_> {
        Box::new(Running { compiled: self, workspace: (self.workspace)(&self.code) })
    }

    fn into_runner<'s>(self: Box<Self>) -> Box<dyn Runner + Send + 's>
    where
        Self: 's,
    {
        let Self { code, workspace, run } = *self;
        Box::new(vecasm::exec::Ready { memory: workspace(&code), code, run })
    }
}

impl<C: Sync, W: Send> Runner for Running<'_, C, W> {
    fn run(&mut self, batch: &Batch<'_>) -> Result<&Outputs, RunError> {
        (self.compiled.run)(&self.compiled.code, &mut self.workspace, batch)
    }
}

/// Who is to run shaders: the engine of that name, or for `None` the first one that can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice(Option<&'static str>);

/// The word for the first engine that can run a shader.
pub(crate) const AUTO: &str = "auto";
const AUTO_DOC: &str = "The first of these that can run the shader on this machine and is worth compiling";

/// The words of `--engine` and what they mean.
pub(crate) fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    std::iter::once((AUTO, AUTO_DOC)).chain(ENGINES.iter().map(|engine| (engine.name, engine.doc)))
}

/// Reads `--engine`.
pub(crate) fn parser() -> impl TypedValueParser<Value = Choice> {
    let words = names().map(|(name, doc)| PossibleValue::new(name).help(doc));
    PossibleValuesParser::new(words)
        .map(|word| Choice(ENGINES.iter().map(|engine| engine.name).find(|name| *name == word)))
}

/// A shader that an engine has compiled.
pub(crate) struct Chosen<'c> {
    /// Who.
    pub(crate) engine: &'static Engine,
    /// What runs it.
    pub(crate) ready: &'c dyn Ready,
    /// How long that took: checks, layout, generation of code.
    pub(crate) compiling: Duration,
    /// How long the first batch ran.
    pub(crate) first: Duration,
}

impl Choice {
    /// Compiles a shader with the engine of that name or the first one that can run it, runs a first batch, and goes on with
    /// what that gave. (Engines may see only then that they cannot run it; errors do not depend on the data.)
    ///
    /// Fails if the named engine cannot, and if the shader or what it is run on is wrong.
    pub(crate) fn run<T>(
        self,
        shader: &Shader,
        first: &Batch<'_>,
        go_on: impl FnOnce(&Chosen<'_>, &Outputs) -> Outcome<T>,
    ) -> Outcome<T> {
        self.run_with(ENGINES, shader, first, go_on)
    }

    fn run_with<T>(
        self,
        engines: &'static [Engine],
        shader: &Shader,
        first: &Batch<'_>,
        go_on: impl FnOnce(&Chosen<'_>, &Outputs) -> Outcome<T>,
    ) -> Outcome<T> {
        let mut why = Vec::new();
        // Of many blocks the first one is full.
        let chosen = |engine: &&Engine| match self.0 {
            Some(name) => name == engine.name,
            None => engine.auto.is_some_and(|fewest| first.count >= fewest),
        };
        for engine in engines.iter().filter(chosen) {
            if let Some(what) = (engine.lacking)() {
                why.push(format!("engine {}: not on this machine: it needs {what}", engine.name));
                continue;
            }
            let error = |error: &RunError| format!("engine {}: {error}", engine.name);
            let start = Instant::now();
            let ready = match (engine.compile)(shader) {
                Ok(ready) => ready,
                Err(unsupported @ RunError::Unsupported(_)) => {
                    why.push(error(&unsupported));
                    continue;
                }
                Err(wrong) => return Err(Failure::usage(error(&wrong))),
            };
            let compiling = start.elapsed();
            let mut runner = ready.runner();
            let start = Instant::now();
            match runner.run(first) {
                Ok(outputs) => {
                    let first = start.elapsed();
                    return go_on(&Chosen { engine, ready: &*ready, compiling, first }, outputs);
                }
                Err(unsupported @ RunError::Unsupported(_)) => why.push(error(&unsupported)),
                Err(wrong) => return Err(Failure::usage(error(&wrong))),
            }
        }
        Err(Failure::usage(why.join("; ")))
    }
}

/// As one engine for many shaders, each of which changes to the next faster one when it has been run often enough.
impl vecasm::exec::Engine for Choice {
    fn name(&self) -> &'static str {
        self.0.unwrap_or(AUTO)
    }

    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        self.runner(shader)?.run(batch).cloned()
    }

    fn runner<'r>(&'r self, shader: &'r Shader) -> Result<Box<dyn Runner + 'r>, RunError> {
        Ok(self.sent_runner(shader)?)
    }

    fn sent_runner<'r>(&'r self, shader: &'r Shader) -> Result<Box<dyn Runner + Send + 'r>, RunError> {
        Ok(Box::new(Climbing {
            choice: *self,
            engines: ENGINES,
            shader,
            ran: 0,
            current: None,
            refused: Vec::new(),
            outputs: Outputs::default(),
        }))
    }
}

/// A shader on its way to the fastest engine that pays.
struct Climbing<'s> {
    choice: Choice,
    engines: &'static [Engine],
    shader: &'s Shader,
    /// Invocations so far.
    ran: usize,
    /// The engine that runs it, by its place in the list.
    current: Option<(usize, Box<dyn Runner + Send + 's>)>,
    /// Engines that cannot, and why.
    refused: Vec<(usize, String)>,
    outputs: Outputs,
}

impl Climbing<'_> {
    /// The first engine that is to run it now, and has not refused.
    fn best(&self) -> Result<usize, RunError> {
        let fits = |(at, engine): &(usize, &Engine)| {
            let chosen = match self.choice.0 {
                Some(name) => name == engine.name,
                None => engine.auto.is_some_and(|fewest| self.ran >= fewest),
            };
            chosen && self.refused.iter().all(|(refused, _)| refused != at)
        };
        let best = self.engines.iter().enumerate().find(fits).map(|(at, _)| at);
        best.ok_or_else(|| {
            let why: Vec<&str> = self.refused.iter().map(|(_, why)| why.as_str()).collect();
            RunError::Unsupported(why.join("; "))
        })
    }
}

impl Runner for Climbing<'_> {
    fn run(&mut self, batch: &Batch<'_>) -> Result<&Outputs, RunError> {
        self.ran = self.ran.saturating_add(batch.count);
        loop {
            let at = self.best()?;
            if self.current.as_ref().is_none_or(|(current, _)| *current != at) {
                let engine = &self.engines[at];
                let ready = match (engine.lacking)() {
                    Some(what) => Err(RunError::Unsupported(what)),
                    None => (engine.compile)(self.shader),
                };
                match ready {
                    Ok(ready) => self.current = Some((at, ready.into_runner())),
                    Err(RunError::Unsupported(why)) => {
                        self.refused.push((at, why));
                        continue;
                    }
                    Err(wrong) => return Err(wrong),
                }
            }
            // What refuses a batch is asked no more.
            match self.current.as_mut().map(|(_, runner)| runner.run(batch)) {
                Some(Ok(outputs)) => {
                    self.outputs.clone_from(outputs);
                    return Ok(&self.outputs);
                }
                Some(Err(RunError::Unsupported(why))) => self.refused.push((at, why)),
                Some(Err(wrong)) => return Err(wrong),
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One for many invocations, one that has to be named, one that this machine does not run, one that refuses shaders, one that
    /// refuses batches, and one that does not.
    static SEVERAL: &[Engine] = &[
        Engine { name: "large", doc: "", lacking: || None, auto: Some(100), compile: of_interp },
        Engine { name: "second", doc: "", lacking: || None, auto: None, compile: of_interp },
        Engine {
            name: "elsewhere",
            doc: "",
            lacking: || Some("another processor".into()),
            auto: Some(0),
            compile: of_interp,
        },
        Engine {
            name: "choosy",
            doc: "",
            lacking: || None,
            auto: Some(0),
            compile: |_| Err(RunError::Unsupported("shaders".into())),
        },
        Engine {
            name: "late",
            doc: "",
            lacking: || None,
            auto: Some(0),
            compile: |_| ready((), |()| Outputs::default(), never),
        },
        Engine { name: "interp", doc: "", lacking: || None, auto: Some(0), compile: of_interp },
    ];

    fn of_interp(shader: &Shader) -> Result<Box<dyn Ready + '_>, RunError> {
        ready(interp::Prepared::new(shader)?, |_| interp::Workspace::default(), interp::Prepared::run_in)
    }

    fn never<'w>((): &(), _: &'w mut Outputs, _: &Batch<'_>) -> Result<&'w Outputs, RunError> {
        Err(RunError::Unsupported("batches".into()))
    }

    /// The engine that runs a shader by a choice, or why none does.
    fn chosen(name: Option<&'static str>, count: usize) -> Result<&'static str, String> {
        let text = "fragment test\n  input 0 v varying 0 : f32x4\n  output 0 o color 0\n\n  %0 = input v : f32x4\n  \
                    store o.xyzw %0\n";
        let shader = vecasm::ir::text::parse(text, "test", &[]).unwrap();
        let batch = Batch { count, ..Batch::default() };
        let ran = Choice(name).run_with(SEVERAL, &shader, &batch, |chosen, outputs| {
            assert_eq!(outputs.cells[0].len(), count);
            Ok(chosen.engine.name)
        });
        ran.map_err(|error| error.to_string())
    }

    #[test]
    fn auto_goes_on_to_the_first_that_can_and_a_named_one_never() {
        assert_eq!(chosen(None, 2), Ok("interp"));
        for name in ["interp", "large", "second"] {
            assert_eq!(chosen(Some(name), 2), Ok(name));
        }
        for (name, why) in [
            ("elsewhere", "engine elsewhere: not on this machine: it needs another processor"),
            ("choosy", "engine choosy: not supported by this engine: shaders"),
            ("late", "engine late: not supported by this engine: batches"),
        ] {
            assert_eq!(chosen(Some(name), 2), Err(why.to_string()));
        }
    }

    #[test]
    fn auto_looks_at_the_number_of_invocations() {
        assert_eq!(chosen(None, 99), Ok("interp"));
        assert_eq!(chosen(None, 100), Ok("large"));
    }

    /// A shader that is run again and again changes to what pays, and never to what refuses.
    #[test]
    fn shaders_climb() {
        let text = "fragment test\n  input 0 v varying 0 : f32x4\n  output 0 o color 0\n\n  %0 = input v : f32x4\n  \
                    store o.xyzw %0\n";
        let shader = vecasm::ir::text::parse(text, "test", &[]).unwrap();
        let climbing = |name| Climbing {
            choice: Choice(name),
            engines: SEVERAL,
            shader: &shader,
            ran: 0,
            current: None,
            refused: Vec::new(),
            outputs: Outputs::default(),
        };
        let batch = Batch { count: 60, ..Batch::default() };
        let mut auto = climbing(None);
        for engine in ["interp", "large", "large"] {
            assert_eq!(auto.run(&batch).unwrap().cells[0].len(), 60);
            assert_eq!(SEVERAL[auto.current.as_ref().unwrap().0].name, engine);
        }
        for (name, why) in [("elsewhere", "another processor"), ("choosy", "shaders"), ("late", "batches")] {
            let refusal = RunError::Unsupported(why.into());
            for _ in 0..2 {
                assert_eq!(climbing(Some(name)).run(&batch).err(), Some(refusal.clone()));
            }
        }
    }

    #[test]
    fn names_are_told_apart_and_the_last_engine_runs_everywhere() {
        let mut all: Vec<&str> = names().map(|(name, _)| name).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), ENGINES.len() + 1);
        let last = ENGINES.last().unwrap();
        assert_eq!((last.name, (last.lacking)(), last.auto), ("interp", None, Some(0)));
    }
}
