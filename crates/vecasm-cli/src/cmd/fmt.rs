//! `vecasm fmt`: lay text out anew.

use crate::args::{OutputArgs, ReadingArgs};
use crate::io::{self, Payload, Sink};
use crate::report::Ctx;
use crate::{Failure, Outcome, load};
use std::path::PathBuf;
use vecasm::diag::Source;

/// Reformat assembly without changing words, comments or the program
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm fmt shader.agal            the result on standard output\n  \
    vecasm fmt -w shaders/*.agal      files are rewritten where that changes them\n  \
    vecasm fmt --check shaders/*      only the names of files that would change; exit status 1 if there are any")]
pub(crate) struct Args {
    /// Files to read; `-` or none is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The instruction set; found out from the content if not given
    #[arg(long, value_name = "ISA", value_parser = crate::args::parse_isa)]
    isa: Option<vecasm::isa::Isa>,
    /// Write nothing but the names of files that are laid out differently; exit status 1 if there are any
    #[arg(long, conflicts_with_all = ["write", "output"])]
    check: bool,
    /// Rewrite the files
    #[arg(short, long, conflicts_with = "output")]
    write: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let inputs = io::read_all(&args.files)?;
    let sink = Sink::new(&args.output);
    let sink = if args.check || args.write { sink } else { sink.for_results(inputs.len())? };
    let mut bad = false;
    for input in inputs {
        let text = input.text()?;
        let reading = ReadingArgs { isa: args.isa, ..ReadingArgs::default() };
        let isa = load::text_isa(&input, text, &reading)?;
        let laid_out = match isa.format(text) {
            Ok(laid_out) => laid_out,
            Err(findings) => {
                ctx.report(&findings, Source { name: &input.name, text: Some(text) });
                bad = true;
                continue;
            }
        };
        if args.check {
            if laid_out != text {
                io::print(&format!("{}\n", input.name))?;
                bad = true;
            }
        } else if args.write {
            let Some(path) = &input.path else {
                return Err(Failure::usage("standard input cannot be rewritten; leave out -w"));
            };
            if laid_out != text {
                io::write_file(path, laid_out.as_bytes())?;
            }
        } else {
            sink.write(&input.file_name(isa.name()), &Payload::Text(laid_out))?;
        }
    }
    if bad { Err(Failure::Shader) } else { Ok(()) }
}
