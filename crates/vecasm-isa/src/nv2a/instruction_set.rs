//! What tools ask the NV2A as they ask every instruction set.

use super::{Container, Ilu, Mac, Program, Slot, bytes, fragment, lift, rules, text};
use crate::any::{CheckOptions, Instruction, LiftOptions, PairFindings, Piece};
use crate::instruction_set::InstructionSet;
use crate::symbols::Symbols;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Rule, Span};
use vecasm_ir::ir::{Shader, Stage};

const SLOT_FIELDS: &[(&str, usize)] = &[("word 0", 4), ("word 1", 4), ("word 2", 4), ("word 3", 4)];
const WORD_FIELDS: &[(&str, usize)] = &[("word", 4); 8];

impl InstructionSet for Program {
    const NAME: &'static str = "nv2a";
    const TITLE: &'static str = "Vertex programs of the original Xbox (NV2A)";
    const EXTENSIONS: &'static [&'static str] = &["vsh", "xvu", "inl", "vshinc"];
    const IN_WORDS: bool = true;
    const VERSIONS: (u32, u32) = (1, 1);
    const STAGES: &'static [Stage] = &[Stage::Vertex];
    const RULES: &'static [&'static [Rule]] = &[bytes::RULES, text::RULES, rules::RULES, lift::RULES];

    fn is_binary(bytes: &[u8]) -> bool {
        bytes::looks_like(bytes)
    }

    fn is_of_digits(bytes: &[u8]) -> bool {
        bytes::words_look_like(bytes)
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

    fn is_text(text: &str) -> bool {
        text::looks_like(text) || text::contains_program(text)
    }

    fn read_hex(text: &str) -> Option<Vec<u8>> {
        bytes::parse_words(text)
    }

    fn table() -> Vec<Instruction> {
        let of = |unit| move |row: &_| Instruction { unit: Some(unit), ..Instruction::from(row) };
        let vector = Mac::ROWS.iter().map(of("MAC"));
        vector.chain(Ilu::ROWS.iter().map(of("ILU"))).collect()
    }

    fn dialects() -> Vec<&'static str> {
        let others = text::Dialect::WRITTEN.iter().map(|dialect| dialect.name());
        text::Style::ALL.iter().map(|style| style.name()).chain(others).collect()
    }

    fn stage_of_text(_text: &str) -> Option<Stage> {
        Some(Stage::Vertex)
    }

    fn instruction_spans(text: &str) -> Vec<Span> {
        text::slot_spans(text)
    }

    fn symbols(text: &str, _: Option<Stage>, _: Option<u32>) -> Symbols {
        text::symbols(text, &text::ParseOptions::default())
    }

    fn lay_out(text: &str) -> Result<String, Vec<Diagnostic>> {
        text::format(text)
    }

    fn default_fragment(vertex: &Shader, textured: bool) -> Option<Shader> {
        Some(fragment::fixed(vertex, textured))
    }

    fn decode(bytes: &[u8]) -> Result<Self, Diagnostic> {
        bytes::decode(bytes)
    }

    fn decode_lossless(bytes: &[u8]) -> Self {
        bytes::decode_lossless(bytes)
    }

    fn parse(text: &str, _stage: Option<Stage>, _version: Option<u32>) -> (Option<Self>, Vec<Diagnostic>) {
        text::parse(text, &text::ParseOptions::default())
    }

    fn encode(&self) -> Vec<u8> {
        bytes::encode(self)
    }

    /// Slots, and eight words a line of what stands between them.
    fn layout(&self) -> Vec<Piece> {
        let mut out = Vec::with_capacity(self.slots.len() + 2);
        let size = self.header_size()
            + match &self.container {
                Container::Pushbuffer(list) => list.iter().map(|c| c.words.len() * 4).sum(),
                _ => 0,
            }
            + self.slots.len() * Slot::SIZE
            + self.tail.len();
        let mut at = 0;
        let words = |out: &mut Vec<Piece>, mut at: usize, end: usize| {
            while at < end {
                let len = (end - at).min(32);
                out.push(Piece { offset: at, len, instruction: None, fields: WORD_FIELDS.into() });
                at += len;
            }
        };
        for (index, offset) in self.offsets().into_iter().enumerate() {
            words(&mut out, at, offset);
            let (len, fields) = (Slot::SIZE, SLOT_FIELDS.into());
            out.push(Piece { offset, len, instruction: Some(index), fields });
            at = offset + Slot::SIZE;
        }
        words(&mut out, at, size);
        out
    }

    fn say(&self, dialect: &str) -> Option<Result<String, Vec<Diagnostic>>> {
        if let Ok(style) = dialect.parse::<text::Style>() {
            return Some(Ok(text::print(self, &text::PrintOptions { style, compat: false })));
        }
        let other = dialect.parse::<text::Dialect>().ok()?;
        let written = text::Dialect::WRITTEN.contains(&other);
        written.then(|| text::write(self, other))
    }

    fn stage(&self) -> Stage {
        Stage::Vertex
    }

    fn version(&self) -> u32 {
        1
    }

    fn model(&self) -> String {
        "NV2A 1".into()
    }

    fn instruction_count(&self) -> usize {
        self.slots.len()
    }

    fn instruction_texts(&self) -> Vec<String> {
        self.slots.iter().map(text::instruction).collect()
    }

    fn temporaries(&self) -> &'static [&'static str] {
        &["r"]
    }

    fn validate(&self, options: &CheckOptions) -> Vec<Diagnostic> {
        rules::validate(self, &options.nv2a)
    }

    fn validate_pair(_vertex: &Self, _fragment: &Self, _options: &CheckOptions) -> Option<PairFindings> {
        None
    }

    fn lift(&self, options: &LiftOptions) -> Result<Shader, Diagnostic> {
        lift::lift(self, &options.nv2a)
    }
}
