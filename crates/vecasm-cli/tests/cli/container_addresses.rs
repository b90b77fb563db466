//! What addresses in containers lead to: choices, techniques, files with one program; and what may be replaced there.

use super::containers::build::{archive, stored};
use super::effects::drawn;
use super::{folder, ok, stderr, stdout, vecasm};
use std::path::Path;

/// The lines that a verb says of programs.
fn lines(args: &[&str]) -> Vec<String> {
    stdout(&ok(args, "")).lines().map(String::from).collect()
}

/// Fails with that status and words in what is said.
fn fails(args: &[&str], status: i32, words: &[&str]) {
    let output = vecasm(args, "");
    assert_eq!(output.status.code(), Some(status), "{args:?}: {}", stderr(&output));
    for word in words {
        assert!(stderr(&output).contains(word), "{args:?}: {word}: {}", stderr(&output));
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn a_choice_leads_to_the_programs_that_it_can_choose() {
    let dir = drawn("addresses-choice");
    let (file, pack) = (shown(&dir.join("drawn.fxb")), shown(&dir.join("pack.zip")));
    let whole = lines(&["check", &file]);
    assert_eq!(whole.len(), 2, "{whole:?}");
    for address in ["technique0/pass0/ps", "T/P/ps", "technique0", "T", "technique0/pass0"] {
        assert_eq!(lines(&["check", &format!("{file}::{address}")]), whole, "{address}");
    }
    assert_eq!(lines(&["check", &format!("{pack}::fx/a.fxb::T")]).len(), 2);
    // A verb that takes one lists them.
    fails(&["run", "--random", "1", &format!("{file}::T/P/ps")], 2, &["2 programs", "param4[0]", "param4[1]"]);
}

#[test]
fn a_program_comes_in_the_place_of_programs_only() {
    let dir = drawn("addresses-place");
    let path = |name: &str| shown(&dir.join(name));
    let (file, out, new) = (path("drawn.fxb"), path("out.fxb"), path("new.asm"));
    std::fs::write(&new, "ps_2_0\ndef c0, 0, 1, 0, 1\nmov oC0, c0\n").unwrap();
    for address in ["technique0/pass0/ps", "T/P/ps", "T"] {
        let edit = format!("{address}={new}");
        fails(&["repack", &file, &edit, "-o", &out], 2, &["2 programs", "param4[1]"]);
    }
    assert!(!Path::new(&out).exists());
    // The blob of a choice comes in the place of one.
    let parts = path("parts");
    ok(&["extract", "--all", &file, "-o", &parts], "");
    let choice = format!("{parts}/technique0.pass0.ps.bin");
    ok(&["repack", &file, &format!("T/P/ps={choice}"), "-o", &out], "");
    assert!(std::fs::read(&out).unwrap() == std::fs::read(&file).unwrap());
    // A program in the place of a whole effect with two of them, and of a picture.
    let pack = path("pack.zip");
    fails(&["repack", &pack, &format!("fx/a.fxb={new}"), "-o", &out], 2, &["2 programs"]);
    ok(&["repack", &pack, &format!("fx/a.fxb={file}"), "-o", &path("same.zip")], "");
    let png = archive(&[stored("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0")]);
    std::fs::write(path("png.zip"), png).unwrap();
    fails(&["repack", &path("png.zip"), &format!("a.png={new}"), "-o", &out], 1, &["CONTAINER-fit", "a.png"]);
}

#[test]
fn the_only_program_of_what_an_address_names_is_replaced() {
    let code = |text: &str, isa: &str| ok(&["asm", "--isa", isa, "-", "-o", "-"], text).stdout;
    let agal = code(".agal fragment 1\nmov oc, v0\n", "agal");
    let blob = super::containers::build::effect_of(
        "Tint",
        [1.0, 0.5, 0.25, 1.0],
        &[("T", &code("ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0\n", "d3d9"))],
    );
    let pack = archive(&[
        stored("one.fxb", &blob),
        stored("glow.bin", &agal),
        stored("glow.frag.agal", b"mov oc, v0 // kept\n"),
    ]);
    let dir = folder(
        "addresses-only",
        &[("pack.zip", &pack), ("one.fxb", &blob), ("new.asm", b"ps_2_0\ndef c0, 0, 1, 0, 1\nmov oC0, c0\n")],
    );
    let path = |name: &str| shown(&dir.join(name));
    let (file, out, new) = (path("pack.zip"), path("out.zip"), path("new.asm"));
    // What `dis` shows is what `repack` and `asm --splice` replace.
    ok(&["repack", &file, &format!("one.fxb={new}"), "-o", &out], "");
    let text = stdout(&ok(&["dis", &format!("{out}::one.fxb")], "")).to_string();
    assert!(text.contains("def c0, 0, 1, 0, 1") || text.contains("0.0, 1.0, 0.0, 1.0"), "{text}");
    let spliced = path("spliced.zip");
    ok(&["asm", &new, "--splice", &format!("{file}::one.fxb"), "-o", &spliced], "");
    assert!(std::fs::read(&out).unwrap() == std::fs::read(&spliced).unwrap());
    // A file in an archive stays bytecode or text.
    let text = path("new.frag.agal");
    std::fs::write(&text, ".agal fragment 1\nmul oc, v0, v0 // new\n").unwrap();
    ok(&["repack", &file, &format!("glow.bin={text}"), "-o", &out], "");
    let bytes = ok(&["extract", &format!("{out}::glow.bin"), "-o", &path("bin")], "");
    assert!(bytes.status.success());
    let made = std::fs::read(dir.join("bin/glow.bin.bin")).unwrap();
    assert_eq!(made, code(".agal fragment 1\nmul oc, v0, v0\n", "agal"));
    let binary = path("new.bin");
    std::fs::write(&binary, code(".agal fragment 1\nmul oc, v0, v0\n", "agal")).unwrap();
    for (edit, wanted) in [(&text, "// new"), (&binary, "mul oc, v0, v0")] {
        ok(&["repack", &file, &format!("glow.frag.agal={edit}"), "-o", &out], "");
        ok(&["extract", "--force", &format!("{out}::glow.frag.agal"), "-o", &path("text")], "");
        let made = std::fs::read_to_string(dir.join("text/glow.frag.agal.bin")).unwrap();
        assert!(made.contains(wanted), "{made}");
    }
    fails(&["repack", &file, &format!("glow.bin={new}"), "-o", &out], 1, &[]);
}

#[test]
fn the_only_program_of_a_container_is_written_to_one_file() {
    let dir = folder("addresses-one", &[]);
    let code = ok(&["asm", "--isa", "d3d9", "-", "-o", "-"], "ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0\n").stdout;
    let effect = super::containers::build::effect_of("Tint", [0.0; 4], &[("T", &code)]);
    let (file, out) = (shown(&dir.join("one.cso")), shown(&dir.join("one.asm")));
    std::fs::write(&file, effect).unwrap();
    ok(&["dis", &file, "-o", &out], "");
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("ps_2_0"));
    // By its number, too, it is called by its address.
    let by_number = lines(&["check", &format!("{file}::1")]);
    assert_eq!(by_number, lines(&["check", &file]));
    assert!(by_number[0].contains("technique0/pass0/ps"), "{by_number:?}");
}

#[test]
fn standard_input_is_not_replaced() {
    let dir = drawn("addresses-dash");
    let effect = std::fs::read(dir.join("drawn.fxb")).unwrap();
    let output = vecasm(&["repack", "-", "--set", "Pick=1", "--in-place"], &effect);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("standard input"), "{}", stderr(&output));
}

