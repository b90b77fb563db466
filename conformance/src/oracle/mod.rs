//! `cargo xtask oracle`: the corpus and the recorded results of real peers, run against the library.
//!
//! A check is one row of [`CHECKS`]; it reads one or more files of the shared folder and gives a [`Report`] for
//! each. `conformance/src/oracle/<isa>_<area>.rs` holds the checks of one area. What the files mean is said by the
//! `README.md` beside them.

mod agal_corpus;
mod agal_exec;
mod agal_render;
mod agal_rules;
mod agal_text;
mod agal_wgsl;
mod d3d9_compilers;
mod d3d9_convert;
mod d3d9_disputed;
mod d3d9_exec;
mod d3d9_interface;
mod d3d9_listing;
mod d3d9_peers;
mod d3d9_preshader;
mod d3d9_rules;
mod d3d9_text;
mod d3d9_wgsl;
mod engines;
mod ir_wgsl;
mod ir_wide;
mod nv2a_dialects;
mod nv2a_exec;
mod nv2a_ops;
mod nv2a_text;
mod nv2a_wgsl;
mod tgsi_differs;
mod tgsi_exec;
mod tgsi_gs;
mod tgsi_mem;
mod tgsi_open;
mod tgsi_quirks;
mod tgsi_rules;
mod tgsi_stale;
mod tgsi_table;
mod tgsi_tex;
mod tgsi_text;
mod tgsi_tokens;
mod tgsi_wgsl;
pub mod validate;

pub(crate) use agal_wgsl::{naga as naga_accepts, tint as tint_accepts, tint_on_path};

use crate::{Args, Outcome};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use vecasm::isa::Isa;

/// Rows of `isa: module::function`, with what stands behind the colon as the name for `--only`.
macro_rules! checks {
    ($( $isa:ident: $module:ident::$check:ident ),* $(,)?) => {
        &[$( (stringify!($isa), concat!(stringify!($module), "::", stringify!($check)), $module::$check) ),*]
    };
}

/// Every check, with its instruction set. One row a check.
const CHECKS: &[(&str, &str, Check)] = checks![
    agal: agal_corpus::programs,
    agal: agal_text::text,
    agal: agal_rules::all,
    agal: agal_exec::instructions,
    agal: agal_exec::programs,
    agal: agal_render::scenes,
    agal: agal_wgsl::programs,
    d3d9: d3d9_exec::all,
    d3d9: d3d9_compilers::all,
    d3d9: d3d9_convert::all,
    d3d9: d3d9_disputed::all,
    d3d9: d3d9_interface::all,
    d3d9: d3d9_listing::all,
    d3d9: d3d9_peers::all,
    d3d9: d3d9_preshader::all,
    d3d9: d3d9_rules::all,
    d3d9: d3d9_text::all,
    d3d9: d3d9_wgsl::all,
    engines: engines::agal,
    engines: engines::d3d9,
    engines: engines::nv2a,
    engines: engines::tgsi,
    ir: ir_wgsl::cases,
    ir: ir_wgsl::random,
    ir: ir_wide::wide,
    nv2a: nv2a_ops::operations,
    nv2a: nv2a_text::all,
    nv2a: nv2a_dialects::all,
    nv2a: nv2a_exec::all,
    nv2a: nv2a_wgsl::corpus,
    tgsi: tgsi_exec::instructions,
    tgsi: tgsi_exec::flow,
    tgsi: tgsi_exec::programs,
    tgsi: tgsi_exec::corpus,
    tgsi: tgsi_gs::all,
    tgsi: tgsi_mem::all,
    tgsi: tgsi_quirks::all,
    tgsi: tgsi_tex::all,
    tgsi: tgsi_differs::all,
    tgsi: tgsi_rules::all,
    tgsi: tgsi_table::opcodes,
    tgsi: tgsi_text::all,
    tgsi: tgsi_tokens::all,
    tgsi: tgsi_wgsl::all,
];

/// One check.
type Check = fn(&Path) -> Vec<Report>;

/// Failures printed for each file.
const SHOWN: usize = 20;

/// What became of one oracle file.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The file, relative to the shared folder; what is checked about it in brackets where several checks read it.
    pub(crate) file: String,
    /// Cases that gave what was expected.
    pub(crate) passed: u64,
    /// Cases that did not: one line each, with the id of the case.
    pub(crate) failures: Vec<String>,
    /// Cases left out, by reason. Only what the README of the oracle marks optional or disputed may stand here.
    pub(crate) skipped: Vec<(String, u64)>,
    /// Of those that passed: what is proven to be another answer than ours, by the rule it follows.
    pub(crate) follows: Vec<(String, u64)>,
    /// The shared folder has no such file.
    pub(crate) absent: bool,
    /// What else there is to say, for those who ask with `--notes`.
    pub(crate) notes: Vec<String>,
}

impl Report {
    /// An empty report.
    pub(crate) fn new(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// The report of a file that is not there.
    pub(crate) fn absent(file: impl Into<String>) -> Self {
        Self { file: file.into(), absent: true, ..Self::default() }
    }

    /// Counts a case.
    pub(crate) fn case(&mut self, id: &str, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(why) => self.failures.push(format!("{id}: {why}")),
        }
    }

