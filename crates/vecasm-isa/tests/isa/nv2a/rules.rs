//! What programs use, and how levels weigh what they break.

use std::collections::BTreeMap;
use vecasm_ir::diag::Severity;
use vecasm_ir::operand::WriteMask;
use vecasm_isa::nv2a::rules::{Level, Options, RULES, describe, validate};
use vecasm_isa::nv2a::text::{ParseOptions, parse};
use vecasm_isa::nv2a::{Program, Slot};

#[test]
fn lanes_follow_swizzle_and_mask() {
    let text = "dp3 r0.x, v2.zyx, c[A0+5]\nmul oD0.xy, v3.w, c7 + rsq r1.w, r0.x\nmov oPos.x, r1.w\n";
    let usage = describe(&parse(text, &ParseOptions::default()).0.unwrap());
    let letters = |map: &BTreeMap<u32, WriteMask>| {
        map.iter().map(|(n, mask)| format!("{n}{}", mask.letters())).collect::<Vec<_>>()
    };
    assert_eq!(letters(&usage.attributes), ["2xyz", "3w"]);
    assert_eq!(letters(&usage.constants), ["5xyz", "7xy"]);
    assert_eq!(letters(&usage.temporaries), ["0x", "1w"]);
    assert_eq!(letters(&usage.outputs), ["0x", "3xy"]);
    assert_eq!((usage.paired, usage.relative, usage.live), (1, true, 1));
    assert_eq!(letters(&usage.constants_relative), ["5xyz"]);
    assert_eq!((usage.slots, usage.last), (3, Some(2)));
    assert_eq!(usage.mac.into_iter().collect::<Vec<_>>(), [("dp3", 1), ("mov", 1), ("mul", 1)]);
    assert_eq!(usage.ilu.into_iter().collect::<Vec<_>>(), [("rsq", 1)]);
    // r0.x is needed in front of the second slot, r1.w in front of the third.
    let live: Vec<_> = usage.live_lanes.iter().map(|l| (l[0].letters(), l[1].letters())).collect();
    let wanted = [("", ""), ("x", ""), ("", "w")];
    assert_eq!(live, wanted.map(|(a, b)| (a.into(), b.into())));
}

#[test]
fn ids_are_unique() {
    for (i, rule) in RULES.iter().enumerate() {
        assert!(RULES[..i].iter().all(|r| r.id != rule.id), "{}", rule.id);
    }
}

#[test]
fn a_pair_reads_before_it_writes() {
    let text = "mov oPos, v0\ndp4 r0, v0, c0 + rcp r1.x, r0.x\nmov oD0.x, r1.x\n";
    let program = parse(text, &ParseOptions::default()).0.unwrap();
    let found: Vec<_> = validate(&program, &Options::default()).iter().map(|d| d.id).collect();
    assert_eq!(found, ["NV2A-r-unset"]);
}

#[test]
fn levels_weigh_differently() {
    // R13 is read.
    let program = Program::new(vec![Slot([0, 0x0020_001b, 0xd436_106c, 0x2070_f801])]);
    let worst = |level| validate(&program, &Options { level }).iter().map(|d| d.severity).max();
    assert_eq!(worst(Level::Encodable), Some(Severity::Warning));
    assert_eq!(worst(Level::Hardware), Some(Severity::Error));
}
