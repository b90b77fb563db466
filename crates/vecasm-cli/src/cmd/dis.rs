//! `vecasm dis`: bytes to text.

use crate::args::{InputArgs, OutputArgs};
use crate::cmd::asm::Mode;
use crate::io::{Likely, Payload, Sink};
use crate::report::Ctx;
use crate::{Failure, Outcome, highlight, io, load};
use vecasm::diag::Diagnostic;
use vecasm::isa::AnyProgram;
use vecasm::isa::nv2a::text::{self, PrintOptions, Style};
use vecasm::isa::tgsi::text::Style as Print;

/// Disassemble bytecode
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm dis shader.bin                       text that assembles to the same bytes\n  \
    vecasm dis --from hex < dump.txt            hexadecimal digits, `0x` lists, C and Rust arrays\n  \
    vecasm dis --dialect adobe shader.bin       the way Adobe's own disassembler writes\n  \
    vecasm dis --dialect vp shader.xvu           NV_vertex_program, if it can say the program\n  \
    vecasm dis --dialect listing shader.pso     as Microsoft's compiler lists; `asm --like shader.pso` reads it back\n  \
    vecasm dis --mesa shader.tgsi               as Mesa's tgsi_dump prints; a text is read as well as tokens\n  \
    vecasm dis -o text/ *.bin                   one file an input")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// The way of writing (AGAL: lossless, mini, adobe; NV2A: lossless, nv2avshd, explain, inl, and as far as they can say
    /// the program vp and xvs; Direct3D: lossless, listing, wine;
    /// TGSI: lossless, mesa, hex, virgl); the default loses nothing
    #[arg(long, value_name = "DIALECT", help_heading = "Output")]
    dialect: Option<String>,
    /// TGSI: as Mesa's tgsi_dump prints, floats with four digits; the same as `--dialect mesa`
    #[arg(long, conflicts_with = "dialect", help_heading = "Output")]
    mesa: bool,
    /// TGSI: as Mesa's tgsi_dump prints with floats as hexadecimal digits; the same as `--dialect hex`
    #[arg(long, conflicts_with_all = ["dialect", "mesa"], help_heading = "Output")]
    hex: bool,
    /// NV2A: `strict` writes what reads as what it is, `compat` the slips of nv2a-vsh in its dialects (nv2avshd,
    /// explain, inl)
    #[arg(long, value_name = "MODE", default_value = "strict", help_heading = "Output")]
    mode: Mode,
}

/// The program in a dialect, if its instruction set has it.
fn print(program: &AnyProgram, dialect: &str, mode: Mode) -> Option<Result<String, Vec<Diagnostic>>> {
    match program {
        AnyProgram::Nv2a(program) if mode == Mode::Compat => {
            let style = Style::from_name(dialect)?;
            Some(Ok(text::print(program, &PrintOptions { style, compat: true })))
        }
        program => program.say(dialect),
    }
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let mut sink = Sink::new(&args.output);
    let inputs = io::read_all(&args.input.files)?;
    let several = inputs.len() > 1;
    if !matches!(sink, Sink::Stdout) {
        sink = sink.for_results(inputs.len())?;
    }
    let color = ctx.color_out && matches!(sink, Sink::Stdout);
    let mut failure = None;
    for input in inputs {
        let loaded = match load::load(input, &args.input.reading, Likely::Bytes, ctx) {
            Ok(loaded) => loaded,
            Err(Failure::Shader) => {
                failure = Some(Failure::Shader);
                continue;
            }
            Err(other) => return Err(other),
        };
        let isa = loaded.program.isa();
        let dialects = isa.dialects();
        let short = [(args.mesa, Print::Mesa), (args.hex, Print::Hex)];
        let short = short.iter().find(|(given, _)| *given).map(|(_, style)| style.name());
        let dialect = args.dialect.as_deref().or(short).or(dialects.first().copied()).unwrap_or_default();
        let said = print(&loaded.program, dialect, args.mode).ok_or_else(|| {
            Failure::usage(format!(
                "{} has no dialect `{dialect}`; it has {}",
                isa.name(),
                dialects.join(", ")
            ))
        })?;
        let mut text = match said {
            Ok(text) => text,
            Err(mut findings) => {
                loaded.place(&mut findings);
                ctx.report(&findings, loaded.source());
                failure = Some(Failure::Shader);
                continue;
            }
        };
        if several && matches!(sink, Sink::Stdout) {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text.insert_str(0, &format!("// {}\n", loaded.input.name));
        }
        if color {
            text = highlight::ansi(isa, &text);
        }
        sink.write(&format!("{}.{}", loaded.input.long_stem(), isa.name()), &Payload::Text(text))?;
    }
    failure.map_or(Ok(()), Err)
}
