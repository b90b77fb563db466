//! Shaders as programs of Direct3D 9 do what they do elsewhere, and keep to what each model has.

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
use vecasm::code::d3d9::Model;
use vecasm::code::settle;
use vecasm::compare::eqv::{Options as Comparing, Verdict, eqv};
use vecasm::ir::{OutputKind, Promise, Rule, Shader, Stage};
use vecasm::isa::d3d9::lift::Numerics;
use vecasm::lower::{
    FitOptions, Fitted, Kept, LoweredProgram, OptimizeOptions, Options, Relief, fit, lower, optimize,
};
use vecasm::{LiftOptions, NoHost, OpenOptions, Target, open};

/// The shader of a program, as translations lift it.
fn opened(name: &str, bytes: &[u8]) -> Option<Shader> {
    let program = open(bytes, &OpenOptions::named(name), &mut NoHost).program().ok()?;
    let shader = program.lift(&vecasm::translate::lift_options(Target::D3d9)).ok()?;
    Some(settle(shader, &[], &mut Vec::new()))
}

fn lifted(name: &str, text: &str) -> Shader {
    opened(name, text.as_bytes()).unwrap_or_else(|| panic!("{name}: {text}"))
}

/// What a shader becomes in a model, or in the first that has room; else the ids of the reasons.
fn made(shader: &Shader, model: &str, partner: Option<&Shader>) -> Result<LoweredProgram, Vec<&'static str>> {
    let mut options = Options::default();
    options.d3d9_model = (!model.is_empty()).then(|| Model::named(model).expect("a model"));
    options.partner = partner;
    lower(shader, Target::D3d9, &options).map_err(|reasons| reasons.iter().map(|of| of.id).collect())
}

/// The instructions of a program, without its declarations and definitions, by their words.
fn code(made: &LoweredProgram) -> Vec<String> {
    let lines = made.text.lines().map(str::trim);
    let code = lines.skip(1).filter(|line| !line.starts_with("dcl") && !line.starts_with("def"));
    let mut code: Vec<String> = code.map(String::from).collect();
    code.sort();
    code
}

/// The verdict on a shader and what it became, of so many invocations where there is no proof.
fn verdict(shader: &Shader, made: &LoweredProgram, count: usize) -> Verdict {
    let mut options = LiftOptions::default();
    options.d3d9.numerics = Numerics::D3d9;
    let again = made.program.lift(&options).unwrap_or_else(|why| panic!("{why}\n{}", made.text));
    let arith = Some(Rule::ZeroWins);
    let comparing = Comparing { count, arith, link: Some(made.link.clone()), ..Comparing::default() };
    eqv(shader, &again, &comparing).unwrap_or_else(|why| panic!("{why}\n{}", made.text)).verdict
}

#[test]
fn examples_do_the_same() {
    let (mut lowered, mut proved) = (0, 0);
    for folder in ["agal", "d3d9", "nv2a", "tgsi"] {
        for path in examples(folder) {
            let name = path.display().to_string();
            let bytes = std::fs::read(&path).expect("an example");
            let Some(shader) = opened(&name, &bytes) else { continue };
            let Ok(made) = made(&shader, "", None) else { continue };
            // Direct3D wants a position, and not all examples give one.
            let placed = shader.outputs.iter().any(|output| output.kind == OutputKind::Position);
            if shader.stage == Stage::Vertex && !placed {
                continue;
            }
            is_sound(&name, &made);
            lowered += 1;
            // Where less is kept there are differences.
            if made.link.promise.is_some_and(|promise| promise.is_weaker_than(Promise::Operations)) {
                continue;
            }
            match verdict(&shader, &made, 300) {
                Verdict::Proved(_) => proved += 1,
                Verdict::NoDifference => {}
                Verdict::Different(case) => panic!("{name}: {:?}\n{}", case.difference, made.text),
            }
        }
    }
    assert!(lowered >= 30 && proved >= 15, "{lowered} examples, {proved} proved");
}

#[test]
fn an_instruction_reads_one_constant_and_one_input() {
    let shader = lifted(
        "ports.vert.tgsi",
        "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL CONST[0..1]\nDCL TEMP[0]\n\
         MAD TEMP[0], CONST[0], CONST[1], IN[0]\nMUL OUT[0], TEMP[0], IN[1]\nMAD OUT[0], IN[0], IN[1], TEMP[0]\nEND\n",
    );
    let program = made(&shader, "vs_2_0", None).expect("a program");
    is_sound("ports", &program);
    assert_eq!(code(&program).iter().filter(|line| line.starts_with("mov")).count(), 2, "{}", program.text);
}

