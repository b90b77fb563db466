//! Instruction tables: one row a line, in the manual's order and words.
//!
//! `opcodes!` turns the rows of an ISA into a documented `enum` and a constant slice. Decoder, encoder, parser, printer,
//! validator, lifting, `vecasm explain`, the generated manual and the contract test all read that slice; nothing else
//! lists opcodes.
//!
//! Columns stand in the same order everywhere: code, spelling, versions, stages, part in control flow, what only this ISA
//! has, operands, how it becomes IR. `isa_table!` makes rows of all of them, [`OpRow`]. Two ISAs have rows of their own: an
//! operation of TGSI has a code in each of three numberings, and no versions; one of
//! Direct3D has several forms, each with its spelling, versions, stages and operands.

use vecasm_ir::ir::{Pure, Stage};

/// What an operand position holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A destination register with a write mask.
    Dst,
    /// A source register with a swizzle.
    Src,
    /// A source register of which one component is read: the swizzle must name it four times.
    Scalar,
    /// The first of three consecutive source registers: the rows of a matrix.
    Rows3,
    /// The first of four consecutive source registers: the rows of a matrix.
    Rows4,
    /// A sampler with its options.
    Sampler,
    /// The first of two consecutive source registers: the rows of a matrix.
    Rows2,
    /// A register that is read, encoded as a destination: its write mask names the lanes.
    Read,
    /// A label.
    Label,
    /// A boolean constant, or a component of a predicate.
    Condition,
    /// An integer constant.
    Integer,
    /// The counter of a loop.
    Counter,
    /// What an input, output or sampler is; written in the mnemonic.
    Usage,
    /// Four floating-point numbers.
    Floats4,
    /// Four integers.
    Integers4,
    /// `true` or `false`.
    Flag,
    /// A sampler view, with a swizzle of what is read.
    View,
    /// A buffer, memory, an image or a counter that is read or changed.
    Resource,
    /// A buffer, memory or an image that is written, with a write mask.
    Store,
    /// The target of a texture.
    Target,
}

impl Shape {
    /// Number of registers that it stands for: the rows of a matrix.
    pub const fn rows(self) -> u8 {
        match self {
            Self::Rows2 => 2,
            Self::Rows3 => 3,
            Self::Rows4 => 4,
            _ => 1,
        }
    }
}

/// The stages an operation exists in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stages {
    /// Vertex programs only.
    V,
    /// Fragment programs only.
    F,
    /// Both.
    VF,
    /// Geometry programs only.
    G,
    /// Compute programs and those for tessellation control.
    Ct,
    /// Every stage of the pipeline.
    Any,
}

impl Stages {
    /// Whether these are all of `other`.
    pub fn has(self, other: Self) -> bool {
        other.list().iter().all(|stage| self.list().contains(stage))
    }

    /// The stages, in the order of the pipeline.
    pub const fn list(self) -> &'static [Stage] {
        match self {
            Self::V => &[Stage::Vertex],
            Self::F => &[Stage::Fragment],
            Self::VF => &[Stage::Vertex, Stage::Fragment],
            Self::G => &[Stage::Geometry],
            Self::Ct => &[Stage::TessControl, Stage::Compute],
            Self::Any => &Stage::ALL,
        }
    }
}

/// The part an operation plays in structured control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Flow {
    /// None: control goes on with the next instruction.
    #[default]
    Straight,
    /// Opens a conditional.
    If,
    /// Separates its branches.
    Else,
    /// Closes it.
    EndIf,
    /// Opens a loop.
    Loop,
    /// Closes it.
    EndLoop,
    /// Leaves it.
    Break,
    /// Runs a subroutine.
    Call,
    /// Ends one, or the program.
    Return,
    /// Begins a subroutine.
    Label,
    /// Ends a subroutine.
    EndLabel,
    /// Starts the next round of a loop.
    Continue,
    /// Opens a selection.
    Switch,
    /// Begins one of its cases.
    Case,
    /// Begins what runs where no case does.
    Default,
    /// Closes it.
    EndSwitch,
    /// Goes on elsewhere.
    Branch,
    /// Ends the program.
    End,
}

/// How an operation becomes IR. `F` is the type of an ISA's custom lifting functions.
#[derive(Clone, Copy, Debug)]
pub enum Lift<F: 'static> {
    /// Lane i of the result is the operation on lane i of the sources.
    PerComponent(Pure),
    /// A comparison by lane: 1.0 where it holds, else 0.0.
    Set(Pure),
    /// The operation takes all lanes and its one result goes to every lane; the number says how many lanes.
    Replicate(Pure, u8),
    /// A function of the ISA's `lift` room.
    Custom(F),
    /// The operation has no meaning on any player.
    Reserved,
}

