//! One arithmetic for two shaders, and bindings.

use vecasm_debug::compare::eqv::{Options, Verdict, eqv};
use vecasm_ir::ir::random::{Rng, Size, shader};
use vecasm_ir::ir::verify::verify;
use vecasm_ir::ir::{Op, Pure, Rule, Scalar, Shader};
use vecasm_isa::any::LiftOptions;
use vecasm_isa::nv2a::lift::Numerics;
use vecasm_isa::{AnyProgram, Isa};
use vecasm_opt::impose;

fn nv2a(text: &str, numerics: Numerics) -> Shader {
    let (program, findings) = AnyProgram::parse(Isa::Nv2a, text, None, None);
    assert!(program.is_some(), "{findings:?}");
    let mut options = LiftOptions::default();
    options.nv2a.numerics = numerics;
    program.expect("it was read").lift(&options).expect("the program has a meaning")
}

/// The NV2A has two liftings, of which one chooses by itself what IEEE 754 needs. Each becomes the other.
#[test]
fn both_liftings_of_the_nv2a_become_one_another() {
    let texts = [
        "mov oPos, v0\nmul r0, v1, c1\nadd r1, r0, v2\nmad oD0, r1, v3, -c1\nsge r2, v0, r1\nslt r3, r1, v0\nmax r2, r2, r3\n\
         min oT0, r2, v4\n",
        "dp3 oPos.x, v0, c0\ndp4 oPos.y, v0, c0\ndph oPos.z, v0, c0\nmov oPos.w, v0\nmov r1, v1\ndst oD0, r1, v2\nlit oT0, v3\n",
        "mov oPos, v0\nrcp oT0, v1.x\nrsq oT1, v1.y\nrcc oT2, v1.z\nexp oD0, v2.x\nlog oD1, v2.y\n",
        "mov oPos, v0\narl a0.x, v1.x\nmov oD0, c[a0.x+4]\n",
    ];
    for text in texts {
        let [own, plain] = [Numerics::Nv20, Numerics::Ieee].map(|numerics| nv2a(text, numerics));
        for rule in [Rule::Nv20, Rule::ZeroWins, Rule::Ieee] {
            let options = Options { arith: Some(rule), count: 2048, ..Options::default() };
            let report = eqv(&own, &plain, &options).expect("they can be compared");
            assert!(
                !matches!(report.verdict, Verdict::Different(_)),
                "{rule:?} {:?}\n{text}",
                report.verdict
            );
            assert!(
                report.interface.notes.iter().all(|note| note.contains("floor")),
                "{:?}",
                report.interface
            );
        }
        // And so each is what it says: imposing a lifting's own rule changes nothing. (ARL is lifted by IEEE 754 always.)
        if text.contains("arl") {
            continue;
        }
        for (lifted, rule) in [(&own, Rule::Nv20), (&plain, Rule::ZeroWins)] {
            assert!(impose(lifted, rule).shader == *lifted, "{rule:?}\n{text}");
        }
    }
}

/// Every shader stays sound under every rule, has no other rule in it than that one, and is then left alone.
#[test]
fn a_rule_is_imposed_on_all_of_a_shader() {
    for seed in 0..300 {
        let before = shader(&mut Rng::new(seed), Size { nodes: 40, depth: 3 });
        for rule in [Rule::Ieee, Rule::ZeroWins, Rule::Nv20] {
            let imposed = impose(&before, rule);
            assert_eq!(verify(&imposed.shader), [], "{seed} {rule:?}");
            assert_eq!(imposed.shader.tables(), before.tables());
            imposed.shader.body.for_each_inst(&mut |inst| {
                let Op::Pure(pure) = inst.op else { return };
                let scalar = pure.scalar_of(&imposed.shader, imposed.shader.args(inst.args));
                assert!(!inst.arith.flush, "{seed} {pure:?}");
                if scalar != Scalar::F32 {
                    return;
                }
                let wanted = match rule {
                    Rule::Nv20 if pure.has_nv20() => Rule::Nv20,
                    Rule::ZeroWins if matches!(pure, Pure::Mul | Pure::Fma | Pure::Dot) => Rule::ZeroWins,
                    _ => Rule::Ieee,
                };
                assert_eq!(inst.arith.rule, wanted, "{seed} {pure:?}");
                assert!(!imposed.kept.contains(&pure) || !pure.has_nv20());
            });
            assert_eq!(impose(&imposed.shader, rule), imposed, "{seed}");
        }
    }
}

#[cfg(feature = "files")]
mod files {
    use vecasm_debug::compare::{Link, LinkEnd, Promise};
    use vecasm_ir::ir::{Filter, SamplerState, Stage, Wrap};