#[test]
fn chains_of_reads_have_four() {
    let reads = |count: usize| {
        let first = "tex ft0, v0, fs0 <2d,linear>\n".to_string();
        let next = "tex ft0, ft0, fs0 <2d,linear>\n".repeat(count - 1);
        lifted("chain.frag.agal", &format!(".agal fragment 1\n{first}{next}mov oc, ft0\n"))
    };
    let four = made(&reads(4), "ps_2_0", None).expect("four reads");
    is_sound("four", &four);
    assert_eq!(made(&reads(5), "ps_2_0", None).err(), Some(vec!["LOWER-dependent"]));
    let five = made(&reads(5), "", None).expect("a model without a limit");
    is_sound("five", &five);
    assert!(five.text.starts_with("ps_2_x"), "{}", five.text);
}

#[test]
fn colours_are_clamped_once() {
    let old = lifted("a.vert.d3d9", "vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nadd oD0, v1, v1\n");
    assert_eq!(code(&made(&old, "vs_2_0", None).expect("a program")), ["add oD0, v1, v1", "mov oPos, v0"]);
    // Nobody clamps those of model 3.
    let new = lifted(
        "b.vert.d3d9",
        "vs_3_0\ndcl_position v0\ndcl_color v1\ndcl_position o0\ndcl_color o1\nmov o0, v0\nadd o1, v1, v1\n",
    );
    assert_eq!(code(&made(&new, "vs_2_0", None).expect("a program")), ["add oT0, v1, v1", "mov oPos, v0"]);
    // What is clamped in one branch alone is not clamped.
    let branch = lifted(
        "c.vert.tgsi",
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\n\
         IF IN[0].xxxx\nMOV_SAT OUT[1], IN[0].yyyy\nENDIF\nEND\n",
    );
    let program = made(&branch, "vs_2_a", None).expect("a program");
    assert!(!program.text.contains("oD0"), "{}", program.text);
}

#[test]
fn pixels_have_numbers() {
    // `vPos` has no halves (rules of the rasterizer of Direct3D 9: the centres of pixels are whole numbers).
    let own = lifted("a.frag.d3d9", "ps_3_0\ndcl vPos.xy\nfrc r0.xy, vPos\nmov r0.zw, c0\nmov oC0, r0\n");
    let program = made(&own, "ps_3_0", None).expect("a program");
    is_sound("own", &program);
    assert_eq!(code(&program), ["frc oC0.xy, vPos", "mov oC0.zw, c0"]);
    assert!(program.text.contains("dcl vPos.xy"), "{}", program.text);
    assert!(matches!(verdict(&own, &program, 300), Verdict::Proved(_)), "{}", program.text);
    // Those of Gallium have.
    let other = lifted(
        "b.frag.tgsi",
        "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL CONST[0]\nMUL OUT[0], IN[0].xyxy, CONST[0]\nEND\n",
    );
    let program = made(&other, "ps_3_0", None).expect("a program");
    is_sound("other", &program);
    assert!(program.text.contains("def c1, 0.5"), "{}", program.text);
    assert_eq!(program.link.promise, Some(Promise::Operations));
    let deep = lifted(
        "c.frag.tgsi",
        "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0].zzzz\nEND\n",
    );
    assert_eq!(made(&deep, "ps_3_0", None).err(), Some(vec!["LOWER-system"]));
    assert_eq!(made(&own, "ps_2_0", None).err(), Some(vec!["LOWER-system"]));
}

