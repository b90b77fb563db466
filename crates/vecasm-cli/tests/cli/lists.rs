//! Programs as lists of numbers: what is wrong with a list that cannot be read, and where findings are in one that can.

use super::{folder, ok, stderr, stdout, vecasm};

/// Two slots, `mov oPos, v0` and `mov oD0, v3`; the last word ends the program.
const SLOTS: &str = "\
/* mov oPos, v0 */
0x00000000, 0x0020001b, 0x0836106c, 0x2070f800,
/* mov oD0, v3 */
0x00000000, 0x0020061b, 0x0836106c, 0x2070f819,
";

/// What `check` says in short of a text, without the name of the input.
fn said(text: &str) -> Vec<String> {
    let output = vecasm(&["check", "--message-format", "short"], text);
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    let all = [stdout(&output), stderr(&output)].concat();
    let lines = all.lines().filter(|line| line.contains("error["));
    lines.map(|line| line.trim_start_matches("<stdin>:").to_string()).collect()
}

#[test]
fn the_one_bad_word_is_named() {
    let wrong = |from: &str, to: &str| {
        assert!(SLOTS.contains(from));
        said(&SLOTS.replacen(from, to, 1))
    };
    // No number, a digit too many, a word too few, and one too many in a line of its own.
    assert_eq!(
        wrong("0x0020061b", "0y0020061b"),
        ["4:13: error[ISA-number]: `0y0020061b` is no word in hexadecimal digits"]
    );
    assert_eq!(
        wrong("0x0836106c", "0x0836106cc"),
        ["2:25: error[ISA-number]: `0x0836106cc` has 9 digits; a word has 8"]
    );
    assert_eq!(wrong(", 0x2070f819", ""), ["4:1: error[ISA-number]: 3 words here; a slot has 4"]);
    let more = format!("{SLOTS}0x123\n");
    assert_eq!(said(&more), ["5:1: error[ISA-number]: 1 word here; a slot has 4"]);
    // An array of C, and no comments.
    let array = "static const uint32_t k[] = {\n  0x00000000, 0x0020001b, 0x0836106c, 0x2070f800,\n  \
                 0x00000000, 0x0020061b, 0x0836106g, 0x2070f819,\n};\n";
    assert_eq!(said(array), ["3:27: error[ISA-number]: `0x0836106g` is no word in hexadecimal digits"]);
}

#[test]
fn the_first_word_may_be_the_bad_one_where_the_name_tells() {
    let text = SLOTS.replacen("0x00000000", "OxO0000000", 1);
    let dir = folder("lists", &[("a.inl", text.as_bytes())]);
    let path = dir.join("a.inl").display().to_string();
    for verb in ["check", "asm", "dis"] {
        let bad = vecasm(&[verb, "--message-format", "short", &path], "");
        assert_eq!(bad.status.code(), Some(1), "{verb}");
        let all = [stdout(&bad), stderr(&bad)].concat();
        assert!(all.contains("a.inl:2:1: error[ISA-number]: `OxO0000000` is no word"), "{verb}: {all}");
        assert!(!all.contains("mnemonic"), "{verb}: {all}");
    }
}

#[test]
fn other_instruction_sets_have_lists_too() {
    let stream = stdout(&ok(&["asm", "--to", "hex"], "ps_2_0\ndcl t0\nmov oC0, t0\n")).to_string();
    let tokens = stdout(&ok(&["asm", "--to", "hex"], "FRAG\nDCL OUT[0], COLOR\nEND\n")).to_string();
    let bytes = stdout(&ok(&["asm", "--to", "hex"], ".agal fragment 1\nmov oc, v0\n")).to_string();
    for (isa, text) in [("d3d9", &stream), ("tgsi", &tokens), ("agal", &bytes)] {
        let words: Vec<&str> = text.split_whitespace().collect();
        // The program as it is written, and with one digit that is none.
        ok(&["check"], text);
        let last = words[words.len() - 1];
        let at = text.rfind(last).unwrap();
        let damaged = format!("{}x{}", &text[..at], &text[at + 1..]);
        if words.len() >= 4 {
            let said = said(&damaged);
            assert_eq!(said.len(), 1, "{isa}: {said:?}");
            assert!(said[0].contains("error[ISA-number]: `x"), "{isa}: {said:?}");
        }
    }
}

