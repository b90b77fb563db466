//! `cargo xtask validate`: the corpus in every target, judged by validators of that target, as a table.
//!
//! Edited containers before readers of others are the lines that begin with `files`; `--target containers` has them alone.
//!
//! Who judges what, and when something is wrong, is said in `conformance/src/validate.rs`.

use crate::{Args, Outcome, root};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use vecasm::emit::options::Style;
use vecasm_conformance::oracle::Report;
use vecasm_conformance::oracle::validate::programs;
use vecasm_conformance::statements::median;
use vecasm_conformance::validate::{Cell, Cells, Judges, TARGETS, edits, judge};

/// What `--target` and `--only` call edited containers.
const CONTAINERS: &str = "containers";

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
        Ok(judges) => Arc::new(judges),
        Err(why) => return Outcome::Usage(why),
    };
    let (only, target) = (args.value("only"), args.value("target"));
    // Containers are in no language: they are a target of their own.
    let containers = target.is_none_or(|target| target == CONTAINERS);
    let mut all = if target == Some(CONTAINERS) { Vec::new() } else { programs(&args.shared()) };
    if let Some(only) = only {
        all.retain(|program| program.isa == only || program.id.contains(only));
    }
    let cells = match judge(&all, &judges, target) {
        Ok(cells) => cells,
        Err(why) => return Outcome::Usage(why),
    };
    let mut reports = Vec::new();
    if containers && only.is_none_or(|only| only == CONTAINERS) {
        reports.extend(edits::plan(&args.shared(), &judges).iter().map(|file| file.evaluate_all()));
    }
    let fine = cells.values().all(|cell| cell.wrong.is_empty())
        && reports.iter().all(|report| report.failures.is_empty());
    if args.value("format") == Some("json") {
        println!("{:#}", as_json(&cells, &reports, &judges));
    } else {
        print_table(&cells, &reports, &judges);
        println!("{} programs, {:.1} s", all.len(), start.elapsed().as_secs_f64());
    }
    let wanted = [
        ("spirv-val", &judges.spirv_val),
        ("glslangValidator", &judges.glslang),
        ("g++", &judges.cxx),
        ("D3DX of Wine", &judges.d3dx),
        ("python3", &judges.python),
    ];
    let missing = std::env::var_os("CI").is_some() && wanted.iter().any(|(_, judge)| judge.is_none());
    for (name, _) in wanted.iter().filter(|(_, judge)| missing && judge.is_none()) {
        eprintln!("{name} is missing, and this is CI");
    }
    Outcome::of(fine && !missing)
}

fn print_table(cells: &Cells, reports: &[Report], judges: &Judges) {
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
    for report in reports {
        let skipped: u64 = report.skipped.iter().map(|(_, n)| n).sum();
        let mut reasons: Vec<String> = report.skipped.iter().map(|(why, n)| format!("{why}: {n}")).collect();
        if report.absent {
            reasons.push("the shared folder has no such files".into());
        }
        println!(
            "files {:<18} {:>8} {:>9} {:>8} {:>6} {skipped:>9}  {}",
            report.file,
            report.passed,
            "",
            "",
            report.failures.len(),
            reasons.join(", ")
        );
    }
    print_lengths(cells);
    for report in reports {
        report.failures.iter().take(SHOWN).for_each(|why| println!("WRONG {}: {why}", report.file));
    }
    for ((isa, target), cell) in cells {
        for why in cell.wrong.iter().take(SHOWN) {
            println!("WRONG {isa} to {}: {why}", TARGETS[*target].name());
        }
    }
    judges.missing().iter().for_each(|said| println!("{said}"));
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

fn as_json(cells: &Cells, reports: &[Report], judges: &Judges) -> Value {
    let files: Vec<Value> = reports
        .iter()
        .map(|report| {
            json!({
                "reader": report.file, "accepted": report.passed, "wrong": report.failures,
                "unchecked": report.skipped,
            })
        })
        .collect();
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
    json!({ "spirv_val": judges.spirv_val.is_some(), "glslang": glslang, "tint": judges.tint.is_some(), "cells": rows, "files": files })
}
