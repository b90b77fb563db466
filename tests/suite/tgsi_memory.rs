//! Programs of TGSI that leave something in memory: test files of the kind `memory`, and the examples in
//! `examples/tgsi/compute`. What they are run on is a run file; what comes out are the lines of `--format hex`.

use crate::case::Case;
use crate::exec::alike;
use crate::tgsi_exec::{lifting, shader};
use crate::trial;
use libtest_mimic::Trial;
use std::path::Path;
use vecasm::debug::recording::{Limits, Recording};
use vecasm::emit::wgsl;
use vecasm::exec::Engine;
use vecasm::exec::interp::Interp;
use vecasm::exec::runfile::{RunFile, results_hex};
use vecasm::ir::Shader;
use vecasm::isa::Depth;
use vecasm::isa::tgsi::lift::Options;
use vecasm::isa::tgsi::{Program, text};
use vecasm::opt::{clean, fold, promote};

/// A program behind the comments: `given` is the run file, `result` lines are what comes out, `lift` is as for `exec`;
/// `wgsl` is the rule by which the writer refuses it, or `yes`.
pub(crate) fn run_memory(case: &Case) -> Result<(), String> {
    let options = match case.one("lift")? {
        Some(d) => lifting(&d.value).map_err(|e| format!("line {}: {e}", d.line))?,
        None => Options::default(),
    };
    let given: Vec<&str> = case.all("given").map(|d| d.value.as_str()).collect();
    let results: Vec<&str> = case.all("result").map(|d| d.value.as_str()).collect();
    let lean = check(&case.body, &given.join("\n"), &results, &options)?;
    if let Some(d) = case.one("wgsl")? {
        let written = wgsl::write(&lean, &wgsl::Options::default());
        match (&written, d.value.as_str()) {
            (Ok(_), "yes") => {}
            (Err(why), rule) if why.id == rule => {}
            _ => return Err(format!("to wgsl: {:?}", written.map(|_| "is written"))),
        }
    }
    Ok(())
}

fn program(source: &str) -> Result<Program, String> {
    let (program, findings) = text::parse(source, &text::ParseOptions::default());
    program.ok_or_else(|| format!("does not assemble: {findings:?}"))
}

/// Runs a program as it stands, with its steps, behind passes, and watched.
fn check(source: &str, given: &str, results: &[&str], options: &Options) -> Result<Shader, String> {
    let program = program(source)?;
    let lean = shader(&program, &Options { depth: Depth::Lean, ..*options })?;
    let full = shader(&program, &Options { depth: Depth::Full, ..*options })?;
    let on = RunFile::parse(given, &lean).map_err(|e| format!("run file: {e}"))?;
    let again = RunFile::parse(&on.to_json(&lean), &lean).map_err(|e| format!("run file, written: {e}"))?;
    if again != on {
        return Err("the run file is another one when it is written and read".into());
    }
    let ways = [
        ("lean", lean.clone()),
        ("with steps", full.clone()),
        ("folded and cleaned", clean(&fold(&lean))),
        ("promoted", promote(&lean)),
    ];
    for (way, shader) in &ways {
        let outputs = Interp.run(shader, &on.batch()).map_err(|e| format!("{way}: {e}"))?;
        alike(shader, &on.batch(), &outputs).map_err(|e| format!("{way}: {e}"))?;
        let got = results_hex(shader, &outputs);
        let got: Vec<&str> = got.lines().collect();
        if got != results {
            return Err(format!("{way}: comes out as\n{}\n, not\n{}", got.join("\n"), results.join("\n")));
        }
    }
    let batch = on.batch();
    let mut steps = 0;
    Interp.run_watched(&full, &batch, &mut |_| steps += 1).map_err(|e| format!("watched: {e}"))?;
    Recording::of(&full, &batch, 0, &Limits::default()).map_err(|e| format!("recorded: {e}"))?;
    if steps == 0 {
        return Err("no step is seen".into());
    }
    Ok(lean)
}

/// A test for each example.
pub(crate) fn trials(tests: &Path) -> Vec<Trial> {
    let folder = tests.join("../examples/tgsi/compute");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".comp.tgsi").map(str::to_string));
    }
    names.sort();
    let one = |name: String| {
        let folder = folder.clone();
        trial(format!("examples/tgsi/compute/{name}"), move || {
            let read = |end: &str| {
                std::fs::read_to_string(folder.join(format!("{name}{end}")))
                    .map_err(|e| format!("{end}: {e}"))
            };
            let (source, given, wanted) = (read(".comp.tgsi")?, read(".input.json")?, read(".expected")?);
            let wanted: Vec<&str> = wanted.lines().collect();
            let lean = check(&source, &given, &wanted, &Options::default())?;
            // Half of a workgroup at a barrier is nothing that WGSL knows, but it is said all the same.
            wgsl::write(&lean, &wgsl::Options::default()).map_err(|e| format!("to wgsl: {e}"))?;
            Ok(())
        })
    };
    names.into_iter().map(one).collect()
}