#[test]
fn findings_in_lists_have_lines_and_columns() {
    // Nothing ends the program: said of its last slot, which begins with the first word of line 4.
    let open = SLOTS.replace("0x2070f819", "0x2070f818");
    let human = vecasm(&["check"], &open);
    assert!(stdout(&human).contains("<stdin>:4:1"), "{}", stdout(&human));
    assert!(stdout(&human).contains("this is in `mov oD0, v3`"), "{}", stdout(&human));
    // An array of C, and a stream of Direct3D: the version is the first word, the instruction begins in line 2.
    let array = format!("uint32_t k[] = {{\n{open}}};\n");
    let said = vecasm(&["check", "--message-format", "short"], &array);
    assert!(stdout(&said).contains(":5:1: error[NV2A-no-final]"), "{}", stdout(&said));
    let stream = "ffff0200\n02000001 800f0800 b0e40000 // mov oC0, t0\n0000ffff\n";
    let said = vecasm(&["check", "--message-format", "short"], stream);
    assert!(stdout(&said).contains("<stdin>:2:"), "{}{}", stdout(&said), stderr(&said));
}

#[test]
fn asm_says_that_words_are_useless() {
    let none = ok(&["asm", "--isa", "nv2a", "--to", "inl"], "; nothing but a comment\n");
    assert!(stderr(&none).contains("warning[NV2A-empty]: the text has no statement"), "{}", stderr(&none));
    // 137 slots; the hardware has 136. In the words of `nv2avsh` nothing is said.
    let long = "mov oPos, v0\n".repeat(137);
    let warned = ok(&["asm", "--isa", "nv2a", "--to", "inl"], &long);
    assert!(stderr(&warned).contains("warning[NV2A-length]"), "{}", stderr(&warned));
    assert!(stderr(&warned).contains("<stdin>:137:1"), "{}", stderr(&warned));
    let compat = ok(&["asm", "--mode", "compat", "--isa", "nv2a", "--to", "inl"], &long);
    assert_eq!(stderr(&compat), "");
    let fits = ok(&["asm", "--isa", "nv2a", "--to", "inl"], "mov oPos, v0\n".repeat(136));
    assert_eq!(stderr(&fits), "");
}

#[test]
fn colours_of_terminals_are_no_part_of_a_text() {
    let coloured =
        |text: &str| text.lines().map(|line| format!("\x1b[1;32m{line}\x1b[0m\n")).collect::<String>();
    for text in [
        "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.5, 0.0, 1.0}\n  0: MOV OUT[0], IMM[0]\n  1: END\n",
        "ps_2_0\ndcl t0\nmov oC0, t0\n",
        "mov oPos, v0\nmov oD0, v3\n",
        ".agal fragment 1\nmov oc, v0\n",
        SLOTS,
    ] {
        let plain = stdout(&ok(&["dis"], text)).to_string();
        assert_eq!(stdout(&ok(&["dis"], coloured(text))), plain, "{text}");
    }
    let said = vecasm(&["check", "--message-format", "short"], coloured("ps_2_0\ndcl t0\nmov oC0, t9\n"));
    assert!(stdout(&said).contains("<stdin>:3:"), "{}", stdout(&said));
}

#[test]
fn explain_knows_causes_opcodes_and_methods() {
    assert!(stdout(&ok(&["explain", "zero-vector"], "")).contains("was to be normalized"));
    let load = ok(&["explain", "0x1e9c"], "");
    assert!(stdout(&load).contains("NV097_SET_TRANSFORM_PROGRAM_LOAD"), "{}", stdout(&load));
    let row = ok(&["explain", "NV097_SET_TRANSFORM_PROGRAM[5]"], "");
    assert!(stdout(&row).contains("0x0b00 to 0x0b7c"), "{}", stdout(&row));
    // The token of a mov with two operands.
    assert!(stdout(&ok(&["explain", "--isa", "d3d9", "0x02000001"], "")).contains("mov"));
    let none = vecasm(&["explain", "0x7777"], "");
    assert!(stderr(&none).contains("a number alone is an opcode or a method"), "{}", stderr(&none));
}
