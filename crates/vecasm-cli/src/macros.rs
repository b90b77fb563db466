//! Assembling the macro language.

use crate::args::ReadingArgs;
use crate::io::Input;
use crate::report::Ctx;
use crate::{Failure, Outcome};
use clap::Args;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use vecasm::diag::Source;
use vecasm::isa::agal::text::macros::{Assembled, Constant, Expanded, Mode, expand};
use vecasm::isa::agal::text::{MacroOptions, ParseOptions, assemble_macros};
use vecasm::isa::{AnyProgram, Isa};

/// Flags of the macro language.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Macro language")]
pub(crate) struct MacroArgs {
    /// Define a preprocessor variable, for Direct3D a macro; without a value it is 1
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]", value_parser = parse_define)]
    pub(crate) define: Vec<(String, String)>,
    /// Write the expanded text instead of bytecode, with the constants it needs as comments
    #[arg(long, conflicts_with = "to")]
    pub(crate) expand: bool,
}

fn parse_define(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    if name.is_empty() { Err("a name is missing".into()) } else { Ok((name.to_string(), value.to_string())) }
}

impl MacroArgs {
    /// Whether a flag is set that has a meaning for the macro language only.
    pub(crate) fn any(&self) -> bool {
        self.expand || !self.define.is_empty()
    }

    /// Expands and assembles a text; findings go to standard error.
    pub(crate) fn assemble<'a>(
        &'a self,
        mode: Mode,
        input: &Input,
        reading: &ReadingArgs,
        ctx: &Ctx,
    ) -> Outcome<(AnyProgram, Expanded)> {
        let text = input.text()?;
        let number = |(name, value): &'a (String, String)| match value.parse::<f64>() {
            Ok(number) => Ok((name.as_str(), number)),
            Err(_) => Err(Failure::usage(format!("-D {name}: `{value}` is not a number"))),
        };
        let defines = self.define.iter().map(number).collect::<Outcome<Vec<(&str, f64)>>>()?;
        let options = MacroOptions { mode, defines: &defines, ..MacroOptions::default() };
        let mut parsing = ParseOptions { stage: None, version: reading.open.version };
        // What the text itself says counts more than its file name.
        let told = expand(text, &options).0.and_then(|expanded| Isa::Agal.stage_of_text(&expanded.text));
        let named = || input.stage_of_name().filter(|_| told.is_none());
        let stage = reading.open.stage.or_else(named);
        parsing.stage = stage.and_then(vecasm::isa::agal::Stage::of);
        let (assembled, findings) = assemble_macros(text, &parsing, &options);
        ctx.report(&findings, Source { name: input.name.raw(), text: Some(text) });
        let Assembled { program, expanded } = assembled.ok_or(Failure::Shader)?;
        Ok((AnyProgram::Agal(program), expanded))
    }
}

/// Constants as a run file has them.
pub(crate) fn constants(list: &[Constant]) -> Value {
    let object: Map<String, Value> =
        list.iter().map(|c| (c.register.clone(), json!(c.values.to_vec()))).collect();
    Value::Object(object)
}

/// The text without macros, with the constants it needs as comments on top.
pub(crate) fn listing(expanded: &Expanded) -> String {
    let mut out = String::new();
    for c in &expanded.constants {
        let [x, y, z, w] = c.values;
        let _ = writeln!(out, "// {} = ({x}, {y}, {z}, {w})  {}", c.register, c.name);
    }
    out + &expanded.text
}
