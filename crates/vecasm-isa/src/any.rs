//! A program of any instruction set, and what can be asked of an instruction set as a whole, so that tools are
//! written once for all of them.

use super::table::{Flow, Lift, OpRow, Shape, Stages};
use super::{Depth, Isa};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Place, Provenance, Rule, Severity, Span};
use vecasm_ir::ir::{Pure, Shader, Stage};

#[cfg(feature = "agal")]
use super::agal;
#[cfg(feature = "d3d9")]
use super::d3d9;
#[cfg(feature = "nv2a")]
use super::nv2a;
#[cfg(feature = "tgsi")]
use super::tgsi;

/// A row of an instruction table, without what only lifting needs.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// The unit that does it, where an instruction set has several: NV2A's MAC and ILU.
    pub unit: Option<&'static str>,
    /// The encoded value.
    pub code: u32,
    /// The spelling.
    pub name: &'static str,
    /// First version of the language that has it.
    pub since: u32,
    /// Last version of the language that has it.
    pub until: u32,
    /// Stages that have it.
    pub stages: Stages,
    /// Operands in text order.
    pub shape: &'static [Shape],
    /// Part in control flow.
    pub flow: Flow,
    /// Number of result lanes that exist, 0–4.
    pub lanes: u8,
    /// The operation of the IR it is, lane by lane or replicated; `None` where lifting is a function of its own.
    pub ir: Option<&'static str>,
    /// Whether no player ever implemented it.
    pub reserved: bool,
    /// What it does, one sentence.
    pub doc: &'static str,
}

impl<F> From<&OpRow<F>> for Instruction {
    fn from(row: &OpRow<F>) -> Self {
        Self {
            unit: None,
            code: row.code,
            name: row.name,
            since: row.since,
            until: row.until,
            stages: row.stages,
            shape: row.shape,
            flow: row.flow,
            lanes: row.lanes,
            ir: row.lift.pure().map(Pure::name),
            reserved: matches!(row.lift, Lift::Reserved),
            doc: row.doc,
        }
    }
}

impl Isa {
    /// The instruction table, in the manual's order.
    pub fn instructions(self) -> Vec<Instruction> {
        match self {
            #[cfg(feature = "agal")]
            Self::Agal => agal::Opcode::ROWS.iter().map(Instruction::from).collect(),
            #[cfg(feature = "nv2a")]
            Self::Nv2a => {
                let of = |unit| move |row: &_| Instruction { unit: Some(unit), ..Instruction::from(row) };
                let vector = nv2a::Mac::ROWS.iter().map(of("MAC"));
                vector.chain(nv2a::Ilu::ROWS.iter().map(of("ILU"))).collect()
            }
            #[cfg(feature = "d3d9")]
            Self::D3d9 => d3d9_instructions(),
            #[cfg(feature = "tgsi")]
            Self::Tgsi => tgsi::Opcode::ROWS.iter().map(tgsi_instruction).collect(),
        }
    }

