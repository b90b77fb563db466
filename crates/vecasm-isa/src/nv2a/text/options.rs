//! What readers and writers of text are told.

use super::dialect::Dialect;
use super::print::Style;
use crate::nv2a::pair::Mode;

/// How constants are numbered in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Numbering {
    /// As the hardware does and nv2a-vsh: 0–191.
    #[default]
    Hardware,
    /// As Direct3D does: −96–95.
    Direct3d,
}

impl Numbering {
    /// Every numbering.
    pub const ALL: [Self; 2] = [Self::Hardware, Self::Direct3d];

    /// The word in the directive `.constants` and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hardware => "hardware",
            Self::Direct3d => "d3d",
        }
    }

    /// What is added to a number of the text to get the hardware's.
    pub const fn bias(self) -> i32 {
        match self {
            Self::Hardware => 0,
            Self::Direct3d => crate::nv2a::table::DIRECT3D_BIAS,
        }
    }
}

vecasm_ir::spelled!(Numbering, "numbering of constants");

/// How a text is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// How constants are numbered, where no directive says it.
    pub numbering: Numbering,
    /// Whether a slot that does nothing is appended to end the program, instead of marking the last one.
    pub explicit_final: bool,
    /// Whether the peculiarities of nv2a-vsh are wanted: its language only, its messages, its words.
    pub mode: Mode,
    /// The language; without it the text tells, but that in compat mode it is nv2a-vsh's.
    pub dialect: Option<Dialect>,
    /// Which of the programs of a text that has several, counted from 1; 0 is the first, and what is left out is noted.
    pub program: usize,
}

impl ParseOptions {
    /// The language of a text that is read with these options.
    pub fn dialect_of(&self, text: &str) -> Dialect {
        match (self.dialect, self.mode) {
            (Some(dialect), _) => dialect,
            (None, Mode::Compat) => Dialect::Vsh,
            (None, Mode::Strict) => Dialect::of(text),
        }
    }
}

/// How a program is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintOptions {
    /// The style.
    pub style: Style,
    /// Whether the slips of nv2a-vsh are wanted, where the style is its own.
    pub compat: bool,
}
