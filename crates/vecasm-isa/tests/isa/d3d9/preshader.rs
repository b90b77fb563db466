//! Preshaders: texts, words and what they compute.

use vecasm_isa::d3d9::ctab::{self, ConstantTable};
use vecasm_isa::d3d9::preshader::run::{Division, Outside, Switches};
use vecasm_isa::d3d9::preshader::{
    File, Inputs, NAME, Operand, Slot, Style, VERSION, of, parse, parse_at, print, read, run,
};
use vecasm_isa::d3d9::program::Program;

/// c0 of the shader gets (x·0.5, y·0.5), c1.x the sign of x, from c0 of the effect.
const LISTING: &str = "    preshader
    mul c0.xy, c0.xy, (0.5, 0.5)
    lt r0.x, c0.x, (0)
    mul c1.x, r0.x, (-1)

// approximately 3 instructions used
";

/// The same by the layout: lanes, operation, operands of three words each, the numbers after one register of room.
fn words() -> Vec<u32> {
    let mut out = vec![0x4658_0201];
    out.extend([0x000c_fffe, u32::from_le_bytes(*b"PRSI"), 0, 0, 0, 2, 0, 0, 1, 0, 2, 0, 0]);
    out.extend([0x0012_fffe, u32::from_le_bytes(*b"CLIT"), 8, 0, 0, 0, 0, 0, 0, 0, 0]);
    // 0.5, 0.5, 0, -1 as doubles, low words first.
    out.extend([0, 0x3fe0_0000, 0, 0x3fe0_0000, 0, 0, 0, 0xbff0_0000]);
    let code = [
        3, //
        0x2050_0002,
        2,
        0,
        2,
        0,
        0,
        1,
        4,
        0,
        4,
        0, //
        0x2020_0001,
        2,
        0,
        2,
        0,
        0,
        1,
        6,
        0,
        7,
        0, //
        0x2050_0001,
        2,
        0,
        7,
        0,
        0,
        1,
        7,
        0,
        4,
        4, //
        0xf0f0_f0f0,
        0x0f0f_0f0f,
    ];
    out.extend([(code.len() as u32 + 1) << 16 | 0xfffe, u32::from_le_bytes(*b"FXLC")]);
    out.extend(code);
    out.push(0xffff);
    out
}

fn inputs(values: &[[f32; 4]]) -> Inputs {
    let mut inputs = Inputs::default();
    values.iter().enumerate().for_each(|(n, value)| inputs.set(n as u32, *value));
    inputs
}

/// The listing of one or more instructions, run.
fn floats(code: &str, values: &[[f32; 4]], switches: &Switches) -> Vec<(u32, [f32; 4])> {
    let (preshader, findings) = parse(&format!("preshader\n{code}\n"));
    let preshader = preshader.unwrap_or_else(|| panic!("{code}: {findings:?}"));
    let words = preshader.words();
    let (again, findings) = read(&words);
    assert_eq!((again.as_ref(), findings.len()), (Some(&preshader), 0), "{code}");
    run(&preshader, &inputs(values), switches).unwrap().floats
}

fn one(code: &str, values: &[[f32; 4]]) -> [f32; 4] {
    floats(code, values, &Switches::default()).first().map_or([f32::NAN; 4], |row| row.1)
}

#[test]
fn a_listing_is_words() {
    let (preshader, findings) = parse(LISTING);
    let preshader = preshader.unwrap_or_else(|| panic!("{findings:?}"));
    assert_eq!(preshader.words(), words());
    assert_eq!(print(&preshader, Style::Listing, "    "), LISTING);
    let (read, findings) = read(&words());
    assert_eq!((read, findings), (Some(preshader.clone()), Vec::new()));
    let out = run(&preshader, &inputs(&[[-3.0, 5.0, 0.0, 0.0]]), &Switches::default()).unwrap();
    assert_eq!(out.floats, [(0, [-1.5, 2.5, 0.0, 0.0]), (1, [-1.0, 0.0, 0.0, 0.0])]);
    assert_eq!(preshader.temporaries(), 1);
    assert_eq!(preshader.written(), [(File::Float, 0), (File::Float, 1)]);
}