    /// Every rule that readers and validators of this instruction set report.
    pub fn rules(self) -> Vec<&'static Rule> {
        match self {
            #[cfg(feature = "agal")]
            Self::Agal => {
                let rooms = [agal::bytes::RULES, agal::text::RULES, agal::rules::RULES, agal::lift::RULES];
                rooms.into_iter().flatten().collect()
            }
            #[cfg(feature = "nv2a")]
            Self::Nv2a => {
                let rooms = [nv2a::bytes::RULES, nv2a::text::RULES, nv2a::rules::RULES, nv2a::lift::RULES];
                rooms.into_iter().flatten().collect()
            }
            #[cfg(feature = "d3d9")]
            Self::D3d9 => {
                let rooms = [
                    d3d9::bytes::RULES,
                    d3d9::text::RULES,
                    d3d9::ctab::RULES,
                    d3d9::preshader::RULES,
                    d3d9::convert::RULES,
                    d3d9::rules::RULES,
                    d3d9::lift::RULES,
                ];
                rooms.into_iter().flatten().collect()
            }
            #[cfg(feature = "tgsi")]
            Self::Tgsi => {
                let rooms = [tgsi::bytes::RULES, tgsi::text::RULES, tgsi::rules::RULES, tgsi::lift::RULES];
                rooms.into_iter().flatten().collect()
            }
        }
    }

    /// The stage of a text, if the text tells it: by a directive or by its registers.
    pub fn stage_of_text(self, text: &str) -> Option<Stage> {
        let _ = text;
        match self {
            #[cfg(feature = "agal")]
            Self::Agal => agal::text::stage_of(text).map(agal::Stage::kind),
            #[cfg(feature = "nv2a")]
            Self::Nv2a => Some(Stage::Vertex),
            #[cfg(feature = "d3d9")]
            Self::D3d9 => d3d9::text::version_of(text).map(|version| d3d9_stage(version.stage())),
            #[cfg(feature = "tgsi")]
            Self::Tgsi => tgsi::text::stage_of(text).map(tgsi_stage),
        }
    }

    /// The fragment shader behind a vertex program of this instruction set that is drawn without one, if it has fixed
    /// functions there. `textured` tells whether a texture is set in slot 0.
    pub fn default_fragment(self, vertex: &Shader, textured: bool) -> Option<Shader> {
        let _ = (vertex, textured);
        match self {
            #[cfg(feature = "agal")]
            Self::Agal => None,
            #[cfg(feature = "nv2a")]
            Self::Nv2a => Some(nv2a::fragment::fixed(vertex, textured)),
            #[cfg(feature = "d3d9")]
            Self::D3d9 => Some(d3d9::fragment::fixed(vertex, textured)),
            #[cfg(feature = "tgsi")]
            Self::Tgsi => None,
        }
    }

    /// Makes two lifted shaders that stand behind one another in the pipeline fit, where stages of this instruction set that
    /// fit in the runtime may not fit in a target: see [`d3d9::lift::link`](super::d3d9::lift::link::link). Varyings of TGSI
    /// get the locations from 0 on where one is above 15; what is read and never written stays an error. What comes out
    /// depends on the two shaders alone, so each may be written on its own after that; a stage between is linked with the
    /// one before it and with the one behind it, in any order.
    ///
    /// `opt::retype_for` is the other half: types.
    pub fn link(self, first: &mut Shader, second: &mut Shader) {
        let _ = (&first, &second);
        match self {
            #[cfg(feature = "agal")]
            Self::Agal => {}
            #[cfg(feature = "nv2a")]
            Self::Nv2a => {}
            #[cfg(feature = "d3d9")]
            Self::D3d9 => d3d9::lift::link::link(first, second),
            #[cfg(feature = "tgsi")]
            Self::Tgsi => super::locations::number(first, second),
        }
    }

    /// Lays a text out anew, without changing its words, its comments or the program.
    ///
    /// The result is read again: a text that would be another program, or would be laid out in another way the next time, stays as
    /// it is.
    ///
    /// # Errors
    ///
    /// What is wrong with a text that cannot be read.
    pub fn format(self, text: &str) -> Result<String, Vec<Diagnostic>> {
        let text = super::without_padding(text);
        let done = self.lay_out(text)?;
        let program = |text| AnyProgram::parse(self, text, None, None).0;
        let good =
            done == text || self.lay_out(&done).as_ref() == Ok(&done) && program(&done) == program(text);
        Ok(if good { done } else { text.into() })
    }

    /// What [`format`](Self::format) reads again: a text laid out, whatever becomes of it.
    #[doc(hidden)]
    pub fn lay_out(self, text: &str) -> Result<String, Vec<Diagnostic>> {
        let text = super::without_padding(text);
        let _ = text;
        match self {
            #[cfg(feature = "agal")]
            Self::Agal => agal::text::format(text),
            #[cfg(feature = "nv2a")]
            Self::Nv2a => nv2a::text::format(text),
            #[cfg(feature = "d3d9")]
            Self::D3d9 => d3d9::text::format(text),
            #[cfg(feature = "tgsi")]
            Self::Tgsi => tgsi::text::format(text),
        }
    }

    /// The dialects that programs can be printed in; the first one is without loss and the default.
    pub fn dialects(self) -> Vec<&'static str> {
        match self {
            #[cfg(feature = "agal")]
            Self::Agal => agal::text::Style::ALL.iter().map(|style| style.name()).collect(),
            #[cfg(feature = "nv2a")]
            Self::Nv2a => {
                let others = nv2a::text::Dialect::WRITTEN.iter().map(|dialect| dialect.name());
                nv2a::text::Style::ALL.iter().map(|style| style.name()).chain(others).collect()
            }
            #[cfg(feature = "d3d9")]
            Self::D3d9 => d3d9::text::Style::ALL.iter().map(|style| style.name()).collect(),
            #[cfg(feature = "tgsi")]
            Self::Tgsi => tgsi::text::Style::ALL.iter().map(|style| style.name()).collect(),
        }
    }

    /// The versions of the language, first and last.
    pub const fn versions(self) -> (u32, u32) {
        match self {
            #[cfg(feature = "agal")]
            Self::Agal => (1, 4),
            #[cfg(feature = "nv2a")]
            Self::Nv2a => (1, 1),
            #[cfg(feature = "d3d9")]
            // Ten times the major version and the minor one.
            Self::D3d9 => (10, 30),
            #[cfg(feature = "tgsi")]
            Self::Tgsi => (1, 1),
        }
    }

    /// The stages programs of this instruction set are for.
    pub const fn stages(self) -> &'static [Stage] {
        match self {
            #[cfg(feature = "agal")]
            Self::Agal => AGAL_STAGES,
            #[cfg(feature = "nv2a")]
            Self::Nv2a => NV2A_STAGES,
            #[cfg(feature = "d3d9")]
            Self::D3d9 => D3D9_STAGES,
            #[cfg(feature = "tgsi")]
            Self::Tgsi => TGSI_STAGES,
        }
    }
}

/// What lifting leaves open, for every instruction set.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct LiftOptions {
    /// For AGAL.
    #[cfg(feature = "agal")]
    pub agal: agal::lift::Options,
    /// For NV2A.
    #[cfg(feature = "nv2a")]
    pub nv2a: nv2a::lift::Options,
    /// For Direct3D.
    #[cfg(feature = "d3d9")]
    pub d3d9: d3d9::lift::Options,
    /// For TGSI.
    #[cfg(feature = "tgsi")]
    pub tgsi: tgsi::lift::Options,
}

impl LiftOptions {
    /// What `vecasm to` takes for the languages of GPUs where nothing else is said: programs of the NV2A in IEEE arithmetic, in
    /// clip space, with clamped colours; all else as usual.
    ///
    /// `vecasm::translate` has the steps from a program to a text.
    #[must_use]
    pub fn for_gpus() -> Self {
        Self {
            #[cfg(feature = "nv2a")]
            nv2a: nv2a::lift::Options {
                numerics: nv2a::lift::Numerics::Ieee,
                space: nv2a::lift::Space::Clip,
                clamp: nv2a::lift::Clamp::All,
                ..nv2a::lift::Options::default()
            },
            ..Self::default()
        }
    }
}

