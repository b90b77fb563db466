//! `vecasm reduce`: the smallest program that still fails.

use crate::args::{OutputArgs, ReadingArgs};
use crate::io::{self, Input, Payload, Sink};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::{self, Loaded};
use crate::programs;
use crate::report::Ctx;
use crate::targets::{self, ByteFormat, Extras};
use crate::{Failure, Outcome};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use vecasm::compare::diff::{SAME, align_by};
use vecasm::compare::eqv::{self, Verdict};
use vecasm::diag::{Diagnostic, Severity};
use vecasm::isa::any::CheckOptions;
use vecasm::isa::{AnyProgram, Isa};
use vecasm::open::{self, AssumedNotation, Notation};
use vecasm::reduce::{self, Judge, Options};

/// Shrink a program that makes a command fail, as long as it still fails
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm reduce bad.ps.bin -o small.ps.bin -- ./my-compiler {}\n  \
    vecasm reduce bad.d3d9 --message \"assertion failed\" -- ./my-compiler {}\n  \
    vecasm reduce new.frag.agal --eqv old.frag.agal\n  \
    vecasm reduce bad.frag.agal --check AGAL3646\n\n\
    `{}` in the command is replaced by the name of a file with the program, of the same form and extension as FILE; \
    without it the name is the last argument. If `check` accepts FILE, it accepts every program that is tried; with --eqv \
    that is true of both programs. FILE itself is not changed; with -o, the smallest program so far is written as soon as it is found.")]
pub(crate) struct Args {
    /// Program that fails; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Command, after `--`; it fails with any status but 0, unless a flag says otherwise
    #[arg(value_name = "COMMAND", last = true)]
    command: Vec<OsString>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// The command fails if it exits with this status
    #[arg(long, value_name = "N", help_heading = "Failing")]
    status: Option<i32>,
    /// The command fails if it prints this, on standard output or standard error
    #[arg(long, value_name = "TEXT", help_heading = "Failing")]
    message: Option<String>,
    /// The command fails if it crashes: by a signal, a panic (101), or a status above 128
    #[arg(long, conflicts_with = "status", help_heading = "Failing")]
    crash: bool,
    /// Without a command: the program fails if it differs from this one. Both are reduced together, so that what differs
    /// in the end differed before; what is left of this one is written beside the result, as FILE.reference
    #[arg(long, value_name = "OTHER", help_heading = "Failing")]
    eqv: Option<PathBuf>,
    /// Without a command: the program fails if `check` reports this rule, an id or a number as in `explain`
    #[arg(long, value_name = "ID", conflicts_with = "eqv", help_heading = "Failing")]
    check: Option<String>,
    /// Time limit of the command in seconds; a command that exceeds it does not fail
    #[arg(long, value_name = "SECONDS", default_value_t = 10, help_heading = "Failing")]
    timeout: u64,
    /// Maximum number of programs to try
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = "Failing")]
    tries: usize,
    #[command(flatten)]
    lifting: LiftArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// What makes a program fail.
