//! Repro files, as data: `repro/good-*` come out as expected, of `repro/differs-*` the title is the one difference, and `repro/bad.txt`
//! says of files why they are refused.

#![cfg(all(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi"))]
#![cfg(all(feature = "render", feature = "files"))]
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use std::path::{Component, Path};
use vecasm::LiftOptions;
use vecasm::exec::lanes::Lanes;
use vecasm::isa::Depth;
use vecasm::options::{ByName, GivenOptions, Reading};
use vecasm::render::Picture;
use vecasm::repro::{Action, Draw, Flags, Repro, Run, is, is_name};

/// The data files whose names begin so, with their contents.
fn files(start: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/repro");
    let mut out: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (path.file_name().unwrap().to_str().unwrap().to_string(), std::fs::read_to_string(path).unwrap())
        })
        .filter(|(name, _)| name.starts_with(start))
        .collect();
    out.sort();
    out
}

fn parse(text: &str) -> Repro {
    Repro::parse(text.as_bytes()).unwrap_or_else(|why| panic!("{text}: {why}"))
}

#[test]
fn every_data_file_is_read() {
    let known = |name: &str| name == "bad.txt" || name.starts_with("good-") || name.starts_with("differs-");
    assert!(files("").iter().all(|(name, _)| known(name)));
}

#[test]
fn good_files_come_out_as_expected() {
    let good = files("good-");
    assert_eq!(good.len(), 5);
    for (name, text) in good {
        let repro = parse(&text);
        assert_eq!(repro.check().unwrap(), [], "{name}");
        // Something is compared: without it the file says so.
        let Action::Run(mut run) = repro.action.clone() else { panic!("{name}") };
        run.expected = None;
        let why = Repro::new(run).check().unwrap_err().to_string();
        assert_eq!(why, "$: \"expected\" is missing, so there is nothing to compare with");
    }
}

#[test]
fn differences_have_places() {
    let all = files("differs-");
    assert_eq!(all.len(), 3);
    for (name, text) in all {
        let repro = parse(&text);
        let said: Vec<String> = repro.check().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(said, [repro.title], "{name}");
    }
}

#[test]
fn what_is_wrong_has_its_place() {
    let bad = &files("bad.txt")[0].1;
    let mut count = 0;
    for block in bad.split("\n\n").skip(1) {
        let (said, text) = block.trim_end().split_once('\n').unwrap();
        let why = Repro::parse(text.as_bytes()).unwrap_err();
        assert_eq!(why.to_string(), said, "{text}");
        assert_eq!(why.path.is_empty(), said.starts_with("not JSON"), "{text}");
        count += 1;
    }
    assert_eq!(count, 35);
}