impl LiftOptions {
    /// What `vecasm render` takes: programs of the NV2A with their own arithmetic, in clip space, with clamped colours; around those
    /// of Direct3D all parts of the pipeline that show, but for half a pixel, which programs take back themselves, and
    /// points, of which there are none.
    #[must_use]
    pub fn for_pictures() -> Self {
        Self {
            #[cfg(feature = "nv2a")]
            nv2a: nv2a::lift::Options {
                space: nv2a::lift::Space::Clip,
                clamp: nv2a::lift::Clamp::All,
                ..nv2a::lift::Options::default()
            },
            #[cfg(feature = "d3d9")]
            d3d9: d3d9::lift::Options {
                pipeline: d3d9::lift::Pipeline {
                    half_pixel: false,
                    points: false,
                    ..d3d9::lift::Pipeline::ALL
                },
                ..d3d9::lift::Options::default()
            },
            ..Self::default()
        }
    }

    /// With so much kept, whatever the instruction set. Recordings, traces and `why` need [`Depth::Full`].
    #[must_use]
    pub fn with_depth(self, depth: Depth) -> Self {
        let _ = (self, depth);
        Self {
            #[cfg(feature = "agal")]
            agal: agal::lift::Options { depth, ..self.agal },
            #[cfg(feature = "nv2a")]
            nv2a: nv2a::lift::Options { depth, ..self.nv2a },
            #[cfg(feature = "d3d9")]
            d3d9: d3d9::lift::Options { depth, ..self.d3d9 },
            #[cfg(feature = "tgsi")]
            tgsi: tgsi::lift::Options { depth, ..self.tgsi },
        }
    }

    /// What `vecasm to --compute` takes: IEEE arithmetic for programs of the NV2A, and their results as they write them.
    #[must_use]
    pub fn for_compute() -> Self {
        Self {
            #[cfg(feature = "nv2a")]
            nv2a: nv2a::lift::Options {
                numerics: nv2a::lift::Numerics::Ieee,
                ..nv2a::lift::Options::default()
            },
            ..Self::default()
        }
    }
}

/// Who is asked whether a program is good, for every instruction set.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct CheckOptions {
    /// For AGAL.
    #[cfg(feature = "agal")]
    pub agal: agal::rules::Options,
    /// For NV2A.
    #[cfg(feature = "nv2a")]
    pub nv2a: nv2a::rules::Options,
    /// For Direct3D.
    #[cfg(feature = "d3d9")]
    pub d3d9: d3d9::rules::Options,
    /// For TGSI.
    #[cfg(feature = "tgsi")]
    pub tgsi: tgsi::rules::Options,
}

/// The findings of two programs that are used together, by where they belong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairFindings {
    /// About the vertex program.
    pub vertex: Vec<Diagnostic>,
    /// About the fragment program.
    pub fragment: Vec<Diagnostic>,
    /// About the two together.
    pub linkage: Vec<Diagnostic>,
}

/// What is said of a stage or version that was asked for and is not that of the program.
pub const ASKED: Rule = Rule {
    id: "ISA-asked",
    number: 0,
    severity: Severity::Error,
    message: "%1",
    reason: "Only AGAL text lets the caller choose a stage or version. Other programs state theirs, so a choice can only match it or not.",
    provenance: Provenance::Own,
};

/// A program of any instruction set, without loss of a bit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnyProgram {
    /// Adobe Flash Stage3D.
    #[cfg(feature = "agal")]
    Agal(agal::Program),
    /// Original Xbox.
    #[cfg(feature = "nv2a")]
    Nv2a(nv2a::Program),
    /// Direct3D 8 and 9.
    #[cfg(feature = "d3d9")]
    D3d9(d3d9::Program),
    /// Mesa's Gallium.
    #[cfg(feature = "tgsi")]
    Tgsi(tgsi::Program),
}

// `match *self`, because without any instruction set there are no programs: a place of an empty type needs no arms,
// a reference to it does. `let _` names what nothing reads then.
impl AnyProgram {
    /// Reads a binary.
    ///
    /// # Errors
    ///
    /// Fails only if nothing in the bytes is recognizable as a program of that instruction set.
    pub fn decode(isa: Isa, bytes: &[u8]) -> Result<Self, Diagnostic> {
        let _ = bytes;
        match isa {
            #[cfg(feature = "agal")]
            Isa::Agal => agal::bytes::decode(bytes).map(Self::Agal),
            #[cfg(feature = "nv2a")]
            Isa::Nv2a => nv2a::bytes::decode(bytes).map(Self::Nv2a),
            #[cfg(feature = "d3d9")]
            Isa::D3d9 => d3d9::bytes::decode(bytes).map(Self::D3d9),
            #[cfg(feature = "tgsi")]
            Isa::Tgsi => tgsi::bytes::decode(bytes).map(Self::Tgsi),
        }
    }

