//! One engine by its name, or `auto`; and the first batch of a shader, which may go through several.

use crate::table::{CompiledShader, ENGINES, Row};
use std::fmt;
use std::time::{Duration, Instant};
use vecasm_exec::{Batch, Outputs, RunError, Runner};
use vecasm_ir::ir::Shader;

/// The word for the first engine that can run a shader.
const AUTO: &str = "auto";
const AUTO_DOC: &str = "The first of these that can run the shader on this machine and is worth compiling";

/// Which engine runs shaders: one by name, or `auto`, the fastest that can run the shader and is worth its compile time.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Choice {
    /// The place of the engine in the table; `None` for `auto`.
    at: Option<usize>,
}

/// As many as there are engines, and `auto`.
const EVERY: [Choice; ENGINES.len() + 1] = {
    let mut out = [Choice::AUTO; ENGINES.len() + 1];
    let mut at = 0;
    while at < ENGINES.len() {
        out[at + 1] = Choice { at: Some(at) };
        at += 1;
    }
    out
};

vecasm_ir::spelled!(Choice, "engine");

impl fmt::Debug for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Choice").field(&self.name()).finish()
    }
}

impl Choice {
    /// The first engine that can run the shader on this machine and is worth compiling it.
    pub const AUTO: Self = Self { at: None };

    /// `auto` and every engine, the fastest first.
    pub const ALL: &'static [Self] = &EVERY;

    fn row(self) -> Option<&'static Row> {
        ENGINES.get(self.at?)
    }

    /// The word: `auto`, `jit-avx2`, `interp`.
    pub fn name(self) -> &'static str {
        self.asked().unwrap_or(AUTO)
    }

    /// The name of the engine; `None` for `auto`.
    pub(crate) fn asked(self) -> Option<&'static str> {
        self.row().map(|row| row.name)
    }

    /// One sentence without a full stop.
    pub fn doc(self) -> &'static str {
        self.row().map_or(AUTO_DOC, |row| row.doc)
    }

    /// What this machine lacks to run it; `None` if it lacks nothing, as for `auto`, `lanes` and `interp` anywhere.
    pub fn lacking(self) -> Option<String> {
        self.row().and_then(|row| (row.lacking)())
    }

    /// Compiles a shader, runs a first batch, and passes the results to `go_on`. `auto` takes the first engine that can run both, of
    /// those worth compiling for that many invocations: of a batch in several blocks the first should be full. (An engine may
    /// find out only when it runs that it cannot; errors do not depend on the data.)
    ///
    /// # Errors
    ///
    /// If the named engine cannot, and if the shader or what it is run on is wrong.
    pub fn start<T>(
        self,
        shader: &Shader,
        first: &Batch<'_>,
        go_on: impl FnOnce(&ChosenEngine<'_>, &Outputs) -> T,
    ) -> Result<T, NotRun> {
        start(ENGINES, self.asked(), shader, first, go_on)
    }
}

/// A shader that an engine has compiled.
#[non_exhaustive]
pub struct ChosenEngine<'c> {
    /// The name of the engine.
    pub engine: &'static str,
    /// How long it compiled: checks, layout, generation of code.
    pub compiling: Duration,
    /// How long the first batch ran.
    pub first: Duration,
    ready: &'c dyn CompiledShader,
}

impl fmt::Debug for ChosenEngine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { engine, compiling, first, ready: _ } = self;
        let mut out = f.debug_struct("Chosen");
        out.field("engine", engine)
            .field("compiling", compiling)
            .field("first", first)
            .finish_non_exhaustive()
    }
}

impl ChosenEngine<'_> {
    /// Something that runs the shader in memory of its own, for one thread; any number of them may run at the same time.
    pub fn runner(&self) -> Box<dyn Runner + Send + '_> {
        self.ready.runner()
    }
}

/// Why no engine has run a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRun {
    tried: Vec<(&'static str, Reason)>,
}

/// Why an engine has not run a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// This machine lacks what the engine needs.
    Lacking(String),
    /// It cannot run that shader, or what is wrong with the shader or what it is run on.
    Error(RunError),
}

impl NotRun {
    /// The engines that were tried, in order, and why each did not. Where the shader or the batch is wrong, the one that found it.
    pub fn tried(&self) -> &[(&'static str, Reason)] {
        &self.tried
    }

    /// An engine that ran before has failed.
    pub(crate) fn of(engine: &'static str, error: RunError) -> Self {
        Self { tried: vec![(engine, Reason::Error(error))] }
    }
}

impl fmt::Display for NotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (engine, reason)) in self.tried.iter().enumerate() {
            let separator = if n == 0 { "" } else { "; " };
            match reason {
                Reason::Lacking(what) => {
                    write!(f, "{separator}engine {engine}: not on this machine: it needs {what}")?;
                }
                Reason::Error(error) => write!(f, "{separator}engine {engine}: {error}")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for NotRun {}

fn start<T>(
    engines: &'static [Row],
    asked: Option<&str>,
    shader: &Shader,
    first: &Batch<'_>,
    go_on: impl FnOnce(&ChosenEngine<'_>, &Outputs) -> T,
) -> Result<T, NotRun> {
    let mut tried = Vec::new();
    for engine in engines.iter().filter(|engine| engine.is_tried(asked, first.count)) {
        if let Some(what) = (engine.lacking)() {
            tried.push((engine.name, Reason::Lacking(what)));
            continue;
        }
        let start = Instant::now();
        let ready = match (engine.compile)(shader) {
            Ok(ready) => ready,
            Err(unsupported @ RunError::Unsupported(_)) => {
                tried.push((engine.name, Reason::Error(unsupported)));
                continue;
            }
            Err(wrong) => return Err(NotRun::of(engine.name, wrong)),
        };
        let compiling = start.elapsed();
        let mut runner = ready.runner();
        let start = Instant::now();
        match runner.run(first) {
            Ok(outputs) => {
                let first = start.elapsed();
                return Ok(go_on(
                    &ChosenEngine { engine: engine.name, compiling, first, ready: &*ready },
                    outputs,
                ));
            }
            Err(unsupported @ RunError::Unsupported(_)) => {
                tried.push((engine.name, Reason::Error(unsupported)));
            }
            Err(wrong) => return Err(NotRun::of(engine.name, wrong)),
        }
    }
    Err(NotRun { tried })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::{SEVERAL, shader};

    /// The engine that runs a shader by a choice, or why none does.
    fn chosen(name: Option<&str>, count: usize) -> Result<&'static str, String> {
        let batch = Batch { count, ..Batch::default() };
        let ran = start(SEVERAL, name, &shader(), &batch, |chosen, outputs| {
            assert_eq!(outputs.cells[0].len(), count);
            chosen.engine
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

    #[test]
    fn where_none_can_all_say_why() {
        let refused = start(&SEVERAL[2..5], None, &shader(), &Batch::default(), |_, _| ());
        assert_eq!(
            refused.map_err(|error| error.to_string()),
            Err("engine elsewhere: not on this machine: it needs another processor; \
                 engine choosy: not supported by this engine: shaders; \
                 engine late: not supported by this engine: batches"
                .into())
        );
    }
}
