//! Findings as SARIF.

use vecasm_ir::diag::sarif::{Report, render_sarif};
use vecasm_ir::diag::{Diagnostic, Place, Provenance, Rule, Severity, Source, Span};

const RULES: &[Rule] = &[
    Rule {
        id: "X1",
        number: 7,
        severity: Severity::Error,
        message: "no %1",
        reason: "Because.",
        provenance: Provenance::Own,
    },
    Rule {
        id: "X2",
        number: 0,
        severity: Severity::Note,
        message: "by the way",
        reason: "Why not.",
        provenance: Provenance::Recorded,
    },
];

#[test]
fn a_place_in_a_text_is_a_region_of_lines_columns_and_bytes() {
    // `é` is two bytes and one column: `bad` is bytes 5..8 and columns 3..6 of line 2.
    let text = "a\né bad";
    let found =
        [Diagnostic::new(Severity::Note, "X2", "m").at_span(Span::new(5, 8)).with_help("do \"this\"")];
    let source = Source { name: "dir/a b.agal", text: Some(text) };
    let rules: Vec<&Rule> = RULES.iter().collect();
    let log = render_sarif(&[Report { source, also: None, findings: &found }], &rules, &[]);
    assert!(log.contains(
        r#""results":[{"ruleId":"X2","ruleIndex":1,"level":"note","message":{"text":"m\n\ndo \"this\""},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"dir/a%20b.agal","index":0},"region":{"startLine":2,"startColumn":3,"endLine":2,"endColumn":6,"byteOffset":5,"byteLength":3}}}],"properties":{"first":false}}]"#
    ), "{log}");
    assert!(log.contains(r#""artifacts":[{"location":{"uri":"dir/a%20b.agal"}}]"#), "{log}");
    assert!(log.contains(r#""invocations":[{"executionSuccessful":true}]"#), "{log}");
}

#[test]
fn a_place_in_a_binary_is_an_offset_with_its_token() {
    let mut d = Diagnostic::error("X1", "m").at(Place::Binary { offset: 31, token: Some(2) });
    d.instruction = Some("mov oc, v0".into());
    d.first = true;
    let (source, also) = (Source { name: "/a.bin", text: None }, Source { name: "b.bin", text: None });
    let report = Report { source, also: Some(also), findings: &[d] };
    let log = render_sarif(&[report], &[&RULES[0]], &["no such file"]);
    assert!(log.contains(
        r#""region":{"byteOffset":31,"snippet":{"rendered":{"text":"mov oc, v0"}}}},"logicalLocations":[{"name":"token 2","kind":"instruction"}]}],"relatedLocations":[{"physicalLocation":{"artifactLocation":{"uri":"b.bin","index":1}}}],"properties":{"first":true}"#
    ), "{log}");
    assert!(log.contains(r#""uri":"file:///a.bin""#), "{log}");
    assert!(log.contains(
        r#""executionSuccessful":false,"toolExecutionNotifications":[{"level":"error","message":{"text":"no such file"}}]"#
    ), "{log}");
}
