//! Tests of the readers with examples whose bytes and errors follow from the format.

use vecasm_ir::diag::{Place, Span, line_column};
use vecasm_isa::agal::bytes::{decode_lossless, encode};
use vecasm_isa::agal::program::{Program, Stage, Token};
use vecasm_isa::agal::text::compat::{Assembler, CompatError, CompatOptions, assemble};
use vecasm_isa::agal::text::errors::RULES;
use vecasm_isa::agal::text::parse::{ParseOptions, parse};
use vecasm_isa::agal::text::print::{PrintOptions, Style, instruction, print};
use vecasm_isa::to_hex;

const VERTEX: ParseOptions = ParseOptions { stage: Some(Stage::Vertex), version: Some(1) };
const FRAGMENT: ParseOptions = ParseOptions { stage: Some(Stage::Fragment), version: Some(1) };

fn program(text: &str, options: &ParseOptions) -> Program {
    match parse(text, options) {
        (Some(program), findings) if findings.iter().all(|d| d.id == "AGAL-version-inferred") => program,
        (_, findings) => panic!("{text}: {findings:?}"),
    }
}

/// The only token of the program, as hexadecimal words in file order.
fn token(text: &str, options: &ParseOptions) -> String {
    let program = program(text, options);
    assert_eq!(program.tokens.len(), 1);
    to_hex(&program.tokens[0].to_bytes())
}

/// Ids and places (line, column, text) of the findings.
fn errors<'a>(text: &'a str, options: &ParseOptions) -> Vec<(&'static str, u32, u32, &'a str)> {
    let (program, findings) = parse(text, options);
    assert!(program.is_none(), "{text} is a program");
    findings
        .iter()
        .map(|d| {
            let Place::Text(Span { start, end }) = d.place else { return (d.id, 0, 0, "") };
            let (line, column) = line_column(text, start);
            (d.id, line, column, &text[start as usize..end as usize])
        })
        .collect()
}

#[test]
fn the_fields_are_where_the_format_has_them() {
    // The byte vectors of the format's description: opcode, destination, two sources.
    for (text, options, expected) in [
        ("m44 op, va0, vc0", VERTEX, "18000000 00000f03 000000e400000000 000000e401000000"),
        ("mov vt0.xz, vc[va1.y+5].wx", VERTEX, "00000000 00000502 0100050301000180 0000000000000000"),
        (
            "tex ft0, v0.xy, fs1 <2d,dxt5,repeat,anisotropic4x,miplinear,ignoresampler,-1.5>",
            FRAGMENT,
            "28000000 00000f02 0000005404000000 0100f40005021432",
        ),
        ("kil ft0.w", FRAGMENT, "27000000 00000000 000000ff02000000 0000000000000000"),
        (
            "ifg ft0.x, fc3.y",
            ParseOptions { version: Some(2), ..FRAGMENT },
            "1e000000 00000000 0000000002000000 0300005501000000",
        ),
        (
            "mov od.x, ft2.z",
            ParseOptions { version: Some(2), ..FRAGMENT },
            "00000000 00000106 020000aa02000000 0000000000000000",
        ),
        (
            "mov fo2, fc63",
            ParseOptions { version: Some(2), ..FRAGMENT },
            "00000000 02000f03 3f0000e401000000 0000000000000000",
        ),
        (
            "mov vt0.x, iid.x",
            ParseOptions { version: Some(3), ..VERTEX },
            "00000000 00000102 0000000007000000 0000000000000000",
        ),
        (
            "tld vt0, va1, vs3 <2d,nearest>",
            ParseOptions { version: Some(4), ..VERTEX },
            "2e000000 00000f02 010000e400000000 0300000005000000",
        ),
        ("mov vt0, vc[va0.x-3]", VERTEX, "00000000 00000f02 0000fde401000080 0000000000000000"),
    ] {
        assert_eq!(token(text, &options), expected.replace(' ', ""), "{text}");
    }
}

