//! `cargo xtask mutate`: damaged programs through everything.
//!
//! The programs of the test files and, where the shared folder is there, of the corpus are damaged in the ways of
//! [`Mutation`], and every property of `tests/properties.rs` is asked of the result, some also of damaged texts:
//! decode, encode, print, parse, validate, lift, verify, run, emit; of some programs naga reads the WGSL. Nothing may
//! panic or take longer than [`LIMIT`], and, but for running, nothing may take more heap than 64 × the input + 1 MiB, where
//! an input has its calls written out. One input in four is two seeds crossed, some are trees of calls.
//!
//! The same seed gives the same programs. The first failures are printed with the program in hexadecimal. A case that
//! does not end, or fills the machine, ends the task ([`watchdog`](crate::watchdog)): what it was is printed, and
//! written to `target/mutate-stopped.txt`.

#[path = "../../tests/properties.rs"]
#[allow(dead_code, reason = "the test suite uses the rest")]
pub(crate) mod properties;

use crate::heap::peak_of;
use crate::oracle::{corpus, naga_accepts, panic_text};
use crate::watchdog::{Limits, Watchdog};
use crate::{Args, Outcome, root};
use indicatif::{ProgressBar, ProgressStyle};
use properties::{Input, Mutation, PROPERTIES, Property, Rng, Seen};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
use vecasm::emit::wgsl;
use vecasm::isa::agal::bytes::{decode, decode_lossless};
use vecasm::isa::agal::lift::{Options, lift};
use vecasm::isa::agal::text::{ParseOptions, PrintOptions, parse, print};
use vecasm::isa::nv2a::bytes::parse_words;
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
/// Failures printed.
const SHOWN: usize = 10;

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