    /// Reads any bytes as a program of that instruction set, for [`validate`](Self::validate) to say what is wrong.
    pub fn decode_lossless(isa: Isa, bytes: &[u8]) -> Self {
        let _ = bytes;
        match isa {
            #[cfg(feature = "agal")]
            Isa::Agal => Self::Agal(agal::bytes::decode_lossless(bytes)),
            #[cfg(feature = "nv2a")]
            Isa::Nv2a => Self::Nv2a(nv2a::bytes::decode_lossless(bytes)),
            #[cfg(feature = "d3d9")]
            Isa::D3d9 => Self::D3d9(d3d9::bytes::decode_lossless(bytes)),
            #[cfg(feature = "tgsi")]
            Isa::Tgsi => Self::Tgsi(tgsi::bytes::decode_lossless(bytes)),
        }
    }

    /// Reads a text in the instruction set's own syntax. `stage` (one of the [stages](Isa::stages)) and `version` override what
    /// the text of AGAL says; without them and a directive the program tells. Where the text itself is of one stage or version,
    /// another one is the error [`ASKED`]. The program is there if there is no error; everything found is listed.
    pub fn parse(
        isa: Isa,
        text: &str,
        stage: Option<Stage>,
        version: Option<u32>,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let stages = isa.stages();
        if let Some(stage) = stage.filter(|stage| !stages.contains(stage)) {
            let known: Vec<&str> = stages.iter().map(|stage| stage.name()).collect();
            let message =
                format!("{} has no stage {stage}; expected one of {}", isa.title(), known.join(", "));
            return (None, alloc::vec![Diagnostic::error(ASKED.id, message).with_help(ASKED.reason)]);
        }
        let text = &*super::without_escapes(text);
        let (program, mut findings) = Self::parse_any(isa, text, stage, version);
        super::source::blame(isa, text, &mut findings);
        let refused = program.as_ref().and_then(|program| program.contradicts(stage, version));
        match refused {
            Some(finding) => {
                findings.push(finding);
                (None, findings)
            }
            None => (program, findings),
        }
    }

