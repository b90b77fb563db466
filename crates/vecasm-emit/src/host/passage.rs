//! The walk over what comes in and goes out, in languages that declare one thing after another.

use super::walk::{Speller, Walk, lacks_input, lacks_output};
use crate::text::{Spelling, lanes_of};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use vecasm_ir::diag::Diagnostic;
use vecasm_ir::ir::{Input, InputKind, Output, System, Type};
#[cfg(any(feature = "glsl", feature = "msl"))]
use {alloc::format, alloc::string::String};

/// How a language spells what comes in and goes out beside what the host binds.
pub(crate) trait Passage<'s>: Speller<'s> {
    /// What stands before the name of an input.
    const INPUT: &'static str = "";

    /// The expression for a system value, which is declared if the language wants that; `None` where it has none.
    fn system(walk: &mut Walk<'_, 's, Self>, system: System, input: &'s Input) -> Option<Spelling<'s>>;

    /// An input of a stage with vertices in a way of its own, if it has one: `Some(None)` where there is no equivalent.
    fn vertex_input(_walk: &mut Walk<'_, 's, Self>, _input: &'s Input) -> Option<Option<Spelling<'s>>> {
        None
    }

    /// Whether the language has inputs of that kind.
    fn has_input(&self, input: &Input) -> bool;

    /// Declares an input of four lanes at a location. Gives its name; `None` where there is no equivalent.
    fn input(walk: &mut Walk<'_, 's, Self>, input: &'s Input, location: u32) -> Option<Cow<'s, str>>;

    /// Declares output `number`. Gives its variable, nothing where it has none; `None` where there is no equivalent.
    ///
    /// # Errors
    ///
    /// Where something else is wrong.
    fn output(
        walk: &mut Walk<'_, 's, Self>,
        number: usize,
        output: &'s Output,
    ) -> Result<Option<Spelling<'s>>, Diagnostic>;
}

/// What is declared for an input: whether it is one of a patch and its location, its type, its name.
type Entry<'s> = ((bool, u32), Type, Cow<'s, str>);

impl<'s, S: Passage<'s>> Walk<'_, 's, S> {
    /// Walks the inputs. What several registers have at a location is declared once. Gives the locations that are declared.
    pub(crate) fn add_inputs(&mut self) -> Result<Vec<u32>, Diagnostic> {
        let (shader, plan) = (self.shader, self.plan);
        let mut entries: Vec<Entry<'s>> = Vec::new();
        self.face.outside.inputs.reserve(shader.inputs.len());
        for (input, read) in shader.inputs.iter().zip(plan.inputs()) {
            let spelling = if *read { self.input(input, &mut entries) } else { Some(Spelling::default()) };
            let spelling = spelling.ok_or_else(|| lacks_input(self.face.writer.language(), input))?;
            self.face.outside.inputs.push(spelling);
        }
        Ok(entries.into_iter().map(|((_, location), ..)| location).collect())
    }

    /// The expression for an input; `None` where there is no equivalent.
    fn input(&mut self, input: &'s Input, entries: &mut Vec<Entry<'s>>) -> Option<Spelling<'s>> {
        let (patch, location) = match input.kind {
            InputKind::System(system) => return S::system(self, system, input),
            InputKind::Attribute { location } | InputKind::Varying { location } => (false, location),
            InputKind::PatchVarying { location } => (true, location),
        };
        if self.shader.stage.has_vertices() {
            if let Some(spelling) = S::vertex_input(self, input) {
                return spelling;
            }
        }
        if !self.face.writer.has_input(input) {
            return None;
        }
        let ty = Type::new(input.ty.scalar, 4);
        let name = match entries.iter().find(|(at, ..)| *at == (patch, location)) {
            Some((_, other, name)) if *other == ty => name.clone(),
            Some(_) => return None,
            None => {
                let name = S::input(self, input, location)?;
                entries.push(((patch, location), ty, name.clone()));
                name
            }
        };
        Some(Spelling { before: S::INPUT, name, after: lanes_of(input.ty) })
    }

    /// Walks the outputs that somebody wants.
    pub(crate) fn add_outputs(&mut self) -> Result<(), Diagnostic> {
        let (shader, plan) = (self.shader, self.plan);
        for (n, (output, cell)) in shader.outputs.iter().zip(&plan.cells).enumerate() {
            let spelling = if cell.wanted { S::output(self, n, output)? } else { Some(Spelling::default()) };
            self.face.cells.push(spelling.ok_or_else(|| lacks_output(self.face.writer.language(), output))?);
        }
        Ok(())
    }
}

/// The statements that copy the variable of distances number `index` to an array, four each.
#[cfg(any(feature = "glsl", feature = "msl"))]
pub(crate) fn distance_copies(array: &str, index: u32, name: &str) -> impl Iterator<Item = String> {
    (index * 4..).zip(["x", "y", "z", "w"]).map(move |(at, lane)| format!("{array}[{at}] = {name}.{lane};"))
}
