//! Tests of reading and printing. Expected words are put together from the bit table of the hardware; what nv2a-vsh
//! emits is asked by `cargo xtask oracle nv2a`.

use crate::random::Random;
use vecasm_ir::diag::has_errors;
use vecasm_isa::nv2a::program::{Program, Slot};
use vecasm_isa::nv2a::table::{self, Field};
use vecasm_isa::nv2a::text::{Dialect, ParseOptions, PrintOptions, format, looks_like, parse, print, write};

fn words(text: &str) -> Vec<[u32; 4]> {
    let (program, findings) = parse(text, &ParseOptions::default());
    assert!(!has_errors(&findings), "{text}: {findings:?}");
    program.unwrap().slots.iter().map(|s| s.0).collect()
}

fn first_error(text: &str) -> (&'static str, u32) {
    let (program, findings) = parse(text, &ParseOptions::default());
    assert!(program.is_none(), "{text}");
    let first = findings.iter().find(|d| d.severity == vecasm_ir::diag::Severity::Error).unwrap();
    let vecasm_ir::diag::Place::Text(span) = first.place else { panic!("{first:?}") };
    (first.id, span.start)
}

#[test]
fn a_mov_is_the_default_slot_with_a_mac_operation() {
    // MAC 1 at bit 21 of word 1; mask xyzw at bit 12 of word 3; OUT_ORB, OUT_TEMP_REG 7 and address 0 of oPos; FINAL.
    assert_eq!(words("mov oPos, v0"), [[0, 0x0020_001b, 0x0836_106c, 0x2070_f801]]);
}

#[test]
fn leniencies_do_not_change_words() {
    let plain = words("mov r0, c[A0+20].x\n");
    for text in [
        "MOV R0, C[a0 + 20].r",
        "/* c */ mov /* d */ r0 , c [ 20 + a0.x ] .xxxx ; e",
        "Mov r0, c[A0+18+2].x // c",
    ] {
        assert_eq!(words(text), plain, "{text}");
    }
    assert_eq!(words("sub r0, v0, -r8.x"), words("add r0, v0, r8.x"));
    assert_eq!(
        words("mov r0, v0 mov r1, r0\n+ rcp oFog.x, r0.x"),
        words("mov r0, v0\nmov r1, r0 +\nrcp oFog.x, r0.x")
    );
}

#[test]
fn errors_stand_where_they_are() {
    for (text, expected) in [
        ("mov r5 v0", ("NV2A-syntax", 7)),
        ("mov r0, v0\nmvo r0, v0", ("NV2A-mnemonic", 11)),
        ("mov r0.yx, v0", ("NV2A-mask", 6)),
        ("mov r0, v0.xyzwx", ("NV2A-swizzle", 10)),
        ("mov r12, v0", ("NV2A-register", 4)),
        ("mov r0, c192", ("NV2A-register", 8)),
        ("mul r0, v0, v1", ("NV2A-two-v", 0)),
        ("mul r0, c0, c1", ("NV2A-two-c", 0)),
        ("mul r0, c1, c[A0+1]", ("NV2A-c-abs-rel", 0)),
        ("mov r0, #m", ("NV2A-uniform", 8)),
        ("%norm3 r0 r1 v2", ("NV2A-macro", 0)),
        ("mov r0, v0 {FINAL=2}", ("NV2A-field", 18)),
        ("mov r0, v0 /* c", ("NV2A-comment", 11)),
    ] {
        assert_eq!(first_error(text), expected, "{text}");
    }
}

#[test]
fn every_error_of_a_text_is_listed() {
    let (_, findings) = parse("mvo r0\nmov r0, v0\nmul r0, v0, v1\nmov r99, v0\n", &ParseOptions::default());
    assert_eq!(
        findings.iter().map(|d| d.id).collect::<Vec<_>>(),
        ["NV2A-mnemonic", "NV2A-two-v", "NV2A-register"]
    );
}

