//! What virglrenderer refuses: its parser, which has words and numbers of its own, and its converter to GLSL.
//!
//! Source: virglrenderer 1.3.0, whose outcome was recorded for 533 programs; limits and lists were read there.

use super::findings::{At, FileName, Findings, Word, rules, tokens};
use super::uses::indices;
use crate::tgsi::dialect::{Dialect, Numbering};
use crate::tgsi::names::{File, ImmediateType, PropertyName, Semantic, Target};
use crate::tgsi::program::{Declaration, Instruction, Op, Processor, Program, Token};
use crate::tgsi::table::Opcode;
use alloc::collections::BTreeSet;

rules! {
    pub(super) const RULES; const;

    NO_OPCODE "TGSI-virgl-opcode" Error Recorded
        "virglrenderer has no %1",
        "Its parser does not know the instruction and rejects the text.";
    NO_FILE "TGSI-virgl-file" Error Recorded
        "virglrenderer has no file %1",
        "Its parser does not know the register file and rejects the text.";
    NO_WORD "TGSI-virgl-word" Error Peer
        "virglrenderer has no %1 %2",
        "Its parser does not know the word and rejects the text.";
    INPUT_SEMANTIC "TGSI-virgl-input-semantic" Error Recorded
        "a vertex input with a semantic",
        "Its parser accepts nothing after a declared vertex input and rejects the text, as only Mesa 10 did.";
    NO_STREAM "TGSI-virgl-stream" Error Recorded
        "%1 without a stream",
        "Its parser requires a stream number after EMIT and ENDPRIM and rejects the text; only Mesa 10 has none.";
    LIMIT "TGSI-virgl-limit" Error Peer
        "more than %1 %2",
        "The converter has room for 64 inputs and outputs, 32 system values, samplers, images and counters, 1024 immediates and 32 constant buffers.";
    BUFFER_TWICE "TGSI-virgl-buffer-twice" Error Peer
        "the constant buffer %1 is declared twice",
        "The converter rejects it.";
    RANGE "TGSI-virgl-range" Error Peer
        "the range begins at %1 and ends at %2",
        "The converter rejects a range whose last register precedes its first one.";
    SYSTEM_VALUE "TGSI-virgl-system-value" Error Recorded
        "Unsupported system value %1",
        "The converter has no GLSL for it.";
    PROPERTY "TGSI-virgl-property" Error Recorded
        "Unhandled property: %1",
        "The converter rejects properties that it does not know; the number is hexadecimal. Guests remove NEXT_SHADER before they send a program.";
    IMMEDIATE "TGSI-virgl-immediate" Error Recorded
        "an immediate of the type %1",
        "The converter has no 64-bit integers.";
    VIEW_OPERAND "TGSI-virgl-view-operand" Error Recorded
        "%1 of a view",
        "The converter has no SVIEW operands and rejects the instructions that have one: SAMPLE, SAMPLE_I and so on, GATHER4, SVIEWINFO.";
    SAMPLES "TGSI-virgl-samples" Error Recorded
        "TXQS of %1",
        "The converter counts samples of 2D_MSAA and 2D_ARRAY_MSAA only.";
    DROPPED "TGSI-virgl-dropped" Warning Recorded
        "the converter drops %1",
        "virglrenderer's converter has no case for the instruction and silently skips it, so the shader does something else.";
    CUBE_FETCH "TGSI-virgl-cube-fetch" Warning Recorded
        "%1 of %2",
        "The converter writes texelFetch, which GLSL lacks for cube maps: the result does not compile.";
}

/// Room of the converter.
const MOST_VARYINGS: u32 = 64;
const MOST_OTHERS: u32 = 32;
const MOST_IMMEDIATES: u32 = 1024;

/// The system values of the converter.
const SYSTEM_VALUES: &[Semantic] = &[
    Semantic::Instanceid,
    Semantic::Vertexid,
    Semantic::HelperInvocation,
    Semantic::Sampleid,
    Semantic::Samplepos,
    Semantic::Invocationid,
    Semantic::VertexidNobase,
    Semantic::Samplemask,
    Semantic::PrimId,
    Semantic::Tesscoord,
    Semantic::Verticesin,
    Semantic::Tessouter,
    Semantic::Tessinner,
    Semantic::ThreadId,
    Semantic::BlockId,
    Semantic::GridSize,
    Semantic::Basevertex,
    Semantic::Baseinstance,
    Semantic::Drawid,
];

