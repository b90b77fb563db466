//! The tasks of the project: `cargo xtask` alone lists them.
//!
//! A task is one row of [`TASKS`] and one file. Exit status: 0 all is well, 1 the task found something wrong,
//! 2 usage or I/O.

#[path = "../../benches/agal.rs"]
mod bench;
mod calibrate;
mod docs;
mod docs_info;
mod docs_ir;
mod docs_nv2a;
mod docs_tgsi;
mod features;
mod gallery;
mod gpu;
mod heap;
mod msl;
mod mutants;
mod mutate;
mod oracle;
mod passes;
mod peer;
mod scenes;
mod screens;
mod seeds;
mod statements;
mod tidy;
mod ulp;
mod validate;
mod wasm;
mod watchdog;
mod wgsl_run;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How a task ends.
pub(crate) enum Outcome {
    /// Nothing is wrong.
    Fine,
    /// The task did its work and found something wrong; it has said what.
    Wrong,
    /// The task could not do its work: bad arguments or an unreadable file.
    Usage(String),
}

impl Outcome {
    /// Fine or wrong.
    pub(crate) fn of(fine: bool) -> Self {
        if fine { Self::Fine } else { Self::Wrong }
    }
}

struct Task {
    name: &'static str,
    args: &'static str,
    doc: &'static str,
    run: fn(&[String]) -> Outcome,
}

