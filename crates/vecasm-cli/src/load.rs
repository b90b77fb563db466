//! From an input to a program.

use crate::args::{ReadingArgs, Stage};
use crate::including::{self, IncludeArgs, Includes};
use crate::io::{Form, Input, Likely};
use crate::lifting::{LiftArgs, Purpose};
use crate::programs::{self, Content, Piece};
use crate::report::Ctx;
use crate::repro::{self, Deed, Repro};
use crate::{Failure, Outcome, foreign, io};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use vecasm::diag::{self, Diagnostic, Place, Severity, Source, Span};
use vecasm::ir::Shader;
use vecasm::isa::any::CheckOptions;
use vecasm::isa::d3d9::text::ReadOptions;
use vecasm::isa::nv2a::text::{ParseOptions, assemble};
use vecasm::isa::{self, AnyProgram, Isa, tgsi};

/// A program and where it came from.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    /// What was read.
    pub(crate) input: Input,
    /// What it is.
    pub(crate) program: AnyProgram,
    /// What the reader of text had to say that is not an error.
    pub(crate) remarks: Vec<Diagnostic>,
    /// The text, if it came as text; of one of several programs its own part.
    pub(crate) text: Option<Arc<str>>,
    /// Where each instruction stands in the text, if that is known without reading it again.
    pub(crate) spans: Option<Vec<Span>>,
    /// The constants that it brings, with their bits: what they hold unless somebody gives them.
    pub(crate) constants: Vec<(u32, [u32; 4])>,
    /// What came with it, if it was in a repro file.
    pub(crate) packed: Option<Packed>,
}

/// What a repro file says about the program in it.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    /// What it means where that is open; flags count more.
    pub(crate) lifting: LiftArgs,
    /// The run file that it is run on.
    pub(crate) input: String,
}

impl Loaded {
    /// How findings refer to it.
    pub(crate) fn source(&self) -> Source<'_> {
        let whole = self.text.as_ref().map(|_| self.input.piece.as_ref().and_then(Piece::whole));
        let text = whole.map(|whole| whole.or(self.text.as_ref()).map_or("", |text| &**text));
        // Numbers in a text have places there, too.
        Source { name: self.input.name.raw(), text: text.or_else(|| self.input.whole_text()) }
    }

    /// Gives findings about instructions their places in the text, if the program came as text.
    pub(crate) fn place(&self, findings: &mut [Diagnostic]) {
        let Some(text) = &self.text else { return self.place_numbers(findings) };
        // What the reader of a piece said is in its place in the file already.
        let told: Vec<Place> = findings.iter().map(|finding| finding.place).collect();
        self.program.place(text, self.spans.as_deref(), findings);
        if let Some(piece) = &self.input.piece {
            for (finding, before) in findings.iter_mut().zip(told) {
                if finding.place != before {
                    piece.shift(std::slice::from_mut(finding));
                }
            }
        }
    }

    /// Gives findings about bytes the places of the numbers that say them, if the program came as a list of numbers.
    fn place_numbers(&self, findings: &mut [Diagnostic]) {
        let binary = |finding: &Diagnostic| matches!(finding.place, Place::Binary { .. });
        if self.packed.is_some() || !findings.iter().any(binary) || !isa::is_text(&self.input.bytes) {
            return;
        }
        let Ok(text) = self.input.text() else { return };
        let Some(places) = isa::list::places(text, &self.program.encode()) else { return };
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
            if let Some(piece) = &self.input.piece {
                piece.shift(std::slice::from_mut(finding));
            }
        }
    }

    /// Reports what a writer says of the shader that was lifted, at the instruction that it means.
    pub(crate) fn report(&self, finding: Diagnostic, ctx: &Ctx) {
        let mut findings = [finding];
        self.program.locate(&mut findings);
        self.place(&mut findings);
        ctx.report(&findings, self.source());
    }

    /// The text with blank lines for what is in front of it in the file, so that its lines have the numbers of the file.
    pub(crate) fn text_in_place(&self) -> Option<Cow<'_, str>> {
        let text = self.text.as_ref()?;
        let piece = self.input.piece.as_ref().filter(|piece| piece.start() > 0);
        let front = piece.and_then(|piece| piece.whole()?.get(..piece.start()));
        let Some(front) = front else { return Some(Cow::Borrowed(text)) };
        let lines = front.bytes().filter(|byte| *byte == b'\n').count();
        Some(Cow::Owned("\n".repeat(lines) + text))
    }

    /// Says if `check` refuses the program, since what is made of it nevertheless may differ from what the original runtime
    /// would do, which is nothing.
    pub(crate) fn warn_if_refused(&self, ctx: &Ctx) {
        let findings = self.program.validate(&CheckOptions::default());
        if let Some(error) = findings.iter().find(|finding| finding.severity == Severity::Error) {
            ctx.tell(&format!(
                "vecasm: warning: {}: the original runtime refuses this program ({}); `vecasm check` says why",
                self.input.name, error.id
            ));
        }
    }

    /// Lifts it; why that fails goes to standard error.
    pub(crate) fn lift(&self, args: &LiftArgs, purpose: Purpose, ctx: &Ctx) -> Outcome<Shader> {
        let isa = self.program.isa();
        args.check(isa)?;
        if let Some(why) = args.unheeded(&[isa]) {
            return Err(Failure::usage(format!("{}: {why}", self.input.name)));
        }
        let packed = self.packed.as_ref().filter(|_| args.is_plain());
        let packed = packed.map(|packed| packed.lifting.with_steps(args.steps));
        let args = packed.as_ref().unwrap_or(args);
        let mut shader = self.program.lift(&args.options(purpose)).map_err(|finding| {
            let mut findings = [finding];
            self.place(&mut findings);
            ctx.report(&findings, self.source());
            Failure::Shader
        })?;
        if let Some(array) = shader.params.first().map(|array| array.name.clone()) {
            let brought = self.constants.iter().map(|(number, bits)| (array.clone(), *number, *bits));
            shader.symbols.defaults.extend(brought);
        }
        Ok(shader)
    }
}

