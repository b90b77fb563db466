//! Pairs whose relation is known.

use vecasm_debug::compare::eqv::{
    Counterexample, EqvError, Observable, Options, Proof, Texels, Tolerance, Verdict, eqv, explain, picture,
};
use vecasm_ir::ir::{Scalar, Shader};
use vecasm_isa::any::LiftOptions;
use vecasm_isa::{AnyProgram, Depth, Isa};

fn shader(isa: Isa, text: &str) -> Shader {
    let (program, findings) = AnyProgram::parse(isa, text, None, None);
    assert!(program.is_some(), "{findings:?}");
    let mut options = LiftOptions::default();
    options.agal.depth = Depth::Full;
    options.d3d9.depth = Depth::Full;
    options.nv2a.depth = Depth::Full;
    options.tgsi.depth = Depth::Full;
    program.expect("it was read").lift(&options).expect("the program has a meaning")
}

fn agal(text: &str) -> Shader {
    shader(Isa::Agal, &format!(".agal fragment 2\n{text}"))
}

fn pixel(text: &str) -> Shader {
    shader(Isa::D3d9, text)
}

fn verdict(a: &Shader, b: &Shader, options: &Options) -> Verdict {
    eqv(a, b, options).expect("the shaders can be compared").verdict
}

fn example(a: &Shader, b: &Shader, options: &Options) -> Counterexample {
    match verdict(a, b, options) {
        Verdict::Different(example) => example,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_looks_different_and_is_not_is_proved() {
    let none = Options::default();
    let a = agal("mul ft0, v0, fc0\nadd ft1.xy, ft0.yx, fc1.xy\nmov ft1.zw, ft0.zw\nmov oc, ft1\n");
    // Other registers, an order that does not matter, factors turned round, a copy, two masks for one, and dead code.
    let b = agal(
        "mul ft5, v0, v0\nmul ft3, fc0, v0\nmov ft2.zw, ft3.zw\nmov ft4, ft3\nadd ft2.x, fc1.x, ft4.y\nadd ft2.y, fc1.y, ft3.x\nmov oc, ft2\n",
    );
    assert_eq!(verdict(&a, &b, &none), Verdict::Proved(Proof::SameExpressions));
    assert_eq!(verdict(&a, &a, &none), Verdict::Proved(Proof::SameIr));
    // A difference of products is no sum of them.
    let c = agal("mul ft0, v0, fc0\nsub ft1.xy, ft0.yx, fc1.xy\nmov ft1.zw, ft0.zw\nmov oc, ft1\n");
    let found = example(&a, &c, &none);
    assert!(matches!(found.difference.what, Observable::Output(0, _)));
    // Both are zero but for one lane: fc1.x or fc1.y is all that is needed.
    let odd = found.setting.constants.iter().flatten().chain(found.unit.iter().flatten().flatten());
    assert_eq!(odd.filter(|bits| **bits != 0).count(), 1);
}

#[test]
fn both_arms_count() {
    let none = Options::default();
    let a = agal("mov ft0, fc1\nifl v0.x, fc0.x\nmov ft0, fc2\nels\nmov ft0, fc3\neif\nmov oc, ft0\n");
    let b = agal("mov ft0, fc3\nifl v0.x, fc0.x\nmov ft0, fc2\neif\nmov oc, ft0\n");
    assert_eq!(verdict(&a, &b, &none), Verdict::Proved(Proof::SameExpressions));
    let c = agal("mov ft0, fc3\nifl v0.x, fc0.y\nmov ft0, fc2\neif\nmov oc, ft0\n");
    let report = eqv(&a, &c, &none).expect("the shaders can be compared");
    assert!(matches!(report.verdict, Verdict::Different(_)));
    let without = eqv(&a, &b, &Options { prove: false, ..none }).expect("the shaders can be compared");
    assert_eq!(without.verdict, Verdict::NoDifference);
    assert!(without.tried >= 4096);
    assert_eq!((without.coverage[0].arms, without.coverage[0].unreached.len()), ([2, 2], 0));
}

#[test]
fn equality_is_a_case_of_its_own() {
    // x >= c, and not (x < c): the same but for NaN. c < x: not where they are equal.
    let none = Options { prove: false, ..Options::default() };
    let a = agal("sge ft0, v0.x, fc0.x\nmov oc, ft0\n");
    let c = agal("slt ft0, fc0.x, v0.x\nmov oc, ft0\n");
    let found = example(&a, &c, &none);
    assert_eq!(found.unit[0][0][0] & 0x7fff_ffff, found.setting.constants[0][0] & 0x7fff_ffff);
}

#[test]
fn a_boundary_behind_arithmetic_is_found() {
    // 1.5 x + 0.25 >= 0.37, with a constant one unit away: they part at very few numbers.
    let text = |constant: &str| {
        format!(
            "ps_2_0\ndef c0, 1.5, 0.25, {constant}, 1\ndcl t0.x\nmad r0.x, t0.x, c0.x, c0.y\nsub r0.x, r0.x, c0.z\n\
             cmp r0, r0.x, c0.w, c0.x\nmov oC0, r0\n"
        )
    };
    let (a, b) = (pixel(&text("0.37")), pixel(&text("0.370000005")));
    assert_eq!(0.37f32.to_bits() + 1, "0.37000003".parse::<f32>().expect("a number").to_bits());
    assert_eq!(verdict(&a, &b, &Options::default()), Verdict::Proved(Proof::SameIr));
    let c = pixel(&text("0.37000003"));
    let found = example(&a, &c, &Options::default());
    let x = f32::from_bits(found.unit[found.difference.invocation][0][0]);
    assert!((x - 0.08).abs() < 1e-6, "{x}");
}

#[test]
fn few_cases_are_all_tried() {
    let text = |first: &str| {
        format!(
            "vs_2_0\ndef c0, 1, 2, 3, 4\ndef c1, 4, 3, 2, 1\ndcl_position v0\nmov r0, c0\nif b0\nmov r0, {first}\nendif\n\
             if b1\nadd r0, r0, c0\nendif\nmov oPos, r0\n"
        )
    };
    let (a, b) = (shader(Isa::D3d9, &text("c1")), shader(Isa::D3d9, &text("c1.xyzw")));
    let none = Options { prove: false, ..Options::default() };
    assert_eq!(verdict(&a, &b, &none), Verdict::Proved(Proof::Exhaustive(4)));
    let c = shader(Isa::D3d9, &text("c1.xyzz"));
    let found = example(&a, &c, &none);
    assert_eq!(found.difference.what, Observable::Output(0, 3));
}

#[test]
fn programs_of_two_instruction_sets_are_compared() {
    let a = agal("add ft0, v0, fc0\nmov oc, ft0\n");
    let b = pixel("ps_2_0\ndcl t0\nadd r0, c0, t0\nmov oC0, r0\n");
    let report = eqv(&a, &b, &Options::default()).expect("the shaders can be compared");
    assert_eq!(report.verdict, Verdict::Proved(Proof::SameExpressions));
    assert_eq!(report.interface.outputs[0].name, "oc=oC0");
    // By hand it may be another constant.
    let c = pixel("ps_2_0\ndcl t0\nadd r0, c7, t0\nmov oC0, r0\n");
    assert!(matches!(verdict(&a, &c, &Options::default()), Verdict::Different(_)));
    let map = Options { maps: vec![("fc0".into(), "c7".into())], ..Options::default() };
    assert_eq!(verdict(&a, &c, &map), Verdict::Proved(Proof::SameExpressions));
    // Or one that is always the same.
    let d = pixel("ps_2_0\ndef c7, 0.5, 0, -1, 2\ndcl t0\nadd r0, c7, t0\nmov oC0, r0\n");
    let fixed = Options { fixed: vec![("fc0".into(), vec![0.5, 0.0, -1.0, 2.0])], ..Options::default() };
    assert_eq!(verdict(&a, &d, &fixed), Verdict::Proved(Proof::SameExpressions));
    let unknown = Options { maps: vec![("fx9".into(), "c7".into())], ..Options::default() };
    assert!(matches!(eqv(&a, &c, &unknown), Err(EqvError::Name(_))));
}

/// A fragment program of TGSI with one input, one colour, eight constants and two temporaries.
fn tokens(code: &str) -> Shader {
    let declared =
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0..7]\nDCL TEMP[0..1]\n";
    shader(Isa::Tgsi, &format!("{declared}{code}"))
}

#[test]
fn programs_of_tgsi_are_compared() {
    let none = Options::default();
    let a = tokens("MUL TEMP[0], IN[0], CONST[0]\nADD OUT[0], TEMP[0], CONST[1]\nEND\n");
    let b =
        tokens("MUL TEMP[1], CONST[0], IN[0]\nMOV TEMP[0], TEMP[1]\nADD OUT[0], CONST[1], TEMP[0]\nEND\n");
    assert_eq!(verdict(&a, &b, &none), Verdict::Proved(Proof::SameExpressions));
    // A product and a sum in one instruction are rounded twice, too.
    let mad = tokens("MAD OUT[0], IN[0], CONST[0], CONST[1]\nEND\n");
    assert_eq!(verdict(&a, &mad, &none), Verdict::Proved(Proof::SameIr));
    // Another constant in w.
    let c =
        tokens("MAD OUT[0].xyz, IN[0], CONST[0], CONST[1]\nMAD OUT[0].w, IN[0], CONST[0], CONST[2]\nEND\n");
    assert_eq!(example(&a, &c, &none).difference.what, Observable::Output(0, 3));
}

#[test]
fn a_program_of_tgsi_is_what_is_printed_of_it() {
    let text = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0..1]\nDCL TEMP[0]\n\
        IMM[0] FLT32 {0.5, 2.0, 0.0, 1.0}\nSLT TEMP[0].x, IN[0].xxxx, CONST[0].yyyy\nIF TEMP[0].xxxx\n\
        MUL TEMP[0], IN[0], IMM[0].yyyy\nELSE\nADD_SAT TEMP[0], -IN[0], |CONST[1]|\nENDIF\nMOV OUT[0], TEMP[0]\nEND\n";
    let (program, findings) = AnyProgram::parse(Isa::Tgsi, text, None, None);
    let program = program.unwrap_or_else(|| panic!("{findings:?}"));
    let before = shader(Isa::Tgsi, text);
    let mut compared = 0;
    for dialect in Isa::Tgsi.dialects() {
        let Some(printed) = program.print(dialect) else { continue };
        compared += 1;
        let after = shader(Isa::Tgsi, &printed);
        assert_eq!(
            verdict(&before, &after, &Options::default()),
            Verdict::Proved(Proof::SameIr),
            "{dialect}"
        );
    }
    assert!(compared > 0);
}

