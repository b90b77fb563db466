//! The WGSL that the library writes, run by a real consumer: wgpu, on lavapipe if nothing else is named.
//!
//! `cargo run --release -p xtask-gpu --features wgpu` runs every check. Without an adapter it says so and does nothing,
//! but where the variable CI is set it fails. Exit status: 0 all is well, 1 something is wrong, 2 usage.

mod floats;
mod gpu;
mod integers;
mod nv2a;
mod pictures;
mod run;

use gpu::Gpu;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// What the checks are given.
pub(crate) struct Given<'a> {
    pub(crate) gpu: &'a Gpu,
    /// The folder of corpus and oracles, if there is one.
    pub(crate) shared: Option<&'a Path>,
    /// Vertices that each program is run on.
    pub(crate) vertices: usize,
}

/// What became of a check: how much was compared, in words, and what was wrong.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) compared: String,
    pub(crate) wrong: Vec<String>,
}

struct Check {
    name: &'static str,
    run: fn(&Given<'_>) -> Report,
}

const CHECKS: &[Check] = &[
    Check { name: "operations of the NV20, exact", run: integers::operations },
    Check { name: "random programs of the NV20, exact", run: integers::random },
    Check { name: "programs of the NV2A, exact", run: nv2a::programs },
    Check { name: "integers as the writer writes them", run: integers::compute },
    Check { name: "pictures, within a tolerance", run: pictures::scenes },
    Check { name: "AGAL vertex programs, within a tolerance", run: floats::agal },
];

fn main() -> ExitCode {
    let mut shared = root().join("../shared");
    let mut only = String::new();
    let mut vertices = 10_000;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        let read = match arg.as_str() {
            "--shared" => value().map(|dir| shared = dir.into()),
            "--only" => value().map(|part| only = part),
            "--vertices" => {
                value().and_then(|n| n.parse().map(|n| vertices = n).map_err(|_| format!("{n}?")))
            }
            _ => Err(format!("no option is called {arg}")),
        };
        if let Err(why) = read {
            eprintln!("error: {why}\nusage: xtask-gpu [--shared DIR] [--only NAME] [--vertices N]");
            return ExitCode::from(2);
        }
    }
    let gpu = match Gpu::open() {
        Ok(gpu) => gpu,
        Err(why) if std::env::var_os("CI").is_some_and(|v| !v.is_empty()) => {
            println!("FAILED: {why}");
            return ExitCode::from(1);
        }
        Err(why) => {
            println!("SKIPPED: {why}");
            return ExitCode::SUCCESS;
        }
    };
    println!("{}", gpu.name);
    let shared = Some(shared).filter(|dir| dir.join("oracle").is_dir());
    let given = Given { gpu: &gpu, shared: shared.as_deref(), vertices };
    let mut fine = true;
    for check in CHECKS.iter().filter(|check| check.name.contains(&only)) {
        let start = Instant::now();
        let report = (check.run)(&given);
        let verdict = if report.wrong.is_empty() { "ok" } else { "FAILED" };
        println!("{verdict:<6} {}: {}, {:.1} s", check.name, report.compared, start.elapsed().as_secs_f64());
        for wrong in report.wrong.iter().take(5) {
            println!("       {wrong}");
        }
        if report.wrong.len() > 5 {
            println!("       and {} more", report.wrong.len() - 5);
        }
        fine &= report.wrong.is_empty();
    }
    ExitCode::from(u8::from(!fine))
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}
