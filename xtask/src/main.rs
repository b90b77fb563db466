//! The tasks of the project: `cargo xtask` alone lists them.
//!
//! A task is one row of [`TASKS`] and one file. Exit status: 0 all is well, 1 the task found something wrong,
//! 2 usage or I/O.

mod args;
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
mod mutants;
mod mutate;
mod oracle;
mod passes;
mod peepholes;
mod peer;
mod scenes;
mod screens;
mod seeds;
mod tidy;
mod ulp;
mod validate;
mod wasm;

use args::{Args, Outcome};
use std::process::ExitCode;
use vecasm_conformance::root;

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
        doc: "the corpus in every target, judged by validators, and edited containers, read back by others",
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
        name: "peepholes",
        args: "[--check]",
        doc: "find and prove what targets compute in fewer instructions, and write the table of it",
        run: peepholes::main,
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