#[test]
fn faces_are_asked_for_their_sign() {
    let own = lifted("a.frag.d3d9", "ps_3_0\ndcl vFace\nmov r0, c0\ncmp r1, vFace, c1, r0\nmov oC0, r1\n");
    let program = made(&own, "ps_3_0", None).expect("a program");
    assert_eq!(code(&program), ["cmp oC0, vFace.x, c1, r0", "mov r0, c0"]);
    assert!(matches!(verdict(&own, &program, 300), Verdict::Proved(_)), "{}", program.text);
    let other = lifted(
        "b.frag.tgsi",
        "FRAG\nDCL IN[0], FACE, CONSTANT\nDCL OUT[0], COLOR\nDCL CONST[0..1]\nDCL TEMP[0]\n\
         MOV TEMP[0], CONST[0]\nIF IN[0].xxxx\nMOV TEMP[0], CONST[1]\nENDIF\nMOV OUT[0], TEMP[0]\nEND\n",
    );
    let program = made(&other, "ps_3_0", None).expect("a program");
    assert!(code(&program).contains(&"cmp r0.x, vFace.x, c2.x, c2.y".to_string()), "{}", program.text);
    assert!(!matches!(verdict(&other, &program, 300), Verdict::Different(_)), "{}", program.text);
}

#[test]
fn programs_that_ask_for_the_pixel_are_made_shorter() {
    let text = "ps_3_0\ndcl vPos.xy\nmov r0.xy, vPos\nadd r1.xy, r0, c0\nmov r1.zw, c0\nmov oC0, r1\n";
    let program = open(text.as_bytes(), &OpenOptions::named("a.d3d9"), &mut NoHost).program().expect("text");
    let made = optimize(program.any(), &OptimizeOptions::default()).expect("a meaning");
    assert_eq!(
        made.program.to_text(),
        "ps_3_0\n    dcl vPos.xy\n    add oC0.xy, vPos, c0\n    mov oC0.zw, c0\n"
    );
}

#[test]
fn old_pixel_shaders_find_pairs() {
    let optimized = |text: &str| {
        let program =
            open(text.as_bytes(), &OpenOptions::named("a.d3d9"), &mut NoHost).program().expect("text");
        optimize(program.any(), &OptimizeOptions::default()).expect("a meaning")
    };
    // The second copy reads the colour itself, and stands beside the product: a slot of textures, one of arithmetic, and no r1.
    let text = "ps_1_1\ndef c0, 1, 0, 0, 1\ntex t0\nmul r0.rgb, t0, c0\nmov r1.a, v0\nmov r0.a, r1.a\n";
    let made = optimized(text);
    assert_eq!(
        made.program.to_text(),
        "ps_1_1\n    def c0, 1, 0, 0, 1\n    tex t0\n    mul r0.xyz, t0, c0\n  +mov r0.w, v0.w\n"
    );
    assert_eq!((made.instructions, made.registers), ([4, 2], [2, 1]));
    assert_eq!(made.steps, [vec![0], vec![1], vec![2], vec![3, 4]]);
    let certificate = made.certificate.expect("a bound");
    assert_eq!((certificate.bound, certificate.optimal), (2, true));
    // Nothing to gain, which is known; and what has no way back.
    let kept = optimized("ps_1_1\ntex t0\nmul r0, t0, v0\n");
    assert_eq!((kept.kept, kept.certificate.map(|of| of.bound)), (Some(Kept::NotShorter), Some(2)));
    assert_eq!(optimized("vs_1_0\nmov oPos, v0\nmov oPos, v0\n").kept, Some(Kept::NoTarget));
}

#[test]
fn pairs_are_of_one_kind() {
    let vertex = lifted(
        "a.vert.tgsi",
        "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n",
    );
    let fragment = lifted(
        "a.frag.tgsi",
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\n\
         TXL TEMP[0], IN[0], SAMP[0], 2D\nMOV OUT[0], TEMP[0]\nEND\n",
    );
    assert_eq!(fragment.stage, Stage::Fragment);
    let alone = made(&vertex, "", None).expect("a program");
    assert!(alone.text.starts_with("vs_2_0"), "{}", alone.text);
    let paired = made(&vertex, "", Some(&fragment)).expect("a program");
    assert!(paired.text.starts_with("vs_3_0"), "{}", paired.text);
    assert!(paired.text.contains("dcl_texcoord o1"), "{}", paired.text);
    let other = made(&fragment, "", Some(&vertex)).expect("a program");
    assert!(other.text.starts_with("ps_3_0") && other.text.contains("dcl_texcoord v0"), "{}", other.text);
}

#[test]
fn definitions_that_indices_reach_are_defined_again() {
    let shader = lifted(
        "a.vert.d3d9",
        "vs_2_0\ndef c11, 5, 6, 7, 8\ndcl_position v0\nmova a0.x, v0.x\nmov oPos, c10[a0.x]\n",
    );
    let program = made(&shader, "vs_2_0", None).expect("a program");
    is_sound("defined", &program);
    assert!(program.text.contains("def c11, 5, 6, 7, 8"), "{}", program.text);
}

