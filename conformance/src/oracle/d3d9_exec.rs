//! Running programs of Direct3D 8 and 9: those of the oracle by text and by tokens, and every complete one of the corpus.

use super::{File, bits};
use crate::passes::check::PASSES;
use crate::wgsl_run::{Language, Written};
use serde_json::Value;
use std::path::Path;
use vecasm::exec::interp::Interp;
use vecasm::exec::runfile::RunFile;
use vecasm::exec::texture::{Extent, Texture};
use vecasm::exec::{Batch, BoundTexture, Engine};
use vecasm::ir::verify::verify;
use vecasm::ir::{Dim, InputKind, SamplerState, Scalar, Shader, StateId, Wrap};
use vecasm::isa::Depth;
use vecasm::isa::d3d9::lift::{Numerics, Options, lift};
use vecasm::isa::d3d9::{Program, Stage, bytes, text};
use vecasm::opt::specialize;

/// Every check of running.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let mut out = exec(shared);
    out.push(corpus(shared));
    out
}

/// `exec.jsonl`; its open rows are reported apart.
fn exec(shared: &Path) -> Vec<File<'_>> {
    let file = "oracle/d3d9/exec.jsonl";
    let Ok(all) = std::fs::read_to_string(shared.join(file)) else { return vec![File::absent(file)] };
    let mut settled = File::new(file);
    let mut open = File::new(format!("{file} (open rows, that run)"));
    for (number, line) in all.lines().enumerate() {
        let place = format!("line {}", number + 1);
        let row = match row(line) {
            Ok(row) => row,
            Err(why) => {
                settled.add_outcome(&place, Err(why));
                continue;
            }
        };
        let id = row.get("id").and_then(Value::as_str).unwrap_or(&place).to_string();
        let is_open = matches!(column(&row, "confidence"), Ok("none"));
        let to = if is_open { &mut open } else { &mut settled };
        to.add(id, move |report, id| report.case(id, case(&row)));
    }
    vec![settled, open]
}

/// A row of the file.
pub(super) fn row(line: &str) -> Result<Value, String> {
    // Tolerances may be infinite, for which JSON has no word.
    let line = line.replace("Infinity", "1e300").replace("NaN", "1e300");
    serde_json::from_str(&line).map_err(|e| e.to_string())
}

pub(super) fn column<'a>(row: &'a Value, name: &str) -> Result<&'a str, String> {
    row.get(name).and_then(Value::as_str).ok_or_else(|| format!("no column {name}"))
}

/// The words of a column of digits.
pub(super) fn words(digits: &str) -> Result<Vec<u32>, String> {
    let word = |text: &str| bits(text).ok_or_else(|| format!("{text} is no word"));
    digits.split_whitespace().map(word).collect()
}

pub(super) fn lanes(value: &Value) -> [u32; 4] {
    let mut out = [0; 4];
    for (to, from) in out.iter_mut().zip(value.as_array().into_iter().flatten()) {
        *to = match from {
            Value::String(text) => bits(text).unwrap_or(0),
            Value::Bool(flag) => u32::from(*flag),
            number => number.as_i64().unwrap_or(0) as u32,
        };
    }
    out
}

/// A row: its text and its tokens give what is expected.
fn case(row: &Value) -> Result<(), String> {
    let source = column(row, "text")?;
    let tokens = Program::new(words(column(row, "tokens")?)?, &[]);
    let (program, findings) = text::parse(source);
    let program = program.ok_or_else(|| format!("the text is refused: {findings:?}"))?;
    for (what, program) in [("text", &program), ("tokens", &tokens)] {
        let shader = sound(program, &Options::default())?;
        let batch = Inputs::of(row, &shader)?;
        let batch = batch.batch();
        let of = column(row, "what").unwrap_or("");
        let mut engines: Vec<&dyn Engine> = vec![&Interp];
        // What a clamp makes of NaN is open in WGSL.
        if of != "sat_nan" {
            engines.push(&Written { own_math: false, nan: 0, language: Language::Wgsl });
            engines.push(&Written { own_math: false, nan: 0, language: Language::Spirv });
        }
        // WGSL has to know the dimensions of textures.
        let states = shader.states.iter().zip(&batch.states).enumerate();
        let fixed: Vec<(StateId, [u32; 4])> =
            states.map(|(n, (state, given))| (StateId(n as u32), given.unwrap_or(state.default))).collect();
        let settled = specialize(&shader, &fixed);
        for (shader, engine) in
            engines.iter().map(|engine| (&settled, engine)).chain([(&shader, &engines[0])])
        {
            let outputs = engine.run(shader, &batch).map_err(|e| format!("{}: {e}", engine.name()))?;
            let killed = outputs.killed.first() == Some(&true);
            let at = format!("{what}, {} ({of})", engine.name());
            compare(row, shader, killed, &outputs.cells).map_err(|why| format!("{at}: {why}"))?;
        }
        let wanted = Interp.run(&shader, &batch).map_err(|e| e.to_string())?;
        for pass in PASSES {
            let after = (pass.run)(&shader, &batch);
            if let Some(breach) = verify(&after).first() {
                return Err(format!("{}: {breach}", pass.name));
            }
            let got = Interp.run(&after, &batch).map_err(|e| e.to_string())?;
            if got.killed != wanted.killed {
                return Err(format!("{} changes what is dropped", pass.name));
            }
            compare(row, &after, wanted.killed.first() == Some(&true), &got.cells)
                .map_err(|why| format!("{}: {why}", pass.name))?;
        }
    }
    Ok(())
}

