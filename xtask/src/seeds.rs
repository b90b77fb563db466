//! `cargo xtask seeds`: what the fuzz targets begin with, from the test files, the examples and the corpus.
//!
//! Each target of `fuzz/` gets a folder of its name, with a file for each seed of the kind that it takes, named by its
//! content. `cargo xtask mutate` damages the same seeds.

use crate::{Args, Outcome, root};
use vecasm_conformance::seeds::Material;

pub(crate) fn main(args: &[String]) -> Outcome {
    let args = match Args::parse(args, &["shared", "out"], &[]) {
        Ok(args) => args,
        Err(why) => return Outcome::Usage(why),
    };
    let out = args.value("out").map_or_else(|| root().join("fuzz/corpus"), Into::into);
    match Material::gather(&args.shared()).and_then(|material| material.write(&out)) {
        Ok((count, targets)) => {
            println!("{count} seeds of {targets} targets in {}", out.display());
            Outcome::of(true)
        }
        Err(why) => Outcome::Usage(why),
    }
}