#[test]
fn declarations_are_those_of_the_source() {
    // Registers of Direct3D 8 have usages without being declared.
    let old = lifted("a.vert.d3d9", "vs_1_1\nmov oPos, v0\nmov oT0, v7\nmov oD0, v5\n");
    let program = made(&old, "vs_2_0", None).expect("a program");
    for line in ["dcl_position v0", "dcl_texcoord v7", "dcl_color v5"] {
        assert!(program.text.contains(line), "{}", program.text);
    }
}

#[test]
fn reasons_are_told_at_once() {
    let fragment = lifted(
        "a.frag.tgsi",
        "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], RECT, FLOAT\nDCL TEMP[0]\n\
         TXL TEMP[0], IN[0], SAMP[0], RECT\nMOV OUT[0], TEMP[0]\nEND\n",
    );
    let mut reasons = made(&fragment, "ps_2_0", None).expect_err("it cannot be said");
    reasons.sort_unstable();
    assert_eq!(reasons, ["LOWER-interpolation", "LOWER-level", "LOWER-texture"]);
    assert_eq!(made(&fragment, "vs_2_0", None).err(), Some(vec!["LOWER-stage"]));
}

/// Whether a program, in the form that a model gives it, does the same as it did; its text.
#[track_caller]
fn kept(text: &str, model: &str) -> String {
    let shader = lifted("flow.d3d9", text);
    let program = made(&shader, model, None).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
    is_sound("flow", &program);
    if let Verdict::Different(case) = verdict(&shader, &program, 2_000) {
        panic!("{:?}\n{text}\n{}", case.difference, program.text);
    }
    program.text
}

#[test]
fn rounds_are_counted_by_constants() {
    let sum = "dcl_position v0\ndef c8, 0, 0.5, 0, 0\nmov r0, c8.x\nrep i2\nmad r0, r0, c8.y, v0\nendrep\n";
    let text = kept(&format!("vs_2_0\n{sum}mov oPos, r0\n"), "vs_2_0");
    assert!(text.contains("rep i2\n") && text.contains("endrep"), "{text}");
    // Nothing of the counter is left: one instruction for each of the source, and the definition.
    assert_eq!(text.lines().count(), 8, "{text}");
    // Where a loop has no number of rounds, none is invented.
    let endless = lifted(
        "a.vert.tgsi",
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\nBGNLOOP\nADD TEMP[0].x, TEMP[0].xxxx, IN[0].yyyy\n\
         IF TEMP[0].xxxx\nBRK\nENDIF\nENDLOOP\nMOV OUT[0], TEMP[0]\nEND\n",
    );
    assert_eq!(made(&endless, "vs_3_0", None).err(), Some(vec!["LOWER-flow"]));
}

#[test]
fn loops_are_left_early() {
    // What is left differs from what a round begins with, and two registers are left with different values.
    let text = kept(
        "vs_3_0\ndcl_position v0\ndcl_position o0\ndef c8, 0, 1, 2, 3\nmov r0, c8.x\nmov r1, c8.z\nrep i0\nadd r0, r0, v0\n\
         break_gt r0.x, c8.w\nmov r1, r0\nif_lt r0.y, v0.z\nmov r1.x, c8.y\nmov r0, c8.w\nbreak\nendif\nadd r1.y, r1.x, c8.y\nendrep\n\
         add o0, r0, r1\n",
        "vs_3_0",
    );
    assert!(text.contains("break_") && text.contains("\n  break\n") || text.contains("break\n"), "{text}");
    // Rounds in rounds, each with its own number.
    let text = kept(
        "vs_3_0\ndcl_position v0\ndcl_position o0\ndef c8, 0, 1, 2, 3\nmov r0, v0\nmov r1, c8.x\nrep i0\nrep i1\nadd r1, r1, r0\n\
         break_gt r1.x, c8.w\nendrep\nmad r0, r0, c8.z, r1\nendrep\nadd o0, r0, r1\n",
        "vs_3_0",
    );
    assert!(text.contains("rep i0") && text.contains("rep i1"), "{text}");
    // vs_2_0 has loops, but no way out of them.
    let early = lifted(
        "a.vert.d3d9",
        "vs_3_0\ndcl_position v0\ndcl_position o0\nmov r0, v0\nrep i0\nadd r0, r0, v0\nbreak_gt r0.x, v0.y\nendrep\nmov o0, r0\n",
    );
    assert_eq!(made(&early, "vs_2_0", None).err(), Some(vec!["LOWER-flow"]));
}

