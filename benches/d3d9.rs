//! `cargo xtask bench`, the rows of Direct3D 8 and 9 about tokens and text: times over every stream of the corpus, beside
//! MojoShader, which was timed in process on the reference machine.
//!
//! An instruction is one that is executed: declarations and definitions are work that is not counted. The peer's figures
//! are for a whole parse of the tokens, and for that and its listing, which has neither header nor slots.

use super::{Row, Scale, samples};
use std::hint::black_box;
use std::path::Path;
use vecasm::isa::d3d9::bytes::decode_lossless;
use vecasm::isa::d3d9::program::InstructionToken;
use vecasm::isa::d3d9::text::{self, PrintOptions, Style};
use vecasm::isa::d3d9::{Opcode, Program};

/// A stream and its texts.
struct Prepared {
    bytes: Vec<u8>,
    program: Program,
    listing: String,
    lossless: String,
    instructions: f64,
}

/// A row: what it is called, the goal, the peer's nanoseconds an instruction, what is done.
type Bench = (&'static str, Option<f64>, Option<f64>, fn(&Prepared));

fn print(p: &Prepared, style: Style) {
    drop(black_box(text::print(black_box(&p.program), &PrintOptions { style })));
}

const BENCHES: [Bench; 6] = [
    ("d3d9 parse tokens", Some(100.0), Some(207.0), |p| {
        drop(black_box(decode_lossless(black_box(&p.bytes))))
    }),
    ("d3d9 list, Microsoft's style", Some(300.0), Some(815.0), |p| print(p, Style::Listing)),
    ("d3d9 list, Wine's style", Some(300.0), Some(815.0), |p| print(p, Style::Wine)),
    ("d3d9 print, lossless", None, None, |p| print(p, Style::Lossless)),
    ("d3d9 assemble a listing", None, None, |p| drop(black_box(text::parse(black_box(&p.listing))))),
    ("d3d9 assemble, lossless", None, None, |p| drop(black_box(text::parse(black_box(&p.lossless))))),
];

fn programs(shared: &Path) -> Vec<Prepared> {
    let Ok(entries) = std::fs::read_dir(shared.join("corpus/d3d9/bin")) else { return Vec::new() };
    let mut files: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    files.sort();
    let prepare = |path: std::path::PathBuf| {
        let bytes = std::fs::read(path).ok()?;
        let program = decode_lossless(&bytes);
        let setup = |words: &&[u32]| {
            let op = words.first().and_then(|word| InstructionToken(*word).opcode());
            !matches!(op, Some(Opcode::Dcl | Opcode::Def | Opcode::Defi | Opcode::Defb))
        };
        let instructions = program.instructions().filter(setup).count() as f64;
        let text = |style| text::print(&program, &PrintOptions { style });
        let (listing, lossless) = (text(Style::Listing), text(Style::Lossless));
        (instructions > 0.0).then_some(Prepared { bytes, program, listing, lossless, instructions })
    };
    files.into_iter().filter_map(prepare).collect()
}

/// Every row, timed.
pub(super) fn rows(shared: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    if !BENCHES.iter().any(|bench| wanted(bench.0)) {
        return Vec::new();
    }
    let prepared = programs(shared);
    let row = |(name, goal, peer, run): Bench| Row {
        name,
        unit: "instruction",
        goal,
        peer: peer.map(|ns| ("MojoShader", ns, Scale::A)),
        units: prepared.iter().map(|p| p.instructions).sum(),
        each: samples(&prepared, run),
    };
    BENCHES.into_iter().filter(|bench| wanted(bench.0)).map(row).collect()
}
