//! `cargo xtask peer`: random and damaged programs through the library and through nv2a-vsh, the Python package, side
//! by side.
//!
//! With `--strict-compat` the tools of the library have to give what nv2a-vsh gives, byte for byte: words, listings,
//! disassembly, errors, warnings. Without it they may differ where nv2a-vsh is wrong, and only there: each difference
//! belongs to one of [`KNOWN`], which are counted. At the end the time of both is compared.
//!
//! Without a Python that has nv2a-vsh 0.1.12 the task is skipped with a line that says so.

mod python;

use crate::mutate::properties::{Rng, random_nv2a};
use crate::{Args, Outcome};
use python::{Peer, Reply};
use serde_json::json;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use vecasm::diag::Severity;
use vecasm::isa::nv2a::bytes::parse_words;
use vecasm::isa::nv2a::pair::Mode;
use vecasm::isa::nv2a::text::tools::{AssembleOptions, DisassembleOptions, nv2avsh, nv2avshd};
use vecasm::isa::nv2a::text::{ParseOptions, PrintOptions, Style, assemble, parse, print};
use vecasm::isa::nv2a::{Program, Slot};

/// The version that the library was compared with.
const VERSION: &str = "0.1.12";

/// Failures printed.
const SHOWN: usize = 12;

/// How nv2a-vsh is known to differ from what is right: what the library says or the tool does, and the name of it.
const KNOWN: &[(&str, &str)] = &[
    ("refused NV2A-two-v", "two vertex attributes in a slot: the words have one of them"),
    ("refused NV2A-c-abs-rel", "a constant and one relative to A0 in a slot: both become relative"),
    ("refused NV2A-out-port", "both units write an output or constant: one write is lost"),
    ("refused NV2A-uniform", "a uniform that reaches beyond c255: it wraps around"),
    ("refused length", "more than 136 slots"),
    ("taken ValueError: ins.src_reg[2]", "ADD beside an operation of the scalar unit: an exception"),
    (
        "taken EncodingError: Invalid instruction pairing",
        "source C of which the scalar unit reads x only: refused",
    ),
    ("taken EncodingError: Invalid pairing", "one value copied by both units: refused"),
    ("taken syntax", "text that the library takes besides"),
    ("listing", "comments about ARL and A0: they assemble to something else"),
    ("swizzle", "a swizzle with a repeat inside: it loses a letter"),
    ("stops", "words with an operation, file or output that does not exist: an exception"),
];

/// What became of the comparison.
#[derive(Default)]
struct Tally {
    cases: u64,
    known: BTreeMap<&'static str, u64>,
    failures: u64,
    /// Texts with a slip, and how many of them both tell in the same words.
    broken: u64,
    same_words: u64,
    shown: Vec<String>,
}

impl Tally {
    fn case(&mut self, what: &str, outcome: Result<(), String>) {
        self.cases += 1;
        if let Err(why) = outcome {
            self.failures += 1;
            if self.shown.len() < SHOWN {
                self.shown.push(format!("{why}\n    {what:?}"));
            }
        }
    }

    /// Counts a difference that is known; one that is not is a failure.
    fn difference(&mut self, what: &str) -> Result<(), String> {
        let row = KNOWN.iter().find(|row| what.starts_with(row.0));
        let row = row.ok_or_else(|| format!("a difference that is not known: {what}"))?;
        *self.known.entry(row.1).or_default() += 1;
        Ok(())
    }
}