    /// Adds a note.
    pub(crate) fn note(&mut self, note: impl FnOnce() -> String) {
        self.notes.push(note());
    }

    /// Counts a case left out.
    #[allow(dead_code, reason = "not every set of checks leaves something out")]
    pub(crate) fn skip(&mut self, reason: &str) {
        match self.skipped.iter_mut().find(|(r, _)| r == reason) {
            Some((_, n)) => *n += 1,
            None => self.skipped.push((reason.to_string(), 1)),
        }
    }
}

/// Runs `check` for every line of a `.jsonl` file: it gets the report, the id of the case (its field `id`, else
/// `line N`) and the object. A line that is not JSON is a failure; a panic in `check` too.
#[allow(dead_code, reason = "the checks decide")]
pub(crate) fn each_line(
    shared: &Path,
    file: &str,
    mut check: impl FnMut(&mut Report, &str, &Value),
) -> Report {
    let Ok(text) = std::fs::read_to_string(shared.join(file)) else { return Report::absent(file) };
    let mut report = Report::new(file);
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let place = format!("line {}", number + 1);
        match serde_json::from_str::<Value>(line) {
            Ok(case) => {
                let id = match case.get("id") {
                    Some(Value::String(id)) => id.clone(),
                    Some(Value::Number(id)) => id.to_string(),
                    _ => place,
                };
                guarded(&mut report, &id, |report| check(report, &id, &case));
            }
            Err(why) => report.case(&place, Err(format!("not JSON: {why}"))),
        }
    }
    report
}

/// Runs `f` and counts a panic in it as a failure of the case `id`.
pub(crate) fn guarded(report: &mut Report, id: &str, f: impl FnOnce(&mut Report)) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| f(report))) {
        report.case(id, Err(format!("panicked: {}", panic_text(&*panic))));
    }
}

/// The message of a panic.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_string(),
        (_, Some(text)) => text.clone(),
        _ => "without a message".to_string(),
    }
}

/// A text column without its escapes.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

/// The bytes of hexadecimal text without separators; the empty text is no bytes.
#[allow(dead_code, reason = "the checks decide")]
pub(crate) fn hex(text: &str) -> Vec<u8> {
    vecasm::isa::parse_hex(text).unwrap_or_default()
}

/// The bits of a value written as 8 hexadecimal digits, most significant first.
#[allow(dead_code, reason = "the checks decide")]
pub(crate) fn bits(text: &str) -> Option<u32> {
    (text.len() == 8).then(|| u32::from_str_radix(text, 16).ok())?
}

/// A program of the corpus.
#[derive(Debug)]
pub struct CorpusProgram {
    /// Its id.
    pub id: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The text that assembles to those bytes, where known.
    pub text: Option<String>,
    /// Its entry of the manifest.
    pub manifest: Value,
}

/// The programs of `corpus/<isa>/MANIFEST.json`, in its order; `None` if there is no manifest.
///
/// # Errors
///
/// A manifest that cannot be read, or one that names files that are not there.
pub fn corpus(shared: &Path, isa: &str) -> Option<Result<Vec<CorpusProgram>, String>> {
    let folder = shared.join("corpus").join(isa);
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.json")).ok()?;
    let read = || -> Result<Vec<CorpusProgram>, String> {
        let entries: Vec<Value> =
            serde_json::from_str(&manifest).map_err(|e| format!("MANIFEST.json: {e}"))?;
        let mut out = Vec::new();
        for entry in entries {
            let field = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_string);
            let id = field("id").ok_or("MANIFEST.json: an entry without id")?;
            let file = field("bytecode").ok_or_else(|| format!("{id}: no bytecode"))?;
            let bytes = std::fs::read(folder.join(&file)).map_err(|e| format!("{file}: {e}"))?;
            let text = match field("assembly") {
                Some(file) => {
                    Some(std::fs::read_to_string(folder.join(&file)).map_err(|e| format!("{file}: {e}"))?)
                }
                None => None,
            };
            out.push(CorpusProgram { id, bytes, text, manifest: entry });
        }
        Ok(out)
    };
    Some(read())
}

/// Runs `check` for every program of the corpus; `about` says what is checked.
#[allow(dead_code, reason = "the checks decide")]
pub(crate) fn each_program(
    shared: &Path,
    isa: &str,
    about: &str,
    mut check: impl FnMut(&mut Report, &CorpusProgram),
) -> Report {
    let file = format!("corpus/{isa} ({about})");
    match corpus(shared, isa) {
        None => Report::absent(file),
        Some(Err(why)) => {
            let mut report = Report::new(file);
            report.case("manifest", Err(why));
            report
        }
        Some(Ok(programs)) => {
            let mut report = Report::new(file);
            for program in &programs {
                guarded(&mut report, &program.id, |report| check(report, program));
            }
            report
        }
    }
}

