//! `cargo xtask mutate`: damaged programs through everything.
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
use crate::oracle::{naga_accepts, panic_text};
use crate::seeds;
use crate::watchdog::{Limits, Watchdog};
use crate::{Args, Outcome, root};
use indicatif::{ProgressBar, ProgressStyle};
use properties::{Input, Mutation, PROPERTIES, Property, Rng, Seen};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use vecasm::emit::wgsl;
use vecasm::exec::Batch;
use vecasm::ir::Shader;
use vecasm::isa::agal::bytes::decode;
use vecasm::isa::agal::lift::{Options, lift};
use vecasm::isa::to_hex;

/// The longest a property may take on one program of ordinary size.
const LIMIT: Duration = Duration::from_secs(1);
/// The heap that ends the task, in bytes; properties that run programs have no other bound.
const MAX_HEAP: usize = 3 << 30;
/// How many seconds end the task, unless `--patience` says so.
const PATIENCE: u64 = 60;
/// Of so many programs one has its WGSL read by naga, which takes longer than everything else together.
const READ_BACK: u64 = 16;
/// Of so many rounds one has a damaged text besides the damaged program.
const TEXTS: u64 = 4;
/// A [part] takes so many programs in a row: some are asked more than others, each part gets its share of them.
const ROW: u64 = if READ_BACK % TEXTS == 0 { READ_BACK } else { READ_BACK * TEXTS };
/// Without a terminal for a bar, how far it is is printed after so many rounds.
const TOLD: u64 = 50_000;
/// Failures printed of each property.
const SHOWN: u64 = 5;
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

/// The heap that a call may take for an input of that size, in which subroutines count where they are called.
fn allowed_heap(input: usize) -> usize {
    64 * input + (1 << 20)
}

/// The time that a call may take: as much again for each 64 KiB, in which subroutines count where they are called.
fn allowed_time(input: usize) -> Duration {
    LIMIT * (input >> 16).clamp(1, 16) as u32
}