/// Runs the task.
pub fn main(args: &[String]) -> Outcome {
    let parsed = Args::parse(args, &["count", "seed", "shared", "python"], &[])
        .and_then(|args| Ok((args.number("count", 3000)?, args.number("seed", 1)?, args)));
    let (count, seed, args) = match parsed {
        Ok(parsed) => parsed,
        Err(why) => return Outcome::Usage(why),
    };
    let mut peer = match Peer::start(args.value("python")) {
        Ok(peer) if peer.version == VERSION => peer,
        Ok(peer) => {
            println!("SKIPPED: nv2a-vsh is {}, not {VERSION}", peer.version);
            return Outcome::Fine;
        }
        Err(why) => {
            println!("SKIPPED: no Python with nv2a-vsh {VERSION} ({why}); `pip install nv2a-vsh=={VERSION}`");
            return Outcome::Fine;
        }
    };
    let mut tally = Tally::default();
    let outcome = compare(&mut peer, &mut tally, count, seed, &args.shared());
    for failure in &tally.shown {
        println!("  FAILED  {failure}");
    }
    if let Err(why) = outcome {
        return Outcome::Usage(why);
    }
    for (name, n) in &tally.known {
        println!("  {n:>7} × {name}");
    }
    println!("  {} texts with a slip, {} of them with the same messages", tally.broken, tally.same_words);
    println!(
        "total: {} cases beside nv2a-vsh {VERSION}, {} failures, seed {seed}",
        tally.cases, tally.failures
    );
    if let Err(why) = times(&mut peer, &args.shared()) {
        return Outcome::Usage(why);
    }
    Outcome::of(tally.failures == 0)
}

fn compare(peer: &mut Peer, tally: &mut Tally, count: u64, seed: u64, shared: &Path) -> Result<(), String> {
    let mut rng = Rng::new(seed);
    let fixed = must_fail(shared);
    for text in &fixed {
        let outcome = text_case(peer, tally, text)?;
        tally.case(text, outcome);
    }
    println!("{} texts that must fail, {count} random texts, {count} random programs", fixed.len());
    for n in 0..count {
        let text = random_nv2a::text(&mut rng);
        let outcome = text_case(peer, tally, &text)?;
        tally.case(&text, outcome);
        if n % 2 == 0 {
            let broken = damaged(&text, &mut rng);
            let outcome = broken_case(peer, tally, &broken)?;
            tally.case(&broken, outcome);
        }
        let mut program = random_nv2a::program(&mut rng);
        // One in four has bits flipped.
        if n % 4 == 0 {
            for _ in 0..=rng.below(3) {
                let at = rng.below(program.slots.len());
                let bit = rng.below(128);
                if let Some(slot) = program.slots.get_mut(at) {
                    slot.0[bit / 32] ^= 1 << (bit % 32);
                }
            }
        }
        let outcome = words_case(peer, tally, &program, n % 2 == 0)?;
        tally.case(&format!("{:?}", program.slots), outcome);
    }
    Ok(())
}

/// A text with one slip: a character left out, put in or replaced, or two changed round.
fn damaged(text: &str, rng: &mut Rng) -> String {
    const PIECES: [&str; 18] =
        [",", "+", ".", "\n", " ", "-", "x", "r", "v0", "c", "[", "]", "#", "%", "9", ";", "mov ", "foo"];
    // Not in the declarations, which are short.
    let from = text.match_indices('\n').nth(3).map_or(0, |(at, _)| at + 1);
    let mut chars: Vec<char> = text.chars().collect();
    let at = from + rng.below(chars.len().saturating_sub(from));
    match rng.below(4) {
        0 if at < chars.len() => drop(chars.remove(at)),
        1 if at + 1 < chars.len() => chars.swap(at, at + 1),
        2 if at < chars.len() => drop(chars.splice(at..=at, PIECES[rng.below(PIECES.len())].chars())),
        _ => drop(chars.splice(at..at, PIECES[rng.below(PIECES.len())].chars())),
    }
    chars.into_iter().collect()
}

/// Asks both about a text with a slip: both take it or both refuse it, and what is taken is the same. That the messages
/// are the same, which depends on how the parser of nv2a-vsh goes on behind an error, is only counted.
fn broken_case(peer: &mut Peer, tally: &mut Tally, text: &str) -> Result<Result<(), String>, String> {
    let reply = peer.ask(&json!({ "c": text }))?;
    let options = AssembleOptions { strict_compat: true, explicit_final: false };
    let answer = nv2avsh("a.vsh", text.as_bytes(), &options);
    tally.broken += 1;
    let said = same_listing(&reply, text);
    tally.same_words += u64::from(said.is_ok());
    Ok(same("compat listing", &answer.output, &reply.text))
}

