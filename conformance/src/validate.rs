//! `cargo xtask validate`: whether those who take our output accept it: every program of the corpus in every target,
//! judged by a validator of that target.
//!
//! | target | judge |
//! |---|---|
//! | SPIR-V for Vulkan 1.0 and 1.3 and for OpenGL 4.5 | `spirv-val`, in processes side by side; without it the modules are unchecked |
//! | GLSL 120, 130, 150, 330, 430, 460, ES 100, 300 and 320 | `glslangValidator`, in processes side by side; without it the texts are unchecked |
//! | HLSL 3.0, 5.0 and 6.0 | `glslangValidator`; DirectX Shader Compiler, the D3DCompile of Wine and vkd3d-compiler where `xtask/hlsl/install.sh` has put them: see [`mod@hlsl`]; the byte code for 3.0 is run ([`ran`]) |
//! | MSL 2.0 and 2.4 | a compiler of C++ with Metal's library as C++ ([`msl`]), which also runs what reads no texels; without `g++` the texts are unchecked |
//! | WGSL | naga in this process, and `tint` where it is on the path |
//!
//! Where what was written is run, beside the interpreter, the table says how many programs gave the same; the others need what
//! cannot be given there. A result that differs is wrong.
//!
//! `--style plain` judges what is written with a statement for each instruction. Below the table stands how many statements
//! of each language of text there are for an instruction, as medians over the programs, and how many words of SPIR-V there are
//! for one that `spirv-opt -O` leaves of them, names aside.
//!
//! What a target refuses has a reason, by its id. Something is wrong if a judge rejects what was written, or if it was
//! refused without a reason.

mod hlsl;
mod ran;

use crate::msl;
use crate::oracle::validate::{Program, programs};
use crate::oracle::{naga_accepts, tint_accepts, tint_on_path};
use crate::statements::{median, statements};
use crate::wgsl_run::{glslang_on_path, glslang_stage};
use crate::{Args, Outcome, root};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use vecasm::emit::hlsl as to_hlsl;
use vecasm::emit::options::Style;
use vecasm::emit::{self, glsl, spirv, wgsl};
use vecasm::ir::{Shader, Stage};

/// Failures printed for each cell.
const SHOWN: usize = 12;

