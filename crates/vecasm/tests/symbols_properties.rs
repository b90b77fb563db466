//! What holds for the symbols of every text: of the examples, of the tests, and of real programs where there are some.
//!
//! What symbols say of lanes comes from the tables of instruction sets. The other source that it is compared with is lifting, which
//! notes what each instruction reads and writes while it makes the IR.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vecasm::ir::steps::Cell;
use vecasm::isa::Depth;
use vecasm::symbols::{By, Role, SymbolKind, Symbols, symbols};
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

type Accesses = BTreeMap<String, u8>;

/// What each instruction reads and writes as lifting notes it: by number, names without brackets.
fn lifted(program: &Program) -> Option<BTreeMap<u32, (Accesses, Accesses)>> {
    let shader = program.lift(&LiftOptions::default().with_depth(Depth::Full)).ok()?;
    let mut out: BTreeMap<u32, (Accesses, Accesses)> = BTreeMap::new();
    for step in &shader.steps {
        let entry = out.entry(step.source).or_default();
        let mut note = |all: &mut Accesses, list: &[vecasm::ir::steps::Access]| {
            for access in list {
                let name = shader.cell_name(access.cell);
                let name = if access.cell.is_computed() || matches!(access.cell, Cell::LocalAt(..)) {
                    format!("{}[]", name.split('[').next().unwrap_or(""))
                } else {
                    name
                };
                *all.entry(name).or_default() |= access.mask.bits();
            }
        };
        note(&mut entry.0, &step.reads);
        note(&mut entry.1, &step.writes);
    }
    Some(out)
}

fn of_symbols(all: &Symbols, spans: &[vecasm::diag::Span]) -> BTreeMap<u32, (Accesses, Accesses)> {
    let mut out: BTreeMap<u32, (Accesses, Accesses)> = BTreeMap::new();
    for symbol in all {
        for it in &symbol.uses {
            if symbol.kind == SymbolKind::Alias || symbol.kind == SymbolKind::Macro {
                continue;
            }
            let n = spans.partition_point(|span| span.start <= it.span.start);
            let Some(n) = n.checked_sub(1) else { continue };
            let entry = out.entry(n as u32).or_default();
            if it.role.reads() {
                *entry.0.entry(symbol.name.clone()).or_default() |= it.lanes.bits();
            }
            if it.role.writes() {
                *entry.1.entry(symbol.name.clone()).or_default() |= it.lanes.bits();
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
        let found = of_symbols(&all, &spans);
        checked += 1;
        for (n, (reads, writes)) in &lifted {
            let empty = Default::default();
            let own = found.get(n).unwrap_or(&empty);
            if (&own.0, &own.1) != (reads, writes) && shown < 60 {
                shown += 1;
                let span = spans.get(*n as usize).copied().unwrap_or_default();
                let says = text.get(span.start as usize..span.end as usize).unwrap_or("?");
                println!("{}: `{}`\n   lifted {reads:?} => {writes:?}\n   ours   {:?} => {:?}", name.rsplit('/').next().unwrap(), says, own.0, own.1);
            }
        }
    });
    println!("{checked} programs");
}
