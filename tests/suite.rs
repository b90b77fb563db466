//! The test suite: one binary, one named test for each file below `tests/`, and for each property and each part
//! of the contract. `tests/README.md` is its manual, and is run by it.
//!
//! ```text
//! cargo test --test suite -- agal/exec      only tests whose name contains that
//! BLESS=1 cargo test --test suite           rewrites texts that a reader can review, never expected values
//! ```

#![allow(clippy::disallowed_methods, reason = "the names are their own")]

#[path = "suite/case.rs"]
mod case;
#[path = "suite/contract.rs"]
mod contract;
#[path = "suite/d3d9.rs"]
mod d3d9;
#[path = "suite/d3d9_exec.rs"]
mod d3d9_exec;
#[path = "suite/eqv.rs"]
mod eqv;
#[path = "suite/exec.rs"]
mod exec;
#[path = "suite/fmt.rs"]
mod fmt;
#[path = "suite/ir.rs"]
mod ir;
#[path = "suite/kinds.rs"]
mod kinds;
#[path = "suite/lowered.rs"]
mod lowered;
#[path = "suite/made_up.rs"]
mod made_up;
#[path = "suite/manual.rs"]
mod manual;
#[path = "suite/nv2a.rs"]
mod nv2a;
#[path = "suite/properties.rs"]
mod property_tests;
#[path = "suite/session.rs"]
mod session;
#[path = "suite/tgsi.rs"]
mod tgsi;
#[path = "suite/tgsi_contract.rs"]
mod tgsi_contract;
#[path = "suite/tgsi_exec.rs"]
mod tgsi_exec;
#[path = "suite/tgsi_memory.rs"]
mod tgsi_memory;
#[path = "suite/tgsi_text.rs"]
mod tgsi_text;

#[path = "suite/why.rs"]
mod why;

#[allow(dead_code, reason = "`cargo xtask mutants` uses the rest")]
mod mutants;
#[allow(dead_code, reason = "`cargo xtask mutate` uses the rest")]
mod properties;

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Arguments::from_args();
    // A property that does not hold panics; what it says is in the failure, and a backtrace would bury it.
    std::panic::set_hook(Box::new(|_| {}));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut files = Vec::new();
    walk(&root, &root, &mut files);
    files.sort();
    let mut trials = Vec::new();
    let cases: Vec<PathBuf> = files.iter().filter(|f| kinds::is_case(f)).cloned().collect();
    for file in &cases {
        let (root, file) = (root.clone(), file.clone());
        let name = file.to_string_lossy().replace('\\', "/");
        trials.push(trial(name, move || kinds::run_file(&root, &file)));
    }
    trials.extend(made_up::trials(&root));
    trials.extend(manual::trials(&root));
    trials.extend(session::trials(&root, &files));
    trials.extend(contract::trials());
    trials.extend(tgsi_memory::trials(&root));
    trials.extend(property_tests::trials(&root, &cases));
    let (at, all) = (root.clone(), cases.clone());
    trials.push(trial("every file is consumed".into(), move || kinds::consumed(&at, &files, &all)));
    let (at, all) = (root.clone(), cases.clone());
    trials.push(trial("files are run as other instruction sets".into(), move || {
        lowered::are_lowered(&at, &all)
    }));
    trials.push(trial("every property has a fuzz target".into(), property_tests::fuzz_targets));
    let of_every_format = property_tests::containers_of_every_format;
    trials.push(trial("damaged containers are of every format".into(), of_every_format));
    trials.push(trial("every rule has a file that breaks it".into(), move || {
        kinds::rules_covered(&root, &cases)
    }));
    libtest_mimic::run(&args, trials).exit_code()
}

/// A test that says why it failed.
fn trial(name: String, run: impl FnOnce() -> Result<(), String> + Send + 'static) -> Trial {
    Trial::test(name, move || run().map_err(Failed::from))
}

/// The files below `folder`, relative to `root`.
fn walk(root: &Path, folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(root, &path, out);
        } else if let Ok(relative) = path.strip_prefix(root) {
            out.push(relative.to_path_buf());
        }
    }
}
