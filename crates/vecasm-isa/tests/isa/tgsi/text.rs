//! What a text says, and that what is printed says the same.

use crate::random::Random;
use vecasm_ir::diag::{Diagnostic, Place, Span};
use vecasm_isa::tgsi::bytes;
use vecasm_isa::tgsi::dialect::Dialect;
use vecasm_isa::tgsi::program::{Program, Token};
use vecasm_isa::tgsi::text::{Labels, ParseOptions, Style, format, looks_like, parse, print, programs_in};

/// A text in any dialect, as the command line reads it.
fn read(text: &str) -> (Option<Program>, Vec<Diagnostic>) {
    parse(text, &ParseOptions::tolerant())
}

/// A program that is read without an error.
fn program(text: &str) -> Program {
    let (program, findings) = read(text);
    program.unwrap_or_else(|| panic!("{findings:?}\n{text}"))
}

/// What is printed without loss, which must read back to the same.
fn lossless(text: &str) -> String {
    let program = program(text);
    let printed = print(&program, Style::Lossless);
    let (again, findings) = read(&printed);
    assert_eq!(again.as_ref(), Some(&program), "{findings:?}\n{printed}");
    printed
}

#[track_caller]
fn prints(text: &str, wanted: &str) {
    assert_eq!(lossless(text), wanted);
}

#[track_caller]
fn ids(text: &str, wanted: &[&str]) {
    let found: Vec<&str> = read(text).1.iter().map(|f| f.id).collect();
    assert_eq!(found, wanted, "{text}");
}

#[test]
fn labels_are_computed() {
    let text = "VERT\nIF IN[0].xxxx :0\nBGNLOOP\nBRK\nENDLOOP :1\nELSE\nENDIF\nCAL :7\nCAL\nBGNSUB\nENDSUB\n";
    prints(
        text,
        "VERT\n  0: IF IN[0].xxxx :4\n  1:   BGNLOOP :3\n  2:     BRK\n  3:   ENDLOOP :1\n  4: ELSE :5\n  5: ENDIF\n  \
         6: CAL :7\n  7: CAL\n  8: BGNSUB\n  9:   ENDSUB\n"
            .replace("  9:   ENDSUB", "  9: ENDSUB")
            .as_str(),
    );
    ids(text, &["TGSI-label"]);
    // What is not closed keeps what the text says; what is said exactly stays.
    prints("VERT\nIF IN[0].xxxx :9\n", "VERT\n  0: IF IN[0].xxxx :=9\n");
    prints("VERT\nIF IN[0].xxxx :=9\nENDIF\n", "VERT\n  0: IF IN[0].xxxx :=9\n  1: ENDIF\n");
    prints("VERT\nIF IN[0].xxxx :-\nENDIF\n", "VERT\n  0: IF IN[0].xxxx :-\n  1: ENDIF\n");
    let options = ParseOptions { labels: Labels::AsWritten, ..ParseOptions::tolerant() };
    let (found, findings) = parse("VERT\nIF IN[0].xxxx :9\nELSE\nENDIF\n", &options);
    let labels: Vec<_> = found.iter().flat_map(|p| p.instructions().map(|i| i.label)).collect();
    assert_eq!((labels, findings.len()), (vec![Some(9), None, None], 0));
}

