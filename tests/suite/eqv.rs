//! Test files of the kind `eqv`: mutants that `eqv` has to find without seeing their witnesses, and rewrites that it must
//! not call different.

use crate::case::{Case, Kind};
use crate::mutants::{Mutant, Witness, differ, rewrite, shader};
use vecasm::compare::eqv::{Options, Verdict, eqv};
use vecasm::isa::Isa;

pub(crate) const KINDS: &[Kind] =
    &[Kind { word: "eqv", directives: &["mutant", "witness", "rewrites", "proved"], run }];

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
