//! The language of nv2a-vsh, with what its users expect besides: statements, uniforms, macros.
//!
//! ```text
//! #model matrix4 96            ; a name for constants
//! %matmul4x4 r0 iPos #model    ; four dp4
//! mul oPos.xyz, r0, c58 + rcc r1.x, r0.w
//! mad oD0, v3, c[A0+7].bgra, -r2.w
//! ```
//!
//! A statement ends where the next one begins; a new line is not needed. Behind an error the reader goes on with the
//! next line.

use super::errors::{Findings, Quoted, id};
use super::options::ParseOptions;
use super::parse::Output;
use super::raw::MAX_OPERATIONS;
use super::symbols::Record;
use crate::nv2a::pair::{Conflict, Dest, Mode, Operand, Operation, Operator, Target, UnitConflict, combine};
use crate::nv2a::program::Slot;
use crate::nv2a::table::{self, Ilu, Mac};
use crate::text::Cursor as _;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::WriteMask;

/// What a uniform names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uniform {
    /// The number of the first constant, 0-255 but in compat mode.
    pub(super) base: u32,
    /// Number of constants, 1 or 4.
    pub(super) rows: u32,
}

/// Why a statement was given up: it has been reported.
pub(super) struct Reported;

pub(super) type Outcome<T> = Result<T, Reported>;

/// The reader.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    /// The next byte to be read; always at the start of a character.
    pub(super) at: usize,
    pub(super) options: ParseOptions,
    pub(super) uniforms: BTreeMap<&'a str, Uniform>,
    /// Whether the language is the XDK's: `mov a0.x, …` is `arl`.
    pub(super) direct3d: bool,
    /// Whether the language is NV_vertex_program, which has other names for registers.
    pub(super) extension: bool,
    /// An operation of which some operands could not be read.
    broken: Option<Operation>,
    pub(super) findings: Findings,
    /// Whether a comment without an end has been reported.
    pub(super) unended: bool,
    /// Whether nv2a-vsh stops with an exception while it reads.
    pub(super) stopped: bool,
    /// Whether nv2a-vsh stops with an exception when it makes words.
    failed: bool,
    /// What symbols are made of, if that is asked for.
    pub(super) record: Option<Record>,
}

