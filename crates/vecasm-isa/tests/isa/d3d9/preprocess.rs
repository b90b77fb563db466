//! The preprocessor: what it makes of texts, and what it says.

use vecasm_ir::diag::{Place, Span};
use vecasm_isa::d3d9::text::preprocess::{Finding, Included, Options, is_needed, preprocess};

/// The lines that are left, without empty ones.
fn lines(text: &str) -> String {
    let done = preprocess(text, &Options::default(), &mut |_| Err("no file".into()));
    assert!(done.findings.is_empty(), "{text}: {:?}", done.findings);
    let kept = done.text.lines().map(str::trim).filter(|line| !line.is_empty());
    kept.collect::<Vec<_>>().join("\n")
}

/// The id and the place of each finding.
fn found(text: &str) -> Vec<(&'static str, String)> {
    let done = preprocess(
        text,
        &Options { name: "main", ..Options::default() },
        &mut |request| match request.name {
            "self" => Ok(Included { name: "self".into(), text: "#include \"self\"\n".into() }),
            "twice" => Ok(Included { name: "twice".into(), text: "#include \"twice\"\n".repeat(2) }),
            _ => Err("there is none".into()),
        },
    );
    let at = |finding: &Finding| {
        let text = &done.files[finding.file].text;
        match finding.diagnostic.place {
            Place::Text(span) => text[span.start as usize..span.end as usize].to_string(),
            _ => String::new(),
        }
    };
    done.findings.iter().map(|finding| (finding.diagnostic.id, at(finding))).collect()
}

#[test]
fn macros_stand_for_what_c_says() {
    // The examples of the C standard (6.10.3.5), with its results.
    let standard = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
         #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n\
         #define r(x,y) x ## y\n#define str(x) # x\n";
    let of = |line: &str| lines(&(standard.to_string() + line));
    assert_eq!(
        of("f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);"),
        "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);"
    );
    assert_eq!(
        of("g(x+(3,4)-w) | h 5) & m\n(f)^m(m);"),
        "f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))\n^m(0,1);"
    );
    assert_eq!(of("p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };"), "int i[] = { 1, 23, 4, 5,  };");
    assert_eq!(of("c[2] = { str(hello), str() };"), "c[2] = { \"hello\", \"\" };");
    let hash = "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n\
         #define join(c, d) in_between(c hash_hash d)\njoin(x, y)";
    assert_eq!(lines(hash), "\"x ## y\"");
    let list = "#define t(x,y,z) x ## y ## z\nt(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(10,,) t(,11,) t(,,12) t(,,)";
    assert_eq!(lines(list), "123 45 67 89 10 11 12");
    assert_eq!(lines("#define D(f, ...) f(#__VA_ARGS__)\nD(a, b, c d)"), "a(\"b, c d\")");
    // Neither macro is expanded inside its own expansion.
    assert_eq!(lines("#define a b\n#define b a\na b"), "a b");
}

#[test]
fn lines_are_chosen_by_conditions() {
    let of = |condition: &str| lines(&format!("#define T 3\n{condition}\nyes\n#else\nno\n#endif\n"));
    for yes in [
        "#if T == 3 && defined(T)",
        "#if T",
        "#ifdef T",
        "#ifndef U",
        "#if U\n#elif defined T",
        "#if 'a' == 97",
    ] {
        assert_eq!(of(yes), "yes", "{yes}");
    }
    for no in [
        "#if T == 4",
        "#if U",
        "#ifdef U",
        "#ifndef T",
        "#if !defined T",
        "#if 0\n#if 1\n#else\n#endif\n#elif 0",
    ] {
        assert_eq!(of(no), "no", "{no}");
    }
    // What is left out need not be in the language, but its comments count.
    assert_eq!(lines("#if 0\n#nonsense ' \" (\n#if %%\n#endif\n/*\n#endif\n*/\n#endif\nnop"), "nop");
}

#[test]
fn comments_and_lines_stay() {
    let text = "#define R r0 ; the result\nmov R, c0 ; R\n/* R\n */ mov R /* here */, c1 // R\n#define L mov \\\r\n r1, \\\n c1\nL\n";
    let done = preprocess(text, &Options::default(), &mut |_| Err(String::new()));
    assert_eq!(done.text, "\nmov r0, c0 ; R\n/* R\n */ mov r0 /* here */, c1 // R\n\r\n\n\nmov r1, c1\n");
    assert_eq!(lines("#line 100 \"a.h\"\n__LINE__ __FILE__\n__LINE__\n# 7\n__LINE__"), "100 \"a.h\"\n101\n7");
    assert!(!is_needed("vs_1_1 ; #\n// #define\n/*\n#if */ nop"));
    assert!(is_needed("vs_1_1\n /* */ # if 1"));
}

