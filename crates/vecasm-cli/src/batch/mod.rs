//! Many inputs, for every verb in the same way.
//!
//! [`gather`] finds the files, [`Batch::run`] does a verb's work on each of them, in parallel, and takes what it made in
//! the order of the inputs; [`names`] says where that is written. Every input is read, what is wrong with one is
//! reported and does not stop the others, and the exit status is the worst of all. A few inputs for each thread are
//! in memory at a time.

mod gather;
mod names;

pub(crate) use names::{Outputs, Place, Shared};

use crate::args::{BatchArgs, ProgramChoice, ReadingArgs};
use crate::io::{self, Input, Name, ProgramSelector, Sink};
use crate::report::{Ctx, Settings};
use crate::{Failure, Outcome, load, programs, writing};
use gather::{Found, Gathered};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use vecasm::diag::{Diagnostic, Source};
use vecasm::open::{AssumedNotation, NoHost};

/// Memory for the calls of a thread; the main one usually has as much.
const STACK: usize = 8 << 20;
/// How many inputs a thread is given at a time: the first number, and up to the second where they are done in no time.
const SHARE: (usize, usize) = (4, 64);
/// Most files without a shader that are named in the end.
const MOST_NAMED: usize = 5;
/// What no time is.
const QUICK: Duration = Duration::from_millis(20);

/// The inputs of a verb.
#[derive(Debug)]
pub(crate) struct Batch {
    gathered: Gathered,
    fail_fast: bool,
    jobs: usize,
    /// The files whose results keep the whole names, so that they are told apart.
    whole_names: OnceLock<BTreeSet<PathBuf>>,
}

/// What a verb calls an input that is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// It is accepted or refused.
    Verdict,
    /// It is done or refused.
    Work,
}

/// Gets a file, the name of an input in it, and why that cannot be read.
type OnUnreadable = dyn Fn(&Path, &Name, &str) -> Outcome + Sync;
/// Gets a file that is passed over, since it is no shader, and what it is where it was not read.
type OnSkipped = dyn Fn(&Input, Option<&str>) -> Outcome + Sync;

/// How a verb takes its inputs.
pub(crate) struct Job<'j> {
    reading: &'j ReadingArgs,
    words: Words,
    /// Whether all programs of an input are taken where nothing is said.
    all: bool,
    /// Whether containers that are named are taken as they are, unless one of their programs is asked for.
    containers: bool,
    /// Whether a container without programs that need not have any is nothing wrong.
    empty: bool,
    /// Whether only texts are taken, and containers in folders passed over.
    texts: bool,
    /// Whether only assembly is taken, and bytecode and its digits in folders passed over as well.
    assembly: bool,
    /// Whether the work goes on where the reader of standard output has gone, since the exit status says what it finds.
    judges: bool,
    /// What is done with the name of an input that cannot be read, and why; it is reported besides.
    lost: Option<&'j OnUnreadable>,
    /// What is done with a file that is passed over.
    passed: Option<&'j OnSkipped>,
}

impl<'j> Job<'j> {
    /// Inputs that are read so, and called so in the end.
    pub(crate) const fn new(reading: &'j ReadingArgs, words: Words) -> Self {
        let judges = matches!(words, Words::Verdict);
        Self {
            reading,
            words,
            all: false,
            containers: false,
            empty: false,
            texts: false,
            assembly: false,
            judges,
            lost: None,
            passed: None,
        }
    }

    /// The same, where the exit status says what the work finds.
    pub(crate) const fn judging(self) -> Self {
        Self { judges: true, ..self }
    }

    /// The same, with all programs of an input that has several, unless one is asked for.
    pub(crate) const fn all(self) -> Self {
        Self { all: true, ..self }
    }

    /// The same, with containers as they are, unless a program in them is asked for.
    pub(crate) const fn with_containers(self) -> Self {
        Self { containers: true, ..self }
    }

    /// The same for texts: containers that a folder holds are passed over.
    pub(crate) const fn of_texts(self) -> Self {
        Self { texts: true, ..self }
    }

    /// The same for assembly: bytecode and its digits that a folder holds are passed over, too.
    pub(crate) const fn of_assembly(self) -> Self {
        Self { texts: true, assembly: true, ..self }
    }

