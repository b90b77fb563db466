//! What an instruction set can say, as data.
//!
//! A [`Machine`] is a list of [rows](Row), an instruction each, with the operations that it computes: its [patterns](Pattern).
//! Where a row of an instruction table is one operation of the IR, the pattern is made of that; the rest stand in the file
//! of the target. Beside the rows are the few facts that no row has: modifiers, constants, registers.

use crate::peepholes::{Entry, TABLE};
use alloc::vec::Vec;
use vecasm_ir::ir::{OutOfRange, Promise, Pure, Rule, Scalar, Slope};

/// What an instruction computes for one lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pattern {
    /// Whatever source `n` holds.
    Source(u8),
    /// The same, negated.
    Minus(u8),
    /// The magnitude of it.
    Magnitude(u8),
    /// Source `n`, where that is known to be no number below zero.
    Positive(u8),
    /// The number with these bits.
    Number(u32),
    /// An operation on such; below another one it is on floats, if that is a selection, else on what that is on.
    Op(Pure, &'static [Pattern]),
    /// An operation on words below another one.
    Word(Pure, &'static [Pattern]),
    /// A comparison of sources 0 and 1 as 1.0 or 0.0.
    Set(Pure),
}

/// The sources of an operation in order.
const SOURCES: &[Pattern] = &[Pattern::Source(0), Pattern::Source(1), Pattern::Source(2)];

impl Pattern {
    /// An operation on the sources in their order.
    pub(crate) fn of(op: Pure) -> Self {
        Self::Op(op, &SOURCES[..op.arity().min(3)])
    }

    /// The operation at the top.
    pub(crate) const fn root(self) -> Option<Pure> {
        match self {
            Self::Op(op, _) => Some(op),
            Self::Set(_) => Some(Pure::ToF32),
            _ => None,
        }
    }

    /// Calls `f` with each operation of it.
    pub(crate) fn for_each_op(self, f: &mut impl FnMut(Pure)) {
        match self {
            Self::Op(op, of) | Self::Word(op, of) => {
                f(op);
                of.iter().for_each(|of| of.for_each_op(f));
            }
            Self::Set(compare) => {
                f(Pure::ToF32);
                f(compare);
            }
            _ => {}
        }
    }

    /// How many operations it is.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Op(_, of) | Self::Word(_, of) => 1 + of.iter().map(|of| of.size()).sum::<usize>(),
            Self::Set(_) => 2,
            _ => 0,
        }
    }
}

/// Which lanes of the sources a lane of the result is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Lane i from lane i of each source.
    PerLane,
    /// One lane from one lane of each source; it may be written to several.
    Scalar,
    /// One lane from the first lanes of two vectors: their dot product.
    Dot(u8),
    /// One lane from the first three lanes of a vector and four of another one: their dot product, the last lane with 1.
    Homogeneous,
    /// Several results, each in a lane of its own, from one vector: source n of a pattern is lane n of the vector. Lane
    /// `slots[n]` of the result is what pattern n says, and a vector of one lane is that lane four times.
    Placed(&'static [u8]),
    /// A vector xyz divided by its length.
    Normalize,
    /// The cross product of two vectors xyz.
    Cross,
    /// The dot products of a vector of so many lanes with so many consecutive constants.
    Matrix { lanes: u8, rows: u8 },
    /// A derivative along x, or y, by lane.
    Derivative { y: bool, slope: Slope },
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Its place in the instruction table.
    pub(crate) code: u16,
    pub(crate) kind: Kind,
    /// What it computes; any of these. Of vectors the kind says it.
    pub(crate) patterns: Vec<Pattern>,
    /// Patterns that it computes less exactly, with what is kept and where results differ.
    pub(crate) weaker: Vec<(Pattern, Promise, &'static str)>,
    /// What decides its arithmetic: the scalar that the operation at the top of the pattern works on.
    pub(crate) scalar: Scalar,
    /// Sources that are always a number: which one, and its bits.
    pub(crate) fixed: Option<(u8, u32)>,
    /// Whether its sources may have modifiers of floats, where the machine has those.
    pub(crate) is_float: bool,
    /// Whether its result may be clamped to 0..=1, likewise.
    pub(crate) saturates: bool,
    /// Whether it writes temporary registers alone, and no outputs.
    pub(crate) to_temporaries: bool,
    /// How many slots it takes.
    pub(crate) slots: u8,
    /// Whether its last source is the one in front of it, negated.
    pub(crate) mirrors: bool,
}

impl Row {
    pub(crate) const fn new(code: u16, kind: Kind) -> Self {
        Self {
            code,
            kind,
            patterns: Vec::new(),
            weaker: Vec::new(),
            scalar: Scalar::F32,
            fixed: None,
            is_float: true,
            saturates: true,
            to_temporaries: false,
            slots: 1,
            mirrors: false,
        }
    }

    pub(crate) fn with(mut self, patterns: &[Pattern]) -> Self {
        self.patterns.extend_from_slice(patterns);
        self
    }

    /// With patterns of which it keeps so much; results differ for what `differs` says.
    pub(crate) fn with_weaker(
        mut self,
        patterns: &[Pattern],
        promise: Promise,
        differs: &'static str,
    ) -> Self {
        self.weaker.extend(patterns.iter().map(|pattern| (*pattern, promise, differs)));
        self
    }

    pub(crate) const fn over(mut self, scalar: Scalar, is_float: bool, saturates: bool) -> Self {
        self.scalar = scalar;
        self.is_float = is_float;
        self.saturates = saturates;
        self
    }
}

/// How conditionals and discards are said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// A truth is a word with all bits set or none; conditionals ask for one.
    Mask,
    /// A truth is 1.0 or 0.0; conditionals compare two numbers.
    Number,
}

