//! `cargo xtask bench`, the rows of TGSI: times for the six shaders of the shared folder that Mesa was timed with, in
//! process; and for running them, beside Mesa's tgsi_exec.
//!
//! A program is run as tgsi_exec was: with the inputs of `exec-inputs.txt`, the same in every quad, lifted and cleaned
//! before. tgsi_exec goes through a program with four lanes at a time, so the unit is four lanes: once of a batch, where
//! what a run costs at all is spread over many; once of a run of nothing else, with all that it takes to check a shader
//! nobody has seen; and once of a shader prepared before, quad after quad, which is what tgsi_exec was timed at: it binds a
//! shader once.

use super::{Row, Scale, samples};
use std::cell::RefCell;
use std::hint::black_box;
use std::path::Path;
use vecasm::emit::glsl;
use vecasm::exec::interp::{self, Interp, Workspace};
use vecasm::exec::{Batch, Engine};
use vecasm::ir::{InputKind, Shader};
use vecasm::isa::tgsi::lift::{self, lift};
use vecasm::isa::tgsi::text::{self, ParseOptions, Style};
use vecasm::isa::tgsi::{Dialect, Program, bytes};
use vecasm::opt::{clean, fold, promote, settle};

/// The shaders, and Mesa's microseconds for reading and for printing each, on the reference machine.
const SHADERS: [(&str, f64, f64); 6] = [
    ("v_short", 3.25, 5.4),
    ("v_light", 12.8, 22.8),
    ("v_loop", 7.3, 12.9),
    ("f_flat", 1.05, 1.2),
    ("f_light", 11.1, 20.6),
    ("f_loop", 9.5, 16.4),
];

/// A shader and what its benches start from.
struct Prepared {
    text: String,
    program: Program,
    tokens: Vec<u8>,
}

/// Which of Mesa's times a row stands beside.
#[derive(Clone, Copy)]
enum Peer {
    Read,
    Print,
    None,
}

