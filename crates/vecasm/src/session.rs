//! A program in the debugger: its text with the places of its instructions, and a session over a run.

use crate::debug::listing::Listing;
use crate::debug::recording::{Limits, Recording};
use crate::debug::session::{Session, Setup};
use crate::diag::Span;
use crate::exec::{Batch, RunError};
use crate::ir::Shader;
use crate::program::Program;
use alloc::string::String;
use alloc::vec::Vec;

impl Program {
    /// The lines that a debugger shows: its text, with the numbers of the file, or its lossless disassembly.
    pub fn listing(&self) -> Listing {
        let count = self.instruction_count();
        if let Some(text) = self.text_in_place() {
            // Its own places count from where its text begins.
            let front = text.len() - self.text().map_or(text.len(), |own| own.len());
            let moved = |span: &Span| Span::new(span.start as usize + front, span.end as usize + front);
            let own = self.spans().map(|spans| spans.iter().map(moved).collect());
            let spans: Vec<Span> = own.unwrap_or_else(|| self.instruction_spans(&text));
            if spans.len() == count {
                return Listing::new(&text, &spans);
            }
        }
        let lossless = self.isa().dialects().first().and_then(|dialect| self.print(dialect));
        if let Some(text) = lossless {
            let spans = self.instruction_spans(&text);
            if spans.len() == count {
                return Listing::new(&text, &spans);
            }
        }
        // A part of what the file holds: its instructions alone.
        let (mut text, mut spans) = (String::new(), Vec::new());
        for line in self.instruction_texts() {
            spans.push(Span::new(text.len(), text.len() + line.len()));
            text.push_str(&line);
            text.push('\n');
        }
        Listing::new(&text, &spans)
    }

    /// A debugger at the start of the run of an invocation of a batch, counted from 0, with its quad or group. The shader is what the
    /// program was lifted to with [`Depth::Full`](crate::isa::Depth).
    ///
    /// # Errors
    ///
    /// Those of [`Recording::of`]: the batch does not fit the shader, or has no such invocation.
    pub fn session(&self, shader: Shader, batch: &Batch<'_>, invocation: usize) -> Result<Session, RunError> {
        let recording = Recording::of(&shader, batch, invocation, &Limits::default())?;
        let within = invocation.saturating_sub(recording.first());
        let mut setup = Setup::new(shader, recording, self.listing(), batch);
        setup.instructions = self.instruction_texts();
        for unit in self.isa().instructions().iter().filter_map(|row| row.unit) {
            if !setup.parts.iter().any(|part| part == unit) {
                setup.parts.push(unit.into());
            }
        }
        Ok(Session::new(setup, within))
    }
}
