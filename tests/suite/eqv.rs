//! Test files of the kind `eqv`: mutants that `eqv` has to find without seeing their witnesses, and rewrites that it must
//! not call different. Those of the kind `pair`: programs of two instruction sets, and what `vecasm eqv` says of them.

use crate::case::{Case, Kind};
use crate::mutants::{Mutant, Witness, differ, rewrite, shader};
use std::path::Path;
use std::process::Command;
use vecasm::compare::eqv::{Options, Verdict, eqv};
use vecasm::isa::Isa;

pub(crate) const KINDS: &[Kind] = &[
    Kind { word: "eqv", directives: &["mutant", "witness", "rewrites", "proved"], run },
    Kind { word: "pair", directives: &["eqv", "says", "file"], run: run_pair },
];

fn run(case: &Case) -> Result<(), String> {
    let name = case.words.get(1).ok_or("which instruction set? `// test: eqv ISA`")?;
    let isa = name.parse::<Isa>().map_err(|_| format!("{name} is no instruction set"))?;
    let text = &case.body;
    let (_, original) = shader(isa, text)?;
    let mutants: Vec<_> = case.directives.iter().filter(|d| d.key == "mutant").collect();
    let witnesses: Vec<_> = case.directives.iter().filter(|d| d.key == "witness").collect();
    if mutants.len() != witnesses.len() {
        return Err(format!("{} mutants and {} witnesses", mutants.len(), witnesses.len()));
    }
    let options = Options { count: 2048, ..Options::default() };
    for (directive, witness) in mutants.iter().zip(witnesses) {
        let at = |what: String| format!("line {}: {what}", directive.line);
        let mutant = Mutant::parse(&directive.value).map_err(at)?;
        let (_, other) = shader(isa, &mutant.apply(text).map_err(at)?).map_err(at)?;
        let witness = Witness::parse(&witness.value).map_err(at)?;
        if !differ(&original, &other, &witness).map_err(at)? {
            return Err(at("the witness shows no difference".into()));
        }
        let report = eqv(&original, &other, &options).map_err(|e| at(e.to_string()))?;
        if !matches!(report.verdict, Verdict::Different(_)) {
            return Err(at(format!("not found: {:?} after {} invocations", report.verdict, report.tried)));
        }
    }
    let number = |key: &str| -> Result<u64, String> {
        let found = case.one(key)?;
        found.map_or(Ok(0), |d| {
            d.value.parse().map_err(|_| format!("line {}: {} is no number", d.line, d.value))
        })
    };
    let (rewrites, least) = (number("rewrites")?, number("proved")?);
    let (mut made, mut proved, mut seed) = (0, 0, 0);
    // Most of them are proved; the others need not run as long as what has to be found.
    let options = Options { count: 512, ..options };
    while made < rewrites {
        seed += 1;
        if seed > rewrites * 20 + 20 {
            return Err(format!("only {made} rewrites could be made"));
        }
        let Some((changed, how)) = rewrite(isa, text, seed) else { continue };
        made += 1;
        let (_, other) = shader(isa, &changed)?;
        let report = eqv(&original, &other, &options).map_err(|e| format!("rewrite {seed} {how:?}: {e}"))?;
        match report.verdict {
            Verdict::Different(example) => {
                return Err(format!(
                    "rewrite {seed} ({}) is called different: {:?}\n{changed}",
                    how.join(", "),
                    example.difference
                ));
            }
            Verdict::Proved(_) => proved += 1,
            Verdict::NoDifference => {}
        }
    }
    if proved < least {
        return Err(format!("{proved} of {rewrites} rewrites are proved, {least} were"));
    }
    if mutants.is_empty() && rewrites == 0 { Err("nothing to compare with".into()) } else { Ok(()) }
}

/// Runs the command on the files of a case.
fn run_pair(case: &Case) -> Result<(), String> {
    let name =
        case.path.as_deref().and_then(Path::file_stem).map_or("manual".into(), |s| s.to_string_lossy());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pair-{name}"));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let mut parts = case.text.split("\n// file: ");
    parts.next();
    for part in parts {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        std::fs::write(folder.join(name.trim()), text).map_err(|e| e.to_string())?;
    }
    let mut last = None;
    for d in case.directives.iter().filter(|d| d.key != "file") {
        let at = |what: String| format!("line {}: {what}", d.line);
        if d.key == "says" {
            let said: &str = last.as_deref().ok_or_else(|| at("no `eqv` line above".into()))?;
            if !said.contains(&d.value) {
                return Err(at(format!("not said:\n{said}")));
            }
            continue;
        }
        let (args, wanted) = d.value.split_once(" -> ").ok_or_else(|| at("expected ARGS -> TEXT".into()))?;
        let output = Command::new(env!("CARGO_BIN_EXE_vecasm"))
            .arg("eqv")
            .args(args.split_whitespace())
            .current_dir(&folder)
            .output()
            .map_err(|e| e.to_string())?;
        let [out, errors] = [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b).into_owned());
        let said = out + &errors;
        if !said.starts_with(wanted) {
            return Err(at(format!("found:\n{said}")));
        }
        last = Some(said);
    }
    if last.is_none() { Err("no `eqv` line".into()) } else { Ok(()) }
}