/// The texts that must fail; none without the folder.
fn must_fail(shared: &Path) -> Vec<String> {
    let Ok(table) = std::fs::read_to_string(shared.join("oracle/nv2a/mustfail.tsv")) else {
        return Vec::new();
    };
    let rows = table.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.filter(|row| row.get(1) == Some(&"text"))
        .filter_map(|row| row.get(4).map(|text| crate::oracle::unescape(text)))
        .collect()
}

/// Asks both about a text.
fn text_case(peer: &mut Peer, tally: &mut Tally, text: &str) -> Result<Result<(), String>, String> {
    let listing = peer.ask(&json!({ "c": text }))?;
    let explicit = peer.ask(&json!({ "asm": text, "final": true }))?;
    Ok(same_listing(&listing, text)
        .and_then(|()| same_words(&explicit, text))
        .and_then(|()| ours_beside(tally, &listing, text)))
}

/// The compat tool gives the listing, or what nv2a-vsh says.
fn same_listing(reply: &Reply, text: &str) -> Result<(), String> {
    let options = AssembleOptions { strict_compat: true, explicit_final: false };
    let answer = nv2avsh("a.vsh", text.as_bytes(), &options);
    let mut errors = reply.printed.clone();
    if let Some(found) = &reply.errors {
        errors += "Assembly failed due to errors in a.vsh:\n";
        for (line, column, message) in found {
            errors += &format!("a.vsh:{line}:{column}: {message}\n");
        }
    }
    if let Some(exception) = &reply.exception {
        let module =
            if exception.starts_with("EncodingError") { "nv2a_vsh.nv2a_vsh_asm.encoding_error." } else { "" };
        errors += &format!("{module}{exception}\n");
    }
    same("compat listing", &answer.output, &reply.text)?;
    same("compat errors", &without_addresses(&answer.errors), &without_addresses(&errors))
}

/// Where Python names objects by their address, only what stands in front can be the same.
fn without_addresses(text: &str) -> String {
    let lists = ["ctx.children [", "operations ["];
    let at = lists.iter().find_map(|list| Some(text.find(list)? + list.len()));
    text.get(..at.unwrap_or(text.len())).unwrap_or("").to_string()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, ours: &T, peers: &T) -> Result<(), String> {
    if ours == peers { Ok(()) } else { Err(format!("{what}: {ours:?}, nv2a-vsh {peers:?}")) }
}

/// The words with an explicit final slot are the same in compat mode.
fn same_words(reply: &Reply, text: &str) -> Result<(), String> {
    let options = ParseOptions { mode: Mode::Compat, explicit_final: true, ..ParseOptions::default() };
    let (program, _) = parse(text, &options);
    let ours = program.map(|p| p.slots.iter().map(|slot| slot.0).collect::<Vec<_>>());
    same("compat words", &ours, &reply.words)
}

/// What is given by default differs only in known ways.
fn ours_beside(tally: &mut Tally, reply: &Reply, text: &str) -> Result<(), String> {
    let answer = nv2avsh("a.vsh", text.as_bytes(), &AssembleOptions::default());
    match (&answer.output, &reply.text) {
        (Some(ours), Some(peers)) if ours == peers => Ok(()),
        (Some(ours), Some(peers)) => {
            let words = |listing: &str| parse_words(listing);
            if words(ours) == words(peers) {
                tally.difference("listing")
            } else {
                Err(format!("other words: {ours}"))
            }
        }
        (None, None) => Ok(()),
        (None, Some(_)) => {
            let (program, findings) = assemble(text, &ParseOptions::default());
            let error = findings.iter().find(|d| d.severity == Severity::Error);
            match (error, program) {
                (Some(error), _) => tally.difference(&format!("refused {}", error.id)),
                (None, Some(program)) if program.program.slots.len() > 136 => {
                    tally.difference("refused length")
                }
                _ => Err("refused without an error".into()),
            }
        }
        (Some(_), None) => match &reply.exception {
            Some(exception) => tally.difference(&format!("taken {exception}")),
            None => tally.difference("taken syntax"),
        },
    }
}

