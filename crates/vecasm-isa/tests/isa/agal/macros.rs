//! Tests of the macro language. Expected lines follow from the definition of each form; expected constants and
//! conditions from the text itself.

use vecasm_ir::diag::Place;
use vecasm_isa::agal::bytes::encode;
use vecasm_isa::agal::text::compat::{Assembler, CompatOptions, assemble};
use vecasm_isa::agal::text::macros::{MacroOptions, Mode, assemble_macros, expand};
use vecasm_isa::agal::text::parse::ParseOptions;

fn expanded(text: &str, mode: Mode) -> Result<String, String> {
    let (out, findings) = expand(text, &MacroOptions { mode, ..MacroOptions::default() });
    match out {
        Some(out) => {
            assert!(findings.is_empty());
            assert_eq!(out.text.lines().count(), out.origins.len());
            Ok(out.text.trim_end().to_string())
        }
        None => Err(findings.first().map(|d| d.id.to_string()).unwrap_or_default()),
    }
}

fn strict(text: &str) -> Result<String, String> {
    expanded(text, Mode::Strict)
}

fn compat(text: &str) -> Result<String, String> {
    expanded(text, Mode::Compat)
}

fn ok(text: &str) -> Result<String, String> {
    Ok(text.to_string())
}

fn err(id: &str) -> Result<String, String> {
    Err(id.to_string())
}

#[test]
fn every_form_of_an_assignment() {
    for (text, lines) in [
        ("ft0=ft1", "mov ft0, ft1"),
        ("ft0 = -ft1.x", "neg ft0, ft1.x"),
        ("ft0.xy = ft1 + ft2", "add ft0.xy, ft1, ft2"),
        ("ft0=ft1-ft2", "sub ft0, ft1, ft2"),
        ("ft0 = ft1*ft2", "mul ft0, ft1, ft2"),
        ("ft0 = ft1 / ft2.wwww", "div ft0, ft1, ft2.wwww"),
        ("ft0 += ft1", "add ft0, ft0, ft1"),
        ("ft0 -= ft1", "sub ft0, ft0, ft1"),
        ("ft0 *= ft1", "mul ft0, ft0, ft1"),
        ("ft0 /= ft1", "div ft0, ft0, ft1"),
        ("ft0 = ft1*ft2 + ft3", "mul ft0, ft1, ft2\nadd ft0, ft0, ft3"),
        ("ft0 = ft1 + ft2*ft3", "mul ft0, ft2, ft3\nadd ft0, ft1, ft0"),
        ("ft0 = tex<2d,linear>(v0.xy, fs1)", "tex ft0, v0.xy, fs1 <2d,linear>"),
        ("vt0 = mul3x3(va1, vc4)", "m33 vt0, va1, vc4"),
        ("op = mul4x4(va0, vc0)", "m44 op, va0, vc0"),
        ("vt0 = vc[va0.x+3].yzwx", "mov vt0, vc[va0.x+3].yzwx"),
        ("nrm ft0.xyz, v1; kil ft0.x", "nrm ft0.xyz, v1\nkil ft0.x"),
    ] {
        assert_eq!(strict(text), ok(lines), "{text}");
        assert_eq!(compat(text), ok(lines), "{text}");
    }
    for text in [
        "ft0 = ft1 - ft2*ft3",
        "ft0 = ft1 + ft2 + ft3",
        "ft0 =",
        "ft0 = -ft1 + ft2",
        "ft0 += -ft1",
        "ft0 == ft1",
    ] {
        assert_eq!(strict(text), err("AGAL-macro-statement"), "{text}");
    }
}

#[test]
fn a_masked_target_is_read_lane_by_lane() {
    // As a source, ft0.yz would give lane y of the target lane z: the mask is no swizzle.
    assert_eq!(strict("ft0.yz += ft1"), ok("add ft0.yz, ft0, ft1"));
    assert_eq!(compat("ft0.yz += ft1"), ok("add ft0.yz, ft0.yz, ft1"));
    assert_eq!(strict("ft0.w = ft1*ft2 + ft3"), ok("mul ft0.w, ft1, ft2\nadd ft0.w, ft0, ft3"));
    let text = "macro sq(a) { out = a*a; out *= a; out = -out }\nft0.yz = sq(ft1)";
    assert_eq!(strict(text), ok("mul ft0.yz, ft1, ft1\nmul ft0.yz, ft0, ft1\nneg ft0.yz, ft0"));
}

