//! `cargo xtask bench`: times over the corpus, beside the peer's figure and the two calibration figures.
//!
//! Every figure is a median of rounds. "Weighted" is the time of all programs together divided by the number of
//! their tokens; "a shader" is the median over the programs. A peer's figure is the one of the bench README of
//! the shared folder, scaled to this machine by the calibration: (a) for translation, (b) for straight computing.

#[path = "d3d9.rs"]
mod d3d9;
#[path = "nv2a.rs"]
mod nv2a;
#[path = "tgsi.rs"]
mod tgsi;

use crate::calibrate::{median, naga_us, xorshift_ns};
use crate::{Args, Outcome};
use serde_json::json;
use std::hint::black_box;
use std::time::Instant;
use vecasm::emit::{spirv, wgsl};
use vecasm::exec::Engine;
use vecasm::exec::interp::Interp;
use vecasm::ir::Shader;
use vecasm::isa::agal::bytes::decode;
use vecasm::isa::agal::lift::{Options, lift};
use vecasm::isa::agal::program::Program;
use vecasm::isa::agal::rules::{self, validate};
use vecasm::isa::agal::text::{self, Assembler, CompatOptions, ParseOptions, PrintOptions, Style};
use vecasm_conformance::mutate::random_batch;
use vecasm_conformance::oracle::corpus;

/// Rounds over the corpus.
const ROUNDS: usize = 41;
/// Least time of one sample; short programs are repeated.
const SAMPLE_NS: f64 = 20_000.0;
/// Calibration figures of the machine that the peer's figures come from: the middle of their ranges.
const REFERENCE_A_US: f64 = 103.0;
const REFERENCE_B_NS: f64 = 1.51;
/// Invocations of a run.
const INVOCATIONS: usize = 256;

/// By which calibration a peer's figure is scaled.
#[derive(Clone, Copy)]
enum Scale {
    A,
    B,
}

