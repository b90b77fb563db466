//! Texts of TGSI in logs, which no flag says.

use super::{folder, ok, stderr, stdout, vecasm};
use std::path::Path;
use vecasm::isa::{Content, Isa, sniff};

const LOG: &str = "\
Report: the sky is black.

[    1.25] virgl: context 3
[    1.26] virgl: VERT
[    1.26] virgl: DCL IN[0]
[    1.26] virgl: DCL OUT[0], POSITION
[    1.26] virgl:   0: MOV OUT[0], IN[0]
[    1.26] virgl:   1: END
[   11.27] virgl: linked
[   11.28] virgl: FRAG
[   11.28] virgl: DCL OUT[0], COLOR
[   11.28] virgl: IMM[0] FLT32 {1.0, 0.5, 0.0, 1.0}
[   11.28] virgl:   0: MOV OUT[0], IMM[0]
[   11.28] virgl:   1: END
done
";

const VERT: &str = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n";

const FRAG: &str =
    "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.5, 0.0, 1.0}\n  0: MOV OUT[0], IMM[0]\n  1: END\n";

#[test]
fn a_program_in_a_log_needs_no_flag() {
    let lines = LOG.replace('\n', "\r\n");
    let dir = folder("tgsi_logs", &[("report.txt", LOG.as_bytes()), ("report.log", lines.as_bytes())]);
    for name in ["report.txt", "report.log"] {
        let path = dir.join(name).display().to_string();
        let both = format!("// {path}#1\n{VERT}// {path}#2\n{FRAG}");
        assert_eq!(stdout(&ok(&["dis", &path], "")), both, "{name}");
        assert_eq!(stdout(&ok(&["dis", "--program", "1", &path], "")), VERT, "{name}");
        assert_eq!(stdout(&ok(&["dis", "--program", "2", &path], "")), FRAG, "{name}");
        let checked = ok(&["check", &path], "");
        assert!(stdout(&checked).contains("accepted (vertex program, TGSI VERT"), "{}", stdout(&checked));
        let info = ok(&["info", "--program", "2", &path], "");
        assert!(stdout(&info).contains("\"stage\":\"fragment\""), "{}", stdout(&info));
    }
    // From standard input there is no name to go by.
    assert_eq!(stdout(&ok(&["dis", "--program", "1"], LOG)), VERT);
    let third = vecasm(&["dis", "--program", "3"], LOG);
    assert_eq!(third.status.code(), Some(2));
    assert!(stderr(&third).contains("the input has 2"), "{}", stderr(&third));
}

#[test]
fn prose_around_one_program_is_left_out_and_places_stay() {
    let text = format!("It crashes with this:\n\n{FRAG}\nMesa 10.1\n");
    assert_eq!(stdout(&ok(&["dis"], &text)), FRAG);
    let wrong = text.replace("MOV OUT[0], IMM[0]", "MOV OUT[0], IMM[7]");
    let bad = vecasm(&["check", "--message-format", "short"], &wrong);
    assert_eq!(bad.status.code(), Some(1));
    assert!(stdout(&bad).contains(":6:3: error[TGSI-sanity-undeclared]"), "{}", stdout(&bad));
}

#[test]
fn findings_of_every_kind_have_the_lines_of_the_file() {
    // The reader says the first, the validator the others.
    let text = "It hangs:\n\nFRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\n  0: BGNLOOP :0\n  1: BRK\n  2: ENDLOOP :0\n\
                \x20 3: MOV OUT[0], IN[0]\n  4: END\n";
    let prefixed =
        |text: &str| text.lines().map(|line| format!("[    1.25] mesa: {line}\n")).collect::<String>();
    let quoted = |text: &str| text.lines().map(|line| format!("> {line}\n")).collect::<String>();
    for (name, text, column) in
        [("plain", text.to_string(), 0), ("log", prefixed(text), 17), ("mail", quoted(text), 2)]
    {
        let checked = vecasm(&["check", "--message-format", "short"], &text);
        let said = stdout(&checked);
        for (line, at, id) in [
            (6, 14, "warning[TGSI-label]"),
            (9, 3, "error[TGSI-sanity-undeclared]"),
            (5, 1, "warning[TGSI-sanity-unused]"),
        ] {
            let place = format!(":{line}:{}: {id}", at + column);
            assert!(said.contains(&place), "{name}: {place} in\n{said}");
        }
    }
    // Two pieces of a file; the label is in the second one.
    let two = format!("{VERT}\nand\n{text}");
    let checked = vecasm(&["check", "--message-format", "short"], &two);
    let said = stdout(&checked);
    assert!(said.contains("#2:13:14: warning[TGSI-label]"), "{said}");
}

#[test]
fn what_only_names_a_stage_is_no_log() {
    for text in [
        "FRAG\n\nis a word\n",
        "the stage is VERT\nand nothing of it follows\n",
        "COMP\n{\n}\n",
        "VERTEX\nDCL IN[0]\n",
        "frag\nis small in logs\n  0: END\n",
    ] {
        assert_eq!(sniff(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn texts_of_other_instruction_sets_are_not_taken() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut seen = 0;
    for name in ["agal", "d3d9", "nv2a", "ir", "eqv", "why/agal", "why/d3d9", "why/nv2a"] {
        let mut folders = vec![tests.join(name)];
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if !path.to_string_lossy().contains(".tgsi") {
                    let bytes = std::fs::read(&path).unwrap();
                    assert_ne!(sniff(&bytes), Some(Content::Text(Isa::Tgsi)), "{}", path.display());
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 700, "{seen}");
}