#[test]
fn what_a_product_overwrites_is_refused() {
    for text in ["ft0 = ft1*ft2 + ft0", "ft0.x = ft1*ft2 + ft0.x", "ft0.xy = ft0.yx + ft1*ft2"] {
        assert_eq!(strict(text), err("AGAL-macro-clobber"), "{text}");
        assert!(compat(text).is_ok(), "{text}");
    }
    // Lane x is written and lane y is read.
    assert_eq!(strict("ft0.x = ft1*ft2 + ft0.y"), ok("mul ft0.x, ft1, ft2\nadd ft0.x, ft0, ft0.y"));
    // The product itself may read the target.
    assert_eq!(strict("ft0 = ft0*ft0 + ft1"), ok("mul ft0, ft0, ft0\nadd ft0, ft0, ft1"));
    // Outputs cannot be read.
    for text in ["oc = ft1*ft2 + ft3", "op += vt0", "v0.xy *= vt0"] {
        assert_eq!(strict(text), err("AGAL-macro-clobber"), "{text}");
    }
}

#[test]
fn names_and_numbers_become_registers() {
    let text = "alias va0, position\nalias vc4, TWO(2, 0.5)\nalias vc5, NEG(-1)\n\
        vt0 = position.xyz * 0.5\nvt1 = vc[position.x+1]\nvt2 = 2 + 0\nslt vt3, 0.5, TWO.wwww";
    let (out, findings) = expand(text, &MacroOptions::default());
    assert!(findings.is_empty(), "{findings:?}");
    let out = out.unwrap();
    let lines =
        "mul vt0, va0.xyz, vc4.y\nmov vt1, vc[va0.x+1]\nadd vt2, vc4.x, vc4.z\nslt vt3, vc4.y, vc4.wwww\n";
    assert_eq!(out.text, lines);
    let constants: Vec<(&str, &str, [f64; 4])> =
        out.constants.iter().map(|c| (&c.register[..], &c.name[..], c.values)).collect();
    assert_eq!(constants, [("vc4", "TWO", [2.0, 0.5, 0.0, 0.0]), ("vc5", "NEG", [-1.0, 0.0, 0.0, 0.0])]);
    // Numbers in an index and in sampler options stay.
    assert_eq!(strict("tex ft0, v0, fs0 <2d,0.5>"), ok("tex ft0, v0, fs0 <2d,0.5>"));
    assert_eq!(strict("ft0 = 0.25"), err("AGAL-macro-constant"));
    for text in [
        "alias va0",
        "alias foo, bar",
        "alias va0, ft3",
        "alias va0, mov",
        "alias va0, a; alias va1, a",
        "alias vc0, A(1, 2, 3, 4, 5)",
        "alias vc0, A(x)",
        "alias vc0, A(1,)",
        "alias vc0, A(1); alias vc0, B(2)",
    ] {
        assert_eq!(strict(text), err("AGAL-macro-alias"), "{text}");
    }
}

#[test]
fn macros_are_distinguished_by_the_number_of_their_parameters() {
    let text = "macro f(a) { out = a + a }\nmacro f(a, b)\n{\n out = a - b; abs out, out\n}\nmacro f() { out = 1 }\n\
        alias fc0, ONE(1)\nft0 = f(ft1)\nft2.x = f(v0.y, ft1)\nft3 = f()";
    let lines = "add ft0, ft1, ft1\nsub ft2.x, v0.y, ft1\nabs ft2.x, ft2\nmov ft3, fc0.x";
    assert_eq!(strict(text), ok(lines));
    assert_eq!(strict(&format!("{text}\nft0 = f(v0, v1, v2)")), err("AGAL-macro-unknown"));
    assert_eq!(strict(&format!("{text}\nft0 = f(-v0)")), err("AGAL-macro-argument"));
    // Calls in macros; a statement may follow the brace.
    let nested = "macro a(x) { out = x*x } macro b(x) { out = a(x); out += x }\nft0 = b(v1)";
    let text = nested.replace("} macro", "}\nmacro");
    assert_eq!(strict(&text), ok("mul ft0, v1, v1\nadd ft0, ft0, v1"));
    assert_eq!(strict(nested), strict(&text));
    // A macro of one's own may have the name of one that is there from the start.
    assert_eq!(strict("macro mul4x4(a, b) { out = a }\nvt0 = mul4x4(va0, vc0)"), ok("mov vt0, va0"));
}

