//! Tests of layouts: a text of any instruction set, and how it is laid out.

use crate::case::{Case, Kind};
use vecasm::isa::{AnyProgram, Isa};

/// The kind, for texts of an instruction set.
macro_rules! kind {
    ($isa:ident) => {
        Kind { word: "fmt", directives: &["text"], run: |case| run(case, Isa::$isa) }
    };
}

pub(crate) const AGAL: Kind = kind!(Agal);
pub(crate) const NV2A: Kind = kind!(Nv2a);
pub(crate) const D3D9: Kind = kind!(D3d9);
pub(crate) const TGSI: Kind = kind!(Tgsi);

/// A text in `text` lines, and how it is laid out: the rest of the file, which stays as it is.
fn run(case: &Case, isa: Isa) -> Result<(), String> {
    // With the blanks that directives lose.
    let value = |line: usize| {
        let line = case.text.lines().nth(line - 1).unwrap_or("");
        let value = line.split_once("text:").map_or("", |(_, value)| value);
        value.strip_prefix(' ').unwrap_or(value).to_string() + "\n"
    };
    let text: String = case.all("text").map(|d| value(d.line)).collect();
    for text in [&text, &case.body] {
        let done = isa.format(text).map_err(|findings| format!("{findings:?}"))?;
        if done != case.body {
            return Err(format!("is laid out as\n{done}"));
        }
    }
    let program = |text: &str| AnyProgram::parse(isa, text, None, None).0;
    if program(&text) != program(&case.body) {
        return Err("is another program when it is laid out".into());
    }
    Ok(())
}
