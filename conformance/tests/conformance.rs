//! Every row of the checks as a test of its name, `isa::area::file::id`:
//!
//! ```sh
//! cargo test --release -p vecasm-conformance --test conformance -- tgsi::tex
//! ```
//!
//! The folder of corpus and oracles is named by `VECASM_SHARED`, default `../shared` beside the workspace. Without it there are
//! no rows.

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use vecasm::emit::options::Style;
use vecasm_conformance::oracle::{CHECKS, File, Report, plan};
use vecasm_conformance::seeds::Material;
use vecasm_conformance::validate::{self, Judges, edits};
use vecasm_conformance::{mutate, passes, peer, root};

fn main() -> ExitCode {
    let args = Arguments::from_args();
    let shared = std::env::var_os("VECASM_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let mut trials = Vec::new();
    if shared.join("corpus").is_dir() || shared.join("oracle").is_dir() {
        // Rows refer to it as long as the process runs.
        let shared: &'static Path = Box::leak(shared.into_boxed_path());
        trials = oracle_trials(shared);
        trials.extend(validate_trials(shared));
        trials.extend(mutate_trials(shared));
        add_rows(&mut trials, "nv2a::peer::nv2a-vsh", peer::plan(shared, None));
        for file in passes::plan() {
            add_rows(&mut trials, &format!("passes::{}", file.name()), file);
        }
    } else {
        eprintln!(
            "NOTHING RUNS: {} has neither a corpus nor an oracle folder; VECASM_SHARED names the folder that has",
            shared.display()
        );
    }
    // A row that panics says so itself.
    std::panic::set_hook(Box::new(|_| {}));
    libtest_mimic::run(&args, trials).exit_code()
}

/// The rows of the corpus and of recorded results.
fn oracle_trials(shared: &'static Path) -> Vec<Trial> {
    let mut out = Vec::new();
    for (check, files) in CHECKS.iter().zip(plan(shared, CHECKS)) {
        for file in files {
            let group = format!("{}::{}", check.area(), file.label(check.isa));
            add_rows(&mut out, &group, file);
        }
    }
    out
}

/// The programs of the corpus in every target, and edited containers before readers of others.
fn validate_trials(shared: &Path) -> Vec<Trial> {
    let hlsl = std::env::var_os("VECASM_HLSL_JUDGES");
    let hlsl = hlsl.map_or_else(|| root().join("target/hlsl-judges"), PathBuf::from);
    let mut out = Vec::new();
    match Judges::find(&hlsl, Style::Folded) {
        Ok(judges) => {
            let judges = Arc::new(judges);
            for (isa, file) in validate::plan(shared, Arc::clone(&judges)) {
                add_rows(&mut out, &format!("{isa}::validate::{}", file.label(isa)), file);
            }
            for file in edits::plan(shared, &judges) {
                add_rows(&mut out, &format!("containers::validate::{}", file.name()), file);
            }
        }
        Err(why) => out.push(Trial::test("validate", move || Err(why.into()))),
    }
    out
}

/// The properties of damaged programs.
fn mutate_trials(shared: &Path) -> Vec<Trial> {
    let mut out = Vec::new();
    match Material::gather(shared) {
        Ok(material) => {
            for file in mutate::plan(material) {
                add_rows(&mut out, &format!("mutate::{}", file.label("")), file);
            }
        }
        Err(why) => out.push(Trial::test("mutate", move || Err(why.into()))),
    }
    out
}

/// The rows of a file.
fn add_rows(out: &mut Vec<Trial>, group: &str, file: File<'static>) {
    let file = Arc::new(file);
    if file.is_absent() {
        let name = file.name().to_string();
        let absent = move || Ok(Completion::ignored_with(format!("the shared folder has no {name}")));
        out.push(Trial::ignorable_test(format!("{group}::absent"), absent));
    }
    for (n, row) in file.row_names().into_iter().enumerate() {
        let file = Arc::clone(&file);
        out.push(Trial::ignorable_test(format!("{group}::{row}"), move || {
            completion(file.evaluate(n..n + 1))
        }));
    }
}

/// What the report of one row is for a test.
fn completion(report: Report) -> Result<Completion, Failed> {
    if !report.failures.is_empty() {
        return Err(report.failures.join("\n").into());
    }
    match report.reason_to_ignore() {
        Some(reason) => Ok(Completion::ignored_with(reason)),
        None => Ok(Completion::Completed),
    }
}