/// Runs the task.
pub fn main(args: &[String]) -> Outcome {
    let args = match Args::parse(args, &["shared", "format", "only"], &["notes"]) {
        Ok(args) => args,
        Err(why) => return Outcome::Usage(why),
    };
    let json = match args.value("format") {
        None | Some("text") => false,
        Some("json") => true,
        Some(other) => return Outcome::Usage(format!("--format is text or json, not {other}")),
    };
    let mut isas: Vec<&str> = args.alone().iter().map(String::as_str).collect();
    let known: BTreeSet<&str> =
        Isa::ALL.iter().map(|isa| isa.name()).chain(CHECKS.iter().map(|(isa, ..)| *isa)).collect();
    if let Some(unknown) = isas.iter().find(|isa| !known.contains(*isa)) {
        return Outcome::Usage(format!("no instruction set is called {unknown}"));
    }
    if isas.is_empty() {
        isas = known.into_iter().collect();
    }
    let shared = args.shared();
    if !shared.join("corpus").is_dir() && !shared.join("oracle").is_dir() {
        return Outcome::Usage(format!("{} has neither a corpus nor an oracle folder", shared.display()));
    }
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut total = Report::new("total");
    let mut failed = 0;
    let mut read = BTreeSet::new();
    let only = args.value("only").unwrap_or("");
    let chosen = |(isa, name, _): &&(&str, &str, Check)| isas.contains(isa) && name.contains(only);
    let chosen: Vec<_> = CHECKS.iter().filter(chosen).collect();
    in_order(
        &chosen,
        |(isa, _, check)| run_check(isa, *check, &shared),
        |reports| {
            for report in reports {
                print_report(&report, json);
                if args.flag("notes") {
                    report.notes.iter().for_each(|note| println!("          note: {note}"));
                }
                if let Some(file) = report.file.split(' ').next() {
                    read.insert(file.to_string());
                }
                total.passed += report.passed;
                failed += report.failures.len() as u64;
                total.skipped.extend(report.skipped);
            }
        },
    );
    std::panic::set_hook(hook);
    for isa in isas.iter().filter(|_| only.is_empty()) {
        for file in unread(&shared, isa, &read) {
            if json {
                println!("{}", json!({"file": file, "unread": true}));
            } else {
                println!("  unread  {file}: no check reads it");
            }
        }
    }
    let skipped: u64 = total.skipped.iter().map(|(_, n)| n).sum();
    if json {
        println!(
            "{}",
            json!({"file": "total", "passed": total.passed, "failed": failed, "skipped": skipped})
        );
    } else {
        println!("total: {} passed, {failed} failed, {skipped} skipped", total.passed);
    }
    Outcome::of(failed == 0)
}

/// Runs a check; a panic in it is a failure.
fn run_check(isa: &str, check: Check, shared: &Path) -> Vec<Report> {
    catch_unwind(AssertUnwindSafe(|| check(shared))).unwrap_or_else(|panic| {
        let mut report = Report::new(format!("a check of {isa}"));
        report.case("check", Err(format!("panicked: {}", panic_text(&*panic))));
        vec![report]
    })
}

/// Calls `work` for every item on as many threads as the machine has, and `done` with each result in the order of the items,
/// as soon as it is there.
fn in_order<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync, mut done: impl FnMut(R)) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len().max(1));
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    if sender.send((index, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut shown = 0;
        for (index, result) in receiver {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&shown) {
                done(result);
                shown += 1;
            }
        }
    });
}

/// The `.jsonl` files of an oracle folder that no check has read.
fn unread(shared: &Path, isa: &str, read: &BTreeSet<String>) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(shared.join("oracle").join(isa)) else { return Vec::new() };
    let mut out: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".jsonl"))
        .map(|name| format!("oracle/{isa}/{name}"))
        .filter(|file| !read.contains(file))
        .collect();
    out.sort();
    out
}

fn print_report(report: &Report, json: bool) {
    let skipped: u64 = report.skipped.iter().map(|(_, n)| n).sum();
    if json {
        let reasons: Vec<Value> =
            report.skipped.iter().map(|(reason, n)| json!({"reason": reason, "cases": n})).collect();
        let follows: Vec<Value> =
            report.follows.iter().map(|(rule, n)| json!({"rule": rule, "cases": n})).collect();
        println!(
            "{}",
            json!({
                "file": report.file, "absent": report.absent, "passed": report.passed,
                "failed": report.failures.len(), "skipped": skipped, "skip_reasons": reasons, "follows": follows,
                "failures": &report.failures[..report.failures.len().min(SHOWN)],
            })
        );
        return;
    }
    if report.absent {
        println!("  absent  {}", report.file);
        return;
    }
    let word = if report.failures.is_empty() { "    ok" } else { "FAILED" };
    println!(
        "  {word}  {}: {} passed, {} failed, {skipped} skipped",
        report.file,
        report.passed,
        report.failures.len()
    );
    for failure in report.failures.iter().take(SHOWN) {
        println!("          - {failure}");
    }
    if report.failures.len() > SHOWN {
        println!("          … and {} more", report.failures.len() - SHOWN);
    }
    for (rule, n) in &report.follows {
        println!("          {n} follow {rule}");
    }
    for (reason, n) in &report.skipped {
        println!("          skipped {n}: {reason}");
    }
}
