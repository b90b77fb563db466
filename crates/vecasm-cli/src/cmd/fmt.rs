//! `vecasm fmt`: one layout for all texts.

use crate::args::{BatchArgs, OutputArgs, ReadingArgs};
use crate::batch::{Batch, Job, Outputs, Words};
use crate::io::{self, Input, Payload};
use crate::report::Ctx;
use crate::{Failure, Outcome, load};
use std::path::PathBuf;
use vecasm::diag::Source;
use vecasm::isa::Isa;
use vecasm::open::OpenOptions;

/// Reformat assembly without changing words, comments or the program
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm fmt shader.agal            print the result\n  \
    vecasm fmt -w shaders/            rewrite the files that change\n  \
    vecasm fmt --check shaders/       list the files that would change; exit status 1 if there are any\n\n\
    Trailing comments that are lined up stay in their column; others follow the code after two spaces. Blocks are\n\
    indented as disassemblers of the instruction set indent them.")]
pub(crate) struct Args {
    /// Files or folders to read; `-` or none is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    batch: BatchArgs,
    /// Instruction set [default: detected from the content]
    #[arg(long, value_name = "ISA", value_parser = crate::args::parse_isa)]
    isa: Option<Isa>,
    /// List the files that would change, without changing them; exit status 1 if there are any
    #[arg(long, conflicts_with_all = ["write", "output"])]
    check: bool,
    /// Rewrite the files
    #[arg(short, long, conflicts_with = "output")]
    write: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let batch = Batch::new(&args.files, &args.batch)?;
    let reading = ReadingArgs::of(OpenOptions::default().with_isa(args.isa));
    let job = Job::new(&reading, Words::Work).of_assembly();
    let whole = args.check || args.write;
    let work = |input: Input, ctx: &Ctx| {
        if whole && (input.asked.is_some() || input.piece().is_some()) {
            return Err(Failure::usage(format!("{}: --check and -w are for whole files", input.name)));
        }
        // What has a name in a text shares lines with it, or is no text at all.
        if input.piece().is_some_and(|piece| !piece.names().is_empty()) {
            return Err(Failure::usage(format!(
                "{}: fmt lays out texts that are assembly; `dis` prints a program by its address",
                input.name
            )));
        }
        one(&input, &reading, ctx).map(|done| (done, input))
    };
    if args.check {
        return batch.run(&job.judging(), ctx, work, |_, ((_, text), input)| {
            if text.as_bytes() == input.bytes() {
                return Ok(());
            }
            io::print(&format!("{}\n", input.name))?;
            Err(Failure::Shader)
        });
    }
    if args.write {
        return batch.run(&job, ctx, work, |_, ((_, text), input)| match &input.path {
            None => Err(Failure::usage("standard input cannot be rewritten; leave out -w")),
            Some(_) if text.as_bytes() == input.bytes() => Ok(()),
            Some(path) => io::rewrite_text(path, &text),
        });
    }
    let name = |input: &Input, isa: Option<Isa>| input.file_name(isa.map_or("", Isa::name));
    let mut outputs = Outputs::new(&args.output, &reading, &batch, name)?;
    batch.run(&job, ctx, work, |path, ((isa, text), input)| {
        outputs.write(path, &name(&input, Some(isa)), &Payload::Text(text))
    })
}

/// The instruction set of an input, and its text as it is laid out.
fn one(input: &Input, reading: &ReadingArgs, ctx: &Ctx) -> Outcome<(Isa, String)> {
    let text = input.text()?;
    let isa = load::text_isa(input, text, reading)?;
    let laid_out = isa.format(text).map_err(|findings| {
        ctx.report(&findings, Source { name: input.name.raw(), text: Some(text) });
        Failure::Shader
    })?;
    Ok((isa, laid_out))
}