#[test]
fn known_rounds_are_written_out_where_there_is_room() {
    let rounds = |count: u32| {
        format!(
            "vs_2_0\ndefi i1, {count}, 0, 0, 0\ndcl_position v0\nmov r0, v0\nrep i1\nadd r0, r0.yzwx, v0\nmax r0, r0, v0\nendrep\nmov oPos, r0\n"
        )
    };
    let few = kept(&rounds(3), "vs_2_0");
    assert!(!few.contains("rep") && !few.contains("defi"), "{few}");
    // 256 slots are less than 255 rounds of two.
    let many = kept(&rounds(255), "vs_2_0");
    assert!(many.contains("rep i") && many.contains(", 255, 0, 0, 0"), "{many}");
}

#[test]
fn boolean_constants_are_asked() {
    let program = |test: &str, rest: &str| {
        format!(
            "vs_2_0\ndcl_position v0\ndcl_normal v1\nmov r0, v0\n{test}\nadd r0, r0, v1\n{rest}endif\nmov oPos, r0\n"
        )
    };
    for (test, rest, model) in
        [("if b3", "", "vs_2_0"), ("if !b3", "", "vs_2_0"), ("if b15", "else\nmul r0, r0, v1\n", "vs_3_0")]
    {
        let text = kept(&program(test, rest), model);
        assert!(text.contains(&format!("{test}\n")), "{text}");
    }
    // A conditional on numbers becomes choices, the one on a constant inside of it stays. Choices by products differ in signs of zeros.
    let text = kept(
        "vs_3_0\ndcl_position v0\ndcl_position o0\nmov r0, v0\nif_lt v0.x, v0.y\nif b0\nadd r0, r0, r0\nendif\nmul r0, r0, v0\nendif\n\
         mul o0, r0, r0\n",
        "vs_2_0",
    );
    assert!(text.contains("if b0\n") && !text.contains("if_"), "{text}");
    // No other instruction reads them.
    assert_eq!(
        made(&lifted("a.vert.d3d9", &program("if b3", "")), "vs_1_1", None).err(),
        Some(vec!["LOWER-boolean"])
    );
}

#[test]
fn reads_that_need_neighbours_stand_outside_of_conditionals() {
    let shader = lifted(
        "a.frag.tgsi",
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0..1]\n\
         MOV TEMP[0], IN[0]\nSLT TEMP[1], IN[0], IN[0].wzyx\nIF TEMP[1].xxxx\nMUL TEMP[0], IN[0], IN[0]\nTEX TEMP[0], TEMP[0], SAMP[0], 2D\n\
         ENDIF\nMOV OUT[0], TEMP[0]\nEND\n",
    );
    let program = made(&shader, "ps_3_0", None).expect("a program");
    is_sound("reads", &program);
    assert!(!program.text.contains("if_"), "{}", program.text);
}

/// What a program is that fits a model, or the ids of what speaks against it.
fn fitted(text: &str, model: &str, least: Promise) -> Result<Fitted, Vec<&'static str>> {
    let program =
        open(text.as_bytes(), &OpenOptions::named("fit.d3d9"), &mut NoHost).program().expect("a program");
    let model = Model::named(model).expect("a model");
    let made = fit(&program, model, &FitOptions::default().with_promise(least));
    made.map_err(|findings| findings.iter().map(|finding| finding.id).collect())
}

