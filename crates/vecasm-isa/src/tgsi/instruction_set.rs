//! What tools ask TGSI as they ask every instruction set.

use super::dialect::Numbering;
use super::{Opcode, Processor, Program, bytes, lift, rules, table, text};
use crate::any::{CheckOptions, Instruction, LiftOptions, PairFindings, Piece};
use crate::instruction_set::InstructionSet;
use crate::locations;
use crate::symbols::Symbols;
use crate::table::Lift;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Rule, Span};
use vecasm_ir::ir::{Pure, Shader, Stage};

const STAGES: &[Stage] = &{
    let mut stages = [Stage::Vertex; 6];
    let mut i = 0;
    while i < 6 {
        if let Some(stage) = Processor::ALL[i].stage() {
            stages[i] = stage;
        }
        i += 1;
    }
    stages
};

/// The word for a stage; what is no stage counts as a vertex program.
fn kind(processor: Processor) -> Stage {
    processor.stage().unwrap_or(STAGES[0])
}

/// A row of the table. Removed instructions have their old number.
fn instruction(row: &table::Row) -> Instruction {
    let code = row.code(Numbering::Mesa).or(row.code(Numbering::Legacy)).unwrap_or(0);
    Instruction {
        unit: None,
        code: code.into(),
        name: row.name,
        since: 1,
        until: 1,
        stages: row.stages,
        shape: row.shape,
        flow: row.flow,
        lanes: if row.destinations() > 0 { 4 } else { 0 },
        ir: row.lift.pure().map(Pure::name),
        reserved: matches!(row.lift, Lift::Reserved),
        doc: row.doc,
    }
}

impl InstructionSet for Program {
    const NAME: &'static str = "tgsi";
    const TITLE: &'static str = "Mesa's intermediate language (TGSI), all stages";
    const EXTENSIONS: &'static [&'static str] = &[];
    const IN_WORDS: bool = true;
    const VERSIONS: (u32, u32) = (1, 1);
    const STAGES: &'static [Stage] = STAGES;
    const RULES: &'static [&'static [Rule]] = &[bytes::RULES, text::RULES, rules::RULES, lift::RULES];

    fn is_binary(bytes: &[u8]) -> bool {
        bytes::looks_like(bytes)
    }

    fn begins(bytes: &[u8]) -> bool {
        bytes::begins(bytes)
    }

    fn may_begin(start: &[u8], size: u64) -> bool {
        bytes::may_begin(start, size)
    }

    fn is_assembly(text: &str) -> bool {
        text::looks_like(text)
    }

    fn read_hex(text: &str) -> Option<Vec<u8>> {
        bytes::parse_digits(text)
    }

    fn table() -> Vec<Instruction> {
        Opcode::ROWS.iter().map(instruction).collect()
    }

    fn dialects() -> Vec<&'static str> {
        text::Style::ALL.iter().map(|style| style.name()).collect()
    }

    fn stage_of_text(text: &str) -> Option<Stage> {
        text::stage_of(text).map(kind)
    }

    fn instruction_spans(text: &str) -> Vec<Span> {
        text::instruction_spans(text)
    }

    fn symbols(text: &str, _: Option<Stage>, _: Option<u32>) -> Symbols {
        text::symbols(text)
    }

    fn lay_out(text: &str) -> Result<String, Vec<Diagnostic>> {
        text::format(text)
    }

    fn link(first: &mut Shader, second: &mut Shader) {
        locations::number(first, second);
    }

    fn decode(bytes: &[u8]) -> Result<Self, Diagnostic> {
        bytes::decode(bytes)
    }

    fn decode_lossless(bytes: &[u8]) -> Self {
        bytes::decode_lossless(bytes)
    }

    fn parse(text: &str, _stage: Option<Stage>, _version: Option<u32>) -> (Option<Self>, Vec<Diagnostic>) {
        text::parse(text, &text::ParseOptions::tolerant())
    }

    fn encode(&self) -> Vec<u8> {
        bytes::encode(self)
    }

    /// Its header, its tokens, and what is behind them.
    fn layout(&self) -> Vec<Piece> {
        let mut out = Vec::with_capacity(self.tokens.len() + 2);
        let mut offset = 0;
        bytes::each_piece(self, |len, instruction, fields| {
            out.push(Piece { offset, len, instruction, fields });
            offset += len;
        });
        out
    }

    fn say(&self, dialect: &str) -> Option<Result<String, Vec<Diagnostic>>> {
        let style = dialect.parse::<text::Style>().ok()?;
        Some(Ok(text::print(self, style)))
    }

    fn stage(&self) -> Stage {
        kind(self.processor)
    }

    fn version(&self) -> u32 {
        1
    }

    fn model(&self) -> String {
        format!("TGSI {}", self.processor.name().unwrap_or("?"))
    }

    fn instruction_count(&self) -> usize {
        self.instructions().count()
    }

    fn instruction_texts(&self) -> Vec<String> {
        self.instructions().map(|instruction| text::instruction(self, instruction)).collect()
    }

    fn temporaries(&self) -> &'static [&'static str] {
        &["TEMP[]", "ADDR[]"]
    }

    fn validate(&self, options: &CheckOptions) -> Vec<Diagnostic> {
        rules::validate(self, &options.tgsi)
    }

    fn validate_pair(vertex: &Self, fragment: &Self, options: &CheckOptions) -> Option<PairFindings> {
        Some(rules::check_pair(vertex, fragment, &options.tgsi))
    }

    fn place(&self, text: &str, _spans: Option<&[Span]>, findings: &mut [Diagnostic]) {
        rules::place(self, text, findings);
    }

    fn lift(&self, options: &LiftOptions) -> Result<Shader, Diagnostic> {
        lift::lift(self, &options.tgsi)
    }
}
