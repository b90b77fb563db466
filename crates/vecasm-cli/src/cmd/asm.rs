//! `vecasm asm`: text to bytes.

use crate::args::{InputArgs, MessageFormat, OutputArgs, ReadingArgs, parse_tgsi};
use crate::batch::{Batch, Job, Outputs, Words};
use crate::including::{self, Includes};
use crate::io::{Input, Payload, ProgramSelector, Sink};
use crate::macros::{self, MacroArgs};
use crate::repacking::{self, NewProgram, Target};
use crate::report::Ctx;
use crate::targets::{self, ByteFormat, Extras};
use crate::{Failure, Outcome, io, load, programs};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use vecasm::diag;
use vecasm::isa::agal::text::macros::{self as macro_language, Expanded};
use vecasm::isa::agal::text::{Assembler, CompatOptions, assemble};
use vecasm::isa::d3d9::text::{self as d3d9_text, ReadOptions};
use vecasm::isa::nv2a::pair;
use vecasm::isa::nv2a::rules as nv2a_rules;
use vecasm::isa::nv2a::text::{self as nv2a_text, Dialect, Numbering, ParseOptions};
use vecasm::isa::{self, AnyProgram, Isa, tgsi};
use vecasm::open::{self, AssumedNotation, Form, Notation, OpenOptions};

/// Assemble text to bytecode
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm asm shader.agal -o shader.bin          stage and version are in the text: `.agal fragment 2`\n  \
    vecasm asm --stage vertex --version 1 --to hex < shader.txt\n  \
    vecasm asm --name SKY sky.frag.agal -o sky.h     a C array, as the extension tells; --to says it, too\n  \
    vecasm asm --mode compat --assembler legacy --stage vertex old.txt -o old.bin\n  \
    vecasm asm --assembler macro -D LIGHTS=2 --to json lit.vert.agal   with the constants it needs\n  \
    vecasm asm --to inl cube.vp                   NV_vertex_program, xvs, what xemu writes: the text tells\n  \
    vecasm asm -I include -D LIGHTS=2 lit.vsa -o lit.vso    Direct3D, with a C preprocessor; -E shows what it makes\n  \
    vecasm asm --like old.pso edited.txt -o new.pso   a listing; what it lacks is taken from the original\n  \
    vecasm asm --to-dialect virgl --to hex draw.tgsi   tokens as virglrenderer numbers them\n  \
    vecasm asm --splice shaders.h::g_main new.asm -o new.h    into the array of a header, in its notation\n  \
    vecasm asm -o build/ shaders/                 one file per input, in the same subfolders\n\n\
    --to inl, c, rust, as3 and json carry the disassembly as comments or fields.")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Output format of the bytecode [default: by the extension of -o FILE (.hex, .inl, .h, .rs, .as, .b64, .json), else
    /// bin]
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    to: Option<ByteFormat>,
    /// TGSI: dialect of the tokens [default: the dialect of the text]
    #[arg(long, value_name = "DIALECT", value_parser = parse_tgsi, help_heading = "Output")]
    to_dialect: Option<tgsi::Dialect>,
    /// Name in C, Rust and ActionScript output [default: the name of the input]
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    name: Option<String>,
    /// How to read text: `strict` rejects everything doubtful, `compat` does what the original assembler does: Adobe's
    /// for AGAL, nv2a-vsh for the NV2A
    #[arg(long, value_name = "MODE", default_value = "strict", help_heading = "Input")]
    mode: Mode,
    /// Assembler whose language the text is in [default: detected from the content]. AGAL: the published
    /// AGALMiniAssembler that `--mode compat` follows (`v3` if not given), or `macro` for the macro language
    #[arg(long, value_name = "ASSEMBLER", help_heading = "Input")]
    assembler: Option<AssemblerArg>,
    /// Allow register numbers up to 1024, like the assembler's parameter of the same name
    #[arg(long, help_heading = "AGAL text")]
    ignore_limits: bool,
    #[command(flatten)]
    macros: MacroArgs,
    /// Folder to search for included files
    #[arg(short = 'I', long, value_name = "DIR", help_heading = "Direct3D text")]
    include: Vec<PathBuf>,
    /// Write the preprocessed text instead of bytecode
    #[arg(short = 'E', long, conflicts_with = "to", help_heading = "Direct3D text")]
    preprocess: bool,
    /// Shader that the text is a listing of; what listings lack is taken from it where the instructions match
    #[arg(long, value_name = "ORIGINAL", help_heading = "Direct3D text")]
    like: Option<PathBuf>,
    /// Put the program into FILE, in the place of the one at ADDRESS, which may be left out where there is only one: an array of a
    /// source, digits, a text, a container. What is written is that file with the new program
    #[arg(long, value_name = "FILE[::ADDRESS]", conflicts_with_all = ["to", "preprocess", "expand", "name"], help_heading = "Output")]
    splice: Option<PathBuf>,
    /// End the program with an empty slot instead of marking the last one, like `nv2avsh -e`
    #[arg(long, help_heading = "NV2A text")]
    explicit_final: bool,
    /// Numbering of constants: `hardware` from 0, `d3d` from -96
    #[arg(long, value_name = "NUMBERING", default_value = "hardware", value_parser = numbering, help_heading = "NV2A text")]
    constants: Numbering,
}

