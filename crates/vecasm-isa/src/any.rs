//! A program of any instruction set, and what can be asked of an instruction set as a whole, so that tools are
//! written once for all of them.

use super::ASKED;
use super::Isa;
use super::instruction_set::InstructionSet;
use super::registry::{of_isa, of_program};
use super::symbols::Symbols;
use super::table::{Flow, Lift, OpRow, Shape, Stages};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::Any;
use vecasm_ir::diag::{Diagnostic, Place, Rule, Span};
use vecasm_ir::ir::{Pure, Shader, Stage};

pub use super::registry::{AnyProgram, CheckOptions, LiftOptions};

#[cfg(feature = "d3d9")]
use super::d3d9;
#[cfg(feature = "nv2a")]
use super::nv2a;

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
        of_isa!(self, P => P::table())
    }

    /// Every rule that readers and validators of this instruction set report.
    pub fn rules(self) -> Vec<&'static Rule> {
        of_isa!(self, P => P::RULES.iter().copied().flatten().collect())
    }

    /// The stage of a text, if the text tells it: by a directive or by its registers.
    pub fn stage_of_text(self, text: &str) -> Option<Stage> {
        of_isa!(self, P => P::stage_of_text(text))
    }

    /// The symbols of a text, of whose includes none is read; `vecasm::symbols` reads them. `stage` and `version` are heeded where the
    /// text does not tell them.
    pub fn symbols(self, text: &str, stage: Option<Stage>, version: Option<u32>) -> Symbols {
        of_isa!(self, P => P::symbols(text, stage, version))
    }

    /// The fragment shader behind a vertex program of this instruction set that is drawn without one, if it has fixed
    /// functions there. `textured` tells whether a texture is set in slot 0.
    pub fn default_fragment(self, vertex: &Shader, textured: bool) -> Option<Shader> {
        of_isa!(self, P => P::default_fragment(vertex, textured))
    }

    /// Makes two lifted shaders that stand behind one another in the pipeline fit, where stages of this instruction set that
    /// fit in the runtime may not fit in a target: see [`d3d9::lift::link`](super::d3d9::lift::link::link). Varyings of TGSI
    /// get the locations from 0 on where one is above 15; what is read and never written stays an error. What comes out
    /// depends on the two shaders alone, so each may be written on its own after that; a stage between is linked with the
    /// one before it and with the one behind it, in any order.
    ///
    /// `opt::retype_for` is the other half: types.
    pub fn link(self, first: &mut Shader, second: &mut Shader) {
        of_isa!(self, P => P::link(first, second));
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
        of_isa!(self, P => P::lay_out(text))
    }

    /// The dialects that programs can be printed in; the first one is without loss and the default.
    pub fn dialects(self) -> Vec<&'static str> {
        of_isa!(self, P => P::dialects())
    }

    /// The versions of the language, first and last.
    pub const fn versions(self) -> (u32, u32) {
        of_isa!(self, P => P::VERSIONS)
    }

    /// The stages programs of this instruction set are for.
    pub const fn stages(self) -> &'static [Stage] {
        of_isa!(self, P => P::STAGES)
    }
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

/// The findings of two programs that are used together, by where they belong.
///
/// Of AGAL at most one of them is marked [`first`](Diagnostic::first): the player looks at the vertex program, then at the
/// fragment program, then at the linkage, and stops at the first error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairFindings {
    /// About the vertex program.
    pub vertex: Vec<Diagnostic>,
    /// About the fragment program.
    pub fragment: Vec<Diagnostic>,
    /// About the two together.
    pub linkage: Vec<Diagnostic>,
}

impl PairFindings {
    /// All findings: of the vertex program, of the fragment program, of the two together.
    pub fn into_all(self) -> Vec<Diagnostic> {
        let mut all = self.vertex;
        all.extend(self.fragment);
        all.extend(self.linkage);
        all
    }

    /// The finding that the original runtime would have raised, if it is marked.
    pub fn first(&self) -> Option<&Diagnostic> {
        [&self.vertex, &self.fragment, &self.linkage].into_iter().flatten().find(|d| d.first)
    }
}

impl AnyProgram {
    /// Reads a binary.
    ///
    /// # Errors
    ///
    /// Fails only if nothing in the bytes is recognizable as a program of that instruction set.
    pub fn decode(isa: Isa, bytes: &[u8]) -> Result<Self, Diagnostic> {
        of_isa!(isa, P => P::decode(bytes).map(Self::from))
    }

