//! Running programs of TGSI: the recorded runs of Mesa's interpreter, as it does it and as the language means it, with the
//! step table and without, and behind every pass.

use super::{Report, bits, each_line, guarded, tgsi_gs, tgsi_mem, tgsi_tex};
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

/// Runs that the language means otherwise than Mesa's interpreter does them, and the rule that they follow.
const OTHERWISE: &[(&str, &str)] = &[
    ("alu/DABS/8", MAGNITUDE),
    ("alu/DABS/14", MAGNITUDE),
    ("alu/DABS/20", MAGNITUDE),
    ("alu/LOG/13", EXPONENT),
    ("mask/LOG/xz", EXPONENT),
    ("prog/mesa10test__graw-frag-ucmp.frag/1", CONVERSION),
    ("prog/ownglsl__f-int64-frag.frag/1", CONVERSION),
    ("prog/ownglsl__f-mrt-frag.frag/1", CONVERSION),
    ("prog/ownglsl__i64b.frag/0", CONVERSION),
    ("prog/ownglsl__i64b.frag/1", CONVERSION),
    ("prog/ownglsl__mrt.frag/1", CONVERSION),
    ("prog/ownglsl__gather.frag/0", "every invocation has its own texel offset"),
    ("prog/ownglsl__dbl.comp/0", PAIRS),
    ("prog/ownglsl__dbl.comp/1", PAIRS),
    ("mem/LOAD-buffer-bounds/0", ALIGNED),
    ("mem/LOAD-buffer-bounds/1", ALIGNED),
    ("mem/LOAD-buffer-bounds/2", ALIGNED),
    ("mem/LOAD-buffer-bounds/4", ALIGNED),
];

/// Reference 8.0: the interpreter stores the first pair before it reads the second one.
const PAIRS: &str = "an instruction reads all its sources before it writes";
/// The manual, under Declaration Resource: "The result of accessing a misaligned address is undefined."
const ALIGNED: &str = "an address that is no multiple of four means the word that it lies in";

/// Reference 8.4: the interpreter leaves -0 as it is.
const MAGNITUDE: &str = "DABS is the magnitude, that of -0 too";
/// Reference 8.2: the interpreter takes floor of a logarithm that is rounded, here to the next integer.
const EXPONENT: &str = "LOG.x is floor(log2 |x|) of the number itself";
/// Reference 11.4.
const CONVERSION: &str = "floats that are no integer of the type saturate";

/// Runs whose outcome is that of softpipe's samplers, not of the interpreter, where OpenGL leaves it open.
const OPEN: &[(&str, &str)] = &[
    ("prog/mesa22internal__internal-026.frag/1", LEVEL),
    ("prog/mesa22internal__internal-045.frag/0", LEVEL),
    ("prog/mesa22internal__internal-106.frag/0", LEVEL),
    ("prog/mesa22internal__internal-113.frag/1", FACE),
    ("prog/ownglsl__f-fetch-frag.frag/0", "TXF in front of a buffer: softpipe takes the last texel"),
    ("prog/ownhand2__sm4-sample-family.frag/0", COMPARED),
    ("prog/ownhand2__sm4-sample-family.frag/1", COMPARED),
    ("prog/mesa22internal__internal-048.frag/1", FACE),
    (
        "prog/ownglsl__c-tex-comp.comp/0",
        "a colour half way between two bytes: softpipe rounds the product in f32",
    ),
    ("prog/ownglsl__img.comp/0", RACE),
    ("prog/ownglsl__img.comp/1", RACE),
];

const RACE: &str = "invocations read texels that others write, without a barrier";

const LEVEL: &str = "TXF of several levels in a quad: softpipe takes that of the first lane";

const FACE: &str = "which face a direction between two is on";

const COMPARED: &str = "SAMPLE_C of a view that is declared as compared: nothing was computed";

/// Every instruction, alone.
pub(crate) fn instructions(shared: &Path) -> Vec<Report> {
    vec![cases(shared, "oracle/tgsi/alu.jsonl")]
}

/// Control flow.
pub(crate) fn flow(shared: &Path) -> Vec<Report> {
    vec![cases(shared, "oracle/tgsi/exec_flow.jsonl")]
}

/// Whole programs of the corpus.
pub(crate) fn programs(shared: &Path) -> Vec<Report> {
    vec![cases(shared, "oracle/tgsi/exec_programs.jsonl")]
}

