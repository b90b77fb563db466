//! Findings as serde sees them, against their rendering.

use serde_json::{Value, json};
use vecasm_ir::diag::{Diagnostic, Place, Provenance, Rule, Severity, Source, Span, render_json};

/// Findings at places of every kind, with everything that one may have.
fn findings() -> Vec<Diagnostic> {
    let plain = |place| Diagnostic::error("X1", "a \"b\"\n\u{1}\u{7f}é").at(place);
    let mut full = plain(Place::Binary { offset: 31, token: Some(2) }).with_help("do \\ this");
    full.instruction = Some("mov oc, v0".to_string());
    full.first = true;
    vec![
        plain(Place::Whole),
        plain(Place::Binary { offset: 4, token: None }),
        plain(Place::instruction(6)),
        plain(Place::Text(Span::new(1, 3))),
        Diagnostic::warning("X2", "").at_span(Span::new(2, 2)).with_help(""),
        Diagnostic::new(Severity::Note, "X3", "m").at_span(Span::new(900, 1000)),
        full,
    ]
}

#[test]
fn a_finding_has_the_fields_of_its_rendering() {
    for finding in findings() {
        for text in [None, Some("é\nabc")] {
            let rendered = render_json(&finding, Source { name: "f", text });
            let Value::Object(mut rendered) = serde_json::from_str(&rendered).unwrap() else { panic!() };
            for key in ["file", "line", "column", "end_line", "end_column"] {
                rendered.remove(key);
            }
            let Value::Object(mut own) = serde_json::to_value(&finding).unwrap() else { panic!() };
            let end = own.remove("end_offset");
            assert_eq!(end.is_some(), matches!(finding.place, Place::Text(_)));
            assert_eq!(own, rendered, "{finding:?}");
        }
    }
}

#[test]
fn the_order_of_the_keys_is_that_of_the_rendering() {
    let full = findings().pop().unwrap();
    let rendered = render_json(&full, Source { name: "f", text: None });
    let own = serde_json::to_string(&full).unwrap().replace('\u{7f}', "\\u007f");
    assert_eq!(own, rendered.replace("\"file\":\"f\",", ""));
}

#[test]
fn places_and_rules() {
    let json = |place: Place| serde_json::to_value(place).unwrap();
    assert_eq!(json(Place::Whole), json!({}));
    assert_eq!(json(Place::Text(Span::new(3, 5))), json!({"offset": 3, "end_offset": 5}));
    assert_eq!(json(Place::Binary { offset: 8, token: Some(1) }), json!({"offset": 8, "token": 1}));
    let rule = Rule {
        id: "X1",
        number: 0,
        severity: Severity::Note,
        message: "m",
        reason: "r",
        provenance: Provenance::Own,
    };
    let expected = json!({
        "id": "X1", "number": null, "severity": "note", "message": "m", "reason": "r", "provenance": "own",
    });
    assert_eq!(serde_json::to_value(rule).unwrap(), expected);
}