/// Gives fields values that the language has names for.
fn plausible(slot: &mut Slot, rng: &mut Random) {
    for field in [Field::AMux, Field::BMux, Field::CMux] {
        slot.set(field, 1 + rng.word() % 3);
    }
    for field in [Field::ATempReg, Field::BTempReg, Field::CTempReg, Field::OutTempReg] {
        slot.set(field, rng.word() % 12);
    }
    slot.set(Field::Mac, rng.word() % 14);
    slot.set(Field::Const, rng.word() % 192);
    let output = table::OUTPUTS[rng.word() as usize % table::OUTPUTS.len()].number;
    slot.set(Field::OutAddress, if slot.get(Field::OutOrb) == 1 { output.into() } else { rng.word() % 192 });
}

#[test]
fn every_slot_reads_back() {
    let mut rng = Random(0x9e37_79b9_7f4a_7c15);
    let (mut statements, mut raw) = (0, 0);
    for round in 0..4000 {
        let count = 1 + round % 3;
        let slots: Vec<Slot> = (0..count)
            .map(|_| {
                let mut slot = Slot([rng.word(), rng.word(), rng.word(), rng.word()]);
                // Often nearly what an assembler emits.
                if round % 4 != 0 {
                    slot.0[0] = 0;
                    slot.0[1] &= 0x0fff_ffff;
                }
                for n in 1..4 {
                    if round % 8 > 4 && rng.word() % 2 == 0 {
                        slot.0[n] = Slot::EMPTY.0[n] ^ slot.0[n] & rng.word() & rng.word() & rng.word();
                    }
                }
                if round % 2 == 0 {
                    plausible(&mut slot, &mut rng);
                }
                slot
            })
            .collect();
        let program = Program::new(slots);
        let text = print(&program, &PrintOptions::default());
        raw += text.matches(".raw").count();
        statements += text.lines().count() - text.matches(".raw").count() - 1;
        let (again, findings) = parse(&text, &ParseOptions::default());
        assert_eq!(again.as_ref(), Some(&program), "{text}\n{findings:?}");
    }
    assert!(statements > 1000 && raw > 1000, "{statements} statements, {raw} raw");
}

#[test]
fn residue_is_in_braces() {
    // mov r5.xy, v1.xy with unused sources swizzled xxxx and no output address.
    let program = Program::new(vec![Slot([0, 0x0020_0215, 0x1800_1000, 0x2c50_0000])]);
    let text = print(&program, &PrintOptions::default());
    assert_eq!(
        text,
        ".nv2a\nmov r5.xy, v1.xy {A_TEMP_REG=1 B_SWZ=xxxx C_SWZ=xxxx OUT_ORB=0 OUT_ADDRESS=0 FINAL=0}\n"
    );
    assert_eq!(parse(&text, &ParseOptions::default()).0, Some(program));
}

#[test]
fn a_mov_keeps_its_unit() {
    // ILU 1 at bit 25 of word 1: mov r5, r3 by the scalar unit.
    let program = Program::new(vec![Slot([0, 0x0200_001b, 0x0836_106c, 0xd05f_0ff9])]);
    let text = print(&program, &PrintOptions::default());
    assert_eq!(text, ".nv2a\nmov:ilu r5, r3\n");
    assert_eq!(parse(&text, &ParseOptions::default()).0, Some(program));
}

#[test]
fn formatting_keeps_the_program() {
    let text =
        "; top\n\n\n#m  vector  96\nmov   r0 ,v0;c\n  mul r1,v0 ,  #m\n  +rcp r1.x, r2.x /* a\n b */\n\n";
    let formatted = format(text).unwrap();
    assert_eq!(
        formatted,
        "; top\n\n#m vector 96\nmov r0, v0  ;c\nmul r1, v0, #m\n+rcp r1.x, r2.x  /* a\n b */\n"
    );
    assert_eq!(words(&formatted), words(text));
    assert_eq!(format(&formatted).unwrap(), formatted);
}

#[test]
fn formatting_knows_the_comments_of_a_language() {
    let text = "!!VP1.0\n# a ;  b\n\n\nMOV  o[HPOS] ,v[0] ;MOV R0,v[0];# c\nEND";
    let formatted = format(text).unwrap();
    assert_eq!(formatted, "!!VP1.0\n# a ;  b\n\nMOV o[HPOS], v[0]; MOV R0, v[0];  # c\nEND\n");
    assert_eq!(words(&formatted), words(text));
}

