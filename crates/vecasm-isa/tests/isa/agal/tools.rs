//! What a text tells before it is read.

use vecasm_isa::agal::Stage;
use vecasm_isa::agal::text::{stage_of, token_spans};

#[test]
fn the_stage_is_found_in_directives_and_registers() {
    assert_eq!(stage_of("// c\n.agal fragment 2\nmov op, va0"), Some(Stage::Fragment));
    assert_eq!(stage_of("mov v0, va0"), Some(Stage::Vertex));
    assert_eq!(stage_of("mov v0, v1\nkil v0.x"), Some(Stage::Fragment));
    assert_eq!(stage_of("mov v0, v1"), None);
}

#[test]
fn spans_are_those_of_the_tokens() {
    let text = ".agal vertex 1\n// c\n mov op, va0 // d\n\nmov v0, va1";
    let found: Vec<&str> =
        token_spans(text).iter().map(|s| &text[s.start as usize..s.end as usize]).collect();
    assert_eq!(found, ["mov op, va0", "mov v0, va1"]);
}