    /// The same, with all programs of an input if results go to a folder, where each has a place.
    pub(crate) fn all_in_a_folder(self, outputs: &Outputs<'_>) -> Self {
        Self { all: matches!(outputs.sink(), Sink::Folder(_)), ..self }
    }

    /// The same, where an asset or an archive without programs is nothing wrong, and is told in a note.
    pub(crate) const fn or_empty(self) -> Self {
        Self { empty: true, ..self }
    }

    /// The same, with something to be done with a file that is passed over.
    pub(crate) const fn or_passed(self, passed: &'j OnSkipped) -> Self {
        Self { passed: Some(passed), ..self }
    }

    /// The same, with something to be done where an input cannot be read.
    pub(crate) const fn or_lost(self, lost: &'j OnUnreadable) -> Self {
        Self { lost: Some(lost), ..self }
    }
}

/// What became of an input.
#[derive(Debug)]
enum InputOutcome<T> {
    /// It is no shader, and nobody said that it is one; and what of it could not be read.
    Skipped(Box<Input>, Vec<Diagnostic>),
    /// It is a file that may have programs in it and has none: what it has, in words; and what of it could not be read.
    Empty(Box<Input>, String, Vec<Diagnostic>),
    /// It cannot be read.
    Unread(Failure),
    /// It was read: for each program in it the name, and what the verb made of it; and what of it could not be read.
    Read(Vec<(Name, Outcome<T>, Ctx)>, Vec<Diagnostic>),
}

/// What became of an input on which the work ended.
#[derive(Debug)]
pub(crate) enum Done {
    /// So many programs of it were done.
    Programs(usize),
    /// It holds no shader, and was found in a folder: its name.
    Passed(String),
    /// It cannot be read.
    Unread(Failure),
}

/// What became of all inputs, for people and for machines.
#[derive(Debug)]
pub(crate) struct Summary {
    text: String,
    json: serde_json::Value,
}

/// Says what became of all inputs, if there is something to say.
pub(crate) fn tell(summary: Option<Summary>, ctx: &Ctx) {
    if let Some(summary) = summary {
        ctx.tell(&summary.text);
        if ctx.json() {
            ctx.error_bytes(format!("{}\n", summary.json).as_bytes());
        }
    }
}

/// What became of all inputs.
#[derive(Debug, Default)]
struct Tally {
    files: usize,
    programs: usize,
    good: usize,
    refused: usize,
    failed: usize,
    unread: usize,
    skipped: Vec<String>,
    worst: u8,
}

impl Batch {
    /// Finds the inputs.
    pub(crate) fn new(files: &[PathBuf], args: &BatchArgs) -> Outcome<Self> {
        let gathered = gather::gather(files, args)?;
        // Even those that are read last must not be written over.
        for found in &gathered.files {
            writing::note_input(&io::addressed(&found.path).0);
        }
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = args.jobs.map_or(all, usize::from);
        Ok(Self { gathered, fail_fast: args.fail_fast, jobs, whole_names: OnceLock::new() })
    }

    /// Whether there may be several inputs.
    pub(crate) fn is_several(&self) -> bool {
        self.gathered.open || self.gathered.files.len() > 1
    }

    /// The files, if they are named one by one.
    pub(crate) fn named(&self) -> Option<Vec<&Path>> {
        let files = self.gathered.files.iter().map(|found| found.path.as_path());
        (!self.gathered.open).then(|| files.collect())
    }

    /// Does `work` on each program of each input, and gives what it made to `take`, with the file, in the order of the
    /// inputs. What fails is reported; the failure that comes back is the worst one.
    pub(crate) fn run<T: Send>(
        &self,
        job: &Job<'_>,
        ctx: &Ctx,
        work: impl Fn(Input, &Ctx) -> Outcome<T> + Sync,
        take: impl FnMut(&Path, T) -> Outcome,
    ) -> Outcome {
        let mut said = None;
        let done = self.run_quietly(job, ctx, work, take, &mut said);
        tell(said, ctx);
        done
    }

