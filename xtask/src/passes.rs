//! `cargo xtask passes`: every pass on many random programs, and every expanded operation on many words.

use crate::{Args, Outcome};
use vecasm_conformance::passes::{KINDS, operations, programs};

/// Runs the task.
pub(crate) fn main(args: &[String]) -> Outcome {
    let read = || -> Result<(u64, u64, u64), String> {
        let args = Args::parse(args, &["count", "seed", "vectors"], &[])?;
        Ok((args.number("count", 10_000)?, args.number("seed", 1)?, args.number("vectors", 1_000_000)?))
    };
    let (count, seed, vectors) = match read() {
        Ok(read) => read,
        Err(why) => return Outcome::Usage(why),
    };
    let mut fine = true;
    for (name, kind) in KINDS {
        match programs(count, seed, (name, kind)) {
            Err(what) => {
                println!("programs ({name}): {what}");
                fine = false;
            }
            Ok(lines) => lines.iter().for_each(|line| println!("{line}")),
        }
    }
    if vectors == 0 {
        return Outcome::of(fine);
    }
    match operations(vectors as usize, seed) {
        Err(what) => {
            println!("operations: {what}");
            fine = false;
        }
        Ok(line) => println!("{line}"),
    }
    Outcome::of(fine)
}
