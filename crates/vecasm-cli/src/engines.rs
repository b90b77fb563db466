//! The engines by their names: who runs shaders, and on which machines.
//!
//! A new engine is one row of [`ENGINES`].

use crate::{Failure, Outcome};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::time::{Duration, Instant};
use vecasm::exec::lanes::{Lanes, Portable};
use vecasm::exec::{Batch, Outputs, RunError, interp, lanes};
use vecasm::ir::Shader;

/// The engines, the fastest first: the order in which `auto` tries them. The last one runs every shader everywhere.
pub(crate) static ENGINES: &[Engine] = &[
    Engine {
        name: "lanes",
        doc: "The interpreter in loops of 64 invocations, as the program was compiled",
        lacking: || None,
        compile: |shader| {
            ready(
                Lanes::<Portable>::default().prepare(shader)?,
                lanes::Prepared::workspace,
                lanes::Prepared::run_in,
            )
        },
    },
    Engine {
        name: "interp",
        doc: "The interpreter that defines what is right",
        lacking: || None,
        compile: |shader| {
            ready(interp::Prepared::new(shader)?, |_| interp::Workspace::default(), interp::Prepared::run_in)
        },
    },
];

/// An engine.
pub(crate) struct Engine {
    /// What it is called on the command line.
    pub(crate) name: &'static str,
    /// One sentence.
    pub(crate) doc: &'static str,
    /// What this machine lacks to run it.
    pub(crate) lacking: fn() -> Option<String>,
    /// Compiles a shader. [`RunError::Unsupported`] says that the engine cannot run it.
    pub(crate) compile: for<'s> fn(&'s Shader) -> Result<Box<dyn Ready + 's>, RunError>,
}

/// A shader as an engine has compiled it; any number of threads may run it.
pub(crate) trait Ready: Send + Sync {
    /// Something that runs it in memory of its own, for one thread.
    fn runner(&self) -> Box<dyn Runner + '_>;
}

/// Runs a compiled shader, in memory that it keeps from run to run.
pub(crate) trait Runner: Send {
    /// Runs all invocations of a batch.
    fn run(&mut self, batch: &Batch<'_>) -> Result<&Outputs, RunError>;
}

/// How compiled code runs in a workspace.
type RunIn<C, W> = for<'c, 'w, 'b, 'd> fn(&'c C, &'w mut W, &'b Batch<'d>) -> Result<&'w Outputs, RunError>;

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
    fn runner(&self) -> Box<dyn Runner + '_> {
        Box::new(Running { compiled: self, workspace: (self.workspace)(&self.code) })
    }
}

impl<C: Sync, W: Send> Runner for Running<'_, C, W> {
    fn run(&mut self, batch: &Batch<'_>) -> Result<&Outputs, RunError> {
        (self.compiled.run)(&self.compiled.code, &mut self.workspace, batch)
    }
}

/// Who is to run shaders: the engine of that name, or for `None` the first one that can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice(Option<&'static str>);

/// The word for the first engine that can run a shader.
pub(crate) const AUTO: &str = "auto";
const AUTO_DOC: &str = "The first of these that can run the shader on this machine";

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
        for engine in engines.iter().filter(|engine| self.0.is_none_or(|name| name == engine.name)) {
            if let Some(what) = (engine.lacking)() {
                why.push(format!("engine {}: not on this machine: {what}", engine.name));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// One that this machine does not run, one that refuses shaders, one that refuses batches, and one that does not.
    static SEVERAL: &[Engine] = &[
        Engine {
            name: "elsewhere",
            doc: "",
            lacking: || Some("no such processor".into()),
            compile: of_interp,
        },
        Engine {
            name: "choosy",
            doc: "",
            lacking: || None,
            compile: |_| Err(RunError::Unsupported("shaders".into())),
        },
        Engine {
            name: "late",
            doc: "",
            lacking: || None,
            compile: |_| ready((), |()| Outputs::default(), never),
        },
        Engine { name: "interp", doc: "", lacking: || None, compile: of_interp },
    ];

    fn of_interp(shader: &Shader) -> Result<Box<dyn Ready + '_>, RunError> {
        ready(interp::Prepared::new(shader)?, |_| interp::Workspace::default(), interp::Prepared::run_in)
    }

    fn never<'w>((): &(), _: &'w mut Outputs, _: &Batch<'_>) -> Result<&'w Outputs, RunError> {
        Err(RunError::Unsupported("batches".into()))
    }

    /// The engine that runs a shader by a choice, or why none does.
    fn chosen(name: Option<&'static str>) -> Result<&'static str, String> {
        let text = "fragment test\n  input 0 v varying 0 : f32x4\n  output 0 o color 0\n\n  %0 = input v : f32x4\n  \
                    store o.xyzw %0\n";
        let shader = vecasm::ir::text::parse(text, "test", &[]).unwrap();
        let batch = Batch { count: 2, ..Batch::default() };
        let ran = Choice(name).run_with(SEVERAL, &shader, &batch, |chosen, outputs| {
            assert_eq!(outputs.cells[0].len(), 2);
            Ok(chosen.engine.name)
        });
        ran.map_err(|error| error.to_string())
    }

    #[test]
    fn auto_goes_on_to_the_first_that_can_and_a_named_one_never() {
        assert_eq!(chosen(None), Ok("interp"));
        assert_eq!(chosen(Some("interp")), Ok("interp"));
        for (name, why) in [
            ("elsewhere", "engine elsewhere: not on this machine: no such processor"),
            ("choosy", "engine choosy: not supported by this engine: shaders"),
            ("late", "engine late: not supported by this engine: batches"),
        ] {
            assert_eq!(chosen(Some(name)), Err(why.to_string()));
        }
    }

    #[test]
    fn names_are_told_apart_and_the_last_engine_runs_everywhere() {
        let mut all: Vec<&str> = names().map(|(name, _)| name).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), ENGINES.len() + 1);
        let last = ENGINES.last().unwrap();
        assert_eq!((last.name, (last.lacking)()), ("interp", None));
    }
}
