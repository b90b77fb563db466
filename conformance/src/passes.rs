//! Every pass on random programs, and every expanded operation on random words.

#[path = "../../crates/vecasm/tests/passes/check.rs"]
pub(crate) mod check;
#[path = "../../crates/vecasm/tests/passes/operations.rs"]
mod operations;

use crate::oracle::File;
use std::time::Instant;
use vecasm::ir::random::Kind;

/// What random programs may have, with a name.
pub const KINDS: [(&str, Kind); 2] = [("basic", Kind::BASIC), ("all", Kind::ALL)];

/// Random programs that are rows.
const PROGRAMS: u64 = 500;
/// Words of each operation in the row of all operations.
const WORDS: usize = 20_000;

/// Tries every pass on random programs; gives lines that say how many there were and what changed.
///
/// # Errors
///
/// The first program that a pass changes the meaning of.
pub fn programs(count: u64, seed: u64, (name, kind): (&str, Kind)) -> Result<Vec<String>, String> {
    let start = Instant::now();
    let tally = check::programs(count, seed, kind)?;
    let mut lines = vec![format!(
        "programs ({name}): {} ran and {} could not, {} ran out of fuel, {} were demoted; {} nodes, {:.1} s",
        tally.programs,
        tally.unsupported,
        tally.exhausted,
        tally.killed,
        tally.nodes,
        start.elapsed().as_secs_f64()
    )];
    for ((pass, after), changed) in check::PASSES.iter().zip(&tally.after).zip(&tally.changed) {
        let percent = *after as f64 * 100.0 / tally.nodes.max(1) as f64;
        lines.push(format!("  {:<20} changed {changed} programs, {percent:.0} % of the nodes", pass.name));
    }
    Ok(lines)
}

/// Tries every expanded operation on random words; gives a line that says how many there were.
///
/// # Errors
///
/// The first operation that gives other bits.
pub fn operations(vectors: usize, seed: u64) -> Result<String, String> {
    let start = Instant::now();
    let compared = operations::compare(vectors, seed)?;
    let least = compared.iter().map(|(_, n)| n).min().copied().unwrap_or(0);
    let all: usize = compared.iter().map(|(_, n)| n).sum();
    Ok(format!(
        "operations: {} forms, at least {least} vectors each and {all} in all, {:.1} s",
        compared.len(),
        start.elapsed().as_secs_f64()
    ))
}

/// Plans a row for each random program of both kinds, and one for all operations.
pub fn plan<'a>() -> Vec<File<'a>> {
    let mut files = Vec::new();
    for (name, kind) in KINDS {
        let mut file = File::new(name);
        let seeds = (1..=PROGRAMS).map(|seed| (format!("seed{seed}"), seed));
        file.add_all(seeds, move |report, id, &seed| {
            report.case(id, check::programs(1, seed, kind).map(drop));
        });
        files.push(file);
    }
    let mut file = File::new("operations");
    file.add("random words", |report, id| report.case(id, operations::compare(WORDS, 1).map(drop)));
    files.push(file);
    files
}