/// The properties of the converter.
const PROPERTIES: &[PropertyName] = &[
    PropertyName::FsColor0WritesAllCbufs,
    PropertyName::FsCoordOrigin,
    PropertyName::FsCoordPixelCenter,
    PropertyName::FsDepthLayout,
    PropertyName::GsInputPrimitive,
    PropertyName::GsOutputPrimitive,
    PropertyName::GsMaxOutputVertices,
    PropertyName::GsInvocations,
    PropertyName::NumClipdistEnabled,
    PropertyName::NumCulldistEnabled,
    PropertyName::TcsVerticesOut,
    PropertyName::TesPrimMode,
    PropertyName::TesSpacing,
    PropertyName::TesVertexOrderCw,
    PropertyName::TesPointMode,
    PropertyName::FsEarlyDepthStencil,
    PropertyName::CsFixedBlockWidth,
    PropertyName::CsFixedBlockHeight,
    PropertyName::CsFixedBlockDepth,
    PropertyName::FsBlendEquationAdvanced,
    PropertyName::SeparableProgram,
];

/// What the converter drops, besides the 64-bit integers.
fn is_dropped(op: Opcode) -> bool {
    use Opcode as O;
    let row = op.row();
    let long = |ty| matches!(ty, crate::tgsi::table::Type::I64 | crate::tgsi::table::Type::U64);
    long(row.result)
        || long(row.source(0))
        || matches!(
            op,
            O::Fma
                | O::Pk2h
                | O::Pk2us
                | O::Pk4b
                | O::Pk4ub
                | O::Up2h
                | O::Up2us
                | O::Up4b
                | O::Up4ub
                | O::Arr
                | O::Cal
                | O::Cont
                | O::Bgnsub
                | O::Endsub
                | O::Nop
                | O::Dfma
                | O::Switch
                | O::Case
                | O::Default
                | O::Endswitch
                | O::Dldexp
                | O::Dfracexp
                | O::Sample
                | O::SampleI
                | O::SampleIMs
                | O::SampleB
                | O::SampleC
                | O::SampleCLz
                | O::SampleD
                | O::SampleL
                | O::Gather4
                | O::Sviewinfo
                | O::SamplePos
                | O::SampleInfo
        )
}

#[derive(Default)]
struct Counts {
    inputs: u32,
    outputs: u32,
    system_values: u32,
    counters: u32,
    immediates: u32,
    buffers: BTreeSet<i16>,
}

/// What virglrenderer says of a program.
pub(super) fn pass<'a>(program: &'a Program, f: &mut Findings<'a>) {
    let mut counts = Counts::default();
    for (at, token) in tokens(program) {
        match token {
            Token::Declaration(d) => counts.declaration(program, at, d, f),
            Token::Immediate(immediate) => {
                counts.immediates += 1;
                one_more(counts.immediates, MOST_IMMEDIATES, "immediates", at, f);
                if matches!(immediate.ty, ImmediateType::Uint64 | ImmediateType::Int64) {
                    f.at(IMMEDIATE, at, &[&Word(immediate.ty.name(), 0)]);
                }
            }
            Token::Property(property) => {
                if !PROPERTIES.contains(&property.name) {
                    let code = property.name.code(Numbering::Virgl).unwrap_or(0);
                    f.at(PROPERTY, at, &[&alloc::format!("{code:x}")]);
                }
            }
            Token::Instruction(instruction) => judge(program, at, instruction, f),
            Token::Raw(_) => {}
        }
    }
}

fn one_more(count: u32, most: u32, what: &'static str, at: At, f: &mut Findings<'_>) {
    if count == most + 1 {
        f.at(LIMIT, at, &[&most, &what]);
    }
}

fn target(target: Target, at: At, f: &mut Findings<'_>) {
    if let (None, Target::Unknown(code)) = (target.code(Numbering::Virgl), target) {
        f.at(NO_WORD, at, &[&"texture target", &code]);
    }
}

