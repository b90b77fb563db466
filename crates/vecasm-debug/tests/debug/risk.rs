//! What hardware may change, found where it begins.

use vecasm_debug::debug::risk::{RiskMap, VisibleDifference, risk};
use vecasm_exec::Batch;
use vecasm_isa::agal::lift::{Depth, Numerics, Options, lift};
use vecasm_isa::agal::text::{ParseOptions, parse};
use vecasm_opt::Liberty;

fn map(text: &str, x: [f32; 4]) -> RiskMap {
    let (program, findings) = parse(text, &ParseOptions::default());
    assert_eq!(findings, []);
    let options = Options { depth: Depth::Full, numerics: Numerics::Ieee, ..Options::default() };
    let shader = lift(&program.expect("the text is sound"), &options).expect("the program has a meaning");
    let batch = Batch {
        count: 1,
        inputs: vec![vec![x.map(f32::to_bits)]],
        params: vec![vec![[4096.0f32.to_bits(); 4]]],
        ..Batch::default()
    };
    risk(&shader, &batch, &VisibleDifference::default()).expect("it runs")
}

/// x² - y is 0 by two roundings and 2^-24 by one; times 2^24 that is black or white. Line 1 is where it begins: the
/// subtraction is the one that is contracted; the two products behind only enlarge it.
#[test]
fn cancellation_is_found_where_it_begins() {
    let text = ".agal fragment 1\nmul ft0, v0.x, v0.x\nsub ft0, ft0, v0.y\nmul ft0, ft0, fc0.x\nmul ft0, ft0, fc0.x\nmov oc, ft0\n";
    let map = map(text, [1.0 + 1.0 / 4096.0, 1.0 + 1.0 / 2048.0, 0.0, 0.0]);
    assert_eq!(map.differing, 1);
    let [risk] = map.risks.as_slice() else { panic!("{:?}", map.risks) };
    assert_eq!((risk.liberty, risk.source, risk.alone, risk.shows), (Liberty::Contraction, 1, true, None));
    assert_eq!(risk.bits.map(f32::from_bits), [0.0, 1.0]);
}

/// Two reciprocals that are equal are not, if one of them is off: sge gives 0 for 1. Either may be.
#[test]
fn a_comparison_of_equals_is_at_risk() {
    let text = ".agal fragment 1\nrcp ft0, v0\nmul ft0, ft0, v0\nsge ft0, ft0, v0.w\nmov oc, ft0\n";
    let map = map(text, [3.0, 3.0, 3.0, 1.0]);
    let found: Vec<_> = map.risks.iter().map(|r| (r.liberty.name(), r.source, r.shows)).collect();
    assert_eq!(found, [("precision", 0, Some(2))]);
}

#[test]
fn what_is_plain_is_without_risk() {
    let map = map(".agal fragment 1\nmul ft0, v0, fc0.x\nmov oc, ft0\n", [0.0001; 4]);
    assert_eq!((map.differing, map.risks), (0, vec![]));
}

/// A NaN that sat turns to 0 here: hardware may keep it, and a target makes 0 of that too. A comparison with it
/// comes out the other way: 1, not 0.
#[test]
fn nan_in_a_comparison_is_at_risk() {
    let text = ".agal fragment 1\nrsq ft0, v0.x\nslt ft0, ft0, v0.y\nmov oc, ft0\n";
    let map = map(text, [-1.0, 2.0, 0.0, 1.0]);
    let found: Vec<_> = map.risks.iter().map(|r| (r.liberty, r.source)).collect();
    assert_eq!(found, [(Liberty::Nan, 1)]);
}