/// A MOV that has to go to a unit, or not.
type Unit = Option<bool>;

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, options: ParseOptions) -> Self {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self {
            text,
            at,
            options,
            uniforms: BTreeMap::new(),
            direct3d: false,
            extension: false,
            broken: None,
            findings: Findings::new(id::MORE),
            unended: false,
            stopped: false,
            failed: false,
            record: None,
        }
    }

    /// Reads the whole text.
    pub(super) fn read(&mut self, out: &mut Output) {
        loop {
            self.skip_lines();
            let Some(first) = self.peek() else { break };
            let start = self.at;
            let done = match first {
                b'#' => self.uniform(),
                b'%' => self.macro_call(out),
                b'.' => self.directive(out),
                _ => self.statement(out),
            };
            self.close_statement(start);
            if self.stopped {
                break;
            }
            if done.is_err() {
                // Something has to be read, else the same would be found for ever.
                self.at = self.at.max(start + 1);
                self.skip_line();
            }
        }
    }

    pub(super) fn statement(&mut self, out: &mut Output) -> Outcome<()> {
        let start = self.at;
        let mut operations = [EMPTY; MAX_OPERATIONS];
        let mut units: [Unit; MAX_OPERATIONS] = [None; MAX_OPERATIONS];
        let mut count = 0;
        let mut plus = None;
        let end = loop {
            let from = self.at;
            if let (Some(plus), None) = (plus, self.peek()) {
                let span = Span::new(plus, plus + 1);
                return self.fail(id::SYNTAX, span, "expected an operation after `+`");
            }
            let operation = match self.operation() {
                Ok(operation) => operation,
                Err(Reported) => {
                    self.blame_pair(operations.get(..count).unwrap_or(&[]), &units, start);
                    return Err(Reported);
                }
            };
            let Some((operation, unit)) = operation else {
                // `nop` stands alone.
                out.push(Slot::EMPTY, Span::new(start, self.at), false);
                return Ok(());
            };
            let end = self.at;
            let (Some(place), Some(forced)) = (operations.get_mut(count), units.get_mut(count)) else {
                let what = "a slot has room for at most three operations";
                return self.fail(id::SYNTAX, Span::new(from, end), what);
            };
            (*place, *forced) = (operation, unit);
            count += 1;
            // A plus may stand on the next line, too.
            self.skip_blanks();
            let behind = self.at;
            self.skip_lines();
            plus = Some(self.at);
            if !self.eat(b'+') {
                self.at = behind;
                break end;
            }
            self.skip_lines();
        };
        let fields_at = self.at;
        let span = Span::new(start, end);
        let operations = operations.get(..count).unwrap_or(&[]);
        match combine(operations, &units, self.options.mode) {
            Ok(paired) => {
                let mut slot = paired.slot;
                if self.peek() == Some(b'{') {
                    let has_final = self.fields(&mut slot)?;
                    out.push(slot, Span::new(start, self.at), has_final);
                } else {
                    self.at = fields_at;
                    out.push(slot, span, false);
                }
                out.say(paired.said);
                if let Some(register) = paired.renamed {
                    self.used_renamed(register);
                }
                if let Some(register) = paired.renamed.filter(|_| !self.failed) {
                    let message = match self.options.mode {
                        Mode::Strict => format!("the hardware writes r1 here, not r{register}"),
                        Mode::Compat => format!(
                            "Paired ILU instruction writes to R{register} but will silently be treated as an R1 write. Emitting R1 target."
                        ),
                    };
                    self.findings.warning(id::ILU_RENAMED, span, message);
                }
                if let Some(conflict) = paired.late {
                    self.note_stop(conflict, span);
                }
                Ok(())
            }
            Err(conflict) => {
                self.conflict(conflict, operations, span);
                // What follows can still be read.
                if self.peek() == Some(b'{') {
                    self.fields(&mut Slot::default())?;
                }
                Ok(())
            }
        }
    }

    /// nv2a-vsh pairs operations before it complains about the syntax of those behind a plus: what it says then.
    #[cold]
    fn blame_pair(&mut self, operations: &[Operation], units: &[Unit], start: usize) {
        let Some(broken) = self.broken.take() else { return };
        let mut all = [EMPTY; MAX_OPERATIONS];
        let count = operations.len();
        if self.options.mode == Mode::Strict || count == 0 || count >= MAX_OPERATIONS {
            return;
        }
        for (to, from) in all.iter_mut().zip(operations.iter().chain(core::iter::once(&broken))) {
            *to = *from;
        }
        let outcome = combine(all.get(..=count).unwrap_or(&[]), units, self.options.mode);
        if let Some(conflict) = outcome.err() {
            self.findings.take_back();
            self.conflict(conflict, operations, Span::new(start, self.at));
        }
    }

    /// Notes that nv2a-vsh stops when it makes the words of a statement; it does so once.
    #[cold]
    pub(super) fn note_stop(&mut self, conflict: Conflict, span: Span) {
        if !core::mem::replace(&mut self.failed, true) {
            let line = vecasm_ir::diag::line_column(self.text, span.start).0;
            self.findings.error(id::EXCEPTION, span, conflict.exception(line));
        }
    }

    #[cold]
    pub(super) fn conflict(&mut self, conflict: Conflict, operations: &[Operation], span: Span) {
        if self.options.mode == Mode::Compat {
            let line = vecasm_ir::diag::line_column(self.text, span.start).0;
            self.stopped = true;
            self.findings.error(id::EXCEPTION, span, conflict.exception(line));
            return;
        }
        let arl = operations.iter().any(|o| o.operator == Operator::Mac(Mac::Arl));
        let (id, message) = match conflict {
            Conflict::Attributes(a, b) => {
                let (a, b) = (self.attribute_name(a), self.attribute_name(b));
                (id::TWO_V, format!("two vertex attributes in one slot: {a} and {b}"))
            }
            Conflict::Constants(a, b) => {
                let (a, b) = (self.constant_name(a.into()), self.constant_name(b.into()));
                (id::TWO_C, format!("two constants in one slot: {a} and {b}"))
            }
            Conflict::Relative => {
                (id::C_ABS_REL, "an absolute and an A0-relative constant in one slot".into())
            }
            Conflict::Port => (id::OUT_PORT, "two outputs or constants are written in one slot".into()),
            Conflict::Mac(UnitConflict::Outputs) | Conflict::Ilu(UnitConflict::Outputs) if !arl => {
                (id::OUT_PORT, "two outputs or constants are written in one slot".into())
            }
            Conflict::Mac(why) => {
                (id::TWO_MAC, format!("two operations for the vector unit: {}", why.words()))
            }
            Conflict::Ilu(why) => {
                (id::TWO_ILU, format!("two operations for the scalar unit: {}", why.words()))
            }
            Conflict::TwoOutputs | Conflict::Mov(UnitConflict::Outputs) => {
                (id::OUT_PORT, "two outputs or constants are written in one slot".into())
            }
            Conflict::Mov(why) => (id::PAIR_MOV, format!("too many MOVs in one slot: {}", why.words())),
            Conflict::ThreeValues => (id::PAIR_MOV, "too many MOVs in one slot: three values".into()),
            Conflict::TwoR1 => (id::PAIR_MOV, "too many MOVs in one slot: both write r1".into()),
            Conflict::TwoTemporaries | Conflict::IluTemporary => {
                (id::ILU_TEMP, "a MOV paired with another operation can only write r1 or an output".into())
            }
            Conflict::IluBusy => {
                (id::TWO_ILU, "two operations for the scalar unit: the MOV would be one".into())
            }
            Conflict::MacBusy => {
                (id::TWO_MAC, "two operations for the vector unit: the MOV would be one".into())
            }
            Conflict::SourceC | Conflict::PairedAdd(_) => {
                (id::C_SOURCE, "the operations of both units need source C and differ in it".into())
            }
        };
        self.findings.error(id, span, message);
    }

    /// An attribute of the hardware as the language calls it.
    fn attribute_name(&self, number: u8) -> String {
        let named = super::vp::ATTRIBUTES.iter().find(|row| self.extension && row.1 == number);
        named.map_or_else(|| format!("v{number}"), |(name, _)| format!("v[{name}]"))
    }

    /// A constant of the hardware as the language numbers it.
    fn constant_name(&self, number: i64) -> String {
        if self.extension {
            return format!("c[{}]", number - i64::from(table::DIRECT3D_BIAS));
        }
        format!("c{}", number - i64::from(self.options.numbering.bias()))
    }

    /// An operation and the unit a MOV is forced to; `None` for `nop`.
    fn operation(&mut self) -> Outcome<Option<(Operation, Unit)>> {
        let start = self.at;
        let name = self.word();
        let Some((mut operator, negate_last)) = mnemonic(name) else {
            if name.eq_ignore_ascii_case("nop") {
                return Ok(None);
            }
            if name.is_empty() {
                return self.expected("a statement");
            }
            let span = Span::new(start, self.at);
            if self.direct3d {
                return self.unknown_mnemonic(name, span, super::xvs::mnemonics());
            }
            return self.unknown_mnemonic(name, span, mnemonics());
        };
        let mut unit = None;
        if operator == Operator::Mov && self.eat(b':') {
            let from = self.at;
            unit = match self.word() {
                "mac" => Some(false),
                "ilu" => Some(true),
                _ => return self.fail(id::SYNTAX, Span::new(from, self.at), "the units are `mac` and `ilu`"),
            };
        }
        self.skip_blanks();
        if self.direct3d && operator == Operator::Mov && self.address_follows() {
            operator = Operator::Mac(Mac::Arl);
        }
        let mut last = self.at;
        let marks = self.marks();
        let dest = self.dest(operator)?;
        let mut sources = [Operand::NONE; 3];
        self.broken = Some(Operation { operator, dest, sources });
        for (n, source) in sources.iter_mut().enumerate().take(operator.sources()) {
            let end = self.at;
            self.skip_blanks();
            if !self.eat(b',') {
                return self.missing_comma([start, last, end], few_sources(name, operator.sources(), n));
            }
            self.skip_blanks();
            last = self.at;
            *source = self.operand()?;
        }
        if negate_last {
            sources[1].negate ^= true;
        }
        let end = self.at;
        self.skip_blanks();
        if self.peek() == Some(b',') {
            let message = format!("{}, found more", takes(name, operator.sources()));
            return self.fail(id::SYNTAX, self.here(), message);
        }
        self.at = end;
        self.broken = None;
        let operation = Operation { operator, dest, sources };
        self.used(marks, &operation);
        Ok(Some((operation, unit)))
    }
}

