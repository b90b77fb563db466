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
    fails(
        &["run", "--random", "1", &format!("{file}::T/P/ps")],
        2,
        &["2 programs", "param4[0]", "param4[1]"],
    );
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
    let code =
        ok(&["asm", "--isa", "d3d9", "-", "-o", "-"], "ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0\n").stdout;
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
    let big = shown(&dir.join("big.zip"));
    std::fs::write(&big, archive(&[stored("long.h", long.as_bytes())])).unwrap();
    assert_eq!(lines(&["check", &big]).len(), 1);
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

/// The example of `drawn`, whose choice is by `mov oc0.x, c0.x`-like expressions, with an address of an expression.
fn with_expression(name: &str) -> (std::path::PathBuf, String) {
    let dir = drawn(name);
    let file = shown(&dir.join("drawn.fxb"));
    (dir, file)
}

#[test]
fn what_chooses_is_shown() {
    let (_, file) = with_expression("addresses-chooses");
    let text = stdout(&ok(&["info", "--format", "text", &file], "")).to_string();
    assert!(text.contains("an element of Array, by `mov c0.x, c0.x`"), "{text}");
}

#[test]
fn expressions_have_addresses() {
    let shared = std::env::var_os("VECASM_SHARED").map(std::path::PathBuf::from);
    let file = shared.map(|dir| dir.join("corpus/containers/fx2/test_effect_preshader_effect_blob.fxo"));
    // The effect is of the corpus, which may be elsewhere.
    let Some(file) = file.filter(|file| file.is_file()) else { return };
    let dir = folder("addresses-expressions", &[]);
    let at = format!("{}::technique0/pass0/state31", file.display());
    let text = dir.join("one.asm");
    ok(&["dis", &at, "-o", &shown(&text)], "");
    let said = std::fs::read_to_string(&text).unwrap();
    assert!(said.starts_with("fx_2_0\n") && said.contains("// rcp "), "{said}");
    assert!(stdout(&ok(&["hash", &at], "")).contains("sha256"));
    // It goes back as it is, and no program comes in its place.
    let (effect, out) = (shown(&file), shown(&dir.join("out.fxo")));
    let edit = format!("technique0/pass0/state31={}", shown(&text));
    ok(&["repack", &effect, &edit, "-o", &out], "");
    assert!(std::fs::read(&out).unwrap() == std::fs::read(&file).unwrap());
    let other = shown(&dir.join("other.asm"));
    std::fs::write(&other, "ps_2_0\nmov oC0, c0\n").unwrap();
    let edit = format!("technique0/pass0/state31={other}");
    fails(&["repack", &effect, &edit, "-o", &out], 2, &["a program in the place of an expression"]);
    ok(&["extract", &at, "-o", &shown(&dir.join("parts"))], "");
    assert!(dir.join("parts/technique0.pass0.state31.bin").is_file());
}

#[test]
fn texts_take_programs_without_comments_of_bytecode() {
    let code =
        super::containers::with_table("vs_2_0\ndcl_position v0\nmul r0, v0, c0\nmov oPos, r0\n", "Tint");
    let dump = "1 Direct3DCreate9(SDKVersion = 32) = 0x1000\n\
        220 IDirect3DDevice9::CreateVertexShader(this = 0x2000, pFunction = \"vs_2_0\n    dcl_position v0\n    \
        mov oPos, v0\n\", ppShader = &0x3000) = D3D_OK\n";
    let dir = folder("addresses-comments", &[("dump.txt", dump.as_bytes()), ("new.bin", &code)]);
    let path = |name: &str| shown(&dir.join(name));
    ok(&["dis", &path("new.bin"), "-o", &path("new.asm")], "");
    assert!(std::fs::read_to_string(path("new.asm")).unwrap().contains(".comment CTAB"));
    let edit = format!("call220={}", path("new.asm"));
    for drop in [&["--drop-comments"][..], &[]] {
        ok(&[&["repack", &path("dump.txt"), &edit, "-o", &path("out.txt")], drop].concat(), "");
        let text = std::fs::read_to_string(path("out.txt")).unwrap();
        assert!(text.contains("mul r0, v0, c0") && !text.contains(".comment"), "{text}");
    }
}

