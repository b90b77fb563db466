//! The symbols of texts, as data: each file of `symbols/` is a text with its symbols beside it, derived by hand.
//!
//! A file has parts, each behind a line that begins with `---`: `--- text NAME`, `--- include NAME` for a file that the text includes, and
//! `--- symbols`. What stands in front of the first part says where the expected symbols come from. A symbol is a line:
//! `KIND NAME: LINE:COLUMN ROLE.LANES, …`; in front of the role the text in backquotes if it is not the name, behind it the way to
//! the symbol if it is not by name. Symbols with a scope are written `MACRO(NAME`, a `!` marks those that cannot be renamed though the
//! text names them.

#![cfg(all(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi"))]
#![allow(clippy::unwrap_used, reason = "a file that is no test fails")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use vecasm::diag::line_column;
use vecasm::open::{Included, Request};
use vecasm::symbols::{Mention, Role, Symbols, symbols};
use vecasm::{Host, NoHost, OpenOptions};

struct Files(BTreeMap<String, String>);

impl Host for Files {
    fn include(&mut self, request: &Request<'_>) -> Result<Included, String> {
        let text = self.0.get(request.name).ok_or("not found")?;
        Ok(Included { name: request.name.into(), text: text.clone() })
    }
}

fn shown(text: &str, all: &Symbols) -> Vec<String> {
    let mut out = Vec::new();
    for symbol in all {
        let scope = symbol.scope.as_ref().map_or(String::new(), |scope| format!("{scope}("));
        let fixed = if symbol.kind.is_named_by_text() && !symbol.is_renamable() { "!" } else { "" };
        let mut line = format!("{} {scope}{}{fixed}:", symbol.kind, symbol.name);
        for (n, it) in symbol.uses.iter().enumerate() {
            let (row, column) = line_column(text, it.span.start);
            let spelled = &text[it.span.start as usize..it.span.end as usize];
            write!(line, "{}{row}:{column}", if n > 0 { ", " } else { " " }).unwrap();
            if spelled != symbol.name {
                write!(line, " `{spelled}`").unwrap();
            }
            write!(line, " {}", it.role).unwrap();
            if it.lanes.bits() != 0 {
                write!(line, ".{}", it.lanes.letters()).unwrap();
            }
            if it.by != Mention::Name {
                write!(line, " {}", it.by).unwrap();
            }
        }
        out.push(line);
    }
    out
}

#[test]
fn symbols_are_those_beside_the_texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/symbols");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 16);
    let mut failures = String::new();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = std::fs::read_to_string(&path).unwrap();
        let (mut text, mut wanted, mut files) = (None, None, BTreeMap::new());
        for part in file.split("\n--- ").skip(1) {
            let (head, body) = part.split_once('\n').unwrap();
            match head.split_once(' ').unwrap_or((head, "")) {
                ("text", name) => text = Some((name.to_string(), format!("{body}\n"))),
                ("include", name) => drop(files.insert(name.to_string(), format!("{body}\n"))),
                ("symbols", "") => wanted = Some(body.trim_end().to_string()),
                _ => panic!("{name}: no part of a test: {head}"),
            }
        }
        let ((of, text), wanted) = (text.unwrap(), wanted.unwrap());
        let all = symbols(&text, &OpenOptions::named(&of), &mut Files(files));
        let found = shown(&text, &all);
        let wanted: Vec<String> = wanted.lines().map(String::from).collect();
        if found != wanted {
            writeln!(failures, "{name}:").unwrap();
            found
                .iter()
                .filter(|line| !wanted.contains(line))
                .for_each(|l| writeln!(failures, "  found  {l}").unwrap());
            wanted
                .iter()
                .filter(|line| !found.contains(line))
                .for_each(|l| writeln!(failures, "  wanted {l}").unwrap());
            if found.len() == wanted.len() && wanted.iter().all(|line| found.contains(line)) {
                writeln!(failures, "  in another order: {found:#?}").unwrap();
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn the_smallest_place_is_the_one_at_a_byte() {
    let text = "vs_1_1\nm4x4 oPos, v0, c[a0.x + 4]\nmul oD0, v1, c3\n";
    let all = symbols(text, &OpenOptions::default(), &mut NoHost);
    let at = |what: &str| {
        let (symbol, it) = all.at(text.find(what).unwrap() as u32).unwrap();
        (symbol.name.clone(), it.by)
    };
    assert_eq!(at("c[a0"), ("c[]".into(), Mention::Index));
    assert_eq!(at("a0.x"), ("a0".into(), Mention::Name));
    // Behind the name, where a cursor is after it was written.
    assert_eq!(all.at(text.find("oPos").unwrap() as u32 + 4).unwrap().0.name, "oPos");
    assert!(all.at(0).is_none() && all.at(text.len() as u32 + 9).is_none());
    // Constants with a computed number may be c3.
    let c3 = all.named("c3").next().unwrap();
    let reaching: Vec<_> =
        all.reaching(c3).map(|(symbol, it)| (symbol.is_file(), it.lanes.letters())).collect();
    assert_eq!(reaching, [(true, "xyzw".into())]);
}

#[test]
fn programs_of_one_text_have_their_own_symbols() {
    let log = "[1.5] VERT\n[1.5] DCL IN[0]\n[1.5] DCL OUT[0], POSITION\n[1.5]   0: MOV OUT[0], IN[0]\n[1.5]   1: END\n\
        [2.5] FRAG\n[2.5] DCL OUT[0], COLOR\n[2.5] IMM[0] FLT32 {1.0, 0.0, 0.0, 1.0}\n[2.5]   0: MOV OUT[0], IMM[0]\n[2.5]   1: END\n";
    let all = symbols(log, &OpenOptions::named("driver.log"), &mut NoHost);
    let outputs: Vec<_> = all.named("OUT[0]").collect();
    assert_eq!(outputs.iter().map(|symbol| symbol.program).collect::<Vec<_>>(), [0, 1]);
    for symbol in outputs {
        for span in symbol.spellings() {
            assert_eq!(&log[span.start as usize..span.end as usize], "OUT[0]");
        }
    }
}

#[test]
fn words_are_parsed() {
    assert_eq!("read-write".parse(), Ok(Role::ReadWrite));
    assert_eq!("index".parse(), Ok(Mention::Index));
}

#[cfg(feature = "serde")]
#[test]
fn symbols_serialize() {
    let text = "ps_2_0\n#define TINT c4\nmov r0.xy, TINT\n";
    let all = symbols(text, &OpenOptions::default(), &mut NoHost);
    let json = serde_json::to_value(&all).unwrap();
    let c4 = json.as_array().unwrap().iter().find(|symbol| symbol["name"] == "c4").unwrap();
    let expected = serde_json::json!({
        "name": "c4", "kind": "constant", "file": "c", "number": 4, "program": 0, "renamable": false,
        "uses": [{"offset": 34, "end_offset": 38, "statement": {"offset": 23, "end_offset": 38}, "role": "read",
            "by": "alias", "lanes": "xy"}],
    });
    assert_eq!(*c4, expected);
}