/// What sources and results of floats may be modified by, at no cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Modifiers {
    /// A source may be negated.
    pub(crate) negate: bool,
    /// A source may be taken without its sign.
    pub(crate) absolute: bool,
    /// A result may be clamped to 0..=1.
    pub(crate) saturate: bool,
}

/// How many constants an instruction may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constants {
    /// As many as it has sources.
    Any,
    /// One source may be a constant, but not the only source there is; conditionals may compare constants.
    OneSource,
    /// All that it reads are in one register; literals are in one where four are enough.
    OneRegister,
}

/// What an instruction may read at once.
#[derive(Clone, Debug)]
pub(crate) struct Ports {
    pub(crate) constants: Constants,
    /// Whether all inputs that it reads must be one register, of each file.
    pub(crate) one_input: bool,
    /// The file of each input of the shader; those that are not told are in the first one.
    pub(crate) files: Vec<u8>,
}

impl Ports {
    pub(crate) const fn new(constants: Constants, one_input: bool) -> Self {
        Self { constants, one_input, files: Vec::new() }
    }
}

/// Which conditionals an instruction set has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conditionals {
    /// None: both sides are computed.
    None,
    /// Those that ask for a constant.
    Constant,
    /// All.
    All,
}

/// Which loops an instruction set has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loops {
    None,
    /// Those of a number of rounds that is a constant. Those of models without conditionals cannot be left early.
    Counted,
    /// Those that go on until they are left. Each round may end early.
    Endless,
}

/// An instruction set, as what programs are made for.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// What messages call it.
    pub(crate) name: &'static str,
    pub(crate) rows: Vec<Row>,
    /// The instruction that copies.
    pub(crate) copy: u16,
    /// The instruction that loads an index of a float, if there is one; it does nothing else.
    pub(crate) index: Option<u16>,
    /// What sources and results of floats may be modified by.
    pub(crate) modifiers: Modifiers,
    pub(crate) truth: Truth,
    /// What an instruction may read at once.
    pub(crate) ports: Ports,
    /// Whether outputs are written by one instruction each, completely.
    pub(crate) whole_outputs: bool,
    /// Whether that is a copy of a register as it is.
    pub(crate) copied_outputs: bool,
    /// Whether every lane of an output that is written must be.
    pub(crate) fills_outputs: bool,
    /// Outputs that are written completely, or from their first lane on.
    pub(crate) whole: Vec<u32>,
    pub(crate) gapless: Vec<u32>,
    /// Whether lanes of outputs that nobody writes get what outputs of the source begin with.
    pub(crate) begins_outputs: bool,
    pub(crate) conditionals: Conditionals,
    /// Whether it has constants that are truths, which conditionals ask for.
    pub(crate) has_truths: bool,
    pub(crate) loops: Loops,
    /// Whether it has what only programs of its own instruction set do: 64-bit values, memory, vertices.
    pub(crate) has_calls: bool,
    /// The arithmetic of its products.
    pub(crate) rule: Rule,
    /// What constants give beyond their number.
    pub(crate) out_of_range: OutOfRange,
    /// Slots of the longest program; `None` if there is none that is the longest.
    pub(crate) room: Option<usize>,
    /// How many instructions come to one slot afterwards, at most.
    pub(crate) shares: usize,
    /// Number of temporary registers.
    pub(crate) temporaries: u16,
    /// Registers for indices: none if any lane of a temporary register is one.
    pub(crate) addresses: u16,
    /// How many lanes of such a register there are.
    pub(crate) address_lanes: u8,
    /// The comparisons of two floats that conditionals can ask for, where truths are numbers.
    pub(crate) tests: &'static [Pure],
    /// How textures are read.
    pub(crate) reads: Reads,
    pub(crate) quirks: Quirks,
    /// Expressions that are shorter otherwise.
    pub(crate) peepholes: &'static [Entry],
}

