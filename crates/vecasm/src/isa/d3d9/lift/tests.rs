//! Quirks of lifting.

use super::*;
use crate::isa::d3d9::text::parse;

fn lifted(text: &str, options: &Options) -> core::result::Result<Shader, Diagnostic> {
    lift(&parse(text).0.unwrap(), options)
}

/// The id of the refusal of a text.
fn refusal(text: &str) -> &'static str {
    lifted(text, &Options::default()).unwrap_err().id
}

#[test]
fn what_has_no_meaning_is_refused() {
    assert_eq!(refusal("vs_2_0\nmov r0, c0\nif b0\nmov oPos, r0\n"), FLOW);
    assert_eq!(refusal("vs_2_0\nendif\n"), FLOW);
    assert_eq!(refusal("vs_2_0\ncall l3\nret\n"), FLOW);
    assert_eq!(refusal("vs_3_0\nbreak\n"), FLOW);
    assert_eq!(refusal("vs_2_0\nmov c0, r0\n"), REGISTER);
    assert_eq!(refusal("vs_2_0\ncall l0\nret\nlabel l0\ncall l0\nret\n"), LIMIT);
    assert_eq!(refusal("ps_1_3\ntexm3x2tex t1, t0\n"), TEXTURE);
}