enum Fails<'a> {
    Command(&'a Args),
    Differs(Box<ReducedReference>),
    /// The ids of the rules that are meant.
    Found(Vec<&'static str>),
}

/// What a program must have that a candidate is made of, so that the candidate is a program as good.
struct Bounds {
    isa: Isa,
    /// The line that says which language it is, where texts can do without.
    header: Option<String>,
    /// Whether it has an instruction.
    filled: bool,
    /// The errors that `check` finds, by their ids.
    errors: BTreeSet<&'static str>,
}

impl Bounds {
    fn of(loaded: &Loaded, text: &str) -> Self {
        Self {
            isa: loaded.program.isa(),
            header: header(text).map(str::to_string),
            filled: !loaded.program.instruction_texts().is_empty(),
            errors: errors(loaded),
        }
    }

    /// Whether a candidate is as good. One of an invalid program may be worse, but readers other than our own take a text of TGSI
    /// without declarations or an end for none.
    fn allow(&self, loaded: &Loaded, text: &str) -> bool {
        loaded.program.isa() == self.isa
            && header(text) == self.header.as_deref()
            && (!self.filled || !loaded.program.instruction_texts().is_empty())
            && match self.isa {
                Isa::Tgsi => errors(loaded).is_subset(&self.errors),
                _ => !self.errors.is_empty() || errors(loaded).is_empty(),
            }
    }
}

/// The line in front that says which language a text is in, if there is one: `.agal fragment 1`, `!!VP1.1`, `ps_2_0`.
fn header(text: &str) -> Option<&str> {
    let first = text.lines().map(str::trim).find(|line| !vecasm::compare::words::words(line).is_empty())?;
    let word = first.split_ascii_whitespace().next()?.to_ascii_lowercase();
    let version = |rest: &str| rest.starts_with(['.', '_']) && rest.contains(|c: char| c.is_ascii_digit());
    let shader = ["vs", "ps", "xvs", "xps", "xvss", "xvsw"];
    let model = shader.iter().any(|name| word.strip_prefix(name).is_some_and(version));
    (model || word == ".agal" || word.starts_with("!!")).then_some(first)
}

/// Lines of a program, and which line of the reference goes with each one.
type LinkedLines = Vec<(String, Option<usize>)>;
/// Lines of the reference; those that are gone are `None`.
type ReferenceLines = Vec<Option<String>>;

/// A reference that is reduced alongside: what goes from a line goes from the line of the reference that it is, or that is there
/// instead of it. So no difference comes that was not there.
struct ReducedReference {
    /// The lines of the program as it is now, and which line of the reference goes with each one.
    lines: LinkedLines,
    /// The lines of the reference as they are now; those that are gone are `None`.
    other: ReferenceLines,
    /// What both become if the program that was asked about last is kept.
    next: Option<(LinkedLines, ReferenceLines)>,
    /// What the reference must have.
    bounds: Option<Bounds>,
}

impl ReducedReference {
    fn new(text: &str, other: &str, bounds: Option<Bounds>) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let others: Vec<&str> = other.lines().collect();
        let same = |x: usize, y: usize| if lines[x].trim() == others[y].trim() { SAME } else { 0 };
        let mut links = vec![None; lines.len()];
        for pair in align_by(lines.len(), others.len(), same) {
            if let (Some(x), Some(y)) = pair {
                links[x] = Some(y);
            }
        }
        link_changed(&lines, &others, &mut links);
        let lines = lines.into_iter().map(str::to_string).zip(links).collect();
        Self {
            lines,
            other: others.into_iter().map(|line| Some(line.to_string())).collect(),
            next: None,
            bounds,
        }
    }

    /// What both become with another text of the program. It differs from the present one by lines that are gone, or by
    /// one line that is another one. None if the lines that go together would differ in more, or in something else.
    fn with(&self, text: &str) -> Option<(LinkedLines, ReferenceLines)> {
        let new: Vec<&str> = text.lines().collect();
        let most = new.len().min(self.lines.len());
        let start = (0..most).take_while(|&n| new[n] == self.lines[n].0).count();
        let from_end = |n: &usize| new[new.len() - 1 - n] == self.lines[self.lines.len() - 1 - n].0;
        let end = (0..most - start).take_while(from_end).count();
        let gone = &self.lines[start..self.lines.len() - end];
        let come = &new[start..new.len() - end];
        let mut other = self.other.clone();
        let mut middle: LinkedLines = come.iter().map(|line| (line.to_string(), None)).collect();
        for (n, (before, link)) in gone.iter().enumerate() {
            let Some(line) = link.and_then(|link| other.get_mut(link)) else { continue };
            let with = come.get(n).filter(|_| gone.len() == come.len());
            *line = match (with, line.as_deref()) {
                (Some(with), Some(line)) => Some(edited(line, before, with)?),
                _ => None,
            };
            if let (Some(to), true) = (middle.get_mut(n), with.is_some()) {
                to.1 = *link;
            }
        }
        let mut lines = self.lines[..start].to_vec();
        lines.append(&mut middle);
        lines.extend_from_slice(&self.lines[self.lines.len() - end..]);
        Some((lines, other))
    }

    fn text(other: &[Option<String>]) -> String {
        other.iter().flatten().map(|line| format!("{line}\n")).collect()
    }
}

