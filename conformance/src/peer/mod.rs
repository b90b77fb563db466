//! Random and damaged programs through the library and through nv2a-vsh, the Python package, side
//! by side.
//!
//! With `--strict-compat` the tools of the library have to give what nv2a-vsh gives, byte for byte: words, listings,
//! disassembly, errors, warnings. Without it they may differ where nv2a-vsh is wrong, and only there: each difference
//! belongs to one of [`KNOWN`], which are counted. At the end the time of both is compared.
//!
//! That takes a Python that has nv2a-vsh 0.1.12.

mod python;

use crate::mutate::properties::{Rng, random_nv2a};
use crate::oracle::{File, Report};
pub use python::Peer;
use python::Reply;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt;
use std::hint::black_box;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use vecasm::diag::Severity;
use vecasm::isa::nv2a::bytes::parse_words;
use vecasm::isa::nv2a::pair::Mode;
use vecasm::isa::nv2a::text::tools::{AssembleOptions, DisassembleOptions, nv2avsh, nv2avshd};
use vecasm::isa::nv2a::text::{ParseOptions, PrintOptions, Style, assemble, parse, print};
use vecasm::isa::nv2a::{Program, Slot};

/// The version that the library was compared with.
pub const VERSION: &str = "0.1.12";

/// Failures shown.
const SHOWN: usize = 12;

/// Rounds of random programs, and the seed, of the rows.
const ROUNDS: u64 = 1000;
const SEED: u64 = 1;

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
#[derive(Debug, Default)]
pub struct Tally {
    /// Cases compared.
    pub cases: u64,
    known: BTreeMap<&'static str, u64>,
    /// Cases that differ in a way that is not known.
    pub failures: u64,
    /// Texts with a slip, and how many of them both tell in the same words.
    broken: u64,
    same_words: u64,
    shown: Vec<String>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, n) in &self.known {
            writeln!(f, "  {n:>7} × {name}")?;
        }
        writeln!(f, "  {} texts with a slip, {} of them with the same messages", self.broken, self.same_words)
    }
}

impl Tally {
    /// The first failures.
    pub fn shown(&self) -> &[String] {
        &self.shown
    }

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

/// What both are asked.
#[derive(Debug)]
pub enum Case {
    /// A text.
    Text(String),
    /// A text with a slip.
    Broken(String),
    /// Words, with or without explanations.
    Words(Program, bool),
}

impl Case {
    /// The text, or the slots.
    fn input(&self) -> String {
        match self {
            Self::Text(text) | Self::Broken(text) => text.clone(),
            Self::Words(program, _) => format!("{:?}", program.slots),
        }
    }

    /// What both say; an error if the peer gives no answer.
    fn ask(&self, peer: &mut Peer, tally: &mut Tally) -> Result<(), String> {
        let outcome = match self {
            Self::Text(text) => text_case(peer, tally, text)?,
            Self::Broken(text) => broken_case(peer, tally, text)?,
            Self::Words(program, explain) => words_case(peer, tally, program, *explain)?,
        };
        tally.case(&self.input(), outcome);
        Ok(())
    }
}

/// What is compared: the texts that must fail, how many of them there are, then random texts and programs.
pub fn cases(count: u64, seed: u64, shared: &Path) -> (usize, Vec<Case>) {
    let mut rng = Rng::new(seed);
    let mut out: Vec<Case> = must_fail(shared).into_iter().map(Case::Text).collect();
    let fixed = out.len();
    for n in 0..count {
        let text = random_nv2a::text(&mut rng);
        let broken = (n % 2 == 0).then(|| damaged(&text, &mut rng));
        out.push(Case::Text(text));
        out.extend(broken.map(Case::Broken));
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
        out.push(Case::Words(program, n % 2 == 0));
    }
    (fixed, out)
}

/// Asks both about all cases.
///
/// # Errors
///
/// The peer gives no answer.
pub fn compare(peer: &mut Peer, tally: &mut Tally, cases: &[Case]) -> Result<(), String> {
    cases.iter().try_for_each(|case| case.ask(peer, tally))
}

/// Plans a row for every case.
pub fn plan<'a>(shared: &Path, python: Option<&str>) -> File<'a> {
    let mut file = File::new("nv2a-vsh");
    let peer = match Peer::start(python) {
        Ok(peer) if peer.version == VERSION => peer,
        other => {
            let why = other.map_or_else(|why| why, |peer| format!("nv2a-vsh is {}", peer.version));
            let reason = format!("no Python with nv2a-vsh {VERSION}: {why}");
            file.add("nv2a-vsh", move |report, _| report.skip(&reason));
            return file;
        }
    };
    let (fixed, cases) = cases(ROUNDS, SEED, shared);
    let name = |n: usize, case: &Case| match case {
        Case::Text(_) if n < fixed => format!("must_fail{n}"),
        Case::Text(_) => format!("text{n}"),
        Case::Broken(_) => format!("slip{n}"),
        Case::Words(..) => format!("words{n}"),
    };
    let rows: Vec<_> = cases.into_iter().enumerate().map(|(n, case)| (name(n, &case), case)).collect();
    // Peers that wait for the next case; whoever finds none starts another.
    let peers = Mutex::new(vec![peer]);
    let python = python.map(str::to_string);
    file.add_all(rows, move |report, id, case| {
        let waiting = || peers.lock().unwrap_or_else(PoisonError::into_inner);
        let free = waiting().pop();
        let asked = free.map_or_else(|| Peer::start(python.as_deref()), Ok).and_then(|mut peer| {
            let mut tally = Tally::default();
            case.ask(&mut peer, &mut tally)?;
            waiting().push(peer);
            Ok(tally)
        });
        match asked {
            Ok(tally) => count(report, id, &tally),
            Err(why) => report.case(id, Err(why)),
        }
    });
    file
}

/// Counts the outcome of one case.
fn count(report: &mut Report, id: &str, tally: &Tally) {
    tally.known.keys().for_each(|name| report.follow(name));
    report.case(id, tally.shown.first().map_or(Ok(()), |why| Err(why.clone())));
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

fn same<T: PartialEq + fmt::Debug>(what: &str, ours: &T, peers: &T) -> Result<(), String> {
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

/// The time of both for a slot, over the corpus or, without it, random programs: a line for each task.
///
/// # Errors
///
/// The peer gives no answer.
pub fn times(peer: &mut Peer, shared: &Path) -> Result<[String; 2], String> {
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
    let assembling = row("assemble", assembled, ours, peer.ask(&json!({ "time_asm": texts }))?.ns);
    let printed: usize = programs.iter().map(|p| p.slots.len()).sum();
    let ours = best(printed, || {
        for program in &programs {
            black_box(print(black_box(program), &PrintOptions { style: Style::Nv2avshd, compat: false }));
        }
    });
    Ok([assembling, row("disassemble", printed, ours, peer.ask(&json!({ "time_dis": words }))?.ns)])
}

fn row(what: &str, slots: usize, ours: f64, peers: Option<f64>) -> String {
    let beside = peers
        .map_or(String::new(), |ns| format!("; nv2a-vsh {:.1} µs, {:.0} times as long", ns / 1e3, ns / ours));
    format!("{what}: {slots} slots, {ours:.0} ns a slot{beside}")
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
