//! temporary
use std::collections::BTreeMap;
use vecasm::compare::eqv::{Options, Verdict, eqv};
use vecasm::isa::agal;
fn main() {
    let verbose = std::env::var("V").is_ok();
    let mut totals = (0, 0, 0, 0);
    let mut refused: BTreeMap<String, u32> = BTreeMap::new();
    let (mut smaller, mut larger, mut proved, mut nodiff, mut different, mut invalid, mut tmore) = (0, 0, 0, 0, 0, 0, 0);
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let program = agal::bytes::decode_lossless(&bytes);
        let Ok(shader) = agal::lift::lift(&program, &agal::lift::Options::default()) else { println!("{path}: not lifted"); continue };
        let mut options = vecasm::code::agal::Options::default();
        options.version = Some(program.version());
        for t in &program.tokens {
            if matches!(t.operation(program.version()), Some(agal::Opcode::Tex)) {
                options.samplers.insert(t.src2.sampler().number(), t.src2.sampler());
            }
        }
        totals.0 += program.tokens.len();
        let lowered = match vecasm::code::agal::lower(&shader, &options) {
            Ok(l) => l,
            Err(list) => {
                totals.1 += program.tokens.len();
                for r in &list { *refused.entry(r.finding.message.clone()).or_default() += 1; }
                println!("{path}: refused {:?}", list.iter().map(|r| &r.finding.message).collect::<Vec<_>>());
                continue;
            }
        };
        if std::env::var("P").is_ok() { println!("{}", agal::text::print(&lowered.program, &Default::default())); println!("{:?}", lowered.binding); }
        let (a, b) = (program.tokens.len(), lowered.program.tokens.len());
        totals.1 += b.min(a);
        totals.2 += b;
        if b < a { smaller += 1 }
        if b > a { larger += 1; println!("{path}: {a} → {b} larger"); }
        let temps = |p: &agal::Program| p.tokens.iter().filter(|t| t.dest.type_byte() == 2).map(|t| t.dest.number() + 1).max().unwrap_or(0);
        if temps(&lowered.program) > temps(&program) { tmore += 1; if verbose { println!("{path}: temps {} → {}", temps(&program), temps(&lowered.program)); } }
        let ro = agal::rules::Options::default();
        let before = agal::rules::validate(&program, &ro).len();
        let after = agal::rules::validate(&lowered.program, &ro);
        if after.len() > before { invalid += 1; println!("{path}: invalid {:?}", after[0].message); }
        let again = match agal::lift::lift(&lowered.program, &agal::lift::Options::default()) { Ok(s) => s, Err(e) => { println!("{path}: relift {e:?}"); continue } };
        match eqv(&shader, &again, &Options { count: 2000, ..Options::default() }).map(|r| r.verdict) {
            Ok(Verdict::Proved(_)) => proved += 1,
            Ok(Verdict::NoDifference) => { nodiff += 1; if verbose { println!("{path}: no difference"); } }
            Ok(Verdict::Different(c)) => { different += 1; println!("{path}: DIFFERENT {:?}", c.difference); }
            Err(e) => println!("{path}: {e:?}"),
        }
        if verbose { println!("{path}: {a} → {b}"); }
    }
    println!("{totals:?} smaller {smaller} larger {larger} proved {proved} nodiff {nodiff} different {different} invalid {invalid} temps-more {tmore}");
    println!("{refused:#?}");
}