#[test]
fn a_shader_has_one_in_a_comment() {
    let inner = words();
    let mut outer = vec![0xffff_0300, (inner.len() as u32 + 1) << 16 | 0xfffe, u32::from_le_bytes(*NAME)];
    outer.extend(&inner);
    outer.push(0xffff);
    let (found, findings) = of(&Program::new(outer.clone(), &[]));
    let found = found.unwrap();
    assert!(findings.is_empty());
    assert_eq!(found.comment(), outer[2..outer.len() - 1]);
    assert_eq!(of(&Program::new(inner, &[])).0, Some(found));
    assert_eq!(of(&Program::new(vec![0xffff_0300, 0xffff], &[])), (None, Vec::new()));
}

#[test]
fn nothing_is_lost() {
    let whole = words();
    let check = |words: &[u32]| {
        let Some(preshader) = read(words).0 else { return assert!(words.is_empty()) };
        assert_eq!(preshader.words(), words);
        let text = print(&preshader, Style::Lossless, "  ");
        let (again, findings) = parse(&text);
        assert_eq!(again.as_ref(), Some(&preshader), "{text}\n{findings:?}");
        let _ = print(&preshader, Style::Listing, "");
        let _ = run(&preshader, &inputs(&[[1.0; 4]]), &Switches::default());
    };
    for end in 0..=whole.len() {
        check(&whole[..end]);
    }
    for at in 0..whole.len() {
        for value in
            [0, 1, 0xffff, 0xffff_ffff, 0x4000_0001, whole[at] ^ 1 << 16, whole[at] ^ 1 << 31, whole[at] + 1]
        {
            let mut changed = whole.clone();
            changed[at] = value;
            check(&changed);
        }
    }
}

#[test]
fn lanes_and_tables() {
    let text = "preshader 46580201
    .literals { 0, 0.5, 0.5, 0x7ff8000000000000 }
    dot c3.w, c1.xyz, c2.xyz
    mul r1.yz, c0.x, c0.zw
    lt_s r0.w, l0.z, c1.y
    mov b2, c0.x
    mov i1.xy, oc2.zw
    mov c0, c0[c10.x]
    add c4[r0.x].x, l1[c0.y].x, (0.5)
    .raw { fff00001 00000000 00000000 00000009 00000003 }
    .raw { 10000002 00000001 00000000 00000002 00000003 00000000 00000007 00000000 }
";
    let (preshader, findings) = parse(text);
    let preshader = preshader.unwrap_or_else(|| panic!("{findings:?}"));
    let slot = |table, offset| Slot { table, offset };
    let code = preshader.code();
    let at = |operand: Operand| (operand.slot, operand.index);
    assert_eq!((code[0].word, code[0].result.slot), (0x5000_0003, slot(4, 15)));
    assert_eq!((code[1].word, code[1].operands[0].slot), (0xa050_0002, slot(2, 0)));
    assert_eq!((code[2].word, code[2].operands[0].slot), (0xa020_0001, slot(1, 2)));
    assert_eq!((code[3].result.slot, code[4].result.slot), (slot(5, 2), slot(6, 4)));
    assert_eq!(code[4].operands[0].slot, slot(4, 10));
    assert_eq!(at(code[5].operands[0]), (slot(2, 0), Some(slot(2, 40))));
    // Index first, then what it counts from.
    assert_eq!(code[5].words(), [0x1000_0004, 1, 1, 2, 40, 2, 0, 0, 4, 0]);
    assert_eq!(at(code[6].result), (slot(4, 16), Some(slot(7, 0))));
    assert_eq!(print(&preshader, Style::Lossless, "    ").replacen("    preshader", "preshader", 1), text);
    let findings = read(&preshader.words()).1;
    let said: Vec<_> = findings.iter().map(|d| (d.id, d.message.as_ref())).collect();
    assert_eq!(
        said,
        [
            ("D3D9-preshader-op", "preshader: instruction 7: there is no operation 7ff of 0 operands"),
            ("D3D9-preshader-op", "preshader: instruction 7: there is no table 9"),
        ]
    );
}

