//! Declarations, properties, and what binary tokens hold that is none.
//!
//! Sources: Mesa's manual; `tgsi_exec` of Mesa 22.3.6 (room for registers, what an input without interpolation is);
//! the layout of tokens.

use super::findings::{At, FileName, Findings, Word, rules, tokens};
use super::operands::limit;
use crate::tgsi::dialect::Numbering;
use crate::tgsi::names::{
    File, Interpolation, Location, MemoryType, Primitive, PropertyName, ReturnType, Semantic, Target,
};
use crate::tgsi::program::{Declaration, Processor, Program, Token};
use alloc::collections::{BTreeMap, BTreeSet};

rules! {
    pub(super) const RULES; const;

    RAW "TGSI-raw" Error Documented
        "%1 words that are not a token",
        "The first four bits of a token are its kind: 0 a declaration, 1 an immediate, 2 an instruction, 3 a property. The next ones are its length.";
    RESIDUE "TGSI-residue" Warning Documented
        "unused bits are set: 0x%1 in word %2 of the token",
        "Padding must be zero. Text cannot express such bits; binary programs keep them.";
    FRAME "TGSI-frame" Warning Documented
        "the header does not match the tokens after it, or bytes follow them",
        "A program is a header of two words, which gives the number of words that follow, and those words.";
    STAGE_UNKNOWN "TGSI-unknown-stage" Error Documented
        "no stage %1",
        "The stage is vertex, tessellation control or evaluation, geometry, fragment or compute.";
    LENGTH "TGSI-length" Error Believed
        "the program has %1 words, more than 65535",
        "virglrenderer and drivers number tokens with 16 bits.";
    UNKNOWN "TGSI-enumerator" Error Documented
        "no %1 %2",
        "The dialect of the program has no word for that number.";
    REVERSED "TGSI-reversed-range" Error Peer
        "the range begins at %1 and ends at %2",
        "A range goes from its first register to its last. tgsi_exec declares nothing; virglrenderer rejects the program.";
    LIMIT "TGSI-declared-range" Error Peer
        "%1[%2] is out of range: the file has %3 registers",
        "tgsi_exec has room for that many registers of the file, and for 32 constant buffers.";
    FLAT "TGSI-flat-input" Warning Recorded
        "%1[%2] is not interpolated",
        "A fragment input without CONSTANT, LINEAR, PERSPECTIVE or COLOR is CONSTANT: every fragment sees the value of one vertex.";
    NO_SEMANTIC "TGSI-no-semantic" Error Documented
        "%1[%2] has no semantic",
        "Outputs of one stage and inputs of the next are matched by semantic, such as GENERIC[0]. Without one the meaning of the register is unknown, so the program cannot be run or translated. (In Mesa the number of the semantic is then 0, which is POSITION.)";
    SEMANTIC_STAGE "TGSI-semantic-stage" Warning Documented
        "%1 is not a semantic of %2 of %3 programs",
        "Fragment programs write POSITION, STENCIL, COLOR and SAMPLEMASK; system values are supplied by the system, such as VERTEXID or FACE.";
    SEMANTIC_TWICE "TGSI-semantic-twice" Warning Documented
        "%1[%2] is declared for two registers",
        "The neighbouring stages cannot tell apart two registers with one semantic.";
    ARRAY_TWICE "TGSI-array-twice" Warning Documented
        "%1 has two arrays numbered %2",
        "An array has one declaration; indices with its number address it.";
    SHARED "TGSI-shared-memory" Error Documented
        "%1 programs have no shared memory",
        "Shared memory belongs to a work group, and only compute programs run in work groups.";
    PROPERTY_STAGE "TGSI-property-stage" Warning Documented
        "%1 is not a property of %2 programs",
        "Drivers ignore it.";
    PROPERTY_VALUE "TGSI-property-range" Error Documented
        "%1 cannot be %2",
        "The property has no such value: geometry gives POINTS, LINE_STRIP or TRIANGLE_STRIP, a patch has 1 to 32 vertices, FS_DEPTH_LAYOUT is 0 to 4, NEXT_SHADER a stage.";
    PROPERTY_TWICE "TGSI-property-twice" Warning Believed
        "%1 is given twice",
        "The last one applies.";
    PROPERTY_MISSING "TGSI-property-missing" Warning Documented
        "%1 programs must have the property %2",
        "Geometry programs must state their input and output primitives and the maximum number of vertices (without it tgsi_exec emits nothing), tessellation control programs the number of vertices.";
}