#[test]
fn texts_are_recognized() {
    for text in [
        "mov r0, v0",
        "; c\n/* d\n e */ MUL oPos.xyz, R12, c[58]",
        "#m matrix4 0",
        "%norm3 r0 r1 r2",
        ".nv2a",
        "arl a0, v0",
        "mov c[3], v1",
        "// c\n!!VP1.1\nEND",
        "!!RC1.0",
        "xvs.1.1",
        "xps.1.1",
    ] {
        assert!(looks_like(text), "{text}");
    }
    for text in [
        "mov oc, v0",
        "mov op, va0",
        "vs_1_1\nmov oPos, v0",
        "vs.1.1\nmov oPos, v0",
        "ps.1.1\nmov r0, v0",
        "VERT",
        "mov vt0, va0",
        "",
        "tex ft0, v0, fs0 <2d>",
    ] {
        assert!(!looks_like(text), "{text}");
    }
}

#[test]
fn hostile_texts_are_read_in_linear_time() {
    use vecasm_isa::nv2a::pair::Mode;
    // What would take minutes if each comment, line or error were looked for from its start.
    let n = 100_000;
    for piece in [
        "/*",
        ";",
        "//",
        "#m vector\n",
        "mul r0, c0, c1\n",
        "@",
        "mov r0, v0 +\n",
        "%norm3 ",
        "/*/ ",
        "#a matrix4 0 ",
    ] {
        let text = piece.repeat(n);
        for mode in [Mode::Strict, Mode::Compat] {
            let (program, findings) = parse(&text, &ParseOptions { mode, ..ParseOptions::default() });
            assert!(program.is_some() || has_errors(&findings), "{piece}");
        }
    }
    let text = "/*".repeat(n) + "*/ x";
    assert!(parse(&text, &ParseOptions { mode: Mode::Compat, ..ParseOptions::default() }).0.is_none());
}

#[test]
fn hostile_texts_of_other_languages_are_read_in_linear_time() {
    let n = 50_000;
    let slot: String = [(0xb00, 0), (0xb04, 0x0020_001b), (0xb08, 0x0836_106c), (0xb0c, 0x2070_f801)]
        .iter()
        .map(|(method, word)| format!("{method:#x} {word:#x}\n"))
        .collect();
    for (dialect, head, piece) in [
        (Dialect::Vp, "!!VP1.0", "#\n"),
        (Dialect::Vp, "!!VP1.0\n", "MOV R0, v[0]; "),
        (Dialect::Vp, "!!VP1.0\n", ";é"),
        (Dialect::Vp, "!!VP1.0\n", "#const c[1]=\n"),
        (Dialect::Vp, "", "/*"),
        (Dialect::Xvs, "", "xvs.1.1 "),
        (Dialect::Xvs, "xvs.1.1\n", "def c0, 0, 0, 0, 0 "),
        (Dialect::Xvs, "xvs.1.1\n", "m4x4 r0, v0, c0\n"),
        (Dialect::Xemu, "", "/* Slot 0: 0x0 0x0 0x0 0x0 */"),
        (Dialect::Xemu, "", "/* Slot 0: "),
        (Dialect::Xemu, "", "MOV(oPos,x, ("),
        (Dialect::Xemu, "", "#\\\n"),
        (Dialect::Log, &slot, "0x17fc 0x1\n"),
        (Dialect::Log, &slot, "0x1ea0 0x0\n0x17fc 0x1\n0x1ea0 0x1\n"),
        (Dialect::Log, "", "NV097_SET_TRANSFORM_PROGRAM "),
        (Dialect::Log, "", "NV097_SET_TRANSFORM_PROGRAM\n"),
    ] {
        let text = format!("{head}{}", piece.repeat(n));
        for dialect in [Some(dialect), None] {
            let (program, findings) = parse(&text, &ParseOptions { dialect, ..ParseOptions::default() });
            assert!(program.is_some() || has_errors(&findings), "{piece}");
        }
    }
}

