//! How a file is read, and which of its programs is meant.

use super::{ByName, Opt, Row, number, word};
use crate::ir::Stage;
use crate::isa::Isa;
#[cfg(feature = "tgsi")]
use crate::isa::tgsi::Dialect;
use crate::open::{Notation, OpenOptions};
use alloc::string::String;
use core::fmt;

const GROUP: &str = "Input";

/// How a file is read, and which of its programs is meant. All of it is optional; the default is none.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Reading {
    /// What is known of the file already.
    pub open: OpenOptions<'static>,
    /// Which programs, where there are several.
    pub program: Option<Which>,
}

/// Which programs of a file that has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// That one, from 1.
    Number(u32),
    /// Each of them.
    All,
}

impl Which {
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

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::All => f.write_str("all"),
        }
    }
}

/// The words for instruction sets, each with its title.
const ISAS: [(&str, &str); Isa::ALL.len()] = {
    let mut out = [("", ""); Isa::ALL.len()];
    let mut n = 0;
    while n < out.len() {
        out[n] = (Isa::ALL[n].name(), Isa::ALL[n].title());
        n += 1;
    }
    out
};

/// The words for stages, each with what it is.
const STAGES: [(&str, &str); Stage::ALL.len()] = {
    let mut out = [("", ""); Stage::ALL.len()];
    let mut n = 0;
    while n < out.len() {
        let stage = Stage::ALL[n];
        let doc = match stage {
            Stage::Vertex => "Runs once per vertex",
            Stage::TessControl => "TGSI: runs once per vertex of a patch",
            Stage::TessEval => "TGSI: runs once per vertex that tessellation makes",
            Stage::Geometry => "TGSI: runs once per primitive",
            Stage::Fragment => "Runs once per fragment",
            Stage::Compute => "TGSI: runs on its own",
        };
        out[n] = (stage.name(), doc);
        n += 1;
    }
    out
};

/// How many aliases stages have.
const ALIAS_COUNT: usize = {
    let (mut count, mut n) = (0, 0);
    while n < Stage::ALL.len() {
        count += Stage::ALL[n].aliases().len();
        n += 1;
    }
    count
};

/// The aliases of stages, each with the word that it stands for.
const ALIASES: [(&str, &str); ALIAS_COUNT] = {
    let mut out = [("", ""); ALIAS_COUNT];
    let (mut at, mut n) = (0, 0);
    while n < Stage::ALL.len() {
        let (name, aliases) = (Stage::ALL[n].name(), Stage::ALL[n].aliases());
        let mut i = 0;
        while i < aliases.len() {
            out[at] = (aliases[i], name);
            (at, i) = (at + 1, i + 1);
        }
        n += 1;
    }
    out
};

/// The words for notations.
const FORMS: [(&str, &str); Notation::ALL.len()] = [
    (Notation::Binary.name(), "Bytecode"),
    (
        Notation::Hex.name(),
        "Bytecode written as hexadecimal digits; `0x`, commas and C arrays are understood",
    ),
    (Notation::Base64.name(), "Bytecode written in base64"),
    (Notation::Text.name(), "Assembly"),
];

impl ByName for Reading {
    fn rows() -> impl Iterator<Item = &'static Row<Self>> {
        const ROWS: &[Row<Reading>] = &[
            Row::new(
                Opt::new(GROUP, "isa", "Instruction set [default: detected from the content]").words("ISA", &ISAS),
                |to, value| word(value).map(|isa| to.open.isa = Some(isa)),
            ),
            Row::new(
                Opt::new(GROUP, "from", "Form of the input [default: detected from the content]")
                    .words("FORM", &FORMS),
                |to, value| word(value).map(|notation| to.open.notation = Some(notation)),
            ),
            Row::new(
                Opt::new(GROUP, "stage", "Stage of programs in text [default: taken from the text]")
                    .words("STAGE", &STAGES)
                    .aliases(&ALIASES),
                |to, value| word(value).map(|stage| to.open.stage = Some(stage)),
            ),
            Row::new(
                Opt::new(
                    GROUP,
                    "version",
                    "Language version of programs in text (AGAL: 1-4) [default: taken from the text, else 1]",
                )
                .number("N"),
                |to, value| number(value).map(|version| to.open.version = Some(version)),
            ),
            Row::new(
                Opt::new(
                    GROUP,
                    "program",
                    "Program of an input that has several (logs, pushbuffers, shader dumps, arrays): its number, or `all`",
                )
                .text("N"),
                |to, value| Which::parse(value).map(|which| to.program = Some(which)),
            ),
            #[cfg(feature = "tgsi")]
            Row::new(
                Opt::new(
                    GROUP,
                    "from-dialect",
                    "TGSI: dialect of the text or tokens [default: detected from the content]",
                )
                .text("DIALECT")
                .of_isas(&["tgsi"]),
                |to, value| word::<Dialect>(value).map(|dialect| to.open.dialect = Some(dialect)),
            ),
        ];
        ROWS.iter()
    }
}