/// Reads a program; what is wrong with it goes to standard error. Of several it is the first where none is asked for.
pub(crate) fn load(input: Input, reading: &ReadingArgs, likely: Likely, ctx: &Ctx) -> Outcome<Loaded> {
    match read(input, reading, likely)? {
        Ok(loaded) => {
            reading.heeded(&loaded)?;
            ctx.report(&loaded.remarks, loaded.source());
            let piece = loaded.input.piece.as_ref().filter(|piece| piece.of > 1);
            if let Some(piece) = piece.filter(|_| loaded.input.one_of_several().is_none()) {
                let (name, of) = (&loaded.input.name, piece.of);
                ctx.tell(&format!(
                    "vecasm: note: {name}: this is program 1 of {of}; --program N chooses another"
                ));
            }
            Ok(loaded)
        }
        Err((input, findings)) => {
            ctx.report(&findings, Source { name: input.name.raw(), text: input.whole_text() });
            Err(Failure::Shader)
        }
    }
}

/// Reads two programs; one of them may come from standard input.
pub(crate) fn two(first: &Path, second: &Path, reading: &ReadingArgs, ctx: &Ctx) -> Outcome<[Loaded; 2]> {
    if first.as_os_str() == io::DASH && second.as_os_str() == io::DASH {
        return Err(Failure::usage("standard input can be read only once"));
    }
    let inputs = [io::read(first)?, io::read(second)?];
    let readings = reading.of_each(&inputs);
    let [a, b] = inputs;
    Ok([load(a, &readings[0], Likely::Text, ctx)?, load(b, &readings[1], Likely::Text, ctx)?])
}

/// Reads a program, or says what is wrong with it.
pub(crate) fn read(
    input: Input,
    reading: &ReadingArgs,
    likely: Likely,
) -> Outcome<Result<Loaded, (Input, Vec<Diagnostic>)>> {
    if repro::is(&input.bytes) {
        return read_packed(&input, reading, likely);
    }
    let input = if input.piece.is_some() { input } else { programs::one(input, reading)? };
    if let Some(Piece { content: Content::Read(program, spans, constants), .. }) = &input.piece {
        let program = AnyProgram::clone(program);
        let (spans, constants) = (spans.clone(), constants.clone());
        let text = input.piece.as_ref().and_then(Piece::whole).cloned();
        return Ok(Ok(Loaded { input, program, remarks: Vec::new(), text, spans, constants, packed: None }));
    }
    if input.piece.as_ref().is_some_and(|piece| matches!(piece.content, Content::Numbered)) {
        return read_text(input, reading);
    }
    let bytes = match io::form(&input, reading, reading.from, likely)? {
        Form::Bytes(bytes) => bytes,
        Form::Text => return read_text(input, reading),
        Form::Broken(mut findings) => {
            if let Some(piece) = &input.piece {
                piece.shift(&mut findings);
            }
            return Ok(Err((input, findings)));
        }
    };
    let isa = match (reading.isa, isa::sniff(&bytes)) {
        (Some(isa), _) | (None, Some(isa::Content::Binary(isa))) => isa,
        // A list of words may be a part of a program.
        _ => match input.content() {
            Some(isa::Content::Hex(isa)) => isa,
            _ => likely_isa(&input, reading).ok_or_else(|| no_isa(&input))?,
        },
    };
    let told = reading.from_dialect.filter(|_| isa == Isa::Tgsi && tgsi::bytes::looks_like(&bytes));
    let decoded = match told {
        Some(dialect) => Ok(AnyProgram::Tgsi(tgsi::bytes::decode_as(&bytes, dialect))),
        None => AnyProgram::decode(isa, &bytes),
    };
    let program = match decoded {
        Ok(program) => program,
        Err(finding) if likely != Likely::Anything => return Ok(Err((input, vec![finding]))),
        Err(_) => AnyProgram::decode_lossless(isa, &bytes),
    };
    let constants = match &program {
        AnyProgram::Nv2a(all) => programs::uploaded(all),
        _ => Vec::new(),
    };
    Ok(Ok(Loaded { input, program, remarks: Vec::new(), text: None, spans: None, constants, packed: None }))
}

