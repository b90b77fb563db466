//! `cargo xtask mutants`: makes the files of `tests/eqv/` from our own programs.

#[path = "../../tests/mutants.rs"]
mod made;

use crate::{Args, Outcome, root};
use made::{KINDS, Mutant, Random, mutant, rewrite, shader};
use std::fmt::Write as _;
use vecasm::compare::eqv::{Options, Verdict, eqv};
use vecasm::isa::{AnyProgram, Isa};

/// The programs, and how many mutants and rewrites of each.
const PROGRAMS: &[(Isa, &str, usize, u64)] = &[
    (Isa::Agal, "examples/agal/knot.frag.agal", 8, 8),
    (Isa::Agal, "examples/agal/planet.frag.agal", 8, 8),
    (Isa::Agal, "examples/agal/torus.vert.agal", 8, 8),
    (Isa::Agal, "examples/agal/chrome.frag.agal", 8, 8),
    (Isa::Agal, "examples/agal/cel.frag.agal", 8, 8),
    (Isa::Agal, "examples/agal/marble.frag.agal", 8, 8),
    (Isa::Agal, "examples/agal/crates.vert.agal", 8, 8),
    (Isa::Agal, "examples/agal/galaxy.vert.agal", 8, 8),
    (Isa::Agal, "examples/agal/lantern.frag.agal", 8, 8),
    (Isa::D3d9, "examples/d3d9/arcade.frag.d3d9", 12, 20),
    (Isa::D3d9, "examples/d3d9/arcade.vert.d3d9", 10, 12),
    (Isa::D3d9, "examples/d3d9/body.vert.d3d9", 10, 12),
    (Isa::D3d9, "examples/d3d9/lacquer.frag.d3d9", 12, 0),
    (Isa::D3d9, "examples/d3d9/lacquer.vert.d3d9", 10, 12),
    (Isa::D3d9, "examples/d3d9/pond.frag.d3d9", 8, 4),
    (Isa::D3d9, "examples/d3d9/pond.vert.d3d9", 8, 10),
    (Isa::D3d9, "examples/d3d9/print.frag.d3d9", 8, 2),
    (Isa::Nv2a, "examples/nv2a/mist.vsh", 18, 20),
    (Isa::Nv2a, "examples/nv2a/pearl.vsh", 18, 20),
    (Isa::Nv2a, "examples/nv2a/serpent.vsh", 18, 20),
];

/// Runs the task.
pub(crate) fn main(args: &[String]) -> Outcome {
    let seed = match Args::parse(args, &["seed"], &[]).and_then(|args| args.number("seed", 1)) {
        Ok(seed) => seed,
        Err(why) => return Outcome::Usage(why),
    };
    let folder = root().join("tests/eqv");
    if let Err(why) = std::fs::create_dir_all(&folder) {
        return Outcome::Usage(format!("{}: {why}", folder.display()));
    }
    let (mut mutants, mut rewrites) = (0, 0);
    for (n, &(isa, path, many, again)) in PROGRAMS.iter().enumerate() {
        match file(isa, path, many, again, seed.wrapping_mul(1000) + n as u64) {
            Ok((text, count)) => {
                let name = path.rsplit('/').next().unwrap_or(path);
                let to = folder.join(format!("{name}.eqv"));
                if let Err(why) = std::fs::write(&to, text) {
                    return Outcome::Usage(format!("{}: {why}", to.display()));
                }
                println!("{name}: {count} mutants, {again} rewrites");
                mutants += count;
                rewrites += again;
            }
            Err(why) => return Outcome::Usage(format!("{path}: {why}")),
        }
    }
    println!("{mutants} mutants, {rewrites} rewrites");
    Outcome::Fine
}

/// The text of a test file, and the number of mutants in it.
fn file(isa: Isa, path: &str, many: usize, again: u64, seed: u64) -> Result<(String, usize), String> {
    let source = std::fs::read_to_string(root().join(path)).map_err(|e| e.to_string())?;
    let (program, findings) = AnyProgram::parse(isa, &source, None, None);
    let program = program.ok_or_else(|| format!("does not assemble: {findings:?}"))?;
    let dialects = isa.dialects();
    let body = dialects.first().and_then(|dialect| program.print(dialect)).ok_or("cannot be printed")?;
    let (_, original) = shader(isa, &body)?;
    let mut out = format!(
        "// test: eqv {}\n// {path} in its lossless form, made by `cargo xtask mutants`.\n",
        isa.name()
    );
    let mut random = Random::new(seed);
    let (mut count, mut tried) = (0, 0);
    let mut seen = Vec::new();
    while count < many && tried < many * 20 {
        let kind = KINDS[(tried + seed as usize) % KINDS.len()];
        tried += 1;
        let Some((mutant, witness)) = mutant(isa, &body, kind, &mut random) else { continue };
        if seen.contains(&mutant.print()) {
            continue;
        }
        // What is written down is read back.
        Mutant::parse(&mutant.print()).and_then(|mutant| mutant.apply(&body))?;
        seen.push(mutant.print());
        let _ = write!(out, "// mutant: {}\n// witness: {}\n", mutant.print(), witness.print());
        count += 1;
    }
    // How many of the rewrites are proved is written down, so that it cannot get worse unseen.
    let (mut made, mut proved, mut at) = (0, 0, 0);
    while made < again && at < again * 20 + 20 {
        at += 1;
        let Some((changed, how)) = rewrite(isa, &body, at) else { continue };
        made += 1;
        let (_, other) = shader(isa, &changed)?;
        let report = eqv(&original, &other, &Options { count: 2048, ..Options::default() });
        match report.map_err(|e| e.to_string())?.verdict {
            Verdict::Proved(_) => proved += 1,
            Verdict::NoDifference => println!("{path}: rewrite {at} ({}) is not proved", how.join(", ")),
            Verdict::Different(_) => {
                println!("{path}: rewrite {at} ({}) is called different", how.join(", "));
            }
        }
    }
    if made < again {
        return Err(format!("only {made} of {again} rewrites could be made"));
    }
    if again > 0 {
        let _ = write!(out, "// rewrites: {again}\n// proved: {proved}\n");
    }
    Ok((out + &body, count))
}
