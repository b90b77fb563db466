//! Texts, the words they are, and what is printed of them.

use core::fmt::Write as _;
use vecasm_ir::diag::Place;
use vecasm_isa::d3d9::bytes::parse_digits;
use vecasm_isa::d3d9::program::Program;
use vecasm_isa::d3d9::text::{PrintOptions, format, looks_like, parse, print};

/// The words of a text, in hexadecimal digits.
fn words(text: &str) -> String {
    let (program, findings) = parse(text);
    let program = program.unwrap_or_else(|| panic!("{text}: {findings:?}"));
    let mut out = String::new();
    for (n, word) in program.words().iter().enumerate() {
        let _ = write!(out, "{}{word:08x}", if n > 0 { " " } else { "" });
    }
    out
}

fn program(digits: &str) -> Program {
    let bytes = parse_digits(digits).unwrap();
    vecasm_isa::d3d9::bytes::decode_lossless(&bytes)
}

/// Both ways: the text gives the words, and the words are printed as that text.
fn both(text: &str, digits: &str) {
    assert_eq!(words(text), digits, "{text}");
    let printed = print(&program(digits), &PrintOptions::default());
    assert_eq!(printed, text);
}

#[test]
fn instructions_are_words() {
    both(
        "vs_1_1\n    dcl_position v0\n    mov r0, c3[a0.x]\n",
        "fffe0101 0000001f 80000000 900f0000 00000001 800f0000 a0e42003 0000ffff",
    );
    both(
        "vs_2_x\n    (!p0.x) add_sat r0.xy, -r1_abs.zyx, c[a0.w]\n".replace("c[", "c0[").as_str(),
        "fffe0201 15000002 80130000 bd001000 8c060001 a0e42000 b0ff0000 0000ffff",
    );
    both(
        "ps_1_4\n    mul_x2_sat r0.xyz, 1-r1, t0_dz\n  +mov r0.w, c1.w\n    phase\n",
        "ffff0104 00000005 81170000 86e40001 b9e40000 40000001 80080000 a0ff0001 0000fffd 0000ffff",
    );
    both(
        "ps_3_0\n    dcl_texcoord3_centroid v1.xy\n    dcl vFace\n    dcl_cube s2\n    def c0, 1.5, -0, 1e20, 0x7fc00000\n    texldb r0, v1, s2\n    if_lt r0.x, c0.x\n    endif\n",
        "ffff0300 0200001f 80030005 90430001 0200001f 80000000 900f1001 0200001f 98000000 a00f0802 \
         05000051 a00f0000 3fc00000 80000000 60ad78ec 7fc00000 03020042 800f0000 90e40001 a0e40802 \
         02040029 80000000 a0000000 0000002b 0000ffff",
    );
}

#[test]
fn preshaders_are_read_alone_and_reported() {
    both(
        "fx_2_1\n    .comment CLIT {\n        00000000\n    }\n",
        "46580201 0002fffe 54494c43 00000000 0000ffff",
    );
    assert!(looks_like("tx_1_0\n"));
    let text = "vs_3_0
    .preshader {
        preshader 46580201
        .code
    }
";
    both(
        text,
        "fffe0300 0008fffe 53455250 46580201 0004fffe 434c5846 00000000 f0f0f0f0 0f0f0f0f 0000ffff 0000ffff",
    );
}

#[test]
fn other_spellings_give_the_same_words() {
    let same = |a: &str, b: &str| assert_eq!(words(a), words(b), "{a}");
    same("vs.1.1 mov r0, c0", "VS_1_1\nMOV R0, C0\n");
    same("vs_2_0 mov r0, c[2+a0.x+12]", "vs_2_0 mov r0.rgba, c14[ a0.x ].xyzw");
    same("vs_2_sw mov r0, c2050", "vs_2_sw mov r0, c[2050]");
    same("ps_2_b nop", "ps_2_x ; comment\nnop /* another */ // and one\n");
    same("ps_1_4 texld r0, t0_db.xyz", "ps_1_4 texld r0, t0_dz.xyz");
    same("vs_2_0 defi i0, 0x7fffffff, -1, 4294967295, 0", "vs_2_0 defi i0, 2147483647, 4294967295, -1, 0");
}

