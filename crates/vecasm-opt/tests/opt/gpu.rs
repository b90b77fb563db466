//! What each liberty of GPUs does to a result.

use vecasm_exec::Engine;
use vecasm_exec::interp::Interp;
use vecasm_exec::runfile::RunFile;
use vecasm_ir::ir::Shader;
use vecasm_ir::ir::verify::verify;
use vecasm_isa::agal::lift::{Depth, Numerics, Options, lift};
use vecasm_isa::agal::text::{ParseOptions, parse};
use vecasm_opt::{Liberty, gpu, liberties};

fn shader(text: &str) -> Shader {
    let (program, _) = parse(text, &ParseOptions::default());
    let options = Options { depth: Depth::Full, numerics: Numerics::Ieee, ..Options::default() };
    lift(&program.expect("the text is sound"), &options).expect("the program has a meaning")
}

fn first(shader: &Shader, x: [f32; 4]) -> [f32; 4] {
    let batch = vecasm_exec::Batch {
        count: 1,
        inputs: vec![vec![x.map(f32::to_bits)]],
        params: vec![vec![[1.0f32.to_bits(); 4]; 8]],
        ..Default::default()
    };
    let outputs = Interp.run(shader, &batch).expect("it runs");
    outputs.cells[0][0].map(f32::from_bits)
}

#[test]
fn every_liberty_gives_a_sound_shader() {
    let text = ".agal fragment 2\nmul ft0, v0, fc0\nadd ft1, ft0.wzyx, v0\nsub ft1, v0, ft0\ndp4 ft2, ft1, ft0\n\
                min ft2, ft2, ft1\nsat ft3, ft2\nrcp ft4, ft3\nrsq ft4, ft4\nsqt ft4, ft4\nexp ft5, ft4\nlog ft5, ft5\n\
                pow ft5, ft5, ft4\nsin ft6, ft5\ncos ft6, ft6\nsge ft7, ft6, ft5\ndiv ft7, ft7, ft6\nmov oc, ft7\n";
    let shader = shader(text);
    for liberty in Liberty::ALL {
        let changed = liberties(&shader, liberty);
        let Some(taken) = gpu(&shader, liberty, None) else {
            assert_eq!((changed.as_slice(), liberty), (&[][..], Liberty::Plain));
            continue;
        };
        assert_eq!(verify(&taken), [], "{liberty:?}");
        assert_eq!(taken.steps, shader.steps);
        let on = RunFile::random(&shader, 8, 1);
        Interp.run(&taken, &on.batch()).expect("it runs");
        for source in changed {
            let one = gpu(&shader, liberty, Some(source)).expect("it changes");
            assert_eq!(verify(&one), [], "{liberty:?} in {source}");
        }
    }
    assert_eq!(liberties(&shader, Liberty::Contraction), [1, 2, 3]);
    assert_eq!(liberties(&shader, Liberty::Nan), [4, 5, 14]);
}

/// (1 + 2^-12)² = 1 + 2^-11 + 2^-24: the product is rounded to 1 + 2^-11, and less that nothing is left; rounded once,
/// 2^-24 is.
#[test]
fn contraction_keeps_what_rounding_drops() {
    let shader = shader(".agal fragment 1\nmul ft0, v0.x, v0.x\nsub ft0, ft0, v0.y\nmov oc, ft0\n");
    let x = [1.0 + 1.0 / 4096.0, 1.0 + 1.0 / 2048.0, 0.0, 0.0];
    assert_eq!(first(&shader, x)[0], 0.0);
    let taken = gpu(&shader, Liberty::Contraction, None).expect("it changes");
    assert_eq!(first(&taken, x)[0], 1.0 / 16_777_216.0);
}

#[test]
fn nan_is_kept_and_compares_the_other_way() {
    let text = ".agal fragment 1\nrsq ft0.x, v0.x\nmin ft1.x, ft0.x, v0.y\nsat ft1.y, ft0.x\nslt ft1.z, ft0.x, v0.y\n\
                sge ft1.w, ft0.x, v0.y\nmov oc, ft1\n";
    let shader = shader(text);
    let x = [-1.0, 2.0, 0.0, 0.0];
    assert_eq!(first(&shader, x), [2.0, 0.0, 0.0, 0.0]);
    let taken = first(&gpu(&shader, Liberty::Nan, None).expect("it changes"), x);
    assert!(taken[0].is_nan() && taken[1].is_nan());
    assert_eq!(taken[2..], [1.0, 1.0]);
}

/// Zero to a power is zero, and infinite exponents stay what they are.
#[test]
fn powers_of_zero_are_zero() {
    let shader = shader(".agal fragment 1\npow ft0, v0, v0.w\nmov oc, ft0\n");
    for liberty in [Liberty::Above, Liberty::Below] {
        let off = first(&gpu(&shader, liberty, None).expect("it changes"), [0.0, 1.0, 4.0, 42.0]);
        assert_eq!(off[0], 0.0);
        assert!((off[1] - 1.0).abs() < 1e-4, "{}", off[1]);
    }
}

/// A quotient may be 2.5 units in the last place off, a sine 2^-11.
#[test]
fn functions_are_off_by_their_allowance() {
    let shader = shader(".agal fragment 1\nrcp ft0, v0\nsin ft0.y, v0.y\nmov oc, ft0\n");
    let x = [2.0, 0.0, 4.0, 1.0];
    for (liberty, sign) in [(Liberty::Above, 1.0f32), (Liberty::Below, -1.0)] {
        let off = first(&gpu(&shader, liberty, None).expect("it changes"), x);
        let ulps = (off[0] - 0.5) * sign / f32::EPSILON * 2.0;
        assert!((2.0..=3.0).contains(&ulps), "{ulps}");
        assert_eq!(off[1], sign / 2048.0);
    }
}