pub(crate) fn main(args: &[String]) -> Outcome {
    let parsed = Args::parse(args, &["count", "seed", "shared", "only", "patience"], &[]).and_then(|args| {
        let numbers =
            (args.number("count", 100_000)?, args.number("seed", 1)?, args.number("patience", PATIENCE)?);
        Ok((args, numbers))
    });
    let (args, (count, seed, patience)) = match parsed {
        Ok(parsed) => parsed,
        Err(why) => return Outcome::Usage(why),
    };
    let mut seeds = own_programs();
    let own = seeds.len();
    match corpus(&args.shared(), "agal") {
        Some(Ok(programs)) => seeds.extend(programs.into_iter().map(|p| p.bytes)),
        Some(Err(why)) => return Outcome::Usage(why),
        None => {}
    }
    if seeds.is_empty() {
        return Outcome::Usage("there is no program to damage".into());
    }
    let corpus = seeds.len() - own;
    let texts: Vec<Vec<u8>> = seeds.iter().map(|seed| printed(seed)).collect();
    let irs = own_irs();
    let mut slots = own_microcode();
    let own_slots = slots.len();
    slots.extend(corpus_microcode(&args.shared()));
    if irs.is_empty() || slots.is_empty() {
        return Outcome::Usage(
            "there is no shader in the text form of the IR, or no program for the NV2A, to damage".into(),
        );
    }
    let vshs = vshs(&args.shared());
    let (streams, stream_texts) = streams(&args.shared());
    let (tokens, token_texts) = token_streams(&args.shared());
    let only = args.value("only").unwrap_or("");
    println!("{count} mutations of {own} programs of the test files and {corpus} of the corpus, seed {seed}");
    println!(
        "  and of {own_slots} programs for the NV2A of the test files and {} of the corpus, and of {} texts",
        slots.len() - own_slots,
        vshs.len()
    );
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
    let mut shown = Vec::new();
    let (mut read, mut unread) = (0u64, 0u64);
    let mut kinds = [0u64; Mutation::ALL.len()];
    let start = Instant::now();
    for n in 0..count {
        let kind = rng.below(Mutation::ALL.len());
        kinds[kind] += 1;
        let mut input = Mutation::ALL[kind].apply(&seeds[rng.below(seeds.len())], &mut rng);
        // One in four is damaged twice, one in four is crossed with another.
        if rng.below(4) == 0 {
            input = Input::Program.crossed(&input, &seeds[rng.below(seeds.len())], &mut rng);
        }
        if rng.below(4) == 0 {
            let kind = rng.below(Mutation::ALL.len());
            kinds[kind] += 1;
            input = Mutation::ALL[kind].apply(&input, &mut rng);
        }
        let text = (n % TEXTS == 0).then(|| Input::Text.made(&texts, &mut rng));
        let ir = (n % TEXTS == 0).then(|| Input::Ir.made(&irs, &mut rng));
        let file = Input::Microcode.made(&slots, &mut rng);
        let vsh = (n % TEXTS == 0).then(|| Input::Vsh.made(&vshs, &mut rng));
        let stream = Input::Stream.made(&streams, &mut rng);
        let stream_text = (n % TEXTS == 0).then(|| Input::StreamText.made(&stream_texts, &mut rng));
        let macros = (n % TEXTS == 0).then(|| Input::Macros.made(&stream_texts, &mut rng));
        let tgsi = Input::Tokens.made(&tokens, &mut rng);
        let tgsi_text = (n % TEXTS == 0).then(|| Input::TokenText.made(&token_texts, &mut rng));
        let microcode = Input::Slots.made(&slots, &mut rng);
        for tally in &mut tallies {
            let input = match tally.property.input {
                Input::Program => Some(&input),
                Input::Text => text.as_ref(),
                Input::Ir => ir.as_ref(),
                Input::Slots => Some(&microcode),
                Input::Microcode => Some(&file),
                Input::Vsh => vsh.as_ref(),
                Input::Stream => Some(&stream),
                Input::StreamText => stream_text.as_ref(),
                Input::Macros => macros.as_ref(),
                Input::Tokens => Some(&tgsi),
                Input::TokenText => tgsi_text.as_ref(),
            };
            let Some(input) = input else { continue };
            if let Err(why) = dog.watch(n, tally.property.name, input, || ask(tally, input)) {
                tally.failures += 1;
                if shown.len() < SHOWN {
                    shown.push(format!("{}: {why}\n    {}", tally.property.name, to_hex(input)));
                }
            }
        }
        if wgsl && n % READ_BACK == 0 {
            match dog.watch(n, "naga reads the WGSL", &input, || read_back(&input)) {
                None => {}
                Some(Ok(())) => read += 1,
                Some(Err(why)) => {
                    unread += 1;
                    if shown.len() < SHOWN {
                        shown.push(format!("naga refuses what is written: {why}\n    {}", to_hex(&input)));
                    }
                }
            }
        }
        if n % 512 == 0 {
            bar.set_position(n);
        }
    }
    bar.finish_and_clear();
    std::panic::set_hook(hook);
    let each = Mutation::ALL.iter().zip(kinds).map(|(m, n)| format!("{} {n}", m.name())).collect::<Vec<_>>();
    println!("  {}", each.join(", "));
    for failure in &shown {
        println!("  FAILED  {failure}");
    }
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

/// Has naga read and validate the WGSL of a program that can be lifted.
fn read_back(input: &[u8]) -> Option<Result<(), String>> {
    let shader = lift(&decode(input).ok()?, &Options::default()).ok()?;
    let source = wgsl::write(&shader, &wgsl::Options::default()).ok()?.source;
    Some(naga_accepts(&source))
}

fn ask(tally: &mut Tally, input: &[u8]) -> Result<(), String> {
    tally.seen.count("cases");
    let start = Instant::now();
    let (asked, heap) = peak_of(|| {
        catch_unwind(AssertUnwindSafe(|| (tally.property.check)(input, &mut tally.seen)))
            .map_err(|panic| panic_text(&*panic))
    });
    let took = start.elapsed();
    tally.time += took;
    if took > tally.slowest.0 {
        tally.slowest = (took, input.len());
    }
    asked?;
    let size = tally.property.input.written_out(input);
    if took > allowed_time(size) {
        return Err(format!("takes {took:?}"));
    }
    if !tally.property.runs {
        let allowed = allowed_heap(size);
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

/// The text of a program, the seed of damaged texts.
fn printed(bytes: &[u8]) -> Vec<u8> {
    print(&decode_lossless(bytes), &PrintOptions::default()).into_bytes()
}

/// The programs of the test files that assemble.
fn own_programs() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    each_file(|_, text| {
        if let (Some(program), _) = parse(&text, &ParseOptions::default()) {
            out.push(vecasm::isa::agal::bytes::encode(&program));
        }
    });
    out.sort();
    out
}

/// The shaders of the test files in the text form of the IR.
fn own_irs() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    each_file(|path, text| {
        if path.extension().is_some_and(|e| e == "ir") {
            out.push(text.into_bytes());
        }
    });
    out.sort();
    out
}

/// The microcode of the test files for the NV2A that assemble.
fn own_microcode() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    each_file(|path, text| {
        if path.extension().is_some_and(|e| e == "nv2a") {
            out.extend(properties::nv2a::microcode(&text));
        }
    });
    out.sort();
    out
}

