//! Running programs of TGSI: the recorded runs of Mesa's interpreter, as it does it and as the language means it, with the
//! step table and without, and behind every pass.

use super::tgsi_differs::{Outcome, Setting};
use super::{File, bits, check_lines, tgsi_gs, tgsi_mem, tgsi_open, tgsi_stale, tgsi_tex};
use crate::passes::check::PASSES;
use serde_json::{Map, Value};
use std::path::Path;
use vecasm::exec::interp::Interp;
use vecasm::exec::runfile::RunFile;
use vecasm::exec::texture::Texture;
use vecasm::exec::{Batch, BoundTexture, Engine, Fragments, Outputs};
use vecasm::ir::verify::verify;
use vecasm::ir::{InputKind, OutputKind, SamplerModel, SamplerState, Shader, Stage, System};
use vecasm::isa::Depth;
use vecasm::isa::tgsi::lift::{Compat, Options, lift};
use vecasm::isa::tgsi::names::PropertyName;
use vecasm::isa::tgsi::{Program, text};

/// Lanes of a run.
const LANES: usize = 4;

/// Every instruction, alone.
pub(crate) fn instructions(shared: &Path) -> Vec<File<'_>> {
    vec![cases(shared, "oracle/tgsi/alu.jsonl")]
}

/// Control flow.
pub(crate) fn flow(shared: &Path) -> Vec<File<'_>> {
    vec![cases(shared, "oracle/tgsi/exec_flow.jsonl")]
}

/// Whole programs of the corpus.
pub(crate) fn programs(shared: &Path) -> Vec<File<'_>> {
    vec![cases(shared, "oracle/tgsi/exec_programs.jsonl")]
}

/// Every program of the corpus that is accepted is lifted in every way, verifies, and ends.
pub(crate) fn corpus(shared: &Path) -> Vec<File<'_>> {
    let path = "corpus/tgsi/MANIFEST.json";
    let Ok(manifest) = std::fs::read_to_string(shared.join(path)) else { return vec![File::absent(path)] };
    let name = format!("{path} (programs that run)");
    let manifest: Value = match serde_json::from_str(&manifest) {
        Ok(manifest) => manifest,
        Err(error) => return vec![File::unreadable(name, path, error.to_string())],
    };
    let mut file = File::new(name);
    let entries = manifest.get("files").and_then(Value::as_array).into_iter().flatten();
    let rows = entries.filter_map(|row| Some((column(row, "id").ok()?.to_string(), row.clone())));
    file.add_all(rows, move |report, id, row| {
        let outcome = source(&shared.join("corpus/tgsi"), row).and_then(|source| {
            let (program, _) = text::parse(&source, &text::ParseOptions::default());
            program.ok_or_else(|| "the text is refused".to_string())
        });
        match outcome {
            Ok(program) => match runs(&program) {
                // Registers that were removed.
                Err(_) if column(row, "mesa22") != Ok("ok") => report.skip("texts that Mesa 22 refuses"),
                outcome => report.case(id, outcome),
            },
            // What Mesa refuses, nobody need run.
            Err(_) if column(row, "mesa22") != Ok("ok") => report.skip("texts that Mesa 22 refuses"),
            Err(why) => report.case(id, Err(why)),
        }
    });
    vec![file]
}

fn runs(program: &Program) -> Result<(), String> {
    for compat in [Compat::None, Compat::TgsiExec] {
        for depth in [Depth::Lean, Depth::Full] {
            let shader =
                lift(program, &Options { compat, depth, ..Options::default() }).map_err(|e| e.to_string())?;
            if let Some(breach) = verify(&shader).first() {
                return Err(breach.to_string());
            }
            for seed in 0..2 {
                let file = RunFile::random(&shader, 8, seed);
                let batch = Batch { fuel: Some(256), ..file.batch() };
                let outputs = Interp.run(&shader, &batch).map_err(|e| e.to_string())?;
                if outputs.cells.len() != shader.outputs.len() {
                    return Err("outputs are missing".into());
                }
            }
        }
    }
    Ok(())
}

/// The rows of a file.
pub(super) fn cases<'a>(shared: &'a Path, name: &str) -> File<'a> {
    check_lines(shared, name, move |report, id, row| by(shared, id, row, &Setting::MESA).count(report, id))
}