#[test]
fn programs_beside_a_dump_are_followed_or_told() {
    let code = ok(&["asm", "--isa", "d3d9", "-", "-o", "-"], "ps_2_0\nmov oC0, c0\n").stdout;
    let call = |number: u32, file: &str| {
        format!(
            "{number} IDirect3DDevice9::CreatePixelShader(this = 0x2000, pFunction = blob(\"{file}\"), ppShader = &0x3000) = \
            D3D_OK\n"
        )
    };
    let listed = "220 IDirect3DDevice9::CreateVertexShader(this = 0x2000, pFunction = \"vs_2_0\n    dcl_position v0\n    \
        mov oPos, v0\n\", ppShader = &0x3000) = D3D_OK\n";
    let dump = [listed, &call(230, "a.bin"), &call(240, "b.bin"), &call(250, "../dump.txt")].concat();
    let dir = folder("addresses-blobs", &[("dump.txt", dump.as_bytes()), ("a.bin", &code)]);
    let file = shown(&dir.join("dump.txt"));
    let output = ok(&["check", &file], "");
    let said = format!("{}{}", stdout(&output), stderr(&output));
    for words in
        ["::call220: accepted", "::call230: accepted", "call240: its program is in b.bin", "call250: its"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(lines(&["check", &format!("{file}::call230")]).len(), 1);
    fails(&["check", &format!("{file}::call240")], 2, &["b.bin"]);
    // It is read, and not written.
    let edit = format!("call230={}", shown(&dir.join("a.bin")));
    fails(&["repack", &file, &edit, "-o", &shown(&dir.join("new.txt"))], 2, &["`vecasm asm NEW -o a.bin`"]);
}

#[test]
fn addresses_may_be_typed_in_short() {
    let effect = std::fs::read(drawn("addresses-short").join("drawn.fxb")).unwrap();
    let code = ok(&["asm", "--isa", "d3d9", "-", "-o", "-"], "ps_2_0\nmov oC0, c0\n").stdout;
    let pack = archive(&[stored("fx/a.fxb", &effect), stored("a=b.pso", &code)]);
    let dir = folder(
        "addresses-typed",
        &[("all.zip", &pack), ("new.asm", b"ps_2_0\ndef c0, 0, 1, 0, 1\nmov oC0, c0\n")],
    );
    let file = shown(&dir.join("all.zip"));
    let second = lines(&["check", &format!("{file}::fx/a.fxb::2")]);
    for address in ["fx/a.fxb#2", "fx\\a.fxb::2"] {
        assert_eq!(lines(&["check", &format!("{file}::{address}")]), second, "{address}");
    }
    // Nothing behind the name is the file.
    assert_eq!(lines(&["check", &format!("{file}::")]), lines(&["check", &file]));
    for address in ["-::2", "-#2", "-::Array[1]"] {
        let output = ok(&["check", address], &effect);
        assert!(stdout(&output).contains("param4[1]: accepted"), "{address}: {}", stdout(&output));
    }
    fails(&["check", "-", "-::1"], 2, &["read only once"]);
    // As `extract` names its file.
    let out = shown(&dir.join("out.zip"));
    let edit = format!("a%3Db.pso={}", shown(&dir.join("new.asm")));
    ok(&["repack", &file, &edit, "-o", &out], "");
    assert!(stdout(&ok(&["dis", &format!("{out}::a=b.pso")], "")).contains("def c0"));
    fails(&["check", &file, "--isa", "agal"], 2, &["no shaders of agal"]);
}

#[test]
fn extract_says_what_it_does_not_write() {
    let code = ok(&["asm", "--isa", "d3d9", "-", "-o", "-"], "ps_2_0\nmov oC0, c0\n").stdout;
    let pack = archive(&[stored("readme.txt", b"Nothing to see.\n")]);
    let dir =
        folder("addresses-extract", &[("in/empty.zip", &pack), ("in/one.cso", &code), ("none/a.cso", &code)]);
    let path = |name: &str| shown(&dir.join(name));
    let told = |args: &[&str]| stderr(&ok(args, "")).to_string();
    let said = told(&["extract", &path("none"), "-o", &path("out1")]);
    assert!(said.contains("nothing is extracted"), "{said}");
    let said = told(&["extract", &path("in"), "-o", &path("out2")]);
    assert!(said.contains("empty.zip: no programs; --all"), "{said}");
    assert!(!dir.join("out2").exists());
    let said = told(&["extract", &path("in/empty.zip"), "-o", &path("out3")]);
    assert!(said.contains("0 files") && said.contains("--all"), "{said}");
    fails(&["extract", &path("in/one.cso"), "-o", &path("out4")], 2, &["it is a program"]);
}