/// Links the lines between those that are the same: all in order if there are as many of them in both programs, else those of the
/// same operation.
fn link_changed(lines: &[&str], others: &[&str], links: &mut [Option<usize>]) {
    let operation = |line: &str| line.split_ascii_whitespace().next().map(str::to_ascii_lowercase);
    let (mut start, mut from) = (0, 0);
    while start < lines.len() || from < others.len() {
        let end = (start..lines.len()).find(|x| links[*x].is_some()).unwrap_or(lines.len());
        let until = links.get(end).copied().flatten().unwrap_or(others.len());
        let equal = end - start == until.saturating_sub(from);
        let mut next = from;
        for x in start..end {
            let fits = |y: &usize| equal || operation(lines[x]) == operation(others[*y]);
            if let Some(y) = (next..until).find(fits) {
                links[x] = Some(y);
                next = y + 1;
            }
        }
        (start, from) = (end + 1, until + 1);
    }
}

/// A line with the change that made `after` of `before`, a line that it differs from: none if they differ where the change is.
fn edited(line: &str, before: &str, after: &str) -> Option<String> {
    if line.trim() == before.trim() {
        return Some(after.to_string());
    }
    let same = |a: &str, b: &str| -> (usize, usize) {
        let front: usize =
            a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        let rest = a[front..].chars().rev().zip(b[front..].chars().rev());
        (front, rest.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum())
    };
    let (front, back) = same(before, after);
    let (start, end) = (front, before.len() - back);
    let with = &after[front..after.len() - back];
    let (front, back) = same(before, line);
    if end <= front {
        Some(format!("{}{with}{}", &line[..start], &line[end..]))
    } else if start >= before.len() - back {
        let from_end = |at: usize| line.len() - (before.len() - at);
        Some(format!("{}{with}{}", &line[..from_end(start)], &line[from_end(end)..]))
    } else {
        None
    }
}

/// The form of the input, which the output has too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Bytes(ByteFormat),
}

struct FailureCheck<'a> {
    args: &'a Args,
    ctx: &'a Ctx,
    input: &'a Input,
    form: Form,
    /// What programs must have; nothing if the first one cannot be read.
    bounds: Option<Bounds>,
    /// How texts are read.
    reading: ReadingArgs,
    fails: Fails<'a>,
    /// The file that the command gets.
    file: PathBuf,
    sink: Option<Sink>,
    bar: ProgressBar,
    /// The program of the text that was read last.
    last: Option<(String, Loaded)>,
    failure: Option<Failure>,
}

impl FailureCheck<'_> {
    fn read(&self, text: &str) -> Option<Loaded> {
        let input = self.input.clone().with_bytes(text.as_bytes().to_vec());
        load::read(input, &self.reading, AssumedNotation::Text).ok()?.ok()
    }

    fn load(&mut self, text: &str) -> Option<&Loaded> {
        if self.last.as_ref().is_none_or(|(of, _)| of != text) {
            let loaded = self.read(text)?;
            self.last = Some((text.to_string(), loaded));
        }
        self.last.as_ref().map(|(_, loaded)| loaded)
    }

    /// The bytes of a program in the form of the input.
    fn bytes(&mut self, text: &str) -> Option<Vec<u8>> {
        match self.form {
            Form::Text => Some(text.as_bytes().to_vec()),
            Form::Bytes(format) => {
                let name = self.input.stem_text();
                let program = &self.load(text)?.program;
                let lines = program.instruction_texts();
                Some(targets::write(program, format, &name, &lines, Extras::default()).bytes().to_vec())
            }
        }
    }

    fn ask(&mut self, text: &str) -> Outcome<bool> {
        if let Fails::Command(args) = self.fails {
            let Some(bytes) = self.bytes(text) else { return Ok(false) };
            io::write_file(&self.file, &bytes)?;
            return command_fails(args, &self.file);
        }
        let (lifting, args) = (self.args.lifting.clone(), self.args);
        let Some(loaded) = self.load(text).cloned() else { return Ok(false) };
        let next = match &self.fails {
            Fails::Differs(beside) => Some(beside.with(text)),
            _ => None,
        };
        if let Some(next) = next {
            let Some((lines, other)) = next else { return Ok(false) };
            let left = ReducedReference::text(&other);
            let Some(reference) = self.read(&left) else { return Ok(false) };
            let Fails::Differs(beside) = &self.fails else { return Ok(false) };
            if beside.bounds.as_ref().is_some_and(|bounds| !bounds.allow(&reference, &left)) {
                return Ok(false);
            }
            let lift = |loaded: &Loaded| loaded.program.lift(&lifting.options(Purpose::Run));
            let (Ok(shader), Ok(reference)) = (lift(&loaded), lift(&reference)) else { return Ok(false) };
            let options = eqv::Options { count: 1024, shrink: 0, ..eqv::Options::default() };
            let report = eqv::eqv(&shader, &reference, &options);
            if let Fails::Differs(beside) = &mut self.fails {
                beside.next = Some((lines, other));
            }
            return Ok(report.is_ok_and(|report| matches!(report.verdict, Verdict::Different(_))));
        }
        match &self.fails {
            Fails::Found(ids) => Ok(found(&loaded).iter().any(|finding| ids.contains(&finding.id))),
            _ => command_fails(args, &self.file),
        }
    }
}

