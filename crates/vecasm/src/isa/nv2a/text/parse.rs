//! Reading a text into a program.

use super::compat;
use super::dialect::Dialect;
use super::options::ParseOptions;
use super::vsh::Reader;
use crate::diag::{Diagnostic, Span};
use crate::isa::nv2a::program::{Commands, Container, Program, Slot};
use crate::isa::nv2a::table::Field;
use alloc::vec::Vec;

/// What a reader makes of a text.
#[derive(Default)]
pub(super) struct Output {
    pub(super) slots: Vec<Slot>,
    pub(super) spans: Vec<Span>,
    /// Slots and the temporary that their statement names for the scalar unit, where R1 is written.
    pub(super) renamed: Vec<(usize, u8)>,
    pub(super) tail: Vec<u8>,
    container: Option<Container>,
    /// Whether the last slot says itself whether it is final.
    has_final: bool,
    /// Whether `.more` may follow.
    pushing: bool,
    /// What the text says that constants hold.
    pub(super) constants: Vec<Constant>,
    /// Comments that other tools hand on, each with the slot that it stands in front of.
    pub(super) remarks: Vec<(usize, Span)>,
}

/// What a text says that a constant holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant {
    /// The number as the hardware counts, 0–191.
    pub number: u8,
    /// The bits of x, y, z, w.
    pub value: [u32; 4],
}

impl Output {
    /// Appends a slot; `has_final` is whether it says itself whether it is final.
    pub(super) fn push(&mut self, slot: Slot, span: Span, has_final: bool) {
        self.has_final = has_final;
        self.slots.push(slot);
        self.spans.push(span);
        self.pushing = false;
    }

    /// Whether something stands in front that the head has to stand in front of.
    pub(super) fn started(&self) -> bool {
        self.container.is_some() || !self.slots.is_empty() || !self.tail.is_empty()
    }

    pub(super) fn head(&mut self, container: Container) {
        self.container = Some(container);
    }

    /// The words of the commands in front of the next slot: new ones, or more of the last.
    pub(super) fn commands_for(&mut self, more: bool) -> Option<&mut Vec<u32>> {
        let before = self.slots.len();
        let Some(Container::Pushbuffer(list)) = &mut self.container else { return None };
        if !more {
            list.push(Commands { before, words: Vec::new() });
        } else if !self.pushing {
            return None;
        }
        self.pushing = true;
        list.last_mut().map(|commands| &mut commands.words)
    }
}

/// A text that was read.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The program.
    pub program: Program,
    /// Where the statement of each slot stands.
    pub spans: Vec<Span>,
    /// Slots and the temporary that their statement names for the scalar unit, where R1 is written in its place; for
    /// [`inl`](super::print::inl).
    pub renamed: Vec<(usize, u8)>,
    /// What the text says that constants hold, in its order.
    pub constants: Vec<Constant>,
    /// Comments that nxdk's vp20compiler hands on to the C source: the slot that each stands in front of, its text
    /// without the `#` as a place in the source.
    pub remarks: Vec<(usize, Span)>,
}

/// Reads a text. The program is there if there is no error; everything found is listed.
pub fn assemble(text: &str, options: &ParseOptions) -> (Option<Assembled>, Vec<Diagnostic>) {
    let dialect = options.dialect_of(text);
    let strange = compat::is_wanted(options) && dialect == Dialect::Vsh;
    if strange {
        let complaints = compat::check(text);
        if !complaints.is_empty() {
            return (None, complaints);
        }
    }
    let mut reader = Reader::new(text, *options);
    let mut out = Output::default();
    match dialect {
        Dialect::Vsh => reader.read(&mut out),
        Dialect::Vp => reader.read_vp(&mut out),
    }
    let bad = reader.findings.has_errors();
    let mut findings = reader.findings.finish();
    if bad {
        if strange {
            compat::blame(&mut findings);
        }
        return (None, findings);
    }
    if options.explicit_final && !out.slots.is_empty() {
        out.slots.push(Slot::END);
        out.spans.push(Span::new(text.len(), text.len()));
    } else if !out.has_final {
        if let Some(last) = out.slots.last_mut() {
            last.set(Field::Final, 1);
        }
    }
    let Output { slots, spans, renamed, tail, container, constants, remarks, .. } = out;
    let program = Program { container: container.unwrap_or_default(), slots, tail };
    (Some(Assembled { program, spans, renamed, constants, remarks }), findings)
}

/// Reads a text, as [`assemble`] does, into a program only.
pub fn parse(text: &str, options: &ParseOptions) -> (Option<Program>, Vec<Diagnostic>) {
    let (assembled, findings) = assemble(text, options);
    (assembled.map(|a| a.program), findings)
}