#[test]
fn suffixes_of_arguments_pick_from_those_they_have() {
    let text = "macro f(a) { out = a.x + a.zw }\n";
    assert_eq!(strict(&format!("{text}ft0 = f(ft1)")), ok("add ft0, ft1.x, ft1.zw"));
    // Of ft1.wzyx, x is w and zw is yx; of ft1.y, which is yyyy, everything is y.
    assert_eq!(strict(&format!("{text}ft0 = f(ft1.wzyx)")), ok("add ft0, ft1.w, ft1.yx"));
    assert_eq!(strict(&format!("{text}ft0 = f(ft1.y)")), ok("add ft0, ft1.y, ft1.yy"));
    assert_eq!(compat(&format!("{text}ft0 = f(ft1.y)")), ok("add ft0, ft1.y.x, ft1.y.zw"));
    let text = "macro g(a) { out.x = a }\n";
    assert_eq!(strict(&format!("{text}ft0 = g(ft1)")), ok("mov ft0.x, ft1"));
    assert_eq!(strict(&format!("{text}ft0.y = g(ft1)")), err("AGAL-macro-suffix"));
}

#[test]
fn names_that_begin_with_out_lose_it_in_compat_only() {
    let text = "macro f(a) { alias = a; mov outer, a }\nft0 = f(ft1)";
    assert_eq!(strict(text), ok("mov alias, ft1\nmov outer, ft1"));
    assert_eq!(compat(text), ok("mov alias, ft1\nmov ft0er, ft1"));
}

#[test]
fn conditions_choose_lines() {
    let chain = |a: u8, b: u8, c: u8| {
        format!("#if {a}\nnop a\n#elif {b}\nnop b\n#elif {c}\nnop c\n#else\nnop d\n#endif\nnop e")
    };
    for (a, b, c, line, slip) in [
        // `slip` is what follows if #elif and #else look at the condition before them only.
        (1, 1, 1, "nop a", "nop a\nnop c"),
        (1, 0, 0, "nop a", "nop a\nnop d"),
        (0, 1, 1, "nop b", "nop b\nnop d"),
        (0, 0, 1, "nop c", "nop c"),
        (0, 0, 0, "nop d", "nop d"),
    ] {
        let text = chain(a, b, c);
        assert_eq!(strict(&text), ok(&format!("{line}\nnop e")), "{text}");
        assert_eq!(compat(&text), ok(&format!("{slip}\nnop e")), "{text}");
    }
    let nested = "#if 0\n#if 1\nnop a\n#else\nnop b\n#endif\nmacro broken(\nalias\n#elif 1\nnop c\n#endif";
    assert_eq!(strict(nested), ok("nop c"));
    for text in ["#else", "#endif", "#elif 1", "#if 1", "#if 1\n#else\n#else\n#endif"] {
        assert_eq!(strict(text), err("AGAL-macro-condition"), "{text}");
    }
    for text in ["#foo", "#", "#define", "#define 3", "#undef", "#if 1\n#endif 1"] {
        assert_eq!(strict(text), err("AGAL-macro-directive"), "{text}");
    }
}