    /// The error [`ASKED`], if the program is of another stage or version than somebody asks for.
    #[cfg_attr(
        not(any(feature = "agal", feature = "nv2a", feature = "d3d9", feature = "tgsi")),
        allow(unreachable_code, unused_variables, reason = "no program")
    )]
    pub fn contradicts(&self, stage: Option<Stage>, version: Option<u32>) -> Option<Diagnostic> {
        let isa = self.isa();
        let wrong = stage.is_some_and(|stage| stage != self.stage());
        let message = if let Some(stage) = stage.filter(|_| wrong) {
            format!("the program is a {} program, not a {stage} program", self.stage())
        } else {
            let version = version.filter(|version| *version != self.version())?;
            let (first, last) = isa.versions();
            match first == last {
                true => format!("{} has no version {version}", isa.title()),
                false => format!("the program is {}, not version {version}", self.model()),
            }
        };
        Some(Diagnostic::error(ASKED.id, message).with_help(ASKED.reason))
    }

    fn parse_any(
        isa: Isa,
        text: &str,
        stage: Option<Stage>,
        version: Option<u32>,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let text = super::without_padding(text);
        let _ = (text, stage, version);
        match isa {
            #[cfg(feature = "agal")]
            Isa::Agal => {
                let stage = stage.and_then(agal::Stage::of);
                let (program, findings) =
                    agal::text::parse(text, &agal::text::ParseOptions { stage, version });
                (program.map(Self::Agal), findings)
            }
            #[cfg(feature = "nv2a")]
            Isa::Nv2a => {
                let (program, findings) = nv2a::text::parse(text, &nv2a::text::ParseOptions::default());
                (program.map(Self::Nv2a), findings)
            }
            #[cfg(feature = "d3d9")]
            Isa::D3d9 => {
                let (program, findings) = d3d9::text::parse(text);
                (program.map(Self::D3d9), findings)
            }
            #[cfg(feature = "tgsi")]
            Isa::Tgsi => {
                let (program, findings) = tgsi::text::parse(text, &tgsi::text::ParseOptions::tolerant());
                (program.map(Self::Tgsi), findings)
            }
        }
    }

    /// Where each instruction stands in the text that the program was read from.
    pub fn instruction_spans(&self, text: &str) -> Vec<Span> {
        let _ = text;
        match *self {
            #[cfg(feature = "agal")]
            Self::Agal(_) => agal::text::token_spans(text),
            #[cfg(feature = "nv2a")]
            Self::Nv2a(_) => nv2a::text::slot_spans(text),
            #[cfg(feature = "d3d9")]
            Self::D3d9(_) => d3d9::text::instruction_spans(text),
            #[cfg(feature = "tgsi")]
            Self::Tgsi(_) => tgsi::text::instruction_spans(text),
        }
    }

    /// Gives findings about the program their places in the text that it was read from. `spans` are those of its
    /// [instructions](Self::instruction_spans) if they are known otherwise than from the text.
    pub fn place(&self, text: &str, spans: Option<&[Span]>, findings: &mut [Diagnostic]) {
        let _ = (text, spans, &findings);
        match *self {
            #[cfg(feature = "tgsi")]
            Self::Tgsi(ref program) => tgsi::rules::place(program, text, findings),
            #[allow(unreachable_patterns, reason = "there may be no other instruction set")]
            _ => {
                let own = if spans.is_some() { Vec::new() } else { self.instruction_spans(text) };
                let spans = spans.unwrap_or(&own);
                for finding in findings {
                    if let Place::Binary { token: Some(token), .. } = finding.place {
                        if let Some(span) = (token as usize).checked_sub(1).and_then(|n| spans.get(n)) {
                            finding.place = Place::Text(*span);
                        }
                    }
                }
            }
        }
    }

    /// Every finding about the program, in the order of the original runtime.
    pub fn validate(&self, options: &CheckOptions) -> Vec<Diagnostic> {
        let _ = options;
        match *self {
            #[cfg(feature = "agal")]
            Self::Agal(ref program) => agal::rules::validate(program, &options.agal),
            #[cfg(feature = "nv2a")]
            Self::Nv2a(ref program) => nv2a::rules::validate(program, &options.nv2a),
            #[cfg(feature = "d3d9")]
            Self::D3d9(ref program) => d3d9::rules::validate(program, &options.d3d9),
            #[cfg(feature = "tgsi")]
            Self::Tgsi(ref program) => tgsi::rules::validate(program, &options.tgsi),
        }
    }

    /// Every finding about two programs that are used together; `None` if they are of different instruction sets.
    pub fn validate_pair(vertex: &Self, fragment: &Self, options: &CheckOptions) -> Option<PairFindings> {
        let _ = (fragment, options);
        match *vertex {
            #[cfg(feature = "agal")]
            Self::Agal(ref vertex) => {
                #[allow(irrefutable_let_patterns, reason = "refutable with several instruction sets")]
                let Self::Agal(fragment) = fragment else { return None };
                let agal::rules::PairFindings { vertex, fragment, linkage } =
                    agal::rules::check_pair(vertex, fragment, &options.agal);
                Some(PairFindings { vertex, fragment, linkage })
            }
            // There are no fragment programs of the NV2A.
            #[cfg(feature = "nv2a")]
            Self::Nv2a(_) => None,
            #[cfg(feature = "d3d9")]
            Self::D3d9(ref vertex) => {
                #[allow(irrefutable_let_patterns, reason = "refutable with several instruction sets")]
                let Self::D3d9(fragment) = fragment else { return None };
                let d3d9::rules::PairFindings { vertex, fragment, linkage } =
                    d3d9::rules::check_pair(vertex, fragment, &options.d3d9);
                Some(PairFindings { vertex, fragment, linkage })
            }
            #[cfg(feature = "tgsi")]
            Self::Tgsi(ref vertex) => {
                #[allow(irrefutable_let_patterns, reason = "refutable with several instruction sets")]
                let Self::Tgsi(fragment) = fragment else { return None };
                let tgsi::rules::PairFindings { vertex, fragment, linkage } =
                    tgsi::rules::check_pair(vertex, fragment, &options.tgsi);
                Some(PairFindings { vertex, fragment, linkage })
            }
        }
    }

    /// The instruction set.
    pub const fn isa(&self) -> Isa {
        match *self {
            #[cfg(feature = "agal")]
            Self::Agal(_) => Isa::Agal,
            #[cfg(feature = "nv2a")]
            Self::Nv2a(_) => Isa::Nv2a,
            #[cfg(feature = "d3d9")]
            Self::D3d9(_) => Isa::D3d9,
            #[cfg(feature = "tgsi")]
            Self::Tgsi(_) => Isa::Tgsi,
        }
    }

    /// Writes the binary.
    pub fn encode(&self) -> Vec<u8> {
        match *self {
            #[cfg(feature = "agal")]
            Self::Agal(ref program) => agal::bytes::encode(program),
            #[cfg(feature = "nv2a")]
            Self::Nv2a(ref program) => nv2a::bytes::encode(program),
            #[cfg(feature = "d3d9")]
            Self::D3d9(ref program) => d3d9::bytes::encode(program),
            #[cfg(feature = "tgsi")]
            Self::Tgsi(ref program) => tgsi::bytes::encode(program),
        }
    }

    /// Its stage.
    pub fn stage(&self) -> Stage {
        match *self {
            #[cfg(feature = "agal")]
            Self::Agal(ref program) => program.stage().kind(),
            #[cfg(feature = "nv2a")]
            Self::Nv2a(_) => Stage::Vertex,
            #[cfg(feature = "d3d9")]
            Self::D3d9(ref program) => d3d9_stage(program.version().stage()),
            #[cfg(feature = "tgsi")]
            Self::Tgsi(ref program) => tgsi_stage(program.processor),
        }
    }

    /// The version of the language.
    pub fn version(&self) -> u32 {
        match *self {
            #[cfg(feature = "agal")]
            Self::Agal(ref program) => program.version(),
            #[cfg(feature = "nv2a")]
            Self::Nv2a(_) => 1,
            #[cfg(feature = "d3d9")]
            Self::D3d9(ref program) => program.version().decimal(),
            #[cfg(feature = "tgsi")]
            Self::Tgsi(_) => 1,
        }
    }

    /// Language and version as people call them: `AGAL 2`, `NV2A 1`, `vs_1_1`.
    pub fn model(&self) -> String {
        match *self {
            #[cfg(feature = "agal")]
            Self::Agal(ref program) => alloc::format!("AGAL {}", program.version()),
            #[cfg(feature = "nv2a")]
            Self::Nv2a(_) => "NV2A 1".into(),
            #[cfg(feature = "d3d9")]
            Self::D3d9(ref program) => d3d9::text::version_name(program.version()),
            #[cfg(feature = "tgsi")]
            Self::Tgsi(ref program) => alloc::format!("TGSI {}", program.processor.name().unwrap_or("?")),
        }
    }

    /// Number of instructions.
    pub fn instruction_count(&self) -> usize {
        match *self {
            #[cfg(feature = "agal")]
            Self::Agal(ref program) => program.tokens.len(),
            #[cfg(feature = "nv2a")]
            Self::Nv2a(ref program) => program.slots.len(),
            #[cfg(feature = "d3d9")]
            Self::D3d9(ref program) => program.instructions().count(),
            #[cfg(feature = "tgsi")]
            Self::Tgsi(ref program) => program.instructions().count(),
        }
    }

    /// The register files, as texts of instructions spell them, in which a program keeps what it computes and nobody else
    /// sees.
    pub fn temporaries(&self) -> &'static [&'static str] {
        match *self {
            #[cfg(feature = "agal")]
            Self::Agal(ref program) => match program.stage() {
                agal::Stage::Vertex => &["vt"],
                agal::Stage::Fragment => &["ft"],
            },
            #[cfg(feature = "nv2a")]
            Self::Nv2a(_) => &["r"],
            #[cfg(feature = "d3d9")]
            Self::D3d9(_) => &["r"],
            #[cfg(feature = "tgsi")]
            Self::Tgsi(_) => &["TEMP[]", "ADDR[]"],
        }
    }

    /// Every instruction as one line of text.
    pub fn instruction_texts(&self) -> Vec<String> {
        match *self {
            #[cfg(feature = "agal")]
            Self::Agal(ref program) => {
                let (stage, version) = (program.stage(), program.version());
                program.tokens.iter().map(|token| agal::text::instruction(stage, version, token)).collect()
            }
            #[cfg(feature = "nv2a")]
            Self::Nv2a(ref program) => program.slots.iter().map(nv2a::text::instruction).collect(),
            #[cfg(feature = "d3d9")]
            Self::D3d9(ref program) => {
                let version = program.version();
                program.instructions().map(|words| d3d9::text::instruction(version, words)).collect()
            }
            #[cfg(feature = "tgsi")]
            Self::Tgsi(ref program) => program
                .instructions()
                .map(|instruction| tgsi::text::instruction(program, instruction))
                .collect(),
        }
    }

    /// The program as text in the first of the [dialects](Isa::dialects), which says every program without loss.
    #[allow(unreachable_code, reason = "there may be no instruction set")]
    pub fn to_text(&self) -> String {
        self.isa().dialects().first().and_then(|dialect| self.print(dialect)).unwrap_or_default()
    }

    /// The program as text in one of the [dialects](Isa::dialects) of its instruction set; `None` if it has no
    /// dialect of that name, or one that cannot say the program.
    pub fn print(&self, dialect: &str) -> Option<String> {
        self.say(dialect)?.ok()
    }

    /// The program as text, as [`print`](Self::print), or why the dialect cannot say it; `None` if there is no dialect of
    /// that name.
    pub fn say(&self, dialect: &str) -> Option<Result<String, Vec<Diagnostic>>> {
        let _ = dialect;
        match *self {
            #[cfg(feature = "agal")]
            Self::Agal(ref program) => {
                let style = dialect.parse::<agal::text::Style>().ok()?;
                Some(Ok(agal::text::print(program, &agal::text::PrintOptions { style })))
            }
            #[cfg(feature = "nv2a")]
            Self::Nv2a(ref program) => {
                if let Ok(style) = dialect.parse::<nv2a::text::Style>() {
                    return Some(Ok(nv2a::text::print(
                        program,
                        &nv2a::text::PrintOptions { style, compat: false },
                    )));
                }
                let other = dialect.parse::<nv2a::text::Dialect>().ok()?;
                let written = nv2a::text::Dialect::WRITTEN.contains(&other);
                written.then(|| nv2a::text::write(program, other))
            }
            #[cfg(feature = "d3d9")]
            Self::D3d9(ref program) => {
                let style = dialect.parse::<d3d9::text::Style>().ok()?;
                Some(Ok(d3d9::text::print(program, &d3d9::text::PrintOptions { style })))
            }
            #[cfg(feature = "tgsi")]
            Self::Tgsi(ref program) => {
                let style = dialect.parse::<tgsi::text::Style>().ok()?;
                Some(Ok(tgsi::text::print(program, style)))
            }
        }
    }

    /// Lifts the program to the IR.
    ///
    /// # Errors
    ///
    /// The first thing that has no meaning; [`UNSOUND`](vecasm_ir::ir::verify::UNSOUND) if what it gives breaks a rule of the IR.
    pub fn lift(&self, options: &LiftOptions) -> Result<Shader, Diagnostic> {
        let shader = self.lift_unchecked(options)?;
        match vecasm_ir::ir::verify::verify(&shader).first() {
            None => Ok(shader),
            Some(breach) => Err(self.unsound(breach)),
        }
    }

    /// The finding for a breach in what was lifted, at its instruction.
    #[cold]
    fn unsound(&self, breach: &vecasm_ir::ir::verify::Breach) -> Diagnostic {
        let rule = &vecasm_ir::ir::verify::UNSOUND;
        let finding = Diagnostic::error(rule.id, format!("malformed shader: {}", breach.message))
            .with_help(rule.reason);
        let Some(step) = breach.step else { return finding };
        let mut finding = finding.at(Place::instruction(step));
        self.locate(core::slice::from_mut(&mut finding));
        finding
    }

    /// Gives findings that know the number of an instruction alone its place in the binary.
    pub fn locate(&self, findings: &mut [Diagnostic]) {
        for finding in findings {
            let Place::Binary { offset: offset @ 0, token: Some(token) } = &mut finding.place else {
                continue;
            };
            let Some(number) = token.checked_sub(1) else { continue };
            let layout = self.layout();
            let piece = layout.iter().find(|piece| piece.instruction == Some(number as usize));
            *offset = piece.map_or(0, |piece| u32::try_from(piece.offset).unwrap_or(u32::MAX));
        }
    }

    fn lift_unchecked(&self, options: &LiftOptions) -> Result<Shader, Diagnostic> {
        let _ = options;
        match *self {
            #[cfg(feature = "agal")]
            Self::Agal(ref program) => agal::lift::lift(program, &options.agal),
            #[cfg(feature = "nv2a")]
            Self::Nv2a(ref program) => nv2a::lift::lift(program, &options.nv2a),
            #[cfg(feature = "d3d9")]
            Self::D3d9(ref program) => {
                let mut shader = d3d9::lift::lift(program, &options.d3d9)?;
                let inputs = core::mem::take(&mut shader.symbols.inputs);
                shader.symbols = vecasm_ir::ir::symbols::Symbols { inputs, ..d3d9::symbols::of(program) };
                Ok(shader)
            }
            #[cfg(feature = "tgsi")]
            Self::Tgsi(ref program) => tgsi::lift::lift(program, &options.tgsi),
        }
    }

    /// Byte offset and length of each piece of the binary that people want to see on a line of its own: the
    /// header, each instruction, what is left at the end. Together they are the binary.
    pub fn layout(&self) -> Vec<Piece> {
        match *self {
            #[cfg(feature = "agal")]
            Self::Agal(ref program) => {
                let mut out = Vec::with_capacity(program.tokens.len() + 2);
                let mut offset = program.header.bytes().len();
                out.push(Piece { offset: 0, len: offset, instruction: None, fields: HEADER_FIELDS.into() });
                for index in 0..program.tokens.len() {
                    let len = agal::Token::SIZE;
                    out.push(Piece { offset, len, instruction: Some(index), fields: TOKEN_FIELDS.into() });
                    offset += len;
                }
                if !program.tail.is_empty() {
                    out.push(Piece {
                        offset,
                        len: program.tail.len(),
                        instruction: None,
                        fields: Cow::Borrowed(&[]),
                    });
                }
                out
            }
            #[cfg(feature = "nv2a")]
            Self::Nv2a(ref program) => nv2a_layout(program),
            #[cfg(feature = "d3d9")]
            Self::D3d9(ref program) => d3d9_layout(program),
            #[cfg(feature = "tgsi")]
            Self::Tgsi(ref program) => tgsi_layout(program),
        }
    }

    /// The binary as hexadecimal digits and white space only, a line for each piece of [`layout`](Self::layout)
    /// with its fields apart. AGAL: the bytes in file order; NV2A and Direct3D: 32-bit words, most significant digit
    /// first.
    #[cfg_attr(
        not(any(feature = "agal", feature = "nv2a", feature = "d3d9", feature = "tgsi")),
        allow(
            unreachable_code,
            unused_variables,
            unused_mut,
            reason = "without instruction sets no programs"
        )
    )]
    pub fn hex(&self) -> String {
        let mut bytes = self.encode();
        if self.isa().in_words() {
            bytes.chunks_exact_mut(4).for_each(<[u8]>::reverse);
        }
        let mut out = String::with_capacity(bytes.len() * 2 + bytes.len() / 4);
        for piece in self.layout() {
            for (n, (_, range)) in piece.field_ranges().into_iter().enumerate() {
                if n > 0 {
                    out.push(' ');
                }
                out.push_str(&super::to_hex(bytes.get(range).unwrap_or(&[])));
            }
            out.push('\n');
        }
        out
    }
}

