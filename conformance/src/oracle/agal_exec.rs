//! Running AGAL: single instructions and the programs of the corpus, against a model of the reference.
//!
//! Every case goes the way a user's would: its inputs become a run file, which is read back and run.

use super::{File, bits, check_lines, corpus, hex};
use crate::wgsl_run::{Language, Written};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::path::Path;
use vecasm::exec::interp::Interp;
use vecasm::exec::runfile::RunFile;
use vecasm::exec::{Engine, Outputs};
use vecasm::ir::{Dim, Shader};
use vecasm::isa::agal::bytes::decode;
use vecasm::isa::agal::lift::{Ifg, Numerics, Options, lift};

/// The engines under test.
const ENGINES: &[&dyn Engine] = &[
    &Interp,
    &Written { own_math: false, nan: 0, language: Language::Wgsl },
    &Written { own_math: false, nan: 0, language: Language::Spirv },
];

/// The numerics that a profile of the oracle stands for. `extension` marks opcodes that real players refuse; what
/// they do does not depend on the numerics.
fn numerics(profile: &str) -> Result<Numerics, String> {
    match profile {
        "flash-d3d" | "extension" => Ok(Numerics::Flash),
        "ieee" => Ok(Numerics::Ieee),
        other => Err(format!("unknown profile {other}")),
    }
}

/// `exec.jsonl`: small programs, each in all the profiles it lists.
pub(crate) fn instructions(shared: &Path) -> Vec<File<'_>> {
    vec![check_lines(shared, "oracle/agal/exec.jsonl", |report, id, case| {
        report.case(id, instruction(case));
    })]
}

/// `exec_programs.jsonl`: programs of the corpus.
pub(crate) fn programs(shared: &Path) -> Vec<File<'_>> {
    let corpus: HashMap<String, Vec<u8>> = match corpus(shared, "agal") {
        Some(Ok(programs)) => programs.into_iter().map(|p| (p.id, p.bytes)).collect(),
        _ => HashMap::new(),
    };
    vec![check_lines(shared, "oracle/agal/exec_programs.jsonl", move |report, id, case| {
        report.case(id, program(case, &corpus));
    })]
}

fn instruction(case: &Value) -> Result<(), String> {
    let bytes = hex(text(case, "hex")?);
    let profiles = case.get("profiles").and_then(Value::as_array).ok_or("no profiles")?;
    if profiles.is_empty() {
        return Err("holds in no profile".into());
    }
    let accept = Accept {
        ulp: case.get("ulp").and_then(Value::as_f64).ok_or("no ulp")?,
        abs_tol: tolerance(case.get("abs_tol"))?,
        any_zero: text(case, "zero_sign")? == "any",
    };
    for profile in profiles {
        let profile = profile.as_str().ok_or("a profile that is no text")?;
        let options = Options { numerics: numerics(profile)?, ..Options::default() };
        check_lanes(case, &bytes, &options, "expect", &accept).map_err(|e| format!("{profile}: {e}"))?;
        if case.get("expect_if_ifg_means_ge").is_some() {
            let options = Options { ifg: Ifg::GreaterEqual, ..options };
            check_lanes(case, &bytes, &options, "expect_if_ifg_means_ge", &accept)
                .map_err(|e| format!("{profile}, ifg as >=: {e}"))?;
        }
    }
    Ok(())
}

fn check_lanes(
    case: &Value,
    bytes: &[u8],
    options: &Options,
    key: &str,
    accept: &Accept,
) -> Result<(), String> {
    let expect = case.get(key).and_then(Value::as_object).ok_or("nothing is expected")?;
    let killed = case.get("killed").and_then(Value::as_bool);
    for (shader, outputs) in run(case, bytes, options)? {
        if let Some(killed) = killed {
            if outputs.killed.first() != Some(&killed) {
                return Err(format!("killed is {:?}, not {killed}", outputs.killed.first()));
            }
        }
        if killed == Some(true) {
            continue;
        }
        for (name, lanes) in expect {
            let got = output(&shader, &outputs, name)?.ok_or_else(|| format!("no output {name}"))?;
            let lanes = lanes.as_array().ok_or("lanes are no list")?;
            for (lane, wanted) in lanes.iter().enumerate() {
                if let Some(wanted) = wanted.as_str() {
                    accept.lane(got[lane], wanted).map_err(|e| format!("{name} lane {lane}: {e}"))?;
                }
            }
        }
    }
    Ok(())
}