#[test]
fn each_error_has_its_place() {
    let of = |text: &str| {
        let all = found(text);
        assert_eq!(all.len(), 1, "{text}: {all:?}");
        let (id, at) = all.into_iter().next().unwrap();
        (id, at)
    };
    let is = |text, id: &'static str, at: &str| assert_eq!(of(text), (id, at.to_string()), "{text}");
    is("#if\nnop\n#endif", "D3D9-preprocessor", "#if");
    is("#if 1 +\n#endif", "D3D9-preprocessor", "+");
    is("#if 1 1.5\n#endif", "D3D9-preprocessor", "1.5");
    is("#define", "D3D9-preprocessor", "#define");
    is("#undef 1", "D3D9-preprocessor", "#undef 1");
    is("#nonsense", "D3D9-preprocessor", "#nonsense");
    is("#line x", "D3D9-preprocessor", "#line x");
    is("#if 1\nnop", "D3D9-condition", "#");
    is("nop\n#else", "D3D9-condition", "#else");
    is("#endif", "D3D9-condition", "#endif");
    is("#if 1\n#else\n#else\n#endif", "D3D9-condition", "#else");
    is("#error stop\nnop", "D3D9-error", "#error stop");
    is("#define F(a) a\nF(1, 2)", "D3D9-macro", "F");
    is("#define F(a) a\nmov F(r0", "D3D9-macro", "F");
    is("#define F(a,) a", "D3D9-macro", ")");
    is("#define F(a\nnop", "D3D9-macro", "");
    is("#define F(a, a) a", "D3D9-macro", "a");
    is("#define defined 1", "D3D9-macro", "defined");
    is("#include \"none\"", "D3D9-include", "#include \"none\"");
    is("#include none", "D3D9-include", "#include none");
    is("#include <self>", "D3D9-include", "#include \"self\"");
    is("#include <twice>", "D3D9-include", "#include \"twice\"");
    is("#define A /* \nnop", "D3D9-comment", "/*");
}

#[test]
fn nothing_grows_without_end() {
    // 2 to the power of 40.
    let mut text = String::from("#define A0 x x\n");
    for n in 1..40 {
        text += &format!("#define A{n} A{} A{}\n", n - 1, n - 1);
    }
    text += "A39\n";
    assert_eq!(found(&text), [("D3D9-expansion", "A39".to_string())]);
    let deep = format!("#define F(a) a\n{}1{}", "F(".repeat(1000), ")".repeat(1000));
    assert_eq!(found(&deep)[0].0, "D3D9-expansion");
    let pasted =
        "#define P(a, b) a##b\n#define Q(a) P(a, a)\n".to_string() + &"Q(".repeat(40) + "x" + &")".repeat(40);
    assert_eq!(found(&pasted)[0].0, "D3D9-expansion");
}

#[test]
fn places_lead_back() {
    let text = "#include \"regs\"\n#define ADD(d, s) add d, d, s\n  ADD(r1, BAD) mov r2, c0\n";
    let regs = "#define BAD q7\nmov r0, q1\n";
    let done =
        preprocess(text, &Options { name: "main", markers: true, ..Options::default() }, &mut |request| {
            assert_eq!((request.name, request.angled, request.from), ("regs", false, "main"));
            Ok(Included { name: "inc/regs".into(), text: regs.into() })
        });
    assert!(done.findings.is_empty());
    assert_eq!(
        done.text,
        "\n#line 1 \"inc/regs\"\n\nmov r0, q1\n#line 2 \"main\"\n\n  add r1, r1, q7 mov r2, c0\n"
    );
    let origin = |what: &str, n: usize| {
        let start = done.text.match_indices(what).nth(n).unwrap().0;
        let at = done.origin(Span::new(start, start + what.len()));
        let text = &done.files[at.file].text[at.span.start as usize..at.span.end as usize];
        (done.files[at.file].name.as_str(), at.span.start as usize, text)
    };
    assert_eq!(origin("q1", 0), ("inc/regs", 23, "q1"));
    assert_eq!(origin("r1", 0), ("main", text.find("r1").unwrap(), "r1"));
    assert_eq!(origin("add", 0), ("main", text.find("ADD(r1").unwrap(), "ADD"));
    // The expansion of a macro in an argument is the outer macro's doing.
    assert_eq!(origin("q7", 0), ("main", text.find("ADD(r1").unwrap(), "ADD"));
    assert_eq!(origin("mov r2, c0", 0), ("main", text.find("mov r2").unwrap(), "mov r2, c0"));
}

#[test]
fn macros_may_be_there_from_the_start() {
    let defines = [("N", "2"), ("F(a)", "r##a"), ("E", "")];
    let options = Options { defines: &defines, ..Options::default() };
    let done = preprocess("#if N == 2\nmov F(N), c0 E\n#endif\n", &options, &mut |_| Err(String::new()));
    assert!(done.findings.is_empty());
    assert_eq!(done.text, "\nmov r2, c0 \n\n".replace("r2", "rN"));
}