/// Asks both about words.
fn words_case(
    peer: &mut Peer,
    tally: &mut Tally,
    program: &Program,
    explain: bool,
) -> Result<Result<(), String>, String> {
    let slots: Vec<[u32; 4]> = program.slots.iter().map(|slot| slot.0).collect();
    let reply = peer.ask(&json!({ "dis": slots, "explain": explain }))?;
    let words: Vec<String> = slots.iter().flatten().map(|word| format!("0x{word:x}")).collect();
    let text = words.join(" ");
    let tool = |strict_compat| {
        nv2avshd("a.inl", text.as_bytes(), &DisassembleOptions { text: true, explain, strict_compat })
    };
    let compat = tool(true);
    let errors = reply.exception.as_ref().map_or(String::new(), |e| format!("{e}\n"));
    if let Err(why) = same("compat text", &compat.output, &reply.text)
        .and_then(|()| same("compat errors", &compat.errors, &errors))
    {
        return Ok(Err(why));
    }
    let Some(ours) = tool(false).output else { return Ok(Err("not disassembled".into())) };
    Ok(match &reply.text {
        None => tally.difference("stops"),
        Some(peers) if *peers == ours => Ok(()),
        Some(peers) => {
            // Without swizzles they are the same.
            let plain = |text: &str| -> Vec<String> {
                text.split([' ', ',']).map(|w| w.split('.').next().unwrap_or("").to_string()).collect()
            };
            if plain(peers) == plain(&ours) {
                tally.difference("swizzle")
            } else {
                Err(format!("other text: {ours}"))
            }
        }
    })
}

/// The time of both for a slot, over the corpus or, without it, random programs.
fn times(peer: &mut Peer, shared: &Path) -> Result<(), String> {
    let (mut texts, mut programs) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(shared.join("corpus/nv2a")).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        match path.extension().and_then(|e| e.to_str()) {
            Some("vsh") => texts.push(text),
            Some("words") => programs.extend(parse_words(&text).map(|bytes| slots_of(&bytes))),
            _ => {}
        }
    }
    if texts.is_empty() || programs.is_empty() {
        let mut rng = Rng::new(1);
        programs = (0..100).map(|_| random_nv2a::program(&mut rng)).collect();
        let good = |text: &String| {
            parse(text, &ParseOptions { mode: Mode::Compat, ..ParseOptions::default() }).0.is_some()
        };
        texts = (0..400).map(|_| random_nv2a::text(&mut rng)).filter(good).collect();
    }
    let words: Vec<Vec<[u32; 4]>> =
        programs.iter().map(|p| p.slots.iter().map(|slot| slot.0).collect()).collect();
    let slots = |text: &String| parse(text, &ParseOptions::default()).0.map_or(0, |p| p.slots.len());
    let assembled: usize = texts.iter().map(slots).sum();
    let ours = best(assembled, || {
        for text in &texts {
            black_box(parse(black_box(text), &ParseOptions::default()));
        }
    });
    row("assemble", assembled, ours, peer.ask(&json!({ "time_asm": texts }))?.ns);
    let printed: usize = programs.iter().map(|p| p.slots.len()).sum();
    let ours = best(printed, || {
        for program in &programs {
            black_box(print(black_box(program), &PrintOptions { style: Style::Nv2avshd, compat: false }));
        }
    });
    row("disassemble", printed, ours, peer.ask(&json!({ "time_dis": words }))?.ns);
    Ok(())
}

fn row(what: &str, slots: usize, ours: f64, peers: Option<f64>) {
    let beside = peers
        .map_or(String::new(), |ns| format!("; nv2a-vsh {:.1} µs, {:.0} times as long", ns / 1e3, ns / ours));
    println!("{what}: {slots} slots, {ours:.0} ns a slot{beside}");
}

/// Nanoseconds a unit, the best of several rounds.
fn best(units: usize, work: impl Fn()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..15 {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64() * 1e9);
    }
    best / units.max(1) as f64
}

fn slots_of(bytes: &[u8]) -> Program {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |n, &b| n << 8 | u32::from(b));
    let slots = bytes.chunks_exact(16).map(|slot| {
        let mut words = slot.chunks_exact(4).map(word);
        Slot([0; 4].map(|_: u32| words.next().unwrap_or(0)))
    });
    Program::new(slots.collect())
}