#[test]
fn programs_fit_models_and_say_what_gave_way() {
    let names = |made: &Fitted| made.reliefs.iter().map(Relief::name).collect::<Vec<_>>();
    // Two slots for what one does, and nothing else: the same to the bit.
    let plain = "ps_3_0\ndcl_texcoord1 v3\nmov r0, v3\nmul r1, r0, c0\nmov oC0, r1\n";
    let made = fitted(plain, "ps_2_0", Promise::Exact).expect("it fits");
    assert_eq!((names(&made), made.promise), (vec!["shorter"], Promise::Exact));
    assert_eq!(made.program.to_text(), "ps_2_0\n    dcl t1\n    mul r0, t1, c0\n    mov oC0, r0\n");
    assert_eq!(made.link.inputs, Some(vec![("t1".into(), "v3".into())]));
    // A conditional on numbers becomes a choice by a difference, which is not the same for infinities.
    let asks = "ps_3_0\ndcl_texcoord v0\nmov r0, v0\nif_lt v0.x, c0.x\nmul r0, r0, c1\nendif\nmov oC0, r0\n";
    let made = fitted(asks, "ps_2_0", Promise::Close).expect("it fits");
    assert!(names(&made).ends_with(&["promise", "conditionals"]), "{:?}", names(&made));
    assert_eq!(made.promise, Promise::Close);
    assert_eq!(fitted(asks, "ps_2_0", Promise::Exact).err(), Some(vec!["LOWER-promise"]));
    // What fits and cannot be shorter stays.
    let short = "ps_2_0\ndcl t0\nmul r0, t0, c0\nmov oC0, r0\n";
    let made = fitted(short, "ps_2_0", Promise::Close).expect("it fits");
    assert!(!made.changed && made.reliefs.is_empty());
    // Rounds are written out where the model has no loops: 3 of them, of one instruction each.
    let rounds = "vs_2_0\ndefi i0, 3, 0, 0, 0\ndcl_position v0\nmov r0, v0\nrep i0\nmax r0, r0.yzwx, v0\nendrep\nmov oPos, r0\n";
    let made = fitted(rounds, "vs_1_1", Promise::Exact).expect("it fits");
    assert_eq!(made.slots[1], 3, "{}", made.program.to_text());
    assert!(names(&made).contains(&"loops"));
}

#[test]
fn what_does_not_fit_says_what_takes_most() {
    // 64 slots of arithmetic, and 100 to find room for: 99 products and the copy to the output.
    let products: String = (0..99).map(|n| format!("mad r0, r0.x, c{}, r0\n", n % 30)).collect();
    let long = format!("ps_3_0\ndcl_texcoord v0\nmov r0, v0\n{products}mov oC0, r0\n");
    let ids = fitted(&long, "ps_2_0", Promise::Close).expect_err("it does not fit");
    assert_eq!(ids.iter().filter(|id| **id == "LOWER-largest").count(), 3, "{ids:?}");
    assert!(ids.contains(&"LOWER-slots"), "{ids:?}");
    let agal = open(b".agal fragment 1\nmov oc, fc0\n", &OpenOptions::named("a.agal"), &mut NoHost).program();
    let model = Model::named("ps_2_0").expect("a model");
    let findings = fit(&agal.expect("a program"), model, &FitOptions::default()).expect_err("no model");
    assert_eq!(findings[0].id, "LOWER-fit");
}

#[test]
fn tables_of_constants_say_the_model() {
    use vecasm::isa::AnyProgram;
    use vecasm::isa::d3d9::ctab;
    // A table of one constant: a colour in c0.
    let table = |version: &str| {
        format!(
            "{version}\n.comment CTAB {{\n0000001c 0000004b {} 00000001 0000001c 00000000 00000044\n\
             00000030 00000002 00000001 00000034 00000000 00000063\n00030001 00040001 00000001 00000000\n\
             335f7370 0000305f\n}}\n",
            if version == "ps_3_0" { "ffff0300" } else { "ffff0200" }
        )
    };
    let text = format!("{}dcl_texcoord v0\nmul oC0, v0, c0\n", table("ps_3_0"));
    let made = fitted(&text, "ps_2_0", Promise::Exact).expect("it fits");
    let AnyProgram::D3d9(program) = &made.program else { panic!("another instruction set") };
    let (read, _) = ctab::of(program);
    let read = read.expect("a table");
    assert_eq!((read.version, read.target.as_deref()), (0xffff_0200, Some("ps_2_0")));
    assert_eq!(read.constants[0].name, "c");
}

