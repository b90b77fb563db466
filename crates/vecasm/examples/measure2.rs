//! temporary
use std::collections::BTreeMap;
use vecasm::compare::eqv::{Options, Verdict, eqv};
use vecasm::isa::{AnyProgram, tgsi};
use vecasm::{LiftOptions, NoHost, OpenOptions, open};
fn main() {
    let verbose = std::env::var("V").is_ok();
    let mut groups: BTreeMap<String, [usize; 5]> = BTreeMap::new();
    let mut refused: BTreeMap<String, u32> = BTreeMap::new();
    let (mut smaller, mut larger, mut proved, mut nodiff, mut different, mut invalid) = (0, 0, 0, 0, 0, 0);
    for path in std::env::args().skip(1) {
        if verbose { eprintln!("{path}"); }
        let bytes = std::fs::read(&path).unwrap();
        let name = path.rsplit('/').next().unwrap().to_string();
        let group = name.split("__").next().unwrap().to_string();
        let Ok(program) = open(&bytes, &OpenOptions::named(&name), &mut NoHost).program() else { continue };
        if name.contains("XXX") { continue }
        let Ok(shader) = program.lift(&LiftOptions::default()) else { continue };
        let AnyProgram::Tgsi(own) = &*program else { continue };
        let count = |p: &tgsi::Program| p.instructions().count().saturating_sub(1);
        let temps = |p: &tgsi::Program| p.declarations().filter(|d| d.file == tgsi::names::File::Temp).map(|d| usize::from(d.last - d.first) + 1).sum::<usize>();
        let g = groups.entry(group).or_default();
        g[0] += count(own);
        let mut options = tgsi_options();
        options.like = Some(own);
        options.exact = true;
        let lowered = match vecasm::code::tgsi::lower(&shader, &options) {
            Ok(l) => l,
            Err(list) => {
                g[1] += count(own);
                g[2] += 1;
                for r in &list { *refused.entry(r.finding.message.clone()).or_default() += 1; }
                if verbose { println!("{name}: refused {:?}", list.iter().map(|r| &r.finding.message).collect::<Vec<_>>()); }
                continue;
            }
        };
        if std::env::var("P").is_ok() { println!("{}", vecasm::isa::AnyProgram::Tgsi(lowered.program.clone()).to_text()); }
        let (a, b) = (count(own), count(&lowered.program));
        g[1] += a.min(b);
        if b < a { smaller += 1 }
        if b > a { larger += 1; println!("{name}: {a} → {b} larger"); }
        g[3] += temps(own); g[4] += if b < a { temps(&lowered.program) } else { temps(own) };
        let any = AnyProgram::Tgsi(lowered.program.clone());
        let errors = any.validate(&Default::default()).iter().filter(|d| d.severity == vecasm::diag::Severity::Error).count();
        let before = program.check(&Default::default()).iter().filter(|d| d.severity == vecasm::diag::Severity::Error).count();
        if errors > before { invalid += 1; println!("{name}: invalid {:?}", any.validate(&Default::default())[0].message); }
        let again = match any.lift(&LiftOptions::default()) { Ok(s) => s, Err(e) => { println!("{name}: relift {e:?}"); continue } };
        if std::env::var("NE").is_ok() { continue }
        match eqv(&shader, &again, &Options { count: 300, fuel: 64, ..Options::default() }).map(|r| r.verdict) {
            Ok(Verdict::Proved(_)) => proved += 1,
            Ok(Verdict::NoDifference) => { nodiff += 1; if verbose { println!("{name}: no difference"); } }
            Ok(Verdict::Different(c)) => { different += 1; println!("{name}: DIFFERENT {:?}", c.difference); }
            Err(e) => println!("{name}: {e:?}"),
        }
        if verbose { println!("{name}: {a} → {b}"); }
    }
    for (g, [a, b, r, t, u]) in &groups { println!("{g}: {a} → {b} ({:.3}) refused {r} temps {t} → {u}", *b as f64 / *a as f64); }
    println!("smaller {smaller} larger {larger} proved {proved} nodiff {nodiff} different {different} invalid {invalid}");
    let mut list: Vec<_> = refused.into_iter().collect();
    list.sort_by_key(|(_, n)| core::cmp::Reverse(*n));
    for (m, n) in list.iter().take(25) { println!("{n} {m}"); }
}
fn tgsi_options<'a>() -> vecasm::code::tgsi::Options<'a> { vecasm::code::tgsi::Options::default() }