#[test]
fn operations() {
    let v = [[4.0, 2.0, -9.0, 0.25], [1.0, 2.0, 3.0, 4.0]];
    let is = |code: &str, wanted: [f32; 4]| {
        let got = one(code, &v);
        let near = |a: f32, b: f32| a == b || (a - b).abs() <= 1e-6;
        assert!(got.iter().zip(wanted).all(|(a, b)| near(*a, b)), "{code}: {got:?}");
    };
    is("mov c0, c0", v[0]);
    is("neg c0.xyz, c1.xyz", [-1.0, -2.0, -3.0, 0.0]);
    is("rcp c0, c0", [0.25, 0.5, -1.0 / 9.0, 4.0]);
    is("frc c0.xy, c0.zw", [0.0, 0.25, 0.0, 0.0]);
    is("frc c0.x, (-1.25)", [0.75, 0.0, 0.0, 0.0]);
    is("exp c0.xy, c1.xy", [2.0, 4.0, 0.0, 0.0]);
    is("log c0, (8, 0, -2, 0.5)", [3.0, 0.0, 1.0, -1.0]);
    is("rsq c0, (4, 0, -4, 0.25)", [0.5, f32::INFINITY, 0.5, 2.0]);
    is("sin c0.xy, (0, 1.5707963267948966)", [0.0, 1.0, 0.0, 0.0]);
    is("cos c0.xy, (0, 3.141592653589793)", [1.0, -1.0, 0.0, 0.0]);
    is("asin c0.x, (0.5)", [core::f32::consts::FRAC_PI_6, 0.0, 0.0, 0.0]);
    is("acos c0.x, (-1)", [core::f32::consts::PI, 0.0, 0.0, 0.0]);
    is("atan c0.x, (1)", [core::f32::consts::FRAC_PI_4, 0.0, 0.0, 0.0]);
    is("min c0, c0, c1", [1.0, 2.0, -9.0, 0.25]);
    is("max c0, c0, c1", [4.0, 2.0, 3.0, 4.0]);
    is("lt c0, c0, c1", [0.0, 0.0, 1.0, 1.0]);
    is("ge c0, c0, c1", [1.0, 1.0, 0.0, 0.0]);
    is("add c0, c0, c1", [5.0, 4.0, -6.0, 4.25]);
    is("mul c0, c0.y, c1", [2.0, 4.0, 6.0, 8.0]);
    is("atan2 c0.x, (1), (-1)", [2.356_194_5, 0.0, 0.0, 0.0]);
    is("cmp c0, c0, c1, (7, 7, 7, 7)", [1.0, 2.0, 7.0, 4.0]);
    is("dot c0.x, c0.xyz, c1.xyz", [-19.0, 0.0, 0.0, 0.0]);
    is("dot c0.y, c0.x, c1", [0.0, 40.0, 0.0, 0.0]);
    is("d3ds_dotswiz c0.x, (1), (2), (3), c1.x, c1.y, c1.z", [14.0, 0.0, 0.0, 0.0]);
    is("d3ds_dotswiz c0.x, (1), (2), (3), (4), c1.x, c1.y, c1.z, c1.w", [30.0, 0.0, 0.0, 0.0]);
    is("div c0.x, c0.x, c0.y", [0.0; 4]);
    let quotient = Switches { division: Division::Quotient, ..Switches::default() };
    assert_eq!(floats("div c0.x, c0.x, c0.y", &v, &quotient)[0].1[0], 2.0);
    // Between the operations nothing is rounded to single precision.
    is("add r0.x, (1), (1e-12)\nadd r0.x, r0.x, (-1)\nmul c0.x, r0.x, (1e12)", [1.000_088_9, 0.0, 0.0, 0.0]);
    // Cases of no number.
    for code in ["asin c0.x, (2)", "acos c0.x, (-2)"] {
        let got = one(code, &v)[0];
        assert!(got.is_nan() && got.is_sign_negative(), "{code}");
    }
    assert_eq!(one("min c0.xy, (0x7ff8000000000000, 1), (3, 0x7ff8000000000000)", &v), [3.0, 1.0, 0.0, 0.0]);
    // Integers are rounded to even ones, booleans are what is not 0.
    let (preshader, _) = parse("preshader\nmov i2, (0.5, 1.5, -2.5, 3)\nmov b3, (0.25)\nmov b4, (0)");
    let out = run(&preshader.unwrap(), &Inputs::default(), &Switches::default()).unwrap();
    assert_eq!((out.ints, out.bools), (vec![(2, [0, 2, -2, 3])], vec![(3, true), (4, false)]));
}

