//! What lifts add of the pipeline comes off again: the program is what it is when lifted without.

use vecasm_ir::ir::text::print;
use vecasm_ir::ir::verify::verify;
use vecasm_ir::ir::{Op, OutputKind, Shader, Tail};
use vecasm_isa::{d3d9, nv2a};
use vecasm_opt::{clean, fold, promote, specialize, strip_tail};

/// What is done, without numbers of steps and homes.
fn body(shader: &Shader) -> String {
    assert_eq!(verify(shader), []);
    let text = print(shader);
    let (_, body) = text.split_once("\n\n").expect("tables end with an empty line");
    body.lines().map(|line| format!("{}\n", line.split("  step").next().unwrap_or(line))).collect()
}

/// The same with values for cells.
fn settled(shader: &Shader) -> Shader {
    clean(&fold(&promote(&clean(&fold(shader)))))
}

fn direct3d(text: &str, parts: d3d9::lift::Pipeline, unclamped: bool) -> Shader {
    let (program, findings) = d3d9::text::parse(text);
    let program = program.unwrap_or_else(|| panic!("{text}: {findings:?}"));
    let constants_1x = if unclamped { "free" } else { "clamped" };
    let mut options = d3d9::lift::Options { pipeline: parts, unclamped, ..d3d9::lift::Options::default() };
    options.switches.set("constants-1x", constants_1x).unwrap();
    d3d9::lift::lift(&program, &options).unwrap()
}

fn xbox(text: &str, options: &nv2a::lift::Options) -> Shader {
    let (program, findings) = nv2a::text::parse(text, &nv2a::text::ParseOptions::default());
    nv2a::lift::lift(&program.unwrap_or_else(|| panic!("{findings:?}")), options).unwrap()
}

const DIRECT3D: &[&str] = &[
    "vs_1_1\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oD0.xyz, v1\nmov oD0.w, c0\nmov oD1, v1\nmov oFog, v0.z\n",
    // Of its own clamp nothing goes.
    "vs_2_0\ndcl_position v0\nmov oPos, v0\nmax r0, v0, c0.x\nmin oD0, r0, c0.y\nmov oPts, c1.x\n",
    "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_color o1\nmov o0, v0\nmov_sat o1, v0\n",
    "ps_1_1\ntex t0\nmul r0, t0, v0\nadd r0, r0, c3\n",
    "ps_1_4\ntexld r0, t0\nmad_sat r0, r0, v0, v1\n",
    "ps_2_0\ndcl t0\ndcl v0\ndcl_2d s0\ntexld r0, t0, s0\nmul_sat r0, r0, v0\nmov oC0, r0\n",
    "ps_3_0\ndcl_color v0\nmov_sat oC0, v0\n",
];

#[test]
fn everything_comes_off_programs_of_direct3d() {
    for text in DIRECT3D {
        let plain = direct3d(text, d3d9::lift::Pipeline::default(), true);
        let plain = clean(&clean(&plain));
        let full = direct3d(text, d3d9::lift::Pipeline::ALL, false);
        let stripped = strip_tail(&full, Tail::ALL);
        assert_eq!(body(&clean(&stripped)), body(&plain), "{text}");
        // An output that only the pipeline has goes with it.
        let outputs = |shader: &Shader| -> Vec<String> {
            shader.outputs.iter().map(|output| output.name.clone()).collect()
        };
        assert_eq!(outputs(&stripped), outputs(&plain), "{text}");
        // Nothing is asked, nothing goes.
        assert_eq!(strip_tail(&full, &[]), full, "{text}");
        assert_eq!(body(&strip_tail(&plain, Tail::ALL)), body(&plain), "{text}");
    }
}