/// Reads the program of a repro file.
fn read_packed(
    input: &Input,
    reading: &ReadingArgs,
    likely: Likely,
) -> Outcome<Result<Loaded, (Input, Vec<Diagnostic>)>> {
    let repro = Repro::read(input)?;
    let (Some(program), Deed::Run { input: on, .. }) = (repro.input(input.name.raw()), &repro.deed) else {
        return Err(Failure::usage(format!("{}: contains a scene; use render", input.name)));
    };
    if repro::is(&program.bytes) {
        return Err(Failure::usage(format!("{}: $.program: a repro file in a repro file", input.name)));
    }
    // What #include may read is no matter of the flags: here it is what is packed.
    let mut reading = ReadingArgs { including: IncludeArgs::default(), ..reading.clone() };
    if reading == ReadingArgs::default() {
        reading = repro.flags.reading.clone();
    }
    reading.including.packed = Some(Arc::new(repro.files.clone()));
    let reading = &reading;
    let packed = Packed { lifting: repro.flags.lifting.clone(), input: on.to_string() };
    Ok(read(program, reading, likely)?.map(|loaded| Loaded { packed: Some(packed), ..loaded }))
}

fn read_text(input: Input, reading: &ReadingArgs) -> Outcome<Result<Loaded, (Input, Vec<Diagnostic>)>> {
    let text = input.text()?.to_string();
    let isa = text_isa(&input, &text, reading)?;
    // What the text itself says counts more than its file name.
    let stage = match (reading.stage, isa.stage_of_text(&text)) {
        (Some(stage), _) => Some(stage),
        (None, Some(_)) => None,
        (None, None) => input.path.as_deref().and_then(named_stage),
    };
    let mut constants = Vec::new();
    let (program, spans, mut findings) = match isa {
        Isa::Nv2a => {
            let (assembled, findings) = assemble(&text, &ParseOptions::default());
            constants = assembled.as_ref().map_or_else(Vec::new, programs::brought);
            let (program, spans) = assembled.map(|a| (AnyProgram::Nv2a(a.program), a.spans)).unzip();
            (program, spans, findings)
        }
        Isa::D3d9 => {
            let number = input.number();
            let options = ReadOptions { number, ..ReadOptions::default() };
            let done = Includes::of(&input, reading).assemble(&text, &options);
            let spans =
                done.places.iter().map(|origin| if origin.file == 0 { origin.span } else { Span::default() });
            let spans = spans.collect();
            (done.program.map(AnyProgram::D3d9), Some(spans), including::flat(&done.files, done.findings))
        }
        Isa::Tgsi => {
            let options = match reading.from_dialect {
                Some(dialect) => {
                    tgsi::text::ParseOptions { dialect: Some(dialect), ..tgsi::text::ParseOptions::default() }
                }
                None => tgsi::text::ParseOptions::tolerant(),
            };
            let (program, findings) = tgsi::text::parse(&text, &options);
            (program.map(AnyProgram::Tgsi), None, findings)
        }
        _ => {
            let (program, findings) = AnyProgram::parse(isa, &text, stage.map(Stage::name), reading.version);
            (program, None, findings)
        }
    };
    isa::source::blame(isa, &text, &mut findings);
    if let Some(piece) = &input.piece {
        piece.shift(&mut findings);
    }
    Ok(match program {
        Some(program) if !diag::has_errors(&findings) => {
            let text = Some(text.into());
            Ok(Loaded { input, program, remarks: findings, text, spans, constants, packed: None })
        }
        _ => Err((input, findings)),
    })
}

/// The instruction set of a text.
pub(crate) fn text_isa(input: &Input, text: &str, reading: &ReadingArgs) -> Outcome<Isa> {
    // Where the text is all of the input, that is known already.
    let whole = input.bytes == text.as_bytes();
    match (reading.isa, if whole { input.content() } else { isa::sniff(text.as_bytes()) }) {
        (Some(isa), _) | (None, Some(isa::Content::Text(isa))) => Ok(isa),
        _ => likely_isa(input, reading).ok_or_else(|| no_isa(input)),
    }
}

