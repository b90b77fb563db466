//! Properties of repro files: what must hold for any bytes whatever.

use super::{Input, Property, Rng, Seen, damaged_with};
use vecasm::repro::{Action, Repro, is};

pub(crate) const PROPERTIES: [Property; 1] = [Property {
    name: "repro_files_are_safe",
    input: Input::Repro,
    check: repro_files_are_safe,
    useful: &[("read", 5), ("with a program", 2), ("refused", 10)],
    runs: false,
}];

/// What they are made from: the data files of the library's own tests, and a scene.
pub(crate) const FILES: [&str; 6] = [
    include_str!("../crates/vecasm/tests/repro/good-roots.vecasm-repro"),
    include_str!("../crates/vecasm/tests/repro/good-killed.vecasm-repro"),
    include_str!("../crates/vecasm/tests/repro/good-include.vecasm-repro"),
    include_str!("../crates/vecasm/tests/repro/good-preshader.vecasm-repro"),
    include_str!("../crates/vecasm/tests/repro/good-second.vecasm-repro"),
    r#"{"vecasm-repro": 1, "scene": {"vertex": "a.vert.agal", "mesh": "quad", "size": 2}, "time": 0.1,
        "files": [{"name": "a.vert.agal", "text": "mov op, va0"}], "expected": {"png": "AQI=", "max": 3}}"#,
];

/// A repro file with some pieces cut, doubled or replaced, or pieces of other ones put in.
pub(crate) fn damaged(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    const PIECES: [&str; 24] = [
        "\"",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\\u0000",
        "\\ud800",
        "\u{e9}",
        "null",
        "-0.0",
        "1e308",
        "1e-400",
        "18446744073709551616",
        "\"title\": \"t\", ",
        "\"flags\": [\"--rule\", \"lit-zero=lit\"], ",
        "\"--program=2\", ",
        "\"time\": 1e300, ",
        "\"files\": [], ",
        "{\"name\": \"b/c\", \"base64\": \"AAAA\"}, ",
        "[[[[[[[[[[[[[[[[",
        "{\"\":{\"\":{\"\":0}}}",
        "\"vecasm-repro\": 1, ",
    ];
    damaged_with(seed, &PIECES, rng)
}

/// It is refused, with a place unless it is no JSON, or it is read, and what is written of it is read as the same.
fn repro_files_are_safe(bytes: &[u8], seen: &mut Seen) {
    let repro = match Repro::parse(bytes) {
        Ok(repro) => repro,
        Err(why) => {
            seen.count("refused");
            assert!(!why.message.is_empty() && (why.path.starts_with('$') || why.path.is_empty()), "{why}");
            assert_eq!(why.path.is_empty(), why.message.starts_with("not JSON: "), "{why}");
            return;
        }
    };
    seen.count("read");
    let written = repro.to_json().unwrap_or_else(|why| panic!("read, but not written: {why}"));
    assert!(is(written.as_bytes()), "not known by its content");
    let again = Repro::parse(written.as_bytes()).unwrap_or_else(|why| panic!("written, but not read: {why}"));
    assert!(again == repro, "something else is read");
    drop((written, again));
    if matches!(repro.action, Action::Run(_)) {
        match repro.program() {
            Ok(_) => seen.count("with a program"),
            Err(why) => assert!(why.path == "$.program", "{why}"),
        }
    }
}