#[test]
fn programs_of_tgsi_are_compared_with_others() {
    let none = Options::default();
    let a = tokens("ADD TEMP[0], IN[0], CONST[0]\nMOV OUT[0], TEMP[0]\nEND\n");
    let b = pixel("ps_2_0\ndcl t0\nadd r0, c0, t0\nmov oC0, r0\n");
    assert_eq!(verdict(&a, &b, &none), Verdict::Proved(Proof::SameExpressions));
    let c = agal("add ft0, v0, fc0\nmov oc, ft0\n");
    assert_eq!(verdict(&a, &c, &none), Verdict::Proved(Proof::SameExpressions));
    let other = pixel("ps_2_0\ndcl t0\nadd r0, c0.xyzz, t0\nmov oC0, r0\n");
    assert_eq!(example(&a, &other, &none).difference.what, Observable::Output(0, 3));
}

#[test]
fn what_cannot_be_compared_is_said() {
    let a = agal("mov oc, v0\n");
    let vertex = shader(Isa::Agal, ".agal vertex 1\nmov op, va0\nmov v0, va1\n");
    assert!(matches!(eqv(&a, &vertex, &Options::default()), Err(EqvError::Stage(_))));
    let other = shader(Isa::Nv2a, "mov oPos, v0\nmov oT3, v1\n");
    let error = eqv(&vertex, &other, &Options::default()).expect_err("an output has no partner");
    assert!(matches!(error, EqvError::Unmatched(..)), "{error}");
    assert!(error.to_string().contains("v0"), "{error}");
    let only = Options { only: vec!["op".into()], ..Options::default() };
    assert!(eqv(&vertex, &other, &only).is_ok());
}

