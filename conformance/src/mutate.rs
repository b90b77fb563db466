//! Damaged programs through everything.
//!
//! The programs of the test files and, where the shared folder is there, of the corpus are damaged in the ways of
//! [`Mutation`], and every property of `tests/properties.rs` is asked of the result, some also of damaged texts:
//! decode, encode, print, parse, validate, lift, verify, run, emit; of some programs naga reads the WGSL. Nothing may
//! panic or take longer than [`LIMIT`], and, but for running, nothing may take more heap than 64 × the input + 1 MiB, where
//! an input has its calls written out. One input in four is two seeds crossed, some are trees of calls.
//!
//! The same seed gives the same programs. `--part 1/2` asks of every second sixteen, and `--part 2/2` of the others, so that two processes
//! do the work of one in half the time. The first failures of each property are printed as they are found, with the
//! program in hexadecimal. A case that took too long is asked again before it counts: what else the machine does is
//! no failure. A case that
//! does not end, or fills the machine, ends the task ([`watchdog`](crate::watchdog)): what it was is printed, and
//! written to `target/mutate-stopped.txt`.

#[path = "../../tests/properties.rs"]
#[allow(dead_code, reason = "the test suite uses the rest")]
pub(crate) mod properties;

use crate::heap::peak_of;
use crate::oracle::{File, Report, Results, naga_accepts, panic_text};
use crate::root;
use crate::seeds::Material;
use crate::watchdog::{Limits, Watchdog};
use properties::{Input, Mutation, PROPERTIES, Property, Rng, Seen};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use vecasm::emit::wgsl;
use vecasm::exec::Batch;
use vecasm::ir::Shader;
use vecasm::isa::agal::bytes::decode;
use vecasm::isa::agal::lift;
use vecasm::isa::to_hex;

/// The longest a property may take on one program of ordinary size.
const LIMIT: Duration = Duration::from_secs(1);
/// The heap that ends the task, in bytes; properties that run programs have no other bound.
const MAX_HEAP: usize = 3 << 30;
/// Of so many programs one has its WGSL read by naga, which takes longer than everything else together.
const READ_BACK: u64 = 16;
/// Of so many rounds one has a damaged text besides the damaged program.
const TEXTS: u64 = 4;
/// A [part] takes so many programs in a row: some are asked more than others, each part gets its share of them.
const ROW: u64 = if READ_BACK % TEXTS == 0 { READ_BACK } else { READ_BACK * TEXTS };
/// Failures handed on of each property.
const SHOWN: u64 = 5;
/// Rounds of a row.
const ROUNDS: u64 = 1000;
/// Rows of a property, which are the seeds from 1 on.
const SEEDS: u64 = 4;
/// How often a case that took too long is asked again. The shortest time counts.
const RETRIES: usize = 3;

/// What is known of one property after a run.
struct Tally {
    property: &'static Property,
    seen: Seen,
    failures: u64,
    time: Duration,
    slowest: (Duration, usize),
    /// The largest share of the allowed heap, with the bytes and the size of the input.
    heap: (f64, usize, usize),
}

impl Tally {
    fn new(property: &'static Property) -> Self {
        Self {
            property,
            seen: Seen::default(),
            failures: 0,
            time: Duration::ZERO,
            slowest: (Duration::ZERO, 0),
            heap: (0.0, 0, 0),
        }
    }

    fn is_fine(&self) -> bool {
        self.failures == 0 && self.seen.lacking(self.property).is_none()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = self.seen.iter().filter(|(what, _)| *what != "cases");
        let counted: Vec<String> = counted.map(|(what, n)| format!("{n} {what}")).collect();
        let word = if self.is_fine() { "    ok" } else { "FAILED" };
        writeln!(f, "  {word}  {:<26} {}", self.property.name, counted.join(", "))?;
        let heap = if self.property.runs {
            String::new()
        } else {
            let (share, bytes, input) = self.heap;
            format!("; most heap {bytes} bytes for {input} of input ({:.0} % of the bound)", share * 100.0)
        };
        writeln!(
            f,
            "          {:.1} s; slowest {:.2} ms for {} bytes{heap}",
            self.time.as_secs_f64(),
            self.slowest.0.as_secs_f64() * 1e3,
            self.slowest.1
        )?;
        match self.seen.lacking(self.property) {
            Some(lacking) => writeln!(f, "          {lacking}"),
            None => Ok(()),
        }
    }
}

/// The heap that a call may take for an input of that size, in which subroutines count where they are called.
fn allowed_heap(input: usize) -> usize {
    64 * input + (1 << 20)
}

/// The time that a call may take: as much again for each 64 KiB, in which subroutines count where they are called.
fn allowed_time(input: usize) -> Duration {
    LIMIT * (input >> 16).clamp(1, 16) as u32
}

