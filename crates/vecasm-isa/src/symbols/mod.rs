//! The symbols of a text: its registers, labels and names, and where each is defined, read, written or called.
//!
//! `vecasm::symbols` takes a text of any instruction set; the readers of texts find the symbols while they read, so what a register
//! is, and which statement a text has, is decided in one place. What an instruction reads, lane by lane, comes from the tables that
//! its instruction set has for that.
//!
//! Texts with errors have the symbols of every statement that can be read. In the others registers are only [named](Role::Name): in
//! AGAL all of them, elsewhere those in front of the error, and none behind an unknown mnemonic.

mod collect;
#[cfg(feature = "serde")]
mod serial;

pub(crate) use collect::Scope;
pub(crate) use collect::{Collector, Place};

use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::WriteMask;

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SymbolKind {
    /// A temporary register.
    Temporary,
    /// A constant register of floating-point numbers.
    Constant,
    /// A constant register of integers.
    Integer,
    /// A constant register of a boolean.
    Boolean,
    /// An input: an attribute, a varying that is read, texture coordinates.
    Input,
    /// An output, or a varying that is written.
    Output,
    /// A sampler.
    Sampler,
    /// A sampler view.
    View,
    /// An image.
    Image,
    /// A buffer.
    Buffer,
    /// Memory of a work group.
    Memory,
    /// A hardware counter.
    Counter,
    /// A system value.
    System,
    /// An immediate.
    Immediate,
    /// An address register.
    Address,
    /// A predicate.
    Predicate,
    /// The counter of loops.
    Loop,
    /// A register of another file.
    Other,
    /// A label.
    Label,
    /// A macro: of the preprocessor, or of the macro language of AGAL.
    Macro,
    /// A parameter of a macro.
    Parameter,
    /// A name of the text for a register.
    Alias,
    /// A file that is included.
    File,
}

impl SymbolKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Temporary,
        Self::Constant,
        Self::Integer,
        Self::Boolean,
        Self::Input,
        Self::Output,
        Self::Sampler,
        Self::View,
        Self::Image,
        Self::Buffer,
        Self::Memory,
        Self::Counter,
        Self::System,
        Self::Immediate,
        Self::Address,
        Self::Predicate,
        Self::Loop,
        Self::Other,
        Self::Label,
        Self::Macro,
        Self::Parameter,
        Self::Alias,
        Self::File,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Temporary => "temporary",
            Self::Constant => "constant",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Input => "input",
            Self::Output => "output",
            Self::Sampler => "sampler",
            Self::View => "view",
            Self::Image => "image",
            Self::Buffer => "buffer",
            Self::Memory => "memory",
            Self::Counter => "counter",
            Self::System => "system",
            Self::Immediate => "immediate",
            Self::Address => "address",
            Self::Predicate => "predicate",
            Self::Loop => "loop",
            Self::Other => "other",
            Self::Label => "label",
            Self::Macro => "macro",
            Self::Parameter => "parameter",
            Self::Alias => "alias",
            Self::File => "file",
        }
    }

    /// Whether the text gives the name, so that another one would do.
    pub const fn is_named_by_text(self) -> bool {
        matches!(self, Self::Macro | Self::Parameter | Self::Alias)
    }
}

vecasm_ir::spelled!(SymbolKind, "kind of symbol");

/// What a place in a text does with a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Role {
    /// Gives it its value or meaning: `def`, `IMM`, `label`, `#define`, `alias`.
    Define,
    /// Says that it is there: `dcl`, `DCL`.
    Declare,
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Reads and writes it.
    ReadWrite,
    /// Calls the subroutine there.
    Call,
    /// Goes on there.
    Jump,
    /// Stands for what the macro says.
    Expand,
    /// Names it only: `#ifdef`, `#include`, an operand of a statement that could not be read.
    Name,
}

impl Role {
    /// Every role.
    pub const ALL: &'static [Self] = &[
        Self::Define,
        Self::Declare,
        Self::Read,
        Self::Write,
        Self::ReadWrite,
        Self::Call,
        Self::Jump,
        Self::Expand,
        Self::Name,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Define => "define",
            Self::Declare => "declare",
            Self::Read => "read",
            Self::Write => "write",
            Self::ReadWrite => "read-write",
            Self::Call => "call",
            Self::Jump => "jump",
            Self::Expand => "expand",
            Self::Name => "name",
        }
    }

    /// Whether the symbol is read.
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadWrite)
    }

    /// Whether the symbol is written.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::ReadWrite)
    }
}

vecasm_ir::spelled!(Role, "role");

/// How a place in a text comes to mean a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Mention {
    /// The name stands there.
    Name,
    /// The name of the first of consecutive registers stands there, of which this is a later one: a row of a matrix.
    Run,
    /// A register with a computed number stands there: `c[a0.x + 4]`. The symbol is the register file.
    Index,
    /// Another name stands there: that of a macro or an alias.
    Alias,
    /// An instruction stands there that uses the register without naming it.
    Instruction,
}

impl Mention {
    /// Every way.
    pub const ALL: &'static [Self] = &[Self::Name, Self::Run, Self::Index, Self::Alias, Self::Instruction];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Run => "run",
            Self::Index => "index",
            Self::Alias => "alias",
            Self::Instruction => "instruction",
        }
    }
}