    const WHOLE: &str = r#"{
  "schema": 1,
  "source": {"isa":"d3d9","stage":"vertex"},
  "target": {"isa":"agal","stage":"vertex"},
  "promise": "operations",
  "inputs": {"va0":"v0"},
  "outputs": {"op":"oPos","v0":"oT0"},
  "constants": {"vc5":"c5"},
  "literals": {"vc127":[0.0, 1.0, -2.0, 0.5],"vc126":["0x7f800000", "0x7fc00001", -0.0, 0.1]},
  "states": {"vc12":"fog-color"},
  "samplers": {"fs0":"s0"},
  "sampler_states": {"fs0":{"wrap_u": "repeat", "wrap_v": "clamp", "wrap_w": "repeat", "filter": "linear", "mip": "none", "anisotropy": 1}},
  "defaults": {"vc5":[1.0, 0.0, 0.0, 0.5]},
  "lift": ["numerics=ieee","rule=cmp-nan=third"],
  "fixed": {"fog-mode":["0x00000003", "0x00000000", "0x00000000", "0x00000000"],"fog-color":[0.25, 0.5, 1.0, 0.0]}
}
"#;

    #[test]
    fn what_is_written_is_read_back() {
        let pair = |x: &str, y: &str| (x.to_string(), y.to_string());
        let end = |isa: &str| LinkEnd { isa: Some(isa.into()), stage: Some(Stage::Vertex) };
        let numbers = |of: [f32; 4]| of.map(f32::to_bits);
        let link = Link {
            source: end("d3d9"),
            target: end("agal"),
            promise: Some(Promise::Operations),
            inputs: Some(vec![pair("va0", "v0")]),
            outputs: Some(vec![pair("op", "oPos"), pair("v0", "oT0")]),
            constants: Some(vec![pair("vc5", "c5")]),
            literals: vec![
                ("vc127".into(), numbers([0.0, 1.0, -2.0, 0.5])),
                ("vc126".into(), [0x7f80_0000, 0x7fc0_0001, 0x8000_0000, 0x3dcc_cccd]),
            ],
            states: Some(vec![pair("vc12", "fog-color")]),
            samplers: Some(vec![pair("fs0", "s0")]),
            sampler_states: vec![(
                "fs0".into(),
                SamplerState {
                    wrap_v: Wrap::Clamp,
                    ..SamplerState::PLAIN.with_wrap(Wrap::Repeat).with_filter(Filter::Linear)
                },
            )],
            defaults: vec![("vc5".into(), numbers([1.0, 0.0, 0.0, 0.5]))],
            lift: Some(vec!["numerics=ieee".into(), "rule=cmp-nan=third".into()]),
            fixed: vec![
                ("fog-mode".into(), [3, 0, 0, 0]),
                ("fog-color".into(), numbers([0.25, 0.5, 1.0, 0.0])),
            ],
        };
        assert_eq!(link.write(), WHOLE);
        assert_eq!(Link::read(WHOLE), Ok(link));
        let none = Link::default();
        assert_eq!(Link::read(&none.write()), Ok(none));
    }

    #[test]
    fn words_stand_for_what_json_has_no_numbers_for() {
        let text = r#"{"schema": 1, "literals": {"c0": ["inf", "-inf", "nan", "0x80000000"], "c1": 2}}"#;
        let link = Link::read(text).expect("it is sound");
        let lanes = [0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x8000_0000];
        assert_eq!(link.literals, [("c0".to_string(), lanes), ("c1".to_string(), [0x4000_0000; 4])]);
    }

    /// Every cut and every byte changed is a binding or an error.
    #[test]
    fn broken_bindings_are_refused() {
        for at in 0..WHOLE.len() {
            if !WHOLE.is_char_boundary(at) {
                continue;
            }
            let _ = Link::read(&WHOLE[..at]);
            for other in [" ", "\"", "{", "]", "9"] {
                let changed = format!("{}{other}{}", &WHOLE[..at], WHOLE.get(at + 1..).unwrap_or(""));
                if let Ok(link) = Link::read(&changed) {
                    assert_eq!(Link::read(&link.write()), Ok(link));
                }
            }
        }
        for (text, error) in [
            ("[]", "expected an object, found a list"),
            ("{}", "\"schema\" is missing"),
            (
                r#"{"schema": 1, "promise": "exactly"}"#,
                "promise: unknown \"exactly\"; expected one of exact, operations, close, approximate",
            ),
            (
                r#"{"schema": 1, "source": {"stage": "pixel"}}"#,
                "source.stage: unknown \"pixel\"; expected one of vertex, tess-control,",
            ),
            (r#"{"schema": 1, "source": {"isa": 1}}"#, "source.isa: expected a string, found a number"),
            (r#"{"schema": 1, "literals": {"c0": [1, 2]}}"#, "literals.c0: expected 4 numbers, found 2"),
            (
                r#"{"schema": 1, "literals": {"c0": 1e39}}"#,
                "literals.c0: 1000000000000000000000000000000000000000 is beyond the range of f32",
            ),
            (
                r#"{"schema": 1, "states": {"c0": "fog-color"}, "constants": {"c0": "c1"}}"#,
                "states.c0: the name is given twice: under constants, too",
            ),
            (
                r#"{"schema": 1, "inputs": {"v0": "a", "v0": "b"}}"#,
                "the name \"v0\" is given twice at line 1",
            ),
        ] {
            let found = Link::read(text).expect_err(text).to_string();
            assert!(found.starts_with(error), "{found}");
        }
    }
}