impl Counts {
    fn declaration(&mut self, program: &Program, at: At, d: &Declaration, f: &mut Findings<'_>) {
        if d.file.code(Numbering::Virgl).is_none() {
            return f.at(NO_FILE, at, &[&FileName(d.file)]);
        }
        if d.first > d.last {
            f.at(RANGE, at, &[&d.first, &d.last]);
        }
        if let Some(t) = d.view.map(|v| v.target).or(d.image.map(|i| i.target)) {
            target(t, at, f);
        }
        let semantic = d.semantic.map(|s| s.name);
        if let Some(name) = semantic.filter(|name| name.code(Numbering::Virgl).is_none()) {
            f.at(NO_WORD, at, &[&"semantic", &Word(name.name(), 0)]);
        }
        let last = u32::from(d.last);
        let mut beyond = |what: &'static str| {
            if last >= MOST_OTHERS {
                f.at(LIMIT, at, &[&MOST_OTHERS, &what]);
            }
        };
        match d.file {
            File::In => {
                if semantic.is_some() && program.processor == Processor::Vertex {
                    f.at(INPUT_SEMANTIC, at, &[]);
                }
                self.inputs += 1;
                one_more(self.inputs, MOST_VARYINGS, "inputs", at, f);
            }
            File::Out => {
                self.outputs += 1;
                one_more(self.outputs, MOST_VARYINGS, "outputs", at, f);
            }
            File::Sv => {
                self.system_values += 1;
                one_more(self.system_values, MOST_OTHERS, "system values", at, f);
                if let Some(name) = semantic.filter(|name| !SYSTEM_VALUES.contains(name)) {
                    let code = name.code(Numbering::Virgl).unwrap_or(0);
                    f.at(SYSTEM_VALUE, at, &[&code]);
                }
            }
            File::Samp => beyond("samplers"),
            File::Image => beyond("images"),
            File::HwAtomic => {
                self.counters += 1;
                one_more(self.counters, MOST_OTHERS, "counters", at, f);
            }
            File::Const => {
                // The first buffer is the uniforms; it may be declared in pieces.
                let Some(buffer) = d.dimension.filter(|n| *n != 0) else { return };
                if buffer >= MOST_OTHERS as i16 {
                    f.at(LIMIT, at, &[&MOST_OTHERS, &"constant buffers"]);
                }
                if !self.buffers.insert(buffer) {
                    f.at(BUFFER_TWICE, at, &[&buffer]);
                }
            }
            _ => {}
        }
    }
}

fn judge(program: &Program, at: At, instruction: &Instruction, f: &mut Findings<'_>) {
    let Op::Known(op) = instruction.op else {
        if let Op::Unknown(code) = instruction.op {
            f.at(NO_OPCODE, at, &[&code]);
        }
        return;
    };
    let row = op.row();
    if !row.is_in(Dialect::Virgl) {
        return f.at(NO_OPCODE, at, &[&row.name]);
    }
    let lists =
        [program.destinations(instruction), program.sources(instruction), program.offsets(instruction)];
    if program.sources(instruction).is_empty() && matches!(op, Opcode::Emit | Opcode::Endprim) {
        f.at(NO_STREAM, at, &[&row.name]);
    }
    for operand in lists.into_iter().flatten() {
        let files = indices(operand).map(|i| i.file).chain([operand.file]);
        for file in files.filter(|file| file.code(Numbering::Virgl).is_none()) {
            f.at(NO_FILE, at, &[&FileName(file)]);
        }
    }
    if let Some(memory) = instruction.memory {
        if memory.qualifiers & 8 != 0 {
            f.at(NO_WORD, at, &[&"qualifier", &"STREAM_CACHE_POLICY"]);
        }
    }
    if program.sources(instruction).iter().any(|o| o.file == File::Sview) {
        return f.at(VIEW_OPERAND, at, &[&row.name]);
    }
    if is_dropped(op) {
        f.at(DROPPED, at, &[&row.name]);
    }
    let Some(texture) = instruction.texture else { return };
    let word = Word(texture.target.name(), 0);
    if op == Opcode::Txqs && !matches!(texture.target, Target::D2Ms | Target::D2MsArray) {
        f.at(SAMPLES, at, &[&word]);
    }
    if op == Opcode::Txf && matches!(texture.target, Target::Cube | Target::CubeArray) {
        f.at(CUBE_FETCH, at, &[&row.name, &word]);
    }
}