#[test]
fn an_input_of_another_name_is_another_input() {
    let text = |register: &str| {
        format!("vs_2_0\ndcl_position v0\ndcl_texcoord v2\nmov oPos, v0\nmul oT0, {register}, c0\n")
    };
    let (a, b) = (shader(Isa::D3d9, &text("v2")), shader(Isa::D3d9, &text("v3")));
    assert!(matches!(verdict(&a, &b, &Options::default()), Verdict::Different(_)));
}

#[test]
fn fragments_that_are_killed_differ_from_those_that_are_not() {
    let a = agal("kil v0.x\nmov oc, fc0\n");
    let b = agal("kil v0.y\nmov oc, fc0\n");
    let found = example(&a, &b, &Options::default());
    assert_eq!(found.difference.what, Observable::Killed);
    // What a killed one writes does not count: x < 0 is killed, so a maximum with 0 says nothing.
    let c = agal("kil v0.x\nmax ft0, v0.x, fc0.x\nmov oc, ft0\n");
    let d = agal("kil v0.x\nmov oc, v0.x\n");
    let zero = Options {
        fixed: vec![("fc0".into(), vec![0.0])],
        tolerance: Tolerance { ulp: Some(0), ..Tolerance::default() },
        ..Options::default()
    };
    // A NaN is neither killed nor kept by a maximum.
    let found = example(&c, &d, &zero);
    assert!(f32::from_bits(found.unit[0][0][0]).is_nan());
}

