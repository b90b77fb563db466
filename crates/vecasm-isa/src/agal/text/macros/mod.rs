//! The macro language of Adobe's AGALMacroAssembler: expressions, macros, aliases with constants, a preprocessor.
//!
//! ```text
//! #define LIGHTS 1
//! alias vc4, TWO(2, 0.5)          // the caller sets vc4 to these values
//! alias va0, position
//! macro half(a) { out = a * 0.5 } // 0.5 becomes vc4.y
//! #if LIGHTS > 0
//! vt0 = half(position)
//! #endif
//! op = mul4x4(vt0, vc0)
//! ```
//!
//! * A line break or `;` ends a statement. Comments are `//` and `/* */`.
//! * `alias REGISTER, NAME` gives a register a name, `alias REGISTER, NAME(x, y, z, w)` also says what its
//!   components hold (missing ones 0). A number in the program stands for a component that holds it.
//! * `macro NAME(a, b) { … }` is called as `target = NAME(x, y)`; arguments are single operands. Macros are told
//!   apart by name and number of parameters. In a macro `out` is the target. `mul3x3(vec, mat)` and
//!   `mul4x4(vec, mat)` are there from the start.
//! * `a = b`, `a = -b`, `a = b + c` (also `-`, `*`, `/`), `a += b` (also `-=`, `*=`, `/=`), `a = b*c + d`,
//!   `a = b + c*d`, and `a = tex<options>(coordinates, sampler)`. All else is a line of assembly.
//! * `#define NAME value`, `#undef`, `#if`, `#elif`, `#else`, `#endif`. Variables are numbers and do not reach the
//!   program.
//!
//! In the [strict](Mode::Strict) mode the slips of Adobe's assembler are put right or reported; the result is read in
//! the strict syntax, so `.agal fragment 2` and later versions are allowed. In the [compat](Mode::Compat) mode the
//! documented slips are there (`<=` throws, so does an operator behind a number at the start of an expression,
//! `#elif` and `#else` know only the condition before them, names that begin with `out` lose these letters, a `//` in
//! a last line without line feed is no comment), the first error ends the work, and the result goes to the
//! [assembler](Assembler::Legacy) of 2011, that is, AGAL 1.
//!
//! | file | holds |
//! |---|---|
//! | `lex` | comments, lines, tokens |
//! | `condition` | the preprocessor |
//! | `statement` | aliases, macros, expressions |
//! | `symbols` | names and registers, and where each is used |

mod condition;
mod lex;
mod statement;
mod symbols;

use super::compat::{Assembler, CompatOptions, assemble};
use super::errors::{Findings, id};
use super::parse::{ParseOptions, parse};
use super::tools::stage_of;
use crate::agal::bytes::decode;
use crate::agal::program::{Program, Stage};
use alloc::string::String;
use alloc::vec::Vec;
pub(super) use symbols::{looks_like, symbols};
use vecasm_ir::diag::{Diagnostic, Lines, Place, Span};

/// How the macro language is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// What is doubtful is an error, and all errors are reported.
    #[default]
    Strict,
    /// As Adobe's assembler does, as far as its slips are documented.
    Compat,
}

/// What [`expand`] is told besides the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct MacroOptions<'a> {
    /// How the text is read.
    pub mode: Mode,
    /// Variables of the preprocessor that are defined before the first line.
    pub defines: &'a [(&'a str, f64)],
    /// Texts read before, of which only the macros stay: Adobe's assembler keeps macros from one call to the next.
    pub library: &'a [&'a str],
}

/// A constant register whose values the text declares; the program is only right if the caller sets them.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// The register, as in `vc4`.
    pub register: String,
    /// Its name in the text.
    pub name: String,
    /// Its values; what the text leaves out is 0.
    pub values: [f64; 4],
}

/// A text without macros.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expanded {
    /// Plain assembly text.
    pub text: String,
    /// Constants that the text declares, in its order.
    pub constants: Vec<Constant>,
    /// For each line of `text`: the statement of the source it comes from.
    pub origins: Vec<Span>,
}

impl Expanded {
    /// Moves the places of findings about `text` to the source.
    fn place_back(&self, findings: &mut [Diagnostic]) {
        let lines = Lines::new(&self.text);
        for finding in findings {
            let Place::Text(span) = finding.place else { continue };
            let origin = self.origins.get(lines.line(span.start) as usize - 1).or(self.origins.last());
            finding.place = origin.copied().map_or(Place::Whole, Place::Text);
            let written = lines.content(span.start);
            if finding.instruction.is_none() && !written.is_empty() {
                finding.instruction = Some(written.into());
            }
        }
    }
}

/// Expands a text of the macro language. The result is there if there is no error.
pub fn expand(text: &str, options: &MacroOptions<'_>) -> (Option<Expanded>, Vec<Diagnostic>) {
    let mut findings = Findings::new(id::MORE);
    let expanded = statement::expand(text, options, &mut findings);
    let good = !findings.has_errors();
    let mut findings = findings.finish();
    if options.mode == Mode::Compat {
        findings.truncate(1);
        findings.iter_mut().for_each(|d| d.first = true);
    }
    (good.then_some(expanded), findings)
}

/// A program in the macro language, assembled.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    /// The program.
    pub program: Program,
    /// What it was assembled from.
    pub expanded: Expanded,
}

/// Expands a text and assembles it: in the strict mode as [`parse`](super::parse()) does, in the compat mode as the
/// AGALMiniAssembler of 2011, which knows version 1 only. Without a stage in `parsing` it is that of the first
/// register that only one stage has. Findings are placed in `text`; the result is there if none of them is an error.
pub fn assemble_macros(
    text: &str,
    parsing: &ParseOptions,
    options: &MacroOptions<'_>,
) -> (Option<Assembled>, Vec<Diagnostic>) {
    let (expanded, findings) = expand(text, options);
    let Some(expanded) = expanded else { return (None, findings) };
    let (program, mut findings) = match options.mode {
        Mode::Strict => parse(&expanded.text, parsing),
        Mode::Compat => match parsing.stage.or_else(|| stage_of(&expanded.text)) {
            Some(stage) => legacy(&expanded.text, stage),
            None => {
                let mut findings = Findings::new(id::MORE);
                let message = format_args!("cannot tell whether this is a vertex or a fragment program");
                findings.error_of_text(id::STAGE_UNKNOWN, message, Some("name the stage".into()));
                (None, findings.finish())
            }
        },
    };
    expanded.place_back(&mut findings);
    (program.map(|program| Assembled { program, expanded }), findings)
}

fn legacy(text: &str, stage: Stage) -> (Option<Program>, Vec<Diagnostic>) {
    let options =
        CompatOptions { assembler: Assembler::Legacy, mode: stage.name(), version: 1, ignore_limits: false };
    let out = assemble(text, &options);
    (decode(&out.bytes).ok(), out.diagnostics())
}
