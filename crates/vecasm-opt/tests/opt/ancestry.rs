//! Which steps of the source made a component, and which reads.

use vecasm_ir::ir::Shader;
use vecasm_ir::operand::WriteMask;
use vecasm_isa::agal::lift::{Depth, Options, lift};
use vecasm_isa::agal::text::{ParseOptions, parse};
use vecasm_opt::{ancestry, clean, origins};

#[test]
fn each_component_has_its_own_ancestors() {
    let text = ".agal fragment 2\n\
                mov ft0, v0\n\
                rsq ft1.x, ft0.w\n\
                mul ft0.xy, ft0.yx, ft1.x\n\
                mov ft2.x, fc0.y\n\
                ifl ft2.x, ft0.z\n\
                sat ft0.y, ft0.y\n\
                eif\n\
                mov oc, ft0\n";
    let (program, _) = parse(text, &ParseOptions::default());
    let full = Options { depth: Depth::Full, ..Options::default() };
    let shader = lift(&program.expect("the text is sound"), &full).expect("the program has a meaning");
    // By source instruction: what writes nothing has no step of its own in the answer.
    let of = |shader: &Shader, source: u32, write: usize, lane: usize| -> Vec<u32> {
        let at = shader.steps.iter().position(|s| s.source == source).expect("it has a step") as u32;
        let steps = ancestry(shader, at, write, lane);
        steps.iter().map(|s| shader.steps[*s as usize].source).collect()
    };
    for shader in [shader.clone(), clean(&shader)] {
        // x: the product of v0.y and rsq(v0.w).
        assert_eq!(of(&shader, 7, 0, 0), [0, 1, 2, 7]);
        // y: that of v0.x, clamped or not, as ft2.x and v0.z say.
        assert_eq!(of(&shader, 7, 0, 1), [0, 1, 2, 3, 5, 7]);
        // z and w come straight from v0.
        assert_eq!(of(&shader, 7, 0, 2), [0, 7]);
        assert_eq!(of(&shader, 2, 0, 1), [0, 1, 2]);
        assert_eq!(of(&shader, 7, 1, 0), [0; 0]);
        assert_eq!(of(&shader, 7, 0, 4), [0; 0]);
    }
}

#[test]
fn a_lane_knows_the_reads_it_is_made_of() {
    let text = ".agal fragment 1\n\
                mov ft0, v0\n\
                mul ft1.xz, ft0.wyyx, fc0.yxzw\n\
                dp3 ft2.y, ft0, ft1.zzz\n\
                sub oc, ft2.y, ft0\n";
    let (program, _) = parse(text, &ParseOptions::default());
    let full = Options { depth: Depth::Full, ..Options::default() };
    let shader = lift(&program.expect("the text is sound"), &full).expect("the program has a meaning");
    let of = |step: u32, lane: usize| -> Vec<String> {
        let name = |(n, mask): &(usize, WriteMask)| {
            let cell = shader.steps[step as usize].reads[*n].cell;
            format!("{}.{}", shader.cell_name(cell), mask.letters())
        };
        origins(&shader, step, 0, lane).iter().map(name).collect()
    };
    assert_eq!(of(0, 3), ["v0.w"]);
    // x is ft0.w · fc0.y, z is ft0.y · fc0.z.
    assert_eq!(of(1, 0), ["ft0.w", "fc[0].y"]);
    assert_eq!(of(1, 1), ["ft0.y", "fc[0].z"]);
    assert_eq!(of(2, 0), ["ft0.xyz", "ft1.z"]);
    assert_eq!(of(3, 2), ["ft2.y", "ft0.z"]);
    assert_eq!(of(3, 4), [""; 0]);
}
