//! `cargo xtask mutate`: damaged programs through every property. What is asked is said in `conformance/src/mutate.rs`.

use crate::{Args, Outcome};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};
use vecasm::isa::to_hex;
use vecasm_conformance::mutate::{Event, Options, run};
use vecasm_conformance::seeds::Material;

/// How many seconds end the task, unless `--patience` says so.
const PATIENCE: u64 = 60;
/// Without a terminal for a bar, how far it is is printed after so many rounds.
const TOLD: u64 = 50_000;

pub(crate) fn main(args: &[String]) -> Outcome {
    let parsed =
        Args::parse(args, &["count", "seed", "shared", "only", "patience", "part"], &[]).and_then(|args| {
            let options = Options {
                count: args.number("count", 100_000)?,
                seed: args.number("seed", 1)?,
                part: args.value("part").map_or(Ok((0, 1)), part)?,
                only: args.value("only").unwrap_or("").to_string(),
                patience: Duration::from_secs(args.number("patience", PATIENCE)?),
            };
            Ok((args, options))
        });
    let (args, options) = match parsed {
        Ok(parsed) => parsed,
        Err(why) => return Outcome::Usage(why),
    };
    let material = match Material::gather(&args.shared()) {
        Ok(material) => material,
        Err(why) => return Outcome::Usage(why),
    };
    let count = options.count;
    println!("{count} mutations, seed {}, of {}", options.seed, material.summary());
    let bar = ProgressBar::new(count);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg} {eta}") {
        bar.set_style(style);
    }
    let start = Instant::now();
    let summary = run(&options, &material, &mut |event| match event {
        Event::Failure { what, why, input } => {
            bar.suspend(|| println!("  FAILED  {what}: {why}\n    {}", to_hex(input)));
        }
        Event::Round(n, failures) => {
            if n % 512 == 1 {
                bar.set_position(n - 1);
            }
            if n % TOLD == 0 && bar.is_hidden() {
                println!("  {n} of {count}, {failures} failures, {:.0} s", start.elapsed().as_secs_f64());
            }
        }
    });
    bar.finish_and_clear();
    print!("{summary}");
    Outcome::of(summary.is_fine())
}

/// Reads `1/2`: which part of how many, counted from 0.
fn part(text: &str) -> Result<(u64, u64), String> {
    let numbers =
        text.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
    match numbers {
        Some((part @ 1.., parts)) if part <= parts => Ok((part - 1, parts)),
        _ => Err(format!("--part {text}: expected a number and how many there are, such as 1/2")),
    }
}
