//! A program and where it was read from.

use crate::diag::{self, Diagnostic, LineIndex, Place, Renderer, Source, Span};
use crate::ir::symbols::{Symbol, TextureSymbol};
use crate::ir::{Shader, Stage};
use crate::isa::any::{CheckOptions, LiftOptions, PairFindings};
use crate::isa::{self, AnyProgram, Isa};
use crate::open::{Constants, Input};
use crate::reflect::Info;
use crate::target::Target;
use crate::translate::{Pipeline, Refusal, StageShader, TranslateOptions, Translation};
use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Deref;

/// A program, with its text and what that brings. Findings about it have places in the text that it was read from, or in the
/// list of its numbers.
///
/// It has the methods of [`AnyProgram`], which is the program alone.
#[derive(Clone, Debug)]
pub struct Program {
    any: AnyProgram,
    remarks: Vec<Diagnostic>,
    spans: Option<Vec<Span>>,
    constants: Constants,
    /// Constants that were set elsewhere, as elements of arrays.
    values: Vec<(String, u32, [u32; 4])>,
    /// Names of registers that the text around the program gives.
    named: (Vec<Symbol>, Vec<TextureSymbol>),
    name: String,
    text: Option<Arc<str>>,
    /// How many bytes of text the digits of the program have, if it was read from those.
    digits: Option<usize>,
    /// The text of all programs of the input, and where in it the text or the digits of this one begin.
    whole: Option<Arc<str>>,
    lines: Option<Arc<LineIndex>>,
    start: u32,
}

impl Deref for Program {
    type Target = AnyProgram;

    fn deref(&self) -> &AnyProgram {
        &self.any
    }
}

impl From<AnyProgram> for Program {
    /// A program that was read from no text.
    fn from(any: AnyProgram) -> Self {
        Self {
            any,
            remarks: Vec::new(),
            spans: None,
            constants: Vec::new(),
            values: Vec::new(),
            named: Default::default(),
            name: String::new(),
            text: None,
            digits: None,
            whole: None,
            lines: None,
            start: 0,
        }
    }
}

impl Program {
    /// Reads bytecode of an instruction set.
    ///
    /// # Errors
    ///
    /// Nothing in the bytes is recognizable as a program.
    pub fn decode(isa: Isa, bytes: &[u8]) -> Result<Self, Diagnostic> {
        AnyProgram::decode(isa, bytes).map(Self::from)
    }

    /// Reads assembly of an instruction set: see [`AnyProgram::parse`]. [`open()`](crate::open()) reads texts of any kind.
    ///
    /// # Errors
    ///
    /// The findings, at least one of which is an error.
    pub fn parse(
        isa: Isa,
        text: &str,
        stage: Option<Stage>,
        version: Option<u32>,
    ) -> Result<Self, Vec<Diagnostic>> {
        match AnyProgram::parse(isa, text, stage, version) {
            (Some(any), remarks) => {
                let text: Arc<str> = text.into();
                Ok(Self { text: Some(text.clone()), whole: Some(text), remarks, ..Self::from(any) })
            }
            (None, findings) => Err(findings),
        }
    }

    /// A program that was read from an input; `text` is its own, if it is assembly.
    pub(crate) fn read(any: AnyProgram, input: &Input, text: Option<Arc<str>>) -> Self {
        let piece = input.piece();
        let whole = match (piece, &text) {
            (Some(piece), _) => piece.whole_text().cloned(),
            (None, Some(text)) => Some(text.clone()),
            (None, None) => input.whole_text().map(Arc::from),
        };
        let digits = text.is_none() && isa::is_text(input.bytes());
        let digits = digits.then(|| input.text().ok().map(str::len)).flatten();
        let start = piece.map_or(0, |piece| piece.start());
        let lines = piece.and_then(|piece| piece.lines()).cloned();
        Self { name: input.name().into(), text, digits, whole, lines, start, ..Self::from(any) }
    }

    pub(crate) fn with_spans(self, spans: Option<Vec<Span>>) -> Self {
        Self { spans, ..self }
    }

    pub(crate) fn with_constants(self, constants: Constants) -> Self {
        Self { constants, ..self }
    }

    pub(crate) fn with_remarks(self, remarks: Vec<Diagnostic>) -> Self {
        Self { remarks, ..self }
    }

    /// The program alone.
    pub fn any(&self) -> &AnyProgram {
        &self.any
    }

    /// The program alone.
    pub fn into_any(self) -> AnyProgram {
        self.any
    }

