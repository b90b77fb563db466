//! Labelled places of a text.

use vecasm_ir::diag::{Label, Margin, Renderer, Severity, Source, Span};

fn shown(text: &str, labels: &[(&str, usize, usize, &str)]) -> String {
    let labels = labels.iter().map(|&(kind, start, end, text)| match kind {
        "^" => Label::primary(Span::new(start, end), text),
        _ => Label::secondary(Span::new(start, end), text),
    });
    let labels: Vec<Label<'_>> = labels.collect();
    Renderer::new(Source { name: "a", text: Some(text) }).snippet(Severity::Error, &labels, false)
}

#[test]
fn marks_may_stand_far_away() {
    let mut out = String::new();
    Margin::of([1], false).marks(70_000, '^', 2, None, " here", &mut out);
    assert_eq!(out, format!("  | {}^^ here\n", " ".repeat(70_000)));
}

#[test]
fn lines_come_in_order_and_once() {
    // Lines begin at bytes 0, 3, 6, 9 and so on.
    let text = "ab\ncd\nef\ngh\nij\nkl\nmn\nop\nqr\nst\nuv";
    let labels =
        [("^", 28, 29, "v"), ("-", 3, 5, "c"), ("^", 4, 5, "d"), ("-", 7, 8, "f"), ("-", 30, 31, "end")];
    let expected = "  --> a:10:2
   |
 2 | cd
   | -- c
   |  ^ d
 3 | ef
   |  - f
...
10 | st
   |  ^ v
11 | uv
   | - end
";
    assert_eq!(shown(text, &labels), expected);
}

#[test]
fn places_past_ends_are_marked_there() {
    let text = "ab\ncd";
    assert_eq!(shown(text, &[("^", 9, 12, "x")]), " --> a:2:3\n  |\n2 | cd\n  |   ^ x\n");
    assert_eq!(shown(text, &[("^", 1, 4, "")]), " --> a:1:2\n  |\n1 | ab\n  |  ^\n");
    assert_eq!(shown("é", &[("-", 1, 0, "x")]), " --> a:1:1\n  |\n1 | é\n  | - x\n");
    assert_eq!(shown("", &[]), " --> a\n");
    let plain = Renderer::new(Source { name: "a", text: None });
    let labels = [Label::primary(Span::new(0, 1), "x\n"), Label::secondary(Span::new(0, 1), "")];
    assert_eq!(plain.snippet(Severity::Error, &labels, false), " --> a\n  = x\u{240a}\n");
}

#[test]
fn long_lines_are_cut_around_what_is_found() {
    let text = format!("{}X{}", "é".repeat(1000), "z".repeat(1000));
    let out = shown(&text, &[("-", 0, 2, "far left"), ("^", 2000, 2001, "here"), ("-", 2900, 2901, "right")]);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[2].starts_with("1 | …é") && lines[2].ends_with("z…"), "{out}");
    let column = |line: &str, mark: char| line.chars().position(|c| c == mark);
    assert_eq!(column(lines[3], '-'), Some(5), "{out}");
    assert_eq!(column(lines[4], '^'), column(lines[2], 'X'), "{out}");
    assert!(column(lines[5], '-') >= column(lines[2], 'z'), "{out}");
    assert!(out.len() < 2500);
}

#[test]
fn colours_are_those_of_the_finding() {
    let labels = [Label::primary(Span::new(0, 1), "x"), Label::secondary(Span::new(1, 2), "y\u{1b}")];
    let renderer = Renderer::new(Source { name: "a\u{1b}", text: Some("ab") });
    let out = renderer.snippet(Severity::Warning, &labels, true);
    assert!(
        out.contains("\x1b[1;33m^ x\x1b[0m\n") && out.contains("\x1b[1;34m- y\u{241b}\x1b[0m\n"),
        "{out:?}"
    );
    assert_eq!(out.matches('\x1b').count() % 2, 0, "{out:?}");
}
