//! Programs in texts and recordings: named, taken out, put back in the notation that they have.

use super::containers::build::{archive, deflated, stored, words};
use super::{folder, ok, stderr, stdout, vecasm};
use serde_json::Value;
use std::path::Path;

/// `mov oC0, c0` of ps_2_0: the version, the instruction with two operands, its operands, the end.
const PLAIN: [u32; 5] = [0xffff_0200, 0x0200_0001, 0x800f_0800, 0xa0e4_0000, 0x0000_ffff];
/// The text of `mul r0, c0, c1` and `mov oC0, r0`, and its words.
const NEW: &str = "ps_2_0\nmul r0, c0, c1\nmov oC0, r0\n";
const NEW_WORDS: [u32; 9] = [
    0xffff_0200,
    0x0300_0005,
    0x800f_0000,
    0xa0e4_0000,
    0xa0e4_0001,
    0x0200_0001,
    0x800f_0800,
    0x80e4_0000,
    0x0000_ffff,
];

/// An array of words, four a line.
fn dwords(name: &str, program: &[u32]) -> String {
    let lines: Vec<String> = program
        .chunks(4)
        .map(|line| line.iter().map(|word| format!("0x{word:08x}")).collect::<Vec<_>>().join(", "))
        .collect();
    format!("const DWORD {name}[{}] =\n{{\n    {}\n}};\n", program.len(), lines.join(",\n    "))
}

/// An array of bytes as fxc /Fh writes it, behind its listing.
fn fxc(name: &str, program: &[u32]) -> String {
    let bytes = words(program);
    let lines: Vec<String> = bytes
        .chunks(6)
        .map(|line| line.iter().map(|byte| format!("{byte:>3}")).collect::<Vec<_>>().join(", "))
        .collect();
    format!(
        "#if 0\n//\n    ps_2_0\n    mov oC0, c0\n#endif\n\nconst BYTE {name}[] =\n{{\n    {}\n}};\n",
        lines.join(", \n    ")
    )
}

/// The lines of `check`, without the name of the file.
fn checked(path: &Path, address: &str) -> Vec<String> {
    let path = path.display().to_string();
    let output = ok(&["check", &format!("{path}{address}")], "");
    stdout(&output).lines().map(|line| line.replace(&path, "")).collect()
}