impl FailureCheck<'_> {
    /// Says that the first program does not fail, and what `check` reports where a rule was asked for.
    fn instead(&mut self, text: &str) -> String {
        let name = self.input.name.clone();
        let Fails::Found(asked) = &self.fails else { return format!("{name} does not fail") };
        let asked = asked.join(" or ");
        let mut ids: Vec<&str> = Vec::new();
        for finding in self.load(text).map(found).unwrap_or_default() {
            if !ids.contains(&finding.id) {
                ids.push(finding.id);
            }
        }
        match ids.as_slice() {
            [] => format!("{name}: check reports nothing, so not {asked} either"),
            ids => format!("{name}: check reports {} instead of {asked}", ids.join(", ")),
        }
    }
}

impl Judge for FailureCheck<'_> {
    fn reads(&mut self, text: &str) -> bool {
        if self.failure.is_some() {
            return false;
        }
        if self.bounds.is_none() {
            return true;
        }
        let Some(loaded) = self.load(text).cloned() else { return false };
        self.bounds.as_ref().is_some_and(|bounds| bounds.allow(&loaded, text))
    }

    fn fails(&mut self, text: &str) -> bool {
        self.bar.inc(1);
        match self.ask(text) {
            Ok(fails) => fails,
            Err(failure) => {
                self.failure = Some(failure);
                false
            }
        }
    }

    fn kept(&mut self, text: &str, _: usize) {
        if let Fails::Differs(beside) = &mut self.fails {
            if let Some((lines, other)) = beside.next.take() {
                (beside.lines, beside.other) = (lines, other);
            }
        }
        let (lines, ..) = reduce::cost(text);
        self.bar.set_message(format!("{lines} lines, {} bytes", text.len()));
        if let (Some(sink), Some(bytes)) = (self.sink.clone(), self.bytes(text)) {
            if let Err(failure) = sink.write(self.input.file_name("txt"), &self.payload(bytes)) {
                self.failure = Some(failure);
            }
        }
    }
}