/// A lifted program that verifies, with its steps and without, and gives the same in both.
fn sound(program: &Program, options: &Options) -> Result<Shader, String> {
    let shader = lift(program, options).map_err(|e| e.to_string())?;
    let full = lift(program, &Options { depth: Depth::Full, ..*options }).map_err(|e| e.to_string())?;
    for (what, shader) in [("lean", &shader), ("with steps", &full)] {
        if let Some(breach) = verify(shader).first() {
            return Err(format!("{what}: {breach}"));
        }
    }
    Ok(shader)
}

/// Whether the register that is read holds what is expected.
fn compare(row: &Value, shader: &Shader, killed: bool, cells: &[Vec<[u32; 4]>]) -> Result<(), String> {
    let expect = row.get("expect").ok_or("nothing is expected")?;
    if expect.as_str() == Some("killed") {
        return if killed { Ok(()) } else { Err("the pixel is not dropped".into()) };
    }
    let Some(expect) = expect.as_array() else { return Ok(()) };
    if killed {
        return Err("the pixel is dropped".into());
    }
    let got = result(row, shader, cells)?;
    let tolerances = row.get("abs_tol").and_then(Value::as_array).ok_or("no abs_tol")?;
    for (lane, wanted) in expect.iter().enumerate() {
        let Some(wanted) = wanted.as_str().and_then(bits) else { continue };
        let tolerance = tolerances.get(lane).and_then(Value::as_f64).unwrap_or(0.0);
        let (x, y) = (f32::from_bits(got[lane]), f32::from_bits(wanted));
        let near = (f64::from(x) - f64::from(y)).abs() <= tolerance;
        if !(x == y || near || (x.is_nan() && y.is_nan())) {
            let rules = row.get("rules").map(Value::to_string).unwrap_or_default();
            return Err(format!(
                "lane {lane} is {x} ({:08x}), not {y} ({wanted:08x}); {} {rules}",
                got[lane],
                column(row, "confidence").unwrap_or("")
            ));
        }
    }
    Ok(())
}

/// What the register that is read holds.
pub(super) fn result(row: &Value, shader: &Shader, cells: &[Vec<[u32; 4]>]) -> Result<[u32; 4], String> {
    let result = column(row, "result")?;
    let semantic = if result.starts_with("oT0") { "texcoord" } else { "" };
    let at = shader.outputs.iter().position(|output| {
        if semantic.is_empty() { output.name == "oC0" } else { output.semantic == semantic }
    });
    let at = at.ok_or_else(|| format!("no output {result}"))?;
    cells.get(at).and_then(|cell| cell.first()).copied().ok_or_else(|| "nothing came out".into())
}

/// What a row is run on.
pub(super) struct Inputs {
    inputs: Vec<Vec<[u32; 4]>>,
    params: Vec<Vec<[u32; 4]>>,
    states: Vec<Option<[u32; 4]>>,
    textures: Vec<Texture>,
}

impl Inputs {
    pub(super) fn of(row: &Value, shader: &Shader) -> Result<Self, String> {
        let empty = serde_json::Map::new();
        let section = |name: &str| row.get(name).and_then(Value::as_object).unwrap_or(&empty);
        let f = |x: f32| x.to_bits();
        let given = section("inputs");
        let inputs = shader.inputs.iter().map(|input| {
            let position = input.semantic == "position" || (input.semantic.is_empty() && input.name == "v0");
            if position && matches!(input.kind, InputKind::Attribute { .. }) {
                return vec![[f(-1.0), f(1.0), f(0.5), f(1.0)]];
            }
            // The first one has its number in the file.
            let zero = format!("{}0", input.semantic);
            let value = given.get(&input.semantic).or_else(|| given.get(&zero));
            vec![value.map_or([0; 4], lanes)]
        });
        let inputs = inputs.collect();
        let params = shader.params.iter().map(|array| {
            let constants = section(match array.scalar {
                Scalar::I32 => "consts_i",
                Scalar::Bool => "consts_b",
                _ => "consts_f",
            });
            let mut elements = vec![[0; 4]; array.size as usize];
            for (register, value) in constants {
                let n: usize = register.parse().unwrap_or(usize::MAX);
                if let Some(element) = elements.get_mut(n) {
                    *element = match value {
                        Value::Array(_) => lanes(value),
                        one => lanes(&Value::Array(vec![one.clone()])),
                    };
                }
            }
            elements
        });
        let params = params.collect();
        let kinds = section("textures");
        let kind = |slot: u32| kinds.get(&slot.to_string()).and_then(Value::as_str).unwrap_or("2d");
        let dim = |slot: u32| match kind(slot) {
            "cube" => Dim::Cube,
            "volume" => Dim::D3,
            _ => Dim::D2,
        };
        let states = shader.states.iter().map(|state| {
            let (name, slot) = state.name.rsplit_once('-')?;
            let slot = slot.parse().ok()?;
            Some(match name {
                "texture-kind" => {
                    let at = Dim::ALL.iter().position(|of| *of == dim(slot))?;
                    [at as u32, 0, 0, 0]
                }
                "bump-matrix" => [f(1.0), f(0.5), f(-0.25), f(2.0)],
                "bump-luminance" => [f(0.5), f(0.25), 0, 0],
                _ => return None,
            })
        });
        let states = states.collect();
        let textures = shader.textures.iter().map(|bound| {
            let dim = if bound.dim_by.is_some() { dim(bound.slot) } else { bound.dim };
            texture(dim)
        });
        let textures = textures.collect::<Result<_, String>>()?;
        Ok(Self { inputs, params, states, textures })
    }

