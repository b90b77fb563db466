//! Direct3D 8 to 9, and programs for MojoShader: the streams of the corpus are converted, judged by the validator, and run
//! before and after with the same inputs.

use super::{File, Report, listed_files};
use serde_json::Value;
use std::path::Path;
use vecasm::diag::{Diagnostic, Severity};
use vecasm::exec::Engine;
use vecasm::exec::interp::Interp;
use vecasm::exec::runfile::RunFile;
use vecasm::ir::Shader;
use vecasm::isa::d3d9::convert::canonicalize::objections;
use vecasm::isa::d3d9::convert::{CanonicalizeOptions, UpgradeOptions, canonicalize, upgrade};
use vecasm::isa::d3d9::interface::interface;
use vecasm::isa::d3d9::lift::{Options as LiftOptions, lift};
use vecasm::isa::d3d9::rules::{Options, Profile, validate};
use vecasm::isa::d3d9::{Program, Version, bytes};

/// Invocations of a run; of every eight the first four have ordinary inputs.
const COUNT: usize = 16;

/// Both conversions.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    let Some(files) = listed_files(shared, "d3d9") else {
        return vec![File::absent("corpus/d3d9 (upgraded)")];
    };
    let text = |entry: &Value, name: &str| entry.get(name).and_then(Value::as_str).unwrap_or("").to_string();
    let rows = || files.iter().map(|entry| (text(entry, "id"), text(entry, "file")));
    let read = |file: &str| {
        let data = std::fs::read(shared.join("corpus/d3d9").join(file)).map_err(|e| e.to_string())?;
        bytes::decode(&data).map_err(|e| e.to_string())
    };
    let mut upgraded = File::new("corpus/d3d9 (upgraded to Direct3D 9)");
    upgraded.add_all(rows(), move |report, id, file| {
        let program = match read(file) {
            Ok(program) => program,
            Err(why) => return report.case(id, Err(why)),
        };
        if program.version().major() == 1 {
            report.count("old", 1);
            report.count("good", u64::from(errors(&program, Profile::D3d9).is_empty()));
            report.count("better", u64::from(upgrade(&program, &UpgradeOptions::default()).is_ok()));
            count(report, id, upgrades(&program));
        }
    });
    upgraded.summarize(|report| {
        let [good, old, better] = ["good", "old", "better"].map(|what| report.count_of(what));
        report.file += &format!(": {good} of {old} taken before, {better} after");
    });
    let mut canonical = File::new("corpus/d3d9 (for MojoShader)");
    canonical.add_all(rows(), move |report, id, file| {
        // The row above tells of a program that cannot be read.
        let Ok(program) = read(file) else { return };
        report.count("all", 1);
        report.count("before", u64::from(objections(&program).is_empty()));
        let done = canonicalizes(&program);
        report.count("after", u64::from(matches!(done, Ok(Converted::Same | Converted::Unknown))));
        count(report, id, done);
    });
    canonical.summarize(|report| {
        let [before, all, after] = ["before", "all", "after"].map(|what| report.count_of(what));
        report.file += &format!(": {before} of {all} taken before, {after} after");
    });
    vec![upgraded, canonical]
}

/// A case, unless nothing was compared.
fn count(report: &mut Report, id: &str, done: Result<Converted, String>) {
    match done {
        Ok(Converted::Unknown) => {
            report.skip("accepted afterwards, but it cannot be lifted, so that nothing says what it does");
        }
        Ok(Converted::Refused) => report.skip("refused, with a finding"),
        Ok(Converted::Same) => report.case(id, Ok(())),
        Err(why) => report.case(id, Err(why)),
    }
}

fn errors(program: &Program, profile: Profile) -> Vec<Diagnostic> {
    let options = Options { profile, ..Options::default() };
    validate(program, &options).into_iter().filter(|finding| finding.severity == Severity::Error).collect()
}

/// What was found of a conversion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Converted {
    /// The result is accepted and does the same.
    Same,
    /// The result is accepted; what the program does is not known, since it cannot be lifted.
    Unknown,
    /// There is no such program.
    Refused,
}

/// What Direct3D 8 takes, Direct3D 9 takes afterwards, and it does the same; what it does not take may be refused.
fn upgrades(program: &Program) -> Result<Converted, String> {
    let good = errors(program, Profile::D3d8).is_empty();
    match upgrade(program, &UpgradeOptions::default()) {
        Ok(done) => {
            let left = errors(&done.program, Profile::D3d9);
            if !left.is_empty() {
                return Err(format!("{left:?}"));
            }
            same(program, &done.program)
        }
        Err(findings) if good => Err(format!("{findings:?}")),
        Err(_) => Ok(Converted::Refused),
    }
}