#[test]
fn results_are_what_the_runtime_takes() {
    let accepted = |text: &str, model: &str| {
        let made = fitted(text, model, Promise::Close).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
        let findings = made.program.validate(&vecasm::isa::any::CheckOptions::default());
        let is_error = |of: &&vecasm::diag::Diagnostic| of.severity == vecasm::diag::Severity::Error;
        assert!(!findings.iter().any(|of| is_error(&of)), "{findings:?}\n{}", made.program.to_text());
        made.program.to_text()
    };
    // What writes temporary registers alone is copied to outputs.
    for (computed, mask) in [("nrm r1.xyz, v1", "xyz"), ("pow r1, v1.x, c0.x", "xyzw")] {
        let text =
            format!("vs_2_0\ndcl_position v0\ndcl_normal v1\n{computed}\nmov oPos, v0\nmov oT0.{mask}, r1\n");
        assert!(accepted(&text, "vs_3_0").contains("mov o1"), "{text}");
    }
    // A size is one register, written whole.
    let sized = accepted("vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oPts, v0.x\n", "vs_3_0");
    assert!(sized.contains("dcl_psize o1\n") && sized.contains("mov o1, v0.x"), "{sized}");
    // Before 3.0 colours have no gaps.
    let gap = "ps_3_0\ndcl_texcoord0 v0\nmov oC0, v0\nmov oC2, v0\n";
    assert_eq!(fitted(gap, "ps_2_0", Promise::Close).err(), Some(vec!["LOWER-refused"]));
}

#[test]
fn vectors_of_next_to_no_length_are_told() {
    // The fourth lane is not what nrm writes elsewhere, so it is computed in parts: their product differs where there is no length.
    let text = "vs_2_0\ndcl_position v0\ndcl_normal v1\nnrm r1, v1\nmov oPos, v0\nmov oT0, r1\n";
    let made = fitted(text, "vs_3_0", Promise::Close).expect("it fits");
    assert_eq!(made.promise, Promise::Close);
    assert!(made.notes.iter().any(|note| note.message.contains("length")), "{:?}", made.notes);
}

#[test]
fn what_fits_stays_where_it_cannot_be_said_again() {
    // An index that no table bounds reaches every constant, the literals too.
    let text = "vs_1_1\ndef c0, 3, 0, 0, 1\ndcl_position v0\ndcl_blendindices v1\nmul r0, v1.x, c0.x\nmov a0.x, r0.x\n\
                dp4 oPos.x, v0, c[a0.x+20]\ndp4 oPos.y, v0, c[a0.x+21]\ndp4 oPos.z, v0, c[a0.x+22]\nmov oPos.w, c0.w\n";
    let made = fitted(text, "vs_1_1", Promise::Close).expect("it fits");
    assert!(!made.changed);
    assert_eq!(fitted(text, "vs_3_0", Promise::Close).err(), Some(vec!["LOWER-indexed"]));
}

#[test]
fn sizes_keep_the_lanes_that_the_nv2a_writes() {
    let shader = lifted("a.vsh", ".nv2a\nmov oPos, v0\nmov oPts, v6\n");
    let program = made(&shader, "vs_3_0", None).expect("a program");
    is_sound("size", &program);
    assert!(program.text.contains("mov o1, v6\n"), "{}", program.text);
}

#[test]
fn indices_are_loaded_again_behind_branches() {
    // Five indices at once, one more than a0 has lanes: what one branch loads is not loaded for who did not take it.
    let shader = lifted(
        "a.vert.d3d9",
        "vs_2_x\ndcl_position v0\ndcl_normal v1\nmova a0, v0\nadd r0, c[a0.x], v1\nadd r0, r0, c[a0.y+1]\nadd r0, r0, c[a0.z+2]\n\
         add r0, r0, c[a0.w+3]\nmova a0.x, v1.x\nadd r0, r0, c[a0.x+4]\nif_lt v1.y, v1.z\nmova a0.x, v0.x\n\
         mul r0, r0, c[a0.x+5]\nendif\nmova a0.x, v0.x\nadd r0, r0, c[a0.x+7]\nadd r0, r0, c[a0.y+8]\n\
         add r0, r0, c[a0.z+9]\nadd r0, r0, c[a0.w+10]\nmova a0.x, v1.x\nadd oPos, r0, c[a0.x+6]\n",
    );
    let program = made(&shader, "vs_2_a", None).expect("a program");
    is_sound("indices", &program);
    assert!(program.text.contains("if_"), "{}", program.text);
    assert!(!matches!(verdict(&shader, &program, 500), Verdict::Different(_)), "{}", program.text);
}
