//! `cargo xtask validate`: the corpus in every target, judged by validators of that target, as a table.
//!
//! Who judges what, and when something is wrong, is said in `conformance/src/validate.rs`.

use crate::{Args, Outcome, root};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;
use vecasm::emit::options::Style;
use vecasm_conformance::oracle::validate::programs;
use vecasm_conformance::statements::median;
use vecasm_conformance::validate::{Cell, Cells, Judges, TARGETS, judge};

/// Failures printed for each cell.
const SHOWN: usize = 12;

pub(crate) fn main(args: &[String]) -> Outcome {
    let args = match Args::parse(args, &["shared", "format", "only", "target", "style", "judges"], &[]) {
        Ok(args) => args,
        Err(why) => return Outcome::Usage(why),
    };
    let start = Instant::now();
    let style = match args.value("style") {
        None | Some("folded") => Style::Folded,
        Some("plain") => Style::Plain,
        Some(other) => return Outcome::Usage(format!("there is no style {other}")),
    };
    let hlsl = args.value("judges").map_or_else(|| root().join("target/hlsl-judges"), PathBuf::from);
    let judges = match Judges::find(&hlsl, style) {
        Ok(judges) => judges,
        Err(why) => return Outcome::Usage(why),
    };
    let mut all = programs(&args.shared());
    if let Some(only) = args.value("only") {
        all.retain(|program| program.isa == only || program.id.contains(only));
    }
    let cells = match judge(&all, &judges, args.value("target")) {
        Ok(cells) => cells,
        Err(why) => return Outcome::Usage(why),
    };
    let fine = cells.values().all(|cell| cell.wrong.is_empty());
    if args.value("format") == Some("json") {
        println!("{:#}", as_json(&cells, &judges));
    } else {
        print_table(&cells, &judges, all.len(), start.elapsed().as_secs_f64());
    }
    let wanted =
        [("spirv-val", &judges.spirv_val), ("glslangValidator", &judges.glslang), ("g++", &judges.cxx)];
    let missing = std::env::var_os("CI").is_some() && wanted.iter().any(|(_, judge)| judge.is_none());
    for (name, _) in wanted.iter().filter(|(_, judge)| missing && judge.is_none()) {
        eprintln!("{name} is not on the path, and this is CI");
    }
    Outcome::of(fine && !missing)
}

fn print_table(cells: &Cells, judges: &Judges, programs: usize, seconds: f64) {
    println!(
        "{:<5} {:<18} {:>8} {:>9} {:>8} {:>6} {:>9}",
        "", "target", "accepted", "run equal", "refused", "wrong", "unchecked"
    );
    for ((isa, target), cell) in cells {
        let refused: u64 = cell.refused.values().sum();
        let name = TARGETS[*target].name();
        let (wrong, reasons) = (cell.wrong.len(), reasons(cell));
        println!(
            "{isa:<5} {name:<18} {:>8} {:>9} {refused:>8} {wrong:>6} {:>9}{reasons}",
            cell.accepted,
            if TARGETS[*target].runs() { cell.ran.to_string() } else { String::new() },
            cell.unchecked
        );
    }
    print_lengths(cells);
    for ((isa, target), cell) in cells {
        for why in cell.wrong.iter().take(SHOWN) {
            println!("WRONG {isa} to {}: {why}", TARGETS[*target].name());
        }
    }
    judges.missing().iter().for_each(|said| println!("{said}"));
    println!("{programs} programs, {seconds:.1} s");
}

/// Statements an instruction, as medians.
fn print_lengths(cells: &Cells) {
    let mut rows: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((isa, target), cell) in cells.iter().filter(|(_, cell)| !cell.lengths.is_empty()) {
        let median = median(&mut cell.lengths.clone());
        rows.entry(isa).or_default().push(format!("{} {median:.2}", TARGETS[*target].name()));
    }
    for (isa, row) in rows {
        println!("statements an instruction, median: {isa} to {}", row.join(", "));
    }
    for ((isa, target), cell) in cells.iter().filter(|(_, cell)| !cell.sizes.is_empty()) {
        let median = median(&mut cell.sizes.clone());
        println!("words for one of spirv-opt -O, median: {isa} to {} {median:.3}", TARGETS[*target].name());
    }
}

fn reasons(cell: &Cell) -> String {
    let list: Vec<String> = cell.refused.iter().map(|(id, n)| format!("{id} {n}")).collect();
    if list.is_empty() { String::new() } else { format!("  {}", list.join(", ")) }
}

fn as_json(cells: &Cells, judges: &Judges) -> Value {
    let rows: Vec<Value> = cells
        .iter()
        .map(|((isa, target), cell)| {
            json!({
                "isa": isa,
                "target": TARGETS[*target].name(),
                "accepted": cell.accepted,
                "refused": cell.refused,
                "wrong": cell.wrong,
                "unchecked": cell.unchecked,
                "ran": cell.ran,
                "not_run": cell.not_run,
                "statements_an_instruction": median(&mut cell.lengths.clone()),
                "words_for_one_optimized": median(&mut cell.sizes.clone()),
            })
        })
        .collect();
    let glslang = judges.glslang.is_some();
    json!({ "spirv_val": judges.spirv_val.is_some(), "glslang": glslang, "tint": judges.tint.is_some(), "cells": rows })
}
