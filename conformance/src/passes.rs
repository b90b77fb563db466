//! `cargo xtask passes`: every pass on many random programs, and every expanded operation on many words.

#[path = "../../crates/vecasm/tests/passes/check.rs"]
pub(crate) mod check;
#[path = "../../crates/vecasm/tests/passes/operations.rs"]
mod operations;

use crate::{Args, Outcome};
use std::time::Instant;
use vecasm::ir::random::Kind;

/// Runs the task.
pub fn main(args: &[String]) -> Outcome {
    let read = || -> Result<(u64, u64, u64), String> {
        let args = Args::parse(args, &["count", "seed", "vectors"], &[])?;
        Ok((args.number("count", 10_000)?, args.number("seed", 1)?, args.number("vectors", 1_000_000)?))
    };
    let (count, seed, vectors) = match read() {
        Ok(read) => read,
        Err(why) => return Outcome::Usage(why),
    };
    let mut fine = true;
    for (name, kind) in [("basic", Kind::BASIC), ("all", Kind::ALL)] {
        let start = Instant::now();
        match check::programs(count, seed, kind) {
            Err(what) => {
                println!("programs ({name}): {what}");
                fine = false;
            }
            Ok(tally) => {
                println!(
                    "programs ({name}): {} ran and {} could not, {} ran out of fuel, {} were demoted; {} nodes, {:.1} s",
                    tally.programs,
                    tally.unsupported,
                    tally.exhausted,
                    tally.killed,
                    tally.nodes,
                    start.elapsed().as_secs_f64()
                );
                for ((pass, after), changed) in check::PASSES.iter().zip(&tally.after).zip(&tally.changed) {
                    let percent = *after as f64 * 100.0 / tally.nodes.max(1) as f64;
                    println!("  {:<20} changed {changed} programs, {percent:.0} % of the nodes", pass.name);
                }
            }
        }
    }
    if vectors == 0 {
        return Outcome::of(fine);
    }
    let start = Instant::now();
    match operations::compare(vectors as usize, seed) {
        Err(what) => {
            println!("operations: {what}");
            fine = false;
        }
        Ok(compared) => {
            let least = compared.iter().map(|(_, n)| n).min().copied().unwrap_or(0);
            let all: usize = compared.iter().map(|(_, n)| n).sum();
            println!(
                "operations: {} forms, at least {least} vectors each and {all} in all, {:.1} s",
                compared.len(),
                start.elapsed().as_secs_f64()
            );
        }
    }
    Outcome::of(fine)
}