/// Token streams of Direct3D of the test files and of the corpus, and their texts, without loss and as they were written.
fn streams(shared: &Path) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    use vecasm::isa::d3d9::{bytes, text};
    let (mut streams, mut texts) = (Vec::new(), Vec::new());
    each_file(|path, text| {
        if path.extension().is_some_and(|e| e == "d3d9") {
            streams.extend(properties::d3d9::stream(&text));
            texts.push(text.into_bytes());
        }
    });
    let corpus = |folder: &str| {
        let files =
            std::fs::read_dir(shared.join("corpus/d3d9").join(folder)).into_iter().flatten().flatten();
        files.filter_map(|entry| std::fs::read(entry.path()).ok()).collect::<Vec<_>>()
    };
    streams.extend(corpus("bin"));
    texts.extend(corpus("asm"));
    let printed = streams.iter().map(|stream| {
        text::print(&bytes::decode_lossless(stream), &text::PrintOptions::default()).into_bytes()
    });
    texts.extend(printed);
    streams.sort();
    texts.sort();
    (streams, texts)
}

/// Tokens of TGSI of our own texts and of the corpus in the dialects that can hold them, and the texts, without loss and as
/// they were written.
fn token_streams(shared: &Path) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    use vecasm::isa::tgsi::{Dialect, bytes, text};
    let mut texts: Vec<String> = properties::tgsi::TEXTS.iter().map(|text| (*text).to_string()).collect();
    let has = |path: &Path| path.extension().is_some_and(|e| e == "tgsi");
    each_file(|path, text| {
        if has(path) {
            texts.push(text);
        }
    });
    let files = std::fs::read_dir(shared.join("corpus/tgsi/programs")).into_iter().flatten().flatten();
    let files = files.map(|entry| entry.path()).filter(|path| has(path));
    texts.extend(files.filter_map(|path| std::fs::read_to_string(path).ok()));
    texts.sort();
    let (mut tokens, mut printed) = (Vec::new(), Vec::new());
    for text in &texts {
        let Some(program) = text::parse(text, &text::ParseOptions::tolerant()).0 else { continue };
        // Others differ in little.
        for dialect in [Dialect::Legacy, Dialect::Mesa22, Dialect::Virgl] {
            tokens.extend(bytes::encode_as(&program, dialect).ok());
        }
        printed.push(text::print(&program, text::Style::Lossless).into_bytes());
    }
    printed.extend(texts.into_iter().map(String::into_bytes));
    (tokens, printed)
}

/// Texts for the NV2A: those of the test files and examples, and of the corpus.
fn vshs(shared: &Path) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    each_file(|path, text| {
        if path.extension().is_some_and(|e| e == "nv2a" || e == "vsh") {
            out.push(text.into_bytes());
        }
    });
    let corpus = std::fs::read_dir(shared.join("corpus/nv2a")).into_iter().flatten().flatten();
    let texts = corpus.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "vsh"));
    out.extend(texts.filter_map(|path| std::fs::read(path).ok()));
    out.sort();
    out
}

/// The microcode of the corpus, which is lists of words.
fn corpus_microcode(shared: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(shared.join("corpus/nv2a")) else { return Vec::new() };
    let words = entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "words"));
    let texts = words.filter_map(|path| std::fs::read_to_string(path).ok());
    let mut out: Vec<Vec<u8>> = texts.filter_map(|text| parse_words(&text)).collect();
    out.sort();
    out
}

/// Calls `f` for every text file of the tests and examples.
fn each_file(mut f: impl FnMut(&Path, String)) {
    let mut folders = vec![root().join("tests"), root().join("examples")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for path in entries.flatten().map(|e| e.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                f(&path, text);
            }
        }
    }
}