/// A row in every way.
pub(super) fn by(shared: &Path, id: &str, row: &Value, setting: &Setting) -> Outcome {
    let source = match source(&shared.join("corpus/tgsi"), row) {
        Ok(source) => source,
        Err(why) => return Outcome::Ran(Err(why)),
    };
    let run = |source: &str, row: &Value, setting: &Setting| {
        let (program, findings) = text::parse(source, &text::ParseOptions::default());
        match program {
            Some(program) => ways(&program, row, setting),
            None => Err(format!("the text is refused: {findings:?}")),
        }
    };
    if let Some(proof) = tgsi_open::proof(id) {
        return proof.outcome(&source, row, setting, &run);
    }
    // By the language, too, such a row says only what was left in memory.
    let mesa =
        if *setting == Setting::MESA { Setting::MESA } else { Setting { deep: false, ..Setting::MESA } };
    match tgsi_stale::rewritten(&source) {
        None => Outcome::Ran(run(&source, row, setting)),
        Some((why, source)) => Outcome::Undone(why, source.and_then(|source| run(&source, row, &mesa))),
    }
}

/// The text of a row.
fn source(corpus: &Path, row: &Value) -> Result<String, String> {
    if let Some(text) = row.get("text").and_then(Value::as_str) {
        return Ok(text.into());
    }
    let name = row.get("file").and_then(Value::as_str).ok_or("neither text nor file")?;
    let path = corpus.join(name);
    std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Every way to run a program by one meaning.
pub(super) fn ways(program: &Program, row: &Value, setting: &Setting) -> Result<(), String> {
    let mut options = setting.options();
    if let Some(bytes) = tgsi_mem::shared_bytes(row) {
        options.switches.shared_memory = bytes;
    }
    let lean = lift(program, &options).map_err(|e| e.to_string())?;
    let given = RunInputs::of(row, program, &lean, setting.model)?;
    let mut batch = given.batch();
    tgsi_mem::bind(row, &lean, &mut batch)?;
    let one = |shader: &Shader, what: &str| -> Result<Outputs, String> {
        if let Some(breach) = verify(shader).first() {
            return Err(format!("{what}: {breach}"));
        }
        let outputs = Interp.run(shader, &batch).map_err(|e| format!("{what}: {e}"))?;
        compare(row, shader, &outputs).map_err(|why| format!("{what}: {why}"))?;
        Ok(outputs)
    };
    let wanted = one(&lean, "lean")?;
    if !setting.deep {
        return Ok(());
    }
    let full = lift(program, &Options { depth: Depth::Full, ..options }).map_err(|e| e.to_string())?;
    one(&full, "with steps")?;
    for pass in PASSES {
        let after = (pass.run)(&lean, &batch);
        let outputs = one(&after, pass.name)?;
        if outputs.killed != wanted.killed {
            return Err(format!("{} changes what is dropped", pass.name));
        }
    }
    Ok(())
}

// What a row gives.

/// A vector: four words.
pub(super) fn vector(text: &Value) -> Result<[u32; 4], String> {
    let words = text.as_str().ok_or("a vector is no text")?;
    let mut out = [0; 4];
    let mut words = words.split_whitespace();
    for to in &mut out {
        let word = words.next().ok_or("a vector is too short")?;
        *to = bits(word).ok_or_else(|| format!("{word} is no word"))?;
    }
    Ok(out)
}

pub(super) fn vectors(list: &Value) -> Result<Vec<[u32; 4]>, String> {
    list.as_array().ok_or("no list of vectors")?.iter().map(vector).collect()
}

pub(super) fn section<'a>(row: &'a Value, name: &str) -> Option<&'a Map<String, Value>> {
    row.get(name).and_then(Value::as_object)
}

/// The number of a register `FILE[3]`.
pub(super) fn register<'a>(name: &'a str, file: &str) -> Option<&'a str> {
    name.strip_prefix(file)?.strip_prefix('[')?.split(']').next()
}

/// What a program is run on.
pub(super) struct RunInputs {
    count: usize,
    inputs: Vec<Vec<[u32; 4]>>,
    params: Vec<Vec<[u32; 4]>>,
    textures: Vec<Option<(Texture, SamplerState)>>,
    /// Where inputs that are interpolated anew come from.
    fragments: Option<Fragments>,
}

