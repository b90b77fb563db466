//! Damaged, deep and long texts. Nothing panics, and what is accepted and keeps the rules comes back.

use super::{NODES, SAMPLE, back};
use crate::ir::random::Rng;
use crate::ir::text::parse_any;
use crate::ir::verify::{MAX_DEPTH, verify};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

fn texts() -> [&'static str; 2] {
    [SAMPLE, NODES]
}

#[test]
fn no_prefix_of_a_text_panics() {
    for text in texts() {
        for (end, _) in text.char_indices() {
            let _ = parse_any(&text[..end]);
            let _ = parse_any(&text[end..]);
        }
    }
}

#[test]
fn damaged_texts_are_refused_or_come_back() {
    const PIECES: &[&str] = &[
        "\"",
        "\\",
        "\n",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "%",
        "#",
        ".",
        ",",
        "=",
        ":",
        ";",
        "@",
        "+",
        "-",
        "0",
        "9",
        " ",
        "99999999999999999999",
        "yield",
        "%0",
        "%0.x",
        "of",
        "case",
        "step",
        "\u{7f}",
        "ä",
        "\0",
    ];
    let mut rng = Rng::new(5);
    let (mut accepted, mut sound) = (0, 0);
    for round in 0..30_000 {
        let mut text = String::from(texts()[round % 2]);
        for _ in 0..1 + rng.below(3) {
            let places: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
            let at = places[rng.below(places.len())];
            let end = places[(rng.below(places.len())).min(places.len() - 1)];
            match rng.below(4) {
                // A piece put in, some characters taken away, a line doubled, a piece of the text put elsewhere.
                0 => text.insert_str(at, PIECES[rng.below(PIECES.len())]),
                1 => {
                    let end =
                        text[at..].char_indices().nth(1 + rng.below(4)).map_or(text.len(), |(i, _)| at + i);
                    text.replace_range(at..end, "");
                }
                2 => {
                    let line = text[at..].lines().next().unwrap_or("").into();
                    let line: String = line;
                    text.insert_str(at, &format!("{line}\n"));
                }
                _ => {
                    let piece: String = text[end..].chars().take(rng.below(12)).collect();
                    text.insert_str(at, &piece);
                }
            }
            if text.is_empty() {
                text.push(' ');
            }
        }
        let Ok(shader) = parse_any(&text) else { continue };
        accepted += 1;
        if verify(&shader).is_empty() {
            sound += 1;
            back(&shader);
        }
    }
    assert!(accepted > 1_000 && sound > 500, "{accepted} {sound}");
}

#[test]
fn regions_are_as_deep_as_may_be() {
    let nested = |depth: usize| {
        let mut text = String::from("vertex t\n");
        for level in 0..depth {
            text.push_str(&match level % 4 {
                0 => format!("block L{level} {{\n"),
                1 => format!("loop L{level} {{\n"),
                2 => "idiom lit () {\n".into(),
                _ => "switch %0.x {\ndefault {\n".into(),
            });
        }
        for level in (0..depth).rev() {
            text.push_str(if level % 4 == 3 { "}\n}\n" } else { "}\n" });
        }
        text
    };
    back(&parse_any(&nested(MAX_DEPTH)).unwrap_or_else(|e| panic!("{e}")));
    let error = parse_any(&nested(MAX_DEPTH + 1)).unwrap_err();
    assert_eq!(error.message, format!("regions are nested more than {MAX_DEPTH} deep"));
    assert!(parse_any(&nested(1_000_000)).is_err());
}

#[test]
fn long_texts_take_time_in_proportion() {
    // 200,000 of each would take hours if any of it were quadratic.
    const N: usize = 200_000;
    let line = |make: &dyn Fn(usize) -> String| -> String { (0..N).map(make).collect() };
    let names = line(&|i| format!("local {i} t{i} size 1\n"));
    let same = line(&|i| format!("local {i} t size 1\n"));
    let uses = line(&|i| format!("%{i} = load_local t{} [0] : f32x4\n", N - 1 - i).replace(" [", "["));
    for (body, sound) in [
        (format!("{names}{uses}"), true),
        (same, true),
        (format!("setup {}", "points ".repeat(N)), true),
        (format!("files {}", "a ".repeat(N)), true),
        (format!("%0 = compose{} : f32", " %1.x".repeat(N)), true),
        (format!("{} = if %1.x {{\n}} else {{\n}}", alloc::vec!["%0: f32"; N].join(", ")), true),
        (format!("switch %0.x {{\n{}default {{\n}}\n}}", "case 1 {\n}\n".repeat(N)), true),
        (format!("switch %0.x {{\ncase {}{{\n}}\ndefault {{\n}}\n}}", "1 ".repeat(N)), true),
        (";".repeat(N), true),
        ("\n".repeat(N), true),
        ("\"".repeat(N), false),
        (format!("files \"{}\"", "\\n".repeat(N)), true),
        ("a".repeat(N), false),
        (format!("%0 = add{}", ".x".repeat(N)), false),
        (format!("%0 = const {} : f32", "1".repeat(N)), false),
        (format!("%{}", "1".repeat(N)), false),
        ("{".repeat(N), false),
        ("%0 = neg %0.x : f32\n".repeat(N), true),
    ] {
        let text = format!("vertex t\n{body}");
        let read = parse_any(&text);
        assert_eq!(read.is_ok(), sound, "{:?}: {}", read.as_ref().err(), &text[..60.min(text.len())]);
        if let Err(error) = read {
            assert!(error.message.len() < 200, "{}", error.message.len());
        }
    }
}
