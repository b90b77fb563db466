//! `cargo xtask bench`, the rows of Direct3D 8 and 9: times over every stream of the corpus, or every one that has a
//! translation, beside MojoShader, which was timed in process on the reference machine.
//!
//! An instruction is one that is executed: declarations and definitions are work that is not counted. The peer's figures
//! are for a whole parse of the tokens, for that and its listing, which has neither header nor slots, and for that and
//! GLSL or SPIR-V.

use super::{Row, Scale, samples};
use std::hint::black_box;
use std::path::Path;
use vecasm::emit::{glsl, spirv, wgsl};
use vecasm::ir::Shader;
use vecasm::isa::d3d9::bytes::decode_lossless;
use vecasm::isa::d3d9::lift::{Options, lift};
use vecasm::isa::d3d9::program::InstructionToken;
use vecasm::isa::d3d9::text::{self, PrintOptions, Style};
use vecasm::isa::d3d9::{Opcode, Program};
use vecasm::opt::settle;

/// A stream and its texts.
struct Prepared {
    bytes: Vec<u8>,
    program: Program,
    listing: String,
    lossless: String,
    instructions: f64,
    /// What it is in the IR, if that has a translation.
    shader: Option<Shader>,
}

/// A row: what it is called, the goal, the peer's nanoseconds an instruction, what is done.
type Bench = (&'static str, Option<f64>, Option<f64>, fn(&Prepared));

fn print(p: &Prepared, style: Style) {
    drop(black_box(text::print(black_box(&p.program), &PrintOptions { style })));
}

const BENCHES: [Bench; 6] = [
    ("d3d9 parse tokens", Some(100.0), Some(207.0), |p| {
        drop(black_box(decode_lossless(black_box(&p.bytes))));
    }),
    ("d3d9 list, Microsoft's style", Some(300.0), Some(815.0), |p| print(p, Style::Listing)),
    ("d3d9 list, Wine's style", Some(300.0), Some(815.0), |p| print(p, Style::Wine)),
    ("d3d9 print, lossless", None, None, |p| print(p, Style::Lossless)),
    ("d3d9 assemble a listing", None, None, |p| drop(black_box(text::parse(black_box(&p.listing))))),
    ("d3d9 assemble, lossless", None, None, |p| drop(black_box(text::parse(black_box(&p.lossless))))),
];

const TRANSLATIONS: [Bench; 6] = [
    ("d3d9 tokens to WGSL", Some(500.0), Some(1024.0), |p| {
        if let Ok(shader) = lift(&decode_lossless(black_box(&p.bytes)), &Options::default()) {
            drop(black_box(wgsl::write(&settle(shader, &[]), &wgsl::Options::default())));
        }
    }),
    ("d3d9 tokens to GLSL", Some(450.0), Some(1024.0), |p| {
        if let Ok(shader) = lift(&decode_lossless(black_box(&p.bytes)), &Options::default()) {
            drop(black_box(glsl::write(&settle(shader, &[]), &glsl::Options::default())));
        }
    }),
    ("d3d9 tokens to SPIR-V", Some(350.0), Some(723.0), |p| {
        if let Ok(shader) = lift(&decode_lossless(black_box(&p.bytes)), &Options::default()) {
            drop(black_box(spirv::write(&settle(shader, &[]), &spirv::Options::default())));
        }
    }),
    ("d3d9 lift", None, None, |p| drop(black_box(lift(black_box(&p.program), &Options::default())))),
    ("d3d9 write WGSL", None, None, |p| {
        if let Some(shader) = &p.shader {
            drop(black_box(wgsl::write(black_box(shader), &wgsl::Options::default())));
        }
    }),
    ("d3d9 write SPIR-V", None, None, |p| {
        if let Some(shader) = &p.shader {
            drop(black_box(spirv::write(black_box(shader), &spirv::Options::default())));
        }
    }),
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
        let shader = lift(&program, &Options::default()).ok().map(|shader| settle(shader, &[]));
        let shader = shader.filter(|shader| wgsl::write(shader, &wgsl::Options::default()).is_ok());
        (instructions > 0.0).then_some(Prepared { bytes, program, listing, lossless, instructions, shader })
    };
    files.into_iter().filter_map(prepare).collect()
}

/// Every row, timed.
pub(super) fn rows(shared: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    if !BENCHES.iter().chain(&TRANSLATIONS).any(|bench| wanted(bench.0)) {
        return Vec::new();
    }
    let prepared = programs(shared);
    let row = |prepared: &[Prepared], (name, goal, peer, run): Bench| Row {
        name,
        unit: "instruction",
        goal,
        peer: peer.map(|ns| ("MojoShader", ns, Scale::A)),
        units: prepared.iter().map(|p| p.instructions).sum(),
        each: samples(prepared, run),
    };
    let text = BENCHES.into_iter().filter(|bench| wanted(bench.0));
    let mut rows: Vec<Row> = text.map(|bench| row(&prepared, bench)).collect();
    let translated: Vec<Prepared> = prepared.into_iter().filter(|p| p.shader.is_some()).collect();
    let translations = TRANSLATIONS.into_iter().filter(|bench| wanted(bench.0));
    rows.extend(translations.map(|bench| row(&translated, bench)));
    rows
}