#[test]
fn expressions_have_the_usual_values() {
    let value = |expression: &str, mode| {
        expanded(&format!("#define A 2\n#define B=A*3\n#if {expression}\nnop y\n#endif\nnop n"), mode)
            .map(|text| text.starts_with("nop y"))
    };
    for (expression, holds) in [
        ("A", true),
        ("A - 2", false),
        ("!A", false),
        ("!!A", true),
        ("B == 6", true),
        ("B != 6", false),
        ("A + B * A == 14", true),
        ("B - A - A == 2", true),
        ("B / A / 3 == 1", true),
        ("A < 3", true),
        ("A > 2", false),
        ("A >= 2", true),
        ("A < 3 == A > 1", true),
        ("A && B && 0", false),
        ("0 || A", true),
        ("A == 1 || B == 6", true),
        ("A == -2 + 4", true),
    ] {
        assert_eq!(value(expression, Mode::Strict), Ok(holds), "{expression}");
        if !expression.starts_with(|c: char| c.is_ascii_digit()) {
            assert_eq!(value(expression, Mode::Compat), Ok(holds), "{expression}");
        }
    }
    for (expression, strict) in [("A <= 2", Ok(true)), ("2 + A == 4", Ok(true)), ("1 || 0", Ok(true))] {
        assert_eq!(value(expression, Mode::Strict), strict, "{expression}");
        assert_eq!(value(expression, Mode::Compat), Err("AGAL-macro-expression".into()), "{expression}");
    }
    assert_eq!(value("1 || 1 && 0", Mode::Strict), Err("AGAL-macro-logic".into()));
    assert_eq!(value("1 || (1 && 0)", Mode::Strict), Ok(true));
    // From left to right (1 || 1) && 0; C would say 1 || (1 && 0).
    assert_eq!(value("A || A && 0", Mode::Compat), Ok(false));
    for expression in ["C", "0 / 0", "A + C"] {
        assert_eq!(value(expression, Mode::Strict), Err("AGAL-macro-undefined".into()), "{expression}");
    }
    for expression in ["", "A +", "(A", "A )", "A B", "* A", "<"] {
        assert_eq!(value(expression, Mode::Strict), Err("AGAL-macro-expression".into()), "{expression}");
    }
    assert_eq!(strict("#define N\n#if N\n#endif"), err("AGAL-macro-undefined"));
    assert_eq!(strict("#define N 1\n#undef N\n#if N\n#endif"), err("AGAL-macro-undefined"));
    let options = MacroOptions { defines: &[("N", 3.0)], ..MacroOptions::default() };
    assert_eq!(expand("#if N == 3\nnop\n#endif", &options).0.unwrap().text, "nop\n");
}

#[test]
fn comments_are_taken_away() {
    let text = "mov a /* x\n y */, b // c ; d\nmov c, d // e";
    assert_eq!(strict(text), ok("mov a, b\nmov c, d"));
    // A comment in the last line stays, as Adobe's assembler requires a line feed after it.
    assert_eq!(compat(text), ok("mov a, b\nmov c, d / / e"));
    assert_eq!(compat("ft0 = ft1 // c"), err("AGAL-macro-statement"));
    assert_eq!(strict("ft0 = ft1 // c /* d"), ok("mov ft0, ft1"));
    assert_eq!(strict("mov a, b /* c"), err("AGAL-macro-comment"));
}

#[test]
fn the_library_gives_macros_and_nothing_else() {
    let library = "alias fc0, ONE(1)\n#define N 1\nmov ft0, v0\nmacro f(a) { out = a + a }";
    let options = MacroOptions { library: &[library], ..MacroOptions::default() };
    let (out, _) = expand("ft0 = f(v1)", &options);
    let out = out.unwrap();
    assert_eq!((&out.text[..], out.constants.len()), ("add ft0, v1, v1\n", 0));
    for text in ["ft0 = ONE", "ft0 = 1", "#if N\n#endif"] {
        let (out, findings) = expand(text, &options);
        assert!(out.is_none_or(|out| out.text == "mov ft0, ONE\n"), "{text}: {findings:?}");
    }
    let bad = MacroOptions { library: &["ft0 = = 1"], ..MacroOptions::default() };
    assert_eq!(expand("nop", &bad).1.first().map(|d| d.place), Some(Place::Whole));
}