#[test]
fn the_options_set_their_bits() {
    // Bit and value of each option in the upper half of the sampler word, whose lowest byte is the type, 5.
    for (bit, words) in [
        (
            8,
            &[("rgba", 0), ("dxt1", 1), ("compressed", 1), ("dxt5", 2), ("compressedalpha", 2), ("video", 3)]
                [..],
        ),
        (12, &[("2d", 0), ("cube", 1), ("3d", 2)]),
        (16, &[("centroid", 1), ("single", 2), ("ignoresampler", 4)]),
        (20, &[("clamp", 0), ("repeat", 1), ("wrap", 1), ("clamp_u_repeat_v", 2), ("repeat_u_clamp_v", 3)]),
        (24, &[("nomip", 0), ("mipnone", 0), ("mipnearest", 1), ("miplinear", 2)]),
        (
            28,
            &[
                ("nearest", 0),
                ("linear", 1),
                ("anisotropic2x", 2),
                ("anisotropic8x", 4),
                ("anisotropic16x", 5),
            ],
        ),
    ] {
        for (word, value) in words {
            let program = program(&format!("tex ft0, v0, fs2 <{word}>"), &FRAGMENT);
            let expected = 2 | (5 | value << bit) << 32;
            assert_eq!(program.tokens[0].src2.0, expected, "{word}");
        }
    }
}

#[test]
fn aliases_are_the_same_registers() {
    let v2 = |stage| ParseOptions { stage: Some(stage), version: Some(2) };
    for (stage, a, b) in [
        (Stage::Vertex, "mov op, va0", "mov vo, va0"),
        (Stage::Vertex, "mov op, va0", "mov op0, va0"),
        (Stage::Vertex, "mov v3, va0", "mov i3, va0"),
        (Stage::Vertex, "mov v3, va0", "mov vi3, va0"),
        (Stage::Fragment, "mov oc, v3", "mov fo0, fi3"),
        (Stage::Fragment, "mov od.x, v3", "mov fd.x, v3"),
    ] {
        assert_eq!(program(a, &v2(stage)), program(b, &v2(stage)), "{a} and {b}");
    }
}

#[test]
fn bits_without_meaning_are_shown() {
    let mut token = program("mov oc, v1", &FRAGMENT).tokens[0];
    assert_eq!(instruction(Stage::Fragment, 1, &token), "mov oc, v1");
    token.src1.0 |= 5 << 16;
    token.src2.0 = 1;
    token.dest.0 |= 1 << 20;
    assert_eq!(
        instruction(Stage::Fragment, 1, &token),
        "mov oc, v1 [dest bits 100000] [source 1 bits 50000] [source 2 bits 1]"
    );
}

#[test]
fn stage_and_version_are_inferred() {
    for (text, stage, version) in [
        ("mov op, va0", Stage::Vertex, 1),
        ("mov oc, v0", Stage::Fragment, 1),
        ("mov v0, v1\nmov v9, v0\nmov op, vt3", Stage::Vertex, 2),
        ("ddx v0, v1", Stage::Fragment, 2),
        ("mov ft0, fc64", Stage::Fragment, 3),
        ("mov op, vc[va8.x]", Stage::Vertex, 3),
        ("mov vt0.x, iid.x", Stage::Vertex, 3),
        ("tld vt0, va0, vs0 <>", Stage::Vertex, 4),
        ("mov fo1, ft0", Stage::Fragment, 2),
        (".agal fragment 3\nmov oc, ft0", Stage::Fragment, 3),
    ] {
        let program = program(text, &ParseOptions::default());
        assert_eq!((program.header.stage(), program.version()), (Some(stage), version), "{text}");
    }
    let flags = ParseOptions { stage: None, version: Some(4) };
    assert_eq!(program(".agal vertex 2\nmov op, va0", &flags).version(), 4);
}

