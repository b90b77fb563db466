//! How a file is read, and which of its programs is meant.

use super::{ByName, GivenOptions, Opt, Row, open};
use crate::open::OpenOptions;
use alloc::string::{String, ToString as _};
use core::fmt;

const GROUP: &str = "Input";
const PROGRAM: &str = "program";

/// How a file is read, and which of its programs is meant. All of it is optional; the default is none.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Reading {
    /// What is known of the file already.
    pub open: OpenOptions<'static>,
    /// Which programs, where there are several.
    pub program: Option<ProgramChoice>,
}

/// Which programs of a file that has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramChoice {
    /// That one, from 1.
    Number(u32),
    /// Each of them.
    All,
}

impl ProgramChoice {
    /// Reads a number of at least 1, or `all`.
    ///
    /// # Errors
    ///
    /// What would be right.
    pub fn parse(word: &str) -> Result<Self, String> {
        if word == "all" {
            return Ok(Self::All);
        }
        let number = word.parse().ok().filter(|number| *number > 0);
        number.map(Self::Number).ok_or_else(|| "expected a number of at least 1, or `all`".into())
    }
}

impl fmt::Display for ProgramChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::All => f.write_str("all"),
        }
    }
}

/// An option of [`OpenOptions`], by its number there.
const fn of_open<const N: usize>() -> Row<Reading> {
    Row::new(open::ROWS[N].option, |to, value| (open::ROWS[N].set)(&mut to.open, value))
}

impl ByName for Reading {
    fn rows() -> impl Iterator<Item = &'static Row<Self>> {
        const ROWS: &[Row<Reading>] = &[
            of_open::<0>(),
            of_open::<1>(),
            of_open::<2>(),
            of_open::<3>(),
            Row::new(
                Opt::new(
                    GROUP,
                    PROGRAM,
                    "Program of an input that has several (logs, pushbuffers, shader dumps, arrays): its number, or `all`; \
                     FILE#N names one too [default: all for check, dis and info, and for asm and to with -o DIR/; else the first]",
                )
                .text("N"),
                |to, value| ProgramChoice::parse(value).map(|which| to.program = Some(which)),
            ),
            #[cfg(feature = "tgsi")]
            of_open::<4>(),
            #[cfg(feature = "containers")]
            of_open::<{ open::ROWS.len() - 1 }>(),
        ];
        // Each option of the other table is in this one.
        const { assert!(ROWS.len() == open::ROWS.len() + 1) };
        ROWS.iter()
    }
}

impl Reading {
    /// What is read so, and which program.
    #[must_use]
    pub fn new(open: OpenOptions<'static>, program: Option<ProgramChoice>) -> Self {
        Self { open, program }
    }

    /// What it says, by name, in the words that [`set`](ByName::set) takes, as [`OpenOptions::given`] has them.
    pub fn given(&self) -> GivenOptions<Self> {
        let (of_open, program) = (self.open.given(), self.program.map(|program| program.to_string()));
        let mut out = GivenOptions::default();
        for row in Self::rows() {
            let word =
                if row.option.name == PROGRAM { program.as_deref() } else { of_open.value(row.option.name) };
            if let Some(word) = word {
                out.add(&row.option, word);
            }
        }
        out
    }
}
