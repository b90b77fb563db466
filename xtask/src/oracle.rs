//! `cargo xtask oracle`: the corpus and the recorded results of real peers, run against the library.

use crate::{Args, Outcome};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use vecasm::isa::Isa;
use vecasm_conformance::oracle::{CHECKS, Check, Report, run};

/// Failures printed for each file.
const SHOWN: usize = 20;

pub(crate) fn main(args: &[String]) -> Outcome {
    let args = match Args::parse(args, &["shared", "format", "only"], &["notes"]) {
        Ok(args) => args,
        Err(why) => return Outcome::Usage(why),
    };
    let json = match args.value("format") {
        None | Some("text") => false,
        Some("json") => true,
        Some(other) => return Outcome::Usage(format!("--format is text or json, not {other}")),
    };
    let mut isas: Vec<&str> = args.alone().iter().map(String::as_str).collect();
    let known: BTreeSet<&str> =
        Isa::ALL.iter().map(|isa| isa.name()).chain(CHECKS.iter().map(|check| check.isa)).collect();
    if let Some(unknown) = isas.iter().find(|isa| !known.contains(*isa)) {
        return Outcome::Usage(format!("no instruction set is called {unknown}"));
    }
    if isas.is_empty() {
        isas = known.into_iter().collect();
    }
    let shared = args.shared();
    if !shared.join("corpus").is_dir() && !shared.join("oracle").is_dir() {
        return Outcome::Usage(format!("{} has neither a corpus nor an oracle folder", shared.display()));
    }
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let mut read = BTreeSet::new();
    let only = args.value("only").unwrap_or("");
    let is_chosen = |check: &&Check| isas.contains(&check.isa) && check.name.contains(only);
    let chosen: Vec<Check> = CHECKS.iter().filter(is_chosen).copied().collect();
    run(&shared, &chosen, |report| {
        print_report(&report, json);
        if args.flag("notes") {
            report.notes.iter().for_each(|note| println!("          note: {note}"));
        }
        if let Some(file) = report.file.split(' ').next() {
            read.insert(file.to_string());
        }
        passed += report.passed;
        failed += report.failures.len() as u64;
        skipped += count(&report.skipped);
    });
    std::panic::set_hook(hook);
    for isa in isas.iter().filter(|_| only.is_empty()) {
        for file in unread(&shared, isa, &read) {
            if json {
                println!("{}", json!({"file": file, "unread": true}));
            } else {
                println!("  unread  {file}: no check reads it");
            }
        }
    }
    if json {
        println!("{}", json!({"file": "total", "passed": passed, "failed": failed, "skipped": skipped}));
    } else {
        println!("total: {passed} passed, {failed} failed, {skipped} skipped");
    }
    Outcome::of(failed == 0)
}

fn count(list: &[(String, u64)]) -> u64 {
    list.iter().map(|(_, n)| n).sum()
}

/// The `.jsonl` files of an oracle folder that no check has read.
fn unread(shared: &Path, isa: &str, read: &BTreeSet<String>) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(shared.join("oracle").join(isa)) else { return Vec::new() };
    let mut out: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".jsonl"))
        .map(|name| format!("oracle/{isa}/{name}"))
        .filter(|file| !read.contains(file))
        .collect();
    out.sort();
    out
}

fn print_report(report: &Report, json: bool) {
    let skipped = count(&report.skipped);
    if json {
        let reasons: Vec<Value> =
            report.skipped.iter().map(|(reason, n)| json!({"reason": reason, "cases": n})).collect();
        let follows: Vec<Value> =
            report.follows.iter().map(|(rule, n)| json!({"rule": rule, "cases": n})).collect();
        println!(
            "{}",
            json!({
                "file": report.file, "absent": report.absent, "passed": report.passed,
                "failed": report.failures.len(), "skipped": skipped, "skip_reasons": reasons, "follows": follows,
                "failures": &report.failures[..report.failures.len().min(SHOWN)],
            })
        );
        return;
    }
    if report.absent {
        println!("  absent  {}", report.file);
        return;
    }
    let word = if report.failures.is_empty() { "    ok" } else { "FAILED" };
    println!(
        "  {word}  {}: {} passed, {} failed, {skipped} skipped",
        report.file,
        report.passed,
        report.failures.len()
    );
    for failure in report.failures.iter().take(SHOWN) {
        println!("          - {failure}");
    }
    if report.failures.len() > SHOWN {
        println!("          … and {} more", report.failures.len() - SHOWN);
    }
    for (rule, n) in &report.follows {
        println!("          {n} follow {rule}");
    }
    for (reason, n) in &report.skipped {
        println!("          skipped {n}: {reason}");
    }
}