/// A text, how it is read, and a finding: id, line, column, the text it points at.
type Breach = (&'static str, ParseOptions, (&'static str, u32, u32, &'static str));

#[test]
fn every_rule_of_the_strict_syntax_has_a_breach() {
    let any = ParseOptions::default();
    let cases: &[Breach] = &[
        ("mov v0, v1", any, ("AGAL-stage-unknown", 1, 1, "mov v0, v1")),
        (".agal vertex 5\nmov op, va0", any, ("AGAL-version-unknown", 1, 1, ".agal vertex 5")),
        ("mov op, va0\n .agl vertex 1", any, ("AGAL-unknown-directive", 2, 2, ".agl")),
        (".agal vertex\nmov op, va0", any, ("AGAL-bad-directive", 1, 1, ".agal vertex")),
        (".header a0zz\nmov op, va0", any, ("AGAL-bad-directive", 1, 1, ".header a0zz")),
        (".token 0 1 2", VERTEX, ("AGAL-bad-directive", 1, 1, ".token 0 1 2")),
        (".tail 0", VERTEX, ("AGAL-bad-directive", 1, 1, ".tail 0")),
        (".tail 00\nmov op, va0", VERTEX, ("AGAL-directive-place", 2, 1, "mov op, va0")),
        ("mov op, va0\n.agal vertex 1", any, ("AGAL-directive-place", 2, 1, ".agal vertex 1")),
        ("MOV op, va0", VERTEX, ("AGAL-unknown-opcode", 1, 1, "MOV")),
        ("movx op, va0", VERTEX, ("AGAL-unknown-opcode", 1, 1, "movx")),
        ("ifz vt0.x", VERTEX, ("AGAL-unknown-opcode", 1, 1, "ifz")),
        ("eif", VERTEX, ("AGAL-opcode-version", 1, 1, "eif")),
        ("kil vt0.x", VERTEX, ("AGAL-opcode-stage", 1, 1, "kil")),
        ("mov op", VERTEX, ("AGAL-operand-count", 1, 1, "mov")),
        ("mov op, va0, va1", VERTEX, ("AGAL-operand-count", 1, 14, "va1")),
        ("mov op va0", VERTEX, ("AGAL-separator", 1, 7, " ")),
        ("mov op,, va0", VERTEX, ("AGAL-separator", 1, 8, ",")),
        ("mov op, va0,", VERTEX, ("AGAL-separator", 1, 12, ",")),
        ("mov op, va0;", VERTEX, ("AGAL-junk", 1, 12, ";")),
        ("mov op, 1.0", VERTEX, ("AGAL-junk", 1, 9, "1.0")),
        ("mov vt0, vc[va0.x + 1]", VERTEX, ("AGAL-junk", 1, 13, "va0.x + 1")),
        ("mov vt0, vc[5]", VERTEX, ("AGAL-junk", 1, 12, "[5]")),
        ("mov vt0, vc[va0.x", VERTEX, ("AGAL-junk", 1, 12, "[va0.x")),
        ("tex ft0, v0, fs0 <2d> x", FRAGMENT, ("AGAL-junk", 1, 23, "x")),
        ("tex ft0, v0, fs0.x <2d>", FRAGMENT, ("AGAL-junk", 1, 18, "x")),
        ("mov r0, va0", VERTEX, ("AGAL-unknown-register", 1, 5, "r0")),
        ("mov VT0, va0", VERTEX, ("AGAL-unknown-register", 1, 5, "VT0")),
        ("mov vt0, ft1", VERTEX, ("AGAL-register-stage", 1, 10, "ft1")),
        ("mov vt, va0", VERTEX, ("AGAL-register-number", 1, 5, "vt")),
        ("mov vt8, va0", VERTEX, ("AGAL-register-range", 1, 5, "vt8")),
        ("mov vt99999999999, va0", VERTEX, ("AGAL-register-range", 1, 5, "vt99999999999")),
        ("mov ft0.rgba, v0", FRAGMENT, ("AGAL-suffix", 1, 9, "rgba")),
        ("mov ft0, v0.xyzwx", FRAGMENT, ("AGAL-suffix", 1, 13, "xyzwx")),
        ("mov ft0, v0.", FRAGMENT, ("AGAL-suffix", 1, 12, ".")),
        ("mov vt0, vc[va0.xy]", VERTEX, ("AGAL-suffix", 1, 17, "xy")),
        ("mov ft0.zx, v0", FRAGMENT, ("AGAL-mask-order", 1, 9, "zx")),
        ("mov ft0.xx, v0", FRAGMENT, ("AGAL-mask-order", 1, 9, "xx")),
        ("mov vc[va0.x], va0", VERTEX, ("AGAL-indirect", 1, 7, "[va0.x]")),
        ("mov ft0, fc[ft0.x]", FRAGMENT, ("AGAL-indirect", 1, 10, "fc[ft0.x]")),
        ("mov vt0, vc3[va0.x]", VERTEX, ("AGAL-indirect", 1, 10, "vc3[va0.x]")),
        ("mov vt0, vc[v0.x]", VERTEX, ("AGAL-index-register", 1, 13, "v")),
        ("mov vt0, vc[va0]", VERTEX, ("AGAL-index-component", 1, 12, "[va0]")),
        ("mov vt0, vc[va.x]", VERTEX, ("AGAL-register-number", 1, 13, "va")),
        ("mov vt0, vc[va0.x+256]", VERTEX, ("AGAL-index-offset", 1, 18, "+256")),
        ("mov vt0, vc[va0.x-129]", VERTEX, ("AGAL-index-offset", 1, 18, "-129")),
        ("tex ft0, v0, ft1 <2d>", FRAGMENT, ("AGAL-sampler-expected", 1, 14, "ft1")),
        ("tex ft0, v0, fs0 <2d", FRAGMENT, ("AGAL-options-syntax", 1, 18, "<2d")),
        ("tex ft0, v0, fs0 <2d,,linear>", FRAGMENT, ("AGAL-options-syntax", 1, 22, ",")),
        ("mov ft0, v0 <2d>", FRAGMENT, ("AGAL-options-unwanted", 1, 13, "<2d>")),
        ("tex ft0, v0, fs0 <cube>\ntex ft0, v0, fs1", FRAGMENT, ("AGAL-options-missing", 2, 14, "fs1")),
        ("tex ft0, v0, fs0 <2d,repet>", FRAGMENT, ("AGAL-unknown-option", 1, 22, "repet")),
        ("tex ft0, v0, fs0 <2D>", FRAGMENT, ("AGAL-unknown-option", 1, 19, "2D")),
        ("tex ft0, v0, fs0 <2d,cube>", FRAGMENT, ("AGAL-option-conflict", 1, 22, "cube")),
        ("tex ft0, v0, fs0 <1,2>", FRAGMENT, ("AGAL-option-conflict", 1, 21, "2")),
        ("tex ft0, v0, fs0 <2d,2d>", FRAGMENT, ("AGAL-option-repeated", 1, 22, "2d")),
        ("tex ft0, v0, fs0 <single,single>", FRAGMENT, ("AGAL-option-repeated", 1, 26, "single")),
        ("tex ft0, v0, fs0 <0.1>", FRAGMENT, ("AGAL-lod-bias", 1, 19, "0.1")),
        ("tex ft0, v0, fs0 <16>", FRAGMENT, ("AGAL-lod-bias", 1, 19, "16")),
        ("tex ft0, v0, fs0 <0x10>", FRAGMENT, ("AGAL-lod-bias", 1, 19, "0x10")),
    ];
    for (text, options, expected) in cases {
        assert!(errors(text, options).contains(expected), "{text}: {:?}", errors(text, options));
    }
    // Other readers report these; `tests/agal/bad/` has a file for each.
    let elsewhere = ["AGAL-assembler", "AGAL-bad-line", "AGAL-more-findings", "AGAL-version-inferred"];
    let strict = |id: &str| !elsewhere.contains(&id) && !id.starts_with("AGAL-macro-");
    for rule in RULES.iter().filter(|r| strict(r.id)) {
        assert!(cases.iter().any(|case| case.2.0 == rule.id), "{} has no case", rule.id);
    }
}

#[test]
fn all_errors_of_a_text_are_reported() {
    let text = "foo vt0\nmov vt9, ft0.rgba\nmov op va0";
    let found: Vec<_> = errors(text, &VERTEX).iter().map(|e| (e.0, e.1)).collect();
    let expected = [
        ("AGAL-unknown-opcode", 1),
        ("AGAL-register-range", 2),
        ("AGAL-suffix", 2),
        ("AGAL-register-stage", 2),
        ("AGAL-separator", 3),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_flood_of_errors_is_cut() {
    let text = "x\n".repeat(5000);
    let (program, findings) = parse(&text, &VERTEX);
    assert!(program.is_none());
    assert_eq!(findings.len(), 1001);
    assert_eq!(findings[1000].id, "AGAL-more-findings");
    assert!(findings[1000].message.starts_with("4000 "));
}

#[test]
fn odd_programs_have_a_notation() {
    let zeros = " 00000000 0000000000000000 0000000000000000";
    let cases: &[(&[u8], &str)] = &[
        (&[], ".header -  // not a regular header\n"),
        (&[0xa0, 1], ".header a001  // not a regular header\n"),
        (&[0xa0, 9, 0, 0, 0, 0xa1, 0], ".header a009000000a100  // vertex, version word 9\n"),
        (&[0xa0, 1, 0, 0, 0, 0xa1, 0, 7, 8], ".agal vertex 1\n.tail 0708\n"),
    ];
    for (bytes, text) in cases {
        let program = decode_lossless(bytes);
        assert_eq!(print(&program, &PrintOptions::default()), *text);
    }
    // An unknown opcode, and a mov with an empty mask.
    for (opcode, line) in [("000000ff", "?ff va0.none, va0.x, va0.x"), ("00000000", "mov va0.none, va0.x")] {
        let text = format!(".agal vertex 1\n.token {opcode}{zeros}  // {line}\n");
        let program = program(&text, &ParseOptions::default());
        assert_eq!(print(&program, &PrintOptions::default()), text);
    }
    let token = Token::from_bytes(&core::array::from_fn(|i| i as u8));
    assert!(!instruction(Stage::Vertex, 1, &token).contains('\n'));
}

#[test]
fn the_styles_differ_as_documented() {
    let text = "m34 ft0.xyz, v0.xyz, fc1\ntex oc, ft0.x, fs0 <cube,dxt1,-0.5>";
    let program = program(text, &FRAGMENT);
    let print = |style| print(&program, &PrintOptions { style });
    assert_eq!(
        print(Style::Lossless),
        ".agal fragment 1\nm34 ft0.xyz, v0.xyz, fc1\ntex oc, ft0.x, fs0 <cube,nearest,mipnone,clamp,dxt1,-0.5>\n"
    );
    assert_eq!(
        print(Style::Mini),
        "m34 ft0.xyz, v0.xyz, fc1\ntex oc, ft0.x, fs0 <cube,nearest,mipnone,clamp,dxt1,-0.5>\n"
    );
    assert_eq!(
        print(Style::Adobe),
        "//fragment program (agal 1)\nm43 ft0.rgb, v0.rgbb, fc1.rgba\n\
         tex oc, ft0.rrrr, fs0 <cube, nearest, nomip, clamp, -0.500000>\n"
    );
}

#[test]
fn formatting_keeps_words_and_comments() {
    let text = "\n\n// head\nife   ft0.x ,fc0.y//c\n\n\n  mov  oc,v0\n els\n tex oc, v0, fs0< 2d linear,  >\neif\n\n";
    // A comma without an option after it is an error.
    assert!(vecasm_isa::agal::text::format(text).is_err());
    let text = text.replace(",  >", " >");
    assert_eq!(
        vecasm_isa::agal::text::format(&text).as_deref(),
        Ok("// head\nife ft0.x, fc0.y  //c\n\n  mov oc, v0\nels\n  tex oc, v0, fs0 <2d,linear>\neif\n")
    );
    assert_eq!(vecasm_isa::agal::text::format("mov   v0 ,v1").as_deref(), Ok("mov v0, v1\n"));
}

fn compat(assembler: Assembler, mode: &str, text: &str) -> vecasm_isa::agal::text::CompatOutput {
    assemble(text, &CompatOptions { assembler, mode, version: 1, ignore_limits: false })
}

#[test]
fn the_assembler_skips_and_ignores() {
    // Junk between operands, a skipped line, three characters of a mnemonic.
    let out = compat(Assembler::V3, "vertex", "foo bar\nmovable(op; va0) // x\nxy");
    let expected = encode(&program("mov op, va0", &VERTEX));
    assert_eq!((out.bytes, out.error), (expected, None));
    assert_eq!(out.warnings, ["warning: bad line 0: foo bar"]);
}

#[test]
fn options_leak_into_later_lines() {
    let out = compat(Assembler::V3, "fragment", "mov ft0, v0 <cube,2>\ntex ft0, v0, fs1");
    let expected = encode(&program("mov ft0, v0\ntex ft0, v0, fs1 <cube,2>", &FRAGMENT));
    assert_eq!(out.bytes, expected);
}

#[test]
fn assembler_errors_name_the_line_as_the_original_counts() {
    let text = "\n\r\n// a\nmov vt0, va0\n  mov vt0, va8 // b";
    let out = compat(Assembler::V3, "vertex", text);
    // Runs of line breaks count once; the text starts with one, so its first line is empty.
    let message = "error: register operand 1 (8) index exceeds limit of 8.\n  at line 3   mov vt0, va8 // b";
    assert_eq!(out.error, Some(CompatError::Message(message.into())));
    assert!(out.bytes.is_empty());
    let diagnostics = out.diagnostics();
    let Some(d) = diagnostics.first() else { panic!("no diagnostic") };
    assert_eq!(d.message, "register operand 1 (8) index exceeds limit of 8.");
    let Place::Text(span) = d.place else { panic!("{:?}", d.place) };
    assert_eq!(&text[span.start as usize..span.end as usize], "mov vt0, va8 // b");
    assert_eq!(compat(Assembler::V3, "vertex", "mov vt0, vc[va0]").error, Some(CompatError::TypeError1009));
}

#[test]
fn the_dialects_differ() {
    let works = |assembler, mode, text| compat(assembler, mode, text).bytes.len() > 7;
    for assembler in Assembler::ALL {
        assert_eq!(assembler.name().parse::<Assembler>().ok(), Some(assembler));
        assert_eq!(works(assembler, "vertex", "tld vt0, va0, vs0 <2d>"), assembler == Assembler::Agal4);
        assert_eq!(works(assembler, "vertex", "ifz vt0.x"), assembler == Assembler::Legacy);
        assert_eq!(works(assembler, "fragment", "mov fo, v0"), assembler != Assembler::Legacy);
        assert_eq!(works(assembler, "fragment", "tex ft0, v0, fs8 <2d>"), assembler == Assembler::Agal4);
    }
}

#[test]
fn agal_is_distinguished_from_its_neighbours() {
    for text in [
        ".agal vertex 2\n",
        "// c\n\n  m44 op, va0, vc0",
        "\r\ntex ft0 v0, fs0 <2d>",
        "eif\nmov vt0.x, vc[va0.x]",
        "kil ft0.x",
    ] {
        assert!(vecasm_isa::agal::text::looks_like(text), "{text}");
    }
    for text in [
        "",
        "// mov op, va0",
        "vs_2_0\nmov r0, v0",
        "mov r0, c0",
        "MOV OUT[0], IN[0]",
        "mov oPos, v0",
        "mov oC0, r0",
        "hello",
    ] {
        assert!(!vecasm_isa::agal::text::looks_like(text), "{text}");
    }
}