#[test]
fn what_is_written_is_read() {
    for (name, text) in [files("good-"), files("differs-")].concat() {
        let repro = parse(&text);
        let written = repro.to_json().unwrap();
        assert!(is(text.as_bytes()) && is(written.as_bytes()), "{name}");
        assert_eq!(parse(&written), repro, "{name}");
        assert_eq!(parse(&written).to_json().unwrap(), written, "{name}");
    }
    // The members are in the order of the manual; what is no text that people read is base64.
    let draw = Draw::new(r#"{"b": 1, "a": 0.1}"#).with_time(0.1).with_expected([1, 2], 3);
    let files = [("b".into(), b"\x1b[0m".to_vec()), ("a".into(), b"a\tb\r\n".to_vec())];
    let written = Repro::new(draw).with_title("t\u{e9}").with_files(files).to_json().unwrap();
    let squeezed: String = written.split('\n').map(str::trim_start).collect();
    assert_eq!(
        squeezed,
        "{\"vecasm-repro\": 1,\"title\": \"t\u{e9}\",\"files\": [{\"name\": \"a\",\"text\": \"a\\tb\\r\\n\"},\
         {\"name\": \"b\",\"base64\": \"G1swbQ==\"}],\"scene\": {\"b\": 1,\"a\": 0.1},\"time\": 0.1,\
         \"expected\": {\"png\": \"AQI=\",\"max\": 3}}"
    );
    // As serde_json lays it out.
    let value: serde_json::Value = serde_json::from_str(&written).unwrap();
    let mut lines: Vec<&str> = written.lines().collect();
    let other = serde_json::to_string_pretty(&value).unwrap();
    let mut expected: Vec<&str> = other.lines().collect();
    // Its members may be in another order.
    let bare = |lines: &mut Vec<&str>| {
        lines.iter_mut().for_each(|line| *line = line.trim_end_matches(','));
        lines.sort_unstable();
    };
    bare(&mut lines);
    bare(&mut expected);
    assert_eq!(lines, expected);
    assert!(written.ends_with("}\n"));
}

/// The blanks in front of lines would be a hundred times the text.
#[test]
fn deep_values_are_written_shortly() {
    let deep = format!("{{\"x\": {}1{}}}", "[".repeat(120), ",1".repeat(1000) + &"]".repeat(120));
    let repro = Repro::new(Draw::new(&*deep));
    let written = repro.to_json().unwrap();
    assert!(written.len() < 2 * deep.len(), "{}", written.len());
    let flat = format!("{{\"x\": {}1{}}}", "[".repeat(10), ",1".repeat(1000) + &"]".repeat(10));
    let written = Repro::new(Draw::new(&*flat)).to_json().unwrap();
    assert!(
        written.lines().filter(|line| line.trim_end_matches(',') == format!("{}1", " ".repeat(24))).count()
            > 999
    );
    assert_eq!(parse(&written).to_json().unwrap(), written);
}

#[test]
fn what_could_not_be_read_is_not_written() {
    let said = |repro: Repro| repro.to_json().unwrap_err().to_string();
    let run = || Run::new("a.agal", "", "{}");
    let name = "expected a relative file name without \"..\", \":\" or \"\\\"";
    assert_eq!(said(Repro::new(Run::new("../a", "", "{}"))), format!("$.program.name: {name}"));
    let twice = [("a".to_string(), Vec::new()), ("c:x".to_string(), Vec::new())];
    assert_eq!(said(Repro::new(run()).with_files(twice)), format!("$.files[1].name: {name}"));
    assert_eq!(said(Repro::new(Run::new("a", "", "[]"))), "$.input: expected an object");
    assert!(said(Repro::new(run().with_expected("{".to_string()))).starts_with("$.expected: not JSON: EOF"));
    assert_eq!(said(Repro::new(Draw::new("{}").with_time(f64::NAN))), "$.time: expected a number");
    let many = (0..1025).map(|n| (n.to_string(), Vec::new()));
    assert_eq!(said(Repro::new(run()).with_files(many)), "$.files: more than 1024 files or 256 MiB");
    let most = (0..1024).map(|n| (n.to_string(), Vec::new()));
    assert!(Repro::new(run()).with_files(most).to_json().is_ok());
}

/// What the standard library says of paths, where only `/` is between folders.
#[test]
fn names_stay_below_their_folder() {
    const LETTERS: [char; 5] = ['a', '.', '/', '\\', ':'];
    let mut count = 0;
    for length in 0..6u32 {
        for mut number in 0..5usize.pow(length) {
            let mut name = String::new();
            for _ in 0..length {
                name.push(LETTERS[number % 5]);
                number /= 5;
            }
            let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
            // The last part is a file, not a folder.
            let is_file = !name.is_empty() && !name.ends_with('/') && !name.ends_with("/.");
            let expected = is_file && !name.contains(['\\', ':']) && Path::new(&name).components().all(plain);
            assert_eq!(is_name(&name), expected, "{name:?}");
            count += usize::from(expected);
        }
    }
    assert!(count > 50);
    assert!(!is_name("a\0b") && is_name("a b/\u{e9}.agal"));
}

#[test]
fn repro_files_are_told_by_their_first_key() {
    assert!(is(b" \n{\"title\": \"x\", \"vecasm-repro\": 1}") && is(b"{\"vecasm-repro\""));
    for other in ["", "{", "mov oc, v0", "{\"vecasm-repro", "[\"vecasm-repro\"]", "{ \"vertex\": 1 }"] {
        assert!(!is(other.as_bytes()), "{other}");
    }
    let far = |blanks: usize| format!("{{{}\"vecasm-repro\": 1}}", " ".repeat(blanks));
    assert!(is(far(241).as_bytes()) && !is(far(242).as_bytes()));
}

/// Every option of reading and lifting is a flag that is written as it is read.
#[test]
fn every_option_is_a_flag() {
    fn each<T: ByName>(out: &mut Vec<Vec<String>>) {
        for row in T::rows() {
            let value = match (row.option.name, row.option.value) {
                ("isa", _) => "tgsi",
                ("program", _) => "all",
                ("from-dialect", _) => "virgl",
                ("compat", _) => "tgsi_exec",
                ("pipeline", _) => "none",
                ("limit", _) => "depth=3",
                ("rule", _) => "lit-zero=lit",
                (_, vecasm::options::Value::Word(words)) => words.last().unwrap().0,
                (_, vecasm::options::Value::Switch) => "",
                _ => "3",
            };
            let mut given = GivenOptions::<T>::default();
            given.set(row.option.name, if value.is_empty() { "true" } else { value }).unwrap();
            out.push(given.words());
        }
    }
    let mut all = Vec::new();
    each::<Reading>(&mut all);
    each::<LiftOptions>(&mut all);
    for words in &all {
        assert_eq!(Flags::parse(words).unwrap().words(), *words);
        if let [flag, value] = &words[..] {
            assert_eq!(Flags::parse(&[format!("{flag}={value}")]).unwrap().words(), *words);
        }
    }
    let whole = all.concat();
    assert_eq!(Flags::parse(&whole).unwrap().words(), whole);
    // They are written in the order of the table, and are the same in any other.
    let [one, other] = [["--program=2", "--stage=fragment"], ["--stage=fragment", "--program=2"]];
    assert_eq!(Flags::parse(&one), Flags::parse(&other));
    // Words with commas between them add up, and what holds anyway is not kept.
    let words = ["--numerics", "flash", "--ifg", "greater", "--numerics=exact,ieee"];
    assert_eq!(Flags::parse(&words).unwrap().words(), ["--numerics", "flash,exact,ieee"]);
}

#[test]
fn flags_are_for_the_program() {
    let repro = |flags: &[&str], text: &str| {
        let run = Run::new("a.frag.agal", text, r#"{"inputs": [{"v0": [1, 2, 3, 4]}]}"#);
        Repro::new(run).with_flags(Flags::parse(flags).unwrap())
    };
    let said = |flags: &[&str], text: &str| repro(flags, text).run().unwrap_err().to_string();
    assert_eq!(said(&["--clamp", "all"], "mov oc, v0"), "$.flags: --clamp is for nv2a, and this is agal");
    assert_eq!(
        said(&["--numerics", "nv20"], "mov oc, v0"),
        "$.flags: --numerics: programs of agal have flash, ieee, fast"
    );
    assert_eq!(said(&["--program", "2"], "mov oc, v0"), "$.program: no program 2; there are 1");
    let stage = said(&["--stage", "vertex"], "ps_2_0\nmov oC0, c0");
    assert!(stage.contains("the program is a fragment program, not a vertex program"), "{stage}");
    assert!(said(&[], "moov oc, v0").starts_with("$.program: a.frag.agal:1:1: error[AGAL-unknown-opcode]"));
    assert_eq!(said(&[], "{\"vecasm-repro\": 1}"), "$.program: a repro file in a repro file");
    assert_eq!(said(&[], "mov oc, v1"), "$.input: inputs[0]: v1 is missing: the program reads it");
    // The debugger has its steps.
    let case = repro(&[], "mov oc, v0").case(Depth::Full).unwrap();
    assert!(case.program.session(case.shader, &case.on.batch(), 0).is_ok());
}

/// A picture in the simplest of all forms: a byte for the width, and pixels.
fn decode(bytes: &[u8]) -> Result<Picture, String> {
    let (width, pixels) = bytes.split_first().ok_or("empty")?;
    let width = u32::from(*width);
    Ok(Picture { width, height: pixels.len() as u32 / 4 / width.max(1), rgba8: pixels.to_vec() })
}

#[test]
fn scenes_are_drawn_and_compared() {
    let scene = r#"{"vertex": "quad.vert.agal", "fragment": "tex.agal", "mesh": "quad", "size": 2,
        "textures": {"fs0": {"image": "texel"}}}"#;
    let files = [
        ("quad.vert.agal", b"mov op, va0\nmov v0, va2".to_vec()),
        ("tex.agal", b"tex oc, v0, fs0 <2d,nearest,clamp>".to_vec()),
        ("texel", [&[1][..], &[0, 200, 0, 255]].concat()),
    ];
    let picture = |green: u8, count: usize| [&[2][..], &[0, green, 0, 255].repeat(count)].concat();
    let files = files.map(|(name, bytes)| (name.to_string(), bytes));
    let repro = |png: Vec<u8>, max: u8| {
        let repro = Repro::new(Draw::new(scene).with_expected(png, max)).with_files(files.clone());
        parse(&repro.to_json().unwrap())
    };
    let said = |repro: &Repro| {
        let said = repro.check_picture(&Lanes::default(), &mut decode);
        said.map(|difference| difference.map(|difference| difference.to_string()))
            .map_err(|why| why.to_string())
    };
    assert_eq!(said(&repro(picture(200, 4), 0)), Ok(None));
    assert_eq!(said(&repro(picture(198, 4), 2)), Ok(None));
    let off = "a channel at 0,0 is 2 of 255 off; 1 is allowed";
    assert_eq!(said(&repro(picture(198, 4), 1)), Ok(Some(off.into())));
    let size = "the picture has 2 x 2 pixels, expected 2 x 3";
    assert_eq!(said(&repro(picture(200, 6), 255)), Ok(Some(size.into())));
    assert_eq!(said(&repro(Vec::new(), 0)), Err("$.expected.png: empty".into()));
    // Flags are for programs of scenes, too: this form is none of theirs.
    let mut digits = repro(picture(200, 4), 0);
    digits.flags = Flags::parse(&["--from", "hex"]).unwrap();
    assert!(said(&digits).unwrap_err().starts_with("$.scene.vertex: "), "{:?}", said(&digits));
    let why = repro(picture(200, 4), 0).check().unwrap_err().to_string();
    assert_eq!(why, "$: contains a scene, and no program to run");
    let run = Repro::new(Run::new("a", "", "{}"));
    assert_eq!(said(&run), Err("$: contains a program, and no scene to draw".into()));
}

#[test]
fn a_picture_is_decoded_once() {
    // Two textures of one file: twice the texel comes out, and what is opaque stays so.
    let scene = r#"{"vertex": "quad.vert.agal", "fragment": "two.agal", "mesh": "quad", "size": 2,
        "textures": {"fs0": {"image": "texel"}, "fs1": {"image": "texel"}}}"#;
    let files = [
        ("quad.vert.agal", b"mov op, va0\nmov v0, va2".to_vec()),
        ("two.agal", b"tex ft0, v0, fs0 <2d>\ntex ft1, v0, fs1 <2d>\nadd oc, ft0, ft1".to_vec()),
        ("texel", [&[1][..], &[0, 100, 0, 255]].concat()),
    ];
    let files = files.map(|(name, bytes)| (name.to_string(), bytes));
    let expected = [&[2][..], &[0, 200, 0, 255].repeat(4)].concat();
    let repro = Repro::new(Draw::new(scene).with_expected(expected, 0)).with_files(files);
    let mut decoded = 0;
    let found = repro.check_picture(&Lanes::default(), &mut |bytes| {
        decoded += 1;
        decode(bytes)
    });
    // The picture that is expected, and the texel.
    assert_eq!((found, decoded), (Ok(None), 2));
}