#[cfg(feature = "agal")]
const AGAL_STAGES: &[Stage] = &[Stage::Vertex, Stage::Fragment];
#[cfg(feature = "agal")]
const HEADER_FIELDS: &[(&str, usize)] = &[("header", usize::MAX)];
#[cfg(feature = "agal")]
const TOKEN_FIELDS: &[(&str, usize)] = &[("opcode", 4), ("destination", 4), ("source 1", 8), ("source 2", 8)];

#[cfg(feature = "nv2a")]
const NV2A_STAGES: &[Stage] = &[Stage::Vertex];
#[cfg(feature = "nv2a")]
const SLOT_FIELDS: &[(&str, usize)] = &[("word 0", 4), ("word 1", 4), ("word 2", 4), ("word 3", 4)];
#[cfg(feature = "nv2a")]
const WORD_FIELDS: &[(&str, usize)] = &[("word", 4); 8];

/// The pieces of a program of the NV2A: slots, and eight words a line of what stands between them.
#[cfg(feature = "nv2a")]
fn nv2a_layout(program: &nv2a::Program) -> Vec<Piece> {
    let mut out = Vec::with_capacity(program.slots.len() + 2);
    let size = program.header_size()
        + match &program.container {
            nv2a::Container::Pushbuffer(list) => list.iter().map(|c| c.words.len() * 4).sum(),
            _ => 0,
        }
        + program.slots.len() * nv2a::Slot::SIZE
        + program.tail.len();
    let mut at = 0;
    let words = |out: &mut Vec<Piece>, mut at: usize, end: usize| {
        while at < end {
            let len = (end - at).min(32);
            out.push(Piece { offset: at, len, instruction: None, fields: WORD_FIELDS.into() });
            at += len;
        }
    };
    for (index, offset) in program.offsets().into_iter().enumerate() {
        words(&mut out, at, offset);
        out.push(Piece {
            offset,
            len: nv2a::Slot::SIZE,
            instruction: Some(index),
            fields: SLOT_FIELDS.into(),
        });
        at = offset + nv2a::Slot::SIZE;
    }
    words(&mut out, at, size);
    out
}

