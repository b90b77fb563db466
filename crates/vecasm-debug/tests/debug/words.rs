//! Instructions taken apart.

use vecasm_debug::compare::words::{registers, words};

fn shown(text: &str) -> String {
    let each = words(text).into_iter().map(|w| format!("{:?}:{}", w.kind, w.text(text)));
    each.collect::<Vec<_>>().join(" ")
}

#[test]
fn instructions_of_every_set_come_apart() {
    assert_eq!(
        shown("mul ft0.xyz, fc[va0.x+3].y, v1"),
        "Mnemonic:mul File:ft Index:0 Lanes:xyz Sign:, File:fc Sign:[ File:va Index:0 Lanes:x Sign:+ Number:3 \
         Sign:] Lanes:y Sign:, File:v Index:1"
    );
    assert_eq!(
        shown("+mad_sat r0.a, -r1_bx2.b, 1-c0, t0 ; -r3"),
        "Sign:+ Mnemonic:mad_sat File:r Index:0 Lanes:a Sign:, Sign:- File:r Index:1 Modifier:_bx2 Lanes:b Sign:, \
         Number:1 Sign:- File:c Index:0 Sign:, File:t Index:0"
    );
    assert_eq!(
        shown("(!p0.x) mov oC0, r0"),
        "Sign:( Sign:! File:p Index:0 Lanes:x Sign:) Mnemonic:mov File:oC Index:0 Sign:, File:r Index:0"
    );
    assert_eq!(
        shown("def c0, -1.5e-3, 0"),
        "Mnemonic:def File:c Index:0 Sign:, Sign:- Number:1.5e-3 Sign:, Number:0"
    );
    assert_eq!(
        shown("mov r1.x, v0 + rcp r2, c[A0+3].w"),
        "Mnemonic:mov File:r Index:1 Lanes:x Sign:, File:v Index:0 Sign:+ Mnemonic:rcp File:r Index:2 Sign:, File:c \
         Sign:[ File:A Index:0 Sign:+ Number:3 Sign:] Lanes:w"
    );
    assert_eq!(registers("mov oPos, r12"), [("oPos".into(), "".into()), ("r".into(), "12".into())]);
    assert_eq!(shown("é, ü"), "Sign:é Sign:, Sign:ü");
}
