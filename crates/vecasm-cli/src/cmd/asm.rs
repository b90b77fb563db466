//! `vecasm asm`: text to bytes.

use crate::args::{From, InputArgs, MessageFormat, OutputArgs};
use crate::io::{Form, Input, Likely, Sink};
use crate::report::Ctx;
use crate::targets::{self, ByteFormat};
use crate::{Failure, Outcome, io, load};
use clap::ValueEnum;
use std::io::Write as _;
use vecasm::diag::Source;
use vecasm::isa::agal::text::{Assembler, CompatOptions, assemble};
use vecasm::isa::{AnyProgram, Isa};

/// Assemble text to bytecode
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm asm shader.agal -o shader.bin          stage and version stand in the text: `.agal fragment 2`\n  \
    vecasm asm --stage vertex --version 1 --to hex < shader.txt\n  \
    vecasm asm --to c --name SKY sky.frag.agal -o sky.h\n  \
    vecasm asm --mode compat --assembler legacy --stage vertex old.txt -o old.bin\n  \
    vecasm asm -o build/ shaders/*.agal           one file an input\n\n\
    --to inl, c, rust, as3 and json carry the disassembly as comments or fields.")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// The notation of the bytecode
    #[arg(long, value_name = "FORMAT", default_value = "bin", help_heading = "Output")]
    to: ByteFormat,
    /// The name in C, Rust and ActionScript results; the name of the input if not given
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    name: Option<String>,
    /// How AGAL text is read: `strict` refuses everything doubtful, `compat` does what Adobe's assembler does
    #[arg(long, value_name = "MODE", default_value = "strict", help_heading = "AGAL text")]
    mode: Mode,
    /// Which published AGALMiniAssembler `--mode compat` equals
    #[arg(long, value_name = "ASSEMBLER", default_value = "v3", help_heading = "AGAL text")]
    assembler: AssemblerArg,
    /// Take register numbers up to 1024, as the assembler's parameter of the same name does
    #[arg(long, help_heading = "AGAL text")]
    ignore_limits: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Everything doubtful is an error with line and column
    Strict,
    /// Bug for bug what AGALMiniAssembler does, with its error texts
    Compat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AssemblerArg {
    /// AGAL 1-3, graphicscorelib
    V3,
    /// AGAL 1, 2011
    Legacy,
    /// AGAL 2 beta
    Extended,
    /// AGAL 1-4, the copy of 2017 in Starling
    Agal4,
}

impl AssemblerArg {
    const fn library(self) -> Assembler {
        match self {
            Self::V3 => Assembler::V3,
            Self::Legacy => Assembler::Legacy,
            Self::Extended => Assembler::Extended,
            Self::Agal4 => Assembler::Agal4,
        }
    }
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let sink = Sink::new(&args.output);
    let inputs = io::read_all(&args.input.files)?;
    let sink = sink.for_results(inputs.len())?;
    let mut bad = false;
    for input in inputs {
        let name = args.name.clone().unwrap_or_else(|| input.stem());
        let file = format!("{}.{}", input.long_stem(), args.to.extension());
        match program(args, input, ctx) {
            Ok(program) => {
                let lines = program.instruction_texts();
                sink.write(&file, &targets::write(&program, args.to, &name, &lines))?;
            }
            Err(Failure::Shader) => bad = true,
            Err(other) => return Err(other),
        }
    }
    if bad { Err(Failure::Shader) } else { Ok(()) }
}

fn program(args: &Args, input: Input, ctx: &Ctx) -> Outcome<AnyProgram> {
    // The original reads anything as text.
    let from = args.input.reading.from.or(Some(From::Text));
    if args.mode == Mode::Compat && io::form(&input, from, Likely::Text)? == Form::Text {
        return compat(args, &input, ctx);
    }
    Ok(load::load(input, &args.input.reading, Likely::Text, ctx)?.program)
}

/// Does what the original assembler does, and says what it says.
fn compat(args: &Args, input: &Input, ctx: &Ctx) -> Outcome<AnyProgram> {
    let text = input.text()?;
    let stage = load::stage(input, text, &args.input.reading)?;
    let output = assemble(
        text,
        &CompatOptions {
            assembler: args.assembler.library(),
            mode: stage.name(),
            version: args.input.reading.version.unwrap_or(1),
            ignore_limits: args.ignore_limits,
        },
    );
    let source = Source { name: &input.name, text: Some(text) };
    match ctx.format {
        // The very words of the original, so that scripts written for it find them.
        MessageFormat::Human => {
            let mut err = std::io::stderr().lock();
            for warning in &output.warnings {
                let _ = writeln!(err, "{warning}");
            }
            if let Some(error) = &output.error {
                let _ = writeln!(err, "{error}");
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