/// Stands where there is no operation.
pub(super) const EMPTY: Operation = Operation {
    operator: Operator::Mov,
    dest: Dest::new(Target::Address, WriteMask::NONE),
    sources: [Operand::NONE; 3],
};

/// `` `mul` takes 2 sources ``.
pub(super) fn takes(name: &str, sources: usize) -> String {
    format!("{} takes {sources} source{}", Quoted(name), if sources == 1 { "" } else { "s" })
}

/// That a statement has too few sources.
pub(super) fn few_sources(name: &str, sources: usize, found: usize) -> String {
    let takes = takes(name, sources);
    if found == 0 { takes + ", found none" } else { format!("{takes}, found {found}") }
}

/// Spellings of nv2a-vsh that the hardware's operations do not have: their operation, and whether its last source is
/// negated.
const OTHERS: [(&str, Operator, bool); 3] = [
    ("sub", Operator::Mac(Mac::Add), true),
    ("exp", Operator::Ilu(Ilu::Expp), false),
    ("log", Operator::Ilu(Ilu::Logp), false),
];

/// Every mnemonic, in small letters.
pub(super) fn mnemonics() -> impl Iterator<Item = &'static str> + Clone {
    Operator::names().chain(OTHERS.iter().map(|row| row.0)).chain(["nop"])
}

/// The operation of a mnemonic in any case, and whether its last source is negated (`sub`).
pub(super) fn mnemonic(name: &str) -> Option<(Operator, bool)> {
    let mut small = [0_u8; 4];
    if name.len() > small.len() {
        return None;
    }
    for (to, from) in small.iter_mut().zip(name.bytes()) {
        *to = from.to_ascii_lowercase();
    }
    let name = core::str::from_utf8(small.get(..name.len())?).ok()?;
    match OTHERS.iter().find(|row| row.0 == name) {
        Some((_, operator, negates)) => Some((*operator, *negates)),
        None => Operator::named(name).map(|operator| (operator, false)),
    }
}