/// What a run does.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many rounds.
    pub count: u64,
    /// Where the random numbers begin.
    pub seed: u64,
    /// Which part of how many, counted from 0.
    pub part: (u64, u64),
    /// A part of the names of the properties that are asked.
    pub only: String,
    /// How long a case may take before it ends the process.
    pub patience: Duration,
}

/// News of a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// A property does not hold.
    Failure {
        /// The property.
        what: &'a str,
        /// In what way.
        why: &'a str,
        /// Of which input.
        input: &'a [u8],
    },
    /// So many rounds are done, with so many failures.
    Round(u64, u64),
}

/// What came of a run. Its text is a table with a line or two for each property.
pub struct Summary {
    options: Options,
    tallies: Vec<Tally>,
    kinds: [u64; Mutation::ALL.len()],
    /// Modules that naga reads, and refuses.
    modules: (u64, u64),
    time: Duration,
}

impl Summary {
    /// Whether every property holds and does what it promises.
    pub fn is_fine(&self) -> bool {
        self.modules.1 == 0 && self.tallies.iter().all(Tally::is_fine)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = Mutation::ALL.iter().zip(self.kinds).map(|(m, n)| format!("{} {n}", m.name()));
        writeln!(f, "  {}", kinds.collect::<Vec<_>>().join(", "))?;
        let (read, refused) = self.modules;
        let word = if refused == 0 { "    ok" } else { "FAILED" };
        writeln!(f, "  {word}  naga reads the WGSL of every {READ_BACK}th: {read} modules")?;
        self.tallies.iter().try_for_each(|tally| write!(f, "{tally}"))?;
        let Options { count, seed, .. } = self.options;
        let failures = self.tallies.iter().map(|tally| tally.failures).sum::<u64>() + refused;
        let seconds = self.time.as_secs_f64();
        writeln!(f, "total: {count} programs, {failures} failures, {seconds:.1} s, seed {seed}")
    }
}

/// Makes the inputs of rounds.
struct Rounds<'a> {
    material: &'a Material,
    rng: Rng,
    number: u64,
    kinds: [u64; Mutation::ALL.len()],
}

/// An input of each kind that is due.
type Round = Vec<Option<Vec<u8>>>;

impl<'a> Rounds<'a> {
    fn new(material: &'a Material, seed: u64) -> Self {
        Self { material, rng: Rng::new(seed), number: 0, kinds: [0; Mutation::ALL.len()] }
    }

    fn next(&mut self) -> Round {
        let n = self.number;
        self.number += 1;
        let seeds = &self.material.0;
        let make = |kind: Input| {
            let due = !kind.is_text() || n % TEXTS == 0;
            due.then(|| match kind {
                Input::Program => damaged(seeds.of(kind), &mut self.kinds, &mut self.rng),
                _ => kind.made(seeds.of(kind), &mut self.rng),
            })
        };
        Input::ALL.into_iter().map(make).collect()
    }
}

