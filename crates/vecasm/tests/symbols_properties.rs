//! What holds for the symbols of every text: of the examples, of the tests, and of real programs where there are some.
//!
//! What symbols say of lanes comes from the tables of instruction sets. The other source that it is compared with is lifting, which
//! notes what each instruction reads and writes while it makes the IR.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vecasm::ir::Stage;
use vecasm::isa::Depth;
use vecasm::symbols::{SymbolKind, Symbols, symbols};
use vecasm::{LiftOptions, NoHost, OpenOptions, Program, open};

const MAX: u64 = 1 << 20;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files below a folder, in order.
fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else if path.metadata().is_ok_and(|data| data.len() <= MAX) {
            out.push(path);
        }
    }
}

/// Calls `check` with every text below folders.
fn each(folders: &[PathBuf], check: &mut dyn FnMut(&str, &str)) -> usize {
    let mut all = Vec::new();
    folders.iter().for_each(|folder| files(folder, &mut all));
    let mut count = 0;
    for path in all {
        let Ok(text) = String::from_utf8(std::fs::read(&path).unwrap_or_default()) else { continue };
        let name = path.to_string_lossy().into_owned();
        count += 1;
        check(&name, &text);
    }
    count
}

fn own() -> Vec<PathBuf> {
    vec![root().join("examples"), root().join("tests")]
}

fn real() -> Vec<PathBuf> {
    vec![root().join("../shared/corpus")]
}

/// What two sources call the same: registers without brackets; of a stage with several vertices all inputs and outputs, and all
/// registers of a file that a computed number chooses.
fn named(program: &Program, name: &str, computed: bool) -> Option<String> {
    let file = name.split('[').next().unwrap_or("");
    let vertices = matches!(program.stage(), Stage::Geometry | Stage::TessControl | Stage::TessEval);
    // The address register and the counter of loops, the position of a pixel, and R12, which is oPos, are no cells.
    if matches!(name, "a0" | "aL" | "vPos" | "vFace" | "r12")
        || matches!(file, "MEMORY" | "BUFFER" | "IMAGE" | "HWATOMIC")
    {
        return None;
    }
    let file = if computed { file.trim_end_matches(|c: char| c.is_ascii_digit()) } else { file };
    if computed || vertices && matches!(file, "IN" | "OUT") {
        return Some(format!("{file}[]"));
    }
    Some(name.replace(['[', ']'], ""))
}

type Accesses = BTreeMap<String, u8>;

/// What each instruction reads and writes as lifting notes it: by number, names without brackets.
fn lifted(program: &Program) -> Option<BTreeMap<u32, (Accesses, Accesses)>> {
    let shader = program.lift(&LiftOptions::default().with_depth(Depth::Full)).ok()?;
    let mut out: BTreeMap<u32, (Accesses, Accesses)> = BTreeMap::new();
    for step in &shader.steps {
        let entry = out.entry(step.source).or_default();
        let note = |all: &mut Accesses, list: &[vecasm::ir::steps::Access]| {
            for access in list {
                let name = named(program, &shader.cell_name(access.cell), access.cell.is_computed());
                let Some(name) = name else { continue };
                *all.entry(name).or_default() |= access.mask.bits();
            }
        };
        note(&mut entry.0, &step.reads);
        note(&mut entry.1, &step.writes);
    }
    Some(out)
}

fn of_symbols(program: &Program, all: &Symbols, spans: &[vecasm::diag::Span]) -> BTreeMap<u32, (Accesses, Accesses)> {
    let mut out: BTreeMap<u32, (Accesses, Accesses)> = BTreeMap::new();
    for symbol in all {
        for it in &symbol.uses {
            if symbol.kind == SymbolKind::Alias || symbol.kind == SymbolKind::Macro {
                continue;
            }
            let n = spans.partition_point(|span| span.start <= it.span.start);
            let Some(n) = n.checked_sub(1) else { continue };
            // Slots of one macro have one place.
            let n = spans.iter().take(n + 1).rposition(|span| *span != spans[n]).map_or(0, |before| before + 1);
            let entry = out.entry(n as u32).or_default();
            if it.lanes.bits() == 0 {
                continue;
            }
            let Some(name) = named(program, &symbol.name, symbol.is_file()) else { continue };
            if it.role.reads() {
                *entry.0.entry(name.clone()).or_default() |= it.lanes.bits();
            }
            if it.role.writes() {
                *entry.1.entry(name.clone()).or_default() |= it.lanes.bits();
            }
        }
    }
    out
}

#[test]
fn probe() {
    let mut folders = own();
    if std::env::var("REAL").is_ok() {
        folders = real();
    }
    let mut shown = 0;
    let mut checked = 0;
    each(&folders, &mut |name, text| {
        if std::env::var("ONLY").is_ok_and(|only| !name.contains(&only)) {
            return;
        }
        let options = OpenOptions::named(name);
        let opened = open(text.as_bytes(), &options, &mut NoHost);
        if opened.programs.len() != 1 {
            return;
        }
        let Ok(program) = opened.program() else { return };
        if program.source().text.is_none() { return };
        let all = symbols(text, &options, &mut NoHost);
        let Some(lifted) = lifted(&program) else { return };
        let spans: Vec<_> = match program.spans() {
            Some(spans) => spans.to_vec(),
            None => program.instruction_spans(text),
        };
        let found = of_symbols(&program, &all, &spans);
        checked += 1;
        let mut joined: BTreeMap<u32, (Accesses, Accesses)> = BTreeMap::new();
        for (n, (reads, writes)) in &lifted {
            let n = *n as usize;
            let Some(own) = spans.get(n) else { continue };
            let first = spans.iter().take(n + 1).rposition(|span| span != own).map_or(0, |before| before + 1);
            let entry = joined.entry(first as u32).or_default();
            for (all, list) in [(&mut entry.0, reads), (&mut entry.1, writes)] {
                list.iter().for_each(|(name, mask)| *all.entry(name.clone()).or_default() |= mask);
            }
        }
        for (n, (reads, writes)) in &joined {
            let empty = Default::default();
            let own = found.get(n).unwrap_or(&empty);
            if (&own.0, &own.1) != (reads, writes) && shown < 60 {
                let span = spans.get(*n as usize).copied().unwrap_or_default();
                let says = text.get(span.start as usize..span.end as usize).unwrap_or("?");
                let old = says.contains("tex") && own.1 == *writes && own.0.keys().eq(reads.keys());
                if old || says.starts_with('.') || says.starts_with("rep ") { continue; }
                shown += 1;
                println!("{}: `{}`\n   lifted {reads:?} => {writes:?}\n   ours   {:?} => {:?}", name.rsplit('/').next().unwrap(), says, own.0, own.1);
            }
        }
    });
    println!("{checked} programs");
}