#[test]
fn dialects_are_inferred_from_words() {
    prints(
        "FRAG\nSUB OUT[0], IN[0], IN[1]\nPROPERTY NEXT_SHADER FRAG\nEND",
        // Mesa 10 numbers the stages in another way.
        ".dialect legacy\nFRAG\n  0: SUB OUT[0], IN[0], IN[1]\nPROPERTY NEXT_SHADER FRAG\n  1: END\n",
    );
    prints("VERT\nPROPERTY MUL_ZERO_WINS 1\n", ".dialect seed\nVERT\nPROPERTY MUL_ZERO_WINS 1\n");
    prints("VERT\nDCL IN[0], CULLDIST\n", ".dialect virgl\nVERT\nDCL IN[0], CULLDIST\n");
    // SUB is of Mesa 10 and virglrenderer, CLOCK of Mesa 20 and virglrenderer.
    prints(
        "VERT\nSUB OUT[0], IN[0], IN[1]\nCLOCK TEMP[0]\n",
        ".dialect virgl\nVERT\n  0: SUB OUT[0], IN[0], IN[1]\n  1: CLOCK TEMP[0]\n",
    );
    ids("VERT\nSUB OUT[0], IN[0], IN[1]\nCLOCK TEMP[0]\n", &["TGSI-dialect"]);
    // No dialect has both: the usual one lacks as few as any. Two words of Mesa 10 are more than one that it lacks.
    let mixed = "VERT\nSUB OUT[0], IN[0], IN[1]\nDEMOTE\n";
    prints(mixed, ".dialect mesa22\nVERT\n  0: SUB OUT[0], IN[0], IN[1]\n  1: DEMOTE\n");
    ids(mixed, &["TGSI-dialect", "TGSI-mixed"]);
    let mixed = "VERT\nXPD OUT[0], IN[0], IN[1]\nSUB OUT[0], IN[0], IN[1]\nDEMOTE\nRCC OUT[0], IN[0]\n";
    prints(
        mixed,
        ".dialect legacy\nVERT\n  0: XPD OUT[0], IN[0], IN[1]\n  1: SUB OUT[0], IN[0], IN[1]\n  2: DEMOTE\n  3: RCC OUT[0], IN[0]\n",
    );
    let last = read(mixed).1.pop().map(|finding| finding.message);
    let wanted = "no dialect has both `XPD` (line 2: legacy, virgl) and `DEMOTE` (line 4: mesa22, mesa25); \
                  the text is read as legacy";
    assert_eq!(last.as_deref(), Some(wanted));
    // Any two of these have a dialect: Mesa 10 and virglrenderer, virglrenderer and Mesa 20, Mesa 10 and Mesa 20.
    let three = "VERT\nSUB OUT[0], IN[0], IN[1]\nCLOCK TEMP[0]\nTXQ_LZ TEMP[0], SAMP[0], 2D\n";
    assert!(read(three).1.iter().any(|finding| finding.id == "TGSI-mixed"));
    // One that is said is kept.
    prints(
        ".dialect mesa22\nVERT\nSUB OUT[0], IN[0], IN[1]\nDEMOTE\n",
        ".dialect mesa22\nVERT\n  0: SUB OUT[0], IN[0], IN[1]\n  1: DEMOTE\n",
    );
    ids("FRAG\nSUB OUT[0], IN[0], IN[1]\nSUB OUT[0], IN[0], IN[1]\n", &["TGSI-dialect"]);
}

#[test]
fn old_ways_of_writing_are_read() {
    prints(
        "FRAG\nDCL IMMX[0..1] {{ 1, 2, 3, 4 }, { 0.5, 0, 0, 0 }}\nIMM FLT32 { 7, 7, 7, 7 }\nMUL OUT[0], IMMX[1], IMM[0]\n",
        ".dialect legacy\nFRAG\nIMM[0] FLT32 {7.0, 7.0, 7.0, 7.0}\nIMM[1] FLT32 {1.0, 2.0, 3.0, 4.0}\n\
         IMM[2] FLT32 {0.5, 0.0, 0.0, 0.0}\n  0: MUL OUT[0], IMM[2], IMM[0]\n",
    );
    prints(
        "FRAG\n(!PRED[0].xxxx) MOV_SATNV OUT[0], IN[0]\nDCL RES[0], 2D, FLOAT\nDCL RES[1], BUFFER, RAW, WR\n",
        ".dialect legacy\nFRAG\n  0: (!PRED[0].xxxx) MOV_SATNV OUT[0], IN[0]\nDCL RES[0], 2D, FLOAT\n\
         DCL RES[1], BUFFER, WR, RAW\n",
    );
    prints(
        "GEOM\nEMIT\nIMM FLT32 {0, 0, 0, 0}\nEMIT IMM[0].xxxx\nENDPRIM\nEND\n",
        ".dialect legacy\nGEOM\n  0: EMIT\nIMM[0] FLT32 {0.0, 0.0, 0.0, 0.0}\n  1: EMIT IMM[0].xxxx\n  2: ENDPRIM\n  3: END\n",
    );
    prints("GEOM\nEMIT $15[0].xxxx\nEND\n", "GEOM\n  0: EMIT $15[0].xxxx\n  1: END\n");
    prints("VERT\nMOV OUT[0], IMM[ADDR[0].x + 3]\n", "VERT\n  0: MOV OUT[0], IMM[ADDR[0].x+3]\n");
}

