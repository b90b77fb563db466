//! The flags that say what a program means where its instruction set leaves that open.

use clap::{Args, ValueEnum};
use vecasm::isa::agal::lift;
use vecasm::isa::any::LiftOptions;

/// The meaning of a program where that is open.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Meaning")]
pub(crate) struct LiftArgs {
    /// Whose arithmetic the program follows
    #[arg(long, value_name = "NUMERICS", default_value = "flash")]
    numerics: Numerics,
    /// What AGAL's `ifg` compares: Adobe's document says greater or equal, players do greater
    #[arg(long, value_name = "MEANING", default_value = "greater")]
    ifg: Ifg,
    /// Whether the shader records which instruction read and wrote what.
    #[arg(skip)]
    pub(crate) steps: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Numerics {
    /// Flash Player's: sqt, rsq, log and the base of pow take the absolute value
    #[default]
    Flash,
    /// The plain functions of IEEE 754
    Ieee,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Ifg {
    /// source 1 > source 2
    #[default]
    Greater,
    /// source 1 >= source 2
    GreaterEqual,
}

impl LiftArgs {
    /// The options of the library.
    pub(crate) fn options(self) -> LiftOptions {
        let mut out = LiftOptions::default();
        out.agal.numerics = match self.numerics {
            Numerics::Flash => lift::Numerics::Flash,
            Numerics::Ieee => lift::Numerics::Ieee,
        };
        out.agal.ifg = match self.ifg {
            Ifg::Greater => lift::Ifg::Greater,
            Ifg::GreaterEqual => lift::Ifg::GreaterEqual,
        };
        if self.steps {
            out.agal.depth = lift::Depth::Full;
        }
        out
    }
}