fn program(case: &Value, corpus: &HashMap<String, Vec<u8>>) -> Result<(), String> {
    let id = text(case, "program")?;
    let bytes = corpus.get(id).ok_or_else(|| format!("the corpus has no {id}"))?;
    let expect = case.get("expect").and_then(Value::as_object).ok_or("nothing is expected")?;
    for (key, expect) in expect {
        let profiles: &[&str] = if key == "both" { &["flash-d3d", "ieee"] } else { &[key] };
        for profile in profiles {
            let options = Options { numerics: numerics(profile)?, ..Options::default() };
            program_in(case, bytes, &options, expect).map_err(|e| format!("{profile}: {e}"))?;
        }
    }
    Ok(())
}

fn program_in(case: &Value, bytes: &[u8], options: &Options, expect: &Value) -> Result<(), String> {
    let killed = expect.get("killed").and_then(Value::as_bool).unwrap_or_default();
    let registers = expect.get("outputs").and_then(Value::as_object).ok_or("no outputs")?;
    for (shader, outputs) in run(case, bytes, options)? {
        if outputs.killed.first() != Some(&killed) {
            return Err(format!("killed is {:?}, not {killed}", outputs.killed.first()));
        }
        if killed {
            continue;
        }
        for (name, wanted) in registers {
            // Lanes never written are 0.
            let got = output(&shader, &outputs, name)?.unwrap_or_default();
            let list = |key: &str| {
                wanted.get(key).and_then(Value::as_array).ok_or_else(|| format!("{name} without {key}"))
            };
            for (lane, (value, tolerated)) in list("value")?.iter().zip(list("abs_tol")?).enumerate() {
                let accept = Accept { ulp: 0.0, abs_tol: tolerance(Some(tolerated))?, any_zero: true };
                let value = value.as_str().ok_or("a lane that is no text")?;
                accept.lane(got[lane], value).map_err(|e| format!("{name} lane {lane}: {e}"))?;
            }
        }
    }
    Ok(())
}

/// Runs a case with every engine.
fn run(case: &Value, bytes: &[u8], options: &Options) -> Result<Vec<(Shader, Outputs)>, String> {
    let program = decode(bytes).map_err(|e| e.to_string())?;
    let shader = lift(&program, options).map_err(|e| e.to_string())?;
    let file = run_file(case, &shader)?;
    let file = RunFile::parse(&file, &shader).map_err(|e| format!("run file: {e}"))?;
    let mut out = Vec::new();
    for engine in ENGINES {
        let outputs = engine.run(&shader, &file.batch()).map_err(|e| format!("{}: {e}", engine.name()))?;
        out.push((shader.clone(), outputs));
    }
    Ok(out)
}

/// The inputs of a case as a run file.
fn run_file(case: &Value, shader: &Shader) -> Result<String, String> {
    let section = |key: &str| case.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
    let vertex = text(case, "stage")? == "vertex";
    let mut inputs = vec![Map::new(); 1];
    for (register, value) in section("attributes") {
        inputs[0].insert(format!("va{register}"), lanes(&value)?);
    }
    for (register, value) in section("attribute_bytes4") {
        inputs[0].insert(format!("va{register}"), json!({"bytes4": value}));
    }
    for (register, value) in section("varyings") {
        inputs[0].insert(format!("v{register}"), lanes(&value)?);
    }
    for (name, quad) in section("quad_varyings") {
        let quad = quad.as_array().ok_or("a quad that is no list")?;
        inputs.resize(quad.len(), Map::new());
        for (input, value) in inputs.iter_mut().zip(quad) {
            input.insert(name.clone(), lanes(value)?);
        }
    }
    let mut constants = Map::new();
    for (register, value) in section("constants") {
        constants.insert(format!("{}{register}", if vertex { "vc" } else { "fc" }), lanes(&value)?);
    }
    let mut textures = Map::new();
    let samplers = if vertex { "vs" } else { "fs" };
    for (slot, texture) in section("textures") {
        if texture.get("format").and_then(Value::as_str) != Some("rgba8") {
            return Err("a texture of another format".into());
        }
        let texture = json!({
            "kind": "2d", "width": texture["width"], "height": texture["height"], "rgba8": texture["texels"],
        });
        textures.insert(format!("{samplers}{slot}"), texture);
    }
    for (slot, texel) in section("textures_1x1_rgba8") {
        let name = format!("{samplers}{slot}");
        // One texel is one texel a face.
        let cube = shader.textures.iter().any(|t| t.name == name && t.dim == Dim::Cube);
        let texels = vec![texel; if cube { 6 } else { 1 }];
        textures.insert(name, json!({"width": 1, "height": 1, "rgba8": texels}));
    }
    Ok(json!({"constants": constants, "inputs": inputs, "textures": textures}).to_string())
}