#[test]
fn copies_are_written_in_one_order() {
    // The vector unit copies to r7, the scalar unit to oPos; what is read back has one copy to both.
    let bytes: Vec<u8> =
        [0u32, 0x0220_001b, 0x0836_106c, 0x2470_f805].iter().flat_map(|word| word.to_le_bytes()).collect();
    let program = vecasm_isa::nv2a::bytes::decode(&bytes).expect("this is a slot");
    let written = write(&program, Dialect::Xvs).expect("xvs can say it");
    assert_eq!(written, "xvs.1.1\nmov oPos, v0\n+ mov r7.y, v0\n");
    let (again, _) = parse(&written, &ParseOptions::default());
    assert_eq!(write(&again.expect("this is read"), Dialect::Xvs), Ok(written));
}

/// The first error of a text: its message, the piece of the text that it is about, and help.
fn said(text: &str) -> (String, String, Option<String>) {
    let (_, findings) = parse(text, &ParseOptions::default());
    let finding = findings.into_iter().find(|d| d.severity == vecasm_ir::diag::Severity::Error).unwrap();
    let vecasm_ir::diag::Place::Text(span) = finding.place else { panic!("{finding}") };
    let piece = text.get(span.start as usize..span.end as usize).unwrap_or("");
    (finding.message.clone(), piece.into(), finding.help.map(|help| help.to_string()))
}

#[test]
fn misspelt_mnemonics_are_guessed_in_every_dialect() {
    for (text, piece, help) in [
        ("mvo r0, v0", "mvo", Some("did you mean `mov`?")),
        ("sbu r0, v0, v1", "sbu", Some("did you mean `sub`?")),
        ("quux r0", "quux", None),
        ("xvs.1.1\nm4x5 oPos, v0, c0", "m4x5", Some("did you mean `m4x4`?")),
        ("!!VP1.0\nMVO o[HPOS], v[0];\nEND", "MVO", Some("did you mean `MOV`?")),
        ("!!VP1.1\nabz R0, v[0];\nEND", "abz", Some("did you mean `abs`?")),
        ("%matmul4x5 r0 v0 #m", "%matmul4x5", Some("did you mean `matmul4x4`?")),
    ] {
        let (_, at, found) = said(text);
        assert_eq!((at.as_str(), found.as_deref()), (piece, help), "{text}");
    }
}

#[test]
fn operands_and_commas_are_counted_where_they_are() {
    for (text, message, piece) in [
        ("mul r0 v1", "expected `,` after `r0`, found `v1`", "v1"),
        ("mul r0.xy, v1 c[2]", "expected `,` after `v1`, found `c[2]`", "c[2]"),
        ("mul r0", "`mul` takes 2 sources, found none", "mul r0"),
        ("mul r0, v1 ; comment", "`mul` takes 2 sources, found 1", "mul r0, v1"),
        ("rcp r1.x, v1 + mul r0, v1", "`mul` takes 2 sources, found 1", "mul r0, v1"),
        ("mov r0, v0, v1", "`mov` takes 1 source, found more", ","),
        ("xvs.1.1\nmul r0 v1, v1", "expected `,` after `r0`, found `v1`", "v1"),
        ("xvs.1.1\ndef c0, 1 2, 3, 4", "expected `,` after `1`, found `2`", "2"),
        (
            "xvs.1.1\nm4x4 oPos, v0",
            "`m4x4` takes a result, a vector and the first row of a matrix",
            "m4x4 oPos, v0",
        ),
        ("!!VP1.0\nMOV o[HPOS] v[0];\nEND", "expected `,` after `o[HPOS]`, found `v[0]`", "v[0]"),
        ("!!VP1.0\nMUL R0, v[0];\nEND", "`MUL` takes 2 sources, found 1", "MUL R0, v[0]"),
        ("!!VP1.0\nMOV R0, v[0], v[0];\nEND", "`MOV` takes 1 source, found more", ","),
    ] {
        let (said, at, _) = said(text);
        assert_eq!((said.as_str(), at.as_str()), (message, piece), "{text}");
    }
}
