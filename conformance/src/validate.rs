//! Whether those who take our output accept it: every program of the corpus in every target,
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
//! Beside the targets stand edited containers, which readers of others read back: see [`edits`].
//!
//! `--style plain` judges what is written with a statement for each instruction. Below the table stands how many statements
//! of each language of text there are for an instruction, as medians over the programs, and how many words of SPIR-V there are
//! for one that `spirv-opt -O` leaves of them, names aside.
//!
//! What a target refuses has a reason, by its id. Something is wrong if a judge rejects what was written, or if it was
//! refused without a reason.

mod d3dx;
pub mod edits;
mod hlsl;
mod python;
mod ran;

use crate::msl;
use crate::oracle::validate::{Program, programs};
use crate::oracle::{File, Report, Results};
use crate::oracle::{naga_accepts, tint_accepts, tint_on_path};
use crate::statements::statements;
use crate::wgsl_run::{glslang_on_path, glslang_stage};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use vecasm::emit::hlsl as to_hlsl;
use vecasm::emit::options::Style;
use vecasm::emit::{self, glsl, spirv, wgsl};
use vecasm::ir::{Shader, Stage};

/// A target with its judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// SPIR-V for an environment.
    Spirv(spirv::Environment),
    /// GLSL of a version.
    Glsl(&'static str),
    /// HLSL of a shader model.
    Hlsl(&'static str),
    /// MSL of a version.
    Msl(&'static str),
    /// WGSL.
    Wgsl,
}

/// Every target, in the order of the table.
pub const TARGETS: &[Target] = &[
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
    /// The language and its version.
    pub fn name(self) -> String {
        match self {
            Self::Spirv(environment) => format!("spirv {}", environment.name()),
            Self::Glsl(version) => format!("glsl {version}"),
            Self::Hlsl(model) => format!("hlsl {model}"),
            Self::Msl(version) => format!("msl {version}"),
            Self::Wgsl => "wgsl".into(),
        }
    }

    /// Whether what was written is run, where that is possible, and gives what the interpreter gives.
    pub fn runs(self) -> bool {
        matches!(self, Self::Hlsl("3.0") | Self::Msl(_))
    }

    /// Whether it is wanted: all are, or those of a language, or one.
    fn is(self, only: Option<&str>) -> bool {
        only.is_none_or(|only| self.name() == only || self.name().split(' ').next() == Some(only))
    }
}

/// What became of a program in a target.
#[derive(Clone)]
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

/// One cell of the table: the programs of an instruction set in a target.
#[derive(Debug, Default)]
pub struct Cell {
    /// How many the judges accept.
    pub accepted: u64,
    /// How many the writer refuses, by the rule.
    pub refused: BTreeMap<&'static str, u64>,
    /// What is wrong with others.
    pub wrong: Vec<String>,
    /// How many nobody judged.
    pub unchecked: u64,
    /// Of those accepted, how many were run and gave what the interpreter gives.
    pub ran: u64,
    /// Those that could have been run, but not be compared, and why.
    pub not_run: BTreeMap<String, &'static str>,
    /// Statements an instruction of each text that was written.
    pub lengths: Vec<f64>,
    /// Words for one that the optimizer leaves, of each module.
    pub sizes: Vec<f64>,
}

/// Whoever judges beside this process.
#[derive(Debug)]
pub struct Judges {
    /// `spirv-val`.
    pub spirv_val: Option<PathBuf>,
    /// `spirv-opt`, which measures.
    pub spirv_opt: Option<PathBuf>,
    /// `glslangValidator`.
    pub glslang: Option<PathBuf>,
    hlsl: hlsl::Judges,
    /// The program around D3DX of Wine, which reads effects.
    pub d3dx: Option<PathBuf>,
    /// `python3`, which reads containers.
    pub python: Option<PathBuf>,
    /// `tint`.
    pub tint: Option<PathBuf>,
    /// `g++`.
    pub cxx: Option<PathBuf>,
    /// Files for them, which go with the judges.
    folder: PathBuf,
    /// Those that wait for the next program.
    workers: Mutex<Vec<Worker>>,
    /// How texts are written.
    style: Style,
}

impl Judges {
    /// Those on the path and, of HLSL, those in a folder.
    ///
    /// # Errors
    ///
    /// No folder for files can be made.
    pub fn find(hlsl: &Path, style: Style) -> Result<Self, String> {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("vecasm-validate-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
        Ok(Self {
            spirv_val: on_path("spirv-val"),
            spirv_opt: on_path("spirv-opt"),
            glslang: glslang_on_path(),
            hlsl: hlsl::Judges::find(hlsl),
            d3dx: Some(hlsl.join("d3dxeffect.exe"))
                .filter(|program| program.exists() && hlsl::find_wine().is_some()),
            python: on_path("python3"),
            tint: tint_on_path(),
            cxx: on_path("g++"),
            folder,
            workers: Mutex::default(),
            style,
        })
    }

    /// What is missing and therefore not checked, a sentence each.
    pub fn missing(&self) -> Vec<&'static str> {
        let lack = |judge: &Option<PathBuf>, said: &'static str| judge.is_none().then_some(said);
        let mut out: Vec<&str> = [
            lack(&self.spirv_val, "spirv-val is not on the path: no SPIR-V was checked"),
            lack(&self.spirv_opt, "spirv-opt is not on the path: no SPIR-V was measured"),
            lack(&self.glslang, "glslangValidator is not on the path: no GLSL was checked"),
        ]
        .into_iter()
        .flatten()
        .collect();
        out.extend(self.hlsl.missing());
        out.extend(lack(&self.d3dx, "D3DX of Wine is not among the judges: it read no edited effect"));
        out.extend(lack(&self.python, "python3 is not on the path: it read no edited container"));
        out.extend(lack(&self.cxx, "g++ is not on the path: no MSL was checked"));
        out.extend(lack(&self.tint, "tint is not on the path: WGSL was judged by naga alone"));
        out
    }

    /// Calls `f` with a worker that nobody else has.
    fn with_worker<T>(&self, f: impl FnOnce(&mut Worker) -> T) -> T {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let waiting = || self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let free = waiting().pop();
        let mut worker = free.unwrap_or_else(|| {
            let number = STARTED.fetch_add(1, Ordering::Relaxed);
            Worker { file: self.folder.join(format!("{number}.spv")), compilers: self.hlsl.start() }
        });
        let out = f(&mut worker);
        waiting().push(worker);
        out
    }
}

impl Drop for Judges {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Files and compilers of a thread.
#[derive(Debug)]
struct Worker {
    file: PathBuf,
    compilers: hlsl::Compilers,
}

/// The file of that name on the path.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}

/// By instruction set and target, as the place in [`TARGETS`].
pub type Cells = BTreeMap<(&'static str, usize), Cell>;

/// Every program in every target, on all processors.
///
/// # Errors
///
/// A judge cannot be started.
pub fn judge(all: &[Program], judges: &Judges, only: Option<&str>) -> Result<Cells, String> {
    let next = AtomicUsize::new(0);
    let later = Mutex::new(Vec::new());
    let cells: Mutex<Cells> = Mutex::new(BTreeMap::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (next, cells, later) = (&next, &cells, &later);
            scope.spawn(move || {
                judges.with_worker(|worker| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(program) = all.get(at) else { return };
                        for (n, target) in TARGETS.iter().enumerate().filter(|(_, target)| target.is(only)) {
                            let mut text = None;
                            let run = AssertUnwindSafe(|| {
                                verdict(*target, &program.shader, judges, worker, &mut text)
                            });
                            let verdict = catch_unwind(run)
                                .unwrap_or_else(|panic| Verdict::Wrong(crate::oracle::panic_text(&*panic)));
                            let size = match (&judges.spirv_opt, &verdict) {
                                (Some(optimizer), Verdict::Accepted) => {
                                    optimized(optimizer, *target, &program.shader, &worker.file)
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
    worker: &mut Worker,
    text: &mut Option<String>,
) -> Verdict {
    let (style, file) = (judges.style, worker.file.as_path());
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
        Target::Hlsl(model) => hlsl(model, shader, judges, (&mut worker.compilers, file), text),
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

/// The programs of the corpus in every target, a row each: the instruction set, and its targets with their rows.
pub fn plan<'a>(shared: &Path, judges: Arc<Judges>) -> Vec<(&'static str, File<'a>)> {
    let mut by_isa: BTreeMap<&'static str, Vec<Program>> = BTreeMap::new();
    for program in programs(shared) {
        by_isa.entry(program.isa).or_default().push(program);
    }
    let mut out = Vec::new();
    let library = Arc::new(OnceLock::new());
    for (isa, all) in by_isa {
        let all = Arc::new(all);
        for target in TARGETS {
            let (all, judges) = (Arc::clone(&all), Arc::clone(&judges));
            out.push((
                isa,
                match target {
                    Target::Msl(_) => plan_msl(*target, all, judges, Arc::clone(&library)),
                    _ => plan_target(*target, all, judges),
                },
            ));
        }
    }
    out
}

/// The rows of a target whose texts are judged one by one.
fn plan_target<'a>(target: Target, all: Arc<Vec<Program>>, judges: Arc<Judges>) -> File<'a> {
    let mut file = File::new(target.name());
    let ids: Vec<String> = all.iter().map(|program| program.id.clone()).collect();
    file.add_all(ids.into_iter().zip(0..), move |report, id, &n: &usize| {
        let said = judges.with_worker(|worker| verdict(target, &all[n].shader, &judges, worker, &mut None));
        count_verdict(report, id, said);
    });
    file
}

/// A compiler of C++ with Metal's library, which is compiled when the first asks.
type Library = OnceLock<Result<msl::Judge, String>>;

/// The rows of MSL: many texts are compiled together, whoever asks for one of them first.
fn plan_msl<'a>(
    target: Target,
    all: Arc<Vec<Program>>,
    judges: Arc<Judges>,
    library: Arc<Library>,
) -> File<'a> {
    static GROUPS: AtomicUsize = AtomicUsize::new(0);
    let mut file = File::new(target.name());
    let ids: Vec<String> = all.iter().map(|program| program.id.clone()).collect();
    let groups = all.len().div_ceil(msl::TOGETHER).max(1);
    let first = GROUPS.fetch_add(groups, Ordering::Relaxed);
    let results = Results::new(groups, move |n| {
        // Neighbours are in other groups, so that threads that take one after the other do not wait for each other.
        let group: Vec<&Program> = all.iter().skip(n).step_by(groups).collect();
        judge_together(target, &group, &judges, &library, first + n)
    });
    file.add_all(ids.into_iter().zip(0..), move |report, id, &n: &usize| {
        let said: &Vec<Verdict> = results.get(n % groups);
        count_verdict(report, id, said[n / groups].clone());
    });
    file
}

/// What the compiler of C++ says of some programs.
fn judge_together(
    target: Target,
    group: &[&Program],
    judges: &Judges,
    library: &Library,
    number: usize,
) -> Vec<Verdict> {
    let mut out = Vec::new();
    let mut jobs = Vec::new();
    for program in group {
        let said = judges.with_worker(|worker| verdict(target, &program.shader, judges, worker, &mut None));
        out.push(match said {
            Verdict::Later(output) => {
                let (id, shader) = (program.id.as_str(), &program.shader);
                jobs.push((out.len(), msl::Job { id, shader, output: *output, given: None }));
                Verdict::Unchecked
            }
            said => said,
        });
    }
    let Some(cxx) = &judges.cxx else { return out };
    let (places, jobs): (Vec<usize>, Vec<_>) = jobs.into_iter().unzip();
    match library.get_or_init(|| msl::Judge::new(cxx.clone(), &judges.folder)) {
        Ok(judge) => {
            for (at, checked) in places.into_iter().zip(judge.check_together(number, &jobs)) {
                out[at] = match checked {
                    msl::Checked::Ran => Verdict::Ran,
                    msl::Checked::Compiled => Verdict::Accepted,
                    msl::Checked::Wrong(why) => Verdict::Wrong(why),
                };
            }
        }
        Err(why) => places.into_iter().for_each(|at| out[at] = Verdict::Wrong(why.clone())),
    }
    out
}

/// Counts a verdict as a case.
fn count_verdict(report: &mut Report, id: &str, said: Verdict) {
    match said {
        Verdict::Accepted | Verdict::Ran | Verdict::NotRun(_) => report.case(id, Ok(())),
        Verdict::Refused(rule) => report.skip(&format!("refused by {rule}")),
        Verdict::Unchecked | Verdict::Later(_) => report.skip("nobody judges it here"),
        Verdict::Wrong(why) => report.case(id, Err(why)),
    }
}

fn of(judged: Result<(), String>) -> Verdict {
    judged.map_or_else(Verdict::Wrong, |()| Verdict::Accepted)
}

fn refused(id: &str, why: &str, rules: &[vecasm::diag::Rule]) -> Verdict {
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