/// A target with its judge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Spirv(spirv::Environment),
    Glsl(&'static str),
    Hlsl(&'static str),
    Msl(&'static str),
    Wgsl,
}

const TARGETS: &[Target] = &[
    Target::Spirv(spirv::Environment::Vulkan10),
    Target::Spirv(spirv::Environment::Vulkan13),
    Target::Spirv(spirv::Environment::OpenGl45),
    Target::Glsl("120"),
    Target::Glsl("130"),
    Target::Glsl("150"),
    Target::Glsl("330"),
    Target::Glsl("430"),
    Target::Glsl("460"),
    Target::Glsl("100es"),
    Target::Glsl("300es"),
    Target::Glsl("320es"),
    Target::Hlsl("3.0"),
    Target::Hlsl("5.0"),
    Target::Hlsl("6.0"),
    Target::Msl("2.0"),
    Target::Msl("2.4"),
    Target::Wgsl,
];

impl Target {
    fn name(self) -> String {
        match self {
            Self::Spirv(environment) => format!("spirv {}", environment.name()),
            Self::Glsl(version) => format!("glsl {version}"),
            Self::Hlsl(model) => format!("hlsl {model}"),
            Self::Msl(version) => format!("msl {version}"),
            Self::Wgsl => "wgsl".into(),
        }
    }
}

impl Target {
    /// Whether what was written is run, where that is possible, and gives what the interpreter gives.
    fn runs(self) -> bool {
        matches!(self, Self::Hlsl("3.0") | Self::Msl(_))
    }

    /// Whether it is wanted: all are, or those of a language, or one.
    fn is(self, only: Option<&str>) -> bool {
        only.is_none_or(|only| self.name() == only || self.name().split(' ').next() == Some(only))
    }
}

/// What became of a program in a target.
enum Verdict {
    Accepted,
    /// And it was run, and gave what the interpreter gives.
    Ran,
    /// It could have been run, but not be compared, and why.
    NotRun(&'static str),
    Refused(&'static str),
    Wrong(String),
    Unchecked,
    /// Written, to be judged together with others.
    Later(Box<emit::msl::Output>),
}

/// One cell of the table.
#[derive(Default)]
struct Cell {
    accepted: u64,
    refused: BTreeMap<&'static str, u64>,
    wrong: Vec<String>,
    unchecked: u64,
    /// Of those accepted, how many were run and gave what the interpreter gives.
    ran: u64,
    /// Those that could have been run, but not be compared, and why.
    not_run: BTreeMap<String, &'static str>,
    /// Statements an instruction of each text that was written.
    lengths: Vec<f64>,
    /// Words for one that the optimizer leaves, of each module.
    sizes: Vec<f64>,
}

/// Whoever judges beside this process.
struct Judges {
    spirv_val: Option<PathBuf>,
    spirv_opt: Option<PathBuf>,
    glslang: Option<PathBuf>,
    hlsl: hlsl::Judges,
    tint: Option<PathBuf>,
    cxx: Option<PathBuf>,
    folder: PathBuf,
    /// How texts are written.
    style: Style,
}

/// Runs the task.
pub fn main(args: &[String]) -> Outcome {
    let args = match Args::parse(args, &["shared", "format", "only", "target", "style", "judges"], &[]) {
        Ok(args) => args,
        Err(why) => return Outcome::Usage(why),
    };
    let start = Instant::now();
    let judges = Judges {
        spirv_val: on_path("spirv-val"),
        spirv_opt: on_path("spirv-opt"),
        glslang: glslang_on_path(),
        hlsl: hlsl::Judges::find(
            &args.value("judges").map_or_else(|| root().join("target/hlsl-judges"), PathBuf::from),
        ),
        tint: tint_on_path(),
        cxx: on_path("g++"),
        folder: std::env::temp_dir().join(format!("vecasm-validate-{}", std::process::id())),
        style: match args.value("style") {
            None | Some("folded") => Style::Folded,
            Some("plain") => Style::Plain,
            Some(other) => return Outcome::Usage(format!("there is no style {other}")),
        },
    };
    if let Err(why) = std::fs::create_dir_all(&judges.folder) {
        return Outcome::Usage(format!("{}: {why}", judges.folder.display()));
    }
    let mut all = programs(&args.shared());
    if let Some(only) = args.value("only") {
        all.retain(|program| program.isa == only || program.id.contains(only));
    }
    let cells = match judged(&all, &judges, args.value("target")) {
        Ok(cells) => cells,
        Err(why) => return Outcome::Usage(why),
    };
    let _ = std::fs::remove_dir_all(&judges.folder);
    let fine = cells.values().all(|cell| cell.wrong.is_empty());
    if args.value("format") == Some("json") {
        println!("{:#}", as_json(&cells, &judges));
    } else {
        print_table(&cells, &judges, all.len(), start.elapsed().as_secs_f64());
    }
    let wanted =
        [("spirv-val", &judges.spirv_val), ("glslangValidator", &judges.glslang), ("g++", &judges.cxx)];
    let missing = std::env::var_os("CI").is_some() && wanted.iter().any(|(_, judge)| judge.is_none());
    for (name, _) in wanted.iter().filter(|(_, judge)| missing && judge.is_none()) {
        eprintln!("{name} is not on the path, and this is CI");
    }
    Outcome::of(fine && !missing)
}

/// The file of that name on the path.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}

/// By instruction set and target.
type Cells = BTreeMap<(&'static str, usize), Cell>;

/// Every program in every target, on all processors.
fn judged(all: &[Program], judges: &Judges, only: Option<&str>) -> Result<Cells, String> {
    let next = AtomicUsize::new(0);
    let later = Mutex::new(Vec::new());
    let cells: Mutex<Cells> = Mutex::new(BTreeMap::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (next, cells, later) = (&next, &cells, &later);
            scope.spawn(move || {
                let file = judges.folder.join(format!("{worker}.spv"));
                let mut compilers = judges.hlsl.start();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(program) = all.get(at) else { return };
                    for (n, target) in TARGETS.iter().enumerate().filter(|(_, target)| target.is(only)) {
                        let mut text = None;
                        let run = AssertUnwindSafe(|| match *target {
                            Target::Hlsl(model) => {
                                hlsl(model, &program.shader, judges, (&mut compilers, &file), &mut text)
                            }
                            target => verdict(target, &program.shader, judges, &file, &mut text),
                        });
                        let verdict = catch_unwind(run)
                            .unwrap_or_else(|panic| Verdict::Wrong(crate::oracle::panic_text(&*panic)));
                        let size = match (&judges.spirv_opt, &verdict) {
                            (Some(optimizer), Verdict::Accepted) => {
                                optimized(optimizer, *target, &program.shader, &file)
                            }
                            _ => None,
                        };
                        let Ok(mut cells) = cells.lock() else { return };
                        let cell = cells.entry((program.isa, n)).or_default();
                        if let (Some(text), 1..) = (&text, program.instructions) {
                            cell.lengths.push(statements(text) as f64 / program.instructions as f64);
                        }
                        cell.sizes.extend(size);
                        match verdict {
                            Verdict::Accepted => cell.accepted += 1,
                            Verdict::Ran => {
                                cell.accepted += 1;
                                cell.ran += 1;
                            }
                            Verdict::NotRun(why) => {
                                cell.accepted += 1;
                                cell.not_run.insert(program.id.clone(), why);
                            }
                            Verdict::Unchecked => cell.unchecked += 1,
                            Verdict::Refused(id) => *cell.refused.entry(id).or_default() += 1,
                            Verdict::Wrong(why) => cell.wrong.push(format!("{}: {why}", program.id)),
                            Verdict::Later(output) => {
                                let Ok(mut later) = later.lock() else { return };
                                later.push((n, at, *output));
                            }
                        }
                    }
                }
            });
        }
    });
    let mut cells = cells.into_inner().unwrap_or_default();
    let mut later = later.into_inner().unwrap_or_default();
    later.sort_by_key(|(n, at, _)| (*n, *at));
    compiled(all, judges, later, &mut cells)?;
    Ok(cells)
}

/// Judges the texts that are compiled as C++.
fn compiled(
    all: &[Program],
    judges: &Judges,
    later: Vec<(usize, usize, emit::msl::Output)>,
    cells: &mut Cells,
) -> Result<(), String> {
    let Some(cxx) = &judges.cxx else {
        for (n, at, _) in later {
            cells.entry((all[at].isa, n)).or_default().unchecked += 1;
        }
        return Ok(());
    };
    let judge = msl::Judge::new(cxx.clone(), &judges.folder)?;
    let places: Vec<(usize, usize)> = later.iter().map(|(n, at, _)| (*n, *at)).collect();
    let job = |(_, at, output): (usize, usize, emit::msl::Output)| {
        let program: &Program = &all[at];
        msl::Job { id: &program.id, shader: &program.shader, output, given: None }
    };
    let jobs: Vec<msl::Job<'_>> = later.into_iter().map(job).collect();
    for ((n, at), checked) in places.into_iter().zip(judge.check(&jobs)) {
        let cell = cells.entry((all[at].isa, n)).or_default();
        match checked {
            msl::Checked::Wrong(why) => cell.wrong.push(format!("{}: {why}", all[at].id)),
            checked => {
                cell.accepted += 1;
                cell.ran += u64::from(matches!(checked, msl::Checked::Ran));
            }
        }
    }
    Ok(())
}

/// What a judge says of a shader in a target; `text` becomes what was written, if it is a text.
fn verdict(
    target: Target,
    shader: &Shader,
    judges: &Judges,
    file: &Path,
    text: &mut Option<String>,
) -> Verdict {
    let style = judges.style;
    match target {
        Target::Spirv(environment) => {
            let options = spirv::Options::for_environment(environment);
            match spirv::write(shader, &options) {
                Err(why) => refused(why.id, &why.to_string(), spirv::RULES),
                Ok(output) => match &judges.spirv_val {
                    None => Verdict::Unchecked,
                    Some(judge) => of(spirv_val(judge, environment, &output.bytes(), file)),
                },
            }
        }
        Target::Glsl(version) => {
            let Ok(version) = version.parse::<glsl::Version>() else {
                return Verdict::Wrong(format!("there is no version {version}"));
            };
            let options = glsl::Options { version, style, ..glsl::Options::default() };
            match glsl::write(shader, &options) {
                Err(why) => refused(why.id, &why.to_string(), glsl::RULES),
                Ok(output) => {
                    let source = text.insert(output.source);
                    match &judges.glslang {
                        None => Verdict::Unchecked,
                        Some(judge) => of(glslang(judge, shader.stage, source, file)),
                    }
                }
            }
        }
        // It has compilers that stay.
        Target::Hlsl(_) => Verdict::Unchecked,
        Target::Msl(version) => {
            let Ok(version) = version.parse::<emit::msl::Version>() else {
                return Verdict::Wrong(format!("there is no version {version}"));
            };
            match emit::msl::write(shader, &emit::msl::Options { version, style, ..Default::default() }) {
                Err(why) => refused(why.id, &why.to_string(), emit::msl::RULES),
                Ok(output) => {
                    *text = Some(output.source.clone());
                    Verdict::Later(Box::new(output))
                }
            }
        }
        Target::Wgsl => match wgsl::write(shader, &wgsl::Options { style, ..wgsl::Options::default() }) {
            Err(why) => refused(why.id, &why.to_string(), wgsl::RULES),
            Ok(output) => {
                let source = text.insert(output.source);
                of(naga_accepts(source).and_then(|()| match &judges.tint {
                    Some(tint) => tint_accepts(tint, source),
                    None => Ok(()),
                }))
            }
        },
    }
}

fn hlsl(
    model: &str,
    shader: &Shader,
    judges: &Judges,
    (compilers, file): (&mut hlsl::Compilers, &Path),
    text: &mut Option<String>,
) -> Verdict {
    let Ok(model) = model.parse::<to_hlsl::Model>() else {
        return Verdict::Wrong(format!("there is no model {model}"));
    };
    let options = to_hlsl::Options { model, style: judges.style, ..to_hlsl::Options::default() };
    match to_hlsl::write(shader, &options) {
        Err(why) => refused(why.id, &why.to_string(), to_hlsl::RULES),
        Ok(output) => {
            *text = Some(output.source.clone());
            let of = (model, shader.stage);
            let (verdict, code) = compilers.judge(&judges.glslang, of, &output.source, file);
            match (verdict, code) {
                (Verdict::Accepted, Some(code)) => match ran::compare(shader, &output, &code) {
                    ran::Ran::Equal => Verdict::Ran,
                    ran::Ran::Not(why) => Verdict::NotRun(why),
                    ran::Ran::Differs(why) => Verdict::Wrong(format!("run: {why}, in\n{}", output.source)),
                },
                (verdict, _) => verdict,
            }
        }
    }
}

fn of(judged: Result<(), String>) -> Verdict {
    judged.map_or_else(Verdict::Wrong, |()| Verdict::Accepted)
}

fn refused(id: &str, why: &str, rules: &[&'static vecasm::diag::Rule]) -> Verdict {
    match rules.iter().find(|rule| rule.id == id) {
        Some(rule) => Verdict::Refused(rule.id),
        None => Verdict::Wrong(format!("refused without a reason: {why}")),
    }
}

fn spirv_val(judge: &Path, environment: spirv::Environment, bytes: &[u8], file: &Path) -> Result<(), String> {
    std::fs::write(file, bytes).map_err(|e| format!("{}: {e}", file.display()))?;
    said(Command::new(judge).args(["--target-env", environment.name()]).arg(file), judge)
}

/// How many words of a module there are for one that `spirv-opt -O` leaves, if it is SPIR-V; both without names.
fn optimized(optimizer: &Path, target: Target, shader: &Shader, file: &Path) -> Option<f64> {
    let Target::Spirv(environment) = target else { return None };
    let options = spirv::Options { names: false, ..spirv::Options::for_environment(environment) };
    let written = spirv::write(shader, &options).ok()?.bytes();
    std::fs::write(file, &written).ok()?;
    let small = file.with_extension("small");
    let mut command = Command::new(optimizer);
    command.arg("-O").arg(format!("--target-env={}", environment.name())).arg(file).arg("-o").arg(&small);
    said(&mut command, optimizer).ok()?;
    Some(written.len() as f64 / std::fs::metadata(small).ok()?.len() as f64)
}

fn glslang(judge: &Path, stage: Stage, source: &str, file: &Path) -> Result<(), String> {
    std::fs::write(file, source).map_err(|e| format!("{}: {e}", file.display()))?;
    said(Command::new(judge).args(["-S", glslang_stage(stage)]).arg(file), judge)
}

/// What a judge says, if it rejects.
fn said(command: &mut Command, judge: &Path) -> Result<(), String> {
    let output = command.output().map_err(|e| format!("{}: {e}", judge.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(String::from_utf8_lossy(&said).trim().to_string())
}

fn print_table(cells: &Cells, judges: &Judges, programs: usize, seconds: f64) {
    println!(
        "{:<5} {:<18} {:>8} {:>9} {:>8} {:>6} {:>9}",
        "", "target", "accepted", "run equal", "refused", "wrong", "unchecked"
    );
    for ((isa, target), cell) in cells {
        let refused: u64 = cell.refused.values().sum();
        let name = TARGETS[*target].name();
        let (wrong, reasons) = (cell.wrong.len(), reasons(cell));
        println!(
            "{isa:<5} {name:<18} {:>8} {:>9} {refused:>8} {wrong:>6} {:>9}{reasons}",
            cell.accepted,
            if TARGETS[*target].runs() { cell.ran.to_string() } else { String::new() },
            cell.unchecked
        );
    }
    print_lengths(cells);
    for ((isa, target), cell) in cells {
        for why in cell.wrong.iter().take(SHOWN) {
            println!("WRONG {isa} to {}: {why}", TARGETS[*target].name());
        }
    }
    if judges.spirv_val.is_none() {
        println!("spirv-val is not on the path: no SPIR-V was checked");
    }
    if judges.spirv_opt.is_none() {
        println!("spirv-opt is not on the path: no SPIR-V was measured");
    }
    if judges.glslang.is_none() {
        println!("glslangValidator is not on the path: no GLSL was checked");
    }
    judges.hlsl.tell();
    if judges.cxx.is_none() {
        println!("g++ is not on the path: no MSL was checked");
    }
    if judges.tint.is_none() {
        println!("tint is not on the path: WGSL was judged by naga alone");
    }
    println!("{programs} programs, {seconds:.1} s");
}

/// Statements an instruction, as medians.
fn print_lengths(cells: &Cells) {
    let mut rows: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((isa, target), cell) in cells.iter().filter(|(_, cell)| !cell.lengths.is_empty()) {
        let median = median(&mut cell.lengths.clone());
        rows.entry(isa).or_default().push(format!("{} {median:.2}", TARGETS[*target].name()));
    }
    for (isa, row) in rows {
        println!("statements an instruction, median: {isa} to {}", row.join(", "));
    }
    for ((isa, target), cell) in cells.iter().filter(|(_, cell)| !cell.sizes.is_empty()) {
        let median = median(&mut cell.sizes.clone());
        println!("words for one of spirv-opt -O, median: {isa} to {} {median:.3}", TARGETS[*target].name());
    }
}

fn reasons(cell: &Cell) -> String {
    let list: Vec<String> = cell.refused.iter().map(|(id, n)| format!("{id} {n}")).collect();
    if list.is_empty() { String::new() } else { format!("  {}", list.join(", ")) }
}

fn as_json(cells: &Cells, judges: &Judges) -> Value {
    let rows: Vec<Value> = cells
        .iter()
        .map(|((isa, target), cell)| {
            json!({
                "isa": isa,
                "target": TARGETS[*target].name(),
                "accepted": cell.accepted,
                "refused": cell.refused,
                "wrong": cell.wrong,
                "unchecked": cell.unchecked,
                "ran": cell.ran,
                "not_run": cell.not_run,
                "statements_an_instruction": median(&mut cell.lengths.clone()),
                "words_for_one_optimized": median(&mut cell.sizes.clone()),
            })
        })
        .collect();
    let glslang = judges.glslang.is_some();
    json!({ "spirv_val": judges.spirv_val.is_some(), "glslang": glslang, "tint": judges.tint.is_some(), "cells": rows })
}