#[test]
fn macros_without_end_are_stopped() {
    assert_eq!(strict("macro f(a) { out = f(a) }\nft0 = f(v0)"), err("AGAL-macro-recursion"));
    let two = "macro f(a) { out = g(a) }\nmacro g(a) { out = f(a) }\nft0 = f(v0)";
    assert_eq!(strict(two), err("AGAL-macro-recursion"));
    // 30 levels that call twice would be 2^30 lines.
    let mut text = String::from("macro f0(a) { out = a }\n");
    for n in 1..30 {
        text += &format!("macro f{n}(a) {{ out = f{0}(a); out = f{0}(a) }}\n", n - 1);
    }
    assert_eq!(strict(&(text + "ft0 = f29(v0)")), err("AGAL-macro-limit"));
    // The same without a line of output.
    let mut text = String::from("macro f0(a) { }\n");
    for n in 1..30 {
        text += &format!("macro f{n}(a) {{ out = f{0}(a); out = f{0}(a) }}\n", n - 1);
    }
    assert_eq!(strict(&(text + "ft0 = f29(v0)")), err("AGAL-macro-limit"));
    let mut text = String::from("macro f0(a) { out = a }\n");
    for n in 1..40 {
        text += &format!("macro f{n}(a) {{ out = f{}(a) }}\n", n - 1);
    }
    assert_eq!(strict(&(text + "ft0 = f39(v0)")), err("AGAL-macro-limit"));
    assert_eq!(strict(&format!("mov ft0, {}", "a".repeat(1000))), err("AGAL-macro-limit"));
    assert_eq!(strict(&format!("mov ft0 {}", ", a".repeat(1000))), err("AGAL-macro-limit"));
}

#[test]
fn findings_are_placed_in_the_source() {
    let text = "alias va0, pos\nmacro f(a) {\n  out = a + nothing\n}\nvt0 = pos\n\nvt1 = f(pos)\nop = vt0";
    let (out, findings) = assemble_macros(text, &ParseOptions::default(), &MacroOptions::default());
    assert!(out.is_none());
    let found = findings.first().unwrap();
    let Place::Text(span) = found.place else { panic!("{found:?}") };
    assert_eq!(text.get(span.start as usize..span.end as usize), Some("out = a + nothing"));
    assert_eq!(found.instruction.as_deref(), Some("add vt1, va0, nothing"));
    // Several errors of the language itself.
    let (_, findings) = expand("ft0 = 1\nft1 = g(ft0)\nft2 = 2", &MacroOptions::default());
    let ids: Vec<&str> = findings.iter().map(|d| d.id).collect();
    assert_eq!(ids, ["AGAL-macro-constant", "AGAL-macro-unknown", "AGAL-macro-constant"]);
    let options = MacroOptions { mode: Mode::Compat, ..MacroOptions::default() };
    let (_, findings) = expand("ft0 = 1\nft1 = g(ft0)", &options);
    assert_eq!(findings.iter().map(|d| (d.id, d.first)).collect::<Vec<_>>(), [("AGAL-macro-constant", true)]);
}

#[test]
fn both_modes_assemble_what_they_expand() {
    let text = "alias vc8, HALF(0.5)\nvt0 = va0 * 0.5\nop = mul4x4(vt0, vc0)\n";
    // Derived by hand from the forms above.
    let plain = "mul vt0, va0, vc8.x\nm44 op, vt0, vc0\n";
    let options =
        CompatOptions { assembler: Assembler::Legacy, mode: "vertex", version: 1, ignore_limits: false };
    let expected = assemble(plain, &options).bytes;
    assert_eq!(expected.len(), 7 + 2 * 24);
    for mode in [Mode::Strict, Mode::Compat] {
        let options = MacroOptions { mode, ..MacroOptions::default() };
        let (out, findings) = assemble_macros(text, &ParseOptions::default(), &options);
        assert!(findings.is_empty(), "{findings:?}");
        assert_eq!(encode(&out.unwrap().program), expected, "{mode:?}");
    }
    // Later versions in the strict mode.
    let (out, _) = assemble_macros(
        ".agal fragment 2\nddx ft0, v0\noc = ft0",
        &ParseOptions::default(),
        &MacroOptions::default(),
    );
    assert_eq!(out.unwrap().program.version(), 2);
    // Lines that the old assembler skips are warned of.
    let options = MacroOptions { mode: Mode::Compat, ..MacroOptions::default() };
    let (out, findings) = assemble_macros("foo bar\noc = v0", &ParseOptions::default(), &options);
    assert_eq!(out.unwrap().program.tokens.len(), 1);
    assert_eq!(findings.iter().map(|d| d.id).collect::<Vec<_>>(), ["AGAL-bad-line"]);
}