#[test]
fn the_runs_part_where_the_change_is() {
    let a = agal("mul ft0, v0, fc0\nadd ft1, ft0, fc1\nmul oc, ft1, fc2\n");
    let b = agal("mul ft2, v0, fc0\nadd ft1, ft2.xyzz, fc1\nmul oc, ft1, fc2\n");
    let options = Options::default();
    let report = eqv(&a, &b, &options).expect("the shaders can be compared");
    let Verdict::Different(found) = &report.verdict else { panic!("{:?}", report.verdict) };
    let parting = explain(&a, &b, &report.interface, found, &options).expect("the shaders run");
    let (x, y) = parting.first.map(|n| parting.pairs[n]).expect("they part");
    assert_eq!(x.map(|x| parting.runs[0][x].source), Some(1));
    assert_eq!(y.map(|y| parting.runs[1][y].source), Some(1));
    let picture = picture(&a, &b, &report.interface, found, &options, 8).expect("the shaders run");
    let picture = picture.expect("there are a varying and a colour");
    assert_eq!(picture.panels.iter().map(|p| p.len()).collect::<Vec<_>>(), [64; 3]);
}

#[test]
fn the_same_question_has_the_same_answer() {
    let a = agal("mul ft0, v0, fc0\nsin oc, ft0\n");
    let b = agal("mul ft0, v0, fc0\ncos oc, ft0\n");
    let none = Options::default();
    assert_eq!(eqv(&a, &b, &none), eqv(&a, &b, &none));
}