/// The stage of a text for readers that have to be told: by flag, directive, registers or file name.
pub(crate) fn stage(input: &Input, text: &str, reading: &ReadingArgs) -> Outcome<Stage> {
    reading
        .stage
        .or_else(|| Isa::Agal.stage_of_text(text).and_then(Stage::from_name))
        .or_else(|| input.path.as_deref().and_then(named_stage))
        .filter(|stage| Isa::Agal.stages().contains(&stage.name()))
        .ok_or_else(|| Failure::usage(format!("{}: unknown stage; name it with --stage", input.name)))
}

/// The stage that a file name tells: `sky.vert.agal`, `sky_fs.txt`, `fragment.agal`.
pub(crate) fn named_stage(path: &Path) -> Option<Stage> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric()).rev();
    words.find_map(|word| match word {
        "vert" | "vertex" | "vs" | "vsh" | "vp" => Some(Stage::Vertex),
        "frag" | "fragment" | "fs" | "fsh" | "fp" | "ps" => Some(Stage::Fragment),
        _ => None,
    })
}

/// Whether an input is a program as far as its content, or the ending of its name, tells. One that only its name calls
/// so is not passed over: that it is empty, or a picture, is an error.
pub(crate) fn is_known(input: &Input) -> bool {
    likely(input).is_some() || repro::is(&input.bytes) || ending(input).is_some()
}

/// The instruction set that the content of an input tells, else the ending of its name.
pub(crate) fn likely(input: &Input) -> Option<Isa> {
    match input.content() {
        Some(isa::Content::Binary(isa) | isa::Content::Text(isa) | isa::Content::Hex(isa)) => Some(isa),
        None => {
            let text = input.text().ok();
            let binary = |bytes: Vec<u8>| match isa::sniff(&bytes) {
                Some(isa::Content::Binary(isa)) => Some(isa),
                _ => None,
            };
            let array = || io::read_hex(text?, None).ok().and_then(binary);
            let digits = || io::read_base64(text?).and_then(binary);
            array().or_else(digits).or_else(|| by_ending(input))
        }
    }
}

/// The instruction set that is asked for, or that the ending of a file name tells.
pub(crate) fn by_flag_or_ending(input: &Input, reading: &ReadingArgs) -> Option<Isa> {
    reading.isa.or_else(|| by_ending(input))
}

/// The instruction set that the ending of a file name tells, if the content can be of it.
fn by_ending(input: &Input) -> Option<Isa> {
    let isa = ending(input)?;
    // The text of a piece may be in the whole only.
    if input.piece.is_some() {
        return Some(isa);
    }
    let readable = || isa::is_text(&input.bytes) || AnyProgram::decode(isa, &input.bytes).is_ok();
    (foreign::what(input).is_none() && readable()).then_some(isa)
}

fn ending(input: &Input) -> Option<Isa> {
    let ending = input.path.as_deref().and_then(Path::extension).and_then(|e| e.to_str())?;
    let fits = |name: &str| name.eq_ignore_ascii_case(ending);
    Isa::ALL.iter().copied().find(|isa| fits(isa.name()) || isa.extensions().iter().copied().any(fits))
}

/// The instruction set of an input that its content does not tell: by the ending of the file name, else the only one
/// that the flags leave.
fn likely_isa(input: &Input, reading: &ReadingArgs) -> Option<Isa> {
    let fits = |isa: &&Isa| {
        let (first, last) = isa.versions();
        reading.version.is_none_or(|version| (first..=last).contains(&version))
            && reading.stage.is_none_or(|stage| isa.stages().contains(&stage.name()))
    };
    let mut left = Isa::ALL.iter().filter(fits);
    by_ending(input).or_else(|| match (left.next(), left.next()) {
        (Some(isa), None) if input.piece.is_some() || foreign::what(input).is_none() => Some(*isa),
        _ => None,
    })
}

fn no_isa(input: &Input) -> Failure {
    Failure::usage(match foreign::what(input) {
        Some(what) => format!("{}: this is {what}", input.name),
        None => format!("{}: unknown instruction set; name it with --isa", input.name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_tell_the_stage() {
        for (name, stage) in [
            ("a/sky.vert.agal", Some(Stage::Vertex)),
            ("vertex/sky_fs.txt", Some(Stage::Fragment)),
            ("Fragment.agal", Some(Stage::Fragment)),
            ("investigation.agal", None),
        ] {
            assert_eq!(named_stage(Path::new(name)), stage, "{name}");
        }
    }
}