    /// Reads any bytes as a program of that instruction set, for [`validate`](Self::validate) to say what is wrong.
    pub fn decode_lossless(isa: Isa, bytes: &[u8]) -> Self {
        of_isa!(isa, P => P::decode_lossless(bytes).into())
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
            return (None, alloc::vec![ASKED.finding(message).with_help(ASKED.reason)]);
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
        Some(ASKED.finding(message).with_help(ASKED.reason))
    }

    fn parse_any(
        isa: Isa,
        text: &str,
        stage: Option<Stage>,
        version: Option<u32>,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let text = super::without_padding(text);
        of_isa!(isa, P => {
            let (program, findings) = P::parse(text, stage, version);
            (program.map(Self::from), findings)
        })
    }

    /// Where each instruction stands in the text that the program was read from.
    pub fn instruction_spans(&self, text: &str) -> Vec<Span> {
        of_isa!(self.isa(), P => P::instruction_spans(text))
    }

    /// Gives findings about the program their places in the text that it was read from. `spans` are those of its
    /// [instructions](Self::instruction_spans) if they are known otherwise than from the text.
    pub fn place(&self, text: &str, spans: Option<&[Span]>, findings: &mut [Diagnostic]) {
        of_program!(self, program => program.place(text, spans, findings));
    }

    /// Every finding about the program, in the order of the original runtime.
    pub fn validate(&self, options: &CheckOptions) -> Vec<Diagnostic> {
        of_program!(self, program => program.validate(options))
    }

    /// Every finding about two programs that are used together; `None` if they are of different instruction sets.
    pub fn validate_pair(vertex: &Self, fragment: &Self, options: &CheckOptions) -> Option<PairFindings> {
        fn pair<P: InstructionSet + Any>(
            vertex: &P,
            fragment: &AnyProgram,
            options: &CheckOptions,
        ) -> Option<PairFindings> {
            let fragment: Option<&P> =
                of_program!(fragment, other => (other as &dyn Any).downcast_ref::<P>());
            P::validate_pair(vertex, fragment?, options)
        }
        of_program!(vertex, vertex => pair(vertex, fragment, options))
    }

    /// Writes the binary.
    pub fn encode(&self) -> Vec<u8> {
        of_program!(self, program => program.encode())
    }

    /// Its stage.
    pub fn stage(&self) -> Stage {
        of_program!(self, program => InstructionSet::stage(program))
    }

    /// The version of the language.
    pub fn version(&self) -> u32 {
        of_program!(self, program => InstructionSet::version(program))
    }

    /// Language and version as people call them: `AGAL 2`, `NV2A 1`, `vs_1_1`.
    pub fn model(&self) -> String {
        of_program!(self, program => program.model())
    }

    /// Number of instructions.
    pub fn instruction_count(&self) -> usize {
        of_program!(self, program => program.instruction_count())
    }

    /// The register files, as texts of instructions spell them, in which a program keeps what it computes and nobody else
    /// sees.
    pub fn temporaries(&self) -> &'static [&'static str] {
        of_program!(self, program => program.temporaries())
    }

    /// Every instruction as one line of text.
    pub fn instruction_texts(&self) -> Vec<String> {
        of_program!(self, program => program.instruction_texts())
    }

    /// The program as text in the first of the [dialects](Isa::dialects), which says every program without loss.
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
        of_program!(self, program => program.say(dialect))
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
        let rule = vecasm_ir::ir::verify::UNSOUND;
        let finding = rule.finding(rule.fill(&[&breach.message])).with_help(rule.reason);
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
        of_program!(self, program => InstructionSet::lift(program, options))
    }

    /// Byte offset and length of each piece of the binary that people want to see on a line of its own: the
    /// header, each instruction, what is left at the end. Together they are the binary.
    pub fn layout(&self) -> Vec<Piece> {
        of_program!(self, program => InstructionSet::layout(program))
    }

    /// The binary as hexadecimal digits and white space only, a line for each piece of [`layout`](Self::layout)
    /// with its fields apart. AGAL: the bytes in file order; NV2A and Direct3D: 32-bit words, most significant digit
    /// first.
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

/// A piece of a binary; see [`AnyProgram::layout`].
#[derive(Clone, Debug)]
pub struct Piece {
    /// First byte.
    pub offset: usize,
    /// Number of bytes.
    pub len: usize,
    /// The instruction it is, if it is one.
    pub instruction: Option<usize>,
    pub(crate) fields: Cow<'static, [(&'static str, usize)]>,
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
