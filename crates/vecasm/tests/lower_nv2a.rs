//! Shaders as programs of the NV2A do what they do elsewhere.

#![cfg(all(
    feature = "lower",
    feature = "agal",
    feature = "d3d9",
    feature = "nv2a",
    feature = "tgsi",
    feature = "exec"
))]

mod lowering;

use lowering::{examples, is_sound};
use vecasm::compare::eqv::{Options as Comparing, Verdict, eqv};
use vecasm::ir::{Promise, Rule, Shader, Stage};
use vecasm::isa::AnyProgram;
use vecasm::isa::nv2a::lift::{Numerics, Space};
use vecasm::lower::{LoweredProgram, Options, lower};
use vecasm::{LiftOptions, NoHost, OpenOptions, Program, Target, open};

fn opened(name: &str, bytes: &[u8]) -> Option<(Program, Shader)> {
    let program = open(bytes, &OpenOptions::named(name), &mut NoHost).program().ok()?;
    let shader = program.lift(&vecasm::translate::lift_options(Target::Nv2a)).ok()?;
    Some((program, shader))
}

/// The shader of a text.
fn lifted(name: &str, text: &str) -> Shader {
    opened(name, text.as_bytes()).unwrap_or_else(|| panic!("{name}: {text}")).1
}

/// What a shader becomes; what it may keep least is that it is as near as the operations come.
fn to_nv2a(shader: &Shader) -> Result<LoweredProgram, Vec<(&'static str, String)>> {
    let mut options = Options::default();
    options.promise = Some(Promise::Approximate);
    lower(shader, Target::Nv2a, &options)
        .map_err(|reasons| reasons.iter().map(|of| (of.id, of.message.to_string())).collect())
}

/// How a program that a shader became is lifted again: its operations, and the position before the viewport is applied.
fn again(program: &AnyProgram, own: bool) -> Shader {
    let mut options = LiftOptions::default();
    options.nv2a.numerics = Numerics::Ieee;
    options.nv2a.space = if own { Space::Screen } else { Space::Unscaled };
    program.lift(&options).unwrap_or_else(|why| panic!("{why}\n{}", program.to_text()))
}

/// Whether a program does what its shader does, by the arithmetic of the NV2A: proved, or by so many trials.
fn same(name: &str, shader: &Shader, made: &LoweredProgram, own: bool) -> bool {
    let options = Comparing {
        count: 400,
        arith: Some(Rule::Nv20),
        link: Some(made.link.clone()),
        ..Comparing::default()
    };
    let report = eqv(shader, &again(&made.program, own), &options);
    match report.unwrap_or_else(|why| panic!("{name}: {why}")).verdict {
        Verdict::Proved(_) => true,
        Verdict::NoDifference => false,
        Verdict::Different(case) => panic!("{name}: {:?}\n{}", case.difference, made.text),
    }
}

#[test]
fn examples_become_programs_of_the_nv2a() {
    let (mut done, mut proved, mut own_slots) = ([0; 4], 0, [0, 0]);
    for (n, isa) in ["agal", "d3d9", "nv2a", "tgsi"].into_iter().enumerate() {
        for path in examples(isa) {
            let name = path.display().to_string();
            let bytes = std::fs::read(&path).expect("an example");
            let Some((program, shader)) = opened(&name, &bytes) else { continue };
            let own = isa == "nv2a";
            if shader.stage != Stage::Vertex || shader.serial {
                continue;
            }
            let Ok(made) = to_nv2a(&shader) else { continue };
            is_sound(&name, &made);
            // What is kept close differs for some numbers, as the notes say.
            let kept = made.link.promise.is_some_and(|promise| !promise.is_weaker_than(Promise::Operations));
            if kept {
                proved += usize::from(same(&name, &shader, &made, own));
            }
            if own {
                let slots = |program: &AnyProgram| program.instruction_texts().len();
                let [before, after] = [slots(&program), slots(&made.program)];
                assert!(after <= before, "{name}: {before} slots became {after}\n{}", made.text);
                own_slots = [own_slots[0] + before, own_slots[1] + after];
            }
            done[n] += 1;
        }
    }
    assert!(done.iter().zip([LEAST; 4]).all(|(done, least)| *done >= least), "{done:?}");
    assert!(proved >= 4 * LEAST && own_slots[1] < own_slots[0], "{done:?}, {proved} proved, {own_slots:?}");
}

/// How many programs of each folder are lowered at least.
const LEAST: usize = 2;

const TRANSFORM: &str =
    "vs_1_1\ndcl_position v0\ndcl_color v1\ndcl_texcoord v2\nm4x4 oPos, v0, c0\nmov oD0, v1\nmov oT0, v2\n";