impl FailureCheck<'_> {
    fn payload(&self, bytes: Vec<u8>) -> Payload {
        match (self.form, String::from_utf8(bytes)) {
            (Form::Bytes(ByteFormat::Bin), Ok(text)) => Payload::Binary(text.into_bytes()),
            (_, Ok(text)) => Payload::Text(text),
            (_, Err(error)) => Payload::Binary(error.into_bytes()),
        }
    }
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(help) = args.lifting.help() {
        return io::print(&help);
    }
    let built_in = args.eqv.is_some() || args.check.is_some();
    if built_in != args.command.is_empty() {
        let message = if built_in {
            "--eqv and --check take no command"
        } else {
            "no test for failure: give a command after --, or --eqv OTHER, or --check ID"
        };
        return Err(Failure::usage(message));
    }
    let mut inputs = vec![io::read(&args.file)?];
    if let Some(other) = &args.eqv {
        inputs.push(io::read(other)?);
    }
    let readings = args.reading.of_each(&inputs);
    let mut inputs = inputs.into_iter().zip(&readings).map(|(input, reading)| alone(input, reading));
    let input = inputs.next().unwrap_or_else(|| Err(Failure::usage("FILE is missing")))?;
    let other = inputs.next().transpose()?;
    // Which program is meant is settled.
    let once = ReadingArgs { program: None, ..args.reading.clone() };
    let (text, form, bounds, reading) = first_text(&input, &once)?;
    let fails = match (&other, &args.check) {
        (Some(other), _) => {
            let (other, other_form, bounds, _) = first_text(other, &once)?;
            if (other_form == Form::Text) != (form == Form::Text) {
                return Err(Failure::usage("--eqv: both programs must be text, or both binary"));
            }
            Fails::Differs(Box::new(ReducedReference::new(&text, &other, bounds)))
        }
        (_, Some(id)) => {
            Fails::Found(super::explain::rules_called(id, bounds.as_ref().map(|bounds| bounds.isa))?)
        }
        _ => Fails::Command(args),
    };
    let folder = std::env::temp_dir().join(format!("vecasm-reduce-{}", std::process::id()));
    io::create_folder(&folder)?;
    let sink = args.output.output.is_some().then(|| Sink::new(&args.output));
    let bar = ProgressBar::new(args.tries as u64);
    let style = ProgressStyle::with_template("{pos} tried [{elapsed}] {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    let mut asked = FailureCheck {
        args,
        ctx,
        file: folder.join(input.file_name("txt")),
        input: &input,
        form,
        bounds,
        reading,
        fails,
        sink,
        bar,
        last: None,
        failure: None,
    };
    let result = reduced(&mut asked, &text);
    asked.bar.finish_and_clear();
    // It is only ours, and of no use any more.
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn reduced(asked: &mut FailureCheck<'_>, text: &str) -> Outcome {
    let name = asked.input.name.clone();
    if asked.bounds.is_none() {
        asked.ctx.tell(&format!("{name} cannot be read as a program, so the result need not be one either"));
    }
    if !asked.ask(text)? {
        return Err(Failure::usage(asked.instead(text)));
    }
    let before = reduce::cost(text).0;
    let reduced = reduce::reduce(text, &Options { tries: asked.args.tries }, asked);
    if let Some(failure) = asked.failure.take() {
        return Err(failure);
    }
    let Some(bytes) = asked.bytes(&reduced.text) else {
        return Err(Failure::usage(format!("{name}: the result cannot be written")));
    };
    let sink = asked.sink.clone().unwrap_or(Sink::Stdout);
    sink.write(asked.input.file_name("txt"), &asked.payload(bytes))?;
    if let Fails::Differs(beside) = &asked.fails {
        let reference = ReducedReference::text(&beside.other);
        match &asked.args.output.output {
            Some(path) if path.as_os_str() != io::DASH => {
                let mut path = path.clone().into_os_string();
                path.push(".reference");
                io::write_file(Path::new(&path), reference.as_bytes())?;
            }
            _ => {
                asked.ctx.tell("what is left of the reference:");
                reference.lines().for_each(|line| asked.ctx.tell(line));
            }
        }
    }
    let after = reduce::cost(&reduced.text).0;
    let end = if reduced.done { "" } else { "; stopped at the limit of --tries" };
    asked.ctx.tell(&format!("{name}: {before} lines, {after} left, {} programs tried{end}", reduced.tries));
    Ok(())
}

/// The text that is reduced, the form of the input, what it is if it can be read, and how texts are read from now on.
fn first_text(input: &Input, reading: &ReadingArgs) -> Outcome<(String, Form, Option<Bounds>, ReadingArgs)> {
    let form = io::form(input, reading, reading.open.notation, AssumedNotation::Text)?;
    let read = load::read(input.clone(), reading, AssumedNotation::Text)?;
    let mut texts = reading.clone();
    texts.open.notation = Some(Notation::Text);
    match (form, read) {
        (open::Form::Text | open::Form::Broken(_), Ok(loaded)) => {
            let text = input.text()?.to_string();
            let bounds = Bounds::of(&loaded, &text);
            Ok((text, Form::Text, Some(bounds), texts))
        }
        (open::Form::Text | open::Form::Broken(_), Err(_)) => {
            Ok((input.text()?.to_string(), Form::Text, None, texts))
        }
        (open::Form::Bytes(bytes), Ok(loaded)) => {
            let hex = *bytes != *input.bytes();
            texts.open.isa = Some(loaded.program.isa());
            texts.program = None;
            let text = lossless(&loaded.program);
            let text = text.ok_or_else(|| Failure::usage(format!("{}: cannot be printed", input.name)))?;
            let format = match std::str::from_utf8(input.bytes()) {
                Ok(digits) if hex => ByteFormat::of_text(digits),
                _ => ByteFormat::Bin,
            };
            let bounds = Bounds::of(&loaded, &text);
            Ok((text, Form::Bytes(format), Some(bounds), texts))
        }
        (open::Form::Bytes(_), Err((_, findings))) => {
            let why = findings.first().map_or_else(String::new, ToString::to_string);
            Err(Failure::usage(format!("{}: not a binary of a program: {why}", input.name)))
        }
    }
}