/// Something that is timed, for one program.
struct Bench {
    name: &'static str,
    /// What the weighted figure is divided by.
    unit: &'static str,
    /// Nanoseconds a unit on the reference machine that are the goal, if there is one; scaled as the peer's figure.
    goal: Option<f64>,
    /// The peer's nanoseconds a unit on the reference machine.
    peer: Option<(&'static str, f64, Scale)>,
    run: fn(&Prepared),
    /// Units in one run.
    units: fn(&Prepared) -> f64,
}

/// A row of figures.
struct Row {
    name: &'static str,
    /// What the weighted figure is divided by.
    unit: &'static str,
    goal: Option<f64>,
    peer: Option<(&'static str, f64, Scale)>,
    /// Units in one run of all programs.
    units: f64,
    /// Nanoseconds of each program.
    each: Vec<f64>,
}

/// A program and what its benches start from.
struct Prepared {
    bytes: Vec<u8>,
    program: Program,
    shader: Shader,
    printed: String,
    mini: String,
}

const BENCHES: &[Bench] = &[
    Bench {
        name: "bytes to WGSL, with validation",
        unit: "token",
        goal: Some(600.0),
        peer: Some(("naga-agal", 1919.0, Scale::A)),
        run: |p| {
            if let Ok(program) = decode(black_box(&p.bytes)) {
                black_box(validate(&program, &rules::Options::default()));
                if let Ok(shader) = lift(&program, &Options::default()) {
                    let _ = black_box(wgsl::write(&shader, &wgsl::Options::default()));
                }
            }
        },
        units: tokens,
    },
    Bench {
        name: "bytes to SPIR-V",
        unit: "token",
        goal: Some(350.0),
        peer: Some(("naga-agal", 2125.0, Scale::A)),
        run: |p| {
            if let Ok(shader) =
                decode(black_box(&p.bytes)).and_then(|program| lift(&program, &Options::default()))
            {
                let _ = black_box(spirv::write(&shader, &spirv::Options::default()));
            }
        },
        units: tokens,
    },
    Bench {
        name: "  decode",
        unit: "token",
        goal: Some(20.0),
        peer: Some(("naga-agal", 16.8, Scale::B)),
        run: |p| drop(black_box(decode(black_box(&p.bytes)))),
        units: tokens,
    },
    Bench {
        name: "  validate",
        unit: "token",
        goal: None,
        peer: Some(("naga-agal, naga's validator", 569.0, Scale::A)),
        run: |p| drop(black_box(validate(black_box(&p.program), &rules::Options::default()))),
        units: tokens,
    },
    Bench {
        name: "  lift",
        unit: "token",
        goal: None,
        peer: Some(("naga-agal, build", 328.0, Scale::A)),
        run: |p| drop(black_box(lift(black_box(&p.program), &Options::default()))),
        units: tokens,
    },
    Bench {
        name: "  write WGSL",
        unit: "token",
        goal: None,
        peer: Some(("naga", 784.0, Scale::A)),
        run: |p| drop(black_box(wgsl::write(black_box(&p.shader), &wgsl::Options::default()))),
        units: tokens,
    },
    Bench {
        name: "  write SPIR-V",
        unit: "token",
        goal: None,
        peer: Some(("naga", 1070.0, Scale::A)),
        run: |p| drop(black_box(spirv::write(black_box(&p.shader), &spirv::Options::default()))),
        units: tokens,
    },
    Bench {
        name: "assemble, strict",
        unit: "token",
        goal: None,
        peer: None,
        run: |p| drop(black_box(text::parse(black_box(&p.printed), &ParseOptions::default()))),
        units: tokens,
    },
    Bench {
        name: "assemble, compat",
        unit: "token",
        goal: None,
        peer: None,
        run: |p| {
            let options = CompatOptions {
                assembler: Assembler::Agal4,
                mode: p.program.stage().name(),
                version: p.program.version(),
                ignore_limits: false,
            };
            drop(black_box(text::assemble(black_box(&p.mini), &options)));
        },
        units: tokens,
    },
    Bench {
        name: "print",
        unit: "token",
        goal: None,
        peer: None,
        run: |p| drop(black_box(text::print(black_box(&p.program), &PrintOptions::default()))),
        units: tokens,
    },
    Bench {
        name: "interpret",
        unit: "token and invocation",
        goal: None,
        peer: None,
        run: |p| {
            let batch = random_batch(&p.shader, 7, INVOCATIONS);
            let _ = black_box(Interp.run(black_box(&p.shader), &batch));
        },
        units: |p| tokens(p) * INVOCATIONS as f64,
    },
];

fn tokens(p: &Prepared) -> f64 {
    p.program.tokens.len() as f64
}

pub(crate) fn main(args: &[String]) -> Outcome {
    let args = match Args::parse(args, &["shared", "format", "only"], &[]) {
        Ok(args) => args,
        Err(why) => return Outcome::Usage(why),
    };
    let as_json = match args.value("format") {
        None | Some("text") => false,
        Some("json") => true,
        Some(other) => return Outcome::Usage(format!("--format is text or json, not {other}")),
    };
    let programs = match corpus(&args.shared(), "agal") {
        Some(Ok(programs)) => programs,
        Some(Err(why)) => return Outcome::Usage(why),
        None => return Outcome::Usage(format!("{} has no corpus/agal", args.shared().display())),
    };
    let prepared: Vec<Prepared> = programs
        .into_iter()
        .filter_map(|p| {
            let program = decode(&p.bytes).ok()?;
            let shader = lift(&program, &Options::default()).ok()?;
            let printed = text::print(&program, &PrintOptions::default());
            let mini = text::print(&program, &PrintOptions { style: Style::Mini });
            Some(Prepared { bytes: p.bytes, program, shader, printed, mini })
        })
        .collect();
    let calibration = match naga_us(&args.shared()) {
        Ok(a) => (a, xorshift_ns()),
        Err(why) => return Outcome::Usage(why),
    };
    let all: f64 = prepared.iter().map(tokens).sum();
    if !as_json {
        println!("{} programs, {all} tokens; median of {ROUNDS} rounds", prepared.len());
        println!(
            "calibration: (a) {:.1} µs (reference {REFERENCE_A_US}), (b) {:.3} ns (reference {REFERENCE_B_NS})\n",
            calibration.0, calibration.1
        );
        println!("{:<32} {:>12} {:>14}  beside it", "", "ns weighted", "µs a shader");
    }
    let wanted = |name: &str| args.value("only").is_none_or(|only| name.contains(only));
    let mut rows: Vec<Row> = BENCHES.iter().filter(|b| wanted(b.name)).map(|b| time(b, &prepared)).collect();
    rows.extend(nv2a::rows(&args.shared(), wanted));
    rows.extend(d3d9::rows(&args.shared(), wanted));
    rows.extend(tgsi::rows(&args.shared(), wanted));
    for bench in rows {
        let weighted = bench.each.iter().sum::<f64>() / bench.units;
        let shader = median(bench.each) / 1e3;
        let peer = bench.peer.map(|(name, ns, scale)| {
            let by = match scale {
                Scale::A => calibration.0 / REFERENCE_A_US,
                Scale::B => calibration.1 / REFERENCE_B_NS,
            };
            (name, ns, ns * by)
        });
        if as_json {
            println!(
                "{}",
                json!({
                    "bench": bench.name.trim(), "unit": bench.unit, "ns_weighted": weighted, "us_shader": shader,
                    "goal_ns": bench.goal, "peer": peer.map(|p| p.0), "peer_ns_reference": peer.map(|p| p.1),
                    "peer_ns_scaled": peer.map(|p| p.2), "calibration_a_us": calibration.0,
                    "calibration_b_ns": calibration.1,
                })
            );
            continue;
        }
        let mut beside = format!("a {}", bench.unit);
        if let Some((name, ns, scaled)) = peer {
            beside += &format!("; {name} {ns} there, {scaled:.0} scaled to here");
            if let Some(goal) = bench.goal {
                let goal_here = goal * scaled / ns;
                let met = if weighted <= goal_here { "met" } else { "MISSED" };
                beside += &format!("; goal {goal} there, {goal_here:.0} here: {met}");
            }
        }
        println!("{:<32} {weighted:>12.1} {shader:>14.2}  {beside}", bench.name);
    }
    Outcome::Fine
}

fn time(bench: &Bench, prepared: &[Prepared]) -> Row {
    let &Bench { name, unit, goal, peer, run, units } = bench;
    Row { name, unit, goal, peer, units: prepared.iter().map(units).sum(), each: samples(prepared, run) }
}

/// Nanoseconds of each program, the median of rounds over all of them.
fn samples<P>(prepared: &[P], run: impl Fn(&P)) -> Vec<f64> {
    // How often each program is run in a sample, so that the clock does not matter.
    let repeats: Vec<u32> = prepared
        .iter()
        .map(|p| {
            let start = Instant::now();
            run(p);
            let once = start.elapsed().as_secs_f64() * 1e9;
            (SAMPLE_NS / once.max(1.0)).clamp(1.0, 1000.0) as u32
        })
        .collect();
    let mut samples: Vec<Vec<f64>> = prepared.iter().map(|_| Vec::with_capacity(ROUNDS)).collect();
    for _ in 0..ROUNDS {
        for ((p, &repeat), samples) in prepared.iter().zip(&repeats).zip(&mut samples) {
            let start = Instant::now();
            for _ in 0..repeat {
                run(p);
            }
            samples.push(start.elapsed().as_secs_f64() * 1e9 / f64::from(repeat));
        }
    }
    samples.into_iter().map(median).collect()
}