#[test]
fn positions_become_pixels_at_the_end() {
    let shader = lifted("a.vert.d3d9", TRANSFORM);
    let made = to_nv2a(&shader).expect("it is lowered");
    assert!(same("a transform", &shader, &made, false), "it is proved");
    assert_eq!(made.link.promise, Some(Promise::Operations));
    let constants = made.link.constants.as_deref().unwrap_or_default();
    assert_eq!(constants.first(), Some(&("c96".into(), "c0".into())));
    let lines: Vec<&str> = made.text.lines().collect();
    let [scale, offset] = ["c[58]", "c[59]"].map(|c| lines.iter().position(|line| line.contains(c)));
    assert!(scale < offset && offset.is_some(), "{}", made.text);
    // Four dot products, two slots of the viewport, and a copy: the other one reads the only attribute of its slot.
    assert_eq!(lines.len(), 1 + 7, "{}", made.text);
    // Without the viewport there is none to take off.
    let mut options = Options::default();
    options.nv2a.viewport = Some(false);
    let bare = lower(&shader, Target::Nv2a, &options).expect("it is lowered");
    assert_eq!(bare.text.lines().count(), 1 + 6, "{}", bare.text);
    let mut unscaled = LiftOptions::default();
    unscaled.nv2a.space = Space::Unscaled;
    let why = bare.program.lift(&unscaled).expect_err("there is no viewport");
    assert_eq!(why.id, "NV2A-viewport");
}

#[test]
fn constants_go_where_it_is_said_or_where_there_is_room() {
    let shader = lifted("a.vert.d3d9", TRANSFORM);
    let mut options = Options::default();
    options.nv2a.constants_at = Some(10);
    let made = lower(&shader, Target::Nv2a, &options).expect("it is lowered");
    assert!(made.text.contains("c[10]") && made.text.contains("c[13]"), "{}", made.text);
    // On the constants of the viewport there is no room.
    options.nv2a.constants_at = Some(57);
    let reasons = lower(&shader, Target::Nv2a, &options).expect_err("they would be on c58");
    assert_eq!(reasons.iter().map(|of| of.id).collect::<Vec<_>>(), ["LOWER-constants"]);
    // Beyond 95 they begin behind the viewport; beyond that they have no distances any more.
    for (number, first) in [(95, "c[191]"), (120, "c[180]"), (255, "c[97]")] {
        let text = format!("vs_2_0\ndcl_position v0\nadd oPos, v0, c{number}\nmov oT0, c0\n");
        let shader = lifted("a.vert.d3d9", &text);
        let made = to_nv2a(&shader).unwrap_or_else(|why| panic!("{why:?}"));
        assert!(made.text.contains(first), "{number}: {}", made.text);
        same("constants", &shader, &made, false);
    }
}

#[test]
fn the_address_is_loaded_again_for_each_index() {
    let text = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmova a0.xy, v1\nadd r0, c10[a0.x], c20[a0.y]\n\
                mul r1, v0, c30[a0.x]\nadd oPos, r0, r1\n";
    // Halves are rounded otherwise: indices are whole here.
    let floored = text.replace("mova a0.xy, v1", "frc r2.xy, v1\nsub r2.xy, v1, r2\nmova a0.xy, r2");
    let made = to_nv2a(&lifted("a.vert.d3d9", &floored)).expect("it is lowered");
    let loads = made.text.matches("arl a0").count();
    assert!((2..=3).contains(&loads), "{}", made.text);
    let shader = lifted("a.vert.d3d9", text);
    let made = to_nv2a(&shader).expect("it is lowered");
    let options = Comparing {
        count: 400,
        arith: Some(Rule::Nv20),
        link: Some(made.link.clone()),
        fixed: vec![("v1".into(), vec![1.0, 2.0, 0.0, 0.0])],
        ..Comparing::default()
    };
    let report = eqv(&shader, &again(&made.program, false), &options).expect("they are compared");
    assert!(!matches!(report.verdict, Verdict::Different(_)), "{:?}\n{}", report.verdict, made.text);
}

#[test]
fn definitions_are_where_indices_reach_them() {
    let text = "vs_1_1\ndef c3, 1, 2, 3, 4\ndcl_position v0\nmov a0.x, v0.x\nadd oPos, v0, c[a0.x+1]\n";
    let shader = lifted("a.vert.d3d9", text);
    let made = to_nv2a(&shader).expect("it is lowered");
    let held = [1.0f32, 2.0, 3.0, 4.0].map(f32::to_bits);
    assert!(made.link.literals.contains(&("c99".into(), held)), "{:?}", made.link.literals);
    // No choice by the number of the element.
    assert!(!made.text.contains("sge"), "{}", made.text);
    // Elements up to where the file ends.
    for x in [0.0, 1.0, 2.0, 3.0, 90.0] {
        let options = Comparing {
            count: 100,
            arith: Some(Rule::Nv20),
            link: Some(made.link.clone()),
            fixed: vec![("v0".into(), vec![x, 0.5, 2.0, 1.0])],
            ..Comparing::default()
        };
        let report = eqv(&shader, &again(&made.program, false), &options).expect("they are compared");
        assert!(!matches!(report.verdict, Verdict::Different(_)), "{x}: {:?}\n{}", report.verdict, made.text);
    }
}