/// Runs the task.
pub fn main(args: &[String]) -> Outcome {
    let parsed =
        Args::parse(args, &["count", "seed", "shared", "only", "patience", "part"], &[]).and_then(|args| {
            let numbers =
                (args.number("count", 100_000)?, args.number("seed", 1)?, args.number("patience", PATIENCE)?);
            let part = args.value("part").map_or(Ok((0, 1)), part)?;
            Ok((args, numbers, part))
        });
    let (args, (count, seed, patience), (part, parts)) = match parsed {
        Ok(parsed) => parsed,
        Err(why) => return Outcome::Usage(why),
    };
    let seeds = match seeds::gather(&args.shared()) {
        Ok(seeds) => seeds,
        Err(why) => return Outcome::Usage(why),
    };
    let only = args.value("only").unwrap_or("");
    println!("{count} mutations, seed {seed}, of {}", seeds::summary(&seeds));
    let mut tallies: Vec<Tally> = PROPERTIES
        .iter()
        .filter(|property| property.name.contains(only))
        .map(|property| Tally {
            property,
            seen: Seen::default(),
            failures: 0,
            time: Duration::ZERO,
            slowest: (Duration::ZERO, 0),
            heap: (0.0, 0, 0),
        })
        .collect();
    let wgsl = only.is_empty();
    let bar = ProgressBar::new(count);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg} {eta}") {
        bar.set_style(style);
    }
    let limits = Limits { time: Duration::from_secs(patience), heap: MAX_HEAP };
    let how = format!("cargo xtask mutate --seed {seed}");
    let dog = Watchdog::start(limits, how, root().join("target/mutate-stopped.txt"));
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut rng = Rng::new(seed);
    let (mut read, mut unread) = (0u64, 0u64);
    let mut kinds = [0u64; Mutation::ALL.len()];
    let start = Instant::now();
    for n in 0..count {
        let made: Vec<Option<Vec<u8>>> = Input::ALL
            .into_iter()
            .map(|kind| {
                let due = !kind.is_text() || n % TEXTS == 0;
                due.then(|| match kind {
                    Input::Program => damaged(seeds.of(kind), &mut kinds, &mut rng),
                    _ => kind.made(seeds.of(kind), &mut rng),
                })
            })
            .collect();
        let is_asked = n / ROW % parts == part;
        let input = made[Input::Program as usize].as_deref().unwrap_or_default();
        for tally in tallies.iter_mut().filter(|_| is_asked) {
            let input = made[tally.property.input as usize].as_deref();
            let Some(input) = input else { continue };
            if let Err(why) = dog.watch(n, tally.property.name, input, || ask(tally, input)) {
                tally.failures += 1;
                if tally.failures <= SHOWN {
                    show(&bar, tally.property.name, &why, input);
                }
            }
        }
        if wgsl && is_asked && n % READ_BACK == 0 {
            match dog.watch(n, "naga reads the WGSL", input, || read_back(input)) {
                None => {}
                Some(Ok(())) => read += 1,
                Some(Err(why)) => {
                    unread += 1;
                    if unread <= SHOWN {
                        show(&bar, "naga refuses what is written", &why, input);
                    }
                }
            }
        }
        if n % 512 == 0 {
            bar.set_position(n);
        }
        if bar.is_hidden() && (n + 1) % TOLD == 0 {
            let failures: u64 = tallies.iter().map(|t| t.failures).sum::<u64>() + unread;
            println!("  {} of {count}, {failures} failures, {:.0} s", n + 1, start.elapsed().as_secs_f64());
        }
    }
    bar.finish_and_clear();
    std::panic::set_hook(hook);
    let each = Mutation::ALL.iter().zip(kinds).map(|(m, n)| format!("{} {n}", m.name())).collect::<Vec<_>>();
    println!("  {}", each.join(", "));
    println!(
        "  {}  naga reads the WGSL of every {READ_BACK}th: {read} modules",
        if unread == 0 { "    ok" } else { "FAILED" }
    );
    let mut fine = unread == 0;
    for tally in &tallies {
        fine &= print_tally(tally);
    }
    let failures: u64 = tallies.iter().map(|t| t.failures).sum::<u64>() + unread;
    println!(
        "total: {count} programs, {failures} failures, {:.1} s, seed {seed}",
        start.elapsed().as_secs_f64()
    );
    Outcome::of(fine)
}

/// Reads `1/2`: which part of how many, counted from 0.
fn part(text: &str) -> Result<(u64, u64), String> {
    let numbers =
        text.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
    match numbers {
        Some((part @ 1.., parts)) if part <= parts => Ok((part - 1, parts)),
        _ => Err(format!("--part {text}: expected a number and how many there are, such as 1/2")),
    }
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
    let shader = lift(&decode(input).ok()?, &Options::default()).ok()?;
    let source = wgsl::write(&shader, &wgsl::Options::default()).ok()?.source;
    Some(naga_accepts(&source))
}

/// Prints a failure under the bar.
fn show(bar: &ProgressBar, what: &str, why: &str, input: &[u8]) {
    bar.suspend(|| println!("  FAILED  {what}: {why}\n    {}", to_hex(input)));
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

fn print_tally(tally: &Tally) -> bool {
    let lacking = tally.seen.lacking(tally.property);
    let fine = tally.failures == 0 && lacking.is_none();
    let counted: Vec<String> = tally
        .seen
        .iter()
        .filter(|(what, _)| *what != "cases")
        .map(|(what, n)| format!("{n} {what}"))
        .collect();
    println!(
        "  {}  {:<26} {}",
        if fine { "    ok" } else { "FAILED" },
        tally.property.name,
        counted.join(", ")
    );
    let heap = if tally.property.runs {
        String::new()
    } else {
        let (share, bytes, input) = tally.heap;
        format!("; most heap {bytes} bytes for {input} of input ({:.0} % of the bound)", share * 100.0)
    };
    println!(
        "          {:.1} s; slowest {:.2} ms for {} bytes{heap}",
        tally.time.as_secs_f64(),
        tally.slowest.0.as_secs_f64() * 1e3,
        tally.slowest.1
    );
    if let Some(lacking) = lacking {
        println!("          {lacking}");
    }
    fine
}