#[test]
fn what_the_language_cannot_say_has_a_notation() {
    let text = ".dialect virgl\n$9\n.head 0x2 0x9\n.tail 0x1 0xff\nDCL IN[][5][0..3]._, .semantic 60[3], .interp 9, \
                .location 3\n.bits 0 0x80000000\nDCL IMAGE[0], .target 40, .format 900, .wr\nDCL SVIEW[1], 2D, .return 0 1 2 \
                9\nIMM[0] $9 {$0x1, $0x2}\nIMM[1] FLT32 {$}\nPROPERTY $40 $0x1 $0x2\nPROPERTY NEXT_SHADER $0x9\n.words \
                0xf 0x1\n  0: $250(1,1) TEMP[0], -$15[3]\n  1: MOV(2,0)_ TEMP[0], TEMP[1]\n";
    let text = text.replace("$9\n.head", "VERT\n.head").replace("IN[][5]", "IN[5]").replace(")_", ")");
    prints(&text, &text);
    let text = ".dialect mesa25\nVERT\nIMM[0] FLT32 {$0x7fc00000, $0x0, $0x0, $0x0}\n  0: SAMPLE TEMP[0], IN[0], SVIEW[0], \
                SAMP[0], .target 2, .return 4\n  1: LOAD TEMP[0], IMAGE[0], IN[0], .nomemory\n  2: MOV TEMP[0], IN[0], \
                .memory, COHERENT, .memtarget 99\n  3: TEX(1,2,5) TEMP[0], IN[0], SAMP[0], 2D, IMM[0].xyz, IMM[0].xyz, \
                IMM[0].xyz, IMM[0].xyz, IMM[0].xyz\n  4: TEX TEMP[0], IN[0], SAMP[0], .notexture\n  5: MOV TEMP[0]._, \
                IN[0] :=7\n";
    prints(text, text);
}

#[test]
fn numbers_are_read_as_the_peers_read_them() {
    prints(
        "VERT\nIMM FLT32 {1e39, 0x80000001, 16777217, .1}\nIMM FLT64 {nan, 0x1.8p1}\nIMM INT64 {-0x10, 010}\n",
        "VERT\nIMM[0] FLT32 {0x7f800000, -1e-45, 16777216.0, 0.1}\nIMM[1] FLT64 {nan, 3.0}\nIMM[2] INT64 {-16, 8}\n",
    );
    let newer = ParseOptions { dialect: Some(Dialect::Mesa25), ..ParseOptions::default() };
    let (found, _) = parse("VERT\nIMM[0] FLT32 {0x10, nan, -inf, 1}\nEND\n", &newer);
    let words: Vec<u32> =
        found.iter().flat_map(|p| p.immediates().flat_map(|(_, words)| words.to_vec())).collect();
    assert_eq!(words, [0x4180_0000, 0x7fc0_0000, 0xff80_0000, 0x3f80_0000]);
    ids("VERT\nMOV TEMP[70000], IN[0]\n", &["TGSI-truncated"]);
    ids("VERT\nIMM UINT32 {99999999999, 0, 0, 0}\n", &["TGSI-truncated"]);
    ids("VERT\nMOV TEMP[0], CONST[1](3)\n", &["TGSI-dropped"]);
}

#[test]
fn floats_are_printed_as_c_prints_them() {
    // printf("%10.4f") with glibc 2.36: ties go to even.
    let printed = |bits: u32| {
        let mut p = Program::new(Dialect::Mesa22, vecasm_isa::tgsi::Processor::Vertex, 0);
        p.push_immediate(vecasm_isa::tgsi::names::ImmediateType::Flt32, &[bits]);
        print(&p, Style::Mesa)
    };
    let is = |value: f32, wanted: &str| {
        assert_eq!(printed(value.to_bits()), format!("VERT\nIMM[0] FLT32 {{{wanted}}}\n"));
    };
    is(0.03125, "    0.0312");
    is(0.09375, "    0.0938");
    is(-0.00001, "   -0.0000");
    is(f32::NAN, "       nan");
    is(f32::NEG_INFINITY, "      -inf");
    is(123_456_789.0, "123456792.0000");
}

#[test]
fn every_statement_has_its_errors() {
    let (found, findings) =
        read("FRAG\nMOV OUT[0]\nDCL FOO[0]\nMOV OUT[0], IN[0].q\nBLAH\nADD OUT[0].yx, IN[0], IN[0]\nEND\n");
    assert!(found.is_none());
    let lines: Vec<_> = findings
        .iter()
        .map(|f| match f.place {
            Place::Text(span) => (f.id, vecasm_ir::diag::line_column(
                "FRAG\nMOV OUT[0]\nDCL FOO[0]\nMOV OUT[0], IN[0].q\nBLAH\nADD OUT[0].yx, IN[0], IN[0]\nEND\n", span.start)),
            _ => (f.id, (0, 0)),
        })
        .collect();
    assert_eq!(
        lines,
        [
            ("TGSI-expected", (3, 1)),
            ("TGSI-file", (3, 5)),
            ("TGSI-swizzle", (4, 19)),
            ("TGSI-statement", (5, 1)),
            ("TGSI-expected", (6, 13)),
        ]
    );
    // The number of findings has a limit.
    let many = format!("FRAG\n{}", "?\n".repeat(3000));
    assert_eq!(read(&many).1.len(), 1001);
}