/// A row: what it is called, whose figure stands beside it, what is done.
type Bench = (&'static str, Peer, fn(&Prepared));

fn print(p: &Prepared, style: Style) {
    drop(black_box(text::print(black_box(&p.program), style)));
}

const BENCHES: [Bench; 8] = [
    ("tgsi parse", Peer::Read, |p| {
        drop(black_box(text::parse(black_box(&p.text), &ParseOptions::tolerant())));
    }),
    ("tgsi parse, as Mesa", Peer::Read, |p| {
        let options = ParseOptions { dialect: Some(Dialect::Mesa22), ..ParseOptions::default() };
        drop(black_box(text::parse(black_box(&p.text), &options)));
    }),
    ("tgsi print, lossless", Peer::Print, |p| print(p, Style::Lossless)),
    ("tgsi print, as Mesa", Peer::Print, |p| print(p, Style::Mesa)),
    ("tgsi print, hexadecimal floats", Peer::Print, |p| print(p, Style::Hex)),
    ("tgsi text to tokens", Peer::Read, |p| {
        let (program, _) = text::parse(black_box(&p.text), &ParseOptions::tolerant());
        drop(black_box(program.map(|program| bytes::encode(&program))));
    }),
    ("tgsi format", Peer::None, |p| drop(black_box(text::format(black_box(&p.text))))),
    ("tgsi decode tokens", Peer::None, |p| drop(black_box(bytes::decode_lossless(black_box(&p.tokens))))),
];

fn prepared(shared: &Path, name: &str) -> Option<Prepared> {
    let text = std::fs::read_to_string(shared.join(format!("bench/tgsi/{name}.tgsi"))).ok()?;
    let program = text::parse(&text, &ParseOptions::tolerant()).0?;
    let tokens = bytes::encode(&program);
    Some(Prepared { text, program, tokens })
}

/// The shaders that are translated from text to GLSL: the goal in nanoseconds, if there is one, and what virglrenderer takes
/// for reading and translating one on the reference machine.
const TRANSLATIONS: [(&str, &str, Option<f64>, f64); 6] = [
    ("v_short", "tgsi text to GLSL, v_short", Some(4e3), 2.8e3 + 5.7e3),
    ("v_light", "tgsi text to GLSL, v_light", Some(8e3), 11.2e3 + 20.8e3),
    ("v_loop", "tgsi text to GLSL, v_loop", None, 6.3e3 + 13.0e3),
    ("f_flat", "tgsi text to GLSL, f_flat", None, 0.85e3 + 1.9e3),
    ("f_light", "tgsi text to GLSL, f_light", None, 9.3e3 + 19.3e3),
    ("f_loop", "tgsi text to GLSL, f_loop", None, 7.0e3 + 14.0e3),
];

/// From text to GLSL, as `vecasm to glsl` does it.
fn to_glsl(p: &Prepared) {
    let program = text::parse(black_box(&p.text), &ParseOptions::tolerant()).0;
    let shader = program.and_then(|program| lift(&program, &lift::Options::default()).ok());
    drop(black_box(shader.map(|shader| glsl::write(&settle(shader, &[]), &glsl::Options::default()))));
}

fn translation_rows(shared: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let row = |(shader, name, goal, peer): (&str, &'static str, Option<f64>, f64)| {
        let peer = Some(("virglrenderer", peer, Scale::A));
        let each = samples(&[prepared(shared, shader)?], to_glsl);
        Some(Row { name, unit: "shader", goal, peer, units: 1.0, each })
    };
    TRANSLATIONS.into_iter().filter(|of| wanted(of.1)).filter_map(row).collect()
}

/// Lanes of a batch.
const LANES: usize = 4096;
/// Lanes that tgsi_exec runs at once.
const QUAD: usize = 4;

/// The shaders; what running them is called, in a batch, four lanes alone, and four lanes of a prepared shader; and
/// tgsi_exec's nanoseconds for four.
const RUNS: [(&str, [&str; 3], f64); 6] = [
    (
        "v_short",
        ["tgsi run v_short, 4096 lanes", "tgsi run v_short, 4 lanes", "tgsi run v_short, prepared, one quad"],
        550.0,
    ),
    (
        "v_light",
        ["tgsi run v_light, 4096 lanes", "tgsi run v_light, 4 lanes", "tgsi run v_light, prepared, one quad"],
        2390.0,
    ),
    (
        "v_loop",
        ["tgsi run v_loop, 4096 lanes", "tgsi run v_loop, 4 lanes", "tgsi run v_loop, prepared, one quad"],
        17_364.0,
    ),
    (
        "f_flat",
        ["tgsi run f_flat, 4096 lanes", "tgsi run f_flat, 4 lanes", "tgsi run f_flat, prepared, one quad"],
        67.0,
    ),
    (
        "f_light",
        ["tgsi run f_light, 4096 lanes", "tgsi run f_light, 4 lanes", "tgsi run f_light, prepared, one quad"],
        1856.0,
    ),
    (
        "f_loop",
        ["tgsi run f_loop, 4096 lanes", "tgsi run f_loop, 4 lanes", "tgsi run f_loop, prepared, one quad"],
        4990.0,
    ),
];

/// What tgsi_exec's programs were run on.
#[derive(Default)]
struct Given {
    constants: Vec<[u32; 4]>,
    /// Attributes of a vertex.
    attributes: Vec<[u32; 4]>,
    /// The varying of the fragments: its value at the origin, its changes to the right and downwards.
    plane: [[f32; 4]; 3],
    /// The pixel of lane 0.
    corner: [f32; 2],
}

impl Given {
    fn read(shared: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(shared.join("bench/tgsi/exec-inputs.txt")).ok()?;
        let mut given = Self::default();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let kind = words.next();
            // Registers come in order. Behind a constant's kind stand its buffer and number, behind an attribute's its
            // number and the lanes, behind a varying's its number.
            let numbers: Vec<f32> = words
                .skip(match kind? {
                    "const" | "in" => 2,
                    "coef" => 1,
                    _ => 0,
                })
                .map_while(|word| word.parse().ok())
                .collect();
            match (kind?, &numbers[..]) {
                ("const", &[x, y, z, w]) => given.constants.push([x, y, z, w].map(f32::to_bits)),
                ("in", &[x, y, z, w]) => given.attributes.push([x, y, z, w].map(f32::to_bits)),
                ("coef", &[a, b, c, d, e, f, g, h, i, j, k, l]) => {
                    given.plane = [[a, b, c, d], [e, f, g, h], [i, j, k, l]];
                }
                ("quadpos", &[x, y, _]) => given.corner = [x, y],
                _ => return None,
            }
        }
        Some(given)
    }

    /// The varying at a lane.
    fn varying(&self, lane: usize) -> [u32; 4] {
        let [x, y] = self.corner;
        let (x, y) = (x + (lane & 1) as f32, y + (lane >> 1 & 1) as f32);
        let [at_origin, right, down] = self.plane;
        std::array::from_fn(|i| (at_origin[i] + right[i] * x + down[i] * y).to_bits())
    }

    fn batch(&self, shader: &Shader, count: usize) -> Option<Batch<'static>> {
        let inputs = shader.inputs.iter().map(|input| match input.kind {
            InputKind::Attribute { location } => {
                Some(vec![*self.attributes.get(usize::try_from(location).ok()?)?; count])
            }
            _ => Some((0..count).map(|lane| self.varying(lane)).collect()),
        });
        let params = vec![self.constants.clone()];
        Some(Batch { count, inputs: inputs.collect::<Option<_>>()?, params, ..Batch::default() })
    }
}