    pub(super) fn batch(&self) -> Batch<'_> {
        let sampler = SamplerState::PLAIN.with_wrap(Wrap::Repeat);
        let textures = self.textures.iter().map(|texture| Some(BoundTexture { texture, sampler }));
        Batch {
            count: 1,
            inputs: self.inputs.clone(),
            params: self.params.clone(),
            states: self.states.clone(),
            textures: textures.collect(),
            ..Batch::default()
        }
    }
}

/// The texture that the file describes, of a kind.
fn texture(dim: Dim) -> Result<Texture, String> {
    let slices = match dim {
        Dim::Cube => 6,
        Dim::D3 => 4,
        _ => 1,
    };
    let mut texels = Vec::new();
    let rows = if dim == Dim::D1 { 1 } else { 4 };
    for slice in 0..slices {
        for y in 0..rows {
            for x in 0..4 {
                let (fx, fy, fs) = (x as f32, y as f32, slice as f32);
                let (blue, alpha) = match dim {
                    Dim::Cube => (fs / 8.0, 1.0 - (fx + 4.0 * fy) / 32.0),
                    Dim::D3 => (fs / 4.0, 1.0 - (fx + 4.0 * fy + 16.0 * fs) / 128.0),
                    _ => ((fx + 4.0 * fy) / 16.0, 1.0 - (fx + 4.0 * fy) / 32.0),
                };
                texels.push([fx / 4.0, fy / 4.0, blue, alpha].map(f32::to_bits));
            }
        }
    }
    let depth = if dim == Dim::D3 { 4 } else { 1 };
    let extent = Extent { depth, ..Extent::new(4, rows) };
    Texture::new(dim, Scalar::F32, extent, vec![texels]).map_err(|e| e.to_string())
}

/// Every complete program of the corpus lifts, verifies and runs, in both arithmetics.
fn corpus(shared: &Path) -> File<'_> {
    let file = "corpus/d3d9/MANIFEST.json";
    let Ok(manifest) = std::fs::read_to_string(shared.join(file)) else { return File::absent(file) };
    let name = format!("{file} (programs that run)");
    let manifest: Value = match serde_json::from_str(&manifest) {
        Ok(manifest) => manifest,
        Err(error) => return File::unreadable(name, file, error.to_string()),
    };
    let mut file = File::new(name);
    let list = manifest.as_array().or_else(|| manifest.get("files").and_then(Value::as_array));
    for row in list.into_iter().flatten() {
        let complete = row.get("complete_shader").and_then(Value::as_bool).unwrap_or(false);
        let Ok(name) = column(row, "file").or_else(|_| column(row, "bin")) else { continue };
        if !complete {
            continue;
        }
        file.add(name, |report, name| report.case(name, runs(&shared.join("corpus/d3d9").join(name))));
    }
    file
}

fn runs(file: &Path) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|e| e.to_string())?;
    let program = bytes::decode(&bytes).map_err(|e| e.to_string())?;
    for numerics in [Numerics::D3d9, Numerics::Ieee] {
        let shader = sound(&program, &Options { numerics, ..Options::default() })?;
        // An output that no declaration gives a meaning is none.
        let vertex = program.version().stage() == Stage::Vertex && !shader.outputs.is_empty();
        if vertex && !shader.outputs.iter().any(|output| output.kind == vecasm::ir::OutputKind::Position) {
            return Err("no position comes out".into());
        }
        for seed in 0..3 {
            let file = RunFile::random(&shader, 8, seed);
            let outputs = Interp.run(&shader, &file.batch()).map_err(|e| e.to_string())?;
            if outputs.cells.len() != shader.outputs.len() {
                return Err("outputs are missing".into());
            }
        }
    }
    Ok(())
}