/// Asks properties about damaged programs.
pub fn run(options: &Options, material: &Material, tell: &mut dyn FnMut(Event<'_>)) -> Summary {
    let properties = PROPERTIES.iter().filter(|property| property.name.contains(&options.only));
    let mut tallies: Vec<Tally> = properties.map(Tally::new).collect();
    let limits = Limits { time: options.patience, heap: MAX_HEAP };
    let how = format!("cargo xtask mutate --seed {}", options.seed);
    let dog = Watchdog::start(limits, how, root().join("target/mutate-stopped.txt"));
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let wgsl = options.only.is_empty();
    let (part, parts) = options.part;
    let mut rounds = Rounds::new(material, options.seed);
    let (mut read, mut refused, mut failures) = (0, 0, 0);
    let start = Instant::now();
    for n in 0..options.count {
        let made = rounds.next();
        let is_asked = n / ROW % parts == part;
        let input = made[Input::Program as usize].as_deref().unwrap_or_default();
        for tally in tallies.iter_mut().filter(|_| is_asked) {
            let input = made[tally.property.input as usize].as_deref();
            let Some(input) = input else { continue };
            if let Err(why) = dog.watch(n, tally.property.name, input, || ask(tally, input)) {
                failures += 1;
                tally.failures += 1;
                if tally.failures <= SHOWN {
                    tell(Event::Failure { what: tally.property.name, why: &why, input });
                }
            }
        }
        if wgsl && is_asked && n % READ_BACK == 0 {
            match dog.watch(n, "naga reads the WGSL", input, || read_back(input)) {
                None => {}
                Some(Ok(())) => read += 1,
                Some(Err(why)) => {
                    failures += 1;
                    refused += 1;
                    if refused <= SHOWN {
                        tell(Event::Failure { what: "naga refuses what is written", why: &why, input });
                    }
                }
            }
        }
        tell(Event::Round(n + 1, failures));
    }
    let time = start.elapsed();
    std::panic::set_hook(hook);
    Summary { options: options.clone(), tallies, kinds: rounds.kinds, modules: (read, refused), time }
}

/// Plans a row for each property and seed, which asks what `cargo xtask mutate --count 1000 --seed N --only PROPERTY` does.
pub fn plan<'a>(material: Material) -> Vec<File<'a>> {
    let made = Arc::new(Results::new(SEEDS as usize, move |n| {
        let mut rounds = Rounds::new(&material, n as u64 + 1);
        (0..ROUNDS).map(|_| rounds.next()).collect::<Vec<Round>>()
    }));
    let seeds = || (0..SEEDS as usize).map(|n| (format!("seed{}", n + 1), n));
    let mut files = Vec::new();
    for property in PROPERTIES {
        let mut file = File::new(property.name);
        let made = Arc::clone(&made);
        file.add_all(seeds(), move |report, _, &n| ask_rounds(report, property, made.get(n)));
        files.push(file);
    }
    let mut file = File::new("naga_reads_the_wgsl");
    file.add_all(seeds(), move |report, _, &n| {
        for (number, round) in made.get(n).iter().enumerate().step_by(READ_BACK as usize) {
            let input = round[Input::Program as usize].as_deref().unwrap_or_default();
            if let Some(outcome) = read_back(input) {
                report.case(&format!("round {number}, {}", to_hex(input)), outcome);
            }
        }
    });
    files.push(file);
    files
}

/// Asks a property in all rounds of a seed.
fn ask_rounds(report: &mut Report, property: &'static Property, rounds: &[Round]) {
    let mut tally = Tally::new(property);
    for (number, round) in rounds.iter().enumerate() {
        if let Some(input) = &round[property.input as usize] {
            if let Err(why) = ask(&mut tally, input) {
                report.case(&format!("round {number}, {}", to_hex(input)), Err(why));
            }
        }
    }
    report.case("all rounds", tally.seen.lacking(property).map_or(Ok(()), Err));
}

/// Random values for a shader, by seed.
pub fn random_batch(shader: &Shader, seed: u64, count: usize) -> Batch<'static> {
    properties::batch(shader, &mut Rng::new(seed), count)
}

/// A damaged program of AGAL. One in four is damaged twice, one in four is crossed with another.
fn damaged(seeds: &[Vec<u8>], kinds: &mut [u64], rng: &mut Rng) -> Vec<u8> {
    let mut damage = |input: &[u8], rng: &mut Rng| {
        let kind = rng.below(Mutation::ALL.len());
        kinds[kind] += 1;
        Mutation::ALL[kind].apply(input, rng)
    };
    let mut out = damage(&seeds[rng.below(seeds.len())], rng);
    if rng.below(4) == 0 {
        out = Input::Program.crossed(&out, &seeds[rng.below(seeds.len())], rng);
    }
    if rng.below(4) == 0 {
        out = damage(&out, rng);
    }
    out
}

/// Has naga read and validate the WGSL of a program that can be lifted.
fn read_back(input: &[u8]) -> Option<Result<(), String>> {
    let shader = lift::lift(&decode(input).ok()?, &lift::Options::default()).ok()?;
    let source = wgsl::write(&shader, &wgsl::Options::default()).ok()?.source;
    Some(naga_accepts(&source))
}

fn ask(tally: &mut Tally, input: &[u8]) -> Result<(), String> {
    tally.seen.count("cases");
    let timed = |seen: &mut Seen| {
        let start = Instant::now();
        let (asked, heap) = peak_of(|| {
            catch_unwind(AssertUnwindSafe(|| (tally.property.check)(input, seen)))
                .map_err(|panic| panic_text(&*panic))
        });
        (asked, heap, start.elapsed())
    };
    let mut seen = std::mem::take(&mut tally.seen);
    let (asked, heap, mut took) = timed(&mut seen);
    let allowed = allowed_time(tally.property.input.written_out(input));
    for _ in 0..RETRIES {
        if asked.is_err() || took <= allowed {
            break;
        }
        took = took.min(timed(&mut Seen::default()).2);
    }
    tally.seen = seen;
    tally.time += took;
    if took > tally.slowest.0 {
        tally.slowest = (took, input.len());
    }
    asked?;
    if took > allowed {
        return Err(format!("takes {took:?}, the shortest of {} times", RETRIES + 1));
    }
    if !tally.property.runs {
        let allowed = allowed_heap(tally.property.input.written_out(input));
        let share = heap as f64 / allowed as f64;
        if share > tally.heap.0 {
            tally.heap = (share, heap, input.len());
        }
        if heap > allowed {
            return Err(format!("takes {heap} bytes of heap for {} bytes of input", input.len()));
        }
    }
    Ok(())
}