/// Each part comes off alone, and leaves the others as they are.
#[test]
fn a_part_comes_off_alone() {
    let part = |name: &str| {
        let mut parts = d3d9::lift::Pipeline::default();
        assert!(parts.add(name), "{name}");
        parts
    };
    let tails = [
        ("fog", Tail::Fog),
        ("alpha-test", Tail::AlphaTest),
        ("clip-planes", Tail::ClipPlanes),
        ("half-pixel", Tail::HalfPixel),
        ("points", Tail::Points),
        ("projected", Tail::Projected),
    ];
    for text in DIRECT3D {
        for (name, tail) in tails {
            let with = direct3d(text, part(name), false);
            let without = direct3d(text, d3d9::lift::Pipeline::default(), false);
            let without = clean(&clean(&without));
            assert_eq!(body(&clean(&strip_tail(&with, &[tail]))), body(&without), "{text} {name}");
            for (_, other) in tails.iter().filter(|(_, other)| *other != tail) {
                assert_eq!(strip_tail(&with, &[*other]), with, "{text} {name}");
            }
        }
    }
}

/// Marks of clamps outlast other passes.
#[test]
fn clamps_come_off_after_other_passes() {
    for text in DIRECT3D {
        let plain = settled(&direct3d(text, d3d9::lift::Pipeline::default(), true));
        let full = direct3d(text, d3d9::lift::Pipeline::default(), false);
        for shader in [full.clone(), clean(&full), clean(&fold(&full)), specialize(&full, &[])] {
            assert_eq!(body(&settled(&strip_tail(&shader, Tail::ALL))), body(&plain), "{text}");
        }
        // The same operations, in another order.
        let sorted = |shader: &Shader| {
            let words = |line: &str| {
                line.split_whitespace().find(|word| !"%=".contains(&word[..1])).map(String::from)
            };
            let mut words: Vec<_> = body(shader).lines().map(words).collect();
            words.sort();
            words
        };
        let late = settled(&strip_tail(&settled(&full), Tail::ALL));
        assert_eq!(sorted(&late), sorted(&plain), "{text}");
    }
}

const XBOX: &[&str] = &[
    "dp4 oPos.x, v0, c0\ndp4 oPos.y, v0, c1\ndp4 oPos.z, v0, c2\ndp4 oPos.w, v0, c3\n\
     mul oPos.xyz, r12, c58\nrcc r1.x, r12.w\nmad oPos.xyz, r12, r1.x, c59\nmov oD0, v3\nmov oB1, v4\n",
    "mov oPos, v0\nmov oFog, v1.x\nmov oPts, v2.x\nmov oD1, v3\n",
    "mov oPos.xw, v0\nmul oPos.yz, v0, v0\nmov oT0, v9\n",
    "mov oD0, v3\n",
];

#[test]
fn the_viewport_comes_off_programs_of_the_nv2a() {
    use nv2a::lift::{Clamp, Options, Space};
    for text in XBOX {
        let plain = settled(&xbox(text, &Options::default()));
        for subpixel in [false, true] {
            let options = Options { space: Space::Clip, subpixel, clamp: Clamp::All, ..Options::default() };
            let full = xbox(text, &options);
            let both = settled(&strip_tail(&full, &[Tail::Viewport, Tail::ClampColors]));
            assert_eq!(body(&both), body(&plain), "{text}");
            // Clamps alone: the position stays in clip space.
            let clip = xbox(text, &Options { clamp: Clamp::Off, ..options });
            let clamps = strip_tail(&full, &[Tail::ClampColors]);
            assert_eq!(body(&settled(&clamps)), body(&settled(&clip)), "{text}");
        }
    }
}

/// Where a pass has made something else of the undoing, none of it goes.
#[test]
fn half_a_viewport_stays() {
    use nv2a::lift::{Options, Space};
    let full = settled(&xbox(XBOX[1], &Options { space: Space::Clip, ..Options::default() }));
    let mut broken = full.clone();
    broken.body.for_each_inst_mut(&mut |inst| {
        if inst.tail == Some(Tail::Viewport) && matches!(inst.op, Op::Pure(vecasm_ir::ir::Pure::Abs)) {
            inst.tail = None;
        }
    });
    assert_ne!(broken, full);
    let stripped = strip_tail(&broken, &[Tail::Viewport]);
    assert_eq!(body(&stripped), body(&clean(&broken)));
    assert!(stripped.outputs.iter().any(|output| output.kind == OutputKind::Position));
}
