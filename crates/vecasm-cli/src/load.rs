//! From an input to a program.

use crate::args::ReadingArgs;
use crate::including::{IncludeArgs, Includes};
use crate::io::{Input, Name};
use crate::lifting::{LiftArgs, Purpose};
use crate::report::Ctx;
use crate::repro::{self, Action, Flags};
use crate::{Failure, Outcome, io, programs};
use std::path::Path;
use std::sync::Arc;
use vecasm::Program;
use vecasm::diag::{Diagnostic, Place, Severity, Source};
use vecasm::ir::Shader;
use vecasm::ir::Stage;
use vecasm::isa::any::CheckOptions;
use vecasm::isa::nv2a::program::Container;
use vecasm::isa::{AnyProgram, Isa};
use vecasm::open::{AssumedNotation, ReadError};

/// A program and where it came from.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    /// What was read.
    pub(crate) input: Input,
    /// What it is.
    pub(crate) program: Program,
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
        self.program.source()
    }

    /// Gives findings about instructions their places in the text, if the program came as text or as a list of numbers.
    pub(crate) fn place(&self, findings: &mut [Diagnostic]) {
        self.program.place(findings);
    }

    /// Reports what a writer says of the shader that was lifted, at the instruction that it means.
    pub(crate) fn report(&self, finding: Diagnostic, ctx: &Ctx) {
        let mut findings = [finding];
        self.program.locate(&mut findings);
        self.place(&mut findings);
        ctx.report(&findings, self.program.renderer());
    }

    /// Says if `check` refuses the program, since what is made of it nevertheless may differ from what the original runtime
    /// would do, which is nothing.
    pub(crate) fn warn_if_refused(&self, ctx: &Ctx) {
        warn_of_refusal(&self.input.name, &self.program.validate(&CheckOptions::default()), ctx);
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
        self.program.lift(&args.options(purpose)).map_err(|finding| {
            ctx.report(&[finding], self.program.renderer());
            Failure::Shader
        })
    }

    /// Warns where the header of a program of the NV2A names another number of slots than the file has: what is read may be cut off.
    pub(crate) fn warn_of_header(&self, ctx: &Ctx) {
        let AnyProgram::Nv2a(program) = self.program.any() else { return };
        let Container::Microcode { count, .. } = program.container else { return };
        if usize::from(count) == program.slots.len() && program.tail.is_empty() {
            return;
        }
        let findings = self.program.check(&CheckOptions::default());
        if let Some(finding) = findings.into_iter().find(|finding| finding.place == Place::Whole) {
            ctx.report(&[Diagnostic { severity: Severity::Warning, ..finding }], self.program.renderer());
        }
    }
}

/// Says that the original runtime refuses a program, if an error is among what `check` finds.
pub(crate) fn warn_of_refusal(name: &Name, findings: &[Diagnostic], ctx: &Ctx) {
    if let Some(error) = findings.iter().find(|finding| finding.severity == Severity::Error) {
        ctx.tell(&format!(
            "vecasm: warning: {name}: the original runtime refuses this program ({}); `vecasm check` says why",
            error.id
        ));
    }
}

/// Reads a program; what is wrong with it goes to standard error. Of several it is the first where none is asked for.
pub(crate) fn load(
    input: Input,
    reading: &ReadingArgs,
    likely: AssumedNotation,
    ctx: &Ctx,
) -> Outcome<Loaded> {
    match read(input, reading, likely)? {
        Ok(loaded) => {
            reading.heeded(&loaded)?;
            ctx.report(loaded.program.remarks(), loaded.program.renderer());
            loaded.warn_of_header(ctx);
            let piece = loaded.input.piece().filter(|piece| piece.of() > 1);
            if let Some(piece) = piece.filter(|_| loaded.input.one_of_several().is_none()) {
                let (name, of) = (&loaded.input.name, piece.of());
                ctx.tell(&format!(
                    "vecasm: note: {name}: this is program 1 of {of}; --program N chooses another"
                ));
            }
            Ok(loaded)
        }
        Err((input, findings)) => {
            ctx.report(&findings, input.renderer());
            Err(Failure::Shader)
        }
    }
}

