//! What each instruction set answers, so that tools are written once for all of them: the trait behind [`Isa`](super::Isa) and
//! [`AnyProgram`]. Each implements it for its program in `instruction_set.rs` of its folder.

use super::any::{CheckOptions, Instruction, LiftOptions, PairFindings, Piece};
use super::symbols::Symbols;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Place, Rule, Span};
use vecasm_ir::ir::{Shader, Stage};

/// The program of an instruction set. The methods of [`Isa`](super::Isa) and [`AnyProgram`] of the same names say what each is.
pub(crate) trait InstructionSet: Sized {
    const NAME: &'static str;
    const TITLE: &'static str;
    /// The endings of files, besides its name.
    const EXTENSIONS: &'static [&'static str];
    /// Whether binaries are 32-bit words.
    const IN_WORDS: bool;
    /// The first and the last one.
    const VERSIONS: (u32, u32);
    const STAGES: &'static [Stage];
    /// The rules of each of its rooms.
    const RULES: &'static [&'static [Rule]];

    /// Whether bytes start like a binary.
    fn is_binary(bytes: &[u8]) -> bool;

    /// Whether what digits say is a binary.
    fn is_of_digits(bytes: &[u8]) -> bool {
        Self::is_binary(bytes)
    }

    /// Whether bytes begin as a binary does, however they go on.
    fn begins(bytes: &[u8]) -> bool {
        Self::is_binary(bytes)
    }

    /// Whether a file of that size that starts so may be a binary.
    fn may_begin(start: &[u8], size: u64) -> bool {
        start.len() as u64 == size && Self::is_binary(start)
    }

    /// Whether a text looks like assembly, and nothing else.
    fn is_assembly(text: &str) -> bool;

    /// Whether a text looks like assembly, or contains some.
    fn is_text(text: &str) -> bool {
        Self::is_assembly(text)
    }

    fn read_hex(text: &str) -> Option<Vec<u8>>;
    /// Its instructions, in the order of the manual.
    fn table() -> Vec<Instruction>;
    fn dialects() -> Vec<&'static str>;
    fn stage_of_text(text: &str) -> Option<Stage>;
    fn instruction_spans(text: &str) -> Vec<Span>;
    /// The symbols of a text that includes nothing. `stage` and `version` are heeded where the text does not tell them.
    fn symbols(text: &str, stage: Option<Stage>, version: Option<u32>) -> Symbols;
    fn lay_out(text: &str) -> Result<String, Vec<Diagnostic>>;

    fn default_fragment(_vertex: &Shader, _textured: bool) -> Option<Shader> {
        None
    }

    fn link(_first: &mut Shader, _second: &mut Shader) {}

    fn decode(bytes: &[u8]) -> Result<Self, Diagnostic>;
    fn decode_lossless(bytes: &[u8]) -> Self;
    /// Reads a text. `stage` and `version` are heeded where the text does not tell them.
    fn parse(text: &str, stage: Option<Stage>, version: Option<u32>) -> (Option<Self>, Vec<Diagnostic>);

    fn encode(&self) -> Vec<u8>;
    fn layout(&self) -> Vec<Piece>;
    fn say(&self, dialect: &str) -> Option<Result<String, Vec<Diagnostic>>>;
    fn stage(&self) -> Stage;
    fn version(&self) -> u32;
    fn model(&self) -> String;
    fn instruction_count(&self) -> usize;
    fn instruction_texts(&self) -> Vec<String>;
    fn temporaries(&self) -> &'static [&'static str];
    fn validate(&self, options: &CheckOptions) -> Vec<Diagnostic>;

    /// `None` if there are no fragment programs.
    fn validate_pair(vertex: &Self, fragment: &Self, options: &CheckOptions) -> Option<PairFindings>;

    fn place(&self, text: &str, spans: Option<&[Span]>, findings: &mut [Diagnostic]) {
        let own = if spans.is_some() { Vec::new() } else { Self::instruction_spans(text) };
        let spans = spans.unwrap_or(&own);
        for finding in findings {
            if let Place::Binary { token: Some(token), .. } = finding.place {
                if let Some(span) = (token as usize).checked_sub(1).and_then(|n| spans.get(n)) {
                    finding.place = Place::Text(*span);
                }
            }
        }
    }

    /// Lifts it; nobody has looked whether what comes out breaks a rule of the IR.
    fn lift(&self, options: &LiftOptions) -> Result<Shader, Diagnostic>;
}
