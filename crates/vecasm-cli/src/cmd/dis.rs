//! `vecasm dis`: bytes to text.

use crate::args::{InputArgs, OutputArgs, ProgramChoice};
use crate::batch::{Batch, Job, Outputs, Words};
use crate::cmd::asm::Mode;
use crate::io::{self, Input, Payload};
use crate::load::{self, Loaded};
use crate::report::Ctx;
use crate::{Failure, Outcome};
use std::ffi::OsString;
use vecasm::diag::Diagnostic;
use vecasm::highlight;
use vecasm::isa::nv2a::text::{self, PrintOptions, Style};
use vecasm::isa::tgsi::text::Style as Print;
use vecasm::isa::{AnyProgram, Isa};
use vecasm::open::AssumedNotation;

/// Disassemble bytecode
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm dis shader.bin                       text that assembles to the same bytes\n  \
    vecasm dis --from hex < dump.txt            hexadecimal digits, `0x` lists, C and Rust arrays\n  \
    vecasm dis --dialect adobe shader.bin       as Adobe's own disassembler prints it\n  \
    vecasm dis --dialect vp shader.xvu           NV_vertex_program, if it can express the program\n  \
    vecasm dis --dialect listing shader.pso     as Microsoft's compiler lists it; `asm --like shader.pso` reads it \
    back\n  \
    vecasm dis --mesa shader.tgsi               as Mesa's tgsi_dump prints it; reads text and tokens\n  \
    vecasm dis -o text/ dumps/                  one file per input, in the same subfolders")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Dialect of the text (AGAL: lossless, mini, adobe; NV2A: lossless, nv2avshd, explain, inl, and vp and xvs as far
    /// as they can express the program; Direct3D: lossless, listing, wine; TGSI: lossless, mesa, hex, virgl) [default:
    /// lossless]
    #[arg(long, value_name = "DIALECT", help_heading = "Output")]
    dialect: Option<String>,
    /// TGSI: as Mesa's tgsi_dump prints, floats with four digits; the same as `--dialect mesa`
    #[arg(long, conflicts_with = "dialect", help_heading = "Output")]
    mesa: bool,
    /// TGSI: as Mesa's tgsi_dump prints with floats as hexadecimal digits; the same as `--dialect hex`
    #[arg(long, conflicts_with_all = ["dialect", "mesa"], help_heading = "Output")]
    hex: bool,
    /// NV2A: `strict` is accurate, `compat` reproduces the errors of nv2a-vsh in its dialects (nv2avshd, explain, inl)
    #[arg(long, value_name = "MODE", default_value = "strict", help_heading = "Output")]
    mode: Mode,
}

/// The program in a dialect, if its instruction set has it.
fn print(program: &AnyProgram, dialect: &str, mode: Mode) -> Option<Result<String, Vec<Diagnostic>>> {
    match program {
        AnyProgram::Nv2a(program) if mode == Mode::Compat => {
            let style = dialect.parse::<Style>().ok()?;
            Some(Ok(text::print(program, &PrintOptions { style, compat: true })))
        }
        program => program.say(dialect),
    }
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let batch = Batch::new(&args.input.files, &args.input.batch)?;
    let mut outputs = Outputs::shared(&args.output, &args.input.reading, &batch, file_name)?;
    let color = ctx.color_out && outputs.is_stdout();
    let (to_stdout, several) = (outputs.is_stdout(), batch.is_several());
    let sink = outputs.sink().clone();
    let job = Job::new(&args.input.reading, Words::Work).all().or_empty();
    batch.run(
        &job,
        ctx,
        |input, ctx| {
            let numbered = matches!(args.input.reading.program, Some(ProgramChoice::Number(_)));
            let chosen = numbered || input.asked.is_some();
            if !chosen {
                input.fits(&sink)?;
            }
            let titled = to_stdout && (several || !chosen && input.one_of_several().is_some());
            let loaded = load::load(input, &args.input.reading, AssumedNotation::Bytes, ctx)?;
            let isa = loaded.program.isa();
            let mut text = listing(args, &loaded, ctx)?;
            if titled {
                if !text.ends_with('\n') {
                    text.push('\n');
                }
                text.insert_str(0, &format!("// {}\n", loaded.input.name));
            }
            if color {
                text = highlight::ansi(isa, &text);
            }
            Ok((file_name(&loaded.input, Some(isa)), Payload::Text(text)))
        },
        |path, (file, text)| outputs.write(path, &file, &text),
    )
}

/// The name of the listing of an input; without an instruction set what all of them have.
fn file_name(input: &Input, isa: Option<Isa>) -> OsString {
    let stem = input.long_stem();
    match isa {
        Some(isa) => io::with_ending(stem, isa.name()),
        None => stem,
    }
}

/// The program in the dialect that is wanted.
fn listing(args: &Args, loaded: &Loaded, ctx: &Ctx) -> Outcome<String> {
    let isa = loaded.program.isa();
    let dialects = isa.dialects();
    let short = [(args.mesa, Print::Mesa), (args.hex, Print::Hex)];
    let short = short.iter().find(|(given, _)| *given).map(|(_, style)| style.name());
    let dialect = args.dialect.as_deref().or(short).or(dialects.first().copied()).unwrap_or_default();
    let said = print(&loaded.program, dialect, args.mode).ok_or_else(|| {
        Failure::usage(format!(
            "{} has no dialect `{dialect}`; expected one of {}",
            isa.name(),
            dialects.join(", ")
        ))
    })?;
    said.map_err(|mut findings| {
        loaded.place(&mut findings);
        ctx.report(&findings, loaded.source());
        Failure::Shader
    })
}