const TASKS: &[Task] = &[
    Task {
        name: "oracle",
        args: "[ISA…] [--only NAME] [--shared DIR] [--format text|json]",
        doc: "run the corpus and the recorded results of real peers against the library",
        run: oracle::main,
    },
    Task {
        name: "mutants",
        args: "[--seed S] [--only PART]",
        doc: "make the test files of `vecasm eqv`: mutants with witnesses, rewrites by seed",
        run: mutants::main,
    },
    Task {
        name: "mutate",
        args: "[--count N] [--seed S] [--part 1/2] [--shared DIR] [--only NAME] [--patience S]",
        doc: "damaged programs through every property: no panic, no hang, bounded heap",
        run: mutate::main,
    },
    Task {
        name: "seeds",
        args: "[--out DIR] [--shared DIR]",
        doc: "write what fuzz targets begin with, a folder for each, into fuzz/corpus",
        run: seeds::main,
    },
    Task {
        name: "passes",
        args: "[--count N] [--seed S] [--vectors N]",
        doc: "every pass on random programs, and every expanded operation on random words",
        run: passes::main,
    },
    Task {
        name: "peer",
        args: "[--count N] [--seed S] [--shared DIR] [--python FILE]",
        doc: "random programs beside nv2a-vsh itself, where a Python has it, and the time of both",
        run: peer::main,
    },
    Task {
        name: "validate",
        args: "[--only NAME] [--target NAME] [--style plain] [--shared DIR] [--judges DIR] [--format text|json]",
        doc: "the corpus in every target, judged by validators: accepted, refused with a reason, wrong",
        run: validate::main,
    },
    Task { name: "tidy", args: "", doc: "check the invariants that files show", run: tidy::main },
    Task {
        name: "docs",
        args: "[--check]",
        doc: "write the documents that the tables are the source of",
        run: docs::main,
    },
    Task {
        name: "gallery",
        args: "[--check]",
        doc: "write docs/gallery: a dozen programs of each instruction set in every target language",
        run: gallery::main,
    },
    Task {
        name: "bench",
        args: "[--shared DIR] [--only NAME] [--format text|json]",
        doc: "time translation and execution over the corpus",
        run: bench::main,
    },
    Task {
        name: "calibrate",
        args: "[--shared DIR]",
        doc: "print the two figures that tie timings to this machine",
        run: calibrate::main,
    },
    Task {
        name: "scenes",
        args: "[FILE…] [--out DIR] [--time T] [--sheet FILE]",
        doc: "draw scene files, or all of examples/, to PNG files in target/scenes, and all together to one",
        run: scenes::main,
    },
    Task {
        name: "screens",
        args: "[--only NAME]",
        doc: "draw the screen of the debugger to SVG files in docs/images, from the program on a terminal",
        run: screens::main,
    },
    Task {
        name: "features",
        args: "[--full]",
        doc: "compile the library with no feature, each one alone and all, and without std",
        run: features::main,
    },
    Task {
        name: "gpu",
        args: "[--only NAME] [--scene NAME] [--vertices N] [--shared DIR] [--chatty] [--built]",
        doc: "what is written as WGSL and SPIR-V, run by a device: pictures, vertices, exact programs",
        run: gpu::main,
    },
    Task {
        name: "wasm",
        args: "[--count N] [--seed S] [--shared DIR] [--only plain|vectors]",
        doc: "the corpus and random programs by the engine `lanes` as WebAssembly, beside the interpreter",
        run: wasm::main,
    },
    Task {
        name: "ulp",
        args: "[FUNCTION…] [--stride N] [--pairs N] [--samples N]",
        doc: "measure the error of the elementary functions, over all inputs where there is one argument",
        run: ulp::main,
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = args.split_first() else {
        print_table();
        return ExitCode::SUCCESS;
    };
    if matches!(name.as_str(), "-h" | "--help" | "help") {
        print_table();
        return ExitCode::SUCCESS;
    }
    let Some(task) = TASKS.iter().find(|t| t.name == name) else {
        eprintln!("error: no task is called {name}; `cargo xtask` lists them");
        return ExitCode::from(2);
    };
    match (task.run)(rest) {
        Outcome::Fine => ExitCode::SUCCESS,
        Outcome::Wrong => ExitCode::from(1),
        Outcome::Usage(why) => {
            eprintln!("error: {why}\nusage: cargo xtask {} {}", task.name, task.args);
            ExitCode::from(2)
        }
    }
}

fn print_table() {
    println!("cargo xtask TASK\n");
    for task in TASKS {
        println!("  {:<10} {}", task.name, task.doc);
        if !task.args.is_empty() {
            println!("  {:<10} {}", "", task.args);
        }
    }
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Arguments of a task: what stands alone, and the values of `--name value` or `--name=value`.
pub(crate) struct Args {
    alone: Vec<String>,
    named: Vec<(String, Option<String>)>,
}

impl Args {
    /// Reads arguments; `valued` are the options that take a value, `flags` those that take none.
    pub(crate) fn parse(args: &[String], valued: &[&str], flags: &[&str]) -> Result<Self, String> {
        let mut out = Self { alone: Vec::new(), named: Vec::new() };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let Some(option) = arg.strip_prefix("--") else {
                out.alone.push(arg.clone());
                continue;
            };
            let (name, inline) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (option, None),
            };
            if flags.contains(&name) && inline.is_none() {
                out.named.push((name.to_string(), None));
            } else if valued.contains(&name) {
                let value = match inline {
                    Some(value) => value,
                    None => args.next().ok_or_else(|| format!("--{name} needs a value"))?.clone(),
                };
                out.named.push((name.to_string(), Some(value)));
            } else {
                return Err(format!("no option is called {arg}"));
            }
        }
        Ok(out)
    }

    /// What stands alone.
    pub(crate) fn alone(&self) -> &[String] {
        &self.alone
    }

    /// The last value of an option.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.named.iter().rev().find(|(n, _)| n == name)?.1.as_deref()
    }

    /// Whether a flag was given.
    #[allow(dead_code, reason = "not every set of tasks has flags")]
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.named.iter().any(|(n, _)| n == name)
    }

    /// The number given to an option, or `default`.
    #[allow(dead_code, reason = "not every set of tasks has numbers")]
    pub(crate) fn number(&self, name: &str, default: u64) -> Result<u64, String> {
        match self.value(name) {
            None => Ok(default),
            Some(text) => {
                let digits: String = text.chars().filter(|&c| c != '_' && c != ',').collect();
                digits.parse().map_err(|_| format!("--{name} needs a number, not {text}"))
            }
        }
    }

    /// The folder of corpus, oracles and calibration: `--shared DIR`, else `../shared` beside the workspace.
    pub(crate) fn shared(&self) -> PathBuf {
        match self.value("shared") {
            Some(dir) => PathBuf::from(dir),
            None => root().join("../shared"),
        }
    }
}