impl<F> Lift<F> {
    /// The operation of the IR, where it is one.
    pub const fn pure(&self) -> Option<Pure> {
        match *self {
            Self::PerComponent(op) | Self::Set(op) | Self::Replicate(op, _) => Some(op),
            Self::Custom(_) | Self::Reserved => None,
        }
    }
}

/// One row of an instruction table.
#[derive(Clone, Copy, Debug)]
pub struct OpRow<F: 'static> {
    /// The encoded value.
    pub code: u32,
    /// The spelling.
    pub name: &'static str,
    /// First version of the language that has it.
    pub since: u32,
    /// Last version of the language that has it.
    pub until: u32,
    /// Stages that have it.
    pub stages: Stages,
    /// Operands in text order.
    pub shape: &'static [Shape],
    /// Part in control flow.
    pub flow: Flow,
    /// Write masks allowed: the lanes that exist in the result.
    pub lanes: u8,
    /// How it becomes IR.
    pub lift: Lift<F>,
    /// What it does, for people.
    pub doc: &'static str,
}

impl<F> OpRow<F> {
    /// Whether the operation writes a register.
    pub fn has_dst(&self) -> bool {
        self.shape.first() == Some(&Shape::Dst)
    }

    /// The shapes of the source operands, in order.
    pub fn sources(&self) -> &'static [Shape] {
        if self.has_dst() { &self.shape[1..] } else { self.shape }
    }
}

/// Turns rows into an `enum`, `ALL`, `ROWS` and `row()`, for every instruction set: what a row becomes the macro of the instruction
/// set says, which knows its columns; `doc` is its doc comment.
macro_rules! opcodes {
    ( $(#[$m:meta])* $vis:vis enum $E:ident($Row:ty);
      $( #[doc = $d0:literal] $(#[doc = $d:literal])* $V:ident => |$doc:ident| $row:expr; )* ) => {
        $(#[$m])* #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)] #[non_exhaustive]
        $vis enum $E { $( #[doc = $d0] $(#[doc = $d])* $V ),* }
        impl $E {
            /// Every operation, in table order.
            pub const ALL: &'static [$E] = &[$($E::$V),*];
            /// Every row, in table order.
            pub const ROWS: &'static [$Row] = &[$( { let $doc = concat!($d0 $(, $d)*).trim_ascii(); $row } ),*];
            /// The row of this operation.
            pub const fn row(self) -> &'static $Row { &Self::ROWS[self as usize] }
        }
    };
}

pub(crate) use opcodes;

/// The rows of an instruction set in which an operation has one code, one spelling and one list of operands: [`OpRow`].
///
/// A row: doc comment, then `Name = code "spelling" since..=until Stages Flow lanes (Shapes…) => Lift;`. `lanes` is
/// the number of result lanes that exist (3 means that `.w` is never written). The variants are numbered by row,
/// so the same code may stand in several rows whose version ranges do not overlap.
macro_rules! isa_table {
    ( $(#[$m:meta])* $vis:vis enum $E:ident($F:ty);
      $( $(#[doc = $d:literal])+
         $V:ident = $code:literal $name:literal $since:literal..=$until:literal $st:ident $flow:ident $lanes:literal
         ( $($s:ident),* ) => $k:ident $(( $($arg:expr),* ))? ; )* ) => {
        $crate::table::opcodes! {
            $(#[$m])* $vis enum $E($crate::table::OpRow<$F>);
            $( $(#[doc = $d])+ $V => |doc| $crate::table::OpRow {
                code: $code, name: $name, since: $since, until: $until,
                stages: $crate::table::Stages::$st,
                flow: $crate::table::Flow::$flow, lanes: $lanes,
                shape: &[$($crate::table::Shape::$s),*],
                lift: $crate::table::Lift::$k $(( $($arg),* ))?,
                doc,
            }; )*
        }
        const _: () = {
            let rows = $E::ROWS;
            let mut i = 0;
            while i < rows.len() {
                let mut j = 0;
                while j < i {
                    assert!(rows[i].code != rows[j].code || rows[i].since > rows[j].until || rows[j].since > rows[i].until,
                        "isa_table: two rows have the same code in the same version");
                    j += 1;
                }
                i += 1;
            }
        };
    };
}

pub(crate) use isa_table;
