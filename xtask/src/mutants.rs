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
    (Isa::Tgsi, "examples/tgsi/verdigris.frag.tgsi", 14, 20),
    (Isa::Tgsi, "examples/tgsi/verdigris.vert.tgsi", 10, 0),
    (Isa::Tgsi, "examples/tgsi/glass.frag.tgsi", 6, 1),
    (Isa::Tgsi, "xtask/src/mutants/steps.vert.tgsi", 10, 6),
];

/// Runs the task.
pub(crate) fn main(args: &[String]) -> Outcome {
    let parsed = Args::parse(args, &["seed", "only"], &[]);
    let parsed =
        parsed.and_then(|args| Ok((args.number("seed", 1)?, args.value("only").map(str::to_string))));
    let (seed, only) = match parsed {
        Ok(parsed) => parsed,
        Err(why) => return Outcome::Usage(why),
    };
    let chosen = |path: &str| only.as_deref().is_none_or(|part| path.contains(part));
    let folder = root().join("tests/eqv");
    if let Err(why) = std::fs::create_dir_all(&folder) {
        return Outcome::Usage(format!("{}: {why}", folder.display()));
    }
    let (mut mutants, mut rewrites) = (0, 0);
    for (n, &(isa, path, many, again)) in
        PROGRAMS.iter().enumerate().filter(|(_, (_, path, ..))| chosen(path))
    {
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

/// A text of TGSI without the numbers of its instructions and without labels, which follow from where its lines stand: lines
/// can be dropped, doubled and moved.
fn unnumbered(text: &str) -> String {
    let plain = |line: &str| {
        let number = |n: &str| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit());
        let line = line.trim();
        let line = line.split_once(": ").filter(|(n, _)| number(n)).map_or(line, |(_, rest)| rest.trim());
        let line = line.rsplit_once(" :").filter(|(_, n)| number(n)).map_or(line, |(front, _)| front);
        format!("{line}\n")
    };
    text.lines().map(plain).collect()
}

/// The text of a test file, and the number of mutants in it.
fn file(isa: Isa, path: &str, many: usize, again: u64, seed: u64) -> Result<(String, usize), String> {
    let source = std::fs::read_to_string(root().join(path)).map_err(|e| e.to_string())?;
    let (program, findings) = AnyProgram::parse(isa, &source, None, None);
    let program = program.ok_or_else(|| format!("does not assemble: {findings:?}"))?;
    let dialects = isa.dialects();
    let body = dialects.first().and_then(|dialect| program.print(dialect)).ok_or("cannot be printed")?;
    let body = if isa == Isa::Tgsi { unnumbered(&body) } else { body };
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