#[test]
fn what_is_long_is_shown_in_short() {
    let run = Run::new("a.agal", "", "{}").with_expected(format!("{{\"killed\": [{}0]}}", "0,".repeat(5000)));
    let found = run.compare("{\"killed\": [0]}").unwrap();
    assert_eq!(found[0].path, "$.expected.killed");
    assert_eq!(found[0].message, format!("expected [{}..., found [0]", &"0,".repeat(50)[..99]));
}

/// A value that is read as a file of its own may be too deep in a repro file.
#[test]
fn nothing_is_written_deeper_than_it_is_read() {
    for depth in [120, 126, 127, 130] {
        let nested = format!("{{\"outputs\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
        let written = Repro::new(Run::new("a.agal", "", "{}").with_expected(nested)).to_json();
        if let Ok(text) = &written {
            assert!(Repro::parse(text.as_bytes()).is_ok(), "{depth}");
        }
        assert_eq!(written.is_ok(), depth < 126, "{depth}");
    }
}

#[test]
fn flags_are_for_the_program_and_given_once() {
    let twice = Flags::parse(&["--ifg", "greater-equal", "--ifg", "greater-equal"]).unwrap_err().to_string();
    assert!(twice.ends_with("--ifg is given twice"), "{twice}");
    let text = br#"{"vecasm-repro": 1, "flags": ["--from-dialect", "virgl"],
        "program": {"name": "root.frag.agal", "text": "sqt oc, v0"}, "input": {}}"#;
    let foreign = Repro::parse(text).unwrap().run().unwrap_err().to_string();
    assert_eq!(foreign, "$.flags: --from-dialect is for tgsi, and this is agal");
}