#[test]
fn an_effect_is_one_text_wherever_it_is() {
    let dir = drawn("addresses-hlsl");
    let (file, pack) = (shown(&dir.join("drawn.fxb")), shown(&dir.join("pack.zip")));
    let blocks = |text: &str| text.lines().filter(|line| line.starts_with("#ifdef")).count();
    let whole = stdout(&ok(&["to", "hlsl", &file], "")).to_string();
    assert_eq!(blocks(&whole), 2, "{whole}");
    for address in ["technique0", "T/P", "technique0/pass0/ps"] {
        let text = stdout(&ok(&["to", "hlsl", &format!("{file}::{address}")], "")).to_string();
        assert_eq!(text, whole, "{address}");
    }
    let inner = stdout(&ok(&["to", "hlsl", &format!("{pack}::fx/a.fxb")], "")).to_string();
    assert_eq!((blocks(&inner), inner.contains("technique T {")), (2, true), "{inner}");
    // Standard input is read once, and as an effect has the same text.
    let effect = std::fs::read(&file).unwrap();
    let piped = stdout(&ok(&["to", "hlsl", "-"], &effect)).to_string();
    assert_eq!(piped.replace("<stdin>", &file), whole);
    let one = stdout(&ok(&["to", "hlsl", "-"], "ps_2_0\nmov oC0, c0\n")).to_string();
    assert_eq!(blocks(&one), 0, "{one}");
    // An archive of two effects has no text of its own.
    fails(&["to", "hlsl", &pack], 2, &["4 programs"]);
}

