//! What tools ask Direct3D 8 and 9 as they ask every instruction set.

use super::{
    ItemKind, Opcode, Program, Stage, Version, bytes, convert, ctab, fragment, lift, preshader, rules,
    symbols, text,
};
use crate::any::{CheckOptions, Instruction, LiftOptions, PairFindings, Piece};
use crate::instruction_set::InstructionSet;
use crate::table::{Lift, Shape};
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Rule, Span};
use vecasm_ir::ir::symbols::Symbols;
use vecasm_ir::ir::{self, Pure, Shader};

const VERSION_FIELDS: &[(&str, usize)] = &[("version", 4)];
/// The longest instruction has 16 words.
const INSTRUCTION_FIELDS: &[(&str, usize)] = &{
    let mut fields = [("parameter", 4); 16];
    fields[0].0 = "token";
    fields
};
const WORD_FIELDS: &[(&str, usize)] = &[("word", 4); 8];
const BYTE_FIELDS: &[(&str, usize)] = &[("byte", 1); 3];

/// The word for a stage.
const fn kind(stage: Stage) -> ir::Stage {
    match stage {
        Stage::Vertex => ir::Stage::Vertex,
        Stage::Pixel => ir::Stage::Fragment,
    }
}

impl InstructionSet for Program {
    const NAME: &'static str = "d3d9";
    const TITLE: &'static str = "Shaders of Direct3D 8 and 9, models 1.0-3.0";
    const EXTENSIONS: &'static [&'static str] = &["vso", "pso", "fxc", "psh"];
    const IN_WORDS: bool = true;
    /// Ten times the major version and the minor one.
    const VERSIONS: (u32, u32) = (10, 30);
    const STAGES: &'static [ir::Stage] = &[ir::Stage::Vertex, ir::Stage::Fragment];
    const RULES: &'static [&'static [Rule]] = &[
        bytes::RULES,
        text::RULES,
        ctab::RULES,
        preshader::RULES,
        convert::RULES,
        rules::RULES,
        lift::RULES,
    ];

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
        bytes::parse_digits(text)
    }

    /// A row for each name, operands and stages, over all versions that have it.
    fn table() -> Vec<Instruction> {
        let mut out: Vec<Instruction> = Vec::new();
        for op in Opcode::ALL {
            let row = op.row();
            let first = out.len();
            for form in row.forms {
                let [since, until] = [form.since, form.until].map(|number| Version(number.into()).decimal());
                let same = |r: &&mut Instruction| {
                    r.name == form.name && r.shape == form.shape && r.stages == form.stages
                };
                if let Some(seen) = out.iter_mut().skip(first).find(same) {
                    seen.since = seen.since.min(since);
                    seen.until = seen.until.max(until);
                    continue;
                }
                out.push(Instruction {
                    code: row.code.into(),
                    name: form.name,
                    since,
                    until,
                    stages: form.stages,
                    shape: form.shape,
                    flow: row.flow,
                    lanes: if form.shape.first() == Some(&Shape::Dst) { 4 } else { 0 },
                    ir: row.lift.pure().map(Pure::name),
                    unit: None,
                    reserved: matches!(row.lift, Lift::Reserved),
                    doc: row.doc,
                });
            }
        }
        out
    }

    fn dialects() -> Vec<&'static str> {
        text::Style::ALL.iter().map(|style| style.name()).collect()
    }

    fn stage_of_text(text: &str) -> Option<ir::Stage> {
        text::version_of(text).map(|version| kind(version.stage()))
    }

    fn instruction_spans(text: &str) -> Vec<Span> {
        text::instruction_spans(text)
    }

    fn symbols(text: &str, _: Option<ir::Stage>, _: Option<u32>) -> crate::symbols::Symbols {
        text::symbols(text, &text::preprocess::Options::default(), 0, &mut |_| Err("no file is read".into()))
    }

    fn lay_out(text: &str) -> Result<String, Vec<Diagnostic>> {
        text::format(text)
    }

    fn default_fragment(vertex: &Shader, textured: bool) -> Option<Shader> {
        Some(fragment::fixed(vertex, textured))
    }

    fn link(first: &mut Shader, second: &mut Shader) {
        lift::link::link(first, second);
    }

    fn decode(bytes: &[u8]) -> Result<Self, Diagnostic> {
        bytes::decode(bytes)
    }

    fn decode_lossless(bytes: &[u8]) -> Self {
        bytes::decode_lossless(bytes)
    }

    fn parse(
        text: &str,
        _stage: Option<ir::Stage>,
        _version: Option<u32>,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        text::parse(text)
    }

    fn encode(&self) -> Vec<u8> {
        bytes::encode(self)
    }

    /// Its items; what is no instruction eight words a line.
    fn layout(&self) -> Vec<Piece> {
        let mut out = Vec::with_capacity(self.items().len() + 1);
        let mut count = 0;
        for item in self.items() {
            let (offset, len) = (item.start as usize * 4, item.len as usize * 4);
            let first =
                |fields: &'static [(&'static str, usize)], n: u32| fields.get(..n as usize).unwrap_or(fields);
            if item.kind == ItemKind::Instruction {
                let fields = first(INSTRUCTION_FIELDS, item.len).into();
                out.push(Piece { offset, len, instruction: Some(count), fields });
                count += 1;
                continue;
            }
            let mut at = 0;
            while at < len {
                let here = (len - at).min(32);
                let fields = match item.kind {
                    ItemKind::Version => VERSION_FIELDS,
                    _ => first(WORD_FIELDS, here as u32 / 4),
                };
                out.push(Piece { offset: offset + at, len: here, instruction: None, fields: fields.into() });
                at += here;
            }
        }
        let rest = self.rest().len();
        if rest > 0 {
            let fields = BYTE_FIELDS.get(..rest).unwrap_or(BYTE_FIELDS).into();
            out.push(Piece { offset: self.words().len() * 4, len: rest, instruction: None, fields });
        }
        out
    }

    fn say(&self, dialect: &str) -> Option<Result<String, Vec<Diagnostic>>> {
        let style = dialect.parse::<text::Style>().ok()?;
        Some(Ok(text::print(self, &text::PrintOptions { style })))
    }

    fn stage(&self) -> ir::Stage {
        kind(self.version().stage())
    }

    fn version(&self) -> u32 {
        self.version().decimal()
    }

    fn model(&self) -> String {
        text::version_name(self.version())
    }

    fn instruction_count(&self) -> usize {
        self.instructions().count()
    }

    fn instruction_texts(&self) -> Vec<String> {
        let version = self.version();
        self.instructions().map(|words| text::instruction(version, words)).collect()
    }

    fn temporaries(&self) -> &'static [&'static str] {
        &["r"]
    }

    fn validate(&self, options: &CheckOptions) -> Vec<Diagnostic> {
        rules::validate(self, &options.d3d9)
    }

    fn validate_pair(vertex: &Self, fragment: &Self, options: &CheckOptions) -> Option<PairFindings> {
        Some(rules::check_pair(vertex, fragment, &options.d3d9))
    }

    fn lift(&self, options: &LiftOptions) -> Result<Shader, Diagnostic> {
        let mut shader = lift::lift(self, &options.d3d9)?;
        let inputs = core::mem::take(&mut shader.symbols.inputs);
        shader.symbols = Symbols { inputs, ..symbols::of(self) };
        Ok(shader)
    }
}