/// Constant buffers of `tgsi_exec`.
const BUFFERS: i16 = 32;

/// Longest range whose semantics are looked at register by register.
const LONGEST: u16 = 80;

/// What no system value is.
const NO_SYSTEM_VALUE: &[Semantic] = &[
    Semantic::Color,
    Semantic::Bcolor,
    Semantic::Fog,
    Semantic::Psize,
    Semantic::Generic,
    Semantic::Normal,
    Semantic::Edgeflag,
    Semantic::Stencil,
    Semantic::Clipdist,
    Semantic::Clipvertex,
    Semantic::Texcoord,
    Semantic::ViewportMask,
    Semantic::Patch,
];

/// What is wrong with declarations and properties.
pub(super) fn pass<'a>(program: &'a Program, f: &mut Findings<'a>) {
    program_rules(program, f);
    let mut context = Context::default();
    for (at, token) in tokens(program) {
        match token {
            Token::Declaration(d) => context.declaration(program, at, d, f),
            Token::Property(property) => {
                let value = program.words_of(property.words).first().copied();
                context.property(program, at, property.name, value, f);
            }
            Token::Raw(words) => f.at(RAW, at, &[&words.count()]),
            Token::Immediate(_) | Token::Instruction(_) => {}
        }
    }
    let wanted: &[PropertyName] = match program.processor {
        Processor::Geometry => &[
            PropertyName::GsInputPrimitive,
            PropertyName::GsOutputPrimitive,
            PropertyName::GsMaxOutputVertices,
        ],
        Processor::TessControl => &[PropertyName::TcsVerticesOut],
        _ => &[],
    };
    for name in wanted.iter().filter(|name| !context.properties.contains(name)) {
        let stage = program.processor.name().unwrap_or("");
        f.at_program(PROPERTY_MISSING, &[&stage, &Word(name.name(), 0)]);
    }
}

fn program_rules(program: &Program, f: &mut Findings<'_>) {
    if let Processor::Unknown(code) = program.processor {
        f.at_program(STAGE_UNKNOWN, &[&code]);
    }
    if program.frame.is_some() {
        f.at_program(FRAME, &[]);
    }
    let end = program.words();
    if end > 65_535 {
        f.at_program(LENGTH, &[&end]);
    }
    for residue in &program.residue {
        let at = At { token: residue.token, number: None };
        f.at(RESIDUE, at, &[&alloc::format!("{:x}", residue.bits), &residue.word]);
    }
}

#[derive(Default)]
struct Context {
    arrays: BTreeMap<(File, u16), (u16, u16)>,
    semantics: BTreeMap<(File, Semantic, u32), u8>,
    properties: BTreeSet<PropertyName>,
}

impl Context {
    fn declaration(&mut self, program: &Program, at: At, d: &Declaration, f: &mut Findings<'_>) {
        unknown(at, d, f);
        if d.first > d.last {
            f.at(REVERSED, at, &[&d.first, &d.last]);
        }
        if let Some(limit) = limit(d.file).filter(|limit| u32::from(d.last) >= *limit) {
            f.at(LIMIT, at, &[&FileName(d.file), &d.last, &limit]);
        }
        if let (File::Const, Some(buffer)) = (d.file, d.dimension) {
            if !(0..BUFFERS).contains(&buffer) {
                f.at(LIMIT, at, &[&"CONST", &buffer, &BUFFERS]);
            }
        }
        if let Some(array) = d.array {
            let range = (d.first, d.last);
            // Parts of one array may have a declaration for some of the components each.
            if self.arrays.insert((d.file, array), range).is_some_and(|before| before != range) {
                f.at(ARRAY_TWICE, at, &[&FileName(d.file), &array]);
            }
        }
        if d.file == File::Memory && d.memory == MemoryType::Shared && program.processor != Processor::Compute
        {
            f.at(SHARED, at, &[&program.processor.name().unwrap_or("")]);
        }
        self.semantic(program, at, d, f);
    }