/// Every program of the corpus that is accepted is lifted in every way, verifies, and ends.
pub(crate) fn corpus(shared: &Path) -> Vec<Report> {
    let name = "corpus/tgsi/MANIFEST.json";
    let Ok(manifest) = std::fs::read_to_string(shared.join(name)) else { return vec![Report::absent(name)] };
    let mut report = Report::new(format!("{name} (programs that run)"));
    let manifest: Value = match serde_json::from_str(&manifest) {
        Ok(manifest) => manifest,
        Err(error) => {
            report.case(name, Err(error.to_string()));
            return vec![report];
        }
    };
    for row in manifest.get("files").and_then(Value::as_array).into_iter().flatten() {
        let Ok(id) = column(row, "id") else { continue };
        guarded(&mut report, id, |report| {
            let outcome = source(&shared.join("corpus/tgsi"), row).and_then(|source| {
                let (program, _) = text::parse(&source, &text::ParseOptions::default());
                Ok((program.ok_or("the text is refused")?, left_out(&source)))
            });
            match outcome {
                Ok((_, reason)) if reason.is_some_and(|why| !why.starts_with("TXF")) => {
                    report.skip(reason.unwrap_or_default());
                }
                Ok((program, _)) => match runs(&program) {
                    // Registers that were removed.
                    Err(_) if column(row, "mesa22") != Ok("ok") => report.skip("texts that Mesa 22 refuses"),
                    outcome => report.case(id, outcome),
                },
                // What Mesa refuses, nobody need run.
                Err(_) if column(row, "mesa22") != Ok("ok") => report.skip("texts that Mesa 22 refuses"),
                Err(why) => report.case(id, Err(why)),
            }
        });
    }
    vec![report]
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
pub(super) fn cases(shared: &Path, name: &str) -> Report {
    let mut notes = Vec::new();
    let mut report = each_line(shared, name, |report, id, row| {
        let source = match source(&shared.join("corpus/tgsi"), row) {
            Ok(source) => source,
            Err(why) => return report.case(id, Err(why)),
        };
        let open = OPEN.iter().find(|(of, _)| *of == id).map(|(_, why)| *why);
        if let Some(reason) = left_out(&source).or(open) {
            return report.skip(reason);
        }
        report.case(id, case(row, &source, id, &mut notes));
    });
    report.notes.extend(notes);
    report
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

/// Why a text cannot be run yet.
fn left_out(source: &str) -> Option<&'static str> {
    let cube = |line: &str| line.contains(" TXF ") && line.contains(", CUBE");
    source.lines().any(cube).then_some("TXF of cubes: what comes out was never written")
}

/// A row: what comes out is what Mesa's interpreter gave, and without its faults too, unless a rule says otherwise.
fn case(row: &Value, source: &str, id: &str, notes: &mut Vec<String>) -> Result<(), String> {
    let (program, findings) = text::parse(source, &text::ParseOptions::default());
    let program = program.ok_or_else(|| format!("the text is refused: {findings:?}"))?;
    let faithful = Options { compat: Compat::TgsiExec, ..Options::default() };
    let run =
        |options: &Options, what: &str| ways(&program, row, options).map_err(|why| format!("{what}: {why}"));
    run(&faithful, "as tgsi_exec")?;
    let otherwise = OTHERWISE.iter().chain(tgsi_gs::OTHERWISE).find(|(of, _)| id == *of);
    match (run(&Options::default(), "by the language"), otherwise) {
        (Ok(()), None) => Ok(()),
        (Ok(()), Some((_, rule))) => Err(format!("it is listed as otherwise by a rule, and is not: {rule}")),
        (Err(why), Some((_, rule))) => {
            notes.push(format!("{id}: {rule} ({why})"));
            Ok(())
        }
        (Err(why), None) => Err(why),
    }
}

/// Every way to run a program by one meaning.
pub(super) fn ways(program: &Program, row: &Value, options: &Options) -> Result<(), String> {
    let mut options = *options;
    if let Some(bytes) = tgsi_mem::shared_bytes(row) {
        options.switches.shared_memory = bytes;
    }
    let options = &options;
    let lean = lift(program, &Options { depth: Depth::Lean, ..*options }).map_err(|e| e.to_string())?;
    let full = lift(program, &Options { depth: Depth::Full, ..*options }).map_err(|e| e.to_string())?;
    let given = Given::of(row, program, &lean)?;
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
struct Given {
    count: usize,
    inputs: Vec<Vec<[u32; 4]>>,
    params: Vec<Vec<[u32; 4]>>,
    textures: Vec<Option<(Texture, SamplerState)>>,
    /// Where inputs that are interpolated anew come from.
    fragments: Option<Fragments>,
}

impl Given {
    fn of(row: &Value, program: &Program, shader: &Shader) -> Result<Self, String> {
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
        let textures = tgsi_tex::bound(row, shader, SamplerModel::Softpipe)?;
        let fragments = tgsi_tex::planes(row, shader)?;
        let count = if shader.stage == Stage::Geometry { shader.setup.invocations as usize } else { LANES };
        Ok(Self { count, inputs, params, textures, fragments })
    }

    fn batch(&self) -> Batch<'_> {
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