/// Lanes as a run file has them.
fn lanes(value: &Value) -> Result<Value, String> {
    let lanes = value.as_array().ok_or("lanes that are no list")?;
    let lanes = lanes.iter().map(|lane| match lane.as_str() {
        Some("nan") => Ok(json!("0x7fc00000")),
        Some(digits) => Ok(json!(format!("0x{digits}"))),
        None => Err(format!("a lane that is no text: {lane}")),
    });
    Ok(Value::Array(lanes.collect::<Result<_, String>>()?))
}

/// The lanes of an output in the first invocation, if the program writes it.
fn output(shader: &Shader, outputs: &Outputs, name: &str) -> Result<Option<[u32; 4]>, String> {
    // The oracle counts colour outputs, the program names the first one after its kind.
    let fragment = shader.stage == vecasm::ir::Stage::Fragment;
    let name = match (name, fragment) {
        ("o0", false) => "op".to_string(),
        ("o0", true) => "oc".to_string(),
        (name, _) => name
            .strip_prefix('o')
            .filter(|n| n.parse::<u8>().is_ok())
            .map_or_else(|| name.to_string(), |number| format!("fo{number}")),
    };
    match shader.outputs.iter().position(|o| o.name == name) {
        Some(at) => outputs.cells[at].first().map(|bits| Some(*bits)).ok_or("no invocation ran".into()),
        None => Ok(None),
    }
}

/// When a lane counts as right.
struct Accept {
    ulp: f64,
    abs_tol: f64,
    any_zero: bool,
}

impl Accept {
    fn lane(&self, got: u32, wanted: &str) -> Result<(), String> {
        let value = f32::from_bits(got);
        let wrong = |wanted: &str| Err(format!("{got:08x} ({value}), not {wanted}"));
        if wanted == "nan" {
            return if value.is_nan() { Ok(()) } else { wrong(wanted) };
        }
        let bits = bits(wanted).ok_or_else(|| format!("{wanted} is no lane"))?;
        let expected = f32::from_bits(bits);
        if got == bits {
            return Ok(());
        }
        if value == 0.0 && expected == 0.0 {
            return if self.any_zero { Ok(()) } else { wrong(wanted) };
        }
        if value.is_nan() || expected.is_nan() || expected.is_infinite() {
            return wrong(wanted);
        }
        let near = (f64::from(value) - f64::from(expected)).abs();
        if near <= (self.ulp * ulp(expected)).max(self.abs_tol) {
            Ok(())
        } else {
            wrong(&format!("{wanted} ({expected})"))
        }
    }
}

/// The distance from a finite number to the next one away from zero.
fn ulp(value: f32) -> f64 {
    let bits = value.abs().to_bits();
    if bits >= f32::MAX.to_bits() {
        return f64::from(f32::MAX) - f64::from(f32::from_bits(f32::MAX.to_bits() - 1));
    }
    f64::from(f32::from_bits(bits + 1)) - f64::from(f32::from_bits(bits))
}

/// A tolerance: 0, or the bits of one.
fn tolerance(json: Option<&Value>) -> Result<f64, String> {
    match json {
        Some(Value::String(text)) => {
            bits(text).map(|b| f64::from(f32::from_bits(b))).ok_or_else(|| format!("{text} is no tolerance"))
        }
        Some(Value::Number(n)) if n.as_f64() == Some(0.0) => Ok(0.0),
        other => Err(format!("{other:?} is no tolerance")),
    }
}

fn text<'a>(case: &'a Value, key: &str) -> Result<&'a str, String> {
    case.get(key).and_then(Value::as_str).ok_or_else(|| format!("no {key}"))
}