impl RunInputs {
    pub(super) fn of(
        row: &Value,
        program: &Program,
        shader: &Shader,
        model: SamplerModel,
    ) -> Result<Self, String> {
        let listed = |lists: &[&str], number: &str| -> Result<Option<Vec<[u32; 4]>>, String> {
            let found = lists.iter().find_map(|list| section(row, list)?.get(number));
            found.map(vectors).transpose()
        };
        let mut inputs = Vec::new();
        for input in &shader.inputs {
            if shader.stage == Stage::Geometry {
                inputs.push(tgsi_gs::given(row, shader, input)?);
                continue;
            }
            let lanes = if let Some(n) = register(&input.name, "IN") {
                listed(&["in_lanes", "in"], n)?
            } else if let Some(n) = register(&input.name, "SV") {
                listed(&["sv"], n)?
            } else {
                None
            };
            let mut lanes = lanes.unwrap_or_default();
            match input.kind {
                InputKind::System(System::FrontFacing) => {
                    let front = match row.get("face").and_then(Value::as_str).and_then(bits) {
                        Some(face) => f32::from_bits(face) > 0.0,
                        None => lanes.first().is_none_or(|lane| f32::from_bits(lane[0]) > 0.0),
                    };
                    lanes = vec![[u32::from(front), 0, 0, 0]; LANES];
                }
                // What is recorded is by the conventions of the program.
                InputKind::System(System::FragCoord) => {
                    let says = |name| program.property(name) == Some(1);
                    for [x, y, ..] in &mut lanes {
                        let moved = |by: f32, x: &mut u32| *x = (by + f32::from_bits(*x)).to_bits();
                        if says(PropertyName::FsCoordPixelCenter) {
                            moved(0.5, x);
                            moved(0.5, y);
                        }
                        if says(PropertyName::FsCoordOrigin) {
                            // In a framebuffer without height.
                            *y ^= 1 << 31;
                        }
                    }
                }
                InputKind::System(system) => {
                    let count = usize::from(system.ty().lanes);
                    for lane in &mut lanes {
                        lane[count..].fill(0);
                    }
                }
                _ => {}
            }
            if lanes.is_empty() && !matches!(input.kind, InputKind::System(_)) {
                lanes = vec![[0; 4]; LANES];
            }
            inputs.push(lanes);
        }
        let mut params = Vec::new();
        for array in &shader.params {
            let number = register(&array.name, "CONST").unwrap_or("0");
            let given = section(row, "const").and_then(|buffers| buffers.get(number));
            params.push(given.map(vectors).transpose()?.unwrap_or_default());
        }
        let textures = tgsi_tex::bound(row, shader, model)?;
        let fragments = tgsi_tex::planes(row, shader)?;
        let count = if shader.stage == Stage::Geometry { shader.setup.invocations as usize } else { LANES };
        Ok(Self { count, inputs, params, textures, fragments })
    }

    pub(super) fn batch(&self) -> Batch<'_> {
        Batch {
            count: self.count,
            inputs: self.inputs.clone(),
            params: self.params.clone(),
            fragments: self.fragments.clone(),
            textures: self
                .textures
                .iter()
                .map(|bound| {
                    bound.as_ref().map(|(texture, sampler)| BoundTexture { texture, sampler: *sampler })
                })
                .collect(),
            ..Batch::default()
        }
    }
}

fn column<'a>(of: &'a Value, name: &str) -> Result<&'a str, String> {
    of.get(name).and_then(Value::as_str).ok_or_else(|| format!("no {name}"))
}

// What a row expects.

/// How far a word may be from what is expected.
#[derive(Clone, Copy)]
pub(super) enum Tolerance {
    /// Equal bits.
    Bit,
    /// Equal numbers; any NaN is every other.
    Num,
    /// As that, of pairs of words as doubles.
    Num64,
    /// That many steps of f32.
    Ulp(u32),
    /// An absolute difference; large integers are equal.
    Abs(f64),
    /// Programs with transcendental functions or filters.
    Loose,
}

fn tolerance(row: &Value) -> Result<Tolerance, String> {
    let name = column(row, "tol")?;
    Ok(match name {
        "bit" => Tolerance::Bit,
        "num" => Tolerance::Num,
        "num64" => Tolerance::Num64,
        "prog" => {
            let filtered = section(row, "samp").is_some_and(|samplers| {
                let linear = |of: &Value, name: &str| column(of, name) == Ok("LINEAR");
                samplers.values().any(|of| ["min", "mag", "mip"].into_iter().any(|name| linear(of, name)))
            });
            if filtered || row.get("libm").is_some() { Tolerance::Loose } else { Tolerance::Num }
        }
        _ => {
            if let Some(steps) = name.strip_prefix("ulp") {
                Tolerance::Ulp(steps.parse().map_err(|_| format!("what {name} allows is not known"))?)
            } else if let Some(of) = name.strip_prefix("abs:") {
                Tolerance::Abs(of.parse().map_err(|_| format!("what {name} allows is not known"))?)
            } else {
                return Err(format!("what {name} allows is not known"));
            }
        }
    })
}

