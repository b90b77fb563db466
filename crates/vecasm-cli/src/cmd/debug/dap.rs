//! `vecasm debug --dap`: a server of the Debug Adapter Protocol on standard input and output. docs/debugging.md says how editors
//! use it.

use super::{Args, session};
use crate::args::Cli;
use crate::case::{Case, CaseArgs};
use crate::cmd::Command;
use crate::io::DASH;
use crate::report::Ctx;
use crate::{Failure, Outcome};
use clap::Parser as _;
use std::io::{BufRead, Read as _, Write as _};
use std::path::Path;
use vecasm::debug::protocol::dap::{Host, Launch, Launched, MAX_MESSAGE, Server};

/// Longest line of a header.
const MAX_HEADER: u64 = 4096;

/// Answers requests until the client goes.
pub(super) fn serve(args: &Args, ctx: &Ctx) -> Outcome {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut server = Server::new(Cases { ctx, given: &args.case });
    while let Some(message) = read(&mut input)? {
        for text in server.handle(&message) {
            write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
            output.flush()?;
        }
        if server.is_over() {
            break;
        }
    }
    Ok(())
}

/// The content of the next message; `None` at the end. An input that ends inside a message is an error.
fn read(input: &mut impl BufRead) -> Outcome<Option<Vec<u8>>> {
    let cut = || Failure::usage("--dap: the input ends inside a message");
    let mut length = None;
    let mut started = false;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return if started { Err(cut()) } else { Ok(None) };
        }
        started = true;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            break;
        }
        if let Some((name, value)) = text.split_once(':') {
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse::<usize>().ok();
            }
        }
    }
    let length = length.filter(|length| *length <= MAX_MESSAGE);
    let length =
        length.ok_or_else(|| Failure::usage("--dap: a message needs a Content-Length of at most 16 MiB"))?;
    let mut content = Vec::new();
    input.by_ref().take(length as u64).read_to_end(&mut content)?;
    if content.len() == length { Ok(Some(content)) } else { Err(cut()) }
}

/// What can be launched: what the flags of `vecasm debug` can say.
struct Cases<'a> {
    ctx: &'a Ctx,
    /// The case of the command line.
    given: &'a CaseArgs,
}

impl Host for Cases<'_> {
    fn launch(&mut self, wanted: Option<&Launch>) -> Result<Launched, String> {
        let case = wanted.map_or_else(|| Ok(self.given.clone()), case_of)?;
        if case.reads_stdin() {
            return Err("name the program: standard input is in use".into());
        }
        let path = match case.files.as_slice() {
            [file] if case.pixel.pixel.is_none() => std::path::absolute(file).ok(),
            _ => None,
        };
        let case = Case::from_args(&case, self.ctx).map_err(why)?;
        let name = Path::new(case.loaded.input.name.raw()).file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or(case.loaded.input.name.raw()).to_string();
        let path = path.filter(|_| case.loaded.program.text().is_some());
        let path = path.and_then(|path| Some(path.to_str()?.to_string()));
        Ok(Launched { session: session(case).map_err(why)?, name, path })
    }

    fn is_same_file(&self, a: &str, b: &str) -> bool {
        let (a, b) = (Path::new(a), Path::new(b));
        a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
    }
}

fn why(failure: Failure) -> String {
    match failure {
        Failure::Usage(message) | Failure::Output(message) => message,
        Failure::Shader => "the shader is bad; its findings are on standard error".into(),
        Failure::Reported => "the input is invalid; see standard error".into(),
        Failure::Internal => "internal error; see standard error".into(),
        Failure::BrokenPipe => "the reader closed the pipe".into(),
    }
}

/// The flags that the arguments of a launch stand for.
fn case_of(wanted: &Launch) -> Result<CaseArgs, String> {
    let mut line: Vec<String> = vec!["vecasm".into(), "debug".into()];
    for (value, flag) in [
        (&wanted.input, "--input"),
        (&wanted.invocation, "--invocation"),
        (&wanted.random, "--random"),
        (&wanted.seed, "--seed"),
        (&wanted.pixel, "--pixel"),
    ] {
        line.extend(value.iter().flat_map(|value| [flag.to_string(), value.clone()]));
    }
    line.extend(wanted.arguments.iter().cloned());
    line.push("--".into());
    line.extend(wanted.program.iter().cloned());
    let cli = Cli::try_parse_from(line).map_err(|error| {
        let text = error.to_string();
        text.trim_start_matches("error: ").lines().next().unwrap_or("").to_string()
    })?;
    let Command::Debug(args) = cli.command else {
        return Err("these are not arguments of `vecasm debug`".into());
    };
    if args.case.given.input().is_some_and(|input| input.as_os_str() == DASH) {
        return Err("the run file cannot come from standard input".into());
    }
    Ok(args.case)
}