/// The rows about running, timed.
fn run_rows(shared: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let Some(given) = Given::read(shared) else { return Vec::new() };
    let row = |file: &str, name: &'static str, ns: f64, how: usize| {
        let program = prepared(shared, file)?.program;
        let shader = clean(&fold(&promote(&lift(&program, &lift::Options::default()).ok()?)));
        let lanes = if how == 0 { LANES } else { QUAD };
        let batch = given.batch(&shader, lanes)?;
        // A run that fails is no figure.
        Interp.run(&shader, &batch).ok()?;
        let each = if how < 2 {
            samples(&[(&shader, batch)], |(shader, batch)| {
                let _ = black_box(Interp.run(black_box(shader), batch));
            })
        } else {
            let ready = interp::Prepared::new(&shader).ok()?;
            let workspace = RefCell::new(Workspace::default());
            samples(&[(ready, batch)], |(ready, batch)| {
                if let Ok(mut workspace) = workspace.try_borrow_mut() {
                    let _ = black_box(ready.run_in(&mut workspace, black_box(batch)));
                }
            })
        };
        let units = lanes as f64 / QUAD as f64;
        Some(Row { name, unit: "4 lanes", goal: None, peer: Some(("tgsi_exec", ns, Scale::B)), units, each })
    };
    let runs = RUNS.iter().flat_map(|&(file, names, ns)| {
        names.into_iter().enumerate().map(move |(how, name)| (file, name, ns, how))
    });
    runs.filter(|run| wanted(run.1)).filter_map(|(file, name, ns, how)| row(file, name, ns, how)).collect()
}

/// Every row, timed.
pub(super) fn rows(shared: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let mut out = text_rows(shared, &wanted);
    out.extend(translation_rows(shared, &wanted));
    out.extend(run_rows(shared, &wanted));
    out
}

/// The rows about text and tokens, timed.
fn text_rows(shared: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    if !BENCHES.iter().any(|bench| wanted(bench.0)) {
        return Vec::new();
    }
    let shaders: Vec<_> =
        SHADERS.iter().filter_map(|shader| Some((shader, prepared(shared, shader.0)?))).collect();
    let count = shaders.len() as f64;
    let (read, printed) =
        shaders.iter().fold((0.0, 0.0), |(read, printed), (shader, _)| (read + shader.1, printed + shader.2));
    let prepared: Vec<Prepared> = shaders.into_iter().map(|(_, prepared)| prepared).collect();
    let row = |(name, peer, run): Bench| {
        let us = match peer {
            Peer::Read => Some(read),
            Peer::Print => Some(printed),
            Peer::None => None,
        };
        let peer = us.map(|us| ("Mesa", (us * 1e3 / count).round(), Scale::A));
        // Half of Mesa's time is the goal.
        let goal = peer.map(|(_, ns, _)| ns / 2.0);
        Row { name, unit: "shader", goal, peer, units: count, each: samples(&prepared, run) }
    };
    BENCHES.into_iter().filter(|bench| wanted(bench.0)).map(row).collect()
}