/// Reads two programs; one of them may come from standard input.
pub(crate) fn two(first: &Path, second: &Path, reading: &ReadingArgs, ctx: &Ctx) -> Outcome<[Loaded; 2]> {
    load_each(io::read_each([first, second])?, reading, ctx)
}

/// The programs of several inputs.
pub(crate) fn load_each<const N: usize>(
    inputs: [Input; N],
    reading: &ReadingArgs,
    ctx: &Ctx,
) -> Outcome<[Loaded; N]> {
    let readings = reading.of_each(&inputs);
    let mut out = Vec::with_capacity(N);
    for (input, reading) in inputs.into_iter().zip(&readings) {
        out.push(load(input, reading, AssumedNotation::Text, ctx)?);
    }
    out.try_into().map_err(|_| Failure::Internal)
}

/// Reads a program, or says what is wrong with it.
pub(crate) fn read(
    input: Input,
    reading: &ReadingArgs,
    likely: AssumedNotation,
) -> Outcome<Result<Loaded, (Input, Vec<Diagnostic>)>> {
    if repro::is(input.bytes()) {
        return read_packed(&input, reading, likely);
    }
    let input = if input.piece().is_some() { input } else { programs::one(input, reading)? };
    let read = input.read(&reading.options(likely), &mut Includes::of(&input, reading));
    match read {
        Ok(program) => Ok(Ok(Loaded { input, program, packed: None })),
        Err(ReadError::Bad(findings)) => Ok(Err((input, findings))),
        Err(ReadError::Unknown(unknown)) => Err(input.failure(&unknown)),
    }
}

/// Reads the program of a repro file.
fn read_packed(
    input: &Input,
    reading: &ReadingArgs,
    likely: AssumedNotation,
) -> Outcome<Result<Loaded, (Input, Vec<Diagnostic>)>> {
    let repro = repro::read(input)?;
    let Action::Run(run) = &repro.action else {
        return Err(Failure::usage(format!("{}: contains a scene; use render", input.name)));
    };
    let program = repro::program(run, input.name.raw());
    if repro::is(program.bytes()) {
        return Err(Failure::usage(format!("{}: $.program: a repro file in a repro file", input.name)));
    }
    let flags = Flags::of(&repro);
    // What #include may read is no matter of the flags: here it is what is packed.
    let mut reading = ReadingArgs { including: IncludeArgs::default(), ..reading.clone() };
    if reading == ReadingArgs::default() {
        reading = flags.reading;
    }
    reading.including.packed = Some(Arc::new(repro.files.clone()));
    let reading = &reading;
    let packed = Packed { lifting: flags.lifting, input: run.input.clone() };
    Ok(read(program, reading, likely)?.map(|loaded| Loaded { packed: Some(packed), ..loaded }))
}

/// The instruction set of a text.
pub(crate) fn text_isa(input: &Input, text: &str, reading: &ReadingArgs) -> Outcome<Isa> {
    let isa = input.isa_of_text(text, &reading.options(AssumedNotation::Text));
    isa.map_err(|unknown| input.failure(&unknown))
}

/// The stage of a text for readers that have to be told: by flag, directive, registers or file name.
pub(crate) fn stage(input: &Input, text: &str, reading: &ReadingArgs) -> Outcome<Stage> {
    reading
        .open
        .stage
        .or_else(|| Isa::Agal.stage_of_text(text))
        .or_else(|| input.stage_of_name())
        .filter(|stage| Isa::Agal.stages().contains(stage))
        .ok_or_else(|| Failure::usage(format!("{}: unknown stage; name it with --stage", input.name)))
}

/// Whether an input is a program as far as its content, or the ending of its name, tells. One that only its name calls
/// so is not passed over: that it is empty, or a picture, is an error.
pub(crate) fn is_known(input: &Input) -> bool {
    input.is_program() || repro::is(input.bytes())
}