vecasm_ir::spelled!(Mention, "way to a symbol");

/// A place in a text that means a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Use {
    /// The name: of a register without signs, modifiers, swizzle and write mask. Brackets of an index belong to it.
    pub span: Span,
    /// The statement around it: all of an instruction or directive.
    pub statement: Span,
    /// What happens there.
    pub role: Role,
    /// How the place comes to mean the symbol.
    pub by: Mention,
    /// The lanes of the register that are read, written, defined or declared; none of what has no lanes.
    pub lanes: WriteMask,
}

/// What a register is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Register {
    /// The file as texts spell it, without number: `c`, `oPos`, `TEMP`, `CONST[1]`.
    pub file: String,
    /// The number as texts spell it. `None` of a register without one, and of a file whose registers are chosen by a computed number.
    pub number: Option<i32>,
}

/// A symbol: a register, a label, or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol {
    /// The name as vecasm prints it; where a computed number chooses one of a file, `c[]`.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The macro that has it, of a parameter.
    pub scope: Option<String>,
    /// The register, if it is one.
    pub register: Option<Register>,
    /// Which program of the text has it, from 0.
    pub program: usize,
    /// Where it is meant, in the order of the text.
    pub uses: Vec<Use>,
    /// Whether another name would give another program, or the name has uses outside the text.
    fixed: bool,
}

impl Symbol {
    /// Where it is defined, else where it is declared, for the first time.
    pub fn definition(&self) -> Option<&Use> {
        let first = |role| self.uses.iter().find(|it| it.role == role);
        first(Role::Define).or_else(|| first(Role::Declare))
    }

    /// Where it is read.
    pub fn reads(&self) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(|it| it.role.reads())
    }

    /// Where it is written.
    pub fn writes(&self) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(|it| it.role.writes())
    }

    /// Whether the program stays the same when every [spelling](Self::spellings) is replaced by a name that the text does not use.
    pub fn is_renamable(&self) -> bool {
        self.kind.is_named_by_text() && !self.fixed && self.uses.iter().any(|it| it.role == Role::Define)
    }

    /// Where the name stands.
    pub fn spellings(&self) -> impl Iterator<Item = Span> + '_ {
        self.uses.iter().filter(|it| it.by == Mention::Name).map(|it| it.span)
    }

    /// Whether it is a register file of which a computed number chooses a register.
    pub fn is_file(&self) -> bool {
        self.name.ends_with("[]")
    }
}

/// The symbols of a text, in the order of their first uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    symbols: Vec<Symbol>,
}

impl Symbols {
    /// The symbols, in the order of their first uses.
    pub fn iter(&self) -> core::slice::Iter<'_, Symbol> {
        self.symbols.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// The symbols of that name: one of each program, parameters of several macros.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Symbol> {
        self.symbols.iter().filter(move |symbol| symbol.name == name)
    }

    /// The symbol that a byte of the text belongs to, or ends at: of several the one with the shortest place, whose name stands there.
    pub fn at(&self, offset: u32) -> Option<(&Symbol, &Use)> {
        let all = self.symbols.iter().flat_map(|symbol| symbol.uses.iter().map(move |it| (symbol, it)));
        let near = all.filter(|(_, it)| it.span.start <= offset && offset <= it.span.end);
        near.min_by_key(|(_, it)| (offset == it.span.end, it.span.end - it.span.start, it.by))
    }

    /// Uses by a computed number that may mean a register.
    pub fn reaching<'a>(&'a self, symbol: &'a Symbol) -> impl Iterator<Item = (&'a Symbol, &'a Use)> {
        let file = symbol.register.as_ref().filter(|register| register.number.is_some());
        let same = move |other: &&Symbol| {
            let of = other.register.as_ref();
            let same = of.zip(file).is_some_and(|(a, b)| a.file == b.file && a.number.is_none());
            same && other.kind == symbol.kind && other.program == symbol.program
        };
        let files = self.symbols.iter().filter(same);
        files.flat_map(|other| other.uses.iter().map(move |it| (other, it)))
    }

    /// Moves the symbols of a part that begins at `start` to their places in the whole text, as those of program `program`.
    #[must_use]
    pub fn of_part(mut self, start: u32, program: usize) -> Self {
        let moved = |span: &mut Span| {
            span.start = span.start.saturating_add(start);
            span.end = span.end.saturating_add(start);
        };
        for symbol in &mut self.symbols {
            symbol.program = program;
            for it in &mut symbol.uses {
                moved(&mut it.span);
                moved(&mut it.statement);
            }
        }
        self
    }

    /// Appends the symbols of another program of the same text.
    pub fn append(&mut self, other: Self) {
        self.symbols.extend(other.symbols);
    }
}

impl<'a> IntoIterator for &'a Symbols {
    type Item = &'a Symbol;
    type IntoIter = core::slice::Iter<'a, Symbol>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Symbols {
    type Item = Symbol;
    type IntoIter = alloc::vec::IntoIter<Symbol>;

    fn into_iter(self) -> Self::IntoIter {
        self.symbols.into_iter()
    }
}