/// A float's place in the order of floats.
fn rank(word: u32) -> i64 {
    let magnitude = i64::from(word & 0x7fff_ffff);
    if word >> 31 == 1 { -magnitude } else { magnitude }
}

impl Tolerance {
    /// Whether the words of a vector are near enough; `mask` says which count.
    pub(super) fn allows(self, got: [u32; 4], wanted: [u32; 4], mask: u8) -> bool {
        let single = |lane: usize| {
            let (a, b) = (got[lane], wanted[lane]);
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            let same = a == b || (x.is_nan() && y.is_nan());
            let difference = (f64::from(x) - f64::from(y)).abs();
            match self {
                Self::Bit => a == b,
                Self::Num | Self::Num64 => same,
                Self::Ulp(steps) => {
                    same || (!x.is_nan() && !y.is_nan() && (rank(a) - rank(b)).abs() <= i64::from(steps))
                }
                Self::Abs(of) => same || difference <= of,
                Self::Loose => same || difference <= 1e-4 * f64::from(y).abs() + 1e-5,
            }
        };
        if matches!(self, Self::Num64) {
            return (0..2).all(|pair| {
                let double = |v: [u32; 4]| u64::from(v[pair * 2]) | u64::from(v[pair * 2 + 1]) << 32;
                let (a, b) = (double(got), double(wanted));
                a == b || (f64::from_bits(a).is_nan() && f64::from_bits(b).is_nan())
            });
        }
        (0..4).filter(|lane| mask >> lane & 1 == 1).all(single)
    }
}

fn compare(row: &Value, shader: &Shader, outputs: &Outputs) -> Result<(), String> {
    let expect = row.get("expect").ok_or("nothing is expected")?;
    let tolerance = tolerance(row)?;
    tgsi_mem::compare(row, shader, outputs, |got, wanted| {
        tolerance.allows([got, 0, 0, 0], [wanted, 0, 0, 0], 1)
    })?;
    if shader.stage == Stage::Geometry {
        return tgsi_gs::compare(row, tolerance, shader, outputs);
    }
    let alive = match expect.get("alive") {
        Some(_) => column(expect, "alive")?,
        // Only of fragments and vertices something is told.
        None => "f",
    };
    let alive = u32::from_str_radix(alive, 16).map_err(|e| e.to_string())?;
    for lane in 0..LANES {
        let killed = outputs.killed.get(lane).copied().unwrap_or(false);
        if killed == (alive >> lane & 1 == 1) {
            return Err(format!("lane {lane} is {}", if killed { "dropped" } else { "not dropped" }));
        }
    }
    if outputs.exhausted.contains(&true) {
        return Err("it does not end".into());
    }
    let none = Map::new();
    for (register, wanted) in section(expect, "out").unwrap_or(&none) {
        let name = format!("OUT[{register}]");
        let Some(at) = shader.outputs.iter().position(|output| output.name == name) else {
            return Err(format!("there is no {name}"));
        };
        let kind = shader.outputs[at].kind;
        for (lane, wanted) in vectors(wanted)?.into_iter().enumerate() {
            if outputs.killed.get(lane) == Some(&true) {
                continue;
            }
            let got = outputs.cells.get(at).and_then(|cell| cell.get(lane)).copied().unwrap_or([0; 4]);
            // Of these, one component counts; it is the first lane of the cell.
            let (got, mask) = match kind {
                OutputKind::Depth => ([0, 0, got[0], 0], 4),
                OutputKind::Stencil => ([0, got[0], 0, 0], 2),
                _ => (got, 15),
            };
            if !tolerance.allows(got, wanted, mask) {
                let words = |v: [u32; 4]| v.map(|word| format!("{word:08x}")).join(" ");
                return Err(format!("{name} lane {lane}: {}, not {}", words(got), words(wanted)));
            }
        }
    }
    Ok(())
}
