//! Reading a text into a program.

use super::dialect::Dialect;
use super::errors::{Findings, id};
use super::options::ParseOptions;
use super::vsh::Reader;
use super::{compat, enclosed};
use crate::nv2a::pair::{Mode, Parts};
use crate::nv2a::program::{Commands, Container, Program, Slot};
use crate::nv2a::table::Field;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Place, Severity, Span, has_errors};

/// Most programs behind the first whose places are named.
const MAX_BEGINS: usize = 16;

/// What a reader makes of a text.
#[derive(Default)]
pub(super) struct Output {
    pub(super) slots: Vec<Slot>,
    pub(super) spans: Vec<Span>,
    /// Slots and their statements, where the slots say something else.
    pub(super) said: Vec<(usize, Parts)>,
    pub(super) tail: Vec<u8>,
    container: Option<Container>,
    /// Whether the last slot says itself whether it is final.
    has_final: bool,
    /// Whether `.more` may follow.
    pushing: bool,
    /// How many programs stand behind the first, where the first of them begin, which one is wanted, and whether it is
    /// over.
    pub(super) others: usize,
    pub(super) begins: Vec<usize>,
    /// Whether all beginnings are wanted, not those alone that a message can name.
    all_begins: bool,
    over: bool,
    wanted: usize,
    /// The initial values of constants given in the text.
    pub(super) constants: Vec<Constant>,
    /// Comments that other tools hand on, each with the slot that it stands in front of.
    pub(super) remarks: Vec<(usize, Span)>,
}

/// The initial value of a constant, as given in the source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant {
    /// The number as the hardware counts, 0–191.
    pub number: u8,
    /// The bits of x, y, z, w.
    pub value: [u32; 4],
}

impl Output {
    /// What notes where each program of a text begins, and takes none of them.
    pub(super) fn of_all() -> Self {
        Self { wanted: usize::MAX, all_begins: true, ..Self::default() }
    }

    /// Appends a slot; `has_final` is whether it says itself whether it is final.
    pub(super) fn push(&mut self, slot: Slot, span: Span, has_final: bool) {
        if self.over {
            return;
        }
        self.has_final = has_final;
        self.slots.push(slot);
        self.spans.push(span);
        self.pushing = false;
    }

    /// Notes what the statement of the last slot says, where the slot says something else.
    pub(super) fn say(&mut self, said: Option<Parts>) {
        if self.over {
            return;
        }
        let index = self.slots.len().saturating_sub(1);
        self.said.extend(said.map(|said| (index, said)));
    }

    /// A program is over, and another one begins.
    pub(super) fn next_program(&mut self, at: usize) {
        self.others += 1;
        if self.all_begins || self.begins.len() < MAX_BEGINS {
            self.begins.push(at);
        }
        if self.others >= self.wanted.max(1) {
            self.over = true;
            return;
        }
        self.slots.clear();
        self.spans.clear();
        self.said.clear();
        self.constants.clear();
    }

    /// Whether the wanted program was read, so that nothing more is taken.
    pub(super) const fn is_over(&self) -> bool {
        self.over
    }

    /// Takes the constants of the program whose slots were pushed last.
    pub(super) fn constants_of(&mut self, constants: impl Iterator<Item = Constant>) {
        if !self.over {
            self.constants.extend(constants);
        }
    }