#[test]
fn conditionals_are_choices() {
    let text = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov r0, c1\n\
                if_lt v1.x, v1.y\nadd r0, v0, c0\nelse\nmul r0, v1, c2\nendif\nmov o1, r0\n";
    let shader = lifted("a.vert.d3d9", text);
    let made = to_nv2a(&shader).expect("it is lowered");
    assert!(
        made.text.contains("slt") && made.notes.iter().any(|note| note.id == "LOWER-close"),
        "{}",
        made.text
    );
    is_sound("conditionals", &made);
}

#[test]
fn what_the_nv2a_lacks_is_told_with_its_id() {
    let ids = |name: &str, text: &str| -> Vec<&'static str> {
        match to_nv2a(&lifted(name, text)) {
            Ok(made) => panic!("{}", made.text),
            Err(reasons) => reasons.into_iter().map(|(id, _)| id).collect(),
        }
    };
    assert_eq!(ids("a.frag.agal", ".agal fragment 1\nmov oc, v0\n"), ["LOWER-stage"]);
    let looped = "vs_2_0\ndcl_position v0\nmov r0, v0\nrep i0\nadd r0, r0, c0\nendrep\nmov oPos, r0\n";
    assert_eq!(ids("a.vert.d3d9", looped), ["LOWER-flow"]);
    let texel = "vs_3_0\ndcl_position v0\ndcl_2d s0\ndcl_position o0\ntexldl o0, v0, s0\n";
    assert_eq!(ids("a.vert.d3d9", texel), ["LOWER-vertex-texture"]);
    let integers = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nUADD OUT[0], IN[0], IN[0].yxwz\nEND\n";
    assert_eq!(ids("a.vert.tgsi", integers), ["LOWER-integer"]);
    // Four coordinates and two colours are all there is.
    let varyings: String = (0..7).map(|n| format!("mov v{n}, va0\n")).collect();
    let many = format!(".agal vertex 1\nmov op, va0\n{varyings}");
    assert_eq!(ids("a.vert.agal", &many), ["LOWER-inputs"]);
}

#[test]
fn less_than_is_asked_for_is_refused() {
    let text = "vs_2_0\ndcl_position v0\nexp r0, v0.x\nmov oPos, r0\n";
    let shader = lifted("a.vert.d3d9", text);
    for (promise, kept) in [(None, false), (Some(Promise::Close), false), (Some(Promise::Approximate), true)]
    {
        let mut options = Options::default();
        options.promise = promise;
        let made = lower(&shader, Target::Nv2a, &options);
        match made {
            Ok(made) => assert!(kept && made.link.promise == promise, "{:?}", made.link.promise),
            Err(reasons) => {
                let ids: Vec<&str> = reasons.iter().map(|of| of.id).collect();
                assert!(!kept && ids == ["LOWER-promise"], "{reasons:?}");
            }
        }
    }
}

#[test]
fn fog_and_sizes_of_parts_keep_their_lanes() {
    // A part of a program is lifted with four lanes each; the register has one number, lane x of what is written.
    let part = |text: &str| {
        let program = AnyProgram::parse(vecasm::isa::Isa::Nv2a, text, None, None).0.expect("a text");
        program.lift(&LiftOptions::for_gpus()).expect("a meaning")
    };
    let exact = part("mov oPts, v6\nmov oFog, v5\nmov oT0, v9\n");
    let mut options = Options::default();
    options.nv2a.viewport = Some(false);
    let made = lower(&exact, Target::Nv2a, &options).expect("a program");
    assert_eq!(made.link.promise, Some(Promise::Exact));
    let again = made.program.lift(&LiftOptions::default()).expect("a meaning");
    let comparing = Comparing { count: 64, prove: false, link: Some(made.link), ..Comparing::default() };
    let verdict = eqv(&exact, &again, &comparing).expect("a comparison").verdict;
    assert!(!matches!(verdict, Verdict::Different(_)), "{verdict:?}\n{}", made.text);
}

#[test]
fn fog_of_others_is_written_once() {
    // Lanes beside the first mean nothing there, and a second write would replace it.
    let shader = lifted(
        "fog.vert.tgsi",
        "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], FOG\nMOV OUT[0], IN[0]\n\
         MOV OUT[1].x, IN[1]\nADD OUT[1].yzw, IN[1], IN[0]\nEND\n",
    );
    let made = to_nv2a(&shader).expect("a program");
    assert_eq!(made.text.matches("oFog").count(), 1, "{}", made.text);
    assert!(made.text.contains("mov oFog.x, v1.x"), "{}", made.text);
}

#[test]
fn what_is_too_long_says_how_long() {
    let long = |count: usize| {
        let sums = "MAD TEMP[0], TEMP[0], TEMP[0], CONST[0]\n".repeat(count);
        let text = format!(
            "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[0]\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\n{sums}MOV OUT[0], TEMP[0]\nEND\n"
        );
        to_nv2a(&lifted("long.vert.tgsi", &text)).map(|made| made.text)
    };
    // With the three of the viewport, one of them in a pair. The longer one is refused before it has slots: four of its
    // operations to a slot are the most that could be.
    for (count, need) in [(200, 202), (600, 151)] {
        let message = format!("the program needs {need} instructions, the NV2A has 136");
        assert_eq!(long(count), Err(vec![("LOWER-slots", message)]));
    }
}