#[test]
fn what_cannot_be_said_is_raw() {
    for (digits, line) in [
        // A wrong length, a reserved bit, an empty mask, a comparison that does not exist, an unknown code.
        (
            "fffe0200 03000001 800f0000 a0e40001 80000000 0000ffff",
            "    .raw 03000001 800f0000 a0e40001 80000000\n",
        ),
        ("fffe0200 02000001 800f4000 a0e40001 0000ffff", "    .raw 02000001 800f4000 a0e40001\n"),
        ("fffe0200 02000001 80000000 a0e40001 0000ffff", "    .raw 02000001 80000000 a0e40001\n"),
        ("fffe0201 02070029 80000000 a0000000 0000ffff", "    .raw 02070029 80000000 a0000000\n"),
        ("fffe0200 00000031 0000ffff", "    .raw 00000031\n"),
        ("fffe0200 80000000 0000ffff", ".raw 80000000\n"),
        ("fffe0200 0000ffff 12345678 01 02", ".end\n.raw 12345678\n.bytes 01 02\n"),
        ("fffe0200 00000000", "    nop\n.noend\n"),
        ("fffe0200 0001fffe 00000005 0000ffff", "    .comment {\n        00000005\n    }\n"),
        ("fffe0200 0002fffe 47554244 00000005 0000ffff", "    .comment DBUG {\n        00000005\n    }\n"),
        ("fffe0200 0000fffe 0000ffff", "    .comment { }\n"),
    ] {
        let program = program(digits);
        let text = print(&program, &PrintOptions::default());
        assert_eq!(text.strip_prefix("vs_2_0\n").or(text.strip_prefix("vs_2_x\n")), Some(line));
        assert_eq!(parse(&text).0, Some(program), "{text}");
    }
    for program in
        [Program::default(), Program::new(Vec::new(), &[1]), Program::new([7, 8, 0xffff].to_vec(), &[])]
    {
        let text = print(&program, &PrintOptions::default());
        assert_eq!(parse(&text).0, Some(program), "{text}");
    }
}

#[test]
fn each_error_has_its_place() {
    let text = "ps_2_0\nmov r0, q1\nadd r0.yx, r1, r2\nmvo r0, r1\nmul r0, r1\nmov r0, c0 r0\n";
    let (program, findings) = parse(text);
    assert!(program.is_none());
    let at = |d: &vecasm_ir::diag::Diagnostic| match d.place {
        Place::Text(span) => &text[span.start as usize..span.end as usize],
        _ => "",
    };
    let listed: Vec<_> = findings.iter().map(|d| (d.id, at(d))).collect();
    let wanted = [
        ("D3D9-register", "q1"),
        ("D3D9-lanes", "yx"),
        ("D3D9-mnemonic", "mvo"),
        ("D3D9-operands", "mul r0, r1"),
        ("D3D9-mnemonic", "r0"),
    ];
    assert_eq!(listed, wanted);
    assert_eq!(findings[2].help.as_deref(), Some("did you mean `mov`?"));
}

/// It is no part of the text, wherever empty lines put it.
#[test]
fn formatting_drops_the_byte_order_mark() {
    for text in [
        "\u{feff}vs_2_0\nmov r0,v0\n",
        "\r\u{feff}vs_2_0\nmov r0,v0\n",
        "\n \u{feff}\u{feff}vs_2_0\nmov r0,v0\n",
    ] {
        assert_eq!(format(text).as_deref(), Ok("vs_2_0\n    mov r0, v0\n"), "{text:?}");
    }
}

#[test]
fn formatting_keeps_words_and_comments() {
    let text = "// head\nvs_2_0   ; model\n\n\nmov   r0 ,c0// tail\n  .raw 00000000\n+ nop";
    let laid = "// head\nvs_2_0  ; model\n\n    mov r0, c0  // tail\n.raw 00000000\n  +nop\n";
    let formatted = format(text).unwrap();
    assert_eq!(formatted, laid);
    assert_eq!(format(&formatted).unwrap(), laid);
    assert_eq!(parse(&formatted).0, parse(text).0);
}
