//! `cargo xtask wasm`: the engine `lanes` compiled to WebAssembly and run by Node.js gives the bits of the interpreter on this
//! machine, with vectors and without.

use crate::{Args, Outcome, features, root};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use vecasm::exec::interp::Interp;
use vecasm::ir::random::{self, Kind, Rng, Size};
use vecasm::ir::text;
use vecasm_conformance::oracle::validate::programs;

/// What the modules are compiled for.
const TARGET: &str = "wasm32-unknown-unknown";
/// The builds: a name, and features of the target.
const BUILDS: [(&str, &str); 2] = [("plain", ""), ("vectors", "-Ctarget-feature=+simd128")];
/// Invocations of a program: several packs, the last one not full.
const INVOCATIONS: u32 = 1029;

/// One program and its invocations.
struct Case {
    group: &'static str,
    name: String,
    request: Vec<u8>,
    wanted: u64,
}

/// Runs the task.
pub(crate) fn main(args: &[String]) -> Outcome {
    let read = || -> Result<(u64, u64, PathBuf, String), String> {
        let args = Args::parse(args, &["count", "seed", "shared", "only"], &[])?;
        let only = args.value("only").unwrap_or("").to_string();
        Ok((args.number("count", 1000)?, args.number("seed", 1)?, args.shared(), only))
    };
    let (count, seed, shared, only) = match read() {
        Ok(read) => read,
        Err(why) => return Outcome::Usage(why),
    };
    let node = Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success());
    if !(node && features::has_target(TARGET)) {
        let missing = if node { "the target wasm32-unknown-unknown of rustup" } else { "node" };
        let ci = std::env::var_os("CI").is_some();
        println!("{} {missing} is not there", if ci { "FAILED  " } else { "skipped " });
        return Outcome::of(!ci);
    }
    let start = Instant::now();
    let cases = cases(count, seed, &shared);
    println!(
        "{} programs for the interpreter, {INVOCATIONS} invocations each or whole groups: {:.1} s",
        cases.len(),
        start.elapsed().as_secs_f64()
    );
    let mut fine = true;
    for (name, flags) in BUILDS.into_iter().filter(|(name, _)| name.contains(&only)) {
        match compare(&cases, name, flags) {
            Ok(same) => fine &= same,
            Err(why) => {
                println!("FAILED   {name}: {why}");
                fine = false;
            }
        }
    }
    Outcome::of(fine)
}

fn cases(count: u64, seed: u64, shared: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |group, name: String, text: &str| {
        let request = xtask_wasm::request(text, INVOCATIONS, seed.wrapping_add(cases.len() as u64));
        let wanted = xtask_wasm::digest(&Interp, &request);
        cases.push(Case { group, name, request, wanted });
    };
    for program in programs(shared) {
        add(program.isa, program.id, &text::print(&program.shader));
    }
    for number in 0..count {
        let kind = if number % 2 == 0 { Kind::ALL } else { Kind::BASIC };
        let mut rng = Rng::new(seed ^ number << 20);
        let shader = random::program(&mut rng, Size { nodes: 60, depth: 4 }, kind);
        add("random", format!("random {number}"), &text::print(&shader));
    }
    cases
}

/// Builds a module and has it answer; says whether all answers are the wanted ones.
fn compare(cases: &[Case], name: &str, flags: &str) -> Result<bool, String> {
    let folder = root().join("target/wasm").join(name);
    let status = Command::new(env!("CARGO"))
        .args([
            "build",
            "--quiet",
            "--locked",
            "--release",
            "--package",
            "xtask-wasm",
            "--target",
            TARGET,
            "--target-dir",
        ])
        .arg(&folder)
        .env("RUSTFLAGS", flags)
        .current_dir(root())
        .status()
        .map_err(|error| error.to_string())?;
    if !status.success() {
        return Err("it does not compile".into());
    }
    let module = folder.join(TARGET).join("release/xtask_wasm.wasm");
    let requests = folder.join("requests");
    let mut bytes = Vec::new();
    for case in cases {
        bytes.extend((case.request.len() as u32).to_le_bytes());
        bytes.extend(&case.request);
    }
    std::fs::write(&requests, bytes).map_err(|error| format!("{}: {error}", requests.display()))?;
    let start = Instant::now();
    let output = Command::new("node")
        .arg(root().join("xtask/wasm/run.mjs"))
        .args([&module, &requests])
        .output()
        .map_err(|error| format!("node: {error}"))?;
    if !output.status.success() {
        return Err(format!("node: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let answers = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<&str> = answers.lines().collect();
    if answers.len() != cases.len() {
        return Err(format!("{} answers to {} requests", answers.len(), cases.len()));
    }
    let mut groups = BTreeMap::<&str, (usize, usize)>::new();
    let mut shown = 0;
    for (case, answer) in cases.iter().zip(answers) {
        let (same, all) = groups.entry(case.group).or_default();
        *all += 1;
        if answer == format!("{:016x}", case.wanted) {
            *same += 1;
        } else if shown < 20 {
            shown += 1;
            println!("FAILED   {name}: {} gives {answer}, not {:016x}", case.name, case.wanted);
        }
    }
    let same = groups.values().all(|(same, all)| same == all);
    let groups: Vec<String> =
        groups.iter().map(|(group, (same, all))| format!("{group} {same} of {all}")).collect();
    println!(
        "{}  {name}: {} the same, {:.1} s",
        if same { "ok     " } else { "FAILED " },
        groups.join(", "),
        start.elapsed().as_secs_f64()
    );
    Ok(same)
}