#[cfg(feature = "d3d9")]
const D3D9_STAGES: &[Stage] = &[Stage::Vertex, Stage::Fragment];
#[cfg(feature = "d3d9")]
const VERSION_FIELDS: &[(&str, usize)] = &[("version", 4)];
/// The longest instruction has 16 words.
#[cfg(feature = "d3d9")]
const D3D9_FIELDS: &[(&str, usize)] = &{
    let mut fields = [("parameter", 4); 16];
    fields[0].0 = "token";
    fields
};
#[cfg(feature = "d3d9")]
const BYTE_FIELDS: &[(&str, usize)] = &[("byte", 1); 3];

/// The word for a stage of Direct3D.
#[cfg(feature = "d3d9")]
const fn d3d9_stage(stage: d3d9::Stage) -> Stage {
    match stage {
        d3d9::Stage::Vertex => Stage::Vertex,
        d3d9::Stage::Pixel => Stage::Fragment,
    }
}

/// The instruction table of Direct3D: a row for each name, operands and stages, over all versions that have it.
#[cfg(feature = "d3d9")]
fn d3d9_instructions() -> Vec<Instruction> {
    use d3d9::Version;
    let mut out: Vec<Instruction> = Vec::new();
    for op in d3d9::Opcode::ALL {
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

#[cfg(feature = "tgsi")]
const TGSI_STAGES: &[Stage] = &{
    let mut stages = [Stage::Vertex; 6];
    let mut i = 0;
    while i < 6 {
        if let Some(stage) = tgsi::Processor::ALL[i].stage() {
            stages[i] = stage;
        }
        i += 1;
    }
    stages
};

/// The word for a stage of TGSI; what is no stage counts as a vertex program.
#[cfg(feature = "tgsi")]
fn tgsi_stage(processor: tgsi::Processor) -> Stage {
    processor.stage().unwrap_or(TGSI_STAGES[0])
}

/// A row of the table of TGSI. Removed instructions have their old number.
#[cfg(feature = "tgsi")]
fn tgsi_instruction(row: &tgsi::table::Row) -> Instruction {
    use tgsi::dialect::Numbering;
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

/// The pieces of a program of TGSI: its header, its tokens, and what is behind them.
#[cfg(feature = "tgsi")]
fn tgsi_layout(program: &tgsi::Program) -> Vec<Piece> {
    let mut out = Vec::with_capacity(program.tokens.len() + 2);
    let mut offset = 0;
    tgsi::bytes::each_piece(program, |len, instruction, fields| {
        out.push(Piece { offset, len, instruction, fields });
        offset += len;
    });
    out
}

/// The pieces of a token stream: its items; what is no instruction eight words a line.
#[cfg(feature = "d3d9")]
fn d3d9_layout(program: &d3d9::Program) -> Vec<Piece> {
    use d3d9::ItemKind;
    let mut out = Vec::with_capacity(program.items().len() + 1);
    let mut count = 0;
    for item in program.items() {
        let (offset, len) = (item.start as usize * 4, item.len as usize * 4);
        let fields =
            |fields: &'static [(&'static str, usize)], n: u32| fields.get(..n as usize).unwrap_or(fields);
        if item.kind == ItemKind::Instruction {
            out.push(Piece {
                offset,
                len,
                instruction: Some(count),
                fields: fields(D3D9_FIELDS, item.len).into(),
            });
            count += 1;
            continue;
        }
        let mut at = 0;
        while at < len {
            let here = (len - at).min(32);
            let fields = match item.kind {
                ItemKind::Version => VERSION_FIELDS,
                _ => fields(D3D9_WORDS, here as u32 / 4),
            };
            out.push(Piece { offset: offset + at, len: here, instruction: None, fields: fields.into() });
            at += here;
        }
    }
    let rest = program.rest().len();
    if rest > 0 {
        let fields = BYTE_FIELDS.get(..rest).unwrap_or(BYTE_FIELDS).into();
        out.push(Piece { offset: program.words().len() * 4, len: rest, instruction: None, fields });
    }
    out
}

#[cfg(feature = "d3d9")]
const D3D9_WORDS: &[(&str, usize)] = &[("word", 4); 8];

/// A piece of a binary; see [`AnyProgram::layout`].
#[derive(Clone, Debug)]
pub struct Piece {
    /// First byte.
    pub offset: usize,
    /// Number of bytes.
    pub len: usize,
    /// The instruction it is, if it is one.
    pub instruction: Option<usize>,
    fields: Cow<'static, [(&'static str, usize)]>,
}

impl Piece {
    /// The fields: a name and the range of bytes of the binary. A piece that has none is one field.
    pub fn field_ranges(&self) -> Vec<(&'static str, core::ops::Range<usize>)> {
        let mut out = Vec::with_capacity(self.fields.len().max(1));
        let (mut at, end) = (self.offset, self.offset + self.len);
        for &(name, len) in self.fields.iter() {
            let to = at.saturating_add(len).min(end);
            out.push((name, at..to));
            at = to;
        }
        if at < end {
            out.push(("rest", at..end));
        }
        out
    }
}