    /// Says what there is besides the wanted program.
    #[cold]
    fn mention_others(&self, text: &str, findings: &mut Findings) {
        let (all, number) = (self.others + 1, self.wanted.max(1));
        let plural = if all == 1 { "" } else { "s" };
        let span = self.spans.first().copied().unwrap_or_default();
        if number > all {
            let message = format!("there is no program {number}; the text has {all} program{plural}");
            findings.error(id::SEVERAL, Span::default(), message);
        } else if self.wanted == 0 {
            let lines = self.begins.iter().map(|at| {
                vecasm_ir::diag::line_column(text, u32::try_from(*at).unwrap_or(u32::MAX)).0.to_string()
            });
            let lines: Vec<String> = lines.collect();
            let (plural, more) = (if self.others > 1 { "s" } else { "" }, self.others > lines.len());
            let message = format!(
                "the text has {all} programs; this is the first, the other{plural} begin{} in line{plural} {}{}",
                if self.others > 1 { "" } else { "s" },
                lines.join(", "),
                if more { ", …" } else { "" }
            );
            let help = "`--program 2` takes the second";
            findings.note(id::SEVERAL, span, message, help);
        }
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
    /// Slots and their statements as nv2a-vsh repeats them in comments, where the slots say something else; for
    /// [`inl`](super::print::inl).
    pub said: Vec<(usize, Parts)>,
    /// What the text says that constants hold, in its order.
    pub constants: Vec<Constant>,
    /// Comments that nxdk's vp20compiler hands on to the C source: the slot that each stands in front of, its text
    /// without the `#` as a place in the source.
    pub remarks: Vec<(usize, Span)>,
}

/// Reads a text. The program is there if there is no error; everything found is listed. A text that does not begin as a program
/// may contain some.
pub fn assemble(text: &str, options: &ParseOptions) -> (Option<Assembled>, Vec<Diagnostic>) {
    if let Some(read) = read_inside(text, options) {
        return read;
    }
    if !compat::is_wanted(options) || options.dialect_of(text) != Dialect::Vsh {
        return read(text, options, None);
    }
    let complaints = compat::check(text);
    let sound = complaints.is_empty();
    let (mut assembled, mut findings) = read(text, options, Some(complaints));
    // Its parser needs no blanks between words that cannot be one.
    let refused = findings.iter().any(|d| d.severity == Severity::Error && d.id == id::ASSEMBLER);
    if sound && refused {
        let spaced = compat::SpacedText::new(text);
        (assembled, findings) = read(&spaced.text, options, Some(Vec::new()));
        let back = |span: Span| spaced.back(span);
        for span in assembled.iter_mut().flat_map(|assembled| &mut assembled.spans) {
            *span = back(*span);
        }
        for finding in &mut findings {
            if let Place::Text(span) = &mut finding.place {
                *span = back(*span);
            }
        }
    }
    (assembled, findings)
}

/// Whether a text is read as one with programs inside, so that lines outside them count for nothing.
pub(super) fn is_around_programs(text: &str) -> bool {
    let dumped = |dialect| dialect == Dialect::Xemu && inside(text, &ParseOptions::default()).is_some();
    Dialect::beginning(text).is_none_or(dumped)
}

/// A program inside a text: alone, what it is, and what is found in it.
type Inside = (enclosed::EnclosedProgram, Option<Assembled>, Vec<Diagnostic>);

/// The program of that number inside a text that does not begin as one. Lines of a dump of xemu are such a program, too, if other
/// lines surround them.
pub(super) fn inside(text: &str, options: &ParseOptions) -> Option<Inside> {
    if options.dialect.is_some() || options.mode != Mode::Strict {
        return None;
    }
    let dumped = match Dialect::beginning(text) {
        None => false,
        Some(Dialect::Xemu) if has_errors(&read(text, options, None).1) => true,
        Some(_) => return None,
    };
    let alone = enclosed::alone(text, options.program)?;
    let inner = ParseOptions { dialect: Some(alone.dialect), program: 0, ..*options };
    let (assembled, findings) = read(&alone.text, &inner, None);
    // A strange line between lines of a dump is an error.
    if dumped && (alone.dialect != Dialect::Xemu || alone.begins.len() > 1 || has_errors(&findings)) {
        return None;
    }
    Some((alone, assembled, findings))
}

/// Reads the program of that number inside a text, if that is where it is.
fn read_inside(text: &str, options: &ParseOptions) -> Option<(Option<Assembled>, Vec<Diagnostic>)> {
    let (alone, assembled, mut findings) = inside(text, options)?;
    let mut said = Findings::new(id::MORE);
    let first = assembled.as_ref().and_then(|assembled| assembled.spans.first().copied());
    if alone.around > 0 {
        let lines = if alone.around == 1 { "line" } else { "lines" };
        let message = format!("skipped {} {lines} outside the programs", alone.around);
        let help = "a program begins at its header, or at its first instruction";
        said.note(id::AROUND, first.unwrap_or_default(), message, help);
    }
    if options.program == 0 && alone.begins.len() > 1 {
        let others = Output {
            others: alone.begins.len() - 1,
            begins: alone.begins.into_iter().skip(1).take(MAX_BEGINS).collect(),
            spans: first.into_iter().collect(),
            ..Output::default()
        };
        others.mention_others(text, &mut said);
    }
    findings.extend(said.finish());
    Some((assembled, findings))
}

/// Reads a text; `complaints` are those of the parser of nv2a-vsh, if it is wanted.
fn read(
    text: &str,
    options: &ParseOptions,
    complaints: Option<Vec<Diagnostic>>,
) -> (Option<Assembled>, Vec<Diagnostic>) {
    let mut reader = Reader::new(text, *options);
    let mut out = Output { wanted: options.program, ..Output::default() };
    match options.dialect_of(text) {
        Dialect::Vsh => reader.read(&mut out),
        Dialect::Vp => reader.read_vp(&mut out),
        Dialect::Xvs => reader.read_xvs(&mut out),
        Dialect::Xemu => reader.read_xemu(&mut out),
        Dialect::Log => reader.read_log(&mut out),
    }
    if out.others > 0 || out.wanted > 1 {
        out.mention_others(text, &mut reader.findings);
    }
    let (bad, stopped) = (reader.findings.has_errors(), reader.stopped);
    let mut findings = reader.findings.finish();
    if let Some(complaints) = complaints {
        findings = compat::settle(complaints, findings, stopped);
    }
    if bad || has_errors(&findings) {
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
    let Output { slots, spans, said, tail, container, constants, remarks, .. } = out;
    let program = Program { container: container.unwrap_or_default(), slots, tail };
    (Some(Assembled { program, spans, said, constants, remarks }), findings)
}

/// Reads a text, as [`assemble`] does, into a program only.
pub fn parse(text: &str, options: &ParseOptions) -> (Option<Program>, Vec<Diagnostic>) {
    let (assembled, findings) = assemble(text, options);
    (assembled.map(|a| a.program), findings)
}
