//! The limits of devices, and the slots that programs take.

use vecasm_isa::d3d9::Version;
use vecasm_isa::d3d9::rules::{Options, slot_counts, slot_counts_on};
use vecasm_isa::d3d9::text::parse;

#[test]
fn caps_follow_model_and_switches() {
    let caps = |options: &Options, word| options.caps(Version(word));
    let plain = Options::default();
    assert_eq!(caps(&plain, 0xfffe_0101).slots, Some(128));
    assert_eq!(caps(&plain, 0xffff_0104).temporaries, 6);
    assert_eq!(caps(&plain, 0xffff_0200).arithmetic_slots, Some(64));
    assert_eq!(caps(&plain, 0xffff_0201).temporaries, 32);
    assert_eq!(caps(&plain, 0xfffe_02ff).constants, 8192);
    let of = |name: &str, value: &str| {
        let mut options = Options::default();
        options.switches.set(name, value).unwrap();
        options
    };
    let b = of("model-2x", "b");
    assert!(!caps(&b, 0xffff_0201).gradients && caps(&b, 0xffff_0201).dependent_reads_limited);
    assert_eq!(caps(&of("model-2x", "a"), 0xffff_0201).temporaries, 22);
    assert_eq!(caps(&of("temporaries", "16"), 0xfffe_0201).temporaries, 16);
    assert_eq!(caps(&of("temporaries", "16"), 0xfffe_0200).temporaries, 12);
}

#[test]
fn slots_are_those_of_the_documentation() {
    let of = |text: &str| {
        let counts = slot_counts(&parse(text).0.unwrap());
        (counts.arithmetic, counts.texture)
    };
    // Pairs count once; nop costs nothing; texbeml costs one of each.
    assert_eq!(of("ps_1_1\ntex t0\ntexbeml t1, t0\nmov r0.rgb, t1\n+mov r0.a, t1\nnop"), (2, 2));
    assert_eq!(of("ps_1_2\ncmp r0, v0, c0, c1\ndp4 r0, v0, c0"), (4, 0));
    assert_eq!(of("vs_1_1\nexp r0, v0.x\nfrc r0.y, v0\nlit r0, v0\nm4x3 r0.xyz, v0, c0"), (17, 0));
    assert_eq!(
        of("vs_2_0\nlit r0, v0\ncall l0\nret\nlabel l0\nif b0\nendif\nret"),
        (3 + 2 + 1 + 3 + 1 + 1, 0)
    );
    // A predicate costs one more.
    assert_eq!(of("vs_2_x\nsetp_gt p0, v0, c0\n(p0) mov r0, v0"), (1 + 2, 0));
    assert_eq!(of("ps_2_0\ndcl_2d s0\ntexldp r0, t0, s0\ncrs r1.xyz, r0, t0"), (2, 1));
    assert_eq!(
        of("ps_3_0\ndcl_cube s0\ndcl_2d s1\ntexld r0, v0, s0\ntexldp r0, v0, s1\ndsx r0, v0"),
        (2, 4 + 3)
    );
    // Devices without a limit on texture instructions count them as 3.0 does.
    assert_eq!(of("ps_2_x\ndcl_2d s0\ntexldb r0, t0, s0"), (0, 6));
    let mut limited = Options::default();
    limited.switches.set("texture-instructions", "limited").unwrap();
    let program = parse("ps_2_x\ndcl_2d s0\ntexldb r0, t0, s0").0.unwrap();
    assert_eq!(slot_counts_on(&program, &limited).total(), 1);
}
