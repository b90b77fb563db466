//! Every pass on random programs, and expanded arithmetic against the direct one.
#![cfg(feature = "exec")]

mod check;
mod operations;
#[cfg(feature = "agal")]
mod steps;
mod text;

use vecasm::ir::random::Kind;

#[test]
fn passes_do_what_their_texts_show() {
    text::cases();
}

#[cfg(feature = "agal")]
#[test]
fn the_step_table_stays_exact() {
    steps::traces_stay();
}

#[test]
fn passes_keep_the_meaning_of_random_programs() {
    for kind in [Kind::BASIC, Kind::ALL] {
        let tally = check::programs(1_000, 1, kind).unwrap_or_else(|what| panic!("{what}"));
        assert!(tally.exhausted > 0, "no program ran out of fuel");
        assert!(tally.killed > 0, "no invocation was demoted");
        for (pass, changed) in check::PASSES.iter().zip(&tally.changed) {
            if kind != Kind::BASIC {
                assert!(*changed > 0, "{} changed nothing", pass.name);
            }
        }
    }
}

#[test]
fn expanded_operations_give_the_same_bits() {
    let compared = operations::compare(3_000, 1).unwrap_or_else(|what| panic!("{what}"));
    assert!(compared.len() > 60, "only {} operations were compared", compared.len());
}