/// What `check` finds in a program.
fn found(loaded: &Loaded) -> Vec<Diagnostic> {
    let mut findings = loaded.program.validate(&CheckOptions::default());
    findings.extend_from_slice(loaded.program.remarks());
    findings
}

/// The errors that `check` finds in a program, by their ids.
fn errors(loaded: &Loaded) -> BTreeSet<&'static str> {
    let findings = found(loaded);
    findings.iter().filter(|finding| finding.severity == Severity::Error).map(|finding| finding.id).collect()
}

/// The program that was chosen of an input with several, as an input of its own; else the input.
fn alone(mut input: Input, reading: &ReadingArgs) -> Outcome<Input> {
    let one = programs::one(input.clone(), reading)?;
    let Some(piece) = one.one_of_several() else {
        input.asked = None;
        return Ok(input);
    };
    let bytes = match piece.whole_text() {
        Some(_) if piece.is_part() => one.bytes().to_vec(),
        whole => match load::read(one.clone(), reading, AssumedNotation::Text)? {
            Ok(loaded) if whole.is_none() => loaded.program.encode(),
            Ok(loaded) => {
                let text = lossless(&loaded.program);
                text.ok_or_else(|| Failure::usage(format!("{}: cannot be printed", one.name)))?.into_bytes()
            }
            Err((_, findings)) => {
                let why = findings.first().map_or_else(String::new, ToString::to_string);
                return Err(Failure::usage(format!("{}: cannot be read: {why}", one.name)));
            }
        },
    };
    Ok(Input::new(one.name.clone(), one.path.clone(), bytes))
}

fn lossless(program: &AnyProgram) -> Option<String> {
    program.print(program.isa().dialects().first()?)
}

/// Runs the command on a file; tells whether it fails as is asked for.
fn command_fails(args: &Args, file: &Path) -> Outcome<bool> {
    let mut parts = args.command.iter();
    let Some(name) = parts.next() else { return Ok(false) };
    let mut command = Command::new(name);
    let mut named = false;
    for part in parts {
        match part.to_str().filter(|text| text.contains("{}")) {
            Some(text) => {
                named = true;
                command.arg(text.replace("{}", &file.to_string_lossy()));
            }
            None => {
                command.arg(part);
            }
        }
    }
    if !named {
        command.arg(file);
    }
    let piped = || if args.message.is_some() { Stdio::piped() } else { Stdio::null() };
    command.stdin(Stdio::null()).stdout(piped()).stderr(piped());
    let mut child =
        command.spawn().map_err(|error| Failure::usage(format!("{}: {error}", name.to_string_lossy())))?;
    // Read beside the waiting, so that a full pipe stops nobody.
    let out = child.stdout.take().map(reader);
    let err = child.stderr.take().map(reader);
    let end = Instant::now() + Duration::from_secs(args.timeout);
    let status = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if Instant::now() >= end => {
                // It may have ended by itself just now.
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let printed: Vec<u8> =
        [out, err].into_iter().flatten().flat_map(|thread| thread.join().unwrap_or_default()).collect();
    let Some(status) = status else { return Ok(false) };
    let code = status.code();
    let by_status = match (args.status, args.crash, &args.message) {
        (Some(wanted), ..) => code == Some(wanted),
        (_, true, _) => code.is_none_or(|code| code == 101 || code > 128),
        // With a message the status says nothing, if it is not asked for.
        (None, false, Some(_)) => true,
        (None, false, None) => !status.success(),
    };
    let by_message = args
        .message
        .as_ref()
        .is_none_or(|message| String::from_utf8_lossy(&printed).contains(message.as_str()));
    Ok(by_status && by_message)
}

/// Reads a pipe to its end, on a thread of its own.
fn reader(mut pipe: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error still counts.
        let _ = pipe.by_ref().take(16 << 20).read_to_end(&mut bytes);
        bytes
    })
}