impl Args {
    fn to(&self) -> ByteFormat {
        let told = || self.output.output.as_deref().and_then(ByteFormat::of_file);
        self.to.or_else(told).unwrap_or(ByteFormat::Bin)
    }
}

fn numbering(name: &str) -> Result<Numbering, String> {
    name.parse::<Numbering>().map_err(|_| {
        let names: Vec<&str> = Numbering::ALL.into_iter().map(Numbering::name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Everything doubtful is an error with line and column
    Strict,
    /// Bug for bug what AGALMiniAssembler or nv2a-vsh does, with its error texts
    Compat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssemblerArg {
    /// One of Adobe's.
    Agal(Assembler),
    /// AGALMacroAssembler.
    Macro,
    /// A language of programs of the NV2A.
    Nv2a(Dialect),
}

impl AssemblerArg {
    /// Each with its name and what it is.
    fn row(self) -> (&'static str, String) {
        match self {
            Self::Agal(Assembler::V3) => ("v3", "AGAL 1-3, graphicscorelib".into()),
            Self::Agal(Assembler::Legacy) => ("legacy", "AGAL 1, 2011".into()),
            Self::Agal(Assembler::Extended) => ("extended", "AGAL 2 beta".into()),
            Self::Agal(Assembler::Agal4) => ("agal4", "AGAL 1-4, the copy of 2017 in Starling".into()),
            Self::Macro => {
                ("macro", "AGALMacroAssembler: expressions, macros, constants, a preprocessor".into())
            }
            Self::Nv2a(dialect) => (dialect.name(), format!("NV2A: {}", dialect.title())),
        }
    }

    /// The assembler of AGAL; what macros expand to goes to the one of 2011.
    const fn agal(this: Option<Self>) -> Assembler {
        match this {
            Some(Self::Agal(assembler)) => assembler,
            Some(Self::Macro) => Assembler::Legacy,
            Some(Self::Nv2a(_)) | None => Assembler::V3,
        }
    }
}

impl ValueEnum for AssemblerArg {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<AssemblerArg>> = LazyLock::new(|| {
            let agal = [Assembler::V3, Assembler::Legacy, Assembler::Extended, Assembler::Agal4];
            let nv2a = Dialect::ALL.iter().map(|dialect| AssemblerArg::Nv2a(*dialect));
            agal.map(AssemblerArg::Agal).into_iter().chain([AssemblerArg::Macro]).chain(nv2a).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = self.row();
        Some(PossibleValue::new(name).help(help))
    }
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(file) = &args.splice {
        return splice(args, file, ctx);
    }
    let extension = match () {
        () if args.preprocess => Isa::D3d9.name(),
        () if args.macros.expand => "agal",
        () => args.to().extension(),
    };
    let file = |input: &Input| io::with_ending(input.long_stem(), extension);
    let batch = Batch::new(&args.input.files, &args.input.batch)?;
    let mut outputs = Outputs::new(&args.output, &args.input.reading, &batch, |input, _| file(input))?;
    let job = Job::new(&args.input.reading, Words::Work).of_texts().all_in_a_folder(&outputs);
    batch.run(
        &job,
        ctx,
        |input, ctx| Ok((file(&input), result(args, input, ctx)?)),
        |path, (file, result)| outputs.write(path, &file, &result),
    )
}

/// Writes a file with the program in the place of one that it has.
fn splice(args: &Args, file: &Path, ctx: &Ctx) -> Outcome {
    let [input] = <[Input; 1]>::try_from(io::read_all(&args.input.files)?)
        .map_err(|_| Failure::usage("--splice: one program comes into the place of one; name one input"))?;
    let (target, raw) = io::read_with_bytes(file)?;
    // What is said of reading is said of the program.
    let reading = ReadingArgs::default();
    if target.asked.is_none() && programs::count(&target, &reading) > 1 {
        return Err(programs::several(&target, &programs::pieces(&target, &reading)));
    }
    let place = programs::one(target.clone(), &reading)?;
    let address = match (place.piece(), &target.asked) {
        (Some(piece), _) => piece.address_in_file(),
        (None, Some(ProgramSelector::Address(address))) => address.clone(),
        (None, _) => "1".into(),
    };
    let host = Target::of(&target, &raw, &reading, ctx)?;
    let old = host.find(&address, ctx)?;
    let text =
        repacking::assembly_of(&input, &args.input.reading).filter(|_| !args.macros.any()).map(String::from);
    let name = input.name.clone();
    let (program, _) = program(args, input, ctx)?;
    let new = NewProgram { name: &name, program: &program, text: text.as_deref() };
    let change = host.change(&old, new, false, ctx)?;
    let (before, after) = (old.bytes.len(), change.bytes.len());
    let (bytes, findings) = host.with(&[change], ctx)?;
    ctx.report(&findings, target.renderer());
    ctx.tell(&format!("{}: {before} → {after} bytes, from {name}", old.address));
    Sink::new(&args.output).write(target.file_name("bin"), &Payload::Binary(bytes))
}

/// What becomes of an input.
fn result(args: &Args, input: Input, ctx: &Ctx) -> Outcome<Payload> {
    if args.preprocess {
        return preprocess(args, &input, ctx);
    }
    let name = args.name.clone().unwrap_or_else(|| input.stem_text());
    let (program, source) = program(args, input, ctx)?;
    let extras = match source {
        Source::Macros(expanded) if args.macros.expand => {
            return Ok(Payload::Text(macros::listing(&expanded)));
        }
        Source::Macros(expanded) => {
            Extras { constants: Some(macros::constants(&expanded.constants)), ..Extras::default() }
        }
        Source::Plain(extras) => extras,
    };
    Ok(targets::write(&program, args.to(), &name, &program.instruction_texts(), extras))
}

/// What the source of a program has besides it.
enum Source {
    /// It is in the macro language: what its macros expand to.
    Macros(Expanded),
    /// Anything else.
    Plain(Extras),
}

/// The program and what its source has besides.
fn program(args: &Args, input: Input, ctx: &Ctx) -> Outcome<(AnyProgram, Source)> {
    // The originals read anything as text.
    let from = args.input.reading.open.notation.or(Some(Notation::Text));
    let is_text = || {
        Ok::<_, Failure>(io::form(&input, &args.input.reading, from, AssumedNotation::Text)? == Form::Text)
    };
    if args.assembler == Some(AssemblerArg::Macro) && is_text()? {
        let mode = match args.mode {
            Mode::Strict => macro_language::Mode::Strict,
            Mode::Compat => macro_language::Mode::Compat,
        };
        let (program, expanded) = args.macros.assemble(mode, &input, &args.input.reading, ctx)?;
        return Ok((program, Source::Macros(expanded)));
    }
    let reading = &args.input.reading;
    let is = |isa: Isa| {
        Ok::<_, Failure>(
            io::form(&input, reading, reading.open.notation, AssumedNotation::Text)? == Form::Text
                && load::text_isa(&input, input.text()?, reading).is_ok_and(|found| found == isa),
        )
    };
    if args.assembler.is_none() && !args.macros.expand && is(Isa::D3d9)? {
        return d3d9(args, &input, ctx);
    }
    if args.macros.any() {
        return Err(Failure::usage(
            "--define is only for --assembler macro and Direct3D, --expand only for --assembler macro",
        ));
    }
    if let Some(like) = args.like.as_ref().filter(|_| !is_text_at_all(&input, reading)) {
        let swapped = io::read(like).is_ok_and(|original| is_text_at_all(&original, reading));
        let (name, like) = (&input.name, io::shown(like));
        let advice =
            if swapped { format!("; swap them: vecasm asm {like} --like {name}") } else { String::new() };
        return Err(Failure::usage(format!(
            "{name} is bytecode; --like is for a text that lists {like}{advice}"
        )));
    }
    if !args.include.is_empty() || args.like.is_some() {
        return Err(Failure::usage("--include and --like are only for Direct3D text"));
    }
    let named = matches!(args.assembler, Some(AssemblerArg::Nv2a(_))) && is_text()?;
    if named || is(Isa::Nv2a)? {
        return nv2a(args, &input, ctx);
    }
    if args.mode == Mode::Compat && is_text()? {
        return Ok((compat(args, &input, ctx)?, Source::Plain(Extras::default())));
    }
    let loaded = load::load(input, &args.input.reading, AssumedNotation::Text, ctx)?;
    let program = match (loaded.program.any(), args.to_dialect) {
        (AnyProgram::Tgsi(program), Some(dialect)) => match tgsi::bytes::convert(program, dialect) {
            Ok(program) => AnyProgram::Tgsi(program),
            Err(mut findings) => {
                loaded.place(&mut findings);
                ctx.report(&findings, loaded.source());
                return Err(Failure::Shader);
            }
        },
        (_, Some(_)) => return Err(Failure::usage("--to-dialect is only for TGSI")),
        (_, None) => loaded.program.into_any(),
    };
    Ok((program, Source::Plain(Extras::default())))
}

/// Where a text of Direct3D finds what is not in it.
fn includes<'a>(args: &'a Args, input: &'a Input) -> Includes<'a> {
    let defines = args.macros.define.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    Includes::of(input, &args.input.reading).with(&args.include, defines)
}

/// Whether an input is assembly.
fn is_text_at_all(input: &Input, reading: &ReadingArgs) -> bool {
    matches!(io::form(input, reading, reading.open.notation, AssumedNotation::Text), Ok(Form::Text))
}

/// What the preprocessor makes of a text.
fn preprocess(args: &Args, input: &Input, ctx: &Ctx) -> Outcome<Payload> {
    let done = includes(args, input).preprocess(input.text()?);
    including::report(&done.files, &done.findings, ctx);
    if done.has_errors() { Err(Failure::Shader) } else { Ok(Payload::Text(done.text)) }
}

/// Reads text of Direct3D.
fn d3d9(args: &Args, input: &Input, ctx: &Ctx) -> Outcome<(AnyProgram, Source)> {
    let like = match &args.like {
        Some(path) => {
            let reading = ReadingArgs::of(OpenOptions::default().with_isa(Isa::D3d9));
            let original = io::read_all(std::slice::from_ref(path))?.into_iter().next();
            let original = original.ok_or_else(|| Failure::usage("--like: the name is empty"))?;
            match load::load(original, &reading, AssumedNotation::Bytes, ctx)?.program.into_any() {
                AnyProgram::D3d9(program) => Some(program),
                _ => None,
            }
        }
        None => None,
    };
    let number = input.number();
    let text = input.text()?;
    let assemble = |like| includes(args, input).assemble(text, &ReadOptions { like, number });
    let done = assemble(like.as_ref());
    let mut findings = open::flat(&done.files, done.findings.clone());
    isa::source::blame(Isa::D3d9, text, &mut findings);
    if findings.iter().any(|finding| finding.id == isa::SOURCE.id) {
        ctx.report(&findings, diag::Source { name: input.name.raw(), text: Some(text) });
        return Err(Failure::Shader);
    }
    including::report(&done.files, &done.findings, ctx);
    let program = done.program.ok_or(Failure::Shader)?;
    if let (Some(path), Some(original)) = (&args.like, &like) {
        let alone = assemble(None).program;
        if alone.is_some_and(|alone| d3d9_text::shared_instructions(&alone, original) == 0) {
            ctx.tell(&format!(
                "vecasm: warning: {}: no instruction of the text is one of {}; is that the shader it lists?",
                input.name,
                io::shown(path)
            ));
        }
    }
    Ok((AnyProgram::D3d9(program), Source::Plain(Extras::default())))
}

/// Reads text of the NV2A.
fn nv2a(args: &Args, input: &Input, ctx: &Ctx) -> Outcome<(AnyProgram, Source)> {
    let text = input.text()?;
    let options = ParseOptions {
        numbering: args.constants,
        explicit_final: args.explicit_final,
        program: input.number(),
        dialect: match args.assembler {
            Some(AssemblerArg::Nv2a(dialect)) => Some(dialect),
            _ => None,
        },
        mode: match args.mode {
            Mode::Strict => pair::Mode::Strict,
            Mode::Compat => pair::Mode::Compat,
        },
    };
    let (assembled, mut findings) = nv2a_text::assemble(text, &options);
    if let (Some(assembled), Mode::Strict) = (&assembled, args.mode) {
        findings.extend(doubtful(assembled));
    }
    if args.mode == Mode::Strict {
        isa::source::blame(Isa::Nv2a, text, &mut findings);
    }
    if let Some(piece) = input.piece() {
        piece.shift(&mut findings);
    }
    ctx.report(&findings, diag::Source { name: input.name.raw(), text: input.whole_text() });
    let assembled = assembled.ok_or(Failure::Shader)?;
    let constants: serde_json::Map<String, serde_json::Value> = assembled
        .constants
        .iter()
        .map(|c| (format!("c{}", c.number), serde_json::json!(c.value.map(f32::from_bits))))
        .collect();
    let remark =
        |span: diag::Span| text.get(span.start as usize..span.end as usize).unwrap_or("").to_string();
    let extras = Extras {
        constants: (!constants.is_empty()).then_some(constants.into()),
        remarks: assembled.remarks.iter().map(|(slot, span)| (*slot, remark(*span))).collect(),
        listing: Some(nv2a_text::inl(&assembled.program, &assembled.said, args.mode == Mode::Compat)),
    };
    Ok((AnyProgram::Nv2a(assembled.program), Source::Plain(extras)))
}

/// What makes the words of a text useless, whatever they are: there are none, or more than the hardware has room for. Both
/// can be assembled, so that every binary has a text.
fn doubtful(assembled: &nv2a_text::Assembled) -> Option<diag::Diagnostic> {
    let program = &assembled.program;
    if program.slots.is_empty() && program.tail.is_empty() {
        let message = "the text has no statement, so there are no words";
        return Some(diag::Diagnostic::warning("NV2A-empty", message));
    }
    let too_long = "NV2A-length";
    let mut found = nv2a_rules::validate(program, &nv2a_rules::Options::default());
    found.retain(|finding| finding.id == too_long);
    let mut finding = found.pop()?;
    finding.severity = diag::Severity::Warning;
    if let diag::Place::Binary { token: Some(token), .. } = finding.place {
        let span = (token as usize).checked_sub(1).and_then(|n| assembled.spans.get(n));
        finding.place = span.map_or(finding.place, |span| diag::Place::Text(*span));
    }
    Some(finding)
}

/// Does what the original assembler does, and says what it says.
fn compat(args: &Args, input: &Input, ctx: &Ctx) -> Outcome<AnyProgram> {
    let text = input.text()?;
    let stage = load::stage(input, text, &args.input.reading)?;
    let output = assemble(
        text,
        &CompatOptions {
            assembler: AssemblerArg::agal(args.assembler),
            mode: stage.name(),
            version: args.input.reading.open.version.unwrap_or(1),
            ignore_limits: args.ignore_limits,
        },
    );
    let source = diag::Source { name: input.name.raw(), text: Some(text) };
    match ctx.format {
        // The very words of the original, so that scripts written for it find them.
        MessageFormat::Human => {
            let warnings = output.warnings.iter().map(ToString::to_string);
            for line in warnings.chain(output.error.as_ref().map(ToString::to_string)) {
                ctx.error_bytes(format!("{line}\n").as_bytes());
            }
        }
        MessageFormat::Short => ctx.report(&output.diagnostics(), source),
        MessageFormat::Json | MessageFormat::Sarif => {
            let mut findings = output.diagnostics();
            if let (Some(last), Some(error)) = (findings.last_mut(), &output.error) {
                last.message = error.to_string();
            }
            ctx.report(&findings, source);
        }
    }
    if output.error.is_some() {
        return Err(Failure::Shader);
    }
    AnyProgram::decode(Isa::Agal, &output.bytes).map_err(|finding| Failure::usage(finding.to_string()))
}