#[test]
fn indices_outside() {
    // Five registers: the next power of two is 8.
    let v: Vec<[f32; 4]> = (0..5).map(|n| [n as f32; 4]).collect();
    let at = |index: &str, outside| {
        let switches = Switches { outside, ..Switches::default() };
        floats(&format!("mov r0.x, ({index})\nmov c0.x, c1[r0.x].x"), &v, &switches)[0].1[0]
    };
    for (index, wrapped, zero) in [
        ("3", 4.0, 4.0),
        ("4", 0.0, 0.0),
        ("8", 1.0, 0.0),
        ("-1", 0.0, 0.0),
        ("-2", 0.0, 0.0),
        ("1.5", 3.0, 3.0),
        ("1e300", 1.0, 1.0),
    ] {
        assert_eq!(at(index, Outside::Wrap), wrapped, "{index}");
        assert_eq!(at(index, Outside::Zero), zero, "{index}");
    }
}

#[test]
fn defaults_are_inputs() {
    let ty = ctab::Type { class: 1, kind: 3, rows: 1, columns: 4, elements: 1, members: Vec::new() };
    let constant = ctab::Constant {
        name: "tint".into(),
        set: 2,
        index: 1,
        count: 1,
        reserved: 0,
        ty,
        default: Some([1.0_f32, 2.0, 3.0, 4.0].map(f32::to_bits).to_vec()),
    };
    let table = ConstantTable {
        creator: None,
        version: VERSION.0,
        flags: 0,
        target: None,
        constants: vec![constant],
    };
    let mut preshader = parse(LISTING).0.unwrap();
    preshader.set_table(&table);
    assert_eq!(preshader.table().0, Some(table));
    assert_eq!(Inputs::of(&preshader).registers(), [[0.0; 4], [1.0, 2.0, 3.0, 4.0]]);
    assert_eq!(parse(&print(&preshader, Style::Lossless, "")).0, Some(preshader));
}

#[test]
fn texts_that_are_none() {
    for (text, at) in [
        ("mov c0, c0", "mov"),
        ("preshader\nmvo c0, c0", "mvo"),
        ("preshader\nmov c0.xz, c0.xy", "xz"),
        ("preshader\nmov c0, c0.xy", "mov c0, c0.xy"),
        ("preshader\nadd c0, c0", "add c0, c0"),
        ("preshader\nmov v0, c0", " v0"),
        ("preshader\nmov c0.x, (abc)", "abc"),
        ("preshader\nmov c0, c0[c1.xy]", "c1.xy"),
        ("preshader\nmov c0, c0[c1[c2.x].x]", ""),
        ("preshader 46580201\nmov c0.x, (5)", "(5)"),
        ("preshader\n.what", ".what"),
        ("preshader\n.raw { 00000001 }", ".raw { 00000001 }"),
        ("preshader }", "}"),
    ] {
        let (preshader, findings) = parse(text);
        assert!(preshader.is_none(), "{text}");
        let finding = &findings[0];
        assert_eq!(finding.id, "D3D9-preshader-text");
        let vecasm_ir::diag::Place::Text(span) = finding.place else { panic!("{text}") };
        assert!(text[span.start as usize..span.end as usize].contains(at.trim()), "{text}: {finding:?}");
    }
    // It ends where a shader begins.
    let text = "preshader\nmov c0, c1\n// comment\nvs_2_0\nmov r0, c0";
    let (preshader, _, end) = parse_at(text, 0);
    assert_eq!(preshader.map(|p| p.code().len()), Some(1));
    assert!(text[end..].starts_with("vs_2_0"));
}