    /// Warnings and notes of the reader of its text. [`check`](Self::check) has them, too.
    pub fn remarks(&self) -> &[Diagnostic] {
        &self.remarks
    }

    /// Its text, if it is assembly. Where the programs of a text can be told apart by their reader only, it is the text of all.
    pub fn text(&self) -> Option<&Arc<str>> {
        self.text.as_ref()
    }

    /// Where each instruction is in the text, if that is known without reading it again.
    pub fn spans(&self) -> Option<&[Span]> {
        self.spans.as_deref()
    }

    /// The constants that it brings: what they hold unless somebody gives them.
    pub fn constants(&self) -> &[(u32, [u32; 4])] {
        &self.constants
    }

    /// How findings refer to it.
    pub fn source(&self) -> Source<'_> {
        Source { name: &self.name, text: self.whole.as_deref() }
    }

    /// Shows findings about it.
    pub fn renderer(&self) -> Renderer<'_> {
        match (&self.whole, &self.lines) {
            (Some(text), Some(lines)) => Renderer::with_lines(self.source(), lines.lines(text)),
            _ => Renderer::new(self.source()),
        }
    }

    /// The text with blank lines for what is in front of it in the file, so that its lines have the numbers of the file.
    pub fn text_in_place(&self) -> Option<Cow<'_, str>> {
        let text = self.text.as_ref()?;
        let front = self.whole.as_ref().and_then(|whole| whole.get(..self.start as usize));
        let Some(front) = front.filter(|front| !front.is_empty()) else { return Some(Cow::Borrowed(text)) };
        let lines = front.bytes().filter(|byte| *byte == b'\n').count();
        Some(Cow::Owned("\n".repeat(lines) + text))
    }

    /// Every finding about it, as the original runtime would have them: what its reader says, then what the rules say.
    pub fn check(&self, options: &CheckOptions) -> Vec<Diagnostic> {
        let mut findings = self.remarks.clone();
        findings.extend(self.any.validate(options));
        self.place(&mut findings);
        findings
    }

    /// Whether the original runtime accepts it: no finding is an error.
    pub fn is_accepted(&self, options: &CheckOptions) -> bool {
        !diag::has_errors(&self.any.validate(options))
    }

    /// Gives findings about instructions their places in the text, if the program came as text.
    pub fn place(&self, findings: &mut [Diagnostic]) {
        let Some(text) = &self.text else { return self.place_numbers(findings) };
        // What the reader of a part said is in its place in the file already.
        let told: Vec<Place> = findings.iter().map(|finding| finding.place).collect();
        self.any.place(text, self.spans.as_deref(), findings);
        for (finding, before) in findings.iter_mut().zip(told) {
            if finding.place != before {
                self.shift(finding);
            }
        }
    }

    /// Gives findings about bytes the places of the numbers that say them.
    fn place_numbers(&self, findings: &mut [Diagnostic]) {
        let binary = |finding: &Diagnostic| matches!(finding.place, Place::Binary { .. });
        let Some(len) = self.digits.filter(|_| findings.iter().any(binary)) else { return };
        let start = self.start as usize;
        let Some(digits) = self.whole.as_ref().and_then(|whole| whole.get(start..start + len)) else {
            return;
        };
        let Some(places) = isa::list::places(digits, &self.any.encode()) else { return };
        for finding in findings {
            let Place::Binary { offset, .. } = finding.place else { continue };
            let Some(span) = isa::list::place_of(&places, offset) else { continue };
            finding.place = Place::Text(span);
            // The numbers there say little.
            if let Some(instruction) = &finding.instruction {
                let within = format!("this is in `{instruction}`");
                finding.help = Some(match finding.help.take() {
                    Some(help) => format!("{within}; {help}").into(),
                    None => within.into(),
                });
            }
            self.shift(finding);
        }
    }

    /// With constants that were set elsewhere, as elements of arrays: the name, the number, the lanes as bits. They count more than those
    /// that it brings.
    #[must_use]
    pub fn with_values(self, values: Vec<(String, u32, [u32; 4])>) -> Self {
        Self { values, ..self }
    }

    /// With names of registers that a text says beside the program. Those of its own table of constants count more.
    #[must_use]
    pub(crate) fn with_names(self, constants: Vec<Symbol>, textures: Vec<TextureSymbol>) -> Self {
        Self { named: (constants, textures), ..self }
    }

    /// Gives a lifted shader the names that the text around the program has for registers, where its own table has none.
    fn name_symbols(&self, shader: &mut Shader) {
        let (constants, textures) = &self.named;
        if shader.symbols.constants.is_empty() && shader.symbols.textures.is_empty() {
            shader.symbols.constants.extend(constants.iter().cloned());
            shader.symbols.textures.extend(textures.iter().cloned());
        }
    }

    /// The constants that were set elsewhere.
    pub fn values(&self) -> &[(String, u32, [u32; 4])] {
        &self.values
    }

    /// Moves a finding to where it is in the whole text.
    fn shift(&self, finding: &mut Diagnostic) {
        if let Place::Text(span) = &mut finding.place {
            span.start = span.start.saturating_add(self.start);
            span.end = span.end.saturating_add(self.start);
        }
    }

    /// Lifts it, with the constants that it brings as the defaults of its shader.
    ///
    /// # Errors
    ///
    /// The finding is in its place.
    pub fn lift(&self, options: &LiftOptions) -> Result<Shader, Diagnostic> {
        let mut shader = self.any.lift(options).map_err(|mut finding| {
            self.place(core::slice::from_mut(&mut finding));
            finding
        })?;
        self.name_symbols(&mut shader);
        if let Some(array) = shader.params.first().map(|array| array.name.clone()) {
            let brought = self.constants.iter().map(|(number, bits)| (array.clone(), *number, *bits));
            shader.symbols.defaults.extend(brought);
        }
        if !self.values.is_empty() {
            let set: BTreeSet<(&str, u32)> =
                self.values.iter().map(|(array, n, _)| (array.as_str(), *n)).collect();
            shader.symbols.defaults.retain(|(array, n, _)| !set.contains(&(array.as_str(), *n)));
            shader.symbols.defaults.extend(self.values.iter().cloned());
        }
        Ok(shader)
    }

    /// What there is to say about it: its language, counts, interface, and the facts of its instruction set. One that cannot be
    /// lifted has no interface, but a [problem](Info::problem).
    pub fn info(&self, options: &LiftOptions) -> Info {
        Info::of(&self.any, self.lift(options).as_ref())
    }

    /// Translates it: see [`translate()`](crate::translate()).
    ///
    /// # Errors
    ///
    /// Those of [`translate()`](crate::translate()), in their places.
    pub fn translate(&self, target: Target, options: &TranslateOptions<'_>) -> Result<Translation, Refusal> {
        let written = match self.stage_shader(target, options) {
            Ok(stage) => Pipeline::of(Vec::from([stage]), target).write(0..1, target, options),
            Err(finding) => Err(Refusal::of(Some(0), finding)),
        };
        written.map_err(|refusal| refusal.placed(&[self]))
    }

    /// The shader prepared for a target, with the names that the text around it gives.
    fn stage_shader(
        &self,
        target: Target,
        options: &TranslateOptions<'_>,
    ) -> Result<StageShader, Diagnostic> {
        let (mut stage, _) = StageShader::of(&self.any, target, options)?;
        self.name_symbols(&mut stage.shader);
        Ok(stage)
    }

    /// Translates the programs of one draw: see [`translate_draw()`](crate::translate_draw()).
    ///
    /// # Errors
    ///
    /// Those of [`translate_draw()`](crate::translate_draw()), in their places: [`Refusal::stage`] is the number of the program.
    pub fn translate_draw(
        programs: &[&Self],
        target: Target,
        options: &TranslateOptions<'_>,
    ) -> Result<Vec<Translation>, Refusal> {
        let made = programs.iter().map(|program| program.stage_shader(target, options));
        crate::translate::translate_stages(made, target, options).map_err(|refusal| refusal.placed(programs))
    }

    /// Every finding about a vertex and a fragment program that are used together, each about one of them in its place in that one's
    /// text; `None` where there is nothing to say about such a pair: see [`AnyProgram::validate_pair`].
    pub fn check_pair(vertex: &Self, fragment: &Self, options: &CheckOptions) -> Option<PairFindings> {
        let mut found = AnyProgram::validate_pair(vertex, fragment, options)?;
        for (program, findings) in [(vertex, &mut found.vertex), (fragment, &mut found.fragment)] {
            findings.splice(0..0, program.remarks.iter().cloned());
            program.place(findings);
        }
        Some(found)
    }
}

impl Refusal {
    /// The same with its finding in its place in the text of the program that it is about, of those that were translated.
    #[must_use]
    pub fn placed(mut self, programs: &[&Program]) -> Self {
        if let Some(program) = self.stage.and_then(|n| programs.get(n)) {
            for findings in [core::slice::from_mut(&mut *self.finding), &mut self.others] {
                program.any.locate(findings);
                program.place(findings);
            }
        }
        self
    }
}