/// Whether there is such a stream; if so, MojoShader has nothing against it and it does the same.
fn canonicalizes(program: &Program) -> Result<Converted, String> {
    match canonicalize(program, &CanonicalizeOptions::default()) {
        Ok(done) => {
            let left = objections(&done.program);
            if !left.is_empty() {
                return Err(format!("{left:?}"));
            }
            same(program, &done.program)
        }
        Err(_) if objections(program).is_empty() => Err("what was taken is refused".into()),
        Err(_) => Ok(Converted::Refused),
    }
}

/// Whether two programs give the same on the same inputs, in what the first one writes.
fn same(before: &Program, after: &Program) -> Result<Converted, String> {
    let Ok(one) = lift(before, &LiftOptions::default()) else { return Ok(Converted::Unknown) };
    let other = lift(after, &LiftOptions::default()).map_err(|finding| format!("lifting: {finding}"))?;
    let rewritten = before.version().major() != after.version().major();
    for seed in 0..4 {
        let mut run = RunFile::random(&one, COUNT, seed);
        if rewritten {
            // Another order of operations: only ordinary numbers, and constants in the range of 1.x.
            for bits in run.params.iter_mut().flatten().flatten() {
                let value = f32::from_bits(*bits);
                *bits = (if value.is_normal() { value / 8.0 } else { 0.25 }).to_bits();
            }
        }
        let mapped = carried_over(&one, &run, &other);
        let got = Interp.run(&one, &run.batch()).map_err(|e| e.to_string())?;
        let wanted = Interp.run(&other, &mapped.batch()).map_err(|e| e.to_string())?;
        for invocation in (0..COUNT).filter(|n| !rewritten || n % 8 < 4) {
            if got.killed.get(invocation) != wanted.killed.get(invocation) {
                return Err(format!("invocation {invocation} is dropped in one of them"));
            }
            if got.killed.get(invocation) == Some(&true) {
                continue;
            }
            for (lane, name, x, y) in lanes(before, &one, &got.cells, &other, &wanted.cells, invocation)? {
                let near =
                    if rewritten { (x - y).abs() <= 1e-5 * x.abs().max(y.abs()).max(1.0) } else { x == y };
                let same = near || x.is_nan() && y.is_nan() || x.to_bits() == y.to_bits();
                if !same {
                    return Err(format!(
                        "{name}, lane {lane}, invocation {invocation} (seed {seed}): {x} became {y}"
                    ));
                }
            }
        }
    }
    Ok(Converted::Same)
}

/// The values of both runs of what the first program writes.
fn lanes(
    program: &Program,
    one: &Shader,
    cells: &[Vec<[u32; 4]>],
    other: &Shader,
    others: &[Vec<[u32; 4]>],
    invocation: usize,
) -> Result<Vec<(usize, String, f32, f32)>, String> {
    let found = interface(program);
    let version: Version = program.version();
    let mut out = Vec::new();
    for (output, values) in one.outputs.iter().zip(cells) {
        // The result of 1.x is a temporary.
        let port = found.outputs.iter().find(|port| {
            let name = port.register(version);
            name == output.name || name == "r0" && output.name == "oC0"
        });
        let written = port.map_or(15, |port| port.lanes.bits());
        let at = other.outputs.iter().position(|o| o.name == output.name);
        let at = at.ok_or_else(|| format!("the output {} is gone", output.name))?;
        let read =
            |cells: &[[u32; 4]]| cells.get(invocation).copied().unwrap_or_default().map(f32::from_bits);
        let (x, y) = (read(values), read(others.get(at).map_or(&[], Vec::as_slice)));
        out.extend(
            (0..4)
                .filter(|lane| written >> lane & 1 != 0)
                .map(|lane| (lane, output.name.clone(), x[lane], y[lane])),
        );
    }
    Ok(out)
}

/// The inputs of a run, for a shader that names them the same.
fn carried_over(one: &Shader, run: &RunFile, other: &Shader) -> RunFile {
    let mut out = RunFile::random(other, COUNT, 0);
    for (input, values) in other.inputs.iter().zip(&mut out.inputs) {
        if let Some(at) = one.inputs.iter().position(|i| i.name == input.name) {
            values.clone_from(&run.inputs[at]);
        }
    }
    for (array, values) in other.params.iter().zip(&mut out.params) {
        values.fill([0; 4]);
        if let Some(at) = one.params.iter().position(|p| p.name == array.name) {
            values.iter_mut().zip(&run.params[at]).for_each(|(to, from)| *to = *from);
        }
    }
    for (texture, value) in other.textures.iter().zip(&mut out.textures) {
        let same = one.textures.iter().position(|t| t.slot == texture.slot && t.dim == texture.dim);
        if let Some(at) = same {
            value.clone_from(&run.textures[at]);
        }
    }
    out.states.clone_from(&run.states);
    out.fuel = run.fuel;
    out
}
