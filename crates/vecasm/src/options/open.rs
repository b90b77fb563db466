//! What the caller knows about bytes that are read.

use super::{ByName, GivenOptions, Opt, Row, number, word};
#[cfg(feature = "containers")]
use crate::container::Limits;
use crate::ir::Stage;
use crate::open::{Notation, OpenOptions};
use alloc::string::{String, ToString};
#[cfg(feature = "containers")]
use {alloc::format, alloc::vec::Vec};

const GROUP: &str = "Input";

const ISA: &str = "isa";
const FROM: &str = "from";
const STAGE: &str = "stage";
const VERSION: &str = "version";
#[cfg(feature = "tgsi")]
const DIALECT: &str = "from-dialect";
#[cfg(feature = "containers")]
const LIMIT: &str = "limit";

/// The words for notations, with a sentence about each.
const NOTATIONS: [(&str, &str); Notation::ALL.len()] = {
    let mut out = [("", ""); Notation::ALL.len()];
    let mut n = 0;
    while n < out.len() {
        let doc = match Notation::ALL[n] {
            Notation::Binary => "Bytecode",
            Notation::Hex => {
                "Bytecode written as hexadecimal digits; `0x`, commas and C arrays are understood"
            }
            Notation::Base64 => "Bytecode written in base64",
            Notation::Text => "Assembly",
        };
        out[n] = (Notation::ALL[n].name(), doc);
        n += 1;
    }
    out
};

/// The words for stages, with a sentence about each.
const STAGES: [(&str, &str); Stage::ALL.len()] = {
    let mut out = [("", ""); Stage::ALL.len()];
    let mut n = 0;
    while n < out.len() {
        let doc = match Stage::ALL[n] {
            Stage::Vertex => "Runs once per vertex",
            Stage::TessControl => "TGSI: runs once per vertex of a patch",
            Stage::TessEval => "TGSI: runs once per vertex that tessellation makes",
            Stage::Geometry => "TGSI: runs once per primitive",
            Stage::Fragment => "Runs once per fragment",
            Stage::Compute => "TGSI: runs on its own",
        };
        out[n] = (Stage::ALL[n].name(), doc);
        n += 1;
    }
    out
};

/// How many other words there are for stages.
const ALIASES: usize = {
    let (mut count, mut n) = (0, 0);
    while n < Stage::ALL.len() {
        count += Stage::ALL[n].aliases().len();
        n += 1;
    }
    count
};

/// Other words for stages, each with the one that it stands for.
const STAGE_ALIASES: [(&str, &str); ALIASES] = {
    let mut out = [("", ""); ALIASES];
    let (mut at, mut n) = (0, 0);
    while n < Stage::ALL.len() {
        let aliases = Stage::ALL[n].aliases();
        let mut alias = 0;
        while alias < aliases.len() {
            out[at] = (aliases[alias], Stage::ALL[n].name());
            at += 1;
            alias += 1;
        }
        n += 1;
    }
    out
};

/// The options, in the order in which manuals have them.
pub(super) const ROWS: &[Row<OpenOptions<'static>>] = &[
    Row::new(
        Opt::new(GROUP, ISA, "Instruction set [default: detected from the content]").text("ISA"),
        |to, value| word(value).map(|isa| to.isa = Some(isa)),
    ),
    Row::new(
        Opt::new(GROUP, FROM, "Form of the input [default: detected from the content]")
            .words("FORM", &NOTATIONS),
        |to, value| word(value).map(|notation| to.notation = Some(notation)),
    ),
    Row::new(
        Opt::new(GROUP, STAGE, "Stage of programs in text [default: taken from the text]")
            .words("STAGE", &STAGES)
            .aliases(&STAGE_ALIASES),
        |to, value| word(value).map(|stage| to.stage = Some(stage)),
    ),
    Row::new(
        Opt::new(
            GROUP,
            VERSION,
            "Language version of programs in text (AGAL: 1-4) [default: taken from the text, else 1]",
        )
        .number("N"),
        |to, value| number(value).map(|version| to.version = Some(version)),
    ),
    #[cfg(feature = "tgsi")]
    Row::new(
        Opt::new(
            GROUP,
            DIALECT,
            "TGSI: dialect of the text or tokens [default: detected from the content]",
        )
        .text("DIALECT")
        .of_isas(&["tgsi"])
        .more(
            "Text is then read exactly as that reader does: no comments, no carriage returns, no words of other \
             dialects.",
        ),
        |to, value| word(value).map(|dialect| to.dialect = Some(dialect)),
    ),
    #[cfg(feature = "containers")]
    Row::new(
        Opt::new(GROUP, LIMIT, "Another limit of what a container may ask for").text("NAME=N").commas().more(
            "file (bytes), unpacked (bytes of all that is compressed), ratio (unpacked bytes for one), depth (containers one in \
             another), entries, types (structures in structures), elements (of an array), name (bytes); `256M` and `1G` are \
             numbers, too.",
        ),
        |to, value| value.split(',').try_for_each(|word| to.limits.set(word)),
    ),
];

/// The limits that are not those by default, as words.
#[cfg(feature = "containers")]
fn limits(limits: &Limits) -> Option<String> {
    let others = Limits::NAMES.iter().filter(|name| limits.get(name) != Limits::DEFAULT.get(name));
    let words: Vec<String> =
        others.filter_map(|name| Some(format!("{name}={}", limits.get(name)?))).collect();
    (!words.is_empty()).then(|| words.join(","))
}

impl ByName for OpenOptions<'static> {
    fn rows() -> impl Iterator<Item = &'static Row<Self>> {
        ROWS.iter()
    }
}

impl OpenOptions<'_> {
    /// What they say, by name, in the words that [`set`](ByName::set) takes. The name of the file and
    /// [`likely`](field@Self::likely), which each caller knows itself, have no words.
    pub fn given(&self) -> GivenOptions<OpenOptions<'static>> {
        let word = |option: &str| -> Option<String> {
            match option {
                ISA => self.isa.map(|isa| isa.name().into()),
                FROM => self.notation.map(|notation| notation.name().into()),
                STAGE => self.stage.map(|stage| stage.name().into()),
                VERSION => self.version.map(|version| version.to_string()),
                #[cfg(feature = "tgsi")]
                DIALECT => self.dialect.map(|dialect| dialect.name().into()),
                #[cfg(feature = "containers")]
                LIMIT => limits(&self.limits),
                _ => None,
            }
        };
        let mut out = GivenOptions::default();
        for row in OpenOptions::rows() {
            if let Some(word) = word(row.option.name) {
                out.add(&row.option, &word);
            }
        }
        out
    }
}
