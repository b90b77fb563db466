//! `vecasm tour`: the examples through every verb, as a page.
//!
//! | file | holds |
//! |---|---|
//! | this | flags, the folders, progress |
//! | `gather` | what the verbs give for an example |
//! | `page` | the page |

mod gather;
mod page;

use crate::report::Ctx;
use crate::{Failure, Outcome, io};
use gather::{Example, FaultyProgram, RefusedExample};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use vecasm::isa::Isa;

/// Run the examples through every verb and show the results as a page
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm tour\n  \
    vecasm tour --examples my/shaders -o /tmp/tour\n\n\
    If there is no folder `examples`, the built-in examples are written to `examples` in the folder of the page; \
    existing files are kept.\n\n\
    An example is a file NAME.scene.json with the programs it names. Programs in the folder `bad` beside it are shown \
    with their findings. In a folder with files NAME.input.json, the programs NAME beside them are explained.")]
pub(crate) struct Args {
    /// Folder with examples, instead of `examples` here or the built-in ones
    #[arg(long, value_name = "DIR")]
    examples: Vec<PathBuf>,
    /// Folder for the page and its pictures [default: `target/tour` in a checkout of vecasm, else `vecasm-tour`]
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Show no progress
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,
}

/// The folder of the examples, with one for each instruction set.
const EXAMPLES: &str = "examples";
/// The examples as they were when vecasm was built: paths below [`EXAMPLES`], and contents.
const CARRIED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/examples.rs"));
/// The folder there with programs that run, but not as they were meant to.
const WRONG: &str = "wrong";

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    let checkout = Path::new("crates/vecasm-cli").is_dir();
    let output =
        args.output.clone().unwrap_or_else(|| if checkout { "target/tour" } else { "vecasm-tour" }.into());
    let (mut scenes, mut wrong, mut bad) = (Vec::new(), Vec::new(), Vec::new());
    for folder in folders(&args.examples, &output)? {
        let inputs = list(&folder, ".input.json")?;
        if !inputs.is_empty() {
            wrong.extend(inputs);
            continue;
        }
        let found = list(&folder, ".scene.json")?;
        if found.is_empty() {
            return Err(Failure::usage(format!("{}: no *.scene.json in this folder", io::shown(folder))));
        }
        scenes.extend(found);
        let bad_folder = folder.join("bad");
        if bad_folder.is_dir() {
            bad.extend(list(&bad_folder, ".agal")?);
        }
    }
    io::create_folder(&output)?;
    let progress = Progress::new(scenes.len() + usize::from(!bad.is_empty()) + 1, args.quiet);
    let mut examples = Vec::new();
    for scene in &scenes {
        progress.step(&stem(scene));
        let example = Example::gather(scene)?;
        if let Some(png) = &example.png {
            io::write_file(&output.join(example.picture()), png)?;
        }
        examples.push(example);
    }
    // Pictures of a smaller number of instructions first: the tour goes from simple to hard.
    examples.sort_by_key(Example::instructions);
    if !bad.is_empty() {
        progress.step("programs that a player refuses");
    }
    let bad: Vec<RefusedExample> = RefusedExample::gather(&bad)?;
    let wrong = FaultyProgram::gather(&wrong)?;
    progress.step("page");
    let page = output.join("index.html");
    io::write_file(&page, page::write(&examples, &wrong, &bad).as_bytes())?;
    progress.finish();

    let mut failed = false;
    for example in &examples {
        for problem in &example.problems {
            ctx.complain(&format!("{}: {problem}", example.name));
            failed = true;
        }
    }
    let pictures = examples.iter().filter(|e| e.png.is_some()).count();
    io::print(&format!(
        "{pictures} pictures and {} refused programs; open {}\n",
        bad.iter().map(|b| b.programs.len()).sum::<usize>(),
        io::shown(page)
    ))?;
    if failed { Err(Failure::Shader) } else { Ok(()) }
}

/// The folders with the examples: those that are wanted, those below [`EXAMPLES`] here, or those that are carried,
/// which go to the folder of the page.
fn folders(wanted: &[PathBuf], output: &Path) -> Outcome<Vec<PathBuf>> {
    if !wanted.is_empty() {
        return Ok(wanted.to_vec());
    }
    let below = |folder: &Path| -> Vec<PathBuf> {
        let names = Isa::ALL.iter().map(|isa| isa.name()).chain([WRONG]);
        names.map(|name| folder.join(name)).filter(|folder| folder.is_dir()).collect()
    };
    let here = below(Path::new(EXAMPLES));
    if !here.is_empty() {
        return Ok(here);
    }
    let folder = output.join(EXAMPLES);
    for (name, bytes) in CARRIED {
        let path = folder.join(name);
        if path.exists() {
            continue;
        }
        io::create_folder(path.parent().unwrap_or(&folder))?;
        io::write_file(&path, bytes)?;
    }
    Ok(below(&folder))
}

/// The files of a folder whose names end so, in the order of their names.
fn list(folder: &Path, end: &str) -> Outcome<Vec<PathBuf>> {
    let wrong = |error: std::io::Error| Failure::usage(format!("{}: {error}", io::shown(folder)));
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.to_str().is_some_and(|p| p.ends_with(end)) {
            out.push(path);
        }
    }
    out.sort();
    Ok(out)
}

/// The file name up to its first dot.
fn stem(path: &Path) -> String {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    name.split('.').next().unwrap_or_default().to_string()
}

/// A bar on a terminal, plain lines elsewhere.
struct Progress {
    bar: Option<ProgressBar>,
    total: usize,
    done: std::cell::Cell<usize>,
    quiet: bool,
}

impl Progress {
    fn new(total: usize, quiet: bool) -> Self {
        let mut bar = None;
        if !quiet && std::io::stderr().is_terminal() {
            let shown = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            let template = "{spinner:.cyan} {bar:28.cyan/dim} {pos:>2}/{len} {msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                shown.set_style(style.progress_chars("━━─"));
            }
            shown.enable_steady_tick(Duration::from_millis(90));
            bar = Some(shown);
        }
        Self { bar, total, done: 0.into(), quiet }
    }

    /// The next piece of work begins.
    fn step(&self, what: &str) {
        let done = self.done.get() + 1;
        self.done.set(done);
        match &self.bar {
            Some(bar) => {
                bar.set_position(done as u64 - 1);
                bar.set_message(what.to_string());
            }
            None if !self.quiet => io::note(&format!("[{done:>2}/{}] {what}", self.total)),
            None => {}
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
