//! `cargo xtask bench`, the rows of the NV2A: times over the programs of the corpus, beside nv2a-vsh, which is Python,
//! and nv2a_vsh_cpu. `cargo xtask peer` times nv2a-vsh itself in the same minutes.
//!
//! A slot is one that runs: up to the final one. Programs are run on a batch that is ready, on one core, with ordinary
//! values, as a game's; those that write constants run vertex by vertex and have a row of their own.

use super::{Row, samples};
use std::hint::black_box;
use std::path::Path;
use vecasm::emit::{spirv, wgsl};
use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine};
use vecasm::ir::Shader;
use vecasm::isa::nv2a::bytes::{decode_lossless, parse_words};
use vecasm::isa::nv2a::lift::{Numerics, Options, Space, lift};
use vecasm::isa::nv2a::pair::Mode;
use vecasm::isa::nv2a::rules::{self, validate};
use vecasm::isa::nv2a::text::tools::{AssembleOptions, nv2avsh};
use vecasm::isa::nv2a::text::{self, ParseOptions, PrintOptions, Style};
use vecasm::isa::nv2a::{Program, Slot};
use vecasm::opt::{clean, exact, fold};
use vecasm_conformance::mutate::random_batch;

/// Vertices of a batch.
const VERTICES: usize = 1024;