/// How textures are read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reads {
    /// Coordinates may be divided by their fourth lane.
    pub(crate) projected: bool,
    /// A bias or level is the fourth lane of the coordinates; without, there is none that is computed.
    pub(crate) fourth: bool,
    /// Coordinates are the first lanes of an input or a temporary, in order.
    pub(crate) placed: bool,
    /// All lanes of a register are written.
    pub(crate) whole: bool,
}

/// What differs between the instructions of Direct3D 9 and others, in the way that values are handed to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quirks {
    /// Discards look at all lanes of a register, each of which must be written.
    pub(crate) kills_registers: bool,
    /// Swizzles are one lane four times, or one of the few that [`legalize`](crate::legalize) lists.
    pub(crate) few_swizzles: bool,
    /// Swizzles are written as short as they can be: lanes that do not count stand where they are.
    pub(crate) short_swizzles: bool,
    /// The instruction that loads an index rounds to the nearest number.
    pub(crate) rounds_indices: bool,
    /// How often a register was written by reads counts.
    pub(crate) fresh_reads: bool,
    /// A vector of no length has the largest number for the reciprocal of its length.
    pub(crate) bounded_lengths: bool,
    /// Angles are between -π and π.
    pub(crate) reduces_angles: bool,
}

impl Quirks {
    /// Those of most machines.
    pub(crate) const NONE: Self = Self {
        kills_registers: false,
        few_swizzles: false,
        short_swizzles: false,
        rounds_indices: false,
        fresh_reads: false,
        bounded_lengths: false,
        reduces_angles: false,
    };
}

impl Machine {
    /// The least that a machine has: arithmetic of IEEE on temporaries, none of which are there yet.
    pub(crate) const fn new(name: &'static str, rows: Vec<Row>, copy: u16) -> Self {
        Self {
            name,
            rows,
            copy,
            index: None,
            modifiers: Modifiers { negate: false, absolute: false, saturate: false },
            truth: Truth::Number,
            ports: Ports::new(Constants::Any, false),
            whole_outputs: false,
            copied_outputs: false,
            fills_outputs: false,
            whole: Vec::new(),
            gapless: Vec::new(),
            begins_outputs: false,
            conditionals: Conditionals::None,
            has_truths: false,
            loops: Loops::None,
            has_calls: false,
            rule: Rule::Ieee,
            out_of_range: OutOfRange::Zero,
            room: None,
            shares: 1,
            temporaries: 0,
            addresses: 0,
            address_lanes: 4,
            tests: &[],
            reads: Reads { projected: false, fourth: false, placed: false, whole: false },
            quirks: Quirks::NONE,
            peepholes: TABLE,
        }
    }

    /// Whether an instruction chooses by whether a number is below zero, where truths are numbers.
    pub(crate) fn chooses(&self) -> bool {
        let chooses = |row: &Row| row.patterns.iter().any(|of| of.root() == Some(Pure::Select));
        self.truth == Truth::Number && self.rows.iter().any(chooses)
    }

    /// How many slots an instruction takes.
    pub(crate) fn slots(&self, what: crate::code::What) -> usize {
        match what {
            crate::code::What::Row(code) => {
                self.rows.iter().find(|row| row.code == code).map_or(1, |row| row.slots.into())
            }
            _ => 1,
        }
    }

    /// Whether there is one lane for indices, which is loaded again for each.
    pub(crate) const fn has_one_index(&self) -> bool {
        self.addresses == 1 && self.address_lanes == 1
    }

    /// Whether some row says that operation on floats, if only of some operands, or close.
    pub(crate) fn says(&self, op: Pure) -> bool {
        let patterns = |row: &Row| {
            let weaker = row.weaker.iter().map(|(pattern, ..)| *pattern);
            row.patterns.iter().copied().chain(weaker).any(|pattern| pattern.root() == Some(op))
        };
        self.rows.iter().any(|row| row.scalar == Scalar::F32 && patterns(row))
    }
}
