//! The rules of all instruction sets.

use vecasm_isa::Isa;

#[test]
fn ids_are_unique_and_of_one_form() {
    for isa in Isa::ALL {
        let prefix = isa.name().to_ascii_uppercase();
        let rules = isa.rules();
        for (i, rule) in rules.iter().enumerate() {
            // Of the runtime's own errors the number is the rest: AGAL3646.
            let rest = rule.id.strip_prefix(&prefix).unwrap_or("");
            let words = rest.strip_prefix('-').unwrap_or(if rule.number == 0 { "" } else { rest });
            // A number of Direct3D's validator is written as there: X5350, 0x21E.
            let upper = rule.number != 0;
            let fits = |b: u8| {
                b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || upper && b.is_ascii_uppercase()
            };
            assert!(!words.is_empty() && words.bytes().all(fits), "{}", rule.id);
            assert!(rules[..i].iter().all(|r| r.id != rule.id), "{}", rule.id);
        }
    }
}