#[test]
fn the_order_of_kills_does_not_count() {
    let none = Options::default();
    let a = agal("ifl v0.x, fc0.x\nkil v0.y\nkil v0.z\neif\nkil v0.w\nmov oc, v0\n");
    let b = agal("kil v0.w\nifl v0.x, fc0.x\nkil v0.z\nkil v0.y\nkil v0.z\neif\nmov oc, v0\n");
    assert_eq!(verdict(&a, &b, &none), Verdict::Proved(Proof::SameExpressions));
    // Where the branch is does.
    let c = agal("ifl v0.x, fc0.x\nkil v0.y\nels\nkil v0.z\neif\nkil v0.w\nmov oc, v0\n");
    assert!(matches!(example(&a, &c, &none).difference.what, Observable::Killed));
}

#[test]
fn texels_that_no_picture_holds_are_left_out() {
    let unorm = Options { texels: Texels::Unorm, ..Options::default() };
    let lanes = |found: &Counterexample| -> Vec<u32> {
        let textures = found.setting.textures.iter().flatten();
        textures.flat_map(|(t, _)| t.texels(0).iter().flatten().copied().collect::<Vec<_>>()).collect()
    };
    let a = agal("tex ft0, v0, fs0 <2d,nearest>\nmov oc, ft0\n");
    // Only a texel below zero shows it.
    let b = agal("tex ft0, v0, fs0 <2d,nearest>\nabs oc, ft0\n");
    let found = example(&a, &b, &Options::default());
    assert!(lanes(&found).iter().any(|bits| !Texels::Unorm.hold(*bits)));
    assert_eq!(verdict(&a, &b, &unorm), Verdict::NoDifference);
    // Any texel shows that, so one of a picture does.
    let c = agal("tex ft0, v0, fs0 <2d,nearest>\nadd oc, ft0, fc0\n");
    for options in [Options::default(), unorm] {
        let found = example(&a, &c, &options);
        assert!(lanes(&found).iter().all(|bits| Texels::Unorm.hold(*bits)), "{found:?}");
    }
    let held = [0.0, 1.0, 128.0 / 255.0].map(f32::to_bits);
    assert!(held.iter().all(|bits| Texels::Unorm.hold(*bits)));
    let not = [-0.0, -1.0, 0.5, 1.5, f32::NAN, f32::INFINITY].map(f32::to_bits);
    assert!(not.iter().all(|bits| !Texels::Unorm.hold(*bits) && Texels::Any.hold(*bits)));
}

#[test]
fn distances_are_those_of_places() {
    let none = Tolerance::default();
    let bits = |x: f32| x.to_bits();
    assert!(!none.same(Scalar::F32, bits(0.0), bits(-0.0)));
    assert!(none.same(Scalar::F32, 0x7fc0_0000, 0xffc0_0001));
    assert!(!Tolerance { nan_bits: true, ..none }.same(Scalar::F32, 0x7fc0_0000, 0xffc0_0001));
    let ulp = Tolerance { ulp: Some(1), ..none };
    assert!(ulp.same(Scalar::F32, bits(0.0), bits(-0.0)));
    assert!(ulp.same(Scalar::F32, 1, 0x8000_0000));
    assert!(!ulp.same(Scalar::F32, 1, 0x8000_0001));
    assert!(ulp.same(Scalar::F32, bits(1.0), bits(1.0) + 1));
    assert!(!ulp.same(Scalar::F32, bits(1.0), bits(1.0) + 2));
    assert!(!ulp.same(Scalar::F32, bits(f32::MAX), bits(f32::INFINITY)));
    assert!(!ulp.same(Scalar::I32, 1, 2));
    let abs = Tolerance { abs: Some(0.5), ..none };
    assert!(abs.same(Scalar::F32, bits(1.0), bits(1.5)));
    assert!(!abs.same(Scalar::F32, bits(1.0), bits(1.75)));
    assert!(!abs.same(Scalar::F32, bits(f32::INFINITY), bits(1.0)));
    let rel = Tolerance { rel: Some(0.01), ..none };
    assert!(rel.same(Scalar::F32, bits(1000.0), bits(1009.0)));
    assert!(!rel.same(Scalar::F32, bits(1000.0), bits(1011.0)));
}
