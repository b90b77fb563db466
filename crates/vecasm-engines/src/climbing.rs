//! Shaders that are run again and again, each by faster engines in time.

use crate::choice::Choice;
use crate::table::{ENGINES, Row};
use vecasm_exec::{Batch, Engine, Outputs, RunError, Runner};
use vecasm_ir::ir::Shader;

/// As one engine for many shaders, each of which changes to the next faster one when it has been run often enough.
impl Engine for Choice {
    fn name(&self) -> &'static str {
        (*self).name()
    }

    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        self.runner(shader)?.run(batch).cloned()
    }

    fn runner<'r>(&'r self, shader: &'r Shader) -> Result<Box<dyn Runner + 'r>, RunError> {
        Ok(self.sent_runner(shader)?)
    }

    fn sent_runner<'r>(&'r self, shader: &'r Shader) -> Result<Box<dyn Runner + Send + 'r>, RunError> {
        Ok(Box::new(ClimbingRunner::new(ENGINES, self.asked(), shader)))
    }
}

/// A shader on its way to the fastest engine that pays.
struct ClimbingRunner<'s> {
    /// The name of the only engine that is asked.
    asked: Option<&'static str>,
    engines: &'static [Row],
    shader: &'s Shader,
    /// Invocations so far.
    ran: usize,
    /// The engine that runs it, by its place in the list.
    current: Option<(usize, Box<dyn Runner + Send + 's>)>,
    /// Engines that cannot, and why.
    refused: Vec<(usize, String)>,
    outputs: Outputs,
}

impl<'s> ClimbingRunner<'s> {
    fn new(engines: &'static [Row], asked: Option<&'static str>, shader: &'s Shader) -> Self {
        let outputs = Outputs::default();
        Self { asked, engines, shader, ran: 0, current: None, refused: Vec::new(), outputs }
    }

    /// The first engine that is to run it now, and has not refused.
    fn best(&self) -> Result<usize, RunError> {
        let fits = |(at, engine): &(usize, &Row)| {
            engine.is_tried(self.asked, self.ran) && self.refused.iter().all(|(refused, _)| refused != at)
        };
        let best = self.engines.iter().enumerate().find(fits).map(|(at, _)| at);
        best.ok_or_else(|| {
            let why: Vec<&str> = self.refused.iter().map(|(_, why)| why.as_str()).collect();
            RunError::Unsupported(why.join("; "))
        })
    }
}

impl Runner for ClimbingRunner<'_> {
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
    use crate::table::tests::{SEVERAL, shader};

    /// A shader that is run again and again changes to what pays, and never to what refuses.
    #[test]
    fn shaders_climb() {
        let shader = shader();
        let climbing = |name| ClimbingRunner::new(SEVERAL, name, &shader);
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
}