#[test]
fn slips_have_a_word_that_was_meant() {
    let help = |statement: &str| {
        let findings = read(&format!("FRAG\n{statement}\nEND\n")).1;
        findings.into_iter().find_map(|finding| finding.help).unwrap_or_default().into_owned()
    };
    for (statement, wanted) in [
        ("0: MOVE OUT[0], IN[0]", "did you mean `MOV`?"),
        ("DLC OUT[0], COLOR", "did you mean `DCL`?"),
        ("0: TEX OUT[0], IN[0], SAMP[0], CUBE_ARRAY", "did you mean `CUBEARRAY`?"),
        ("DCL SVIEW[0], CUBE_ARRAY, FLOAT", "did you mean `CUBEARRAY`?"),
        ("DCL IN[0], GENERICS[0]", "did you mean `GENERIC`?"),
        ("DCL TMP[0]", "did you mean `TEMP`?"),
        ("PROPERTY FS_COLOR0_WRITE_ALL_CBUFS 1", "did you mean `FS_COLOR0_WRITES_ALL_CBUFS`?"),
        ("0: ADD OUT[0], IN[0], IMM[0].x", "a swizzle has 4 letters: write `.xxxx`"),
        ("0: ADD OUT[0], IN[0], IMM[0].xy", "a swizzle has 4 letters: write `.xyyy`"),
        ("0: ADD OUT[0], IN[0], IMM[0].q", ""),
    ] {
        assert_eq!(help(statement), wanted, "{statement}");
    }
}

#[test]
fn comments_and_the_fronts_of_logs_are_skipped_if_asked() {
    let text = "# a shader\r\nVERT // stage\r\n/* two\nlines */ DCL IN[0] ; input\r\nEND\r\n";
    prints(text, "VERT\nDCL IN[0]\n  0: END\n");
    assert!(parse(text, &ParseOptions::default()).0.is_none());
    let log = "12:00:01 mesa: VERT\n12:00:02 mesa: DCL IN[0]\n12:00:02 mesa:   0: MOV OUT[0], IN[0]\n12:00:13 mesa:   1: END\n";
    prints(log, "VERT\nDCL IN[0]\n  0: MOV OUT[0], IN[0]\n  1: END\n");
    let several = format!("starting\n{log}done\nFRAG\nEND\nbye\n");
    let programs: Vec<&str> = programs_in(&several)
        .into_iter()
        .map(|span| &several[span.start as usize..span.end as usize])
        .collect();
    assert_eq!(programs.len(), 2, "{programs:?}");
    assert_eq!(lossless(programs[0]), lossless(log));
    assert_eq!(programs[1], "FRAG\nEND\n");
}

/// Zeros at the ends of lines, which pad strings of C, are passed over by the reader of logs.
#[test]
fn formatting_passes_over_the_padding_of_lines() {
    let text = "VERT\0\0\nDCL IN[0]\nDCL OUT[0], POSITION\0\n  0: MOV OUT[0],IN[0]\n  1: END\n";
    let laid_out = format(&text.replace('\0', "")).unwrap();
    assert_eq!(format(text), Ok(laid_out));
}