#[test]
fn arrays_have_names_and_take_programs() {
    let header = format!("#pragma once\n{}{}// the end\n", dwords("g_plain", &PLAIN), fxc("g_main", &PLAIN));
    let dir = folder("texts-arrays", &[("a.h", header.as_bytes()), ("new.asm", NEW.as_bytes())]);
    let (path, new) = (dir.join("a.h"), dir.join("new.asm").display().to_string());
    let accepted = "accepted (fragment program, ps_2_0, 1 instruction)";
    assert_eq!(checked(&path, "")[..2], [format!("::g_plain: {accepted}"), format!("::g_main: {accepted}")]);
    assert_eq!(checked(&path, "::array1"), [format!("::g_main: {accepted}")]);
    assert_eq!(checked(&path, "::2"), [format!("::g_main: {accepted}")]);
    let file = path.display().to_string();
    let output = vecasm(&["dis", &format!("{file}::g_mian")], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no program g_mian; there is g_plain, g_main"), "{}", stderr(&output));
    // Nothing else of the file changes, and the number of elements follows.
    let out = dir.join("out.h").display().to_string();
    for (address, expected) in [
        (
            "g_plain",
            format!("#pragma once\n{}{}// the end\n", dwords("g_plain", &NEW_WORDS), fxc("g_main", &PLAIN)),
        ),
        (
            "g_main",
            format!("#pragma once\n{}{}// the end\n", dwords("g_plain", &PLAIN), fxc("g_main", &NEW_WORDS)),
        ),
    ] {
        ok(&["repack", &file, &format!("{address}={new}"), "-o", &out], "");
        assert_eq!(std::fs::read_to_string(&out).unwrap(), expected);
        ok(&["asm", "--splice", &format!("{file}::{address}"), &new, "-o", &out], "");
        assert_eq!(std::fs::read_to_string(&out).unwrap(), expected);
    }
    // A file of two needs an address.
    let output = vecasm(&["asm", "--splice", &file, "-"], NEW);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("2 programs; choose one by its address"), "{}", stderr(&output));
    // The other stage is refused.
    let output = vecasm(&["asm", "--splice", &format!("{file}::g_main"), "-"], "vs_2_0\nmov oPos, c0\n");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("a vertex program in the place of a fragment one"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn what_cannot_follow_is_refused_and_what_can_does() {
    // Each declaration of the old array, and of the new one; none where the number is said in a way that is not known.
    let words =
        |words: &[u32]| words.iter().map(|word| format!("0x{word:08x}")).collect::<Vec<_>>().join(", ");
    let bytes = |program: &[u32]| {
        super::containers::build::words(program)
            .iter()
            .map(|b| format!("0x{b:02x}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (old, new) = (words(&PLAIN), words(&NEW_WORDS));
    let cases = [
        (
            format!("std::array<uint32_t, 5> a = {{ {old} }};\n"),
            Some(format!("std::array<uint32_t, 9> a = {{ {new} }};\n")),
        ),
        (format!("DWORD a[0x5] = {{ {old} }};\n"), Some(format!("DWORD a[9] = {{ {new} }};\n"))),
        (
            format!("DWORD a[5 /* words */] = {{ {old} }};\n"),
            Some(format!("DWORD a[9 /* words */] = {{ {new} }};\n")),
        ),
        (
            format!("uint[] a = new uint[5] {{ {old} }};\n"),
            Some(format!("uint[] a = new uint[9] {{ {new} }};\n")),
        ),
        (
            format!("int n[] = {{ 1, 2, 3 }};\nDWORD a[] = {{ {old} }};\n"),
            Some(format!("int n[] = {{ 1, 2, 3 }};\nDWORD a[] = {{ {new} }};\n")),
        ),
        (
            format!("// x[] = {{ {old} }};\nDWORD a[] = {{ {old} }};\n"),
            Some(format!("// x[] = {{ {old} }};\nDWORD a[] = {{ {new} }};\n")),
        ),
        (
            format!("unsigned char a[] = {{ {} }};\nunsigned int a_len = 20;\n", bytes(&PLAIN)),
            Some(format!("unsigned char a[] = {{ {} }};\nunsigned int a_len = 36;\n", bytes(&NEW_WORDS))),
        ),
        (format!("DWORD a[N] = {{ {old} }};\n"), None),
        (format!("DWORD a[2][5] = {{ {{ {old} }}, {{ {old} }} }};\n"), None),
    ];
    for (old, new) in cases {
        let dir = folder("texts-length", &[("a.h", old.as_bytes()), ("new.asm", NEW.as_bytes())]);
        let path = |name: &str| dir.join(name).display().to_string();
        let output = vecasm(&["asm", "--splice", &path("a.h"), &path("new.asm"), "-o", "-"], "");
        match new {
            Some(new) => assert_eq!(
                (stdout(&output), stderr(&output).contains("error")),
                (&*new, false),
                "{}",
                stderr(&output)
            ),
            None => assert!(
                stderr(&output).contains("CONTAINER-fit"),
                "{old}: {}{}",
                stdout(&output),
                stderr(&output)
            ),
        }
    }
    // Words whose most significant byte comes first stay so.
    let swapped: Vec<u32> = PLAIN.iter().map(|word| word.swap_bytes()).collect();
    let same =
        folder("texts-order", &[("a.h", format!("DWORD a[] = {{ {} }};\n", words(&swapped)).as_bytes())]);
    let path = same.join("a.h").display().to_string();
    let output = ok(&["asm", "--splice", &path, "-", "-o", "-"], NEW);
    let swapped: Vec<u32> = NEW_WORDS.iter().map(|word| word.swap_bytes()).collect();
    assert_eq!(stdout(&output), format!("DWORD a[] = {{ {} }};\n", words(&swapped)));
}

#[test]
fn what_stands_in_front_of_a_program_stays() {
    let call = |n: usize, text: &str| {
        format!(
            "{n} IDirect3DDevice9::CreatePixelShader(this = 0x2, pFunction = \"{text}\", ppShader = &0x3) = D3D_OK\n"
        )
    };
    let start = "218 IDirect3D9::CreateDevice(this = 0x1) = D3D_OK\n";
    let plain = "ps_2_0\n    mov oC0, c0\n";
    let trace = format!("{start}{}{}", call(219, plain), call(220, plain));
    let log: String = "FRAG\nDCL OUT[0], COLOR\n  0: MOV OUT[0], OUT[0]\n  1: END\n"
        .lines()
        .map(|line| format!("[ 1.5] {line}\n"))
        .collect();
    let dir = folder(
        "texts-front",
        &[("t.txt", trace.as_bytes()), ("log.txt", log.as_bytes()), ("new.asm", NEW.as_bytes())],
    );
    let path = |name: &str| dir.join(name).display().to_string();
    let output =
        ok(&["asm", "--splice", &format!("{}::call219", path("t.txt")), &path("new.asm"), "-o", "-"], "");
    assert_eq!(stdout(&output), format!("{start}{}{}", call(219, NEW), call(220, plain)));
    let new = "FRAG\nDCL OUT[0], COLOR\n  0: ADD OUT[0], OUT[0], OUT[0]\n  1: END\n";
    let output = vecasm(&["asm", "--splice", &path("log.txt"), "-", "-o", "-"], new);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("lines with something in front of them"), "{}", stderr(&output));
}

#[test]
fn a_text_in_an_archive_is_edited_and_not_replaced() {
    let zip = archive(&[deflated("src/a.h", dwords("g_plain", &PLAIN).as_bytes())]);
    let dir = folder("texts-zip", &[("a.zip", &zip), ("new.asm", NEW.as_bytes())]);
    let path = |name: &str| dir.join(name).display().to_string();
    for address in ["src/a.h", "1", "src/a.h::g_plain", "src/a.h::1"] {
        ok(
            &["repack", &path("a.zip"), &format!("{address}={}", path("new.asm")), "-o", &path("out.zip")],
            "",
        );
        let text = stdout(&ok(&["dis", &path("out.zip")], "")).to_string();
        assert!(text.ends_with(stdout(&ok(&["dis", &path("new.asm")], ""))), "{address}: {text}");
        ok(&["extract", "--as", "asm", &path("out.zip"), "-o", &path("parts"), "--force"], "");
        ok(&["repack", &path("out.zip"), "--from", &path("parts"), "-o", &path("same.zip")], "");
        assert_eq!(std::fs::read(path("same.zip")).unwrap(), std::fs::read(path("out.zip")).unwrap());
    }
}

#[test]
fn what_is_taken_out_of_a_text_comes_back() {
    let header = dwords("g_plain", &PLAIN) + &dwords("g_more", &NEW_WORDS);
    // The same in UTF-16 with the line ends of Windows.
    let wide: Vec<u8> = "\u{feff}"
        .encode_utf16()
        .chain(header.replace('\n', "\r\n").encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let dir = folder("texts-back", &[("a.h", header.as_bytes()), ("wide.h", &wide)]);
    for name in ["a.h", "wide.h"] {
        let file = dir.join(name).display().to_string();
        let parts = dir.join(format!("{name}.parts")).display().to_string();
        let out = dir.join("out").display().to_string();
        ok(&["extract", "--as", "asm", &file, "-o", &parts], "");
        ok(&["repack", &file, "--from", &parts, "-o", &out], "");
        assert_eq!(std::fs::read(&out).unwrap(), std::fs::read(&file).unwrap());
        std::fs::write(Path::new(&parts).join("g_plain.d3d9"), NEW).unwrap();
        ok(&["repack", &file, "--from", &parts, "-o", &out], "");
        let expected = dwords("g_plain", &NEW_WORDS) + &dwords("g_more", &NEW_WORDS);
        let new = std::fs::read(&out).unwrap();
        let text = match name {
            "a.h" => String::from_utf8(new).unwrap(),
            _ => {
                let units: Vec<u16> =
                    new.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
                String::from_utf16(&units).unwrap().replace("\r\n", "\n").replace('\u{feff}', "")
            }
        };
        assert_eq!(text, expected, "{name}");
    }
}

#[test]
fn digits_take_programs() {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let rows = |bytes: &[u8]| {
        let rows = bytes.chunks(16).enumerate().map(|(n, row)| {
            let groups: Vec<String> = row.chunks(2).map(&hex).collect();
            let text = row.iter().map(|b| if (32..127).contains(b) { char::from(*b) } else { '.' });
            format!("{:08x}: {:<39}  {}\n", 16 * n, groups.join(" "), text.collect::<String>())
        });
        rows.collect::<String>()
    };
    let (old, new) = (words(&PLAIN), words(&NEW_WORDS));
    // Base64 of the words, by another encoder (`base64 -w 0`).
    let url = |digits: &str| format!("data:application/octet-stream;base64,{digits}");
    let (old_64, new_64) =
        ("AAL//wEAAAIACA+AAADkoP//AAA=", "AAL//wUAAAMAAA+AAADkoAEA5KABAAACAAgPgAAA5ID//wAA");
    for (name, before, after) in [
        ("a.hex", hex(&old) + "\n", hex(&new) + "\n"),
        ("a.xxd", rows(&old), rows(&new)),
        ("a.b64", format!("{old_64}\n"), format!("{new_64}\n")),
        ("a.url", url(old_64), url(new_64)),
    ] {
        let dir = folder("texts-digits", &[(name, before.as_bytes()), ("new.asm", NEW.as_bytes())]);
        let path = |name: &str| dir.join(name).display().to_string();
        assert!(checked(&dir.join(name), "")[0].contains("accepted"), "{name}");
        ok(&["asm", "--splice", &path(name), &path("new.asm"), "-o", &path("out")], "");
        assert_eq!(std::fs::read_to_string(path("out")).unwrap(), after, "{name}");
    }
}

#[test]
fn lines_are_those_of_the_file() {
    // The seventh line divides by zero.
    let log = "one\nps_2_0\n    mov oC0, c0\nthe end\nps_2_0\n    mov r0, c0\n    rcp r0, r0.x\n    mov oC0, r0\nthe end\n";
    let input = br#"{"constants": {"c0": [0, 0, 0, 0]}, "inputs": [{}]}"#;
    let dir = folder("texts-lines", &[("log.txt", log.as_bytes()), ("in.json", input)]);
    let path = |name: &str| dir.join(name).display().to_string();
    let output = vecasm(&["why", "-i", &path("in.json"), &format!("{}#2", path("log.txt"))], "");
    let said = stdout(&output).to_string() + stderr(&output);
    assert!(said.contains("log.txt#2:7") && said.contains("7 |     rcp r0, r0.x"), "{said}");
}

#[test]
fn a_program_among_other_text_is_not_laid_out() {
    let dir = folder("texts-fmt", &[("tint.shader", UNITY.as_bytes())]);
    let output = vecasm(&["fmt", &format!("{}::1", dir.join("tint.shader").display())], "");
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""), "{}", stderr(&output));
}

#[test]
fn one_program_is_taken_out_by_its_address() {
    let zip = archive(&[
        deflated("a.h", dwords("g_plain", &PLAIN).as_bytes()),
        deflated("b.h", dwords("g_new", &NEW_WORDS).as_bytes()),
    ]);
    let dir = folder("texts-one", &[("a.zip", &zip)]);
    let path = |name: &str| dir.join(name).display().to_string();
    for (address, name, out) in
        [("a.h", "a.h.g_plain.bin", "1"), ("b.h::g_new", "b.h.g_new.bin", "2"), ("2", "b.h.g_new.bin", "3")]
    {
        ok(&["extract", &format!("{}::{address}", path("a.zip")), "-o", &path(out)], "");
        let files: Vec<String> = std::fs::read_dir(path(out))
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(files.len() == 2 && files.contains(&name.to_string()), "{address}: {files:?}");
    }
}

/// Programs of a text without names, in two encodings, in an archive: each has a number, and is edited by that.
#[test]
fn programs_of_a_text_in_an_archive_have_numbers() {
    let text = "vs: 7 TGSI:\nVERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n\nfs: 8 TGSI:\n\
        FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {    3.0000,     0.0000,     0.0000,     0.0000}\n  \
        0: MOV OUT[0], IMM[0]\n  1: END\n";
    let wide: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let pack = archive(&[stored("a.log", text.as_bytes()), stored("b.log", &wide)]);
    let new =
        "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {5.0, 0.0, 0.0, 0.0}\n  0: MOV OUT[0], IMM[0]\n  1: END\n";
    let dir = folder("texts-numbers", &[("a.zip", &pack), ("new.tgsi", new.as_bytes())]);
    let path = |name: &str| dir.join(name).display().to_string();
    let names = checked(&dir.join("a.zip"), "");
    let heads =
        ["::a.log::1: accepted", "::a.log::2: accepted", "::b.log::1: accepted", "::b.log::2: accepted"];
    assert!(names.iter().zip(heads).all(|(name, head)| name.starts_with(head)), "{names:?}");
    let edits = [format!("a.log::2={}", path("new.tgsi")), format!("4={}", path("new.tgsi"))];
    ok(&["repack", &path("a.zip"), &edits[0], &edits[1], "-o", &path("b.zip")], "");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let expected = [&lines[..8].concat(), new].concat();
    let packed = std::fs::read(path("b.zip")).unwrap();
    for (at, wide) in [("a.log", false), ("b.log", true)] {
        let dis =
            |file: &str, n: u32| stdout(&ok(&["dis", &format!("{}::{at}::{n}", path(file))], "")).to_string();
        assert!(dis("b.zip", 2).contains("{5.0, 0.0, 0.0, 0.0}"), "{at}");
        assert_eq!(dis("b.zip", 1), dis("a.zip", 1), "{at}");
        // The text around it stays, and the encoding.
        let bytes = if wide {
            expected.encode_utf16().flat_map(u16::to_le_bytes).collect()
        } else {
            expected.clone().into_bytes()
        };
        assert!(packed.windows(bytes.len()).any(|window| window == bytes), "{at}");
    }
    // A text of several is not replaced as a whole by one of its programs.
    let whole = vecasm(&["repack", &path("a.zip"), &format!("a.log={}", path("new.tgsi")), "--dry-run"], "");
    assert_eq!(whole.status.code(), Some(2));
    assert!(stderr(&whole).contains("choose one: a.log#1, a.log#2"), "{}", stderr(&whole));
}

/// A shader of Unity with two variants of a program, which says what its registers hold.
const UNITY: &str = "Shader \"Own/Tint\" {\nSubShader {\n Pass { Name \"BASE\"\nProgram \"vp\" {\n\
SubProgram \"opengl \" {\n\"!!ARBvp1.0\nEND\n\"\n}\n\
SubProgram \"d3d9 \" {\nKeywords { \"FOG_OFF\" }\nMatrix 0 [glstate_matrix_mvp]\nVector 4 [_Tint]\n\
\"vs_2_0\ndcl_position0 v0\nm4x4 oPos, v0, c0\nmov oD0, c4\n\"\n}\n\
SubProgram \"d3d9 \" {\nKeywords { \"FOG_ON\" \"LIT\" }\n\"vs_2_0\ndcl_position0 v0\nmov oPos, v0\n\"\n}\n}\n}\n}\n}\n";

#[test]
fn programs_of_unity_have_passes_and_names() {
    let zip = archive(&[deflated("Assets/tint.shader", UNITY.as_bytes())]);
    let new = "vs_2_0\ndcl_position v0\nadd oPos, v0, c5\n";
    let dir = folder(
        "texts-unity",
        &[("tint.shader", UNITY.as_bytes()), ("all.zip", &zip), ("new.asm", new.as_bytes())],
    );
    let path = |name: &str| dir.join(name).display().to_string();
    let lines = checked(&dir.join("tint.shader"), "");
    assert!(lines[0].starts_with("::pass0/vp/d3d9[0]: accepted"), "{lines:?}");
    assert!(lines[1].starts_with("::pass0/vp/d3d9[1]: accepted"), "{lines:?}");
    for address in ["pass0/vp/d3d9[1]", "BASE/vp/d3d9[1]", "base/VP/d3d9[1]", "pass0/vp/d3d9[FOG_ON+LIT]"] {
        let text = stdout(&ok(&["dis", &format!("{}::{address}", path("tint.shader"))], "")).to_string();
        assert_eq!(text, "vs_2_0\n    dcl_position v0\n    mov oPos, v0\n", "{address}");
    }
    // A step above means both.
    assert_eq!(checked(&dir.join("tint.shader"), "::BASE").len(), 2);
    let hlsl = stdout(&ok(&["to", "hlsl", &format!("{}::1", path("tint.shader"))], "")).to_string();
    assert!(hlsl.contains("glstate_matrix_mvp[4]; // c0 to c3") && hlsl.contains("Tint; // c4"), "{hlsl}");
    // Only the text between the quotes changes, in the archive as well.
    let expected = UNITY.replace("dcl_position0 v0\nmov oPos, v0\n", "dcl_position v0\nadd oPos, v0, c5\n");
    let edit = |address: &str| format!("{address}pass0/vp/d3d9[1]={}", path("new.asm"));
    ok(&["repack", &path("tint.shader"), &edit(""), "-o", &path("out.shader")], "");
    assert_eq!(std::fs::read_to_string(path("out.shader")).unwrap(), expected);
    ok(&["repack", &path("all.zip"), &edit("Assets/tint.shader::"), "-o", &path("out.zip")], "");
    ok(&["extract", "--all", &path("out.zip"), "-o", &path("parts")], "");
    let told = checked(&dir.join("out.zip"), "::Assets/tint.shader::pass0/vp/d3d9[1]");
    assert!(told[0].ends_with("accepted (vertex program, vs_2_0, 2 instructions)"), "{told:?}");
    let dis = |file: &str, address: &str| {
        stdout(&ok(&["dis", &format!("{}::{address}", path(file))], "")).to_string()
    };
    assert_eq!(dis("out.zip", "Assets/tint.shader::BASE/vp/d3d9[1]"), dis("out.shader", "2"));
    assert_eq!(dis("out.zip", "1"), dis("all.zip", "1"));
    // A text has no comments of bytecode: sizes are told without them, 7 words for 4 more.
    let code = ok(&["asm", "--isa", "d3d9", "-", "-o", "-"], new).stdout;
    let table = words(&[0x0003_FFFE, 0x4142_4154, 1, 2]);
    std::fs::write(path("new.bin"), [&code[..4], &table, &code[4..]].concat()).unwrap();
    let edit_by_code = format!("2={}", path("new.bin"));
    let output = ok(&["repack", &path("tint.shader"), &edit_by_code, "-o", &path("code.shader")], "");
    let sizes = format!("pass0/vp/d3d9[1]: {} → {} bytes, from", code.len() - 4, code.len());
    assert!(stderr(&output).contains(&sizes), "{sizes}: {}", stderr(&output));
    // A program of another file by its address.
    let other = format!("2={}::pass0/vp/d3d9[1]", path("out.shader"));
    ok(&["repack", &path("tint.shader"), &other, "-o", &path("other.shader")], "");
    assert_eq!(dis("other.shader", "2"), dis("out.shader", "2"));
    // What cannot stand between quotes is refused.
    std::fs::write(path("new.asm"), "vs_2_0 ; \"quoted\"\ndcl_position v0\nmov oPos, c9\n").unwrap();
    let output = vecasm(&["repack", &path("tint.shader"), &edit(""), "-o", &path("out")], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("error[CONTAINER-fit]: pass0/vp/d3d9[1]: a text with quotes in it"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn programs_of_a_trace_have_calls_and_names() {
    let trace = "10 Direct3DCreate9(SDKVersion = 32) = 0x1\n\
220 IDirect3DDevice9::CreateVertexShader(this = 0x2, pFunction = \"//\n// Parameters:\n//\n//   float4x4 wvp;\n//   float4 tint;\n//\n\
//\n// Registers:\n//\n//   Name         Reg   Size\n//   ------------ ----- ----\n//   wvp          c0       4\n//   tint         c4       1\n//\n\n\
    vs_2_0\n    dcl_position v0\n    m4x4 oPos, v0, c0\n    mov oD0, c4\n\", ppShader = &0x3) = D3D_OK\n\
231 IDirect3DDevice9::CreatePixelShader(this = 0x2, pFunction = \"    ps_2_0\n    mov oC0, c0\n\", ppShader = &0x4) = D3D_OK\n";
    let dir = folder("texts-trace", &[("trace.txt", trace.as_bytes())]);
    let lines = checked(&dir.join("trace.txt"), "");
    assert!(lines[0].starts_with("::call220: accepted (vertex"), "{lines:?}");
    assert!(lines[1].starts_with("::call231: accepted (fragment"), "{lines:?}");
    let at = |call: &str| format!("{}::{call}", dir.join("trace.txt").display());
    let hlsl = stdout(&ok(&["to", "hlsl", &at("call220")], "")).to_string();
    assert!(hlsl.contains("wvp[4]; // c0 to c3") && hlsl.contains("tint; // c4"), "{hlsl}");
    // By name in a run file. Its registers are its columns, as in HLSL: its product with (1, 0, 0, 0) is its first row.
    let input = r#"{"constants": {"wvp": [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]], "tint": [0, 0, 0, 0]}, "inputs": [{"v0": [1, 0, 0, 0]}]}"#;
    let input_file =
        folder("texts-trace-in", &[("in.json", input.as_bytes())]).join("in.json").display().to_string();
    let output = stdout(&ok(&["run", &at("call220"), "-i", &input_file, "--format", "csv"], "")).to_string();
    assert!(output.contains("1.0,2.0,3.0,4.0"), "{output}");
}

/// Packets of a pushbuffer: a method, and words for it and those that follow.
fn packets(packets: &[(u32, &[u32])]) -> Vec<u8> {
    let all: Vec<u32> = packets
        .iter()
        .flat_map(|(method, data)| [&[(data.len() as u32) << 18 | method][..], data].concat())
        .collect();
    words(&all)
}

// Methods of the NV2A: words of the program, constants, where both are loaded, where the program begins, begin and end.
const PROGRAM: u32 = 0xb00;
const CONSTANT: u32 = 0xb80;
const LOAD: u32 = 0x1e9c;
const START: u32 = 0x1ea0;
const CONSTANT_LOAD: u32 = 0x1ea4;
const BEGIN: u32 = 0x17fc;

#[test]
fn programs_of_a_pushbuffer_have_slots_and_draws() {
    let slots = |text: &str| -> Vec<u32> {
        let output = ok(&["asm", "--isa", "nv2a", "-", "-o", "-"], text);
        output.stdout.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    };
    let (first, second) =
        (slots(".nv2a\nmov oPos, v0\nmov oD0, c[0]\n"), slots(".nv2a\nadd oPos, v0, c[1]\n"));
    let patch = slots(".nv2a\nmov oPos, v1\n");
    let one = 1.0f32.to_bits();
    let idle = slots(".nv2a\nmov oPos, c[7]\n");
    let bytes = packets(&[
        (0x100, &[0]),
        // Never run.
        (LOAD, &[100]),
        (PROGRAM, &idle),
        (LOAD, &[60]),
        (PROGRAM, &first),
        (CONSTANT_LOAD, &[0]),
        (CONSTANT, &[one, 0, 0, one]),
        (START, &[60]),
        (BEGIN, &[5]),
        (BEGIN, &[0]),
        (CONSTANT_LOAD, &[0]),
        (CONSTANT, &[0, one, 0, one]),
        (BEGIN, &[5]),
        (BEGIN, &[0]),
        (LOAD, &[0]),
        (PROGRAM, &second),
        (START, &[0]),
        (BEGIN, &[5]),
        (BEGIN, &[0]),
        // The first slot of the first program, which is not its last, becomes another.
        (LOAD, &[60]),
        (PROGRAM, &[&patch[..3], &[patch[3] & !1]].concat()),
        (START, &[60]),
        (BEGIN, &[5]),
        (BEGIN, &[0]),
    ]);
    let dir =
        folder("texts-push", &[("a.pb", &bytes), ("in.json", br#"{"inputs": [{"v0": [0, 0, 0, 1]}]}"#)]);
    let names: Vec<String> = checked(&dir.join("a.pb"), "")
        .iter()
        .filter_map(|line| Some(line.strip_prefix("::")?.split(':').next()?.to_string()))
        .collect();
    assert_eq!(names, ["load60", "load0", "load60#2", "load100"]);
    let at = |address: &str| format!("{}::{address}", dir.join("a.pb").display());
    let dis = |address: &str| stdout(&ok(&["dis", &at(address)], "")).to_string();
    assert_eq!(dis("draw1"), ".nv2a\nmov oPos, v0\nmov oD0, c[0]\n");
    assert_eq!(dis("draw2"), dis("draw1"));
    assert_eq!(dis("draw3"), ".nv2a\nadd oPos, v0, c[1]\n");
    assert_eq!(dis("draw4"), ".nv2a\nmov oPos, v1\nmov oD0, c[0]\n");
    assert_eq!(dis("load60#2"), dis("draw4"));
    assert_eq!(dis("load100"), ".nv2a\nmov oPos, c[7]\n");
    let run = |address: &str| {
        let input = dir.join("in.json").display().to_string();
        stdout(&ok(&["run", &at(address), "-i", &input, "--format", "csv"], "")).to_string()
    };
    assert!(run("draw1").contains("1.0,1.0,0.0,0.0,1.0,"), "{}", run("draw1"));
    assert!(run("draw2").contains("1.0,0.0,1.0,0.0,1.0,"), "{}", run("draw2"));
    assert_eq!(dis("DRAW3"), dis("draw3"));
    let output = vecasm(&["dis", &at("draw5")], "");
    assert_eq!(output.status.code(), Some(2));
    let parts = dir.join("parts").display().to_string();
    ok(&["extract", &dir.join("a.pb").display().to_string(), "-o", &parts], "");
    // Each draw has its program and all constants that are set by then: what was uploaded above.
    let list: Value = serde_json::from_slice(&std::fs::read(dir.join("parts/vecasm.json")).unwrap()).unwrap();
    let draws: Vec<&str> =
        list["draws"].as_array().unwrap().iter().filter_map(|draw| draw["program"].as_str()).collect();
    assert_eq!(draws, ["load60", "load60", "load0", "load60#2"]);
    let file = |n: usize| {
        let name = list["draws"][n - 1]["file"].as_str().unwrap();
        serde_json::from_slice::<Value>(&std::fs::read(dir.join("parts").join(name)).unwrap()).unwrap()
    };
    assert_eq!(file(1), serde_json::json!({"constants": {"c0": [1.0, 0.0, 0.0, 1.0]}}));
    assert_eq!(file(4), serde_json::json!({"constants": {"c0": [0.0, 1.0, 0.0, 1.0]}}));
    // One draw of a recording in an archive.
    std::fs::write(dir.join("a.zip"), archive(&[deflated("x/a.pb", &bytes)])).unwrap();
    let (at, one) =
        (format!("{}::x/a.pb::draw3", dir.join("a.zip").display()), dir.join("one").display().to_string());
    ok(&["extract", "--as", "asm", &at, "-o", &one], "");
    let text = std::fs::read_to_string(dir.join("one/x.a.pb.draw3.nv2a")).unwrap();
    assert!(text.ends_with("add oPos, v0, c[1]\n"), "{text}");
    assert!(dir.join("one/x.a.pb.draw3.json").is_file() && !dir.join("one/x.a.pb.draw1.json").exists());
    let out = dir.join("same.pb").display().to_string();
    ok(&["repack", &dir.join("a.pb").display().to_string(), "--from", &parts, "-o", &out], "");
    assert_eq!(std::fs::read(&out).unwrap(), bytes);
    let new = dir.join("parts/load0.bin").display().to_string();
    let output =
        vecasm(&["repack", &dir.join("a.pb").display().to_string(), &format!("load60={new}"), "-o", "-"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("CONTAINER-fit"), "{}", stderr(&output));
}

#[test]
fn a_pushbuffer_runs_what_a_later_upload_changed() {
    let slots = |text: &str| -> Vec<u32> {
        let output = ok(&["asm", "--isa", "nv2a", "-", "-o", "-"], text);
        output.stdout.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    };
    let (first, patch) = (slots(".nv2a\nmov oPos, v0\nmov oD0, v3\n"), slots(".nv2a\nmov oD0, v4\n"));
    let bytes = packets(&[
        (LOAD, &[0]),
        (PROGRAM, &first),
        (LOAD, &[1]),
        (PROGRAM, &patch),
        (START, &[0]),
        (BEGIN, &[5]),
    ]);
    let dir = folder("texts-patch", &[("a.pb", &bytes)]);
    let text = stdout(&ok(&["dis", &dir.join("a.pb").display().to_string()], "")).to_string();
    assert!(text.ends_with(".nv2a\nmov oPos, v0\nmov oD0, v4\n"), "{text}");
}

#[test]
fn draws_of_a_recording_are_listed_and_counted() {
    let frame = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/containers/frame.pb");
    // Two draws of the program at slot 60; c4 is set before each.
    let facts: Value = serde_json::from_str(stdout(&ok(&["info", frame], ""))).unwrap();
    let draws = serde_json::json!([
        { "draw": 1, "constants": { "4": [1.0, 0.0, 0.0, 1.0] } },
        { "draw": 2, "constants": { "4": [0.0, 0.5, 1.0, 1.0] } },
    ]);
    assert_eq!(facts["draws"], draws);
    let text = ok(&["info", "--format", "text", frame], "");
    assert!(
        stdout(&text).ends_with("  draw1  c4 = (1, 0, 0, 1)\n  draw2  c4 = (0, 0.5, 1, 1)\n"),
        "{}",
        stdout(&text)
    );
    let output = vecasm(&["check", &format!("{frame}::draw0")], "");
    assert_eq!(output.status.code(), Some(2));
    let words = "no program draw0; there is load60, and draw1 to draw2 for what runs at each draw";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
}