    /// The same; what there is to say in the end goes to `said`.
    pub(crate) fn run_quietly<T: Send>(
        &self,
        job: &Job<'_>,
        ctx: &Ctx,
        work: impl Fn(Input, &Ctx) -> Outcome<T> + Sync,
        mut take: impl FnMut(&Path, T) -> Outcome,
        said: &mut Option<Summary>,
    ) -> Outcome {
        let mut tally = Tally::default();
        for (path, why) in &self.gathered.failures {
            let name = io::shown(path);
            tally.files += 1;
            tally.unread(&Failure::usage(format!("{name}: {why}")), ctx);
            if let Some(lost) = job.lost {
                lost(path, &name, why)?;
            }
        }
        for (path, what) in &self.gathered.odd {
            let input = Input::named(path);
            if let Some(passed) = job.passed {
                passed(&input, Some(what))?;
            }
            tally.skipped.push(format!("{} ({what})", input.name));
        }
        let words = job.words;
        let settings = ctx.settings();
        let one = |found: &Found| self.one(found, job, settings, &work);
        let is_closed = || !job.judges && io::is_closed();
        Self::in_shares(&self.gathered.files, self.jobs, one, |found, fate| {
            self.settle(&found.path, fate, &mut tally, job, ctx, &mut take)?;
            // Nobody reads what would be made of the rest.
            let ends = is_closed() || self.fail_fast && tally.worst > 0;
            Ok(if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        if is_closed() {
            return tally.verdict();
        }
        tally.end(words, self.is_several(), said)
    }

    /// Does `work` on each of some things of the inputs, and gives what it made to `take`, in their order. What fails is reported; the
    /// failure that comes back is the worst one. What became of several is said in the end, if they `are_programs`.
    pub(crate) fn each<I: Sync, T: Send>(
        &self,
        (items, are_programs): (&[I], bool),
        ctx: &Ctx,
        work: impl Fn(&I, &Ctx) -> Outcome<T> + Sync,
        mut take: impl FnMut(&I, T) -> Outcome<Done>,
        name: impl Fn(&I) -> Name,
    ) -> Outcome {
        let mut tally = Tally::default();
        for (path, why) in &self.gathered.failures {
            tally.files += 1;
            tally.unread(&Failure::usage(format!("{}: {why}", io::shown(path))), ctx);
        }
        let odd = self.gathered.odd.iter();
        tally.skipped.extend(odd.map(|(path, what)| format!("{} ({what})", io::shown(path))));
        let settings = ctx.settings();
        let one = |item: &I| {
            let own = Ctx::held(settings);
            let made = catch_unwind(AssertUnwindSafe(|| work(item, &own)));
            (made.unwrap_or(Err(Failure::Internal)), own)
        };
        // The work writes: where the first failure ends it nothing may be made of the next input.
        let jobs = if self.fail_fast { 1 } else { self.jobs };
        Self::in_shares(items, jobs, one, |item, (made, own)| {
            let taken = made.and_then(|made| take(item, made));
            ctx.say(own);
            match taken {
                Ok(Done::Programs(count)) => {
                    tally.files += 1;
                    tally.programs += count;
                    tally.good += count;
                }
                Ok(Done::Passed(what)) => tally.skipped.push(what),
                Ok(Done::Unread(failure)) => {
                    tally.files += 1;
                    tally.unread(&failure, ctx);
                }
                Err(failure @ Failure::Output(_)) => return Err(failure),
                Err(failure) => {
                    tally.files += 1;
                    tally.programs += 1;
                    tally.fail(&name(item), &failure, self.is_several(), ctx);
                }
            }
            let ends = io::is_closed() || self.fail_fast && tally.worst > 0;
            Ok(if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        tell((are_programs && self.is_several()).then(|| tally.summary(Words::Work)), ctx);
        tally.verdict()
    }

    /// Does `work` on each of a list, on that many threads, and gives what it made to `take`, in the order of the list,
    /// until that says stop. A few for each thread are in memory at a time.
    fn in_shares<I: Sync, T: Send>(
        items: &[I],
        jobs: usize,
        work: impl Fn(&I) -> T + Sync,
        mut take: impl FnMut(&I, T) -> Outcome<ControlFlow<()>>,
    ) -> Outcome {
        let jobs = jobs.min(items.len());
        let pool = if jobs > 1 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).stack_size(STACK).build();
            Some(pool.map_err(|error| Failure::usage(error.to_string()))?)
        } else {
            None
        };
        let (mut rest, mut share) = (items, SHARE.0);
        while !rest.is_empty() {
            let count = if pool.is_some() { jobs * share } else { 1 };
            let (some, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            let begun = Instant::now();
            let made: Vec<T> = match &pool {
                Some(pool) => pool.install(|| some.par_iter().map(&work).collect()),
                None => some.iter().map(&work).collect(),
            };
            share = if begun.elapsed() < QUICK { (share * 2).min(SHARE.1) } else { SHARE.0 };
            for (item, made) in some.iter().zip(made) {
                if take(item, made)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Reads a file, and does the work on its programs.
    fn one<T>(
        &self,
        found: &Found,
        job: &Job<'_>,
        settings: Settings,
        work: &impl Fn(Input, &Ctx) -> Outcome<T>,
    ) -> InputOutcome<T> {
        let reading = job.reading;
        let mut input = match io::read(&found.path) {
            Ok(input) => input,
            Err(failure) => return InputOutcome::Unread(failure),
        };
        let passed = job.texts && programs::is_container(&input, job.reading)
            || job.assembly && found.walked && programs::is_bytecode(&input, job.reading);
        if found.walked && (passed || !load::is_known(&input)) {
            return InputOutcome::Skipped(Box::new(input), Vec::new());
        }
        input.whole_name = self.whole_names.get().is_some_and(|whole| whole.contains(&found.path));
        let all = match (&input.asked, reading.program) {
            // An address may lead to several.
            (Some(ProgramSelector::Address(_)), _) => job.all,
            (Some(ProgramSelector::Number(_)), _) => false,
            (None, None) => job.all,
            (None, Some(which)) => which == ProgramChoice::All,
        };
        // Beside others, one that has a single program has no numbers to choose from.
        let numbered = matches!(reading.program, Some(ProgramChoice::Number(_))) && input.asked.is_none();
        if numbered && self.is_several() && programs::count(&input, reading) == 1 {
            input.asked = Some(ProgramSelector::Number(1));
        }
        let asked = input.asked.is_some() || reading.program.is_some();
        // What a folder holds is looked through for programs.
        let whole = job.containers && !asked && !found.walked && programs::is_container(&input, reading);
        let mut unread = if whole || all { Vec::new() } else { programs::unread(&input, reading) };
        let mut parts = match (all, asked) {
            _ if whole => vec![input],
            (true, _) => match programs::all_and_unread(input, reading) {
                Ok((parts, others)) => {
                    unread = others;
                    parts
                }
                Err(failure) => return InputOutcome::Unread(failure),
            },
            (_, true) => match programs::one(input, reading) {
                Ok(part) => vec![part],
                Err(failure) => return InputOutcome::Unread(failure),
            },
            (_, false) => vec![input],
        };
        let is_empty = |parts: &[Input]| matches!(parts, [only] if programs::is_empty(only, reading));
        let takes_all = job.empty && all && !asked && !whole;
        if (found.walked || takes_all) && is_empty(&parts) {
            let may_be_empty = |only: &Input| found.walked || programs::need_not_have_any(only, reading);
            if let Some(only) = parts.pop_if(|only| may_be_empty(only)) {
                if found.walked {
                    return InputOutcome::Skipped(Box::new(only), unread);
                }
                let options = reading.options(AssumedNotation::Text);
                let what = only.read(&options, &mut NoHost).err().map(|why| why.to_string());
                return InputOutcome::Empty(Box::new(only), what.unwrap_or_default(), unread);
            }
        }
        let done = parts.into_iter().map(|part| {
            let name = part.name.clone();
            let own = Ctx::held(settings);
            let made = catch_unwind(AssertUnwindSafe(|| work(part, &own)));
            (name, made.unwrap_or(Err(Failure::Internal)), own)
        });
        InputOutcome::Read(done.collect(), unread)
    }

    fn settle<T>(
        &self,
        path: &Path,
        fate: InputOutcome<T>,
        tally: &mut Tally,
        job: &Job<'_>,
        ctx: &Ctx,
        take: &mut impl FnMut(&Path, T) -> Outcome,
    ) -> Outcome {
        if let InputOutcome::Empty(input, what, _) = &fate {
            ctx.tell(&format!("vecasm: note: {}: {what}", input.name));
        }
        match fate {
            InputOutcome::Skipped(input, unread) | InputOutcome::Empty(input, _, unread) => {
                ctx.report(&unread, Source { name: input.name.raw(), text: None });
                if let Some(passed) = job.passed {
                    passed(&input, None)?;
                }
                tally.skipped.push(match input.foreign_kind() {
                    Some(kind) => format!("{} ({kind})", input.name),
                    None => input.name.to_string(),
                });
            }
            InputOutcome::Unread(failure) => {
                tally.files += 1;
                tally.unread(&failure, ctx);
                if let Some(lost) = job.lost {
                    lost(path, &Input::named(path).name, &failure.to_string())?;
                }
            }
            InputOutcome::Read(programs, unread) => {
                ctx.report(&unread, Source { name: Input::named(path).name.raw(), text: None });
                tally.files += 1;
                let of = programs.len();
                for (name, made, own) in programs {
                    ctx.say(own);
                    // What no verdict can be had of counts as its record says.
                    if let (Some(lost), Err(failure @ Failure::Usage(_))) = (job.lost, &made) {
                        lost(path, &name, &failure.to_string())?;
                        if of == 1 {
                            let said = Failure::Usage(named(&name, &failure.to_string(), self.is_several()));
                            tally.unread(&said, ctx);
                            continue;
                        }
                    }
                    tally.programs += 1;
                    match made.and_then(|made| take(path, made)) {
                        Ok(()) => tally.good += 1,
                        Err(failure @ Failure::Output(_)) => return Err(failure),
                        Err(failure) => tally.fail(&name, &failure, self.is_several() || of > 1, ctx),
                    }
                }
            }
        }
        Ok(())
    }
}

/// A message with the name of its input in front, if there are several and it does not begin so.
fn named(name: &Name, message: &str, several: bool) -> String {
    if !several || message.starts_with(&name.to_string()) {
        message.to_string()
    } else {
        format!("{name}: {message}")
    }
}

impl Tally {
    fn unread(&mut self, failure: &Failure, ctx: &Ctx) {
        if let Failure::Usage(message) = failure {
            ctx.complain(message);
        }
        self.unread += 1;
        self.worst = self.worst.max(2);
    }

    fn fail(&mut self, name: &Name, failure: &Failure, several: bool, ctx: &Ctx) {
        let worst = match failure {
            Failure::Shader => {
                self.refused += 1;
                1
            }
            Failure::Internal => {
                self.failed += 1;
                ctx.complain(&format!("{name}: internal error"));
                3
            }
            Failure::Usage(message) => {
                self.failed += 1;
                ctx.complain(&named(name, message, several));
                2
            }
            Failure::Reported | Failure::Output(_) | Failure::BrokenPipe => {
                self.failed += 1;
                2
            }
        };
        self.worst = self.worst.max(worst);
    }

    /// Says how many there were, and gives the worst failure.
    fn end(self, words: Words, several: bool, said: &mut Option<Summary>) -> Outcome {
        if several || self.programs > 1 {
            *said = Some(self.summary(words));
        }
        self.verdict()
    }

    /// The worst failure.
    fn verdict(&self) -> Outcome {
        match self.worst {
            0 => Ok(()),
            1 => Err(Failure::Shader),
            2 => Err(Failure::Reported),
            _ => Err(Failure::Internal),
        }
    }

    /// `3 programs in 2 files: 2 accepted, 1 refused; 2 others hold no shader: notes.md, a.png (a picture (PNG))`.
    fn summary(&self, words: Words) -> Summary {
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let good = match words {
            Words::Verdict => "accepted",
            Words::Work => "done",
        };
        let parts = [
            (self.good, good),
            (self.refused, "refused"),
            (self.failed, "failed"),
            (self.unread, "not read"),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        let mut out = count(self.files, "file");
        if self.programs + self.unread != self.files {
            out = format!("{} in {out}", count(self.programs, "program"));
        }
        if !parts.is_empty() {
            out = format!("{out}: {}", parts.join(", "));
        }
        let skipped = self.skipped.len();
        if skipped > 0 {
            let verb = if skipped == 1 { "holds" } else { "hold" };
            out = format!("{out}; {} {verb} no shader", count(skipped, "other"));
            let names = if skipped <= MOST_NAMED {
                self.skipped.join(", ")
            } else {
                "`check --json` names them".to_string()
            };
            out = format!("{out}: {names}");
        }
        let counts = serde_json::json!({
            "files": self.files, "programs": self.programs, good: self.good, "refused": self.refused,
            "failed": self.failed, "unread": self.unread, "skipped": skipped,
        });
        Summary { text: out, json: serde_json::json!({ "summary": counts }) }
    }
}
