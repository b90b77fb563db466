//! What tools ask AGAL as they ask every instruction set.

use super::{Opcode, Program, Stage, Token, bytes, lift, rules, text};
use crate::any::{CheckOptions, Instruction, LiftOptions, PairFindings, Piece};
use crate::instruction_set::InstructionSet;
use crate::symbols::Symbols;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Rule, Span};
use vecasm_ir::ir::{self, Shader};

const HEADER_FIELDS: &[(&str, usize)] = &[("header", usize::MAX)];
const TOKEN_FIELDS: &[(&str, usize)] = &[("opcode", 4), ("destination", 4), ("source 1", 8), ("source 2", 8)];

impl InstructionSet for Program {
    const NAME: &'static str = "agal";
    const TITLE: &'static str = "Adobe Flash Stage3D shaders (AGAL), versions 1-4";
    const EXTENSIONS: &'static [&'static str] = &[];
    const IN_WORDS: bool = false;
    const VERSIONS: (u32, u32) = (1, 4);
    const STAGES: &'static [ir::Stage] = &[ir::Stage::Vertex, ir::Stage::Fragment];
    const RULES: &'static [&'static [Rule]] = &[bytes::RULES, text::RULES, rules::RULES, lift::RULES];

    fn is_binary(bytes: &[u8]) -> bool {
        bytes::looks_like(bytes)
    }

    fn may_begin(start: &[u8], _size: u64) -> bool {
        Self::is_binary(start)
    }

    fn is_assembly(text: &str) -> bool {
        text::looks_like(text)
    }

    fn read_hex(text: &str) -> Option<Vec<u8>> {
        crate::parse_hex(text)
    }

    fn table() -> Vec<Instruction> {
        Opcode::ROWS.iter().map(Instruction::from).collect()
    }

    fn dialects() -> Vec<&'static str> {
        text::Style::ALL.iter().map(|style| style.name()).collect()
    }

    fn stage_of_text(text: &str) -> Option<ir::Stage> {
        text::stage_of(text).map(Stage::kind)
    }

    fn instruction_spans(text: &str) -> Vec<Span> {
        text::token_spans(text)
    }

    fn symbols(text: &str, stage: Option<ir::Stage>, version: Option<u32>) -> Symbols {
        text::symbols(text, &text::ParseOptions { stage: stage.and_then(Stage::of), version })
    }

    fn lay_out(text: &str) -> Result<String, Vec<Diagnostic>> {
        text::format(text)
    }

    fn decode(bytes: &[u8]) -> Result<Self, Diagnostic> {
        bytes::decode(bytes)
    }

    fn decode_lossless(bytes: &[u8]) -> Self {
        bytes::decode_lossless(bytes)
    }

    fn parse(text: &str, stage: Option<ir::Stage>, version: Option<u32>) -> (Option<Self>, Vec<Diagnostic>) {
        let stage = stage.and_then(Stage::of);
        text::parse(text, &text::ParseOptions { stage, version })
    }

    fn encode(&self) -> Vec<u8> {
        bytes::encode(self)
    }

    fn layout(&self) -> Vec<Piece> {
        let mut out = Vec::with_capacity(self.tokens.len() + 2);
        let mut offset = self.header.bytes().len();
        out.push(Piece { offset: 0, len: offset, instruction: None, fields: HEADER_FIELDS.into() });
        for index in 0..self.tokens.len() {
            let len = Token::SIZE;
            out.push(Piece { offset, len, instruction: Some(index), fields: TOKEN_FIELDS.into() });
            offset += len;
        }
        if !self.tail.is_empty() {
            let len = self.tail.len();
            out.push(Piece { offset, len, instruction: None, fields: Cow::Borrowed(&[]) });
        }
        out
    }

    fn say(&self, dialect: &str) -> Option<Result<String, Vec<Diagnostic>>> {
        let style = dialect.parse::<text::Style>().ok()?;
        Some(Ok(text::print(self, &text::PrintOptions { style })))
    }

    fn stage(&self) -> ir::Stage {
        self.stage().kind()
    }

    fn version(&self) -> u32 {
        self.version()
    }

    fn model(&self) -> String {
        format!("AGAL {}", self.version())
    }

    fn instruction_count(&self) -> usize {
        self.tokens.len()
    }

    fn instruction_texts(&self) -> Vec<String> {
        let (stage, version) = (self.stage(), self.version());
        self.tokens.iter().map(|token| text::instruction(stage, version, token)).collect()
    }

    fn temporaries(&self) -> &'static [&'static str] {
        match self.stage() {
            Stage::Vertex => &["vt"],
            Stage::Fragment => &["ft"],
        }
    }

    fn validate(&self, options: &CheckOptions) -> Vec<Diagnostic> {
        rules::validate(self, &options.agal)
    }

    fn validate_pair(vertex: &Self, fragment: &Self, options: &CheckOptions) -> Option<PairFindings> {
        Some(rules::check_pair(vertex, fragment, &options.agal))
    }

    fn lift(&self, options: &LiftOptions) -> Result<Shader, Diagnostic> {
        lift::lift(self, &options.agal)
    }
}