#[test]
fn formatting_keeps_words_and_comments() {
    let text = "// head\n\n\nVERT\n DCL   IN [ 0 ] . xy ,POSITION\nIMM FLT32 { 1 , 2,3, 4 } # four\n0:IF |  IN[0].xxxx | :1\n  \
                7 :MOV  OUT[0].x,- | IN[ADDR[0].x + 1] |,\n STREAM\n";
    let text = text.replace(",\n STREAM", "");
    let wanted = "// head\n\nVERT\nDCL IN[0].xy, POSITION\nIMM FLT32 {1, 2, 3, 4}  # four\n  0: IF |IN[0].xxxx| :1\n  7:   MOV \
                  OUT[0].x, -|IN[ADDR[0].x+1]|\n";
    assert_eq!(format(&text).as_deref(), Ok(wanted));
    assert_eq!(format(wanted).as_deref(), Ok(wanted));
    assert!(format("VERT\nFOO\n").is_err());
    // In a text, with the blanks in front of its header; the quote behind END stays where it is.
    let text = "s = `\n  VERT\n   0:END`;\n a  b\n";
    assert_eq!(format(text).as_deref(), Ok("s = `\n  VERT\n    0: END`;\n a  b\n"));
    // Places are those of the text.
    let places = format("x\nVERT\n0: FOO\nEND\ny\nVERT\n1: BAR\nEND\n").map_err(|findings| {
        let at = |f: Diagnostic| (f.id, f.place);
        findings.into_iter().map(at).collect::<Vec<_>>()
    });
    let at = |start, end| ("TGSI-opcode", Place::Text(Span::new(start, end)));
    assert_eq!(places, Err(vec![at(10, 13), at(28, 31)]));
}

#[test]
fn only_texts_of_this_language_look_like_it() {
    for text in
        ["VERT\nEND\n", "frag dcl in[0]", "GEOM\n", "# x\nCOMP\n  0: NOP", ".dialect virgl\nVERT\nEND"]
    {
        assert!(looks_like(text), "{text}");
    }
    for text in
        ["", "VERT: x", "FRAGMENT\nMOV", "vs_1_1\nmov", "VERT is a stage", "!!ARBvp1.0\nEND", "frag,1"]
    {
        assert!(!looks_like(text), "{text}");
    }
}

#[test]
fn any_tokens_survive_their_text() {
    let source = "FRAG\nPROPERTY FS_COORD_ORIGIN UPPER_LEFT\nPROPERTY GS_INPUT_PRIMITIVE LINES\nDCL IN[0..3], ARRAY(1), \
                  GENERIC[3], PERSPECTIVE, CENTROID\nDCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\nDCL SVIEW[0], 2D, FLOAT\nDCL \
                  CONST[1][0..3]\nIMM FLT32 {1, 2, 3, 4}\nIMM FLT64 {1, 2}\nIMM INT32 {1, 2, 3, 4}\nIF IN[0].xxxx\nTEX \
                  TEMP[0], -|CONST[ADDR[0].x+1][2]|, SAMP[0], 2D, IMM[0].xyz\nENDIF\nBGNLOOP\nENDLOOP\nLOAD TEMP[0], \
                  IMAGE[0], IN[0], COHERENT, 2D, PIPE_FORMAT_R32_UINT\nSAMPLE TEMP[0], IN[0], SVIEW[0], SAMP[0]\nMOV_SAT \
                  TEMP[ADDR[0].y-2](3).xz, IN[0].wzyx\nEND\n";
    let mut random = Random(0x1234_5678_9abc_def1);
    for dialect in Dialect::ALL {
        let Ok(whole) = bytes::encode_as(&program(source), *dialect) else {
            assert_eq!(*dialect, Dialect::Legacy);
            continue;
        };
        for _ in 0..400 {
            let mut changed = whole.clone();
            for _ in 0..random.next() % 6 {
                let at = 8 + (random.next() as usize) % (changed.len() - 8);
                changed[at] ^= 1 << (random.next() % 8);
            }
            survives(&bytes::decode_as(&changed, *dialect));
        }
    }
    // Nothing but noise.
    for _ in 0..400 {
        let words = random.next() % 40;
        let mut noise: Vec<u8> = (0..words * 4).map(|_| random.next() as u8).collect();
        for chunk in noise.chunks_mut(4) {
            // Types and lengths that fit are likelier.
            chunk[0] = chunk[0] & 3 | (chunk[0] & 0x70);
            chunk[1] &= 0xf0;
        }
        survives(&bytes::decode_as(&noise, Dialect::ALL[(random.next() % 5) as usize]));
    }
}

#[track_caller]
fn survives(program: &Program) {
    let text = print(program, Style::Lossless);
    let (again, findings) = read(&text);
    let Some(again) = again else { panic!("{findings:?}\n{text}") };
    if again != *program {
        for (a, b) in again.tokens.iter().zip(&program.tokens) {
            if let (Token::Instruction(a), Token::Instruction(b)) = (a, b) {
                assert_eq!(
                    (again.sources(a), again.destinations(a)),
                    (program.sources(b), program.destinations(b))
                );
            }
            assert_eq!(a, b, "{text}");
        }
        assert_eq!(again, *program, "{text}");
    }
}