/// The example: a pushbuffer that draws twice.
fn recording() -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/containers/frame.pb")).unwrap()
}

#[test]
fn what_is_read_as_a_file_is_read_as_a_member() {
    let utf16 = |text: &str| -> Vec<u8> {
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    let code = ok(&["asm", "--isa", "nv2a", "-", "-o", "-"], ".nv2a\nmov oPos, v0\nmov oD0, c[4]\n").stdout;
    // The header of a file of the XDK: a vertex program, and how many slots.
    let slots = (code.len() / 16) as u16;
    let xvu = [&0x2078u16.to_le_bytes()[..], &slots.to_le_bytes(), &code].concat();
    let header = "const DWORD g_a[] = { 0xffff0200, 0x02000001, 0x800f0800, 0xa0e40000, 0x0000ffff };\n";
    // Longer than any program: a log of a game.
    let long = format!("{}{header}", format!("// {}\n", " ".repeat(99_990)).repeat(43));
    assert!(long.len() > 4 << 20);
    let files: Vec<(&'static str, Vec<u8>)> = vec![
        ("a.xvu", xvu),
        ("slots.dat", code),
        ("frame.dat", recording()),
        ("wide.txt", utf16(".agal fragment 1\nmov oc, v0\n")),
        ("arrays.h", utf16(&format!("{header}{}", header.replace("g_a", "g_b")))),
        ("long.h", long.into_bytes()),
    ];
    let dir = folder("addresses-members", &[]);
    let members: Vec<_> = files.iter().map(|(name, bytes)| stored(name, bytes)).collect();
    let pack = shown(&dir.join("all.zip"));
    std::fs::write(&pack, archive(&members)).unwrap();
    let facts = |lines: &[String]| -> Vec<String> {
        lines.iter().filter_map(|line| Some(line.split_once(": ")?.1.to_string())).collect()
    };
    for (name, bytes) in &files {
        let path = shown(&dir.join(name));
        std::fs::write(&path, bytes).unwrap();
        let alone = facts(&lines(&["check", &path]));
        assert!(!alone.is_empty(), "{name}");
        assert_eq!(facts(&lines(&["check", &format!("{pack}::{name}")])), alone, "{name}");
    }
    // The draws of a recording, with the constants of each.
    let draw = |file: &str| {
        stdout(&ok(&["run", "--random", "1", "--format", "csv", &format!("{file}::draw2")], "")).to_string()
    };
    assert_eq!(draw(&format!("{pack}::frame.dat")), draw(&shown(&dir.join("frame.dat"))));
    // A text keeps its encoding.
    let new = shown(&dir.join("new.asm"));
    std::fs::write(&new, "ps_2_0\nmov oC0, c0\n").unwrap();
    let out = shown(&dir.join("out.zip"));
    ok(&["repack", &pack, &format!("arrays.h::g_b={new}"), "-o", &out], "");
    ok(&["extract", "--all", &out, "-o", &shown(&dir.join("parts"))], "");
    ok(&["dis", &format!("{out}::arrays.h::g_b")], "");
    let changed = std::fs::read(&out).unwrap();
    assert!(changed.windows(2).any(|pair| pair == [0xFF, 0xFE]), "UTF-16 with its mark");
}