/// A program and what its benches start from.
struct Prepared {
    bytes: Vec<u8>,
    program: Program,
    /// Slots that run.
    slots: f64,
    nv20: (Shader, Batch<'static>),
    ieee: (Shader, Batch<'static>),
}

/// Something that is timed, for one program.
struct Bench {
    name: &'static str,
    /// What the peer is called, and its nanoseconds a unit on the reference machine.
    peer: Option<(&'static str, f64)>,
    run: fn(&Prepared),
    /// Vertices in one run; `None` for what is done once for a program.
    vertices: Option<usize>,
    /// Whether it is about programs that write constants.
    serial: bool,
}

fn options(numerics: Numerics) -> Options {
    Options { numerics, ..Options::default() }
}

fn run(on: &(Shader, Batch<'static>)) {
    let _ = black_box(Interp.run(black_box(&on.0), &on.1));
}

/// The middle of what nv2a_vsh_cpu takes for a slot, 10 to 13.5 ns; its arithmetic is not the hardware's.
const PEER: Option<(&str, f64)> = Some(("nv2a_vsh_cpu, inexact", 11.7));

const BENCHES: &[Bench] = &[
    Bench {
        name: "nv2a lift",
        peer: None,
        run: |p| drop(black_box(lift(black_box(&p.program), &Options::default()))),
        vertices: None,
        serial: false,
    },
    Bench {
        name: "nv2a to WGSL, ieee, clip space",
        peer: None,
        run: |p| {
            let options = Options { space: Space::Clip, ..options(Numerics::Ieee) };
            if let Ok(shader) = lift(black_box(&p.program), &options) {
                let _ = black_box(wgsl::write(&shader, &wgsl::Options::default()));
            }
        },
        vertices: None,
        serial: false,
    },
    Bench {
        name: "nv2a words to SPIR-V, ieee, clip space",
        peer: None,
        run: |p| {
            let options = Options { space: Space::Clip, ..options(Numerics::Ieee) };
            if let Ok(shader) = lift(&decode_lossless(black_box(&p.bytes)), &options) {
                let _ = black_box(spirv::write(&shader, &spirv::Options::default()));
            }
        },
        vertices: None,
        serial: false,
    },
    Bench {
        name: "nv2a to WGSL, exact, clip space",
        peer: None,
        run: |p| {
            let options = Options { space: Space::Clip, ..options(Numerics::Nv20) };
            if let Ok(integers) = lift(black_box(&p.program), &options).map(|shader| exact(&shader)) {
                let _ = black_box(integers.map(|shader| wgsl::write(&shader, &wgsl::Options::default())));
            }
        },
        vertices: None,
        serial: false,
    },
    Bench {
        name: "nv2a interpret, nv20",
        peer: PEER,
        run: |p| run(&p.nv20),
        vertices: Some(VERTICES),
        serial: false,
    },
    Bench {
        name: "nv2a interpret, ieee",
        peer: PEER,
        run: |p| run(&p.ieee),
        vertices: Some(VERTICES),
        serial: false,
    },
    Bench {
        name: "nv2a interpret, nv20, serial",
        peer: PEER,
        run: |p| run(&p.nv20),
        vertices: Some(VERTICES),
        serial: true,
    },
];

/// The programs of the corpus that end.
fn programs(shared: &Path) -> Vec<Prepared> {
    let Ok(entries) = std::fs::read_dir(shared.join("corpus/nv2a")) else { return Vec::new() };
    let mut files: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    files.sort();
    let words = files.iter().filter(|p| p.extension().is_some_and(|e| e == "words"));
    let bytes = words.filter_map(|p| parse_words(&std::fs::read_to_string(p).ok()?));
    bytes
        .filter_map(|bytes| {
            let program = decode_lossless(&bytes);
            let slots = program.slots.iter().position(Slot::is_final)? + 1;
            let ready = |numerics| {
                let shader = lift(&program, &options(numerics)).ok()?;
                let shader = clean(&fold(&shader));
                let mut batch = random_batch(&shader, 7, VERTICES);
                for bits in batch.inputs.iter_mut().chain(&mut batch.params).flatten().flatten() {
                    *bits = (f32::from((*bits >> 7) as i16) / 8192.0).to_bits();
                }
                Some((shader, batch))
            };
            let (nv20, ieee) = (ready(Numerics::Nv20)?, ready(Numerics::Ieee)?);
            Some(Prepared { bytes, program, slots: slots as f64, nv20, ieee })
        })
        .collect()
}

/// A row about text: what it is called, the goal and nv2a-vsh's nanoseconds a slot on the reference machine, whether it
/// is about sources, and what is done.
type TextBench = (&'static str, Option<(f64, f64)>, bool, fn(&Written));

/// A program as text and as slots.
struct Written {
    text: String,
    program: Program,
}

/// The goals are 200 and 100 times as fast as nv2a-vsh in process, 104 µs and 9.1 µs a slot.
const TEXT_BENCHES: [TextBench; 6] = [
    ("nv2a assemble", Some((520.0, 104_000.0)), true, |w| {
        drop(black_box(text::parse(black_box(&w.text), &ParseOptions::default())));
    }),
    ("nv2a assemble, compat", Some((520.0, 104_000.0)), true, |w| {
        let options = ParseOptions { mode: Mode::Compat, ..ParseOptions::default() };
        drop(black_box(text::parse(black_box(&w.text), &options)));
    }),
    ("nv2a nv2avsh, whole tool", None, true, |w| {
        drop(black_box(nv2avsh("a.vsh", black_box(w.text.as_bytes()), &AssembleOptions::default())));
    }),
    ("nv2a disassemble", Some((91.0, 9_100.0)), false, |w| {
        let options = PrintOptions { style: Style::Nv2avshd, compat: false };
        drop(black_box(text::print(black_box(&w.program), &options)));
    }),
    ("nv2a print, lossless", None, false, |w| {
        drop(black_box(text::print(black_box(&w.program), &PrintOptions::default())));
    }),
    ("nv2a validate", None, false, |w| {
        drop(black_box(validate(black_box(&w.program), &rules::Options::default())));
    }),
];

/// The sources of the corpus, or all its programs printed.
fn written(shared: &Path, sources: bool) -> Vec<Written> {
    let Ok(entries) = std::fs::read_dir(shared.join("corpus/nv2a")) else { return Vec::new() };
    let mut files: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    files.sort();
    let wanted = if sources { "vsh" } else { "words" };
    let files = files.iter().filter(|p| p.extension().is_some_and(|e| e == wanted));
    files
        .filter_map(|path| {
            let text = std::fs::read_to_string(path).ok()?;
            let program = if sources {
                text::parse(&text, &ParseOptions::default()).0?
            } else {
                decode_lossless(&parse_words(&text)?)
            };
            Some(Written { text, program })
        })
        .collect()
}

/// The rows about text, timed.
fn text_rows(shared: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let (sources, all) = (written(shared, true), written(shared, false));
    let mut out = Vec::new();
    for (name, peer, of_sources, run) in TEXT_BENCHES.into_iter().filter(|b| wanted(b.0)) {
        let of = if of_sources { &sources } else { &all };
        out.push(Row {
            name,
            unit: "slot",
            goal: peer.map(|(goal, _)| goal),
            peer: peer.map(|(_, ns)| ("nv2a-vsh", ns, super::Scale::A)),
            units: of.iter().map(|w| w.program.slots.len() as f64).sum(),
            each: samples(of, run),
        });
    }
    out
}

/// Every row, timed.
pub(super) fn rows(shared: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let mut out = text_rows(shared, &wanted);
    if !BENCHES.iter().any(|b| wanted(b.name)) {
        return out;
    }
    let prepared = programs(shared);
    for bench in BENCHES.iter().filter(|b| wanted(b.name)) {
        let of: Vec<&Prepared> = prepared.iter().filter(|p| p.nv20.0.serial == bench.serial).collect();
        let each = samples(&of, |p| (bench.run)(p));
        let units: f64 = of.iter().map(|p| p.slots * bench.vertices.unwrap_or(1) as f64).sum();
        out.push(Row {
            name: bench.name,
            unit: if bench.vertices.is_some() { "slot and vertex" } else { "slot" },
            goal: None,
            peer: bench.peer.map(|(name, ns)| (name, ns, super::Scale::B)),
            units,
            each,
        });
    }
    out
}
