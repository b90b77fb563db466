//! `nv2avsh` and `nv2avshd`: what scripts written for nv2a-vsh 0.1.12 see. Expected values were recorded from that
//! tool, or follow from the layout of a slot where it is wrong.

use super::folder;
use std::path::Path;
use std::process::Command;

/// Runs a tool in a folder; exit status, standard output, standard error.
fn run(tool: &str, folder: &Path, args: &[&str]) -> (i32, String, String) {
    let tool = match tool {
        "nv2avsh" => env!("CARGO_BIN_EXE_nv2avsh"),
        _ => env!("CARGO_BIN_EXE_nv2avshd"),
    };
    let output = Command::new(tool).args(args).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

const SOURCE: &[u8] = b"mov oPos, v0\nmul r1, iWeight, c[2]\n";
const LISTING: &str = "/* mov oPos, v0 */\n0x00000000, 0x0020001b, 0x0836106c, 0x2070f800,\n\
    /* mul r1, v1, c2 */\n0x00000000, 0x0040421b, 0x0836186c, 0x2f100ff9,";
const TEXT: &str = "MOV oPos.xyzw, v0\nMUL R1.xyzw, v1, c[2]";

#[test]
fn listings_go_to_standard_output_or_a_file() {
    let folder = folder("nv2avsh-output", &[("a.vsh", SOURCE), ("empty.vsh", b"")]);
    for flags in [&[][..], &["--strict-compat"]] {
        let with = |args: &[&'static str]| run("nv2avsh", &folder, &[flags, args].concat());
        assert_eq!(with(&["a.vsh"]), (0, format!("{LISTING}\n"), String::new()));
        assert_eq!(with(&["-v", "a.vsh", "a.inl"]), (0, String::new(), String::new()));
        assert_eq!(std::fs::read_to_string(folder.join("a.inl")).unwrap(), LISTING);
        assert_eq!(with(&["empty.vsh"]), (0, "\n".into(), String::new()));
    }
}

#[test]
fn the_explicit_final_slot_works() {
    let folder = folder("nv2avsh-final", &[("a.vsh", SOURCE)]);
    let (status, out, err) = run("nv2avsh", &folder, &["-e", "a.vsh"]);
    // FINAL is bit 0 of the last word.
    let listing = LISTING.replace("0x2f100ff9", "0x2f100ff8");
    let end = "/* <NOP FINAL MARKER> */\n0x00000000, 0x00000000, 0x00000000, 0x00000001,\n";
    assert_eq!((status, out), (0, format!("{listing}\n{end}")));
    assert_eq!(err.lines().count(), 1, "{err}");
    let (status, out, err) = run("nv2avsh", &folder, &["-e", "--strict-compat", "a.vsh"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert_eq!(err, "ValueError: zip() argument 2 is shorter than argument 1\n");
}

#[test]
fn errors_have_their_place() {
    let folder = folder(
        "nv2avsh-errors",
        &[("a.vsh", b"mov oPos, v0\nmov oPos v0\n"), ("b.vsh", b"mul r0, c0, c1\n")],
    );
    let (status, out, err) = run("nv2avsh", &folder, &["a.vsh", "a.inl"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.starts_with("Assembly failed due to errors in a.vsh:\na.vsh:2:9: "), "{err}");
    assert!(!folder.join("a.inl").exists());
    let (_, _, err) = run("nv2avsh", &folder, &["a.vsh", "--strict-compat"]);
    let parser = "no viable alternative at input 'movoPosv0'";
    assert_eq!(err, format!("Assembly failed due to errors in a.vsh:\na.vsh:2:9: {parser}\n"));
    let (status, _, err) = run("nv2avsh", &folder, &["b.vsh", "--strict-compat"]);
    let why = "Operation reads from more than one C register (c[0] and c[1])";
    assert_eq!((status, err), (1, format!("nv2a_vsh.nv2a_vsh_asm.encoding_error.EncodingError: {why}\n")));
    let missing = (1, String::new(), "Failed to open input file 'c.vsh'\n".to_string());
    assert_eq!(run("nv2avsh", &folder, &["c.vsh"]), missing);
}

/// Words that do something else than the text are given with --strict-compat only.
#[test]
fn wrong_words_are_for_strict_compat() {
    let folder = folder(
        "nv2avsh-wrong",
        &[("a.vsh", b"add r0, v1, v2\n"), ("b.vsh", b"add r0, v0, c1 + rcp r1.x, c1\n")],
    );
    let (status, out, err) = run("nv2avsh", &folder, &["a.vsh"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.contains("a.vsh:1:0: two vertex attributes in one slot: v1 and v2\n"), "{err}");
    assert!(err.lines().last().unwrap().starts_with("note: nv2a-vsh 0.1.12 accepts this text"), "{err}");
    let (status, out, err) = run("nv2avsh", &folder, &["a.vsh", "--strict-compat"]);
    // Both sources say input 2.
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(out, "/* add r0, v1, v2 */\n0x00000000, 0x0060041b, 0x0836106c, 0x2f000ff9,\n");
    // A pair that the hardware has and that tool has not: source C is c1 for both.
    let (status, out, err) = run("nv2avsh", &folder, &["b.vsh"]);
    assert_eq!((status, err.lines().count()), (0, 1), "{err}");
    assert!(out.starts_with("/* add r0, v0, c1 + rcp r1.x, c1 */\n0x00000000, 0x0460201b, "), "{out}");
    assert_eq!(run("nv2avsh", &folder, &["b.vsh", "--strict-compat"]).0, 1);
}

#[test]
fn comments_reassemble_unless_strict_compat() {
    let folder = folder("nv2avsh-comments", &[("a.vsh", b"arl a0, v1.x\nmov oPos, c[A0+5]\n")]);
    let comments = |args: &[&str]| {
        let (status, out, _) = run("nv2avsh", &folder, args);
        assert_eq!(status, 0);
        out.lines().step_by(2).map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(comments(&["a.vsh"]), ["/* arl a0, v1.xxxx */", "/* mov oPos, c[A0+5] */"]);
    let slips = ["/* add A0, v1.xxxx */", "/* mov oPos, c5 */"];
    assert_eq!(comments(&["a.vsh", "--strict-compat"]), slips);
    // The verbs of vecasm do the same.
    let asm = |mode: &str| {
        let args = ["asm", "--isa", "nv2a", "--to", "inl", "--mode", mode, "a.vsh"];
        let output =
            Command::new(env!("CARGO_BIN_EXE_vecasm")).args(args).current_dir(&folder).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().step_by(2).map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(asm("compat"), slips);
    assert_eq!(asm("strict"), ["/* arl a0, v1.xxxx */", "/* mov oPos, c[A0+5] */"]);
}

#[test]
fn disassembly_reads_text_and_binaries() {
    let words = LISTING.replace("/*", "// 0x").into_bytes();
    let binary: Vec<u8> =
        [0_u32, 0x0020_001b, 0x0836_106c, 0x2070_f800, 0, 0x0040_421b, 0x0836_186c, 0x2f10_0ff9]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
    let folder = folder(
        "nv2avshd-forms",
        &[("a.inl", LISTING.as_bytes()), ("b.inl", &words), ("a.bin", &binary), ("c.inl", b"0x1, 0x2")],
    );
    let good = (0, format!("{TEXT}\n"), String::new());
    for args in
        [&["-t", "a.inl"][..], &["-t", "b.inl"], &["a.bin"], &["a.inl"], &["-t", "a.inl", "--strict-compat"]]
    {
        assert_eq!(run("nv2avshd", &folder, args), good, "{args:?}");
    }
    let no_binaries = (1, String::new(), "NotImplementedError\n".to_string());
    assert_eq!(run("nv2avshd", &folder, &["a.bin", "--strict-compat"]), no_binaries);
    let (status, _, err) = run("nv2avshd", &folder, &["-t", "c.inl"]);
    assert_eq!((status, err.as_str()), (1, "ValueError: Invalid input, 2 is not divisible by 4.\n"));
    let (status, out, _) = run("nv2avshd", &folder, &["-te", "a.inl"]);
    assert_eq!(status, 0);
    let explained =
        "MOV oPos.xyzw, v0\n/*0x00000000, 0x0020001B, 0x0836106C, 0x2070F800:\n\tA_SWZ_W: 0x3 (11)\n";
    assert!(out.starts_with(explained), "{out}");
    assert!(out.ends_with("\tC_TEMP_REG_LOW: 0x0 (00)\n*/\n"), "{out}");
}

#[test]
fn disassembly_differs_where_the_tool_is_wrong() {
    // Swizzle .xyyz of source A is 00 01 01 10; and a program with source A of no file, which is not used.
    let folder = folder(
        "nv2avshd-wrong",
        &[
            ("a.inl", b"0x0 0x00200016 0x0836106c 0x2070f801"),
            ("b.inl", b"0x0 0x0400001b 0x0036106c 0x20180ff9"),
        ],
    );
    let (status, out, err) = run("nv2avshd", &folder, &["-t", "a.inl"]);
    assert_eq!((status, out.as_str(), err.lines().count()), (0, "MOV oPos.xyzw, v0.xyyz\n", 1), "{err}");
    let compat = (0, "MOV oPos.xyzw, v0.xyz\n".to_string(), String::new());
    assert_eq!(run("nv2avshd", &folder, &["-t", "a.inl", "--strict-compat"]), compat);
    let (status, out, err) = run("nv2avshd", &folder, &["-t", "b.inl"]);
    assert_eq!((status, out.as_str(), err.lines().count()), (0, "RCP R1.x, v0\n", 1), "{err}");
    let compat = (1, String::new(), "ValueError: Unknown mux code 0\n".to_string());
    assert_eq!(run("nv2avshd", &folder, &["-t", "b.inl", "--strict-compat"]), compat);
}

#[test]
fn usage_is_told_as_argparse_tells_it() {
    let folder = folder("nv2a-vsh-usage", &[]);
    for tool in ["nv2avsh", "nv2avshd"] {
        let (status, out, _) = run(tool, &folder, &["--help"]);
        assert_eq!(status, 0);
        assert!(out.starts_with(&format!("usage: {tool} [-h] ")), "{out}");
        for flag in ["--explicit-final", "--text", "--explain", "--verbose", "--strict-compat"] {
            let known = out.contains(flag);
            let (status, _, err) = run(tool, &folder, &[flag, "none"]);
            let expected = if known { (1, "Failed to open") } else { (2, "usage: ") };
            assert!(status == expected.0 && err.starts_with(expected.1), "{tool} {flag}: {status}, {err}");
        }
        let (status, _, err) = run(tool, &folder, &[]);
        assert_eq!(status, 2);
        assert!(
            err.ends_with(&format!("{tool}: error: the following arguments are required: source_path\n"))
        );
    }
}

/// A file is replaced by another one that is whole, so that a link to the old one still has what it had, and a source is
/// never written over.
#[cfg(unix)]
#[test]
fn files_are_replaced_whole() {
    let dir = folder("nv2a-whole", &[("a.vsh", b"mov oPos, v0\n"), ("a.inl", b"old")]);
    std::fs::hard_link(dir.join("a.inl"), dir.join("kept")).unwrap();
    assert_eq!(run("nv2avsh", &dir, &["a.vsh", "a.inl"]).0, 0);
    assert_eq!(std::fs::read(dir.join("kept")).unwrap(), b"old");
    assert!(std::fs::read_to_string(dir.join("a.inl")).unwrap().contains("0x"));
    let (code, _, said) = run("nv2avsh", &dir, &["a.vsh", "a.vsh"]);
    assert_eq!(code, 1);
    assert!(said.contains("is an input"), "{said}");
    assert_eq!(std::fs::read(dir.join("a.vsh")).unwrap(), b"mov oPos, v0\n");
}

#[test]
fn a_log_is_sent_to_the_verb_that_reads_it() {
    let log =
        "nv2a_pgraph_method 0: NV20_KELVIN_PRIMITIVE<0x97> 0: NV097_SET_TRANSFORM_PROGRAM[0] 0x00000000\n";
    let words = "NV097_SET_TRANSFORM_PROGRAM[1] 0x0020001b\nNV097_SET_TRANSFORM_PROGRAM[2] 0x0836106c\n\
        NV097_SET_TRANSFORM_PROGRAM[3] 0x2070f801\n";
    let log = format!("{log}{words}");
    let folder = folder("nv2avshd-log", &[("xemu.log", log.as_bytes()), ("two.txt", b"0x1 0x2")]);
    let hint = "note: this is a log; `vecasm dis` reads the programs in it\n";
    let (_, _, err) = run("nv2avshd", &folder, &["-t", "xemu.log"]);
    assert!(err.ends_with(hint), "{err}");
    for args in [&["-t", "two.txt"][..], &["-t", "xemu.log", "--strict-compat"]] {
        let (_, _, err) = run("nv2avshd", &folder, args);
        assert!(!err.contains("vecasm dis"), "{args:?}: {err}");
    }
}