    fn semantic(&mut self, program: &Program, at: At, d: &Declaration, f: &mut Findings<'_>) {
        let fragment = program.processor == Processor::Fragment;
        let stage = program.processor.name().unwrap_or("");
        let wanted = match d.file {
            File::In => !matches!(program.processor, Processor::Vertex | Processor::Compute),
            File::Out => program.processor != Processor::Compute,
            File::Sv => true,
            _ => return,
        };
        let Some(semantic) = d.semantic else {
            if wanted {
                f.at(NO_SEMANTIC, at, &[&FileName(d.file), &d.first]);
            }
            return;
        };
        let system = matches!(semantic.name, Semantic::Position | Semantic::Face | Semantic::PrimId);
        if fragment && d.file == File::In && d.interpolation.is_none() && !system {
            f.at(FLAT, at, &[&FileName(d.file), &d.first]);
        }
        let fits = match (d.file, fragment) {
            (File::Out, true) => matches!(
                semantic.name,
                Semantic::Position | Semantic::Stencil | Semantic::Color | Semantic::Samplemask
            ),
            (File::Sv, _) => !NO_SYSTEM_VALUE.contains(&semantic.name),
            _ => true,
        };
        if !fits && !matches!(semantic.name, Semantic::Unknown(_)) {
            let what = if d.file == File::Out { "outputs" } else { "system values" };
            f.at(SEMANTIC_STAGE, at, &[&Word(semantic.name.name(), 0), &what, &stage]);
        }
        let count = d.last.saturating_sub(d.first);
        if d.file == File::Sv || count >= LONGEST {
            return;
        }
        for n in 0..=u32::from(count) {
            let index = u32::from(semantic.index) + n;
            let mask = self.semantics.entry((d.file, semantic.name, index)).or_default();
            let again = *mask & d.mask.bits() != 0;
            *mask |= d.mask.bits();
            if again {
                return f.at(SEMANTIC_TWICE, at, &[&Word(semantic.name.name(), 0), &index]);
            }
        }
    }

    fn property(
        &mut self,
        program: &Program,
        at: At,
        name: PropertyName,
        value: Option<u32>,
        f: &mut Findings<'_>,
    ) {
        use PropertyName as P;
        if let P::Unknown(code) = name {
            return f.at(UNKNOWN, at, &[&"property", &code]);
        }
        let word = Word(name.name(), 0);
        if !self.properties.insert(name) {
            f.at(PROPERTY_TWICE, at, &[&word]);
        }
        let stage = program.processor;
        let fits = match word.0.and_then(|word| word.split('_').next()) {
            Some("GS") => stage == Processor::Geometry,
            Some("FS") => stage == Processor::Fragment,
            Some("TCS") => stage == Processor::TessControl,
            Some("TES") => stage == Processor::TessEval,
            Some("CS") => stage == Processor::Compute,
            Some("VS") if name != P::VsBlitSgprsAmd => {
                matches!(stage, Processor::Vertex | Processor::TessEval | Processor::Geometry)
            }
            _ => true,
        };
        if !fits {
            f.at(PROPERTY_STAGE, at, &[&word, &stage.name().unwrap_or("")]);
        }
        let value = value.unwrap_or(0);
        let primitive = Primitive::from_code(Numbering::Mesa, value.min(254) as u8);
        let good = match name {
            P::GsOutputPrimitive => {
                matches!(primitive, Primitive::Points | Primitive::LineStrip | Primitive::TriangleStrip)
            }
            P::GsInputPrimitive => !matches!(primitive, Primitive::Unknown(_)),
            P::TcsVerticesOut => (1..=32).contains(&value),
            P::FsDepthLayout => value <= 4,
            P::NextShader => value <= 5,
            _ => true,
        };
        if !good {
            match (name, primitive.name()) {
                (P::GsOutputPrimitive, Some(primitive)) => f.at(PROPERTY_VALUE, at, &[&word, &primitive]),
                _ => f.at(PROPERTY_VALUE, at, &[&word, &value]),
            }
        }
    }
}

/// Numbers of a declaration that have no words.
fn unknown(at: At, d: &Declaration, f: &mut Findings<'_>) {
    let mut say = |what: &str, code: u32| f.at(UNKNOWN, at, &[&what, &code]);
    if let File::Unknown(code) = d.file {
        say("register file", code.into());
    }
    if let Some(Semantic::Unknown(code)) = d.semantic.map(|s| s.name) {
        say("semantic", code.into());
    }
    if let Some(i) = d.interpolation {
        if let Interpolation::Unknown(code) = i.mode {
            say("interpolation", code.into());
        }
        if let Location::Unknown(code) = i.location {
            say("place of interpolation", code.into());
        }
    }
    if let Some(Target::Unknown(code)) = d.view.map(|v| v.target).or(d.image.map(|i| i.target)) {
        say("texture target", code.into());
    }
    if let Some(returns) = d.view.map(|v| v.returns) {
        if let Some(ReturnType::Unknown(code)) =
            returns.into_iter().find(|r| matches!(r, ReturnType::Unknown(_)))
        {
            say("type of texels", code.into());
        }
    }
}
