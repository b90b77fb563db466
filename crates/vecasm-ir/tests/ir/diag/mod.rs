//! How findings are shown.

mod sarif;
#[cfg(feature = "serde")]
mod serial;
mod snippet;

use vecasm_ir::diag::{Diagnostic, Place, Renderer, Source, Span, render_human, render_json, render_short};

#[test]
fn short_form_names_line_and_column() {
    let text = "mov oc, v0\nbad";
    let d = Diagnostic::error("X1", "no").at_span(Span::new(11, 14));
    assert_eq!(render_short(&d, Source { name: "a", text: Some(text) }), "a:2:1: error[X1]: no");
}

#[test]
fn terminals_are_sent_no_commands() {
    let source = Source { name: "a\u{1b}[2J.agal", text: Some("mov \u{1b}]0;x\u{7}\u{9b}\u{202e}\tv0\r\n") };
    let mut finding = Diagnostic::error("AGAL-x", "no \u{1b} here").at_span(Span::new(4, 5));
    finding = finding.with_help("nor \u{7f} there");
    let shown = Renderer::new(source).human(&finding, false);
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
    assert!(shown.contains("mov \u{241b}]0;x\u{2407}\u{fffd}\u{fffd} v0\n"), "{shown}");
    assert!(shown.contains("a\u{241b}[2J.agal:1:5") && shown.contains("nor \u{2421} there"), "{shown}");
    assert!(!Renderer::new(source).short(&finding).contains('\u{1b}'));
    // Nor lines that a name or a message begins itself.
    let source = Source { name: "a\nerror: b", ..source };
    finding.message = "one\ntwo".into();
    let short = Renderer::new(source).short(&finding);
    assert_eq!(short, "a\u{240a}error: b:1:5: error[AGAL-x]: one\u{240a}two");
    assert!(Renderer::new(source).human(&finding, false).contains("--> a\u{240a}error: b:1:5\n"));
    assert!(Renderer::new(source).json(&finding).starts_with(r#"{"file":"a\nerror: b","#));
    finding.message = "\u{7f}\u{9b}\u{202e}\u{e9}".into();
    let json = Renderer::new(source).json(&finding);
    assert!(json.contains("\"\\u007f\\u009b\\u202e\u{e9}\""), "{json}");
}

#[test]
fn json_escapes() {
    let d = Diagnostic::error("X1", "a \"b\"\n\u{1}");
    let json = render_json(&d, Source { name: "f", text: None });
    assert_eq!(
        json,
        r#"{"file":"f","severity":"error","id":"X1","message":"a \"b\"\n\u0001","first":false}"#
    );
}

#[test]
fn a_span_past_the_end_does_not_panic() {
    let d = Diagnostic::error("X1", "no").at_span(Span::new(90, 95));
    let _ = render_human(&d, Source { name: "a", text: Some("é") }, true);
    let _ = render_json(&d, Source { name: "a", text: Some("é") });
}

#[test]
fn of_a_very_long_line_a_part_is_shown() {
    let text = format!("{}B{}", "é".repeat(5000), "A".repeat(5000));
    let d = Diagnostic::error("X", "m").at(Place::Text(Span { start: 10_000, end: 15_001 }));
    let shown = render_human(&d, Source { name: "a", text: Some(&text) }, false);
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() < 800), "{shown}");
    let caret = lines[4].chars().position(|c| c == '^').unwrap_or(0);
    assert_eq!(lines[3].chars().nth(caret), Some('B'), "{shown}");
    assert_eq!(lines[1], " --> a:1:5001");
}
