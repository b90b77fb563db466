//! The WGSL and the SPIR-V that the library writes, run by real consumers: wgpu, on lavapipe if nothing else is named. WGSL is read by
//! naga, SPIR-V by the driver itself.
//!
//! `cargo xtask gpu` runs every check. Without an adapter it says so and does nothing,
//! but where the variable CI is set it fails. Exit status: 0 all is well, 1 something is wrong, 2 usage.

mod captured;
mod code;
mod corpus;
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
pub(crate) struct CheckSetup<'a> {
    pub(crate) gpu: &'a Gpu,
    /// The folder of corpus and oracles, if there is one.
    pub(crate) shared: Option<&'a Path>,
    /// Vertices that each program is run on.
    pub(crate) vertices: usize,
    /// Scenes with this in their name are drawn.
    pub(crate) scene: &'a str,
    /// Whether to list what was left out, and to keep all pictures.
    pub(crate) chatty: bool,
}

/// What became of a check: how much was compared, in words, and what was wrong.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// If the check is several: which.
    pub(crate) name: &'static str,
    pub(crate) compared: String,
    pub(crate) wrong: Vec<String>,
}

struct Check {
    name: &'static str,
    run: Run,
}

enum Run {
    One(fn(&CheckSetup<'_>) -> Report),
    Several(fn(&CheckSetup<'_>) -> Vec<Report>),
}

const CHECKS: &[Check] = &[
    Check { name: "operations of the NV20, exact", run: Run::One(integers::operations) },
    Check { name: "random programs of the NV20, exact", run: Run::One(integers::random) },
    Check { name: "programs of the NV2A, exact", run: Run::One(nv2a::programs) },
    Check { name: "integers as the writer writes them", run: Run::One(integers::compute) },
    Check { name: "pictures", run: Run::Several(pictures::scenes) },
    Check { name: "corpus", run: Run::Several(corpus::programs) },
    Check {
        name: "vertex outputs of AGAL, as far off as the specifications allow",
        run: Run::One(captured::agal),
    },
];

fn main() -> ExitCode {
    let mut shared = root().join("../shared");
    let (mut only, mut scene, mut chatty) = (String::new(), String::new(), false);
    let mut vertices = 10_000;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        let read = match arg.as_str() {
            "--shared" => value().map(|dir| shared = dir.into()),
            "--only" => value().map(|part| only = part),
            "--scene" => value().map(|part| scene = part),
            "--chatty" => {
                chatty = true;
                Ok(())
            }
            "--vertices" => {
                value().and_then(|n| n.parse().map(|n| vertices = n).map_err(|_| format!("{n}?")))
            }
            _ => Err(format!("no option is called {arg}")),
        };
        if let Err(why) = read {
            eprintln!(
                "error: {why}\nusage: xtask-gpu [--shared DIR] [--only NAME] [--scene NAME] [--vertices N] [--chatty]"
            );
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
    let given = CheckSetup { gpu: &gpu, shared: shared.as_deref(), vertices, scene: &scene, chatty };
    let mut fine = true;
    for check in CHECKS.iter().filter(|check| check.name.contains(&only)) {
        let start = Instant::now();
        let reports = match check.run {
            Run::One(run) => vec![Report { name: check.name, ..run(&given) }],
            Run::Several(run) => run(&given),
        };
        for (n, report) in reports.iter().enumerate() {
            let verdict = if report.wrong.is_empty() { "ok" } else { "FAILED" };
            // What is reported together took its time together.
            let time =
                if n == 0 { format!(", {:.1} s", start.elapsed().as_secs_f64()) } else { String::new() };
            println!("{verdict:<6} {}: {}{time}", report.name, report.compared);
            let most = if chatty { usize::MAX } else { 5 };
            for wrong in report.wrong.iter().take(most) {
                println!("       {wrong}");
            }
            if report.wrong.len() > most {
                println!("       and {} more", report.wrong.len() - most);
            }
            fine &= report.wrong.is_empty();
        }
    }
    ExitCode::from(u8::from(!fine))
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}
